//! What operators do with the accounts of others: a balance is corrected, a role is taken away.

use axum::Json;
use axum::extract::{Path, State};
use rules::Balance;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::AccountKind;
use table::Role;

use crate::App;
use crate::problem::{Answered, Problem};
use crate::who::Who;

/// A correction of a balance: two operators say the same within ten minutes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Correction {
    /// The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and
    /// answered the same.
    #[schemars(length(min = 1, max = 64))]
    pub(crate) key: String,
    /// By how many cents: above zero the account holds more afterwards.
    #[schemars(range(min = -9_007_199_254_740_991_i64, max = 9_007_199_254_740_991_i64))]
    pub(crate) cents: i64,
    /// Why, in one line.
    pub(crate) why: String,
}

/// What the account holds after it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Corrected {
    /// In cents.
    pub(crate) balance_cents: u64,
}

fn account(app: &App, name: &str) -> Result<String, Problem> {
    let found = app.floor.accounts().named(name);
    found.ok_or_else(|| Problem::unknown(format!("nobody is called `{name}`")))
}

pub(crate) async fn correct(
    State(app): State<App>,
    who: Who,
    Path(name): Path<String>,
    Json(asked): Json<Correction>,
) -> Answered<Corrected> {
    who.must_be(Role::Operator)?;
    let id = account(&app, &name)?;
    let (by, said) = (Balance::new(asked.cents), (who.account.as_str(), asked.key.as_str()));
    let balance = app.floor.accounts().correct(&id, by, &asked.why, said).await??;
    Ok(Json(Corrected { balance_cents: balance.get() }))
}

/// The roles that somebody has.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Roles {
    /// Their words.
    pub(crate) roles: Vec<&'static str>,
}

/// A role to be taken away.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dismissal {
    /// Which.
    pub(crate) role: String,
}

pub(crate) async fn dismiss(
    State(app): State<App>,
    who: Who,
    Path(name): Path<String>,
    Json(asked): Json<Dismissal>,
) -> Answered<Roles> {
    who.must_be(Role::Operator)?;
    let id = account(&app, &name)?;
    let role = Role::ALL.iter().copied().find(|role| role.key() == asked.role);
    let role = role.ok_or_else(|| {
        Problem::bad(format!("there is no role `{}`", asked.role), "a role of GET /api/v1/me")
    })?;
    if id == who.account && role == Role::Operator {
        let what = "an operator who dismisses themselves";
        return Err(Problem::not_yours(what, "another operator does it"));
    }
    let accounts = app.floor.accounts();
    if accounts.get(&id).await?.kind == AccountKind::Robot {
        let what = format!("{name} is the house's own, which opens tables and fills seats");
        return Err(Problem::not_yours(what, "the name of a person"));
    }
    accounts.take_role(&id, role, &who.account).await?;
    // Whoever follows a table in that role is hung up on, and signs in anew.
    app.door.dismiss(&id).await?;
    let roles = accounts.get(&id).await?.roles;
    Ok(Json(Roles { roles: roles.into_iter().map(Role::key).collect() }))
}
