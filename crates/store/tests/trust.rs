//! A start that trusts nothing: who began a log, what was copied, flipped, forged or held by
//! somebody else.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "trust/commands.rs"]
mod commands;
#[path = "trust/retired.rs"]
mod retired;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use shoe::Digest;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use store::{
    Append, Begin, Body, Broken, CHECKPOINTS, CommandKey, Entry, HOUSE, Record, Snapshot, Store,
    StoreError, StreamEntries, With, hash,
};

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

    /// Every file of the log, by name, once they lie still: a connection that is about to close
    /// writes its journal into the log and takes it away.
    fn image(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut before = self.files();
        loop {
            std::thread::sleep(std::time::Duration::from_millis(20));
            let now = self.files();
            if now == before {
                return now;
            }
            before = now;
        }
    }

    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let files = std::fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().path());
        files.filter_map(|path| Some((path.clone(), std::fs::read(path).ok()?))).collect()
    }

    /// Puts files back, and takes away those that were not there, but for those that end so.
    fn put_back(&self, image: &[(PathBuf, Vec<u8>)], but: &[&str]) {
        let spared = |path: &Path| but.iter().any(|end| path.to_string_lossy().ends_with(end));
        for (path, _) in self.files() {
            if !spared(&path) {
                let _ = std::fs::remove_file(path);
            }
        }
        for (path, bytes) in image.iter().filter(|(path, _)| !spared(path)) {
            std::fs::write(path, bytes).unwrap();
            owners_alone(path);
        }
    }
}

fn owners_alone(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn add(stream: &str, expected: u64, line: &str) -> Append {
    let key = format!("{stream} {}", expected + 1);
    let payload = Digest::of(&[line.as_bytes()]);
    let entries = vec![Entry { at: 5, body: Body::Line(line.into()) }];
    Append {
        command: CommandKey { actor: "Ann".into(), key, payload },
        parts: vec![StreamEntries { stream: stream.into(), expected, entries }],
        with: Vec::new(),
    }
}

async fn raw(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).connect().await.unwrap()
}

/// A log with two streams, snapshots, a head, and commands behind it.
async fn filled(place: &Place) {
    let store = Store::open(&place.log()).await.unwrap();
    for i in 0..4 {
        store.append(add("a", i, &format!("a {i}"))).await.unwrap();
        store.append(add("b", i, &format!("b {i}"))).await.unwrap();
    }
    let snapshot = Snapshot { stream: "a".into(), version: 4, state: "\"after four\"".into() };
    store.checkpoint(7, vec![snapshot]).await.unwrap();
    store.append(add("a", 4, "a 4")).await.unwrap();
    store.append(add("a", 5, "a 5")).await.unwrap();
    store.close().await;
}

/// Whether the house goes on with the log: with the log itself, and with both streams.
async fn goes_on(log: &Path) -> Result<(), String> {
    let store = Store::open(log).await.map_err(|why| why.to_string())?;
    let mut found = Ok(());
    for stream in ["a", "b"] {
        let opening = store.go_on(stream).await.map_err(|why| why.to_string());
        let as_it_was = opening.and_then(|opening| match opening.restored {
            None => Ok(()),
            Some(_) => Err("it does not hold as it is: it was restored".into()),
        });
        found = found.and(as_it_was);
    }
    if let Some(alarm) = store.checked().await {
        found = found.and(Err(alarm));
    }
    store.close().await;
    found
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().unwrap().block_on(future)
}

#[test]
fn of_many_who_begin_one_log_one_does_and_nobody_harms_it() {
    for _ in 0..20 {
        let place = Place::new();
        let (log, key) = (place.log(), place.file("a.key"));
        let begin = || {
            block_on(async {
                match Store::open_with(&log, &key, Begin::New).await {
                    Ok(store) => {
                        store.append(add("a", 0, "the winner's")).await.unwrap();
                        store.close().await;
                        true
                    }
                    Err(StoreError::Exists(_) | StoreError::InUse(_)) => false,
                    Err(other) => panic!("{other}"),
                }
            })
        };
        let winners = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
            all.into_iter().map(|one| usize::from(one.join().unwrap())).sum::<usize>()
        });
        assert_eq!(winners, 1);
        assert!(!begin(), "who comes when the winner has gone begins nothing");
        block_on(async {
            let store = Store::open_with(&log, &key, Begin::Either).await.unwrap();
            assert_eq!(store.records("a", 0).await.unwrap().len(), 1);
            store.close().await;
        });
    }
}

/// A link to nothing is a name that is taken, and yet no file is found under it: who looks first
/// and makes the file then would make it elsewhere.
#[tokio::test]
async fn a_log_is_begun_by_making_its_file_and_not_by_looking_for_it() {
    let place = Place::new();
    let elsewhere = place.file("elsewhere");
    std::os::unix::fs::symlink(&elsewhere, place.log()).unwrap();
    let begun = Store::open_with(&place.log(), &place.file("a.key"), Begin::New).await;
    assert!(matches!(begun, Err(StoreError::Exists(_))), "{begun:?}");
    assert!(!elsewhere.exists() && !place.file("a.key").exists());
}

#[tokio::test]
async fn no_link_lets_a_second_writer_in() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    let (soft, hard) = (place.file("soft.sabot"), place.file("hard.sabot"));
    std::os::unix::fs::symlink(place.log(), &soft).unwrap();
    std::fs::hard_link(place.log(), &hard).unwrap();
    for link in [&soft, &hard] {
        let answer = Store::open(link).await;
        assert!(matches!(answer, Err(StoreError::InUse(_))), "{answer:?}");
    }
    store.append(add("a", 0, "one")).await.unwrap();
    // A log that was moved away under the writer takes nothing more.
    std::fs::rename(place.log(), place.file("moved.sabot")).unwrap();
    let told = store.append(add("a", 1, "two")).await.unwrap_err().to_string();
    assert!(told.contains("moved, replaced or deleted"), "{told}");
}

#[tokio::test]
async fn a_log_restored_from_an_old_copy_is_known_as_restored() {
    let place = Place::new();
    filled(&place).await;
    let old = place.image();
    let store = Store::open(&place.log()).await.unwrap();
    for i in 6..9 {
        store.append(add("a", i, "seen by people")).await.unwrap();
    }
    store.close().await;
    // What is beside the key stays as it is; the rest is old.
    place.put_back(&old, &[".head"]);
    let store = Store::open(&place.log()).await.unwrap();
    let opening = store.go_on("a").await.unwrap();
    assert_eq!(opening.restored, Some(6), "its open shoes are to be abandoned");
    let house = store.records(HOUSE, 0).await.unwrap();
    let Body::Restored(restored) = house.last().unwrap().read().unwrap() else { panic!() };
    assert_eq!((restored.epoch, restored.known - restored.found), (1, 3));
    assert_eq!(store.verify(None).await.unwrap().restored, 1);
    store.append(add("a", 6, "goes on")).await.unwrap();
    store.close().await;
    // Once known, it stays known, and is not found again.
    let store = Store::open(&place.log()).await.unwrap();
    assert_eq!(store.go_on("a").await.unwrap().restored, Some(6));
    assert_eq!(store.records(HOUSE, 0).await.unwrap().len(), 2);
    store.close().await;
    // The same copy once more: it has lost that it was restored before.
    place.put_back(&old, &[".head"]);
    let store = Store::open(&place.log()).await.unwrap();
    let house = store.records(HOUSE, 0).await.unwrap();
    let Body::Restored(restored) = house.last().unwrap().read().unwrap() else { panic!() };
    assert_eq!(restored.epoch, 2);
    store.close().await;
}

