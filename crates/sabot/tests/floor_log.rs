//! The log of a floor from the command line: its key, its tables, and what is told of them.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod running;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use running::Running;
use server::client::Client;

fn sabot(arguments: &[&str]) -> Output {
    assert_cmd::Command::new(env!("CARGO_BIN_EXE_sabot")).args(arguments).output().unwrap()
}

fn good(arguments: &[&str]) -> String {
    let output = sabot(arguments);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {told}");
    String::from_utf8(output.stdout).unwrap()
}

fn bad(arguments: &[&str]) -> String {
    let output = sabot(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn log_of(folder: &Path) -> PathBuf {
    folder.join("floor").join("floor.sabot")
}

#[test]
fn the_key_of_a_floor_can_be_changed_and_the_floor_starts_again() {
    let folder = tempfile::tempdir().unwrap();
    Running::start(folder.path()).stop();
    let log = log_of(folder.path());
    let log = log.to_str().unwrap();
    let before = good(&["audit", "key", log]);
    let told = bad(&["audit", "key", log, "--lost"]);
    assert!(told.contains("there already"), "a key lies there: {told}");
    let after = good(&["audit", "key", log, "--change"]);
    assert_ne!(before, after);
    let files = std::fs::read_dir(folder.path().join("floor")).unwrap();
    let names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name == "floor.key"), "{names:?}");
    Running::start(folder.path()).stop();
    std::fs::remove_file(folder.path().join("floor").join("key")).unwrap();
    good(&["audit", "key", log, "--lost"]);
    Running::start(folder.path()).stop();
    assert!(good(&["audit", "verify", log]).contains("lost and replaced 1 time"));
}

/// Somebody sits and bets at the first table until a coup is dealt.
async fn play(address: &str) {
    let client = Client::new(address);
    let guest = client.guest(Some("Pat")).await.unwrap();
    let client = client.with_token(guest.token().unwrap());
    for key in 0..600 {
        let line = if key == 0 { "sits at 1 with 20" } else { "bets 5 on banker" };
        let _ = client.say("t1", &format!("{key}"), line).await.unwrap();
        let table = client.get("/api/v1/tables/t1").await.unwrap().body;
        if table["coup"].as_u64() > Some(1) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no coup was dealt");
}

#[test]
fn the_tables_of_a_floor_are_told_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path());
    tokio::runtime::Runtime::new().unwrap().block_on(play(&running.address));
    running.stop();
    let log = log_of(folder.path());
    let log = log.to_str().unwrap();
    for command in ["shoe", "replay", "csv"] {
        let told = bad(&["audit", command, log]);
        assert!(told.contains("--table: t1, t2"), "{command}: {told}");
        let told = bad(&["audit", command, log, "--table", "t9"]);
        assert!(told.contains("there are: t1, t2"), "{command}: {told}");
    }
    let replayed = good(&["audit", "replay", log, "--table", "t1"]);
    assert!(replayed.contains("operator opens act-2018"), "{replayed}");
    assert!(replayed.contains("Pat bets 5 on banker"), "{replayed}");
    assert!(good(&["audit", "replay", log, "--table", "t2"]).contains("operator opens nz-1998"));
    assert!(good(&["audit", "csv", log, "--table", "t1"]).contains("Pat"));
    assert!(good(&["audit", "shoe", log, "--table", "t1"]).contains("\"table\": \"t1\""));
    let told = bad(&["audit", "shoe", log, "--table", "t2"]);
    assert!(told.contains("no shoe yet"), "{told}");
}
