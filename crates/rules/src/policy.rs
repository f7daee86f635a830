//! The parts of a rulebook: sections of decisions and grounds.
//!
//! A decision is an answer that every book gives and that changes what happens; a ground is the
//! clause on which a kind of event rests. `section!` declares a section once. That declaration
//! generates the struct, the code that reads it from data, and the list that is used to show,
//! compare and describe books.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::clause::{Cited, Clause, Ground};

/// The format of books: it grows when books get a new question to answer.
pub const FORMAT: u32 = 2;

/// Questions that were not asked from the beginning, and since which format they are.
const YOUNGER: &[(&str, u32)] = &[("settlement.change", 2)];

/// An answer as a data file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    /// A whole number.
    Number(i64),
    /// A word or a text.
    Text(String),
    /// Several values.
    List(Vec<Datum>),
    /// A value that is never an answer, such as a date, with its name.
    Other(&'static str),
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) if text.contains('\n') => write!(f, "a text of several lines"),
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::List(items) => {
                write!(f, "[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                write!(f, "]")
            }
            Self::Other(kind) => write!(f, "{kind}"),
        }
    }
}

/// A word in the data, and what it means.
pub type Word = (&'static str, &'static str);

/// The answers that a decision can have: for messages about a wrong answer, and for editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One of these words.
    OneOf(&'static [Word]),
    /// A list of such words.
    SomeOf(&'static [Word]),
    /// A whole number within bounds.
    Whole {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// A text of a certain form, shown by examples.
    Text {
        /// What the text is.
        what: &'static str,
        /// Lawful examples.
        examples: &'static [&'static str],
    },
    /// A whole number within bounds, or a text of a certain form.
    WholeOrText {
        /// The smallest number.
        least: u32,
        /// The largest number.
        most: u32,
        /// What the text says.
        what: &'static str,
        /// Lawful examples of the text.
        examples: &'static [&'static str],
    },
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |f: &mut fmt::Formatter<'_>, words: &[(&str, &str)]| {
            words.iter().enumerate().try_for_each(|(i, (word, _))| {
                write!(f, "{}\"{word}\"", if i == 0 { "" } else { ", " })
            })
        };
        let texts = |f: &mut fmt::Formatter<'_>, what: &str, examples: &[&str]| {
            write!(f, "{what}")?;
            for (i, example) in examples.iter().enumerate() {
                write!(f, "{}\"{example}\"", if i == 0 { " such as " } else { " or " })?;
            }
            Ok(())
        };
        match *self {
            Self::OneOf(choices) => {
                write!(f, "{}", if choices.len() == 1 { "" } else { "one of " })?;
                words(f, choices)
            }
            Self::SomeOf(choices) => {
                write!(f, "a list of ")?;
                words(f, choices)
            }
            Self::Whole { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::Text { what, examples } => texts(f, what, examples),
            Self::WholeOrText { least, most, what, examples } => {
                write!(f, "a whole number from {least} to {most}, or ")?;
                texts(f, what, examples)
            }
        }
    }
}

/// A kind of answer that a decision can have. It shows itself in words.
pub trait Value: Clone + PartialEq + fmt::Debug + fmt::Display + Sized {
    /// The possible answers.
    const SHAPE: Shape;

    /// The answer of a book that has no rule on it. It is written without a clause.
    const WITHOUT: Word = ("none", "none");

    /// Reads the value from data.
    ///
    /// # Errors
    ///
    /// With the fault, or with an empty text where [`Value::SHAPE`] explains enough.
    fn read(datum: &Datum) -> Result<Self, String>;

    /// The value as data, in the one form that a canonical book has.
    fn datum(&self) -> Datum;
}

/// A value that is one of a closed set of words.
pub trait Choice: Value + 'static {
    /// Every word with its meaning.
    const WORDS: &'static [Word];
}

/// The kind of an item of a rulebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A clause on which a kind of event rests.
    Ground {
        /// Whether a book may have no such clause.
        optional: bool,
    },
    /// An answer that changes what happens.
    Decision {
        /// The possible answers that rest on a clause.
        shape: Shape,
        /// The answer of a book without a rule, if a book may have none.
        without: Option<Word>,
    },
    /// Whether the book has a section.
    Section,
}