/// The copy and the original went on apart: neither is taken for the other.
#[tokio::test]
async fn a_log_that_went_its_own_way_is_refused() {
    let place = Place::new();
    filled(&place).await;
    let old = place.image();
    let go_on = async |line: &str| {
        let store = Store::open(&place.log()).await.unwrap();
        store.append(add("a", 6, line)).await.unwrap();
        store.checkpoint(9, Vec::new()).await.unwrap();
        store.close().await;
    };
    go_on("this way").await;
    let head = std::fs::read(place.file("a.sabot.head")).unwrap();
    place.put_back(&old, &[]);
    go_on("that way").await;
    std::fs::write(place.file("a.sabot.head"), head).unwrap();
    let told = Store::open(&place.log()).await.unwrap_err().to_string();
    assert!(told.contains("checkpoint 3 is not the same"), "{told}");
    // With log, key and head all old, nothing can be known: only a head that was shown tells.
    place.put_back(&old, &[]);
    assert_eq!(goes_on(&place.log()).await, Ok(()));
}

#[tokio::test]
async fn a_log_that_is_gone_is_not_begun_anew_under_its_key() {
    let place = Place::new();
    filled(&place).await;
    std::fs::remove_file(place.log()).unwrap();
    let told = Store::open(&place.log()).await.unwrap_err().to_string();
    assert!(told.contains("the log that it knows is gone"), "{told}");
    std::fs::remove_file(place.file("a.sabot")).unwrap();
}

#[tokio::test]
async fn a_snapshot_is_taken_only_if_it_is_the_houses_own() {
    let place = Place::new();
    filled(&place).await;
    let opened = async || {
        let store = Store::open(&place.log()).await.unwrap();
        let opening = store.go_on("a").await.unwrap();
        store.close().await;
        (opening.snapshot, opening.records.len())
    };
    assert_eq!(opened().await, (Some((4, "\"after four\"".into())), 2));
    for forged in [
        "update snapshot set state = '\"a million\"'",
        "update snapshot set version = 3",
        "update snapshot set hash = zeroblob(32)",
        "update snapshot set mac = zeroblob(32)",
        "update snapshot set stream = 'b'",
        "delete from snapshot",
    ] {
        let image = place.image();
        let mut shell = raw(&place.log()).await;
        sqlx::query(forged).execute(&mut shell).await.unwrap();
        shell.close().await.unwrap();
        assert_eq!(opened().await, (None, 6), "{forged}");
        place.put_back(&image, &[]);
    }
}

/// What is broken far behind the last head is found while the log is in use, and stops it.
#[tokio::test]
async fn the_whole_log_is_checked_in_the_background() {
    let place = Place::new();
    filled(&place).await;
    let mut shell = raw(&place.log()).await;
    forge(&mut shell, &["update log set at = 0 where stream = 'b' and version = 1"]).await;
    shell.close().await.unwrap();
    let store = Store::open(&place.log()).await.unwrap();
    assert!(store.checked().await.unwrap().contains("b: record 1 was altered"));
    // That stream takes nothing more, and the other goes on.
    let told = store.append(add("b", 4, "no")).await.unwrap_err().to_string();
    assert!(told.contains("does not hold") && told.contains("b: record 1"), "{told}");
    assert!(matches!(store.go_on("b").await, Err(StoreError::Untrusted(_))));
    assert_eq!(store.alarm(), None);
    assert!(store.alarm_of("b").is_some() && store.alarm_of("a").is_none());
    store.append(add("a", 6, "goes on")).await.unwrap();
    assert_eq!(store.go_on("a").await.unwrap().records.len(), 3);
    // Nothing is signed to keep its state, alone or beside another.
    let heads = store.records(CHECKPOINTS, 0).await.unwrap().len();
    let state = |stream: &str, version| {
        let state = "\"all\"".into();
        Snapshot { stream: stream.into(), version, state }
    };
    for states in [vec![state("b", 4)], vec![state("a", 7), state("b", 4)]] {
        let told = store.checkpoint(9, states).await.unwrap_err().to_string();
        assert!(told.contains("b: record 1"), "{told}");
    }
    assert_eq!(store.records(CHECKPOINTS, 0).await.unwrap().len(), heads);
    store.checkpoint(9, vec![state("a", 7)]).await.unwrap();
    store.close().await;
}

/// What all streams rest on stops all of them.
#[tokio::test]
async fn a_broken_head_stops_the_whole_log() {
    let place = Place::new();
    filled(&place).await;
    let mut shell = raw(&place.log()).await;
    forge(&mut shell, &["update log set at = 0 where stream = 'checkpoint' and version = 1"]).await;
    shell.close().await.unwrap();
    match Store::open(&place.log()).await {
        Err(why) => assert!(matches!(why, StoreError::Untrusted(_)), "{why}"),
        Ok(store) => {
            assert!(store.checked().await.unwrap().contains("checkpoint: record 1"));
            let told = store.append(add("a", 6, "no")).await.unwrap_err().to_string();
            assert!(told.contains("takes nothing more"), "{told}");
            store.close().await;
        }
    }
}

/// Streams that somebody else put into the file: they are named, and the house's own go on.
#[tokio::test]
async fn a_foreign_stream_stops_only_itself() {
    for name in ["'c'", "cast(x'63ff' as text)"] {
        let place = Place::new();
        filled(&place).await;
        let mut shell = raw(&place.log()).await;
        let put = format!(
            "insert into log select {name}, version, at, actor, key, schema, body, hash from log \
             where stream = 'b'"
        );
        forge(&mut shell, &[&put]).await;
        shell.close().await.unwrap();
        let store = Store::open(&place.log()).await.unwrap();
        assert!(store.checked().await.unwrap().contains("no head and no command"));
        assert_eq!(store.alarms().len(), 1, "{:?}", store.alarms());
        assert!(store.streams().await.unwrap().contains(&"a".to_owned()));
        store.append(add("a", 6, "goes on")).await.unwrap();
        assert!(store.append(add("c", 4, "no")).await.is_err());
        let found = store.verify(None).await.unwrap().broken;
        let of_it = |broken: &Broken| broken.stream().is_some_and(|name| name.starts_with('c'));
        assert!(found.iter().any(of_it), "{found:?}");
        store.close().await;
    }
}

