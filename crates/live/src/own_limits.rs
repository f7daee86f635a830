//! What people allow themselves: time and loss within a day, pauses, and being reminded.

use rules::{Balance, Cents};
use store::{AccountFact, OwnLimits, TOURNAMENT};
use table::{Code, Refusal};

use crate::account::{Account, DAY, MINUTE};

/// A movement between the account and a place of play.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    pub(crate) at: u64,
    /// Above zero if money went into play.
    pub(crate) cents: i64,
    pub(crate) place: String,
}

impl Move {
    /// Whether somebody plays from this movement to the one back. A fee is paid long before a
    /// tournament, and most never get a prize: it says nothing about time.
    fn is_timed(&self) -> bool {
        !self.place.starts_with(TOURNAMENT)
    }
}

/// What somebody was told of time and money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reminder {
    /// When, in microseconds.
    pub at: u64,
    /// Minutes played within a day.
    pub minutes: u32,
    /// What was lost within a day; below zero if it was won.
    pub lost: Balance,
}

/// A time that somebody was at a table.
struct Visit<'a> {
    place: &'a str,
    from: u64,
    /// Nothing while it lasts.
    until: Option<u64>,
    /// What was brought, less what was taken away.
    lost: i64,
    /// Its movements, by their place in the account.
    moves: Vec<usize>,
}

/// Limits of which each is the narrower of two.
fn narrower(one: OwnLimits, other: OwnLimits) -> OwnLimits {
    let least = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    let minutes = least(one.minutes.map(u64::from), other.minutes.map(u64::from));
    OwnLimits {
        loss: least(one.loss.map(Cents::get), other.loss.map(Cents::get)).and_then(Cents::new),
        minutes: minutes.and_then(|minutes| u32::try_from(minutes).ok()),
        // Being reminded more often or less is no limit.
        remind: other.remind,
    }
}

impl Account {
    /// What follows from new limits: narrower ones hold at once, wider ones a day later. Gives the
    /// time from which all of them hold.
    pub(crate) fn limited(&self, now: u64, limits: OwnLimits) -> (u64, Vec<AccountFact>) {
        let at_once = narrower(self.limits_now(now), limits);
        if at_once == limits {
            return (now, vec![AccountFact::Limited { limits, from: now }]);
        }
        let mut facts = Vec::new();
        if at_once != self.limits_now(now) {
            facts.push(AccountFact::Limited { limits: at_once, from: now });
        }
        let from = now.saturating_add(DAY);
        facts.push(AccountFact::Limited { limits, from });
        (from, facts)
    }

    /// What was over a day ago counts for nothing. A visit is forgotten as a whole, by its end:
    /// what was brought to it days before counts as long as what was taken away.
    pub(crate) fn forget_old(&mut self, now: u64) {
        let old = now.saturating_sub(DAY);
        let mut keeps: Vec<bool> =
            self.moves.iter().map(|one| !one.is_timed() && one.at >= old).collect();
        for visit in self.visits().filter(|visit| visit.until.is_none_or(|until| until >= old)) {
            for at in visit.moves {
                keeps[at] = true;
            }
        }
        let mut keeps = keeps.into_iter();
        self.moves.retain(|_| keeps.next().unwrap_or(true));
    }

