//! `sabot rules clauses BOOK --coverage`: which clauses the engine cited while transcripts ran.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;
use rules::lies_within;
use serde_json::json;
use transcript::{Judge, Shelf};

use crate::books::{load, pretty};
use crate::judge::{collect, read};

/// What is covered, and whether all is.
pub(crate) fn run(name: &str, folder: &Path, json: bool) -> Result<(String, bool)> {
    let book = load(name)?;
    let id = book.rulebook.title.id;
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    let mut cited = BTreeSet::new();
    for file in &files {
        // A transcript that cannot be read covers nothing; `sabot judge` tells why.
        if let Ok(played) = (Judge { books: &Shelf, under: None }).play(&read(file)?) {
            let own = played.cited.iter().filter(|clause| clause.book() == id.as_str());
            cited.extend(own.map(|clause| clause.number().to_owned()));
        }
    }
    let carried: Vec<_> = book
        .index
        .entries
        .iter()
        .filter(|entry| entry.duty.is_carried_out() && !entry.tournament)
        .collect();
    let covered = |id: &str| cited.iter().any(|number| lies_within(number, id));
    let missing: Vec<_> = carried.iter().filter(|entry| !covered(&entry.id)).collect();
    if json {
        let record = json!({
            "book": id.as_str(),
            "clauses": carried.len(),
            "covered": carried.len() - missing.len(),
            "missing": missing.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(),
        });
        return Ok((pretty(&record), missing.is_empty()));
    }
    let mut text = String::new();
    for entry in &missing {
        text += &format!("  {:<14} {:<9} {}\n", entry.id, entry.duty, entry.gist);
    }
    let (total, done) = (carried.len(), carried.len() - missing.len());
    text += &format!("{id}: {done} of {total} enforced and recorded clauses are cited\n");
    Ok((text, missing.is_empty()))
}
