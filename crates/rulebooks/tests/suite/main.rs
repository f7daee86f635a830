//! The rulebooks that come with Sabot against their sources, and the reading of books in general.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod amendments;
mod clauses;
mod differences;
mod faults;
mod house;
mod own;
mod schema;
mod settlement;
mod skeletons;
mod tableau;

use rulebooks::Book;

/// Every book, and the amendment over every base.
fn all_books() -> Vec<Book> {
    let named = |name: &String| {
        let (id, base) = rulebooks::named(name);
        load(id, base)
    };
    rulebooks::names().iter().map(named).collect()
}

fn load(id: &str, base: Option<&str>) -> Book {
    rulebooks::load(id, base).unwrap_or_else(|error| panic!("{id}: {error}"))
}
