//! What is said to be lawful in a tournament is lawful, what is due is listed for somebody, and the
//! standings are those of the overview.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod play;

use std::collections::BTreeSet;
use std::sync::Arc;

use rulebooks::Book;
use tournament::{Command, Need, Phase, Tournament, Whom};
use transcript::{SaidInTournament, Shelf, understand_in_tournament};
use view::{Eyes, TournamentSeen, asked_in_tournament, lawful_in_tournament, tournament_view};

/// Follows the tournaments of some transcripts, act by act.
fn follow(every: usize, mut look: impl FnMut(&str, &Tournament, &Book)) {
    let shelf = Shelf::default();
    let all = play::transcripts().into_iter();
    let named = all.filter(|(path, _)| path.to_string_lossy().contains("tournament"));
    for (path, text) in named.step_by(every) {
        let played = play::played(&shelf, &text);
        let Some(book) = played.book.clone().filter(|_| !played.tournament.is_empty()) else {
            continue;
        };
        let rules = Arc::new(book.rulebook.clone());
        let mut tournament = Tournament::new(rules.clone());
        let mut events = played.tournament.iter();
        for line in &played.lines {
            for event in events.by_ref().take(line.rulings.len()) {
                if let tournament::Fact::Opened { .. } = event.fact {
                    tournament = Tournament::new(rules.clone());
                }
                tournament.evolve(event);
            }
            if !line.rulings.is_empty() {
                look(&path.display().to_string(), &tournament, &book);
            }
        }
    }
}

fn people(tournament: &Tournament) -> Vec<Eyes> {
    let last = tournament.entrants().last().map(|entrant| entrant.name);
    play::all_eyes(last.unwrap_or_else(|| play::name("Stranger")))
}

#[test]
fn lawful_acts_in_a_tournament_are_accepted_and_so_are_their_lines() {
    let (mut tried, mut kinds) = (0_u32, BTreeSet::new());
    let mut number = 0_u32;
    follow(4, |file, tournament, _| {
        number += 1;
        if !number.is_multiple_of(5) {
            return;
        }
        let at = tournament.now();
        for eyes in people(tournament) {
            let lawful = lawful_in_tournament(&eyes, tournament, at, false);
            let silent = matches!(eyes, Eyes::Spectator | Eyes::Auditor);
            assert!(!silent || lawful.is_empty());
            for one in lawful {
                assert!(tournament.decide(&one.command).is_ok(), "{file}: {}", one.line);
                let words = one.what.split(' ').filter(|word| word.chars().all(char::is_lowercase));
                kinds.insert(words.take(2).collect::<Vec<_>>().join(" "));
                if one.needs.is_some() {
                    assert!(one.act.is_none());
                    continue;
                }
                let Ok(SaidInTournament::Act(by, act)) = understand_in_tournament(&one.line) else {
                    panic!("{file}: nobody understands `{}`", one.line);
                };
                let command = Command { at, by, act: *act };
                let accepted = tournament.decide(&command);
                assert!(accepted.is_ok(), "{file}: `{}`: {accepted:?}", one.line);
                assert_eq!(one.act, Some(serde_json::to_value(&command.act).unwrap()), "{file}");
                tried += 1;
            }
        }
    });
    assert!(tried > 2_000 && kinds.len() > 40, "{tried} {kinds:?}");
}

/// Whatever an event waits for and leaves nothing to choose, the person who does it finds it listed
/// as due; and everything that is due is asked of somebody.
#[test]
fn what_is_due_in_a_tournament_is_listed_for_whom_it_is_due() {
    let (mut done, mut lacking) = (0_u32, Vec::new());
    follow(6, |file, tournament, _| {
        if tournament.phase() == Phase::Unopened {
            return;
        }
        let (at, dues) = (tournament.now(), tournament.due());
        let asked = asked_in_tournament(&Eyes::Director, tournament, at, false);
        assert_eq!(asked.len(), dues.len());
        assert!(asked_in_tournament(&Eyes::Spectator, tournament, at, false).iter().all(|one| {
            one.line.is_none() && one.player.as_deref().is_none_or(|player| player == "a player")
        }));
        for due in dues.iter().filter(|due| due.need == Need::Must) {
            let Some(act) = &due.act else { continue };
            let eyes = match due.whom {
                Whom::Operator => Eyes::Operator,
                Whom::Director => Eyes::Director,
                Whom::Inspector => Eyes::Inspector,
                Whom::Dealer => Eyes::Dealer,
                Whom::Player(name) => Eyes::Player(name),
                // No eyes act for the regulator, nor for all players together.
                Whom::Regulator | Whom::Players => continue,
            };
            let lawful = lawful_in_tournament(&eyes, tournament, at, false);
            let stored = serde_json::to_value(act).unwrap();
            if lawful.iter().any(|one| one.due && one.act.as_ref() == Some(&stored)) {
                done += 1;
            } else {
                lacking.push(format!("{file}: {eyes:?}: {stored}"));
            }
        }
    });
    assert!(done > 500, "only {done}");
    assert!(lacking.is_empty(), "{} of {done}: {lacking:#?}", lacking.len());
}

/// The view has no ranks of its own: who sits at a table in play stands there as in the overview,
/// also behind those who wait for another session.
#[test]
fn the_standings_of_a_view_are_those_of_the_overview() {
    let (mut compared, mut behind) = (0_u32, 0_u32);
    follow(1, |file, tournament, book| {
        let seen = TournamentSeen {
            name: "Cup",
            version: 1,
            tournament,
            book,
            sha256: "",
            watches: &[],
            now: tournament.now(),
            system: false,
        };
        if tournament.sittings().all(|sitting| !sitting.is_live()) {
            return;
        }
        let shown = tournament_view(&Eyes::Auditor, &seen).standings;
        let told = tournament.overview().standings;
        let at = |standing: &tournament::Standing| {
            let mut live = tournament.sittings().filter(|sitting| sitting.is_live());
            live.find_map(|sitting| Some((sitting.number, sitting.chair(standing.entrant)?.seat)))
        };
        let told: Vec<_> =
            told.iter().filter_map(|one| Some((one.rank, at(one)?, one.chips.get()))).collect();
        let shown: Vec<_> =
            shown.iter().map(|one| (one.rank, (one.table, one.seat), one.chips_cents)).collect();
        assert_eq!(shown, told, "{file}");
        compared += u32::from(!told.is_empty());
        let skips =
            |(at, one): (usize, &(u32, _, _))| u32::try_from(at).is_ok_and(|at| one.0 > at + 1);
        behind += u32::from(told.iter().enumerate().any(skips));
    });
    assert!(compared > 1000 && behind > 5, "{compared} {behind}");
}
