//! The rounds of one shoe, one after another: the plain way, for those who look at every card.

use super::plan::{Burning, Plan};
use super::shuffle::ROOM;
use rules::book::Finish;

/// Where each round begins, and how many cards it takes.
pub(crate) fn rounds(plan: &Plan, cards: &[u8; ROOM], used: usize) -> Vec<(usize, usize)> {
    let mut at = match plan.burning {
        Burning::Shown => 1 + usize::from(plan.burnt[usize::from(cards[0])]),
        Burning::Unseen => 1,
        Burning::Nothing => 0,
    };
    let marker = used - plan.behind as usize;
    let (mut rounds, mut left, mut tie_round) = (Vec::new(), u32::MAX, plan.one_more_on_tie);
    while left > 0 {
        if at >= marker && left == u32::MAX {
            left = if plan.finish[0] == Finish::NextRound { 2 } else { 1 };
        }
        let Some((takes, tie)) = coup(plan, &cards[at..used]) else { break };
        rounds.push((at, takes));
        at += takes;
        if at > marker && left == u32::MAX {
            left = if plan.finish[1] == Finish::NextRound { 2 } else { 1 };
        }
        if left != u32::MAX {
            left -= 1;
        }
        if left == 0 && tie && tie_round {
            tie_round = false;
            left = 1;
        }
    }
    rounds
}

/// How many cards a round takes, and whether it ties; nothing if there are too few.
fn coup(plan: &Plan, cards: &[u8]) -> Option<(usize, bool)> {
    let value = |i: usize| cards.get(i).map_or(0, |card| usize::from(card >> 4));
    if cards.len() < 4 {
        return None;
    }
    let row = (value(0) + value(2)) % 10 * 10 + (value(1) + value(3)) % 10;
    let end = plan.ends[(row * 10 + value(4)) * 10 + value(5)];
    let takes = 4 + usize::from(end & 3);
    let tie = plan.winner[usize::from(end >> 2)] == 0;
    (takes <= cards.len()).then_some((takes, tie))
}
