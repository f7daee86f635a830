//! Every command obeys `--json`, on success and on a fault, and exits as documented.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};

/// A folder with a session, a part of a simulation, and files to read.
struct Ground(tempfile::TempDir);

impl Ground {
    fn new() -> Self {
        let ground = Self(tempfile::tempdir().unwrap());
        let folder = ground.0.path();
        let transcript = "# One coup.\noperator opens act-2018\noperator posts main 5..500 by 5\n\
                          Ann sits at 1 with 500\nfresh shoe\nAnn bets 50 on player\n\
                          dealer deals 9h 2c Kh 3c\nexpect Ann wins 50 on player\n";
        std::fs::write(folder.join("good.coup"), transcript).unwrap();
        let wrong = transcript.replace("wins 50", "wins 40");
        std::fs::write(folder.join("wrong.coup"), wrong).unwrap();
        let part = ["simulate", "--shoes", "40", "--shard", "1/1"];
        std::fs::write(folder.join("part.json"), ground.run(&part, "").stdout).unwrap();
        let conditions = ground.run(&["tournament", "new", "act-2018"], "").stdout;
        let bad = String::from_utf8(conditions.clone()).unwrap().replace("\"4%\"]", "\"5%\"]");
        std::fs::write(folder.join("cup.toml"), conditions).unwrap();
        std::fs::write(folder.join("bad.toml"), bad).unwrap();
        ground
    }

    fn run(&self, arguments: &[&str], said: &str) -> Output {
        let mut command = Command::cargo_bin("sabot").unwrap();
        command.current_dir(self.0.path()).env("SABOT_DATA", self.0.path().join("data"));
        command.env_remove("CLICOLOR_FORCE").args(arguments).write_stdin(said).output().unwrap()
    }
}

/// The commands that clap knows, as its help lists them.
fn commands(ground: &Ground, path: &[String], found: &mut BTreeSet<String>) {
    let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
    arguments.push("--help");
    let help = String::from_utf8(ground.run(&arguments, "").stdout).unwrap();
    if !path.is_empty() {
        assert!(help.contains("--json"), "{path:?} does not offer --json");
    }
    let list = help.split_once("\nCommands:\n").map(|(_, list)| list);
    let runs_alone = list.is_none() || help.contains("Arguments:\n");
    if runs_alone && !path.is_empty() {
        found.insert(path.join(" "));
    }
    let lines = list.map_or_else(Vec::new, |list| list.lines().collect());
    for line in lines.into_iter().take_while(|line| !line.is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let name = line.split_whitespace().next().unwrap();
        if indent == 2 && name != "help" {
            commands(ground, &[path, &[name.to_owned()]].concat(), found);
        }
    }
}

