//! The socket: one for any number of subscriptions and orders. A reader that is too slow is given a
//! fresh view in place of what it missed, and one that does not read at all is dropped.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use futures_util::{SinkExt as _, StreamExt as _};
use live::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use view::Eyes;

use crate::App;
use crate::api::asked::Asked;
use crate::api::tables::{answered, eyes_of};
use crate::api::tournaments::{answered_in_event, handle as event_of};
use crate::bounds::{MOST_BODY, MOST_SUBSCRIPTIONS, MOST_WAITING, network};
use crate::hub::{Following, Place, Whole};
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::who::{From, Maybe, Who, is_ours};

/// How long a reader may leave a message lying.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a socket may be silent; pages send a ping more often.
const SILENCE: Duration = Duration::from_mins(2);
/// Events that a gap has at the most; beyond it the view alone is sent.
const MOST_MISSED: u64 = 10_000;

/// What a client sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Ask {
    /// Follow a table or a tournament: a view first, then what changes.
    Subscribe {
        /// The table.
        #[serde(default)]
        table: Option<String>,
        /// Or the tournament.
        #[serde(default)]
        tournament: Option<String>,
        /// As whom to look: `player` (usual for somebody signed in), `spectator` or a role of
        /// staff.
        #[serde(rename = "as", default)]
        role: Option<String>,
        /// The last version that was seen: what was missed is told first.
        #[serde(default)]
        after: Option<u64>,
    },
    /// Follow it no longer.
    Unsubscribe {
        /// The table.
        #[serde(default)]
        table: Option<String>,
        /// Or the tournament.
        #[serde(default)]
        tournament: Option<String>,
    },
    /// An order, as in a request.
    Order {
        /// The table.
        #[serde(default)]
        table: Option<String>,
        /// Or the tournament.
        #[serde(default)]
        tournament: Option<String>,
        /// The order.
        #[serde(flatten)]
        asked: Asked,
    },
    /// Whether anybody is there.
    Ping {},
}

/// What is sent for an ask that failed.
#[derive(Serialize)]
struct Failed<'a> {
    kind: &'static str,
    table: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tournament: Option<&'a str>,
    key: Option<&'a str>,
    problem: Problem,
}

impl<'a> Failed<'a> {
    const fn of(place: Option<&'a Place>, key: Option<&'a str>, problem: Problem) -> Self {
        let (table, tournament) = match place {
            Some(Place::Table(id)) => (Some(id.as_str()), None),
            Some(Place::Tournament(id)) => (None, Some(id.as_str())),
            None => (None, None),
        };
        Self { kind: "problem", table, tournament, key, problem }
    }
}

/// The place that an ask names, which is one.
fn place(table: Option<String>, tournament: Option<String>) -> Result<Place, Problem> {
    match (table, tournament) {
        (Some(table), None) => Ok(Place::Table(table)),
        (None, Some(tournament)) => Ok(Place::Tournament(tournament)),
        (None, None) | (Some(_), Some(_)) => {
            let instead = "either `table` or `tournament`, with its id";
            Err(Problem::bad("neither one place nor the other", instead))
        }
    }
}

