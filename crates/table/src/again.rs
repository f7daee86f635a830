//! What a tournament takes back: a player who left is in the seat again, a closed table is open.

use crate::event::PlayerId;
use crate::state::{Phase, State};

impl State {
    /// A player who left is in the seat again, with so many cents: a tournament lets in again who
    /// went out by a coup that is void. What stood open between them is part of that.
    pub fn let_in_again(&mut self, id: PlayerId, cents: i64) {
        if !self.there.contains(&id) {
            self.there.push(id);
        }
        let player = &mut self.players[usize::from(id.0)];
        player.present = true;
        let owed = core::mem::take(&mut player.receivable);
        player.stack += cents;
        self.outside += owed - cents;
    }

    /// A table that closed is open again: a tournament goes back to a session that seemed over.
    /// Cards that were taken out to be checked since are shuffled first.
    pub fn open_again(&mut self) {
        if self.shoe.checked_by != [false; 3] && !self.shuffle_due {
            self.end_shoe();
        }
        self.phase = if self.shuffle_due { Phase::Preparing } else { Phase::Betting };
    }
}
