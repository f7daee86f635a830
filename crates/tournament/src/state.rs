//! What a tournament is at a moment.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::{Cents, Group, Hand, Rulebook, Spot};
use shoe::Digest;
use table::{Name, PlayerId, Table, Time};

use crate::conditions::{Conditions, Length};
use crate::event::{EntrantId, OutWhy};

/// The parts of a point: so many that two to nine players can share them exactly.
pub const POINT: u64 = 2520;

/// How far the event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing yet.
    Unopened,
    /// The conditions are being made.
    Preparing,
    /// Entries are taken.
    Entries,
    /// It is played.
    Playing,
    /// It is over.
    Ended,
    /// It was called off.
    Cancelled,
}

/// How an entrant stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Applied.
    Applied,
    /// Turned down.
    Refused,
    /// Waits for a place.
    Reserve,
    /// In.
    Entered,
    /// Withdrew.
    Withdrawn,
    /// Lost the place by not coming.
    Forfeited,
    /// Disqualified.
    Disqualified,
}

/// Somebody who applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// The name.
    pub name: Name,
    /// Who plays for the entrant.
    pub substitute: Option<Name>,
    /// Whom the entrant named as a substitute.
    pub nominated: Option<Name>,
    /// How the entrant stands.
    pub status: Status,
    /// Agreed to the conditions in writing.
    pub agreed: bool,
    /// Paid, buy-backs counted.
    pub paid: Cents,
    /// Of which the house keeps so much.
    pub kept: Cents,
    /// How often the entrant bought back in.
    pub buy_backs: u32,
    /// Points, in parts of [`POINT`].
    pub points: u64,
    /// The place in the end.
    pub place: Option<u32>,
    /// The prize.
    pub prize: Cents,
}

/// Who plays in a stage, and how it went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Its players.
    pub players: Vec<EntrantId>,
    /// Those who have no place at a table yet.
    pub waiting: Vec<EntrantId>,
    /// Sessions begun.
    pub sessions: u32,
    /// Who advanced.
    pub winners: Vec<EntrantId>,
    /// Who did not.
    pub losers: Vec<EntrantId>,
    /// It is next or was played.
    pub opened: bool,
    /// It is over.
    pub ended: bool,
}

/// A place that was given before a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// Whose.
    pub entrant: EntrantId,
    /// The table.
    pub table: u32,
    /// The seat.
    pub seat: u32,
    /// In the seat.
    pub there: bool,
}

/// A form that was handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its commitment.
    pub commitment: Digest,
    /// The inspector found it in order.
    pub examined: bool,
    /// What the player held when it was handed in.
    pub chips: i64,
    /// Coups dealt at the table before it.
    pub dealt: u32,
    /// The player's chips on Banker, Player and Tie in its coup.
    pub beside: [Cents; 3],
}

/// A player's chair in a session.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chair {
    /// The seat.
    pub seat: u32,
    /// Whose.
    pub entrant: EntrantId,
    /// The player at the table.
    pub player: Option<PlayerId>,
    /// Coups missed since the start by a player who has not come.
    pub late: Option<u32>,
    /// Away.
    pub absent: bool,
    /// Out, and in which coup of the table.
    pub out: Option<(u32, OutWhy)>,
    /// In the play that goes on: all, or those of the play-off.
    pub plays: bool,
    /// Wagers out of order in this session.
    pub out_of_order: u32,
    /// The wager of this round came out of order.
    pub jumped: bool,
    /// Held to the minimum in this round.
    pub held: bool,
    /// Secret wagers used.
    pub secrets: u32,
    /// The secret wager of this round.
    pub form: Option<Form>,
    /// The last form that was opened can be seen until the next card.
    pub shown: bool,
    /// A form of this coup was opened before the deal and laid.
    pub laid: bool,
    /// What was deducted for such a form.
    pub fine: i64,
    /// Chips when they were collected.
    pub chips: i64,
}

impl Chair {
    /// Not there: has not come yet, or is away.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        self.late.is_some() || self.absent
    }
}

/// What is played at a table now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stint {
    /// The session.
    Session,
    /// A play-off is due: coups are drawn, where the book draws them.
    PlayOffDue(Option<u32>),
    /// A play-off of so many coups, or until they are not level.
    PlayOff(Option<u32>),
    /// Nothing more.
    Done,
}

