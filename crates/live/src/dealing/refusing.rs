//! What nobody may do while the cards come from the system's shoe.

use table::{Act, Decision, Deed, Phase, Refusal, Work};

use super::{Dealing, Felt};

impl Dealing {
    /// Refuses an act that cannot be done while the cards come from the system's shoe.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all else is for the book to judge")]
    pub(crate) fn refuse_bypass(&self, felt: Felt<'_>, act: &Act) -> Option<Refusal> {
        let left = self.cards_left();
        let live = self.is_bound();
        let ready = felt.state.phase() != Phase::Preparing;
        let no = |what: &str, instead: &str| {
            Some(Refusal::new(table::Code::WrongMoment, None, what, instead))
        };
        match act {
            Act::Supervisor(Decision::Cut(_)) if self.second().is_some() => {
                no("a cut that staff choose", "go on: where staff cut, chance chooses the depth")
            }
            Act::Dealer(Work::PlaceCuttingCard(behind))
                if self.second().is_some_and(|way| way.binds.behind != *behind) =>
            {
                no("the cutting card elsewhere than the house committed to", "go on with its place")
            }
            Act::Player(_, Deed::Bet(_) | Deed::Call { .. })
            | Act::Dealer(Work::NoMoreBets | Work::Draw { .. } | Work::Deal(_))
                if self.doomed.is_some() && ready || self.is_gone(felt) =>
            {
                no("the shoe is abandoned", "go on, and the next shoe is prepared")
            }
            Act::FreshShoe | Act::Dealer(Work::PreShuffled | Work::Shuffle | Work::Riffle)
                if live =>
            {
                no(
                    "other cards than the shoe that the house has committed to",
                    "go on with that shoe",
                )
            }
            Act::Supervisor(Decision::Reconstruct(order)) if live && !order.is_empty() => {
                no("another order than that of the shoe", "`supervisor reconstructs the coup`")
            }
            Act::ReplaceCards if left.is_some() && !felt.is_over() => {
                no("other cards within a shoe that is bound", "allowed when the shoe is over")
            }
            Act::CuttingCardAppears if left.is_some() && left > self.known.behind => {
                no("the cutting card while cards are before it", "it comes in its place by itself")
            }
            Act::ShoeRunsOut if left.is_some_and(|left| left > 0) => {
                no("a shoe that has cards left runs out", "deal them, or direct a shuffle")
            }
            Act::Dealer(Work::Draw { .. } | Work::DrawExcess { .. } | Work::Deal(_))
                if left == Some(0) || self.shoe.as_ref().is_some_and(|s| !s.is_cut()) =>
            {
                no("a card of a shoe that has none to give", "`shoe runs out`, or cut it first")
            }
            _ => None,
        }
    }
}
