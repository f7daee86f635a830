//! `sabot judge`: transcripts played, every line with its ruling.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use rules::Clause;
use serde_json::{Value, json};
use transcript::{BadLine, Judge, Played, Ruled, Shelf};

use crate::books::pretty;
use crate::cli::JudgeArguments;
use crate::show::Style;

/// Exit codes: an expectation that does not hold, a line that cannot be read.
const FAILED: u8 = 1;
const UNREADABLE: u8 = 2;

/// Plays the files; gives what to print and the exit code.
pub(crate) fn run(arguments: &JudgeArguments, json: bool, style: Style) -> Result<(String, u8)> {
    if arguments.reference {
        return Ok((transcript::reference(), 0));
    }
    if arguments.refusals {
        return Ok((table::refusal_reference(), 0));
    }
    let mut files = Vec::new();
    for path in &arguments.files {
        collect(path, &mut files)?;
    }
    if files.is_empty() {
        bail!("there is no .coup file in what was named");
    }
    if !arguments.under.is_empty() {
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
            Err(fault) => {
                failed += 1;
                code = UNREADABLE;
                text += &format!("{name}:{fault}\n");
                records.push(fault_json(&name, &fault));
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
            text += &format!("      FAILED: {failure}\n");
        }
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
    let cited: Vec<_> = clauses.iter().map(ToString::to_string).collect();
    let cited = if cited.is_empty() { String::new() } else { format!(" [{}]", cited.join(", ")) };
    let mut text = format!("      · {what}{cited}\n");
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
                Err(fault) => return Ok((format!("{}:{fault}\n", file.display()), UNREADABLE)),
            };
            for line in &played.lines {
                let row = by_line
                    .entry(line.line)
                    .or_insert_with(|| (line.text.clone(), vec![Vec::new(); plays.len()]));
                row.1[column] = summary(line);
            }
        }
        text += &style.heading(&file.display().to_string());
        for (line, (source, columns)) in by_line {
            let differ = columns
                .iter()
                .any(|column| without_clauses(column) != without_clauses(&columns[0]));
            if !differ {
                continue;
            }
            text += &format!("{line:>4}  {source}\n");
            let mut record =
                json!({ "file": file.display().to_string(), "line": line, "text": source });
            for ((name, _), said) in plays.iter().zip(&columns) {
                text += &format!("      {name}\n");
                for what in said {
                    text += &style.wrapped(what, 10);
                }
                record[name] = json!(said);
            }
            records.push(record);
        }
        text += "\n";
    }
    if json {
        return Ok((pretty(&Value::Array(records)), 0));
    }
    Ok((text, 0))
}

/// What a line came to, in short lines.
fn summary(line: &Ruled) -> Vec<String> {
    let cited = |clauses: &[Clause]| {
        let clauses: Vec<_> = clauses.iter().map(ToString::to_string).collect();
        if clauses.is_empty() { String::new() } else { format!(" [{}]", clauses.join(", ")) }
    };
    let mut said: Vec<_> = line.notes.clone();
    said.extend(
        line.rulings.iter().map(|ruling| format!("{}{}", ruling.what, cited(&ruling.clauses))),
    );
    if let Some(refusal) = &line.refusal {
        said.push(format!("refused: {refusal}"));
    }
    said
}

/// The same without what stands in brackets: books differ in numbers even where they agree.
fn without_clauses(said: &[String]) -> Vec<String> {
    let bare = |text: &String| text.split(" [").next().unwrap_or("").to_owned();
    said.iter().map(bare).collect()
}
