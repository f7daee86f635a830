//! A transcript played through the engine, line by line.

use std::sync::Arc;

use rulebooks::Book;
use rules::{Clause, Outcome, Spot};
use table::{Act, Command, Deed, Event, Fact, Options, Posting, Refusal, Table};
use tournament::Tournament;

use crate::language::{Expectation, Line, Unreadable, read};
use crate::tell::tell;

/// What became of one line.
#[derive(Clone, Debug)]
pub struct Ruled {
    /// The line's number, from 1.
    pub line: usize,
    /// The line as it stands.
    pub text: String,
    /// What happened, each with its clauses.
    pub rulings: Vec<Ruling>,
    /// Why it was refused, if it was.
    pub refusal: Option<Refusal>,
    /// Whether the line did something, or only expected.
    pub is_act: bool,
    /// Said of the line itself: an option dropped, for instance.
    pub notes: Vec<String>,
    /// An expectation that does not hold: what was wanted, and what was got.
    pub failure: Option<String>,
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// In words.
    pub what: String,
    /// By which clauses.
    pub clauses: Vec<Clause>,
}

/// A line that nobody can read, or a book that cannot be had.
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

/// A transcript, played.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Every line that did or expected something.
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
    /// Whether every expectation held.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.lines.iter().all(|line| line.failure.is_none())
    }
}

/// Which book a transcript is played under.
pub trait Books {
    /// Loads a book, over a base if it is an amendment.
    ///
    /// # Errors
    ///
    /// With a message, when there is none.
    fn book(&self, name: &str, base: Option<&str>) -> Result<Arc<Book>, String>;
}

/// The books that come with Sabot, and folders.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shelf;

impl Books for Shelf {
    fn book(&self, name: &str, base: Option<&str>) -> Result<Arc<Book>, String> {
        rulebooks::load(name, base).map(Arc::new).map_err(|error| error.to_string())
    }
}

/// How a transcript is played.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// Where books come from.
    pub books: &'a dyn Books,
    /// Another book than the one the file opens under; expectations are then not checked.
    pub under: Option<&'a str>,
}

/// Plays a transcript with the books that come with Sabot.
///
/// # Errors
///
/// With every line that cannot be read.
pub fn play(text: &str) -> Result<Played, Vec<BadLine>> {
    Judge { books: &Shelf, under: None }.play(text)
}

