//! For those who want to know: transcripts judged, exact odds, the books.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use odds::{Tableaux, Wagers, decimal, outcomes, root};
use rules::{Clause, Composition};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use transcript::{Books, Judge};

use crate::App;
use crate::bounds::{MOST_ANSWER, MOST_LINES};
use crate::problem::{Answered, Problem};
use crate::who::From;

/// A transcript with its rulings.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Judged {
    /// Whether every line can be read, every expectation holds, and nothing is left open.
    pub(crate) passed: bool,
    /// Every line that says something.
    pub(crate) lines: Vec<JudgedLine>,
}

/// A line with what followed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JudgedLine {
    /// The number of the line, from 1.
    pub(crate) line: usize,
    /// The line.
    pub(crate) text: String,
    /// What followed, in words, each with its clauses.
    pub(crate) rulings: Vec<JudgedRuling>,
    /// Why it was refused, if it was.
    pub(crate) refusal: Option<view::RefusalView>,
    /// Why the line fails: it cannot be read, or an expectation does not hold.
    pub(crate) failure: Option<String>,
}

/// What followed from a line.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JudgedRuling {
    /// In words.
    pub(crate) what: String,
    /// The clauses.
    #[schemars(with = "Vec<String>")]
    pub(crate) clauses: Vec<Clause>,
}

pub(crate) async fn judge(
    State(app): State<App>,
    From(address): From,
    body: Bytes,
) -> Answered<Judged> {
    app.bounds.heavy(address)?;
    let text = String::from_utf8(body.to_vec())
        .map_err(|_| Problem::bad("bytes that are no UTF-8", "a transcript as plain text"))?;
    if text.lines().count() > MOST_LINES {
        let what = format!("a transcript of {} lines", text.lines().count());
        return Err(too_large(what, format!("at most {MOST_LINES} lines")));
    }
    let (books, turn) = (app.books.clone(), app.bounds.turn().await?);
    let judged = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        judged(books.as_ref(), &text, MOST_ANSWER)
    });
    let stopped = |_| Problem::bad("a transcript that cannot be judged", "a shorter one");
    Ok(Json(judged.await.map_err(stopped)??))
}

fn too_large(what: String, instead: String) -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", what, instead)
}

/// The rulings on a transcript, if they have no more than so many bytes.
fn judged(books: &dyn Books, text: &str, most: usize) -> Result<Judged, Problem> {
    let played = Judge { books, under: None }.judge(text);
    let (mut lines, mut bytes) = (Vec::new(), 0);
    for ruled in &played.lines {
        let line = judged_line(ruled);
        let words = line.rulings.iter().map(|ruling| ruling.what.len());
        bytes += line.text.len() + line.failure.as_ref().map_or(0, String::len);
        bytes += words.sum::<usize>();
        if bytes > most {
            let what = format!("a transcript whose rulings have more than {most} bytes");
            return Err(too_large(what, "a shorter one, or several".into()));
        }
        lines.push(line);
    }
    Ok(Judged { passed: played.passed(), lines })
}

fn judged_line(ruled: &transcript::Ruled) -> JudgedLine {
    let ruling = |ruling: &transcript::Ruling| JudgedRuling {
        what: ruling.what.clone(),
        clauses: ruling.clauses.clone(),
    };
    let unreadable = || ruled.unreadable.as_ref().map(ToString::to_string);
    JudgedLine {
        line: ruled.line,
        text: ruled.text.clone(),
        rulings: ruled.rulings.iter().map(ruling).collect(),
        refusal: ruled.refusal.as_ref().map(view::refusal_view),
        failure: ruled.failure.clone().or_else(unreadable),
    }
}

/// Which odds are asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OddsAsked {
    /// The book, with sheets laid over it: `act-2018` or `act-2018+lucky-6`.
    #[schemars(example = &"act-2018+lucky-6")]
    pub(crate) book: String,
    /// The decks; as many as the book has, if left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 16))]
    pub(crate) decks: Option<u16>,
}

