//! Side bets: rows of what a coup must be, the first match decides.
//!
//! A book's `[[side_bet]]` has rows of a closed set of conditions, [`Test`]; each row has an
//! outcome and the clauses that it rests on. Side bets that are offered together are a group.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::book::{MethodRules, PayTableRules, SideBetRules};
use crate::clause::{Cited, Clause};
use crate::condition::Test;
use crate::hand::Side;
use crate::key::Key;
use crate::money::Price;
use crate::policy::{Answer, Datum, Found, Kind, Section, SectionSpec, Shape, Source, Spec};
use crate::settle::{Clauses, Score};

/// What a row does with a stake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowOutcome {
    /// It wins at that price.
    Pays(Price),
    /// It is returned.
    Kept,
    /// It is collected.
    Lost,
}

/// One row of a side bet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// What must be so, all of it.
    pub tests: Vec<Test>,
    /// What becomes of the stake.
    pub outcome: RowOutcome,
    /// The clauses that it rests on.
    pub clauses: Clauses,
    /// What the felt says of it, if the book has words of its own.
    pub words: Option<String>,
}

impl Row {
    /// Whether a coup is so.
    #[must_use]
    pub fn holds(&self, score: &Score) -> bool {
        self.tests.iter().all(|test| test.holds(score))
    }

    /// What must be so, in words.
    #[must_use]
    pub fn words(&self) -> String {
        if let Some(words) = &self.words {
            return words.clone();
        }
        let tests: Vec<_> = self.tests.iter().map(|test| test.words()).collect();
        if tests.is_empty() { "anything else".to_string() } else { tests.join(", ") }
    }

    /// What happens when, in words.
    fn said(&self) -> String {
        match self.outcome {
            RowOutcome::Pays(price) => format!("{} {price}", self.words()),
            RowOutcome::Kept => format!("{} kept", self.words()),
            RowOutcome::Lost => format!("{} lost", self.words()),
        }
    }

    /// The row with its clauses, as data.
    fn datum(&self) -> Datum {
        let clauses: Vec<_> = self.clauses.iter().map(Clause::number).collect();
        Datum::Text(format!("{} [{}]", self.written(), clauses.join(", ")))
    }

    /// The row as a file has it, without its clauses.
    #[must_use]
    pub fn written(&self) -> String {
        let outcome = match self.outcome {
            RowOutcome::Pays(price) => format!("pays = \"{price}\""),
            RowOutcome::Kept => "kept = true".to_string(),
            RowOutcome::Lost => "lost = true".to_string(),
        };
        let tests = self.tests.iter().map(|test| test.written());
        tests.chain([outcome]).collect::<Vec<_>>().join(", ")
    }
}

/// One side bet: a spot on the layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SideBet {
    /// Its key: the word in transcripts, on the sign, on the felt.
    pub key: Key,
    /// Its name.
    pub name: String,
    /// The hand that it is on, if it is on one.
    pub side: Option<Side>,
    /// The clause that lets players wager on it.
    pub offered: Clause,
    /// The rows; the first that matches decides.
    pub rows: Vec<Row>,
    /// What happens when no row matches.
    pub otherwise: Row,
}

impl SideBet {
    /// The row that decides.
    #[must_use]
    pub fn row(&self, score: &Score) -> &Row {
        self.rows.iter().find(|row| row.holds(score)).unwrap_or(&self.otherwise)
    }

    /// Every row, the last for all that no other matches.
    pub fn all_rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().chain([&self.otherwise])
    }

    /// The payouts: when, how much, and by which clause.
    #[must_use]
    pub fn pays(&self) -> Vec<(String, Cited<Price>)> {
        let mut pays: Vec<(String, Cited<Price>)> = Vec::new();
        for row in self.all_rows() {
            let (RowOutcome::Pays(value), Some(clause)) = (row.outcome, row.clauses.last()) else {
                continue;
            };
            let paid = (row.words(), Cited { value, clause: *clause });
            if !pays.contains(&paid) {
                pays.push(paid);
            }
        }
        pays
    }

    /// Whether it is decided by the first two cards of each hand.
    #[must_use]
    pub fn is_on_pairs(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.tests).all(|test| test.is_on_pairs())
    }
}

