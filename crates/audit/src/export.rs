//! A log as transcripts: all of it, one shoe, or one coup.

use std::sync::Arc;

use rulebooks::Book;
use rules::{Outcome, Side, Spot, Verdict};
use table::{Fact, Phase, PlayerId, State};
use transcript::{Books, Judge, say_name};

use crate::AuditError;
use crate::edition::edition_of;
use crate::groups::{Group, groups};

/// The part of a log to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extract {
    /// All of it.
    All,
    /// One shoe, from 1.
    Shoe(u32),
    /// One coup, by its number.
    Coup(u32),
}

/// A part of a log as a transcript that `sabot judge` accepts, with what must follow; nothing if
/// the log has no such part.
///
/// A coup is exported alone if possible. If it depends on what happened before, the transcript
/// begins with the shoe, or with the opening of the table. It is judged under the edition of the
/// table, from the files that the log kept if need be, wherever the program is.
///
/// # Errors
///
/// When a record cannot be read, or records an event that cannot have happened.
pub fn export(
    records: &[store::Record],
    part: Extract,
    files: Option<&str>,
) -> Result<Option<String>, AuditError> {
    let groups = groups(records)?;
    let book = edition_of(records, files)?;
    let books = TheBook(book.map(|(book, _)| Arc::new(book)));
    let judge = Judge { books: &books, under: None };
    let Some((start, end)) = bounds(&groups, part) else { return Ok(None) };
    let shoe = shoe_start(&groups, start);
    let starts = match part {
        Extract::All => vec![0],
        Extract::Shoe(_) => vec![start, 0],
        Extract::Coup(_) => vec![start, shoe, 0],
    };
    for start in &starts {
        let text = write(&groups[..end], *start)?;
        if judge.play(&text).is_ok_and(|played| played.passed()) {
            return Ok(Some(text));
        }
    }
    // The log does not follow from the book: it is exported as it is.
    write(&groups[..end], 0).map(Some)
}

/// The book of a table, under whatever name it was opened.
struct TheBook(Option<Arc<Book>>);

impl Books for TheBook {
    fn book(&self, name: &str, _: Option<&str>) -> Result<Arc<Book>, String> {
        self.0.clone().ok_or_else(|| format!("the edition of {name} is not at hand"))
    }
}

fn has(group: &Group, wanted: impl Fn(&Fact) -> bool) -> bool {
    group.events.iter().any(|event| wanted(&event.fact))
}

/// Whether this group ends a shoe.
fn ends_shoe(group: &Group) -> bool {
    has(group, |fact| matches!(fact, Fact::ShuffleDue))
}

/// The groups of a part: the index of the first, and the index after the last.
fn bounds(groups: &[Group], part: Extract) -> Option<(usize, usize)> {
    let all = groups.len();
    match part {
        Extract::All => Some((0, all)),
        Extract::Shoe(wanted) => {
            let mut number = 1;
            let mut start = 0;
            for (i, group) in groups.iter().enumerate() {
                if ends_shoe(group) {
                    if number == wanted {
                        return Some((start, i + 1));
                    }
                    number += 1;
                    start = i + 1;
                }
            }
            (number == wanted && start < all).then_some((start, all))
        }
        Extract::Coup(wanted) => {
            let ended = |which: u32| {
                let is = |fact: &Fact| {
                    let Fact::CoupEnded { number, .. } = fact else { return false };
                    *number == which
                };
                groups.iter().position(|group| has(group, is))
            };
            let end = ended(wanted)?;
            let start = wanted.checked_sub(1).and_then(ended).map_or(0, |i| i + 1);
            Some((start, end + 1))
        }
    }
}

fn shoe_start(groups: &[Group], of: usize) -> usize {
    groups[..of].iter().rposition(ends_shoe).map_or(0, |i| i + 1)
}

