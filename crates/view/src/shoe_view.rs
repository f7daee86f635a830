//! What everybody may know of the shoe.

use rules::Clause;
use serde::{Deserialize, Serialize};
use shoe::{Digest, ShoeRecord};
use table::Table;

/// The shoe: how far it is, and what was published of it.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ShoeView {
    /// The number of the shoe at this table.
    pub number: u32,
    /// The number of decks.
    pub decks: u32,
    /// How many cards are left in it, if that is known.
    pub cards_left: Option<u32>,
    /// Whether the cutting card is out.
    pub cutting_card_out: bool,
    /// How many more coups may be dealt, if that is limited.
    pub coups_left: Option<u32>,
    /// Whether the coming or current coup is the last of the shoe.
    pub last: bool,
    /// Whether a shuffle comes before the next coup.
    pub shuffle_due: bool,
    /// The clauses by which cards that have left the shoe wait for the next coup, one for each
    /// card; nothing where the book has no rule.
    #[schemars(with = "Vec<Option<String>>")]
    pub waiting: Vec<Option<Clause>>,
    /// The procedure by which the order is made; nothing for real cards.
    pub protocol: Option<String>,
    /// The house's commitment.
    #[schemars(with = "Option<String>")]
    pub commitment: Option<Digest>,
    /// The root, which binds the order.
    #[schemars(with = "Option<String>")]
    pub root: Option<Digest>,
    /// The number of cards that the book wants on either side of a cut.
    pub cut_least: u32,
    /// How deep it was cut.
    pub cut: Option<u32>,
    /// How many promised words for this shoe.
    pub promises: usize,
    /// How many of them opened their words; nothing before they were due.
    pub witnesses: Option<usize>,
    /// Whether the person who looks took part.
    pub took_part: bool,
    /// How many cards have left it.
    pub dealt: Option<usize>,
    /// Whether its secret is published.
    pub revealed: bool,
}

/// The shoe, for a reader. `account` is the account of the person who looks, as promises name it.
#[must_use]
pub fn shoe_view(
    table: &Table,
    record: Option<&ShoeRecord>,
    cards_left: Option<u32>,
    account: Option<&str>,
) -> ShoeView {
    let state = table.shoe();
    let way = record.and_then(ShoeRecord::second);
    let promises = way.map_or(&[][..], |way| &way.promises[..]);
    ShoeView {
        number: state.number,
        decks: table.options().decks,
        cards_left,
        cutting_card_out: state.cutting_card.is_some(),
        coups_left: state.coups_left,
        last: table.is_last_coup(),
        shuffle_due: table.is_shuffle_due(),
        waiting: table.waiting().iter().map(|waiting| waiting.by).collect(),
        protocol: record.map(|record| record.protocol.clone()),
        commitment: record.map(|record| record.commitment),
        root: record.and_then(|record| record.root),
        cut_least: table.book().cut.depth.value.get(),
        cut: record.and_then(|record| record.cut),
        promises: promises.len(),
        witnesses: way.filter(|way| way.firsts.is_some()).map(::shoe::SecondWay::witnesses),
        took_part: account.is_some_and(|me| promises.iter().any(|one| one.account == me)),
        dealt: record.map(|record| record.dealt.len()),
        revealed: record.is_some_and(|record| record.entropy.is_some()),
    }
}
