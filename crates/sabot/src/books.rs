//! `sabot rules list`, `show` and `schema`: rulebooks as a person reads them.

use anyhow::{Result, bail};
use rulebooks::{Book, LoadError, value};
use rules::policy::Answer;
use rules::{Clause, Method, Offer, RowOutcome, Rulebook, Terms};
use serde_json::{Value, json};

use crate::cli::SchemaFile;
use crate::show::{Format, Style, clause, count, lines, plain, quiet, strong};

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

/// A book as it was typed, with the sheets that are named, or that have the side bets named.
pub(crate) fn with_sheets(name: &str, with: &[Offer]) -> String {
    let (book, base) = rulebooks::named(name);
    let own = if with.is_empty() { None } else { rulebooks::load(book, base).ok() };
    let mut name = book.to_owned();
    for offer in with {
        let id = offer.group.as_str();
        let has = own.as_ref().is_some_and(|own| own.rulebook.side_bets(offer.group).is_some());
        let sheet = rulebooks::sheet_of(&over(book, base), id).filter(|_| !has);
        let there = |sheet: &String| name.split('+').skip(1).any(|other| other == sheet);
        if let Some(sheet) = sheet.filter(|sheet| !there(sheet)) {
            name += &format!("+{sheet}");
        }
    }
    over(&name, base)
}

fn over(book: &str, base: Option<&str>) -> String {
    base.map_or_else(|| book.to_owned(), |base| format!("{book}@{base}"))
}

/// What the table offers: all that the book has, unless somebody chose.
pub(crate) fn terms_of(book: &Book, method: Option<Method>, with: &[Offer]) -> Result<Terms> {
    let method = method.unwrap_or_else(|| book.rulebook.usual_method());
    let mut side_bets = book.rulebook.all_offers();
    for offer in with {
        for group in meant(book, *offer) {
            side_bets.put(book.rulebook.in_full(Offer { group, ..*offer }));
        }
    }
    let terms = Terms { method, side_bets };
    if let Err(fault) = book.rulebook.allows(&terms) {
        bail!("{fault}");
    }
    Ok(terms)
}

/// The groups of side bets that a word means: the one of that key, or all of the sheet of that
/// name.
fn meant(book: &Book, offer: Offer) -> Vec<rules::Key> {
    let rulebook = &book.rulebook;
    let sheet = book.sheets.iter().find(|sheet| sheet.id.as_str() == offer.group.as_str());
    match sheet.filter(|_| rulebook.side_bets(offer.group).is_none()) {
        None => vec![offer.group],
        Some(sheet) => {
            let own =
                |group: &&rules::SideBets| group.rules.offered.clause.book() == sheet.id.as_str();
            rulebook.side_bets.iter().filter(own).map(|group| group.key).collect()
        }
    }
}

/// JSON as a text of several lines.
pub(crate) fn pretty(value: &Value) -> String {
    crate::json::harmless(&format!("{value:#}\n"))
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
            let (decisions, grounds) = counts(book);
            record["decisions"] = decisions.into();
            record["grounds"] = grounds.into();
            record
        };
        let books: Vec<Value> = books.iter().map(each).collect();
        let sheets = rulebooks::sheet_ids();
        return Ok(pretty(&json!({ "books": books, "sheets": sheets })));
    }
    let mut table = style.table();
    table.set_header(["book", "game", "instrument", "clauses", "decisions", "grounds"].map(strong));
    for book in &books {
        let (decisions, grounds) = counts(book);
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
            plain(decisions),
            plain(grounds),
        ]);
    }
    let sheets = rulebooks::sheet_ids().join(", ");
    let sheets = format!("sheets of side bets to lay over a book (--with): {sheets}");
    Ok(lines(&mut table, &[]) + "\n" + &style.wrapped(&sheets, 2))
}

/// How many decisions a book takes, and how many grounds it has.
pub(crate) fn counts(book: &Book) -> (usize, usize) {
    let answers = book.rulebook.answers();
    let grounds = answers.iter().filter(|answer| answer.spec.is_ground()).count();
    (answers.len() - grounds, grounds)
}

/// The shares of the columns decision, answer and clause.
const COLUMNS: [u16; 3] = [47, 31, 22];

/// By what decisions and grounds are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// As people say.
    Labels,
    /// As the book's file has them.
    Keys,
}

pub(crate) fn show(name: &str, names: Names, format: Format, style: Style) -> Result<String> {
    let book = load(name)?;
    let answers = book.rulebook.answers();
    if format.is_json() {
        return Ok(pretty(&show_json(&book, &answers)));
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
        text += "\n";
        text += &style.heading(section.title.trim());
        let inside: Vec<_> =
            answers.iter().filter(|answer| answer.spec.section() == section.path).collect();
        if inside.is_empty() {
            let whole = section.part_of.unwrap_or(section.path);
            text += &format!("  not in this book: {whole} is \"none\"\n");
            continue;
        }
        text += &part(&book.rulebook, &inside, names, style);
    }
    for method in &book.rulebook.methods {
        text += "\n";
        text += &style.heading(&format!("Method: {}", method.key));
        let rows = format!("side_bet.banker ({})", method.key);
        let own = rules::PayMethod::section(method.key).path;
        let inside = |answer: &&Answer| answer.spec.section() == own || answer.spec.path == rows;
        let inside: Vec<_> = answers.iter().filter(inside).collect();
        text += &part(&book.rulebook, &inside, names, style);
    }
    for group in &book.rulebook.side_bets {
        text += "\n";
        text += &style.heading(&format!("Side bets: {}", group.name));
        text += &part(&book.rulebook, &side_bets(group, &answers), names, style);
    }
    for sheet in &book.sheets {
        text +=
            &format!("\n{}: a sheet of side bets, by no regulator; {}\n", sheet.id, sheet.source);
    }
    let (decisions, grounds) = counts(&book);
    text += &format!("\n{}, {}\n", count(decisions, "decision"), count(grounds, "ground"));
    Ok(text)
}

