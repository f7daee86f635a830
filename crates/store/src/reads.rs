//! What a start reads of a log does not grow with the log: it is counted, not timed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use shoe::Digest;

use crate::beside::Beside;
use crate::body::Body;
use crate::log::{Store, connect};
use crate::record::{Append, CommandKey, Entry, Snapshot, StreamEntries};
use crate::seal::Key;
use crate::trust::trust;

/// Records behind the state that was kept, however long the log is.
const BEHIND: u64 = 3;

fn add(expected: u64) -> Append {
    let key = format!("a {}", expected + 1);
    let entries = vec![Entry { at: 5, body: Body::Line(key.clone()) }];
    let payload = Digest::of(&[key.as_bytes()]);
    Append {
        command: CommandKey { actor: "Ann".into(), key, payload },
        parts: vec![StreamEntries { stream: "a".into(), expected, entries }],
        with: Vec::new(),
    }
}

/// Of a log with so many records under its last head: how many steps the database takes until it
/// is known where every stream must end, and how many records are read to go on with one.
async fn read_at_start(covered: u64) -> (u64, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.sabot.key"));
    let store = Store::open(&log).await.expect("a new log");
    for i in 0..covered {
        store.append(add(i)).await.expect("written");
    }
    let state = Snapshot { stream: "a".into(), version: covered, state: "\"all\"".into() };
    store.checkpoint(7, vec![state]).await.expect("a head");
    for i in covered..covered + BEHIND {
        store.append(add(i)).await.expect("written");
    }
    store.close().await;

    let held = Key::read(&key).expect("the key");
    let beside = Beside::path(&key);
    let (_, kept) = Beside::open(&beside, &held).expect("what is beside it");
    let mut connection = connect(&log).await.expect("the log");
    let steps = Arc::new(AtomicU64::new(0));
    let counted = steps.clone();
    let count = move || counted.fetch_add(1, Ordering::Relaxed) < u64::MAX;
    connection.lock_handle().await.expect("SQLite").set_progress_handler(1, count);
    let trusted = trust(&mut connection, &held, kept.as_ref(), &beside).await;
    let (trusted, older) = trusted.expect("it holds");
    assert_eq!((trusted.heads["a"].0, older), (covered + BEHIND, false));
    drop(connection);

    let store = Store::open(&log).await.expect("it goes on");
    let opening = store.go_on("a").await.expect("it goes on");
    assert_eq!(opening.snapshot, Some((covered, "\"all\"".into())));
    store.close().await;
    (steps.load(Ordering::Relaxed), opening.records.len())
}

/// Eight times as many records and commands: the start takes exactly as many steps, and reads only
/// the records behind the state that was kept.
#[tokio::test]
async fn a_start_reads_no_more_of_a_longer_log() {
    let (short, long) = (read_at_start(100).await, read_at_start(800).await);
    assert!(short.0 > 100, "only {} steps were counted", short.0);
    assert_eq!(short, long);
    assert_eq!(long.1 as u64, BEHIND);
}
