//! What a record says, and how it is stored.
//!
//! The stored form has a version in its name. A body that is written differently gets a new
//! version, and the old one stays readable for ever: `tests/golden.rs` replays a log of each.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use shoe::{Bytes, Digest};
use table::Event;

use crate::floor::{AccountFact, Acted, RefusedAct, Setup, TableShoe};

/// How far a stream had come, and the hash of its last record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Which stream.
    pub stream: String,
    /// Its last version.
    pub version: u64,
    /// The hash of that record.
    pub hash: Digest,
}

/// How far every stream had come, signed by the house.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heads {
    /// Each stream but the checkpoints themselves, by name.
    pub heads: Vec<Head>,
    /// How many commands had been carried out in this log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<u64>,
    /// How often the log was found to be restored from an older copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// The public key of the house.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Digest>,
    /// The house's signature, always the last field: it is over the text before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Bytes>,
}

/// The key that the house signs with from here on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HouseKey {
    /// The public key.
    pub public: Digest,
    /// The key before it, and its signature of this one; nothing for the first key of a log, and
    /// where the key before was lost.
    pub former: Option<FormerKey>,
}

/// What the key before says of a new one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormerKey {
    /// The public key before.
    pub public: Digest,
    /// Its signature of the new one.
    pub signature: Bytes,
}

/// The log was found to be an older copy of itself: what came after it is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restored {
    /// How often this was found, this time counted.
    pub epoch: u64,
    /// How many commands had been carried out, as far as was kept beside the key.
    pub known: u64,
    /// How many of them the log has.
    pub found: u64,
    /// How far every stream had come in the copy: shoes that are open there are abandoned.
    pub heads: Vec<Head>,
}

/// The rulebook that a table is opened with; its canonical text is kept beside the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// Its id, and that of its base after an `@`.
    pub name: String,
    /// The hash of its canonical text.
    pub sha256: Digest,
    /// The files of a book that does not come with Sabot: with them it can be judged by anywhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<BookFile>,
}

/// A file of a rulebook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookFile {
    /// The id of the book.
    pub book: String,
    /// The name of the file, such as `rulebook.toml`.
    pub file: String,
    /// The text.
    pub text: String,
}

/// An answer in a drill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The book that was asked about.
    pub book: String,
    /// What the question was about, such as `draw` or `excess-card`.
    pub topic: String,
    /// The clause that answers it.
    pub clause: Option<String>,
    /// Whether the answer was right.
    pub right: bool,
}

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// The rulebook of what follows.
    Book(Book),
    /// What somebody did or wanted, as a line of a transcript; what followed comes after it.
    Line(String),
    /// Something that happened at a table.
    Table(Box<Event>),
    /// Something that happened in a tournament.
    Tournament(Box<tournament::Event>),
    /// Something that was published of a shoe.
    Shoe(shoe::ShoeFact),
    /// How far every stream had come.
    Checkpoint(Heads),
    /// An answer in a drill.
    Answer(Answer),
    /// The key that the house signs with.
    Key(HouseKey),
    /// The log was restored from an older copy.
    Restored(Restored),
    /// How a table is run.
    Setup(Setup),
    /// What somebody did at a table; what followed comes after it.
    Act(Box<Acted<table::Act>>),
    /// What somebody wanted to do at a table, and why it was not done.
    Refused(Box<RefusedAct<table::Act>>),
    /// What waits for a second person at a table.
    Proposed(Box<Acted<table::Act>>),
    /// What somebody did in a tournament; what followed comes after it.
    TournamentAct(Box<Acted<tournament::Act>>),
    /// What somebody wanted to do in a tournament, and why it was not done.
    TournamentRefused(Box<RefusedAct<tournament::Act>>),
    /// What happened to an account.
    Account(AccountFact),
    /// Something that was published of the shoe at a table of a tournament.
    TableShoe(Box<TableShoe>),
}

/// A record that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// A schema that this version of Sabot does not know.
    #[error(
        "records of the schema `{0}` are not known to this version of sabot; a newer one wrote them"
    )]
    Schema(String),
    /// A body that is not of its schema.
    #[error("a record of the schema `{schema}` cannot be read: {why}")]
    Body {
        /// The schema.
        schema: String,
        /// What is wrong.
        why: serde_json::Error,
    },
}

