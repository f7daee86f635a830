//! `sabot odds` and `sabot simulate`, as they are typed.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Output;

fn sabot(arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_sabot"));
    command.args(arguments).output().unwrap()
}

fn said(arguments: &[&str]) -> String {
    let output = sabot(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(arguments: &[&str]) -> String {
    let output = sabot(arguments);
    assert!(!output.status.success(), "{arguments:?} was not refused");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_known_edges_are_told_with_their_clauses() {
    let table = said(&["odds", "act-2018"]);
    for row in [
        "Banker               1.0579%",
        "Player               1.2351%",
        "Tie                  14.3596%",
        "Player pair          7.9518%",
        "Player Dragon Bonus  2.6517%",
    ] {
        assert!(table.contains(row), "{row} is missing:\n{table}");
    }
    assert!(table.contains("8.4(b)") && table.contains("4998398275503360"), "{table}");
    let half = said(&["odds", "act-2018", "--method", "half-on-six", "--wager", "banker"]);
    assert!(half.contains("house edge 1.458"), "{half}");
    let canberra = said(&["odds", "act-2018", "--with", "pairs=canberra", "--csv"]);
    assert!(canberra.contains("player-pair,0.10361"), "{canberra}");
}

#[test]
fn the_counts_are_exact_in_json() {
    let text = said(&["odds", "nz-1998", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["draws"], 4_998_398_275_503_360_u64);
    let outcomes = found["outcomes"].as_array().unwrap();
    let sum: u64 = outcomes.iter().map(|class| class["draws"].as_u64().unwrap()).sum();
    assert_eq!(sum, 4_998_398_275_503_360);
    assert_eq!(found["wagers"][0]["wager"], "banker");
}

#[test]
fn seen_cards_and_transcripts_change_the_odds() {
    let natural = said(&["odds", "--given", "9h,2c,Kh,3c", "--wager", "player"]);
    assert!(natural.contains("100.000000%"), "{natural}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.coup");
    let transcript = "operator opens act-2018\noperator posts main 5..500\nAnn sits at 1 with 500\n\
                      fresh shoe\nAnn bets 50 on player\ndealer deals 9h 2c Kh 3c\n";
    std::fs::write(&file, transcript).unwrap();
    let after = said(&["odds", "--shoe", file.to_str().unwrap()]);
    assert!(after.contains("412 cards"), "{after}");
    let removed = said(&["odds", "--removed", "9h,2c,Kh,3c"]);
    assert_eq!(after, removed);
}

#[test]
fn bad_questions_get_clear_answers() {
    for (arguments, why) in [
        (&["odds", "--decks", "1", "--removed", "Ah,Ah"][..], "not in the shoe so often"),
        (&["odds", "--decks", "0"], "1 to 16"),
        (&["odds", "--removed", "1x"], "a card is a rank"),
        (
            &["odds", "nz-1998", "--wager", "tie-pair"],
            "nz-1998 has no tie-pair; it has banker, player",
        ),
        (&["odds", "nz-1998", "--wager", "banker-dragon"], "has no banker-dragon"),
        (&["odds", "nz-1998", "--method", "half-on-six"], "half-on-six"),
        (&["odds", "--plot", "a.gif"], "neither in .svg nor in .png"),
        (&["odds", "--count", "--shoes", "0"], "allowed: "),
        (&["simulate", "--shoes", "0"], "allowed: "),
        (&["simulate", "--shoes", "9999999999999999"], "allowed: "),
        (&["simulate", "--cut", "410"], "leave nothing"),
        (&["simulate", "tas-2013", "--burn", "shown"], "burns no cards"),
        (&["simulate", "--shard", "4/3"], "the third of eight is 3/8"),
        (&["simulate", "merge", "Cargo.toml"], "is no part of a simulation"),
    ] {
        let told = refused(arguments);
        assert!(told.contains(why), "{arguments:?}: {told}");
    }
}

#[test]
fn parts_of_a_run_add_up_to_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["simulate", "vic-2005", "--shoes", "4000", "--seed", "9"];
    let whole = said(&[&run[..], &["--json"]].concat());
    let mut files = Vec::new();
    for k in 1..=3 {
        let shard = format!("{k}/3");
        let part = said(&[&run[..], &["--threads", "1", "--shard", &shard]].concat());
        let path = folder.path().join(format!("{k}.json"));
        std::fs::write(&path, part).unwrap();
        files.push(path.to_str().unwrap().to_owned());
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let merged = said(&[&["simulate", "merge"], &files[..], &["--json"]].concat());
    assert_eq!(merged, whole);
    let missing = refused(&["simulate", "merge", files[0], files[2]]);
    assert!(missing.contains("missing: 2/3"), "{missing}");
    let twice = refused(&["simulate", "merge", files[0], files[0]]);
    assert!(twice.contains("was added before"), "{twice}");
}

#[test]
fn every_table_of_odds_can_be_had_as_csv() {
    for (arguments, head) in [
        (&["odds", "--csv"][..], "wager,house_edge,standard_deviation,hit_rate,push_rate"),
        (&["odds", "--compare", "nz-1998", "--csv"], "wager,act-2018,nz-1998"),
        (&["odds", "nz-1998", "--effect-of-removal", "--csv"], "rank,banker,player,tie"),
        (
            &["odds", "--count", "--shoes", "3", "--csv"],
            "wager,favourable,mean_edge,best_edge,units_a_shoe",
        ),
        (&["simulate", "--shoes", "40", "--csv"], "wager,mean,error_99,exact"),
    ] {
        let text = said(arguments);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some(head), "{arguments:?}");
        let cells = head.split(',').count();
        assert!(lines.all(|line| line.split(',').count() == cells), "{arguments:?}: {text}");
    }
}

#[test]
fn pictures_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let (svg, png) = (folder.path().join("a.svg"), folder.path().join("a.png"));
    said(&["odds", "--plot", svg.to_str().unwrap()]);
    assert!(std::fs::read_to_string(&svg).unwrap().contains("<svg"));
    said(&["simulate", "--shoes", "500", "--plot", png.to_str().unwrap()]);
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
}

/// What is counted is what is said to be counted.
#[test]
fn draws_are_of_the_cards_that_are_not_given() {
    for (given, wanted) in [
        ("3h", "draws of the other five cards"),
        ("3h,Kd,3c,2s", "of 169332 equally likely draws of the other two cards"),
        ("3h,Kd,3c,2s,4d", "of 411 equally likely draws of the last card"),
    ] {
        let told = said(&["odds", "--given", given]);
        assert!(told.contains(wanted), "{given}: {told}");
    }
}

/// Few shoes may leave a shard without one; it is written, and merged, all the same.
#[test]
fn a_shard_without_shoes_is_merged_too() {
    let folder = tempfile::tempdir().unwrap();
    let parts: Vec<_> = (1..=8).map(|k| (folder.path().join(format!("{k}")), k)).collect();
    let mut merge = vec!["simulate", "merge"];
    for (path, k) in &parts {
        let part = said(&["simulate", "--shoes", "3", "--shard", &format!("{k}/8")]);
        std::fs::write(path, part).unwrap();
        merge.push(path.to_str().unwrap());
    }
    assert!(said(&merge).contains("3 shoes of 8 decks"));
}
