//! What is due in a tournament: at every step of every transcript something is, and what is
//! suggested as a whole is accepted.

use std::collections::BTreeMap;
use std::sync::Arc;

use tournament::{Command, Due, Need, Phase, Tournament};
use transcript::{Books as _, Judge, Said, Shelf, say_due, understand};

use crate::walk::every_step;

/// What is wrong with a suggestion, if something is.
fn fault(tournament: &Tournament, due: &Due, at: u64) -> Option<String> {
    let line = say_due(due, tournament.book(), false);
    let Some(act) = &due.act else {
        let silent = matches!(due.next, tournament::Next::WaitForStart(_));
        return (line.is_none() && !silent).then(|| "no line".into());
    };
    if let Err(refusal) = tournament.decide(&Command::new(at, act.clone())) {
        return Some(refusal.what.clone());
    }
    let line = line?;
    match understand(&line) {
        Ok(Said::Act(..) | Said::Tournament) => None,
        other => Some(format!("`{line}` is read as {other:?}")),
    }
}

fn check(tournament: &Tournament, at: u64, place: &str, faults: &mut Vec<String>) -> Vec<Due> {
    let all = tournament.due_at(at);
    let over = matches!(tournament.phase(), Phase::Ended | Phase::Cancelled);
    if all.is_empty() != over {
        faults.push(format!("{place}: {} due, {:?}", all.len(), tournament.phase()));
    }
    if !over && !all.iter().any(|due| due.need == Need::Must) {
        faults.push(format!("{place}: nothing must be done: {all:?}"));
    }
    for due in &all {
        if let Some(fault) = fault(tournament, due, at) {
            faults.push(format!("{place}: {:?}: {fault}", due.next));
        }
    }
    all
}

#[test]
fn something_is_due_at_every_step_and_what_is_suggested_is_accepted() {
    let (mut faults, mut seen) = (Vec::new(), BTreeMap::<String, u32>::new());
    every_step(&mut |step| {
        let now = step.after.now();
        for due in check(step.after, now, &step.place, &mut faults) {
            let next = format!("{:?}", due.next);
            let next = next.split(|c: char| !c.is_alphanumeric()).next().unwrap();
            *seen.entry(next.to_owned()).or_default() += 1;
        }
        check(step.after, now + 3_600_000_000, &format!("{} later", step.place), &mut faults);
    });
    let text = faults.join("\n");
    assert!(faults.is_empty(), "{} faults\n{text}", faults.len());
    assert!(seen.len() > 50, "{seen:#?}");
}

/// An event in play under a book, after some lines.
fn after(book: &str, lines: &str) -> Tournament {
    // Under the Tasmanian rules tables are named and places given, in the ACT they are drawn.
    let [secret, named, gives] = match book {
        "tas-2013" => ["condition secret_wagers = 0\n", "director names tables 1\n", "allots"],
        _ => ["", "", "draws"],
    };
    let text = format!(
        "operator opens a tournament under {book}
condition name = \"Cup\"
condition start = \"2026-07-04 19:00\"
condition application = \"on the form at the desk\"
condition entry = \"adults\"
condition fee = 100
condition commission = \"10%\"
condition chips = 1000
condition players = \"2..7\"
condition limits = {{ main = \"50..500 by 10\", tie = \"10..100 by 10\" }}
condition stages.final = {{ from = \"entrants\", coups = 3 }}
condition prizes = [\"60%\", \"40%\"]
{secret}operator documents the conditions
regulator approves the conditions
operator publishes the conditions
operator names Dana director
operator opens entries
director tells the conditions
director enters Ann Bo
director closes entries
{named}director {gives} Ann to table 1 seat 1
director {gives} Bo to table 1 seat 2
players take their seats
clock 2026-07-04 19:00
director starts the session
fresh shoe
{lines}"
    );
    let books = Shelf::default();
    let played = Judge { books: &books, under: None }.play(&text).unwrap();
    let book = books.book(book, None).unwrap();
    let mut tournament = Tournament::new(Arc::new(book.rulebook.clone()));
    played.tournament.iter().for_each(|event| tournament.evolve(event));
    assert_eq!(tournament.phase(), Phase::Playing, "{played:?}");
    tournament
}

/// The lines of what must be done next.
fn next_lines(tournament: &Tournament) -> Vec<String> {
    let dues = tournament.due();
    let must = dues.iter().filter(|due| due.need == Need::Must);
    must.filter_map(|due| say_due(due, tournament.book(), false)).collect()
}

#[test]
fn a_coup_whose_cards_are_gone_can_only_be_given_up() {
    let played = "Ann bets 100 on player
Bo bets 100 on banker
dealer calls no more bets
dealer deals 2h 9d Kc Ks
";
    let found = "supervisor finds an error in coup 1";
    let open = after("act-2012", &format!("{played}{found}"));
    assert_eq!(next_lines(&open), ["at table 1 supervisor reconstructs the coup"]);
    let gone = format!("{played}operator replaces the cards\nfresh shoe\n{found}");
    let gone = after("act-2012", &gone);
    assert_eq!(next_lines(&gone), ["at table 1 supervisor cannot reconstruct the coup"]);
    let due = gone.due().remove(0);
    let act = due.act.expect("nothing is left to choose");
    assert!(gone.decide(&Command::new(gone.now(), act)).is_ok());
}

#[test]
fn a_card_that_everybody_saw_stands_in_the_line_and_no_other() {
    let wagers = "Ann bets 100 on player
Bo bets 100 on banker
dealer finds 6c face up
";
    let open = after("act-2012", &format!("{wagers}dealer calls no more bets"));
    let lines = next_lines(&open);
    assert!(lines.contains(&"at table 1 dealer deals 6c CARD CARD CARD".into()), "{lines:?}");
    let hidden = format!("{wagers}dealer calls no more bets\ndealer deals 6c 2d 9h Kd");
    let hidden = after("tas-2013", &hidden);
    assert_eq!(next_lines(&hidden), ["Ann turns the player cards 6c CARD"]);
    let refused = |line: &str| {
        let Ok(Said::Act(by, act)) = understand(line) else { panic!("`{line}`") };
        let act = tournament::Act::At(None, act);
        let refusal = hidden.decide(&Command { at: hidden.now(), by, act }).unwrap_err();
        format!("{}; {}", refusal.what, refusal.instead)
    };
    let told = refused("Ann turns the player cards 9c 9h");
    assert_eq!(told, "9c is not the card that was dealt; name 6c, which everybody saw");
    // The other one stays a secret until it is turned.
    let told = refused("Ann turns the player cards 6c 9c");
    assert_eq!(told, "9c is not the card that was dealt; name the card that was dealt");
}
