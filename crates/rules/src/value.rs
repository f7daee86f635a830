//! Kinds of value that several decisions share: numbers, ranges, notice, prices, spoken words.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::money::Price;
use crate::policy::{Choice, Datum, Shape, Value, Word, choices};

/// A whole number within bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Whole<const LEAST: u32, const MOST: u32>(u32);

impl<const LEAST: u32, const MOST: u32> Whole<LEAST, MOST> {
    /// The number, or nothing outside the bounds.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if LEAST <= number && number <= MOST { Some(Self(number)) } else { None }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const LEAST: u32, const MOST: u32> fmt::Display for Whole<LEAST, MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A whole number as data holds it.
fn whole(datum: &Datum) -> Option<u32> {
    let Datum::Number(number) = datum else { return None };
    u32::try_from(*number).ok()
}

impl<const LEAST: u32, const MOST: u32> Value for Whole<LEAST, MOST> {
    const SHAPE: Shape = Shape::Whole { least: LEAST, most: MOST };

    fn read(datum: &Datum) -> Result<Self, String> {
        whole(datum).and_then(Self::new).ok_or_else(String::new)
    }

    fn datum(&self) -> Datum {
        Datum::Number(self.0.into())
    }
}

/// Per cent, 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Percent(pub Whole<0, 100>);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

impl Value for Percent {
    const SHAPE: Shape = Whole::<0, 100>::SHAPE;

    fn read(datum: &Datum) -> Result<Self, String> {
        Value::read(datum).map(Self)
    }

    fn datum(&self) -> Datum {
        self.0.datum()
    }
}

/// A range of whole numbers with both ends included, or with one end open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Span<const LEAST: u32, const MOST: u32> {
    /// Exactly this number.
    Exactly(u32),
    /// From the first number to the second.
    Between(u32, u32),
    /// This number or more.
    AtLeast(u32),
    /// This number or fewer.
    AtMost(u32),
    /// Any number.
    Any,
    /// One of some numbers up to 31, a bit for each.
    OneOf(u32),
}

impl<const LEAST: u32, const MOST: u32> Span<LEAST, MOST> {
    /// The smallest number in the range.
    #[must_use]
    pub const fn least(self) -> u32 {
        match self {
            Self::Exactly(n) | Self::Between(n, _) | Self::AtLeast(n) => n,
            Self::AtMost(_) | Self::Any => LEAST,
            Self::OneOf(numbers) => numbers.trailing_zeros(),
        }
    }

    /// The largest number in the range.
    #[must_use]
    pub const fn most(self) -> u32 {
        match self {
            Self::Exactly(n) | Self::Between(_, n) | Self::AtMost(n) => n,
            Self::AtLeast(_) | Self::Any => MOST,
            Self::OneOf(numbers) => numbers.ilog2(),
        }
    }

    /// Whether a number lies in the range.
    #[must_use]
    pub const fn holds(self, number: u32) -> bool {
        let between = self.least() <= number && number <= self.most();
        match self {
            Self::OneOf(numbers) => between && numbers >> number & 1 == 1,
            Self::Exactly(_)
            | Self::Between(..)
            | Self::AtLeast(_)
            | Self::AtMost(_)
            | Self::Any => between,
        }
    }

    /// Reads `3, 4, 6 or 8`: at least two numbers, each larger than the one before.
    fn parse_list(text: &str) -> Option<Self> {
        let (most, last) = text.rsplit_once(" or ")?;
        let numbers: Option<Vec<u32>> =
            most.split(", ").chain([last]).map(|word| word.parse().ok()).collect();
        let numbers = numbers?;
        let rising = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let fits = rising && numbers.iter().all(|number| *number < 32);
        fits.then(|| Self::OneOf(numbers.iter().fold(0, |set, number| set | 1 << number)))
    }

    fn parse(text: &str) -> Option<Self> {
        let number = |word: &str| word.parse::<u32>().ok();
        if text == "any number" {
            return Some(Self::Any);
        }
        if let Some(least) = text.strip_prefix("at least ") {
            return number(least).map(Self::AtLeast);
        }
        if let Some(most) = text.strip_prefix("at most ") {
            return number(most).map(Self::AtMost);
        }
        if text.contains(" or ") {
            return Self::parse_list(text);
        }
        let (least, most) = text.split_once(" to ")?;
        number(least).zip(number(most)).map(|(least, most)| Self::Between(least, most))
    }
}