pub(crate) async fn open(
    State(app): State<App>,
    Maybe(who): Maybe,
    From(address): From,
    uri: Uri,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Problem> {
    // A page of another site could open a socket with a browser's cookie.
    if !is_ours(&headers, &uri, &app) {
        let what = "a page of another site asks for a socket";
        return Err(Problem::not_yours(what, "ask from a page of this server"));
    }
    let places = app.bounds.socket(address, app.config.sockets_per_address)?;
    let upgrade = upgrade
        .max_message_size(MOST_BODY)
        .max_frame_size(MOST_BODY)
        .read_buffer_size(2048)
        .write_buffer_size(0)
        .max_write_buffer_size(4 << 20);
    Ok(upgrade.on_upgrade(move |socket| async move {
        app.metrics.sockets.fetch_add(1, Ordering::Relaxed);
        serve(&app, socket, who, address).await;
        app.metrics.sockets.fetch_sub(1, Ordering::Relaxed);
        drop(places);
    }))
}

const SESSION_OVER: (u16, &str) = (1008, "the session is over: sign in again");

/// Why a message ends a socket.
fn of_a_message(fault: &axum::Error) -> (u16, &'static str) {
    let said = fault.to_string().to_lowercase();
    if said.contains("too long") || said.contains("too large") || said.contains("too big") {
        (1009, "a message is too long: at most 65536 bytes")
    } else if said.contains("utf-8") {
        (1007, "a message is no text: JSON, as UTF-8")
    } else {
        (1002, "a message that cannot be read")
    }
}

/// One open socket.
struct Open<'a> {
    app: &'a App,
    who: Option<Who>,
    key: String,
    out: mpsc::Sender<Utf8Bytes>,
    following: HashMap<Place, JoinHandle<()>>,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        for task in self.following.values() {
            task.abort();
        }
    }
}

async fn serve(app: &App, socket: WebSocket, who: Option<Who>, address: IpAddr) {
    let (mut sink, mut stream) = socket.split();
    let (out, mut waiting) = mpsc::channel::<Utf8Bytes>(MOST_WAITING);
    let (metrics, farewell) = (app.metrics.clone(), Arc::new(OnceLock::<(u16, &str)>::new()));
    let why = farewell.clone();
    let writer = tokio::spawn(async move {
        while let Some(text) = waiting.recv().await {
            Metrics::add(&metrics.sent);
            let sent = tokio::time::timeout(PATIENCE, sink.send(Message::Text(text))).await;
            if !matches!(sent, Ok(Ok(()))) {
                return;
            }
        }
        let (code, reason) = why.get().copied().unwrap_or((1000, "good-bye"));
        let bye = CloseFrame { code, reason: reason.into() };
        let _ = tokio::time::timeout(PATIENCE, sink.send(Message::Close(Some(bye)))).await;
    });
    let key = who.as_ref().map_or_else(|| network(address).to_string(), |who| who.account.clone());
    let mut open = Open { app, who, key, out, following: HashMap::new() };
    let (mut endings, mut stopping) = (app.door.endings(), app.stopping.subscribe());
    loop {
        let message = tokio::select! {
            message = tokio::time::timeout(SILENCE, stream.next()) => message,
            _ = endings.changed() => {
                if open.is_over() {
                    let _ = farewell.set(SESSION_OVER);
                    break;
                }
                continue;
            }
            _ = stopping.changed() => {
                let _ = farewell.set((1001, "the server stops"));
                break;
            }
        };
        let message = match message {
            Ok(Some(Ok(message))) => message,
            Ok(Some(Err(fault))) => {
                let _ = farewell.set(of_a_message(&fault));
                break;
            }
            Ok(None) => break,
            Err(_) => {
                let _ = farewell.set((1001, "nothing was heard for two minutes"));
                break;
            }
        };
        if open.is_over() {
            let _ = farewell.set(SESSION_OVER);
            break;
        }
        match message {
            Message::Text(text) => {
                if !open.take(&text).await {
                    break;
                }
            }
            Message::Binary(_) => {
                let problem = Problem::bad("bytes", "messages are JSON, as text");
                if !open.tell(Failed::of(None, None, problem)).await {
                    break;
                }
            }
            Message::Close(_) => break,
            Message::Ping(_) | Message::Pong(_) => {}
        }
    }
    drop(open);
    if tokio::time::timeout(PATIENCE, writer).await.is_err() {
        tracing::debug!("a reader was dropped");
    }
}

