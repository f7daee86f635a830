//! What a table promises, watched event by event.

use std::collections::HashMap;

use rules::{Cents, Verdict};
use table::{Account, Act, Code, Command, Event, Fact, Next, Phase, PlayerId, State, Table, Work};

/// A table under watch: every command goes through here.
#[derive(Debug)]
pub struct Watch {
    table: Table,
    log: Vec<Event>,
    /// Stack and wagers of each player when the coup began.
    before_coup: HashMap<PlayerId, i64>,
    cards: usize,
    /// What each coup brought each player, found from the settlements alone.
    nets: HashMap<(u32, PlayerId), i64>,
}

impl Watch {
    /// Watches a table.
    #[must_use]
    pub fn new(table: Table) -> Self {
        let (before_coup, nets) = (HashMap::new(), HashMap::new());
        Self { table, log: Vec::new(), before_coup, cards: 0, nets }
    }

    /// The table.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// What happened.
    #[must_use]
    pub fn into_log(self) -> Vec<Event> {
        self.log
    }

    /// Sends a command; whether it was carried out.
    ///
    /// # Panics
    ///
    /// When the table breaks a promise.
    pub fn send(&mut self, command: &Command) -> bool {
        let closed = matches!(self.table.phase(), Phase::Dealing);
        let mut acted = self.table.clone();
        let mut events = Vec::new();
        if let Err(refusal) = acted.act(command, &mut events) {
            assert!(!refusal.what.is_empty() && !refusal.instead.is_empty(), "{refusal:?}");
            assert!(events.is_empty(), "a refusal leaves events: {command:?}");
            assert_eq!(acted, self.table, "a refusal leaves the table changed: {command:?}");
            return false;
        }
        let by_staff = events.iter().any(|event| {
            matches!(event.fact, Fact::Voided { .. } | Fact::Decided(_) | Fact::ShuffleDue)
        });
        for event in &events {
            if closed && !by_staff {
                assert_wager_change_is_cited(event);
            }
            self.before(event);
            self.table.evolve(event);
            self.after(event, command);
        }
        assert_eq!(acted, self.table, "a decision folds otherwise than its events: {command:?}");
        self.log.extend(events);
        self.assert_due_is_lawful(command);
        true
    }

    /// A table that says the first card is next does not then miss a wager.
    fn assert_due_is_lawful(&self, command: &Command) {
        let table = &self.table;
        let next = table.due().map(|due| due.next);
        let (Phase::Called, Some(Next::Card(to))) = (table.phase(), next) else { return };
        let act = Act::Dealer(Work::Draw { card: None, to, face_down: false });
        let refused = table.decide(&Command::new(command.at, act)).err();
        let missing = refused.filter(|refusal| refusal.code == Code::NoWagers);
        assert!(missing.is_none(), "the card that was due is refused after {command:?}");
    }

    fn before(&mut self, event: &Event) {
        let sum: i64 = event.postings.iter().map(|entry| entry.cents.get()).sum();
        assert_eq!(sum, 0, "postings that do not balance: {event:?}");
        if let Fact::CoupBegan { .. } = event.fact {
            self.cards = 0;
            let table = &self.table;
            self.before_coup = (0..table.players().len())
                .map(|i| PlayerId(u16::try_from(i).unwrap_or(0)))
                .map(|id| (id, worth(table, id)))
                .collect();
        }
        if let Fact::Dealt { .. } = event.fact {
            self.cards += 1;
        }
        let current = self.table.coup().map(|coup| coup.number);
        if let Fact::Settled { player, stake, verdict, .. } = event.fact {
            let cents = |amount: Cents| i64::try_from(amount.get()).unwrap_or(i64::MAX);
            let net = match verdict {
                Verdict::Won(won) => cents(won.net),
                Verdict::Lost => -cents(stake),
                Verdict::Kept => 0,
            };
            let coup = current.unwrap_or_else(|| self.table.coups());
            *self.nets.entry((coup, player)).or_default() += net;
        }
        if let Fact::Reversed { player, number } = event.fact {
            let mine = [Account::Stack(player), Account::Receivable(player)];
            let entries = event.postings.iter().filter(|entry| mine.contains(&entry.account));
            let moved: i64 = entries.map(|entry| entry.cents.get()).sum();
            let net = self.nets.remove(&(number, player)).unwrap_or(0);
            assert_eq!(moved, -net, "a void reverses exactly the net effect: {event:?}");
            // An earlier coup that is voided meanwhile is another matter.
            if current.is_some_and(|current| current != number) {
                *self.before_coup.entry(player).or_default() += moved;
            }
        }
    }

    fn after(&mut self, event: &Event, command: &Command) {
        let table = &self.table;
        assert_eq!(table.sum().get(), 0, "chips created or lost by {command:?}: {event:?}");
        let layout: u64 = table.wagers().iter().map(|wager| wager.stake.get()).sum();
        assert_eq!(
            u64::try_from(table.balance(Account::Layout).get()),
            Ok(layout),
            "the layout is not its wagers after {event:?} of {command:?}"
        );
        for player in table.players().iter() {
            assert!(
                !player.stack.is_negative(),
                "{} has {} after {event:?}",
                player.name,
                player.stack
            );
        }
        if let Fact::CoupEnded { outcome, .. } = event.fact {
            match outcome {
                Some(_) => assert!((4..=6).contains(&self.cards), "{} cards in a coup", self.cards),
                None => self.assert_as_before(command),
            }
        }
    }

    /// A void coup leaves all stacks as before it.
    fn assert_as_before(&self, command: &Command) {
        let table = &self.table;
        for (id, before) in &self.before_coup {
            let player = table.player(*id);
            if player.present {
                let now = worth(table, *id);
                assert_eq!(now, *before, "{} after a void by {command:?}", player.name);
            }
        }
    }

    /// Replays the log and compares.
    ///
    /// # Panics
    ///
    /// When the replay is not the table.
    pub fn finish(&self) {
        let mut replayed = State::default();
        for event in &self.log {
            replayed.evolve(event);
        }
        assert!(replayed == *self.table, "the replay is not the table");
        let stored = serde_json::to_string(&replayed).expect("a state can be stored");
        let read: State = serde_json::from_str(&stored).expect("a stored state can be read");
        assert!(read == replayed, "the stored state is not the table");
    }
}

/// Stack, wagers and what stands open after a void.
fn worth(table: &Table, id: PlayerId) -> i64 {
    let open = table.balance(Account::Receivable(id));
    (table.balance(Account::Stack(id)) + open).get() + wagered(table, id)
}

fn wagered(table: &Table, id: PlayerId) -> i64 {
    let mine = table.wagers().iter().filter(|wager| wager.player == id);
    let sum: u64 = mine.map(|wager| wager.stake.get()).sum();
    i64::try_from(sum.min(Cents::MAX.get())).unwrap_or(i64::MAX)
}

/// Nobody's wager changes after it is closed except by a clause that is cited.
fn assert_wager_change_is_cited(event: &Event) {
    let changes = matches!(
        event.fact,
        Fact::Returned { .. } | Fact::Moved { .. } | Fact::Settled { .. } | Fact::Placed { .. }
    );
    assert!(!changes || !event.clauses.is_empty(), "a wager changed without a clause: {event:?}");
}