impl<const LEAST: u32, const MOST: u32> fmt::Display for Span<LEAST, MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(n) => write!(f, "{n}"),
            Self::Between(least, most) => write!(f, "{least} to {most}"),
            Self::AtLeast(n) => write!(f, "at least {n}"),
            Self::AtMost(n) => write!(f, "at most {n}"),
            Self::Any => write!(f, "any number"),
            Self::OneOf(set) => {
                let numbers = (0..32).filter(|number| set >> number & 1 == 1);
                for (i, number) in numbers.clone().enumerate() {
                    let before = match (i, i + 1 == numbers.clone().count()) {
                        (0, _) => "",
                        (_, true) => " or ",
                        (_, false) => ", ",
                    };
                    write!(f, "{before}{number}")?;
                }
                Ok(())
            }
        }
    }
}

impl<const LEAST: u32, const MOST: u32> Value for Span<LEAST, MOST> {
    const SHAPE: Shape = Shape::WholeOrText {
        least: LEAST,
        most: MOST,
        what: "a list such as \"3, 4, 6 or 8\", or a range",
        examples: &["4 to 8", "at least 12", "at most 2", "any number"],
    };

    fn read(datum: &Datum) -> Result<Self, String> {
        let span = if let Datum::Text(text) = datum {
            Self::parse(text)
        } else {
            whole(datum).map(Self::Exactly)
        };
        let span = span.ok_or_else(String::new)?;
        let (least, most) = (span.least(), span.most());
        if least < LEAST || most > MOST {
            return Err(format!("it reaches beyond {LEAST} to {MOST}"));
        }
        if least > most { Err("its ends are the wrong way round".to_owned()) } else { Ok(span) }
    }

    fn datum(&self) -> Datum {
        match self {
            Self::Exactly(n) => Datum::Number((*n).into()),
            Self::Between(..) | Self::AtLeast(_) | Self::AtMost(_) | Self::Any | Self::OneOf(_) => {
                Datum::Text(format!("{self}"))
            }
        }
    }
}

/// How many places a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seats {
    /// As many as the approval of the table says; the operator names the number.
    AsApproved,
    /// This number or fewer.
    AtMost(u32),
    /// One number or the other.
    Either(u32, u32),
}

impl Seats {
    /// The most places that any table has.
    pub const MOST: u32 = 14;

    /// Whether a table may have so many places.
    #[must_use]
    pub const fn allow(self, seats: u32) -> bool {
        match self {
            Self::AsApproved => 1 <= seats && seats <= Self::MOST,
            Self::AtMost(most) => 1 <= seats && seats <= most,
            Self::Either(a, b) => seats == a || seats == b,
        }
    }
}

impl fmt::Display for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsApproved => write!(f, "as approved"),
            Self::AtMost(n) => write!(f, "at most {n}"),
            Self::Either(a, b) => write!(f, "{a} or {b}"),
        }
    }
}

impl Value for Seats {
    const SHAPE: Shape = Shape::Text {
        what: "a number of places up to 14",
        examples: &["as approved", "at most 7", "7 or 9"],
    };

    fn read(datum: &Datum) -> Result<Self, String> {
        let Datum::Text(text) = datum else { return Err(String::new()) };
        let number = |word: &str| {
            word.parse::<u32>()
                .ok()
                .filter(|n| (1..=Self::MOST).contains(n))
                .ok_or_else(String::new)
        };
        if text == "as approved" {
            Ok(Self::AsApproved)
        } else if let Some(most) = text.strip_prefix("at most ") {
            number(most).map(Self::AtMost)
        } else if let Some((a, b)) = text.split_once(" or ") {
            Ok(Self::Either(number(a)?, number(b)?))
        } else {
            Err(String::new())
        }
    }

    fn datum(&self) -> Datum {
        Datum::Text(format!("{self}"))
    }
}

/// How long in advance a change must be announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notice {
    /// In advance; the change takes effect from a later round.
    Prior,
    /// At least this many minutes in advance.
    Minutes(u32),
    /// No notice: the change may be made at any time.
    AnyTime,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prior => write!(f, "announced before, in force from a later round"),
            Self::Minutes(minutes) => write!(f, "shown {minutes} minutes before"),
            Self::AnyTime => write!(f, "at any time"),
        }
    }
}

impl Value for Notice {
    const SHAPE: Shape = Shape::WholeOrText {
        least: 1,
        most: 1440,
        what: "notice of no stated length, or none,",
        examples: &["prior", "any-time"],
    };
    const WITHOUT: Word = ("any-time", "at any time");

    fn read(datum: &Datum) -> Result<Self, String> {
        match datum {
            Datum::Text(text) if text == "prior" => Ok(Self::Prior),
            Datum::Text(text) if text == "any-time" => Ok(Self::AnyTime),
            Datum::Number(_) | Datum::Text(_) | Datum::List(_) | Datum::Other(_) => whole(datum)
                .filter(|minutes| (1..=1440).contains(minutes))
                .map(Self::Minutes)
                .ok_or_else(|| "the number is of minutes".to_owned()),
        }
    }

