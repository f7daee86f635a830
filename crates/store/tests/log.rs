//! The contract of the log: what is appended is there, once and in order, and nothing else is.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "log/carrying.rs"]
mod carrying;
#[path = "log/files.rs"]
mod files;
#[path = "log/no_text.rs"]
mod no_text;
#[path = "log/sealing.rs"]
mod sealing;
#[path = "log/tampering.rs"]
mod tampering;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;

use shoe::Digest;
use sqlx::ConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use store::{
    Append, Appended, Body, Book, CHECKPOINTS, CommandKey, Entry, HOUSE, Head, Record, Store,
    StoreError, StreamEntries, With, verify_chain,
};

/// A folder of its own for every test.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn log(&self) -> PathBuf {
        self.file("a.sabot")
    }

    /// The log's key under another name, without what is kept beside it.
    fn key_for(&self, copy: &Path) -> PathBuf {
        let key = copy.with_extension("key");
        std::fs::copy(self.file("a.sabot.key"), &key).unwrap();
        key
    }

    async fn open(&self) -> Store {
        Store::open(&self.log()).await.unwrap()
    }
}

/// The file without Sabot, as somebody with a database shell has it.
async fn raw(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).connect().await.unwrap()
}

fn command(key: &str, what: &str) -> CommandKey {
    CommandKey { actor: "Ann".into(), key: key.into(), payload: Digest::of(&[what.as_bytes()]) }
}

fn part(stream: &str, expected: u64, lines: &[&str]) -> StreamEntries {
    let entry = |line: &&str| Entry { at: 1_000_000, body: Body::Line((*line).into()) };
    StreamEntries { stream: stream.into(), expected, entries: lines.iter().map(entry).collect() }
}

/// A command whose payload is what it adds.
fn append(key: &str, parts: Vec<StreamEntries>) -> Append {
    Append { command: command(key, &format!("{parts:?}")), parts, with: Vec::new() }
}

/// Keeps something beside a record of its own.
async fn keep(store: &Store, with: With) -> Result<Appended, StoreError> {
    let version = store.records("kept", 0).await?.len() as u64;
    let append = append(&format!("keep {version}"), vec![part("kept", version, &["kept"])]);
    store.append(Append { with: vec![with], ..append }).await
}

async fn seal(store: &Store, name: &str, secret: &[u8]) -> Result<Appended, StoreError> {
    keep(store, With::Secret { name: name.into(), secret: secret.to_vec().into() }).await
}

fn add(stream: &str, expected: u64, line: &str) -> Append {
    append(&format!("{stream} {line}"), vec![part(stream, expected, &[line])])
}

fn new(first: u64, last: u64) -> Appended {
    Appended { versions: (first, last), repeated: false }
}

fn again(first: u64, last: u64) -> Appended {
    Appended { versions: (first, last), repeated: true }
}

/// What the records of a stream say; their chain is checked on the way.
async fn lines(store: &Store, stream: &str) -> Vec<String> {
    let records = store.records(stream, 0).await.unwrap();
    verify_chain(stream, &records).unwrap();
    let line = |record: &Record| match record.read().unwrap() {
        Body::Line(line) => line,
        other => panic!("{other:?} is no line"),
    };
    records.iter().map(line).collect()
}

/// Everything that the log holds, stream by stream.
async fn everything(store: &Store) -> Vec<Record> {
    let mut all = Vec::new();
    for stream in store.streams().await.unwrap() {
        all.extend(store.records(&stream, 0).await.unwrap());
    }
    all
}

