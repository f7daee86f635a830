//! What each role may see of a table or a tournament: the one source of terminal, page and API.
//!
//! [`Eyes`] say who looks. [`Watch`] follows the events of a table and keeps what a screen shows of
//! a round, also when the round is over. [`table_view`] and [`tournament_view`] make one document
//! of everything that these eyes may see; [`event_view`] and [`tournament_event_view`] do the same
//! for one event. Nothing here reads a clock, a disk or a socket, and nothing here decides a rule:
//! what is lawful is found by asking the table.
//!
//! Amounts are whole cents in fields that end in `_cents`. Every document has the number [`FORM`].
//! `docs/reference/json.md` is made from the types.

#![deny(clippy::wildcard_enum_match_arm)]

mod asked;
pub mod csv;
mod event;
mod eyes;
mod felt;
mod hide;
mod lawful;
mod scoreboard;
mod shoe_view;
mod spots;
mod table_view;
mod tournament_event;
mod tournament_lawful;
mod tournament_view;
mod watch;

pub use asked::{Asked, asked};
pub use event::{EventView, PostingView, RefusalView, event_view, refusal_view};
pub use eyes::{Eyes, Matter, Reach, Scope, called};
pub use felt::{CardView, CoupView, FeltView, HandView, PaidView, WhyView};
pub use lawful::{Lawful, Needs, lawful};
pub use scoreboard::{AskView, BeadView, CountsView, MarkView, RoadsView, RunView, roads_view};
pub use shoe_view::{ShoeView, shoe_view};
pub use spots::{LaidView, LimitsView, PaysView, SpotView, layout};
pub use table_view::{
    BookView, DisputeView, MineView, NoticeView, PlayerView, Proposed, ProposedView, RulingView,
    Seen, SignView, TableView, coup_number, phase, table_view,
};
pub use tournament_event::{TournamentEventView, tournament_event_view};
pub use tournament_lawful::{LawfulInEvent, asked_in_tournament, lawful_in_tournament};
pub use tournament_view::{
    ChairView, EntrantView, SittingView, StandingView, TournamentSeen, TournamentView,
    tournament_phase, tournament_view,
};
pub use watch::{Call, Lying, Paid, PastCoup, Ruling, Watch, Weight, Words, weight};

/// The number of the form of all documents here; it changes when the meaning of a field does.
pub const FORM: u32 = 1;

/// A word from a fixed list; one of ours, or one that was read from a document.
pub type Word = std::borrow::Cow<'static, str>;
