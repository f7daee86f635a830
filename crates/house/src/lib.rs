//! A table in operation: the engine, the shoe and the log together.
//!
//! A [`House`] takes acts, has the engine judge them, records the events with the proofs of the
//! cards, and only then returns them. Where the system deals, [`House::step`] does the next lawful
//! thing, or says whose act it waits for. [`audit`] checks a log from the log alone, and [`export`]
//! writes any coup or shoe of it as a transcript.
#![deny(clippy::wildcard_enum_match_arm)]

mod audit;
mod cards;
mod dealing;
mod edition;
mod export;
mod house;
mod people;
mod words;

pub use audit::{Audit, Conclusion, Finding, ShoeFound, audit, audit_with};
pub use dealing::Step;
pub use edition::Edition;
pub use export::{Extract, Group, export, groups};
pub use house::{Entropy, House, HouseError, Told};
pub use people::with_names;
