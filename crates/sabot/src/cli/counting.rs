//! What is counted: odds, and simulated shoes.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use rules::{Card, Method, Offer, Spot};

use super::values::{BOOK, METHOD, OFFER, SPOT};

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
