//! The keys of a file of conditions, for the reference.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Every key of a file of conditions: its meaning, and an example.
pub const KEYS: [(&str, &str, &str); 31] = [
    ("book", "the rulebook", "\"act-2018\""),
    ("name", "what the event is called", "\"Autumn Cup\""),
    ("start", "day and time of the first session", "\"2027-03-20 19:00\""),
    ("application", "how to apply", "\"on the form at the desk\""),
    ("entry", "who may enter, and on what conditions", "\"adults\""),
    ("restricted", "entry is not open to everybody", "true"),
    ("live", "played with chips worth cash", "true"),
    ("fee", "what entry costs, in dollars", "100"),
    ("commission", "what the house keeps of it: a share, or dollars of each", "\"10%\""),
    ("added", "what the house adds to the pool, in dollars", "500"),
    ("chips", "chips at the start of a session", "1000"),
    ("players", "fewest and most players", "\"24..36\""),
    ("groups", "restrictions on groups of players", "\"none\""),
    ("limits", "limits of main, tie, and groups of side bets", "{ main = \"50..1000 by 50\" }"),
    ("raised", "the limits after the indicator card", "{ main = \"100..2000\" }"),
    ("stages", "the stages in order, each a table of its own", "[stages.final]"),
    ("sit_and_go", "tables start as they fill: when, and how players come to them", "\"…\""),
    ("repechage", "who qualifies for a second chance", "\"…\""),
    (
        "buy_back",
        "whether eliminated players may buy back",
        "\"none\" or { times = 1, fee = 50, stages = 1 }",
    ),
    ("elimination", "how players are eliminated", "\"…\""),
    ("level", "level on chips after a session: rounds, card (share with points)", "\"rounds\""),
    ("level_final", "level in the end: rounds, card, share", "\"share\""),
    ("ranking", "what decides in the end: chips or points", "\"points\""),
    (
        "prizes",
        "for each place a share of the pool, a fixed sum, or goods in words",
        "[\"60%\", \"40%\", \"$50\", \"a dinner for two\"]",
    ),
    ("pool", "how the pool comes about", "\"all fees less the commission\""),
    ("statement", "who conducts it, and what prevails", "\"…\""),
    ("secret_wagers", "secret wagers of a player in a session", "1"),
    ("indicator", "an indicator card goes into the shoe", "true"),
    ("both_sides", "whether Banker and Player may be wagered on together", "false"),
    ("settlement", "commission or half-on-six", "\"commission\""),
    ("side_bets", "the side bets that are offered", "[\"pairs=perfect\", \"dragon\"]"),
];

/// Every key of a stage: its meaning, and an example.
pub const STAGE_KEYS: [(&str, &str, &str); 13] = [
    ("from", "who plays in it, with `and` between", "\"winners of heats and losers of heats\""),
    ("seats", "most players at a table, seven if nothing is said", "6"),
    ("tables", "tables at the same time", "4"),
    ("coups", "its length in coups with wagers", "10"),
    ("shoes", "or in shoes", "1"),
    ("minutes", "or in minutes", "60"),
    ("advance", "how many of each table advance", "2"),
    ("runners_up", "how many others of all tables advance, those with the most chips", "2"),
    ("points", "points by place at the table", "[10, 6, 3]"),
    ("secondary", "a second chance, as the book knows it", "true"),
    ("chips", "chips at the start of its sessions, if other than the event's", "2000"),
    ("limits", "limits of its tables, if other than the event's", "{ main = \"100..2000\" }"),
    ("raised", "its limits after the indicator card", "{ main = \"200..4000\" }"),
];

/// The word of a list that the writer of another word probably meant: at most two letters are
/// wrong, and fewer than half.
#[must_use]
pub fn near<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let distances = known.into_iter().map(|known| (distance(&lower, &known.to_lowercase()), known));
    let nearest = distances.min_by_key(|(distance, _)| *distance)?;
    let most = 2.min(word.chars().count().saturating_sub(1) / 2);
    Some(nearest).filter(|(distance, _)| *distance <= most).map(|(_, known)| known)
}

/// The number of letters to add, drop, change or swap with a neighbour until two words are equal.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = alloc::vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = alloc::vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// The reference of the keys, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut text = String::from(
        "# Conditions of a tournament\n\nMade by `sabot tournament keys`. A file of conditions is \
         TOML; `sabot tournament new BOOK` prints one to begin with.\nAmounts are dollars: a whole \
         number, or a text such as `\"12.50\"`. Where a book wants a matter stated and it is \
         not,\n`sabot tournament check` names the key and the clause.\n\n| key | what it says | \
         example |\n|---|---|---|\n",
    );
    let row = |(key, about, example): &(&str, &str, &str)| {
        format!("| `{key}` | {about} | `{example}` |\n")
    };
    text.extend(KEYS.iter().map(row));
    text += "\nA stage has, under `[stages.NAME]` or `[stages.\"two words\"]`:\n\n| key | what it \
             says | example |\n|---|---|---|\n";
    text.extend(STAGE_KEYS.iter().map(row));
    text + "\nPlayers come to a stage as `entrants`, `winners of STAGE`, `losers of STAGE`, or \
            `leaders 6` (the most points).\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conditions::Conditions;
    use std::collections::BTreeSet;

    #[test]
    fn the_reference_has_every_key_and_no_other() {
        let stage = "[stages.a]\nfrom=\"entrants\"\ntables=1\ncoups=1\nadvance=1\npoints=[1]\n\
                     secondary=true\nrunners_up=1\nchips=1\nlimits={main=\"1..2\"}\n\
                     raised={main=\"2..3\"}\n";
        let conditions: Conditions = toml::from_str(stage).unwrap_or_default();
        let json = serde_json::to_value(&conditions).unwrap_or_default();
        let keys: BTreeSet<_> =
            json.as_object().into_iter().flatten().map(|(k, _)| k.as_str()).collect();
        assert_eq!(keys, KEYS.iter().map(|(key, ..)| *key).collect());
        let stage = json["stages"]["a"].as_object();
        let keys: BTreeSet<_> = stage.into_iter().flatten().map(|(k, _)| k.as_str()).collect();
        let all: BTreeSet<_> = STAGE_KEYS.iter().map(|(key, ..)| *key).collect();
        let length = ["shoes", "minutes"];
        assert_eq!(keys, all.into_iter().filter(|key| !length.contains(key)).collect());
    }
}
