//! The stored form of cards, amounts and clauses: as people write them.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::card::{Card, Composition, NotACard};
use crate::clause::{BookId, Clause};
use crate::money::{Balance, Cents};

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        // A record writes a card in one way only; `10h` is for people.
        let card = if text.len() == 2 { text.parse() } else { Err(NotACard) };
        card.map_err(de::Error::custom)
    }
}

impl Serialize for Cents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.get())
    }
}

impl<'de> Deserialize<'de> for Cents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let cents = u64::deserialize(deserializer)?;
        Self::new(cents).ok_or_else(|| de::Error::custom("more cents than an amount can have"))
    }
}

impl Serialize for Balance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.get())
    }
}

impl<'de> Deserialize<'de> for Balance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self::new)
    }
}

/// The number of each kind of card, in the order of [`Card::index`](crate::Card::index).
impl Serialize for Composition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.counts())
    }
}

impl<'de> Deserialize<'de> for Composition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let counts = <Vec<u16>>::deserialize(deserializer)?;
        let counts = counts.try_into().map_err(|_| de::Error::custom("a count for each card"))?;
        Ok(Self::of_counts(counts))
    }
}

impl Serialize for Clause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Clause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        let (book, number) = text.split_once(' ').unwrap_or((&text, ""));
        let clause = BookId::from(book).ok().and_then(|book| Self::new(book, number));
        clause.ok_or_else(|| de::Error::custom(alloc::format!("`{text}` is no clause")))
    }
}
