//! Who may do what: one matrix of role and act, denied unless listed.
//!
//! The core says whose act it is ([`Act::roles`]); this says who may speak for them on a floor, and
//! what nobody but the system may do.

use store::Deals;
use table::{Act, By, Checker, Code, Refusal, Role, Work};

/// How somebody in a role may do an act at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum May {
    /// Not at all.
    No,
    /// As what they are.
    Yes(By),
    /// For a player who has no account here, and whose wagers the dealer keys in.
    ForWalkIn(By),
}

/// Whether somebody in that role may do the act at a table that is dealt so.
#[must_use]
pub fn may(role: Role, act: &Act, deals: Deals) -> May {
    // Time is the floor's, and where the system deals nobody else does.
    if role == Role::Clock || deals == Deals::System && act.roles() == [Role::Dealer] {
        return May::No;
    }
    let own = By::usual(act);
    match (role, act) {
        // Players without an account are keyed in by staff.
        (Role::Dealer, Act::Player(..)) if deals != Deals::System => May::ForWalkIn(own),
        // All players are asked by those who stand at the table; a device is read by the dealer.
        (Role::Player, Act::Player(..))
        | (
            Role::Dealer | Role::Supervisor | Role::Inspector | Role::Management,
            Act::PlayersConsent,
        )
        | (Role::Dealer, Act::Dealer(Work::Check(Checker::Device))) => May::Yes(own),
        (
            Role::Dealer
            | Role::Supervisor
            | Role::Inspector
            | Role::Management
            | Role::Operator
            | Role::Regulator,
            _,
        ) if act.roles().contains(&role) => May::Yes(By::role(role)),
        (
            Role::Player
            | Role::Players
            | Role::Dealer
            | Role::Device
            | Role::Supervisor
            | Role::Inspector
            | Role::Management
            | Role::Operator
            | Role::Director
            | Role::Regulator
            | Role::Clock,
            _,
        ) => May::No,
    }
}

/// Whether somebody in that role may do the act in a tournament.
#[must_use]
pub fn may_in_tournament(role: Role, act: &tournament::Act) -> May {
    let own = act.usual();
    match role {
        Role::Clock | Role::Players | Role::Device => May::No,
        // The director runs the event alone, and keys in what players and dealers do and say.
        Role::Director => match own.role {
            Role::Player | Role::Players | Role::Dealer | Role::Device | Role::Director => {
                May::Yes(own)
            }
            // A second person is another person, and the regulator is nobody's to speak for.
            Role::Supervisor
            | Role::Inspector
            | Role::Management
            | Role::Operator
            | Role::Regulator
            | Role::Clock => May::No,
        },
        Role::Dealer if matches!(own.role, Role::Player | Role::Players | Role::Device) => {
            May::ForWalkIn(own)
        }
        // What was sealed nobody else reads out, whoever else supervises a table.
        Role::Supervisor | Role::Management if opens_form(act) => May::No,
        Role::Player
        | Role::Dealer
        | Role::Supervisor
        | Role::Inspector
        | Role::Management
        | Role::Operator
        | Role::Regulator => {
            let by = if role == Role::Player { own } else { By::role(role) };
            if act.roles().contains(&role) { May::Yes(by) } else { May::No }
        }
    }
}

const fn opens_form(act: &tournament::Act) -> bool {
    matches!(act, tournament::Act::OpenForm { .. })
}

/// Who usually says this in a tournament of a floor.
pub(crate) const fn usual_speaker(act: &tournament::Act) -> Role {
    if opens_form(act) { Role::Inspector } else { act.roles()[0] }
}

/// An act of another player, which somebody said as a player: what would do is to say it in a role
/// of their own, where they may.
pub(crate) fn for_another(roles: &[Role], may: impl Fn(Role) -> May) -> Refusal {
    let instead = match roles.iter().find(|role| may(**role) != May::No) {
        Some(role) => {
            let role = role.key();
            format!("speak for yourself, or as {role} (`\"as\":\"{role}\"`)")
        }
        None => "speak for yourself".into(),
    };
    Refusal::new(Code::NotTheirs, None, "an act of another player", instead)
}

/// Whether somebody who is recorded as who said an act spoke as staff: for a player without an
/// account, for all of them, or in a role of their own. `by` has accounts in the place of names.
#[must_use]
pub(crate) fn spoke_as_staff(by: &By, who: &str) -> bool {
    let for_somebody = by.role == Role::Player && by.name.is_none_or(|name| name.as_str() != who);
    for_somebody || by.role == Role::Players || is_staff(by.role)
}

/// Whether the role is one of those who run a table.
#[must_use]
pub const fn is_staff(role: Role) -> bool {
    match role {
        Role::Dealer
        | Role::Device
        | Role::Supervisor
        | Role::Inspector
        | Role::Management
        | Role::Operator
        | Role::Director => true,
        Role::Player | Role::Players | Role::Regulator | Role::Clock => false,
    }
}