/// Changes a log as somebody would who puts the triggers back.
async fn forge(shell: &mut SqliteConnection, statements: &[&str]) {
    let triggers = "select name, sql from sqlite_schema where type = 'trigger'";
    let triggers: Vec<(String, String)> =
        sqlx::query_as(triggers).fetch_all(&mut *shell).await.unwrap();
    for (name, _) in &triggers {
        let drop = AssertSqlSafe(format!("drop trigger {name}"));
        sqlx::query(drop).execute(&mut *shell).await.unwrap();
    }
    for statement in statements {
        let ran = sqlx::query(AssertSqlSafe((*statement).to_owned())).execute(&mut *shell).await;
        assert!(ran.unwrap().rows_affected() > 0, "nothing to change: {statement}");
    }
    for (_, sql) in triggers {
        sqlx::query(AssertSqlSafe(sql)).execute(&mut *shell).await.unwrap();
    }
}

type Row = (String, i64, i64, String, String, String, String);

/// Makes the hashes of a stream anew.
async fn rechain(shell: &mut SqliteConnection, stream: &str, change: fn(&mut Record)) {
    let query = "select stream, version, at, actor, key, schema, body from log where stream = ? \
         order by version";
    let rows: Vec<Row> = sqlx::query_as(query).bind(stream).fetch_all(&mut *shell).await.unwrap();
    let mut previous = store::START;
    for (stream, version, at, actor, key, schema, body) in rows {
        let (version, at) = (version.cast_unsigned(), at.cast_unsigned());
        let mut record =
            Record { stream, version, at, actor, key, schema, body, hash: store::START };
        change(&mut record);
        record.hash = hash(&previous, &record);
        previous = record.hash;
        sqlx::query("update log set body = ?, hash = ? where stream = ? and version = ?")
            .bind(&record.body)
            .bind(record.hash.0.to_vec())
            .bind(&record.stream)
            .bind(record.version.cast_signed())
            .execute(&mut *shell)
            .await
            .unwrap();
    }
}

/// The last records of a stream were made anew, or taken away: the house signs what it wrote
/// itself, so that its next head shows what was done.
#[tokio::test]
async fn no_head_is_signed_over_a_chain_that_was_broken() {
    let million = |record: &mut Record| {
        if record.version == 6 {
            record.body = "\"a million\"".into();
        }
    };
    for cut in [false, true] {
        let place = Place::new();
        filled(&place).await;
        let store = Store::read_only(&place.log()).await.unwrap();
        let honest = store.records("a", 5).await.unwrap().remove(0);
        store.close().await;
        let mut shell = raw(&place.log()).await;
        if cut {
            forge(&mut shell, &["delete from log where stream = 'a' and version > 2"]).await;
        } else {
            let sql = "select sql from sqlite_schema where name = 'log_is_never_changed'";
            let sql: String = sqlx::query_scalar(sql).fetch_one(&mut shell).await.unwrap();
            let drop = "drop trigger log_is_never_changed";
            sqlx::query(drop).execute(&mut shell).await.unwrap();
            rechain(&mut shell, "a", million).await;
            sqlx::query(AssertSqlSafe(sql)).execute(&mut shell).await.unwrap();
        }
        shell.close().await.unwrap();
        let store = Store::open(&place.log()).await.unwrap();
        assert!(store.go_on("a").await.is_err(), "it is gone on with");
        store.append(add("b", 4, "goes on")).await.unwrap();
        let head = store.checkpoint(9, Vec::new()).await.unwrap();
        let last = store.records(CHECKPOINTS, head.version - 1).await.unwrap().remove(0);
        let Body::Checkpoint(heads) = last.read().unwrap() else { panic!() };
        let known = heads.heads.iter().find(|head| head.stream == "a").unwrap();
        assert_eq!((known.version, known.hash), (6, honest.hash), "cut: {cut}");
        let broken = store.verify(None).await.unwrap().broken;
        assert!(broken.iter().any(|broken| broken.stream() == Some("a")), "{broken:?}");
        store.close().await;
    }
}

/// Heads that fit each other and that nobody signed, with no command behind them and nothing beside
/// the key: the signature alone tells.
#[tokio::test]
async fn a_head_that_the_house_did_not_sign_is_none() {
    let place = Place::new();
    filled(&place).await;
    let store = Store::open(&place.log()).await.unwrap();
    store.checkpoint(8, Vec::new()).await.unwrap();
    store.close().await;
    let head = place.file("a.sabot.head");
    std::fs::remove_file(&head).unwrap();
    let store = Store::open(&place.log()).await.expect("as it is, it is taken for a copy");
    store.checkpoint(9, Vec::new()).await.unwrap();
    store.close().await;
    std::fs::remove_file(&head).unwrap();
    let mut shell = raw(&place.log()).await;
    let sql = "select sql from sqlite_schema where name = 'log_is_never_changed'";
    let sql: String = sqlx::query_scalar(sql).fetch_one(&mut shell).await.unwrap();
    sqlx::query("drop trigger log_is_never_changed").execute(&mut shell).await.unwrap();
    rechain(&mut shell, CHECKPOINTS, |record| record.body.push(' ')).await;
    sqlx::query(AssertSqlSafe(sql)).execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    let told = Store::open(&place.log()).await.unwrap_err().to_string();
    assert!(told.contains("did not sign"), "{told}");
}

