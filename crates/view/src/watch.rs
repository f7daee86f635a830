//! Follows the events of a table, and keeps what a screen shows of a round, also when it is over.

use std::collections::VecDeque;
use std::sync::Arc;

use rules::{Card, Cents, Clauses, Outcome, Side, Spot, Verdict};
use serde::{Deserialize, Serialize};
use table::{Event, Fact, Name, NoBetWhy, PlayerId, SignLine, State, Time};
use transcript::tell_as;

use crate::eyes::{Eyes, called};
use crate::hide::hide;

/// The most rulings that are kept.
const RULINGS: usize = 50;
/// The most calls of the dealer that are kept.
const CALLS: usize = 10;
/// The most past coups that are kept.
const COUPS: usize = 20;
/// The most settled wagers of a coup that are kept.
const PAID: usize = 512;
/// The most letters of a reason that are kept.
const LETTERS: usize = 400;

/// A card on the table, also when its coup is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lying {
    /// The hand that has it.
    pub side: Side,
    /// The card; nothing while it lies face down.
    pub card: Option<Card>,
}

/// What became of a wager.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// The player.
    pub player: PlayerId,
    /// The spot.
    pub spot: Spot,
    /// The place.
    pub place: u32,
    /// The stake at risk.
    pub stake: Cents,
    /// The outcome.
    pub verdict: Verdict,
    /// Whether the wager lies on the layout for the next coup.
    pub lies: bool,
    /// The clauses: first that of the outcome, then those of the price.
    pub clauses: Clauses,
}

/// A call of the dealer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The time.
    pub at: Time,
    /// The words.
    pub words: Arc<str>,
}

/// What other eyes read of a ruling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Words {
    /// The same.
    Same,
    /// Other words.
    Other(String),
    /// Nothing.
    Hidden,
}

/// Something that was ruled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// The time.
    pub at: Time,
    /// The player whom it concerns, if there is one.
    pub player: Option<PlayerId>,
    /// The name of that player.
    pub name: Option<Name>,
    /// What happened, for staff and for that player.
    pub what: String,
    /// The same for other players.
    pub for_players: Words,
    /// The same for spectators.
    pub for_spectators: Words,
    /// The clauses.
    pub clauses: Clauses,
}

/// A coup that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastCoup {
    /// Its number.
    pub number: u32,
    /// When it was over.
    pub at: Time,
    /// Its cards in the order in which they left the shoe.
    pub cards: Vec<Lying>,
    /// Player's and Banker's totals, if they were announced.
    pub totals: Option<(u8, u8)>,
    /// The outcome.
    pub outcome: Option<Outcome>,
    /// Whether it is void.
    pub void: bool,
}

/// How much a fact matters to somebody who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// A call of the dealer.
    Call,
    /// A card, a total, a result, money.
    Play,
    /// The preparation of the shoe, and what the book has recorded.
    Detail,
}

/// What a screen shows of the current round, or of the last one until the next begins. Its size is
/// bounded, and no card that lies face down is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// The coup whose cards lie on the table; 0 before the first.
    pub coup: u32,
    /// When it began.
    pub began: Time,
    /// Why it is without wagers, if it is.
    pub no_bet: Option<NoBetWhy>,
    /// Whether it is the last of the shoe.
    pub last: bool,
    /// Its cards in the order in which they left the shoe.
    pub cards: Vec<Lying>,
    /// Player's and Banker's totals, once they are announced.
    pub totals: Option<(u8, u8)>,
    /// Whether Player's and Banker's first two cards are a pair, once that is judged.
    pub pairs: Option<(bool, bool)>,
    /// Whether there is a natural.
    pub natural: bool,
    /// The outcome.
    pub outcome: Option<Outcome>,
    /// Why the coup is void, if it is.
    pub void: Option<String>,
    /// Whether the coup is over.
    pub over: bool,
    /// What became of each wager.
    pub paid: Vec<Paid>,
    /// The last calls of the dealer.
    pub calls: VecDeque<Call>,
    /// The last rulings.
    pub rulings: VecDeque<Ruling>,
    /// The last coups.
    pub coups: VecDeque<PastCoup>,
}

fn keep<T>(list: &mut VecDeque<T>, most: usize, one: T) {
    while list.len() >= most {
        list.pop_front();
    }
    list.push_back(one);
}

fn shortened(text: &str) -> String {
    text.chars().take(LETTERS).collect()
}

impl Watch {
    /// Follows one event. `after` is the table after the event, or after the whole act that the
    /// event belongs to.
    pub fn note(&mut self, after: &State, event: &Event) {
        self.follow(event);
        // Cards of a coup in play lie as the table has them, also when staff moved them.
        if let Some(coup) = after.coup().filter(|coup| coup.number == self.coup && !self.over) {
            let lying = |card: &table::CoupCard| Lying {
                side: card.side,
                card: card.card.filter(|_| card.shown),
            };
            self.cards = coup.cards.iter().map(lying).collect();
        }
        match weight(&event.fact) {
            Weight::Call => {
                if let Fact::Called(words) = &event.fact {
                    keep(&mut self.calls, CALLS, Call { at: event.at, words: words.clone() });
                }
            }
            Weight::Play => keep(&mut self.rulings, RULINGS, ruling(after, event)),
            Weight::Detail => {}
        }
    }

