//! The names of people in acts, events and states: a log has accounts in their place. Reasons and
//! other texts that somebody typed stay as they are.

use alloc::sync::Arc;

use table::Name;

use crate::command::{Act, Miskeyed};
use crate::event::{Event, Fact};
use crate::sitting::Sitting;
use crate::state::{Entrant, State};

impl Miskeyed {
    /// The same, with the name that `to` gives for it.
    #[must_use]
    pub fn renamed(mut self, to: &mut impl FnMut(Name) -> Name) -> Self {
        match &mut self {
            Self::Wager { name, .. } | Self::Seat { name, .. } | Self::Chips { name, .. } => {
                *name = to(*name);
            }
            Self::Card { .. } => {}
        }
        self
    }
}

impl Act {
    /// The same act, with the names that `to` gives for those in it. One arm for each kind.
    #[must_use]
    pub fn renamed(mut self, to: &mut impl FnMut(Name) -> Name) -> Self {
        match &mut self {
            Self::NameDirector(name)
            | Self::HandOver(name)
            | Self::Apply(name)
            | Self::Agree(name)
            | Self::Accept(name)
            | Self::RefuseEntry(name, _)
            | Self::Withdraw(name)
            | Self::Disqualify(name, _)
            | Self::AddToBallot(name, _)
            | Self::Allot { name, .. }
            | Self::TakeSeat(name)
            | Self::WaiveTime(name)
            | Self::Direct(name)
            | Self::Ask(name)
            | Self::GoAway(name)
            | Self::ComeBack(name)
            | Self::Eliminate(name)
            | Self::VoidOutOfOrder(name)
            | Self::HandIn(name, _)
            | Self::Examine(name)
            | Self::ReturnForm(name)
            | Self::OpenForm { name, .. }
            | Self::SpoilForm(name)
            | Self::BuyBack(name)
            | Self::AwardPoints(name, ..) => *name = to(*name),
            Self::Nominate(name, other)
            | Self::Substitute(name, other)
            | Self::OfferSeat(name, other)
            | Self::AskForm(name, other) => (*name, *other) = (to(*name), to(*other)),
            Self::Enter(names) | Self::TakeSeats(names) => {
                for name in names {
                    *name = to(*name);
                }
            }
            Self::Correct(wrong, _) => **wrong = (**wrong).clone().renamed(to),
            Self::At(_, act) => **act = (**act).clone().renamed(to),
            Self::Tick
            | Self::Open
            | Self::Document(_)
            | Self::Publish
            | Self::Notify
            | Self::Approve
            | Self::ApproveCommission
            | Self::DirectorLeaves
            | Self::DirectorReturns
            | Self::RequireAgreement
            | Self::TellConditions
            | Self::OpenEntries
            | Self::AddToPool(_)
            | Self::Cancel(_)
            | Self::CloseEntries
            | Self::MoveStart(_)
            | Self::NameTables(_)
            | Self::PlayersATable(_)
            | Self::CommitBallot(_)
            | Self::AbandonBallot
            | Self::DrawAgain(_)
            | Self::RevealBallot(_)
            | Self::Start
            | Self::Break(_)
            | Self::Resume
            | Self::SetWagerTime(_)
            | Self::WaiveTimeForAll(_)
            | Self::LiftWagerTime
            | Self::MoveTable { .. }
            | Self::ConfirmCorrection(_)
            | Self::DropCorrection(_)
            | Self::PlaceMarker(..)
            | Self::InsertIndicator(_)
            | Self::IndicatorAppears(_)
            | Self::RaiseLimits(_)
            | Self::AnnounceLast(_)
            | Self::EndEarly(_)
            | Self::DrawForPlayOff(..)
            | Self::StartPlayOff(..)
            | Self::AwardPrizes => {}
        }
        self
    }
}

impl Event {
    /// The same event, with the names that `to` gives for those in it.
    #[must_use]
    pub fn renamed(mut self, to: &mut impl FnMut(Name) -> Name) -> Self {
        self.fact.rename(to);
        self
    }
}

