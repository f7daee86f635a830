//! `sabot play --plain`, `--deal`, `drill` and `audit`, as they are typed.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Output;

fn sabot(data: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_sabot"));
    command.env("SABOT_DATA", data).args(arguments).write_stdin(input).output().unwrap()
}

fn said(data: &Path, arguments: &[&str], input: &str) -> String {
    let output = sabot(data, arguments, input);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A log whose book has another edition since cannot be judged here; that is not to say that it
/// does not hold.
#[test]
fn a_log_is_judged_by_the_edition_that_it_kept() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let book = data.join("our-house");
    said(data, &["rules", "new", "our-house", "--in", data.to_str().unwrap()], "");
    said(data, &["play", book.to_str().unwrap(), "--plain"], "cut\nbet 25 banker\ndeal\nquit\n");
    assert!(said(data, &["audit", "verify"], "").contains("it holds together"));
    let file = book.join("rulebook.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let other = text.replace("ace = { is = 1,", "ace = { is = 2,");
    assert_ne!(text, other);
    std::fs::write(&file, other).unwrap();
    assert!(said(data, &["audit", "verify"], "").contains("it holds together"));
    let json = sabot(data, &["audit", "verify", "--json"], "");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["verdict"], &json["holds"]), (&"holds".into(), &true.into()));
    let resumed = said(data, &["play", "--resume", "--plain"], "rebet\ndeal\nleave\n");
    assert!(resumed.contains("the session goes on: coup 2"), "{resumed}");
}

#[test]
fn whoever_deals_still_deals_when_somebody_sits_at_the_players_own_seat() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let dealt = ["play", "act-2018", "--deal", "--plain", "--players", "0"];
    let told = said(data, &dealt, "Cara sits at 3 with 500\nquit\n");
    assert!(told.contains("Cara"), "{told}");
    let resumed = said(data, &["play", "--resume", "--plain"], "help\nquit\n");
    assert!(resumed.contains("the session goes on: coup 1"), "{resumed}");
    assert!(!resumed.contains("you sit at seat 3"), "{resumed}");
    assert!(resumed.contains("draws in excess"), "the help is a dealer's: {resumed}");
}

#[test]
fn a_coup_is_played_line_by_line_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let lines = "cut 200\nbet 25 banker\nundo\nbet 50 player pair\nplayer 25\ndeal\nwhy\nroads\n\
                 shoe\nsign\nblah\nbet 3 banker\n20 tie\nclear\nquit\n";
    let told = said(data, &["play", "--plain"], lines);
    for wanted in [
        "a win              1:1 less 5% [8.4(b)]",
        "commitment",
        "you took part ✓",
        "Guest cuts at 200 [5.4, 5.3]",
        "coup 1 begins",
        "act-2018 ",
        "proved ✓",
        "Roads are history",
        "`blah` is no order",
        "session",
    ] {
        assert!(told.contains(wanted), "{wanted} is missing:\n{told}");
    }
    let verified = said(data, &["audit", "verify"], "");
    assert!(verified.contains("it holds together"), "{verified}");
    let resumed = said(data, &["play", "--resume", "--plain"], "rebet\ndeal\nleave\n");
    assert!(resumed.contains("the session goes on: coup 2"), "{resumed}");
    assert!(resumed.contains("you leave with"), "{resumed}");
    // What was left cannot be gone on with, and says so.
    let gone = sabot(data, &["play", "--resume", "--plain"], "");
    assert!(String::from_utf8_lossy(&gone.stderr).contains("nobody is left"), "{gone:?}");
    let record = said(data, &["audit", "shoe"], "");
    let file = data.join("shoe.json");
    std::fs::write(&file, record).unwrap();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verify_shoe.py");
    let checked = std::process::Command::new("python3").arg(program).arg(&file).output();
    let checked = checked.expect("python3 runs the verifier; make test installs it");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
    let transcript = said(data, &["audit", "replay", "--coup", "1"], "");
    assert!(transcript.contains("expect result"), "{transcript}");
    assert!(said(data, &["audit", "list"], "").contains("act-2018"));
    assert!(said(data, &["audit", "head"], "").contains(':'));
    assert!(said(data, &["audit", "log"], "").lines().count() > 50);
}

