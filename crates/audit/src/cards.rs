//! The cards of a log: every card that an event shows is the card at that position of the shoe.

use std::collections::VecDeque;

use rules::{Card, Side};
use shoe::{Opening, ShoeFact, ShoeRecord};
use table::Event;

/// The positions in the shoe of the cards that are on the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The positions of the coup's cards, in the order in which they left the shoe.
    lying: Vec<u32>,
    /// The positions of cards that wait for later coups, each with the card if it was seen.
    waiting: VecDeque<(u32, Option<Card>)>,
    /// The positions of cards in excess of a coup that was put right: no hand is due them.
    over: VecDeque<u32>,
    /// The number of cards behind the cutting card, and whether that card is out.
    behind: Option<u32>,
    marker_out: bool,
    /// The number of the coup that is dealt or judged again.
    coup: u32,
    /// The hand that the next card was drawn to, where the table puts it to another.
    drawn_to: Option<Side>,
}

/// The words under which cards leave the shoe.
const BURN: &str = "burn";
const BURN_UNSEEN: &str = "burn, unseen";
const EXCESS: &str = "in excess";

/// What the facts of one act have for its events.
struct Given<'a> {
    dealt: VecDeque<(u32, &'a str, Option<&'a Opening>)>,
    opened: Vec<&'a Opening>,
    before: &'a [Opening],
}

impl Given<'_> {
    /// The next card that left the shoe. It must be this card, whether it was shown or not, and
    /// have left for this.
    fn next(&mut self, card: Option<Card>, due: &str) -> Result<u32, String> {
        let Some((index, what, opening)) = self.dealt.pop_front() else {
            return Err("a card came that did not leave the shoe".into());
        };
        if what != due {
            return Err(format!("card {index} left the shoe as `{what}`, and is `{due}`"));
        }
        match (card, opening) {
            (None, Some(_)) => Err(format!("card {index} was opened, though nobody saw it")),
            (Some(card), None) => Err(format!("{card} was shown, but card {index} not proved")),
            (Some(card), Some(opening)) if opening.index != index || opening.card != card => {
                Err(format!("{card} was shown as card {index}, which the proof says otherwise"))
            }
            (None, None) | (Some(_), Some(_)) => Ok(index),
        }
    }

    /// The next card that left the shoe is burnt. One too many may go with it.
    fn burnt(&mut self, card: Option<Card>) -> Result<(), String> {
        let excess = self.dealt.front().is_some_and(|(_, what, _)| *what == EXCESS);
        let due = match card {
            _ if excess => EXCESS,
            Some(_) => BURN,
            None => BURN_UNSEEN,
        };
        self.next(card, due).map(|_| ())
    }

    /// Checks a card that left the shoe earlier and is shown now; its proof came then or comes now.
    fn shown(&mut self, index: u32, card: Card) -> Result<(), String> {
        let now = self.opened.iter().position(|opening| opening.index == index);
        let opening = match now {
            Some(at) => Some(self.opened.remove(at).card),
            None => self.before.iter().find(|o| o.index == index).map(|o| o.card),
        };
        match opening {
            Some(proved) if proved == card => Ok(()),
            Some(_) => Err(format!("{card} was turned as card {index}, which is another")),
            None => Err(format!("{card} was turned as card {index} without its proof")),
        }
    }
}

impl Places {
    /// A new shoe begins.
    pub(crate) fn new_shoe(&mut self) {
        *self = Self { coup: self.coup, ..Self::default() };
    }

    /// Checks the events of one act against the facts that were published with them.
    pub(crate) fn check(
        &mut self,
        shoe: &ShoeRecord,
        events: &[Event],
        facts: &[ShoeFact],
    ) -> Vec<String> {
        let mut given =
            Given { dealt: VecDeque::new(), opened: Vec::new(), before: &shoe.openings };
        for fact in facts {
            match fact {
                ShoeFact::Dealt { index, what, opening } => {
                    given.dealt.push_back((*index, what, opening.as_ref()));
                }
                ShoeFact::Opened(opening) => given.opened.push(opening),
                ShoeFact::Committed { .. }
                | ShoeFact::Listed { .. }
                | ShoeFact::Ordered { .. }
                | ShoeFact::CutByChance { .. }
                | ShoeFact::Abandoned(_)
                | ShoeFact::Mixed { .. }
                | ShoeFact::Revealed { .. } => {}
            }
        }
        let left = (shoe.decks * 52).saturating_sub(u32::try_from(shoe.dealt.len()).unwrap_or(0));
        let mut faults = Vec::new();
        self.drawn_to = None;
        for event in events {
            let checked = self.event(event, &mut given, left);
            faults.extend(checked.err());
        }
        if !given.dealt.is_empty() {
            faults.push(format!("{} cards left the shoe for nothing", given.dealt.len()));
        }
        if !given.opened.is_empty() {
            faults.push(format!("{} cards were opened that nobody turned", given.opened.len()));
        }
        faults
    }

