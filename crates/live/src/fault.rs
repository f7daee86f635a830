//! What stops a table, a tournament or an account. The rules never do: they refuse.

use std::path::PathBuf;

use store::StoreError;

/// A technical failure. A refusal is none.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The log fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The shoe cannot be made.
    #[error(transparent)]
    Shoe(#[from] shoe::BadShoe),
    /// The operating system gives no random numbers.
    #[error("the operating system gives no random numbers: {0}")]
    NoEntropy(String),
    /// The stream is there already.
    #[error("`{0}` is there already; go on with it, or name another")]
    Begun(String),
    /// There is no such table, tournament or account.
    #[error("there is no `{0}` on this floor")]
    Unknown(String),
    /// The log holds no table.
    #[error("{} holds no table", .0.display())]
    NoTable(PathBuf),
    /// The log holds an event of a table that cannot have happened.
    #[error("the log is damaged: {0}; it can be audited, not continued")]
    Damaged(#[from] table::Broken),
    /// The log holds an event of a tournament that cannot have happened.
    #[error("the log is damaged: {0}; it can be audited, not continued")]
    DamagedEvent(#[from] tournament::Broken),
    /// The book is not the one that the table was opened with.
    #[error("the table was opened under another edition of {0}; it can be audited, not continued")]
    OtherBook(String),
    /// What the log kept of the book is not what the table was opened with.
    #[error(
        "the log's own copy of {0} is missing, or was altered; it can be audited, not continued"
    )]
    AlteredBook(String),
    /// The book cannot be loaded.
    #[error("{0}")]
    Book(String),
    /// A log without signatures that does not follow from its book.
    #[error("the log does not hold, and is not gone on with: record {0}: {1}")]
    DoesNotHold(u64, String),
    /// The secret of the shoe in use is lost.
    #[error("the secret of shoe {0} is not in the log; the shoe cannot be dealt on")]
    NoSecret(u32),
    /// A balance is not what the account's own records say.
    #[error("account {0} is locked: its balance is not what its records say; ask the operator")]
    Locked(String),
    /// A write was begun, and the log did not confirm it.
    #[error("the log did not answer; reopen the table to continue from the last record")]
    Broken,
    /// The table or tournament does not run.
    #[error("`{0}` has stopped: {1}")]
    Stopped(String, String),
}
