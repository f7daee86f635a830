//! A simulated floor: tables, people and money on a log in memory, with clock, entropy, mailboxes,
//! syncs, crashes and restores in the hands of a seed. An auditor of its own predicts every balance
//! from what the records say. The same seed gives the same run.

mod auditor;
mod beside;
mod cast;
mod event;
mod orders;
mod putting_right;
mod reader;
mod side_table;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use live::{Accounts, Answer, Beginning, Host, LiveError, Order, World};
use rules::Cents;
use store::{AccountKind, Crash, Deals, Log, Model, OwnLimits, Pace, Setup};
use table::{Act, Code, Deed, Options, Role};

use self::auditor::Auditor;
pub use self::cast::{Asks, Cast, Does};
pub use self::event::run_event;
use self::reader::Reader;

/// Random numbers that depend on a seed alone.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that fall by a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below the limit, which is not zero.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or(0)
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Somebody on the floor.
#[derive(Clone, Debug)]
struct Person {
    account: String,
    name: String,
    roles: Vec<Role>,
    keys: u64,
}

/// What a run comes to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Orders that were carried out.
    pub done: usize,
    /// Orders that were refused.
    pub refused: usize,
    /// Orders that came again and were answered the same.
    pub repeated: usize,
    /// Crashes of the process.
    pub crashes: usize,
    /// Crashes behind the first of several writes that belong together.
    pub midway: usize,
    /// Restores from an older copy.
    pub restores: usize,
    /// Those of them from a copy that was not the newest.
    pub older: usize,
    /// Coups that were dealt.
    pub coups: u32,
    /// Coups at the table beside an event.
    pub beside: u32,
    /// Shoes of an event in which a player took part.
    pub witnessed: usize,
    /// Forms of secret wagers that were opened in an event.
    pub forms: usize,
    /// Corrections in an event that a second person confirmed.
    pub corrected: usize,
    /// Coups of an event that two operators made void.
    pub voided: usize,
    /// What the clock of an event did.
    pub ticked: usize,
    /// How often somebody who reads a table died and came back.
    pub returns: usize,
    /// Records that were read as they happened, and from the log.
    pub read: (usize, usize),
    /// A digest of everything in the log at the end.
    pub digest: String,
}

impl std::ops::AddAssign for Report {
    /// Counts another run with it; the digest stays that of the first.
    fn add_assign(&mut self, run: Self) {
        self.done += run.done;
        self.refused += run.refused;
        self.repeated += run.repeated;
        self.crashes += run.crashes;
        self.midway += run.midway;
        self.restores += run.restores;
        self.older += run.older;
        self.coups += run.coups;
        self.beside += run.beside;
        self.witnessed += run.witnessed;
        self.forms += run.forms;
        self.corrected += run.corrected;
        self.voided += run.voided;
        self.ticked += run.ticked;
        self.returns += run.returns;
        self.read.0 += run.read.0;
        self.read.1 += run.read.1;
    }
}

/// How a run is made.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// How many steps.
    pub steps: usize,
}

/// Something that is under way at a table.
enum Flight {
    Order(Box<Order>),
    Wake,
}

/// What came of it.
enum Landed {
    Answered(Box<Order>, Result<Answer, LiveError>),
    Woke(Result<Option<u64>, LiveError>),
}

type Flying = Pin<Box<dyn Future<Output = (Host, Landed)>>>;

/// A floor in the hands of a seed.
struct Floor {
    dice: Dice,
    now: u64,
    world: World,
    model: Model,
    accounts: Accounts,
    tables: BTreeMap<String, Host>,
    /// Somebody who reads each table.
    readers: BTreeMap<String, Reader>,
    people: Vec<Person>,
    /// Orders whose answer never came: they are sent again under the same key.
    unanswered: Vec<(String, Order)>,
    /// Orders that were answered.
    answered: Vec<(String, Order, Answer)>,
    copies: Vec<usize>,
    auditor: Auditor,
    report: Report,
}

