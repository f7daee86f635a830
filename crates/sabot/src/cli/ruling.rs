//! What a book says: its pages, one coup, transcripts.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use rulebooks::{Duty, SchemaOf};
use rules::{Bet, Card, Method, Offer};

use super::values::{BOOK, METHOD, OFFER, bet, duty};

/// A BOOK is the id of a rulebook that comes with sabot, or the folder of one of your own. An
/// amendment is laid over the book that it names itself; `vic-2005@act-2018` lays it over another.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// List the rulebooks that come with sabot
    List,
    /// Show a book's sign and all of its decisions and grounds, each with its clause
    Show {
        /// An id, a folder, or AMENDMENT@BASE
        #[arg(value_parser = BOOK, hide_possible_values = true)]
        book: String,
        /// Name decisions and grounds as rulebook.toml does, such as cut.depth
        #[arg(long)]
        keys: bool,
    },
    /// List a book's clauses in our own words
    Clauses {
        /// An id, a folder, or AMENDMENT@BASE; with --coverage, all books if none is named
        #[arg(required_unless_present = "coverage")]
        #[arg(value_parser = BOOK, hide_possible_values = true)]
        book: Option<String>,
        /// Only this clause and its sub-paragraphs, with the decisions and grounds that rest on
        /// them and the transcripts that cite them
        clause: Option<String>,
        /// Only clauses of this duty
        #[arg(long, value_parser = duty())]
        duty: Vec<Duty>,
        /// Tell which clauses the transcripts in this folder make the engine cite, `transcripts` if
        /// none is named; exits with 1 if one is not cited
        #[arg(long, value_name = "FOLDER", num_args = 0..=1, default_missing_value = "transcripts")]
        coverage: Option<PathBuf>,
    },
    /// Tell what changed between two books, with both clauses
    Diff {
        /// The book to compare
        #[arg(value_parser = BOOK, hide_possible_values = true)]
        before: String,
        /// The book to compare it with
        #[arg(value_parser = BOOK, hide_possible_values = true)]
        after: String,
    },
    /// Write a book of your own to begin with: a folder with both of its files, which can be loaded
    New {
        /// Its id: at most 15 letters a-z, digits and `-`
        id: String,
        /// Begin with a copy of this book, an id or a folder, with its sheets of side bets
        #[arg(long, value_name = "BOOK", value_parser = BOOK, hide_possible_values = true)]
        from: Option<String>,
        /// The folder in which its folder is made
        #[arg(long = "in", value_name = "FOLDER", default_value = ".")]
        folder: PathBuf,
    },
    /// Check rulebooks and report all of their faults
    Check {
        /// Folders with a rulebook.toml and a clauses.toml
        #[arg(required = true)]
        folders: Vec<String>,
    },
    /// Print a JSON Schema of a book's files, for editors
    Schema {
        /// Which file
        #[arg(default_value = "rulebook")]
        file: SchemaFile,
    },
}

/// Which file of a book.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SchemaFile {
    /// rulebook.toml
    Rulebook,
    /// clauses.toml
    Clauses,
}

impl From<SchemaFile> for SchemaOf {
    fn from(file: SchemaFile) -> Self {
        match file {
            SchemaFile::Rulebook => Self::Rulebook,
            SchemaFile::Clauses => Self::Clauses,
        }
    }
}

/// Play transcripts: the ruling is printed under each line with the clause that it rests on, and
/// what the file expects is checked. Exits with 0 if all expectations hold, 1 if one does not or a
/// line cannot be read, 2 if sabot was called wrongly.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
#[derive(Debug, Args)]
pub(crate) struct JudgeArguments {
    /// Transcripts (.coup), folders of them, or - for what is piped in
    #[arg(required_unless_present_any = ["reference", "refusals", "index"])]
    pub(crate) files: Vec<PathBuf>,
    /// Play under other books and show where they rule differently
    #[arg(long, value_name = "BOOK", value_delimiter = ',')]
    #[arg(value_parser = BOOK, hide_possible_values = true)]
    pub(crate) under: Vec<String>,
    /// Print only what failed, and the count
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print the reference of the language
    #[arg(long)]
    pub(crate) reference: bool,
    /// Print the reference of the refusals
    #[arg(long)]
    pub(crate) refusals: bool,
    /// Print which of the transcripts that come with sabot shows what
    #[arg(long)]
    pub(crate) index: bool,
}

/// Play one coup. Without a book, the same coup is played under each book that comes with sabot.
#[derive(Debug, Args)]
pub(crate) struct CoupArguments {
    /// An id, a folder, or AMENDMENT@BASE
    #[arg(value_parser = BOOK, hide_possible_values = true)]
    pub(crate) book: Option<String>,
    /// The cards as they leave the shoe: Player, Banker, Player, Banker, third cards; without
    /// cards, an example
    pub(crate) cards: Vec<Card>,
    /// A wager, such as banker=100 or tie=2.50
    #[arg(long = "bet", value_name = "SPOT=AMOUNT", value_parser = bet)]
    pub(crate) bets: Vec<Bet>,
    /// How winning Banker wagers are paid: commission, half-on-six, or what the book has
    #[arg(long, value_name = "METHOD", value_parser = METHOD, hide_possible_values = true)]
    pub(crate) method: Option<Method>,
    /// Side bets besides the book's own, a sheet of them, or a pay table: lucky-6, pairs=canberra
    #[arg(long, value_name = "SIDE-BETS", value_delimiter = ',', value_parser = OFFER)]
    #[arg(hide_possible_values = true)]
    pub(crate) with: Vec<Offer>,
}
