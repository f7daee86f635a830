//! Passwords: which are taken, and how they are hashed.

use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;
use zeroize::Zeroizing;

use super::DoorError;

/// Argon2id with 19 MiB, two passes and one lane.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;

/// A hash that takes long, made where nobody waits for it.
pub(super) async fn slow_hash(password: &str, salt: [u8; 16]) -> Result<[u8; 32], DoorError> {
    // Each takes its memory: many at once would take all.
    static TURNS: Semaphore = Semaphore::const_new(4);
    let turn = TURNS.acquire().await.map_err(|_| DoorError::Hash)?;
    let password = Zeroizing::new(password.to_owned());
    let made = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let params = Params::new(MEMORY_KIB, PASSES, 1, Some(32)).ok()?;
        let mut hash = [0_u8; 32];
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        argon.hash_password_into(password.as_bytes(), &salt, &mut hash).ok()?;
        Some(hash)
    });
    made.await.ok().flatten().ok_or(DoorError::Hash)
}

/// Words that those who guess begin with in this house, beside those of everybody.
const HOUSE: [&str; 17] = [
    "auditor",
    "baccarat",
    "banker",
    "banco",
    "casino",
    "croupier",
    "dealer",
    "director",
    "inspector",
    "jackpot",
    "natural",
    "operator",
    "punto banco",
    "regulator",
    "sabot",
    "supervisor",
    "tableau",
];

/// Characters that are looked at together: the time that looking takes grows with their square,
/// and more so with letters that look like digits.
const LOOKED_AT: usize = 32;

/// Whether somebody who knows these words and those of everybody has it within a million guesses.
/// A long one is as good as the best of its parts.
fn is_guessed(password: &str, words: &[&str]) -> bool {
    let guessed = |text: &str| zxcvbn::zxcvbn(text, words).score() < zxcvbn::Score::Two;
    // Marks around a word make it no better; the words alone may be long enough.
    let inner = password.trim_matches(|c: char| !c.is_alphanumeric());
    let texts =
        if inner.is_empty() || inner == password { vec![password] } else { vec![password, inner] };
    texts.iter().any(|text| {
        let letters: Vec<char> = text.chars().collect();
        letters.chunks(LOOKED_AT).all(|part| guessed(&part.iter().collect::<String>()))
    })
}

/// Why a password is not taken, and which would be; nothing if it is. It takes its time.
#[must_use]
pub fn fault_of_password(password: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let length = password.chars().count();
    if !(8..=128).contains(&length) {
        return Some(("a password of that length", "8 to 128 characters, of any kind"));
    }
    let instead = "one that nobody else would use, such as four words of your own";
    if !is_guessed(password, &[&HOUSE[..], &[name]].concat()) {
        return None;
    }
    let everybody = is_guessed(password, &HOUSE);
    let what = if everybody {
        "a password that everybody tries first"
    } else {
        "a password made of the name"
    };
    Some((what, instead))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_everybody_tries_first_is_found_under_what_is_put_around_it() {
        for password in [
            "Password1!",
            "P@ssw0rd",
            "qwerty12345",
            "12345678910",
            "letmein123",
            "1etmein!!",
            "87654321",
            "00000000",
            "abcdefgh",
            "hgfedcba",
            "12341234",
            "abababab",
            "Welcome2024",
            "!!admin99",
            "1Q2W3E4R",
            "trustno1",
            "aaaaaaaaaa",
            "punto banco",
            "inspector!",
            "football1",
            "summer2026",
            "8675309-42",
            "passwordpasswordpasswordpasswordpasswordpassword",
        ] {
            let fault = fault_of_password(password, "Victor");
            assert!(fault.is_some_and(|(what, _)| what.contains("everybody")), "{password}");
        }
        // A name that everybody knows is either; one that nobody else has is the name alone.
        for password in ["Victor123", "v1ct0r!!!", "victor99"] {
            assert!(fault_of_password(password, "Victor").is_some(), "{password}");
        }
        for password in ["Quuxley1", "quuxley!!!", "quuxley99"] {
            let fault = fault_of_password(password, "Quuxley");
            assert!(fault.is_some_and(|(what, _)| what.contains("name")), "{password}");
            assert_eq!(fault_of_password(password, "Victor"), None, "{password}");
        }
        for password in [
            "a good long one",
            "correct horse",
            "Victor has one",
            "18446744073709551616",
            "passwordless floor",
            "密码密码一二三四",
            "xkcd9362",
            "!?!?#$%&/()=",
        ] {
            assert_eq!(fault_of_password(password, "Victor"), None, "{password}");
        }
        // A name of one letter is in nearly every password, and no reason.
        assert_eq!(fault_of_password("a good long one", "a"), None);
        assert_eq!(fault_of_password("correct horse", "李"), None);
    }
}
