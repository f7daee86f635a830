//! The records of past coups: their effects, which a void takes back, and their part in every
//! count.

use alloc::vec::Vec;

use rules::{Balance, Cents, Clauses, Terms};
use serde::{Deserialize, Serialize};

use crate::event::{NoBetWhy, PlayerId};
use crate::shoe::Shoe;
use crate::state::{Coup, State, Wager};

/// The effect of a coup on a player's chips, in case of a later void.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// The player.
    pub player: PlayerId,
    /// The cents that the player gained; below zero for a loss.
    pub gained: Balance,
    /// The commission that was withheld.
    pub commission: Balance,
}

/// The record of a coup: its effect on the chips, and its part in every count of coups in a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoupRecord {
    /// The number of the coup.
    pub number: u32,
    /// The effect of each settled wager on its owner's chips.
    pub effects: Vec<Effect>,
    /// The coup was voided, and counts for nothing.
    pub voided: bool,
    /// Why the coup was without wagers, if it was.
    pub no_bet: Option<NoBetWhy>,
    /// The players who sat at the full table without a wager.
    pub idle: Vec<PlayerId>,
    /// The coup was one of those that needed no wager.
    pub optional: bool,
}

impl CoupRecord {
    /// Whether a wager of that player was settled in it.
    pub(crate) fn concerns(&self, player: PlayerId) -> bool {
        self.effects.iter().any(|effect| effect.player == player)
    }

    /// The effect on each player's chips, all wagers of the player together.
    pub(crate) fn net_effects(&self) -> Vec<Effect> {
        let mut net: Vec<Effect> = Vec::with_capacity(self.effects.len());
        for effect in &self.effects {
            match net.iter_mut().find(|one| one.player == effect.player) {
                Some(one) => {
                    one.gained += effect.gained;
                    one.commission += effect.commission;
                }
                None => net.push(*effect),
            }
        }
        net
    }
}

/// The rules that apply to a round from the moment that betting opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Round {
    /// The cap on the differential or the liability.
    pub(crate) exposure: Option<Cents>,
    /// How wagers are settled, and which side bets are offered.
    pub(crate) terms: Terms,
}

/// The coup that ended last, as long as the next has not begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finished {
    pub(crate) coup: Coup,
    /// Its wagers, as they were settled.
    pub(crate) wagers: Vec<Wager>,
    pub(crate) round: Round,
    /// The shoe that it was dealt from, once that is over.
    pub(crate) shoe: Option<Shoe>,
    /// An error of card placement was found in it, which must be put right.
    pub(crate) doubted: bool,
    /// Its cards were shuffled or replaced since, so they can no longer be put right.
    pub(crate) cards_gone: bool,
}

/// What was interrupted when a coup was judged again: afterwards the next round continues as it
/// was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Interrupted {
    pub(crate) round: Round,
    pub(crate) wagers: Vec<Wager>,
    /// The clauses of a pending shuffle that the coup itself did not cause.
    pub(crate) shuffle_by: Clauses,
}

impl State {
    /// The record of a coup.
    pub(crate) fn record_of(&self, number: u32) -> Option<&CoupRecord> {
        self.records.iter().rev().find(|record| record.number == number)
    }

    /// The coups that count, the latest first.
    fn counted(&self) -> impl Iterator<Item = &CoupRecord> {
        self.records.iter().rev().filter(|record| !record.voided)
    }

    /// How many coups in a row were without wagers, for any reason.
    pub(crate) fn no_bets_in_a_row(&self) -> usize {
        self.counted().take_while(|record| record.no_bet.is_some()).count()
    }

    /// For how many rounds in a row a player sat at the full table without a wager. A coup without
    /// wagers neither counts nor breaks the row.
    pub(crate) fn idle_rounds(&self, player: PlayerId) -> usize {
        let rounds = self.counted().filter(|record| record.no_bet.is_none());
        rounds.take_while(|record| record.idle.contains(&player)).count()
    }
}
