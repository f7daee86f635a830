//! `sabot judge`: transcripts played, every line with its ruling.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rules::Clause;
use serde_json::{Value, json};
use transcript::{BadLine, Judge, Played, Ruled, Shelf, citation};

use crate::DOES_NOT_HOLD;
use crate::books::{load, pretty};
use crate::cli::JudgeArguments;
use crate::show::Style;

/// Plays the files; gives what to print and the exit code.
pub(crate) fn run(arguments: &JudgeArguments, json: bool, style: Style) -> Result<(String, u8)> {
    if arguments.reference {
        return Ok((reference(&transcript::reference(), json), 0));
    }
    if arguments.refusals {
        return Ok((reference(&table::refusal_reference(), json), 0));
    }
    if arguments.index {
        return Ok((reference(&crate::index::page(), json), 0));
    }
    let files = named(arguments)?;
    if !arguments.under.is_empty() {
        return Ok(under(&files, &arguments.under, json, style));
    }
    let (mut text, mut records) = (String::new(), Vec::new());
    let (mut passed, mut failed) = (0, 0);
    for (name, source) in &files {
        let played = Judge { books: &Shelf, under: None }.judge(source);
        let good = played.passed();
        if good {
            passed += 1;
        } else {
            failed += 1;
        }
        records.extend(played.lines.iter().map(|line| line_json(name, line)));
        records.extend(played.is_empty().then(|| json!({ "file": name, "failure": EMPTY })));
        if !arguments.quiet || !good {
            text += &style.heading(name);
            text += &lines_text(name, &played, arguments.quiet, style);
        }
    }
    let code = if failed > 0 { DOES_NOT_HOLD } else { 0 };
    if json {
        return Ok((pretty(&Value::Array(records)), code));
    }
    if files.len() > 1 || arguments.quiet {
        text += &format!("{passed} passed, {failed} failed\n");
    }
    Ok((text, code))
}

/// What is wrong with a transcript that says nothing.
const EMPTY: &str = "the transcript is empty: no line of it says what happened";

/// The transcripts that were named, by name and text; `-` is what comes through the pipe.
fn named(arguments: &JudgeArguments) -> Result<Vec<(String, String)>> {
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
    files.iter().map(|file| Ok((file.display().to_string(), read(file)?))).collect()
}

fn reference(text: &str, json: bool) -> String {
    if json { crate::json::document("reference", text) } else { text.to_owned() }
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
    if file == Path::new("-") {
        return std::io::read_to_string(std::io::stdin()).context("cannot read what is piped in");
    }
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
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
    for clause in clauses {
        if explained.contains(clause) {
            continue;
        }
        explained.push(*clause);
        if let Some(entry) = played.book.as_ref().and_then(|book| book.clause(clause)) {
            text += &style.wrapped(&format!("{}: {}", clause.number(), entry.gist), 10);
        }
    }
    text
}

fn line_json(file: &str, line: &Ruled) -> Value {
    if let Some(fault) = &line.unreadable {
        return fault_json(file, line, fault);
    }
    let rulings: Vec<_> = line
        .rulings
        .iter()
        .map(|ruling| {
            let clauses: Vec<_> = ruling.clauses.iter().map(ToString::to_string).collect();
            json!({ "what": ruling.what, "clauses": clauses })
        })
        .collect();
    let refusal = line.refusal.as_ref().map(|refusal| {
        json!({
            "code": refusal.code.key(),
            "clause": refusal.clause.map(|clause| clause.to_string()),
            "what": refusal.what,
            "instead": refusal.instead,
        })
    });
    json!({
        "file": file,
        "line": line.line,
        "text": line.text,
        "rulings": rulings,
        "refusal": refusal,
        "notes": line.notes,
        "failure": line.failure,
    })
}

fn fault_json(file: &str, line: &Ruled, fault: &BadLine) -> Value {
    json!({
        "file": file,
        "line": fault.line,
        "text": line.text,
        "column": fault.column,
        "unreadable": fault.message,
    })
}

/// The same transcripts under several books, side by side where they rule differently.
fn under(files: &[(String, String)], books: &[String], json: bool, style: Style) -> (String, u8) {
    let (mut text, mut records, mut code) = (String::new(), Vec::new(), 0);
    for (file, source) in files {
        let mut plays = vec![("as written".to_owned(), None)];
        plays.extend(books.iter().map(|book| (book.clone(), Some(book.as_str()))));
        text += &style.heading(file);
        let mut by_line: BTreeMap<usize, (String, Vec<Vec<String>>)> = BTreeMap::new();
        for (column, (_, book)) in plays.iter().enumerate() {
            let played = Judge { books: &Shelf, under: *book }.judge(source);
            let unread =
                played.lines.iter().filter_map(|line| Some((line, line.unreadable.as_ref()?)));
            for (line, fault) in unread.filter(|_| column == 0) {
                code = DOES_NOT_HOLD;
                text += &format!("{file}:{fault}\n");
                records.push(line_json(file, line));
            }
            if column == 0 && played.is_empty() {
                code = DOES_NOT_HOLD;
                text += &format!("{file}: {EMPTY}\n");
            }
            for line in &played.lines {
                let row = by_line
                    .entry(line.line)
                    .or_insert_with(|| (line.text.clone(), vec![Vec::new(); plays.len()]));
                row.1[column] = line.said();
            }
        }
        let mut differing = 0;
        for (line, (source, columns)) in by_line {
            let own = own_rulings(&columns);
            if source.contains(" opens ")
                && columns.iter().all(|said| !said.iter().any(|what| is_note(what)))
            {
                continue;
            }
            if own.iter().all(Vec::is_empty) {
                continue;
            }
            differing += 1;
            text += &format!("{line:>4}  {source}\n");
            let mut record = json!({ "file": file, "line": line, "text": source });
            let mut books = Vec::new();
            for ((name, _), said) in plays.iter().zip(&own) {
                let nothing = if said.is_empty() { ": nothing else" } else { "" };
                text += &format!("      {name}{nothing}\n");
                for what in said {
                    text += &style.wrapped(what, 10);
                }
                books.push(json!({ "book": name, "rulings": said }));
            }
            record["books"] = books.into();
            records.push(record);
        }
        text += &match differing {
            0 => "no book rules differently\n\n".to_owned(),
            1 => "1 line is ruled differently\n\n".to_owned(),
            lines => format!("{lines} lines are ruled differently\n\n"),
        };
    }
    if json {
        return (pretty(&Value::Array(records)), code);
    }
    (text, code)
}

/// A note about something that was dropped.
fn is_note(said: &str) -> bool {
    said.ends_with("dropped")
}

/// For each book what it rules on a line and not all others do. What stands in brackets does not
/// count: books differ in numbers even where they agree.
fn own_rulings(columns: &[Vec<String>]) -> Vec<Vec<String>> {
    let bare = |text: &str| text.split(" [").next().unwrap_or("").to_owned();
    let everywhere =
        |what: &str| columns.iter().all(|said| said.iter().any(|other| bare(other) == bare(what)));
    let own = |said: &Vec<String>| said.iter().filter(|what| !everywhere(what)).cloned().collect();
    columns.iter().map(own).collect()
}
