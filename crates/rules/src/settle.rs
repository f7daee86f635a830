//! The settlement of a wager, and its clauses.

use alloc::vec;
use alloc::vec::Vec;

use arrayvec::ArrayVec;

use crate::book::{Dragon, OnTie, Rulebook};
use crate::card::Card;
use crate::clause::{Cited, Clause, Ground};
use crate::hand::{Hand, Side};
use crate::money::{Cents, Price, Unpayable, Winnings};
use crate::wager::{Group, Method, PairsKind, Spot, Terms};

/// How a coup ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// That hand had the higher total.
    Won(Side),
    /// The totals were equal.
    Tie,
}

impl core::fmt::Display for Outcome {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Won(side) => write!(f, "{side} wins"),
            Self::Tie => write!(f, "tie"),
        }
    }
}

/// A pair, by how alike its two cards are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pair {
    /// One card is red, the other black.
    Mixed,
    /// Both cards are red: hearts and diamonds.
    Red,
    /// Both cards are black: clubs and spades.
    Black,
    /// Both cards are of one suit.
    Perfect,
}

impl Pair {
    /// The pair that the first two cards of a hand make, if they make one.
    #[must_use]
    pub fn in_hand(hand: &Hand) -> Option<Self> {
        match hand.cards() {
            [first, second, ..] => Self::of(*first, *second),
            [] | [_] => None,
        }
    }

    /// The pair that two cards make, if they make one.
    #[must_use]
    pub fn of(first: Card, second: Card) -> Option<Self> {
        if first.rank() != second.rank() {
            return None;
        }
        Some(if first.suit() == second.suit() {
            Self::Perfect
        } else {
            match (first.suit().is_red(), second.suit().is_red()) {
                (true, true) => Self::Red,
                (false, false) => Self::Black,
                (true, false) | (false, true) => Self::Mixed,
            }
        })
    }
}

/// The score of one hand, as far as wagers depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HandScore {
    /// The final total.
    pub total: u8,
    /// Whether it was a natural.
    pub natural: bool,
    /// The pair that its first two cards made.
    pub pair: Option<Pair>,
}

/// The score of both hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Score {
    /// Player's hand.
    pub player: HandScore,
    /// Banker's hand.
    pub banker: HandScore,
}

impl Score {
    /// How the coup ended.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self.player.total.cmp(&self.banker.total) {
            core::cmp::Ordering::Less => Outcome::Won(Side::Banker),
            core::cmp::Ordering::Equal => Outcome::Tie,
            core::cmp::Ordering::Greater => Outcome::Won(Side::Player),
        }
    }

    /// The hand of that side.
    #[must_use]
    pub const fn hand(&self, side: Side) -> &HandScore {
        match side {
            Side::Player => &self.player,
            Side::Banker => &self.banker,
        }
    }
}

/// The outcome of a stake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is returned with winnings.
    Won(Winnings),
    /// It is collected.
    Lost,
    /// It is returned: neither won nor lost.
    Kept,
}

/// The clauses that a settlement rests on, in the order in which they were applied.
pub type Clauses = ArrayVec<Clause, 4>;

/// A wager that was settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The spot that the wager was on.
    pub spot: Spot,
    /// The stake.
    pub stake: Cents,
    /// The outcome of the stake.
    pub verdict: Verdict,
    /// The clauses that decided it.
    pub clauses: Clauses,
}

/// A wager that the table does not offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOffered {
    /// The book has no such wager.
    #[error("{book} has no {what}; it has {instead}")]
    NotInTheBook {
        /// The book.
        book: crate::clause::BookId,
        /// The clause that lists the wagers of the book, if one does.
        clause: Option<Clause>,
        /// The wager that was asked for.
        what: &'static str,
        /// The wagers that the book has.
        instead: &'static str,
    },
    /// The book leaves the wager to the operator, who does not offer it.
    #[error("{what} is for the operator to offer [{clause}], and is not offered here")]
    NotAtThisTable {
        /// The wager that was asked for.
        what: &'static str,
        /// The clause that leaves it to the operator.
        clause: Clause,
    },
}

impl NotOffered {
    /// The clause that leaves the wager to the operator, or that lists the wagers of the book.
    #[must_use]
    pub const fn clause(&self) -> Option<Clause> {
        match self {
            Self::NotInTheBook { clause, .. } => *clause,
            Self::NotAtThisTable { clause, .. } => Some(*clause),
        }
    }
}

