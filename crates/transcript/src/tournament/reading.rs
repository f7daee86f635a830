//! Reads files of conditions, and reports all their faults at once.

use std::ops::{Range, RangeInclusive};

use toml::de::{DeTable, DeValue};
use toml::{Table, Value};
use tournament::Conditions;
use tournament::keys::near;

/// A fault in a file of conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The line, from 1, if it is known.
    pub line: Option<usize>,
    /// The key, if it is known.
    pub key: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// Reads conditions: a document of TOML.
///
/// # Errors
///
/// With the first fault, and its line.
pub fn conditions(text: &str) -> Result<Conditions, Unread> {
    toml::from_str(text).map_err(|fault| located(text, &fault).0)
}

/// Reads conditions as far as possible: the values that could be read, and all faults in the order
/// of the lines.
#[must_use]
pub fn all_conditions(text: &str) -> (Option<Conditions>, Vec<Unread>) {
    let mut faults = Vec::new();
    let text = without_broken_lines(text, &mut faults);
    let read = DeTable::parse(&text).ok().zip(text.parse::<Table>().ok());
    let conditions = read.and_then(|(places, table)| {
        let mut judged = Judged { text: &text, faults: &mut faults };
        let sound = judged.sound(places.get_ref(), &table);
        as_conditions(sound).map_err(|fault| judged.tell(None, None, &fault)).ok()
    });
    faults.sort_by_key(|fault| fault.line);
    (conditions, faults)
}

/// The text without the lines that are not TOML. Lines under a heading stay under a heading.
fn without_broken_lines(text: &str, faults: &mut Vec<Unread>) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    // Each pass removes a line that could not be read, so there are no more passes than lines.
    for _ in 0..=lines.len() {
        let joined = lines.join("\n");
        let Err(fault) = DeTable::parse(&joined) else { return joined };
        let (fault, broken) = located(&joined, &fault);
        if broken.clone().all(|i| lines.get(i).is_none_or(String::is_empty)) {
            faults.push(fault);
            break;
        }
        faults.push(fault);
        for i in broken {
            let heading = lines[i].trim_start().starts_with('[') && !lines[i].contains('=');
            lines[i] = if heading { format!("[stages.\"line {}\"]", i + 1) } else { String::new() };
        }
    }
    String::new()
}

/// The values of a file, each read alone, so that one fault does not hide another.
struct Judged<'a> {
    text: &'a str,
    faults: &'a mut Vec<Unread>,
}

/// An entry of a table: its name, its position, the positions of its own entries, and its value.
struct Keyed<'a> {
    name: &'a str,
    span: Range<usize>,
    places: Option<&'a DeTable<'a>>,
    value: &'a Value,
}

/// The entries of a table with their places.
fn entries<'a>(places: &'a DeTable<'a>, table: &'a Table) -> impl Iterator<Item = Keyed<'a>> {
    places.iter().filter_map(|(key, place)| {
        let name = key.get_ref().as_ref();
        let span = key.span().start..place.span().end.max(key.span().end);
        let places = if let DeValue::Table(places) = place.get_ref() { Some(places) } else { None };
        Some(Keyed { name, span, places, value: table.get(name)? })
    })
}

fn as_conditions(table: Table) -> Result<Conditions, toml::de::Error> {
    Value::Table(table).try_into()
}

/// A table with one entry.
fn one(name: &str, value: Value) -> Table {
    Table::from_iter([(name.to_owned(), value)])
}

