//! A sixth book is a folder: house books in a temporary place, loaded and played.

use std::fs;
use std::path::{Path, PathBuf};

use rules::{Bet, Card, Cents, Method, Spot, Terms, Verdict};
use tempfile::TempDir;

/// A folder with one book in it.
pub(crate) struct House {
    folder: TempDir,
}

impl House {
    /// A house book that amends `act-2018` by what is given.
    pub(crate) fn amending(answers: &str, clauses: &str) -> Self {
        let title = "[title]\ngame = \"House\"\njurisdiction = \"Here\"\ninstrument = \"Notice\"\n\
                     in_force = \"now\"\namends = \"act-2018\"\n";
        Self::written(&format!("{title}\n{answers}"), clauses)
    }

    /// A copy of a book that comes with Sabot, its text changed in one place.
    pub(crate) fn copy_of(book: &str, file: &str, from: &str, to: &str) -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulebooks").join(book);
        let read = |name: &str| fs::read_to_string(source.join(name)).unwrap();
        let changed = |name: &str| {
            let text = read(name);
            if name != file {
                return text;
            }
            assert!(text.contains(from), "{book}/{file} has no {from}");
            text.replacen(from, to, 1)
        };
        Self::written(&changed("rulebook.toml"), &changed("clauses.toml"))
    }

    pub(crate) fn written(rulebook: &str, clauses: &str) -> Self {
        let house = Self { folder: TempDir::new().unwrap() };
        fs::create_dir(house.path()).unwrap();
        fs::write(house.path().join("rulebook.toml"), rulebook).unwrap();
        fs::write(house.path().join("clauses.toml"), clauses).unwrap();
        house
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("house")
    }

    pub(crate) fn load(&self) -> Result<rulebooks::Book, rulebooks::LoadError> {
        rulebooks::load(self.path().to_str().unwrap(), None)
    }
}

const ONE_CLAUSE: &str =
    "numbered = [\"1\"]\n[[clause]]\nid = \"1\"\nduty = \"enforced\"\ngist = \"Four per cent\"\n";

fn banker_wins(book: &rules::Rulebook) -> (Cents, Vec<String>) {
    let terms = Terms::main(Method::commission());
    let cards: Vec<Card> =
        ["3h", "Kd", "3c", "2s", "5h"].iter().map(|card| card.parse().unwrap()).collect();
    let bet = Bet { spot: Spot::Banker, stake: Cents::new(10_000).unwrap() };
    let coup = book.play(&terms, &cards, &[bet]).unwrap();
    let Verdict::Won(winnings) = coup.settled[0].verdict else { panic!("{coup:?}") };
    (winnings.net, coup.settled[0].clauses.iter().map(ToString::to_string).collect())
}

#[test]
fn a_small_house_book_is_one_folder_and_a_coup_is_played_under_it() {
    let answers = "[methods.commission]\nbanker = { replaces = \"1:1 less 4%\", clause = \"1\" }\n";
    let house = House::amending(answers, ONE_CLAUSE);
    let book = house.load().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(book.rulebook.title.name(), "house over act-2018");
    let (won, clauses) = banker_wins(&book.rulebook);
    assert_eq!(won, Cents::new(9600).unwrap());
    assert_eq!(clauses, ["act-2018 4.3(a)(i)", "house 1"]);
}

#[test]
fn a_principal_house_book_is_one_folder_too() {
    let house = House::copy_of("nz-1998", "rulebook.toml", "1:1 less 5%", "1:1 less 6%");
    let book = house.load().unwrap_or_else(|error| panic!("{error}"));
    let (won, clauses) = banker_wins(&book.rulebook);
    assert_eq!(won, Cents::new(9400).unwrap());
    assert_eq!(clauses, ["house 5.1(a)(i)", "house 5.7(b)"]);
}

#[test]
fn a_house_book_may_amend_a_book_in_the_folder_beside_it() {
    let base = House::copy_of("nz-1998", "rulebook.toml", "1:1 less 5%", "1:1 less 6%");
    let beside = base.path().parent().unwrap().join("friday");
    fs::create_dir(&beside).unwrap();
    let title =
        "[title]\ngame = \"G\"\njurisdiction = \"J\"\ninstrument = \"I\"\nin_force = \"F\"\n";
    let answers = "[methods.commission]\nbanker = { replaces = \"1:1 less 3%\", clause = \"1\" }\n";
    fs::write(beside.join("rulebook.toml"), format!("{title}amends = \"house\"\n{answers}"))
        .unwrap();
    fs::write(beside.join("clauses.toml"), ONE_CLAUSE).unwrap();
    let book = rulebooks::load(beside.to_str().unwrap(), None).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(book.rulebook.title.name(), "friday over house");
    assert_eq!(banker_wins(&book.rulebook).0, Cents::new(9700).unwrap());
}

/// A decision that rests on several clauses cites them all, and accounts for them all.
#[test]
fn a_decision_may_rest_on_several_clauses() {
    let from = "depth = { is = 52, clause = \"5.4\" }";
    let house = House::copy_of(
        "act-2018",
        "rulebook.toml",
        from,
        &from.replace("\"5.4\"", "[\"5.4\", \"5.3\"]"),
    );
    let book = house.load().unwrap().rulebook;
    assert_eq!(book.cut.depth.clause.to_string(), "house 5.4, 5.3");
    let each: Vec<_> = book.cut.depth.clause.each().map(|clause| clause.to_string()).collect();
    assert_eq!(each, ["house 5.4", "house 5.3"]);
}
