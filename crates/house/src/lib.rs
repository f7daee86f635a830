//! A table that is run: the engine, the shoe and the log together.
//!
//! A [`House`] takes acts, has the engine judge them, records what follows with the proofs of the
//! cards, and only then tells it. Where the system deals, [`House::step`] does the next lawful
//! thing and says when it waits for somebody. [`audit`] checks a log from what it says alone, and
//! [`export`] gives any coup or shoe of it as a transcript.
#![deny(clippy::wildcard_enum_match_arm)]

mod audit;
mod cards;
mod dealing;
mod export;
mod house;

pub use audit::{Audit, Finding, ShoeFound, audit};
pub use dealing::Step;
pub use export::{Extract, Group, export, groups};
pub use house::{Entropy, House, HouseError, Told};
