//! From sheets to a rulebook: an amendment laid over its base, every item read, all checked.

use rules::policy::{Datum, Found, Kind, SectionSpec, Source, Spec};
use rules::{BookId, Rulebook, Title, lies_within};

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
    laid.spoilt.extend(&amendment.spoilt);
    laid.sections.extend(amendment.sections.iter().map(|(name, at)| (*name, at.clone())));
    laid
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
        game: sheet.title.game.clone(),
        jurisdiction: sheet.title.jurisdiction.clone(),
        instrument: sheet.title.instrument.clone(),
        in_force: sheet.title.in_force.clone(),
    };
    let book = Rulebook::gather(title, &mut Reader { sheet, faults })?;
    for Clash { path, wrong, right } in together(&book) {
        let place = sheet.lines.get(path).map_or(&sheet.top, |line| &line.place);
        faults.note(place, FaultKind::Impossible, wrong, right);
    }
    Some(book)
}

/// Finds clauses of the index that no decision and no ground carries out.
pub(crate) fn account_for(sheet: &Sheet, index: &Index, faults: &mut Faults) {
    for entry in index.entries.iter().filter(|entry| entry.duty.is_carried_out()) {
        let cited = |line: &Line| lies_within(line.clause.number(), &entry.id);
        if !sheet.lines.values().any(cited) {
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
        if self.sheet.without.contains_key(spec.path) {
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
    let kinds = book.perfect_pairs.is_some() || book.canberra_pairs.is_some();
    if book.pairs.is_some() && !kinds {
        let right = "give `perfect_pairs` or `canberra_pairs`";
        clashes.push(clash("pairs.offered", "the book has Pairs of no kind", right));
    }
}
