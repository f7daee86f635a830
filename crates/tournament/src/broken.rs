//! What must hold before an event is folded. For an event that a decision made it is asserted; a
//! log that fails the check is damaged, and the reader gets an error.

use core::fmt;

use rules::Balance;

use crate::event::{Account, EntrantId, Event, Fact};
use crate::sitting::Sitting;
use crate::state::State;

/// Why an event cannot have happened in a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The time is earlier than that of the previous event.
    Time,
    /// The postings do not sum to zero.
    Unbalanced,
    /// The pool or the commission would be below zero.
    BelowZero(Account),
    /// The tournament does not know the entrant.
    NoEntrant(EntrantId),
    /// A new applicant's number is not the next one.
    NotNext(EntrantId),
    /// The conditions have no such stage.
    NoStage(usize),
    /// There is no such table, or there would be two.
    Table(u32),
    /// One entrant would have two chairs.
    TwoChairs(EntrantId),
    /// Two entrants would have one seat of a table.
    SeatTaken(u32, u32),
    /// The chips at a table are not those that were handed out.
    Chips(u32),
    /// The event cannot have happened at a table.
    At(u32, table::Broken),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time => write!(f, "time runs backwards"),
            Self::Unbalanced => write!(f, "money comes from nowhere or goes nowhere"),
            Self::BelowZero(Account::Pool) => write!(f, "less than nothing is in the pool"),
            Self::BelowZero(Account::Commission | Account::Outside) => {
                write!(f, "the house keeps less than nothing")
            }
            Self::NoEntrant(id) => write!(f, "there is no entrant {}", id.0),
            Self::NotNext(id) => write!(f, "entrant {} is not the next to apply", id.0),
            Self::NoStage(stage) => write!(f, "there is no stage {stage}"),
            Self::Table(number) => write!(f, "table {number} is not there, or twice"),
            Self::TwoChairs(id) => write!(f, "entrant {} has two chairs", id.0),
            Self::SeatTaken(table, seat) => write!(f, "two sit at table {table} seat {seat}"),
            Self::Chips(table) => write!(f, "the chips of table {table} are not those handed out"),
            Self::At(table, broken) => write!(f, "table {table}: {broken}"),
        }
    }
}

impl core::error::Error for Broken {}

impl State {
    /// Whether an event can have happened in this tournament. It judges nothing: it checks only
    /// what must hold under every book.
    ///
    /// # Errors
    ///
    /// When the event cannot have happened.
    pub fn check(&self, event: &Event) -> Result<(), Broken> {
        if event.at < self.now {
            return Err(Broken::Time);
        }
        if !event.postings.is_empty() {
            self.check_postings(event)?;
        }
        if let Fact::Applied { entrant, .. } = event.fact {
            let next = usize::from(entrant.0) == self.entrants.len();
            return if next { Ok(()) } else { Err(Broken::NotNext(entrant)) };
        }
        let known = |id: &EntrantId| usize::from(id.0) < self.entrants.len();
        let (some, many) = event.fact.entrants();
        let ranked: &[_] = if let Fact::PlayEnded { ranking, .. }
        | Fact::RunnersUp { ranking, .. } = &event.fact
        {
            ranking
        } else {
            &[]
        };
        let mut named = some.iter().flatten().chain(many).chain(ranked.iter().flatten());
        if let Some(id) = named.find(|id| !known(id)) {
            return Err(Broken::NoEntrant(*id));
        }
        self.check_place(&event.fact)
    }

    /// Whether an event at a table can have happened there. For a decision, the table itself
    /// asserts it.
    ///
    /// # Errors
    ///
    /// When the event cannot have happened.
    pub(crate) fn check_table(&self, fact: &Fact) -> Result<(), Broken> {
        let Fact::AtTable { table, event } = fact else { return Ok(()) };
        let last = self.sittings().filter(|sitting| sitting.number == *table).last();
        let sitting = self.sitting(*table).or(last).ok_or(Broken::Table(*table))?;
        sitting.table.check(event).map_err(|broken| Broken::At(*table, broken))
    }

