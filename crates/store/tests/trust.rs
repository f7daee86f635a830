//! A start that trusts nothing: who began a log, what was copied, flipped, forged or held by
//! somebody else.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

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

    /// Every file of the log, by name.
    fn image(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let files = std::fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().path());
        // A connection that is about to close takes its journal away.
        files.filter_map(|path| Some((path.clone(), std::fs::read(path).ok()?))).collect()
    }

    /// Puts files back, and takes away those that were not there, but for those that end so.
    fn put_back(&self, image: &[(PathBuf, Vec<u8>)], but: &[&str]) {
        let spared = |path: &Path| but.iter().any(|end| path.to_string_lossy().ends_with(end));
        for (path, _) in self.image() {
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
        block_on(async {
            let store = Store::open_with(&log, &key, Begin::Either).await.unwrap();
            assert_eq!(store.records("a", 0).await.unwrap().len(), 1);
            store.close().await;
        });
    }
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
    let told = store.append(add("a", 6, "no")).await.unwrap_err().to_string();
    assert!(told.contains("takes nothing more") && told.contains("b: record 1"), "{told}");
    store.close().await;
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
        for (column, bytes) in [("body", record.body.as_bytes()), ("hash", &record.hash.0)] {
            for bit in (0..bytes.len() * 8).step_by(every) {
                let mut flipped = bytes.to_vec();
                flipped[bit / 8] ^= 1 << (bit % 8);
                let cast = if column == "body" { "cast(? as text)" } else { "?" };
                let set = |value: Vec<u8>| {
                    let set = format!(
                        "update log set {column} = {cast} where stream = ? and version = ?"
                    );
                    sqlx::query(AssertSqlSafe(set))
                        .bind(value)
                        .bind(record.stream.clone())
                        .bind(record.version.cast_signed())
                };
                set(flipped).execute(&mut shell).await.unwrap();
                let found = store.verify(kept).await.unwrap().broken;
                let of = |broken: &Broken| {
                    matches!(broken, Broken::Altered { stream, version }
                    if *stream == record.stream && *version == record.version)
                };
                assert!(
                    found.iter().any(of),
                    "{} {}, {column}, bit {bit}: {found:?}",
                    record.stream,
                    record.version
                );
                set(bytes.to_vec()).execute(&mut shell).await.unwrap();
                flips += 1;
            }
        }
    }
    assert!(flips > 10_000, "only {flips} bits were flipped");
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
    let told = store.append(add("a", 1, "two")).await.unwrap_err();
    assert!(matches!(told, StoreError::Busy(seconds) if seconds >= 9), "{told}");
    assert!(told.to_string().contains("another program holds the log"), "{told}");
    sqlx::query("rollback").execute(&mut shell).await.unwrap();
    store.append(add("a", 1, "two")).await.unwrap();
    assert_eq!(store.records("a", 0).await.unwrap().len(), 2);
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
    sqlx::query("delete from book").execute(&mut shell).await.unwrap();
    let missing = Broken::NoBook { stream: "a".into(), sha256 };
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
