//! What is said to a table or a tournament, and what comes back.

use shoe::Digest;
use table::{Act, Event, Refusal, Role};

/// An act with who says it, in which role, and under which key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order<A = Act> {
    /// The account of the person.
    pub who: String,
    /// The role in which the person speaks.
    pub role: Role,
    /// The person's own name for the order: the same key is carried out once.
    pub key: String,
    /// The act, with the names by which people are known at the table.
    pub act: A,
}

impl<A: serde::Serialize> Order<A> {
    /// The hash of what is asked, and where.
    pub(crate) fn payload(&self, stream: &str) -> Digest {
        let act = serde_json::to_string(&self.act).unwrap_or_default();
        let pieces: [&[u8]; 5] =
            [stream.as_bytes(), &[0], self.role.key().as_bytes(), &[0], act.as_bytes()];
        Digest::of(&pieces)
    }
}

/// An event, with its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The event.
    pub event: Event,
    /// The event in words.
    pub what: String,
}

/// What became of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<T = Told> {
    /// The last record of the stream when the order was answered first.
    pub version: u64,
    /// What followed, or why it was refused.
    pub ruled: Result<Vec<T>, Refusal>,
    /// The order was answered before; this is the same answer again.
    pub repeated: bool,
}

/// The longest key of an order.
pub(crate) const MOST_KEY: usize = 64;
/// The longest text that somebody can give as a reason.
pub(crate) const MOST_TEXT: usize = 500;
