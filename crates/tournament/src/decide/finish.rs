//! The end of play: who stands where, play-offs, who advances, points and prizes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rules::book::{Level, OutTogether};
use rules::{Card, Cents, Clause, Rank};
use table::{Code, Name, Refusal, no};

use super::{Draft, of};
use crate::conditions::{BuyBack, Length, Part, Ranking, Settle};
use crate::event::{Account, EntrantId, Fact, OutWhy};
use crate::prizes::{divide, shares};
use crate::state::{Chair, POINT, Phase, Sitting, Status, Stint};

/// What players who are level contest, and how they are told apart.
struct Contest {
    players: Vec<EntrantId>,
    settle: Settle,
    clauses: [Option<Clause>; 3],
}

/// Microseconds of a minute.
const MINUTE: u64 = 60_000_000;

impl Draft<'_> {
    pub(super) fn announce_last(&mut self, table: Option<u32>) -> Result<(), Refusal> {
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        if sitting.table.coup().is_some() {
            return Self::wrong_moment("a coup is being dealt", "between coups it would do");
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

    /// After somebody left between coups: whether that ends it.
    pub(super) fn settle_if_over(&mut self, number: u32) -> Result<(), Refusal> {
        let Ok(sitting) = self.sitting(Some(number)) else { return Ok(()) };
        let between = sitting.table.coup().is_none() && sitting.table.wagers().is_empty();
        if between && !sitting.has_forms_to_open() && sitting.active().count() <= 1 {
            return self.settle_if_over_now(number).map(|_| ());
        }
        Ok(())
    }

    /// Ends the play of a table if it is over; whether it was.
    pub(super) fn settle_if_over_now(&mut self, number: u32) -> Result<bool, Refusal> {
        let sitting = self.sitting(Some(number))?;
        let left = sitting.active().count();
        let length = self.t.length(sitting.stage);
        let over = (left <= 1 && !self.may_buy_back(sitting))
            || sitting.last
            || match (sitting.stint, length) {
                (Stint::Session, Some(Length::Coups(coups))) | (Stint::PlayOff(Some(coups)), _) => {
                    sitting.coups >= coups
                }
                (Stint::Session, Some(Length::Shoes(shoes))) => sitting.shoes >= shoes,
                (Stint::Session, Some(Length::Minutes(minutes))) => {
                    self.at >= sitting.began.saturating_add(u64::from(minutes) * MINUTE)
                }
                // Additional rounds: after each it is seen whether they are still level.
                (Stint::PlayOff(None), _) => sitting.coups > 0,
                (Stint::Session, None) | (Stint::PlayOffDue(_) | Stint::Done, _) => false,
            };
        if over {
            self.end_play(number)?;
        }
        Ok(over)
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

    /// A table's play is over: ranks the players and sees what is still contested.
    pub(super) fn end_play(&mut self, number: u32) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let group = rank(sitting);
        let ranking = match sitting.stint {
            Stint::PlayOff(_) | Stint::PlayOffDue(_) => refine(&sitting.ranking, &group),
            Stint::Session | Stint::Done => group,
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

    /// Players who are level and must be told apart, if any.
    fn contest(&self, number: u32) -> Result<Option<Contest>, Refusal> {
        let sitting = self.sitting(Some(number))?;
        let conditions = self.conditions()?;
        let last = sitting.stage + 1 == self.t.stages.len();
        let stage = &conditions.stages.0[sitting.stage];
        let is_final = last && conditions.ranking == Ranking::Chips;
        let mut place = 0;
        let still = |id: &&EntrantId| self.who(**id).status == Status::Entered;
        for group in &sitting.ranking {
            let group: Vec<_> = group.iter().filter(still).copied().collect();
            let group = group.as_slice();
            let (from, to) = (place, place + group.len());
            place = to;
            if group.len() < 2 {
                continue;
            }
            let advance = stage.advance.unwrap_or(0) as usize;
            let straddles = !last && from < advance && advance < to;
            let worth = |place: usize| match (is_final, stage.points.is_empty()) {
                // Without a stated breakdown the winner takes the pool.
                (true, _) if conditions.prizes.is_empty() => u32::from(place == 0),
                (true, _) => conditions.prizes.get(place).map_or(0, |part| part.0),
                (false, false) => stage.points.get(place).copied().unwrap_or(0),
                (false, true) => 0,
            };
            let differ = (from..to).any(|place| worth(place) != worth(from));
            if !straddles && !differ {
                continue;
            }
            let contest = self.told_apart(sitting, group, is_final);
            if contest.settle != Settle::Share || straddles {
                return Ok(Some(contest));
            }
        }
        Ok(None)
    }

    /// How the book, or the conditions where it leaves it to them, tell these players apart.
    fn told_apart(&self, sitting: &Sitting, group: &[EntrantId], is_final: bool) -> Contest {
        let prizes = self.rules.prizes;
        let conditions = self.t.conditions.as_deref();
        let stated = conditions.and_then(|c| if is_final { c.level_final } else { c.level });
        let rule = if is_final { prizes.level_final } else { prizes.level };
        let stated_clause = if is_final {
            match stated {
                Some(Settle::Share) => of(&self.rules.conditions.final_divided),
                _ => of(&self.rules.conditions.final_rounds),
            }
        } else if conditions.is_some_and(|c| c.ranking == Ranking::Points) {
            of(&self.rules.conditions.series_level)
        } else {
            of(&self.rules.conditions.progress_level)
        };
        let settle = match rule.value {
            Level::AdditionalRounds => Settle::Rounds,
            Level::PlayOffByCard => Settle::Card,
            Level::AsConditionsSay => stated.unwrap_or(Settle::Rounds),
        };
        let players = group.to_vec();
        let out = |id: &EntrantId| sitting.chair(*id).is_some_and(|chair| chair.out.is_some());
        let together = group.iter().all(out);
        let first =
            sitting.ranking.first().is_some_and(|first| group.iter().all(|id| first.contains(id)));
        let all_out = together && sitting.active().next().is_none() && first;
        let own_rule = all_out && prizes.all_out.is_some();
        if let (true, Some(rule), false) = (together && is_final, prizes.out_together, own_rule) {
            let settle = match rule.value {
                OutTogether::Shared => Settle::Share,
                OutTogether::AsConditionsSay => stated.unwrap_or(Settle::Rounds),
            };
            return Contest { players, settle, clauses: [Some(rule.clause), None, None] };
        }
        let all_out = of(&prizes.all_out).filter(|_| all_out);
        let as_stated = stated_clause.filter(|_| rule.value == Level::AsConditionsSay);
        Contest { players, settle, clauses: [Some(rule.clause), all_out, as_stated] }
    }

    /// The contest that a play-off at this table decides.
    fn due(&self, number: u32) -> Result<Contest, Refusal> {
        let sitting = self.sitting(Some(number))?;
        let contest = self.contest(number)?;
        if let (Stint::PlayOffDue(_), Some(contest)) = (sitting.stint, contest) {
            return Ok(contest);
        }
        let clause = Some(self.rules.prizes.level.clause);
        let what = format!("nobody plays off at table {number}");
        no(Code::NoPlayOff, clause, what, "players who are level at the end do")
    }

    pub(super) fn draw_for_play_off(
        &mut self,
        table: Option<u32>,
        card: Card,
    ) -> Result<(), Refusal> {
        let number = self.sitting(table)?.number;
        let contest = self.due(number)?;
        let prizes = self.rules.prizes;
        let again = self.sitting(Some(number))?.stint != Stint::PlayOffDue(None);
        if contest.settle == Settle::Card && again {
            let what = "the card for this play-off is drawn";
            return no(Code::NoPlayOff, contest.clauses[0], what, "start the play-off");
        }
        if contest.settle != Settle::Card {
            let what = "a card is drawn for the number of coups";
            let instead = "they play additional rounds until they are not level";
            return no(Code::NoPlayOff, contest.clauses[0], what, instead);
        }
        let ace = prizes.playoff_ace.map_or(1, |ace| ace.value.get());
        let picture = prizes.playoff_picture.map_or(10, |picture| picture.value.get());
        let (coups, clause) = match card.rank() {
            Rank::Ace => (ace, of(&prizes.playoff_ace)),
            Rank::Jack | Rank::Queen | Rank::King => (picture, of(&prizes.playoff_picture)),
            rank => (rank as u32 + 1, None),
        };
        let clauses = [contest.clauses[0], clause];
        self.push(Fact::PlayOffDrawn { table: number, card, coups }, &clauses);
        Ok(())
    }

    pub(super) fn start_play_off(
        &mut self,
        table: Option<u32>,
        chips: Option<Cents>,
    ) -> Result<(), Refusal> {
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        let contest = self.due(number)?;
        let first = contest.clauses[0];
        if contest.settle == Settle::Card && sitting.stint == Stint::PlayOffDue(None) {
            let what = "how many coups they play is not drawn";
            let instead = "`director draws 7h for the play-off` comes first";
            return no(Code::NotYet, first, what, instead);
        }
        let minimum = i64::try_from(sitting.minimum().get()).unwrap_or(i64::MAX);
        let holds = |id: &EntrantId| sitting.chair(*id).map_or(0, |chair| sitting.stack(chair));
        let short = contest.players.iter().any(|id| holds(id) < minimum);
        let set = self.rules.prizes.playoff_chips;
        if contest.settle == Settle::Rounds && !short && chips.is_some() {
            let what = "they hold enough to play on with";
            return no(Code::KeepsPlace, first, what, "`director starts the play-off` would do");
        }
        let enough = chips.is_some_and(|chips| chips.get() >= sitting.minimum().get());
        if (short || set.is_some() || chips.is_some()) && !enough {
            let what = "with how many chips they play is not said";
            let instead =
                format!("`director starts the play-off with {}` would do", sitting.minimum());
            return no(Code::NotYet, of(&set).or(first), what, instead);
        }
        let chairs: Vec<_> =
            sitting.chairs.iter().map(|chair| (chair.entrant, chair.seat)).collect();
        let clauses = [first, of(&set), contest.clauses[1]];
        self.push(Fact::PlayOffStarted { table: number, chips }, &clauses);
        // The others stay where they are, with their chips: they may have to be told apart too.
        for (id, seat) in chairs {
            if let (true, Some(chips)) = (contest.players.contains(&id), chips) {
                self.leave_table(number, id)?;
                self.bring_chips(number, seat, id, chips)?;
            }
        }
        let first_seat = self.sitting(Some(number))?.active().map(|chair| chair.seat).min();
        if let Some(seat) = first_seat {
            let clause = Some(self.rules.wagers.order.clause);
            self.push(Fact::MarkerAt { table: number, seat }, &[clause]);
        }
        Ok(())
    }

    /// A table is done: chips are collected, and the players advance or stand down.
    fn finish_table(&mut self, number: u32) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let (stage, ranking) = (sitting.stage, sitting.ranking.clone());
        let chairs: Vec<_> = sitting.chairs.iter().map(|chair| chair.entrant).collect();
        let chips = self.rules.chips;
        self.push(Fact::ChipsCollected(number), &[of(&chips.afterwards), Some(chips.apart.clause)]);
        for id in &chairs {
            self.leave_table(number, *id)?;
        }
        self.give_points(number, stage, &ranking)?;
        let last = stage + 1 == self.t.stages.len();
        let advance = self.conditions()?.stages.0[stage].advance.unwrap_or(0) as usize;
        let ranked: Vec<_> = ranking.concat();
        self.push(Fact::TableFinished(number), &[]);
        if !last {
            let prizes = self.rules.prizes;
            let clauses =
                [of(&prizes.winners), of(&prizes.advance), of(&self.rules.conditions.progression)];
            for entrant in ranked.iter().take(advance) {
                self.push(Fact::Advanced { stage, entrant: *entrant }, &clauses);
            }
            let rest = ranked.iter().skip(advance);
            let unranked = chairs.iter().filter(|id| !ranked.contains(id));
            for entrant in rest.chain(unranked) {
                self.push(Fact::StoodDown { stage, entrant: *entrant }, &[]);
            }
        }
        self.end_stage(stage);
        Ok(())
    }

    /// A stage is over when all its players have played.
    pub(super) fn end_stage(&mut self, stage: usize) {
        let playing = self.t.sittings().any(|s| s.stage == stage && s.is_live());
        let progress = &self.t.stages[stage];
        if !playing && progress.opened && !progress.ended && progress.waiting.is_empty() {
            self.push(Fact::StageEnded(stage), &[]);
            self.open_stage(stage + 1);
        }
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
        let mut place = 0;
        for group in ranking {
            let places = place..place + group.len();
            place += group.len();
            let sum: u64 =
                places.map(|place| u64::from(points.get(place).copied().unwrap_or(0))).sum();
            if sum == 0 {
                continue;
            }
            let shared = group.len() > 1;
            if shared {
                let clauses = [of(&rules.series_level)];
                self.push(Fact::Shared { table: number, players: group.clone() }, &clauses);
            }
            for entrant in group {
                let (entrant, why) = (*entrant, why.clone());
                let parts = sum * POINT / group.len() as u64;
                self.push(Fact::Points { entrant, parts, why }, &[of(&rules.points)]);
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
                "who is out of chips may, {times} time(s) in stages 1 to {stages}, between coups"
            );
            return no(Code::NotEligible, clause, what, instead);
        }
        let Some(chips) = self.conditions()?.chips else { return Ok(()) };
        let postings = self.fee_postings(fee)?;
        let clauses =
            [clause, of(&self.rules.conditions.buy_back), Some(self.rules.prizes.kept.clause)];
        self.pay(Fact::BoughtBack { entrant: id, fee }, &clauses, postings);
        self.bring_chips(table, seat, id, chips.0)
    }

    /// What keeps the event from its end.
    pub(super) fn what_is_due(&self) -> String {
        let level = self.t.sittings().find(|s| matches!(s.stint, Stint::PlayOffDue(_)));
        if let Some(sitting) = level {
            let plays = sitting.chairs.iter().filter(|chair| chair.plays);
            let names: Vec<_> = plays.map(|chair| self.who(chair.entrant).name.as_str()).collect();
            let (names, number) = (names.join(", "), sitting.number);
            return format!("{names} are level: `at table {number} director starts the play-off`");
        }
        match self.t.current_stage() {
            Some(stage) => format!("finish {} first", self.t.stage_name(stage)),
            None => String::from("close entries first"),
        }
    }

    /// The places in the end, those who share them together.
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
        let last = self.t.stages.len().saturating_sub(1);
        let tables: Vec<_> = self.t.sittings().filter(|sitting| sitting.stage == last).collect();
        let still = |id: &EntrantId| self.who(*id).status == Status::Entered;
        let ranking = match tables.as_slice() {
            [one] => one.ranking.clone(),
            several => across(several),
        };
        let groups = ranking.into_iter().map(|group| group.into_iter().filter(still).collect());
        Ok(groups.filter(|group: &Vec<_>| !group.is_empty()).collect())
    }

    pub(super) fn award_prizes(&mut self) -> Result<(), Refusal> {
        let mut standings = self.standings()?;
        let parts: Vec<Part> = self.conditions()?.prizes.clone();
        let players: usize = standings.iter().map(Vec::len).sum();
        if players == 0 && self.t.pool > 0 {
            let clause = Some(self.rules.prizes.returned.clause);
            return no(Code::TooFew, clause, "nobody is left to win", "cancel: all fees go back");
        }
        // Without a stated breakdown the winner takes the pool.
        let parts = if parts.is_empty() { alloc::vec![Part::WHOLE] } else { parts };
        let pool = u64::try_from(self.t.pool).ok().and_then(Cents::new).unwrap_or(Cents::ZERO);
        let sums = shares(pool, &parts, players);
        let (prizes, rules) = (self.rules.prizes, self.rules.conditions);
        let mut place = 0;
        for group in &mut standings {
            group.sort_unstable();
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
            if sum == Cents::ZERO {
                continue;
            }
            self.pay_prizes(group, sum);
        }
        self.push(
            Fact::Ended,
            &[of(&prizes.places), Some(prizes.returned.clause), of(&rules.pool)],
        );
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
            let postings = alloc::vec![
                Self::entry(Account::Pool, amount, false),
                Self::entry(Account::Outside, amount, true),
            ];
            let clauses = [Some(prizes.returned.clause), of(&rules.distribution)];
            self.pay(Fact::Prize { entrant: *entrant, amount }, &clauses, postings);
        }
    }
}

