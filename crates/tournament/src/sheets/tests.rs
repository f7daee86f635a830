//! Tests of the sheets: small events, and what is printed of them.

use alloc::sync::Arc;

use super::*;
use crate::conditions::Conditions;
use crate::rehearse::Rehearsal;

const CONDITIONS: &str = "name = \"Club Night\"\nfee = \"33.33\"\nchips = 1000\n\
                          limits = { main = \"50..500\" }\nprizes = [\"60%\", \"40%\"]\n\
                          [stages.final]\nfrom = \"entrants\"\nseats = 7\ncoups = 10\n";

/// An event of three players after so many rounds of the rehearsal.
fn rehearsed(rounds: usize) -> (Tournament, Vec<crate::Event>) {
    let book = Arc::new(rulebooks::load("act-2012", None).unwrap().rulebook);
    let conditions: Conditions = toml::from_str(CONDITIONS).unwrap();
    let words = (0u32..).map(|i| i.wrapping_mul(2_654_435_761).rotate_left(i % 31));
    let mut rehearsal = Rehearsal::new(&book, words);
    rehearsal.prepare(&conditions, 3).unwrap();
    for _ in 0..rounds {
        if rehearsal.tournament.phase() == crate::Phase::Playing {
            rehearsal.round().unwrap();
        }
    }
    (rehearsal.tournament, rehearsal.events)
}

#[test]
fn entrants_are_listed_with_what_they_paid() {
    let wanted = "\
Club Night: entrants
====================
 no.  name                           status             paid agreed  substitute
   1  Ada                            entered           33.33
   2  Ben                            entered           33.33
   3  Cleo                           entered           33.33

3 entered; pool 99.99, kept by the house 0
";
    assert_eq!(entrants(&rehearsed(0).0), wanted);
}

#[test]
fn the_seating_has_a_line_for_every_seat() {
    assert!(seating(&rehearsed(0).0).ends_with("no places are given\n"));
    let wanted = "\
Club Night: seating, final, session 1
=====================================

table 1
  seat  1  Ada
  seat  2  Cleo
  seat  3  Ben
";
    assert_eq!(seating(&rehearsed(1).0), wanted);
}

#[test]
fn a_score_sheet_has_chips_after_every_coup_and_room_for_the_others() {
    let (_, events) = rehearsed(9);
    let wanted = "\
table 1, final, session 1

    coup              start      1      2      3      4      5      6      7
    result                  player player
  1 Ada                1000    950   1187
  2 Cleo               1000    950    450
  3 Ben                1000   1500   1448

    coup             before      8      9     10
    result
  1 Ada
  2 Cleo
  3 Ben
";
    assert_eq!(score_sheet(&scores(&events)[0]), wanted);
}

#[test]
fn results_say_how_shares_were_rounded() {
    let (tournament, events) = rehearsed(200);
    let wanted = "\
Club Night: results
===================
place  name                                        prize
    1  Ada                                            60
    2  Ben                                         39.99
    3  Cleo

The pool of 99.99 by places
    1            60  60%, rounded up to the cent that was left over
    2         39.99  40%, rounded down to the cent

A place that nobody takes is divided among the others in proportion; a cent that
is left over goes to the best place whose share had to be rounded, and among
players who share to the one who was drawn first, or entered first where nothing
was drawn
";
    assert_eq!(results(&tournament), wanted);
    let sheet = score_sheet(&scores(&events)[0]);
    // Chips beyond three digits have room in every column.
    assert!(sheet.lines().all(|line| line.chars().count() <= WIDTH));
    assert!(sheet.contains("  1 Ada ") && sheet.contains("  3 "));
}

#[test]
fn long_names_are_cut_and_long_texts_wrapped() {
    assert_eq!(cut("Maximiliana", 6), "Maxim…");
    assert_eq!(cut("Ada", 6), "Ada   ");
    let text = "word ".repeat(40);
    assert!(wrapped(&text, "  ").lines().all(|line| line.chars().count() <= WIDTH));
}
