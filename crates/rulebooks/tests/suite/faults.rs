//! Every kind of fault, with the message that a person would see.

use std::fs;

use rulebooks::{Fault, FaultKind, LoadError, Step};

use crate::house::House;

const BOOK: &str = "rulebook.toml";
const INDEX: &str = "clauses.toml";

fn faults(house: &House) -> Vec<Fault> {
    match house.load() {
        Err(LoadError::Faults(faults)) => faults,
        Err(error) => panic!("not a list of faults: {error}"),
        Ok(book) => panic!("{} has no fault", book.rulebook.title.name()),
    }
}

/// Wants one fault, in the line that has `at`, with this message behind its place.
fn wants(house: &House, at: &str, kind: FaultKind, message: &str) {
    let found = faults(house);
    let [fault] = &found[..] else { panic!("{} faults: {found:#?}", found.len()) };
    assert_eq!(format!("{}; {}", fault.wrong, fault.right), message);
    assert_eq!(fault.kind, kind);
    let text = fs::read_to_string(&*fault.place.file).unwrap();
    let line = text.lines().nth(fault.place.line - 1).unwrap();
    assert!(line.contains(at), "{} is not in line {}: {line}", at, fault.place.line);
}

/// Changes one place of `act-2018` and wants one fault.
fn changed(file: &str, from: &str, to: &str, at: &str, kind: FaultKind, message: &str) {
    wants(&House::copy_of("act-2018", file, from, to), at, kind, message);
}

#[test]
fn something_every_book_must_say_is_missing() {
    use FaultKind::Missing;
    changed(
        BOOK,
        "depth = { is = 52, clause = \"5.4\" }\n",
        "",
        "[cut]",
        Missing,
        "`cut.depth` is missing (Cards from either end, at least); write { is = …, clause = \
         \"…\" } with a whole number from 1 to 208",
    );
    changed(
        BOOK,
        "checked_after = { is = \"any-staff-or-device\", clause = \"2.5\" }\n",
        "",
        "[cards]",
        Missing,
        "`cards.checked_after` is missing (Checked after gaming, by); write { is = …, clause = \
         \"…\" } with one of \"staff\", \"dealer\", \"any-staff-or-device\", \
         \"dealer-and-supervisor\", or \"none\" where the book has no rule",
    );
    changed(
        BOOK,
        "secret_wagers = \"none\"\n",
        "",
        "# ACT 2018",
        Missing,
        "the section `secret_wagers` is missing (Secret wagers); give it, or write secret_wagers = \
         \"none\" at the top",
    );
    changed(
        BOOK,
        "later = \"5.1(a)\"\n",
        "",
        "[shuffle]",
        Missing,
        "`shuffle.later` is missing (Shuffled again for each later shoe); write later = \"…\" with \
         its clause",
    );
    changed(
        BOOK,
        "opportunity = \"9.8\"\n",
        "",
        "[side_bets.pairs]",
        Missing,
        "`side_bets.pairs.opportunity` is missing (Every player gets the chance to wager before \
         the first card); write opportunity = \"…\" with its clause, or list it in the section's \
         `silent`",
    );
    changed(
        BOOK,
        "game = \"Mini-Baccarat\"\n",
        "",
        "[title]",
        Missing,
        "`title.game` is missing; a text is wanted here",
    );
    changed(
        INDEX,
        "tournament = [",
        "tournaments = [",
        "tournaments",
        FaultKind::UnknownKey,
        "`tournaments` is no key of an index of clauses; `tournament` is meant?",
    );
}

