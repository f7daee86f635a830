//! What takes back a payment waits for a second person: what waits, and who may confirm it.

use serde::{Deserialize, Serialize};
use store::Body;
use table::{Act, By, Code, Refusal, Role, State};

use super::Host;
use crate::answers::reused;
use crate::fault::LiveError;
use crate::order::{Answer, Order};
use crate::people::People;
use crate::scribe::{Named, Written};

/// How long a proposal waits for its second person, in microseconds.
const WAITS_FOR: u64 = 10 * 60_000_000;

/// An act that waits for a second person. Others may act meanwhile: a table does not stand still
/// until somebody else has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal<A = Act> {
    /// The account of the person who proposed it.
    pub who: String,
    /// In which role.
    pub by: By,
    /// The act.
    pub act: A,
    /// When it was proposed.
    pub at: u64,
    /// The coup that was the latest then: "void the coup" means that one and no other.
    pub coup: u32,
}

/// The latest coup, in play or over.
pub(crate) fn latest_coup(table: &State) -> u32 {
    table.coup().map_or_else(|| table.coups(), |coup| coup.number)
}

/// What the first of two people is told, now and when asked again.
pub(crate) fn one_of_two() -> Refusal {
    let what = "what was paid is taken back by two people together";
    let instead = "another supervisor or operator says the same within ten minutes";
    Refusal::new(Code::SecondPerson, None, what, instead)
}

impl<A> Proposal<A> {
    /// Until when it can be confirmed.
    #[must_use]
    pub const fn until(&self) -> u64 {
        self.at.saturating_add(WAITS_FOR)
    }

    /// Whether it still waits at a table, at a time; `act` is what is proposed there.
    pub(crate) fn waits(&self, act: &Act, table: &State, now: u64) -> bool {
        let same_coup = table::names_its_coup(act) || self.coup == latest_coup(table);
        now <= self.until() && same_coup
    }
}

impl Proposal {
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

impl Host {
    /// What waits for a second person.
    #[must_use]
    pub fn proposed(&self) -> Option<&Proposal> {
        let waits = |one: &&Proposal| one.waits(&one.act, self.table.state(), self.world.now());
        self.proposed.as_ref().filter(waits)
    }

    /// The person who proposed what this order confirms.
    pub(super) fn confirms(&self, order: &Order) -> Option<String> {
        let first = self.proposed()?;
        // A player who says the same as staff, by chance or not, confirms nothing.
        let other = first.who != order.who && order.role != Role::Player;
        (other && table::means_the_same(&first.act, &order.act)).then(|| first.who.clone())
    }

    /// Keeps what waits for a second person, and lets those who watch know.
    pub(super) async fn propose(
        &mut self,
        order: Order,
        named: Named,
        by: By,
    ) -> Result<Answer, LiveError> {
        let at = self.world.now();
        let (acted, with) = self.acted(by, order.act.clone(), Some(order.who.clone()), None);
        let bodies = vec![Body::Proposed(Box::new(acted))];
        let first = self.scribe.version + 1;
        match self.scribe.write(named, at, bodies, Vec::new(), with).await? {
            Written::Before(first, last) => return self.answered(first, last).await,
            Written::Reused => return Ok(self.answer(Err(reused()))),
            Written::New => {}
        }
        self.note_staff(&order);
        let coup = latest_coup(self.table.state());
        self.proposed = Some(Proposal { who: order.who, by, act: order.act, at, coup });
        self.show(first, at, &[], &[]);
        Ok(self.answer(Err(one_of_two())))
    }
}
