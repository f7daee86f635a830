//! The sequence of a coup: which hand the next card goes to, when cards are turned, and when the
//! coup is settled. All code that deals, judges, counts or replays a coup asks
//! [`Rulebook::standing`].

use crate::book::Rulebook;
use crate::card::Card;
use crate::clause::{Cited, Clause};
use crate::hand::{Hand, Side};
use crate::settle::{HandScore, Pair, Score};
use crate::tableau::Action;

/// The cards of a coup so far: those that lie open, and how many lie face down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hands {
    /// Player's open cards.
    pub player: Hand,
    /// Banker's open cards.
    pub banker: Hand,
    /// How many cards of the coup lie face down.
    pub hidden: usize,
}

impl Hands {
    /// The open cards of a side.
    #[must_use]
    pub const fn of(&self, side: Side) -> &Hand {
        match side {
            Side::Player => &self.player,
            Side::Banker => &self.banker,
        }
    }

    /// An open card goes to a hand.
    ///
    /// # Panics
    ///
    /// With three cards in that hand already: no rule deals a fourth.
    pub fn put(&mut self, side: Side, card: Card) {
        match side {
            Side::Player => self.player.push(card),
            Side::Banker => self.banker.push(card),
        }
    }

    /// How many cards are out, open or not.
    #[must_use]
    pub fn out(&self) -> usize {
        self.player.cards().len() + self.banker.cards().len() + self.hidden
    }
}

/// The next step of a coup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A card goes to that hand.
    Card(Cited<Side>),
    /// Cards that lie face down are turned first.
    Turn,
    /// No hand is due another card, by that clause: the coup is settled.
    Settle(Clause),
}

/// The count of the open cards, once the first four cards and all later ones lie open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The total of Player's and of Banker's hand.
    pub totals: [Cited<u8>; 2],
    /// Whether the first two cards of Player and of Banker are a natural.
    pub naturals: [bool; 2],
    /// What the tableau makes Player and Banker do. Nothing with a natural on the table, and
    /// nothing for Banker until Player's third card is out.
    pub acts: [Option<Cited<Action>>; 2],
}

impl Count {
    /// Whether a natural ends the coup.
    #[must_use]
    pub const fn is_natural(&self) -> bool {
        self.naturals[0] || self.naturals[1]
    }

    /// The score of the hands, as far as wagers depend on it.
    #[must_use]
    pub fn score(&self, hands: &Hands) -> Score {
        let score = |side: Side| HandScore {
            total: self.totals[side as usize].value,
            natural: self.naturals[side as usize] && hands.of(side).cards().len() == 2,
            cards: u8::try_from(hands.of(side).cards().len()).unwrap_or(u8::MAX),
            pair: Pair::in_hand(hands.of(side)),
        };
        Score { player: score(Side::Player), banker: score(Side::Banker) }
    }
}

/// The state of a coup: the next step, and the count of the open cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The next step.
    pub next: Next,
    /// The count of the open cards; nothing before the first four lie open.
    pub count: Option<Count>,
}

impl Rulebook {
    /// The state of a coup with these cards: Player, Banker, Player, Banker, and then as the
    /// tableau requires.
    #[must_use]
    pub fn standing(&self, hands: &Hands) -> Standing {
        let deal = &self.deal;
        let initial = match hands.out() {
            0 => Some((Side::Player, deal.first_cards.clause)),
            1 => Some((Side::Banker, deal.first_cards.clause)),
            2 => Some((Side::Player, deal.second_cards.clause)),
            3 => Some((Side::Banker, deal.second_cards.clause)),
            _ => None,
        };
        if let Some((value, clause)) = initial {
            return Standing { next: Next::Card(Cited { value, clause }), count: None };
        }
        if hands.hidden > 0 {
            return Standing { next: Next::Turn, count: None };
        }
        let [(player, player_total), (banker, banker_total)] =
            [self.totals(&hands.player), self.totals(&hands.banker)];
        let totals = [player_total, banker_total];
        let naturals = [self.is_natural(player), self.is_natural(banker)];
        let standing =
            |next, acts| Standing { next, count: Some(Count { totals, naturals, acts }) };
        if naturals[0] || naturals[1] {
            return standing(Next::Settle(self.tableau.natural_ends.clause), [None; 2]);
        }
        let card = |side: Side, by: Cited<Action>| Next::Card(by.map(|_| side));
        let two = |hand: &Hand| hand.cards().len() == 2;
        let first = self.player_acts(player);
        if first.value == Action::Draw && two(&hands.player) {
            return standing(card(Side::Player, first), [Some(first), None]);
        }
        let second = self.banker_acts(banker, hands.player.third());
        let next = if second.value == Action::Draw && two(&hands.banker) {
            card(Side::Banker, second)
        } else {
            Next::Settle(second.clause)
        };
        standing(next, [Some(first), Some(second)])
    }

    /// The total of a hand's first two cards, and that of all its cards with its clause.
    fn totals(&self, hand: &Hand) -> (u8, Cited<u8>) {
        let (mut two, mut all) = (0, 0);
        for (i, card) in hand.cards().iter().enumerate() {
            all += self.cards.points(card.rank()).value;
            if i < 2 {
                two = all;
            }
        }
        (two % 10, self.cards.total(all))
    }
}
