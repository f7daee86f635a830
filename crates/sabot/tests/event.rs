//! An event run from the director's console by robots that type, with a kill in each stage.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const CONDITIONS: &str = r#"
book = "act-2018"
name = "Three Stages"
start = "2027-03-20 19:00"
application = "on the form at the desk"
entry = "adults"
fee = 100
commission = "10%"
chips = 1000
players = "8..24"
groups = "none"
limits = { main = "50..1000", tie = "50..200" }
buy_back = "none"
elimination = "who cannot wager the minimum before a round is out of the tournament"
level = "rounds"
level_final = "rounds"
pool = "all entry fees less the commission"
prizes = ["40%", "30%", "20%", "10%"]
statement = "The Tournament Director conducts the tournament; the rules prevail"

[stages."heats"]
from = "entrants"
tables = 4
seats = 7
coups = 2
advance = 2

[stages."semi-finals"]
from = "winners of heats"
tables = 2
seats = 4
coups = 2
advance = 2

[stages.final]
from = "winners of semi-finals"
tables = 1
seats = 4
coups = 2
"#;

struct Console {
    child: Child,
    folder: std::path::PathBuf,
}

impl Console {
    fn start(folder: &Path) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_sabot"))
            .args(["tournament", "run", "my.toml", "--data", ".", "--clock-by-line"])
            .args(["--cards", "system"])
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self { child, folder: folder.into() }
    }

    /// What is shown until the console asks again; `false` when it has ended.
    fn read(&mut self) -> (String, bool) {
        let (mut text, mut piece) = (Vec::new(), vec![0; 65536]);
        loop {
            let read = self.child.stdout.as_mut().unwrap().read(&mut piece).unwrap();
            text.extend_from_slice(&piece[..read]);
            if read == 0 || text.ends_with(b"> ") {
                return (String::from_utf8_lossy(&text).into_owned(), read > 0);
            }
        }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The plug is pulled, and the same command goes on.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        *self = Self::start(&self.folder.clone());
    }
}

/// What a robot types for the first thing that is next.
fn line_for(next: &str, shown: &str, turn: usize) -> String {
    let next = next.split(" [").next().unwrap_or_default();
    let players: Vec<_> = (1..=24).map(|n| format!("P{n}")).collect();
    if next.contains("NAME director") {
        return "operator names Dana director".into();
    }
    if next.starts_with("NAME applies") {
        return format!("director enters {}", players.join(" "));
    }
    if next.contains("names tables") {
        return "director names tables 1 2 3 4".into();
    }
    if next.starts_with("the start") {
        return "clock 2027-03-20 19:00".into();
    }
    if next.contains(" bets ") {
        let (amount, spot) = (["50", "100", "150"][turn % 3], ["player", "banker"][turn % 2]);
        return next.replace("AMOUNT", amount).replace("SPOT", spot);
    }
    if let Some(before) = next.strip_suffix(" cuts at N") {
        let table = before.trim_start_matches("at table ").split(' ').next().unwrap_or("1");
        let who = before.rsplit(' ').next().unwrap_or_default();
        let seats = shown.rsplit(&format!("  table {table}: coup")).next().unwrap_or_default();
        let first = seats.lines().nth(1).and_then(|seats| seats.split_whitespace().nth(1));
        let who = if who == "NAME" { first.unwrap_or("P1") } else { who };
        return format!("at table {table} {who} cuts at 120");
    }
    if next.contains("CARD") && !next.contains("dealer") {
        return next.replace("CARD", "5h");
    }
    String::new()
}

/// Somebody who has a wager on the layout, and the seat of somebody else there who has one.
fn seat_to_correct(last: &str, shown: &str) -> Option<(String, String)> {
    let (who, _) = last.split_once(" bets ")?;
    let who = who.rsplit(' ').next()?;
    let mut tables = shown.lines().filter(|line| line.contains(" · 2 "));
    let seats = tables.find(|line| line.contains(&format!(" {who} ")))?;
    let mut words = seats.split(" · ").map(|seat| seat.split_whitespace());
    let seat = words.find_map(|mut words| {
        let (seat, name, chips) = (words.next()?, words.next()?, words.next()?);
        (name != who && chips != "1000").then(|| seat.to_owned())
    });
    Some((who.to_owned(), seat?))
}

