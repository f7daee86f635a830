//! Simulated players, for company: they bet as people do, and know no more than people do.

use rules::{Cents, Spot};
use table::{Act, Bet, Deed, Name, Table};

use super::chance::Chance;

/// One more than there can be, since the person at the screen may have one of them.
const NAMES: [&str; 7] = ["Ada", "Bruno", "Chen", "Dita", "Emil", "Fay", "Gil"];

/// The simulated players at a table.
#[derive(Clone, Debug)]
pub(crate) struct Guests {
    count: usize,
    /// The person at the screen, who is none of them whatever their name.
    me: Name,
    pub(crate) chance: Chance,
}

impl Guests {
    /// The most that there can be.
    pub(crate) const MOST: usize = NAMES.len() - 1;

    pub(crate) fn new(count: usize, me: Name) -> Self {
        Self { count: count.min(Self::MOST), me, chance: Chance::System }
    }

    /// Those who are at a table already.
    pub(crate) fn of(table: &Table, me: Name) -> Self {
        let others = table.present().filter(|(_, player)| player.name != me);
        Self::new(others.count(), me)
    }

    pub(crate) fn set(&mut self, count: usize) {
        self.count = count.min(Self::MOST);
    }

    fn name(name: &str) -> Name {
        Name::from(name).unwrap_or_default()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = Name> + use<> {
        let (me, count) = (self.me, self.count);
        NAMES.into_iter().map(Self::name).filter(move |name| *name != me).take(count)
    }

    /// Those who go when only so many stay.
    pub(crate) fn above(&self, count: usize) -> Vec<Name> {
        self.names().skip(count).collect()
    }

    /// A depth to cut at.
    pub(crate) fn cut(&mut self, (least, most): (u32, u32)) -> u32 {
        least + self.chance.below(most.saturating_sub(least) + 1)
    }

    /// What they bet in this round.
    pub(crate) fn bets(&mut self, table: &Table) -> Vec<Act> {
        let mut acts = Vec::new();
        for name in self.names() {
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
