//! What the socket says: one form for each kind of message, from which the messages, their
//! description and the types of the page are made.

use axum::extract::ws::Utf8Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};
use view::{EventView, TableView, TournamentEventView, TournamentView};

use crate::api::tables::Done;
use crate::api::tournaments::EventDone;
use crate::hub::{Place, Whole};
use crate::problem::Problem;

/// What is said of a table.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum TableMessage<'a> {
    /// All of it: when it is followed, and in place of what a slow reader missed.
    View {
        /// The table.
        table: &'a str,
        /// The last record that it covers.
        version: u64,
        /// The table as you may see it.
        #[schemars(with = "TableView")]
        view: &'a Map<String, Value>,
        /// Until when people may do what the table waits for, in microseconds.
        until: Option<u64>,
    },
    /// Something happened.
    Update {
        /// The table.
        table: &'a str,
        /// The last record that it covers.
        version: u64,
        /// What happened, in order.
        #[schemars(with = "Vec<EventView>")]
        events: &'a Value,
        /// The fields of the view that are not what they were.
        #[schemars(schema_with = "part_of::<TableView>")]
        changed: &'a Map<String, Value>,
        /// Until when people may do what the table waits for, in microseconds.
        until: Option<u64>,
    },
    /// What was missed, before the view: one or several, in order.
    Gap {
        /// The table.
        table: &'a str,
        /// The last record that it covers.
        version: u64,
        /// What happened, in order.
        events: &'a [EventView],
    },
    /// An order was carried out.
    Answer {
        /// The table.
        table: &'a str,
        /// The key of the order.
        key: &'a str,
        /// What followed.
        answer: &'a Done,
    },
    /// It is followed no longer, as was asked.
    Unsubscribed {
        /// The table.
        table: &'a str,
    },
    /// It has stopped: nothing more comes.
    Over {
        /// The table.
        table: &'a str,
    },
}

/// What is said of a tournament.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum TournamentMessage<'a> {
    /// All of it: when it is followed, and in place of what a slow reader missed.
    View {
        /// The tournament.
        tournament: &'a str,
        /// The last record that it covers.
        version: u64,
        /// The tournament as you may see it.
        #[schemars(with = "TournamentView")]
        view: &'a Map<String, Value>,
    },
    /// Something happened.
    Update {
        /// The tournament.
        tournament: &'a str,
        /// The last record that it covers.
        version: u64,
        /// What happened, in order.
        #[schemars(with = "Vec<TournamentEventView>")]
        events: &'a Value,
        /// The fields of the view that are not what they were.
        #[schemars(schema_with = "part_of::<TournamentView>")]
        changed: &'a Map<String, Value>,
    },
    /// What was missed, before the view: one or several, in order.
    Gap {
        /// The tournament.
        tournament: &'a str,
        /// The last record that it covers.
        version: u64,
        /// What happened, in order.
        events: &'a [TournamentEventView],
    },
    /// An order was carried out.
    Answer {
        /// The tournament.
        tournament: &'a str,
        /// The key of the order.
        key: &'a str,
        /// What followed.
        answer: &'a EventDone,
    },
    /// It is followed no longer, as was asked.
    Unsubscribed {
        /// The tournament.
        tournament: &'a str,
    },
    /// It has stopped: nothing more comes.
    Over {
        /// The tournament.
        tournament: &'a str,
    },
}

/// What is said whatever is followed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum SocketMessage<'a> {
    /// The answer to a ping.
    Pong {
        /// The time by the server's clock, in microseconds.
        now: u64,
    },
    /// Something that was asked for was not done.
    Problem {
        /// The table, if it is about one.
        table: Option<&'a str>,
        /// The tournament, if it is about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        tournament: Option<&'a str>,
        /// The key of the order, if it is about one.
        key: Option<&'a str>,
        /// Why not.
        problem: Problem,
    },
}

/// Some of the top-level fields of a document.
fn part_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let whole = generator.subschema_for::<T>();
    let whole = whole.as_value()["$ref"].clone();
    json_schema!({ "type": "object", "x-part-of": whole })
}

pub(crate) fn text(message: &impl Serialize) -> Utf8Bytes {
    serde_json::to_string(message).unwrap_or_default().into()
}

/// Events of the past in one message, at the most.
const EVENTS_A_GAP: usize = 256;

/// What was missed, in messages of a bounded length; `version` is the last that they cover.
pub(super) fn gaps<E>(
    events: &[E],
    version: u64,
    of: impl Fn(&E) -> Option<u64>,
    say: impl Fn(u64, &[E]) -> Utf8Bytes,
) -> Vec<Utf8Bytes> {
    let mut parts: Vec<_> = events.chunks(EVENTS_A_GAP).collect();
    // What covers records that these eyes do not see is said too.
    let last = parts.pop().unwrap_or_default();
    let upto = |part: &[E]| part.last().and_then(&of).unwrap_or(version);
    let mut texts: Vec<_> = parts.into_iter().map(|part| say(upto(part), part)).collect();
    texts.push(say(version, last));
    texts
}

impl Place {
    /// All of it.
    pub(super) fn view(&self, whole: &Whole) -> Utf8Bytes {
        let Whole { version, ref view, until } = *whole;
        match self {
            Self::Table(table) => text(&TableMessage::View { table, version, view, until }),
            Self::Tournament(tournament) => {
                text(&TournamentMessage::View { tournament, version, view })
            }
        }
    }

    /// What happened there, and what it changed.
    pub(crate) fn update(
        &self,
        (version, until): (u64, Option<u64>),
        events: &Value,
        changed: &Map<String, Value>,
    ) -> Utf8Bytes {
        match self {
            Self::Table(table) => {
                text(&TableMessage::Update { table, version, events, changed, until })
            }
            Self::Tournament(tournament) => {
                text(&TournamentMessage::Update { tournament, version, events, changed })
            }
        }
    }

    /// It has stopped.
    pub(crate) fn over(&self) -> Utf8Bytes {
        match self {
            Self::Table(table) => text(&TableMessage::Over { table }),
            Self::Tournament(tournament) => text(&TournamentMessage::Over { tournament }),
        }
    }

    /// It is followed no longer.
    pub(super) fn unsubscribed(&self) -> Utf8Bytes {
        match self {
            Self::Table(table) => text(&TableMessage::Unsubscribed { table }),
            Self::Tournament(tournament) => text(&TournamentMessage::Unsubscribed { tournament }),
        }
    }
}

impl<'a> SocketMessage<'a> {
    /// Why something about a place, or an order, was not done.
    pub(super) fn problem(
        place: Option<&'a Place>,
        key: Option<&'a str>,
        problem: Problem,
    ) -> Self {
        let (table, tournament) = match place {
            Some(Place::Table(id)) => (Some(id.as_str()), None),
            Some(Place::Tournament(id)) => (None, Some(id.as_str())),
            None => (None, None),
        };
        Self::Problem { table, tournament, key, problem }
    }
}
