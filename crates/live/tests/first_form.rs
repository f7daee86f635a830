//! A log of the first form, as the program before wrote it: it opens, verifies, resumes and
//! replays, and one that was forged does not, though nobody signed it.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use audit::{Conclusion, Extract, audit, export};
use live::{Host, LiveError};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use store::{Body, Record, Store, StoreError};
use testkit::{Choices, random_bytes, robot};

struct Place {
    folder: tempfile::TempDir,
    log: PathBuf,
    key: PathBuf,
}

/// The records of a golden session of the first form.
fn golden() -> Vec<Record> {
    session("session-3.jsonl")
}

/// The records of a golden session.
fn session(name: &str) -> Vec<Record> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../store/tests/golden");
    let text = std::fs::read_to_string(Path::new(folder).join(name)).unwrap();
    let record = |line: &str| {
        let fields: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| fields[name].as_str().unwrap().to_owned();
        Record {
            stream: text("stream"),
            version: fields["version"].as_u64().unwrap(),
            at: fields["at"].as_u64().unwrap(),
            actor: text("actor"),
            key: text("key"),
            schema: text("schema"),
            body: text("body"),
            hash: shoe::Digest::read(&text("hash")).unwrap(),
        }
    };
    text.lines().map(record).collect()
}

async fn raw(log: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(log).create_if_missing(true);
    options.connect().await.unwrap()
}

