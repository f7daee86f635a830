//! What is due in a tournament: the step, the person, the clauses, and the act where nothing is
//! left to choose.

use alloc::vec::Vec;

use rules::{Card, Clause, Clauses, Side};
use serde::Serialize;
use table::{Checker, Name, SuspendedWhy, Time, cites};

use crate::command::Act;
use crate::tournament::Tournament;

/// A step that is due, or possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Next {
    /// The tournament is opened.
    Open,
    /// The conditions are documented.
    Document,
    /// The regulator approves the conditions.
    Approve,
    /// The conditions are made available.
    Publish,
    /// The regulator is notified of the conditions.
    Notify,
    /// The regulator approves what the house keeps of the fees.
    ApproveCommission,
    /// The director is named.
    NameDirector,
    /// The director, who is away, returns.
    DirectorReturns,
    /// Every player's agreement in writing is required.
    RequireAgreement,
    /// Entries are opened.
    OpenEntries,
    /// Applicants are told the conditions of play.
    TellConditions,
    /// Somebody applies.
    Apply,
    /// An applicant agrees to the conditions in writing.
    Agree(Name),
    /// An applicant or a reserve is accepted.
    Accept(Name),
    /// An application is turned down.
    RefuseEntry(Name),
    /// Entries are closed.
    CloseEntries,
    /// The event is cancelled, because it cannot be held or nobody can win it. Fees go back.
    Cancel,
    /// A substitute whom a player named is approved.
    ApproveSubstitute {
        /// The player.
        of: Name,
        /// The substitute.
        substitute: Name,
    },
    /// The tables of the session are named.
    NameTables,
    /// The commitment to a ballot is published.
    CommitBallot,
    /// Players add words to the ballot.
    AddToBallot,
    /// The words of the ballot are revealed, and places drawn.
    RevealBallot,
    /// The ballot is given up; places are then drawn by hand.
    AbandonBallot,
    /// A player draws a place by hand.
    Draw(Name),
    /// A player is given a place.
    Allot(Name),
    /// Players take their seats.
    TakeSeats,
    /// A player who is late takes the seat.
    TakeSeat(Name),
    /// The seat of a player who did not come is offered to a reserve.
    OfferSeat {
        /// The player who did not come.
        of: Name,
        /// The reserve.
        to: Name,
    },
    /// The session starts at that time, and not before.
    WaitForStart(Time),
    /// The session is started.
    Start,
    /// Play stops until that time; the director may resume it earlier.
    Break(Time),
    /// A second person confirms a correction.
    ConfirmCorrection,
    /// The director takes a correction back.
    DropCorrection,
    /// The operator replaces the cards.
    ReplaceCards,
    /// Somebody checks the cards.
    CheckCards(Checker),
    /// A player has the chance to look the cards over.
    LookOver,
    /// The dealer shuffles.
    Shuffle,
    /// The cards are cut, by this player if one is named.
    Cut(Option<Name>),
    /// The inspector puts the indicator card in.
    InsertIndicator,
    /// The dealer places the cutting card, with at least so many cards behind it.
    PlaceCuttingCard(u32),
    /// The dealer burns a card.
    Burn,
    /// All steps from the check to the burn are done, in order and lawfully.
    FreshShoe,
    /// The limits rise.
    RaiseLimits,
    /// The dealer places the marker before another seat.
    PlaceMarker,
    /// The dealer asks a player to wager.
    Ask(Name),
    /// A player wagers.
    Wager {
        /// The player.
        name: Name,
        /// When the time to wager is up, if it runs.
        until: Option<Time>,
    },
    /// A player hands in the form of a secret wager.
    HandIn(Name),
    /// The director waives the time to wager, which is up.
    WaiveTime(Name),
    /// A player returns to the seat.
    ComeBack(Name),
    /// A player who does not wager is eliminated.
    Eliminate(Name),
    /// A wager that came out of order again is declared void.
    VoidOutOfOrder(Name),
    /// The inspector examines the form of a secret wager.
    Examine(Name),
    /// The inspector opens a form.
    OpenForm(Name),
    /// The dealer calls no more bets.
    NoMoreBets,
    /// The dealer deals the first four cards.
    Deal,
    /// The dealer draws a card to a hand.
    DrawCard(Side),
    /// Cards that lie face down are turned.
    Turn {
        /// The hand.
        side: Side,
        /// Whether it is the third card, rather than the first two.
        third: bool,
        /// The player who has the cards; otherwise the dealer turns them.
        by: Option<Name>,
    },
    /// The inspector returns to the table.
    InspectorReturns,
    /// A supervisor rules on a coup that waits.
    Rule(SuspendedWhy),
    /// The last coup is announced.
    AnnounceLast,
    /// The session of a table ends early.
    EndEarly,
    /// An eliminated player buys back in.
    BuyBack(Name),
    /// A card is drawn for the number of coups of a play-off.
    DrawForPlayOff,
    /// A play-off starts.
    StartPlayOff,
    /// Points for a session of another game are awarded.
    AwardPoints,
    /// The prizes are awarded.
    AwardPrizes,
}

/// The person or persons whose step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Whom {
    /// The operator.
    Operator,
    /// The regulator.
    Regulator,
    /// The director.
    Director,
    /// The inspector, or whoever supervises the table.
    Inspector,
    /// The dealer of the table.
    Dealer,
    /// A player.
    Player(Name),
    /// Any player, or all.
    Players,
}

/// Whether the event waits for a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// The event, or the table, goes on with this step.
    Must,
    /// The step is lawful now, and somebody may want it.
    May,
}

/// A step that is due or possible, with its clauses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Due {
    /// The step.
    pub next: Next,
    /// The person whose step it is.
    pub whom: Whom,
    /// The table, if it is a step at a table.
    pub table: Option<u32>,
    /// Whether the event waits for it.
    pub need: Need,
    /// The clauses that require or allow it.
    pub clauses: Clauses,
    /// The act, where nothing is left to choose: [`Tournament::decide`] accepts it.
    pub act: Option<Act>,
    /// The cards of the step in their order, where everybody knows one of them already.
    #[serde(skip)]
    pub known: Vec<Option<Card>>,
}

impl Due {
    pub(crate) fn new(next: Next, whom: Whom, clauses: &[Option<Clause>]) -> Self {
        let (table, need, act) = (None, Need::Must, None);
        Self { next, whom, table, need, clauses: cites(clauses), act, known: Vec::new() }
    }

    pub(crate) fn may(self) -> Self {
        Self { need: Need::May, ..self }
    }

    pub(crate) fn at(self, table: u32) -> Self {
        Self { table: Some(table), ..self }
    }

    pub(crate) fn by(self, act: Act) -> Self {
        Self { act: Some(act), ..self }
    }
}

impl Tournament {
    /// What is due at the time of the last event: see [`Self::due_at`].
    #[must_use]
    pub fn due(&self) -> Vec<Due> {
        self.due_at(self.now())
    }

    /// What is due at a time, and what is possible besides, in the order in which a director would
    /// do it: first what holds up the event as a whole, then table by table, then what comes
    /// between sessions. Nothing is due in an event that is over or cancelled.
    #[must_use]
    pub fn due_at(&self, at: Time) -> Vec<Due> {
        self.state().due(self.book(), self.table_book(), at)
    }
}
