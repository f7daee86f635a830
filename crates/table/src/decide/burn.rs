//! The burn: as the book requires, with too few cards, with too many, or missed.

use alloc::format;

use rules::book::Burn;
use rules::{Card, Clause};

use super::Draft;
use super::trouble::MOST_WAITING;
use crate::event::Fact;
use crate::refusal::{Code, Refusal, no};
use crate::state::{Phase, of};

impl Draft<'_> {
    fn ready_to_burn(&self) -> Result<Burn, Refusal> {
        let Some(burn) = &self.book.burn else {
            return no(Code::WrongBurn, None, "this book burns no cards", "deal");
        };
        if self.table.phase != Phase::Preparing {
            let what = format!("a burn while {}", super::moment(self.table.phase));
            let instead = "play goes on; the next shoe is burnt when it is prepared";
            return no(Code::WrongMoment, Some(burn.missed.clause), what, instead);
        }
        if !self.table.shoe.marked {
            let clause = Some(self.book.cut.behind.clause);
            let what = "the cutting card is not in";
            return no(Code::NotPrepared, clause, what, "cut and place the cutting card first");
        }
        Ok(burn.clone())
    }

    pub(super) fn burn(&mut self, card: Card) -> Result<(), Refusal> {
        let burn = self.ready_to_burn()?;
        self.check_card(card)?;
        let (further, counts) = self.book.cards.burnt_with(&burn, card.rank());
        self.burned(&burn, card, further, counts);
        self.shoe_ready();
        Ok(())
    }

    fn burned(&mut self, burn: &Burn, card: Card, further: u32, counts: Option<Clause>) {
        let clauses =
            [Some(burn.shown.clause), Some(burn.further.clause), counts, of(&burn.discarded)];
        self.push(Fact::Burned { shown: Some(card), further }, &clauses);
    }

    pub(super) fn burn_unseen(&mut self) -> Result<(), Refusal> {
        self.burn_counted(None, 0)
    }

    /// The dealer burnt so many cards. Missing cards may still be burnt until the first round
    /// begins. Each card too many was drawn in excess, unseen.
    pub(super) fn burn_counted(&mut self, card: Option<Card>, further: u32) -> Result<(), Refusal> {
        let burn = self.ready_to_burn()?;
        let unseen = burn.unseen;
        let (due, counts) = match (card, unseen) {
            (Some(card), _) => {
                self.check_card(card)?;
                self.book.cards.burnt_with(&burn, card.rank())
            }
            (None, Some(_)) => (0, None),
            (None, None) => {
                let what = "an unseen burn";
                return no(Code::WrongBurn, Some(burn.shown.clause), what, "show the first card");
            }
        };
        let surplus = further.saturating_sub(due);
        if usize::try_from(surplus).unwrap_or(usize::MAX) > MOST_WAITING {
            let what = format!("{surplus} cards too many in a burn");
            let instead = "have the cards shuffled and cut anew";
            return no(Code::TooMany, Some(burn.further.clause), what, instead);
        }
        match card {
            Some(card) => self.burned(&burn, card, further.min(due), counts),
            None => self.push(Fact::Burned { shown: None, further: 0 }, &[of(&unseen)]),
        }
        if further < due {
            let missing = due - further;
            self.push(Fact::BurnShort { missing }, &[Some(burn.further.clause), counts]);
        }
        self.shoe_ready();
        for _ in 0..surplus {
            self.excess(None, None);
        }
        Ok(())
    }

    /// Burns cards that were missing from the burn, before the first round.
    pub(super) fn burn_more(&mut self, more: u32) -> Result<(), Refusal> {
        let Some(burn) = &self.book.burn else {
            return no(Code::WrongBurn, None, "this book burns no cards", "deal");
        };
        let (further, missed) = (burn.further.clause, burn.missed.clause);
        let shoe = &self.table.shoe;
        if shoe.coups > 0 {
            let what = "a burn after the first round of the shoe began";
            return no(Code::WrongMoment, Some(missed), what, "play goes on without it");
        }
        let missing = shoe.burn_short;
        if more == 0 || more > missing {
            let what = format!("{more} more cards burnt");
            let instead = match missing {
                0 => "none is missing".into(),
                missing => format!("{missing} are missing"),
            };
            return no(Code::WrongBurn, Some(further), what, instead);
        }
        self.push(Fact::BurnedMore(more), &[Some(further)]);
        Ok(())
    }

    pub(super) fn skip_burn(&mut self) -> Result<(), Refusal> {
        let missed = self.ready_to_burn()?.missed.clause;
        self.push(Fact::BurnSkipped, &[Some(missed)]);
        self.shoe_ready();
        Ok(())
    }

    /// A round begins, so cards that were missing from the burn stay unburnt.
    pub(super) fn leave_burn_short(&mut self) {
        if let (Some(burn), 1..) = (&self.book.burn, self.table.shoe.burn_short) {
            self.push(Fact::BurnSkipped, &[Some(burn.missed.clause)]);
        }
    }
}
