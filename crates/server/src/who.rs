//! Who speaks: the session of a request, and from where it comes.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri, header};
use store::AccountKind;
use table::{Name, Role};
use view::Eyes;

use crate::App;
use crate::door::Session;
use crate::problem::Problem;

/// The cookie over TLS: only this host sets it, and only for all of it.
const SAFE: &str = "__Host-sabot";
/// The cookie over plain HTTP, where browsers do not take the other.
const PLAIN: &str = "sabot";

/// Somebody who is signed in, as guest, player or staff.
#[derive(Clone, Debug)]
pub(crate) struct Who {
    pub(crate) account: String,
    pub(crate) name: Name,
    pub(crate) kind: AccountKind,
    pub(crate) roles: Vec<Role>,
    pub(crate) session: Session,
}

/// Somebody or nobody; found out once for a request.
#[derive(Clone)]
pub(crate) struct Maybe(pub(crate) Option<Who>);

/// The address that a request comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct From(pub(crate) IpAddr);

impl Who {
    /// The eyes of a role that the person has; as a player without one.
    pub(crate) fn eyes(&self, role: Option<&str>) -> Result<Eyes, Problem> {
        let Some(word) = role.filter(|word| *word != "player") else {
            return Ok(Eyes::Player(self.name));
        };
        let has = |role: Role| self.roles.contains(&role);
        let (eyes, role) = match word {
            "spectator" => return Ok(Eyes::Spectator),
            "dealer" => (Eyes::Dealer, Role::Dealer),
            "supervisor" => (Eyes::Supervisor, Role::Supervisor),
            "management" => (Eyes::Supervisor, Role::Management),
            "inspector" => (Eyes::Inspector, Role::Inspector),
            "director" => (Eyes::Director, Role::Director),
            "operator" => (Eyes::Operator, Role::Operator),
            "auditor" | "regulator" => (Eyes::Auditor, Role::Regulator),
            _ => return Err(Problem::bad(format!("`{word}` is nobody who looks"), EYES)),
        };
        if has(role) {
            return Ok(eyes);
        }
        Err(Problem::not_yours(format!("looking as {word}"), self.instead()))
    }

    /// The role in which the person speaks: one of their own, or that of a player.
    pub(crate) fn role(&self, word: Option<&str>, usual: Role) -> Result<Role, Problem> {
        let role = match word {
            None => usual,
            Some(word) => {
                let known = Role::from_key(word);
                known.ok_or_else(|| Problem::bad(format!("`{word}` is no role"), self.instead()))?
            }
        };
        if role == Role::Player || self.roles.contains(&role) {
            return Ok(role);
        }
        Err(Problem::not_yours(format!("speaking as {}", role.key()), self.instead()))
    }

    pub(crate) fn must_be(&self, role: Role) -> Result<(), Problem> {
        self.must_be_one(&[role])
    }

    /// Refuses whoever has none of these roles.
    pub(crate) fn must_be_one(&self, roles: &[Role]) -> Result<(), Problem> {
        if self.roles.iter().any(|role| roles.contains(role)) {
            return Ok(());
        }
        let words: Vec<_> = roles.iter().map(|role| role.key()).collect();
        let instead = format!("the {} can do it", words.join(" or "));
        Err(Problem::not_yours("something that is not yours to do", instead))
    }

    fn instead(&self) -> String {
        let own: Vec<_> = self.roles.iter().map(|role| role.key()).collect();
        let own = own.join(", ");
        if own.is_empty() { "as player or spectator".into() } else { format!("as player, {own}") }
    }
}

const EYES: &str =
    "player, spectator, dealer, supervisor, management, inspector, director, operator or auditor";

/// The cookie that is taken. Over TLS it is the one that no other host can set: a neighbour's page
/// or a network without TLS could put the plain one there, and with it a session of their own.
fn cookie_name(app: &App) -> &'static str {
    if app.config.is_tls() { SAFE } else { PLAIN }
}

/// The token that a request brings: the cookie of that name, or what a program sends.
fn token<'a>(headers: &'a HeaderMap, name: &str) -> Option<(&'a str, Brought)> {
    let said = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if let Some(token) = said.and_then(|said| said.strip_prefix("Bearer ")) {
        return Some((token.trim(), Brought::Said));
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| {
        let (found, value) = pair.trim().split_once('=')?;
        (found == name).then_some(value)
    });
    pairs.next().map(|token| (token, Brought::Cookie))
}

/// How a token came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Brought {
    /// A browser sends it by itself, whoever made the page.
    Cookie,
    /// A program says it.
    Said,
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The host that a request is for. It may stand in the address instead, as in all of HTTP/2.
fn host<'a>(headers: &'a HeaderMap, uri: &'a Uri) -> Option<&'a str> {
    text(headers, header::HOST).or_else(|| uri.authority().map(Authority::as_str))
}

/// Whether the page that a browser sends this from is ours; programs say nothing.
pub(crate) fn is_ours(headers: &HeaderMap, uri: &Uri, app: &App) -> bool {
    if let Some(site) = text(headers, HeaderName::from_static("sec-fetch-site"))
        && !["same-origin", "none"].contains(&site)
    {
        return false;
    }
    let Some(origin) = text(headers, header::ORIGIN) else { return true };
    // A page without TLS is not ours where there is TLS: anybody on the way could have made it.
    let scheme = if app.config.is_tls() { "https" } else { "http" };
    let own = host(headers, uri).is_some_and(|host| {
        origin.strip_prefix(scheme).and_then(|rest| rest.strip_prefix("://")) == Some(host)
    });
    let known = app.config.origins.iter().chain(&app.config.public_url);
    own || known.into_iter().any(|known| known == origin)
}