/// What is printed to go on with works as it is printed.
#[test]
fn a_folder_that_was_named_is_named_again() {
    let folder = tempfile::tempdir().unwrap();
    let named = folder.path().join("my data");
    let named = named.to_str().unwrap();
    let told = said(folder.path(), &["play", "--plain", "--data", named], "cut 200\nquit\n");
    let option = format!(" --data '{named}'\n");
    assert!(told.contains(&format!("sabot play --resume{option}")), "{told}");
    assert_eq!(told.matches(&option).count(), 2, "{told}");
    let told = said(folder.path(), &["play", "--plain"], "cut 200\nquit\n");
    assert!(told.contains("go on with: sabot play --resume\n"), "{told}");
}

/// Names as people have them, typed as they are; what is written of the session reads back.
#[test]
fn people_play_under_their_own_names() {
    for name in ["O'Brien", "Mary Ann", "Nguyễn", "Dr. No", "says"] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let lines = "cut 200\nbet 25 banker\ndeal\nbet 25 player\ndeal\nquit\n";
        let told = said(data, &["play", "--plain", "--name", name, "--players", "2"], lines);
        assert!(told.contains(&format!("{name} cuts at 200")), "{told}");
        let verified = said(data, &["audit", "verify"], "");
        assert!(verified.contains("it holds together"), "{name}: {verified}");
        for part in [&["audit", "replay"][..], &["audit", "replay", "--coup", "2"]] {
            let transcript = said(data, part, "");
            let judged = sabot(data, &["judge", "-q", "-"], &transcript);
            assert!(judged.status.success(), "{transcript}\n{judged:?}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, why) in [
        ("dealer", "`dealer` says who acts"),
        ("Ann#1", "`#` stands in no name; letters, digits, ' and - do"),
        ("", "a name has at least one letter"),
        (
            "Abcdefghijklmnopqrstuvwxyzabcdef",
            "at most 31 characters, or 96 bytes, and this one has 32",
        ),
    ] {
        let output = sabot(folder.path(), &["play", "--plain", "--name", name], "");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(why), "{name}: {told}");
    }
}

/// Who deals may type a name in quotes, a ten with two digits, and verbs as they are said.
#[test]
fn dealers_type_as_they_speak() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "\n\n\n\n10♥\n\"Mary Ann\" sits at 7 with 500\n\"Mary Ann\" bet 50 on banker\n\
                 no more bets\ndeal 10h Kd 10c 2s\ndraw 10s to player\ndraw 10d to banker\nquit\n";
    let told = said(folder.path(), &["play", "--deal", "--keyed", "--plain"], lines);
    for wanted in ["Th and 10 more are burnt", "Mary Ann has 50 on banker", "Player 0, Banker 2"] {
        assert!(told.contains(wanted), "{wanted} is missing:\n{told}");
    }
    assert!(!told.contains("is not understood"), "{told}");
}

/// A word does what is due, with the system's cards; what is not due is ruled on, or helped with.
#[test]
fn dealers_deal_in_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let words = "deal\ncheck\nburn\nshuffle\nplace\nburn\ndeal\ndraw\ndraw\nquit\n";
    let told = said(folder.path(), &["play", "--deal", "--plain"], words);
    for wanted in [
        "no: the shoe is not ready; check, shuffle, cut and mark the cards first [6.1]",
        "a burn is not due now",
        // The card is the shoe's, and tens cite one clause more.
        "burnt [5.5(b), 5.6",
        " has ",
        "the dealer calls “No more bets”",
        "coup 1 begins",
    ] {
        assert!(told.contains(wanted), "{wanted} is missing:\n{told}");
    }
    assert!(!told.contains("ends too early"), "{told}");
    let words = "check\nshuffle\nplace\nburn\n5h\ndeal\n3h Kd 3c 2s\ndeal\n9h\nquit\n";
    let told = said(folder.path(), &["play", "--deal", "--keyed", "--plain"], words);
    for wanted in ["which four cards?", "a card to Banker: which card? `5h`", "Banker 1"] {
        assert!(told.contains(wanted), "{wanted} is missing:\n{told}");
    }
}

