//! Forms of lines: a form is written as a person would write the line, and matched word by word.
//!
//! Lower-case words stand for themselves, `a|b` for one of them, words in capitals for something
//! that is filled in, and `[…]` for what may be left out. The first word is a verb, which may also
//! be said in its plain form.

use std::collections::BTreeSet;

use rules::{Card, Cents, Group, Method, Offer, Side, Spot};
use table::Name;

use crate::name::{ROLES, name, needs_quotes};

/// A word of a line, and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    /// The column, in characters from 1.
    pub(crate) column: usize,
    /// The position of its first byte in the line.
    pub(crate) start: usize,
}

/// Splits a line into words; `#` begins a comment, a quoted text is one word.
pub(crate) fn words<'a>(line: &'a str) -> Vec<Word<'a>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quoted = false;
    let push = |words: &mut Vec<Word<'a>>, from: usize, to: usize| {
        let column = line[..from].chars().count() + 1;
        words.push(Word { text: &line[from..to], column, start: from });
    };
    for (i, c) in line.char_indices() {
        if quoted {
            if c == '"' {
                quoted = false;
            }
            continue;
        }
        match c {
            '#' => {
                if let Some(from) = start.take() {
                    push(&mut words, from, i);
                }
                return words;
            }
            c if c.is_whitespace() || c == ',' => {
                if let Some(from) = start.take() {
                    push(&mut words, from, i);
                }
            }
            c => {
                quoted = c == '"';
                start.get_or_insert(i);
            }
        }
    }
    if let Some(from) = start {
        push(&mut words, from, line.len());
    }
    words
}

/// A value that a line filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Name(Name),
    Amount(Cents),
    Number(u32),
    Spot(Spot),
    Group(Group),
    Offer(Offer),
    Method(Method),
    Card(Option<Card>),
    Side(Side),
    Text(String),
    /// Minutes.
    Minutes(u64),
    Range(Cents, Cents),
    Signed(i64),
}

/// The values that a line filled in, in order, and which optional words it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filled {
    values: Vec<Value>,
    words: Vec<String>,
}

macro_rules! getter {
    ($name:ident, $variant:ident, $type:ty) => {
        pub(crate) fn $name(&self, nth: usize) -> Option<$type> {
            let mut found = self.values.iter().filter_map(|value| {
                if let Value::$variant(value) = value { Some(value.clone()) } else { None }
            });
            found.nth(nth)
        }
    };
}

impl Filled {
    getter!(name, Name, Name);
    getter!(amount, Amount, Cents);
    getter!(number, Number, u32);
    getter!(spot, Spot, Spot);
    getter!(group, Group, Group);
    getter!(offer, Offer, Offer);
    getter!(method, Method, Method);
    getter!(card, Card, Option<Card>);
    getter!(side, Side, Side);
    getter!(text, Text, String);
    getter!(minutes, Minutes, u64);
    getter!(signed, Signed, i64);

    pub(crate) fn range(&self) -> Option<(Cents, Cents)> {
        self.values.iter().find_map(|value| {
            if let Value::Range(least, most) = value { Some((*least, *most)) } else { None }
        })
    }

    pub(crate) fn amounts(&self) -> Vec<Cents> {
        self.values
            .iter()
            .filter_map(
                |value| {
                    if let Value::Amount(amount) = value { Some(*amount) } else { None }
                },
            )
            .collect()
    }

    pub(crate) fn names(&self) -> Vec<Name> {
        let name = |value: &Value| if let Value::Name(name) = value { Some(*name) } else { None };
        self.values.iter().filter_map(name).collect()
    }

    pub(crate) fn numbers(&self) -> Vec<u32> {
        let number =
            |value: &Value| if let Value::Number(number) = value { Some(*number) } else { None };
        self.values.iter().filter_map(number).collect()
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|there| there == word)
    }
}

