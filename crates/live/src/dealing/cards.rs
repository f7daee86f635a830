//! The cards that leave the shoe: those of an act, those that are turned, those of a burn.

use rules::{Card, Side};
use shoe::{Opening, ShoeFact};
use table::{Act, Deed, Event, Facing, Phase, Work};

use super::{Dealing, Felt};

const BURN: &str = "burn";
const BURN_UNSEEN: &str = "burn, unseen";
pub(super) const EXCESS: &str = "in excess";

impl Dealing {
    /// Fills in the cards that an act leaves open, and gives the facts to publish about them.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what names its cards is left as it is")]
    pub(crate) fn fill(&mut self, felt: Felt<'_>, act: Act) -> (Act, Vec<ShoeFact>) {
        if self.shoe.is_none() {
            return (act, Vec::new());
        }
        match act {
            Act::Dealer(Work::Draw { card: None, to, face_down }) => {
                let (card, facts) = if draws_after(felt) {
                    self.draw_new(EXCESS, Facing::down_if(face_down))
                } else {
                    let facing = felt.state.next_lies(felt.book, Facing::down_if(face_down));
                    self.draw_out(felt, &purpose(felt, to), facing)
                };
                (Act::Dealer(Work::Draw { card, to, face_down }), facts)
            }
            Act::Dealer(Work::Deal([None, None, None, None])) => {
                let facing = felt.state.next_lies(felt.book, Facing::Up);
                let (mut cards, mut facts) = ([None; 4], Vec::new());
                for (i, card) in cards.iter_mut().enumerate() {
                    let (drawn, published) = if i == 0 {
                        self.draw_out(felt, &purpose(felt, Side::Player), facing)
                    } else {
                        self.draw_new(&purpose(felt, Side::BOTH[i % 2]), facing)
                    };
                    *card = drawn;
                    facts.extend(published);
                }
                (Act::Dealer(Work::Deal(cards)), facts)
            }
            Act::Dealer(Work::DrawExcess { card: None, face_down }) => {
                let (card, facts) = self.draw_new(EXCESS, Facing::down_if(face_down));
                (Act::Dealer(Work::DrawExcess { card, face_down }), facts)
            }
            Act::Dealer(Work::Burn(card)) => {
                let (_, facts) = self.draw_new(BURN, Facing::Up);
                (Act::Dealer(Work::Burn(card)), facts)
            }
            Act::Dealer(Work::BurnUnseen | Work::BurnCounted { card: None, .. }) => {
                let (_, facts) = self.draw_new(BURN_UNSEEN, Facing::Down);
                (act, facts)
            }
            Act::Dealer(Work::Turn(side, None)) => {
                let (cards, facts) = self.turn_over(felt, side, false);
                (Act::Dealer(Work::Turn(side, two(&cards))), facts)
            }
            Act::Dealer(Work::TurnThird(side, None)) => {
                let (cards, facts) = self.turn_over(felt, side, true);
                (Act::Dealer(Work::TurnThird(side, cards.first().copied())), facts)
            }
            Act::Player(name, Deed::Turn(side, None)) => {
                let (cards, facts) = self.turn_over(felt, side, false);
                (Act::Player(name, Deed::Turn(side, two(&cards))), facts)
            }
            Act::Player(name, Deed::TurnThird(side, None)) => {
                let (cards, facts) = self.turn_over(felt, side, true);
                (Act::Player(name, Deed::TurnThird(side, cards.first().copied())), facts)
            }
            act => (act, Vec::new()),
        }
    }

