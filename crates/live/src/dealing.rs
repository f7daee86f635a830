//! The system as dealer at one table: the next lawful act, with cards from the sealed shoe. It
//! writes nothing: what is to be published goes to whoever runs the table.

mod cards;
mod following;
mod refusing;
mod secret;

use std::sync::Arc;

use rules::book::Turning;
use rules::{Card, Rulebook, Side};
use serde::{Deserialize, Serialize};
use shoe::{Abandoned, Digest, Promise, Secret, Shoe, ShoeFact, ShoeRecord, Which, Words};
use store::{Deals, Setup, With};
use table::{Act, CutBy, Decision, Due, Next, Phase, PlayerId, State, Work};

use crate::fault::LiveError;
use crate::world::World;

/// The table that is dealt at.
#[derive(Clone, Copy)]
pub(crate) struct Felt<'a> {
    pub(crate) state: &'a State,
    pub(crate) book: &'a Rulebook,
}

impl Felt<'_> {
    fn is_empty(&self) -> bool {
        self.state.present().next().is_none()
    }

    /// Whether the shoe is over and the next one is to be prepared.
    fn is_over(&self) -> bool {
        self.state.phase() == Phase::Preparing && !self.state.shoe().shuffled
    }
}

/// What is to be published of a shoe, and what is kept or forgotten with it.
pub(crate) type Publication = (Vec<ShoeFact>, Vec<With>);

/// What the system does next.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
#[derive(Debug)]
pub(crate) enum Move {
    /// An act, with what is published about the shoe besides its cards.
    Act(Act, Vec<ShoeFact>),
    /// The secret of a new shoe is drawn and committed to.
    Commit,
    /// The shoe is over, and its secret published.
    Reveal,
    /// Somebody else is asked.
    Waits(Due),
    /// Nothing is to be done.
    Nothing,
}

/// The shoe that the system deals from, and what was published of it.
#[derive(Debug, Default)]
pub(crate) struct Dealing {
    /// The name of the table that its shoes are bound to.
    pub(crate) table: String,
    /// No other cards come to the table than those of the system's shoes.
    pub(crate) only_its_own: bool,
    /// What is published, and what follows from it.
    pub(crate) known: Known,
    /// The secret of a shoe that is not shuffled yet.
    secret: Option<Secret>,
    shoe: Option<Shoe>,
    /// Promises that came in while the list is open.
    pub(crate) promises: Vec<Promise>,
    /// Words that were opened since the list is closed.
    pub(crate) opened: Vec<(String, Which, Digest)>,
    /// The words of those who take part in this process.
    pub(crate) words: Vec<Words>,
    /// When something was last published of the shoe.
    pub(crate) since: u64,
    /// The shoe is not dealt on, for this reason, as soon as the table can do without it.
    doomed: Option<Abandoned>,
}

/// What everybody may know of a shoe: it is kept with the state of the table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Known {
    /// The number of shoes that the house has committed to.
    number: u32,
    /// The record of the log in which it committed to the last one.
    committed_in: u64,
    /// The number of cards behind the cutting card.
    behind: Option<u32>,
    /// The positions in the shoe of the coup's cards.
    lying: Vec<u32>,
    /// The positions in the shoe of cards that wait for later coups.
    waiting: Vec<u32>,
    /// What was published of the last one, shared with everybody who looks at the table.
    record: Option<Arc<ShoeRecord>>,
    /// Who takes no part until when: they promised words and did not open them.
    pub(crate) barred: Vec<(String, u64)>,
    /// The secret of the shoe is lost, and it is given up.
    #[serde(default)]
    lost: bool,
}

impl Dealing {
    pub(crate) fn of(table: &str, known: Known) -> Self {
        Self { table: table.into(), known, ..Self::default() }
    }

    /// Whether the table is dealt from the system's shoes: where one was dealt from, or none but
    /// they may come.
    pub(crate) const fn is_bound(&self) -> bool {
        self.only_its_own || self.known.number > 0
    }