/// Polls a future to its end; the log syncs everything at once meanwhile.
fn finish<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1_000_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
    panic!("something waits for ever");
}

const BOOKS: [(&str, Deals); 4] = [
    ("act-2018", Deals::System),
    ("nz-1998", Deals::System),
    ("tas-2013", Deals::Keyed),
    ("act-2012", Deals::Staff),
];

fn cents(dollars: u64) -> Cents {
    Cents::new(dollars * 100).unwrap_or(Cents::ZERO)
}

/// Runs a floor by a seed.
///
/// # Panics
///
/// When a promise is broken; the message says which, and the seed gives the same run again.
#[must_use]
pub fn run(run: Run) -> Report {
    let mut floor = Floor::open(run);
    for _ in 0..run.steps {
        floor.step();
        floor.read();
        floor.check();
    }
    floor.end()
}

impl Floor {
    fn open(run: Run) -> Self {
        let mut entropy = Dice(run.seed ^ 0x5ab0);
        let fill = move |bytes: &mut [u8]| {
            for byte in bytes.iter_mut() {
                *byte = u8::try_from(entropy.below(256)).unwrap_or(0);
            }
        };
        let now = 1_800_000_000_000_000;
        let world = World::real().with_clock(now).with_entropy(fill);
        let model = Model::new(run.seed);
        let log = Log::Model(model.clone());
        let accounts = finish(Accounts::of(log, world.clone())).expect("an empty log has accounts");
        let mut floor = Self {
            dice: Dice(run.seed),
            now,
            world,
            model,
            accounts,
            tables: BTreeMap::new(),
            readers: BTreeMap::new(),
            people: Vec::new(),
            unanswered: Vec::new(),
            answered: Vec::new(),
            copies: Vec::new(),
            auditor: Auditor::default(),
            report: Report::default(),
        };
        floor.hire();
        floor.furnish();
        floor
    }

    fn hire(&mut self) {
        let staff = [
            ("Olga", vec![Role::Operator, Role::Supervisor]),
            ("Otto", vec![Role::Operator, Role::Supervisor]),
            ("Dee", vec![Role::Dealer]),
            ("Sue", vec![Role::Supervisor, Role::Inspector, Role::Management]),
        ];
        let players = ["Ann", "Bo", "Cy", "Di", "Eve", "Finn"].map(|name| (name, Vec::new()));
        for (name, roles) in staff.into_iter().chain(players) {
            let opened = self.accounts.open(name, AccountKind::Guest, cents(2000), &roles);
            let account = finish(opened).expect("the log takes it").expect("the name is free");
            self.people.push(Person { account, name: name.into(), roles, keys: 0 });
        }
    }

    fn furnish(&mut self) {
        for (n, (name, deals)) in BOOKS.into_iter().enumerate() {
            let stream = format!("table {}", n + 1);
            let book = Arc::new(rulebooks::load(name, None).expect("a book of ours"));
            let pace = (deals != Deals::Keyed).then_some(Pace {
                betting_ms: 5_000,
                card_ms: 100,
                result_ms: 1_000,
                answer_ms: 1_000,
                idle_ms: 600_000,
            });
            let setup =
                Setup { title: stream.clone(), deals, pace, alone: false, ahead_of_utc: None };
            let beginning =
                Beginning { stream: stream.clone(), name: name.into(), book, setup, opener: None };
            let log = Log::Model(self.model.clone());
            let accounts = Some(self.accounts.clone());
            let begun = Host::begin_in(log, self.world.clone(), accounts, beginning);
            let host = finish(begun).expect("the log takes it");
            self.tables.insert(stream.clone(), host);
            let options = Options::default();
            self.must(&stream, "Olga", Role::Operator, Act::Open(options));
            for line in orders::sign(self.tables[&stream].book()) {
                self.must(&stream, "Olga", Role::Operator, Act::Post(line));
            }
        }
    }

