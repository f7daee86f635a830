//! `sabot tournament rehearse`: the event before the event.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use rules::Cents;
use serde_json::{Value, json};
use tournament::rehearse::{Outcome, Rehearsal, Stuck, outcome};
use tournament::{Act, Command, Conditions, Fact, Tournament, ballot, plan, prizes};
use transcript::say_name;

use super::{checked, read};
use crate::Report;
use crate::books::pretty;
use crate::cli::RehearseArguments;
use crate::json;
use crate::show::{Format, Style};

/// The stream of one rehearsal of many.
fn words(seed: u64, rehearsal: u32) -> impl Iterator<Item = u32> {
    ballot::words(shoe::Digest::of(&[&seed.to_be_bytes(), &rehearsal.to_be_bytes()]))
}

pub(super) fn rehearse(
    arguments: &RehearseArguments,
    format: Format,
    style: Style,
) -> Result<Report> {
    let (conditions, book, name) = read(&arguments.conditions)?;
    let report = checked(&conditions, &book, format, style);
    if report.code != 0 {
        return Ok(report);
    }
    let most = conditions.players.map(|players| players.most);
    let entrants = arguments.entrants.or(most).context("say how many enter: --entrants N")?;
    if let Some(span) = conditions.players
        && !(span.least..=span.most).contains(&entrants)
    {
        bail!("{entrants} entrants; the conditions have {} to {}", span.least, span.most);
    }
    let mut outcomes = Vec::new();
    for number in 0..arguments.times {
        let mut rehearsal = Rehearsal::new(&book, words(arguments.seed, number));
        rehearsal.no_show = arguments.no_show;
        rehearsal.run(&conditions, entrants).map_err(|stuck| stuck_error(&stuck))?;
        if let (0, Some(path)) = (number, &arguments.transcript) {
            write_transcript(&rehearsal, &name, path)?;
        }
        outcomes.push(outcome(&rehearsal.tournament, &rehearsal.events));
    }
    let sheet = Sheet { conditions: &conditions, arguments, entrants, outcomes };
    Ok(if format.is_json() { pretty(&sheet.json()).into() } else { sheet.text(style).into() })
}

fn stuck_error(stuck: &Stuck) -> anyhow::Error {
    match stuck {
        Stuck::Refused(act, refusal) => {
            anyhow::anyhow!("the event cannot go on: {refusal} (at {act:?})")
        }
        Stuck::Endless => anyhow::anyhow!("the event does not end"),
    }
}

/// One rehearsal as a transcript that passes: with its stages, and who advances.
fn write_transcript<W: Iterator<Item = u32>>(
    rehearsal: &Rehearsal<'_, W>,
    named: &str,
    path: &Path,
) -> Result<()> {
    let (book, done) = (rehearsal.book(), &rehearsal.tournament);
    let conditions = done.conditions();
    let name = conditions.map_or("", |conditions| conditions.name.as_str());
    let start = conditions.and_then(|conditions| conditions.start);
    let entrants = done.entrants();
    let mut text = format!(
        "# {name}: {} entrants under {}, from the conditions to the last prize.\n",
        entrants.len(),
        book.title.name()
    );
    let mut again = Tournament::new(Arc::new(book.clone()));
    let mut at = 0;
    for act in &rehearsal.acts {
        for line in transcript::say_in_tournament(act, book, named) {
            text += &format!("{line}\n");
        }
        let events = again.act(&Command::new(at, act.clone()));
        for event in events.unwrap_or_default() {
            if let Fact::Advanced { entrant, .. } = event.fact {
                let name = done.entrant(entrant).name;
                text += &format!("expect {} advances\n", say_name(&name));
            }
            if let Fact::StageOpened { stage, .. } = event.fact {
                text += &format!("\n# {}\n", done.stage_name(stage));
            }
        }
        if let (Act::TakeSeats(_), Some(start), 0) = (act, start, at) {
            text += &format!("clock {start}\n");
            at = start.0;
        }
    }
    for entrant in entrants.iter().filter(|entrant| entrant.prize > Cents::ZERO) {
        text += &format!("expect {} prize {}\n", say_name(&entrant.name), entrant.prize);
    }
    text += "expect pool 0\n";
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// What a director reads of the rehearsals. Figures are whole numbers: seconds, and tenths.
struct Sheet<'a> {
    conditions: &'a Conditions,
    arguments: &'a RehearseArguments,
    entrants: u32,
    outcomes: Vec<Outcome>,
}

/// Tenths, with their point.
fn tenths(number: u64) -> String {
    format!("{}.{}", number / 10, number % 10)
}

/// Hours and minutes.
fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 3600, seconds / 60 % 60)
}

