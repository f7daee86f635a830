//! Tables and headings that fit the terminal; colour only on one.

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table, Width};

/// How wide text is when nobody says: a pipe, a file, a test.
const DEFAULT_WIDTH: u16 = 100;
/// Narrower than this a table is no table.
const LEAST_WIDTH: u16 = 40;
/// Wider than this a line is hard to follow.
const MOST_WIDTH: u16 = 130;

/// In which form a report is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs: `--json`.
    Json,
    /// For spreadsheets: `--csv`.
    Csv,
}

impl Format {
    pub(crate) const fn is_json(self) -> bool {
        matches!(self, Self::Json)
    }
}

/// Whether a terminal may be given colours and other styles: `NO_COLOR` says no.
pub(crate) fn wants_colour() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|said| said.is_empty())
}

/// Where a conversation goes: standard output, which under `--json` is for the JSON alone.
pub(crate) fn talk(format: Format) -> Box<dyn Write> {
    if format.is_json() { Box::new(anstream::stderr()) } else { Box::new(anstream::stdout()) }
}

/// So many of something, in words that fit.
pub(crate) fn count(number: impl Display, what: &str) -> String {
    let number = number.to_string();
    if number == "1" { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// What the output can show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    width: u16,
    colour: bool,
    terminal: bool,
}

impl Style {
    /// As standard output is: its width, and colour where it is a terminal and wants colour.
    pub(crate) fn of_stdout() -> Self {
        let width = terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| width.0);
        let width = width.clamp(LEAST_WIDTH, MOST_WIDTH);
        let colour = AutoStream::choice(&std::io::stdout()) != ColorChoice::Never;
        let terminal = colour || std::io::stdout().is_terminal();
        Self { width, colour, terminal }
    }

    /// Whether a terminal shows the output, or something that is to be taken for one.
    pub(crate) const fn is_for_terminal(self) -> bool {
        self.terminal
    }

    /// A line that stands out.
    pub(crate) fn heading(self, text: &str) -> String {
        if self.colour { format!("\x1b[1m{text}\x1b[0m\n") } else { format!("{text}\n") }
    }

    /// A point of a list, indented, its further lines below its words.
    pub(crate) fn item(self, text: &str, indent: usize) -> String {
        let wrapped = Self { colour: false, ..self }.wrapped(text, indent + 2);
        let (first, rest) = wrapped.split_at(indent.min(wrapped.len()));
        format!("{first}·{}", rest.get(1..).unwrap_or(""))
    }

    /// A text below another, indented and broken at the width of the output; it stands back.
    pub(crate) fn wrapped(self, text: &str, indent: usize) -> String {
        let width = usize::from(self.width).saturating_sub(indent).max(20);
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            let last = lines.last_mut().expect("there is always a line");
            let room = width.saturating_sub(last.chars().count() + 1);
            if last.is_empty() {
                last.push_str(word);
            } else if word.chars().count() <= room {
                last.push(' ');
                last.push_str(word);
            } else {
                lines.push(word.to_owned());
            }
        }
        let (before, after) = if self.colour { ("\x1b[2m", "\x1b[0m") } else { ("", "") };
        let pad = " ".repeat(indent);
        lines.iter().fold(String::new(), |all, line| all + &format!("{pad}{before}{line}{after}\n"))
    }

    /// A table without lines, as wide as the output.
    pub(crate) fn table(self) -> Table {
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(self.width);
        if self.colour {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        table
    }
}

/// The lines of a table, indented, without spaces at their ends. With `shares`, columns take that
/// many per cent of the width, so that tables one below the other line up.
pub(crate) fn lines(table: &mut Table, shares: &[u16]) -> String {
    let share = |share: &u16| ColumnConstraint::Absolute(Width::Percentage(*share));
    table.set_constraints(shares.iter().map(share));
    if let Some(first) = table.column_mut(0) {
        first.set_padding((2, 1));
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A plain cell.
pub(crate) fn plain(text: impl Display) -> Cell {
    Cell::new(text)
}

/// A cell that stands out.
pub(crate) fn strong(text: impl Display) -> Cell {
    Cell::new(text).add_attribute(Attribute::Bold)
}

/// A cell for a clause.
pub(crate) fn clause(text: impl Display) -> Cell {
    Cell::new(text).fg(Color::Cyan)
}

/// A cell that stands back.
pub(crate) fn quiet(text: impl Display) -> Cell {
    Cell::new(text).add_attribute(Attribute::Dim)
}

/// Whether a character steers a terminal instead of being shown.
pub(crate) fn steers(c: char) -> bool {
    // Marks that turn the direction of writing, and those that end a line or a paragraph.
    let marks = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'];
    let turns = ['\u{202a}'..='\u{202e}', '\u{2066}'..='\u{2069}'];
    c.is_control() || marks.contains(&c) || turns.iter().any(|turns| turns.contains(&c))
}

/// Whether a table is drawn on the whole screen, where nothing else is written.
static DRAWN: AtomicBool = AtomicBool::new(false);

/// A table is drawn on the whole screen from now on, or no more.
pub(crate) fn draws(on: bool) {
    DRAWN.store(on, Ordering::Relaxed);
}

/// Says that a log is waited for.
pub(crate) fn say_waiting(what: &str) {
    if !DRAWN.load(Ordering::Relaxed) {
        eprintln!("sabot: {what}");
    }
}

/// A text from a log, with what would steer a terminal made visible.
pub(crate) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            seen.extend(c.escape_unicode());
        } else {
            seen.push(c);
        }
    }
    seen
}
