//! The audit of a tournament's log: every act is judged again under the edition it was made under.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use shoe::{Digest, ShoeFact};
use store::{Body, Record, StoreError, TableShoe};
use table::{By, Code, Role};
use tournament::{Act, Command, Event, Fact, Tournament};

use crate::AuditError;
use crate::actors::{Name, Speaker, check};
use crate::edition::edition;
use crate::house::House;
use crate::shoes::{Moment, Shoes};
use crate::table::{Conclusion, Finding, ShoeFound};

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
    /// Shoes that the system dealt, each with its table.
    pub shoes: Vec<(u32, ShoeFound)>,
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
    name: Name,
    at: u64,
    pub(crate) book: Option<store::Book>,
    pub(crate) acted: Option<store::Acted<Act>>,
    setup: Option<store::Setup>,
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
            let (first, at) = (record.version, record.at);
            let name = Name { actor: record.actor.clone(), key: record.key.clone() };
            groups.push(Group { first, name, at, ..Group::default() });
        }
        let Some(group) = groups.last_mut() else { continue };
        match record.read()? {
            Body::Book(book) => group.book = Some(book),
            Body::Setup(setup) => group.setup = Some(setup),
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
            | Body::Act(_)
            | Body::Refused(_)
            | Body::Proposed(_)
            | Body::Account(_) => {}
        }
    }
    Ok(groups)
}

/// Who said what needs two people.
#[derive(Default)]
struct Pairs {
    /// One person runs the event.
    alone: bool,
    /// One for each person, with the latest coup at its table then.
    proposed: Vec<(store::Acted<Act>, u32)>,
    /// Who asked for the last correction at each table.
    correctors: BTreeMap<u32, String>,
}

impl Pairs {
    /// What needs a second person has one, who is another than the first.
    fn check(&mut self, group: &Group, before: Option<&Tournament>) -> Option<&'static str> {
        if let Some(setup) = &group.setup {
            self.alone = setup.alone;
        }
        let waits = |refused: &&store::RefusedAct<Act>| refused.refusal.code == Code::SecondPerson;
        if let Some(refused) = group.refused.as_ref().filter(waits) {
            let asked = refused.asked.clone();
            let latest = latest_coup(before, &asked.act);
            self.proposed.retain(|(first, _)| first.who != asked.who);
            self.proposed.push((asked, latest));
        }
        let acted = group.acted.as_ref()?;
        for event in &group.events {
            match (&event.fact, &acted.who) {
                (Fact::CorrectionAsked(asked), Some(who)) => {
                    self.correctors.insert(asked.table, who.clone());
                }
                (Fact::CorrectionConfirmed { table, .. }, Some(who))
                    if !self.alone && self.correctors.get(table) == Some(who) =>
                {
                    return Some("a correction was confirmed by the person who asked for it");
                }
                _ => {}
            }
        }
        let Act::At(_, act) = &acted.act else { return None };
        let events: Vec<_> = group.events.iter().filter_map(at_table).collect();
        let needed = !self.alone && acted.who.is_some() && table::needs_second(act, &events);
        if acted.second.is_none() {
            return needed.then_some("what was settled was taken back by one person alone");
        }
        let latest = latest_coup(before, &acted.act);
        let same = |(first, then): &(store::Acted<Act>, u32)| {
            let Act::At(_, one) = &first.act else { return false };
            first.who == acted.who && table::means_the_same((one, *then), (act, latest))
        };
        let first = self.proposed.iter().position(same);
        if let Some(first) = first {
            self.proposed.remove(first);
        }
        let confirmed = first.is_some() && acted.second != acted.who;
        (!confirmed).then_some("somebody is said to have confirmed what nobody proposed")
    }
}