impl Judged<'_> {
    /// The entries that can be read; a fault is noted for each of the others.
    fn sound(&mut self, places: &DeTable, table: &Table) -> Table {
        let mut sound = Table::new();
        for entry in entries(places, table) {
            let kept = match (entry.name, entry.places, entry.value) {
                ("stages", Some(places), Value::Table(stages)) => {
                    Some(Value::Table(self.stages(places, stages)))
                }
                _ => self.entry(&entry),
            };
            sound.extend(kept.map(|value| (entry.name.to_owned(), value)));
        }
        sound
    }

    /// A value at the top, if it can be read.
    fn entry(&mut self, entry: &Keyed) -> Option<Value> {
        let Keyed { name, value, .. } = *entry;
        let wrong = |value: Value| as_conditions(one(name, value)).err();
        let Some(fault) = wrong(value.clone()) else { return Some(value.clone()) };
        let before = self.faults.len();
        if let (Some(places), Value::Table(parts)) = (entry.places, value) {
            for part in entries(places, parts) {
                let fault = wrong(Value::Table(one(part.name, part.value.clone())));
                // The other parts are missing only because each part is read alone.
                if let Some(fault) = fault.filter(|fault| !fault.message().starts_with(MISSING)) {
                    self.tell(Some(name), Some(part.span), &fault);
                }
            }
        }
        if self.faults.len() == before {
            self.tell(Some(name), Some(entry.span.clone()), &fault);
        }
        None
    }

    /// The stages, each with those of its entries that can be read.
    fn stages(&mut self, places: &DeTable, stages: &Table) -> Table {
        let mut sound = Table::new();
        for stage in entries(places, stages) {
            let wrong = |body: Value| {
                let stages = one(stage.name, body);
                as_conditions(one("stages", Value::Table(stages))).err()
            };
            let (mut kept, before) = (stage.value.clone(), self.faults.len());
            if let (Some(places), Value::Table(body), Value::Table(kept)) =
                (stage.places, stage.value, &mut kept)
            {
                for part in entries(places, body) {
                    // A stage must say who plays in it; this one exists only to read one entry.
                    let mut alone = one("from", "entrants".into());
                    alone.insert(part.name.to_owned(), part.value.clone());
                    if let Some(fault) = wrong(Value::Table(alone)) {
                        self.tell(Some(part.name), Some(part.span), &fault);
                        kept.remove(part.name);
                    }
                }
                if self.faults.len() > before && !kept.contains_key("from") {
                    // An entry that cannot be read is not reported as missing too.
                    kept.insert("from".to_owned(), "entrants".into());
                }
            }
            match wrong(kept.clone()) {
                Some(_) if self.faults.len() > before => {}
                Some(fault) => self.tell(Some(stage.name), Some(stage.span), &fault),
                None => sound.extend([(stage.name.to_owned(), kept)]),
            }
        }
        sound
    }

    /// Notes a fault, with its line.
    fn tell(&mut self, key: Option<&str>, span: Option<Range<usize>>, fault: &toml::de::Error) {
        let message = in_plain_words(fault.message());
        let source = span.as_ref().and_then(|span| self.text.get(span.clone()));
        let source = source.map(|source| source.lines().next().unwrap_or_default().trim());
        let message = match source {
            Some(source) if !source.is_empty() => format!("`{source}`: {message}"),
            _ => message,
        };
        let line = span.map(|span| self.text[..span.start].matches('\n').count() + 1);
        self.faults.push(Unread { line, key: key.map(str::to_owned), message });
    }
}

/// How the TOML reader's message begins when an entry is missing.
const MISSING: &str = "missing field";

/// A fault in plain words, and the lines that it concerns, from 0.
fn located(text: &str, fault: &toml::de::Error) -> (Unread, RangeInclusive<usize>) {
    let span = fault.span();
    let at = |place: usize| text[..place.min(text.len())].matches('\n').count();
    let first = span.as_ref().map(|span| at(span.start));
    let last = span.as_ref().map(|span| at(span.end.saturating_sub(1).max(span.start)));
    let source = first.and_then(|line| text.lines().nth(line)).map(str::trim);
    let message = in_plain_words(fault.message());
    let key = source.and_then(|source| source.split_once('=')).map(|(key, _)| key);
    let key = key.map(|key| key.trim().to_owned());
    let message = match source {
        Some(source) if !source.is_empty() => format!("`{source}`: {message}"),
        _ => message,
    };
    let lines = first.unwrap_or(usize::MAX - 1)..=last.unwrap_or(usize::MAX - 1);
    (Unread { line: first.map(|line| line + 1), key, message }, lines)
}

