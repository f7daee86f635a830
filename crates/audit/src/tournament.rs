//! The audit of a tournament's log: every act is judged again under the edition it was made under.

use std::sync::Arc;

use store::{Body, Record, StoreError, TableShoe};
use tournament::{Act, Command, Event, Tournament};

use crate::AuditError;
use crate::edition::edition;
use crate::event_shoes::Shoes;
use crate::table::{Conclusion, Finding};

/// What an audit of a tournament found.
#[derive(Clone, Debug, Default)]
pub struct TournamentAudit {
    /// The book.
    pub book: String,
    /// Whether every act was judged again, which needs the same edition of the book.
    pub judged: bool,
    /// The number of records.
    pub records: usize,
    /// The number of acts.
    pub acts: usize,
    /// The number of acts that were refused and kept.
    pub refused: usize,
    /// The number of events.
    pub events: usize,
    /// What is in the pool at the end, and what the house keeps, in cents.
    pub pool: (i64, i64),
    /// Everything that is wrong.
    pub findings: Vec<Finding>,
}

impl TournamentAudit {
    /// What it comes to.
    #[must_use]
    pub const fn conclusion(&self) -> Conclusion {
        match (self.findings.is_empty(), self.judged) {
            (false, _) => Conclusion::DoesNotHold,
            (true, false) => Conclusion::CannotBeJudged,
            (true, true) => Conclusion::Holds,
        }
    }
}

/// One act of a tournament, and everything that followed.
#[derive(Default)]
pub(crate) struct Group {
    pub(crate) first: u64,
    at: u64,
    pub(crate) book: Option<store::Book>,
    pub(crate) acted: Option<store::Acted<Act>>,
    refused: Option<store::RefusedAct<Act>>,
    pub(crate) events: Vec<Event>,
    /// What was published of the shoes of its tables.
    pub(crate) facts: Vec<TableShoe>,
}

fn groups(records: &[Record]) -> Result<Vec<Group>, StoreError> {
    let mut groups: Vec<Group> = Vec::new();
    let mut key = None;
    for record in records {
        let name = (&record.actor, &record.key);
        if key.replace(name) != Some(name) {
            groups.push(Group { first: record.version, at: record.at, ..Group::default() });
        }
        let Some(group) = groups.last_mut() else { continue };
        match record.read()? {
            Body::Book(book) => group.book = Some(book),
            Body::TournamentAct(acted) => group.acted = Some(*acted),
            Body::TournamentRefused(refused) => group.refused = Some(*refused),
            Body::Tournament(event) => group.events.push(*event),
            Body::TableShoe(fact) => group.facts.push(*fact),
            Body::Line(_)
            | Body::Table(_)
            | Body::Shoe(_)
            | Body::Checkpoint(_)
            | Body::Answer(_)
            | Body::Key(_)
            | Body::Restored(_)
            | Body::Setup(_)
            | Body::Act(_)
            | Body::Refused(_)
            | Body::Proposed(_)
            | Body::Account(_) => {}
        }
    }
    Ok(groups)
}

/// Checks a tournament's stream: that every ruling follows from its act under the book.
///
/// # Errors
///
/// When a record cannot be read.
pub fn audit_tournament(
    records: &[Record],
    files: Option<&str>,
) -> Result<TournamentAudit, StoreError> {
    let mut found = TournamentAudit { records: records.len(), ..TournamentAudit::default() };
    let mut judge: Option<Tournament> = None;
    let mut begun = false;
    let mut shoes = Shoes::of(records.first().map_or("", |record| record.stream.as_str()));
    for group in groups(records)? {
        found.findings.extend(shoes.group(&group));
        let mut find = |what: String| found.findings.push(Finding { version: group.first, what });
        found.events += group.events.len();
        if let Some(book) = &group.book {
            if begun {
                find("a second book in one tournament".into());
            }
            begun = true;
            let same = edition(book, files);
            found.book.clone_from(&book.name);
            found.judged = same.is_some();
            judge = same.map(|(book, _)| Tournament::new(Arc::new(book.rulebook)));
        }
        if group.acted.is_none() && !group.events.is_empty() {
            find("events that no act brought".into());
        }
        if group.refused.is_some() && !group.events.is_empty() {
            find("an act that was refused has consequences".into());
        }
        let Some(judged) = &mut judge else { continue };
        if let Some(refused) = &group.refused {
            found.refused += 1;
            let (by, act) = (refused.asked.by, refused.asked.act.clone());
            let ruled = judged.decide(&Command { at: group.at, by, act });
            if refused.by_the_book && ruled.err().as_ref() != Some(&refused.refusal) {
                find("an act that was refused is judged otherwise under the book".into());
            }
        }
        let Some(acted) = &group.acted else { continue };
        found.acts += 1;
        let command = Command { at: group.at, by: acted.by, act: acted.act.clone() };
        let fault = match judged.act(&command) {
            Ok(events) if events == group.events => continue,
            Ok(_) => "has other consequences under the book".to_owned(),
            Err(refusal) => format!("is refused under the book: {refusal}"),
        };
        let line = acted.line.as_deref().unwrap_or("an act without words");
        find(format!("`{line}` {fault}; what follows cannot be judged"));
        judge = None;
    }
    if !begun {
        let what = "there is no tournament in this log".into();
        found.findings.push(Finding { version: 0, what });
    }
    found.findings.extend(shoes.finish(records.last().map_or(0, |record| record.version)));
    found.judged &= judge.is_some();
    if let Some(judge) = &judge {
        found.pool = (judge.pool().get(), judge.commission().get());
    }
    Ok(found)
}

const MINUTE: u64 = 60_000_000;

/// A tournament as a transcript that `sabot judge` accepts; nothing if the log holds none.
///
/// # Errors
///
/// When a record cannot be read.
pub fn export_tournament(
    records: &[Record],
    files: Option<&str>,
) -> Result<Option<String>, AuditError> {
    let groups = groups(records)?;
    let Some(known) = groups.first().and_then(|group| group.book.as_ref()) else {
        return Ok(None);
    };
    let Some((book, _)) = edition(known, files) else { return Ok(None) };
    let (mut text, mut minute) = (String::new(), None);
    for group in &groups {
        let Some(acted) = &group.acted else { continue };
        let now = group.at / MINUTE;
        // Time is told where it has gone on, once the event has a day.
        if minute.is_some_and(|before| before != now) {
            text += &format!("clock {}\n", moment(group.at));
        }
        let lines = transcript::say_in_tournament(&acted.act, &book.rulebook, &known.name);
        let ticks = matches!(acted.act, Act::Tick);
        if lines.is_empty() && !ticks {
            text += "# an act that the language has no words for\n";
        }
        for line in lines.iter().filter(|_| !ticks) {
            text += line;
            text.push('\n');
        }
        if minute.is_some() || matches!(acted.act, Act::Document(_)) {
            minute = Some(now);
        }
    }
    Ok(Some(text))
}

/// A time as a line of the clock has it.
fn moment(at: u64) -> String {
    let time = i64::try_from(at).ok().and_then(|at| jiff::Timestamp::from_microsecond(at).ok());
    time.map_or_else(String::new, |time| time.strftime("%Y-%m-%d %H:%M").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_as_the_language_has_it() {
        assert_eq!(moment(0), "1970-01-01 00:00");
        assert_eq!(moment(1_783_191_600_000_000), "2026-07-04 19:00");
        assert_eq!(moment(951_782_400_000_000), "2000-02-29 00:00");
    }
}
