//! What is told of logs that were tampered with, and that nothing is signed in them meanwhile.

use std::path::Path;

use sqlx::{ConnectOptions, Connection};

use super::{COUP, block_on, forge, logs, python, sabot, said};

/// How many heads a log has.
fn heads(log: &Path) -> i64 {
    block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(log);
        let mut shell = options.connect().await.unwrap();
        let heads = "select count(*) from log where stream = 'checkpoint'";
        let heads = sqlx::query_scalar(heads).fetch_one(&mut shell).await.unwrap();
        shell.close().await.unwrap();
        heads
    })
}

/// A start that finds the log broken signs nothing in it.
#[test]
fn a_start_that_is_refused_signs_no_head() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain"], &format!("{COUP}quit\n"));
    let log = logs(data).pop().unwrap();
    forge(&log, "update log set at = at + 1 where stream = 'table 1' and version = 20");
    let before = heads(&log);
    for start in 0..20 {
        let output = sabot(data, &["play", "--plain", "--resume"], "quit\n");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("record 20 was altered"), "{told}");
        assert_eq!(heads(&log), before, "start {start}");
    }
}

/// Records that cannot be read are told with what is broken, and there is a verdict.
#[test]
fn what_cannot_be_read_does_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain"], &format!("{COUP}quit\n"));
    let log = logs(data).pop().unwrap();
    let sound = std::fs::read(&log).unwrap();
    for (set, stream, version) in [
        ("body = 'x'", "table 1", 20),
        ("schema = 'table/9'", "table 1", 20),
        ("body = cast(x'22ff22' as text)", "table 1", 20),
        ("body = 'x'", "house", 1),
        ("schema = 'key/7'", "house", 1),
        ("body = 'x'", "checkpoint", 1),
    ] {
        let place = format!("where stream = '{stream}' and version = {version}");
        forge(&log, &format!("update log set {set} {place}"));
        let output = sabot(data, &["audit", "verify"], "");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{set}: {told}");
        let broken = format!("BROKEN: {stream}: record {version}");
        assert!(told.contains(&broken) && told.contains("IT DOES NOT HOLD"), "{set}: {told}");
        assert!(told.contains("CANNOT BE READ: "), "{set}: {told}");
        let output = sabot(data, &["audit", "verify", "--json"], "");
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(told["verdict"], "does-not-hold", "{set}");
        assert_eq!((output.status.code(), python(&[log.to_str().unwrap()]).0), (Some(1), Some(1)));
        std::fs::write(&log, &sound).unwrap();
    }
}

/// Which tables, indexes and triggers a log has, both verifiers know, and a start.
#[test]
fn what_does_not_belong_into_a_log_is_found_by_all() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain"], &format!("{COUP}quit\n"));
    let log = logs(data).pop().unwrap();
    let sound = std::fs::read(&log).unwrap();
    for statement in [
        "analyze",
        "create index more on log (at)",
        "drop index command_by_name",
        "update _sqlx_migrations set checksum = zeroblob(48) where version = 2",
        "delete from _sqlx_migrations where version = 2",
        "delete from book",
        "update book set canonical = canonical || ' '",
        "insert into book (sha256, canonical) select zeroblob(32), canonical from book",
    ] {
        block_on(async {
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&log);
            let mut shell = options.connect().await.unwrap();
            sqlx::query(statement).execute(&mut shell).await.unwrap();
            shell.close().await.unwrap();
        });
        let output = sabot(data, &["audit", "verify"], "");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{statement}: {told}");
        let (code, told) = python(&[log.to_str().unwrap()]);
        assert_eq!(code, Some(1), "{statement}: {told}");
        let output = sabot(data, &["play", "--plain", "--resume"], "quit\n");
        assert_eq!(output.status.code(), Some(2), "{statement}");
        std::fs::write(&log, &sound).unwrap();
    }
}

