//! The limits of a tournament's tables, and the indicator card after which they may rise.

use rules::{Cents, Group};
use table::{Code, Fact as TableFact, Phase, Refusal, SignLine, no};

use super::{Draft, of};
use crate::event::{Fact, OutWhy};
use crate::sitting::{Sitting, Stint};

impl Draft<'_> {
    pub(super) fn insert_indicator(&mut self, table: Option<u32>) -> Result<(), Refusal> {
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        let ready = sitting.table.phase() == Phase::Preparing && !sitting.indicator_in;
        let Some(rule) = self.rules.wagers.indicator.filter(|_| ready) else {
            let clause = of(&self.rules.wagers.indicator);
            let what = "putting the indicator card in now";
            let instead = "once, before the cards are placed into the shoe, where the book has one";
            return no(Code::WrongMoment, clause, what, instead);
        };
        self.push(Fact::IndicatorIn(number), &[Some(rule.clause)]);
        Ok(())
    }

    pub(super) fn indicator_appears(&mut self, table: Option<u32>) -> Result<(), Refusal> {
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        let clause = of(&self.rules.wagers.indicator_appears);
        if !sitting.indicator_in {
            let what = "no indicator card is in the shoe";
            return no(Code::WrongMoment, clause, what, "the inspector puts it in first");
        }
        self.push(Fact::IndicatorOut(number), &[clause]);
        Ok(())
    }

    pub(super) fn raise_limits(&mut self, table: Option<u32>) -> Result<(), Refusal> {
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        let clause = of(&self.rules.wagers.limits_rise);
        let plays = matches!(sitting.stint, Stint::Session | Stint::PlayOff(_));
        let settled = plays && sitting.is_between_coups() && !sitting.has_forms_to_open();
        let ready = sitting.indicator_out && !sitting.raised && settled;
        let raised = self.conditions()?.raised_of(sitting.stage).cloned();
        let (true, Some(sign)) = (ready, raised) else {
            let what = "raising the limits now";
            let instead = "allowed once, to the values in the conditions, after the coup in \
                           which the indicator card appeared";
            return no(Code::WrongMoment, clause, what, instead);
        };
        self.push(Fact::LimitsRaised(number), &[clause]);
        for (group, limits) in sign.0 {
            let posting = SignLine::Limits(group, limits);
            self.direct_at(number, &[clause], |by| by.event(TableFact::TookEffect(posting)));
        }
        self.eliminate_the_short(number, OutWhy::Raised)?;
        self.settle_if_over(number)
    }

    /// The limits of a group at a table.
    pub(super) fn limits(sitting: &Sitting, group: Group) -> (Cents, Cents, Option<Cents>) {
        let limits = sitting.table.limits(group);
        limits.map_or((Cents::ZERO, Cents::MAX, None), |limits| {
            (limits.least, limits.most, limits.step)
        })
    }
}
