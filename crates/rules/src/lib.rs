//! The rules of baccarat as regulators write them: cards, hands, tableaux, wagers, payouts, and
//! rulebooks in which every value has the clause that grants it.
//!
//! Nothing here reads a clock, a disk, a socket or a random number: the crate is `no_std`.
//!
//! - [`Card`], [`Hand`], [`Composition`]: what is dealt.
//! - [`Cents`], [`Price`]: what is paid, exactly.
//! - [`Clause`], [`Cited`], [`Rulebook`]: what is law. A book comes from data, by way of
//!   [`policy::Source`]; the crate `rulebooks` has one that reads files.
//! - [`Rulebook::standing`]: what is next in a coup, by the cards that are out.
//! - [`Rulebook::play`]: one coup, from the cards to the money, each step with its clause.

#![no_std]
#![deny(clippy::wildcard_enum_match_arm)]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod book;
mod card;
mod clause;
mod condition;
mod coup;
mod hand;
mod key;
mod money;
pub mod policy;
mod sequence;
mod settle;
mod side_bet;
mod stored;
mod tableau;
pub mod value;
mod wager;

pub use book::{Rulebook, Title};
pub use card::{Card, Composition, NoneLeft, NotACard, Rank, Suit};
pub use clause::{
    BOOK_ID_LENGTH, BookId, CLAUSE_NUMBER_LENGTH, Cited, Clause, Ground, MOST_CLAUSES, Rests,
    lies_within, spelt,
};
pub use condition::{Kinds, Numbers, Test, TestKey, Which};
pub use coup::{Bet, Coup, CoupFault, Ruling};
pub use hand::{Hand, Side};
pub use key::{KEY_LENGTH, Key};
pub use money::{Balance, Cents, NotAnAmount, Odds, Price, Unpayable, Winnings, common_step};
pub use sequence::{Count, Hands, Next, Standing};
pub use settle::{Clauses, HandScore, NotOffered, Outcome, Pair, Score, Settled, Verdict};
pub use side_bet::{Declared, PayMethod, PayTable, Row, RowOutcome, SideBet, SideBets};
pub use tableau::{Action, BankerTableau, PlayerTableau};
pub use wager::{Group, Method, Offer, Offers, Spot, Terms};
