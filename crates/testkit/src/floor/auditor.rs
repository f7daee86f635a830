//! The auditor of the simulated floor: it predicts every stack and balance from what happened, as a
//! person with pencil and paper would, and not from the postings.

use std::collections::{BTreeMap, HashMap, HashSet};

use live::Told;
use rules::Verdict;
use store::{AccountFact, Body, Purse, Record};
use table::{Account, Event, Fact};

/// What the auditor has written down.
#[derive(Clone, Debug, Default)]
pub(super) struct Auditor {
    /// The last record of each stream that was read.
    seen: BTreeMap<String, u64>,
    stacks: BTreeMap<(String, usize), i64>,
    balances: BTreeMap<String, i64>,
    /// What was told to people, by stream and last record.
    told: Vec<(String, u64, Vec<Event>)>,
    /// Events of the log, by stream and record; names differ from those that were told.
    facts: HashMap<(String, u64), String>,
}

fn amount(cents: rules::Cents) -> i64 {
    i64::try_from(cents.get()).unwrap_or(i64::MAX)
}

impl Auditor {
    pub(super) fn seen(&self, stream: &str) -> u64 {
        self.seen.get(stream).copied().unwrap_or(0)
    }

    pub(super) fn stack(&self, stream: &str, player: usize) -> i64 {
        self.stacks.get(&(stream.to_owned(), player)).copied().unwrap_or(0)
    }

    pub(super) fn balance(&self, account: &str) -> i64 {
        self.balances.get(account).copied().unwrap_or(0)
    }

    /// What somebody was told must be in the log, now and for ever.
    pub(super) fn told(&mut self, stream: &str, version: u64, told: &[Told]) {
        let events = told.iter().map(|told| told.event.clone()).collect();
        self.told.push((stream.into(), version, events));
    }

    pub(super) fn compare_told(&mut self) {
        for (stream, version, events) in std::mem::take(&mut self.told) {
            assert!(
                version <= self.seen(&stream),
                "{stream}: record {version} was told and is lost"
            );
            for event in events.iter().filter(|event| !names(event)) {
                let kind = format!("{:?}", event.fact);
                let there = (version.saturating_sub(400)..=version)
                    .any(|at| self.facts.get(&(stream.clone(), at)) == Some(&kind));
                assert!(there, "{stream}: {kind} was told and is not recorded");
            }
        }
    }

    pub(super) fn record(&mut self, record: &Record) {
        self.seen.insert(record.stream.clone(), record.version);
        match record.read().expect("a record of ours") {
            Body::Table(event) => {
                self.event(&record.stream, &event);
                let kind = format!("{:?}", event.fact);
                self.facts.insert((record.stream.clone(), record.version), kind);
            }
            Body::Account(fact) => {
                let account = record.stream.trim_start_matches("account ").to_owned();
                self.account(account, &fact);
            }
            _ => {}
        }
    }

    fn account(&mut self, account: String, fact: &AccountFact) {
        let balance = self.balances.entry(account).or_default();
        match fact {
            AccountFact::Moved { from: Purse::Account, cents, .. } => *balance -= amount(*cents),
            AccountFact::Moved { cents, .. } => *balance += amount(*cents),
            AccountFact::Corrected { cents, .. } => *balance += cents.get(),
            _ => {}
        }
    }

    fn event(&mut self, stream: &str, event: &Event) {
        let mut stack = |player: table::PlayerId, cents: i64| {
            *self.stacks.entry((stream.to_owned(), usize::from(player.0))).or_default() += cents;
        };
        match &event.fact {
            Fact::Arrived { player, chips, .. } => stack(*player, amount(*chips)),
            Fact::Placed { player, amount: placed, .. } => stack(*player, -amount(*placed)),
            Fact::Returned { player, amount: returned, .. } => stack(*player, amount(*returned)),
            Fact::Settled { player, stake, verdict, .. } => match verdict {
                Verdict::Won(won) => stack(*player, amount(*stake) + amount(won.net)),
                Verdict::Kept => stack(*player, amount(*stake)),
                Verdict::Lost => {}
            },
            // What a void or a reopened coup takes back is in its postings.
            Fact::Reversed { .. }
            | Fact::Reopened { .. }
            | Fact::Relaid { .. }
            | Fact::Adjusted { .. }
            | Fact::WagerCorrected { .. } => {
                for leg in &event.postings {
                    if let Account::Stack(player) = leg.account {
                        stack(player, leg.cents.get());
                    }
                }
            }
            Fact::Left(player) => {
                self.stacks.insert((stream.to_owned(), usize::from(player.0)), 0);
            }
            _ => {}
        }
    }

    /// No command is in the log twice.
    pub(super) fn each_command_once<'a>(records: impl Iterator<Item = &'a Record>) {
        let (mut seen, mut last) = (HashSet::new(), HashMap::new());
        for record in records {
            let name = (record.stream.clone(), record.actor.clone(), record.key.clone());
            let before = last.insert(record.stream.clone(), name.clone());
            if before.as_ref() != Some(&name) {
                assert!(seen.insert(name.clone()), "{name:?} was carried out twice");
            }
        }
    }
}

/// Whether an event has names in it, where the log has accounts.
fn names(event: &Event) -> bool {
    matches!(
        event.fact,
        Fact::Arrived { .. } | Fact::Decided(_) | Fact::Posted(_) | Fact::TookEffect(_)
    )
}