/// What every wager is worth.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OddsDocument {
    /// The book.
    pub(crate) book: String,
    /// The decks.
    pub(crate) decks: u16,
    /// The wagers.
    pub(crate) wagers: Vec<WagerOdds>,
}

/// What a wager is worth. Fractions are exact; the decimals are rounded from them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WagerOdds {
    /// The spot.
    pub(crate) spot: String,
    /// Its name.
    pub(crate) name: String,
    /// The house's edge, as a fraction.
    pub(crate) edge: String,
    /// The same in per cent.
    pub(crate) edge_percent: String,
    /// How often it wins, in per cent.
    pub(crate) wins_percent: String,
    /// How often it is returned, in per cent.
    pub(crate) kept_percent: String,
    /// The standard deviation, in stakes.
    pub(crate) deviation: String,
}

pub(crate) async fn odds(
    State(app): State<App>,
    From(address): From,
    Query(asked): Query<OddsAsked>,
) -> Answered<OddsDocument> {
    app.bounds.heavy(address)?;
    let (books, turn) = (app.books.clone(), app.bounds.turn().await?);
    let found = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let book = books
            .book(&asked.book, None)
            .map_err(|why| Problem::bad(why, "one of GET /api/v1/books"))?;
        let allowed = u16::try_from(book.rulebook.cards.decks.value.most().min(8)).unwrap_or(8);
        let decks = asked.decks.unwrap_or(allowed);
        if !(1..=16).contains(&decks) {
            return Err(Problem::bad(format!("{decks} decks"), "1 to 16"));
        }
        let terms = all_terms(&book);
        let tableaux = Tableaux::of(&book.rulebook);
        let found = outcomes(&Composition::of_decks(decks), &tableaux)
            .map_err(|why| Problem::bad(why.to_string(), "another shoe"))?;
        let percent = |value: &dashu_ratio::RBig, digits| {
            decimal(&(value.clone() * dashu_ratio::RBig::from(100)), digits)
        };
        let wagers = Wagers::of(&book.rulebook, &terms).list.into_iter().map(|wager| {
            let value = wager.value(&found);
            WagerOdds {
                spot: wager.spot.key().to_owned(),
                edge: value.house_edge().to_string(),
                edge_percent: percent(&value.house_edge(), 6),
                wins_percent: percent(&value.hit_rate(), 6),
                kept_percent: percent(&value.push_rate(), 6),
                deviation: decimal(&root(&value.variance(), 8), 6),
                name: wager.name,
            }
        });
        Ok(OddsDocument { book: asked.book, decks, wagers: wagers.collect() })
    });
    let stopped = |_| Problem::bad("odds that cannot be counted", "another book");
    Ok(Json(found.await.map_err(stopped)??))
}

/// The terms with every group of side bets on offer.
fn all_terms(book: &rulebooks::Book) -> rules::Terms {
    let method = book.rulebook.usual_method();
    rules::Terms { method, side_bets: book.rulebook.all_offers() }
}

/// A book in the list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BookRow {
    /// Its id.
    pub(crate) id: String,
    /// The game.
    pub(crate) game: String,
    /// Where it is law.
    pub(crate) jurisdiction: String,
    /// The instrument that made it.
    pub(crate) instrument: String,
    /// The SHA-256 of the book.
    pub(crate) sha256: String,
}

fn row(id: &str, book: &rulebooks::Book) -> BookRow {
    let title = &book.rulebook.title;
    BookRow {
        id: id.into(),
        game: title.game.clone(),
        jurisdiction: title.jurisdiction.clone(),
        instrument: title.instrument.clone(),
        sha256: book.sha256(),
    }
}

pub(crate) async fn books(State(app): State<App>) -> Answered<Vec<BookRow>> {
    let mut rows = Vec::new();
    for id in app.books.ids() {
        if let Ok(book) = app.books.book(id, None) {
            rows.push(row(id, &book));
        }
    }
    Ok(Json(rows))
}