impl Sheet<'_> {
    fn times(&self) -> u64 {
        self.outcomes.len().max(1) as u64
    }

    fn seconds(&self, outcome: &Outcome) -> u64 {
        let pauses = outcome.coups.len().saturating_sub(1) as u64;
        let coups: u32 = outcome.coups.iter().sum();
        pauses * u64::from(self.arguments.between) * 60
            + u64::from(coups) * u64::from(self.arguments.pace)
    }

    /// In how many of the rehearsals it was so, in tenths of a percent.
    fn share(&self, holds: impl Fn(&Outcome) -> bool) -> u64 {
        let count = self.outcomes.iter().filter(|outcome| holds(outcome)).count() as u64;
        count * 1000 / self.times()
    }

    /// Coups of a stage on average, in tenths.
    fn coups(&self, stage: usize) -> u64 {
        let coups = self.outcomes.iter().map(|outcome| u64::from(outcome.coups[stage]));
        coups.sum::<u64>() * 10 / self.times()
    }

    /// The mean, and what nine of ten lie between.
    fn lengths(&self) -> (u64, u64, u64) {
        let mut seconds: Vec<_> = self.outcomes.iter().map(|o| self.seconds(o)).collect();
        seconds.sort_unstable();
        let last = seconds.len().saturating_sub(1);
        let mean = seconds.iter().sum::<u64>() / self.times();
        (mean, seconds[last / 20], seconds[last - last / 20])
    }

    fn text(&self, style: Style) -> String {
        let (mean, early, late) = self.lengths();
        let RehearseArguments { pace, between, .. } = self.arguments;
        let (name, times) = (&self.conditions.name, self.times());
        let mut text = style
            .heading(&format!("{name} with {} entrants, rehearsed {times} times", self.entrants));
        text += &format!(
            "Length: {} on average, {} to {} in nine of ten ({pace} s a coup, {between} min \
             between stages)\n\n",
            clock(mean),
            clock(early),
            clock(late)
        );
        text += &self.stages(style);
        text += &self.tie_breaks(style);
        text + &self.prize_sheet(style)
    }

    fn stages(&self, style: Style) -> String {
        let c = self.conditions;
        let mut text = style.heading(&format!(
            "{:<20}{:>8}{:>8}{:>8}{:>15}",
            "", "players", "tables", "coups", "a play-off in"
        ));
        let heads = plan::plan(c, self.entrants);
        for (i, (heads, stage)) in heads.iter().zip(&c.stages.0).enumerate() {
            let tables: usize = heads.sessions.iter().map(Vec::len).sum();
            let play_off = tenths(self.share(|outcome| outcome.play_offs[i] > 0));
            let (name, coups) = (&stage.name, tenths(self.coups(i)));
            text +=
                &format!("{name:<20}{:>8}{tables:>8}{coups:>8}{play_off:>14}%\n", heads.players);
        }
        text
    }

    /// In what part of the rehearsals each kind of thing happened that holds an evening up.
    fn kinds(&self) -> [(&'static str, u64); 6] {
        [
            ("additional rounds", self.share(|outcome| outcome.rounds > 0)),
            ("a play-off by a drawn card", self.share(|outcome| outcome.by_card > 0)),
            ("… of players out in one coup", self.share(|outcome| outcome.out_together > 0)),
            ("prizes or points shared", self.share(|outcome| outcome.shared > 0)),
            ("somebody did not come", self.share(|outcome| outcome.missing > 0)),
            ("nobody left, called off", self.share(|outcome| outcome.cancelled)),
        ]
    }

    fn tie_breaks(&self, style: Style) -> String {
        let mut text = style.heading("\nIt came to");
        for (kind, share) in self.kinds() {
            text += &format!("{kind:<32}{:>8}%\n", tenths(share));
        }
        text + "\n"
    }

    fn prize_sheet(&self, style: Style) -> String {
        let span = self.conditions.players;
        let (least, most) = span.map_or((self.entrants, self.entrants), |s| (s.least, s.most));
        let mut numbers = vec![least, self.entrants, most];
        numbers.dedup();
        let mut text = style
            .heading("Prize sheet, if all come and nobody is eliminated before the last stage");
        for entrants in numbers {
            let (pool, prizes) = prizes::planned_words(self.conditions, entrants);
            let prizes: Vec<_> = prizes.iter().map(|prize| prize.trim_start_matches('$')).collect();
            text += &format!("{entrants} entrants, a pool of {pool}: {}\n", prizes.join(", "));
        }
        text
    }

    fn json(&self) -> Value {
        let (mean, early, late) = self.lengths();
        let heads = plan::plan(self.conditions, self.entrants);
        let stages = self.conditions.stages.0.iter().zip(heads).enumerate();
        let stages: Vec<Value> = stages
            .map(|(i, (stage, heads))| {
                json!({
                    "stage": stage.name,
                    "players": heads.players,
                    "sessions": heads.sessions,
                    "coups": json::tenths(self.coups(i)),
                    "play_off_percent": json::tenths(
                        self.share(|outcome| outcome.play_offs[i] > 0),
                    ),
                })
            })
            .collect();
        let (pool, prizes) = prizes::planned(self.conditions, self.entrants);
        json!({
            "entrants": self.entrants,
            "rehearsals": self.outcomes.len(),
            "seconds": { "mean": mean, "p5": early, "p95": late },
            "stages": stages,
            "came_to": self.kinds().map(|(kind, share)| {
                json!({ "what": kind, "percent": json::tenths(share) })
            }),
            "pool_cents": pool,
            "prizes_cents": prizes,
        })
    }
}
