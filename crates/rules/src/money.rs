//! Money: whole cents, exact odds, and the payout of a winning wager.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::str::FromStr;
use core::{fmt, iter, ops};

/// An amount in whole cents, never above 2⁵³ − 1, so that every program that reads it gets the
/// exact number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cents(u64);

impl Cents {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The largest amount.
    pub const MAX: Self = Self((1 << 53) - 1);

    /// That many cents, or nothing above [`Cents::MAX`].
    #[must_use]
    pub const fn new(cents: u64) -> Option<Self> {
        if cents <= Self::MAX.0 { Some(Self(cents)) } else { None }
    }

    /// The number of cents.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The sum, or nothing above [`Cents::MAX`].
    #[must_use]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        // Two amounts below 2⁵³ cannot overflow 2⁶⁴.
        Self::new(self.0 + other.0)
    }

    /// The difference, or nothing below zero.
    #[must_use]
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(cents) => Some(Self(cents)),
            None => None,
        }
    }
}

impl fmt::Display for Cents {
    /// Dollars, with cents only where there are some: `95`, `47.50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dollars, cents) = (self.0 / 100, self.0 % 100);
        if cents == 0 { write!(f, "{dollars}") } else { write!(f, "{dollars}.{cents:02}") }
    }
}

/// The balance of an account, or the change that a posting makes: cents that may be below zero.
///
/// Sums saturate at the ends of 64 bits, far beyond any sum of real amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Balance(i64);

impl Balance {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// That many cents.
    #[must_use]
    pub const fn new(cents: i64) -> Self {
        Self(cents)
    }

    /// The number of cents.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The amount, or nothing below zero.
    #[must_use]
    pub fn amount(self) -> Option<Cents> {
        u64::try_from(self.0).ok().and_then(Cents::new)
    }

    /// The amount; zero for a balance below zero.
    #[must_use]
    pub fn at_least_zero(self) -> Cents {
        self.amount().unwrap_or(if self.0 < 0 { Cents::ZERO } else { Cents::MAX })
    }

    /// The sum, or nothing beyond 64 bits.
    #[must_use]
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(cents) => Some(Self(cents)),
            None => None,
        }
    }

    /// The amount without its sign.
    #[must_use]
    pub fn size(self) -> Cents {
        Cents::new(self.0.unsigned_abs()).unwrap_or(Cents::MAX)
    }

    /// Whether the balance is below zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }
}

impl From<Cents> for Balance {
    fn from(amount: Cents) -> Self {
        // An amount is below 2⁵³.
        Self(amount.0.cast_signed())
    }
}

impl ops::Add for Balance {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl ops::Sub for Balance {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl ops::Neg for Balance {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl ops::AddAssign for Balance {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl ops::SubAssign for Balance {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl iter::Sum for Balance {
    fn sum<I: Iterator<Item = Self>>(balances: I) -> Self {
        balances.fold(Self::ZERO, ops::Add::add)
    }
}

impl fmt::Display for Balance {
    /// As an amount, with a minus below zero: `-47.50`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, cents) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        write!(f, "{sign}{}", Cents(cents))
    }
}

/// Why a word is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnAmount {
    /// Signs, letters, or nothing at all.
    #[error("an amount is dollars with at most two decimals, such as `25` or `2.50`")]
    Malformed,
    /// Tenths of a cent.
    #[error("an amount has at most two decimals; there is nothing smaller than a cent")]
    FractionOfACent,
    /// Above [`Cents::MAX`].
    #[error("an amount is at most {}", Cents::MAX)]
    TooLarge,
}

impl FromStr for Cents {
    type Err = NotAnAmount;

    fn from_str(word: &str) -> Result<Self, NotAnAmount> {
        let (dollars, cents) = word.split_once('.').unwrap_or((word, "00"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(dollars) || !digits(cents) {
            return Err(NotAnAmount::Malformed);
        }
        let cents = match cents.len() {
            1 => cents.parse().map(|tenths: u64| tenths * 10),
            2 => cents.parse(),
            _ => return Err(NotAnAmount::FractionOfACent),
        };
        let dollars: Result<u64, _> = dollars.parse();
        dollars
            .ok()
            .zip(cents.ok())
            .and_then(|(dollars, cents)| dollars.checked_mul(100)?.checked_add(cents))
            .and_then(Self::new)
            .ok_or(NotAnAmount::TooLarge)
    }
}

/// Exact odds such as `8:1`: `pays` for every `per` staked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Odds {
    pays: u32,
    per: u32,
}

impl Odds {
    /// `pays` to `per`, or nothing if either is zero or above [`Odds::MOST`].
    #[must_use]
    pub const fn new(pays: u32, per: u32) -> Option<Self> {
        if pays == 0 || per == 0 || pays > Self::MOST || per > Self::MOST {
            return None;
        }
        Some(Self { pays, per })
    }

