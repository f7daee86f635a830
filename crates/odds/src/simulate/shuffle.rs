//! The shuffle: several bounded numbers from each random word, without bias.

use chacha20::ChaCha12Rng;
use chacha20::rand_core::Rng;

/// Random words, drawn in bulk.
pub(crate) struct Words {
    rng: ChaCha12Rng,
    buffer: [u8; Self::SIZE],
    next: usize,
}

impl Words {
    const SIZE: usize = 1024;

    pub(crate) const fn new(rng: ChaCha12Rng) -> Self {
        Self { rng, buffer: [0; Self::SIZE], next: Self::SIZE / 8 }
    }

    #[inline(always)]
    pub(crate) fn take(&mut self) -> u64 {
        if self.next == Self::SIZE / 8 {
            self.refill();
        }
        let word = self.buffer.as_chunks().0[self.next];
        self.next += 1;
        u64::from_le_bytes(word)
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        self.rng.fill_bytes(&mut self.buffer);
        self.next = 0;
    }
}

/// How many numbers come from one word: 416⁶ is far below 2⁶⁴, so that a word is almost never
/// refused.
const BATCH: usize = 6;

/// Numbers below `n`, `n` − 1, …, all combinations equally likely.
///
/// Each step multiplies what is left of the word by the next bound: the upper half of the product
/// is the number, the lower half is left. The word is refused if what is left in the end is less
/// than 2⁶⁴ modulo the product of the bounds, which makes all combinations equally likely.
#[inline(always)]
fn batch(words: &mut Words, n: u64, sure: u64) -> [usize; BATCH] {
    loop {
        let mut left = words.take();
        let mut numbers = [0; BATCH];
        for (i, number) in numbers.iter_mut().enumerate() {
            let wide = u128::from(left) * u128::from(n - i as u64);
            *number = high(wide);
            left = low(wide);
        }
        // Most words are good for any bounds of this shuffle; only others are looked at closely.
        if left >= sure || is_fair(left, n) {
            return numbers;
        }
    }
}

#[cold]
#[inline(never)]
fn is_fair(left: u64, n: u64) -> bool {
    let bound = product(n);
    left >= bound.wrapping_neg() % bound
}

#[expect(clippy::cast_possible_truncation, reason = "the upper half of 128 bits has 64")]
#[inline(always)]
const fn high(wide: u128) -> usize {
    (wide >> 64) as usize
}

