//! The command line: what can be typed.

mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use rulebooks::{Duty, SchemaOf};
use rules::{Bet, Card, Cents, Method, Offer, Spot};

use crate::show::Format;

use self::values::{BOOK, METHOD, OFFER, SPOT, TOURNAMENT_BOOK, bet, duty, questions};

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

#[derive(Debug, Args)]
pub(crate) struct StoreArguments {
    /// A file, or a part of a session's name; without, the floor of `sabot serve`, or the newest
    /// session
    #[arg(value_name = "LOG", value_hint = ValueHint::FilePath)]
    pub(crate) log: Option<String>,
    /// Where everything is kept; without, `SABOT_DATA` or the system's folder for such data
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Check the chain, judge every act again, count the money, verify every shoe
    Verify {
        #[command(flatten)]
        store: StoreArguments,
        /// A head that you kept: shows whether the end was cut off
        #[arg(long, value_name = "VERSION:HASH")]
        head: Option<String>,
    },
    /// Write a whole copy, also while the floor is open
    Backup {
        #[command(flatten)]
        store: StoreArguments,
        /// The file to write
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        to: PathBuf,
    },
    /// Write the whole log as lines of JSON: every record as it stands, commands, books, names
    Export {
        #[command(flatten)]
        store: StoreArguments,
        /// The file to write
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        to: PathBuf,
    },
    /// Make a log from what `export` wrote, and check all of it
    Import {
        /// The lines
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        from: PathBuf,
        /// The log to make
        #[arg(long, value_name = "LOG", value_hint = ValueHint::FilePath)]
        to: PathBuf,
        /// A head that you kept: shows whether the end was left out
        #[arg(long, value_name = "VERSION:HASH")]
        head: Option<String>,
    },
    /// Tell how much there is
    Stats {
        #[command(flatten)]
        store: StoreArguments,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The set-up, in the form of --example
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Print a commented set-up: what the server starts with
    #[arg(long)]
    pub(crate) example: bool,
    /// Where to listen, such as 127.0.0.1:7373; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<String>,
    /// Robots at each table that the system deals, 0 to 6
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) robots: Option<String>,
    /// Where everything is kept, instead of the system's place for such data
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
}

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

/// What is settled when a table opens, and not when a session goes on.
const OPENING: [&str; 8] =
    ["book", "deal", "players", "stack", "method", "with", "decks", "face_down"];
/// Your name, if you say none.
pub(crate) const GUEST: &str = "Guest";

/// Play at a table in the terminal with play money. The cards come from a shoe whose order is bound
/// before you cut it, and every card that is shown is proved. Everything is recorded before it is
/// shown: a session that was interrupted goes on with --resume.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
#[derive(Debug, Args)]
pub(crate) struct PlayArguments {
    /// An id, a folder, or AMENDMENT@BASE
    #[arg(default_value = "act-2018", value_parser = BOOK, hide_possible_values = true)]
    pub(crate) book: String,
    /// Deal yourself: say what is done with the cards, right or wrong, and see the rulings
    #[arg(long)]
    pub(crate) deal: bool,
    /// With --deal, key in real cards instead of having them from the system's shoe
    #[arg(long, requires = "deal")]
    pub(crate) keyed: bool,
    /// Go on with a session as it was: the newest, or the one whose name has this in it
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "")]
    #[arg(conflicts_with_all = OPENING)]
    pub(crate) resume: Option<String>,
    /// Play at a table of a server, such as <http://127.0.0.1:7373>, with the others there
    #[arg(long, value_name = "ADDRESS")]
    #[arg(conflicts_with_all = ["deal", "resume", "clock", "players"])]
    pub(crate) server: Option<String>,
    /// With --server, the id of the table; without, one that has a free place
    #[arg(long, value_name = "ID", requires = "server")]
    pub(crate) table: Option<String>,
    /// Line by line instead of a full screen, for screen readers and pipes
    #[arg(long)]
    pub(crate) plain: bool,
    /// Simulated players at the other seats; without, none, and three if you deal
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=6))]
    pub(crate) players: Option<u8>,
    /// Seconds to bet in; without, there is no clock
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u16).range(5..=600))]
    pub(crate) clock: Option<u16>,
    /// How fast cards are dealt
    #[arg(long, default_value = "normal")]
    pub(crate) speed: Speed,
    /// Your name at the table
    #[arg(long, default_value = GUEST)]
    pub(crate) name: String,
    /// Sign in at the server as the member of that name; the password is asked for, or
    /// `SABOT_PASSWORD`
    #[arg(long, requires_all = ["server", "name"])]
    pub(crate) sign_in: bool,
    /// The play money you sit down with
    #[arg(long, value_name = "AMOUNT", default_value = "1000")]
    pub(crate) stack: Cents,
    /// How winning Banker wagers are paid: commission, half-on-six, or what the book has
    #[arg(long, value_name = "METHOD", value_parser = METHOD, hide_possible_values = true)]
    pub(crate) method: Option<Method>,
    /// Side bets besides the book's own, a sheet of them, or a pay table: lucky-6, pairs=canberra
    #[arg(long, value_name = "SIDE-BETS", value_delimiter = ',', value_parser = OFFER)]
    #[arg(hide_possible_values = true)]
    pub(crate) with: Vec<Offer>,
    /// Decks in the shoe, where the book leaves a choice
    #[arg(long, value_name = "N")]
    pub(crate) decks: Option<u32>,
    /// Have the cards dealt face down from the start
    #[arg(long)]
    pub(crate) face_down: bool,
    /// Where sessions are kept; without, `SABOT_DATA` or the system's folder for such data
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
}

