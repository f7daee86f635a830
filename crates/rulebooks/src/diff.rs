//! What changed between two books.

use rules::Rulebook;
use rules::policy::{Answer, SectionSpec, Spec};

/// A decision or a ground on which two books differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The section that it belongs to.
    pub section: &'static SectionSpec,
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
    let mut differences = Vec::new();
    for section in Rulebook::SECTIONS {
        for spec in section.items {
            let (before, after) = (find(&before, spec), find(&after, spec));
            let differ = match (&before, &after) {
                (Some(before), Some(after)) => before.datum != after.datum,
                // Where one lacks the section, an answer of the other without a rule is as good.
                (Some(one), None) | (None, Some(one)) => one.clause.is_some(),
                (None, None) => false,
            };
            if differ {
                differences.push(Difference { section, spec, before, after });
            }
        }
    }
    differences
}
