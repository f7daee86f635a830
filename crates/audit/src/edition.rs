//! The edition of a book that a table was opened with.

use rulebooks::{Book, OwnFile};
use store::{Body, BookFile, Record, StoreError};

/// Where an edition is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// The one that is at hand under its name: it rules the same.
    AtHand,
    /// The one whose files the log kept; the one at hand rules otherwise, or there is none.
    Kept,
    /// The one at hand, which came later: logs of the first form kept no files of their book. It
    /// stands in for the other only where every act has the same consequences under it.
    Later,
}

/// The book that a stream is judged by: the one of its first record, or the one under which a
/// stream of the first form goes on.
///
/// # Errors
///
/// When a record that names a book cannot be read.
pub fn book_of(records: &[Record]) -> Result<Option<store::Book>, StoreError> {
    let names_book = |record: &&Record| record.schema.starts_with("book/");
    let Some(first) = records.first().filter(names_book) else { return Ok(None) };
    let last = records.iter().rev().find(names_book).filter(|_| is_of_the_first_form(records));
    let Body::Book(book) = last.unwrap_or(first).read()? else { return Ok(None) };
    Ok(Some(book))
}

/// Whether a stream was begun by a program that wrote the first form: it did not say how a table is
/// run.
pub(crate) fn is_of_the_first_form(records: &[Record]) -> bool {
    records.get(1).is_none_or(|second| !second.schema.starts_with("setup/"))
}

/// The edition that the acts of a stream are judged by.
///
/// # Errors
///
/// When a record that names a book cannot be read.
pub fn edition_of(
    records: &[Record],
    files: Option<&str>,
) -> Result<Option<(Book, Edition)>, StoreError> {
    let Some(known) = book_of(records)? else { return Ok(None) };
    let kept = edition(&known, files);
    let without_files = files.is_none() && known.files.is_empty();
    if kept.is_some() || !without_files || !is_of_the_first_form(records) {
        return Ok(kept);
    }
    let (name, base) = rulebooks::named(&known.name);
    Ok(rulebooks::load(name, base).ok().map(|book| (book, Edition::Later)))
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
#[must_use]
pub fn holds_files(known: &store::Book, files: Option<&str>) -> bool {
    let (name, base) = rulebooks::named(&known.name);
    let files = files.and_then(|files| serde_json::from_str::<Vec<BookFile>>(files).ok());
    let made = files.filter(|files| !files.is_empty()).and_then(|all| made_of(name, base, all));
    made.is_none_or(|book| book.rules_as(&known.sha256.to_string()))
}
