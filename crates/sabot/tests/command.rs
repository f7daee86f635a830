//! The command as people type it: what it prints, what it refuses, how it exits.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

fn sabot(arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("sabot").unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    command.current_dir(root).env_remove("CLICOLOR_FORCE").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What it prints when all is well.
fn good(arguments: &[&str]) -> String {
    let output = sabot(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What it says when something is wrong, and its exit code.
fn bad(arguments: &[&str]) -> (String, i32) {
    let output = sabot(arguments);
    assert!(!output.status.success(), "{arguments:?} went well");
    (text(&output.stderr), output.status.code().unwrap())
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&good(&[arguments, &["--json"]].concat())).unwrap()
}

/// Every example in the README is what the program prints.
#[test]
fn the_readme_shows_the_real_output() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let mut examples = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let Some(block) = block.strip_prefix("$ sabot ") else { continue };
        let (command, wanted) = block.split_once('\n').unwrap();
        let arguments: Vec<_> = command.split(' ').collect();
        assert_eq!(good(&arguments), wanted, "sabot {command}");
        examples += 1;
    }
    assert!(examples >= 2, "the README has {examples} examples");
    let file = transcripts("act-2018/not-due-becomes-bankers.coup");
    assert!(readme.contains(&fs::read_to_string(&file).unwrap()), "the transcript in the README");
    let ruling = readme.split("`sabot judge` prints\n\n```\n").nth(1).unwrap();
    let ruling = ruling.split("```").next().unwrap();
    assert!(good(&["judge", &file]).contains(ruling), "the ruling in the README:\n{ruling}");
    let refused = readme.split("## A refused wager").nth(1).unwrap();
    let refused = refused.split("```\n").nth(1).unwrap();
    let judged = good(&["judge", &transcripts("nz-1998/payable-in-chips.coup")]);
    assert!(judged.contains(refused), "the refused wager in the README:\n{refused}");
}

#[test]
fn without_a_book_one_coup_is_played_under_each() {
    let printed = good(&["coup"]);
    for book in rulebooks::ids() {
        assert!(printed.contains(book), "{book} is missing:\n{printed}");
    }
    let records = json(&["coup"]);
    assert_eq!(records.as_array().unwrap().len(), rulebooks::ids().len());
    for record in records.as_array().unwrap() {
        assert_eq!(record["result"], "Banker wins");
        assert_eq!(record["settled"][0]["wins_cents"], 9500);
        assert_ne!(record["rulings"][0]["clause"], "");
    }
}

#[test]
fn a_coup_is_played_and_paid_as_typed() {
    let side = ["--with", "pairs=perfect", "--with", "dragon", "--method", "half-on-six"];
    let bets = ["--bet", "banker=10", "--bet", "banker-pair=5", "--bet", "player-dragon=2.50"];
    // Player 0, 2 and 9: 1. Banker 3 and 3: 6, a mixed pair; it stands against a 9.
    let cards = ["coup", "act-2018", "Kd", "3h", "2c", "3s", "9h"];
    let coup = json(&[&cards[..], &side, &bets].concat());
    assert_eq!(coup["player"]["total"], 1);
    assert_eq!(coup["banker"]["total"], 6);
    let won: Vec<_> = (0..3).map(|i| coup["settled"][i]["wins_cents"].as_u64().unwrap()).collect();
    assert_eq!(won, [500, 2500, 0]);
    assert_eq!(coup["settled"][0]["commission_cents"], 500);
    assert_eq!(coup["settled"][2]["verdict"], "lost");
}

