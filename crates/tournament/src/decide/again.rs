//! Judging coups again: cards that are put right after the result, and sessions that were over.

use alloc::format;
use alloc::vec::Vec;

use rules::{Balance, Clause};
use table::{Account, Act as TableAct, Code, Decision, Fact as TableFact, PlayerId, Refusal, no};

use super::{Draft, of};
use crate::event::{EntrantId, Fact, Seat};
use crate::sitting::{Chair, Sitting};
use crate::state::Status;

/// Whether an act can change the result of a finished coup.
pub(super) const fn is_about_the_past(act: &TableAct) -> bool {
    matches!(
        act,
        TableAct::VoidCoup(_)
            | TableAct::VoidNumbered(..)
            | TableAct::Invalidate(_)
            | TableAct::VoidWagers(..)
            | TableAct::Supervisor(
                Decision::FindError(_) | Decision::Reconstruct(_) | Decision::CannotReconstruct
            )
    )
}

impl Draft<'_> {
    /// Reopens a session that is over, citing a clause if one requires it, as long as nothing
    /// depends on the session yet.
    pub(super) fn reopen(
        &mut self,
        number: u32,
        stage: usize,
        clause: Option<Clause>,
    ) -> Result<(), Refusal> {
        if self.t.sittings().any(|sitting| sitting.stage > stage) {
            return self.rested_on(number);
        }
        if self.t.sittings().any(|sitting| sitting.stage == stage && sitting.places.is_some()) {
            let clause = Some(self.rules.prizes.level.clause);
            let what = format!("a play-off of runners-up rests on what table {number} came to");
            let instead = "allowed before it is due; now staff decide, on the record";
            return no(Code::WrongMoment, clause, what, instead);
        }
        self.direct_at(number, &[clause], |by| by.event(TableFact::OpenedAgain));
        let sitting = self.t.sittings().filter(|sitting| sitting.number == number).last();
        let in_it = |chair: &&Chair| {
            chair.out.is_none() && self.who(chair.entrant).status == Status::Entered
        };
        let chairs = sitting.into_iter().flat_map(|sitting| &sitting.chairs).filter(in_it);
        for (player, chips) in chairs.map(|c| (c.player, c.left_with)).collect::<Vec<_>>() {
            self.sit_again(number, player, chips, &[clause]);
        }
        self.push(Fact::SessionReopened(number), &[clause]);
        let back: Vec<_> =
            self.sitting(Some(number))?.chairs.iter().map(|chair| chair.entrant).collect();
        for id in back {
            self.free_substitute(id, &[]);
        }
        self.take_points_back(number)
    }

    /// Refuses to reopen a session that another session depends on.
    pub(super) fn rested_on<T>(&self, number: u32) -> Result<T, Refusal> {
        let clause = of(&self.rules.prizes.winners).or(Some(self.rules.prizes.level.clause));
        let what = format!("the next session depends on the result of table {number}");
        let instead =
            "allowed before the next session starts; now staff decide, and it is recorded";
        no(Code::WrongMoment, clause, what, instead)
    }

    /// Judges an act of staff on a finished coup, and on the current one.
    pub(super) fn judge_anew(&mut self, number: u32, act: &TableAct) -> Result<(), Refusal> {
        let coup = if let TableAct::Supervisor(Decision::FindError(coup))
        | TableAct::VoidWagers(_, Some(coup), _)
        | TableAct::VoidNumbered(coup, _) = act
        {
            Some(*coup)
        } else {
            None
        };
        let table = &self.sitting(Some(number))?.table;
        let between = table.coup().is_none();
        let lying = matches!(act, TableAct::VoidWagers(_, None, _)) && !table.wagers().is_empty();
        if !lying {
            self.check_may_void(number, coup)?;
        }
        if let (TableAct::Supervisor(Decision::Reconstruct(_)), true) = (act, between) {
            let clause = Some(self.book.irregularities.out_of_sequence.clause);
            self.bring_back_for_the_last_coup(number, clause)?;
        }
        self.delegate(number, act)
    }

    /// The last coup will be judged again: a player who was eliminated by it comes back for that.
    pub(super) fn bring_back_for_the_last_coup(
        &mut self,
        number: u32,
        clause: Option<Clause>,
    ) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let Some(memory) = sitting.memory.clone() else { return Ok(()) };
        for (before, _) in memory.chairs.iter().filter(|(c, _)| c.plays && c.out.is_none()) {
            let id = before.entrant;
            let sitting = self.sitting(Some(number))?;
            let Some(chair) = sitting.chair(id) else { continue };
            if chair.bought.len() > before.bought.len() {
                let name = self.who(id).name;
                let what = format!("{name} bought back in after coup {}", memory.coup);
                return no(Code::WrongMoment, clause, what, "it can be declared void");
            }
            let left = chair.player.is_some_and(|player| !sitting.table.player(player).present);
            let cents = chair.left_with;
            if left && self.who(id).status == Status::Entered {
                self.let_in_again(number, id, cents, &[clause])?;
            }
        }
        Ok(())
    }

    /// Brings a player back who was eliminated, with so many chips.
    pub(super) fn let_in_again(
        &mut self,
        number: u32,
        id: EntrantId,
        chips: Balance,
        clauses: &[Option<Clause>],
    ) -> Result<(), Refusal> {
        let (_, chair) = self.chair(id)?;
        let (player, missing) = (chair.player, chair.is_missing());
        self.sit_again(number, player, chips, clauses);
        self.note(id, if missing { Seat::Empty } else { Seat::Taken }, clauses);
        self.push(Fact::InAgain { table: number, entrant: id, cents: chips }, clauses);
        self.free_substitute(id, &[]);
        Ok(())
    }

    /// Puts a player who left a table back at it.
    fn sit_again(
        &mut self,
        number: u32,
        player: Option<PlayerId>,
        chips: Balance,
        clauses: &[Option<Clause>],
    ) {
        let sitting = self.t.sittings().filter(|sitting| sitting.number == number).last();
        let (Some(player), Some(sitting)) = (player, sitting) else { return };
        let owed = sitting.table.balance(Account::Receivable(player));
        self.direct_at(number, clauses, |by| by.let_in_again(player, chips, owed));
    }

    /// Tells the table whether a player is in the seat, if it does not know.
    pub(super) fn note(&mut self, id: EntrantId, seat: Seat, clauses: &[Option<Clause>]) {
        let Ok((sitting, chair)) = self.chair(id) else { return };
        let (number, Some(player)) = (sitting.number, chair.player) else { return };
        match (seat, sitting.table.is_away(player)) {
            (Seat::Empty, false) => {
                self.direct_at(number, clauses, |by| by.event(TableFact::Away(player)));
            }
            (Seat::Taken, true) => {
                self.direct_at(number, clauses, |by| by.event(TableFact::Back(player)));
            }
            (Seat::Empty, true) | (Seat::Taken, false) => {}
        }
    }

    /// The coup whose effect on a player was reversed since then, although the coup is neither void
    /// nor judged again.
    pub(super) fn reversed(&self, since: usize) -> Option<u32> {
        let mut facts = self.at_tables(since);
        let again = self.at_tables(since).any(|fact| matches!(fact, TableFact::Reopened { .. }));
        let number = facts.find_map(|fact| {
            if let TableFact::Reversed { number, .. } = fact { Some(*number) } else { None }
        });
        number.filter(|_| !again)
    }

    /// The table of a session that is over, if no table with that number is in play.
    pub(super) fn done(&self, number: Option<u32>) -> Option<&Sitting> {
        let live = self.t.sittings().any(|s| s.is_live() && number.is_none_or(|n| n == s.number));
        let last = self.t.sittings().last()?.stage;
        let mut done = self.t.sittings().filter(|sitting| match number {
            Some(number) => sitting.number == number,
            None => sitting.stage == last,
        });
        let one = match number {
            Some(_) => done.last(),
            None => done.next().filter(|_| done.next().is_none()),
        };
        one.filter(|_| !live)
    }
}
