//! The stored form of cards, amounts and clauses: as people write them.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::card::{Card, Composition, NotACard};
use crate::clause::{BookId, Clause};
use crate::key::Key;
use crate::money::{Balance, Cents};
use crate::wager::{Group, Offer, Offers, Spot};

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

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        Self::new(&text).ok_or_else(|| de::Error::custom(alloc::format!("`{text}` is no key")))
    }
}

impl Serialize for Spot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

impl<'de> Deserialize<'de> for Spot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        // A record may have a spot of a book that is not loaded.
        let known = Key::new(&text).and_then(|key| Self::from_key(key.as_str()));
        known.ok_or_else(|| de::Error::custom(alloc::format!("`{text}` is no spot")))
    }
}

impl Serialize for Group {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        let known = Key::new(&text).and_then(|key| Self::from_key(key.as_str()));
        known.ok_or_else(|| de::Error::custom(alloc::format!("`{text}` is no group of wagers")))
    }
}

impl Serialize for Offer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Offer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        let (group, table) = match text.split_once('=') {
            None => (Key::new(&text), None),
            Some((group, table)) => (Key::new(group), Some(Key::new(table))),
        };
        match (group, table) {
            (Some(group), None) => Ok(Self { group, table: None }),
            (Some(group), Some(Some(table))) => Ok(Self { group, table: Some(table) }),
            (None, _) | (_, Some(None)) => {
                Err(de::Error::custom(alloc::format!("`{text}` is no offer of a side bet")))
            }
        }
    }
}

impl Serialize for Offers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Offers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let offers = <Vec<Offer>>::deserialize(deserializer)?;
        Ok(offers.into_iter().collect())
    }
}
