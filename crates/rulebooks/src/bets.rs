//! `[[side_bet]]`: a side bet as rows, read and checked.

use rules::policy::Datum;
use rules::{
    Clause, Clauses, Declared, HandScore, Key, Outcome, Pair, Price, Row, RowOutcome, Score, Side,
    SideBet, Test, TestKey, common_step,
};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{FaultKind, Faults, Place, suggest};
use crate::page::datum;
use crate::sheet::{Sheet, Verb, Within};

/// A side bet as a file has it.
#[derive(Clone, Debug)]
pub(crate) struct BetLine {
    pub(crate) bet: SideBet,
    /// The group that it belongs to; without one it is a group of its own.
    pub(crate) of: Option<Key>,
    /// The pay table of the group that it belongs to.
    pub(crate) table: Option<Key>,
    /// How it meets the base; nothing in a principal book.
    pub(crate) verb: Option<Verb>,
    pub(crate) place: Place,
}

impl BetLine {
    pub(crate) fn group(&self) -> Key {
        self.of.unwrap_or(self.bet.key)
    }

    /// Every clause that the bet cites.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = Clause> {
        let rows = self.bet.all_rows().flat_map(|row| row.clauses.iter().copied());
        rows.chain([self.bet.offered])
    }
}

const KEYS: [&str; 9] =
    ["key", "name", "of", "table", "side", "offered", "rows", "otherwise", "amends"];
/// The keys of a row besides its conditions.
const ROW_KEYS: [&str; 5] = ["pays", "kept", "lost", "clause", "when"];
/// Words that have a meaning of their own.
const TAKEN: [&str; 4] = ["banker", "player", "tie", "main"];

/// The most clauses that a row rests on; what it decides cites another one with them.
pub(crate) const MOST_ROW_CLAUSES: usize = 4;

/// The rows of a method as a file has them.
#[derive(Clone, Debug)]
pub(crate) struct MethodRows {
    pub(crate) rows: Vec<Row>,
    /// How they meet the base; nothing in a principal book.
    pub(crate) verb: Option<Verb>,
    pub(crate) place: Place,
}

/// One `[[side_bet]]` of a file.
pub(crate) struct BetReader<'a> {
    pub(crate) of: Within<'a>,
    pub(crate) amends: bool,
}

type Value<'a> = Spanned<DeValue<'a>>;