impl Fact {
    /// Puts the names that `to` gives in the place of those in it.
    #[expect(clippy::too_many_lines, reason = "one arm for each fact")]
    fn rename(&mut self, to: &mut impl FnMut(Name) -> Name) {
        match self {
            Self::DirectorNamed(name)
            | Self::Applied { name, .. }
            | Self::Nominated(_, name)
            | Self::Substituted(_, name) => *name = to(*name),
            Self::HandedOver { from, to: next } => {
                (*from, *next) = (from.map(&mut *to), to(*next));
            }
            Self::DrawnAgain { by, .. }
            | Self::TableMoved { by, .. }
            | Self::CorrectionConfirmed { by, .. } => *by = by.renamed(to),
            Self::CorrectionAsked(correction) | Self::Corrected(correction) => {
                correction.by = correction.by.renamed(to);
            }
            Self::AtTable { event, .. } => *event = event.clone().renamed(to),
            // These number their entrants, or speak of nobody.
            Self::Opened { .. }
            | Self::Documented { .. }
            | Self::States(_)
            | Self::Prevails
            | Self::Published
            | Self::Notified
            | Self::Approved
            | Self::CommissionApproved
            | Self::DirectorLeft
            | Self::DirectorBack
            | Self::AgreementRequired
            | Self::ConditionsTold
            | Self::EntriesOpened
            | Self::PoolAdded(_)
            | Self::Agreed(_)
            | Self::Entered { .. }
            | Self::Reserved(_)
            | Self::EntryRefused(..)
            | Self::Withdrawn(_)
            | Self::Refunded(..)
            | Self::FeeForfeited(_)
            | Self::FeeNotRefunded(_)
            | Self::Disqualified(..)
            | Self::Cancelled(_)
            | Self::EntriesClosed
            | Self::StageOpened { .. }
            | Self::StartMoved(_)
            | Self::TablesNamed(_)
            | Self::PlayersATable(_)
            | Self::BallotCommitted(_)
            | Self::BallotAbandoned
            | Self::BallotAdded(..)
            | Self::BallotRevealed(_)
            | Self::Allotted { .. }
            | Self::SessionAllotted(_)
            | Self::Seated(_)
            | Self::SessionStarted { .. }
            | Self::TableOpened(_)
            | Self::Kept(_)
            | Self::ChairTaken { .. }
            | Self::Forfeited(_)
            | Self::SeatTakenOver { .. }
            | Self::MayEnterSecondary(_)
            | Self::BreakGiven(_)
            | Self::PlayResumed
            | Self::WagerTimeSet(_)
            | Self::Directed(_)
            | Self::MarkerAt { .. }
            | Self::Asked { .. }
            | Self::OutOfOrder { .. }
            | Self::ToppedUp { .. }
            | Self::OverMaximum(_)
            | Self::HeldToMinimum(_)
            | Self::TimeWaived(_)
            | Self::MissedCoup(_)
            | Self::MayAlter(_)
            | Self::OutOfOrderVoided(_)
            | Self::DealerTurns { .. }
            | Self::LayForms(_)
            | Self::WrongPlayer(_)
            | Self::WentAway(_)
            | Self::CameBack(_)
            | Self::Eliminated { .. }
            | Self::PlaceVoid(_)
            | Self::ChipsLeft(_)
            | Self::CoupUndone(_)
            | Self::PlayGoesOn(_)
            | Self::IndicatorIn(_)
            | Self::IndicatorOut(_)
            | Self::LimitsRaised(_)
            | Self::FormHandedIn { .. }
            | Self::FormExamined(_)
            | Self::FormReturned(_)
            | Self::FormOpened { .. }
            | Self::FormSpoiled(_)
            | Self::FormVoid(_)
            | Self::FormShown { .. }
            | Self::LastCoup(_)
            | Self::EndedEarly(_)
            | Self::PlayEnded { .. }
            | Self::PlayOffDue { .. }
            | Self::PlayOffDrawn { .. }
            | Self::PlayOffStarted { .. }
            | Self::ChipsCollected(_)
            | Self::Shared { .. }
            | Self::TableFinished(_)
            | Self::Advanced { .. }
            | Self::StoodDown { .. }
            | Self::StageEnded(_)
            | Self::SessionReopened(_)
            | Self::InAgain { .. }
            | Self::BuyBackUndone { .. }
            | Self::PointsTakenBack { .. }
            | Self::BoughtBack { .. }
            | Self::Points { .. }
            | Self::Placed { .. }
            | Self::Prize { .. }
            | Self::Goods { .. }
            | Self::Ended
            | Self::TimeWaivedForAll(_)
            | Self::WagerTimeLifted
            | Self::CorrectionDropped(_)
            | Self::RunnersUp { .. }
            | Self::RunnersUpLevel { .. } => {}
        }
    }
}

