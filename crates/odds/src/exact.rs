//! The exact count of every class of outcome, for any composition of the shoe.
//!
//! What is counted are ordered draws of six cards, of which a coup uses the first four to six.
//! There are 10⁶ sequences of values, but far fewer sums are needed. Let n be the cards of each
//! value, and m those of a value among the first four cards. The third cards then weigh r = n − m,
//! and summing r\[v\] · r\[u\] over all first fours of the same totals needs only the sums of the
//! weights, of the weights times m\[v\], and of the weights times m\[v\] · m\[u\]. Those are
//! gathered in one pass over Player's 55 pairs of values: for each, Banker's pairs of one total are
//! ten products.

use rules::{Card, Composition, Rank, Side, Suit};

use crate::tableaux::{CLASSES, Class, Kind, Tableaux};
use crate::wagers::PAIRS;

/// Why there are no odds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadShoe {
    /// A coup may need six.
    #[error("{0} cards are left; a coup may need 6")]
    TooFew(u32),
    /// The count would not fit.
    #[error("{0} cards; at most {MOST} are counted exactly")]
    TooMany(u32),
    /// More cards of a coup than it can have, or a card that is not in the shoe.
    #[error("{0}")]
    Seen(&'static str),
}

/// With more cards than this, the number of draws passes 2⁶⁴.
pub(crate) const MOST: u32 = 1600;

/// How often each class of outcome comes up among all draws of six cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcomes {
    /// All draws.
    pub total: u64,
    /// Of them, those that end in each class, by its index.
    pub classes: [u64; CLASSES],
    /// Of them, those where Player's first two cards make no pair, a mixed, a red, a black and a
    /// perfect one; and within each of these, where Banker's do.
    pub pairs: [[u64; PAIRS.len()]; PAIRS.len()],
}

impl Outcomes {
    /// Draws where that hand's first two cards make no pair, a mixed, a red, a black and a perfect
    /// one.
    #[must_use]
    pub fn pairs(&self, side: Side) -> [u64; PAIRS.len()] {
        match side {
            Side::Player => self.pairs.map(|banker| banker.iter().sum()),
            Side::Banker => {
                std::array::from_fn(|kind| self.pairs.iter().map(|row| row[kind]).sum())
            }
        }
    }

    /// Draws that end in a class that is as wanted.
    pub fn count(&self, wanted: impl Fn(Class) -> bool) -> u64 {
        Class::all().filter(|class| wanted(*class)).map(|class| self.classes[class.index()]).sum()
    }
}

/// n · (n − 1) · … , so many factors.
pub(crate) fn falling(n: u64, factors: u64) -> u64 {
    (0..factors).map(|taken| n.saturating_sub(taken)).product()
}

/// The cards of each value.
pub(crate) fn by_value(shoe: &Composition, tableaux: &Tableaux) -> [u64; 10] {
    let mut counts = [0; 10];
    for card in Card::deck() {
        let value = tableaux.values[card.rank() as usize];
        counts[usize::from(value)] += u64::from(shoe.count(card));
    }
    counts
}

/// Counts every class of outcome exactly.
///
/// # Errors
///
/// When there are too few cards for a coup, or too many to count.
#[expect(clippy::large_stack_arrays, reason = "88 kB, and a hundred thousand times a second")]
pub fn outcomes(shoe: &Composition, tableaux: &Tableaux) -> Result<Outcomes, BadShoe> {
    let cards = shoe.total();
    if cards < 6 {
        return Err(BadShoe::TooFew(cards));
    }
    if cards > MOST {
        return Err(BadShoe::TooMany(cards));
    }
    let n = by_value(shoe, tableaux);
    let all = u64::from(cards);
    let mut classes = [0; CLASSES];
    let mut drawing = [[Sums::NONE; 10]; 10];
    first_four(&n, tableaux, &mut drawing);
    third_cards(&n, all, tableaux, &drawing, &mut classes);
    let pairs = pairs(shoe, all);
    Ok(Outcomes { total: falling(all, 6), classes, pairs })
}

/// Sums over all first fours of the same totals. All arithmetic is modulo 2⁶⁴; what is left in the
/// end is below that and not negative.
#[derive(Clone, Copy)]
struct Sums {
    /// Of the weights.
    weights: u64,
    /// Of the weights times the cards of a value among the four.
    times_one: [u64; 10],
    /// Of the weights times the cards of one value and those of another.
    times_two: [[u64; 10]; 10],
}

impl Sums {
    const NONE: Self = Self { weights: 0, times_one: [0; 10], times_two: [[0; 10]; 10] };
}

