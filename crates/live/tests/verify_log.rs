//! The independent verifier, written from the pages alone, over sessions by robots under every
//! book: every payment to the cent, every shoe, every signature.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use live::{Beginning, Floor, Host, Order, World};
use rules::Cents;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use table::{Act, Deed, Name, Options, Phase, Role};
use testkit::{Choices, any_command, random_bytes, robot};

/// Every book, and one with every side bet of the library.
fn books() -> Vec<String> {
    let mut books = rulebooks::names();
    books.push(format!("{}+{}", books[0], rulebooks::sheet_ids().join("+")));
    books
}

/// The exit code of the verifier, and what it said.
fn python(arguments: &[&str]) -> (Option<i32>, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verify_log.py");
    let output = match Command::new("python3").arg(script).args(arguments).output() {
        Ok(output) => output,
        Err(error) => panic!("python3 does not start ({error}); `make test` installs it"),
    };
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// Plays lawfully, or with anything that can be said in between.
async fn session(folder: &Path, name: &str, seed: u64, odd: bool) -> (String, String) {
    let (log, key) = (folder.join("a.sabot"), folder.join("a.key"));
    let (id, base) = name.split_once('@').map_or((name, None), |(id, base)| (id, Some(base)));
    let book = Arc::new(rulebooks::load(id, base).unwrap());
    let mut house = Host::begin(
        &log,
        &key,
        store::Begin::Either,
        live::Beginning::alone("table 1", name, book),
    )
    .await
    .unwrap();
    robot::open(&mut house, odd, 3).await.unwrap();
    let bytes = random_bytes(seed, 60_000);
    let mut choices = Choices::new(&bytes);
    for coups in 1..60 {
        robot::play(&mut house, &mut choices, coups).await.unwrap();
        if odd && !choices.is_empty() && house.table().phase() != Phase::Closed {
            let act = any_command(&mut choices, house.table());
            if !matches!(act, table::Act::Open(_) | table::Act::Close) {
                let _ = house.act(act).await.unwrap();
            }
        }
    }
    let key = house.log().file().unwrap().public_key().unwrap().to_string();
    house.close().await.unwrap();
    let store = store::Store::read_only(&log).await.unwrap();
    let head = store.head().await.unwrap().unwrap();
    store.close().await;
    (format!("{}:{}", head.version, head.hash), key)
}

#[test]
fn sessions_under_every_book_hold_for_the_independent_verifier() {
    let (names, next) = (books(), std::sync::atomic::AtomicUsize::new(0));
    let work = || {
        loop {
            let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(name) = names.get(at / 2) else { return };
            let odd = at % 2 == 1;
            let folder = tempfile::tempdir().unwrap();
            let mut builder = tokio::runtime::Builder::new_current_thread();
            let tasks = builder.enable_time().build().unwrap();
            let session = session(folder.path(), name, 20 + at as u64, odd);
            let (head, key) = tasks.block_on(session);
            let log = folder.path().join("a.sabot");
            let log = log.to_str().unwrap();
            let (code, said) = python(&[log, "--head", &head, "--key", &key]);
            assert_eq!(code, Some(0), "{name}, {odd}: {said}");
            assert!(said.contains("Everything holds"), "{name}: {said}");
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

/// What can befall an honest house: the verifier says what it was, and that all of it holds.
#[tokio::test]
async fn honest_misfortunes_hold_for_the_independent_verifier() {
    let befalls = ["restored", "no head", "secret lost", "key lost", "key changed"];
    for befell in befalls {
        let folder = tempfile::tempdir().unwrap();
        let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
        let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
        let beginning = Beginning::alone("table 1", "act-2018", book);
        let mut house = Host::begin(&log, &key, store::Begin::New, beginning).await.unwrap();
        robot::open(&mut house, false, 3).await.unwrap();
        let bytes = random_bytes(31, 60_000);
        let mut choices = Choices::new(&bytes);
        robot::play(&mut house, &mut choices, 3).await.unwrap();
        while house.table().phase() != Phase::Dealing {
            if let live::Step::Waits(due) = house.step().await.unwrap() {
                robot::answer(&mut house, &mut choices, due.next).await.unwrap();
            }
        }
        house.close().await.unwrap();
        let old = std::fs::read(&log).unwrap();
        let expected = match befell {
            "restored" => {
                let mut house = Host::resume(&log, &key, "table 1").await.unwrap();
                robot::play(&mut house, &mut choices, 6).await.unwrap();
                house.close().await.unwrap();
                std::fs::write(&log, old).unwrap();
                "restored from an older copy, times: 1"
            }
            "no head" => {
                std::fs::remove_file(folder.path().join("a.head")).unwrap();
                "restored from an older copy, times: 1"
            }
            "secret lost" => {
                let options = SqliteConnectOptions::new().filename(&log);
                let mut shell = options.connect().await.unwrap();
                sqlx::query("delete from sealed").execute(&mut shell).await.unwrap();
                shell.close().await.unwrap();
                "Shoes whose secret was lost, so that nothing proves their order: 1"
            }
            "key lost" => {
                std::fs::remove_file(&key).unwrap();
                store::replace_lost_key(&log, &key, async |_: &store::Store| Ok(())).await.unwrap();
                "A key of the house was lost"
            }
            _ => {
                store::change_key(&log, &key).await.unwrap();
                "Everything holds"
            }
        };
        let mut house = Host::resume(&log, &key, "table 1").await.unwrap();
        let coups = house.table().coups() + 4;
        robot::play(&mut house, &mut choices, coups).await.unwrap();
        let public = house.log().public_key().unwrap().to_string();
        let found = audit::audit_stream(house.log().file().unwrap(), "table 1").await.unwrap();
        assert_eq!(found.findings, [], "{befell}");
        let head = house.close().await.unwrap().unwrap();
        let head = format!("{}:{}", head.version, head.hash);
        let (code, said) = python(&[log.to_str().unwrap(), "--head", &head, "--key", &public]);
        assert_eq!(code, Some(0), "{befell}: {said}");
        assert!(said.contains("Everything holds") && said.contains(expected), "{befell}: {said}");
    }
}

/// A floor: acts of people under keys of their own, one that was refused, and chips that move
/// between accounts and a table.
#[tokio::test]
async fn accounts_hold_for_the_independent_verifier() {
    let folder = tempfile::tempdir().unwrap();
    let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
    let store = store::Store::open_with(&log, &key, store::Begin::New).await.unwrap();
    let public = store.public_key().unwrap().to_string();
    let floor = Floor::open(store, World::real()).await.unwrap();
    let cents = |dollars: u64| Cents::new(dollars * 100).unwrap();
    let kind = store::AccountKind::Member;
    let accounts = floor.accounts();
    let boss = accounts.open("Boss", kind, Cents::ZERO, &[Role::Operator]).await.unwrap().unwrap();
    let ann = accounts.open("Ann", kind, cents(1000), &[]).await.unwrap().unwrap();
    accounts.give(&ann, "a present", cents(50)).await.unwrap();
    let deals = store::Deals::System;
    let setup =
        store::Setup { title: "One".into(), deals, pace: None, alone: false, ahead_of_utc: None };
    let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
    let (stream, name) = ("table 1".into(), "act-2018".into());
    let table =
        floor.begin_table(Beginning { stream, name, book, setup, opener: None }).await.unwrap();
    let player = Name::from("Ann").unwrap();
    let say = async |who: &String, role: Role, key: &str, act: Act| {
        let order = Order { who: who.clone(), role, key: key.into(), act };
        table.order(order).await.unwrap().ruled
    };
    say(&boss, Role::Operator, "1", Act::Open(Options::default())).await.unwrap();
    let sits = Act::Player(player, Deed::Sit(1, cents(600)));
    // Her key is her own, though somebody else has the same.
    say(&ann, Role::Player, "1", sits).await.unwrap();
    say(&ann, Role::Operator, "closes", Act::Close).await.unwrap_err();
    assert_eq!(accounts.get(&ann).await.unwrap().balance, cents(450));
    say(&ann, Role::Player, "leaves", Act::Player(player, Deed::Leave)).await.unwrap();
    table.keep().await.unwrap();
    drop(table);
    let found = audit::audit_stream(floor.log().file().unwrap(), "table 1").await.unwrap();
    assert_eq!((found.findings, found.refused), (vec![], 1));
    enter(&floor, &ann).await;
    assert_eq!(accounts.get(&ann).await.unwrap().balance, cents(950));
    let head = floor.close().await.unwrap().unwrap();
    let head = format!("{}:{}", head.version, head.hash);
    let (code, said) = python(&[log.to_str().unwrap(), "--head", &head, "--key", &public]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("Accounts: 2, transfers that both sides have: 3"), "{said}");
}

/// Somebody who has an account enters a tournament for 100.
async fn enter(floor: &Floor, who: &str) {
    use tournament::Act;
    let conditions = "name = \"Cup\"\nfee = 100\nchips = 1000\n\
                      stages.final = { from = \"entrants\", tables = 1, seats = 7, coups = 2 }\n";
    let (deals, pace, title) = (store::Deals::System, None, "Cup".into());
    let setup = store::Setup { title, deals, pace, alone: false, ahead_of_utc: Some(60) };
    let book = Arc::new(rulebooks::load("act-2012", None).unwrap());
    let (stream, name) = ("cup".into(), "act-2012".into());
    let cup =
        floor.open_tournament(Beginning { stream, name, book, setup, opener: None }).await.unwrap();
    let conditions = transcript::conditions(conditions).unwrap();
    let (dana, ann) = (Name::from("Dana").unwrap(), Name::from("Ann").unwrap());
    for act in [Act::Open, Act::Document(Box::new(conditions)), Act::NameDirector(dana)] {
        cup.act(act).await.unwrap().unwrap();
    }
    while cup.look().await.unwrap().tournament.phase() != tournament::Phase::Entries {
        let due = cup.look().await.unwrap().tournament.due();
        cup.act(due.iter().find_map(|due| due.act.clone()).unwrap()).await.unwrap().unwrap();
    }
    let (who, role, key) = (who.to_owned(), Role::Player, "applies".into());
    let applied = cup.order(Order { who, role, key, act: Act::Apply(ann) }).await.unwrap();
    applied.ruled.unwrap();
    while cup.look().await.unwrap().tournament.entrants()[0].paid == Cents::ZERO {
        let due = cup.look().await.unwrap().tournament.due();
        cup.act(due.iter().find_map(|due| due.act.clone()).unwrap()).await.unwrap().unwrap();
    }
}

/// Falsified in every way that the verifier knows, a real session is found out each time, also
/// where the house itself makes its log anew and signs it with its key.
#[test]
fn falsified_sessions_do_not_hold_for_the_independent_verifier() {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let tasks = builder.enable_time().build().unwrap();
    tasks.block_on(session(folder.path(), "act-2018", 3, false));
    let log = folder.path().join("a.sabot");
    let key = folder.path().join("a.key");
    let files = [log.to_str().unwrap(), "--key-file", key.to_str().unwrap()];
    let (code, said) = python(&[&["--self-test"], &files[..]].concat());
    assert_eq!(code, Some(0), "{said}");
    let own = said.split("The log ").nth(1).unwrap();
    let signed = own.lines().filter(|line| line.contains(", made anew: "));
    // Nothing is found by its signature alone but what alters a head, or has no key to sign it.
    let heads = ["checkpoint", "a bit of a signature", "without the key"];
    let is_head = |line: &&str| heads.iter().any(|head| line.contains(head));
    let alone = signed.clone().filter(|line| line.ends_with(": signature") && !is_head(line));
    assert!(signed.count() > 40 && alone.count() == 0, "{own}");
}