#[test]
fn what_goes_wrong_in_a_deal_is_ruled_with_its_clause() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    // Check, shuffle, burn and wagers by Enter; then real cards, one of them not due.
    let lines = "\n\n\n\n5h\n\ncalls no more bets\n3h Kd 3c 2s\ndraws 5c to player\nnonsense\nwhy\n\
                 draws 9h in excess\n10s\nquit\n";
    let told = said(data, &["play", "--deal", "--keyed", "--plain"], lines);
    for wanted in [
        "5h and 5 more are burnt [5.5(b), 5.6]",
        "5c was not due to Player; it is Banker's [13.1]",
        "is not understood",
        "9h is in excess and seen [13.2]",
    ] {
        assert!(told.contains(wanted), "{wanted} is missing:\n{told}");
    }
    let verified = said(data, &["audit", "verify"], "");
    assert!(verified.contains("it holds together"), "{verified}");
    // From the system's shoe nobody names a card.
    let told = said(data, &["play", "--deal", "--plain"], "\n\n\n\n\n\n\n5h\nquit\n");
    assert!(told.contains("dealt from the system's shoe"), "{told}");
}

#[test]
fn a_drill_reads_answers_as_people_give_them_and_remembers() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let drill = ["drill", "nz-1998", "-q", "6", "--topic", "result"];
    let told =
        said(data, &drill, "gibberish\nbanker wins\nthe banker\nplayer\ntie\nbanker\n\nbanker\n");
    assert!(told.contains("that is no answer here"), "{told}");
    assert!(told.contains("passed"), "{told}");
    let results = said(data, &["drill", "nz-1998", "--results", "--json"], "");
    let results: serde_json::Value = serde_json::from_str(&results).unwrap();
    let (right, wrong) = (&results[0]["right"], &results[0]["wrong"]);
    assert_eq!(right.as_u64().unwrap() + wrong.as_u64().unwrap(), 5, "{results}");
    let unknown = sabot(data, &["drill", "--topic", "poker"], "");
    assert!(
        String::from_utf8_lossy(&unknown.stderr).contains("possible values: totals"),
        "{unknown:?}"
    );
}

/// Whoever reads line by line, or hears it, is asked for the cut at once.
#[test]
fn few_lines_come_before_the_first_question() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["play", "--plain"][..], &["play", "--plain", "--deal"]] {
        let told = said(folder.path(), arguments, "");
        let before: Vec<_> = told.lines().take_while(|line| !line.contains(" > ")).collect();
        assert!(before.len() <= 7, "{arguments:?}: {} lines:\n{told}", before.len());
        let hash = |word: &str| word.len() >= 12 && word.chars().all(|c| c.is_ascii_hexdigit());
        assert!(!told.split_whitespace().any(hash), "{arguments:?}: a hash:\n{told}");
    }
    let told = said(folder.path(), &["play", "--plain"], "shoe\nsign\n");
    assert!(told.contains("commitment  ") && told.contains("root  "), "on request:\n{told}");
    assert!(told.contains("5..1000 by 5"), "on request:\n{told}");
}

