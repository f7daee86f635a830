//! The number of players in each stage and at each table.

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use crate::conditions::{Conditions, Source, Stage};

/// The player count of one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heads {
    /// The number of players in it.
    pub players: u32,
    /// Its sessions, one after another: how many sit at each table.
    pub sessions: Vec<Vec<u32>>,
    /// How many advance.
    pub winners: u32,
}

/// Spreads players over the sessions and tables of a stage, as evenly as can be.
#[must_use]
pub fn spread(players: u32, seats: u32, tables: Option<u32>) -> Vec<Vec<u32>> {
    let (seats, mut left) = (seats.max(1), players);
    let needed = players.div_ceil(seats).max(1);
    let capacity = tables.unwrap_or(needed).clamp(1, needed) * seats;
    let sessions = players.div_ceil(capacity).max(1);
    (0..sessions)
        .map(|session| {
            let now = left.div_ceil(sessions - session);
            left -= now;
            shares(now, now.div_ceil(seats).max(1))
        })
        .collect()
}

/// Divides a number into so many parts, the larger ones first.
fn shares(number: u32, parts: u32) -> Vec<u32> {
    (0..parts).map(|i| number / parts + u32::from(i < number % parts)).collect()
}

/// The player count of every stage for so many entrants who all come.
#[must_use]
pub fn plan(conditions: &Conditions, entrants: u32) -> Vec<Heads> {
    let mut heads: Vec<Heads> = Vec::new();
    for (i, stage) in conditions.stages.0.iter().enumerate() {
        let of = |name: &str| conditions.stage(name).and_then(|stage| heads.get(stage));
        let players = stage.from.iter().map(|source| match source {
            Source::Entrants => entrants,
            Source::Winners(name) => of(name).map_or(0, |heads| heads.winners),
            Source::Losers(name) => of(name).map_or(0, |heads| heads.players - heads.winners),
            Source::Leaders(number) => entrants.min(*number),
        });
        let players: u32 = players.sum();
        let sessions = spread(players, stage.seats, stage.tables);
        let advance = stage.advance.unwrap_or(0);
        let last = i + 1 == conditions.stages.0.len();
        let winners: u32 =
            if last { 0 } else { sessions.iter().flatten().map(|at| advance.min(*at)).sum() };
        let others = if last { 0 } else { stage.runners_up.unwrap_or(0) };
        let winners = winners + others.min(players - winners);
        heads.push(Heads { players, sessions, winners });
    }
    heads
}

/// The fault of the structure for so many entrants, in words.
#[must_use]
pub fn faults(conditions: &Conditions, entrants: u32) -> Vec<String> {
    let stages = &conditions.stages.0;
    let heads = plan(conditions, entrants);
    let mut faults = vec![];
    for (i, (stage, heads)) in stages.iter().zip(&heads).enumerate() {
        let name = &stage.name;
        if heads.players == 0 {
            faults.push(format!("with {entrants} entrants nobody plays in {name}"));
            continue;
        }
        let fewest = heads.sessions.iter().flatten().min().copied().unwrap_or(0);
        if fewest < 2 {
            faults.push(format!("with {entrants} entrants somebody sits alone in {name}"));
        }
        let last = i + 1 == stages.len();
        if !last && stage.advance.is_some_and(|advance| advance >= fewest) && !is_points(stage) {
            faults.push(format!("with {entrants} entrants a table of {name} eliminates nobody"));
        }
        let tables: usize = heads.sessions.iter().map(Vec::len).sum();
        if let (Some(others), false) = (stage.runners_up, last) {
            if tables < 2 {
                faults.push(format!(
                    "with {entrants} entrants {name} has one table, and no runners-up of other \
                     tables; `advance` says how many of a table advance"
                ));
            } else if heads.winners >= heads.players {
                faults.push(format!(
                    "with {entrants} entrants all {} players of {name} advance, {others} of them \
                     as runners-up",
                    heads.players
                ));
            }
        }
        let by_chips = conditions.ranking == crate::conditions::Ranking::Chips;
        if last && by_chips && tables > 1 {
            faults.push(format!(
                "with {entrants} entrants {name}, the last stage, has {} players at {tables} \
                 tables, and no one winner",
                heads.players
            ));
        }
    }
    faults
}

fn is_points(stage: &Stage) -> bool {
    !stage.points.is_empty()
}
