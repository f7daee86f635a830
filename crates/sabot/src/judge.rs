//! `sabot judge`: transcripts played, every line with its ruling.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use rulebooks::Book;
use rules::Clause;
use serde_json::{Value, json};
use table::State;
use tournament::Tournament;
use transcript::{Beside, Judge, Played, Ruled, RuledEvent, Ruling, Shelf, citation};
use view::{Eyes, event_view, refusal_view, tournament_event_view};

use crate::DOES_NOT_HOLD;
use crate::books::{load, pretty};
use crate::cli::JudgeArguments;
use crate::show::{Format, Style};

/// Plays the files; gives what to print and the exit code.
pub(crate) fn run(
    arguments: &JudgeArguments,
    format: Format,
    style: Style,
) -> Result<(String, u8)> {
    if arguments.reference {
        return Ok((reference(&transcript::reference(), format), 0));
    }
    if arguments.refusals {
        return Ok((reference(&table::refusal_reference(), format), 0));
    }
    if arguments.index {
        return Ok((reference(&crate::index::page(), format), 0));
    }
    let files = named(arguments)?;
    if !arguments.under.is_empty() {
        return Ok(under(&files, &arguments.under, format, style));
    }
    let (mut text, mut records) = (String::new(), Vec::new());
    let (mut passed, mut failed, shelf) = (0, 0, Shelf::default());
    for (name, source) in &files {
        let source = match source {
            Ok(source) => source,
            Err(fault) => {
                failed += 1;
                text += &format!("{name}: {fault}\n");
                records.push(file_json(name, fault));
                continue;
            }
        };
        let books = Beside { books: &shelf, file: Path::new(name) };
        let played = Judge { books: &books, under: None }.judge(source);
        let good = played.passed();
        if good {
            passed += 1;
        } else {
            failed += 1;
        }
        let mut seen = Seen::of(&played);
        records.extend(played.lines.iter().map(|line| line_json(name, line, &seen.line(line))));
        records.extend(played.is_empty().then(|| file_json(name, EMPTY)));
        if !arguments.quiet || !good {
            text += &style.heading(name);
            text += &lines_text(name, &played, arguments.quiet, style);
        }
    }
    let code = if failed > 0 { DOES_NOT_HOLD } else { 0 };
    if format.is_json() {
        return Ok((pretty(&Value::Array(records)), code));
    }
    if files.len() > 1 || arguments.quiet {
        text += &format!("{passed} passed, {failed} failed\n");
    }
    Ok((text, code))
}

/// What is wrong with a transcript that says nothing.
const EMPTY: &str = "the transcript is empty: no line of it says what happened";

/// A transcript's name, and its text, or why it is none.
type Named = (String, Result<String, String>);

/// The transcripts that were named; `-` is what comes through the pipe.
fn named(arguments: &JudgeArguments) -> Result<Vec<Named>> {
    let mut files = Vec::new();
    for path in &arguments.files {
        collect(path, &mut files)?;
    }
    if files.is_empty() {
        bail!("there is no .coup file in what was named");
    }
    for book in &arguments.under {
        load(book).context("--under")?;
    }
    let name = |file: &PathBuf| file.display().to_string();
    files.iter().map(|file| Ok((name(file), as_text(bytes(file)?)))).collect()
}

fn reference(text: &str, format: Format) -> String {
    if format.is_json() { crate::json::document("reference", text) } else { text.to_owned() }
}

/// The transcripts that a path names: itself, or all in a folder.
pub(crate) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if path.is_dir() {
        let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
        let mut inside: Vec<_> = entries.collect::<std::io::Result<_>>()?;
        inside.sort_by_key(std::fs::DirEntry::path);
        for entry in inside {
            let path = entry.path();
            if path.is_dir() || path.extension().is_some_and(|extension| extension == "coup") {
                collect(&path, files)?;
            }
        }
        return Ok(());
    }
    files.push(path.to_owned());
    Ok(())
}

pub(crate) fn read(file: &Path) -> Result<String> {
    as_text(bytes(file)?).map_err(|fault| anyhow!("{}: {fault}", file.display()))
}

fn bytes(file: &Path) -> Result<Vec<u8>> {
    if file == Path::new("-") {
        let mut piped = Vec::new();
        std::io::stdin().read_to_end(&mut piped).context("cannot read what is piped in")?;
        return Ok(piped);
    }
    fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

/// The text of a file; one in another encoding is at fault itself, and hides no other.
fn as_text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|fault| {
        let good = fault.utf8_error().valid_up_to();
        let line = fault.as_bytes()[..good].split(|byte| *byte == b'\n').count();
        format!("line {line} is not UTF-8 text; save the file as UTF-8")
    })
}

