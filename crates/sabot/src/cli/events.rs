//! What can be done with a tournament.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::values::TOURNAMENT_BOOK;

/// CONDITIONS is a file such as `sabot tournament new act-2018` prints.
#[derive(Debug, Subcommand)]
pub(crate) enum TournamentCommand {
    /// Print conditions to begin with, for one of the books that have tournaments
    New {
        /// A book that has tournaments: an id, or a folder
        #[arg(value_parser = TOURNAMENT_BOOK, hide_possible_values = true)]
        book: String,
        /// For up to so many players: the stages are made for them
        #[arg(long, value_name = "N")]
        #[arg(value_parser = clap::value_parser!(u32).range(2..=500))]
        players: Option<u32>,
    },
    /// Tell all that is missing in conditions, cannot be read or cannot work, each with its clause
    /// or its line; exits with 1 if there is something
    Check {
        #[command(flatten)]
        conditions: ConditionsArguments,
    },
    /// Print the conditions for players and regulator, with their hash
    Conditions {
        #[command(flatten)]
        conditions: ConditionsArguments,
        /// As a page for a browser
        #[arg(long)]
        html: bool,
        /// As the lines of a transcript that state them
        #[arg(long, conflicts_with = "html")]
        lines: bool,
    },
    /// Play the whole event many times with simulated players: how long it takes, how often players
    /// are level, who gets what
    Rehearse(RehearseArguments),
    /// Run the event from a console: what is next, who is in turn, standings and sheets;
    /// interrupted at any point, the same command goes on
    Run(RunArguments),
    /// Print the reference of the keys that conditions have
    Keys,
    /// Draw a secret for a ballot and print its commitment
    Ballot,
    /// Seal a secret wager: print a salt and the commitment to hand in
    Seal {
        /// What is on the form, such as "100 on player"; without it, or with -, it is asked for or
        /// read from the pipe, so that it stays out of the history of the shell
        content: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ConditionsArguments {
    /// The file
    pub(crate) conditions: PathBuf,
    /// The book, if the file names none
    #[arg(long, value_name = "BOOK", value_parser = TOURNAMENT_BOOK, hide_possible_values = true)]
    pub(crate) under: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) conditions: ConditionsArguments,
    /// Real cards that are keyed in, or a provable shoe of the system's at every table
    #[arg(long, default_value = "keyed")]
    pub(crate) cards: EventCards,
    /// The clock stands until a line sets it, such as `clock 2026-07-04 19:00`; for rehearsals
    #[arg(long)]
    pub(crate) clock_by_line: bool,
    /// Begin anew, although an event of this name was begun or is over
    #[arg(long)]
    pub(crate) again: bool,
    /// Run the event on a server, such as `http://127.0.0.1:7373`
    #[arg(long, value_name = "URL", conflicts_with = "clock_by_line")]
    pub(crate) server: Option<String>,
    /// Who you are on the server; the password is asked for, or `SABOT_PASSWORD`
    #[arg(long, value_name = "NAME", requires = "server")]
    pub(crate) name: Option<String>,
    /// Where events are kept; without, `SABOT_DATA` or the system's folder for such data
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
}

/// Which cards the tables of an event are dealt from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EventCards {
    /// Real ones, keyed in.
    Keyed,
    /// The system's shoe.
    System,
}

#[derive(Debug, Args)]
pub(crate) struct RehearseArguments {
    #[command(flatten)]
    pub(crate) conditions: ConditionsArguments,
    /// How many enter; without, as many as the conditions have at most
    #[arg(long, value_name = "N")]
    pub(crate) entrants: Option<u32>,
    /// How often it is played
    #[arg(long, default_value_t = 200, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) times: u32,
    /// One player in so many does not come; 0 for none
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub(crate) no_show: u32,
    /// Seconds from one coup to the next, for the length of the evening
    #[arg(long, default_value_t = 75, value_name = "SECONDS")]
    pub(crate) pace: u32,
    /// Minutes between stages
    #[arg(long, default_value_t = 15, value_name = "MINUTES")]
    pub(crate) between: u32,
    /// The same number gives the same rehearsal again
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) seed: u64,
    /// Write the first rehearsal as a transcript, to be read or judged
    #[arg(long, value_name = "FILE")]
    pub(crate) transcript: Option<PathBuf>,
}
