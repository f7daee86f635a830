//! What a table was opened with, asked in one place: a table that is open has decks and seats.

use table::State;

/// How many decks the shoe of a table has.
///
/// Before the table is opened, as many as a shoe usually has.
#[must_use]
pub fn decks(table: &State) -> u32 {
    table.options().decks.unwrap_or(8)
}

/// How many seats a table has.
///
/// Before the table is opened, as many as a table usually has.
#[must_use]
pub fn seats(table: &State) -> u32 {
    table.options().seats.unwrap_or(7)
}
