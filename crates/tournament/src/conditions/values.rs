//! Values in the conditions, as they are written: amounts, times, shares, prizes.

use alloc::format;
use alloc::string::{String, ToString};

use rules::Cents;
use table::Time;

use crate::written::Written;

/// An amount, written in dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dollars(pub Cents);

impl Written for Dollars {
    fn read(word: &str) -> Result<Self, String> {
        word.parse().map(Self).map_err(|fault: rules::NotAnAmount| fault.to_string())
    }

    fn write(&self) -> String {
        self.0.to_string()
    }
}

/// A day and a time, in local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(pub Time);

impl Moment {
    /// Reads `2026-12-05 19:00`.
    ///
    /// # Errors
    ///
    /// With the form that is accepted.
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::read(text)
    }
}

impl Moment {
    /// The day of the week.
    #[must_use]
    pub fn weekday(&self) -> &'static str {
        // The first day of 1970 was a Thursday.
        let days = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
        let day = self.0 / (24 * 60 * 60 * 1_000_000) % 7;
        days[usize::try_from(day).unwrap_or(0)]
    }
}

impl core::fmt::Display for Moment {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.write())
    }
}

const EPOCH: jiff::civil::DateTime = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);

impl Written for Moment {
    fn read(word: &str) -> Result<Self, String> {
        let wrong = || format!("`{word}` is no day and time; `2026-12-05 19:00` would be");
        if !word.contains(':') {
            return Err(wrong());
        }
        let moment: jiff::civil::DateTime = word.parse().map_err(|_| wrong())?;
        let micros = moment.duration_since(EPOCH).as_micros();
        let micros = micros - micros.rem_euclid(60_000_000);
        Time::try_from(micros).map(Self).map_err(|_| wrong())
    }

    fn write(&self) -> String {
        let since = i64::try_from(self.0).unwrap_or(i64::MAX);
        let moment = EPOCH.checked_add(jiff::SignedDuration::from_micros(since));
        moment
            .map_or_else(|_| String::new(), |moment| moment.strftime("%Y-%m-%d %H:%M").to_string())
    }
}

/// A share of the whole, in hundredths of a percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(pub u32);

impl Share {
    /// All of it.
    pub const WHOLE: Self = Self(10_000);

    /// This share of an amount, rounded down to whole cents.
    #[must_use]
    pub fn of(self, amount: Cents) -> Cents {
        let part = u128::from(amount.get()) * u128::from(self.0) / 10_000;
        u64::try_from(part).ok().and_then(Cents::new).unwrap_or(Cents::MAX)
    }
}

impl Written for Share {
    fn read(word: &str) -> Result<Self, String> {
        let wrong = || format!("`{word}` is no share of the whole; `12.5%` would be");
        let number: Cents = word.trim_end_matches('%').trim().parse().map_err(|_| wrong())?;
        let part = u32::try_from(number.get()).map_err(|_| wrong())?;
        if part <= Self::WHOLE.0 { Ok(Self(part)) } else { Err(wrong()) }
    }

    fn write(&self) -> String {
        match Cents::new(u64::from(self.0)) {
            Some(number) => format!("{number}%"),
            None => String::new(),
        }
    }
}

/// The prize of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prize {
    /// A share of the pool, after the fixed sums.
    Share(Share),
    /// A fixed sum out of the pool.
    Sum(Cents),
    /// Goods or services from the house: no money moves.
    Goods(String),
}

impl Prize {
    /// The share of the pool, if the prize is one.
    #[must_use]
    pub const fn share(&self) -> Option<Share> {
        match self {
            Self::Share(part) => Some(*part),
            Self::Sum(_) | Self::Goods(_) => None,
        }
    }
}

impl Written for Prize {
    fn read(word: &str) -> Result<Self, String> {
        let word = word.trim();
        if word.ends_with('%') {
            return Share::read(word).map(Self::Share);
        }
        if let Some(sum) = word.strip_prefix('$') {
            return Dollars::read(sum.trim()).map(|sum| Self::Sum(sum.0));
        }
        // Text that begins with a digit is a sum or share in a wrong form.
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        if letters >= 3 && word.starts_with(char::is_alphabetic) {
            return Ok(Self::Goods(word.to_string()));
        }
        let allowed = "`60%` of the pool, `$500`, or goods in words, such as `a dinner for two`";
        Err(format!("`{word}` is no prize; allowed: {allowed}"))
    }

    fn write(&self) -> String {
        match self {
            Self::Share(part) => part.write(),
            Self::Sum(sum) => format!("${sum}"),
            Self::Goods(words) => words.clone(),
        }
    }
}

/// The part of a fee that the house keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commission {
    /// A percentage of the fee.
    Percent(Share),
    /// A fixed amount of each fee.
    Each(Cents),
}

impl Written for Commission {
    fn read(word: &str) -> Result<Self, String> {
        if word.ends_with('%') {
            return Share::read(word).map(Self::Percent);
        }
        Dollars::read(word).map(|amount| Self::Each(amount.0))
    }

    fn write(&self) -> String {
        match self {
            Self::Percent(part) => part.write(),
            Self::Each(amount) => amount.to_string(),
        }
    }
}

/// A range of numbers, with both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The smallest number.
    pub least: u32,
    /// The largest number.
    pub most: u32,
}

impl Written for Span {
    fn read(word: &str) -> Result<Self, String> {
        let wrong = || format!("`{word}` is no range; `12..36` would be");
        let (least, most) = word.split_once("..").unwrap_or((word, word));
        let number = |word: &str| word.trim().parse::<u32>().map_err(|_| wrong());
        let (least, most) = (number(least)?, number(most)?);
        let sensible = (1..=10_000).contains(&most);
        if least == 0 || least > most || !sensible {
            Err(wrong())
        } else {
            Ok(Self { least, most })
        }
    }

    fn write(&self) -> String {
        format!("{}..{}", self.least, self.most)
    }
}
