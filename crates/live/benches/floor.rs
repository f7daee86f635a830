//! How much a floor costs: orders through its tables against the same records through the log
//! itself, what an idle table takes, and how long a subscriber waits for a long gap.
//!
//! Rates depend on the machine and its disk; the ratios are what to compare.

#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use live::{Beginning, Floor, News, Order, TableHandle, World};
use rules::{Cents, Spot};
use shoe::Digest;
use store::{
    AccountKind, Append, Body, CommandKey, Deals, Entry, Record, Setup, Store, StreamEntries,
};
use table::{Act, Bet, Deed, Limits, Name, Options, Role, SignLine};

const TABLES: u64 = 200;
const ORDERS: u64 = 60;
const IDLE: u64 = 2000;
const GAP: u64 = 10_000;

fn cents(dollars: u64) -> Cents {
    Cents::new(dollars * 100).unwrap()
}

fn beginning(stream: &str, deals: Deals) -> Beginning {
    let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
    let setup = Setup { title: stream.into(), deals, pace: None, alone: false, ahead_of_utc: None };
    Beginning { stream: stream.into(), name: "act-2018".into(), book, setup, opener: None }
}

async fn table(floor: &Floor, stream: &str) -> TableHandle {
    let table = floor.begin_table(beginning(stream, Deals::Keyed)).await.unwrap();
    table.act(Act::Open(Options::default())).await.unwrap().unwrap();
    let limits = Limits { least: cents(1), most: cents(100_000), step: None };
    let line = SignLine::Limits(rules::Group::Main, limits);
    table.act(Act::Post(line)).await.unwrap().unwrap();
    table
}

/// A table with somebody at it who may bet.
async fn taken(floor: &Floor, number: u64) -> (TableHandle, String, Name) {
    let table = table(floor, &format!("table {number}")).await;
    let name = format!("P{number}");
    let opened = floor.accounts().open(&name, AccountKind::Robot, cents(1_000_000), &[]);
    let who = opened.await.unwrap().unwrap();
    let name = Name::from(&name).unwrap();
    let sits = Act::Player(name, Deed::Sit(1, cents(1_000_000)));
    send(&table, &who, "sit", sits).await;
    table.act(Act::FreshShoe).await.unwrap().unwrap();
    (table, who, name)
}

async fn send(table: &TableHandle, who: &str, key: &str, act: Act) {
    let order = Order { who: who.into(), role: Role::Player, key: key.into(), act };
    table.order(order).await.unwrap().ruled.unwrap();
}

fn bet(name: Name) -> Act {
    let (spot, amount) = (Spot::Player, cents(1));
    let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
    Act::Player(name, Deed::Bet(bet))
}

/// Orders a second over many tables, and the records of one order.
async fn through_the_floor(folder: &Path) -> (f64, Vec<Record>) {
    let store = Store::open(&folder.join("floor.sabot")).await.unwrap();
    let floor = Floor::open(store, World::real()).await.unwrap();
    let mut seats = Vec::new();
    for number in 0..TABLES {
        seats.push(taken(&floor, number).await);
    }
    let first = seats[0].0.clone();
    let before = first.look().await.unwrap().version;
    let start = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for (table, who, name) in seats {
        running.spawn(async move {
            for n in 0..ORDERS {
                send(&table, &who, &format!("b{n}"), bet(name)).await;
            }
        });
    }
    while running.join_next().await.is_some() {}
    let rate = per_second(TABLES * ORDERS, start);
    let mut records = floor.log().records("table 0", before).await.unwrap();
    let key = records[0].key.clone();
    records.retain(|record| record.key == key);
    drop(first);
    floor.close().await.unwrap();
    (rate, records)
}

#[expect(clippy::cast_precision_loss, reason = "a rate")]
fn per_second(count: u64, start: Instant) -> f64 {
    count as f64 / start.elapsed().as_secs_f64()
}

/// The same records a second through the log itself, without anybody judging them.
async fn through_the_log(folder: &Path, records: &[Record]) -> f64 {
    let store = Store::open(&folder.join("log.sabot")).await.unwrap();
    let bodies: Vec<Body> = records.iter().map(|record| record.read().unwrap()).collect();
    let start = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for number in 0..TABLES {
        let (store, bodies) = (store.clone(), bodies.clone());
        running.spawn(async move {
            for n in 0..ORDERS {
                let entries: Vec<_> =
                    bodies.iter().map(|body| Entry { at: n, body: body.clone() }).collect();
                let expected = n * entries.len() as u64;
                let stream = format!("table {number}");
                let part = StreamEntries { stream: stream.clone(), expected, entries };
                let payload = Digest::of(&[&n.to_be_bytes()]);
                let command = CommandKey { actor: stream, key: format!("b{n}"), payload };
                let append = Append { command, parts: vec![part], with: Vec::new() };
                store.append(append).await.unwrap();
            }
        });
    }
    while running.join_next().await.is_some() {}
    let rate = per_second(TABLES * ORDERS, start);
    store.close().await;
    rate
}

/// Bytes that this process has in memory.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = status.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

async fn idle(folder: &Path) -> u64 {
    let store = Store::open(&folder.join("idle.sabot")).await.unwrap();
    let floor = Floor::open(store, World::real()).await.unwrap();
    for number in 0..100 {
        table(&floor, &format!("warm {number}")).await;
    }
    let before = memory();
    for number in 0..IDLE {
        table(&floor, &format!("table {number}")).await;
    }
    let each = memory().saturating_sub(before) / IDLE;
    floor.close().await.unwrap();
    each
}

/// Milliseconds until a subscriber has a gap of so many records.
async fn gap(folder: &Path) -> (u64, u128) {
    let store = Store::open(&folder.join("gap.sabot")).await.unwrap();
    let floor = Floor::open(store, World::real()).await.unwrap();
    let (table, who, name) = taken(&floor, 0).await;
    let mut n = 0;
    while table.look().await.unwrap().version < GAP {
        for _ in 0..100 {
            n += 1;
            send(&table, &who, &format!("b{n}"), bet(name)).await;
        }
    }
    let start = Instant::now();
    let mut news = table.subscribe(0).await.unwrap();
    let got = match news.next().await.unwrap() {
        News::Gap(records) => records.len() as u64,
        News::Happened(_) | News::Over => 0,
    };
    let took = start.elapsed().as_millis();
    drop((table, news));
    floor.close().await.unwrap();
    (got, took)
}

fn main() {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let tasks = builder.worker_threads(2).enable_time().build().unwrap();
    tasks.block_on(async {
        let mut best = (0.0, 0.0, 0.0);
        for _ in 0..3 {
            let folder = tempfile::tempdir().unwrap();
            let (floor, records) = through_the_floor(folder.path()).await;
            let log = through_the_log(folder.path(), &records).await;
            if floor / log > best.0 {
                best = (floor / log, floor, log);
            }
        }
        let (ratio, floor, log) = best;
        println!(
            "orders over {TABLES} tables: {floor:.0} a second, {ratio:.2} of the log's own path \
             ({log:.0} a second; goal at least 0.7)"
        );
        let folder = tempfile::tempdir().unwrap();
        let each = idle(folder.path()).await;
        println!(
            "an idle table: {:.1} KiB (goal at most 64)",
            f64::from(u32::try_from(each).unwrap_or(u32::MAX)) / 1024.0
        );
        let (got, took) = gap(folder.path()).await;
        println!("a subscriber {got} records behind has them after {took} ms");
    });
}
