//! The prize sheet: the prize of each place, which together use the whole pool, to the cent.
//!
//! The printed conditions, their check, the rehearsal and the award all use it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rules::Cents;

use crate::conditions::{Conditions, Prize, Ranking, Share};
use crate::plan::plan;

/// How a cent that cannot be divided is given out, in words.
pub const LEFTOVER: &str = "A place that nobody takes is divided among the others in proportion; \
                            a cent that is left over goes to the best place whose share had to \
                            be rounded, and among players who share to the one who was drawn \
                            first, or entered first where nothing was drawn";

/// How fixed sums and goods stand beside the shares, in words.
pub const FIXED: &str = "Fixed sums are paid out of the pool first, and the shares are of what is \
                         left; should the pool be less, the house adds what is missing";

/// What becomes of goods, in words.
pub const GOODS: &str = "Goods are given by the house beside the pool and are not divided: among \
                         players who share places they go to the one who was drawn first, or \
                         entered first where nothing was drawn; goods of a place that nobody \
                         takes are not given";

/// The prize money of each place when so many players take part in the last stage: the fixed sums
/// first, and the rest by shares. Goods are not money.
#[must_use]
pub fn sheet(conditions: &Conditions, pool: Cents, players: usize) -> Vec<Cents> {
    // If no prizes are stated, the winner takes the pool.
    if conditions.prizes.is_empty() {
        return shares(pool, &[Share::WHOLE], players);
    }
    let taken = &conditions.prizes[..conditions.prizes.len().min(players)];
    let rest = pool.checked_sub(fixed(taken)).unwrap_or(Cents::ZERO);
    let parts: Vec<_> = taken.iter().filter_map(Prize::share).collect();
    let mut by_share = shares(rest, &parts, parts.len()).into_iter();
    let money = taken.iter().map(|prize| match prize {
        Prize::Share(_) => by_share.next().unwrap_or(Cents::ZERO),
        Prize::Sum(sum) => *sum,
        Prize::Goods(_) => Cents::ZERO,
    });
    let mut money: Vec<_> = money.collect();
    // If nobody takes a share, the rest goes to the first place: the whole pool is paid out.
    if let (true, Some(first)) = (parts.is_empty(), money.first_mut()) {
        *first = first.checked_add(rest).unwrap_or(Cents::MAX);
    }
    money
}

/// The sum of the fixed sums among prizes.
#[must_use]
pub fn fixed(prizes: &[Prize]) -> Cents {
    let sums = prizes.iter().filter_map(|prize| match prize {
        Prize::Sum(sum) => Some(sum.get()),
        Prize::Share(_) | Prize::Goods(_) => None,
    });
    Cents::new(sums.fold(0, u64::saturating_add)).unwrap_or(Cents::MAX)
}

/// The amount that the house adds to a pool that is smaller than the fixed sums.
#[must_use]
pub fn missing(conditions: &Conditions, pool: Cents, players: usize) -> Cents {
    let taken = &conditions.prizes[..conditions.prizes.len().min(players)];
    fixed(taken).checked_sub(pool).unwrap_or(Cents::ZERO)
}

/// The prize sheet for so many entrants who all come, if nobody is eliminated before the last
/// stage: the pool, and the prize money of each place.
#[must_use]
pub fn planned(conditions: &Conditions, entrants: u32) -> (Cents, Vec<Cents>) {
    let pool = pool(conditions, entrants);
    (pool, sheet(conditions, pool, in_the_end(conditions, entrants)))
}

/// The same in words, place by place: money, or goods.
#[must_use]
pub fn planned_words(conditions: &Conditions, entrants: u32) -> (Cents, Vec<String>) {
    let (pool, sums) = planned(conditions, entrants);
    let goods = |place: usize| match conditions.prizes.get(place) {
        Some(Prize::Goods(words)) => Some(words.clone()),
        Some(Prize::Share(_) | Prize::Sum(_)) | None => None,
    };
    let words = sums.iter().enumerate();
    (pool, words.map(|(i, sum)| goods(i).unwrap_or_else(|| format!("${sum}"))).collect())
}

/// How many players can have a final place.
fn in_the_end(conditions: &Conditions, entrants: u32) -> usize {
    let players = match conditions.ranking {
        Ranking::Points => entrants,
        Ranking::Chips => plan(conditions, entrants).last().map_or(entrants, |last| last.players),
    };
    players as usize
}

