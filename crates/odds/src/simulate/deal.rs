//! Shoes, dealt one after another.
//!
//! A block is dealt with the widest instructions that the machine has, which reach a function only
//! if it becomes part of the block: hence `inline(always)` here and in the shuffle.

use std::ops::{Add, AddAssign, Mul, Sub};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use chacha20::ChaCha12Rng;
use chacha20::rand_core::SeedableRng;
use rules::book::Finish;

use super::plan::{Burning, ENDS, GROUPS, LANES, Lanes, Plan, ROWS, Width};
use super::shuffle::{ROOM, Words, shuffle_together};
use super::tally::{Paths, ROUNDS, STREAKS, Tally};
use crate::tableaux::Tableaux;

/// Shoes that are shuffled side by side. Two of them are dealt side by side.
const TOGETHER: usize = 4;

/// Shoes of a block: they share a stream of random numbers.
pub const BLOCK: u64 = 1024;

/// A number that a shoe's sums fit into: the smaller, the more of them are added at once.
trait Lane: Copy + Ord + Add<Output = Self> + Sub<Output = Self> + Into<Self::Sum> {
    /// A number that a block's sums fit into, those of squares too.
    type Sum: Copy + Ord + From<u32> + AddAssign + Mul<Output = Self::Sum> + Into<i128>;

    const ZERO: Self;

    fn of(parts: i64) -> Self;
}

impl Lane for i16 {
    type Sum = i64;

    const ZERO: Self = 0;

    fn of(parts: i64) -> Self {
        Self::try_from(parts).expect("the plan fits into 16 bits")
    }
}

impl Lane for i32 {
    type Sum = i128;

    const ZERO: Self = 0;

    fn of(parts: i64) -> Self {
        Self::try_from(parts).expect("the plan fits into 32 bits")
    }
}

impl Lane for i64 {
    type Sum = i128;

    const ZERO: Self = 0;

    fn of(parts: i64) -> Self {
        parts
    }
}

/// What one shoe brought; its sums stay small.
struct Shoe<L, const EIGHTS: usize> {
    coups: u32,
    cards: u32,
    won: [[L; LANES]; EIGHTS],
    high: [[L; LANES]; EIGHTS],
    fall: [[L; LANES]; EIGHTS],
    /// Who has the streak, and how long it is: a state.
    streak: usize,
}

/// What wagers pay, in tables of a known size: an index into them need not be checked.
struct Pays<L, const EIGHTS: usize> {
    groups: [[[L; LANES]; EIGHTS]; GROUPS],
    pairs: [[[L; LANES]; EIGHTS]; 64],
}

impl<L: Lane, const EIGHTS: usize> Pays<L, EIGHTS> {
    /// The payouts of so many times eight wagers, from that one on.
    fn of(plan: &Plan, first: usize) -> Self {
        let mut pays = Self {
            groups: [[[L::ZERO; LANES]; EIGHTS]; GROUPS],
            pairs: [[[L::ZERO; LANES]; EIGHTS]; 64],
        };
        let copy = |into: &mut [[[L; LANES]; EIGHTS]], from: &[Lanes]| {
            for (into, from) in into.iter_mut().zip(from.chunks_exact(plan.eights)) {
                for (into, from) in into.iter_mut().zip(&from[first..]) {
                    *into = from.map(L::of);
                }
            }
        };
        copy(&mut pays.groups, &plan.pays);
        copy(&mut pays.pairs, &plan.pair_pays);
        pays
    }
}

/// Sums over the shoes of a block that change with every round.
struct Hot {
    groups: [u32; GROUPS],
    /// By how the bytes of Player's first two cards differ, times eight, and Banker's.
    pairs: [u32; 64],
    /// By the state of the streak, times four, and the result: streaks are counted from these.
    steps: [u32; STATES * 4],
    /// Streaks that the end of the shoe cut off, by their state.
    cut: [u32; STATES],
}

/// The stream of random numbers of a block.
fn stream(seed: u64, block: u64) -> Words {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(b"simulate");
    let mut rng = ChaCha12Rng::from_seed(key);
    rng.set_stream(block);
    Words::new(rng)
}

