//! A tournament in operation: its state, and the books that it is judged by.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Deref;

use rules::Rulebook;
use table::Refusal;

use crate::command::Command;
use crate::event::{Event, Fact};
use crate::state::State;
use crate::tables::at_the_tables;

/// One tournament: its state, and the book that it is judged by. Two tournaments are equal if their
/// states are equal; the books are not compared.
#[derive(Clone, Debug)]
pub struct Tournament {
    book: Arc<Rulebook>,
    /// The book for its tables, derived from the book and the conditions.
    table_book: Arc<Rulebook>,
    state: State,
}

impl Tournament {
    /// A tournament that is not begun, to be judged by this book.
    #[must_use]
    pub fn new(book: Arc<Rulebook>) -> Self {
        Self::at(book, State::default())
    }

    /// A tournament in a given state, to be judged by this book from there on.
    #[must_use]
    pub fn at(book: Arc<Rulebook>, state: State) -> Self {
        let table_book = Arc::new(at_the_tables(&book, state.conditions()));
        Self { book, table_book, state }
    }

    /// The book that the tournament is judged by.
    #[must_use]
    pub fn book(&self) -> &Rulebook {
        &self.book
    }

    /// The book that its tables are judged by.
    #[must_use]
    pub fn table_book(&self) -> &Rulebook {
        &self.table_book
    }

    /// The state of the tournament.
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

    /// Judges a command and folds the resulting events.
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

    /// Folds one event of a log: see [`State::replay`].
    ///
    /// # Errors
    ///
    /// When it cannot have happened: the log is damaged.
    pub fn replay(&mut self, event: &Event) -> Result<(), crate::Broken> {
        self.state.replay(event)?;
        self.follow(core::slice::from_ref(event));
        Ok(())
    }

    /// New conditions change the book for the tables.
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
