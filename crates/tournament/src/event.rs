//! The events of a tournament, each with its clauses and the money that it moved.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use rules::{Balance, BookId, Card, Cents, Clauses, Spot};
use serde::{Deserialize, Serialize};
use shoe::Digest;
use table::{By, Name, Time};

use crate::command::Offence;
use crate::conditions::Conditions;

/// An entrant, by the order of application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EntrantId(pub u16);

/// An account for money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Account {
    /// Money of the players and the house.
    Outside,
    /// The prize pool.
    Pool,
    /// The money that the house keeps.
    Commission,
}

/// A change to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// The account.
    pub account: Account,
    /// The cents that the account gained; below zero if it lost them.
    pub cents: Balance,
}

/// An event in a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The time.
    pub at: Time,
    /// What happened.
    pub fact: Fact,
    /// The clauses that it rests on; none where staff decided.
    pub clauses: Clauses,
    /// The money that moved.
    pub postings: Vec<Leg>,
}

/// A rule that players and staff keep during a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keeping {
    /// Tournament chips are apart from money.
    ChipsApart,
    /// Chips stay in full view.
    ChipsInView,
    /// All players start with the same chips and an equal chance.
    EqualStart,
    /// It is settled who advances.
    Advance,
    /// The director is present.
    Director,
}

/// Why an entrant is out of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutWhy {
    /// The player had fewer chips than the minimum.
    Chips,
    /// The player was not in the seat at the start.
    NotThere,
    /// The player had fewer chips than the raised minimum.
    Raised,
    /// The player did not wager.
    NoWager,
    /// The player was disqualified, or withdrew.
    Left,
}

/// Whether a player is in the seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum Seat {
    /// The player is there.
    Taken,
    /// The player is expected, or away.
    Empty,
}

impl From<bool> for Seat {
    /// From the stored form.
    fn from(there: bool) -> Self {
        if there { Self::Taken } else { Self::Empty }
    }
}

impl From<Seat> for bool {
    fn from(seat: Seat) -> Self {
        seat == Seat::Taken
    }
}

/// How a player got a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum Lot {
    /// The place was drawn by lot.
    Drawn,
    /// The place was given to the player.
    Given,
}

impl From<bool> for Lot {
    /// From the stored form.
    fn from(by_lot: bool) -> Self {
        if by_lot { Self::Drawn } else { Self::Given }
    }
}

impl From<Lot> for bool {
    fn from(lot: Lot) -> Self {
        lot == Lot::Drawn
    }
}

/// The result of opening a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Read {
    /// A wager, as it counts.
    Wager {
        /// The spot.
        spot: Spot,
        /// The amount that counts.
        amount: Cents,
    },
    /// The kind or the amount is not properly shown; the minimum is deducted.
    Faulty,
    /// It is on the other hand than the player's chips, and has no effect.
    BothSides,
}

/// A correction: the wrong and the right value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mended {
    /// A wager.
    Wager {
        /// The player.
        entrant: EntrantId,
        /// The number of the coup, if it was settled already.
        coup: Option<u32>,
        /// The wager that was recorded.
        from: Option<(Spot, Cents)>,
        /// The correct wager.
        to: (Spot, Cents),
    },
    /// A card.
    Card {
        /// The number of the coup.
        coup: u32,
        /// Its position in the coup, from 0.
        index: u8,
        /// The card that was recorded.
        from: Card,
        /// The correct card.
        to: Card,
    },
    /// A seat.
    Seat {
        /// The player.
        entrant: EntrantId,
        /// The seat that was recorded.
        from: u32,
        /// The correct seat.
        to: u32,
        /// The entrant who was recorded there, and who gets the first one's seat.
        other: Option<EntrantId>,
    },
    /// The chips that a player holds, wagers included.
    Chips {
        /// The player.
        entrant: EntrantId,
        /// The number that was counted.
        from: Balance,
        /// The correct number.
        to: Cents,
    },
}

impl Mended {
    /// The entrant whom it is about; a card is about nobody.
    #[must_use]
    pub const fn entrant(&self) -> Option<EntrantId> {
        match self {
            Self::Wager { entrant, .. }
            | Self::Seat { entrant, .. }
            | Self::Chips { entrant, .. } => Some(*entrant),
            Self::Card { .. } => None,
        }
    }
}

