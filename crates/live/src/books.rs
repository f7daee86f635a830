//! Books that tables share: however many tables run under a book, it is in memory once.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, Weak};

use rulebooks::Book;
use rules::Rulebook;
use shoe::Digest;

type Known = HashMap<[u8; 32], (Weak<Book>, Weak<Rulebook>)>;

/// The books that some table has, by their identity.
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// The book of that identity, if some table has it.
pub(crate) fn known(sha256: Digest) -> Option<(Arc<Book>, Arc<Rulebook>)> {
    let known = KNOWN.lock().expect("nobody panics holding it");
    let (book, rules) = known.get(&sha256.0)?;
    Some((book.upgrade()?, rules.upgrade()?))
}

/// The same book as other tables have it, if one does; otherwise this one is theirs from now on.
pub(crate) fn shared(book: Arc<Book>, sha256: Digest) -> (Arc<Book>, Arc<Rulebook>) {
    if let Some(known) = known(sha256) {
        return known;
    }
    let rules = Arc::new(book.rulebook.clone());
    let mut known = KNOWN.lock().expect("nobody panics holding it");
    known.retain(|_, (book, _)| book.strong_count() > 0);
    known.insert(sha256.0, (Arc::downgrade(&book), Arc::downgrade(&rules)));
    (book, rules)
}
