//! What every wager is worth: exactly, for any composition of the shoe, and by simulation of whole
//! shoes.
//!
//! [`Tableaux`] are the rules of drawing as a book has them; [`outcomes`] counts how often each
//! class of outcome comes up, as integers; [`Wagers`] are what the book pays for each class, and
//! [`Value`] is what a wager is worth by both, in exact fractions. [`simulate`] deals whole shoes
//! with the book's burn, cutting card and last round.
#![deny(clippy::wildcard_enum_match_arm)]

mod count;
mod exact;
mod given;
mod simulate;
mod tableaux;
mod wagers;

pub use count::{Counted, CountedWager, count};
pub use exact::{BadShoe, Outcomes, outcomes};
pub use given::outcomes_given;
pub use simulate::{
    BLOCK, Burning, Figures, Paths, Plan, Tally, WagerFigures, reference_shuffle, rounds_of_block,
    shuffle_front, shuffle_many, simulate, simulate_block,
};
pub use tableaux::{CLASSES, Class, Kind, Tableaux};
pub use wagers::{By, Payout, Value, Wager, Wagers, decimal, root};
