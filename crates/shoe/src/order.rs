//! The unbiased shuffle.

/// The stream ended too early: it has too few words for a shoe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the random stream is used up before the shoe is shuffled; draw another")]
pub struct Exhausted;

/// A number below `n`, each with the same chance. Words that would favour small numbers are
/// skipped.
///
/// # Errors
///
/// When no word of the stream is left.
pub fn below(n: u32, words: &mut impl Iterator<Item = u32>) -> Result<u32, Exhausted> {
    assert!(n > 0, "there is no number below 0");
    // 2³² mod n, without a number above 2³².
    let surplus = n.wrapping_neg() % n;
    loop {
        let word = words.next().ok_or(Exhausted)?;
        if word <= u32::MAX - surplus {
            return Ok(word % n);
        }
    }
}

/// Shuffles things: every order is equally likely, if every word is.
///
/// # Errors
///
/// When the stream has too few words.
pub fn shuffle<T>(
    things: &mut [T],
    words: &mut impl Iterator<Item = u32>,
) -> Result<(), Exhausted> {
    for i in (1..things.len()).rev() {
        let n = u32::try_from(i + 1).map_err(|_| Exhausted)?;
        let j = below(n, words)? as usize;
        things.swap(i, j);
    }
    Ok(())
}