#[test]
fn cards_and_bets_that_cannot_be_are_refused_with_what_would_be_right() {
    for (arguments, wanted) in [
        (
            &["coup", "act-2018", "3h", "Kd", "3c"][..],
            "3 card(s) are too few: the deal takes four [act-2018 6.2(a)]",
        ),
        (
            &["coup", "act-2018", "3h", "Kd", "3c", "2s"],
            "Banker must draw [act-2018 7.3] and no card is left; give one more",
        ),
        (
            &["coup", "nz-1998", "9h", "Kd", "Kc", "2s", "4d"],
            "4d is in excess: the coup is over after 4 cards [nz-1998 9.7]",
        ),
        (
            &["coup", "act-2018", "3h", "Kd", "3c", "2s", "5h", "--bet", "bank=5"],
            "act-2018 has no bank; it has banker, player, tie, banker-pair, player-pair",
        ),
        (
            &["coup", "act-2018", "--with", "pairs=mixed"],
            "act-2018 has no pairs=mixed; it has pairs=perfect, pairs=canberra",
        ),
        (
            &["coup", "act-2018", "--with", "lucky-7"],
            "act-2018 has no lucky-7; it has pairs=perfect, dragon",
        ),
        (
            &["coup", "nz-1998", "3h", "Kd", "3c", "2s", "5h", "--bet", "banker-dragon=5"],
            "nz-1998 has no banker-dragon; it has banker, player, tie",
        ),
        (
            &["coup", "nz-1998", "--method", "half-on-six"],
            "nz-1998 has no half-on-six method; it has the commission method",
        ),
        (
            &["coup", "act-2018", "3h", "Kd", "3c", "2s", "5h", "--bet", "banker=0"],
            "0 on banker is no wager [act-2018 4.3(a)]; stake something",
        ),
        (
            &["coup", "act-2018", "3h", "Kd", "3c", "2s", "5h", "--bet", "banker=0.10"],
            "0.10 at 1:1 less 5% does not come to whole cents; multiples of 0.20 do",
        ),
        (
            &["rules", "show", "act-2019"],
            "there is no rulebook `act-2019`; there are act-2012, act-2018, nz-1998, tas-2013, \
             vic-2005, or name a folder",
        ),
        (
            &["rules", "show", "act-2018@nz-1998"],
            "act-2018 is a rulebook of its own and is not laid over nz-1998",
        ),
        (
            &["rules", "clauses", "act-2018", "99"],
            "act-2018 has no such clause as 99; `sabot rules clauses act-2018` lists them",
        ),
    ] {
        let (message, code) = bad(arguments);
        assert!(message.contains(wanted), "{arguments:?}: {message}");
        assert_eq!(code, 2, "{arguments:?}");
    }
}

#[test]
fn words_that_make_no_sense_are_refused_by_the_command_line() {
    for (arguments, wanted) in [
        (&["coup", "act-2018", "3x"][..], "a card is a rank"),
        (
            &["coup", "act-2018", "--bet", "banker"],
            "a bet is a spot and an amount, such as banker=100",
        ),
        (&["coup", "act-2018", "--bet", "Bank 1=5"], "`Bank 1` is no spot such as banker"),
        (&["coup", "--with", "Lucky 6"], "`Lucky 6` names no side bets, as pairs=canberra does"),
        (
            &["coup", "act-2018", "--bet", "tie=-5"],
            "an amount is dollars with at most two decimals",
        ),
        (&["coup", "act-2018", "--bet", "tie=0.005"], "there is nothing smaller than a cent"),
        (&["coup", "act-2018", "--bet", "tie=9223372036854775808"], "an amount is at most"),
        (&["coup", "--method", "Free 1"], "`Free 1` is no method such as commission"),
        (
            &["rules", "clauses", "act-2018", "--duty", "none"],
            "[possible values: enforced, recorded,",
        ),
        (&["shuffle"], "unrecognized subcommand"),
    ] {
        let (message, code) = bad(arguments);
        assert!(message.contains(wanted), "{arguments:?}: {message}");
        assert_eq!(code, 2, "{arguments:?}");
    }
}

