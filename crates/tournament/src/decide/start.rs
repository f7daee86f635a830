//! The start of a session: players who are in their seats, players who are not, and reserves.

use alloc::format;
use alloc::vec::Vec;

use rules::book::{NotThere, Order};
use rules::{Cents, Clause};
use table::{Code, Deed, Fact as TableFact, Name, Refusal, SignLine, no};

use super::{Draft, of};
use crate::conditions::{Moment, Sign};
use crate::event::{EntrantId, Fact, Keeping, OutWhy, Seat};
use crate::plan::spread;
use crate::sitting::Sitting;
use crate::state::{Allotment, Status};
use crate::written::Written as _;

impl Draft<'_> {
    /// Starts the session for which places were given.
    pub(super) fn start(&mut self) -> Result<(), Refusal> {
        let stage = self.stage_to_seat()?;
        self.check_no_ballot()?;
        let event = self.rules.event;
        if self.t.allotments.is_empty() {
            let clause = Some(event.seating.clause);
            return no(Code::NotYet, clause, "no places are given", "draw them first");
        }
        if let Some(start) = self.t.start.filter(|start| self.at < *start) {
            let what =
                format!("it starts at {}, and players may come until then", Moment(start).write());
            let clause = Some(event.not_there.clause);
            return no(Code::NotYet, clause, what, "wait, or alter the start with notice");
        }
        self.check_all_seated(stage)?;
        self.check_director()?;
        self.check_no_correction(None)?;
        let Some(chips) = self.conditions()?.chips_of(stage) else {
            let what = "how many chips a player starts with is not stated";
            let clause = of(&self.rules.conditions.chips);
            return no(Code::NotYet, clause, what, "cancel, and state it next time");
        };
        let session = self.t.stages[stage].sessions + 1;
        let clauses = [of(&event.applies), Some(event.session.clause)];
        self.push(Fact::SessionStarted { stage, session }, &clauses);
        self.keep_rules(stage);
        let mut places = self.t.allotments.clone();
        places.sort_by_key(|place| (place.table, place.seat));
        let mut tables: Vec<u32> = places.iter().map(|place| place.table).collect();
        tables.dedup();
        for table in tables {
            self.open_table(table, stage)?;
            for place in places.iter().filter(|place| place.table == table) {
                self.seat(*place, chips)?;
            }
            self.first_marker(table);
        }
        Ok(())
    }

    /// Refuses to leave players without a place if they would need more sessions than planned. The
    /// number of players at each table is not checked here: director or operator decide it.
    pub(super) fn check_all_seated(&self, stage: usize) -> Result<(), Refusal> {
        let waiting = &self.t.stages[stage].waiting;
        let (seats, most) = self.room(stage)?;
        let named = u32::try_from(self.t.tables.len()).ok().filter(|n| *n > 0);
        let most = most.into_iter().chain(named).min();
        let sessions = |players: usize| match players {
            0 => 0,
            players => spread(u32::try_from(players).unwrap_or(u32::MAX), seats, most).len(),
        };
        let placed = |id: &&EntrantId| self.t.allotments.iter().any(|a| a.entrant == **id);
        let left = waiting.len() - waiting.iter().filter(placed).count();
        let as_they_fill = self.conditions()?.sit_and_go.is_some();
        if as_they_fill || sessions(left) < sessions(waiting.len()) {
            return Ok(());
        }
        let without = waiting.iter().find(|id| !placed(id));
        let name = without.map_or("somebody", |id| self.who(*id).name.as_str());
        let what = format!("{name} has no place, and there is room");
        let clause = Some(self.rules.event.seating.clause);
        no(Code::NotYet, clause, what, "give everybody a place first")
    }

    /// Checks that the director is named, and is present where the book requires it.
    pub(super) fn check_director(&self) -> Result<(), Refusal> {
        if let (Some(rule), true) = (self.rules.event.director_present, self.t.director_away) {
            let what = "the director is not there";
            return no(Code::NotYet, Some(rule.clause), what, "`director returns` comes first");
        }
        Ok(())
    }

    fn keep_rules(&mut self, stage: usize) {
        let Ok(conditions) = self.conditions() else { return };
        let (live, last) = (conditions.live, stage + 1 == conditions.stages.0.len());
        let (chips, prizes) = (self.rules.chips, self.rules.prizes);
        let kind = if live { of(&chips.live) } else { of(&chips.equal_chance) };
        self.push(Fact::Kept(Keeping::ChipsApart), &[Some(chips.apart.clause), of(&chips.wagered)]);
        self.push(
            Fact::Kept(Keeping::ChipsInView),
            &[Some(chips.in_view.clause), of(&chips.displayed), of(&chips.untouched)],
        );
        let equal = [of(&chips.equal_start), kind, of(&self.rules.conditions.chips)];
        self.push(Fact::Kept(Keeping::EqualStart), &equal);
        if !last {
            let clauses = [of(&prizes.advance), of(&prizes.advance_set)];
            self.push(Fact::Kept(Keeping::Advance), &clauses);
        }
        if self.rules.event.director_present.is_some() {
            let clauses = [of(&self.rules.event.director_present)];
            self.push(Fact::Kept(Keeping::Director), &clauses);
        }
    }

    fn open_table(&mut self, number: u32, stage: usize) -> Result<(), Refusal> {
        let event = self.rules.event;
        let number_set = of(&event.players_a_table).or(Some(event.seating.clause));
        self.push(Fact::TableOpened(number), &[number_set]);
        let seats = self.conditions()?.stages.0[stage].seats;
        self.set_up(number, stage, seats)
    }

    /// Opens the table itself, with the sign of the stage.
    pub(super) fn set_up(&mut self, number: u32, stage: usize, seats: u32) -> Result<(), Refusal> {
        let conditions = self.conditions()?;
        let face_down = self.rules.wagers.player_cards.is_some();
        let options = table::Options { face_down, ..conditions.options(seats) };
        let sign = conditions.limits_of(stage).cloned().unwrap_or_default();
        self.table_acts(number, table::Act::Open(options))?;
        self.post(number, &sign)
    }

    fn post(&mut self, number: u32, sign: &Sign) -> Result<(), Refusal> {
        for (group, limits) in &sign.0 {
            let posting = SignLine::Limits(*group, *limits);
            self.table_acts(number, table::Act::Post(posting))?;
        }
        Ok(())
    }

    /// Seats a player, or rules on a player who has not come.
    fn seat(&mut self, place: Allotment, chips: Cents) -> Result<(), Refusal> {
        let Allotment { entrant, table, seat, there } = place;
        let event = self.rules.event;
        let live = self.conditions()?.live;
        let start = of(&self.rules.chips.equal_start);
        let missing = Some(event.not_there.clause).filter(|_| !there);
        let is = Seat::from(there);
        self.push(Fact::ChairTaken { table, seat, entrant, is }, &[start, missing]);
        let lost = match event.not_there.value {
            NotThere::Forfeited | NotThere::MinimumDeducted(_) if there => None,
            NotThere::Forfeited => Some(event.not_there.clause),
            NotThere::MinimumDeducted(_) if live => {
                of(&event.not_there_live).or(Some(event.not_there.clause))
            }
            NotThere::MinimumDeducted(_) => None,
        };
        if let Some(clause) = lost {
            return self.forfeit(table, entrant, &[Some(clause)]);
        }
        self.bring_chips(table, seat, entrant, chips)
    }

    pub(super) fn bring_chips(
        &mut self,
        table: u32,
        seat: u32,
        entrant: EntrantId,
        chips: Cents,
    ) -> Result<(), Refusal> {
        let name = self.who(entrant).name;
        self.table_acts(table, table::Act::Player(name, Deed::Sit(seat, chips)))?;
        let missing = self.chair(entrant).ok().filter(|(_, chair)| chair.is_missing());
        if let Some(player) = missing.and_then(|(_, chair)| chair.player) {
            let clauses = [Some(self.rules.event.not_there.clause)];
            self.direct_at(table, &clauses, |by| by.event(TableFact::Away(player)));
        }
        Ok(())
    }

    /// Takes the place of a player who has not come; the fee stays in the pool.
    pub(super) fn forfeit(
        &mut self,
        table: u32,
        id: EntrantId,
        clauses: &[Option<Clause>],
    ) -> Result<(), Refusal> {
        self.take_out(table, id, OutWhy::NotThere, clauses)?;
        self.push(Fact::Forfeited(id), clauses);
        if self.who(id).paid > Cents::ZERO {
            self.push(Fact::FeeForfeited(id), clauses);
        }
        if let Some(rule) = self.rules.event.not_there_secondary {
            self.push(Fact::MayEnterSecondary(id), &[Some(rule.clause)]);
        }
        Ok(())
    }

    fn first_marker(&mut self, table: u32) {
        if let Some(seat) = self.t.sitting(table).and_then(Sitting::first_seat) {
            self.push(Fact::MarkerAt { table, seat }, &[Some(self.rules.wagers.order.clause)]);
        }
    }

    /// Places the marker. In the ACT it may start anywhere; the puck starts at the dealer's right.
    pub(super) fn place_marker(&mut self, table: Option<u32>, seat: u32) -> Result<(), Refusal> {
        let rule = self.rules.wagers.order;
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        let before = sitting.coups == 0 && sitting.table.wagers().is_empty();
        let there = sitting.active().any(|chair| chair.seat == seat && !chair.is_missing());
        if rule.value == Order::AnticlockwiseFromPuck || !before || !there {
            let what = format!("the marker before seat {seat}");
            let instead = match (rule.value, there) {
                (_, false) => "allowed: a seat with a player who is there",
                (Order::ClockwiseFromMarker, _) => "allowed before the first wager of the session",
                (Order::AnticlockwiseFromPuck, _) => {
                    "it starts with the player at the dealer's right"
                }
            };
            return no(Code::NotTheirTurn, Some(rule.clause), what, instead);
        }
        self.push(Fact::MarkerAt { table: number, seat }, &[Some(rule.clause)]);
        Ok(())
    }

    /// Gives the seat of a player who did not come to a reserve.
    pub(super) fn offer_seat(&mut self, from: Name, to: Name) -> Result<(), Refusal> {
        let (from, to) = (self.named(from)?, self.named(to)?);
        let Some(rule) = self.rules.event.reserve else {
            let what = "the book gives no seat to a reserve";
            let clause = Some(self.rules.event.not_there.clause);
            return no(Code::NotInTheBook, clause, what, "the seat stays empty");
        };
        let clause = Some(rule.clause);
        let chair = self.chair(from).map(|(sitting, chair)| {
            let open = sitting.dealt == 0 && sitting.stage == 0;
            (sitting.number, chair.seat, open && chair.out.is_some_and(|o| o.1 == OutWhy::NotThere))
        });
        let Ok((table, seat, true)) = chair else {
            let what = format!("{} has no seat to be given away", self.who(from).name);
            let instead = "after the start of the first session and before its first coup, the \
                           seat of a player who did not come can be";
            return no(Code::NotEligible, clause, what, instead);
        };
        if !matches!(self.who(to).status, Status::Reserve | Status::Applied) {
            let what = format!("{} is no reserve", self.who(to).name);
            return no(Code::NotEligible, clause, what, "allowed: a reserve");
        }
        let Some(chips) = self.conditions()?.chips_of(0) else {
            return Self::wrong_moment("no chips are stated", "state them");
        };
        self.check_agreed(to)?;
        self.take_fee(to)?;
        self.push(Fact::SeatTakenOver { from, to }, &[clause]);
        self.bring_chips(table, seat, to, chips)?;
        self.first_marker(table);
        Ok(())
    }
}
