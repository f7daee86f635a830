//! A log of the first form, as the program before wrote it: it opens, verifies, resumes and
//! replays, and one that was forged does not, though nobody signed it.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};

use audit::{Conclusion, Extract, audit, export};
use live::{Host, LiveError};
use shoe::ShoeFact;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use store::{Body, Record, Store, StoreError};
use testkit::{Choices, random_bytes, robot};

struct Place {
    folder: tempfile::TempDir,
    log: PathBuf,
    key: PathBuf,
}

impl Place {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The log is not gone on with, and is left as it is: nothing is signed.
    async fn is_refused(&self) -> String {
        let before = std::fs::read(&self.log).unwrap();
        let told = Host::resume(&self.log, &self.key, "table 1").await.unwrap_err();
        assert!(std::fs::read(&self.log).unwrap() == before, "it was touched: {told}");
        assert!(!self.file("a.sabot.before-2.part").exists(), "{told}");
        told.to_string()
    }
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

/// The canonical text of the book of these records: of the one at hand, or of a former edition.
fn text_of_book(records: &[Record]) -> String {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../store/tests/golden"));
    let former = ["book-1.json", "book-2.json"].map(|name| folder.join(name));
    let mut texts: Vec<_> =
        former.map(|path| std::fs::read_to_string(path).unwrap().trim_end().to_owned()).into();
    let at_hand = rulebooks::load("act-2018", None).unwrap().canonical();
    let first = records.iter().find(|record| record.schema == "book/1").unwrap();
    texts.retain(|text| first.body.contains(&shoe::Digest::of(&[text.as_bytes()]).to_string()));
    texts.pop().unwrap_or(at_hand)
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
    let canonical = text_of_book(records);
    sqlx::query("insert into book values (?, ?)")
        .bind(shoe::Digest::of(&[canonical.as_bytes()]).0.to_vec())
        .bind(canonical)
        .execute(&mut shell)
        .await
        .unwrap();
    // As the program of that time left it.
    sqlx::query("pragma journal_mode = wal").execute(&mut shell).await.unwrap();
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

/// The program stopped in the middle of a shoe of the first procedure, which lies sealed in the
/// log: the table goes on with the next card of it, and reveals it in the end.
#[tokio::test]
async fn a_shoe_of_the_first_form_that_was_in_use_is_dealt_on() {
    let whole = of_the_table(&golden());
    let facts = || {
        whole.iter().filter_map(|record| match record.read().unwrap() {
            Body::Shoe(fact) => Some(fact),
            _ => None,
        })
    };
    let Some(ShoeFact::Committed { commitment, .. }) = facts().next() else { panic!() };
    let Some(ShoeFact::Revealed { entropy }) = facts().next_back() else { panic!() };
    // Behind the shuffle, a card that lies, one that is turned, and the last one of a coup.
    for version in [34, 97, 149, 214] {
        let records: Vec<_> =
            whole.iter().filter(|record| record.version <= version).cloned().collect();
        let place = written(&records).await;
        let name = format!("table 1 shoe {commitment}");
        let sealed = store::Key::read(&place.key).unwrap().seal(&name, &entropy.0).unwrap();
        let mut shell = raw(&place.log).await;
        let insert = sqlx::query("insert into sealed values (?, ?)").bind(name).bind(sealed);
        insert.execute(&mut shell).await.unwrap();
        shell.close().await.unwrap();

        let mut house = Host::resume(&place.log, &place.key, "table 1").await.unwrap();
        let left = house.cards_left().unwrap();
        let dealt = records.iter().filter(|record| record.body.starts_with(r#"{"dealt""#)).count();
        assert_eq!(left as usize, 416 - dealt, "record {version}");
        let coups = house.table().coups() + 2;
        let bytes = random_bytes(version, 20_000);
        robot::play(&mut house, &mut Choices::new(&bytes), coups).await.unwrap();
        let names: Vec<_> = house.table().present().map(|(_, player)| player.name).collect();
        for name in names {
            house.act(table::Act::Player(name, table::Deed::Leave)).await.unwrap().unwrap();
        }
        house.abandon().await.unwrap();
        let records = house.log().file().unwrap().records("table 1", 0).await.unwrap();
        let found = audit(&records).unwrap();
        assert_eq!(found.findings, [], "record {version}");
        let shoe = found.shoes[0].verified.as_ref().unwrap();
        assert!(shoe.whole && shoe.dealt > dealt, "record {version}");
        house.close().await.unwrap();
    }
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

/// Leaves a log as a program does that stops when the tables are made and nothing is signed yet.
async fn stopped_while_taking_over(place: &Place) -> SqliteConnection {
    let mut shell = raw(&place.log).await;
    sqlx::query("begin immediate").execute(&mut shell).await.unwrap();
    let copied = place.log.with_file_name("a.sabot.before-2");
    let stops = async {
        while !copied.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        // It waits for the file, which this test holds; what lies beside the key is written.
        tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    };
    tokio::select! {
        resumed = Host::resume(&place.log, &place.key, "table 1") => panic!("{resumed:?}"),
        () = stops => {}
    }
    sqlx::query("rollback").execute(&mut shell).await.unwrap();
    sqlx::migrate!("../store/migrations/sqlite").run(&mut shell).await.unwrap();
    shell
}

/// What the file has besides a log's own tables makes it none: it is refused before it is changed.
#[tokio::test]
async fn a_log_of_the_first_form_with_a_foreign_table_is_left_as_it_is() {
    for foreign in ["analyze", "create index more on log (at)", "create table another (a)"] {
        let place = written(&golden()).await;
        let mut shell = raw(&place.log).await;
        sqlx::query(foreign).execute(&mut shell).await.unwrap();
        let told = Host::resume(&place.log, &place.key, "table 1").await.unwrap_err();
        assert!(told.to_string().contains("its tables are not those of a log"), "{told}");
        let form: i64 =
            sqlx::query_scalar("pragma user_version").fetch_one(&mut shell).await.unwrap();
        assert_eq!(form, 0, "{foreign}");
        shell.close().await.unwrap();
        assert!(!place.log.with_file_name("a.sabot.before-2").exists(), "{foreign}");
    }
}

/// The program stops while it takes a log over: the next start does it, if nobody touched the log.
#[tokio::test]
async fn a_take_over_that_was_interrupted_is_finished() {
    for touched in [false, true] {
        let place = written(&golden()).await;
        let mut shell = stopped_while_taking_over(&place).await;
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
        let told = place.is_refused().await;
        assert!(told.contains("does not hold") && told.contains("table 1, record"), "{told}");
        tried += 1;
    }
    assert_eq!(tried, 4);
}

/// One that was altered without the hashes, and one without its book, are left as they are too.
#[tokio::test]
async fn a_log_of_the_first_form_that_was_altered_is_left_as_it_is() {
    let honest = golden();
    let place = written(&honest).await;
    let mut shell = raw(&place.log).await;
    sqlx::query("delete from book").execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    let told = place.is_refused().await;
    assert!(told.contains("is missing, or was altered"), "{told}");
    let mut records = honest;
    records[20].actor = "somebody".into();
    let place = written(&records).await;
    let told = place.is_refused().await;
    assert!(told.contains("does not hold"), "{told}");
}

/// The first form kept no files of its book, and these editions are not at hand any more. Every act
/// has the same consequences under the edition that is: the table goes on under it, says so, and
/// keeps it.
#[tokio::test]
async fn a_log_of_the_first_form_under_a_former_edition_goes_on_under_the_one_at_hand() {
    let at_hand = rulebooks::load("act-2018", None).unwrap().sha256();
    for name in ["session-1.jsonl", "session-2.jsonl"] {
        let place = written(&session(name)).await;
        let before = audit(&of_the_table(&session(name))).unwrap();
        assert_eq!((before.conclusion(), before.later_edition), (Conclusion::Holds, true));
        for starts in 1..=3 {
            let mut house = Host::resume(&place.log, &place.key, "table 1").await.unwrap();
            if starts == 1 {
                assert_eq!(house.table().coups(), 3, "{name}");
                let ann = table::Name::from("Ann").unwrap();
                let sits = table::Deed::Sit(1, rules::Cents::new(1_000_000).unwrap());
                house.act(table::Act::Player(ann, sits)).await.unwrap().unwrap();
            }
            let bytes = random_bytes(starts, 20_000);
            robot::play(&mut house, &mut Choices::new(&bytes), 6).await.unwrap();
            let store = house.log().file().unwrap();
            let found = audit::audit_stream(store, "table 1").await.unwrap();
            assert_eq!(found.findings, [], "{name}");
            assert_eq!((found.conclusion(), found.later_edition), (Conclusion::Holds, false));
            let records = store.records("table 1", 0).await.unwrap();
            let books = records.iter().filter(|record| record.schema == "book/1");
            let books: Vec<_> = books.map(|record| record.body.contains(&at_hand)).collect();
            assert_eq!(books, [false, true], "{name}, start {starts}");
            assert!(export(&records, Extract::All, None).unwrap().is_some());
            house.close().await.unwrap();
            if starts == 2 {
                // Without what the house kept of it, it is judged from its first record.
                let mut shell = raw(&place.log).await;
                sqlx::query("delete from snapshot").execute(&mut shell).await.unwrap();
                shell.close().await.unwrap();
            }
        }
        recomputed(&place);
    }
}

/// The log of a former edition whose text nobody kept: every act holds under the book at hand, as
/// `store/tests/golden.rs` says. But no program ever left a log without the row of its book, and no
/// such row can be made of a hash: the log is refused, and left as it is.
#[tokio::test]
async fn a_log_of_the_first_form_whose_book_is_gone_is_refused() {
    let records = session("former-act-2018.jsonl");
    let Body::Book(book) = of_the_table(&records)[0].read().unwrap() else { panic!() };
    let place = written(&records).await;
    let store = Store::read_only(&place.log).await.unwrap();
    let gone = store::Broken::NoBook { stream: "table 1".into(), sha256: book.sha256 };
    assert_eq!(store.verify(None).await.unwrap().broken, [gone]);
    store.close().await;
    let told = place.is_refused().await;
    assert!(told.contains("its rulebook") && told.contains("is missing"), "{told}");
}

/// A program that shares no code with this one comes to the same.
fn recomputed(place: &Place) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verify_log.py");
    let log = place.log.to_str().unwrap();
    let told = std::process::Command::new("python3").args([script, log]).output().unwrap();
    let text = String::from_utf8_lossy(&told.stdout);
    assert!(told.status.success(), "{text}{}", String::from_utf8_lossy(&told.stderr));
}

/// Where the edition at hand rules otherwise it is not known who is right: the log is refused with
/// the reason, is left as it is, and can be audited.
#[tokio::test]
async fn a_log_of_the_first_form_that_the_edition_at_hand_rules_otherwise_is_refused() {
    let mut records = session("session-1.jsonl");
    let called = "\"clauses\":[\"act-2018 ";
    let ruled = records.iter_mut().find(|record| record.body.contains(called)).unwrap();
    ruled.body = ruled.body.replacen(called, "\"clauses\":[\"act-2018 9.9\",\"act-2018 ", 1);
    let mut table = of_the_table(&records);
    let mut previous = store::START;
    for record in &mut table {
        record.hash = store::hash(&previous, record);
        previous = record.hash;
    }
    let Body::Book(book) = table[0].read().unwrap() else { panic!() };
    let told = written(&table).await.is_refused().await;
    assert!(told.contains(&format!("the edition {} of act-2018", book.sha256)), "{told}");
    assert!(told.contains("kept no files of their book; it can be audited"), "{told}");
    let found = audit(&table).unwrap();
    assert_eq!((found.conclusion(), found.findings), (Conclusion::CannotBeJudged, vec![]));
}

/// A second book is for logs of the first form alone, once, and of the same name.
#[tokio::test]
async fn a_book_in_the_midst_of_a_table_is_found() {
    let again = |name: &str, book: &dyn Fn(&mut store::Book), twice: bool| {
        let mut table = of_the_table(&session(name));
        let Body::Book(mut second) = table[0].read().unwrap() else { panic!() };
        book(&mut second);
        let mut last = table.last().unwrap().clone();
        last.schema = "book/1".into();
        last.actor = "operator".into();
        for _ in 0..=usize::from(twice) {
            last.version += 1;
            last.key = format!("table 1 {}", last.version);
            last.body = Body::Book(second.clone()).to_json();
            table.push(last.clone());
        }
        audit(&table).unwrap().findings.iter().any(|found| found.what.contains("a second book"))
    };
    let at_hand = shoe::Digest::read(&rulebooks::load("act-2018", None).unwrap().sha256()).unwrap();
    let later = |book: &mut store::Book| book.sha256 = at_hand;
    assert!(!again("session-1.jsonl", &later, false), "so a table goes on");
    assert!(again("session-1.jsonl", &later, true));
    assert!(again("session-1.jsonl", &|_| {}, false));
    assert!(again("session-1.jsonl", &|book| book.name = "act-2012".into(), false));
    assert!(again("session-4.jsonl", &later, false), "it was begun in the second form");
}

/// No log of the first form has a second book: one that does was made to look as if it went on.
#[tokio::test]
async fn a_log_of_the_first_form_with_a_second_book_is_not_taken_over() {
    let mut table = of_the_table(&session("session-1.jsonl"));
    let at_hand = rulebooks::load("act-2018", None).unwrap();
    let sha256 = shoe::Digest::read(&at_hand.sha256()).unwrap();
    let (name, mut last) = ("act-2018".into(), table.last().unwrap().clone());
    let book = Body::Book(store::Book { name, sha256, files: Vec::new() });
    (last.schema, last.body, last.actor) = ("book/1".into(), book.to_json(), "operator".into());
    last.version += 1;
    last.key = format!("table 1 {}", last.version);
    last.hash = store::hash(&table.last().unwrap().hash, &last);
    table.push(last);
    let place = written(&table).await;
    let canonical = at_hand.canonical();
    let mut shell = raw(&place.log).await;
    let put = "insert into book values (?, ?)";
    sqlx::query(put).bind(sha256.0.to_vec()).bind(canonical).execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    let told = place.is_refused().await;
    assert!(told.contains("a second book"), "{told}");
}

fn of_the_table(records: &[Record]) -> Vec<Record> {
    records.iter().filter(|record| record.stream == "table 1").cloned().collect()
}

/// The copy that is made first has its name only when it is whole, and a file that has the name
/// already is taken for it only if it is that copy.
#[tokio::test]
async fn the_copy_before_a_take_over_is_whole_and_of_this_log() {
    let place = written(&golden()).await;
    let (copy, part) = (place.file("a.sabot.before-2"), place.file("a.sabot.before-2.part"));
    let another = written(&of_the_table(&golden())[..4]).await;
    let foreign = [b"not a copy".to_vec(), Vec::new(), std::fs::read(&another.log).unwrap()];
    for bytes in foreign {
        std::fs::write(&copy, &bytes).unwrap();
        let told = place.is_refused().await;
        assert!(told.contains("is no copy of this log"), "{told}");
        assert_eq!(std::fs::read(&copy).unwrap(), bytes, "what was there is left alone");
    }
    std::fs::remove_file(&copy).unwrap();
    // A copy that was interrupted is made anew.
    std::fs::write(&part, "half of it").unwrap();
    let before = std::fs::read(&place.log).unwrap();
    Host::resume(&place.log, &place.key, "table 1").await.unwrap().close().await.unwrap();
    assert!(!part.exists());
    let store = Store::read_only(&copy).await.unwrap();
    assert_eq!(store.records("table 1", 0).await.unwrap(), of_the_table(&golden()));
    store.close().await;
    // The program stopped behind the copy: the next start takes it for what it is.
    for end in ["-wal", "-shm", ".head"] {
        let _ = std::fs::remove_file(place.file(&format!("a.sabot{end}")));
    }
    std::fs::remove_file(place.file("a.head")).unwrap();
    std::fs::write(&place.log, before).unwrap();
    Host::resume(&place.log, &place.key, "table 1").await.unwrap().close().await.unwrap();
}
