//! A balance is corrected by two operators: one asks for it, another says the same.

use std::collections::{HashMap, VecDeque};
use std::sync::MutexGuard;

use rules::{Balance, Cents};
use store::AccountFact;
use table::{Code, Refusal, Role};

use crate::account::{Account, Accounts, MINUTE, asked_for};
use crate::answers::reused;
use crate::fault::LiveError;
use crate::order::{MOST_TEXT, check_key};
use crate::scribe::Named;

/// How long a correction waits for its second person, in microseconds.
const WAITS_FOR: u64 = 10 * MINUTE;
/// Answers that are remembered, so that an order that comes again is answered the same.
const REMEMBERED: usize = 256;

/// A correction that waits for a second person.
#[derive(Debug)]
struct Proposed {
    who: String,
    cents: Balance,
    why: String,
    at: u64,
}

/// Corrections that were asked for and are not made. They are kept in memory: what nobody confirmed
/// has changed nothing. What was made is in the account, and is not made again after a restart.
#[derive(Debug, Default)]
pub(crate) struct Corrections {
    /// By account, what waits for a second person.
    waiting: HashMap<String, Proposed>,
    /// The latest refusals, the first person's answer among them, by the order they answered.
    refused: VecDeque<(Named, Refusal)>,
}

impl Corrections {
    /// The answer to an order that was refused before.
    fn answered(&self, named: &Named) -> Option<Refusal> {
        let same = |other: &Named| other.actor == named.actor && other.key == named.key;
        let (before, refusal) = self.refused.iter().find(|(other, _)| same(other))?;
        Some(if before.payload == named.payload { refusal.clone() } else { reused() })
    }

    fn remember(&mut self, named: Named, refusal: &Refusal) {
        self.refused.push_back((named, refusal.clone()));
        if self.refused.len() > REMEMBERED {
            self.refused.pop_front();
        }
    }

    /// The operator who asked for the same before. Who is the first is told what is missing.
    fn confirmed(
        &mut self,
        id: &str,
        (cents, why): (Balance, &str),
        (who, at): (&str, u64),
    ) -> Result<String, Refusal> {
        self.waiting.retain(|_, first| at <= first.at.saturating_add(WAITS_FOR));
        let same = |first: &&Proposed| first.cents == cents && first.who != who;
        match self.waiting.get(id).filter(same) {
            Some(first) if first.why == why => {
                let first = first.who.clone();
                self.waiting.remove(id);
                return Ok(first);
            }
            Some(first) => {
                let what = "a correction for another reason than the first person's";
                return no(Code::SecondPerson, what, format!("their reason is: {}", first.why));
            }
            None => {}
        }
        let proposed = Proposed { who: who.into(), cents, why: why.into(), at };
        self.waiting.insert(id.into(), proposed);
        let what = "a correction of a balance by one person";
        let instead = "another operator says the same, reason included, within ten minutes";
        no(Code::SecondPerson, what, instead)
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
        let ruled = after(&held, (cents, why)).and_then(|balance| {
            Ok((balance, self.corrections().confirmed(id, (cents, why), (who, now))?))
        });
        let (balance, first) = match ruled {
            Ok(ruled) => ruled,
            Err(refusal) => {
                self.corrections().remember(named, &refusal);
                return Ok(Err(refusal));
            }
        };
        let (why, second) = (why.into(), who.into());
        let fact = AccountFact::Corrected { cents, balance, why, who: first, second };
        self.record_asked(&mut held, named, vec![fact]).await?;
        Ok(Ok(held.balance))
    }

    fn corrections(&self) -> MutexGuard<'_, Corrections> {
        self.0.corrections.lock().expect("nobody panics holding it")
    }

    /// The answer that an order got before.
    async fn corrected_before(
        &self,
        held: &Account,
        named: &Named,
    ) -> Result<Option<Result<Cents, Refusal>>, LiveError> {
        if let Some(refusal) = self.corrections().answered(named) {
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
        let recorded = self.recorded(held, last).await?;
        let Some(AccountFact::Corrected { balance, .. }) = recorded else {
            return Ok(Some(Err(reused())));
        };
        Ok(Some(Ok(balance)))
    }
}
