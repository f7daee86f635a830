//! The fold: how an event changes a tournament. It always succeeds: history is asserted, never
//! refused.
//!
//! Every fact has one arm in [`State::fold`]; the functions that an arm calls are in the file of
//! their subject.

mod again;
mod correcting;
mod entry;
mod forms;
mod places;
mod sitting;
mod unsaid;

use alloc::sync::Arc;

use table::Time;

use crate::broken::Broken;
use crate::event::{Account, EntrantId, Event, Fact, Seat};
use crate::sitting::{Chair, Sitting, Stint};
use crate::state::{Phase, State, Status};

impl State {
    /// Folds one event that a decision made. It needs no book.
    ///
    /// # Panics
    ///
    /// When the event cannot have happened; for a log that may be damaged, there is
    /// [`Self::replay`].
    pub fn evolve(&mut self, event: &Event) {
        if let Err(broken) = self.check(event) {
            panic!("{broken}: {event:?}");
        }
        self.apply(event);
    }

    /// Folds one event of a log.
    ///
    /// # Errors
    ///
    /// When the event cannot have happened: the log is damaged. The tournament is then unchanged.
    pub fn replay(&mut self, event: &Event) -> Result<(), Broken> {
        self.check(event)?;
        self.check_table(&event.fact)?;
        self.apply(event);
        Ok(())
    }