/// Whether a request is for a name of this server, as far as its names are known. The name of
/// another site that leads here would make that site's pages ours.
pub(crate) fn is_here(headers: &HeaderMap, uri: &Uri, app: &App) -> Result<(), Problem> {
    // A proxy is asked by its names, and may ask here by another.
    let by_proxy = app.config.behind_tls || !app.config.trusted.is_empty();
    let (listen, known) = (app.config.listen.ip(), &app.config.public_url);
    if by_proxy || !listen.is_loopback() && known.is_none() {
        return Ok(());
    }
    let Some(asked) = host(headers, uri) else { return Ok(()) };
    let name = |host: &str| Some(host.parse::<Authority>().ok()?.host().to_ascii_lowercase());
    let Some(host) = name(asked) else { return Err(elsewhere(asked, app)) };
    let number = host.trim_matches(['[', ']']).parse::<IpAddr>();
    let own = match number {
        // No name leads anywhere by a number.
        Ok(address) => listen.is_unspecified() || address == listen || address.is_loopback(),
        Err(_) => host == "localhost",
    };
    let known = app.config.origins.iter().chain(known);
    let mut known = known.filter_map(|origin| name(origin.split_once("://")?.1));
    if own || known.any(|known| known == host) { Ok(()) } else { Err(elsewhere(asked, app)) }
}

fn elsewhere(asked: &str, app: &App) -> Problem {
    let asked: String = asked.chars().take(100).collect();
    let what = format!("`{asked}` is no name of this server");
    let instead = format!(
        "ask at {}; another name of it stands in `public_url` or `origins` of the set-up",
        app.public_url()
    );
    Problem::new(StatusCode::MISDIRECTED_REQUEST, "elsewhere", what, instead)
}

impl FromRequestParts<App> for Maybe {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(known.clone());
        }
        let who = Self(found(parts, app).await?);
        parts.extensions.insert(who.clone());
        Ok(who)
    }
}

/// The owner of the session that a request brings.
async fn found(parts: &Parts, app: &App) -> Result<Option<Who>, Problem> {
    let Some((token, brought)) = token(&parts.headers, cookie_name(app)) else { return Ok(None) };
    let reads = [Method::GET, Method::HEAD].contains(&parts.method);
    let is_safe = reads && !parts.headers.contains_key(header::UPGRADE);
    if brought == Brought::Cookie && !is_safe && !is_ours(&parts.headers, &parts.uri, app) {
        let what = "a page of another site asks for this";
        return Err(Problem::not_yours(what, "ask from a page of this server"));
    }
    let Some(session) = app.door.session(token).await? else { return Ok(None) };
    let account = match app.floor.accounts().get(&session.account).await {
        Ok(account) => account,
        // The log was restored from a copy in which the account is not.
        Err(live::LiveError::Unknown(_)) => return Ok(None),
        Err(fault) => return Err(fault.into()),
    };
    let name = app.floor.accounts().name(&account.id).and_then(|name| Name::from(&name).ok());
    // Somebody whose name was erased is nobody here.
    let Some(name) = name else { return Ok(None) };
    let (kind, roles) = (account.kind, account.roles);
    // A page asks by itself: that nobody left is seen from what is done. A guest has no other way
    // in.
    if kind == AccountKind::Guest || !reads {
        app.door.used(&session).await?;
    }
    Ok(Some(Who { account: account.id, name, kind, roles, session }))
}

impl FromRequestParts<App> for Who {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        Maybe::from_request_parts(parts, app).await?.0.ok_or_else(Problem::nobody)
    }
}

impl FromRequestParts<App> for From {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(IpAddr::from([127, 0, 0, 1]), |ConnectInfo(peer)| peer.ip());
        // A listener of both kinds of addresses writes the old ones as new ones.
        let peer = peer.to_canonical();
        // A proxy that is trusted tells whom it speaks for; the last of the list is its own word.
        let told = parts.headers.get_all("x-forwarded-for").iter().next_back();
        let told = told.and_then(|value| value.to_str().ok());
        let told = told.and_then(|list| list.rsplit(',').next()?.trim().parse::<IpAddr>().ok());
        let told = told.map(|address| address.to_canonical());
        Ok(Self(told.filter(|_| app.config.trusted.contains(&peer)).unwrap_or(peer)))
    }
}

/// The line that gives a browser its token, or takes it away.
pub(crate) fn cookie(app: &App, token: Option<&str>) -> String {
    let (name, secure) = (cookie_name(app), if app.config.is_tls() { "; Secure" } else { "" });
    let age = if token.is_some() { 180 * 24 * 3600 } else { 0 };
    let token = token.unwrap_or_default();
    format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}")
}

impl std::convert::From<crate::door::DoorError> for Problem {
    fn from(fault: crate::door::DoorError) -> Self {
        tracing::error!(%fault, "the door failed");
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self::new(status, "door", "nobody can sign in at the moment", "ask again later")
    }
}
