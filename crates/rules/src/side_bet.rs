//! Side bets: rows of what a coup must be, the first match decides.
//!
//! A book's `[[side_bet]]` has rows of a closed set of conditions, [`Test`]; each row has an
//! outcome and the clauses that it rests on. Side bets that are offered together are a group.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::book::{MethodRules, PayTableRules, SideBetRules};
use crate::clause::{Cited, Clause};
use crate::hand::Side;
use crate::key::Key;
use crate::money::Price;
use crate::policy::{Answer, Datum, Found, Kind, Section, SectionSpec, Shape, Source, Spec};
use crate::settle::{Clauses, Outcome, Pair, Score};

/// A set of small numbers, such as the totals with which a row matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbers(u32);

impl Numbers {
    /// The numbers of a list; nothing if it is empty or one is too large.
    #[must_use]
    pub fn of(numbers: &[u8], largest: u8) -> Option<Self> {
        let fits = !numbers.is_empty() && numbers.iter().all(|number| *number <= largest);
        fits.then(|| Self(numbers.iter().fold(0, |set, number| set | 1 << number)))
    }

    /// Whether a number is among them.
    #[must_use]
    pub const fn holds(self, number: u8) -> bool {
        self.0 >> number & 1 == 1
    }

    /// The numbers in rising order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..32).filter(move |number| self.holds(*number))
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.iter().map(|number| number.to_string()).collect();
        match numbers.split_last() {
            Some((last, [])) => f.write_str(last),
            Some((last, rest)) => write!(f, "{} or {last}", rest.join(", ")),
            None => Ok(()),
        }
    }
}

/// Which hand has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// That hand, whatever the other has.
    Hand(Side),
    /// At least one of them.
    Either,
    /// Both.
    Both,
}

impl Which {
    const WORDS: [(&'static str, Self); 4] = [
        ("player", Self::Hand(Side::Player)),
        ("banker", Self::Hand(Side::Banker)),
        ("either", Self::Either),
        ("both", Self::Both),
    ];

    /// Whether it is so, given whether Player and Banker have it.
    const fn holds(self, player: bool, banker: bool) -> bool {
        match self {
            Self::Hand(Side::Player) => player,
            Self::Hand(Side::Banker) => banker,
            Self::Either => player || banker,
            Self::Both => player && banker,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Hand(Side::Player) => "player",
            Self::Hand(Side::Banker) => "banker",
            Self::Either => "either",
            Self::Both => "both",
        }
    }
}

/// Kinds of pairs that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    const ANY: Self = Self(0b1111);
    const WORDS: [(&'static str, Self); 5] = [
        ("mixed", Self(0b0001)),
        ("red", Self(0b0010)),
        ("black", Self(0b0100)),
        ("coloured", Self(0b0110)),
        ("suited", Self(0b1000)),
    ];

    const fn holds(self, pair: Option<Pair>) -> bool {
        let bit = match pair {
            None => 0,
            Some(Pair::Mixed) => 1,
            Some(Pair::Red) => 2,
            Some(Pair::Black) => 4,
            Some(Pair::Perfect) => 8,
        };
        self.0 & bit != 0
    }

    fn words(self) -> Vec<&'static str> {
        let words: &[&str] = match self.0 {
            0b0110 => &["coloured"],
            0b1111 => &[],
            _ => {
                let named = Self::WORDS.iter().filter(|(word, _)| *word != "coloured");
                return named.filter(|(_, kind)| self.0 & kind.0 != 0).map(|(w, _)| *w).collect();
            }
        };
        words.to_vec()
    }
}

/// One condition of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// How the coup ended.
    Winner(Outcome),
    /// The total of a hand.
    Total(Side, Numbers),
    /// How many cards a hand has, or both have together.
    Cards(Option<Side>, Numbers),
    /// Who has a natural.
    Natural(Which),
    /// By how much the totals differ.
    Margin(Numbers),
    /// Both totals together.
    Sum(Numbers),
    /// Whose first two cards are a pair, and of which kind.
    Pair(Which, Kinds),
}

/// The keys of a condition in a row, with what may stand there.
pub const TEST_KEYS: [(&str, &str); 11] = [
    ("winner", "\"player\", \"banker\" or \"tie\""),
    ("player", "Player's totals, a list of numbers from 0 to 9"),
    ("banker", "Banker's totals, a list of numbers from 0 to 9"),
    ("player_cards", "2 or 3"),
    ("banker_cards", "2 or 3"),
    ("cards", "the cards of both hands, a list of numbers from 4 to 6"),
    ("natural", "\"player\", \"banker\", \"either\" or \"both\""),
    ("margin", "the differences of the totals, a list of numbers from 0 to 9"),
    ("sum", "both totals together, a list of numbers from 0 to 18"),
    ("pair", "\"player\", \"banker\", \"either\" or \"both\""),
    ("kind", "of the pair: \"mixed\", \"red\", \"black\", \"coloured\" or \"suited\", or a list"),
];