/// Questions about dealing under a book. Misses name their clause; what you miss comes up more
/// often.
#[derive(Debug, Args)]
pub(crate) struct DrillArguments {
    /// An id, a folder, or AMENDMENT@BASE
    #[arg(default_value = "act-2018", value_parser = BOOK, hide_possible_values = true)]
    pub(crate) book: String,
    /// How many questions
    #[arg(long, short, value_name = "N", default_value = "20", value_parser = questions())]
    pub(crate) questions: u16,
    /// Only questions on this
    #[arg(long, value_name = "TOPIC")]
    pub(crate) topic: Vec<crate::drill::Topic>,
    /// Show the results so far, and ask nothing
    #[arg(long)]
    pub(crate) results: bool,
    /// Where results are kept; without, `SABOT_DATA` or the system's folder for such data
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
}

/// Which session.
#[derive(Debug, Args)]
pub(crate) struct SessionArguments {
    /// A file, or a part of a session's name; without, the newest session
    pub(crate) session: Option<String>,
    /// Where sessions are kept; without, `SABOT_DATA` or the system's folder for such data
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// List the sessions
    List {
        /// Where sessions are kept; without, `SABOT_DATA` or the system's folder for such data
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        data: Option<PathBuf>,
    },
    /// Check the chain, judge every act again, count the money, verify every shoe; exits with 1 if
    /// something does not hold, and with 3 if nothing is wrong but the book is another edition here
    Verify {
        #[command(flatten)]
        session: SessionArguments,
        /// A head that you kept, as `sabot audit head` printed it: shows whether the end was cut
        /// off
        #[arg(long, value_name = "VERSION:HASH")]
        head: Option<String>,
    },
    /// Write a session, a shoe or a coup as a transcript that `sabot judge` plays
    Replay {
        #[command(flatten)]
        session: SessionArguments,
        /// Which table or event of a floor's log, such as t1 or e1; without, the only one
        #[arg(long, value_name = "ID")]
        table: Option<String>,
        /// Only this coup
        #[arg(long, value_name = "N", conflicts_with = "shoe")]
        coup: Option<u32>,
        /// Only this shoe
        #[arg(long, value_name = "N")]
        shoe: Option<u32>,
        /// Write it to a file
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Write the coups of a session as CSV, with every wager and what it won or lost
    Csv {
        #[command(flatten)]
        session: SessionArguments,
        /// Which table of a floor's log, such as t1; without, the only one
        #[arg(long, value_name = "ID")]
        table: Option<String>,
        /// Only the wagers of this player
        #[arg(long, value_name = "NAME")]
        player: Option<String>,
        /// Write it to a file
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Print all that was published of a shoe, as JSON, for docs/VERIFY.md and its verifier
    Shoe {
        #[command(flatten)]
        session: SessionArguments,
        /// Which table of a floor's log, such as t1; without, the only one
        #[arg(long, value_name = "ID")]
        table: Option<String>,
        /// Which shoe, from 1; without, the last
        #[arg(long, value_name = "N")]
        number: Option<usize>,
    },
    /// Print the head of the checkpoints, to be kept elsewhere
    Head {
        #[command(flatten)]
        session: SessionArguments,
    },
    /// Print the public key that the house signs its heads with
    Key {
        #[command(flatten)]
        session: SessionArguments,
        /// Replace the key by a new one, which the old one signs; the session must not be in use
        #[arg(long)]
        change: bool,
        /// Begin a new key, because the file of the old one is lost: nobody vouches for it, and
        /// shoes that were open are abandoned
        #[arg(long, conflicts_with = "change")]
        lost: bool,
    },
    /// Erase somebody's name from a session that is not in use; the chain keeps the account, and
    /// everything holds as before
    Erase {
        /// The name
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        session: SessionArguments,
    },
    /// Print every record as a line of JSON, the body as it is stored
    Log {
        #[command(flatten)]
        session: SessionArguments,
        /// The rulebooks too, by which payments can be computed again
        #[arg(long)]
        books: bool,
    },
}

/// What every wager of a book is worth, by exact counts of all draws: no floating point before
/// printing.
#[derive(Debug, Args)]
pub(crate) struct OddsArguments {
    /// An id, a folder, or AMENDMENT@BASE
    #[arg(default_value = "act-2018", value_parser = BOOK, hide_possible_values = true)]
    pub(crate) book: String,
    /// Decks in the shoe, 1 to 16; without, eight or what the book has
    #[arg(long, value_name = "N")]
    pub(crate) decks: Option<u32>,
    /// Cards that are out of the shoe, such as 5h,Kd
    #[arg(long, value_name = "CARDS", value_delimiter = ',')]
    pub(crate) removed: Vec<Card>,
    /// Cards of the coup that are seen already, in the order of dealing
    #[arg(long, value_name = "CARDS", value_delimiter = ',')]
    pub(crate) given: Vec<Card>,
    /// The shoe as this transcript leaves it
    #[arg(long, value_name = "FILE.coup")]
    pub(crate) shoe: Option<PathBuf>,
    /// Only this wager, payout by payout
    #[arg(long, value_name = "SPOT", value_parser = SPOT)]
    #[arg(hide_possible_values = true)]
    pub(crate) wager: Option<Spot>,
    /// How winning Banker wagers are paid: commission, half-on-six, or what the book has
    #[arg(long, value_name = "METHOD", value_parser = METHOD, hide_possible_values = true)]
    pub(crate) method: Option<Method>,
    /// Side bets besides the book's own, a sheet of them, or a pay table: lucky-6, pairs=canberra
    #[arg(long, value_name = "SIDE-BETS", value_delimiter = ',', value_parser = OFFER)]
    #[arg(hide_possible_values = true)]
    pub(crate) with: Vec<Offer>,
    /// Set the house edges of other books beside this one's
    #[arg(long, value_name = "BOOK", value_delimiter = ',')]
    #[arg(value_parser = BOOK, hide_possible_values = true)]
    pub(crate) compare: Vec<String>,
    /// Tell what one card less of each rank does to each wager
    #[arg(long)]
    pub(crate) effect_of_removal: bool,
    /// Tell how often each wager turns favourable for somebody who counts perfectly
    #[arg(long)]
    pub(crate) count: bool,
    /// Shoes to count through
    #[arg(long, value_name = "N", default_value = "1000", requires = "count")]
    pub(crate) shoes: u64,
    /// Where the random numbers start
    #[arg(long, value_name = "S", default_value = "1")]
    pub(crate) seed: u64,
    /// Threads; without, as many as the machine has
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Draw the house edges, or the payouts of one wager, into a file
    #[arg(long, value_name = "FILE.svg|png")]
    pub(crate) plot: Option<PathBuf>,
}

/// Deal whole shoes with the book's own burn, cutting card and last round, all wagers at once. The
/// same seed gives the same figures for any number of threads. Ctrl-C prints what there is.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SimulateArguments {
    #[command(subcommand)]
    pub(crate) command: Option<SimulateCommand>,
    /// An id, a folder, or AMENDMENT@BASE
    #[arg(default_value = "act-2018", value_parser = BOOK, hide_possible_values = true)]
    pub(crate) book: String,
    /// How many shoes
    #[arg(long, value_name = "N", default_value = "1000000")]
    pub(crate) shoes: u64,
    /// Where the random numbers start
    #[arg(long, value_name = "S", default_value = "1")]
    pub(crate) seed: u64,
    /// Cards behind the cutting card; without, the book's least
    #[arg(long, value_name = "N")]
    pub(crate) cut: Option<u32>,
    /// How the shoe begins; without, as the book has it
    #[arg(long)]
    pub(crate) burn: Option<BurnChoice>,
    /// Decks in the shoe, 1 to 16; without, eight or what the book has
    #[arg(long, value_name = "N")]
    pub(crate) decks: Option<u32>,
    /// How winning Banker wagers are paid: commission, half-on-six, or what the book has
    #[arg(long, value_name = "METHOD", value_parser = METHOD, hide_possible_values = true)]
    pub(crate) method: Option<Method>,
    /// Side bets besides the book's own, a sheet of them, or a pay table: lucky-6, pairs=canberra
    #[arg(long, value_name = "SIDE-BETS", value_delimiter = ',', value_parser = OFFER)]
    #[arg(hide_possible_values = true)]
    pub(crate) with: Vec<Offer>,
    /// Threads; without, as many as the machine has
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Also follow a flat bettor's deepest fall within each shoe
    #[arg(long)]
    pub(crate) paths: bool,
    /// Only the Kth of N parts of the run, written so that `sabot simulate merge` can add it up
    #[arg(long, value_name = "K/N")]
    pub(crate) shard: Option<String>,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Draw how many rounds shoes had into a file
    #[arg(long, value_name = "FILE.svg|png")]
    pub(crate) plot: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SimulateCommand {
    /// Add up the parts that --shard wrote
    Merge {
        /// The parts
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print CSV
        #[arg(long, conflicts_with = "json")]
        csv: bool,
    },
}

/// How a simulated shoe begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BurnChoice {
    /// The first card is shown and tells how many go with it
    Shown,
    /// One card, unseen
    Unseen,
    /// No card
    None,
}

/// How fast cards are dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Speed {
    /// A second a card
    Slow,
    /// A card in less than half a second
    Normal,
    /// A card in a blink
    Fast,
    /// Without any delay
    Instant,
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
