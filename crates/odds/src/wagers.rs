//! What a book pays for each class of outcome, and what a wager is worth by that: exact fractions,
//! no floating point before printing.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rules::{Cents, Clause, Group, HandScore, Pair, Rulebook, Score, Spot, Terms, Verdict};

use crate::exact::Outcomes;
use crate::tableaux::{CLASSES, Class, Kind};

/// What a wager can bring: so many parts of [`Wager::unit`] for each unit staked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payout {
    /// Net of the stake: −unit is a loss, 0 is a stake kept.
    pub parts: i64,
    /// The clause that decides it.
    pub clause: Option<Clause>,
}

/// What a spot pays, class by class.
#[derive(Clone, Debug)]
pub struct Wager {
    /// Where.
    pub spot: Spot,
    /// What payouts are counted in: 20 for a price less five per cent.
    pub unit: i64,
    /// Every payout, the loss first, then in rising order.
    pub payouts: Vec<Payout>,
    /// Which payout each class brings; for Pairs, each kind of pair.
    pub by_class: [u8; CLASSES],
}

/// Every wager that a book offers under some terms.
#[derive(Clone, Debug)]
pub struct Wagers(pub Vec<Wager>);

const PAIRS: [Option<Pair>; 5] =
    [None, Some(Pair::Mixed), Some(Pair::Red), Some(Pair::Black), Some(Pair::Perfect)];

/// What settlement sees of a class.
fn score(book: &Rulebook, class: Class, pairs: [Option<Pair>; 2]) -> Score {
    let natural = |total: u8| class.kind == Kind::Natural && book.is_natural(total);
    let hand = |total: u8, pair| HandScore { total, natural: natural(total), pair };
    Score { player: hand(class.player, pairs[0]), banker: hand(class.banker, pairs[1]) }
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Wagers {
    /// All that the book offers under these terms.
    #[must_use]
    pub fn of(book: &Rulebook, terms: Terms) -> Self {
        let offered = |spot: &Spot| book.offers(*spot, terms).is_ok();
        let spots = Spot::ALL.iter().copied().filter(offered);
        Self(spots.map(|spot| Wager::of(book, terms, spot)).collect())
    }
}

impl Wager {
    fn of(book: &Rulebook, terms: Terms, spot: Spot) -> Self {
        // A stake that every price pays in whole cents.
        let stake = book
            .pays(spot, terms)
            .iter()
            .map(|(_, price)| price.value.step().get())
            .fold(1, |all, step| all / gcd(all, step) * step);
        let stake_cents = Cents::new(stake).unwrap_or(Cents::MAX);
        let unit = i64::try_from(stake).unwrap_or(i64::MAX);
        let mut wager = Self { spot, unit, payouts: Vec::new(), by_class: [0; CLASSES] };
        let mut found = Vec::new();
        let pairs = spot.group() == Group::Pairs;
        let cases = if pairs { PAIRS.len() } else { CLASSES };
        let classes: Vec<_> = Class::all().collect();
        for case in 0..cases {
            let score = if pairs {
                let quiet = Class { player: 6, banker: 6, kind: Kind::BothStand };
                score(book, quiet, [PAIRS[case]; 2])
            } else {
                score(book, classes[case], [None; 2])
            };
            let Ok(settled) = book.settle(terms, spot, stake_cents, score) else { continue };
            let parts = match settled.verdict {
                Verdict::Lost => -unit,
                Verdict::Kept => 0,
                Verdict::Won(won) => i64::try_from(won.net.get()).unwrap_or(i64::MAX),
            };
            found.push((case, Payout { parts, clause: settled.clauses.last().copied() }));
        }
        let mut parts: Vec<i64> = found.iter().map(|(_, payout)| payout.parts).collect();
        parts.sort_unstable();
        parts.dedup();
        for parts in &parts {
            let first = found.iter().find(|(_, payout)| payout.parts == *parts);
            wager.payouts.extend(first.map(|(_, payout)| *payout));
        }
        for (case, payout) in found {
            let at = parts.iter().position(|parts| *parts == payout.parts).unwrap_or(0);
            wager.by_class[case] = u8::try_from(at).unwrap_or(0);
        }
        wager
    }

    /// How often each payout comes up, of all draws.
    #[must_use]
    pub fn counts(&self, outcomes: &Outcomes) -> Vec<u64> {
        let mut counts = vec![0; self.payouts.len()];
        if self.spot.group() == Group::Pairs {
            let hand = usize::from(self.spot == Spot::BankerPair);
            for (case, ways) in outcomes.pairs[hand].iter().enumerate() {
                counts[usize::from(self.by_class[case])] += ways;
            }
        } else {
            for (at, ways) in self.by_class.iter().zip(&outcomes.classes) {
                counts[usize::from(*at)] += ways;
            }
        }
        counts
    }

    /// What it is worth.
    #[must_use]
    pub fn value(&self, outcomes: &Outcomes) -> Value {
        Value { total: outcomes.total, unit: self.unit, counts: self.exact(outcomes) }
    }

    fn exact(&self, outcomes: &Outcomes) -> Vec<(i64, u64)> {
        let parts = self.payouts.iter().map(|payout| payout.parts);
        parts.zip(self.counts(outcomes)).collect()
    }

    /// The sum of all payouts over all draws, in parts of [`Self::unit`]: what is to be known in a
    /// hurry. Divided by the unit and the draws it is the expected value.
    #[must_use]
    pub fn sum(&self, outcomes: &Outcomes) -> i128 {
        let parts = self.payouts.iter().map(|payout| i128::from(payout.parts));
        parts.zip(self.counts(outcomes)).map(|(parts, ways)| parts * i128::from(ways)).sum()
    }
}

/// What a wager is worth, exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    total: u64,
    unit: i64,
    /// Payouts in parts of the unit, and how often they come up.
    counts: Vec<(i64, u64)>,
}

