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
    assert!(good(place, &["audit", "verify"], "").contains("everything holds"));
    let said = good(place, &["play", "--resume", "--plain"], "l9 5\nplayer 5\ndeal\nq\n");
    assert!(said.contains("5 on lucky-9 at 3"), "{said}");
    assert!(good(place, &["audit", "verify"], "").contains("everything holds"));
    // Another book of the same name is not taken for it.
    good(place, &["rules", "new", "house", "--from", "act-2012", "--in", "."], "");
    assert!(good(place, &["audit", "verify"], "").contains("everything holds"));
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
