//! The division of the pool: all of it, to the cent.

use alloc::vec::Vec;

use rules::Cents;

use crate::conditions::Part;

/// The prizes of the first so many places; those of places that nobody takes are divided among the
/// others in proportion. Cents that cannot be divided go one by one to the places in their order.
#[must_use]
pub fn shares(pool: Cents, parts: &[Part], places: usize) -> Vec<Cents> {
    let parts = &parts[..parts.len().min(places)];
    let whole: u128 = parts.iter().map(|part| u128::from(part.0)).sum();
    if whole == 0 {
        return Vec::new();
    }
    let part = |part: &Part| u128::from(pool.get()) * u128::from(part.0) / whole;
    spread_rest(pool.get(), parts.iter().map(part).collect())
}

/// A sum in equal parts; cents that cannot be divided go one by one to the first.
#[must_use]
pub fn divide(sum: Cents, among: usize) -> Vec<Cents> {
    if among == 0 {
        return Vec::new();
    }
    let each = u128::from(sum.get()) / among as u128;
    spread_rest(sum.get(), alloc::vec![each; among])
}

fn spread_rest(sum: u64, parts: Vec<u128>) -> Vec<Cents> {
    let given: u128 = parts.iter().sum();
    let rest = usize::try_from(u128::from(sum).saturating_sub(given)).unwrap_or(0);
    let with_rest = parts.into_iter().enumerate().map(|(i, part)| {
        let cents = part + u128::from(i < rest);
        u64::try_from(cents).ok().and_then(Cents::new).unwrap_or(Cents::MAX)
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

    #[test]
    fn the_whole_pool_goes_out() {
        let parts = [Part(5000), Part(3000), Part(2000)];
        assert_eq!(shares(cents(1001), &parts, 3), vec![cents(501), cents(300), cents(200)]);
        assert_eq!(shares(cents(1000), &parts, 2), vec![cents(625), cents(375)]);
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
