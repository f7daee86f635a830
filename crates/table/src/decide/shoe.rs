//! The shoe: checking, shuffling and burning; and the end of the shoe.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Deref;

use rules::book::{AlsoShuffled, Checkers, Finish, Inspection, NewCards, Replacement, UnseenCard};
use rules::{Card, Cited, Clause};

use super::Draft;
use crate::command::Checker;
use crate::event::{CutBy, Fact, PlayerId, ReturnWhy, Step};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Phase, State, Waiting, of};

impl Draft<'_> {
    pub(super) fn preparing(&self, what: &str) -> Result<(), Refusal> {
        if self.table.phase == Phase::Preparing {
            return Ok(());
        }
        self.wrong_moment(what, "allowed when a shoe is prepared")
    }

    pub(super) fn check_cards(&mut self, by: Checker) -> Result<(), Refusal> {
        let (table, cards) = (&*self.table, &self.book.cards);
        let replacement = cards.replacement_check().filter(|_| table.shoe.replaced);
        let closed = table.phase == Phase::Closed;
        let rule = match (closed, replacement) {
            (true, _) => cards.checked_after,
            (false, Some(replacement)) => Some(replacement),
            (false, None) if table.phase == Phase::Preparing => Some(cards.checked_before),
            (false, None) => {
                return self.wrong_moment("checking the cards", "allowed before gaming");
            }
        };
        let Some(rule) = rule else {
            let what = "this book wants no check after gaming";
            return no(Code::NotInTheBook, None, what, "leave the cards");
        };
        Self::may_check(rule, by)?;
        self.push(Fact::CheckedBy(by), &[Some(rule.clause)]);
        if !is_checked(rule.value, self.table.shoe.checked_by) {
            return Ok(());
        }
        let (checked, step, clause) = if closed {
            (Step::CheckedAfter, Step::SpreadAfter, of(&cards.spread_after))
        } else {
            (Step::Checked, Step::Spread, of(&cards.spread_before))
        };
        self.push(Fact::Prepared(checked), &[Some(rule.clause)]);
        if cards.prepares(NewCards::Spread) {
            self.push(Fact::Prepared(step), &[clause]);
        }
        Ok(())
    }

    /// Whether a check by this person or device counts.
    fn may_check(rule: Cited<Checkers>, by: Checker) -> Result<(), Refusal> {
        let counts = match rule.value {
            Checkers::Staff | Checkers::DealerAndSupervisor => by != Checker::Device,
            Checkers::Dealer => by == Checker::Dealer,
            Checkers::AnyStaffOrDevice => true,
        };
        if counts {
            return Ok(());
        }
        let instead = format!("checked by: {}", rule.value);
        no(Code::NotPrepared, Some(rule.clause), "that check does not count", instead)
    }

    pub(super) fn inspect(&mut self) -> Result<(), Refusal> {
        self.preparing("looking the cards over")?;
        let Some(inspection) = self.book.cards.player_inspection else {
            let what = "players do not look the cards over under this book";
            return no(Code::NotInTheBook, None, what, "the dealer checks the cards");
        };
        if !self.table.shoe.checked {
            return self.unchecked();
        }
        self.push(Fact::Prepared(Step::Inspected), &[Some(inspection.clause)]);
        Ok(())
    }

    fn unchecked<T>(&self) -> Result<T, Refusal> {
        let cards = &self.book.cards;
        let replacement = cards.replacement_check().filter(|_| self.table.shoe.replaced);
        let rule = replacement.unwrap_or(cards.checked_before);
        let instead = format!("checked by: {}", rule.value);
        no(Code::NotPrepared, Some(rule.clause), "the cards are not checked", instead)
    }

    /// Cards that players handled must be replaced before they are shuffled again.
    fn check_handled(&self) -> Result<(), Refusal> {
        if self.must_replace() {
            let replaced = self.book.cards.replaced;
            let what = "cards that players handled are not used again";
            let instead = "the operator replaces the cards";
            return no(Code::NotPrepared, Some(replaced.clause), what, instead);
        }
        Ok(())
    }

    fn check_looked_over(&self) -> Result<(), Refusal> {
        let Some(clause) = self.awaits_players() else { return Ok(()) };
        let what = "no player has had the chance to look the cards over";
        no(Code::NotPrepared, Some(clause), what, "allowed when the first player is there")
    }

    pub(super) fn shuffle(&mut self) -> Result<(), Refusal> {
        self.preparing("shuffling")?;
        self.check_not_doubted()?;
        self.check_handled()?;
        if !self.table.shoe.checked {
            return self.unchecked();
        }
        self.check_looked_over()?;
        self.shuffled();
        self.offer_next_cut();
        Ok(())
    }

    fn shuffled(&mut self) {
        let cards = &self.book.cards;
        if !self.table.shoe.mixed {
            for (step, wanted, clause) in [
                (Step::Washed, NewCards::Wash, of(&cards.washed)),
                (Step::Stacked, NewCards::Stack, of(&cards.stacked)),
                (Step::Riffled, NewCards::Riffle, of(&cards.riffled)),
            ] {
                if cards.prepares(wanted) {
                    self.push(Fact::Prepared(step), &[clause]);
                }
            }
        }
        let shuffle = &self.book.shuffle;
        let first = self.table.shoe.number <= 1 && self.table.phase == Phase::Preparing;
        let clause = if first { shuffle.first.clause } else { shuffle.later.clause };
        self.push(Fact::Prepared(Step::Shuffled), &[Some(clause)]);
    }

    pub(super) fn pre_shuffled(&mut self) -> Result<(), Refusal> {
        let shuffle = &self.book.shuffle;
        let Some(allowed) = shuffle.pre_shuffled else {
            let clause = Some(shuffle.first.clause);
            let instead = "the dealer shuffles";
            return no(Code::NotInTheBook, clause, "pre-shuffled cards", instead);
        };
        self.preparing("bringing cards in")?;
        self.check_not_doubted()?;
        let at_the_end = of(&self.book.end_of_shoe.pre_shuffled).filter(|_| self.table.shuffle_due);
        let unchecked = of(&self.book.cards.unchecked_if_pre_shuffled);
        let supplier = of(&shuffle.pre_shuffled_supplier);
        let clauses = [at_the_end.or(Some(allowed.clause)), supplier, unchecked];
        self.push(Fact::Prepared(Step::PreShuffled), &clauses);
        self.offer_next_cut();
        Ok(())
    }

    pub(super) fn ask_riffle(&mut self, player: PlayerId) -> Result<(), Refusal> {
        self.preparing("asking for a riffle")?;
        match self.book.shuffle.riffle_on_request() {
            Some(riffle) if self.table.shoe.pre_shuffled && !self.table.shoe.cut => {
                self.push(Fact::RiffleAsked(player), &[Some(riffle)]);
                Ok(())
            }
            riffle => {
                let what = "only pre-shuffled cards are riffled on request, before the cut";
                no(Code::NotInTheBook, riffle, what, "the dealer shuffles")
            }
        }
    }

    pub(super) fn riffle(&mut self) -> Result<(), Refusal> {
        self.preparing("a riffle")?;
        let shoe = &self.table.shoe;
        match self.book.shuffle.riffle_on_request() {
            Some(riffle) if shoe.pre_shuffled && !shoe.cut && shoe.riffle_asked => {
                if !shoe.riffle_approved {
                    let what = "a riffle that no supervisor approved";
                    let instead = "`supervisor approves a riffle` comes first";
                    return no(Code::NotPrepared, Some(riffle), what, instead);
                }
                self.push(Fact::Prepared(Step::Riffled), &[Some(riffle)]);
                Ok(())
            }
            riffle => {
                let what = "pre-shuffled cards are riffled before the cut, if a player asks";
                no(Code::NotInTheBook, riffle, what, "a player asks first")
            }
        }
    }

    pub(super) fn approve_riffle(&mut self) -> Result<(), Refusal> {
        self.preparing("approving a riffle")?;
        let shoe = &self.table.shoe;
        match self.book.shuffle.riffle_on_request() {
            Some(riffle) if shoe.pre_shuffled && !shoe.cut && shoe.riffle_asked => {
                self.push(Fact::RiffleApproved, &[Some(riffle)]);
                Ok(())
            }
            riffle => {
                let what = "no player has asked for a riffle of pre-shuffled cards";
                no(Code::NothingToDecide, riffle, what, "a player asks first, before the cut")
            }
        }
    }

    pub(super) fn shoe_ready(&mut self) {
        self.push(Fact::ShoeReady, &[Some(self.book.table.shoe.clause)]);
        self.bets_opened();
    }

    /// A whole preparation, from the check to the burn, lawful and in order.
    pub(super) fn fresh_shoe(&mut self) -> Result<(), Refusal> {
        match self.table.phase {
            Phase::Preparing => {}
            Phase::Betting if self.table.wagers.is_empty() => {
                self.may_refuse_yet();
                self.push(Fact::ShuffleDue, &[Some(self.book.shuffle.later.clause)]);
            }
            Phase::Unopened | Phase::Betting | Phase::Called | Phase::Dealing | Phase::Closed => {
                return self.wrong_moment("a fresh shoe", "allowed between coups");
            }
        }
        self.check_not_doubted()?;
        self.check_handled()?;
        self.check_looked_over()?;
        let cards = &self.book.cards;
        if !self.table.shoe.checked {
            self.push(Fact::Prepared(Step::Checked), &[Some(cards.checked_before.clause)]);
            if cards.prepares(NewCards::Spread) {
                self.push(Fact::Prepared(Step::Spread), &[of(&cards.spread_before)]);
            }
        }
        if !self.table.shoe.shuffled {
            self.shuffled();
        }
        let decks = self.table.options.decks;
        let next = self.cut_order().into_iter().next();
        let by = next.map_or(CutBy::Staff(self.book.cut.otherwise.value), CutBy::Player);
        let who =
            Some(if next.is_some() { self.cut_clause() } else { self.book.cut.otherwise.clause });
        self.push(Fact::CutOffered(by), &[who]);
        self.push(Fact::Cut { by, depth: decks * 26 }, &[Some(self.book.cut.depth.clause), who]);
        let behind = self.book.cut.behind;
        let placed = Fact::CuttingCardPlaced(behind.value.least());
        self.push(placed, &[Some(behind.clause)]);
        if let Some(burn) = &self.book.burn {
            let clause = burn.unseen.map_or(burn.shown.clause, |unseen| unseen.clause);
            self.push(Fact::Burned { shown: None, further: 0 }, &[Some(clause)]);
        }
        self.shoe_ready();
        Ok(())
    }

    pub(super) fn replace_cards(&mut self) -> Result<(), Refusal> {
        let table = &*self.table;
        if matches!(table.phase, Phase::Called | Phase::Dealing) {
            let clause = Some(self.book.cards.replaced.clause);
            let what = "replacing the cards in a round";
            return no(Code::WrongMoment, clause, what, "allowed after the round");
        }
        self.check_not_doubted()?;
        let cards = &self.book.cards;
        let anew = match cards.replaced.value {
            Replacement::AfterAnyRoundAnew => table.phase == Phase::Betting,
            // Between coups the operator may end the shoe to replace its cards, once there is a
            // reason.
            Replacement::AfterHandledShoe
                if table.phase == Phase::Betting
                    && table.shoe.handled
                    && table.wagers.is_empty() =>
            {
                true
            }
            Replacement::AfterHandledShoe if table.phase == Phase::Betting => {
                let what = "new cards within a shoe";
                let instead = "allowed when the shoe is over";
                return no(Code::WrongMoment, Some(cards.replaced.clause), what, instead);
            }
            Replacement::AfterAnyRound | Replacement::AfterHandledShoe => false,
        };
        let checked = of(&cards.replacement_checked);
        if anew {
            self.drop_waiting();
            self.push(Fact::ShuffleDue, &[Some(cards.replaced.clause)]);
        }
        self.push(Fact::Replaced, &[Some(cards.replaced.clause), checked]);
        Ok(())
    }

    pub(super) fn direct_shuffle(&mut self) -> Result<(), Refusal> {
        let Some(directed) = self.book.shuffle.also(AlsoShuffled::Directed) else {
            let clause = Some(self.book.shuffle.later.clause);
            let what = "a shuffle by direction";
            return no(Code::NotInTheBook, clause, what, "cards are shuffled for each new shoe");
        };
        let clauses = [Some(directed)];
        if self.table.phase != Phase::Betting {
            let what = format!("a shuffle while {}", super::moment(self.table.phase));
            return no(Code::WrongMoment, clauses[0], what, "allowed after a round");
        }
        self.check_not_doubted()?;
        self.return_all(ReturnWhy::NewShoe, &clauses);
        self.drop_waiting();
        self.push(Fact::ShuffleDue, &clauses);
        Ok(())
    }

    /// Drops a card that waited: it goes away with the shoe.
    pub(super) fn drop_waiting(&mut self) {
        let trouble = &self.book.irregularities;
        let waiting: Vec<_> =
            self.table.waiting.iter().chain(&self.table.face_up).copied().collect();
        for Waiting { card, .. } in waiting {
            let rule = match card {
                Some(_) => trouble.excess_seen.clause,
                None => trouble.excess_unseen.clause,
            };
            self.push(Fact::ExcessNotUsed(card), &[Some(rule)]);
        }
    }

    pub(super) fn cutting_card_appears(&mut self) -> Result<(), Refusal> {
        let table = &*self.table;
        if table.shoe.cutting_card.is_some() {
            return no(Code::TooMany, None, "the cutting card is out already", "it comes once");
        }
        let first = match table.phase {
            // With a card in excess waiting, the next card is no longer the first of a round.
            Phase::Betting | Phase::Called => table.waiting.is_empty(),
            Phase::Dealing => table.coup.as_ref().is_some_and(|coup| coup.cards.is_empty()),
            Phase::Unopened | Phase::Preparing | Phase::Closed => {
                return self
                    .wrong_moment("the cutting card", "allowed while cards are being dealt");
            }
        };
        let dealing = table.phase == Phase::Dealing;
        let end = &self.book.end_of_shoe;
        let rule = if first { end.cutting_card_first } else { end.cutting_card_during };
        let clause = Some(rule.clause);
        self.drop_unseen();
        self.push(Fact::CuttingCardOut { first }, &[clause]);
        match rule.value {
            Finish::ThisRound => self.push(Fact::CoupsLeft(1), &[clause]),
            Finish::NextRound => self.push(Fact::CoupsLeft(2), &[clause]),
            Finish::OneBehind if !dealing => {
                self.push(Fact::CoupsLeft(1), &[clause]);
                if !first {
                    self.call(self.book.calls.last_coup_during().as_ref());
                }
            }
            Finish::OneBehind => {}
        }
        if first {
            self.call(self.book.calls.last_coup.as_ref());
        }
        Ok(())
    }

    pub(super) fn cutting_card_shows(&mut self) -> Result<(), Refusal> {
        if matches!(self.table.phase, Phase::Preparing) {
            return self.wrong_moment("the cutting card", "when cards are dealt it shows");
        }
        let rule = self.book.irregularities.excess_unseen;
        let speaks = rule.value == UnseenCard::FirstOfNextUnlessMarkerOut;
        self.drop_unseen();
        self.push(Fact::CuttingCardSeen, &[Some(rule.clause).filter(|_| speaks)]);
        Ok(())
    }

    /// Where the marker decides, cards that wait unseen are not used once the marker is out.
    fn drop_unseen(&mut self) {
        let rule = self.book.irregularities.excess_unseen;
        if rule.value != UnseenCard::FirstOfNextUnlessMarkerOut {
            return;
        }
        let waiting = self.table.waiting.iter();
        let unseen = waiting.filter(|waiting| !self.lies_open(**waiting)).count();
        for _ in 0..unseen {
            self.push(Fact::ExcessNotUsed(None), &[Some(rule.clause)]);
        }
        // A seen card that waited after them comes first now.
        if unseen > 0 && self.table.phase != Phase::Dealing {
            self.seen_card_comes();
        }
    }

    pub(super) fn shoe_runs_out(&mut self) -> Result<(), Refusal> {
        let table = &*self.table;
        if table.phase == Phase::Preparing && table.shoe.shuffled {
            // The cards cannot be dealt after all: they are shuffled as for any later shoe.
            self.drop_waiting();
            self.push(Fact::ShuffleDue, &[Some(self.book.shuffle.later.clause)]);
            return Ok(());
        }
        if !matches!(table.phase, Phase::Betting | Phase::Called | Phase::Dealing) {
            return self
                .wrong_moment("a shoe that runs out", "allowed while cards are being dealt");
        }
        let rule = self.book.end_of_shoe.short_shoe;
        // An empty shoe ends play, whatever the book says about it.
        let shuffle = of(&self.book.end_of_shoe.short_shoe_shuffle);
        let clause = shuffle.unwrap_or(self.book.shuffle.later.clause);
        if matches!(table.phase, Phase::Called | Phase::Dealing) {
            self.void_current("too few cards in the shoe", &[Some(rule.clause)], Some(clause));
        } else {
            self.return_all(ReturnWhy::NewShoe, &[Some(clause)]);
            self.push(Fact::ShuffleDue, &[Some(clause)]);
        }
        Ok(())
    }

    /// Refuses a card that cannot come.
    pub(super) fn check_card(&self, card: Card) -> Result<(), Refusal> {
        if self.table.shoe.left.count(card) == 0 { self.impossible(card) } else { Ok(()) }
    }

    /// Refuses a card of which too few are left.
    pub(super) fn impossible<T>(&self, card: Card) -> Result<T, Refusal> {
        let clause = Some(self.book.cards.decks.clause);
        let decks = self.table.options.decks;
        let left = self.table.shoe.left.count(card);
        let what = format!("of {decks} {card} only {left} are left");
        no(Code::ImpossibleCard, clause, what, "look at the card again")
    }
}

impl<T: Deref<Target = State>> Draft<'_, T> {
    /// Whether players handled the cards, so that they are not used again.
    pub(super) fn must_replace(&self) -> bool {
        let replaced = self.book.cards.replaced.value;
        replaced == Replacement::AfterHandledShoe && self.table.shoe.handled
    }

    /// The clause by which new cards are not shuffled until the first players have looked at them.
    pub(super) fn awaits_players(&self) -> Option<Clause> {
        let (shoe, rule) = (&self.table.shoe, self.book.cards.player_inspection?);
        let seen = shoe.looked_over || (!shoe.checked && self.table.playing().next().is_some());
        (rule.value == Inspection::Awaited && !shoe.mixed && !seen).then_some(rule.clause)
    }
}

/// Whether everybody who must check the cards has done so.
const fn is_checked(rule: Checkers, [dealer, supervisor, device]: [bool; 3]) -> bool {
    match rule {
        Checkers::Staff => dealer || supervisor,
        Checkers::Dealer => dealer,
        Checkers::AnyStaffOrDevice => dealer || supervisor || device,
        Checkers::DealerAndSupervisor => dealer && supervisor,
    }
}
