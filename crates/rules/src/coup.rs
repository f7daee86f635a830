//! One coup, from the cards to the money, each step with the clause that decided it.

use alloc::vec::Vec;
use core::fmt;

use crate::book::Rulebook;
use crate::card::{Card, Composition, NoneLeft};
use crate::clause::{Cited, Clause};
use crate::hand::{Hand, Side};
use crate::money::{Cents, Unpayable};
use crate::sequence::{Count, Hands, Next};
use crate::settle::{HandScore, NotOffered, Outcome, Pair, Score, Settled};
use crate::tableau::Action;
use crate::wager::{Spot, Terms};

/// A stake on a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bet {
    /// The spot that is wagered on.
    pub spot: Spot,
    /// The amount.
    pub stake: Cents,
}

/// A step of a coup that a clause decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// One of the first four cards went to a hand.
    Dealt(Side, Card),
    /// The total of a hand.
    Counts(Side, u8),
    /// A hand is a natural.
    Natural(Side),
    /// There is a natural, so nobody draws.
    NobodyDraws,
    /// The tableau makes a hand draw or stand.
    Acts(Side, Action),
    /// A third card went to a hand.
    Drawn(Side, Card),
    /// The result of the coup.
    Result(Outcome),
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dealt(side, card) => write!(f, "{side} is dealt {card}"),
            Self::Counts(side, total) => write!(f, "{side} has {total}"),
            Self::Natural(side) => write!(f, "{side} has a natural"),
            Self::NobodyDraws => write!(f, "nobody draws"),
            Self::Acts(side, Action::Draw) => write!(f, "{side} draws"),
            Self::Acts(side, Action::Stand) => write!(f, "{side} stands"),
            Self::Drawn(side, card) => write!(f, "{side} draws {card}"),
            Self::Result(outcome) => write!(f, "{outcome}"),
        }
    }
}

/// A coup that was played and settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coup {
    /// Player's cards.
    pub player: Hand,
    /// Banker's cards.
    pub banker: Hand,
    /// The steps that clauses decided, in order.
    pub rulings: Vec<Cited<Ruling>>,
    /// The score of both hands.
    pub score: Score,
    /// The wagers, settled, in the order given.
    pub settled: Vec<Settled>,
}

/// Why a coup cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoupFault {
    /// The initial deal takes four cards.
    #[error("{given} card(s) are too few: the deal takes four [{clause}]")]
    NoInitialDeal {
        /// How many cards there were.
        given: usize,
        /// The clause on the deal.
        clause: Clause,
    },
    /// A third card is due and there is none.
    #[error("{side} must draw [{clause}] and no card is left; give one more")]
    CardMissing {
        /// The hand that must draw.
        side: Side,
        /// The clause that says so.
        clause: Clause,
    },
    /// Cards are left when the coup is over.
    #[error("{card} is in excess: the coup is over after {used} cards [{clause}]")]
    CardInExcess {
        /// The first card too many.
        card: Card,
        /// How many cards the coup took.
        used: usize,
        /// The clause by which no further card is drawn.
        clause: Clause,
    },
    /// There are more of one card than the shoe has.
    #[error("{} [{clause}]", .fault)]
    ImpossibleCard {
        /// The card.
        fault: NoneLeft,
        /// The clause on the decks.
        clause: Clause,
    },
    /// Terms or a wager that the book does not offer.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
    /// A wager of nothing.
    #[error("0 on {spot} is no wager [{clause}]; stake something", spot = .spot.key())]
    NothingStaked {
        /// The spot.
        spot: Spot,
        /// The clause on wagers.
        clause: Clause,
    },
    /// The winnings are not whole cents.
    #[error(transparent)]
    Unpayable(#[from] Unpayable),
}

impl Rulebook {
    /// Plays one coup from the cards as they leave the shoe: Player, Banker, Player, Banker, and
    /// then as the tableau requires. Settles every bet.
    ///
    /// # Errors
    ///
    /// When cards are too few, too many or impossible, or a bet is not offered or not payable.
    pub fn play(&self, terms: &Terms, cards: &[Card], bets: &[Bet]) -> Result<Coup, CoupFault> {
        self.allows(terms)?;
        self.check_cards(cards)?;
        for bet in bets {
            let clause = self.offers(bet.spot, terms)?;
            if bet.stake == Cents::ZERO {
                return Err(CoupFault::NothingStaked { spot: bet.spot, clause });
            }
        }
        let (score, hands, mut rulings) = self.deal_and_draw(cards)?;
        let outcome = score.outcome();
        rulings.push(Cited { value: Ruling::Result(outcome), clause: self.wins(outcome) });
        let settled = bets
            .iter()
            .map(|bet| self.settle(terms, bet.spot, bet.stake, score))
            .collect::<Result<_, _>>()?;
        let Hands { player, banker, .. } = hands;
        Ok(Coup { player, banker, rulings, score, settled })
    }

    /// The clause by which a coup has this outcome.
    fn wins(&self, outcome: Outcome) -> Clause {
        match outcome {
            Outcome::Won(Side::Player) => self.player.wins.clause,
            Outcome::Won(Side::Banker) => self.banker.wins.clause,
            Outcome::Tie => self.tie.wins.clause,
        }
    }