impl Open<'_> {
    /// Whether the session of the socket is over.
    fn is_over(&self) -> bool {
        self.who.as_ref().is_some_and(|who| !self.app.door.lasts(&who.session))
    }

    async fn tell(&self, message: impl Serialize) -> bool {
        let text = serde_json::to_string(&message).unwrap_or_default();
        let sent = tokio::time::timeout(PATIENCE, self.out.send(text.into())).await;
        matches!(sent, Ok(Ok(())))
    }

    /// Takes a message; whether the socket goes on.
    async fn take(&mut self, text: &str) -> bool {
        if let Err(problem) = self.app.bounds.ask(&self.key) {
            // Who asks too often waits: nothing grows meanwhile.
            tokio::time::sleep(Duration::from_millis(200)).await;
            return self.tell(Failed::of(None, None, problem)).await;
        }
        let ask: Ask = match serde_json::from_str(text) {
            Ok(ask) => ask,
            Err(why) => {
                let instead = "a message such as {\"do\":\"subscribe\",\"table\":\"t1\"}";
                let problem = Problem::bad(why.to_string(), instead);
                return self.tell(Failed::of(None, None, problem)).await;
            }
        };
        match ask {
            Ask::Ping {} => self.tell(json!({ "kind": "pong", "now": store::now() })).await,
            Ask::Unsubscribe { table, tournament } => match place(table, tournament) {
                Ok(place) => {
                    if let Some(task) = self.following.remove(&place) {
                        task.abort();
                    }
                    self.tell(place.message("unsubscribed", Map::new())).await
                }
                Err(problem) => self.tell(Failed::of(None, None, problem)).await,
            },
            Ask::Subscribe { table, tournament, role, after } => match place(table, tournament) {
                Ok(place) => match self.subscribe(&place, role.as_deref(), after).await {
                    Ok(()) => true,
                    Err(problem) => self.tell(Failed::of(Some(&place), None, problem)).await,
                },
                Err(problem) => self.tell(Failed::of(None, None, problem)).await,
            },
            Ask::Order { table, tournament, asked } => match place(table, tournament) {
                Ok(place) => self.order(&place, &asked).await,
                Err(problem) => self.tell(Failed::of(None, Some(&asked.key), problem)).await,
            },
        }
    }

    async fn order(&self, place: &Place, asked: &Asked) -> bool {
        match self.ruled(place, asked).await {
            Ok(done) => {
                let mut fields = Map::new();
                fields.insert("key".into(), asked.key.as_str().into());
                fields.insert("answer".into(), done);
                self.tell(place.message("answer", fields)).await
            }
            Err(problem) => self.tell(Failed::of(Some(place), Some(&asked.key), problem)).await,
        }
    }

    async fn ruled(&self, place: &Place, asked: &Asked) -> Result<Value, Problem> {
        let who = self.current().await?;
        self.app.door.used(&who.session).await?;
        let done = match place {
            Place::Table(id) => serde_json::to_value(answered(self.app, &who, id, asked).await?),
            Place::Tournament(id) => {
                serde_json::to_value(answered_in_event(self.app, &who, id, asked).await?)
            }
        };
        Ok(done.unwrap_or_default())
    }

    /// Who speaks, as the account is now: a role that was taken away is gone at once.
    async fn current(&self) -> Result<Who, Problem> {
        let who = self.who.clone().ok_or_else(Problem::nobody)?;
        let account = self.app.floor.accounts().get(&who.account).await?;
        Ok(Who { roles: account.roles, kind: account.kind, ..who })
    }

    async fn subscribe(
        &mut self,
        place: &Place,
        role: Option<&str>,
        after: Option<u64>,
    ) -> Result<(), Problem> {
        self.following.retain(|_, task| !task.is_finished());
        if self.following.len() >= MOST_SUBSCRIPTIONS && !self.following.contains_key(place) {
            let what = format!("more than {MOST_SUBSCRIPTIONS} subscriptions");
            return Err(Problem::bad(what, "unsubscribe from one first"));
        }
        let who = match &self.who {
            Some(_) => Some(self.current().await?),
            None => None,
        };
        let eyes = eyes_of(who.as_ref(), role)?;
        let (following, past) = match place {
            Place::Table(id) => {
                let handle = self.app.table(id)?;
                let account = who.as_ref().map(|who| who.account.as_str());
                (self.app.hub.follow(&handle, eyes, account).await?, Past::Table(handle))
            }
            Place::Tournament(id) => {
                let handle = event_of(self.app, id).await?;
                let following = self.app.hub.follow_event(&handle, id, eyes).await?;
                (following, Past::Tournament(handle))
            }
        };
        let whole = following.whole.borrow().clone();
        let missed = past.missed(&eyes, (after, whole.version)).await?;
        if let Some((version, events)) = missed {
            let mut fields = Map::new();
            fields.insert("version".into(), version.into());
            fields.insert("events".into(), events);
            self.tell(place.message("gap", fields)).await;
        }
        if !self.tell(snapshot(place, &whole)).await {
            return Ok(());
        }
        let (out, metrics) = (self.out.clone(), self.app.metrics.clone());
        let task = tokio::spawn(follow(following, whole.version, out, place.clone(), metrics));
        if let Some(before) = self.following.insert(place.clone(), task) {
            before.abort();
        }
        Ok(())
    }
}