/// The answers on a group of side bets: on the group, its pay tables and its bets.
fn side_bets<'a>(group: &rules::SideBets, answers: &'a [Answer]) -> Vec<&'a Answer> {
    let tables = group.tables.iter().filter_map(|table| table.key);
    let tables = tables.map(|key| rules::SideBets::table_section(key).path);
    let sections: Vec<_> = tables.chain([rules::SideBets::section(group.key).path]).collect();
    let of = |answer: &&Answer| {
        let bet = answer.spec.path.strip_prefix("side_bet.").and_then(|bet| bet.split(' ').next());
        let own = bet.and_then(rules::Key::said).is_some_and(|bet| group.has(bet));
        own || sections.contains(&answer.spec.section())
    };
    answers.iter().filter(of).collect()
}

/// Some answers, the decisions first.
fn part(book: &Rulebook, inside: &[&Answer], names: Names, style: Style) -> String {
    let name = |answer: &Answer| {
        plain(match names {
            Names::Keys => answer.spec.path,
            Names::Labels => answer.spec.label(),
        })
    };
    let by = |answer: &Answer| match answer.clause {
        Some(by) => clause(short(book, by)),
        None => quiet("no rule"),
    };
    let (grounds, decisions): (Vec<&Answer>, Vec<&Answer>) =
        inside.iter().partition(|answer| answer.spec.is_ground());
    let mut table = style.table();
    for answer in decisions {
        table.add_row([name(answer), plain(&answer.words), by(answer)]);
    }
    for answer in grounds {
        table.add_row([name(answer), quiet("ground"), by(answer)]);
    }
    lines(&mut table, &COLUMNS)
}

/// What an answer says, in words.
pub(crate) fn said(answer: &Answer) -> String {
    if answer.spec.is_ground() { "ground".to_owned() } else { answer.words.clone() }
}

fn show_json(book: &Book, answers: &[Answer]) -> Value {
    let mut record = title_json(book);
    let (grounds, decisions): (Vec<_>, Vec<_>) =
        answers.iter().partition(|answer| answer.spec.is_ground());
    record["decisions"] = decisions.into_iter().map(answer_json).collect();
    record["grounds"] = grounds.into_iter().map(answer_json).collect();
    record
}

/// Which book it is.
fn title_json(book: &Book) -> Value {
    let title = &book.rulebook.title;
    json!({
        "id": title.id.as_str(),
        "base": title.base.map(|base| base.to_string()),
        "with": title.with.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "game": title.game,
        "jurisdiction": title.jurisdiction,
        "instrument": title.instrument,
        "in_force": title.in_force,
        "sha256": book.sha256(),
    })
}

pub(crate) fn answer_json(answer: &Answer) -> Value {
    let clause = answer.clause.map(|clause| clause.to_string());
    let (path, about) = (answer.spec.path, answer.spec.label());
    match &answer.datum {
        Some(datum) => json!({
            "decision": path,
            "about": about,
            "is": value(datum),
            "words": answer.words,
            "clause": clause,
        }),
        None => json!({ "ground": path, "about": about, "clause": clause }),
    }
}

/// What hangs at the table: the wagers, what they pay, and what happens on a tie.
fn sign(book: &Rulebook, style: Style) -> String {
    let mut table = style.table();
    let mut row = |wager: String, pays: String, by: Clause| {
        table.add_row([plain(wager), plain(pays), clause(short(book, by))]);
    };
    let decks = book.cards.decks;
    row("Cards".to_owned(), format!("{} decks", decks.value), decks.clause);
    for method in &book.methods {
        let rules = &method.rules;
        let usual = format!("{} method", method.key);
        let name = rules.name.as_ref().map_or(usual, |name| name.value.words().to_string());
        let mut pays = vec![rules.banker.value.to_string()];
        let rows = method.rows.iter().map(|row| match row.outcome {
            RowOutcome::Pays(price) => format!("{}, {price}", row.words()),
            RowOutcome::Kept => format!("{}, kept", row.words()),
            RowOutcome::Lost => format!("{}, lost", row.words()),
        });
        pays.extend(rows);
        row(format!("Banker ({name})"), pays.join("; "), rules.banker.clause);
    }
    if let Some(method) = book.methods.first() {
        let rules = &method.rules;
        row("Player".to_owned(), rules.player.value.to_string(), rules.player.clause);
        row("Tie".to_owned(), rules.tie.value.to_string(), rules.tie.clause);
    }
    row("Banker on a tie".to_owned(), book.banker.ties.value.to_string(), book.banker.ties.clause);
    row("Player on a tie".to_owned(), book.player.ties.value.to_string(), book.player.ties.clause);
    for group in &book.side_bets {
        for table in &group.tables {
            // Both hands pay alike in most books: what is said once is not said again.
            let mut said: Vec<(String, String)> = Vec::new();
            for bet in &table.bets {
                for (when, price) in bet.pays() {
                    let pays = price.value.to_string();
                    if said.contains(&(when.clone(), pays.clone())) {
                        continue;
                    }
                    said.push((when.clone(), pays.clone()));
                    row(format!("{}: {when}", table.name), pays, price.clause);
                }
            }
        }
    }
    lines(&mut table, &COLUMNS)
}

pub(crate) fn schema(file: SchemaFile) -> String {
    pretty(&rulebooks::schema(file.into()))
}
