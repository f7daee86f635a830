//! `sabot tournament` as a director types it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use shoe::Digest;

fn sabot(arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("sabot").unwrap();
    command.env_remove("CLICOLOR_FORCE").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn good(arguments: &[&str]) -> String {
    let output = sabot(arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {out}{err}");
    out
}

/// Writes a file of conditions that begin as the book's, altered.
fn altered(folder: &Path, book: &str, alter: impl Fn(String) -> String) -> String {
    let path = folder.join(format!("{book}.toml"));
    fs::write(&path, alter(good(&["tournament", "new", book]))).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The principal books that have tournaments.
fn books() -> impl Iterator<Item = &'static str> {
    let has = |id: &&str| rulebooks::load(id, None).unwrap().rulebook.tournament.is_some();
    rulebooks::principals().into_iter().filter(has)
}

#[test]
fn conditions_to_begin_with_are_without_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    for book in books() {
        let file = altered(folder.path(), book, |text| text);
        let checked = good(&["tournament", "check", &file]);
        assert!(checked.contains("nothing is wrong"), "{checked}");
        // The ACT books have what the house keeps approved; Tasmania's has a limit.
        let approval = checked.contains("which needs the regulator's approval");
        assert_eq!(approval, book != "tas-2013", "{checked}");
        let page = good(&["tournament", "conditions", &file, "--html"]);
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        let printed = good(&["tournament", "conditions", &file]);
        let (body, last) = printed.trim_end().rsplit_once('\n').unwrap();
        let hash = last.rsplit(' ').next().unwrap();
        assert_eq!(Digest::of(&[body.as_bytes(), b"\n"]).to_string(), hash);
        assert!(page.contains(hash), "text and page are one document");
    }
    let none = sabot(&["tournament", "new", "nz-1998"]);
    assert!(text(&none.stderr).contains("nz-1998 has no tournaments"));
}

#[test]
fn what_is_wrong_with_conditions_is_told_with_its_clause() {
    let folder = tempfile::tempdir().unwrap();
    for (from, to, told) in [
        ("groups = \"none\"", "", "16.3(a)(vi)"),
        ("\"4%\"]", "\"5%\"]", "16.21"),
        ("players = \"24..36\"", "players = \"24..360\"", "37 entrants"),
        ("from = \"winners of semi-finals\"", "from = \"winners of the moon\"", "the moon"),
        ("fee = 100", "fees = 100", "did you mean `fee`"),
        ("\"6%\", \"4%\"]", "\"4%\", \"4%\", \"2%\"]", "7 prizes"),
        ("seats = 4", "seats = 70", "tables of 70 seats; 1 to 9 sit at a table"),
        ("tables = 6", "tables = 0", "first round has no table"),
        ("from = \"entrants\"", "from = \"entrant\"", "`entrant` does not say"),
        ("coups = 10", "coups = 0", "lasts no time"),
        ("start = \"2027-03-20 19:00\"", "start = \"2027-03-20\"", "no day and time"),
    ] {
        let file = altered(folder.path(), "act-2018", |text| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        let output = sabot(&["tournament", "check", &file]);
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{from}: {printed}");
        assert!(printed.contains(told), "{from}: {printed}");
        let refused = sabot(&["tournament", "rehearse", &file]);
        assert_eq!(refused.status.code(), Some(1), "nothing is rehearsed on faults");
    }
    let file = altered(folder.path(), "tas-2013", |text| text.replace("\"10%\" ", "\"11%\" "));
    assert!(text(&sabot(&["tournament", "check", &file]).stdout).contains("15.2.1"));
    let file = altered(folder.path(), "act-2018", |text| text.replace("fee = 100", "fee = 12.5"));
    let output = sabot(&["tournament", "check", &file]);
    assert!(text(&output.stdout).contains("in quotes"), "{}", text(&output.stdout));
}

#[test]
fn all_faults_of_a_file_are_told_in_one_go() {
    let folder = tempfile::tempdir().unwrap();
    let file = altered(folder.path(), "act-2018", |text| {
        let text = text.replace("fee = 100 ", "fees = 100 ").replace("groups =", "group =");
        let text = text.replace("\"4%\"]", "\"5%\"]").replace("level = \"rounds\"", "level = 3");
        text.replace("winners of semi-finals", "winners of semi-final")
    });
    let output = sabot(&["tournament", "check", &file]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    for told in ["`fee`?", "`groups`?", "level = 3", "16.21", "did you mean semi-finals?"] {
        assert!(printed.contains(told), "{told}: {printed}");
    }
    // What was written wrongly is not said to be missing as well.
    for untold in ["[act-2018 16.3(a)(iii)]", "[act-2018 16.3(a)(vi)]"] {
        assert!(!printed.contains(untold), "{untold}: {printed}");
    }
    let output = sabot(&["tournament", "check", &file, "--json"]);
    let json: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let lines = json["faults"].as_array().unwrap().iter().filter(|f| f["line"].is_u64()).count();
    assert_eq!((output.status.code(), lines), (Some(1), 3), "{json:#}");
}

#[test]
fn conditions_are_made_for_any_number_of_players() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.toml");
    let file = path.to_str().unwrap();
    for book in books() {
        for players in ["2", "7", "8", "13", "24", "50", "100", "343"] {
            fs::write(&path, good(&["tournament", "new", book, "--players", players])).unwrap();
            assert!(good(&["tournament", "check", file]).contains("nothing is wrong"));
            let printed = good(&["tournament", "conditions", file]);
            let numbers = printed.lines().find(|line| line.contains("Players: ")).unwrap();
            assert!(numbers.ends_with(&format!(" {players}")), "{book} {players}: {numbers}");
        }
    }
    let one = sabot(&["tournament", "new", "act-2018", "--players", "1"]);
    assert_eq!(one.status.code(), Some(2));
}

/// The figures after a word, in cents.
fn cents_after(line: &str, word: &str) -> Vec<u64> {
    let list = line.split_once(word).unwrap().1;
    let amount = |text: &str| {
        let text = text.trim().trim_start_matches('$');
        let (dollars, cents) = text.split_once('.').unwrap_or((text, "0"));
        let cents = format!("{cents:0<2}");
        dollars.parse::<u64>().unwrap() * 100 + cents.parse::<u64>().unwrap()
    };
    list.split(',').map(amount).collect()
}

#[test]
fn sheet_check_conditions_and_award_agree_when_the_final_is_small() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.toml");
    let file = path.to_str().unwrap();
    // Three prizes; twelve entrants send two to the final, eighteen send three.
    let stages = "[stages.heats]\nfrom = \"entrants\"\ntables = 3\nseats = 6\ncoups = \
                  2\nadvance = 1\n[stages.final]\nfrom = \"winners of heats\"\ntables = 1\nseats = \
                  3\ncoups = 2\n";
    let own = good(&["tournament", "new", "act-2012"]);
    let own = own.split("\n[stages").next().unwrap().to_owned() + "\n" + stages;
    let own = own.replace("players = \"8..28\"", "players = \"12..18\"");
    let own = own.replace("fee = 50", "fee = 100").replace("\"8%\"", "\"10%\"");
    // Chips enough that nobody can be out before the final.
    let own = own.replace("chips = 500", "chips = 100000");
    fs::write(&path, own.replace("60%\", \"30%\", \"10%", "50%\", \"30%\", \"20%")).unwrap();
    let written = folder.path().join("evening.coup");
    let rehearsal = ["--times", "1", "--no-show", "0", "--entrants", "12", "--transcript"];
    let start = ["tournament", "rehearse", file, written.to_str().unwrap(), "--json"];
    let arguments = [&start[..3], &rehearsal[..], &start[3..]].concat();
    let sheet: Value = serde_json::from_str(&good(&arguments)).unwrap();
    let sheet: Vec<_> =
        sheet["prizes_cents"].as_array().unwrap().iter().map(|c| c.as_u64().unwrap()).collect();
    assert_eq!(sheet, [67500, 40500]);
    let lines = fs::read_to_string(&written).unwrap();
    let won = lines.lines().filter(|line| line.starts_with("expect") && line.contains(" prize "));
    let mut won: Vec<_> = won.flat_map(|line| cents_after(line, " prize ")).collect();
    won.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(won, sheet, "what was awarded is what the sheet says");
    for command in ["check", "conditions"] {
        let printed = good(&["tournament", command, file]);
        let line = printed.lines().find(|line| line.contains("With 12 entrants")).unwrap();
        assert_eq!(cents_after(line, ": "), sheet, "{command}");
    }
}

#[test]
fn the_words_of_a_form_come_from_the_pipe() {
    for arguments in [&["tournament", "seal", "--json"][..], &["tournament", "seal", "-", "--json"]]
    {
        let mut command = Command::cargo_bin("sabot").unwrap();
        let output = command.args(arguments).write_stdin("100 on player\n").output().unwrap();
        let form: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
        assert_eq!(form["content"], "100 on player");
    }
    let mut command = Command::cargo_bin("sabot").unwrap();
    let output = command.args(["tournament", "seal"]).write_stdin("").output().unwrap();
    assert_ne!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("nothing on the form"));
}