    /// The next card of a coup: the one that waits, or one from the shoe.
    fn draw_out(
        &mut self,
        felt: Felt<'_>,
        what: &str,
        facing: Facing,
    ) -> (Option<Card>, Vec<ShoeFact>) {
        let waiting = felt.state.waiting().first();
        let first = felt.state.coup().is_none_or(|coup| coup.cards.is_empty());
        match (waiting, self.known.waiting.first(), &self.shoe) {
            (Some(waiting), Some(index), Some(shoe)) if first => {
                let opening =
                    shoe.open(*index).filter(|_| facing.is_up() && waiting.card.is_none());
                let card = waiting.card.or(opening.as_ref().map(|opening| opening.card));
                (card, opening.map(ShoeFact::Opened).into_iter().collect())
            }
            _ => self.draw_new(what, facing),
        }
    }

    fn draw_new(&mut self, what: &str, facing: Facing) -> (Option<Card>, Vec<ShoeFact>) {
        let Some(shoe) = &mut self.shoe else { return (None, Vec::new()) };
        let Some(index) = shoe.take() else { return (None, Vec::new()) };
        let opening: Option<Opening> = shoe.open(index).filter(|_| facing.is_up());
        let card = opening.as_ref().map(|opening| opening.card);
        (card, vec![ShoeFact::Dealt { index, what: what.into(), opening }])
    }

    /// The cards of a hand, and the facts to publish when they are turned.
    fn turn_over(&self, felt: Felt<'_>, side: Side, third: bool) -> (Vec<Card>, Vec<ShoeFact>) {
        let (mut cards, mut facts) = (Vec::new(), Vec::new());
        let (Some(coup), Some(shoe)) = (felt.state.coup(), &self.shoe) else {
            return (cards, facts);
        };
        let lying = coup.cards.iter().zip(&self.known.lying).enumerate();
        for (_, (card, index)) in
            lying.filter(|(i, (card, _))| card.side == side && (*i >= 4) == third)
        {
            let Some(opening) = shoe.open(*index) else { continue };
            cards.push(opening.card);
            // A card that waited and was seen then is proved already.
            if !card.shown && card.card.is_none() {
                facts.push(ShoeFact::Opened(opening));
            }
        }
        (cards, facts)
    }

    /// Puts back the cards of an act that was refused.
    pub(crate) fn put_back(&mut self, facts: &[ShoeFact]) {
        let Some(shoe) = &mut self.shoe else { return };
        let taken = facts.iter().filter(|fact| matches!(fact, ShoeFact::Dealt { .. }));
        taken.for_each(|_| shoe.put_back());
    }

    /// A burn takes further cards with it, unseen: those that the book wants, and any that are too
    /// many.
    pub(crate) fn with_burnt(
        &mut self,
        mut facts: Vec<ShoeFact>,
        events: &[Event],
    ) -> Vec<ShoeFact> {
        let burns = |event: &Event| matches!(event.fact, table::Fact::Burned { .. });
        let in_a_burn = events.iter().any(burns);
        for event in events {
            let (what, cards) = if let table::Fact::Burned { further: cards, .. }
            | table::Fact::BurnedMore(cards) = event.fact
            {
                (BURN_UNSEEN, cards)
            } else {
                let excess = in_a_burn && matches!(event.fact, table::Fact::Excess { .. });
                (EXCESS, u32::from(excess))
            };
            for _ in 0..cards {
                facts.extend(self.draw_new(what, Facing::Down).1);
            }
        }
        facts
    }
}

/// Whether a card that is drawn to a hand now belongs to the previous coup, as it does until
/// the next call.
fn draws_after(felt: Felt<'_>) -> bool {
    match felt.state.phase() {
        Phase::Betting => felt.state.shoe().coups > 0,
        Phase::Preparing => true,
        Phase::Unopened | Phase::Called | Phase::Dealing | Phase::Closed => false,
    }
}

fn purpose(felt: Felt<'_>, to: Side) -> String {
    let dealing = felt.state.phase() == Phase::Dealing;
    let coup = felt.state.coups() + u32::from(!dealing);
    format!("coup {coup}: {}", to.key())
}

fn two(cards: &[Card]) -> Option<[Card; 2]> {
    <[Card; 2]>::try_from(cards).ok()
}
