//! The two tableaux: when Player and when Banker draws a third card, as the regulator prints them.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::{self, Write};

use crate::policy::{Datum, Shape, Value};

/// What a hand does after the initial deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The hand takes a third card.
    Draw,
    /// The hand takes no third card.
    Stand,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Draw => "draw",
            Self::Stand => "stand",
        })
    }
}

/// The number of totals that a tableau has rows for; higher totals are naturals.
const ROWS: usize = 8;
/// The number of point counts that Player's third card can have.
const COLUMNS: usize = 10;

/// For each total from 0 to 7: draw or stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayerTableau([Action; ROWS]);

impl PlayerTableau {
    /// What a hand of that total does; nothing above 7.
    #[must_use]
    pub fn action(&self, total: u8) -> Option<Action> {
        self.0.get(usize::from(total)).copied()
    }
}

/// For each total of Banker from 0 to 7 and each third card of Player: draw or stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BankerTableau {
    drew: [[Action; COLUMNS]; ROWS],
    stood: Option<[Action; ROWS]>,
}

impl BankerTableau {
    /// What Banker does with that total after a third card of Player that counts `third`.
    #[must_use]
    pub fn after_third(&self, total: u8, third: u8) -> Option<Action> {
        self.drew.get(usize::from(total))?.get(usize::from(third)).copied()
    }

    /// What Banker does with that total after Player stood, if this tableau says.
    #[must_use]
    pub fn after_stand(&self, total: u8) -> Option<Action> {
        self.stood?.get(usize::from(total)).copied()
    }

    /// Whether the tableau has a column for "Player stood".
    #[must_use]
    pub const fn says_if_player_stood(&self) -> bool {
        self.stood.is_some()
    }
}

/// Reads the totals that a row is for, each from 0 to 7.
fn totals(words: &str) -> Result<impl Iterator<Item = usize>, String> {
    let bad = words.split_whitespace().find(|word| !matches!(word.parse(), Ok(0..ROWS)));
    match bad {
        Some(word) => Err(format!("`{word}` is no total from 0 to 7")),
        None => Ok(words.split_whitespace().filter_map(|word| word.parse().ok())),
    }
}

/// Fills in the row of a total, and reports a total that has two.
fn put<T>(rows: &mut [Option<T>; ROWS], total: usize, row: T) -> Result<(), String> {
    match rows[total].replace(row) {
        None => Ok(()),
        Some(_) => Err(format!("total {total} has two rows")),
    }
}

fn complete<T: Copy>(rows: &[Option<T>; ROWS]) -> Result<[T; ROWS], String> {
    match rows.iter().position(Option::is_none) {
        Some(total) => Err(format!("total {total} has no row")),
        None => Ok(rows.map(|row| row.expect("no row is missing"))),
    }
}

impl Value for PlayerTableau {
    const SHAPE: Shape = Shape::Text {
        what: "the totals 0 to 7, those that draw in one line and those that stand in another,",
        examples: &["0 1 2 3 4 5 draw\\n6 7 stand"],
    };

    fn read(datum: &Datum) -> Result<Self, String> {
        let Datum::Text(text) = datum else { return Err(String::new()) };
        let mut rows = [None; ROWS];
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (label, action) = line.rsplit_once(' ').ok_or_else(String::new)?;
            let action = match action {
                "draw" => Action::Draw,
                "stand" => Action::Stand,
                _ => return Err(format!("`{line}` ends neither in draw nor in stand")),
            };
            for total in totals(label)? {
                put(&mut rows, total, action)?;
            }
        }
        complete(&rows).map(Self)
    }

    fn datum(&self) -> Datum {
        Datum::Text(self.to_string())
    }
}

impl fmt::Display for PlayerTableau {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for action in [Action::Draw, Action::Stand] {
            let mut totals = (0..ROWS).filter(|&total| self.0[total] == action).peekable();
            if totals.peek().is_none() {
                continue;
            }
            if !first {
                writeln!(f)?;
            }
            first = false;
            totals.try_for_each(|total| write!(f, "{total} "))?;
            write!(f, "{action}")?;
        }
        Ok(())
    }
}

/// A column of Banker's grid.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Stood,
    Third(usize),
}

fn columns(header: &str) -> Result<([Option<Column>; COLUMNS + 1], usize), String> {
    let mut columns = [None; COLUMNS + 1];
    let mut count = 0;
    for word in header.split_whitespace() {
        let column = match word.parse() {
            Ok(third @ 0..COLUMNS) => Column::Third(third),
            _ if word == "-" => Column::Stood,
            _ => return Err(format!("`{word}` is no column: they are - and 0 to 9")),
        };
        if columns.contains(&Some(column)) {
            return Err(format!("column {word} stands twice"));
        }
        columns[count] = Some(column);
        count += 1;
    }
    match (0..COLUMNS).find(|&third| !columns.contains(&Some(Column::Third(third)))) {
        Some(third) => Err(format!("column {third} is missing")),
        None => Ok((columns, count)),
    }
}

