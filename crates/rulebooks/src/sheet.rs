//! What `rulebook.toml` says, item by item, before it is made into a rulebook.

use std::collections::BTreeMap;
use std::fmt;

use rules::policy::{Datum, FORMAT, Kind, NO_SECTION, SectionSpec, Spec};
use rules::{BookId, Clause, Key, MOST_CLAUSES, PayMethod, Rulebook, SideBets};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::bets::{BetLine, BetReader, MethodRows};
use crate::fault::{FaultKind, Faults, Place, suggest};
use crate::index::{Duty, Index};
use crate::page::{Page, datum};

/// How an amendment's entry meets its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// The base has no rule, and this is new.
    Adds,
    /// The base speaks, and this stands in its stead.
    Replaces,
    /// This holds whether the base speaks or not.
    Sets,
}

impl Verb {
    pub(crate) const ALL: [Self; 3] = [Self::Adds, Self::Replaces, Self::Sets];

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

/// What a book says on one item.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The answer; nothing for a ground.
    pub(crate) datum: Option<Datum>,
    /// Nothing in a principal book.
    pub(crate) verb: Option<Verb>,
    pub(crate) clause: Clause,
    pub(crate) place: Place,
}

/// The `[title]` of a book.
#[derive(Clone, Debug)]
pub(crate) struct TitlePage {
    pub(crate) game: String,
    pub(crate) jurisdiction: String,
    pub(crate) instrument: String,
    pub(crate) in_force: String,
    /// The base that an amendment is laid over unless another is asked for.
    pub(crate) amends: Option<(String, Place)>,
}

impl TitlePage {
    const EMPTY: Self = Self {
        game: String::new(),
        jurisdiction: String::new(),
        instrument: String::new(),
        in_force: String::new(),
        amends: None,
    };
}

/// All that a `rulebook.toml` says.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) title: TitlePage,
    pub(crate) top: Place,
    /// Sections and decisions on which the book has no rule, and grounds that it lacks.
    pub(crate) without: BTreeMap<String, Place>,
    pub(crate) lines: BTreeMap<&'static str, Line>,
    /// Items that the file speaks of in a way that is at fault already.
    pub(crate) spoilt: Vec<&'static str>,
    /// Where each section begins.
    pub(crate) sections: BTreeMap<&'static str, Place>,
    /// The names of groups of side bets and of pay tables, by the path of their section.
    pub(crate) names: BTreeMap<&'static str, String>,
    /// The side bets.
    pub(crate) bets: Vec<BetLine>,
    /// The methods of paying main wagers, in order.
    pub(crate) methods: Vec<Key>,
    /// The rows of methods, by the path of their section.
    pub(crate) rows: BTreeMap<&'static str, MethodRows>,
    /// Whether a side bet, or the rows of a method, could not be read.
    pub(crate) lost_bets: bool,
    /// Sheets of the library whose side bets the book has too.
    pub(crate) with: Vec<(String, Place)>,
    /// Identities of the book before, under which the same was ruled.
    pub(crate) former: Vec<String>,
    /// The format of books that it was written for.
    pub(crate) format: u32,
    /// Whether it is a sheet of side bets, which has no rule on what it does not mention.
    pub(crate) alone: bool,
}

/// What a file is read with: the book that it belongs to, its page, and the clauses it may cite.
#[derive(Clone, Copy)]
pub(crate) struct Within<'a> {
    pub(crate) book: BookId,
    pub(crate) page: &'a Page,
    pub(crate) index: &'a Index,
}

