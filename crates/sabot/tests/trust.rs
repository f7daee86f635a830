//! Sessions as people start, stop and tamper with them.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "trust/cut_off.rs"]
mod cut_off;
#[path = "trust/verdicts.rs"]
mod verdicts;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use sqlx::{ConnectOptions, Connection};

fn sabot(data: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_sabot"));
    command.env("SABOT_DATA", data).args(arguments).write_stdin(input).output().unwrap()
}

fn said(data: &Path, arguments: &[&str], input: &str) -> String {
    let output = sabot(data, arguments, input);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn logs(data: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(data.join("sessions")).unwrap().map(|e| e.unwrap().path());
    let mut logs: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|end| end == "sabot")).collect();
    logs.sort();
    logs
}

/// A table that waits for its player.
struct Waiting(Child);

impl Waiting {
    fn start(data: &Path, lines: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sabot"));
        command.env("SABOT_DATA", data).args(["play", "--plain"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(lines.as_bytes()).unwrap();
        // It has done what it was told when it asks for the next coup.
        let mut told = String::new();
        let mut byte = [0];
        while !told.contains("coup 2: you have") {
            assert_eq!(child.stdout.as_mut().unwrap().read(&mut byte).unwrap(), 1, "{told}");
            told.push(char::from(byte[0]));
        }
        Self(child)
    }

    fn signal(&mut self, signal: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        self.0.wait().unwrap();
    }
}

const COUP: &str = "cut 200\nbet 25 banker\ndeal\n";

#[test]
fn sessions_that_start_in_the_same_moment_do_not_harm_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    for _ in 0..4 {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| said(data, &["play", "--plain"], &format!("{COUP}quit\n")));
            }
        });
    }
    assert_eq!(logs(data).len(), 16);
    for log in logs(data) {
        let told = said(data, &["audit", "verify", log.to_str().unwrap()], "");
        assert!(told.contains("it holds together"), "{told}");
    }
}

/// A signal that a program can answer leaves a log that a head covers; one that it cannot leaves
/// records behind the head, and the audit says how many.
#[test]
fn every_stop_leaves_a_log_of_which_the_audit_says_what_is_covered() {
    for signal in ["-TERM", "-INT", "-HUP", "-QUIT", "-KILL"] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        Waiting::start(data, COUP).signal(signal);
        let told = said(data, &["audit", "verify"], "");
        assert!(told.contains("it holds together"), "{signal}: {told}");
        let head = said(data, &["audit", "head"], "");
        let told = said(data, &["audit", "verify", "--head", head.trim()], "");
        assert_eq!(told.contains("everything holds"), signal != "-KILL", "{signal}: {told}");
        assert_eq!(told.contains("behind the last head"), signal == "-KILL", "{signal}: {told}");
        let told = said(data, &["play", "--plain", "--resume"], "rebet\ndeal\nquit\n");
        assert!(told.contains("2 coups"), "{told}");
        let told = said(data, &["audit", "verify"], "");
        assert!(told.contains("it holds together"), "{told}");
    }
}

