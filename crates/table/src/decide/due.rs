//! The next step and its clause: for a dealer who asks, and for a table that the system deals.

use alloc::vec::Vec;
use core::ops::Deref;

use rules::book::{Checkers, CutOrder};
use rules::{Clauses, Rulebook, Side};

use super::Draft;
use super::coup::Place;
use crate::command::Checker;
use crate::event::{CutBy, Event, PlayerId, SuspendedWhy, cites};
use crate::state::{Facing, Phase, State};

/// The next step at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The operator replaces the cards, because players have handled them.
    Replace,
    /// Somebody checks the cards.
    Check(Checker),
    /// The first players arrive, and may look at the cards.
    Players,
    /// The dealer shuffles.
    Shuffle,
    /// Somebody cuts; `None` where any player may.
    Cut(Option<CutBy>),
    /// The dealer places the cutting card, with at least so many cards behind it.
    PlaceCuttingCard(u32),
    /// The dealer burns a card.
    Burn,
    /// Wagers are open; then the dealer calls no more bets.
    Wagers,
    /// The next card goes to that hand.
    Card(Side),
    /// Cards that lie face down are turned.
    Turn {
        /// The hand.
        side: Side,
        /// Whether it is the third card, rather than the first two.
        third: bool,
        /// The player who has the cards and turns them; otherwise the dealer turns them.
        by: Option<PlayerId>,
    },
    /// The inspector returns; play stops until then.
    Inspector,
    /// A supervisor decides how the coup continues.
    Decide(SuspendedWhy),
}

/// The next step, with its clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The step.
    pub next: Next,
    /// The clauses that require it.
    pub clauses: Clauses,
}

impl State {
    /// The next step under a book; nothing before the opening and after the closing.
    #[must_use]
    pub fn due(&self, book: &Rulebook) -> Option<Due> {
        let mut events = Vec::new();
        if self.phase == Phase::Called && self.round.exposure.is_some() {
            // The first card is dealt after the cap has trimmed the wagers.
            let mut trimmed = self.clone();
            Draft::new(&mut trimmed, book, self.now, &mut events).keep_to_cap(None);
            return trimmed.due_now(book, &mut events);
        }
        self.due_now(book, &mut events)
    }

    fn due_now(&self, book: &Rulebook, events: &mut Vec<Event>) -> Option<Due> {
        let draft = Draft::look(self, book, events);
        if let (Phase::Betting | Phase::Called | Phase::Dealing, Some(clause)) =
            (self.phase, draft.missed_inspector())
        {
            return Some(Due { next: Next::Inspector, clauses: cites(&[Some(clause)]) });
        }
        // New cards among the old must be checked before anything is dealt.
        if let (Phase::Betting | Phase::Called, true, Some(rule)) =
            (self.phase, self.shoe.replaced, book.cards.replacement_check())
        {
            let (by, clause) = draft.due_check(rule);
            return Some(Due { next: Next::Check(by), clauses: cites(&[Some(clause)]) });
        }
        match self.phase {
            Phase::Unopened | Phase::Closed => None,
            Phase::Preparing | Phase::Betting | Phase::Called
                if draft.check_not_doubted().is_err() =>
            {
                let clause = Some(book.irregularities.out_of_sequence.clause);
                let next = Next::Decide(SuspendedWhy::OutOfSequence);
                Some(Due { next, clauses: cites(&[clause]) })
            }
            Phase::Preparing => Some(draft.due_before_the_shoe()),
            Phase::Betting => {
                let opened = book.wagers.opportunity.map(|opened| opened.clause);
                Some(Due { next: Next::Wagers, clauses: cites(&[opened]) })
            }
            // A round that lost its last wager after the call waits for wagers again.
            Phase::Called if draft.check_wagers_needed().is_err() => {
                Some(Due { next: Next::Wagers, clauses: cites(&[]) })
            }
            Phase::Called => {
                let clause = Some(book.deal.first_cards.clause);
                Some(Due { next: Next::Card(Side::Player), clauses: cites(&[clause]) })
            }
            Phase::Dealing => draft.due_in_the_coup(),
        }
    }
}

