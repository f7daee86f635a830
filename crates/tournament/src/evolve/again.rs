//! The fold of what a void takes back beyond its coup: a buy-back, and the end of a session.

use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::{Balance, Cents};

use crate::event::{Account, EntrantId, Event, OutWhy};
use crate::sitting::Sitting;
use crate::state::{Entrant, State, Status};

impl State {
    pub(super) fn undo_buy_back(&mut self, id: EntrantId, fee: Cents, event: &Event) {
        let kept = event.postings.iter().find(|entry| entry.account == Account::Commission);
        let kept = kept.and_then(|entry| (-entry.cents).amount());
        let who = self.who(id);
        who.buy_backs = who.buy_backs.saturating_sub(1);
        who.paid = who.paid.checked_sub(fee).unwrap_or(Cents::ZERO);
        who.kept = who.kept.checked_sub(kept.unwrap_or(Cents::ZERO)).unwrap_or(Cents::ZERO);
        self.with_chair(id, |chair| {
            chair.bought.pop();
        });
        let stage = self.sitting_of(id).map_or(0, |sitting| sitting.stage);
        let chips = self.conditions.as_ref().and_then(|conditions| conditions.chips_of(stage));
        let chips = chips.map_or(Balance::ZERO, Balance::from);
        self.with_sitting_of(id, |sitting| sitting.forget_buy_back(id, chips));
    }

    /// Reopens a session that was over: nobody has advanced from it, and no later stage is open.
    pub(super) fn reopen(&mut self, number: u32) {
        let entered = |(at, entrant): (usize, &Entrant)| {
            let id = u16::try_from(at).ok().map(EntrantId);
            id.filter(|_| entrant.status == Status::Entered)
        };
        let entered: Vec<_> = self.entrants.iter().enumerate().filter_map(entered).collect();
        let last = |sitting: &&mut Arc<Sitting>| sitting.number == number;
        let Some(sitting) = self.sittings.iter_mut().rfind(last).map(Arc::make_mut) else { return };
        sitting.open_again(self.now, &entered);
        let (stage, chairs) = (sitting.stage, sitting.chairs.clone());
        let here = |id: &EntrantId| chairs.iter().any(|chair| chair.entrant == *id);
        let mut later = Vec::new();
        for (at, progress) in self.stages.iter_mut().enumerate() {
            if at == stage {
                progress.winners.retain(|id| !here(id));
                progress.losers.retain(|id| !here(id));
                // Players who were compared across tables are compared again.
                let compared = core::mem::take(&mut progress.runners_up);
                progress.winners.retain(|id| !compared.contains(id));
                progress.losers.retain(|id| !compared.contains(id));
                progress.ended = false;
            } else if at > stage {
                later.extend(core::mem::take(progress).players);
            }
        }
        if later.is_empty() {
            return;
        }
        self.allotments.clear();
        for id in later {
            // A player who lost the place by being late has no second chance yet.
            let chair = self.sittings().filter_map(|sitting| sitting.chair(id)).last();
            if chair.is_some_and(|chair| matches!(chair.out, Some((_, OutWhy::NotThere)))) {
                self.who(id).status = Status::Forfeited;
            }
        }
    }
}
