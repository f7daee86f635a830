//! How fast a table is: one of the paces that have a name, or times of one's own.

use store::Pace;
use toml::Value;

/// A quick table, for people who know the game.
const QUICK: Pace = Pace {
    betting_ms: 10_000,
    card_ms: 600,
    result_ms: 3_500,
    answer_ms: 6_000,
    idle_ms: 30 * 60_000,
};
/// A pace for programs: nothing waits for eyes.
const AT_ONCE: Pace =
    Pace { betting_ms: 400, card_ms: 1, result_ms: 1, answer_ms: 200, idle_ms: 30 * 60_000 };

/// The paces that have a name.
const PACES: [(&str, Pace); 3] = [("usual", Pace::USUAL), ("quick", QUICK), ("at-once", AT_ONCE)];

/// What may stand there.
pub(super) const MAY: &str = "usual, quick or at-once, or times such as { betting_ms = 15000 }, of \
     betting_ms, card_ms, result_ms, answer_ms and idle_ms, each from 1 to 86400000";

/// The longest time: a day.
const MOST: i64 = 24 * 60 * 60_000;

/// The pace of that name.
#[must_use]
pub fn pace(word: &str) -> Option<Pace> {
    PACES.iter().find(|(name, _)| *name == word).map(|(_, pace)| *pace)
}

/// The pace that a configuration names, or whose times it gives; times that are left out are those
/// of the usual pace.
pub(super) fn read(value: Option<&Value>) -> Option<Pace> {
    let times = match value {
        None => return Some(Pace::USUAL),
        Some(Value::String(word)) => return pace(word),
        Some(value) => value.as_table()?,
    };
    let mut pace = Pace::USUAL;
    for (key, value) in times {
        let time = match key.as_str() {
            "betting_ms" => &mut pace.betting_ms,
            "card_ms" => &mut pace.card_ms,
            "result_ms" => &mut pace.result_ms,
            "answer_ms" => &mut pace.answer_ms,
            "idle_ms" => &mut pace.idle_ms,
            _ => return None,
        };
        let given = value.as_integer().filter(|given| (1..=MOST).contains(given))?;
        *time = u64::try_from(given).ok()?;
    }
    Some(pace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Pace> {
        let document: toml::Table = format!("pace = {text}").parse().expect("a document");
        read(document.get("pace"))
    }

    #[test]
    fn a_pace_has_a_name_or_times_and_what_is_left_out_is_usual() {
        assert_eq!(read(None), Some(Pace::USUAL));
        assert_eq!(of("\"quick\""), Some(QUICK));
        let own = of("{ betting_ms = 15000, answer_ms = 1 }").expect("a pace");
        assert_eq!(own, Pace { betting_ms: 15_000, answer_ms: 1, ..Pace::USUAL });
    }

    #[test]
    fn a_time_that_is_none_is_refused() {
        let faults = ["\"slow\"", "7", "{ betting_ms = 0 }", "{ card_ms = 86400001 }"];
        let more = ["{ idle_ms = -1 }", "{ betting = 5 }", "{ betting_ms = \"5\" }"];
        for text in faults.into_iter().chain(more) {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