/// What somebody does who can write to the log's file, and has not the key.
const FORGED: &[&[&str]] = &[
    &["delete from log where stream = 'a' and version = 6"],
    &[
        "delete from log where stream = 'a' and version >= 5",
        "delete from command where number > 10",
    ],
    &["delete from log where stream = 'a' and version = 2"],
    &["delete from log where stream = 'b'"],
    &["update log set stream = 'c' where stream = 'b'"],
    &[
        "delete from log where stream = 'a' and version = 2",
        "update log set version = version - 1 where stream = 'a' and version > 2",
    ],
    &[
        "update log set version = 99 where stream = 'a' and version = 5",
        "update log set version = 5 where stream = 'a' and version = 6",
        "update log set version = 6 where stream = 'a' and version = 99",
    ],
    &["update log set body = '\"a million\"' where stream = 'a' and version = 6"],
    &["update log set actor = 'Bo' where stream = 'a' and version = 6"],
    &["update log set at = 6 where stream = 'a' and version = 6"],
    &["update log set key = 'x' where stream = 'a' and version = 6"],
    &["update log set schema = 'answer/1' where stream = 'a' and version = 6"],
    &["update log set hash = zeroblob(32) where stream = 'a' and version = 6"],
    &["update log set body = cast(x'ff' as text) where stream = 'a' and version = 6"],
    &["insert into log select stream, 7, at, actor, key, schema, body, hash from log where \
          stream = 'a' and version = 6"],
    &["insert into log select 'c', version, at, actor, key, schema, body, hash from log where \
          stream = 'b'"],
    &["delete from log where stream = 'checkpoint' and version = 2"],
    &["delete from log where stream = 'checkpoint'"],
    &["delete from log where stream = 'house'"],
    &["update log set body = replace(body, '\"epoch\":0', '\"epoch\":7') where stream = \
          'checkpoint' and version = 2"],
    &["update log set body = replace(body, '\"commands\":9', '\"commands\":8') where stream = \
          'checkpoint' and version = 2"],
    &["update log set at = at + 1 where stream = 'checkpoint' and version = 2"],
    &["delete from command where number = 10"],
    &["delete from command where number = 11"],
    &["update command set number = 12 where number = 11"],
    &["update command set mac = zeroblob(32) where number = 11"],
    &["update command set parts = replace(parts, '\"version\":6', '\"version\":5') where \
          number = 11"],
    &["update command set payload = zeroblob(32) where number = 11"],
    &["update command set key = 'another' where number = 11"],
    &["update log set body = \
       '{\"public\":\"' || lower(hex(zeroblob(32))) || '\",\"former\":null}' \
       where stream = 'house'"],
];

#[tokio::test]
async fn nothing_that_is_forged_without_the_key_is_gone_on_with() {
    let place = Place::new();
    filled(&place).await;
    let image = place.image();
    for statements in FORGED {
        let mut shell = raw(&place.log()).await;
        forge(&mut shell, statements).await;
        shell.close().await.unwrap();
        // What is cut off leaves an older copy of the log, which is known as such.
        assert!(goes_on(&place.log()).await.is_err(), "{statements:?}");
        place.put_back(&image, &[]);
    }
    // The forger makes the hashes anew, of the stream alone and of the checkpoints too.
    let change: fn(&mut Record) = |record| {
        if record.version == 6 {
            record.body = "\"a million\"".into();
        }
    };
    for streams in [&["a"][..], &["a", CHECKPOINTS], &["a", "b", CHECKPOINTS, HOUSE]] {
        let mut shell = raw(&place.log()).await;
        forge(&mut shell, &["update log set at = at where stream = 'a'"]).await;
        let drop = "drop trigger log_is_never_changed";
        let sql = "select sql from sqlite_schema where name = 'log_is_never_changed'";
        let sql: String = sqlx::query_scalar(sql).fetch_one(&mut shell).await.unwrap();
        sqlx::query(drop).execute(&mut shell).await.unwrap();
        for stream in streams {
            rechain(&mut shell, stream, if *stream == "a" { change } else { |_| {} }).await;
        }
        sqlx::query(AssertSqlSafe(sql)).execute(&mut shell).await.unwrap();
        shell.close().await.unwrap();
        let told = goes_on(&place.log()).await.unwrap_err();
        assert!(told.contains("does not hold"), "{streams:?}: {told}");
        place.put_back(&image, &[]);
    }
    assert_eq!(goes_on(&place.log()).await, Ok(()), "what nobody touched is gone on with");
    // With the newest head, outsiders find all of it but what only the house's key can tell.
    let store = Store::open(&place.log()).await.unwrap();
    let head = store.checkpoint(9, Vec::new()).await.unwrap();
    store.close().await;
    let image = place.image();
    for statements in FORGED {
        let own = ["set mac", "set payload"];
        if own.iter().any(|own| statements[0].contains(own)) {
            continue;
        }
        let mut shell = raw(&place.log()).await;
        forge(&mut shell, statements).await;
        shell.close().await.unwrap();
        let store = Store::read_only(&place.log()).await.unwrap();
        let found = store.verify(Some((head.version, head.hash))).await.unwrap();
        assert!(!found.broken.is_empty(), "{statements:?}");
        store.close().await;
        place.put_back(&image, &[]);
    }
}

/// What the newest head covers need not be what a head covers that somebody kept.
#[tokio::test]
async fn the_records_behind_a_given_head_are_counted() {
    let place = Place::new();
    filled(&place).await;
    let store = Store::open(&place.log()).await.unwrap();
    let old = store.head().await.unwrap().unwrap();
    let new = store.checkpoint(9, Vec::new()).await.unwrap();
    // A head of nothing covers nothing.
    let found = store.verify(Some((0, Digest([0; 32])))).await.unwrap();
    let nothing = Broken::Replaced { stream: CHECKPOINTS.into(), version: 0 };
    assert_eq!(found.broken, [nothing]);
    let behind = async |head: Option<&store::Head>| {
        let kept = head.map(|head| (head.version, head.hash));
        let found = store.verify(kept).await.unwrap();
        assert_eq!((found.behind, found.broken), (0, vec![]));
        found.behind_given
    };
    assert_eq!(behind(None).await, None, "no head was given");
    assert_eq!(behind(Some(&old)).await, Some(2), "two acts came behind it");
    assert_eq!(behind(Some(&new)).await, Some(0));
    store.close().await;
}

/// Another house's log, key and head under this one's names.
#[tokio::test]
async fn files_of_different_houses_do_not_go_together() {
    let (one, other) = (Place::new(), Place::new());
    filled(&one).await;
    filled(&other).await;
    let image = one.image();
    for name in ["a.sabot", "a.sabot.key", "a.sabot.head"] {
        std::fs::copy(other.file(name), one.file(name)).unwrap();
        assert!(goes_on(&one.log()).await.is_err(), "another's {name}");
        one.put_back(&image, &[]);
    }
}

/// Adds the shortest record of every schema that there is.
async fn of_every_kind(place: &Place) {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/log-8.jsonl");
    let mut shortest: BTreeMap<String, String> = BTreeMap::new();
    for line in std::fs::read_to_string(golden).unwrap().lines() {
        let fields: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| fields[name].as_str().unwrap().to_owned();
        let (schema, body) = (text("schema"), text("body"));
        let known = shortest.entry(schema).or_insert_with(|| body.clone());
        if body.len() < known.len() {
            *known = body;
        }
    }
    let store = Store::open(&place.log()).await.unwrap();
    let kinds = shortest.into_iter().filter(|(schema, _)| !schema.starts_with("checkpoint"));
    for (version, (schema, body)) in (0..).zip(kinds) {
        let mut append = add("kinds", version, &schema);
        append.parts[0].entries[0].body = Body::from_json(&schema, &body).unwrap();
        store.append(append).await.unwrap();
    }
    store.close().await;
}

