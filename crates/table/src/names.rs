//! The names of people in acts, events and states: a log has accounts in their place.

use crate::by::By;
use crate::command::{Act, Decision, Deed, Name, SignLine, Work};
use crate::event::{Event, Fact};
use crate::state::State;

impl By {
    /// The same, with the name that `to` gives for it.
    #[must_use]
    pub fn renamed(mut self, to: &mut impl FnMut(Name) -> Name) -> Self {
        self.name = self.name.map(to);
        self
    }
}

fn line_renamed(line: &mut SignLine, to: &mut impl FnMut(Name) -> Name) {
    if let SignLine::CapAreas(Some(name)) = line {
        **name = to(**name);
    }
}

impl Act {
    /// The same act, with the names that `to` gives for those in it.
    #[must_use]
    pub fn renamed(mut self, to: &mut impl FnMut(Name) -> Name) -> Self {
        match &mut self {
            Self::Player(name, deed) => {
                *name = to(*name);
                if let Deed::BetAgainst(other, _) = deed {
                    *other = to(*other);
                }
            }
            Self::Allow(name, ..)
            | Self::VoidWagers(name, ..)
            | Self::Exclude(name, _)
            | Self::Dealer(Work::OfferCut(name) | Work::Pass(_, name))
            | Self::Supervisor(Decision::ApproveBothSides(name)) => *name = to(*name),
            Self::Post(line) | Self::GiveNotice(line, _) => line_renamed(line, to),
            Self::Tick
            | Self::Open(_)
            | Self::PlayersConsent
            | Self::VoidCoup(_)
            | Self::VoidNumbered(..)
            | Self::Invalidate(_)
            | Self::RequireSeat(_)
            | Self::ReplaceCards
            | Self::Close
            | Self::GiveRules
            | Self::DecideDispute(..)
            | Self::ReviewDispute(..)
            | Self::InspectorLeaves
            | Self::InspectorReturns
            | Self::Dealer(_)
            | Self::Supervisor(_)
            | Self::CuttingCardAppears
            | Self::CuttingCardShows
            | Self::ShoeRunsOut
            | Self::FreshShoe => {}
        }
        self
    }
}

impl Event {
    /// The same event, with the names that `to` gives for those in it.
    #[must_use]
    #[expect(clippy::wildcard_enum_match_arm, reason = "other facts number their players")]
    pub fn renamed(mut self, to: &mut impl FnMut(Name) -> Name) -> Self {
        match &mut self.fact {
            Fact::Arrived { name, .. } => **name = to(**name),
            Fact::Posted(line) | Fact::TookEffect(line) => line_renamed(line, to),
            Fact::NoticeGiven { posting, .. } => line_renamed(posting, to),
            _ => {}
        }
        self
    }
}

impl State {
    /// The same state, with the names that `to` gives for those in it.
    #[must_use]
    pub fn renamed(mut self, to: &mut impl FnMut(Name) -> Name) -> Self {
        for at in 0..self.players.len() {
            self.players[at].name = to(self.players[at].name);
        }
        for name in &mut self.area_caps.players {
            *name = to(*name);
        }
        for pending in &mut self.pending {
            line_renamed(&mut pending.posting, to);
        }
        self
    }
}
