//! Cards that are dealt face down: the players who are given them, and the people who turn them.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Deref;

use arrayvec::ArrayVec;
use rules::book::Turning;
use rules::{Card, Cents, Clause, Side, Spot};

use super::Draft;
use super::coup::Place;
use crate::command::Name;
use crate::event::{Fact, PlayerId};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Coup, State, of};

impl Draft<'_> {
    /// The clause by which a card of a hand lies face down.
    pub(super) fn face_clause(&self, side: Side) -> Clause {
        let (face, turned) = (self.book.deal.face.clause, self.book.deal.turned_by.clause);
        if face == turned { self.turned_clause(side) } else { face }
    }

    /// Where the book says who turns the cards, passes them at once.
    pub(super) fn pass_by_rule(&mut self) {
        let hidden = self.table.coup.as_ref().is_some_and(Coup::has_hidden);
        if self.book.deal.turned_by.value != Turning::HighestWager || !hidden {
            return;
        }
        for side in Side::BOTH {
            self.pass_next(side, Handed::First);
        }
    }

    /// Passes a hand to the seated player with the highest wager on it who has not refused it.
    fn pass_next(&mut self, side: Side, handed: Handed) {
        let Some(coup) = &self.table.coup else { return };
        let hidden = coup.cards.iter().any(|card| card.side == side && !card.shown);
        let other = match side {
            Side::Player => Side::Banker,
            Side::Banker => Side::Player,
        };
        let Some(next) = self.highest(coup, side).filter(|_| hidden) else { return };
        // A player gets one hand at a time: Banker's waits until Player's is turned.
        let busy = coup.passed[other as usize] == Some(next)
            && coup.cards.iter().any(|card| card.side == other && !card.shown);
        if busy {
            return;
        }
        let deal = &self.book.deal;
        let to = match side {
            Side::Player => deal.player_cards_to,
            Side::Banker => deal.banker_cards_to,
        };
        let ties = self.equal_highest(coup, side);
        let lowest = of(&deal.lowest_seat_first).filter(|_| ties);
        let one = coup.passed[other as usize] == Some(next);
        let one = of(&deal.one_hand_at_a_time).filter(|_| one);
        let refused = coup.refused.iter().any(|(refused, _)| *refused == side);
        let again = refused || handed == Handed::Again;
        let refused = of(&deal.refused).filter(|_| again);
        self.push(Fact::Passed(side, next), &[of(&to), lowest.or(refused), one, of(&deal.discs)]);
    }

    fn equal_highest(&self, coup: &Coup, side: Side) -> bool {
        let most = self.stakes_on(coup, side).map(|(stake, ..)| stake).max();
        self.stakes_on(coup, side).filter(|(stake, ..)| Some(*stake) == most).count() > 1
    }

    /// The coup, if that side has cards face down and the coup is not suspended.
    fn coup_with_hidden(&self, side: Side) -> Result<&Coup, Refusal> {
        match &self.table.coup {
            Some(coup) if coup.suspended.is_some() => {
                let what = "turning cards while the coup waits";
                no(Code::Suspended, None, what, "the supervisor resumes it first")
            }
            Some(coup) if coup.cards.iter().any(|card| card.side == side && !card.shown) => {
                Ok(coup)
            }
            _ => {
                let what = format!("no card of {side} lies face down");
                no(Code::WrongMoment, Some(self.face_clause(side)), what, "deal face down first")
            }
        }
    }

    /// Passes hands of a player who may not turn them any more to the next player who may.
    pub(super) fn pass_on(&mut self, sides: &[Side]) {
        if self.book.deal.turned_by.value != Turning::HighestWager {
            return;
        }
        for side in sides {
            self.pass_next(*side, Handed::Again);
        }
    }

    /// The hands that a player was given.
    pub(super) fn hands_of(&self, player: PlayerId) -> Vec<Side> {
        let Some(coup) = &self.table.coup else { return Vec::new() };
        let theirs = |side: &Side| coup.passed[*side as usize] == Some(player);
        Side::BOTH.into_iter().filter(theirs).collect()
    }

    pub(super) fn pass(&mut self, side: Side, name: Name) -> Result<(), Refusal> {
        let player = self.player(&name)?;
        if self.who(player).excluded {
            let clause = of(&self.book.general.breach_excludes);
            let what = format!("{name} is excluded from the game");
            return no(Code::Excluded, clause, what, "another player, or the dealer, turns them");
        }
        let coup = self.coup_with_hidden(side)?;
        self.check_handling(player, side)?;
        self.check_one_hand(player, side, coup)?;
        let deal = &self.book.deal;
        let to = match side {
            Side::Player => deal.player_cards_to,
            Side::Banker => deal.banker_cards_to,
        };
        match deal.turned_by.value {
            Turning::AsDetermined => {
                self.push(Fact::Passed(side, player), &[Some(self.turned_clause(side))]);
            }
            Turning::Dealer => {
                let clause = Some(deal.turned_by.clause);
                let what = format!("{side}'s cards to {name}");
                return no(Code::WrongHands, clause, what, "the dealer turns the cards");
            }
            Turning::DealerOrBettor | Turning::HighestWager => {
                let spot = if side == Side::Player { Spot::Player } else { Spot::Banker };
                let lawful = match deal.turned_by.value {
                    Turning::HighestWager => self.highest(coup, side) == Some(player),
                    Turning::DealerOrBettor | Turning::AsDetermined | Turning::Dealer => {
                        self.table.on_spot(player, spot).is_some()
                    }
                };
                if lawful {
                    self.push(Fact::Passed(side, player), &[of(&to), Some(deal.turned_by.clause)]);
                } else {
                    return self.wrong_person(side, player, of(&to));
                }
            }
        }
        Ok(())
    }

    pub(super) fn refuse_cards(&mut self, player: PlayerId) -> Result<(), Refusal> {
        let side = Side::BOTH.into_iter().find(|side| {
            self.table.coup.as_ref().is_some_and(|coup| {
                let hidden = coup.cards.iter().any(|card| card.side == *side && !card.shown);
                hidden && coup.passed[*side as usize] == Some(player)
            })
        });
        let Some(side) = side else {
            let what = format!("{} has no cards to refuse", self.who(player).name);
            return no(Code::WrongHands, None, what, "wait for the cards");
        };
        let clause = of(&self.book.deal.refused).or(Some(self.turned_clause(side)));
        self.push(Fact::CardsRefused(side, player), &[clause]);
        if self.book.deal.turned_by.value == Turning::HighestWager {
            self.pass_next(side, Handed::Again);
        }
        Ok(())
    }

    pub(super) fn turn_by_player(
        &mut self,
        player: PlayerId,
        side: Side,
        cards: Option<[Card; 2]>,
    ) -> Result<(), Refusal> {
        self.check_hands(player, side, self.coup_with_hidden(side)?)?;
        let cards = cards.map(|[first, second]| [Some(first), Some(second)]).unwrap_or_default();
        self.turn(side, &cards, Place::FirstFour)
    }

    pub(super) fn turn_third_by_player(
        &mut self,
        player: PlayerId,
        side: Side,
        card: Option<Card>,
    ) -> Result<(), Refusal> {
        self.check_hands(player, side, self.coup_with_hidden(side)?)?;
        self.turn(side, &[card], Place::Third)
    }

    /// Checks that a player may touch cards at all.
    fn check_handling(&self, player: PlayerId, side: Side) -> Result<(), Refusal> {
        let Some(rule) = self.book.table.handling else { return Ok(()) };
        let instead = match self.book.deal.turned_by.value {
            Turning::Dealer => "allowed: a player whom a rule lets touch the cards",
            Turning::HighestWager if self.who(player).standing => {
                "cards are for seated players, never those who stand"
            }
            Turning::HighestWager | Turning::AsDetermined | Turning::DealerOrBettor => {
                return Ok(());
            }
        };
        let what = format!("{side}'s cards to {}", self.who(player).name);
        no(Code::WrongHands, Some(rule.clause), what, instead)
    }

    /// A player who has one hand to turn does not get the other yet.
    fn check_one_hand(&self, player: PlayerId, side: Side, coup: &Coup) -> Result<(), Refusal> {
        if self.book.deal.turned_by.value != Turning::HighestWager {
            return Ok(());
        }
        let other = if side == Side::Player { Side::Banker } else { Side::Player };
        let holds = coup.passed[other as usize] == Some(player)
            && coup.cards.iter().any(|card| card.side == other && !card.shown);
        if !holds {
            return Ok(());
        }
        let what = format!("{} has {other}'s cards to turn first", self.who(player).name);
        let clause = of(&self.book.deal.one_hand_at_a_time);
        no(Code::WrongHands, clause, what, "one hand at a time")
    }

    /// A player may turn only cards that were passed to that player.
    fn check_hands(&self, player: PlayerId, side: Side, coup: &Coup) -> Result<(), Refusal> {
        self.check_handling(player, side)?;
        let deal = &self.book.deal;
        let clause = match side {
            Side::Player => of(&deal.player_cards_to),
            Side::Banker => of(&deal.banker_cards_to),
        };
        let clause = clause.or(Some(deal.turned_by.clause));
        let free = deal.turned_by.value == Turning::AsDetermined;
        if free || coup.passed[side as usize] == Some(player) {
            return Ok(());
        }
        self.check_one_hand(player, side, coup)?;
        let what = format!("{side}'s cards are not {}'s to turn", self.who(player).name);
        let instead = match coup.passed[side as usize] {
            Some(id) => format!("they are {}'s", self.who(id).name),
            None => "the dealer turns them, or passes them first".into(),
        };
        no(Code::WrongHands, clause, what, instead)
    }

    pub(super) fn turn_by_dealer(
        &mut self,
        side: Side,
        cards: Option<[Card; 2]>,
    ) -> Result<(), Refusal> {
        self.check_order(side, self.coup_with_hidden(side)?)?;
        let cards = cards.map(|[first, second]| [Some(first), Some(second)]).unwrap_or_default();
        self.turn(side, &cards, Place::FirstFour)
    }

    pub(super) fn turn_third_by_dealer(
        &mut self,
        side: Side,
        card: Option<Card>,
    ) -> Result<(), Refusal> {
        self.coup_with_hidden(side)?;
        self.turn(side, &[card], Place::Third)
    }

    /// Where the dealer turns all cards, Player's come first.
    fn check_order(&self, side: Side, coup: &Coup) -> Result<(), Refusal> {
        let rule = self.book.deal.turned_by;
        let player_hidden = coup.cards.iter().any(|c| c.side == Side::Player && !c.shown);
        if rule.value == Turning::Dealer && side == Side::Banker && player_hidden {
            let what = "Banker's cards before Player's";
            return no(Code::WrongHands, Some(rule.clause), what, "Player's are turned first");
        }
        Ok(())
    }

    fn turn(&mut self, side: Side, cards: &[Option<Card>], place: Place) -> Result<(), Refusal> {
        let Some(coup) = &self.table.coup else { return Ok(()) };
        let third = place == Place::Third;
        let mut left = self.table.shoe.left;
        let mine: ArrayVec<usize, 6> = (0..coup.cards.len())
            .filter(|i| coup.cards[*i].side == side && (*i >= 4) == third)
            .collect();
        if mine.iter().all(|i| coup.cards[*i].shown) || coup.cards.len() < 4 {
            let what = format!("those cards of {side} do not lie face down");
            return no(Code::WrongMoment, None, what, "turn what lies face down");
        }
        let deal = &self.book.deal;
        // Where players turn the cards, the dealer turns those that nobody has.
        let nobody = coup.passed[side as usize].is_none();
        let by = match deal.turned_by.value {
            Turning::HighestWager if nobody => deal.face.clause,
            Turning::HighestWager
            | Turning::AsDetermined
            | Turning::Dealer
            | Turning::DealerOrBettor => self.turned_clause(side),
        };
        let style = of(&deal.third_cards).filter(|_| third);
        let mut turned = ArrayVec::<_, 6>::new();
        for (slot, index) in mine.into_iter().enumerate() {
            // The named cards are all cards of the hand in order, including those that lie open
            // already.
            let named = cards.get(slot).copied().flatten();
            let known = coup.cards[index].card;
            if coup.cards[index].shown && named.is_none_or(|named| known == Some(named)) {
                continue;
            }
            let Some(card) = named.or(known) else {
                let what = "which cards they are was not said";
                return no(Code::ImpossibleCard, None, what, "name the cards that were turned");
            };
            if known.is_some_and(|known| known != card) {
                let what = format!("{card} is not the card that was dealt");
                // What everybody saw is no secret; another card stays one until it is turned.
                let instead = match known.filter(|_| coup.cards[index].seen) {
                    Some(seen) => format!("name {seen}, which everybody saw"),
                    None => "name the card that was dealt".into(),
                };
                return no(Code::WrongCard, None, what, instead);
            }
            if known.is_none() && left.take(card).is_err() {
                return self.impossible(card);
            }
            turned.push((u8::try_from(index).unwrap_or(0), card));
        }
        for (index, card) in turned {
            let counts = self.book.cards.points(card.rank()).clause;
            self.push(Fact::Turned { index, card }, &[Some(by), Some(counts), style]);
        }
        if self.book.deal.turned_by.value == Turning::HighestWager && !third {
            self.pass_by_rule_after_turn(side);
        }
        self.advance();
        Ok(())
    }

    /// A player who is due both hands gets the second when the first lies open.
    fn pass_by_rule_after_turn(&mut self, turned: Side) {
        let other = if turned == Side::Player { Side::Banker } else { Side::Player };
        let free = |coup: &Coup| coup.passed[other as usize].is_none();
        if self.table.coup.as_ref().is_some_and(free) {
            self.pass_next(other, Handed::First);
        }
    }
}