#[test]
fn a_key_that_nobody_knows() {
    use FaultKind::UnknownKey;
    changed(
        BOOK,
        "[title]",
        "[cutt]\n[title]",
        "[cutt]",
        UnknownKey,
        "`cutt` is no section of a rulebook; `cut` is meant?",
    );
    changed(
        BOOK,
        "[cut]\n",
        "[cut]\ndepht = { is = 52, clause = \"5.4\" }\n",
        "depht",
        UnknownKey,
        "`cut.depht` is neither a decision nor a ground; `depth` is meant?",
    );
    changed(
        BOOK,
        "is = 52, clause = \"5.4\"",
        "is = 52, clause = \"5.4\", note = \"!\"",
        "depth",
        UnknownKey,
        "`cut.depth` has a key `note`; write { is = …, clause = \"…\" } with a whole number \
         from 1 to 208",
    );
    changed(
        BOOK,
        "[title]\n",
        "[title]\nauthor = \"?\"\n",
        "author",
        UnknownKey,
        "`title.author` is no key of a rulebook; there are `game`, `jurisdiction`, `instrument`, \
         `in_force`, `amends`, `with`, `former`, \
         `format`",
    );
    changed(
        INDEX,
        "id = \"1.1\"",
        "id = \"1.1\"\ngits = \"A slip\"",
        "gits",
        UnknownKey,
        "`gits` is no key of a clause; `gist` is meant?",
    );
    changed(
        BOOK,
        "silent = [\"offered_later\"]",
        "silent = [\"offered_later\", \"offered_late\"]",
        "offered_late",
        UnknownKey,
        "`cut.offered_late` in `silent` is no ground; `offered_later` is meant?",
    );
}

#[test]
fn a_clause_that_is_not_in_the_index() {
    use FaultKind::UnknownClause;
    changed(
        BOOK,
        "depth = { is = 52, clause = \"5.4\"",
        "depth = { is = 52, clause = \"5.44\"",
        "depth",
        UnknownClause,
        "`cut.depth` cites 5.44, which is not in clauses.toml; cite a clause of the index, or add \
         the clause to it",
    );
    changed(
        BOOK,
        "opportunity = \"12.6\"",
        "opportunity = \"12.7(\"",
        "opportunity",
        UnknownClause,
        "`side_bets.dragon.opportunity` cites 12.7(, which is not in clauses.toml; `12.7(a)` is \
         meant?",
    );
    changed(
        BOOK,
        "depth = { is = 52, clause = \"5.4\" }",
        "depth = 52",
        "depth",
        FaultKind::Impossible,
        "`cut.depth` is a decision without a clause; write { is = …, clause = \"…\" } with a \
         whole number from 1 to 208",
    );
}

#[test]
fn a_clause_that_is_not_accounted_for() {
    use FaultKind::Unaccounted;
    changed(
        INDEX,
        "id = \"14.1\"",
        "id = \"14.1(z)\"",
        "14.1",
        FaultKind::Index,
        "clause 14.1 of the source has no entry; every numbered clause needs a `[[clause]]` with \
         id, duty and gist",
    );
    changed(
        BOOK,
        "nobody_there = { is = \"directed\", clause = \"4.9\" }",
        "nobody_there = { is = \"directed\", clause = \"4.8\" }",
        "id = \"4.9\"",
        Unaccounted,
        "clause 4.9 is recorded, and nothing rests on it; let a decision or a ground of \
         rulebook.toml cite it, or give it the duty `shown` or `defines`",
    );
}

#[test]
fn an_index_that_is_at_fault() {
    use FaultKind::Index;
    changed(
        INDEX,
        "[[clause]]\nid = \"1.1\"",
        "[[clause]]\nid = \"14.1\"\nduty = \"shown\"\ngist = \"Again\"\n\n[[clause]]\nid = \"1.1\"",
        "id = \"14.1\"",
        Index,
        &format!("clause 14.1 has two entries; the other is in line {}", line_of("id = \"1.1\"")),
    );
    changed(
        INDEX,
        "[[clause]]\nid = \"1.1\"",
        "[[clause]]\nid = \"99.1\"\nduty = \"shown\"\ngist = \"?\"\n\n[[clause]]\nid = \"1.1\"",
        "99.1",
        Index,
        "clause 99.1 is not among the numbers of the source; an entry is for a clause in \
         `numbered`, a sub-paragraph of one such as `4.6(b)`, or unnumbered text: `4(intro)`, \
         `dictionary \"Void\"`",
    );
    changed(
        INDEX,
        "id = \"1.1\"\nduty = \"shown\"",
        "id = \"1.1\"\nduty = \"show\"",
        "show",
        FaultKind::Impossible,
        "`show` is no duty; `shown` is meant?",
    );
    changed(
        INDEX,
        "[[clause]]\nid = \"1.1\"",
        "[[clause]]\nid = \"1.1(a)\"\nduty = \"shown\"\n\n[[clause]]\nid = \"1.1\"",
        "1.1(a)",
        Index,
        "a clause without `gist`; it needs id, duty and gist",
    );
    changed(
        INDEX,
        "\"14.1-14.2\"",
        "\"14.1-15.2\"",
        "14.1-15.2",
        FaultKind::Impossible,
        "`14.1-15.2` is no run of clauses; a run differs in its last number only, such as \
         `2.1-2.6`",
    );
}

