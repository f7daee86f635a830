//! Puts right cards that came out of sequence: in the current coup, and in one that was settled.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Deref;

use arrayvec::ArrayVec;
use rules::{Balance, Card, Cents, Clause};

use super::Draft;
use super::trouble::is_silent;
use crate::event::{Account, Fact, PlayerId, ReturnWhy, SuspendedWhy, transfer};
use crate::record::Finished;
use crate::refusal::{Code, Refusal, no};
use crate::state::{Coup, CoupCard, Phase, State, Wager, of};

impl Draft<'_> {
    pub(super) fn find_error(&mut self, number: u32) -> Result<(), Refusal> {
        let table = &*self.table;
        let Some(rule) = self.book.irregularities.found_later else {
            let what = "the book does not speak of errors found later";
            let instead = "a supervisor decides, and the decision is recorded";
            return no(Code::NotInTheBook, None, what, instead);
        };
        self.check_stands(number, Some(rule.clause))?;
        if table.coup.as_ref().is_some_and(|coup| coup.number == number) {
            let clause = Some(self.book.irregularities.out_of_sequence.clause);
            let what = format!("coup {number} is under way");
            return no(Code::WrongMoment, clause, what, "say what was dealt, and it is judged");
        }
        if table.coups == number {
            return self.doubt(number);
        }
        self.void_settled(number, "an error of card placement was found", Some(rule.clause));
        Ok(())
    }

    /// The coup that ended last waits to be put right before another card is dealt.
    fn doubt(&mut self, number: u32) -> Result<(), Refusal> {
        match self.finished() {
            Some(last) if !last.doubted => {
                let clause = self.book.irregularities.out_of_sequence.clause;
                self.push(Fact::ErrorFound { number }, &[Some(clause)]);
                Ok(())
            }
            _ => self.nothing_to_put_right(),
        }
    }

    /// Takes back the settlement of the coup that ended last, lays its wagers again, and judges it
    /// like a suspended coup. Wagers for the next round go back, and are laid again afterwards.
    fn reconstruct_finished(&mut self, order: &[Card]) -> Result<(), Refusal> {
        let clause = Some(self.book.irregularities.out_of_sequence.clause);
        let Some(last) = self.finished() else { return self.nothing_to_put_right() };
        if last.cards_gone {
            let what = "the cards of that coup are shuffled or replaced";
            return no(Code::WrongMoment, clause, what, "say that it cannot be reconstructed");
        }
        self.may_refuse_yet();
        self.reopen(clause);
        self.reconstruct(order)
    }

    /// Makes the coup that ended last current again: takes back its settlement and lays its wagers.
    pub(super) fn reopen(&mut self, clause: Option<Clause>) {
        let Some(last) = &self.table.last else { return };
        let (number, wagers) = (last.coup.number, last.wagers.clone());
        self.push(Fact::Reopened { number }, &[clause]);
        self.return_all(ReturnWhy::Reopened, &[clause]);
        self.reverse(number, None, clause);
        for Wager { player, spot, place, stake, .. } in wagers {
            let postings = self.laid_from(player, stake);
            self.pay(Fact::Relaid { player, spot, place, stake }, &[clause], postings);
        }
    }

    /// The chips of a wager that is laid again: from the stack as far as it goes; the player owes
    /// the rest.
    fn laid_from(&self, player: PlayerId, stake: Cents) -> [(Account, Balance); 3] {
        let cents = Balance::from(stake);
        let held = if self.who(player).present {
            self.who(player).stack.max(Balance::ZERO)
        } else {
            Balance::ZERO
        };
        let own = cents.min(held);
        [
            (Account::Stack(player), -own),
            (Account::Receivable(player), own - cents),
            (Account::Layout, cents),
        ]
    }

    /// After a coup was judged again, lays the wagers for the next round again, where their owners
    /// still have the chips.
    pub(super) fn lay_again(&mut self, wagers: &[Wager]) {
        let clause = Some(self.book.irregularities.out_of_sequence.clause);
        for Wager { player, spot, place, stake, .. } in wagers.iter().copied() {
            if self.who(player).present && self.stack(player) >= stake {
                let postings = transfer(Account::Stack(player), Account::Layout, stake);
                self.pay(Fact::Relaid { player, spot, place, stake }, &[clause], postings);
            }
        }
    }

    /// Ends a round that cannot be put right.
    pub(super) fn cannot_reconstruct(&mut self) -> Result<(), Refusal> {
        let rule = self.book.irregularities.beyond_repair;
        if let Some(last) = self.finished() {
            let number = last.coup.number;
            self.void_settled(number, "it cannot be reconstructed", of(&rule));
            return Ok(());
        }
        let Some(coup) = self.table.coup.as_ref().filter(|coup| coup.irregular) else {
            return self.nothing_to_put_right();
        };
        let initial = coup.cards.len() <= 4;
        if let Some(rule) = self.book.irregularities.void_part
            && !initial
        {
            let what = "third cards out of sequence are not void under this book";
            return no(Code::NotInTheBook, Some(rule.clause), what, "reconstruct them");
        }
        self.void_current("it cannot be reconstructed", &[of(&rule)], None);
        Ok(())
    }

    /// Gives the cards to the hands that they belong to, in the order in which they left the shoe.
    pub(super) fn reconstruct(&mut self, order: &[Card]) -> Result<(), Refusal> {
        let Some(coup) = self.table.coup.clone() else {
            return self.reconstruct_finished(order);
        };
        let rule = self.book.irregularities.out_of_sequence;
        let clause = Some(rule.clause).filter(|_| !is_silent(rule.value) || coup.cards.len() > 4);
        match coup.suspended {
            Some(SuspendedWhy::OutOfSequence) => {
                let sequence = self.sequence(&coup, order)?;
                self.rearrange(coup, &sequence, clause);
                self.push(Fact::Resumed, &[clause]);
                self.go_on();
                Ok(())
            }
            // The order of dealing has put it right already; the supervisor confirms it.
            None if coup.irregular => {
                self.push(Fact::Decided("the reconstruction is confirmed".into()), &[clause]);
                Ok(())
            }
            _ => self.nothing_to_put_right(),
        }
    }

    /// The positions of the coup's cards, in the order in which they left the shoe.
    fn sequence(&self, coup: &Coup, order: &[Card]) -> Result<Vec<usize>, Refusal> {
        if order.is_empty() {
            return Ok((0..coup.cards.len()).collect());
        }
        let mut sequence = Vec::new();
        for card in order {
            let at =
                |(i, held): &(usize, &CoupCard)| held.card == Some(*card) && !sequence.contains(i);
            match coup.cards.iter().enumerate().find(at) {
                Some((i, _)) => sequence.push(i),
                None => break,
            }
        }
        if sequence.len() == order.len() && order.len() == coup.cards.len() {
            return Ok(sequence);
        }
        let cards: Vec<_> = coup
            .cards
            .iter()
            .map(|held| held.card.map_or("??".into(), |c| format!("{c}")))
            .collect();
        let clause = Some(self.book.irregularities.out_of_sequence.clause);
        let what = "other cards than those of the coup";
        let instead = format!("allowed: {} in the order of leaving the shoe", cards.join(" "));
        no(Code::WrongCard, clause, what, instead)
    }

    /// Deals the coup's cards again in that order: each goes to the hand that is due one, and what
    /// no hand is due is in excess.
    pub(super) fn rearrange(&mut self, mut coup: Coup, sequence: &[usize], clause: Option<Clause>) {
        let old = core::mem::take(&mut coup.cards);
        let (mut arranged, mut excess) = (ArrayVec::<_, 6>::new(), ArrayVec::<_, 6>::new());
        for &index in sequence {
            let card = old[index];
            // While a card lies face down, it is not known which hand is due the next card.
            let side = match self.due(&coup) {
                Some(by) => by.value,
                None if coup.has_hidden() => card.side,
                None => {
                    excess.extend(card.card);
                    continue;
                }
            };
            coup.cards.push(CoupCard { side, ..card });
            arranged.push((u8::try_from(index).unwrap_or(0), side));
        }
        let in_order = sequence.is_sorted() && excess.is_empty();
        let third = |i: usize| coup.cards.get(i).map(|card| card.side);
        let moved = |i: usize| old.get(i).map(|card| card.side) != third(i);
        match third(4).filter(|_| moved(4)) {
            _ if !in_order || moved(5) => self.push(Fact::Rearranged(arranged), &[clause]),
            Some(side) => self.push(Fact::ThirdMoved(side), &[clause]),
            None => {}
        }
        self.push(Fact::Reconstructed, &[clause]);
        // The cards left the shoe earlier, not now.
        self.was_behind = Some(self.table.shoe.behind_out);
        for card in excess {
            self.excess(Some(card), None);
        }
    }
}

impl<T: Deref<Target = State>> Draft<'_, T> {
    /// The coup that ended last, if its cards can still be put right. That needs a book with a rule
    /// on errors of placement, and lasts until the first card of the next coup.
    fn finished(&self) -> Option<&Finished> {
        let table = &*self.table;
        let open = table.coup.is_none() && table.phase != Phase::Closed;
        table.last.as_ref().filter(|_| open && self.book.irregularities.found_later.is_some())
    }

    /// Refuses to deal while the previous coup waits to be put right.
    pub(super) fn check_not_doubted(&self) -> Result<(), Refusal> {
        let Some(last) = self.finished().filter(|last| last.doubted) else { return Ok(()) };
        let clause = Some(self.book.irregularities.out_of_sequence.clause);
        let what = format!("coup {} waits to be put right", last.coup.number);
        no(Code::Suspended, clause, what, "reconstruct it, or say that it cannot be")
    }
}
