//! What `rulebook.toml` says, policy by policy, before it is made into a rulebook.

use std::collections::BTreeMap;
use std::fmt;

use rules::policy::{Datum, SectionSpec, Shape, Spec};
use rules::{BookId, Clause, Rulebook};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{FaultKind, Faults, Place, suggest};
use crate::index::Index;
use crate::page::{Page, datum};

/// How an amendment's entry meets its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// The base is silent, and this is new.
    Adds,
    /// The base speaks, and this stands in its stead.
    Replaces,
    /// This holds whether the base speaks or not.
    Sets,
}

impl Verb {
    const ALL: [Self; 3] = [Self::Adds, Self::Replaces, Self::Sets];

    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Adds => "adds",
            Self::Replaces => "replaces",
            Self::Sets => "sets",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// What a book says on one policy.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) datum: Datum,
    /// Nothing in a principal book.
    pub(crate) verb: Option<Verb>,
    pub(crate) clause: Clause,
    pub(crate) place: Place,
}

/// The `[title]` of a book.
#[derive(Clone, Debug, Default)]
pub(crate) struct TitlePage {
    pub(crate) game: String,
    pub(crate) jurisdiction: String,
    pub(crate) instrument: String,
    pub(crate) in_force: String,
    /// The base that an amendment is laid over unless another is asked for.
    pub(crate) amends: Option<(String, Place)>,
}

/// All that a `rulebook.toml` says.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) title: TitlePage,
    pub(crate) top: Place,
    /// Policies and sections that the book declares itself silent on.
    pub(crate) silent: BTreeMap<String, Place>,
    pub(crate) lines: BTreeMap<&'static str, Line>,
    /// Policies that the file speaks of in a way that is at fault already.
    pub(crate) spoilt: Vec<&'static str>,
    /// Where each section begins.
    pub(crate) sections: BTreeMap<&'static str, Place>,
}

const TITLE_KEYS: [&str; 5] = ["game", "jurisdiction", "instrument", "in_force", "amends"];

