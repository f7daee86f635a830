//! The players who turn the cards in a competition.

use rules::{Cents, Clause, Side, Spot};
use table::{Coup, Fact as TableFact, Name, PlayerId};

use super::{Draft, of};
use crate::event::{EntrantId, Fact};
use crate::sitting::Sitting;

/// The cards of a hand that the dealer turns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turned {
    FirstTwo,
    Third,
}

impl Draft<'_> {
    /// Passes cards that lie face down, third cards too, to the player with the highest wager on
    /// the hand.
    pub(super) fn pass_cards(&mut self, number: u32) {
        let wagers = self.rules.wagers;
        for side in Side::BOTH {
            let highest = wagers.player_cards;
            let (Some(rule), Some(sitting)) = (highest, self.t.sitting(number)) else { return };
            let own = match side {
                Side::Player => None,
                Side::Banker => of(&wagers.banker_cards),
            };
            let Some(coup) = sitting.table.coup().filter(|coup| coup.cards.len() >= 4) else {
                return;
            };
            let hidden = |first: bool| {
                let mut cards = coup.cards.iter().enumerate();
                cards.any(|(i, card)| card.side == side && !card.shown && (i < 4) == first)
            };
            let (first, third) = (hidden(true), hidden(false));
            let due = match coup.passed[side as usize] {
                None => first || third,
                Some(_) => false,
            };
            if coup.refused.iter().any(|(refused, _)| *refused == side) {
                // A player who does not want the cards leaves them to the dealer.
                continue;
            }
            let told_third = third && self.is_new_third(number);
            // A player who wagered most and then left turns no cards; the dealer does.
            let there = |player: PlayerId| {
                sitting.active().any(|c| c.player == Some(player) && !c.is_missing())
            };
            let entitled = entitled(sitting, side).filter(|(player, _)| there(*player));
            let Some((player, level)) = entitled.filter(|_| due || told_third) else {
                continue;
            };
            let laid = sitting.laying;
            let clauses: [Option<Clause>; 4] = [
                if third { of(&wagers.third_cards) } else { own.or(Some(rule.clause)) },
                of(&wagers.equal_wagers).filter(|_| level),
                self.rules.secret.map(|secret| secret.last_dealt.clause).filter(|_| laid),
                None,
            ];
            self.direct_at(number, &clauses, |by| by.event(TableFact::Passed(side, player)));
        }
    }

    /// Whether this decision dealt a card beyond the first four.
    fn is_new_third(&self, number: u32) -> bool {
        let here = self.events.iter().rev().filter_map(|event| {
            let Fact::AtTable { table, event } = &event.fact else { return None };
            (*table == number).then_some(&event.fact)
        });
        let mut moved =
            here.filter(|fact| matches!(fact, TableFact::Dealt { .. } | TableFact::Passed(..)));
        matches!(moved.next(), Some(TableFact::Dealt { shown: false, .. }))
    }

    /// A player turns cards; another player's cards count all the same.
    pub(super) fn player_turns(&mut self, id: EntrantId, side: Side) {
        let wagers = self.rules.wagers;
        if wagers.player_cards.is_none() {
            return;
        }
        let Some(sitting) = self.t.sitting_of(id) else { return };
        let player = sitting.chair(id).and_then(|chair| chair.player);
        let rightful = entitled(sitting, side).map(|(player, _)| player);
        let hidden = sitting.table.coup().is_some_and(Coup::has_hidden);
        if hidden && rightful != player {
            self.push(Fact::WrongPlayer(id), &[of(&wagers.wrong_player)]);
        }
    }

    /// The dealer passes a hand; if it is to the wrong player, that is recorded.
    pub(super) fn dealer_passes(&mut self, table: u32, side: Side, name: Name) {
        let wagers = self.rules.wagers;
        if wagers.player_cards.is_none() {
            return;
        }
        let Some(sitting) = self.t.sitting(table) else { return };
        let to = sitting.table.player_named(&name);
        let rightful = entitled(sitting, side).map(|(player, _)| player);
        if let (Some(id), true) = (self.t.entrant_named(&name), to != rightful) {
            self.push(Fact::WrongPlayer(id), &[of(&wagers.wrong_player)]);
        }
    }

    /// The dealer turns the cards that no player turns.
    pub(super) fn dealer_turns(&mut self, table: u32, side: Side, cards: Turned) {
        let wagers = self.rules.wagers;
        let Some(sitting) = self.t.sitting(table) else { return };
        if wagers.player_cards.is_none() {
            return;
        }
        let unwagered = entitled(sitting, side).is_none();
        if cards == Turned::Third && !unwagered {
            return;
        }
        let clause =
            if unwagered { of(&wagers.dealer_turns_unwagered) } else { of(&wagers.dealer_turns) };
        self.push(Fact::DealerTurns { table, unwagered }, &[clause]);
    }
}

/// The player with the most chips on a hand (of equals, the first in the order of wagering), and
/// whether there were equals.
fn entitled(sitting: &Sitting, side: Side) -> Option<(PlayerId, bool)> {
    let spot = if side == Side::Player { Spot::Player } else { Spot::Banker };
    let wagers = || sitting.table.wagers().iter().filter(|wager| wager.spot == spot);
    let most = wagers().map(|wager| wager.stake).max().filter(|most| *most > Cents::ZERO)?;
    let level = wagers().filter(|wager| wager.stake == most).count() > 1;
    let mut seats = sitting.marker;
    for _ in 0..=sitting.chairs.len() {
        let seat = seats?;
        let chair = sitting.chairs.iter().find(|chair| chair.seat == seat);
        let player = chair.and_then(|chair| chair.player);
        if let Some(player) = player
            && wagers().any(|wager| wager.player == player && wager.stake == most)
        {
            return Some((player, level));
        }
        seats = sitting.next_seat(seat);
    }
    wagers().find(|wager| wager.stake == most).map(|wager| (wager.player, level))
}
