//! The fold: what an event makes of a tournament. Total: history is asserted, never refused.

mod again;
mod sitting;

use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::Cents;
use table::State as Table;

use crate::event::{Account, EntrantId, Event, Fact, OutWhy};
use crate::sitting::{Chair, Form, Missed, Sitting, Stint};
use crate::state::{Allotment, Ballot, Entrant, Phase, Progress, Status, Tournament};

impl Tournament {
    /// Folds one recorded event. It needs no book.
    pub fn evolve(&mut self, event: &Event) {
        debug_assert_eq!(event.postings.iter().map(|entry| entry.cents).sum::<i64>(), 0);
        self.now = self.now.max(event.at);
        for entry in &event.postings {
            match entry.account {
                Account::Outside => self.outside += entry.cents,
                Account::Pool => self.pool += entry.cents,
                Account::Commission => self.commission += entry.cents,
            }
        }
        self.fold_event(event);
        self.fold_entry(event);
        self.fold_session(event);
        self.fold_play(event);
        self.fold_limits(event);
        self.fold_forms(event);
        self.fold_end(event);
    }

    fn who(&mut self, id: EntrantId) -> &mut Entrant {
        &mut self.entrants[usize::from(id.0)]
    }

    /// A table in play, to be changed.
    fn at(&mut self, number: u32) -> Option<&mut Sitting> {
        let live = |sitting: &&mut Arc<Sitting>| sitting.number == number && sitting.is_live();
        self.sittings.iter_mut().find(live).map(Arc::make_mut)
    }

    /// The chair of an entrant in play.
    fn chair(&mut self, id: EntrantId) -> Option<&mut Chair> {
        let live = |sitting: &&mut Arc<Sitting>| sitting.is_live() && sitting.chair(id).is_some();
        let sitting = self.sittings.iter_mut().find(live).map(Arc::make_mut)?;
        sitting.chairs.iter_mut().find(|chair| chair.entrant == id)
    }

    /// What concerns the event as a whole.
    fn fold_event(&mut self, event: &Event) {
        match &event.fact {
            Fact::Opened { .. } => self.phase = Phase::Preparing,
            Fact::Documented { conditions, hash } => {
                self.stages = alloc::vec![Progress::default(); conditions.stages.0.len()];
                self.start = conditions.start.map(|start| start.0);
                let book = self.book.as_deref();
                let book = book.map(|book| crate::tables::at_the_tables(book, Some(conditions)));
                self.table_book = book.map(Arc::new);
                self.conditions = Some(Arc::new((**conditions).clone()));
                self.hash = Some(*hash);
                (self.published, self.notified, self.approved) = (false, false, false);
                self.commission_approved = false;
            }
            Fact::Published => self.published = true,
            Fact::Notified => self.notified = true,
            Fact::Approved => (self.approved, self.commission_approved) = (true, true),
            Fact::CommissionApproved => self.commission_approved = true,
            // Who is named is there.
            Fact::DirectorNamed(name) => {
                (self.director, self.director_away) = (Some(*name), false);
            }
            Fact::DirectorLeft => self.director_away = true,
            Fact::DirectorBack => self.director_away = false,
            Fact::AgreementRequired => self.agreement = true,
            Fact::ConditionsTold => self.told = true,
            Fact::EntriesOpened => self.phase = Phase::Entries,
            Fact::EntriesClosed => self.phase = Phase::Playing,
            Fact::Cancelled(_) => self.phase = Phase::Cancelled,
            Fact::Ended => self.phase = Phase::Ended,
            Fact::StartMoved(to) => self.start = Some(*to),
            Fact::TablesNamed(tables) => self.tables.clone_from(tables),
            Fact::PlayersATable(number) => self.players_a_table = Some(*number),
            Fact::BallotCommitted(commitment) => {
                self.ballot = Some(Ballot { commitment: *commitment, added: Vec::new() });
            }
            Fact::BallotAdded(_, words) => {
                if let Some(ballot) = &mut self.ballot {
                    ballot.added.push(words.clone());
                }
            }
            Fact::BallotRevealed(_) | Fact::BallotAbandoned => {
                let known = self.ballot.take().map(|ballot| ballot.commitment);
                if let Fact::BallotRevealed(_) = event.fact {
                    // Whoever drew before draws again.
                    self.allotments.clear();
                }
                self.used_ballots.extend(known);
                self.by_hand = event.fact == Fact::BallotAbandoned;
            }
            Fact::BreakGiven(until) => {
                self.rests = Some(*until);
                self.turns_begin_at(*until);
            }
            Fact::PlayResumed => {
                self.rests = None;
                self.turns_begin_at(event.at);
            }
            Fact::WagerTimeSet(time) => self.wager_time = Some(*time),
            _ => {}
        }
    }

