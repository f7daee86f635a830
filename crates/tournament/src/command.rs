//! The commands that a tournament takes.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use rules::{Card, Cents, Spot};
use serde::{Deserialize, Serialize};
use shoe::Digest;
use table::{By, Name, Time};

use crate::conditions::Conditions;
use crate::event::Lot;

/// Something that somebody did or wants to do, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The time. A time before the last one counts as the last one.
    pub at: Time,
    /// The person who speaks, and the role.
    pub by: By,
    /// The act.
    pub act: Act,
}

impl Command {
    /// An act of the person who usually does such a thing.
    #[must_use]
    pub fn new(at: Time, act: Act) -> Self {
        Self { at, by: act.usual(), act }
    }
}

/// Why a player is disqualified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offence {
    /// The player broke a rule.
    Breach(String),
    /// The player was not there when due to play.
    Absence,
    /// The player hid chips.
    HiddenChips,
}

/// Something that was recorded wrongly, with its correct value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Miskeyed {
    /// The wager of a player on a spot, now or in an earlier coup.
    Wager {
        /// The player.
        name: Name,
        /// The number of the coup; if not given, the wager that lies, or else the one settled last.
        coup: Option<u32>,
        /// The spot.
        spot: Spot,
        /// The correct amount.
        amount: Cents,
    },
    /// A card of a coup.
    Card {
        /// The table, if it is given.
        table: Option<u32>,
        /// The number of the coup.
        coup: u32,
        /// Its number in the coup, from 1, in the order in which the cards left the shoe.
        number: u32,
        /// The correct card.
        card: Card,
    },
    /// The seat of a player.
    Seat {
        /// The player.
        name: Name,
        /// The correct seat.
        seat: u32,
    },
    /// The chips that a player holds, wagers included.
    Chips {
        /// The player.
        name: Name,
        /// The correct number.
        amount: Cents,
    },
}

/// An act in a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Time passes.
    Tick,
    /// The operator begins to prepare a tournament.
    Open,
    /// The operator documents the conditions.
    Document(Box<Conditions>),
    /// The operator makes the conditions available.
    Publish,
    /// The operator notifies the regulator of the conditions.
    Notify,
    /// The regulator approves them, and what the house keeps.
    Approve,
    /// The regulator approves what the house keeps of the fees.
    ApproveCommission,
    /// The operator names the director.
    NameDirector(Name),
    /// The director hands over to another person.
    HandOver(Name),
    /// The director leaves.
    DirectorLeaves,
    /// The director returns.
    DirectorReturns,
    /// The director requires every player's agreement in writing.
    RequireAgreement,
    /// The director tells applicants the conditions of play.
    TellConditions,
    /// The operator takes entries from now on.
    OpenEntries,
    /// The house adds to the pool.
    AddToPool(Cents),
    /// A person applies.
    Apply(Name),
    /// An applicant agrees to the conditions in writing.
    Agree(Name),
    /// The director accepts an application, and the fee is paid.
    Accept(Name),
    /// The whole entry of players: application, agreement and acceptance, all lawful and in order.
    Enter(Vec<Name>),
    /// The director turns an application down.
    RefuseEntry(Name, String),
    /// A player withdraws.
    Withdraw(Name),
    /// A player is disqualified.
    Disqualify(Name, Offence),
    /// A player names a substitute.
    Nominate(Name, Name),
    /// The director approves a substitute for a player.
    Substitute(Name, Name),
    /// The operator cancels the event.
    Cancel(String),
    /// The operator closes entries; the first stage can be drawn.
    CloseEntries,
    /// The director alters the starting time of the next session.
    MoveStart(Time),
    /// The director names the tables to be used.
    NameTables(Vec<u32>),
    /// The director sets the number of players at a table.
    PlayersATable(u32),
    /// The director publishes the commitment to a ballot.
    CommitBallot(Digest),
    /// The director gives up a ballot whose secret is lost or known.
    AbandonBallot,
    /// The director has the places of the next session drawn again.
    DrawAgain(String),
    /// A player adds words to the ballot, so that nobody alone decides it.
    AddToBallot(Name, String),
    /// The director reveals the secret, and places are drawn.
    RevealBallot(String),
    /// The director gives a player a place: drawn by lot by hand, or chosen.
    Allot {
        /// The player.
        name: Name,
        /// The table.
        table: u32,
        /// The seat.
        seat: u32,
        /// Whether it was drawn by lot, or given.
        lot: Lot,
    },
    /// A player takes the seat.
    TakeSeat(Name),
    /// All players take their seats, except these.
    TakeSeats(Vec<Name>),
    /// The director offers the seat of a player who did not come to a reserve.
    OfferSeat(Name, Name),
    /// The director starts the session.
    Start,
    /// The director gives a break, in microseconds.
    Break(Time),
    /// Play continues after a break.
    Resume,
    /// The director sets the time within which wagers are made.
    SetWagerTime(Time),
    /// The director waives the time limit for a player's current turn to wager.
    WaiveTime(Name),
    /// The director waives it for everybody at a table, in this coup.
    WaiveTimeForAll(Option<u32>),
    /// The director removes the time limit for wagers.
    LiftWagerTime,
    /// The director directs a player to keep the pace.
    Direct(Name),
    /// The director moves the play of a table to another table.
    MoveTable {
        /// The old table.
        from: u32,
        /// The new table.
        to: u32,
        /// The reason.
        why: String,
    },
    /// The director corrects something that was recorded wrongly.
    Correct(Box<Miskeyed>, String),
    /// A second person confirms a correction.
    ConfirmCorrection(Option<u32>),
    /// The director takes a correction back before it is confirmed.
    DropCorrection(Option<u32>),
    /// An act at a table, as at any table; without a number, at the only table.
    At(Option<u32>, Box<table::Act>),
    /// The dealer puts the marker of a table before a seat for the first round.
    PlaceMarker(Option<u32>, u32),
    /// The dealer asks a player to wager.
    Ask(Name),
    /// A player leaves the seat during play.
    GoAway(Name),
    /// A player returns to the seat.
    ComeBack(Name),
    /// The director eliminates a player who does not wager.
    Eliminate(Name),
    /// The director declares a player's wagers void because they were out of order.
    VoidOutOfOrder(Name),
    /// The inspector puts the indicator card in.
    InsertIndicator(Option<u32>),
    /// The indicator card comes out.
    IndicatorAppears(Option<u32>),
    /// The limits of a table rise.
    RaiseLimits(Option<u32>),
    /// A player hands in the form of a secret wager: its salted commitment.
    HandIn(Name, Digest),
    /// The inspector examines a form and finds it in order.
    Examine(Name),
    /// The inspector hands back a form that is not in order.
    ReturnForm(Name),
    /// The inspector opens a form.
    OpenForm {
        /// The player.
        name: Name,
        /// The salt.
        salt: String,
        /// The wager that is written on it.
        content: String,
    },
    /// The inspector cannot read a form.
    SpoilForm(Name),
    /// A player asks to see another player's form.
    AskForm(Name, Name),
    /// The director announces the last coup of a table's session.
    AnnounceLast(Option<u32>),
    /// The director ends the session of a table early.
    EndEarly(Option<u32>),
    /// A card is drawn that says how many coups a play-off has.
    DrawForPlayOff(Option<u32>, Card),
    /// The director starts a play-off; with new chips, if they are given.
    StartPlayOff(Option<u32>, Option<Cents>),
    /// An eliminated player buys back in.
    BuyBack(Name),
    /// The director awards points for a session of another game.
    AwardPoints(Name, u32, String),
    /// The director works out the places and awards the prizes.
    AwardPrizes,
}
