//! Anything that can be said, lawful or not, at a table with the system's shoe: what is recorded
//! passes its audit, resumes to the same table, and exports.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use audit::{Extract, audit, export};
use live::{Host, Step};
use table::{Act, Phase};
use testkit::{Choices, any_command, random_bytes, robot};

/// Every book, and one with every side bet of the library.
fn books() -> Vec<String> {
    let mut books = rulebooks::names();
    books.push(format!("{}+{}", books[0], rulebooks::sheet_ids().join("+")));
    books
}

/// Gives how many coups were begun, and how many acts were lawful.
async fn session(seed: u64, name: &str) -> (u32, usize) {
    let folder = tempfile::tempdir().unwrap();
    let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
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
    robot::open(&mut house, seed.is_multiple_of(2), 3).await.unwrap();
    let bytes = random_bytes(seed, 12_000);
    let mut choices = Choices::new(&bytes);
    let mut lawful = 0;
    // From its first commitment on the table is the system's to deal.
    while house.shoe_number() == 0 {
        house.step().await.unwrap();
    }
    while !choices.is_empty() && house.table().phase() != Phase::Closed {
        if choices.one_in(3) {
            let act = any_command(&mut choices, house.table());
            if !matches!(act, Act::Open(_)) && (choices.one_in(8) || !ends_it(&act)) {
                lawful += usize::from(house.act(act).await.unwrap().is_ok());
            }
            continue;
        }
        match house.step().await.unwrap() {
            Step::Waits(due) => robot::answer(&mut house, &mut choices, due.next).await.unwrap(),
            Step::Refused(refusal) => {
                let records = house.log().file().unwrap().records("table 1", 0).await.unwrap();
                let last = records[records.len().saturating_sub(30)..].iter();
                let last: Vec<_> = last.map(|r| format!("{} {}", r.schema, r.body)).collect();
                let last = last.join("\n");
                panic!("{name} {seed}: the system was refused: {refusal}\n{last}");
            }
            Step::Did(_) | Step::Committed(_) | Step::Revealed | Step::Nothing => {}
        }
    }
    let records = house.log().file().unwrap().records("table 1", 0).await.unwrap();
    let found = audit(&records).unwrap();
    let lines = |from: u64| {
        let near = records.iter().filter(|r| r.version + 12 > from && r.version < from + 12);
        near.map(|record| format!("{} {}", record.version, record.body))
            .collect::<Vec<_>>()
            .join("\n")
    };
    if let Some(first) = found.findings.first() {
        panic!("{name} {seed}: {:?}\n{}", found.findings, lines(first.version));
    }
    // What the language has no words for is recorded, and cannot be in a transcript.
    let wordless = records
        .iter()
        .any(|record| record.schema == "act/1" && record.body.ends_with("\"line\":null}"));
    for part in [Extract::All, Extract::Coup(house.table().coups().saturating_sub(2))] {
        if let Some(text) = export(&records, part, None).unwrap() {
            let played = transcript::play(&text).unwrap_or_else(|bad| panic!("{bad:?}\n{text}"));
            assert!(played.passed() || wordless, "{name} {seed} {part:?}:\n{text}");
        }
    }
    let (before, left) = (house.table().clone(), house.cards_left());
    let coups = before.coups();
    house.close().await.unwrap();
    let again = Host::resume(&log, &key, "table 1").await.unwrap();
    assert_eq!(again.table(), &before, "{name} {seed}");
    assert_eq!(again.cards_left(), left, "{name} {seed}");
    (coups, lawful)
}

/// Acts after which there is little more to see.
fn ends_it(act: &Act) -> bool {
    matches!(
        act,
        Act::Close | Act::Exclude(..) | Act::GiveNotice(..) | Act::Player(_, table::Deed::Leave)
    )
}

#[test]
fn whatever_is_said_the_record_holds() {
    let sessions = std::env::var("SABOT_SESSIONS").ok().and_then(|said| said.parse().ok());
    let sessions: u64 = sessions.unwrap_or(4);
    let counts = std::sync::Mutex::new((0, 0));
    std::thread::scope(|scope| {
        for name in books() {
            let counts = &counts;
            scope.spawn(move || {
                let mut builder = tokio::runtime::Builder::new_current_thread();
                let runtime = builder.enable_time().build().unwrap();
                for seed in 1..=sessions {
                    let (coups, lawful) = runtime.block_on(session(seed, &name));
                    let mut counts = counts.lock().unwrap();
                    counts.0 += coups;
                    counts.1 += lawful;
                }
            });
        }
    });
    let (coups, lawful) = counts.into_inner().unwrap();
    assert!(coups > 200 && lawful > 500, "only {coups} coups and {lawful} acts");
}
