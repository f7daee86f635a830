//! The draw of tables and seats: from words that were committed to and words that players added.
//!
//! `docs/VERIFY.md` describes it, under the name [`PROTOCOL`].

use alloc::string::String;
use alloc::vec::Vec;

use shoe::{Digest, Exhausted, shuffle};

/// The name of the procedure. Any change to the procedure changes its name.
pub const PROTOCOL: &str = "sabot-ballot-1";

/// The commitment, which is published before players add their words.
#[must_use]
pub fn commitment(secret: &str) -> Digest {
    Digest::of(&[PROTOCOL.as_bytes(), b"\n", secret.as_bytes()])
}

/// The words of the draw, eight from each hash.
struct Words {
    seed: Digest,
    block: u32,
    left: Vec<u32>,
}

impl Iterator for Words {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.left.is_empty() {
            let Digest(bytes) = Digest::of(&[&self.seed.0, &self.block.to_be_bytes()]);
            self.block = self.block.checked_add(1)?;
            let word =
                |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
            // They are taken from the end, so that the first comes first.
            self.left = bytes.chunks(4).rev().map(word).collect();
        }
        self.left.pop()
    }
}

/// The stream of random words from a seed.
pub fn words(seed: Digest) -> impl Iterator<Item = u32> {
    Words { seed, block: 0, left: Vec::new() }
}

/// Puts things into the order of the draw.
///
/// # Errors
///
/// Never for fewer things than there are people in the world.
pub fn draw<T>(things: &mut [T], secret: &str, added: &[String]) -> Result<(), Exhausted> {
    let mut seed = Digest::of(&[PROTOCOL.as_bytes(), b"\ndraw\n", secret.as_bytes()]);
    for word in added {
        seed = Digest::of(&[&seed.0, word.as_bytes()]);
    }
    shuffle(things, &mut words(seed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::format;
    use std::vec;

    #[test]
    fn every_order_is_drawn_about_as_often() {
        let mut counts: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        for secret in 0..6000 {
            let mut things = vec![0, 1, 2];
            draw(&mut things, &format!("{secret}"), &[]).unwrap_or_default();
            *counts.entry(things).or_default() += 1;
        }
        assert_eq!(counts.len(), 6);
        // The standard deviation of each is 29.
        assert!(counts.values().all(|count| (880..1120).contains(count)), "{counts:?}");
    }

    #[test]
    fn whoever_adds_a_word_changes_the_draw() {
        let order = |added: &[String]| {
            let mut things: Vec<u32> = (0..20).collect();
            draw(&mut things, "secret", added).unwrap_or_default();
            things
        };
        assert_ne!(order(&[]), order(&["a".into()]));
        assert_ne!(order(&["a".into(), "b".into()]), order(&["ab".into()]));
    }
}
