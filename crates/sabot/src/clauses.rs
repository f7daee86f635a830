//! `sabot rules clauses`: a book's clauses in our own words.

use anyhow::{Result, bail};
use comfy_table::{Cell, Table};
use rulebooks::{Book, ClauseEntry, Duty};
use rules::policy::Answer;
use rules::{BookId, Clause, PayMethod, Row, lies_within, spelt};
use serde_json::{Value, json};

use crate::books::{load, pretty};
use crate::index::{Case, Citations};
use crate::show::{Format, Style, clause, lines, plain, quiet, strong};

/// The shares of the columns clause, duty and gist.
const COLUMNS: [u16; 3] = [22, 11, 67];

/// So many transcripts are named below a clause; `--json` has them all.
const MOST_CASES: usize = 12;

/// A clause, and the book or the sheet of side bets that has it.
type Listed<'a> = (BookId, &'a ClauseEntry);

/// A book with what it says, item by item.
struct Shelf {
    book: Book,
    said: Vec<Answer>,
    /// Which transcripts cite its clauses, where that is asked for.
    citations: Option<Citations>,
}

impl Shelf {
    /// The decisions and grounds that rest on a clause of the book itself, or of a sheet.
    fn resting_on(&self, (book, entry): Listed<'_>) -> impl Iterator<Item = &Answer> {
        let own = move |clause: Clause| {
            clause.book() == book.as_str() && spelt(clause.number()) == entry.id.as_str()
        };
        let rests = move |answer: &&Answer| answer.clause.is_some_and(|by| by.each().any(own));
        self.said.iter().filter(rests)
    }

    /// The rows of side bets and methods that rest on a clause, with what they belong to.
    fn rows_on(&self, (book, entry): Listed<'_>) -> Vec<String> {
        let rulebook = &self.book.rulebook;
        let mut all: Vec<(String, &Row)> = Vec::new();
        for method in &rulebook.methods {
            let name = PayMethod::section(method.key).path;
            all.extend(method.rows.iter().map(|row| (name.to_owned(), row)));
        }
        for table in rulebook.side_bets.iter().flat_map(|group| &group.tables) {
            for bet in &table.bets {
                let key = table.key.map_or(String::new(), |key| format!(" ({key})"));
                let name = format!("side_bet.{}{key}", bet.key);
                all.extend(bet.all_rows().map(|row| (name.clone(), row)));
            }
        }
        let own = |clause: &Clause| {
            clause.book() == book.as_str() && spelt(clause.number()) == entry.id.as_str()
        };
        let resting = all.into_iter().filter(|(_, row)| row.clauses.iter().any(own));
        let mut said: Vec<String> =
            resting.map(|(name, row)| format!("{name}: {}", row.written())).collect();
        said.dedup();
        said
    }

    /// The transcripts that cite a clause.
    fn cases(&self, entry: &ClauseEntry) -> Vec<Case> {
        self.citations.as_ref().map_or(Vec::new(), |citations| citations.citing(&entry.id))
    }

    fn json(&self, listed: Listed<'_>) -> Value {
        let (book, entry) = listed;
        let mut record = json!({
            "book": book.as_str(),
            "clause": entry.id,
            "duty": entry.duty.key(),
            "gist": entry.gist,
            "reading": entry.reading,
            "tournament": entry.tournament,
            "decisions": self.paths(listed, false),
            "grounds": self.paths(listed, true),
            "rows": self.rows_on(listed),
        });
        if self.citations.is_some() {
            let cases = self.cases(entry);
            record["transcripts"] = cases.iter().map(|case| case.path).collect();
        }
        record
    }

