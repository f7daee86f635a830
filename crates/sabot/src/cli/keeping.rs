//! What can be asked of logs: those of a floor, and those of sessions.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

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
