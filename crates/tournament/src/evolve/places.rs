//! The fold of what concerns conditions, stages, places and the start of a session.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use shoe::Digest;

use crate::conditions::Conditions;
use crate::event::{EntrantId, Lot, Seat};
use crate::sitting::{Chair, Sitting, Stint};
use crate::state::{Allotment, Ballot, Progress, State, Status};

impl State {
    /// Replaces the conditions; approvals of earlier ones do not apply to them.
    pub(super) fn document(&mut self, conditions: &Conditions, hash: Digest) {
        self.stages = vec![Progress::default(); conditions.stages.0.len()];
        self.start = conditions.start.map(|start| start.0);
        self.conditions = Some(Arc::new(conditions.clone()));
        self.hash = Some(hash);
        (self.published, self.notified, self.approved) = (false, false, false);
        self.commission_approved = false;
    }

    pub(super) fn open_stage(&mut self, stage: usize, players: &[EntrantId]) {
        if let Some(stage) = self.stages.get_mut(stage) {
            (stage.players, stage.waiting) = (players.to_vec(), players.to_vec());
            stage.opened = true;
        }
        for player in players {
            // A second chance is open to players who lost their place by being late.
            self.who(*player).status = Status::Entered;
        }
    }

    pub(super) fn end_stage(&mut self, stage: usize) {
        if let Some(stage) = self.stages.get_mut(stage) {
            stage.ended = true;
        }
        (self.start, self.players_a_table) = (None, None);
    }

    pub(super) fn advance(&mut self, stage: usize, id: EntrantId) {
        if let Some(stage) = self.stages.get_mut(stage) {
            stage.winners.push(id);
        }
    }

    pub(super) fn stand_down(&mut self, stage: usize, id: EntrantId) {
        if let Some(stage) = self.stages.get_mut(stage) {
            stage.losers.push(id);
        }
    }

    pub(super) fn commit_ballot(&mut self, commitment: Digest) {
        self.ballot = Some(Ballot { commitment, added: Vec::new() });
    }

    pub(super) fn add_to_ballot(&mut self, words: &str) {
        if let Some(ballot) = &mut self.ballot {
            ballot.added.push(String::from(words));
        }
    }

    pub(super) fn reveal_ballot(&mut self) {
        // Players who drew before draw again.
        self.allotments.clear();
        self.use_up_ballot();
        (self.by_hand, self.redraw, self.balloted) = (false, false, true);
    }

    /// Cancels the places that were drawn; a new ballot draws them.
    pub(super) fn draw_again(&mut self) {
        self.allotments.clear();
        (self.by_hand, self.freed, self.redraw) = (false, false, true);
        self.balloted = false;
    }

    pub(super) fn abandon_ballot(&mut self) {
        self.use_up_ballot();
        self.by_hand = true;
    }

    fn use_up_ballot(&mut self) {
        self.used_ballots.extend(self.ballot.take().map(|ballot| ballot.commitment));
    }

    pub(super) fn allot(&mut self, entrant: EntrantId, table: u32, seat: u32, lot: Lot) {
        if lot == Lot::Drawn {
            self.drawn.retain(|drawn| *drawn != entrant);
            self.drawn.push(entrant);
        }
        self.allotments.retain(|allotment| allotment.entrant != entrant);
        self.allotments.push(Allotment { entrant, table, seat, there: false });
    }

    pub(super) fn seat(&mut self, id: EntrantId) {
        for allotment in self.allotments.iter_mut().filter(|a| a.entrant == id) {
            allotment.there = true;
        }
        self.with_chair(id, |chair| chair.late = None);
        let now = self.now;
        self.with_sitting_of(id, |sitting| sitting.say_who_is_away(now));
    }

    pub(super) fn start_session(&mut self, stage: usize) {
        (self.start, self.by_hand, self.freed) = (None, false, false);
        (self.redraw, self.balloted) = (false, false);
        if let Some(stage) = self.stages.get_mut(stage) {
            stage.sessions += 1;
        }
    }

    pub(super) fn open_table(&mut self, number: u32) {
        let sitting = self.new_sitting(number, self.current_stage().unwrap_or(0));
        self.sittings.push(Arc::new(sitting));
    }

    /// A table at which nobody sits yet.
    pub(super) fn new_sitting(&self, number: u32, stage: usize) -> Sitting {
        let table = table::State::default();
        Sitting {
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
            waived: false,
            correction: None,
            places: None,
        }
    }

    pub(super) fn take_chair(&mut self, table: u32, seat: u32, entrant: EntrantId, is: Seat) {
        self.allotments.retain(|allotment| allotment.entrant != entrant);
        for stage in &mut self.stages {
            stage.waiting.retain(|waiting| *waiting != entrant);
        }
        let late = (is == Seat::Empty).then_some(0);
        let chair = Chair { late, ..Chair::new(seat, entrant) };
        self.with(table, |sitting| sitting.chairs.push(chair));
    }

    pub(super) fn take_over(&mut self, from: EntrantId, to: EntrantId) {
        self.with_chair(from, |chair| (chair.entrant, chair.late, chair.out) = (to, None, None));
        let stage = self.current_stage();
        if let Some(stage) = stage.and_then(|stage| self.stages.get_mut(stage)) {
            stage.players.push(to);
        }
    }
}
