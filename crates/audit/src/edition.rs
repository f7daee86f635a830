//! The edition of a book that a table was opened with.

use rulebooks::{Book, OwnFile};
use store::BookFile;

/// Where an edition is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// The one that is at hand under its name: it rules the same.
    AtHand,
    /// The one whose files the log kept; the one at hand rules otherwise, or there is none.
    Kept,
}

/// The files of a book as the log keeps them.
#[must_use]
pub fn files_of(book: &Book) -> String {
    let file = |OwnFile { book, file, text }| BookFile { book, file, text };
    let files: Vec<_> = rulebooks::sources(book).into_iter().map(file).collect();
    serde_json::to_string(&files).unwrap_or_else(|_| "[]".into())
}

/// The edition that a table was opened with: the one of that name, if it still rules the same, or
/// the one whose files the log kept, if they make exactly that edition.
#[must_use]
pub fn edition(known: &store::Book, files: Option<&str>) -> Option<(Book, Edition)> {
    let (name, base) = rulebooks::named(&known.name);
    let sha256 = known.sha256.to_string();
    let now = rulebooks::load(name, base).ok().filter(|book| book.rules_as(&sha256));
    if let Some(now) = now {
        return Some((now, Edition::AtHand));
    }
    let kept = match files {
        Some(files) => serde_json::from_str(files).ok()?,
        None => known.files.clone(),
    };
    let kept = made_of(name, base, kept);
    kept.filter(|book| book.sha256() == sha256).map(|book| (book, Edition::Kept))
}

fn made_of(name: &str, base: Option<&str>, files: Vec<BookFile>) -> Option<Book> {
    let own = files.into_iter().map(|BookFile { book, file, text }| OwnFile { book, file, text });
    let own: Vec<_> = own.collect();
    rulebooks::load_with(name, base, &own).ok()
}

/// Whether files that the log kept make the edition that a table was opened with. Where they cannot
/// be read any more nothing can be said of them, and nothing is judged by them.
pub(crate) fn holds_files(known: &store::Book, files: Option<&str>) -> bool {
    let (name, base) = rulebooks::named(&known.name);
    let files = files.and_then(|files| serde_json::from_str::<Vec<BookFile>>(files).ok());
    let made = files.filter(|files| !files.is_empty()).and_then(|all| made_of(name, base, all));
    made.is_none_or(|book| book.rules_as(&known.sha256.to_string()))
}
