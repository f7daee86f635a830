//! A tournament on the simulated floor: a director who does what is due, players who bet, the
//! system that deals, and a process that dies at any write.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use live::{
    Answer, Beginning, Deal, EventTold, LiveError, Order, Sealed, TournamentHost, World,
    tournament_stream,
};
use rules::{Cents, Spot};
use store::{AccountKind, Crash, Deals, Log, Model, Setup};
use table::{Act as TableAct, Bet, Deed, Name, Role};
use tournament::{Act, Conditions, Due, Need, Next, Phase};

use super::{Dice, Report, finish};

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
groups = "none"
limits = { main = "50..1000", tie = "50..200" }
buy_back = "none"
elimination = "who cannot wager the minimum before a round is out of the tournament"
level = "rounds"
level_final = "rounds"
pool = "all entry fees less the commission"
prizes = ["60%", "40%"]
statement = "The Tournament Director conducts the tournament; the rules prevail"
stages.heats = { from = "entrants", tables = 2, seats = 6, coups = 2, advance = 2 }
stages.semi = { from = "winners of heats", tables = 2, seats = 2, coups = 2, advance = 1 }
stages.final = { from = "winners of semi", tables = 1, seats = 2, coups = 2 }
"#;

const TITLE: &str = "simulated";

type Ended = Result<Option<Answer<EventTold>>, LiveError>;
type Flying = Pin<Box<dyn Future<Output = (TournamentHost, Ended)>>>;

struct Event {
    dice: Dice,
    now: u64,
    world: World,
    model: Model,
    host: Option<TournamentHost>,
    players: Vec<String>,
    keys: u64,
    /// The last record that anybody was told of.
    told: u64,
    /// Copies of the log that can be restored, and when they were made.
    copies: Vec<(usize, u64)>,
    /// What was asked and answered since the log was last restored.
    asked: Vec<(Asks, Answer<EventTold>)>,
    report: Report,
}

/// What somebody does next.
enum Does {
    Act(Act),
    Asks(Asks),
    Step(u32),
}

/// What somebody asks for under a key, and asks for again where no answer came.
#[derive(Clone)]
enum Asks {
    Order(Box<Order<Act>>),
    Sealed(Box<Order<Sealed>>),
    Deal(Box<Order<Deal>>),
}

