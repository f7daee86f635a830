//! Corrections after a settlement are the work of two people, known by name where names are given.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use rules::Cents;
use table::{By, Code, Name, Role};
use tournament::rehearse::Rehearsal;
use tournament::{Act, Command, Conditions, Fact, Miskeyed, Tournament};

const CONDITIONS: &str = "chips = 1000\nlimits = { main = \"50..500\" }\nprizes = [\"100%\"]\n\
                          [stages.final]\nfrom = \"entrants\"\nseats = 7\ncoups = 5\n";

/// A tournament in which one coup was settled.
fn after_a_coup() -> Tournament {
    let book = rulebooks::load("act-2012", None).unwrap().rulebook;
    let book = Arc::new(book);
    let conditions: Conditions = toml::from_str(CONDITIONS).unwrap();
    let words = (0u32..).map(|i| i.wrapping_mul(2_654_435_761));
    let mut rehearsal = Rehearsal::new(&book, words);
    rehearsal.prepare(&conditions, 3).unwrap();
    let settled = |t: &Tournament| t.sitting(1).is_some_and(|s| s.coups == 1);
    while !settled(&rehearsal.tournament) {
        rehearsal.round().unwrap();
    }
    rehearsal.tournament.clone()
}

fn said(by: By, act: Act) -> Command {
    Command { at: u64::MAX / 2, by, act }
}

fn named(role: Role, name: &str) -> By {
    By { role, name: Some(Name::from(name).unwrap()) }
}

#[test]
fn whoever_made_a_correction_does_not_confirm_it_in_another_role() {
    let mut tournament = after_a_coup();
    let name = tournament.entrants()[0].name;
    let wrong = Miskeyed::Chips { name, amount: Cents::new(123_400).unwrap() };
    let correct = Act::Correct(Box::new(wrong), "the count says so".into());
    tournament.act(&said(named(Role::Director, "Dana"), correct)).unwrap();

    let confirm = Act::ConfirmCorrection(None);
    let same = said(named(Role::Supervisor, "Dana"), confirm.clone());
    assert_eq!(tournament.act(&same).unwrap_err().code, Code::NotEligible);
    let events = tournament.act(&said(named(Role::Supervisor, "Eve"), confirm)).unwrap();
    let by = events.iter().find_map(|event| {
        if let Fact::CorrectionConfirmed { by, .. } = &event.fact { Some(*by) } else { None }
    });
    assert_eq!(by, Some(named(Role::Supervisor, "Eve")));
    let sitting = tournament.sitting(1).unwrap();
    let chair = sitting.chairs.iter().find(|c| tournament.entrant(c.entrant).name == name);
    assert_eq!(sitting.chips(chair.unwrap()).get(), 123_400);
}

/// The director is known by name even where the command does not say it.
#[test]
fn the_director_is_the_person_who_was_named() {
    let mut tournament = after_a_coup();
    let name = tournament.entrants()[0].name;
    let wrong = Miskeyed::Chips { name, amount: Cents::new(5_000).unwrap() };
    let correct = Act::Correct(Box::new(wrong), "the count says so".into());
    tournament.act(&said(By::role(Role::Director), correct)).unwrap();
    let confirm = said(named(Role::Management, "Dana"), Act::ConfirmCorrection(None));
    assert_eq!(tournament.act(&confirm).unwrap_err().code, Code::NotEligible);
}
