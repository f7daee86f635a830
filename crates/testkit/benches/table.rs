//! How fast a table is: seven-seat coups judged and folded, the fold of a long log, and the roads.
//!
//! Rates depend on the machine; the ratios are what to compare. The yardstick of the coup is
//! `Rulebook::play` on the same cards and wagers: the rules alone, without table, events or chips.

#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use rules::{Card, Cents, Method, Next, Outcome, Rulebook, Side, Spot, Terms};
use table::roads::{Bead, Roads};
use table::{Act, Bet, Command, Deed, Event, Limits, Name, Options, SignLine, State, Table, Work};
use testkit::random_bytes;

const SEATS: usize = 7;
const NAMES: [&str; SEATS] = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus"];

/// How a command gets to the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Judged and folded in place.
    Act,
    /// Judged on a copy; then each event is folded, as a table with a log does.
    DecideAndEvolve,
}

/// A table under load, and one buffer for the events of a command.
struct Run {
    table: Table,
    way: Way,
    /// The bets of a coup, made once like those that the rules alone are given.
    bets: [Command; SEATS],
    events: Vec<Event>,
    /// Everything that happened, if it is wanted.
    log: Option<Vec<Event>>,
}

impl Run {
    /// A table with seven players, ready to be bet at.
    fn new(book: &Arc<Rulebook>, way: Way, log: Option<Vec<Event>>) -> Self {
        let names = NAMES.map(|name| Name::from(name).unwrap());
        let table = Table::new(book.clone());
        let mut spots = [Spot::Banker, Spot::Player].into_iter().cycle();
        let bets = names.map(|name| {
            let (spot, amount) = (spots.next().unwrap(), cents(100));
            let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
            Command::new(0, Act::Player(name, Deed::Bet(bet)))
        });
        let mut run = Self { table, way, bets, events: Vec::new(), log };
        run.send(Act::Open(Options::default()));
        let limits = Limits { least: cents(10), most: cents(1000), step: Some(cents(5)) };
        run.send(Act::Post(SignLine::Limits(rules::Group::Main, limits)));
        for (seat, name) in (1..).zip(names) {
            run.send(Act::Player(name, Deed::Sit(seat, cents(50_000_000_000))));
        }
        run.send(Act::FreshShoe);
        run
    }

    fn send(&mut self, act: Act) {
        carry_out(&mut self.table, self.way, &Command::new(0, act), &mut self.events);
        self.note();
    }

    fn note(&mut self) {
        if let Some(log) = &mut self.log {
            log.append(&mut self.events);
        }
    }

    /// One coup: seven bets, the call, the deal, third cards as they are due.
    fn coup(&mut self, cards: &mut &[Card]) {
        for i in 0..SEATS {
            carry_out(&mut self.table, self.way, &self.bets[i], &mut self.events);
            self.note();
        }
        self.send(Act::Dealer(Work::NoMoreBets));
        let mut next = || {
            let (first, rest) = cards.split_first().unwrap();
            *cards = rest;
            Some(*first)
        };
        let four = [next(), next(), next(), next()];
        self.send(Act::Dealer(Work::Deal(four)));
        while let Some(coup) = self.table.coup() {
            let Next::Card(to) = self.table.book().standing(&coup.hands()).next else { break };
            let draw = Work::Draw { card: next(), to: to.value, face_down: false };
            self.send(Act::Dealer(draw));
        }
    }

    /// All coups of these shoes, and how many there were.
    fn shoes(&mut self, shoes: &[Vec<Card>]) -> u32 {
        let mut coups = 0;
        for shoe in shoes {
            let mut cards = &shoe[1..];
            while cards.len() > 20 {
                self.coup(&mut cards);
                coups += 1;
            }
            self.send(Act::FreshShoe);
        }
        coups
    }

    /// Coups a second.
    fn rate(&mut self, shoes: &[Vec<Card>]) -> f64 {
        best(shoes, |some| self.shoes(some))
    }
}

/// Has a command carried out; its events replace those of the one before.
fn carry_out(table: &mut Table, way: Way, command: &Command, events: &mut Vec<Event>) {
    events.clear();
    let judged = match way {
        Way::Act => table.act(command, events),
        Way::DecideAndEvolve => table.decide(command).map(|made| {
            for event in &made {
                table.evolve(event);
            }
            *events = made;
        }),
    };
    judged.unwrap_or_else(|refusal| panic!("{refusal}"));
}

/// The best rate of several short runs: what else the machine does meanwhile falls out.
fn best(shoes: &[Vec<Card>], mut run: impl FnMut(&[Vec<Card>]) -> u32) -> f64 {
    let rates = shoes.chunks(5).map(|some| {
        let start = Instant::now();
        let coups = run(some);
        f64::from(coups) / start.elapsed().as_secs_f64()
    });
    rates.fold(0.0, f64::max)
}

