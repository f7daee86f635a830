//! How corrections change a table: of a wager, a card or a seat.

use rules::{Card, Cents, Spot};

use crate::event::PlayerId;
use crate::state::{State, Wager};

impl State {
    /// Sets the stake on a spot, or removes it. The wager keeps its place in the order, and its
    /// limits.
    pub(super) fn set_wager(&mut self, player: PlayerId, spot: Spot, place: u32, stake: Cents) {
        let lies = self.wagers.iter().position(|wager| wager.is_at(player, spot, place));
        match lies {
            Some(i) if stake == Cents::ZERO => {
                self.wagers.remove(i);
            }
            Some(i) => self.wagers[i].stake = stake,
            None if stake == Cents::ZERO => {}
            None => {
                let limits = self.limits_of(player, self.group(spot));
                self.wagers.push(Wager { player, spot, place, stake, unnoticed: false, limits });
            }
        }
    }

    /// Replaces a card that lies face up; the hands are counted again.
    pub(super) fn set_card(&mut self, index: u8, card: Card) {
        let Some(coup) = &mut self.coup else { return };
        let Some(held) = coup.cards.get_mut(usize::from(index)) else { return };
        if let Some(old) = held.card.replace(card) {
            self.shoe.left.put_back(old);
        }
        let _ = self.shoe.left.take(card);
        coup.counted = false;
    }

    /// Moves a player to another seat, with the player's wagers.
    pub(super) fn set_seat(&mut self, player: PlayerId, seat: u32) {
        let old = core::mem::replace(&mut self.players[usize::from(player.0)].seat, seat);
        let last = self.last.iter_mut().flat_map(|last| &mut last.wagers);
        let next = self.interrupted.iter_mut().flat_map(|next| &mut next.wagers);
        let all = self.wagers.iter_mut().chain(&mut self.settled).chain(last).chain(next);
        for wager in all.filter(|wager| wager.player == player && wager.place == old) {
            wager.place = seat;
        }
    }
}