/// One way to pay a group of side bets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayTable {
    /// Its key, where the group has several.
    pub key: Option<Key>,
    /// Its name.
    pub name: String,
    /// What holds for all of its bets; nothing where the group has one table only.
    pub rules: Option<PayTableRules>,
    /// The bets.
    pub bets: Vec<SideBet>,
}

/// Side bets that are offered together and share their limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideBets {
    /// The key of the group.
    pub key: Key,
    /// Its name.
    pub name: String,
    /// Whether the book has a section on the group, or its bet alone.
    pub has_section: bool,
    /// What holds for all of its bets.
    pub rules: SideBetRules,
    /// The ways to pay it; the operator chooses one.
    pub tables: Vec<PayTable>,
}

impl SideBets {
    /// The pay table that an offer means.
    #[must_use]
    pub fn table(&self, key: Option<Key>) -> Option<&PayTable> {
        self.tables.iter().find(|table| table.key == key)
    }

    /// Whether a spot belongs to the group.
    #[must_use]
    pub fn has(&self, spot: Key) -> bool {
        self.tables.iter().flat_map(|table| &table.bets).any(|bet| bet.key == spot)
    }

    /// The spots of the group, each once.
    #[must_use]
    pub fn spots(&self) -> Vec<Key> {
        let mut spots = Vec::new();
        for bet in self.tables.iter().flat_map(|table| &table.bets) {
            if !spots.contains(&bet.key) {
                spots.push(bet.key);
            }
        }
        spots
    }

    /// The group as a file would declare it.
    #[must_use]
    pub fn declared(&self) -> Declared {
        let tables = self.tables.iter().map(|t| (t.key, t.name.clone(), t.bets.clone())).collect();
        let bare = (!self.has_section).then_some(self.rules.offered.clause);
        Declared { key: self.key, name: self.name.clone(), bare, tables }
    }

    /// The section of a group in a book.
    #[must_use]
    pub fn section(key: Key) -> &'static SectionSpec {
        section_of::<SideBetRules>(key)
    }

    /// The section of a pay table in a book.
    #[must_use]
    pub fn table_section(key: Key) -> &'static SectionSpec {
        section_of::<PayTableRules>(key)
    }

    /// All that a book says on the group.
    pub(crate) fn answers(&self, into: &mut Vec<Answer>) {
        self.rules.answers_at(Self::section(self.key).items, into);
        for table in &self.tables {
            if let (Some(key), Some(rules)) = (table.key, &table.rules) {
                rules.answers_at(Self::table_section(key).items, into);
            }
            for bet in &table.bets {
                into.push(bet.answer(table.key));
            }
        }
    }
}

impl SideBet {
    fn answer(&self, table: Option<Key>) -> Answer {
        let path = match table {
            Some(table) => format!("side_bet.{} ({table})", self.key),
            None => format!("side_bet.{}", self.key),
        };
        let mut words: Vec<String> = Vec::new();
        for row in self.all_rows().filter(|row| row.outcome != RowOutcome::Lost) {
            let said = row.said();
            if !words.contains(&said) {
                words.push(said);
            }
        }
        let datum = Some(Datum::List(self.all_rows().map(Row::datum).collect()));
        let spec = bet_spec(&path, &self.name);
        Answer { spec, datum, words: words.join("; "), clause: Some(self.offered) }
    }
}

/// A method of paying main wagers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayMethod {
    /// Its key, such as `half-on-six`.
    pub key: Key,
    /// What it pays.
    pub rules: MethodRules,
    /// What becomes of a Banker wager that wins in a certain way; the first match decides.
    pub rows: Vec<Row>,
}

impl PayMethod {
    /// The section of a method in a book.
    #[must_use]
    pub fn section(key: Key) -> &'static SectionSpec {
        section_of::<MethodRules>(key)
    }

    pub(crate) fn gather(key: Key, rows: Vec<Row>, source: &mut dyn Source) -> Option<Self> {
        let rules = MethodRules::gather_at(Self::section(key).items, source)?;
        Some(Self { key, rules, rows })
    }

    pub(crate) fn answers(&self, into: &mut Vec<Answer>) {
        self.rules.answers_at(Self::section(self.key).items, into);
        let Some(clause) = self.rows.first().and_then(|row| row.clauses.first()) else { return };
        let words: Vec<_> = self.rows.iter().map(Row::said).collect();
        let spec = bet_spec(&format!("side_bet.banker ({})", self.key), "Banker pays, by row");
        let datum = Some(Datum::List(self.rows.iter().map(Row::datum).collect()));
        into.push(Answer { spec, datum, words: words.join("; "), clause: Some(*clause) });
    }
}