impl Sheet {
    pub(crate) fn read(
        book: BookId,
        page: &Page,
        table: &DeTable<'_>,
        index: &Index,
        faults: &mut Faults,
    ) -> Self {
        let mut sheet = Self {
            title: TitlePage::default(),
            top: page.place(0),
            silent: BTreeMap::new(),
            lines: BTreeMap::new(),
            spoilt: Vec::new(),
            sections: BTreeMap::new(),
        };
        match table.iter().find(|(key, _)| key.get_ref() == "title") {
            Some((key, value)) => sheet.read_title(page, &page.at(key), value, faults),
            None => faults.note(
                &sheet.top,
                FaultKind::Missing,
                "`[title]` is missing",
                format!("it has {}", TITLE_KEYS.join(", ")),
            ),
        }
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "title" => {}
                "silent" => sheet.silent.extend(page.texts(value, "silent", faults)),
                name => {
                    if let Some(section) = Rulebook::SECTIONS.iter().find(|s| s.path == name) {
                        sheet.sections.insert(section.path, page.at(key));
                        sheet.read_section(book, page, section, value, index, faults);
                        continue;
                    }
                    let known = ["title", "silent"].into_iter();
                    let known = known.chain(Rulebook::SECTIONS.iter().map(|s| s.path));
                    let wrong = format!("`{name}` is no section of a rulebook");
                    faults.note(&page.at(key), FaultKind::UnknownKey, wrong, suggest(name, known));
                }
            }
        }
        sheet.check_silence(faults);
        sheet
    }

    fn read_title(
        &mut self,
        page: &Page,
        at: &Place,
        value: &Spanned<DeValue<'_>>,
        faults: &mut Faults,
    ) {
        let empty = DeTable::new();
        let table = value.get_ref().as_table().unwrap_or(&empty);
        for (key, _) in table {
            let name = key.get_ref();
            if !TITLE_KEYS.contains(&name.as_ref()) {
                let wrong = format!("`title.{name}` is no key of a rulebook");
                let right = suggest(name, TITLE_KEYS.into_iter());
                faults.note(&page.at(key), FaultKind::UnknownKey, wrong, right);
            }
        }
        let mut wanted = |name: &str| {
            let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == name) else {
                let wrong = format!("`title.{name}` is missing");
                faults.note(at, FaultKind::Missing, wrong, "a text is wanted here");
                return String::new();
            };
            page.text(value, name, faults).unwrap_or_default().to_owned()
        };
        self.title.game = wanted("game");
        self.title.jurisdiction = wanted("jurisdiction");
        self.title.instrument = wanted("instrument");
        self.title.in_force = wanted("in_force");
        if let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == "amends") {
            let base = page.text(value, "amends", faults);
            self.title.amends = base.map(|base| (base.to_owned(), page.at(value)));
        }
    }

    fn read_section(
        &mut self,
        book: BookId,
        page: &Page,
        section: &'static SectionSpec,
        value: &Spanned<DeValue<'_>>,
        index: &Index,
        faults: &mut Faults,
    ) {
        let Some(table) = value.get_ref().as_table() else {
            let wrong = format!("`{}` is no table", section.path);
            let right = format!("begin the section with [{}]", section.path);
            faults.note(&page.at(value), FaultKind::Impossible, wrong, right);
            return;
        };
        for (key, value) in table {
            let path = format!("{}.{}", section.path, key.get_ref());
            if key.get_ref() == "silent" {
                let silent = page.texts(value, &path, faults);
                let named = |(key, at)| (format!("{}.{key}", section.path), at);
                self.silent.extend(silent.into_iter().map(named));
                continue;
            }
            let Some(spec) = section.policies.iter().find(|spec| spec.path == path) else {
                let keys =
                    section.policies.iter().filter_map(|spec| Some(spec.path.split_once('.')?.1));
                let wrong = format!("`{path}` is no policy");
                let all = Rulebook::SECTIONS.iter().flat_map(|section| section.policies);
                let key_of = |spec: &&Spec| spec.path.split_once('.').map(|(_, key)| key);
                let name = key.get_ref().as_ref();
                let elsewhere = all.into_iter().find(|spec| key_of(spec) == Some(name));
                let right = match elsewhere {
                    Some(spec) => format!("`{}` is meant?", spec.path),
                    None => suggest(name, keys),
                };
                faults.note(&page.at(key), FaultKind::UnknownKey, wrong, right);
                continue;
            };
            let entry = Entry { book, page, spec, at: page.at(key), amends: self.amends() };
            match entry.read(value, index, faults) {
                Some(line) => drop(self.lines.insert(spec.path, line)),
                None => self.spoilt.push(spec.path),
            }
        }
    }

    pub(crate) fn amends(&self) -> bool {
        self.title.amends.is_some()
    }

    /// Where a fault about a policy that is not there belongs.
    pub(crate) fn place_of(&self, spec: &Spec) -> &Place {
        self.sections.get(spec.section()).unwrap_or(&self.top)
    }

    fn check_silence(&self, faults: &mut Faults) {
        let sections = Rulebook::SECTIONS;
        for (name, place) in &self.silent {
            let section = sections.iter().find(|section| section.path == name);
            let policy =
                sections.iter().flat_map(|section| section.policies).find(|spec| spec.path == name);
            let (may_be_silent, spoken) = match (section, policy) {
                (Some(section), _) => {
                    (section.may_be_silent, self.sections.contains_key(section.path))
                }
                (None, Some(spec)) => (spec.may_be_silent, self.speaks_of(spec.path)),
                (None, None) => {
                    let known = sections.iter().flat_map(|section| section.policies);
                    let wrong = format!("`{name}` in `silent` is neither a policy nor a section");
                    let right = suggest(name, known.map(|spec| spec.path));
                    faults.note(place, FaultKind::UnknownKey, wrong, right);
                    continue;
                }
            };
            if spoken {
                let wrong = format!("`{name}` is listed as silent, and the book speaks of it");
                faults.note(place, FaultKind::Silence, wrong, "keep one of the two");
            }
            if !may_be_silent {
                let wrong = format!("`{name}` is listed as silent");
                faults.note(place, FaultKind::Silence, wrong, "every book must speak of it");
            }
        }
    }

    pub(crate) fn speaks_of(&self, path: &str) -> bool {
        self.lines.contains_key(path) || self.spoilt.contains(&path)
    }
}

/// One policy in the file: `{ value = …, clause = "…" }`.
struct Entry<'a> {
    book: BookId,
    page: &'a Page,
    spec: &'static Spec,
    at: Place,
    amends: bool,
}

