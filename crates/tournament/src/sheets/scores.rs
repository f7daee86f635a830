//! The score sheet of a table: the chips of every seat after every coup.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use rules::{Balance, Outcome, Side};
use table::{Fact as TableFact, Name};

use super::{WIDTH, cut, line};
use crate::conditions::Length;
use crate::event::{EntrantId, Event, Fact};
use crate::sitting::{Sitting, Stint};
use crate::state::State;

/// One coup of a score sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its number at the table, from 1.
    pub coup: u32,
    /// The result; none while it is dealt, and when it is void.
    pub outcome: Option<Outcome>,
    /// It is void.
    pub void: bool,
    /// It belongs to a play-off.
    pub play_off: bool,
}

/// One seat of a score sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The seat.
    pub seat: u32,
    /// The entrant.
    pub entrant: EntrantId,
    /// The name.
    pub name: Name,
    /// The chips at the start.
    pub start: Balance,
    /// The chips after each coup, deductions and secret wagers included; none where the player no
    /// longer played.
    pub chips: Vec<Option<Balance>>,
}

/// The scores of a table in one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scores {
    /// The table.
    pub table: u32,
    /// The stage, from 0.
    pub stage: usize,
    /// The session of the stage, from 1.
    pub session: u32,
    /// The name of the stage.
    pub name: String,
    /// The number of coups that the conditions have, if they count coups.
    pub length: Option<u32>,
    /// The coups, in order.
    pub coups: Vec<Column>,
    /// The seats, in order.
    pub rows: Vec<Row>,
}

/// The scores of every table in every session, in the order in which they were opened, from all
/// events of a tournament.
#[must_use]
pub fn scores(events: &[Event]) -> Vec<Scores> {
    let (mut state, mut all) = (State::default(), Vec::<Scores>::new());
    for event in events {
        if state.replay(event).is_err() {
            // A damaged log has no further scores.
            return all;
        }
        let opened = matches!(event.fact, Fact::TableOpened(_) | Fact::RunnersUpLevel { .. });
        if opened && let Some(sitting) = state.sittings().last() {
            all.push(Scores::open(&state, sitting));
        }
        let Some(number) = table_of(&event.fact, &state) else { continue };
        if let Fact::TableMoved { from, to, .. } = event.fact
            && let Some(scores) = all.iter_mut().rfind(|scores| scores.table == from)
        {
            scores.table = to;
        }
        let sitting = state.sittings().filter(|sitting| sitting.number == number).last();
        let scores = all.iter_mut().rfind(|scores| scores.table == number);
        if let (Some(scores), Some(sitting)) = (scores, sitting) {
            scores.follow(&event.fact, sitting, &state);
        }
    }
    all
}

/// The table that a fact is about, if its chips may have changed.
fn table_of(fact: &Fact, state: &State) -> Option<u32> {
    if let Fact::AtTable { table, .. }
    | Fact::ChairTaken { table, .. }
    | Fact::InAgain { table, .. }
    | Fact::Eliminated { table, .. }
    | Fact::TableMoved { to: table, .. } = fact
    {
        return Some(*table);
    }
    if let Fact::SeatTakenOver { to, .. } = fact {
        return state.sitting_of(*to).map(|sitting| sitting.number);
    }
    None
}

impl Scores {
    fn open(t: &State, sitting: &Sitting) -> Self {
        let stage = sitting.stage;
        let length = match t.length(stage) {
            Some(Length::Coups(coups)) => Some(coups),
            Some(Length::Shoes(_) | Length::Minutes(_)) | None => None,
        };
        let session = t.stages.get(stage).map_or(0, |progress| progress.sessions);
        let (table, name) = (sitting.number, t.stage_name(stage));
        Self { table, stage, session, name, length, coups: Vec::new(), rows: Vec::new() }
    }

    fn follow(&mut self, fact: &Fact, sitting: &Sitting, state: &State) {
        if let Fact::AtTable { event, .. } = fact {
            self.follow_coup(&event.fact, sitting);
        }
        // Chips that are collected after the session are no score.
        let closed = sitting.table.phase() == table::Phase::Closed || sitting.turn.is_none();
        for chair in &sitting.chairs {
            let at = self.rows.iter().position(|row| row.seat == chair.seat);
            let at = at.unwrap_or_else(|| {
                let name = state.entrant(chair.entrant).name;
                let (seat, entrant, start) = (chair.seat, chair.entrant, Balance::ZERO);
                self.rows.push(Row { seat, entrant, name, start, chips: Vec::new() });
                self.rows.len() - 1
            });
            let row = &mut self.rows[at];
            (row.entrant, row.name) = (chair.entrant, state.entrant(chair.entrant).name);
            let there = chair.player.is_some_and(|player| sitting.table.player(player).present);
            let chips = sitting.chips(chair);
            if self.coups.is_empty() {
                row.start = chips;
            } else if !closed || there {
                row.chips.resize(self.coups.len(), None);
                if let Some(last) = row.chips.last_mut() {
                    *last = there.then_some(chips).or(last.map(|_| Balance::ZERO));
                }
            }
        }
        self.rows.sort_by_key(|row| row.seat);
    }

