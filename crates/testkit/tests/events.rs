//! A tournament's promises, whatever is said while it is played.

use std::sync::Arc;

use testkit::{drive_event, random_bytes, tournament_books};
use tournament::Fact;

/// Under every book that has tournaments: money and chips are conserved, nobody plays two seats,
/// the replay is the tournament, every way is told, and no sealed form is known.
#[test]
fn a_tournament_keeps_its_promises_whatever_is_said() {
    for book in tournament_books() {
        let name = book.title.name();
        let (mut ended, mut play_offs, mut forms, mut prizes) = (0, 0, 0, 0);
        for seed in 0..200 {
            for event in drive_event(&Arc::clone(&book), &random_bytes(seed, 600)) {
                match event.fact {
                    Fact::Ended => ended += 1,
                    Fact::PlayOffStarted { .. } => play_offs += 1,
                    Fact::FormOpened { .. } => forms += 1,
                    Fact::Prize { .. } => prizes += 1,
                    _ => {}
                }
            }
        }
        let played =
            format!("{ended} ended, {play_offs} play-offs, {forms} forms, {prizes} prizes");
        let secret = forms > 20 || book.secret_wagers.is_none();
        assert!(ended > 120 && prizes > 300 && secret, "{name}: {played}");
    }
}
