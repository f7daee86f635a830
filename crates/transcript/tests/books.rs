//! The transcripts of every book: they pass, they make the engine cite every clause, and no
//! decision and no ground of a book can be altered without one of them showing it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "books/alter.rs"]
mod alter;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use rulebooks::Book;
use rules::lies_within;
use tournament::Fact;
use transcript::{Books, Judge, Played, Shelf};

use alter::{Alteration, Demand, alterations};

/// The transcripts of a book: file and text.
fn transcripts(book: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts").join(book);
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "coup"))
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    files.sort();
    files
}

fn played(books: &dyn Books, file: &Path, text: &str) -> Played {
    let judge = Judge { books, under: None };
    judge.play(text).unwrap_or_else(|faults| panic!("{}: {faults:?}", file.display()))
}

#[test]
fn every_transcript_passes() {
    let books = Shelf::default();
    let mut failures = Vec::new();
    for book in rulebooks::ids() {
        for (file, text) in transcripts(book) {
            for line in played(&books, &file, &text).lines {
                if let Some(failure) = line.failure {
                    failures.push(format!("{}:{}: {failure}", file.display(), line.line));
                }
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn every_enforced_and_recorded_clause_is_cited() {
    let books = Shelf::default();
    let mut missing = Vec::new();
    for id in rulebooks::ids() {
        let mut cited: BTreeSet<String> = BTreeSet::new();
        for (file, text) in transcripts(id) {
            let played = played(&books, &file, &text);
            let own = played.cited.iter().filter(|clause| clause.book() == id);
            cited.extend(own.map(|clause| clause.number().to_owned()));
        }
        let book = books.book(id, None).unwrap();
        let carried = book.index.entries.iter().filter(|entry| entry.duty.is_carried_out());
        for entry in carried {
            if !cited.iter().any(|number| lies_within(number, &entry.id)) {
                missing.push(format!("{id} {}: {}", entry.id, entry.gist));
            }
        }
    }
    assert!(missing.is_empty(), "no transcript cites\n{}", missing.join("\n"));
}

#[test]
fn every_kind_of_refusal_is_reached() {
    let books = Shelf::default();
    let mut reached = BTreeSet::new();
    for book in rulebooks::ids() {
        for (file, text) in transcripts(book) {
            reached.extend(played(&books, &file, &text).codes);
        }
    }
    // What a floor refuses, and no book, is reached by the tests of the floor.
    reached.extend(table::Code::OF_THE_FLOOR);
    let missing: Vec<_> =
        table::Code::ALL.iter().filter(|code| !reached.contains(code)).map(|c| c.key()).collect();
    assert!(missing.is_empty(), "no transcript is refused with {}", missing.join(", "));
}

/// Words that are never said could not be missed: what one line must not say, another does.
#[test]
fn what_a_line_must_not_say_is_said_somewhere() {
    let books = Shelf::default();
    let (mut said, mut unsaid) = (BTreeSet::new(), BTreeSet::new());
    for (file, text) in rulebooks::ids().into_iter().flat_map(transcripts) {
        for line in played(&books, &file, &text).lines {
            said.extend(line.said());
            let words = line.text.strip_prefix("expect says nothing of ");
            let words = words.map(|words| words.split('#').next().unwrap_or(words).trim());
            unsaid.extend(words.map(|words| words.trim_matches('"').to_owned()));
        }
    }
    let never = |words: &&String| !said.iter().any(|said| said.contains(*words));
    let idle: Vec<_> = unsaid.iter().filter(never).map(String::as_str).collect();
    assert!(idle.is_empty(), "nothing ever says\n{}", idle.join("\n"));
}

/// A transcript, and what it comes to under the book as it is.
struct Case {
    text: String,
    played: Played,
}

/// A book and its transcripts.
struct Library {
    id: &'static str,
    cases: Vec<Case>,
}

impl Library {
    fn of(books: &Shelf, id: &'static str) -> Self {
        let own = transcripts(id).into_iter().filter(|(_, text)| !text.contains("base="));
        let case = |(file, text): (PathBuf, String)| {
            let played = played(books, &file, &text);
            Case { text, played }
        };
        Self { id, cases: own.map(case).collect() }
    }

    /// Whether a transcript shows an alteration. Those that cite its clause most are tried first.
    fn shows(&self, altered: &Alteration, lately: &Mutex<Vec<usize>>) -> bool {
        let cites = |i: usize| {
            let cited = self.cases[i].played.cited.iter();
            cited.filter(|clause| Some(**clause) == altered.clause).count()
        };
        let mut order: Vec<_> = (0..self.cases.len()).collect();
        let recent = lately.lock().unwrap().clone();
        let when = |i: &usize| recent.iter().position(|recent| recent == i);
        order.sort_by_cached_key(|i| (usize::MAX - cites(*i), when(i).unwrap_or(usize::MAX), *i));
        let books = One(altered.book.clone(), self.id, Shelf::default());
        let shown = order.into_iter().find(|i| {
            let case = &self.cases[*i];
            let now = Judge { books: &books, under: None }.judge(&case.text);
            match altered.demands {
                Demand::Event => !happens_the_same(&case.played, &now),
                Demand::Citation => case.played.cited != now.cited,
            }
        });
        if let Some(shown) = shown {
            let mut lately = lately.lock().unwrap();
            lately.retain(|recent| *recent != shown);
            lately.insert(0, shown);
        }
        shown.is_some()
    }
}

/// The altered book in place of its own.
struct One(Arc<Book>, &'static str, Shelf);

impl Books for One {
    fn book(&self, name: &str, base: Option<&str>) -> Result<Arc<Book>, String> {
        if name == self.1 && base.is_none() { Ok(self.0.clone()) } else { self.2.book(name, base) }
    }
}

/// Whether facts, postings and codes of refusals are the same, whatever is cited.
fn happens_the_same(one: &Played, other: &Played) -> bool {
    fn refusals(played: &Played) -> impl Iterator<Item = (usize, table::Code)> {
        played.lines.iter().filter_map(|l| Some((l.line, l.refusal.as_ref()?.code)))
    }
    let at_table = |one: &table::Event, other: &table::Event| {
        one.fact == other.fact && one.postings == other.postings
    };
    let in_event = |one: &tournament::Event, other: &tournament::Event| {
        let fact = match (&one.fact, &other.fact) {
            // The document has the book's clauses in it, and so has its hash.
            (Fact::Documented { conditions: one, .. }, Fact::Documented { conditions, .. }) => {
                one == conditions
            }
            (Fact::AtTable { event: one, .. }, Fact::AtTable { event, .. }) => at_table(one, event),
            (one, other) => one == other,
        };
        fact && one.postings == other.postings
    };
    let (a, b) = (&one.events, &other.events);
    let (c, d) = (&one.tournament, &other.tournament);
    a.len() == b.len()
        && c.len() == d.len()
        && a.iter().zip(b).all(|(a, b)| at_table(a, b))
        && c.iter().zip(d).all(|(c, d)| in_event(c, d))
        && refusals(one).eq(refusals(other))
}

/// Every alteration of a book that no transcript of it shows.
fn unnoticed(books: &Shelf, id: &'static str) -> Vec<String> {
    let book = books.book(id, None).unwrap();
    let base = book.rulebook.title.base.map(|base| books.book(&base, None).unwrap());
    let others: Vec<_> =
        rulebooks::ids().into_iter().map(|id| books.book(id, None).unwrap()).collect();
    let altered = alterations(&book, base.as_ref().map(|base| &base.rulebook), &others);
    let library = Library::of(books, id);
    let (next, missed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let lately = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(altered) = altered.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !library.shows(altered, &lately) {
                        missed.lock().unwrap().push(format!("{id} {}", altered.what));
                    }
                }
            });
        }
    });
    missed.into_inner().unwrap()
}

/// A decision that can be answered otherwise unnoticed decides nothing, and nothing rests on a
/// ground that can be put on another clause unnoticed.
#[test]
fn nothing_in_a_book_can_be_altered_unnoticed() {
    let books = Shelf::default();
    let mut missed: Vec<_> =
        rulebooks::ids().into_iter().flat_map(|id| unnoticed(&books, id)).collect();
    missed.sort();
    assert!(
        missed.is_empty(),
        "{} alterations pass unnoticed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}