/// A table's session before a coup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The coup.
    pub coup: u32,
    /// The chairs, and what their players held, wagers included.
    pub chairs: Vec<(Chair, i64)>,
    /// What was played.
    pub stint: Stint,
    /// Coups that counted.
    pub coups: u32,
    /// The last coup was announced.
    pub last: bool,
    /// Who stood where.
    pub ranking: Vec<Vec<EntrantId>>,
    /// Where the marker was.
    pub marker: Option<u32>,
}

/// A table in a session.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq)]
pub struct Sitting {
    /// The table's number.
    pub number: u32,
    /// Of which stage.
    pub stage: usize,
    /// The table itself.
    pub table: Table,
    /// The players.
    pub chairs: Vec<Chair>,
    /// The seat of the marker.
    pub marker: Option<u32>,
    /// Whose turn it is to wager.
    pub turn: Option<u32>,
    /// Since when.
    pub since: Time,
    /// When the session began.
    pub began: Time,
    /// Coups with wagers and a result in this stint.
    pub coups: u32,
    /// Whether the last coup was one.
    pub counted: bool,
    /// Which coups of the table those were.
    pub counting: Vec<u32>,
    /// The session as it was before the last coup, should that be void.
    pub memory: Option<Arc<Memory>>,
    /// Coups dealt at the table in all.
    pub dealt: u32,
    /// Shoes used up.
    pub shoes: u32,
    /// What is played.
    pub stint: Stint,
    /// The last coup was announced.
    pub last: bool,
    /// Who stands where after the play so far.
    pub ranking: Vec<Vec<EntrantId>>,
    /// Player's and Banker's hands of the last coup, for secret wagers that wait for it.
    pub hands: Option<[Hand; 2]>,
    /// The indicator card is in the shoe.
    pub indicator_in: bool,
    /// It came out, and the limits may rise when the coup is over.
    pub indicator_out: bool,
    /// The limits have risen.
    pub raised: bool,
    /// Wagers wait for the last coup's secret ones to be laid.
    pub laying: bool,
}

impl Sitting {
    /// The chair of an entrant.
    #[must_use]
    pub fn chair(&self, entrant: EntrantId) -> Option<&Chair> {
        self.chairs.iter().find(|chair| chair.entrant == entrant)
    }

    /// Those who play on.
    pub fn active(&self) -> impl Iterator<Item = &Chair> {
        self.chairs.iter().filter(|chair| chair.plays && chair.out.is_none())
    }

    /// The seat after another in the order of wagering.
    #[must_use]
    pub fn next_seat(&self, seat: u32) -> Option<u32> {
        let after = self.active().map(|chair| chair.seat).filter(|next| *next > seat).min();
        after.or_else(|| self.active().map(|chair| chair.seat).min())
    }

    /// The minimum of a Banker or Player wager.
    #[must_use]
    pub fn minimum(&self) -> Cents {
        self.table.limits(Group::Main).map_or(Cents::ZERO, |limits| limits.least)
    }

    /// What the player of a chair has in front of them.
    #[must_use]
    pub fn stack(&self, chair: &Chair) -> i64 {
        chair.player.map_or(0, |player| self.table.player(player).stack)
    }

    /// What the player of a chair has in front of them and on the layout.
    #[must_use]
    pub fn chips(&self, chair: &Chair) -> i64 {
        let wagers = self.table.wagers().iter();
        let laid = wagers.filter(|wager| Some(wager.player) == chair.player);
        let laid: u64 = laid.map(|wager| wager.stake.get()).sum();
        self.stack(chair) + i64::try_from(laid).unwrap_or(i64::MAX)
    }

    /// The chips of a chair on Banker, Player and Tie.
    #[must_use]
    pub fn laid(&self, chair: &Chair) -> [Cents; 3] {
        [Spot::Banker, Spot::Player, Spot::Tie].map(|spot| {
            let wagers = self.table.wagers().iter();
            let mut mine = wagers.filter(|w| Some(w.player) == chair.player && w.spot == spot);
            mine.next().map_or(Cents::ZERO, |wager| wager.stake)
        })
    }

    /// Whether a player has wagered in this round, in chips or secretly.
    #[must_use]
    pub fn has_wagered(&self, chair: &Chair) -> bool {
        let wagers = self.table.wagers();
        chair.form.is_some() || wagers.iter().any(|wager| Some(wager.player) == chair.player)
    }