impl Within<'_> {
    /// The clause that `what` cites, or a list of them that carry it together.
    pub(crate) fn clause(
        &self,
        value: &Spanned<DeValue<'_>>,
        what: &str,
        faults: &mut Faults,
    ) -> Option<Clause> {
        let Some(listed) = value.get_ref().as_array() else {
            return self.one_clause(value, what, faults);
        };
        let each = listed.iter().map(|value| self.one_clause(value, what, faults));
        // All are read before one is missed, so that all faults are told.
        let each: Vec<_> = each.collect();
        let each: Vec<Clause> = each.into_iter().collect::<Option<_>>()?;
        let twice = (1..each.len()).any(|at| each[..at].contains(&each[at]));
        let together = Clause::together(&each).filter(|_| !twice);
        if together.is_none() {
            let wrong = format!("`{what}` cites {} clauses", each.len());
            let right = format!("1 to {MOST_CLAUSES} clauses, each once");
            faults.note(&self.page.at(value), FaultKind::UnknownClause, wrong, right);
        }
        together
    }

    /// One clause that `what` cites.
    pub(crate) fn one_clause(
        &self,
        value: &Spanned<DeValue<'_>>,
        what: &str,
        faults: &mut Faults,
    ) -> Option<Clause> {
        let number = self.page.text(value, "clause", faults)?;
        let entry = self.index.get(number);
        if entry.is_some_and(|entry| entry.duty == Duty::Unread) {
            faults.remark(format!("`{what}` rests on {number}, which nobody has read yet"));
        }
        if entry.is_none() {
            let wrong = format!("`{what}` cites {number}, which is not in {}", self.index.file());
            let ids = self.index.entries.iter().map(|entry| entry.id.as_str());
            let like: Vec<_> = ids.filter(|id| id.starts_with(number)).collect();
            let right = if like.is_empty() {
                "cite a clause of the index, or add the clause to it".to_owned()
            } else {
                suggest(number, like.into_iter())
            };
            faults.note(&self.page.at(value), FaultKind::UnknownClause, wrong, right);
            return None;
        }
        let clause = Clause::single(self.book, number);
        if clause.is_none() {
            let wrong = format!("`{what}` cites {number}");
            let right = format!(
                "a clause that is cited has at most {} letters",
                rules::CLAUSE_NUMBER_LENGTH
            );
            faults.note(&self.page.at(value), FaultKind::UnknownClause, wrong, right);
        }
        clause
    }
}

const TITLE_KEYS: [&str; 8] =
    ["game", "jurisdiction", "instrument", "in_force", "amends", "with", "former", "format"];
/// Tables whose sections have names that the book chose, and the list of side bets.
const SIDE_BETS: [&str; 4] = ["side_bets", "pay_tables", "side_bet", "methods"];