impl Test {
    /// Reads the conditions of a row, all of its keys at once.
    ///
    /// # Errors
    ///
    /// With the key that is at fault, and what may stand there.
    pub fn read(keys: &[(&str, Datum)]) -> Result<Vec<Self>, (String, &'static str)> {
        let fault = |key: &str| {
            let known = TEST_KEYS.iter().find(|(known, _)| *known == key);
            let may = known.map_or("a condition that rows have", |(_, may)| may);
            (key.to_string(), may)
        };
        let word = |key: &str| {
            let found = keys.iter().find(|(name, _)| *name == key);
            match found {
                Some((_, Datum::Text(word))) => Ok(Some(word.as_str())),
                Some(_) => Err(fault(key)),
                None => Ok(None),
            }
        };
        let which = |key: &str| match word(key)? {
            None => Ok(None),
            Some(word) => {
                let known = Which::WORDS.iter().find(|(name, _)| *name == word);
                known.map(|(_, which)| Some(*which)).ok_or_else(|| fault(key))
            }
        };
        let numbers = |key: &str, least: u8, most: u8| {
            let Some((_, datum)) = keys.iter().find(|(name, _)| *name == key) else {
                return Ok(None);
            };
            let one = |datum: &Datum| match datum {
                Datum::Number(number) => u8::try_from(*number).ok().filter(|n| *n >= least),
                Datum::Text(_) | Datum::List(_) | Datum::Other(_) => None,
            };
            let list: Option<Vec<u8>> = match datum {
                Datum::List(items) => items.iter().map(one).collect(),
                Datum::Number(_) => one(datum).map(|number| alloc::vec![number]),
                Datum::Text(_) | Datum::Other(_) => None,
            };
            let set = list.and_then(|list| Numbers::of(&list, most));
            set.map(Some).ok_or_else(|| fault(key))
        };
        let mut tests = Vec::new();
        if let Some((key, _)) = keys.iter().find(|(key, _)| TEST_KEYS.iter().all(|k| k.0 != *key)) {
            return Err(fault(key));
        }
        if let Some(winner) = word("winner")? {
            tests.push(Self::Winner(match winner {
                "player" => Outcome::Won(Side::Player),
                "banker" => Outcome::Won(Side::Banker),
                "tie" => Outcome::Tie,
                _ => return Err(fault("winner")),
            }));
        }
        tests.extend(numbers("player", 0, 9)?.map(|set| Self::Total(Side::Player, set)));
        tests.extend(numbers("banker", 0, 9)?.map(|set| Self::Total(Side::Banker, set)));
        tests.extend(numbers("player_cards", 2, 3)?.map(|n| Self::Cards(Some(Side::Player), n)));
        tests.extend(numbers("banker_cards", 2, 3)?.map(|n| Self::Cards(Some(Side::Banker), n)));
        tests.extend(numbers("cards", 4, 6)?.map(|set| Self::Cards(None, set)));
        tests.extend(which("natural")?.map(Self::Natural));
        tests.extend(numbers("margin", 0, 9)?.map(Self::Margin));
        tests.extend(numbers("sum", 0, 18)?.map(Self::Sum));
        let kinds = keys.iter().find(|(name, _)| *name == "kind").map(|(_, kind)| kinds(kind));
        match (which("pair")?, kinds) {
            (Some(which), None) => tests.push(Self::Pair(which, Kinds::ANY)),
            (Some(which), Some(Some(kinds))) => tests.push(Self::Pair(which, kinds)),
            (None, Some(_)) => return Err(("kind".to_string(), "`pair` beside it")),
            (Some(_), Some(None)) => return Err(fault("kind")),
            (None, None) => {}
        }
        Ok(tests)
    }

    /// Whether a coup is so.
    #[must_use]
    pub fn holds(self, score: &Score) -> bool {
        let (player, banker) = (&score.player, &score.banker);
        match self {
            Self::Winner(outcome) => score.outcome() == outcome,
            Self::Total(side, totals) => totals.holds(score.hand(side).total),
            Self::Cards(Some(side), numbers) => numbers.holds(score.hand(side).cards),
            Self::Cards(None, numbers) => numbers.holds(player.cards + banker.cards),
            Self::Natural(which) => which.holds(player.natural, banker.natural),
            Self::Margin(numbers) => numbers.holds(player.total.abs_diff(banker.total)),
            Self::Sum(numbers) => numbers.holds(player.total + banker.total),
            Self::Pair(which, kinds) => {
                which.holds(kinds.holds(player.pair), kinds.holds(banker.pair))
            }
        }
    }