#[test]
fn every_book_is_listed_shown_and_checked() {
    let listed = json(&["rules", "list"]);
    let books = listed["books"].as_array().unwrap();
    let ids: Vec<_> = books.iter().map(|book| &book["id"]).collect();
    assert_eq!(ids, rulebooks::ids());
    let sheets: Vec<_> = listed["sheets"].as_array().unwrap().iter().collect();
    assert_eq!(sheets, rulebooks::sheet_ids());
    for book in rulebooks::ids() {
        let shown = json(&["rules", "show", book]);
        assert_eq!(shown["sha256"].as_str().unwrap().len(), 64);
        let printed = good(&["rules", "show", book]);
        let (decisions, grounds) = (&shown["decisions"], &shown["grounds"]);
        for answer in [decisions, grounds].into_iter().flat_map(|list| list.as_array().unwrap()) {
            let Some(clause) = answer["clause"].as_str() else { continue };
            let clause = clause.split_once(' ').unwrap().1;
            // Long clauses are wrapped, so their first word must do.
            assert!(printed.contains(clause.split(' ').next().unwrap()), "{book}: {answer}");
        }
        let count = |list: &Value| list.as_array().unwrap().len();
        let counts = format!("{} decisions, {} grounds\n", count(decisions), count(grounds));
        assert!(printed.ends_with(&counts), "{book}: {counts}");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rulebooks").join(book);
        assert!(good(&["rules", "check", folder.to_str().unwrap()]).contains("is sound"));
    }
}

#[test]
fn tables_fit_a_hundred_columns_where_nobody_says_how_wide() {
    for arguments in [
        &["coup"][..],
        &["rules", "list"],
        &["rules", "show", "vic-2005"],
        &["rules", "clauses", "act-2018"],
        &["rules", "diff", "act-2018", "vic-2005"],
    ] {
        for line in good(arguments).lines() {
            assert!(line.chars().count() <= 100, "{arguments:?}: {line}");
            assert!(!line.contains('\x1b'), "{arguments:?} prints colour into a pipe");
        }
    }
}

#[test]
fn clauses_are_filtered_by_duty_and_by_number() {
    let all = json(&["rules", "clauses", "tas-2013"]);
    let enforced = json(&["rules", "clauses", "tas-2013", "--duty", "enforced"]);
    let (all, enforced) = (all.as_array().unwrap(), enforced.as_array().unwrap());
    assert!(!enforced.is_empty() && enforced.len() < all.len());
    assert!(enforced.iter().all(|clause| clause["duty"] == "enforced"));
    let one = json(&["rules", "clauses", "act-2018", "13.6"]);
    let one = one.as_array().unwrap();
    assert!(one.iter().all(|clause| clause["clause"].as_str().unwrap().starts_with("13.6")));
    assert!(one.iter().any(|clause| clause["grounds"][0] == "wager_changes.unexposed_new"));
    assert!(good(&["rules", "clauses", "act-2018", "13.6"]).contains("ground wager_changes."));
    let shown = good(&["rules", "clauses", "act-2018", "5.4"]);
    assert!(shown.contains("decision cut.depth: 52"), "{shown}");
}

#[test]
fn a_difference_names_both_clauses() {
    let found = json(&["rules", "diff", "act-2012", "act-2018"]);
    let players = found["differences"].as_array().unwrap().iter();
    let players = players.clone().find(|difference| difference["path"] == "boxes.players").unwrap();
    assert_eq!(players["before"]["clause"], "act-2012 4.3");
    assert_eq!(players["after"]["clause"], "act-2018 4.5(a)");
    let printed = good(&["rules", "diff", "act-2012", "act-2018"]);
    assert!(printed.contains("at most 2 [4.3]") && printed.contains("any number [4.5(a)]"));
    assert_eq!(
        good(&["rules", "diff", "nz-1998", "nz-1998"]),
        "nz-1998 and nz-1998 say the same\n"
    );
}

