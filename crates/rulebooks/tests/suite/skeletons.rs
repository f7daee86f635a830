//! Books to begin with.

use std::fs;

use rulebooks::{Skeleton, skeleton};

fn loads(id: &str, skeleton: &Skeleton) -> rulebooks::Book {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join(id);
    fs::create_dir(&book).unwrap();
    fs::write(book.join("rulebook.toml"), &skeleton.rulebook).unwrap();
    fs::write(book.join("clauses.toml"), &skeleton.clauses).unwrap();
    rulebooks::load(&book.display().to_string(), None).unwrap_or_else(|faults| panic!("{faults}"))
}

#[test]
fn a_blank_book_can_be_loaded_and_rests_on_the_one_clause_that_it_has() {
    let skeleton = skeleton(None).unwrap();
    let book = loads("blank", &skeleton);
    let mut cited = book.rulebook.answers().into_iter().filter_map(|answer| answer.clause);
    assert!(cited.all(|clause| clause.number() == "1"));
    // What a book can do without, it has not.
    let has = [!book.rulebook.side_bets.is_empty(), book.rulebook.tournament.is_some()];
    assert_eq!(has, [false, false]);
    assert!(skeleton.rulebook.contains("a list such as \"3, 4, 6 or 8\""));
    // Each item that is written says what it is about.
    let items = skeleton.rulebook.lines().filter(|line| line.contains(" = { is ")).count();
    assert!(items > 20, "{items}");
}

#[test]
fn a_copy_of_a_book_answers_as_that_book_does() {
    for id in rulebooks::ids() {
        let (copy, own) = (loads("copy", &skeleton(Some(id)).unwrap()), super::load(id, None));
        let answers = |book: &rulebooks::Book| {
            let all = book.rulebook.answers().into_iter();
            all.map(|answer| (answer.spec.path, answer.datum)).collect::<Vec<_>>()
        };
        assert_eq!(answers(&copy), answers(&own), "{id}");
    }
    assert!(skeleton(Some("no-such-book")).is_err());
}
