//! The rules of the house that a machine can check.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every file that belongs to the project: path from the root, and text.
fn files() -> Vec<(String, String)> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(listed.status.success(), "git does not list the files of the project");
    String::from_utf8(listed.stdout)
        .unwrap()
        .lines()
        .filter_map(|path| Some((path.to_owned(), fs::read_to_string(root().join(path)).ok()?)))
        .collect()
}

fn rust_files() -> Vec<(String, String)> {
    let rust = |path: &str| Path::new(path).extension().is_some_and(|extension| extension == "rs");
    files().into_iter().filter(|(path, _)| rust(path)).collect()
}

/// Fails with all offences, not only the first.
fn none(offences: &[String]) {
    assert!(offences.is_empty(), "\n{}", offences.join("\n"));
}

#[test]
fn every_source_file_opens_with_what_it_is_about() {
    let bare = rust_files().into_iter().filter(|(_, text)| !text.starts_with("//! "));
    none(&bare.map(|(path, _)| format!("{path} does not open with `//!`")).collect::<Vec<_>>());
}

#[test]
fn lines_and_functions_fit_a_screen() {
    let mut offences = Vec::new();
    for (path, text) in rust_files() {
        let mut function: Option<(usize, usize)> = None;
        for (i, line) in text.lines().enumerate() {
            let (number, width) = (i + 1, line.chars().count());
            if width > 100 {
                offences.push(format!("{path}:{number} has {width} columns"));
            }
            let indent = width - line.trim_start().chars().count();
            let code = line.trim_start();
            let begins = ["fn ", "pub fn ", "pub(crate) fn ", "const fn ", "pub const fn "];
            if function.is_none() && begins.iter().any(|begin| code.starts_with(begin)) {
                function = Some((number, indent)).filter(|_| !code.ends_with(';'));
            }
            if let Some((start, depth)) = function
                && indent == depth
                && code.starts_with('}')
            {
                // One arm for each of many facts is long and simple; such a function says so.
                let before: Vec<_> = text.lines().skip(start.saturating_sub(6)).take(5).collect();
                let says = ["too_many_lines", "One arm for each", "One row for each"];
                let reasoned = before.iter().any(|line| says.iter().any(|s| line.contains(s)));
                if number - start >= 70 && !reasoned {
                    offences.push(format!(
                        "{path}:{start} is a function of {} lines",
                        number - start + 1
                    ));
                }
                function = None;
            }
        }
    }
    none(&offences);
}

/// Clock, disk, network and randomness do not exist in the core. `make pure` proves it of all that
/// the core rests on.
#[test]
fn core_crates_are_no_std() {
    for name in ["rules", "shoe", "table", "tournament"] {
        let path = root().join(format!("crates/{name}/src/lib.rs"));
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains("#![no_std]"), "crates/{name} is not no_std");
    }
}

/// A bare `true` at a call says nothing: in the core, a function that other files call takes an
/// enum. What turns a flag of a command or a stored event into that enum returns `Self`.
#[test]
fn functions_of_the_core_take_no_flags() {
    let core = ["crates/rules/", "crates/table/", "crates/tournament/", "crates/shoe/"];
    let mut offences = Vec::new();
    for (path, text) in rust_files() {
        if !core.iter().any(|crate_| path.starts_with(crate_)) || !path.contains("/src/") {
            continue;
        }
        for (at, _) in text.match_indices("fn ") {
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let signature = &text[at..][..text[at..].find(['{', ';']).unwrap_or(0)];
            let is_public = text[line..at].trim_start().starts_with("pub");
            if is_public && signature.contains(": bool") && !signature.contains("-> Self") {
                let number = text[..at].matches('\n').count() + 1;
                offences.push(format!("{path}:{number} takes a bool"));
            }
        }
    }
    none(&offences);
}

/// A test that `make mutants` leaves out is still called so.
#[test]
fn what_the_makefile_skips_is_there() {
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let files = rust_files();
    let skipped: Vec<_> = makefile
        .split("--skip ")
        .skip(1)
        .filter_map(|rest| rest.split_whitespace().next())
        .collect();
    assert!(!skipped.is_empty());
    for name in skipped {
        let test = format!("fn {name}()");
        assert!(files.iter().any(|(_, text)| text.contains(&test)), "there is no test {name}");
    }
}

#[test]
fn nothing_is_left_undone_or_switched_off() {
    let words = ["todo!(", "unimplemented!(", "#[ignore", "#[should_panic", "dbg!("];
    let mut offences = Vec::new();
    for (path, text) in rust_files().into_iter().filter(|(path, _)| !path.ends_with("tidy.rs")) {
        for (i, line) in text.lines().enumerate() {
            offences.extend(
                words
                    .iter()
                    .filter(|word| line.contains(*word))
                    .map(|word| format!("{path}:{} has {word}", i + 1)),
            );
        }
    }
    none(&offences);
}

/// Every crate is in the code map of ARCHITECTURE.md, and the map has no other.
#[test]
fn the_code_map_lists_the_crates_that_there_are() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let listed: Vec<_> = map
        .lines()
        .filter_map(|line| line.strip_prefix("| `crates/")?.split('`').next())
        .map(str::to_owned)
        .collect();
    let mut crates: Vec<_> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    crates.sort();
    let mut sorted = listed.clone();
    sorted.sort();
    assert_eq!(sorted, crates);
}

/// A book is named where changes of its rules are recorded.
#[test]
fn the_changelog_names_every_rulebook() {
    let changes = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    for book in rulebooks::ids() {
        assert!(changes.contains(book), "CHANGELOG.md does not name {book}");
    }
}

#[test]
fn text_files_end_with_a_newline_and_are_small() {
    let mut offences = Vec::new();
    for (path, text) in files() {
        if !text.is_empty() && !text.ends_with('\n') {
            offences.push(format!("{path} does not end with a newline"));
        }
        if text.len() > 300_000 && path != "Cargo.lock" {
            offences.push(format!("{path} has {} bytes", text.len()));
        }
    }
    none(&offences);
}
