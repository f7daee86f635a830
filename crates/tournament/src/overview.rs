//! An overview of a tournament: where it stands, table by table, and who is how well placed.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use rules::{Balance, Cents};
use serde::Serialize;
use table::{Name, Time};

use crate::conditions::{Length, Ranking};
use crate::event::{EntrantId, OutWhy};
use crate::sitting::{Chair, Sitting, Stint};
use crate::state::{Entrant, Phase, State, Status};
use crate::tournament::Tournament;

/// The microseconds of a minute.
const MINUTE: u64 = 60_000_000;

/// Where a tournament stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// The name of the event, from its conditions.
    pub name: String,
    /// The phase of the event.
    pub phase: Phase,
    /// The time of the last event.
    pub now: Time,
    /// The director.
    pub director: Option<Name>,
    /// The director is away.
    pub director_away: bool,
    /// The stage that is next or in play.
    pub stage: Option<StageNow>,
    /// The time at which the next session starts, if one is set.
    pub start: Option<Time>,
    /// Play stops until this time.
    pub rests: Option<Time>,
    /// The tables in play, by number.
    pub tables: Vec<TableNow>,
    /// The players, the best placed first.
    pub standings: Vec<Standing>,
    /// The amount in the pool.
    pub pool: Balance,
    /// The amount that the house keeps.
    pub commission: Balance,
}

/// The stage that is next or in play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageNow {
    /// Its number, from 1.
    pub number: usize,
    /// The number of stages.
    pub of: usize,
    /// Its name.
    pub name: String,
    /// The session that is in play or was played last, from 1; 0 before the first.
    pub session: u32,
    /// Its players.
    pub players: usize,
    /// Its players who have yet to play.
    pub waiting: usize,
}

/// The kind of play at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Play {
    /// The session.
    Session,
    /// A play-off that is due.
    PlayOffDue,
    /// A play-off.
    PlayOff,
    /// A coup that is judged again.
    JudgedAgain,
}

/// How much is left of the play at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Left {
    /// This number of coups with wagers.
    Coups(u32),
    /// This number of shoes, the current one included.
    Shoes(u32),
    /// Until this time; a coup that has begun is finished.
    Until(Time),
    /// Until the players are no longer level.
    UntilApart,
    /// Until the director announces the last coup.
    UntilAnnounced,
    /// Nothing: a play-off is due, or a coup is judged again.
    Nothing,
}

/// A table in play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableNow {
    /// Its number.
    pub number: u32,
    /// The kind of play.
    pub play: Play,
    /// What the table itself waits for.
    pub phase: table::Phase,
    /// The coups with wagers and a result in the current play.
    pub coups: u32,
    /// How much is left of it.
    pub left: Left,
    /// The coming or current coup is the last.
    pub last: bool,
    /// The minimum of a wager on a hand.
    pub minimum: Cents,
    /// The limits have risen.
    pub raised: bool,
    /// The seat of the marker.
    pub marker: Option<u32>,
    /// The seat of the player who is to wager.
    pub turn: Option<u32>,
    /// When the time to wager is up, if it runs.
    pub until: Option<Time>,
    /// A correction waits for a second person.
    pub correction: bool,
    /// Its seats.
    pub seats: Vec<SeatNow>,
}

/// How it is with the player of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum At {
    /// The player is to wager.
    InTurn,
    /// The player is in the seat.
    There,
    /// The player has not come yet.
    Late,
    /// The player is away.
    Away,
    /// The player is in the session, and not in the play-off.
    LooksOn,
    /// The player is out of the session.
    Out(OutWhy),
}

/// A seat of a table in play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatNow {
    /// The seat.
    pub seat: u32,
    /// The entrant.
    pub entrant: EntrantId,
    /// The entrant's name.
    pub name: Name,
    /// The substitute who plays, if any.
    pub substitute: Option<Name>,
    /// The chips in front of the player.
    pub chips: Balance,
    /// The chips that the player has on the layout.
    pub wagered: Balance,
    /// The player handed in a form in this round.
    pub form: bool,
    /// How it is with the player.
    pub at: At,
}

/// How an entrant stands in the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// The entrant plays at this table.
    Plays(u32),
    /// The entrant is in, and waits for a session.
    Waits,
    /// The entrant is out after this stage, counted from 1.
    Out(usize),
    /// The entrant withdrew, lost the place or was disqualified.
    Gone,
    /// The entrant has a final place.
    Placed(u32),
}

/// An entrant in the standings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// The rank at this moment, from 1; entrants who are level share it.
    pub rank: u32,
    /// The entrant.
    pub entrant: EntrantId,
    /// The name.
    pub name: Name,
    /// How the entrant stands.
    pub is: Fate,
    /// The chips: at the table, or at the end of the last session.
    pub chips: Balance,
    /// Points, in parts of [`crate::POINT`].
    pub points: u64,
    /// The number of buy-backs.
    pub buy_backs: u32,
    /// The prize.
    pub prize: Cents,
    /// Goods and services won.
    pub goods: Vec<String>,
}

/// What places an entrant: the larger, the better.
type Worth = (u8, u64, i64, i64);