/// How the rules decide on one spot: a winning stake has a price, and every outcome has its
/// clauses.
enum Decision {
    Wins(Clauses, Cited<Price>),
    Loses(Clauses),
    Keeps(Clauses),
}

impl Rulebook {
    /// The clause that offers a wager on that spot under these terms.
    ///
    /// # Errors
    ///
    /// When the book has no such wager, or the operator does not offer it.
    pub fn offers(&self, spot: Spot, terms: Terms) -> Result<Clause, NotOffered> {
        let (book, clause) = (self.title.id, self.wagers.listed.map(|list| list.clause));
        let missing = |what, instead| NotOffered::NotInTheBook { book, clause, what, instead };
        match spot {
            Spot::Banker => Ok(self.banker.offered.clause),
            Spot::Player => Ok(self.player.offered.clause),
            Spot::Tie => Ok(self.tie.offered.clause),
            Spot::BankerPair | Spot::PlayerPair => {
                let instead = if self.dragon.is_some() {
                    "no Pairs, but a Dragon Bonus"
                } else {
                    "no side bets"
                };
                let pairs = self.pairs.as_ref().ok_or(missing("Pairs", instead))?;
                let clause = pairs.offered.clause;
                terms
                    .pairs
                    .map(|_| clause)
                    .ok_or(NotOffered::NotAtThisTable { what: "a Pairs wager", clause })
            }
            Spot::BankerDragon | Spot::PlayerDragon => {
                let on_banker = spot == Spot::BankerDragon;
                let instead = if self.pairs.is_some() { "Pairs" } else { "no side bets" };
                let dragon = self.dragon.as_ref().ok_or(missing("Dragon Bonus", instead))?;
                if !terms.dragon {
                    let clause = dragon.offered.clause;
                    return Err(NotOffered::NotAtThisTable { what: "the Dragon Bonus", clause });
                }
                Ok(if on_banker { dragon.on_banker.clause } else { dragon.on_player.clause })
            }
        }
    }

    /// The payouts of a spot under these terms: when, how much, and by which clause; nothing if the
    /// spot is not offered.
    #[must_use]
    pub fn pays(&self, spot: Spot, terms: Terms) -> Vec<(&'static str, Cited<Price>)> {
        if self.offers(spot, terms).is_err() {
            return Vec::new();
        }
        match (spot.group(), terms.pairs, &self.half_on_six) {
            (Group::Main | Group::Tie, _, half) => {
                let main = self.main_price(terms.method, spot, 0).map(|price| ("a win", price));
                let six = half
                    .as_ref()
                    .filter(|_| spot == Spot::Banker && terms.method == Method::HalfOnSix);
                let six = six.map(|half| ("a win with 6", half.banker_on_six));
                main.into_iter().chain(six).collect()
            }
            (Group::Pairs, Some(PairsKind::Canberra), _) => {
                let canberra = self.canberra_pairs.as_ref();
                canberra.map(|canberra| ("a pair", canberra.pays)).into_iter().collect()
            }
            (Group::Pairs, _, _) => self.perfect_pairs.as_ref().map_or(Vec::new(), |perfect| {
                vec![
                    ("a mixed pair", perfect.mixed_pays),
                    ("a coloured pair", perfect.coloured_pays),
                    ("a perfect pair", perfect.perfect_pays),
                ]
            }),
            (Group::Dragon, _, _) => self.dragon.as_ref().map_or(Vec::new(), |dragon| {
                vec![
                    ("a natural", dragon.natural_pays),
                    ("by 4", dragon.margin_4_pays),
                    ("by 5", dragon.margin_5_pays),
                    ("by 6", dragon.margin_6_pays),
                    ("by 7", dragon.margin_7_pays),
                    ("by 8", dragon.margin_8_pays),
                    ("by 9", dragon.margin_9_pays),
                ]
            }),
        }
    }

    /// The prices from [`Self::pays`] alone, for a spot that is offered.
    #[must_use]
    pub fn prices(&self, spot: Spot, terms: Terms) -> ArrayVec<Cited<Price>, 8> {
        let mut prices = ArrayVec::new();
        match spot.group() {
            Group::Main | Group::Tie => {
                let six = spot == Spot::Banker && terms.method == Method::HalfOnSix;
                let totals: &[u8] = if six { &[0, 6] } else { &[0] };
                let price = |total: &u8| self.main_price(terms.method, spot, *total);
                prices.extend(totals.iter().filter_map(price));
            }
            Group::Pairs | Group::Dragon => {
                prices.extend(self.pays(spot, terms).into_iter().map(|(_, price)| price));
            }
        }
        prices
    }