    /// The grounds that a clause is, or the decisions that rest on it.
    fn paths(&self, listed: Listed<'_>, grounds: bool) -> Vec<&'static str> {
        let resting = self.resting_on(listed);
        let wanted = resting.filter(|answer| answer.spec.is_ground() == grounds);
        wanted.map(|answer| answer.spec.path).collect()
    }

    /// The rows for one clause: the gist, how we read it, and what rests on it.
    fn rows(&self, listed: Listed<'_>, with_answers: bool, table: &mut Table) {
        let (_, entry) = listed;
        table.add_row([clause(&entry.id), duty(entry.duty), plain(&entry.gist)]);
        let mut below = |text: String| {
            table.add_row([plain(""), plain(""), quiet(text)]);
        };
        if let Some(reading) = &entry.reading {
            below(format!("we read: {reading}"));
        }
        if with_answers {
            for answer in self.resting_on(listed) {
                let path = answer.spec.path;
                below(if answer.spec.is_ground() {
                    format!("ground {path}")
                } else {
                    format!("decision {path}: {}", answer.words)
                });
            }
            for row in self.rows_on(listed) {
                below(format!("row of {row}"));
            }
            below(cited_in(&self.cases(entry)));
        }
    }
}

/// The transcripts that cite a clause, in a line.
fn cited_in(cases: &[Case]) -> String {
    let names: Vec<_> = cases.iter().take(MOST_CASES).map(|case| case.path).collect();
    match cases.len() {
        0 => "no transcript cites it".into(),
        all if all > MOST_CASES => {
            format!("cited in {} and {} more", names.join(", "), all - MOST_CASES)
        }
        _ => format!("cited in {}", names.join(", ")),
    }
}

pub(crate) fn run(
    name: &str,
    only: Option<&str>,
    duties: &[Duty],
    format: Format,
    style: Style,
) -> Result<String> {
    let book = load(name)?;
    let id = book.rulebook.title.id;
    // `act-2018 5.4` and `"Void"` are spellings that Sabot itself prints.
    let only = only.map(|only| {
        let number = only.strip_prefix(id.as_str()).map_or(only, str::trim);
        let word = format!("dictionary \"{}\"", number.trim_matches('"'));
        if book.index.get(&word).is_some() { word } else { number.to_owned() }
    });
    let only = only.as_deref();
    let citations =
        only.filter(|_| rulebooks::ids().contains(&id.as_str())).map(|_| Citations::of(&id));
    let shelf = Shelf { said: book.rulebook.answers(), book, citations };
    let sheets = || shelf.book.sheets.iter().map(|sheet| (sheet.id, &sheet.index));
    let all = std::iter::once((id, &shelf.book.index)).chain(sheets());
    let wanted: Vec<Listed<'_>> = all
        .flat_map(|(book, index)| index.entries.iter().map(move |entry| (book, entry)))
        .filter(|(_, entry)| only.is_none_or(|only| lies_within(&entry.id, only)))
        .filter(|(_, entry)| duties.is_empty() || duties.contains(&entry.duty))
        .collect();
    if let (Some(only), true) = (only, wanted.is_empty()) {
        bail!("{id} has no such clause as {only}; `sabot rules clauses {id}` lists them");
    }
    if format.is_json() {
        return Ok(pretty(&wanted.iter().map(|listed| shelf.json(*listed)).collect()));
    }
    let heading = |(book, entry): &Listed<'_>| {
        let sheet = shelf.book.sheets.iter().find(|sheet| sheet.id == *book);
        let own = || shelf.book.index.heading(&entry.id).unwrap_or("Clauses").to_owned();
        sheet.map_or_else(own, |sheet| format!("{}, a sheet of the house", sheet.name))
    };
    let mut text = String::new();
    for under in wanted.chunk_by(|a, b| heading(a) == heading(b)) {
        let mut table = style.table();
        for listed in under {
            shelf.rows(*listed, only.is_some(), &mut table);
        }
        text += &style.heading(&heading(&under[0]));
        text += &lines(&mut table, &COLUMNS);
        text += "\n";
    }
    let count = |duty| wanted.iter().filter(|(_, entry)| entry.duty == duty).count();
    let told = Duty::ALL.into_iter().filter(|duty| !duty.is_to_do() || count(*duty) > 0);
    let counts: Vec<_> = told.map(|duty| format!("{} {duty}", count(duty))).collect();
    let clauses = if wanted.len() == 1 { "clause" } else { "clauses" };
    text += &format!("{} {clauses}: {}\n", wanted.len(), counts.join(", "));
    Ok(text)
}

fn duty(duty: Duty) -> Cell {
    match duty {
        Duty::Enforced | Duty::Open | Duty::Unread => strong(duty),
        Duty::Recorded => plain(duty),
        Duty::Shown | Duty::Defines => quiet(duty),
    }
}