impl<T: Deref<Target = State>> Draft<'_, T> {
    /// The clause on who turns a hand. Where somebody determines it and each hand has its own rule,
    /// as in a competition, it is the clause for that hand.
    pub(super) fn turned_clause(&self, side: Side) -> Clause {
        let deal = &self.book.deal;
        let own = match side {
            Side::Player => of(&deal.player_cards_to),
            Side::Banker => of(&deal.banker_cards_to),
        };
        let own = own.filter(|_| deal.turned_by.value == Turning::AsDetermined);
        own.unwrap_or(deal.turned_by.clause)
    }

    fn stakes_on<'s>(
        &'s self,
        coup: &'s Coup,
        side: Side,
    ) -> impl Iterator<Item = (Cents, u32, PlayerId)> + 's {
        let spot = if side == Side::Player { Spot::Player } else { Spot::Banker };
        self.table.wagers.iter().filter(move |wager| wager.spot == spot).filter_map(move |wager| {
            let player = self.table.player(wager.player);
            let refused = coup.refused.contains(&(side, wager.player));
            let out = player.standing || player.excluded || refused;
            (!out).then_some((wager.stake, player.seat, wager.player))
        })
    }

    pub(super) fn highest(&self, coup: &Coup, side: Side) -> Option<PlayerId> {
        let best =
            self.stakes_on(coup, side).max_by_key(|(stake, seat, _)| (*stake, u32::MAX - seat));
        best.map(|(_, _, player)| player)
    }
}

/// Whether a hand is passed for the first time in the coup.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handed {
    /// Nobody has had the hand yet.
    First,
    /// A player had the hand who may not turn it any more.
    Again,
}
