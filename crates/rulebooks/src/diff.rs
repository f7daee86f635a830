//! What changed between two books.

use rules::Rulebook;
use rules::policy::{Entry, SectionSpec, Spec};

/// A policy on which two books differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The section that it belongs to.
    pub section: &'static SectionSpec,
    /// The policy.
    pub spec: &'static Spec,
    /// What the first book says; nothing if it is silent.
    pub before: Option<Entry>,
    /// What the second book says; nothing if it is silent.
    pub after: Option<Entry>,
}

/// The policies on which two books differ in what they say, in the order of a book. A clause that
/// has only moved is no difference.
#[must_use]
pub fn differences(before: &Rulebook, after: &Rulebook) -> Vec<Difference> {
    let (before, after) = (before.entries(), after.entries());
    let find = |entries: &[Entry], spec: &Spec| {
        entries.iter().find(|entry| entry.spec.path == spec.path).cloned()
    };
    let mut differences = Vec::new();
    for section in Rulebook::SECTIONS {
        for spec in section.policies {
            let (before, after) = (find(&before, spec), find(&after, spec));
            if before.as_ref().map(|entry| &entry.datum) != after.as_ref().map(|entry| &entry.datum)
            {
                differences.push(Difference { section, spec, before, after });
            }
        }
    }
    differences
}