#[tokio::test]
async fn appended_records_come_back_in_order_and_survive_closing_and_reopening() {
    let place = Place::new();
    let store = place.open().await;
    let book = Body::Book(Book {
        name: "act-2018".into(),
        sha256: Digest::of(&[b"text"]),
        files: Vec::new(),
    });
    let first = Append {
        command: command("open", "open"),
        parts: vec![StreamEntries {
            stream: "table 1".into(),
            expected: 0,
            entries: vec![
                Entry { at: 5, body: book.clone() },
                Entry {
                    at: 3, body: Body::Line("operator opens act-2018 – ♠ \"\\\n\0".into())
                },
            ],
        }],
        with: vec![With::Book {
            sha256: Digest::of(&[b"text"]),
            canonical: "text".into(),
            files: "[]".into(),
        }],
    };
    assert_eq!(store.append(first).await.unwrap(), new(1, 2));
    assert_eq!(store.append(add("table 1", 2, "three")).await.unwrap(), new(3, 3));
    assert_eq!(store.append(add("table 2", 0, "elsewhere")).await.unwrap(), new(1, 1));
    let records = store.records("table 1", 0).await.unwrap();
    let versions: Vec<_> = records.iter().map(|record| record.version).collect();
    assert_eq!(versions, [1, 2, 3]);
    assert_eq!(records[0].read().unwrap(), book);
    let Record { stream, at, actor, key, schema, body, .. } = &records[1];
    let names = [stream, actor, key, schema].map(String::as_str);
    assert_eq!((names, *at), (["table 1", "Ann", "open", "line/1"], 3));
    assert_eq!(body, r#""operator opens act-2018 – ♠ \"\\\n\u0000""#);
    verify_chain("table 1", &records).unwrap();
    assert_eq!(store.records("table 1", 2).await.unwrap(), records[2..]);
    assert_eq!(store.records("table 1", 3).await.unwrap(), []);
    assert_eq!(store.records("no such", 0).await.unwrap(), []);
    assert_eq!(store.streams().await.unwrap(), [CHECKPOINTS, HOUSE, "table 1", "table 2"]);
    let before = everything(&store).await;
    store.close().await;
    let store = place.open().await;
    assert_eq!(everything(&store).await, before);
    assert_eq!(store.append(add("table 1", 3, "four")).await.unwrap(), new(4, 4));
    assert_eq!(store.verify(None).await.unwrap().broken, []);
    store.close().await;
}

/// More rows than one statement can bind are still one command.
#[tokio::test]
async fn one_command_can_add_thousands_of_records() {
    let place = Place::new();
    let store = place.open().await;
    let said: Vec<_> = (0..9001).map(|i| format!("line {i}")).collect();
    let all: Vec<_> = said.iter().map(String::as_str).collect();
    let appended = store.append(append("many", vec![part("s", 0, &all)])).await.unwrap();
    assert_eq!(appended, new(1, 9001));
    assert_eq!(lines(&store, "s").await, said);
    store.close().await;
}

#[tokio::test]
async fn a_wrong_expected_version_is_a_conflict_and_writes_nothing() {
    let place = Place::new();
    let store = place.open().await;
    store.append(add("s", 0, "one")).await.unwrap();
    store.append(add("s", 1, "two")).await.unwrap();
    let before = everything(&store).await;
    for expected in [0, 1, 3, u64::MAX] {
        match store.append(add("s", expected, "late")).await {
            Err(StoreError::Conflict { stream, expected: believed, actual }) => {
                assert_eq!((stream.as_str(), believed, actual), ("s", expected, 2));
            }
            other => panic!("{other:?}"),
        }
    }
    let beginning = store.append(add("new", 4, "one")).await;
    assert!(matches!(beginning, Err(StoreError::Conflict { actual: 0, .. })), "{beginning:?}");
    assert_eq!(everything(&store).await, before);
    // A command that was refused was not carried out: its key is still to be used.
    assert_eq!(store.append(add("s", 2, "late")).await.unwrap(), new(3, 3));
    store.close().await;
}

#[tokio::test]
async fn an_append_to_two_streams_is_all_or_nothing() {
    let place = Place::new();
    let store = place.open().await;
    store.append(add("account", 0, "has 100")).await.unwrap();
    let before = everything(&store).await;
    let transfer = |account, table| {
        let parts = vec![part("account", account, &["gives 60"]), part("table", table, &["gets"])];
        append("transfer", parts)
    };
    for (account, table, at_fault) in [(1, 1, "table"), (0, 0, "account"), (7, 7, "account")] {
        match store.append(transfer(account, table)).await {
            Err(StoreError::Conflict { stream, .. }) => assert_eq!(stream, at_fault),
            other => panic!("{other:?}"),
        }
        assert_eq!(everything(&store).await, before);
    }
    let long = vec![part("account", 1, &["gives"]), part(&"t".repeat(101), 0, &["gets"])];
    assert!(store.append(append("long", long)).await.is_err());
    assert_eq!(everything(&store).await, before);
    // The versions that are answered are those of the first stream.
    assert_eq!(store.append(transfer(1, 0)).await.unwrap(), new(2, 2));
    assert_eq!(lines(&store, "account").await, ["has 100", "gives 60"]);
    assert_eq!(lines(&store, "table").await, ["gets"]);
    store.close().await;
}

#[tokio::test]
async fn the_same_command_is_carried_out_once_and_answered_with_the_same_versions() {
    let place = Place::new();
    let store = place.open().await;
    let bet = || append("bet 1", vec![part("s", 0, &["bets 10", "has 90"])]);
    // Both wait for the writer together, so they are in one group.
    let (one, other) = tokio::join!(store.append(bet()), store.append(bet()));
    assert_eq!((one.unwrap(), other.unwrap()), (new(1, 2), again(1, 2)));
    store.append(add("s", 2, "three")).await.unwrap();
    assert_eq!(store.append(bet()).await.unwrap(), again(1, 2));
    store.close().await;
    let store = place.open().await;
    assert_eq!(store.append(bet()).await.unwrap(), again(1, 2));
    assert_eq!(lines(&store, "s").await, ["bets 10", "has 90", "three"]);
    store.close().await;
}

/// A key is a name that the actor gave.
#[tokio::test]
async fn the_same_key_of_two_actors_names_two_commands() {
    let place = Place::new();
    let store = place.open().await;
    let of = |actor: &str, expected| {
        let mut append = append("bet 1", vec![part("s", expected, &[actor])]);
        append.command.actor = actor.into();
        append
    };
    let (ann, bo) = tokio::join!(store.append(of("Ann", 0)), store.append(of("Bo", 1)));
    assert_eq!((ann.unwrap(), bo.unwrap()), (new(1, 1), new(2, 2)));
    assert_eq!(store.append(of("Cy", 2)).await.unwrap(), new(3, 3));
    assert_eq!(store.append(of("Bo", 1)).await.unwrap(), again(2, 2));
    assert_eq!(lines(&store, "s").await, ["Ann", "Bo", "Cy"]);
    store.close().await;
}

#[tokio::test]
async fn the_same_key_with_another_payload_is_refused() {
    let place = Place::new();
    let store = place.open().await;
    let ten = || append("bet 1", vec![part("s", 0, &["bets 10"])]);
    let twenty = |expected| append("bet 1", vec![part("s", expected, &["bets 20"])]);
    let reused = |answer: Result<Appended, StoreError>| match answer {
        Err(StoreError::KeyReused(key)) => assert_eq!(key, "bet 1"),
        other => panic!("{other:?}"),
    };
    let (one, other) = tokio::join!(store.append(ten()), store.append(twenty(1)));
    assert_eq!(one.unwrap(), new(1, 1));
    reused(other);
    reused(store.append(twenty(1)).await);
    store.close().await;
    let store = place.open().await;
    reused(store.append(twenty(1)).await);
    assert_eq!(lines(&store, "s").await, ["bets 10"]);
    store.close().await;
}

#[tokio::test]
async fn names_and_bodies_that_are_empty_or_too_long_are_refused_and_nothing_is_lost() {
    let place = Place::new();
    let store = place.open().await;
    let (long, longest) = ("x".repeat(101), "é".repeat(50));
    // A line has two quotation marks around it where it is stored.
    let (long_body, longest_body) = ("x".repeat((4 << 20) - 1), "x".repeat((4 << 20) - 2));
    let with = |actor: &str, key: &str, stream: &str, body: &str| {
        let mut append = append(key, vec![part(stream, 0, &[body])]);
        append.command.actor = actor.into();
        append
    };
    store.append(add("s", 0, "before")).await.unwrap();
    let before = everything(&store).await;
    for (wrong, named, has) in [
        (with("", "k", "t", "b"), "an actor", 0),
        (with(&long, "k", "t", "b"), "an actor", 101),
        (with("a", "", "t", "b"), "a key", 0),
        (with("a", &long, "t", "b"), "a key", 101),
        (with("a", "k", "", "b"), "a stream's name", 0),
        (with("a", "k", &long, "b"), "a stream's name", 101),
        (with("a", "k", "t", &long_body), "a record", (4 << 20) + 1),
    ] {
        // Those who wait with it are served all the same.
        let (refused, served) =
            tokio::join!(store.append(wrong), store.append(add("s", 0, "before")));
        match refused {
            Err(StoreError::TooLong { what, length, .. }) => {
                assert_eq!((what, length), (named, has));
            }
            other => panic!("{named}: {other:?}"),
        }
        assert_eq!(served.unwrap(), again(1, 1));
        assert_eq!(everything(&store).await, before);
    }
    let longest_stream = "s".repeat(79);
    let most = with(&longest, &longest, &longest_stream, &longest_body);
    assert_eq!(store.append(most).await.unwrap(), new(1, 1));
    assert_eq!(lines(&store, &longest_stream).await, [longest_body]);
    store.close().await;
}

#[tokio::test]
async fn of_64_that_race_for_one_version_exactly_one_wins() {
    let place = Place::new();
    let store = Arc::new(place.open().await);
    let mut winners = Vec::new();
    for version in 0..8 {
        let mut race = tokio::task::JoinSet::new();
        for runner in 0..64 {
            let (store, line) = (store.clone(), format!("{version} by {runner}"));
            race.spawn(async move { (store.append(add("s", version, &line)).await, line) });
        }
        let (mut won, mut lost) = (Vec::new(), 0);
        for (answer, line) in race.join_all().await {
            match answer {
                Ok(appended) => {
                    assert_eq!(appended, new(version + 1, version + 1));
                    won.push(line);
                }
                Err(StoreError::Conflict { actual, .. }) => {
                    assert_eq!(actual, version + 1);
                    lost += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!((won.len(), lost), (1, 63));
        winners.extend(won);
    }
    assert_eq!(lines(&store, "s").await, winners);
    assert_eq!(store.verify(None).await.unwrap().broken, []);
}

/// Adds a line wherever the stream is by now, as often as somebody else is faster.
async fn insist(store: &Store, stream: &str, line: &str) {
    let mut expected = 0;
    loop {
        match store.append(add(stream, expected, line)).await {
            Ok(appended) => {
                assert_eq!(appended, new(expected + 1, expected + 1));
                return;
            }
            Err(StoreError::Conflict { actual, .. }) => expected = actual,
            Err(other) => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn many_who_write_at_once_to_many_streams_keep_every_chain_whole() {
    let place = Place::new();
    let store = Arc::new(place.open().await);
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..32 {
        let store = store.clone();
        writers.spawn(async move {
            let own = format!("own {writer}");
            for i in 0..10 {
                store.append(add(&own, i, &format!("{i}"))).await.unwrap();
                insist(&store, &format!("shared {}", writer % 4), &format!("{writer} {i}")).await;
            }
        });
    }
    writers.join_all().await;
    for writer in 0..32 {
        let said = lines(&store, &format!("own {writer}")).await;
        assert_eq!(said, (0..10).map(|i| i.to_string()).collect::<Vec<_>>());
    }
    for shared in 0..4 {
        let mut said = lines(&store, &format!("shared {shared}")).await;
        assert_eq!(said.len(), 80);
        said.sort();
        said.dedup();
        assert_eq!(said.len(), 80, "a line is there twice");
    }
    assert_eq!(store.verify(None).await.unwrap().broken, []);
}

#[tokio::test]
async fn what_was_sent_is_written_though_nobody_waits_for_the_answer() {
    let place = Place::new();
    let store = place.open().await;
    {
        let mut sent = Box::pin(store.append(add("s", 0, "sent")));
        // Asked once, it is with the writer; then whoever asked goes away.
        let asked = std::future::poll_fn(|c| Poll::Ready(sent.as_mut().poll(c).is_pending())).await;
        assert!(asked);
    }
    store.close().await;
    let store = place.open().await;
    assert_eq!(lines(&store, "s").await, ["sent"]);
    // Whoever asks again is answered as if they had waited.
    assert_eq!(store.append(add("s", 0, "sent")).await.unwrap(), again(1, 1));
    store.close().await;
}

#[tokio::test]
async fn a_checkpoint_has_the_head_of_every_stream() {
    let place = Place::new();
    let store = place.open().await;
    store.append(add("b", 0, "one")).await.unwrap();
    // What waits for the writer before a checkpoint is in it.
    let (second, head) =
        tokio::join!(store.append(add("a", 0, "one")), store.checkpoint(77, Vec::new()));
    second.unwrap();
    let head = head.unwrap();
    let records = store.records(CHECKPOINTS, 0).await.unwrap();
    // A new log has one that covers the house's key.
    assert_eq!((records.len(), records[1].at, head.version), (2, 77, 2));
    assert_eq!((head.stream.as_str(), head.hash), (CHECKPOINTS, records[1].hash));
    let Body::Checkpoint(known) = records[1].read().unwrap() else { panic!("no checkpoint") };
    let mut heads = Vec::new();
    for stream in ["a", "b", HOUSE] {
        let last = store.records(stream, 0).await.unwrap().pop().unwrap();
        heads.push(Head { stream: stream.into(), version: last.version, hash: last.hash });
    }
    assert_eq!(known.heads, heads);
    assert_eq!(store.checkpoint(78, Vec::new()).await.unwrap().version, 3);
    store.close().await;
    let store = place.open().await;
    assert_eq!(store.checkpoint(79, Vec::new()).await.unwrap().version, 4);
    assert_eq!(store.verify(Some((head.version, head.hash))).await.unwrap().broken, []);
    store.close().await;
}

#[tokio::test]
async fn a_rulebook_is_kept_once_under_its_hash() {
    let place = Place::new();
    let store = place.open().await;
    let sha256 = Digest::of(&[b"the text"]);
    assert_eq!(store.book(sha256).await.unwrap(), None);
    for text in ["the text", "another text"] {
        let (canonical, files) = (text.to_owned(), "[]".to_owned());
        keep(&store, With::Book { sha256, canonical, files }).await.unwrap();
    }
    store.close().await;
    let store = place.open().await;
    assert_eq!(store.book(sha256).await.unwrap().unwrap().canonical, "the text");
    store.close().await;
}
