//! Tables as tasks: what a subscriber gets, and a table that fails.

use std::sync::Arc;

use live::{Beginning, Floor, LiveError, News, TableHandle, World};
use store::{AccountFact, Append, Body, CommandKey, Deals, Entry, Log, Model, Setup};
use table::{Act, Limits, Options, Role, SignLine, Work};

use crate::place::{cents, sit};

async fn floor() -> (Model, Floor, String) {
    let model = Model::new(3);
    let floor = Floor::open(Log::Model(model.clone()), World::real()).await.unwrap();
    let kind = store::AccountKind::Guest;
    let ann = floor.accounts().open("Ann", kind, cents(5000), &[]).await.unwrap().unwrap();
    (model, floor, ann)
}

async fn table(floor: &Floor, stream: &str) -> TableHandle {
    dealt_by(floor, stream, Deals::Keyed).await
}

pub(crate) async fn dealt_by(floor: &Floor, stream: &str, deals: Deals) -> TableHandle {
    let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
    let setup = Setup { title: stream.into(), deals, pace: None, alone: false, ahead_of_utc: None };
    let beginning =
        Beginning { stream: stream.into(), name: "act-2018".into(), book, setup, opener: None };
    let table = floor.begin_table(beginning).await.unwrap();
    table.act(Act::Open(Options::default())).await.unwrap().unwrap();
    let limits = Limits { least: cents(10), most: cents(100), step: None };
    let line = SignLine::Limits(rules::Group::Main, limits);
    table.act(Act::Post(line)).await.unwrap().unwrap();
    table
}

fn order(who: &str, key: u64, act: Act) -> live::Order {
    live::Order { who: who.into(), role: Role::Player, key: format!("k{key}"), act }
}

#[tokio::test]
async fn a_subscriber_gets_the_gap_and_then_what_happens_nothing_lost_or_doubled() {
    let (_, floor, ann) = floor().await;
    let table = table(&floor, "table 1").await;
    for from in [0, 3] {
        let mut seen = Vec::new();
        let mut news = table.subscribe(from).await.unwrap();
        let acts = 150_u64;
        for n in 0..acts {
            let act = if n % 2 == 0 {
                sit("Ann", 1, 10)
            } else {
                Act::Player(crate::place::named("Ann"), table::Deed::Leave)
            };
            let key = from * 1000 + n;
            table.order(order(&ann, key, act)).await.unwrap().ruled.unwrap();
            // A slow reader reads now and then only, and falls behind.
            if n % 100 == 7 {
                take(&mut news, &mut seen).await;
            }
        }
        let last = table.look().await.unwrap().version;
        while news.seen() < last {
            take(&mut news, &mut seen).await;
        }
        let due: Vec<_> = (from + 1..=last).collect();
        assert_eq!(seen, due);
    }
}

async fn take(news: &mut live::Subscription, seen: &mut Vec<u64>) {
    match news.next().await.unwrap() {
        News::Gap(records) => seen.extend(records.iter().map(|record| record.version)),
        News::Happened(happened) => seen.extend(happened.versions.0..=happened.versions.1),
        News::Over => panic!("the table stopped"),
    }
}

/// Whether somebody is told that a task has stopped because the log did not confirm a write.
pub(crate) fn stopped_without_an_answer(told: &LiveError) -> bool {
    matches!(told, LiveError::Stopped(_, why) if *why == LiveError::Broken.to_string())
}

#[tokio::test]
async fn a_table_that_fails_stops_and_says_so_and_others_go_on() {
    let (_, floor, ann) = floor().await;
    let (one, two) = (table(&floor, "table 1").await, table(&floor, "table 2").await);
    // Somebody else writes behind its back.
    let version = one.look().await.unwrap().version;
    let body = Body::Account(AccountFact::SignedUp);
    let part = store::StreamEntries {
        stream: "table 1".into(),
        expected: version,
        entries: vec![Entry { at: 1, body }],
    };
    let payload = shoe::Digest::of(&[]);
    let command = CommandKey { actor: "x".into(), key: "x".into(), payload };
    let append = Append { command, parts: vec![part], with: Vec::new() };
    floor.log().append(append).await.unwrap();
    assert!(one.order(order(&ann, 1, sit("Ann", 1, 10))).await.is_err());
    // It has stopped, and says why, also to whoever only looks.
    let told = one.order(order(&ann, 2, sit("Ann", 1, 10))).await.unwrap_err();
    assert!(stopped_without_an_answer(&told), "{told}");
    let told = one.look().await.unwrap_err();
    assert!(stopped_without_an_answer(&told), "{told}");
    two.order(order(&ann, 3, sit("Ann", 1, 10))).await.unwrap().ruled.unwrap();
    let account = floor.accounts().get(&ann).await.unwrap();
    assert_eq!(account.balance, cents(4990), "what failed moved nothing");
}

