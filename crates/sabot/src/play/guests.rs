//! Simulated players, for company: they bet as people do, and know no more than people do.

use rules::{Cents, Spot};
use table::{Act, Bet, Deed, Name, Table};

use super::chance::Chance;

/// One more than there can be, since the person at the screen may have one of them.
const NAMES: [&str; 7] = ["Ada", "Bruno", "Chen", "Dita", "Emil", "Fay", "Gil"];

/// The simulated players at a table. Whoever else is there is a person, whatever their name.
#[derive(Clone, Debug)]
pub(crate) struct Guests {
    names: Vec<Name>,
    pub(crate) chance: Chance,
}

impl Guests {
    /// The most that there can be.
    pub(crate) const MOST: usize = NAMES.len() - 1;

    pub(crate) fn new(names: Vec<Name>) -> Self {
        Self { names, chance: Chance::System }
    }

    /// Names for more of them: those that nobody at the table has.
    pub(crate) fn free(table: &Table) -> impl Iterator<Item = Name> {
        let names = NAMES.into_iter().map(|name| Name::from(name).unwrap_or_default());
        names.filter(move |name| table.player_named(name).is_none())
    }

    /// Somebody is simulated from now on.
    pub(crate) fn add(&mut self, name: Name) {
        self.names.push(name);
    }

    /// Somebody is none of them any more: they went, or a person has the name.
    pub(crate) fn forget(&mut self, name: Name) {
        self.names.retain(|known| *known != name);
    }

    pub(crate) fn is_one(&self, name: Name) -> bool {
        self.names.contains(&name)
    }

    /// Those who are at the table.
    pub(crate) fn at(&self, table: &Table) -> Vec<Name> {
        let there = |name: &Name| table.player_named(name).is_some();
        self.names.iter().copied().filter(there).collect()
    }

    /// A depth to cut at.
    pub(crate) fn cut(&mut self, (least, most): (u32, u32)) -> u32 {
        least + self.chance.below(most.saturating_sub(least) + 1)
    }

    /// What they bet in this round.
    pub(crate) fn bets(&mut self, table: &Table) -> Vec<Act> {
        let mut acts = Vec::new();
        for name in self.at(table) {
            let Some(id) = table.player_named(&name) else { continue };
            let stack = table.player(id).stack.at_least_zero().get();
            let mut bet = |spot: Spot, dollars: u32| {
                let amount = Cents::new(u64::from(dollars) * 100).unwrap_or(Cents::ZERO);
                let limits = table.limits(table.group(spot));
                let lawful = limits.is_some_and(|l| amount >= l.least && amount <= l.most);
                if lawful && amount.get() <= stack {
                    let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
                    acts.push(Act::Player(name, Deed::Bet(bet)));
                }
            };
            let chance = &mut self.chance;
            let main = if chance.below(2) == 0 { Spot::Banker } else { Spot::Player };
            bet(main, 10 * (1 + chance.below(10)));
            if chance.below(6) == 0 {
                bet(Spot::Tie, 5 * (1 + chance.below(4)));
            }
            let spots: Vec<Spot> = Spot::MAIN.into_iter().chain(table.side_spots()).collect();
            let which = chance.below(u32::try_from(spots.len()).unwrap_or(1));
            let side = spots.get(which as usize).filter(|spot| matches!(spot, Spot::Side(_)));
            if let Some(side) = side.copied()
                && chance.below(3) == 0
            {
                bet(side, 5 * (1 + chance.below(4)));
            }
        }
        acts
    }
}
