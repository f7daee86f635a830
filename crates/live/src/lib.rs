//! The floor: tables, tournaments and accounts on one log, each run by a task of its own.
//!
//! An order comes with who says it, in which role and under which key. It goes through one matrix
//! of role and act, is judged by the book, recorded with everything that follows from it, and only
//! then told. A [`Host`] is one table without its task, for tests and simulations; a [`Floor`] runs
//! them. Where the system deals, it does the next lawful thing when it is time.
#![deny(clippy::wildcard_enum_match_arm)]

mod account;
mod books;
mod dealing;
mod fault;
mod floor;
mod host;
mod matrix;
mod order;
mod people;
mod scribe;
mod seen;
mod tournament;
mod words;
mod world;

pub use account::{Account, Accounts};
pub use fault::LiveError;
pub use floor::{Floor, News, Scene, Subscription, TableHandle};
pub use host::{Beginning, Happened, Host, Ruled, Step};
pub use matrix::{May, is_staff, may, may_in_tournament};
pub use order::{Answer, Order, Told};
pub use people::with_names;
pub use seen::Update;
pub use tournament::{EventRuled, EventTold, TableStep, TournamentHost, tournament_stream};
pub use world::World;
