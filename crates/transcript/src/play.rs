//! Plays a transcript through the engine, line by line.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rulebooks::Book;
use rules::{Balance, Clause, Outcome};
use table::{Act, By, Command, Event, Fact, Refusal, Role, Table};
use tournament::Tournament;

use crate::language::{Expectation, Line, Unreadable, read};
use crate::opening::said_twice;
use crate::tell::tell;
use crate::under::drop_options;

/// The result of one line.
#[derive(Clone, Debug, Default)]
pub struct Ruled {
    /// The line's number, from 1.
    pub line: usize,
    /// The line as it stands.
    pub text: String,
    /// What happened, each with its clauses.
    pub rulings: Vec<Ruling>,
    /// Why it was refused, if it was.
    pub refusal: Option<Refusal>,
    /// Whether the line did something; an expectation does not.
    pub is_act: bool,
    /// Notes on the line itself, for instance that an option was dropped.
    pub notes: Vec<String>,
    /// What was expected and what happened instead, if an expectation failed.
    pub failure: Option<String>,
    /// Why the line cannot be read, if it cannot.
    pub unreadable: Option<BadLine>,
}

impl Ruled {
    /// All text about the line, as it is printed: notes, rulings, and the refusal.
    #[must_use]
    pub fn said(&self) -> Vec<String> {
        let mut said = self.notes.clone();
        let rulings = self.rulings.iter();
        said.extend(rulings.map(|ruling| format!("{}{}", ruling.what, citation(&ruling.clauses))));
        said.extend(self.refusal.as_ref().map(|refusal| {
            let (code, what, instead) = (refusal.code.key(), &refusal.what, &refusal.instead);
            let clauses: Vec<_> = refusal.clause.iter().chain(&refusal.also).copied().collect();
            format!("refused ({code}): {what}; {instead}{}", citation(&clauses))
        }));
        said
    }
}

/// The clauses behind a ruling, the book named once: ` [act-2018 7.1, 7.3]`.
#[must_use]
pub fn citation(clauses: &[Clause]) -> String {
    let mut text = String::new();
    let mut book = "";
    for clause in clauses {
        text += if text.is_empty() { " [" } else { ", " };
        text +=
            &if clause.book() == book { clause.number().to_owned() } else { clause.to_string() };
        book = clause.book();
    }
    if text.is_empty() { text } else { text + "]" }
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// The event in words.
    pub what: String,
    /// The clauses that it rests on.
    pub clauses: Vec<Clause>,
    /// The event itself.
    pub event: RuledEvent,
}

/// An event that a line of a transcript brought.
#[derive(Clone, Debug)]
pub enum RuledEvent {
    /// At a table.
    AtTable(Box<Event>),
    /// In a tournament, at one of its tables too.
    InTournament(Box<tournament::Event>),
}

/// A line that cannot be read, or a book that cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// The line's number, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for BadLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// A transcript that was played.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Every line that was an act or an expectation.
    pub lines: Vec<Ruled>,
    /// The book of the last opening.
    pub book: Option<Arc<Book>>,
    /// Every clause that a ruling or a refusal cited.
    pub cited: Vec<Clause>,
    /// Every code of refusal that came up.
    pub codes: Vec<table::Code>,
    /// Every event at a table.
    pub events: Vec<Event>,
    /// Every event of a tournament.
    pub tournament: Vec<tournament::Event>,
}

impl Played {
    /// Whether something happened, every line was read, and every expectation held.
    #[must_use]
    pub fn passed(&self) -> bool {
        let fails = |line: &Ruled| line.failure.is_some() || line.unreadable.is_some();
        !self.is_empty() && !self.lines.iter().any(fails)
    }

    /// Whether no readable line is an act.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.lines.iter().any(|line| line.is_act && line.unreadable.is_none())
    }

    /// The lines that cannot be read.
    pub fn unreadable(&self) -> impl Iterator<Item = &BadLine> {
        self.lines.iter().filter_map(|line| line.unreadable.as_ref())
    }
}

/// A source of books for transcripts.
pub trait Books {
    /// Loads a book, over a base if it is an amendment.
    ///
    /// # Errors
    ///
    /// With a message, when there is no such book.
    fn book(&self, name: &str, base: Option<&str>) -> Result<Arc<Book>, String>;
}

/// The books that come with Sabot, and folders. Each is loaded once: many openings name the same.
#[derive(Debug, Default)]
pub struct Shelf(Mutex<BTreeMap<Opened, Arc<Book>>>);

