//! Time: breaks, pace, and players who are away.

use alloc::format;

use rules::Clause;
use table::{Code, Name, Refusal, Time, no};

use super::{Draft, of};
use crate::event::{Fact, Seat};

impl Draft<'_> {
    pub(super) fn give_break(&mut self, time: Time) -> Result<(), Refusal> {
        if time == 0 {
            let clause = of(&self.rules.event.breaks);
            return no(Code::NoAmount, clause, "a break of no time", "say how long it is");
        }
        self.push(Fact::BreakGiven(self.at.saturating_add(time)), &[of(&self.rules.event.breaks)]);
        Ok(())
    }

    pub(super) fn resume(&mut self) -> Result<(), Refusal> {
        if self.t.rests.is_none() {
            return Self::wrong_moment("play is not interrupted", "go on");
        }
        self.push(Fact::PlayResumed, &[of(&self.rules.event.breaks)]);
        Ok(())
    }

    /// Refuses wagers and dealing during a break.
    pub(super) fn check_break(&self) -> Result<(), Refusal> {
        if self.t.rests.is_some_and(|until| self.at < until) {
            let clause = of(&self.rules.event.breaks);
            return no(
                Code::OnBreak,
                clause,
                "there is a break",
                "`director resumes play` ends it",
            );
        }
        Ok(())
    }

    pub(super) fn set_wager_time(&mut self, time: Time) {
        let clause = of(&self.rules.wagers.time_limit).or(of(&self.rules.event.pace));
        self.push(Fact::WagerTimeSet(time), &[clause]);
    }

    /// Waives the time limit for a player's turn.
    pub(super) fn waive_time(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let (sitting, chair) = self.chair(id)?;
        let rule = self.holds_to_the_minimum()?;
        if sitting.turn != Some(chair.seat) || sitting.limit.is_none() {
            let what = format!("no time to wager runs for {name}");
            return no(Code::NotTheirTurn, Some(rule), what, "allowed during the player's turn");
        }
        self.push(Fact::TimeWaived(id), &[Some(rule)]);
        Ok(())
    }

    /// The clause that limits a slow player to the minimum; without it there is nothing to waive.
    pub(super) fn holds_to_the_minimum(&self) -> Result<Clause, Refusal> {
        let Some(rule) = self.rules.wagers.too_slow else {
            let clause = of(&self.rules.event.pace);
            let what = "the book holds nobody to the minimum for being slow";
            return no(Code::NotInTheBook, clause, what, "nothing needs to be waived");
        };
        Ok(rule.clause)
    }

    pub(super) fn direct(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        self.chair(id)?;
        let clause = of(&self.rules.event.pace).or(of(&self.rules.wagers.time_limit));
        self.push(Fact::Directed(id), &[clause]);
        Ok(())
    }

    pub(super) fn go_away(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let (_, chair) = self.chair(id)?;
        if chair.is_missing() || chair.out.is_some() {
            let what = format!("{name} is not in the seat");
            return Self::wrong_moment(&what, "go on without");
        }
        let event = self.rules.event;
        let live = self.conditions()?.live;
        if let Some(substitute) = self.who(id).substitute.filter(|_| self.who(id).name == name) {
            // The approved substitute sits there from now on.
            let absent = if live { of(&event.absent_live) } else { of(&event.absent) };
            let clauses = [Some(event.substitute.clause), absent];
            self.push(Fact::Substituted(id, substitute), &clauses);
            return Ok(());
        }
        let clause = if live { of(&event.absent_live) } else { of(&event.absent) };
        self.note(id, Seat::Empty, &[clause]);
        self.push(Fact::WentAway(id), &[clause]);
        Ok(())
    }

    pub(super) fn come_back(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let (own, substitute) = (self.who(id).name, self.who(id).substitute);
        let out = self.chair(id)?.1.out.is_some();
        if substitute.is_some() && own == name && !out {
            let clause = Some(self.rules.event.substitute.clause);
            self.push(Fact::Substituted(id, own), &[clause]);
            return Ok(());
        }
        if !self.chair(id)?.1.absent || out {
            let what = format!("{name} is not away");
            return Self::wrong_moment(&what, "go on");
        }
        self.note(id, Seat::Taken, &[]);
        self.push(Fact::CameBack(id), &[]);
        Ok(())
    }
}