    fn apply(&mut self, event: &Event) {
        self.now = self.now.max(event.at);
        for entry in &event.postings {
            match entry.account {
                Account::Outside => self.outside += entry.cents,
                Account::Pool => self.pool += entry.cents,
                Account::Commission => self.commission += entry.cents,
            }
        }
        self.fold(event);
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each fact")]
    fn fold(&mut self, event: &Event) {
        let (now, limit) = (self.now, self.wager_time);
        match &event.fact {
            // The event as a whole.
            Fact::Opened { .. } => self.phase = Phase::Preparing,
            Fact::Documented { conditions, hash } => self.document(conditions, *hash),
            Fact::Published => self.published = true,
            Fact::Notified => self.notified = true,
            Fact::Approved => (self.approved, self.commission_approved) = (true, true),
            Fact::CommissionApproved => self.commission_approved = true,
            // A director who is named is present.
            Fact::DirectorNamed(name) => {
                (self.director, self.director_away) = (Some(*name), false);
            }
            Fact::HandedOver { to, .. } => {
                (self.director, self.director_away) = (Some(*to), false);
            }
            Fact::DirectorLeft => self.director_away = true,
            Fact::DirectorBack => self.director_away = false,
            Fact::AgreementRequired => self.agreement = true,
            Fact::ConditionsTold => self.told = true,
            Fact::EntriesOpened => self.phase = Phase::Entries,
            Fact::EntriesClosed => self.phase = Phase::Playing,
            Fact::Cancelled(_) => self.phase = Phase::Cancelled,
            Fact::Ended => self.phase = Phase::Ended,

            // Entrants.
            Fact::Applied { name, .. } => self.applies(*name),
            Fact::Agreed(id) => self.who(*id).agreed = true,
            Fact::Entered { entrant, fee } => self.enter(*entrant, *fee, event),
            Fact::Reserved(id) => self.who(*id).status = Status::Reserve,
            Fact::EntryRefused(id, _) => self.who(*id).status = Status::Refused,
            Fact::Withdrawn(id) => self.leaves(*id, Status::Withdrawn),
            Fact::Disqualified(id, _) => self.leaves(*id, Status::Disqualified),
            Fact::Forfeited(id) => self.leaves(*id, Status::Forfeited),
            Fact::Refunded(id, _) => self.refund(*id),
            Fact::Nominated(id, name) => self.who(*id).nominated = Some(*name),
            Fact::Substituted(id, name) => self.substitute(*id, *name),
            Fact::BoughtBack { entrant, fee } => self.buy_back(*entrant, *fee, event),
            Fact::BuyBackUndone { entrant, fee } => self.undo_buy_back(*entrant, *fee, event),
            Fact::Points { entrant, parts, .. } => self.who(*entrant).points += parts,
            Fact::PointsTakenBack { entrant, parts } => self.take_points(*entrant, *parts),
            Fact::Placed { place, entrant } => self.who(*entrant).place = Some(*place),
            Fact::Prize { entrant, amount } => self.who(*entrant).prize = *amount,
            Fact::Goods { entrant, what } => self.who(*entrant).goods.push(what.clone()),

            // Stages and places.
            Fact::StageOpened { stage, players } => self.open_stage(*stage, players),
            Fact::StageEnded(stage) => self.end_stage(*stage),
            Fact::Advanced { stage, entrant } => self.advance(*stage, *entrant),
            Fact::StoodDown { stage, entrant } => self.stand_down(*stage, *entrant),
            Fact::RunnersUp { stage, ranking, .. } => self.compare(*stage, ranking),
            Fact::RunnersUpLevel { table, stage, players, places } => {
                self.open_runners_up(*table, *stage, players, *places);
            }
            Fact::StartMoved(to) => self.start = Some(*to),
            Fact::TablesNamed(tables) => self.tables.clone_from(tables),
            Fact::PlayersATable(number) => self.players_a_table = Some(*number),
            Fact::BallotCommitted(commitment) => self.commit_ballot(*commitment),
            Fact::DrawnAgain { .. } => self.draw_again(),
            Fact::BallotAdded(_, words) => self.add_to_ballot(words),
            Fact::BallotRevealed(_) => self.reveal_ballot(),
            Fact::BallotAbandoned => self.abandon_ballot(),
            Fact::Allotted { entrant, table, seat, lot } => {
                self.allot(*entrant, *table, *seat, *lot);
            }
            Fact::Seated(id) => self.seat(*id),
            Fact::SessionStarted { stage, .. } => self.start_session(*stage),
            Fact::SessionReopened(number) => self.reopen(*number),
            Fact::TableOpened(number) => self.open_table(*number),
            Fact::ChairTaken { table, seat, entrant, is } => {
                self.take_chair(*table, *seat, *entrant, *is);
            }
            Fact::SeatTakenOver { from, to } => self.take_over(*from, *to),

            // Time.
            Fact::BreakGiven(until) => self.rest(*until),
            Fact::PlayResumed => self.resume(event.at),
            Fact::WagerTimeSet(time) => self.wager_time = Some(*time),
            Fact::WagerTimeLifted => self.wager_time = None,
            Fact::TimeWaivedForAll(table) => self.with(*table, |sitting| sitting.waived = true),
            Fact::TimeWaived(id) => self.with_chair(*id, |chair| chair.waived = true),

            // Tables that were moved, and corrections.
            Fact::TableMoved { from, to, .. } => self.with(*from, |sitting| sitting.move_to(*to)),
            Fact::CorrectionAsked(correction) => self.wait_for_second(correction),
            Fact::CorrectionDropped(table) => self.drop_correction(*table),
            Fact::Corrected(correction) => self.correct(correction),

            // Play at a table.
            Fact::AtTable { table, event } => self.at_table(*table, event),
            Fact::MarkerAt { table, seat } => {
                self.with(*table, |sitting| sitting.marker_at(*seat, now, limit));
            }
            Fact::Asked { table, seat } => {
                self.with(*table, |sitting| sitting.turn_of(*seat, now, limit));
            }
            Fact::MayAlter(table) => self.with(*table, Sitting::let_wagers_lie),
            Fact::OutOfOrder { entrant, .. } => self.with_chair(*entrant, Chair::jump),
            Fact::HeldToMinimum(id) => self.with_chair(*id, |chair| chair.held = true),
            Fact::MissedCoup(id) => self.with_chair(*id, Chair::miss),
            Fact::WentAway(id) => self.be(*id, Seat::Empty),
            Fact::CameBack(id) => self.be(*id, Seat::Taken),
            Fact::Eliminated { entrant, why, .. } => self.eliminate(*entrant, *why),
            Fact::InAgain { table, entrant, cents } => {
                self.with(*table, |sitting| sitting.in_again(now, *entrant, *cents));
            }
            Fact::CoupUndone(table) => self.with(*table, Sitting::remember_before),
            Fact::PlayGoesOn(table) => self.with(*table, Sitting::goes_on),
            Fact::IndicatorIn(table) => self.with(*table, Sitting::insert_indicator),
            Fact::IndicatorOut(table) => self.with(*table, Sitting::take_indicator_out),
            Fact::LimitsRaised(table) => self.with(*table, |sitting| sitting.raised = true),

            // Secret wagers.
            Fact::LayForms(table) => self.with(*table, |sitting| sitting.laying = true),
            Fact::FormHandedIn { entrant, commitment } => self.hand_in(*entrant, *commitment),
            Fact::FormExamined(id) => self.with_chair(*id, Chair::examine),
            Fact::FormReturned(id) => self.with_chair(*id, Chair::return_form),
            Fact::FormVoid(id) => self.with_chair(*id, Chair::void_form),
            Fact::FormOpened { entrant: id, .. } | Fact::FormSpoiled(id) => self.open_form(*id),

            // The end of play.
            Fact::LastCoup(table) => self.with(*table, |sitting| sitting.last = true),
            Fact::PlayEnded { table, ranking } => {
                self.with(*table, |sitting| sitting.end_play(ranking));
            }
            Fact::PlayOffDue { table, players } => {
                self.with(*table, |sitting| sitting.play_off_due(players));
            }
            Fact::PlayOffDrawn { table, coups, .. } => {
                self.with(*table, |sitting| sitting.stint = Stint::PlayOffDue(Some(*coups)));
            }
            Fact::PlayOffStarted { table, .. } => self.with(*table, Sitting::start_play_off),
            Fact::ChipsCollected(table) => self.with(*table, |sitting| sitting.turn = None),
            Fact::TableFinished(table) => {
                self.with(*table, |sitting| sitting.stint = Stint::Done);
            }

            // Facts that are only recorded, and change nothing.
            Fact::States(_)
            | Fact::Prevails
            | Fact::PoolAdded(_)
            | Fact::FeeForfeited(_)
            | Fact::FeeNotRefunded(_)
            | Fact::SessionAllotted(_)
            | Fact::Kept(_)
            | Fact::MayEnterSecondary(_)
            | Fact::Directed(_)
            | Fact::ToppedUp { .. }
            | Fact::OverMaximum(_)
            | Fact::OutOfOrderVoided(_)
            | Fact::DealerTurns { .. }
            | Fact::WrongPlayer(_)
            | Fact::PlaceVoid(_)
            | Fact::ChipsLeft(_)
            | Fact::FormShown { .. }
            | Fact::EndedEarly(_)
            | Fact::CorrectionConfirmed { .. }
            | Fact::Shared { .. } => {}
        }
    }

    /// Changes a table in play.
    fn with(&mut self, number: u32, change: impl FnOnce(&mut Sitting)) {
        if let Some(sitting) = self.at(number) {
            change(sitting);
        }
    }

    /// A table in play, to be changed.
    fn at(&mut self, number: u32) -> Option<&mut Sitting> {
        let live = |sitting: &&mut Arc<Sitting>| sitting.number == number && sitting.is_live();
        self.sittings.iter_mut().find(live).map(Arc::make_mut)
    }

    /// Changes the table at which an entrant plays.
    fn with_sitting_of(&mut self, id: EntrantId, change: impl FnOnce(&mut Sitting)) {
        let live = |sitting: &&mut Arc<Sitting>| sitting.is_live() && sitting.chair(id).is_some();
        if let Some(sitting) = self.sittings.iter_mut().find(live) {
            change(Arc::make_mut(sitting));
        }
    }

    /// Changes the chair of an entrant in play.
    fn with_chair(&mut self, id: EntrantId, change: impl FnOnce(&mut Chair)) {
        self.with_sitting_of(id, |sitting| {
            let mine = |chair: &&mut Chair| chair.entrant == id;
            if let Some(chair) = sitting.chairs.iter_mut().find(mine) {
                change(chair);
            }
        });
    }

    /// An event at a table: in play, or about its cards after a session.
    fn at_table(&mut self, table: u32, event: &table::Event) {
        if self.sitting(table).is_some() {
            return self.with(table, |sitting| sitting.fold(event));
        }
        let last = |sitting: &&mut Arc<Sitting>| sitting.number == table;
        if let Some(sitting) = self.sittings.iter_mut().rfind(last) {
            Arc::make_mut(sitting).fold(event);
        }
    }

    fn rest(&mut self, until: Time) {
        self.rests = Some(until);
        self.turns_begin_at(until);
    }

    fn resume(&mut self, at: Time) {
        self.rests = None;
        self.turns_begin_at(at);
    }

    /// The time limit of a turn does not run while play is stopped.
    fn turns_begin_at(&mut self, at: Time) {
        for sitting in self.sittings.iter_mut().filter(|sitting| sitting.is_live()) {
            Arc::make_mut(sitting).since = at;
        }
    }
}
