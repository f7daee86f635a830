//! What is put right at the tables of a simulated event: wagers and chip counts that were keyed
//! wrongly, and coups that two operators make void.

use rules::{Cents, Spot};
use table::{Act as TableAct, Role};
use tournament::{Act, Chair, Miskeyed, Sitting, Tournament};

use super::Dice;

/// Who says it: so many of the role, one after another, say the same.
pub(super) struct Says {
    pub(super) role: Role,
    pub(super) people: usize,
    pub(super) act: Act,
}

/// Something to put right at a table in play, if there is one.
pub(super) fn any(tournament: &Tournament, dice: &mut Dice) -> Option<Says> {
    let live: Vec<&Sitting> = tournament.sittings().filter(|one| one.is_live()).collect();
    let sitting = *live.get(dice.below(live.len()))?;
    if dice.one_in(3) {
        let back = u32::try_from(dice.below(2)).unwrap_or(0);
        let coup = sitting.table.coups().checked_sub(back).filter(|coup| *coup > 0)?;
        let void = TableAct::VoidNumbered(coup, "a quarrel over it".into());
        let act = Act::At(Some(sitting.number), Box::new(void));
        return Some(Says { role: Role::Operator, people: 2, act });
    }
    let chairs: Vec<&Chair> = sitting.chairs.iter().filter(|chair| chair.out.is_none()).collect();
    let chair = *chairs.get(dice.below(chairs.len()))?;
    let name = tournament.entrant(chair.entrant).name;
    let step = Cents::new(5000)?;
    let wrong = if dice.one_in(2) {
        let amount = Cents::new(5000 * (1 + dice.below(3) as u64))?;
        Miskeyed::Wager { name, coup: None, spot: dice.of(&[Spot::Banker, Spot::Player]), amount }
    } else {
        // A count that is a little more than what was recorded.
        let amount = sitting.chips(chair).amount()?.checked_add(step)?;
        Miskeyed::Chips { name, amount }
    };
    let act = Act::Correct(Box::new(wrong), "keyed wrongly".into());
    Some(Says { role: Role::Director, people: 1, act })
}
