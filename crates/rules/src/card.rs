//! Cards, and how many of each are in the shoe.

use core::fmt;
use core::str::FromStr;

/// A rank, from the ace up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Rank {
    /// One.
    Ace,
    /// Two.
    Two,
    /// Three.
    Three,
    /// Four.
    Four,
    /// Five.
    Five,
    /// Six.
    Six,
    /// Seven.
    Seven,
    /// Eight.
    Eight,
    /// Nine.
    Nine,
    /// Ten.
    Ten,
    /// Jack.
    Jack,
    /// Queen.
    Queen,
    /// King.
    King,
}

impl Rank {
    /// Every rank, from the ace up.
    pub const ALL: [Self; 13] = [
        Self::Ace,
        Self::Two,
        Self::Three,
        Self::Four,
        Self::Five,
        Self::Six,
        Self::Seven,
        Self::Eight,
        Self::Nine,
        Self::Ten,
        Self::Jack,
        Self::Queen,
        Self::King,
    ];
    const LETTERS: [char; 13] = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K'];

    /// The letter or digit the rank is written with; ten is `T`.
    #[must_use]
    pub const fn letter(self) -> char {
        Self::LETTERS[self as usize]
    }
}

/// A suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Suit {
    /// Red.
    Hearts,
    /// Red.
    Diamonds,
    /// Black.
    Clubs,
    /// Black.
    Spades,
}

impl Suit {
    /// Every suit.
    pub const ALL: [Self; 4] = [Self::Hearts, Self::Diamonds, Self::Clubs, Self::Spades];
    const LETTERS: [char; 4] = ['h', 'd', 'c', 's'];

    /// The letter the suit is written with.
    #[must_use]
    pub const fn letter(self) -> char {
        Self::LETTERS[self as usize]
    }

    /// Whether this character means the suit: its letter, or its sign, filled or open.
    fn is_written(self, sign: char) -> bool {
        const SIGNS: [[char; 2]; 4] = [['♥', '♡'], ['♦', '♢'], ['♣', '♧'], ['♠', '♤']];
        sign.to_ascii_lowercase() == self.letter() || SIGNS[self as usize].contains(&sign)
    }

    /// Hearts and diamonds are red, clubs and spades are black.
    #[must_use]
    pub const fn is_red(self) -> bool {
        matches!(self, Self::Hearts | Self::Diamonds)
    }
}

/// One card, in a byte: the rank above, the suit in the two lowest bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Card(u8);

impl Card {
    /// How many different cards there are.
    pub const KINDS: usize = 52;

    /// The card of that rank and suit.
    #[must_use]
    pub const fn new(rank: Rank, suit: Suit) -> Self {
        Self((rank as u8) << 2 | suit as u8)
    }

    /// The card with that [`index`](Self::index), or nothing from 52 on.
    #[must_use]
    pub const fn from_index(index: u8) -> Option<Self> {
        if (index as usize) < Self::KINDS { Some(Self(index)) } else { None }
    }

    /// A number from 0 to 51 that names the card, for tables of counts.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The card's rank.
    #[must_use]
    pub const fn rank(self) -> Rank {
        Rank::ALL[(self.0 >> 2) as usize]
    }

    /// The card's suit.
    #[must_use]
    pub const fn suit(self) -> Suit {
        Suit::ALL[(self.0 & 3) as usize]
    }

    /// Every card of one deck.
    pub fn deck() -> impl Iterator<Item = Self> {
        (0..Self::KINDS).map(|index| Self(u8::try_from(index).expect("52 fits in a byte")))
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.rank().letter(), self.suit().letter())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A word that names no card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a card is a rank `A 2 3 4 5 6 7 8 9 T J Q K` and a suit `h d c s`, such as `Th` or `10h`")]
pub struct NotACard;

impl FromStr for Card {
    type Err = NotACard;

