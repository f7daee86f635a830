//! From sheets to a rulebook: an amendment laid over its base, every policy read, all checked.

use rules::policy::{Datum, Found, SectionSpec, Shape, Source, Spec};
use rules::{BookId, Rulebook, Title, lies_within};

use crate::fault::{FaultKind, Faults, Place};
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
                let wrong = format!("`{path}` replaces nothing: {base_id} is silent on it");
                faults.note(&line.place, FaultKind::Collision, wrong, "say `adds` or `sets`");
            }
            (Some(Verb::Adds | Verb::Sets) | None, None)
            | (Some(Verb::Replaces | Verb::Sets) | None, Some(_)) => {}
        }
        laid.lines.insert(path, line.clone());
        laid.silent.remove(path);
    }
    for (path, place) in &amendment.silent {
        let inside = format!("{path}.");
        let speaks = base.lines.keys().any(|key| key == path || key.starts_with(&inside));
        if !speaks {
            laid.silent.insert(path.clone(), place.clone());
        } else if amendment.title.amends.as_ref().is_some_and(|(own, _)| own == base_id) {
            // Over another base than its own, a silent amendment simply lets it speak.
            let wrong = format!("`{path}` is listed as silent, and {base_id} speaks of it");
            let right = "leave it out: an amendment cannot silence its base";
            faults.note(place, FaultKind::Silence, wrong, right);
        }
    }
    laid.spoilt.extend(&amendment.spoilt);
    laid.sections.extend(amendment.sections.iter().map(|(name, at)| (*name, at.clone())));
    laid
}

/// Makes a rulebook of a sheet; nothing if a policy cannot be read.
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
    Checker { book: &book, sheet, faults }.check();
    Some(book)
}