/// Books that a shelf keeps at the most.
const MOST_BOOKS: usize = 64;

/// A book and its base, as an opening names them.
type Opened = (String, Option<String>);

impl Books for Shelf {
    fn book(&self, name: &str, base: Option<&str>) -> Result<Arc<Book>, String> {
        let mut books = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (name.to_owned(), base.map(str::to_owned));
        if let Some(book) = books.get(&key) {
            return Ok(book.clone());
        }
        let book = rulebooks::load(name, base).map(Arc::new).map_err(|error| error.to_string())?;
        // Sheets can be named in any order: who names many books costs time, and no memory.
        if books.len() >= MOST_BOOKS {
            books.clear();
        }
        books.insert(key, book.clone());
        Ok(book)
    }
}

/// Books as a file names them: a folder is looked for beside the file, and only then where the
/// program was started.
#[derive(Clone, Copy)]
pub struct Beside<'a> {
    /// The source of books.
    pub books: &'a dyn Books,
    /// The file.
    pub file: &'a Path,
}

impl Books for Beside<'_> {
    fn book(&self, name: &str, base: Option<&str>) -> Result<Arc<Book>, String> {
        let at = |name: &str| rulebooks::beside(self.file, name);
        self.books.book(&at(name), base.map(at).as_deref())
    }
}

/// The options for playing a transcript.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// The source of books.
    pub books: &'a dyn Books,
    /// A book to use in place of the one that the file opens under; expectations are then not
    /// checked.
    pub under: Option<&'a str>,
}

/// Plays a transcript with the books that come with Sabot.
///
/// # Errors
///
/// With every line that cannot be read.
pub fn play(text: &str) -> Result<Played, Vec<BadLine>> {
    Judge { books: &Shelf::default(), under: None }.play(text)
}

impl Judge<'_> {
    /// Plays a transcript whose every line must be readable.
    ///
    /// # Errors
    ///
    /// With every line that cannot be read.
    pub fn play(&self, text: &str) -> Result<Played, Vec<BadLine>> {
        let played = self.judge(text);
        let unreadable: Vec<_> = played.unreadable().cloned().collect();
        if unreadable.is_empty() { Ok(played) } else { Err(unreadable) }
    }

    /// Plays a transcript. A line that cannot be read is a fault of that line alone.
    #[must_use]
    pub fn judge(&self, text: &str) -> Played {
        let text = text.trim_start_matches('\u{feff}');
        let lines: Vec<_> = text
            .lines()
            .enumerate()
            .map(|(i, source)| (i + 1, source, read(source)))
            .filter(|(.., parsed)| *parsed != Ok(Line::Empty))
            .collect();
        let expects = lines.iter().any(|(_, source, parsed)| !is_act(source, parsed));
        let mut run = Run { expects, ..Run::default() };
        for (line, source, parsed) in lines {
            let (text, is_act) = (source.trim().to_owned(), is_act(source, &parsed));
            let mut ruled = Ruled { line, text, is_act, ..Ruled::default() };
            if is_act {
                run.unanswered_refusal();
            }
            let done = match parsed {
                Ok(parsed) => self.line(&mut run, parsed, &mut ruled, line),
                Err(fault) => Err(bad(line, &fault)),
            };
            if let Err(fault) = done {
                ruled.unreadable = Some(fault);
                if is_act {
                    run.begin();
                    run.lost = true;
                }
            }
            run.played.lines.push(ruled);
        }
        run.unanswered_refusal();
        if self.under.is_some() {
            for line in &mut run.played.lines {
                line.failure = None;
            }
        }
        run.played
    }

    fn open_tournament(
        &self,
        run: &mut Run,
        book: &str,
        base: Option<&str>,
        ruled: &mut Ruled,
        line: usize,
    ) -> Result<(), BadLine> {
        let (name, base) = self.under.map_or((book, base), rulebooks::named);
        let loaded = self.books.book(name, base);
        let loaded = loaded.map_err(|message| BadLine { line, column: 35, message })?;
        run.table = None;
        run.tournament = Some(Tournament::new(Arc::new(loaded.rulebook.clone())));
        run.conditions.clear();
        run.played.book = Some(loaded);
        run.event(By::role(Role::Operator), tournament::Act::Open, ruled);
        Ok(())
    }

    fn line(
        &self,
        run: &mut Run,
        parsed: Line,
        ruled: &mut Ruled,
        line: usize,
    ) -> Result<(), BadLine> {
        match parsed {
            Line::Empty => {}
            Line::Open { book, base, options, twice } => {
                let opening = (book.as_str(), base.as_deref());
                let (name, base) = self.under.map_or(opening, rulebooks::named);
                let loaded = self.with_sheets(name, base, &options);
                let loaded = loaded.map_err(|message| BadLine { line, column: 16, message })?;
                run.tournament = None;
                run.own = None;
                run.table = Some(Table::new(Arc::new(loaded.rulebook.clone())));
                run.played.book = Some(loaded.clone());
                if let Some(twice) = twice {
                    run.begin();
                    run.refuse(said_twice(&twice, &loaded.rulebook), ruled);
                    return Ok(());
                }
                let mut options = *options;
                if self.under.is_some() {
                    run.own = self.own_table(opening, &options);
                    drop_options(&mut options, &loaded, &mut ruled.notes);
                }
                run.act(By::role(Role::Operator), Act::Open(options), ruled);
            }
            Line::Tournament { book, base } => {
                self.open_tournament(run, &book, base.as_deref(), ruled, line)?;
            }
            Line::Condition(text) => run.condition(&text),
            Line::Document => run.document(ruled),
            Line::Event(by, act) => run.event(by, *act, ruled),
            Line::Act(table, by, act) if run.tournament.is_some() => {
                run.event(by, tournament::Act::At(table, act), ruled);
            }
            Line::Act(_, by, act) if self.under.is_some() => run.act_elsewhere(by, *act, ruled),
            Line::Act(_, by, act) => run.act(by, *act, ruled),
            Line::ClockAt(minutes) => {
                let day = run.day();
                let midnight = day - day % DAY;
                run.now = run.now.max(midnight + u64::try_from(minutes).unwrap_or(0) * 60_000_000);
                run.tick(ruled);
            }
            Line::ClockForward(minutes) => {
                run.now += u64::try_from(minutes).unwrap_or(0) * 60_000_000;
                run.tick(ruled);
            }
            Line::Day(moment) => {
                run.now = run.now.max(moment);
                run.tick(ruled);
            }
            Line::Expect(expectation) => {
                run.answered |= matches!(expectation, Expectation::Refused(_));
                if let Err(failure) = run.check(&expectation) {
                    ruled.failure = Some(failure);
                }
            }
        }
        Ok(())
    }
}