/// The line of `act-2018`'s index that begins so.
fn line_of(start: &str) -> usize {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rulebooks/act-2018/clauses.toml");
    let text = fs::read_to_string(path).unwrap();
    text.lines().position(|line| line.starts_with(start)).unwrap() + 1
}

#[test]
fn a_value_that_cannot_be() {
    let impossible = |from: &str, to: &str, at: &str, message: &str| {
        changed(BOOK, from, to, at, FaultKind::Impossible, message);
    };
    impossible(
        "depth = { is = 52",
        "depth = { is = 300",
        "depth",
        "`cut.depth` is 300; it takes a whole number from 1 to 208",
    );
    impossible(
        "decks = { is = 8",
        "decks = { is = 9",
        "decks",
        "`cards.decks` is 9: it reaches beyond 1 to 8; it takes a whole number from 1 to 8, or a \
         list such as \"3, 4, 6 or 8\", or a range such as \"4 to 8\" or \"at least 12\" \
         or \"at most 2\" or \"any number\"",
    );
    impossible(
        "pays = \"11:1\"",
        "pays = \"0:1\"",
        "pays",
        "`pays` of a row: both sides of the odds must be from 1 to 1000; one of pays = \"12:1\", \
         kept = true, lost = true",
    );
    impossible(
        "\"any-player\"",
        "2018-12-07",
        "offered",
        "`cut.offered` is a date; it takes one of \"any-player\", \"from-dealers-left\", \
         \"first-seated-then-highest\"",
    );
    impossible(
        "later = \"5.1(a)\"",
        "later = { is = 1, clause = \"5.1(a)\" }",
        "later",
        "`shuffle.later` is a ground; write later = \"…\" with its clause",
    );
    impossible(
        "natural = { is = \"8 to 9\"",
        "natural = { is = 9",
        "natural",
        "a total of 8 is no natural, and the tableau has no row for it; naturals include 8 and 9",
    );
    let seven = "7   | S   S  S  S  S  S  S  S  S  S  S\n";
    let eight = seven.replacen('7', "8", 1);
    let grid = "it takes a grid with `|` behind the totals, a heading with the columns `-` (Player \
                stood, may be left out) and 0 to 9, and rows of D and S for all totals 0 to 7, a \
                row such as \"3 | D  D D D D D D D D S D\"";
    impossible(
        seven,
        &format!("{seven}{eight}"),
        "[tableau.banker]",
        &format!(
            "`tableau.banker` is a text of several lines: `8` is no total from 0 to 7; {grid}"
        ),
    );
    impossible(
        seven,
        "",
        "[tableau.banker]",
        &format!("`tableau.banker` is a text of several lines: total 7 has no row; {grid}"),
    );
}

#[test]
fn values_that_do_not_go_together() {
    let impossible = |book: &str, from: &str, to: &str, at: &str, message: &str| {
        wants(&House::copy_of(book, BOOK, from, to), at, FaultKind::Impossible, message);
    };
    impossible(
        "tas-2013",
        "depth = { is = 10,",
        "depth = { is = 150,",
        "depth",
        "`cut.depth` is 150 from either end of 208 cards; it is at most 104",
    );
    impossible(
        "tas-2013",
        "behind = { is = 7,",
        "behind = { is = \"at least 208\",",
        "behind",
        "`cut.behind` is 208 cards of 208; the cutting card stands behind at least one card",
    );
    // The column for a Player who stood is added to a book that has a rule of its own for that.
    let nz = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../rulebooks/nz-1998/rulebook.toml"
    ))
    .unwrap();
    let rows = nz.split("clause = \"9.4\"\nis = \"\"\"\n").nth(1).unwrap();
    let grid = rows.split("\"\"\"").next().unwrap();
    let wider = grid.replace("9\n", "9  -\n").replace("D\n", "D  D\n").replace("S\n", "S  D\n");
    impossible(
        "nz-1998",
        grid,
        &wider,
        "[tableau.banker_if_player_stood]",
        "what Banker does when Player stood is said twice; leave out the column `-` of \
         `tableau.banker`, or answer \"none\" here",
    );
}

