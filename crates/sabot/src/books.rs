//! `sabot rules list`, `show` and `schema`: rulebooks as a person reads them.

use anyhow::{Result, bail};
use rulebooks::{Book, LoadError, value};
use rules::policy::Entry;
use rules::{Clause, Rulebook};
use serde_json::{Value, json};

use crate::cli::SchemaFile;
use crate::show::{Format, Style, clause, count, lines, plain, strong};

/// Loads a book by what was typed: an id, a folder, or `AMENDMENT@BASE`.
pub(crate) fn load(name: &str) -> Result<Book> {
    let (book, base) = rulebooks::named(name);
    match rulebooks::load(book, base) {
        Ok(book) => Ok(book),
        Err(LoadError::Faults(faults)) => {
            bail!("{name} has {}\n{}", count(faults.len(), "fault"), LoadError::Faults(faults))
        }
        Err(error) => bail!(error),
    }
}

/// JSON as a text of several lines.
pub(crate) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// A clause as it is shown under a book: with the book's name only where it is another's.
pub(crate) fn short(book: &Rulebook, clause: Clause) -> String {
    if clause.book() == book.title.id.as_str() && book.title.base.is_none() {
        clause.number().to_owned()
    } else {
        clause.to_string()
    }
}

pub(crate) fn list(format: Format, style: Style) -> Result<String> {
    let books: Vec<_> = rulebooks::ids().into_iter().map(load).collect::<Result<_>>()?;
    if format.is_json() {
        let each = |book: &Book| {
            let mut record = title_json(book);
            record["clauses"] = book.index.entries.len().into();
            record["policies"] = book.rulebook.entries().len().into();
            record
        };
        return Ok(pretty(&books.iter().map(each).collect()));
    }
    let mut table = style.table();
    table.set_header(["book", "game", "instrument", "clauses", "policies"].map(strong));
    for book in &books {
        let title = &book.rulebook.title;
        let game = match title.base {
            Some(base) => format!("{}, {} (amends {base})", title.game, title.jurisdiction),
            None => format!("{}, {}", title.game, title.jurisdiction),
        };
        table.add_row([
            strong(title.id),
            plain(game),
            plain(&title.instrument),
            plain(book.index.entries.len()),
            plain(book.rulebook.entries().len()),
        ]);
    }
    Ok(lines(&mut table, &[]))
}

/// The shares of the columns policy, value and clause.
const POLICY_COLUMNS: [u16; 3] = [47, 31, 22];

/// By what policies are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// As people say.
    Labels,
    /// As the book's file has them.
    Keys,
}

pub(crate) fn show(name: &str, names: Names, format: Format, style: Style) -> Result<String> {
    let book = load(name)?;
    let entries = book.rulebook.entries();
    if format.is_json() {
        return Ok(pretty(&show_json(&book, &entries)));
    }
    let title = &book.rulebook.title;
    let mut text =
        style.heading(&format!("{}: {}, {}", title.name(), title.game, title.jurisdiction));
    text +=
        &format!("{}\nin force {}\nsha256 {}\n", title.instrument, title.in_force, book.sha256());
    text += "\n";
    text += &style.heading("The sign");
    text += &sign(&book.rulebook, style);
    for section in Rulebook::SECTIONS {
        let inside: Vec<_> = entries.iter().filter(|e| e.spec.section() == section.path).collect();
        text += "\n";
        text += &style.heading(section.title.trim());
        if inside.is_empty() {
            text += "  the book is silent on this\n";
            continue;
        }
        let mut table = style.table();
        for entry in inside {
            table.add_row([
                plain(match names {
                    Names::Keys => entry.spec.path,
                    Names::Labels => entry.spec.label(),
                }),
                plain(said(entry)),
                clause(short(&book.rulebook, entry.clause)),
            ]);
        }
        text += &lines(&mut table, &POLICY_COLUMNS);
    }
    Ok(text)
}

/// What an entry says, in words; a rule that has no value simply holds.
pub(crate) fn said(entry: &Entry) -> String {
    if entry.words.is_empty() { "yes".to_owned() } else { entry.words.clone() }
}

fn show_json(book: &Book, entries: &[Entry]) -> Value {
    let mut record = title_json(book);
    record["policies"] = entries.iter().map(entry_json).collect();
    record
}

/// Which book it is.
fn title_json(book: &Book) -> Value {
    let title = &book.rulebook.title;
    json!({
        "id": title.id.as_str(),
        "base": title.base.map(|base| base.to_string()),
        "game": title.game,
        "jurisdiction": title.jurisdiction,
        "instrument": title.instrument,
        "in_force": title.in_force,
        "sha256": book.sha256(),
    })
}

pub(crate) fn entry_json(entry: &Entry) -> Value {
    json!({
        "policy": entry.spec.path,
        "about": entry.spec.label(),
        "value": value(&entry.datum),
        "words": said(entry),
        "clause": entry.clause.to_string(),
    })
}

/// What hangs at the table: the wagers, what they pay, and what happens on a tie.
fn sign(book: &Rulebook, style: Style) -> String {
    let mut table = style.table();
    let mut row = |wager: String, pays: String, by: Clause| {
        table.add_row([plain(wager), plain(pays), clause(short(book, by))]);
    };
    let decks = book.cards.decks;
    row("Cards".to_owned(), format!("{} decks", decks.value), decks.clause);
    let commission = &book.commission;
    let name = |name: &Option<rules::Cited<rules::value::Phrase>>, otherwise: &str| {
        name.as_ref().map_or(otherwise.to_owned(), |name| name.value.as_str().to_owned())
    };
    let main = name(&commission.name, "commission method");
    row(format!("Banker ({main})"), commission.banker.value.to_string(), commission.banker.clause);
    if let Some(half) = &book.half_on_six {
        let other = name(&half.name, "half-on-six method");
        let pays = format!("{}; winning with 6, {}", half.banker.value, half.banker_on_six.value);
        row(format!("Banker ({other})"), pays, half.banker.clause);
    }
    row("Player".to_owned(), commission.player.value.to_string(), commission.player.clause);
    row("Tie".to_owned(), commission.tie.value.to_string(), commission.tie.clause);
    row("Banker on a tie".to_owned(), book.banker.ties.value.to_string(), book.banker.ties.clause);
    row("Player on a tie".to_owned(), book.player.ties.value.to_string(), book.player.ties.clause);
    if let Some(perfect) = &book.perfect_pairs {
        for (kind, price) in [
            ("mixed", perfect.mixed_pays),
            ("coloured", perfect.coloured_pays),
            ("perfect", perfect.perfect_pays),
        ] {
            row(format!("Perfect Pairs: {kind} pair"), price.value.to_string(), price.clause);
        }
    }
    if let Some(canberra) = &book.canberra_pairs {
        row(
            "Canberra Pairs: a pair".to_owned(),
            canberra.pays.value.to_string(),
            canberra.pays.clause,
        );
    }
    if let Some(dragon) = &book.dragon {
        for (win, price) in [
            ("by 9 points", dragon.margin_9_pays),
            ("by 8 points", dragon.margin_8_pays),
            ("by 7 points", dragon.margin_7_pays),
            ("by 6 points", dragon.margin_6_pays),
            ("by 5 points", dragon.margin_5_pays),
            ("by 4 points", dragon.margin_4_pays),
            ("with a natural", dragon.natural_pays),
        ] {
            row(format!("Dragon Bonus: win {win}"), price.value.to_string(), price.clause);
        }
    }
    lines(&mut table, &POLICY_COLUMNS)
}

pub(crate) fn schema(file: SchemaFile) -> String {
    pretty(&rulebooks::schema(file.into()))
}
