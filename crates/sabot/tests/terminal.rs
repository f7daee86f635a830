//! The table in a real pseudo-terminal: whole shoes by keys alone, resizing, and the plug pulled.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod running;

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use running::Running;

/// A program in a terminal, as a person sees it.
struct Screen {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    /// Everything that was ever printed.
    printed: Vec<u8>,
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

impl Screen {
    fn start(data: &Path, arguments: &[&str]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_sabot"));
        command.args(arguments);
        Self::of(data, command)
    }

    fn of(data: &Path, mut command: CommandBuilder) -> Self {
        let pair = native_pty_system().openpty(size(80, 24)).unwrap();
        command.env("SABOT_DATA", data);
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let writer = pair.master.take_writer().unwrap();
        let parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
        Self { child, master: pair.master, writer, output, parser, printed: Vec::new() }
    }

    fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// Reads until the screen is as wanted. A table that stands still for a minute has stopped, and
    /// one that goes on for three without it never comes to it.
    fn wait(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + Duration::from_mins(3);
        loop {
            let text = self.text();
            if wanted(&text) {
                return text;
            }
            assert!(Instant::now() < until, "waited for {what} in vain, and saw:\n{text}");
            match self.output.recv_timeout(Duration::from_mins(1)) {
                Ok(bytes) => {
                    self.parser.process(&bytes);
                    self.printed.extend(bytes);
                }
                Err(fault) => panic!("waited for {what} ({fault}), and saw:\n{text}"),
            }
        }
    }

    fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Turns the cards that are given until the coup is over.
    fn turn_all(&mut self, before: u32) {
        loop {
            let over = |text: &str| is_betting(text) && coup(text) > before;
            let text =
                self.wait("cards, or the end", |text| over(text) || text.contains("squeeze"));
            if over(&text) {
                return;
            }
            self.send("t");
            self.wait("that they are turned", |now| now != text);
        }
    }

    /// Reads what is left until the program ends, and gives its exit code.
    fn end(mut self) -> (u32, Vec<u8>) {
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_mins(1)) {
            self.printed.extend(bytes);
        }
        (self.child.wait().unwrap().exit_code(), self.printed)
    }
}

/// The number of the coup in the header.
fn coup(text: &str) -> u32 {
    let at = text.split("coup ").nth(1).unwrap_or("0");
    at.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
}

fn is_betting(text: &str) -> bool {
    text.contains("⏎ place")
}

fn sabot(data: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_sabot"));
    command.env("SABOT_DATA", data).args(arguments).assert()
}

/// Plays a whole shoe by keys, then leaves; the session verifies.
fn whole_shoe(book: &str) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut screen = Screen::start(data, &["play", book, "--speed", "instant"]);
    screen.wait("the cut", |text| text.contains("cut the cards"));
    screen.send("\r");
    let mut text = screen.wait("wagers", is_betting);
    let player = text.split(" PLAYER").next().unwrap().chars().last().unwrap();
    let mut dealt = 0;
    while !text.contains("shoe 2") {
        let before = coup(&text);
        screen.send(&format!("{player}d"));
        text = screen.wait("the next coup", |text| {
            (is_betting(text) && coup(text) > before) || text.contains("cut the cards")
        });
        dealt += 1;
        assert!(dealt < 120, "a shoe has an end:\n{text}");
    }
    assert!(dealt > 40, "{book}: only {dealt} coups:\n{text}");
    screen.send("LL");
    let (code, printed) = screen.end();
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&printed));
    let verified = sabot(data, &["audit", "verify", "--json"]).success();
    let found: serde_json::Value = serde_json::from_slice(&verified.get_output().stdout).unwrap();
    assert_eq!(found["holds"], true, "{book}: {found:#}");
    assert_eq!(found["shoes"][0]["revealed"], true, "{book}: {found:#}");
    assert_eq!(found["shoes"][1]["revealed"], true, "{book}: leaving reveals the shoe: {found:#}");
    let transcript = data.join("shoe.coup");
    let path = transcript.to_str().unwrap();
    sabot(data, &["audit", "replay", "--shoe", "1", "-o", path]).success();
    sabot(data, &["judge", "--quiet", path]).success();
}

#[test]
fn a_whole_shoe_under_act_2012_by_keys_alone() {
    whole_shoe("act-2012");
}

#[test]
fn a_whole_shoe_under_act_2018_by_keys_alone() {
    whole_shoe("act-2018");
}