    /// Whether every price of [`Self::prices`] pays a stake in whole cents.
    #[must_use]
    pub fn pays_whole(&self, spot: Spot, terms: Terms, stake: Cents) -> bool {
        let whole = |price: Cited<Price>| price.value.winnings(stake).is_ok();
        match spot.group() {
            Group::Main | Group::Tie => {
                let six = spot == Spot::Banker && terms.method == Method::HalfOnSix;
                let pays = |total: u8| self.main_price(terms.method, spot, total).is_none_or(whole);
                pays(0) && (!six || pays(6))
            }
            Group::Pairs | Group::Dragon => self.prices(spot, terms).into_iter().all(whole),
        }
    }

    /// Checks that the terms are among those that the book leaves to the operator.
    ///
    /// # Errors
    ///
    /// When the book does not have the method or the side bet.
    pub fn allows(&self, terms: Terms) -> Result<(), NotOffered> {
        let (book, clause) = (self.title.id, self.wagers.listed.map(|list| list.clause));
        let missing = |what, instead| Err(NotOffered::NotInTheBook { book, clause, what, instead });
        if terms.method == Method::HalfOnSix && self.half_on_six.is_none() {
            let (what, instead) = ("half-on-six method", "the commission method");
            let clause = Some(self.commission.banker.clause);
            return Err(NotOffered::NotInTheBook { book, clause, what, instead });
        }
        match terms.pairs {
            Some(PairsKind::Perfect) if self.perfect_pairs.is_none() => {
                return missing(
                    "Perfect Pairs",
                    if self.pairs.is_some() { "Canberra Pairs" } else { "no Pairs" },
                );
            }
            Some(PairsKind::Canberra) if self.canberra_pairs.is_none() => {
                return missing(
                    "Canberra Pairs",
                    if self.pairs.is_some() { "Perfect Pairs" } else { "no Pairs" },
                );
            }
            _ => {}
        }
        if terms.dragon && self.dragon.is_none() {
            return missing(
                "Dragon Bonus",
                if self.pairs.is_some() { "Pairs" } else { "no side bets" },
            );
        }
        Ok(())
    }

    /// The price of a winning wager on Banker, Player or Tie.
    #[must_use]
    pub fn main_price(&self, method: Method, spot: Spot, banker_total: u8) -> Option<Cited<Price>> {
        let half = self.half_on_six.as_ref().filter(|_| method == Method::HalfOnSix);
        match (spot, half) {
            (Spot::Banker, None) => Some(self.commission.banker),
            (Spot::Banker, Some(half)) if banker_total == 6 => Some(half.banker_on_six),
            (Spot::Banker, Some(half)) => Some(half.banker),
            (Spot::Player, None) => Some(self.commission.player),
            (Spot::Player, Some(half)) => Some(half.player),
            (Spot::Tie, None) => Some(self.commission.tie),
            (Spot::Tie, Some(half)) => Some(half.tie),
            _ => None,
        }
    }

    /// Settles one wager. The terms must be [allowed](Self::allows) and the spot
    /// [offered](Self::offers).
    ///
    /// # Errors
    ///
    /// When the stake cannot be paid in whole cents; nothing is rounded.
    ///
    /// # Panics
    ///
    /// On a side bet that the book does not have.
    pub fn settle(
        &self,
        terms: Terms,
        spot: Spot,
        stake: Cents,
        score: Score,
    ) -> Result<Settled, Unpayable> {
        let decision = match spot.group() {
            Group::Main | Group::Tie => self.decide_main(terms.method, spot, score),
            Group::Pairs => self.decide_pair(terms, spot, score),
            Group::Dragon => {
                let dragon = self.dragon.as_ref().expect("the book has a Dragon Bonus");
                dragon.decide(spot.side().expect("a Dragon Bonus is on a hand"), score)
            }
        };
        let (verdict, clauses) = match decision {
            Decision::Loses(clauses) => (Verdict::Lost, clauses),
            Decision::Keeps(clauses) => (Verdict::Kept, clauses),
            Decision::Wins(mut clauses, price) => {
                if !clauses.contains(&price.clause) {
                    clauses.push(price.clause);
                }
                (Verdict::Won(price.value.winnings(stake)?), clauses)
            }
        };
        Ok(Settled { spot, stake, verdict, clauses })
    }

