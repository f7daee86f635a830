//! The verifier: whether everything that was published about a shoe is consistent. It needs nothing
//! else.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use rules::Composition;

use crate::PROTOCOL;
use crate::digest::Digest;
use crate::record::{Opening, ShoeRecord};
use crate::sealed::{BadShoe, MOST_DECKS, Remade, remake};
use crate::tree::{climb, leaf};

/// Something that is inconsistent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The record is of another procedure.
    #[error("the procedure is `{0}`, not `{PROTOCOL}`")]
    Protocol(String),
    /// Such a shoe cannot be made.
    #[error(transparent)]
    Shoe(#[from] BadShoe),
    /// A cut came before the root, or cards before the cut.
    #[error("{0}")]
    Untimely(&'static str),
    /// More cards left the shoe than it has.
    #[error("{0} cards left a shoe of {1}")]
    TooManyCards(usize, u32),
    /// A card that never left the shoe was opened.
    #[error("card {0} is opened, but only {1} cards left the shoe")]
    NotDealt(u32, usize),
    /// A card was opened twice.
    #[error("card {0} is opened twice")]
    Twice(u32),
    /// A card does not lead to the root.
    #[error("card {0}, {1}, does not lead to the root")]
    NotOfTheRoot(u32, rules::Card),
    /// A card was opened more often than there are decks.
    #[error("{0} is opened more often than there are decks")]
    TooOften(rules::Card),
    /// The entropy is not the one that was committed to.
    #[error("the entropy is not the one that was committed to")]
    OtherEntropy,
    /// The order that entropy and nonces make has another root.
    #[error("entropy and nonces make an order with another root")]
    OtherRoot,
    /// A card is not the one at its position.
    #[error("card {0} was opened as {1}, but the order has {2} there")]
    OtherCard(u32, rules::Card, rules::Card),
    /// A salt is not the one of its position.
    #[error("the salt of card {0} is not the one that the entropy makes")]
    OtherSalt(u32),
}

/// The result of a check that found no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The number of cards that left the shoe.
    pub dealt: usize,
    /// The number of cards with a proof.
    pub opened: usize,
    /// Whether the secret is published, so that the whole order was checked.
    pub whole: bool,
}

/// Checks everything that was published about a shoe.
///
/// # Errors
///
/// With every inconsistency.
pub fn verify(record: &ShoeRecord) -> Result<Verified, Vec<Fault>> {
    let mut faults = Vec::new();
    if record.protocol != PROTOCOL {
        faults.push(Fault::Protocol(record.protocol.clone()));
    }
    let decks = record.decks;
    if decks == 0 || decks > MOST_DECKS {
        faults.push(BadShoe::Decks(decks).into());
        return Err(faults);
    }
    let total = decks * 52;
    if record.dealt.len() > total as usize {
        faults.push(Fault::TooManyCards(record.dealt.len(), total));
    }
    if record.cut.is_some_and(|cut| cut >= total) {
        faults.push(BadShoe::Cut.into());
    }
    if record.root.is_none() && record.cut.is_some() {
        faults.push(Fault::Untimely("the shoe is cut, but its root is not published"));
    }
    if record.cut.is_none() && !(record.dealt.is_empty() && record.openings.is_empty()) {
        faults.push(Fault::Untimely("cards left a shoe that was not cut"));
    }
    let bad = |nonce: &crate::Nonce| nonce.0.is_empty() || nonce.0.len() > 64;
    if record.nonces.len() > crate::MOST_NONCES || record.nonces.iter().any(bad) {
        faults.push(BadShoe::Nonces.into());
    }
    check_openings(record, total, &mut faults);
    check_secret(record, total, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    let (dealt, opened) = (record.dealt.len(), record.openings.len());
    Ok(Verified { dealt, opened, whole: record.entropy.is_some() })
}

fn position(record: &ShoeRecord, opening: &Opening, total: u32) -> u32 {
    let at = u64::from(record.cut.unwrap_or(0)) + u64::from(opening.index);
    u32::try_from(at % u64::from(total)).expect("less than the shoe has cards")
}

fn check_openings(record: &ShoeRecord, total: u32, faults: &mut Vec<Fault>) {
    let mut seen = BTreeSet::new();
    let decks = u16::try_from(record.decks).expect("at most sixteen");
    let mut left = Composition::of_decks(decks);
    for opening in &record.openings {
        if opening.index as usize >= record.dealt.len() {
            faults.push(Fault::NotDealt(opening.index, record.dealt.len()));
        }
        if !seen.insert(opening.index) {
            faults.push(Fault::Twice(opening.index));
        }
        let at = position(record, opening, total);
        let start = leaf(total, at, opening.card, &opening.salt);
        if climb(start, at, total, &opening.path) != record.root {
            faults.push(Fault::NotOfTheRoot(opening.index, opening.card));
        }
        if left.take(opening.card).is_err() {
            faults.push(Fault::TooOften(opening.card));
        }
    }
}

fn check_secret(record: &ShoeRecord, total: u32, faults: &mut Vec<Fault>) {
    let nonces = record.nonces.iter().map(|nonce| nonce.0.clone()).collect();
    let Some(entropy) = &record.entropy else { return };
    if Digest::of(&[&entropy.0]) != record.commitment {
        faults.push(Fault::OtherEntropy);
    }
    let Remade { cards, salts, root } = match remake(&entropy.0, record.decks, nonces) {
        Ok(Some(made)) => made,
        Ok(None) => return faults.push(Fault::OtherEntropy),
        Err(BadShoe::Exhausted(_)) if record.root.is_none() => return,
        Err(fault) => return faults.push(fault.into()),
    };
    if record.root.is_some_and(|published| published != root) {
        faults.push(Fault::OtherRoot);
    }
    for opening in &record.openings {
        let at = position(record, opening, total) as usize;
        if cards[at] != opening.card {
            faults.push(Fault::OtherCard(opening.index, opening.card, cards[at]));
        }
        if salts[at] != opening.salt {
            faults.push(Fault::OtherSalt(opening.index));
        }
    }
}
