//! What is due between sessions: tables, places, seats, and the start.

use alloc::vec;
use alloc::vec::Vec;

use rules::book::Seating;

use super::super::{Draft, of};
use crate::command::Act;
use crate::due::{Due, Next, Whom};
use crate::event::{EntrantId, Lot};
use crate::plan::spread;

impl Draft<'_> {
    /// What comes before a session of a stage.
    pub(super) fn due_before_session(&self, stage: usize) -> Vec<Due> {
        if self.t.ballot.is_some() {
            return self.due_in_the_ballot();
        }
        if self.t.stages[stage].waiting.is_empty() {
            return Vec::new();
        }
        let placed = !self.t.allotments.is_empty() && self.check_all_seated(stage).is_ok();
        match self.usable_tables(stage) {
            Ok(tables) if tables.is_empty() && !placed => return self.no_table_is_free(),
            Err(_) => return vec![self.due_tables(stage)],
            Ok(_) if placed => {}
            Ok(tables) => return self.due_places(stage, &tables),
        }
        self.due_at_the_start()
    }

    fn due_in_the_ballot(&self) -> Vec<Due> {
        let clauses = [Some(self.rules.event.seating.clause)];
        vec![
            Due::new(Next::AddToBallot, Whom::Players, &clauses).may(),
            Due::new(Next::RevealBallot, Whom::Director, &clauses),
            Due::new(Next::AbandonBallot, Whom::Director, &clauses).may().by(Act::AbandonBallot),
        ]
    }

    /// The tables that a session of the stage needs, from table 1 on.
    fn due_tables(&self, stage: usize) -> Due {
        let waiting = u32::try_from(self.t.stages[stage].waiting.len()).unwrap_or(u32::MAX);
        let (seats, most) = self.room(stage).unwrap_or((1, None));
        let sizes = spread(waiting, seats, most).into_iter().next().unwrap_or_default();
        let number = u32::try_from(sizes.len()).unwrap_or(u32::MAX).max(1);
        let due = Due::new(Next::NameTables, Whom::Director, &[of(&self.rules.event.tables)]);
        due.by(Act::NameTables((1..=number).collect()))
    }

    /// Every table is in play; while entries fill tables one by one, that is no cause for worry.
    fn no_table_is_free(&self) -> Vec<Due> {
        let clauses = [of(&self.rules.event.tables)];
        vec![Due::new(Next::NameTables, Whom::Director, &clauses).may()]
    }

    fn due_places(&self, stage: usize, tables: &[u32]) -> Vec<Due> {
        let rule = self.rules.event.seating;
        let clauses = [Some(rule.clause), Some(self.rules.event.place_kept.clause)];
        let commit = Due::new(Next::CommitBallot, Whom::Director, &clauses);
        let placed = |id: &EntrantId| self.t.allotments.iter().any(|a| a.entrant == *id);
        let first = self.t.stages[stage].waiting.iter().find(|id| !placed(id));
        let Some(name) = first.map(|id| self.who(*id).name) else { return vec![commit] };
        match rule.value {
            Seating::Ballot if self.t.by_hand => {
                vec![Due::new(Next::Draw(name), Whom::Director, &clauses)]
            }
            Seating::Ballot => vec![commit],
            Seating::Operator => {
                let give = Due::new(Next::Allot(name), Whom::Director, &clauses);
                let place = self.free_place(stage, tables);
                let act = place.map(|(table, seat)| {
                    let lot = Lot::Given;
                    Act::Allot { name, table, seat, lot }
                });
                let act = act.filter(|act| self.allows(act));
                let mut due = vec![Due { act, ..give }];
                due.extend((!self.t.by_hand).then(|| commit.may()));
                due
            }
        }
    }

    /// The next free place, in the order of tables and seats, with as many players at each table
    /// as an even spread has.
    fn free_place(&self, stage: usize, tables: &[u32]) -> Option<(u32, u32)> {
        let (seats, most) = self.room(stage).ok()?;
        let most = most.map_or(tables.len(), |most| tables.len().min(most as usize));
        let waiting = u32::try_from(self.t.stages[stage].waiting.len()).ok()?;
        let sizes = spread(waiting, seats, u32::try_from(most).ok());
        let sizes = sizes.into_iter().next()?;
        let taken = |table: u32, seat: u32| {
            self.t.allotments.iter().any(|a| a.table == table && a.seat == seat)
        };
        let full = |table: u32, size: u32| {
            self.t.allotments.iter().filter(|a| a.table == table).count() >= size as usize
        };
        let mut open =
            tables.iter().copied().zip(sizes).filter(|(table, size)| !full(*table, *size));
        let (table, _) = open.next()?;
        (1..=seats.max(1)).find(|seat| !taken(table, *seat)).map(|seat| (table, seat))
    }

    /// Everybody has a place: the seats are taken, and the session starts.
    fn due_at_the_start(&self) -> Vec<Due> {
        let event = self.rules.event;
        let mut due = Vec::new();
        let empty = self.t.allotments.iter().any(|allotment| !allotment.there);
        let seats = Act::TakeSeats(Vec::new());
        if empty && self.allows(&seats) {
            let clauses = [Some(event.place_kept.clause)];
            due.push(Due::new(Next::TakeSeats, Whom::Players, &clauses).by(seats));
        }
        if let Some(start) = self.t.start.filter(|start| self.at < *start) {
            let clauses = [Some(event.commencement.clause), Some(event.not_there.clause)];
            due.push(Due::new(Next::WaitForStart(start), Whom::Director, &clauses));
            return due;
        }
        let clauses = [of(&event.applies), Some(event.session.clause)];
        let chips = self.t.current_stage().is_some_and(|stage| {
            self.t.conditions().is_some_and(|conditions| conditions.chips_of(stage).is_some())
        });
        if !chips {
            let clauses = [of(&self.rules.conditions.chips)];
            due.push(Due::new(Next::Cancel, Whom::Operator, &clauses));
        } else if self.check_director().is_ok() && self.check_no_correction(None).is_ok() {
            due.push(Due::new(Next::Start, Whom::Director, &clauses).by(Act::Start));
        }
        due
    }
}
