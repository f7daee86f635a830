//! The fold of a director's corrections, of a table that moved, and of the comparison of
//! runners-up.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use rules::Balance;

use crate::event::{Correction, EntrantId, Mended};
use crate::sitting::{Chair, Sitting, Stint};
use crate::state::State;

impl State {
    /// The table of that number, in play or played last.
    fn latest(&mut self, number: u32) -> Option<&mut Sitting> {
        let live = self.sittings.iter().position(|s| s.number == number && s.is_live());
        let last = || self.sittings.iter().rposition(|sitting| sitting.number == number);
        let found = live.or_else(last)?;
        self.sittings.get_mut(found).map(Arc::make_mut)
    }

    pub(super) fn wait_for_second(&mut self, correction: &Correction) {
        if let Some(sitting) = self.latest(correction.table) {
            sitting.correction = Some(Arc::new(correction.clone()));
        }
    }

    pub(super) fn drop_correction(&mut self, table: u32) {
        if let Some(sitting) = self.latest(table) {
            sitting.correction = None;
        }
    }

    /// Applies a correction; chips and cards follow in events of the table.
    pub(super) fn correct(&mut self, correction: &Correction) {
        if let Mended::Seat { entrant, from, to, other } = correction.what
            && self.allotments.iter().any(|allotment| allotment.entrant == entrant)
        {
            for allotment in &mut self.allotments {
                if allotment.entrant == entrant {
                    allotment.seat = to;
                } else if Some(allotment.entrant) == other {
                    allotment.seat = from;
                }
            }
            return;
        }
        self.drop_correction(correction.table);
        let Some(sitting) = self.latest(correction.table) else { return };
        match correction.what {
            Mended::Seat { entrant, from, to, other } => {
                sitting.change_seats([(Some(entrant), from, to), (other, to, from)]);
            }
            Mended::Chips { entrant, from, to } => {
                sitting.hold_more(entrant, Balance::from(to) - from);
            }
            Mended::Wager { .. } | Mended::Card { .. } => {}
        }
    }

    /// Notes the comparison of players across the tables of a stage.
    pub(super) fn compare(&mut self, stage: usize, ranking: &[Vec<EntrantId>]) {
        if let Some(progress) = self.stages.get_mut(stage) {
            progress.runners_up = ranking.concat();
        }
    }

    /// Opens a table for players who are level across tables.
    pub(super) fn open_runners_up(
        &mut self,
        number: u32,
        stage: usize,
        players: &[EntrantId],
        places: u32,
    ) {
        let held = |id: EntrantId| {
            let chair = self.sittings().filter_map(|sitting| sitting.chair(id)).last();
            chair.map_or(Balance::ZERO, |chair| chair.at_the_end)
        };
        let chairs = (1..).zip(players).map(|(seat, id)| {
            let held = held(*id);
            Chair { chips: held, at_the_end: held, ..Chair::new(seat, *id) }
        });
        let mut sitting = self.new_sitting(number, stage);
        sitting.chairs = chairs.collect();
        sitting.places = Some(places);
        (sitting.stint, sitting.ranking) = (Stint::PlayOffDue(None), vec![players.to_vec()]);
        self.sittings.push(Arc::new(sitting));
    }
}

impl Sitting {
    /// Continues the play of this table at another, with a fresh shoe.
    pub(super) const fn move_to(&mut self, number: u32) {
        self.number = number;
        self.indicator_in = false;
    }

    /// Moves players to other seats; marker and turn move too.
    fn change_seats(&mut self, moves: [(Option<EntrantId>, u32, u32); 2]) {
        let seat_of = |id: EntrantId| {
            let own = moves.iter().find(|(entrant, ..)| *entrant == Some(id));
            own.map(|(_, _, to)| *to)
        };
        for chair in &mut self.chairs {
            chair.seat = seat_of(chair.entrant).unwrap_or(chair.seat);
        }
        let follow = |seat: u32| {
            let own = moves.iter().find(|(entrant, from, _)| entrant.is_some() && *from == seat);
            own.map_or(seat, |(_, _, to)| *to)
        };
        (self.marker, self.turn) = (self.marker.map(follow), self.turn.map(follow));
        if let Some(memory) = &mut self.memory {
            let memory = Arc::make_mut(memory);
            memory.marker = memory.marker.map(follow);
            for (chair, _) in &mut memory.chairs {
                chair.seat = seat_of(chair.entrant).unwrap_or(chair.seat);
            }
        }
    }

    /// Corrects the chips that a player held before the last coup.
    fn hold_more(&mut self, id: EntrantId, more: Balance) {
        let Some(memory) = &mut self.memory else { return };
        for (chair, held) in &mut Arc::make_mut(memory).chairs {
            if chair.entrant == id {
                *held = (*held + more).max(Balance::ZERO);
            }
        }
    }
}
