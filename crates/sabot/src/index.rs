//! The transcripts that come with sabot: which of them shows what, and by which clauses.

use rules::{Clause, lies_within};
use transcript::{Judge, Shelf};

/// Every transcript: its path below `transcripts/`, and its text.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/transcripts.rs"));

/// The transcripts that come with sabot.
pub(crate) fn all() -> impl Iterator<Item = Case> {
    EMBEDDED.iter().map(|(path, text)| Case { path, text })
}

/// One transcript.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) path: &'static str,
    text: &'static str,
}

impl Case {
    /// What its opening comment says it shows.
    fn shows(&self) -> String {
        let opening = self.text.lines().map_while(|line| line.trim().strip_prefix('#'));
        opening.map(str::trim).collect::<Vec<_>>().join(" ")
    }

    fn book(&self) -> &'static str {
        self.path.split('/').next().unwrap_or_default()
    }

    /// The file's name without its ending.
    pub(crate) fn name(&self) -> &'static str {
        let file = self.path.rsplit('/').next().unwrap_or_default();
        file.strip_suffix(".coup").unwrap_or(file)
    }

    /// The clauses that its expectations name, as they write them, each once.
    fn expected(&self) -> Vec<String> {
        let mut clauses: Vec<String> = Vec::new();
        for line in self.text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<_> = line.split_whitespace().collect();
            let about = words.iter().position(|w| ["refused", "cites", "advised"].contains(w));
            let (Some(&"expect"), Some(about)) = (words.first(), about) else { continue };
            let clause = words[about + 1..].join(" ");
            if !clause.is_empty() && !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
        clauses
    }

    /// Whether an expectation names a clause of a book or of its sub-paragraphs.
    fn expects(&self, book: &str, number: &str) -> bool {
        self.expected().iter().any(|clause| {
            let named = clause.strip_prefix(book).map(str::trim_start);
            let own = named.or_else(|| (self.book() == book).then_some(clause.as_str()));
            let word = number.strip_prefix("dictionary ").unwrap_or(number);
            own.is_some_and(|own| lies_within(own, number) || own == word)
        })
    }
}

/// The transcripts that concern a book, with the clauses of that book that the engine cited.
pub(crate) struct Citations {
    book: String,
    cases: Vec<(Case, Vec<Clause>)>,
}

impl Citations {
    /// Plays every transcript that names the book.
    pub(crate) fn of(book: &str) -> Self {
        let books = Shelf::default();
        let judge = Judge { books: &books, under: None };
        let named = all().filter(|case| case.text.contains(book));
        let cases = named.map(|case| {
            let cited = judge.judge(case.text).cited;
            (case, cited.into_iter().filter(|clause| clause.book() == book).collect())
        });
        Self { book: book.to_owned(), cases: cases.collect() }
    }

    /// The transcripts that cite a clause, those that expect it first.
    pub(crate) fn citing(&self, number: &str) -> Vec<Case> {
        let cites = |cited: &[Clause]| cited.iter().any(|c| lies_within(c.number(), number));
        let citing = self.cases.iter().filter(|(_, cited)| cites(cited)).map(|(case, _)| *case);
        let (mut first, others): (Vec<_>, Vec<_>) =
            citing.partition(|case| case.expects(&self.book, number));
        first.extend(others);
        first
    }
}

/// The page about the transcripts: every case with what it shows and the clauses it expects.
pub(crate) fn page() -> String {
    let cases: Vec<_> = all().collect();
    let mut text = format!(
        "# Transcripts\n\n\
         Made by `sabot judge --index` from the comments that the transcripts open with; `make \
         docs` writes it.\nThere are {} cases. `sabot judge transcripts/BOOK/CASE.coup` prints the \
         rulings of one, `sabot rules clauses\nBOOK CLAUSE` names those that cite a clause, and \
         [the reference](../docs/reference/transcripts.md) has the language.\n",
        cases.len()
    );
    for of_book in cases.chunk_by(|a, b| a.book() == b.book()) {
        let book = of_book[0].book();
        text += &format!("\n## {book}\n\n| case | what it shows | clauses it expects |\n");
        text += "|---|---|---|\n";
        for case in of_book {
            let (name, path, shows) = (case.name(), case.path, case.shows());
            let clauses = case.expected().join(", ");
            let row = [format!("[{name}]({path})"), shows, clauses];
            let row = row.map(|cell| cell.replace('|', "\\|"));
            text += &format!("| {} |\n", row.join(" | "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_transcript_opens_with_what_it_shows() {
        for case in all() {
            assert!(case.shows().len() > 20, "{} does not say what it shows", case.path);
        }
    }
}