    /// Whose turn it is after a seat: the next who has yet to wager.
    #[must_use]
    pub fn next_to_wager(&self, from: u32) -> Option<&Chair> {
        let mut seat = from;
        for _ in 0..=self.chairs.len() {
            seat = self.next_seat(seat)?;
            let chair = self.active().find(|chair| chair.seat == seat)?;
            if !self.has_wagered(chair) && !chair.is_missing() {
                return Some(chair);
            }
        }
        None
    }

    /// Whether forms of a coup that is over wait to be opened.
    #[must_use]
    pub fn has_forms_to_open(&self) -> bool {
        let forms = self.chairs.iter().filter_map(|chair| chair.form);
        self.table.coup().is_none() && forms.clone().any(|form| form.dealt < self.dealt)
    }

    /// Whether the table plays.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        !matches!(self.stint, Stint::Done)
    }

    /// Whether the coming or current coup is the last of the play.
    #[must_use]
    pub fn is_last_coup(&self, length: Option<Length>) -> bool {
        let left = |of: u32| of.saturating_sub(self.coups) <= 1;
        match (self.stint, length) {
            _ if self.last => true,
            (Stint::PlayOff(Some(coups)), _) | (Stint::Session, Some(Length::Coups(coups))) => {
                left(coups)
            }
            (Stint::Session, Some(Length::Shoes(shoes))) => {
                shoes.saturating_sub(self.shoes) <= 1 && self.table.is_last_coup()
            }
            _ => false,
        }
    }
}

/// A ballot that was committed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ballot {
    /// The commitment.
    pub commitment: Digest,
    /// What players added, in order.
    pub added: Vec<String>,
}

/// One tournament: what has happened in it so far, and the book it is judged by.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug)]
pub struct Tournament {
    pub(crate) book: Option<Arc<Rulebook>>,
    /// The book as it is at a tournament's tables.
    pub(crate) table_book: Option<Arc<Rulebook>>,
    pub(crate) now: Time,
    pub(crate) phase: Phase,
    pub(crate) conditions: Option<Arc<Conditions>>,
    pub(crate) hash: Option<Digest>,
    pub(crate) published: bool,
    pub(crate) notified: bool,
    pub(crate) approved: bool,
    pub(crate) told: bool,
    pub(crate) agreement: bool,
    pub(crate) director: Option<Name>,
    pub(crate) director_away: bool,
    pub(crate) entrants: Vec<Entrant>,
    pub(crate) stages: Vec<Progress>,
    pub(crate) start: Option<Time>,
    pub(crate) tables: Vec<u32>,
    pub(crate) players_a_table: Option<u32>,
    pub(crate) ballot: Option<Ballot>,
    /// Commitments whose secret is known.
    pub(crate) used_ballots: Vec<Digest>,
    /// A ballot was abandoned: the places of this session are drawn by hand.
    pub(crate) by_hand: bool,
    /// Commitments of all forms that were handed in.
    pub(crate) forms: Vec<Digest>,
    pub(crate) allotments: Vec<Allotment>,
    pub(crate) sittings: Vec<Arc<Sitting>>,
    pub(crate) rests: Option<Time>,
    pub(crate) wager_time: Option<Time>,
    pub(crate) pool: i64,
    pub(crate) commission: i64,
    pub(crate) outside: i64,
}

impl PartialEq for Tournament {
    /// Two tournaments are equal when all that happened left them equal; the book they are judged
    /// by does not count.
    fn eq(&self, other: &Self) -> bool {
        self.state() == other.state()
    }
}

impl Tournament {
    /// A tournament that is not begun, to be judged by this book.
    #[must_use]
    pub fn new(book: Arc<Rulebook>) -> Self {
        let table_book = Arc::new(crate::tables::at_the_tables(&book, None));
        Self { book: Some(book), table_book: Some(table_book), ..Self::replayed() }
    }

    /// A tournament without a book: events can be folded, but nothing can be decided.
    #[must_use]
    pub const fn replayed() -> Self {
        Self {
            book: None,
            table_book: None,
            now: 0,
            phase: Phase::Unopened,
            conditions: None,
            hash: None,
            published: false,
            notified: false,
            approved: false,
            told: false,
            agreement: false,
            director: None,
            director_away: false,
            entrants: Vec::new(),
            stages: Vec::new(),
            start: None,
            tables: Vec::new(),
            players_a_table: None,
            ballot: None,
            used_ballots: Vec::new(),
            by_hand: false,
            forms: Vec::new(),
            allotments: Vec::new(),
            sittings: Vec::new(),
            rests: None,
            wager_time: None,
            pool: 0,
            commission: 0,
            outside: 0,
        }
    }