impl Sheet {
    pub(crate) fn read(
        book: BookId,
        page: &Page,
        table: &DeTable<'_>,
        index: &Index,
        faults: &mut Faults,
    ) -> Self {
        let mut sheet = Self::empty(page.place(0));
        let within = Within { book, page, index };
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
                kind @ "side_bets" => {
                    sheet.read_named(within, (kind, value), SideBets::section, faults);
                }
                kind @ "pay_tables" => {
                    sheet.read_named(within, (kind, value), SideBets::table_section, faults);
                }
                "side_bet" => sheet.read_bets(within, value, faults),
                kind @ "methods" => {
                    sheet.read_named(within, (kind, value), PayMethod::section, faults);
                }
                name => {
                    if let Some(section) = Rulebook::SECTIONS.iter().find(|s| s.path == name) {
                        let at = page.at(key);
                        sheet.read_section(within, section, &at, value, faults);
                        continue;
                    }
                    let known = ["title"].into_iter().chain(SIDE_BETS);
                    let known = known.chain(Rulebook::SECTIONS.iter().map(|s| s.path));
                    let wrong = format!("`{name}` is no section of a rulebook");
                    faults.note(&page.at(key), FaultKind::UnknownKey, wrong, suggest(name, known));
                }
            }
        }
        sheet
    }

    /// A sheet of side bets alone.
    pub(crate) fn of_side_bets(
        within: Within<'_>,
        table: &DeTable<'_>,
        faults: &mut Faults,
    ) -> Self {
        // It has no format: what it does not mention, it has no rule on.
        let mut sheet = Self { alone: true, format: FORMAT, ..Self::empty(within.page.place(0)) };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                kind @ "side_bets" => {
                    sheet.read_named(within, (kind, value), SideBets::section, faults);
                }
                kind @ "pay_tables" => {
                    sheet.read_named(within, (kind, value), SideBets::table_section, faults);
                }
                "side_bet" => sheet.read_bets(within, value, faults),
                other => {
                    let wrong = format!("`{other}` is no part of a sheet of side bets");
                    let right = suggest(other, SIDE_BETS.into_iter().chain(["about", "clause"]));
                    faults.note(&within.page.at(key), FaultKind::UnknownKey, wrong, right);
                }
            }
        }
        if sheet.bets.is_empty() && faults.is_empty() {
            let right = "begin one with [[side_bet]]";
            faults.note(&sheet.top, FaultKind::Missing, "a sheet without a side bet", right);
        }
        sheet
    }

    const fn empty(top: Place) -> Self {
        Self {
            title: TitlePage::EMPTY,
            top,
            without: BTreeMap::new(),
            lines: BTreeMap::new(),
            spoilt: Vec::new(),
            sections: BTreeMap::new(),
            names: BTreeMap::new(),
            bets: Vec::new(),
            methods: Vec::new(),
            rows: BTreeMap::new(),
            lost_bets: false,
            with: Vec::new(),
            former: Vec::new(),
            // A book that names none was written before there were formats.
            format: 1,
            alone: false,
        }
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
        if let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == "format") {
            match datum(value.get_ref()) {
                Datum::Number(format) if (1..=i64::from(FORMAT)).contains(&format) => {
                    self.format = u32::try_from(format).unwrap_or(FORMAT);
                }
                other => {
                    let wrong = format!("`title.format` is {other}");
                    let right = format!("a number from 1 to {FORMAT}, the newest");
                    faults.note(&page.at(value), FaultKind::Impossible, wrong, right);
                }
            }
        }
        if let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == "with") {
            self.with = page.texts(value, "with", faults);
        }
        if let Some((_, value)) = table.iter().find(|(key, _)| key.get_ref() == "former") {
            let former = page.texts(value, "former", faults).into_iter();
            self.former = former.map(|(identity, _)| identity).collect();
        }
    }

    fn read_section(
        &mut self,
        within: Within<'_>,
        section: &'static SectionSpec,
        at: &Place,
        value: &Spanned<DeValue<'_>>,
        faults: &mut Faults,
    ) {
        let Some(table) = value.get_ref().as_table() else {
            let page = within.page;
            if section.optional {
                self.without.insert(section.path.to_owned(), page.at(value));
            } else {
                self.sections.insert(section.path, at.clone());
            }
            if section.optional && value.get_ref().as_str() == Some(NO_SECTION.0) {
                return;
            }
            let wrong = format!("`{}` is no table", section.path);
            let mut right = format!("begin the section with [{}]", section.path);
            if section.optional {
                right += &format!(", or write {} = \"none\"", section.path);
            }
            faults.note(&page.at(value), FaultKind::Impossible, wrong, right);
            return;
        };
        self.sections.insert(section.path, at.clone());
        let page = within.page;
        let mut silent = Vec::new();
        for (key, value) in table {
            let path = format!("{}.{}", section.path, key.get_ref());
            if key.get_ref() == "silent" {
                silent = page.texts(value, &path, faults);
                continue;
            }
            if key.get_ref() == "rows" && is_method(section) {
                let reader = BetReader { of: within, amends: self.amends() };
                if let Some(rows) = reader.method_rows(value, section.path, faults) {
                    self.rows.insert(section.path, rows);
                } else {
                    self.lost_bets = true;
                }
                continue;
            }
            if key.get_ref() == "name" && is_named(section) && !is_method(section) {
                let name = page.text(value, &path, faults).unwrap_or_default();
                self.names.insert(section.path, name.to_owned());
                continue;
            }
            let Some(spec) = section.items.iter().find(|spec| spec.path == path) else {
                let (wrong, right) = unknown(section, key.get_ref());
                faults.note(&page.at(key), FaultKind::UnknownKey, wrong, right);
                continue;
            };
            let item = Item { within, spec, at: page.at(key), amends: self.amends() };
            match item.read(value, faults) {
                Some(Read::Line(line)) => drop(self.lines.insert(spec.path, line)),
                Some(Read::Without) => {
                    self.without.insert(spec.path.to_owned(), page.at(value));
                }
                None => self.spoilt.push(spec.path),
            }
        }
        for (key, place) in silent {
            self.lack(section, &key, place, faults);
        }
    }

    /// Sections whose names the book chose.
    fn read_named(
        &mut self,
        within: Within<'_>,
        (kind, value): (&str, &Spanned<DeValue<'_>>),
        section: fn(Key) -> &'static SectionSpec,
        faults: &mut Faults,
    ) {
        let Some(table) = value.get_ref().as_table() else {
            let wrong = format!("`{kind}` is no table");
            let right = format!("begin a section of it with [{kind}.…]");
            let at = within.page.at(value);
            return faults.note(&at, FaultKind::Impossible, wrong, right);
        };
        for (key, value) in table {
            let at = within.page.at(key);
            if let Some(name) = Key::new(key.get_ref()) {
                let section = section(name);
                if is_method(section) && !self.methods.contains(&name) {
                    self.methods.push(name);
                }
                self.read_section(within, section, &at, value, faults);
                continue;
            }
            let wrong = format!("`{}` is no key of side bets", key.get_ref());
            let right = "letters a-z, digits and `-`, a letter first";
            faults.note(&at, FaultKind::Impossible, wrong, right);
        }
    }

    fn read_bets(&mut self, within: Within<'_>, value: &Spanned<DeValue<'_>>, faults: &mut Faults) {
        let reader = BetReader { of: within, amends: self.amends() };
        let Some(bets) = value.get_ref().as_array() else {
            let wrong = "`side_bet` is no list of tables";
            let at = within.page.at(value);
            return faults.note(&at, FaultKind::Impossible, wrong, "begin each with [[side_bet]]");
        };
        self.bets.extend(bets.iter().filter_map(|bet| reader.read(bet, faults)));
        self.lost_bets |= self.bets.len() < bets.len();
    }

    /// A ground that the book lists as one that it lacks.
    fn lack(&mut self, section: &SectionSpec, key: &str, place: Place, faults: &mut Faults) {
        let path = format!("{}.{key}", section.path);
        let spec = section.items.iter().find(|spec| spec.path == path);
        let (kind, wrong, right) = match spec.map(|spec| (spec, spec.kind)) {
            None => {
                let grounds = section.items.iter().filter(|spec| spec.is_ground());
                let right = suggest(key, grounds.map(Spec::key));
                (FaultKind::UnknownKey, format!("`{path}` in `silent` is no ground"), right)
            }
            Some((spec, Kind::Decision { .. } | Kind::Section)) => {
                let right = form(spec, self.amends());
                (FaultKind::Silence, format!("`{path}` is a decision, and listed as silent"), right)
            }
            Some((_, Kind::Ground { optional: false })) => {
                let right = "every book must have it".to_owned();
                (FaultKind::Silence, format!("`{path}` is listed as silent"), right)
            }
            Some((spec, Kind::Ground { optional: true })) if self.speaks_of(spec.path) => {
                let wrong = format!("`{path}` is listed as silent, and the book speaks of it");
                (FaultKind::Silence, wrong, "keep one of the two".to_owned())
            }
            Some((_, Kind::Ground { optional: true })) => {
                self.without.insert(path, place);
                return;
            }
        };
        faults.note(&place, kind, wrong, right);
    }

    pub(crate) fn amends(&self) -> bool {
        self.title.amends.is_some()
    }

    /// Whether the book speaks of a section at all.
    pub(crate) fn has_section(&self, section: &SectionSpec) -> bool {
        self.sections.contains_key(section.path)
    }

    /// Where a fault about an item that is not there belongs.
    pub(crate) fn place_of(&self, spec: &Spec) -> &Place {
        self.sections.get(spec.section()).unwrap_or(&self.top)
    }

    pub(crate) fn speaks_of(&self, path: &str) -> bool {
        self.lines.contains_key(path) || self.spoilt.contains(&path)
    }
}

