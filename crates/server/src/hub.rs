//! What happens at tables, once for everybody who sees the same: each pair of table and eyes is
//! watched by one task, and its messages are made once, however many sockets get them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use live::{Look, TableHandle, Watching};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::{broadcast, watch};
use view::{EventView, Eyes, TableView};

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

/// The whole of a table as some eyes see it, kept up to date.
#[derive(Clone, Debug, Default)]
pub(crate) struct Whole {
    pub(crate) version: u64,
    pub(crate) view: Map<String, Value>,
    /// Until when people may do what the table waits for, in microseconds.
    pub(crate) until: Option<u64>,
}

/// Who looks at what: the table, the eyes, and the account where it matters.
type Key = (String, String, Option<String>);

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

/// What changed at a table.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Update<'a> {
    /// `update`.
    pub(crate) kind: &'static str,
    /// The table.
    pub(crate) table: &'a str,
    /// The last record that it covers.
    pub(crate) version: u64,
    /// What happened, in order.
    pub(crate) events: &'a [EventView],
    /// The fields of the view that are otherwise now, each with all that stands there.
    pub(crate) changed: &'a Map<String, Value>,
    /// Until when people may do what the table waits for, in microseconds; nothing where the clock
    /// waits for nobody.
    pub(crate) until: Option<u64>,
}

fn document(view: &TableView) -> Map<String, Value> {
    match serde_json::to_value(view) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// The fields that are not what they were.
fn changed(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let other = after.iter().filter(|(key, value)| before.get(*key) != Some(value));
    other.map(|(key, value)| (key.clone(), value.clone())).collect()
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
        // Only a player's view depends on the account.
        let account = account.filter(|_| matches!(eyes, Eyes::Player(_)));
        let word = serde_json::to_string(&eyes).unwrap_or_default();
        let key = (handle.stream().to_owned(), word, account.map(str::to_owned));
        if let Some(following) = self.known(&key) {
            return Ok(following);
        }
        let (watching, first) = handle.watch(eyes, account).await?;
        let view = first.view.as_ref().map(document).unwrap_or_default();
        let whole = Arc::new(Whole { version: first.version, view, until: first.until });
        let (told, whole) = watch::channel(whole);
        let mut channels = self.channels();
        // Somebody may have been quicker.
        if let Some(channel) = channels.get(&key) {
            return Ok(channel.follow());
        }
        let (frames, _) = broadcast::channel(MOST_WAITING);
        let channel = Channel { frames: frames.clone(), whole };
        let following = channel.follow();
        channels.insert(key.clone(), channel);
        tokio::spawn(run(self.clone(), key, watching, frames, told));
        Ok(following)
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

/// Watches until nobody follows, or the table stops.
async fn run(
    hub: Hub,
    key: Key,
    mut watching: Watching,
    frames: broadcast::Sender<Frame>,
    whole: watch::Sender<Arc<Whole>>,
) {
    loop {
        let look = {
            let next = watching.next();
            tokio::pin!(next);
            loop {
                tokio::select! {
                    look = &mut next => break look,
                    () = tokio::time::sleep(Duration::from_secs(5)) => {
                        if hub.let_go(&key) {
                            return;
                        }
                    }
                }
            }
        };
        let Ok(Look { version, events, view: Some(view), until }) = look else {
            hub.channels().remove(&key);
            let text = serde_json::json!({ "kind": "over", "table": key.0 }).to_string().into();
            let version = whole.borrow().version;
            let _ = frames.send(Frame { version, text, over: true });
            return;
        };
        // A busy table is never quiet for long: whether anybody still looks is asked each time.
        if hub.let_go(&key) {
            return;
        }
        let after = document(&view);
        let before = whole.borrow().clone();
        let fields = changed(&before.view, &after);
        let (table, events, changed) = (key.0.as_str(), events.as_slice(), &fields);
        let update = Update { kind: "update", table, version, events, changed, until };
        let text = serde_json::to_string(&update).unwrap_or_default().into();
        let _ = whole.send(Arc::new(Whole { version, view: after, until }));
        let _ = frames.send(Frame { version, text, over: false });
        tokio::time::sleep(PACE).await;
    }
}
