//! What a rulebook is made of: sections of policies, each a value of a closed kind with its clause.
//!
//! `section!` declares a section once; from that declaration come the struct, the reading of it
//! from data, and the list of its policies that shows, compares and describes books.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::clause::{Cited, Clause};

/// A policy's value as it stands in a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    /// No value: the policy says only that the book has the rule.
    Nothing,
    /// A whole number.
    Number(i64),
    /// A word or a text.
    Text(String),
    /// Several values.
    List(Vec<Datum>),
    /// Something that no policy is made of, such as a date, with its name.
    Other(&'static str),
}

impl fmt::Display for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => write!(f, "no value"),
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

/// What values a policy can have: for the messages about a wrong one, and for editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No value is written; the clause alone says that the book has the rule.
    Stated,
    /// One of these words, each with its meaning.
    OneOf(&'static [(&'static str, &'static str)]),
    /// A list of such words.
    SomeOf(&'static [(&'static str, &'static str)]),
    /// A whole number within bounds.
    Whole {
        /// The smallest.
        least: u32,
        /// The largest.
        most: u32,
    },
    /// A text of a certain form, told by examples.
    Text {
        /// What it is.
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
            Self::Stated => write!(f, "only a clause, without a value"),
            Self::OneOf(choices) => {
                write!(f, "one of ")?;
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

/// A kind of value that a policy can have. It shows itself in words.
pub trait Value: Clone + PartialEq + fmt::Debug + fmt::Display + Sized {
    /// What values there are.
    const SHAPE: Shape;

    /// Reads the value from data.
    ///
    /// # Errors
    ///
    /// With what is wrong, or with nothing where [`Value::SHAPE`] says it all.
    fn read(datum: &Datum) -> Result<Self, String>;

    /// The value as data, in the one form that a canonical book has.
    fn datum(&self) -> Datum;
}

/// One policy of a rulebook: where it stands in the data, and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Section and key, such as `cut.depth`.
    pub path: &'static str,
    /// The lines of its description; the first is a label.
    pub about: &'static [&'static str],
    /// Whether a book may say nothing about it.
    pub may_be_silent: bool,
    /// What values it can have.
    pub shape: Shape,
}

impl Spec {
    /// A few words for what the policy is about.
    #[must_use]
    pub fn label(&self) -> &'static str {
        self.about.first().map_or("", |line| line.trim())
    }

    /// The section it belongs to.
    #[must_use]
    pub fn section(&self) -> &'static str {
        self.path.split_once('.').map_or(self.path, |(section, _)| section)
    }
}

/// A section of the rulebook, such as `cut`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionSpec {
    /// Its key in the data.
    pub path: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// Whether a book may say nothing about all of it.
    pub may_be_silent: bool,
    /// Its policies, in order.
    pub policies: &'static [Spec],
}

/// What a book says on one policy, in every form that is needed outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which policy.
    pub spec: &'static Spec,
    /// The value as data.
    pub datum: Datum,
    /// The value in words; empty for a rule that has no value.
    pub words: String,
    /// The clause that says so.
    pub clause: Clause,
}

/// What a source of data has for a policy.
pub enum Found {
    /// A value and its clause.
    Given(Datum, Clause),
    /// The book is silent on it, and says so.
    Silent,
    /// Nothing; the source has noted the fault.
    Nothing,
}

