//! Clauses and values that cite them.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt;

use arrayvec::ArrayString;

/// The longest id of a rulebook, in bytes.
pub const BOOK_ID_LENGTH: usize = 15;
/// The longest number of a clause that can be cited, in bytes.
pub const CLAUSE_NUMBER_LENGTH: usize = 40;

/// The id of a rulebook, such as `act-2018`. Short enough to be copied like a number.
pub type BookId = ArrayString<BOOK_ID_LENGTH>;

/// A clause of a rulebook, written `act-2018 4.6(b)`.
///
/// It is a reference to text that is kept once for the whole program, so it is copied and compared
/// like a number, and an event that cites it can be read without the book.
#[derive(Clone, Copy)]
pub struct Clause(&'static Named);

/// The text of a clause, and where the book ends in it.
struct Named {
    text: String,
    split: usize,
}

/// Every clause that was ever named, kept once. There are as many as books have clauses.
static NAMED: spin::Mutex<BTreeMap<&'static str, Clause>> = spin::Mutex::new(BTreeMap::new());

impl Clause {
    /// The clause `number` of `book`, or nothing if the number is empty or longer than
    /// [`CLAUSE_NUMBER_LENGTH`].
    #[must_use]
    pub fn new(book: BookId, number: &str) -> Option<Self> {
        if number.is_empty() || number.len() > CLAUSE_NUMBER_LENGTH {
            return None;
        }
        let text = alloc::format!("{book} {number}");
        let mut named = NAMED.lock();
        if let Some(known) = named.get(text.as_str()) {
            return Some(*known);
        }
        let kept: &'static Named = Box::leak(Box::new(Named { text, split: book.len() }));
        named.insert(&kept.text, Self(kept));
        Some(Self(kept))
    }

    /// The book that the clause stands in.
    #[must_use]
    pub fn book(&self) -> &'static str {
        &self.0.text[..self.0.split]
    }

    /// The clause's number within its book, such as `4.6(b)`.
    #[must_use]
    pub fn number(&self) -> &'static str {
        &self.0.text[self.0.split + 1..]
    }
}

impl PartialEq for Clause {
    /// A text is kept once, so the same clause is the same place.
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

impl Eq for Clause {}

impl core::hash::Hash for Clause {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.0.text.hash(state);
    }
}

impl PartialOrd for Clause {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Clause {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.0.text.cmp(&other.0.text)
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl fmt::Debug for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

/// A rule value together with the clause that grants it. A [`Rulebook`](crate::Rulebook) is made
/// of these and of grounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cited<T> {
    /// What the clause says.
    pub value: T,
    /// The clause that says it.
    pub clause: Clause,
}

impl<T> Cited<T> {
    /// Another value that rests on the same clause.
    #[must_use]
    pub fn map<U>(self, with: impl FnOnce(T) -> U) -> Cited<U> {
        Cited { value: with(self.value), clause: self.clause }
    }
}

/// The clause on which a kind of event, refusal or keeping rests. It changes nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ground {
    /// The clause.
    pub clause: Clause,
}

/// What rests on a clause: a value that a book answers, or a ground.
pub trait Rests {
    /// The clause.
    fn clause(&self) -> Clause;
}

impl<T> Rests for Cited<T> {
    fn clause(&self) -> Clause {
        self.clause
    }
}

impl Rests for Ground {
    fn clause(&self) -> Clause {
        self.clause
    }
}

/// Whether `number` is `whole` or a sub-paragraph of it: `4.6(b)` lies within `4.6`, `4.60` not.
#[must_use]
pub fn lies_within(number: &str, whole: &str) -> bool {
    number
        .strip_prefix(whole)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('(') || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sub_paragraphs_lie_within_their_clause_and_neighbours_do_not() {
        for (number, whole, within) in [
            ("4.6", "4.6", true),
            ("4.6(b)", "4.6", true),
            ("12.7(a)(i)(A)", "12.7(a)", true),
            ("15.2.1", "15", true),
            ("4.60", "4.6", false),
            ("4.6", "4.6(b)", false),
        ] {
            assert_eq!(lies_within(number, whole), within, "{number} in {whole}");
        }
    }

    #[test]
    fn a_clause_is_written_with_its_book() {
        let book = BookId::from("act-2018").unwrap();
        assert_eq!(Clause::new(book, "4.6(b)").unwrap().to_string(), "act-2018 4.6(b)");
        assert_eq!(Clause::new(book, ""), None);
        assert_eq!(Clause::new(book, &"1".repeat(CLAUSE_NUMBER_LENGTH + 1)), None);
    }

    use std::string::ToString;
}
