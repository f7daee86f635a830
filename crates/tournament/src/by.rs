//! Who may say what in a tournament.

use table::{By, Name, Role};

use crate::command::Act;

impl Act {
    /// The roles that may do it; the first is the one that does as a rule.
    #[must_use]
    pub const fn roles(&self) -> &'static [Role] {
        match self {
            Self::Tick => &[Role::Clock],
            Self::Open
            | Self::Document(_)
            | Self::Publish
            | Self::Notify
            | Self::NameDirector(_)
            | Self::OpenEntries
            | Self::AddToPool(_)
            | Self::Cancel(_) => &[Role::Operator],
            Self::Approve | Self::ApproveCommission => &[Role::Regulator],
            Self::DirectorLeaves
            | Self::DirectorReturns
            | Self::RequireAgreement
            | Self::TellConditions
            | Self::Accept(_)
            | Self::Enter(_)
            | Self::RefuseEntry(..)
            | Self::Disqualify(..)
            | Self::Substitute(..)
            | Self::CloseEntries
            | Self::MoveStart(_)
            | Self::NameTables(_)
            | Self::PlayersATable(_)
            | Self::CommitBallot(_)
            | Self::AbandonBallot
            | Self::RevealBallot(_)
            | Self::Allot { .. }
            | Self::OfferSeat(..)
            | Self::Start
            | Self::Break(_)
            | Self::Resume
            | Self::SetWagerTime(_)
            | Self::WaiveTime(_)
            | Self::Direct(_)
            | Self::Eliminate(_)
            | Self::VoidOutOfOrder(_)
            | Self::RaiseLimits(_)
            | Self::AnnounceLast(_)
            | Self::EndEarly(_)
            | Self::DrawForPlayOff(..)
            | Self::StartPlayOff(..)
            | Self::AwardPoints(..)
            | Self::AwardPrizes => &[Role::Director],
            Self::Apply(_)
            | Self::Agree(_)
            | Self::Withdraw(_)
            | Self::Nominate(..)
            | Self::AddToBallot(..)
            | Self::TakeSeat(_)
            | Self::GoAway(_)
            | Self::ComeBack(_)
            | Self::HandIn(..)
            | Self::AskForm(..)
            | Self::BuyBack(_) => &[Role::Player],
            Self::TakeSeats(_) => &[Role::Players],
            Self::PlaceMarker(..) | Self::Ask(_) | Self::IndicatorAppears(_) => &[Role::Dealer],
            Self::InsertIndicator(_)
            | Self::Examine(_)
            | Self::ReturnForm(_)
            | Self::OpenForm { .. }
            | Self::SpoilForm(_) => Role::SUPERVISORS,
            Self::At(_, act) => act.roles(),
        }
    }

    /// The player who does it, if a player does.
    fn player(&self) -> Option<&Name> {
        match self {
            Self::Apply(name)
            | Self::Agree(name)
            | Self::Withdraw(name)
            | Self::Nominate(name, _)
            | Self::AddToBallot(name, _)
            | Self::TakeSeat(name)
            | Self::GoAway(name)
            | Self::ComeBack(name)
            | Self::HandIn(name, _)
            | Self::AskForm(name, _)
            | Self::BuyBack(name) => Some(name),
            Self::At(_, act) => match &**act {
                table::Act::Player(name, _) => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    /// Who does such a thing as a rule.
    #[must_use]
    pub fn usual(&self) -> By {
        By { role: self.roles()[0], name: self.player().copied() }
    }

    /// Whether it is theirs to do: a player speaks for nobody else.
    #[must_use]
    pub fn is_for(&self, by: &By) -> bool {
        let theirs = match (self.player(), &by.name) {
            (Some(name), Some(by)) => name == by,
            _ => true,
        };
        theirs && self.roles().contains(&by.role)
    }
}
