//! Lines of the director: with completion and a hint at a terminal, plainly from a pipe.

use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write};

use anyhow::Result;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};

use crate::typed::{Typed, line_of};

/// Where lines come from.
pub(super) enum Lines {
    Terminal(Box<Editor<Known, MemHistory>>),
    Pipe,
}

/// What can be completed.
#[derive(Default)]
pub(super) struct Known {
    lines: Vec<String>,
    words: Vec<String>,
}

const WORDS: [&str; 40] = [
    "at table",
    "bets",
    "on",
    "banker",
    "player",
    "tie",
    "director",
    "dealer",
    "inspector",
    "operator",
    "regulator",
    "supervisor",
    "deals",
    "draws",
    "calls no more bets",
    "standings",
    "seating",
    "entrants",
    "scores",
    "results",
    "next",
    "help",
    "quit",
    "ballot",
    "reveal",
    "print seating",
    "print scores",
    "print results",
    "corrects",
    "confirms the correction",
    "leaves",
    "returns",
    "withdraws",
    "applies",
    "starts the session",
    "closes entries",
    "announces the last coup",
    "takes the seat",
    "goes away",
    "comes back",
];

impl Completer for Known {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..at).unwrap_or(line);
        let whole: Vec<String> =
            self.lines.iter().filter(|known| known.starts_with(typed)).cloned().collect();
        if !typed.is_empty() && !whole.is_empty() {
            return Ok((0, whole));
        }
        let start = typed.rfind(' ').map_or(0, |space| space + 1);
        let word = &typed[start..];
        let own = self.words.iter().map(String::as_str).chain(WORDS);
        let fits = own.filter(|known| known.starts_with(word)).map(str::to_owned);
        Ok((start, fits.collect()))
    }
}

impl Hinter for Known {
    type Hint = String;

    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<String> {
        let at_the_end = at == line.len();
        self.hint_for(line, crate::show::wants_colour()).filter(|_| at_the_end)
    }
}

impl Known {
    /// The rest of a suggested line. Without a style of its own it could not be told from what was
    /// typed, and is not shown.
    fn hint_for(&self, line: &str, styled: bool) -> Option<String> {
        if line.is_empty() || !styled {
            return None;
        }
        let known = self.lines.iter().find(|known| known.starts_with(line))?;
        Some(known[line.len()..].to_owned())
    }
}

impl Highlighter for Known {
    /// What is only suggested is dim: nobody takes it for what they typed.
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("\u{1b}[2m{hint}\u{1b}[0m"))
    }
}
impl Validator for Known {}
impl Helper for Known {}

impl Lines {
    pub(super) fn open() -> Self {
        let screen = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let editor = screen.then(|| {
            let config = rustyline::Config::default();
            Editor::with_history(config, MemHistory::new()).ok()
        });
        match editor.flatten() {
            Some(mut editor) => {
                editor.set_helper(Some(Known::default()));
                Self::Terminal(Box::new(editor))
            }
            None => Self::Pipe,
        }
    }

    /// The next line.
    pub(super) fn next(
        &mut self,
        suggested: &[String],
        names: Vec<String>,
        out: &mut impl Write,
    ) -> Result<Typed> {
        match self {
            Self::Terminal(editor) => {
                if let Some(known) = editor.helper_mut() {
                    *known = Known { lines: suggested.to_vec(), words: names };
                }
                match editor.readline("> ") {
                    Ok(line) => {
                        let _ = editor.add_history_entry(line.as_str());
                        Ok(Typed::Line(line))
                    }
                    Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(Typed::End),
                    Err(ReadlineError::Io(fault)) if fault.kind() == ErrorKind::InvalidData => {
                        Ok(Typed::NotText)
                    }
                    Err(fault) => Err(fault.into()),
                }
            }
            Self::Pipe => {
                write!(out, "> ")?;
                out.flush()?;
                let line = line_of(&mut std::io::stdin().lock())?;
                writeln!(out)?;
                Ok(line)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_looks_like_nothing_that_was_typed() {
        let known = Known { lines: vec!["director requires agreement".into()], words: Vec::new() };
        assert_eq!(known.hint_for("dir", true).as_deref(), Some("ector requires agreement"));
        assert_eq!(known.hint_for("dir", false), None, "a terminal without styles has none");
        assert_eq!(known.highlight_hint("ector"), "\u{1b}[2mector\u{1b}[0m");
    }

    /// What the key for completion gives for what was typed, and where that begins.
    fn completed(known: &Known, typed: &str) -> (usize, Vec<String>) {
        let history = MemHistory::new();
        known.complete(typed, typed.len(), &Context::new(&history)).unwrap()
    }

    #[test]
    fn a_line_is_completed_as_a_whole_and_otherwise_word_by_word() {
        let lines = ["director accepts Ann", "director accepts Bo", "operator opens entries"];
        let lines = lines.map(str::to_owned).to_vec();
        let known = Known { lines, words: vec!["Ann".into(), "Anita".into(), "Bo".into()] };
        let all = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        // What is suggested comes first, from the beginning of the line.
        let both = all(&["director accepts Ann", "director accepts Bo"]);
        assert_eq!(completed(&known, "dir"), (0, both));
        assert_eq!(completed(&known, "director accepts B"), (0, all(&["director accepts Bo"])));
        // Names and words of the language complete the word that is typed last.
        assert_eq!(completed(&known, "An"), (0, all(&["Ann", "Anita"])));
        assert_eq!(completed(&known, "director refuses An"), (17, all(&["Ann", "Anita"])));
        assert_eq!(completed(&known, "Bo bets 50 on bank"), (14, all(&["banker"])));
        assert_eq!(completed(&known, "director zz"), (9, Vec::new()));
        // Only what is before the cursor counts.
        let history = MemHistory::new();
        let inside = known.complete("director refuses An x", 19, &Context::new(&history)).unwrap();
        assert_eq!(inside, (17, all(&["Ann", "Anita"])));
        // With nothing typed everything is offered.
        assert_eq!(completed(&known, "").1.len(), 3 + WORDS.len());
    }
}