/// A correction of something that was recorded wrongly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The table.
    pub table: u32,
    /// The wrong and the right value.
    pub what: Mended,
    /// The reason.
    pub why: String,
    /// The person who made it.
    pub by: By,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// A tournament will be held under a book.
    Opened {
        /// The book.
        book: BookId,
        /// The book that it amends, if any.
        base: Option<BookId>,
    },
    /// The conditions were documented.
    Documented {
        /// The conditions.
        conditions: Box<Conditions>,
        /// The hash of the document.
        hash: Digest,
    },
    /// The conditions state a matter that the book has a rule on.
    States(String),
    /// The conditions differ from a rule of the table, and prevail.
    Prevails,
    /// The conditions were made available.
    Published,
    /// The regulator was notified of the conditions.
    Notified,
    /// The regulator approved the conditions.
    Approved,
    /// The regulator approved what the house keeps of the fees.
    CommissionApproved,
    /// The director is named.
    DirectorNamed(Name),
    /// The director left.
    DirectorLeft,
    /// The director returned.
    DirectorBack,
    /// Every player must agree in writing.
    AgreementRequired,
    /// Applicants were told the conditions of play.
    ConditionsTold,
    /// Entries are open.
    EntriesOpened,
    /// The house added to the pool.
    PoolAdded(Cents),
    /// A person applied.
    Applied {
        /// The entrant.
        entrant: EntrantId,
        /// The name.
        name: Name,
    },
    /// An applicant agreed to the conditions.
    Agreed(EntrantId),
    /// An applicant paid and is entered.
    Entered {
        /// The entrant.
        entrant: EntrantId,
        /// The fee.
        fee: Cents,
    },
    /// An applicant is on the reserve list.
    Reserved(EntrantId),
    /// An application was turned down.
    EntryRefused(EntrantId, String),
    /// A player withdrew.
    Withdrawn(EntrantId),
    /// A fee was refunded.
    Refunded(EntrantId, Cents),
    /// A fee stays in the pool.
    FeeForfeited(EntrantId),
    /// The event was cancelled, and a fee is not refunded even so.
    FeeNotRefunded(EntrantId),
    /// A player was disqualified.
    Disqualified(EntrantId, Offence),
    /// A player named a substitute.
    Nominated(EntrantId, Name),
    /// A substitute plays for a player.
    Substituted(EntrantId, Name),
    /// The event was cancelled.
    Cancelled(String),
    /// Entries are closed.
    EntriesClosed,
    /// A stage is next, with these players.
    StageOpened {
        /// The index of the stage.
        stage: usize,
        /// Its players.
        players: Vec<EntrantId>,
    },
    /// The start of the next session was moved.
    StartMoved(Time),
    /// The director named the tables to be used.
    TablesNamed(Vec<u32>),
    /// The director set the number of players at a table.
    PlayersATable(u32),
    /// The director committed to a ballot.
    BallotCommitted(Digest),
    /// The ballot was abandoned before it was revealed.
    BallotAbandoned,
    /// A player added words to the ballot.
    BallotAdded(EntrantId, String),
    /// The secret of the ballot was revealed.
    BallotRevealed(String),
    /// A player got a place.
    Allotted {
        /// The player.
        entrant: EntrantId,
        /// The table.
        table: u32,
        /// The seat.
        seat: u32,
        /// Whether it was drawn by lot, or given.
        #[serde(rename = "by_lot")]
        lot: Lot,
    },
    /// Players were allotted to a session.
    SessionAllotted(u32),
    /// A player took the seat.
    Seated(EntrantId),
    /// A session began.
    SessionStarted {
        /// The index of the stage.
        stage: usize,
        /// The number of the session in the stage, from 1.
        session: u32,
    },
    /// A table was opened for play.
    TableOpened(u32),
    /// A rule that applies during the session.
    Kept(Keeping),
    /// Something happened at a table.
    AtTable {
        /// The number of the table.
        table: u32,
        /// The event.
        event: table::Event,
    },
    /// A player has a chair at a table.
    ChairTaken {
        /// The table.
        table: u32,
        /// The seat.
        seat: u32,
        /// The player.
        entrant: EntrantId,
        /// Whether the player is in the seat, or expected.
        #[serde(rename = "there")]
        is: Seat,
    },
    /// A player who did not come lost the place.
    Forfeited(EntrantId),
    /// A reserve has the seat of a player who did not come.
    SeatTakenOver {
        /// The player who had it.
        from: EntrantId,
        /// The reserve who has it now.
        to: EntrantId,
    },
    /// A player who lost the place by not coming may enter a second chance.
    MayEnterSecondary(EntrantId),
    /// Play stops until this time.
    BreakGiven(Time),
    /// Play continues.
    PlayResumed,
    /// The director set the time limit for wagers.
    WagerTimeSet(Time),
    /// A player was told to keep the pace.
    Directed(EntrantId),
    /// The marker stands before a seat, whose player wagers first.
    MarkerAt {
        /// The table.
        table: u32,
        /// The seat.
        seat: u32,
    },
    /// A player is asked to wager.
    Asked {
        /// The table.
        table: u32,
        /// The seat.
        seat: u32,
    },
    /// A wager came out of order and stands.
    OutOfOrder {
        /// The player.
        entrant: EntrantId,
        /// Whether it is not the first time.
        again: bool,
    },
    /// A wager below the minimum was raised to the minimum.
    ToppedUp {
        /// The player.
        entrant: EntrantId,
        /// The old stake.
        from: Cents,
        /// The new stake.
        to: Cents,
    },
    /// A wager over the maximum counts only up to the maximum.
    OverMaximum(EntrantId),
    /// The time ran out, and the wager is the minimum.
    HeldToMinimum(EntrantId),
    /// The director waived the time to wager for this turn.
    TimeWaived(EntrantId),
    /// A player missed a coup by being absent at the call.
    MissedCoup(EntrantId),
    /// After a tie wagers may be altered, in turn.
    MayAlter(u32),
    /// A wager out of order was declared void.
    OutOfOrderVoided(EntrantId),
    /// The dealer turns cards that no player turns.
    DealerTurns {
        /// The table.
        table: u32,
        /// Whether nobody wagered on the hand.
        unwagered: bool,
    },
    /// All bet secretly in the last coup of the final: the forms are opened before the deal.
    LayForms(u32),
    /// A player has cards to turn that another player should have.
    WrongPlayer(EntrantId),
    /// A player went away from the seat.
    WentAway(EntrantId),
    /// A player returned to the seat.
    CameBack(EntrantId),
    /// A player is out of the session.
    Eliminated {
        /// The player.
        entrant: EntrantId,
        /// The table.
        table: u32,
        /// The reason.
        why: OutWhy,
    },
    /// Nobody else wagers from the place of an eliminated player.
    PlaceVoid(EntrantId),
    /// The remaining chips of an eliminated player go to the operator; cash chips are the player's.
    ChipsLeft(EntrantId),
    /// The last coup of a table is void, and its session returned to the state before it.
    CoupUndone(u32),
    /// A coup before the last is void, and the session that seemed over goes on.
    PlayGoesOn(u32),
    /// The indicator card is in the shoe.
    IndicatorIn(u32),
    /// The indicator card came out.
    IndicatorOut(u32),
    /// The limits rise.
    LimitsRaised(u32),
    /// A form was handed in.
    FormHandedIn {
        /// The player.
        entrant: EntrantId,
        /// Its commitment, for all to see.
        commitment: Digest,
    },
    /// The inspector examined a form.
    FormExamined(EntrantId),
    /// The inspector handed a form back.
    FormReturned(EntrantId),
    /// A form was opened and announced.
    FormOpened {
        /// The player.
        entrant: EntrantId,
        /// The salt, so that everybody can check the commitment.
        salt: String,
        /// The wager that is written on it.
        content: String,
        /// How it counts.
        read: Read,
    },
    /// A form cannot be read.
    FormSpoiled(EntrantId),
    /// A secret wager is void with its coup.
    FormVoid(EntrantId),
    /// A player saw another's form.
    FormShown {
        /// The player who wrote it.
        of: EntrantId,
        /// The player who saw it.
        to: EntrantId,
    },
    /// The coming coup is the last of a table's session.
    LastCoup(u32),
    /// A table's session ended early.
    EndedEarly(u32),
    /// A table's play ended with this ranking.
    PlayEnded {
        /// The table.
        table: u32,
        /// The groups of players who are level, best first.
        ranking: Vec<Vec<EntrantId>>,
    },
    /// Players who are level must play off.
    PlayOffDue {
        /// The table.
        table: u32,
        /// The players.
        players: Vec<EntrantId>,
    },
    /// A drawn card says how many coups they play.
    PlayOffDrawn {
        /// The table.
        table: u32,
        /// The card.
        card: Card,
        /// The coups.
        coups: u32,
    },
    /// A play-off began.
    PlayOffStarted {
        /// The table.
        table: u32,
        /// New chips, if any were given out.
        chips: Option<Cents>,
    },
    /// The chips of players were collected after a session.
    ChipsCollected(u32),
    /// Players who are level share the prizes or points of their places.
    Shared {
        /// The table.
        table: u32,
        /// The players.
        players: Vec<EntrantId>,
    },
    /// A table's session is over.
    TableFinished(u32),
    /// A player advances from a stage.
    Advanced {
        /// The index of the stage.
        stage: usize,
        /// The player.
        entrant: EntrantId,
    },
    /// A player does not advance from a stage.
    StoodDown {
        /// The index of the stage.
        stage: usize,
        /// The player.
        entrant: EntrantId,
    },
    /// A stage is over.
    StageEnded(usize),
    /// A session that was over is reopened: one of its coups is judged again, and what followed is
    /// undone.
    SessionReopened(u32),
    /// A player who was eliminated by a void coup is in again, with so many cents in chips.
    InAgain {
        /// The table.
        table: u32,
        /// The player.
        entrant: EntrantId,
        /// The number of cents.
        cents: Balance,
    },
    /// A buy-back is undone, because the coup that made it necessary is void.
    BuyBackUndone {
        /// The player.
        entrant: EntrantId,
        /// The fee that is refunded.
        fee: Cents,
    },
    /// Points are taken back, in parts of [`crate::POINT`].
    PointsTakenBack {
        /// The player.
        entrant: EntrantId,
        /// The number of parts.
        parts: u64,
    },
    /// A player bought back in.
    BoughtBack {
        /// The player.
        entrant: EntrantId,
        /// The fee.
        fee: Cents,
    },
    /// A player got points, in parts of [`crate::POINT`].
    Points {
        /// The player.
        entrant: EntrantId,
        /// The number of parts.
        parts: u64,
        /// The reason.
        why: String,
    },
    /// A player got a final place.
    Placed {
        /// The place, from 1.
        place: u32,
        /// The player.
        entrant: EntrantId,
    },
    /// A player won a prize.
    Prize {
        /// The player.
        entrant: EntrantId,
        /// The amount.
        amount: Cents,
    },
    /// A player won goods or services; no money moved.
    Goods {
        /// The player.
        entrant: EntrantId,
        /// The goods or services.
        what: String,
    },
    /// The event is over.
    Ended,
    /// The director handed over.
    HandedOver {
        /// The former director, if known.
        from: Option<Name>,
        /// The new director.
        to: Name,
    },
    /// Places that were drawn will be drawn again.
    DrawnAgain {
        /// The reason.
        why: String,
        /// The person who ordered it.
        by: By,
    },
    /// The director waived the time to wager for everybody at a table, in this coup.
    TimeWaivedForAll(u32),
    /// The director removed the time limit for wagers.
    WagerTimeLifted,
    /// The play of a table continues at another table.
    TableMoved {
        /// The old table.
        from: u32,
        /// The new table.
        to: u32,
        /// The reason.
        why: String,
        /// The person who ordered it.
        by: By,
    },
    /// A correction waits for a second person.
    CorrectionAsked(Box<Correction>),
    /// A second person confirmed a correction.
    CorrectionConfirmed {
        /// The table.
        table: u32,
        /// The person.
        by: By,
    },
    /// A correction was withdrawn.
    CorrectionDropped(u32),
    /// Something that was recorded wrongly was corrected.
    Corrected(Box<Correction>),
    /// The ranking of players of a stage who did not advance by their place, for the remaining
    /// places.
    RunnersUp {
        /// The stage.
        stage: usize,
        /// The groups of players who are level, best first.
        ranking: Vec<Vec<EntrantId>>,
        /// How many advance.
        places: u32,
    },
    /// Runners-up of several tables are level for the last places, and play off at a table.
    RunnersUpLevel {
        /// The table.
        table: u32,
        /// The stage.
        stage: usize,
        /// The players.
        players: Vec<EntrantId>,
        /// The number of places.
        places: u32,
    },
}

impl Event {
    /// The entrant whose money the event moves, with the cents that the entrant paid; below zero
    /// what the entrant got. Nothing where the money is the house's, or none moves.
    #[must_use]
    pub fn paid(&self) -> Option<(EntrantId, i64)> {
        let (Fact::Entered { entrant, .. }
        | Fact::BoughtBack { entrant, .. }
        | Fact::BuyBackUndone { entrant, .. }
        | Fact::Refunded(entrant, _)
        | Fact::Prize { entrant, .. }) = &self.fact
        else {
            return None;
        };
        let outside = self.postings.iter().filter(|leg| leg.account == Account::Outside);
        let got: i64 = outside.map(|leg| leg.cents.get()).sum();
        (got != 0).then_some((*entrant, -got))
    }
}
