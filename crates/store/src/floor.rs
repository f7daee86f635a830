//! What a floor records besides the events of its tables: acts with who said them, acts that were
//! refused, how a table is run, and the accounts of people.

use rules::{Balance, Cents};
use serde::{Deserialize, Serialize};
use table::{By, Refusal, Role};

/// What somebody did or wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acted<A> {
    /// The account of the person who said it; nothing for the system itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// The account of the second person, where one was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
    /// The role in which it was judged, and the player where a player acts.
    pub by: By,
    /// The act, with accounts in the place of names.
    pub act: A,
    /// The same as a line of a transcript; nothing where the language has no words for it.
    pub line: Option<String>,
}

/// What somebody wanted, and why it was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedAct<A> {
    /// What was wanted.
    pub asked: Acted<A>,
    /// Whether the book refused it; otherwise the floor did, whose rules are not the book's.
    pub by_the_book: bool,
    /// Why, and what would have been accepted.
    pub refusal: Refusal,
}

/// Something that was published of the shoe at a table of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableShoe {
    /// The table.
    pub table: u32,
    /// What was published.
    pub fact: shoe::ShoeFact,
}

/// Who deals at a table, and from which cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deals {
    /// The system, by the clock.
    System,
    /// A dealer, from the system's shoe.
    Staff,
    /// A dealer, from real cards that are keyed in.
    Keyed,
}

/// How long the steps of a round last at a table that the system deals, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// How long wagers are open.
    pub betting_ms: u64,
    /// How long a card lies before the next thing happens.
    pub card_ms: u64,
    /// How long a result is shown before wagers open again.
    pub result_ms: u64,
    /// How long somebody who was asked (to cut, to turn cards, to open a word) may take.
    pub answer_ms: u64,
    /// How long a player may do nothing before the seat is freed.
    pub idle_ms: u64,
}

impl Pace {
    /// The pace of a table that people follow without haste.
    pub const USUAL: Self = Self {
        betting_ms: 20_000,
        card_ms: 1_200,
        result_ms: 6_000,
        answer_ms: 12_000,
        idle_ms: 30 * 60_000,
    };
}

/// How a table is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The name that people know the table by.
    pub title: String,
    /// Who deals.
    pub deals: Deals,
    /// The pace, where the clock drives the table.
    pub pace: Option<Pace>,
    /// One person runs the house alone: a second person is asked for nowhere, and whoever runs the
    /// table may play at it.
    pub alone: bool,
    /// How far the clock of a tournament is before UTC, in minutes: its times are those of the
    /// house's wall, as its conditions have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead_of_utc: Option<i32>,
}

/// What kind of account somebody has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccountKind {
    /// Somebody who plays without signing up.
    Guest,
    /// Somebody who signed up.
    Member,
    /// A program that plays, and is always called one.
    Robot,
}

/// Where play money is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purse {
    /// In this account.
    Account,
    /// With the house, which gives play money out and takes it back.
    House,
    /// In front of the person at a table, by its stream.
    Table(String),
    /// In a tournament, by its stream.
    Tournament(String),
}

/// Limits that somebody set for themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnLimits {
    /// The most to lose within a day, in cents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Cents>,
    /// The most to play within a day, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    /// How often to be reminded of time and money, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remind: Option<u32>,
}

/// What happened to an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccountFact {
    /// It was opened.
    Opened(AccountKind),
    /// A guest signed up, and keeps everything.
    SignedUp,
    /// The person may act in a role from now on.
    RoleGiven(Role),
    /// The person may act in that role no longer.
    RoleTaken(Role),
    /// Play money moved: one purse gave it, the other has it.
    Moved {
        /// The purse that gave it.
        from: Purse,
        /// The purse that has it.
        to: Purse,
        /// How much.
        cents: Cents,
        /// What the account holds now.
        balance: Cents,
    },
    /// One person asked for a correction of the balance, which waits for a second.
    CorrectionAsked {
        /// By how much; below zero if it is to be lowered.
        cents: Balance,
        /// The reason.
        why: String,
        /// The account of the person who asked for it.
        who: String,
    },
    /// A balance was corrected by two people.
    Corrected {
        /// By how much; below zero if it was lowered.
        cents: Balance,
        /// What the account holds now.
        balance: Cents,
        /// The reason.
        why: String,
        /// The account of the person who asked for it.
        who: String,
        /// The account of the person who confirmed it.
        second: String,
    },
    /// The person set limits; where they are wider than those before, they hold from that time on.
    Limited {
        /// The limits.
        limits: OwnLimits,
        /// From when, in microseconds UTC.
        from: u64,
    },
    /// The person takes no part until then. It cannot be taken back.
    Paused {
        /// Until when, in microseconds UTC.
        until: u64,
    },
    /// The person was reminded.
    Reminded {
        /// Minutes played within a day.
        minutes: u32,
        /// What was lost within a day; below zero if it was won.
        lost: Balance,
    },
}
