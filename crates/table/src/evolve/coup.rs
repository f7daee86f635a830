//! How events change a coup: beginning, dealing, turning, ending and reopening it.

use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::{Clauses, Side};

use crate::event::{NoBetWhy, SuspendedWhy};
use crate::record::{CoupRecord, Finished, Interrupted};
use crate::shared::BLOCK;
use crate::state::{Coup, CoupCard, Phase, Player, State};

/// The least number of blocks of past coups that are stored, so that they can be voided later.
const KEPT: usize = 7;

impl State {
    pub(super) fn begin(&mut self, number: u32, no_bet: Option<NoBetWhy>) {
        self.coups = number;
        self.phase = Phase::Dealing;
        self.no_bet = None;
        let optional = self.optional_coups > 0;
        self.optional_coups = self.optional_coups.saturating_sub(1);
        self.no_bet_asked = false;
        // The memory of the last coup's wagers is used again.
        self.settled = self.last.take().map(|last| last.wagers).unwrap_or_default();
        self.settled.clear();
        self.interrupted = None;
        self.shoe.coups += 1;
        if self.records.len() >= 2 * KEPT * BLOCK {
            self.records.forget(KEPT);
        }
        self.let_stand = false;
        let mut idle = Vec::new();
        for id in &self.there {
            let Player { standing, sent_back, agreed, .. } = self.players[usize::from(id.0)];
            if sent_back || agreed.is_some() {
                let player = &mut self.players[usize::from(id.0)];
                (player.sent_back, player.agreed) = (false, None);
            }
            let wagered = || self.wagers.iter().any(|wager| wager.player == *id);
            if !sent_back && !standing && !wagered() {
                idle.push(*id);
            }
        }
        if !idle.is_empty() && !self.is_full() {
            idle.clear();
        }
        let effects = Vec::with_capacity(self.wagers.len());
        self.records.push(CoupRecord { number, effects, voided: false, no_bet, idle, optional });
        self.coup = Some(Coup::new(number, no_bet));
    }

    pub(super) fn deal(&mut self, card: CoupCard) {
        // A card that waited has left the shoe already.
        let first = self.coup.as_ref().is_some_and(|coup| coup.cards.is_empty());
        let waited = if first && !self.waiting.is_empty() {
            Some(self.waiting.remove(0))
        } else {
            self.face_up.take()
        };
        let seen = waited.is_some_and(|waited| waited.card.is_some());
        if let (Some(card), false) = (card.card, seen) {
            let _ = self.shoe.left.take(card);
        }
        self.shoe.behind_out |= self.shoe.cutting_card.is_some();
        if let Some(coup) = &mut self.coup {
            coup.cards.push(CoupCard { seen, ..card });
        }
    }

    pub(super) fn turn(&mut self, index: u8, card: rules::Card) {
        let Some(coup) = &mut self.coup else { return };
        let Some(turned) = coup.cards.get_mut(usize::from(index)) else { return };
        if turned.card.is_none() {
            let _ = self.shoe.left.take(card);
        }
        turned.card = Some(card);
        turned.shown = true;
    }

    pub(super) fn end_coup(&mut self) {
        if let Some(coup) = self.coup.take() {
            self.last_counts = Side::BOTH.map(|side| coup.count(side));
            // A player who refused the cards has not handled them.
            self.shoe.handled |= coup.passed.iter().any(Option::is_some);
            let wagers = core::mem::take(&mut self.settled);
            let (round, doubted, cards_gone) = (self.round.clone(), false, false);
            self.last = Some(Finished { coup, wagers, round, shoe: None, doubted, cards_gone });
        }
        self.phase = Phase::Betting;
        for id in self.there.iter().filter(|_| self.interrupted.is_none()) {
            // Approvals by a supervisor and waivers by a player last for one round.
            let Player { waived, both_sides, .. } = &self.players[usize::from(id.0)];
            if !waived.is_empty() || *both_sides {
                let player = &mut self.players[usize::from(id.0)];
                player.waived.clear();
                player.both_sides = false;
            }
        }
        if let Some(left) = &mut self.shoe.coups_left {
            *left = left.saturating_sub(1);
        }
        match &self.interrupted {
            Some(interrupted) => self.round = interrupted.round.clone(),
            None => self.open_round(),
        }
    }

    /// Makes the coup that ended last current again, with its cards open and its wagers to be laid.
    pub(super) fn reopen(&mut self, number: u32) {
        let Some(last) = &mut self.last else { return };
        let (round, wagers) = (self.round.clone(), self.wagers.clone());
        let mut shuffle_by = Clauses::new();
        if let Some(shoe) = last.shoe.take() {
            // A shuffle at the end of the shoe is a consequence of the coup, and is judged with it.
            if shoe.coups_left != Some(0) {
                shuffle_by.clone_from(&self.shuffle_by);
            }
            self.shoe = shoe;
            self.shuffle_due = false;
        }
        self.interrupted = Some(Interrupted { round, wagers, shuffle_by });
        let mut coup = last.coup.clone();
        (coup.counted, coup.pairs_settled, coup.irregular) = (false, false, true);
        coup.suspended = Some(SuspendedWhy::OutOfSequence);
        self.coup = Some(coup);
        self.round = last.round.clone();
        self.phase = Phase::Dealing;
        self.settled.clear();
        Arc::make_mut(&mut self.roads).remove(number);
        if self.shoe.tie_round == Some(number) {
            self.shoe.tie_round = None;
        } else if let Some(left) = &mut self.shoe.coups_left {
            *left += 1;
        }
    }

    pub(super) fn rearrange(&mut self, cards: &[(u8, Side)]) {
        let Some(coup) = &mut self.coup else { return };
        let old = core::mem::take(&mut coup.cards);
        for (index, side) in cards {
            let card = old.get(usize::from(*index));
            coup.cards.extend(card.map(|card| CoupCard { side: *side, ..*card }));
        }
        let named = |index: usize| cards.iter().any(|(named, _)| usize::from(*named) == index);
        // A card that is left over is drawn again, in excess.
        let left_over = old.iter().enumerate().filter(|(index, _)| !named(*index));
        for card in left_over.filter_map(|(_, card)| card.card) {
            self.shoe.left.put_back(card);
        }
    }
}
