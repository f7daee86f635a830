//! The fold of events about entrants: entering, paying, being away and going out.

use alloc::vec::Vec;

use rules::Cents;
use table::Name;

use crate::event::{Account, EntrantId, Event, OutWhy, Seat};
use crate::state::{Entrant, State, Status};

impl State {
    pub(super) fn who(&mut self, id: EntrantId) -> &mut Entrant {
        &mut self.entrants[usize::from(id.0)]
    }

    pub(super) fn applies(&mut self, name: Name) {
        self.entrants.push(Entrant {
            name,
            substitute: None,
            nominated: None,
            status: Status::Applied,
            agreed: false,
            paid: Cents::ZERO,
            kept: Cents::ZERO,
            buy_backs: 0,
            points: 0,
            place: None,
            prize: Cents::ZERO,
            goods: Vec::new(),
        });
    }

    pub(super) fn enter(&mut self, id: EntrantId, fee: Cents, event: &Event) {
        self.who(id).status = Status::Entered;
        self.pay(id, fee, event);
    }

    pub(super) fn buy_back(&mut self, id: EntrantId, fee: Cents, event: &Event) {
        self.who(id).buy_backs += 1;
        self.pay(id, fee, event);
        self.with_chair(id, |chair| {
            let out = chair.out.take().map(|(when, _)| (when, chair.left_with));
            chair.bought.extend(out);
        });
    }

    fn pay(&mut self, id: EntrantId, fee: Cents, event: &Event) {
        let kept = event.postings.iter().find(|entry| entry.account == Account::Commission);
        let kept = kept.and_then(|entry| entry.cents.amount());
        let who = self.who(id);
        who.paid = who.paid.checked_add(fee).unwrap_or(Cents::MAX);
        who.kept = who.kept.checked_add(kept.unwrap_or(Cents::ZERO)).unwrap_or(Cents::MAX);
    }

    pub(super) fn refund(&mut self, id: EntrantId) {
        let who = self.who(id);
        (who.paid, who.kept) = (Cents::ZERO, Cents::ZERO);
    }

    /// A substitute plays for an entrant, or the entrant plays again in person.
    pub(super) fn substitute(&mut self, id: EntrantId, name: Name) {
        let who = self.who(id);
        who.substitute = Some(name).filter(|name| *name != who.name);
    }

    pub(super) fn take_points(&mut self, id: EntrantId, parts: u64) {
        let who = self.who(id);
        who.points = who.points.saturating_sub(parts);
    }

    /// An entrant no longer takes part.
    pub(super) fn leaves(&mut self, id: EntrantId, status: Status) {
        let who = self.who(id);
        (who.status, who.substitute) = (status, None);
        self.freed |= self.allotments.iter().any(|allotment| allotment.entrant == id);
        self.allotments.retain(|allotment| allotment.entrant != id);
        for stage in &mut self.stages {
            stage.waiting.retain(|waiting| *waiting != id);
        }
        // An eliminated player who leaves the tournament is not brought back by a void.
        self.with_chair(id, |chair| {
            if let Some((_, why @ (OutWhy::Chips | OutWhy::Raised | OutWhy::NoWager))) =
                &mut chair.out
            {
                *why = OutWhy::Left;
            }
        });
    }

    /// An entrant goes away from the seat, or comes back to it.
    pub(super) fn be(&mut self, id: EntrantId, seat: Seat) {
        self.with_chair(id, |chair| chair.absent = seat == Seat::Empty);
        let now = self.now;
        self.with_sitting_of(id, |sitting| sitting.say_who_is_away(now));
    }

    pub(super) fn eliminate(&mut self, id: EntrantId, why: OutWhy) {
        // A player eliminated between two coups lasted longer than one eliminated in the first of
        // them.
        let between = u32::from(matches!(why, OutWhy::NoWager | OutWhy::Raised));
        let dealt = self.sitting_of(id).map_or(0, |sitting| sitting.dealt);
        let when = 2 * dealt + between;
        self.with_chair(id, |chair| chair.out = Some((when, why)));
    }
}