    fn person(&mut self, name: &str) -> &mut Person {
        self.people.iter_mut().find(|person| person.name == name).expect("everybody is hired")
    }

    fn order(&mut self, name: &str, role: Role, act: Act) -> Order {
        let person = self.person(name);
        person.keys += 1;
        let key = format!("k{}", person.keys);
        Order { who: person.account.clone(), role, key, act }
    }

    fn must(&mut self, stream: &str, name: &str, role: Role, act: Act) {
        let order = self.order(name, role, act);
        let host = self.tables.get_mut(stream).expect("the table is there");
        let answer = finish(host.deliver(order.clone())).expect("the log takes it");
        assert!(answer.ruled.is_ok(), "{order:?}: {answer:?}");
    }

    /// Whoever reads a table reads on, dies, or comes back.
    fn read(&mut self) {
        for (stream, host) in &self.tables {
            self.readers.entry(stream.clone()).or_default().act(host, &mut self.dice);
        }
    }

    fn step(&mut self) {
        match self.dice.below(100) {
            0..=59 => self.busy(),
            60..=81 => {
                self.now += self.dice.below(8_000_000) as u64;
                self.world.set_clock(self.now);
                let all: Vec<_> = self.tables.keys().cloned().collect();
                self.fly(all.into_iter().map(|stream| (stream, Flight::Wake)).collect());
            }
            82..=88 => self.again(),
            89..=92 => self.money(),
            93..=95 => self.copies.push(self.model.back_up()),
            96..=98 => self.crash(),
            _ => self.restore(),
        }
    }

    /// Some people say something, at different tables and in the same moment.
    fn busy(&mut self) {
        let mut flights = Vec::new();
        if let Some((stream, order)) = self.unanswered.pop() {
            flights.push((stream, Flight::Order(Box::new(order))));
        }
        for _ in 0..=self.dice.below(3) {
            let streams: Vec<_> = self.tables.keys().cloned().collect();
            let stream = streams[self.dice.below(streams.len())].clone();
            if flights.iter().any(|(other, _)| *other == stream) {
                continue;
            }
            let (who, role, act) = orders::any(&mut self.dice, &self.tables[&stream], &self.people);
            let order = self.order(&who, role, act);
            flights.push((stream, Flight::Order(Box::new(order))));
        }
        self.fly(flights);
    }

    /// Somebody whose answer was lost, or who is impatient, says it again; or takes an old key for
    /// something else.
    fn again(&mut self) {
        if self.answered.is_empty() {
            return;
        }
        let at = self.dice.below(self.answered.len());
        let (stream, mut order, before) = self.answered[at].clone();
        let changed = self.dice.one_in(3);
        if changed {
            order.act = Act::Player(table::Name::from("Ann").unwrap_or_default(), Deed::AskRules);
            order.role = Role::Player;
        }
        let log = Log::Model(self.model.clone());
        let knows = |order: &Order| {
            finish(log.command(&order.who, &order.key)).expect("the log is read").is_some()
        };
        let kept = knows(&order);
        let host = self.tables.get_mut(&stream).expect("the table is there");
        let answer = finish(host.deliver(order.clone())).expect("the log takes it");
        if changed && !kept && knows(&order) {
            // The first was refused, the refusal was not kept, and a crash forgot it: from now on
            // the key stands for this.
            self.answered[at] = (stream, order, answer);
            return;
        }
        let first = &self.answered[at].1;
        if changed && kept && (&order.act, order.role) != (&first.act, first.role) {
            let code = answer.ruled.as_ref().err().map(|refusal| refusal.code);
            assert_eq!(code, Some(Code::KeyReused), "{order:?}: {answer:?}");
        } else if kept {
            assert!(answer.repeated, "{order:?} was carried out twice: {answer:?}");
            assert_eq!(answer.ruled.is_ok(), before.ruled.is_ok(), "{order:?}");
            if let (Ok(now), Ok(then)) = (&answer.ruled, &before.ruled) {
                let events = |told: &[live::Told]| {
                    told.iter().map(|told| told.event.clone()).collect::<Vec<_>>()
                };
                assert_eq!(events(now), events(then), "{order:?}");
            }
            self.report.repeated += 1;
        }
    }

