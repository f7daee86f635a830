//! Corrections: what was recorded wrongly is put right by new events. Before a settlement the
//! director corrects it at once; after it a second person must confirm, and everything that
//! followed is judged again.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use rules::{Balance, Cents, Spot};
use table::{By, Code, Fact as TableFact, Name, Phase, PlayerId, Refusal, Rekeyed, Role, no};

use super::Draft;
use crate::command::Miskeyed;
use crate::event::{Correction, EntrantId, Fact, Mended, OutWhy};
use crate::sitting::{Chair, Sitting, Stint};
use crate::state::Status;

/// Refuses a correction that changes nothing.
fn as_keyed<T>() -> Result<T, Refusal> {
    no(Code::NothingToDecide, None, "that is what was keyed", "allowed: another value")
}

impl Draft<'_> {
    pub(super) fn correct_entry(&mut self, wrong: &Miskeyed, why: &str) -> Result<(), Refusal> {
        let (table, what) = self.mended(wrong)?;
        let (why, by) = (String::from(why), self.person());
        let correction = Correction { table, what, why, by };
        // One that waits would be forgotten, since what it rests on may change.
        self.check_no_correction(Some(table))?;
        if !self.needs_a_second(&correction) {
            return self.carry_out(&correction);
        }
        // A correction that cannot be carried out does not wait for confirmation.
        let (before, events) = (self.t.clone(), self.events.len());
        self.carry_out(&correction)?;
        self.t = before;
        self.events.truncate(events);
        self.push(Fact::CorrectionAsked(Box::new(correction)), &[]);
        Ok(())
    }

    pub(super) fn confirm_correction(&mut self, table: Option<u32>) -> Result<(), Refusal> {
        let correction = self.waiting_correction(table)?;
        let by = self.person();
        let same = match (correction.by.name, by.name) {
            (Some(one), Some(other)) => one == other,
            (Some(_) | None, None) | (None, Some(_)) => correction.by.role == by.role,
        };
        if same {
            let what = format!("the correction is by {}", correction.by);
            return no(Code::NotEligible, None, what, "allowed: another person confirms it");
        }
        let again = self.mended(&self.as_said(&correction));
        if !again.is_ok_and(|again| again == (correction.table, correction.what)) {
            let what = "what is to be corrected has changed since";
            let instead = "allowed: `director takes the correction back`, and a new one";
            return no(Code::WrongMoment, None, what, instead);
        }
        self.push(Fact::CorrectionConfirmed { table: correction.table, by }, &[]);
        self.carry_out(&correction)
    }

    pub(super) fn take_correction_back(&mut self, table: Option<u32>) -> Result<(), Refusal> {
        let table = self.waiting_correction(table)?.table;
        self.push(Fact::CorrectionDropped(table), &[]);
        Ok(())
    }

    /// Refuses to deal, start or award anything that depends on a correction that waits.
    pub(super) fn check_no_correction(&self, number: Option<u32>) -> Result<(), Refusal> {
        let here = |sitting: &&Sitting| number.is_none_or(|number| number == sitting.number);
        let waits = self.t.sittings().filter(here).any(|sitting| sitting.correction.is_some());
        if waits {
            let what = "a correction waits for a second person";
            let instead = "allowed: `supervisor confirms the correction`, or `director takes \
                           the correction back`";
            return no(Code::Suspended, None, what, instead);
        }
        Ok(())
    }

    /// The person who spoke: the director has a name.
    fn person(&self) -> By {
        let By { role, name } = self.by;
        let director = self.t.director.filter(|_| role == Role::Director);
        By { role, name: name.or(director) }
    }

    fn waiting_correction(&self, table: Option<u32>) -> Result<Correction, Refusal> {
        let waiting = self.t.sittings().filter_map(|sitting| sitting.correction.as_deref());
        let mut waiting = waiting.filter(|c| table.is_none_or(|table| table == c.table));
        match (waiting.next(), waiting.next()) {
            (Some(correction), None) => Ok(correction.clone()),
            (Some(first), Some(_)) => {
                let what = "corrections wait at several tables";
                let instead = format!("allowed: `at table {} …`", first.table);
                no(Code::WhichTable, None, what, instead)
            }
            (None, _) => {
                let what = "no correction waits for a second person";
                no(Code::NothingToDecide, None, what, "allowed: `director corrects …` first")
            }
        }
    }

    /// The table at which an entrant plays, or played last.
    fn latest_of(&self, id: EntrantId) -> Result<(&Sitting, &Chair), Refusal> {
        let last = self.t.sittings().filter(|sitting| sitting.chair(id).is_some()).last();
        let found = last.and_then(|sitting| sitting.chair(id).map(|chair| (sitting, chair)));
        let Some((sitting, chair)) = found else { return self.chair(id) };
        let done = self.done(Some(sitting.number));
        if !sitting.is_live() && !done.is_some_and(|done| core::ptr::eq(done, sitting)) {
            return self.rested_on(sitting.number);
        }
        Ok((sitting, chair))
    }

    /// The table and the change that a correction makes, before and after.
    fn mended(&self, wrong: &Miskeyed) -> Result<(u32, Mended), Refusal> {
        match *wrong {
            Miskeyed::Wager { name, coup, spot, amount } => {
                self.mended_wager(name, coup, (spot, amount))
            }
            Miskeyed::Card { table, coup, number, card } => {
                let sitting = match self.done(table) {
                    Some(done) => done,
                    None => self.sitting(table)?,
                };
                let at = &sitting.table;
                let found = at.coup().or(at.last_coup()).filter(|found| found.number == coup);
                let index = u8::try_from(number).ok().and_then(|number| number.checked_sub(1));
                let cards = found.map(|coup| &coup.cards);
                let held = index.and_then(|i| cards.and_then(|cards| cards.get(usize::from(i))));
                let (Some(index), Some(from)) = (index, held.and_then(|held| held.card)) else {
                    let what = format!("card {number} of coup {coup} is not on the table");
                    let last = at.coups();
                    let instead = format!("allowed: a card of coup {last} that was seen");
                    return no(Code::NoSuchCoup, None, what, instead);
                };
                if from == card {
                    return as_keyed();
                }
                Ok((sitting.number, Mended::Card { coup, index, from, to: card }))
            }
            Miskeyed::Seat { name, seat } => self.mended_seat(name, seat),
            Miskeyed::Chips { name, amount } => {
                let entrant = self.named(name)?;
                let (sitting, chair) = self.latest_of(entrant)?;
                let gone = !sitting.is_live() || chair.out.is_some();
                let from = if gone { chair.left_with } else { sitting.chips(chair) };
                if Balance::from(amount) == from {
                    return as_keyed();
                }
                Ok((sitting.number, Mended::Chips { entrant, from, to: amount }))
            }
        }
    }

    fn mended_wager(
        &self,
        name: Name,
        coup: Option<u32>,
        to: (Spot, Cents),
    ) -> Result<(u32, Mended), Refusal> {
        let entrant = self.named(name)?;
        let (sitting, chair) = self.latest_of(entrant)?;
        let table = &sitting.table;
        let Some(player) = chair.player else {
            let what = format!("{name} has not played");
            return no(Code::NoSuchWager, None, what, "allowed: a wager of a player");
        };
        let lies = |wager: &table::Wager| wager.player == player && !chair.carried;
        let now = table.coup().is_some()
            || table.phase() == Phase::Called
            || table.wagers().iter().any(lies);
        let current = table.coup().map_or(table.coups() + 1, |coup| coup.number);
        let last = table.last_coup().map(|coup| coup.number).filter(|_| !now);
        let coup = coup.filter(|coup| *coup != current).or(last.filter(|_| coup.is_none()));
        if coup.is_none() && !now {
            let what = format!("no wager of {name} lies");
            return no(Code::NoSuchWager, None, what, format!("allowed: `{name} bets …`"));
        }
        let on = |spot: Spot| match coup {
            Some(_) => table.settled_on(player, spot),
            None => table.on_spot(player, spot).map(|wager| wager.stake),
        };
        let other = to.0.other_hand();
        let here = on(to.0).map(|stake| (to.0, stake));
        let from = here.or_else(|| other.and_then(|spot| on(spot).map(|stake| (spot, stake))));
        if from == Some(to) || (from.is_none() && to.1 == Cents::ZERO) {
            return as_keyed();
        }
        Ok((sitting.number, Mended::Wager { entrant, coup, from, to }))
    }

    /// Before the start of a session the seat is that of the allotted place, afterwards that of the
    /// chair.
    fn mended_seat(&self, name: Name, to: u32) -> Result<(u32, Mended), Refusal> {
        let entrant = self.named(name)?;
        let given = self.t.allotments.iter().find(|place| place.entrant == entrant);
        let (table, from, seats, other) = if let Some(given) = given {
            if self.t.balloted {
                let clause = Some(self.rules.event.seating.clause);
                let what = format!("a ballot drew seat {} for {name}", given.seat);
                let instead = "allowed: `director draws again because …`, all places by a new \
                               ballot";
                return no(Code::ByBallot, clause, what, instead);
            }
            let stage = self.t.current_stage().unwrap_or(0);
            let at = self.conditions()?.stages.0.get(stage).map_or(7, |stage| stage.seats);
            let mut there = self.t.allotments.iter().filter(|place| place.table == given.table);
            let other = there.find(|place| place.seat == to).map(|place| place.entrant);
            (given.table, given.seat, if at > 7 { 9 } else { 7 }, other)
        } else {
            let (sitting, chair) = self.chair(entrant)?;
            let other = sitting.chairs.iter().find(|chair| chair.seat == to);
            let seats = sitting.table.options().seats;
            (sitting.number, chair.seat, seats, other.map(|chair| chair.entrant))
        };
        if from == to {
            return as_keyed();
        }
        if to == 0 || to > seats {
            let what = format!("table {table} has no seat {to}");
            return no(Code::NoSuchSeat, None, what, format!("allowed: 1 to {seats}"));
        }
        Ok((table, Mended::Seat { entrant, from, to, other }))
    }

    /// The correction in the words of the command.
    fn as_said(&self, correction: &Correction) -> Miskeyed {
        let name = |entrant: EntrantId| self.who(entrant).name;
        match correction.what {
            Mended::Wager { entrant, coup, to: (spot, amount), .. } => {
                Miskeyed::Wager { name: name(entrant), coup, spot, amount }
            }
            Mended::Card { coup, index, to: card, .. } => {
                let (table, number) = (Some(correction.table), u32::from(index) + 1);
                Miskeyed::Card { table, coup, number, card }
            }
            Mended::Seat { entrant, to: seat, .. } => Miskeyed::Seat { name: name(entrant), seat },
            Mended::Chips { entrant, to: amount, .. } => {
                Miskeyed::Chips { name: name(entrant), amount }
            }
        }
    }

    /// Whether a second person must confirm: this is so for anything that was settled already.
    fn needs_a_second(&self, correction: &Correction) -> bool {
        let here = |sitting: &&Sitting| sitting.number == correction.table;
        let sitting = self.t.sittings().filter(here).last();
        let settled = sitting
            .is_some_and(|sitting| sitting.dealt > u32::from(sitting.table.coup().is_some()));
        match correction.what {
            Mended::Wager { coup, .. } => coup.is_some(),
            Mended::Card { coup, .. } => {
                let under_way = sitting.and_then(|sitting| sitting.table.coup());
                under_way.is_none_or(|under_way| under_way.number != coup)
            }
            Mended::Seat { entrant, .. } => {
                let given = self.t.allotments.iter().any(|place| place.entrant == entrant);
                settled && !given
            }
            Mended::Chips { .. } => settled,
        }
    }

    /// Carries out a correction, and judges everything that follows from it.
    fn carry_out(&mut self, correction: &Correction) -> Result<(), Refusal> {
        let number = correction.table;
        let about_play = !matches!(correction.what, Mended::Seat { .. });
        if let Some(done) = self.done(Some(number)).filter(|_| about_play) {
            let stage = done.stage;
            // A correction is not a void, and no book mentions it.
            self.reopen(number, stage, None)?;
        }
        self.push(Fact::Corrected(Box::new(correction.clone())), &[]);
        match correction.what {
            Mended::Wager { entrant, coup, to: (spot, stake), .. } => {
                let Some(player) = self.chair(entrant)?.1.player else { return Ok(()) };
                let wrong = Rekeyed::Wager { player, coup, spot, stake };
                match coup {
                    Some(coup) => self.settle_again(number, coup, wrong),
                    None => self.correct_lying(number, entrant, wrong),
                }
            }
            Mended::Card { coup, index, to: card, .. } => {
                let wrong = Rekeyed::Card { coup, index, card };
                if self.sitting(Some(number))?.table.coup().is_none() {
                    return self.settle_again(number, coup, wrong);
                }
                let before = self.events.len();
                self.correct_at(number, wrong)?;
                self.follow(number, before, Phase::Betting)
            }
            Mended::Seat { entrant, from, to, other } => {
                self.correct_seats(number, [(Some(entrant), to), (other, from)]);
                Ok(())
            }
            Mended::Chips { entrant, to, .. } => self.correct_chips(number, entrant, to),
        }
    }

    fn correct_at(&mut self, number: u32, wrong: Rekeyed) -> Result<(), Refusal> {
        let table = &self.sitting(Some(number))?.table;
        let events = table.correct(self.table_book, self.at, wrong)?;
        self.at_table(number, events);
        Ok(())
    }

    /// Corrects a wager on the layout. After the call it must still be one that could have been
    /// made.
    fn correct_lying(&mut self, number: u32, id: EntrantId, wrong: Rekeyed) -> Result<(), Refusal> {
        self.correct_at(number, wrong)?;
        let sitting = self.sitting(Some(number))?;
        let open = sitting.table.phase() == Phase::Betting || sitting.table.is_no_bet();
        let lacks = sitting.chair(id).and_then(|chair| self.lacks(sitting, chair));
        match lacks.filter(|_| !open) {
            Some((lacks, clause)) => {
                let what = format!("{} {lacks} after that", self.who(id).name);
                let instead = format!("allowed: at least {} on a hand", sitting.minimum());
                no(Code::MustWager, Some(clause), what, instead)
            }
            None => Ok(()),
        }
    }

    /// Settles the coup that ended last again.
    fn settle_again(&mut self, number: u32, coup: u32, wrong: Rekeyed) -> Result<(), Refusal> {
        self.check_may_void(number, Some(coup))?;
        let sitting = self.sitting(Some(number))?;
        let memory = sitting.memory.as_ref().filter(|memory| memory.coup == coup);
        let secret = |chair: &Chair| chair.form.is_some() || chair.laid;
        if memory.is_some_and(|memory| memory.chairs.iter().any(|(chair, _)| secret(chair))) {
            let what = format!("secret wagers of coup {coup} are opened and settled");
            let instead = "allowed: `director corrects NAME's chips to …`, or the coup is void";
            return no(Code::WrongMoment, None, what, instead);
        }
        self.bring_back_for_the_last_coup(number, None)?;
        self.lift_wagers(number, None);
        let before = self.events.len();
        self.correct_at(number, wrong)?;
        self.follow(number, before, Phase::Betting)
    }

    fn correct_seats(&mut self, number: u32, moves: [(Option<EntrantId>, u32); 2]) {
        for (id, seat) in moves {
            let sitting = self.t.sitting(number);
            let chair = id.and_then(|id| sitting.and_then(|sitting| sitting.chair(id)));
            let player: Option<PlayerId> = chair.and_then(|chair| chair.player);
            if let Some(player) = player {
                let fact = TableFact::SeatCorrected { player, seat };
                self.direct_at(number, &[], |by| by.event(fact));
            }
        }
    }

    /// Corrects the number of chips that a player holds. Elimination and ranking are judged again.
    fn correct_chips(&mut self, number: u32, id: EntrantId, to: Cents) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let name = self.who(id).name;
        let dealt = sitting.table.coup().is_some() || sitting.table.phase() == Phase::Called;
        if dealt || sitting.has_forms_to_open() {
            let what = format!("a coup of table {number} is not over");
            return no(Code::WrongMoment, None, what, "allowed when it is");
        }
        let Some(chair) = sitting.chair(id) else { return Ok(()) };
        let over = matches!(sitting.stint, Stint::PlayOffDue(_) | Stint::Over);
        let one_left = sitting.active().count() <= 1;
        let entered = self.who(id).status == Status::Entered;
        match (chair.out, chair.player) {
            (Some((_, OutWhy::Chips | OutWhy::Raised)), _) if entered => {
                if to < sitting.minimum() {
                    let what = format!("{name} is out, and {to} is below the minimum too");
                    let instead = format!("allowed: {} or more", sitting.minimum());
                    return no(Code::NotEligible, None, what, instead);
                }
                self.let_in_again(number, id, to.into(), &[])?;
            }
            (None, Some(player)) => {
                let (stack, more) =
                    (sitting.stack(chair), Balance::from(to) - sitting.chips(chair));
                if (stack + more).is_negative() {
                    let what = format!("more than {to} of {name} lies on the layout");
                    return no(Code::NotEnoughChips, None, what, "correct the wager first");
                }
                self.adjust(number, player, more, &[]);
            }
            (Some(_) | None, _) => {
                let what = format!("{name} is out of this session");
                return no(Code::NotEligible, None, what, "allowed: a player who is in it");
            }
        }
        if !over {
            return self.judge_who_is_left(number);
        }
        self.push(Fact::PlayGoesOn(number), &[]);
        let sitting = self.sitting(Some(number))?;
        if !one_left || sitting.active().count() <= 1 || self.has_run_its_length(sitting) {
            return self.end_play(number);
        }
        self.eliminate_the_short(number, OutWhy::Chips)?;
        if self.settle_if_over_now(number)? {
            return Ok(());
        }
        self.move_marker(number)
    }
}
