//! What takes back a payment in a tournament is done by two people: a coup that is made void waits
//! for a second person, and a correction is confirmed by somebody else than who asked for it.

use store::{Acted, RefusedAct};
use table::{By, Code, Refusal, Role};
use tournament::{Act, Event};

use super::{TournamentHost, at_tables};
use crate::host::{Proposal, latest_coup, one_of_two};
use crate::matrix::{is_staff, spoke_as_staff};
use crate::order::Order;
use crate::people::People;

impl Proposal<Act> {
    /// As it is kept, with accounts.
    pub(super) fn in_log(mut self, people: &mut People) -> Self {
        self.act = self.act.renamed(&mut |name| people.account_of(name));
        self
    }

    /// As it was kept, with names.
    pub(super) fn with_names(mut self, people: &mut People) -> Self {
        self.act = self.act.renamed(&mut |account| people.name_of(account));
        self
    }
}

/// The act at a table, and the number of the table where it is said.
fn at_a_table(act: &Act) -> Option<(Option<u32>, &table::Act)> {
    let Act::At(number, act) = act else { return None };
    Some((*number, act))
}

/// Whether an act takes back what was settled.
pub(super) fn needs_second(act: &Act, events: &[Event]) -> bool {
    at_a_table(act).is_some_and(|(_, act)| {
        let events: Vec<_> = at_tables(events).map(|(_, event)| event.clone()).collect();
        table::needs_second(act, &events)
    })
}

impl TournamentHost {
    /// What waits for a second person.
    #[must_use]
    pub fn proposed(&self) -> Option<&Proposal<Act>> {
        let first = self.proposed.as_ref()?;
        let (number, act) = at_a_table(&first.act)?;
        let table = self.tournament.sitting(self.table_of(number)?).map(|sitting| &sitting.table);
        let waits = match table {
            Some(table) => first.waits(act, table, self.world.now()),
            // A session that is over has no later coup.
            None => self.world.now() <= first.until(),
        };
        waits.then_some(first)
    }

    /// The person who proposed what this order confirms.
    pub(super) fn confirms(&self, order: &Order<Act>) -> Option<String> {
        let first = self.proposed()?;
        let ((number, act), (other, same)) = (at_a_table(&first.act)?, at_a_table(&order.act)?);
        let confirms = first.who != order.who
            && order.role != Role::Player
            && self.table_of(number) == self.table_of(other)
            && table::means_the_same(act, same);
        confirms.then(|| first.who.clone())
    }

    /// A correction is confirmed by another person than the one who asked for it.
    pub(super) fn check_second(&self, order: &Order<Act>) -> Result<(), Refusal> {
        let own = self.corrector.as_ref() == Some(&order.who);
        if matches!(order.act, Act::ConfirmCorrection(_)) && own && !self.setup.alone {
            let what = "a correction confirmed by the person who asked for it";
            let instead = "another supervisor confirms it";
            return Err(Refusal::new(Code::SecondPerson, None, what, instead));
        }
        Ok(())
    }

    /// Keeps what waits for a second person.
    pub(super) fn propose(&mut self, order: &Order<Act>, by: By) {
        let (at, coup) = (self.world.now(), self.coup_of(&order.act));
        let (who, act) = (order.who.clone(), order.act.clone());
        self.proposed = Some(Proposal { who, by, act, at, coup });
    }

    fn coup_of(&self, act: &Act) -> u32 {
        let number = at_a_table(act).and_then(|(number, _)| self.table_of(number));
        let sitting = number.and_then(|number| self.tournament.sitting(number));
        sitting.map_or(0, |sitting| latest_coup(&sitting.table))
    }

    pub(super) fn note_staff<A>(&mut self, order: &Order<A>) {
        if is_staff(order.role) && !self.staff.contains(&order.who) {
            self.staff.push(order.who.clone());
        }
    }

    /// Follows an act that was recorded: who runs the event, and what waits no more.
    pub(super) fn note_acted(&mut self, acted: &Acted<Act>) {
        for who in acted.who.iter().chain(&acted.second) {
            if spoke_as_staff(&acted.by, who) && !self.staff.contains(who) {
                self.staff.push(who.clone());
            }
        }
        if acted.second.is_some() {
            self.proposed = None;
        }
        if matches!(acted.act, Act::Correct(..)) {
            self.corrector.clone_from(&acted.who);
        }
    }

    /// Follows a refusal that was recorded: the first of two people is told to wait.
    pub(super) fn note_proposed(&mut self, refused: RefusedAct<Act>, at: u64) {
        let Acted { who: Some(who), by, act, .. } = refused.asked else { return };
        if refused.refusal == one_of_two() {
            let people = &mut self.people;
            let act = act.renamed(&mut |account| people.name_of(account));
            let coup = self.coup_of(&act);
            if spoke_as_staff(&by, &who) && !self.staff.contains(&who) {
                self.staff.push(who.clone());
            }
            self.proposed = Some(Proposal { who, by, act, at, coup });
        }
    }
}