    /// The cards of the coup anew, each by its former place; one that is not named is left over.
    fn rearrange(&mut self, cards: &[(u8, Side)]) {
        let named = |i: usize| cards.iter().any(|(named, _)| usize::from(*named) == i);
        let over = (0..self.lying.len()).filter(|i| !named(*i));
        self.over = over.map(|i| self.lying[i]).collect();
        let kept = cards.iter().filter_map(|(i, _)| self.lying.get(usize::from(*i)));
        self.lying = kept.copied().collect();
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a card that no arm accounts for is found by the caller"
    )]
    fn event(&mut self, event: &Event, given: &mut Given, left: u32) -> Result<(), String> {
        match &event.fact {
            table::Fact::Burned { shown, further } => {
                given.burnt(*shown)?;
                (0..*further).try_for_each(|_| given.burnt(None))
            }
            table::Fact::BurnedMore(more) => (0..*more).try_for_each(|_| given.burnt(None)),
            table::Fact::Dealt { side, card, shown } => {
                let card = card.filter(|_| *shown);
                if self.lying.is_empty()
                    && let Some((index, _)) = self.waiting.pop_front()
                {
                    self.lying.push(index);
                    return card.map_or(Ok(()), |card| given.shown(index, card));
                }
                let drawn_to = self.drawn_to.take().unwrap_or(*side);
                let due = format!("coup {}: {}", self.coup, drawn_to.key());
                self.lying.push(given.next(card, &due)?);
                Ok(())
            }
            table::Fact::Turned { index, card } => {
                let place = self.lying.get(usize::from(*index)).copied();
                let place = place.ok_or("a card was turned that is not there")?;
                given.shown(place, *card)
            }
            table::Fact::Excess { card } => {
                let index = self.over.pop_front().map_or_else(|| given.next(*card, EXCESS), Ok)?;
                self.waiting.push_back((index, *card));
                Ok(())
            }
            table::Fact::ExcessNotUsed(card) => {
                match self.waiting.iter().position(|(_, waiting)| waiting == card) {
                    Some(waited) => drop(self.waiting.remove(waited)),
                    None if self.over.pop_front().is_some() || given.dealt.is_empty() => {}
                    None => drop(given.next(*card, EXCESS)?),
                }
                Ok(())
            }
            fact => self.note(fact, left),
        }
    }
    /// What changes nothing in the shoe, but where its cards are due.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "most facts say nothing of where cards are due"
    )]
    fn note(&mut self, fact: &table::Fact, left: u32) -> Result<(), String> {
        match fact {
            table::Fact::CoupBegan { number, .. } => {
                self.lying.clear();
                self.coup = *number;
                if !self.marker_out && self.behind.is_some_and(|behind| left < behind) {
                    return Err("a coup behind the cutting card, which never came out".into());
                }
                Ok(())
            }
            table::Fact::Reopened { number } => {
                self.coup = *number;
                Ok(())
            }
            table::Fact::OutOfSequence(to) => {
                self.drawn_to = Some(*to);
                Ok(())
            }
            table::Fact::GivenToBanker(_) => {
                self.drawn_to = Some(Side::Player);
                Ok(())
            }
            table::Fact::Rearranged(cards) => {
                self.rearrange(cards);
                Ok(())
            }
            // Cards that waited go away with the shoe.
            table::Fact::ShuffleDue => {
                self.waiting.clear();
                Ok(())
            }
            table::Fact::CuttingCardPlaced(behind) => {
                self.behind = Some(*behind);
                Ok(())
            }
            table::Fact::CuttingCardOut { .. } => {
                self.marker_out = true;
                let early = self.behind.is_some_and(|behind| left > behind);
                if early { Err("the cutting card came before its place".into()) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }
}