impl Value for BankerTableau {
    const SHAPE: Shape = Shape::Text {
        what: "a grid with `|` behind the totals, a heading with the columns `-` (Player stood, \
               may be left out) and 0 to 9, and rows of D and S for all totals 0 to 7, a row",
        examples: &["3 | D  D D D D D D D D S D"],
    };

    fn read(datum: &Datum) -> Result<Self, String> {
        let Datum::Text(text) = datum else { return Err(String::new()) };
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let (_, header) =
            lines.next().and_then(|line| line.split_once('|')).ok_or_else(String::new)?;
        let (columns, count) = columns(header)?;
        let mut rows = [None; ROWS];
        for line in lines {
            let (label, cells) =
                line.split_once('|').ok_or_else(|| format!("`{line}` has no `|`"))?;
            let given = cells.split_whitespace().count();
            if given != count {
                return Err(format!(
                    "row `{}` has {given} cells under {count} columns",
                    label.trim()
                ));
            }
            let (mut drew, mut stood) = ([Action::Stand; COLUMNS], None);
            for (column, cell) in columns.iter().flatten().zip(cells.split_whitespace()) {
                let action = match cell {
                    "D" => Action::Draw,
                    "S" => Action::Stand,
                    _ => return Err(format!("`{cell}` is neither D nor S")),
                };
                match column {
                    Column::Stood => stood = Some(action),
                    Column::Third(third) => drew[*third] = action,
                }
            }
            for total in totals(label)? {
                put(&mut rows, total, (drew, stood))?;
            }
        }
        let rows = complete(&rows)?;
        let stood = columns
            .contains(&Some(Column::Stood))
            .then(|| rows.map(|(_, stood)| stood.expect("every row has a cell for each column")));
        Ok(Self { drew: rows.map(|(drew, _)| drew), stood })
    }

    fn datum(&self) -> Datum {
        Datum::Text(self.to_string())
    }
}

impl fmt::Display for BankerTableau {
    /// The whole grid, "Player stood" first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |action| if action == Action::Draw { 'D' } else { 'S' };
        write!(f, "  |{}", if self.stood.is_some() { " - " } else { "" })?;
        (0..COLUMNS).try_for_each(|third| write!(f, " {third}"))?;
        for total in 0..ROWS {
            write!(f, "\n{total} |")?;
            if let Some(stood) = self.stood {
                write!(f, " {} ", letter(stood[total]))?;
            }
            for third in 0..COLUMNS {
                f.write_char(' ')?;
                f.write_char(letter(self.drew[total][third]))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(text: &str) -> Result<PlayerTableau, String> {
        PlayerTableau::read(&Datum::Text(text.into()))
    }

    fn banker(text: &str) -> Result<BankerTableau, String> {
        BankerTableau::read(&Datum::Text(text.into()))
    }

    #[test]
    fn a_tableau_reads_back_as_it_is_written_whatever_the_order_of_columns() {
        let tableau = player("6 7 stand\n 0 1 2 3 4 5 draw\n").unwrap();
        assert_eq!(tableau.to_string(), "0 1 2 3 4 5 draw\n6 7 stand");
        let one = banker(
            "|0 1 2 3 4 5 6 7 8 9 -\n0 1 2 3 4 5 6|D D D D D D D D S D S\n7|S S S S S S S S S S D",
        );
        let one = one.unwrap();
        assert_eq!(one.after_stand(7), Some(Action::Draw));
        assert_eq!(
            (one.after_third(3, 8), one.after_third(3, 9)),
            (Some(Action::Stand), Some(Action::Draw))
        );
        assert_eq!((one.after_third(8, 0), one.after_third(0, 10)), (None, None));
        assert_eq!(BankerTableau::read(&one.datum()), Ok(one));
    }

    #[test]
    fn a_misdrawn_tableau_is_refused_with_what_is_wrong() {
        let head = "| - 0 1 2 3 4 5 6 7 8 9";
        let row = "| D D D D D D D D D D D";
        for (wrong, text) in [
            ("total 7 has no row", format!("{head}\n0 1 2 3 4 5 6 {row}")),
            ("total 3 has two rows", format!("{head}\n0 1 2 3 4 5 6 7 {row}\n3 {row}")),
            ("`8` is no total from 0 to 7", format!("{head}\n0 1 2 3 4 5 6 7 8 {row}")),
            ("row `0` has 12 cells under 11 columns", format!("{head}\n0 {row} D")),
            ("`X` is neither D nor S", format!("{head}\n0 | D D D D D D D D D D X")),
            ("column 9 is missing", "| - 0 1 2 3 4 5 6 7 8\n".into()),
            ("column - stands twice", "| - - 0 1 2 3 4 5 6 7 8 9\n".into()),
            ("`10` is no column: they are - and 0 to 9", "| 10\n".into()),
        ] {
            assert_eq!(banker(&text).unwrap_err(), wrong);
        }
        assert_eq!(player("0 1 2 3 4 5 6 draw").unwrap_err(), "total 7 has no row");
        assert_eq!(player("0 1 may").unwrap_err(), "`0 1 may` ends neither in draw nor in stand");
    }
}
