//! The values that options take, known to help and completion.

use std::ffi::OsStr;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use rulebooks::Duty;
use rules::{Bet, Cents, Method, PairsKind, Spot};

/// A book: these ids are completed, and a folder or `AMENDMENT@BASE` is taken too.
#[derive(Clone, Copy, Debug)]
pub(super) struct BookName(fn() -> Vec<&'static str>);

/// Any book.
pub(super) const BOOK: BookName = BookName(rulebooks::ids);
/// A book that has tournaments.
pub(super) const TOURNAMENT_BOOK: BookName = BookName(|| crate::tournament::BOOKS.to_vec());

impl TypedValueParser for BookName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}

/// One of some words.
fn one_of<T: Clone + Send + Sync + 'static>(
    words: Vec<&'static str>,
    read: impl Fn(&str) -> Option<T> + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(words)
        .try_map(move |word| read(&word).ok_or_else(|| format!("`{word}` is not known")))
}

fn firsts(words: &[(&'static str, &str)]) -> Vec<&'static str> {
    words.iter().map(|(word, _)| *word).collect()
}

pub(super) fn method() -> impl TypedValueParser<Value = Method> {
    one_of(firsts(Method::WORDS), Method::from_key)
}

pub(super) fn spot() -> impl TypedValueParser<Value = Spot> {
    one_of(firsts(Spot::WORDS), Spot::from_key)
}

pub(super) fn pairs() -> impl TypedValueParser<Value = PairsKind> {
    one_of(firsts(PairsKind::WORDS), PairsKind::from_key)
}

pub(super) fn duty() -> impl TypedValueParser<Value = Duty> {
    let words = Duty::ALL.iter().map(|duty| duty.key()).collect();
    one_of(words, |word| Duty::ALL.into_iter().find(|duty| duty.key() == word))
}

/// How many questions a drill can have.
pub(super) fn questions() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=1000)
}

/// A wager, such as `banker=100`.
pub(super) fn bet(text: &str) -> Result<Bet, String> {
    let (spot, amount) =
        text.split_once('=').ok_or("a bet is a spot and an amount, such as banker=100")?;
    let spot = Spot::from_key(spot)
        .ok_or_else(|| format!("`{spot}` is none of {}", firsts(Spot::WORDS).join(", ")))?;
    let stake = Cents::from_str(amount).map_err(|fault| fault.to_string())?;
    Ok(Bet { spot, stake })
}
