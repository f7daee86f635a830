//! What a shoe keeps secret is gone from the process's memory when the shoe is.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod memory;

use memory::{MASK, Search};
use shoe::{Secret, Shoe, Which, Words};

const NEEDLE: usize = 48;

/// Entropy that the test knows without keeping it: a counter, stirred.
fn byte(seed: u64, at: usize) -> u8 {
    let stirred = (seed + at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    stirred.wrapping_mul(0xbf58_476d_1ce4_e5b9).to_be_bytes()[2]
}

fn drawn(seed: u64) -> Secret {
    let Ok::<_, std::convert::Infallible>(secret) = Secret::draw(|bytes| {
        bytes.iter_mut().enumerate().for_each(|(at, to)| *to = byte(seed, at));
        Ok(())
    });
    secret
}

/// A shoe by each procedure, and the word of somebody who took part in it.
fn made(second: bool) -> (Shoe, Option<Words>) {
    if !second {
        return (Shoe::first(drawn(7), 8, vec![b"a word".to_vec()]).unwrap(), None);
    }
    let words = words(100_000);
    let secret = drawn(7);
    let commitment = secret.first_commitment();
    let promises = [words.promise(&commitment)];
    let firsts = vec![Some(words.word(Which::First))];
    (Shoe::new(secret, 8, &commitment, &promises, firsts).unwrap(), Some(words))
}

/// Words that the test knows without keeping them.
fn words(seed: u64) -> Words {
    let mut drawn = 0;
    let Ok::<_, std::convert::Infallible>(words) = Words::draw("somebody", |bytes| {
        bytes.iter_mut().enumerate().for_each(|(at, to)| *to = byte(seed + drawn, at));
        drawn += 1000;
        Ok(())
    });
    words
}

#[test]
fn neither_secret_nor_order_outlives_its_shoe() {
    for second in [false, true] {
        let masked: Vec<u8> = (1000..1000 + NEEDLE).map(|at| byte(7, at) ^ MASK).collect();
        // A word that was never opened is its owner's for good.
        let unopened: Vec<u8> = (0..32).map(|at| byte(101_000, at) ^ MASK).collect();
        let (mut shoe, words) = made(second);
        let mut search = Search::new();
        assert!(search.found(&masked) > 0, "the search must find what is there");
        assert_eq!(search.found(&unopened) > 0, second, "the search must find what is there");
        shoe.cut(100).unwrap();
        let mut order = Vec::new();
        for _ in 0..NEEDLE {
            let index = shoe.take().unwrap();
            order.push(u8::try_from(shoe.open(index).unwrap().card.index()).unwrap() ^ MASK);
        }
        let mut search = Search::new();
        assert!(search.found(&order) > 0, "the search must find what is there");
        drop(shoe);
        drop(words);
        assert_eq!(search.found(&masked), 0, "the secret outlives its shoe");
        assert_eq!(search.found(&order), 0, "the order outlives its shoe");
        assert_eq!(search.found(&unopened), 0, "a word outlives who drew it");
    }
}