    /// The largest side of any odds. It keeps every product with an amount within 64 bits.
    pub const MOST: u32 = 1000;

    /// The amount won for every [`Self::per`] staked.
    #[must_use]
    pub const fn pays(self) -> u32 {
        self.pays
    }

    /// The stake for which [`Self::pays`] is won.
    #[must_use]
    pub const fn per(self) -> u32 {
        self.per
    }
}

impl fmt::Display for Odds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.pays, self.per)
    }
}

/// The price of a winning wager: odds, less a commission in per cent of the winnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Price {
    /// The odds before commission.
    pub odds: Odds,
    /// Per cent of the winnings that the house keeps, 0 to 99.
    pub commission: u8,
}

/// The winnings of a wager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Winnings {
    /// The amount that the player receives on top of the stake.
    pub net: Cents,
    /// The amount that the house withheld.
    pub commission: Cents,
}

impl Price {
    /// The winnings of a stake at this price. Nothing is ever rounded.
    ///
    /// # Errors
    ///
    /// When winnings or commission are not whole cents, or too large to be an amount.
    pub fn winnings(self, stake: Cents) -> Result<Winnings, Unpayable> {
        let unpayable = Unpayable { stake, price: self };
        let exact = |amount: u64, parts: u64| {
            if amount.is_multiple_of(parts) { Cents::new(amount / parts) } else { None }
                .ok_or(unpayable)
        };
        // An amount below 2⁵³ times at most 1000 stays below 2⁶³.
        let (pays, per) = (u64::from(self.odds.pays), u64::from(self.odds.per));
        let gross = exact(stake.get() * pays, per)?;
        let commission = exact(gross.get() * u64::from(self.commission), 100)?;
        let net = gross.checked_sub(commission).ok_or(unpayable)?;
        Ok(Winnings { net, commission })
    }

    /// The smallest stake that this price pays in whole cents; its multiples are paid in whole
    /// cents too.
    #[must_use]
    pub fn step(self) -> Cents {
        let (pays, per) = (u64::from(self.odds.pays), u64::from(self.odds.per));
        let whole_gross = per / gcd(pays, per);
        let parts = per * 100;
        let whole_commission = parts / gcd(pays * u64::from(self.commission), parts);
        Cents(whole_gross / gcd(whole_gross, whole_commission) * whole_commission)
    }
}

/// The smallest stake that all of these prices pay in whole cents; nothing if it, or what it wins,
/// is larger than any amount.
#[must_use]
pub fn common_step(prices: &[Price]) -> Option<Cents> {
    let step = prices.iter().try_fold(1_u64, |all, price| {
        let step = price.step().get();
        (all / gcd(all, step)).checked_mul(step)
    });
    let step = Cents::new(step?)?;
    prices.iter().all(|price| price.winnings(step).is_ok()).then_some(step)
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.odds)?;
        if self.commission > 0 { write!(f, " less {}%", self.commission) } else { Ok(()) }
    }
}

impl FromStr for Price {
    type Err = String;

    /// Reads `8:1` or `1:1 less 5%`.
    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || "not odds such as `8:1` or `1:1 less 5%`".to_owned();
        let (odds, commission) = match text.split_once(" less ") {
            Some((odds, less)) => (odds, less.trim().strip_suffix('%').ok_or_else(malformed)?),
            None => (text, "0"),
        };
        let (pays, per) = odds.trim().split_once(':').ok_or_else(malformed)?;
        let number = |word: &str| word.parse::<u32>().map_err(|_| malformed());
        let odds = Odds::new(number(pays)?, number(per)?).ok_or_else(|| {
            alloc::format!("both sides of the odds must be from 1 to {}", Odds::MOST)
        })?;
        match commission.parse() {
            Ok(commission @ 0..=99) => Ok(Self { odds, commission }),
            _ => Err("a commission is from 0 to 99 per cent".to_owned()),
        }
    }
}