#[inline(always)]
fn product(n: u64) -> u64 {
    let mut bound = 1_u64;
    for i in 0..BATCH as u64 {
        bound = bound.wrapping_mul(n - i);
    }
    bound
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
#[inline(always)]
const fn low(wide: u128) -> u64 {
    wide as u64
}

/// One number below `n`.
#[inline(always)]
fn single(words: &mut Words, n: u64) -> usize {
    loop {
        let wide = u128::from(words.take()) * u128::from(n);
        if low(wide) >= n || low(wide) >= n.wrapping_neg() % n {
            return high(wide);
        }
    }
}

/// Room for the cards of a shoe: a power of two, so that a place is masked and not checked.
pub(crate) const ROOM: usize = 1024;

/// Shuffles the first `count` of `all` things: each is any of those that are left, all equally
/// likely.
#[inline(always)]
pub(crate) fn shuffle(words: &mut Words, things: &mut [u8; ROOM], all: usize, count: usize) {
    assert!(all <= ROOM, "a shoe of at most {ROOM} cards");
    let count = count.min(all.saturating_sub(1));
    let mut i = 0;
    // The largest product of bounds.
    let sure = if all >= BATCH { product(all as u64) } else { u64::MAX };
    while i + BATCH <= count {
        let numbers = batch(words, (all - i) as u64, sure);
        for (k, number) in numbers.into_iter().enumerate() {
            things.swap((i + k) % ROOM, (i + k + number) % ROOM);
        }
        i += BATCH;
    }
    while i < count {
        let number = single(words, (all - i) as u64);
        things.swap(i % ROOM, (i + number) % ROOM);
        i += 1;
    }
}

/// The same for several shoes, step by step for all of them.
#[inline(always)]
fn batches<const SHOES: usize>(words: &mut Words, n: u64, sure: u64) -> [[usize; SHOES]; BATCH] {
    let mut left = [0; SHOES];
    for left in &mut left {
        *left = words.take();
    }
    let mut numbers = [[0; SHOES]; BATCH];
    for (i, numbers) in numbers.iter_mut().enumerate() {
        for (number, left) in numbers.iter_mut().zip(&mut left) {
            let wide = u128::from(*left) * u128::from(n - i as u64);
            *number = high(wide);
            *left = low(wide);
        }
    }
    for (shoe, left) in left.into_iter().enumerate() {
        if left < sure && !is_fair(left, n) {
            for (numbers, number) in numbers.iter_mut().zip(batch(words, n, sure)) {
                numbers[shoe] = number;
            }
        }
    }
    numbers
}

/// Shuffles shoes side by side: none waits for another.
#[inline(always)]
pub(crate) fn shuffle_together<const SHOES: usize>(
    words: &mut Words,
    shoes: &mut [[u8; ROOM]; SHOES],
    all: usize,
) {
    assert!(all <= ROOM, "a shoe of at most {ROOM} cards");
    let count = all.saturating_sub(1);
    let sure = if all >= BATCH { product(all as u64) } else { u64::MAX };
    let mut i = 0;
    while i + BATCH <= count {
        let numbers = batches::<SHOES>(words, (all - i) as u64, sure);
        for (k, numbers) in numbers.into_iter().enumerate() {
            for (shoe, number) in shoes.iter_mut().zip(numbers) {
                shoe.swap((i + k) % ROOM, (i + k + number) % ROOM);
            }
        }
        i += BATCH;
    }
    while i < count {
        for shoe in &mut *shoes {
            let number = single(words, (all - i) as u64);
            shoe.swap(i % ROOM, (i + number) % ROOM);
        }
        i += 1;
    }
}

/// Shuffles the first `count` things by a generator, for tests of fairness.
///
/// # Panics
///
/// With more things than a shoe has.
pub fn shuffle_front(rng: ChaCha12Rng, things: &mut [u8], count: usize) -> ChaCha12Rng {
    let mut words = Words::new(rng);
    let mut room = [0; ROOM];
    room[..things.len()].copy_from_slice(things);
    shuffle(&mut words, &mut room, things.len(), count);
    things.copy_from_slice(&room[..things.len()]);
    words.rng
}

/// Shuffles the cards of a shoe.
pub(crate) fn shuffle_room(rng: ChaCha12Rng, things: &mut [u8; ROOM], all: usize) {
    shuffle(&mut Words::new(rng), things, all, all);
}

/// Shuffles again and again, to be measured.
#[must_use]
pub fn shuffle_many(rng: ChaCha12Rng, cards: usize, times: u32) -> [u8; ROOM] {
    let mut words = Words::new(rng);
    let mut room = [7; ROOM];
    for _ in 0..times {
        shuffle(&mut words, &mut room, cards, cards);
    }
    room
}

/// An ordinary shuffle, one bounded number a card: what the simulation is measured against.
pub fn reference_shuffle(rng: &mut ChaCha12Rng, things: &mut [u8]) {
    for i in (1..things.len()).rev() {
        let n = u32::try_from(i + 1).expect("a shoe has few cards");
        let j = loop {
            let wide = u64::from(rng.next_u32()) * u64::from(n);
            #[expect(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
            let left = wide as u32;
            if left >= n || left >= n.wrapping_neg() % n {
                break usize::try_from(wide >> 32).expect("below the bound");
            }
        };
        things.swap(i, j);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use chacha20::rand_core::SeedableRng;

    use super::*;

    /// Shuffles seven things with this word; gives their order, and whether the word was taken.
    fn order(word: u64) -> ([u8; 7], bool) {
        let mut words = Words::new(ChaCha12Rng::from_seed([0; 32]));
        words.buffer[..8].copy_from_slice(&word.to_le_bytes());
        // Should the word be refused, this one is good for any bounds.
        words.buffer[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        words.next = 0;
        let mut things = [0; ROOM];
        things[..7].copy_from_slice(&[0, 1, 2, 3, 4, 5, 6]);
        shuffle(&mut words, &mut things, 7, 7);
        (std::array::from_fn(|i| things[i]), words.next == 1)
    }

    /// All 5040 orders of seven things, each by the same number of all 2⁶⁴ words: the words of an
    /// order stand together, and it is checked where they begin and end.
    #[test]
    fn every_order_has_the_same_number_of_words() {
        const ORDERS: u128 = 5040;
        const WORDS: u128 = 1 << 64;
        let word = |at: u128| u64::try_from(at).expect("below 2^64");
        let mut seen = HashSet::new();
        for nth in 0..ORDERS {
            let first = (nth * WORDS).div_ceil(ORDERS);
            let last = ((nth + 1) * WORDS).div_ceil(ORDERS) - 1;
            let (wanted, taken) = order(word(last));
            assert!(taken && seen.insert(wanted), "order {nth}");
            assert_eq!(order(word(first + 1)), (wanted, true), "order {nth}");
            let (begins, first_taken) = order(word(first));
            assert!(!first_taken || begins == wanted, "order {nth}");
            let words = last - first + 1 - u128::from(!first_taken);
            assert_eq!(words, WORDS / ORDERS, "order {nth}");
        }
        assert_eq!(seen.len(), 5040);
    }
}