fn ratio(numerator: IBig, denominator: u64) -> RBig {
    RBig::from_parts(numerator, UBig::from(denominator))
}

impl Value {
    /// Every payout for a unit staked, with its probability.
    #[must_use]
    pub fn payouts(&self) -> Vec<(RBig, RBig)> {
        let unit = self.unit.unsigned_abs();
        let each = |(parts, ways): &(i64, u64)| {
            (ratio(IBig::from(*parts), unit), ratio(IBig::from(*ways), self.total))
        };
        self.counts.iter().map(each).collect()
    }

    /// What a unit staked brings on average.
    #[must_use]
    pub fn expected(&self) -> RBig {
        self.payouts().into_iter().fold(RBig::ZERO, |sum, (paid, chance)| sum + paid * chance)
    }

    /// What the house keeps of a unit staked, on average.
    #[must_use]
    pub fn house_edge(&self) -> RBig {
        -self.expected()
    }

    /// The mean square of the distance from the expected value.
    #[must_use]
    pub fn variance(&self) -> RBig {
        let square = |(paid, chance): (RBig, RBig)| paid.clone() * paid * chance;
        let mean = self.expected();
        let squares = self.payouts().into_iter().map(square).fold(RBig::ZERO, |sum, x| sum + x);
        squares - mean.clone() * mean
    }

    /// How often it wins.
    #[must_use]
    pub fn hit_rate(&self) -> RBig {
        let won = self.counts.iter().filter(|(parts, _)| *parts > 0).map(|(_, ways)| ways);
        ratio(IBig::from(won.sum::<u64>()), self.total)
    }

    /// How often it is neither won nor lost.
    #[must_use]
    pub fn push_rate(&self) -> RBig {
        let kept = self.counts.iter().filter(|(parts, _)| *parts == 0).map(|(_, ways)| ways);
        ratio(IBig::from(kept.sum::<u64>()), self.total)
    }
}

/// A fraction with so many digits behind the point, rounded half away from zero.
#[must_use]
pub fn decimal(value: &RBig, digits: usize) -> String {
    let scale = UBig::from(10_u8).pow(digits);
    let (negative, numerator) = {
        let negative = *value < RBig::ZERO;
        let size = if negative { -value.clone() } else { value.clone() };
        (negative, size)
    };
    let (top, bottom) = numerator.into_parts();
    let top: UBig = top.try_into().unwrap_or(UBig::ZERO);
    let scaled = (top * scale * UBig::from(2_u8) + &bottom) / (bottom * UBig::from(2_u8));
    let text = format!("{scaled:0>width$}", scaled = scaled.to_string(), width = digits + 1);
    let (whole, part) = text.split_at(text.len() - digits);
    let sign = if negative && text.bytes().any(|b| b != b'0') { "-" } else { "" };
    if digits == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// The square root of a fraction, rounded down behind so many digits.
#[must_use]
pub fn root(value: &RBig, digits: usize) -> RBig {
    let scale = UBig::from(10_u8).pow(digits);
    let (top, bottom) = value.clone().into_parts();
    let top: UBig = top.try_into().unwrap_or(UBig::ZERO);
    let scaled = top * &scale * &scale / bottom;
    RBig::from_parts(IBig::from(isqrt(&scaled)), scale)
}

fn isqrt(value: &UBig) -> UBig {
    use dashu_int::ops::SquareRoot;
    value.clone().sqrt()
}