/// A stake that a price does not pay in whole cents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{stake} at {price} does not come to whole cents; multiples of {} do", price.step())]
pub struct Unpayable {
    /// The stake.
    pub stake: Cents,
    /// The price it would win at.
    pub price: Price,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    #[test]
    fn amounts_are_dollars_with_at_most_two_decimals() {
        for (word, cents) in [("0", 0), ("25", 2500), ("2.5", 250), ("2.50", 250), ("0.05", 5)] {
            assert_eq!(word.parse(), Ok(Cents(cents)), "{word}");
        }
        for word in ["", "-5", "+5", "5.", ".5", "1e3", "5,00", "1 000", "٣"] {
            assert_eq!(word.parse::<Cents>(), Err(NotAnAmount::Malformed), "{word}");
        }
        assert_eq!("1.005".parse::<Cents>(), Err(NotAnAmount::FractionOfACent));
        for word in ["90071992547409.92", "9223372036854775808", "99999999999999999999999999"] {
            assert_eq!(word.parse::<Cents>(), Err(NotAnAmount::TooLarge), "{word}");
        }
        assert_eq!("90071992547409.91".parse(), Ok(Cents::MAX));
        assert_eq!(Cents::MAX.checked_add(Cents(1)), None);
        assert_eq!(Cents(1).checked_sub(Cents(2)), None);
    }

    #[test]
    fn prices_are_read_as_they_are_written() {
        for text in ["1:1", "19:20", "8:1", "1:1 less 5%", "1:1 less 50%"] {
            assert_eq!(text.parse::<Price>().unwrap().to_string(), text);
        }
        for text in ["", "0:1", "1:0", "8", "8-1", "1:1 less 5", "1:1 less 100%", "1001:1"] {
            assert!(text.parse::<Price>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_stake_that_cannot_be_paid_in_whole_cents_is_refused_with_the_step_that_can() {
        let price: Price = "1:1 less 5%".parse().unwrap();
        let refused = price.winnings(Cents(10)).unwrap_err();
        let message = "0.10 at 1:1 less 5% does not come to whole cents; multiples of 0.20 do";
        assert_eq!(refused.to_string(), message);
    }

    #[test]
    fn prices_that_have_little_in_common_have_no_stake_that_all_of_them_pay() {
        let price = |text: &str| text.parse::<Price>().unwrap();
        assert_eq!(common_step(&[]), Some(Cents(1)));
        let usual = [price("1:1 less 5%"), price("8:1"), price("3:2")];
        assert_eq!(common_step(&usual), Some(Cents(20)));
        let awkward = [price("131:127"), price("101:97 less 5%"), price("53:47")];
        assert_eq!(common_step(&awkward), Some(Cents(127 * 97 * 20 * 47)));
        let pays = ["1:997", "1:991", "1:983", "1:977", "1:971", "1:967"].map(price);
        assert_eq!(common_step(&pays), None, "their product is larger than any amount");
        let five = [pays[0], pays[1], pays[2], pays[3], pays[4], price("1000:1")];
        assert!(common_step(&five[..5]).is_some());
        assert_eq!(common_step(&five), None, "what it wins is larger than any amount");
        assert_eq!(common_step(&[price("1:997 less 1%"); 9]), Some(Cents(99_700)));
    }

    proptest! {
        /// A stake is paid exactly if and only if it is a multiple of the step.
        #[test]
        fn the_step_tells_which_stakes_are_paid(
            pays in 1..40u32, per in 1..40u32, commission in 0..100u8, stake in 1..20_000u64,
        ) {
            let price = Price { odds: Odds::new(pays, per).unwrap(), commission };
            let paid = price.winnings(Cents(stake));
            prop_assert_eq!(paid.is_ok(), stake % price.step().get() == 0);
            if let Ok(Winnings { net, commission: withheld }) = paid {
                let gross = net.get() + withheld.get();
                prop_assert_eq!(gross * u64::from(per), stake * u64::from(pays));
                prop_assert_eq!(withheld.get() * 100, gross * u64::from(commission));
            }
        }
    }
}