/// The TOML reader's message, for people who do not know TOML.
fn in_plain_words(message: &str) -> String {
    let message = message.trim_end();
    for (start, what) in [("unknown field `", "there is no"), ("unknown variant `", "it cannot be")]
    {
        let Some(rest) = message.strip_prefix(start) else { continue };
        let (word, words) = rest.split_once('`').unwrap_or((rest, ""));
        let words: Vec<&str> = words.split('`').skip(1).step_by(2).collect();
        let held = words.iter().find(|known| known.contains(word) || word.contains(*known));
        return match near(word, words.iter().copied()).or(held.copied()) {
            Some(near) => format!("{what} `{word}`; did you mean `{near}`?"),
            None => format!("{what} `{word}`; there are {}", words.join(", ")),
        };
    }
    if message.starts_with("invalid type") && message.ends_with("expected u32") {
        return "it is a whole number without quotes, such as 7".to_owned();
    }
    if message.contains("quoted") || message.contains("string") && message.contains("invalid") {
        return "texts and anything but a whole number go in straight quotes, such as \"10%\" or \
                \"12.50\""
            .to_owned();
    }
    message
        .replace("u32", "a whole number")
        .replace("wanted string or table", "allowed: a word in straight quotes")
        .replace("a sequence", "a list such as [\"60%\", \"40%\"]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_wrong_is_told_in_one_go() {
        let text = "fees = 100\nname = \"Cup\"\nplayers = \"many\"\nlevel = \"round\"\n\
                    prizes = [\n  \"60%\",\n  \"x\",\n]\n[stages.final]\nfrom = \"entrants\"\n\
                    coup = 3\n";
        let (conditions, faults) = all_conditions(text);
        let lines: Vec<_> = faults.iter().map(|fault| fault.line).collect();
        let mut sorted = lines.clone();
        sorted.sort_unstable();
        assert_eq!((sorted.len(), &sorted), (5, &lines), "{faults:?}");
        for (line, told) in [(1, "`fee`"), (3, "no range"), (4, "`rounds`"), (11, "`coups`")] {
            let fault = faults.iter().find(|fault| fault.line == Some(line));
            assert!(fault.is_some_and(|f| f.message.contains(told)), "{line} {told}: {faults:?}");
        }
        assert_eq!(conditions.map(|conditions| conditions.name), Some("Cup".to_owned()));
    }

    /// One bad value does not hide another, and the values below it keep their lines.
    #[test]
    fn every_value_of_a_stage_and_of_a_table_is_judged_alone() {
        let text = "limits = { main = \"x\", Ties = \"10..100\", tie = \"y\" }\n[stages.heats]\n\
                    from = \"entrant\"\ntables = \"two\"\ncoups = 3\nadvance = 1\n\
                    [stages.final\nfrom = \"winners of heats\"\ncoups = 5\nfee = 10\n";
        let (conditions, faults) = all_conditions(text);
        let found: Vec<_> =
            faults.iter().map(|f| (f.line.unwrap_or(0), f.message.as_str())).collect();
        let wanted = [
            (1, "main = \"x\""),
            (1, "`Ties` is neither main nor tie"),
            (1, "tie = \"y\""),
            (3, "did you mean `entrants`"),
            (4, "a whole number without quotes"),
            (7, "[stages.final"),
            (10, "there is no `fee`"),
        ];
        assert_eq!(found.len(), wanted.len(), "{found:#?}");
        for ((line, message), (at, told)) in found.iter().zip(wanted) {
            assert!(*line == at && message.contains(told), "{at} {told}: {found:#?}");
        }
        let stages = conditions.map_or(0, |conditions| conditions.stages.0.len());
        assert_eq!(stages, 2, "{found:#?}");
    }

    #[test]
    fn a_word_that_is_nearly_a_key_is_recognised() {
        for (word, key) in [("playres", "players"), ("comission", "commission"), ("fees", "fee")] {
            let fault = conditions(&format!("{word} = 1")).err();
            let told = format!("did you mean `{key}`");
            assert!(fault.as_ref().is_some_and(|f| f.message.contains(&told)), "{fault:?}");
        }
    }
}
