//! The accounts: what happens in a transcript moves chips between the accounts that it speaks of,
//! to the cent, and between no others.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rules::{Cents, Verdict};
use table::{Account, Event, Fact, PlayerId};
use transcript::{Judge, Shelf};

/// What a coup brought a player, and what commission was withheld.
type Effects = BTreeMap<(u32, u16), (i64, i64)>;

/// What is followed of one table.
#[derive(Default)]
struct Accounts {
    coup: u32,
    effects: Effects,
}

fn cents(amount: Cents) -> i64 {
    i64::try_from(amount.get()).unwrap()
}

impl Accounts {
    /// What an event must come to: in front of the player whom it concerns or owed by that player,
    /// then outside, the float, the layout and the commission.
    fn wanted(&mut self, fact: &Fact) -> Option<(PlayerId, [i64; 5])> {
        Some(match *fact {
            Fact::Arrived { player, chips, .. } => (player, [cents(chips), -cents(chips), 0, 0, 0]),
            Fact::Placed { player, amount, .. } => {
                (player, [-cents(amount), 0, 0, cents(amount), 0])
            }
            Fact::Relaid { player, stake, .. } => (player, [-cents(stake), 0, 0, cents(stake), 0]),
            Fact::Returned { player, amount, .. } => {
                (player, [cents(amount), 0, 0, -cents(amount), 0])
            }
            Fact::WagerCorrected { player, from, to, .. } => {
                let more = cents(to) - cents(from);
                (player, [-more, 0, 0, more, 0])
            }
            Fact::Settled { player, stake, verdict, .. } => {
                let stake = cents(stake);
                let (net, commission) = match verdict {
                    Verdict::Won(won) => (cents(won.net), cents(won.commission)),
                    Verdict::Lost => (-stake, 0),
                    Verdict::Kept => (0, 0),
                };
                let effect = self.effects.entry((self.coup, player.0)).or_default();
                *effect = (effect.0 + net, effect.1 + commission);
                (player, [stake + net, 0, -net - commission, -stake, commission])
            }
            Fact::Reversed { player, number } => {
                let effect = self.effects.remove(&(number, player.0));
                let (net, commission) = effect.unwrap_or_default();
                (player, [-net, 0, net + commission, 0, -commission])
            }
            _ => return None,
        })
    }

    /// Checks one event, and follows it.
    fn check(&mut self, event: &Event, file: &str) {
        match event.fact {
            Fact::Opened { .. } => *self = Self::default(),
            Fact::CoupBegan { number, .. } => {
                // In the next session of a tournament the table counts from one again.
                self.effects.retain(|(coup, _), _| *coup != number);
                self.coup = number;
            }
            Fact::Reopened { number } => self.coup = number,
            _ => {}
        }
        let sum = |account: Account| -> i64 {
            let mine = event.postings.iter().filter(|entry| entry.account == account);
            mine.map(|entry| entry.cents.get()).sum()
        };
        let empty = event.postings.iter().any(|entry| entry.cents.get() == 0);
        assert!(!empty, "{file}: an entry of nothing in {event:?}");
        if let Some((player, wanted)) = self.wanted(&event.fact) {
            let own = sum(Account::Stack(player)) + sum(Account::Receivable(player));
            let [outside, float, layout, commission] =
                [Account::Outside, Account::Float, Account::Layout, Account::Commission].map(sum);
            let got = [own, outside, float, layout, commission];
            assert_eq!(got, wanted, "{file}: {event:?}");
            return;
        }
        let touched = |account: &Account| event.postings.iter().any(|e| e.account == *account);
        match event.fact {
            Fact::Left(player) | Fact::SeatRequired(player) => {
                let stack = sum(Account::Stack(player));
                assert_eq!(sum(Account::Outside), -stack, "{file}: {event:?}");
                assert!(stack <= 0 && event.postings.len() <= 2, "{file}: {event:?}");
            }
            // Who is let in again brings chips, and what was owed is part of them.
            Fact::InAgain(player) => {
                let own = sum(Account::Stack(player)) + sum(Account::Receivable(player));
                assert_eq!(sum(Account::Outside), -own, "{file}: {event:?}");
                assert!(!touched(&Account::Layout), "{file}: {event:?}");
            }
            // A tournament's own rules: wagers are not touched, nor another player.
            Fact::Adjusted { player, cents } => {
                assert_eq!(sum(Account::Stack(player)), cents.get(), "{file}: {event:?}");
                assert!(!touched(&Account::Layout), "{file}: {event:?}");
            }
            _ => assert!(event.postings.is_empty(), "{file}: {event:?}"),
        }
    }
}

#[test]
fn every_event_moves_chips_between_the_accounts_that_it_speaks_of() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let (books, mut seen) = (Shelf::default(), 0);
    for folder in rulebooks::ids().iter().map(|book| root.join(book)) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let file = path.display().to_string();
            let text = fs::read_to_string(&path).unwrap();
            let played = Judge { books: &books, under: None }.play(&text).unwrap();
            if played.tournament.is_empty() {
                let mut accounts = Accounts::default();
                played.events.iter().for_each(|event| accounts.check(event, &file));
            }
            let mut tables: BTreeMap<u32, Accounts> = BTreeMap::new();
            for event in &played.tournament {
                if let tournament::Fact::AtTable { table, event } = &event.fact {
                    tables.entry(*table).or_default().check(event, &file);
                }
            }
            seen += played.events.len() + played.tournament.len();
        }
    }
    assert!(seen > 10_000, "only {seen} events");
}