/// Puts other bytes into a column of a record that has these.
async fn set(
    shell: &mut SqliteConnection,
    record: &Record,
    column: &str,
    has: &[u8],
    bytes: &[u8],
) -> Result<(), sqlx::Error> {
    let name = if column == "stream" { has } else { record.stream.as_bytes() }.to_vec();
    let number = |bytes: &[u8]| i64::from_be_bytes(bytes.try_into().unwrap());
    let version = if column == "version" { number(has) } else { record.version.cast_signed() };
    let cast = if matches!(column, "hash" | "version" | "at") { "?" } else { "cast(? as text)" };
    let update =
        format!("update log set {column} = {cast} where stream = cast(? as text) and version = ?");
    let query = sqlx::query(AssertSqlSafe(update));
    let query = match column {
        "version" | "at" => query.bind(number(bytes)),
        _ => query.bind(bytes.to_vec()),
    };
    query.bind(name).bind(version).execute(shell).await.map(|done| {
        assert_eq!(done.rows_affected(), 1);
    })
}

/// Of so many flipped bits, a start is tried with one: with each of them where there is time.
fn starts_every() -> usize {
    if std::env::var_os("SABOT_EVERY_FLIP").is_some() { 1 } else { 199 }
}

/// Every bit of one record of each kind, and many of others: `verify` finds it, and the stream is
/// not gone on with.
#[tokio::test]
async fn every_flipped_bit_is_found() {
    let place = Place::new();
    filled(&place).await;
    of_every_kind(&place).await;
    let store = Store::read_only(&place.log()).await.unwrap();
    let head = store.head().await.unwrap().unwrap();
    let kept = Some((head.version, head.hash));
    let mut all = Vec::new();
    for stream in store.streams().await.unwrap() {
        all.extend(store.records(&stream, 0).await.unwrap());
    }
    let mut shell = raw(&place.log()).await;
    let drop = "drop trigger log_is_never_changed";
    sqlx::query(drop).execute(&mut shell).await.unwrap();
    let mut flips = 0;
    for record in &all {
        // All of one record of each kind, and many of the others.
        let every = if record.stream == "kinds" { 1 } else { 2 };
        let numbers = [record.version.to_be_bytes(), record.at.to_be_bytes()];
        let columns: [(&str, &[u8]); 8] = [
            ("stream", record.stream.as_bytes()),
            ("version", &numbers[0]),
            ("at", &numbers[1]),
            ("actor", record.actor.as_bytes()),
            ("key", record.key.as_bytes()),
            ("schema", record.schema.as_bytes()),
            ("body", record.body.as_bytes()),
            ("hash", &record.hash.0),
        ];
        for (column, bytes) in columns {
            for bit in (0..bytes.len() * 8).step_by(every) {
                let mut flipped = bytes.to_vec();
                flipped[bit / 8] ^= 1 << (bit % 8);
                if set(&mut shell, record, column, bytes, &flipped).await.is_err() {
                    // The file itself refuses it: a version below one, or one that is there.
                    assert_eq!(column, "version");
                    continue;
                }
                let found = store.verify(kept).await.unwrap().broken;
                let at = format!("{} {}, {column}, bit {bit}", record.stream, record.version);
                let of = |broken: &Broken| {
                    matches!(broken, Broken::Altered { stream, version }
                    if *stream == record.stream && *version == record.version)
                };
                let moved = matches!(column, "stream" | "version") && !found.is_empty();
                assert!(moved || found.iter().any(of), "{at}: {found:?}");
                if flips % starts_every() == 0 {
                    let copy = Place::new();
                    for (path, bytes) in place.image() {
                        let path = copy.file(path.file_name().unwrap().to_str().unwrap());
                        std::fs::write(&path, bytes).unwrap();
                        owners_alone(&path);
                    }
                    assert!(goes_on(&copy.log()).await.is_err(), "{at} is gone on with");
                }
                set(&mut shell, record, column, &flipped, bytes).await.unwrap();
                flips += 1;
            }
        }
    }
    assert!(flips > 10_000, "only {flips} bits were flipped");
    println!("{flips} bits flipped, a start with every {}", starts_every());
}

/// Waits, but not for ever.
async fn within_half_a_minute<T>(asked: impl Future<Output = T>) -> T {
    let patience = std::time::Duration::from_secs(30);
    tokio::time::timeout(patience, asked).await.expect("it hangs without a word")
}

/// Another program holds the file: the wait is bounded and said, nothing is recorded, and it goes
/// on when the file is free.
#[tokio::test]
async fn a_foreign_lock_is_told_and_passes() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("a", 0, "one")).await.unwrap();
    let mut shell = raw(&place.log()).await;
    sqlx::query("begin exclusive").execute(&mut shell).await.unwrap();
    let told = within_half_a_minute(store.append(add("a", 1, "two"))).await.unwrap_err();
    assert!(matches!(told, StoreError::Busy(seconds) if seconds >= 9), "{told}");
    assert!(told.to_string().contains("another program holds the log"), "{told}");
    sqlx::query("rollback").execute(&mut shell).await.unwrap();
    store.append(add("a", 1, "two")).await.unwrap();
    assert_eq!(store.records("a", 0).await.unwrap().len(), 2);
    store.close().await;
}

/// So it is while the tables are made.
#[tokio::test]
async fn a_foreign_lock_at_the_beginning_is_told_and_passes() {
    let place = Place::new();
    let options = SqliteConnectOptions::new().filename(place.log()).create_if_missing(true);
    let wal = options.journal_mode(sqlx::sqlite::SqliteJournalMode::Wal);
    let mut shell = wal.connect().await.unwrap();
    sqlx::query("begin immediate").execute(&mut shell).await.unwrap();
    let told = within_half_a_minute(Store::open(&place.log())).await.unwrap_err();
    assert!(matches!(told, StoreError::Busy(seconds) if seconds >= 9), "{told}");
    let freed = async {
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        sqlx::query("rollback").execute(&mut shell).await.unwrap();
    };
    let log = place.log();
    let (store, ()) = tokio::join!(within_half_a_minute(Store::open(&log)), freed);
    let store = store.unwrap();
    store.append(add("a", 0, "one")).await.unwrap();
    store.close().await;
}

/// A disk that is full is told as what it is.
#[tokio::test]
async fn the_cause_of_a_failed_write_is_told() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("a", 0, "one")).await.unwrap();
    let mut shell = raw(&place.log()).await;
    // As good as a full disk: the file may not grow any more, which holds for this connection of
    // the writer too, because it is the tables that refuse.
    sqlx::query(
        "create trigger full before insert on command begin select raise(abort, \
      'database or disk is full'); end",
    )
    .execute(&mut shell)
    .await
    .unwrap();
    for _ in 0..2 {
        let told = store.append(add("a", 1, "two")).await.unwrap_err().to_string();
        assert!(told.contains("database or disk is full"), "{told}");
    }
    store.close().await;
}

/// Heads are written by count, however many tables there are.
#[tokio::test]
async fn a_head_is_never_far_behind() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    for i in 0..2500 {
        store.append(add("a", i, "one")).await.unwrap();
    }
    let found = store.verify(None).await.unwrap();
    assert!(found.behind < 1000 && found.head.unwrap().version >= 3, "{}", found.behind);
    store.close().await;
}

