//! From sheets to a rulebook: an amendment laid over its base, every item read, all checked.

use rules::book::SettledWhen;
use rules::policy::{Datum, Found, Kind, SectionSpec, Source, Spec};
use rules::{
    BookId, Clause, Key, PayMethod, RowOutcome, Rulebook, SideBet, SideBets, Title, common_step,
    lies_within, spelt,
};

use crate::bets::{BetLine, MethodRows, declared};
use crate::fault::{FaultKind, Faults};
use crate::index::Index;
use crate::sheet::{Line, Sheet, Verb, form};

/// Lays an amendment over its base. What they disagree on must have been declared.
pub(crate) fn overlay(
    base_id: &str,
    base: &Sheet,
    amendment: &Sheet,
    faults: &mut Faults,
) -> Sheet {
    let mut laid = base.clone();
    laid.title = amendment.title.clone();
    laid.top = amendment.top.clone();
    for (&path, line) in &amendment.lines {
        match (line.verb, base.lines.get(path)) {
            (Some(Verb::Adds), Some(old)) => {
                let wrong = format!("`{path}` collides with {}, which speaks of it", old.clause);
                let right = "say `replaces` or `sets` if it is to hold instead";
                faults.note(&line.place, FaultKind::Collision, wrong, right);
            }
            (Some(Verb::Replaces), None) => {
                let wrong = format!("`{path}` replaces nothing: {base_id} has no rule on it");
                faults.note(&line.place, FaultKind::Collision, wrong, "say `adds` or `sets`");
            }
            (Some(Verb::Adds | Verb::Sets) | None, None)
            | (Some(Verb::Replaces | Verb::Sets) | None, Some(_)) => {}
        }
        laid.lines.insert(path, line.clone());
        laid.without.remove(path);
    }
    for (path, place) in &amendment.without {
        let inside = format!("{path}.");
        let speaks = base.lines.keys().any(|key| key == path || key.starts_with(&inside));
        if !speaks {
            laid.without.insert(path.clone(), place.clone());
        } else if amendment.title.amends.as_ref().is_some_and(|(own, _)| own == base_id) {
            // Over another base than its own, a silent amendment simply lets it speak.
            let wrong = format!("`{path}` has no rule here, and {base_id} speaks of it");
            let right = "leave it out: an amendment cannot silence its base";
            faults.note(place, FaultKind::Silence, wrong, right);
        }
    }
    for line in &amendment.bets {
        lay_bet(base_id, &mut laid, line, faults);
    }
    let new: Vec<_> = amendment.methods.iter().filter(|key| !base.methods.contains(key)).collect();
    laid.methods.extend(new);
    for (path, rows) in &amendment.rows {
        lay_rows(base_id, &mut laid, path, rows, faults);
    }
    laid.names.extend(amendment.names.iter().map(|(path, name)| (*path, name.clone())));
    laid.with.extend(amendment.with.iter().cloned());
    laid.spoilt.extend(&amendment.spoilt);
    laid.sections.extend(amendment.sections.iter().map(|(name, at)| (*name, at.clone())));
    laid
}

/// Lays a side bet of an amendment over its base.
fn lay_bet(base_id: &str, laid: &mut Sheet, line: &BetLine, faults: &mut Faults) {
    let key = line.bet.key;
    let same = |old: &BetLine| (old.bet.key, old.table) == (key, line.table);
    let at = laid.bets.iter().position(same);
    match (line.verb, at) {
        (Some(Verb::Adds), Some(_)) => {
            let wrong = format!("`{key}` collides with the side bet of {base_id}");
            let right = "say `replaces` or `sets` if it is to hold instead";
            faults.note(&line.place, FaultKind::Collision, wrong, right);
        }
        (Some(Verb::Replaces), None) => {
            let wrong = format!("`{key}` replaces nothing: {base_id} has no such side bet");
            faults.note(&line.place, FaultKind::Collision, wrong, "say `adds` or `sets`");
        }
        (_, Some(at)) => laid.bets[at] = line.clone(),
        (_, None) => laid.bets.push(line.clone()),
    }
}

