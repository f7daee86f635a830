//! Tournaments in transcripts: their lines, how they are played, and what is told of them.

pub(crate) mod lines;
pub(crate) mod run;
mod say;
mod tell;

pub use lines::{Unread, conditions};
pub use say::say as say_in_tournament;
pub use tell::tell as tell_of_tournament;