impl BetReader<'_> {
    pub(crate) fn read(&self, value: &Value<'_>, faults: &mut Faults) -> Option<BetLine> {
        let page = self.of.page;
        let place = page.at(value);
        let Some(table) = value.get_ref().as_table() else {
            let wrong = "`side_bet` is no list of tables";
            faults.note(&place, FaultKind::Impossible, wrong, "begin each with [[side_bet]]");
            return None;
        };
        for (key, _) in table {
            if !KEYS.contains(&key.get_ref().as_ref()) {
                let wrong = format!("a side bet has a key `{}`", key.get_ref());
                let right = suggest(key.get_ref(), KEYS.into_iter());
                faults.note(&page.at(key), FaultKind::UnknownKey, wrong, right);
            }
        }
        let before = faults.len();
        let key = self.word(table, "key", &place, faults);
        let name = Self::needed(table, "name", &place, faults)
            .and_then(|value| page.text(value, "name", faults).map(str::to_owned));
        let of = self.optional_word(table, "of", faults);
        let table_key = self.optional_word(table, "table", faults);
        let side = self.side(table, faults);
        let verb = self.verb(table, &place, faults);
        let offered = Self::needed(table, "offered", &place, faults)
            .and_then(|value| self.offered(value, faults));
        let rows = self.rows(table, &place, faults);
        let otherwise = Self::needed(table, "otherwise", &place, faults)
            .and_then(|value| self.row(value, RowOf::Otherwise, faults))
            .map(|(row, _)| row);
        let (key, name, offered, rows, otherwise) = (key?, name?, offered?, rows?, otherwise?);
        if faults.len() > before {
            return None;
        }
        check_rows(key, &rows, faults);
        check_prices(key, &rows, &otherwise, &place, faults);
        let rows = rows.into_iter().map(|(row, _)| row).collect();
        let bet = SideBet { key, name, side, offered, rows, otherwise };
        Some(BetLine { bet, of, table: table_key, verb, place })
    }

    fn needed<'v>(
        table: &'v DeTable<'_>,
        name: &str,
        at: &Place,
        faults: &mut Faults,
    ) -> Option<&'v Value<'v>> {
        let found = find(table, name);
        if found.is_none() {
            let wrong = format!("a side bet has no `{name}`");
            let right = format!("it has {}; see CONTRIBUTING", KEYS[..8].join(", "));
            faults.note(at, FaultKind::Missing, wrong, right);
        }
        found
    }

    fn word(
        &self,
        table: &DeTable<'_>,
        name: &str,
        at: &Place,
        faults: &mut Faults,
    ) -> Option<Key> {
        Self::needed(table, name, at, faults)?;
        self.optional_word(table, name, faults)
    }

    fn optional_word(&self, table: &DeTable<'_>, name: &str, faults: &mut Faults) -> Option<Key> {
        let value = find(table, name)?;
        let text = self.of.page.text(value, name, faults)?;
        let key = Key::new(text).filter(|key| !TAKEN.contains(&key.as_str()));
        if key.is_none() {
            let wrong = format!("`{name}` is \"{text}\"");
            let right = format!(
                "at most {} letters a-z, digits and `-`, a letter first, and none of {}",
                rules::KEY_LENGTH,
                TAKEN.join(", ")
            );
            faults.note(&self.of.page.at(value), FaultKind::Impossible, wrong, right);
        }
        key
    }

    fn side(&self, table: &DeTable<'_>, faults: &mut Faults) -> Option<Side> {
        let value = find(table, "side")?;
        match value.get_ref().as_str() {
            Some("player") => Some(Side::Player),
            Some("banker") => Some(Side::Banker),
            _ => {
                let (wrong, right) = ("`side` is no hand", "\"player\", \"banker\", or no `side`");
                faults.note(&self.of.page.at(value), FaultKind::Impossible, wrong, right);
                None
            }
        }
    }

    fn verb(&self, table: &DeTable<'_>, at: &Place, faults: &mut Faults) -> Option<Verb> {
        let given = find(table, "amends").and_then(|value| value.get_ref().as_str());
        let verb = given.and_then(|word| Verb::ALL.into_iter().find(|verb| verb.key() == word));
        let (wrong, right) = match (self.amends, given, verb) {
            (true, _, Some(_)) | (false, None, _) => return verb,
            (true, _, None) => {
                ("a side bet of an amendment does not say how it amends", "adds, replaces or sets")
            }
            (false, Some(_), _) => {
                ("a side bet amends, and this book amends no other", "leave out `amends`")
            }
        };
        faults.note(at, FaultKind::Collision, wrong, right);
        None
    }

    /// The clause by which it is offered, or several together; alone or as `{ clause = … }`.
    fn offered(&self, value: &Value<'_>, faults: &mut Faults) -> Option<Clause> {
        let Some(table) = value.get_ref().as_table() else {
            return self.of.clause(value, "offered", faults);
        };
        let inner = find(table, "clause");
        if inner.is_none() {
            let wrong = "`offered` of a side bet has no clause";
            let right = "write { clause = \"…\" }, or the clause alone";
            faults.note(&self.of.page.at(value), FaultKind::Impossible, wrong, right);
        }
        self.of.clause(inner?, "offered", faults)
    }

    /// One clause, or several.
    fn clauses(&self, value: &Value<'_>, what: &str, faults: &mut Faults) -> Option<Clauses> {
        let one = [value];
        let listed: Vec<&Value<'_>> = match value.get_ref().as_array() {
            Some(items) => items.iter().collect(),
            None => one.to_vec(),
        };
        let mut clauses = Clauses::new();
        if listed.is_empty() || listed.len() > MOST_ROW_CLAUSES {
            let wrong = format!("`{what}` of a side bet has {} clauses", listed.len());
            let right = format!("1 to {MOST_ROW_CLAUSES} clauses");
            faults.note(&self.of.page.at(value), FaultKind::Impossible, wrong, right);
            return None;
        }
        for value in listed {
            let clause = self.of.one_clause(value, what, faults)?;
            if clauses.contains(&clause) {
                let wrong = format!("`{what}` cites {} twice", clause.number());
                faults.note(&self.of.page.at(value), FaultKind::Impossible, wrong, "each once");
                return None;
            }
            clauses.push(clause);
        }
        Some(clauses)
    }

    fn rows(
        &self,
        table: &DeTable<'_>,
        at: &Place,
        faults: &mut Faults,
    ) -> Option<Vec<(Row, Place)>> {
        let value = Self::needed(table, "rows", at, faults)?;
        let items = value.get_ref().as_array().filter(|items| !items.is_empty());
        let Some(items) = items else {
            let wrong = "`rows` of a side bet is no list of rows";
            let right = "such as [{ winner = \"banker\", pays = \"2:1\", clause = \"…\" }]";
            faults.note(&self.of.page.at(value), FaultKind::Impossible, wrong, right);
            return None;
        };
        let rows: Vec<_> =
            items.iter().map(|item| self.row(item, RowOf::Conditions, faults)).collect();
        rows.into_iter().collect()
    }

    /// The rows of a method: what becomes of a Banker wager that wins in a certain way. Those of an
    /// amendment say how they meet the base: `{ replaces = [ … ] }`.
    pub(crate) fn method_rows(
        &self,
        value: &Value<'_>,
        method: &str,
        faults: &mut Faults,
    ) -> Option<MethodRows> {
        let place = self.of.page.at(value);
        let (verb, value) = match (self.amends, value.get_ref().as_table()) {
            (false, _) => (None, value),
            (true, table) => {
                let mut given = table.into_iter().flatten();
                let verb = given.next().and_then(|(key, value)| {
                    let known = Verb::ALL.into_iter().find(|verb| verb.key() == key.get_ref());
                    Some((known?, value))
                });
                let Some((verb, value)) = verb.filter(|_| given.next().is_none()) else {
                    let wrong = format!("`{method}.rows` does not say how it amends");
                    let right = "write rows = { adds|replaces|sets = [ … ] }";
                    faults.note(&place, FaultKind::Collision, wrong, right);
                    return None;
                };
                (Some(verb), value)
            }
        };
        let Some(items) = value.get_ref().as_array() else {
            let wrong = "`rows` of a method is no list of rows";
            let right = "such as [{ banker = [6], pays = \"1:1 less 50%\", clause = \"…\" }]";
            faults.note(&place, FaultKind::Impossible, wrong, right);
            return None;
        };
        let rows: Vec<_> =
            items.iter().map(|item| self.row(item, RowOf::Conditions, faults)).collect();
        let rows = rows.into_iter().collect::<Option<Vec<_>>>()?;
        if let Some((_, place)) =
            rows.iter().find(|(row, _)| row.tests.iter().any(|test| test.is_on_pairs()))
        {
            let wrong = "a row of a method looks at pairs";
            faults.note(place, FaultKind::Impossible, wrong, "totals, cards and margins");
            return None;
        }
        // They are about a Banker wager that wins.
        let mut wins = ends(false);
        wins.retain(|score| score.outcome() == Outcome::Won(Side::Banker));
        check_each(method, &rows, &wins, faults);
        Some(MethodRows { rows: rows.into_iter().map(|(row, _)| row).collect(), verb, place })
    }

    fn row(&self, value: &Value<'_>, of: RowOf, faults: &mut Faults) -> Option<(Row, Place)> {
        let page = self.of.page;
        let place = page.at(value);
        let Some(table) = value.get_ref().as_table() else {
            let right = "a row is a table such as { lost = true, clause = \"…\" }";
            faults.note(&place, FaultKind::Impossible, "a row is no table", right);
            return None;
        };
        let conditions: Vec<(String, Datum)> = table
            .iter()
            .filter(|(key, _)| !ROW_KEYS.contains(&key.get_ref().as_ref()))
            .map(|(key, value)| (key.get_ref().to_string(), datum(value.get_ref())))
            .collect();
        let keys: Vec<_> = conditions.iter().map(|(k, d)| (k.as_str(), d.clone())).collect();
        let tests = match Test::read(&keys) {
            Ok(tests) => tests,
            Err((key, may)) => {
                let known = TestKey::of(&key).is_some();
                let at = table.iter().find(|(name, _)| name.get_ref() == key.as_str());
                let at = at.map_or_else(|| place.clone(), |(name, _)| page.at(name));
                let (kind, right) = if known {
                    (FaultKind::Impossible, may.to_owned())
                } else {
                    let all = TestKey::ALL.iter().map(|key| key.word()).chain(ROW_KEYS);
                    (FaultKind::UnknownKey, suggest(&key, all))
                };
                faults.note(&at, kind, format!("`{key}` of a row"), right);
                return None;
            }
        };
        match (of, tests.is_empty()) {
            (RowOf::Conditions, true) => {
                let right = "say what must be so; `otherwise` is for everything else";
                faults.note(&place, FaultKind::Impossible, "a row without a condition", right);
                return None;
            }
            (RowOf::Otherwise, false) => {
                let wrong = "`otherwise` has a condition";
                faults.note(&place, FaultKind::Impossible, wrong, "make it a row of `rows`");
                return None;
            }
            (RowOf::Conditions, false) | (RowOf::Otherwise, true) => {}
        }
        let outcome = self.outcome(table, &place, faults);
        let cited = find(table, "clause");
        if cited.is_none() {
            let right = "add clause = \"…\"";
            faults.note(&place, FaultKind::Missing, "a row has no clause", right);
        }
        let clauses = cited.and_then(|value| self.clauses(value, "a row", faults));
        let words = find(table, "when")
            .and_then(|value| page.text(value, "when", faults).map(str::to_owned));
        Some((Row { tests, outcome: outcome?, clauses: clauses?, words }, place))
    }

    fn outcome(&self, table: &DeTable<'_>, at: &Place, faults: &mut Faults) -> Option<RowOutcome> {
        let right = "one of pays = \"12:1\", kept = true, lost = true";
        let is = |name: &str| find(table, name).map(|value| value.get_ref().as_bool());
        let pays = find(table, "pays");
        match (pays, is("kept"), is("lost")) {
            (None, Some(Some(true)), None) => Some(RowOutcome::Kept),
            (None, None, Some(Some(true))) => Some(RowOutcome::Lost),
            (Some(value), None, None) => {
                let price = value.get_ref().as_str().map(str::parse::<Price>);
                match price {
                    Some(Ok(price)) => return Some(RowOutcome::Pays(price)),
                    Some(Err(why)) => {
                        let wrong = format!("`pays` of a row: {why}");
                        faults.note(&self.of.page.at(value), FaultKind::Impossible, wrong, right);
                    }
                    None => {
                        let wrong = "`pays` of a row is no text";
                        faults.note(&self.of.page.at(value), FaultKind::Impossible, wrong, right);
                    }
                }
                None
            }
            _ => {
                let wrong = "a row does not have exactly one outcome";
                faults.note(at, FaultKind::Impossible, wrong, right);
                None
            }
        }
    }
}

