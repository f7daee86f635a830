//! What can go wrong with a log.

use std::path::PathBuf;

use crate::body::Unreadable;

/// A technical failure. Unless it says that the writer stopped, nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database has a fault of its own.
    #[error("the log cannot be read or written: {0}")]
    Database(#[from] sqlx::Error),
    /// The tables of the log could not be made or brought up to date.
    #[error("the file is not a log of sabot, or of a newer one: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// Somebody else wrote first.
    #[error("{stream} is at version {actual}, not {expected}: somebody else wrote first")]
    Conflict {
        /// Which stream.
        stream: String,
        /// What the writer believed.
        expected: u64,
        /// What is so.
        actual: u64,
    },
    /// The same key was used for something else.
    #[error("the key `{0}` was used for another command before")]
    KeyReused(String),
    /// A log that was opened to be read.
    #[error("{} was opened to be read only", .0.display())]
    ReadOnly(PathBuf),
    /// A database of somebody else's.
    #[error("{} is a database, but no log of sabot", .0.display())]
    NotALog(PathBuf),
    /// An append that adds nothing, names a stream twice, or writes the checkpoints.
    #[error("{0}")]
    BadAppend(&'static str),
    /// A name or a body that is empty or too long.
    #[error("{what} has {length} bytes; allowed: 1 to {most}")]
    TooLong {
        /// What.
        what: &'static str,
        /// How long it is.
        length: usize,
        /// How long it may be.
        most: usize,
    },
    /// A record that cannot be understood.
    #[error("{stream}, record {version}: {why}")]
    Unreadable {
        /// Which stream.
        stream: String,
        /// Which record.
        version: u64,
        /// Why.
        why: Unreadable,
    },
    /// Another process has the log.
    #[error("{} is in use by another sabot", .0.display())]
    InUse(PathBuf),
    /// There is no such log.
    #[error("there is no log at {}", .0.display())]
    Missing(PathBuf),
    /// A file beside the log cannot be used.
    #[error("{}: {why}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: std::io::Error,
    },
    /// What was sealed cannot be opened.
    #[error(transparent)]
    Seal(#[from] crate::seal::KeyFault),
    /// A log that should be new is there already.
    #[error("{} is there already", .0.display())]
    Exists(PathBuf),
    /// Another program keeps the log from being written.
    #[error(
        "another program holds the log; waited {0} s, nothing was recorded; close that program"
    )]
    Busy(u64),
    /// The log was altered, or something that it rests on is not there.
    #[error("the log does not hold, and is not gone on with: {0}")]
    Untrusted(String),
    /// A log of the first form under an edition of a book that is not at hand.
    #[error(
        "the log is of the first form and is not gone on with: nobody signed it, so its acts must \
         be judged again first; it was played under the edition {sha256} of {book}, the one at \
         hand rules otherwise, and logs of that form kept no files of their book; it can be audited"
    )]
    NoEdition {
        /// The book.
        book: String,
        /// The identity of the edition.
        sha256: shoe::Digest,
    },
    /// The log is another than the one that was kept beside the key.
    #[error("{} knows another log than this one: {why}", path.display())]
    OtherLog {
        /// What was kept.
        path: PathBuf,
        /// In what they differ.
        why: String,
    },
    /// The writer is gone; it stops at the first fault of the disk.
    #[error("the log could not be written, and takes nothing more: {0}")]
    Stopped(String),
}