    /// The score of a finished hand.
    #[must_use]
    pub fn score(&self, hand: &Hand) -> HandScore {
        let total = hand.total(&self.cards).value;
        let natural = hand.cards().len() == 2 && self.is_natural(total);
        let cards = u8::try_from(hand.cards().len()).unwrap_or(u8::MAX);
        HandScore { total, natural, cards, pair: Pair::in_hand(hand) }
    }

    /// Whether that total on the first two cards is a natural.
    #[must_use]
    pub fn is_natural(&self, total: u8) -> bool {
        self.tableau.natural.value.holds(total.into())
    }

    /// What Player does with that total on two cards when there is no natural.
    #[must_use]
    pub fn player_acts(&self, total: u8) -> Cited<Action> {
        // A total that has no row is a natural, and a natural never draws.
        self.tableau.player.map(|tableau| tableau.action(total).unwrap_or(Action::Stand))
    }

    /// What Banker does with that total on two cards when there is no natural.
    #[must_use]
    pub fn banker_acts(&self, total: u8, player_third: Option<Card>) -> Cited<Action> {
        let tableau = &self.tableau;
        let (action, clause) = match (player_third, &tableau.banker_if_player_stood) {
            (Some(third), _) => {
                let count = self.cards.count(third);
                (tableau.banker.value.after_third(total, count), tableau.banker.clause)
            }
            (None, Some(stood)) => (stood.value.action(total), stood.clause),
            (None, None) => (tableau.banker.value.after_stand(total), tableau.banker.clause),
        };
        Cited { value: action.unwrap_or(Action::Stand), clause }
    }

    fn check_cards(&self, cards: &[Card]) -> Result<(), CoupFault> {
        let decks = u16::try_from(self.cards.decks.value.most()).expect("a shoe has few decks");
        let mut shoe = Composition::of_decks(decks);
        let clause = self.cards.decks.clause;
        cards.iter().try_for_each(|card| {
            shoe.take(*card).map_err(|fault| CoupFault::ImpossibleCard { fault, clause })
        })
    }

    /// Deals the cards one by one to the hands that are due them, and logs the clause for each.
    fn deal_and_draw(
        &self,
        cards: &[Card],
    ) -> Result<(Score, Hands, Vec<Cited<Ruling>>), CoupFault> {
        let mut hands = Hands::default();
        let mut log = Vec::with_capacity(14);
        let mut told = Told::default();
        let mut rest = cards.iter().copied();
        loop {
            let standing = self.standing(&hands);
            if let Some(count) = &standing.count {
                self.tell(count, &mut told, &mut log);
            }
            let by = match (standing.next, standing.count) {
                (Next::Card(by), _) => by,
                (Next::Settle(over), Some(count)) => {
                    return match rest.next() {
                        None => Ok((count.score(&hands), hands, log)),
                        Some(card) => Err(self.in_excess(card, &hands, over)),
                    };
                }
                (Next::Turn | Next::Settle(_), _) => unreachable!("every card lies open"),
            };
            let (side, clause) = (by.value, by.clause);
            let third = hands.out() >= 4;
            let Some(card) = rest.next() else {
                return Err(if third {
                    CoupFault::CardMissing { side, clause }
                } else {
                    CoupFault::NoInitialDeal {
                        given: cards.len(),
                        clause: self.deal.first_cards.clause,
                    }
                });
            };
            hands.put(side, card);
            log.push(if third {
                let clause = self.tableau.third_cards.clause;
                Cited { value: Ruling::Drawn(side, card), clause }
            } else {
                Cited { value: Ruling::Dealt(side, card), clause }
            });
            told.counted[side as usize] = false;
        }
    }

    fn in_excess(&self, card: Card, hands: &Hands, over: Clause) -> CoupFault {
        let clause = self.tableau.one_card_only.map_or(over, |only| only.clause);
        CoupFault::CardInExcess { card, used: hands.out(), clause }
    }

    /// Says what is new in a count: totals, naturals, and what the tableau makes a hand do.
    fn tell(&self, count: &Count, told: &mut Told, log: &mut Vec<Cited<Ruling>>) {
        for side in Side::BOTH {
            if !core::mem::replace(&mut told.counted[side as usize], true) {
                log.push(count.totals[side as usize].map(|total| Ruling::Counts(side, total)));
            }
        }
        for side in Side::BOTH.into_iter().filter(|side| count.naturals[*side as usize]) {
            let clause = self.tableau.natural.clause;
            log.push(Cited { value: Ruling::Natural(side), clause });
        }
        if count.is_natural() {
            let clause = self.tableau.natural_ends.clause;
            log.push(Cited { value: Ruling::NobodyDraws, clause });
        }
        for (side, action) in Side::BOTH.into_iter().zip(count.acts) {
            if let Some(action) = action
                && !core::mem::replace(&mut told.acts[side as usize], true)
            {
                log.push(action.map(|action| Ruling::Acts(side, action)));
            }
        }
    }
}

/// Which facts about the two hands are logged already.
#[derive(Default)]
struct Told {
    counted: [bool; 2],
    acts: [bool; 2],
}