/// Which rows are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowOf {
    /// A row of `rows`.
    Conditions,
    /// What happens when no row matches.
    Otherwise,
}

fn find<'v>(table: &'v DeTable<'_>, name: &str) -> Option<&'v Value<'v>> {
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value)
}

/// Every way that two hands can end, as far as rows can tell: by totals and cards, or by pairs.
fn ends(pairs: bool) -> Vec<Score> {
    const KINDS: [Option<Pair>; 5] =
        [None, Some(Pair::Mixed), Some(Pair::Red), Some(Pair::Black), Some(Pair::Perfect)];
    let hand = |total, cards, pair| {
        let natural = cards == 2 && total >= 8;
        HandScore { total, natural, cards, pair }
    };
    if pairs {
        let both = KINDS.iter().flat_map(|one| KINDS.iter().map(move |other| (*one, *other)));
        let score = |(one, other)| Score { player: hand(6, 2, one), banker: hand(6, 2, other) };
        return both.map(score).collect();
    }
    let hands: Vec<_> =
        (0..10).flat_map(|total| [2, 3].map(|cards| hand(total, cards, None))).collect();
    let both = hands
        .iter()
        .flat_map(|player| hands.iter().map(|banker| Score { player: *player, banker: *banker }));
    // After a natural nobody draws.
    let possible = |score: &Score| {
        let natural = score.player.natural || score.banker.natural;
        !natural || (score.player.cards == 2 && score.banker.cards == 2)
    };
    both.filter(possible).collect()
}