/// Whoever reads what a table says goes away: that is a fault, and a stop in order all the same.
#[test]
fn a_pipe_that_breaks_leaves_a_log_under_a_signed_head() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let Waiting(mut child) = Waiting::start(data, COUP);
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(b"rebet\ndeal\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("Broken pipe") && !told.contains("no signed head"), "{told}");
    let told = said(data, &["audit", "verify"], "");
    assert!(told.contains("it holds together"), "{told}");
    assert!(!told.contains("behind the last head"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn no_dump_of_memory_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut waiting = Waiting::start(folder.path(), COUP);
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", waiting.0.id())).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    let words: Vec<_> = core.split_whitespace().collect();
    assert_eq!(words[4..6], ["0", "0"], "{core}");
    waiting.signal("-TERM");
}

/// The files by which a system shows a process to others belong to its superuser, and not to who
/// started it, if the process lets nobody look into its memory. The superuser starts it in another
/// group, which shows the same.
#[cfg(target_os = "linux")]
#[test]
fn nobody_else_looks_into_the_memory_of_a_table() {
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::CommandExt as _;
    const GROUP: u32 = 54_321;
    let folder = tempfile::tempdir().unwrap();
    let is_root = std::fs::metadata("/proc/self/status").unwrap().uid() == 0;
    // Whether what is started is shown as the superuser's.
    let closed = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.env("SABOT_DATA", folder.path()).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if is_root {
            command.gid(GROUP);
        }
        let mut child = command.spawn().unwrap();
        let mut said = [0];
        child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        assert_eq!(child.stdout.as_mut().unwrap().read(&mut said).unwrap(), 1, "{program}");
        let status = std::fs::metadata(format!("/proc/{}/status", child.id())).unwrap();
        drop(child.stdin.take());
        let _ = std::io::copy(child.stdout.as_mut().unwrap(), &mut std::io::sink());
        child.wait().unwrap();
        (status.uid(), status.gid()) == (0, 0)
    };
    assert!(!closed("cat", &[]), "of any other program the system shows who started it");
    assert!(closed(env!("CARGO_BIN_EXE_sabot"), &["play", "--plain"]));
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().unwrap().block_on(future)
}

/// Changes a log as somebody would who puts the triggers back.
fn forge(log: &Path, statement: &str) {
    block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(log);
        let mut shell = options.connect().await.unwrap();
        let triggers = "select name, sql from sqlite_schema where type = 'trigger'";
        let triggers: Vec<(String, String)> =
            sqlx::query_as(triggers).fetch_all(&mut shell).await.unwrap();
        for (name, _) in &triggers {
            let drop = sqlx::AssertSqlSafe(format!("drop trigger {name}"));
            sqlx::query(drop).execute(&mut shell).await.unwrap();
        }
        let statement = sqlx::AssertSqlSafe(statement.to_owned());
        let ran = sqlx::query(statement).execute(&mut shell).await.unwrap();
        assert!(ran.rows_affected() > 0, "nothing was changed");
        for (_, sql) in triggers {
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut shell).await.unwrap();
        }
        shell.close().await.unwrap();
    });
}

/// A newest session that does not hold is told, and not passed over for an older one.
#[test]
fn resuming_does_not_pass_over_a_session_that_does_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    for book in ["act-2018", "nz-1998"] {
        said(data, &["play", "--plain", book], &format!("{COUP}quit\n"));
    }
    let newest = logs(data).pop().unwrap();
    let million = "update log set body = replace(body, '100000', '100000000') \
         where body like '%arrived%'";
    forge(&newest, million);
    let output = sabot(data, &["play", "--plain", "--resume"], "quit\n");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    let name = newest.file_stem().unwrap().to_str().unwrap();
    assert!(told.contains(name) && told.contains("does not hold"), "{told}");
    let older = logs(data).remove(0);
    let older = older.file_stem().unwrap().to_str().unwrap().to_owned();
    said(data, &["play", "--plain", "--resume", &older], "quit\n");
}

/// What a command prints into a real terminal.
fn on_a_terminal(data: &Path, arguments: &[&str]) -> String {
    let size = portable_pty::PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = portable_pty::native_pty_system().openpty(size).unwrap();
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_sabot"));
    command.args(arguments);
    command.env("SABOT_DATA", data);
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut told = Vec::new();
    // A terminal whose program has ended gives an error on some systems.
    let _ = reader.read_to_end(&mut told);
    child.wait().unwrap();
    String::from_utf8_lossy(&told).into_owned()
}

