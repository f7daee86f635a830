//! The socket: one for any number of subscriptions and orders. A reader that is too slow is given a
//! fresh view in place of what it missed, and one that does not read at all is dropped.

mod messages;
mod out;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use view::Eyes;

use crate::App;
use crate::api::asked::Asked;
use crate::api::tables::{answered, eyes_of};
use crate::api::tournaments::{answered_in_event, handle as event_of};
use crate::bounds::{Asker, MOST_BODY, MOST_SUBSCRIPTIONS};
use crate::hub::{Following, Place};
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::who::{From, Maybe, Who, is_ours};
pub(crate) use messages::{SocketMessage, TableMessage, TournamentMessage};
use messages::{gaps, text};
use out::{Out, Waiting};

/// How long a reader may leave a message lying.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a socket may be silent; pages send a ping more often.
const SILENCE: Duration = Duration::from_mins(2);
/// How often it is looked whether the session of a socket is over by itself.
const LOOKS: Duration = Duration::from_secs(2);
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

/// Why a socket is closed: a code, and words.
type Farewell = (u16, &'static str);

const SESSION_OVER: Farewell = (1008, "the session is over: sign in again");

/// Why a message ends a socket.
fn of_a_message(fault: &axum::Error) -> Farewell {
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
    asker: Asker,
    out: Out,
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
    let (sink, mut stream) = socket.split();
    let (out, waiting) = Out::new(app.bounds.waiting(address));
    let farewell = Arc::new(OnceLock::new());
    let mut writer = tokio::spawn(write(sink, waiting, app.metrics.clone(), farewell.clone()));
    let asker = Asker::new(who.as_ref(), address);
    let mut open = Open { app, who, asker, out, following: HashMap::new() };
    if let Some(why) = open.read(&mut stream).await {
        let _ = farewell.set(why);
    }
    drop(open);
    if timeout(PATIENCE, &mut writer).await.is_err() {
        // What still waits for somebody who reads a little now and then goes with it.
        writer.abort();
        tracing::debug!("a reader was dropped");
    }
}

/// Sends what waits, until nobody has anything to send any more, or nobody reads.
async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut waiting: mpsc::Receiver<Waiting>,
    metrics: Arc<Metrics>,
    farewell: Arc<OnceLock<Farewell>>,
) {
    while let Some(next) = waiting.recv().await {
        Metrics::add(&metrics.sent);
        // Its room is free again when it was sent.
        let sent = timeout(PATIENCE, sink.send(Message::Text(next.text.clone()))).await;
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
    let (code, reason) = farewell.get().copied().unwrap_or((1000, "good-bye"));
    let bye = CloseFrame { code, reason: reason.into() };
    let _ = timeout(PATIENCE, sink.send(Message::Close(Some(bye)))).await;
}

impl Open<'_> {
    /// Reads until the socket ends, and gives why, if it is ended here.
    async fn read(&mut self, stream: &mut SplitStream<WebSocket>) -> Option<Farewell> {
        let (mut endings, mut stopping) = (self.app.door.endings(), self.app.stopping.subscribe());
        let mut looks = tokio::time::interval(LOOKS);
        let mut silent = Instant::now() + SILENCE;
        loop {
            let message = tokio::select! {
                message = timeout_at(silent, stream.next()) => Some(message),
                // Somebody signed out, or a session may have ended by itself.
                _ = endings.changed() => None,
                _ = looks.tick() => None,
                _ = stopping.changed() => return Some((1001, "the server stops")),
            };
            if self.is_over() {
                return Some(SESSION_OVER);
            }
            let Some(message) = message else { continue };
            silent = Instant::now() + SILENCE;
            let message = match message {
                Ok(Some(Ok(message))) => message,
                Ok(Some(Err(fault))) => return Some(of_a_message(&fault)),
                Ok(None) => return None,
                Err(_) => return Some((1001, "nothing was heard for two minutes")),
            };
            if !self.hear(message).await {
                return None;
            }
        }
    }

    /// Whether the session of the socket is over.
    fn is_over(&self) -> bool {
        self.who.as_ref().is_some_and(|who| !self.app.door.lasts(&who.session))
    }

    /// Hears a message; whether the socket goes on. Whatever comes is counted, pings too.
    async fn hear(&mut self, message: Message) -> bool {
        let asked = self.app.bounds.ask(&self.asker);
        if asked.is_err() {
            // Who asks too often waits: nothing grows meanwhile.
            sleep(Duration::from_millis(200)).await;
        }
        match (message, asked) {
            (Message::Close(_), _) => false,
            (Message::Ping(_) | Message::Pong(_), _) => true,
            (Message::Text(_) | Message::Binary(_), Err(problem)) => {
                self.refuse(None, None, problem).await
            }
            (Message::Text(text), Ok(())) => self.take(&text).await,
            (Message::Binary(_), Ok(())) => {
                let problem = Problem::bad("bytes", "messages are JSON, as text");
                self.refuse(None, None, problem).await
            }
        }
    }

    async fn refuse(&self, place: Option<&Place>, key: Option<&str>, problem: Problem) -> bool {
        self.out.tell(text(&SocketMessage::problem(place, key, problem))).await
    }

    /// Takes a message; whether the socket goes on.
    async fn take(&mut self, text: &str) -> bool {
        let ask: Ask = match serde_json::from_str(text) {
            Ok(ask) => ask,
            Err(why) => {
                let instead = "a message such as {\"do\":\"subscribe\",\"table\":\"t1\"}";
                return self.refuse(None, None, Problem::bad(why.to_string(), instead)).await;
            }
        };
        match ask {
            Ask::Ping {} => {
                let pong = SocketMessage::Pong { now: store::now() };
                self.out.tell(messages::text(&pong)).await
            }
            Ask::Unsubscribe { table, tournament } => match place(table, tournament) {
                Ok(place) => {
                    if let Some(task) = self.following.remove(&place) {
                        task.abort();
                    }
                    self.out.tell(place.unsubscribed()).await
                }
                Err(problem) => self.refuse(None, None, problem).await,
            },
            Ask::Subscribe { table, tournament, role, after } => match place(table, tournament) {
                Ok(place) => match self.subscribe(&place, role.as_deref(), after).await {
                    Ok(goes_on) => goes_on,
                    Err(problem) => self.refuse(Some(&place), None, problem).await,
                },
                Err(problem) => self.refuse(None, None, problem).await,
            },
            Ask::Order { table, tournament, asked } => match place(table, tournament) {
                Ok(place) => match self.ruled(&place, &asked).await {
                    Ok(answer) => self.out.tell(answer).await,
                    Err(problem) => self.refuse(Some(&place), Some(&asked.key), problem).await,
                },
                Err(problem) => self.refuse(None, Some(&asked.key), problem).await,
            },
        }
    }

    /// Gives an order, and tells what followed.
    async fn ruled(&self, place: &Place, asked: &Asked) -> Result<Utf8Bytes, Problem> {
        let who = self.current().await?;
        self.app.door.used(&who.session).await?;
        let key = asked.key.as_str();
        Ok(match place {
            Place::Table(table) => {
                let answer = &answered(self.app, &who, table, asked).await?;
                text(&TableMessage::Answer { table, key, answer })
            }
            Place::Tournament(tournament) => {
                let answer = &answered_in_event(self.app, &who, tournament, asked).await?;
                text(&TournamentMessage::Answer { tournament, key, answer })
            }
        })
    }

    /// Who speaks, as the account is now: a role that was taken away is gone at once.
    async fn current(&self) -> Result<Who, Problem> {
        let who = self.who.clone().ok_or_else(Problem::nobody)?;
        let account = self.app.floor.accounts().get(&who.account).await?;
        Ok(Who { roles: account.roles, kind: account.kind, ..who })
    }

    /// Follows a place; whether the socket goes on.
    async fn subscribe(
        &mut self,
        place: &Place,
        role: Option<&str>,
        after: Option<u64>,
    ) -> Result<bool, Problem> {
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
        if let Some(after) = self.is_gap(after, whole.version)
            && !self.tell_missed((place, &past), &eyes, (after, whole.version)).await?
        {
            return Ok(false);
        }
        if !self.out.tell(place.view(&whole)).await {
            return Ok(false);
        }
        let (out, metrics) = (self.out.clone(), self.app.metrics.clone());
        let task = tokio::spawn(follow(following, whole.version, out, place.clone(), metrics));
        if let Some(before) = self.following.insert(place.clone(), task) {
            before.abort();
        }
        Ok(true)
    }

    /// Whether there is something to tell that was missed, and not too much of it: neither for one
    /// time, nor for somebody who asks for much of the past again and again.
    fn is_gap(&self, after: Option<u64>, until: u64) -> Option<u64> {
        let after = after.filter(|after| *after < until && until - after <= MOST_MISSED)?;
        self.app.bounds.reads(&self.asker, until - after).ok().map(|()| after)
    }

    /// Tells what was missed up to the version that the view has; whether the socket goes on. A
    /// page is read when nothing waits any more: who reads nothing is given nothing more.
    async fn tell_missed(
        &self,
        (place, past): (&Place, &Past),
        eyes: &Eyes,
        (mut seen, until): (u64, u64),
    ) -> Result<bool, Problem> {
        while seen < until {
            let Ok(Some(room)) = timeout(PATIENCE, self.out.room()).await else {
                return Ok(false);
            };
            // Where too many read the past, the view alone is sent.
            let Ok(turn) = self.app.bounds.past().await else { return Ok(true) };
            let (version, texts) = past.page(place, eyes, (seen, until)).await?;
            drop(turn);
            if version <= seen {
                break;
            }
            seen = version;
            if !self.out.fill(room, texts).await {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What is subscribed to, as far as its past is read.
enum Past {
    Table(live::TableHandle),
    Tournament(live::TournamentHandle),
}

impl Past {
    /// A page of what was missed, in messages, and the last version that they cover.
    async fn page(
        &self,
        place: &Place,
        eyes: &Eyes,
        (seen, until): (u64, u64),
    ) -> Result<(u64, Vec<Utf8Bytes>), Problem> {
        let id = place.id();
        Ok(match self {
            Self::Table(handle) => {
                let mut page = handle.page_for(eyes, seen).await?;
                page.events.retain(|event| event.version <= Some(until));
                let version = page.version.min(until);
                let say = |version, events: &[view::EventView]| {
                    text(&TableMessage::Gap { table: id, version, events })
                };
                (version, gaps(&page.events, version, |event| event.version, say))
            }
            Self::Tournament(handle) => {
                let mut page = handle.page_for(eyes, seen).await?;
                page.events.retain(|event| event.version <= Some(until));
                let version = page.version.min(until);
                let say = |version, events: &[view::TournamentEventView]| {
                    text(&TournamentMessage::Gap { tournament: id, version, events })
                };
                (version, gaps(&page.events, version, |event| event.version, say))
            }
        })
    }
}

/// Passes on what happens at a table; who falls behind is given the view as it is now.
async fn follow(
    mut following: Following,
    mut seen: u64,
    out: Out,
    place: Place,
    metrics: Arc<Metrics>,
) {
    loop {
        let sent = match following.frames.recv().await {
            Ok(frame) if frame.over => {
                out.put(frame.text).await;
                return;
            }
            Ok(frame) if frame.version <= seen => continue,
            Ok(frame) => {
                seen = frame.version;
                out.put(frame.text).await
            }
            Err(RecvError::Lagged(_)) => {
                Metrics::add(&metrics.resynchronised);
                // The view is made when there is room for it, and is then the newest.
                let Some(room) = out.room().await else { return };
                let whole = following.whole.borrow().clone();
                seen = whole.version;
                out.fill(room, vec![place.view(&whole)]).await
            }
            Err(RecvError::Closed) => return,
        };
        if !sent {
            return;
        }
    }
}
