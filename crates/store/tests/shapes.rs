//! The page with the shape of everything that is recorded, made from the types themselves.
//!
//! `docs/reference/facts.md` is what this prints; a type that changes makes the test fail until
//! `SABOT_DOCS=write cargo test -p store --test shapes` has written the page anew.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "shapes/page.rs"]
mod page;

use page::{Page, Types, Written};

const PAGE: &str = "docs/reference/facts.md";

/// The sources of all types that are recorded.
const SOURCES: &[&str] = &["rules", "shoe", "table", "tournament", "store"];

/// Where a body begins, and the name of its schema.
const BODIES: [(&str, &str, &str); 14] = [
    ("store", "Setup", "setup/1"),
    ("table", "Act", "act/1"),
    ("table", "Refused", "refused/1"),
    ("table", "Event", "table/3"),
    ("store", "AccountFact", "account/1"),
    ("tournament", "Act", "tournament-act/1"),
    ("tournament", "Event", "tournament/2"),
    ("shoe", "ShoeFact", "shoe/2"),
    ("store", "TableShoe", "table-shoe/1"),
    ("store", "Book", "book/2"),
    ("store", "Heads", "checkpoint/2"),
    ("store", "HouseKey", "key/1"),
    ("store", "Restored", "restored/1"),
    ("store", "Answer", "answer/1"),
];

/// Types that are written in a form of their own.
const WRITTEN: &[Written] = &[
    (
        "Card",
        "card",
        "rank and suit, such as `\"Th\"`; ranks `A 2 3 4 5 6 7 8 9 T J Q K`, suits `h d c s`",
    ),
    ("Cents", "cents", "a whole number, not below zero"),
    ("Balance", "balance", "a whole number of cents, which may be below zero"),
    (
        "Clause",
        "clause",
        "a book and a number, such as `\"act-2018 4.6(b)\"`; several that carry one rule together \
         have a comma between their numbers",
    ),
    ("Key", "word", "a word of the book, such as `\"lucky-6\"`"),
    ("Spot", "spot", "`\"banker\"`, `\"player\"`, `\"tie\"`, or the word of a side bet"),
    ("Group", "group", "`\"main\"`, `\"tie\"`, or the word of a group of side bets"),
    (
        "Offer",
        "offer",
        "the word of a group of side bets, with a pay table after `=` where there are several, \
         such as `\"pairs=perfect\"`",
    ),
    ("Offers", "offers", "an array of offers"),
    ("Digest", "hash", "32 bytes in lower-case hexadecimal"),
    ("Bytes", "bytes", "bytes in lower-case hexadecimal"),
    ("Nonce", "bytes", "bytes in lower-case hexadecimal"),
    (
        "Composition",
        "counts",
        "an array of 52 numbers, how many of each card: `Ah Ad Ac As 2h` and so on",
    ),
    ("i32", "minutes", "a whole number, which may be below zero"),
    ("BookId", "text", "text"),
    ("Name", "text", "text"),
    (
        "Conditions",
        "conditions",
        "the conditions of entry, an object; `docs/reference/conditions.md` has its keys",
    ),
    ("Clauses", "[clause, …]", "the clauses"),
    ("Code", "code", "a word that `docs/reference/refusals.md` explains"),
];

#[test]
fn the_page_has_the_shape_of_everything() {
    let types = Types::read(SOURCES);
    let text = "# What the log records\n\nMade from the types of the program; `SABOT_DOCS=write \
        cargo test -p store --test shapes` writes it. [The log](../LOG.md) says what the records \
        are for.\n\nA form shows the JSON, with words for what differs. A field that is `or null` \
        is always there; an array of `…` has any number of items.\n\n| word | what stands there \
        |\n|---|---|\n| text | a text |\n| number | a whole number, not below zero |\n";
    let mut page = Page::new(&types, WRITTEN, text);
    for (home, name, schema) in BODIES {
        page.chapter(home, name, schema);
    }
    page.check(PAGE, "store");
}
