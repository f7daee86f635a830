//! What happens at tables and in tournaments, once for everybody who sees the same: each pair of
//! place and eyes is watched by one task, and its messages are made once, however many sockets get
//! them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use live::{EventTold, Look, Subscription, TableHandle, TournamentHandle, Watching};
use serde::Serialize;
use serde_json::{Map, Value};
use store::TableShoe;
use tokio::sync::{broadcast, watch};
use view::Eyes;

use crate::bounds::MOST_WAITING;
use crate::problem::Problem;

/// Views are made so often at the most; what happens between is told together.
const PACE: Duration = Duration::from_millis(30);

/// A message for everybody who sees the same.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// The last record that it covers.
    pub(crate) version: u64,
    /// The message, as it goes out.
    pub(crate) text: Utf8Bytes,
    /// It is the last one.
    pub(crate) over: bool,
}

/// The whole of a table or a tournament as some eyes see it, kept up to date.
#[derive(Clone, Debug, Default)]
pub(crate) struct Whole {
    pub(crate) version: u64,
    pub(crate) view: Map<String, Value>,
    /// Until when people may do what the table waits for, in microseconds.
    pub(crate) until: Option<u64>,
}

/// What is looked at: a table by its id, or a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    Table(String),
    Tournament(String),
}

impl Place {
    /// Its id.
    pub(crate) fn id(&self) -> &str {
        let (Self::Table(id) | Self::Tournament(id)) = self;
        id
    }
}

/// Who looks at what: the place, the eyes, and the account where it matters.
type Key = (Place, String, Option<String>);

/// A table or a tournament that is watched.
enum Watched {
    Table(Box<Watching>),
    Tournament(Box<EventWatched>),
}

struct EventWatched {
    handle: TournamentHandle,
    news: Subscription<EventTold, TableShoe>,
    eyes: Eyes,
}

/// What was seen of it.
struct Sight {
    version: u64,
    events: Value,
    view: Map<String, Value>,
    until: Option<u64>,
}

impl Watched {
    /// What happens next; nothing once it has stopped.
    async fn next(&mut self) -> Option<Sight> {
        match self {
            Self::Table(watching) => {
                let Look { version, events, view, until } = watching.next().await.ok()?;
                let events = serde_json::to_value(events).unwrap_or_default();
                Some(Sight { version, events, view: document(&view?), until })
            }
            Self::Tournament(watched) => {
                let EventWatched { handle, news, eyes } = &mut **watched;
                let update = news.next_for(eyes, handle).await.ok().filter(|news| !news.over)?;
                let view = handle.view(eyes).await.ok()?;
                let events = serde_json::to_value(update.events).unwrap_or_default();
                let version = update.version;
                Some(Sight { version, events, view: document(&view), until: None })
            }
        }
    }
}

#[derive(Debug)]
struct Channel {
    frames: broadcast::Sender<Frame>,
    whole: watch::Receiver<Arc<Whole>>,
}

/// All that is watched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hub(Arc<Mutex<HashMap<Key, Channel>>>);

/// What a socket follows.
pub(crate) struct Following {
    pub(crate) frames: broadcast::Receiver<Frame>,
    pub(crate) whole: watch::Receiver<Arc<Whole>>,
}

