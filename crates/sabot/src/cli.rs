//! The command line: what can be typed.

mod counting;
mod events;
mod keeping;
mod playing;
mod ruling;
mod values;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::show::Format;

pub(crate) use self::counting::{BurnChoice, OddsArguments, SimulateArguments, SimulateCommand};
pub(crate) use self::events::{
    ConditionsArguments, EventCards, RehearseArguments, RunArguments, TournamentCommand,
};
pub(crate) use self::keeping::{AuditCommand, SessionArguments, StoreArguments, StoreCommand};
pub(crate) use self::playing::{DrillArguments, GUEST, PlayArguments, ServeArguments, Speed};
pub(crate) use self::ruling::{CoupArguments, JudgeArguments, RulesCommand, SchemaFile};

/// What the exit code of each command says.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done, and what was asked about holds
  1  it does not hold: a check, an expectation or a verification failed
  2  wrong use: the command, a name, a value or a file cannot be understood, read or written
  3  it cannot be judged here: the edition of the book is not at hand (`audit verify`)";

/// Runs baccarat tables and tournaments under a regulator's approved rulebook. Every ruling names
/// the clause that it rests on.
#[derive(Debug, Parser)]
#[command(name = "sabot", version, arg_required_else_help = true, propagate_version = true)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Print JSON, for other programs; faults too, on standard error
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Task,
}

impl Cli {
    /// In which form the report is wanted. A command that can write CSV says so itself.
    pub(crate) const fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Text }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Play at a table in the terminal, dealt from a provably fair shoe
    Play(PlayArguments),
    /// Open a floor of tables that people join from browsers, terminals and programs
    Serve(ServeArguments),
    /// Look after the log of a floor: check it, copy it while it is in use, export it, count it
    Store {
        #[command(subcommand)]
        command: StoreCommand,
    },
    /// Practise dealing: what comes next, what it totals, what is paid, what goes wrong
    Drill(DrillArguments),
    /// Check the log of a session: the chain, the shoes, the money; export what it says
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Tell what every wager is worth: exactly, for any shoe
    Odds(OddsArguments),
    /// Deal whole shoes and tell what they bring
    Simulate(SimulateArguments),
    /// Play one coup and see which clause decided each step
    Coup(CoupArguments),
    /// Play transcripts and judge every line of them under the book
    Judge(JudgeArguments),
    /// Prepare a tournament: check, print and rehearse its conditions
    Tournament {
        #[command(subcommand)]
        command: TournamentCommand,
    },
    /// Read, compare and check rulebooks
    Rules {
        #[command(subcommand)]
        command: RulesCommand,
    },
    /// Print a script that completes sabot's commands in a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands into a folder
    Man {
        /// Where to write one page for each command
        folder: Option<PathBuf>,
    },
}
