//! A director's console that is stopped, killed and started again, and what it says then.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// Conditions in a folder of their own.
fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let conditions = sabot(folder.path(), &["tournament", "new", "act-2018"], "");
    std::fs::write(folder.path().join("my.toml"), conditions.stdout).unwrap();
    folder
}

fn sabot(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_sabot"));
    command.current_dir(folder).env("SABOT_DATA", folder);
    command.args(arguments).write_stdin(input).output().unwrap()
}

fn said(folder: &Path, arguments: &[&str], input: &str) -> String {
    let output = sabot(folder, arguments, input);
    let told = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {told}");
    told
}

fn run(folder: &Path, options: &[&str], input: &str) -> String {
    said(folder, &[&["tournament", "run", "my.toml"], options].concat(), input)
}

fn logs(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join("events")).unwrap().map(|e| e.unwrap().path());
    let mut logs: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|end| end == "sabot")).collect();
    logs.sort();
    logs
}

fn start(folder: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sabot"));
    command.current_dir(folder).env("SABOT_DATA", folder).args(["tournament", "run", "my.toml"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Wherever the plug is pulled in the beginning, the same command goes on.
#[test]
fn an_event_that_was_killed_at_its_beginning_goes_on() {
    for step in 0..12 {
        let folder = place();
        let mut child = start(folder.path());
        std::thread::sleep(Duration::from_millis(step * 9));
        child.kill().unwrap();
        child.wait().unwrap();
        let told = run(folder.path(), &[], "operator names Dana director\nquit\n");
        assert!(told.contains("Dana"), "step {step}: {told}");
        assert!(!told.contains("refused"), "step {step}: {told}");
        let log = logs(folder.path()).pop().unwrap();
        let told = said(folder.path(), &["audit", "verify", log.to_str().unwrap()], "");
        assert!(told.contains("it holds together"), "step {step}: {told}");
    }
}

/// Leaves the log of an event as a kill does: with the house's key alone, with its stream, or with
/// an event that is open and has no conditions.
async fn leave(log: &Path, steps: u8) {
    let key = log.with_extension("key");
    let store = store::Store::open_with(log, &key, store::Begin::New).await.unwrap();
    let floor = live::Floor::open(store, live::World::real()).await.unwrap();
    if steps > 0 {
        let book = std::sync::Arc::new(rulebooks::load("act-2018", None).unwrap());
        let beginning = live::Beginning::alone("event", "act-2018", book);
        let event = floor.open_tournament(beginning).await.unwrap();
        if steps > 1 {
            event.act(tournament::Act::Open).await.unwrap().unwrap();
        }
    }
    floor.close().await.unwrap();
}

#[test]
fn an_event_without_opening_or_conditions_gets_them() {
    for steps in 0..3 {
        let folder = place();
        run(folder.path(), &[], "quit\n");
        let log = logs(folder.path()).pop().unwrap();
        for file in std::fs::read_dir(folder.path().join("events")).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
        let tasks = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        tasks.block_on(leave(&log, steps));
        let told = run(folder.path(), &[], "operator names Dana director\nquit\n");
        assert!(told.contains("Dana") && !told.contains("refused"), "{steps}: {told}");
    }
}

/// Stops a console that waits for a line by a signal, and gives whether a head covers its log.
fn covered_after(signal: &str) -> bool {
    let folder = place();
    let mut child = start(folder.path());
    writeln!(child.stdin.as_mut().unwrap(), "operator names Dana director").unwrap();
    let (mut told, mut byte) = (String::new(), [0]);
    while told.matches("> ").count() < 2 {
        assert_eq!(child.stdout.as_mut().unwrap().read(&mut byte).unwrap(), 1, "{told}");
        told.push(char::from(byte[0]));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    child.wait().unwrap();
    let log = logs(folder.path()).pop().unwrap();
    let told = said(folder.path(), &["audit", "verify", log.to_str().unwrap()], "");
    assert!(told.contains("it holds together"), "{signal}: {told}");
    !told.contains("behind the last head")
}

#[test]
fn a_signal_leaves_an_event_under_a_signed_head() {
    for signal in ["-TERM", "-INT", "-HUP", "-QUIT"] {
        assert!(covered_after(signal), "{signal}");
    }
    assert!(!covered_after("-KILL"), "nothing can be signed then");
}

#[test]
fn a_signal_leaves_answers_of_a_drill_under_a_signed_head() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sabot"));
    command.env("SABOT_DATA", folder.path()).args(["drill", "act-2018", "--topic", "totals"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    writeln!(child.stdin.as_mut().unwrap(), "1").unwrap();
    let (mut told, mut byte) = (String::new(), [0]);
    while !told.contains("\n2. ") {
        assert_eq!(child.stdout.as_mut().unwrap().read(&mut byte).unwrap(), 1, "{told}");
        told.push(char::from(byte[0]));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    child.wait().unwrap();
    // An honest log of drills has no table, and nothing is wrong with it.
    let told = said(folder.path(), &["audit", "verify", "drills.sabot"], "");
    assert!(told.contains("no table and no event"), "{told}");
    assert!(told.contains("it holds together"), "{told}");
    assert!(!told.contains("behind the last head"), "{told}");
    let output = sabot(folder.path(), &["audit", "csv", "drills.sabot"], "");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("holds no table, but drill"), "{told}");
    said(folder.path(), &["audit", "key", "drills.sabot", "--change"], "");
    said(folder.path(), &["drill", "act-2018", "--results"], "");
}

#[test]
fn an_event_that_began_again_is_the_one_that_goes_on() {
    let folder = place();
    run(folder.path(), &[], "operator names Ann director\nquit\n");
    run(folder.path(), &["--again"], "operator names Ben director\nquit\n");
    let told = run(folder.path(), &[], "quit\n");
    assert!(!told.contains("NAME director"), "the second has its director: {told}");
    assert_eq!(logs(folder.path()).len(), 2);
    run(folder.path(), &["--again"], "quit\n");
    assert_eq!(logs(folder.path()).len(), 3);
    let told = run(folder.path(), &[], "quit\n");
    assert!(told.contains("NAME director"), "the third has none yet: {told}");
    assert_eq!(logs(folder.path()).len(), 3);
}

#[test]
fn conditions_that_changed_since_the_opening_are_told() {
    let folder = place();
    run(folder.path(), &[], "quit\n");
    let told = run(folder.path(), &[], "quit\n");
    assert!(!told.contains("says otherwise"), "nothing changed: {told}");
    let file = folder.path().join("my.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let line = text.lines().find(|line| line.starts_with("statement")).unwrap();
    let other =
        text.replace(line, r#"statement = "The Tournament Director decides; the rules prevail""#);
    std::fs::write(&file, other).unwrap();
    let told = run(folder.path(), &[], "quit\n");
    assert!(told.contains("my.toml says otherwise") && told.contains("--again"), "{told}");
    let told = run(folder.path(), &["--again"], "quit\n");
    assert!(!told.contains("says otherwise"), "{told}");
}

#[test]
fn what_cannot_be_done_at_the_console_is_a_reply() {
    let folder = place();
    let lines = "print seating /nonexistent/x\ndealer seals 100 on tie\nstandings\nquit\n";
    let told = run(folder.path(), &[], lines);
    assert!(told.contains("cannot write /nonexistent/x"), "{told}");
    assert!(told.contains("who seals a form?"), "{told}");
    assert!(told.contains("the same command goes on"), "{told}");
}
