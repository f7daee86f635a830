//! How fast a table is: seven-seat coups through `decide` and `evolve`, and the fold of a long log.
//!
//! Rates depend on the machine; the ratios are what to compare. The yardstick of the coup is
//! `Rulebook::play` on the same cards and wagers: the rules alone, without table, events or chips.

#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use rules::{Card, Cents, Method, Rulebook, Spot, Terms};
use table::{Act, Bet, Command, Deed, Event, Limits, Name, Options, Posting, State, Table, Work};
use testkit::random_bytes;

const SEATS: usize = 7;
const NAMES: [&str; SEATS] = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus"];

fn send(table: &mut Table, act: Act, log: Option<&mut Vec<Event>>) {
    let events = table.decide(&Command::new(0, act)).unwrap_or_else(|refusal| panic!("{refusal}"));
    for event in &events {
        table.evolve(event);
    }
    if let Some(log) = log {
        log.extend(events);
    }
}

fn cents(dollars: u64) -> Cents {
    Cents::new(dollars * 100).unwrap()
}

/// A table with seven players, ready to be bet at.
fn opened(book: &Arc<Rulebook>, mut log: Option<&mut Vec<Event>>) -> Table {
    let mut table = Table::new(book.clone());
    send(&mut table, Act::Open(Options::default()), log.as_deref_mut());
    let limits = Limits { least: cents(10), most: cents(1000), step: Some(cents(5)) };
    send(&mut table, Act::Post(Posting::Limits(rules::Group::Main, limits)), log.as_deref_mut());
    for (i, name) in NAMES.iter().enumerate() {
        let seat = u32::try_from(i + 1).unwrap();
        let deed = Deed::Sit(seat, cents(50_000_000_000));
        send(&mut table, Act::Player(Name::from(name).unwrap(), deed), log.as_deref_mut());
    }
    send(&mut table, Act::FreshShoe, log);
    table
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

/// One coup at the table: seven bets, the call, the deal, third cards as they are due.
fn coup(table: &mut Table, cards: &mut &[Card], mut log: Option<&mut Vec<Event>>) {
    for (i, name) in NAMES.iter().enumerate() {
        let spot = if i % 2 == 0 { Spot::Banker } else { Spot::Player };
        let bet = Bet { spot, amount: cents(100), place: None, unnoticed: false, in_error: false };
        let act = Act::Player(Name::from(name).unwrap(), Deed::Bet(bet));
        send(table, act, log.as_deref_mut());
    }
    send(table, Act::Dealer(Work::NoMoreBets), log.as_deref_mut());
    let mut next = || {
        let (first, rest) = cards.split_first().unwrap();
        *cards = rest;
        Some(*first)
    };
    let four = [next(), next(), next(), next()];
    send(table, Act::Dealer(Work::Deal(four)), log.as_deref_mut());
    while let Some(coup) = table.coup() {
        let player_due = coup.count(rules::Side::Player) == 2 && {
            let total: u32 = coup
                .hand(rules::Side::Player)
                .cards()
                .iter()
                .map(|card| match card.rank() as u32 {
                    9.. => 0,
                    rank => rank + 1,
                })
                .sum();
            total % 10 <= 5
        };
        let to = if player_due { rules::Side::Player } else { rules::Side::Banker };
        let act = Act::Dealer(Work::Draw { card: next(), to, face_down: false });
        send(table, act, log.as_deref_mut());
    }
}

/// Coups a second, with the events if they are wanted.
fn table_rate(book: &Arc<Rulebook>, shoes: &[Vec<Card>], mut log: Option<&mut Vec<Event>>) -> f64 {
    let mut table = opened(book, log.as_deref_mut());
    let mut coups = 0_u32;
    let start = Instant::now();
    for shoe in shoes {
        let mut cards = &shoe[1..];
        while cards.len() > 20 {
            coup(&mut table, &mut cards, log.as_deref_mut());
            coups += 1;
        }
        send(&mut table, Act::FreshShoe, log.as_deref_mut());
    }
    black_box(&table);
    f64::from(coups) / start.elapsed().as_secs_f64()
}

/// The rules alone on the same cards.
fn rules_rate(book: &Rulebook, shoes: &[Vec<Card>]) -> f64 {
    let terms = Terms { method: Method::Commission, pairs: None, dragon: false };
    let bets: Vec<_> = (0..SEATS)
        .map(|i| if i % 2 == 0 { Spot::Banker } else { Spot::Player })
        .map(|spot| rules::Bet { spot, stake: cents(100) })
        .collect();
    let mut coups = 0_u32;
    let start = Instant::now();
    for shoe in shoes {
        let mut cards = &shoe[1..];
        while cards.len() > 20 {
            let used = (4..=6).find(|n| book.play(terms, &cards[..*n], &[]).is_ok()).unwrap();
            black_box(book.play(terms, &cards[..used], &bets).unwrap());
            cards = &cards[used..];
            coups += 1;
        }
    }
    f64::from(coups) / start.elapsed().as_secs_f64()
}

/// Events folded a second.
fn fold_rate(log: &[Event]) -> f64 {
    let start = Instant::now();
    let mut table = State::default();
    for event in log {
        table.evolve(event);
    }
    black_box(&table);
    f64::from(u32::try_from(log.len()).unwrap()) / start.elapsed().as_secs_f64()
}

fn main() {
    let book = Arc::new(rulebooks::load("act-2018", None).unwrap().rulebook);
    let shoes = shoes(1000);
    let rules = rules_rate(&book, &shoes);
    let few = table_rate(&book, &shoes[..100], None);
    let many = table_rate(&book, &shoes, None);
    let mut log = Vec::new();
    table_rate(&book, &shoes[..500], Some(&mut log));
    log.truncate(1_000_000);
    let fold = fold_rate(&log);
    println!("seven-seat coups through the rules alone   {rules:>12.0} a second   1.00");
    println!(
        "seven-seat coups through the table         {many:>12.0} a second   {:.2}",
        many / rules
    );
    println!(
        "  the first 100 shoes of those             {few:>12.0} a second   {:.2}",
        few / rules
    );
    println!("events folded, of a log of {:>9}       {fold:>12.0} a second", log.len());
    println!("an event has {} bytes, a table {}", size_of::<Event>(), size_of::<Table>());
}