/// The microseconds of a day.
const DAY: u64 = 24 * 60 * 60 * 1_000_000;

fn bad(line: usize, fault: &Unreadable) -> BadLine {
    BadLine { line, column: fault.column, message: fault.to_string() }
}

/// Whether a line is an act; an expectation is not, even if it cannot be read.
fn is_act(source: &str, parsed: &Result<Line, Unreadable>) -> bool {
    match parsed {
        Ok(line) => !matches!(line, Line::Expect(_)),
        Err(_) => {
            source.split_whitespace().next().is_none_or(|word| !word.eq_ignore_ascii_case("expect"))
        }
    }
}

/// A transcript being played.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) table: Option<Table>,
    /// The table under the book that the file itself names, while another book judges.
    pub(crate) own: Option<Table>,
    /// Whether the file has expectations.
    expects: bool,
    /// Whether the last act could not be read.
    pub(crate) lost: bool,
    pub(crate) tournament: Option<Tournament>,
    /// The number of the tournament table where something happened last.
    pub(crate) at_table: Option<u32>,
    /// The conditions so far, as keys and values.
    pub(crate) conditions: Vec<(String, String)>,
    /// The tournament's events from the last act.
    pub(crate) last_events: Vec<tournament::Event>,
    /// The clauses that the last act rests on.
    pub(crate) cited: Vec<Clause>,
    pub(crate) now: u64,
    pub(crate) played: Played,
    /// The events of the last act.
    pub(crate) last: Vec<Event>,
    /// The events since the last coup began.
    pub(crate) coup: Vec<Event>,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) answered: bool,
    pub(crate) totals: Option<(u8, u8)>,
    pub(crate) result: Option<&'static str>,
}