impl Tournament {
    /// An overview of the event, its tables and its players.
    #[must_use]
    pub fn overview(&self) -> Overview {
        let mut tables: Vec<_> = self.sittings().filter(|s| s.is_live()).collect();
        tables.sort_by_key(|sitting| sitting.number);
        let name = self.conditions().map_or_else(String::new, |c| c.name.clone());
        Overview {
            name,
            phase: self.phase,
            now: self.now,
            director: self.director,
            director_away: self.director_away,
            stage: self.state().stage_now(),
            start: self.start.filter(|_| self.phase < Phase::Ended),
            rests: self.rests,
            tables: tables.into_iter().map(|sitting| self.state().table_now(sitting)).collect(),
            standings: self.state().standings_now(),
            pool: self.pool,
            commission: self.commission,
        }
    }
}

impl State {
    fn stage_now(&self) -> Option<StageNow> {
        let stage = self.current_stage()?;
        let progress = &self.stages[stage];
        Some(StageNow {
            number: stage + 1,
            of: self.stages.len(),
            name: self.stage_name(stage),
            session: progress.sessions,
            players: progress.players.len(),
            waiting: progress.waiting.len(),
        })
    }

    fn table_now(&self, sitting: &Sitting) -> TableNow {
        let play = match sitting.stint {
            Stint::Session | Stint::Done => Play::Session,
            Stint::PlayOffDue(_) => Play::PlayOffDue,
            Stint::PlayOff(_) => Play::PlayOff,
            Stint::Over => Play::JudgedAgain,
        };
        // In a coup without wagers nobody is asked for one.
        let open = sitting.table.phase() == table::Phase::Betting && !sitting.table.is_no_bet();
        let turn = if open && play != Play::PlayOffDue {
            sitting.to_wager().map(|chair| chair.seat)
        } else {
            None
        };
        let limit = sitting.limit.filter(|_| turn.is_some() && turn == sitting.turn);
        let waived = |chair: &Chair| chair.waived && Some(chair.seat) == turn;
        let waived = sitting.waived || sitting.chairs.iter().any(waived);
        let until = limit.filter(|_| !waived).map(|limit| sitting.since.saturating_add(limit));
        TableNow {
            number: sitting.number,
            play,
            phase: sitting.table.phase(),
            coups: sitting.coups,
            left: self.left(sitting),
            last: self.is_last_coup(sitting),
            minimum: sitting.minimum(),
            raised: sitting.raised,
            marker: sitting.marker,
            turn,
            until,
            correction: sitting.correction.is_some(),
            seats: self.seats_now(sitting, turn),
        }
    }

    fn left(&self, sitting: &Sitting) -> Left {
        match (sitting.stint, self.length(sitting.stage)) {
            (Stint::Session, Some(Length::Coups(coups))) | (Stint::PlayOff(Some(coups)), _) => {
                Left::Coups(coups.saturating_sub(sitting.coups))
            }
            (Stint::Session, Some(Length::Shoes(shoes))) => {
                Left::Shoes(shoes.saturating_sub(sitting.shoes))
            }
            (Stint::Session, Some(Length::Minutes(minutes))) => {
                Left::Until(sitting.began.saturating_add(u64::from(minutes) * MINUTE))
            }
            (Stint::Session, None) => Left::UntilAnnounced,
            (Stint::PlayOff(None), _) => Left::UntilApart,
            (Stint::PlayOffDue(_) | Stint::Over | Stint::Done, _) => Left::Nothing,
        }
    }

    fn seats_now(&self, sitting: &Sitting, turn: Option<u32>) -> Vec<SeatNow> {
        let mut chairs: Vec<_> = sitting.chairs.iter().collect();
        chairs.sort_by_key(|chair| chair.seat);
        let seats = chairs.into_iter().map(|chair| {
            let who = self.entrant(chair.entrant);
            let at = match chair.out {
                Some((_, why)) => At::Out(why),
                None if !chair.plays => At::LooksOn,
                None if chair.late.is_some() => At::Late,
                None if chair.absent => At::Away,
                None if turn == Some(chair.seat) => At::InTurn,
                None => At::There,
            };
            let chips = sitting.stack(chair);
            SeatNow {
                seat: chair.seat,
                entrant: chair.entrant,
                name: who.name,
                substitute: who.substitute,
                chips,
                wagered: sitting.chips(chair) - chips,
                form: chair.form.is_some(),
                at,
            }
        });
        seats.collect()
    }

    /// The entrants who took part, the best placed first.
    fn standings_now(&self) -> Vec<Standing> {
        let took_part = |who: &Entrant| match who.status {
            Status::Entered | Status::Withdrawn | Status::Forfeited | Status::Disqualified => true,
            Status::Applied | Status::Refused | Status::Reserve => false,
        };
        let ids = (0..self.entrants.len()).filter_map(|at| u16::try_from(at).ok().map(EntrantId));
        let ids = ids.filter(|id| took_part(self.entrant(*id)));
        let mut worth: Vec<(Worth, EntrantId)> = ids.map(|id| (self.worth(id), id)).collect();
        worth.sort_by_key(|(worth, id)| (Reverse(*worth), *id));
        let better = |than: Worth| worth.iter().filter(|(worth, _)| *worth > than).count();
        let ranked = worth.iter().map(|(worth, id)| {
            let rank = u32::try_from(better(*worth) + 1).unwrap_or(u32::MAX);
            self.standing(rank, *id)
        });
        ranked.collect()
    }