    /// Checks that the postings sum to zero, and that pool and commission do not fall below zero.
    fn check_postings(&self, event: &Event) -> Result<(), Broken> {
        let moved = |account: Account| -> Balance {
            let legs = event.postings.iter().filter(|leg| leg.account == account);
            legs.map(|leg| leg.cents).sum()
        };
        let (pool, kept) = (moved(Account::Pool), moved(Account::Commission));
        if moved(Account::Outside) + pool + kept != Balance::ZERO {
            return Err(Broken::Unbalanced);
        }
        let below = |before: Balance, moved: Balance| (before + moved).is_negative();
        if below(self.pool, pool) {
            return Err(Broken::BelowZero(Account::Pool));
        }
        let commission = below(self.commission, kept);
        if commission { Err(Broken::BelowZero(Account::Commission)) } else { Ok(()) }
    }

    /// Checks that no table and no person at a table exists twice, and that chips are those handed
    /// out.
    fn check_place(&self, fact: &Fact) -> Result<(), Broken> {
        if let Fact::ChairTaken { table, seat, entrant, .. } = fact {
            self.check_no_chair(*entrant)?;
            let sitting = self.sitting(*table).ok_or(Broken::Table(*table))?;
            let taken = sitting.chairs.iter().any(|chair| chair.seat == *seat);
            return if taken { Err(Broken::SeatTaken(*table, *seat)) } else { Ok(()) };
        }
        if let Fact::Allotted { entrant, table, seat, .. } = fact {
            let same = |table: &u32, seat: &u32| {
                let mut others = self.allotments.iter().filter(|a| a.entrant != *entrant);
                others.any(|a| a.table == *table && a.seat == *seat)
            };
            let taken = same(table, seat);
            return if taken { Err(Broken::SeatTaken(*table, *seat)) } else { Ok(()) };
        }
        if let Fact::SeatTakenOver { to, .. } = fact {
            return self.check_no_chair(*to);
        }
        if let Fact::TableOpened(number) = fact {
            let twice = self.sitting(*number).is_some();
            return if twice { Err(Broken::Table(*number)) } else { Ok(()) };
        }
        if let Fact::AtTable { table, .. } | Fact::SessionReopened(table) = fact {
            let there = self.sittings().any(|sitting| sitting.number == *table);
            return if there { Ok(()) } else { Err(Broken::Table(*table)) };
        }
        if let Fact::PlayEnded { table, .. } | Fact::TableFinished(table) = fact {
            let sitting = self.sitting(*table).ok_or(Broken::Table(*table))?;
            return if has_its_chips(sitting) { Ok(()) } else { Err(Broken::Chips(*table)) };
        }
        if let Fact::StageOpened { stage, .. } | Fact::SessionStarted { stage, .. } = fact {
            let there = *stage < self.stages.len();
            return if there { Ok(()) } else { Err(Broken::NoStage(*stage)) };
        }
        Ok(())
    }

    /// An entrant plays at one table at most.
    fn check_no_chair(&self, id: EntrantId) -> Result<(), Broken> {
        if self.sitting_of(id).is_some() { Err(Broken::TwoChairs(id)) } else { Ok(()) }
    }
}

/// Whether the chips that players hold, the wagers, and what the bank won or lost add up to the
/// chips handed out. Nobody holds less than zero.
fn has_its_chips(sitting: &Sitting) -> bool {
    let none_owes = sitting.chairs.iter().all(|chair| !sitting.stack(chair).is_negative());
    sitting.table.sum() == Balance::ZERO && none_owes
}

impl Fact {
    /// The entrant whom the fact is about; where it names two, the one whose seat or form it is.
    #[must_use]
    pub fn entrant(&self) -> Option<EntrantId> {
        if let Self::Applied { entrant, .. } = self {
            return Some(*entrant);
        }
        if let Self::CorrectionAsked(of) | Self::Corrected(of) = self {
            return of.what.entrant();
        }
        self.entrants().0[0]
    }