impl Entrant {
    fn rename(&mut self, to: &mut impl FnMut(Name) -> Name) {
        self.name = to(self.name);
        self.substitute = self.substitute.map(&mut *to);
        self.nominated = self.nominated.map(&mut *to);
    }
}

impl Sitting {
    fn rename(&mut self, to: &mut impl FnMut(Name) -> Name) {
        self.table = core::mem::take(&mut self.table).renamed(to);
        if let Some(correction) = &mut self.correction {
            let correction = Arc::make_mut(correction);
            correction.by = correction.by.renamed(to);
        }
    }
}

impl State {
    /// The same state, with the names that `to` gives for those in it.
    #[must_use]
    pub fn renamed(mut self, to: &mut impl FnMut(Name) -> Name) -> Self {
        self.director = self.director.map(&mut *to);
        for entrant in &mut self.entrants {
            entrant.rename(to);
        }
        for sitting in &mut self.sittings {
            Arc::make_mut(sitting).rename(to);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::string::String;
    use alloc::{format, vec};

    use rules::{Cents, Spot};
    use shoe::Digest;
    use table::Deed;

    use super::*;
    use crate::command::Offence;
    use crate::event::Lot;

    fn acts(one: Name, two: Name) -> alloc::vec::Vec<Act> {
        let (why, amount, form) = (String::from("a reason"), Cents::ZERO, Digest::of(&[b"form"]));
        let wager = Miskeyed::Wager { name: one, coup: None, spot: Spot::Tie, amount };
        let mut acts = vec![
            Act::Enter(vec![one, two]),
            Act::TakeSeats(vec![one, two]),
            Act::RefuseEntry(one, why.clone()),
            Act::Disqualify(one, Offence::Absence),
            Act::AddToBallot(one, why.clone()),
            Act::Allot { name: one, table: 1, seat: 1, lot: Lot::Drawn },
            Act::HandIn(one, form),
            Act::OpenForm { name: one, salt: why.clone(), content: why.clone() },
            Act::AwardPoints(one, 1, why.clone()),
            Act::Correct(Box::new(wager), why.clone()),
            Act::Correct(Box::new(Miskeyed::Seat { name: one, seat: 1 }), why.clone()),
            Act::Correct(Box::new(Miskeyed::Chips { name: one, amount }), why),
            Act::At(None, Box::new(table::Act::Player(one, Deed::BetAgainst(two, amount)))),
        ];
        let of_one: [fn(Name) -> Act; 17] = [
            Act::NameDirector,
            Act::HandOver,
            Act::Apply,
            Act::Agree,
            Act::Accept,
            Act::Withdraw,
            Act::TakeSeat,
            Act::WaiveTime,
            Act::Direct,
            Act::Ask,
            Act::GoAway,
            Act::ComeBack,
            Act::Eliminate,
            Act::VoidOutOfOrder,
            Act::Examine,
            Act::SpoilForm,
            Act::BuyBack,
        ];
        let of_two: [fn(Name, Name) -> Act; 4] =
            [Act::Nominate, Act::Substitute, Act::OfferSeat, Act::AskForm];
        acts.extend(of_one.map(|act| act(one)));
        acts.extend(of_two.map(|act| act(one, two)));
        acts
    }

    #[test]
    fn no_name_is_left_in_an_act_and_all_come_back() {
        let name = |text: &str| Name::from(text).unwrap();
        let (one, two) = (name("Ann"), name("Bob"));
        let mut back = |account: Name| if account == name("#1") { one } else { two };
        for act in acts(one, two) {
            let mut to = |name: Name| {
                let account = if name == one { "#1" } else { "#2" };
                Name::from(account).unwrap()
            };
            let renamed = act.clone().renamed(&mut to);
            let stored = serde_json::to_string(&renamed).unwrap();
            let left = ["Ann", "Bob"].iter().any(|name| stored.contains(&format!("\"{name}\"")));
            assert!(!left, "{stored}");
            assert_eq!(renamed.renamed(&mut back), act);
        }
    }
}
