//! An order as it is asked for, at a table or in a tournament: a line of the language, or an act.

use live::{LiveError, Opener};
use rules::Clause;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shoe::Digest;
use store::StoreError;
use table::Role;
use transcript::Unreadable;

use crate::App;
use crate::problem::Problem;
use crate::who::Who;

/// Something to be done at a table: a line of the language, or an act in the form of the log.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Asked {
    /// The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and
    /// answered the same.
    #[schemars(length(min = 1, max = 64))]
    pub(crate) key: String,
    /// The role in which you speak; where it is left out, the line says it.
    #[serde(rename = "as", default)]
    pub(crate) role: Option<String>,
    /// A line of the language, such as `bets 50 on banker`. Your own name may be left out.
    #[serde(default)]
    #[schemars(example = &"bets 50 on banker")]
    pub(crate) line: Option<String>,
    /// The act in the form of the log.
    #[serde(default)]
    pub(crate) act: Option<Value>,
}

/// What is asked for.
pub(crate) enum Wanted<S, A> {
    /// A line, as it is understood.
    Said(S),
    /// An act in the form of the log.
    Act(A),
}

/// Reads what is asked for. Who leaves the own name out of a line means it.
pub(crate) fn wanted<S, A: DeserializeOwned>(
    who: &Who,
    asked: &Asked,
    understand: impl Fn(&str) -> Result<S, Unreadable>,
) -> Result<Wanted<S, A>, Problem> {
    match (&asked.line, &asked.act) {
        (Some(line), None) => {
            let named = format!("{} {line}", transcript::say_name(&who.name));
            // A line that cannot be read costs many times one that can: what is likely comes first.
            let speaks = line.split_whitespace().next().is_some_and(transcript::is_role);
            let said = if speaks {
                understand(line).or_else(|fault| understand(&named).map_err(|_| fault))
            } else {
                // Most who leave a role out speak for themselves: their fault is told.
                understand(&named).or_else(|fault| understand(line).map_err(|_| fault))
            };
            let unread = |why: Unreadable| Problem::bad(why.what(), why.likely());
            Ok(Wanted::Said(said.map_err(unread)?))
        }
        (None, Some(act)) => {
            let instead = "an act in the form of docs/reference/facts.md, or a line";
            let act = serde_json::from_value(act.clone());
            Ok(Wanted::Act(act.map_err(|why| Problem::bad(why.to_string(), instead))?))
        }
        _ => {
            let what = "neither a line nor an act, or both";
            Err(Problem::bad(what, "one of `line` and `act`"))
        }
    }
}

/// Who asks for something to be begun, if under a key; and the stream, if it was begun before.
pub(crate) async fn opener(
    app: &App,
    who: &Who,
    key: Option<&str>,
    asked: &impl Serialize,
) -> Result<(Option<Opener>, Option<String>), Problem> {
    let Some(key) = key else { return Ok((None, None)) };
    live::check_key(key)?;
    let asked = serde_json::to_string(asked).unwrap_or_default();
    let payload = Digest::of(&[b"begins\0", asked.as_bytes()]);
    let opener = Opener { who: who.account.clone(), key: key.into(), payload };
    let before = app.floor.log().command(&opener.who, key).await.map_err(LiveError::from)?;
    match before {
        None => Ok((Some(opener), None)),
        Some((known, stream, _)) if known == payload => Ok((Some(opener), Some(stream))),
        Some(_) => Err(LiveError::Store(StoreError::KeyReused(key.into())).into()),
    }
}

/// The role in which something is said; players together and devices speak through the dealer.
pub(crate) const fn speaks(usual: Role) -> Role {
    match usual {
        Role::Players | Role::Device => Role::Dealer,
        other => other,
    }
}

/// The same in an event, for somebody with these roles: who directs it and deals at none of its
/// tables keys in what dealers and all players do.
pub(crate) fn speaks_in_event(usual: Role, roles: &[Role]) -> Role {
    let role = speaks(usual);
    let directs = roles.contains(&Role::Director) && !roles.contains(&role);
    if role == Role::Dealer && directs { Role::Director } else { role }
}

/// Clauses, each once.
pub(crate) fn each_once<'a>(clauses: impl Iterator<Item = &'a Clause>) -> Vec<Clause> {
    let mut all: Vec<Clause> = Vec::new();
    for clause in clauses {
        if !all.contains(clause) {
            all.push(*clause);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_director_who_is_no_dealer_speaks_for_players_and_dealers_as_director() {
        let said = |roles: &[Role]| speaks_in_event(Role::Players, roles);
        assert_eq!(said(&[Role::Director]), Role::Director);
        assert_eq!(said(&[Role::Dealer, Role::Director]), Role::Dealer);
        assert_eq!(said(&[Role::Inspector]), Role::Dealer, "which is refused, as nobody's role");
        assert_eq!(speaks_in_event(Role::Dealer, &[Role::Director]), Role::Director);
        assert_eq!(speaks_in_event(Role::Operator, &[Role::Director]), Role::Operator);
    }
}
