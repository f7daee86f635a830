//! Limits on wagers: minimum, maximum, step, payable amounts, and caps on the whole table.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use rules::book::{Exposure, OverMaximum, Payable, Remedy, UnderMinimum};
use rules::{Cents, Cited, Clause, Group, Method, Price, Side, Spot, Terms};

use super::Draft;
use super::wagers::opposite;
use crate::command::Limits;
use crate::event::{Advice, Fact, PlayerId, ReturnWhy};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Phase, Wager, of};

impl Draft<'_> {
    /// A wager as it would lie with this total stake, with the limits that apply to it.
    #[inline]
    pub(super) fn laid(&self, player: PlayerId, spot: Spot, place: u32, total: Cents) -> Wager {
        let unnoticed = false;
        let wager = Wager { player, spot, place, stake: total, unnoticed, limits: None };
        let lying = self.table.at(player, spot, place);
        Wager { limits: self.table.limits_with(lying, &wager), ..wager }
    }

    /// Checks the minimum, the maximum and the step.
    #[inline]
    pub(super) fn check_limits_of(&self, wager: &Wager, accepted: Accepted) -> Result<(), Refusal> {
        let Wager { player, spot, stake: total, limits: Some(limits), .. } = *wager else {
            return Ok(());
        };
        let Limits { least, most, step } = limits;
        let rules = &self.book.limits;
        if let Some(step) = step
            && !total.get().is_multiple_of(step.get())
            && accepted == Accepted::ByTheRules
        {
            let what = format!("{total} on {} is no multiple of {step}", spot.key());
            let lower = total.get() - total.get() % step.get();
            let lower = dollars(lower.max(least.get().next_multiple_of(step.get())));
            let instead = format!("allowed: {lower}");
            return no(Code::NotAMultiple, of(&rules.multiples), what, instead);
        }
        if total < least {
            let what = format!("{total} on {} is below the minimum of {least}", spot.key());
            let instead = format!("allowed: {least} or more");
            let (clause, again) = (of(&rules.under_minimum), of(&rules.under_minimum_again));
            match rules.under_minimum.map(|rule| rule.value) {
                Some(UnderMinimum::Settled) => {}
                Some(UnderMinimum::SettledOnce) if !self.who(player).advised_minimum => {}
                Some(UnderMinimum::SettledOnce) => {
                    return no(Code::UnderMinimum, again.or(clause), what, instead);
                }
                Some(UnderMinimum::Refused) | None => {
                    return no(Code::UnderMinimum, clause, what, instead);
                }
            }
        }
        if total > most {
            let what = format!("{total} on {} is above the maximum of {most}", spot.key());
            match rules.over_maximum.map(|rule| rule.value) {
                Some(OverMaximum::ToTheMaximum) => {}
                Some(OverMaximum::Refused) | None => {
                    let clause = of(&rules.over_maximum);
                    return no(Code::OverMaximum, clause, what, format!("allowed: {most}"));
                }
            }
        }
        Ok(())
    }

    /// The player's first wager under the minimum stands, and the player is told. The owner of a
    /// wager over the maximum is told that only the maximum is at risk.
    #[inline]
    pub(super) fn advise(&mut self, wager: &Wager) -> Told {
        let mut told = Told::Nothing;
        let Wager { player, stake: total, limits, .. } = *wager;
        let rules = &self.book.limits;
        if limits.is_some_and(|limits| total > limits.most) && rules.over_maximum.is_some() {
            let clause = of(&rules.over_maximum);
            self.push(Fact::Advised(player, Advice::OverMaximum), &[clause]);
            told = Told::Something;
        }
        let once = rules.under_minimum.is_some_and(|rule| rule.value == UnderMinimum::SettledOnce);
        if limits.is_some_and(|limits| total < limits.least) && once {
            let clauses = [of(&rules.under_minimum_again), of(&rules.under_minimum)];
            self.push(Fact::Advised(player, Advice::UnderMinimum), &clauses);
            told = Told::Something;
        }
        told
    }

    /// Where areas are capped, the wagers on one area may total the table maximum at most: those of
    /// all players, or those of the named players.
    #[inline]
    pub(super) fn check_area_cap(
        &self,
        player: PlayerId,
        spot: Spot,
        place: u32,
        amount: Cents,
    ) -> Result<(), Refusal> {
        let (table, caps) = (&*self.table, &self.table.area_caps);
        let named = |id: PlayerId| caps.players.contains(&table.player(id).name);
        let (true, Some(rule), Some(sign)) = (
            caps.all || named(player),
            self.book.limits.area_cap,
            table.limits.get(table.group(spot)),
        ) else {
            return Ok(());
        };
        let here = table.wagers.iter().filter(|w| w.spot == spot && w.place == place);
        let counted = here.filter(|wager| caps.all || named(wager.player));
        let lying: u64 = counted.map(|wager| wager.stake.get()).sum();
        if lying + amount.get() > sign.most.get() {
            let most = sign.most;
            let what = format!(
                "{amount} more on {} at {place} passes the table maximum of {most}",
                spot.key()
            );
            let room = Cents::new(most.get().saturating_sub(lying)).unwrap_or(Cents::ZERO);
            return no(Code::AreaCap, Some(rule.clause), what, format!("allowed: {room}"));
        }
        Ok(())
    }

    /// The prices that a winning wager can be due, to judge whether it can be paid.
    fn prices(&self, spot: Spot) -> Vec<Cited<Price>> {
        self.book.prices(spot, self.table.terms())
    }

    /// Checks a sign with a step: every wager on a step must be payable in whole cents, and so must
    /// the maximum, because only the maximum is at risk in a wager above it.
    pub(super) fn check_sign_payable(
        &self,
        group: Group,
        limits: Limits,
        method: Method,
    ) -> Result<(), Refusal> {
        let Some(step) = limits.step.map(Cents::get) else { return Ok(()) };
        let side_bets = self.table.sign_terms().side_bets.clone();
        let terms = Terms { method, side_bets };
        let spots = self.book.spots().into_iter();
        let spots = spots.filter(|spot| self.book.group(*spot) == Some(group));
        let prices: Vec<_> = spots.flat_map(|spot| self.book.prices(spot, &terms)).collect();
        let unit = prices.iter().fold(1, |unit, price| lcm(unit, price.value.step().get()));
        let (least, most) = (limits.least.get(), limits.most.get());
        if step.is_multiple_of(unit) && most.is_multiple_of(unit) {
            return Ok(());
        }
        let rules = &self.book.limits;
        let odd = prices.iter().find(|price| price.value.step().get() > 1);
        let clause = of(&rules.multiples).or(of(&rules.payable)).or(odd.map(|odd| odd.clause));
        let name = self.book.group_name(group);
        let what = format!("wins on {name} by {} would not be whole cents", dollars(step));
        let step = lcm(step, unit);
        let least = least.div_ceil(step).saturating_mul(step);
        let most = (most - most % step).max(least);
        let [least, most, step] = [least, most, step].map(dollars);
        let instead = format!("allowed: {least}..{most} by {step}");
        no(Code::NotPayable, clause, what, instead)
    }

    /// Checks that the winnings are whole cents.
    #[inline]
    pub(super) fn check_whole_cents(&self, wager: &Wager) -> Result<(), Refusal> {
        let stake = self.at_risk(wager);
        if self.book.pays_whole(wager.spot, self.table.terms(), stake) {
            return Ok(());
        }
        for price in self.prices(wager.spot) {
            if let Err(fault) = price.value.winnings(stake) {
                let step = price.value.step();
                let instead = if stake < wager.stake {
                    format!("allowed: {}", dollars(stake.get() - stake.get() % step.get()))
                } else {
                    format!("allowed: a multiple of {step}")
                };
                let clause = of(&self.book.limits.payable).or(of(&self.book.limits.multiples));
                let clause = clause.or(Some(price.clause));
                return no(Code::NotPayable, clause, fault.to_string(), instead);
            }
        }
        Ok(())
    }

    /// Checks whether the table's chips can pay a win. For a wager that was accepted in error,
    /// returns the part that cannot be paid.
    #[inline]
    pub(super) fn check_payable(
        &self,
        wager: &Wager,
        accepted: Accepted,
    ) -> Result<Option<(Cents, Clause)>, Refusal> {
        let (spot, total) = (wager.spot, self.at_risk(wager));
        let rules = &self.book.limits;
        let Some(rule) = rules.payable else { return Ok(None) };
        let concerns = match rule.value {
            Payable::BankerRefused => spot == Spot::Banker,
            Payable::AnyMayBeRefused => true,
        };
        if !concerns || self.table.chips.is_empty() {
            return Ok(None);
        }
        let prices = self.prices(spot);
        let pays = |stake: Cents| {
            prices.iter().all(|price| {
                let won = price.value.winnings(stake);
                won.is_ok_and(|won| payable(won.net, &self.table.chips))
            })
        };
        if pays(total) {
            return Ok(None);
        }
        let smallest = self.table.chips.iter().map(|chip| chip.get()).min().unwrap_or(1);
        let floor = total.get() - total.get() % smallest;
        let below = (0..STEPS).map(|i| floor.saturating_sub(i * smallest));
        let payable_below = |stake: &u64| *stake == 0 || Cents::new(*stake).is_some_and(pays);
        let lower = below.into_iter().find(payable_below).unwrap_or(0);
        let in_error = accepted == Accepted::InError;
        if in_error && rule.value == Payable::BankerRefused {
            let (void, part) =
                (total.get() - lower, of(&rules.payable_part).unwrap_or(rule.clause));
            return Ok(Cents::new(void).map(|void| (void, part)));
        }
        if in_error {
            return Ok(None);
        }
        let what = format!("{total} on {} cannot be paid exactly in chips", spot.key());
        let above = (floor + smallest..=total.get().saturating_mul(4)).step_by(size(smallest));
        let upper = above.filter_map(Cents::new).find(|upper| pays(*upper));
        let instead = upper.map_or_else(
            || "allowed: a stake that chips can pay".into(),
            |upper| format!("{upper} can"),
        );
        no(Code::NotPayable, Some(rule.clause), what, instead)
    }

    pub(super) fn reduce(&mut self, side: Side) -> Result<(), Refusal> {
        if !matches!(self.table.phase, Phase::Betting | Phase::Called) {
            return self.wrong_moment("reducing wagers", "allowed before the first card");
        }
        let remedy = self.book.limits.exposure_remedy;
        match remedy {
            Some(rule) if rule.value == Remedy::ProRata => {}
            other => {
                let what = "wagers are not reduced pro rata under this book";
                return no(Code::NotInTheBook, of(&other), what, "leave them");
            }
        }
        if self.keep_to_cap(Some(side)) == Cap::Kept {
            let what = format!("the wagers on {side} are within the cap");
            return no(Code::NothingToDecide, of(&remedy), what, "leave them");
        }
        Ok(())
    }

    /// Where the dealer may reduce wagers, the dealer may also let them stand.
    pub(super) fn let_stand(&mut self) -> Result<(), Refusal> {
        if !matches!(self.table.phase, Phase::Betting | Phase::Called) {
            return self.wrong_moment("letting wagers stand", "allowed before the first card");
        }
        match self.book.limits.exposure_remedy {
            Some(rule) if rule.value == Remedy::ProRata => {
                self.push(Fact::LetStand, &[Some(rule.clause)]);
                Ok(())
            }
            other => {
                let what = "under this book wagers above the cap are reduced";
                no(Code::NotInTheBook, of(&other), what, "call, and they are trimmed")
            }
        }
    }

    /// Trims wagers until the differential or the liability is within its cap. A wager that goes
    /// back whole may leave the other side too heavy, so both sides are checked until nothing
    /// changes. The loop ends, because wagers only get smaller.
    pub(super) fn keep_to_cap(&mut self, only: Option<Side>) -> Cap {
        let mut cap = Cap::Kept;
        if self.table.round.exposure.is_none() || (self.table.let_stand && only.is_none()) {
            return cap;
        }
        loop {
            let mut now = Cap::Kept;
            for spot in [Spot::Banker, Spot::Player] {
                if only.is_none_or(|side| spot.hand() == Some(side)) {
                    now = now.max(self.keep_spot_to_cap(spot));
                }
            }
            if now == Cap::Kept {
                return cap;
            }
            cap = now;
        }
    }

    fn keep_spot_to_cap(&mut self, spot: Spot) -> Cap {
        let rules = &self.book.limits;
        let (Some(cap), Some(exposure), Some(remedy)) =
            (self.table.round.exposure, rules.exposure, rules.exposure_remedy)
        else {
            return Cap::Kept;
        };
        let total = |spot: Spot| -> u64 {
            let on = self.table.wagers.iter().filter(|wager| wager.spot == spot);
            on.map(|wager| self.at_risk(wager).get()).sum()
        };
        let (here, there) = (total(spot), total(opposite(spot)));
        let allowed = match exposure.value {
            Exposure::Differential => there + cap.get(),
            Exposure::Liability => cap.get(),
        };
        if here <= allowed {
            return Cap::Kept;
        }
        match remedy.value {
            Remedy::NewestFirst => self.trim_newest(spot, here - allowed, remedy.clause),
            Remedy::ProRata => self.trim_pro_rata(spot, here, allowed, remedy.clause),
        }
    }

    /// The part of a wager that is at risk: at most the maximum.
    #[inline]
    pub(super) fn at_risk(&self, wager: &Wager) -> Cents {
        let rule = self.book.limits.over_maximum;
        let capped = rule.is_some_and(|rule| rule.value == OverMaximum::ToTheMaximum);
        let limits = wager.limits.filter(|_| capped);
        limits.map_or(wager.stake, |limits| wager.stake.min(limits.most))
    }

    fn trim_newest(&mut self, spot: Spot, mut excess: u64, clause: Clause) -> Cap {
        let mut cap = Cap::Kept;
        let wagers: Vec<_> = self.table.wagers.iter().filter(|w| w.spot == spot).copied().collect();
        for wager in wagers.iter().rev() {
            if excess == 0 {
                break;
            }
            let risk = self.at_risk(wager).get();
            let keep = self.rounded_down(wager, risk.saturating_sub(excess));
            let back = wager.stake.get() - keep;
            excess = excess.saturating_sub(risk - keep);
            cap = cap.max(self.trim(wager, back, clause));
        }
        cap
    }

    fn trim_pro_rata(&mut self, spot: Spot, here: u64, allowed: u64, clause: Clause) -> Cap {
        let mut cap = Cap::Kept;
        let wagers: Vec<_> = self.table.wagers.iter().filter(|w| w.spot == spot).copied().collect();
        for wager in &wagers {
            let risk = self.at_risk(wager).get();
            let share = u128::from(risk) * u128::from(allowed) / u128::from(here);
            let keep = u64::try_from(share).unwrap_or(0);
            let keep = self.rounded_down(wager, keep);
            cap = cap.max(self.trim(wager, wager.stake.get() - keep, clause));
        }
        cap
    }

    /// The part of a wager that may stay: rounded down to a multiple, and nothing if it is below
    /// the minimum.
    fn rounded_down(&self, wager: &Wager, keep: u64) -> u64 {
        let limits = wager.limits;
        let limits_step = limits.and_then(|limits| limits.step).map_or(1, Cents::get);
        let prices = self.prices(wager.spot);
        let cents = prices.iter().fold(1, |cents, price| lcm(cents, price.value.step().get()));
        let chips = &self.table.chips;
        let in_chips = self.book.limits.payable.is_some() && !chips.is_empty();
        let payable_in_chips = |keep: u64| {
            prices.iter().all(|price| {
                let won = Cents::new(keep).and_then(|keep| price.value.winnings(keep).ok());
                won.is_some_and(|won| payable(won.net, chips))
            })
        };
        let smallest = chips.iter().map(|chip| chip.get()).min().filter(|_| in_chips);
        let step = lcm(lcm(limits_step, cents), smallest.unwrap_or(1));
        let mut keep = keep - keep % step;
        for _ in 0..STEPS {
            if !in_chips || payable_in_chips(keep) {
                break;
            }
            keep = keep.saturating_sub(step);
        }
        if limits.is_some_and(|limits| keep < limits.least.get()) { 0 } else { keep }
    }

    fn trim(&mut self, wager: &Wager, back: u64, clause: Clause) -> Cap {
        let amount = Cents::new(back).unwrap_or(Cents::ZERO);
        let why = ReturnWhy::Exposure;
        self.give_back(wager, amount, why, &[Some(clause)]);
        if amount == Cents::ZERO { Cap::Kept } else { Cap::Passed }
    }
}