/// A last stage that had several tables: by chips, then by how long players lasted.
fn across(sittings: &[&Sitting]) -> Vec<Vec<EntrantId>> {
    let key = |chair: &Chair| match chair.out {
        None => (1, chair.chips),
        Some((when, _)) => (0, i64::from(when)),
    };
    let chairs = sittings.iter().flat_map(|sitting| {
        let ranked = sitting.ranking.concat();
        sitting.chairs.iter().filter(move |chair| ranked.contains(&chair.entrant))
    });
    let mut standing: Vec<_> = chairs.map(|chair| (key(chair), chair.entrant)).collect();
    standing.sort_by_key(|(key, _)| core::cmp::Reverse(*key));
    let groups = standing.chunk_by(|(a, _), (b, _)| a == b);
    groups.map(|group| group.iter().map(|(_, id)| *id).collect()).collect()
}

/// The players of a table who play: by chips, then by how long they lasted.
fn rank(sitting: &Sitting) -> Vec<Vec<EntrantId>> {
    let mut standing: Vec<_> = sitting
        .chairs
        .iter()
        .filter(|chair| chair.plays)
        .filter_map(|chair| match chair.out {
            None => Some(((1, sitting.stack(chair)), chair.entrant)),
            Some((coup, OutWhy::Chips | OutWhy::Raised | OutWhy::NoWager)) => {
                Some(((0, i64::from(coup)), chair.entrant))
            }
            Some((_, OutWhy::NotThere | OutWhy::Left)) => None,
        })
        .collect();
    standing.sort_by_key(|(key, _)| core::cmp::Reverse(*key));
    let groups = standing.chunk_by(|(a, _), (b, _)| a == b);
    groups.map(|group| group.iter().map(|(_, id)| *id).collect()).collect()
}

/// A ranking in which one group was told apart.
fn refine(ranking: &[Vec<EntrantId>], group: &[Vec<EntrantId>]) -> Vec<Vec<EntrantId>> {
    let played = group.concat();
    let mut refined = Vec::new();
    for old in ranking {
        if old.iter().any(|id| played.contains(id)) {
            refined.extend(group.iter().cloned());
            // Who left during the play-off comes behind those who stayed.
            let gone: Vec<_> = old.iter().copied().filter(|id| !played.contains(id)).collect();
            if !gone.is_empty() {
                refined.push(gone);
            }
        } else {
            refined.push(old.clone());
        }
    }
    refined
}
