//! What can be said of a tournament at every step of every transcript.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod due;
mod names;
mod overview;
mod walk;
