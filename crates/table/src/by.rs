//! The person who speaks to a table or in a tournament, and the person's role.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::command::{Act, Checker, Decision, Name, Work};
use crate::event::{Event, Fact};

/// The role in which somebody speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// One player, or a person who wants to be one.
    Player,
    /// All players together.
    Players,
    /// The dealer, or the system in the dealer's place.
    Dealer,
    /// A device that checks or shuffles cards.
    Device,
    /// A supervisor of the table.
    Supervisor,
    /// An inspector, who may do what a supervisor does.
    Inspector,
    /// The management on duty, which may do what a supervisor does.
    Management,
    /// The operator, who runs the house.
    Operator,
    /// The director of a tournament.
    Director,
    /// The regulator, who approves what a house does.
    Regulator,
    /// Nobody: time passes.
    Clock,
}

impl Role {
    /// Every role.
    pub const ALL: &'static [Self] = &[
        Self::Player,
        Self::Players,
        Self::Dealer,
        Self::Device,
        Self::Supervisor,
        Self::Inspector,
        Self::Management,
        Self::Operator,
        Self::Director,
        Self::Regulator,
        Self::Clock,
    ];

    /// The roles that supervise a table.
    pub const SUPERVISORS: &'static [Self] = &[Self::Supervisor, Self::Inspector, Self::Management];

    /// The word for it, in lines and in the log.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Players => "players",
            Self::Dealer => "dealer",
            Self::Device => "device",
            Self::Supervisor => "supervisor",
            Self::Inspector => "inspector",
            Self::Management => "management",
            Self::Operator => "operator",
            Self::Director => "director",
            Self::Regulator => "regulator",
            Self::Clock => "clock",
        }
    }

    /// The role that a word names.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.key() == key)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// Who speaks, and in which role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct By {
    /// The role.
    pub role: Role,
    /// The person's name, if it is known.
    pub name: Option<Name>,
}

impl By {
    /// Somebody in a role.
    #[must_use]
    pub const fn role(role: Role) -> Self {
        Self { role, name: None }
    }

    /// A player.
    #[must_use]
    pub const fn player(name: Name) -> Self {
        Self { role: Role::Player, name: Some(name) }
    }

    /// The role that usually does such a thing.
    #[must_use]
    pub fn usual(act: &Act) -> Self {
        let name = if let Act::Player(name, _) = act { Some(*name) } else { None };
        Self { role: act.roles()[0], name }
    }
}

impl fmt::Display for By {
    /// The name as the log has it: a player by name, staff by role.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.role, &self.name) {
            (Role::Player, Some(name)) => f.write_str(name),
            (role, Some(name)) => write!(f, "{role} {name}"),
            (role, None) => write!(f, "{role}"),
        }
    }
}

/// Whether two names are the same. They are compared byte by byte: names differ early or are short,
/// and a call to compare memory costs more.
pub(crate) fn is_same(name: &str, other: &str) -> bool {
    name.len() == other.len() && name.bytes().eq(other.bytes())
}

impl Act {
    /// The roles that may do the act; the first is the one that usually does.
    #[must_use]
    pub const fn roles(&self) -> &'static [Role] {
        match self {
            Self::Tick => &[Role::Clock],
            Self::Open(_)
            | Self::Post(_)
            | Self::GiveNotice(..)
            | Self::Allow(..)
            | Self::Invalidate(_)
            | Self::VoidWagers(..)
            | Self::Exclude(..)
            | Self::RequireSeat(_)
            | Self::ReplaceCards
            | Self::Close
            | Self::GiveRules
            | Self::VoidNumbered(..)
            | Self::DecideDispute(..) => &[Role::Operator],
            Self::ReviewDispute(..) => &[Role::Regulator],
            Self::InspectorLeaves | Self::InspectorReturns => &[Role::Inspector],
            Self::VoidCoup(_) => {
                &[Role::Operator, Role::Supervisor, Role::Inspector, Role::Management]
            }
            Self::PlayersConsent => &[Role::Players],
            Self::Player(..) => &[Role::Player],
            Self::Dealer(Work::Check(Checker::Supervisor)) | Self::Supervisor(_) => {
                Role::SUPERVISORS
            }
            Self::Dealer(Work::Check(Checker::Device)) => &[Role::Device],
            Self::Dealer(_)
            | Self::CuttingCardAppears
            | Self::CuttingCardShows
            | Self::ShoeRunsOut
            | Self::FreshShoe => &[Role::Dealer],
        }
    }

    /// Whether this person may do the act: a player speaks for nobody else.
    #[must_use]
    pub fn is_for(&self, by: &By) -> bool {
        let theirs = match (self, &by.name) {
            (Self::Player(name, _), Some(by)) => is_same(name, by),
            _ => true,
        };
        theirs && self.roles().contains(&by.role)
    }
}

/// Whether a second person means the same act; the reason may be put in other words. With each act
/// comes the latest coup when it was said: "the coup" is that one, as if it had been numbered.
#[must_use]
pub fn means_the_same((one, then): (&Act, u32), (other, now): (&Act, u32)) -> bool {
    match (one, other) {
        (Act::VoidCoup(_) | Act::VoidNumbered(..), Act::VoidCoup(_) | Act::VoidNumbered(..)) => {
            coup_of(one, then) == coup_of(other, now)
        }
        (Act::Invalidate(_), Act::Invalidate(_)) => then == now,
        (Act::VoidWagers(name, ..), Act::VoidWagers(of, ..)) => {
            (name, coup_of(one, then)) == (of, coup_of(other, now))
        }
        (one, other) => one == other,
    }
}

/// The coup that an act is about, where the latest is that one.
const fn coup_of(act: &Act, latest: u32) -> u32 {
    if let Act::VoidNumbered(number, _) | Act::VoidWagers(_, Some(number), _) = act {
        *number
    } else {
        latest
    }
}

/// Whether an act names the coup that it is about; any other is about the latest.
#[must_use]
pub const fn names_its_coup(act: &Act) -> bool {
    matches!(
        act,
        Act::VoidNumbered(..)
            | Act::VoidWagers(_, Some(_), _)
            | Act::Supervisor(Decision::FindError(_))
    )
}

/// Whether an act needs a second person: somebody chose to take back what was paid. What the cards
/// bring, whoever keys them, is the book's choice.
#[must_use]
pub fn needs_second(act: &Act, events: &[Event]) -> bool {
    let chosen = match act {
        Act::Tick
        | Act::Player(..)
        | Act::Dealer(_)
        | Act::CuttingCardAppears
        | Act::CuttingCardShows
        | Act::ShoeRunsOut
        | Act::FreshShoe => false,
        Act::Open(_)
        | Act::Post(_)
        | Act::GiveNotice(..)
        | Act::PlayersConsent
        | Act::Allow(..)
        | Act::VoidCoup(_)
        | Act::VoidNumbered(..)
        | Act::VoidWagers(..)
        | Act::Invalidate(_)
        | Act::Exclude(..)
        | Act::RequireSeat(_)
        | Act::ReplaceCards
        | Act::Close
        | Act::GiveRules
        | Act::DecideDispute(..)
        | Act::ReviewDispute(..)
        | Act::InspectorLeaves
        | Act::InspectorReturns
        | Act::Supervisor(_) => true,
    };
    chosen && events.iter().any(|event| matches!(event.fact, Fact::Reversed { .. }))
}
