//! A finished coup that is void: the session returns to its state before the coup.

use alloc::format;
use alloc::vec::Vec;

use rules::{Balance, Clause};
use table::{Account as TableAccount, Code, Fact as TableFact, PlayerId, Refusal, no};

use super::{Draft, of};
use crate::conditions::BuyBack;
use crate::event::{EntrantId, Fact, Leg, OutWhy};
use crate::sitting::{Memory, Sitting, Stint};
use crate::state::Status;

impl Draft<'_> {
    /// The coup that was declared void since that index.
    pub(super) fn voided(&self, since: usize) -> Option<u32> {
        self.at_tables(since).find_map(|fact| {
            if let TableFact::Voided { number, .. } = fact { Some(*number) } else { None }
        })
    }

    /// A play-off depends on the coups before it: they cannot be voided once it has begun.
    pub(super) fn check_may_void(&self, number: u32, coup: Option<u32>) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let over = sitting.table.coup().is_none();
        let Some(coup) = coup.or(Some(sitting.dealt).filter(|_| over)) else { return Ok(()) };
        if coup > 0 && coup <= sitting.before_play_off {
            let clause = Some(self.rules.prizes.level.clause);
            let what = format!("the play-off that rests on coup {coup} has begun");
            return no(Code::WrongMoment, clause, what, "allowed before its start");
        }
        Ok(())
    }

    /// Undoes the last coup: chips, eliminations, and counts.
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
            if self.is_out_of_shoes(self.sitting(Some(number))?) {
                // No card is dealt any more: the session ends in its state before that coup.
                return self.end_play(number);
            }
            let sitting = self.sitting(Some(number))?;
            if sitting.turn.is_none() || sitting.table.wagers().is_empty() {
                self.marker_again(number);
            }
            return self.judge_who_is_left(number);
        }
        self.correct(number, void, clause)
    }

    /// Corrects the session when wagers of a finished coup are void, some or all: players now hold
    /// other chips, and the later coups stand.
    pub(super) fn correct(
        &mut self,
        number: u32,
        void: u32,
        clause: Option<Clause>,
    ) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let ids: Vec<_> = sitting.chairs.iter().map(|chair| chair.entrant).collect();
        for id in ids {
            self.correct_player(number, id, void, clause)?;
        }
        if let Stint::PlayOffDue(_) | Stint::Over = self.sitting(Some(number))?.stint {
            return self.go_on_or_rank_anew(number, clause);
        }
        self.judge_who_is_left(number)
    }

    pub(super) fn judge_who_is_left(&mut self, number: u32) -> Result<(), Refusal> {
        if self.sitting(Some(number))?.table.coup().is_none() {
            self.settle_claims(number, of(&self.book.general.void_means))?;
            self.eliminate_the_short(number, OutWhy::Raised)?;
            return self.settle_if_over(number);
        }
        Ok(())
    }

    /// Brings back a player who was eliminated by the void coup or later, and would not have been
    /// without it. A buy-back that became unnecessary is undone.
    fn correct_player(
        &mut self,
        number: u32,
        id: EntrantId,
        void: u32,
        clause: Option<Clause>,
    ) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let Some(chair) = sitting.chair(id).filter(|chair| chair.plays) else { return Ok(()) };
        let minimum = Balance::from(sitting.minimum()).max(Balance::new(1));
        let owed = self.claims(sitting, id);
        let since = |when: u32| when >= 2 * void;
        match (chair.out, chair.bought.last()) {
            (Some((when, OutWhy::Chips | OutWhy::Raised)), _) if since(when) => {
                let cents = chair.left_with + owed;
                if cents >= minimum {
                    self.drop_claims(number, id, clause)?;
                    self.let_in_again(number, id, cents, &[clause])?;
                }
            }
            (None, Some((when, left))) if since(*when) && *left + owed >= minimum => {
                let (own, bought) = (*left + owed, self.chips_of_a_session(sitting.stage)?);
                let stack = sitting.stack(chair);
                let Some(player) = chair.player else { return Ok(()) };
                self.drop_claims(number, id, clause)?;
                self.undo_buy_back(id, clause)?;
                self.give_or_owe(number, (player, stack), own - bought, clause);
            }
            (Some(_) | None, _) => {}
        }
        Ok(())
    }

    fn chips_of_a_session(&self, stage: usize) -> Result<Balance, Refusal> {
        Ok(self.conditions()?.chips_of(stage).map_or(Balance::ZERO, Balance::from))
    }

    /// Undoes the last buy-back of a player: the fee goes back.
    fn undo_buy_back(&mut self, id: EntrantId, clause: Option<Clause>) -> Result<(), Refusal> {
        let Some(BuyBack::Some { fee, .. }) = self.conditions()?.buy_back else { return Ok(()) };
        let paid = self.fee_postings(fee)?;
        let back = |entry: Leg| Leg { cents: -entry.cents, ..entry };
        let postings = paid.into_iter().map(back).collect();
        self.pay(Fact::BuyBackUndone { entrant: id, fee }, &[clause], postings);
        Ok(())
    }

    /// All player ids that an entrant has had at a table, including former ones.
    fn seats_of(&self, sitting: &Sitting, id: EntrantId) -> Vec<PlayerId> {
        let name = self.who(id).name;
        let players = sitting.table.players().iter().enumerate();
        let mine = players.filter(|(_, player)| player.name == name);
        mine.filter_map(|(at, _)| u16::try_from(at).ok().map(PlayerId)).collect()
    }

    /// The open balance between the table and a player that a void left.
    fn claims(&self, sitting: &Sitting, id: EntrantId) -> Balance {
        let seats = self.seats_of(sitting, id).into_iter();
        let owed = |player| sitting.table.balance(TableAccount::Receivable(player));
        seats.map(owed).sum()
    }

    /// What a player owes beyond the stack while wagers lie. The player pays it back when they are
    /// settled.
    fn owed_from_the_layout(&self, sitting: &Sitting, id: EntrantId) -> Balance {
        let Some(chair) = sitting.chair(id) else { return Balance::ZERO };
        let (owed, stack) = (self.claims(sitting, id), sitting.stack(chair));
        let lies = sitting.chips(chair) > stack;
        if lies && owed < -stack { owed } else { Balance::ZERO }
    }

    /// Gives chips to a player, or takes them from the stack as far as it goes. The rest lies on
    /// the layout, and the player owes it until the wagers are settled.
    fn give_or_owe(
        &mut self,
        number: u32,
        (player, stack): (PlayerId, Balance),
        chips: Balance,
        clause: Option<Clause>,
    ) {
        let now = chips.max(-stack);
        if now != Balance::ZERO {
            self.adjust(number, player, now, &[clause]);
        }
        if chips < now {
            self.direct_at(number, &[clause], |by| by.claim(player, now - chips));
        }
    }

    /// Cancels open balances: chips of a tournament are never owed.
    fn drop_claims(
        &mut self,
        number: u32,
        id: EntrantId,
        clause: Option<Clause>,
    ) -> Result<(), Refusal> {
        for player in self.seats_of(self.sitting(Some(number))?, id) {
            let sitting = self.sitting(Some(number))?;
            let owed = sitting.table.balance(TableAccount::Receivable(player));
            if owed != Balance::ZERO {
                self.direct_at(number, &[clause], |by| by.drop_claim(player, owed));
            }
        }
        Ok(())
    }

    /// Collects from players who could not give back at once what a void took. No debt remains
    /// except for chips that lie on the layout.
    pub(super) fn settle_claims(
        &mut self,
        number: u32,
        clause: Option<Clause>,
    ) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let chairs: Vec<_> = sitting.chairs.iter().map(|c| (c.entrant, c.player)).collect();
        for (id, player) in chairs {
            let sitting = self.sitting(Some(number))?;
            if self.owed_from_the_layout(sitting, id) != Balance::ZERO {
                continue;
            }
            let owed = self.claims(sitting, id);
            let stack = sitting.chair(id).map_or(Balance::ZERO, |chair| sitting.stack(chair));
            self.drop_claims(number, id, clause)?;
            // No more is taken than the player holds.
            let taken = owed.max(-stack);
            if let (Some(player), true) = (player, taken.is_negative()) {
                self.adjust(number, player, taken, &[clause]);
            }
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

    /// Gives every player the chips that the player held before the coup.
    fn give_back(
        &mut self,
        number: u32,
        memory: &Memory,
        clause: Option<Clause>,
    ) -> Result<(), Refusal> {
        let in_it = memory.chairs.iter().filter(|(chair, _)| chair.plays && chair.out.is_none());
        let in_it: Vec<_> =
            in_it.map(|(chair, held)| (chair.entrant, *held, chair.bought.len())).collect();
        for (id, held, bought) in in_it {
            let sitting = self.sitting(Some(number))?;
            let Some(chair) = sitting.chair(id) else { continue };
            let Some(player) = chair.player else { continue };
            if chair.bought.len() > bought {
                self.undo_buy_back(id, clause)?;
            }
            let owed = self.owed_from_the_layout(self.sitting(Some(number))?, id);
            if owed == Balance::ZERO {
                self.drop_claims(number, id, clause)?;
            }
            let sitting = self.sitting(Some(number))?;
            let Some(chair) = sitting.chair(id) else { continue };
            if sitting.table.player(player).present {
                let (now, stack) = (sitting.chips(chair) + owed, sitting.stack(chair));
                self.give_or_owe(number, (player, stack), held - now, clause);
            } else if self.who(id).status == Status::Entered {
                self.let_in_again(number, id, held, &[clause])?;
            }
        }
        Ok(())
    }
}
