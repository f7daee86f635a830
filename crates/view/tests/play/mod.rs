//! Transcripts played event by event, for the tests of this crate.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebooks::Book;
use table::{Event, Fact, Name, Table};
use transcript::{Books, Judge, Played, Shelf};
use view::{Eyes, Watch};

/// A name.
pub(crate) fn name(text: &str) -> Name {
    Name::from(text).unwrap()
}

/// Every transcript, with its text.
pub(crate) fn transcripts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let mut files = Vec::new();
    for folder in rulebooks::ids().iter().map(|book| root.join(book)) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "coup") {
                files.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// Plays a transcript.
pub(crate) fn played(books: &dyn Books, text: &str) -> Played {
    Judge { books, under: None }.judge(text)
}

/// A table at some event.
pub(crate) struct Moment<'a> {
    /// The file.
    pub(crate) file: &'a str,
    /// The number of the event.
    pub(crate) version: u64,
    /// The table before the event.
    pub(crate) before: &'a Table,
    /// The table after the event.
    pub(crate) table: &'a Table,
    pub(crate) book: &'a Book,
    pub(crate) watch: &'a Watch,
    pub(crate) event: &'a Event,
    /// Whether the event is the last of its act.
    pub(crate) whole: bool,
    /// All events up to this one.
    pub(crate) events: &'a [Event],
}

/// The book of an opening.
fn book_of(shelf: &Shelf, event: &Event) -> Option<Arc<Book>> {
    let Fact::Opened(opened) = &event.fact else { return None };
    let mut name = opened.book.to_string();
    for sheet in &opened.with {
        name += &format!("+{sheet}");
    }
    shelf.book(&name, opened.base.as_deref()).ok()
}

/// Follows the events of one transcript.
pub(crate) fn follow(
    shelf: &Shelf,
    file: &str,
    played: &Played,
    look: &mut impl FnMut(&Moment<'_>),
) {
    let mut at: Option<(Arc<Book>, Table, usize)> = None;
    let mut watch = Watch::default();
    // Every event is a ruling of its line.
    let mut ends = Vec::new();
    for line in &played.lines {
        ends.push(ends.last().copied().unwrap_or(0) + line.rulings.len());
    }
    for (i, event) in played.events.iter().enumerate() {
        if let Fact::Opened(_) = event.fact {
            let Some(book) = book_of(shelf, event).or_else(|| played.book.clone()) else { return };
            let table = Table::new(Arc::new(book.rulebook.clone()));
            at = Some((book, table, i));
        }
        let Some((book, table, start)) = &mut at else { continue };
        let before = table.clone();
        table.evolve(event);
        watch.note(table, event);
        let version = u64::try_from(i + 1).unwrap();
        let events = &played.events[*start..=i];
        let whole = ends.contains(&(i + 1));
        let (before, table, watch) = (&before, &*table, &watch);
        look(&Moment { file, version, before, table, book, watch, event, whole, events });
    }
}

/// Follows the events of every transcript of a plain table; `every` chooses one file in so many.
pub(crate) fn follow_all(every: usize, mut look: impl FnMut(&Moment<'_>)) {
    let shelf = Shelf::default();
    for (path, text) in transcripts().into_iter().step_by(every) {
        let played = played(&shelf, &text);
        if played.tournament.is_empty() {
            follow(&shelf, &path.display().to_string(), &played, &mut look);
        }
    }
}

/// The eyes of every role; the player is the one of that name.
pub(crate) fn all_eyes(player: Name) -> Vec<Eyes> {
    vec![
        Eyes::Player(player),
        Eyes::Player(name("Stranger")),
        Eyes::Dealer,
        Eyes::Supervisor,
        Eyes::Inspector,
        Eyes::Director,
        Eyes::Operator,
        Eyes::Spectator,
        Eyes::Auditor,
    ]
}
