//! Wrong use and foreign hands: what a log does when it is not used as it was meant.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;

use shoe::Digest;
use sqlx::ConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use store::*;

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
}
fn line(text: &str) -> Entry {
    Entry { at: 5, body: Body::Line(text.into()) }
}
fn add(key: &str, stream: &str, expected: u64, n: u64) -> Append {
    let entries = (0..n).map(|i| line(&format!("{key} {i}"))).collect();
    let command =
        CommandKey { actor: "Ann".into(), key: key.into(), payload: Digest::of(&[key.as_bytes()]) };
    let parts = vec![StreamEntries { stream: stream.into(), expected, entries }];
    Append { command, parts, with: Vec::new() }
}
async fn raw(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).create_if_missing(true).connect().await.unwrap()
}

#[tokio::test]
async fn one_stream_twice_in_an_append_does_not_stop_the_writer() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    let mut twice = add("k", "s", 0, 1);
    twice.parts.push(twice.parts[0].clone());
    let _ = store.append(twice).await;
    store.append(add("k2", "other", 0, 1)).await.unwrap();
}

#[tokio::test]
async fn a_time_beyond_i64_is_refused_or_stored() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    let mut late = add("k", "s", 0, 1);
    late.parts[0].entries[0].at = u64::MAX;
    let _ = store.append(late).await;
    assert_eq!(store.verify(None).await.unwrap().broken, []);
}

#[tokio::test]
async fn insert_or_replace_cannot_change_a_record() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("k", "s", 0, 3)).await.unwrap();
    let mut shell = raw(&place.log()).await;
    let replace = "insert or replace into log \
        select stream, version, at, actor, key, schema, '\"x\"', hash from log where version = 2";
    assert!(
        sqlx::query(replace).execute(&mut shell).await.is_err(),
        "REPLACE fires no delete trigger"
    );
}

#[tokio::test]
async fn a_body_that_is_no_utf8_is_found_without_a_panic() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("k", "s", 0, 3)).await.unwrap();
    let mut shell = raw(&place.log()).await;
    sqlx::query("drop trigger log_is_never_changed").execute(&mut shell).await.unwrap();
    let alter = "update log set body = cast(x'ff' as text) where version = 2";
    sqlx::query(alter).execute(&mut shell).await.unwrap();
    let found = store.verify(None).await.unwrap().broken;
    assert!(found.contains(&Broken::Altered { stream: "s".into(), version: 2 }), "{found:?}");
}

/// U+FFFD is what a careless reader makes of bytes that are no text: they must not pass for it.
#[tokio::test]
async fn bytes_that_are_no_text_do_not_pass_for_the_sign_that_stands_for_them() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("k \u{fffd}", "s", 0, 2)).await.unwrap();
    let mut shell = raw(&place.log()).await;
    sqlx::query("drop trigger log_is_never_changed").execute(&mut shell).await.unwrap();
    for column in ["body", "key"] {
        let read = format!("select cast({column} as blob) from log where stream = 's'");
        let bytes: Vec<u8> =
            sqlx::query_scalar(sqlx::AssertSqlSafe(read)).fetch_one(&mut shell).await.unwrap();
        let at = bytes.windows(3).position(|three| three == "\u{fffd}".as_bytes()).unwrap();
        let other = [&bytes[..at], &[0xff], &bytes[at + 3..]].concat();
        let at_first = "where stream = 's' and version = 1";
        let alter = format!("update log set {column} = cast(? as text) {at_first}");
        let alter = |to: Vec<u8>| sqlx::query(sqlx::AssertSqlSafe(alter.clone())).bind(to);
        alter(other).execute(&mut shell).await.unwrap();
        let found = store.verify(None).await.unwrap().broken;
        let altered = Broken::Altered { stream: "s".into(), version: 1 };
        assert!(found.contains(&altered), "{column}: {found:?}");
        alter(bytes).execute(&mut shell).await.unwrap();
        assert!(!store.verify(None).await.unwrap().broken.contains(&altered), "{column}");
    }
}

#[tokio::test]
async fn an_unreadable_checkpoint_does_not_hide_what_else_is_broken() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("k", "s", 0, 3)).await.unwrap();
    store.checkpoint(9, Vec::new()).await.unwrap();
    let mut shell = raw(&place.log()).await;
    sqlx::query("drop trigger log_is_never_changed").execute(&mut shell).await.unwrap();
    sqlx::query("update log set body = 'x' where version = 1").execute(&mut shell).await.unwrap();
    let found = store.verify(None).await.expect("what is broken is in the list").broken;
    let altered = |stream: &str| Broken::Altered { stream: stream.into(), version: 1 };
    for stream in ["s", CHECKPOINTS, HOUSE] {
        assert!(found.contains(&altered(stream)), "{stream}: {found:?}");
    }
}

