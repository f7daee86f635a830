//! How fast the log is: acts that are acknowledged over many tables on one store, against rows of
//! the same size that are committed in groups on the same disk; and how long it takes to open a
//! table that has been played for years.
//!
//! Rates depend on the machine and its disk; the ratios are what to compare.

#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use live::{Beginning, Host, World};
use rules::{Card, Cents, Spot};
use serde_json::json;
use shoe::Digest;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, QueryBuilder, Sqlite};
use store::{Append, Begin, Body, CommandKey, Entry, Snapshot, Store, StreamEntries, With};
use table::{Act, Bet, By, Command, Deed, Limits, Name, Next, Options, SignLine, Table, Work};

const TABLES: u32 = 200;
const ACTS: u32 = 60;
const BOOK: &str = "act-2018";

fn cents(dollars: u64) -> Cents {
    Cents::new(dollars * 100).unwrap()
}

fn ann() -> Name {
    Name::from("Ann").unwrap()
}

fn bet() -> Act {
    let (spot, amount) = (Spot::Player, cents(10));
    let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
    Act::Player(ann(), Deed::Bet(bet))
}

async fn must(house: &mut Host, act: Act) {
    house.act(act).await.unwrap().unwrap();
}

/// Acts a second over many tables, and how many rows of how many bytes an act has.
async fn tables(folder: &Path) -> (f64, usize, usize) {
    let store = Store::open(&folder.join("tables.sabot")).await.unwrap();
    let book = Arc::new(rulebooks::load(BOOK, None).unwrap());
    let mut houses = Vec::new();
    for table in 0..TABLES {
        let stream = format!("table {table}");
        let book = book.clone();
        let beginning = Beginning::alone(&stream, BOOK, book);
        let log = store.clone().into();
        let mut house = Host::begin_in(log, World::real(), None, beginning).await.unwrap();
        must(&mut house, Act::Open(Options::default())).await;
        let limits = Limits { least: cents(1), most: cents(10_000), step: None };
        must(&mut house, Act::Post(SignLine::Limits(rules::Group::Main, limits))).await;
        must(&mut house, Act::Player(ann(), Deed::Sit(1, cents(1_000_000)))).await;
        must(&mut house, Act::FreshShoe).await;
        houses.push(house);
    }
    let before = houses[0].version();
    let start = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for mut house in houses {
        running.spawn(async move {
            for act in 0..ACTS {
                let undo = Act::Player(ann(), Deed::TakeBack(Spot::Player));
                must(&mut house, if act % 2 == 0 { bet() } else { undo }).await;
            }
            house
        });
    }
    let houses = running.join_all().await;
    let rate = f64::from(TABLES * ACTS) / start.elapsed().as_secs_f64();
    let records = store.records(houses[0].stream(), before).await.unwrap();
    let bytes = records.iter().map(|record| record.body.len()).sum::<usize>() / records.len();
    store.close().await;
    (rate, records.len() / ACTS as usize, bytes)
}

