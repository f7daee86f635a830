//! Side bets: offering them when the table opens, and changing or withdrawing them later.

use alloc::string::ToString;

use rules::{Clause, PairsKind, Terms};

use super::Draft;
use crate::command::SignLine;
use crate::event::{Fact, Keeping};
use crate::refusal::{Code, Refusal, no};
use crate::state::of;

impl Draft<'_> {
    /// Announces which Pairs are offered, and by which clauses.
    pub(super) fn offer_pairs(&mut self, kind: Option<PairsKind>) {
        let book = self.book;
        let (Some(kind), Some(pairs)) = (kind, &book.pairs) else { return };
        let (offered, applies, scale) = match kind {
            PairsKind::Perfect => book.perfect_pairs.as_ref().map(|perfect| {
                (Some(perfect.offered.clause), of(&perfect.applies), of(&perfect.scale))
            }),
            PairsKind::Canberra => book.canberra_pairs.as_ref().map(|canberra| {
                (Some(canberra.offered.clause), of(&canberra.applies), of(&canberra.scale))
            }),
        }
        .unwrap_or_default();
        let clauses = [Some(pairs.offered.clause), Some(pairs.choice.clause), offered, applies];
        self.push(Fact::Kept(Keeping::Pairs), &clauses);
        // Limits belong on the sign; they are announced when they are posted.
        let areas = [scale, of(&pairs.areas), of(&pairs.displayed)];
        self.push(Fact::Kept(Keeping::PairsAreas), &areas);
    }

    /// Announces that the Dragon Bonus is offered, and by which clauses.
    pub(super) fn offer_dragon(&mut self) {
        let book = self.book;
        let Some(dragon) = &book.dragon else { return };
        let offered = Some(dragon.offered.clause);
        let clauses = [offered, of(&dragon.at_discretion), of(&dragon.applies), of(&dragon.scale)];
        self.push(Fact::Kept(Keeping::Dragon), &clauses);
        let shown = [of(&dragon.areas), of(&dragon.displayed)];
        self.push(Fact::Kept(Keeping::DragonAreas), &shown);
    }

    /// The clauses by which the operator chooses which side bets are offered.
    pub(super) fn offer_clauses(&self, posting: &SignLine) -> [Option<Clause>; 3] {
        match (posting, &self.book.pairs, &self.book.dragon) {
            (SignLine::Pairs(Some(_)), Some(pairs), _) => {
                [Some(pairs.choice.clause), of(&pairs.displayed), None]
            }
            (SignLine::Pairs(None), Some(pairs), _) => [Some(pairs.offered.clause), None, None],
            (SignLine::Dragon(_), _, Some(dragon)) => {
                [Some(dragon.offered.clause), of(&dragon.at_discretion), None]
            }
            _ => [None; 3],
        }
    }

    /// Checks that these Pairs can be offered, or that there are Pairs to withdraw.
    pub(super) fn check_pairs(&self, kind: Option<PairsKind>) -> Result<(), Refusal> {
        // A book without Pairs has none to withdraw either.
        let any = Some(PairsKind::Perfect).filter(|_| self.book.pairs.is_none());
        self.check_offered(Terms { pairs: kind.or(any), ..self.table.sign_terms() })?;
        if kind.is_none() && self.table.options.pairs.is_none() {
            let clause = self.offer_clauses(&SignLine::Pairs(None))[0];
            return no(Code::NothingToDecide, clause, "no Pairs are offered", "go on");
        }
        Ok(())
    }

    /// Checks that the Dragon Bonus can be offered.
    pub(super) fn check_dragon(&self) -> Result<(), Refusal> {
        self.check_offered(Terms { dragon: true, ..self.table.sign_terms() })
    }

    /// Checks that there is a Dragon Bonus to withdraw.
    pub(super) fn check_no_dragon(&self) -> Result<(), Refusal> {
        self.check_dragon()?;
        if !self.table.options.dragon {
            let clause = self.offer_clauses(&SignLine::Dragon(false))[0];
            return no(Code::NothingToDecide, clause, "no Dragon Bonus is offered", "go on");
        }
        Ok(())
    }

    fn check_offered(&self, terms: Terms) -> Result<(), Refusal> {
        let Err(fault) = self.book.allows(terms) else { return Ok(()) };
        no(Code::NotInTheBook, fault.clause(), fault.to_string(), "leave it out")
    }
}
