//! What the clock has for a table or a tournament that the system runs.

/// Steps that the clock brings in one go; then others have their turn.
pub(crate) const AT_ONCE: usize = 32;

/// What the clock has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beat {
    /// Look again then.
    At(u64),
    /// Something was done; look at once.
    Done,
    /// Nothing until somebody acts.
    Idle,
}

/// The earlier of two times, where there are any.
pub(crate) fn sooner(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// So many milliseconds after a time in microseconds.
pub(crate) const fn later(from: u64, milliseconds: u64) -> u64 {
    from.saturating_add(milliseconds.saturating_mul(1000))
}
