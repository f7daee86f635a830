//! What a simulation gathers: sums of integers, so that parts of a run add up to the whole.

use rules::Spot;
use serde::{Deserialize, Serialize};

use super::plan::{GROUPS, LANES, Plan};

/// Longer streaks, and more rounds, are counted together.
pub(crate) const STREAKS: usize = 32;
pub(crate) const ROUNDS: usize = 160;
/// By how the first two cards of each hand differ: three bits for each.
const PAIRS: usize = 64;

/// Whether a simulation follows how a flat bettor's money rises and falls within a shoe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// It does, and takes longer.
    Followed,
    /// It does not.
    Skipped,
}

/// Sums over shoes. Two tallies of the same plan can be added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Shoes.
    pub shoes: u64,
    /// Rounds dealt.
    pub coups: u64,
    /// Of them, those by shoe, squared.
    pub coups_squared: u64,
    /// Cards used, burnt ones not counted.
    pub cards: u64,
    /// Shoes by their number of rounds.
    pub rounds: Vec<u64>,
    /// Rounds by their group of payouts.
    pub(crate) groups: Vec<u64>,
    /// Rounds by the pairs of both hands, as a plan has them.
    pub(crate) pairs: Vec<u64>,
    /// By wager, what a flat bettor won in each shoe, in parts of the wager's unit.
    pub(crate) won: Vec<i128>,
    /// The same, squared.
    pub(crate) won_squared: Vec<i128>,
    /// The same, times the rounds of the shoe.
    pub(crate) won_times_coups: Vec<i128>,
    /// Streaks of Player and of Banker by their length; ties do not end one.
    pub streaks: [Vec<u64>; 2],
    /// By wager, the deepest fall from a high point within each shoe: the sum, and the largest.
    pub(crate) falls: Vec<i128>,
    pub(crate) deepest: Vec<i128>,
    /// Whether falls were followed.
    pub paths: bool,
}

impl Tally {
    /// Nothing yet.
    #[must_use]
    pub fn new(plan: &Plan, paths: Paths) -> Self {
        let lanes = plan.eights * LANES;
        Self {
            shoes: 0,
            coups: 0,
            coups_squared: 0,
            cards: 0,
            rounds: vec![0; ROUNDS],
            groups: vec![0; GROUPS],
            pairs: vec![0; PAIRS],
            won: vec![0; lanes],
            won_squared: vec![0; lanes],
            won_times_coups: vec![0; lanes],
            streaks: [vec![0; STREAKS], vec![0; STREAKS]],
            falls: vec![0; lanes],
            deepest: vec![0; lanes],
            paths: paths == Paths::Followed,
        }
    }

    /// Adds another part of the run.
    pub fn add(&mut self, other: &Self) {
        fn sum<T: Copy + std::ops::AddAssign>(into: &mut [T], from: &[T]) {
            for (into, from) in into.iter_mut().zip(from) {
                *into += *from;
            }
        }
        self.shoes += other.shoes;
        self.coups += other.coups;
        self.coups_squared += other.coups_squared;
        self.cards += other.cards;
        sum(&mut self.rounds, &other.rounds);
        sum(&mut self.groups, &other.groups);
        sum(&mut self.pairs, &other.pairs);
        sum(&mut self.won, &other.won);
        sum(&mut self.won_squared, &other.won_squared);
        sum(&mut self.won_times_coups, &other.won_times_coups);
        sum(&mut self.falls, &other.falls);
        for hand in 0..2 {
            sum(&mut self.streaks[hand], &other.streaks[hand]);
        }
        for (deepest, other) in self.deepest.iter_mut().zip(&other.deepest) {
            *deepest = (*deepest).max(*other);
        }
        self.paths &= other.paths;
    }

    /// Whether it has the form of a tally that a file could have spoilt.
    #[must_use]
    pub fn is_sound(&self, plan: &Plan) -> bool {
        let lanes = plan.eights * LANES;
        let by_wager =
            [&self.won, &self.won_squared, &self.won_times_coups, &self.falls, &self.deepest];
        let lengths = by_wager.iter().all(|each| each.len() == lanes)
            && self.rounds.len() == ROUNDS
            && self.groups.len() == GROUPS
            && self.pairs.len() == PAIRS
            && self.streaks.iter().all(|streaks| streaks.len() == STREAKS);
        lengths
            && self.rounds.iter().sum::<u64>() == self.shoes
            && self.groups.iter().sum::<u64>() == self.coups
            && self.pairs.iter().sum::<u64>() == self.coups
    }

    /// The figures that people read.
    #[must_use]
    pub fn figures(&self, plan: &Plan) -> Figures {
        let wagers = plan.wagers.list.iter().enumerate();
        let wagers = wagers.map(|(at, wager)| self.wager(at, wager.spot, wager.unit));
        let shoes = float(self.shoes).max(1.0);
        Figures {
            shoes: self.shoes,
            coups: self.coups,
            rounds_a_shoe: float(self.coups) / shoes,
            rounds_error: 2.576 * self.rounds_variance().sqrt() / shoes.sqrt(),
            cards_a_coup: float(self.cards) / float(self.coups).max(1.0),
            wagers: wagers.collect(),
        }
    }

    fn rounds_variance(&self) -> f64 {
        let (shoes, mean) = (float(self.shoes), float(self.coups) / float(self.shoes).max(1.0));
        (float(self.coups_squared) / shoes.max(1.0) - mean * mean).max(0.0)
    }

    /// The mean over rounds, and its error by shoes: rounds of one shoe are not independent.
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    fn wager(&self, at: usize, spot: Spot, unit: i64) -> WagerFigures {
        let (shoes, coups, unit) = (float(self.shoes), float(self.coups).max(1.0), unit as f64);
        let mean = self.won[at] as f64 / coups;
        let rounds = coups / shoes.max(1.0);
        let squares = self.won_squared[at] as f64 - 2.0 * mean * self.won_times_coups[at] as f64
            + mean * mean * float(self.coups_squared);
        let spread = (squares / (shoes - 1.0).max(1.0)).max(0.0);
        let error = 2.576 * (spread / shoes.max(1.0)).sqrt() / rounds / unit;
        WagerFigures {
            spot,
            mean: mean / unit,
            error: if self.shoes < 2 { f64::INFINITY } else { error },
            mean_fall: self.falls[at] as f64 / shoes.max(1.0) / unit,
            deepest_fall: self.deepest[at] as f64 / unit,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
pub(crate) const fn float(count: u64) -> f64 {
    count as f64
}

/// What a simulation found, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Shoes.
    pub shoes: u64,
    /// Rounds.
    pub coups: u64,
    /// Rounds a shoe.
    pub rounds_a_shoe: f64,
    /// Half of its 99 % interval.
    pub rounds_error: f64,
    /// Cards a round.
    pub cards_a_coup: f64,
    /// Wager by wager.
    pub wagers: Vec<WagerFigures>,
}

/// What a simulation found for one wager, a unit staked on it in every round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WagerFigures {
    /// Where.
    pub spot: Spot,
    /// What a round brought on average.
    pub mean: f64,
    /// Half of its 99 % interval.
    pub error: f64,
    /// The deepest fall from a high point within a shoe, on average, in units.
    pub mean_fall: f64,
    /// The deepest of all.
    pub deepest_fall: f64,
}
