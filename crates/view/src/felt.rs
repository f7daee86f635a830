//! What lies on the felt: the cards of both hands, the outcome, and what each wager did.

use rulebooks::Book;
use rules::{Card, Clause, Hand, Outcome, Side, Spot, Verdict};
use serde::{Deserialize, Serialize};
use shoe::ShoeRecord;
use table::{NoBetWhy, State, Time};

use crate::Word;
use crate::eyes::{Eyes, called, written};
use crate::hide::names;
use crate::table_view::Seen;
use crate::watch::{Lying, Paid, PastCoup};

/// A clause, and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct WhyView {
    /// The clause.
    #[schemars(with = "String")]
    pub clause: Clause,
    /// What it says, in our words, if the book has an entry for it.
    pub gist: Option<String>,
    /// How we read it, where it can be read in several ways.
    pub reading: Option<String>,
}

/// A card on the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CardView {
    /// The card; nothing while it lies face down.
    #[schemars(with = "Option<String>")]
    pub card: Option<Card>,
    /// The card for the player who holds it face down and has looked at it; others never see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub peeked: Option<Card>,
    /// How many cards left the shoe before it, if the shoe keeps a record.
    pub index: Option<u32>,
    /// Whether its proof leads to the root of the shoe; nothing while there is no proof.
    pub proved: Option<bool>,
}

/// A hand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HandView {
    /// Its cards.
    pub cards: Vec<CardView>,
    /// The total of its open cards, if there are any.
    pub total: Option<u8>,
    /// Whether its first two cards are a pair, once that is judged.
    pub pair: Option<bool>,
    /// The player who has the cards to turn, if somebody has.
    pub passed_to: Option<String>,
}

/// What became of a wager.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PaidView {
    /// The player: the name, or the place.
    pub player: String,
    /// Whether it is the player who looks.
    pub mine: bool,
    /// The spot.
    #[schemars(with = "String")]
    pub spot: Spot,
    /// The place.
    pub place: u32,
    /// The stake at risk.
    pub stake_cents: u64,
    /// How it ended: `won`, `lost` or `kept`.
    pub verdict: Word,
    /// What the player won on top of the stake.
    pub won_cents: u64,
    /// What the player lost.
    pub lost_cents: u64,
    /// The commission that was withheld.
    pub commission_cents: u64,
    /// Whether the wager lies on the layout for the next coup.
    pub lies: bool,
    /// The clauses of the outcome.
    #[schemars(with = "Vec<String>")]
    pub outcome_clauses: Vec<Clause>,
    /// The clauses of the price.
    #[schemars(with = "Vec<String>")]
    pub price_clauses: Vec<Clause>,
    /// What all these clauses say.
    pub why: Vec<WhyView>,
}

/// A coup that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CoupView {
    /// Its number.
    pub number: u32,
    /// When it was over, in microseconds.
    pub at: Time,
    /// Player's cards; nothing for a card that was never turned.
    #[schemars(with = "Vec<Option<String>>")]
    pub player: Vec<Option<Card>>,
    /// Banker's cards; nothing for a card that was never turned.
    #[schemars(with = "Vec<Option<String>>")]
    pub banker: Vec<Option<Card>>,
    /// Player's total, if it was announced.
    pub player_total: Option<u8>,
    /// Banker's total, if it was announced.
    pub banker_total: Option<u8>,
    /// The outcome: `player`, `banker` or `tie`; nothing if the coup is void.
    pub outcome: Option<Word>,
    /// Whether the coup is void.
    pub void: bool,
}

/// What lies on the felt: of the current coup, or of the last one until the next begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FeltView {
    /// The number of the coup; 0 before the first.
    pub coup: u32,
    /// When it began, in microseconds.
    pub began: Time,
    /// Whether the coup is over.
    pub over: bool,
    /// Why it is without wagers, if it is: `asked`, `nobody_there`, `seen_card` or `all_off`.
    pub no_bet: Option<Word>,
    /// Whether it is the last of the shoe.
    pub last: bool,
    /// Player's hand.
    pub player: HandView,
    /// Banker's hand.
    pub banker: HandView,
    /// Whether there is a natural.
    pub natural: bool,
    /// The outcome: `player`, `banker` or `tie`; nothing if there is none yet, or the coup is void.
    pub outcome: Option<Word>,
    /// Why the coup is void, if it is.
    pub void: Option<String>,
    /// What each wager did.
    pub paid: Vec<PaidView>,
}

/// The word for an outcome.
pub(crate) fn outcome_word(outcome: Outcome) -> Word {
    Word::Borrowed(match outcome {
        Outcome::Won(Side::Player) => "player",
        Outcome::Won(Side::Banker) => "banker",
        Outcome::Tie => "tie",
    })
}

/// The word for why a coup is without wagers.
pub(crate) fn no_bet_word(why: NoBetWhy) -> Word {
    Word::Borrowed(match why {
        NoBetWhy::Asked => "asked",
        NoBetWhy::NobodyThere => "nobody_there",
        NoBetWhy::SeenCard => "seen_card",
        NoBetWhy::AllOff => "all_off",
    })
}

