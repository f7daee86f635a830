//! Every form of expectation can fail: each has a row with a line that holds and one that does not.

use std::collections::BTreeSet;

use transcript::{expectations, play};

/// A table with two players before its first coup.
const OPEN: &str = "operator opens act-2018
operator posts main 10..1000 by 5
Ann sits at 1 with 500
Bo sits at 2 with 300
fresh shoe
";

/// Both have a wager, and no card is out.
const BETS: &str = "Ann bets 100 on banker
Bo bets 50 on player
dealer calls no more bets
";

const BANKER_WINS: &str = "dealer deals 3h Kd 3c 2s\ndealer draws 5h to banker\n";
const PLAYER_WINS: &str = "dealer deals 9h Kd Kc 7s\n";
const TIE: &str = "dealer deals 9h 9d Kc Ks\n";
const VOID: &str = "operator voids the coup because of a fire\n";

const REFUSED: &str = "Ann bets 50 on banker-dragon\n";
const NO_BETS: &str = "Ann asks for a no-bet coup
Bo agrees
supervisor directs a no-bet coup
";
const UNDER_MINIMUM: &str = "Ann bets 5 on banker\n";
const CUT_OFFERED: &str = "operator opens act-2018
operator posts main 10..1000 by 5
Ann sits at 1 with 500
dealer checks the cards
dealer shuffles
dealer offers the cut to Ann
";

const FACE_DOWN: &str = "operator opens act-2018 with face=down
operator posts main 10..1000 by 5
Ann sits at 1 with 500
Bo sits at 2 with 300
fresh shoe
Ann bets 100 on banker
dealer deals ?? ?? ?? ??
dealer passes the banker cards to Ann
";

