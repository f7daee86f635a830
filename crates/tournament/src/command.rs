//! What can be said to a tournament.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use rules::{Card, Cents, Spot};
use shoe::Digest;
use table::{By, Name, Time};

use crate::conditions::Conditions;
use crate::event::Lot;

/// Something that somebody did or wants, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// When. A time before the last one counts as the last one.
    pub at: Time,
    /// Who says so, and in which role.
    pub by: By,
    /// What.
    pub act: Act,
}

impl Command {
    /// An act of whoever does such a thing as a rule.
    #[must_use]
    pub fn new(at: Time, act: Act) -> Self {
        Self { at, by: act.usual(), act }
    }
}

/// Why a player is disqualified.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offence {
    /// A rule was broken.
    Breach(String),
    /// The player was not there when due to play.
    Absence,
    /// Chips were hidden.
    HiddenChips,
}

/// Something that was keyed wrongly, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miskeyed {
    /// What a player has on a spot, or had in a coup.
    Wager {
        /// Whose.
        name: Name,
        /// In which coup; without, what lies, or else what was settled last.
        coup: Option<u32>,
        /// Where.
        spot: Spot,
        /// How much.
        amount: Cents,
    },
    /// A card of a coup.
    Card {
        /// At which table.
        table: Option<u32>,
        /// The coup.
        coup: u32,
        /// Which of its cards, from 1, in the order of leaving the shoe.
        number: u32,
        /// What it is.
        card: Card,
    },
    /// The seat of a player.
    Seat {
        /// Whose.
        name: Name,
        /// Which it is.
        seat: u32,
    },
    /// The chips that a player holds, wagers included.
    Chips {
        /// Whose.
        name: Name,
        /// How many.
        amount: Cents,
    },
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Time has passed.
    Tick,
    /// The operator sets out to hold a tournament.
    Open,
    /// The operator writes the conditions down.
    Document(Box<Conditions>),
    /// The operator makes them available.
    Publish,
    /// The operator notifies the regulator of them.
    Notify,
    /// The regulator approves them, and what the house keeps.
    Approve,
    /// The regulator approves what the house keeps of the fees.
    ApproveCommission,
    /// The operator names the director.
    NameDirector(Name),
    /// The director hands over to somebody.
    HandOver(Name),
    /// The director goes away.
    DirectorLeaves,
    /// The director is back.
    DirectorReturns,
    /// The director wants every player's agreement in writing.
    RequireAgreement,
    /// The director tells applicants the conditions of play.
    TellConditions,
    /// The operator takes entries from now on.
    OpenEntries,
    /// The house adds to the pool.
    AddToPool(Cents),
    /// Somebody applies.
    Apply(Name),
    /// An applicant agrees to the conditions in writing.
    Agree(Name),
    /// The director accepts an application, and the fee is paid.
    Accept(Name),
    /// Application, agreement and acceptance of players, all lawful and in order.
    Enter(Vec<Name>),
    /// An application is turned down.
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
    /// Entries are over; the first stage can be drawn.
    CloseEntries,
    /// The director alters the starting time of the next session.
    MoveStart(Time),
    /// The director names the tables to be used.
    NameTables(Vec<u32>),
    /// The director sets how many play at a table.
    PlayersATable(u32),
    /// The director publishes the commitment to a ballot.
    CommitBallot(Digest),
    /// The director gives up a ballot whose secret is lost or known.
    AbandonBallot,
    /// The director has the places of the next session drawn again.
    DrawAgain(String),
    /// A player adds words to the ballot, so that nobody alone decides it.
    AddToBallot(Name, String),
    /// The director reveals what was committed to, and places are drawn.
    RevealBallot(String),
    /// A place is given to a player: drawn by lot by hand, or allotted.
    Allot {
        /// To whom.
        name: Name,
        /// The table.
        table: u32,
        /// The seat.
        seat: u32,
        /// Drawn by lot, or given.
        lot: Lot,
    },
    /// A player takes the seat.
    TakeSeat(Name),
    /// All players take their seats but these.
    TakeSeats(Vec<Name>),
    /// The seat of a player who did not come is offered to a reserve.
    OfferSeat(Name, Name),
    /// The director starts the session.
    Start,
    /// The director gives a break of so long.
    Break(Time),
    /// Play goes on.
    Resume,
    /// The director sets the time within which wagers are made.
    SetWagerTime(Time),
    /// The director waives the time to wager for this turn of a player.
    WaiveTime(Name),
    /// The director waives it for everybody at a table, in this coup.
    WaiveTimeForAll(Option<u32>),
    /// The director sets no time any more within which wagers are made.
    LiftWagerTime,
    /// The director directs a player to keep the pace.
    Direct(Name),
    /// The director moves what is played at a table to another.
    MoveTable {
        /// From where.
        from: u32,
        /// To where.
        to: u32,
        /// Why.
        why: String,
    },
    /// The director puts right what was keyed wrongly.
    Correct(Box<Miskeyed>, String),
    /// A second person confirms a correction.
    ConfirmCorrection(Option<u32>),
    /// The director takes a correction back before it is confirmed.
    DropCorrection(Option<u32>),
    /// Something happens at a table, as at any table; at the only one if it is not said which.
    At(Option<u32>, Box<table::Act>),
    /// The marker of a table is put before a seat for the first round.
    PlaceMarker(Option<u32>, u32),
    /// The dealer asks a player to wager.
    Ask(Name),
    /// A player goes away during play.
    GoAway(Name),
    /// A player is back.
    ComeBack(Name),
    /// The director eliminates a player who does not wager.
    Eliminate(Name),
    /// The director declares a player's wagers out of order void.
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
    /// The inspector hands a form back that is not.
    ReturnForm(Name),
    /// The inspector opens a form.
    OpenForm {
        /// Whose.
        name: Name,
        /// The salt.
        salt: String,
        /// What is written on it.
        content: String,
    },
    /// The inspector cannot read a form.
    SpoilForm(Name),
    /// A player asks to see another's form.
    AskForm(Name, Name),
    /// The director announces the last coup of a table's session.
    AnnounceLast(Option<u32>),
    /// The director ends the session of a table early.
    EndEarly(Option<u32>),
    /// A card is drawn that says how many coups a play-off has.
    DrawForPlayOff(Option<u32>, Card),
    /// The director starts a play-off, with so many chips if new ones are given out.
    StartPlayOff(Option<u32>, Option<Cents>),
    /// A player who is out buys back in.
    BuyBack(Name),
    /// The director awards points for a session of another game.
    AwardPoints(Name, u32, String),
    /// The director works out the places and awards the prizes.
    AwardPrizes,
}