/// The latest coup at the table that an act is about; the only one, if it names none.
fn latest_coup(event: Option<&Tournament>, act: &Act) -> u32 {
    let (Some(event), Act::At(number, _)) = (event, act) else { return 0 };
    let mut tables = event.sittings().filter(|sitting| sitting.is_live());
    let sitting = match number {
        Some(number) => event.sitting(*number),
        None => tables.next().filter(|_| tables.next().is_none()),
    };
    sitting.map_or(0, |sitting| sitting.table.latest_coup())
}

/// The records of a command have the actor that its act names.
fn wrong_actor(stream: &str, group: &Group) -> Option<String> {
    let refused = group.refused.as_ref().map(|refused| &refused.asked);
    let speaker = match group.acted.as_ref().or(refused) {
        Some(acted) => Speaker::of(acted),
        // Whoever opens an event does so under a key of theirs; logs of the first form have lines.
        None if group.facts.is_empty() => return None,
        None => Speaker::house(By::role(Role::Dealer)),
    };
    check((stream, group.first), &group.name, &speaker)
}

fn at_table(event: &Event) -> Option<table::Event> {
    let Fact::AtTable { event, .. } = &event.fact else { return None };
    Some(event.clone())
}

/// The shoes at the tables of a tournament.
struct EventShoes<'a> {
    stream: &'a str,
    house: &'a House,
    book: Option<Digest>,
    setup: Option<store::Setup>,
    tables: BTreeMap<u32, Shoes>,
    /// By commitment, so that none is used at two tables.
    commitments: HashSet<Digest>,
}

impl EventShoes<'_> {
    /// Checks one act, and gives what is wrong with it; the tournament is the one after the act.
    fn note(&mut self, group: &Group, after: Option<&Tournament>) -> Vec<Finding> {
        self.book = self.book.or_else(|| group.book.as_ref().map(|book| book.sha256));
        self.setup = self.setup.take().or_else(|| group.setup.clone());
        let (mut events, mut facts) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for event in &group.events {
            if let Fact::AtTable { table, event } = &event.fact {
                events.entry(*table).or_default().push(event.clone());
            }
        }
        for one in &group.facts {
            facts.entry(one.table).or_default().push(one.fact.clone());
        }
        let touched: BTreeSet<u32> = events.keys().chain(facts.keys()).copied().collect();
        let mut findings = Vec::new();
        for table in touched {
            let events = events.remove(&table).unwrap_or_default();
            let facts = facts.remove(&table).unwrap_or_default();
            let again = facts.iter().any(|fact| {
                matches!(fact, ShoeFact::Committed { commitment, .. }
                    if !self.commitments.insert(*commitment))
            });
            let act = match group.acted.as_ref().map(|acted| &acted.act) {
                Some(Act::At(_, act)) => Some(&**act),
                Some(_) | None => None,
            };
            let sitting = after.and_then(|event| event.sitting(table));
            let shoes = self.tables.entry(table).or_insert_with(|| {
                Shoes::of(&format!("{} table {table}", self.stream), self.stream, self.house)
            });
            if let Some(book) = self.book {
                shoes.bound_to(book);
            }
            if let Some(setup) = &self.setup {
                shoes.at_table_of(setup);
            }
            shoes.note(Moment {
                first: group.first,
                at: group.at,
                acted: group.acted.is_some(),
                act,
                events: &events,
                facts: &facts,
                table: sitting.zip(after).map(|(at, event)| (&at.table, event.table_book())),
                through: after.is_some_and(|event| event.is_through(table)),
            });
            if again {
                let what = "a commitment that was used at another table".into();
                shoes.findings.push(Finding { version: group.first, what });
            }
            findings.extend(of_table(table, &mut shoes.findings));
        }
        findings
    }

    /// What is wrong at the end, and all shoes.
    fn finish(self, after: Option<&Tournament>) -> (Vec<(u32, ShoeFound)>, Vec<Finding>) {
        let (mut found, mut findings) = (Vec::new(), Vec::new());
        for (table, mut shoes) in self.tables {
            let sitting = after.and_then(|event| event.sitting(table));
            let state = sitting.zip(after).map(|(at, event)| (&at.table, event.table_book()));
            shoes.finish(state, after.is_some_and(|event| event.is_through(table)));
            findings.extend(of_table(table, &mut shoes.findings));
            found.extend(shoes.found.into_iter().map(|shoe| (table, shoe)));
        }
        (found, findings)
    }
}