#[test]
fn a_seat_is_kept_under_the_name_of_a_simulated_player() {
    for name in ["Ada", "Bruno", "Fay"] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let open = ["play", "--plain", "--name", name, "--players", "3"];
        let told = said(data, &open, "cut\nbet 25 banker\nquit\n");
        let others = told.lines().filter(|line| line.contains(" sits at ")).count();
        assert_eq!(others, 4, "{name} and three others:\n{told}");
        let told = said(data, &["play", "--plain", "--resume"], "players 6\ndeal\nquit\n");
        assert!(!told.contains("you deal"), "{name} lost the seat:\n{told}");
        assert!(told.contains("25 on Banker"), "{name} lost the wager:\n{told}");
        let again = ["play", "--plain", "--resume", "--name", name];
        let told = said(data, &again, "bet 25 tie\nquit\n");
        assert!(told.contains(&format!("{name} has 25 on tie at 3")), "{told}");
        let told = said(data, &["audit", "verify"], "");
        assert!(told.contains("it holds together"), "{told}");
    }
    // What was settled at the opening is not settled again, and not passed over without a word.
    let folder = tempfile::tempdir().unwrap();
    said(folder.path(), &["play", "--plain"], "cut\nquit\n");
    for (more, why) in [
        (&["--name", "Zoe"][..], "the session is Guest's, not Zoe's"),
        (&["--stack", "5000"], "cannot be used with '--stack"),
        (&["--players", "2"], "cannot be used with '--players"),
    ] {
        let output = sabot(folder.path(), &[&["play", "--plain", "--resume"], more].concat(), "");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{more:?}: {told}");
        assert!(told.contains(why), "{more:?}: {told}");
    }
    // Who deals has no seat, and still has none.
    let folder = tempfile::tempdir().unwrap();
    said(folder.path(), &["play", "--plain", "--deal"], "\n\nquit\n");
    let told = said(folder.path(), &["play", "--plain", "--resume"], "quit\n");
    assert!(told.contains("you deal"), "{told}");
}

#[test]
fn what_cannot_be_taken_back_is_said_twice() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let lines = "cut\nbet 25 banker\nnobet\nclear\nundo\nchips\nlog\nchips\ndeal\nquit\n";
    let told = said(data, &["play", "--plain"], lines);
    assert!(told.contains("n again asks for it"), "{told}");
    assert!(!told.contains("Guest leaves"), "{told}");
    let back = told.split("goes back to Guest").nth(1).unwrap();
    assert!(back.contains("Guest has 25 on banker"), "the clear was undone:\n{told}");
    let told = said(data, &["play", "--plain"], "cut\nchips\nchips\nquit\n");
    assert!(told.contains("Guest leaves"), "said twice, it is done:\n{told}");
}

#[test]
fn a_clock_that_nobody_could_obey_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, why) in [
        (&["play", "--plain", "--clock", "10"][..], "a line that is being typed"),
        (&["play", "--clock", "10"], "needs the full screen"),
        (&["play", "--deal", "--clock", "10"], "is for players"),
    ] {
        let output = sabot(folder.path(), arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(why), "{arguments:?}: {told}");
    }
    assert!(!folder.path().join("sessions").exists(), "no session was begun");
}

#[test]
fn a_table_that_cannot_open_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    for (arguments, why) in [
        (&["play", "nz-1998", "--with", "pairs=perfect", "--plain"][..], "no side bets"),
        (&["play", "--name", "dealer", "--plain"], "cannot be a name"),
        (&["play", "--stack", "0", "--plain"], "--stack 1000"),
        (&["play", "nowhere", "--plain"], "nowhere"),
        (&["play", "--resume", "--plain"], "no session"),
    ] {
        let output = sabot(data, arguments, "");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(why), "{arguments:?}: {told}");
    }
    let sessions = std::fs::read_dir(data.join("sessions")).map_or(0, Iterator::count);
    assert_eq!(sessions, 0, "files were left behind");
}

/// Who has wagers that count stays, and so does everybody else; nobody is told that they left.
#[test]
fn nobody_leaves_while_wagers_hold_somebody() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let down = ["play", "act-2018", "--plain", "--face-down"];
    let dealt = ["play", "act-2018", "--plain", "--deal"];
    let coup = "cut\nbet 50 banker\ndeal\nleave\n";
    // Wagers are taken back until the first card.
    let called = "check\nshuffle\nplace\nburn\n\nno more bets\n\nleave\n";
    for (arguments, lines) in [(&down[..], coup), (&dealt, called)] {
        let told = said(data, arguments, lines);
        assert!(told.contains("has wagers on the layout"), "{told}");
        assert!(!told.contains("you leave with") && !told.contains("published in it"), "{told}");
        assert!(told.contains("go on with: sabot play --resume"), "{told}");
        let verified = said(data, &["audit", "verify"], "");
        assert!(verified.contains("it holds together"), "{verified}");
    }
    let json = said(data, &[&down[..], &["--json"]].concat(), coup);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["left"], &json["left_with_cents"]), (&false.into(), &().into()));
}

