//! Where a wager can be placed.

use alloc::vec::Vec;
use core::fmt;

use crate::hand::Side;
use crate::key::Key;

/// A place on the layout for a wager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Spot {
    /// Banker.
    Banker,
    /// Player.
    Player,
    /// Tie.
    Tie,
    /// A side bet of the book.
    Side(Key),
}

/// Wagers that share their limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Banker and Player.
    Main,
    /// Tie.
    Tie,
    /// Side bets that are offered together.
    Side(Key),
}

impl Spot {
    /// The spots that every book has.
    pub const MAIN: [Self; 3] = [Self::Banker, Self::Player, Self::Tie];

    /// The word for it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Banker => "banker",
            Self::Player => "player",
            Self::Tie => "tie",
            Self::Side(key) => key.as_str(),
        }
    }

    /// The spot that a word names; whether a book has it is for the book to say.
    #[must_use]
    pub fn from_key(word: &str) -> Option<Self> {
        match word {
            "banker" => Some(Self::Banker),
            "player" => Some(Self::Player),
            "tie" => Some(Self::Tie),
            other => Key::said(other).map(Self::Side),
        }
    }

    /// The opposite wager: Banker for Player, and Player for Banker; no other spot has one.
    #[must_use]
    pub const fn other_hand(self) -> Option<Self> {
        match self {
            Self::Banker => Some(Self::Player),
            Self::Player => Some(Self::Banker),
            Self::Tie | Self::Side(_) => None,
        }
    }

    /// The hand that a main wager is on.
    #[must_use]
    pub const fn hand(self) -> Option<Side> {
        match self {
            Self::Banker => Some(Side::Banker),
            Self::Player => Some(Side::Player),
            Self::Tie | Self::Side(_) => None,
        }
    }
}

impl Group {
    /// The word for it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Tie => "tie",
            Self::Side(key) => key.as_str(),
        }
    }

    /// The group that a word names; whether a book has it is for the book to say.
    #[must_use]
    pub fn from_key(word: &str) -> Option<Self> {
        match word {
            "main" => Some(Self::Main),
            "tie" => Some(Self::Tie),
            other => Key::said(other).map(Self::Side),
        }
    }
}

/// How main wagers are paid: the key of a method that the book has, such as `commission`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Method(pub Key);

impl Method {
    /// The usual method, which nearly every book has.
    ///
    /// # Panics
    ///
    /// Never: the word is a key.
    #[must_use]
    pub fn commission() -> Self {
        Self(Key::new("commission").expect("a key"))
    }

    /// The word for it.
    #[must_use]
    pub fn key(self) -> &'static str {
        self.0.as_str()
    }

    /// The method that a word names; whether a book has it is for the book to say.
    #[must_use]
    pub fn from_key(word: &str) -> Option<Self> {
        Key::said(word).map(Self)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.as_str().replace('-', " "))
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Banker => f.write_str("Banker"),
            Self::Player => f.write_str("Player"),
            Self::Tie => f.write_str("Tie"),
            Self::Side(key) => f.write_str(&key.title()),
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Main => f.write_str("Banker and Player"),
            Self::Tie => f.write_str("Tie"),
            Self::Side(key) => f.write_str(&key.title()),
        }
    }
}

/// Side bets that an operator offers: a group, and the pay table where the book has several. It is
/// written `dragon` or `pairs=perfect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Offer {
    /// The group.
    pub group: Key,
    /// The pay table.
    pub table: Option<Key>,
}

impl Offer {
    /// Reads `dragon` or `pairs=perfect`.
    #[must_use]
    pub fn said(text: &str) -> Option<Self> {
        match text.split_once('=') {
            None => Some(Self { group: Key::said(text)?, table: None }),
            Some((group, table)) => {
                Some(Self { group: Key::said(group)?, table: Some(Key::said(table)?) })
            }
        }
    }
}

impl fmt::Display for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.table {
            None => write!(f, "{}", self.group),
            Some(table) => write!(f, "{}={table}", self.group),
        }
    }
}

/// The side bets that an operator offers, in the order of the offers; each group once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Offers(Vec<Offer>);

impl Offers {
    /// Nothing but main wagers.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// The offers.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Offer> {
        self.0.iter().copied()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The offer of a group.
    #[must_use]
    pub fn of(&self, group: Key) -> Option<Offer> {
        self.0.iter().copied().find(|offer| offer.group == group)
    }

    /// Offers a group, in place of what was offered of it.
    pub fn put(&mut self, offer: Offer) {
        match self.0.iter_mut().find(|old| old.group == offer.group) {
            Some(old) => *old = offer,
            None => self.0.push(offer),
        }
    }

    /// Offers a group no more.
    pub fn drop(&mut self, group: Key) {
        self.0.retain(|offer| offer.group != group);
    }

    /// These offers and one more.
    #[must_use]
    pub fn with(mut self, offer: Offer) -> Self {
        self.put(offer);
        self
    }
}

impl FromIterator<Offer> for Offers {
    fn from_iter<I: IntoIterator<Item = Offer>>(offers: I) -> Self {
        offers.into_iter().fold(Self::none(), Self::with)
    }
}

/// What the operator of a table has chosen, where the book leaves a choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Terms {
    /// How winning Banker wagers are paid.
    pub method: Method,
    /// The side bets that are offered.
    pub side_bets: Offers,
}

impl Terms {
    /// Main wagers alone, paid by that method.
    #[must_use]
    pub const fn main(method: Method) -> Self {
        Self { method, side_bets: Offers::none() }
    }
}
