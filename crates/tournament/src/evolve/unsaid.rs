//! Facts that older logs do not state at a table: that a player is away or in again, and that the
//! table is open again. Older logs state them only for the tournament; they are folded as if the
//! table had stated them. In newer logs the table's own event comes first, and nothing remains to
//! be done.

use alloc::vec::Vec;

use rules::Balance;
use table::{Account, Direction, Fact as TableFact, Phase, PlayerId, Time};

use crate::sitting::Sitting;

/// A direction of the tournament at that time.
const fn unsaid(at: Time) -> Direction<'static> {
    Direction { at, clauses: &[] }
}

impl Sitting {
    pub(super) fn say_who_is_away(&mut self, at: Time) {
        let known = |player: PlayerId, missing: bool| self.table.is_away(player) == missing;
        let chairs = self.chairs.iter().filter_map(|c| Some((c.player?, c.is_missing())));
        let changed: Vec<_> =
            chairs.filter(|(player, missing)| !known(*player, *missing)).collect();
        for (player, missing) in changed {
            let fact = if missing { TableFact::Away(player) } else { TableFact::Back(player) };
            self.table.evolve(&unsaid(at).event(fact));
        }
    }

    pub(super) fn say_in_again(&mut self, at: Time, player: Option<PlayerId>, chips: Balance) {
        let Some(player) = player.filter(|player| !self.table.player(*player).present) else {
            return;
        };
        let owed = self.table.balance(Account::Receivable(player));
        let event = unsaid(at).let_in_again(player, chips, owed);
        self.table.evolve(&event);
    }

    pub(super) fn say_open_again(&mut self, at: Time) {
        if self.table.phase() == Phase::Closed {
            self.table.evolve(&unsaid(at).event(TableFact::OpenedAgain));
        }
    }
}
