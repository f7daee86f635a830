//! What is said to a table or a tournament, and what comes back.

use shoe::Digest;
use table::{Act, Code, Event, Refusal, Role};

use crate::scribe::Named;

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

/// Whether an order can be known again by its key.
///
/// # Errors
///
/// When the key is empty or too long.
pub fn check_key(key: &str) -> Result<(), Refusal> {
    if (1..=MOST_KEY).contains(&key.len()) {
        return Ok(());
    }
    let instead = format!("a key has 1 to {MOST_KEY} bytes");
    Err(Refusal::new(Code::Unsayable, None, "a key that is empty or too long", instead))
}

impl<A: serde::Serialize> Order<A> {
    /// The hash of what is asked, and where.
    fn payload(&self, stream: &str) -> Digest {
        let act = serde_json::to_string(&self.act).unwrap_or_default();
        let pieces: [&[u8]; 5] =
            [stream.as_bytes(), &[0], self.role.key().as_bytes(), &[0], act.as_bytes()];
        Digest::of(&pieces)
    }

    /// The order as the log names it.
    pub(crate) fn named(&self, stream: &str) -> Named {
        let (actor, key) = (self.who.clone(), self.key.clone());
        Named { actor, key, payload: self.payload(stream) }
    }
}

/// An event, with its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The record that holds it; nothing of what was only tried.
    pub version: Option<u64>,
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
const MOST_KEY: usize = 64;
/// The longest text that somebody can give as a reason.
pub(crate) const MOST_TEXT: usize = 500;