/// Lays the rows of a method of an amendment over those of its base.
fn lay_rows(
    base_id: &str,
    laid: &mut Sheet,
    path: &'static str,
    rows: &MethodRows,
    faults: &mut Faults,
) {
    match (rows.verb, laid.rows.get(path)) {
        (Some(Verb::Adds), Some(_)) => {
            let wrong = format!("`{path}.rows` collides with the rows of {base_id}");
            let right = "say `replaces` or `sets` if they are to hold instead";
            faults.note(&rows.place, FaultKind::Collision, wrong, right);
        }
        (Some(Verb::Replaces), None) => {
            let wrong = format!("`{path}.rows` replaces nothing: {base_id} has no such rows");
            faults.note(&rows.place, FaultKind::Collision, wrong, "say `adds` or `sets`");
        }
        (Some(Verb::Adds | Verb::Sets) | None, None)
        | (Some(Verb::Replaces | Verb::Sets) | None, Some(_)) => {}
    }
    laid.rows.insert(path, rows.clone());
}

/// Makes a rulebook of a sheet; nothing if an item cannot be read.
pub(crate) fn resolve(
    id: BookId,
    base: Option<BookId>,
    sheet: &Sheet,
    faults: &mut Faults,
) -> Option<Rulebook> {
    let title = Title {
        id,
        base,
        with: Vec::new(),
        game: sheet.title.game.clone(),
        jurisdiction: sheet.title.jurisdiction.clone(),
        instrument: sheet.title.instrument.clone(),
        in_force: sheet.title.in_force.clone(),
    };
    let side_bets = declared(sheet, faults);
    let rows = |key: &Key| sheet.rows.get(PayMethod::section(*key).path);
    let rows = |key: &Key| rows(key).map_or_else(Vec::new, |own| own.rows.clone());
    let methods: Vec<_> = sheet.methods.iter().map(|key| (*key, rows(key))).collect();
    if methods.is_empty() {
        let right = "begin one with [methods.commission]";
        faults.note(&sheet.top, FaultKind::Missing, "no method of paying main wagers", right);
    }
    let book = Rulebook::gather(title, methods, side_bets, &mut Reader { sheet, faults })?;
    for Clash { path, wrong, right } in together(&book) {
        let place = sheet.lines.get(path).map_or(&sheet.top, |line| &line.place);
        faults.note(place, FaultKind::Impossible, wrong, right);
    }
    Some(book)
}

/// Lays a sheet of side bets over a book.
pub(crate) fn add(id: BookId, book: &mut Rulebook, sheet: &Sheet, faults: &mut Faults) {
    let groups = declared(sheet, faults);
    for line in &sheet.bets {
        let (group, spot) = (line.group(), line.bet.key);
        let taken =
            book.side_bets(group).is_some() || book.side_bets.iter().any(|bets| bets.has(spot));
        if taken {
            let wrong = format!("{} has `{spot}` of its own", book.title.name());
            let right = "leave this sheet out";
            faults.note(&line.place, FaultKind::Collision, wrong, right);
            return;
        }
    }
    book.add(id, groups, &mut Reader { sheet, faults });
    for Clash { path, wrong, right } in together(book) {
        let place = sheet.lines.get(path).map_or(&sheet.top, |line| &line.place);
        faults.note(place, FaultKind::Impossible, wrong, right);
    }
}

/// Finds clauses of the index that no decision and no ground carries out.
pub(crate) fn account_for(sheet: &Sheet, index: &Index, faults: &mut Faults) {
    if sheet.lost_bets {
        // Whatever is not accounted for may be in what could not be read.
        return;
    }
    for entry in index.entries.iter().filter(|entry| entry.duty.is_carried_out()) {
        let here = |clause: Clause| lies_within(&spelt(clause.number()), &entry.id);
        let cited = |line: &Line| line.clause.each().any(here);
        let in_a_bet = |line: &BetLine| line.clauses().flat_map(Clause::each).any(here);
        let in_a_row =
            |own: &MethodRows| own.rows.iter().flat_map(|row| &row.clauses).any(|by| here(*by));
        if sheet.rows.values().any(in_a_row) {
            continue;
        }
        if !sheet.lines.values().any(cited) && !sheet.bets.iter().any(in_a_bet) {
            let wrong = format!("clause {} is {}, and nothing rests on it", entry.id, entry.duty);
            let right = "let a decision or a ground of rulebook.toml cite it, or give it the duty \
                         `shown` or `defines`";
            faults.note(&entry.place, FaultKind::Unaccounted, wrong, right);
        }
    }
}

/// Hands out what a sheet says, and notes what it lacks.
struct Reader<'a> {
    sheet: &'a Sheet,
    faults: &'a mut Faults,
}