#[test]
fn a_whole_shoe_under_nz_1998_by_keys_alone() {
    whole_shoe("nz-1998");
}

#[test]
fn a_whole_shoe_under_tas_2013_by_keys_alone() {
    whole_shoe("tas-2013");
}

#[test]
fn a_whole_shoe_under_vic_2005_by_keys_alone() {
    whole_shoe("vic-2005");
}

#[test]
fn the_screen_follows_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["play", "--speed", "instant", "--players", "2"];
    let mut screen = Screen::start(folder.path(), &arguments);
    screen.wait("the cut", |text| text.contains("cut the cards"));
    for (cols, rows, wanted) in
        [(160, 50, "at the table"), (60, 20, "make the window larger"), (80, 24, "cut the cards")]
    {
        screen.master.resize(size(cols, rows)).unwrap();
        screen.parser.screen_mut().set_size(rows.try_into().unwrap(), cols.try_into().unwrap());
        screen.wait(wanted, |text| text.contains(wanted));
    }
    screen.send("q");
    assert_eq!(screen.end().0, 0);
}

#[test]
fn the_plug_is_pulled_in_the_middle_of_a_coup_and_the_session_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let arguments = ["play", "act-2018", "--speed", "instant", "--face-down"];
    let mut screen = Screen::start(data, &arguments);
    screen.wait("the cut", |text| text.contains("cut the cards"));
    screen.send("\r");
    screen.wait("wagers", is_betting);
    screen.send("2d");
    screen.wait("cards in hand", |text| text.contains("squeeze"));
    // Nothing is asked, nothing is tidied up.
    screen.child.kill().unwrap();
    screen.child.wait().unwrap();
    let mut screen = Screen::start(data, &["play", "--resume", "--speed", "instant"]);
    let text = screen.wait("the same cards in hand", |text| text.contains("squeeze"));
    assert!(text.contains("▒▒▒▒"), "the cards lie face down still:\n{text}");
    assert!(text.contains("◉ 25"), "the wager lies still:\n{text}");
    screen.send("s");
    screen.wait("an edge", |text| text.contains("you see of"));
    screen.turn_all(1);
    screen.send("q");
    assert_eq!(screen.end().0, 0);
    sabot(data, &["audit", "verify"]).success();
    sabot(data, &["audit", "replay", "--coup", "1", "-o", data.join("c.coup").to_str().unwrap()])
        .success();
    sabot(data, &["judge", data.join("c.coup").to_str().unwrap()]).success();
}

/// The process that shows a table, as its note says.
fn shown_by(data: &Path) -> String {
    let mut notes = std::fs::read_dir(data.join("screens")).unwrap();
    std::fs::read_to_string(notes.next().unwrap().unwrap().path()).unwrap()
}

fn kill(signal: &str, process: &str) {
    let mut command = std::process::Command::new("kill");
    assert!(command.args([signal, process]).status().unwrap().success());
}

const MOUSE_OFF: &[u8] = b"\x1b[?1000l";
const SCREEN_LEFT: &[u8] = b"\x1b[?1049l";

fn holds(printed: &[u8], wanted: &[u8]) -> bool {
    printed.windows(wanted.len()).any(|window| window == wanted)
}

#[test]
fn a_signal_ends_the_table_in_order() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let mut screen = Screen::start(data, &["play", "--speed", "instant"]);
        screen.wait("the cut", |text| text.contains("cut the cards"));
        kill(signal, &shown_by(data));
        let (code, printed) = screen.end();
        let told = String::from_utf8_lossy(&printed).into_owned();
        assert_eq!(code, 0, "{signal}: {told}");
        assert!(holds(&printed, MOUSE_OFF) && holds(&printed, SCREEN_LEFT), "{signal}: {told}");
        assert!(told.contains("go on with: sabot play --resume"), "{signal}: {told}");
        assert_eq!(std::fs::read_dir(data.join("screens")).unwrap().count(), 0, "{signal}");
    }
}

/// The window is closed: nothing can be read or written any more.
#[test]
fn a_terminal_that_goes_away_ends_the_table_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut screen = Screen::start(data, &["play", "--speed", "instant"]);
    screen.wait("the cut", |text| text.contains("cut the cards"));
    let Screen { mut child, master, writer, output, .. } = screen;
    drop((master, writer, output));
    let ended = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        child.try_wait().unwrap().is_some()
    });
    if !ended {
        child.kill().unwrap();
    }
    assert!(ended, "the table goes on for nobody");
    assert_eq!(std::fs::read_dir(data.join("screens")).unwrap().count(), 0);
    // Only a session that was stopped in order has a head.
    sabot(data, &["audit", "head"]).success();
    sabot(data, &["audit", "verify"]).success();
}

