//! What opens a table or a floor: playing, serving, practising.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use rules::{Cents, Method, Offer};

use super::values::{BOOK, METHOD, OFFER, questions};

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
