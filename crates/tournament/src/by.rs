//! The roles that may act in a tournament.

use table::{By, Name, Role};

use crate::command::Act;

impl Act {
    /// The roles that may do the act, the usual one first; and the player who does it, if it is a
    /// player's act. One arm for each role.
    const fn whose(&self) -> (&'static [Role], Option<&Name>) {
        match self {
            Self::Tick => (&[Role::Clock], None),
            Self::Open
            | Self::Document(_)
            | Self::Publish
            | Self::Notify
            | Self::NameDirector(_)
            | Self::OpenEntries
            | Self::AddToPool(_)
            | Self::Cancel(_) => (&[Role::Operator], None),
            Self::Approve | Self::ApproveCommission => (&[Role::Regulator], None),
            Self::HandOver(_)
            | Self::DrawAgain(_)
            | Self::WaiveTimeForAll(_)
            | Self::LiftWagerTime
            | Self::MoveTable { .. }
            | Self::Correct(..)
            | Self::DropCorrection(_)
            | Self::DirectorLeaves
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
            | Self::AwardPrizes => (&[Role::Director], None),
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
            | Self::BuyBack(name) => (&[Role::Player], Some(name)),
            Self::TakeSeats(_) => (&[Role::Players], None),
            Self::PlaceMarker(..) | Self::Ask(_) | Self::IndicatorAppears(_) => {
                (&[Role::Dealer], None)
            }
            Self::InsertIndicator(_)
            | Self::Examine(_)
            | Self::ReturnForm(_)
            | Self::OpenForm { .. }
            | Self::SpoilForm(_)
            | Self::ConfirmCorrection(_) => (Role::SUPERVISORS, None),
            Self::At(_, act) => {
                let name = if let table::Act::Player(name, _) = &**act { Some(name) } else { None };
                (act.roles(), name)
            }
        }
    }

    /// The roles that may do the act; the first is the one that usually does.
    #[must_use]
    pub const fn roles(&self) -> &'static [Role] {
        self.whose().0
    }

    /// The role that usually does such a thing.
    #[must_use]
    pub fn usual(&self) -> By {
        let (roles, name) = self.whose();
        By { role: roles[0], name: name.copied() }
    }

    /// Whether this person may do the act: a player speaks for nobody else.
    #[must_use]
    pub fn is_for(&self, by: &By) -> bool {
        let (roles, player) = self.whose();
        let another = player.is_some_and(|player| by.name.is_some_and(|name| name != *player));
        !another && roles.contains(&by.role)
    }
}
