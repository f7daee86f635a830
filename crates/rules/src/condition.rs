//! What a row asks of a coup: a closed set of conditions, without expressions.
//!
//! A new condition is a variant of [`Test`] and a line of `test_keys!`; the compiler asks for the
//! rest, which is in this file.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::hand::Side;
use crate::policy::Datum;
use crate::settle::{Outcome, Pair, Score};

/// A set of small numbers, such as the totals with which a row matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbers(u32);

impl Numbers {
    /// The numbers of a list; nothing if it is empty or one is too large.
    #[must_use]
    pub fn of(numbers: &[u8], largest: u8) -> Option<Self> {
        let fits = !numbers.is_empty() && numbers.iter().all(|number| *number <= largest);
        fits.then(|| Self(numbers.iter().fold(0, |set, number| set | 1 << number)))
    }

    /// Whether a number is among them.
    #[must_use]
    pub const fn holds(self, number: u8) -> bool {
        self.0 >> number & 1 == 1
    }

    /// The numbers in rising order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..32).filter(move |number| self.holds(*number))
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.iter().map(|number| number.to_string()).collect();
        match numbers.split_last() {
            Some((last, [])) => f.write_str(last),
            Some((last, rest)) => write!(f, "{} or {last}", rest.join(", ")),
            None => Ok(()),
        }
    }
}

/// Which hand has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// That hand, whatever the other has.
    Hand(Side),
    /// At least one of them.
    Either,
    /// Both.
    Both,
}

impl Which {
    const WORDS: [(&'static str, Self); 4] = [
        ("player", Self::Hand(Side::Player)),
        ("banker", Self::Hand(Side::Banker)),
        ("either", Self::Either),
        ("both", Self::Both),
    ];

    /// Whether it is so, given whether Player and Banker have it.
    const fn holds(self, player: bool, banker: bool) -> bool {
        match self {
            Self::Hand(Side::Player) => player,
            Self::Hand(Side::Banker) => banker,
            Self::Either => player || banker,
            Self::Both => player && banker,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Hand(Side::Player) => "player",
            Self::Hand(Side::Banker) => "banker",
            Self::Either => "either",
            Self::Both => "both",
        }
    }
}

/// Kinds of pairs that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    const ANY: Self = Self(0b1111);
    const WORDS: [(&'static str, Self); 5] = [
        ("mixed", Self(0b0001)),
        ("red", Self(0b0010)),
        ("black", Self(0b0100)),
        ("coloured", Self(0b0110)),
        ("suited", Self(0b1000)),
    ];

    const fn holds(self, pair: Option<Pair>) -> bool {
        let bit = match pair {
            None => 0,
            Some(Pair::Mixed) => 1,
            Some(Pair::Red) => 2,
            Some(Pair::Black) => 4,
            Some(Pair::Perfect) => 8,
        };
        self.0 & bit != 0
    }

    fn words(self) -> Vec<&'static str> {
        let words: &[&str] = match self.0 {
            0b0110 => &["coloured"],
            0b1111 => &[],
            _ => {
                let named = Self::WORDS.iter().filter(|(word, _)| *word != "coloured");
                return named.filter(|(_, kind)| self.0 & kind.0 != 0).map(|(w, _)| *w).collect();
            }
        };
        words.to_vec()
    }
}

/// One condition of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// How the coup ended.
    Winner(Outcome),
    /// The total of a hand.
    Total(Side, Numbers),
    /// How many cards a hand has, or both have together.
    Cards(Option<Side>, Numbers),
    /// Who has a natural.
    Natural(Which),
    /// By how much the totals differ.
    Margin(Numbers),
    /// Both totals together.
    Sum(Numbers),
    /// Whose first two cards are a pair, and of which kind.
    Pair(Which, Kinds),
}

