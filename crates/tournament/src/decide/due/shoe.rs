//! What is due with the cards of a table: from the check to the burn, and in a coup.

use alloc::boxed::Box;
use alloc::vec::Vec;

use ::table::{
    Act as TableAct, Checker, CutBy, Decision, Facing, Name, PlayerId, SuspendedWhy, Work,
};
use rules::{Card, Clauses, Side};

use super::super::{Draft, of};
use crate::command::Act;
use crate::due::{Due, Next, Whom};
use crate::event::EntrantId;
use crate::sitting::{Chair, Sitting};

impl Draft<'_> {
    /// The name by which an entrant acts: the substitute's, if one plays.
    pub(super) fn acting(&self, id: EntrantId) -> Name {
        self.who(id).substitute.unwrap_or(self.who(id).name)
    }

    /// The name by which a player at a table acts.
    fn acting_at(&self, sitting: &Sitting, player: PlayerId) -> Name {
        let chair = sitting.chairs.iter().find(|chair| chair.player == Some(player));
        chair.map_or_else(|| sitting.table.player(player).name, |chair| self.acting(chair.entrant))
    }

    /// What is due with the cards; nothing while wagers are open.
    pub(super) fn due_with_the_cards(
        &self,
        sitting: &Sitting,
        next: ::table::Next,
        clauses: &Clauses,
    ) -> Vec<Due> {
        use ::table::Next as At;
        let number = sitting.number;
        let due = |next: Next, whom: Whom| Due {
            clauses: clauses.clone(),
            ..Due::new(next, whom, &[]).at(number)
        };
        let act = |act: TableAct| Act::At(Some(number), Box::new(act));
        let work = |work: Work| act(TableAct::Dealer(work));
        let prepares = sitting.table.phase() == ::table::Phase::Preparing;
        let one = match next {
            At::Replace => due(Next::ReplaceCards, Whom::Operator).by(act(TableAct::ReplaceCards)),
            At::Check(by) => {
                let whom = match by {
                    Checker::Dealer | Checker::Device => Whom::Dealer,
                    Checker::Supervisor => Whom::Inspector,
                };
                due(Next::CheckCards(by), whom).by(work(Work::Check(by)))
            }
            At::Players => due(Next::LookOver, Whom::Players),
            At::Shuffle => due(Next::Shuffle, Whom::Dealer).by(work(Work::Shuffle)),
            At::Cut(None) => due(Next::Cut(None), Whom::Players),
            At::Cut(Some(CutBy::Staff(_))) => due(Next::Cut(None), Whom::Inspector),
            At::Cut(Some(CutBy::Player(id))) => {
                let name = self.acting_at(sitting, id);
                due(Next::Cut(Some(name)), Whom::Player(name))
            }
            At::PlaceCuttingCard(behind) => due(Next::PlaceCuttingCard(behind), Whom::Dealer)
                .by(work(Work::PlaceCuttingCard(behind))),
            At::Burn => due(Next::Burn, Whom::Dealer),
            At::Wagers => return Vec::new(),
            At::Card(side) => self.due_card(sitting, side, clauses.clone()),
            At::Turn { side, third, by } => {
                // The dealer turns the cards of a player who is not in the seat.
                let there = |id: &PlayerId| {
                    let mut chairs = sitting.chairs.iter();
                    let away = |c: &Chair| c.is_missing() || c.out.is_some();
                    !chairs.any(|chair| chair.player == Some(*id) && away(chair))
                };
                let by = by.filter(there).map(|id| self.acting_at(sitting, id));
                let whom = by.map_or(Whom::Dealer, Whom::Player);
                let known = known_of(sitting, side, third);
                Due { known, ..due(Next::Turn { side, third, by }, whom) }
            }
            At::Inspector => {
                due(Next::InspectorReturns, Whom::Inspector).by(act(TableAct::InspectorReturns))
            }
            At::Decide(why) => self.ruled(due(Next::Rule(why), Whom::Inspector), number),
        };
        let mut all = Vec::new();
        all.extend(self.due_indicator(sitting).filter(|_| is_before_the_shoe(next)));
        all.push(one);
        let fresh = act(TableAct::FreshShoe);
        if prepares && self.allows(&fresh) {
            all.push(due(Next::FreshShoe, Whom::Dealer).may().by(fresh));
        }
        all
    }

    /// A ruling: the act, where no other than to give the coup up is lawful any more.
    pub(super) fn ruled(&self, due: Due, number: u32) -> Due {
        if due.next != Next::Rule(SuspendedWhy::OutOfSequence) {
            return due;
        }
        let act = |decision| Act::At(Some(number), Box::new(TableAct::Supervisor(decision)));
        let (mends, gives_up) =
            (act(Decision::Reconstruct(Vec::new())), act(Decision::CannotReconstruct));
        if !self.allows(&mends) && self.allows(&gives_up) { due.by(gives_up) } else { due }
    }

    /// The next card: a first card brings the first four.
    fn due_card(&self, sitting: &Sitting, side: Side, clauses: Clauses) -> Due {
        let number = sitting.number;
        let wanted = Facing::down_if(sitting.table.is_face_down());
        let face_down = sitting.table.next_lies(self.table_book, wanted) == Facing::Down;
        let first = sitting.table.coup().is_none();
        let (next, work) = if first {
            (Next::Deal, Work::Deal([None; 4]))
        } else {
            (Next::DrawCard(side), Work::Draw { card: None, to: side, face_down })
        };
        let coming = sitting.table.coming().and_then(|coming| coming.card);
        let known = coming.map(Some).into_iter().collect();
        let due = Due { clauses, known, ..Due::new(next, Whom::Dealer, &[]).at(number) };
        // A card that lies face down has no name yet.
        let act = Act::At(Some(number), Box::new(TableAct::Dealer(work)));
        if face_down { due.by(act) } else { due }
    }

    /// The indicator card, where the conditions raise the limits after it.
    fn due_indicator(&self, sitting: &Sitting) -> Option<Due> {
        let conditions = self.t.conditions()?;
        let rises = conditions.raised_of(sitting.stage).is_some() && !sitting.raised;
        let act = Act::InsertIndicator(Some(sitting.number));
        let clauses = [of(&self.rules.wagers.indicator)];
        let due = Due::new(Next::InsertIndicator, Whom::Inspector, &clauses).at(sitting.number);
        let open = rises && !sitting.indicator_out && self.allows(&act);
        open.then(|| due.may().by(act))
    }
}

/// The cards of a hand that are to be turned, as far as everybody saw them before they were dealt.
fn known_of(sitting: &Sitting, side: Side, third: bool) -> Vec<Option<Card>> {
    let cards = sitting.table.coup().into_iter().flat_map(|coup| coup.cards.iter().enumerate());
    let mine = cards.filter(|(index, card)| card.side == side && (*index >= 4) == third);
    mine.map(|(_, card)| card.card.filter(|_| card.seen || card.shown)).collect()
}

/// Whether the cards are about to go into the shoe.
const fn is_before_the_shoe(next: ::table::Next) -> bool {
    use ::table::Next as At;
    match next {
        At::PlaceCuttingCard(_) | At::Burn | At::Cut(_) => true,
        At::Replace
        | At::Check(_)
        | At::Players
        | At::Shuffle
        | At::Wagers
        | At::Card(_)
        | At::Turn { .. }
        | At::Inspector
        | At::Decide(_) => false,
    }
}