/// The rounds and cards of a block's shoes, dealt the plain way: what the fast way must agree with.
#[must_use]
pub fn rounds_of_block(
    plan: &Plan,
    tableaux: &Tableaux,
    seed: u64,
    block: u64,
    shoes: u64,
) -> (u64, u64) {
    let fresh = plan.cards(tableaux);
    let used = fresh.len();
    let mut shoes_at_once = [[0; ROOM]; TOGETHER];
    for cards in &mut shoes_at_once {
        cards[..used].copy_from_slice(&fresh);
    }
    let mut words = stream(seed, block);
    let (mut coups, mut taken) = (0, 0);
    for shoe in 0..shoes {
        let at = usize::try_from(shoe).unwrap_or(0) % TOGETHER;
        if at == 0 {
            shuffle_together(&mut words, &mut shoes_at_once, used);
        }
        let rounds = super::rounds(plan, &shoes_at_once[at], used);
        coups += rounds.len() as u64;
        taken += rounds.iter().map(|(_, takes)| *takes as u64).sum::<u64>();
    }
    (coups, taken)
}

/// What a block's shoes brought on each wager.
struct Sums<S, const EIGHTS: usize> {
    won: [[S; LANES]; EIGHTS],
    won_squared: [[S; LANES]; EIGHTS],
    won_times_coups: [[S; LANES]; EIGHTS],
    falls: [[S; LANES]; EIGHTS],
    deepest: [[S; LANES]; EIGHTS],
}

/// Simulates one block of shoes. There may be more wagers than are added up at once: then the same
/// shoes are dealt again for the others.
///
/// # Panics
///
/// With more shoes than [`Plan::most_shoes`].
#[must_use]
pub fn simulate_block(
    plan: &Plan,
    tableaux: &Tableaux,
    seed: u64,
    block: u64,
    shoes: u64,
    paths: Paths,
) -> Tally {
    assert!(plan.most_shoes() >= u128::from(shoes), "what so many shoes bring is not counted");
    let width = plan.width();
    let arch = pulp::Arch::new();
    let mut tally = Tally::new(plan, paths);
    let mut first = 0;
    macro_rules! run {
        ($lane:ty, $eights:literal) => {{
            let words = stream(seed, block);
            let from = first;
            first += $eights;
            arch.dispatch(
                #[inline(always)]
                || block_of::<$lane, $eights>((plan, from), tableaux, words, shoes, &mut tally),
            )
        }};
    }
    while first < plan.eights {
        match (plan.eights - first, width) {
            (1, Width::Sixteen) => run!(i16, 1),
            (2, Width::Sixteen) => run!(i16, 2),
            (3, Width::Sixteen) => run!(i16, 3),
            (4, Width::Sixteen) => run!(i16, 4),
            (5, Width::Sixteen) => run!(i16, 5),
            (6, Width::Sixteen) => run!(i16, 6),
            (1 | 2, Width::ThirtyTwo) => run!(i32, 2),
            (3 | 4, Width::ThirtyTwo) => run!(i32, 4),
            (_, Width::Sixteen | Width::ThirtyTwo) => run!(i32, 8),
            (_, Width::SixtyFour) => run!(i64, 2),
        }
    }
    tally
}

#[inline(always)]
fn block_of<L: Lane, const EIGHTS: usize>(
    (plan, first): (&Plan, usize),
    tableaux: &Tableaux,
    mut words: Words,
    shoes: u64,
    tally: &mut Tally,
) {
    let fresh = plan.cards(tableaux);
    let used = fresh.len();
    // Eight bytes are read at once, also at the last card.
    assert!(used + 8 <= ROOM, "a shoe of so many cards is not simulated");
    let mut shoes_at_once = [[0; ROOM]; TOGETHER];
    for cards in &mut shoes_at_once {
        cards[..used].copy_from_slice(&fresh);
    }
    let pays = Pays::<L, EIGHTS>::of(plan, first);
    let nothing = [[L::ZERO.into(); LANES]; EIGHTS];
    let mut sums = Sums::<L::Sum, EIGHTS> {
        won: nothing,
        won_squared: nothing,
        won_times_coups: nothing,
        falls: nothing,
        deepest: nothing,
    };
    let mut hot =
        Hot { groups: [0; GROUPS], pairs: [0; 64], steps: [0; STATES * 4], cut: [0; STATES] };
    let mut left = shoes;
    while left > 0 {
        shuffle_together(&mut words, &mut shoes_at_once, used);
        for pair in shoes_at_once.as_chunks::<2>().0 {
            let count = usize::try_from(left.min(2)).unwrap_or(2);
            if count == 0 {
                break;
            }
            let dealt = if tally.paths {
                deal::<L, true, EIGHTS>((plan, &pays), pair, used, count, &mut hot)
            } else {
                deal::<L, false, EIGHTS>((plan, &pays), pair, used, count, &mut hot)
            };
            for shoe in &dealt[..count] {
                gather(&mut sums, shoe);
                if first == 0 {
                    tally_shoe(tally, shoe.coups, shoe.cards);
                }
            }
            left -= count as u64;
        }
    }
    if first == 0 {
        cool(tally, &hot);
    }
    let wide = |from: &[[L::Sum; LANES]; EIGHTS], into: &mut [i128]| {
        for (into, from) in into[first * LANES..].iter_mut().zip(from.as_flattened()) {
            *into = (*from).into();
        }
    };
    wide(&sums.won, &mut tally.won);
    wide(&sums.won_squared, &mut tally.won_squared);
    wide(&sums.won_times_coups, &mut tally.won_times_coups);
    wide(&sums.falls, &mut tally.falls);
    wide(&sums.deepest, &mut tally.deepest);
}

