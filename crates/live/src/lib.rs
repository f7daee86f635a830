//! The floor: tables, tournaments and accounts on one log, each run by a task of its own.
//!
//! An order comes with who says it, in which role and under which key. It goes through one matrix
//! of role and act, is judged by the book, recorded with everything that follows from it, and only
//! then told. A [`Host`] is one table without its task, and a [`TournamentHost`] one tournament,
//! for tests and simulations; a [`Floor`] runs them. Where the system deals, it does the next
//! lawful thing when it is time.
#![deny(clippy::wildcard_enum_match_arm)]

mod account;
mod answers;
mod beat;
mod books;
mod chips;
mod correcting;
mod dealing;
mod fault;
mod floor;
mod host;
mod mailbox;
mod matrix;
mod names;
mod order;
mod own_limits;
mod people;
mod scribe;
mod seen;
mod sheet;
mod stream;
mod table_handle;
mod tournament;
mod tournament_handle;
mod watching;
mod words;
mod world;

pub use account::{Account, Accounts};
pub use chips::Has;
pub use fault::LiveError;
pub use floor::Floor;
pub use host::{Beginning, Host, Opener, Proposal, Ruled, Step, Tried};
pub use mailbox::{Happened, News, Subscription};
pub use matrix::{May, is_staff, may, may_in_tournament};
pub use names::are_alike;
pub use order::{Answer, Order, Told, check_key};
pub use own_limits::Reminder;
pub use people::with_names;
pub use seen::{Page, Update};
pub use sheet::Sheet;
pub use table_handle::{Scene, TableHandle};
pub use tournament::{
    Deal, EventHappened, EventRuled, EventTold, Sealed, TableStep, TournamentHost,
    tournament_stream,
};
pub use tournament_handle::{EventScene, TournamentHandle};
pub use watching::{Look, Watching};
pub use world::World;
