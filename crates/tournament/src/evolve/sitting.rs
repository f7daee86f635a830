//! The fold of what happens at a table in a session.

use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::Side;
use table::{Account, Fact as TableFact, Phase, PlayerId, Time};

use crate::event::{EntrantId, OutWhy};
use crate::sitting::{Chair, Memory, Missed, Sitting, Stint};

impl Sitting {
    /// A player's turn to wager begins; the one before has had the opportunity.
    pub(super) fn turn_of(&mut self, seat: u32, now: Time, limit: Option<Time>) {
        let before = self.turn.replace(seat).filter(|before| *before != seat);
        (self.since, self.limit) = (now, limit);
        for chair in &mut self.chairs {
            if Some(chair.seat) == before {
                chair.carried = false;
            }
            if chair.seat == seat {
                chair.waived = false;
            }
        }
    }

    pub(super) fn fold(&mut self, event: &table::Event) {
        match &event.fact {
            TableFact::Arrived { player, seat, .. } => {
                let mut away = false;
                for chair in self.chairs.iter_mut().filter(|chair| chair.seat == *seat) {
                    chair.player = Some(*player);
                    away = chair.is_missing();
                }
                self.table.note_away(*player, away);
            }
            TableFact::Placed { player, .. }
            | TableFact::Moved { player, .. }
            | TableFact::Returned { player, .. } => {
                for chair in self.chairs.iter_mut().filter(|chair| chair.player == Some(*player)) {
                    chair.carried = false;
                }
            }
            TableFact::Left(player) => self.leaves(*player),
            TableFact::Reopened { number } => self.reopen(*number),
            TableFact::Reversed { number, .. } => self.correct_memory(*number, event),
            TableFact::CoupBegan { .. } => self.begin_coup(),
            TableFact::CoupEnded { outcome, .. } => {
                let coup = self.table.coup().filter(|_| outcome.is_some());
                self.counted = coup.is_some_and(|coup| coup.no_bet.is_none());
                if self.counted {
                    self.coups += 1;
                    self.counting.push(self.dealt);
                }
                self.hands = coup.map(|coup| [coup.hand(Side::Player), coup.hand(Side::Banker)]);
                (self.turn, self.laying) = (None, false);
                if outcome.is_none() {
                    self.no_coup_missed();
                }
                for chair in &mut self.chairs {
                    (chair.jumped, chair.held, chair.waived) = (false, false, false);
                    if outcome.is_some() {
                        (chair.laid, chair.fine) = (false, 0);
                    }
                }
            }
            TableFact::BetsOpened => {
                // Nobody's time to wager runs before wagers are open.
                (self.laying, self.since) = (false, event.at);
                if self.table.phase() == Phase::Called {
                    self.no_coup_missed();
                }
            }
            TableFact::BetsClosed => {
                self.turn = None;
                for chair in &mut self.chairs {
                    chair.carried = false;
                }
            }
            TableFact::ShuffleDue if self.table.shoe().cutting_card.is_some() => self.shoes += 1,
            // A coup that is void later counts no more.
            TableFact::Voided { number, .. } if self.counting.contains(number) => {
                self.counting.retain(|counted| counted != number);
                self.coups = self.coups.saturating_sub(1);
            }
            TableFact::Adjusted { player, cents } => {
                let laying = self.laying;
                for chair in self.chairs.iter_mut().filter(|chair| chair.player == Some(*player)) {
                    chair.fine -= if laying { *cents } else { 0 };
                    if chair.missed.take() == Some(Missed::Late) {
                        chair.late = chair.late.map(|missed| missed + 1);
                    }
                }
            }
            _ => {}
        }
        self.table.evolve(event);
    }

    fn leaves(&mut self, player: PlayerId) {
        let stack = self.table.player(player).stack;
        for chair in self.chairs.iter_mut().filter(|chair| chair.player == Some(player)) {
            chair.left_with = stack;
        }
    }

    /// The last coup is not over: its cards are put right, and it is judged again.
    fn reopen(&mut self, number: u32) {
        let memory = self.memory.clone().filter(|memory| memory.coup == number);
        let Some(before) = memory else { return };
        self.remember_before();
        self.counting.retain(|counted| *counted != number);
        self.shoes = before.shoes;
        (self.memory, self.turn) = (Some(before), None);
    }

    /// A coup before the last is void: before the last, players held other chips.
    fn correct_memory(&mut self, number: u32, event: &table::Event) {
        let Some(memory) = self.memory.as_mut().filter(|memory| memory.coup > number) else {
            return;
        };
        let table = &self.table;
        let name = |player: PlayerId| table.player(player).name;
        for entry in &event.postings {
            let (Account::Stack(player) | Account::Receivable(player)) = entry.account else {
                continue;
            };
            let chairs = &mut Arc::make_mut(memory).chairs;
            let same = |chair: &Chair| chair.player.is_some_and(|p| name(p) == name(player));
            for (_, held) in chairs.iter_mut().filter(|(chair, _)| same(chair)) {
                *held += entry.cents;
            }
        }
    }

