//! Conditions of a tournament to begin with, as they are or made for a number of players.

use rules::Rulebook;
use tournament::{Conditions, check, plan};

/// Conditions to begin with; each names the book that it is for.
const EXAMPLES: [&str; 3] = [
    include_str!("../../../tournaments/act-2012.toml"),
    include_str!("../../../tournaments/act-2018.toml"),
    include_str!("../../../tournaments/tas-2013.toml"),
];

/// The conditions with another book's name.
fn named_for(text: &str, book: &str) -> String {
    let own = text.lines().find_map(|line| line.strip_prefix("book = \""));
    let own = own.and_then(|line| line.split('"').next()).unwrap_or_default();
    let other = text.replace(&format!("book = \"{own}\""), &format!("book = {book:?}"));
    other.replace(&format!("under {own}."), &format!("under {book}."))
}

/// The example that has the fewest faults under a book, written for it. A book of one's own may
/// want something that none of them says; `tournament check` then tells it.
fn example(name: &str, book: &Rulebook) -> String {
    let faults = |text: &str| {
        let conditions = crate::conditions(text).ok()?;
        let conditions = Conditions { book: None, ..conditions };
        Some(check::faults(&conditions, book).len())
    };
    let all = EXAMPLES.into_iter().map(|text| named_for(text, name));
    let best = all.min_by_key(|text| (faults(text).unwrap_or(usize::MAX), !is_for(text, book)));
    best.unwrap_or_default()
}

/// Whether the numbers beside the conditions are those of the book, or of the one that it amends.
fn is_for(text: &str, book: &Rulebook) -> bool {
    let clauses = book.title.base.unwrap_or(book.title.id);
    EXAMPLES.iter().any(|example| {
        example.contains(&format!("book = \"{clauses}\""))
            && named_for(example, "x") == named_for(text, "x")
    })
}

/// How players are eliminated where nobody has a second chance.
const ELIMINATION: &str =
    "elimination = \"who cannot wager the minimum before a round is out of the tournament\"";

/// Most players at a table.
const SEATS: u32 = 7;

/// Conditions for a book of that name, for up to so many players if a number is given.
///
/// # Errors
///
/// When no event of so many players can be made.
pub fn conditions_for(
    name: &str,
    book: &Rulebook,
    players: Option<u32>,
) -> Result<String, crate::Unread> {
    let text = example(name, book);
    match players {
        None => Ok(text),
        Some(players) => made_for(&text, players),
    }
}

/// A round of an event: its players, and how many of each table advance.
struct Round {
    players: u32,
    advance: u32,
}

/// Rounds until all who are left fit at one table.
fn rounds(players: u32) -> (Vec<Round>, u32) {
    let (mut left, mut rounds) = (players, Vec::new());
    while left > SEATS {
        let tables = left.div_ceil(SEATS);
        let fewest = left / tables;
        // To one table if they fit, otherwise about half of each table.
        let fit = SEATS / tables;
        let advance = if fit > 0 { fit } else { SEATS / 2 }.min(fewest - 1).max(1);
        rounds.push(Round { players: left, advance });
        left = tables * advance;
    }
    (rounds, left)
}

/// The conditions of an example with the stages, players and prizes that so many need.
fn made_for(text: &str, players: u32) -> Result<String, crate::Unread> {
    let (rounds, finalists) = rounds(players);
    let stages = stages(&rounds, finalists);
    let prizes = prizes(finalists);
    let mut least = players;
    // As many fewer as still make an event.
    while least > 2 {
        let tried = body(text, &format!("{}..{players}", least - 1), &prizes) + &stages;
        let conditions = crate::conditions(&tried)?;
        if !plan::faults(&conditions, least - 1).is_empty() {
            break;
        }
        least -= 1;
    }
    Ok(body(text, &format!("{least}..{players}"), &prizes) + &stages)
}

/// What an example says before its stages, for other numbers.
fn body(text: &str, players: &str, prizes: &str) -> String {
    let before = text.split("\n[stages").next().unwrap_or(text);
    let most = players.rsplit("..").next().unwrap_or(players);
    let other = |line: &str| line.replace("up to 36 players", &format!("up to {most} players"));
    let mut made = String::new();
    for line in before.lines() {
        let key = line.split('=').next().unwrap_or("").trim();
        let line = match key {
            // There is no second chance in these stages.
            "repechage" => continue,
            "elimination" => ELIMINATION.to_owned(),
            "players" => format!("players = \"{players}\""),
            "prizes" => format!("prizes = {prizes}"),
            _ => other(line),
        };
        made += &line;
        made += "\n";
    }
    made
}

fn stages(rounds: &[Round], finalists: u32) -> String {
    const NAMES: [&str; 4] = ["first", "second", "third", "fourth"];
    let mut text = String::new();
    let mut from = String::from("entrants");
    for (i, round) in rounds.iter().enumerate() {
        let name = match (rounds.len(), NAMES.get(i)) {
            (1, _) => "heats".to_owned(),
            (_, Some(which)) => format!("{which} round"),
            (_, None) => format!("round {}", i + 1),
        };
        let tables = round.players.div_ceil(SEATS);
        text += &format!(
            "\n[stages.\"{name}\"]\nfrom = \"{from}\"\ntables = {tables}\nseats = {SEATS}\ncoups = \
             10\nadvance = {}\n",
            round.advance
        );
        from = format!("winners of {name}");
    }
    text + &format!(
        "\n[stages.final]\nfrom = \"{from}\"\ntables = 1\nseats = {}\ncoups = 15\n",
        finalists.max(2)
    )
}

fn prizes(finalists: u32) -> String {
    let parts: &[u32] = match finalists {
        0..=2 => &[60, 40],
        3 => &[50, 30, 20],
        4 => &[40, 30, 20, 10],
        5 => &[40, 25, 15, 12, 8],
        _ => &[40, 25, 15, 10, 6, 4],
    };
    let parts: Vec<_> = parts.iter().map(|part| format!("\"{part}%\"")).collect();
    format!("[{}]", parts.join(", "))
}
