//! Four tables and a tournament on one log, and the plug is pulled at every write: nothing that was
//! told is lost, and nothing is applied twice.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use live::{Accounts, Beginning, Host, Order, TournamentHost, World};
use rules::{Cents, Spot};
use store::{AccountKind, Begin, Deals, Log, Setup, Store};
use table::{Act, Bet, Deed, Limits, Name, Options, Role, SignLine};

fn cents(dollars: u64) -> Cents {
    Cents::new(dollars * 100).unwrap()
}

fn setup(deals: Deals, alone: bool) -> Setup {
    Setup { title: "one of them".into(), deals, pace: None, alone, ahead_of_utc: None }
}

/// The files as they were at some moment, and what had been told by then.
struct Image {
    files: Vec<(&'static str, Vec<u8>)>,
    told: Vec<(String, u64)>,
    /// The order that was answered last, and at which table.
    last: Option<(usize, Order)>,
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
    tables: Vec<Host>,
    event: TournamentHost,
    players: Vec<(String, Name)>,
    keys: u64,
}

impl Floor {
    async fn open(log: &Log) -> Self {
        let world = World::real();
        let accounts = Accounts::of(log.clone(), world.clone()).await.unwrap();
        let mut players = Vec::new();
        for n in 1..=4 {
            let name = format!("P{n}");
            let opened = accounts.open(&name, AccountKind::Guest, cents(1000), &[]).await;
            players.push((opened.unwrap().unwrap(), Name::from(&name).unwrap()));
        }
        let mut tables = Vec::new();
        for n in 1..=4 {
            let book = Arc::new(rulebooks::load("act-2018", None).unwrap());
            let stream = format!("table {n}");
            let setup = setup(Deals::Staff, false);
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
        let beginning =
            Beginning { stream, name, book, setup: setup(Deals::Keyed, true), opener: None };
        let event = TournamentHost::begin_in(log.clone(), world, None, beginning).await.unwrap();
        Self { tables, event, players, keys: 0 }
    }

    fn order(&mut self, table: usize, deed: Deed) -> Order {
        self.keys += 1;
        let (who, name) = self.players[table].clone();
        let key = format!("k{}", self.keys);
        Order { who, role: Role::Player, key, act: Act::Player(name, deed) }
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
    let mut see = |floor: &Floor, last: Option<(usize, Order)>| {
        images.push(Image { files: copy(folder), told: floor.told(), last });
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
            see(&floor, Some((table, order)));
            if round == 1 {
                floor.tables[table].act(Act::FreshShoe).await.unwrap().unwrap();
            }
        }
        let act = if round == 0 { tournament::Act::Open } else { tournament::Act::Tick };
        let _ = floor.event.act_by(act.usual(), act).await.unwrap();
        see(&floor, None);
    }
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
    let accounts = Accounts::of(log.clone(), World::real()).await.unwrap();
    let mut tables = Vec::new();
    for (stream, told) in &image.told {
        if stream.starts_with(store::TOURNAMENT) {
            let event = TournamentHost::resume_in(log.clone(), World::real(), None, stream).await;
            let event = event.unwrap();
            assert!(cut.is_some() || event.version() >= *told, "{stream}");
            continue;
        }
        let accounts = Some(accounts.clone());
        let host = Host::resume_in(log.clone(), World::real(), accounts, stream).await.unwrap();
        assert!(cut.is_some() || host.version() >= *told, "{stream}");
        tables.push(host);
    }
    // Who had no answer asks again: it is carried out once.
    if let Some((table, order)) = &image.last {
        let first = tables[*table].deliver(order.clone()).await.unwrap();
        assert_eq!(first.repeated, cut.is_none(), "{order:?}");
        let again = tables[*table].deliver(order.clone()).await.unwrap();
        assert!(again.repeated, "{order:?}");
        assert_eq!(again.ruled.is_ok(), first.ruled.is_ok());
    }
    let mut all = Vec::new();
    for stream in log.streams().await.unwrap() {
        let records = log.records(&stream, 0).await.unwrap();
        if stream.starts_with("table ") {
            assert_eq!(audit::audit(&records).unwrap().findings, [], "{stream}");
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
    assert!(images.len() >= 30);
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