/// Fails if anything but the program's own colours and line of progress steers the terminal.
fn assert_tame(told: &str, what: &str) {
    let own = ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[2K"];
    let left = own.iter().fold(told.to_owned(), |left, own| left.replace(own, ""));
    let steers = |c: char| c.is_control() && !"\r\n".contains(c);
    assert!(!left.contains(steers), "{what}: {left:?}");
}

/// What steers a terminal is made visible, wherever in the log it stands, and also where nothing
/// takes it out on the way, as a pipe does.
#[test]
fn control_characters_of_a_log_do_not_reach_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain"], &format!("{COUP}quit\n"));
    let log = logs(data).pop().unwrap();
    let file = log.to_str().unwrap();
    let sound = std::fs::read(&log).unwrap();
    let steer = "char(27) || '[2J' || char(7) || char(155) || '2J' || char(127)";
    // What is forged, and who tells it to a person.
    let forged = [
        (format!("update person set name = {steer}"), "audit verify"),
        (format!("update log set stream = {steer} where stream = 'checkpoint'"), "audit head"),
        (format!("update log set stream = {steer} where stream = 'table 1'"), "audit verify"),
        (format!("update log set stream = {steer} where stream = 'table 1'"), "store stats"),
        (format!("update log set schema = {steer} where schema = 'table/3'"), "audit verify"),
        (
            r#"update log set body = replace(body, '"name":"act', '"name":"\u001b[2J')"#.into(),
            "audit list",
        ),
    ];
    let commands = ["verify", "list", "replay", "log", "head", "key", "csv", "shoe"];
    let commands = commands.map(|command| format!("audit {command}"));
    let stored = [format!("store verify {file}"), format!("store stats {file}")];
    for (statement, teller) in forged {
        forge(&log, &statement);
        for command in commands.iter().chain(&stored) {
            for json in [&[][..], &["--json"]] {
                let words: Vec<_> = command.split(' ').chain(json.iter().copied()).collect();
                let mut command_line = assert_cmd::Command::new(env!("CARGO_BIN_EXE_sabot"));
                command_line.env("SABOT_DATA", data).env("CLICOLOR_FORCE", "1").args(&words);
                let output = command_line.output().unwrap();
                let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
                assert_tame(&told, &format!("{words:?}: {statement}"));
                let tells = json.is_empty() && command.starts_with(teller);
                assert!(!tells || told.contains(r"\u{1b}"), "{words:?}, {statement}: {told}");
            }
            let words: Vec<_> = command.split(' ').collect();
            assert_tame(&on_a_terminal(data, &words), &format!("{command}: {statement}"));
        }
        let output = sabot(data, &["play", "--plain", "--resume"], "quit\n");
        let told = [output.stdout, output.stderr].concat();
        assert!(!told.contains(&27) && !told.contains(&7), "play --resume: {statement}");
        std::fs::write(&log, &sound).unwrap();
    }
}

/// The words of a table reach a spreadsheet as they are, and a terminal so that it obeys none.
#[test]
fn cells_of_a_csv_steer_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain", "--name", "Ann"], &format!("{COUP}quit\n"));
    let log = logs(data).pop().unwrap();
    // As an account that has no name any more: the cell has what the record says.
    forge(&log, "delete from person");
    forge(
        &log,
        "update log set body = replace(body, 'table-1-1', 'a' || char(155) || '2J' || char(127)) \
         where body like '%arrived%'",
    );
    let told = on_a_terminal(data, &["audit", "csv"]);
    assert_tame(&told, "audit csv");
    assert!(told.contains(r"\u{9b}"), "{told:?}");
    let told = said(data, &["audit", "csv", "--json"], "");
    assert_tame(&told, "audit csv --json");
    assert!(told.contains(r"\u009b"), "{told:?}");
}

fn python(arguments: &[&str]) -> (Option<i32>, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verify_log.py");
    let output = Command::new("python3").arg(script).args(arguments).output().unwrap();
    let told = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&told).into_owned())
}

/// What is exported is what is stored: an altered log exports what does not verify.
#[test]
fn an_export_is_verbatim() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain"], &format!("{COUP}quit\n"));
    let head = said(data, &["audit", "head"], "");
    let key = said(data, &["audit", "key"], "");
    let file = data.join("export.jsonl");
    let arguments = [file.to_str().unwrap(), "--head", head.trim(), "--key", key.trim()];
    std::fs::write(&file, said(data, &["audit", "log", "--books"], "")).unwrap();
    let (code, told) = python(&arguments);
    assert_eq!(code, Some(0), "{told}");
    // As much space as the same JSON allows.
    forge(&logs(data).pop().unwrap(), "update log set body = ' ' || body where schema = 'table/3'");
    std::fs::write(&file, said(data, &["audit", "log", "--books"], "")).unwrap();
    let (code, told) = python(&arguments);
    assert_eq!(code, Some(1), "{told}");
}

#[test]
fn a_void_is_logged_as_that_of_who_said_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let lines = "\n\n\n\n\n\n\n\nsupervisor voids the coup because of a test\nquit\n";
    said(data, &["play", "--deal", "--plain", "nz-1998"], lines);
    let log = said(data, &["audit", "log"], "");
    let line = log.lines().find(|line| line.contains("voids the coup")).unwrap();
    let record: serde_json::Value = serde_json::from_str(line).unwrap();
    let body: serde_json::Value = serde_json::from_str(record["body"].as_str().unwrap()).unwrap();
    assert_eq!(body["by"]["role"], "supervisor", "{line}");
    assert!(body["line"].as_str().unwrap().starts_with("supervisor voids"), "{line}");
}