    fn datum(&self) -> Datum {
        match self {
            Self::Prior => Datum::Text("prior".to_owned()),
            Self::AnyTime => Datum::Text("any-time".to_owned()),
            Self::Minutes(minutes) => Datum::Number((*minutes).into()),
        }
    }
}

impl Value for Price {
    const SHAPE: Shape = Shape::Text { what: "odds", examples: &["8:1", "1:1 less 5%"] };

    fn read(datum: &Datum) -> Result<Self, String> {
        let Datum::Text(text) = datum else { return Err(String::new()) };
        text.parse()
    }

    fn datum(&self) -> Datum {
        Datum::Text(format!("{self}"))
    }
}

/// Words that the dealer says, or a name that the book gives to something.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Phrase(Arc<str>);

impl Phrase {
    /// The words, shared by all who say them.
    #[must_use]
    pub const fn words(&self) -> &Arc<str> {
        &self.0
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "“{}”", self.0)
    }
}

impl Value for Phrase {
    const SHAPE: Shape =
        Shape::Text { what: "1 to 40 letters, as they are said", examples: &["No more bets"] };

    fn read(datum: &Datum) -> Result<Self, String> {
        let Datum::Text(text) = datum else { return Err(String::new()) };
        let short = (1..=40).contains(&text.chars().count());
        let plain = !text.chars().any(char::is_control) && text.trim() == text;
        if short && plain { Ok(Self(text.as_str().into())) } else { Err(String::new()) }
    }

    fn datum(&self) -> Datum {
        Datum::Text(self.0.as_ref().into())
    }
}

choices! {
    /// A form of baccarat table.
    Layout {
        Baccarat "baccarat" "Baccarat",
        Mini "mini" "Mini Baccarat",
        Midi "midi" "Midi Baccarat",
    }
}

/// Several choices of one kind, each once, in the book's order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Several<T>(Vec<T>);

impl<T: PartialEq> Several<T> {
    /// The choices, in the book's order.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// Whether a choice is among them.
    #[must_use]
    pub fn has(&self, choice: &T) -> bool {
        self.0.contains(choice)
    }
}

impl<T: fmt::Display> fmt::Display for Several<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .enumerate()
            .try_for_each(|(i, choice)| write!(f, "{}{choice}", if i == 0 { "" } else { ", " }))
    }
}

impl<T: Choice> Value for Several<T> {
    const SHAPE: Shape = Shape::SomeOf(T::WORDS);

    fn read(datum: &Datum) -> Result<Self, String> {
        let Datum::List(items) = datum else { return Err(String::new()) };
        let choices: Vec<_> = items.iter().map(T::read).collect::<Result<_, _>>()?;
        let twice = choices.iter().enumerate().any(|(i, choice)| choices[..i].contains(choice));
        if choices.is_empty() || twice {
            return Err("each word stands once, and there is at least one".to_owned());
        }
        Ok(Self(choices))
    }

    fn datum(&self) -> Datum {
        Datum::List(self.0.iter().map(Value::datum).collect())
    }
}

/// The forms of table that a book approves.
pub type Layouts = Several<Layout>;

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Datum {
        Datum::Text(text.to_owned())
    }

    #[test]
    fn ranges_are_read_as_they_are_written() {
        type Decks = Span<1, 8>;
        assert_eq!(Decks::read(&Datum::Number(8)), Ok(Span::Exactly(8)));
        for (words, least, most) in
            [("4 to 8", 4, 8), ("at least 3", 3, 8), ("at most 2", 1, 2), ("any number", 1, 8)]
        {
            let span = Decks::read(&text(words)).unwrap();
            assert_eq!((span.least(), span.most()), (least, most));
            assert_eq!(span.datum(), text(words));
        }
        let some = Decks::read(&text("3, 4, 6 or 8")).unwrap();
        assert_eq!((some.least(), some.most(), some.datum()), (3, 8, text("3, 4, 6 or 8")));
        assert!([3, 4, 6, 8].into_iter().all(|decks| some.holds(decks)));
        assert!([0, 1, 2, 5, 7, 9].into_iter().all(|decks| !some.holds(decks)));
        for wrong in ["8 to 4", "a few", "6 or 4", "4 or 9", "or 4", "4, 6", "4 or 40"] {
            assert!(Decks::read(&text(wrong)).is_err(), "{wrong}");
        }
        for wrong in [Datum::Number(0), Datum::Number(9)] {
            assert!(Decks::read(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn places_at_a_table_are_as_the_book_allows() {
        let seats = Seats::read(&text("7 or 9")).unwrap();
        assert!(seats.allow(7) && seats.allow(9) && !seats.allow(8));
        assert!(!Seats::read(&text("at most 7")).unwrap().allow(0));
        assert!(Seats::read(&text("at most 15")).is_err());
    }
}
