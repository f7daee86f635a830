//! What the dealing follows: the events of the table and what was published of the shoe.

use std::sync::Arc;

use rules::Card;
use shoe::{Abandoned, CutOf, ShoeFact, ShoeRecord};
use table::{CutBy, Event, State};

use super::Dealing;
use super::cards::EXCESS;

/// How long somebody takes no part who promised a word and did not open it.
const BARRED: u64 = 24 * 3600 * 1_000_000;

impl Dealing {
    /// Sorts the positions of the cards after a whole act: the table knows how many cards wait.
    pub(crate) fn settle(&mut self, table: &State) {
        self.known.waiting.truncate(table.waiting().len());
        if let Some(coup) = table.coup() {
            self.known.lying.truncate(coup.cards.len());
        }
    }

    /// Follows an event that was recorded; `before` is the table before the event.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few facts move the cards of the shoe")]
    pub(crate) fn note_event(&mut self, event: &Event, before: &State) {
        match &event.fact {
            table::Fact::CuttingCardPlaced(behind) => self.known.behind = Some(*behind),
            table::Fact::Cut { by, depth } => {
                let open = |record: &&mut Arc<ShoeRecord>| {
                    record.root.is_some() && record.cut.is_none() && record.entropy.is_none()
                };
                let of = match by {
                    CutBy::Player(_) => CutOf::Player,
                    CutBy::Staff(_) => CutOf::Staff,
                };
                if let Some(record) = self.known.record.as_mut().filter(open) {
                    Arc::make_mut(record).note_cut(*depth, of);
                }
                if let Some(shoe) = &mut self.shoe {
                    let _ = shoe.cut(*depth);
                }
            }
            table::Fact::CoupBegan { .. } => {
                self.known.lying.clear();
                if !self.known.waiting.is_empty() && !before.waiting().is_empty() {
                    self.known.lying.push(self.known.waiting.remove(0));
                }
            }
            table::Fact::ExcessNotUsed(card) => self.drop_waiting(*card, before),
            // Cards that waited go away with the shoe.
            table::Fact::ShuffleDue => self.known.waiting.clear(),
            table::Fact::Rearranged(cards) => {
                let named = |i: usize| cards.iter().any(|(named, _)| usize::from(*named) == i);
                let over =
                    (0..self.known.lying.len()).filter(|i| !named(*i)).map(|i| self.known.lying[i]);
                self.known.waiting.extend(over);
                let kept = cards.iter().filter_map(|(i, _)| self.known.lying.get(usize::from(*i)));
                self.known.lying = kept.copied().collect();
            }
            _ => {}
        }
    }

    /// A card is not used: one that waited, or one in excess.
    fn drop_waiting(&mut self, card: Option<Card>, before: &State) {
        let waited = before.waiting().iter().position(|waiting| waiting.card == card);
        let place = waited.unwrap_or(before.waiting().len());
        if place < self.known.waiting.len() {
            self.known.waiting.remove(place);
        }
    }

    /// Follows a fact that was published.
    pub(crate) fn note_fact(&mut self, fact: &ShoeFact, at: u64) {
        self.since = at;
        match (&mut self.known.record, fact) {
            (record, ShoeFact::Committed { protocol, decks, commitment, binds }) => {
                let fresh = match binds {
                    None => ShoeRecord::first(*decks, *commitment),
                    Some(binds) => ShoeRecord::of(*decks, *commitment, (**binds).clone()),
                };
                *record = Some(Arc::new(ShoeRecord { protocol: protocol.clone(), ..fresh }));
                self.known.number += 1;
                self.known.lost = false;
                self.known.behind = None;
                self.known.lying.clear();
                self.known.waiting.clear();
                self.promises.clear();
                self.opened.clear();
            }
            (Some(record), fact) => Arc::make_mut(record).note(fact),
            (None, _) => {}
        }
        if let ShoeFact::Dealt { index, what, .. } = fact {
            if what.starts_with("coup") {
                self.known.lying.push(*index);
            } else if what == EXCESS {
                self.known.waiting.push(*index);
            }
        }
        if matches!(fact, ShoeFact::Ordered { .. } | ShoeFact::CutByChance { .. }) {
            self.bar(at);
        }
        let lost = *fact == ShoeFact::Abandoned(Abandoned::SecretLost);
        self.known.lost |= lost;
        if lost || matches!(fact, ShoeFact::Revealed { .. }) {
            self.shoe = None;
            self.secret = None;
            self.words.clear();
            self.doomed = None;
        }
    }

    /// Who promised a word and did not open it takes no part for a day.
    fn bar(&mut self, at: u64) {
        self.known.barred.retain(|(_, until)| *until > at);
        let Some(way) = self.published().and_then(ShoeRecord::second) else { return };
        let silent: Vec<_> = way.silent().map(str::to_owned).collect();
        for account in silent {
            self.known.barred.retain(|(barred, _)| *barred != account);
            self.known.barred.push((account, at.saturating_add(BARRED)));
        }
    }
}