impl Run {
    /// In a file with expectations, a refusal that is not expected is a failure.
    fn unanswered_refusal(&mut self) {
        if let (Some(refusal), false) = (self.refusal.take(), self.answered) {
            let acted = self.played.lines.iter_mut().rev().find(|line| line.refusal.is_some());
            if let Some(line) = acted.filter(|_| self.expects) {
                let code = refusal.code.key();
                line.failure =
                    Some(format!("it was refused ({code}), and no `expect refused` follows"));
            }
        }
        self.answered = false;
    }

    /// Clears the results of the previous line.
    pub(crate) fn begin(&mut self) {
        self.last.clear();
        self.last_events.clear();
        self.cited.clear();
        self.refusal = None;
        self.answered = false;
        self.lost = false;
    }

    /// Keeps what a ruling cites, clause by clause.
    pub(crate) fn cite(&mut self, clauses: &[Clause]) {
        self.cited.extend(clauses.iter().flat_map(|clause| clause.each()));
        self.played.cited.extend(clauses.iter().flat_map(|clause| clause.each()));
    }

    pub(crate) fn refuse(&mut self, refusal: Refusal, ruled: &mut Ruled) {
        let clauses = refusal.clause.iter().chain(&refusal.also).copied().collect::<Vec<_>>();
        self.cite(&clauses);
        self.played.codes.push(refusal.code);
        ruled.refusal = Some(refusal.clone());
        self.refusal = Some(refusal);
    }

    /// The day that the clock refers to: without a date, the day of the tournament.
    fn day(&self) -> u64 {
        let start = self.tournament.as_ref().and_then(|t| t.conditions()?.start);
        start.filter(|_| self.now < DAY).map_or(self.now, |start| start.0)
    }

    fn tick(&mut self, ruled: &mut Ruled) {
        if self.tournament.is_some() {
            self.event(By::role(Role::Clock), tournament::Act::Tick, ruled);
        } else {
            self.act(By::role(Role::Clock), Act::Tick, ruled);
        }
    }

    pub(crate) fn act(&mut self, by: By, act: Act, ruled: &mut Ruled) {
        self.begin();
        let Some(table) = &mut self.table else {
            ruled.failure = Some("the table is not open; begin with `operator opens …`".into());
            return;
        };
        match table.decide(&Command { at: self.now, by, act }) {
            Ok(events) => {
                for event in &events {
                    table.evolve(event);
                    let clauses = event.clauses.to_vec();
                    let what = tell(event, table);
                    let event = RuledEvent::AtTable(Box::new(event.clone()));
                    ruled.rulings.push(Ruling { what, clauses, event });
                }
                for event in &events {
                    self.cite(&event.clauses);
                }
                self.note(&events);
                self.last = events;
            }
            Err(refusal) => self.refuse(refusal, ruled),
        }
        let sum = self.table.as_ref().map_or(Balance::ZERO, |table| table.sum());
        if sum != Balance::ZERO {
            ruled.failure = Some(format!("chips were created or lost: the accounts sum to {sum}"));
        }
    }

    pub(crate) fn note(&mut self, events: &[Event]) {
        for event in events {
            // Only facts that an expectation can be about are noted.
            if let Fact::CoupBegan { .. } = event.fact {
                self.coup.clear();
                (self.result, self.totals) = (None, None);
            } else if let Fact::Totals { player, banker } = event.fact {
                self.totals = Some((player, banker));
            } else if let Fact::Result(outcome) = event.fact {
                self.result = Some(match outcome {
                    Outcome::Won(rules::Side::Player) => "player",
                    Outcome::Won(rules::Side::Banker) => "banker",
                    Outcome::Tie => "tie",
                });
            } else if let Fact::Voided { .. } = event.fact {
                self.result = Some("void");
            }
            self.coup.push(event.clone());
            self.played.events.push(event.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shelf_keeps_no_more_books_than_it_has_room_for() {
        let shelf = Shelf::default();
        let sheets = ["lucky-6", "dragon-7", "panda-8", "super-6", "big-small"];
        for first in 0..5 {
            for second in (0..5).filter(|second| *second != first) {
                for third in (0..5).filter(|third| ![first, second].contains(third)) {
                    let named = [first, second, third].map(|sheet| sheets[sheet]).join("+");
                    assert!(shelf.book(&format!("act-2018+{named}"), None).is_ok(), "{named}");
                    let other = shelf.book(&format!("act-2012+{named}"), None);
                    assert!(other.is_ok(), "{named}: {other:?}");
                }
            }
        }
        let kept = shelf.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        assert!((1..=MOST_BOOKS).contains(&kept), "{kept}");
    }
}