/// What clauses say.
pub(crate) fn why(book: &Book, clauses: &[Clause]) -> Vec<WhyView> {
    let each = clauses.iter().flat_map(|clause| clause.each());
    let view = |clause: Clause| {
        let entry = book.clause(&clause);
        let gist = entry.map(|entry| entry.gist.clone());
        let reading = entry.and_then(|entry| entry.reading.clone());
        WhyView { clause, gist, reading }
    };
    each.map(view).collect()
}

/// The cards of one side.
fn side_of(cards: &[Lying], side: Side) -> Vec<Option<Card>> {
    cards.iter().filter(|lying| lying.side == side).map(|lying| lying.card).collect()
}

/// A coup that is over.
pub(crate) fn coup_view(coup: &PastCoup) -> CoupView {
    CoupView {
        number: coup.number,
        at: coup.at,
        player: side_of(&coup.cards, Side::Player),
        banker: side_of(&coup.cards, Side::Banker),
        player_total: coup.totals.map(|(player, _)| player),
        banker_total: coup.totals.map(|(_, banker)| banker),
        outcome: coup.outcome.map(outcome_word),
        void: coup.void,
    }
}

/// What became of a wager.
pub(crate) fn paid_view(eyes: &Eyes, table: &State, book: &Book, paid: &Paid) -> PaidView {
    let (verdict, won, lost, commission) = match paid.verdict {
        Verdict::Won(won) => ("won", won.net.get(), 0, won.commission.get()),
        Verdict::Lost => ("lost", 0, paid.stake.get(), 0),
        Verdict::Kept => ("kept", 0, 0, 0),
    };
    let player = called(eyes, table, paid.player);
    PaidView {
        mine: eyes.is(&table.player(paid.player).name),
        player,
        spot: paid.spot,
        place: paid.place,
        stake_cents: paid.stake.get(),
        verdict: verdict.into(),
        won_cents: won,
        lost_cents: lost,
        commission_cents: commission,
        lies: paid.lies,
        outcome_clauses: paid.clauses.first().copied().into_iter().collect(),
        price_clauses: paid.clauses.iter().skip(1).copied().collect(),
        why: why(book, &paid.clauses),
    }
}

/// The index in the shoe and the proof of each card of a coup, in the order in which they left it.
fn proofs(
    record: Option<&ShoeRecord>,
    coup: u32,
    cards: usize,
) -> Vec<(Option<u32>, Option<bool>)> {
    let Some(record) = record else { return vec![(None, None); cards] };
    let begins = format!("coup {coup}:");
    let of_coup = record.dealt.iter().zip(0_u32..).filter(|(what, _)| what.starts_with(&begins));
    let proof = |index: u32| {
        let opening = record.openings.iter().rev().find(|opening| opening.index == index);
        opening.map(|opening| record.proves(opening))
    };
    let mut all: Vec<_> = of_coup.map(|(_, index)| (Some(index), proof(index))).collect();
    all.resize(cards, (None, None));
    all
}

/// What lies on the felt.
pub(crate) fn felt_view(eyes: &Eyes, seen: &Seen<'_>) -> FeltView {
    let (watch, table) = (seen.watch, seen.table);
    let proofs = proofs(seen.shoe, watch.coup, watch.cards.len());
    let hand = |side: Side| hand_view(eyes, seen, side, &proofs);
    FeltView {
        coup: watch.coup,
        began: watch.began,
        over: watch.over,
        no_bet: watch.no_bet.map(no_bet_word),
        last: watch.last,
        player: hand(Side::Player),
        banker: hand(Side::Banker),
        natural: watch.natural,
        outcome: watch.outcome.map(outcome_word),
        void: watch.void.as_ref().map(|why| written(eyes, why, names(table))),
        paid: watch.paid.iter().map(|paid| paid_view(eyes, table, seen.book, paid)).collect(),
    }
}

fn hand_view(
    eyes: &Eyes,
    seen: &Seen<'_>,
    side: Side,
    proofs: &[(Option<u32>, Option<bool>)],
) -> HandView {
    let (watch, table) = (seen.watch, seen.table);
    let coup = table.coup().filter(|coup| coup.number == watch.coup);
    let holder = coup.and_then(|coup| coup.passed[side as usize]);
    // The caller judged who may look; that the hand is this player's is checked here again.
    let holds = holder.is_some_and(|id| eyes.is(&table.player(id).name));
    let peeked = seen.peeked.iter().filter(|(of, _)| holds && *of == side);
    let mut peeked = peeked.flat_map(|(_, cards)| cards.iter().copied());
    let mut cards = Vec::new();
    for (lying, (index, proved)) in watch.cards.iter().zip(proofs) {
        if lying.side == side {
            let peeked = if lying.card.is_none() { peeked.next() } else { None };
            let (card, index, proved) = (lying.card, *index, *proved);
            cards.push(CardView { card, peeked, index, proved });
        }
    }
    let open: Vec<Card> = cards.iter().filter_map(|card| card.card).take(3).collect();
    let total = Hand::of(&open).total(&seen.book.rulebook.cards).value;
    let pair = watch.pairs.map(|(player, banker)| match side {
        Side::Player => player,
        Side::Banker => banker,
    });
    HandView {
        cards,
        total: (!open.is_empty()).then_some(total),
        pair,
        passed_to: holder.map(|id| called(eyes, table, id)),
    }
}
