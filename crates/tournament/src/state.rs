//! What a tournament is at a moment.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::{Balance, Cents};
use serde::{Deserialize, Serialize};
use shoe::Digest;
use table::{Name, Time};

use crate::conditions::{Conditions, Length};
use crate::event::{EntrantId, OutWhy};
use crate::sitting::Sitting;

/// The parts of a point: so many that two to nine players can share them exactly.
pub const POINT: u64 = 2520;

/// How far the event is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// Nothing yet.
    #[default]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Goods and services won.
    #[serde(default)]
    pub goods: Vec<String>,
}

/// Who plays in a stage, and how it went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Of both, those who were compared across tables once all had played.
    #[serde(default)]
    pub runners_up: Vec<EntrantId>,
    /// It is next or was played.
    pub opened: bool,
    /// It is over.
    pub ended: bool,
}

/// A place that was given before a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// A ballot that was committed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ballot {
    /// The commitment.
    pub commitment: Digest,
    /// What players added, in order.
    pub added: Vec<String>,
}

/// What a tournament is at a moment: all that has happened in it so far, and no book.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub(crate) now: Time,
    pub(crate) phase: Phase,
    pub(crate) conditions: Option<Arc<Conditions>>,
    pub(crate) hash: Option<Digest>,
    pub(crate) published: bool,
    pub(crate) notified: bool,
    pub(crate) approved: bool,
    /// The regulator approved what the house keeps.
    pub(crate) commission_approved: bool,
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
    /// A place that was drawn came free, and places may be drawn again.
    pub(crate) freed: bool,
    /// A ballot drew the places of the next session: no seat was keyed.
    #[serde(default)]
    pub(crate) balloted: bool,
    /// Places are to be drawn again, by a new ballot.
    #[serde(default)]
    pub(crate) redraw: bool,
    /// Who drew places by lot, in the order of the last draw of each.
    pub(crate) drawn: Vec<EntrantId>,
    /// Commitments of all forms that were handed in.
    pub(crate) forms: Vec<Digest>,
    pub(crate) allotments: Vec<Allotment>,
    pub(crate) sittings: Vec<Arc<Sitting>>,
    pub(crate) rests: Option<Time>,
    pub(crate) wager_time: Option<Time>,
    pub(crate) pool: Balance,
    pub(crate) commission: Balance,
    pub(crate) outside: Balance,
}

impl State {
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
        let id = |at: usize| u16::try_from(at).ok().map(EntrantId);
        let playing = || (0..self.entrants.len()).filter(|at| plays(&self.entrants[*at]));
        // Who stood in for somebody who is out may stand in for another.
        let in_it = playing().filter_map(id).find(|id| !self.is_eliminated(*id));
        in_it.or_else(|| playing().find_map(id)).or_else(|| self.entrant_called(name))
    }

    /// The entrant of that name, whoever plays for whom; of several applications the last.
    #[must_use]
    pub fn entrant_called(&self, name: &str) -> Option<EntrantId> {
        let own = self.entrants.iter().rposition(|entrant| entrant.name.as_str() == name);
        own.and_then(|at| u16::try_from(at).ok()).map(EntrantId)
    }

    /// Whether an entrant is out of the tournament: eliminated in the last session, and not in
    /// again since.
    #[must_use]
    pub fn is_eliminated(&self, id: EntrantId) -> bool {
        let last = self.sittings().filter_map(|sitting| sitting.chair(id)).last();
        let why = last.and_then(|chair| chair.out).map(|(_, why)| why);
        matches!(why, Some(OutWhy::Chips | OutWhy::Raised | OutWhy::NoWager))
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
    pub const fn pool(&self) -> Balance {
        self.pool
    }

    /// What the house keeps.
    #[must_use]
    pub const fn commission(&self) -> Balance {
        self.commission
    }

    /// The sum of all accounts, which is always zero.
    #[must_use]
    pub fn sum(&self) -> Balance {
        self.pool + self.commission + self.outside
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
