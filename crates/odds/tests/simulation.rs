//! The simulation: fair, the same for any number of threads, and in step with the exact odds.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::atomic::AtomicBool;

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use odds::{
    Paths, Plan, Tableaux, Tally, count, outcomes, shuffle_front, simulate, simulate_block,
};
use rules::{Composition, Method, Rulebook, Terms};

/// Shuffles of seven things, and of whole shoes.
const RUNS: u32 = 504_000;
const SHOES: u32 = 20_000;

fn book(id: &str) -> Rulebook {
    rulebooks::load(id, None).unwrap().rulebook
}

fn terms(book: &Rulebook) -> Terms {
    Terms { method: Method::commission(), side_bets: book.all_offers() }
}

fn run(plan: &Plan, tableaux: &Tableaux, shoes: u64, shard: (u64, u64), threads: usize) -> Tally {
    let stop = AtomicBool::new(false);
    simulate(plan, tableaux, 7, shoes, shard, threads, Paths::Followed, &stop, &|_| {})
}

#[test]
fn the_same_seed_gives_the_same_figures_for_any_threads_and_shards() {
    let book = book("act-2018");
    let (plan, tableaux) = (Plan::of(&book, &terms(&book), 8), Tableaux::of(&book));
    let whole = run(&plan, &tableaux, 5000, (0, 1), 1);
    assert_eq!(whole.shoes, 5000);
    assert!(whole.is_sound(&plan));
    assert_eq!(run(&plan, &tableaux, 5000, (0, 1), 3), whole);
    let mut merged = Tally::new(&plan, Paths::Followed);
    for shard in 0..4 {
        merged.add(&run(&plan, &tableaux, 5000, (shard, 4), 2));
    }
    assert_eq!(merged, whole);
}

#[test]
fn means_lie_within_their_error_of_the_exact_value() {
    for id in rulebooks::ids() {
        let book = book(id);
        let (plan, tableaux) = (Plan::of(&book, &terms(&book), 8), Tableaux::of(&book));
        let exact = outcomes(&Composition::of_decks(8), &tableaux).unwrap();
        let figures = run(&plan, &tableaux, 20_000, (0, 1), 2).figures(&plan);
        assert!((70.0..90.0).contains(&figures.rounds_a_shoe), "{id}: {figures:?}");
        assert!((figures.cards_a_coup - 4.9388).abs() < 0.005, "{id}: {figures:?}");
        for (wager, found) in plan.wagers.list.iter().zip(&figures.wagers) {
            let all = i128::from(exact.total) * i128::from(wager.unit);
            #[expect(clippy::cast_precision_loss, reason = "compared with a mean")]
            let value = wager.sum(&exact) as f64 / all as f64;
            // Twice the error: seven wagers of five books, and the seed is fixed.
            let far = (found.mean - value).abs();
            assert!(far < 2.0 * found.error, "{id} {}: {far} of {}", wager.spot, found.error);
            assert!(found.error < 0.02, "{id} {}: {}", wager.spot, found.error);
        }
    }
}

/// The fast way and the plain way deal the same rounds from the same shoes.
#[test]
fn the_end_of_the_shoe_is_the_books() {
    for id in rulebooks::ids() {
        let book = book(id);
        let tableaux = Tableaux::of(&book);
        for (behind, burning) in [
            (None, None),
            (Some(40), Some(odds::Burning::Nothing)),
            (Some(0), Some(odds::Burning::Unseen)),
            (Some(1), None),
        ] {
            let mut plan = Plan::of(&book, &terms(&book), 8);
            plan.behind = behind.unwrap_or(plan.behind);
            plan.burning = burning.unwrap_or(plan.burning);
            for block in 0..2 {
                let fast = simulate_block(&plan, &tableaux, 3, block, 501, Paths::Skipped);
                let slow = odds::rounds_of_block(&plan, &tableaux, 3, block, 501);
                assert_eq!((fast.coups, fast.cards), slow, "{id} {behind:?} {burning:?}");
            }
        }
    }
}

