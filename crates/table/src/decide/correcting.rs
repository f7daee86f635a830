//! Corrects a wager or a card that was recorded wrongly. Nothing is rewritten: a coup that was
//! settled is judged again, by new events.

use alloc::format;
use alloc::vec::Vec;

use rules::book::SettledWhen;
use rules::{Card, Cents, Rulebook, Spot};

use super::Draft;
use crate::command::Time;
use crate::event::{Account, Event, Fact, PlayerId, transfer};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Coup, Phase, State};

/// Something that was recorded wrongly, with its correct value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rekeyed {
    /// The wager of a player on a spot.
    Wager {
        /// The player.
        player: PlayerId,
        /// The number of a finished coup; if not given, the wager that lies on the layout.
        coup: Option<u32>,
        /// The spot.
        spot: Spot,
        /// The stake; nothing if there was no wager.
        stake: Cents,
    },
    /// A card of a coup.
    Card {
        /// The coup.
        coup: u32,
        /// Its position in the order in which the cards left the shoe, from 0.
        index: u8,
        /// The correct card.
        card: Card,
    },
}

impl State {
    /// Judges what follows from a correction. Changes nothing.
    ///
    /// # Errors
    ///
    /// When the corrected value is impossible, or the coup can no longer be judged again.
    pub fn correct(
        &self,
        book: &Rulebook,
        at: Time,
        rekeyed: Rekeyed,
    ) -> Result<Vec<Event>, Refusal> {
        let (mut table, mut events) = (self.clone(), Vec::new());
        let mut draft = Draft::on_a_copy(&mut table, book, at, &mut events);
        match rekeyed {
            Rekeyed::Wager { player, coup: None, spot, stake } => {
                draft.check_not_paid(spot)?;
                draft.set_wager(player, spot, stake)?;
            }
            Rekeyed::Wager { player, coup: Some(number), spot, stake } => {
                draft.open_again(number)?;
                draft.set_wager(player, spot, stake)?;
                draft.push(Fact::Resumed, &[]);
                draft.go_on();
            }
            Rekeyed::Card { coup, index, card } => draft.set_card(coup, index, card)?,
        }
        Ok(events)
    }

    /// The coup that ended last, as long as the next has not begun.
    #[must_use]
    pub fn last_coup(&self) -> Option<&Coup> {
        self.last.as_ref().map(|last| &last.coup)
    }

    /// What a player had on a spot in the coup that ended last, as it was settled.
    #[must_use]
    pub fn settled_on(&self, player: PlayerId, spot: Spot) -> Option<Cents> {
        let wagers = self.last.iter().flat_map(|last| &last.wagers);
        let mut mine = wagers.filter(|wager| wager.player == player && wager.spot == spot);
        mine.next().map(|wager| wager.stake)
    }
}

