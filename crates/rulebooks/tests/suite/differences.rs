//! What changed between the two books of the ACT, against a list made by hand.

use std::collections::BTreeMap;

use rulebooks::differences;
use rules::policy::Answer;

const BY_HAND: &str = include_str!("../fixtures/act-2012-to-act-2018.txt");

#[test]
fn the_differences_of_the_two_act_books_are_those_found_by_hand() {
    let by_hand: BTreeMap<_, _> = BY_HAND
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let [before, after, path, _] = line.split(" | ").collect::<Vec<_>>()[..] else {
                panic!("a line has four parts: {line}")
            };
            (path.to_owned(), (before.to_owned(), after.to_owned()))
        })
        .collect();
    let (before, after) = (crate::load("act-2012", None), crate::load("act-2018", None));
    let number = |answer: Option<&Answer>| {
        let clause = answer.and_then(|answer| answer.clause);
        clause.map_or("-".to_owned(), |clause| clause.number().to_owned())
    };
    let found: BTreeMap<_, _> = differences(&before.rulebook, &after.rulebook)
        .iter()
        .map(|difference| {
            let clauses = (number(difference.before.as_ref()), number(difference.after.as_ref()));
            (difference.spec.path.to_owned(), clauses)
        })
        .collect();
    for (path, clauses) in &by_hand {
        assert_eq!(found.get(path), Some(clauses), "{path}, by hand and found");
    }
    for (path, clauses) in &found {
        assert!(by_hand.contains_key(path), "{path} {clauses:?} is not on the list by hand");
    }
}

#[test]
fn a_book_does_not_differ_from_itself() {
    for book in crate::all_books() {
        assert_eq!(differences(&book.rulebook, &book.rulebook), []);
    }
}

/// The side-by-side table of the readings, where two principal books agree to the value.
#[test]
fn a_tableau_drawn_otherwise_is_no_difference() {
    let (act, tas) = (crate::load("act-2012", None), crate::load("tas-2013", None));
    let found = differences(&act.rulebook, &tas.rulebook);
    assert!(found.iter().all(|difference| difference.spec.path != "tableau.banker"));
    assert!(found.iter().any(|difference| difference.spec.path == "cut.depth"));
}
