//! Tables as tasks: what a subscriber gets, and a table that fails.

use std::sync::Arc;

use live::{Beginning, Floor, LiveError, News, TableHandle, World};
use store::{AccountFact, Append, Body, CommandKey, Deals, Entry, Log, Model, Setup};
use table::{Act, Limits, Options, Role, SignLine};

use crate::place::{cents, sit};

async fn floor() -> (Model, Floor, String) {
    let model = Model::new(3);
    let floor = Floor::open(Log::Model(model.clone()), World::real()).await.unwrap();
    let kind = store::AccountKind::Guest;
    let ann = floor.accounts().open("Ann", kind, cents(5000), &[]).await.unwrap().unwrap();
    (model, floor, ann)
}

async fn table(floor: &Floor, stream: &str) -> TableHandle {
    let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
    let setup = Setup {
        title: stream.into(),
        deals: Deals::Staff,
        pace: None,
        alone: false,
        ahead_of_utc: None,
    };
    let beginning = Beginning { stream: stream.into(), name: "act-2018".into(), book, setup };
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
    let told = one.order(order(&ann, 2, sit("Ann", 1, 10))).await.unwrap_err();
    assert!(matches!(told, LiveError::Broken | LiveError::Stopped(..)), "{told}");
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