impl Judge<'_> {
    /// Plays a transcript.
    ///
    /// # Errors
    ///
    /// With every line that cannot be read.
    pub fn play(&self, text: &str) -> Result<Played, Vec<BadLine>> {
        let text = text.trim_start_matches('\u{feff}');
        let (mut lines, mut unreadable) = (Vec::new(), Vec::new());
        for (i, source) in text.lines().enumerate() {
            match read(source) {
                Ok(Line::Empty) => {}
                Ok(parsed) => lines.push((i + 1, source, parsed)),
                Err(fault) => unreadable.push(bad(i + 1, &fault)),
            }
        }
        if !unreadable.is_empty() {
            return Err(unreadable);
        }
        let mut run = Run::default();
        for (line, source, parsed) in lines {
            run.unanswered_refusal(&parsed);
            let mut ruled = Ruled {
                line,
                text: source.trim().to_owned(),
                rulings: Vec::new(),
                refusal: None,
                is_act: !matches!(parsed, Line::Expect(_)),
                notes: Vec::new(),
                failure: None,
            };
            self.line(&mut run, parsed, &mut ruled, line).map_err(|fault| vec![fault])?;
            run.played.lines.push(ruled);
        }
        run.unanswered_refusal(&Line::Empty);
        if self.under.is_some() {
            for line in &mut run.played.lines {
                line.failure = None;
            }
        }
        Ok(run.played)
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
        run.event(tournament::Act::Open, ruled);
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
            Line::Open { book, base, options } => {
                let (name, base) = match self.under {
                    Some(under) => rulebooks::named(under),
                    None => (book.as_str(), base.as_deref()),
                };
                let loaded = self.books.book(name, base).map_err(|message| BadLine {
                    line,
                    column: 16,
                    message,
                })?;
                let mut options = *options;
                if self.under.is_some() {
                    drop_options(&mut options, &loaded, &mut ruled.notes);
                }
                run.table = Some(Table::new(Arc::new(loaded.rulebook.clone())));
                run.tournament = None;
                run.played.book = Some(loaded);
                run.act(Act::Open(options), ruled);
            }
            Line::Tournament { book, base } => {
                self.open_tournament(run, &book, base.as_deref(), ruled, line)?;
            }
            Line::Condition(text) => run.condition(&text),
            Line::Document => run.document(ruled),
            Line::Event(act) => run.event(*act, ruled),
            Line::Act(table, act) if run.tournament.is_some() => {
                run.event(tournament::Act::At(table, act), ruled);
            }
            Line::Act(_, act) => {
                if self.under.is_some()
                    && let Some(note) = run.dropped(&act)
                {
                    ruled.notes.push(note);
                    return Ok(());
                }
                run.act(*act, ruled);
            }
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

/// Microseconds of a day.
const DAY: u64 = 24 * 60 * 60 * 1_000_000;

fn bad(line: usize, fault: &Unreadable) -> BadLine {
    BadLine { line, column: fault.column, message: fault.to_string() }
}

/// Options that the other book does not have are dropped and said so.
fn drop_options(options: &mut Options, book: &Book, notes: &mut Vec<String>) {
    let rulebook = &book.rulebook;
    let id = rulebook.title.id;
    let mut note = |what: &str| notes.push(format!("{id} has no {what}; it is dropped"));
    if options.method == rules::Method::HalfOnSix && rulebook.half_on_six.is_none() {
        options.method = rules::Method::Commission;
        note("half-on-six method");
    }
    let kinds = (rulebook.perfect_pairs.is_some(), rulebook.canberra_pairs.is_some());
    let has = match options.pairs {
        Some(rules::PairsKind::Perfect) => kinds.0,
        Some(rules::PairsKind::Canberra) => kinds.1,
        None => true,
    };
    if !has {
        options.pairs = None;
        note("such Pairs");
    }
    if options.dragon && rulebook.dragon.is_none() {
        options.dragon = false;
        note("Dragon Bonus");
    }
    let decks = rulebook.cards.decks.value;
    if options.decks.is_some_and(|wanted| !decks.holds(wanted)) {
        options.decks = None;
        note("such number of decks");
    }
    let seats = rulebook.table.seats.value;
    if options.seats.is_some_and(|wanted| !seats.allow(wanted)) {
        options.seats = None;
        note("such number of places");
    }
    let layouts = rulebook.table.layouts.value.as_slice();
    if options.layout.is_some_and(|layout| !layouts.contains(&layout)) {
        options.layout = None;
        note("such form of table");
    }
    if options.face_down && rulebook.deal.face.value == rules::book::Face::UpUnlessAsked {
        options.face_down = false;
        note("dealing face down from the start");
    }
}

/// A transcript being played.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) table: Option<Table>,
    pub(crate) tournament: Option<Tournament>,
    /// The table of a tournament at which something happened last.
    pub(crate) at_table: Option<u32>,
    /// What the conditions say so far: key and value.
    pub(crate) conditions: Vec<(String, String)>,
    /// The events of the tournament under the last line that did something.
    pub(crate) last_events: Vec<tournament::Event>,
    /// The clauses that the last line that did something rests on.
    pub(crate) cited: Vec<Clause>,
    pub(crate) now: u64,
    pub(crate) played: Played,
    /// The events of the last line that did something.
    pub(crate) last: Vec<Event>,
    /// The events since the last coup began.
    pub(crate) coup: Vec<Event>,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) answered: bool,
    pub(crate) totals: Option<(u8, u8)>,
    pub(crate) result: Option<&'static str>,
}

