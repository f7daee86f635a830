//! The settlement of a wager, and its clauses.

use alloc::string::String;
use alloc::vec::Vec;

use arrayvec::ArrayVec;

use crate::book::{OnTie, Rulebook};
use crate::card::Card;
use crate::clause::{Cited, Clause};
use crate::hand::{Hand, Side};
use crate::key::Key;
use crate::money::{Cents, Price, Unpayable, Winnings};
use crate::side_bet::{PayMethod, PayTable, Row, RowOutcome, SideBet, SideBets};
use crate::wager::{Group, Method, Offer, Offers, Spot, Terms};

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
    /// How many cards it had.
    pub cards: u8,
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
pub type Clauses = ArrayVec<Clause, 6>;

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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOffered {
    /// The book has no such wager.
    #[error("{book} has no {what}; it has {instead}")]
    NotInTheBook {
        /// The book.
        book: crate::clause::BookId,
        /// The clause that lists the wagers of the book, if one does.
        clause: Option<Clause>,
        /// The wager that was asked for.
        what: String,
        /// The wagers that the book has.
        instead: String,
    },
    /// The book leaves the wager to the operator, who does not offer it.
    #[error("{what} is for the operator to offer [{clause}], and is not offered here")]
    NotAtThisTable {
        /// The wager that was asked for.
        what: String,
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
    /// Every spot that the book has, whether a table offers it or not.
    #[must_use]
    pub fn spots(&self) -> Vec<Spot> {
        let sides = self.side_bets.iter().flat_map(SideBets::spots).map(Spot::Side);
        Spot::MAIN.into_iter().chain(sides).collect()
    }

    /// Every group of wagers that the book has.
    #[must_use]
    pub fn groups(&self) -> Vec<Group> {
        let sides = self.side_bets.iter().map(|group| Group::Side(group.key));
        [Group::Main, Group::Tie].into_iter().chain(sides).collect()
    }

    /// The group whose limits apply to a spot; nothing if the book has no such spot.
    #[must_use]
    pub fn group(&self, spot: Spot) -> Option<Group> {
        match spot {
            Spot::Banker | Spot::Player => Some(Group::Main),
            Spot::Tie => Some(Group::Tie),
            Spot::Side(key) => {
                let group = self.side_bets.iter().find(|group| group.has(key))?;
                Some(Group::Side(group.key))
            }
        }
    }

    /// A group of side bets.
    #[must_use]
    pub fn side_bets(&self, group: Key) -> Option<&SideBets> {
        self.side_bets.iter().find(|bets| bets.key == group)
    }

    /// The side bets and the pay table that an offer means.
    #[must_use]
    pub fn offered(&self, offer: Offer) -> Option<(&SideBets, &PayTable)> {
        let group = self.side_bets(offer.group)?;
        Some((group, group.table(offer.table)?))
    }

    /// An offer with its pay table: where none is named, the first that the book has.
    #[must_use]
    pub fn in_full(&self, offer: Offer) -> Offer {
        let first = || self.side_bets(offer.group)?.tables.first()?.key;
        Offer { table: offer.table.or_else(first), ..offer }
    }

    /// The first way to offer each group of side bets that the book has.
    #[must_use]
    pub fn all_offers(&self) -> Offers {
        let first = |group: &SideBets| {
            let table = group.tables.first().and_then(|table| table.key);
            Offer { group: group.key, table }
        };
        self.side_bets.iter().map(first).collect()
    }

    /// The side bet on a spot under these terms, with the group that it belongs to.
    #[must_use]
    pub fn side_bet(&self, spot: Key, terms: &Terms) -> Option<(&SideBets, &SideBet)> {
        terms.side_bets.iter().find_map(|offer| {
            let (group, table) = self.offered(offer)?;
            Some((group, table.bets.iter().find(|bet| bet.key == spot)?))
        })
    }

    /// The name of a spot.
    #[must_use]
    pub fn spot_name(&self, spot: Spot) -> &str {
        match spot {
            Spot::Banker => "Banker",
            Spot::Player => "Player",
            Spot::Tie => "Tie",
            Spot::Side(key) => {
                let tables = self.side_bets.iter().flat_map(|group| &group.tables);
                let bet = tables.flat_map(|table| &table.bets).find(|bet| bet.key == key);
                bet.map_or(key.as_str(), |bet| bet.name.as_str())
            }
        }
    }

    /// The name of a group of wagers.
    #[must_use]
    pub fn group_name(&self, group: Group) -> &str {
        match group {
            Group::Main => "Banker and Player",
            Group::Tie => "Tie",
            Group::Side(key) => self.side_bets(key).map_or(key.as_str(), |bets| bets.name.as_str()),
        }
    }

    /// The hand that a wager is on; a Tie wager and many side bets are on neither.
    #[must_use]
    pub fn side(&self, spot: Spot) -> Option<Side> {
        let Spot::Side(key) = spot else { return spot.hand() };
        let tables = self.side_bets.iter().flat_map(|group| &group.tables);
        tables.flat_map(|table| &table.bets).find(|bet| bet.key == key)?.side
    }

    /// The book does not have what was asked for.
    fn missing(&self, what: &str, instead: String) -> NotOffered {
        let (book, clause) = (self.title.id, self.wagers.listed.map(|list| list.clause));
        NotOffered::NotInTheBook { book, clause, what: what.into(), instead }
    }

    /// The clause that offers a wager on that spot under these terms.
    ///
    /// # Errors
    ///
    /// When the book has no such wager, or the operator does not offer it.
    pub fn offers(&self, spot: Spot, terms: &Terms) -> Result<Clause, NotOffered> {
        match spot {
            Spot::Banker => Ok(self.banker.offered.clause),
            Spot::Player => Ok(self.player.offered.clause),
            Spot::Tie => Ok(self.tie.offered.clause),
            Spot::Side(key) => {
                if let Some((_, bet)) = self.side_bet(key, terms) {
                    return Ok(bet.offered);
                }
                let group = self.side_bets.iter().find(|group| group.has(key));
                let group = group.ok_or_else(|| {
                    let spots: Vec<_> = self.spots().into_iter().map(Spot::key).collect();
                    self.missing(key.as_str(), spots.join(", "))
                })?;
                let (what, clause) = (group.name.clone(), group.rules.offered.clause);
                Err(NotOffered::NotAtThisTable { what, clause })
            }
        }
    }

    /// The clause by which the limits of a group of wagers are on a sign, if the book wants it.
    #[must_use]
    pub fn limits_displayed(&self, group: Group) -> Option<Clause> {
        let own = match group {
            Group::Main | Group::Tie => None,
            Group::Side(key) => {
                let bets = self.side_bets.iter().find(|bets| bets.key == key);
                bets.and_then(|bets| bets.rules.displayed.as_ref())
            }
        };
        own.or(self.limits.displayed.as_ref()).map(|ground| ground.clause)
    }

    /// The payouts of a spot under these terms: when, how much, and by which clause; nothing if the
    /// spot is not offered.
    #[must_use]
    pub fn pays(&self, spot: Spot, terms: &Terms) -> Vec<(String, Cited<Price>)> {
        if let Spot::Side(key) = spot {
            return self.side_bet(key, terms).map_or(Vec::new(), |(_, bet)| bet.pays());
        }
        let Some(method) = self.method(terms.method) else { return Vec::new() };
        let main = method.price(spot).map(|price| ("a win".into(), price));
        let rows = method.rows.iter().filter(|_| spot == Spot::Banker).filter_map(|row| {
            let (RowOutcome::Pays(value), Some(clause)) = (row.outcome, row.clauses.last()) else {
                return None;
            };
            Some((row.words(), Cited { value, clause: *clause }))
        });
        main.into_iter().chain(rows).collect()
    }

    /// A method of paying main wagers.
    #[must_use]
    pub fn method(&self, method: Method) -> Option<&PayMethod> {
        self.methods.iter().find(|own| own.key == method.0)
    }

    /// The method that is usual under this book: the first.
    #[must_use]
    pub fn usual_method(&self) -> Method {
        self.methods.first().map_or_else(Method::commission, |method| Method(method.key))
    }

    /// The prices from [`Self::pays`] alone, for a spot that is offered.
    #[must_use]
    pub fn prices(&self, spot: Spot, terms: &Terms) -> Vec<Cited<Price>> {
        self.pays(spot, terms).into_iter().map(|(_, price)| price).collect()
    }

    /// Whether every price of [`Self::prices`] pays a stake in whole cents.
    #[must_use]
    pub fn pays_whole(&self, spot: Spot, terms: &Terms, stake: Cents) -> bool {
        let whole = |price: Price| price.winnings(stake).is_ok();
        if let Spot::Side(key) = spot {
            let bet = self.side_bet(key, terms);
            return bet.is_none_or(|(_, bet)| {
                bet.all_rows().all(|row| match row.outcome {
                    RowOutcome::Pays(price) => whole(price),
                    RowOutcome::Kept | RowOutcome::Lost => true,
                })
            });
        }
        let Some(method) = self.method(terms.method) else { return true };
        let mut rows = method.rows.iter().filter(|_| spot == Spot::Banker);
        let rows = rows.all(|row| match row.outcome {
            RowOutcome::Pays(price) => whole(price),
            RowOutcome::Kept | RowOutcome::Lost => true,
        });
        rows && method.price(spot).is_none_or(|price| whole(price.value))
    }

    /// Checks that the terms are among those that the book leaves to the operator.
    ///
    /// # Errors
    ///
    /// When the book does not have the method or the side bet.
    pub fn allows(&self, terms: &Terms) -> Result<(), NotOffered> {
        if self.method(terms.method).is_none() {
            let (book, clause) = (self.title.id, self.methods.first());
            let clause = clause.map(|method| method.rules.banker.clause);
            let keys: Vec<_> = self.methods.iter().map(|method| method.key.as_str()).collect();
            let what = alloc::format!("{} method", terms.method.key());
            let instead = alloc::format!("the {} method", keys.join(", the "));
            return Err(NotOffered::NotInTheBook { book, clause, what, instead });
        }
        terms.side_bets.iter().try_for_each(|offer| self.may_offer(offer))
    }

    /// Checks that the operator may offer these side bets.
    ///
    /// # Errors
    ///
    /// When the book does not have them, or has several pay tables of which none is chosen.
    pub fn may_offer(&self, offer: Offer) -> Result<(), NotOffered> {
        let Some(group) = self.side_bets(offer.group) else {
            let names: Vec<_> = self.all_offers().iter().map(|o| alloc::format!("{o}")).collect();
            let none = names.is_empty();
            let instead = if none { String::from("no side bets") } else { names.join(", ") };
            return Err(self.missing(&alloc::format!("{offer}"), instead));
        };
        if group.table(self.in_full(offer).table).is_some() {
            return Ok(());
        }
        let tables = group.tables.iter().map(|table| match table.key {
            Some(key) => alloc::format!("{}={key}", group.key),
            None => String::from(group.key.as_str()),
        });
        let instead = tables.collect::<Vec<_>>().join(", ");
        let (book, clause) = (self.title.id, Some(group.rules.offered.clause));
        let what = alloc::format!("{offer}");
        Err(NotOffered::NotInTheBook { book, clause, what, instead })
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
        terms: &Terms,
        spot: Spot,
        stake: Cents,
        score: Score,
    ) -> Result<Settled, Unpayable> {
        let decision = match spot {
            Spot::Banker | Spot::Player | Spot::Tie => self.decide_main(terms.method, spot, score),
            Spot::Side(key) => {
                let (_, bet) = self.side_bet(key, terms).expect("the table offers the side bet");
                let row = bet.row(&score);
                let verdict = match row.outcome {
                    RowOutcome::Pays(price) => Verdict::Won(price.winnings(stake)?),
                    RowOutcome::Kept => Verdict::Kept,
                    RowOutcome::Lost => Verdict::Lost,
                };
                return Ok(Settled { spot, stake, verdict, clauses: row.clauses.clone() });
            }
        };
        let (verdict, clauses) = match decision {
            Decision::Loses(clauses) => (Verdict::Lost, clauses),
            Decision::Keeps(clauses) => (Verdict::Kept, clauses),
            Decision::Wins(mut clauses, price) => {
                price.clause.cite_in(&mut clauses);
                (Verdict::Won(price.value.winnings(stake)?), clauses)
            }
        };
        Ok(Settled { spot, stake, verdict, clauses })
    }

    fn decide_main(&self, method: Method, spot: Spot, score: Score) -> Decision {
        let (wins, loses, ties) = match spot {
            Spot::Banker => (&self.banker.wins, &self.banker.loses, Some(self.banker.ties)),
            Spot::Player => (&self.player.wins, &self.player.loses, Some(self.player.ties)),
            Spot::Tie | Spot::Side(_) => (&self.tie.wins, &self.tie.loses, None),
        };
        match (score.outcome(), ties) {
            (Outcome::Tie, Some(Cited { value: OnTie::Kept, clause })) => {
                Decision::Keeps(one(clause))
            }
            (Outcome::Tie, Some(Cited { value: OnTie::Lost, clause })) => {
                Decision::Loses(one(clause))
            }
            (Outcome::Won(side), _) if spot.hand() != Some(side) => {
                Decision::Loses(one(loses.clause))
            }
            (Outcome::Tie, None) | (Outcome::Won(_), _) => {
                let method = self.method(method).expect("the book has the method");
                let row = method.rows.iter().filter(|_| spot == Spot::Banker);
                if let Some(row) = row.into_iter().find(|row| row.holds(&score)) {
                    return row.decide(wins.clause);
                }
                let price = method.price(spot).expect("every main wager has a price");
                Decision::Wins(one(wins.clause), price)
            }
        }
    }
}

impl PayMethod {
    /// The price of a winning wager on Banker, Player or Tie, unless a row says otherwise.
    fn price(&self, spot: Spot) -> Option<Cited<Price>> {
        match spot {
            Spot::Banker => Some(self.rules.banker),
            Spot::Player => Some(self.rules.player),
            Spot::Tie => Some(self.rules.tie),
            Spot::Side(_) => None,
        }
    }
}

impl Row {
    /// What the row makes of a Banker wager that wins by that clause.
    fn decide(&self, wins: Clause) -> Decision {
        let mut clauses = one(wins);
        for clause in &self.clauses {
            clause.cite_in(&mut clauses);
        }
        match (self.outcome, self.clauses.last()) {
            (RowOutcome::Pays(value), Some(clause)) => {
                Decision::Wins(clauses, Cited { value, clause: *clause })
            }
            (RowOutcome::Kept, _) => Decision::Keeps(clauses),
            (RowOutcome::Lost | RowOutcome::Pays(_), _) => Decision::Loses(clauses),
        }
    }
}

fn one(clause: Clause) -> Clauses {
    let mut clauses = Clauses::new();
    clauses.push(clause);
    clauses
}
