//! The scoreboard roads of one shoe, kept up in constant time per result.

use alloc::vec::Vec;

use rules::{Outcome, Side};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Rows of every grid.
pub const ROWS: usize = 6;

/// A result as the bead plate shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bead {
    /// The number of the coup.
    pub coup: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether Banker had a pair.
    pub banker_pair: bool,
    /// Whether Player had a pair.
    pub player_pair: bool,
    /// Whether there was a natural.
    pub natural: bool,
}

/// A mark of a derived road: red is regular, blue is not. The colours do not mean Banker and
/// Player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Regular.
    Red,
    /// Irregular.
    Blue,
}

impl Mark {
    /// The other mark.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Red => Self::Blue,
            Self::Blue => Self::Red,
        }
    }
}

/// The position of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The column, from the left.
    pub column: usize,
    /// The row, from the top.
    pub row: usize,
}

/// A road of runs: each starts at the top and turns right where it cannot go down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout<T> {
    cells: Vec<(Cell, T)>,
    /// For each column, the occupied rows, one bit each.
    taken: Vec<u8>,
    head: Option<usize>,
    tail: Option<Cell>,
}

impl<T: Copy + PartialEq> Layout<T> {
    /// The marks in the order in which they came.
    #[must_use]
    pub fn cells(&self) -> &[(Cell, T)] {
        &self.cells
    }

    fn clear(&mut self) {
        let Self { cells, taken, head, tail } = self;
        cells.clear();
        taken.clear();
        (*head, *tail) = (None, None);
    }

    fn is_free(&self, cell: Cell) -> bool {
        cell.row < ROWS
            && self.taken.get(cell.column).is_none_or(|rows| rows & (1 << cell.row) == 0)
    }

    fn put(&mut self, cell: Cell, mark: T) {
        if self.taken.len() <= cell.column {
            self.taken.resize(cell.column + 1, 0);
        }
        self.taken[cell.column] |= 1 << cell.row;
        self.tail = Some(cell);
        self.cells.push((cell, mark));
    }

    /// Adds a mark to the current run, or starts a new one.
    fn push(&mut self, mark: T, continues: bool) {
        if let (true, Some(tail)) = (continues, self.tail) {
            let below = Cell { row: tail.row + 1, ..tail };
            let right = Cell { column: tail.column + 1, ..tail };
            let next = if self.is_free(below) { below } else { right };
            return self.put(next, mark);
        }
        let mut column = self.head.map_or(0, |head| head + 1);
        while !self.is_free(Cell { column, row: 0 }) {
            column += 1;
        }
        self.head = Some(column);
        self.put(Cell { column, row: 0 }, mark);
    }
}

/// One of the three roads derived from the big road.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derived {
    marks: Vec<Mark>,
    layout: Layout<Mark>,
}

impl Derived {
    /// The marks in order.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The positions of the marks.
    #[must_use]
    pub fn cells(&self) -> &[(Cell, Mark)] {
        self.layout.cells()
    }
}

/// All roads of one shoe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roads {
    beads: Vec<Bead>,
    /// The runs of the big road: the side, and the length.
    runs: Vec<(Side, u32)>,
    big: Layout<Side>,
    /// The ties on each cell of the big road, and those before its first cell.
    ties: Vec<u32>,
    leading_ties: u32,
    derived: [Derived; 3],
}

/// The results are stored; the roads follow from them.
impl Serialize for Roads {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.beads.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Roads {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let beads = Vec::<Bead>::deserialize(deserializer)?;
        let mut roads = Self::default();
        for bead in beads {
            roads.push(bead);
        }
        Ok(roads)
    }
}

impl<T> Default for Layout<T> {
    fn default() -> Self {
        Self { cells: Vec::new(), taken: Vec::new(), head: None, tail: None }
    }
}

/// The marks that the next result would leave in the three derived roads, if any.
pub type Ask = [Option<Mark>; 3];

impl Roads {
    /// The results in order; result i stands at row i mod 6, column i div 6.
    #[must_use]
    pub fn beads(&self) -> &[Bead] {
        &self.beads
    }

    /// The big road: each cell, the side that won, and the ties on it.
    pub fn big_road(&self) -> impl Iterator<Item = (Cell, Side, u32)> {
        self.big.cells().iter().zip(&self.ties).map(|((cell, side), ties)| (*cell, *side, *ties))
    }

