//! Hands and their totals.

use core::fmt;

use arrayvec::ArrayVec;

use crate::book::{Burn, Cards};
use crate::card::{Card, Rank};
use crate::clause::{Cited, Clause};

/// One of the two hands of a coup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The hand dealt to first.
    Player,
    /// The hand dealt to second.
    Banker,
}

impl Side {
    /// Both, in the order of dealing.
    pub const BOTH: [Self; 2] = [Self::Player, Self::Banker];

    /// The word for it in transcripts.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Banker => "banker",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Player => "Player",
            Self::Banker => "Banker",
        })
    }
}

/// The cards of one hand, three at the most.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Hand(ArrayVec<Card, 3>);

impl Hand {
    /// A hand of these cards.
    ///
    /// # Panics
    ///
    /// With more than three cards: no rule deals a fourth.
    #[must_use]
    pub fn of(cards: &[Card]) -> Self {
        Self(cards.iter().copied().collect())
    }

    /// The cards in the order of dealing.
    #[must_use]
    pub fn cards(&self) -> &[Card] {
        &self.0
    }

    /// The third card, if there is one.
    #[must_use]
    pub fn third(&self) -> Option<Card> {
        self.0.get(2).copied()
    }

    /// Adds a card.
    ///
    /// # Panics
    ///
    /// With three cards in the hand already: no rule deals a fourth.
    pub fn push(&mut self, card: Card) {
        self.0.push(card);
    }

    /// The total of the hand, and the clause that makes it so.
    #[must_use]
    pub fn total(&self, cards: &Cards) -> Cited<u8> {
        cards.total(self.0.iter().map(|card| cards.points(card.rank()).value).sum())
    }
}

impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .enumerate()
            .try_for_each(|(i, card)| write!(f, "{}{card}", if i == 0 { "" } else { " " }))
    }
}

impl Cards {
    /// The total of a hand whose cards have so many points, and the clause that makes it so.
    #[must_use]
    pub fn total(&self, points: u8) -> Cited<u8> {
        let clause =
            if points <= 9 { self.total_to_nine.clause } else { self.total_from_ten.clause };
        Cited { value: points % 10, clause }
    }

    /// The points of a card of that rank in a hand.
    #[must_use]
    pub fn points(&self, rank: Rank) -> Cited<u8> {
        let small = |number: u32| u8::try_from(number).expect("a card counts at most 10");
        match rank {
            Rank::Ace => self.ace.map(|ace| small(ace.get())),
            Rank::Ten | Rank::Jack | Rank::Queen | Rank::King => {
                self.tens.map(|tens| small(tens.get()))
            }
            Rank::Two
            | Rank::Three
            | Rank::Four
            | Rank::Five
            | Rank::Six
            | Rank::Seven
            | Rank::Eight
            | Rank::Nine => Cited { value: rank as u8 + 1, clause: self.pips.clause },
        }
    }

    /// How many further cards are burnt with a shown card of that rank, and the clause that says so
    /// for this rank in particular.
    #[must_use]
    pub fn burnt_with(&self, burn: &Burn, rank: Rank) -> (u32, Option<Clause>) {
        let points = u32::from(self.points(rank).value);
        match rank {
            Rank::Ten | Rank::Jack | Rank::Queen | Rank::King => {
                (burn.tens.value.get(), Some(burn.tens.clause))
            }
            Rank::Ace => (points, burn.ace.map(|ace| ace.clause)),
            Rank::Two
            | Rank::Three
            | Rank::Four
            | Rank::Five
            | Rank::Six
            | Rank::Seven
            | Rank::Eight
            | Rank::Nine => (points, None),
        }
    }

    /// The points of a single card in the tableau: the last digit of its points.
    #[must_use]
    pub fn count(&self, card: Card) -> u8 {
        self.points(card.rank()).value % 10
    }
}
