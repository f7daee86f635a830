//! Four tables and a tournament on one log, and the plug is pulled at every write: nothing that was
//! told is lost, and nothing is applied twice.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use live::{Accounts, Beginning, Host, Order, Step, TournamentHost, World};
use rules::{Cents, Spot};
use store::{Begin, Deals, Log, Setup, Store};
use table::{Act, Bet, Deed, Limits, Next, Options, Role, SignLine, Work};
use testkit::floor::{Asks, Cast, Dice, Does};
use tournament::Phase;

/// Days before its start, in microseconds.
const BEFORE: u64 = 1_805_000_000_000_000;

fn cents(dollars: u64) -> Cents {
    Cents::new(dollars * 100).unwrap()
}

fn setup(deals: Deals) -> Setup {
    Setup { title: "one of them".into(), deals, pace: None, alone: false, ahead_of_utc: None }
}

/// What was asked for at one of the tables, or in the event.
#[derive(Clone)]
enum Last {
    Table(usize, Box<Order>),
    Event(Asks),
}

/// The files as they were at some moment, and what had been told by then.
struct Image {
    files: Vec<(&'static str, Vec<u8>)>,
    told: Vec<(String, u64)>,
    /// The order that was answered last.
    last: Option<Last>,
    now: u64,
}

/// The table that deals from the system's shoe, and those before it, whose cards are keyed in.
const SYSTEM: usize = 3;

/// What the journal begins with, and what each page takes in it.
const HEADER: usize = 32;
const FRAME: usize = 4096 + 24;

const FILES: [&str; 4] = ["a.sabot", "a.sabot-wal", "a.key", "a.head"];

fn copy(folder: &Path) -> Vec<(&'static str, Vec<u8>)> {
    FILES.map(|file| (file, std::fs::read(folder.join(file)).unwrap_or_default())).into()
}

fn write(path: PathBuf, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(&path, bytes).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

struct Floor {
    world: World,
    tables: Vec<Host>,
    event: TournamentHost,
    cast: Cast,
    dice: Dice,
    keys: u64,
}

impl Floor {
    async fn open(log: &Log) -> Self {
        let world = World::real().with_clock(BEFORE);
        let accounts = Accounts::of(log.clone(), world.clone()).await.unwrap();
        let cast = Cast::open(&accounts, 4, cents(1000)).await;
        let mut tables = Vec::new();
        for n in 0..=SYSTEM {
            let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
            let stream = format!("table {}", n + 1);
            let setup = setup(if n == SYSTEM { Deals::System } else { Deals::Keyed });
            let beginning =
                Beginning { stream, name: "act-2018".into(), book, setup, opener: None };
            let accounts = Some(accounts.clone());
            let host = Host::begin_in(log.clone(), world.clone(), accounts, beginning).await;
            let mut host = host.unwrap();
            host.act(Act::Open(Options::default())).await.unwrap().unwrap();
            let limits = Limits { least: cents(1), most: cents(100), step: None };
            let line = SignLine::Limits(rules::Group::Main, limits);
            host.act(Act::Post(line)).await.unwrap().unwrap();
            tables.push(host);
        }
        let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
        let (stream, name) = ("cup".into(), "act-2018".into());
        let beginning = Beginning { stream, name, book, setup: setup(Deals::System), opener: None };
        let accounts = Some(accounts.clone());
        let event = TournamentHost::begin_in(log.clone(), world.clone(), accounts, beginning).await;
        let mut event = event.unwrap();
        let conditions = Box::new(transcript::conditions(testkit::cups::CUP).unwrap());
        for act in [tournament::Act::Open, tournament::Act::Document(conditions)] {
            event.act(act).await.unwrap().unwrap();
        }
        Self { world, tables, event, cast, dice: Dice::new(11), keys: 0 }
    }

    fn order(&mut self, table: usize, deed: Deed) -> Order {
        self.keys += 1;
        let (name, who) = self.cast.players()[table].clone();
        let key = format!("t{}", self.keys);
        Order { who, role: Role::Player, key, act: Act::Player(name, deed) }
    }

    /// Does the next thing in the event; gives what was asked for.
    async fn go_on(&mut self) -> Option<Last> {
        let now = self.world.now();
        match self.cast.next(self.event.tournament(), now, &mut self.dice) {
            Does::Wait(until) => self.world.set_clock(until),
            Does::Step(table) => drop(self.event.step_at(table).await.unwrap()),
            Does::Asks(asks) => {
                let answer = asks.clone().of(&mut self.event).await.unwrap();
                assert!(answer.ruled.is_ok(), "{asks:?}: {answer:?}");
                return Some(Last::Event(asks));
            }
        }
        None
    }

    /// Does the next thing at the system's own table; whether there was anything to do.
    async fn deal(&mut self) -> bool {
        let host = &mut self.tables[SYSTEM];
        match host.step().await.unwrap() {
            Step::Did(_) | Step::Committed(_) | Step::Revealed => true,
            Step::Waits(due) => match due.next {
                Next::Shuffle => host.shuffle().await.unwrap().is_ok(),
                Next::Cut(_) => {
                    let (name, _) = self.cast.players()[SYSTEM];
                    host.act(Act::Player(name, Deed::Cut(100))).await.unwrap().unwrap();
                    true
                }
                Next::Wagers if !host.table().wagers().is_empty() => {
                    host.act(Act::Dealer(Work::NoMoreBets)).await.unwrap().unwrap();
                    true
                }
                _ => false,
            },
            Step::Refused(refusal) => panic!("{refusal}"),
            Step::Nothing => false,
        }
    }

    fn told(&self) -> Vec<(String, u64)> {
        let tables = self.tables.iter().map(|host| (host.stream().to_owned(), host.version()));
        let event = (self.event.stream().to_owned(), self.event.version());
        tables.chain([event]).collect()
    }
}

/// Some acts at every table and in the event, with a picture of the files behind each.
async fn session(folder: &Path) -> Vec<Image> {
    let (path, key) = (folder.join("a.sabot"), folder.join("a.key"));
    let store = Store::open_with(&path, &key, Begin::New).await.unwrap();
    let log: Log = store.clone().into();
    let mut floor = Floor::open(&log).await;
    let mut images = Vec::new();
    let mut see = |floor: &Floor, last: Option<Last>| {
        let (files, told, now) = (copy(folder), floor.told(), floor.world.now());
        images.push(Image { files, told, last, now });
    };
    for round in 0..6 {
        for table in 0..4 {
            let bet = Bet {
                spot: Spot::Player,
                amount: cents(5),
                place: None,
                unnoticed: false,
                in_error: false,
            };
            let deed = match round {
                0 => Deed::Sit(1, cents(100)),
                5 => Deed::Leave,
                _ => Deed::Bet(bet),
            };
            let order = floor.order(table, deed);
            let answer = floor.tables[table].deliver(order.clone()).await.unwrap();
            // What is refused is told and kept as well.
            assert!(answer.ruled.is_ok() || round > 0, "{answer:?}");
            see(&floor, Some(Last::Table(table, Box::new(order))));
            if round == 1 && table != SYSTEM {
                floor.tables[table].act(Act::FreshShoe).await.unwrap().unwrap();
            }
            while table == SYSTEM && floor.deal().await {
                see(&floor, None);
            }
        }
        for _ in 0..5 {
            let last = floor.go_on().await;
            see(&floor, last);
        }
    }
    while floor.event.tournament().phase() != Phase::Ended {
        let last = floor.go_on().await;
        see(&floor, last);
    }
    let coups: u32 = floor.event.tournament().sittings().map(|one| one.table.coups()).sum();
    assert!(coups >= 2, "{coups} coups were dealt in the event");
    let proved = floor.tables[SYSTEM].table().coups();
    assert!(proved >= 2, "{proved} coups were dealt from the shoe of the system");
    store.close().await;
    images
}

/// The key under which it was asked for, if it was an order: who and which key.
fn named(last: &Last) -> (&str, &str) {
    match last {
        Last::Table(_, order) => (&order.who, &order.key),
        Last::Event(Asks::Order(order)) => (&order.who, &order.key),
        Last::Event(Asks::Sealed(order)) => (&order.who, &order.key),
        Last::Event(Asks::Deal(order)) => (&order.who, &order.key),
    }
}

/// Starts from files as they were; everything that was told is there. What was asked last is
/// carried out once: if the log has it, it is answered again. Gives whether the log had it.
async fn start(image: &Image) -> Option<bool> {
    let folder = tempfile::tempdir().unwrap();
    for (file, bytes) in &image.files {
        write(folder.path().join(file), bytes);
    }
    let (path, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
    let store = Store::open_with(&path, &key, Begin::Either).await.unwrap();
    let log: Log = store.clone().into();
    let world = World::real().with_clock(image.now);
    let accounts = Accounts::of(log.clone(), world.clone()).await.unwrap();
    let (mut tables, mut event) = (Vec::new(), None);
    for (stream, told) in &image.told {
        let (log, world, accounts) = (log.clone(), world.clone(), Some(accounts.clone()));
        if stream.starts_with(store::TOURNAMENT) {
            let host = TournamentHost::resume_in(log, world, accounts, stream).await.unwrap();
            assert!(host.version() >= *told, "{stream}: what was told is lost");
            event = Some(host);
            continue;
        }
        let host = Host::resume_in(log, world, accounts, stream).await.unwrap();
        assert!(host.version() >= *told, "{stream}: what was told is lost");
        tables.push(host);
    }
    let mut had = None;
    if let Some(last) = &image.last {
        let (who, key) = named(last);
        had = Some(log.command(who, key).await.unwrap().is_some());
        // Who had no answer asks again: it is carried out once.
        let mut answers = Vec::new();
        for _ in 0..2 {
            answers.push(match last {
                Last::Table(table, order) => {
                    let answer = tables[*table].deliver(*order.clone()).await.unwrap();
                    (answer.repeated, answer.ruled.is_ok())
                }
                Last::Event(asks) => {
                    let answer = asks.clone().of(event.as_mut().unwrap()).await.unwrap();
                    (answer.repeated, answer.ruled.is_ok())
                }
            });
        }
        assert_eq!((Some(answers[0].0), answers[1].0), (had, true), "{who} {key}");
        assert_eq!(answers[0].1, answers[1].1, "{who} {key}");
    }
    let mut all = Vec::new();
    for stream in log.streams().await.unwrap() {
        let records = log.records(&stream, 0).await.unwrap();
        if stream.starts_with("table ") {
            assert_eq!(audit::audit(&records).unwrap().findings, [], "{stream}");
        } else if stream.starts_with(store::TOURNAMENT) {
            let found = audit::audit_tournament(&records, None).unwrap();
            assert_eq!(found.findings, [], "{stream}");
        }
        all.push((stream, records));
    }
    let each = all.iter().map(|(stream, records)| (stream.as_str(), records.as_slice()));
    assert_eq!(audit::audit_accounts(each).unwrap().findings, []);
    assert!(store.verify(None).await.unwrap().broken.is_empty());
    store.close().await;
    had
}

/// The image as a stop leaves it that comes when so much of the journal is written. What is beside
/// the key is older, and nobody was told more than before.
fn cut(images: &[Image], n: usize, journal: usize) -> Image {
    let (before, image) = (&images[n - 1], &images[n]);
    let files = image.files.iter().zip(&before.files).map(|((file, bytes), (_, older))| {
        let bytes = match *file {
            "a.sabot-wal" => bytes[..journal].to_vec(),
            "a.head" => older.clone(),
            _ => bytes.clone(),
        };
        (*file, bytes)
    });
    let (files, told) = (files.collect(), before.told.clone());
    Image { files, told, last: image.last.clone(), now: image.now }
}

/// How long the journal of an image is.
fn journal(image: &Image) -> usize {
    image.files.iter().find(|(file, _)| *file == "a.sabot-wal").unwrap().1.len()
}

/// All stops of a session: after each answer, and at each page that was written on the way to it,
/// whole or torn in the middle.
fn stops(images: &[Image]) -> Vec<(usize, Option<usize>)> {
    let mut stops = Vec::new();
    for (n, image) in images.iter().enumerate() {
        stops.push((n, None));
        let written = if n == 0 { journal(image) } else { journal(&images[n - 1]) };
        for end in (written.max(HEADER)..journal(image)).step_by(FRAME) {
            let torn = if stops.len() % 2 == 0 { 0 } else { FRAME / 2 };
            stops.push((n, Some(end + torn)));
        }
    }
    stops
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().unwrap().block_on(future)
}

#[test]
fn a_stop_at_every_write_of_four_tables_and_an_event_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let images = block_on(session(folder.path()));
    let stops = stops(&images);
    let cuts = stops.iter().filter(|(_, cut)| cut.is_some()).count();
    assert!(images.len() >= 80 && cuts > 2 * images.len(), "{} {cuts}", images.len());
    let (next, lost, kept) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let work = || {
            while let Some((n, at)) = stops.get(next.fetch_add(1, Ordering::Relaxed)) {
                let had = match at {
                    None => block_on(start(&images[*n])),
                    Some(at) => block_on(start(&cut(&images, *n, *at))),
                };
                // What was answered is there, whatever was not.
                assert!(at.is_some() || had != Some(false), "image {n} lost what was answered");
                lost.fetch_add(usize::from(had == Some(false)), Ordering::Relaxed);
                kept.fetch_add(usize::from(had == Some(true)), Ordering::Relaxed);
            }
        };
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let (lost, kept) = (lost.into_inner(), kept.into_inner());
    println!("{} images, {cuts} cuts: {lost} orders lost, {kept} kept", images.len());
    assert!(lost > 50 && kept > 50, "{lost} orders were lost, {kept} kept");
}