/// Every line with its ruling below it; in a quiet report only what failed.
fn lines_text(name: &str, played: &Played, quiet: bool, style: Style) -> String {
    let mut text = String::new();
    let mut explained = Vec::new();
    for line in &played.lines {
        if quiet && line.failure.is_none() && line.unreadable.is_none() {
            continue;
        }
        text += &format!("{:>4}  {}\n", line.line, line.text);
        for note in &line.notes {
            text += &format!("      – {note}\n");
        }
        if !quiet {
            for ruling in &line.rulings {
                let clauses = &ruling.clauses;
                text += &ruling_text(played, &ruling.what, clauses, &mut explained, style);
            }
        }
        if let Some(refusal) = &line.refusal {
            let clause: Vec<_> = refusal.clause.iter().chain(&refusal.also).copied().collect();
            let what =
                format!("refused ({}): {}; {}", refusal.code.key(), refusal.what, refusal.instead);
            text += &ruling_text(played, &what, &clause, &mut explained, style);
        }
        if let Some(failure) = &line.failure {
            text += &style.item(&format!("FAILED: {failure}"), 6);
        }
        if let Some(fault) = &line.unreadable {
            text += &format!("{name}:{fault}\n");
        }
    }
    if played.is_empty() {
        text += &format!("{name}: {EMPTY}\n");
    }
    let fails = |line: &&Ruled| line.failure.is_some() || line.unreadable.is_some();
    let failed = played.lines.iter().filter(fails).count();
    if failed > 0 {
        text += &format!("{failed} of {} lines failed\n", played.lines.len());
    }
    text
}

/// What happened and by which clauses; the gist of a clause is told when it first comes up.
fn ruling_text(
    played: &Played,
    what: &str,
    clauses: &[Clause],
    explained: &mut Vec<Clause>,
    style: Style,
) -> String {
    let mut text = style.item(&format!("{what}{}", citation(clauses)), 6);
    for clause in clauses.iter().flat_map(|clause| clause.each()) {
        if explained.contains(&clause) {
            continue;
        }
        explained.push(clause);
        if let Some(entry) = played.book.as_ref().and_then(|book| book.clause(&clause)) {
            text += &style.wrapped(&format!("{}: {}", clause.number(), entry.gist), 10);
        }
    }
    text
}

/// What happened, followed line by line, so that every event is told with the table or tournament
/// after it, in the form that all programs of Sabot have.
struct Seen {
    table: State,
    tournament: Option<Tournament>,
    book: Option<Arc<Book>>,
}

impl Seen {
    fn of(played: &Played) -> Self {
        Self { table: State::default(), tournament: None, book: played.book.clone() }
    }

    /// The rulings of the next line.
    fn line(&mut self, line: &Ruled) -> Vec<Value> {
        line.rulings.iter().map(|ruling| self.ruling(ruling)).collect()
    }

    fn ruling(&mut self, ruling: &Ruling) -> Value {
        let eyes = Eyes::Auditor;
        let view = match &ruling.event {
            RuledEvent::AtTable(event) => {
                if let table::Fact::Opened(_) = event.fact {
                    self.table = State::default();
                }
                self.table.evolve(event);
                event_view(&eyes, &self.table, event).map(|view| json!(view))
            }
            RuledEvent::InTournament(event) => {
                if let (tournament::Fact::Opened { .. }, Some(book)) = (&event.fact, &self.book) {
                    self.tournament = Some(Tournament::new(Arc::new(book.rulebook.clone())));
                }
                self.tournament.as_mut().and_then(|tournament| {
                    tournament.evolve(event);
                    let view = tournament_event_view(&eyes, tournament, event);
                    view.map(|view| json!(view))
                })
            }
        };
        view.expect("an auditor sees every event")
    }
}

fn line_json(file: &str, line: &Ruled, rulings: &[Value]) -> Value {
    json!({
        "file": file,
        "line": line.line,
        "text": line.text,
        "rulings": rulings,
        "refusal": line.refusal.as_ref().map(refusal_view),
        "notes": line.notes,
        "failure": line.failure,
        "column": line.unreadable.as_ref().map(|fault| fault.column),
        "unreadable": line.unreadable.as_ref().map(|fault| &fault.message),
    })
}

/// What is wrong with a whole file, in the fields of a line.
fn file_json(file: &str, fault: &str) -> Value {
    json!({
        "file": file, "line": null, "text": null, "rulings": [], "refusal": null, "notes": [],
        "failure": fault, "column": null, "unreadable": null,
    })
}

/// All that a book says of a line, as it is printed and as a record. The record is in the order of
/// the text: notes, rulings, the refusal.
#[derive(Default)]
struct Column {
    said: Vec<String>,
    notes: usize,
    rulings: Vec<Value>,
    refusal: Option<Value>,
}

impl Column {
    fn of(line: &Ruled, rulings: Vec<Value>) -> Self {
        Self {
            said: line.said(),
            notes: line.notes.len(),
            rulings,
            refusal: line.refusal.as_ref().map(|refusal| json!(refusal_view(refusal))),
        }
    }

