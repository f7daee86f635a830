//! A tournament on the simulated floor: staff and players with accounts who do what is due, people
//! who say what is not theirs, the system that deals, and a process that dies at any write.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use live::{
    Accounts, Answer, Beginning, EventTold, LiveError, TournamentHost, World, tournament_stream,
};
use rules::Cents;
use shoe::{Digest, Which, Words};
use store::{Body, Crash, Deals, Log, Model, Pace, Setup};
use table::{Act as TableAct, Code};
use tournament::{Act, Conditions, Fact, Phase};

use super::beside::Beside;
use super::cast::{Asks, Cast, Does};
use super::side_table::SideTable;
use super::{Dice, Report, finish, putting_right};

/// The books under which events are simulated, with the conditions that only one of them asks for.
/// Under the second, cards are dealt face down and players turn them.
const BOOKS: [(&str, &str); 2] = [
    (
        "act-2018",
        r#"
groups = "none"
buy_back = "none"
elimination = "who cannot wager the minimum before a round is out of the tournament"
level = "rounds"
level_final = "rounds"
statement = "The Tournament Director conducts the tournament; the rules prevail"
"#,
    ),
    ("tas-2013", "secret_wagers = 2"),
];

/// A small event of three stages.
const CONDITIONS: &str = r#"
name = "Simulated"
start = "2027-03-20 19:00"
application = "at the desk"
entry = "adults"
fee = 100
commission = "10%"
chips = 1000
players = "8..12"
limits = { main = "50..1000", tie = "50..200" }
pool = "all entry fees less the commission"
prizes = ["60%", "40%"]
stages.heats = { from = "entrants", tables = 2, seats = 6, coups = 2, advance = 2 }
stages.semi = { from = "winners of heats", tables = 2, seats = 2, coups = 2, advance = 1 }
stages.final = { from = "winners of semi", tables = 1, seats = 2, coups = 2 }
"#;

const TITLE: &str = "simulated";
/// What each player brings, and what entering costs, in cents.
const STAKE: u64 = 50_000;
const FEE: u64 = 10_000;

type Ended = Result<Option<Answer<EventTold>>, LiveError>;
type Flying = Pin<Box<dyn Future<Output = (TournamentHost, Ended)>>>;

/// What is under way in an event.
enum Flight {
    Asks(Asks),
    Step(u32),
    Wake,
}

struct Event {
    dice: Dice,
    now: u64,
    world: World,
    model: Model,
    host: Option<TournamentHost>,
    accounts: Accounts,
    cast: Cast,
    /// The last record that anybody was told of.
    told: u64,
    /// Copies of the log that can be restored, when they were made, and what they have beside the
    /// event.
    copies: Vec<(usize, u64, Beside)>,
    /// Words of players for shoes, by the commitment that they were promised to.
    words: Vec<(Digest, Words)>,
    /// What was asked and answered since the log was last restored.
    asked: Vec<(Asks, Answer<EventTold>)>,
    /// Balances that were corrected and limits that were set.
    beside: Beside,
    /// A table at which players of the event sit down too.
    table: SideTable,
    report: Report,
}

/// Plays an event by a seed, through crashes, to its last prize.
///
/// # Panics
///
/// When a promise is broken; the seed gives the same run again.
#[must_use]
pub fn run_event(seed: u64) -> Report {
    let mut event = Event::begin(seed);
    for _ in 0..6000 {
        let phase = event.host().tournament().phase();
        if matches!(phase, Phase::Ended | Phase::Cancelled) {
            return event.end();
        }
        event.step();
    }
    let due = event.host().tournament().due_at(event.now);
    panic!("seed {seed}: the event does not end: {due:?}, {:?}", event.report);
}