#[test]
fn a_book_that_is_silent_and_speaks() {
    use FaultKind::Silence;
    changed(
        BOOK,
        "silent = [\"listed\", \"losers_untouched\"]",
        "silent = [\"listed\", \"losers_untouched\", \"opportunity\"]",
        "opportunity",
        Silence,
        "`wagers.opportunity` is listed as silent, and the book speaks of it; keep one of the two",
    );
    changed(
        BOOK,
        "silent = [\"offered_later\"]",
        "silent = [\"offered_later\", \"depth\"]",
        "depth",
        Silence,
        "`cut.depth` is a decision, and listed as silent; write { is = …, clause = \"…\" } with a \
         whole number from 1 to 208",
    );
    changed(
        BOOK,
        "silent = [\"bank\"",
        "silent = [\"shoe\", \"bank\"",
        "silent",
        Silence,
        "`table.shoe` is listed as silent; every book must have it",
    );
}

#[test]
fn a_decision_that_is_not_answered_as_it_can_be() {
    use FaultKind::Impossible;
    changed(
        BOOK,
        "in_a_row = \"none\"",
        "in_a_row = \"never\"",
        "in_a_row",
        Impossible,
        "`no_bet_request.in_a_row` is a decision without a clause; write { is = …, clause = \
         \"…\" } with a whole number from 1 to 99, or \"none\" where the book has no rule",
    );
    changed(
        BOOK,
        "spoken = \"never\"",
        "spoken = { clause = \"4.2\" }",
        "spoken",
        Impossible,
        "`wagers.spoken` is a decision without an answer; write { is = …, clause = \"…\" } with \
         \"with-chips\", or \"never\" where the book has no rule",
    );
    changed(
        BOOK,
        "secret_wagers = \"none\"",
        "secret_wagers = \"some\"",
        "secret_wagers",
        Impossible,
        "`secret_wagers` is no table; begin the section with [secret_wagers], or write \
         secret_wagers = \"none\"",
    );
}

#[test]
fn text_that_is_not_toml() {
    let house = House::copy_of("act-2018", BOOK, "[cut]\n", "[cut\n");
    let found = faults(&house);
    assert!(found.iter().all(|fault| fault.kind == FaultKind::Syntax), "{found:#?}");
    assert!(found[0].wrong.starts_with("not TOML: "), "{}", found[0]);
}

const CLAUSE: &str =
    "numbered = [\"1\"]\n[[clause]]\nid = \"1\"\nduty = \"enforced\"\ngist = \"It is so\"\n";

#[test]
fn an_amendment_that_collides_with_its_base() {
    use FaultKind::Collision;
    let amending = |answers: &str| House::amending(answers, CLAUSE);
    wants(
        &amending("[cut]\ndepth = { adds = 40, clause = \"1\" }\n"),
        "depth",
        Collision,
        "`cut.depth` collides with act-2018 5.4, which speaks of it; say `replaces` or `sets` if \
         it is to hold instead",
    );
    wants(
        &amending("[limits]\nhigher_minimum = { replaces = 20, clause = \"1\" }\n"),
        "higher_minimum",
        Collision,
        "`limits.higher_minimum` replaces nothing: act-2018 has no rule on it; say \
         `adds` or `sets`",
    );
    let form = "write { adds|replaces|sets = …, clause = \"…\" }: `adds` where the base has no \
                rule, `replaces` where it has one, `sets` whatever it says";
    wants(
        &amending(
            "[cut]\ndepth = { is = 40, clause = \"1\" }\n[burn]\nmissed = { sets = \
             \"1\" }",
        ),
        "depth",
        Collision,
        &format!("`cut.depth` does not say how it amends; {form}"),
    );
    changed(
        BOOK,
        "depth = { is = 52",
        "depth = { sets = 52",
        "depth",
        Collision,
        "`cut.depth` says `sets`, and this book amends no other; write { is = …, clause = \
         \"…\" } with a whole number from 1 to 208",
    );
}

