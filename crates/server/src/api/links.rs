//! One-time links: staff is invited by them, and a forgotten password is replaced.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::AccountKind;
use table::Role;

use crate::App;
use crate::api::accounts::{MINUTE, check_name, check_password, enter_instead};
use crate::door::{Link, Used};
use crate::problem::{Answered, Problem};
use crate::who::{From, Maybe, Who};

/// How long a one-time link is good.
const LINK_HOURS: u64 = 48;
/// The roles that somebody can be invited to.
const INVITED: [Role; 7] = [
    Role::Dealer,
    Role::Supervisor,
    Role::Inspector,
    Role::Management,
    Role::Director,
    Role::Operator,
    Role::Regulator,
];

/// An invitation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inviting {
    /// The role: `dealer`, `supervisor`, `inspector`, `management`, `director`, `operator` or
    /// `regulator`.
    #[schemars(example = &"dealer")]
    pub(crate) role: String,
}

/// A link that was made.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Invited {
    /// The link, which is good once.
    pub(crate) link: String,
    /// Until when, in microseconds.
    pub(crate) until: u64,
}

async fn link(app: &App, link: &Link, who: &str) -> Answered<Invited> {
    let until = app.door.now() + LINK_HOURS * 60 * MINUTE;
    let token = app.door.make_link(link, until, who).await?;
    Ok(Json(Invited { link: format!("{}/link/{token}", app.public_url()), until }))
}

/// The link that a start prints as long as no operator can sign in.
pub(crate) async fn first_link(app: &App) -> Result<String, Problem> {
    let made = link(app, &Link::Invitation(Role::Operator.key().into()), "system").await?;
    Ok(made.0.link)
}

pub(crate) async fn invite(
    State(app): State<App>,
    who: Who,
    Json(inviting): Json<Inviting>,
) -> Answered<Invited> {
    who.must_be(Role::Operator)?;
    let role = Role::from_key(&inviting.role).filter(|role| INVITED.contains(role));
    let Some(role) = role else {
        let known: Vec<_> = INVITED.iter().map(|role| role.key()).collect();
        return Err(Problem::bad(
            format!("`{}` is no role of staff", inviting.role),
            known.join(", "),
        ));
    };
    link(&app, &Link::Invitation(role.key().into()), &who.account).await
}

pub(crate) async fn reset(
    State(app): State<App>,
    who: Who,
    Path(name): Path<String>,
) -> Answered<Invited> {
    who.must_be(Role::Operator)?;
    let account = app.floor.accounts().named(&name);
    let account = account.ok_or_else(|| Problem::unknown(format!("nobody is called {name}")))?;
    if app.floor.accounts().get(&account).await?.kind == AccountKind::Robot {
        let what = format!("{name} is a robot of the house, and nobody signs in as one");
        return Err(Problem::not_yours(what, "the name of a person"));
    }
    link(&app, &Link::Password(account), &who.account).await
}

/// What a link is for.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LinkView {
    /// `invitation` or `password`.
    pub(crate) kind: &'static str,
    /// The role, or the name of the account.
    pub(crate) about: String,
}

fn no_link() -> Problem {
    let what = "a link that is used up, too old, or none";
    Problem::new(axum::http::StatusCode::GONE, "no-link", what, "ask the operator for another")
}

pub(crate) async fn look_at_link(
    State(app): State<App>,
    Path(token): Path<String>,
) -> Answered<LinkView> {
    let link = app.door.look_at_link(&token).await?.ok_or_else(no_link)?;
    Ok(Json(match link {
        Link::Invitation(role) => LinkView { kind: "invitation", about: role },
        Link::Password(account) => {
            let about = app.floor.accounts().name(&account).unwrap_or_default();
            LinkView { kind: "password", about }
        }
    }))
}

/// Somebody follows a link.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Following {
    /// The name, for an invitation of somebody who has no account here.
    #[serde(default)]
    pub(crate) name: Option<String>,
    /// The password.
    pub(crate) password: String,
}

pub(crate) async fn follow_link(
    State(app): State<App>,
    Maybe(before): Maybe,
    From(address): From,
    Path(token): Path<String>,
    Json(following): Json<Following>,
) -> Result<Response, Problem> {
    app.bounds.heavy(address)?;
    let link = app.door.look_at_link(&token).await?.ok_or_else(no_link)?;
    // Whatever can be wrong is found first: a link is not used up by a name that is not taken.
    let name = match &link {
        Link::Password(account) => app.floor.accounts().name(account).unwrap_or_default(),
        Link::Invitation(word) => {
            let name = following.name.clone().unwrap_or_default();
            check_name(&app, &name, Role::from_key(word))?;
            app.floor.accounts().free(&name)?.to_string()
        }
    };
    check_password(&app, &following.password, &name).await?;
    // The link is used up first: of two who follow it at once, one comes in.
    let used = app.door.use_link(&token).await?.ok_or_else(no_link)?;
    let account = match come_in(&app, &used, &name).await {
        Ok(account) => account,
        Err(problem) => {
            // Somebody else took the name meanwhile.
            app.door.put_link_back(&used).await?;
            return Err(problem);
        }
    };
    let what = match &used.link {
        Link::Password(_) => "a link was followed: password".to_owned(),
        Link::Invitation(word) => format!("a link was followed: {word}"),
    };
    app.door.note_deed(&used.by, &what, &account).await?;
    app.door.set_password(&account, &following.password).await?;
    app.door.end_all(&account).await?;
    enter_instead(&app, before, &account).await
}

/// The account that a link leads to; an invitation opens it.
async fn come_in(app: &App, used: &Used, name: &str) -> Result<String, Problem> {
    let word = match &used.link {
        Link::Password(account) => return Ok(account.clone()),
        Link::Invitation(word) => word,
    };
    let role = Role::from_key(word).ok_or_else(no_link)?;
    let begins = (AccountKind::Member, app.config.guest_chips);
    Ok(app.floor.accounts().open_by(&used.by, name, begins, &[role]).await??)
}

/// What was done with a one-time link.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LinkDeed {
    /// When, in microseconds.
    pub(crate) at: u64,
    /// Who made the link; nobody where a start printed it.
    pub(crate) by: Option<String>,
    /// Whether it was made or followed, and what it is for.
    pub(crate) what: String,
    /// The role, or the name of the account.
    pub(crate) about: String,
}

pub(crate) async fn links(State(app): State<App>, who: Who) -> Answered<Vec<LinkDeed>> {
    who.must_be(Role::Operator)?;
    let names = app.floor.accounts();
    let all = app.door.deeds(500).await?.into_iter().map(|deed| LinkDeed {
        at: deed.at,
        by: names.name(&deed.who),
        what: deed.what,
        about: names.name(&deed.about).unwrap_or(deed.about),
    });
    Ok(Json(all.collect()))
}