impl State {
    /// How the next card to a hand lies, given what the dealer wants.
    #[must_use]
    pub fn next_lies(&self, book: &Rulebook, wanted: Facing) -> Facing {
        let mut none = Vec::new();
        let draft = Draft::look(self, book, &mut none);
        let place = self.coup.as_ref().map_or(Place::FirstFour, Place::of);
        draft.facing(place, wanted)
    }

    /// The player to whom a dealer who may choose passes the cards: the seated player with the
    /// highest wager on a side who has not refused its cards; of equals, the lowest seat.
    #[must_use]
    pub fn highest_wager(&self, book: &Rulebook, side: Side) -> Option<PlayerId> {
        let coup = self.coup.as_ref()?;
        let mut none = Vec::new();
        let draft = Draft::look(self, book, &mut none);
        draft.highest(coup, side)
    }
}

impl<T: Deref<Target = State>> Draft<'_, T> {
    fn due_before_the_shoe(&self) -> Due {
        let (shoe, book) = (&self.table.shoe, self.book);
        let due = |next, clause| Due { next, clauses: cites(&[Some(clause)]) };
        let replaced = book.cards.replaced;
        if self.must_replace() {
            return due(Next::Replace, replaced.clause);
        }
        if !shoe.checked && !shoe.shuffled {
            let replacement = book.cards.replacement_check().filter(|_| shoe.replaced);
            let rule = replacement.unwrap_or(book.cards.checked_before);
            let (by, clause) = self.due_check(rule);
            return due(Next::Check(by), clause);
        }
        if let (false, Some(clause)) = (shoe.shuffled, self.awaits_players()) {
            return due(Next::Players, clause);
        }
        if !shoe.shuffled {
            let rules = &book.shuffle;
            let first = shoe.number <= 1;
            let clause = if first { rules.first.clause } else { rules.later.clause };
            return due(Next::Shuffle, clause);
        }
        if !shoe.cut {
            let mut order = self.cut_order().into_iter();
            let next = order.find(|id| !shoe.declined.contains(id));
            let any = book.cut.offered.value == CutOrder::AnyPlayer;
            let Some(id) = next else {
                let otherwise = book.cut.otherwise;
                if let Some(clause) = self.missed_inspector().filter(|_| self.is_inspectors_cut()) {
                    return due(Next::Inspector, clause);
                }
                return due(Next::Cut(Some(CutBy::Staff(otherwise.value))), otherwise.clause);
            };
            let by = (!any).then_some(CutBy::Player(id));
            return due(Next::Cut(by), self.cut_clause());
        }
        let behind = book.cut.behind;
        match &book.burn {
            Some(burn) if shoe.marked => due(Next::Burn, burn.shown.clause),
            _ => due(Next::PlaceCuttingCard(behind.value.least()), behind.clause),
        }
    }

    /// The person who must check the cards next.
    fn due_check(&self, rule: rules::Cited<Checkers>) -> (Checker, rules::Clause) {
        let by = match rule.value {
            Checkers::DealerAndSupervisor
                if self.table.shoe.checked_by[Checker::Dealer as usize] =>
            {
                Checker::Supervisor
            }
            Checkers::Staff
            | Checkers::Dealer
            | Checkers::AnyStaffOrDevice
            | Checkers::DealerAndSupervisor => Checker::Dealer,
        };
        (by, rule.clause)
    }

    fn due_in_the_coup(&self) -> Option<Due> {
        let coup = self.table.coup.as_ref()?;
        if let Some(why) = coup.suspended {
            let clause = self.waits_by(coup, why);
            return Some(Due { next: Next::Decide(why), clauses: cites(&[clause]) });
        }
        if let Some(by) = self.due(coup) {
            return Some(Due { next: Next::Card(by.value), clauses: cites(&[Some(by.clause)]) });
        }
        let hidden = |side: Side| coup.cards.iter().position(|c| c.side == side && !c.shown);
        let (side, index) =
            Side::BOTH.into_iter().find_map(|side| hidden(side).map(|index| (side, index)))?;
        // A player who is gone or excluded turns no cards; the dealer does.
        let there = |id: &PlayerId| self.who(*id).present && !self.who(*id).excluded;
        let by = coup.passed[side as usize].filter(there);
        let clause = Some(self.turned_clause(side));
        let next = Next::Turn { side, third: index >= 4, by };
        Some(Due { next, clauses: cites(&[clause]) })
    }
}