#[test]
fn an_amendment_whose_base_cannot_be_had() {
    let answers = "[cut]\ndepth = { replaces = 40, clause = \"1\" }\n";
    let house = House::amending(answers, CLAUSE);
    let text = fs::read_to_string(house.path().join(BOOK)).unwrap();
    fs::write(house.path().join(BOOK), text.replace("act-2018", "act-2017")).unwrap();
    wants(
        &house,
        "amends",
        FaultKind::Base,
        "there is no rulebook `act-2017`; there are act-2012, act-2018, nz-1998, tas-2013, \
         vic-2005, or name a folder; a folder beside this one is allowed too",
    );
    fs::write(house.path().join(BOOK), text.replace("act-2018", "vic-2005")).unwrap();
    wants(
        &house,
        "amends",
        FaultKind::Base,
        "the base vic-2005 is an amendment itself; an amendment is laid over a principal book",
    );
}

#[test]
fn a_folder_that_is_no_book() {
    let house = House::amending("", CLAUSE);
    fs::remove_file(house.path().join(INDEX)).unwrap();
    let found = faults(&house);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind, FaultKind::Unreadable);
    assert_eq!(found[0].right, "a book is a folder with rulebook.toml and clauses.toml");

    let error = rulebooks::load("no/such/folder", None).unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no rulebook `no/such/folder`; there are act-2012, act-2018, nz-1998, tas-2013, \
         vic-2005, or name a folder"
    );

    let odd = house.path().parent().unwrap().join("My House Rules!");
    fs::create_dir(&odd).unwrap();
    for file in [BOOK, INDEX] {
        fs::write(odd.join(file), "").unwrap();
    }
    let error = rulebooks::load(odd.to_str().unwrap(), None).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "the folder `My House Rules!` gives the book no id; name it with at most 15 letters \
             a-z, digits and `-`"
        ),
        "{error}"
    );
}

#[test]
fn all_faults_are_told_in_one_go_in_the_order_of_the_files() {
    use FaultKind::{Impossible, Index, UnknownClause, UnknownKey};
    let answers = "[cut]\ndepth = { adds = 40, clause = \"2\" }\nbehind = { replaces = \"none\", \
                    clause = \"1\" }\n[burnt]\n[tie]\nwins = { sets = 1 }\n";
    let found = faults(&House::amending(answers, &format!("{CLAUSE}[[clause]]\nid = \"7\"\n")));
    let told: Vec<_> = found.iter().map(|fault| (fault.kind, fault.place.line)).collect();
    assert_eq!(
        told,
        [
            (Index, 7),
            (Index, 7),
            (Index, 7),
            (UnknownClause, 9),
            (Impossible, 10),
            (UnknownKey, 11),
            (Impossible, 13)
        ]
    );
}

/// Changes the first row of a book's first Dragon Bonus, and wants one fault.
fn row(to: &str, kind: FaultKind, message: &str) {
    let from = "{ winner = \"player\", lost = true, clause = \"12.7(a)(ii)(A)\" }";
    changed(BOOK, from, to, &to[..8], kind, message);
}