    /// The last table at which an entrant played or plays, and the chair there.
    fn last_chair(&self, id: EntrantId) -> Option<(&Sitting, &Chair)> {
        let chairs = self.sittings().filter_map(|sitting| Some((sitting, sitting.chair(id)?)));
        chairs.last()
    }

    fn worth(&self, id: EntrantId) -> Worth {
        let who = self.entrant(id);
        let by_points = self.conditions().is_some_and(|c| c.ranking == Ranking::Points);
        let points = if by_points { who.points } else { 0 };
        let last = self.last_chair(id);
        let chips = last.map_or(0, |(sitting, chair)| chips_of(sitting, chair).get());
        match self.fate(id) {
            Fate::Placed(place) => (4, points, -i64::from(place), 0),
            Fate::Plays(_) => (3, points, 1, chips),
            Fate::Waits => (3, points, 0, 0),
            Fate::Out(stage) => {
                // Who was eliminated comes after all who were not, and lasted so many coups.
                let lasted = last.and_then(|(_, chair)| chair.out).map(|(coup, _)| coup);
                let lasted = lasted.map_or(chips.saturating_add(i64::from(u32::MAX)), i64::from);
                (2, points, i64::try_from(stage).unwrap_or(i64::MAX), lasted)
            }
            Fate::Gone => (1, points, 0, 0),
        }
    }

    fn fate(&self, id: EntrantId) -> Fate {
        let who = self.entrant(id);
        if let Some(place) = who.place {
            return Fate::Placed(place);
        }
        if who.status != Status::Entered {
            return Fate::Gone;
        }
        let last = self.last_chair(id);
        if let Some((sitting, _)) = last.filter(|(s, chair)| s.is_live() && chair.out.is_none()) {
            return Fate::Plays(sitting.number);
        }
        match last {
            Some((sitting, _)) if !self.still_plays(id) => Fate::Out(sitting.stage + 1),
            Some((sitting, chair)) if sitting.is_live() && chair.out.is_some() => {
                Fate::Out(sitting.stage + 1)
            }
            Some(_) | None => Fate::Waits,
        }
    }

    fn standing(&self, rank: u32, id: EntrantId) -> Standing {
        let who = self.entrant(id);
        let last = self.last_chair(id);
        Standing {
            rank,
            entrant: id,
            name: who.name,
            is: self.fate(id),
            chips: last.map_or(Balance::ZERO, |(sitting, chair)| chips_of(sitting, chair)),
            points: who.points,
            buy_backs: who.buy_backs,
            prize: who.prize,
            goods: who.goods.clone(),
        }
    }
}

/// The chips of a chair: now, or when they were collected.
fn chips_of(sitting: &Sitting, chair: &Chair) -> Balance {
    if sitting.is_live() { sitting.chips(chair) } else { chair.chips }
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;

    use super::*;
    use crate::rehearse::Rehearsal;

    #[test]
    fn whoever_has_most_chips_leads_and_the_table_says_what_is_left() {
        let conditions = "chips = 1000\nlimits = { main = \"50..500\" }\nprizes = [\"100%\"]\n\
                          [stages.final]\nfrom = \"entrants\"\nseats = 7\ncoups = 5\n";
        let book = Arc::new(rulebooks::load("act-2012", None).unwrap().rulebook);
        let words = (0u32..).map(|i| i.wrapping_mul(2_654_435_761));
        let mut rehearsal = Rehearsal::new(&book, words);
        rehearsal.prepare(&toml::from_str(conditions).unwrap(), 3).unwrap();
        let before = rehearsal.tournament.overview();
        assert!(before.tables.is_empty());
        assert!(before.standings.iter().all(|one| one.rank == 1 && one.is == Fate::Waits));
        while rehearsal.tournament.sitting(1).is_none_or(|sitting| sitting.coups < 2) {
            rehearsal.round().unwrap();
        }
        let now = rehearsal.tournament.overview();
        assert_eq!(now.stage.map(|stage| (stage.number, stage.session)), Some((1, 1)));
        let table = &now.tables[0];
        assert_eq!((table.coups, table.left, table.last), (2, Left::Coups(3), false));
        assert_eq!(table.turn, table.marker);
        let at = |seat: &SeatNow| (seat.at == At::InTurn) == (Some(seat.seat) == table.turn);
        assert!(table.seats.iter().all(at));
        let chips: Vec<_> = now.standings.iter().map(|one| one.chips).collect();
        assert!(chips.is_sorted_by(|a, b| a >= b), "{chips:?}");
        while rehearsal.tournament.phase() == Phase::Playing {
            rehearsal.round().unwrap();
        }
        let after = rehearsal.tournament.overview();
        assert_eq!((after.standings[0].rank, after.standings[0].is), (1, Fate::Placed(1)));
        assert!(after.tables.is_empty() && after.stage.is_none());
    }
}
