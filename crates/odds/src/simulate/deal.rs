//! Shoes, dealt one after another.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use rules::book::Finish;

use super::plan::{Burning, ENDS, GROUPS, Plan, ROWS, WAGERS};
use super::shuffle::{Words, shuffle};
use super::tally::{ROUNDS, STREAKS, Tally};
use crate::tableaux::Tableaux;

/// Shoes of a block: they share a stream of random numbers.
pub const BLOCK: u64 = 1024;

/// What one shoe brought; its sums stay small.
struct Shoe {
    coups: u32,
    cards: u32,
    won: [i32; WAGERS],
    high: [i32; WAGERS],
    fall: [i32; WAGERS],
    /// Who has the streak, and how long it is.
    last: usize,
    length: usize,
}

/// Sums over the shoes of a block that change with every round.
struct Hot {
    groups: [u32; GROUPS],
    pairs: [[u32; 8]; 2],
    /// By who has the streak: nobody, Player, Banker.
    streaks: [[u32; STREAKS]; 4],
}

/// Simulates one block of shoes.
#[must_use]
pub fn simulate_block(
    plan: &Plan,
    tableaux: &Tableaux,
    seed: u64,
    block: u64,
    shoes: u64,
    paths: bool,
) -> Tally {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(b"simulate");
    let mut rng = ChaCha12Rng::from_seed(key);
    rng.set_stream(block);
    let mut words = Words::new(rng);
    let mut cards = plan.cards(tableaux);
    let used = cards.len();
    // Eight bytes are read at once, also at the last card.
    cards.extend([0; 8]);
    let mut tally = Tally::new(paths);
    let mut hot = Hot { groups: [0; GROUPS], pairs: [[0; 8]; 2], streaks: [[0; STREAKS]; 4] };
    for _ in 0..shoes {
        shuffle(&mut words, &mut cards[..used], used);
        let shoe = if paths {
            deal::<true>(plan, &cards, used, &mut hot)
        } else {
            deal::<false>(plan, &cards, used, &mut hot)
        };
        gather(&mut tally, &shoe);
    }
    cool(&mut tally, &hot);
    tally
}

fn gather(tally: &mut Tally, shoe: &Shoe) {
    let coups = u64::from(shoe.coups);
    tally.shoes += 1;
    tally.coups += coups;
    tally.coups_squared += coups * coups;
    tally.cards += u64::from(shoe.cards);
    tally.rounds[(shoe.coups as usize).min(ROUNDS - 1)] += 1;
    for at in 0..WAGERS {
        let won = i64::from(shoe.won[at]);
        tally.won[at] += won;
        tally.won_squared[at] += won * won;
        tally.won_times_coups[at] += won * i64::from(shoe.coups);
        tally.falls[at] += i64::from(shoe.fall[at]);
        tally.deepest[at] = tally.deepest[at].max(i64::from(shoe.fall[at]));
    }
}

fn cool(tally: &mut Tally, hot: &Hot) {
    for (sum, count) in tally.groups.iter_mut().zip(hot.groups) {
        *sum += u64::from(count);
    }
    for hand in 0..2 {
        for (sum, count) in tally.pairs[hand].iter_mut().zip(hot.pairs[hand]) {
            *sum += u64::from(count);
        }
        for (sum, count) in tally.streaks[hand].iter_mut().zip(hot.streaks[hand + 1]) {
            *sum += u64::from(count);
        }
    }
}

/// One round from a place in the shoe: its group and how many cards it takes beyond four.
#[inline]
fn round<const PATHS: bool>(
    plan: &Plan,
    cards: &[u8],
    at: usize,
    shoe: &mut Shoe,
    hot: &mut Hot,
) -> (usize, usize) {
    let bytes: [u8; 8] = cards[at..at + 8].try_into().expect("eight bytes");
    let word = u64::from_le_bytes(bytes);
    let values = word >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
    // Player's first two cards and Banker's, each sum in a byte of its own.
    let sums = usize::try_from((values + (values >> 16)) & 0xffff).expect("two bytes");
    let (v, u) = (values >> 32 & 0xf, values >> 40 & 0xf);
    let third = usize::try_from(v * 10 + u).expect("two digits");
    let row = usize::from(plan.rows[sums % ROWS]);
    let end = plan.ends[(row + third) % ENDS];
    let (group, more) = (usize::from(end >> 2) % GROUPS, usize::from(end & 3));
    hot.groups[group] += 1;
    let differ = |one: usize, other: usize| usize::from((bytes[one] ^ bytes[other]).min(4));
    let (player, banker) = (differ(0, 2), differ(1, 3));
    hot.pairs[0][player] += 1;
    hot.pairs[1][banker] += 1;
    let (pays, first, second) =
        (&plan.pays[group], &plan.pair_pays[0][player], &plan.pair_pays[1][banker]);
    for i in 0..WAGERS {
        shoe.won[i] += pays[i] + first[i] + second[i];
        if PATHS {
            shoe.high[i] = shoe.high[i].max(shoe.won[i]);
            shoe.fall[i] = shoe.fall[i].max(shoe.high[i] - shoe.won[i]);
        }
    }
    streak(usize::from(plan.winner[group]), shoe, hot);
    shoe.coups += 1;
    shoe.cards += 4 + u32::from(end & 3);
    (group, more)
}

