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
/// When the key is empty or too long, or has a control character: the house puts one between a key
/// and the number of a further step, and no key that somebody sends is taken for such a step.
pub fn check_key(key: &str) -> Result<(), Refusal> {
    let sayable = !key.contains(char::is_control);
    if (1..=MOST_KEY).contains(&key.len()) && sayable {
        return Ok(());
    }
    let fault = if sayable { "is empty or too long" } else { "has a control character" };
    let instead = format!("a key has 1 to {MOST_KEY} bytes, and no control characters");
    Err(Refusal::new(Code::Unsayable, None, format!("a key that {fault}"), instead))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_somebody_is_never_that_of_a_further_step() {
        for good in ["1", "a key", "2026-11-18 ✓", &"k".repeat(MOST_KEY)] {
            assert!(check_key(good).is_ok(), "{good}");
        }
        for bad in ["", "step\u{1f}1", "a\nb", "\u{7f}", "\u{85}", &"k".repeat(MOST_KEY + 1)] {
            assert!(check_key(bad).is_err(), "{bad:?}");
        }
    }
}
