//! A table beside a simulated event, on the same log: players of the event sit down there, bet and
//! leave with money of the same accounts, and it goes through every crash and restore with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use live::{Accounts, Beginning, Host, Order, World};
use rules::{Spot, Verdict};
use store::{Body, Deals, Log, Pace, Setup};
use table::{Act, Bet, Deed, Fact, Name, Options, Role};

use super::{Dice, cents, finish, orders};

const STREAM: &str = "table beside";

/// The table, and how many orders were given there.
pub(super) struct SideTable {
    host: Host,
    keys: u64,
    /// The last record that anybody was told of.
    told: u64,
}

impl SideTable {
    /// Opens the table and posts its sign.
    pub(super) fn open(log: Log, world: World, accounts: Accounts, operator: &str) -> Self {
        let book = Arc::new(rulebooks::load("nz-1998", None).expect("a book of ours"));
        let (betting_ms, answer_ms) = (400, 200);
        let pace = Pace { betting_ms, card_ms: 20, result_ms: 0, answer_ms, idle_ms: 600_000 };
        let (title, pace) = (STREAM.to_owned(), Some(pace));
        let setup = Setup { title, deals: Deals::System, pace, alone: false, ahead_of_utc: None };
        let (stream, name) = (STREAM.into(), "nz-1998".into());
        let beginning = Beginning { stream, name, book, setup, opener: None };
        let begun = Host::begin_in(log, world, Some(accounts), beginning);
        let mut table = Self { host: finish(begun).expect("the log takes it"), keys: 0, told: 0 };
        let lines = orders::sign(table.host.book()).into_iter().map(Act::Post);
        let acts: Vec<_> = std::iter::once(Act::Open(Options::default())).chain(lines).collect();
        for act in acts {
            assert!(table.order(operator, Role::Operator, act), "the table is opened");
        }
        table
    }

    /// The process starts again: the table goes on from the log. After a restore people take keys
    /// that are new.
    pub(super) fn go_on(&mut self, log: Log, world: World, accounts: Accounts, restored: bool) {
        let resumed = Host::resume_in(log, world, Some(accounts), STREAM);
        self.host = finish(resumed).unwrap_or_else(|fault| panic!("{fault}"));
        if restored {
            self.told = 0;
            self.keys += 1000;
        }
        assert!(self.host.version() >= self.told, "what was told at the table is lost");
    }

    /// Whether an order was carried out; it comes twice, and is carried out once.
    fn order(&mut self, who: &str, role: Role, act: Act) -> bool {
        self.keys += 1;
        let order = Order { who: who.into(), role, key: format!("s{}", self.keys), act };
        let first = finish(self.host.deliver(order.clone())).expect("the log takes it");
        let again = finish(self.host.deliver(order)).expect("the log takes it");
        assert_eq!(first.ruled.is_ok(), again.ruled.is_ok(), "the same answer comes again");
        assert!(first.ruled.is_err() || again.repeated, "it was done twice");
        self.told = self.host.version();
        first.ruled.is_ok()
    }

    /// The clock goes on, and somebody does something there. Two of the players come here; what
    /// they bring leaves enough to enter the event.
    pub(super) fn act(&mut self, players: &[(Name, String)], dice: &mut Dice) {
        finish(self.host.wake()).expect("the log takes it");
        self.told = self.host.version();
        let (name, account) = &players[dice.below(2)];
        let act = |deed| Act::Player(*name, deed);
        let sits = self.host.table().player_named(name).is_some();
        match dice.below(20) {
            0..=5 => {}
            _ if !sits => {
                let seat = 1 + u32::try_from(dice.below(5)).unwrap_or(0);
                let _ = self.order(account, Role::Player, act(Deed::Sit(seat, cents(40))));
            }
            6 => {
                let _ = self.order(account, Role::Player, act(Deed::Leave));
            }
            _ => {
                let spot = dice.of(&[Spot::Player, Spot::Banker, Spot::Tie]);
                let bet =
                    Bet { spot, amount: cents(5), place: None, unnoticed: false, in_error: false };
                let _ = self.order(account, Role::Player, act(Deed::Bet(bet)));
            }
        }
    }

    /// The last coup is dealt, and everybody leaves.
    pub(super) fn end(&mut self, players: &[(Name, String)], mut later: impl FnMut()) {
        for _ in 0..400 {
            if self.host.table().present().next().is_none() {
                return;
            }
            for (name, account) in players {
                if self.host.table().player_named(name).is_some() {
                    let _ = self.order(account, Role::Player, Act::Player(*name, Deed::Leave));
                }
            }
            later();
            finish(self.host.wake()).expect("the log takes it");
        }
        panic!("somebody cannot leave: {:?}", self.host.table().due());
    }

    /// What every account won or lost there, from what each wager did; and the number of coups. The
    /// table's own records hold.
    pub(super) fn audit(log: &Log) -> (BTreeMap<String, i64>, u32) {
        let records = finish(log.records(STREAM, 0)).expect("the log is read");
        let found = audit::audit(&records).expect("the log is read");
        assert_eq!(found.findings, [], "the table beside the event");
        let (mut names, mut won) = (Vec::new(), BTreeMap::<String, i64>::new());
        for record in &records {
            let Ok(Body::Table(event)) = record.read() else { continue };
            if let Fact::Arrived { name, .. } = &event.fact {
                names.push(name.to_string());
            }
            if let Fact::Settled { player, stake, verdict, .. } = &event.fact {
                let of = |cents: rules::Cents| i64::try_from(cents.get()).unwrap_or(i64::MAX);
                *won.entry(names[usize::from(player.0)].clone()).or_default() += match verdict {
                    Verdict::Won(won) => of(won.net),
                    Verdict::Lost => -of(*stake),
                    Verdict::Kept => 0,
                };
            }
        }
        (won, found.coups)
    }
}