/// Whether the wagers were within the cap, or had to be trimmed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cap {
    /// All wagers stayed unchanged.
    Kept,
    /// Some went back, whole or in part.
    Passed,
}

/// Whether the owner of a wager was told something about it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// The owner was told nothing.
    Nothing,
    /// The owner was told something.
    Something,
}

/// The number of steps from a stake within which a stake that chips can pay is looked for.
const STEPS: u64 = 1000;

/// Whether an amount is a sum of the denominations, any number of each.
///
/// For each remainder by the smallest denomination the smallest sum with that remainder is found
/// (round by round over the other denominations); larger sums follow by adding the smallest.
fn payable(amount: Cents, chips: &[Cents]) -> bool {
    /// More remainders than any sensible set of chips has.
    const MOST: u64 = 1_000_000;
    let Some(smallest) = chips.iter().map(|chip| chip.get()).min() else { return false };
    if amount.get().is_multiple_of(smallest) {
        return true;
    }
    if smallest > MOST {
        return false;
    }
    let size = size(smallest);
    let mut least = alloc::vec![u128::MAX; size];
    least[0] = 0;
    for chip in chips.iter().map(|chip| chip.get()).filter(|chip| *chip != smallest) {
        let step = usize::try_from(chip % smallest).unwrap_or(0);
        let rounds = usize::try_from(gcd(smallest, chip)).unwrap_or(1);
        for start in 0..rounds {
            // Twice around the cycle is enough to find every smallest sum.
            let mut at = start;
            for _ in 0..2 * size / rounds {
                let next = (at + step) % size;
                let through = least[at].saturating_add(u128::from(chip));
                least[next] = least[next].min(through);
                at = next;
            }
        }
    }
    let remainder = usize::try_from(amount.get() % smallest).unwrap_or(0);
    least[remainder] <= u128::from(amount.get())
}

