//! Lines of the director: with completion and a hint at a terminal, plainly from a pipe.

use std::io::{IsTerminal, Write};

use anyhow::Result;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};

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
        if line.is_empty() || at < line.len() {
            return None;
        }
        let known = self.lines.iter().find(|known| known.starts_with(line))?;
        Some(known[line.len()..].to_owned())
    }
}

impl Highlighter for Known {}
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

    /// The next line; nothing at the end of the input.
    pub(super) fn next(
        &mut self,
        suggested: &[String],
        names: Vec<String>,
        out: &mut impl Write,
    ) -> Result<Option<String>> {
        match self {
            Self::Terminal(editor) => {
                if let Some(known) = editor.helper_mut() {
                    *known = Known { lines: suggested.to_vec(), words: names };
                }
                match editor.readline("> ") {
                    Ok(line) => {
                        let _ = editor.add_history_entry(line.as_str());
                        Ok(Some(line))
                    }
                    Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
                    Err(fault) => Err(fault.into()),
                }
            }
            Self::Pipe => {
                write!(out, "> ")?;
                out.flush()?;
                let mut line = String::new();
                let read = std::io::stdin().read_line(&mut line)?;
                writeln!(out)?;
                Ok((read > 0).then_some(line))
            }
        }
    }
}
