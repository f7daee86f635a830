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

/// Passwords that everybody tries first, without what people put around them: see [`cores`].
const COMMON: &str = "
    abc abcd abcdef admin administrator asdf asdfgh asdfghjkl azerty baccarat banker baseball
    basketball batman blackjack casino changeme charlie computer croupier dealer default dragon
    flower football freedom hello iloveyou jackpot jordan letmein login lovely master michael
    monkey mustang ninja operator passport passwd password passwort pokemon poker princess
    puntobanco qazwsx qwerty qwertyui qwertyuiop qwertz sabot sabotsabot samsung secret shadow
    soccer starwars summer sunshine superman supervisor test testing trustno welcome whatever
    winter zxcvbn zxcvbnm
";

/// The same where digits stand among the letters.
const MIXED: [&str; 6] = ["1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx", "q1w2e3r4", "a1b2c3d4", "zaq12wsx"];

/// What people run a finger along.
const RUNS: [&str; 7] = [
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiop",
    "qwertzuiop",
    "asdfghjkl",
    "zxcvbnm",
    "0123456789012345678901234567890",
    "1234567891011121314151617181920",
];

/// A password as a guesser begins with it: in small letters, without spaces and without the digits
/// and marks behind and before it, and with letters for the digits and marks that look like them.
/// A `1` may be an `i` or an `l`, and may be the first letter.
fn cores(password: &str) -> [String; 4] {
    let lower = password.to_lowercase();
    let behind = lower.trim_end_matches(|c: char| !c.is_alphabetic());
    let inner = behind.trim_start_matches(|c: char| !c.is_alphabetic());
    [(behind, 'i'), (behind, 'l'), (inner, 'i'), (inner, 'l')].map(|(text, one)| {
        let plain = |c: char| match c {
            '0' => 'o',
            '1' | '!' | '|' => one,
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            other => other,
        };
        text.chars().filter(|c| !c.is_whitespace()).map(plain).collect()
    })
}

/// Whether it is a run, forwards or backwards, or a few characters again and again.
fn is_run(password: &str) -> bool {
    let lower = password.to_lowercase();
    let back: String = lower.chars().rev().collect();
    let all: Vec<char> = lower.chars().collect();
    let again = |unit: usize| all.iter().zip(all.iter().skip(unit)).all(|(one, next)| one == next);
    let runs = |text: &str| RUNS.iter().any(|run| run.contains(text));
    runs(&lower) || runs(&back) || (1..=4).any(again)
}

/// Why a password is not taken, and which would be; nothing if it is.
#[must_use]
pub fn fault_of_password(password: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let length = password.chars().count();
    if !(8..=128).contains(&length) {
        return Some(("a password of that length", "8 to 128 characters, of any kind"));
    }
    let cores = cores(password);
    let is_common = COMMON.split_whitespace().any(|word| cores.iter().any(|core| core == word));
    if is_common || MIXED.contains(&password.to_lowercase().as_str()) || is_run(password) {
        return Some(("a password that everybody tries first", "one that nobody else would use"));
    }
    let own = self::cores(name);
    if password.to_lowercase() == name.to_lowercase() || cores.iter().any(|core| own.contains(core))
    {
        return Some(("the name as a password", "one that nobody else would use"));
    }
    None
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
        ] {
            let fault = fault_of_password(password, "Victor");
            assert!(fault.is_some_and(|(what, _)| what.contains("everybody")), "{password}");
        }
        for password in ["Victor123", "v1ct0r!!!", "victor99"] {
            let fault = fault_of_password(password, "Victor");
            assert!(fault.is_some_and(|(what, _)| what.contains("name")), "{password}");
        }
        for password in [
            "a good long one",
            "correct horse",
            "Victor has one",
            "18446744073709551616",
            "passwordless floor",
            "密码密码一二三四",
            "!?!?#$%&/()=",
        ] {
            assert_eq!(fault_of_password(password, "Victor"), None, "{password}");
        }
        // A name of which nothing is left is no reason.
        assert_eq!(fault_of_password("8675309-42", "李"), None);
    }
}