#[test]
fn rows_of_a_side_bet_that_cannot_be() {
    use FaultKind::{Impossible, Missing, UnknownClause, UnknownKey};
    row(
        "{ winner = \"player\", clause = \"12.7(c)\" }",
        Impossible,
        "a row does not have exactly one outcome; one of pays = \"12:1\", kept = true, lost = true",
    );
    row(
        "{ winner = \"player\", lost = true, kept = true, clause = \"12.7(c)\" }",
        Impossible,
        "a row does not have exactly one outcome; one of pays = \"12:1\", kept = true, lost = true",
    );
    row("{ winner = \"player\", lost = true }", Missing, "a row has no clause; add clause = \"…\"");
    row(
        "{ winner = \"player\", lost = true, clause = \"12.77\" }",
        UnknownClause,
        "`a row` cites 12.77, which is not in clauses.toml; cite a clause of the index, or add the \
         clause to it",
    );
    row(
        "{ lost = true, clause = \"12.7(c)\" }",
        Impossible,
        "a row without a condition; say what must be so; `otherwise` is for everything else",
    );
    row(
        "{ winer = \"player\", lost = true, clause = \"12.7(c)\" }",
        UnknownKey,
        "`winer` of a row; `winner` is meant?",
    );
    row(
        "{ winner = \"nobody\", lost = true, clause = \"12.7(c)\" }",
        Impossible,
        "`winner` of a row; \"player\", \"banker\" or \"tie\"",
    );
    row(
        "{ player = [10], lost = true, clause = \"12.7(c)\" }",
        Impossible,
        "`player` of a row; Player's totals, a list of numbers from 0 to 9",
    );
    row(
        "{ kind = \"mixed\", lost = true, clause = \"12.7(c)\" }",
        Impossible,
        "`kind` of a row; `pair` beside it",
    );
    row(
        "{ pair = \"banker\", lost = true, clause = \"12.7(a)(ii)(A)\" }",
        Impossible,
        "the rows of `banker-dragon` mix pairs with totals; a side bet looks at pairs, or at \
         everything else",
    );
    row(
        "{ player = [8], player_cards = 2, banker_cards = 3, lost = true, clause = \"12.7(c)\" }, \
         { winner = \"player\", lost = true, clause = \"12.7(a)(ii)(A)\" }",
        Impossible,
        "row 1 of `banker-dragon` can never match; conditions that go together",
    );
    row(
        "{ winner = \"player\", lost = true, clause = \"12.7(a)(ii)(A)\" }, \
         { winner = \"player\", margin = 9, lost = true, clause = \"12.7(c)\" }",
        Impossible,
        "row 2 of `banker-dragon` never decides: rows before it do; put the special row first",
    );
}

#[test]
fn a_row_that_overlaps_without_need() {
    // Of the coups with a margin of 4, those that Player won are decided by the first row.
    changed(
        BOOK,
        "{ winner = \"banker\", margin = 9, when = \"by 9\"",
        "{ margin = 9, when = \"by 9\"",
        "margin = 9",
        FaultKind::Impossible,
        "row 10 of `banker-dragon` overlaps with a row before it; add `winner = \"banker\"`",
    );
}

#[test]
fn a_side_bet_that_cannot_be() {
    use FaultKind::{Impossible, Missing, UnknownKey};
    let key = "key = \"banker-dragon\"\n";
    changed(
        BOOK,
        key,
        "",
        "[[side_bet]]",
        Missing,
        "a side bet has no `key`; it has key, name, of, table, side, offered, rows, otherwise; see \
         CONTRIBUTING",
    );
    changed(
        BOOK,
        key,
        "key = \"tie\"\n",
        "tie",
        Impossible,
        "`key` is \"tie\"; at most 24 letters a-z, digits and `-`, a letter first, and none of \
         banker, player, tie, main",
    );
    changed(
        BOOK,
        key,
        "key = \"banker-dragon\"\ncolour = \"red\"\n",
        "colour",
        UnknownKey,
        "a side bet has a key `colour`; there are `key`, `name`, `of`, `table`, `side`, `offered`, \
         `rows`, `otherwise`, `amends`",
    );
    changed(
        BOOK,
        "settled = \"with-the-coup\"",
        "settled = { is = \"before-third-cards\", clause = \"12.9\" }",
        "settled",
        Impossible,
        "`dragon` is settled before third cards, and looks at them; only pairs are known by then",
    );
    changed(
        BOOK,
        "kept_call = \"none\"",
        "kept_call = { is = \"Push\", clause = \"9.9(a)\" }",
        "kept_call",
        Impossible,
        "`pairs` has a call for kept stakes, and keeps none; no call, or a row that keeps stakes",
    );
}

