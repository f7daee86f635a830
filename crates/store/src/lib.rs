//! The log: streams of records in one file, chained by their hashes, synced before anything is
//! acknowledged.
//!
//! A record is written once and never changed. `(stream, version)` is unique, so two writers cannot
//! both believe that they came first. What a record says is a [`Body`], stored as JSON under the
//! name of its schema; `docs/LOG.md` describes the file for people who read it without Sabot.
#![deny(clippy::wildcard_enum_match_arm)]

mod alarm;
mod beside;
mod body;
mod carry;
mod chain;
mod commands;
mod fault;
mod floor;
mod house_key;
mod insert;
mod lock;
mod log;
mod model;
mod reading;
#[cfg(test)]
mod reads;
mod record;
mod rows;
mod seal;
mod tables;
mod take_over;
mod trust;
mod verify;
mod waiting;
mod writer;

pub use beside::{knows_a_log, never_began};
pub use body::{
    Answer, Body, Book, BookFile, FormerKey, Head, Heads, HouseKey, Restored, Unreadable,
};
pub use carry::import;
pub use chain::{Broken, START, hash, verify_chain};
pub use fault::StoreError;
pub use floor::{
    AccountFact, AccountKind, Acted, Deals, OwnLimits, Pace, Purse, RefusedAct, Setup, TableShoe,
};
pub use house_key::{change_key, replace_lost_key};
pub use lock::{Begin, Lock};
pub use log::{Opening, Store, now};
pub use model::{Crash, Log, Model};
pub use reading::Kept;
pub use record::{
    Append, Appended, CommandKey, Entry, KeptBalance, Record, Snapshot, StreamEntries, With,
};
pub use seal::{Key, KeyFault};
pub use take_over::{FirstForm, Judge};
pub use verify::Verified;
pub use waiting::when_waiting;

/// The stream that holds the heads of all others.
pub const CHECKPOINTS: &str = "checkpoint";
/// The stream of the house itself.
pub const HOUSE: &str = "house";
/// What the stream of an account begins with; its number follows.
pub const ACCOUNT: &str = "account ";
/// What the stream of a tournament begins with; its name follows.
pub const TOURNAMENT: &str = "tournament ";
