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

/// Passwords that everybody tries first.
const COMMON: &[&str] = &[
    "password",
    "passwort",
    "12345678",
    "123456789",
    "1234567890",
    "qwertyui",
    "qwertyuiop",
    "iloveyou",
    "baccarat",
    "sabotsabot",
    "letmein1",
    "password1",
    "password123",
    "11111111",
    "00000000",
    "abcdefgh",
    "abc12345",
    "sunshine",
    "princess",
    "football",
    "baseball",
    "superman",
    "trustno1",
    "welcome1",
    "changeme",
    "casino123",
    "punto banco",
    "qwerty123",
    "1q2w3e4r",
];

/// Why a password is not taken, and which would be; nothing if it is.
#[must_use]
pub fn fault_of_password(password: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let length = password.chars().count();
    let lower = password.to_lowercase();
    let one = password.chars().next();
    if !(8..=128).contains(&length) {
        return Some(("a password of that length", "8 to 128 characters, of any kind"));
    }
    if COMMON.contains(&lower.as_str()) || password.chars().all(|c| Some(c) == one) {
        return Some(("a password that everybody tries first", "one that nobody else would use"));
    }
    if lower == name.to_lowercase() {
        return Some(("the name as a password", "one that nobody else would use"));
    }
    None
}