/// A sum of cents as a step or a length.
fn size(cents: u64) -> usize {
    usize::try_from(cents).unwrap_or(usize::MAX)
}

fn dollars(cents: u64) -> Cents {
    Cents::new(cents).unwrap_or(Cents::MAX)
}

/// The least common multiple; beyond all amounts, if it is beyond 64 bits.
const fn lcm(a: u64, b: u64) -> u64 {
    (a / gcd(a, b)).saturating_mul(b)
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// How a wager was accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Accepted {
    ByTheRules,
    /// Staff accepted it although a rule forbids it.
    InError,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every sum up to 500 is payable exactly if some number of each chip makes it up.
    #[test]
    fn what_chips_can_pay_is_what_counting_them_out_finds() {
        for chips in [&[3, 5][..], &[5, 3], &[4, 6, 9], &[10, 25], &[7], &[6, 10, 15], &[2, 3, 1]] {
            let mut sums = [false; 501];
            sums[0] = true;
            for sum in 1..sums.len() {
                sums[sum] = chips.iter().any(|chip| sum >= *chip && sums[sum - chip]);
            }
            let chips: alloc::vec::Vec<_> =
                chips.iter().map(|chip| dollars(*chip as u64)).collect();
            for (sum, counted) in sums.into_iter().enumerate() {
                assert_eq!(payable(dollars(sum as u64), &chips), counted, "{sum} in {chips:?}");
            }
        }
    }
}