impl Entry<'_> {
    fn read(
        &self,
        value: &Spanned<DeValue<'_>>,
        index: &Index,
        faults: &mut Faults,
    ) -> Option<Line> {
        let path = self.spec.path;
        let Some(table) = value.get_ref().as_table() else {
            let wrong = format!("`{path}` has no clause");
            faults.note(&self.at, FaultKind::Impossible, wrong, form(self.spec, self.amends));
            return None;
        };
        for (key, _) in table {
            let name = key.get_ref().as_ref();
            if !["value", "clause"].contains(&name) && Verb::ALL.iter().all(|v| v.key() != name) {
                let wrong = format!("`{path}` has a key `{name}`");
                faults.note(
                    &self.page.at(key),
                    FaultKind::UnknownKey,
                    wrong,
                    form(self.spec, self.amends),
                );
            }
        }
        // Both halves are read before either is missed, so that both faults are told.
        let (value, clause) = (self.value(table, faults), self.clause(table, index, faults));
        let ((datum, verb), clause) = value.zip(clause)?;
        Some(Line { datum, verb, clause, place: self.at.clone() })
    }

    /// The value, under the key that goes with the kind of book.
    fn value(&self, table: &DeTable<'_>, faults: &mut Faults) -> Option<(Datum, Option<Verb>)> {
        let mut given =
            table.iter().filter(|(key, _)| key.get_ref() != "clause").filter_map(|(key, value)| {
                let verb = Verb::ALL.into_iter().find(|verb| verb.key() == key.get_ref());
                (verb.is_some() || key.get_ref() == "value").then(|| (verb, datum(value.get_ref())))
            });
        let (first, second) = (given.next(), given.next());
        match (first, second, self.amends) {
            (None, _, false) => Some((Datum::Nothing, None)),
            (Some((None, datum)), None, false) => Some((datum, None)),
            (Some((Some(verb), datum)), None, true) => Some((datum, Some(verb))),
            (Some((Some(verb), _)), None, false) => {
                let wrong =
                    format!("`{}` says `{verb}`, and this book amends no other", self.spec.path);
                faults.note(&self.at, FaultKind::Collision, wrong, form(self.spec, self.amends));
                None
            }
            _ => {
                let wrong = format!("`{}` does not say how it amends", self.spec.path);
                faults.note(&self.at, FaultKind::Collision, wrong, form(self.spec, self.amends));
                None
            }
        }
    }

    fn clause(&self, table: &DeTable<'_>, index: &Index, faults: &mut Faults) -> Option<Clause> {
        let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == "clause") else {
            let wrong = format!("`{}` has no clause", self.spec.path);
            faults.note(&self.at, FaultKind::Impossible, wrong, form(self.spec, self.amends));
            return None;
        };
        let number = self.page.text(value, "clause", faults)?;
        if index.get(number).is_none() {
            let wrong =
                format!("`{}` cites {number}, which is not in clauses.toml", self.spec.path);
            let ids = index.entries.iter().map(|entry| entry.id.as_str());
            let like: Vec<_> = ids.filter(|id| id.starts_with(number)).collect();
            let right = if like.is_empty() {
                "cite a clause of the index, or add the clause to it".to_owned()
            } else {
                suggest(number, like.into_iter())
            };
            faults.note(&self.page.at(value), FaultKind::UnknownClause, wrong, right);
            return None;
        }
        let clause = Clause::new(self.book, number);
        if clause.is_none() {
            let wrong = format!("`{}` cites {number}", self.spec.path);
            let right = format!(
                "a clause that is cited has at most {} letters",
                rules::CLAUSE_NUMBER_LENGTH
            );
            faults.note(&self.page.at(value), FaultKind::UnknownClause, wrong, right);
        }
        clause
    }
}

/// How a policy is written.
pub(crate) fn form(spec: &Spec, amends: bool) -> String {
    match (amends, spec.shape) {
        (true, Shape::Stated) => "write { adds|replaces|sets = true, clause = \"…\" }: `adds` \
                                  where the base is silent, `replaces` where it speaks, `sets` \
                                  whatever it says; a rule of the base cannot be switched off"
            .to_owned(),
        (true, _) => "write { adds|replaces|sets = …, clause = \"…\" }: `adds` where the base is \
                      silent, `replaces` where it speaks, `sets` whatever it says"
            .to_owned(),
        (false, Shape::Stated) => "write { clause = \"…\" }".to_owned(),
        (false, shape) => format!("write {{ value = …, clause = \"…\" }} with {shape}"),
    }
}