    /// Whether both look at the same thing.
    #[must_use]
    pub fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Total(one, _), Self::Total(other, _)) => one == other,
            (Self::Cards(one, _), Self::Cards(other, _)) => one == other,
            _ => core::mem::discriminant(&self) == core::mem::discriminant(&other),
        }
    }

    /// A condition that looks at the same thing and holds for all of these coups, and for no more
    /// than it must; nothing if there is none.
    #[must_use]
    pub fn covering(self, coups: &[Score]) -> Option<Self> {
        let numbers = |of: &dyn Fn(&Score) -> u8| {
            let seen: Vec<u8> = coups.iter().map(of).collect();
            Numbers::of(&seen, 31)
        };
        match self {
            Self::Winner(_) => {
                let winner = coups.first()?.outcome();
                coups.iter().all(|coup| coup.outcome() == winner).then_some(Self::Winner(winner))
            }
            Self::Total(side, _) => {
                Some(Self::Total(side, numbers(&|coup| coup.hand(side).total)?))
            }
            Self::Cards(Some(side), _) => {
                Some(Self::Cards(Some(side), numbers(&|coup| coup.hand(side).cards)?))
            }
            Self::Cards(None, _) => {
                Some(Self::Cards(None, numbers(&|coup| coup.player.cards + coup.banker.cards)?))
            }
            Self::Margin(_) => {
                Some(Self::Margin(numbers(&|coup| coup.player.total.abs_diff(coup.banker.total))?))
            }
            Self::Sum(_) => {
                Some(Self::Sum(numbers(&|coup| coup.player.total + coup.banker.total)?))
            }
            // A row cannot say that something is not there.
            Self::Natural(_) | Self::Pair(..) => None,
        }
    }

    /// Whether it looks at the pairs of the first two cards, and at nothing else.
    #[must_use]
    pub const fn is_on_pairs(self) -> bool {
        match self {
            Self::Pair(..) => true,
            Self::Winner(_)
            | Self::Total(..)
            | Self::Cards(..)
            | Self::Natural(_)
            | Self::Margin(_)
            | Self::Sum(_) => false,
        }
    }

    /// The condition as a file has it.
    #[must_use]
    pub fn written(self) -> String {
        let list = |numbers: Numbers| {
            let numbers: Vec<String> = numbers.iter().map(|number| number.to_string()).collect();
            format!("[{}]", numbers.join(", "))
        };
        match self {
            Self::Winner(Outcome::Tie) => "winner = \"tie\"".to_string(),
            Self::Winner(Outcome::Won(side)) => format!("winner = \"{}\"", hand(side)),
            Self::Total(side, totals) => format!("{} = {}", hand(side), list(totals)),
            Self::Cards(Some(side), numbers) => format!("{}_cards = {}", hand(side), list(numbers)),
            Self::Cards(None, numbers) => format!("cards = {}", list(numbers)),
            Self::Natural(which) => format!("natural = \"{}\"", which.word()),
            Self::Margin(numbers) => format!("margin = {}", list(numbers)),
            Self::Sum(numbers) => format!("sum = {}", list(numbers)),
            Self::Pair(which, Kinds::ANY) => format!("pair = \"{}\"", which.word()),
            Self::Pair(which, kinds) => {
                format!("pair = \"{}\", kind = {:?}", which.word(), kinds.words())
            }
        }
    }

    /// The condition in words, for a felt and a list of payouts.
    fn words(self) -> String {
        match self {
            Self::Winner(outcome) => outcome.to_string(),
            Self::Total(side, totals) => format!("{side} has {totals}"),
            Self::Cards(Some(side), numbers) => format!("{side} has {numbers} cards"),
            Self::Cards(None, numbers) => format!("{numbers} cards"),
            Self::Natural(Which::Hand(_)) => "a natural".to_string(),
            Self::Natural(Which::Either) => "a natural of either hand".to_string(),
            Self::Natural(Which::Both) => "two naturals".to_string(),
            Self::Margin(numbers) => format!("by {numbers}"),
            Self::Sum(numbers) => format!("{numbers} together"),
            Self::Pair(which, kinds) => {
                let kind = match kinds.words().as_slice() {
                    ["red" | "black"] => "coloured".to_string(),
                    kinds => kinds.join(" or "),
                };
                let kind = if kind.is_empty() { kind } else { kind + " " };
                match which {
                    Which::Hand(_) => format!("a {kind}pair"),
                    Which::Either => format!("a {kind}pair of either hand"),
                    Which::Both => format!("two {kind}pairs"),
                }
            }
        }
    }
}

const fn hand(side: Side) -> &'static str {
    match side {
        Side::Player => "player",
        Side::Banker => "banker",
    }
}

fn kinds(datum: &Datum) -> Option<Kinds> {
    let one = |datum: &Datum| match datum {
        Datum::Text(word) => Kinds::WORDS.iter().find(|(name, _)| name == word).map(|(_, k)| *k),
        Datum::Number(_) | Datum::List(_) | Datum::Other(_) => None,
    };
    match datum {
        Datum::List(items) if !items.is_empty() => {
            items.iter().map(one).try_fold(Kinds(0), |all, kind| Some(Kinds(all.0 | kind?.0)))
        }
        Datum::Text(_) => one(datum),
        Datum::List(_) | Datum::Number(_) | Datum::Other(_) => None,
    }
}

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
