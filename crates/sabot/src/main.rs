//! The command `sabot`.
#![deny(clippy::wildcard_enum_match_arm)]

mod audit;
mod books;
mod check;
mod clauses;
mod cli;
mod compare;
mod completions;
mod coup;
mod coverage;
mod data;
mod drill;
mod index;
mod json;
mod judge;
mod network;
mod new_book;
mod odds;
mod play;
mod plot;
mod serve;
mod show;
mod simulate;
mod stop;
mod store_command;
mod tournament;
mod typed;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{CommandFactory, Parser};

use crate::cli::{Cli, RulesCommand, Task};
use crate::show::{Format, Style};

/// A server makes thousands of small things a second on several threads; the system's allocator
/// spent a tenth of the processor on that, and this one makes a third more bets through the door.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a command has to say, and its exit code.
struct Report {
    text: String,
    code: u8,
}

impl From<String> for Report {
    fn from(text: String) -> Self {
        Self { text, code: 0 }
    }
}

/// Exit codes: something does not hold; wrong use, or a file that cannot be read or written; and
/// nothing is wrong, but the book that it must be judged by is not here.
pub(crate) const DOES_NOT_HOLD: u8 = 1;
pub(crate) const CANNOT_BE_JUDGED: u8 = 3;
const WRONG_USE: u8 = 2;

/// What a command was asked about does not hold, so that it cannot go on.
#[derive(Debug)]
pub(crate) struct DoesNotHold(pub(crate) String);

impl std::fmt::Display for DoesNotHold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DoesNotHold {}

/// Secrets of shoes are in memory while a table runs: nobody reads them from a dump.
#[cfg(target_os = "linux")]
fn keep_memory_private() {
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    // Where the system refuses, the program runs all the same.
    let _ = setrlimit(Resource::Core, none);
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

#[cfg(not(target_os = "linux"))]
const fn keep_memory_private() {}

fn main() -> ExitCode {
    keep_memory_private();
    store::when_waiting(show::say_waiting);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version are no faults, and clap prints them with its colours.
        Err(fault) if !fault.use_stderr() => fault.exit(),
        Err(fault) => {
            let wants_json = std::env::args_os().any(|argument| argument == "--json");
            if !wants_json {
                fault.exit();
            }
            return told(&without_usage(&fault.to_string()), WRONG_USE, Format::Json);
        }
    };
    match run(&cli).and_then(|report| print(&report.text).map(|()| report.code)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let holds = !error.is::<DoesNotHold>();
            let code = if holds { WRONG_USE } else { DOES_NOT_HOLD };
            told(&chain(&error), code, cli.format())
        }
    }
}

/// What is wrong with a command line, without the page on its usage.
fn without_usage(fault: &str) -> String {
    let message = fault.split("\n\nUsage:").next().unwrap_or(fault);
    let message = message.split("\n\nFor more information").next().unwrap_or(message);
    let plain = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<_> = message.trim_start_matches("error: ").split("\n\n").map(plain).collect();
    parts.join("; ")
}

/// What went wrong, and why, each once: many a fault has its cause in its own words.
fn chain(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text += &format!(": {cause}");
        }
    }
    text
}

/// Tells a fault on standard error.
fn told(message: &str, code: u8, format: Format) -> ExitCode {
    let mut out = anstream::stderr();
    // Nothing is left to be done if even this cannot be written.
    let _ = if format.is_json() {
        write!(out, "{}", json::fault(message, code))
    } else {
        let message: Vec<_> = message.lines().map(show::visible).collect();
        writeln!(out, "sabot: {}", message.join("\n"))
    };
    ExitCode::from(code)
}

fn run(cli: &Cli) -> anyhow::Result<Report> {
    let (format, style) = (cli.format(), Style::of_stdout());
    match &cli.command {
        Task::Play(arguments) => play::run(arguments, format).map(Report::from),
        Task::Serve(arguments) => serve::run(arguments, format),
        Task::Store { command } => store_command::run(command, format, style),
        Task::Drill(arguments) => drill::run(arguments, format, style).map(Report::from),
        Task::Audit { command } => audit::run(command, format, style),
        Task::Odds(arguments) => odds::run(arguments, format, style).map(Report::from),
        Task::Simulate(arguments) => simulate::run(arguments, format, style).map(Report::from),
        Task::Coup(arguments) => coup::run(arguments, format, style).map(Report::from),
        Task::Judge(arguments) => {
            let (text, code) = judge::run(arguments, format, style)?;
            Ok(Report { text, code })
        }
        Task::Tournament { command } => tournament::run(command, format, style),
        Task::Rules { command } => match command {
            RulesCommand::List => books::list(format, style).map(Report::from),
            RulesCommand::Show { book, keys } => {
                let names = if *keys { books::Names::Keys } else { books::Names::Labels };
                books::show(book, names, format, style).map(Report::from)
            }
            RulesCommand::Clauses { book, coverage: Some(folder), .. } => {
                let (text, whole) = coverage::run(book.as_deref(), folder, format)?;
                Ok(Report { text, code: u8::from(!whole) })
            }
            RulesCommand::Clauses { book, clause, duty, coverage: None } => {
                let book = book.as_deref().context("name a book")?;
                clauses::run(book, clause.as_deref(), duty, format, style).map(Report::from)
            }
            RulesCommand::Diff { before, after } => {
                compare::diff(before, after, format, style).map(Report::from)
            }
            RulesCommand::New { id, from, folder } => {
                new_book::write(id, from.as_deref(), folder, format).map(Report::from)
            }
            RulesCommand::Check { folders } => {
                let check::Checked { text, sound, unread } = check::check(folders, format);
                if unread.is_empty() {
                    return Ok(Report { text, code: u8::from(!sound) });
                }
                // What is to be said of the others is said; the exit code is that of the worst.
                print(&text)?;
                bail!(unread.join("; "))
            }
            RulesCommand::Schema { file } => Ok(books::schema(*file).into()),
        },
        Task::Completions { shell } => {
            let script = completions::script(*shell)?;
            Ok(if format.is_json() { json::document("completions", &script) } else { script }
                .into())
        }
        Task::Man { folder } => man(folder.as_deref(), format).map(Report::from),
    }
}

/// The manual: one page on standard output, or a page for each command in a folder.
fn man(folder: Option<&std::path::Path>, format: Format) -> anyhow::Result<String> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        let page = String::from_utf8(page).context("the page is not text")?;
        return Ok(if format.is_json() { json::document("manual", &page) } else { page });
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .with_context(|| format!("cannot write the manual into {}", folder.display()))?;
    if format.is_json() {
        return Ok(json::wrote(folder));
    }
    Ok(format!("wrote the manual into {}\n", folder.display()))
}

/// Prints a text. A reader who has seen enough (`| head`) is no error.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