impl Event {
    fn begin(seed: u64) -> Self {
        let mut entropy = Dice(seed ^ 0xe7e2);
        let fill = move |bytes: &mut [u8]| {
            for byte in bytes.iter_mut() {
                *byte = u8::try_from(entropy.below(256)).unwrap_or(0);
            }
        };
        let now = 1_800_000_000_000_000;
        let world = World::real().with_clock(now).with_entropy(fill);
        let model = Model::new(seed);
        let (name, own) = BOOKS[usize::from(seed.is_multiple_of(2))];
        let book = Arc::new(rulebooks::load(name, None).expect("a book of ours"));
        let deals = Deals::System;
        // Every third event has a pace, which waits so long that nobody is late.
        let (betting_ms, answer_ms) = (3_600_000, 3_600_000);
        let pace = Pace { betting_ms, card_ms: 50, result_ms: 0, answer_ms, idle_ms: answer_ms };
        let pace = Some(pace).filter(|_| seed.is_multiple_of(3));
        let setup = Setup { title: TITLE.into(), deals, pace, alone: false, ahead_of_utc: None };
        let log = Log::Model(model.clone());
        let name = name.into();
        let beginning = Beginning { stream: TITLE.into(), name, book, setup, opener: None };
        let accounts = finish(Accounts::of(log.clone(), world.clone())).expect("accounts");
        let cast = finish(Cast::open(&accounts, 8, Cents::new(STAKE).expect("an amount")));
        let held = Some(accounts.clone());
        let begun = TournamentHost::begin_in(log.clone(), world.clone(), held, beginning);
        let host = Some(finish(begun).expect("the log takes it"));
        let operator = &cast.operators()[0];
        let table = SideTable::open(log, world.clone(), accounts.clone(), operator);
        let mut event = Self {
            dice: Dice(seed),
            now,
            world,
            model,
            host,
            accounts,
            cast,
            told: 0,
            copies: Vec::new(),
            words: Vec::new(),
            asked: Vec::new(),
            beside: Beside::default(),
            table,
            report: Report::default(),
        };
        let conditions: Conditions = transcript::conditions(&format!("{own}\n{CONDITIONS}"))
            .expect("conditions that can be read");
        event.must(Act::Open);
        event.must(Act::Document(Box::new(conditions)));
        event
    }

    fn host(&self) -> &TournamentHost {
        self.host.as_ref().expect("the event is run")
    }

    fn must(&mut self, act: Act) {
        let mut host = self.host.take().expect("the event is run");
        let ruled = finish(host.act_by(act.usual(), act)).expect("the log takes it");
        ruled.unwrap_or_else(|refusal| panic!("{refusal}"));
        self.host = Some(host);
    }

    fn step(&mut self) {
        if self.dice.one_in(25) {
            self.copies.push((self.model.back_up(), self.now, self.beside.clone()));
        } else if self.dice.one_in(100) {
            self.restore();
        }
        if self.dice.one_in(10) {
            self.say_what_is_not_theirs();
        }
        if self.dice.one_in(10) {
            let (operators, players) = (self.cast.operators(), self.cast.players());
            let (accounts, dice) = (&self.accounts, &mut self.dice);
            self.report.repeated += self.beside.act(accounts, &operators, players, dice);
        }
        if self.dice.one_in(2) {
            // A moment goes by, too short for anybody to be late.
            self.now += self.dice.below(500_000) as u64;
            self.world.set_clock(self.now);
            self.table.act(self.cast.players(), &mut self.dice);
            self.fly(Flight::Wake);
        }
        if self.dice.one_in(12) {
            self.put_right();
        }
        for table in 1..=2 {
            self.take_part(table);
        }
        let tournament = self.host.as_ref().expect("the event is run").tournament();
        if matches!(tournament.phase(), Phase::Ended | Phase::Cancelled) {
            return;
        }
        match self.cast.next(tournament, self.now, &mut self.dice) {
            Does::Wait(until) => {
                self.now = self.now.max(until);
                self.world.set_clock(self.now);
            }
            Does::Asks(asks) => self.fly(Flight::Asks(asks)),
            Does::Step(table) => self.fly(Flight::Step(table)),
        }
    }

    /// Something that was keyed or dealt wrongly is put right, by two people where it must be.
    fn put_right(&mut self) {
        let tournament = self.host.as_ref().expect("the event is run").tournament();
        let Some(says) = putting_right::any(tournament, &mut self.dice) else { return };
        for asks in self.cast.say_the_same(&says) {
            self.fly(Flight::Asks(asks));
        }
    }

    /// Players promise words for the shoe of a table, and most of them open them when they are due.
    fn take_part(&mut self, table: u32) {
        let host = self.host.as_mut().expect("the event is run");
        let Some(record) = host.published(table) else { return };
        let (commitment, made) = (record.commitment, record.root.is_some());
        let listed = record.second().is_some_and(|way| way.signature.is_some());
        let dice = &mut self.dice;
        if !listed {
            let players = self.cast.players();
            let (_, account) = &players[dice.below(players.len())];
            let fill = |bytes: &mut [u8]| {
                bytes.fill_with(|| u8::try_from(dice.below(256)).unwrap_or(0));
                Ok::<(), std::convert::Infallible>(())
            };
            let Ok(words) = Words::draw(account.as_str(), fill);
            if host.promise(table, words.promise(&commitment)).is_ok() {
                self.words.push((commitment, words));
            }
            return;
        }
        let which = if made { Which::Second } else { Which::First };
        for (_, words) in self.words.iter().filter(|(of, _)| *of == commitment) {
            // One in eight forgets, and is left out.
            if !dice.one_in(8) {
                let account = words.promise(&commitment).account;
                let _ = host.open_word(table, &account, (which, words.word(which)));
            }
        }
    }