/// Declares the keys of a row's conditions: an enum, its words, and what may stand there.
macro_rules! test_keys {
    ($($(#[doc = $about:literal])+ $key:ident: $word:literal, $may:literal;)+) => {
        /// A key of a condition in a row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum TestKey {
            $($(#[doc = $about])+ $key,)+
        }

        impl TestKey {
            /// Every key, in the order in which the conditions of a row are kept.
            pub const ALL: &'static [Self] = &[$(Self::$key),+];

            /// The key as a file has it.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$key => $word,)+ }
            }

            /// What may stand there.
            #[must_use]
            pub const fn may(self) -> &'static str {
                match self { $(Self::$key => $may,)+ }
            }
        }
    };
}

test_keys! {
    /// [`Test::Winner`]
    Winner: "winner", "\"player\", \"banker\" or \"tie\"";
    /// [`Test::Total`] of Player
    Player: "player", "Player's totals, a list of numbers from 0 to 9";
    /// [`Test::Total`] of Banker
    Banker: "banker", "Banker's totals, a list of numbers from 0 to 9";
    /// [`Test::Cards`] of Player
    PlayerCards: "player_cards", "2 or 3";
    /// [`Test::Cards`] of Banker
    BankerCards: "banker_cards", "2 or 3";
    /// [`Test::Cards`] of both
    Cards: "cards", "the cards of both hands, a list of numbers from 4 to 6";
    /// [`Test::Natural`]
    Natural: "natural", "\"player\", \"banker\", \"either\" or \"both\"";
    /// [`Test::Margin`]
    Margin: "margin", "the differences of the totals, a list of numbers from 0 to 9";
    /// [`Test::Sum`]
    Sum: "sum", "both totals together, a list of numbers from 0 to 18";
    /// [`Test::Pair`]
    Pair: "pair", "\"player\", \"banker\", \"either\" or \"both\"";
    /// The kinds of [`Test::Pair`]
    Kind: "kind",
        "of the pair: \"mixed\", \"red\", \"black\", \"coloured\" or \"suited\", or a list";
}

impl TestKey {
    /// The key of that word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.word() == word)
    }

    /// The condition that stands at the key; nothing if it cannot stand there. The kind of a pair
    /// is read with its pair.
    fn read(self, datum: &Datum, kind: Option<&Datum>) -> Option<Test> {
        match self {
            Self::Winner => Some(Test::Winner(match datum {
                Datum::Text(word) if word == "tie" => Outcome::Tie,
                Datum::Text(word) if word == "player" => Outcome::Won(Side::Player),
                Datum::Text(word) if word == "banker" => Outcome::Won(Side::Banker),
                Datum::Text(_) | Datum::Number(_) | Datum::List(_) | Datum::Other(_) => {
                    return None;
                }
            })),
            Self::Player => Some(Test::Total(Side::Player, numbers(datum, 0, 9)?)),
            Self::Banker => Some(Test::Total(Side::Banker, numbers(datum, 0, 9)?)),
            Self::PlayerCards => Some(Test::Cards(Some(Side::Player), numbers(datum, 2, 3)?)),
            Self::BankerCards => Some(Test::Cards(Some(Side::Banker), numbers(datum, 2, 3)?)),
            Self::Cards => Some(Test::Cards(None, numbers(datum, 4, 6)?)),
            Self::Natural => Some(Test::Natural(which(datum)?)),
            Self::Margin => Some(Test::Margin(numbers(datum, 0, 9)?)),
            Self::Sum => Some(Test::Sum(numbers(datum, 0, 18)?)),
            Self::Pair => {
                let kinds = kind.map_or(Some(Kinds::ANY), kinds);
                Some(Test::Pair(which(datum)?, kinds.unwrap_or(Kinds::ANY)))
            }
            Self::Kind => Some(Test::Pair(Which::Either, kinds(datum)?)),
        }
    }
}

impl Test {
    /// Reads the conditions of a row, all of its keys at once.
    ///
    /// # Errors
    ///
    /// With the key that is at fault, and what may stand there.
    pub fn read(keys: &[(&str, Datum)]) -> Result<Vec<Self>, (String, &'static str)> {
        if let Some((key, _)) = keys.iter().find(|(key, _)| TestKey::of(key).is_none()) {
            return Err((key.to_string(), "a condition that rows have"));
        }
        let stands = |key: TestKey| {
            keys.iter().find(|(name, _)| *name == key.word()).map(|(_, datum)| datum)
        };
        let kind = stands(TestKey::Kind);
        if kind.is_some() && stands(TestKey::Pair).is_none() {
            return Err(("kind".to_string(), "`pair` beside it"));
        }
        let mut tests = Vec::new();
        for key in TestKey::ALL {
            let Some(datum) = stands(*key) else { continue };
            let fault = || (key.word().to_string(), key.may());
            let test = key.read(datum, kind).ok_or_else(fault)?;
            if *key != TestKey::Kind {
                tests.push(test);
            }
        }
        Ok(tests)
    }