/// A file with these records, made by the first migration alone.
async fn written(records: &[Record]) -> Place {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
    let first = folder.path().join("migrations");
    std::fs::create_dir(&first).unwrap();
    let made = concat!(env!("CARGO_MANIFEST_DIR"), "/../store/migrations/sqlite/0001_log.sql");
    std::fs::copy(made, first.join("0001_log.sql")).unwrap();
    let mut shell = raw(&log).await;
    let migrator = sqlx::migrate::Migrator::new(first.clone()).await.unwrap();
    migrator.run(&mut shell).await.unwrap();
    std::fs::remove_dir_all(first).unwrap();
    for record in records {
        sqlx::query("insert into log values (?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(record.stream.clone())
            .bind(record.version.cast_signed())
            .bind(record.at.cast_signed())
            .bind(record.actor.clone())
            .bind(record.key.clone())
            .bind(record.schema.clone())
            .bind(record.body.clone())
            .bind(record.hash.0.to_vec())
            .execute(&mut shell)
            .await
            .unwrap();
    }
    let canonical = rulebooks::load("act-2018", None).unwrap().canonical();
    sqlx::query("insert into book values (?, ?)")
        .bind(shoe::Digest::of(&[canonical.as_bytes()]).0.to_vec())
        .bind(canonical)
        .execute(&mut shell)
        .await
        .unwrap();
    shell.close().await.unwrap();
    std::fs::write(&key, [9; 32]).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    Place { folder, log, key }
}

#[tokio::test]
async fn a_log_of_the_first_form_goes_on() {
    let place = written(&golden()).await;
    let store = Store::read_only(&place.log).await.unwrap();
    let found = store.verify(None).await.unwrap();
    assert_eq!((found.broken, found.key), (vec![], None), "nobody signed it");
    let records = store.records("table 1", 0).await.unwrap();
    assert_eq!(audit(&records).unwrap().conclusion(), Conclusion::Holds);
    assert!(export(&records, Extract::All, None).unwrap().is_some());
    store.close().await;

    let mut house = Host::resume(&place.log, &place.key, "table 1").await.unwrap();
    assert_eq!(house.table().coups(), 3);
    assert!(place.folder.path().join("a.sabot.before-2").exists(), "it was copied first");
    let ann = table::Name::from("Ann").unwrap();
    let sits = table::Deed::Sit(1, rules::Cents::new(1_000_000).unwrap());
    house.act(table::Act::Player(ann, sits)).await.unwrap().unwrap();
    let bytes = random_bytes(4, 20_000);
    robot::play(&mut house, &mut Choices::new(&bytes), 6).await.unwrap();
    let records = house.log().file().unwrap().records("table 1", 0).await.unwrap();
    let found = audit(&records).unwrap();
    assert_eq!(found.findings, []);
    // The old shoe by the first procedure, the new one by the second.
    let witnesses = |at: usize| found.shoes[at].verified.as_ref().unwrap().witnesses;
    assert!(witnesses(0).is_none() && witnesses(1).is_some());
    let newest = records.last().unwrap();
    assert!(!newest.body.contains("Ann"), "who comes now has an account");
    house.close().await.unwrap();
    let house = Host::resume(&place.log, &place.key, "table 1").await.unwrap();
    assert!(
        house.log().file().unwrap().verify(None).await.unwrap().key.is_some(),
        "it is signed from now on"
    );
    house.close().await.unwrap();
}

/// A log that the house had signed, written as one of the first form by somebody without the key.
#[tokio::test]
async fn a_signed_log_is_not_made_one_of_the_first_form() {
    let signed = session("session-4.jsonl");
    assert!(signed.iter().any(|record| record.schema == "shoe/2"));
    let table: Vec<_> = signed.into_iter().filter(|record| record.stream == "table 1").collect();
    // Under the schemas that it has, and under those that it would have had.
    for renamed in [false, true] {
        let mut records = table.clone();
        let mut previous = store::START;
        for record in &mut records {
            if renamed && record.schema == "shoe/2" {
                record.schema = "shoe/1".into();
            }
            record.hash = store::hash(&previous, record);
            previous = record.hash;
        }
        let place = written(&records).await;
        let told = Host::resume(&place.log, &place.key, "table 1").await.unwrap_err();
        assert!(told.to_string().contains("nothing that the house signed"), "{renamed}: {told}");
    }
}

/// The program stops while it takes a log over: the next start does it, if nobody touched the log.
#[tokio::test]
async fn a_take_over_that_was_interrupted_is_finished() {
    for touched in [false, true] {
        let place = written(&golden()).await;
        let mut shell = raw(&place.log).await;
        sqlx::query("create table another (a)").execute(&mut shell).await.unwrap();
        let told = Host::resume(&place.log, &place.key, "table 1").await.unwrap_err();
        assert!(told.to_string().contains("its tables are not those of a log"), "{told}");
        sqlx::query("drop table another").execute(&mut shell).await.unwrap();
        if touched {
            // A record that fits into any log of the first form.
            let record = Record {
                stream: "another".into(),
                version: 1,
                at: 5,
                actor: "a".into(),
                key: "a".into(),
                schema: "line/1".into(),
                body: "\"said\"".into(),
                hash: store::START,
            };
            let hash = store::hash(&store::START, &record).0.to_vec();
            let put = "insert into log values ('another', 1, 5, 'a', 'a', 'line/1', '\"said\"', ?)";
            sqlx::query(put).bind(hash).execute(&mut shell).await.unwrap();
        }
        shell.close().await.unwrap();
        let resumed = Host::resume(&place.log, &place.key, "table 1").await;
        if touched {
            assert!(matches!(resumed, Err(LiveError::Store(StoreError::Untrusted(_)))));
        } else {
            resumed.unwrap().close().await.unwrap();
        }
    }
}

/// Whoever forges such a log makes all hashes anew; then the acts are judged again.
#[tokio::test]
async fn a_forged_log_of_the_first_form_is_not_gone_on_with() {
    let mut tried = 0;
    let honest = golden();
    let kinds: [fn(&mut Body) -> bool; 4] = [
        |body| match body {
            Body::Table(event) => event.postings.first_mut().is_some_and(|leg| {
                leg.account = table::Account::Stack(table::PlayerId(999));
                true
            }),
            _ => false,
        },
        |body| match body {
            Body::Table(event) => {
                let arrived = matches!(event.fact, table::Fact::Arrived { .. });
                if let (true, table::Fact::Arrived { chips, .. }) = (arrived, &mut event.fact) {
                    *chips = rules::Cents::new(900_000_000).unwrap();
                }
                arrived
            }
            _ => false,
        },
        |body| match body {
            Body::Line(line) if line.contains(" bets ") => {
                *line = line.replace(" bets ", " bets 1");
                true
            }
            _ => false,
        },
        |body| match body {
            Body::Shoe(shoe::ShoeFact::Revealed { entropy }) => {
                entropy.0[7] ^= 1;
                true
            }
            _ => false,
        },
    ];
    for alter in kinds {
        let mut records: Vec<_> =
            honest.iter().filter(|record| record.stream == "table 1").cloned().collect();
        let altered = records.iter_mut().any(|record| {
            let mut body = record.read().unwrap();
            let altered = alter(&mut body);
            if altered {
                record.body = body.to_json();
            }
            altered
        });
        assert!(altered);
        let mut previous = store::START;
        for record in &mut records {
            record.hash = store::hash(&previous, record);
            previous = record.hash;
        }
        let place = written(&records).await;
        let told = Host::resume(&place.log, &place.key, "table 1").await.unwrap_err();
        assert!(matches!(told, LiveError::DoesNotHold(..)), "{told}");
        tried += 1;
    }
    assert_eq!(tried, 4);
    // One that was altered without the hashes is refused at once, and left as it is.
    let mut records = honest;
    records[20].actor = "somebody".into();
    let place = written(&records).await;
    let told = Host::resume(&place.log, &place.key, "table 1").await.unwrap_err();
    assert!(matches!(told, LiveError::Store(StoreError::Untrusted(_))), "{told}");
}
