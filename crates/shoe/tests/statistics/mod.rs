//! What many shoes of eight decks have in common, and how likely that is if all orders are.

#![expect(clippy::cast_precision_loss, reason = "a chance needs no more than 52 bits")]

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Cards of a shoe.
pub(crate) const CARDS: usize = 416;
const KINDS: usize = 52;
const COPIES: usize = CARDS / KINDS;

/// The answer of one test: how far from what is expected, in standard deviations.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) test: &'static str,
    pub(crate) z: f64,
}

impl Finding {
    /// The chance of being at least so far away, to either side.
    pub(crate) fn chance(&self) -> f64 {
        two_sided(self.z)
    }
}

/// The chance that a normal variable is at least so far from its mean, to either side; Numerical
/// Recipes' `erfcc`, good to seven digits however small it is.
pub(crate) fn two_sided(z: f64) -> f64 {
    const SERIES: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + x / 2.0);
    let sum = SERIES.iter().rev().fold(0.0, |sum, term| sum * t + term);
    t * (sum - x * x).exp()
}

/// A number that every shoe has, in standard deviations from its exact mean.
#[derive(Default)]
struct Measure {
    sum: f64,
    squares: f64,
    fourths: f64,
}

impl Measure {
    fn add(&mut self, value: f64, mean: f64, variance: f64) {
        let z = (value - mean) / variance.sqrt();
        self.sum += z;
        self.squares += z.powi(2);
        self.fourths += z.powi(4);
    }

    fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.squares += other.squares;
        self.fourths += other.fourths;
    }

    /// The sum of many is normal with a known variance.
    fn mean(&self, shoes: f64) -> f64 {
        self.sum / shoes.sqrt()
    }

    /// The squares have the mean 1; how far they are spread is taken from themselves.
    fn spread(&self, shoes: f64) -> f64 {
        (self.squares - shoes) / (self.fourths - self.squares.powi(2) / shoes).sqrt()
    }
}

/// What is measured only where it is known from which place each card came.
#[derive(Default)]
struct Traced {
    trend: Measure,
    draws: Measure,
}

/// What is collected over many shoes.
pub(crate) struct Shoes {
    count: u32,
    /// How often each kind was at each position.
    table: Vec<u32>,
    colours: Measure,
    low: Measure,
    serial: Measure,
    twins: Measure,
    traced: Option<Traced>,
    seen: HashSet<u64>,
}

impl Shoes {
    pub(crate) fn new() -> Self {
        Self {
            count: 0,
            table: vec![0; CARDS * KINDS],
            colours: Measure::default(),
            low: Measure::default(),
            serial: Measure::default(),
            twins: Measure::default(),
            traced: None,
            seen: HashSet::new(),
        }
    }

    /// How many shoes were collected.
    pub(crate) const fn count(&self) -> u32 {
        self.count
    }

    /// Adds a shoe of which only the cards are known, as it is for everybody at the table. A card
    /// is four times its rank, from 0 for the ace, and its suit.
    pub(crate) fn add_cards(&mut self, cards: &[u8]) {
        assert_eq!(cards.len(), CARDS, "these are no eight decks");
        self.count += 1;
        for (row, card) in self.table.chunks_exact_mut(KINDS).zip(cards) {
            row[usize::from(*card)] += 1;
        }
        let mut hasher = DefaultHasher::new();
        cards.hash(&mut hasher);
        self.seen.insert(hasher.finish());
        // Hearts and diamonds are the suits 0 and 1; the ranks from ace to six are 0 to 5.
        add_runs(&mut self.colours, cards, CARDS / 2, |card| card % 4 < 2);
        add_runs(&mut self.low, cards, CARDS * 6 / 13, |card| card / 4 < 6);
        add_serial(&mut self.serial, cards);
        add_twins(&mut self.twins, cards);
    }

    /// Adds a shoe of which it is known at which place each card was before the shuffle. This sees
    /// more: cards of the same kind are told apart.
    pub(crate) fn add_places(&mut self, places: &[u16]) {
        let cards: Vec<u8> = places.iter().map(|place| (place % 52) as u8).collect();
        self.add_cards(&cards);
        let traced = self.traced.get_or_insert_default();
        add_trend(&mut traced.trend, places);
        add_draws(&mut traced.draws, places);
    }

    pub(crate) fn merge(mut self, other: &Self) -> Self {
        self.count += other.count;
        self.table.iter_mut().zip(&other.table).for_each(|(mine, theirs)| *mine += theirs);
        self.colours.merge(&other.colours);
        self.low.merge(&other.low);
        self.serial.merge(&other.serial);
        self.twins.merge(&other.twins);
        if let Some(theirs) = &other.traced {
            let mine = self.traced.get_or_insert_default();
            mine.trend.merge(&theirs.trend);
            mine.draws.merge(&theirs.draws);
        }
        self.seen.extend(&other.seen);
        self
    }

    /// How many shoes had the order of an earlier one.
    pub(crate) fn repeated(&self) -> usize {
        self.count as usize - self.seen.len()
    }

