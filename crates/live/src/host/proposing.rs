//! What takes back a payment waits for a second person: what waits, and who may confirm it.

use serde::{Deserialize, Serialize};
use store::Body;
use table::{Act, By, Code, Refusal, Role, State};

use super::Host;
use crate::account::Accounts;
use crate::answers::reused;
use crate::fault::LiveError;
use crate::matrix::{May, may};
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

/// What the first of two people is told, now and when asked again.
pub(crate) fn one_of_two() -> Refusal {
    let what = "what was paid is taken back by two people together";
    let instead = "another supervisor or operator says the same within ten minutes";
    Refusal::new(Code::SecondPerson, None, what, instead)
}

/// Whether somebody has such a role still: who was dismissed meanwhile is no first of two people.
pub(crate) async fn has_role(
    accounts: Option<&Accounts>,
    who: &str,
    such: impl Fn(Role) -> bool,
) -> Result<bool, LiveError> {
    let Some(accounts) = accounts else { return Ok(true) };
    Ok(accounts.get(who).await?.roles.into_iter().any(such))
}

impl<A> Proposal<A> {
    /// Until when it can be confirmed.
    #[must_use]
    pub const fn until(&self) -> u64 {
        self.at.saturating_add(WAITS_FOR)
    }

    /// Whether it still waits at a table, at a time; `act` is what is proposed there.
    pub(crate) fn waits(&self, act: &Act, table: &State, now: u64) -> bool {
        let same_coup = table::names_its_coup(act) || self.coup == table.latest_coup();
        now <= self.until() && same_coup
    }
}

/// What waits for a second person: each person's own, so that nobody's displaces another's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Proposals<A = Act>(Vec<Proposal<A>>);

impl<A> Default for Proposals<A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<A> Proposals<A> {
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps what somebody proposes, in the place of what that person proposed before.
    pub(crate) fn add(&mut self, proposal: Proposal<A>) {
        self.0.retain(|other| other.who != proposal.who && proposal.at <= other.until());
        self.0.push(proposal);
    }

    /// The latest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Proposal<A>> {
        self.0.iter().rev()
    }

    /// It is done, and what that person proposed waits no more.
    pub(crate) fn done(&mut self, who: &str) {
        self.0.retain(|one| one.who != who);
    }

    /// With one that was kept apart.
    pub(crate) fn and(mut self, one: Option<Proposal<A>>) -> Self {
        self.0.extend(one);
        self
    }

    pub(crate) fn map(self, with: impl FnMut(Proposal<A>) -> Proposal<A>) -> Self {
        Self(self.0.into_iter().map(with).collect())
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
    /// What waits for a second person, the latest first.
    pub fn proposed(&self) -> impl Iterator<Item = &Proposal> {
        let (table, now) = (self.table.state(), self.world.now());
        self.proposed.iter().filter(move |one| one.waits(&one.act, table, now))
    }

    /// The person who proposed what this order confirms, and who could still propose it.
    pub(super) async fn confirms(&self, order: &Order) -> Result<Option<String>, LiveError> {
        // A player who says the same as staff, by chance or not, confirms nothing.
        let latest = self.table.state().latest_coup();
        let same = |first: &&Proposal| {
            first.who != order.who
                && order.role != Role::Player
                && table::means_the_same((&first.act, first.coup), (&order.act, latest))
        };
        for first in self.proposed().filter(same) {
            let may = |role| matches!(may(role, &first.act, self.setup.deals), May::Yes(_));
            if has_role(self.accounts.as_ref(), &first.who, may).await? {
                return Ok(Some(first.who.clone()));
            }
        }
        Ok(None)
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
        let coup = self.table.state().latest_coup();
        self.proposed.add(Proposal { who: order.who, by, act: order.act, at, coup });
        self.show(first, at, &[], &[]);
        Ok(self.answer(Err(one_of_two())))
    }
}
