//! `sabot rules diff`: what changed between two books.

use anyhow::Result;
use rulebooks::{Book, Difference, differences};
use rules::Rulebook;
use rules::policy::Entry;
use serde_json::{Value, json};

use crate::books::{entry_json, load, pretty, said, short};
use crate::show::{Format, Style, lines, plain, quiet, strong};

pub(crate) fn diff(before: &str, after: &str, format: Format, style: Style) -> Result<String> {
    let (before, after) = (load(before)?, load(after)?);
    let found = differences(&before.rulebook, &after.rulebook);
    let names = [before.rulebook.title.name(), after.rulebook.title.name()];
    if format.is_json() {
        let each = |difference: &Difference| {
            json!({
                "policy": difference.spec.path,
                "about": difference.spec.label(),
                "before": difference.before.as_ref().map(entry_json),
                "after": difference.after.as_ref().map(entry_json),
            })
        };
        let list: Value = found.iter().map(each).collect();
        return Ok(pretty(&json!({ "before": names[0], "after": names[1], "differences": list })));
    }
    if found.is_empty() {
        return Ok(format!("{} and {} say the same\n", names[0], names[1]));
    }
    let side = |book: &Book, entry: Option<&Entry>| match entry {
        None => quiet("silent"),
        Some(entry) => plain(format!("{} [{}]", said(entry), short(&book.rulebook, entry.clause))),
    };
    let mut text = String::new();
    for section in Rulebook::SECTIONS {
        let mut table = style.table();
        for difference in found.iter().filter(|d| d.section.path == section.path) {
            table.add_row([
                plain(difference.spec.label()),
                side(&before, difference.before.as_ref()),
                side(&after, difference.after.as_ref()),
            ]);
        }
        if !table.is_empty() {
            table.set_header([strong(section.title.trim()), strong(&names[0]), strong(&names[1])]);
            text += &lines(&mut table, &[34, 33, 33]);
            text += "\n";
        }
    }
    let moved = moved(&before.rulebook, &after.rulebook);
    if moved > 0 {
        text += &format!("{moved} policies say the same under another clause\n");
    }
    let differences = if found.len() == 1 { "difference" } else { "differences" };
    Ok(text + &format!("{} {differences}\n", found.len()))
}

/// How many policies two books agree on, by clauses of other numbers or books.
fn moved(before: &Rulebook, after: &Rulebook) -> usize {
    let after = after.entries();
    let same = |old: &Entry, new: &Entry| old.spec.path == new.spec.path && old.datum == new.datum;
    let number = |entry: &Entry| entry.clause.number();
    let before = before.entries();
    let pairs =
        before.iter().filter_map(|old| Some((old, after.iter().find(|new| same(old, new))?)));
    pairs.filter(|(old, new)| number(old) != number(new)).count()
}
