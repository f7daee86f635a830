//! Who comes in, as guest or with a password; and what people set for themselves.

use axum::Json;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::response::{AppendHeaders, IntoResponse, Response};
use rules::Cents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{AccountKind, OwnLimits};
use table::{Name, Role};
use zeroize::Zeroizing;

use crate::App;
use crate::bounds::network;
use crate::device::{Device, device_cookie};
use crate::door::{Attempt, By, Good, Lasts, UNKNOWN, fault_of_password};
use crate::problem::{Answered, Problem};
use crate::who::{From, Maybe, Who, cookie};

pub(crate) const MINUTE: u64 = 60_000_000;
const DAY: u64 = 24 * 60 * MINUTE;
/// How long a guest's session lasts, as long as the cookie: nothing else leads to the account.
const GUEST_DAYS: u64 = 180;
/// How long a member's session lasts, however much it is used.
const MEMBER_DAYS: u64 = 30;
/// The same for staff: a shift.
const STAFF_HOURS: u64 = 12;

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
    /// Wider limits that you asked for, which do not hold yet.
    pub(crate) limits_later: Option<LaterLimits>,
    /// What you were last told of time and money, within a day.
    pub(crate) reminder: Option<ReminderView>,
}

/// Limits that hold from a time on.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LaterLimits {
    /// From when, in microseconds.
    pub(crate) from: u64,
    /// The most to lose within a day, in cents.
    pub(crate) loss_cents: Option<u64>,
    /// The most to play within a day, in minutes.
    pub(crate) minutes: Option<u32>,
}

/// Time and money, as somebody wanted to be reminded of them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReminderView {
    /// When, in microseconds.
    pub(crate) at: u64,
    /// Minutes played within a day.
    pub(crate) minutes: u32,
    /// What was lost within a day, in cents; below zero if it was won.
    pub(crate) lost_cents: i64,
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

/// Begins a session: its token as a cookie, and the answer.
async fn begin(app: &App, account: &str) -> Result<(String, Json<Entered>), Problem> {
    let known = app.floor.accounts().get(account).await?;
    let token = app.door.begin(account, lasts(app, known.kind, &known.roles)).await?;
    let name = app.floor.accounts().name(account).unwrap_or_default();
    let cookie = cookie(app, Some(&token));
    Ok((cookie, Json(Entered { account: account.into(), name, token })))
}

async fn enter(app: &App, account: &str) -> Result<Response, Problem> {
    let (cookie, entered) = begin(app, account).await?;
    Ok((AppendHeaders([(SET_COOKIE, cookie)]), entered).into_response())
}

/// The same for somebody who has shown or set a password: the browser is known from then on.
pub(crate) async fn enter_known(app: &App, account: &str) -> Result<Response, Problem> {
    let (cookie, entered) = begin(app, account).await?;
    let device = device_cookie(app, &app.door.new_device(account)?);
    let cookies = AppendHeaders([(SET_COOKIE, cookie), (SET_COOKIE, device)]);
    Ok((cookies, entered).into_response())
}

/// The same in the place of whoever was here: one browser has one session.
pub(crate) async fn enter_instead(
    app: &App,
    before: Option<Who>,
    account: &str,
) -> Result<Response, Problem> {
    if let Some(before) = before {
        app.door.end(&before.session).await?;
    }
    enter_known(app, account).await
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
    let seen = transcript::at_a_glance(name);
    ["robot", "house", "sabot"].iter().any(|word| seen.starts_with(word)) || seen == "system"
}

/// Names that say what their owner is not. The director whom the configuration names comes in by
/// an invitation as director, and nobody else by that name.
pub(crate) fn check_name(app: &App, name: &str, role: Option<Role>) -> Result<(), Problem> {
    // As it would be kept: a space before it hides nothing.
    let kept = transcript::name(name).map_or_else(|_| name.to_owned(), |name| name.to_string());
    if is_reserved(&kept) {
        let instead = "a name that begins neither with Robot nor with House or Sabot";
        return Err(Problem::bad(format!("{name} would be taken for the house's own"), instead));
    }
    let is_directors = |name: Name| live::are_alike(&name, &kept);
    let directs = app.config.tournament.as_ref().is_some_and(|event| is_directors(event.director));
    if directs && role != Some(Role::Director) {
        let what = format!("{name} would be taken for the director of this house's events");
        let instead = "another name; the director comes in by an invitation as director";
        return Err(Problem::bad(what, instead));
    }
    Ok(())
}