impl Draft<'_> {
    /// Takes the settlement of the coup that ended last back, and lays its wagers again.
    fn open_again(&mut self, number: u32) -> Result<(), Refusal> {
        let table = &*self.table;
        let open = table.coup.is_none() && table.phase != Phase::Closed;
        let last = table.last.as_ref().filter(|last| open && last.coup.number == number);
        match last {
            Some(last) if !last.cards_gone => {
                self.reopen(None);
                Ok(())
            }
            Some(_) | None => {
                let what = format!("coup {number} cannot be settled again");
                let instead = "allowed for the coup that ended last, while its shoe is there; of \
                               an earlier one the chips can be corrected, or it can be void";
                no(Code::NoSuchCoup, None, what, instead)
            }
        }
    }

    /// Pairs are paid before the third cards: once paid, they are corrected when the coup is over.
    fn check_not_paid(&self, spot: Spot) -> Result<(), Refusal> {
        let paid = self.table.coup.as_ref().is_some_and(|coup| coup.pairs_settled);
        let group = self.side_bets_of(spot).filter(|group| {
            group.rules.settled.is_some_and(|s| s.value == SettledWhen::BeforeThirdCards)
        });
        if let (true, Some(group)) = (paid, group) {
            let what = format!("the {} of this coup are paid", group.name);
            return no(Code::WrongMoment, None, what, "allowed when the coup is over");
        }
        Ok(())
    }

    /// Sets a wager to another amount, or to the other hand.
    fn set_wager(&mut self, player: PlayerId, spot: Spot, stake: Cents) -> Result<(), Refusal> {
        self.check_spot(spot)?;
        let lies = self.table.on_spot(player, spot).copied();
        let other = spot.other_hand().filter(|_| lies.is_none());
        let other = other.and_then(|other| self.table.on_spot(player, other)).copied();
        if let Some(wrong) = other {
            let postings = transfer(Account::Layout, self.purse(player), wrong.stake);
            let (spot, place) = (wrong.spot, wrong.place);
            let (from, to) = (wrong.stake, Cents::ZERO);
            let fact = Fact::WagerCorrected { player, spot, place, from, to };
            self.pay(fact, &[], postings);
        }
        let place = lies.or(other).map_or(self.who(player).seat, |wager| wager.place);
        let before = lies.map_or(Cents::ZERO, |wager| wager.stake);
        let more = stake.checked_sub(before).unwrap_or(Cents::ZERO);
        if more > self.stack(player) {
            let spot = spot.key();
            let what = format!("{stake} on {spot} is more than {} has", self.who(player).name);
            let most = before.checked_add(self.stack(player)).unwrap_or(Cents::MAX);
            return no(Code::NotEnoughChips, None, what, format!("allowed: up to {most}"));
        }
        let purse = self.purse(player);
        let postings = match before.checked_sub(stake) {
            Some(less) => transfer(Account::Layout, purse, less),
            None => transfer(purse, Account::Layout, more),
        };
        let (from, to) = (before, stake);
        self.pay(Fact::WagerCorrected { player, spot, place, from, to }, &[], postings);
        Ok(())
    }

    /// Replaces a card that was recorded wrongly: the hands are dealt again from it on.
    fn set_card(&mut self, number: u32, index: u8, card: Card) -> Result<(), Refusal> {
        let under_way = self.table.coup.as_ref().is_some_and(|coup| coup.number == number);
        if under_way {
            self.check_may_set_card()?;
        } else {
            self.open_again(number)?;
        }
        let Some(coup) = self.table.coup.clone() else { return Ok(()) };
        let held = coup.cards.get(usize::from(index)).filter(|held| held.shown);
        let Some(old) = held.and_then(|held| held.card) else {
            let what = format!("card {} of coup {number} is not seen", index + 1);
            let seen = coup.cards.iter().filter(|held| held.shown).count();
            return no(Code::WrongCard, None, what, format!("{seen} of its cards lie face up"));
        };
        if card != old && self.table.shoe.left.count(card) == 0 {
            let what = format!("every {card} of the shoe was seen already");
            return no(Code::ImpossibleCard, None, what, "a card that is left in the shoe");
        }
        self.push(Fact::CardCorrected { index, card }, &[]);
        let Some(coup) = self.table.coup.clone() else { return Ok(()) };
        if !self.lies_as_due(&coup) {
            let sequence: Vec<_> = (0..coup.cards.len()).collect();
            self.rearrange(coup, &sequence, None);
        }
        if under_way {
            self.advance();
            return Ok(());
        }
        self.push(Fact::Resumed, &[]);
        self.go_on();
        Ok(())
    }

    /// A card of the current coup is corrected before anything depends on it.
    fn check_may_set_card(&self) -> Result<(), Refusal> {
        let Some(coup) = &self.table.coup else { return Ok(()) };
        if coup.suspended.is_some() {
            let instead = "put its cards right first, or let it go on";
            return no(Code::Suspended, None, "the coup waits for a decision", instead);
        }
        if coup.pairs_settled {
            let instead = "allowed when the coup is over";
            return no(Code::WrongMoment, None, "the pairs of this coup are judged", instead);
        }
        Ok(())
    }

    /// Whether each card of a coup lies at the hand that was due one.
    fn lies_as_due(&self, coup: &Coup) -> bool {
        let mut dealt = Coup { cards: coup.cards.clone(), ..coup.clone() };
        dealt.cards.clear();
        coup.cards.iter().all(|card| {
            let due = self.due(&dealt).map(|side| side.value);
            let right = due == Some(card.side) || (due.is_none() && dealt.has_hidden());
            dealt.cards.push(*card);
            right
        })
    }
}
