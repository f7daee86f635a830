//! A table on a log in memory, with people who have accounts.

use std::collections::HashMap;
use std::sync::Arc;

use live::{Accounts, Beginning, Host, Order, Ruled, World};
use rules::{Cents, Spot};
use store::{AccountKind, Deals, Log, Model, Pace, Record, Setup};
use table::{Act, Bet, Deed, Name, Options, Role};
use transcript::{Said, understand};

pub(crate) struct Place {
    pub(crate) model: Model,
    pub(crate) world: World,
    pub(crate) now: u64,
    pub(crate) accounts: Accounts,
    pub(crate) host: Host,
    ids: HashMap<String, String>,
    keys: u64,
}

const START: u64 = 1_800_000_000_000_000;
const STREAM: &str = "table 1";

pub(crate) fn cents(dollars: u64) -> Cents {
    Cents::new(dollars * 100).unwrap()
}

pub(crate) fn named(name: &str) -> Name {
    Name::from(name).unwrap()
}

pub(crate) fn sit(name: &str, seat: u32, dollars: u64) -> Act {
    Act::Player(named(name), Deed::Sit(seat, cents(dollars)))
}

pub(crate) fn bet(name: &str, dollars: u64) -> Act {
    let (spot, amount) = (Spot::Player, cents(dollars));
    let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
    Act::Player(named(name), Deed::Bet(bet))
}

/// Everybody, with the roles that they have.
pub(crate) const PEOPLE: [(&str, &[Role]); 9] = [
    ("Olga", &[Role::Operator]),
    ("Otto", &[Role::Operator]),
    ("Ann", &[]),
    ("Bo", &[]),
    ("Dee", &[Role::Dealer]),
    ("Sue", &[Role::Supervisor]),
    ("Ivy", &[Role::Inspector]),
    ("Max", &[Role::Management]),
    ("Reg", &[Role::Regulator, Role::Director, Role::Players, Role::Device, Role::Clock]),
];

impl Place {
    /// Somebody who came later.
    pub(crate) fn name_account(&mut self, name: &str, account: &str) {
        self.ids.insert(name.into(), account.into());
    }

    /// A table under act-2018 with its sign.
    pub(crate) async fn new(deals: Deals) -> Self {
        Self::of("act-2018", deals).await
    }

    pub(crate) async fn of(book: &str, deals: Deals) -> Self {
        let mut place = Self::bare(book, deals).await;
        place.line("operator posts main 10..1000 by 10").await;
        place.line("operator posts tie 10..100 by 10").await;
        place
    }

    pub(crate) async fn paced() -> Self {
        let quick = Pace {
            betting_ms: 5000,
            card_ms: 200,
            result_ms: 1000,
            answer_ms: 1000,
            idle_ms: 600_000,
        };
        let mut place = Self::with("act-2018", Deals::System, Some(quick)).await;
        place.line("operator posts main 10..1000 by 10").await;
        place
    }

    /// A table that has no sign.
    pub(crate) async fn bare(book: &str, deals: Deals) -> Self {
        Self::with(book, deals, None).await
    }

    async fn with(book: &str, deals: Deals, pace: Option<Pace>) -> Self {
        let model = Model::new(1);
        let mut seed = 0_u64;
        let world = World::real().with_clock(START).with_entropy(move |bytes| {
            seed += 1;
            bytes.copy_from_slice(&testkit::random_bytes(seed, bytes.len()));
        });
        let log = Log::Model(model.clone());
        let accounts = Accounts::of(log.clone(), world.clone()).await.unwrap();
        let mut ids = HashMap::new();
        for (name, roles) in PEOPLE {
            let opened = accounts.open(name, AccountKind::Guest, cents(1000), roles).await;
            ids.insert(name.to_owned(), opened.unwrap().unwrap());
        }
        let loaded = Arc::new(rulebooks::load(book, None).unwrap());
        let setup = Setup { title: "One".into(), deals, pace, alone: false, ahead_of_utc: None };
        let beginning = Beginning {
            stream: STREAM.into(),
            name: book.into(),
            book: loaded,
            setup,
            opener: None,
        };
        let host = Host::begin_in(log, world.clone(), Some(accounts.clone()), beginning);
        let host = host.await.unwrap();
        let mut made = Self { model, world, now: START, accounts, host, ids, keys: 0 };
        made.done("Olga", Role::Operator, Act::Open(Options::default())).await;
        made
    }

    pub(crate) fn id(&self, name: &str) -> String {
        self.ids[name].clone()
    }

    pub(crate) fn order(&mut self, name: &str, role: Role, act: Act) -> Order {
        self.keys += 1;
        Order { who: self.id(name), role, key: format!("k{}", self.keys), act }
    }

    pub(crate) async fn send(&mut self, name: &str, role: Role, act: Act) -> Ruled {
        let order = self.order(name, role, act);
        self.host.deliver(order).await.unwrap().ruled
    }

    pub(crate) async fn done(&mut self, name: &str, role: Role, act: Act) {
        let ruled = self.send(name, role, act.clone()).await;
        assert!(ruled.is_ok(), "{act:?}: {}", ruled.unwrap_err());
    }

    /// A line of a transcript, by whoever may say it here.
    pub(crate) async fn line(&mut self, line: &str) {
        let Ok(Said::Act(by, act)) = understand(line) else { panic!("{line}") };
        let who = PEOPLE.iter().find(|(_, roles)| roles.contains(&by.role)).unwrap().0;
        self.done(who, by.role, *act).await;
    }

    pub(crate) async fn fresh_shoe(&mut self) {
        self.done("Dee", Role::Dealer, Act::FreshShoe).await;
    }

    pub(crate) fn at(&mut self, now: u64) {
        self.now = now;
        self.world.set_clock(now);
    }

    pub(crate) async fn balance(&self, name: &str) -> Cents {
        self.accounts.get(&self.ids[name]).await.unwrap().balance
    }

    pub(crate) fn stack(&self, name: &str) -> Cents {
        let table = self.host.table();
        table.player(table.player_named(name).unwrap()).stack.amount().unwrap()
    }

    pub(crate) async fn records(&self) -> Vec<Record> {
        self.host.log().records(STREAM, 0).await.unwrap()
    }

    /// The process ends, and another goes on.
    pub(crate) async fn start_again(&mut self) {
        self.model = self.model.crash(store::Crash::Lost);
        let log = Log::Model(self.model.clone());
        self.accounts = Accounts::of(log.clone(), self.world.clone()).await.unwrap();
        let accounts = Some(self.accounts.clone());
        let resumed = Host::resume_in(log, self.world.clone(), accounts, STREAM).await;
        self.host = resumed.unwrap();
    }

    /// Everything that was recorded follows from the book, and the money is where it should be.
    pub(crate) async fn holds(&self) {
        let log = Log::Model(self.model.clone());
        let mut all = Vec::new();
        for stream in log.streams().await.unwrap() {
            let records = log.records(&stream, 0).await.unwrap();
            all.push((stream, records));
        }
        let table = all.iter().find(|(stream, _)| stream == STREAM).unwrap();
        assert_eq!(audit::audit(&table.1).unwrap().findings, []);
        let each = all.iter().map(|(stream, records)| (stream.as_str(), records.as_slice()));
        assert_eq!(audit::audit_accounts(each).unwrap().findings, []);
    }
}