/// A head of nothing covers nothing, and is none; a fault is told with its cause once.
#[test]
fn what_is_wrong_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain"], &format!("{COUP}quit\n"));
    let head = format!("0:{}", "0".repeat(64));
    let output = sabot(data, &["audit", "verify", "--head", &head], "");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("a number from 1 on"), "{told}");
    let newer = "insert into _sqlx_migrations \
         select 9999, 'newer', installed_on, true, checksum, 0 from _sqlx_migrations limit 1";
    forge(&logs(data).pop().unwrap(), newer);
    let output = sabot(data, &["play", "--plain", "--resume"], "quit\n");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("or of a newer one"), "{told}");
    assert_eq!(told.matches("9999").count(), 1, "{told}");
}

/// A session of robots at a log of its own.
struct Robots {
    folder: tempfile::TempDir,
    house: live::Host,
}

impl Robots {
    async fn sit_down() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
        let book = std::sync::Arc::new(rulebooks::load("act-2018", None).unwrap());
        let beginning = live::Beginning::alone("table 1", "act-2018", book);
        let mut house = live::Host::begin(&log, &key, store::Begin::New, beginning).await.unwrap();
        testkit::robot::open(&mut house, false, 3).await.unwrap();
        Self { folder, house }
    }

    async fn step(&mut self, choices: &mut testkit::Choices<'_>) {
        if let live::Step::Waits(due) = self.house.step().await.unwrap() {
            testkit::robot::answer(&mut self.house, choices, due.next).await.unwrap();
        }
    }
}

/// What both verifiers say of the log in a folder: ours under that head, in words and as JSON, and
/// the independent one, which finds no fault.
fn verdicts(folder: &Path, head: &store::Head) -> (String, serde_json::Value, String) {
    let (log, head) = (folder.join("a.sabot"), format!("{}:{}", head.version, head.hash));
    let arguments = ["audit", "verify", log.to_str().unwrap(), "--head", &head];
    let told = said(folder, &arguments, "");
    let json = said(folder, &[&arguments[..], &["--json"]].concat(), "");
    let (code, independent) = python(&[log.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{independent}");
    (told, serde_json::from_str(&json).unwrap(), independent)
}

/// A stop between the last act of a shoe and its reveal: the verdict says which shoe it was.
#[test]
fn the_verdict_names_a_shoe_that_was_never_revealed() {
    let bytes = testkit::random_bytes(3, 300_000);
    let (folder, head) = block_on(async {
        let (mut robots, mut choices) = (Robots::sit_down().await, testkit::Choices::new(&bytes));
        loop {
            let table = robots.house.table();
            let prepares = table.phase() == table::Phase::Preparing && !table.shoe().shuffled;
            if table.coups() > 20 && prepares {
                break;
            }
            robots.step(&mut choices).await;
        }
        let head = robots.house.keep().await.unwrap();
        robots.house.log().close().await;
        (robots.folder, head)
    });
    let (told, json, independent) = verdicts(folder.path(), &head);
    let verdict = "everything holds, but shoe 1 of table 1 was never revealed";
    assert!(told.contains(verdict), "{told}");
    assert_eq!(json["unrevealed"], serde_json::json!(["shoe 1 of table 1"]));
    assert!(independent.contains("never revealed: 1."), "{independent}");
}

/// Where a book lets staff direct a shuffle, an order can be replaced before it is dealt from: that
/// is lawful, and both verifiers say it.
#[test]
fn the_verdict_names_a_shoe_that_was_replaced_before_its_first_coup() {
    let bytes = testkit::random_bytes(6, 20_000);
    let (folder, head) = block_on(async {
        let (mut robots, mut choices) = (Robots::sit_down().await, testkit::Choices::new(&bytes));
        while robots.house.shoe_number() < 2 {
            if robots.house.table().phase() == table::Phase::Betting {
                let shuffle = table::Act::Supervisor(table::Decision::DirectShuffle);
                robots.house.act(shuffle).await.unwrap().unwrap();
            }
            robots.step(&mut choices).await;
        }
        (robots.folder, robots.house.close().await.unwrap().unwrap())
    });
    let (told, json, independent) = verdicts(folder.path(), &head);
    let verdict = "everything holds, but shoe 1 of table 1 was replaced before the first coup";
    assert!(told.contains(verdict), "{told}");
    assert_eq!(json["thrown_away"], serde_json::json!(["shoe 1 of table 1"]));
    assert!(independent.contains("could choose another: 1."), "{independent}");
}