#[test]
fn a_rehearsal_is_the_same_again_and_can_be_judged() {
    let folder = tempfile::tempdir().unwrap();
    for book in books() {
        let file = altered(folder.path(), book, |text| text);
        let written = folder.path().join("evening.coup");
        let written = written.to_str().unwrap();
        let arguments = ["tournament", "rehearse", &file, "--times", "3", "--json"];
        let first: Value = serde_json::from_str(&good(&arguments)).unwrap();
        let again = good(&[&arguments[..], &["--transcript", written]].concat());
        assert_eq!(first, serde_json::from_str::<Value>(&again).unwrap());
        assert_eq!(first["rehearsals"], 3);
        let prizes = first["prizes_cents"].as_array().unwrap().iter();
        let sum: u64 = prizes.map(|prize| prize.as_u64().unwrap()).sum();
        assert_eq!(Some(sum), first["pool_cents"].as_u64(), "{book}");
        assert!(good(&["judge", "--quiet", written]).contains("1 passed"), "{book}");
    }
}

#[test]
fn a_sealed_form_and_a_ballot_keep_what_they_commit_to() {
    let form: Value =
        serde_json::from_str(&good(&["tournament", "seal", "100 on player", "--json"])).unwrap();
    let word = |form: &Value, key: &str| form[key].as_str().unwrap().to_owned();
    let commitment = tournament::secret::commitment(&word(&form, "salt"), "100 on player");
    assert_eq!(commitment.to_string(), word(&form, "commitment"));
    let unreadable = sabot(&["tournament", "seal", "all my chips"]);
    assert_eq!(unreadable.status.code(), Some(1));
    assert!(text(&unreadable.stdout).contains("would cost the minimum"));
    let ballot: Value = serde_json::from_str(&good(&["tournament", "ballot", "--json"])).unwrap();
    let commitment = tournament::ballot::commitment(&word(&ballot, "secret"));
    assert_eq!(commitment.to_string(), word(&ballot, "commitment"));
}