    /// What it says that others do not, in the fields of a line.
    fn record(&self, book: &str, own: &[String]) -> Value {
        let is_own = |at: usize| self.said.get(at).is_some_and(|said| own.contains(said));
        let notes: Vec<_> =
            (0..self.notes).filter(|at| is_own(*at)).map(|at| &self.said[at]).collect();
        let rulings = (self.notes..).zip(&self.rulings).filter(|(at, _)| is_own(*at));
        let rulings: Vec<_> = rulings.map(|(_, ruling)| ruling).collect();
        let refusal = self.refusal.as_ref().filter(|_| is_own(self.said.len() - 1));
        json!({ "book": book, "rulings": rulings, "refusal": refusal, "notes": notes })
    }
}

/// The same transcripts under several books, side by side where they rule differently.
fn under(files: &[Named], books: &[String], format: Format, style: Style) -> (String, u8) {
    let mut plays = vec![("as written", None)];
    plays.extend(books.iter().map(|book| (book.as_str(), Some(book.as_str()))));
    let mut compared = Compared {
        plays,
        shelf: Shelf::default(),
        text: String::new(),
        records: Vec::new(),
        code: 0,
    };
    for (file, source) in files {
        compared.text += &style.heading(file);
        match source {
            Ok(source) => compared.file(file, source, style),
            Err(fault) => {
                compared.wrong(&format!("{file}: {fault}\n\n"), file_json(file, fault));
            }
        }
    }
    let text =
        if format.is_json() { pretty(&Value::Array(compared.records)) } else { compared.text };
    (text, compared.code)
}

/// Transcripts under several books, as far as they are compared.
struct Compared<'a> {
    /// The plays: what each is called, and its book unless it is the transcript's own.
    plays: Vec<(&'a str, Option<&'a str>)>,
    shelf: Shelf,
    text: String,
    records: Vec<Value>,
    code: u8,
}

/// The lines of a transcript, each with what the plays say of it.
type Lines = BTreeMap<usize, (String, Vec<Column>)>;

impl Compared<'_> {
    /// Something does not hold.
    fn wrong(&mut self, told: &str, record: Value) {
        self.code = DOES_NOT_HOLD;
        self.text += told;
        self.records.push(record);
    }

    /// Plays a transcript under each book.
    fn play(&mut self, file: &str, source: &str) -> Lines {
        let mut lines = Lines::new();
        for column in 0..self.plays.len() {
            let books = Beside { books: &self.shelf, file: Path::new(file) };
            let played = Judge { books: &books, under: self.plays[column].1 }.judge(source);
            if column == 0 {
                for line in &played.lines {
                    if let Some(fault) = &line.unreadable {
                        self.wrong(&format!("{file}:{fault}\n"), line_json(file, line, &[]));
                    }
                }
                if played.is_empty() {
                    self.wrong(&format!("{file}: {EMPTY}\n"), file_json(file, EMPTY));
                }
            }
            let mut seen = Seen::of(&played);
            for line in &played.lines {
                let nothing = || self.plays.iter().map(|_| Column::default()).collect();
                let row = lines.entry(line.line).or_insert_with(|| (line.text.clone(), nothing()));
                row.1[column] = Column::of(line, seen.line(line));
            }
        }
        lines
    }

    /// Tells where the plays of a transcript differ.
    fn file(&mut self, file: &str, source: &str, style: Style) {
        let mut differing = 0;
        for (line, (source, columns)) in self.play(file, source) {
            let own = own_rulings(&columns);
            let noted = columns.iter().any(|column| column.said.iter().any(|what| is_note(what)));
            let opens = source.contains(" opens ") && !noted;
            if opens || own.iter().all(Vec::is_empty) {
                continue;
            }
            differing += 1;
            self.text += &format!("{line:>4}  {source}\n");
            let mut books = Vec::new();
            for (((name, _), said), column) in self.plays.iter().zip(&own).zip(&columns) {
                let nothing = if said.is_empty() { ": nothing else" } else { "" };
                self.text += &format!("      {name}{nothing}\n");
                for what in said {
                    self.text += &style.wrapped(what, 10);
                }
                books.push(column.record(name, said));
            }
            let record = json!({ "file": file, "line": line, "text": source, "books": books });
            self.records.push(record);
        }
        self.text += &match differing {
            0 => "no book rules differently\n\n".to_owned(),
            1 => "1 line is ruled differently\n\n".to_owned(),
            lines => format!("{lines} lines are ruled differently\n\n"),
        };
    }
}

/// A note about something that was dropped.
fn is_note(said: &str) -> bool {
    said.ends_with("dropped")
}

/// For each book what it rules on a line and not all others do. What stands in brackets does not
/// count: books differ in numbers even where they agree.
fn own_rulings(columns: &[Column]) -> Vec<Vec<String>> {
    let bare = |text: &str| text.split(" [").next().unwrap_or("").to_owned();
    let everywhere =
        |what: &str| columns.iter().all(|c| c.said.iter().any(|other| bare(other) == bare(what)));
    let own = |c: &Column| c.said.iter().filter(|what| !everywhere(what)).cloned().collect();
    columns.iter().map(own).collect()
}