/// The pool when so many players have entered and none has bought back in.
#[must_use]
pub fn pool(conditions: &Conditions, entrants: u32) -> Cents {
    let fee = conditions.fee.map_or(Cents::ZERO, |fee| fee.0);
    let each = fee.get().saturating_sub(conditions.kept_of(fee).get());
    let added = conditions.added.map_or(0, |added| added.0.get());
    let pool = each.saturating_mul(u64::from(entrants)).saturating_add(added);
    Cents::new(pool).unwrap_or(Cents::MAX)
}

/// The prizes of the first so many places. The shares of places that nobody takes are divided among
/// the others in proportion. Cents that remain go one by one to the best places whose share was
/// rounded.
#[must_use]
pub fn shares(pool: Cents, parts: &[Share], places: usize) -> Vec<Cents> {
    let parts = &parts[..parts.len().min(places)];
    let whole: u128 = parts.iter().map(|part| u128::from(part.0)).sum();
    if whole == 0 {
        return Vec::new();
    }
    let product = |part: &Share| u128::from(pool.get()) * u128::from(part.0);
    let exact = parts.iter().map(|part| (product(part) / whole, product(part) % whole != 0));
    spread_rest(pool.get(), exact.collect())
}

/// A sum in equal parts; cents that remain go one by one to the first parts.
#[must_use]
pub fn divide(sum: Cents, among: usize) -> Vec<Cents> {
    if among == 0 {
        return Vec::new();
    }
    let each = u128::from(sum.get()) / among as u128;
    spread_rest(sum.get(), alloc::vec![(each, true); among])
}

/// Gives the rest of a sum, cent by cent, to the parts that were rounded.
fn spread_rest(sum: u64, parts: Vec<(u128, bool)>) -> Vec<Cents> {
    let given: u128 = parts.iter().map(|(part, _)| part).sum();
    let mut rest = u128::from(sum).saturating_sub(given);
    let with_rest = parts.into_iter().map(|(part, rounded)| {
        let more = u128::from(rounded && rest > 0);
        rest -= more;
        u64::try_from(part + more).ok().and_then(Cents::new).unwrap_or(Cents::MAX)
    });
    with_rest.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    fn cents(number: u64) -> Cents {
        Cents::new(number).unwrap_or(Cents::MAX)
    }

    /// Fixed sums come first, shares are of the rest, goods are not money; the whole pool is paid
    /// out.
    #[test]
    fn fixed_sums_come_before_shares() {
        let share = |part| Prize::Share(Share(part));
        let sum = |number| Prize::Sum(cents(number));
        let goods = Prize::Goods("a watch".into());
        let prizes = vec![share(6000), share(4000), sum(100), goods.clone()];
        let conditions = Conditions { prizes, ..Conditions::default() };
        let sheet = |pool, players| sheet(&conditions, cents(pool), players);
        assert_eq!(sheet(1100, 4), vec![cents(600), cents(400), cents(100), cents(0)]);
        assert_eq!(sheet(1100, 2), vec![cents(660), cents(440)]);
        assert_eq!(missing(&conditions, cents(70), 4), cents(30));
        assert_eq!(missing(&conditions, cents(70), 2), cents(0));
        let prizes = vec![sum(300), goods, share(10_000)];
        let conditions = Conditions { prizes, ..Conditions::default() };
        // Nobody takes the share: the rest goes to the first place.
        let one = super::sheet(&conditions, cents(1000), 1);
        assert_eq!(one, vec![cents(1000)]);
    }

    #[test]
    fn the_whole_pool_goes_out() {
        let parts = [Share(5000), Share(3000), Share(2000)];
        assert_eq!(shares(cents(1001), &parts, 3), vec![cents(501), cents(300), cents(200)]);
        assert_eq!(shares(cents(1000), &parts, 2), vec![cents(625), cents(375)]);
        // Half of 1002 is a whole number: the cent goes to the best place that was rounded.
        assert_eq!(shares(cents(1002), &parts, 3), vec![cents(501), cents(301), cents(200)]);
        let halves = [Share(5000), Share(2500), Share(2500)];
        assert_eq!(shares(cents(102), &halves, 3), vec![cents(51), cents(26), cents(25)]);
        for pool in 0..500 {
            for places in 1..4 {
                let sum: u64 = shares(cents(pool), &parts, places).iter().map(|c| c.get()).sum();
                assert_eq!(sum, pool);
            }
            let sum: u64 = divide(cents(pool), 7).iter().map(|c| c.get()).sum();
            assert_eq!(sum, pool);
        }
    }
}
