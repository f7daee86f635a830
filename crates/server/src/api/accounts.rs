//! Who comes in: guests, members, staff by invitation; and what people set for themselves.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::SET_COOKIE;
use axum::response::{AppendHeaders, IntoResponse, Response};
use rules::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{AccountKind, OwnLimits};
use table::Role;

use crate::App;
use crate::bounds::network;
use crate::door::{Good, Lasts, Link, fault_of_password};
use crate::problem::{Answered, Problem};
use crate::who::{From, Maybe, Who, cookie};

const MINUTE: u64 = 60_000_000;
const DAY: u64 = 24 * 60 * MINUTE;
/// How long a guest's session lasts, as long as the cookie: nothing else leads to the account.
const GUEST_DAYS: u64 = 180;
/// How long a member's session lasts, however much it is used.
const MEMBER_DAYS: u64 = 30;
/// The same for staff: a shift.
const STAFF_HOURS: u64 = 12;
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

/// A guest to be.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGuest {
    /// The name that you want; one is found if you name none.
    #[serde(default)]
    pub(crate) name: Option<String>,
}

/// Somebody came in.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Entered {
    /// The account.
    pub(crate) account: String,
    /// The name.
    pub(crate) name: String,
    /// The token, for programs; browsers get it as a cookie.
    pub(crate) token: String,
}

/// Who somebody is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Me {
    /// The account.
    pub(crate) account: String,
    /// The name.
    pub(crate) name: String,
    /// `guest`, `member` or `robot`.
    pub(crate) kind: &'static str,
    /// The roles besides playing.
    pub(crate) roles: Vec<&'static str>,
    /// What the account holds, in cents of play money.
    pub(crate) balance_cents: u64,
    /// The most that you want to lose within a day, in cents.
    pub(crate) loss_cents: Option<u64>,
    /// The most that you want to play within a day, in minutes.
    pub(crate) minutes: Option<u32>,
    /// How often you want to be reminded of time and money, in minutes.
    pub(crate) remind: Option<u32>,
    /// Minutes played within a day.
    pub(crate) played_minutes: u32,
    /// Until when you take no part, in microseconds.
    pub(crate) paused_until: Option<u64>,
}

const fn kind_word(kind: AccountKind) -> &'static str {
    match kind {
        AccountKind::Guest => "guest",
        AccountKind::Member => "member",
        AccountKind::Robot => "robot",
    }
}

fn lasts(app: &App, kind: AccountKind, roles: &[Role]) -> Lasts {
    let (idle, whole) = match (roles.is_empty(), kind) {
        (false, _) => (u64::from(app.config.idle_staff) * MINUTE, STAFF_HOURS * 60 * MINUTE),
        (true, AccountKind::Guest | AccountKind::Robot) => (GUEST_DAYS * DAY, GUEST_DAYS * DAY),
        (true, AccountKind::Member) => {
            (u64::from(app.config.idle_player) * MINUTE, MEMBER_DAYS * DAY)
        }
    };
    Lasts { idle, whole }
}

/// Begins a session, and gives its token as a cookie and in the answer.
async fn enter(app: &App, account: &str) -> Result<Response, Problem> {
    let known = app.floor.accounts().get(account).await?;
    let token = app.door.begin(account, lasts(app, known.kind, &known.roles)).await?;
    let name = app.floor.accounts().name(account).unwrap_or_default();
    let cookie = AppendHeaders([(SET_COOKIE, cookie(app, Some(&token)))]);
    let entered = Entered { account: account.into(), name, token };
    Ok((cookie, Json(entered)).into_response())
}

/// Names for guests who name none: a word of the trade and a number.
const WORDS: [&str; 16] = [
    "Ace", "Banco", "Coup", "Cut", "Dragon", "Felt", "Jade", "Lucky", "Natural", "Palette",
    "Panda", "Punto", "Ruby", "Shoe", "Tiger", "Ivory",
];