/// Whether there is something to tell that was missed, and not too much of it.
fn is_gap(after: Option<u64>, until: u64) -> Option<u64> {
    after.filter(|after| *after < until && until - after <= MOST_MISSED)
}

/// What is subscribed to, as far as its past is read.
enum Past {
    Table(live::TableHandle),
    Tournament(live::TournamentHandle),
}

impl Past {
    /// What was missed, page by page, up to the version that the view has.
    async fn missed(
        &self,
        eyes: &Eyes,
        (after, until): (Option<u64>, u64),
    ) -> Result<Option<(u64, Value)>, Problem> {
        let Some(mut seen) = is_gap(after, until) else { return Ok(None) };
        let mut events = Vec::new();
        while seen < until {
            let (version, more) = match self {
                Self::Table(handle) => {
                    told(&handle.page_for(eyes, seen).await?, until, |event| event.version)
                }
                Self::Tournament(handle) => {
                    told(&handle.page_for(eyes, seen).await?, until, |event| event.version)
                }
            };
            if version <= seen {
                break;
            }
            seen = version;
            events.extend(more);
        }
        Ok(Some((until, Value::Array(events))))
    }
}

/// The events of a page that are not behind a version.
fn told<E: Serialize>(
    page: &Page<E>,
    until: u64,
    version: fn(&E) -> Option<u64>,
) -> (u64, Vec<Value>) {
    let events = page.events.iter().filter(|event| version(event) <= Some(until));
    (page.version, events.filter_map(|event| serde_json::to_value(event).ok()).collect())
}

fn snapshot(place: &Place, whole: &Whole) -> Value {
    let mut fields = Map::new();
    fields.insert("version".into(), whole.version.into());
    fields.insert("view".into(), Value::Object(whole.view.clone()));
    if let Place::Table(_) = place {
        fields.insert("until".into(), whole.until.into());
    }
    place.message("view", fields)
}

/// Passes on what happens at a table; who falls behind is given the view as it is now.
async fn follow(
    mut following: Following,
    mut seen: u64,
    out: mpsc::Sender<Utf8Bytes>,
    place: Place,
    metrics: std::sync::Arc<Metrics>,
) {
    loop {
        let text = match following.frames.recv().await {
            Ok(frame) if frame.over => {
                let _ = out.send(frame.text).await;
                return;
            }
            Ok(frame) if frame.version <= seen => continue,
            Ok(frame) => {
                seen = frame.version;
                frame.text
            }
            Err(RecvError::Lagged(_)) => {
                Metrics::add(&metrics.resynchronised);
                let whole = following.whole.borrow().clone();
                seen = whole.version;
                snapshot(&place, &whole).to_string().into()
            }
            Err(RecvError::Closed) => return,
        };
        if out.send(text).await.is_err() {
            return;
        }
    }
}