    fn money(&mut self) {
        let at = self.dice.below(self.people.len());
        let account = self.people[at].account.clone();
        self.people[at].keys += 1;
        let key = format!("m{}", self.people[at].keys);
        let accounts = self.accounts.clone();
        let done = match self.dice.below(6) {
            0 => {
                let limits = OwnLimits {
                    loss: Some(cents(100 + 100 * self.dice.below(30) as u64)),
                    minutes: None,
                    remind: Some(30),
                };
                finish(accounts.limit(&account, &key, limits)).map(drop)
            }
            1 if self.dice.one_in(10) => {
                finish(accounts.pause(&account, &key, 60_000_000)).map(drop)
            }
            _ => finish(accounts.give(&account, &key, cents(50))).map(drop),
        };
        done.expect("the log takes it");
    }

    /// Everything goes on at once, in an order that the dice choose; the process may die meanwhile.
    fn fly(&mut self, flights: Vec<(String, Flight)>) {
        self.model.sync_at_once(false);
        let mut flying: Vec<(String, Option<Order>, Option<Flying>)> = Vec::new();
        for (stream, flight) in flights {
            let Some(mut host) = self.tables.remove(&stream) else { continue };
            let order =
                if let Flight::Order(order) = &flight { Some((**order).clone()) } else { None };
            let future: Flying = Box::pin(async move {
                let landed = match flight {
                    Flight::Order(order) => {
                        let answer = host.deliver((*order).clone()).await;
                        Landed::Answered(order, answer)
                    }
                    Flight::Wake => Landed::Woke(host.wake().await),
                };
                (host, landed)
            });
            flying.push((stream, order, Some(future)));
        }
        let mut context = Context::from_waker(Waker::noop());
        let dies = self.dice.one_in(40);
        let mut turns = 0;
        while flying.iter().any(|(.., future)| future.is_some()) {
            turns += 1;
            assert!(turns < 2_000_000, "the floor stands still");
            let at = self.dice.below(flying.len());
            let Some(future) = &mut flying[at].2 else { continue };
            if let Poll::Ready((host, landed)) = future.as_mut().poll(&mut context) {
                let stream = flying[at].0.clone();
                flying[at].2 = None;
                self.land(&stream, landed);
                self.tables.insert(stream, host);
            }
            if self.model.waiting() > 0 && self.dice.one_in(2) {
                if dies && self.dice.one_in(4) {
                    let lost = flying.iter().filter(|(.., future)| future.is_some());
                    let lost = lost
                        .filter_map(|(stream, order, _)| Some((stream.clone(), order.clone()?)));
                    self.unanswered.extend(lost.collect::<Vec<_>>());
                    drop(flying);
                    self.crash();
                    return;
                }
                let most = 1 + self.dice.below(3);
                self.model.sync(most);
            }
        }
        self.model.sync_at_once(true);
    }

    fn land(&mut self, stream: &str, landed: Landed) {
        match landed {
            Landed::Woke(woke) => drop(woke.expect("the log takes what the clock brings")),
            Landed::Answered(order, answer) => {
                let answer = answer.expect("the log takes it");
                match &answer.ruled {
                    Ok(told) => {
                        self.report.done += 1;
                        self.auditor.told(stream, answer.version, told);
                    }
                    Err(_) => self.report.refused += 1,
                }
                self.answered.push((stream.into(), *order, answer));
            }
        }
    }

    fn crash(&mut self) {
        let most = self.dice.below(4);
        let crash = if self.dice.one_in(2) { Crash::Lost } else { Crash::Untold(most) };
        self.model = self.model.crash(crash);
        self.report.crashes += 1;
        self.start_again();
    }

