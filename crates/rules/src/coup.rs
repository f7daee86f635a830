//! One coup, from the cards to the money, each step with the clause that decided it.

use alloc::vec::Vec;
use core::fmt;

use crate::book::Rulebook;
use crate::card::{Card, Composition, NoneLeft};
use crate::clause::{Cited, Clause};
use crate::hand::{Hand, Side};
use crate::money::{Cents, Unpayable};
use crate::settle::{HandScore, NotOffered, Outcome, Pair, Score, Settled};
use crate::tableau::Action;
use crate::wager::{Spot, Terms};

/// A stake on a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bet {
    /// Where.
    pub spot: Spot,
    /// How much.
    pub stake: Cents,
}

/// One thing that a clause decided in a coup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// One of the first four cards went to a hand.
    Dealt(Side, Card),
    /// A hand's cards come to this.
    Counts(Side, u8),
    /// A hand is a natural.
    Natural(Side),
    /// With a natural on the table nobody draws.
    NobodyDraws,
    /// The tableau says what a hand does.
    Acts(Side, Action),
    /// A third card went to a hand.
    Drawn(Side, Card),
    /// The coup ended so.
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

/// A coup, played and settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coup {
    /// Player's cards.
    pub player: Hand,
    /// Banker's cards.
    pub banker: Hand,
    /// What was decided, in order.
    pub rulings: Vec<Cited<Ruling>>,
    /// What the hands came to.
    pub score: Score,
    /// The wagers, settled, in the order given.
    pub settled: Vec<Settled>,
}

/// Why a coup cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoupFault {
    /// The initial deal takes four cards.
    #[error("{given} card(s) are too few: the deal takes four [{clause}]")]
    NoInitialDeal {
        /// How many there were.
        given: usize,
        /// The clause on the deal.
        clause: Clause,
    },
    /// A third card is due and there is none.
    #[error("{side} must draw [{clause}] and no card is left; give one more")]
    CardMissing {
        /// Who must draw.
        side: Side,
        /// The clause that says so.
        clause: Clause,
    },
    /// Cards are left when the coup is over.
    #[error("{card} is in excess: the coup is over after {used} cards [{clause}]")]
    CardInExcess {
        /// The first card too many.
        card: Card,
        /// How many the coup took.
        used: usize,
        /// The clause by which no further card is drawn.
        clause: Clause,
    },
    /// More of one card than the shoe has.
    #[error("{} [{clause}]", .fault)]
    ImpossibleCard {
        /// Which card.
        fault: NoneLeft,
        /// The clause on the decks.
        clause: Clause,
    },
    /// Terms or a wager that are not to be had.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
    /// A wager of nothing.
    #[error("0 on {spot} is no wager [{clause}]; stake something", spot = .spot.key())]
    NothingStaked {
        /// Where.
        spot: Spot,
        /// The clause on wagers.
        clause: Clause,
    },
    /// A winning that is not whole cents.
    #[error(transparent)]
    Unpayable(#[from] Unpayable),
}

impl Rulebook {
    /// Plays one coup from the cards as they leave the shoe: Player, Banker, Player, Banker, and
    /// then as the tableau requires. Settles every bet.
    ///
    /// # Errors
    ///
    /// When cards are too few, too many or impossible, or a bet is not to be had or not payable.
    pub fn play(&self, terms: Terms, cards: &[Card], bets: &[Bet]) -> Result<Coup, CoupFault> {
        self.allows(terms)?;
        self.check_cards(cards)?;
        for bet in bets {
            let clause = self.offers(bet.spot, terms)?;
            if bet.stake == Cents::ZERO {
                return Err(CoupFault::NothingStaked { spot: bet.spot, clause });
            }
        }
        let (player, banker, mut rulings) = self.deal_and_draw(cards)?;
        let score = Score { player: self.score(&player), banker: self.score(&banker) };
        let outcome = score.outcome();
        rulings.push(Cited { value: Ruling::Result(outcome), clause: self.wins(outcome) });
        let settled = bets
            .iter()
            .map(|bet| self.settle(terms, bet.spot, bet.stake, score))
            .collect::<Result<_, _>>()?;
        Ok(Coup { player, banker, rulings, score, settled })
    }