fn cents(dollars: u64) -> Cents {
    Cents::new(dollars * 100).unwrap()
}

/// Shoes of shuffled cards, as many coups as a shoe gives.
fn shoes(count: u64) -> Vec<Vec<Card>> {
    (0..count)
        .map(|seed| {
            let mut cards: Vec<Card> = (0..8).flat_map(|_| Card::deck()).collect();
            let bytes = random_bytes(seed, cards.len() * 4);
            for i in (1..cards.len()).rev() {
                let word = u32::from_le_bytes(bytes[i * 4..i * 4 + 4].try_into().unwrap());
                cards.swap(i, usize::try_from(word).unwrap() % (i + 1));
            }
            cards
        })
        .collect()
}

/// The rules alone on the same cards.
fn rules_rate(book: &Rulebook, shoes: &[Vec<Card>]) -> f64 {
    let terms = Terms::main(Method::commission());
    let bets: Vec<_> = (0..SEATS)
        .map(|i| if i % 2 == 0 { Spot::Banker } else { Spot::Player })
        .map(|spot| rules::Bet { spot, stake: cents(100) })
        .collect();
    best(shoes, |some| {
        let mut coups = 0;
        for shoe in some {
            let mut cards = &shoe[1..];
            while cards.len() > 20 {
                let used = (4..=6).find(|n| book.play(&terms, &cards[..*n], &[]).is_ok()).unwrap();
                black_box(book.play(&terms, &cards[..used], &bets).unwrap());
                cards = &cards[used..];
                coups += 1;
            }
        }
        coups
    })
}

/// Events folded a second; how often each is checked more than it is anyway.
fn fold_rate(log: &[Event], checks: usize) -> f64 {
    let mut table = State::default();
    let rates = log.chunks(20_000).map(|some| {
        let start = Instant::now();
        for event in some {
            for _ in 0..checks {
                black_box(table.check(black_box(event))).unwrap();
            }
            table.evolve(event);
        }
        f64::from(u32::try_from(some.len()).unwrap()) / start.elapsed().as_secs_f64()
    });
    let best = rates.fold(0.0, f64::max);
    black_box(&table);
    best
}

/// Nanoseconds for a result on the roads, over shoes of seventy results.
fn roads_time(shoes: u32) -> f64 {
    let bytes = random_bytes(7, 70);
    let mut roads = Roads::default();
    let times = (0..shoes).map(|_| {
        let start = Instant::now();
        for _ in 0..20 {
            roads.clear();
            for (coup, byte) in (1..).zip(&bytes) {
                let outcome = match byte % 10 {
                    0 => Outcome::Tie,
                    1..=4 => Outcome::Won(Side::Player),
                    _ => Outcome::Won(Side::Banker),
                };
                let (banker_pair, player_pair, natural) = (false, false, false);
                roads.push(Bead { coup, outcome, banker_pair, player_pair, natural });
            }
            black_box(&roads);
        }
        start.elapsed().as_secs_f64() * 1e9 / (20.0 * 70.0)
    });
    times.fold(f64::INFINITY, f64::min)
}

fn main() {
    let book = Arc::new(rulebooks::load("act-2018", None).unwrap().rulebook);
    let shoes = shoes(500);
    let rules = rules_rate(&book, &shoes);
    let line = |what: &str, rate: f64| {
        println!("{what:<43}{rate:>12.0} a second   {:.2}", rate / rules);
    };
    line("seven-seat coups through the rules alone", rules);
    let mut run = Run::new(&book, Way::Act, None);
    line("seven-seat coups through the table", run.rate(&shoes));
    let mut early = Run::new(&book, Way::Act, None);
    early.shoes(&shoes[..2]);
    line("  after 100 coups", early.rate(&shoes[..50]));
    early.shoes(&shoes[..125]);
    line("  after 10,000 coups", early.rate(&shoes[..50]));
    let mut copied = Run::new(&book, Way::DecideAndEvolve, None);
    line("  judged on a copy, then folded", copied.rate(&shoes[..100]));
    let mut logged = Run::new(&book, Way::Act, Some(Vec::new()));
    logged.shoes(&shoes);
    let mut log = logged.log.take().unwrap();
    log.truncate(1_000_000);
    let (fold, twice) = (fold_rate(&log, 0), fold_rate(&log, 1));
    println!("events folded, of a log of {:>9}       {fold:>12.0} a second", log.len());
    let (fold, twice) = (1e9 / fold, 1e9 / twice);
    println!("  of {fold:.1} ns an event, what is asserted takes {:.1}", twice - fold);
    println!("a result on the roads takes {:.0} ns", roads_time(1000));
    println!("an event has {} bytes, a table {}", size_of::<Event>(), size_of::<Table>());
}
