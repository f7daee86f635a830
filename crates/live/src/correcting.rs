//! A balance is corrected by two operators: one asks for it, another says the same.

use rules::{Balance, Cents};
use store::AccountFact;
use table::{Code, Refusal, Role};

use crate::account::{Accounts, MINUTE, payload};
use crate::answers::reused;
use crate::fault::LiveError;
use crate::order::{MOST_TEXT, check_key};

/// How long a correction waits for its second person, in microseconds.
const WAITS_FOR: u64 = 10 * MINUTE;

/// A correction that waits for a second person. It is kept in memory: what nobody confirmed has
/// changed nothing.
#[derive(Clone, Debug)]
pub(crate) struct Proposed {
    who: String,
    cents: Balance,
    at: u64,
}

fn no<T>(code: Code, what: impl Into<String>, instead: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(code, None, what, instead))
}

impl Accounts {
    /// Corrects a balance by so many cents, once two operators have said the same within ten
    /// minutes. The same key is answered the same.
    ///
    /// # Errors
    ///
    /// When the log fails; the first of two people, a role that may not, one's own account and a
    /// balance below zero are refused.
    pub async fn correct(
        &self,
        id: &str,
        cents: Balance,
        why: &str,
        (who, key): (&str, &str),
    ) -> Result<Result<Cents, Refusal>, LiveError> {
        if let Err(refusal) = check_key(key) {
            return Ok(Err(refusal));
        }
        if why.trim().is_empty() || why.len() > MOST_TEXT || why.chars().any(char::is_control) {
            let instead = format!("a reason has words, in one line of at most {MOST_TEXT} bytes");
            return Ok(no(Code::Unsayable, "a correction without a reason to read", instead));
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
        let fact = |balance: Cents, first: String| AccountFact::Corrected {
            cents,
            balance,
            why: why.into(),
            who: first,
            second: who.into(),
        };
        if let Some((before, ..)) = self.0.log.command(who, key).await? {
            let asked = payload(id, &[fact(held.balance, String::new())], self.0.world.now());
            return Ok(if before == asked { Ok(held.balance) } else { Err(reused()) });
        }
        let now = i64::try_from(held.balance.get()).unwrap_or(i64::MAX);
        let after = now.checked_add(cents.get()).and_then(|after| u64::try_from(after).ok());
        let Some(balance) = after.and_then(Cents::new) else {
            let what = format!("an account that holds {} corrected by {cents}", held.balance);
            return Ok(no(Code::NotEnoughMoney, what, "a balance stays above zero"));
        };
        let Some(first) = self.confirmed(id, cents, who) else {
            let what = "a correction of a balance by one person";
            let instead = "another operator says the same within ten minutes";
            return Ok(no(Code::SecondPerson, what, instead));
        };
        self.record(&mut held, (who, key), vec![fact(balance, first)]).await?;
        Ok(Ok(held.balance))
    }

    /// The operator who asked for the same before; nothing if this one is the first.
    fn confirmed(&self, id: &str, cents: Balance, who: &str) -> Option<String> {
        let at = self.0.world.now();
        let mut proposed = self.0.proposed.lock().expect("nobody panics holding it");
        proposed.retain(|_, first| at <= first.at.saturating_add(WAITS_FOR));
        let same = |first: &&Proposed| first.cents == cents && first.who != who;
        if let Some(first) = proposed.get(id).filter(same).map(|first| first.who.clone()) {
            proposed.remove(id);
            return Some(first);
        }
        proposed.insert(id.into(), Proposed { who: who.into(), cents, at });
        None
    }
}
