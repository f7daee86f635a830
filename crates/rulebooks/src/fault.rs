//! What is wrong with a book: where, what, and what would be right.

use std::fmt;
use std::sync::Arc;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as the user named its folder.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The kinds of fault that a book can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// A file that is not there or cannot be read.
    Unreadable,
    /// Not TOML.
    Syntax,
    /// A key that no book has.
    UnknownKey,
    /// Something that every book must say.
    Missing,
    /// An answer that the decision cannot have, or that does not go with another.
    Impossible,
    /// Said and listed as silent, or silent where a book must speak.
    Silence,
    /// A decision or a ground cites a clause that the index does not have.
    UnknownClause,
    /// An entry of the index that nothing carries out.
    Unaccounted,
    /// A clause of the source without an entry; an entry that is twice there, belongs nowhere or
    /// lacks something.
    Index,
    /// Base and amendment meet in a way that the amendment did not declare.
    Collision,
    /// An amendment without a base that can be read.
    Base,
}

impl FaultKind {
    /// When somebody who writes a book would mend it.
    #[must_use]
    pub const fn step(self) -> Step {
        match self {
            Self::Unreadable | Self::Syntax | Self::Base => Step::Read,
            Self::Index => Step::Index,
            Self::UnknownKey
            | Self::Impossible
            | Self::Silence
            | Self::UnknownClause
            | Self::Collision => Step::Written,
            Self::Missing => Step::Missing,
            Self::Unaccounted => Step::Account,
        }
    }

    /// A stable word for it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Syntax => "syntax",
            Self::UnknownKey => "unknown-key",
            Self::Missing => "missing",
            Self::Impossible => "impossible",
            Self::Silence => "silence",
            Self::UnknownClause => "unknown-clause",
            Self::Unaccounted => "unaccounted",
            Self::Index => "index",
            Self::Collision => "collision",
            Self::Base => "base",
        }
    }
}

/// The steps of writing a book, in the order that a person takes them: each makes the faults of
/// those behind it worth reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Files that can be read.
    Read,
    /// The index of clauses: what the source has.
    Index,
    /// What is written is right.
    Written,
    /// What is not written yet.
    Missing,
    /// Every clause is carried out.
    Account,
}

impl Step {
    /// What to do, for people.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Read => "let the files be read",
            Self::Index => "let clauses.toml list the clauses of the source",
            Self::Written => "mend what is written",
            Self::Missing => "write what is missing",
            Self::Account => "let something rest on every clause",
        }
    }
}

/// One thing that is wrong with a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// Of which kind.
    pub kind: FaultKind,
    /// What is wrong.
    pub wrong: String,
    /// What would be right.
    pub right: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.wrong, self.right)
    }
}

/// The faults of a book, as they are found.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>, Vec<String>);

impl Faults {
    /// Something that a person should know, and that is no fault.
    pub(crate) fn remark(&mut self, remark: String) {
        if !self.1.contains(&remark) {
            self.1.push(remark);
        }
    }

    pub(crate) fn remarks(&self) -> Vec<String> {
        self.1.clone()
    }

    pub(crate) fn note(
        &mut self,
        place: &Place,
        kind: FaultKind,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) {
        let (wrong, right) = (wrong.into(), right.into());
        self.0.push(Fault { place: place.clone(), kind, wrong, right });
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in the order that a person mends them in, then of the files.
    pub(crate) fn sorted(mut self) -> Vec<Fault> {
        let order = |fault: &Fault| (fault.kind.step(), fault.place.clone(), fault.kind);
        self.0.sort_by_cached_key(order);
        self.0
    }
}

/// The known word most like `word`, as a hint; or all of them where there are few.
pub(crate) fn suggest<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let nearest = known
        .clone()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .filter(|(likeness, _)| *likeness > 0.8);
    if let Some((_, candidate)) = nearest {
        return format!("`{candidate}` is meant?");
    }
    let all: Vec<_> = known.map(|word| format!("`{word}`")).collect();
    format!("there are {}", all.join(", "))
}
