//! A side bet of one's own invention: one file beside a house's book, and it works everywhere. The
//! library's side bets have the edges that were published.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const SHEET: &str = r#"
numbered = ["1", "2"]

[about]
name = "Lucky 9"
source = "our own"

[[clause]]
id = "1"
duty = "enforced"
gist = "Lucky 9 may be wagered on; two nines pay 40 to 1, one nine 2 to 1"

[[clause]]
id = "2"
duty = "enforced"
gist = "Anything else loses"

[[side_bet]]
key = "lucky-9"
name = "Lucky 9"
offered = { clause = "1" }
rows = [
  { player = [9], banker = [9], pays = "40:1", clause = "1" },
  { player = [9], pays = "2:1", clause = "1" },
  { banker = [9], pays = "2:1", clause = "1" },
]
otherwise = { lost = true, clause = "2" }
"#;

/// Runs the program in a folder; gives what it said, on both ways.
fn run(folder: &Path, arguments: &[&str], typed: &str) -> (bool, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sabot"))
        .current_dir(folder)
        .args(arguments)
        .env("SABOT_DATA", folder.join("data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), said + &String::from_utf8_lossy(&output.stderr))
}

fn good(folder: &Path, arguments: &[&str], typed: &str) -> String {
    let (well, said) = run(folder, arguments, typed);
    assert!(well, "{arguments:?}: {said}");
    said
}

/// A copy of act-2018 with a sheet beside it.
fn house() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    good(place.path(), &["rules", "new", "house", "--from", "act-2018", "--in", "."], "");
    fs::write(place.path().join("house/lucky-9.toml"), SHEET).unwrap();
    place
}

#[test]
fn a_side_bet_of_ones_own_is_one_file_and_works_everywhere() {
    let house = house();
    let place = house.path();
    assert!(good(place, &["rules", "check", "house+lucky-9"], "").contains("is sound"));
    assert!(good(place, &["rules", "show", "house+lucky-9"], "").contains("Side bets: Lucky 9"));
    // The edge is counted exactly, and simulated.
    let odds = good(place, &["odds", "house", "--with", "lucky-9", "--csv"], "");
    let line = odds.lines().find(|line| line.starts_with("lucky-9,")).unwrap();
    let edge: f64 = line.split(',').nth(1).unwrap().parse().unwrap();
    let run = ["simulate", "house", "--with", "lucky-9", "--shoes", "20000", "--csv"];
    let simulated = good(place, &run, "");
    let line = simulated.lines().find(|line| line.starts_with("lucky-9,")).unwrap();
    let [mean, error] = [1, 2].map(|at| line.split(',').nth(at).unwrap().parse::<f64>().unwrap());
    assert!((mean + edge).abs() < 2.0 * error, "{line}, exactly {edge}");
    let played =
        ["coup", "house", "9h", "9d", "Kc", "Ks", "--with", "lucky-9", "--bet", "lucky-9=5"];
    assert!(good(place, &played, "").contains("200"), "40 to 1");
    // In a transcript, also from elsewhere.
    let transcript = "operator opens house with lucky-9\noperator posts main 10..1000\n\
                      operator posts lucky-9 5..100\nAnn sits at 1 with 100\nfresh shoe\n\
                      Ann bets 5 on lucky-9\ndealer deals 9h 9d Kc Ks\n\
                      expect Ann wins 200 on lucky-9\nexpect cites 1\n";
    fs::write(place.join("nines.coup"), transcript).unwrap();
    good(place, &["judge", "nines.coup"], "");
    good(Path::new("/"), &["judge", place.join("nines.coup").to_str().unwrap()], "");
    let drill = ["drill", "house+lucky-9", "--topic", "payout", "--questions", "1"];
    assert!(good(place, &drill, "0\n").contains("what is paid"));
    // In a tournament.
    let conditions = good(place, &["tournament", "new", "act-2018"], "");
    let conditions = conditions.replace("book = \"act-2018\"", "book = \"house+lucky-9\"");
    let limits = "tie = \"50..200\", \"lucky-9\" = \"5..50\" }\nside_bets = [\"lucky-9\"]";
    let conditions = conditions.replace("tie = \"50..200\" }", limits);
    assert!(conditions.contains("side_bets"), "{conditions}");
    fs::write(place.join("cup.toml"), conditions).unwrap();
    let file = place.join("cup.toml");
    let document = good(Path::new("/"), &["tournament", "check", file.to_str().unwrap()], "");
    assert!(document.contains("SHA-256"), "{document}");
    good(Path::new("/"), &["tournament", "rehearse", file.to_str().unwrap()], "");
}

#[test]
fn the_log_has_the_files_and_needs_the_folder_no_more() {
    let house = house();
    let place = house.path();
    let orders = "cut 100\nlucky-9 5\nplayer 20\ndeal\nl9 10\nbanker 5\ndeal\nq\n";
    let said = good(place, &["play", "house", "--with", "lucky-9", "--plain"], orders);
    assert!(said.contains("5 on lucky-9 at 3 [lucky-9 1]"), "{said}");
    fs::rename(place.join("house"), place.join("elsewhere")).unwrap();
    assert!(good(place, &["audit", "verify"], "").contains("it holds together"));
    let said = good(place, &["play", "--resume", "--plain"], "l9 5\nplayer 5\ndeal\nq\n");
    assert!(said.contains("5 on lucky-9 at 3"), "{said}");
    assert!(good(place, &["audit", "verify"], "").contains("it holds together"));
    // Another book of the same name is not taken for it.
    good(place, &["rules", "new", "house", "--from", "act-2012", "--in", "."], "");
    assert!(good(place, &["audit", "verify"], "").contains("it holds together"));
}

/// Published: Lucky 6, Super 6, Big, Small, Egalite and the Dragon Bonus by the Wizard of Odds
/// (wizardofodds.com, baccarat side bets); Dragon 7, Panda 8 and Big Tiger also by Eliot Jacobson
/// (advancedadvantageplay.com); Either Pair and Perfect Pair as live tables state them.
#[test]
fn the_side_bets_of_the_library_have_the_published_edges() {
    let place = tempfile::tempdir().unwrap();
    for (with, spot, published) in [
        ("lucky-6", "lucky-6", "16.68"),
        ("lucky-6=las-vegas", "lucky-6", "11.70"),
        ("dragon-7", "dragon-7", "7.61"),
        ("panda-8", "panda-8", "10.19"),
        ("super-6", "super-6", "29.98"),
        ("tiger", "tiger", "16.68"),
        ("tiger", "big-tiger", "15.25"),
        ("big-small", "big", "4.35"),
        ("big-small", "small", "5.28"),
        ("either-pair", "either-pair", "13.71"),
        ("perfect-pair", "perfect-pair", "13.03"),
        ("egalite", "egalite-0", "12.45"),
        ("egalite", "egalite-1", "11.42"),
        ("egalite", "egalite-2", "9.54"),
        ("egalite", "egalite-3", "10.52"),
        ("egalite", "egalite-4", "12.14"),
        ("egalite", "egalite-5", "11.87"),
        ("egalite", "egalite-6", "11.50"),
        ("egalite", "egalite-7", "6.39"),
        ("egalite", "egalite-8", "11.07"),
        ("egalite", "egalite-9", "10.63"),
    ] {
        let arguments = ["odds", "act-2012", "--with", with, "--wager", spot, "--csv"];
        let said = good(place.path(), &arguments, "");
        let edge: f64 = said.lines().nth(1).unwrap().split(',').nth(1).unwrap().parse().unwrap();
        assert_eq!(format!("{:.2}", edge * 100.0), published, "{with} {spot}");
    }
}

/// A method is rows too: no commission, and a winning seven of three cards is kept. Its edge is the
/// published one of EZ Baccarat.
#[test]
fn a_method_of_ones_own_is_rows_in_the_book() {
    let house = house();
    let place = house.path();
    let file = place.join("house/rulebook.toml");
    let book = fs::read_to_string(&file).unwrap();
    let method = r#"[methods.ez]
name = { is = "EZ", clause = "8.5" }
player = { is = "1:1", clause = "8.5(a)" }
banker = { is = "1:1", clause = "8.5(b)" }
tie = { is = "8:1", clause = "8.5(c)" }
rows = [{ banker = [7], banker_cards = 3, kept = true, clause = "8.5(b)" }]

[side_bets.pairs]"#;
    fs::write(&file, book.replace("[side_bets.pairs]", method)).unwrap();
    let odds = ["odds", "house", "--method", "ez", "--wager", "banker", "--csv"];
    let said = good(place, &odds, "");
    let edge: f64 = said.lines().nth(1).unwrap().split(',').nth(1).unwrap().parse().unwrap();
    assert_eq!(format!("{:.4}", edge * 100.0), "1.0183");
    let transcript = "operator opens house with settlement=ez\noperator posts main 10..1000\n\
                      Ann sits at 1 with 100\nfresh shoe\nAnn bets 50 on banker\n\
                      dealer deals 2h Kd 3c 4s\ndealer draws 5h to player\n\
                      dealer draws 3d to banker\nexpect result banker\n\
                      expect Ann keeps 50 on banker\nAnn bets 51 on banker\n\
                      dealer deals 2h 3d 3c 4s\ndealer draws Kh to player\n\
                      expect Ann wins 51 on banker\noperator gives notice of settlement=free\n\
                      expect refused\n";
    fs::write(place.join("ez.coup"), transcript).unwrap();
    good(place, &["judge", "ez.coup"], "");
    let (well, said) = run(place, &["odds", "act-2018", "--method", "ez"], "");
    assert!(!well && said.contains("act-2018 has no ez method; it has the commission, the half"));
}

/// A sheet is tried over every book, alone and with all others.
#[test]
fn every_sheet_goes_over_every_book() {
    for name in rulebooks::names() {
        let (id, base) = rulebooks::named(&name);
        for sheet in rulebooks::sheet_ids() {
            let book = rulebooks::load(&format!("{id}+{sheet}"), base);
            let book = book.unwrap_or_else(|why| panic!("{name} with {sheet}: {why}"));
            assert_eq!(book.sheets.len(), 1);
        }
        let all = format!("{id}+{}", rulebooks::sheet_ids().join("+"));
        assert!(rulebooks::load(&all, base).is_ok_and(|book| book.rulebook.spots().len() > 25));
    }
}

/// A sheet of several groups, none of which has the name of the sheet.
fn storm() -> String {
    let clause = SHEET.split("[[side_bet]]").next().unwrap().replace("Lucky 9", "Storm");
    let bet = |key: &str| {
        format!(
            "[[side_bet]]\nkey = \"{key}\"\nname = \"{key}\"\noffered = \"1\"\nrows = [{{ winner = \
             \"tie\", pays = \"7:1\", clause = \"1\" }}]\notherwise = {{ lost = true, clause = \
             \"2\" }}\n"
        )
    };
    clause + &bet("thunder") + &bet("lightning")
}

#[test]
fn a_sheet_is_laid_over_a_book_by_its_name_and_by_its_side_bets() {
    let house = house();
    let place = house.path();
    fs::write(place.join("house/storm.toml"), storm()).unwrap();
    for with in ["storm", "thunder", "thunder,lightning", "storm,lucky-9"] {
        let odds = good(place, &["odds", "house", "--with", with, "--csv"], "");
        for wager in ["thunder,", "lightning,"] {
            assert!(odds.lines().any(|line| line.starts_with(wager)), "{with}: {odds}");
        }
    }
    let (well, said) = run(place, &["odds", "house", "--with", "hail"], "");
    assert!(!well && said.contains("house has no hail"), "{said}");
}

#[test]
fn a_copy_of_a_house_has_its_sheets() {
    let house = house();
    let place = house.path();
    good(place, &["rules", "new", "copy", "--from", "house+lucky-9"], "");
    assert!(place.join("copy/lucky-9.toml").is_file());
    let shown = good(place, &["rules", "show", "copy"], "");
    assert!(shown.contains("Side bets: Lucky 9"), "{shown}");
    good(place, &["rules", "new", "over", "--from", "vic-2005@act-2018"], "");
    assert!(good(place, &["rules", "check", "over"], "").contains("is sound"));
    // What is different is only where a rule stands.
    let file = place.join("copy/rulebook.toml");
    let text = fs::read_to_string(&file).unwrap();
    let moved = text.replacen(
        "depth = { is = 52, clause = \"5.4\" }",
        "depth = { is = 52, clause = \"5.3\" }",
        1,
    );
    let moved = moved.replacen(
        "cutter = { is = \"any-player\", clause = \"5.3\" }",
        "cutter = { is = \"any-player\", clause = \"5.4\" }",
        1,
    );
    assert_ne!(moved, text);
    fs::write(&file, moved).unwrap();
    let same = good(place, &["rules", "diff", "house+lucky-9", "copy"], "");
    assert!(same.contains("say the same, by other clauses\n"), "{same}");
    let same = good(place, &["rules", "diff", "house", "house"], "");
    assert!(same.ends_with("say the same\n"), "{same}");
}

#[test]
fn a_clause_shows_the_rows_that_rest_on_it() {
    let house = house();
    let place = house.path();
    let said = good(place, &["rules", "clauses", "house+lucky-9", "2"], "");
    assert!(said.contains("row of side_bet.lucky-9: lost = true"), "{said}");
    let said = good(place, &["rules", "clauses", "act-2018", "8.5(b)"], "");
    let row = "row of methods.half-on-six: banker = [6]";
    assert!(said.contains(row), "{said}");
}

/// Nothing about a book is a reason to panic: many wagers, and odds that have little in common.
#[test]
fn many_wagers_and_awkward_odds_are_counted_and_simulated() {
    let house = house();
    let place = house.path();
    let head = SHEET.split("[[side_bet]]").next().unwrap().to_owned();
    let bet = |key: &str, pays: [&str; 3]| {
        let row = |(total, pays): (usize, &&str)| {
            format!(
                "{{ winner = \"banker\", banker = [{}], pays = \"{pays}\", clause = \"1\" }}",
                total + 4
            )
        };
        let rows: Vec<_> = pays.iter().enumerate().map(row).collect();
        format!(
            "[[side_bet]]\nkey = \"{key}\"\nname = \"{key}\"\noffered = \"1\"\nrows = \
             [{}]\notherwise = {{ lost = true, clause = \"2\" }}\n",
            rows.join(", ")
        )
    };
    let usual: String = (0..70).map(|n| bet(&format!("bet-{n}"), ["9:1", "7:2", "5:1"])).collect();
    let sheet = head.clone() + &usual + &bet("awkward", ["131:127", "101:97 less 5%", "53:47"]);
    fs::write(place.join("house/many.toml"), sheet).unwrap();
    let name = "house+many";
    let odds = good(place, &["odds", name, "--csv"], "");
    assert_eq!(odds.lines().filter(|line| line.starts_with("bet-")).count(), 70);
    good(place, &["odds", name, "--count", "--shoes", "2", "--csv"], "");
    let said = good(place, &["simulate", name, "--shoes", "3000", "--csv"], "");
    let figure = |line: &str, at: usize| line.split(',').nth(at).unwrap().parse::<f64>().unwrap();
    for line in said.lines().skip(1) {
        let (mean, error, exact) = (figure(line, 1), figure(line, 2), figure(line, 3));
        assert!((mean - exact).abs() < 2.0 * error, "{line}");
    }
    // A part of a run holds sums that are larger than 64 bits, and is read again.
    for shard in ["1/2", "2/2"] {
        let part = good(place, &["simulate", name, "--shoes", "3000", "--shard", shard], "");
        fs::write(place.join(format!("{}.json", &shard[..1])), part).unwrap();
    }
    let merged = good(place, &["simulate", "merge", "1.json", "2.json", "--csv"], "");
    assert_eq!(merged, said);
    // Where no stake at all could be paid, the row is named.
    let wild = head + &bet("wild", ["1:997", "1:991", "1:983"]);
    let more: Vec<_> = ["1:977", "1:971", "1:967"]
        .iter()
        .zip(1..)
        .map(|(pays, total)| {
            format!(
                "{{ winner = \"banker\", banker = [{total}], pays = \"{pays}\", clause = \"1\" }}"
            )
        })
        .collect();
    let wild = wild.replace("rows = [", &format!("rows = [{}, ", more.join(", ")));
    fs::write(place.join("house/wild.toml"), wild).unwrap();
    let (well, said) = run(place, &["odds", "house+wild"], "");
    assert!(!well && said.contains("row 6 of `wild` pays 1:983"), "{said}");
}

/// The transcript of a session under a book of one's own is judged where the book is not.
#[test]
fn a_replayed_session_can_be_judged_anywhere() {
    let house = house();
    let place = house.path();
    let orders = "cut 100\nlucky-9 5\nplayer 20\ndeal\nq\n";
    good(place, &["play", "house", "--with", "lucky-9", "--plain"], orders);
    good(place, &["audit", "replay", "-o", "r.coup"], "");
    let other = tempfile::tempdir().unwrap();
    fs::rename(place.join("r.coup"), other.path().join("r.coup")).unwrap();
    fs::rename(place.join("r-books"), other.path().join("r-books")).unwrap();
    fs::remove_dir_all(place.join("house")).unwrap();
    let text = fs::read_to_string(other.path().join("r.coup")).unwrap();
    assert!(text.contains("operator opens r-books/house+lucky-9"), "{text}");
    good(Path::new("/"), &["judge", other.path().join("r.coup").to_str().unwrap()], "");
    // A book that comes with Sabot needs no folder.
    let plain = tempfile::tempdir().unwrap();
    good(plain.path(), &["play", "act-2018", "--plain"], "cut 100\nplayer 20\ndeal\nq\n");
    good(plain.path(), &["audit", "replay", "-o", "r.coup"], "");
    assert!(!plain.path().join("r-books").exists());
}

/// Tournaments under a book of one's own: begun, written as lines, rehearsed, and judged.
#[test]
fn a_tournament_under_a_folder_is_written_as_it_was_named() {
    let house = house();
    let place = house.path();
    let conditions = good(place, &["tournament", "new", "house+lucky-9"], "");
    assert!(conditions.contains("book = \"house+lucky-9\""), "{conditions}");
    let limits = "tie = \"50..200\", \"lucky-9\" = \"5..50\" }\nside_bets = [\"lucky-9\"]";
    let conditions = conditions.replace("tie = \"50..200\" }", limits);
    fs::write(place.join("cup.toml"), conditions).unwrap();
    let lines = good(place, &["tournament", "conditions", "cup.toml", "--lines"], "");
    let opens = "operator opens a tournament under house+lucky-9\n";
    assert!(lines.starts_with(opens), "{lines}");
    let rehearse = ["tournament", "rehearse", "cup.toml", "--times", "2", "--transcript", "t.coup"];
    good(place, &rehearse, "");
    let text = fs::read_to_string(place.join("t.coup")).unwrap();
    assert!(text.contains(opens), "{}", &text[..300]);
    // Robots wager on ties and side bets, too.
    assert!(text.contains(" on tie\n") && text.contains(" on lucky-9\n"));
    good(place, &["judge", "-q", "t.coup"], "");
    for book in rulebooks::ids() {
        let has = rulebooks::load(book, None).unwrap().rulebook.tournament.is_some();
        assert_eq!(run(place, &["tournament", "new", book], "").0, has, "{book}");
    }
}
