//! The unbiased shuffle.

/// The words of the stream are used up; no shoe can be made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the random stream is used up before the shoe is shuffled; draw another")]
pub struct Exhausted;

/// A number below `n`, each with the same chance: words that would favour small numbers are
/// forgotten.
///
/// # Errors
///
/// When no word is left.
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

/// Brings things into an order of which all are equally likely, if the words are.
///
/// # Errors
///
/// When the words do not suffice.
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
