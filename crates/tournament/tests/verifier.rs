//! Ballots and forms, checked by a program that was written from docs/VERIFY.md.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;

use tournament::{ballot, secret};

/// What the verifier prints, or nothing if it finds a fault.
fn verify(arguments: &[&str]) -> Option<String> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/verify_tournament.py");
    let done = Command::new("python3").arg(tool).args(arguments).output().unwrap();
    done.status.success().then(|| String::from_utf8(done.stdout).unwrap())
}

#[test]
fn the_verifier_draws_as_the_engine_does() {
    let names: Vec<String> = (1..=36).map(|i| format!("P{i}")).collect();
    for (secret, added) in [("one", vec![]), ("two", vec!["a".to_owned(), "größer".to_owned()])] {
        let commitment = ballot::commitment(secret).to_string();
        let mut drawn = names.clone();
        ballot::draw(&mut drawn, secret, &added).unwrap();
        let mut arguments = vec!["ballot", &commitment, secret];
        arguments.extend(names.iter().map(String::as_str));
        for words in &added {
            arguments.extend(["--added", words]);
        }
        let lines: Vec<_> = verify(&arguments).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(lines, drawn);
        arguments[2] = "another";
        assert_eq!(verify(&arguments), None, "another secret was not committed to");
    }
}

#[test]
fn the_verifier_checks_forms_as_the_engine_does() {
    let commitment = secret::commitment("salt", "100 on player").to_string();
    assert!(verify(&["form", &commitment, "salt", "100 on player"]).is_some());
    assert!(verify(&["form", &commitment, "salt", "200 on player"]).is_none());
    assert!(verify(&["form", &commitment, "other", "100 on player"]).is_none());
}
