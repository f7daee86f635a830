//! Elimination from a session, and leaving the table.

use alloc::format;
use alloc::vec::Vec;

use rules::book::Disqualified;
use rules::{Balance, Clause};
use table::{Act as TableAct, Code, Deed, Name, Phase, Refusal, no};

use super::{Draft, of};
use crate::event::{EntrantId, Fact, OutWhy};

impl Draft<'_> {
    /// Eliminates players who have less than the minimum.
    pub(super) fn eliminate_the_short(&mut self, number: u32, why: OutWhy) -> Result<(), Refusal> {
        let wagers = self.rules.wagers;
        let sitting = self.sitting(Some(number))?;
        let minimum = Balance::from(sitting.minimum()).max(Balance::new(1));
        let short = sitting.active().filter(|chair| sitting.chips(chair) < minimum);
        let short: Vec<_> = short.map(|chair| chair.entrant).collect();
        for id in short {
            self.take_out(number, id, why, &[Some(wagers.elimination.clause)])?;
            if let Some(rule) = wagers.eliminated_place {
                self.push(Fact::PlaceVoid(id), &[Some(rule.clause)]);
            }
            if let Some(rule) = wagers.eliminated_chips {
                self.push(Fact::ChipsLeft(id), &[Some(rule.clause)]);
            }
        }
        Ok(())
    }

    /// Eliminates a player from the session, who leaves the table; the remaining chips leave too.
    pub(super) fn take_out(
        &mut self,
        number: u32,
        id: EntrantId,
        why: OutWhy,
        clauses: &[Option<Clause>],
    ) -> Result<(), Refusal> {
        self.push(Fact::Eliminated { entrant: id, table: number, why }, clauses);
        if self.chair(id).is_ok_and(|(_, chair)| chair.form.is_some()) {
            self.push(Fact::FormVoid(id), clauses);
        }
        self.leave_table(number, id)?;
        self.pass_turn(number, id);
        Ok(())
    }

    /// If it was the eliminated player's turn, asks the next player.
    fn pass_turn(&mut self, table: u32, id: EntrantId) {
        let Some(sitting) = self.t.sitting(table) else { return };
        let turn = sitting.chair(id).map(|chair| chair.seat).filter(|s| sitting.turn == Some(*s));
        let next = turn.and_then(|seat| sitting.next_to_ask(seat)).map(|chair| chair.seat);
        if let Some(seat) = next {
            self.push(Fact::Asked { table, seat }, &[Some(self.rules.wagers.order.clause)]);
        }
    }

    pub(super) fn leave_table(&mut self, number: u32, id: EntrantId) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let player = sitting.chair(id).and_then(|chair| chair.player);
        let there = player.is_some_and(|player| sitting.table.player(player).present);
        if !there {
            return Ok(());
        }
        let name = self.who(id).name;
        match self.table_acts(number, TableAct::Player(name, Deed::Leave)) {
            // A wager in a coup that is being dealt is settled first.
            Err(refusal) if refusal.code == Code::Frozen => Ok(()),
            left => left,
        }
    }

    pub(super) fn eliminate(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let (sitting, chair) = self.chair(id)?;
        let number = sitting.number;
        let asked = sitting.turn == Some(chair.seat) || chair.absent;
        let wagered = chair.out.is_some() || self.lacks(sitting, chair).is_none();
        if self.rules.prizes.disqualifies(Disqualified::Breach) {
            let clause = of(&self.rules.prizes.disqualified_breach);
            let what = format!("{name} is eliminated for not wagering");
            let instead = format!("allowed: `director disqualifies {name} because …`");
            return no(Code::NotInTheBook, clause, what, instead);
        }
        let clause = Some(self.rules.wagers.elimination.clause);
        if wagered || sitting.table.phase() != Phase::Betting {
            let what = format!("{name} has wagered, or is out already");
            return no(Code::NotEligible, clause, what, "play on");
        }
        if !asked {
            let what = format!("{name} was not asked to wager");
            return no(
                Code::NotTheirTurn,
                clause,
                what,
                format!("`dealer asks {name}` comes first"),
            );
        }
        self.take_out(number, id, OutWhy::NoWager, &[clause])?;
        self.settle_if_over(number)
    }
}