#[test]
fn a_terminal_that_a_killed_table_left_is_put_right_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut shell = CommandBuilder::new("sh");
    shell.env("PS1", "shell> ");
    shell.env("SABOT", env!("CARGO_BIN_EXE_sabot"));
    let mut screen = Screen::of(data, shell);
    screen.send("$SABOT play --speed instant\r");
    screen.wait("the cut", |text| text.contains("cut the cards"));
    kill("-KILL", &shown_by(data));
    screen.wait("the shell", |text| text.contains("shell> "));
    assert!(!holds(&screen.printed, MOUSE_OFF), "nobody has put it right yet");
    // The mouse moves on; to the shell, whose terminal is raw still, that is a line of garbage.
    screen.send("\u{1b}[<35;20;10M\n");
    screen.send("$SABOT play --resume --plain\n");
    screen.wait("the table line by line", |text| text.contains("the cut is yours"));
    assert!(holds(&screen.printed, MOUSE_OFF) && holds(&screen.printed, SCREEN_LEFT));
    let told = screen.text();
    assert!(told.contains("the terminal is put right"), "{told}");
    screen.send("quit\r");
    screen.wait("the end", |text| text.contains("go on with"));
    // The one after that has nothing to put right.
    screen.printed.clear();
    screen.send("clear; $SABOT play --resume --plain\r");
    screen.wait("the table again", |text| text.contains("the cut is yours"));
    assert!(!holds(&screen.printed, MOUSE_OFF), "{}", screen.text());
    screen.send("quit\r");
    screen.wait("the end", |text| text.contains("go on with"));
    screen.send("exit\r");
    assert_eq!(screen.end().0, 0);
}

#[test]
fn a_second_player_of_the_same_session_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut screen = Screen::start(data, &["play", "--speed", "instant"]);
    screen.wait("the cut", |text| text.contains("cut the cards"));
    let refused = sabot(data, &["play", "--resume", "--plain"]).failure();
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(said.contains("in use by another sabot"), "{said}");
    // To look at it does no harm.
    sabot(data, &["audit", "verify"]).success();
    screen.send("q");
    assert_eq!(screen.end().0, 0);
}

/// Another program holds the log when a table starts on the full screen: it is said at once, and
/// not only when the wait is over, and the table comes when the log is free.
#[test]
fn a_start_that_waits_for_its_log_says_so_before_the_screen_is_drawn() {
    use sqlx::{ConnectOptions, Connection};
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let mut screen = Screen::start(data, &["play", "--speed", "instant"]);
    screen.wait("the cut", |text| text.contains("cut the cards"));
    screen.send("q");
    assert_eq!(screen.end().0, 0);
    let files = std::fs::read_dir(data.join("sessions")).unwrap();
    let mut files = files.map(|entry| entry.unwrap().path());
    let log = files.find(|path| path.extension().is_some_and(|end| end == "sabot")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let shell = runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&log);
        let mut shell = options.connect().await.unwrap();
        for hold in ["pragma locking_mode = exclusive", "begin exclusive", "delete from snapshot"] {
            sqlx::query(hold).execute(&mut shell).await.unwrap();
        }
        shell
    });
    let mut screen = Screen::start(data, &["play", "--resume", "--speed", "instant"]);
    let told = screen.wait("that it waits", |text| text.contains("another program holds the log"));
    assert!(told.contains("waiting for it, 10 s at the most"), "{told}");
    assert!(!told.contains("cut the cards"), "{told}");
    runtime.block_on(shell.close()).unwrap();
    screen.wait("the cut", |text| text.contains("cut the cards"));
    screen.send("q");
    assert_eq!(screen.end().0, 0);
}

/// A sealed box, as it lies in the file.
async fn sealed(log: &std::path::Path, name: &str) -> Vec<u8> {
    use sqlx::ConnectOptions;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(log).read_only(true);
    let mut shell = options.connect().await.unwrap();
    let query = sqlx::query_scalar("select box from sealed where name = ?").bind(name.to_owned());
    query.fetch_one(&mut shell).await.unwrap()
}

