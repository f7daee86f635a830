//! Places: the next stage, the draw, and taking seats in time.

use alloc::format;
use alloc::vec::Vec;

use rules::Clause;
use rules::book::{BeforeEntries, Commencement, NotThere, Seating};
use shoe::Digest;
use table::{Code, Name, Refusal, Time, no};

use super::{Draft, of};
use crate::ballot;
use crate::conditions::{Moment, Ranking, Source};
use crate::event::{EntrantId, Fact, Lot, Seat};
use crate::plan::spread;
use crate::sitting::Sitting;
use crate::state::{Phase, Status};
use crate::written::Written as _;

impl Draft<'_> {
    pub(super) fn close_entries(&mut self) -> Result<(), Refusal> {
        if self.t.phase != Phase::Entries {
            return Self::wrong_moment("no entries are taken", "open them first");
        }
        let event = self.rules.event;
        if event.wants(BeforeEntries::Told) && !self.t.told {
            let what = "applicants were not told the conditions of play";
            let instead = "`director tells the conditions` comes first";
            return no(Code::NotYet, of(&event.conditions_told), what, instead);
        }
        let entered: Vec<_> = self.ids(|status| status == Status::Entered);
        let least = self.conditions()?.players.map_or(1, |players| players.least) as usize;
        if entered.len() < least {
            let what =
                format!("{} players, and the conditions have at least {least}", entered.len());
            let instead = "wait for more, or cancel: all fees go back then";
            return no(Code::TooFew, of(&self.rules.conditions.players), what, instead);
        }
        self.push(Fact::EntriesClosed, &[]);
        self.open_stage(0);
        Ok(())
    }

    fn ids(&self, wanted: impl Fn(Status) -> bool) -> Vec<EntrantId> {
        let entrants = self.t.entrants.iter().enumerate();
        let ids = entrants.filter(|(_, entrant)| wanted(entrant.status));
        ids.filter_map(|(i, _)| u16::try_from(i).ok().map(EntrantId)).collect()
    }

    /// Opens a stage with the players from its sources; a stage without players is skipped.
    pub(super) fn open_stage(&mut self, stage: usize) {
        let Some(conditions) = self.t.conditions.clone() else { return };
        let Some(of_stage) = conditions.stages.0.get(stage) else { return };
        let rules = self.rules;
        let late = rules.event.not_there_secondary.is_some() && of_stage.secondary;
        // An eliminated player is out of the tournament, unless book and conditions give a second
        // chance.
        let brought_back = rules.prizes.secondary.is_some();
        let mut players: Vec<EntrantId> = Vec::new();
        let mut second = false;
        for source in &of_stage.from {
            let progress = |name: &str| conditions.stage(name).and_then(|i| self.t.stages.get(i));
            let from: Vec<_> = match source {
                Source::Entrants => self.ids(|status| status == Status::Entered),
                Source::Winners(name) => {
                    progress(name).map_or_else(Vec::new, |p| p.winners.clone())
                }
                Source::Losers(name) => {
                    second = true;
                    progress(name).map_or_else(Vec::new, |p| p.losers.clone())
                }
                Source::Leaders(number) => self.leaders(*number as usize),
            };
            let back = brought_back && matches!(source, Source::Losers(_));
            players.extend(from.into_iter().filter(|id| back || !self.t.is_eliminated(*id)));
        }
        let mut seen = Vec::new();
        players.retain(|id| {
            let fresh = !seen.contains(id);
            seen.push(*id);
            let status = self.who(*id).status;
            fresh && (status == Status::Entered || (late && status == Status::Forfeited))
        });
        let secondary = of(&rules.prizes.secondary).or(of(&rules.conditions.repechage));
        let progression = of(&rules.conditions.progression).or(of(&rules.prizes.advance_set));
        let clauses = [
            of(&rules.conditions.structure).filter(|_| stage == 0),
            progression.filter(|_| stage > 0 && !second),
            secondary.filter(|_| second),
        ];
        let nobody = players.is_empty();
        self.end_standing_in(&players);
        self.push(Fact::StageOpened { stage, players }, &clauses);
        if nobody {
            self.push(Fact::StageEnded(stage), &[]);
            self.open_stage(stage + 1);
        }
    }

    /// A player who plays again no longer plays as a substitute.
    fn end_standing_in(&mut self, players: &[EntrantId]) {
        for id in self.ids(|status| status == Status::Entered) {
            let substitute = self.who(id).substitute;
            let plays = |name: Name| self.t.entrant_called(&name);
            if substitute.and_then(plays).is_some_and(|other| players.contains(&other)) {
                let clause = Some(self.rules.event.substitute.clause);
                self.push(Fact::Substituted(id, self.who(id).name), &[clause]);
            }
            if players.contains(&id) {
                self.free_substitute(id, players);
            }
        }
    }

    /// A player who is in again plays without the substitute, if that person plays for another
    /// since: for one who is in, or one of these.
    pub(super) fn free_substitute(&mut self, id: EntrantId, players: &[EntrantId]) {
        let Some(substitute) = self.who(id).substitute else { return };
        let others = self.ids(|status| status == Status::Entered).into_iter();
        let mut others = others.filter(|other| *other != id);
        let busy = others.any(|other| {
            let plays = self.t.still_plays(other) || players.contains(&other);
            plays && self.who(other).substitute == Some(substitute)
        });
        if busy {
            let clause = Some(self.rules.event.substitute.clause);
            self.push(Fact::Substituted(id, self.who(id).name), &[clause]);
        }
    }

    /// The players with the most points, and those who are level with the last of them.
    fn leaders(&self, number: usize) -> Vec<EntrantId> {
        let mut ids = self.ids(|status| status == Status::Entered);
        ids.retain(|id| !self.t.is_eliminated(*id));
        ids.sort_by_key(|id| core::cmp::Reverse(self.who(*id).points));
        let last = number.checked_sub(1).and_then(|last| ids.get(last)).copied();
        // Players who are level with the last of them play too.
        let fewest = last.map_or(0, |last| self.who(last).points);
        ids.retain(|id| self.who(*id).points >= fewest);
        ids
    }

    /// The next stage, while no table of it is in play.
    pub(super) fn stage_to_seat(&self) -> Result<usize, Refusal> {
        if self.t.phase != Phase::Playing {
            return Self::wrong_moment("entries are not closed", "close them first");
        }
        let as_they_fill = self.conditions()?.sit_and_go.is_some();
        if self.t.sittings().any(Sitting::is_live) && !as_they_fill {
            let clause = Some(self.rules.event.seating.clause);
            return no(Code::WrongMoment, clause, "tables are in play", self.what_is_due());
        }
        match self.t.current_stage() {
            Some(stage) => Ok(stage),
            None => Self::wrong_moment("no stage is left", "award the prizes"),
        }
    }

    pub(super) fn move_start(&mut self, to: Time) -> Result<(), Refusal> {
        let Some(rule) = self.rules.event.start_altered else {
            let what = "the book has no word on altering a starting time";
            let clause = of(&self.rules.conditions.start);
            return no(Code::NotInTheBook, clause, what, "keep to the published time");
        };
        let passed = self.is_past_the_start() && self.loses_by_the_clock()?.is_some();
        if self.t.sittings().any(Sitting::is_live) || to <= self.at || passed {
            let what = format!("the start is moved to {}", Moment(to).write());
            let instead = "allowed: a later time, with notice, before the time that was set";
            return no(Code::WrongMoment, Some(rule.clause), what, instead);
        }
        self.push(Fact::StartMoved(to), &[Some(rule.clause)]);
        Ok(())
    }

    /// Refuses changes to anything that a committed ballot depends on.
    pub(super) fn check_no_ballot(&self) -> Result<(), Refusal> {
        if self.t.ballot.is_none() {
            return Ok(());
        }
        let clause = Some(self.rules.event.seating.clause);
        let what = "a ballot is committed to";
        no(Code::ByBallot, clause, what, "reveal it first, or abandon it")
    }

    pub(super) fn name_tables(&mut self, tables: &[u32]) -> Result<(), Refusal> {
        self.check_no_ballot()?;
        let mut sorted = tables.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.is_empty() || sorted.len() < tables.len() || sorted[0] == 0 {
            let clause = of(&self.rules.event.tables);
            return no(Code::WhichTable, clause, "a table twice, or none", "name each once");
        }
        self.push(Fact::TablesNamed(tables.to_vec()), &[of(&self.rules.event.tables)]);
        Ok(())
    }

    pub(super) fn players_a_table(&mut self, number: u32) -> Result<(), Refusal> {
        self.check_no_ballot()?;
        let stage = self.stage_to_seat()?;
        let conditions = self.conditions()?;
        let of_stage = &conditions.stages.0[stage];
        let waiting = u32::try_from(self.t.stages[stage].waiting.len()).unwrap_or(u32::MAX);
        let last = stage + 1 == conditions.stages.0.len();
        let by_chips = of_stage.points.is_empty() && conditions.ranking == Ranking::Chips;
        let parts_the_last = last && by_chips && waiting > number;
        let what = format!("{number} at a table of {}", of_stage.name);
        if number == 0 || number > of_stage.seats {
            let clause =
                of(&self.rules.event.players_a_table).or(of(&self.rules.conditions.tables));
            let instead = format!("allowed: 1 to {}", of_stage.seats);
            return no(Code::NoSuchSeat, clause, what, instead);
        }
        if parts_the_last {
            let rules = self.rules.conditions;
            let clause = of(&rules.tables).or(of(&rules.structure));
            let instead = format!("all {waiting} play at one table, for one winner");
            return no(Code::NoSuchSeat, clause, what, instead);
        }
        self.push(Fact::PlayersATable(number), &[of(&self.rules.event.players_a_table)]);
        Ok(())
    }

    pub(super) fn commit_ballot(&mut self, commitment: Digest) -> Result<(), Refusal> {
        self.stage_to_seat()?;
        if self.t.ballot.is_some() {
            let instead = "reveal it, or `director abandons the ballot`";
            return Self::wrong_moment("places are being drawn", instead);
        }
        if self.t.by_hand {
            let clause = Some(self.rules.event.seating.clause);
            let what = "the ballot of this session was abandoned";
            let instead =
                "draw by hand, where everybody sees it: `director draws NAME to table 1 seat 1`";
            return no(Code::ByBallot, clause, what, instead);
        }
        if self.t.used_ballots.contains(&commitment) {
            let clause = Some(self.rules.event.seating.clause);
            let what = "everybody knows the secret of that ballot";
            return no(Code::BadBallot, clause, what, "commit to words that nobody knows");
        }
        self.push(Fact::BallotCommitted(commitment), &[Some(self.rules.event.seating.clause)]);
        Ok(())
    }

    pub(super) fn abandon_ballot(&mut self) -> Result<(), Refusal> {
        if self.t.ballot.is_none() {
            return Self::wrong_moment("no ballot was committed to", "commit to one");
        }
        self.push(Fact::BallotAbandoned, &[Some(self.rules.event.seating.clause)]);
        Ok(())
    }

    pub(super) fn add_to_ballot(&mut self, name: Name, words: &str) -> Result<(), Refusal> {
        let id = self.named(name)?;
        if self.t.ballot.is_none() {
            return Self::wrong_moment("no ballot was committed to", "allowed after that");
        }
        let clause = Some(self.rules.event.seating.clause);
        self.push(Fact::BallotAdded(id, words.into()), &[clause]);
        Ok(())
    }

    /// Draws places for as many of the waiting players as the next session takes.
    pub(super) fn reveal_ballot(&mut self, secret: &str) -> Result<(), Refusal> {
        let stage = self.stage_to_seat()?;
        let seating = Some(self.rules.event.seating.clause);
        let committed = self.t.ballot.clone();
        let Some(drawn) = committed.filter(|b| b.commitment == ballot::commitment(secret)) else {
            let what = "that is not what was committed to";
            let instead =
                "allowed: the same words; if they are lost, `director abandons the ballot`";
            return no(Code::BadBallot, seating, what, instead);
        };
        let tables = self.usable_tables(stage)?;
        let mut waiting = self.t.stages[stage].waiting.clone();
        let (seats, most) = self.room(stage)?;
        let most = most.map_or(tables.len(), |most| tables.len().min(most as usize));
        let most = u32::try_from(most).ok();
        let number = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
        let sizes = spread(number, seats, most).into_iter().next().unwrap_or_default();
        if ballot::draw(&mut waiting, secret, &drawn.added).is_err() {
            return no(Code::BadBallot, seating, "the draw has no end", "commit to other words");
        }
        self.push(Fact::BallotRevealed(secret.into()), &[seating]);
        let session = self.t.stages[stage].sessions + 1;
        if let Some(rule) = self.rules.event.sessions_allotted {
            self.push(Fact::SessionAllotted(session), &[Some(rule.clause)]);
        }
        let mut drawn = waiting.into_iter();
        for (table, size) in tables.into_iter().zip(sizes) {
            for (seat, entrant) in (1..=size).zip(&mut drawn) {
                self.give_place(entrant, table, seat, Lot::Drawn);
            }
        }
        Ok(())
    }

    /// The most players at a table and the most tables, as set by the director and the conditions.
    pub(super) fn room(&self, stage: usize) -> Result<(u32, Option<u32>), Refusal> {
        let stage = &self.conditions()?.stages.0[stage];
        Ok((self.t.players_a_table.unwrap_or(stage.seats), stage.tables))
    }

    pub(super) fn usable_tables(&self, stage: usize) -> Result<Vec<u32>, Refusal> {
        let free = |table: &u32| self.t.sitting(*table).is_none();
        if !self.t.tables.is_empty() {
            return Ok(self.t.tables.iter().copied().filter(free).collect());
        }
        if let Some(rule) = self.rules.event.tables {
            let what = "the director has not named the tables";
            let instead = "`director names tables 1 2 3` comes first";
            return no(Code::NotYet, Some(rule.clause), what, instead);
        }
        let (seats, most) = self.room(stage)?;
        let waiting = u32::try_from(self.t.stages[stage].waiting.len()).unwrap_or(u32::MAX);
        let live = self.t.sittings().filter(|sitting| sitting.is_live()).count();
        let needed = waiting.div_ceil(seats.max(1)) + u32::try_from(live).unwrap_or(0);
        Ok((1..=most.unwrap_or(needed)).filter(free).collect())
    }

    fn give_place(&mut self, entrant: EntrantId, table: u32, seat: u32, lot: Lot) {
        let event = self.rules.event;
        let clauses = [Some(event.seating.clause), Some(event.place_kept.clause)];
        self.push(Fact::Allotted { entrant, table, seat, lot }, &clauses);
    }

    pub(super) fn allot(
        &mut self,
        name: Name,
        table: u32,
        seat: u32,
        lot: Lot,
    ) -> Result<(), Refusal> {
        let stage = self.stage_to_seat()?;
        let id = self.named(name)?;
        self.check_no_ballot()?;
        let rule = self.rules.event.seating;
        if rule.value == Seating::Ballot && lot == Lot::Given {
            let what = format!("{name} is given a place");
            let instead = format!("`director draws {name} to table {table} seat {seat}` by lot");
            return no(Code::ByBallot, Some(rule.clause), what, instead);
        }
        if lot == Lot::Drawn && self.t.redraw && !self.t.by_hand {
            let what = "places are to be drawn again";
            let instead = "allowed: a new ballot, `director commits to the ballot …`";
            return no(Code::ByBallot, Some(rule.clause), what, instead);
        }
        let given = self.t.allotments.iter().find(|allotment| allotment.entrant == id);
        if let (Some(given), Lot::Drawn, false) = (given, lot, self.t.freed) {
            let what = format!("{name} drew table {} seat {}", given.table, given.seat);
            let instead = "nobody draws twice by hand unless a place came free; a new ballot, \
                           `director commits to the ballot …`, draws all places again";
            return no(Code::ByBallot, Some(rule.clause), what, instead);
        }
        if !self.t.stages[stage].waiting.contains(&id) {
            let out = self.t.is_eliminated(id);
            let also = Some(self.rules.wagers.elimination.clause).filter(|_| out);
            let why = if out { "is eliminated" } else { "does not wait for a place" };
            let (what, instead) = (format!("{name} {why}"), "allowed: a waiting player");
            let refusal = Refusal::new(Code::NotEligible, Some(rule.clause), what, instead);
            return Err(refusal.and(also));
        }
        let tables = self.usable_tables(stage)?;
        let (seats, most) = self.room(stage)?;
        let others = self.t.allotments.iter().filter(|a| a.entrant != id);
        let taken = others.clone().any(|a| a.table == table && a.seat == seat);
        let full = others.clone().filter(|a| a.table == table).count() >= seats as usize;
        let mut used: Vec<_> = others.map(|a| a.table).collect();
        used.push(table);
        used.sort_unstable();
        used.dedup();
        let many = most.is_some_and(|most| used.len() > most as usize);
        let places = if seats > 7 { 9 } else { 7 };
        if !tables.contains(&table) || seat == 0 || seat > places || taken || full || many {
            let why = match (taken, full) {
                (true, _) => "is taken",
                (false, true) => "is one too many",
                (false, false) => "is not there",
            };
            let what = format!("seat {seat} of table {table} {why}");
            let numbers: Vec<_> = tables.iter().map(|table| format!("{table}")).collect();
            let instead = format!(
                "allowed: a free seat of table {}; {seats} play at a table",
                numbers.join(", ")
            );
            let named = of(&self.rules.event.tables).filter(|_| !tables.contains(&table));
            let limit = of(&self.rules.event.players_a_table).filter(|_| full);
            let clause = limit.or(Some(rule.clause));
            return Err(Refusal::new(Code::SeatTaken, clause, what, instead).and(named));
        }
        if let Some(rule) = self.rules.event.sessions_allotted {
            let session = self.t.stages[stage].sessions + 1;
            self.push(Fact::SessionAllotted(session), &[Some(rule.clause)]);
        }
        self.give_place(id, table, seat, lot);
        Ok(())
    }

    pub(super) fn take_seat(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let event = self.rules.event;
        let late =
            self.chair(id).is_ok_and(|(_, chair)| chair.late.is_some() && chair.out.is_none());
        if late {
            let clauses = [Some(event.not_there.clause)];
            self.note(id, Seat::Taken, &clauses);
            self.push(Fact::Seated(id), &clauses);
            return Ok(());
        }
        let there = self.chair(id).is_ok_and(|(_, chair)| chair.out.is_none());
        let there = there || self.t.allotments.iter().any(|a| a.entrant == id && a.there);
        if there {
            return Self::wrong_moment(&format!("{name} is in the seat already"), "go on");
        }
        if self.who(id).status == Status::Forfeited {
            let what = format!("{name} was not in the seat at the start");
            let live = self.conditions()?.live;
            let lost = if live { event.not_there_live } else { event.not_there_cancelled };
            let clause = of(&lost).or(Some(event.not_there.clause));
            let instead = match event.reserve {
                Some(_) => "a reserve may be given the seat",
                None => "a secondary competition may be open to them",
            };
            return no(Code::NotEligible, clause, what, instead);
        }
        self.check_in_time(id)?;
        if !self.t.allotments.iter().any(|allotment| allotment.entrant == id) {
            let what = format!("{name} has no place yet");
            return no(
                Code::NotEligible,
                Some(event.seating.clause),
                what,
                "allowed after the draw",
            );
        }
        self.push(Fact::Seated(id), &[Some(event.place_kept.clause)]);
        Ok(())
    }

    /// The clause by which a late player loses the place at once.
    fn loses_by_the_clock(&self) -> Result<Option<Clause>, Refusal> {
        let event = self.rules.event;
        let live = self.conditions()?.live;
        Ok(match event.not_there.value {
            NotThere::Forfeited => Some(event.not_there.clause),
            NotThere::MinimumDeducted(_) if live => {
                of(&event.not_there_live).or(Some(event.not_there.clause))
            }
            NotThere::MinimumDeducted(_) => None,
        })
    }

    /// Whether the time to take a seat is over.
    fn is_past_the_start(&self) -> bool {
        self.t.start.is_some_and(|start| match self.rules.event.commencement.value {
            Commencement::AtTheStart => false,
            Commencement::BeforeTheTime => self.at >= start,
            Commencement::AtTheTime => self.at > start,
        })
    }

    /// Refuses a late player where the place is lost at the start.
    fn check_in_time(&self, id: EntrantId) -> Result<(), Refusal> {
        let event = self.rules.event;
        if let (true, Some(lost)) = (self.is_past_the_start(), self.loses_by_the_clock()?) {
            let what = format!("{} is late, and the place is lost", self.who(id).name);
            let clause = event.commencement.clause;
            let also = Some(clause).filter(|clause| *clause != lost);
            let instead = "start the session without";
            return Err(Refusal::new(Code::NotEligible, Some(lost), what, instead).and(also));
        }
        Ok(())
    }

    pub(super) fn take_seats(&mut self, except: &[Name]) -> Result<(), Refusal> {
        let missing = except.iter().map(|name| self.named(*name)).collect::<Result<Vec<_>, _>>()?;
        if self.t.allotments.is_empty() {
            return Self::wrong_moment("no places are drawn", "allowed after the draw");
        }
        for allotment in self.t.allotments.clone() {
            if !missing.contains(&allotment.entrant) && !allotment.there {
                self.check_in_time(allotment.entrant)?;
                self.push(
                    Fact::Seated(allotment.entrant),
                    &[Some(self.rules.event.place_kept.clause)],
                );
            }
        }
        Ok(())
    }
}