impl Source for Reader<'_> {
    fn lacks(&mut self, section: &SectionSpec) -> bool {
        if self.sheet.has_section(section) {
            return false;
        }
        let whole = |path: &str| Rulebook::SECTIONS.iter().find(|section| section.path == path);
        if section.part_of.and_then(whole).is_some_and(|whole| !self.sheet.has_section(whole)) {
            return true;
        }
        if !self.sheet.without.contains_key(section.path) {
            // One fault for the section, instead of one for each of its items.
            let wrong =
                format!("the section `{}` is missing ({})", section.path, section.title.trim());
            let right = format!("give it, or write {} = \"none\" at the top", section.path);
            self.faults.note(&self.sheet.top, FaultKind::Missing, wrong, right);
        }
        true
    }

    fn find(&mut self, spec: &'static Spec) -> Found {
        if let Some(line) = self.sheet.lines.get(spec.path) {
            return match &line.datum {
                Some(datum) => Found::Given(datum.clone(), line.clause),
                None => Found::Resting(line.clause),
            };
        }
        if self.sheet.spoilt.contains(&spec.path) {
            return Found::Nothing;
        }
        let unmentioned = self.sheet.alone && spec.may_lack_a_clause();
        if spec.since() > self.sheet.format
            && spec.may_lack_a_clause()
            && !self.sheet.without.contains_key(spec.path)
        {
            let (path, since) = (spec.path, spec.since());
            self.faults
                .remark(format!("`{path}` is asked since format {since}; it counts as silent"));
            return Found::Without;
        }
        if unmentioned || self.sheet.without.contains_key(spec.path) {
            return Found::Without;
        }
        let wrong = format!("`{}` is missing ({})", spec.path, spec.label());
        let right = form(spec, self.sheet.amends());
        self.faults.note(self.sheet.place_of(spec), FaultKind::Missing, wrong, right);
        Found::Nothing
    }

    fn misfit(&mut self, spec: &'static Spec, datum: &Datum, why: &str) {
        let place = &self.sheet.lines[spec.path].place;
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        let wrong = format!("`{}` is {datum}{why}", spec.path);
        let right = match spec.kind {
            Kind::Decision { shape, .. } => format!("it takes {shape}"),
            Kind::Ground { .. } | Kind::Section => form(spec, self.sheet.amends()),
        };
        self.faults.note(place, FaultKind::Impossible, wrong, right);
    }
}

/// Two things that a book says and that do not go together.
pub(crate) struct Clash {
    path: &'static str,
    wrong: String,
    right: String,
}

fn clash(path: &'static str, wrong: impl Into<String>, right: impl Into<String>) -> Clash {
    Clash { path, wrong: wrong.into(), right: right.into() }
}

/// Finds answers that are possible each for itself, but not together.
pub(crate) fn together(book: &Rulebook) -> Vec<Clash> {
    let mut clashes = Vec::new();
    check_cut(book, &mut clashes);
    check_tableau(book, &mut clashes);
    check_companions(book, &mut clashes);
    check_methods(book, &mut clashes);
    check_side_bets(book, &mut clashes);
    clashes
}

fn check_cut(book: &Rulebook, clashes: &mut Vec<Clash>) {
    let smallest_shoe = book.cards.decks.value.least() * 52;
    let depth = book.cut.depth.value.get();
    if depth * 2 > smallest_shoe {
        let wrong = format!("`cut.depth` is {depth} from either end of {smallest_shoe} cards");
        clashes.push(clash("cut.depth", wrong, format!("it is at most {}", smallest_shoe / 2)));
    }
    let behind = book.cut.behind.value.least();
    if behind >= smallest_shoe {
        let wrong = format!("`cut.behind` is {behind} cards of {smallest_shoe}");
        let right = "the cutting card stands behind at least one card";
        clashes.push(clash("cut.behind", wrong, right));
    }
}

fn check_tableau(book: &Rulebook, clashes: &mut Vec<Clash>) {
    let tableau = &book.tableau;
    let in_grid = tableau.banker.value.says_if_player_stood();
    match (in_grid, &tableau.banker_if_player_stood) {
        (true, Some(_)) => clashes.push(clash(
            "tableau.banker_if_player_stood",
            "what Banker does when Player stood is said twice",
            "leave out the column `-` of `tableau.banker`, or answer \"none\" here",
        )),
        (false, None) => clashes.push(clash(
            "tableau.banker",
            "nothing says what Banker does when Player stood",
            "draw a column `-`, or give `tableau.banker_if_player_stood`",
        )),
        (true, None) | (false, Some(_)) => {}
    }
    let natural = tableau.natural.value;
    if let Some(total) = (8..=9).find(|&total| !natural.holds(total)) {
        let wrong = format!("a total of {total} is no natural, and the tableau has no row for it");
        clashes.push(clash("tableau.natural", wrong, "naturals include 8 and 9"));
    }
}

