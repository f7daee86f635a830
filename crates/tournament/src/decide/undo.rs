//! A coup that is void after it was over: what the tournament made of it is undone.

use alloc::vec::Vec;

use rules::{Cents, Clause};
use table::{Account, Entry, Fact as TableFact, PlayerId, Refusal};

use super::{Draft, of};
use crate::event::{EntrantId, Fact, OutWhy};
use crate::state::{Chair, Status, Stint};

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

    /// Voids its forms, takes back what rules of the tournament moved, and lets in again whom it
    /// put out.
    pub(super) fn undo(&mut self, number: u32, void: u32) -> Result<(), Refusal> {
        let clause = of(&self.book.general.void_means);
        let sitting = self.sitting(Some(number))?;
        if sitting.dealt == void && sitting.has_forms_to_open() {
            self.void_forms(number);
        }
        let moved = self.sitting(Some(number))?.adjusted.iter();
        let moved = moved.filter(|(coup, ..)| *coup == void);
        let moved: Vec<_> = moved.map(|(_, player, entries)| (*player, entries.clone())).collect();
        for (player, entries) in moved {
            self.reverse(number, player, &entries, clause);
        }
        let sitting = self.sitting(Some(number))?;
        let out = |chair: &&Chair| chair.out == Some((2 * void, OutWhy::Chips));
        let out: Vec<_> = sitting.chairs.iter().filter(out).map(|c| (c.entrant, c.seat)).collect();
        for (id, seat) in out {
            self.restore(number, id, seat, clause)?;
        }
        if let Stint::PlayOffDue(_) = self.sitting(Some(number))?.stint {
            self.push(Fact::PlayGoesOn(number), &[clause]);
            self.marker_again(number);
        }
        let sitting = self.sitting(Some(number))?;
        if sitting.table.coup().is_none() && sitting.table.wagers().is_empty() {
            self.eliminate_the_short(number, OutWhy::Raised)?;
            return self.settle_if_over(number);
        }
        Ok(())
    }

    /// Takes back what a rule of the tournament moved, as far as the chips are there.
    fn reverse(
        &mut self,
        number: u32,
        player: PlayerId,
        entries: &table::Postings,
        clause: Option<Clause>,
    ) {
        let Some(sitting) = self.t.sitting(number) else { return };
        let stack = sitting.table.player(player).stack;
        let moved = entries.iter().find(|entry| entry.account == Account::Stack(player));
        let cents = -moved.map_or(0, |entry| entry.cents);
        if cents >= -stack {
            let back = entries.iter().map(|entry| Entry { cents: -entry.cents, ..*entry });
            self.adjust_by(number, player, cents, &[clause], back.collect());
        } else {
            self.adjust(number, player, -stack, &[clause]);
        }
    }

    /// A player whom the coup put out is in again, with what the void gave back.
    fn restore(
        &mut self,
        number: u32,
        id: EntrantId,
        seat: u32,
        clause: Option<Clause>,
    ) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let Some(player) = sitting.chair(id).and_then(|chair| chair.player) else { return Ok(()) };
        let owed = sitting.table.balance(Account::Receivable(player));
        let chips = u64::try_from(owed).ok().and_then(Cents::new).unwrap_or(Cents::ZERO);
        if chips < sitting.minimum() || self.who(id).status != Status::Entered {
            return Ok(());
        }
        self.push(Fact::Restored(id), &[clause]);
        let mut postings = table::Postings::new();
        postings.push(Entry { account: Account::Receivable(player), cents: -owed });
        postings.push(Entry { account: Account::Outside, cents: owed });
        self.adjust_by(number, player, 0, &[clause], postings);
        self.bring_chips(number, seat, id, chips)
    }
}