/// A book, clause by clause.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BookDocument {
    /// Its title.
    pub(crate) book: BookRow,
    /// What it decides, item by item.
    pub(crate) answers: Vec<BookAnswer>,
    /// Its clauses, in our own words.
    pub(crate) clauses: Vec<BookClause>,
}

/// An item that a book decides.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BookAnswer {
    /// The item.
    pub(crate) item: String,
    /// What it is about.
    pub(crate) about: String,
    /// What the book says.
    pub(crate) says: String,
    /// The clause.
    #[schemars(with = "Option<String>")]
    pub(crate) clause: Option<Clause>,
}

/// A clause.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BookClause {
    /// The book that it is of: this one, or the one that this one amends.
    pub(crate) book: String,
    /// Its number.
    pub(crate) number: String,
    /// What it says, in our own words.
    pub(crate) gist: String,
    /// How we read it, where that needed saying.
    pub(crate) reading: Option<String>,
}

pub(crate) async fn book(State(app): State<App>, Path(id): Path<String>) -> Answered<BookDocument> {
    if let Some(sheet) = sheet(&app, &id) {
        return Ok(Json(sheet));
    }
    let book = app.books.book(&id, None).map_err(|_| {
        Problem::unknown(format!(
            "there is no book `{id}`; there are {}, and sheets of side bets: {}",
            app.books.ids().collect::<Vec<_>>().join(", "),
            rulebooks::sheet_ids().join(", ")
        ))
    })?;
    let answers = book.rulebook.answers().into_iter().map(|answer| BookAnswer {
        item: answer.spec.path.to_owned(),
        about: answer.spec.about.join(" "),
        says: answer.words,
        clause: answer.clause,
    });
    let title = &book.rulebook.title;
    let own = clauses_of(&title.id, &book.index);
    let base = title.base.iter().zip(&book.base_index);
    let base = base.flat_map(|(base, index)| clauses_of(base, index));
    Ok(Json(BookDocument {
        book: row(&id, &book),
        answers: answers.collect(),
        clauses: own.chain(base).collect(),
    }))
}

fn clauses_of<'a>(
    book: &'a str,
    index: &'a rulebooks::Index,
) -> impl Iterator<Item = BookClause> + 'a {
    index.entries.iter().map(move |clause| BookClause {
        book: book.to_owned(),
        number: clause.id.clone(),
        gist: clause.gist.clone(),
        reading: clause.reading.clone(),
    })
}

/// A sheet of side bets that comes with Sabot, by itself: it is read as it lies over a book that
/// takes it.
fn sheet(app: &App, id: &str) -> Option<BookDocument> {
    let id = rulebooks::sheet_ids().into_iter().find(|known| *known == id)?;
    let over = |book: &&str| app.books.book(&format!("{book}+{id}"), None).ok();
    let book = rulebooks::ids().iter().find_map(over)?;
    let sheet = book.sheets.iter().find(|sheet| sheet.id.as_str() == id)?;
    let file =
        rulebooks::sources(&book).into_iter().find(|own| own.file == format!("{id}.toml"))?;
    let title = BookRow {
        id: id.into(),
        game: sheet.name.clone(),
        jurisdiction: "a sheet of side bets, laid over a book by a house".into(),
        instrument: sheet.source.clone(),
        sha256: shoe::Digest::of(&[file.text.as_bytes()]).to_string(),
    };
    let clauses = clauses_of(id, &sheet.index).collect();
    Some(BookDocument { book: title, answers: Vec::new(), clauses })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulings_that_are_too_long_are_refused_with_the_limit() {
        let shelf = transcript::Shelf::default();
        let text = "operator opens act-2018\noperator posts main 5..500\n";
        assert_eq!(judged(&shelf, text, 10_000).map(|judged| judged.lines.len()).ok(), Some(2));
        let told = judged(&shelf, text, 60).expect_err("it is longer");
        assert_eq!((told.status, told.code.as_str()), (413, "too-large"));
        assert!(told.title.contains("60 bytes"), "{}", told.title);
    }
}
