//! Golden logs: what any version of Sabot wrote is read for ever, and means the same.
//!
//! There is a log and a session for every version of the stored form. A file that is there is never
//! written anew: it stands for the logs that people have. When a body gets a new version, add files
//! with the next number to `LOGS` and `SESSIONS` and let the test write them, once:
//!
//! ```text
//! SABOT_GOLDEN=write cargo test --package store --test golden
//! ```
//!
//! The newest log has one record for every variant of every enum that is stored; a variant without
//! one fails a test. `table-*` and `tournament-*` are whole transcripts, and what people saw.
//!
//! It writes only files that are missing. What the table of a session must come to is stated here,
//! after it was written and looked at.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "golden/kinds.rs"]
mod kinds;
#[path = "golden/streams.rs"]
mod streams;
#[path = "golden/variants.rs"]
mod variants;
#[path = "golden/writing.rs"]
mod writing;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;

use serde_json::{Value, json};
use shoe::Digest;
use store::{Body, Record, verify_chain};
use table::State;

/// One record for every kind of thing that can be recorded; the newest version is the last.
const LOGS: [&str; 9] = [
    "log-1.jsonl",
    "log-2.jsonl",
    "log-3.jsonl",
    "log-4.jsonl",
    "log-5.jsonl",
    "log-6.jsonl",
    "log-7.jsonl",
    "log-8.jsonl",
    "log-9.jsonl",
];
/// Sessions, and what their tables come to.
const SESSIONS: [Session; 4] = [
    Session {
        name: "session-1.jsonl",
        coups: 3,
        stacks: [("Ann", 100_014_700), ("Bo", 99_995_200), ("Cy", 99_997_700)],
    },
    Session {
        name: "session-2.jsonl",
        coups: 3,
        stacks: [("Ann", 100_014_700), ("Mary Ann", 99_995_200), ("O'Brien", 99_997_700)],
    },
    Session {
        name: "session-3.jsonl",
        coups: 3,
        stacks: [("Ann", 100_014_700), ("Mary Ann", 99_995_200), ("O'Brien", 99_997_700)],
    },
    // From here on the log has accounts, and people take part in the shoe.
    Session {
        name: "session-4.jsonl",
        coups: 3,
        stacks: [("table-1-1", 100_028_000), ("table-1-2", 99_981_000), ("table-1-3", 100_152_000)],
    },
];