impl Body {
    /// The name and version of the form in which it is stored.
    #[must_use]
    pub const fn schema(&self) -> &'static str {
        match self {
            Self::Book(book) if book.files.is_empty() => "book/1",
            Self::Book(_) => "book/2",
            Self::Line(_) => "line/1",
            Self::Table(_) => "table/3",
            Self::Tournament(_) => "tournament/2",
            Self::Shoe(_) => "shoe/2",
            Self::Checkpoint(heads) if heads.signature.is_none() => "checkpoint/1",
            Self::Checkpoint(_) => "checkpoint/2",
            Self::Answer(_) => "answer/1",
            Self::Key(_) => "key/1",
            Self::Restored(_) => "restored/1",
            Self::Setup(_) => "setup/1",
            Self::Act(_) => "act/1",
            Self::Refused(_) => "refused/1",
            Self::Proposed(_) => "proposed/1",
            Self::TournamentAct(_) => "tournament-act/1",
            Self::TournamentRefused(_) => "tournament-refused/1",
            Self::Account(_) => "account/1",
            Self::TableShoe(_) => "table-shoe/1",
        }
    }

    /// As it is stored.
    #[must_use]
    pub fn to_json(&self) -> String {
        let json = match self {
            Self::Book(book) => serde_json::to_string(book),
            Self::Line(line) => serde_json::to_string(line),
            Self::Table(event) => serde_json::to_string(event),
            Self::Tournament(event) => serde_json::to_string(event),
            Self::Shoe(fact) => serde_json::to_string(fact),
            Self::Checkpoint(heads) => serde_json::to_string(heads),
            Self::Answer(answer) => serde_json::to_string(answer),
            Self::Key(key) => serde_json::to_string(key),
            Self::Restored(restored) => serde_json::to_string(restored),
            Self::Setup(setup) => serde_json::to_string(setup),
            Self::Act(acted) | Self::Proposed(acted) => serde_json::to_string(acted),
            Self::Refused(refused) => serde_json::to_string(refused),
            Self::TournamentAct(acted) => serde_json::to_string(acted),
            Self::TournamentRefused(refused) => serde_json::to_string(refused),
            Self::Account(fact) => serde_json::to_string(fact),
            Self::TableShoe(fact) => serde_json::to_string(fact),
        };
        json.expect("these types have no keys and no numbers that JSON lacks")
    }

    /// Reads what was stored, in whichever version.
    ///
    /// # Errors
    ///
    /// When the schema is not known, or the body is not of it.
    pub fn from_json(schema: &str, body: &str) -> Result<Self, Unreadable> {
        let read = match schema {
            "book/1" | "book/2" => serde_json::from_str(body).map(Self::Book),
            "line/1" => serde_json::from_str(body).map(Self::Line),
            "table/1" => table_1(body).map(Self::Table),
            "table/2" => with_side_bets(body).map(Self::Table),
            "table/3" => serde_json::from_str(body).map(Self::Table),
            "tournament/1" => with_side_bets(body).map(Self::Tournament),
            "tournament/2" => serde_json::from_str(body).map(Self::Tournament),
            "shoe/1" | "shoe/2" => serde_json::from_str(body).map(Self::Shoe),
            "checkpoint/1" | "checkpoint/2" => serde_json::from_str(body).map(Self::Checkpoint),
            "answer/1" => serde_json::from_str(body).map(Self::Answer),
            "key/1" => serde_json::from_str(body).map(Self::Key),
            "restored/1" => serde_json::from_str(body).map(Self::Restored),
            "setup/1" => serde_json::from_str(body).map(Self::Setup),
            "act/1" => serde_json::from_str(body).map(Self::Act),
            "refused/1" => serde_json::from_str(body).map(Self::Refused),
            "proposed/1" => serde_json::from_str(body).map(Self::Proposed),
            "tournament-act/1" => serde_json::from_str(body).map(Self::TournamentAct),
            "tournament-refused/1" => serde_json::from_str(body).map(Self::TournamentRefused),
            "account/1" => serde_json::from_str(body).map(Self::Account),
            "table-shoe/1" => serde_json::from_str(body).map(Self::TableShoe),
            other => return Err(Unreadable::Schema(other.into())),
        };
        read.map_err(|why| Unreadable::Body { schema: schema.into(), why })
    }
}

