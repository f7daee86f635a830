//! Clauses and values that cite them.

use alloc::collections::BTreeSet;
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
/// It is a reference to text that is kept once for the whole program, so it is copied like a number,
/// and an event that cites it can be read without the book.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Clause {
    text: &'static str,
    /// Where the book ends and the number begins.
    split: u8,
}

/// Every clause that was ever named, kept once. There are as many as books have clauses.
static NAMED: spin::Mutex<BTreeSet<&'static str>> = spin::Mutex::new(BTreeSet::new());

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
        let text = match named.get(text.as_str()) {
            Some(known) => *known,
            None => {
                let kept: &'static str = String::leak(text);
                named.insert(kept);
                kept
            }
        };
        Some(Self { text, split: u8::try_from(book.len()).ok()? })
    }

    /// The book that the clause stands in.
    #[must_use]
    pub fn book(&self) -> &'static str {
        &self.text[..usize::from(self.split)]
    }

    /// The clause's number within its book, such as `4.6(b)`.
    #[must_use]
    pub fn number(&self) -> &'static str {
        &self.text[usize::from(self.split) + 1..]
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl fmt::Debug for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

/// A rule value together with the clause that grants it. A [`Rulebook`](crate::Rulebook) holds
/// nothing else.
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
