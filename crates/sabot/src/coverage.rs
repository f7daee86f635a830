//! `sabot rules clauses BOOK --coverage`: which clauses the engine cited while transcripts ran.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use rulebooks::ClauseEntry;
use rules::lies_within;
use serde_json::{Value, json};
use transcript::{Judge, Shelf};

use crate::books::{load, pretty};
use crate::judge::{collect, read};
use crate::show::Format;

/// What is covered, and whether all is; of one book, or of all that come with Sabot.
pub(crate) fn run(name: Option<&str>, folder: &Path, format: Format) -> Result<(String, bool)> {
    let names: Vec<&str> = match name {
        Some(name) => vec![name],
        None => rulebooks::ids(),
    };
    let covers: Vec<_> =
        names.into_iter().map(|name| Cover::of(name, folder)).collect::<Result<_>>()?;
    let whole = covers.iter().all(|cover| cover.missing.is_empty());
    if format.is_json() {
        return Ok((pretty(&covers.iter().map(Cover::json).collect()), whole));
    }
    Ok((covers.iter().map(Cover::text).collect(), whole))
}

/// How far the transcripts cover one book.
struct Cover {
    book: String,
    clauses: usize,
    missing: Vec<ClauseEntry>,
}

impl Cover {
    /// Plays the transcripts of a book: those in a folder of its name, or all that there are.
    fn of(name: &str, folder: &Path) -> Result<Self> {
        let book = load(name)?;
        let id = book.rulebook.title.id;
        let own = folder.join(id.as_str());
        let mut files = Vec::new();
        collect(if own.is_dir() { &own } else { folder }, &mut files)?;
        let (mut cited, shelf) = (BTreeSet::new(), Shelf::default());
        for file in &files {
            // A transcript that cannot be read covers nothing; `sabot judge` tells why.
            if let Ok(played) = (Judge { books: &shelf, under: None }).play(&read(file)?) {
                let own = played.cited.iter().filter(|clause| clause.book() == id.as_str());
                cited.extend(own.map(rules::Clause::number));
            }
        }
        let entries = book.index.entries.into_iter();
        let carried: Vec<_> = entries.filter(|entry| entry.duty.is_carried_out()).collect();
        let clauses = carried.len();
        let covered = |id: &str| cited.iter().any(|number| lies_within(number, id));
        let missing = carried.into_iter().filter(|entry| !covered(&entry.id)).collect();
        Ok(Self { book: id.to_string(), clauses, missing })
    }

    fn json(&self) -> Value {
        json!({
            "book": self.book,
            "clauses": self.clauses,
            "covered": self.clauses - self.missing.len(),
            "missing": self.missing.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for entry in &self.missing {
            text += &format!("  {:<14} {:<9} {}\n", entry.id, entry.duty, entry.gist);
        }
        let (all, done) = (self.clauses, self.clauses - self.missing.len());
        text + &format!("{}: {done} of {all} enforced and recorded clauses are cited\n", self.book)
    }
}