/// Heads are written by time: a minute after something was recorded it is under one.
#[tokio::test]
async fn a_head_comes_by_itself() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("a", 0, "one")).await.unwrap();
    assert_eq!(store.verify(None).await.unwrap().behind, 1);
    tokio::time::sleep(std::time::Duration::from_secs(62)).await;
    assert_eq!(store.verify(None).await.unwrap().behind, 0);
    store.close().await;
}

/// A new key: the old one vouches for it, open boxes open with it, and the old one is of no use.
#[tokio::test]
async fn the_key_can_be_changed() {
    let place = Place::new();
    let (log, key) = (place.log(), place.file("a.sabot.key"));
    filled(&place).await;
    let store = Store::open(&log).await.unwrap();
    let secret = b"a shoe".to_vec().into();
    let sealed = With::Secret { name: "a secret".into(), secret };
    store.append(Append { with: vec![sealed], ..add("a", 6, "seals") }).await.unwrap();
    store.close().await;
    let old = std::fs::read(&key).unwrap();
    let public = store::change_key(&log, &key).await.unwrap();
    assert_ne!(std::fs::read(&key).unwrap(), old);
    assert_eq!(goes_on(&log).await, Ok(()));
    let store = Store::open(&log).await.unwrap();
    assert_eq!(store.public_key(), Some(public));
    assert_eq!(store.unseal("a secret").await.unwrap().unwrap().as_slice(), b"a shoe");
    let found = store.verify(None).await.unwrap();
    assert_eq!((found.broken, found.key, found.lost_keys), (vec![], Some(public), 0));
    store.close().await;
    // Who forges a change of the key has not the old one's signature.
    let image = place.image();
    let mut shell = raw(&log).await;
    let forged = "update log set body = replace(body, '\"signature\":\"', '\"signature\":\"00') \
         where stream = 'house' and version = 2";
    forge(&mut shell, &[forged]).await;
    shell.close().await.unwrap();
    assert!(goes_on(&log).await.is_err());
    place.put_back(&image, &[]);
    std::fs::write(&key, old).unwrap();
    assert!(goes_on(&log).await.is_err(), "the old key still opens it");
}

/// The program stops between the log's knowing the new key and the file's having it.
#[tokio::test]
async fn a_change_of_the_key_that_was_interrupted_is_finished() {
    let place = Place::new();
    let (log, key) = (place.log(), place.file("a.sabot.key"));
    filled(&place).await;
    let before = place.image();
    store::change_key(&log, &key).await.unwrap();
    let after = place.image();
    // The log knows it, the files do not yet.
    place.put_back(&before, &[".sabot"]);
    let new = after.iter().find(|(path, _)| *path == key).unwrap();
    std::fs::write(place.file("a.sabot.key.next"), &new.1).unwrap();
    owners_alone(&place.file("a.sabot.key.next"));
    assert_eq!(goes_on(&log).await, Ok(()));
    assert_eq!(std::fs::read(&key).unwrap(), new.1);
    // The new key was made, and the log never knew it.
    place.put_back(&before, &[]);
    std::fs::write(place.file("a.sabot.key.next"), [5; 32]).unwrap();
    owners_alone(&place.file("a.sabot.key.next"));
    assert_eq!(goes_on(&log).await, Ok(()));
    assert!(!place.file("a.sabot.key.next").exists());
}

/// A log that was opened with a book must have it.
#[tokio::test]
async fn a_book_that_is_missing_is_found() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    let sha256 = Digest::of(&[b"a book"]);
    let book = store::Book { name: "act-2018".into(), sha256, files: Vec::new() };
    let mut first = add("a", 0, "");
    first.parts[0].entries[0].body = Body::Book(book);
    let (canonical, files) = ("a book".into(), "[]".into());
    first.with = vec![With::Book { sha256, canonical, files }];
    store.append(first).await.unwrap();
    assert_eq!(store.verify(None).await.unwrap().broken, []);
    let mut shell = raw(&place.log()).await;
    let missing = Broken::NoBook { stream: "a".into(), sha256 };
    // One that was altered is another, and so the right one is missing too.
    sqlx::query("update book set canonical = 'b'").execute(&mut shell).await.unwrap();
    let broken = store.verify(None).await.unwrap().broken;
    assert_eq!(broken, [Broken::Book(sha256), missing.clone()]);
    sqlx::query("delete from book").execute(&mut shell).await.unwrap();
    assert_eq!(store.verify(None).await.unwrap().broken, [missing]);
    store.close().await;
}

/// A file that calls itself of another form than it is, and a log without what is beside the key.
#[tokio::test]
async fn no_form_lets_a_log_go_unsigned() {
    let place = Place::new();
    filled(&place).await;
    let image = place.image();
    let cut = "delete from log where stream = 'a' and version > 4";
    for form in [-1, 0, 1, 3] {
        for head in [true, false] {
            let mut shell = raw(&place.log()).await;
            forge(&mut shell, &[cut, "delete from command", "delete from snapshot"]).await;
            let form = AssertSqlSafe(format!("pragma user_version = {form}"));
            sqlx::query(form).execute(&mut shell).await.unwrap();
            shell.close().await.unwrap();
            if !head {
                std::fs::remove_file(place.file("a.sabot.head")).unwrap();
            }
            assert!(goes_on(&place.log()).await.is_err(), "{head}");
            place.put_back(&image, &[]);
        }
    }
    // Everything of the house is gone, and the chain was made anew: nobody signs it.
    for table in ["nothing", "person", "balance"] {
        let mut shell = raw(&place.log()).await;
        let remade = [
            "delete from log where stream in ('house', 'checkpoint')",
            "delete from command",
            "delete from snapshot",
        ];
        forge(&mut shell, &remade).await;
        let drop = "drop trigger log_is_never_changed";
        let sql = "select sql from sqlite_schema where name = 'log_is_never_changed'";
        let sql: String = sqlx::query_scalar(sql).fetch_one(&mut shell).await.unwrap();
        sqlx::query(drop).execute(&mut shell).await.unwrap();
        rechain(&mut shell, "a", |record| record.body = "\"a million\"".into()).await;
        sqlx::query(AssertSqlSafe(sql)).execute(&mut shell).await.unwrap();
        if table != "nothing" {
            let row = if table == "person" { "('a-1', 'Ann')" } else { "('a-1', 1, 100)" };
            let row = AssertSqlSafe(format!("insert into {table} values {row}"));
            sqlx::query(row).execute(&mut shell).await.unwrap();
        }
        shell.close().await.unwrap();
        for head in ["gone", "zeros"] {
            std::fs::remove_file(place.file("a.sabot.head")).unwrap();
            if head == "zeros" {
                std::fs::write(place.file("a.sabot.head"), [0; 192]).unwrap();
            }
            let told = Store::open(&place.log()).await.unwrap_err().to_string();
            assert!(told.contains("not gone on with"), "{table}, {head}: {told}");
        }
        place.put_back(&image, &[]);
    }
    // Without the head, the log is gone on with as an older copy: no open shoe of it is dealt.
    std::fs::remove_file(place.file("a.sabot.head")).unwrap();
    let store = Store::open(&place.log()).await.unwrap();
    assert!(store.found_restored().is_some());
    assert_eq!(store.go_on("a").await.unwrap().restored, Some(6));
    store.close().await;
    place.put_back(&image, &[]);
    std::fs::remove_file(place.file("a.sabot.head")).unwrap();
    std::os::unix::fs::symlink("/dev/null", place.file("a.sabot.head")).unwrap();
    assert!(goes_on(&place.log()).await.is_err());
}

