//! Countability: how often, and by how much, a wager turns favourable for somebody who knows every
//! card that was shown.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use dashu_int::IBig;
use rules::{Card, Composition, Spot};

use crate::exact::outcomes;
use crate::simulate::{Burning, Plan, ROOM, byte, rounds, shuffle_room};
use crate::tableaux::Tableaux;

/// What was found for one wager. Gains are in parts of 10⁻¹² of a unit, so that sums are exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedWager {
    /// Where.
    pub spot: Spot,
    /// Rounds before which it was favourable.
    pub favourable: u64,
    /// What a unit on each of them brings, all together.
    pub gain: i128,
    /// The most that one of them brings.
    pub best: i128,
}

/// What was found for all wagers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Shoes.
    pub shoes: u64,
    /// Rounds.
    pub coups: u64,
    /// Wager by wager.
    pub wagers: Vec<CountedWager>,
}

impl Counted {
    fn new(plan: &Plan) -> Self {
        let wagers = plan.wagers.list.iter();
        let none = |spot| CountedWager { spot, favourable: 0, gain: 0, best: 0 };
        Self { shoes: 0, coups: 0, wagers: wagers.map(|wager| none(wager.spot)).collect() }
    }

    fn add(&mut self, other: &Self) {
        self.shoes += other.shoes;
        self.coups += other.coups;
        for (wager, other) in self.wagers.iter_mut().zip(&other.wagers) {
            wager.favourable += other.favourable;
            wager.gain += other.gain;
            wager.best = wager.best.max(other.best);
        }
    }
}

/// Parts of a unit.
const PARTS: i128 = 1_000_000_000_000;

/// What a unit brings, of a sum over so many parts.
fn gain(sum: i128, all: i128) -> i128 {
    // Odds that have little in common are counted in parts so small that the product is too large.
    sum.checked_mul(PARTS).map_or_else(
        || sum / all * PARTS + i128::try_from(big(sum % all) * big(PARTS) / big(all)).unwrap_or(0),
        |parts| parts / all,
    )
}

fn big(number: i128) -> IBig {
    IBig::from(number)
}

/// Plays shoes round by round with the exact odds of the cards that were not seen before each.
pub fn count(
    plan: &Plan,
    tableaux: &Tableaux,
    seed: u64,
    shoes: u64,
    threads: usize,
    stop: &AtomicBool,
    done: &(dyn Fn(u64) + Sync),
) -> Counted {
    let (next, sum) = (AtomicU64::new(0), Mutex::new(Counted::new(plan)));
    let work = || {
        let mut mine = Counted::new(plan);
        loop {
            let shoe = next.fetch_add(1, Ordering::Relaxed);
            if shoe >= shoes || stop.load(Ordering::Relaxed) {
                break;
            }
            one(plan, tableaux, seed, shoe, &mut mine);
            done(1);
        }
        sum.lock().expect("nobody panics while adding").add(&mine);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    sum.into_inner().expect("nobody panics while adding")
}

fn one(plan: &Plan, tableaux: &Tableaux, seed: u64, shoe: u64, found: &mut Counted) {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(b"counting");
    let mut rng = ChaCha12Rng::from_seed(key);
    rng.set_stream(shoe);
    let mut cards = [0; ROOM];
    let fresh = plan.cards(tableaux);
    cards[..fresh.len()].copy_from_slice(&fresh);
    shuffle_room(rng, &mut cards, fresh.len());
    let mut names = [None; 256];
    for card in Card::deck() {
        names[usize::from(byte(card, tableaux))] = Some(card);
    }
    let decks = u16::try_from(plan.decks).unwrap_or(8);
    let mut unseen = Composition::of_decks(decks);
    let see = |at: usize, unseen: &mut Composition| {
        if let Some(card) = names[usize::from(cards[at])] {
            let _ = unseen.take(card);
        }
    };
    if plan.burning == Burning::Shown {
        see(0, &mut unseen);
    }
    found.shoes += 1;
    for (at, takes) in rounds(plan, &cards, fresh.len()) {
        if let Ok(odds) = outcomes(&unseen, tableaux) {
            found.coups += 1;
            let sums = plan.wagers.sums(&odds);
            let wagers = plan.wagers.list.iter().zip(&mut found.wagers);
            for ((wager, found), sum) in wagers.zip(sums) {
                if sum > 0 {
                    let gain = gain(sum, i128::from(odds.total) * i128::from(wager.unit));
                    found.favourable += 1;
                    found.gain += gain;
                    found.best = found.best.max(gain);
                }
            }
        }
        for card in at..at + takes {
            see(card, &mut unseen);
        }
    }
}