/// Nothing that is printed or kept tells a card that was not dealt.
#[test]
fn neither_screen_nor_files_tell_an_undealt_card() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let arguments = ["play", "act-2018", "--speed", "instant", "--face-down", "--players", "3"];
    let mut screen = Screen::start(data, &arguments);
    screen.wait("the cut", |text| text.contains("cut the cards"));
    screen.send("\r");
    screen.wait("wagers", is_betting);
    for _ in 0..5 {
        let before = coup(&screen.text());
        screen.send("2d");
        screen.turn_all(before);
    }
    screen.send("p");
    screen.wait("the proof", |text| text.contains("commitment"));
    screen.send("\u{1b}");
    let session = std::fs::read_dir(data.join("sessions")).unwrap();
    let files: Vec<_> = session.map(|entry| entry.unwrap().path()).collect();
    let log = files.iter().find(|path| path.extension().is_some_and(|e| e == "sabot")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let (secret, record) = runtime.block_on(async {
        let store = store::Store::read_only(log).await.unwrap();
        let key = store::Key::at(&log.with_extension("key")).unwrap();
        let records = store.records("table 1", 0).await.unwrap();
        let found = audit::audit(&records).unwrap();
        let name = format!("table 1 shoe {}", found.shoes[0].record.commitment);
        let secret = key.open(&name, &sealed(log, &name).await).unwrap();
        (shoe::Secret::from_bytes(&secret).unwrap(), found.shoes[0].record.clone())
    });
    let hidden = testkit::leak::Hidden::of(&secret, &record);
    for path in &files {
        let found = hidden.found_in(&std::fs::read(path).unwrap());
        assert!(found.is_empty(), "{}: {found:?}", path.display());
    }
    screen.send("q");
    let (_, printed) = screen.end();
    assert!(printed.len() > 5000);
    assert!(hidden.found_in(&printed).is_empty(), "the screen tells an undealt card");
}

/// What `sabot serve` is set up with for somebody who plays by keys.
const FLOOR: &str = r#"
listen = "127.0.0.1:0"
guest_chips = 1000
robots = 0
[[table]]
title = "Riverside"
opens = "operator opens act-2018"
sign = ["operator posts main 5..500", "operator posts tie 5..100"]
pace = "quick"
"#;

/// Cuts when the cut is offered, until wagers are open.
fn until_betting(screen: &mut Screen) -> String {
    let cut = |text: &str| text.contains("cut the cards");
    let text = screen.wait("the cut, or wagers", |text| cut(text) || is_betting(text));
    if is_betting(&text) {
        return text;
    }
    screen.send("\r");
    screen.wait("wagers", is_betting)
}

#[test]
fn a_table_of_a_server_is_played_on_the_full_screen() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start_with(folder.path(), FLOOR);
    let own = folder.path().join("ann");
    let address = server.address.clone();
    let mut screen = Screen::start(&own, &["play", "--server", &address, "--name", "Ann"]);
    let text = until_betting(&mut screen);
    assert!(text.contains("Riverside · act-2018") && text.contains("you have 1000"), "{text}");
    // A wager, what became of it to the cent, and every card proved by this terminal itself.
    screen.send("1");
    screen.wait("the chips on Player", |text| text.contains("◉ 25") && text.contains("laid 25"));
    let text = screen.wait("the result", |text| {
        ["+25 won", "−25 lost", "25 kept"].iter().any(|end| text.contains(end))
    });
    assert!(text.matches('✓').count() >= 4 && !text.contains("FALSE"), "{text}");
    screen.send("w");
    screen.wait("why", |text| text.contains("why?") && text.contains("act-2018 "));
    screen.send("\u{1b}");
    screen.wait("the table", |text| !text.contains("why?"));
    screen.send("p");
    screen.wait("the proof", |text| text.contains("you took part ✓"));
    screen.send("x");
    // What is refused says why, and what would do.
    until_betting(&mut screen);
    screen.send(":bet 99999 player\r");
    screen.wait("a refusal", |text| text.contains("✗ ") && text.contains("99999"));
    // A server that is gone is told, and come back to by itself.
    let port = address.rsplit(':').next().unwrap().to_owned();
    drop(server);
    screen.wait("that it is gone", |text| text.contains("connection is lost"));
    let again = FLOOR.replace("127.0.0.1:0", &format!("127.0.0.1:{port}"));
    let server = Running::start_with(folder.path(), &again);
    screen.wait("that it is back", |text| text.contains("you are back"));
    until_betting(&mut screen);
    screen.send("q");
    let (code, printed) = screen.end();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    assert!(code == 0 && printed.contains("Your account holds"), "{code}: {printed}");
    server.stop();
}
