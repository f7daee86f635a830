//! The state of a tournament.

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

/// The number of parts in a point: two to nine players can share it exactly.
pub const POINT: u64 = 2520;

/// The phase of the event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// The event has not begun.
    #[default]
    Unopened,
    /// The conditions are being prepared.
    Preparing,
    /// Entries are open.
    Entries,
    /// The event is being played.
    Playing,
    /// The event is over.
    Ended,
    /// The event was cancelled.
    Cancelled,
}

/// The status of an entrant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// The entrant has applied.
    Applied,
    /// The application was turned down.
    Refused,
    /// The entrant waits for a place.
    Reserve,
    /// The entrant is entered.
    Entered,
    /// The entrant withdrew.
    Withdrawn,
    /// The entrant lost the place by not coming.
    Forfeited,
    /// The entrant was disqualified.
    Disqualified,
}

/// A person who applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// The name.
    pub name: Name,
    /// The substitute who plays for the entrant, if any.
    pub substitute: Option<Name>,
    /// The substitute whom the entrant named, if any.
    pub nominated: Option<Name>,
    /// The status of the entrant.
    pub status: Status,
    /// Whether the entrant agreed to the conditions in writing.
    pub agreed: bool,
    /// The amount paid, including buy-backs.
    pub paid: Cents,
    /// The part of it that the house keeps.
    pub kept: Cents,
    /// How often the entrant bought back in.
    pub buy_backs: u32,
    /// Points, in parts of [`POINT`].
    pub points: u64,
    /// The final place.
    pub place: Option<u32>,
    /// The prize.
    pub prize: Cents,
    /// Goods and services won.
    #[serde(default)]
    pub goods: Vec<String>,
}

/// The players of a stage, and its results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Its players.
    pub players: Vec<EntrantId>,
    /// Those who have no place at a table yet.
    pub waiting: Vec<EntrantId>,
    /// The number of sessions begun.
    pub sessions: u32,
    /// The players who advanced.
    pub winners: Vec<EntrantId>,
    /// The players who did not advance.
    pub losers: Vec<EntrantId>,
    /// The players among both who were compared across tables once all had played.
    #[serde(default)]
    pub runners_up: Vec<EntrantId>,
    /// Whether the stage is next or was played.
    pub opened: bool,
    /// Whether the stage is over.
    pub ended: bool,
}

/// A place that was given before a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allotment {
    /// The entrant.
    pub entrant: EntrantId,
    /// The table.
    pub table: u32,
    /// The seat.
    pub seat: u32,
    /// Whether the entrant is in the seat.
    pub there: bool,
}

/// A ballot that was committed to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ballot {
    /// The commitment.
    pub commitment: Digest,
    /// The words that players added, in order.
    pub added: Vec<String>,
}

/// The state of a tournament: the result of everything that has happened in it, without the book.
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
    /// Commitments whose secrets are known.
    pub(crate) used_ballots: Vec<Digest>,
    /// A ballot was abandoned: the places of this session are drawn by hand.
    pub(crate) by_hand: bool,
    /// A place that was drawn came free, and places may be drawn again.
    pub(crate) freed: bool,
    /// A ballot drew the places of the next session, so no seat was recorded by hand.
    #[serde(default)]
    pub(crate) balloted: bool,
    /// The places must be drawn again, by a new ballot.
    #[serde(default)]
    pub(crate) redraw: bool,
    /// The entrants who drew places by lot, in the order of each one's last draw.
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
    /// The phase of the event.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The conditions.
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

    /// The entrant for whom a person of that name plays, or the entrant of that name; of several
    /// applications, the last.
    #[must_use]
    pub fn entrant_named(&self, name: &str) -> Option<EntrantId> {
        let plays =
            |e: &Entrant| e.substitute.is_some_and(|substitute| substitute.as_str() == name);
        let id = |at: usize| u16::try_from(at).ok().map(EntrantId);
        let playing = || (0..self.entrants.len()).filter(|at| plays(&self.entrants[*at]));
        // A substitute for an entrant who is out may play for another.
        let in_it = playing().filter_map(id).find(|id| self.still_plays(*id));
        in_it.or_else(|| playing().find_map(id)).or_else(|| self.entrant_called(name))
    }

    /// The entrant of that name, regardless of substitutes; of several applications, the last.
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

    /// Whether an entrant is still in: neither eliminated nor out after a stage.
    #[must_use]
    pub fn still_plays(&self, id: EntrantId) -> bool {
        let last = self.stages.iter().rfind(|stage| stage.players.contains(&id));
        let behind = last.is_some_and(|stage| stage.losers.contains(&id));
        !behind && !self.is_eliminated(id)
    }

    /// Whether somebody of that name is entered, or plays for somebody who is still in it.
    #[must_use]
    pub fn has_part(&self, name: &Name) -> bool {
        let ids = (0..self.entrants.len()).filter_map(|i| u16::try_from(i).ok().map(EntrantId));
        let stands_in = |id: EntrantId| self.entrant(id).substitute.as_ref() == Some(name);
        self.entrant_called(name).is_some() || ids.filter(|id| self.still_plays(*id)).any(stands_in)
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

    /// The table as it was or is played at in the session of that time.
    #[must_use]
    pub fn sitting_at(&self, number: u32, at: Time) -> Option<&Sitting> {
        let mut own = self.sittings().filter(|sitting| sitting.number == number);
        let first = own.next()?;
        Some(own.take_while(|sitting| sitting.began <= at).last().unwrap_or(first))
    }

    /// Whether no card will be dealt at a table again in what was played there: nobody plays there,
    /// and the session that was played there last cannot be reopened, as something rests on it.
    #[must_use]
    pub fn is_through(&self, number: u32) -> bool {
        if matches!(self.phase, Phase::Ended | Phase::Cancelled) {
            return true;
        }
        let last = self.sittings().filter(|sitting| sitting.number == number).last();
        last.is_none_or(|last| {
            let rests = |other: &Sitting| {
                other.stage > last.stage || other.stage == last.stage && other.places.is_some()
            };
            !last.is_live() && self.sittings().any(rests)
        })
    }

    /// The table where an entrant sits now.
    #[must_use]
    pub fn sitting_of(&self, entrant: EntrantId) -> Option<&Sitting> {
        self.sittings().find(|sitting| sitting.is_live() && sitting.chair(entrant).is_some())
    }

    /// The places given for the next session.
    #[must_use]
    pub fn allotments(&self) -> &[Allotment] {
        &self.allotments
    }

    /// The amount in the pool.
    #[must_use]
    pub const fn pool(&self) -> Balance {
        self.pool
    }

    /// The amount that the house keeps.
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
