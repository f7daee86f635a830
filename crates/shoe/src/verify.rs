//! The verifier: whether everything that was published about a shoe is consistent. It needs nothing
//! else.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use rules::Composition;

use crate::digest::Digest;
use crate::record::{CutOf, Nonce, Opening, SecondWay, ShoeRecord, Way};
use crate::sealed::{BadShoe, MOST_DECKS, Remade, Secret, Shoe, remade};
use crate::tree::{climb, leaf};
use crate::words::{MOST_PROMISES, MOST_TEXT, Which, cut_by_chance, is_list_signed};
use crate::{FIRST_PROTOCOL, PROTOCOL};

/// Something that is inconsistent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The record is of another procedure.
    #[error("the procedure is `{0}`, not `{PROTOCOL}` or `{FIRST_PROTOCOL}` in its form")]
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
    /// The table, the number, the book or the places of cutting card and cut cannot be.
    #[error("what the commitment binds cannot be so: {0}")]
    Binds(&'static str),
    /// The list of promises cannot be so.
    #[error("the list of promises: {0}")]
    Promises(&'static str),
    /// The list of promises was not signed by the house.
    #[error("the list of promises is not the one that the house signed")]
    OtherList,
    /// A word is not the one that was promised.
    #[error("the {1} word of {0} is not the one that was promised")]
    OtherWord(String, &'static str),
    /// A second word of somebody who did not open the first.
    #[error("{0} opened a second word without the first")]
    OnlySecond(String),
    /// A cut that chance did not make, or that is out of bounds.
    #[error("the shoe is cut at {0}; {1}")]
    OtherCut(u32, String),
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
    /// How many people other than the house took part in making the order; nothing for a shoe of
    /// the first procedure, which is weaker.
    pub witnesses: Option<usize>,
    /// How many words were promised and not opened.
    pub silent: usize,
}

/// Checks everything that was published about a shoe.
///
/// # Errors
///
/// With every inconsistency.
pub fn verify(record: &ShoeRecord) -> Result<Verified, Vec<Fault>> {
    let mut faults = Vec::new();
    let named = match record.way {
        Way::First { .. } => FIRST_PROTOCOL,
        Way::Second(_) => PROTOCOL,
    };
    if record.protocol != named {
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
    match &record.way {
        Way::First { nonces } => {
            let bad = |nonce: &Nonce| nonce.0.is_empty() || nonce.0.len() > 64;
            if nonces.len() > crate::MOST_NONCES || nonces.iter().any(bad) {
                faults.push(BadShoe::Nonces.into());
            }
        }
        Way::Second(way) => check_way(record, way, total, &mut faults),
    }
    check_openings(record, total, &mut faults);
    check_secret(record, total, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    let way = record.second();
    Ok(Verified {
        dealt: record.dealt.len(),
        opened: record.openings.len(),
        whole: record.entropy.is_some(),
        witnesses: way.map(SecondWay::witnesses),
        silent: way.map_or(0, |way| way.silent().count()),
    })
}

/// The second procedure: what is bound, who promised, and whether all kept their word.
fn check_way(record: &ShoeRecord, way: &SecondWay, total: u32, faults: &mut Vec<Fault>) {
    if !way.binds.is_sound(total) {
        faults.push(Fault::Binds("number, cutting card or cut do not go with the shoe"));
    }
    check_promises(way, faults);
    if way.firsts.is_some() != record.root.is_some() {
        faults.push(Fault::Untimely("words and root are published together"));
    }
    if way.firsts.is_some() && way.signature.is_none() {
        faults.push(Fault::Untimely("words were opened before the list was closed"));
    }
    if way.cutter.is_some() != record.cut.is_some() {
        faults.push(Fault::Untimely("a cut has somebody who cut"));
    }
    if way.seconds.is_some() != (way.cutter == Some(CutOf::Staff)) {
        faults.push(Fault::Untimely("second words are for a cut by staff, and for no other"));
    }
    let (key, commitment) = (&way.binds.key, &record.commitment);
    let signed = |signature| is_list_signed(key, commitment, &way.promises, signature);
    if way.signature.as_ref().is_some_and(|signature| !signed(signature)) {
        faults.push(Fault::OtherList);
    }
    let both = [(&way.firsts, Which::First, "first"), (&way.seconds, Which::Second, "second")];
    for (words, which, name) in both {
        let Some(words) = words else { continue };
        if words.len() != way.promises.len() {
            faults.push(Fault::Promises("there is not one word for each"));
        }
        for (promise, word) in way.promises.iter().zip(words) {
            if word.is_some_and(|word| !promise.is_kept(commitment, which, &word)) {
                faults.push(Fault::OtherWord(promise.account.clone(), name));
            }
        }
    }
    let both = way.firsts.iter().flatten().zip(way.seconds.iter().flatten());
    for (promise, (first, second)) in way.promises.iter().zip(both) {
        if first.is_none() && second.is_some() {
            faults.push(Fault::OnlySecond(promise.account.clone()));
        }
    }
    check_cut(record, way, total, faults);
}

fn check_promises(way: &SecondWay, faults: &mut Vec<Fault>) {
    if way.promises.len() > MOST_PROMISES {
        faults.push(Fault::Promises("there are more than sixty-four"));
    }
    let mut firsts: Vec<_> = way.promises.iter().map(|promise| promise.first).collect();
    let mut accounts: Vec<_> = way.promises.iter().map(|promise| &promise.account).collect();
    firsts.sort_unstable();
    accounts.sort_unstable();
    let twice = firsts.windows(2).any(|two| two[0] == two[1])
        || accounts.windows(2).any(|two| two[0] == two[1]);
    if twice {
        faults.push(Fault::Promises("somebody is on it twice"));
    }
    if accounts.iter().any(|account| !(1..=MOST_TEXT).contains(&account.len())) {
        faults.push(Fault::Promises("somebody has no name, or one that is too long"));
    }
}

fn check_cut(record: &ShoeRecord, way: &SecondWay, total: u32, faults: &mut Vec<Fault>) {
    let (Some(cut), Some(root)) = (record.cut, record.root) else { return };
    let least = way.binds.least;
    match (way.cutter, &way.seconds) {
        (Some(CutOf::Player), _) => {
            let most = total.saturating_sub(least);
            if !(least..=most).contains(&cut) {
                let why = alloc::format!("allowed: {least} to {most}");
                faults.push(Fault::OtherCut(cut, why));
            }
        }
        (Some(CutOf::Staff), Some(seconds)) => {
            let both = (&record.commitment, &root);
            let due = cut_by_chance(both, &way.promises, seconds, (total, least));
            if due != Ok(cut) {
                let due = due.map_or("none".into(), |due| alloc::format!("{due}"));
                faults.push(Fault::OtherCut(cut, alloc::format!("chance makes it {due}")));
            }
        }
        (Some(CutOf::Staff) | None, _) => {}
    }
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

/// The shoe that the published entropy makes.
fn remake(record: &ShoeRecord, secret: Secret) -> Result<Shoe, BadShoe> {
    match &record.way {
        Way::First { nonces } => {
            let nonces = nonces.iter().map(|nonce| nonce.0.clone()).collect();
            Shoe::first(secret, record.decks, nonces)
        }
        Way::Second(way) => {
            let firsts = way.firsts.clone().unwrap_or_default();
            Shoe::new(secret, record.decks, &record.commitment, &way.promises, firsts)
        }
    }
}

fn check_secret(record: &ShoeRecord, total: u32, faults: &mut Vec<Fault>) {
    let Some(entropy) = &record.entropy else { return };
    let committed = match &record.way {
        Way::First { .. } => Digest::of(&[&entropy.0]),
        Way::Second(way) => way.binds.commitment(record.decks, &entropy.0),
    };
    if committed != record.commitment {
        faults.push(Fault::OtherEntropy);
    }
    let Some(secret) = Secret::from_bytes(&entropy.0) else {
        return faults.push(Fault::OtherEntropy);
    };
    let shoe = match remake(record, secret) {
        Ok(shoe) => shoe,
        Err(BadShoe::Exhausted(_)) if record.root.is_none() => return,
        Err(fault) => return faults.push(fault.into()),
    };
    let Remade { cards, salts, root } = remade(&shoe);
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
