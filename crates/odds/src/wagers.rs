//! What a book pays for each class of outcome, and what a wager is worth by that: exact fractions,
//! no floating point before printing.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rules::{Clause, HandScore, Pair, Rulebook, Score, Side, Spot, Terms, Verdict, common_step};

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
    /// What the book calls it.
    pub name: String,
    /// What payouts are counted in: 20 for a price less five per cent.
    pub unit: i64,
    /// Every payout, the loss first, then in rising order.
    pub payouts: Vec<Payout>,
    /// What the payout depends on, and which payout each case brings.
    pub by: By,
}

/// What a payout depends on: for each case, which payout it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// The class of outcome.
    Class(Box<[u16; CLASSES]>),
    /// The pair of Player's first two cards, or of Banker's.
    Pair(Side, [u16; PAIRS.len()]),
    /// The pairs of both hands, Player's kind first.
    Pairs([[u16; PAIRS.len()]; PAIRS.len()]),
}

/// Every wager that a book offers under some terms.
#[derive(Clone, Debug)]
pub struct Wagers {
    /// The wagers.
    pub list: Vec<Wager>,
    /// Classes that no wager tells apart are one group: the group of each class.
    groups: Box<[u16; CLASSES]>,
    /// By wager, what each group pays; nothing for wagers on pairs.
    pays: Vec<Vec<i64>>,
}

/// The kinds of pairs, none first.
pub(crate) const PAIRS: [Option<Pair>; 5] =
    [None, Some(Pair::Mixed), Some(Pair::Red), Some(Pair::Black), Some(Pair::Perfect)];

/// What settlement sees of a class.
fn score(book: &Rulebook, class: Class, pairs: [Option<Pair>; 2]) -> Score {
    let natural = |total: u8| class.kind == Kind::Natural && book.is_natural(total);
    let hand = |total: u8, cards, pair| HandScore { total, natural: natural(total), cards, pair };
    let (player, banker) = class.cards();
    Score {
        player: hand(class.player, player, pairs[0]),
        banker: hand(class.banker, banker, pairs[1]),
    }
}

impl Wagers {
    /// All that the book offers under these terms.
    ///
    /// # Panics
    ///
    /// On a book that is not sound: no stake is paid in whole cents by all prices of a wager.
    #[must_use]
    pub fn of(book: &Rulebook, terms: &Terms) -> Self {
        let spots = book.spots().into_iter().filter(|spot| book.offers(*spot, terms).is_ok());
        let list: Vec<Wager> = spots.map(|spot| Wager::of(book, terms, spot)).collect();
        let mut groups = Box::new([0; CLASSES]);
        let (mut seen, mut first) = (Vec::<Vec<u16>>::new(), Vec::new());
        for (class, group) in groups.iter_mut().enumerate() {
            let pays: Vec<u16> = list.iter().filter_map(|wager| wager.by.class(class)).collect();
            let at = seen.iter().position(|other| *other == pays).unwrap_or_else(|| {
                seen.push(pays);
                first.push(class);
                seen.len() - 1
            });
            *group = u16::try_from(at).unwrap_or(u16::MAX);
        }
        let pays = |wager: &Wager| match &wager.by {
            By::Class(cases) => {
                first.iter().map(|class| wager.payouts[usize::from(cases[*class])].parts).collect()
            }
            By::Pair(..) | By::Pairs(_) => Vec::new(),
        };
        let pays = list.iter().map(pays).collect();
        Self { list, groups, pays }
    }

    /// For each wager, the sum of all payouts over all draws, in parts of [`Wager::unit`]: what is
    /// to be known in a hurry. Divided by the unit and the draws it is the expected value.
    #[must_use]
    pub fn sums(&self, outcomes: &Outcomes) -> Vec<i128> {
        let mut ways = [0_i64; CLASSES];
        for (group, more) in self.groups.iter().zip(&outcomes.classes) {
            // All draws together are below 2⁶³.
            ways[usize::from(*group) % CLASSES] += more.cast_signed();
        }
        let sum = |(wager, pays): (&Wager, &Vec<i64>)| {
            if pays.is_empty() {
                return wager.sum(outcomes);
            }
            let groups = pays.iter().zip(&ways);
            groups.map(|(parts, ways)| i128::from(*parts) * i128::from(*ways)).sum()
        };
        self.list.iter().zip(&self.pays).map(sum).collect()
    }
}

