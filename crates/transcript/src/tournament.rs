//! Tournaments in transcripts: their lines, how they are played, and how their events are
//! described.

mod due;
pub(crate) mod lines;
mod reading;
pub(crate) mod run;
mod say;
mod tell;

pub use due::say_due;
pub use reading::{Unread, all_conditions, conditions};
pub use say::say as say_in_tournament;
pub use tell::{Called, tell as tell_of_tournament, tell_as as tell_of_tournament_as};