    /// `Th`, `10h` and `T♥` are the same card.
    fn from_str(word: &str) -> Result<Self, NotACard> {
        let mut letters = word.chars();
        let Some(suit) = letters.next_back() else { return Err(NotACard) };
        let rank = match (letters.next(), letters.next(), letters.next()) {
            (Some(letter), None, None) => letter.to_ascii_uppercase(),
            (Some('1'), Some('0'), None) => Rank::Ten.letter(),
            _ => return Err(NotACard),
        };
        let rank = Rank::ALL.into_iter().find(|r| r.letter() == rank);
        let suit = Suit::ALL.into_iter().find(|s| s.is_written(suit));
        rank.zip(suit).map(|(rank, suit)| Self::new(rank, suit)).ok_or(NotACard)
    }
}

/// How many of each card are left: a shoe whose order is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Composition {
    counts: [u16; Card::KINDS],
    total: u32,
}

impl Composition {
    /// That many full decks.
    #[must_use]
    pub const fn of_decks(decks: u16) -> Self {
        Self { counts: [decks; Card::KINDS], total: decks as u32 * 52 }
    }

    /// So many of each kind of card, in the order of [`Card::index`].
    #[must_use]
    pub fn of_counts(counts: [u16; Card::KINDS]) -> Self {
        Self { counts, total: counts.iter().map(|count| u32::from(*count)).sum() }
    }

    /// How many there are of each kind of card, in the order of [`Card::index`].
    #[must_use]
    pub const fn counts(&self) -> &[u16; Card::KINDS] {
        &self.counts
    }

    /// How many of this card are left.
    #[must_use]
    pub const fn count(&self, card: Card) -> u16 {
        self.counts[card.index()]
    }

    /// How many cards are left.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.total
    }

    /// Takes one card out.
    ///
    /// # Errors
    ///
    /// When none is left; the composition is then unchanged.
    pub const fn take(&mut self, card: Card) -> Result<(), NoneLeft> {
        if self.counts[card.index()] == 0 {
            return Err(NoneLeft(card));
        }
        self.counts[card.index()] -= 1;
        self.total -= 1;
        Ok(())
    }

    /// Puts a card back that was taken out.
    pub const fn put_back(&mut self, card: Card) {
        self.counts[card.index()] += 1;
        self.total += 1;
    }
}

/// A card that cannot come: all of its kind are out already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("every {0} of the shoe is out already")]
pub struct NoneLeft(pub Card);

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn every_card_reads_back_as_it_is_written() {
        assert_eq!(size_of::<Card>(), 1);
        for card in Card::deck() {
            assert_eq!(card.to_string().parse(), Ok(card));
            assert_eq!(card.to_string().to_uppercase().parse(), Ok(card));
            assert_eq!(Card::new(card.rank(), card.suit()), card);
        }
    }

    #[test]
    fn a_ten_is_written_with_a_letter_or_with_its_number() {
        for (letter, number, sign) in
            [("Th", "10h", "10♥"), ("Td", "10D", "T♦"), ("Tc", "10c", "10♧"), ("Ts", "10s", "t♠")]
        {
            assert_eq!(letter.parse::<Card>(), number.parse::<Card>());
            assert_eq!(letter.parse::<Card>(), sign.parse::<Card>());
            assert!(letter.parse::<Card>().is_ok());
        }
    }

    #[test]
    fn a_word_that_is_no_card_is_refused() {
        for word in ["", "3", "h", "1h", "0h", "11h", "100h", "T0h", "3x", "3h ", "♥3"] {
            assert_eq!(word.parse::<Card>(), Err(NotACard), "{word:?}");
        }
        assert_eq!(Card::from_index(52), None);
    }

    #[test]
    fn a_ninth_king_of_hearts_is_not_in_eight_decks() {
        let king = "Kh".parse().unwrap();
        let mut shoe = Composition::of_decks(8);
        for _ in 0..8 {
            assert_eq!(shoe.take(king), Ok(()));
        }
        let before = shoe;
        assert_eq!(shoe.take(king), Err(NoneLeft(king)));
        assert_eq!(shoe, before);
        assert_eq!((shoe.total(), shoe.count(king)), (408, 0));
    }
}