/// A heat in which two players are level after its only coup.
const HEAT: &str = "operator opens a tournament under act-2012
condition fee = 100
condition commission = \"10%\"
condition chips = 1000
condition limits = { main = \"50..500\" }
condition stages.heats = { from = \"entrants\", seats = 4, tables = 1, coups = 1, advance = 1 }
condition stages.final = { from = \"winners of heats\", seats = 4, coups = 1 }
condition players = \"6\"
condition prizes = [\"100%\"]
operator documents the conditions
regulator approves the conditions
operator names Dana director
operator opens entries
director enters Ann Bo Cy Di Ed Flo Gus
director closes entries
director draws Ann to table 1 seat 1
director draws Bo to table 1 seat 2
director draws Cy to table 1 seat 3
players take their seats
director starts the session
fresh shoe
";

const LEVEL: &str = "Ann bets 50 on player
Bo bets 50 on player
Cy bets 50 on banker
dealer calls no more bets
dealer deals 9h Kd Kc 7s
";

const PLAYED_OFF: &str = "director starts the play-off
Ann bets 50 on banker
Bo bets 50 on player
dealer calls no more bets
dealer deals 9h Kd Kc 7s
";

/// A series of one session in which points decide.
const SERIES: &str = "operator opens a tournament under act-2018
condition start = \"2026-12-05 19:00\"
condition application = \"on the form at the desk\"
condition fee = 100
condition commission = \"10%\"
condition chips = 1000
condition players = \"2..6\"
condition groups = \"none\"
condition limits = { main = \"50..1000\", tie = \"10..200\" }
condition stages.first = { from = \"entrants\", tables = 1, seats = 6, coups = 1, points = [6, 3] }
condition buy_back = \"none\"
condition level_final = \"share\"
condition prizes = [\"60%\", \"40%\"]
condition statement = \"the director conducts it, and the rules prevail\"
condition ranking = \"points\"
condition level = \"share\"
condition elimination = \"nobody\"
operator documents the conditions
operator publishes the conditions
operator notifies the regulator
regulator approves the commission
operator names Dana director
operator opens entries
director enters Ann Bo
director closes entries
director draws Ann to table 1 seat 1
director draws Bo to table 1 seat 2
players take their seats
clock 2026-12-05 19:00
director starts the session
fresh shoe
Ann bets 50 on player
Bo bets 50 on banker
dealer calls no more bets
dealer deals 9h Kd Kc 7s
director awards the prizes
";

/// What happened, and the words that fill in the form.
type Case = (&'static [&'static str], &'static str);

/// A form with nothing left out or left open: when it holds, and when it does not.
const ROWS: &[(&str, Case, Case)] = &[
    ("accepted", (&[OPEN], ""), (&[OPEN, REFUSED], "")),
    ("refused", (&[OPEN, REFUSED], ""), (&[OPEN], "")),
    ("refused CLAUSE", (&[OPEN, REFUSED], "4.4(b)"), (&[OPEN, REFUSED], "4.4(a)")),
    (
        "refused CLAUSE CLAUSE",
        (&[OPEN, REFUSED], "act-2018 4.4(b)"),
        (&[OPEN, REFUSED], "nz-1998 4.4(b)"),
    ),
    ("cites CLAUSE", (&[OPEN, UNDER_MINIMUM], "3.4"), (&[OPEN, UNDER_MINIMUM], "13.1")),
    (
        "cites CLAUSE CLAUSE",
        (&[OPEN, UNDER_MINIMUM], "act-2018 3.4"),
        (&[OPEN, UNDER_MINIMUM], "nz-1998 3.4"),
    ),
    ("player N banker N", (&[OPEN, BETS, BANKER_WINS], "6 7"), (&[OPEN, BETS, BANKER_WINS], "7 6")),
    ("result banker", (&[OPEN, BETS, BANKER_WINS], ""), (&[OPEN, BETS, PLAYER_WINS], "")),
    ("result player", (&[OPEN, BETS, PLAYER_WINS], ""), (&[OPEN, BETS, TIE], "")),
    ("result tie", (&[OPEN, BETS, TIE], ""), (&[OPEN, BETS, VOID], "")),
    ("result void", (&[OPEN, BETS, VOID], ""), (&[OPEN, BETS], "")),
    ("cut offered to NAME", (&[CUT_OFFERED], "Ann"), (&[OPEN], "Ann")),
    ("cards to NAME", (&[FACE_DOWN], "Ann"), (&[FACE_DOWN], "Bo")),
    ("calls TEXT", (&[OPEN, BETS], "\"No more bets\""), (&[OPEN, BETS], "\"Last coup\"")),
    ("says TEXT", (&[OPEN, BETS], "wagers are closed"), (&[OPEN, BETS], "wagers are open")),
    ("says nothing of TEXT", (&[OPEN, BETS], "are open"), (&[OPEN, BETS], "are closed")),
    ("no-bet coup", (&[OPEN, NO_BETS], ""), (&[OPEN], "")),
    ("last coup", (&[OPEN, "cutting card appears\n"], ""), (&[OPEN], "")),
    ("shuffle", (&[OPEN, "supervisor directs a shuffle\n"], ""), (&[OPEN], "")),
    (
        "NAME wins AMOUNT on SPOT",
        (&[OPEN, BETS, BANKER_WINS], "Ann 95 banker"),
        (&[OPEN, BETS, BANKER_WINS], "Ann 100 banker"),
    ),
    (
        "NAME loses AMOUNT on SPOT",
        (&[OPEN, BETS, BANKER_WINS], "Bo 50 player"),
        (&[OPEN, BETS, BANKER_WINS], "Ann 100 banker"),
    ),
    (
        "NAME keeps AMOUNT on SPOT",
        (&[OPEN, BETS, TIE], "Ann 100 banker"),
        (&[OPEN, BETS, BANKER_WINS], "Bo 50 player"),
    ),
    ("NAME has AMOUNT", (&[OPEN, BETS], "Ann 400"), (&[OPEN, BETS], "Ann 500")),
    (
        "NAME advised CLAUSE",
        (&[OPEN, UNDER_MINIMUM], "Ann 3.4"),
        (&[OPEN, UNDER_MINIMUM], "Bo 3.4"),
    ),
    (
        "NAME advised CLAUSE CLAUSE",
        (&[OPEN, UNDER_MINIMUM], "Ann act-2018 3.4"),
        (&[OPEN, UNDER_MINIMUM], "Ann act-2018 3.5"),
    ),
    ("NAME returned AMOUNT", (&[OPEN, BETS, VOID], "Ann 100"), (&[OPEN, BETS, VOID], "Bo 100")),
    (
        "NAME returned AMOUNT on SPOT",
        (&[OPEN, BETS, VOID], "Ann 100 banker"),
        (&[OPEN, BETS, VOID], "Ann 100 player"),
    ),
    ("turn of NAME", (&[HEAT], "Ann"), (&[HEAT], "Bo")),
    ("play-off of NAMES", (&[HEAT, LEVEL], "Bo Ann"), (&[HEAT, LEVEL], "Ann Cy")),
    ("pool AMOUNT", (&[HEAT], "540"), (&[HEAT], "600")),
    ("commission AMOUNT", (&[HEAT], "60"), (&[HEAT], "0")),
    ("NAME at table N seat N", (&[HEAT], "Cy 1 3"), (&[HEAT], "Cy 1 4")),
    ("NAME out", (&[HEAT, "director disqualifies Cy for hiding chips\n"], "Cy"), (&[HEAT], "Cy")),
    ("NAME advances", (&[HEAT, LEVEL, PLAYED_OFF], "Bo"), (&[HEAT, LEVEL, PLAYED_OFF], "Ann")),
    ("NAME stands down", (&[HEAT, LEVEL, PLAYED_OFF], "Ann"), (&[HEAT, LEVEL, PLAYED_OFF], "Bo")),
    ("NAME reserve", (&[HEAT], "Gus"), (&[HEAT], "Flo")),
    ("NAME place N", (&[SERIES], "Ann 1"), (&[SERIES], "Bo 1")),
    ("NAME prize AMOUNT", (&[SERIES], "Ann 108"), (&[SERIES], "Ann 180")),
    ("NAME points AMOUNT", (&[SERIES], "Bo 3"), (&[SERIES], "Bo 6")),
];

/// A form with each choice made: what may be left out is there or not, and of `a|b` one is there.
fn variants(form: &str) -> BTreeSet<String> {
    let mut all = vec![String::new()];
    let mut rest = form;
    while !rest.is_empty() {
        let (part, choices, after) = if let Some(inside) = rest.strip_prefix('[') {
            let (part, after) = inside.split_once(']').unwrap_or((inside, ""));
            (part, vec![part, ""], after)
        } else {
            let end = rest.find(' ').unwrap_or(rest.len());
            (&rest[..end], rest[..end].split('|').collect(), &rest[end..])
        };
        assert!(!part.is_empty(), "{form}");
        let with = |choice: &&str| {
            all.iter().map(|one| format!("{one} {choice}")).collect::<Vec<String>>()
        };
        all = choices.iter().flat_map(with).collect();
        rest = after.trim_start();
    }
    all.iter().map(|one| one.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The line of an expectation: the words in capitals, filled in one after another.
fn line(form: &str, words: &str) -> String {
    let mut words = words.split(' ').peekable();
    let mut line = String::from("expect");
    for token in form.split(' ') {
        let filled = match token {
            "TEXT" | "NAMES" => words.by_ref().collect::<Vec<_>>().join(" "),
            token if token.chars().all(char::is_uppercase) => words.next().unwrap_or("").to_owned(),
            token => token.to_owned(),
        };
        line = format!("{line} {filled}");
    }
    line + "\n"
}

/// What became of the expectation, if all else is as it should be.
fn failure(form: &str, (scene, words): Case) -> Option<String> {
    let refused = scene.contains(&REFUSED) && !form.starts_with("refused");
    let answered = if refused && form != "accepted" { "expect refused\n" } else { "" };
    let text = scene.concat() + &line(form, words) + answered;
    let mut lines = play(&text).unwrap_or_else(|bad| panic!("{form}: {bad:?}")).lines;
    let last = lines.pop().unwrap_or_else(|| panic!("{form}: nothing was played"));
    for line in lines {
        let unanswered = line.refusal.is_some() && form == "accepted";
        let failure = line.failure.filter(|_| !unanswered);
        assert_eq!(failure, None, "{form}: {} {:?}", line.text, line.refusal);
    }
    last.failure
}

#[test]
fn every_form_has_a_row() {
    let forms: BTreeSet<_> = expectations().flat_map(variants).collect();
    let rows: BTreeSet<_> = ROWS.iter().map(|(form, ..)| (*form).to_owned()).collect();
    let bare: Vec<_> = forms.difference(&rows).collect();
    assert!(bare.is_empty(), "a form of `expect` needs a row that shows how it fails: {bare:?}");
    let old: Vec<_> = rows.difference(&forms).collect();
    assert!(old.is_empty(), "no form of `expect` is {old:?}");
}

#[test]
fn every_expectation_holds_and_fails_as_it_should() {
    for (form, holds, fails) in ROWS {
        assert_eq!(failure(form, *holds), None, "{form} should hold");
        let failure = failure(form, *fails);
        assert!(failure.is_some(), "{form} cannot fail: {}", fails.1);
    }
}

/// A false expectation fails the file, wherever it stands, and so does one above the first act.
#[test]
fn an_expectation_above_the_first_act_fails() {
    for line in ["expect accepted", "expect says nothing of \"x\"", "expect Ann has 0"] {
        let played = play(&format!("{line}\n{OPEN}")).unwrap_or_default();
        let failure = played.lines[0].failure.as_deref().unwrap_or_default();
        assert!(failure.starts_with("nothing has happened yet"), "{line}: {failure}");
        assert!(!played.passed());
    }
}

#[test]
fn a_transcript_without_an_act_does_not_pass() {
    for text in ["", "\n\n", "# nothing but a comment\n", "\u{feff}", "expect accepted\n"] {
        let played = play(text).unwrap_or_default();
        assert!(played.is_empty() && !played.passed(), "{text:?}");
    }
    assert!(play("operator opens act-2018\n").is_ok_and(|played| played.passed()));
}

/// What is said of a line is all that is printed of it: words, clauses and refusals.
#[test]
fn nothing_is_said_means_nothing_at_all() {
    for (scene, words) in [
        (vec![OPEN, UNDER_MINIMUM], "3.4"),
        (vec![OPEN, UNDER_MINIMUM], "below the minimum"),
        (vec![OPEN, REFUSED], "4.4(b)"),
        (vec![OPEN, REFUSED], "not-offered"),
        (vec!["operator opens act-2018 with decks=7\n"], "2.1"),
    ] {
        let expect = format!("expect says nothing of \"{words}\"\nexpect says \"{words}\"\n");
        let lines = play(&(scene.concat() + &expect)).map_or(Vec::new(), |played| played.lines);
        let told: Vec<_> = lines.iter().rev().take(2).map(|line| line.failure.is_some()).collect();
        assert_eq!(told, [false, true], "{words}: {lines:?}");
    }
    // A number is no part of another.
    for words in ["3.40", "13.4", "03.4", "3.41"] {
        let text = format!("{OPEN}{UNDER_MINIMUM}expect says nothing of \"{words}\"\n");
        assert!(play(&text).is_ok_and(|played| played.passed()), "{words}");
    }
}
