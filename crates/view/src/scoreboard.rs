//! The scoreboard of a shoe.

use rules::Side;
use serde::{Deserialize, Serialize};
use table::roads::{Ask, Bead, Cell, Derived, Mark, Roads};

use crate::Word;
use crate::felt::outcome_word;

/// A result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BeadView {
    /// The number of the coup.
    pub coup: u32,
    /// The outcome: `player`, `banker` or `tie`.
    pub outcome: Word,
    /// Whether Player had a pair.
    pub player_pair: bool,
    /// Whether Banker had a pair.
    pub banker_pair: bool,
    /// Whether there was a natural.
    pub natural: bool,
}

/// A cell of the big road.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RunView {
    /// The column, from the left.
    pub column: usize,
    /// The row, from the top.
    pub row: usize,
    /// The side that won: `player` or `banker`.
    pub side: Word,
    /// The ties on it.
    pub ties: u32,
}

/// A cell of a derived road.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MarkView {
    /// The column, from the left.
    pub column: usize,
    /// The row, from the top.
    pub row: usize,
    /// The mark: `red` is regular, `blue` is not.
    pub mark: Word,
}

/// The marks that a win would leave in the derived roads, if any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AskView {
    /// In the big eye boy.
    pub big_eye: Option<Word>,
    /// In the small road.
    pub small: Option<Word>,
    /// In the cockroach pig.
    pub pig: Option<Word>,
}

/// How many of each so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CountsView {
    /// Coups that Banker won.
    pub banker: usize,
    /// Coups that Player won.
    pub player: usize,
    /// Ties.
    pub ties: usize,
    /// Banker's pairs.
    pub banker_pairs: usize,
    /// Player's pairs.
    pub player_pairs: usize,
    /// Naturals.
    pub naturals: usize,
}

/// All roads of one shoe. Roads are history; they say nothing of the next coup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RoadsView {
    /// The results in order; result i stands at row i mod 6, column i div 6 of the bead plate.
    pub beads: Vec<BeadView>,
    /// The big road.
    pub big: Vec<RunView>,
    /// Ties before the first Banker or Player.
    pub leading_ties: u32,
    /// The big eye boy.
    pub big_eye: Vec<MarkView>,
    /// The small road.
    pub small: Vec<MarkView>,
    /// The cockroach pig.
    pub pig: Vec<MarkView>,
    /// What a win of Banker would leave.
    pub ask_banker: AskView,
    /// What a win of Player would leave.
    pub ask_player: AskView,
    /// The counts.
    pub counts: CountsView,
}

fn mark_word(mark: Mark) -> Word {
    Word::Borrowed(match mark {
        Mark::Red => "red",
        Mark::Blue => "blue",
    })
}

fn ask_view([big_eye, small, pig]: Ask) -> AskView {
    AskView {
        big_eye: big_eye.map(mark_word),
        small: small.map(mark_word),
        pig: pig.map(mark_word),
    }
}

fn marks(road: &Derived) -> Vec<MarkView> {
    let mark = |(Cell { column, row }, mark): &(Cell, Mark)| MarkView {
        column: *column,
        row: *row,
        mark: mark_word(*mark),
    };
    road.cells().iter().map(mark).collect()
}

/// The scoreboard, for a reader.
#[must_use]
pub fn roads_view(roads: &Roads) -> RoadsView {
    let bead = |bead: &Bead| BeadView {
        coup: bead.coup,
        outcome: outcome_word(bead.outcome),
        player_pair: bead.player_pair,
        banker_pair: bead.banker_pair,
        natural: bead.natural,
    };
    let run = |(Cell { column, row }, side, ties): (Cell, Side, u32)| RunView {
        column,
        row,
        side: side.key().into(),
        ties,
    };
    let count = |of: fn(&Bead) -> bool| roads.beads().iter().filter(|bead| of(bead)).count();
    let (banker, player, ties) = roads.counts();
    let [big_eye, small, pig] = roads.derived();
    RoadsView {
        beads: roads.beads().iter().map(bead).collect(),
        big: roads.big_road().map(run).collect(),
        leading_ties: roads.leading_ties(),
        big_eye: marks(big_eye),
        small: marks(small),
        pig: marks(pig),
        ask_banker: ask_view(roads.ask(Side::Banker)),
        ask_player: ask_view(roads.ask(Side::Player)),
        counts: CountsView {
            banker,
            player,
            ties,
            banker_pairs: count(|bead| bead.banker_pair),
            player_pairs: count(|bead| bead.player_pair),
            naturals: count(|bead| bead.natural),
        },
    }
}
