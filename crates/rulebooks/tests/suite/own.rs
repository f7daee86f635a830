//! A house's own side bets: sheets in its folder and in that of its base, rows, prices, clauses.

use std::fs;
use std::path::Path;

use rulebooks::{Book, Fault, FaultKind, LoadError, OwnFile};
use rules::{Cents, HandScore, Method, Score, Spot, Terms};

use crate::house::House;

const TITLE: &str = "[title]\ngame = \"House\"\njurisdiction = \"Here\"\ninstrument = \"Notice\"\n\
                     in_force = \"now\"\n";

const ABOUT: &str = "numbered = [\"1\"]\n[about]\nname = \"Storm\"\nsource = \"our own\"\n\
                     [[clause]]\nid = \"1\"\nduty = \"enforced\"\ngist = \"All of it\"\n";

/// A sheet with one side bet of these rows.
fn sheet(key: &str, rows: &str) -> String {
    format!(
        "{ABOUT}[[side_bet]]\nkey = \"{key}\"\nname = \"Storm\"\noffered = {{ clause = \"1\" \
         }}\nrows = [{rows}]\notherwise = {{ lost = true, clause = \"1\" }}\n"
    )
}

const ROW: &str = "{ winner = \"tie\", pays = \"9:1\", clause = \"1\" }";