/// A name can be erased: the log holds as before, goes on, and shows the account.
#[test]
fn a_name_can_be_erased() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain", "--name", "Margarete"], &format!("{COUP}quit\n"));
    assert!(said(data, &["audit", "verify"], "").contains("Margarete's stack"));
    said(data, &["audit", "erase", "Margarete"], "");
    let told = said(data, &["audit", "verify"], "");
    assert!(told.contains("table-1-1's stack") && told.contains("it holds together"), "{told}");
    said(data, &["play", "--plain", "--resume"], "rebet\ndeal\nleave\n");
    for file in std::fs::read_dir(data.join("sessions")).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(!bytes.windows(9).any(|window| window == b"Margarete"), "a trace is left");
    }
    assert!(said(data, &["audit", "verify"], "").contains("it holds together"));
}

#[test]
fn the_key_of_a_session_can_be_changed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain"], &format!("{COUP}quit\n"));
    let before = said(data, &["audit", "key"], "");
    let after = said(data, &["audit", "key", "--change"], "");
    assert_ne!(before, after);
    assert_eq!(said(data, &["audit", "key"], ""), after);
    let told = said(data, &["play", "--plain", "--resume"], "rebet\ndeal\nleave\n");
    assert!(told.contains("2 coups"), "{told}");
    let told = said(data, &["audit", "verify"], "");
    assert!(told.contains("it holds together") && told.contains(after.trim()), "{told}");
}

/// A log that was emptied, deleted or renamed is not passed over for an older one, as long as what
/// is beside its key knows it.
#[test]
fn resuming_does_not_pass_over_a_session_whose_log_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    for book in ["act-2018", "nz-1998"] {
        said(data, &["play", "--plain", book], &format!("{COUP}quit\n"));
    }
    let newest = logs(data).pop().unwrap();
    let name = newest.file_stem().unwrap().to_str().unwrap().to_owned();
    let sound = std::fs::read(&newest).unwrap();
    let older = newest.with_file_name("1999-a.sabot");
    for what in ["emptied", "deleted", "renamed"] {
        match what {
            "emptied" => std::fs::write(&newest, "").unwrap(),
            "deleted" => std::fs::remove_file(&newest).unwrap(),
            _ => std::fs::rename(&newest, &older).unwrap(),
        }
        let output = sabot(data, &["play", "--plain", "--resume"], "quit\n");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{what}: {told}");
        assert!(told.contains(&name) && told.contains("put it back"), "{what}: {told}");
        let _ = std::fs::remove_file(&older);
        std::fs::write(&newest, &sound).unwrap();
    }
    let told = said(data, &["play", "--plain", "--resume"], "quit\n");
    assert!(told.contains(&name), "{told}");
    // A session that was killed before its first record is over.
    let began = newest.with_file_name("2999-a.sabot");
    std::fs::write(&began, "").unwrap();
    let told = said(data, &["play", "--plain", "--resume"], "quit\n");
    assert!(told.contains(&name), "{told}");
}

/// Makes the records of the table anew with one that says something else, and the commands with
/// them: all that somebody can do who has not the key.
fn make_anew(log: &Path) {
    let records = block_on(async {
        let store = store::Store::read_only(log).await.unwrap();
        let records = store.records("table 1", 0).await.unwrap();
        store.close().await;
        records
    });
    let (mut previous, mut forged) = (store::START, false);
    for mut record in records {
        if record.schema == "act/1" && record.body.contains("bets 25 on") {
            record.body = record.body.replace("bets 25 on", "bets 75 on");
            forged = true;
        }
        let former = record.hash;
        record.hash = store::hash(&previous, &record);
        previous = record.hash;
        let body = record.body.replace('\'', "''");
        let (version, hash) = (record.version, record.hash);
        let change = "where stream = 'table 1' and version =";
        forge(log, &format!("update log set body = '{body}', hash = x'{hash}' {change} {version}"));
        let parts = format!("update command set parts = replace(parts, '{former}', '{hash}')");
        forge(log, &parts);
    }
    assert!(forged, "nothing was changed");
}