    /// The times that somebody was at a table, in order: from the chips that were brought to those
    /// that were taken away, if only none.
    fn visits(&self) -> impl Iterator<Item = Visit<'_>> {
        let mut visits: Vec<Visit<'_>> = Vec::new();
        for (at, one) in self.moves.iter().enumerate().filter(|(_, one)| one.is_timed()) {
            let open = |visit: &&mut Visit<'_>| visit.place == one.place && visit.until.is_none();
            match visits.iter_mut().find(open) {
                Some(visit) => {
                    visit.moves.push(at);
                    visit.lost = visit.lost.saturating_add(one.cents);
                    visit.until = (one.cents <= 0).then_some(one.at);
                }
                None if one.cents > 0 => {
                    let (place, from, lost) = (one.place.as_str(), one.at, one.cents);
                    visits.push(Visit { place, from, until: None, lost, moves: vec![at] });
                }
                None => {}
            }
        }
        visits.into_iter()
    }

    /// The tables that somebody has not left, and what was brought to each.
    pub(crate) fn open_visits(&self) -> impl Iterator<Item = (&str, Cents)> {
        let open = self.visits().filter(|visit| visit.until.is_none());
        open.map(|visit| {
            let brought = u64::try_from(visit.lost).ok().and_then(Cents::new);
            (visit.place, brought.unwrap_or(Cents::ZERO))
        })
    }

    /// The limits that hold now.
    #[must_use]
    pub fn limits_now(&self, now: u64) -> OwnLimits {
        match self.wider {
            Some((limits, from)) if from <= now => limits,
            Some(_) | None => self.limits,
        }
    }

    /// What was put into play within a day, less what came back. Who has been at a table for longer
    /// has all of it in play.
    fn put_in(&self, now: u64) -> i64 {
        let since = now.saturating_sub(DAY);
        let recent = |visit: &Visit<'_>| visit.until.is_none_or(|until| until >= since);
        let at_tables = self.visits().filter(recent).map(|visit| visit.lost).sum::<i64>();
        let fees = self.moves.iter().filter(|one| !one.is_timed() && one.at >= since);
        at_tables.saturating_add(fees.map(|one| one.cents).sum::<i64>())
    }

    /// Minutes played within a day.
    #[must_use]
    pub fn minutes(&self, now: u64) -> u32 {
        let since = now.saturating_sub(DAY);
        let played: u64 = self
            .visits()
            .map(|visit| visit.until.unwrap_or(now).saturating_sub(visit.from.max(since)))
            .sum();
        u32::try_from(played / MINUTE).unwrap_or(u32::MAX)
    }

    /// Whether a limit of the person's own, or a pause, keeps them from putting money at risk;
    /// `more` is what they would lose besides what is in play, below zero what they would still
    /// have in front of them.
    pub(crate) fn own_limit(&self, now: u64, more: i64) -> Result<(), Refusal> {
        let no =
            |what: String, instead: String| Err(Refusal::new(Code::OwnLimit, None, what, instead));
        if self.paused > now {
            let hours = (self.paused - now).div_ceil(60 * MINUTE);
            return no(
                "you asked for a pause, which cannot be taken back".into(),
                format!("allowed in {hours} h"),
            );
        }
        let limits = self.limits_now(now);
        if let Some(minutes) = limits.minutes
            && self.minutes(now) >= minutes
        {
            return no(
                format!("you set yourself {minutes} minutes a day, and they are over"),
                "allowed when they are a day old".into(),
            );
        }
        if let Some(loss) = limits.loss {
            let at_most = i64::try_from(loss.get()).unwrap_or(i64::MAX);
            if self.put_in(now).saturating_add(more) > at_most {
                return no(
                    format!("you set yourself a loss of at most {loss} a day"),
                    "allowed: what keeps within it".into(),
                );
            }
        }
        Ok(())
    }

    /// Wider limits that were asked for and do not hold yet, and from when they do.
    #[must_use]
    pub fn limits_later(&self, now: u64) -> Option<(OwnLimits, u64)> {
        self.wider.filter(|(_, from)| *from > now)
    }

    /// Whether a reminder is due, and what it says.
    pub(crate) fn reminder(&self, now: u64, holds: Cents) -> Option<AccountFact> {
        let every = u64::from(self.limits_now(now).remind?) * MINUTE;
        let began = self.moves.iter().rev().find(|one| one.cents > 0)?.at;
        let reminded = self.reminded.map_or(0, |reminder| reminder.at);
        if now < reminded.max(began).saturating_add(every) {
            return None;
        }
        let lost = self.put_in(now).saturating_sub_unsigned(holds.get());
        Some(AccountFact::Reminded { minutes: self.minutes(now), lost: Balance::new(lost) })
    }
}

#[cfg(test)]
mod tests {
    use store::Purse;

    use super::*;