/// Commands that go well, with what is typed at them.
const GOOD: &[(&str, &[&str], &str)] = &[
    ("play", &["--plain"], "cut\nbet 25 banker\ndeal\nquit\n"),
    ("play", &["--plain", "--deal"], "\n\nquit\n"),
    ("drill", &["-q", "2", "--topic", "result"], "banker\nplayer\n"),
    ("drill", &["--results"], ""),
    ("serve", &["--example"], ""),
    ("store stats", &[], ""),
    ("store verify", &[], ""),
    ("store backup", &["--to", "copy.sabot"], ""),
    ("store export", &["--to", "all.jsonl"], ""),
    ("store import", &["all.jsonl", "--to", "carried.sabot"], ""),
    ("audit list", &[], ""),
    ("audit verify", &[], ""),
    ("audit replay", &[], ""),
    ("audit replay", &["-o", "all.coup"], ""),
    ("audit shoe", &["--data", "data"], ""),
    ("audit head", &[], ""),
    ("audit log", &[], ""),
    ("audit log", &["--books"], ""),
    ("audit key", &[], ""),
    ("audit csv", &[], ""),
    ("audit csv", &["-o", "coups.csv"], ""),
    ("audit erase", &["Ada"], ""),
    ("odds", &[], ""),
    ("odds", &["--wager", "tie"], ""),
    ("odds", &["--compare", "nz-1998,vic-2005"], ""),
    ("odds", &["--effect-of-removal"], ""),
    ("odds", &["--count", "--shoes", "3"], ""),
    ("odds", &["--plot", "a.svg"], ""),
    ("simulate", &["--shoes", "40"], ""),
    ("simulate", &["--shoes", "40", "--paths"], ""),
    ("simulate", &["--shoes", "40", "--plot", "b.svg"], ""),
    ("simulate", &["--shoes", "40", "--shard", "1/2"], ""),
    ("simulate merge", &["part.json"], ""),
    ("coup", &[], ""),
    ("coup", &["act-2018", "3h", "Kd", "3c", "2s", "5h", "--bet", "banker=100"], ""),
    ("judge", &["good.coup"], ""),
    ("judge", &["good.coup", "--under", "nz-1998,tas-2013"], ""),
    ("judge", &["--reference"], ""),
    ("judge", &["--refusals"], ""),
    ("tournament new", &["act-2018"], ""),
    ("tournament check", &["cup.toml"], ""),
    ("tournament conditions", &["cup.toml"], ""),
    ("tournament conditions", &["cup.toml", "--html"], ""),
    ("tournament conditions", &["cup.toml", "--lines"], ""),
    ("tournament rehearse", &["cup.toml", "--times", "3"], ""),
    ("tournament run", &["cup.toml", "--clock-by-line"], "quit\n"),
    ("tournament keys", &[], ""),
    ("tournament ballot", &[], ""),
    ("tournament seal", &["100 on player"], ""),
    ("rules list", &[], ""),
    ("rules show", &["vic-2005"], ""),
    ("rules clauses", &["act-2018", "13"], ""),
    ("rules diff", &["act-2012", "act-2018"], ""),
    ("rules check", &["act-2018"], ""),
    ("rules schema", &[], ""),
    ("rules new", &["our-house"], ""),
    ("completions", &["bash"], ""),
    ("man", &[], ""),
    ("man", &["pages"], ""),
];

/// Commands that find something that does not hold: exit code 1, and JSON that tells.
const WRONG: &[(&str, &[&str])] = &[
    ("judge", &["wrong.coup"]),
    ("tournament check", &["bad.toml"]),
    ("tournament conditions", &["bad.toml"]),
    ("tournament rehearse", &["bad.toml"]),
    ("tournament run", &["bad.toml"]),
    ("tournament seal", &["all of it"]),
    ("rules clauses", &["nz-1998", "--coverage", "."]),
];

/// Commands that are used wrongly: exit code 2, and JSON on standard error.
const BAD: &[(&str, &[&str])] = &[
    ("play", &["nowhere", "--plain"]),
    ("drill", &["nowhere"]),
    ("drill", &["--topic", "poker"]),
    ("serve", &["--listen", "nowhere"]),
    ("store stats", &["nowhere"]),
    ("store verify", &["nowhere"]),
    ("store backup", &["nowhere", "--to", "x.sabot"]),
    ("store export", &["nowhere", "--to", "x.jsonl"]),
    ("store import", &["nowhere", "--to", "x.sabot"]),
    ("audit list", &["--data", "part.json"]),
    ("audit verify", &["nowhere"]),
    ("audit key", &["nowhere"]),
    ("audit erase", &["nobody"]),
    ("audit csv", &["--player", "Nobody"]),
    ("tournament run", &["nowhere.toml"]),
    ("audit verify", &["--head", "x"]),
    ("audit replay", &["--coup", "99"]),
    ("audit shoe", &["--number", "99"]),
    ("audit head", &["nowhere"]),
    ("audit log", &["nowhere"]),
    ("odds", &["nowhere"]),
    ("odds", &["--csv"]),
    ("simulate", &["--shoes", "0"]),
    ("simulate merge", &["cup.toml"]),
    ("coup", &["act-2018", "3h", "Kd", "3c"]),
    ("coup", &["act-2018", "--bet", "banker"]),
    ("judge", &["nowhere.coup"]),
    ("judge", &["good.coup", "--under", "nowhere"]),
    ("tournament new", &["nz-1998"]),
    ("tournament check", &["nowhere.toml"]),
    ("tournament conditions", &["nowhere.toml"]),
    ("tournament rehearse", &["cup.toml", "--entrants", "5"]),
    ("tournament keys", &["more"]),
    ("tournament ballot", &["more"]),
    ("tournament seal", &["one\ntwo"]),
    ("rules list", &["more"]),
    ("rules show", &["nowhere"]),
    ("rules clauses", &["act-2018", "99"]),
    ("rules diff", &["act-2012"]),
    ("rules check", &[]),
    ("rules check", &["nowhere"]),
    ("rules schema", &["poem"]),
    ("rules new", &["Our House"]),
    ("rules new", &["act-2018"]),
    ("rules new", &["our-house", "--from", "nowhere"]),
    ("completions", &["abacus"]),
    ("man", &["part.json/pages"]),
];

