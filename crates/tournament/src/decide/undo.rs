//! A coup that is void after it was over: the session is as it was before it.

use alloc::format;
use alloc::vec::Vec;

use rules::{Cents, Clause};
use table::{Account, Code, Entry, Fact as TableFact, Refusal, no};

use super::{Draft, of};
use crate::event::{EntrantId, Fact, OutWhy};
use crate::sitting::{Memory, Stint};
use crate::state::Status;

impl Draft<'_> {
    /// The coup that was declared void since then.
    pub(super) fn voided(&self, since: usize) -> Option<u32> {
        self.events[since..].iter().find_map(|event| match &event.fact {
            Fact::AtTable { event, .. } => match event.fact {
                TableFact::Voided { number, .. } => Some(number),
                _ => None,
            },
            _ => None,
        })
    }

    /// A play-off rests on the coups before it: they are not undone once it has begun.
    pub(super) fn check_may_void(&self, number: u32, coup: Option<u32>) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let over = sitting.table.coup().is_none();
        let coup = coup.unwrap_or(sitting.dealt);
        let before = coup <= sitting.before_play_off;
        let plays_off = matches!(sitting.stint, Stint::PlayOff(_) | Stint::PlayOffDue(_));
        if plays_off && over && before && coup > 0 {
            let clause = Some(self.rules.prizes.level.clause);
            let what = format!("the play-off that rests on coup {coup} has begun");
            return no(Code::WrongMoment, clause, what, "before its start it would do");
        }
        Ok(())
    }

    /// Undoes the last coup: who held what, who was in, what was played.
    pub(super) fn undo(&mut self, number: u32, void: u32) -> Result<(), Refusal> {
        let clause = of(&self.book.general.void_means);
        let sitting = self.sitting(Some(number))?;
        let memory = sitting.memory.clone().filter(|memory| memory.coup == void);
        if let Some(memory) = memory {
            if sitting.table.coup().is_none() {
                self.lift_wagers(number, clause);
            }
            self.give_back(number, &memory, clause)?;
            self.push(Fact::CoupUndone(number), &[clause]);
            let sitting = self.sitting(Some(number))?;
            if sitting.turn.is_none() || sitting.table.wagers().is_empty() {
                self.marker_again(number);
            }
        } else if let Stint::PlayOffDue(_) = sitting.stint {
            return self.go_on_or_rank_anew(number, clause);
        }
        if self.sitting(Some(number))?.table.coup().is_none() {
            self.eliminate_the_short(number, OutWhy::Raised)?;
            return self.settle_if_over(number);
        }
        Ok(())
    }

    /// A coup before the last is void: players hold other chips, and may have a coup to play.
    fn go_on_or_rank_anew(&mut self, number: u32, clause: Option<Clause>) -> Result<(), Refusal> {
        self.push(Fact::PlayGoesOn(number), &[clause]);
        if self.has_run_its_length(self.sitting(Some(number))?) {
            return self.end_play(number);
        }
        self.eliminate_the_short(number, OutWhy::Chips)?;
        if self.settle_if_over_now(number)? {
            return Ok(());
        }
        self.move_marker(number)
    }

    /// Everybody who played has again what they had before the coup.
    fn give_back(
        &mut self,
        number: u32,
        memory: &Memory,
        clause: Option<Clause>,
    ) -> Result<(), Refusal> {
        let in_it = memory.chairs.iter().filter(|(chair, _)| chair.plays && chair.out.is_none());
        let in_it: Vec<_> = in_it.map(|(chair, held)| (chair.entrant, *held)).collect();
        for (id, held) in in_it {
            let sitting = self.sitting(Some(number))?;
            let Some(chair) = sitting.chair(id) else { continue };
            let (Some(player), seat) = (chair.player, chair.seat) else { continue };
            if sitting.table.player(player).present {
                let (now, stack) = (sitting.chips(chair), sitting.stack(chair));
                let cents = (held - now).max(-stack);
                if cents != 0 {
                    self.adjust(number, player, cents, &[clause]);
                }
            } else if self.who(id).status == Status::Entered {
                self.let_in_again(number, id, seat, held, clause)?;
            }
        }
        Ok(())
    }

    fn let_in_again(
        &mut self,
        number: u32,
        id: EntrantId,
        seat: u32,
        held: i64,
        clause: Option<Clause>,
    ) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let Some(player) = sitting.chair(id).and_then(|chair| chair.player) else { return Ok(()) };
        let owed = sitting.table.balance(Account::Receivable(player));
        if owed != 0 {
            // What the void owed is part of what the player brings.
            let mut postings = table::Postings::new();
            postings.push(Entry { account: Account::Receivable(player), cents: -owed });
            postings.push(Entry { account: Account::Outside, cents: owed });
            self.adjust_by(number, player, 0, &[clause], postings);
        }
        let chips = u64::try_from(held).ok().and_then(Cents::new).unwrap_or(Cents::ZERO);
        self.bring_chips(number, seat, id, chips)
    }
}
