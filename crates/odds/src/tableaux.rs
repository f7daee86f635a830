//! The rules of drawing as a book has them, as tables; and the classes of outcome.

use rules::{Action, Card, Rank, Rulebook, Suit};

/// How a coup ended, as far as the number of cards goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A natural on either side.
    Natural,
    /// Two cards each, without a natural.
    BothStand,
    /// Player drew.
    PlayerDrew,
    /// Banker drew.
    BankerDrew,
    /// Both drew.
    BothDrew,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Natural, Self::BothStand, Self::PlayerDrew, Self::BankerDrew, Self::BothDrew];
}

/// A class of outcome: totals, natural, and how many cards each hand has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// Player's total.
    pub player: u8,
    /// Banker's total.
    pub banker: u8,
    /// How it ended.
    pub kind: Kind,
}

/// How many classes there are; not all of them can come up.
pub const CLASSES: usize = 500;

impl Class {
    /// Its number, below [`CLASSES`].
    #[must_use]
    pub const fn index(self) -> usize {
        (self.player as usize * 10 + self.banker as usize) * 5 + self.kind as usize
    }

    /// Every class.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..10).flat_map(|player| {
            (0..10).flat_map(move |banker| {
                Kind::ALL.into_iter().map(move |kind| Self { player, banker, kind })
            })
        })
    }

    /// How many cards Player and Banker have.
    #[must_use]
    pub const fn cards(self) -> (u8, u8) {
        match self.kind {
            Kind::Natural | Kind::BothStand => (2, 2),
            Kind::PlayerDrew => (3, 2),
            Kind::BankerDrew => (2, 3),
            Kind::BothDrew => (3, 3),
        }
    }
}

/// Who draws when, and what cards count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tableaux {
    /// What each rank counts in a total, 0 to 9.
    pub values: [u8; 13],
    /// Which totals are naturals.
    pub natural: [bool; 10],
    /// With which totals Player draws.
    pub player_draws: [bool; 10],
    /// With which totals Banker draws after Player stood.
    pub banker_draws_after_stand: [bool; 10],
    /// By what Player's third card counts: with which totals Banker draws.
    pub banker_draws: [[bool; 10]; 10],
}

impl Tableaux {
    /// As a book has them.
    ///
    /// # Panics
    ///
    /// When a book's cards do not count every value from 0 to 9.
    #[must_use]
    pub fn of(book: &Rulebook) -> Self {
        let values = Rank::ALL.map(|rank| book.cards.points(rank).value % 10);
        let card = |value: u8| {
            let rank = Rank::ALL.into_iter().find(|rank| values[*rank as usize] == value);
            Card::new(rank.expect("some card counts so much"), Suit::Hearts)
        };
        let totals: [u8; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        let draws =
            |total: u8, third: Option<Card>| book.banker_acts(total, third).value == Action::Draw;
        Self {
            values,
            natural: totals.map(|total| book.is_natural(total)),
            player_draws: totals.map(|total| book.player_acts(total).value == Action::Draw),
            banker_draws_after_stand: totals.map(|total| draws(total, None)),
            banker_draws: totals.map(|third| totals.map(|total| draws(total, Some(card(third))))),
        }
    }

    /// Whether nobody draws.
    #[must_use]
    pub const fn ends(&self, player: usize, banker: usize) -> bool {
        self.natural[player] || self.natural[banker]
    }
}