/// Whether a section is a method of paying main wagers.
fn is_method(section: &SectionSpec) -> bool {
    section.path.starts_with("methods.")
}

/// Whether a book chose the name of a section.
fn is_named(section: &SectionSpec) -> bool {
    SIDE_BETS.iter().any(|kind| section.path.split('.').next() == Some(kind))
}

/// What is wrong with a key that a section does not have, and what is meant.
fn unknown(section: &SectionSpec, name: &str) -> (String, String) {
    let all = Rulebook::SECTIONS.iter().flat_map(|section| section.items);
    let elsewhere = all.into_iter().find(|spec| spec.key() == name);
    let right = match elsewhere {
        Some(spec) => format!("`{}` is meant?", spec.path),
        None => suggest(name, section.items.iter().map(Spec::key)),
    };
    (format!("`{}.{name}` is neither a decision nor a ground", section.path), right)
}

/// One item in the file: a decision `{ is = …, clause = "…" }`, or a ground `"…"`.
struct Item<'a> {
    within: Within<'a>,
    spec: &'static Spec,
    at: Place,
    amends: bool,
}

/// What the file says on an item.
enum Read {
    Line(Line),
    Without,
}

impl Item<'_> {
    fn read(&self, value: &Spanned<DeValue<'_>>, faults: &mut Faults) -> Option<Read> {
        match (self.spec.kind, value.get_ref().as_table()) {
            (Kind::Ground { .. }, None) if !self.amends => {
                let clause = self.within.clause(value, self.spec.path, faults)?;
                let place = self.at.clone();
                Some(Read::Line(Line { datum: None, verb: None, clause, place }))
            }
            (Kind::Ground { .. }, Some(table)) if self.amends => self.amended_ground(table, faults),
            (Kind::Ground { .. }, _) => {
                let wrong = format!("`{}` is a ground", self.spec.path);
                self.wrong(FaultKind::Impossible, wrong, faults)
            }
            (Kind::Decision { without: Some((word, _)), .. }, None)
                if value.get_ref().as_str() == Some(word) =>
            {
                Some(Read::Without)
            }
            (Kind::Decision { .. }, Some(table)) => self.decision(table, faults),
            (Kind::Decision { .. } | Kind::Section, _) => {
                let wrong = format!("`{}` is a decision without a clause", self.spec.path);
                self.wrong(FaultKind::Impossible, wrong, faults)
            }
        }
    }

    fn wrong<T>(&self, kind: FaultKind, wrong: String, faults: &mut Faults) -> Option<T> {
        faults.note(&self.at, kind, wrong, form(self.spec, self.amends));
        None
    }

    /// A ground of an amendment: `{ sets = "…" }`.
    fn amended_ground(&self, table: &DeTable<'_>, faults: &mut Faults) -> Option<Read> {
        let mut keys = table.iter();
        let (Some((key, value)), None) = (keys.next(), keys.next()) else {
            let wrong = format!("`{}` does not say how it amends", self.spec.path);
            return self.wrong(FaultKind::Collision, wrong, faults);
        };
        let Some(verb) = Verb::ALL.into_iter().find(|verb| verb.key() == key.get_ref()) else {
            let wrong = format!("`{}` does not say how it amends", self.spec.path);
            return self.wrong(FaultKind::Collision, wrong, faults);
        };
        let clause = self.within.clause(value, self.spec.path, faults)?;
        let place = self.at.clone();
        Some(Read::Line(Line { datum: None, verb: Some(verb), clause, place }))
    }

    fn decision(&self, table: &DeTable<'_>, faults: &mut Faults) -> Option<Read> {
        let path = self.spec.path;
        for (key, _) in table {
            let name = key.get_ref().as_ref();
            if !["is", "clause"].contains(&name) && Verb::ALL.iter().all(|v| v.key() != name) {
                let wrong = format!("`{path}` has a key `{name}`");
                let right = form(self.spec, self.amends);
                faults.note(&self.within.page.at(key), FaultKind::UnknownKey, wrong, right);
            }
        }
        // Both halves are read before either is missed, so that both faults are told.
        let value = self.value(table, faults);
        let cited = table.iter().find(|(key, _)| key.get_ref() == "clause");
        let clause = if let Some((_, value)) = cited {
            self.within.clause(value, self.spec.path, faults)
        } else {
            let wrong = format!("`{path}` has no clause");
            self.wrong(FaultKind::Impossible, wrong, faults)
        };
        let ((datum, verb), clause) = value.zip(clause)?;
        let (datum, place) = (Some(datum), self.at.clone());
        Some(Read::Line(Line { datum, verb, clause, place }))
    }

    /// The answer, under the key that goes with the kind of book.
    fn value(&self, table: &DeTable<'_>, faults: &mut Faults) -> Option<(Datum, Option<Verb>)> {
        let mut given =
            table.iter().filter(|(key, _)| key.get_ref() != "clause").filter_map(|(key, value)| {
                let verb = Verb::ALL.into_iter().find(|verb| verb.key() == key.get_ref());
                (verb.is_some() || key.get_ref() == "is").then(|| (verb, datum(value.get_ref())))
            });
        let (first, second) = (given.next(), given.next());
        let path = self.spec.path;
        match (first, second, self.amends) {
            (Some((None, datum)), None, false) => Some((datum, None)),
            (Some((Some(verb), datum)), None, true) => Some((datum, Some(verb))),
            (Some((Some(verb), _)), None, false) => {
                let wrong = format!("`{path}` says `{verb}`, and this book amends no other");
                self.wrong(FaultKind::Collision, wrong, faults)
            }
            (None, _, false) => {
                let wrong = format!("`{path}` is a decision without an answer");
                self.wrong(FaultKind::Impossible, wrong, faults)
            }
            _ => {
                let wrong = format!("`{path}` does not say how it amends");
                self.wrong(FaultKind::Collision, wrong, faults)
            }
        }
    }
}

/// How an item is written.
pub(crate) fn form(spec: &Spec, amends: bool) -> String {
    const VERBS: &str = "`adds` where the base has no rule, `replaces` where it has one, `sets` \
                         whatever it says";
    let key = spec.key();
    match (spec.kind, amends) {
        (Kind::Ground { .. }, true) => {
            format!("write {key} = {{ adds|replaces|sets = \"…\" }} with its clause: {VERBS}")
        }
        (Kind::Ground { optional }, false) => {
            let lacks = if optional { ", or list it in the section's `silent`" } else { "" };
            format!("write {key} = \"…\" with its clause{lacks}")
        }
        (Kind::Decision { .. }, true) => {
            format!("write {{ adds|replaces|sets = …, clause = \"…\" }}: {VERBS}")
        }
        (Kind::Decision { shape, without }, false) => {
            let none = without.map_or_else(String::new, |(word, _)| {
                format!(", or \"{word}\" where the book has no rule")
            });
            format!("write {{ is = …, clause = \"…\" }} with {shape}{none}")
        }
        (Kind::Section, _) => format!("write {key} = \"none\", or give the section"),
    }
}