fn random() -> Result<u32, Problem> {
    let mut bytes = [0; 4];
    let faulty = |_| {
        let status = axum::http::StatusCode::SERVICE_UNAVAILABLE;
        Problem::new(status, "no-entropy", "no random numbers at the moment", "ask again later")
    };
    getrandom::fill(&mut bytes).map_err(faulty)?;
    Ok(u32::from_be_bytes(bytes))
}

/// Whether a name would be taken for one of the house's own.
pub(crate) fn is_reserved(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["robot", "house", "sabot"].iter().any(|word| lower.starts_with(word))
}

/// Names that say what their owner is not.
fn check_name(name: &str) -> Result<(), Problem> {
    // As it would be kept: a space before it hides nothing.
    let kept = transcript::name(name).map_or_else(|_| name.to_owned(), |name| name.to_string());
    if is_reserved(&kept) {
        let instead = "a name that begins neither with Robot nor with House or Sabot";
        return Err(Problem::bad(format!("{name} would be taken for the house's own"), instead));
    }
    Ok(())
}

pub(crate) async fn guest(
    State(app): State<App>,
    From(address): From,
    Json(new): Json<NewGuest>,
) -> Result<Response, Problem> {
    app.bounds.guest(address)?;
    check_name(new.name.as_deref().unwrap_or_default())?;
    let accounts = app.floor.accounts();
    for _ in 0..20 {
        let name = if let Some(name) = &new.name {
            name.clone()
        } else {
            let number = random()?;
            let word = WORDS[(number % 16) as usize];
            format!("{word}-{}", number / 16 % 10_000)
        };
        match accounts.open(&name, AccountKind::Guest, app.config.guest_chips, &[]).await? {
            Ok(account) => return enter(&app, &account).await,
            Err(refusal) if new.name.is_some() => return Err(refusal.into()),
            Err(_) => {}
        }
    }
    Err(Problem::too_many("no free name was found", 1))
}

pub(crate) async fn me(State(app): State<App>, who: Who) -> Answered<Me> {
    whole(&app, &who).await.map(Json)
}

async fn whole(app: &App, who: &Who) -> Result<Me, Problem> {
    let account = app.floor.accounts().get(&who.account).await?;
    let now = store::now();
    let limits = account.limits_now(now);
    Ok(Me {
        name: who.name.to_string(),
        kind: kind_word(account.kind),
        roles: account.roles.iter().map(|role| role.key()).collect(),
        balance_cents: account.balance.get(),
        loss_cents: limits.loss.map(Cents::get),
        minutes: limits.minutes,
        remind: limits.remind,
        played_minutes: account.minutes(now),
        paused_until: (account.paused > now).then_some(account.paused),
        account: account.id,
    })
}

/// Somebody signs in.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SigningIn {
    /// The name.
    pub(crate) name: String,
    /// The password.
    pub(crate) password: String,
}

pub(crate) async fn sign_in(
    State(app): State<App>,
    From(address): From,
    Json(signing): Json<SigningIn>,
) -> Result<Response, Problem> {
    app.bounds.heavy(address)?;
    let (address, name) = (network(address).to_string(), signing.name.as_str());
    if name.len() > 100 || signing.password.len() > 1000 {
        return Err(wrong());
    }
    let accounts = app.floor.accounts();
    let account = accounts.named(name);
    // However the name is written, attempts count for the account.
    let kept = account.as_ref().and_then(|account| accounts.name(account));
    let name = kept.as_deref().unwrap_or(name);
    if let Some(seconds) = app.door.locked_for(name, &address).await? {
        return Err(Problem::too_many("too many attempts with a wrong password", seconds));
    }
    let good = app.door.is_password(account.as_deref(), &signing.password).await?;
    let noted = if good { Good::Yes } else { Good::No };
    app.door.note_sign_in(name, &address, noted).await?;
    match account.filter(|_| good) {
        Some(account) => enter(&app, &account).await,
        None => Err(wrong()),
    }
}

/// The same for a name that nobody has and for a wrong password.
fn wrong() -> Problem {
    let status = axum::http::StatusCode::UNAUTHORIZED;
    let instead = "the right ones; an operator can give you a link if you forgot them";
    Problem::new(status, "wrong-password", "name and password do not belong together", instead)
}

