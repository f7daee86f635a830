//! The independent verifier, written from the pages alone, over sessions by robots under every
//! book: every payment to the cent, every shoe, every signature.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use house::House;
use table::Phase;
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
    let mut house = House::begin(&log, &key, "table 1", name, book).await.unwrap();
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
    let key = house.store().public_key().unwrap().to_string();
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

/// Falsified in every way that the verifier knows, a real session is found out each time.
#[test]
fn falsified_sessions_do_not_hold_for_the_independent_verifier() {
    let folder = tempfile::tempdir().unwrap();
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let tasks = builder.enable_time().build().unwrap();
    tasks.block_on(session(folder.path(), "act-2018", 3, false));
    let log = folder.path().join("a.sabot");
    let (code, said) = python(&["--self-test", log.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
}