    /// A buy-back before the last coup never was, nor the chips that it brought.
    pub(super) fn forget_buy_back(&mut self, id: EntrantId, chips: i64) {
        let times = self.chair(id).map_or(0, |chair| chair.bought.len());
        let Some(memory) = &mut self.memory else { return };
        for (chair, held) in &mut Arc::make_mut(memory).chairs {
            if chair.entrant == id && chair.bought.len() > times {
                chair.bought.pop();
                *held = (*held - chips).max(0);
            }
        }
    }

    /// A player who went out is in again.
    pub(super) fn in_again(&mut self, entrant: EntrantId, cents: i64) {
        let mine = |chair: &&mut Chair| chair.entrant == entrant;
        let Some(chair) = self.chairs.iter_mut().find(mine) else { return };
        chair.out = None;
        if let Some(player) = chair.player {
            self.table.let_in_again(player, cents);
            self.table.note_away(player, chair.is_missing());
        }
        // Should the coup that is dealt be void too, they are still in.
        let Some(memory) = &mut self.memory else { return };
        for (chair, held) in &mut Arc::make_mut(memory).chairs {
            if chair.entrant == entrant && chair.out.take().is_some() {
                *held = cents;
            }
        }
    }

    /// The table was done and is in play again, with those who were.
    pub(super) fn open_again(&mut self, entered: &[EntrantId]) {
        self.stint = Stint::Over;
        self.table.open_again();
        let when = 2 * self.dealt;
        for chair in self.chairs.iter_mut().filter(|chair| chair.out.is_none()) {
            match chair.player.filter(|_| entered.contains(&chair.entrant)) {
                Some(player) => self.table.let_in_again(player, chair.left_with),
                None => chair.out = Some((when, OutWhy::Left)),
            }
        }
    }

    /// The coup that was called is none: nobody has missed it.
    fn no_coup_missed(&mut self) {
        for chair in &mut self.chairs {
            chair.missed = None;
        }
    }

    /// Play that seemed over goes on as it was before the last coup, which stands.
    pub(super) fn goes_on(&mut self) {
        let memory = self.memory.as_ref();
        let plays = |chair: &Chair| {
            let before =
                memory.and_then(|m| m.chairs.iter().find(|c| c.0.entrant == chair.entrant));
            before.is_none_or(|(before, _)| before.plays)
        };
        let plays: Vec<_> = self.chairs.iter().map(plays).collect();
        let stint = memory.map_or(Stint::Session, |memory| memory.stint);
        let ranking = memory.map_or_else(Vec::new, |memory| memory.ranking.clone());
        (self.stint, self.ranking) = (stint, ranking);
        for (chair, plays) in self.chairs.iter_mut().zip(plays) {
            chair.plays = plays;
        }
    }

    /// Puts the session back to what it was before the last coup.
    pub(super) fn remember_before(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        for (before, _) in &memory.chairs {
            let mine = |chair: &&mut Chair| chair.entrant == before.entrant;
            let Some(chair) = self.chairs.iter_mut().find(mine) else { continue };
            // Who left since is gone; the rest is as it was, the secret wager not used up.
            let gone = matches!(chair.out, Some((_, OutWhy::Left | OutWhy::NotThere)));
            let used = u32::from(before.form.is_some() || before.laid);
            let out = if gone { chair.out } else { before.out };
            let secrets = before.secrets.saturating_sub(used);
            let (form, player) =
                (chair.form.filter(|form| form.dealt >= memory.coup), chair.player);
            // Who came or went since is there or away as now.
            let (absent, late) = (chair.absent, before.late.filter(|_| chair.late.is_some()));
            let (laid, fine, missed, carried) = (false, 0, None, false);
            *chair = Chair {
                player,
                late,
                absent,
                missed,
                carried,
                out,
                secrets,
                form,
                laid,
                fine,
                ..before.clone()
            };
            chair.secrets += u32::from(chair.form.is_some());
        }
        (self.stint, self.coups, self.last) = (memory.stint, memory.coups, memory.last);
        (self.ranking, self.marker) = (memory.ranking.clone(), memory.marker);
    }

    fn begin_coup(&mut self) {
        let chairs = self.chairs.iter().map(|chair| (chair.clone(), self.chips(chair)));
        self.memory = Some(Arc::new(Memory {
            coup: self.dealt + 1,
            chairs: chairs.collect(),
            stint: self.stint,
            coups: self.coups,
            shoes: self.shoes,
            last: self.last,
            ranking: self.ranking.clone(),
            marker: self.marker,
        }));
        let laid: Vec<_> = self.chairs.iter().map(|chair| self.laid(chair)).collect();
        let stacks: Vec<_> = self.chairs.iter().map(|chair| self.stack(chair)).collect();
        for ((chair, laid), stack) in self.chairs.iter_mut().zip(laid).zip(stacks) {
            chair.shown = false;
            if let Some(form) = &mut chair.form {
                form.beside = laid;
                // Chips that were laid besides it are not there for it.
                form.chips = form.chips.min(stack);
            }
        }
        self.dealt += 1;
    }
}