    fn begin(&mut self, number: u32) {
        let Self { calls, rulings, coups, .. } = std::mem::take(self);
        *self = Self { coup: number, calls, rulings, coups, ..Self::default() };
    }

    /// Clears the felt before the first coup of a shoe. The number of the coup stays.
    fn clear(&mut self) {
        let number = self.coup;
        self.begin(number);
        self.over = true;
    }

    /// Changes what lies on the table as the event says; the fold of a table does the same.
    #[expect(clippy::too_many_lines, reason = "one pattern for each fact")]
    fn follow(&mut self, event: &Event) {
        match &event.fact {
            Fact::Opened(_) => *self = Self::default(),
            Fact::CoupBegan { number, no_bet, last } => {
                self.begin(*number);
                (self.began, self.no_bet, self.last) = (event.at, *no_bet, *last);
            }
            Fact::NoBetDirected(why @ NoBetWhy::AllOff) if !self.over => self.no_bet = Some(*why),
            Fact::Dealt { side, card, shown } => {
                self.cards.push(Lying { side: *side, card: card.filter(|_| *shown) });
                self.cards.truncate(6);
            }
            Fact::Turned { index, card } | Fact::CardCorrected { index, card } => {
                if let Some(lying) = self.cards.get_mut(usize::from(*index)) {
                    lying.card = Some(*card);
                }
            }
            Fact::Reconstructed => {
                for (i, card) in self.cards.iter_mut().enumerate().take(4) {
                    card.side = Side::BOTH[i % 2];
                }
            }
            Fact::ThirdMoved(side) => {
                if let Some(card) = self.cards.get_mut(4) {
                    card.side = *side;
                }
            }
            Fact::Rearranged(order) => {
                let old = std::mem::take(&mut self.cards);
                let lies = |(index, side): &(u8, Side)| {
                    let card = old.get(usize::from(*index))?;
                    Some(Lying { side: *side, ..*card })
                };
                self.cards = order.iter().filter_map(lies).collect();
            }
            Fact::Totals { player, banker } => self.totals = Some((*player, *banker)),
            Fact::PairsJudged { player, banker } => self.pairs = Some((*player, *banker)),
            Fact::Natural => self.natural = true,
            Fact::Result(outcome) => self.outcome = Some(*outcome),
            Fact::Settled { player, spot, place, stake, verdict } => {
                let (player, spot, place, stake) = (*player, *spot, *place, *stake);
                let (verdict, lies, clauses) = (*verdict, false, event.clauses.clone());
                self.pay(Paid { player, spot, place, stake, verdict, lies, clauses });
            }
            Fact::Lies { player, spot, place, stake } => {
                let (player, spot, place, stake) = (*player, *spot, *place, *stake);
                let (verdict, lies, clauses) = (Verdict::Kept, true, event.clauses.clone());
                self.pay(Paid { player, spot, place, stake, verdict, lies, clauses });
            }
            Fact::Reopened { number } => self.reopen(*number),
            Fact::Reversed { player, number } if *number == self.coup => {
                self.paid.retain(|paid| paid.player != *player);
            }
            Fact::CoupEnded { number, outcome, .. } => self.end(*number, *outcome, event.at),
            Fact::Voided { number, why } => self.make_void(*number, why),
            Fact::ShoeReady => self.clear(),
            Fact::SeatCorrected { .. }
            | Fact::NoBetDirected(_)
            | Fact::Reversed { .. }
            | Fact::Kept(_)
            | Fact::Ticked
            | Fact::Posted(_)
            | Fact::Sign(_)
            | Fact::NoticeGiven { .. }
            | Fact::TookEffect(_)
            | Fact::Consented
            | Fact::PersonalLimits { .. }
            | Fact::Arrived { .. }
            | Fact::Left(_)
            | Fact::Excluded(..)
            | Fact::SeatRequired(_)
            | Fact::Vacated
            | Fact::RiffleAsked(_)
            | Fact::RiffleApproved
            | Fact::CheckedBy(_)
            | Fact::Prepared(_)
            | Fact::CutOffered(_)
            | Fact::CutDeclined(_)
            | Fact::Cut { .. }
            | Fact::CuttingCardPlaced(_)
            | Fact::Burned { .. }
            | Fact::BurnShort { .. }
            | Fact::BurnedMore(_)
            | Fact::BurnSkipped
            | Fact::Replaced
            | Fact::ShuffleDue
            | Fact::Placed { .. }
            | Fact::Returned { .. }
            | Fact::Moved { .. }
            | Fact::LetStand
            | Fact::ClaimWaived(..)
            | Fact::Advised(..)
            | Fact::BothSidesApproved(_)
            | Fact::NoBetAsked(_)
            | Fact::NoBetAnswered(..)
            | Fact::OptionalCoups(_)
            | Fact::FaceDownAsked(_)
            | Fact::ManagementInformed
            | Fact::SurveillanceInformed
            | Fact::Called(_)
            | Fact::BetsOpened
            | Fact::BetsClosed
            | Fact::Passed(..)
            | Fact::CardsRefused(..)
            | Fact::ThreeAlready(_)
            | Fact::Stands(_)
            | Fact::GivenToBanker(_)
            | Fact::OutOfSequence(_)
            | Fact::Suspended(_)
            | Fact::Resumed
            | Fact::Excess { .. }
            | Fact::ExcessNotUsed(_)
            | Fact::FoundFaceUp(_)
            | Fact::ErrorFound { .. }
            | Fact::Relaid { .. }
            | Fact::CuttingCardOut { .. }
            | Fact::CoupsLeft(_)
            | Fact::OneMoreRound
            | Fact::NoMoreRound
            | Fact::CuttingCardSeen
            | Fact::Disputed(..)
            | Fact::DisputeDecided { .. }
            | Fact::DisputeReviewed { .. }
            | Fact::Decided(_)
            | Fact::Adjusted { .. }
            | Fact::RulesAsked(_)
            | Fact::RulesGiven
            | Fact::InspectorLeft
            | Fact::InspectorBack
            | Fact::Closed
            | Fact::Away(_)
            | Fact::Back(_)
            | Fact::InAgain(_)
            | Fact::OpenedAgain
            | Fact::WagerCorrected { .. } => {}
        }
    }