/// How far any form matched, and what it wanted there: for the message about a line that cannot be
/// read.
#[derive(Debug, Default)]
pub(crate) struct Furthest {
    at: usize,
    wanted: BTreeSet<String>,
    why: Option<String>,
}

impl Furthest {
    fn note(&mut self, at: usize, wanted: &str) {
        if at > self.at {
            self.at = at;
            self.wanted.clear();
            self.why = None;
        }
        if at == self.at {
            self.wanted.insert(wanted.to_owned());
        }
    }

    /// Notes a word that is not a valid value, and the reason if it is known.
    fn miss(&mut self, at: usize, wanted: &str, why: String) {
        self.note(at, wanted);
        if at >= self.at && !why.is_empty() {
            self.why = Some(why);
        }
    }

    /// The position of the wrong word, what could stand there, and why it was not accepted, if that
    /// is known.
    pub(crate) fn report(&self) -> (usize, Vec<String>, Option<&str>) {
        (self.at, self.wanted.iter().cloned().collect(), self.why.as_deref())
    }
}

/// Matches a whole line against a form.
pub(crate) fn fill(
    form: &str,
    line: &str,
    words: &[Word<'_>],
    from: usize,
    furthest: &mut Furthest,
) -> Option<Filled> {
    let tokens: Vec<&str> = form.split_whitespace().collect();
    let mut matcher = Matcher { line, words, verb: from, furthest };
    let (filled, at) = matcher.group(&tokens, from, Filled::default())?;
    if at < words.len() {
        matcher.furthest.note(at, "nothing more");
        return None;
    }
    Some(filled)
}

struct Matcher<'a> {
    line: &'a str,
    words: &'a [Word<'a>],
    /// The position of the verb.
    verb: usize,
    furthest: &'a mut Furthest,
}

impl Matcher<'_> {
    /// Matches tokens from a word on; optional words are tried first.
    fn group(&mut self, tokens: &[&str], at: usize, filled: Filled) -> Option<(Filled, usize)> {
        let Some((token, rest)) = tokens.split_first() else { return Some((filled, at)) };
        if let Some(opening) = token.strip_prefix('[') {
            let close = tokens.iter().position(|token| token.ends_with(']'))?;
            let mut inner: Vec<&str> = vec![opening];
            inner.extend(&tokens[1..=close]);
            if close == 0 {
                inner = vec![opening];
            }
            if let Some(last) = inner.last_mut() {
                *last = last.trim_end_matches(']');
            }
            let after = &tokens[close + 1..];
            if let Some((with, next)) = self.group(&inner, at, filled.clone())
                && let Some(done) = self.group(after, next, with)
            {
                return Some(done);
            }
            return self.group(after, at, filled);
        }
        let (filled, next) = self.token(token, at, filled)?;
        self.group(rest, next, filled)
    }

    fn token(&mut self, token: &str, at: usize, mut filled: Filled) -> Option<(Filled, usize)> {
        if token.chars().next().is_some_and(|c| c.is_ascii_uppercase()) {
            return self.value(token, at, filled);
        }
        let word = self.words.get(at).map_or("", |word| word.text).to_lowercase();
        for choice in token.split('|') {
            if word == choice || at == self.verb && word == plain(choice) {
                filled.words.push(choice.to_owned());
                return Some((filled, at + 1));
            }
            self.furthest.note(at, &format!("`{choice}`"));
        }
        None
    }

    fn value(&mut self, token: &str, at: usize, mut filled: Filled) -> Option<(Filled, usize)> {
        let mut word = self.words.get(at).copied();
        // A colon that a form wants after a value belongs to the line, not to the value.
        let token = match token.strip_suffix(':') {
            Some(token) => {
                if let Some(word) = &mut word {
                    word.text = word.text.trim_end_matches(':');
                }
                token
            }
            None => token,
        };
        if token == "TEXT" {
            let Some(word) = word else {
                self.furthest.note(at, "some words");
                return None;
            };
            let end =
                self.words.last().map_or(self.line.len(), |last| last.start + last.text.len());
            let text = unquoted(&self.line[word.start..end]);
            filled.values.push(Value::Text(text.to_owned()));
            return Some((filled, self.words.len()));
        }
        if let Some(one) = token.strip_suffix('S').filter(|one| MANY.contains(one)) {
            let mut next = at;
            while let Some(word) = self.words.get(next) {
                match read(one, word.text) {
                    Ok(value) => filled.values.push(value),
                    Err(why) => {
                        self.furthest.miss(next, meaning(one), why);
                        break;
                    }
                }
                next += 1;
            }
            if next == at {
                self.furthest.note(at, meaning(one));
                return None;
            }
            return Some((filled, next));
        }
        match word.map(|word| read(token, word.text)) {
            Some(Ok(value)) => {
                filled.values.push(value);
                Some((filled, at + 1))
            }
            Some(Err(why)) => {
                self.furthest.miss(at, meaning(token), why);
                None
            }
            None => {
                self.furthest.note(at, meaning(token));
                None
            }
        }
    }
}

