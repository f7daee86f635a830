//! The audit of accounts: every balance follows from the records, and what an account gave or got
//! is what a table or a tournament got or gave in the same act.

use std::collections::BTreeMap;

use store::{AccountFact, Body, KeptBalance, Purse, Record, StoreError};
use table::{Account, Fact};

use crate::table::Finding;

/// What an audit of accounts found.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    /// By account, what it holds, in cents.
    pub balances: BTreeMap<String, i64>,
    /// By account, how many records it has.
    pub ends: BTreeMap<String, u64>,
    /// What the house has given out in all.
    pub given_out: i64,
    /// Transfers between accounts and tables or tournaments.
    pub transfers: usize,
    /// Everything that is wrong, with the stream in its words.
    pub findings: Vec<Finding>,
}

impl Accounts {
    /// Compares the balances that the log keeps beside its chain with what the records come to. One
    /// that is missing is no finding: it can be thrown away, and is made anew.
    pub fn compare(&mut self, kept: &[KeptBalance]) {
        for KeptBalance { account, version, cents } in kept {
            let holds = self.balances.get(account).and_then(|holds| u64::try_from(*holds).ok());
            let own = holds.zip(self.ends.get(account).copied());
            if own == Some((*cents, *version)) {
                continue;
            }
            let said = own.map_or_else(
                || "which has no records".to_owned(),
                |(cents, end)| format!("whose records say {cents} cents after record {end}"),
            );
            let what = format!(
                "the balance kept of account {account} is {cents} cents after record {version}, \
                 {said}"
            );
            self.findings.push(Finding { version: *version, what });
        }
    }
}

/// A command as all its streams know it: who and which key.
type Named = (String, String);

/// What one act moved at a table, by account: into play above zero.
type Moves = BTreeMap<(Named, String, String), i64>;

/// Checks the streams of accounts against themselves and against those of the tables. Each item
/// has the name of a stream and its records.
///
/// # Errors
///
/// When a record cannot be read.
pub fn audit_accounts<'a>(
    streams: impl IntoIterator<Item = (&'a str, &'a [Record])>,
) -> Result<Accounts, StoreError> {
    let mut found = Accounts::default();
    let (mut given, mut got) = (Moves::new(), Moves::new());
    for (stream, records) in streams {
        match stream.strip_prefix(store::ACCOUNT) {
            Some(account) => account_stream(account, records, &mut found, &mut given)?,
            None if stream.starts_with(store::TOURNAMENT) => {
                tournament_stream(stream, records, &mut got)?;
            }
            None => table_stream(stream, records, &mut got)?,
        }
    }
    found.transfers = given.len();
    for (what, cents) in &given {
        // Who leaves with nothing takes nothing from the table.
        if got.get(what).copied().unwrap_or(0) != *cents {
            let ((actor, key), stream, account) = what;
            let what = format!(
                "{account} moved {cents} cents to {stream} ({actor}, {key}), which has {}",
                got.get(what).copied().unwrap_or(0)
            );
            found.findings.push(Finding { version: 0, what });
        }
    }
    for ((_, stream, account), cents) in got.iter().filter(|(what, _)| !given.contains_key(*what)) {
        // Who has no account of the floor brings chips from outside.
        if *cents != 0 && found.balances.contains_key(account) {
            let what = format!("{stream} has {cents} cents of {account}, who never moved them");
            found.findings.push(Finding { version: 0, what });
        }
    }
    Ok(found)
}

fn account_stream(
    account: &str,
    records: &[Record],
    found: &mut Accounts,
    given: &mut Moves,
) -> Result<(), StoreError> {
    let mut holds = 0_i64;
    for record in records {
        let Body::Account(fact) = record.read()? else {
            let what = format!("account {account} has a record of another kind");
            found.findings.push(Finding { version: record.version, what });
            continue;
        };
        let mut find = |what: String| {
            found.findings.push(Finding { version: record.version, what });
        };
        let (moved, balance) = match &fact {
            AccountFact::Moved { from, to, cents, balance } => {
                let cents = i64::try_from(cents.get()).unwrap_or(i64::MAX);
                let (sign, other) = match (from, to) {
                    (Purse::Account, Purse::Account) => {
                        find(format!("account {account} moves money to itself"));
                        (0, from)
                    }
                    (Purse::Account, other) => (-1, other),
                    (other, Purse::Account) => (1, other),
                    (other, _) => {
                        find(format!("account {account} records what is not its own"));
                        (0, other)
                    }
                };
                if let Purse::Table(stream) | Purse::Tournament(stream) = other {
                    let named = (record.actor.clone(), record.key.clone());
                    let moves = given.entry((named, stream.clone(), account.into())).or_default();
                    *moves -= sign * cents;
                }
                if *other == Purse::House {
                    found.given_out += sign * cents;
                }
                (sign * cents, *balance)
            }
            AccountFact::Corrected { cents, balance, who, second, .. } => {
                if who == second {
                    find(format!("account {account} was corrected by one person alone"));
                }
                found.given_out += cents.get();
                (cents.get(), *balance)
            }
            AccountFact::Opened(_)
            | AccountFact::SignedUp
            | AccountFact::RoleGiven(_)
            | AccountFact::RoleTaken(_)
            | AccountFact::CorrectionAsked { .. }
            | AccountFact::Limited { .. }
            | AccountFact::Paused { .. }
            | AccountFact::Reminded { .. } => continue,
        };
        holds += moved;
        if u64::try_from(holds) != Ok(balance.get()) {
            find(format!("account {account} should hold {holds} cents, and says {balance}"));
        }
    }
    found.balances.insert(account.into(), holds);
    let end = records.last().map_or(0, |record| record.version);
    found.ends.insert(account.into(), end);
    Ok(())
}

/// What people brought to a table and took from it, by the act.
fn table_stream(stream: &str, records: &[Record], got: &mut Moves) -> Result<(), StoreError> {
    let mut names: Vec<String> = Vec::new();
    for record in records {
        let Body::Table(event) = record.read()? else { continue };
        if let Fact::Arrived { name, .. } = &event.fact {
            names.push(name.to_string());
        }
        let outside = event.postings.iter().any(|leg| leg.account == Account::Outside);
        for leg in event.postings.iter().filter(|_| outside) {
            if let Account::Stack(player) = leg.account {
                let Some(account) = names.get(usize::from(player.0)) else { continue };
                let command = (record.actor.clone(), record.key.clone());
                let cents = leg.cents.get();
                *got.entry((command, stream.into(), account.clone())).or_default() += cents;
            }
        }
    }
    Ok(())
}

/// What people paid to a tournament and got from it, by the act.
fn tournament_stream(stream: &str, records: &[Record], got: &mut Moves) -> Result<(), StoreError> {
    // Entrants have numbers in the order of application.
    let mut names: Vec<String> = Vec::new();
    for record in records {
        let Body::Tournament(event) = record.read()? else { continue };
        if let tournament::Fact::Applied { name, .. } = &event.fact {
            names.push(name.to_string());
        }
        let Some((entrant, cents)) = event.paid() else { continue };
        let Some(account) = names.get(usize::from(entrant.0)) else { continue };
        let command = (record.actor.clone(), record.key.clone());
        *got.entry((command, stream.into(), account.clone())).or_default() += cents;
    }
    Ok(())
}
