//! The opening of a table: its options, and which of them exclude each other.

use std::sync::Arc;

use rulebooks::Book;
use rules::value::Layout;
use rules::{Clause, Key, Method, Offer, Rulebook};
use table::{Code, Options, Refusal};

use crate::form::Word;
use crate::language::{Line, Unreadable};
use crate::play::Judge;

/// The options of an opening.
pub(crate) const OPTIONS: [&str; 8] = [
    "METHOD",
    "OFFER",
    "decks=N",
    "seats=N",
    "face=up|down",
    "layout=mini|midi|baccarat",
    "cutting-cards=N",
    "base=BOOK",
];

pub(crate) fn opens(words: &[Word<'_>]) -> Result<Line, Unreadable> {
    let wrong = |word: Option<&Word<'_>>, wanted: &[&str]| Unreadable {
        column: word.map_or_else(
            || words.last().map_or(1, |last| last.column + last.text.chars().count()),
            |word| word.column,
        ),
        found: word.map_or(String::new(), |word| word.text.to_owned()),
        wanted: wanted.iter().map(|word| format!("`{word}`")).collect(),
        why: None,
    };
    let books = rulebooks::ids();
    let book = words.get(2).ok_or_else(|| wrong(None, &books))?;
    let mut options = Options::default();
    let mut base = None;
    let (mut said, mut twice): (Vec<String>, _) = (Vec::new(), None);
    if let Some(with) = words.get(3) {
        if !with.text.eq_ignore_ascii_case("with") {
            return Err(wrong(Some(with), &["with"]));
        }
        if words.len() == 4 {
            return Err(wrong(None, &OPTIONS));
        }
    }
    for word in words.iter().skip(4) {
        let text = word.text.to_lowercase();
        let key = key_of(&text);
        let value = text[key.len()..].trim_start_matches('=');
        let understood = match (key, value) {
            ("settlement", value) => Method::from_key(value).map(|m| options.terms.method = m),
            ("decks", value) => value.parse().ok().map(|decks| options.decks = Some(decks)),
            ("seats", value) => value.parse().ok().map(|seats| options.seats = Some(seats)),
            ("cutting-cards", value) => {
                value.parse().ok().map(|cards| options.cutting_cards = Some(cards))
            }
            ("face", "down") => {
                options.face_down = true;
                Some(())
            }
            ("face", "up") => Some(()),
            ("layout", value) => Layout::from_key(value).map(|form| options.layout = Some(form)),
            ("base", value) if !value.is_empty() => {
                base = Some(value.to_owned());
                Some(())
            }
            _ => Offer::said(&text).map(|offer| options.terms.side_bets.put(offer)),
        };
        understood.ok_or_else(|| wrong(Some(word), &OPTIONS))?;
        let first = said.iter().find(|first| key_of(first) == key);
        twice = twice.or_else(|| first.map(|first| [first.clone(), text.clone()]));
        said.push(text);
    }
    let (book, options) = (book.text.to_owned(), Box::new(options));
    Ok(Line::Open { book, base, options, twice })
}

impl Judge<'_> {
    /// A book with the sheets that have the side bets of an opening, where the book has none such.
    pub(crate) fn with_sheets(
        &self,
        name: &str,
        base: Option<&str>,
        options: &Options,
    ) -> Result<Arc<Book>, String> {
        self.opened(name, base, options).map(|(_, book)| book)
    }

    /// The book of an opening with the sheets of its side bets, and the name under which it is
    /// loaded again.
    ///
    /// # Errors
    ///
    /// With a message, when there is no such book.
    pub fn opened(
        &self,
        name: &str,
        base: Option<&str>,
        options: &Options,
    ) -> Result<(String, Arc<Book>), String> {
        let mut book = self.books.book(name, base)?;
        let mut name = name.to_owned();
        for offer in options.terms.side_bets.iter() {
            if book.rulebook.side_bets(offer.group).is_none() {
                // Where there is no such sheet, the opening is refused.
                let more = format!("{name}+{}", offer.group);
                if let Ok(with) = self.books.book(&more, base) {
                    (book, name) = (with, more);
                }
            }
        }
        let name = match base {
            Some(base) => format!("{name}@{base}"),
            None => name,
        };
        Ok((name, book))
    }
}

/// The subject of an option: `pairs` for `pairs=perfect`.
fn key_of(option: &str) -> &str {
    option.split('=').next().unwrap_or(option)
}

/// Refuses two options on one subject, with the clause that leaves the choice to the operator.
pub(crate) fn said_twice([first, second]: &[String; 2], book: &Rulebook) -> Refusal {
    let what = if first == second {
        format!("`{first}` is said twice")
    } else {
        format!("`{first}` and `{second}` contradict each other")
    };
    let clause = clause_of(key_of(first), book);
    Refusal::new(Code::BadOption, clause, what, "allowed: one of them")
}

/// The clause that an option rests on.
fn clause_of(option: &str, book: &Rulebook) -> Option<Clause> {
    match option {
        "settlement" => book.settlement.choice.as_ref().map(|choice| choice.clause),
        "decks" => Some(book.cards.decks.clause),
        "seats" => Some(book.table.seats.clause),
        "cutting-cards" => Some(book.cards.cutting_cards.clause),
        "face" => Some(book.deal.face.clause),
        "layout" => Some(book.table.layouts.clause),
        // No clause of the book decides on a base.
        other => {
            let rules = &book.side_bets(Key::said(other)?)?.rules;
            Some(rules.choice.as_ref().map_or(rules.offered.clause, |choice| choice.clause))
        }
    }
}