/// The plain form of a verb: `deals` is `deal`, `passes` is `pass`, `applies` is `apply`.
fn plain(verb: &str) -> String {
    const ENDINGS: [(&str, &str); 6] =
        [("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("oes", "o"), ("s:", ":"), ("s", "")];
    let short = ENDINGS
        .iter()
        .find_map(|(ending, short)| verb.strip_suffix(ending).map(|stem| format!("{stem}{short}")));
    short.unwrap_or_else(|| verb.to_owned())
}

/// A text without the quotes around it.
pub(crate) fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text)
}

/// Words in capitals that with an `S` stand for one or more values.
const MANY: [&str; 3] = ["AMOUNT", "NAME", "NUMBER"];

/// What a word in capitals stands for.
pub(crate) fn meaning(token: &str) -> &'static str {
    match token {
        "NAME" => "a name such as O'Brien, or in quotes if it has several words: \"Mary Ann\"",
        "AMOUNT" | "STEP" => "an amount such as 2.50",
        "N" | "NUMBER" => "a number",
        "HASH" => "a hash: 64 hexadecimal letters",
        "OWNER" => "a name with 's, such as Ann's or \"Mary Ann\"'s",
        "DATE" => "a day such as 2026-12-05",
        "SECONDS" => "a time such as 30s",
        "SPOT" => "a spot: banker, player, tie, or a side bet such as banker-pair",
        "GROUP" => "main, tie, or a group of side bets such as pairs",
        "METHOD" => "a method such as settlement=commission or settlement=half-on-six",
        "OFFER" => "a group of side bets such as dragon, with its pay table: pairs=perfect",
        "CARD" => "a card such as 9h, Th or 10h, or ??",
        "SIDE" => "player or banker",
        "DURATION" => "a time such as 30m",
        "CLOCK" => "a time such as 20:15 or +30m",
        "RANGE" => "limits such as 10..1000",
        "CLAUSE" => "a clause such as 4.6(b), or \"Void\" for an entry of the dictionary",
        "WORD" => "a word",
        _ => "some words",
    }
}

/// The words that lines begin with, apart from roles.
const RESERVED: [&str; 9] =
    ["indicator", "condition", "at", "device", "expect", "cutting", "shoe", "fresh", "clock"];

