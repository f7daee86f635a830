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

#[test]
fn conditions_to_begin_with_are_without_a_fault() {
    let folder = tempfile::tempdir().unwrap();
    for book in ["act-2012", "act-2018", "tas-2013"] {
        let file = altered(folder.path(), book, |text| text);
        assert!(good(&["tournament", "check", &file]).contains("nothing is wrong"));
        let page = good(&["tournament", "conditions", &file, "--html"]);
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        let printed = good(&["tournament", "conditions", &file]);
        let (body, last) = printed.trim_end().rsplit_once('\n').unwrap();
        let hash = last.rsplit(' ').next().unwrap();
        assert_eq!(Digest::of(&[body.as_bytes(), b"\n"]).to_string(), hash);
        assert!(page.contains(hash), "text and page are one document");
    }
    let none = sabot(&["tournament", "new", "nz-1998"]);
    assert!(text(&none.stderr).contains("no conditions for nz-1998"));
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
        ("seats = 4", "seats = 12", "1 to 9 sit"),
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
    assert!(text(&output.stderr).contains("in quotes"), "{}", text(&output.stderr));
}

#[test]
fn a_rehearsal_is_the_same_again_and_can_be_judged() {
    let folder = tempfile::tempdir().unwrap();
    for book in ["act-2012", "act-2018", "tas-2013"] {
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
