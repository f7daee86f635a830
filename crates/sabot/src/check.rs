//! `sabot rules check`: all faults of the books that are named.

use rulebooks::LoadError;
use serde_json::{Value, json};

use rulebooks::named;

use crate::books::pretty;

/// What there is to say of each book, and whether all are sound.
pub(crate) fn check(folders: &[String], json: bool) -> (String, bool) {
    let mut text = String::new();
    let mut records = Vec::new();
    let mut good = true;
    for folder in folders {
        let (name, base) = named(folder);
        match rulebooks::load(name, base) {
            Ok(book) => {
                let (title, policies) = (book.rulebook.title.name(), book.rulebook.entries().len());
                let clauses = book.index.entries.len();
                text += &format!(
                    "{folder}: {title} is sound: {policies} policies, {clauses} clauses\n"
                );
                records.push(json!({ "book": folder, "sound": true, "sha256": book.sha256() }));
            }
            Err(LoadError::Faults(faults)) => {
                good = false;
                text += &format!("{}\n", LoadError::Faults(faults.clone()));
                text += &format!("{folder}: {} fault(s)\n", faults.len());
                let each = faults.iter().map(|fault| {
                    json!({
                        "file": &*fault.place.file,
                        "line": fault.place.line,
                        "column": fault.place.column,
                        "kind": fault.kind.code(),
                        "wrong": fault.wrong,
                        "right": fault.right,
                    })
                });
                let each: Value = each.collect();
                records.push(json!({ "book": folder, "sound": false, "faults": each }));
            }
            Err(error) => {
                good = false;
                text += &format!("{error}\n");
                records.push(json!({ "book": folder, "sound": false, "error": error.to_string() }));
            }
        }
    }
    (if json { pretty(&Value::Array(records)) } else { text }, good)
}