/// The answer of a book that does not have a section.
pub const NO_SECTION: Word = ("none", "none");

/// One item of a rulebook: its key in the data, and its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Section and key, such as `cut.depth`.
    pub path: &'static str,
    /// The lines of its description; the first is a label.
    pub about: &'static [&'static str],
    /// The kind of item.
    pub kind: Kind,
}

impl Spec {
    /// The subject of the item in a few words.
    #[must_use]
    pub fn label(&self) -> &'static str {
        self.about.first().map_or("", |line| line.trim())
    }

    /// The section it belongs to.
    #[must_use]
    pub fn section(&self) -> &'static str {
        self.path.rsplit_once('.').map_or(self.path, |(section, _)| section)
    }

    /// The key within its section.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.path.rsplit_once('.').map_or(self.path, |(_, key)| key)
    }

    /// The format since which books answer it. A book of an older format that may lack a rule on it
    /// counts as silent.
    #[must_use]
    pub fn since(&self) -> u32 {
        let named = self.path.starts_with("side_bets.") || self.path.starts_with("pay_tables.");
        let younger = YOUNGER.iter().find(|(path, _)| *path == self.path);
        younger.map_or(if named { 2 } else { 1 }, |(_, since)| *since)
    }

    /// Whether it is a ground.
    #[must_use]
    pub const fn is_ground(&self) -> bool {
        matches!(self.kind, Kind::Ground { .. })
    }

    /// Whether a book may have no clause for it.
    #[must_use]
    pub const fn may_lack_a_clause(&self) -> bool {
        match self.kind {
            Kind::Ground { optional } => optional,
            Kind::Decision { without, .. } => without.is_some(),
            Kind::Section => true,
        }
    }
}

/// A section of the rulebook, such as `cut`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionSpec {
    /// Its key in the data.
    pub path: &'static str,
    /// The subject of the section.
    pub title: &'static str,
    /// Whether a book may do without it.
    pub optional: bool,
    /// The section without which this one does not exist.
    pub part_of: Option<&'static str>,
    /// The item that says whether the book has the section.
    pub whole: &'static Spec,
    /// Its decisions and grounds, in order.
    pub items: &'static [Spec],
}

/// A book's answer on one item, in every form that is needed outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The item.
    pub spec: &'static Spec,
    /// The answer as data; nothing for a ground.
    pub datum: Option<Datum>,
    /// The answer in words; empty for a ground.
    pub words: String,
    /// The clause that gives the answer; nothing where the book has no rule.
    pub clause: Option<Clause>,
}

impl Answer {
    /// The answer of a book without a rule.
    fn without(spec: &'static Spec, (word, meaning): Word) -> Self {
        let (datum, words) = (Some(Datum::Text(word.into())), meaning.into());
        Self { spec, datum, words, clause: None }
    }
}

/// What a data source has for an item.
pub enum Found {
    /// A value and its clause.
    Given(Datum, Clause),
    /// A clause alone.
    Resting(Clause),
    /// The book has no rule, and says so.
    Without,
    /// Nothing; the source has noted the fault.
    Nothing,
}