/// A file that says of itself that it is another program's, or of another form, is not a log.
#[tokio::test]
async fn what_a_file_says_of_itself_is_checked() {
    let place = Place::new();
    filled(&place).await;
    let image = place.image();
    for said in ["application_id = 0", "application_id = 5", "user_version = 3"] {
        let mut shell = raw(&place.log()).await;
        let pragma = AssertSqlSafe(format!("pragma {said}"));
        sqlx::query(pragma).execute(&mut shell).await.unwrap();
        shell.close().await.unwrap();
        let told = Store::open(&place.log()).await.unwrap_err().to_string();
        assert!(told.contains("its tables are not those of a log"), "{said}: {told}");
        let store = Store::read_only(&place.log()).await.unwrap();
        let broken = store.verify(None).await.unwrap().broken;
        assert!(matches!(broken[..], [Broken::Schema(_)]), "{said}: {broken:?}");
        store.close().await;
        place.put_back(&image, &[]);
    }
    assert_eq!(goes_on(&place.log()).await, Ok(()));
}

/// What is beside the key was torn when it was written, or lost its bytes: as if it were missing.
#[tokio::test]
async fn a_torn_head_is_as_good_as_none() {
    let place = Place::new();
    filled(&place).await;
    let image = place.image();
    let whole = std::fs::read(place.file("a.sabot.head")).unwrap();
    let torn = [
        vec![0; 96],
        vec![0; 192],
        vec![0; 4096],
        Vec::new(),
        whole[..50].to_vec(),
        [vec![0; 96], whole[96..150].to_vec()].concat(),
    ];
    for bytes in torn {
        std::fs::write(place.file("a.sabot.head"), &bytes).unwrap();
        let store = Store::open(&place.log()).await.unwrap();
        assert!(store.found_restored().is_some(), "{} bytes", bytes.len());
        store.close().await;
        place.put_back(&image, &[]);
    }
    let other: Vec<_> = whole.iter().map(|byte| byte ^ 1).collect();
    std::fs::write(place.file("a.sabot.head"), other).unwrap();
    assert!(matches!(Store::open(&place.log()).await, Err(StoreError::OtherLog { .. })));
}

/// A log whose beginning was interrupted, at a time that a test can bring about: its tables are
/// there, and nothing is in them.
async fn interrupted(place: &Place) {
    let mut shell =
        SqliteConnectOptions::new().filename(place.log()).create_if_missing(true).connect().await;
    let shell = shell.as_mut().unwrap();
    sqlx::migrate!("migrations/sqlite").run(&mut *shell).await.unwrap();
    sqlx::query("create table another (a)").execute(&mut *shell).await.unwrap();
    let told = Store::open(&place.log()).await.unwrap_err().to_string();
    assert!(told.contains("its tables are not those of a log"), "{told}");
    sqlx::query("drop table another").execute(&mut *shell).await.unwrap();
}

/// A kill in the beginning of a log leaves no older copy: nothing was there before.
#[tokio::test]
async fn a_beginning_that_was_interrupted_is_not_told_as_restored() {
    let place = Place::new();
    interrupted(&place).await;
    let head = std::fs::read(place.file("a.sabot.head")).unwrap();
    assert!(!head.is_empty(), "it is there before the log has anything");
    let store = Store::open(&place.log()).await.unwrap();
    assert_eq!(store.found_restored(), None);
    store.close().await;
    // The first record was written, and what is beside the key not yet.
    std::fs::write(place.file("a.sabot.head"), head).unwrap();
    let store = Store::open(&place.log()).await.unwrap();
    assert_eq!(store.found_restored(), None);
    assert_eq!(store.verify(None).await.unwrap().restored, 0);
    store.close().await;
}

/// The key is lost: a new one is taken, nobody vouches for it, and the log says so.
#[tokio::test]
async fn a_key_that_is_lost_can_be_replaced() {
    let place = Place::new();
    let (log, key) = (place.log(), place.file("a.sabot.key"));
    filled(&place).await;
    let store = Store::open(&log).await.unwrap();
    let sealed = With::Secret { name: "a secret".into(), secret: b"a shoe".to_vec().into() };
    store.append(Append { with: vec![sealed], ..add("a", 6, "seals") }).await.unwrap();
    let head = store.checkpoint(9, Vec::new()).await.unwrap();
    store.close().await;
    // A key that is there is not lost.
    assert!(matches!(
        store::replace_lost_key(&log, &key, async |_: &Store| Ok(())).await,
        Err(StoreError::Exists(_))
    ));
    std::fs::remove_file(&key).unwrap();
    assert!(Store::open(&log).await.is_err());
    let image = place.image();
    // Not of a log that does not hold.
    let mut shell = raw(&log).await;
    forge(&mut shell, &["update log set at = 0 where stream = 'b' and version = 1"]).await;
    shell.close().await.unwrap();
    let told = store::replace_lost_key(&log, &key, async |_: &Store| Ok(())).await.unwrap_err();
    assert!(matches!(told, StoreError::Untrusted(_)), "{told}");
    place.put_back(&image, &[]);
    // Nor of one that is not accepted: nothing is signed.
    let no = async |_: &Store| Err(StoreError::Untrusted("it is forged".into()));
    let told = store::replace_lost_key(&log, &key, no).await.unwrap_err();
    assert!(told.to_string().contains("it is forged"), "{told}");
    assert!(!key.exists() && !place.file("a.sabot.key.next").exists());

    let public = store::replace_lost_key(&log, &key, async |_: &Store| Ok(())).await.unwrap();
    assert_eq!(goes_on(&log).await, Ok(()));
    let store = Store::open(&log).await.unwrap();
    assert_eq!(store.public_key(), Some(public));
    assert!(store.unseal("a secret").await.is_err(), "what the old key sealed stays closed");
    store.append(add("a", 7, "goes on")).await.unwrap();
    let found = store.verify(Some((head.version, head.hash))).await.unwrap();
    assert_eq!((found.broken, found.lost_keys, found.restored), (vec![], 1, 0));
    store.close().await;
    // The new one can be changed like any other; what the old one sealed is not in its way.
    store::change_key(&log, &key).await.unwrap();
    assert_eq!(goes_on(&log).await, Ok(()));
}

