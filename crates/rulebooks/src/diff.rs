//! What changed between two books.

use rules::Rulebook;
use rules::policy::{Answer, Spec};

/// A decision or a ground on which two books differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The title of the section that it belongs to.
    pub section: &'static str,
    /// The decision or the ground.
    pub spec: &'static Spec,
    /// What the first book says; nothing if it has no such ground or section.
    pub before: Option<Answer>,
    /// What the second book says; nothing if it has no such ground or section.
    pub after: Option<Answer>,
}

/// What two books differ on, in the order of a book. A clause that has only moved is no difference.
#[must_use]
pub fn differences(before: &Rulebook, after: &Rulebook) -> Vec<Difference> {
    let (before, after) = (before.answers(), after.answers());
    let find = |answers: &[Answer], spec: &Spec| {
        answers.iter().find(|answer| answer.spec.path == spec.path).cloned()
    };
    let titles = Rulebook::SECTIONS
        .iter()
        .flat_map(|section| section.items.iter().map(|spec| (spec, section.title.trim())));
    let mut specs: Vec<(&'static Spec, &'static str)> = titles.collect();
    // Side bets have the names that the books chose.
    for answer in before.iter().chain(&after) {
        let path = answer.spec.path;
        let named = ["side_bet", "pay_tables", "methods"].iter().any(|kind| path.starts_with(kind));
        if named && !specs.iter().any(|(spec, _)| spec.path == path) {
            let methods = path.starts_with("methods") || path.contains("side_bet.banker (");
            specs.push((answer.spec, if methods { "Methods" } else { "Side bets" }));
        }
    }
    let mut differences = Vec::new();
    for (spec, section) in specs {
        let (before, after) = (find(&before, spec), find(&after, spec));
        let differ = match (&before, &after) {
            // The rows of a side bet have their clauses in them; its words have not.
            (Some(before), Some(after)) if spec.path.starts_with("side_bet.") => {
                before.words != after.words
            }
            (Some(before), Some(after)) => before.datum != after.datum,
            // Where one lacks the section, an answer of the other without a rule is as good.
            (Some(one), None) | (None, Some(one)) => one.clause.is_some(),
            (None, None) => false,
        };
        if differ {
            differences.push(Difference { section, spec, before, after });
        }
    }
    differences
}
