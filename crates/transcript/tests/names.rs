//! Names as people have them: whatever is a name comes back from every line that says it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use rules::{Cents, Group, Side};
use table::{Act, By, Decision, Deed, Limits, Name, Work};
use transcript::{Said, name, play, say, say_name, understand};

/// Every act at a table that names somebody.
fn acts(name: Name) -> Vec<Act> {
    let amount = Cents::new(5000).unwrap();
    let limits = Limits { least: amount, most: amount, step: None };
    vec![
        Act::Allow(name, Group::Main, limits),
        Act::VoidWagers(name, Some(3), "of cheating".into()),
        Act::Exclude(name, format!("\"{name}\" and \"{name}\"")),
        Act::Player(name, Deed::Sit(3, amount)),
        Act::Player(name, Deed::BetAgainst(name, amount)),
        Act::Player(name, Deed::Leave),
        Act::Dealer(Work::OfferCut(name)),
        Act::Dealer(Work::Pass(Side::Player, name)),
        Act::Supervisor(Decision::ApproveBothSides(name)),
    ]
}

fn comes_back(name: Name) {
    for act in acts(name) {
        let line = say(By::usual(&act), &act, "act-2018").unwrap();
        assert_eq!(understand(&line), Ok(Said::Act(By::usual(&act), Box::new(act))), "{line}");
    }
    assert_eq!(transcript::name(&name), Ok(name), "one name has one spelling");
}

proptest! {
    #[test]
    fn whatever_is_a_name_comes_back(text in r"[\p{L}\p{M}\p{N}'’_. -]{1,31}") {
        if let Ok(name) = name(&text) {
            comes_back(name);
        }
    }

    #[test]
    fn nothing_at_all_makes_the_reader_stumble(text in any::<String>()) {
        if let Ok(name) = name(&text) {
            comes_back(name);
        }
        let _ = understand(&format!("\"{text}\" leaves"));
        let _ = understand(&format!("{text}'s wagers"));
    }
}

#[test]
fn every_word_of_the_language_may_be_a_name_in_quotes() {
    let reference = transcript::reference();
    let words = reference.split(|c: char| !c.is_alphabetic() && c != '-');
    let mut read = 0;
    for word in words {
        if let Ok(name) = name(word) {
            comes_back(name);
            read += 1;
        }
    }
    assert!(read > 500, "only {read} words were read");
}

/// Names stand in expectations, too, and in prose they have no quotes.
#[test]
fn a_name_is_said_the_same_everywhere() {
    for text in ["O'Brien", "Mary Ann", "Nguyễn", "Anne-Marie", "says", "Shoe", "Banker", "李"] {
        let said = say_name(text).into_owned();
        let lines = [
            "operator opens act-2018 with dragon",
            "operator posts main 10..1000 by 5",
            &format!("{said} sits at 1 with 500"),
            &format!("expect says \"{text} sits at 1 with 500\""),
            "fresh shoe",
            &format!("{said} bets 100 on banker"),
            &format!("operator voids {said}'s wagers because {said} said so"),
            &format!("expect {said} returned 100 on banker"),
            &format!("expect {said} has 500"),
            &format!("{said} bets 100 on player"),
            "no more bets",
            "deal 9h Kd Kc 7s",
            &format!("expect {said} wins 100 on player"),
        ];
        let played = play(&(lines.join("\n") + "\n")).unwrap_or_else(|bad| panic!("{bad:?}"));
        let failed: Vec<_> = played.lines.iter().filter(|l| l.failure.is_some()).collect();
        assert!(failed.is_empty(), "{failed:#?}");
    }
}

#[test]
fn what_is_no_name_is_told_where_it_stands() {
    for (line, wanted) in [
        (
            "\"Mary Ann sits at 1 with 5",
            "1: `\"Mary Ann sits at 1 with 5` is not understood: the quotes",
        ),
        ("\"Dealer\" leaves", "1: `\"Dealer\"` is not understood: `Dealer` says who acts"),
        (
            "operator excludes players because x",
            "19: `players` is not understood: `players` says who",
        ),
        (
            "operator excludes shoe because x",
            "19: `shoe` is not understood: `shoe` begins lines; in q",
        ),
        (
            "operator excludes Dr. because x",
            "19: `Dr.` is not understood: such a name stands in quotes",
        ),
        (
            "Abcdefghijklmnopqrstuvwxyzabcdef leaves",
            "1: `Abcdefghijklmnopqrstuvwxyzabcdef` is not understood: a name has at most 31",
        ),
        ("director enters Ann \"Bo", "21: `\"Bo` is not understood: the quotes are not closed"),
    ] {
        let fault = understand(line).unwrap_err();
        let told = format!("{}: {fault}", fault.column);
        assert!(told.starts_with(wanted), "{line}\n{told}");
    }
}