/// A book of one's own begins with a folder that can be loaded; a transcript names it from where
/// the transcript lies.
#[test]
fn a_new_book_can_be_judged_by_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    let told = good(&["rules", "new", "our-house", "--in", place]);
    assert!(told.contains("our-house is written"), "{told}");
    let book = folder.path().join("our-house");
    assert!(good(&["rules", "check", book.to_str().unwrap()]).contains("our-house is sound"));
    let coup = "operator opens our-house\nAnn sits at 1 with 500\nfresh shoe\n\
                Ann bets 50 on banker\ndealer calls no more bets\ndealer deals 3h Kd 3c 9s\n\
                expect cites 1\nexpect Ann has 547.50\n";
    let file = folder.path().join("first.coup");
    fs::write(&file, coup).unwrap();
    assert!(good(&["judge", file.to_str().unwrap()]).contains("[our-house 1]"));
    assert!(good(&["judge", file.to_str().unwrap(), "--under", "nz-1998"]).contains("nz-1998"));
    // What is there is not written over, and an id is an id.
    for (id, wanted) in [
        ("our-house", "a name that is free"),
        ("Our House", "letters a-z"),
        ("act-2018", "another id"),
    ] {
        let (why, code) = bad(&["rules", "new", id, "--in", place]);
        assert!(why.contains(wanted) && code == 2, "{code}: {why}");
    }
    let made = json(&["rules", "new", "our-act", "--from", "act-2018", "--in", place]);
    assert_eq!(made["files"], serde_json::json!(["rulebook.toml", "clauses.toml"]));
}

