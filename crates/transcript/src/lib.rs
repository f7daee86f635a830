//! The `.coup` language: what happened at a table, line by line, in words that a dealer uses.
//!
//! A transcript is read, played through the engine that runs live tables, and explained: every line
//! gets its ruling with the clause it rests on, and what the file expects is checked.

#![deny(clippy::wildcard_enum_match_arm)]

mod expect;
mod form;
mod language;
mod name;
mod opening;
mod play;
mod reference;
mod say;
mod tell;
mod to_begin_with;
mod tournament;
mod under;

pub use language::{
    Clock, Said, SaidInTournament, Unreadable, is_role, understand, understand_in_tournament,
};
pub use name::{BadName, at_a_glance, name, say_name};
pub use play::{
    BadLine, Beside, Books, Judge, Played, Ruled, RuledEvent, Ruling, Shelf, citation, play,
};
pub use reference::{expectations, reference};
pub use say::say;
pub use tell::{sign as tell_sign, tell, tell_as};
pub use to_begin_with::conditions_for;
pub use tournament::{
    Called, Unread, all_conditions, conditions, say_due, say_in_tournament, tell_of_tournament,
    tell_of_tournament_as,
};