/// The transcript of the groups from `start` on; earlier groups only set the scene.
fn write(groups: &[Group], start: usize) -> Result<String, AuditError> {
    let mut text = String::new();
    let mut table = State::default();
    let mut lines = Vec::new();
    for group in &groups[..start] {
        group.events.iter().try_for_each(|event| table.replay(event))?;
        lines.extend(group.line.clone());
    }
    if start > 0 {
        text += &scene(&lines, &table);
    }
    let begun = groups.get(start).map_or(0, |group| group.at);
    let mut minutes = 0;
    for group in &groups[start..] {
        let Some(line) = &group.line else {
            if group.acted.is_some() {
                text += "# something was done that the language has no words for\n";
                group.events.iter().try_for_each(|event| table.replay(event))?;
            }
            continue;
        };
        let passed = group.at.saturating_sub(begun) / 60_000_000;
        if line.starts_with("clock") {
            // A transcript counts time in minutes, and states it only where it matters.
            text += &format!("clock +{}m\n", passed.saturating_sub(minutes));
            minutes = passed.max(minutes);
        } else {
            text += line;
            text.push('\n');
        }
        group.events.iter().try_for_each(|event| table.replay(event))?;
        text += &expected(group, &table);
    }
    for (_, player) in table.present() {
        let chips = player.stack.at_least_zero();
        text += &format!("expect {} has {chips}\n", say_name(&player.name));
    }
    Ok(text)
}

/// The lines that bring a new table to the same state as this one.
fn scene(lines: &[String], table: &State) -> String {
    let mut text = String::new();
    let opening = lines.iter().find(|line| line.starts_with("operator opens"));
    text.extend(opening.map(|line| format!("{line}\n")));
    // Only the latest line on each matter of the sign counts.
    let mut said: Vec<(&str, &String)> = Vec::new();
    for line in lines {
        let sign = ["operator posts", "operator permits", "operator caps", "operator sets"];
        if sign.iter().any(|start| line.starts_with(start)) {
            let about = line.split(' ').nth(2).unwrap_or_default();
            let about = about.split('=').next().unwrap_or_default();
            said.retain(|(other, _)| *other != about);
            said.push((about, line));
        }
    }
    for (_, line) in &said {
        text += &format!("{line}\n");
    }
    for (_, player) in table.present() {
        let chips = player.stack.at_least_zero();
        let how = if player.standing { "stands behind" } else { "sits at" };
        text += &format!("{} {how} {} with {chips}\n", say_name(&player.name), player.seat);
    }
    if table.phase() == Phase::Betting {
        text += "fresh shoe\n";
    }
    text
}

/// The expectations after a line that ends a coup.
#[expect(clippy::wildcard_enum_match_arm, reason = "a transcript need not expect every fact")]
fn expected(group: &Group, table: &State) -> String {
    let mut text = String::new();
    let totals = group.events.iter().rev().find_map(|event| {
        let Fact::Totals { player, banker } = event.fact else { return None };
        Some((player, banker))
    });
    let mut settled: Vec<(String, String)> = Vec::new();
    let mut settle = |player: PlayerId, spot: Spot, said: String| {
        let about = (say_name(&table.player(player).name), spot.key());
        let line = format!("expect {} {said} on {}\n", about.0, about.1);
        settled.push((format!("{} {}", about.0, about.1), line));
    };
    for event in &group.events {
        match &event.fact {
            Fact::Result(outcome) => {
                if let Some((player, banker)) = totals {
                    text += &format!("expect player {player} banker {banker}\n");
                }
                let word = match outcome {
                    Outcome::Won(Side::Player) => "player",
                    Outcome::Won(Side::Banker) => "banker",
                    Outcome::Tie => "tie",
                };
                text += &format!("expect result {word}\n");
            }
            Fact::Settled { player, spot, stake, verdict, .. } => {
                let said = match verdict {
                    Verdict::Won(won) => format!("wins {}", won.net),
                    Verdict::Lost => format!("loses {stake}"),
                    Verdict::Kept => format!("keeps {stake}"),
                };
                settle(*player, *spot, said);
            }
            Fact::Lies { player, spot, stake, .. } => {
                settle(*player, *spot, format!("keeps {stake}"));
            }
            Fact::Voided { .. } => text += "expect result void\n",
            _ => {}
        }
    }
    for (about, line) in &settled {
        // A wager at several places has several settlements, which a line cannot tell apart.
        if settled.iter().filter(|(other, _)| other == about).count() == 1 {
            text += line;
        }
    }
    text
}