    fn follow_coup(&mut self, fact: &TableFact, sitting: &Sitting) {
        if let TableFact::CoupBegan { number, .. } = fact {
            let play_off = matches!(sitting.stint, Stint::PlayOff(_));
            let column = Column { coup: *number, outcome: None, void: false, play_off };
            self.coups.push(column);
        } else if let TableFact::CoupEnded { outcome, .. } = fact {
            if let Some(last) = self.coups.last_mut() {
                (last.outcome, last.void) = (*outcome, outcome.is_none());
            }
        } else if let TableFact::Voided { number, .. } = fact
            && let Some(coup) = self.coups.iter_mut().rfind(|coup| coup.coup == *number)
        {
            (coup.outcome, coup.void) = (None, true);
        }
    }
}

/// The score sheet of a table: a row for each seat, a column for each coup. Coups that are still to
/// come are left blank, to be filled in by hand; those of a play-off have a star.
#[must_use]
pub fn score_sheet(scores: &Scores) -> String {
    let Scores { table, session, name, .. } = scores;
    let mut text = format!("table {table}, {name}, session {session}\n");
    let played = scores.coups.len();
    let to_come = scores.length.map_or(0, |length| {
        let counted = scores.coups.iter().filter(|coup| !coup.void && !coup.play_off).count();
        (length as usize).saturating_sub(counted)
    });
    let over = scores.coups.last().is_some_and(|coup| coup.play_off);
    let all = played + if over { 0 } else { to_come };
    let chips = scores.rows.iter().flat_map(|row| row.chips.iter().flatten().chain([&row.start]));
    let widest = chips.map(|chips| chips.to_string().chars().count()).max().unwrap_or(0);
    let width = widest.max(6) + 1;
    let names = 16;
    let a_block = (WIDTH - names - 4 - width) / width;
    for from in (0..all.max(1)).step_by(a_block.max(1)) {
        let to = (from + a_block.max(1)).min(all);
        text.push('\n');
        text += &block(scores, from..to, names, width);
    }
    text
}

fn block(scores: &Scores, coups: core::ops::Range<usize>, names: usize, width: usize) -> String {
    let first = if coups.start == 0 { "start" } else { "before" };
    let mut head = format!("    {}{first:>width$}", cut("coup", names));
    let mut results = format!("    {}{:>width$}", cut("result", names), "");
    for at in coups.clone() {
        let coup = scores.coups.get(at);
        let number = coup.map_or_else(|| (at + 1).to_string(), |coup| coup.coup.to_string());
        let mark = if coup.is_some_and(|coup| coup.play_off) { "*" } else { "" };
        head += &format!("{:>width$}", format!("{mark}{number}"));
        results += &format!("{:>width$}", coup.map_or("", result));
    }
    let mut text = line(&head) + &line(&results);
    for row in &scores.rows {
        let before = coups
            .start
            .checked_sub(1)
            .map_or_else(|| row.start.to_string(), |before| cell(scores, row, before));
        let mut cells = format!("{:>3} {}{before:>width$}", row.seat, cut(&row.name, names));
        for at in coups.clone() {
            cells += &format!("{:>width$}", cell(scores, row, at));
        }
        text += &line(&cells);
    }
    text
}

/// The chips of a seat after a coup; blank for a coup that is not over, a dash for a player who no
/// longer played.
fn cell(scores: &Scores, row: &Row, at: usize) -> String {
    match scores.coups.get(at) {
        Some(coup) if coup.void || coup.outcome.is_some() => {
            let chips = row.chips.get(at).copied().flatten();
            chips.map_or_else(|| "-".into(), |chips| chips.to_string())
        }
        Some(_) | None => String::new(),
    }
}

/// The result of a coup in a word.
const fn result(coup: &Column) -> &'static str {
    match coup.outcome {
        _ if coup.void => "void",
        Some(Outcome::Won(Side::Player)) => "player",
        Some(Outcome::Won(Side::Banker)) => "banker",
        Some(Outcome::Tie) => "tie",
        None => "",
    }
}
