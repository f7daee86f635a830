//! The conditions of small events, which tests hold.

/// A cup for whoever comes, with all that the books ask of conditions; the book is named with it.
pub const CUP: &str = r#"
name = "Cup"
start = "2027-03-20 19:00"
application = "at the desk"
entry = "adults"
fee = 100
commission = "10%"
chips = 1000
players = "2..7"
groups = "none"
limits = { main = "50..1000", tie = "50..200" }
buy_back = "none"
elimination = "who cannot wager the minimum before a round is out of the tournament"
level = "rounds"
level_final = "rounds"
pool = "all entry fees less the commission"
prizes = ["60%", "40%"]
statement = "The Tournament Director conducts the tournament; the rules prevail"
stages.final = { from = "entrants", tables = 1, seats = 7, coups = 2 }
"#;

/// An event of two, over after two rounds.
pub const DUEL: &str = r#"
book = "act-2012"
name = "Quick Cup"
start = "2026-01-10 19:00"
application = "here"
fee = 100
commission = "10%"
chips = 1000
players = "2..2"
groups = "none"
limits = { main = "50..1000", tie = "50..200" }
pool = "all entry fees less the commission"
prizes = ["100%"]
stages.final = { from = "entrants", tables = 1, seats = 7, coups = 2 }
"#;