/// Finds clauses of the index that no policy carries out.
pub(crate) fn account_for(sheet: &Sheet, index: &Index, faults: &mut Faults) {
    for entry in index.entries.iter().filter(|entry| entry.duty.is_carried_out()) {
        let cited = |line: &Line| lies_within(line.clause.number(), &entry.id);
        if !sheet.lines.values().any(cited) {
            let wrong = format!("clause {} is {}, and no policy cites it", entry.id, entry.duty);
            let right = "cite it in rulebook.toml, or give it the duty `shown` or `defines`";
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
    fn is_silent_on(&mut self, section: &SectionSpec) -> bool {
        if section.policies.iter().any(|spec| self.sheet.speaks_of(spec.path)) {
            return false;
        }
        if !self.sheet.silent.contains_key(section.path) {
            // One fault for the section, instead of one for each of its policies.
            let wrong = format!("the section `{}` is missing", section.path);
            let right = "give it, or list it in `silent` at the top";
            self.faults.note(&self.sheet.top, FaultKind::Missing, wrong, right);
        }
        true
    }

    fn find(&mut self, spec: &'static Spec) -> Found {
        if let Some(line) = self.sheet.lines.get(spec.path) {
            return Found::Given(line.datum.clone(), line.clause);
        }
        if self.sheet.spoilt.contains(&spec.path) {
            return Found::Nothing;
        }
        if self.sheet.silent.contains_key(spec.path) {
            return Found::Silent;
        }
        let wrong = format!("`{}` is missing ({})", spec.path, spec.label());
        let mut right = form(spec, self.sheet.amends());
        if spec.may_be_silent {
            right.push_str("; or list it in the section's `silent`");
        }
        self.faults.note(self.sheet.place_of(spec), FaultKind::Missing, wrong, right);
        Found::Nothing
    }

    fn misfit(&mut self, spec: &'static Spec, datum: &Datum, why: &str) {
        let place = &self.sheet.lines[spec.path].place;
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        let wrong = format!("`{}` is {datum}{why}", spec.path);
        let right = match spec.shape {
            Shape::Stated => form(spec, self.sheet.amends()),
            shape => format!("it takes {shape}"),
        };
        self.faults.note(place, FaultKind::Impossible, wrong, right);
    }
}

/// Finds values that are possible each for itself, but not together.
struct Checker<'a> {
    book: &'a Rulebook,
    sheet: &'a Sheet,
    faults: &'a mut Faults,
}

impl Checker<'_> {
    fn check(&mut self) {
        self.check_cut();
        self.check_tableau();
        self.check_companions();
    }

    fn note(&mut self, path: &str, wrong: String, right: impl Into<String>) {
        let top: &Place = &self.sheet.top;
        let place = self.sheet.lines.get(path).map_or(top, |line| &line.place);
        self.faults.note(place, FaultKind::Impossible, wrong, right);
    }

    fn check_cut(&mut self) {
        let smallest_shoe = self.book.cards.decks.value.least() * 52;
        let depth = self.book.cut.depth.value.get();
        if depth * 2 > smallest_shoe {
            self.note(
                "cut.depth",
                format!("`cut.depth` is {depth} from either end of {smallest_shoe} cards"),
                format!("it is at most {}", smallest_shoe / 2),
            );
        }
        let behind = self.book.cut.behind.value.least();
        if behind >= smallest_shoe {
            self.note(
                "cut.behind",
                format!("`cut.behind` is {behind} cards of {smallest_shoe}"),
                "the cutting card stands behind at least one card",
            );
        }
    }

    fn check_tableau(&mut self) {
        let tableau = &self.book.tableau;
        let in_grid = tableau.banker.value.says_if_player_stood();
        match (in_grid, &tableau.banker_if_player_stood) {
            (true, Some(_)) => self.note(
                "tableau.banker_if_player_stood",
                "what Banker does when Player stood is said twice".to_owned(),
                "leave out the column `-` of `tableau.banker`, or this policy",
            ),
            (false, None) => self.note(
                "tableau.banker",
                "nothing says what Banker does when Player stood".to_owned(),
                "draw a column `-`, or give `tableau.banker_if_player_stood`",
            ),
            (true, None) | (false, Some(_)) => {}
        }
        let natural = tableau.natural.value;
        if let Some(total) = (8..=9).find(|&total| !natural.holds(total)) {
            self.note(
                "tableau.natural",
                format!("a total of {total} is no natural, and the tableau has no row for it"),
                "naturals include 8 and 9",
            );
        }
    }

    /// Policies that mean nothing one without the other.
    fn check_companions(&mut self) {
        let limits = &self.book.limits;
        let pairs = [
            (
                "limits.exposure",
                limits.exposure.is_some(),
                "limits.exposure_remedy",
                limits.exposure_remedy.is_some(),
            ),
            (
                "limits.payable_part",
                limits.payable_part.is_some(),
                "limits.payable",
                limits.payable.is_some(),
            ),
            (
                "limits.under_minimum_again",
                limits.under_minimum_again.is_some(),
                "limits.under_minimum",
                limits.under_minimum.is_some(),
            ),
            (
                "perfect_pairs",
                self.book.perfect_pairs.is_some(),
                "pairs",
                self.book.pairs.is_some(),
            ),
            (
                "canberra_pairs",
                self.book.canberra_pairs.is_some(),
                "pairs",
                self.book.pairs.is_some(),
            ),
            (
                "conditions",
                self.book.conditions.is_some(),
                "tournament",
                self.book.tournament.is_some(),
            ),
            (
                "tournament",
                self.book.tournament.is_some(),
                "tournament_chips",
                self.book.tournament_chips.is_some(),
            ),
            (
                "tournament",
                self.book.tournament.is_some(),
                "tournament_wagers",
                self.book.tournament_wagers.is_some(),
            ),
            ("tournament", self.book.tournament.is_some(), "prizes", self.book.prizes.is_some()),
        ];
        for (one, given, other, there) in pairs {
            if given && !there {
                let wrong = format!("the book speaks of `{one}` and is silent on `{other}`");
                self.note(one, wrong, format!("`{one}` needs `{other}`"));
            }
        }
        let kinds = self.book.perfect_pairs.is_some() || self.book.canberra_pairs.is_some();
        if self.book.pairs.is_some() && !kinds {
            let wrong = "the book has Pairs of no kind".to_owned();
            self.note("pairs.offered", wrong, "give `perfect_pairs` or `canberra_pairs`");
        }
    }
}