    fn state(&self) -> impl PartialEq + '_ {
        (
            (self.now, self.phase, &self.conditions, self.hash, self.published, self.notified),
            (self.approved, self.told, self.agreement, self.director, self.director_away),
            (&self.entrants, &self.stages, self.start, &self.tables, self.players_a_table),
            (&self.ballot, &self.used_ballots, &self.allotments, &self.sittings),
            (self.rests, self.wager_time, &self.forms, self.by_hand),
            (self.pool, self.commission, self.outside),
        )
    }

    /// How far the event is.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// What the conditions say.
    #[must_use]
    pub fn conditions(&self) -> Option<&Conditions> {
        self.conditions.as_deref()
    }

    /// The hash of the document.
    #[must_use]
    pub const fn hash(&self) -> Option<Digest> {
        self.hash
    }

    /// Everybody who applied, by the order of application.
    #[must_use]
    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// An entrant.
    #[must_use]
    pub fn entrant(&self, id: EntrantId) -> &Entrant {
        &self.entrants[usize::from(id.0)]
    }

    /// The entrant for whom somebody of that name plays, or of that name; of several applications
    /// the last.
    #[must_use]
    pub fn entrant_named(&self, name: &str) -> Option<EntrantId> {
        let plays =
            |e: &Entrant| e.substitute.is_some_and(|substitute| substitute.as_str() == name);
        let playing = self.entrants.iter().position(plays);
        let own = || self.entrants.iter().rposition(|entrant| entrant.name.as_str() == name);
        playing.or_else(own).and_then(|at| u16::try_from(at).ok()).map(EntrantId)
    }

    /// The stages.
    #[must_use]
    pub fn stages(&self) -> &[Progress] {
        &self.stages
    }

    /// The stage that is next or in play.
    #[must_use]
    pub fn current_stage(&self) -> Option<usize> {
        self.stages.iter().position(|stage| stage.opened && !stage.ended)
    }

    /// The tables of all sessions so far.
    pub fn sittings(&self) -> impl Iterator<Item = &Sitting> {
        self.sittings.iter().map(|sitting| &**sitting)
    }

    /// A table in play.
    #[must_use]
    pub fn sitting(&self, number: u32) -> Option<&Sitting> {
        self.sittings().find(|sitting| sitting.number == number && sitting.is_live())
    }

    /// Where an entrant sits now.
    #[must_use]
    pub fn sitting_of(&self, entrant: EntrantId) -> Option<&Sitting> {
        self.sittings().find(|sitting| sitting.is_live() && sitting.chair(entrant).is_some())
    }

    /// The places given for the next session.
    #[must_use]
    pub fn allotments(&self) -> &[Allotment] {
        &self.allotments
    }

    /// What is in the pool.
    #[must_use]
    pub const fn pool(&self) -> i64 {
        self.pool
    }

    /// What the house keeps.
    #[must_use]
    pub const fn commission(&self) -> i64 {
        self.commission
    }

    /// The sum of all accounts, which is always zero.
    #[must_use]
    pub const fn sum(&self) -> i64 {
        self.pool + self.commission + self.outside
    }

    /// The book that it is judged by.
    #[must_use]
    pub fn book(&self) -> Option<&Rulebook> {
        self.book.as_deref()
    }

    /// The time of the last command.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Whether the coming or current coup of a table is the last of its play.
    #[must_use]
    pub fn is_last_coup(&self, sitting: &Sitting) -> bool {
        sitting.is_last_coup(self.length(sitting.stage))
    }

    pub(crate) fn length(&self, stage: usize) -> Option<Length> {
        self.conditions.as_ref().and_then(|c| c.stages.0.get(stage)).and_then(|s| s.length)
    }

    /// The stage's name.
    #[must_use]
    pub fn stage_name(&self, stage: usize) -> String {
        let stage = self.conditions.as_ref().and_then(|c| c.stages.0.get(stage));
        stage.map_or_else(String::new, |stage| stage.name.clone())
    }
}