/// What all wagers share.
#[inline(always)]
fn tally_shoe(tally: &mut Tally, rounds: u32, cards: u32) {
    let coups = u64::from(rounds);
    tally.shoes += 1;
    tally.coups += coups;
    tally.coups_squared += coups * coups;
    tally.cards += u64::from(cards);
    tally.rounds[(rounds as usize).min(ROUNDS - 1)] += 1;
}

#[inline(always)]
fn gather<L: Lane, const EIGHTS: usize>(sums: &mut Sums<L::Sum, EIGHTS>, shoe: &Shoe<L, EIGHTS>) {
    let coups = L::Sum::from(shoe.coups);
    for eight in 0..EIGHTS {
        for i in 0..LANES {
            let (won, fall) = (shoe.won[eight][i].into(), shoe.fall[eight][i].into());
            sums.won[eight][i] += won;
            sums.won_squared[eight][i] += won * won;
            sums.won_times_coups[eight][i] += won * coups;
            sums.falls[eight][i] += fall;
            sums.deepest[eight][i] = sums.deepest[eight][i].max(fall);
        }
    }
}

fn cool(tally: &mut Tally, hot: &Hot) {
    for (sum, count) in tally.groups.iter_mut().zip(hot.groups) {
        *sum += u64::from(count);
    }
    for (differ, count) in hot.pairs.iter().enumerate() {
        tally.pairs[differ] += u64::from(*count);
    }
    for state in STREAKS..3 * STREAKS {
        // A streak ends with a result of the other side, or with the shoe.
        let (last, length) = (state / STREAKS, state % STREAKS);
        let ended = hot.steps[state << 2 | (3 - last)] + hot.cut[state];
        tally.streaks[last - 1][length] += u64::from(ended);
    }
}

/// One round from a place in the shoe: its group and how many cards it takes beyond four.
#[inline(always)]
fn round<L: Lane, const PATHS: bool, const EIGHTS: usize>(
    (plan, pays): (&Plan, &Pays<L, EIGHTS>),
    cards: &[u8; ROOM],
    at: usize,
    shoe: &mut Shoe<L, EIGHTS>,
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
    // How the first two cards of each hand differ.
    let differ = word ^ word >> 16;
    // Red suits differ as black ones do; the upper bit of the suit tells them apart.
    let kind = |differ: u64, card: u64| {
        let differ = (differ & 0xff).min(4);
        let black = u64::from(differ == 1) & (card >> 1);
        usize::try_from(differ | black << 2).expect("at most five")
    };
    let (player, banker) = (kind(differ, word), kind(differ >> 8, word >> 8));
    let kinds = player << 3 | banker;
    hot.pairs[kinds] += 1;
    let (pays, pairs) = (&pays.groups[group], &pays.pairs[kinds]);
    for eight in 0..EIGHTS {
        for i in 0..LANES {
            let won = shoe.won[eight][i] + pays[eight][i] + pairs[eight][i];
            shoe.won[eight][i] = won;
            if PATHS {
                let high = shoe.high[eight][i].max(won);
                shoe.high[eight][i] = high;
                shoe.fall[eight][i] = shoe.fall[eight][i].max(high - won);
            }
        }
    }
    let step = (shoe.streak << 2 | usize::from(plan.winner[group])) % (STATES * 4);
    hot.steps[step] += 1;
    shoe.streak = usize::from(NEXT[step]);
    shoe.coups += 1;
    (group, more)
}

/// The states of a streak: who has it, times 32, and how long it is.
const STATES: usize = 128;

/// What each result makes of each state: it goes on with the streak, or begins another; a tie does
/// neither.
static NEXT: [u8; STATES * 4] = {
    let mut next = [0; STATES * 4];
    let mut state = 0;
    while state < STATES {
        let (last, length) = (state / STREAKS, state % STREAKS);
        let mut winner = 0;
        while winner < 4 {
            let longer = if length + 1 < STREAKS { length + 1 } else { length };
            let to = if winner == 0 {
                state
            } else if winner == last {
                last * STREAKS + longer
            } else {
                winner * STREAKS + 1
            };
            next[state << 2 | winner] = low_byte(to);
            winner += 1;
        }
        state += 1;
    }
    next
};