    /// An older copy takes the place of the log: what came after it is lost, and known to be.
    fn restore(&mut self) {
        if self.copies.is_empty() {
            return;
        }
        let chosen = self.dice.below(self.copies.len());
        self.report.older += usize::from(chosen + 1 < self.copies.len());
        self.model = self.model.restore(self.copies[chosen]);
        self.report.restores += 1;
        self.unanswered.clear();
        self.answered.clear();
        self.auditor = Auditor::default();
        self.readers.values_mut().for_each(Reader::begin_anew);
        // People know that it was restored, and take new keys.
        self.people.iter_mut().for_each(|person| person.keys += 1000);
        self.start_again();
    }

    fn start_again(&mut self) {
        self.model.sync_at_once(true);
        let log = Log::Model(self.model.clone());
        let accounts = Accounts::of(log.clone(), self.world.clone());
        self.accounts = finish(accounts).expect("the accounts are there");
        self.tables.clear();
        self.readers.values_mut().for_each(Reader::cut_off);
        for n in 1..=BOOKS.len() {
            let stream = format!("table {n}");
            let accounts = Some(self.accounts.clone());
            let resumed = Host::resume_in(log.clone(), self.world.clone(), accounts, &stream);
            let host = finish(resumed).unwrap_or_else(|fault| panic!("{stream}: {fault}"));
            self.tables.insert(stream, host);
        }
    }

    /// Every balance is the one that the auditor predicts, and what was told is recorded.
    fn check(&mut self) {
        let log = Log::Model(self.model.clone());
        for stream in finish(log.streams()).expect("the log is read") {
            let seen = self.auditor.seen(&stream);
            for record in finish(log.records(&stream, seen)).expect("the log is read") {
                self.auditor.record(&record);
            }
        }
        self.auditor.compare_told();
        for (stream, host) in &self.tables {
            for (id, player) in host.table().players().iter().enumerate() {
                let predicted = self.auditor.stack(stream, id);
                assert_eq!(predicted, player.stack.get(), "{stream}: player {id}");
            }
        }
        for person in &self.people {
            let account = finish(self.accounts.get(&person.account)).expect("the account holds");
            let predicted = self.auditor.balance(&person.account);
            assert_eq!(predicted.unsigned_abs(), account.balance.get(), "{}", person.account);
        }
    }

    fn end(mut self) -> Report {
        for (stream, order) in std::mem::take(&mut self.unanswered) {
            self.fly(vec![(stream, Flight::Order(Box::new(order)))]);
        }
        self.check();
        for (stream, host) in &self.tables {
            let reader = self.readers.entry(stream.clone()).or_default();
            reader.end(host);
            self.report.returns += reader.returns;
            self.report.read.0 += reader.read.0;
            self.report.read.1 += reader.read.1;
        }
        let log = Log::Model(self.model.clone());
        let mut all = Vec::new();
        for stream in finish(log.streams()).expect("the log is read") {
            let records = finish(log.records(&stream, 0)).expect("the log is read");
            store::verify_chain(&stream, &records).expect("the chain is whole");
            all.push((stream, records));
        }
        for (stream, records) in all.iter().filter(|(stream, _)| stream.starts_with("table")) {
            let found = audit::audit(records).expect("the log is read");
            assert_eq!(found.findings, [], "{stream}");
            self.report.coups += found.coups;
        }
        let each = all.iter().map(|(stream, records)| (stream.as_str(), records.as_slice()));
        let accounts = audit::audit_accounts(each).expect("the log is read");
        assert_eq!(accounts.findings, []);
        Auditor::each_command_once(all.iter().flat_map(|(_, records)| records));
        let hashes: Vec<_> =
            all.iter().filter_map(|(_, records)| records.last()).map(|r| r.hash.0).collect();
        self.report.digest = shoe::Digest::of(&[hashes.concat().as_slice()]).to_string();
        self.report
    }
}
