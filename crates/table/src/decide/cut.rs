//! The cut: offering, declining and making it; and placing the cutting card.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Deref;

use rules::Clause;
use rules::book::CutOrder;

use super::Draft;
use crate::command::Name;
use crate::event::{CutBy, Fact, PlayerId};
use crate::refusal::{Code, Refusal, no};
use crate::state::{State, of};

impl<T: Deref<Target = State>> Draft<'_, T> {
    /// The seated players in the order in which the cut is offered to them.
    pub(super) fn cut_order(&self) -> Vec<PlayerId> {
        let table = &*self.table;
        let cut = &self.book.cut;
        // Where the book only says "a player", a player who stands may cut too.
        let any = cut.offered.value == CutOrder::AnyPlayer;
        let asked = |player: &crate::state::Player| (any || !player.standing) && !player.excluded;
        let mut seated: Vec<_> = table.here().filter(|(_, player)| asked(player)).collect();
        seated.retain(|(id, _)| !table.away.contains(id));
        let last = table.shoe.last_cutter.filter(|_| table.shoe.number > 1);
        match (cut.offered.value, last) {
            (CutOrder::FirstSeatedThenHighest, Some(last)) => {
                // Clockwise means descending seat numbers: the left neighbour of seat 3 is seat 2.
                let seats = table.options.seats;
                seated.sort_by_key(|(_, player)| (last + seats - 1 - player.seat) % seats);
            }
            (CutOrder::AnyPlayer | CutOrder::FromDealersLeft, _) => {
                seated.sort_by_key(|(_, player)| player.seat);
            }
            (CutOrder::FirstSeatedThenHighest, None) => {
                let first = seated.iter().map(|(id, _)| *id).min();
                seated.sort_by_key(|(id, player)| (Some(*id) != first, u32::MAX - player.seat));
            }
        }
        seated.into_iter().map(|(id, _)| id).collect()
    }

    /// The clause that says who is offered the cut now.
    pub(super) fn cut_clause(&self) -> Clause {
        let (cut, shoe) = (&self.book.cut, &self.table.shoe);
        let later = cut.offered_later.filter(|_| shoe.number > 1 && shoe.last_cutter.is_some());
        later.map_or(cut.offered.clause, |later| later.clause)
    }
}

