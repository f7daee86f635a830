//! `sabot judge`: transcripts played, every line with its ruling.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rules::Clause;
use serde_json::{Value, json};
use transcript::{BadLine, Judge, Played, Ruled, Shelf};

use crate::books::{load, pretty};
use crate::cli::JudgeArguments;
use crate::show::Style;

/// Exit codes: an expectation that does not hold, a line that cannot be read.
const FAILED: u8 = 1;
const UNREADABLE: u8 = 2;

/// Plays the files; gives what to print and the exit code.
pub(crate) fn run(arguments: &JudgeArguments, json: bool, style: Style) -> Result<(String, u8)> {
    if arguments.reference {
        return Ok((reference(&transcript::reference(), json), 0));
    }
    if arguments.refusals {
        return Ok((reference(&table::refusal_reference(), json), 0));
    }
    let mut files = Vec::new();
    for path in &arguments.files {
        collect(path, &mut files)?;
    }
    if files.is_empty() {
        bail!("there is no .coup file in what was named");
    }
    if !arguments.under.is_empty() {
        for book in &arguments.under {
            load(book).context("--under")?;
        }
        return under(&files, &arguments.under, json, style);
    }
    let (mut text, mut records, mut code) = (String::new(), Vec::new(), 0);
    let (mut passed, mut failed) = (0, 0);
    for file in &files {
        let source = read(file)?;
        let name = file.display().to_string();
        match (Judge { books: &Shelf, under: None }).play(&source) {
            Ok(played) => {
                let good = played.passed();
                if good {
                    passed += 1;
                } else {
                    failed += 1;
                    code = code.max(FAILED);
                }
                records.extend(played.lines.iter().map(|line| line_json(&name, line)));
                if !arguments.quiet || !good {
                    text += &style.heading(&name);
                    text += &lines_text(&played, arguments.quiet, style);
                }
            }
            Err(faults) => {
                failed += 1;
                code = UNREADABLE;
                for fault in &faults {
                    text += &format!("{name}:{fault}\n");
                    records.push(fault_json(&name, fault));
                }
            }
        }
    }
    if json {
        return Ok((pretty(&Value::Array(records)), code));
    }
    if files.len() > 1 || arguments.quiet {
        text += &format!("{passed} passed, {failed} failed\n");
    }
    Ok((text, code))
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
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

/// Every line with its ruling below it; in a quiet report only what failed.
fn lines_text(played: &Played, quiet: bool, style: Style) -> String {
    let mut text = String::new();
    let mut explained = Vec::new();
    for line in &played.lines {
        if quiet && line.failure.is_none() {
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
            let clause: Vec<_> = refusal.clause.into_iter().collect();
            let what =
                format!("refused ({}): {}; {}", refusal.code.key(), refusal.what, refusal.instead);
            text += &ruling_text(played, &what, &clause, &mut explained, style);
        }
        if let Some(failure) = &line.failure {
            text += &style.item(&format!("FAILED: {failure}"), 6);
        }
    }
    let failed = played.lines.iter().filter(|line| line.failure.is_some()).count();
    if failed > 0 {
        text += &format!("{failed} of {} lines failed\n", played.lines.len());
    }
    text
}

/// The clauses behind a ruling, the book named once: ` [act-2018 7.1, 7.3]`.
fn cited(clauses: &[Clause]) -> String {
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

/// What happened and by which clauses; the gist of a clause is told when it first comes up.
fn ruling_text(
    played: &Played,
    what: &str,
    clauses: &[Clause],
    explained: &mut Vec<Clause>,
    style: Style,
) -> String {
    let mut text = style.item(&format!("{what}{}", cited(clauses)), 6);
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

fn fault_json(file: &str, fault: &BadLine) -> Value {
    json!({ "file": file, "line": fault.line, "column": fault.column, "unreadable": fault.message })
}

/// The same transcripts under several books, side by side where they rule differently.
fn under(files: &[PathBuf], books: &[String], json: bool, style: Style) -> Result<(String, u8)> {
    let (mut text, mut records) = (String::new(), Vec::new());
    for file in files {
        let source = read(file)?;
        let mut plays = vec![("as written".to_owned(), None)];
        plays.extend(books.iter().map(|book| (book.clone(), Some(book.as_str()))));
        let mut by_line: BTreeMap<usize, (String, Vec<Vec<String>>)> = BTreeMap::new();
        for (column, (_, book)) in plays.iter().enumerate() {
            let played = match (Judge { books: &Shelf, under: *book }).play(&source) {
                Ok(played) => played,
                Err(faults) if json => {
                    let name = file.display().to_string();
                    let each = faults.iter().map(|fault| fault_json(&name, fault));
                    return Ok((pretty(&each.collect()), UNREADABLE));
                }
                Err(faults) => {
                    let each = faults.iter().map(|fault| format!("{}:{fault}\n", file.display()));
                    return Ok((each.collect(), UNREADABLE));
                }
            };
            for line in &played.lines {
                let row = by_line
                    .entry(line.line)
                    .or_insert_with(|| (line.text.clone(), vec![Vec::new(); plays.len()]));
                row.1[column] = summary(line);
            }
        }
        text += &style.heading(&file.display().to_string());
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
            let mut record =
                json!({ "file": file.display().to_string(), "line": line, "text": source });
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
        return Ok((pretty(&Value::Array(records)), 0));
    }
    Ok((text, 0))
}

/// What a line came to, in short lines.
fn summary(line: &Ruled) -> Vec<String> {
    let mut said: Vec<_> = line.notes.clone();
    said.extend(
        line.rulings.iter().map(|ruling| format!("{}{}", ruling.what, cited(&ruling.clauses))),
    );
    if let Some(refusal) = &line.refusal {
        said.push(format!("refused: {refusal}"));
    }
    said
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
