//! The rulebooks that come with Sabot against their sources, and the reading of books in general.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod amendments;
mod clauses;
mod differences;
mod faults;
mod house;
mod schema;
mod settlement;
mod skeletons;
mod tableau;

use rulebooks::Book;

/// Every book, and the amendment over every base.
fn all_books() -> Vec<Book> {
    let mut books: Vec<_> = rulebooks::ids().into_iter().map(|id| load(id, None)).collect();
    let bases = ["act-2012", "act-2018", "nz-1998"];
    books.extend(bases.into_iter().map(|base| load("vic-2005", Some(base))));
    books
}

fn load(id: &str, base: Option<&str>) -> Book {
    rulebooks::load(id, base).unwrap_or_else(|error| panic!("{id}: {error}"))
}
