//! The log of a floor from the command line: its key, its tables, and what is told of them.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod running;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use running::Running;
use server::client::Client;
use tokio::task::JoinHandle;

fn sabot(arguments: &[&str]) -> Output {
    assert_cmd::Command::new(env!("CARGO_BIN_EXE_sabot")).args(arguments).output().unwrap()
}

fn good(arguments: &[&str]) -> String {
    let output = sabot(arguments);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {told}");
    String::from_utf8(output.stdout).unwrap()
}

fn bad(arguments: &[&str]) -> String {
    let output = sabot(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn log_of(folder: &Path) -> PathBuf {
    folder.join("floor").join("floor.sabot")
}

#[test]
fn the_key_of_a_floor_can_be_changed_and_the_floor_starts_again() {
    let folder = tempfile::tempdir().unwrap();
    Running::start(folder.path()).stop();
    let log = log_of(folder.path());
    let log = log.to_str().unwrap();
    let before = good(&["audit", "key", log]);
    let told = bad(&["audit", "key", log, "--lost"]);
    assert!(told.contains("there already"), "a key lies there: {told}");
    let after = good(&["audit", "key", log, "--change"]);
    assert_ne!(before, after);
    let files = std::fs::read_dir(folder.path().join("floor")).unwrap();
    let names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name == "floor.key"), "{names:?}");
    Running::start(folder.path()).stop();
    std::fs::remove_file(folder.path().join("floor").join("key")).unwrap();
    good(&["audit", "key", log, "--lost"]);
    Running::start(folder.path()).stop();
    assert!(good(&["audit", "verify", log]).contains("lost and replaced 1 time"));
}

/// What is kept beside the chain is compared with it: a balance that the account's records do not
/// make is told, and one that is missing is made anew and is nothing wrong.
#[test]
fn a_kept_balance_that_the_chain_does_not_make_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path());
    let tasks = tokio::runtime::Runtime::new().unwrap();
    let client = Client::new(&running.address);
    tasks.block_on(client.guest(Some("Pat"))).unwrap();
    running.stop();
    let log = log_of(folder.path());
    let spoil = |statement: &'static str| {
        tasks.block_on(async {
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&log);
            let mut shell = sqlx::ConnectOptions::connect(&options).await.unwrap();
            let done = sqlx::query(statement).execute(&mut shell).await.unwrap();
            assert!(done.rows_affected() > 0, "{statement}");
            sqlx::Connection::close(shell).await.unwrap();
        });
    };
    let path = log.to_str().unwrap();
    for (statement, finding) in [
        ("update balance set cents = cents + 1", "whose records say"),
        ("update balance set cents = cents - 1, version = version - 1", "whose records say"),
        ("update balance set version = version + 1", ""),
        ("insert into balance values ('a-999', 1, 5)", "which has no records"),
    ] {
        spoil(statement);
        let output = sabot(&["audit", "verify", path]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let holds = finding.is_empty();
        assert_eq!(output.status.code(), Some(i32::from(!holds)), "{statement}: {told}");
        assert!(told.contains(finding), "{statement}: {told}");
    }
    spoil("delete from balance");
    assert!(good(&["audit", "verify", path]).contains("it holds together"));
}

/// Somebody sits and bets at the first table until a coup is dealt.
async fn play(address: &str) {
    let client = Client::new(address);
    let guest = client.guest(Some("Pat")).await.unwrap();
    let client = client.with_token(guest.token().unwrap());
    for key in 0..600 {
        let line = if key == 0 { "sits at 1 with 20" } else { "bets 5 on banker" };
        let _ = client.say("t1", &format!("{key}"), line).await.unwrap();
        let table = client.get("/api/v1/tables/t1").await.unwrap().body;
        if table["coup"].as_u64() > Some(1) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no coup was dealt");
}

#[test]
fn the_tables_of_a_floor_are_told_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path());
    tokio::runtime::Runtime::new().unwrap().block_on(play(&running.address));
    running.stop();
    let log = log_of(folder.path());
    let log = log.to_str().unwrap();
    for command in ["shoe", "replay", "csv"] {
        let told = bad(&["audit", command, log]);
        assert!(told.contains("--table: t1, t2"), "{command}: {told}");
        let told = bad(&["audit", command, log, "--table", "t9"]);
        assert!(told.contains("there are: t1, t2"), "{command}: {told}");
    }
    let replayed = good(&["audit", "replay", log, "--table", "t1"]);
    assert!(replayed.contains("operator opens act-2018"), "{replayed}");
    assert!(replayed.contains("Pat bets 5 on banker"), "{replayed}");
    assert!(good(&["audit", "replay", log, "--table", "t2"]).contains("operator opens nz-1998"));
    assert!(good(&["audit", "csv", log, "--table", "t1"]).contains("Pat"));
    assert!(good(&["audit", "shoe", log, "--table", "t1"]).contains("\"table\": \"t1\""));
    let told = bad(&["audit", "shoe", log, "--table", "t2"]);
    assert!(told.contains("no shoe yet"), "{told}");
}

