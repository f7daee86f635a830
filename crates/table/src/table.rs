//! A table in operation: its state, and the book that it is judged by.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Deref;

use rules::{Rulebook, Side};

use crate::check::Broken;
use crate::command::Command;
use crate::decide::Due;
use crate::event::{Event, PlayerId};
use crate::refusal::Refusal;
use crate::state::{Facing, State};

/// One table: its state, and the book that it is judged by. Two tables are equal if their states
/// are equal; the books are not compared.
#[derive(Clone, Debug)]
pub struct Table {
    book: Arc<Rulebook>,
    state: State,
}

impl Table {
    /// A table that is not open yet, to be judged by this book.
    #[must_use]
    pub fn new(book: Arc<Rulebook>) -> Self {
        Self { book, state: State::default() }
    }

    /// A table in a state that was kept, to be judged by this book.
    #[must_use]
    pub const fn of(book: Arc<Rulebook>, state: State) -> Self {
        Self { book, state }
    }

    /// A table in another state, judged by the same book.
    #[must_use]
    pub fn with(&self, state: State) -> Self {
        Self { book: self.book.clone(), state }
    }

    /// The book that the table is judged by.
    #[must_use]
    pub fn book(&self) -> &Rulebook {
        &self.book
    }

    /// The state of the table.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Judges a command: see [`State::decide`].
    ///
    /// # Errors
    ///
    /// When the command is refused: with a stable code, the clause, and what would be accepted.
    pub fn decide(&self, command: &Command) -> Result<Vec<Event>, Refusal> {
        self.state.decide(&self.book, command)
    }

    /// Judges a command and folds the resulting events: see [`State::act`].
    ///
    /// # Errors
    ///
    /// When the command is refused; table and events are then unchanged.
    pub fn act(&mut self, command: &Command, events: &mut Vec<Event>) -> Result<(), Refusal> {
        self.state.act(&self.book, command, events)
    }

    /// Folds one recorded event: see [`State::evolve`].
    pub fn evolve(&mut self, event: &Event) {
        self.state.evolve(event);
    }

    /// Folds one event of a log: see [`State::replay`].
    ///
    /// # Errors
    ///
    /// When it cannot have happened: the log is damaged.
    pub fn replay(&mut self, event: &Event) -> Result<(), Broken> {
        self.state.replay(event)
    }

    /// The next step; nothing before the opening and after the closing.
    #[must_use]
    pub fn due(&self) -> Option<Due> {
        self.state.due(&self.book)
    }

    /// How the next card to a hand lies, given what the dealer wants.
    #[must_use]
    pub fn next_lies(&self, wanted: Facing) -> Facing {
        self.state.next_lies(&self.book, wanted)
    }

    /// The player to whom a dealer who may choose passes the cards of a side.
    #[must_use]
    pub fn highest_wager(&self, side: Side) -> Option<PlayerId> {
        self.state.highest_wager(&self.book, side)
    }
}

impl Deref for Table {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}