    const NOW: u64 = 40 * DAY;

    fn minutes(minutes: u64) -> u64 {
        minutes * MINUTE
    }

    fn with(moves: &[(u64, i64)]) -> Account {
        let mut account = Account::new("a-1");
        let moves = moves.iter().map(|(at, cents)| (*at, *cents, "table 1".to_owned()));
        account.moves = moves.map(|(at, cents, place)| Move { at, cents, place }).collect();
        account
    }

    #[test]
    fn who_leaves_with_nothing_plays_no_longer() {
        let account = with(&[(NOW - minutes(50), 5000), (NOW - minutes(20), 0)]);
        assert_eq!(account.minutes(NOW), 30);
        assert_eq!(account.put_in(NOW), 5000);
    }

    #[test]
    fn chips_that_lie_at_a_table_for_more_than_a_day_are_in_play() {
        let mut account = with(&[(NOW - 2 * DAY, 5000)]);
        account.forget_old(NOW);
        assert_eq!(account.put_in(NOW), 5000);
        assert_eq!(account.minutes(NOW), 24 * 60);
        // What was lost and left behind two days ago is no matter of today.
        let mut account = with(&[(NOW - 3 * DAY, 5000), (NOW - 2 * DAY, -1000)]);
        account.forget_old(NOW);
        assert_eq!(account.put_in(NOW), 0);
    }

    #[test]
    fn a_visit_counts_with_all_its_chips_until_a_day_after_its_end() {
        let moved = |from, to, cents| {
            let cents = Cents::new(cents).unwrap();
            AccountFact::Moved { from, to, cents, balance: Cents::ZERO }
        };
        let (table, own) = (|| Purse::Table("table 1".into()), || Purse::Account);
        let mut account = Account::new("a-1");
        account.fold(NOW - 2 * DAY, &moved(own(), table(), 5000));
        // Who leaves after two days has lost what was lost, and played for a day of this one.
        account.fold(NOW, &moved(table(), own(), 1000));
        assert_eq!((account.put_in(NOW), account.minutes(NOW)), (4000, 24 * 60));
        // Six hours later it is not forgotten, whatever else moves.
        let later = NOW + 6 * 60 * MINUTE;
        account.fold(later, &moved(own(), table(), 2000));
        assert_eq!(account.put_in(later), 6000);
        // A day after its end it is, and the new one is not.
        let past = NOW + DAY + MINUTE;
        account.fold(past, &moved(own(), table(), 100));
        assert_eq!(account.put_in(past), 2100);
        assert_eq!(account.moves.len(), 2);
    }

    fn limits(loss: Option<u64>, minutes: Option<u32>) -> OwnLimits {
        OwnLimits { loss: loss.and_then(Cents::new), minutes, remind: None }
    }

    fn set(account: &mut Account, now: u64, wanted: OwnLimits) -> u64 {
        let (from, facts) = account.limited(now, wanted);
        for fact in &facts {
            account.fold(now, fact);
        }
        from
    }

    #[test]
    fn the_narrower_of_two_limits_holds_at_once_and_the_wider_a_day_later() {
        let mut account = with(&[]);
        assert_eq!(set(&mut account, NOW, limits(Some(100), Some(60))), NOW);
        assert_eq!(set(&mut account, NOW, limits(Some(500), Some(30))), NOW + DAY);
        assert_eq!(account.limits_now(NOW), limits(Some(100), Some(30)));
        assert_eq!(account.limits_now(NOW + DAY), limits(Some(500), Some(30)));
        // What has become wider stays so while something still wider waits.
        let later = NOW + 2 * DAY;
        assert_eq!(set(&mut account, later, limits(Some(900), Some(30))), later + DAY);
        assert_eq!(account.limits_now(later), limits(Some(500), Some(30)));
        // A wider limit that waits is given up by asking for a narrower one.
        assert_eq!(set(&mut account, later, limits(Some(50), Some(30))), later);
        assert_eq!(account.limits_now(later + 2 * DAY), limits(Some(50), Some(30)));
    }
}
