//! A director's acts on the event itself: handing over, waiving the time limit, having places drawn
//! again, and moving a table that broke down.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use table::{Code, Fact as TableFact, Name, Phase, Refusal, no};

use super::{Draft, of};
use crate::event::Fact;
use crate::sitting::Stint;

impl Draft<'_> {
    pub(super) fn hand_over(&mut self, to: Name) -> Result<(), Refusal> {
        let clause = Some(self.rules.event.director.clause);
        let from = self.t.director;
        let (what, instead) = match from {
            None => ("no director is named".into(), "allowed: `operator names NAME director`"),
            Some(_) if self.t.director_away => {
                let what = "the director is not there to hand over".into();
                (what, "allowed: `director returns` first, or `operator names NAME director`")
            }
            Some(from) if from == to => {
                (format!("{to} is the director already"), "allowed: another person")
            }
            Some(_) => {
                self.check_may_direct(to)?;
                let present = of(&self.rules.event.director_present);
                self.push(Fact::HandedOver { from, to }, &[clause, present]);
                return Ok(());
            }
        };
        no(Code::NotEligible, clause, what, instead)
    }

    /// Waives the time limit to wager for everybody at a table, for this coup.
    pub(super) fn waive_time_for_all(&mut self, table: Option<u32>) -> Result<(), Refusal> {
        let rule = self.holds_to_the_minimum()?;
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        let runs = sitting.limit.or(self.t.wager_time).is_some();
        if sitting.table.phase() != Phase::Betting || !runs {
            let what = format!("no time to wager runs at table {number}");
            let instead = "allowed while players wager, and a time to wager is set";
            return no(Code::WrongMoment, Some(rule), what, instead);
        }
        self.push(Fact::TimeWaivedForAll(number), &[Some(rule)]);
        Ok(())
    }

    pub(super) fn lift_wager_time(&mut self) -> Result<(), Refusal> {
        let clause = of(&self.rules.wagers.time_limit).or(of(&self.rules.event.pace));
        if self.t.wager_time.is_none() {
            let what = "no time to wager is set";
            return no(Code::WrongMoment, clause, what, "allowed: `director sets 60s to wager`");
        }
        self.push(Fact::WagerTimeLifted, &[clause]);
        Ok(())
    }

    /// Has the places of the next session drawn again, by a new ballot.
    pub(super) fn draw_again(&mut self, why: &str) -> Result<(), Refusal> {
        let clause = Some(self.rules.event.seating.clause);
        self.stage_to_seat()?;
        self.check_no_ballot()?;
        if self.t.allotments.is_empty() {
            let what = "no places are drawn";
            return no(Code::WrongMoment, clause, what, "allowed: a first draw");
        }
        let by = self.by;
        self.push(Fact::DrawnAgain { why: String::from(why), by }, &[clause]);
        Ok(())
    }

    /// Moves the play of a table to another table that is free.
    pub(super) fn move_table(&mut self, from: u32, to: u32, why: &str) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(from))?;
        let dealt = sitting.table.coup().is_some() || sitting.table.phase() == Phase::Called;
        if dealt || sitting.has_forms_to_open() || sitting.stint == Stint::Over {
            let what = format!("a coup of table {from} is not over");
            let instead = "allowed between coups: finish the coup, or declare it void";
            return no(Code::WrongMoment, None, what, instead);
        }
        self.check_table_is_free(to, sitting.stage)?;
        let wagers: Vec<_> = sitting.table.wagers().to_vec();
        self.void_forms(from);
        for wager in wagers {
            self.direct_at(from, &[], |by| by.lift(&wager));
        }
        let by = self.by;
        let moved = Fact::TableMoved { from, to, why: String::from(why), by };
        self.push(moved, &[of(&self.rules.event.tables)]);
        // The new table has other cards.
        self.direct_at(to, &[], |by| by.event(TableFact::ShuffleDue));
        self.direct_at(to, &[], |by| by.event(TableFact::Replaced));
        if let Stint::Session | Stint::PlayOff(_) = self.sitting(Some(to))?.stint {
            self.marker_again(to);
        }
        Ok(())
    }

    /// Checks that a table exists, and that nobody plays or played at it in this stage.
    fn check_table_is_free(&self, to: u32, stage: usize) -> Result<(), Refusal> {
        let used = |number: u32| {
            self.t.sittings().any(|s| s.number == number && (s.is_live() || s.stage == stage))
        };
        let named = self.t.tables.is_empty() || self.t.tables.contains(&to);
        if to > 0 && named && !used(to) {
            return Ok(());
        }
        let clause = of(&self.rules.event.tables);
        if to == 0 || !named {
            let what = format!("table {to} is not one of the tables of this tournament");
            let instead = "allowed: a table that the director named, `director names tables …`";
            return no(Code::WhichTable, clause, what, instead);
        }
        let what = format!("table {to} is or was in use in this stage");
        no(Code::WhichTable, clause, what, "allowed: a table that nobody has played at in it")
    }
}
