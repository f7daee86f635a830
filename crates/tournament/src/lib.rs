//! A tournament under a rulebook, from its conditions to the last prize, as a pure state machine.
//!
//! [`Tournament::decide`] judges a [`Command`] and changes nothing; [`Tournament::evolve`] folds an
//! [`Event`] and refuses nothing. The tables of a session are [`table::Table`]s; what happens at
//! them is judged by the rules of tournament play first and by the rules of the table then. Money
//! (fees, pool, prizes) and chips are kept apart, and each sum to zero after every event. Nothing
//! here reads a clock or a random number: a ballot is drawn from what its command reveals.

#![no_std]
#![deny(clippy::wildcard_enum_match_arm)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod ballot;
mod broken;
mod by;
pub mod check;
mod command;
pub mod conditions;
mod decide;
pub mod document;
mod due;
mod event;
mod evolve;
pub mod keys;
mod names;
mod overview;
pub mod plan;
pub mod prizes;
pub mod rehearse;
pub mod secret;
pub mod sheets;
mod sight;
mod sitting;
mod state;
mod tables;
mod tournament;
mod written;

pub use broken::Broken;
pub use command::{Act, Command, Miskeyed, Offence};
pub use conditions::Conditions;
pub use due::{Due, Need, Next, Whom};
pub use event::{
    Account, Correction, EntrantId, Event, Fact, Keeping, Leg, Lot, Mended, OutWhy, Read, Seat,
};
pub use overview::{At, Fate, Left, Overview, Play, SeatNow, StageNow, Standing, TableNow};
pub use sitting::{Chair, Form, Memory, Missed, Sitting, Stint};
pub use state::{Allotment, Ballot, Entrant, POINT, Phase, Progress, State, Status};
pub use tournament::Tournament;