    fn pay(&mut self, paid: Paid) {
        if self.paid.len() < PAID {
            self.paid.push(paid);
        }
    }

    /// A coup that was over is judged again: its cards lie as they lay, its settlement is gone.
    fn reopen(&mut self, number: u32) {
        let at = self.coups.iter().position(|coup| coup.number == number);
        let old = at.and_then(|at| self.coups.remove(at));
        if self.coup != number || self.cards.is_empty() {
            self.begin(number);
            self.cards = old.map(|coup| coup.cards).unwrap_or_default();
        }
        self.paid.clear();
        (self.totals, self.pairs, self.natural) = (None, None, false);
        (self.outcome, self.void, self.over) = (None, None, false);
    }

    fn end(&mut self, number: u32, outcome: Option<Outcome>, at: Time) {
        self.over = true;
        // A coup that is void has no outcome, whatever was announced.
        self.outcome = outcome;
        let (cards, totals, void) = (self.cards.clone(), self.totals, outcome.is_none());
        keep(&mut self.coups, COUPS, PastCoup { number, at, cards, totals, outcome, void });
    }

    fn make_void(&mut self, number: u32, why: &str) {
        if self.coup == number {
            self.void = Some(shortened(why));
            self.outcome = None;
            self.paid.clear();
        }
        for coup in self.coups.iter_mut().filter(|coup| coup.number == number) {
            (coup.void, coup.outcome) = (true, None);
        }
    }
}

/// A ruling in the words of all who may read it.
fn ruling(table: &State, event: &Event) -> Ruling {
    let player = event.fact.player();
    let told = |eyes: Eyes| {
        let shown = hide(&eyes, table, event)?;
        Some(tell_as(&shown, table, &|id| called(&eyes, table, id)))
    };
    let what = told(Eyes::Auditor).unwrap_or_default();
    let other = |eyes: Eyes| match told(eyes) {
        Some(words) if words == what => Words::Same,
        Some(words) => Words::Other(words),
        None => Words::Hidden,
    };
    // A player without a name is nobody's player, and sees what is for everybody.
    let for_players = other(Eyes::Player(Name::default()));
    let for_spectators = other(Eyes::Spectator);
    let name = player.and_then(|id| table.players().get(usize::from(id.0))).map(|p| p.name);
    let clauses = event.clauses.clone();
    Ruling { at: event.at, player, name, what, for_players, for_spectators, clauses }
}

/// How much a fact matters to somebody who plays.
#[must_use]
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not known to be a detail is shown")]
pub const fn weight(fact: &Fact) -> Weight {
    match fact {
        Fact::Called(_) => Weight::Call,
        Fact::Posted(SignLine::FaceDown(_)) => Weight::Play,
        Fact::Opened(_)
        | Fact::Kept(_)
        | Fact::Ticked
        | Fact::Posted(_)
        | Fact::Sign(_)
        | Fact::CheckedBy(_)
        | Fact::Prepared(_)
        | Fact::ShoeReady
        | Fact::CutOffered(_)
        | Fact::BetsOpened
        | Fact::BetsClosed
        | Fact::PairsJudged { .. }
        | Fact::CoupEnded { .. }
        | Fact::Consented
        | Fact::ManagementInformed
        | Fact::SurveillanceInformed => Weight::Detail,
        _ => Weight::Play,
    }
}