/// An event in the first form, in which a cap on areas had a figure of its own. It is now the
/// maximum on the sign.
fn table_1(body: &str) -> Result<Box<Event>, serde_json::Error> {
    const CAP: &str = "area-cap";
    fn upcast(value: &mut Value) {
        let Some(fields) = value.as_object_mut() else { return };
        if fields.remove(CAP).is_some() {
            fields.insert("cap-areas".into(), Value::Null);
        }
        fields.values_mut().for_each(upcast);
    }
    let mut value = serde_json::from_str(body)?;
    upcast(&mut value);
    name_side_bets(&mut value);
    serde_json::from_value(value)
}

/// A body of a form in which Pairs and the Dragon Bonus had fields and variants of their own. They
/// are now side bets like any other, known by their keys.
fn with_side_bets<T: DeserializeOwned>(body: &str) -> Result<T, serde_json::Error> {
    if !["pairs", "dragon", "opened"].iter().any(|word| body.contains(word)) {
        return serde_json::from_str(body);
    }
    let mut value = serde_json::from_str(body)?;
    name_side_bets(&mut value);
    serde_json::from_value(value)
}

fn name_side_bets(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(name_side_bets),
        Value::Object(fields) => {
            name_choices(fields);
            name_line(fields);
            if let Some(opened) = fields.get_mut("opened").and_then(Value::as_object_mut) {
                opened.insert("side_bets".into(), former_side_bets());
            }
            fields.values_mut().for_each(name_side_bets);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// An operator's choices: which Pairs, and whether the Dragon Bonus.
fn name_choices(fields: &mut Map<String, Value>) {
    let (Some(pairs), Some(Value::Bool(dragon))) = (fields.get("pairs"), fields.get("dragon"))
    else {
        return;
    };
    let pairs = pairs.as_str().map(|table| format!("pairs={table}"));
    let offers: Vec<String> = pairs.into_iter().chain(dragon.then(|| "dragon".into())).collect();
    fields.remove("pairs");
    fields.remove("dragon");
    fields.insert("side_bets".into(), offers.into());
}

/// A line of the sign, a rule that is kept, or a waiver.
fn name_line(fields: &mut Map<String, Value>) {
    let [(key, value)] = &fields.iter().collect::<Vec<_>>()[..] else { return };
    let (key, value) = match (key.as_str(), value) {
        ("pairs", Value::Null) => ("withdraw", json!("pairs")),
        ("pairs", Value::String(table)) => ("offer", json!(format!("pairs={table}"))),
        ("dragon", Value::Bool(true)) => ("offer", json!("dragon")),
        ("dragon", Value::Bool(false)) => ("withdraw", json!("dragon")),
        ("dragon-waived", player) => ("claim-waived", json!([player, "dragon"])),
        ("kept", Value::String(rule)) => match rule.as_str() {
            "pairs" | "dragon" => ("kept", json!({ "side-bets": rule })),
            "pairs-areas" => ("kept", json!({ "side-bet-areas": "pairs" })),
            "dragon-areas" => ("kept", json!({ "side-bet-areas": "dragon" })),
            _ => return,
        },
        _ => return,
    };
    *fields = Map::from_iter([(key.to_owned(), value)]);
}

/// The side bets that there were when they had no names in the log.
fn former_side_bets() -> Value {
    let bets = |offer: &str, group: &str, name: &str, spots: [&str; 2]| {
        let offer = json!(offer);
        json!({ "offer": offer, "group": group, "name": name, "spots": spots })
    };
    let pairs = ["banker-pair", "player-pair"];
    json!([
        bets("pairs=perfect", "Pairs", "Perfect Pairs", pairs),
        bets("pairs=canberra", "Pairs", "Canberra Pairs", pairs),
        bets("dragon", "Dragon Bonus", "Dragon Bonus", ["banker-dragon", "player-dragon"]),
    ])
}