/// Player's pairs of values, and Banker's of what is left.
#[expect(clippy::needless_range_loop, reason = "totals are numbers that are counted with")]
fn first_four(n: &[u64; 10], tableaux: &Tableaux, sums: &mut [[Sums; 10]; 10]) {
    for a in 0..10 {
        for b in a..10 {
            let mut left = *n;
            let weight =
                if a == b { n[a].wrapping_mul(n[a].wrapping_sub(1)) } else { 2 * n[a] * n[b] };
            if weight == 0 || n[a] == 0 {
                continue;
            }
            left[a] -= 1;
            left[b] -= 1;
            let player = (a + b) % 10;
            let drawn = tableaux.player_draws[player] && !tableaux.natural[player];
            for banker in 0..10 {
                let sum = &mut sums[player][banker];
                if drawn && !tableaux.natural[banker] {
                    add_drawing(sum, weight, &left, banker, (a, b));
                } else {
                    add_standing(sum, weight, &left, banker, (a, b));
                }
            }
        }
    }
}

/// Banker's pairs of a total, ordered: the first card counts `u`, the second what is missing.
#[inline]
fn second(left: &[u64; 10], banker: usize, u: usize) -> (usize, u64) {
    let v = (banker + 10 - u) % 10;
    let same = u64::from(u == v);
    (v, left[u].wrapping_mul(left[v].wrapping_sub(same)))
}

/// Where Player takes no third card, Banker's alone matters.
fn add_standing(
    sum: &mut Sums,
    weight: u64,
    left: &[u64; 10],
    banker: usize,
    (a, b): (usize, usize),
) {
    let mut pairs = 0_u64;
    for u in 0..10 {
        let (_, ways) = second(left, banker, u);
        pairs = pairs.wrapping_add(ways);
        let times = weight.wrapping_mul(2 * ways);
        sum.times_one[u] = sum.times_one[u].wrapping_add(times);
    }
    let all = weight.wrapping_mul(pairs);
    sum.weights = sum.weights.wrapping_add(all);
    sum.times_one[a] = sum.times_one[a].wrapping_add(all);
    sum.times_one[b] = sum.times_one[b].wrapping_add(all);
}

/// Where Player draws, both third cards may matter.
fn add_drawing(
    sum: &mut Sums,
    weight: u64,
    left: &[u64; 10],
    banker: usize,
    (a, b): (usize, usize),
) {
    let mut pairs = 0_u64;
    let mut ones = [0_u64; 10];
    for (u, one) in ones.iter_mut().enumerate() {
        let (v, ways) = second(left, banker, u);
        pairs = pairs.wrapping_add(ways);
        *one = weight.wrapping_mul(2 * ways);
        // Two cards of one value are four times a pair of it, twice by each of its cards.
        let own = if u == v { 2 * *one } else { *one };
        sum.times_two[u][u] = sum.times_two[u][u].wrapping_add(own);
        if u != v {
            sum.times_two[u][v] = sum.times_two[u][v].wrapping_add(*one);
        }
    }
    let all = weight.wrapping_mul(pairs);
    sum.weights = sum.weights.wrapping_add(all);
    for (u, one) in ones.iter().enumerate() {
        sum.times_one[u] = sum.times_one[u].wrapping_add(*one);
        for own in [a, b] {
            sum.times_two[own][u] = sum.times_two[own][u].wrapping_add(*one);
            sum.times_two[u][own] = sum.times_two[u][own].wrapping_add(*one);
        }
    }
    for own in [a, b] {
        sum.times_one[own] = sum.times_one[own].wrapping_add(all);
        for other in [a, b] {
            sum.times_two[own][other] = sum.times_two[own][other].wrapping_add(all);
        }
    }
}

/// What the third cards make of the first four.
#[expect(clippy::needless_range_loop, reason = "totals are numbers that are counted with")]
fn third_cards(
    n: &[u64; 10],
    all: u64,
    tableaux: &Tableaux,
    sums: &[[Sums; 10]; 10],
    classes: &mut [u64; CLASSES],
) {
    let (two_more, one_more) = ((all - 4) * (all - 5), all - 5);
    let mut add = |player: usize, banker: usize, kind: Kind, ways: u64| {
        let at = (player * 10 + banker) * 5 + kind as usize;
        classes[at] = classes[at].wrapping_add(ways);
    };
    for player in 0..10 {
        for banker in 0..10 {
            let sum = &sums[player][banker];
            let one = |v: usize| n[v].wrapping_mul(sum.weights).wrapping_sub(sum.times_one[v]);
            if tableaux.ends(player, banker) {
                add(player, banker, Kind::Natural, sum.weights.wrapping_mul(two_more));
            } else if !tableaux.player_draws[player] {
                if !tableaux.banker_draws_after_stand[banker] {
                    add(player, banker, Kind::BothStand, sum.weights.wrapping_mul(two_more));
                    continue;
                }
                for u in 0..10 {
                    let ways = one(u).wrapping_mul(one_more);
                    add(player, (banker + u) % 10, Kind::BankerDrew, ways);
                }
            } else {
                for v in 0..10 {
                    let total = (player + v) % 10;
                    let mine = one(v);
                    if !tableaux.banker_draws[v][banker] {
                        add(total, banker, Kind::PlayerDrew, mine.wrapping_mul(one_more));
                        continue;
                    }
                    for u in 0..10 {
                        // Σ w · (n[v] − m[v]) · (n[u] − m[u]), less one if they are of one value.
                        let both = n[u]
                            .wrapping_mul(mine)
                            .wrapping_sub(n[v].wrapping_mul(sum.times_one[u]))
                            .wrapping_add(sum.times_two[v][u]);
                        let both = if u == v { both.wrapping_sub(mine) } else { both };
                        add(total, (banker + u) % 10, Kind::BothDrew, both);
                    }
                }
            }
        }
    }
}

