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
pub(crate) fn files_of(book: &Book) -> String {
    let file = |OwnFile { book, file, text }| BookFile { book, file, text };
    let files: Vec<_> = rulebooks::sources(book).into_iter().map(file).collect();
    serde_json::to_string(&files).unwrap_or_else(|_| "[]".into())
}

/// The edition that a table was opened with: the one of that name, if it still rules the same, or
/// the one whose files the log kept, if they make exactly that edition.
pub(crate) fn edition(known: &store::Book, files: Option<&str>) -> Option<(Book, Edition)> {
    let (name, base) = rulebooks::named(&known.name);
    let sha256 = known.sha256.to_string();
    let now = rulebooks::load(name, base).ok().filter(|book| book.rules_as(&sha256));
    if let Some(now) = now {
        return Some((now, Edition::AtHand));
    }
    let kept: Vec<BookFile> = match files {
        Some(files) => serde_json::from_str(files).ok()?,
        None => known.files.clone(),
    };
    let own = kept.into_iter().map(|BookFile { book, file, text }| OwnFile { book, file, text });
    let own: Vec<_> = own.collect();
    let kept = rulebooks::load_with(name, base, &own).ok();
    kept.filter(|book| book.sha256() == sha256).map(|book| (book, Edition::Kept))
}
