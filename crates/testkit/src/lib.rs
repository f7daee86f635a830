//! Random commands, sensible and hostile, and the promises that a table keeps whatever is sent.
//!
//! Everything is driven by bytes, so the same functions serve property tests, the seeded run in
//! `make test`, and coverage-guided fuzzing.

pub mod cells;
mod choices;
mod commands;
pub mod cups;
mod events;
pub mod floor;
pub mod leak;
mod promises;
pub mod robot;

use std::sync::Arc;

pub use choices::{Choices, random_bytes};
pub use commands::any_command;
pub use events::{any_conditions, any_event_act, drive_event};
pub use promises::Watch;
use rules::Rulebook;
use table::{Command, Event, Table};

/// The books that have tournaments.
///
/// # Panics
///
/// When a book that comes with Sabot cannot be loaded.
#[must_use]
pub fn tournament_books() -> Vec<Arc<Rulebook>> {
    let books = all_books().into_iter().filter(|book| book.tournament.is_some());
    books.filter(|book| book.title.base.is_none()).collect()
}

/// Every book, and the amendment over every base.
///
/// # Panics
///
/// When a book that comes with Sabot does not load.
#[must_use]
pub fn all_books() -> Vec<Arc<Rulebook>> {
    let load = |name: &String| {
        let (id, base) = rulebooks::named(name);
        match rulebooks::load(id, base) {
            Ok(book) => Arc::new(book.rulebook),
            Err(error) => panic!("{name}: {error}"),
        }
    };
    rulebooks::names().iter().map(load).collect()
}

/// Sends commands made of bytes to a table and watches that it keeps its promises; gives what
/// happened.
#[must_use]
pub fn drive(book: &Arc<Rulebook>, bytes: &[u8]) -> Vec<Event> {
    let mut choices = Choices::new(bytes);
    let mut watch = Watch::new(Table::new(book.clone()));
    let mut at = 0;
    while !choices.is_empty() {
        at += u64::from(choices.byte()) * 20_000_000;
        let act = any_command(&mut choices, watch.table());
        // Now and then the clock jumps back.
        let late = if choices.one_in(16) { at / 2 } else { at };
        watch.send(&Command::new(late, act));
    }
    watch.finish();
    watch.into_log()
}

/// Reads any text as a transcript and plays it: it may be refused, but nothing panics.
pub fn read_transcript(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = transcript::play(&text);
}

/// Plays lines of real transcripts, cut up and mixed.
pub fn mixed_transcript(bytes: &[u8], lines: &[String]) {
    let mut choices = Choices::new(bytes);
    let mut text = String::from("operator opens act-2018 with pairs=perfect, dragon\n");
    while !choices.is_empty() && !lines.is_empty() {
        let line = &lines[choices.below(lines.len())];
        let mut words: Vec<&str> = line.split(' ').collect();
        if choices.one_in(8) && words.len() > 1 {
            let gone = choices.below(words.len());
            words.remove(gone);
        }
        text += &words.join(" ");
        text.push('\n');
    }
    let _ = transcript::play(&text);
}
