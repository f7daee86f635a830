//! Who looks, and what these eyes may see: one table, denied unless listed.

use serde::{Deserialize, Serialize};
use table::{Name, PlayerId, State};

/// Who looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Eyes {
    /// The player of that name, or a person who wants to be one.
    Player(Name),
    /// The dealer.
    Dealer,
    /// A supervisor.
    Supervisor,
    /// An inspector.
    Inspector,
    /// The director of a tournament.
    Director,
    /// The operator.
    Operator,
    /// Somebody who only watches.
    Spectator,
    /// An auditor, who may see everything that is recorded.
    Auditor,
}

/// Something about a person that not everybody may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matter {
    /// The name.
    Name,
    /// What the person owes after a void.
    Debt,
    /// Personal limits.
    Limits,
    /// What the person was told.
    Advice,
    /// Why staff decided something about the person.
    Reason,
    /// The money that the person paid.
    Paid,
    /// A fault of a wager that staff have not noticed.
    Unnoticed,
}

/// About whom something may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// About nobody.
    Nobody,
    /// About oneself.
    Own,
    /// About everybody.
    Everybody,
}

/// What kind of eyes they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// A player's.
    Player,
    /// Those of staff: dealer, supervisor, inspector, director, operator.
    Staff,
    /// A spectator's.
    Spectator,
    /// An auditor's.
    Auditor,
}

impl Scope {
    /// The table of what may be seen: a row for each kind of eyes, a column for each matter.
    #[must_use]
    pub const fn reach(self, matter: Matter) -> Reach {
        use Reach::{Everybody as E, Nobody as N, Own as O};
        let row = match self {
            // Name, debt, limits, advice, reason, paid, unnoticed.
            Self::Player => [E, O, O, O, O, O, N],
            Self::Staff => [E, E, E, E, E, E, N],
            Self::Spectator => [N, N, N, N, N, N, N],
            Self::Auditor => [E, E, E, E, E, E, E],
        };
        row[matter as usize]
    }
}

impl Eyes {
    /// What kind of eyes they are.
    #[must_use]
    pub const fn scope(&self) -> Scope {
        match self {
            Self::Player(_) => Scope::Player,
            Self::Dealer | Self::Supervisor | Self::Inspector | Self::Director | Self::Operator => {
                Scope::Staff
            }
            Self::Spectator => Scope::Spectator,
            Self::Auditor => Scope::Auditor,
        }
    }

    /// Whether these eyes may see something about the person of that name.
    #[must_use]
    pub fn may_see(&self, matter: Matter, of: &str) -> bool {
        match self.scope().reach(matter) {
            Reach::Nobody => false,
            Reach::Own => self.is(of),
            Reach::Everybody => true,
        }
    }

    /// Whether these eyes may see something about everybody.
    #[must_use]
    pub fn may_see_all(&self, matter: Matter) -> bool {
        self.scope().reach(matter) == Reach::Everybody
    }

    /// Whether they are the eyes of the player of that name.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name().is_some_and(|me| me.as_str() == name)
    }

    /// The name of the player who looks.
    #[must_use]
    pub const fn name(&self) -> Option<&Name> {
        match self {
            Self::Player(name) => Some(name),
            Self::Dealer
            | Self::Supervisor
            | Self::Inspector
            | Self::Director
            | Self::Operator
            | Self::Spectator
            | Self::Auditor => None,
        }
    }

    /// The player who looks, if that player is at the table.
    #[must_use]
    pub fn player(&self, table: &State) -> Option<PlayerId> {
        table.player_named(self.name()?)
    }
}

/// The place of a player, for eyes that may not see the name: `seat 3`, `behind seat 3`.
pub(crate) fn place(table: &State, id: PlayerId) -> String {
    match table.players().get(usize::from(id.0)) {
        Some(player) if player.standing => format!("behind seat {}", player.seat),
        Some(player) => format!("seat {}", player.seat),
        None => "somebody".into(),
    }
}

/// What these eyes see in place of a player: the name, or the place.
#[must_use]
pub fn called(eyes: &Eyes, table: &State, id: PlayerId) -> String {
    match table.players().get(usize::from(id.0)) {
        Some(player) if eyes.may_see(Matter::Name, &player.name) => player.name.to_string(),
        Some(_) | None => place(table, id),
    }
}

/// The same for a name that a line or an event has.
pub(crate) fn named(eyes: &Eyes, table: &State, name: &str) -> Name {
    if eyes.may_see(Matter::Name, name) {
        return Name::from(name).unwrap_or_default();
    }
    let mut known =
        table.players().iter().zip(0_u16..).filter(|(one, _)| one.name.as_str() == name);
    // Of several visits, the first; the place is all that is told.
    let id = table.player_named(name).or_else(|| known.next().map(|(_, id)| PlayerId(id)));
    let place = id.map_or_else(|| "a player".into(), |id| place(table, id));
    Name::from(&place).unwrap_or_default()
}

/// What stands in place of words that these eyes may not see.
pub(crate) const NOT_SHOWN: &str = "not shown";

/// Words that somebody wrote, for these eyes: words that name a person are for that person and for
/// those who may see every reason.
pub(crate) fn written<'a>(
    eyes: &Eyes,
    words: &str,
    mut names: impl Iterator<Item = &'a str>,
) -> String {
    let shown = eyes.may_see_all(Matter::Reason)
        || !names.any(|name| speaks_of(words, name) && !eyes.may_see(Matter::Reason, name));
    if shown { words.into() } else { NOT_SHOWN.into() }
}

/// Whether a text has a name in it as a word of its own, in whatever case.
pub(crate) fn speaks_of(text: &str, name: &str) -> bool {
    if name.is_empty() {
        return false;
    }
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    text.match_indices(&name).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eyes_have_a_stored_form() {
        let ada = Eyes::Player(Name::from("Ada").unwrap_or_default());
        for (eyes, form) in [(ada, r#"{"player":"Ada"}"#), (Eyes::Spectator, r#""spectator""#)] {
            let written = serde_json::to_string(&eyes).unwrap_or_default();
            assert_eq!(written, form);
            assert_eq!(serde_json::from_str::<Eyes>(&written).ok(), Some(eyes));
        }
    }

    #[test]
    fn the_columns_are_in_the_order_of_the_matters() {
        let reach = |matter| Scope::Player.reach(matter);
        assert_eq!(reach(Matter::Name), Reach::Everybody);
        assert_eq!(reach(Matter::Debt), Reach::Own);
        assert_eq!(reach(Matter::Unnoticed), Reach::Nobody);
        assert_eq!(Scope::Staff.reach(Matter::Unnoticed), Reach::Nobody);
        assert_eq!(Scope::Auditor.reach(Matter::Unnoticed), Reach::Everybody);
    }

    #[test]
    fn a_name_is_found_as_a_word() {
        assert!(speaks_of("chips go back to ada, who is out", "Ada"));
        assert!(!speaks_of("nevada", "Ada"));
        assert!(!speaks_of("anything", ""));
    }
}