/// What is thrown away is thrown away by the writer, in its turn.
#[tokio::test]
async fn what_is_forgotten_goes_through_the_writer() {
    let place = Place::new();
    filled(&place).await;
    let store = Store::open(&place.log()).await.unwrap();
    let person =
        |account: &str, name: &str| With::Person { account: account.into(), name: name.into() };
    let with = vec![person("a-1", "Ann"), person("a-2", "Ann"), person("a-3", "Bo")];
    store.append(Append { with, ..add("a", 6, "come") }).await.unwrap();
    assert_eq!(store.erase("Ann").await.unwrap(), 2);
    assert_eq!(store.erase("Ann").await.unwrap(), 0);
    assert_eq!(store.people().await.unwrap(), [("a-3".into(), "Bo".into())]);
    store.forget_snapshot("a").await.unwrap();
    assert_eq!(store.go_on("a").await.unwrap().snapshot, None);
    // A log that does not hold is left as it is.
    let moved = place.file("moved.sabot");
    std::fs::rename(place.log(), &moved).unwrap();
    assert!(store.erase("Bo").await.is_err());
    std::fs::rename(&moved, place.log()).unwrap();
    store.close().await;
    let store = Store::read_only(&place.log()).await.unwrap();
    assert!(matches!(store.erase("Bo").await, Err(StoreError::ReadOnly(_))));
    assert_eq!(store.people().await.unwrap().len(), 1);
    store.close().await;
}

/// Secrets, books and names are in the transaction of their records: whichever of them cannot be
/// written, none is.
#[tokio::test]
async fn what_belongs_to_records_is_written_with_them_or_not_at_all() {
    const COUNTS: &str = "select (select count(*) from log where stream = 'a'), \
         (select count(*) from command), (select count(*) from sealed), \
         (select count(*) from book), (select count(*) from person)";
    for refuses in ["log", "command", "sealed", "book", "person"] {
        let place = Place::new();
        filled(&place).await;
        let store = Store::open(&place.log()).await.unwrap();
        let secret = |name: &str| With::Secret { name: name.into(), secret: vec![7; 9].into() };
        let first = Append { with: vec![secret("old")], ..add("a", 6, "seals") };
        store.append(first).await.unwrap();
        let mut shell = raw(&place.log()).await;
        let count = async |shell: &mut SqliteConnection| {
            let counts: (i64, i64, i64, i64, i64) =
                sqlx::query_as(COUNTS).fetch_one(shell).await.unwrap();
            counts
        };
        let before = count(&mut shell).await;
        let fails = AssertSqlSafe(format!(
            "create trigger fails before insert on {refuses} begin select raise(abort, 'no'); end"
        ));
        sqlx::query(fails).execute(&mut shell).await.unwrap();
        let (sha256, canonical) = (Digest::of(&[b"a book"]), "a book".into());
        let with = vec![
            With::Forgotten("old".into()),
            With::Person { account: "a-1".into(), name: "Ann".into() },
            With::Book { sha256, canonical, files: "[]".into() },
            secret("new"),
        ];
        store.append(Append { with, ..add("a", 7, "reveals") }).await.unwrap_err();
        assert_eq!(count(&mut shell).await, before, "{refuses} refuses");
        assert!(store.unseal("old").await.unwrap().is_some(), "{refuses} refuses");
        assert!(store.unseal("new").await.unwrap().is_none(), "{refuses} refuses");
        shell.close().await.unwrap();
        store.close().await;
    }
}

/// Another program holds the file when the log is opened: the wait is bounded, and said.
#[tokio::test]
async fn a_foreign_lock_on_a_start_is_told() {
    let place = Place::new();
    filled(&place).await;
    let mut shell = raw(&place.log()).await;
    sqlx::query("pragma locking_mode = exclusive").execute(&mut shell).await.unwrap();
    sqlx::query("begin exclusive").execute(&mut shell).await.unwrap();
    sqlx::query("select count(*) from log").execute(&mut shell).await.unwrap();
    let told = within_half_a_minute(Store::open(&place.log())).await.unwrap_err();
    assert!(told.to_string().contains("another program holds the log"), "{told}");
    shell.close().await.unwrap();
    assert_eq!(goes_on(&place.log()).await, Ok(()));
}

/// A clock beyond the year 9999, and one beyond what the file can hold.
#[tokio::test]
async fn a_clock_far_ahead_stops_nothing() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    for (version, at) in [253_402_300_800_000_000, u64::MAX].into_iter().enumerate() {
        let mut append = add("a", version as u64, "late");
        append.parts[0].entries[0].at = at;
        store.append(append).await.unwrap();
        store.checkpoint(at, Vec::new()).await.unwrap();
    }
    let found = store.verify(None).await.unwrap();
    assert_eq!((found.broken, found.behind), (vec![], 0));
    store.close().await;
    let store = Store::open(&place.log()).await.unwrap();
    assert_eq!(store.go_on("a").await.unwrap().records[1].at, i64::MAX.cast_unsigned());
    store.close().await;
}

/// Commands of a branch that was lost are of no use behind another head.
#[tokio::test]
async fn a_lost_branch_cannot_be_spliced_in() {
    let place = Place::new();
    filled(&place).await;
    let old = place.image();
    let store = Store::open(&place.log()).await.unwrap();
    for i in 6..12 {
        store.append(add("a", i, "a lost act")).await.unwrap();
    }
    store.close().await;
    let lost = place.file("lost.sqlite");
    std::fs::copy(place.log(), &lost).unwrap();
    place.put_back(&old, &[".head", "lost.sqlite"]);
    Store::open(&place.log()).await.unwrap().close().await;
    let mut shell = raw(&place.log()).await;
    let attach = format!("attach '{}' as lost", lost.display());
    sqlx::query(AssertSqlSafe(attach)).execute(&mut shell).await.unwrap();
    let splice = [
        "insert into log select * from lost.log l where l.stream = 'a' and l.version > 6",
        "insert into command select * from lost.command c \
         where c.number > (select max(number) from main.command)",
    ];
    forge(&mut shell, &splice).await;
    shell.close().await.unwrap();
    let told = goes_on(&place.log()).await.unwrap_err();
    assert!(told.contains("not the house's own"), "{told}");
}

/// Tables come and go in a store that stays open.
#[tokio::test]
async fn a_stream_is_opened_again_in_the_same_store() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("new", 0, "one")).await.unwrap();
    store.append(add("new", 1, "two")).await.unwrap();
    assert_eq!(store.go_on("new").await.unwrap().records.len(), 2);
    store.close().await;
}
