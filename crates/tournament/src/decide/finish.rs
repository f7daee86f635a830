//! The end of play: ranking, play-offs, advancing, points and prizes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rules::{Balance, Cents};
use table::{Code, Fact as TableFact, Name, Refusal, no};

use super::level::{Contest, across, are_eliminated, rank, refine};
use super::{Draft, of};
use crate::conditions::{BuyBack, Length, Prize, Ranking};
use crate::event::{Account, EntrantId, Fact, OutWhy};
use crate::prizes::{divide, missing, sheet};
use crate::sitting::{Chair, Sitting, Stint};
use crate::state::{POINT, Phase, Status};

/// The microseconds of a minute.
const MINUTE: u64 = 60_000_000;

impl Draft<'_> {
    pub(super) fn announce_last(&mut self, table: Option<u32>) -> Result<(), Refusal> {
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        if sitting.table.coup().is_some() {
            return Self::wrong_moment("a coup is being dealt", "allowed between coups");
        }
        let length = self.t.length(sitting.stage);
        if let Some(Length::Coups(_) | Length::Shoes(_)) = length
            && sitting.stint == Stint::Session
        {
            let clause =
                of(&self.rules.conditions.sessions).or(of(&self.rules.conditions.structure));
            let what = "the conditions say how long this session lasts";
            return no(Code::WrongMoment, clause, what, "play until then");
        }
        self.push(Fact::LastCoup(number), &[of(&self.rules.conditions.sessions)]);
        Ok(())
    }

    pub(super) fn end_early(&mut self, table: Option<u32>) -> Result<(), Refusal> {
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        let clause = of(&self.rules.event.early_finish);
        let left = sitting.active().count();
        let last = sitting.stage + 1 == self.t.stages.len();
        let stage = &self.conditions()?.stages.0[sitting.stage];
        let enough = if last { 1 } else { stage.advance.unwrap_or(1) as usize };
        let played = matches!(sitting.stint, Stint::Session | Stint::PlayOff(_));
        if !played {
            return Self::wrong_moment("play is over at this table", &self.what_is_due());
        }
        let session = sitting.stint == Stint::Session;
        let certain = left <= 1 || (session && clause.is_some() && left <= enough);
        if !certain || sitting.table.coup().is_some() || sitting.has_forms_to_open() {
            let what = format!("{left} players are left, and {enough} can win");
            let instead = "play on, or wait until nobody else can";
            return no(Code::NotCertain, clause, what, instead);
        }
        self.push(Fact::EndedEarly(number), &[clause]);
        self.end_play(number)
    }

    /// Ends the play if it is over now that somebody left between coups.
    pub(super) fn settle_if_over(&mut self, number: u32) -> Result<(), Refusal> {
        let Ok(sitting) = self.sitting(Some(number)) else { return Ok(()) };
        if sitting.is_between_coups()
            && !sitting.has_forms_to_open()
            && sitting.active().count() <= 1
        {
            return self.settle_if_over_now(number).map(|_| ());
        }
        Ok(())
    }

    /// Ends the play of a table if it is over; returns whether it was.
    pub(super) fn settle_if_over_now(&mut self, number: u32) -> Result<bool, Refusal> {
        let sitting = self.sitting(Some(number))?;
        let left = sitting.active().count();
        let over = (left <= 1 && !self.may_buy_back(sitting)) || self.has_run_its_length(sitting);
        if over {
            self.end_play(number)?;
        }
        Ok(over)
    }

    /// Whether the coup that is over was the last of the play.
    pub(super) fn has_run_its_length(&self, sitting: &Sitting) -> bool {
        let length = self.t.length(sitting.stage);
        // A coup that is void or without wagers does not count as the announced last coup.
        let announced = sitting.last && sitting.counted;
        announced
            || match (sitting.stint, length) {
                (Stint::Session, Some(Length::Coups(coups))) | (Stint::PlayOff(Some(coups)), _) => {
                    sitting.coups >= coups
                }
                (Stint::Session, Some(Length::Shoes(shoes))) => sitting.shoes >= shoes,
                (Stint::Session, Some(Length::Minutes(minutes))) => {
                    self.at >= sitting.began.saturating_add(u64::from(minutes) * MINUTE)
                }
                // Additional rounds: after each, it is checked whether the players are still level.
                (Stint::PlayOff(None), _) => sitting.coups > 0,
                (Stint::Session, None) | (Stint::PlayOffDue(_) | Stint::Over | Stint::Done, _) => {
                    false
                }
            }
    }

    /// Whether a session that lasts a number of shoes has used them up.
    pub(super) fn is_out_of_shoes(&self, sitting: &Sitting) -> bool {
        let length = self.t.length(sitting.stage);
        let session = sitting.stint == Stint::Session;
        session && matches!(length, Some(Length::Shoes(shoes)) if sitting.shoes >= shoes)
    }

    /// Whether somebody who is out of this session may still buy back in.
    fn may_buy_back(&self, sitting: &Sitting) -> bool {
        let terms = self.t.conditions.as_deref().and_then(|conditions| conditions.buy_back);
        let Some(BuyBack::Some { times, stages, .. }) = terms else { return false };
        let may = |chair: &Chair| {
            let short =
                chair.out.is_some_and(|(_, why)| matches!(why, OutWhy::Chips | OutWhy::Raised));
            let who = self.who(chair.entrant);
            short && who.buy_backs < times && who.status == Status::Entered
        };
        let open = sitting.stint == Stint::Session && sitting.stage < stages as usize;
        open && sitting.chairs.iter().any(may)
    }

    /// Ends a table's play: ranks the players and determines whether a play-off is needed.
    pub(super) fn end_play(&mut self, number: u32) -> Result<(), Refusal> {
        self.lift_wagers(number, of(&self.rules.wagers.altered_after_tie));
        self.settle_claims(number, of(&self.book.general.void_means))?;
        let sitting = self.sitting(Some(number))?;
        let group = rank(sitting);
        let ranking = match sitting.stint {
            Stint::PlayOff(_) | Stint::PlayOffDue(_) => refine(&sitting.ranking, &group),
            Stint::Session | Stint::Over | Stint::Done => group,
        };
        let still = |id: &EntrantId| self.who(*id).status == Status::Entered;
        let ranking = ranking.into_iter().map(|group| group.into_iter().filter(still).collect());
        let ranking = ranking.filter(|group: &Vec<_>| !group.is_empty()).collect();
        let winners = of(&self.rules.prizes.winners);
        self.push(Fact::PlayEnded { table: number, ranking }, &[winners]);
        match self.contest(number)? {
            Some(contest) => {
                let Contest { players, clauses, .. } = contest;
                self.push(Fact::PlayOffDue { table: number, players }, &clauses);
                Ok(())
            }
            None => self.finish_table(number),
        }
    }

    /// Finishes a table: chips are collected, and each player advances or does not.
    fn finish_table(&mut self, number: u32) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let (stage, ranking, places) = (sitting.stage, sitting.ranking.clone(), sitting.places);
        let chairs: Vec<_> = sitting.chairs.iter().map(|chair| chair.entrant).collect();
        let compared = self.compared_later(sitting);
        let chips = self.rules.chips;
        self.push(Fact::ChipsCollected(number), &[of(&chips.afterwards), Some(chips.apart.clause)]);
        for id in &chairs {
            self.leave_table(number, *id)?;
        }
        if places.is_none() {
            self.give_points(number, stage, &ranking)?;
        }
        let last = stage + 1 == self.t.stages.len();
        let advance = places.or(self.conditions()?.stages.0[stage].advance).unwrap_or(0) as usize;
        let ranked: Vec<_> = ranking.concat();
        let advancing = self.advancing(number, advance)?;
        self.close_table(number);
        self.push(Fact::TableFinished(number), &[]);
        if !last {
            let prizes = self.rules.prizes;
            let clauses =
                [of(&prizes.winners), of(&prizes.advance), of(&self.rules.conditions.progression)];
            for entrant in &advancing {
                self.push(Fact::Advanced { stage, entrant: *entrant }, &clauses);
            }
            let rest = ranked.iter().filter(|id| !advancing.contains(id));
            let unranked = chairs.iter().filter(|id| !ranked.contains(id));
            for entrant in rest.chain(unranked).filter(|id| !compared.contains(id)) {
                self.push(Fact::StoodDown { stage, entrant: *entrant }, &[]);
            }
        }
        self.end_stage(stage)
    }

    /// The players who advance: the best ones who were not eliminated, even if there are too few.
    fn advancing(&self, number: u32, advance: usize) -> Result<Vec<EntrantId>, Refusal> {
        let sitting = self.sitting(Some(number))?;
        let may = |group: &&Vec<EntrantId>| {
            !are_eliminated(sitting, group) || self.all_are_out(sitting, group)
        };
        let ranked = sitting.ranking.iter().filter(may).flatten().copied();
        Ok(ranked.take(advance).collect())
    }

    /// Closes the table, so that its cards can be checked.
    fn close_table(&mut self, number: u32) {
        self.direct_at(number, &[], |by| by.event(TableFact::Closed));
    }

    /// Ends a stage when all its players have played.
    pub(super) fn end_stage(&mut self, stage: usize) -> Result<(), Refusal> {
        let playing = self.t.sittings().any(|s| s.stage == stage && s.is_live());
        let progress = &self.t.stages[stage];
        let over = !playing && progress.opened && !progress.ended && progress.waiting.is_empty();
        if over && !self.compare_runners_up(stage)? {
            self.push(Fact::StageEnded(stage), &[]);
            self.open_stage(stage + 1);
        }
        Ok(())
    }

    fn give_points(
        &mut self,
        number: u32,
        stage: usize,
        ranking: &[Vec<EntrantId>],
    ) -> Result<(), Refusal> {
        let points = self.conditions()?.stages.0[stage].points.clone();
        if points.is_empty() {
            return Ok(());
        }
        let rules = self.rules.conditions;
        let why = self.t.stage_name(stage);
        for (group, parts) in shares(&points, ranking) {
            let shared = group.len() > 1;
            if shared {
                let clauses = [of(&rules.series_level)];
                self.push(Fact::Shared { table: number, players: group.clone() }, &clauses);
            }
            for entrant in group {
                let (entrant, why) = (*entrant, why.clone());
                self.push(Fact::Points { entrant, parts, why }, &[of(&rules.points)]);
            }
        }
        Ok(())
    }

    /// Takes back the points that players got at a table.
    pub(super) fn take_points_back(&mut self, number: u32) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let (stage, ranking) = (sitting.stage, sitting.ranking.clone());
        let points = self.conditions()?.stages.0[stage].points.clone();
        for (group, parts) in shares(&points, &ranking) {
            for entrant in group {
                let fact = Fact::PointsTakenBack { entrant: *entrant, parts };
                self.push(fact, &[of(&self.rules.conditions.points)]);
            }
        }
        Ok(())
    }

    pub(super) fn award_points(
        &mut self,
        name: Name,
        points: u32,
        why: &str,
    ) -> Result<(), Refusal> {
        let id = self.named(name)?;
        if self.conditions()?.ranking != Ranking::Points {
            let what = "points decide nothing in this tournament";
            let clause = of(&self.rules.conditions.points);
            return no(Code::NotEligible, clause, what, "chips do");
        }
        let parts = u64::from(points) * POINT;
        let fact = Fact::Points { entrant: id, parts, why: String::from(why) };
        self.push(fact, &[of(&self.rules.conditions.points)]);
        Ok(())
    }

    pub(super) fn buy_back(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let clause = of(&self.rules.event.entries).or(of(&self.rules.conditions.buy_back));
        let terms = self.conditions()?.buy_back;
        let Some(BuyBack::Some { times, fee, stages }) = terms else {
            let what = format!("a buy-back of {name}");
            return no(Code::OneEntry, clause, what, "the conditions have no buy-back");
        };
        let (sitting, chair) = self.chair(id)?;
        let (table, seat, stage) = (sitting.number, chair.seat, sitting.stage);
        let short = chair.out.is_some_and(|(_, why)| matches!(why, OutWhy::Chips | OutWhy::Raised));
        let short = short && self.who(id).status == Status::Entered;
        let between = sitting.table.coup().is_none() && sitting.stint == Stint::Session;
        let between = between && sitting.table.phase() != table::Phase::Called;
        let due = self.who(id).buy_backs < times && stage < stages as usize;
        if !short || !between || !due {
            let what = format!("a buy-back of {name} now");
            let instead = format!(
                "allowed between coups, for a player who is out of chips, {times} time(s) in \
                 stages 1 to {stages}"
            );
            return no(Code::NotEligible, clause, what, instead);
        }
        let Some(chips) = self.conditions()?.chips_of(stage) else { return Ok(()) };
        let postings = self.fee_postings(fee)?;
        let clauses =
            [clause, of(&self.rules.conditions.buy_back), Some(self.rules.prizes.kept.clause)];
        self.pay(Fact::BoughtBack { entrant: id, fee }, &clauses, postings);
        self.free_substitute(id, &[]);
        self.bring_chips(table, seat, id, chips)
    }

    /// The steps that must come before the end of the event.
    pub(super) fn what_is_due(&self) -> String {
        let level = self.t.sittings().find(|s| matches!(s.stint, Stint::PlayOffDue(_)));
        if let Some(sitting) = level {
            let plays = sitting.chairs.iter().filter(|chair| chair.plays);
            let names: Vec<_> = plays.map(|chair| self.who(chair.entrant).name.as_str()).collect();
            let (names, number) = (names.join(", "), sitting.number);
            return format!("{names} are level: `at table {number} director starts the play-off`");
        }
        if let Some(sitting) = self.t.sittings().find(|s| s.stint == Stint::Over) {
            let (coup, number) = (sitting.dealt, sitting.number);
            return format!("coup {coup} of table {number} waits to be put right");
        }
        match self.t.current_stage() {
            Some(stage) => format!("finish {} first", self.t.stage_name(stage)),
            None => String::from("close entries first"),
        }
    }

    /// The final ranking; players who share a place are in one group.
    fn standings(&self) -> Result<Vec<Vec<EntrantId>>, Refusal> {
        let conditions = self.conditions()?;
        if self.t.phase != Phase::Playing || self.t.stages.iter().any(|stage| !stage.ended) {
            let clause = of(&self.rules.prizes.places).or(of(&self.rules.prizes.winners));
            return no(Code::NotYet, clause, "play is not over", self.what_is_due());
        }
        if conditions.ranking == Ranking::Points {
            let mut ids: Vec<_> = (0..self.t.entrants.len())
                .filter_map(|i| u16::try_from(i).ok().map(EntrantId))
                .filter(|id| self.who(*id).status == Status::Entered)
                .collect();
            ids.sort_by_key(|id| core::cmp::Reverse(self.who(*id).points));
            let groups = ids.chunk_by(|a, b| self.who(*a).points == self.who(*b).points);
            return Ok(groups.map(<[_]>::to_vec).collect());
        }
        // If nobody reached the last stage, the last one that was played decides.
        let last = self.t.sittings().map(|sitting| sitting.stage).max();
        let of_last = |sitting: &&Sitting| Some(sitting.stage) == last;
        let tables: Vec<_> = self.t.sittings().filter(of_last).collect();
        let still = |id: &EntrantId| self.who(*id).status == Status::Entered;
        let ranking = match tables.as_slice() {
            [one] => one.ranking.clone(),
            several => across(several),
        };
        let groups = ranking.into_iter().map(|group| group.into_iter().filter(still).collect());
        Ok(groups.filter(|group: &Vec<_>| !group.is_empty()).collect())
    }

    pub(super) fn award_prizes(&mut self) -> Result<(), Refusal> {
        self.check_no_correction(None)?;
        let mut standings = self.standings()?;
        let players: usize = standings.iter().map(Vec::len).sum();
        if players == 0 && self.t.pool > Balance::ZERO {
            let clause = Some(self.rules.prizes.returned.clause);
            return no(Code::TooFew, clause, "nobody is left to win", "cancel: all fees go back");
        }
        let pool = self.t.pool.at_least_zero();
        let short = missing(self.conditions()?, pool, players);
        if short > Cents::ZERO {
            self.add(short);
        }
        let sums = sheet(self.conditions()?, self.t.pool.at_least_zero(), players);
        let (prizes, rules) = (self.rules.prizes, self.rules.conditions);
        let mut place = 0;
        for group in &mut standings {
            // Among equals, the player who drew a place first comes first, then the one who entered
            // first.
            let drawn = |id: &EntrantId| self.t.drawn.iter().position(|drawn| drawn == id);
            group.sort_by_key(|id| (drawn(id).unwrap_or(usize::MAX), *id));
            let from = place;
            place += group.len();
            let of_places = sums.iter().skip(from).take(group.len());
            let sum: u64 = of_places.map(|sum| sum.get()).sum();
            let sum = Cents::new(sum).unwrap_or(Cents::ZERO);
            for entrant in group.iter() {
                let placed = u32::try_from(from + 1).unwrap_or(u32::MAX);
                let clauses = [of(&prizes.places), of(&prizes.winners)];
                self.push(Fact::Placed { place: placed, entrant: *entrant }, &clauses);
            }
            if sum > Cents::ZERO {
                self.pay_prizes(group, sum);
            }
            self.give_goods(group, from)?;
        }
        self.push(
            Fact::Ended,
            &[of(&prizes.places), Some(prizes.returned.clause), of(&rules.pool)],
        );
        Ok(())
    }

    /// Awards goods. They are not divided: of players who share places, the first ones get them.
    fn give_goods(&mut self, group: &[EntrantId], from: usize) -> Result<(), Refusal> {
        let clauses = [of(&self.rules.prizes.added), of(&self.rules.conditions.distribution)];
        let prizes = self.conditions()?.prizes.iter().skip(from).take(group.len());
        let goods = prizes.filter_map(|prize| match prize {
            Prize::Goods(what) => Some(what.clone()),
            Prize::Share(_) | Prize::Sum(_) => None,
        });
        for (entrant, what) in group.iter().zip(goods.collect::<Vec<_>>()) {
            self.push(Fact::Goods { entrant: *entrant, what }, &clauses);
        }
        Ok(())
    }

    fn pay_prizes(&mut self, group: &[EntrantId], sum: Cents) {
        let (prizes, rules) = (self.rules.prizes, self.rules.conditions);
        if group.len() > 1 {
            let points = self.conditions().is_ok_and(|c| c.ranking == Ranking::Points);
            let level = of(&rules.final_level_points).filter(|_| points);
            let clauses = [of(&prizes.out_together), of(&rules.final_divided), level];
            self.push(Fact::Shared { table: 0, players: group.to_vec() }, &clauses);
        }
        for (entrant, amount) in group.iter().zip(divide(sum, group.len())) {
            let postings =
                alloc::vec![Self::from(Account::Pool, amount), Self::to(Account::Outside, amount),];
            let clauses = [Some(prizes.returned.clause), of(&rules.distribution)];
            self.pay(Fact::Prize { entrant: *entrant, amount }, &clauses, postings);
        }
    }
}

/// The parts of a point that each player of a group gets; groups that get none are left out.
fn shares<'a>(points: &[u32], ranking: &'a [Vec<EntrantId>]) -> Vec<(&'a Vec<EntrantId>, u64)> {
    let mut place = 0;
    let mut shares = Vec::new();
    for group in ranking {
        let places = points.iter().skip(place).take(group.len());
        place += group.len();
        let sum: u64 = places.map(|points| u64::from(*points)).sum();
        if sum > 0 {
            shares.push((group, sum * POINT / group.len() as u64));
        }
    }
    shares
}