    /// Nobody's time to wager runs while play rests.
    fn turns_begin_at(&mut self, at: table::Time) {
        for sitting in self.sittings.iter_mut().filter(|sitting| sitting.is_live()) {
            Arc::make_mut(sitting).since = at;
        }
    }

    /// What concerns an entrant.
    fn fold_entry(&mut self, event: &Event) {
        match &event.fact {
            Fact::Applied { name, .. } => self.entrants.push(Entrant {
                name: *name,
                substitute: None,
                nominated: None,
                status: Status::Applied,
                agreed: false,
                paid: Cents::ZERO,
                kept: Cents::ZERO,
                buy_backs: 0,
                points: 0,
                place: None,
                prize: Cents::ZERO,
            }),
            Fact::Agreed(id) => self.who(*id).agreed = true,
            Fact::Entered { entrant, fee } => {
                self.who(*entrant).status = Status::Entered;
                self.pay(*entrant, *fee, event);
            }
            Fact::BoughtBack { entrant, fee } => {
                self.who(*entrant).buy_backs += 1;
                self.pay(*entrant, *fee, event);
                if let Some(chair) = self.chair(*entrant) {
                    let out = chair.out.take().map(|(when, _)| (when, chair.left_with));
                    chair.bought.extend(out);
                }
            }
            Fact::BuyBackUndone { entrant, fee } => self.undo_buy_back(*entrant, *fee, event),
            Fact::PointsTakenBack { entrant, parts } => {
                let who = self.who(*entrant);
                who.points = who.points.saturating_sub(*parts);
            }
            Fact::Reserved(id) => self.who(*id).status = Status::Reserve,
            Fact::EntryRefused(id, _) => self.who(*id).status = Status::Refused,
            Fact::Withdrawn(id) => self.leaves(*id, Status::Withdrawn),
            Fact::Disqualified(id, _) => self.leaves(*id, Status::Disqualified),
            Fact::Forfeited(id) => self.leaves(*id, Status::Forfeited),
            Fact::Refunded(id, _) => {
                let who = self.who(*id);
                (who.paid, who.kept) = (Cents::ZERO, Cents::ZERO);
            }
            Fact::Nominated(id, name) => self.who(*id).nominated = Some(*name),
            Fact::Substituted(id, name) => {
                let back = self.entrant(*id).name == *name;
                self.who(*id).substitute = Some(*name).filter(|_| !back);
            }
            Fact::Points { entrant, parts, .. } => self.who(*entrant).points += parts,
            Fact::Placed { place, entrant } => self.who(*entrant).place = Some(*place),
            Fact::Prize { entrant, amount } => self.who(*entrant).prize = *amount,
            _ => {}
        }
    }

    fn pay(&mut self, id: EntrantId, fee: Cents, event: &Event) {
        let kept = event.postings.iter().find(|entry| entry.account == Account::Commission);
        let kept = kept.and_then(|entry| u64::try_from(entry.cents).ok()).and_then(Cents::new);
        let who = self.who(id);
        who.paid = who.paid.checked_add(fee).unwrap_or(Cents::MAX);
        who.kept = who.kept.checked_add(kept.unwrap_or(Cents::ZERO)).unwrap_or(Cents::MAX);
    }

    /// An entrant has no further part in it.
    fn leaves(&mut self, id: EntrantId, status: Status) {
        let who = self.who(id);
        (who.status, who.substitute) = (status, None);
        self.freed |= self.allotments.iter().any(|allotment| allotment.entrant == id);
        self.allotments.retain(|allotment| allotment.entrant != id);
        for stage in &mut self.stages {
            stage.waiting.retain(|waiting| *waiting != id);
        }
    }