fn typed<'a>(command: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
    command.split(' ').chain(arguments.iter().copied()).chain(["--json"]).collect()
}

fn read(bytes: &[u8], about: &[&str]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{about:?}: {why}:\n{text}"))
}

/// Keys are names of fields, and what is a number is one.
fn sound(value: &Value, key: &str, about: &[&str]) {
    // Clauses are named by numbers, ranks by letters, and a fraction is exact.
    let words = ["clause", "clauses", "missing", "rank", "exact", "words"];
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let plain =
                    key.chars().all(|c| c.is_ascii_lowercase() || "_0123456789".contains(c));
                assert!(plain, "{about:?}: `{key}` is a label, not the name of a field");
                // A fact is in the form of the log, where the kind of it is a key.
                if key != "fact" {
                    sound(value, key, about);
                }
            }
        }
        Value::Array(each) => each.iter().for_each(|value| sound(value, key, about)),
        Value::String(text) if !words.contains(&key) && !key.ends_with("_exact") => {
            let figure = text.trim_end_matches('%').parse::<f64>().is_ok_and(f64::is_finite);
            assert!(!figure || text.len() > 30, "{about:?}: {key} is the text {text:?}");
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[test]
fn every_command_has_a_case_here() {
    let ground = Ground::new();
    let mut known = BTreeSet::new();
    commands(&ground, &[], &mut known);
    let names = |cases: Vec<&str>| cases.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(names(GOOD.iter().map(|case| case.0).collect()), known);
    assert_eq!(names(BAD.iter().map(|case| case.0).collect()), known);
}

#[test]
fn what_goes_well_is_one_json_document() {
    let ground = Ground::new();
    for (command, arguments, said) in GOOD {
        let typed = typed(command, arguments);
        let output = ground.run(&typed, said);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{typed:?}: {told}");
        let value = read(&output.stdout, &typed);
        // A JSON Schema has the keys of what it describes; events have their own schema.
        if !matches!(*command, "rules schema" | "audit log" | "audit shoe") {
            sound(&value, "", &typed);
        }
    }
}

#[test]
fn what_does_not_hold_exits_with_one_and_tells_it_in_json() {
    let ground = Ground::new();
    for (command, arguments) in WRONG {
        let typed = typed(command, arguments);
        let output = ground.run(&typed, "");
        assert_eq!(output.status.code(), Some(1), "{typed:?}: {output:?}");
        let told = if output.stdout.is_empty() { &output.stderr } else { &output.stdout };
        sound(&read(told, &typed), "", &typed);
    }
}

#[test]
fn wrong_use_exits_with_two_and_tells_it_in_json() {
    let ground = Ground::new();
    ground.run(&["play", "--plain"], "cut\nbet 25 banker\ndeal\nquit\n");
    for (command, arguments) in BAD {
        let typed = typed(command, arguments);
        let output = ground.run(&typed, "");
        assert_eq!(output.status.code(), Some(2), "{typed:?}: {output:?}");
        assert_eq!(output.stdout, b"", "{typed:?}");
        let told = read(&output.stderr, &typed);
        let error = told["error"].as_str().unwrap();
        assert!(!error.is_empty() && !error.contains("Usage:"), "{typed:?}: {error}");
        assert!(!error.contains("error: ") && !error.contains("  "), "{typed:?}: {error}");
        assert_eq!(told["exit"], 2, "{typed:?}");
        // Without --json the same is said in words, with the same code.
        let output = ground.run(&typed[..typed.len() - 1], "");
        if *arguments != ["--csv"] {
            assert_eq!(output.status.code(), Some(2), "{typed:?}, in words");
        }
    }
}

/// Lines have the same fields, whether they can be read or not, and rulings are objects.
#[test]
fn lines_of_a_transcript_have_the_same_fields() {
    let ground = Ground::new();
    let (good, bad) = ("operator opens act-2018\n", "Ann blinks\n");
    std::fs::write(ground.0.path().join("mixed.coup"), [good, bad].concat()).unwrap();
    std::fs::write(ground.0.path().join("empty.coup"), "").unwrap();
    std::fs::write(ground.0.path().join("latin.coup"), b"# caf\xe9\n").unwrap();
    let files = ["judge", "mixed.coup", "empty.coup", "latin.coup", "--json"];
    let output = ground.run(&files, "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines = read(&output.stdout, &files);
    let fields = |line: &Value| line.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let all: BTreeSet<_> = lines.as_array().unwrap().iter().map(fields).collect();
    assert_eq!((lines.as_array().unwrap().len(), all.len()), (4, 1), "{lines:#}");
    let about = ["judge", "good.coup", "--under", "nz-1998", "--json"];
    let lines = read(&ground.run(&about, "").stdout, &about);
    let ruling = &lines[0]["books"][0]["rulings"][0];
    assert!(ruling["what"].is_string() && ruling["clauses"].is_array(), "{lines:#}");
    let about = ["drill", "nz-1998", "-q", "1", "--topic", "result", "--json"];
    assert_eq!(read(&ground.run(&about, "banker\n").stdout, &about)[0]["book"], "nz-1998");
}

/// The rulings and the refusal of a line are the documents that every program of Sabot gives.
#[test]
fn rulings_have_the_shape_of_events_and_refusals_that_of_refusals() {
    let ground = Ground::new();
    let plain = "operator opens act-2018\noperator posts main 10..1000\nAnn sits at 1 with 100\n\
                 fresh shoe\nAnn bets 20 on player\nAnn bets 5 on banker\n";
    std::fs::write(ground.0.path().join("plain.coup"), plain).unwrap();
    let event = "operator opens a tournament under act-2018\noperator names Dana director\n";
    std::fs::write(ground.0.path().join("event.coup"), event).unwrap();
    let about = ["judge", "plain.coup", "event.coup", "--json"];
    let lines = read(&ground.run(&about, "").stdout, &about);
    let at = |file: &str, line: u64| -> &Value {
        let lines = lines.as_array().unwrap().iter();
        lines.clone().find(|one| one["file"] == file && one["line"] == line).unwrap()
    };
    let bet = &at("plain.coup", 5)["rulings"][0];
    let told = (&bet["kind"], &bet["player"], &bet["spot"], &bet["amount_cents"]);
    assert_eq!(told, (&json!("placed"), &json!("Ann"), &json!("player"), &json!(2000)));
    assert_eq!((&bet["form"], &bet["postings"][0]["gained_cents"]), (&json!(1), &json!(-2000)));
    let refusal = &at("plain.coup", 6)["refusal"];
    assert_eq!((&refusal["form"], refusal["also"].is_array()), (&json!(1), true), "{refusal}");
    let named = &at("event.coup", 2)["rulings"][0];
    assert_eq!(named["kind"], "director-named", "{named}");
    assert!(named["table"].is_null() && named["fact"].is_object());
}

/// The log of a session that somebody altered does not hold, whatever is asked of it.
#[test]
fn a_log_that_was_altered_does_not_hold() {
    let ground = Ground::new();
    ground.run(&["play", "--plain"], "cut\nbet 25 banker\ndeal\nquit\n");
    let sessions = std::fs::read_dir(ground.0.path().join("data/sessions")).unwrap();
    let is_log = |path: &Path| path.extension().is_some_and(|end| end == "sabot");
    let log = sessions.map(|entry| entry.unwrap().path()).find(|path| is_log(path)).unwrap();
    let mut bytes = std::fs::read(&log).unwrap();
    for at in 0..bytes.len() - 5 {
        // The account of the person at the table, wherever the chain has it.
        if bytes[at..].starts_with(b"table-1-1 bets") {
            bytes[at + 8] = b'2';
        }
    }
    std::fs::write(&log, bytes).unwrap();
    for command in ["audit verify", "audit replay"] {
        let typed = typed(command, &[]);
        let output = ground.run(&typed, "");
        assert_eq!(output.status.code(), Some(1), "{typed:?}: {output:?}");
    }
}

#[test]
fn the_exit_codes_are_documented() {
    let ground = Ground::new();
    let help = String::from_utf8(ground.run(&["--help"], "").stdout).unwrap();
    let page = String::from_utf8(ground.run(&["man"], "").stdout).unwrap();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    for text in [help, page, readme] {
        for words in ["does not hold", "wrong use"] {
            assert!(text.contains(words), "`{words}` is missing:\n{text}");
        }
    }
}