#[expect(clippy::cast_possible_truncation, reason = "there are 128 states")]
const fn low_byte(state: usize) -> u8 {
    state as u8
}

impl<L: Lane, const EIGHTS: usize> Shoe<L, EIGHTS> {
    const FRESH: Self = Self {
        coups: 0,
        cards: 0,
        won: [[L::ZERO; LANES]; EIGHTS],
        high: [[L::ZERO; LANES]; EIGHTS],
        fall: [[L::ZERO; LANES]; EIGHTS],
        streak: 0,
    };
}

/// Deals two shoes to their ends, or one. What a round takes is known only when it is counted, so
/// the rounds of one shoe wait for each other; those of two shoes do not.
#[inline(always)]
fn deal<L: Lane, const PATHS: bool, const EIGHTS: usize>(
    (plan, pays): (&Plan, &Pays<L, EIGHTS>),
    pair: &[[u8; ROOM]; 2],
    used: usize,
    count: usize,
    hot: &mut Hot,
) -> [Shoe<L, EIGHTS>; 2] {
    let [mut first, mut second] = [Shoe::FRESH, Shoe::FRESH];
    let [mut one, mut two] = [first_card(plan, &pair[0]), first_card(plan, &pair[1])];
    let marker = used.saturating_sub(plan.behind as usize);
    if count == 2 {
        while one.max(two) + 6 <= marker {
            one += 4 + round::<L, PATHS, EIGHTS>((plan, pays), &pair[0], one, &mut first, hot).1;
            two += 4 + round::<L, PATHS, EIGHTS>((plan, pays), &pair[1], two, &mut second, hot).1;
        }
        finish::<L, PATHS, EIGHTS>((plan, pays), &pair[1], used, (two, marker), &mut second, hot);
    }
    finish::<L, PATHS, EIGHTS>((plan, pays), &pair[0], used, (one, marker), &mut first, hot);
    [first, second]
}

/// Where the first round begins, behind the burn.
#[inline(always)]
fn first_card(plan: &Plan, cards: &[u8; ROOM]) -> usize {
    match plan.burning {
        Burning::Shown => 1 + usize::from(plan.burnt[usize::from(cards[0])]),
        Burning::Unseen => 1,
        Burning::Nothing => 0,
    }
}

/// Deals what is left of a shoe.
#[inline(always)]
fn finish<L: Lane, const PATHS: bool, const EIGHTS: usize>(
    (plan, pays): (&Plan, &Pays<L, EIGHTS>),
    cards: &[u8; ROOM],
    used: usize,
    (mut at, marker): (usize, usize),
    shoe: &mut Shoe<L, EIGHTS>,
    hot: &mut Hot,
) {
    while at + 6 <= marker {
        at += 4 + round::<L, PATHS, EIGHTS>((plan, pays), cards, at, shoe, hot).1;
    }
    let at = last_rounds::<L, PATHS, EIGHTS>((plan, pays), cards, used, (at, marker), shoe, hot);
    shoe.cards = u32::try_from(at - first_card(plan, cards)).unwrap_or(0);
    hot.cut[shoe.streak % STATES] += 1;
}

/// The end of the shoe: the cutting card comes, and the book says how many rounds are left. Gives
/// where the last of them ends.
#[inline(always)]
fn last_rounds<L: Lane, const PATHS: bool, const EIGHTS: usize>(
    (plan, pays): (&Plan, &Pays<L, EIGHTS>),
    cards: &[u8; ROOM],
    used: usize,
    (mut at, marker): (usize, usize),
    shoe: &mut Shoe<L, EIGHTS>,
    hot: &mut Hot,
) -> usize {
    let mut left: Option<u32> = None;
    let mut extra = plan.one_more_on_tie;
    loop {
        let before = at == marker && left.is_none();
        if before {
            left = Some(rounds(plan.finish[0]));
        }
        let Some(more) = peek(plan, cards, at, used) else { return at };
        let after = at + 4 + more;
        let group = round::<L, PATHS, EIGHTS>((plan, pays), cards, at, shoe, hot).0;
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
                    return at;
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
#[inline(always)]
fn peek(plan: &Plan, cards: &[u8; ROOM], at: usize, used: usize) -> Option<usize> {
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
    paths: Paths,
    stop: &AtomicBool,
    done: &(dyn Fn(u64) + Sync),
) -> Tally {
    let blocks = shoes.div_ceil(BLOCK);
    let (which, of) = shard;
    let next = AtomicU64::new(which);
    let sum = Mutex::new(Tally::new(plan, paths));
    let work = || {
        let mut mine = Tally::new(plan, paths);
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
