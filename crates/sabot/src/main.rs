//! The command `sabot`.

mod audit;
mod books;
mod check;
mod clauses;
mod cli;
mod compare;
mod coup;
mod coverage;
mod data;
mod drill;
mod index;
mod judge;
mod odds;
mod play;
mod plot;
mod show;
mod simulate;
mod tournament;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Context;
use clap::{CommandFactory, Parser};

use crate::cli::{Cli, Command, RulesCommand};
use crate::show::Style;

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

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli).and_then(|report| print(&report.text).map(|()| report.code)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // Nothing is left to be done if even this cannot be written.
            let _ = writeln!(anstream::stderr(), "sabot: {error:#}");
            ExitCode::from(if error.is::<judge::WrongUse>() { 2 } else { 1 })
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<Report> {
    let style = Style::of_stdout();
    match &cli.command {
        Command::Play(arguments) => play::run(arguments).map(Report::from),
        Command::Drill(arguments) => drill::run(arguments, cli.json, style).map(Report::from),
        Command::Audit { command } => audit::run(command, cli.json, style),
        Command::Odds(arguments) => odds::run(arguments, cli.json, style).map(Report::from),
        Command::Simulate(arguments) => simulate::run(arguments, cli.json, style).map(Report::from),
        Command::Coup(arguments) => coup::run(arguments, cli.json, style).map(Report::from),
        Command::Judge(arguments) => {
            let (text, code) = judge::run(arguments, cli.json, style)?;
            Ok(Report { text, code })
        }
        Command::Tournament { command } => tournament::run(command, cli.json, style),
        Command::Rules { command } => match command {
            RulesCommand::List => books::list(cli.json, style).map(Report::from),
            RulesCommand::Show { book, keys } => {
                books::show(book, *keys, cli.json, style).map(Report::from)
            }
            RulesCommand::Clauses { book, coverage: Some(folder), .. } => {
                let (text, whole) = coverage::run(book.as_deref(), folder, cli.json)?;
                Ok(Report { text, code: u8::from(!whole) })
            }
            RulesCommand::Clauses { book, clause, duty, coverage: None } => {
                let book = book.as_deref().context("name a book")?;
                clauses::run(book, clause.as_deref(), duty, cli.json, style).map(Report::from)
            }
            RulesCommand::Diff { before, after } => {
                compare::diff(before, after, cli.json, style).map(Report::from)
            }
            RulesCommand::Check { folders } => {
                let (text, good) = check::check(folders, cli.json);
                Ok(Report { text, code: u8::from(!good) })
            }
            RulesCommand::Schema { file } => Ok(books::schema(*file).into()),
        },
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "sabot", &mut script);
            Ok(String::from_utf8(script).context("the script is not text")?.into())
        }
        Command::Man { folder } => man(folder.as_deref()).map(Report::from),
    }
}

/// The manual: one page on standard output, or a page for each command in a folder.
fn man(folder: Option<&std::path::Path>) -> anyhow::Result<String> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        return String::from_utf8(page).context("the page is not text");
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .with_context(|| format!("cannot write the manual into {}", folder.display()))?;
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