/// A new key signs only what the audit accepts.
#[test]
fn a_lost_key_is_not_replaced_over_a_log_that_was_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    Waiting::start(data, COUP).signal("-KILL");
    let log = logs(data).pop().unwrap();
    make_anew(&log);
    std::fs::remove_file(log.with_extension("key")).unwrap();
    let output = sabot(data, &["audit", "key", "--lost"], "");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_ne!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("sabot audit verify") && told.contains("does not hold"), "{told}");
    assert!(!log.with_extension("key").exists(), "a key was made");
    let output = sabot(data, &["audit", "verify"], "");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("the line of an act says something else"), "{told}");
    assert!(!told.contains("the key was lost"), "{told}");
}

/// Another program holds the log while a session stops, by a word or by a signal: it is said while
/// it waits, and that no head was signed.
#[test]
fn a_stop_that_signs_no_head_says_so() {
    for (signal, code) in [(None, 2), (Some("-TERM"), 130)] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let mut waiting = Waiting::start(data, COUP);
        let log = logs(data).pop().unwrap();
        block_on(async {
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&log);
            let mut shell = options.connect().await.unwrap();
            sqlx::query("begin immediate").execute(&mut shell).await.unwrap();
            match signal {
                Some(signal) => waiting.signal(signal),
                None => waiting.0.stdin.as_mut().unwrap().write_all(b"quit\n").unwrap(),
            }
            let status = waiting.0.wait().unwrap();
            let mut told = String::new();
            waiting.0.stderr.as_mut().unwrap().read_to_string(&mut told).unwrap();
            assert_eq!(status.code(), Some(code), "{signal:?}: {told}");
            let says = told.find("waiting for it, 10 s at the most");
            let failed = told.find("under no signed head");
            assert!(says.is_some() && says < failed, "{signal:?}: {told}");
            sqlx::query("rollback").execute(&mut shell).await.unwrap();
            shell.close().await.unwrap();
        });
        let told = said(data, &["play", "--plain", "--resume"], "rebet\ndeal\nquit\n");
        assert!(told.contains("2 coups"), "{signal:?}: {told}");
    }
}

/// A word that the house could know before it commits would let it solve for an order: people's
/// words are drawn when the shoe is made, and none is taken from the command line.
#[test]
fn no_word_for_a_shoe_is_taken_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    for resume in [&[][..], &["--resume"]] {
        let arguments = [&["play", "--plain", "--nonce", "known early"], resume].concat();
        let output = sabot(folder.path(), &arguments, "quit\n");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("unexpected argument '--nonce'"), "{told}");
    }
}

/// A shoe that nothing will ever prove is not given up in silence.
#[test]
fn a_shoe_whose_secret_is_lost_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain"], &format!("{COUP}bet 50 banker\nquit\n"));
    forge(&logs(data).pop().unwrap(), "delete from sealed");
    let told = said(data, &["play", "--plain", "--resume"], "quit\n");
    assert!(told.contains("THE SHOE WAS GIVEN UP") && told.contains("given back"), "{told}");
    let told = said(data, &["play", "--plain", "--resume"], "quit\n");
    assert!(!told.contains("THE SHOE WAS GIVEN UP"), "it is told once: {told}");
    let head = said(data, &["audit", "head"], "");
    let told = said(data, &["audit", "verify", "--head", head.trim()], "");
    assert!(told.contains("of a shoe whose secret is lost, nothing does"), "{told}");
    assert!(!told.contains("everything holds"), "{told}");
}

/// Records that somebody else put into the log are named, and the table goes on.
#[test]
fn a_foreign_stream_does_not_stop_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain"], &format!("{COUP}quit\n"));
    let put = "insert into log select 'table 2', version, at, actor, key, schema, body, hash \
         from log where stream = 'table 1'";
    forge(&logs(data).pop().unwrap(), put);
    let told = said(data, &["play", "--plain", "--resume"], "rebet\ndeal\nquit\n");
    assert!(told.contains("2 coups") && told.contains("left alone: "), "{told}");
    assert!(told.contains("table 2"), "{told}");
    let output = sabot(data, &["audit", "verify"], "");
    assert!(!output.status.success(), "the audit names it too");
}