/// A copy of act-2018 in the folder `name` beside a house, its title with another line.
fn copy_beside(house: &House, name: &str, line: &str) {
    let folder = house.path().parent().unwrap().join(name);
    fs::create_dir(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulebooks/act-2018");
    let text = fs::read_to_string(source.join("rulebook.toml")).unwrap();
    let text = text.replacen("[title]\n", &format!("[title]\n{line}\n"), 1);
    fs::write(folder.join("rulebook.toml"), text).unwrap();
    fs::copy(source.join("clauses.toml"), folder.join("clauses.toml")).unwrap();
}

fn write(house: &House, file: &str, text: &str) {
    fs::write(house.path().join(file), text).unwrap();
}

fn faults(house: &House) -> Vec<Fault> {
    match house.load() {
        Err(LoadError::Faults(faults)) => faults,
        other => panic!("no faults: {other:?}"),
    }
}

fn said(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(|fault| format!("{}; {}", fault.wrong, fault.right)).collect()
}

/// A house that plays by act-2018 with a sheet of these rows.
fn with_rows(rows: &str) -> House {
    let house =
        House::copy_of("act-2018", "rulebook.toml", "[title]\n", "[title]\nwith = [\"storm\"]\n");
    write(&house, "storm.toml", &sheet("storm", rows));
    house
}

#[test]
fn an_amendment_has_the_sheets_that_its_base_lays_over_itself() {
    let amends = format!("{TITLE}amends = \"ground\"\nwith = [\"lucky-6\"]\n");
    let house = House::written(&amends, "numbered = []\nclause = []\n");
    copy_beside(&house, "ground", "with = [\"storm\"]");
    let base = house.path().parent().unwrap().join("ground");
    fs::write(base.join("storm.toml"), sheet("storm", ROW)).unwrap();
    let book = house.load().unwrap();
    let with: Vec<_> = book.rulebook.title.with.iter().map(ToString::to_string).collect();
    assert_eq!(with, ["storm", "lucky-6"]);
    // The files that are kept bring the same book anywhere.
    let files: Vec<_> =
        book.files.iter().map(|own| (own.book.as_str(), own.file.as_str())).collect();
    assert!(files.contains(&("ground", "storm.toml")), "{files:?}");
    let again = rulebooks::load_with("elsewhere/house", None, &book.files).unwrap();
    assert_eq!(again.sha256(), book.sha256());
    let all: Vec<OwnFile> = rulebooks::sources(&book);
    assert_eq!(rulebooks::load_with("house", None, &all).unwrap().sha256(), book.sha256());
    // A sheet of the base's folder can be asked for as one of the house's own.
    let name = house.path().display().to_string();
    fs::write(base.join("gale.toml"), sheet("gale", ROW)).unwrap();
    assert!(rulebooks::has_sheet(&name, "gale"));
    let more = rulebooks::load(&format!("{name}+gale"), None).unwrap();
    assert!(more.files.iter().any(|own| own.file == "gale.toml"), "{:?}", more.rulebook.title);
}

#[test]
fn a_sheet_is_found_by_its_name_and_by_the_side_bets_that_it_has() {
    let house = with_rows(ROW);
    write(&house, "gale.toml", &sheet("thunder", ROW));
    let name = house.path().display().to_string();
    assert_eq!(rulebooks::sheet_of(&name, "gale").as_deref(), Some("gale"));
    assert_eq!(rulebooks::sheet_of(&name, "thunder").as_deref(), Some("gale"));
    assert_eq!(rulebooks::sheet_of(&name, "tiger").as_deref(), Some("tiger"));
    assert_eq!(rulebooks::sheet_of(&name, "hail"), None);
}

#[test]
fn a_sheet_has_no_format_that_it_could_be_older_than() {
    let house = with_rows(ROW);
    let section = "[side_bets.storm]\noffered = \"1\"\n";
    write(&house, "storm.toml", &(sheet("storm", ROW) + section));
    assert_eq!(house.load().unwrap().remarks, [""; 0]);
}

#[test]
fn several_clauses_that_offer_a_side_bet_are_all_kept() {
    let house = with_rows(ROW);
    let two =
        "numbered = [\"1\", \"2\"]\n[[clause]]\nid = \"2\"\nduty = \"enforced\"\ngist = \"b\"\n";
    let text = sheet("storm", ROW).replace("numbered = [\"1\"]\n", "");
    let text =
        text.replace("offered = { clause = \"1\" }", "offered = { clause = [\"1\", \"2\"] }");
    write(&house, "storm.toml", &(two.to_owned() + &text));
    let book = house.load().unwrap().rulebook;
    let group = book.side_bets.iter().find(|group| group.key.as_str() == "storm").unwrap();
    assert_eq!(group.tables[0].bets[0].offered.number(), "1, 2");
}

#[test]
fn a_clause_whose_number_has_a_comma_in_it_can_be_cited() {
    let id = "dictionary \\\"Storm, stormy\\\"";
    let text = sheet("storm", ROW).replace("clause = \"1\"", &format!("clause = \"{id}\""));
    let text = text.replace("id = \"1\"", &format!("id = \"{id}\"")).replace("[\"1\"]", "[]");
    let house = with_rows(ROW);
    write(&house, "storm.toml", &text);
    let book = house.load().unwrap();
    let bet = &book.rulebook.side_bets.last().unwrap().tables[0].bets[0];
    assert_eq!(bet.offered.each().count(), 1);
    assert_eq!(book.clause(&bet.offered).unwrap().id, "dictionary \"Storm, stormy\"");
    assert_eq!(book.clause(&bet.otherwise.clauses[0]).unwrap().gist, "All of it");
}

#[test]
fn a_table_that_is_none_and_a_key_that_nobody_knows_are_faults() {
    let skeleton = rulebooks::skeleton(None).unwrap();
    let house = House::written(&format!("side_bets = 3\n{}", skeleton.rulebook), &skeleton.clauses);
    let found = faults(&house);
    let text = "`side_bets` is no table; begin a section of it with [side_bets.…]";
    assert!(said(&found).contains(&text.to_owned()), "{found:?}");
    let house = with_rows(ROW);
    write(
        &house,
        "storm.toml",
        &sheet("storm", ROW).replace("[about]\n", "[about]\nnmae = \"x\"\n"),
    );
    let found = faults(&house);
    let text = "`about.nmae` is no key of a sheet of side bets; `name` is meant?";
    assert_eq!((said(&found), found[0].kind), (vec![text.to_owned()], FaultKind::UnknownKey));
    assert_eq!(found[0].place.line, 3);
}

#[test]
fn a_row_whose_odds_leave_no_stake_that_can_be_paid_is_a_fault() {
    let row = |total: u32, pays: &str| {
        format!(
            "\n{{ winner = \"banker\", banker = [{total}], pays = \"{pays}\", clause = \"1\" }}"
        )
    };
    let pays = ["1:997", "1:991", "1:983", "1:977", "1:971"];
    let rows: Vec<_> = (1..).zip(pays).map(|(total, pays)| row(total, pays)).collect();
    with_rows(&rows.join(",")).load().unwrap();
    let house = with_rows(&(rows.join(",") + "," + &row(6, "1:967")));
    let found = faults(&house);
    let text = "row 6 of `storm` pays 1:967, and no stake is paid in whole cents by it and all \
                rows before it; odds that have more in common";
    assert_eq!(said(&found), [text]);
    let text = fs::read_to_string(house.path().join("storm.toml")).unwrap();
    let line = text.lines().position(|line| line.contains("1:967")).unwrap() + 1;
    assert_eq!(found[0].place.line, line);
}

/// A house that pays Banker by these rows.
fn paying(rows: &str) -> House {
    let from = "rows = [{ banker = [6], when = \"a win with 6\", pays = \"1:1 less 50%\", clause = \
                \"8.5(b)\" }]";
    House::copy_of("act-2018", "rulebook.toml", from, &format!("rows = [{rows}]"))
}

#[test]
fn rows_of_a_method_that_cannot_be() {
    for (rows, message) in [
        (
            "{ winner = \"player\", kept = true, clause = \"8.5(b)\" }",
            "row 1 of `methods.half-on-six` can never match; conditions that go together",
        ),
        (
            "{ banker = [0], kept = true, clause = \"8.5(b)\" }",
            "row 1 of `methods.half-on-six` can never match; conditions that go together",
        ),
        (
            "{ natural = \"banker\", banker_cards = 3, kept = true, clause = \"8.5(b)\" }",
            "row 1 of `methods.half-on-six` can never match; conditions that go together",
        ),
        (
            "{ banker = [6], kept = true, clause = \"8.5(b)\" }, { banker = [6], banker_cards = \
             3, lost = true, clause = \"8.5(b)\" }",
            "row 2 of `methods.half-on-six` never decides: rows before it do; put the special row \
             first",
        ),
        (
            "{ banker_cards = 3, kept = true, clause = \"8.5(b)\" }, { banker = [6], pays = \
             \"1:2\", clause = \"8.5(b)\" }",
            "row 2 of `methods.half-on-six` overlaps with a row before it; add `banker_cards = \
             [2]`",
        ),
    ] {
        let found = faults(&paying(rows));
        assert_eq!(said(&found), [message], "{rows}");
        assert!(found[0].place.file.ends_with("rulebook.toml"), "{found:?}");
    }
    paying("{ banker = [6], kept = true, clause = \"8.5(b)\" }").load().unwrap();
}

#[test]
fn rows_of_a_method_in_an_amendment_say_how_they_meet_the_base() {
    let rows = |rows: &str| {
        let clauses = "numbered = [\"1\"]\n[[clause]]\nid = \"1\"\nduty = \"enforced\"\ngist = \
                       \"EZ\"\n";
        House::amending(&format!("[methods.half-on-six]\nrows = {rows}\n"), clauses)
    };
    let row = "[{ banker = [7], banker_cards = 3, kept = true, clause = \"1\" }]";
    let text = "`methods.half-on-six.rows` does not say how it amends; write rows = { \
                adds|replaces|sets = [ … ] }";
    assert_eq!(said(&faults(&rows(row))), [text]);
    let text = "`methods.half-on-six.rows` collides with the rows of act-2018; say `replaces` or \
                `sets` if they are to hold instead";
    assert_eq!(said(&faults(&rows(&format!("{{ adds = {row} }}")))), [text]);
    for verb in ["replaces", "sets"] {
        let book = rows(&format!("{{ {verb} = {row} }}")).load().unwrap();
        let six = Method::from_key("half-on-six").unwrap();
        let method = book.rulebook.method(six).unwrap();
        assert_eq!(method.rows.len(), 1);
        assert_eq!(method.rows[0].written(), "banker = [7], banker_cards = [3], kept = true");
    }
}

#[test]
fn rows_that_overlap_without_need() {
    let row = |conditions: &str, pays: &str| {
        format!("{{ {conditions}, pays = \"{pays}\", clause = \"1\" }}")
    };
    let one = row("banker_cards = 3", "5:1");
    for (other, message) in [
        ("banker = [6]", Some("add `banker_cards = [2]`")),
        ("player = [1], banker = [6]", Some("add `banker_cards = [2]`")),
        ("banker_cards = 2", None),
    ] {
        let house = with_rows(&format!("{one}, {}", row(other, "9:1")));
        match message {
            None => drop(house.load().unwrap()),
            Some(right) => {
                let wrong = "row 2 of `storm` overlaps with a row before it";
                assert_eq!(said(&faults(&house)), [format!("{wrong}; {right}")], "{other}");
            }
        }
    }
    // The same outcome, a special case first, and what no condition could part, are no faults.
    for (first, second) in [
        (row("banker = [6]", "9:1"), row("player = [6]", "9:1")),
        (row("banker = [6], banker_cards = 3", "9:1"), row("banker = [6]", "5:1")),
        (row("natural = \"banker\"", "9:1"), row("margin = [9]", "5:1")),
        (row("pair = \"player\"", "9:1"), row("pair = \"banker\"", "5:1")),
    ] {
        with_rows(&format!("{first}, {second}")).load().unwrap();
    }
}

/// A Banker wager that wins by a row with four clauses cites them all, and that it wins.
#[test]
fn a_row_with_four_clauses_is_cited_in_full() {
    let clauses = "[\"8.5(b)\", \"8.5(a)\", \"8.4\", \"8.2\"]";
    let house = paying(&format!("{{ banker = [6], pays = \"1:2\", clause = {clauses} }}"));
    let book = house.load().unwrap().rulebook;
    let terms = Terms::main(Method::from_key("half-on-six").unwrap());
    let hand = |total| HandScore { total, natural: false, cards: 2, pair: None };
    let score = Score { player: hand(1), banker: hand(6) };
    let settled = book.settle(&terms, Spot::Banker, Cents::new(200).unwrap(), score).unwrap();
    let cited: Vec<_> = settled.clauses.iter().map(rules::Clause::number).collect();
    for number in ["8.5(b)", "8.5(a)", "8.4", "8.2"] {
        assert!(cited.contains(&number), "{cited:?}");
    }
}

#[test]
fn what_rests_on_a_clause_that_nobody_has_read_is_remarked() {
    let skeleton = rulebooks::skeleton(None).unwrap();
    let clauses =
        skeleton.clauses.replace("numbered = [\"1\"]", "numbered = [\"1-3\"]\nunread = [\"2-3\"]");
    let rulebook = skeleton.rulebook.replacen(
        "ace = { is = 1, clause = \"1\" }",
        "ace = { is = 1, clause = \"2\" }",
        1,
    );
    assert_ne!(rulebook, skeleton.rulebook);
    let book: Book = House::written(&rulebook, &clauses).load().unwrap();
    assert_eq!(book.remarks, ["`cards.ace` rests on 2, which nobody has read yet"]);
}

/// `rules new --from`: with the house's own sheets, with others besides, over another base.
#[test]
fn a_copy_of_a_house_has_its_sheets_too() {
    let house = with_rows(ROW);
    write(&house, "gale.toml", &sheet("gale", ROW));
    let name = house.path().display().to_string();
    let copied = |from: &str| {
        let skeleton = rulebooks::skeleton(Some(from)).unwrap_or_else(|fault| panic!("{fault}"));
        let copy = House::written(&skeleton.rulebook, &skeleton.clauses);
        for (file, text) in &skeleton.sheets {
            write(&copy, file, text);
        }
        copy.load().unwrap_or_else(|fault| panic!("{fault}")).rulebook
    };
    let with = |book: &rules::Rulebook| {
        book.title.with.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(with(&copied(&name)), ["storm"]);
    assert_eq!(with(&copied(&format!("{name}+gale+lucky-6"))), ["storm", "gale", "lucky-6"]);
    assert_eq!(with(&copied("act-2018+tiger")), ["tiger"]);
    let over = copied("vic-2005@act-2018");
    assert_eq!(over.title.base.unwrap().as_str(), "act-2018");
    let own = crate::load("vic-2005", Some("act-2018")).rulebook;
    let data = |book: &rules::Rulebook| {
        let all = book.answers().into_iter();
        all.map(|answer| (answer.spec.path, answer.datum)).collect::<Vec<_>>()
    };
    assert_eq!(data(&over), data(&own));
}

#[test]
fn a_sheet_is_named_once_with_a_book() {
    let twice = rulebooks::load("act-2018+lucky-6+tiger+lucky-6", None);
    let Err(fault @ LoadError::Sheets { .. }) = twice else { panic!("{twice:?}") };
    let told = fault.to_string();
    assert!(told.contains("lucky-6") && told.contains("each sheet of side bets once"), "{told}");
    let many: Vec<_> = (0..33).map(|number| format!("sheet-{number}")).collect();
    let many = rulebooks::load(&format!("act-2018+{}", many.join("+")), None);
    assert!(matches!(many, Err(LoadError::Sheets { .. })), "{many:?}");
    assert!(rulebooks::load("act-2018+lucky-6+tiger", None).is_ok());
}
