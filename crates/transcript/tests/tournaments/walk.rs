//! Walks through the tournaments of all transcripts, from one line to the next.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tournament::{Event, Fact, Tournament};
use transcript::{Books, Judge, Played, Shelf};

/// What one line of a transcript did to a tournament.
pub(crate) struct Step<'a> {
    /// File and line.
    pub(crate) place: String,
    /// The events of the line.
    pub(crate) events: &'a [Event],
    /// The tournament after them.
    pub(crate) after: &'a Tournament,
}

/// Visits every line that moved a tournament, in every tournament transcript of every book.
/// Returns how many there were.
pub(crate) fn every_step(visit: &mut impl FnMut(&Step<'_>)) -> usize {
    let books = Shelf::default();
    let mut steps = 0;
    for book in rulebooks::ids() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts").join(book);
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = files.filter(|file| is_tournament(file)).collect();
        files.sort();
        for file in files {
            let judge = Judge { books: &books, under: None };
            let played = judge.play(&fs::read_to_string(&file).unwrap()).unwrap();
            steps += walk(&books, &file, &played, visit);
        }
    }
    steps
}

fn is_tournament(file: &Path) -> bool {
    let name = file.file_name().unwrap().to_string_lossy();
    name.starts_with("tournament-") && name.ends_with(".coup")
}

fn walk(books: &Shelf, file: &Path, played: &Played, visit: &mut impl FnMut(&Step<'_>)) -> usize {
    let ruled: usize = played.lines.iter().map(|line| line.rulings.len()).sum();
    assert_eq!(ruled, played.tournament.len(), "{}: a ruling for each event", file.display());
    let (mut events, mut steps) = (played.tournament.as_slice(), 0);
    let mut tournament: Option<Tournament> = None;
    for line in played.lines.iter().filter(|line| !line.rulings.is_empty()) {
        let now;
        (now, events) = events.split_at(line.rulings.len());
        if let Fact::Opened { book, base } = &now[0].fact {
            let base = base.as_deref();
            let book = books.book(book, base).unwrap();
            tournament = Some(Tournament::new(Arc::new(book.rulebook.clone())));
        }
        let tournament = tournament.as_mut().expect("a tournament was opened");
        for event in now {
            tournament.evolve(event);
        }
        let place = format!("{}:{}", file.display(), line.line);
        visit(&Step { place, events: now, after: tournament });
        steps += 1;
    }
    steps
}
