//! `sabot rules check`: all faults of the books that are named.
//!
//! What cannot be read at all is wrong use, not a fault of a book.

use rulebooks::{Fault, LoadError};
use serde_json::{Value, json};

use rulebooks::named;

use crate::books::{counts, pretty};
use crate::show::{Format, count};

/// What there is to say of each book.
pub(crate) struct Checked {
    pub(crate) text: String,
    /// All that could be read are sound.
    pub(crate) sound: bool,
    /// Why some could not be read.
    pub(crate) unread: Vec<String>,
}

pub(crate) fn check(folders: &[String], format: Format) -> Checked {
    let mut unread = Vec::new();
    let mut text = String::new();
    let mut records = Vec::new();
    let mut good = true;
    for folder in folders {
        let (name, base) = named(folder);
        match rulebooks::load(name, base) {
            Ok(book) => {
                let (title, (decisions, grounds)) = (book.rulebook.title.name(), counts(&book));
                let clauses = count(book.index.entries.len(), "clause");
                text += &format!(
                    "{folder}: {title} is sound: {decisions} decisions, {grounds} grounds, \
                     {clauses}{}\n",
                    to_do(&book)
                );
                for remark in &book.remarks {
                    text += &format!("{folder}: {remark}\n");
                }
                records.push(json!({
                    "book": folder, "sound": true, "sha256": book.sha256(), "remarks": book.remarks,
                }));
            }
            Err(LoadError::Faults(faults)) => {
                good = false;
                text += &by_steps(&faults);
                text += &format!("{folder}: {}\n", count(faults.len(), "fault"));
                let each = faults.iter().map(|fault| {
                    json!({
                        "file": &*fault.place.file,
                        "line": fault.place.line,
                        "column": fault.place.column,
                        "kind": fault.kind.code(),
                        "step": fault.kind.step().advice(),
                        "wrong": fault.wrong,
                        "right": fault.right,
                    })
                });
                let each: Value = each.collect();
                records.push(json!({ "book": folder, "sound": false, "faults": each }));
            }
            Err(
                error @ (LoadError::Unknown { .. }
                | LoadError::NoAmendment { .. }
                | LoadError::Sheets { .. }),
            ) => {
                unread.push(error.to_string());
            }
        }
    }
    let none = records.is_empty();
    let text = if format.is_json() && !none { pretty(&Value::Array(records)) } else { text };
    Checked { text, sound: good, unread }
}

/// The faults, under what to do first, next and last.
fn by_steps(faults: &[Fault]) -> String {
    let mut text = String::new();
    let steps = faults.chunk_by(|a, b| a.kind.step() == b.kind.step());
    for (nth, step) in steps.enumerate() {
        let order = if nth == 0 { "first" } else { "then" };
        text += &format!("{order}, {}:\n", step[0].kind.step().advice());
        for fault in step {
            text += &format!("  {fault}\n");
        }
    }
    text
}

/// How much of the source waits: clauses that are not carried out yet, and clauses not read.
fn to_do(book: &rulebooks::Book) -> String {
    let waiting = [(rulebooks::Duty::Open, "open"), (rulebooks::Duty::Unread, "not read")];
    let told = waiting.into_iter().filter_map(|(duty, words)| {
        let number = book.index.entries.iter().filter(|entry| entry.duty == duty).count();
        (number > 0).then(|| format!(", {number} {words}"))
    });
    told.collect()
}