impl By {
    /// Which payout a class brings, if classes decide.
    fn class(&self, class: usize) -> Option<u16> {
        match self {
            Self::Class(cases) => Some(cases[class]),
            Self::Pair(..) | Self::Pairs(_) => None,
        }
    }

    /// Which payout each pair of scores brings, in the form that needs the least counting.
    fn of_pairs(cases: [[u16; PAIRS.len()]; PAIRS.len()]) -> Self {
        if cases.iter().all(|row| row.iter().all(|case| *case == row[0])) {
            return Self::Pair(Side::Player, cases.map(|row| row[0]));
        }
        if cases.iter().all(|row| *row == cases[0]) {
            return Self::Pair(Side::Banker, cases[0]);
        }
        Self::Pairs(cases)
    }
}

impl Wager {
    fn of(book: &Rulebook, terms: &Terms, spot: Spot) -> Self {
        let prices: Vec<_> = book.prices(spot, terms).iter().map(|price| price.value).collect();
        let stake_cents = common_step(&prices).expect("a sound book has a stake that it pays");
        let unit = i64::try_from(stake_cents.get()).expect("amounts are below 2⁵³");
        let pairs = match spot {
            Spot::Banker | Spot::Player | Spot::Tie => false,
            Spot::Side(key) => book.side_bet(key, terms).is_some_and(|(_, bet)| bet.is_on_pairs()),
        };
        let scores: Vec<Score> = if pairs {
            let quiet = Class { player: 6, banker: 6, kind: Kind::BothStand };
            let both = PAIRS.iter().flat_map(|one| PAIRS.iter().map(move |other| [*one, *other]));
            both.map(|pairs| score(book, quiet, pairs)).collect()
        } else {
            Class::all().map(|class| score(book, class, [None; 2])).collect()
        };
        let found: Vec<Payout> = scores
            .into_iter()
            .map(|score| {
                // The stake is one that every price pays.
                let settled = book.settle(terms, spot, stake_cents, score);
                let parts = match settled.as_ref().map(|settled| settled.verdict) {
                    Ok(Verdict::Kept) => 0,
                    Ok(Verdict::Won(won)) => i64::try_from(won.net.get()).unwrap_or(i64::MAX),
                    Ok(Verdict::Lost) | Err(_) => -unit,
                };
                let clause = settled.ok().and_then(|settled| settled.clauses.last().copied());
                Payout { parts, clause }
            })
            .collect();
        let mut payouts: Vec<Payout> = Vec::new();
        for payout in &found {
            if !payouts.iter().any(|known| known.parts == payout.parts) {
                payouts.push(*payout);
            }
        }
        payouts.sort_by_key(|payout| payout.parts);
        let case = |at: usize| {
            let same = |known: &Payout| known.parts == found[at].parts;
            u16::try_from(payouts.iter().position(same).unwrap_or(0)).unwrap_or(u16::MAX)
        };
        let by = if pairs {
            let cases = std::array::from_fn(|one| {
                std::array::from_fn(|other| case(one * PAIRS.len() + other))
            });
            By::of_pairs(cases)
        } else {
            By::Class(Box::new(std::array::from_fn(case)))
        };
        Self { spot, name: book.spot_name(spot).to_owned(), unit, payouts, by }
    }

    /// How often each payout comes up, of all draws.
    #[must_use]
    pub fn counts(&self, outcomes: &Outcomes) -> Vec<u64> {
        let mut counts = vec![0; self.payouts.len()];
        let mut add = |case: &u16, ways: &u64| counts[usize::from(*case)] += ways;
        match &self.by {
            By::Class(cases) => {
                cases.iter().zip(&outcomes.classes).for_each(|(case, ways)| add(case, ways));
            }
            By::Pair(side, cases) => {
                let pairs = outcomes.pairs(*side);
                cases.iter().zip(&pairs).for_each(|(case, ways)| add(case, ways));
            }
            By::Pairs(cases) => {
                let both = cases.iter().flatten().zip(outcomes.pairs.iter().flatten());
                both.for_each(|(case, ways)| add(case, ways));
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

    /// The sum of all payouts over all draws, in parts of [`Self::unit`].
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