    /// What concerns stages, places and the start of a session.
    fn fold_session(&mut self, event: &Event) {
        match &event.fact {
            Fact::StageOpened { stage, players } => {
                if let Some(stage) = self.stages.get_mut(*stage) {
                    stage.players.clone_from(players);
                    stage.waiting.clone_from(players);
                    stage.opened = true;
                }
                for player in players {
                    // A second chance is open to players who lost their place by being late.
                    self.who(*player).status = Status::Entered;
                }
            }
            Fact::StageEnded(stage) => {
                if let Some(stage) = self.stages.get_mut(*stage) {
                    stage.ended = true;
                }
                (self.start, self.players_a_table) = (None, None);
            }
            Fact::Allotted { entrant, table, seat, by_lot } => {
                if *by_lot {
                    self.drawn.retain(|drawn| drawn != entrant);
                    self.drawn.push(*entrant);
                }
                self.allotments.retain(|allotment| allotment.entrant != *entrant);
                let (entrant, table, seat) = (*entrant, *table, *seat);
                self.allotments.push(Allotment { entrant, table, seat, there: false });
            }
            Fact::Seated(id) => {
                for allotment in self.allotments.iter_mut().filter(|a| a.entrant == *id) {
                    allotment.there = true;
                }
                self.with_chair(*id, |chair| chair.late = None);
                self.note_there(*id);
            }
            Fact::SessionStarted { stage, .. } => {
                (self.start, self.by_hand, self.freed) = (None, false, false);
                if let Some(stage) = self.stages.get_mut(*stage) {
                    stage.sessions += 1;
                }
            }
            Fact::SessionReopened(number) => self.reopen(*number),
            Fact::TableOpened(number) => self.open_table(*number),
            Fact::ChairTaken { table, seat, entrant, there } => {
                self.take_chair(*table, *seat, *entrant, *there);
            }
            Fact::SeatTakenOver { from, to } => {
                if let Some(chair) = self.chair(*from) {
                    (chair.entrant, chair.late, chair.out) = (*to, None, None);
                }
                let stage = self.current_stage();
                if let Some(stage) = stage.and_then(|stage| self.stages.get_mut(stage)) {
                    stage.players.push(*to);
                }
            }
            Fact::Advanced { stage, entrant } => {
                if let Some(stage) = self.stages.get_mut(*stage) {
                    stage.winners.push(*entrant);
                }
            }
            Fact::StoodDown { stage, entrant } => {
                if let Some(stage) = self.stages.get_mut(*stage) {
                    stage.losers.push(*entrant);
                }
            }
            _ => {}
        }
    }

    fn open_table(&mut self, number: u32) {
        let table = Table::default();
        let stage = self.current_stage().unwrap_or(0);
        self.sittings.push(Arc::new(Sitting {
            number,
            stage,
            table,
            chairs: Vec::new(),
            marker: None,
            turn: None,
            since: self.now,
            limit: None,
            began: self.now,
            coups: 0,
            counted: false,
            counting: Vec::new(),
            memory: None,
            dealt: 0,
            before_play_off: 0,
            shoes: 0,
            stint: Stint::Session,
            last: false,
            ranking: Vec::new(),
            hands: None,
            indicator_in: false,
            indicator_out: false,
            raised: false,
            laying: false,
        }));
    }

    fn take_chair(&mut self, table: u32, seat: u32, entrant: EntrantId, there: bool) {
        self.allotments.retain(|allotment| allotment.entrant != entrant);
        for stage in &mut self.stages {
            stage.waiting.retain(|waiting| *waiting != entrant);
        }
        let chair = Chair {
            seat,
            entrant,
            player: None,
            late: (!there).then_some(0),
            absent: false,
            missed: None,
            carried: false,
            waived: false,
            out: None,
            plays: true,
            out_of_order: 0,
            jumped: false,
            held: false,
            secrets: 0,
            form: None,
            shown: false,
            laid: false,
            fine: 0,
            chips: 0,
            left_with: 0,
            bought: Vec::new(),
        };
        if let Some(sitting) = self.at(table) {
            sitting.chairs.push(chair);
        }
    }

    /// Something happened at a table, in play or, after a session, with its cards.
    fn at_table(&mut self, table: u32, event: &table::Event) {
        let last = |sitting: &&mut Arc<Sitting>| sitting.number == table;
        let live = self.sitting(table).is_some();
        let sitting = if live {
            self.at(table)
        } else {
            self.sittings.iter_mut().rfind(last).map(Arc::make_mut)
        };
        if let Some(sitting) = sitting {
            sitting.fold(event);
        }
    }

