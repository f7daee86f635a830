//! How a table is opened: the line that opens it and those of its sign, read and tried before
//! anything is kept.

use std::sync::Arc;

use rulebooks::Book;
use table::{Act, By, Options, Role, SignLine};
use transcript::Said;

use crate::books::HouseBooks;
use crate::problem::Problem;

/// A table that can be opened.
pub(crate) struct Opening {
    /// The book, with the sheets that are laid over it.
    pub(crate) name: String,
    pub(crate) book: Arc<Book>,
    pub(crate) options: Options,
    /// The acts that put up its sign.
    pub(crate) sign: Vec<Act>,
}

/// Reads the lines of a table and tries them on a table of their own, so that what cannot be opened
/// leaves nothing behind. All faults are told: a line that cannot be read does not keep the others
/// from being tried.
pub(crate) fn read(
    books: &HouseBooks,
    opens: &str,
    sign: &[String],
) -> Result<Opening, Vec<Problem>> {
    let mut faults = Vec::new();
    let opened = opened(books, opens).map_err(|fault| faults.push(fault)).ok();
    let mut acts = Vec::new();
    for line in sign {
        match line_of_sign(line) {
            Ok(act) => acts.push(act),
            Err(fault) => faults.push(fault),
        }
    }
    let Some((name, book, options)) = opened else {
        faults.extend(acts.iter().filter_map(unbooked));
        return Err(faults);
    };
    let opening = Opening { name, book, options, sign: acts };
    faults.extend(tried(&opening));
    if faults.is_empty() { Ok(opening) } else { Err(faults) }
}

/// What is wrong with the lines of a sign, where no table is known that they could be tried on.
pub(crate) fn faults_of_sign(sign: &[String]) -> Vec<Problem> {
    let fault = |line: &String| line_of_sign(line).map_or_else(Some, |act| unbooked(&act));
    sign.iter().filter_map(fault).collect()
}

/// What is wrong with an act whatever the book.
fn unbooked(act: &Act) -> Option<Problem> {
    match act {
        Act::Post(SignLine::Limits(_, limits)) => limits.check().err().map(Problem::from),
        _ => None,
    }
}

fn opened(books: &HouseBooks, opens: &str) -> Result<(String, Arc<Book>, Options), Problem> {
    let Ok(Said::Opening { book, base, options }) = transcript::understand(opens) else {
        let what = format!("`{opens}` opens no table");
        return Err(Problem::bad(what, "`operator opens BOOK [with OPTION, …]`"));
    };
    let judge = transcript::Judge { books, under: None };
    let (name, book) = judge
        .opened(&book, base.as_deref(), &options)
        .map_err(|why| Problem::bad(why, "one of GET /api/v1/books"))?;
    Ok((name, book, options))
}

fn line_of_sign(line: &str) -> Result<Act, Problem> {
    match transcript::understand(line) {
        Ok(Said::Act(by, act)) if by.role == Role::Operator => Ok(*act),
        Ok(_) => {
            let what = format!("`{line}` is no line of a sign");
            Err(Problem::bad(what, "`operator posts GROUP LEAST..MOST`"))
        }
        Err(why) => Err(Problem::bad(format!("`{line}`: {}", why.what()), why.likely())),
    }
}

/// What a table of its own refuses. Where it cannot be opened, nothing is put up.
fn tried(opening: &Opening) -> Vec<Problem> {
    let mut table = table::Table::new(Arc::new(opening.book.rulebook.clone()));
    let (at, by) = (store::now(), By::role(Role::Operator));
    let mut faults = Vec::new();
    let acts = std::iter::once(Act::Open(opening.options.clone()));
    for act in acts.chain(opening.sign.iter().cloned()) {
        match table.decide(&table::Command { at, by, act }) {
            Ok(events) => events.iter().for_each(|event| table.evolve(event)),
            Err(refusal) => faults.push(refusal.into()),
        }
        if table.phase() == table::Phase::Unopened {
            break;
        }
    }
    faults
}
