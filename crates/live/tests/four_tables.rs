//! Four tables and a tournament on one log, and the plug is pulled at every write: nothing that was
//! told is lost, and nothing is applied twice.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use live::{Accounts, Beginning, Host, Order, TournamentHost, World};
use rules::{Cents, Spot};
use store::{Begin, Deals, Log, Setup, Store};
use table::{Act, Bet, Deed, Limits, Options, Role, SignLine};
use testkit::floor::{Asks, Cast, Dice, Does};
use tournament::Phase;

/// An event in which the people of the tables play, dealt by the system.
const CONDITIONS: &str = r#"
name = "Cup"
start = "2027-03-20 19:00"
application = "at the desk"
entry = "adults"
fee = 100
commission = "10%"
chips = 1000
players = "4..7"
groups = "none"
limits = { main = "50..1000", tie = "50..200" }
buy_back = "none"
elimination = "who cannot wager the minimum before a round is out of the tournament"
level = "rounds"
level_final = "rounds"
pool = "all entry fees less the commission"
prizes = ["60%", "40%"]
statement = "The Tournament Director conducts the tournament; the rules prevail"
stages.final = { from = "entrants", tables = 1, seats = 7, coups = 2 }
"#;

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
        for n in 1..=4 {
            let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
            let stream = format!("table {n}");
            let setup = setup(Deals::Keyed);
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
        let conditions = Box::new(transcript::conditions(CONDITIONS).unwrap());
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
            if round == 1 {
                floor.tables[table].act(Act::FreshShoe).await.unwrap().unwrap();
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
    store.close().await;
    images
}

/// Starts from files as they were, with so much of the journal; everything that was told is there.
async fn start(image: &Image, cut: Option<usize>) {
    let folder = tempfile::tempdir().unwrap();
    for (file, bytes) in &image.files {
        let bytes = match (*file, cut) {
            ("a.sabot-wal", Some(cut)) => &bytes[..bytes.len().saturating_sub(cut)],
            _ => bytes,
        };
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
            assert!(cut.is_some() || host.version() >= *told, "{stream}");
            event = Some(host);
            continue;
        }
        let host = Host::resume_in(log, world, accounts, stream).await.unwrap();
        assert!(cut.is_some() || host.version() >= *told, "{stream}");
        tables.push(host);
    }
    // Who had no answer asks again: it is carried out once.
    let mut repeated = Vec::new();
    for _ in 0..2 {
        match &image.last {
            Some(Last::Table(table, order)) => {
                let answer = tables[*table].deliver(*order.clone()).await.unwrap();
                repeated.push((answer.repeated, answer.ruled.is_ok()));
            }
            Some(Last::Event(asks)) => {
                let answer = asks.clone().of(event.as_mut().unwrap()).await.unwrap();
                repeated.push((answer.repeated, answer.ruled.is_ok()));
            }
            None => {}
        }
    }
    if let [(first, was), (again, is)] = repeated[..] {
        // What an event deals under one key is several writes, of which the last alone is torn.
        let in_part = cut.is_some() && matches!(image.last, Some(Last::Event(_)));
        assert_eq!((first || in_part, again, was), (cut.is_none() || in_part, true, is));
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
}

#[tokio::test]
async fn a_stop_at_every_write_of_four_tables_and_an_event_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let images = session(folder.path()).await;
    assert!(images.len() >= 60, "{}", images.len());
    for (n, image) in images.iter().enumerate() {
        start(image, None).await;
        // The last write is torn: its page is there in part.
        if n > 0 && image.last.is_some() {
            let older = Image {
                files: image
                    .files
                    .iter()
                    .map(|(file, bytes)| {
                        let bytes = if *file == "a.head" {
                            let before = images[n - 1].files.iter();
                            before.clone().find(|(other, _)| other == file).unwrap().1.clone()
                        } else {
                            bytes.clone()
                        };
                        (*file, bytes)
                    })
                    .collect(),
                told: Vec::new(),
                last: None,
                now: image.now,
            };
            let whole = images[n - 1].files.iter().find(|(file, _)| *file == "a.sabot-wal");
            let now = image.files.iter().find(|(file, _)| *file == "a.sabot-wal");
            let grown = now.unwrap().1.len().saturating_sub(whole.unwrap().1.len());
            if grown > 100 {
                let told = images[n - 1].told.clone();
                let torn = Image { told, last: image.last.clone(), ..older };
                start(&torn, Some(50)).await;
            }
        }
    }
}
