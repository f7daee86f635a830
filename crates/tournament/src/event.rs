//! What happened in a tournament, with the clauses it rests on and the money it moved.

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

/// Where money can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Account {
    /// With players and the house.
    Outside,
    /// In the prize pool.
    Pool,
    /// Kept by the house.
    Commission,
}

/// A sum that came to an account, or left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// Which account.
    pub account: Account,
    /// How many cents came, less than zero if they left.
    pub cents: Balance,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When.
    pub at: Time,
    /// What.
    pub fact: Fact,
    /// By which clauses; none where staff decided.
    pub clauses: Clauses,
    /// Which money moved.
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
    /// Everybody starts with as many, and has an equal chance.
    EqualStart,
    /// Who advances is settled.
    Advance,
    /// The director is there.
    Director,
}

/// Why an entrant is out of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutWhy {
    /// Fewer chips than the minimum.
    Chips,
    /// Not in the seat at the start.
    NotThere,
    /// Fewer chips than the minimum that rose.
    Raised,
    /// Did not wager.
    NoWager,
    /// Disqualified, or withdrew.
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

/// How a player comes to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum Lot {
    /// It was drawn by lot.
    Drawn,
    /// It was given to the player.
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

/// What a form comes to when it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Read {
    /// A wager, as it counts.
    Wager {
        /// Where.
        spot: Spot,
        /// For how much it counts.
        amount: Cents,
    },
    /// Kind or amount is not properly shown; the minimum is deducted.
    Faulty,
    /// It is on the other hand than the player's chips, and has no effect.
    BothSides,
}

/// What was keyed wrongly, before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mended {
    /// A wager.
    Wager {
        /// Whose.
        entrant: EntrantId,
        /// Of which coup, if it was settled already.
        coup: Option<u32>,
        /// What was keyed.
        from: Option<(Spot, Cents)>,
        /// What it is.
        to: (Spot, Cents),
    },
    /// A card.
    Card {
        /// The coup.
        coup: u32,
        /// Which of its cards, from 0.
        index: u8,
        /// What was keyed.
        from: Card,
        /// What it is.
        to: Card,
    },
    /// A seat.
    Seat {
        /// Whose.
        entrant: EntrantId,
        /// What was keyed.
        from: u32,
        /// What it is.
        to: u32,
        /// Who was keyed there, and sits where the first was.
        other: Option<EntrantId>,
    },
    /// The chips that a player holds, wagers included.
    Chips {
        /// Whose.
        entrant: EntrantId,
        /// What was counted.
        from: Balance,
        /// What it is.
        to: Cents,
    },
}

