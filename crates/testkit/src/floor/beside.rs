//! What happens beside a simulated event: operators correct balances, players set limits for
//! themselves, and orders of both come again, late and after a restart.

use live::Accounts;
use rules::{Balance, Cents};
use store::OwnLimits;
use table::{Code, Name};

use super::{Dice, finish};

/// A correction that was made.
#[derive(Clone, Debug)]
struct Made {
    account: String,
    cents: Balance,
    why: String,
    /// The operators who said it and their keys, in order.
    said: [(String, String); 2],
    /// What was answered.
    balance: Cents,
}

/// Limits that were set.
#[derive(Clone, Debug)]
struct Set {
    account: String,
    key: String,
    limits: OwnLimits,
    /// What was answered.
    from: u64,
}

/// What was done beside an event, as far as the log has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Beside {
    made: Vec<Made>,
    set: Vec<Set>,
    keys: u64,
}

/// Asks for a correction; gives the balance, or the code of the refusal.
fn ask(accounts: &Accounts, one: &Made, (who, key): (&str, &str)) -> Result<Cents, Code> {
    let asked = accounts.correct(&one.account, one.cents, &one.why, (who, key));
    finish(asked).expect("the log takes it").map_err(|refusal| refusal.code)
}

impl Beside {
    fn key(&mut self) -> String {
        self.keys += 1;
        format!("m{}", self.keys)
    }

    /// Does or repeats one of these things; gives how many orders were repeated.
    pub(super) fn act(
        &mut self,
        accounts: &Accounts,
        operators: &[String],
        players: &[(Name, String)],
        dice: &mut Dice,
    ) -> usize {
        let (_, account) = &players[dice.below(players.len())];
        match dice.below(4) {
            0 => self.correct(accounts, operators, account, dice),
            1 => self.limit(accounts, account, dice),
            2 => return self.correct_again(accounts, operators, dice),
            _ => return self.limit_again(accounts, dice),
        }
        0
    }

    /// Two operators correct a balance; the order of the first may come twice.
    fn correct(
        &mut self,
        accounts: &Accounts,
        operators: &[String],
        account: &str,
        dice: &mut Dice,
    ) {
        let first = dice.below(operators.len());
        let second = (first + 1) % operators.len();
        let said = [first, second].map(|at| (operators[at].clone(), self.key()));
        let sign = if dice.one_in(3) { -1 } else { 1 };
        let cents = Balance::new(sign * 100 * (1 + i64::try_from(dice.below(5)).unwrap_or(0)));
        let (account, why) = (account.to_owned(), format!("slip {}", self.keys));
        let mut one = Made { account, cents, why, said, balance: Cents::ZERO };
        for _ in 0..=dice.below(2) {
            let (who, key) = &one.said[0];
            assert_eq!(ask(accounts, &one, (who, key)), Err(Code::SecondPerson), "{one:?}");
        }
        let (who, key) = &one.said[1];
        one.balance = ask(accounts, &one, (who, key)).expect("two operators said it");
        self.made.push(one);
    }

    /// Orders of a correction come again, and one more operator says the same: it is made once.
    fn correct_again(
        &mut self,
        accounts: &Accounts,
        operators: &[String],
        dice: &mut Dice,
    ) -> usize {
        if self.made.is_empty() {
            return 0;
        }
        let one = self.made[dice.below(self.made.len())].clone();
        let (who, key) = &one.said[0];
        let again = ask(accounts, &one, (who, key));
        assert!(matches!(again, Err(Code::SecondPerson | Code::TooMany)), "{again:?}: {one:?}");
        let other = operators.iter().find(|who| one.said.iter().all(|(said, _)| said != *who));
        let (other, key) = (other.expect("there are three operators"), self.key());
        assert_eq!(ask(accounts, &one, (other, &key)), Err(Code::TooMany), "{one:?}");
        let (who, key) = &one.said[1];
        assert_eq!(ask(accounts, &one, (who, key)), Ok(one.balance), "{one:?}");
        2
    }

    /// A player sets limits, all of them wide enough to play.
    fn limit(&mut self, accounts: &Accounts, account: &str, dice: &mut Dice) {
        let limits = OwnLimits {
            loss: Cents::new(100_000 * (2 + dice.below(4) as u64)),
            minutes: u32::try_from(50_000 + 10_000 * dice.below(4)).ok(),
            remind: None,
        };
        let (account, key) = (account.to_owned(), self.key());
        let from = finish(accounts.limit(&account, &key, limits)).expect("the log takes it");
        self.set.push(Set { account, key, limits, from });
    }

    /// The same limits under the same key hold from the time that was told.
    fn limit_again(&self, accounts: &Accounts, dice: &mut Dice) -> usize {
        if self.set.is_empty() {
            return 0;
        }
        let one = &self.set[dice.below(self.set.len())];
        let again = finish(accounts.limit(&one.account, &one.key, one.limits));
        assert_eq!(again.expect("the log takes it"), one.from, "{one:?}");
        1
    }

    /// By how much an account was corrected, in cents.
    pub(super) fn corrected(&self, account: &str) -> i64 {
        let of = self.made.iter().filter(|one| one.account == account);
        of.map(|one| one.cents.get()).sum()
    }

    /// An older copy of the log is restored: what it has, under keys that are new.
    pub(super) fn restored(self, copy: Self) -> Self {
        Self { keys: self.keys, ..copy }
    }
}
