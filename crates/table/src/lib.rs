//! One table's life under a rulebook, as a pure state machine.
//!
//! [`Table::decide`] judges a [`Command`] and changes nothing; [`Table::evolve`] folds an [`Event`]
//! and refuses nothing. Every event carries the clauses it rests on and the chips it moved; the sum
//! over all accounts is zero after each. Nothing here reads a clock, a disk, a socket or a random
//! number: the crate is `no_std`, and time and cards arrive in the command.

#![no_std]
#![deny(clippy::wildcard_enum_match_arm)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod by;
mod check;
mod command;
mod decide;
mod direction;
mod event;
mod evolve;
mod names;
mod record;
mod refusal;
pub mod roads;
mod shared;
mod shoe;
mod sight;
mod state;
mod table;

pub use by::{By, Role, means_the_same, names_its_coup, needs_second};
pub use check::Broken;
pub use command::{
    Act, Bet, Checker, Command, Decision, Deed, Limits, Name, Options, Settings, SignLine, Time,
    Work,
};
pub use decide::{Due, Next, Rekeyed, not_theirs};
pub use direction::Direction;
pub use event::{
    Account, Advice, CutBy, Event, Fact, Keeping, Leg, NoBetWhy, Opened, PlayerId, Postings,
    ReturnWhy, SideBetNames, Step, SuspendedWhy, cites,
};
pub use record::{CoupRecord, Effect};
pub use refusal::{Code, Refusal, Refused, no, reference as refusal_reference};
pub use shared::Shared;
pub use shoe::Shoe;
pub use sight::Disputed;
pub use state::{Coup, CoupCard, Facing, Pending, Phase, Player, Players, State, Wager, Waiting};
pub use table::Table;