fn read(token: &str, word: &str) -> Result<Value, String> {
    let nothing = String::new;
    match token {
        "NAME" => said_name(word).map(Value::Name),
        "AMOUNT" | "STEP" => {
            word.parse().map(Value::Amount).map_err(|fault: rules::NotAnAmount| fault.to_string())
        }
        "N" | "NUMBER" => word.parse().map(Value::Number).map_err(|_| nothing()),
        "HASH" => match shoe::Digest::read(word) {
            Some(_) => Ok(Value::Text(word.to_owned())),
            None => Err(nothing()),
        },
        "OWNER" => match owner(word).map(said_name) {
            Some(Ok(name)) => Ok(Value::Name(name)),
            Some(Err(why)) => Err(why),
            None => Err(nothing()),
        },
        "SECONDS" => match word.strip_suffix('s').map(str::parse) {
            Some(Ok(seconds)) => Ok(Value::Number(seconds)),
            _ => Err(nothing()),
        },
        "SPOT" => Spot::from_key(&word.to_lowercase()).map(Value::Spot).ok_or_else(nothing),
        "GROUP" => Group::from_key(&word.to_lowercase()).map(Value::Group).ok_or_else(nothing),
        "METHOD" => word
            .to_lowercase()
            .strip_prefix("settlement=")
            .and_then(Method::from_key)
            .map(Value::Method)
            .ok_or_else(nothing),
        "OFFER" if word.to_lowercase().starts_with("settlement=") => Err(nothing()),
        "OFFER" => Offer::said(&word.to_lowercase()).map(Value::Offer).ok_or_else(nothing),
        "CARD" if word == "??" => Ok(Value::Card(None)),
        "CARD" => word
            .parse()
            .map(|card| Value::Card(Some(card)))
            .map_err(|fault: rules::NotACard| fault.to_string()),
        "SIDE" => match word.to_lowercase().as_str() {
            "player" | "player's" | "player’s" => Ok(Value::Side(Side::Player)),
            "banker" | "banker's" | "banker’s" => Ok(Value::Side(Side::Banker)),
            _ => Err(nothing()),
        },
        "DURATION" => minutes(word).map(Value::Minutes).ok_or_else(nothing),
        "CLOCK" => clock(word).map(Value::Signed).ok_or_else(nothing),
        "RANGE" => {
            let (least, most) = word.split_once("..").ok_or_else(nothing)?;
            let amount = |word: &str| {
                word.parse::<Cents>().map_err(|fault: rules::NotAnAmount| fault.to_string())
            };
            Ok(Value::Range(amount(least)?, amount(most)?))
        }
        _ => Ok(Value::Text(word.to_owned())),
    }
}

/// A name as a line has it: one word, or anything in quotes.
fn said_name(word: &str) -> Result<Name, String> {
    let inner = match word.strip_prefix('"') {
        Some(rest) => rest.strip_suffix('"').ok_or("the quotes are not closed")?,
        None if is_reserved(word) => {
            name(word).map_err(|fault| fault.to_string())?;
            return Err(format!("`{word}` begins lines; in quotes it may be a name"));
        }
        None if needs_quotes(word) => return Err("such a name stands in quotes".to_owned()),
        None => word,
    };
    name(inner).map_err(|fault| fault.to_string())
}

/// The name in a possessive: `Ann's`, `"Mary Ann"'s`, `James'`.
fn owner(word: &str) -> Option<&str> {
    let with_s = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
    with_s.or_else(|| word.strip_suffix(['\'', '’']).filter(|name| name.ends_with('s')))
}

/// Whether lines begin with this word, so that it is not a name unless it stands in quotes.
pub(crate) fn is_reserved(word: &str) -> bool {
    let word = word.to_lowercase();
    RESERVED.contains(&word.as_str()) || ROLES.contains(&word.as_str())
}

/// `30m`, `2h`, `45s` in minutes; seconds are rounded down.
fn minutes(word: &str) -> Option<u64> {
    let (number, unit) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let number: u64 = number.parse().ok().filter(|n| *n <= 1_000_000)?;
    match unit {
        "m" => Some(number),
        "h" => Some(number * 60),
        _ => None,
    }
}

/// Minutes from midnight; `+` and a duration give minus one minus its minutes.
fn clock(word: &str) -> Option<i64> {
    if let Some(later) = word.strip_prefix('+') {
        return minutes(later).and_then(|minutes| i64::try_from(minutes).ok()).map(|m| -m - 1);
    }
    let (hours, minutes) = word.split_once(':')?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    ((0..24).contains(&hours) && (0..60).contains(&minutes)).then_some(hours * 60 + minutes)
}