pub(crate) async fn guest(
    State(app): State<App>,
    From(address): From,
    Json(new): Json<NewGuest>,
) -> Result<Response, Problem> {
    app.bounds.guest(address)?;
    check_name(&app, new.name.as_deref().unwrap_or_default(), None)?;
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
    let limits_later = account.limits_later(now).map(|(later, from)| {
        let (loss_cents, minutes) = (later.loss.map(Cents::get), later.minutes);
        LaterLimits { from, loss_cents, minutes }
    });
    // It speaks of a day: after that it says nothing any more.
    let lately = account.reminded.filter(|told| now < told.at.saturating_add(DAY));
    let reminder = lately.map(|told| {
        let (at, minutes) = (told.at, told.minutes);
        ReminderView { at, minutes, lost_cents: told.lost.get() }
    });
    Ok(Me {
        limits_later,
        reminder,
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
    Maybe(before): Maybe,
    device: Device,
    Json(signing): Json<SigningIn>,
) -> Result<Response, Problem> {
    app.bounds.heavy(address)?;
    let (address, typed) = (network(address).to_string(), signing.name.as_str());
    if typed.len() > 100 || signing.password.len() > 1000 {
        return Err(wrong());
    }
    let accounts = app.floor.accounts();
    let account = accounts.named(typed);
    // However the name is written, attempts count for the account, or for what nobody is called.
    let kept = account.as_ref().and_then(|account| accounts.name(account));
    let name = kept.clone().unwrap_or_else(|| typed.trim().to_lowercase());
    let device = account.as_ref().and_then(|account| app.door.device(account, device.cookie()?));
    let by = device.map_or(By::Address, By::Device);
    let attempt = Attempt { name: &name, known: kept.is_some(), address: &address, by };
    prove(&app, &attempt, (account.as_deref(), signing.password.as_str())).await?;
    app.door.note_sign_in(&attempt, Good::Yes).await?;
    match account {
        Some(account) => enter_instead(&app, before, &account).await,
        None => Err(wrong()),
    }
}

/// Whether that is the password; whoever tried too often waits.
async fn prove(
    app: &App,
    attempt: &Attempt<'_>,
    (account, password): (Option<&str>, &str),
) -> Result<(), Problem> {
    if let Some(seconds) = app.door.locked_for(attempt).await? {
        return Err(Problem::too_many("too many attempts with a wrong password", seconds));
    }
    if app.door.is_password(account, password).await? {
        return Ok(());
    }
    app.door.note_sign_in(attempt, Good::No).await?;
    Err(wrong())
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

pub(crate) async fn check_password(app: &App, password: &str, name: &str) -> Result<(), Problem> {
    let turn = app.bounds.turn().await?;
    let (password, name) = (Zeroizing::new(password.to_owned()), name.to_owned());
    let found = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        fault_of_password(&password, &name)
    });
    let stopped = |_| Problem::bad("a password that cannot be looked at", "another one");
    match found.await.map_err(stopped)? {
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
    check_password(&app, &registering.password, &who.name).await?;
    app.door.set_password(&who.account, &registering.password).await?;
    app.floor.accounts().sign_up(&who.account).await?;
    // A session of the guest opens nothing any more: a new one begins.
    app.door.end_all(&who.account).await?;
    enter_known(&app, &who.account).await
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
    // Who is in is not kept out by what others try from the same address.
    let attempt = Attempt { name: &who.name, known: true, address: &address, by: By::Session };
    prove(&app, &attempt, (Some(who.account.as_str()), passwords.old.as_str())).await?;
    check_password(&app, &passwords.new, &who.name).await?;
    app.door.set_password(&who.account, &passwords.new).await?;
    app.door.end_all(&who.account).await?;
    enter_known(&app, &who.account).await
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
    let given = app.floor.give_if_few(&who.account, &keyed.key, (chips, few)).await?;
    given.map_err(|has| {
        let what = if has.in_play == Cents::ZERO {
            format!("an account that holds {}", has.account)
        } else {
            format!("an account that holds {}, with {} in play", has.account, has.in_play)
        };
        let instead = format!("allowed at {few} or less, chips at tables and fees of events too");
        Problem::bad(what, instead)
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

/// An attempt to sign in.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SignIn {
    /// When, in microseconds.
    pub(crate) at: u64,
    /// Under which name; `(unknown)` if it is no account's.
    pub(crate) name: String,
    /// From where.
    pub(crate) address: String,
    /// Whether the password was right.
    pub(crate) good: bool,
}

pub(crate) async fn sign_ins(State(app): State<App>, who: Who) -> Answered<Vec<SignIn>> {
    who.must_be(Role::Operator)?;
    let (all, names) = (app.door.sign_ins(500).await?, app.floor.accounts());
    let all = all.into_iter().map(|(at, name, address, good)| {
        // Earlier versions kept what was typed.
        let known = names.named(&name).is_some();
        SignIn { at, name: if known { name } else { UNKNOWN.into() }, address, good }
    });
    Ok(Json(all.collect()))
}