    /// The same, at a table to which no other cards come.
    pub(crate) fn from_its_own(table: &str, known: Known) -> Self {
        Self { only_its_own: true, ..Self::of(table, known) }
    }

    /// The same, at a table of that set-up: staff who deal from the system's shoe deal from nothing
    /// else.
    pub(crate) fn at_table_of(self, setup: &Setup) -> Self {
        Self { only_its_own: setup.deals == Deals::Staff, ..self }
    }

    /// What is kept with the state of the table.
    pub(crate) fn known(&self) -> Known {
        self.known.clone()
    }

    pub(crate) const fn committed_in(&mut self, version: u64) {
        self.known.committed_in = version;
    }

    /// How the open shoe is made, if by the second procedure.
    pub(crate) fn second(&self) -> Option<&shoe::SecondWay> {
        self.open_record().and_then(ShoeRecord::second)
    }

    /// A shoe that is neither over nor abandoned.
    pub(crate) fn open_record(&self) -> Option<&ShoeRecord> {
        self.published().filter(|record| record.entropy.is_none() && !self.known.lost)
    }
}

impl Dealing {
    /// What the system does next at a table that it deals, or whom the table waits for.
    pub(crate) fn next(&mut self, felt: Felt<'_>, world: &World) -> Result<Move, LiveError> {
        if self.is_gone(felt) && !felt.is_empty() {
            return Ok(Move::Act(Act::ShoeRunsOut, Vec::new()));
        }
        let Some(due) = felt.state.due(felt.book) else { return Ok(Move::Nothing) };
        if felt.is_over() && self.shoe.is_some() {
            return Ok(Move::Reveal);
        }
        let mut facts = Vec::new();
        let act = match due.next {
            Next::Replace => Act::ReplaceCards,
            Next::Check(by) => Act::Dealer(Work::Check(by)),
            Next::Shuffle if self.secret.is_none() => return Ok(Move::Commit),
            Next::Cut(Some(CutBy::Staff(_))) => {
                let (depth, fact) = self.cut_by_chance(felt, world)?;
                facts.extend(fact);
                Act::Supervisor(Decision::Cut(depth))
            }
            Next::PlaceCuttingCard(behind) => {
                let bound = self.second().map(|way| way.binds.behind);
                Act::Dealer(Work::PlaceCuttingCard(bound.unwrap_or(behind)))
            }
            Next::Burn => match self.next_card() {
                Some(card) => Act::Dealer(Work::Burn(card)),
                None => Act::ShoeRunsOut,
            },
            Next::Card(side) => self.card_or_marker(felt, side),
            Next::Turn { side, third, by: None } => turn_or_pass(felt, side, third),
            Next::Players
            | Next::Shuffle
            | Next::Cut(_)
            | Next::Wagers
            | Next::Turn { .. }
            | Next::Inspector
            | Next::Decide(_) => return Ok(Move::Waits(due)),
        };
        Ok(Move::Act(act, facts))
    }

    /// The shoe is given up as soon as no card of it is needed.
    pub(crate) const fn doom(&mut self, why: Abandoned) {
        self.doomed = Some(why);
    }

    /// Why the shoe must not be dealt on, if so.
    pub(crate) const fn doomed(&self) -> Option<Abandoned> {
        self.doomed
    }

    /// Whether there is a shoe, or the secret of one.
    pub(crate) const fn has_shoe(&self) -> bool {
        self.shoe.is_some() || self.secret.is_some()
    }

    /// Whether the table counts on cards of the shoe that were put in order.
    pub(crate) fn is_made(&self, felt: Felt<'_>) -> bool {
        self.open_record().is_some_and(|record| record.root.is_some()) && !felt.is_over()
    }