    /// What concerns the play at a table.
    fn fold_play(&mut self, event: &Event) {
        let (now, limit) = (self.now, self.wager_time);
        match &event.fact {
            Fact::AtTable { table, event } => self.at_table(*table, event),
            Fact::MarkerAt { table, seat } => {
                if let Some(sitting) = self.at(*table) {
                    sitting.marker = Some(*seat);
                    sitting.turn_of(*seat, now, limit);
                }
            }
            Fact::Asked { table, seat } => {
                if let Some(sitting) = self.at(*table) {
                    sitting.turn_of(*seat, now, limit);
                }
            }
            Fact::MayAlter(table) => {
                if let Some(sitting) = self.at(*table) {
                    let lie: Vec<_> = sitting.chairs.iter().map(|c| sitting.laid(c)).collect();
                    for (chair, [banker, player, _]) in sitting.chairs.iter_mut().zip(lie) {
                        chair.carried = banker > Cents::ZERO || player > Cents::ZERO;
                    }
                }
            }
            Fact::OutOfOrder { entrant, .. } => {
                if let Some(chair) = self.chair(*entrant) {
                    chair.out_of_order += 1;
                    chair.jumped = true;
                }
            }
            Fact::HeldToMinimum(id) => self.with_chair(*id, |chair| chair.held = true),
            Fact::TimeWaived(id) => self.with_chair(*id, |chair| chair.waived = true),
            Fact::MissedCoup(id) => self.with_chair(*id, |chair| {
                chair.missed = match chair.late {
                    Some(_) => Some(Missed::Late),
                    None => Some(Missed::Away),
                };
            }),
            Fact::WentAway(id) => {
                self.with_chair(*id, |chair| chair.absent = true);
                self.note_there(*id);
            }
            Fact::CameBack(id) => {
                self.with_chair(*id, |chair| chair.absent = false);
                self.note_there(*id);
            }
            Fact::Eliminated { entrant, why, .. } => {
                // Who goes out between two coups lasted longer than who went out in the first.
                let between = u32::from(matches!(why, OutWhy::NoWager | OutWhy::Raised));
                let dealt = self.sitting_of(*entrant).map_or(0, |sitting| sitting.dealt);
                let when = 2 * dealt + between;
                self.with_chair(*entrant, |chair| chair.out = Some((when, *why)));
            }
            Fact::InAgain { table, entrant, cents } => {
                if let Some(sitting) = self.at(*table) {
                    sitting.in_again(*entrant, *cents);
                }
            }
            Fact::CoupUndone(table) => {
                if let Some(sitting) = self.at(*table) {
                    sitting.remember_before();
                }
            }
            Fact::PlayGoesOn(table) => {
                if let Some(sitting) = self.at(*table) {
                    sitting.goes_on();
                }
            }
            _ => {}
        }
    }

    /// What concerns the indicator card and the limits.
    fn fold_limits(&mut self, event: &Event) {
        match &event.fact {
            Fact::IndicatorIn(table) => {
                if let Some(sitting) = self.at(*table) {
                    (sitting.indicator_in, sitting.indicator_out) = (true, false);
                }
            }
            Fact::IndicatorOut(table) => {
                if let Some(sitting) = self.at(*table) {
                    (sitting.indicator_in, sitting.indicator_out) = (false, true);
                }
            }
            Fact::LimitsRaised(table) => {
                if let Some(sitting) = self.at(*table) {
                    sitting.raised = true;
                }
            }
            _ => {}
        }
    }

    /// What concerns secret wagers.
    fn fold_forms(&mut self, event: &Event) {
        match &event.fact {
            Fact::LayForms(table) => {
                if let Some(sitting) = self.at(*table) {
                    sitting.laying = true;
                }
            }
            Fact::FormHandedIn { entrant, commitment } => self.hand_in(*entrant, *commitment),
            Fact::FormExamined(id) => self.with_chair(*id, |chair| {
                if let Some(form) = &mut chair.form {
                    form.examined = true;
                }
            }),
            Fact::FormReturned(id) => self.with_chair(*id, |chair| {
                chair.form = None;
                chair.secrets = chair.secrets.saturating_sub(1);
            }),
            Fact::FormVoid(id) => self.with_chair(*id, |chair| {
                // As if it had never been: it is not used up, and nobody sees it.
                (chair.form, chair.laid, chair.fine) = (None, false, 0);
                chair.secrets = chair.secrets.saturating_sub(1);
            }),
            Fact::FormOpened { entrant: id, .. } | Fact::FormSpoiled(id) => {
                let laying = self.sitting_of(*id).is_some_and(|sitting| sitting.laying);
                self.with_chair(*id, |chair| {
                    chair.form = None;
                    (chair.shown, chair.laid) = (true, laying);
                });
            }
            _ => {}
        }
    }