/// A source that books are read from. The source collects faults, so that all are found.
pub trait Source {
    /// Whether the book says that it does not have a section.
    fn lacks(&mut self, section: &SectionSpec) -> bool;
    /// The data for an item.
    fn find(&mut self, spec: &'static Spec) -> Found;
    /// Notes that a value is not a possible answer.
    fn misfit(&mut self, spec: &'static Spec, datum: &Datum, why: &str);
}

/// A field of a section: a decision or a ground.
pub trait Item: Sized {
    /// The kind of item.
    const KIND: Kind;

    /// Reads it; nothing if the source had to note a fault.
    fn gather(source: &mut dyn Source, spec: &'static Spec) -> Option<Self>;
    /// The book's answer; nothing if it has no such ground.
    fn answer(&self, spec: &'static Spec) -> Option<Answer>;
}

fn read<T: Value>(
    source: &mut dyn Source,
    spec: &'static Spec,
    datum: &Datum,
    clause: Clause,
) -> Option<Cited<T>> {
    match T::read(datum) {
        Ok(value) => Some(Cited { value, clause }),
        Err(why) => {
            source.misfit(spec, datum, &why);
            None
        }
    }
}

impl<T: Value> Item for Cited<T> {
    const KIND: Kind = Kind::Decision { shape: T::SHAPE, without: None };

    fn gather(source: &mut dyn Source, spec: &'static Spec) -> Option<Self> {
        match source.find(spec) {
            Found::Given(datum, clause) => read(source, spec, &datum, clause),
            Found::Resting(_) | Found::Without | Found::Nothing => None,
        }
    }

    fn answer(&self, spec: &'static Spec) -> Option<Answer> {
        let (datum, words) = (Some(self.value.datum()), alloc::format!("{}", self.value));
        Some(Answer { spec, datum, words, clause: Some(self.clause) })
    }
}

impl<T: Value> Item for Option<Cited<T>> {
    const KIND: Kind = Kind::Decision { shape: T::SHAPE, without: Some(T::WITHOUT) };

    fn gather(source: &mut dyn Source, spec: &'static Spec) -> Option<Self> {
        match source.find(spec) {
            Found::Given(datum, clause) => read(source, spec, &datum, clause).map(Some),
            Found::Without => Some(None),
            Found::Resting(_) | Found::Nothing => None,
        }
    }

    fn answer(&self, spec: &'static Spec) -> Option<Answer> {
        match self {
            Some(cited) => cited.answer(spec),
            None => Some(Answer::without(spec, T::WITHOUT)),
        }
    }
}

impl Item for Ground {
    const KIND: Kind = Kind::Ground { optional: false };

    fn gather(source: &mut dyn Source, spec: &'static Spec) -> Option<Self> {
        match source.find(spec) {
            Found::Resting(clause) => Some(Self { clause }),
            Found::Given(..) | Found::Without | Found::Nothing => None,
        }
    }

    fn answer(&self, spec: &'static Spec) -> Option<Answer> {
        Some(Answer { spec, datum: None, words: String::new(), clause: Some(self.clause) })
    }
}

impl Item for Option<Ground> {
    const KIND: Kind = Kind::Ground { optional: true };

    fn gather(source: &mut dyn Source, spec: &'static Spec) -> Option<Self> {
        match source.find(spec) {
            Found::Resting(clause) => Some(Some(Ground { clause })),
            Found::Without => Some(None),
            Found::Given(..) | Found::Nothing => None,
        }
    }

    fn answer(&self, spec: &'static Spec) -> Option<Answer> {
        self.as_ref().and_then(|ground| ground.answer(spec))
    }
}

/// A part of the rulebook: a section, or one that a book may do without.
pub trait Section: Sized {
    /// The subject of the section, and its items.
    const SPEC: SectionSpec;

    /// Reads the section, its items under these names; nothing if the source had to note a fault.
    fn gather_at(items: &'static [Spec], source: &mut dyn Source) -> Option<Self>;
    /// The book's answers in the section, in order, its items under these names.
    fn answers_at(&self, items: &'static [Spec], into: &mut Vec<Answer>);

    /// Reads the section; nothing if the source had to note a fault.
    fn gather(source: &mut dyn Source) -> Option<Self> {
        Self::gather_at(Self::SPEC.items, source)
    }

    /// The book's answers in the section, in order.
    fn answers(&self, into: &mut Vec<Answer>) {
        self.answers_at(Self::SPEC.items, into);
    }
}

impl<S: Section> Section for Option<S> {
    const SPEC: SectionSpec = SectionSpec { optional: true, ..S::SPEC };

    fn gather_at(items: &'static [Spec], source: &mut dyn Source) -> Option<Self> {
        if source.lacks(&Self::SPEC) { Some(None) } else { S::gather_at(items, source).map(Some) }
    }

    fn answers_at(&self, items: &'static [Spec], into: &mut Vec<Answer>) {
        match self {
            Some(section) => section.answers_at(items, into),
            None => into.push(Answer::without(Self::SPEC.whole, NO_SECTION)),
        }
    }
}

/// Declares a section: its title, its key, and its items, each with its label as its doc line.
macro_rules! section {
    (
        #[doc = $title:literal]
        $name:ident in $path:literal $(part of $whole:literal)? {
            $( $(#[doc = $about:literal])+ $field:ident: $item:ty, )+
        }
    ) => {
        #[doc = $title]
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $( $(#[doc = $about])+ pub $field: $item, )+ }

        impl $crate::policy::Section for $name {
            const SPEC: $crate::policy::SectionSpec = $crate::policy::SectionSpec {
                path: $path,
                title: $title,
                optional: false,
                part_of: $crate::policy::first!($($whole)?),
                whole: &$crate::policy::Spec {
                    path: $path,
                    about: &[$title],
                    kind: $crate::policy::Kind::Section,
                },
                items: &[$( $crate::policy::Spec {
                    path: concat!($path, ".", stringify!($field)),
                    about: &[$($about),+],
                    kind: <$item as $crate::policy::Item>::KIND,
                } ),+],
            };

            fn gather_at(
                items: &'static [$crate::policy::Spec],
                source: &mut dyn $crate::policy::Source,
            ) -> Option<Self> {
                let mut specs = items.iter();
                // Every item is read before any is reported missing, so that all faults are noted.
                $( let $field = <$item as $crate::policy::Item>::gather(
                    source, specs.next().expect("a spec for each item")
                ); )+
                Some(Self { $( $field: $field? ),+ })
            }

            fn answers_at(
                &self,
                items: &'static [$crate::policy::Spec],
                into: &mut alloc::vec::Vec<$crate::policy::Answer>,
            ) {
                let mut specs = items.iter();
                $( into.extend($crate::policy::Item::answer(
                    &self.$field, specs.next().expect("a spec for each item")
                )); )+
            }
        }
    };
}
pub(crate) use section;

/// The first of the arguments, if there are any.
macro_rules! first {
    () => {
        None
    };
    ($one:expr) => {
        Some($one)
    };
}
pub(crate) use first;

/// Declares a closed set of choices: for each a name, the word in the data, and what it means.
/// `or` names the answer of a book that has no rule; it is `none` unless given.
macro_rules! choices {
    (
        $(#[doc = $about:literal])+
        $name:ident $(or $without:literal $meaning:literal)? {
            $( $variant:ident $key:literal $words:literal, )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $( #[doc = $words] #[serde(rename = $key)] $variant, )+ }

        impl $name {
            /// Every choice.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word for it in data files and options.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key),+ }
            }

            /// The choice that a word names.
            #[must_use]
            pub fn from_key(key: &str) -> Option<Self> {
                match key { $($key => Some(Self::$variant),)+ _ => None }
            }

            /// Every word with its meaning.
            pub const WORDS: &'static [(&'static str, &'static str)] = &[$(($key, $words)),+];
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(match self { $(Self::$variant => $words),+ })
            }
        }

        impl $crate::policy::Choice for $name {
            const WORDS: &'static [$crate::policy::Word] = Self::WORDS;
        }

        impl $crate::policy::Value for $name {
            const SHAPE: $crate::policy::Shape = $crate::policy::Shape::OneOf(Self::WORDS);
            $( const WITHOUT: $crate::policy::Word = ($without, $meaning); )?

            fn read(datum: &$crate::policy::Datum) -> Result<Self, alloc::string::String> {
                match datum {
                    $crate::policy::Datum::Text(word) => Self::from_key(word),
                    _ => None,
                }
                .ok_or_else(alloc::string::String::new)
            }

            fn datum(&self) -> $crate::policy::Datum {
                $crate::policy::Datum::Text(self.key().into())
            }
        }
    };
}
pub(crate) use choices;
