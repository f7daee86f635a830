//! One event at a table, for these eyes.

use rules::{Card, Clause, Side, Spot};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use table::{Account, Event, Fact, PlayerId, Refusal, State, Time};
use transcript::tell_as;

use crate::eyes::{Eyes, called};
use crate::hide::hide;
use crate::watch::{Weight, weight};
use crate::{FORM, Word};

/// Chips that an event moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PostingView {
    /// The account: `outside`, `float`, `layout`, `commission`, `stack` or `receivable`; for money
    /// of a tournament `outside`, `pool` or `commission`.
    pub account: Word,
    /// The player whose account it is, if it is a player's: the name, or the place.
    pub player: Option<String>,
    /// What the account gained; below zero if it lost.
    pub gained_cents: i64,
}

/// An event at a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EventView {
    /// The number of the form.
    pub form: u32,
    /// The version of the stream that the event made; nothing where there is no stream.
    pub version: Option<u64>,
    /// The time, in microseconds.
    pub at: Time,
    /// The kind: the word that the fact begins with.
    pub kind: String,
    /// How much it matters to somebody who plays: `call`, `play` or `detail`.
    pub weight: Weight,
    /// What happened, in words.
    pub what: String,
    /// The player whom it concerns: the name, or the place.
    pub player: Option<String>,
    /// Whether that is the player who looks.
    pub mine: bool,
    /// The spot, if it is about a wager.
    #[schemars(with = "Option<String>")]
    pub spot: Option<Spot>,
    /// The amount, if there is one.
    pub amount_cents: Option<u64>,
    /// The hand, if it is about one: `player` or `banker`.
    pub hand: Option<Word>,
    /// The cards that it shows.
    #[schemars(with = "Vec<String>")]
    pub cards: Vec<Card>,
    /// The clauses that it rests on.
    #[schemars(with = "Vec<String>")]
    pub clauses: Vec<Clause>,
    /// The chips that moved.
    pub postings: Vec<PostingView>,
    /// The fact in the form of the log, without what these eyes may not see.
    pub fact: Value,
}

/// Why something was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RefusalView {
    /// The number of the form.
    pub form: u32,
    /// The stable code.
    pub code: Word,
    /// The clause that it rests on, if one speaks.
    #[schemars(with = "Option<String>")]
    pub clause: Option<Clause>,
    /// Further clauses, where several things are wrong at once.
    #[schemars(with = "Vec<String>")]
    pub also: Vec<Clause>,
    /// What is wrong with what was asked.
    pub what: String,
    /// What would be accepted instead.
    pub instead: String,
}

/// A refusal, for the person who was refused.
#[must_use]
pub fn refusal_view(refusal: &Refusal) -> RefusalView {
    RefusalView {
        form: FORM,
        code: refusal.code.key().into(),
        clause: refusal.clause,
        also: refusal.also.clone(),
        what: refusal.what.clone(),
        instead: refusal.instead.clone(),
    }
}

/// The word that a fact begins with in its stored form.
pub(crate) fn kind(fact: &Value) -> String {
    match fact {
        Value::String(word) => word.clone(),
        Value::Object(fields) => fields.keys().next().cloned().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => String::new(),
    }
}

fn posting(eyes: &Eyes, table: &State, leg: &table::Leg) -> PostingView {
    let (account, player): (_, Option<PlayerId>) = match leg.account {
        Account::Outside => ("outside", None),
        Account::Float => ("float", None),
        Account::Layout => ("layout", None),
        Account::Commission => ("commission", None),
        Account::Stack(id) => ("stack", Some(id)),
        Account::Receivable(id) => ("receivable", Some(id)),
    };
    let player = player.map(|id| called(eyes, table, id));
    let cents = leg.cents;
    PostingView { account: account.into(), player, gained_cents: cents.get() }
}

/// The spot and the amount of a fact about a wager.
#[expect(clippy::wildcard_enum_match_arm, reason = "other facts have neither")]
const fn wager(fact: &Fact) -> (Option<Spot>, Option<u64>) {
    match fact {
        Fact::Placed { spot, amount, .. } | Fact::Returned { spot, amount, .. } => {
            (Some(*spot), Some(amount.get()))
        }
        Fact::Moved { to, amount, .. } => (Some(*to), Some(amount.get())),
        Fact::Settled { spot, stake, .. }
        | Fact::Lies { spot, stake, .. }
        | Fact::Relaid { spot, stake, .. } => (Some(*spot), Some(stake.get())),
        Fact::WagerCorrected { spot, to, .. } => (Some(*spot), Some(to.get())),
        Fact::Arrived { chips, .. } => (None, Some(chips.get())),
        _ => (None, None),
    }
}

/// The hand and the cards of a fact about cards.
#[expect(clippy::wildcard_enum_match_arm, reason = "other facts have none")]
fn cards(Event { fact, at, .. }: &Event, table: &State) -> (Option<Side>, Vec<Card>) {
    let one = |card: &Option<Card>| card.iter().copied().collect();
    match fact {
        Fact::Dealt { side, card, .. } => (Some(*side), one(card)),
        Fact::Turned { index, card } | Fact::CardCorrected { index, card } => {
            // Which hand it lies at is known only while that coup lies there.
            let coup = table.coup().filter(|_| table.now() == *at);
            let side = coup.and_then(|coup| coup.cards.get(usize::from(*index))).map(|c| c.side);
            (side, vec![*card])
        }
        Fact::Burned { shown, .. } => (None, one(shown)),
        Fact::GivenToBanker(card) => (Some(Side::Banker), one(card)),
        Fact::Excess { card } => (None, one(card)),
        Fact::FoundFaceUp(card) => (None, vec![*card]),
        Fact::Passed(side, _)
        | Fact::CardsRefused(side, _)
        | Fact::Stands(side)
        | Fact::ThreeAlready(side)
        | Fact::OutOfSequence(side)
        | Fact::ThirdMoved(side) => (Some(*side), Vec::new()),
        _ => (None, Vec::new()),
    }
}

/// An event as these eyes may see it, with the table after it; nothing if they may see nothing of
/// it.
#[must_use]
pub fn event_view(eyes: &Eyes, after: &State, event: &Event) -> Option<EventView> {
    let event = hide(eyes, after, event)?;
    let fact = serde_json::to_value(&event.fact).ok()?;
    let player = event.fact.player();
    // Also of a visit that is over: who left is told of their own leaving, and later the same.
    let is_mine = |id: PlayerId| {
        after.players().get(usize::from(id.0)).is_some_and(|player| eyes.is(&player.name))
    };
    let (spot, amount_cents) = wager(&event.fact);
    let (hand, cards) = cards(&event, after);
    Some(EventView {
        form: FORM,
        version: None,
        at: event.at,
        kind: kind(&fact),
        weight: weight(&event.fact),
        what: tell_as(&event, after, &|id| called(eyes, after, id)),
        player: player.map(|id| called(eyes, after, id)),
        mine: player.is_some_and(is_mine),
        spot,
        amount_cents,
        hand: hand.map(|side| side.key().into()),
        cards,
        clauses: event.clauses.to_vec(),
        postings: event.postings.iter().map(|leg| posting(eyes, after, leg)).collect(),
        fact,
    })
}