fn document(view: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(view) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// The fields that are not what they were.
fn changed(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let other = after.iter().filter(|(key, value)| before.get(*key) != Some(value));
    let gone = before.keys().filter(|key| !after.contains_key(*key));
    let gone = gone.map(|key| (key.clone(), Value::Null));
    other.map(|(key, value)| (key.clone(), value.clone())).chain(gone).collect()
}

impl Hub {
    fn channels(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Channel>> {
        self.0.lock().expect("nobody panics holding it")
    }

    /// Follows a table with these eyes.
    pub(crate) async fn follow(
        &self,
        handle: &TableHandle,
        eyes: Eyes,
        account: Option<&str>,
    ) -> Result<Following, Problem> {
        // What a player holds, and what staff proposed, is seen by who it was.
        let account = account.filter(|_| !matches!(eyes, Eyes::Spectator | Eyes::Auditor));
        let place = Place::Table(handle.stream().to_owned());
        let key = (place, word(eyes), account.map(str::to_owned));
        if let Some(following) = self.known(&key) {
            return Ok(following);
        }
        let (watching, first) = handle.watch(eyes, account).await?;
        let view = first.view.as_ref().map(document).unwrap_or_default();
        let whole = Whole { version: first.version, view, until: first.until };
        Ok(self.start(key, Watched::Table(Box::new(watching)), whole))
    }

    /// Follows a tournament with these eyes.
    pub(crate) async fn follow_event(
        &self,
        handle: &TournamentHandle,
        id: &str,
        eyes: Eyes,
    ) -> Result<Following, Problem> {
        let key = (Place::Tournament(id.to_owned()), word(eyes), None);
        if let Some(following) = self.known(&key) {
            return Ok(following);
        }
        let version = handle.look().await?.version;
        let news = handle.subscribe(version).await?;
        let view = document(&handle.view(&eyes).await?);
        let watched = EventWatched { handle: handle.clone(), news, eyes };
        let watched = Watched::Tournament(Box::new(watched));
        Ok(self.start(key, watched, Whole { version, view, until: None }))
    }

    /// Watches for everybody who follows; somebody may have been quicker.
    fn start(&self, key: Key, watched: Watched, whole: Whole) -> Following {
        let (told, whole) = watch::channel(Arc::new(whole));
        let mut channels = self.channels();
        if let Some(channel) = channels.get(&key) {
            return channel.follow();
        }
        let (frames, _) = broadcast::channel(MOST_WAITING);
        let channel = Channel { frames: frames.clone(), whole };
        let following = channel.follow();
        channels.insert(key.clone(), channel);
        tokio::spawn(run(self.clone(), key, watched, frames, told));
        following
    }

    /// How many pairs of table and eyes are watched.
    pub(crate) fn watched(&self) -> usize {
        self.channels().len()
    }

    fn known(&self, key: &Key) -> Option<Following> {
        self.channels().get(key).map(Channel::follow)
    }

    /// Takes the channel away if nobody follows it.
    fn let_go(&self, key: &Key) -> bool {
        let mut channels = self.channels();
        let idle = channels.get(key).is_none_or(|channel| channel.frames.receiver_count() == 0);
        if idle {
            channels.remove(key);
        }
        idle
    }
}

impl Channel {
    fn follow(&self) -> Following {
        Following { frames: self.frames.subscribe(), whole: self.whole.clone() }
    }
}

fn word(eyes: Eyes) -> String {
    serde_json::to_string(&eyes).unwrap_or_default()
}

/// Watches until nobody follows, or it stops.
async fn run(
    hub: Hub,
    key: Key,
    mut watched: Watched,
    frames: broadcast::Sender<Frame>,
    whole: watch::Sender<Arc<Whole>>,
) {
    loop {
        let sight = {
            let next = watched.next();
            tokio::pin!(next);
            loop {
                tokio::select! {
                    sight = &mut next => break sight,
                    () = tokio::time::sleep(Duration::from_secs(5)) => {
                        if hub.let_go(&key) {
                            return;
                        }
                    }
                }
            }
        };
        let Some(Sight { version, events, view, until }) = sight else {
            hub.channels().remove(&key);
            let text = key.0.over();
            let version = whole.borrow().version;
            let _ = frames.send(Frame { version, text, over: true });
            return;
        };
        // A busy table is never quiet for long: whether anybody still looks is asked each time.
        if hub.let_go(&key) {
            return;
        }
        let before = whole.borrow().clone();
        let changed = changed(&before.view, &view);
        let text = key.0.update((version, until), &events, &changed);
        let _ = whole.send(Arc::new(Whole { version, view, until }));
        let _ = frames.send(Frame { version, text, over: false });
        tokio::time::sleep(PACE).await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_longer_there_is_told_too() {
        let of = |value: Value| value.as_object().cloned().unwrap_or_default();
        let (before, after) =
            (of(json!({ "a": 1, "b": 2, "c": 3 })), of(json!({ "a": 1, "b": 5 })));
        assert_eq!(changed(&before, &after), of(json!({ "b": 5, "c": null })));
    }
}