fn left(app: &App) -> Response {
    let gone = AppendHeaders([(SET_COOKIE, cookie(app, None))]);
    (gone, Json(json!({ "signed_out": true }))).into_response()
}

pub(crate) async fn sign_out(State(app): State<App>, who: Who) -> Result<Response, Problem> {
    app.door.end(&who.session).await?;
    Ok(left(&app))
}

pub(crate) async fn sign_out_everywhere(
    State(app): State<App>,
    who: Who,
) -> Result<Response, Problem> {
    app.door.end_all(&who.account).await?;
    Ok(left(&app))
}

/// A guest becomes a member.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Registering {
    /// The password.
    pub(crate) password: String,
}

fn check_password(password: &str, name: &str) -> Result<(), Problem> {
    match fault_of_password(password, name) {
        Some((what, instead)) => Err(Problem::bad(what, instead)),
        None => Ok(()),
    }
}

pub(crate) async fn register(
    State(app): State<App>,
    who: Who,
    From(address): From,
    Json(registering): Json<Registering>,
) -> Result<Response, Problem> {
    app.bounds.heavy(address)?;
    if who.kind != AccountKind::Guest {
        return Err(Problem::bad("you are a member already", "sign in with your password"));
    }
    check_password(&registering.password, &who.name)?;
    app.door.set_password(&who.account, &registering.password).await?;
    app.floor.accounts().sign_up(&who.account).await?;
    // A session of the guest opens nothing any more: a new one begins.
    app.door.end_all(&who.account).await?;
    enter(&app, &who.account).await
}

/// Another password.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPassword {
    /// The one until now.
    pub(crate) old: String,
    /// The one from now on.
    pub(crate) new: String,
}

pub(crate) async fn change_password(
    State(app): State<App>,
    who: Who,
    From(address): From,
    Json(passwords): Json<NewPassword>,
) -> Result<Response, Problem> {
    app.bounds.heavy(address)?;
    let address = network(address).to_string();
    if let Some(seconds) = app.door.locked_for(&who.name, &address).await? {
        return Err(Problem::too_many("too many attempts with a wrong password", seconds));
    }
    if !app.door.is_password(Some(&who.account), &passwords.old).await? {
        app.door.note_sign_in(&who.name, &address, Good::No).await?;
        return Err(wrong());
    }
    check_password(&passwords.new, &who.name)?;
    app.door.set_password(&who.account, &passwords.new).await?;
    app.door.end_all(&who.account).await?;
    enter(&app, &who.account).await
}

/// Something that is done once.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Keyed {
    /// The key, 1 to 64 bytes of your own.
    #[schemars(length(min = 1, max = 64))]
    pub(crate) key: String,
}

fn check_key(key: &str) -> Result<(), Problem> {
    if (1..=64).contains(&key.len()) {
        return Ok(());
    }
    Err(Problem::bad("a key of that length", "1 to 64 bytes"))
}

pub(crate) async fn chips(
    State(app): State<App>,
    who: Who,
    Json(keyed): Json<Keyed>,
) -> Answered<Me> {
    check_key(&keyed.key)?;
    let chips = app.config.guest_chips;
    let few = Cents::new(chips.get() / 10).unwrap_or(Cents::ZERO);
    let accounts = app.floor.accounts();
    let given = accounts.give_if_few(&who.account, &keyed.key, (chips, few)).await?;
    given.map_err(|holds| {
        let what = format!("an account that holds {holds}");
        Problem::bad(what, format!("allowed when it holds {few} or less"))
    })?;
    whole(&app, &who).await.map(Json)
}

/// Limits that somebody sets.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewLimits {
    /// The key of the order.
    #[schemars(length(min = 1, max = 64))]
    pub(crate) key: String,
    /// The most to lose within a day, in cents.
    #[serde(default)]
    #[schemars(range(max = 9_007_199_254_740_991_u64))]
    pub(crate) loss_cents: Option<u64>,
    /// The most to play within a day, in minutes.
    #[serde(default)]
    pub(crate) minutes: Option<u32>,
    /// How often to be reminded, in minutes.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub(crate) remind: Option<u32>,
}

