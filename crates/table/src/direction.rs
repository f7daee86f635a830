//! Events that a tournament directs at one of its tables: what its own rules do with chips and
//! seats, which no rule of the table decides.

use rules::{Balance, Cents, Clause, Spot};

use crate::command::Time;
use crate::event::{Account, Event, Fact, PlayerId, ReturnWhy};
use crate::state::Wager;

/// The time and clauses of what a tournament directs.
#[derive(Clone, Copy, Debug)]
pub struct Direction<'a> {
    /// The time.
    pub at: Time,
    /// The clauses; none where staff decided.
    pub clauses: &'a [Option<Clause>],
}

impl Direction<'_> {
    /// An event that moves no chips.
    #[must_use]
    pub fn event(&self, fact: Fact) -> Event {
        self.moving(fact, [])
    }

    /// Lays a wager again that was kept in a tie.
    #[must_use]
    pub fn lay(&self, player: PlayerId, spot: Spot, place: u32, amount: Cents) -> Event {
        let moved = Balance::from(amount);
        let fact = Fact::Placed { player, spot, place, amount, unnoticed: false };
        self.moving(fact, [(Account::Stack(player), -moved), (Account::Layout, moved)])
    }

    /// Returns a wager to its owner.
    #[must_use]
    pub fn lift(&self, wager: &Wager) -> Event {
        let Wager { player, spot, place, stake: amount, .. } = *wager;
        let (moved, why) = (Balance::from(amount), ReturnWhy::TakenBack);
        let fact = Fact::Returned { player, spot, place, amount, why };
        self.moving(fact, [(Account::Layout, -moved), (Account::Stack(player), moved)])
    }

    /// Moves chips from the bank to a player, or back if the number is below zero.
    #[must_use]
    pub fn adjust(&self, player: PlayerId, chips: Balance) -> Event {
        let fact = Fact::Adjusted { player, cents: chips };
        self.moving(fact, [(Account::Stack(player), chips), (Account::Float, -chips)])
    }

    /// Pays a player a win, less the commission.
    #[must_use]
    pub fn pay(&self, player: PlayerId, net: Cents, commission: Cents) -> Event {
        let (net, commission) = (Balance::from(net), Balance::from(commission));
        let fact = Fact::Adjusted { player, cents: net };
        let float = (Account::Float, -(net + commission));
        self.moving(fact, [(Account::Stack(player), net), float, (Account::Commission, commission)])
    }

    /// Cancels the open balance between a player and the table.
    #[must_use]
    pub fn drop_claim(&self, player: PlayerId, owed: Balance) -> Event {
        let fact = Fact::Adjusted { player, cents: Balance::ZERO };
        self.moving(fact, [(Account::Receivable(player), -owed), (Account::Outside, owed)])
    }

    /// Makes a player owe chips that lie on the layout.
    #[must_use]
    pub fn claim(&self, player: PlayerId, owed: Balance) -> Event {
        let fact = Fact::Adjusted { player, cents: Balance::ZERO };
        self.moving(fact, [(Account::Receivable(player), -owed), (Account::Outside, owed)])
    }

    /// Puts a player who left back in the seat with so many chips, which include any open balance.
    #[must_use]
    pub fn let_in_again(&self, player: PlayerId, chips: Balance, owed: Balance) -> Event {
        let accounts = [
            (Account::Stack(player), chips),
            (Account::Receivable(player), -owed),
            (Account::Outside, owed - chips),
        ];
        self.moving(Fact::InAgain(player), accounts)
    }

    fn moving<const N: usize>(&self, fact: Fact, moved: [(Account, Balance); N]) -> Event {
        let mut event = Event::of(self.at, fact);
        event.cite(self.clauses);
        event.post(moved);
        event
    }
}