    /// Whether the table could not go on if the shoe were taken away without a word.
    pub(crate) fn counts_on_it(&self, felt: Felt<'_>) -> bool {
        match felt.state.phase() {
            // Before its cards are in order, the table shuffles others.
            Phase::Preparing => self.is_made(felt),
            Phase::Betting | Phase::Called | Phase::Dealing => true,
            Phase::Unopened | Phase::Closed => false,
        }
    }

    /// Whether the table counts on a shoe whose secret is out: it was abandoned, and its cards are
    /// known to all.
    pub(crate) fn is_gone(&self, felt: Felt<'_>) -> bool {
        let out =
            self.known.lost || self.known.record.as_ref().is_some_and(|r| r.entropy.is_some());
        let counts_on_it =
            matches!(felt.state.phase(), Phase::Betting | Phase::Called | Phase::Dealing);
        !self.has_shoe() && out && counts_on_it
    }

    /// What was published of the current shoe.
    pub(crate) fn published(&self) -> Option<&ShoeRecord> {
        self.known.record.as_deref()
    }

    /// The same, to be kept: a copy for everybody who looks would be hundreds of cards' proofs.
    pub(crate) fn shared(&self) -> Option<Arc<ShoeRecord>> {
        self.known.record.clone()
    }

    /// The number of cards left in the system's shoe.
    pub(crate) fn cards_left(&self) -> Option<u32> {
        self.shoe.as_ref().map(Shoe::left)
    }

    /// The number of the shoe, from 1; 0 before the first.
    pub(crate) const fn shoe_number(&self) -> u32 {
        self.known.number
    }

    /// Cards that lie face down, for the player who was given them, and for nobody else.
    pub(crate) fn peek(&self, state: &State, player: PlayerId, side: Side) -> Option<Vec<Card>> {
        let (coup, shoe) = (state.coup()?, self.shoe.as_ref()?);
        // An exclusion takes the cards away; a player who went has them no more either.
        let there = state.present().any(|(id, _)| id == player);
        if coup.passed[side as usize] != Some(player) || coup.suspended.is_some() || !there {
            return None;
        }
        let hidden = coup.cards.iter().zip(&self.known.lying);
        let hidden = hidden.filter(|(card, _)| card.side == side && !card.shown);
        hidden.map(|(_, index)| shoe.open(*index).map(|opening| opening.card)).collect()
    }

    /// The card that would leave the shoe next, if it would be shown at once.
    fn next_card(&mut self) -> Option<Card> {
        let shoe = self.shoe.as_mut()?;
        let index = shoe.take()?;
        let opening = shoe.open(index);
        shoe.put_back();
        opening.map(|opening| opening.card)
    }

    /// The next card to a hand; or the cutting card, if that comes first.
    fn card_or_marker(&self, felt: Felt<'_>, side: Side) -> Act {
        let (left, behind) = (self.cards_left(), self.known.behind);
        let waits = !felt.state.waiting().is_empty();
        let first = felt.state.coup().is_none_or(|coup| coup.cards.is_empty());
        let from_shoe = !(waits && first);
        if from_shoe && left <= behind && felt.state.shoe().cutting_card.is_none() {
            return Act::CuttingCardAppears;
        }
        if from_shoe && left == Some(0) {
            return Act::ShoeRunsOut;
        }
        Act::Dealer(Work::Draw { card: None, to: side, face_down: false })
    }
}

/// Cards that a player may turn are passed to the highest wager; others the dealer turns.
fn turn_or_pass(felt: Felt<'_>, side: Side, third: bool) -> Act {
    let may = match felt.book.deal.turned_by.value {
        Turning::DealerOrBettor | Turning::AsDetermined => true,
        Turning::Dealer | Turning::HighestWager => false,
    };
    if let (true, false, Some(player)) = (may, third, felt.state.highest_wager(felt.book, side)) {
        return Act::Dealer(Work::Pass(side, felt.state.player(player).name));
    }
    Act::Dealer(if third { Work::TurnThird(side, None) } else { Work::Turn(side, None) })
}
