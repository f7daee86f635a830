//! What is said to be lawful is lawful, and what is asked can be done.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod play;

use std::collections::BTreeSet;

use table::{Command, Next, Phase};
use transcript::{Said, understand};
use view::{Eyes, asked, lawful};

#[test]
fn lawful_acts_are_accepted_and_so_are_their_lines() {
    let (mut tried, mut bets, mut kinds) = (0_u32, 0_u32, BTreeSet::new());
    play::follow_all(3, |moment| {
        if !moment.whole || moment.version % 2 != 0 {
            return;
        }
        let table = moment.table;
        let player = table.present().last().map(|(_, player)| player.name);
        let eyes = play::all_eyes(player.unwrap_or_else(|| play::name("Stranger")));
        for eyes in eyes {
            for one in lawful(&eyes, table, false) {
                let command = one.command.as_ref().unwrap();
                assert!(table.decide(command).is_ok(), "{}: {}", moment.file, one.line);
                kinds.insert(one.line.split(' ').take(3).last().unwrap_or_default().to_owned());
                if one.needs.is_some() {
                    assert!(one.act.is_none());
                    continue;
                }
                let Ok(Said::Act(by, act)) = understand(&one.line) else {
                    panic!("{}: nobody understands `{}`", moment.file, one.line);
                };
                let command = Command { at: table.now(), by, act: *act };
                let accepted = table.decide(&command);
                assert!(accepted.is_ok(), "{}: `{}`: {accepted:?}", moment.file, one.line);
                assert_eq!(one.act.as_ref(), Some(&serde_json::to_value(&command.act).unwrap()));
                tried += 1;
                bets += u32::from(one.line.contains(" bets "));
            }
            let silent = matches!(eyes, Eyes::Spectator | Eyes::Auditor | Eyes::Director);
            assert!(!silent || lawful(&eyes, table, false).is_empty());
        }
    });
    assert!(tried > 5_000 && bets > 300 && kinds.len() > 30, "{tried} {bets} {kinds:?}");
}

/// Whatever is due at an open table, somebody is asked for it, and that person can do it.
#[test]
fn what_is_due_is_asked_of_somebody_who_can_do_it() {
    let (mut done, mut lacking) = (0_u32, Vec::new());
    play::follow_all(2, |moment| {
        let table = moment.table;
        if !moment.whole || table.phase() == Phase::Unopened {
            return;
        }
        let Some(due) = table.due() else { return };
        let all = asked(&Eyes::Operator, table, false);
        assert!(all.iter().all(|one| one.clauses == due.clauses.to_vec()) && !all.is_empty());
        assert!(asked(&Eyes::Spectator, table, false).iter().all(|one| one.line.is_none()));
        if matches!(due.next, Next::Players | Next::Cut(None)) {
            return;
        }
        let Some(line) = all.iter().find_map(|one| one.line.clone()) else {
            assert!(due.next == Next::Wagers && all[0].role == table::Role::Players);
            return;
        };
        let mut people = play::all_eyes(play::name("Stranger"));
        people.extend(table.present().map(|(_, player)| Eyes::Player(player.name)));
        let lawful: Vec<_> = people.iter().flat_map(|eyes| lawful(eyes, table, false)).collect();
        if lawful.iter().any(|one| one.due) {
            done += 1;
        } else {
            lacking.push(format!("{}: {line}", moment.file));
        }
    });
    assert!(done > 1_000, "only {done}");
    assert!(lacking.is_empty(), "{} of {done}: {lacking:#?}", lacking.len());
}

/// A system that deals is never told to name a card.
#[test]
fn where_the_system_deals_nobody_names_cards() {
    play::follow_all(5, |moment| {
        if !moment.whole {
            return;
        }
        for one in lawful(&Eyes::Dealer, moment.table, true) {
            let needs = one.needs == Some(view::Needs::Card) && !one.line.contains("finds");
            assert!(!needs, "{}", one.line);
        }
    });
}
