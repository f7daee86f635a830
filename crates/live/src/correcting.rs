//! A balance is corrected by two operators: one asks for it, another says the same. What one asked
//! for is a record of the account: it waits through a restart, and its order is answered the same.

use std::collections::VecDeque;
use std::sync::MutexGuard;

use rules::{Balance, Cents};
use store::AccountFact;
use table::{Code, Refusal, Role};

use crate::account::{Account, Accounts, MINUTE, asked_for};
use crate::answers::reused;
use crate::fault::LiveError;
use crate::host::has_role;
use crate::order::{MOST_TEXT, check_key};
use crate::scribe::Named;

/// How long a correction waits for its second person, in microseconds.
const WAITS_FOR: u64 = 10 * MINUTE;
/// Answers that are remembered, so that an order that comes again is answered the same.
const REMEMBERED: usize = 256;

/// A correction that waits for a second person, as the account's records have it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) who: String,
    pub(crate) cents: Balance,
    pub(crate) why: String,
    pub(crate) at: u64,
}

/// Corrections that were refused, by the order they answered. They are kept in memory: what was
/// refused has changed nothing. What waits and what was made is in the account.
#[derive(Debug, Default)]
pub(crate) struct Refused(VecDeque<(Named, Refusal)>);

impl Refused {
    /// The answer to an order that was refused before.
    fn answered(&self, named: &Named) -> Option<Refusal> {
        let same = |other: &Named| other.actor == named.actor && other.key == named.key;
        let (before, refusal) = self.0.iter().find(|(other, _)| same(other))?;
        Some(if before.payload == named.payload { refusal.clone() } else { reused() })
    }

    fn remember(&mut self, named: Named, refusal: &Refusal) {
        self.0.push_back((named, refusal.clone()));
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }
}

/// What the first of two people is told, now and when asked again.
fn one_of_two() -> Refusal {
    let what = "a correction of a balance by one person";
    let instead = "another operator says the same, reason included, within ten minutes";
    Refusal::new(Code::SecondPerson, None, what, instead)
}

/// The operator who asked for the same before; nobody, if this one is the first.
fn first_of_two(
    held: &Account,
    (cents, why): (Balance, &str),
    (who, at): (&str, u64),
) -> Result<Option<String>, Refusal> {
    let waits = |first: &&Asked| at <= first.at.saturating_add(WAITS_FOR);
    let same = |first: &&Asked| first.cents == cents && first.who != who;
    let others: Vec<_> = held.asked.iter().filter(waits).filter(same).collect();
    if let Some(first) = others.iter().find(|first| first.why == why) {
        return Ok(Some(first.who.clone()));
    }
    match others.last() {
        Some(first) => {
            let what = "a correction for another reason than the first person's";
            no(Code::SecondPerson, what, format!("their reason is: {}", first.why))
        }
        None => Ok(None),
    }
}

fn no<T>(code: Code, what: impl Into<String>, instead: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(code, None, what, instead))
}

/// Whether a correction can be asked for at all.
fn check(cents: Balance, why: &str) -> Result<(), Refusal> {
    if why.is_empty() || why.len() > MOST_TEXT || why.chars().any(char::is_control) {
        let instead = format!("a reason has words, in one line of at most {MOST_TEXT} bytes");
        return no(Code::Unsayable, "a correction without a reason to read", instead);
    }
    if cents == Balance::ZERO {
        let what = "a correction by nothing";
        return no(Code::NoAmount, what, "an amount above or below zero");
    }
    Ok(())
}

/// What an account holds after a correction. The same is not made twice for the same reason: an
/// order that is repeated, however late, is carried out once.
fn after(held: &Account, (cents, why): (Balance, &str)) -> Result<Cents, Refusal> {
    if held.corrected.iter().any(|made| made.cents == cents && made.why == why) {
        let what = "a correction that was made already, for the same reason";
        return no(Code::TooMany, what, "another one has a reason of its own, in other words");
    }
    let holds = i64::try_from(held.balance.get()).unwrap_or(i64::MAX);
    let after = holds.checked_add(cents.get()).and_then(|after| u64::try_from(after).ok());
    after.and_then(Cents::new).ok_or_else(|| {
        let what = format!("an account that holds {} corrected by {cents}", held.balance);
        Refusal::new(Code::NotEnoughMoney, None, what, "a balance stays above zero")
    })
}

/// A correction that was made.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) cents: Balance,
    pub(crate) why: String,
}

impl Accounts {
    /// Corrects a balance by so many cents, once two operators have said the same within ten
    /// minutes, reason included. The same key is answered the same.
    ///
    /// # Errors
    ///
    /// When the log fails; the first of two people, a role that may not, one's own account, nothing
    /// and a balance below zero are refused.
    pub async fn correct(
        &self,
        id: &str,
        cents: Balance,
        why: &str,
        (who, key): (&str, &str),
    ) -> Result<Result<Cents, Refusal>, LiveError> {
        let why = why.trim();
        if let Err(refusal) = check_key(key).and_then(|()| check(cents, why)) {
            return Ok(Err(refusal));
        }
        if !self.get(who).await?.roles.contains(&Role::Operator) {
            let what = "a correction of a balance by somebody who is no operator";
            return Ok(no(Code::NotTheirs, what, "two operators correct a balance together"));
        }
        if who == id {
            let what = "a correction of one's own balance";
            return Ok(no(Code::NotTheirs, what, "two other operators do it"));
        }
        let mut held = self.hold(id).await?;
        let named = asked_for(id, (who, key), &format!("corrected {cents} {why}"));
        if let Some(answer) = self.corrected_before(&held, &named).await? {
            return Ok(answer);
        }
        let now = self.0.world.now();
        for first in held.asked.clone() {
            if !has_role(Some(self), &first.who, |role| role == Role::Operator).await? {
                held.asked.retain(|asked| asked.who != first.who);
            }
        }
        let ruled = after(&held, (cents, why))
            .and_then(|balance| Ok((balance, first_of_two(&held, (cents, why), (who, now))?)));
        let (why, person) = (why.to_owned(), who.to_owned());
        match ruled {
            Ok((balance, Some(first))) => {
                let (who, second) = (first, person);
                let fact = AccountFact::Corrected { cents, balance, why, who, second };
                self.record_asked(&mut held, named, vec![fact]).await?;
                Ok(Ok(held.balance))
            }
            Ok((_, None)) => {
                let fact = AccountFact::CorrectionAsked { cents, why, who: person };
                self.record_asked(&mut held, named, vec![fact]).await?;
                Ok(Err(one_of_two()))
            }
            Err(refusal) => {
                self.refused().remember(named, &refusal);
                Ok(Err(refusal))
            }
        }
    }

    fn refused(&self) -> MutexGuard<'_, Refused> {
        self.0.refused.lock().expect("nobody panics holding it")
    }

    /// The answer that an order got before.
    async fn corrected_before(
        &self,
        held: &Account,
        named: &Named,
    ) -> Result<Option<Result<Cents, Refusal>>, LiveError> {
        if let Some(refusal) = self.refused().answered(named) {
            return Ok(Some(Err(refusal)));
        }
        let Some((before, stream, (_, last))) =
            self.0.log.command(&named.actor, &named.key).await?
        else {
            return Ok(None);
        };
        if before != named.payload || stream != held.stream() {
            return Ok(Some(Err(reused())));
        }
        Ok(Some(match self.recorded(held, last).await? {
            Some(AccountFact::Corrected { balance, .. }) => Ok(balance),
            Some(AccountFact::CorrectionAsked { .. }) => Err(one_of_two()),
            _ => Err(reused()),
        }))
    }
}
