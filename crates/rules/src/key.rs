//! Words that books give to side bets and their pay tables.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU16;

/// The longest key, in bytes.
pub const KEY_LENGTH: usize = 24;

/// The most keys that people may say without any book having them.
const MOST_SAID: usize = 4096;

/// The key of a side bet, of a group of side bets, or of a pay table, such as `banker-pair`.
///
/// Like a [`Clause`](crate::Clause) it is the number of a text that is kept once for the whole
/// program: two bytes, copied and compared like a number, and readable without the book.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key(NonZeroU16);

struct Keys {
    /// The texts, by number from one.
    texts: Vec<&'static str>,
    numbers: BTreeMap<&'static str, Key>,
}

static KEYS: spin::Mutex<Keys> =
    spin::Mutex::new(Keys { texts: Vec::new(), numbers: BTreeMap::new() });

impl Key {
    /// The key with that text: letters a-z, digits and `-`, beginning with a letter.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        Self::within(text, usize::MAX)
    }

    /// The key that a person says. There is a bound on those that no book has, so that nobody can
    /// fill the memory with them.
    #[must_use]
    pub fn said(text: &str) -> Option<Self> {
        Self::within(text, MOST_SAID)
    }

    fn within(text: &str, most: usize) -> Option<Self> {
        let mut keys = KEYS.lock();
        if let Some(known) = keys.numbers.get(text) {
            return Some(*known);
        }
        let lawful = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let begins = text.starts_with(|c: char| c.is_ascii_lowercase());
        if !begins || text.len() > KEY_LENGTH || !text.chars().all(lawful) {
            return None;
        }
        if keys.texts.len() >= most {
            return None;
        }
        let key = Self(u16::try_from(keys.texts.len() + 1).ok().and_then(NonZeroU16::new)?);
        let text: &'static str = Box::leak(Box::from(text));
        keys.texts.push(text);
        keys.numbers.insert(text, key);
        Some(key)
    }

    /// The text as the beginning of a sentence has it: `Banker pair` for `banker-pair`.
    #[must_use]
    pub fn title(self) -> String {
        let mut title = self.as_str().replace('-', " ");
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        title
    }

    /// The text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        KEYS.lock().texts[usize::from(self.0.get()) - 1]
    }
}

impl core::hash::Hash for Key {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_short_word_that_is_kept_once() {
        let key = Key::new("lucky-6").unwrap();
        assert_eq!((key.as_str(), Key::said("lucky-6")), ("lucky-6", Some(key)));
        assert_eq!(size_of::<Option<Key>>(), 2);
        for bad in ["", "6-lucky", "Lucky", "lucky 6", "-x", &"a".repeat(KEY_LENGTH + 1)] {
            assert_eq!(Key::new(bad), None, "{bad}");
        }
    }
}
