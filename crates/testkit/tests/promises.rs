//! The table's promises under random commands, and the reader under random text.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::time::{Duration, Instant};

use table::Fact;
use testkit::{
    all_books, drive, drive_event, mixed_transcript, random_bytes, read_transcript,
    tournament_books,
};

/// Under every book, whatever is sent: chips are conserved, the replay is the table, a void leaves
/// no trace, a coup has four to six cards, and nothing panics.
#[test]
fn a_table_keeps_its_promises_whatever_is_sent() {
    for book in all_books() {
        let (mut coups, mut voids, mut reversed, mut settled) = (0, 0, 0, 0);
        for seed in 0..400 {
            for event in drive(&book, &random_bytes(seed, 3000)) {
                match event.fact {
                    Fact::CoupEnded { outcome: Some(_), .. } => coups += 1,
                    Fact::CoupEnded { outcome: None, .. } => voids += 1,
                    Fact::Reversed { .. } => reversed += 1,
                    Fact::Settled { .. } => settled += 1,
                    _ => {}
                }
            }
        }
        // The promises are worth something only if the tables really play.
        let played =
            format!("{coups} coups, {voids} voids, {reversed} reversed, {settled} settled");
        let enough = coups > 1000 && voids > 40 && reversed > 10 && settled > 1000;
        assert!(enough, "{}: {played}", book.title.name());
    }
}

/// The targets of `fuzz/`, with seeded random input on the stable toolchain.
#[test]
fn the_fuzz_targets_hold_for_a_minute() {
    let seconds = std::env::var("SABOT_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok());
    let until = Instant::now() + Duration::from_secs(seconds.unwrap_or(5));
    let (books, events) = (all_books(), tournament_books());
    let lines = transcript_lines();
    let mut seed = 1_000_000;
    while Instant::now() < until {
        seed += 1;
        let _ =
            drive(&books[usize::try_from(seed).unwrap() % books.len()], &random_bytes(seed, 2000));
        if seed % 8 == 0 {
            let book = &events[usize::try_from(seed / 8).unwrap() % events.len()];
            let _ = drive_event(book, &random_bytes(seed, 600));
        }
        mixed_transcript(&random_bytes(seed, 400), &lines);
        read_transcript(&random_bytes(seed, 300));
    }
}

/// Lines of the transcripts, to be mixed.
fn transcript_lines() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let mut lines = Vec::new();
    for book in rulebooks::ids() {
        for file in std::fs::read_dir(root.join(book)).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            lines.extend(text.lines().filter(|line| !line.contains("opens")).map(str::to_owned));
        }
    }
    lines
}
