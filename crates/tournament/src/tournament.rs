//! A tournament that is run: its state, and the books that it is judged by.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Deref;

use rules::Rulebook;
use table::Refusal;

use crate::command::Command;
use crate::event::{Event, Fact};
use crate::state::State;
use crate::tables::at_the_tables;

/// One tournament: what it is at the moment, and the book that it is judged by. Two are equal when
/// all that happened left them equal; the book is the caller's affair.
#[derive(Clone, Debug)]
pub struct Tournament {
    book: Arc<Rulebook>,
    /// The book as it is at its tables, worked out from the book and the conditions.
    table_book: Arc<Rulebook>,
    state: State,
}

impl Tournament {
    /// A tournament that is not begun, to be judged by this book.
    #[must_use]
    pub fn new(book: Arc<Rulebook>) -> Self {
        Self::at(book, State::default())
    }

    /// A tournament at a moment of it, to be judged by this book from there on.
    #[must_use]
    pub fn at(book: Arc<Rulebook>, state: State) -> Self {
        let table_book = Arc::new(at_the_tables(&book, state.conditions()));
        Self { book, table_book, state }
    }

    /// The book that it is judged by.
    #[must_use]
    pub fn book(&self) -> &Rulebook {
        &self.book
    }

    /// The book that its tables are judged by.
    #[must_use]
    pub fn table_book(&self) -> &Rulebook {
        &self.table_book
    }

    /// What it is at the moment.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// Judges a command under the book. Changes nothing; no I/O, clock or randomness.
    ///
    /// # Errors
    ///
    /// When the command is refused: with a stable code, the clause, and what would be accepted.
    pub fn decide(&self, command: &Command) -> Result<Vec<Event>, Refusal> {
        self.state.judge(&self.book, &self.table_book, command).map(|(_, events)| events)
    }

    /// Judges a command and folds what came of it.
    ///
    /// # Errors
    ///
    /// As [`Self::decide`]; nothing is changed then.
    pub fn act(&mut self, command: &Command) -> Result<Vec<Event>, Refusal> {
        let (after, events) = self.state.judge(&self.book, &self.table_book, command)?;
        self.state = after;
        self.follow(&events);
        Ok(events)
    }

    /// Folds one recorded event: see [`State::evolve`].
    pub fn evolve(&mut self, event: &Event) {
        self.state.evolve(event);
        self.follow(core::slice::from_ref(event));
    }

    /// Conditions make another book of the one at the tables.
    fn follow(&mut self, events: &[Event]) {
        if events.iter().any(|event| matches!(event.fact, Fact::Documented { .. })) {
            self.table_book = Arc::new(at_the_tables(&self.book, self.state.conditions()));
        }
    }
}

impl Deref for Tournament {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl PartialEq for Tournament {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}