struct Session {
    name: &'static str,
    coups: u32,
    /// Every player's chips, in cents.
    stacks: [(&'static str, i64); 3],
}

static WRITTEN: Once = Once::new();

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn write_what_is_missing() {
    if std::env::var_os("SABOT_GOLDEN").is_none_or(|word| word != "write") {
        return;
    }
    let logs = LOGS.iter().map(|name| (*name, writing::log as fn() -> Vec<Record>));
    let sessions = SESSIONS.iter().map(|session| (session.name, writing::session as _));
    for (name, records) in logs.chain(sessions).filter(|(name, _)| !path(name).exists()) {
        let text: String = records().iter().map(line).collect();
        fs::write(path(name), text).unwrap();
    }
    let mut known = HashSet::new();
    for name in streams::FILES.into_iter().filter(|name| !path(name).exists()) {
        streams::write(name, &mut known);
    }
}

fn line(record: &Record) -> String {
    let Record { stream, version, at, actor, key, schema, body, hash } = record;
    let fields = json!({
        "stream": stream, "version": version, "at": at, "actor": actor, "key": key,
        "schema": schema, "body": body, "hash": hash,
    });
    format!("{fields}\n")
}

fn read(line: &str) -> Record {
    let fields: Value = serde_json::from_str(line).unwrap();
    let text = |name: &str| fields[name].as_str().unwrap().to_owned();
    let number = |name: &str| fields[name].as_u64().unwrap();
    Record {
        stream: text("stream"),
        version: number("version"),
        at: number("at"),
        actor: text("actor"),
        key: text("key"),
        schema: text("schema"),
        body: text("body"),
        hash: Digest::read(&text("hash")).unwrap(),
    }
}

fn golden(name: &str) -> Vec<Record> {
    WRITTEN.call_once(write_what_is_missing);
    let text = fs::read_to_string(path(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
    text.lines().map(read).collect()
}

fn all_files() -> impl Iterator<Item = &'static str> {
    LOGS.into_iter().chain(SESSIONS.map(|session| session.name))
}

#[test]
fn every_golden_record_is_read_and_written_back_as_it_stands() {
    for name in all_files() {
        for record in golden(name) {
            let at = format!("{name}, {} {}", record.stream, record.version);
            let body = Body::from_json(&record.schema, &record.body);
            let body = body.unwrap_or_else(|why| panic!("{at}: {why}"));
            if body.schema() == record.schema {
                assert_eq!(body.to_json(), record.body, "{at}");
            }
            // What an older version wrote is written anew in the newest form, and means the same.
            let again = Body::from_json(body.schema(), &body.to_json());
            assert_eq!(again.unwrap_or_else(|why| panic!("{at}: {why}")), body, "{at}");
        }
    }
}

/// What the first form of table events said otherwise: a cap on areas was a figure. Side bets had
/// fields of their own until the third form.
#[test]
fn an_upcast_changes_only_what_the_old_form_said_otherwise() {
    let mut caps = 0;
    for record in LOGS.into_iter().flat_map(golden).filter(|record| record.schema == "table/1") {
        let body = record.read().unwrap();
        if record.body.contains("area-cap") {
            caps += 1;
            assert!(body.to_json().contains(r#""posted":{"cap-areas":null}"#), "{}", record.body);
        } else if !["pairs", "dragon", "opened"].iter().any(|word| record.body.contains(word)) {
            assert_eq!(body.to_json(), record.body);
        }
    }
    assert_eq!(caps, 2, "both logs of the first form have a cap");
}

#[test]
fn every_golden_chain_is_whole() {
    for name in all_files() {
        let mut streams: BTreeMap<String, Vec<Record>> = BTreeMap::new();
        for record in golden(name) {
            streams.entry(record.stream.clone()).or_default().push(record);
        }
        assert!(streams.len() > 1, "{name} has one stream only");
        for (stream, records) in &streams {
            verify_chain(stream, records).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    }
}

#[test]
fn the_newest_golden_log_has_everything_that_can_be_recorded() {
    let [.., newest] = LOGS;
    let said: HashSet<_> =
        golden(newest).iter().flat_map(|record| kinds::of(&record.read().unwrap())).collect();
    let all = kinds::all();
    let missing: Vec<_> = all.iter().filter(|kind| !said.contains(*kind)).collect();
    assert!(missing.is_empty(), "{newest} has no {missing:?}");
    // Who did something is stored with the role; that every role does something is no promise.
    let is_role = |kind: &str| kind.starts_with("table::by::Role::");
    let unknown = said.iter().filter(|kind| !all.contains(kind) && !is_role(kind.as_str()));
    let unknown: Vec<_> = unknown.collect();
    assert!(unknown.is_empty(), "golden/kinds.rs does not list {unknown:?}");
}

/// The events of whole transcripts, of every book, as they were stored when tournaments first were.
#[test]
fn the_events_of_a_transcript_come_to_what_people_saw() {
    WRITTEN.call_once(write_what_is_missing);
    for name in streams::FILES {
        let text = fs::read_to_string(path(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
        let (mut fold, mut compared) = (streams::Fold::default(), 0);
        for (number, line) in (1..).zip(text.lines()) {
            let at = format!("{name}:{number}");
            let line: Value = serde_json::from_str(line).unwrap();
            if let Some(schema) = line["schema"].as_str() {
                let stored = line["body"].as_str().unwrap();
                let body = Body::from_json(schema, stored);
                let body = body.unwrap_or_else(|why| panic!("{at}: {why}"));
                if body.schema() == schema {
                    assert_eq!(body.to_json(), stored, "{at}");
                }
                fold.fold(&body);
            } else if let Some(seen) = line.get("seen") {
                assert_eq!(&fold.seen(), seen, "{at}");
                compared += 1;
            } else {
                assert!(line["transcript"].is_string(), "{at}");
                fold = streams::Fold::default();
            }
        }
        assert!(compared > 2, "{name} compares {compared} times only");
    }
}

#[test]
fn golden_files_are_small() {
    WRITTEN.call_once(write_what_is_missing);
    for name in all_files().chain(streams::FILES) {
        let bytes = fs::metadata(path(name)).unwrap().len();
        assert!(bytes < 300_000, "{name} has {bytes} bytes");
    }
}

#[test]
fn a_golden_session_comes_to_the_same_table_and_passes_its_audit() {
    for Session { name, coups, stacks } in SESSIONS {
        let mut records = golden(name);
        records.retain(|record| record.stream == "table 1");
        let mut table = State::default();
        let stacks_of = |table: &State| -> Vec<_> {
            let present = table.present();
            present.map(|(_, player)| (player.name.to_string(), player.stack.get())).collect()
        };
        // What they had when the first of them left.
        let mut found = Vec::new();
        for record in &records {
            if let Body::Table(event) = record.read().unwrap() {
                if matches!(event.fact, table::Fact::Left(_)) && found.is_empty() {
                    found = stacks_of(&table);
                }
                table.evolve(&event);
            }
        }
        let stated = stacks.map(|(player, cents)| (player.to_owned(), cents));
        assert_eq!((table.coups(), found.as_slice()), (coups, stated.as_slice()), "{name}");
        assert_eq!(table.sum(), rules::Balance::ZERO, "{name}");
        // When the book has changed since, acts are not judged again, but all else is checked.
        let audit = audit::audit(&records).unwrap();
        let holds = audit.conclusion() == audit::Conclusion::Holds;
        let unjudged = audit.conclusion() == audit::Conclusion::CannotBeJudged;
        assert!(unjudged || holds, "{name}: {:?}", audit.findings);
        assert_eq!((audit.coups, audit.shoes.len()), (coups, 1), "{name}");
        let shoe = audit.shoes[0].verified.as_ref().unwrap();
        assert!(shoe.whole && shoe.opened > 12, "{name}: {shoe:?}");
        assert_eq!(audit.accounts.iter().map(|(_, cents)| cents).sum::<i64>(), 0, "{name}");
    }
}

/// A session under the edition of act-2018 in which Pairs and the Dragon Bonus were no rows yet.
/// The form of the book has changed since, and no ruling: every act is judged again, and holds.
#[test]
fn a_session_from_before_side_bets_were_rows_holds() {
    let records = golden("former-act-2018.jsonl");
    let mut table = records.clone();
    table.retain(|record| record.stream == "table 1");
    verify_chain("table 1", &table).unwrap();
    let side_bets = table.iter().filter(|record| record.body.contains("-dragon")).count();
    assert!(side_bets > 5, "{side_bets} records on side bets");
    let audit = audit::audit(&table).unwrap();
    assert!(audit.judged && audit.coups == 4, "{:?}", audit.findings);
    assert_eq!(audit.conclusion(), audit::Conclusion::Holds, "{:?}", audit.findings);
}

/// Files that a log brings along are not taken for the book that comes with Sabot: the audit says
/// that it judged by another edition.
#[test]
fn a_log_cannot_bring_its_own_edition_of_a_known_book() {
    let mut table = golden("former-act-2018.jsonl");
    table.retain(|record| record.stream == "table 1");
    let files = ["rulebook.toml", "clauses.toml"].map(|file| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulebooks/act-2018");
        let text = fs::read_to_string(path.join(file)).unwrap();
        let text = text.replace("pays = \"30:1\"", "pays = \"3:1\"");
        rulebooks::OwnFile { book: "act-2018".into(), file: file.into(), text }
    });
    let forged = rulebooks::load_with("act-2018", None, &files).unwrap();
    let sha256 = Digest::read(&forged.sha256()).unwrap();
    for (name, another) in [("act-2018", true), ("./act-2018", false)] {
        let own = files.iter().cloned();
        let file = |rulebooks::OwnFile { book, file, text }| store::BookFile { book, file, text };
        let book = store::Book { name: name.into(), sha256, files: own.map(file).collect() };
        let body = Body::Book(book);
        (table[0].schema, table[0].body) = (body.schema().into(), body.to_json());
        let audit = audit::audit(&table).unwrap();
        assert_eq!((audit.judged, audit.kept_edition), (true, another), "{name}");
    }
}

/// The page that describes the file has an example of every schema, and a hash to try.
#[test]
fn the_examples_on_the_page_about_the_log_are_real() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/LOG.md");
    let page = fs::read_to_string(page).unwrap();
    let mut shown = HashSet::new();
    for section in page.split("\n### `").skip(1) {
        let (schema, text) = section.split_once('`').unwrap();
        let text = text.split("\n## ").next().unwrap();
        for block in text.split("```json\n").skip(1) {
            let example = block.split("```").next().unwrap();
            let body = Body::from_json(schema, example).unwrap_or_else(|why| panic!("{why}"));
            let written: Value = serde_json::from_str(&body.to_json()).unwrap();
            let read: Value = serde_json::from_str(example).unwrap();
            assert_eq!(written, read, "{schema}");
            shown.insert(kinds::of_body(&body));
        }
    }
    let [.., newest] = LOGS;
    let records = golden(newest);
    let bodies: HashSet<_> =
        records.iter().map(|record| kinds::of_body(&record.read().unwrap())).collect();
    let missing: Vec<_> = bodies.difference(&shown).collect();
    assert!(missing.is_empty(), "docs/LOG.md shows no {missing:?}");
    let tried = records.iter().find(|record| record.stream == "drill").unwrap();
    for said in [&tried.body, &tried.at.to_string(), &tried.hash.to_string()] {
        assert!(page.contains(said.as_str()), "docs/LOG.md lacks {said}");
    }
}