fn of_table(table: u32, findings: &mut Vec<Finding>) -> impl Iterator<Item = Finding> {
    std::mem::take(findings).into_iter().map(move |Finding { version, what }| Finding {
        version,
        what: format!("table {table}: {what}"),
    })
}

/// Checks a tournament's stream: that every ruling follows from its act under the book, and that
/// every card came from the shoe. The house's own records are not at hand.
///
/// # Errors
///
/// When a record cannot be read.
pub fn audit_tournament(
    records: &[Record],
    files: Option<&str>,
) -> Result<TournamentAudit, StoreError> {
    audit_tournament_in(records, files, &House::default())
}

/// Checks a tournament's stream as [`audit_tournament`] does, against the house's own records too.
///
/// # Errors
///
/// When a record cannot be read.
pub fn audit_tournament_in(
    records: &[Record],
    files: Option<&str>,
    house: &House,
) -> Result<TournamentAudit, StoreError> {
    let mut found = TournamentAudit { records: records.len(), ..TournamentAudit::default() };
    let mut judge: Option<Tournament> = None;
    let mut begun = false;
    let stream = records.first().map_or("", |record| record.stream.as_str());
    let (tables, commitments) = (BTreeMap::new(), HashSet::new());
    let mut shoes = EventShoes { stream, house, book: None, setup: None, tables, commitments };
    let mut pairs = Pairs::default();
    for group in groups(records)? {
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
        if let Some(what) = pairs.check(&group, judge.as_ref()) {
            find(what.into());
        }
        if let Some(what) = wrong_actor(stream, &group) {
            find(what);
        }
        if group.refused.is_some() && !group.events.is_empty() {
            find("an act that was refused has consequences".into());
        }
        if let Some(judged) = &mut judge {
            found.refused += usize::from(group.refused.is_some());
            found.acts += usize::from(group.acted.is_some());
            if let Err(what) = judge_group(judged, &group) {
                find(what);
                if group.acted.is_some() {
                    judge = None;
                }
            }
        }
        found.findings.extend(shoes.note(&group, judge.as_ref()));
    }
    if !begun {
        let what = "there is no tournament in this log".into();
        found.findings.push(Finding { version: 0, what });
    }
    let (all, findings) = shoes.finish(judge.as_ref());
    found.shoes = all;
    found.findings.extend(findings);
    found.judged &= judge.is_some();
    if let Some(judge) = &judge {
        found.pool = (judge.pool().get(), judge.commission().get());
    }
    Ok(found)
}

/// Judges what was asked again, and says what is wrong with what became of it.
fn judge_group(judged: &mut Tournament, group: &Group) -> Result<(), String> {
    if let Some(refused) = &group.refused {
        let (by, act) = (refused.asked.by, refused.asked.act.clone());
        let ruled = judged.decide(&Command { at: group.at, by, act });
        if refused.by_the_book && ruled.err().as_ref() != Some(&refused.refusal) {
            return Err("an act that was refused is judged otherwise under the book".into());
        }
    }
    let Some(acted) = &group.acted else { return Ok(()) };
    let command = Command { at: group.at, by: acted.by, act: acted.act.clone() };
    let fault = match judged.act(&command) {
        Ok(events) if events == group.events => return Ok(()),
        Ok(_) => "has other consequences under the book".to_owned(),
        Err(refusal) => format!("is refused under the book: {refusal}"),
    };
    let line = acted.line.as_deref().unwrap_or("an act without words");
    Err(format!("`{line}` {fault}; what follows cannot be judged"))
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
