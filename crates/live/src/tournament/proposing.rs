//! What takes back a payment in a tournament is done by two people: a coup that is made void waits
//! for a second person, and a correction is confirmed by somebody else than who asked for it.

use store::{Acted, RefusedAct};
use table::{By, Code, Refusal, Role};
use tournament::{Act, Event, Fact};

use super::{TournamentHost, at_tables};
use crate::fault::LiveError;
use crate::host::{Proposal, has_role, one_of_two};
use crate::matrix::{May, is_staff, may_in_tournament, spoke_as_staff};
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
    /// What waits for a second person, the latest first.
    pub fn proposed(&self) -> impl Iterator<Item = &Proposal<Act>> {
        self.proposed.iter().filter(|first| self.waits(first))
    }

    fn waits(&self, first: &Proposal<Act>) -> bool {
        let Some((number, act)) = at_a_table(&first.act) else { return false };
        let Some(number) = self.table_of(number) else { return false };
        let now = self.world.now();
        match self.tournament.sitting(number).map(|sitting| &sitting.table) {
            Some(table) => first.waits(act, table, now),
            // A session that is over has no later coup.
            None => now <= first.until(),
        }
    }

    /// The person who proposed what this order confirms, and who could still propose it.
    pub(super) async fn confirms(&self, order: &Order<Act>) -> Result<Option<String>, LiveError> {
        let Some((other, same)) = at_a_table(&order.act).filter(|_| order.role != Role::Player)
        else {
            return Ok(None);
        };
        let latest = self.coup_of(&order.act);
        let confirms = |first: &&Proposal<Act>| {
            at_a_table(&first.act).is_some_and(|(number, act)| {
                first.who != order.who
                    && self.table_of(number) == self.table_of(other)
                    && table::means_the_same((act, first.coup), (same, latest))
            })
        };
        for first in self.proposed().filter(confirms) {
            let may = |role| matches!(may_in_tournament(role, &first.act), May::Yes(_));
            if has_role(self.accounts.as_ref(), &first.who, may).await? {
                return Ok(Some(first.who.clone()));
            }
        }
        Ok(None)
    }

    /// A correction is confirmed by another person than the one who asked for it.
    pub(super) fn check_second(&self, order: &Order<Act>) -> Result<(), Refusal> {
        let Act::ConfirmCorrection(number) = &order.act else { return Ok(()) };
        let waits = |table: &u32| {
            let mut at = self.tournament.sittings().filter(|sitting| sitting.number == *table);
            number.is_none_or(|number| number == *table)
                && at.any(|sitting| sitting.correction.is_some())
        };
        let mut asked = self.correctors.iter().filter(|(table, _)| waits(table));
        if asked.any(|(_, who)| *who == order.who) && !self.setup.alone {
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
        self.proposed.add(Proposal { who, by, act, at, coup });
    }

    fn coup_of(&self, act: &Act) -> u32 {
        let number = at_a_table(act).and_then(|(number, _)| self.table_of(number));
        let sitting = number.and_then(|number| self.tournament.sitting(number));
        sitting.map_or(0, |sitting| sitting.table.latest_coup())
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
        if let (Some(first), Some(_)) = (&acted.who, &acted.second) {
            self.proposed.done(first);
        }
    }

    /// Follows an event that was recorded with an act: who asked for which correction.
    pub(super) fn note_correction(&mut self, who: Option<&String>, event: &Event) {
        if let (Fact::CorrectionAsked(asked), Some(who)) = (&event.fact, who) {
            self.correctors.insert(asked.table, who.clone());
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
            self.proposed.add(Proposal { who, by, act, at, coup });
        }
    }
}
