//! `sabot rules diff`: what changed between two books.

use anyhow::Result;
use rulebooks::{Book, Difference, differences};
use rules::Rulebook;
use rules::policy::Answer;
use serde_json::{Value, json};

use crate::books::{answer_json, load, pretty, said, short};
use crate::show::{Format, Style, count, lines, plain, quiet, strong};

pub(crate) fn diff(before: &str, after: &str, format: Format, style: Style) -> Result<String> {
    let (before, after) = (load(before)?, load(after)?);
    let found = differences(&before.rulebook, &after.rulebook);
    let names = [before.rulebook.title.name(), after.rulebook.title.name()];
    let moved = moved(&before.rulebook, &after.rulebook);
    if format.is_json() {
        let each = |difference: &Difference| {
            json!({
                "kind": kind(difference),
                "path": difference.spec.path,
                "about": difference.spec.label(),
                "before": difference.before.as_ref().map(answer_json),
                "after": difference.after.as_ref().map(answer_json),
            })
        };
        let list: Value = found.iter().map(each).collect();
        let [before, after] = &names;
        return Ok(pretty(&json!({
            "before": before, "after": after, "differences": list, "moved": moved,
        })));
    }
    let other_clauses = match moved {
        0 => String::new(),
        1 => "1 decision or ground is the same under another clause\n".to_owned(),
        _ => format!("{moved} decisions and grounds are the same under another clause\n"),
    };
    if found.is_empty() {
        let all = if moved == 0 { "" } else { ", by other clauses" };
        return Ok(format!("{} and {} say the same{all}\n{other_clauses}", names[0], names[1]));
    }
    let side = |book: &Book, difference: &Difference, answer: Option<&Answer>| match answer {
        None if difference.spec.is_ground() => quiet("silent"),
        None => quiet("none"),
        Some(answer) => plain(match answer.clause {
            Some(clause) => format!("{} [{}]", said(answer), short(&book.rulebook, clause)),
            None => said(answer),
        }),
    };
    let mut text = String::new();
    let mut sections: Vec<&str> = found.iter().map(|difference| difference.section).collect();
    sections.dedup();
    for section in sections {
        let mut table = style.table();
        for difference in found.iter().filter(|d| d.section == section) {
            table.add_row([
                plain(difference.spec.label()),
                side(&before, difference, difference.before.as_ref()),
                side(&after, difference, difference.after.as_ref()),
            ]);
        }
        if !table.is_empty() {
            table.set_header([strong(section), strong(&names[0]), strong(&names[1])]);
            text += &lines(&mut table, &[34, 33, 33]);
            text += "\n";
        }
    }
    text += &other_clauses;
    let grounds = found.iter().filter(|difference| difference.spec.is_ground()).count();
    let (decisions, grounds) = (count(found.len() - grounds, "decision"), count(grounds, "ground"));
    Ok(text + &format!("they differ on {decisions} and {grounds}\n"))
}

/// What kind of item a difference is about.
fn kind(difference: &Difference) -> &'static str {
    if difference.spec.is_ground() { "ground" } else { "decision" }
}

/// How many decisions and grounds two books agree on, by clauses of other numbers or books.
fn moved(before: &Rulebook, after: &Rulebook) -> usize {
    let after = after.answers();
    // The rows of a side bet have their clauses in them; its words have not.
    let rows = |answer: &Answer| answer.spec.path.starts_with("side_bet.");
    let same = |old: &Answer, new: &Answer| {
        let agree = if rows(old) { old.words == new.words } else { old.datum == new.datum };
        old.spec.path == new.spec.path && agree
    };
    let number = |answer: &Answer| answer.clause.map(|clause| clause.number());
    let before = before.answers();
    let pairs =
        before.iter().filter_map(|old| Some((old, after.iter().find(|new| same(old, new))?)));
    pairs.filter(|(old, new)| number(old) != number(new) || old.datum != new.datum).count()
}