impl Draft<'_> {
    /// Where the book has an order, offers the cut to the next player in it.
    pub(super) fn offer_next_cut(&mut self) {
        let declined = &self.table.shoe.declined;
        let next = self.cut_order().into_iter().find(|id| !declined.contains(id));
        self.offer(next);
    }

    fn offer(&mut self, next: Option<PlayerId>) {
        let ordered = self.book.cut.offered.value != CutOrder::AnyPlayer;
        match next {
            Some(id) if ordered => {
                let clause = Some(self.cut_clause());
                self.push(Fact::CutOffered(CutBy::Player(id)), &[clause]);
            }
            Some(_) => {}
            None => {
                let clause = Some(self.book.cut.otherwise.clause);
                self.push(Fact::CutOffered(CutBy::Staff(self.book.cut.otherwise.value)), &[clause]);
            }
        }
    }

    fn ready_to_cut(&self) -> Result<(), Refusal> {
        self.preparing("cutting")?;
        let shoe = &self.table.shoe;
        if !shoe.shuffled {
            let clause = Some(self.book.shuffle.first.clause);
            let what = "the cards are not shuffled";
            return no(Code::NotPrepared, clause, what, "the dealer shuffles first");
        }
        if shoe.cut {
            return no(
                Code::NotTheirCut,
                None,
                "the cards are cut",
                "the cutting card goes in next",
            );
        }
        Ok(())
    }

    pub(super) fn offer_cut(&mut self, name: Name) -> Result<(), Refusal> {
        self.ready_to_cut()?;
        let player = self.player(&name)?;
        self.check_turn_to_cut(player)?;
        let clause = Some(self.cut_clause());
        self.push(Fact::CutOffered(CutBy::Player(player)), &[clause]);
        Ok(())
    }

    fn check_turn_to_cut(&self, player: PlayerId) -> Result<(), Refusal> {
        let clause = Some(self.cut_clause());
        let declined = &self.table.shoe.declined;
        let order = self.cut_order();
        let next = order.iter().find(|id| !declined.contains(id));
        if self.who(player).excluded {
            let clause = of(&self.book.general.breach_excludes);
            let what = format!("{} is excluded from the game", self.who(player).name);
            return no(Code::Excluded, clause, what, "another player or staff cut");
        }
        if !order.contains(&player) {
            let what = format!("{} is not seated", self.who(player).name);
            return no(Code::NotTheirCut, clause, what, "the cut is a seated player's");
        }
        if declined.contains(&player) {
            let what = format!("{} has declined the cut", self.who(player).name);
            return no(Code::NotTheirCut, clause, what, "another player or staff cut");
        }
        let ordered = self.book.cut.offered.value != CutOrder::AnyPlayer;
        match next {
            Some(next) if ordered && *next != player => {
                let what = format!("it is not {}'s turn to cut", self.who(player).name);
                let instead = format!("it is {}'s", self.who(*next).name);
                no(Code::NotTheirCut, clause, what, instead)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn decline_cut(&mut self, player: PlayerId) -> Result<(), Refusal> {
        self.ready_to_cut()?;
        self.check_turn_to_cut(player)?;
        let clause = Some(self.cut_clause());
        self.push(Fact::CutDeclined(player), &[clause]);
        self.offer_next_cut();
        Ok(())
    }

    pub(super) fn cut_by_player(&mut self, player: PlayerId, depth: u32) -> Result<(), Refusal> {
        self.ready_to_cut()?;
        self.check_turn_to_cut(player)?;
        self.cut(CutBy::Player(player), depth)
    }

    pub(super) fn cut_by_staff(&mut self, depth: u32) -> Result<(), Refusal> {
        self.ready_to_cut()?;
        let declined = &self.table.shoe.declined;
        if let Some(next) = self.cut_order().into_iter().find(|id| !declined.contains(id)) {
            let clause = Some(self.cut_clause());
            let what = format!("{} has not been offered the cut", self.who(next).name);
            return no(Code::NotTheirCut, clause, what, "offer it to the players first");
        }
        self.cut(CutBy::Staff(self.book.cut.otherwise.value), depth)
    }

    fn cut(&mut self, by: CutBy, depth: u32) -> Result<(), Refusal> {
        let rule = self.book.cut.depth;
        let (least, total) = (rule.value.get(), self.table.options.decks * 52);
        if depth < least || depth > total.saturating_sub(least) {
            let what = format!("a cut at {depth} of {total} cards");
            let instead = format!("allowed: {least} to {}", total - least);
            return no(Code::BadCut, Some(rule.clause), what, instead);
        }
        let otherwise = self.book.cut.otherwise.clause;
        let staff = matches!(by, CutBy::Staff(_));
        let who = if staff { otherwise } else { self.cut_clause() };
        self.push(Fact::Cut { by, depth }, &[Some(rule.clause), Some(who)]);
        Ok(())
    }

    pub(super) fn place_cutting_card(&mut self, behind: u32) -> Result<(), Refusal> {
        self.preparing("placing the cutting card")?;
        let shoe = &self.table.shoe;
        let rule = self.book.cut.behind;
        if !shoe.cut || shoe.marked {
            let clause = Some(self.book.cut.depth.clause);
            let what = if shoe.marked { "the cutting card is in" } else { "the cards are not cut" };
            return no(Code::NotPrepared, clause, what, "cut, then place the cutting card once");
        }
        let total = self.table.options.decks * 52;
        if !rule.value.holds(behind) || behind >= total {
            let what = format!("a cutting card with {behind} cards behind it");
            let instead = format!("allowed: {}", rule.value);
            return no(Code::BadCut, Some(rule.clause), what, instead);
        }
        self.push(Fact::CuttingCardPlaced(behind), &[Some(rule.clause)]);
        if self.book.burn.is_none() {
            self.shoe_ready();
        }
        Ok(())
    }
}
