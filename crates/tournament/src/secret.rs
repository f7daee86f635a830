//! Secret wagers: a form is shown to all as a salted commitment, and opened when the book says so.
//!
//! `docs/VERIFY.md` describes it, under the name [`PROTOCOL`].

use rules::{Cents, Spot};
use shoe::Digest;

/// The name of the procedure. Any change to the procedure changes its name.
pub const PROTOCOL: &str = "sabot-secret-1";

/// The commitment to a form: what everybody sees when it is handed in.
#[must_use]
pub fn commitment(salt: &str, content: &str) -> Digest {
    let pieces: [&[u8]; 5] =
        [PROTOCOL.as_bytes(), b"\n", salt.as_bytes(), b"\n", content.as_bytes()];
    Digest::of(&pieces)
}

/// Whether a text is a single line, so that salt and content cannot be confused.
#[must_use]
pub fn is_plain(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

/// The wager on a form, such as `100 on player`; nothing if kind or amount is not properly shown.
#[must_use]
pub fn read(content: &str) -> Option<(Spot, Cents)> {
    let (amount, spot) = content.split_once(" on ")?;
    let spot = Spot::from_key(spot.trim())
        .filter(|spot| matches!(spot, Spot::Banker | Spot::Player | Spot::Tie))?;
    let amount: Cents = amount.trim().parse().ok().filter(|amount| *amount > Cents::ZERO)?;
    Some((spot, amount))
}