pub(crate) async fn limits(
    State(app): State<App>,
    who: Who,
    Json(new): Json<NewLimits>,
) -> Answered<Value> {
    check_key(&new.key)?;
    let loss = match new.loss_cents {
        Some(cents) => Some(Cents::new(cents).ok_or_else(|| {
            Problem::bad("an amount that is too large", "at most 2^53 - 1 cents")
        })?),
        None => None,
    };
    if new.remind == Some(0) {
        return Err(Problem::bad("a reminder every 0 minutes", "1 minute or more"));
    }
    let limits = OwnLimits { loss, minutes: new.minutes, remind: new.remind };
    let from = app.floor.accounts().limit(&who.account, &new.key, limits).await?;
    Ok(Json(json!({ "holds_from": from })))
}

/// A pause.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPause {
    /// The key of the order.
    #[schemars(length(min = 1, max = 64))]
    pub(crate) key: String,
    /// For how many hours, up to a year.
    #[schemars(range(min = 1, max = 8784))]
    pub(crate) hours: u32,
}

pub(crate) async fn pause(
    State(app): State<App>,
    who: Who,
    Json(new): Json<NewPause>,
) -> Answered<Value> {
    check_key(&new.key)?;
    if !(1..=24 * 366).contains(&new.hours) {
        return Err(Problem::bad("a pause of that length", "1 to 8784 hours"));
    }
    let length = u64::from(new.hours) * 60 * MINUTE;
    app.floor.accounts().pause(&who.account, &new.key, length).await?;
    let until = app.floor.accounts().get(&who.account).await?.paused;
    Ok(Json(json!({ "paused_until": until })))
}

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
    Maybe(_): Maybe,
    From(address): From,
    Path(token): Path<String>,
    Json(following): Json<Following>,
) -> Result<Response, Problem> {
    app.bounds.heavy(address)?;
    let link = app.door.look_at_link(&token).await?.ok_or_else(no_link)?;
    let accounts = app.floor.accounts();
    let name = match &link {
        Link::Invitation(_) => following.name.clone().unwrap_or_default(),
        Link::Password(account) => accounts.name(account).unwrap_or_default(),
    };
    check_password(&following.password, &name)?;
    if matches!(link, Link::Invitation(_)) {
        check_name(&name)?;
    }
    if let (Link::Invitation(_), Err(fault)) = (&link, transcript::name(&name)) {
        return Err(Problem::bad(
            format!("a name that cannot be said: {fault}"),
            "letters, digits, ' and -",
        ));
    }
    if matches!(link, Link::Invitation(_)) && accounts.named(&name).is_some() {
        return Err(Problem::bad(format!("{name} is taken"), "choose another name"));
    }
    // The link is used up first: of two who follow it at once, one comes in.
    let (link, by) = app.door.use_link(&token).await?.ok_or_else(no_link)?;
    let (account, what) = match link {
        Link::Password(account) => (account, "a link was followed: password".to_owned()),
        Link::Invitation(word) => {
            let role = Role::from_key(&word).ok_or_else(no_link)?;
            let begins = (AccountKind::Member, app.config.guest_chips);
            let account = accounts.open_by(&by, &name, begins, &[role]).await??;
            (account, format!("a link was followed: {word}"))
        }
    };
    app.door.note_deed(&by, &what, &account).await?;
    app.door.set_password(&account, &following.password).await?;
    app.door.end_all(&account).await?;
    enter(&app, &account).await
}

/// An attempt to sign in.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SignIn {
    /// When, in microseconds.
    pub(crate) at: u64,
    /// Under which name.
    pub(crate) name: String,
    /// From where.
    pub(crate) address: String,
    /// Whether the password was right.
    pub(crate) good: bool,
}

pub(crate) async fn sign_ins(State(app): State<App>, who: Who) -> Answered<Vec<SignIn>> {
    who.must_be(Role::Operator)?;
    let all = app.door.sign_ins(500).await?;
    let all = all.into_iter().map(|(at, name, address, good)| SignIn { at, name, address, good });
    Ok(Json(all.collect()))
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
