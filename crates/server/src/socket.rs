//! The socket: one for any number of subscriptions and orders. A reader that is too slow is given a
//! fresh view in place of what it missed, and one that does not read at all is dropped.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use futures_util::{SinkExt as _, StreamExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use view::Eyes;

use crate::App;
use crate::api::asked::Asked;
use crate::api::tables::{answered, eyes_of};
use crate::bounds::{MOST_BODY, MOST_SUBSCRIPTIONS, MOST_WAITING};
use crate::hub::{Following, Whole};
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
    /// Follow a table: a view first, then what changes.
    Subscribe {
        /// The table.
        table: String,
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
        table: String,
    },
    /// An order, as in a request.
    Order {
        /// The table.
        table: String,
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
    key: Option<&'a str>,
    problem: Problem,
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

/// One open socket.
struct Open<'a> {
    app: &'a App,
    who: Option<Who>,
    key: String,
    out: mpsc::Sender<Utf8Bytes>,
    following: HashMap<String, JoinHandle<()>>,
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
    let metrics = app.metrics.clone();
    let writer = tokio::spawn(async move {
        while let Some(text) = waiting.recv().await {
            Metrics::add(&metrics.sent);
            let sent = tokio::time::timeout(PATIENCE, sink.send(Message::Text(text))).await;
            if !matches!(sent, Ok(Ok(()))) {
                return;
            }
        }
        let bye = CloseFrame { code: 1001, reason: "the server says good-bye".into() };
        let _ = tokio::time::timeout(PATIENCE, sink.send(Message::Close(Some(bye)))).await;
    });
    let key = who.as_ref().map_or_else(|| address.to_string(), |who| who.account.clone());
    let mut open = Open { app, who, key, out, following: HashMap::new() };
    let (mut endings, mut stopping) = (app.door.endings(), app.stopping.subscribe());
    loop {
        let message = tokio::select! {
            message = tokio::time::timeout(SILENCE, stream.next()) => message,
            _ = endings.changed() => {
                if open.is_over() {
                    break;
                }
                continue;
            }
            _ = stopping.changed() => break,
        };
        let Ok(Some(Ok(message))) = message else { break };
        if open.is_over() {
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
                if !open.tell(Failed { kind: "problem", table: None, key: None, problem }).await {
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
        let failed = |problem| Failed { kind: "problem", table: None, key: None, problem };
        if let Err(problem) = self.app.bounds.ask(&self.key) {
            // Who asks too often waits: nothing grows meanwhile.
            tokio::time::sleep(Duration::from_millis(200)).await;
            return self.tell(failed(problem)).await;
        }
        let ask: Ask = match serde_json::from_str(text) {
            Ok(ask) => ask,
            Err(why) => {
                let instead = "a message such as {\"do\":\"subscribe\",\"table\":\"t1\"}";
                return self.tell(failed(Problem::bad(why.to_string(), instead))).await;
            }
        };
        match ask {
            Ask::Ping {} => self.tell(json!({ "kind": "pong", "now": store::now() })).await,
            Ask::Unsubscribe { table } => {
                if let Some(task) = self.following.remove(&table) {
                    task.abort();
                }
                self.tell(json!({ "kind": "unsubscribed", "table": table })).await
            }
            Ask::Subscribe { table, role, after } => {
                match self.subscribe(&table, role.as_deref(), after).await {
                    Ok(()) => true,
                    Err(problem) => {
                        let (kind, table) = ("problem", Some(table.as_str()));
                        self.tell(Failed { kind, table, key: None, problem }).await
                    }
                }
            }
            Ask::Order { table, asked } => self.order(&table, &asked).await,
        }
    }

    async fn order(&self, table: &str, asked: &Asked) -> bool {
        let ruled = match self.current().await {
            Ok(who) => match self.app.door.used(&who.session).await {
                Ok(()) => answered(self.app, &who, table, asked).await,
                Err(fault) => Err(fault.into()),
            },
            Err(problem) => Err(problem),
        };
        match ruled {
            Ok(done) => {
                let key = &asked.key;
                self.tell(json!({ "kind": "answer", "table": table, "key": key, "answer": done }))
                    .await
            }
            Err(problem) => {
                let (table, key) = (Some(table), Some(asked.key.as_str()));
                self.tell(Failed { kind: "problem", table, key, problem }).await
            }
        }
    }

    /// Who speaks, as the account is now: a role that was taken away is gone at once.
    async fn current(&self) -> Result<Who, Problem> {
        let who = self.who.clone().ok_or_else(Problem::nobody)?;
        let account = self.app.floor.accounts().get(&who.account).await?;
        Ok(Who { roles: account.roles, kind: account.kind, ..who })
    }

    async fn subscribe(
        &mut self,
        table: &str,
        role: Option<&str>,
        after: Option<u64>,
    ) -> Result<(), Problem> {
        self.following.retain(|_, task| !task.is_finished());
        if self.following.len() >= MOST_SUBSCRIPTIONS && !self.following.contains_key(table) {
            let what = format!("more than {MOST_SUBSCRIPTIONS} subscriptions");
            return Err(Problem::bad(what, "unsubscribe from one first"));
        }
        let who = match &self.who {
            Some(_) => Some(self.current().await?),
            None => None,
        };
        let eyes = eyes_of(who.as_ref(), role)?;
        let handle = self.app.table(table)?;
        let account = who.as_ref().map(|who| who.account.as_str());
        let following = self.app.hub.follow(&handle, eyes, account).await?;
        let whole = following.whole.borrow().clone();
        if let Some(after) = after {
            self.tell_gap(&handle, &eyes, (after, whole.version)).await?;
        }
        if !self.tell(snapshot(table, &whole)).await {
            return Ok(());
        }
        let (out, table_id) = (self.out.clone(), table.to_owned());
        let metrics = self.app.metrics.clone();
        let task = tokio::spawn(follow(following, whole.version, out, table_id, metrics));
        if let Some(before) = self.following.insert(table.to_owned(), task) {
            before.abort();
        }
        Ok(())
    }

    /// What was missed, if it is not too much.
    async fn tell_gap(
        &self,
        handle: &live::TableHandle,
        eyes: &Eyes,
        (after, until): (u64, u64),
    ) -> Result<(), Problem> {
        if after >= until || until - after > MOST_MISSED {
            return Ok(());
        }
        let mut missed = handle.subscribe(after).await?;
        let mut events = Vec::new();
        while missed.seen() < until {
            let update = missed.next_for(eyes, handle).await?;
            events.extend(update.events);
            if update.over {
                break;
            }
        }
        let gap = json!({
            "kind": "gap", "table": handle.stream(), "version": missed.seen(), "events": events,
        });
        self.tell(gap).await;
        Ok(())
    }
}

fn snapshot(table: &str, whole: &Whole) -> serde_json::Value {
    json!({
        "kind": "view", "table": table, "version": whole.version, "view": whole.view,
        "until": whole.until,
    })
}

/// Passes on what happens at a table; who falls behind is given the view as it is now.
async fn follow(
    mut following: Following,
    mut seen: u64,
    out: mpsc::Sender<Utf8Bytes>,
    table: String,
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
                snapshot(&table, &whole).to_string().into()
            }
            Err(RecvError::Closed) => return,
        };
        if out.send(text).await.is_err() {
            return;
        }
    }
}