/// Every order of a few things comes up equally often; a shuffle that lets a thing stay where it is
/// too often would not pass.
#[test]
fn the_batched_shuffle_is_fair() {
    let chi_square = |shuffle: &mut dyn FnMut(&mut [u8; 7])| {
        let mut counts = std::collections::HashMap::new();
        for _ in 0..RUNS {
            let mut things = [0, 1, 2, 3, 4, 5, 6];
            shuffle(&mut things);
            *counts.entry(things).or_insert(0_u32) += 1;
        }
        let wanted = f64::from(RUNS) / 5040.0;
        let seen: f64 = counts.values().map(|c| (f64::from(*c) - wanted).powi(2) / wanted).sum();
        // Orders that never came up count, too.
        seen + wanted * f64::from(5040 - u32::try_from(counts.len()).unwrap())
    };
    // 5039 degrees of freedom: 99 % lie below 5277.
    let mut rng = Some(ChaCha12Rng::from_seed([3; 32]));
    let fair = chi_square(&mut |things| {
        rng = rng.take().map(|rng| shuffle_front(rng, things, 7));
    });
    assert!(fair < 5277.0, "{fair}");
    let mut state = 1_u64;
    let biased = chi_square(&mut |things| {
        for i in 0..7_usize {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Any place instead of those that are left.
            things.swap(i, usize::try_from((state >> 33) % 7).unwrap());
        }
    });
    assert!(biased > 6000.0, "a naive shuffle was not caught: {biased}");
}

/// Cards by position in whole shoes, and the same for a shuffle that stops early.
#[test]
fn every_card_is_everywhere_equally_often() {
    let chi_square = |count: usize| {
        let mut cells = vec![0_u32; 416 * 52];
        let mut rng = Some(ChaCha12Rng::from_seed([9; 32]));
        for _ in 0..SHOES {
            let mut cards: Vec<u8> = (0..416).map(|i| u8::try_from(i % 52).unwrap()).collect();
            rng = rng.take().map(|rng| shuffle_front(rng, &mut cards, count));
            for (at, card) in cards.iter().enumerate() {
                cells[at * 52 + usize::from(*card)] += 1;
            }
        }
        let wanted = f64::from(SHOES) / 52.0;
        cells.iter().map(|c| (f64::from(*c) - wanted).powi(2) / wanted).sum::<f64>()
    };
    // 415 × 51 degrees of freedom; the standard deviation of the statistic is about 206.
    let fair = chi_square(416);
    assert!((20_600.0..21_740.0).contains(&fair), "{fair}");
    assert!(chi_square(400) > 25_000.0, "a shuffle that stops early was not caught");
}

#[test]
fn side_bets_can_be_counted_and_the_count_is_the_same_for_any_threads() {
    let book = book("act-2018");
    let (plan, tableaux) = (Plan::of(&book, &terms(&book), 8), Tableaux::of(&book));
    let stop = AtomicBool::new(false);
    let one = count(&plan, &tableaux, 5, 12, 1, &stop, &|_| {});
    assert_eq!(count(&plan, &tableaux, 5, 12, 2, &stop, &|_| {}), one);
    assert_eq!(one.shoes, 12);
    assert!(one.coups > 800, "{one:?}");
    let favourable: u64 = one.wagers.iter().map(|wager| wager.favourable).sum();
    assert!(favourable > 0, "nothing ever turned favourable: {one:?}");
    assert!(one.wagers.iter().all(|w| w.favourable <= one.coups && w.gain >= 0), "{one:?}");
}

/// A book with a sheet of its own, in which every side bet has these rows.
fn with_bets(bets: &[Vec<String>]) -> Rulebook {
    let mut sheet = String::from(
        "numbered = [\"1\"]\n[about]\nname = \"Many\"\nsource = \"a test\"\n[[clause]]\nid = \
         \"1\"\nduty = \"enforced\"\ngist = \"All of it\"\n",
    );
    for (at, rows) in bets.iter().enumerate() {
        sheet +=
            &format!("[[side_bet]]\nkey = \"bet-{at}\"\nname = \"Bet {at}\"\noffered = \"1\"\n");
        sheet += &format!("rows = [{}]\n", rows.join(", "));
        sheet += "otherwise = { lost = true, clause = \"1\" }\n";
    }
    let mut kept = rulebooks::sources(&rulebooks::load("act-2018", None).unwrap());
    for file in &mut kept {
        file.book = "house".into();
    }
    kept.push(rulebooks::OwnFile { book: "house".into(), file: "many.toml".into(), text: sheet });
    rulebooks::load_with("house+many", None, &kept).unwrap().rulebook
}

fn row(total: usize, pays: &str) -> String {
    format!("{{ winner = \"banker\", banker = [{total}], pays = \"{pays}\", clause = \"1\" }}")
}