#[test]
fn an_event_of_three_stages_goes_through_a_kill_in_each_to_the_cent() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), CONDITIONS).unwrap();
    let mut console = Console::start(folder.path());
    let mut killed: Vec<&str> = Vec::new();
    let (mut turn, mut last, mut results) = (0, String::new(), String::new());
    let mut ranks = Vec::new();
    let mut corrected = false;
    let shown = loop {
        let (shown, goes_on) = console.read();
        if !goes_on {
            break shown;
        }
        assert!(turn < 3000, "the event does not end: {shown}");
        turn += 1;
        // In the middle of each stage, once its first coups are dealt.
        let stage = ["heats", "semi-finals", "final"]
            .into_iter()
            .find(|stage| shown.contains(&format!(" · {stage} · ")));
        if let Some(stage) = stage
            && !killed.contains(&stage)
            && shown.contains("coup 1")
        {
            killed.push(stage);
            console.kill();
            continue;
        }
        assert!(!shown.contains("refused:"), "`{last}`: {shown}");
        if shown.contains("The pool of 2160 by places") {
            print_after_the_end(&mut console, folder.path());
            console.say("quit");
            results = shown;
            continue;
        }
        if !corrected && let Some((who, seat)) = seat_to_correct(&last, &shown) {
            corrected = true;
            console.say(&format!("director corrects {who}'s seat to {seat} because of a slip"));
            continue;
        }
        let next = shown.lines().find_map(|line| line.strip_prefix("next: "));
        if next.is_some_and(|next| next.contains("awards the prizes")) && ranks.is_empty() {
            console.say("standings");
            ranks = ranked(&console.read().0);
        }
        last = line_for(next.unwrap_or_default(), &shown, turn);
        console.say(&last);
    };
    assert_eq!(killed, ["heats", "semi-finals", "final"]);
    assert!(corrected, "a seat is corrected while wagers lie");
    check_prizes(folder.path(), &ranks, &results);
    assert!(shown.contains("the event is over"), "{shown}");
    let head = shown.split("--head ").nth(1).and_then(|rest| rest.split_whitespace().next());
    check_log(folder.path(), head.unwrap());
}

/// The rank and the name of everybody, as the standings say before the prizes are awarded.
fn ranked(standings: &str) -> Vec<(u32, String)> {
    let of = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.parse().ok()?, words.next()?.to_owned()))
    };
    standings.trim_start().lines().map_while(of).collect()
}

/// Those who lead the standings have the prizes of the rehearsal's sheet, to the cent.
fn check_prizes(folder: &Path, ranks: &[(u32, String)], results: &str) {
    let mut rehearses = Command::new(env!("CARGO_BIN_EXE_sabot"));
    let output = rehearses
        .args(["tournament", "rehearse", "my.toml", "--times", "1", "--json"])
        .current_dir(folder)
        .output()
        .unwrap();
    let sheet: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let prizes: Vec<u64> = serde_json::from_value(sheet["prizes_cents"].clone()).unwrap();
    // 24 fees of $100 less 10 %.
    assert_eq!((&sheet["pool_cents"], prizes.iter().sum()), (&216_000.into(), 216_000_u64));
    let table = results.split_once("place  name").unwrap().1;
    let won = table.lines().skip(1).map_while(|line| {
        let mut words = line.split_whitespace();
        let (place, name, prize) = (words.next()?, words.next()?, words.next()?);
        let prize: rules::Cents = prize.parse().unwrap();
        Some((place.parse().unwrap(), name.to_owned(), prize.get()))
    });
    let won: Vec<(u32, String, u64)> = won.collect();
    assert_eq!(won.iter().map(|(.., prize)| *prize).collect::<Vec<_>>(), prizes, "{results}");
    assert_eq!(won.iter().map(|(place, ..)| *place).collect::<Vec<_>>(), [1, 2, 3, 4]);
    // Who is level in the standings was parted by a play-off: nobody goes before a better rank.
    let rank = |name: &String| ranks.iter().find(|(_, other)| other == name).map(|(rank, _)| *rank);
    let of_winners: Vec<_> = won.iter().map(|(_, name, _)| rank(name).unwrap()).collect();
    assert!(of_winners.is_sorted(), "{of_winners:?}: {results}");
    let lead: Vec<_> = ranks[..prizes.len()].iter().map(|(rank, _)| *rank).collect();
    assert_eq!(of_winners, lead, "{results}");
}

/// What is printed when the prizes are awarded has them, and nothing else can be done.
fn print_after_the_end(console: &mut Console, folder: &Path) {
    for (sheet, words) in [("results", "864"), ("scores", "final, session 1"), ("entrants", "P24")]
    {
        console.say(&format!("print {sheet} {sheet}.txt"));
        let (said, _) = console.read();
        assert!(said.contains(&format!("wrote {sheet}.txt")), "{said}");
        let printed = std::fs::read_to_string(folder.join(format!("{sheet}.txt"))).unwrap();
        assert!(printed.to_lowercase().contains(&words.to_lowercase()), "{words}: {printed}");
    }
    for line in ["", "ballot", "director cancels the tournament because of rain"] {
        console.say(line);
        let (said, goes_on) = console.read();
        assert!(goes_on && said.contains("the event is over; allowed: "), "`{line}`: {said}");
    }
}