    /// Somebody says what is another's to say: it is refused as that, and changes nothing.
    fn say_what_is_not_theirs(&mut self) {
        let Some(order) = self.cast.not_theirs(&mut self.dice) else { return };
        let mut host = self.host.take().expect("the event is run");
        let before = host.tournament().state().clone();
        let ruled = finish(host.deliver(order.clone())).expect("the log takes it").ruled;
        let code = ruled.err().map(|refusal| refusal.code);
        assert!(code == Some(Code::NotTheirs), "{code:?} for {order:?}");
        assert!(*host.tournament().state() == before, "a refusal changed something: {order:?}");
        self.report.refused += 1;
        self.told = host.version();
        self.host = Some(host);
    }

    /// Does it, and the process may die meanwhile: then it is done again, once.
    fn fly(&mut self, flight: Flight) {
        self.model.sync_at_once(false);
        let mut host = self.host.take().expect("the event is run");
        let repeated = if let Flight::Asks(asks) = &flight { Some(asks.clone()) } else { None };
        let (wakes, before) = (matches!(flight, Flight::Wake), host.version());
        let mut flying: Flying = Box::pin(async move {
            let ended = match flight {
                Flight::Asks(asks) => asks.of(&mut host).await.map(Some),
                Flight::Step(table) => host.step_at(table).await.map(|_| None),
                Flight::Wake => host.wake().await.map(|_| None),
            };
            (host, ended)
        });
        let crashes = self.dice.one_in(12);
        let mut written = 0;
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready((host, ended)) = flying.as_mut().poll(&mut context) {
                let answer = ended.expect("the log takes it");
                match answer.as_ref().map(|answer| answer.ruled.is_ok()) {
                    Some(false) => self.report.refused += 1,
                    Some(true) | None => self.report.done += 1,
                }
                self.asked.extend(repeated.zip(answer));
                self.told = host.version();
                self.report.ticked += usize::from(wakes && self.told > before);
                self.host = Some(host);
                self.model.sync_at_once(true);
                return;
            }
            // Any of the writes may be the last.
            if crashes && self.dice.one_in(3) {
                break;
            }
            self.model.sync(1);
            written += 1;
        }
        drop(flying);
        self.report.midway += usize::from(written > 0);
        let most = self.dice.below(3);
        let crash = if self.dice.one_in(2) { Crash::Lost } else { Crash::Untold(most) };
        self.start_again(crash);
        if let Some(asks) = repeated {
            // Whoever got no answer asks again, under the same key.
            let mut host = self.host.take().expect("the event is run");
            let answer = finish(asks.of(&mut host)).expect("the log takes it");
            self.report.repeated += usize::from(answer.repeated);
            self.host = Some(host);
        }
    }

    /// An older copy takes the place of the log: what came after it is lost, and known to be.
    fn restore(&mut self) {
        if self.copies.is_empty() {
            return;
        }
        let chosen = self.dice.below(self.copies.len());
        self.report.older += usize::from(chosen + 1 < self.copies.len());
        let (copy, then, beside) = self.copies.swap_remove(chosen);
        self.beside = std::mem::take(&mut self.beside).restored(beside);
        self.model = self.model.restore(copy);
        // Nobody is late for what is played again.
        self.now = then;
        self.world.set_clock(then);
        self.report.restores += 1;
        self.told = 0;
        self.cast.skip_keys();
        self.asked.clear();
        self.copies.clear();
        self.go_on(true);
    }

    fn start_again(&mut self, crash: Crash) {
        self.model = self.model.crash(crash);
        self.report.crashes += 1;
        self.go_on(false);
    }

    fn go_on(&mut self, restored: bool) {
        self.model.sync_at_once(true);
        let log = Log::Model(self.model.clone());
        let stream = tournament_stream(TITLE);
        self.accounts =
            finish(Accounts::of(log.clone(), self.world.clone())).expect("accounts hold");
        let accounts = Some(self.accounts.clone());
        self.table.go_on(log.clone(), self.world.clone(), self.accounts.clone(), restored);
        let resumed = TournamentHost::resume_in(log, self.world.clone(), accounts, &stream);
        let host = finish(resumed).unwrap_or_else(|fault| panic!("{fault}"));
        assert!(host.version() >= self.told, "what was told is lost");
        self.host = Some(host);
    }

    /// Whatever was answered in any session is answered the same when the event is over: the same
    /// facts, of the same people.
    fn ask_again(&mut self) {
        let mut host = self.host.take().expect("the event is run");
        for (asks, before) in std::mem::take(&mut self.asked) {
            let again = finish(asks.of(&mut host)).expect("the log takes it");
            assert!(again.repeated, "it was done twice");
            let facts = |answer: &Answer<EventTold>| {
                let told = answer.ruled.as_ref().map_err(Clone::clone);
                told.map(|told| told.iter().map(|one| one.event.clone()).collect::<Vec<_>>())
            };
            assert_eq!(facts(&again), facts(&before));
            // What somebody holds is told as it is now; who it was is told as it was.
            let who = |answer: &Answer<EventTold>| {
                let told = answer.ruled.iter().flatten().map(|one| one.what.as_str());
                let words = told.flat_map(|what| what.split(|c: char| !c.is_alphanumeric()));
                let names = words
                    .filter(|word| self.cast.players().iter().any(|(name, _)| **name == **word));
                names.map(str::to_owned).collect::<BTreeSet<_>>()
            };
            assert!(who(&again).is_subset(&who(&before)), "it is told of others");
        }
        self.host = Some(host);
    }

    /// What everybody has in the end: what was there before, less the fee, with the prize.
    fn audit_money(&self) {
        let log = Log::Model(self.model.clone());
        let mut all = Vec::new();
        for stream in finish(log.streams()).expect("the log is read") {
            let records = finish(log.records(&stream, 0)).expect("the log is read");
            all.push((stream, records));
        }
        let each = all.iter().map(|(stream, records)| (stream.as_str(), records.as_slice()));
        let found = audit::audit_accounts(each).expect("the log is read");
        assert_eq!(found.findings, []);
        let (won, _) = SideTable::audit(&log);
        for (name, account) in self.cast.players() {
            let tournament = self.host().tournament();
            let entrant = tournament.entrant_called(name).expect("everybody entered");
            let prize = tournament.entrant(entrant).prize.get();
            let has = finish(self.accounts.get(account)).expect("an account").balance;
            let due = (STAKE - FEE + prize).checked_add_signed(self.beside.corrected(account));
            let won = won.get(account).copied().unwrap_or(0);
            let due = due.and_then(|due| due.checked_add_signed(won));
            assert_eq!(Some(has.get()), due, "{name}");
        }
    }

    /// What was sealed and what was put right, by the records.
    fn count(&mut self, records: &[store::Record]) {
        for record in records {
            match record.read().expect("a record of ours") {
                Body::Tournament(event) => match event.fact {
                    Fact::FormOpened { .. } => self.report.forms += 1,
                    Fact::CorrectionConfirmed { .. } => self.report.corrected += 1,
                    _ => {}
                },
                Body::TournamentAct(acted) => {
                    let void = |act: &TableAct| matches!(act, TableAct::VoidNumbered(..));
                    let void = matches!(&acted.act, Act::At(_, act) if void(act));
                    self.report.voided += usize::from(void && acted.second.is_some());
                }
                _ => {}
            }
        }
    }

    fn end(mut self) -> Report {
        self.ask_again();
        let (mut now, world) = (self.now, self.world.clone());
        self.table.end(self.cast.players(), || {
            now += 3_000_000;
            world.set_clock(now);
        });
        let log = Log::Model(self.model.clone());
        let stream = tournament_stream(TITLE);
        let records = finish(log.records(&stream, 0)).expect("the log is read");
        store::verify_chain(&stream, &records).expect("the chain is whole");
        let found = audit::audit_tournament(&records, None).expect("the log is read");
        assert_eq!(found.findings, []);
        assert!(found.judged);
        for (table, shoe) in &found.shoes {
            let out = shoe.record.entropy.is_some();
            assert!(out && !shoe.unrevealed, "a shoe of table {table} is never revealed");
        }
        assert!(!found.shoes.is_empty());
        let firsts =
            |shoe: &audit::ShoeFound| shoe.record.second().and_then(|way| way.firsts.clone());
        let witnessed =
            |shoe: &audit::ShoeFound| firsts(shoe).iter().flatten().any(Option::is_some);
        self.report.beside = SideTable::audit(&log).1;
        self.report.witnessed = found.shoes.iter().filter(|(_, shoe)| witnessed(shoe)).count();
        let tournament = self.host().tournament();
        // Eight fees of $100 less 10 %, by the places of the conditions: counted by hand.
        let mut prizes: Vec<_> = tournament.entrants().iter().map(|e| e.prize.get()).collect();
        prizes.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(prizes[..3], [43_200, 28_800, 0], "{prizes:?}");
        assert_eq!(found.pool, (0, 8000));
        super::auditor::Auditor::each_command_once(records.iter());
        self.audit_money();
        self.report.coups = tournament.sittings().map(|sitting| sitting.table.coups()).sum();
        self.count(&records);
        let last = records.last().map_or([0; 32], |record| record.hash.0);
        self.report.digest = shoe::Digest::of(&[&last]).to_string();
        self.report
    }
}