/// Rows of that size, committed in groups of as many acts as there are tables, synced: acts a
/// second.
async fn raw(folder: &Path, rows: usize, bytes: usize) -> f64 {
    let options = SqliteConnectOptions::new()
        .filename(folder.join("raw.sqlite"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full);
    let mut connection = options.connect().await.unwrap();
    let make = "create table log (stream text, version integer, at integer, actor text, key text, \
         schema text, body text, hash blob, primary key (stream, version)) strict, without rowid";
    sqlx::query(make).execute(&mut connection).await.unwrap();
    let body = "x".repeat(bytes);
    let start = Instant::now();
    for act in 0..ACTS {
        let mut transaction = connection.begin_with("begin immediate").await.unwrap();
        let mut insert: QueryBuilder<Sqlite> = QueryBuilder::new("insert into log ");
        let all = (0..TABLES).flat_map(|table| (0..rows).map(move |row| (table, row)));
        insert.push_values(all, |mut into, (table, row)| {
            into.push_bind(format!("table {table}"))
                .push_bind(i64::from(act) * 1000 + i64::try_from(row).unwrap())
                .push_bind(1_800_000_000_000_000_i64)
                .push_bind("table-1-1")
                .push_bind(format!("table {table} {act}"))
                .push_bind("table/3")
                .push_bind(body.clone())
                .push_bind([7_u8; 32].to_vec());
        });
        insert.build().execute(&mut *transaction).await.unwrap();
        transaction.commit().await.unwrap();
    }
    f64::from(TABLES * ACTS) / start.elapsed().as_secs_f64()
}

/// A table that is played in memory, with what its log would have.
struct Played {
    table: Table,
    version: u64,
    waiting: Vec<Body>,
}

impl Played {
    fn act(&mut self, act: Act) {
        let by = By::usual(&act);
        let line = transcript::say(by, &act, BOOK).unwrap();
        let mut events = Vec::new();
        let command = Command { at: 1_800_000_000_000_000, by, act };
        self.table.act(&command, &mut events).unwrap_or_else(|refusal| panic!("{refusal}"));
        self.waiting.push(Body::Line(line));
        let events = events.into_iter().map(|event| Body::Table(Box::new(event)));
        self.waiting.extend(events);
    }

    /// The next card that the shoe still has, as good as any.
    fn card(&self, nth: usize) -> Option<Card> {
        let mut kinds = (0..52_u8).map(|at| (at as usize * 17 + nth * 29) % 52);
        let left = &self.table.shoe().left;
        kinds.find_map(|at| {
            let card = Card::from_index(u8::try_from(at).unwrap_or(0))?;
            (left.count(card) > 0).then_some(card)
        })
    }

    fn coup(&mut self, nth: usize) {
        let coups = self.table.coups();
        self.act(bet());
        self.act(Act::Dealer(Work::NoMoreBets));
        let mut drawn = nth;
        while self.table.coups() == coups || self.table.coup().is_some() {
            let Some(due) = self.table.due() else { return };
            let Next::Card(side) = due.next else { return };
            drawn += 1;
            let card = self.card(drawn);
            self.act(Act::Dealer(Work::Draw { card, to: side, face_down: false }));
        }
        if self.table.shoe().left.total() < 30 {
            self.act(Act::ShoeRunsOut);
            self.act(Act::FreshShoe);
        }
    }

    /// Writes what waits as one command: how the records came into the log does not matter here.
    async fn flush(&mut self, store: &Store, with: Vec<With>) {
        let key = format!("table 1 {}", self.version + 1);
        let command = CommandKey { actor: "dealer".into(), key, payload: Digest([1; 32]) };
        let bodies = self.waiting.drain(..);
        let entries: Vec<_> = bodies.map(|body| Entry { at: 5, body }).collect();
        let expected = self.version;
        self.version += entries.len() as u64;
        let parts = vec![StreamEntries { stream: "table 1".into(), expected, entries }];
        store.append(Append { command, parts, with }).await.unwrap();
    }
}

/// A log with a table of so many coups, as a house leaves it.
async fn long(log: &Path, coups: usize) {
    let store = Store::open_with(log, &log.with_extension("key"), Begin::New).await.unwrap();
    let book = rulebooks::load(BOOK, None).unwrap();
    let canonical = book.canonical();
    let sha256 = Digest::of(&[canonical.as_bytes()]);
    let table = Table::new(Arc::new(book.rulebook));
    let known = store::Book { name: BOOK.into(), sha256, files: Vec::new() };
    let first = vec![Body::Book(known.clone())];
    let mut played = Played { table, version: 0, waiting: first };
    played.flush(&store, vec![With::Book { sha256, canonical, files: "[]".into() }]).await;
    played.act(Act::Open(Options::default()));
    played.act(Act::Player(ann(), Deed::Sit(1, cents(1_000_000_000))));
    played.act(Act::FreshShoe);
    for nth in 0..coups {
        played.coup(nth);
        if played.waiting.len() > 2_000 {
            played.flush(&store, Vec::new()).await;
        }
    }
    played.flush(&store, Vec::new()).await;
    let nothing = json!({ "number": 0, "committed_in": 0, "behind": null, "lying": [],
        "waiting": [], "record": null, "barred": [] });
    let state = json!({ "book": known, "table": played.table.state(), "dealing": nothing });
    let (stream, state) = ("table 1".into(), state.to_string());
    let snapshot = Snapshot { stream, version: played.version, state };
    store.checkpoint(5, vec![snapshot]).await.unwrap();
    store.close().await;
}

/// The shortest of several times that it takes to open each table: by turns, so that whatever else
/// the machine does meets both.
async fn opening(logs: [&Path; 2]) -> [Duration; 2] {
    let mut best = [Duration::MAX; 2];
    for _ in 0..20 {
        for (log, best) in logs.into_iter().zip(&mut best) {
            let start = Instant::now();
            let house = Host::resume(log, &log.with_extension("key"), "table 1").await.unwrap();
            *best = start.elapsed().min(*best);
            house.log().file().unwrap().close().await;
        }
    }
    best
}

fn main() {
    let tasks = tokio::runtime::Builder::new_multi_thread();
    let tasks = { tasks }.worker_threads(2).enable_time().build().unwrap();
    tasks.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let (mut acts, mut limit, mut shape) = (0.0_f64, 0.0_f64, (0, 0));
        for run in 0..3 {
            let folder = folder.path().join(run.to_string());
            std::fs::create_dir(&folder).unwrap();
            let (rate, rows, bytes) = tables(&folder).await;
            (acts, shape) = (acts.max(rate), (rows, bytes));
            limit = limit.max(raw(&folder, rows, bytes).await);
        }
        let (rows, bytes) = shape;
        println!("group commit of {rows} rows of {bytes} bytes an act {limit:9.0} acts a second");
        println!(
            "{TABLES} tables on one store          {acts:9.0} acts a second, {:.2} of that (goal \
             0.50)",
            acts / limit
        );
        let (few, many) = (folder.path().join("few.sabot"), folder.path().join("many.sabot"));
        long(&few, 10_000).await;
        long(&many, 100_000).await;
        let [few, many] = opening([&few, &many]).await;
        println!("opening a table of 10,000 coups  {few:9.2?}");
        println!(
            "opening a table of 100,000 coups {many:9.2?}, {:.2} times that (goal at most 1.20)",
            many.as_secs_f64() / few.as_secs_f64()
        );
    });
}