/// Finds rows that never decide, that hide behind others, or that mix what is counted apart.
fn check_rows(key: Key, rows: &[(Row, Place)], faults: &mut Faults) {
    let tests = || rows.iter().flat_map(|(row, _)| &row.tests);
    let pairs = tests().any(|test| test.is_on_pairs());
    if let (true, Some((_, place))) =
        (pairs && !tests().all(|test| test.is_on_pairs()), rows.first())
    {
        let wrong = format!("the rows of `{key}` mix pairs with totals");
        let right = "a side bet looks at pairs, or at everything else";
        faults.note(place, FaultKind::Impossible, wrong, right);
        return;
    }
    check_each(key.as_str(), rows, &ends(pairs), faults);
}

/// Finds rows that decide none of these coups, or that overlap without need.
fn check_each(of: &str, rows: &[(Row, Place)], all: &[Score], faults: &mut Faults) {
    let mut left = all.to_vec();
    for (i, (row, place)) in rows.iter().enumerate() {
        if !all.iter().any(|score| row.holds(score)) {
            let wrong = format!("row {} of `{of}` can never match", i + 1);
            faults.note(place, FaultKind::Impossible, wrong, "conditions that go together");
            continue;
        }
        let decides: Vec<_> = left.iter().filter(|score| row.holds(score)).copied().collect();
        if decides.is_empty() {
            let wrong = format!("row {} of `{of}` never decides: rows before it do", i + 1);
            faults.note(place, FaultKind::Impossible, wrong, "put the special row first");
            continue;
        }
        let mut before = rows[..i].iter().map(|(other, _)| other);
        if let Some(test) = before.find_map(|other| apart(row, other, &decides, all)) {
            let wrong = format!("row {} of `{of}` overlaps with a row before it", i + 1);
            let right = format!("add `{}`", test.written());
            faults.note(place, FaultKind::Impossible, wrong, right);
        }
        left.retain(|score| !row.holds(score));
    }
}