#[test]
fn who_leaves_is_told_what_they_have() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let lines = "cut\nbet 100 banker\nleave\n";
    let told = said(data, &["play", "--plain"], lines);
    assert!(told.contains("you leave with 1000; the shoe's secret is published in it"), "{told}");
    let json = said(data, &["play", "--plain", "--json"], lines);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["left"], &json["left_with_cents"]), (&true.into(), &100_000.into()));
    // A dealer has no chips; real cards, and a shoe that never was, have no secret.
    for (more, lines, secret) in [
        (&[][..], "leave\n", false),
        (&["--keyed"], "check\nshuffle\nplace\nburn\n5h\nleave\n", false),
        (&[], "check\nshuffle\nplace\nburn\nleave\n", true),
    ] {
        let told = said(data, &[&["play", "--plain", "--deal"], more].concat(), lines);
        assert!(!told.contains("you leave with") && !told.contains("go on with"), "{told}");
        assert_eq!(told.contains("secret is published in it"), secret, "{more:?}: {told}");
    }
}

/// The program bets, cuts and turns for nobody but the players whom it seated itself.
#[test]
fn what_people_do_is_never_made_up() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let keyed = ["play", "act-2018", "--deal", "--keyed", "--plain"];
    let alone = [&keyed[..], &["--players", "0"]].concat();
    let prepared =
        "Ada sits at 1 with 500\ncheck\nshuffle\nAda cuts at 208\nplace\nburn\n5h\nquit\n";
    let told = said(data, &alone, prepared);
    assert!(told.contains("wagers are open") && !told.contains("lets them bet"), "{told}");
    let resumed = said(data, &["play", "--resume", "--plain"], "players 1\nlog\n\nquit\n");
    assert!(!resumed.contains("Ada has"), "{resumed}");
    assert!(resumed.contains("Bruno sits") && resumed.contains("Bruno has"), "{resumed}");
    // Nobody who was seated by the program is forgotten, nor taken for a person.
    let told = said(data, &["play", "--resume", "--plain"], "no more bets\n3h Kd 4c 2s\nquit\n");
    assert!(told.contains("coup 1 begins") && !told.contains("Ada has"), "{told}");
    for book in ["tas-2013", "nz-1998"] {
        let alone = ["play", book, "--deal", "--keyed", "--plain", "--players", "0"];
        let lines = "Zoe sits at 1 with 500\n\n\n\n\nquit\n";
        let told = said(data, &alone, lines);
        assert!(told.contains("Zoe cuts: at which depth? `Zoe cuts at 208`"), "{book}: {told}");
        let replay = said(data, &["audit", "replay"], "");
        assert!(replay.contains("Zoe sits") && !replay.contains("Zoe cuts"), "{book}: {replay}");
    }
    // Four cards end the time for wagers like a call does: they bet first.
    let told = said(data, &keyed, "check\nshuffle\nplace\nburn\n5h\n3h Kd 3c 2s\nquit\n");
    let coup = told.find("coup 1 begins").unwrap();
    assert!(told[..coup].contains("Ada has "), "{told}");
}

/// Bytes that are no text are one line, and not the end.
#[test]
fn bytes_that_are_no_text_end_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["play", "act-2018", "--plain"][..],
        &["play", "act-2018", "--plain", "--deal"],
        &["drill", "act-2018", "-q", "1"],
    ] {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_sabot"));
        command.env("SABOT_DATA", folder.path()).args(arguments);
        let output = command.write_stdin(&b"bet \xff\nhelp\nquit\n"[..]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        assert!(told.contains("no text in UTF-8; type it again"), "{arguments:?}: {told}");
    }
}