/// A book that was written before a question was asked has no rule on it; who keeps it is told so.
#[test]
fn what_is_asked_since_a_later_format_counts_as_silent() {
    let from = "format = 2\n";
    let older = House::copy_of("nz-1998", BOOK, from, "");
    let file = older.path().join(BOOK);
    let text = fs::read_to_string(&file).unwrap();
    let (with, without) = ("\"10.2\"\nchange = \"any-time\"\n", "\"10.2\"\n");
    fs::write(&file, text.replace(with, without)).unwrap();
    let book = older.load().unwrap();
    let remark = "`settlement.change` is asked since format 2; it counts as silent";
    assert_eq!(book.remarks, [remark]);
    let newer = House::copy_of("nz-1998", BOOK, with, without);
    let missing = faults(&newer);
    assert!(missing[0].wrong.starts_with("`settlement.change` is missing"), "{missing:?}");
    changed(
        BOOK,
        from,
        "format = 99\n",
        "format",
        FaultKind::Impossible,
        "`title.format` is 99; a number from 1 to 2, the newest",
    );
}

/// An honest partial book: some clauses are open, some nobody has read.
#[test]
fn a_partial_book_says_what_is_open_and_what_is_not_read() {
    let skeleton = rulebooks::skeleton(None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("partial");
    fs::create_dir(&book).unwrap();
    let clauses =
        skeleton.clauses.replace("numbered = [\"1\"]", "numbered = [\"1-9\"]\nunread = [\"3-9\"]");
    let open = "\n[[clause]]\nid = \"2\"\nduty = \"open\"\ngist = \"A jackpot is paid\"\n";
    fs::write(book.join(BOOK), &skeleton.rulebook).unwrap();
    fs::write(book.join(INDEX), clauses + open).unwrap();
    let loaded = rulebooks::load(&book.display().to_string(), None).unwrap();
    let count = |duty| loaded.index.entries.iter().filter(|entry| entry.duty == duty).count();
    assert_eq!((count(rulebooks::Duty::Open), count(rulebooks::Duty::Unread)), (1, 7));
}

/// Lists of clauses: each must be there, and once.
#[test]
fn a_list_of_clauses_that_is_at_fault() {
    let from = "depth = { is = 52, clause = \"5.4\" }";
    for (list, message) in [
        ("[]", "`cut.depth` cites 0 clauses; 1 to 6 clauses, each once"),
        ("[\"5.4\", \"5.4\"]", "`cut.depth` cites 2 clauses; 1 to 6 clauses, each once"),
        (
            "[\"5.4\", \"99\"]",
            "`cut.depth` cites 99, which is not in clauses.toml; cite a clause of the index, or \
             add the clause to it",
        ),
    ] {
        let house = House::copy_of("act-2018", BOOK, from, &from.replace("\"5.4\"", list));
        let found = faults(&house);
        assert_eq!(format!("{}; {}", found[0].wrong, found[0].right), message);
        assert_eq!(found[0].kind, FaultKind::UnknownClause);
    }
}

/// Faults come in the order that a person mends them in, whatever file and line they are in.
#[test]
fn faults_come_in_the_order_of_mending() {
    let from = "depth = { is = 52, clause = \"5.4\" }\n";
    let house = House::copy_of("act-2018", BOOK, from, "");
    let edit = |file: &str, from: &str, to: &str| {
        let path = house.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    edit(
        INDEX,
        "[[clause]]\nid = \"1.1\"",
        "[[clause]]\nid = \"1.1\"\nduty = \"shown\"\ngist = \"Twice\"\n\n\
         [[clause]]\nid = \"1.1\"",
    );
    edit(BOOK, "secret_wagers = \"none\"", "secret_wagers = \"perhaps\"");
    let steps: Vec<_> = faults(&house).iter().map(|fault| fault.kind.step()).collect();
    assert!(steps.is_sorted(), "{steps:?}");
    for step in [Step::Index, Step::Written, Step::Missing] {
        assert!(steps.contains(&step), "{steps:?}");
    }
}
