//! Answers of a tournament's rules that are a word or a number.

use alloc::string::String;
use core::fmt;

use crate::policy::{Datum, Shape, Value};
use crate::value::Whole;

/// What happens to a player who is not there at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NotThere {
    /// The player loses the place; the fee stays in the pool.
    Forfeited,
    /// The minimum is deducted for each of so many coups; then the player loses the place.
    MinimumDeducted(u32),
}

impl fmt::Display for NotThere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forfeited => write!(f, "place lost; the fee stays in the pool"),
            Self::MinimumDeducted(coups) => {
                write!(f, "the minimum is deducted for {coups} coups, then the place is lost")
            }
        }
    }
}

impl Value for NotThere {
    const SHAPE: Shape = Shape::WholeOrText {
        least: 1,
        most: 99,
        what: "a place that is lost at once,",
        examples: &["forfeited"],
    };

    fn read(datum: &Datum) -> Result<Self, String> {
        match datum {
            Datum::Text(text) if text == "forfeited" => Ok(Self::Forfeited),
            Datum::Number(_) | Datum::Text(_) | Datum::List(_) | Datum::Other(_) => {
                Whole::<1, 99>::read(datum)
                    .map(|coups| Self::MinimumDeducted(coups.get()))
                    .map_err(|_| String::from("the number is of coups"))
            }
        }
    }

    fn datum(&self) -> Datum {
        match self {
            Self::Forfeited => Datum::Text(String::from("forfeited")),
            Self::MinimumDeducted(coups) => Datum::Number((*coups).into()),
        }
    }
}

/// What the house keeps of the entry fees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kept {
    /// An approved amount.
    Approved,
    /// So many per cent at most.
    UpTo(u32),
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approved => write!(f, "an approved amount"),
            Self::UpTo(percent) => write!(f, "up to {percent}%"),
        }
    }
}

impl Value for Kept {
    const SHAPE: Shape = Shape::WholeOrText {
        least: 0,
        most: 100,
        what: "an amount that is approved,",
        examples: &["approved"],
    };

    fn read(datum: &Datum) -> Result<Self, String> {
        match datum {
            Datum::Text(text) if text == "approved" => Ok(Self::Approved),
            Datum::Number(_) | Datum::Text(_) | Datum::List(_) | Datum::Other(_) => {
                Whole::<0, 100>::read(datum)
                    .map(|percent| Self::UpTo(percent.get()))
                    .map_err(|_| String::from("the number is of per cent"))
            }
        }
    }

    fn datum(&self) -> Datum {
        match self {
            Self::Approved => Datum::Text(String::from("approved")),
            Self::UpTo(percent) => Datum::Number((*percent).into()),
        }
    }
}

/// When fees are refunded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refunds {
    /// Only if the event is cancelled, in full.
    OnCancellation,
    /// If the event does not take place, or on withdrawal so many days before; never to a player
    /// who was disqualified.
    OrWithdrawal(u32),
}

impl fmt::Display for Refunds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnCancellation => write!(f, "only if the event is cancelled, in full"),
            Self::OrWithdrawal(days) => write!(
                f,
                "if the event does not take place, or on withdrawal {days} days before; never to \
                 the disqualified"
            ),
        }
    }
}

impl Value for Refunds {
    const SHAPE: Shape = Shape::WholeOrText {
        least: 1,
        most: 366,
        what: "refunds in no other case than",
        examples: &["on-cancellation"],
    };

    fn read(datum: &Datum) -> Result<Self, String> {
        match datum {
            Datum::Text(text) if text == "on-cancellation" => Ok(Self::OnCancellation),
            Datum::Number(_) | Datum::Text(_) | Datum::List(_) | Datum::Other(_) => {
                Whole::<1, 366>::read(datum)
                    .map(|days| Self::OrWithdrawal(days.get()))
                    .map_err(|_| String::from("the number is of days before the event"))
            }
        }
    }

    fn datum(&self) -> Datum {
        match self {
            Self::OnCancellation => Datum::Text(String::from("on-cancellation")),
            Self::OrWithdrawal(days) => Datum::Number((*days).into()),
        }
    }
}