/// What a tally says of a wager, by what it says of the rounds: the mean needs no sums of its own.
fn mean_of(book: &Rulebook, at: usize, shoes: u64) -> (f64, f64, f64) {
    let (plan, tableaux) = (Plan::of(book, &terms(book), 8), Tableaux::of(book));
    let exact = outcomes(&Composition::of_decks(8), &tableaux).unwrap();
    let figures = run(&plan, &tableaux, shoes, (0, 1), 2).figures(&plan);
    let wager = &plan.wagers.list[at];
    let all = i128::from(exact.total) * i128::from(wager.unit);
    #[expect(clippy::cast_precision_loss, reason = "compared with a mean")]
    let value = wager.sum(&exact) as f64 / all as f64;
    (figures.wagers[at].mean, figures.wagers[at].error, value)
}

#[test]
fn a_hundred_wagers_are_simulated_and_counted() {
    // A row on a Banker total of nought never matches with Banker as the winner.
    let rows = |at: usize| {
        let totals = [(at % 10, "7:1"), ((at + 3) % 10, "9:2")];
        let totals = totals.into_iter().filter(|(total, _)| *total > 0);
        totals.map(|(total, pays)| row(total, pays)).collect()
    };
    let bets: Vec<Vec<_>> = (0..100).map(rows).collect();
    let book = with_bets(&bets);
    let (plan, tableaux) = (Plan::of(&book, &terms(&book), 8), Tableaux::of(&book));
    assert!(plan.wagers.list.len() > 100);
    let tally = run(&plan, &tableaux, 3000, (0, 1), 2);
    assert!(tally.is_sound(&plan));
    let figures = tally.figures(&plan);
    // Wagers that are the same bring the same, whichever of the runs they were added up in.
    let first = plan.wagers.list.iter().position(|w| w.spot.key() == "bet-1").unwrap();
    let first = figures.wagers[first];
    for ten in 1..10 {
        let key = format!("bet-{}", 10 * ten + 1);
        let same = figures.wagers.iter().find(|wager| wager.spot.key() == key).unwrap();
        assert_eq!(odds::WagerFigures { spot: first.spot, ..*same }, first, "{key}");
    }
    // The main wagers bring what they bring without the others.
    let usual = rulebooks::load("act-2018", None).unwrap().rulebook;
    let alone = Plan::of(&usual, &terms(&usual), 8);
    let alone = run(&alone, &tableaux, 3000, (0, 1), 2).figures(&alone);
    assert_eq!(figures.wagers[..3], alone.wagers[..3]);
    let stop = AtomicBool::new(false);
    let counted = count(&plan, &tableaux, 5, 2, 1, &stop, &|_| {});
    assert_eq!(counted.wagers.len(), plan.wagers.list.len());
}

#[test]
fn odds_that_have_little_in_common_are_simulated_and_counted_as_they_are() {
    let awkward = vec![row(5, "131:127"), row(6, "101:97 less 5%"), row(7, "53:47")];
    let wild = ["1:997", "1:991", "1:983", "1:977"].iter().enumerate();
    let wild: Vec<_> = wild.map(|(at, pays)| row(at + 1, pays)).collect();
    let generous = vec![
        "{ winner = \"banker\", pays = \"1000:1\", clause = \"1\" }".to_owned(),
        "{ winner = \"player\", pays = \"999:7\", clause = \"1\" }".to_owned(),
    ];
    let book = with_bets(&[awkward, wild, generous]);
    let (plan, tableaux) = (Plan::of(&book, &terms(&book), 8), Tableaux::of(&book));
    let at = |key: &str| plan.wagers.list.iter().position(|w| w.spot.key() == key).unwrap();
    let shoes = 3000;
    assert!(plan.most_shoes() > u128::from(shoes));
    for key in ["bet-0", "bet-1", "bet-2", "banker"] {
        let (mean, error, value) = mean_of(&book, at(key), shoes);
        assert!(error.is_finite() && error > 0.0, "{key}: {error}");
        assert!((mean - value).abs() < 2.0 * error, "{key}: {mean}, and {value} is exact");
    }
    let stop = AtomicBool::new(false);
    let counted = count(&plan, &tableaux, 5, 4, 1, &stop, &|_| {});
    let generous = &counted.wagers[at("bet-2")];
    assert_eq!(generous.favourable, counted.coups);
    // Nearly half of 1000 and nearly half of 142.7 units a round.
    let mean = generous.gain / i128::from(counted.coups) / 1_000_000_000_000;
    assert!((500..540).contains(&mean), "{mean}");
}
