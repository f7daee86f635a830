//! Exact odds and simulation, as ratios against a limit in the same run.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use odds::{Paths, Plan, Tableaux, Wagers, outcomes, reference_shuffle, simulate};
use rules::{Card, Composition, Method, Terms};

/// Compositions, and shoes, of one measurement.
const EXACT: u32 = 2000;
const SHOES: u32 = 204_800;

/// The best of several runs, in seconds each.
fn best(runs: usize, mut work: impl FnMut()) -> f64 {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(|_| time(&mut work)).fold(f64::INFINITY, f64::min)
}

fn main() {
    let book = rulebooks::load("act-2018", None).expect("a book").rulebook;
    let terms = Terms { method: Method::commission(), side_bets: book.all_offers() };
    let (tableaux, wagers) = (Tableaux::of(&book), Wagers::of(&book, &terms));
    let mut shoe = Composition::of_decks(8);
    for card in Card::deck().step_by(3).flat_map(|card| [card; 3]) {
        shoe.take(card).expect("eight decks have them");
    }
    let exact = best(9, || {
        for _ in 0..EXACT {
            let found = outcomes(black_box(&shoe), &tableaux).expect("a shoe");
            black_box(wagers.sums(&found));
        }
    }) / f64::from(EXACT);
    println!("exact odds of all wagers    {:8.2} µs a composition (limit 50)", exact * 1e6);

    let plan = Plan::of(&book, &terms, 8);
    let mut rng = ChaCha12Rng::from_seed([1; 32]);
    let mut cards: Vec<u8> = (0..416).map(|i| u8::try_from(i % 52).unwrap_or(0)).collect();
    let shuffled = best(9, || {
        for _ in 0..SHOES {
            reference_shuffle(&mut rng, &mut cards);
        }
        black_box(&cards);
    }) / f64::from(SHOES);
    let batched = best(9, || {
        let rng = ChaCha12Rng::from_seed([1; 32]);
        black_box(odds::shuffle_many(rng, 416, SHOES));
    }) / f64::from(SHOES);
    println!("the same, batched draws     {:8.3} µs a shoe", batched * 1e6);
    let stop = AtomicBool::new(false);
    let run = |plan: &Plan, threads| {
        best(9, || {
            let quiet = |_| {};
            let seed = 7;
            let shoes = u64::from(SHOES);
            black_box(simulate(
                plan,
                &tableaux,
                seed,
                shoes,
                (0, 1),
                threads,
                Paths::Skipped,
                &stop,
                &quiet,
            ));
        }) / f64::from(SHOES)
    };
    let (one, two) = (run(&plan, 1), run(&plan, 2));
    println!("ordinary shuffle            {:8.3} µs a shoe", shuffled * 1e6);
    println!(
        "simulation, one thread      {:8.3} µs a shoe, {:.2} of the shuffle's rate (goal 1.00)",
        one * 1e6,
        shuffled / one
    );
    println!(
        "simulation, two threads     {:8.3} µs a shoe, {:.2} of two shuffles' rate (goal 0.95)",
        two * 1e6,
        shuffled / 2.0 / two
    );
    every_side_bet(&shoe, exact, one, &run);
}

/// The same with every side bet of the library.
fn every_side_bet(shoe: &Composition, exact: f64, one: f64, run: &dyn Fn(&Plan, usize) -> f64) {
    let name = format!("act-2018+{}", rulebooks::sheet_ids().join("+"));
    let book = rulebooks::load(&name, None).expect("a book with every sheet").rulebook;
    let terms = Terms { method: Method::commission(), side_bets: book.all_offers() };
    let (every, tableaux) = (Wagers::of(&book, &terms), Tableaux::of(&book));
    let plan = Plan::of(&book, &terms, 8);
    let counted = best(9, || {
        for _ in 0..EXACT {
            let found = outcomes(black_box(shoe), &tableaux).expect("a shoe");
            black_box(every.sums(&found));
        }
    }) / f64::from(EXACT);
    println!(
        "exact odds, {} wagers       {:8.2} µs a composition, {:.2} times those of the book (goal \
         1.15)",
        every.list.len(),
        counted * 1e6,
        counted / exact
    );
    let many = run(&plan, 1);
    println!(
        "simulation, {} wagers       {:8.3} µs a shoe, {:.2} times those of the book (goal 1.15)",
        every.list.len(),
        many * 1e6,
        many / one
    );
}