    /// Ties before the first Banker or Player.
    #[must_use]
    pub const fn leading_ties(&self) -> u32 {
        self.leading_ties
    }

    /// Big eye boy, small road and cockroach pig.
    #[must_use]
    pub const fn derived(&self) -> &[Derived; 3] {
        &self.derived
    }

    /// How many of each so far: Banker, Player, ties.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |outcome| self.beads.iter().filter(|bead| bead.outcome == outcome).count();
        let (banker, player) = (Outcome::Won(Side::Banker), Outcome::Won(Side::Player));
        (count(banker), count(player), count(Outcome::Tie))
    }

    /// Adds a result.
    pub fn push(&mut self, bead: Bead) {
        self.beads.push(bead);
        let Outcome::Won(side) = bead.outcome else {
            match self.ties.last_mut() {
                Some(ties) => *ties += 1,
                None => self.leading_ties += 1,
            }
            return;
        };
        let marks = self.ask(side);
        let continues = self.runs.last().is_some_and(|(last, _)| *last == side);
        if let (true, Some((_, length))) = (continues, self.runs.last_mut()) {
            *length += 1;
        } else {
            self.runs.push((side, 1));
        }
        self.big.push(side, continues);
        // Ties before the first result are shown on it.
        self.ties.push(if self.ties.is_empty() { self.leading_ties } else { 0 });
        for (road, mark) in self.derived.iter_mut().zip(marks) {
            if let Some(mark) = mark {
                let continues = road.marks.last() == Some(&mark);
                road.marks.push(mark);
                road.layout.push(mark, continues);
            }
        }
    }

    /// The marks that a win of that side would leave.
    #[must_use]
    pub fn ask(&self, side: Side) -> Ask {
        let length = |run: usize| self.runs.get(run).map_or(0, |(_, length)| *length);
        let continues = self.runs.last().is_some_and(|(last, _)| *last == side);
        [1, 2, 3].map(|k| {
            if continues {
                let run = self.runs.len() - 1;
                let behind = run.checked_sub(k)?;
                let depth = length(run) + 1;
                Some(if depth == length(behind) + 1 { Mark::Blue } else { Mark::Red })
            } else {
                let run = self.runs.len();
                let (last, other) = (run.checked_sub(1)?, run.checked_sub(1 + k)?);
                Some(if length(last) == length(other) { Mark::Red } else { Mark::Blue })
            }
        })
    }

    /// Clears the roads. Their memory is kept for the next shoe.
    pub fn clear(&mut self) {
        let Self { beads, runs, big, ties, leading_ties, derived } = self;
        beads.clear();
        runs.clear();
        big.clear();
        ties.clear();
        *leading_ties = 0;
        for Derived { marks, layout } in derived {
            marks.clear();
            layout.clear();
        }
    }

    /// Takes a coup out that was voided later; the roads of the shoe are rebuilt without it.
    pub fn remove(&mut self, coup: u32) {
        if !self.beads.iter().any(|bead| bead.coup == coup) {
            return;
        }
        let beads = core::mem::take(&mut self.beads);
        self.clear();
        for bead in beads.into_iter().filter(|bead| bead.coup != coup) {
            self.push(bead);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    fn roads(results: &str) -> Roads {
        let mut roads = Roads::default();
        for (i, letter) in results.chars().enumerate() {
            let outcome = match letter {
                'B' => Outcome::Won(Side::Banker),
                'P' => Outcome::Won(Side::Player),
                _ => Outcome::Tie,
            };
            let coup = u32::try_from(i).unwrap();
            roads.push(Bead {
                coup,
                outcome,
                banker_pair: false,
                player_pair: false,
                natural: false,
            });
        }
        roads
    }

    fn marks(road: &Derived) -> String {
        road.marks().iter().map(|mark| if *mark == Mark::Red { 'R' } else { 'B' }).collect()
    }

    /// The positions of the cells of the big road, as text with one line per row.
    fn big(roads: &Roads) -> Vec<String> {
        let mut grid: Vec<Vec<String>> = Vec::new();
        for (cell, side, ties) in roads.big_road() {
            while grid.len() <= cell.row {
                grid.push(Vec::new());
            }
            while grid[cell.row].len() <= cell.column {
                grid[cell.row].push(".".into());
            }
            let letter = if side == Side::Banker { "B" } else { "P" };
            grid[cell.row][cell.column] =
                if ties == 0 { letter.into() } else { std::format!("{letter}{ties}") };
        }
        grid.iter().map(|row| row.join(" ")).collect()
    }

    #[test]
    fn example_a() {
        let roads = roads("BPPBBBTPBBPPPPBPBBTTPBBBBPP");
        let [eye, small, pig] = roads.derived();
        assert_eq!(marks(eye), "BBRBBBBBRBRBBRBBBBRRBR");
        assert_eq!(marks(small), "BRBBRBBRRBBBBBRRBRBB");
        assert_eq!(marks(pig), "RRRRRBBRBRBRBRRBR");
        let (red, blue) = (Some(Mark::Red), Some(Mark::Blue));
        assert_eq!(roads.ask(Side::Banker), [blue, blue, red]);
        assert_eq!(roads.ask(Side::Player), [red, red, blue]);
        assert_eq!(big(&roads)[..2], ["B P B P B P B P B P B P", ". P B . B P . . B2 . B P"]);
        assert_eq!(big(&roads)[2], ". . B1 . . P . . . . B");
    }

    #[test]
    fn example_b_a_dragon() {
        let roads = roads("PBBBBBBBBPPBPBBP");
        let [eye, small, pig] = roads.derived();
        assert_eq!(marks(eye), "BRRRRRRBRBBRBB");
        assert_eq!(marks(small), "BBBBBB");
        assert_eq!(marks(pig), "RBRR");
        assert_eq!(big(&roads)[5], ". B B B");
        assert_eq!(big(&roads)[0], "P B P B P B P");
    }

    #[test]
    fn ties_before_the_first_result_move_onto_it() {
        assert_eq!(roads("TT").leading_ties(), 2);
        assert_eq!(big(&roads("TTB")), ["B2"]);
    }

    /// The invariants of the roads hold for all shoes of up to nine results.
    #[test]
    fn what_holds_always_holds() {
        for length in 0..=9_u32 {
            for code in 0..3_u32.pow(length) {
                let shoe: String = (0..length)
                    .map(|i| ['B', 'P', 'T'][usize::try_from(code / 3_u32.pow(i) % 3).unwrap()])
                    .collect();
                let full = roads(&shoe);
                let without_ties = roads(&shoe.replace('T', ""));
                assert_eq!(
                    full.derived, without_ties.derived,
                    "{shoe}: ties change no derived road"
                );
                let swapped: String = shoe
                    .chars()
                    .map(|letter| match letter {
                        'B' => 'P',
                        'P' => 'B',
                        tie => tie,
                    })
                    .collect();
                assert_eq!(full.derived, roads(&swapped).derived, "{shoe}: swapping changes none");
                for (banker, player) in full.ask(Side::Banker).iter().zip(full.ask(Side::Player)) {
                    assert_eq!(banker.map(Mark::opposite), player, "{shoe}: asks are opposite");
                }
                let mut cells: Vec<_> = full.big.cells().iter().map(|(cell, _)| *cell).collect();
                cells.sort_by_key(|cell| (cell.column, cell.row));
                cells.dedup();
                assert_eq!(cells.len(), full.big.cells().len(), "{shoe}: two marks share a cell");
            }
        }
    }

    #[test]
    fn cleared_roads_are_as_new_ones() {
        let mut again = roads("TTBPPBBBBBBBBTPB");
        again.clear();
        assert_eq!(again, Roads::default());
        let once = roads("BPPBBBTPBBPPPPBPBBTTPBBBBPP");
        once.beads().iter().for_each(|bead| again.push(*bead));
        assert_eq!(again, once);
    }

    #[test]
    fn a_voided_coup_leaves_no_mark() {
        let mut roads_with = roads("BPPBB");
        roads_with.remove(3);
        let kept: Vec<_> = roads_with.beads().iter().map(|bead| bead.coup).collect();
        assert_eq!(kept, [0, 1, 2, 4]);
        let mut expected = Roads::default();
        roads("BPPBB").beads().iter().filter(|b| b.coup != 3).for_each(|b| expected.push(*b));
        assert_eq!(roads_with, expected);
    }
}