    /// The table knows who is away from the seat.
    fn note_there(&mut self, id: EntrantId) {
        let live = |sitting: &&mut Arc<Sitting>| sitting.is_live() && sitting.chair(id).is_some();
        let Some(sitting) = self.sittings.iter_mut().find(live).map(Arc::make_mut) else { return };
        let chair = sitting.chair(id).map(|chair| (chair.player, chair.is_missing()));
        if let Some((Some(player), missing)) = chair {
            sitting.table.note_away(player, missing);
        }
    }

    fn with_chair(&mut self, id: EntrantId, change: impl FnOnce(&mut Chair)) {
        if let Some(chair) = self.chair(id) {
            change(chair);
        }
    }

    fn hand_in(&mut self, id: EntrantId, commitment: shoe::Digest) {
        let sitting = self.sitting_of(id);
        let found = sitting.and_then(|sitting| sitting.chair(id).map(|chair| (sitting, chair)));
        let Some((sitting, chair)) = found else { return };
        let (chips, dealt, beside) = (sitting.stack(chair), sitting.dealt, [Cents::ZERO; 3]);
        self.forms.push(commitment);
        self.with_chair(id, |chair| {
            chair.form =
                Some(Form { commitment, examined: false, chips, dealt, beside, held: chair.held });
            chair.secrets += 1;
        });
    }

    /// What concerns the end of play.
    fn fold_end(&mut self, event: &Event) {
        match &event.fact {
            Fact::LastCoup(table) => {
                if let Some(sitting) = self.at(*table) {
                    sitting.last = true;
                }
            }
            Fact::PlayEnded { table, ranking } => {
                if let Some(sitting) = self.at(*table) {
                    sitting.ranking.clone_from(ranking);
                    let stacks: Vec<_> = sitting.chairs.iter().map(|c| sitting.stack(c)).collect();
                    for (chair, stack) in sitting.chairs.iter_mut().zip(stacks) {
                        if chair.plays {
                            chair.chips = stack;
                        }
                    }
                }
            }
            Fact::PlayOffDue { table, players } => {
                if let Some(sitting) = self.at(*table) {
                    sitting.stint = Stint::PlayOffDue(None);
                    (sitting.last, sitting.turn) = (false, None);
                    for chair in &mut sitting.chairs {
                        chair.plays = players.contains(&chair.entrant);
                    }
                }
            }
            Fact::PlayOffDrawn { table, coups, .. } => {
                if let Some(sitting) = self.at(*table) {
                    sitting.stint = Stint::PlayOffDue(Some(*coups));
                }
            }
            Fact::PlayOffStarted { table, .. } => {
                if let Some(sitting) = self.at(*table) {
                    let coups = match sitting.stint {
                        Stint::PlayOffDue(coups) => coups,
                        _ => None,
                    };
                    (sitting.stint, sitting.coups) = (Stint::PlayOff(coups), 0);
                    (sitting.counting, sitting.memory) = (Vec::new(), None);
                    sitting.before_play_off = sitting.dealt;
                    let gone = |chair: &Chair| {
                        let why = chair.out.map(|(_, why)| why);
                        matches!(why, Some(OutWhy::Left | OutWhy::NotThere))
                    };
                    let chairs = sitting.chairs.iter_mut();
                    for chair in chairs.filter(|chair| chair.plays && !gone(chair)) {
                        // A play-off is a session of its own.
                        (chair.out, chair.secrets) = (None, 0);
                    }
                }
            }
            Fact::ChipsCollected(table) => {
                if let Some(sitting) = self.at(*table) {
                    sitting.turn = None;
                }
            }
            Fact::TableFinished(table) => {
                if let Some(sitting) = self.at(*table) {
                    sitting.stint = Stint::Done;
                }
            }
            _ => {}
        }
    }
}