/// Something that was keyed wrongly and is put right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// At which table.
    pub table: u32,
    /// What, before and after.
    pub what: Mended,
    /// Why.
    pub why: String,
    /// By whom.
    pub by: By,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// A tournament is to be held under a book.
    Opened {
        /// The book.
        book: BookId,
        /// Its base.
        base: Option<BookId>,
    },
    /// The conditions are written down.
    Documented {
        /// What they say.
        conditions: Box<Conditions>,
        /// The hash of the document.
        hash: Digest,
    },
    /// They state a matter that the book has a rule on.
    States(String),
    /// They say other than a rule of the table, and prevail.
    Prevails,
    /// They are available.
    Published,
    /// The regulator knows them.
    Notified,
    /// The regulator approved them.
    Approved,
    /// The regulator approved what the house keeps of the fees.
    CommissionApproved,
    /// The director is named.
    DirectorNamed(Name),
    /// The director went away.
    DirectorLeft,
    /// The director is back.
    DirectorBack,
    /// Every player must agree in writing.
    AgreementRequired,
    /// Applicants were told the conditions of play.
    ConditionsTold,
    /// Entries are taken.
    EntriesOpened,
    /// The house added to the pool.
    PoolAdded(Cents),
    /// Somebody applied.
    Applied {
        /// Who.
        entrant: EntrantId,
        /// The name.
        name: Name,
    },
    /// An applicant agreed to the conditions.
    Agreed(EntrantId),
    /// An applicant is in, and paid.
    Entered {
        /// Who.
        entrant: EntrantId,
        /// The fee.
        fee: Cents,
    },
    /// An applicant waits for a place.
    Reserved(EntrantId),
    /// An application was turned down.
    EntryRefused(EntrantId, String),
    /// A player withdrew.
    Withdrawn(EntrantId),
    /// A fee went back.
    Refunded(EntrantId, Cents),
    /// A fee stays in the pool.
    FeeForfeited(EntrantId),
    /// The event is off, and a fee does not go back all the same.
    FeeNotRefunded(EntrantId),
    /// A player was disqualified.
    Disqualified(EntrantId, Offence),
    /// A player named a substitute.
    Nominated(EntrantId, Name),
    /// A substitute plays for a player.
    Substituted(EntrantId, Name),
    /// The event is off.
    Cancelled(String),
    /// Entries are over.
    EntriesClosed,
    /// A stage is next, with these players.
    StageOpened {
        /// Which.
        stage: usize,
        /// Who plays in it.
        players: Vec<EntrantId>,
    },
    /// The next session starts at another time.
    StartMoved(Time),
    /// These tables are used.
    TablesNamed(Vec<u32>),
    /// So many play at a table.
    PlayersATable(u32),
    /// A ballot was committed to.
    BallotCommitted(Digest),
    /// It was given up before it was revealed.
    BallotAbandoned,
    /// A player added to it.
    BallotAdded(EntrantId, String),
    /// What was committed to is revealed.
    BallotRevealed(String),
    /// A place is given.
    Allotted {
        /// To whom.
        entrant: EntrantId,
        /// The table.
        table: u32,
        /// The seat.
        seat: u32,
        /// Drawn by lot, or given.
        #[serde(rename = "by_lot")]
        lot: Lot,
    },
    /// Players are given their sessions.
    SessionAllotted(u32),
    /// A player is in the seat.
    Seated(EntrantId),
    /// A session began.
    SessionStarted {
        /// Of which stage.
        stage: usize,
        /// Which of the stage, from 1.
        session: u32,
    },
    /// A table is in play.
    TableOpened(u32),
    /// A rule that is kept during the session.
    Kept(Keeping),
    /// Something happened at a table.
    AtTable {
        /// Which.
        table: u32,
        /// What.
        event: table::Event,
    },
    /// A player has a chair at a table.
    ChairTaken {
        /// The table.
        table: u32,
        /// The seat.
        seat: u32,
        /// Who.
        entrant: EntrantId,
        /// In the seat, or expected.
        #[serde(rename = "there")]
        is: Seat,
    },
    /// A player who did not come lost the place.
    Forfeited(EntrantId),
    /// A reserve has the seat of a player who did not come.
    SeatTakenOver {
        /// Whose it was.
        from: EntrantId,
        /// Whose it is.
        to: EntrantId,
    },
    /// Such a player may enter a second chance.
    MayEnterSecondary(EntrantId),
    /// Play rests until then.
    BreakGiven(Time),
    /// Play goes on.
    PlayResumed,
    /// So long is there to wager.
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
        /// Whose.
        entrant: EntrantId,
        /// Not for the first time.
        again: bool,
    },
    /// A wager below the minimum was brought up to it.
    ToppedUp {
        /// Whose.
        entrant: EntrantId,
        /// What it was.
        from: Cents,
        /// What it is.
        to: Cents,
    },
    /// A wager over the maximum counts up to it.
    OverMaximum(EntrantId),
    /// The time ran out, and the wager is the minimum.
    HeldToMinimum(EntrantId),
    /// The director waived the time to wager for this turn.
    TimeWaived(EntrantId),
    /// A coup was called without a player who was not there.
    MissedCoup(EntrantId),
    /// After a tie wagers may be altered, in turn.
    MayAlter(u32),
    /// A wager out of order was declared void.
    OutOfOrderVoided(EntrantId),
    /// The dealer turns cards that no player turns.
    DealerTurns {
        /// The table.
        table: u32,
        /// Nobody wagered on the hand.
        unwagered: bool,
    },
    /// All bet secretly in the last coup of the final: the forms are opened before the deal.
    LayForms(u32),
    /// The player who has the cards to turn is not the one who should.
    WrongPlayer(EntrantId),
    /// A player is away.
    WentAway(EntrantId),
    /// A player is back.
    CameBack(EntrantId),
    /// A player is out of the session.
    Eliminated {
        /// Who.
        entrant: EntrantId,
        /// At which table.
        table: u32,
        /// Why.
        why: OutWhy,
    },
    /// Nobody else wagers from the place of a player who is out.
    PlaceVoid(EntrantId),
    /// What chips are left to a player who is out are the operator's, cash chips the player's.
    ChipsLeft(EntrantId),
    /// The last coup of a table is void, and its session is as it was before it.
    CoupUndone(u32),
    /// A coup before the last is void, and the session that seemed over goes on.
    PlayGoesOn(u32),
    /// The indicator card is in the shoe.
    IndicatorIn(u32),
    /// It came out.
    IndicatorOut(u32),
    /// The limits rise.
    LimitsRaised(u32),
    /// A form was handed in.
    FormHandedIn {
        /// Whose.
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
        /// Whose.
        entrant: EntrantId,
        /// The salt, so that everybody can check it.
        salt: String,
        /// What is written on it.
        content: String,
        /// What it comes to.
        read: Read,
    },
    /// A form could not be read.
    FormSpoiled(EntrantId),
    /// A secret wager is void with its coup.
    FormVoid(EntrantId),
    /// A player saw another's form.
    FormShown {
        /// Whose.
        of: EntrantId,
        /// To whom.
        to: EntrantId,
    },
    /// The coming coup is the last of a table's session.
    LastCoup(u32),
    /// A table's session ended early.
    EndedEarly(u32),
    /// A table's play ended: who stands where, those who are level together.
    PlayEnded {
        /// The table.
        table: u32,
        /// Best first.
        ranking: Vec<Vec<EntrantId>>,
    },
    /// Players who are level are to play on.
    PlayOffDue {
        /// The table.
        table: u32,
        /// Who.
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
    /// What players hold after a session.
    ChipsCollected(u32),
    /// Prizes or points of places are shared by players who are level.
    Shared {
        /// The table.
        table: u32,
        /// Who.
        players: Vec<EntrantId>,
    },
    /// A table is done.
    TableFinished(u32),
    /// A player advances from a stage.
    Advanced {
        /// Which.
        stage: usize,
        /// Who.
        entrant: EntrantId,
    },
    /// A player does not.
    StoodDown {
        /// Which.
        stage: usize,
        /// Who.
        entrant: EntrantId,
    },
    /// A stage is over.
    StageEnded(usize),
    /// A table that was done is not: a coup of it is judged anew, and what followed is undone.
    SessionReopened(u32),
    /// A player who went out by a coup that is void is in again, with so many cents in chips.
    InAgain {
        /// The table.
        table: u32,
        /// Who.
        entrant: EntrantId,
        /// How many.
        cents: Balance,
    },
    /// A buy-back falls with the coup that made it needful.
    BuyBackUndone {
        /// Whose.
        entrant: EntrantId,
        /// What goes back.
        fee: Cents,
    },
    /// Points are taken back, in parts of [`crate::POINT`].
    PointsTakenBack {
        /// From whom.
        entrant: EntrantId,
        /// How many parts.
        parts: u64,
    },
    /// A player bought back in.
    BoughtBack {
        /// Who.
        entrant: EntrantId,
        /// For how much.
        fee: Cents,
    },
    /// A player got points, in parts of [`crate::POINT`].
    Points {
        /// Who.
        entrant: EntrantId,
        /// How many parts.
        parts: u64,
        /// For what.
        why: String,
    },
    /// A player has a place.
    Placed {
        /// The place, from 1.
        place: u32,
        /// Who.
        entrant: EntrantId,
    },
    /// A player won a prize.
    Prize {
        /// Who.
        entrant: EntrantId,
        /// How much.
        amount: Cents,
    },
    /// A player won goods or services; no money moved.
    Goods {
        /// Who.
        entrant: EntrantId,
        /// What.
        what: String,
    },
    /// The event is over.
    Ended,
    /// The director handed over.
    HandedOver {
        /// Who did, if it is known.
        from: Option<Name>,
        /// Who is the director now.
        to: Name,
    },
    /// Places that were drawn are to be drawn again.
    DrawnAgain {
        /// Why.
        why: String,
        /// By whom.
        by: By,
    },
    /// The director waived the time to wager for everybody at a table, in this coup.
    TimeWaivedForAll(u32),
    /// There is no time any more within which wagers are made.
    WagerTimeLifted,
    /// What is played at a table goes on at another.
    TableMoved {
        /// From where.
        from: u32,
        /// To where.
        to: u32,
        /// Why.
        why: String,
        /// By whom.
        by: By,
    },
    /// A correction waits for a second person.
    CorrectionAsked(Box<Correction>),
    /// A second person confirmed it.
    CorrectionConfirmed {
        /// At which table.
        table: u32,
        /// Who.
        by: By,
    },
    /// It was taken back.
    CorrectionDropped(u32),
    /// Something was keyed wrongly, and is put right.
    Corrected(Box<Correction>),
    /// Those of a stage who did not advance by their place, best first, for so many places more.
    RunnersUp {
        /// The stage.
        stage: usize,
        /// Those who are level together.
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
        /// Who.
        players: Vec<EntrantId>,
        /// For how many places.
        places: u32,
    },
}
