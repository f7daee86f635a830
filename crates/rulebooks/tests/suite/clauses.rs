//! Every clause of every source has an entry, and every entry has its place in a source.

use std::collections::BTreeSet;

use rulebooks::Duty;
use rules::policy::Answer;

/// Book, the numbers of its source, and what the source says without a number.
const SOURCES: [(&str, &str, &str); 5] = [
    source!("act-2012"),
    source!("act-2018"),
    source!("nz-1998"),
    source!("tas-2013"),
    source!("vic-2005"),
];

macro_rules! source {
    ($book:literal) => {
        (
            $book,
            include_str!(concat!("../fixtures/numbered/", $book, ".txt")),
            include_str!(concat!("../fixtures/unnumbered/", $book, ".txt")),
        )
    };
}
use source;

#[test]
fn every_numbered_clause_is_indexed_and_nothing_else_but_their_parts_and_unnumbered_text() {
    let mut total = 0;
    for (book, numbered, unnumbered) in SOURCES {
        let index = crate::load(book, None).index;
        let ids: BTreeSet<_> = index.entries.iter().map(|entry| entry.id.as_str()).collect();
        let numbered: BTreeSet<_> = numbered.lines().collect();
        let unnumbered: BTreeSet<_> = unnumbered.lines().collect();
        total += numbered.len();
        for wanted in numbered.union(&unnumbered) {
            assert!(ids.contains(wanted), "{book}: {wanted} of the source is not in the index");
        }
        for id in ids {
            let part = || id.split_once('(').is_some_and(|(whole, _)| numbered.contains(whole));
            let known = numbered.contains(id) || unnumbered.contains(id) || part();
            assert!(known, "{book}: {id} of the index is not in the source");
        }
    }
    assert_eq!(total, 382);
}

#[test]
fn well_over_two_thirds_of_each_index_are_enforced_or_recorded() {
    for (book, ..) in SOURCES {
        let entries = crate::load(book, None).index.entries;
        let carried = entries.iter().filter(|entry| entry.duty.is_carried_out()).count();
        assert!(carried * 4 >= entries.len() * 3, "{book}: {carried} of {}", entries.len());
    }
}

#[test]
fn a_clause_with_parts_has_the_strongest_duty_of_its_parts() {
    let rank = |duty: Duty| Duty::ALL.iter().position(|other| *other == duty);
    for (book, ..) in SOURCES {
        let entries = crate::load(book, None).index.entries;
        for whole in &entries {
            for part in entries.iter().filter(|part| part.id.starts_with(&format!("{}(", whole.id)))
            {
                let weaker = rank(part.duty) >= rank(whole.duty);
                assert!(
                    weaker,
                    "{book}: {} is {}, {} is {}",
                    whole.id, whole.duty, part.id, part.duty
                );
            }
        }
    }
}

#[test]
fn gists_are_sentences_that_fit_under_a_ruling() {
    for (book, ..) in SOURCES {
        for entry in crate::load(book, None).index.entries {
            for text in [Some(&entry.gist), entry.reading.as_ref()].into_iter().flatten() {
                assert!(!text.ends_with('.'), "{book} {}: ends with a stop", entry.id);
                assert!(!text.starts_with(char::is_lowercase), "{book} {}: {text}", entry.id);
            }
            assert!(entry.gist.chars().count() <= 160, "{book} {}: too long", entry.id);
        }
    }
}

/// A table under an amendment cites whichever of the two books spoke.
#[test]
fn every_decision_and_ground_cites_a_clause_that_can_be_looked_up() {
    for book in crate::all_books() {
        for Answer { spec, clause, .. } in book.rulebook.answers() {
            let found = clause.is_none_or(|clause| book.clause(&clause).is_some());
            assert!(found, "{} cites {clause:?}", spec.path);
        }
    }
}