/// The condition that would keep a row apart from one before it that decides otherwise, and leave
/// to the row all that it decides: without it they overlap, and there is no need. A row that holds
/// all of a special one before it is another matter.
fn apart(row: &Row, other: &Row, decides: &[Score], all: &[Score]) -> Option<Test> {
    let special = all.iter().filter(|score| other.holds(score)).all(|score| row.holds(score));
    let both = || all.iter().filter(|score| row.holds(score) && other.holds(score));
    if special || other.outcome == row.outcome || both().next().is_none() {
        return None;
    }
    // What the row before looks at is what tells them apart.
    let looks = other.tests.iter().filter(|test| !row.tests.iter().any(|own| own.is_like(**test)));
    let tests = looks.filter_map(|test| test.covering(decides));
    tests.into_iter().find(|test| !both().any(|score| test.holds(score)))
}

/// Finds the row because of which no stake at all would be paid in whole cents by every row.
fn check_prices(
    key: Key,
    rows: &[(Row, Place)],
    otherwise: &Row,
    place: &Place,
    faults: &mut Faults,
) {
    let mut prices = Vec::new();
    let last = [(otherwise, place)];
    for (row, at) in rows.iter().map(|(row, at)| (row, at)).chain(last) {
        let RowOutcome::Pays(price) = row.outcome else { continue };
        prices.push(price);
        if common_step(&prices).is_none() {
            let which = rows.iter().position(|(other, _)| other == row);
            let which = which.map_or("`otherwise`".to_owned(), |i| format!("row {}", i + 1));
            let wrong = format!(
                "{which} of `{key}` pays {price}, and no stake is paid in whole \
                                 cents by it and all rows before it"
            );
            faults.note(at, FaultKind::Impossible, wrong, "odds that have more in common");
            return;
        }
    }
}