    /// The key at which it stands in a file.
    #[must_use]
    pub const fn key(self) -> TestKey {
        match self {
            Self::Winner(_) => TestKey::Winner,
            Self::Total(Side::Player, _) => TestKey::Player,
            Self::Total(Side::Banker, _) => TestKey::Banker,
            Self::Cards(Some(Side::Player), _) => TestKey::PlayerCards,
            Self::Cards(Some(Side::Banker), _) => TestKey::BankerCards,
            Self::Cards(None, _) => TestKey::Cards,
            Self::Natural(_) => TestKey::Natural,
            Self::Margin(_) => TestKey::Margin,
            Self::Sum(_) => TestKey::Sum,
            Self::Pair(..) => TestKey::Pair,
        }
    }

    /// Whether a coup is so.
    #[must_use]
    pub fn holds(self, score: &Score) -> bool {
        let (player, banker) = (&score.player, &score.banker);
        match self {
            Self::Winner(outcome) => score.outcome() == outcome,
            Self::Total(side, totals) => totals.holds(score.hand(side).total),
            Self::Cards(Some(side), numbers) => numbers.holds(score.hand(side).cards),
            Self::Cards(None, numbers) => numbers.holds(player.cards + banker.cards),
            Self::Natural(which) => which.holds(player.natural, banker.natural),
            Self::Margin(numbers) => numbers.holds(player.total.abs_diff(banker.total)),
            Self::Sum(numbers) => numbers.holds(player.total + banker.total),
            Self::Pair(which, kinds) => {
                which.holds(kinds.holds(player.pair), kinds.holds(banker.pair))
            }
        }
    }

    /// Whether both look at the same thing.
    #[must_use]
    pub fn is_like(self, other: Self) -> bool {
        self.key() == other.key()
    }

    /// A condition that looks at the same thing and holds for all of these coups, and for no more
    /// than it must; nothing if there is none.
    #[must_use]
    pub fn covering(self, coups: &[Score]) -> Option<Self> {
        let numbers = |of: &dyn Fn(&Score) -> u8| {
            let seen: Vec<u8> = coups.iter().map(of).collect();
            Numbers::of(&seen, 31)
        };
        match self {
            Self::Winner(_) => {
                let winner = coups.first()?.outcome();
                coups.iter().all(|coup| coup.outcome() == winner).then_some(Self::Winner(winner))
            }
            Self::Total(side, _) => {
                Some(Self::Total(side, numbers(&|coup| coup.hand(side).total)?))
            }
            Self::Cards(Some(side), _) => {
                Some(Self::Cards(Some(side), numbers(&|coup| coup.hand(side).cards)?))
            }
            Self::Cards(None, _) => {
                Some(Self::Cards(None, numbers(&|coup| coup.player.cards + coup.banker.cards)?))
            }
            Self::Margin(_) => {
                Some(Self::Margin(numbers(&|coup| coup.player.total.abs_diff(coup.banker.total))?))
            }
            Self::Sum(_) => {
                Some(Self::Sum(numbers(&|coup| coup.player.total + coup.banker.total)?))
            }
            // A row cannot say that something is not there.
            Self::Natural(_) | Self::Pair(..) => None,
        }
    }

    /// Whether it looks at the pairs of the first two cards, and at nothing else.
    #[must_use]
    pub const fn is_on_pairs(self) -> bool {
        match self {
            Self::Pair(..) => true,
            Self::Winner(_)
            | Self::Total(..)
            | Self::Cards(..)
            | Self::Natural(_)
            | Self::Margin(_)
            | Self::Sum(_) => false,
        }
    }

    /// The condition as a file has it.
    #[must_use]
    pub fn written(self) -> String {
        let list = |numbers: Numbers| {
            let numbers: Vec<String> = numbers.iter().map(|number| number.to_string()).collect();
            format!("[{}]", numbers.join(", "))
        };
        let value = match self {
            Self::Winner(Outcome::Tie) => "\"tie\"".to_string(),
            Self::Winner(Outcome::Won(side)) => format!("\"{}\"", Which::Hand(side).word()),
            Self::Total(_, numbers)
            | Self::Cards(_, numbers)
            | Self::Margin(numbers)
            | Self::Sum(numbers) => list(numbers),
            Self::Natural(which) | Self::Pair(which, Kinds::ANY) => format!("\"{}\"", which.word()),
            Self::Pair(which, kinds) => {
                let kind = TestKey::Kind.word();
                format!("\"{}\", {kind} = {:?}", which.word(), kinds.words())
            }
        };
        format!("{} = {value}", self.key().word())
    }

