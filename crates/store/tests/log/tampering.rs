//! What somebody with a database shell does to the file is found, though nothing stops them.

use shoe::Digest;
use sqlx::{AssertSqlSafe, Connection};
use store::{Broken, CHECKPOINTS, Head, Record, START, Store, StoreError, hash};

use super::{Place, add, raw};

/// A log of two streams, closed, with the triggers gone: `a` has 6 records and `b` 3, of which the
/// last checkpoint knows 5 and 3.
struct Victim {
    place: Place,
    /// The head of the checkpoints, as somebody wrote it down.
    kept: Head,
}

impl Victim {
    async fn new() -> Self {
        let place = Place::new();
        let store = place.open().await;
        for i in 0..3 {
            store.append(add("a", i, &format!("a {i}"))).await.unwrap();
            store.append(add("b", i, &format!("b {i}"))).await.unwrap();
        }
        store.checkpoint(7, Vec::new()).await.unwrap();
        store.append(add("a", 3, "a 3")).await.unwrap();
        store.append(add("a", 4, "a 4")).await.unwrap();
        let kept = store.checkpoint(8, Vec::new()).await.unwrap();
        store.append(add("a", 5, "a 5")).await.unwrap();
        store.close().await;
        disarm(&place).await;
        Self { place, kept }
    }

    async fn run(&self, statement: &'static str) {
        let mut shell = raw(&self.place.log()).await;
        let ran = sqlx::query(statement).execute(&mut shell).await.unwrap();
        assert!(ran.rows_affected() > 0, "nothing to tamper with: {statement}");
        shell.close().await.unwrap();
    }

    /// What is found without the head that was kept, and with it.
    async fn found(&self) -> [Vec<Broken>; 2] {
        rearm(&self.place).await;
        let store = Store::read_only(&self.place.log()).await.unwrap();
        let kept = Some((self.kept.version, self.kept.hash));
        let mut found =
            [store.verify(None).await.unwrap().broken, store.verify(kept).await.unwrap().broken];
        // The commands that do not fit any more follow from it.
        let follows = |broken: &Broken| matches!(broken, Broken::Command { .. });
        for found in &mut found {
            found.retain(|broken| !follows(broken));
        }
        store.close().await;
        disarm(&self.place).await;
        found
    }

    /// Whether the house would go on with it.
    async fn goes_on(&self) -> Result<(), String> {
        rearm(&self.place).await;
        let opened = Store::open(&self.place.log()).await;
        let went_on = match opened {
            Ok(store) => {
                let mut found = Ok(());
                for stream in ["a", "b"] {
                    found = found.and(store.go_on(stream).await.map(|_| ()));
                }
                // What somebody else put there is named.
                if let Some((_, why)) = store.alarms().into_iter().next() {
                    found = found.and(Err(StoreError::Untrusted(why)));
                }
                store.close().await;
                found
            }
            Err(fault) => Err(fault),
        };
        disarm(&self.place).await;
        went_on.map_err(|why| why.to_string())
    }

    async fn records(&self, stream: &str) -> Vec<Record> {
        let store = Store::read_only(&self.place.log()).await.unwrap();
        let records = store.records(stream, 0).await.unwrap();
        store.close().await;
        records
    }

    /// Makes a stream anew from these records, with hashes that fit.
    async fn forge(&self, stream: &str, records: Vec<Record>) {
        let mut shell = raw(&self.place.log()).await;
        let clear = sqlx::query("delete from log where stream = ?").bind(stream);
        clear.execute(&mut shell).await.unwrap();
        let mut previous = START;
        for mut record in records {
            record.hash = hash(&previous, &record);
            previous = record.hash;
            sqlx::query("insert into log values (?, ?, ?, ?, ?, ?, ?, ?)")
                .bind(record.stream)
                .bind(i64::try_from(record.version).unwrap())
                .bind(i64::try_from(record.at).unwrap())
                .bind(record.actor)
                .bind(record.key)
                .bind(record.schema)
                .bind(record.body)
                .bind(record.hash.0.to_vec())
                .execute(&mut shell)
                .await
                .unwrap();
        }
        shell.close().await.unwrap();
    }
}

/// Takes away all that keeps SQL from changing the log.
async fn disarm(place: &Place) {
    let mut shell = raw(&place.log()).await;
    let triggers = sqlx::query_scalar("select name from sqlite_master where type = 'trigger'");
    let triggers: Vec<String> = triggers.fetch_all(&mut shell).await.unwrap();
    assert!(!triggers.is_empty(), "nothing kept SQL from changing the log");
    for trigger in triggers {
        let drop = AssertSqlSafe(format!("drop trigger {trigger}"));
        sqlx::query(drop).execute(&mut shell).await.unwrap();
    }
    shell.close().await.unwrap();
}