/// What a file declares of a group, before its section is read.
pub struct Declared {
    /// The key of the group.
    pub key: Key,
    /// Its name.
    pub name: String,
    /// The clause that offers it, if it has no section of its own.
    pub bare: Option<Clause>,
    /// Its pay tables: key, name and bets.
    pub tables: Vec<(Option<Key>, String, Vec<SideBet>)>,
}

impl Declared {
    /// The group with what its sections say; nothing if the source had to note a fault.
    pub(crate) fn gather(self, source: &mut dyn Source) -> Option<SideBets> {
        let Self { key, name, bare, tables } = self;
        let items = SideBets::section(key).items;
        let rules = match bare {
            Some(clause) => SideBetRules::gather_at(items, &mut Bare(clause)),
            None => SideBetRules::gather_at(items, source),
        };
        let mut read = Some(Vec::new());
        for (key, name, bets) in tables {
            let rules =
                key.map(|key| PayTableRules::gather_at(SideBets::table_section(key).items, source));
            match rules {
                Some(None) => read = None,
                Some(Some(rules)) => {
                    let table = PayTable { key, name, rules: Some(rules), bets };
                    read = read.map(|mut read: Vec<_>| {
                        read.push(table);
                        read
                    });
                }
                None => {
                    let table = PayTable { key, name, rules: None, bets };
                    read = read.map(|mut read| {
                        read.push(table);
                        read
                    });
                }
            }
        }
        Some(SideBets { key, name, has_section: bare.is_none(), rules: rules?, tables: read? })
    }
}

/// A book that offers a group and says nothing more about it.
struct Bare(Clause);

impl Source for Bare {
    fn lacks(&mut self, _: &SectionSpec) -> bool {
        false
    }

    fn find(&mut self, spec: &'static Spec) -> Found {
        match spec.kind {
            Kind::Ground { optional: false } => Found::Resting(self.0),
            Kind::Ground { optional: true } | Kind::Decision { .. } | Kind::Section => {
                Found::Without
            }
        }
    }

    fn misfit(&mut self, _: &'static Spec, _: &Datum, _: &str) {}
}

/// Sections and items whose names a book chose, each kept once.
static NAMED: spin::Mutex<BTreeMap<String, Named>> = spin::Mutex::new(BTreeMap::new());

#[derive(Clone, Copy)]
enum Named {
    Section(&'static SectionSpec),
    Bet(&'static Spec),
}

fn keep(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// The section of that kind under a name that a book chose.
fn section_of<S: Section>(key: Key) -> &'static SectionSpec {
    let path = format!("{}.{key}", S::SPEC.path);
    if let Some(Named::Section(known)) = NAMED.lock().get(&path) {
        return known;
    }
    let own = keep(path.clone());
    let item = |spec: &Spec| Spec { path: keep(format!("{own}.{}", spec.key())), ..*spec };
    let items: Vec<Spec> = S::SPEC.items.iter().map(item).collect();
    let section: &'static SectionSpec = Box::leak(Box::new(SectionSpec {
        path: own,
        optional: true,
        whole: Box::leak(Box::new(Spec { path: own, ..*S::SPEC.whole })),
        items: Box::leak(items.into_boxed_slice()),
        ..S::SPEC
    }));
    match *NAMED.lock().entry(path).or_insert(Named::Section(section)) {
        Named::Section(known) => known,
        Named::Bet(_) => section,
    }
}

/// The item of a side bet: its rows are one decision.
fn bet_spec(path: &str, name: &str) -> &'static Spec {
    let known = format!("{path} {name}");
    if let Some(Named::Bet(spec)) = NAMED.lock().get(&known) {
        return spec;
    }
    let about: &'static [&'static str] = Box::leak(Box::new([keep(name.to_string())]));
    let shape = Shape::Text { what: "rows", examples: &[] };
    let spec: &'static Spec = Box::leak(Box::new(Spec {
        path: keep(path.to_string()),
        about,
        kind: Kind::Decision { shape, without: None },
    }));
    NAMED.lock().insert(known, Named::Bet(spec));
    spec
}