/// The log of the event holds for everybody who checks it, and says what it is.
fn check_log(folder: &Path, head: &str) {
    let sabot = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_sabot"))
            .args(arguments)
            .current_dir(folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
    };
    let log = "events/three-stages.sabot";
    let (code, said) = sabot(&["audit", "verify", log, "--head", head]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("everything holds"), "{said}");
    // The independent verifier checks the shoes of its tables too.
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verify_log.py");
    let mut python = Command::new("python3");
    python.args([script, log, "--head", head]).current_dir(folder);
    let output = python.output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("Of these at tables of tournaments: 7; unwitnessed: 7"), "{said}");
    // What is told of tables is not told of an event, and it is said what is.
    for command in ["csv", "shoe"] {
        let (code, said) = sabot(&["audit", command, log]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("is an event and no table; `sabot audit replay"), "{said}");
    }
    // The event as a transcript that judge accepts.
    let (code, said) = sabot(&["audit", "replay", log, "-o", "event.coup"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = sabot(&["judge", "-q", "event.coup"]);
    assert_eq!(code, Some(0), "{said}");
    // Over is over; the same command shows the results again, and prints them.
    let (code, said) = sabot(&["tournament", "run", "my.toml", "--data", ".", "--clock-by-line"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("the event is over"), "{said}");
    std::fs::remove_file(folder.join("results.txt")).unwrap();
    let mut console = Console::start(folder);
    console.read();
    print_after_the_end(&mut console, folder);
    console.say("quit");
    let (said, goes_on) = console.read();
    assert!(!goes_on && said.contains("the event is over"), "{said}");
}

/// Types lines into a console of its own, and gives what it said and whether it stopped in order.
fn typed(folder: &Path, conditions: &str, lines: &[u8]) -> (String, bool) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sabot"))
        .args(["tournament", "run", conditions, "--data", ".", "--cards", "system"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that refuses to begin reads nothing.
    let _ = child.stdin.take().unwrap().write_all(lines);
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&said).into_owned(), output.status.success())
}

#[test]
fn events_whose_names_differ_in_case_or_punctuation_have_logs_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, name: &str| {
        let text = CONDITIONS.replace("\"Three Stages\"", &format!("\"{name}\""));
        std::fs::write(folder.path().join(file), text).unwrap();
    };
    let named = |who: &str| format!("operator names {who} director\n").into_bytes();
    for (file, name, who) in
        [("a.toml", "Winter Classic", "Ann"), ("b.toml", "winter-classic", "Bo")]
    {
        write(file, name);
        let (said, good) = typed(folder.path(), file, &named(who));
        assert!(good && !said.contains("which goes on"), "{said}");
        assert!(said.contains(who) && said.contains("the same command goes on"), "{said}");
    }
    let has = |log: &str| folder.path().join("events").join(log).exists();
    assert!(has("winter-classic.sabot") && has("winter-classic.2.sabot"));
    assert!(!has("winter-classic.3.sabot"));
    // Each goes on with its own.
    for (file, log) in [("a.toml", "winter-classic.sabot"), ("b.toml", "winter-classic.2.sabot")] {
        let (said, good) = typed(folder.path(), file, b"quit\n");
        assert!(good && said.contains(log), "{file}: {said}");
    }
    // The same name under another book is another event, which is said.
    let text = std::fs::read_to_string(folder.path().join("a.toml")).unwrap();
    std::fs::write(folder.path().join("c.toml"), text.replace("act-2018", "act-2012")).unwrap();
    let (said, good) = typed(folder.path(), "c.toml", b"quit\n");
    assert!(!good && said.contains("is played under act-2018"), "{said}");
    assert!(said.contains("act-2012") && said.contains("--again"), "{said}");
}

#[test]
fn bytes_that_are_no_text_do_not_end_the_console() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.toml"), CONDITIONS).unwrap();
    let (said, good) = typed(
        folder.path(),
        "my.toml",
        b"operator names Ren\xe9 director\nstandings\nhelp\nquit\n",
    );
    assert!(good, "{said}");
    assert!(said.contains("no text in UTF-8; type it again"), "{said}");
    assert!(
        said.contains("do what is next") && said.contains("the same command goes on"),
        "{said}"
    );
}