    /// The entrants whom the fact names: one or two separate ones, and a list.
    #[expect(clippy::too_many_lines, reason = "one pattern for each fact")]
    fn entrants(&self) -> ([Option<EntrantId>; 2], &[EntrantId]) {
        match self {
            Self::Agreed(id)
            | Self::Entered { entrant: id, .. }
            | Self::Reserved(id)
            | Self::EntryRefused(id, _)
            | Self::Withdrawn(id)
            | Self::Refunded(id, _)
            | Self::FeeForfeited(id)
            | Self::FeeNotRefunded(id)
            | Self::Disqualified(id, _)
            | Self::Nominated(id, _)
            | Self::Substituted(id, _)
            | Self::BallotAdded(id, _)
            | Self::Allotted { entrant: id, .. }
            | Self::Seated(id)
            | Self::ChairTaken { entrant: id, .. }
            | Self::Forfeited(id)
            | Self::MayEnterSecondary(id)
            | Self::Directed(id)
            | Self::OutOfOrder { entrant: id, .. }
            | Self::ToppedUp { entrant: id, .. }
            | Self::OverMaximum(id)
            | Self::HeldToMinimum(id)
            | Self::TimeWaived(id)
            | Self::MissedCoup(id)
            | Self::OutOfOrderVoided(id)
            | Self::WrongPlayer(id)
            | Self::WentAway(id)
            | Self::CameBack(id)
            | Self::Eliminated { entrant: id, .. }
            | Self::PlaceVoid(id)
            | Self::ChipsLeft(id)
            | Self::FormHandedIn { entrant: id, .. }
            | Self::FormExamined(id)
            | Self::FormReturned(id)
            | Self::FormOpened { entrant: id, .. }
            | Self::FormSpoiled(id)
            | Self::FormVoid(id)
            | Self::Advanced { entrant: id, .. }
            | Self::StoodDown { entrant: id, .. }
            | Self::InAgain { entrant: id, .. }
            | Self::BuyBackUndone { entrant: id, .. }
            | Self::PointsTakenBack { entrant: id, .. }
            | Self::BoughtBack { entrant: id, .. }
            | Self::Points { entrant: id, .. }
            | Self::Placed { entrant: id, .. }
            | Self::Prize { entrant: id, .. }
            | Self::Goods { entrant: id, .. } => ([Some(*id), None], &[]),
            Self::SeatTakenOver { from, to } => ([Some(*from), Some(*to)], &[]),
            Self::FormShown { of, to } => ([Some(*of), Some(*to)], &[]),
            Self::StageOpened { players, .. }
            | Self::PlayOffDue { players, .. }
            | Self::Shared { players, .. }
            | Self::RunnersUpLevel { players, .. } => ([None; 2], players),
            // A ranking is a list of lists, and is checked separately.
            Self::PlayEnded { .. }
            | Self::RunnersUp { .. }
            | Self::Applied { .. }
            | Self::Opened { .. }
            | Self::Documented { .. }
            | Self::States(_)
            | Self::Prevails
            | Self::Published
            | Self::Notified
            | Self::Approved
            | Self::CommissionApproved
            | Self::DirectorNamed(_)
            | Self::DirectorLeft
            | Self::DirectorBack
            | Self::AgreementRequired
            | Self::ConditionsTold
            | Self::EntriesOpened
            | Self::PoolAdded(_)
            | Self::Cancelled(_)
            | Self::EntriesClosed
            | Self::StartMoved(_)
            | Self::TablesNamed(_)
            | Self::PlayersATable(_)
            | Self::BallotCommitted(_)
            | Self::BallotAbandoned
            | Self::BallotRevealed(_)
            | Self::SessionAllotted(_)
            | Self::SessionStarted { .. }
            | Self::TableOpened(_)
            | Self::Kept(_)
            | Self::AtTable { .. }
            | Self::BreakGiven(_)
            | Self::PlayResumed
            | Self::WagerTimeSet(_)
            | Self::MarkerAt { .. }
            | Self::Asked { .. }
            | Self::MayAlter(_)
            | Self::DealerTurns { .. }
            | Self::LayForms(_)
            | Self::CoupUndone(_)
            | Self::PlayGoesOn(_)
            | Self::IndicatorIn(_)
            | Self::IndicatorOut(_)
            | Self::LimitsRaised(_)
            | Self::LastCoup(_)
            | Self::EndedEarly(_)
            | Self::PlayOffDrawn { .. }
            | Self::PlayOffStarted { .. }
            | Self::ChipsCollected(_)
            | Self::TableFinished(_)
            | Self::StageEnded(_)
            | Self::SessionReopened(_)
            | Self::HandedOver { .. }
            | Self::DrawnAgain { .. }
            | Self::TimeWaivedForAll(_)
            | Self::WagerTimeLifted
            | Self::TableMoved { .. }
            | Self::CorrectionAsked(_)
            | Self::CorrectionConfirmed { .. }
            | Self::CorrectionDropped(_)
            | Self::Corrected(_)
            | Self::Ended => ([None; 2], &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Leg, Seat};
    use rules::{BookId, Clauses};
    use std::vec;
    use std::vec::Vec;
    use table::{Name, PlayerId};

    const ANN: EntrantId = EntrantId(0);
    const BO: EntrantId = EntrantId(1);

    fn event(fact: Fact, postings: Vec<Leg>) -> Event {
        Event { at: 5, fact, clauses: Clauses::new(), postings }
    }

    fn leg(account: Account, cents: i64) -> Leg {
        Leg { account, cents: Balance::new(cents) }
    }

    /// Two entrants who paid, and a table that is in play.
    fn state() -> State {
        let mut state = State::default();
        let name = |name: &str| Name::from(name).unwrap_or_default();
        let book = BookId::from("act-2018").unwrap_or_default();
        state.evolve(&event(Fact::Opened { book, base: None }, vec![]));
        for (entrant, called) in [(ANN, "Ann"), (BO, "Bo")] {
            state.evolve(&event(Fact::Applied { entrant, name: name(called) }, vec![]));
        }
        state.evolve(&event(Fact::TableOpened(1), vec![]));
        let is = Seat::Taken;
        state.evolve(&event(Fact::ChairTaken { table: 1, seat: 3, entrant: ANN, is }, vec![]));
        state
    }

    #[test]
    fn what_cannot_have_happened_is_told_and_changes_nothing() {
        let (mut state, fee) = (state(), rules::Cents::new(10).unwrap_or(rules::Cents::ZERO));
        let before = state.clone();
        let entered = |entrant| Fact::Entered { entrant, fee };
        let chair =
            |table, seat, entrant| Fact::ChairTaken { table, seat, entrant, is: Seat::Taken };
        let at_table = |table| {
            let by = table::Direction { at: 5, clauses: &[] };
            Fact::AtTable { table, event: by.event(table::Fact::Away(PlayerId(7))) }
        };
        let (pool, kept, outside) = (Account::Pool, Account::Commission, Account::Outside);
        let balanced = vec![leg(outside, -10), leg(pool, 10)];
        for (fact, postings, broken) in [
            (entered(ANN), vec![leg(outside, -10), leg(pool, 9)], Broken::Unbalanced),
            (entered(ANN), vec![leg(outside, 10), leg(pool, -10)], Broken::BelowZero(pool)),
            (entered(ANN), vec![leg(outside, 10), leg(kept, -10)], Broken::BelowZero(kept)),
            (entered(EntrantId(2)), balanced, Broken::NoEntrant(EntrantId(2))),
            (chair(1, 4, ANN), vec![], Broken::TwoChairs(ANN)),
            (chair(1, 3, BO), vec![], Broken::SeatTaken(1, 3)),
            (chair(2, 3, BO), vec![], Broken::Table(2)),
            (Fact::TableOpened(1), vec![], Broken::Table(1)),
            (Fact::SeatTakenOver { from: BO, to: ANN }, vec![], Broken::TwoChairs(ANN)),
            (at_table(1), vec![], Broken::At(1, table::Broken::NoPlayer(PlayerId(7)))),
            (at_table(2), vec![], Broken::Table(2)),
            (Fact::StageOpened { stage: 1, players: vec![ANN] }, vec![], Broken::NoStage(1)),
        ] {
            assert_eq!(state.replay(&event(fact, postings)), Err(broken));
        }
        let early = Event { at: 4, ..event(Fact::Published, vec![]) };
        assert_eq!(state.replay(&early), Err(Broken::Time));
        assert_eq!(state, before);
    }
}
