//! The page with the shape of all documents that programs read, made from the types themselves.
//!
//! `docs/reference/json.md` is what this prints; a type that changes makes the test fail until
//! `SABOT_DOCS=write cargo test -p view --test shapes` has written the page anew.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../store/tests/shapes/page.rs"]
mod page;

use page::{Page, Types, Written};

const PAGE: &str = "docs/reference/json.md";

/// The sources of all types in the documents.
const SOURCES: &[&str] = &["rules", "shoe", "table", "tournament", "view"];

/// The documents, and how each is called.
const DOCUMENTS: [(&str, &str); 6] = [
    ("TableView", "table"),
    ("TournamentView", "tournament"),
    ("EventView", "event at a table"),
    ("TournamentEventView", "event of a tournament"),
    ("RefusalView", "refusal"),
    ("Eyes", "eyes"),
];

/// Types that are written in a form of their own.
const WRITTEN: &[Written] = &[
    (
        "Card",
        "card",
        "rank and suit, such as `\"Th\"`; ranks `A 2 3 4 5 6 7 8 9 T J Q K`, suits `h d c s`",
    ),
    ("i64", "signed number", "a whole number, which may be below zero"),
    (
        "Clause",
        "clause",
        "a book and a number, such as `\"act-2018 4.6(b)\"`; several that carry one rule together \
         have a comma between their numbers",
    ),
    ("Spot", "spot", "`\"banker\"`, `\"player\"`, `\"tie\"`, or the word of a side bet"),
    ("Group", "group", "`\"main\"`, `\"tie\"`, or the word of a group of side bets"),
    ("Digest", "hash", "32 bytes in lower-case hexadecimal"),
    ("Value", "record", "an act or a fact in the form of the log, which [facts](facts.md) has"),
    ("SignLine", "line", "a line of the sign in the form of the log, which [facts](facts.md) has"),
    ("Name", "text", "text"),
];

#[test]
fn the_page_has_the_shape_of_every_document() {
    let types = Types::read(SOURCES);
    let form = view::FORM;
    let text = format!(
        "# Documents for programs\n\nMade from the types of the program; `SABOT_DOCS=write cargo \
         test -p view --test shapes` writes it. This is form {form}: every document has the number \
         as `form`, and it changes when the meaning of a field does. New fields may come at any \
         time.\n\nWhat a document has depends on who looks. A field that is only for some is \
         missing for others; a name that is not for a spectator is a place such as `seat 3`. \
         Amounts are whole cents in fields that end in `_cents`. Times are microseconds since \
         1970, UTC.\n\n`sabot judge --json` gives the `rulings` of a line as [events at a \
         table](#event-at-a-table) or [events of a tournament](#event-of-a-tournament), as an \
         auditor sees them, and its `refusal` as a [refusal](#refusal).\n\nA form shows the \
         JSON, with words for what differs. A field that is `or null` is always there; \
         an array of `…` has any number of items.\n\n| word | what stands \
         there |\n|---|---|\n| text | a text |\n| number | a whole number, not below zero |\n"
    );
    let mut page = Page::new(&types, WRITTEN, &text);
    for (name, title) in DOCUMENTS {
        page.chapter("view", name, title);
    }
    page.check(PAGE, "view");
}