#[test]
fn a_house_book_at_fault_is_told_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let house = folder.path().join("house");
    fs::create_dir(&house).unwrap();
    let title =
        "[title]\ngame = \"G\"\njurisdiction = \"J\"\ninstrument = \"I\"\nin_force = \"F\"\n";
    let answer = "[cut]\ndepth = { replaces = 999, clause = \"1\" }\n";
    fs::write(house.join("rulebook.toml"), format!("{title}amends = \"act-2018\"\n{answer}"))
        .unwrap();
    let index =
        "numbered = [\"1\"]\n[[clause]]\nid = \"1\"\nduty = \"enforced\"\ngist = \"Deep\"\n";
    fs::write(house.join("clauses.toml"), index).unwrap();
    let output = sabot(&["rules", "check", house.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    let wanted = "rulebook.toml:8:1: `cut.depth` is 999; it takes a whole number from 1 to 208\n";
    assert!(said.contains(wanted), "{said}");
    let output = sabot(&["rules", "check", house.to_str().unwrap(), "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told[0]["faults"][0]["line"], 8);
    assert_eq!(told[0]["faults"][0]["kind"], "impossible");
}

#[test]
fn schemas_completions_and_manual_are_made() {
    for file in ["rulebook", "clauses"] {
        let schema: Value = serde_json::from_str(&good(&["rules", "schema", file])).unwrap();
        assert_eq!(schema["type"], "object");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = good(&["completions", shell]);
        // Books, topics, methods, pairs, duties and spots are completed.
        for value in ["vic-2005", "out-of-sequence", "half-on-six", "canberra", "enforced"] {
            assert!(script.contains(value), "{shell} does not complete {value}");
        }
        assert!(script.contains("banker-dragon"), "{shell} does not complete spots");
    }
    assert!(good(&["man"]).contains(".TH sabot 1"));
    let folder = tempfile::tempdir().unwrap();
    good(&["man", folder.path().to_str().unwrap()]);
    assert!(folder.path().join("sabot-rules-diff.1").is_file());
}

/// `sabot … | head` closes the pipe early.
#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let binary = assert_cmd::cargo::cargo_bin("sabot");
    let script = format!("'{}' rules clauses act-2018 | head -n 1", binary.display());
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(text(&output.stderr), "");
}

fn transcripts(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    root.join(path).to_str().unwrap().to_owned()
}

/// A transcript in a temporary folder, judged.
fn judged(text: &str) -> (String, i32) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.coup");
    fs::write(&file, text).unwrap();
    let output = sabot(&["judge", file.to_str().unwrap()]);
    let said = text_of(&output).replace(&format!("{}/", folder.path().display()), "");
    (said, output.status.code().unwrap())
}

fn text_of(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn judge_prints_the_ruling_under_each_line_with_its_clause() {
    let said = good(&["judge", &transcripts("act-2018/not-due-becomes-bankers.coup")]);
    assert!(said.contains("  12  dealer draws 5h to player"), "{said}");
    assert!(said.contains("· 5h was not due to Player; it is Banker's [act-2018 13.1]"), "{said}");
    assert!(said.contains("13.1: A card wrongly drawn to Player goes to Banker"), "{said}");
}

#[test]
fn judge_exits_by_what_it_found() {
    let said = good(&["judge", "-q", &transcripts("nz-1998"), &transcripts("vic-2005")]);
    assert!(said.ends_with(" passed, 0 failed\n"), "{said}");
    let (said, code) =
        judged("operator opens act-2018\nAnn sits at 1 with 500\nexpect Ann has 400\n");
    assert_eq!(code, 1);
    assert!(said.contains("FAILED: wanted Ann has 400, got Ann has 500"), "{said}");
    let (said, code) = judged("operator opens act-2018\nAnn bets 50\n");
    assert_eq!(code, 1);
    let wanted = "a.coup:2:12: the line ends too early; here could stand `against`, `on`";
    assert!(said.contains(wanted), "{said}");
    let (said, code) = judged("operator opens act-2018\nAnn bets 5.005 on tie\n");
    assert_eq!(code, 1);
    assert!(
        said.contains("a.coup:2:10: `5.005` is not understood: an amount has at most two"),
        "{said}"
    );
    let (said, code) = judged("operator opens act-1999\n");
    assert_eq!(code, 1);
    assert!(said.contains("there is no rulebook `act-1999`"), "{said}");
    let refused = "operator opens act-2018\nAnn leaves\n";
    let (said, code) = judged(refused);
    assert_eq!(code, 0, "a refusal is a ruling where nothing is expected");
    assert!(
        said.contains("refused (unknown-player): Ann is not at the table; no player is"),
        "{said}"
    );
    let (said, code) = judged(&format!("{refused}operator closes the table\nexpect accepted\n"));
    assert_eq!(code, 1, "a refusal that nobody expects fails a file that expects something");
    assert!(said.contains("no `expect refused` follows"), "{said}");
    let (said, code) = judged("# nothing but a comment\n");
    assert_eq!(code, 1);
    assert!(said.contains("a.coup: the transcript is empty"), "{said}");
}

#[test]
fn judge_goes_on_behind_a_line_that_cannot_be_read() {
    let (said, code) = judged(
        "operator opens act-2018\nAnn sits at 1 with 500\nAnn blinks\nBo sits at 2 with 100\n\
         expect Bo has 100\nexpect Ann has 400\n",
    );
    assert_eq!(code, 1);
    for wanted in [
        "Ann sits at 1 with 500 [act-2018 1.1]",
        "a.coup:3:5: `blinks` is not understood; here could stand `adds`, `agrees`,",
        "or quotes around a name of two words, \"Ann blinks\"",
        "Bo sits at 2 with 100 [act-2018 1.1]",
        "FAILED: wanted Ann has 400, got Ann has 500",
        "2 of 6 lines failed",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn who_bets_above_the_maximum_is_told_how_much_is_at_risk() {
    let (said, _) = judged(
        "operator opens tas-2013\noperator posts main 10..100 by 5\nAnn sits at 1 with 500\n\
         fresh shoe\nAnn bets 200 on player\n",
    );
    assert!(said.contains("above the maximum, 100 of 200 is at risk [tas-2013 7.4]"), "{said}");
}

#[test]
fn judge_reads_what_is_piped_in() {
    let mut command = Command::cargo_bin("sabot").unwrap();
    let text = "operator opens act-2018\nAnn sits at 1 with 500\nexpect Ann has 500\n";
    let output = command.args(["judge", "-"]).write_stdin(text).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output));
    let mut command = Command::cargo_bin("sabot").unwrap();
    let text = text.replace("has 500", "has 501");
    let output = command.args(["judge", "-", "--json"]).write_stdin(text).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told[2]["failure"], "wanted Ann has 501, got Ann has 500");
    assert_eq!(told[2]["file"], "-");
}

#[test]
fn judge_exits_with_2_when_it_is_called_wrongly() {
    let file = transcripts("act-2018/not-due-becomes-bankers.coup");
    for (arguments, wanted) in [
        (&["judge"][..], "required"),
        (&["judge", "nowhere.coup"], "cannot read nowhere.coup"),
        (&["judge", "docs"], "there is no .coup file in what was named"),
        (&["judge", "--under", "act-1999", &file], "--under: there is no rulebook `act-1999`"),
    ] {
        let (message, code) = bad(arguments);
        assert!(message.contains(wanted), "{arguments:?}: {message}");
        assert_eq!(code, 2, "{arguments:?}");
    }
}

#[test]
fn judge_prepares_the_shoe_as_another_book_wants_it() {
    let file = transcripts("act-2018/said-plainly.coup");
    let said = good(&["judge", "--under", "nz-1998,tas-2013", &file]);
    for book in ["nz-1998", "tas-2013"] {
        assert!(said.contains(&format!("the shoe is prepared as {book} wants it")), "{said}");
    }
    assert!(!said.contains("while the shoe is being prepared"), "{said}");
}

/// A ten is a ten, however it is typed.
#[test]
fn a_ten_may_be_typed_with_two_digits() {
    let by_number = json(&["coup", "act-2018", "10h", "Kd", "9c", "2s"]);
    assert_eq!(by_number, json(&["coup", "act-2018", "Th", "Kd", "9c", "2s"]));
    let by_number = json(&["odds", "act-2018", "--removed", "10h"]);
    assert_eq!(by_number, json(&["odds", "act-2018", "--removed", "Th"]));
}

#[test]
fn a_clause_names_the_transcripts_that_cite_it() {
    let said = good(&["rules", "clauses", "act-2018", "13.1"]);
    assert!(said.contains("act-2018/not-due-becomes-bankers.coup"), "{said}");
    let told = json(&["rules", "clauses", "nz-1998", "7.3"]);
    let cases = told[0]["transcripts"].as_array().unwrap();
    assert!(cases.iter().any(|case| case == "nz-1998/the-cut.coup"), "{told}");
    // An amendment's transcripts cite its base.
    let told = json(&["rules", "clauses", "tas-2013", "5.3"]);
    let cases = told[0]["transcripts"].as_array().unwrap();
    assert!(cases.iter().any(|case| case.as_str().unwrap().starts_with("vic-2005/")), "{told}");
    assert!(!good(&["rules", "clauses", "act-2018"]).contains("cited in"));
}

#[test]
fn judge_shows_where_other_books_rule_differently() {
    let file = transcripts("act-2018/not-due-becomes-bankers.coup");
    let said = good(&["judge", "--under", "nz-1998,tas-2013", &file]);
    assert!(said.contains("nz-1998 has no dragon; it is dropped"), "{said}");
    assert!(said.contains("a pair for Player [act-2018 9.7, 9.6(a), 10.1]"), "{said}");
    assert!(!said.contains("  12  dealer draws"), "all books rule alike there: {said}");
}

#[test]
fn judge_gives_a_record_a_line_to_other_programs() {
    let records = json(&["judge", &transcripts("act-2018/not-due-becomes-bankers.coup")]);
    let draw = records.as_array().unwrap().iter().find(|record| record["line"] == 12).unwrap();
    assert_eq!(draw["rulings"][0]["clauses"][0], "act-2018 13.1");
    assert_eq!(draw["failure"], Value::Null);
}

#[test]
fn coverage_is_measured_from_what_the_engine_cited() {
    for book in rulebooks::ids() {
        let said = good(&["rules", "clauses", book, "--coverage", &transcripts(book)]);
        assert!(said.contains("enforced and recorded clauses are cited"), "{said}");
    }
    let output = sabot(&["rules", "clauses", "nz-1998", "--coverage", &transcripts("tas-2013")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("nz-1998: 0 of "));
}

/// The references are made from the code.
#[test]
fn the_references_are_what_the_program_prints() {
    for (command, file) in [
        (["judge", "--reference"], "docs/reference/transcripts.md"),
        (["judge", "--refusals"], "docs/reference/refusals.md"),
        (["judge", "--index"], "transcripts/README.md"),
        (["tournament", "keys"], "docs/reference/conditions.md"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        let wanted = good(&command);
        let found = fs::read_to_string(&path).unwrap();
        assert!(found == wanted, "{file} is old; `make docs` writes it anew");
    }
}