#[tokio::test]
async fn tables_are_listed_closed_and_gone_on_with() {
    let (model, floor, ann) = floor().await;
    let one = table(&floor, "table 1").await;
    table(&floor, "table 2").await;
    one.order(order(&ann, 1, sit("Ann", 1, 10))).await.unwrap().ruled.unwrap();
    let names = |floor: &Floor| -> Vec<String> {
        floor.tables().iter().map(|table| table.stream().to_owned()).collect()
    };
    assert_eq!(names(&floor), ["table 1", "table 2"]);
    drop(one);
    floor.close().await.unwrap();
    let again = Floor::open(Log::Model(model), World::real()).await.unwrap();
    let faults = again.resume().await.unwrap();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(names(&again), ["table 1", "table 2"]);
    let scene = again.table("table 1").unwrap().look().await.unwrap();
    assert_eq!(scene.table.present().count(), 1);
}

/// The dealer's work in a coup in which both hands draw.
fn coup() -> Vec<Act> {
    let card = |text: &str| Some(text.parse().unwrap());
    let draw = |text: &str, to| Work::Draw { card: card(text), to, face_down: false };
    let first = Work::Deal([card("2c"), card("Kh"), card("3d"), card("4s")]);
    let works =
        [Work::NoMoreBets, first, draw("6d", rules::Side::Player), draw("2h", rules::Side::Banker)];
    works.into_iter().map(Act::Dealer).collect()
}

/// Somebody watches while coups are dealt as fast as it goes: at every look the table is the one of
/// its version, and no card lies there twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_view_is_never_ahead_of_what_was_told() {
    for _ in 0..150 {
        watched_coups().await;
    }
}

/// As many coups of the same cards as a shoe of eight decks has.
const COUPS: usize = 8;

async fn watched_coups() {
    let (_, floor, ann) = floor().await;
    let table = dealt_by(&floor, "table 1", Deals::Keyed).await;
    table.order(order(&ann, 1, sit("Ann", 1, 1000))).await.unwrap().ruled.unwrap();
    table.act(Act::FreshShoe).await.unwrap().unwrap();
    let (mut watching, _) = table.watch(view::Eyes::Spectator, None).await.unwrap();
    let dealer = table.clone();
    let dealt = tokio::spawn(async move {
        for _ in 0..COUPS {
            dealer.act(crate::place::bet("Ann", 10)).await.unwrap().unwrap();
            for act in coup() {
                dealer.act(act).await.unwrap().unwrap();
            }
        }
    });
    let (mut coups, mut looks) = (0, 0);
    while coups < COUPS && looks < 1000 {
        let next = tokio::time::timeout(std::time::Duration::from_secs(30), watching.next());
        let look = next.await.expect("it goes on").unwrap();
        let shown = serde_json::to_value(look.view.unwrap()).unwrap();
        assert_eq!(shown["version"], look.version, "the view is of another moment");
        let felt = shown["felt"].to_string();
        for card in ["2c", "Kh", "3d", "4s", "6d", "2h"] {
            assert!(felt.matches(&format!("\"{card}\"")).count() <= 1, "{card} twice: {felt}");
        }
        let ended = |event: &&view::EventView| event.kind == "coup-ended";
        coups += look.events.iter().filter(ended).count();
        looks += 1;
    }
    dealt.await.unwrap();
    assert_eq!(coups, COUPS, "coups were lost or told twice");
}

/// A refused act that is kept makes a record of which nobody is told. Who watches sees what
/// happened before it all the same, also where nothing happens after it.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_nobody_is_told_of_holds_no_watcher_up() {
    let (_, floor, ann) = floor().await;
    let table = table(&floor, "table 1").await;
    table.order(order(&ann, 1, sit("Ann", 1, 1000))).await.unwrap().ruled.unwrap();
    table.act(Act::FreshShoe).await.unwrap().unwrap();
    let eyes = view::Eyes::Player(crate::place::named("Ann"));
    let (mut watching, first) = table.watch(eyes, Some(&ann)).await.unwrap();
    let bet = |dollars| crate::place::bet("Ann", dollars);
    for round in 0..3 {
        let (good, bad) = (10 + 2 * round, 11 + 2 * round);
        table.order(order(&ann, good, bet(10))).await.unwrap().ruled.unwrap();
        table.order(order(&ann, bad, bet(5000))).await.unwrap().ruled.unwrap_err();
        let scene = table.look().await.unwrap();
        let next = tokio::time::timeout(std::time::Duration::from_secs(20), watching.next());
        let look = next.await.expect("it waits for nothing more").unwrap();
        assert_eq!(look.version, scene.version, "the refusal is behind it");
        assert!(look.version > first.version);
        assert_eq!(look.events.iter().filter(|event| event.kind == "placed").count(), 1);
        let laid = look.view.unwrap().mine.unwrap().wagers[0].stake_cents;
        assert_eq!(laid, 1000 * (round + 1));
    }
}