    fn decide_main(&self, method: Method, spot: Spot, score: Score) -> Decision {
        let (wins, loses, ties) = match spot {
            Spot::Banker => (&self.banker.wins, &self.banker.loses, Some(self.banker.ties)),
            Spot::Player => (&self.player.wins, &self.player.loses, Some(self.player.ties)),
            Spot::Tie
            | Spot::BankerPair
            | Spot::PlayerPair
            | Spot::BankerDragon
            | Spot::PlayerDragon => (&self.tie.wins, &self.tie.loses, None),
        };
        match (score.outcome(), ties) {
            (Outcome::Tie, Some(Cited { value: OnTie::Kept, clause })) => {
                Decision::Keeps(one(clause))
            }
            (Outcome::Tie, Some(Cited { value: OnTie::Lost, clause })) => {
                Decision::Loses(one(clause))
            }
            (Outcome::Won(side), _) if spot.side() != Some(side) => {
                Decision::Loses(one(loses.clause))
            }
            (Outcome::Tie, None) | (Outcome::Won(_), _) => {
                let price = self
                    .main_price(method, spot, score.banker.total)
                    .expect("every main wager has a price");
                Decision::Wins(one(wins.clause), price)
            }
        }
    }

    fn decide_pair(&self, terms: Terms, spot: Spot, score: Score) -> Decision {
        let pairs = self.pairs.as_ref().expect("the book has Pairs");
        let side = spot.side().expect("a Pairs wager is on a hand");
        let (wins, loses) = match side {
            Side::Banker => (pairs.banker_wins, pairs.banker_loses),
            Side::Player => (pairs.player_wins, pairs.player_loses),
        };
        let Some(pair) = score.hand(side).pair else { return Decision::Loses(one(loses.clause)) };
        let mut clauses = one(wins.clause);
        let (kind, price): (Ground, _) = match terms.pairs {
            Some(PairsKind::Perfect) | None => {
                let perfect = self.perfect_pairs.as_ref().expect("the book has Perfect Pairs");
                match pair {
                    Pair::Mixed => (perfect.mixed, perfect.mixed_pays),
                    Pair::Red => (perfect.coloured_red, perfect.coloured_pays),
                    Pair::Black => (perfect.coloured_black, perfect.coloured_pays),
                    Pair::Perfect => (perfect.perfect, perfect.perfect_pays),
                }
            }
            Some(PairsKind::Canberra) => {
                let canberra = self.canberra_pairs.as_ref().expect("the book has Canberra Pairs");
                (canberra.pair, canberra.pays)
            }
        };
        clauses.push(kind.clause);
        Decision::Wins(clauses, price)
    }
}

impl Dragon {
    fn decide(&self, side: Side, score: Score) -> Decision {
        let (natural, margin, lower, short) = match side {
            Side::Banker => {
                (self.banker_natural, self.banker_margin, self.banker_lower, self.banker_short)
            }
            Side::Player => {
                (self.player_natural, self.player_margin, self.player_lower, self.player_short)
            }
        };
        let (mine, other) = match side {
            Side::Banker => (&score.banker, &score.player),
            Side::Player => (&score.player, &score.banker),
        };
        let lead = match mine.total.checked_sub(other.total) {
            None => return Decision::Loses(one(lower.clause)),
            Some(0) if mine.natural && other.natural => {
                return Decision::Keeps(one(self.standoff.clause));
            }
            Some(0) => {
                return Decision::Loses(one(short.clause));
            }
            Some(lead) => lead,
        };
        if mine.natural {
            return Decision::Wins(one(natural.clause), self.natural_pays);
        }
        let with_least = |clause: Clause| {
            let mut clauses = one(clause);
            clauses.push(self.least_margin.clause);
            clauses
        };
        if u32::from(lead) >= self.least_margin.value.get() {
            Decision::Wins(with_least(margin.clause), self.margin_price(lead))
        } else {
            Decision::Loses(with_least(short.clause))
        }
    }

    /// The price of a win by that margin, without a natural.
    fn margin_price(&self, lead: u8) -> Cited<Price> {
        match lead {
            ..=4 => self.margin_4_pays,
            5 => self.margin_5_pays,
            6 => self.margin_6_pays,
            7 => self.margin_7_pays,
            8 => self.margin_8_pays,
            9.. => self.margin_9_pays,
        }
    }
}

fn one(clause: Clause) -> Clauses {
    let mut clauses = Clauses::new();
    clauses.push(clause);
    clauses
}