    /// The clause by which a coup ends so.
    fn wins(&self, outcome: Outcome) -> Clause {
        match outcome {
            Outcome::Won(Side::Player) => self.player.wins.clause,
            Outcome::Won(Side::Banker) => self.banker.wins.clause,
            Outcome::Tie => self.tie.wins.clause,
        }
    }

    /// What a finished hand comes to.
    #[must_use]
    pub fn score(&self, hand: &Hand) -> HandScore {
        let total = hand.total(&self.cards).value;
        let pair = match hand.cards() {
            [first, second, ..] => Pair::of(*first, *second),
            _ => None,
        };
        HandScore { total, natural: hand.cards().len() == 2 && self.is_natural(total), pair }
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

    fn deal_and_draw(&self, cards: &[Card]) -> Result<(Hand, Hand, Vec<Cited<Ruling>>), CoupFault> {
        let [a, b, c, d, rest @ ..] = cards else {
            let clause = self.deal.first_cards.clause;
            return Err(CoupFault::NoInitialDeal { given: cards.len(), clause });
        };
        let mut log = Vec::with_capacity(14);
        let (first, second) = (self.deal.first_cards.clause, self.deal.second_cards.clause);
        for (side, card, clause) in [
            (Side::Player, *a, first),
            (Side::Banker, *b, first),
            (Side::Player, *c, second),
            (Side::Banker, *d, second),
        ] {
            log.push(Cited { value: Ruling::Dealt(side, card), clause });
        }
        let (mut player, mut banker) = (Hand::of(&[*a, *c]), Hand::of(&[*b, *d]));
        let mut rest = rest.iter().copied();
        let mut over = self.third_cards(&mut player, &mut banker, &mut rest, &mut log)?;
        if let Some(card) = rest.next() {
            if let Some(only) = self.tableau.one_card_only {
                over = only.clause;
            }
            let used = player.cards().len() + banker.cards().len();
            return Err(CoupFault::CardInExcess { card, used, clause: over });
        }
        Ok((player, banker, log))
    }

    /// Draws as the tableau requires; gives the clause by which no further card is due.
    fn third_cards(
        &self,
        player: &mut Hand,
        banker: &mut Hand,
        rest: &mut impl Iterator<Item = Card>,
        log: &mut Vec<Cited<Ruling>>,
    ) -> Result<Clause, CoupFault> {
        let player_total = self.count(Side::Player, player, log);
        let banker_total = self.count(Side::Banker, banker, log);
        let mut natural = false;
        for (side, total) in [(Side::Player, player_total), (Side::Banker, banker_total)] {
            if self.is_natural(total) {
                natural = true;
                log.push(Cited {
                    value: Ruling::Natural(side),
                    clause: self.tableau.natural.clause,
                });
            }
        }
        if natural {
            let clause = self.tableau.natural_ends.clause;
            log.push(Cited { value: Ruling::NobodyDraws, clause });
            return Ok(clause);
        }
        let mut act = |side, action: Cited<Action>, hand: &mut Hand| -> Result<(), CoupFault> {
            log.push(action.map(|action| Ruling::Acts(side, action)));
            if action.value == Action::Stand {
                return Ok(());
            }
            let missing = CoupFault::CardMissing { side, clause: action.clause };
            let card = rest.next().ok_or(missing)?;
            hand.push(card);
            let clause = self.tableau.third_cards.clause;
            log.push(Cited { value: Ruling::Drawn(side, card), clause });
            self.count(side, hand, log);
            Ok(())
        };
        act(Side::Player, self.player_acts(player_total), player)?;
        let banker_acts = self.banker_acts(banker_total, player.third());
        act(Side::Banker, banker_acts, banker)?;
        Ok(banker_acts.clause)
    }

    fn count(&self, side: Side, hand: &Hand, log: &mut Vec<Cited<Ruling>>) -> u8 {
        let total = hand.total(&self.cards);
        log.push(total.map(|total| Ruling::Counts(side, total)));
        total.value
    }
}
