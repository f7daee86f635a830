//! Clauses and values that cite them.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;

use arrayvec::{ArrayString, ArrayVec};

/// The longest id of a rulebook, in bytes.
pub const BOOK_ID_LENGTH: usize = 15;
/// The longest number of a clause that can be cited, in bytes.
pub const CLAUSE_NUMBER_LENGTH: usize = 40;

/// The id of a rulebook, such as `act-2018`. Short enough to be copied like a number.
pub type BookId = ArrayString<BOOK_ID_LENGTH>;

/// Clauses that something can rest on together.
pub const MOST_CLAUSES: usize = 6;
/// What stands between them.
const AND: &str = ", ";
/// What stands for it within the number of one clause, such as `dictionary "Void, voided"`: it
/// looks the same, and does not part the number in two. The space does not break.
const WITHIN: &str = ",\u{a0}";

/// A clause of a rulebook, written `act-2018 4.6(b)`; or several of them that carry one rule
/// together, written `act-2018 4.6(b), 4.7`.
///
/// It is the number of a text that is kept once for the whole program: four bytes, copied and
/// compared like a number, and an event that cites it can be read without the book.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Clause(NonZeroU32);

/// The text of a clause, where the book ends in it, and the clauses that it stands for if they are
/// several.
#[derive(Clone, Copy)]
struct Named {
    text: &'static str,
    split: usize,
    parts: &'static [Clause],
}

/// This bit of the number tells that a clause stands for several.
const SEVERAL: u32 = 1 << 31;

/// Every clause that was ever named, kept once. There are as many as books have clauses.
struct Names {
    /// The texts, by number from one.
    texts: Vec<Named>,
    numbers: BTreeMap<&'static str, Clause>,
}

static NAMES: spin::Mutex<Names> =
    spin::Mutex::new(Names { texts: Vec::new(), numbers: BTreeMap::new() });

impl Clause {
    /// The clause `number` of `book`, or nothing if the number is empty or longer than
    /// [`CLAUSE_NUMBER_LENGTH`].
    #[must_use]
    pub fn new(book: BookId, number: &str) -> Option<Self> {
        let fits = |number: &str| !number.is_empty() && number.len() <= CLAUSE_NUMBER_LENGTH;
        if !number.split(AND).all(fits) || number.split(AND).count() > MOST_CLAUSES {
            return None;
        }
        let text = alloc::format!("{book} {number}");
        if let Some(known) = NAMES.lock().numbers.get(text.as_str()) {
            return Some(*known);
        }
        let parts: Vec<Self> = if number.contains(AND) {
            number.split(AND).filter_map(|number| Self::new(book, number)).collect()
        } else {
            Vec::new()
        };
        let mut names = NAMES.lock();
        if let Some(known) = names.numbers.get(text.as_str()) {
            return Some(*known);
        }
        let several = if parts.is_empty() { 0 } else { SEVERAL };
        let next = u32::try_from(names.texts.len() + 1).ok().filter(|next| *next < SEVERAL)?;
        let clause = Self(NonZeroU32::new(next | several)?);
        let text = Box::leak(text.into_boxed_str());
        let parts = Box::leak(parts.into_boxed_slice());
        names.texts.push(Named { text, split: book.len(), parts });
        names.numbers.insert(text, clause);
        Some(clause)
    }

    /// One clause, whatever its number has in it: `dictionary "Void, voided"` is one.
    #[must_use]
    pub fn single(book: BookId, number: &str) -> Option<Self> {
        Self::new(book, &number.replace(AND, WITHIN))
    }

    /// Several clauses of a book as one that a rule rests on; nothing if they are none, too many
    /// or of several books.
    #[must_use]
    pub fn together(clauses: &[Self]) -> Option<Self> {
        let book = clauses.first()?.book();
        if clauses.iter().any(|clause| clause.book() != book) {
            return None;
        }
        let numbers: Vec<_> = clauses.iter().map(Self::number).collect();
        Self::new(BookId::from(book).ok()?, &numbers.join(AND))
    }

    /// The clause; or each of those that it stands for.
    pub fn each(self) -> impl Iterator<Item = Self> + Clone {
        let parts = if self.is_several() { self.named().parts } else { &[] };
        let one = if parts.is_empty() { Some(self) } else { None };
        one.into_iter().chain(parts.iter().copied())
    }

    const fn is_several(self) -> bool {
        self.0.get() & SEVERAL != 0
    }

