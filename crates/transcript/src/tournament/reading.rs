//! Files of conditions: read, with all that is wrong with them in one go.

use tournament::Conditions;
use tournament::keys::near;

/// Something in a file of conditions that cannot be read.
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
/// With what is wrong first, and where.
pub fn conditions(text: &str) -> Result<Conditions, Unread> {
    read(text).map_err(|(fault, _)| fault)
}

/// Reads conditions as far as they can be read: what they say, and all that is wrong.
#[must_use]
pub fn all_conditions(text: &str) -> (Option<Conditions>, Vec<Unread>) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut faults: Vec<Unread> = Vec::new();
    // Each pass takes out what could not be read, so there are no more passes than lines.
    for _ in 0..=lines.len() {
        match read(&lines.join("\n")) {
            Ok(conditions) => return (Some(conditions), faults),
            Err((fault, broken)) => {
                // What an entry lacks that was taken out was told already.
                let follows = fault.message.starts_with("missing field") && !faults.is_empty();
                let empty = broken.clone().all(|i| lines.get(i).is_none_or(String::is_empty));
                if !follows {
                    faults.push(fault);
                }
                if follows || empty {
                    return (None, faults);
                }
                for line in broken {
                    lines[line].clear();
                }
            }
        }
    }
    (None, faults)
}

/// Reads conditions, or says what is wrong first and which lines it stands on, from 0.
fn read(text: &str) -> Result<Conditions, (Unread, std::ops::RangeInclusive<usize>)> {
    toml::from_str(text).map_err(|fault: toml::de::Error| {
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
    })
}

/// What the reader of TOML says, for people who do not know TOML.
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
    if message.contains("quoted") || message.contains("string") && message.contains("invalid") {
        return "texts and anything but a whole number go in straight quotes, such as \"10%\" or \
                \"12.50\""
            .to_owned();
    }
    message
        .replace("u32", "a whole number")
        .replace("wanted string or table", "a word in straight quotes would do")
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
        assert_eq!(sorted.len(), 5, "{faults:?}");
        for (line, told) in [(1, "`fee`"), (3, "no range"), (4, "`rounds`"), (11, "`coups`")] {
            let fault = faults.iter().find(|fault| fault.line == Some(line));
            assert!(fault.is_some_and(|f| f.message.contains(told)), "{line} {told}: {faults:?}");
        }
        assert_eq!(conditions.map(|conditions| conditions.name), Some("Cup".to_owned()));
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