const NAMES: [&str; 3] = ["Ann", "Ben", "Cleo"];

/// Somebody with an account sits down at a table and leaves it, until it is enough.
async fn come_and_go(floor: live::Floor, who: String, seat: u32, enough: Arc<AtomicBool>) {
    use table::{Act, Deed, Role};
    let table = floor.table("t1").unwrap();
    let name = table::Name::from(NAMES[seat as usize - 1]).unwrap();
    let mut orders = 0;
    while !enough.load(Ordering::Relaxed) {
        for deed in [Deed::Sit(seat, rules::Cents::new(60_000).unwrap()), Deed::Leave] {
            orders += 1;
            let (who, role, key) = (who.clone(), Role::Player, format!("k{orders}"));
            let act = Act::Player(name, deed);
            // Whatever the table says to it: what was refused is in the log as well.
            let _ = table.order(live::Order { who, role, key, act }).await.unwrap().ruled;
        }
    }
}

/// A floor on which people come and go, with its log.
async fn in_use(folder: &Path, enough: &Arc<AtomicBool>) -> (live::Floor, Vec<JoinHandle<()>>) {
    let (log, key) = (folder.join("a.sabot"), folder.join("a.key"));
    let store = store::Store::open_with(&log, &key, store::Begin::New).await.unwrap();
    let floor = live::Floor::open(store, live::World::real()).await.unwrap();
    let (deals, kind) = (store::Deals::System, store::AccountKind::Member);
    let setup =
        store::Setup { title: "One".into(), deals, pace: None, alone: false, ahead_of_utc: None };
    let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
    let (stream, name) = ("t1".into(), "act-2018".into());
    let beginning = live::Beginning { stream, name, book, setup, opener: None };
    let table = floor.begin_table(beginning).await.unwrap();
    let operator = &[table::Role::Operator];
    let accounts = floor.accounts();
    let boss = accounts.open("Boss", kind, rules::Cents::ZERO, operator).await.unwrap().unwrap();
    let (role, act) = (table::Role::Operator, table::Act::Open(table::Options::default()));
    let open = live::Order { who: boss, role, key: "opens".into(), act };
    table.order(open).await.unwrap().ruled.unwrap();
    let mut playing = Vec::new();
    for (seat, name) in (1..).zip(NAMES) {
        let chips = rules::Cents::new(100_000).unwrap();
        let who = accounts.open(name, kind, chips, &[]).await.unwrap().unwrap();
        playing.push(tokio::spawn(come_and_go(floor.clone(), who, seat, enough.clone())));
    }
    (floor, playing)
}

/// Chips go from accounts to a table and back all the while: whatever moment a verdict is of, both
/// sides have them, and what is carried away is a whole log.
#[test]
fn a_log_in_use_holds_and_is_carried_whole() {
    let folder = tempfile::tempdir().unwrap();
    let tasks = tokio::runtime::Runtime::new().unwrap();
    let enough = Arc::new(AtomicBool::new(false));
    let (floor, playing) = tasks.block_on(in_use(folder.path(), &enough));
    // So long that reading it takes its time.
    std::thread::sleep(Duration::from_secs(3));
    let log = folder.path().join("a.sabot");
    let log = log.to_str().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verify_log.py");
    let python = |file: &str| {
        let output = std::process::Command::new("python3").args([script, file]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    };
    for round in 0..4 {
        assert!(good(&["audit", "verify", log]).contains("it holds together"));
        python(log);
        let lines = folder.path().join(format!("{round}.jsonl"));
        std::fs::write(&lines, good(&["audit", "log", log, "--books"])).unwrap();
        python(lines.to_str().unwrap());
        let (to, copy) = (lines.with_extension("export"), lines.with_extension("sabot"));
        let (to, copy) = (to.to_str().unwrap(), copy.to_str().unwrap());
        good(&["store", "export", log, "--to", to]);
        good(&["store", "import", to, "--to", copy]);
    }
    enough.store(true, Ordering::Relaxed);
    tasks.block_on(async {
        for task in playing {
            task.await.unwrap();
        }
        floor.close().await.unwrap();
    });
    let told = good(&["audit", "verify", log]);
    assert!(told.contains("it holds together"), "{told}");
    let many = told.split(" transfers, each").next().unwrap().rsplit(' ').next().unwrap();
    assert!(many.parse::<u32>().unwrap() > 100, "{told}");
}
