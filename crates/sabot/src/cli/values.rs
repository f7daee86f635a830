//! The values that options take, known to help and completion.

use std::ffi::OsStr;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use rulebooks::Duty;
use rules::{Bet, Cents, Method, Offer, Spot};

/// A book: these ids are completed, and a folder or `AMENDMENT@BASE` is taken too.
#[derive(Clone, Copy, Debug)]
pub(super) struct BookName(fn() -> Vec<&'static str>);

/// Any book.
pub(super) const BOOK: BookName = BookName(rulebooks::ids);
/// A book that has tournaments.
pub(super) const TOURNAMENT_BOOK: BookName = BookName(crate::tournament::with_tournaments);

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

/// A method of paying main wagers.
pub(super) const METHOD: Hinted<Method> = Hinted {
    read: |text| {
        let method = Method::from_key(text);
        method.ok_or_else(|| format!("`{text}` is no method such as commission or half-on-six"))
    },
    words: || {
        let methods = books().flat_map(|book| book.rulebook.methods);
        each_once(methods.map(|method| method.key.as_str()))
    },
};

/// Something with words of its own in books and sheets: the usual ones are completed, others are
/// taken too.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hinted<T> {
    read: fn(&str) -> Result<T, String>,
    words: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Hinted<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let read = self.read;
        let parser = StringValueParser::new().try_map(move |text: String| read(&text));
        parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.words)().into_iter().map(PossibleValue::new)))
    }
}

/// The books that come with Sabot.
fn books() -> impl Iterator<Item = rulebooks::Book> {
    rulebooks::ids().into_iter().filter_map(|id| rulebooks::load(id, None).ok())
}

fn each_once(words: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    words.fold(Vec::new(), |mut all, word| {
        if !all.contains(&word) {
            all.push(word);
        }
        all
    })
}

/// A spot, be it a side bet's.
pub(super) const SPOT: Hinted<Spot> = Hinted {
    read: spot,
    words: || each_once(books().flat_map(|book| book.rulebook.spots()).map(Spot::key)),
};

fn spot(text: &str) -> Result<Spot, String> {
    let spot = Spot::from_key(text);
    spot.ok_or_else(|| format!("`{text}` is no spot such as banker, player, tie or banker-pair"))
}

/// Side bets, such as `lucky-6` or `pairs=canberra`.
pub(super) const OFFER: Hinted<Offer> = Hinted {
    read: |text| {
        let sheets = || rulebooks::sheet_ids().join(", ");
        Offer::said(text).ok_or_else(|| {
            format!("`{text}` names no side bets, as pairs=canberra does, or one of {}", sheets())
        })
    },
    words: || {
        let groups = books().flat_map(|book| book.rulebook.side_bets);
        let offers = groups.flat_map(|group| {
            let offer = move |table: rules::PayTable| Offer { group: group.key, table: table.key };
            // Completion wants words that stay, and asks once.
            group.tables.into_iter().map(offer).map(|offer| &*offer.to_string().leak())
        });
        each_once(offers.chain(rulebooks::sheet_ids()))
    },
};

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
    let spot = self::spot(spot)?;
    let stake = Cents::from_str(amount).map_err(|fault| fault.to_string())?;
    Ok(Bet { spot, stake })
}