/// Puts the triggers back, as whoever tampers would: that they are gone is found too.
async fn rearm(place: &Place) {
    let mut shell = raw(&place.log()).await;
    let made = include_str!("../../migrations/sqlite/0001_log.sql");
    for trigger in made.split("create trigger ").skip(1) {
        let trigger = trigger.split("end;").next().unwrap();
        let name = trigger.split_whitespace().next().unwrap();
        let drop = AssertSqlSafe(format!("drop trigger if exists {name}"));
        sqlx::query(drop).execute(&mut shell).await.unwrap();
        let anew = AssertSqlSafe(format!("create trigger {trigger}end"));
        sqlx::query(anew).execute(&mut shell).await.unwrap();
    }
    shell.close().await.unwrap();
}

fn altered(stream: &str, version: u64) -> Broken {
    Broken::Altered { stream: stream.into(), version }
}

fn shortened(stream: &str, wanted: u64, found: u64) -> Broken {
    Broken::Shortened { stream: stream.into(), wanted, found }
}

fn replaced(stream: &str, version: u64) -> Broken {
    Broken::Replaced { stream: stream.into(), version }
}

async fn found_after(statements: &[&'static str]) -> Vec<Broken> {
    let victim = Victim::new().await;
    for statement in statements {
        victim.run(statement).await;
    }
    let [without, with] = victim.found().await;
    assert_eq!(without, with, "the kept head makes a difference after {statements:?}");
    let went_on = victim.goes_on().await;
    assert_eq!(went_on.is_ok(), statements.is_empty(), "{statements:?}: {went_on:?}");
    with
}

#[tokio::test]
async fn a_log_that_nobody_touched_is_whole() {
    assert_eq!(found_after(&[]).await, []);
}

#[tokio::test]
async fn an_altered_record_is_found_whatever_was_altered() {
    for statement in [
        "update log set body = '\"a 9\"' where stream = 'a' and version = 3",
        "update log set at = at + 1 where stream = 'a' and version = 3",
        "update log set actor = 'Bo' where stream = 'a' and version = 3",
        "update log set key = 'another' where stream = 'a' and version = 3",
        "update log set schema = 'line/2' where stream = 'a' and version = 3",
        // A letter that goes from one field to the next makes another record.
        "update log set actor = 'An', key = 'n' || key where stream = 'a' and version = 3",
    ] {
        assert_eq!(found_after(&[statement]).await, [altered("a", 3)], "{statement}");
    }
    let other_hash = "update log set hash = zeroblob(32) where stream = 'a' and version = 3";
    assert_eq!(found_after(&[other_hash]).await, [altered("a", 3)]);
    let of_a_checkpoint = "update log set at = 0 where stream = 'checkpoint' and version = 3";
    assert_eq!(found_after(&[of_a_checkpoint]).await, [altered(CHECKPOINTS, 3)]);
}

#[tokio::test]
async fn a_record_taken_out_of_the_middle_is_found() {
    let take = "delete from log where stream = 'a' and version = 2";
    let gap = Broken::Gap { stream: "a".into(), wanted: 2, found: 3 };
    let found = found_after(&[take]).await;
    assert_eq!(found[0], gap);
    // Moving up what follows does not hide it.
    let one_up = "update log set version = version - 1 where stream = 'a' and version > 2";
    assert_eq!(found_after(&[take, one_up]).await[0], altered("a", 2));
}

#[tokio::test]
async fn a_record_taken_off_the_end_is_found() {
    let end = "delete from log where stream = 'a' and version >= 5";
    assert_eq!(found_after(&[end]).await, [shortened("a", 5, 4)]);
    let more = "delete from log where stream = 'a' and version >= 3";
    assert_eq!(found_after(&[more]).await, [shortened("a", 3, 2), shortened("a", 5, 2)]);
}

#[tokio::test]
async fn two_records_that_changed_places_are_found() {
    let swap = [
        "update log set version = 99 where stream = 'a' and version = 2",
        "update log set version = 2 where stream = 'a' and version = 3",
        "update log set version = 3 where stream = 'a' and version = 99",
    ];
    let found = found_after(&swap).await;
    assert_eq!(found, [altered("a", 2)]);
}

#[tokio::test]
async fn a_stream_taken_away_or_renamed_is_found() {
    let delete = "delete from log where stream = 'b'";
    assert_eq!(found_after(&[delete]).await, [shortened("b", 3, 0)]);
    let rename = "update log set stream = 'c' where stream = 'b'";
    assert_eq!(found_after(&[rename]).await, [altered("c", 1), shortened("b", 3, 0)]);
}

#[tokio::test]
async fn a_record_put_in_by_sql_is_found() {
    let add = "insert into log select stream, 7, at, actor, key, schema, body, hash \
         from log where stream = 'a' and version = 6";
    assert_eq!(found_after(&[add]).await, [altered("a", 7)]);
    let stream = "insert into log select 'c', version, at, actor, key, schema, body, hash \
         from log where stream = 'b'";
    assert_eq!(found_after(&[stream]).await, [altered("c", 1)]);
}

#[tokio::test]
async fn a_stream_made_anew_with_hashes_that_fit_is_found_by_the_checkpoints() {
    let victim = Victim::new().await;
    let mut records = victim.records("a").await;
    records[3].body = "\"a forged line\"".into();
    victim.forge("a", records).await;
    let found = vec![replaced("a", 5)];
    assert_eq!(victim.found().await, [found.clone(), found]);
}

#[tokio::test]
async fn an_end_that_was_cut_off_is_not_written_anew() {
    let victim = Victim::new().await;
    victim.run("delete from log where stream = 'a' and version >= 5").await;
    let told = victim.goes_on().await.unwrap_err();
    assert!(told.contains("a ends with record 4, and record 6 is due"), "{told}");
    // Nor is it appended to.
    rearm(&victim.place).await;
    let store = victim.place.open().await;
    let told = store.append(add("a", 6, "another")).await.unwrap_err().to_string();
    // The check of the whole log may have found it first.
    let found = ["does not end where it should", "does not hold"];
    assert!(found.iter().any(|found| told.contains(found)), "{told}");
    // Other streams go on until the whole log was checked.
    let other = store.append(add("b", 3, "another")).await;
    assert!(other.is_ok() || store.alarm().is_some(), "{other:?}");
    store.close().await;
}

#[tokio::test]
async fn triggers_that_are_gone_are_found() {
    let victim = Victim::new().await;
    let told = Store::open(&victim.place.log()).await.unwrap_err().to_string();
    assert!(told.contains("tables are not those of a log"), "{told}");
}

#[tokio::test]
async fn checkpoints_cut_off_are_found_with_the_head_that_was_kept() {
    let victim = Victim::new().await;
    victim.run("delete from log where stream = 'checkpoint' and version = 3").await;
    victim.run("delete from log where stream = 'a' and version > 3").await;
    assert_eq!(victim.found().await, [vec![], vec![shortened(CHECKPOINTS, 3, 2)]]);
    // The house knows it by its commands, and by what it kept beside the key.
    let told = victim.goes_on().await.unwrap_err();
    assert!(told.contains("not the house's own"), "{told}");
    victim.run("delete from log where stream = 'checkpoint'").await;
    victim.run("delete from log where stream = 'b'").await;
    assert_eq!(victim.found().await[1], [shortened(CHECKPOINTS, 3, 0)]);
    assert!(victim.goes_on().await.unwrap_err().contains("no checkpoint"));
}

#[tokio::test]
async fn a_log_made_anew_from_end_to_end_lacks_the_signatures() {
    let victim = Victim::new().await;
    let mut records = victim.records("a").await;
    records[0].body = "\"a forged line\"".into();
    let forged = records.clone();
    victim.forge("a", forged).await;
    let new: Vec<Digest> = victim.records("a").await.iter().map(|record| record.hash).collect();
    let mut checkpoints = victim.records(CHECKPOINTS).await;
    for checkpoint in &mut checkpoints {
        for (old, new) in records.iter().zip(&new) {
            let (old, new) = (old.hash.to_string(), new.to_string());
            checkpoint.body = checkpoint.body.replace(&old, &new);
        }
    }
    victim.forge(CHECKPOINTS, checkpoints).await;
    let unsigned = || vec![Broken::Signature(2), Broken::Signature(3)];
    let with = unsigned().into_iter().chain([replaced(CHECKPOINTS, 3)]).collect();
    assert_eq!(victim.found().await, [unsigned(), with]);
    assert!(victim.goes_on().await.unwrap_err().contains("did not sign checkpoint 3"));
}