impl Asks {
    async fn of(self, host: &mut TournamentHost) -> Result<Answer<EventTold>, LiveError> {
        match self {
            Self::Order(order) => host.deliver(*order).await,
            Self::Sealed(order) => host.deliver_sealed(*order).await,
            Self::Deal(order) => host.deal(*order).await,
        }
    }
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
        let book = Arc::new(rulebooks::load("act-2018", None).expect("a book of ours"));
        let deals = Deals::System;
        let setup =
            Setup { title: TITLE.into(), deals, pace: None, alone: true, ahead_of_utc: None };
        let log = Log::Model(model.clone());
        let name = "act-2018".into();
        let beginning = Beginning { stream: TITLE.into(), name, book, setup, opener: None };
        let begun = TournamentHost::begin_in(log.clone(), world.clone(), None, beginning);
        let host = finish(begun).expect("the log takes it");
        let players = (1..=8).map(|n| format!("P{n}")).collect();
        let accounts = live::Accounts::of(log, world.clone());
        let accounts = finish(accounts).expect("accounts");
        let opened = accounts.open("Dana", AccountKind::Member, Cents::ZERO, &[Role::Director]);
        let _ = finish(opened).expect("the log takes it");
        let report = Report::default();
        let (dice, keys, told) = (Dice(seed), 0, 0);
        let (host, copies, asked) = (Some(host), Vec::new(), Vec::new());
        let mut event =
            Self { dice, now, world, model, host, players, keys, told, copies, asked, report };
        let conditions: Conditions =
            transcript::conditions(CONDITIONS).expect("conditions that can be read");
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
        if self.dice.one_in(50) {
            self.copies.push((self.model.back_up(), self.now));
        } else if self.dice.one_in(150) {
            self.restore();
        }
        let dues = self.host().tournament().due_at(self.now);
        // Nobody gives the event up.
        let kept = |due: &&Due| due.need == Need::Must && due.next != Next::Cancel;
        let mut must: Vec<_> = dues.iter().filter(kept).collect();
        // Who is in the seat only on the stroke is late: time passes when all else is done.
        must.sort_by_key(|due| matches!(due.next, Next::WaitForStart(_)));
        let ready = must.iter().filter(|due| !matches!(due.next, Next::WaitForStart(_))).count();
        must.truncate(ready.max(1));
        let Some(first) = must.first() else {
            panic!("nothing but {dues:?} is due");
        };
        // Tables go on as they like; what concerns the event is done in its order.
        let tables: Vec<_> = must.iter().filter(|due| due.table.is_some()).collect();
        let any = !tables.is_empty() && first.table.is_some();
        let due = if any { tables[self.dice.below(tables.len())] } else { first };
        if let Some(does) = self.does(due) {
            self.fly(does);
        }
    }

    /// An order of the director's.
    fn order<A>(&mut self, act: A) -> Order<A> {
        self.keys += 1;
        let (who, key) = ("console".to_owned(), format!("k{}", self.keys));
        Order { who, role: Role::Director, key, act }
    }

    /// What is done about something that is due; nothing if time passes first.
    fn does(&mut self, due: &Due) -> Option<Does> {
        let any = |players: &[String], dice: &mut Dice| {
            Name::from(&players[dice.below(players.len())]).unwrap_or_default()
        };
        Some(match &due.next {
            Next::NameDirector => {
                Does::Act(Act::NameDirector(Name::from("Dana").unwrap_or_default()))
            }
            Next::Apply => {
                let names =
                    self.players.iter().map(|name| Name::from(name).unwrap_or_default()).collect();
                Does::Act(Act::Enter(names))
            }
            Next::NameTables => Does::Act(Act::NameTables(vec![1, 2])),
            Next::CommitBallot => {
                Does::Asks(Asks::Sealed(Box::new(self.order(Sealed::CommitBallot))))
            }
            Next::RevealBallot => {
                Does::Asks(Asks::Sealed(Box::new(self.order(Sealed::RevealBallot))))
            }
            Next::WaitForStart(at) | Next::Break(at) => {
                self.now = self.now.max(*at);
                self.world.set_clock(self.now);
                return None;
            }
            Next::Wager { name, .. } => {
                let spot = self.dice.of(&[Spot::Banker, Spot::Player]);
                let amount = Cents::new(5000 * (1 + self.dice.below(3) as u64))?;
                let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
                let act = Act::At(due.table, Box::new(TableAct::Player(*name, Deed::Bet(bet))));
                Does::Asks(Asks::Order(Box::new(self.order(act))))
            }
            Next::Cut(by) => {
                let table = due.table?;
                let there = self.host().tournament().sitting(table)?;
                let first = there.table.present().map(|(_, player)| player.name).next();
                let name = by.or(first).unwrap_or_else(|| any(&self.players, &mut self.dice));
                let cut = TableAct::Player(
                    name,
                    Deed::Cut(60 + u32::try_from(self.dice.below(200)).ok()?),
                );
                Does::Act(Act::At(due.table, Box::new(cut)))
            }
            Next::DrawForPlayOff => {
                let card = rules::Card::from_index(4)?;
                Does::Act(Act::DrawForPlayOff(due.table, card))
            }
            _ => match (due.table, &due.act) {
                // Before play goes on, nothing is dealt.
                (_, Some(act)) if due.next == Next::StartPlayOff => Does::Act(act.clone()),
                (Some(table), _) if self.dealer_is_due(table) => {
                    if self.dice.one_in(3) {
                        Does::Asks(Asks::Deal(Box::new(self.order(Deal { table }))))
                    } else {
                        Does::Step(table)
                    }
                }
                (_, Some(act)) => Does::Act(act.clone()),
                (Some(table), None) => Does::Step(table),
                (None, None) => panic!("nobody knows what to do about {:?}", due.next),
            },
        })
    }

    /// Whether the system as dealer is asked for something at a table.
    fn dealer_is_due(&self, table: u32) -> bool {
        let tournament = self.host().tournament();
        let sitting = tournament.sitting(table);
        let due = sitting.and_then(|sitting| sitting.table.due(tournament.table_book()));
        due.is_some_and(|due| !matches!(due.next, table::Next::Wagers | table::Next::Players))
    }

    /// Does it, and the process may die meanwhile: then it is done again, once.
    fn fly(&mut self, does: Does) {
        self.model.sync_at_once(false);
        let mut host = self.host.take().expect("the event is run");
        let repeated = if let Does::Asks(asks) = &does { Some(asks.clone()) } else { None };
        let mut flying: Flying = Box::pin(async move {
            let ended = match does {
                Does::Act(act) => host.act_by(act.usual(), act).await.map(|_| None),
                Does::Asks(asks) => asks.of(&mut host).await.map(Some),
                Does::Step(table) => host.step_at(table).await.map(|_| None),
            };
            (host, ended)
        });
        let crashes = self.dice.one_in(12);
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
                self.host = Some(host);
                self.model.sync_at_once(true);
                return;
            }
            if crashes {
                break;
            }
            self.model.sync(1);
        }
        drop(flying);
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
        let Some((copy, then)) = self.copies.pop() else { return };
        self.model = self.model.restore(copy);
        // Nobody is late for what is played again.
        self.now = then;
        self.world.set_clock(then);
        self.report.restores += 1;
        (self.told, self.keys) = (0, self.keys + 1000);
        self.asked.clear();
        self.copies.clear();
        self.go_on();
    }

    fn start_again(&mut self, crash: Crash) {
        self.model = self.model.crash(crash);
        self.report.crashes += 1;
        self.go_on();
    }

    fn go_on(&mut self) {
        self.model.sync_at_once(true);
        let log = Log::Model(self.model.clone());
        let stream = tournament_stream(TITLE);
        let resumed = TournamentHost::resume_in(log, self.world.clone(), None, &stream);
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
                let names = words.filter(|word| self.players.iter().any(|name| name == word));
                names.map(str::to_owned).collect::<BTreeSet<_>>()
            };
            assert!(who(&again).is_subset(&who(&before)), "it is told of others");
        }
        self.host = Some(host);
    }

    fn end(mut self) -> Report {
        self.ask_again();
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
        let tournament = self.host().tournament();
        // Eight fees of $100 less 10 %, by the places of the conditions: counted by hand.
        let mut prizes: Vec<_> = tournament.entrants().iter().map(|e| e.prize.get()).collect();
        prizes.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(prizes[..3], [43_200, 28_800, 0], "{prizes:?}");
        assert_eq!(found.pool, (0, 8000));
        super::auditor::Auditor::each_command_once(records.iter());
        self.report.coups = tournament.sittings().map(|sitting| sitting.table.coups()).sum();
        let last = records.last().map_or([0; 32], |record| record.hash.0);
        self.report.digest = shoe::Digest::of(&[&last]).to_string();
        self.report
    }
}