    /// Every test's answer.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let shoes = f64::from(self.count);
        let mut findings = vec![Finding { test: "kind by position", z: self.chi_square() }];
        let mut add = |measure: &Measure, mean, spread| {
            findings.push(Finding { test: mean, z: measure.mean(shoes) });
            findings.push(Finding { test: spread, z: measure.spread(shoes) });
        };
        add(&self.colours, "runs of a colour", "runs of a colour, spread");
        add(&self.low, "runs of low cards", "runs of low cards, spread");
        add(&self.serial, "serial correlation", "serial correlation, spread");
        add(&self.twins, "neighbours of a kind", "neighbours of a kind, spread");
        if let Some(traced) = &self.traced {
            add(&traced.trend, "place before and after", "place before and after, spread");
            add(&traced.draws, "draws read back", "draws read back, spread");
        }
        findings
    }

    /// The tests that fail at 99 %, all of them together: each of m tests may fail by chance once
    /// in 100 m times.
    pub(crate) fn failures(&self) -> Vec<Finding> {
        let mut findings = self.findings();
        let bound = 0.01 / findings.len() as f64;
        findings.retain(|finding| finding.chance().is_nan() || finding.chance() < bound);
        findings
    }

    /// Chi-square of kind by position. A shoe without replacement ties its positions to each other:
    /// each row and each column has a fixed sum, so that the usual sum times (n - 1) / n is
    /// chi-square with (positions - 1) (kinds - 1) degrees of freedom.
    fn chi_square(&self) -> f64 {
        let expected = f64::from(self.count) / KINDS as f64;
        let square = |count: &u32| (f64::from(*count) - expected).powi(2) / expected;
        let sum: f64 = self.table.iter().map(square).sum();
        let chi_square = sum * (CARDS - 1) as f64 / CARDS as f64;
        let freedom = ((CARDS - 1) * (KINDS - 1)) as f64;
        // Wilson and Hilferty: its cube root is very nearly normal.
        let variance = 2.0 / (9.0 * freedom);
        ((chi_square / freedom).cbrt() - (1.0 - variance)) / variance.sqrt()
    }
}

/// Wald and Wolfowitz: the number of runs of two sorts of cards, so many of them of the one.
fn add_runs(measure: &mut Measure, cards: &[u8], ones: usize, is_one: impl Fn(u8) -> bool) {
    let changes = cards.windows(2).filter(|pair| is_one(pair[0]) != is_one(pair[1])).count();
    let (n, pairs) = (CARDS as f64, (2 * ones * (CARDS - ones)) as f64);
    let variance = pairs * (pairs - n) / (n * n * (n - 1.0));
    measure.add((changes + 1) as f64, 1.0 + pairs / n, variance);
}

/// Wald and Wolfowitz: the sum of products of neighbours' points, the last card beside the first,
/// as the cut makes them neighbours too.
fn add_serial(measure: &mut Measure, cards: &[u8]) {
    // 0 for tens and pictures; 13 ranks have 45 points.
    let points = |card: u8| [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0][usize::from(card / 4)];
    let centred = |card: u8| f64::from(points(card) * 13 - 45) / 13.0;
    let each = (0..52).map(centred);
    let squares = COPIES as f64 * each.clone().map(|x| x.powi(2)).sum::<f64>();
    let fourths = COPIES as f64 * each.map(|x| x.powi(4)).sum::<f64>();
    let n = CARDS as f64;
    let mean = -squares / (n - 1.0);
    let variance = (squares.powi(2) - fourths) / (n - 1.0)
        + (squares.powi(2) - 2.0 * fourths) / ((n - 1.0) * (n - 2.0))
        - mean.powi(2);
    let beside = cards.iter().cycle().skip(1);
    let sum = cards.iter().zip(beside).map(|(a, b)| centred(*a) * centred(*b)).sum();
    measure.add(sum, mean, variance);
}

/// How many cards stand beside one of their own kind, the last beside the first.
fn add_twins(measure: &mut Measure, cards: &[u8]) {
    let (n, copies, kinds) = (CARDS as f64, COPIES as f64, KINDS as f64);
    let two = (copies - 1.0) / (n - 1.0);
    let three = two * (copies - 2.0) / (n - 2.0);
    let same = (copies - 2.0) * (copies - 3.0);
    let two_and_two =
        two * (same + (kinds - 1.0) * copies * (copies - 1.0)) / ((n - 2.0) * (n - 3.0));
    let variance = n * (two - two * two)
        + 2.0 * n * (three - two * two)
        + n * (n - 3.0) * (two_and_two - two * two);
    let beside = cards.iter().cycle().skip(1);
    let twins = cards.iter().zip(beside).filter(|(a, b)| a == b).count();
    measure.add(twins as f64, n * two, variance);
}

/// Spearman: whether cards stay where they were, or go to the other end.
fn add_trend(measure: &mut Measure, places: &[u16]) {
    let n = CARDS as f64;
    let middle = (n - 1.0) / 2.0;
    let product = |(to, from): (usize, &u16)| (to as f64 - middle) * (f64::from(*from) - middle);
    let trend: f64 = places.iter().enumerate().map(product).sum();
    let squares = n * (n * n - 1.0) / 12.0;
    measure.add(trend, 0.0, squares * squares / (n - 1.0));
}

/// Every order is made by one sequence of draws only. If all orders are equally likely the draws
/// read back from them are too, each below its bound, whatever made the order.
fn add_draws(measure: &mut Measure, places: &[u16]) {
    let mut at: Vec<usize> = (0..CARDS).collect();
    let mut here = at.clone();
    let mut sum = 0.0;
    for i in (1..CARDS).rev() {
        let j = at[usize::from(places[i])];
        here.swap(i, j);
        at[here[j]] = j;
        let (bound, draw) = ((i + 1) as f64, j as f64);
        sum += (draw - (bound - 1.0) / 2.0) / ((bound * bound - 1.0) / 12.0).sqrt();
    }
    measure.add(sum, 0.0, (CARDS - 1) as f64);
}
