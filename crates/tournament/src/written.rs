//! Values of the conditions that are written as words: `12.50`, `10%`, `12..36`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// A value that is written as one word.
pub(crate) trait Written: Sized {
    fn read(word: &str) -> Result<Self, String>;
    fn write(&self) -> String;
}

/// A word, or a whole number that stands for one.
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reads;
        impl Visitor<'_> for Reads {
            type Value = Word;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a whole number; a decimal goes in quotes, such as \"12.50\"")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Word, E> {
                Ok(Word(word.to_string()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }
        }
        deserializer.deserialize_any(Reads)
    }
}

#[expect(clippy::ref_option, reason = "serde calls it so")]
pub(crate) fn serialize<T: Written, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.as_ref().map(Written::write).serialize(serializer)
}

pub(crate) fn deserialize<'de, T: Written, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let word = Option::<Word>::deserialize(deserializer)?;
    word.map(|Word(word)| T::read(&word)).transpose().map_err(de::Error::custom)
}

/// Lists of such values.
pub(crate) mod list {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Vec, Word, Written, de};

    pub(crate) fn serialize<T: Written, S: Serializer>(
        values: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        values.iter().map(Written::write).collect::<Vec<_>>().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, T: Written, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        let words = Vec::<Word>::deserialize(deserializer)?;
        words
            .into_iter()
            .map(|Word(w)| T::read(&w))
            .collect::<Result<_, _>>()
            .map_err(de::Error::custom)
    }
}

/// The entries of a map in the order of the file.
pub(crate) fn entries<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(String, T)>, D::Error> {
    struct Entries<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
        type Value = Vec<(String, T)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table of entries")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = map.next_entry()? {
                entries.push(entry);
            }
            Ok(entries)
        }
    }
    deserializer.deserialize_map(Entries(PhantomData))
}