/// What means nothing one without the other: the path, whether it is there, and what it needs.
fn check_companions(book: &Rulebook, clashes: &mut Vec<Clash>) {
    let limits = &book.limits;
    let (exposure, remedy) = (limits.exposure.is_some(), limits.exposure_remedy.is_some());
    let event = book.tournament.is_some();
    let needs = [
        ("limits.exposure", exposure, "limits.exposure_remedy", remedy),
        ("limits.exposure_remedy", remedy, "limits.exposure", exposure),
        ("tournament", event, "tournament_chips", book.tournament_chips.is_some()),
        ("tournament", event, "tournament_wagers", book.tournament_wagers.is_some()),
        ("tournament", event, "prizes", book.prizes.is_some()),
        ("tournament", event, "conditions", book.conditions.is_some()),
    ];
    for (one, given, other, there) in needs {
        if given && !there {
            let wrong = format!("the book speaks of `{one}` and not of `{other}`");
            clashes.push(clash(one, wrong, format!("`{one}` needs `{other}`")));
        }
    }
}

/// What is said of methods, and whether there is a choice between them.
fn check_methods(book: &Rulebook, clashes: &mut Vec<Clash>) {
    let settlement = &book.settlement;
    if settlement.change.is_some() && book.methods.len() < 2 {
        let wrong = "the book has a rule on changing the method, and one method only";
        clashes.push(clash("settlement.change", wrong, "\"any-time\", or another method"));
    }
    for method in &book.methods {
        let mut prices = vec![method.rules.banker.value];
        for (at, row) in method.rows.iter().enumerate() {
            let RowOutcome::Pays(price) = row.outcome else { continue };
            prices.push(price);
            if common_step(&prices).is_none() {
                let section = PayMethod::section(method.key);
                let path = section.items.iter().find(|spec| spec.key() == "banker");
                let path = path.map_or(section.path, |spec| spec.path);
                let wrong = format!(
                    "row {} of `{}` pays {price}, and no stake is paid in whole cents by it and \
                     all prices before it",
                    at + 1,
                    section.path
                );
                clashes.push(clash(path, wrong, "odds that have more in common"));
                break;
            }
        }
    }
    for method in book.methods.iter().filter(|method| method.rules.name.is_some()) {
        if settlement.displayed.is_none() {
            let section = PayMethod::section(method.key);
            let wrong = format!("`{}` has a name that no sign shows", section.path);
            clashes.push(clash(section.items[0].path, wrong, "give `settlement.displayed`"));
        }
    }
}

/// What the rules of a group of side bets need of its rows.
fn check_side_bets(book: &Rulebook, clashes: &mut Vec<Clash>) {
    for group in &book.side_bets {
        let section = SideBets::section(group.key);
        let path = |key: &str| section.items.iter().find(|spec| spec.key() == key);
        let path = |key: &str| path(key).map_or(section.path, |spec| spec.path);
        let bets = || group.tables.iter().flat_map(|table| &table.bets);
        let early = group.rules.settled.is_some_and(|s| s.value == SettledWhen::BeforeThirdCards);
        if early && !bets().all(SideBet::is_on_pairs) {
            let wrong = format!("`{}` is settled before third cards, and looks at them", group.key);
            clashes.push(clash(path("settled"), wrong, "only pairs are known by then"));
        }
        let kept = |bet: &SideBet| bet.all_rows().any(|row| row.outcome == RowOutcome::Kept);
        if group.rules.kept_call.is_some() && !bets().any(kept) {
            let wrong = format!("`{}` has a call for kept stakes, and keeps none", group.key);
            clashes.push(clash(path("kept_call"), wrong, "no call, or a row that keeps stakes"));
        }
        if group.rules.entitlement.is_some() && bets().any(|bet| bet.side.is_none()) {
            let wrong = format!("`{}` has an order of entitlement, and is on no hand", group.key);
            clashes.push(clash(path("entitlement"), wrong, "give each side bet its `side`"));
        }
    }
}
