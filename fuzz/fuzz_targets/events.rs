//! A tournament played by robots while anybody says anything: it keeps its promises.

#![no_main]

use std::sync::{Arc, OnceLock};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    static BOOKS: OnceLock<Vec<Arc<rules::Rulebook>>> = OnceLock::new();
    let books = BOOKS.get_or_init(testkit::tournament_books);
    if let Some((first, rest)) = bytes.split_first() {
        let _ = testkit::drive_event(&books[usize::from(*first) % books.len()], rest);
    }
});