    /// The condition in words, for a felt and a list of payouts.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Winner(outcome) => outcome.to_string(),
            Self::Total(side, totals) => format!("{side} has {totals}"),
            Self::Cards(Some(side), numbers) => format!("{side} has {numbers} cards"),
            Self::Cards(None, numbers) => format!("{numbers} cards"),
            Self::Natural(Which::Hand(_)) => "a natural".to_string(),
            Self::Natural(Which::Either) => "a natural of either hand".to_string(),
            Self::Natural(Which::Both) => "two naturals".to_string(),
            Self::Margin(numbers) => format!("by {numbers}"),
            Self::Sum(numbers) => format!("{numbers} together"),
            Self::Pair(which, kinds) => {
                let kind = match kinds.words().as_slice() {
                    ["red" | "black"] => "coloured".to_string(),
                    kinds => kinds.join(" or "),
                };
                let kind = if kind.is_empty() { kind } else { kind + " " };
                match which {
                    Which::Hand(_) => format!("a {kind}pair"),
                    Which::Either => format!("a {kind}pair of either hand"),
                    Which::Both => format!("two {kind}pairs"),
                }
            }
        }
    }
}

fn which(datum: &Datum) -> Option<Which> {
    match datum {
        Datum::Text(word) => {
            Which::WORDS.iter().find(|(name, _)| name == word).map(|(_, which)| *which)
        }
        Datum::Number(_) | Datum::List(_) | Datum::Other(_) => None,
    }
}

fn numbers(datum: &Datum, least: u8, most: u8) -> Option<Numbers> {
    let one = |datum: &Datum| match datum {
        Datum::Number(number) => u8::try_from(*number).ok().filter(|n| *n >= least),
        Datum::Text(_) | Datum::List(_) | Datum::Other(_) => None,
    };
    let list: Vec<u8> = match datum {
        Datum::List(items) => items.iter().map(one).collect::<Option<_>>()?,
        Datum::Number(_) => alloc::vec![one(datum)?],
        Datum::Text(_) | Datum::Other(_) => return None,
    };
    Numbers::of(&list, most)
}

fn kinds(datum: &Datum) -> Option<Kinds> {
    let one = |datum: &Datum| match datum {
        Datum::Text(word) => Kinds::WORDS.iter().find(|(name, _)| name == word).map(|(_, k)| *k),
        Datum::Number(_) | Datum::List(_) | Datum::Other(_) => None,
    };
    match datum {
        Datum::List(items) if !items.is_empty() => {
            items.iter().map(one).try_fold(Kinds(0), |all, kind| Some(Kinds(all.0 | kind?.0)))
        }
        Datum::Text(_) => one(datum),
        Datum::List(_) | Datum::Number(_) | Datum::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn every_condition_is_written_as_it_is_read() {
        let few = Datum::List(vec![Datum::Number(2), Datum::Number(3)]);
        let stands = |key: TestKey| match key {
            TestKey::Winner | TestKey::Natural | TestKey::Pair => Datum::Text("banker".into()),
            TestKey::Kind => Datum::Text("suited".into()),
            TestKey::Cards => Datum::Number(5),
            TestKey::Player
            | TestKey::Banker
            | TestKey::PlayerCards
            | TestKey::BankerCards
            | TestKey::Margin
            | TestKey::Sum => few.clone(),
        };
        for key in TestKey::ALL {
            assert_eq!(TestKey::of(key.word()), Some(*key));
            let mut row = vec![(key.word(), stands(*key))];
            if *key == TestKey::Kind {
                row.push((TestKey::Pair.word(), stands(TestKey::Pair)));
            }
            let read = Test::read(&row).expect("it can stand there");
            let written: Vec<String> = read.iter().map(|test| test.written()).collect();
            assert!(written.join(", ").contains(&format!("{} = ", key.word())), "{written:?}");
            let wrong = Datum::Other("a date");
            row[0].1 = wrong;
            assert_eq!(Test::read(&row), Err((key.word().to_string(), key.may())));
        }
    }
}