/// Where policies are read from. Faults are collected by the source, so that all are found.
pub trait Source {
    /// Whether the book says that it is silent on a whole section.
    fn is_silent_on(&mut self, section: &SectionSpec) -> bool;
    /// What there is for a policy.
    fn find(&mut self, spec: &'static Spec) -> Found;
    /// Notes that a value is not one the policy can have.
    fn misfit(&mut self, spec: &'static Spec, datum: &Datum, why: &str);
}

/// A field of a section: a value that every book has, or one that a book may be silent on.
pub trait Policy: Sized {
    /// Whether a book may say nothing about it.
    const MAY_BE_SILENT: bool;
    /// What values there are.
    const SHAPE: Shape;

    /// Reads the policy; nothing if the source had to note a fault.
    fn gather(source: &mut dyn Source, spec: &'static Spec) -> Option<Self>;
    /// What the book says; nothing if it is silent.
    fn entry(&self, spec: &'static Spec) -> Option<Entry>;
}

impl<T: Value> Policy for Cited<T> {
    const MAY_BE_SILENT: bool = false;
    const SHAPE: Shape = T::SHAPE;

    fn gather(source: &mut dyn Source, spec: &'static Spec) -> Option<Self> {
        let Found::Given(datum, clause) = source.find(spec) else { return None };
        match T::read(&datum) {
            Ok(value) => Some(Self { value, clause }),
            Err(why) => {
                source.misfit(spec, &datum, &why);
                None
            }
        }
    }

    fn entry(&self, spec: &'static Spec) -> Option<Entry> {
        let words = alloc::format!("{}", self.value);
        Some(Entry { spec, datum: self.value.datum(), words, clause: self.clause })
    }
}

impl<T: Value> Policy for Option<Cited<T>> {
    const MAY_BE_SILENT: bool = true;
    const SHAPE: Shape = T::SHAPE;

    fn gather(source: &mut dyn Source, spec: &'static Spec) -> Option<Self> {
        match source.find(spec) {
            Found::Silent => Some(None),
            Found::Nothing => None,
            Found::Given(datum, clause) => match T::read(&datum) {
                Ok(value) => Some(Some(Cited { value, clause })),
                Err(why) => {
                    source.misfit(spec, &datum, &why);
                    None
                }
            },
        }
    }

    fn entry(&self, spec: &'static Spec) -> Option<Entry> {
        self.as_ref().and_then(|cited| cited.entry(spec))
    }
}

/// A part of the rulebook: a section, or one that a book may do without.
pub trait Section: Sized {
    /// What it is about and what it is made of.
    const SPEC: SectionSpec;

    /// Reads the section; nothing if the source had to note a fault.
    fn gather(source: &mut dyn Source) -> Option<Self>;
    /// What the book says in it, in order.
    fn entries(&self, into: &mut Vec<Entry>);
}

impl<S: Section> Section for Option<S> {
    const SPEC: SectionSpec = SectionSpec { may_be_silent: true, ..S::SPEC };

    fn gather(source: &mut dyn Source) -> Option<Self> {
        if source.is_silent_on(&Self::SPEC) { Some(None) } else { S::gather(source).map(Some) }
    }

    fn entries(&self, into: &mut Vec<Entry>) {
        if let Some(section) = self {
            section.entries(into);
        }
    }
}

/// Declares a section: its title, its key, and its policies, each with its label as its doc line.
macro_rules! section {
    (
        #[doc = $title:literal]
        $name:ident in $path:literal {
            $( $(#[doc = $about:literal])+ $field:ident: $policy:ty, )+
        }
    ) => {
        #[doc = $title]
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name { $( $(#[doc = $about])+ pub $field: $policy, )+ }

        impl $crate::policy::Section for $name {
            const SPEC: $crate::policy::SectionSpec = $crate::policy::SectionSpec {
                path: $path,
                title: $title,
                may_be_silent: false,
                policies: &[$( $crate::policy::Spec {
                    path: concat!($path, ".", stringify!($field)),
                    about: &[$($about),+],
                    may_be_silent: <$policy as $crate::policy::Policy>::MAY_BE_SILENT,
                    shape: <$policy as $crate::policy::Policy>::SHAPE,
                } ),+],
            };

            fn gather(source: &mut dyn $crate::policy::Source) -> Option<Self> {
                let mut specs = Self::SPEC.policies.iter();
                // Every policy is read before any is missed, so that all faults are noted.
                $( let $field = <$policy as $crate::policy::Policy>::gather(
                    source, specs.next().expect("a spec for each policy")
                ); )+
                Some(Self { $( $field: $field? ),+ })
            }

            fn entries(&self, into: &mut alloc::vec::Vec<$crate::policy::Entry>) {
                let mut specs = Self::SPEC.policies.iter();
                $( into.extend($crate::policy::Policy::entry(
                    &self.$field, specs.next().expect("a spec for each policy")
                )); )+
            }
        }
    };
}
pub(crate) use section;

/// Declares a closed set of choices: for each a name, the word in the data, and what it means.
macro_rules! choices {
    (
        $(#[doc = $about:literal])+
        $name:ident { $( $variant:ident $key:literal $words:literal, )+ }
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

        impl $crate::policy::Value for $name {
            const SHAPE: $crate::policy::Shape = $crate::policy::Shape::OneOf(Self::WORDS);

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