impl Run {
    /// A refusal that the file did not expect fails it.
    fn unanswered_refusal(&mut self, next: &Line) {
        if matches!(next, Line::Expect(_)) && !matches!(next, Line::Expect(Expectation::Refused(_)))
        {
            // Other expectations may come first.
            return;
        }
        if matches!(next, Line::Expect(Expectation::Refused(_))) {
            return;
        }
        if let (Some(refusal), false) = (self.refusal.take(), self.answered) {
            let acted = self.played.lines.iter_mut().rev().find(|line| line.refusal.is_some());
            if let Some(line) = acted {
                let code = refusal.code.key();
                line.failure =
                    Some(format!("it was refused ({code}), and no `expect refused` follows"));
            }
        }
        self.answered = false;
    }

    /// Forgets the line before.
    pub(crate) fn begin(&mut self) {
        self.last.clear();
        self.last_events.clear();
        self.cited.clear();
        self.refusal = None;
        self.answered = false;
    }

    pub(crate) fn refuse(&mut self, refusal: Refusal, ruled: &mut Ruled) {
        let clauses = refusal.clause.iter().chain(&refusal.also);
        self.cited.extend(clauses.clone());
        self.played.cited.extend(clauses);
        self.played.codes.push(refusal.code);
        ruled.refusal = Some(refusal.clone());
        self.refusal = Some(refusal);
    }

    /// A moment of the day that the clock speaks of: without a date, that of the tournament.
    fn day(&self) -> u64 {
        let start = self.tournament.as_ref().and_then(|t| t.conditions()?.start);
        start.filter(|_| self.now < DAY).map_or(self.now, |start| start.0)
    }

    fn tick(&mut self, ruled: &mut Ruled) {
        if self.tournament.is_some() {
            self.event(tournament::Act::Tick, ruled);
        } else {
            self.act(Act::Tick, ruled);
        }
    }

    fn act(&mut self, act: Act, ruled: &mut Ruled) {
        self.begin();
        let Some(table) = &mut self.table else {
            ruled.failure = Some("the table is not open; begin with `operator opens …`".into());
            return;
        };
        match table.decide(&Command { at: self.now, act }) {
            Ok(events) => {
                for event in &events {
                    table.evolve(event);
                    let clauses = event.clauses.to_vec();
                    self.cited.extend(&clauses);
                    self.played.cited.extend(&clauses);
                    ruled.rulings.push(Ruling { what: tell(event, table), clauses });
                }
                self.note(&events);
                self.last = events;
            }
            Err(refusal) => self.refuse(refusal, ruled),
        }
        let sum = self.table.as_ref().map_or(0, Table::sum);
        if sum != 0 {
            ruled.failure = Some(format!("chips were created or lost: the accounts sum to {sum}"));
        }
    }

    pub(crate) fn note(&mut self, events: &[Event]) {
        for event in events {
            match &event.fact {
                Fact::CoupBegan { .. } => {
                    self.coup.clear();
                    self.result = None;
                    self.totals = None;
                }
                Fact::Totals { player, banker } => self.totals = Some((*player, *banker)),
                Fact::Result(outcome) => {
                    self.result = Some(match outcome {
                        Outcome::Won(rules::Side::Player) => "player",
                        Outcome::Won(rules::Side::Banker) => "banker",
                        Outcome::Tie => "tie",
                    });
                }
                Fact::Voided { .. } => self.result = Some("void"),
                _ => {}
            }
            self.coup.push(event.clone());
            self.played.events.push(event.clone());
        }
    }

    /// A wager that the other book does not have is dropped.
    fn dropped(&self, act: &Act) -> Option<String> {
        let table = self.table.as_ref()?;
        let rulebook = &self.played.book.as_ref()?.rulebook;
        let missing = |spot: Spot| rulebook.offers(spot, table.terms()).err();
        let fault = match act {
            Act::Player(_, Deed::Bet(bet)) => missing(bet.spot),
            Act::Player(_, Deed::TakeBack(spot)) => missing(*spot),
            Act::Post(Posting::Limits(group, _)) => {
                let spot = Spot::ALL.iter().copied().find(|spot| spot.group() == *group)?;
                missing(spot)
            }
            _ => None,
        };
        fault.map(|fault| format!("{fault}; the line is dropped"))
    }
}