/// The pairs of both hands, Player's kind first, each times the draws of the third cards.
///
/// Pairs of different ranks do not touch each other: their counts are products. For two pairs of
/// one rank, the cards of Player's pair are taken out before Banker's are counted.
pub(crate) fn pairs(shoe: &Composition, all: u64) -> [[u64; PAIRS.len()]; PAIRS.len()] {
    let mut counts = [0_u64; 13 * 4];
    for card in Card::deck() {
        counts[card.index()] = u64::from(shoe.count(card));
    }
    let mut one = [0_u64; PAIRS.len()];
    let mut both = [[0_u64; PAIRS.len()]; PAIRS.len()];
    for suits in counts.chunks_exact(4) {
        let suits = [suits[0], suits[1], suits[2], suits[3]];
        let own = of_rank(suits);
        for (first, second, kind) in SUITS {
            let ways = suits[first] * suits[second].saturating_sub(u64::from(first == second));
            if ways == 0 {
                continue;
            }
            let mut left = suits;
            left[first] -= 1;
            left[second] -= 1;
            // Two orders of unlike cards.
            let ways = ways * if first == second { 1 } else { 2 };
            for (banker, after) in of_rank(left).into_iter().enumerate() {
                // Of this rank what is left, instead of all of it.
                both[kind][banker] = both[kind][banker].wrapping_add(ways * after);
                both[kind][banker] = both[kind][banker].wrapping_sub(ways * own[banker]);
            }
        }
        one.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
    }
    // Σ over ranks of Player's ways times Banker's of every rank.
    for (player, row) in both.iter_mut().enumerate().skip(1) {
        for (banker, ways) in row.iter_mut().enumerate().skip(1) {
            *ways = ways.wrapping_add(one[player] * one[banker]);
        }
    }
    let thirds = falling(all - 4, 2);
    let (two, four) = (falling(all - 2, 2), falling(all, 4));
    for kind in 1..PAIRS.len() {
        let pairs: u64 = both[kind][1..].iter().sum();
        both[kind][0] = one[kind] * two - pairs;
        let pairs: u64 = both[1..].iter().map(|row| row[kind]).sum();
        both[0][kind] = one[kind] * two - pairs;
    }
    let rest: u64 = both.iter().flatten().sum::<u64>() - both[0][0];
    both[0][0] = four - rest;
    both.map(|row| row.map(|ways| ways * thirds))
}

/// Two suits, and the kind of pair that they make.
const SUITS: [(usize, usize, usize); 10] = [
    (0, 0, 4),
    (1, 1, 4),
    (2, 2, 4),
    (3, 3, 4),
    (0, 1, 2),
    (2, 3, 3),
    (0, 2, 1),
    (0, 3, 1),
    (1, 2, 1),
    (1, 3, 1),
];

/// The ordered pairs of one rank, by kind; the first place is for none and stays empty.
fn of_rank([hearts, diamonds, clubs, spades]: [u64; 4]) -> [u64; PAIRS.len()] {
    let same = |count: u64| count * count.saturating_sub(1);
    [
        0,
        2 * (hearts + diamonds) * (clubs + spades),
        2 * hearts * diamonds,
        2 * clubs * spades,
        same(hearts) + same(diamonds) + same(clubs) + same(spades),
    ]
}

/// The ordered first two cards of one hand, by the kind of pair.
pub(crate) fn pairs_of_one(shoe: &Composition) -> [u64; PAIRS.len()] {
    let mut kinds = [0; PAIRS.len()];
    for rank in Rank::ALL {
        let suits = Suit::ALL.map(|suit| u64::from(shoe.count(Card::new(rank, suit))));
        kinds.iter_mut().zip(of_rank(suits)).for_each(|(sum, own)| *sum += own);
    }
    kinds[0] = falling(u64::from(shoe.total()), 2) - kinds.iter().sum::<u64>();
    kinds
}