/// A result goes on with the streak or ends it; a tie does neither.
#[inline]
fn streak(winner: usize, shoe: &mut Shoe, hot: &mut Hot) {
    let (tie, same) = (winner == 0, winner == shoe.last);
    let ended = !tie && !same;
    hot.streaks[shoe.last % 4][shoe.length % STREAKS] += u32::from(ended);
    let longer = (shoe.length + usize::from(!tie)).min(STREAKS - 1);
    shoe.length = if ended { 1 } else { longer };
    shoe.last = if tie { shoe.last } else { winner };
}

/// Deals a shoe to its end.
fn deal<const PATHS: bool>(plan: &Plan, cards: &[u8], used: usize, hot: &mut Hot) -> Shoe {
    let mut shoe = Shoe {
        coups: 0,
        cards: 0,
        won: [0; WAGERS],
        high: [0; WAGERS],
        fall: [0; WAGERS],
        last: 0,
        length: 0,
    };
    let mut at = match plan.burning {
        Burning::Shown => 1 + usize::from(plan.burnt[usize::from(cards[0])]),
        Burning::Unseen => 1,
        Burning::Nothing => 0,
    };
    let marker = used.saturating_sub(plan.behind as usize);
    while at + 6 <= marker {
        let (_, more) = round::<PATHS>(plan, cards, at, &mut shoe, hot);
        at += 4 + more;
    }
    last_rounds::<PATHS>(plan, cards, used, (at, marker), &mut shoe, hot);
    hot.streaks[shoe.last % 4][shoe.length % STREAKS] += u32::from(shoe.last != 0);
    shoe
}

/// The end of the shoe: the cutting card comes, and the book says how many rounds are left.
fn last_rounds<const PATHS: bool>(
    plan: &Plan,
    cards: &[u8],
    used: usize,
    (mut at, marker): (usize, usize),
    shoe: &mut Shoe,
    hot: &mut Hot,
) {
    let mut left: Option<u32> = None;
    let mut extra = plan.one_more_on_tie;
    loop {
        let before = at == marker && left.is_none();
        if before {
            left = Some(rounds(plan.finish[0]));
        }
        let Some(more) = peek(plan, cards, at, used) else { return };
        let after = at + 4 + more;
        let group = round::<PATHS>(plan, cards, at, shoe, hot).0;
        if !before && left.is_none() && after > marker {
            // It came within the round; a card behind it is out.
            left = Some(rounds(plan.finish[1]));
        }
        at = after;
        if let Some(rounds) = &mut left {
            *rounds = rounds.saturating_sub(1);
            if *rounds == 0 {
                // A tie in the last round brings one more, once.
                if !(extra && plan.winner[group] == 0) {
                    return;
                }
                extra = false;
                *rounds = 1;
            }
        }
    }
}

/// How many rounds are dealt when the cutting card comes, the current one counted.
const fn rounds(finish: Finish) -> u32 {
    match finish {
        // The round that uses a card behind it is the last.
        Finish::ThisRound | Finish::OneBehind => 1,
        Finish::NextRound => 2,
    }
}

/// How many cards the round takes beyond four; nothing if the shoe has too few.
fn peek(plan: &Plan, cards: &[u8], at: usize, used: usize) -> Option<usize> {
    if at + 4 > used {
        return None;
    }
    let value = |i: usize| usize::from(cards[at + i] >> 4);
    let row = usize::from(plan.rows[(value(1) + value(3)) << 8 | (value(0) + value(2))]);
    let more = usize::from(plan.ends[row + value(4) * 10 + value(5)] & 3);
    (at + 4 + more <= used).then_some(more)
}

/// Simulates so many shoes on so many threads; `stop` ends it early, `done` follows it.
#[expect(clippy::too_many_arguments, reason = "each is a choice of its own")]
pub fn simulate(
    plan: &Plan,
    tableaux: &Tableaux,
    seed: u64,
    shoes: u64,
    shard: (u64, u64),
    threads: usize,
    paths: bool,
    stop: &AtomicBool,
    done: &(dyn Fn(u64) + Sync),
) -> Tally {
    let blocks = shoes.div_ceil(BLOCK);
    let (which, of) = shard;
    let next = AtomicU64::new(which);
    let sum = Mutex::new(Tally::new(paths));
    let work = || {
        let mut mine = Tally::new(paths);
        loop {
            let block = next.fetch_add(of, Ordering::Relaxed);
            if block >= blocks || stop.load(Ordering::Relaxed) {
                break;
            }
            let count = BLOCK.min(shoes - block * BLOCK);
            mine.add(&simulate_block(plan, tableaux, seed, block, count, paths));
            done(count);
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
