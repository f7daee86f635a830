//! The door: HTTP and WebSocket over the floor. It knows who speaks, and passes on; it holds no
//! rule and no state of a table.
//!
//! [`Server::open`] makes a floor ready from its data, [`Server::serve`] answers until it is told
//! to stop. Every request is in one list (`api.rs`), from which the router, the document for
//! programs and the types of the page are made.

mod api;
mod assets;
mod books;
mod bounds;
pub mod client;
pub mod config;
mod device;
pub mod door;
mod gate;
mod hub;
mod metrics;
pub mod openapi;
mod opening;
mod page;
mod problem;
mod robots;
mod schedule;
mod socket;
mod tls;
mod who;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum_server::accept::DefaultAcceptor;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use live::{Floor, LiveError, TableHandle, World};
use store::{Begin, Store};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::books::HouseBooks;
use crate::bounds::{Asker, Bounds, MOST_BODY, MOST_TRANSCRIPT};
use crate::config::Config;
use crate::door::{Door, DoorError};
use crate::gate::Gate;
use crate::hub::Hub;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::who::{From, Maybe, is_here};

/// The log, its key and the door, in the folder of the data.
const LOG: &str = "floor.sabot";
const DOOR: &str = "door.db";

/// Everything that a request needs. Clones are the same.
#[derive(Clone)]
pub(crate) struct App(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) floor: Floor,
    pub(crate) door: Door,
    pub(crate) books: Arc<HouseBooks>,
    pub(crate) hub: Hub,
    pub(crate) bounds: Bounds,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) stopping: watch::Sender<bool>,
    tables: AtomicU64,
    events: AtomicU64,
    address: Mutex<Option<SocketAddr>>,
    not_resumed: Vec<(String, String)>,
}

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Inner {
    pub(crate) fn table(&self, id: &str) -> Result<TableHandle, Problem> {
        self.floor.table(id).ok_or_else(|| Problem::unknown(format!("there is no table `{id}`")))
    }

    /// The id of the next table.
    pub(crate) fn next_table(&self) -> String {
        format!("t{}", self.tables.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// The number of the next tournament.
    pub(crate) fn next_tournament(&self) -> u64 {
        self.events.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Whether a tournament of that number was ever begun.
    pub(crate) fn has_held(&self, number: u64) -> bool {
        (1..=self.events.load(Ordering::Relaxed)).contains(&number)
    }

    /// Where people reach it.
    pub(crate) fn address(&self) -> String {
        let scheme = if self.config.is_tls() { "https" } else { "http" };
        let bound = *self.address.lock().expect("nobody panics holding it");
        format!("{scheme}://{}", bound.unwrap_or(self.config.listen))
    }

    /// Where people are told to come.
    pub(crate) fn public_url(&self) -> String {
        self.config.public_url.clone().unwrap_or_else(|| self.address())
    }

    /// Tables that could not be gone on with, and why.
    pub(crate) fn not_resumed(&self) -> &[(String, String)] {
        &self.not_resumed
    }
}

/// What keeps the server from starting.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The folder cannot be used.
    #[error("{}: {}", .0.display(), .1)]
    Folder(std::path::PathBuf, std::io::Error),
    /// The floor cannot be opened.
    #[error(transparent)]
    Floor(#[from] LiveError),
    /// The log cannot be opened.
    #[error(transparent)]
    Store(#[from] store::StoreError),
    /// The door cannot be opened.
    #[error(transparent)]
    Door(#[from] DoorError),
    /// A table of the configuration cannot be opened.
    #[error("the table \"{0}\" cannot be opened: {1}")]
    Table(String, String),
    /// Certificate and key cannot be used.
    #[error("no TLS: {0}")]
    Tls(String),
    /// A book of the house's own is none.
    #[error("the set-up has faults:\n{0}")]
    Books(String),
    /// Nobody can listen there.
    #[error("cannot listen at {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
}

/// A server that is ready.
pub struct Server {
    app: App,
    listener: TcpListener,
    tls: Option<RustlsConfig>,
    /// The one-time link of the operator, as long as none can sign in.
    pub operators_link: Option<String>,
    /// What whoever starts it should know.
    pub notes: Vec<String>,
}

impl Server {
    /// Opens the floor of a folder, or makes one with the tables of the configuration.
    ///
    /// # Errors
    ///
    /// When the data cannot be used, a table cannot be opened, or the address is taken.
    pub async fn open(config: Config) -> Result<Self, ServerError> {
        Self::open_in(config, World::real()).await
    }

    /// The same, with a clock and a source of entropy of one's own.
    ///
    /// # Errors
    ///
    /// As [`Server::open`].
    pub async fn open_in(config: Config, world: World) -> Result<Self, ServerError> {
        let tls = config.tls.as_ref().map(|(certificate, key)| tls::load(certificate, key));
        let tls = tls.transpose().map_err(|fault| ServerError::Tls(fault.why))?;
        let tls = tls.map(|tls| RustlsConfig::from_config(Arc::new(tls)));
        let mut notes = config.warnings();
        let books = HouseBooks::with(&config.books);
        let books = books.map_err(|faults| ServerError::Books(faults.join("\n")))?;
        let listener = TcpListener::bind(config.listen)
            .await
            .map_err(|fault| ServerError::Listen(config.listen, fault))?;
        let folder = config.data.clone();
        make_folder(&folder)?;
        let (log, key) = (folder.join(LOG), folder.join("key"));
        let store = Store::open_with(&log, &key, Begin::Either).await?;
        let restored = restored(&store);
        let floor = Floor::open(store, world.clone()).await?;
        let not_resumed = floor.resume().await?;
        for (stream, why) in &not_resumed {
            tracing::error!(stream, %why, "a table is not gone on with");
        }
        let not_resumed =
            not_resumed.into_iter().map(|(stream, why)| (stream, why.to_string())).collect();
        let door = Door::open(&folder.join(DOOR), world).await?;
        notes.extend(strangers(&floor, &door).await?);
        if restored.is_some() {
            door.restored().await?;
        }
        notes.extend(restored);
        notes.extend(namesake(&floor, &config).await?);
        let tables = highest(&floor, "t").await?;
        let events = highest(&floor, &live::tournament_stream("e")).await?;
        let bounds = Bounds::new(&config);
        let app = App(Arc::new(Inner {
            config,
            floor,
            door,
            books: Arc::new(books),
            hub: Hub::default(),
            bounds,
            metrics: Arc::default(),
            stopping: watch::Sender::new(false),
            tables: AtomicU64::new(tables),
            events: AtomicU64::new(events),
            address: Mutex::new(listener.local_addr().ok()),
            not_resumed,
        }));
        let mut server = Self { app, listener, tls, operators_link: None, notes };
        server.prepare().await?;
        for note in &server.notes {
            tracing::warn!("{note}");
        }
        Ok(server)
    }

    /// The floor gets the tables of its set-up that it does not have yet, also those whose opening
    /// was interrupted, and the operator a link.
    async fn prepare(&mut self) -> Result<(), ServerError> {
        let app = &self.app;
        let mut there = Vec::new();
        for handle in app.floor.tables() {
            let scene = handle.look().await?;
            there.push((scene.setup.title, scene.stream, scene.table.phase()));
        }
        let house = app.operator().await?;
        for config in &app.config.tables {
            let known = there.iter().find(|(title, ..)| *title == config.title);
            let stream = match known {
                None => None,
                Some((_, stream, table::Phase::Unopened)) => Some(stream.clone()),
                Some((_, stream, phase)) => {
                    // Whose opening was an operator's own is left as the operator has it.
                    let key = format!("{stream} opening 0");
                    let first = app.floor.log().command(&house, &key).await?;
                    if *phase == table::Phase::Closed || first.is_none() {
                        continue;
                    }
                    Some(stream.clone())
                }
            };
            let begun = api::tables::begin(app, config, &house, (None, stream)).await;
            begun.map_err(|problem| {
                let why = format!("{}; {}", problem.title, problem.instead);
                ServerError::Table(config.title.clone(), why)
            })?;
        }
        let operators = app.operators().await?;
        let mut can_sign_in = false;
        for account in &operators {
            can_sign_in |= app.door.has_password(account).await?;
        }
        if !can_sign_in {
            let link = api::links::first_link(app).await;
            self.operators_link = link.ok();
        }
        if !can_sign_in && !operators.is_empty() {
            let what = "no operator has a password here: door.db is new, or was not restored with \
                        the log; by the link another operator comes in, who can give everybody a \
                        link to a new password";
            self.notes.push(what.into());
        }
        robots::seat(&self.app).await;
        Ok(())
    }

    /// The floor behind it.
    #[must_use]
    pub fn floor(&self) -> &Floor {
        &self.app.floor
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> String {
        self.app.address()
    }

    /// Answers until `stop` is done. Then sockets are told, tables are kept, and the head is signed
    /// and given.
    ///
    /// # Errors
    ///
    /// When the network or the log fails.
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Option<store::Head>, ServerError> {
        let Self { app, listener, tls, .. } = self;
        let sweeper = tokio::spawn(sweep(app.clone()));
        let schedule = tokio::spawn(schedule::run(app.clone()));
        let service = router(app.clone()).into_make_service_with_connect_info::<SocketAddr>();
        let handle = axum_server::Handle::new();
        let (stopping, stopped) = (app.stopping.clone(), handle.clone());
        tokio::spawn(async move {
            stop.await;
            stopping.send_replace(true);
            // Who does not hang up within a while is hung up on.
            stopped.graceful_shutdown(Some(Duration::from_secs(10)));
        });
        let fault = |fault| ServerError::Listen(app.config.listen, fault);
        let listener = listener.into_std().map_err(fault)?;
        let mut server = axum_server::from_tcp(listener).map_err(fault)?.handle(handle);
        *server.http_builder() = gate::builder(app.config.patience());
        let done = match tls {
            None => {
                let gate = Gate::new(&app.config, DefaultAcceptor::new());
                server.acceptor(gate).serve(service).await
            }
            Some(tls) => {
                let gate = Gate::new(&app.config, RustlsAcceptor::new(tls));
                server.acceptor(gate).serve(service).await
            }
        };
        done.map_err(fault)?;
        sweeper.abort();
        // What it is writing is written before the log is closed.
        let _ = schedule.await;
        let head = app.floor.close().await?;
        app.door.close().await;
        Ok(head)
    }
}

impl Inner {
    /// The account in whose name the configuration opens tables.
    async fn operator(&self) -> Result<String, ServerError> {
        const HOUSE: &str = "House";
        let accounts = self.floor.accounts();
        if let Some(account) = accounts.named(HOUSE) {
            // An operator could take its role away once, and without it no table is opened.
            if accounts.get(&account).await?.kind == store::AccountKind::Robot {
                accounts.give_role(&account, table::Role::Operator).await?;
            }
            return Ok(account);
        }
        let roles = [table::Role::Operator];
        let money = rules::Cents::ZERO;
        let opened = accounts.open(HOUSE, store::AccountKind::Robot, money, &roles).await?;
        opened.map_err(|refusal| ServerError::Table(HOUSE.into(), refusal.to_string()))
    }

    /// The people who are operators.
    async fn operators(&self) -> Result<Vec<String>, ServerError> {
        let mut all = Vec::new();
        for (account, _) in self.floor.log().people().await? {
            let Ok(account) = self.floor.accounts().get(&account).await else { continue };
            let person = account.kind != store::AccountKind::Robot;
            if person && account.roles.contains(&table::Role::Operator) {
                all.push(account.id);
            }
        }
        Ok(all)
    }
}

/// The highest number that a table or a tournament has.
async fn highest(floor: &Floor, prefix: &str) -> Result<u64, ServerError> {
    let streams = floor.log().streams().await?;
    let number = |stream: &String| stream.strip_prefix(prefix)?.parse::<u64>().ok();
    Ok(streams.iter().filter_map(number).max().unwrap_or(0))
}

/// What is said of a log that is an older copy.
fn restored(store: &Store) -> Option<String> {
    let (known, found) = store.found_restored()?;
    let lost = known.saturating_sub(found);
    Some(format!(
        "the log was restored from an older copy: {lost} acts that were told are lost, open shoes \
         are abandoned, and coups that were being dealt are void; everybody signs in again, and \
         links that were made before are good no more"
    ))
}

/// The door forgets accounts that the log does not have, before their numbers are given to others.
async fn strangers(floor: &Floor, door: &Door) -> Result<Option<String>, ServerError> {
    let mut gone = 0_u32;
    for account in door.accounts().await? {
        if let Err(LiveError::Unknown(_)) = floor.accounts().get(&account).await {
            door.forget(&account).await?;
            gone += 1;
        }
    }
    Ok((gone > 0).then(|| {
        format!(
            "{gone} accounts that can sign in are not in the log: their sessions are over, and \
                 their passwords and links are good no more"
        )
    }))
}

/// Whoever had the name of the events' director before the set-up named one.
async fn namesake(floor: &Floor, config: &Config) -> Result<Option<String>, ServerError> {
    let Some(director) = config.tournament.as_ref().map(|event| event.director) else {
        return Ok(None);
    };
    let Some(account) = floor.accounts().named(&director) else { return Ok(None) };
    let directs = floor.accounts().get(&account).await?.roles.contains(&table::Role::Director);
    Ok((!directs).then(|| {
        format!("`director` is {director}, and the account of that name is no director's")
    }))
}

/// A folder that only its owner may look into.
fn make_folder(folder: &Path) -> Result<(), ServerError> {
    let fault = |fault| ServerError::Folder(folder.into(), fault);
    std::fs::create_dir_all(folder).map_err(fault)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).map_err(fault)?;
    }
    Ok(())
}

/// Throws away what is over, now and then.
async fn sweep(app: App) {
    loop {
        tokio::time::sleep(Duration::from_mins(1)).await;
        app.bounds.sweep();
        if let Err(fault) = app.door.sweep().await {
            tracing::error!(%fault, "the door could not be swept");
        }
    }
}

fn router(app: App) -> Router {
    let mut api = Router::new();
    for route in api::routes() {
        let handler = if route.path == "/judge" {
            route.handler.layer(DefaultBodyLimit::max(MOST_TRANSCRIPT))
        } else {
            route.handler
        };
        api = api.route(route.path, handler);
    }
    let fixed = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
    };
    let policy = "default-src 'self'; object-src 'none'; frame-ancestors 'none'; \
                  base-uri 'none'; form-action 'self'";
    // A browser that was here over TLS comes back by it alone.
    let by_tls = app.config.is_tls().then(|| HeaderValue::from_static("max-age=31536000"));
    let by_tls = SetResponseHeaderLayer::if_not_present(
        header::STRICT_TRANSPORT_SECURITY,
        move |_: &Response| by_tls.clone(),
    );
    Router::new()
        .nest("/api/v1", api.fallback(api::nothing).method_not_allowed_fallback(wrong_method))
        .route("/api", get(|| async { axum::response::Html(openapi::page()) }))
        .route("/api/openapi.json", get(|| async { axum::Json(openapi::document()) }))
        .route("/health", get(api::house::health))
        .route("/ready", get(api::house::ready))
        .route("/metrics", get(api::house::metrics))
        .route("/text", get(page::home))
        .route("/style.css", get(page::style))
        .route("/link.js", get(page::link_script))
        .method_not_allowed_fallback(wrong_method)
        .fallback(page::other)
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .layer(middleware::from_fn_with_state(app.clone(), counted))
        .layer(CatchPanicLayer::custom(|_| failed()))
        .layer(fixed(header::CONTENT_SECURITY_POLICY, policy))
        .layer(fixed(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(fixed(header::REFERRER_POLICY, "no-referrer"))
        .layer(fixed(header::CACHE_CONTROL, "no-store"))
        .layer(by_tls)
        .with_state(app)
}

pub(crate) async fn wrong_method() -> Problem {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    Problem::new(
        status,
        "wrong-method",
        "a method that is not answered here",
        "GET /api lists them",
    )
}

fn failed() -> Response {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    Problem::new(status, "failed", "the server failed", "tell the operator").into_response()
}

/// Counts requests, keeps to the rate, and makes a problem document of what axum itself refuses.
async fn counted(
    State(app): State<App>,
    From(address): From,
    Maybe(who): Maybe,
    request: Request,
    next: Next,
) -> Response {
    Metrics::add(&app.metrics.requests);
    let asker = Asker::new(who.as_ref(), address);
    let watched = ["/health", "/ready", "/metrics"].contains(&request.uri().path());
    let allowed = app.bounds.ask(&asker);
    let allowed = allowed.and_then(|()| is_here(request.headers(), request.uri(), &app));
    let response = match allowed {
        Err(problem) if !watched => problem.into_response(),
        Ok(()) | Err(_) => match whole(request, app.config.patience()).await {
            Ok(request) => next.run(request).await,
            Err(problem) => problem.into_response(),
        },
    };
    let status = response.status();
    if status.is_server_error() {
        Metrics::add(&app.metrics.failures);
    } else if status.is_client_error() {
        Metrics::add(&app.metrics.problems);
    }
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let told = kind.is_some_and(|kind| kind.contains("json"));
    if !status.is_client_error() || told {
        return response;
    }
    let body = axum::body::to_bytes(response.into_body(), MOST_BODY).await.unwrap_or_default();
    let what = String::from_utf8_lossy(&body).into_owned();
    let code = if status == StatusCode::PAYLOAD_TOO_LARGE { "too-large" } else { "bad-request" };
    Problem::new(status, code, what, "what GET /api describes").into_response()
}

/// The request with all of its body, which comes in time or not at all.
async fn whole(request: Request, patience: Duration) -> Result<Request, Problem> {
    let most = if request.uri().path() == "/api/v1/judge" { MOST_TRANSCRIPT } else { MOST_BODY };
    let (parts, body) = request.into_parts();
    match tokio::time::timeout(patience, axum::body::to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, bytes.into())),
        Ok(Err(_)) => {
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            let what = "a body that is too long, or broke off";
            Err(Problem::new(status, "too-large", what, format!("at most {most} bytes")))
        }
        Err(_) => {
            let (status, what) = (StatusCode::REQUEST_TIMEOUT, "a body that did not come in time");
            let instead = format!("send it within {} s", patience.as_secs());
            Err(Problem::new(status, "too-slow", what, instead))
        }
    }
}