    /// Cites the clause besides others, or as much of it as is not cited yet.
    pub fn cite_in<const MOST: usize>(self, cited: &mut ArrayVec<Self, MOST>) {
        if cited.contains(&self) || cited.is_full() {
            return;
        }
        if !self.is_several() && !cited.iter().any(|other| other.is_several()) {
            cited.push(self);
            return;
        }
        let new = |part: &Self| !cited.iter().any(|other| other.each().any(|own| own == *part));
        let rest: Vec<Self> = self.each().filter(new).collect();
        cited.extend(Self::together(&rest));
    }

    fn named(self) -> Named {
        NAMES.lock().texts[(self.0.get() & !SEVERAL) as usize - 1]
    }

    fn text(self) -> &'static str {
        self.named().text
    }

    /// The book that the clause stands in.
    #[must_use]
    pub fn book(&self) -> &'static str {
        let Named { text, split, .. } = self.named();
        &text[..split]
    }

    /// The clause's number within its book, such as `4.6(b)`; one that has a comma in it is as
    /// a book spells it but for [`spelt`].
    #[must_use]
    pub fn number(&self) -> &'static str {
        let Named { text, split, .. } = self.named();
        &text[split + 1..]
    }
}

impl core::hash::Hash for Clause {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}

impl PartialOrd for Clause {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Clause {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.text().cmp(other.text())
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
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

/// The clause on which a kind of event, refusal or ongoing duty rests. A ground changes nothing
/// else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ground {
    /// The clause.
    pub clause: Clause,
}

/// Something that rests on a clause: a value in a book, or a ground.
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

/// The number of a clause as a book spells it.
#[must_use]
pub fn spelt(number: &str) -> Cow<'_, str> {
    if number.contains(WITHIN) { number.replace(WITHIN, AND).into() } else { number.into() }
}

/// Whether `number` is `whole` or a sub-paragraph of it: `4.6(b)` lies within `4.6`, `4.60` does
/// not.
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
        assert_eq!(Clause::new(book, "4.6(b)"), Clause::new(book, "4.6(b)"), "a text is kept once");
        assert_ne!(Clause::new(book, "4.6(b)"), Clause::new(book, "4.6(c)"));
        assert_eq!(size_of::<Option<Clause>>(), 4);
        let clause = |number: &str| Clause::new(book, number).unwrap();
        let both = Clause::together(&[clause("4.6(b)"), clause("4.7")]).unwrap();
        assert_eq!(both.to_string(), "act-2018 4.6(b), 4.7");
        assert_eq!(both.each().collect::<Vec<_>>(), [clause("4.6(b)"), clause("4.7")]);
        assert_eq!(clause("4.7").each().collect::<Vec<_>>(), [clause("4.7")]);
        assert_eq!(Clause::together(&[]), None);
        assert_eq!(Clause::new(book, "4.7, "), None, "half of it is no clause");
        assert_eq!(Clause::new(book, "1, 2, 3, 4, 5, 6, 7"), None, "too many");
        assert_eq!(Clause::new(book, ""), None);
        assert_eq!(Clause::new(book, &"1".repeat(CLAUSE_NUMBER_LENGTH + 1)), None);
    }

    #[test]
    fn a_number_with_a_comma_in_it_is_one_clause() {
        let book = BookId::from("act-2018").unwrap();
        let void = Clause::single(book, "dictionary \"Void, voided\"").unwrap();
        assert_eq!(void.each().collect::<Vec<_>>(), [void]);
        assert_eq!(spelt(void.number()), "dictionary \"Void, voided\"");
        let other = Clause::single(book, "4.7").unwrap();
        assert_eq!(Some(other), Clause::new(book, "4.7"));
        let both = Clause::together(&[void, other]).unwrap();
        assert_eq!(both.each().collect::<Vec<_>>(), [void, other]);
        // As it is read back from a record.
        assert_eq!(Clause::new(book, both.number()), Some(both));
        assert_eq!(Clause::new(book, void.number()), Some(void));
    }

    #[test]
    fn no_clause_is_cited_twice_be_it_alone_or_in_a_list() {
        let book = BookId::from("act-2018").unwrap();
        let clause = |number: &str| Clause::new(book, number).unwrap();
        let cited = |numbers: &[&str]| {
            let mut cited = ArrayVec::<Clause, 4>::new();
            for number in numbers {
                clause(number).cite_in(&mut cited);
            }
            cited.iter().map(Clause::number).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(cited(&["1", "1"]), "1");
        assert_eq!(cited(&["1", "1, 2"]), "1; 2");
        assert_eq!(cited(&["1, 2", "2", "3"]), "1, 2; 3");
        assert_eq!(cited(&["1, 2", "2, 3, 4"]), "1, 2; 3, 4");
        assert_eq!(cited(&["1", "2", "3", "4", "5"]), "1; 2; 3; 4");
    }

    use std::string::ToString;
}