/// The side bets of a sheet, by groups and pay tables.
pub(crate) fn declared(sheet: &Sheet, faults: &mut Faults) -> Vec<Declared> {
    let mut groups: Vec<Declared> = Vec::new();
    for line in &sheet.bets {
        let key = line.group();
        let spot = line.bet.key;
        let elsewhere =
            sheet.bets.iter().any(|other| other.bet.key == spot && other.group() != key);
        let twice = |other: &&BetLine| (other.bet.key, other.table) == (spot, line.table);
        if elsewhere || sheet.bets.iter().filter(twice).count() > 1 {
            let wrong = format!("`{spot}` is there twice");
            faults.note(
                &line.place,
                FaultKind::Impossible,
                wrong,
                "give each side bet its own key",
            );
            continue;
        }
        let at = groups.iter().position(|group| group.key == key).unwrap_or_else(|| {
            let section = rules::SideBets::section(key).path;
            let bare = (!sheet.sections.contains_key(section)).then_some(line.bet.offered);
            let name = sheet.names.get(section).unwrap_or(&line.bet.name).clone();
            groups.push(Declared { key, name, bare, tables: Vec::new() });
            groups.len() - 1
        });
        let tables = &mut groups[at].tables;
        if tables.first().is_some_and(|(first, ..)| first.is_some() != line.table.is_some()) {
            let wrong = format!("some side bets of `{key}` name a pay table, and some do not");
            faults.note(&line.place, FaultKind::Impossible, wrong, "all of them, or none");
            continue;
        }
        if let Some((_, _, bets)) = tables.iter_mut().find(|(table, ..)| *table == line.table) {
            bets.push(line.bet.clone());
            continue;
        }
        let section = line.table.map(|table| rules::SideBets::table_section(table).path);
        let name = section.and_then(|section| sheet.names.get(section));
        let name = name.unwrap_or(&groups[at].name).clone();
        groups[at].tables.push((line.table, name, vec![line.bet.clone()]));
    }
    for (section, place) in &sheet.sections {
        let used = |kind: &str, used: bool| section.starts_with(kind) && !used;
        let group = groups.iter().any(|g| rules::SideBets::section(g.key).path == *section);
        let mut tables = groups.iter().flat_map(|g| &g.tables).filter_map(|(key, ..)| *key);
        let table = tables.any(|key| rules::SideBets::table_section(key).path == *section);
        if used("side_bets.", group) || used("pay_tables.", table) {
            let wrong = format!("no [[side_bet]] belongs to `{section}`");
            let right = "side bets name it with `of` or `table`";
            faults.note(place, FaultKind::Impossible, wrong, right);
        }
    }
    groups
}