#[tokio::test]
async fn a_sound_log_in_use_verifies() {
    let place = Place::new();
    let store = Arc::new(Store::open(&place.log()).await.unwrap());
    let writing = store.clone();
    let task = tokio::spawn(async move {
        for i in 0..600 {
            writing.append(add(&format!("{i}"), "s", i, 1)).await.unwrap();
            writing.checkpoint(1, Vec::new()).await.unwrap();
        }
    });
    while !task.is_finished() {
        assert_eq!(store.verify(None).await.unwrap().broken, []);
    }
}

#[tokio::test]
async fn a_foreign_database_is_not_made_a_log() {
    let place = Place::new();
    let mut shell = raw(&place.log()).await;
    sqlx::query("create table people (name text)").execute(&mut shell).await.unwrap();
    assert!(Store::open(&place.log()).await.is_err(), "tables were added to somebody's database");
}

#[tokio::test]
async fn two_logs_whose_names_differ_in_the_ending_are_two_logs() {
    let place = Place::new();
    let _one = Store::open(&place.file("night.1")).await.unwrap();
    Store::open(&place.file("night.2")).await.unwrap();
}

#[tokio::test]
async fn the_lock_is_held_until_the_writer_has_written() {
    for _ in 0..50 {
        let place = Place::new();
        let store = Store::open(&place.log()).await.unwrap();
        for k in 0..3_u64 {
            // Sent, and then given up: the request is with the writer.
            let mut sent = Box::pin(store.append(add(&format!("{k}"), "s", k * 50, 50)));
            std::future::poll_fn(|c| {
                let _: () = drop(sent.as_mut().poll(c));
                Poll::Ready(())
            })
            .await;
        }
        drop(store);
        let store = loop {
            match Store::open(&place.log()).await {
                Ok(store) => break store,
                Err(StoreError::InUse(_)) => tokio::task::yield_now().await,
                Err(other) => panic!("{other}"),
            }
        };
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        let there = store.records("s", 0).await.unwrap().len() as u64;
        // The new writer read its heads before the old one had written.
        store.append(add("new", "s", there, 1)).await.unwrap();
    }
}

#[tokio::test]
async fn checkpoints_are_written_by_the_store_only() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("k", "s", 0, 1)).await.unwrap();
    let mut forged = add("forged", CHECKPOINTS, 0, 0);
    let head = Head { stream: "s".into(), version: 1, hash: Digest([9; 32]) };
    let heads =
        Heads { heads: vec![head], commands: None, epoch: None, key: None, signature: None };
    forged.parts[0].entries.push(Entry { at: 1, body: Body::Checkpoint(heads) });
    let _ = store.append(forged).await;
    assert_eq!(store.verify(None).await.unwrap().broken, []);
}

#[tokio::test]
async fn an_append_of_nothing_answers_with_the_version_that_the_stream_has() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("k", "s", 0, 3)).await.unwrap();
    // Host::record would take (0, 0) for the version of its stream.
    let answer = store.append(add("nothing", "s", 3, 0)).await;
    assert!(answer.is_err() || answer.as_ref().is_ok_and(|a| a.versions.1 == 3), "{answer:?}");
}

#[tokio::test]
async fn a_table_is_not_begun_twice_in_one_stream() {
    let place = Place::new();
    let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
    let (log, key) = (place.log(), place.file("a.key"));
    let mut house = live::Host::begin(
        &log,
        &key,
        store::Begin::Either,
        live::Beginning::alone("table 1", "act-2018", book.clone()),
    )
    .await
    .unwrap();
    testkit::robot::open(&mut house, false, 3).await.unwrap();
    house.close().await.unwrap();
    let again = live::Host::begin(
        &log,
        &key,
        store::Begin::Either,
        live::Beginning::alone("table 1", "act-2018", book),
    )
    .await;
    // Its first append is taken for a repetition of the first one, so nobody notices.
    assert!(again.is_err(), "a second table was begun in a stream that has {} records", 27);
}

#[tokio::test]
async fn a_negative_time_is_found() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    let mut at_zero = add("k", "s", 0, 1);
    at_zero.parts[0].entries[0].at = 0;
    store.append(at_zero).await.unwrap();
    let mut shell = raw(&place.log()).await;
    sqlx::query("drop trigger log_is_never_changed").execute(&mut shell).await.unwrap();
    let alter = "update log set at = -5 where stream = 's'";
    sqlx::query(alter).execute(&mut shell).await.unwrap();
    let found = store.verify(None).await.unwrap().broken;
    assert!(found.contains(&Broken::Altered { stream: "s".into(), version: 1 }), "{found:?}");
}

#[tokio::test]
async fn a_robot_goes_on_after_the_first_player_declined_the_cut() {
    let place = Place::new();
    let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
    let mut house = live::Host::begin(
        &place.log(),
        &place.file("a.key"),
        store::Begin::Either,
        live::Beginning::alone("table 1", "act-2018", book),
    )
    .await
    .unwrap();
    testkit::robot::open(&mut house, true, 3).await.unwrap();
    let bytes = testkit::random_bytes(3, 10_000);
    testkit::robot::play(&mut house, &mut testkit::Choices::new(&bytes), 3).await.unwrap();
    assert_eq!(house.table().coups(), 3);
}
