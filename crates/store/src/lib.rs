//! The log: streams of records in one file, chained by their hashes, synced before anything is
//! acknowledged.
//!
//! A record is written once and never changed. `(stream, version)` is unique, so two writers cannot
//! both believe that they came first. What a record says is a [`Body`], stored as JSON under the
//! name of its schema; `docs/LOG.md` describes the file for people who read it without Sabot.
#![deny(clippy::wildcard_enum_match_arm)]

mod body;
mod chain;
mod fault;
mod lock;
mod log;
mod seal;
mod writer;

pub use body::{Answer, Body, Book, BookFile, Head, Heads, Unreadable};
pub use chain::{Broken, START, hash, verify_chain};
pub use fault::StoreError;
pub use lock::Lock;
pub use log::{Store, now};
pub use seal::{Key, KeyFault};
pub use writer::{Append, Appended, CommandKey, Entry, Record, StreamEntries};

/// The stream that holds the heads of all others.
pub const CHECKPOINTS: &str = "checkpoint";
