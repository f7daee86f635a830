//! What a screen shows of a table beyond what its rules ask for: the sign, notices and disputes.

use alloc::vec::Vec;

use rules::book::Exposure;
use rules::{Cents, Group};

use crate::command::{Limits, Name, SignLine, Time};
use crate::event::PlayerId;
use crate::state::{DisputeStage, Pending, State};

/// A coup that players dispute, and how far the dispute is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disputed<'a> {
    /// The number of the coup.
    pub coup: u32,
    /// The players who dispute it.
    pub players: &'a [PlayerId],
    /// Whether the operator has decided.
    pub decided: bool,
    /// Whether the regulator has reviewed the decision.
    pub reviewed: bool,
}

impl State {
    /// The time of the last event.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// The changes that were announced and do not apply yet.
    #[must_use]
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// The coups that players disputed.
    pub fn disputes(&self) -> impl Iterator<Item = Disputed<'_>> {
        self.disputes.iter().map(|dispute| Disputed {
            coup: dispute.coup,
            players: &dispute.players,
            decided: dispute.stage != DisputeStage::Open,
            reviewed: dispute.stage == DisputeStage::Reviewed,
        })
    }

    /// The limits that apply to a player: those of the sign, and personal ones.
    #[must_use]
    pub fn limits_for(&self, player: PlayerId, group: Group) -> Option<Limits> {
        self.limits_of(player, group)
    }

    /// The players whose wagers on one area are held to the table maximum together.
    #[must_use]
    pub fn capped(&self) -> &[Name] {
        &self.area_caps.players
    }

    /// Whether the table will close.
    #[must_use]
    pub const fn is_closing(&self) -> bool {
        self.closing
    }

    /// Whether a player asked for a coup without wagers, and others are to answer.
    #[must_use]
    pub const fn is_no_bet_asked(&self) -> bool {
        self.no_bet_asked
    }

    /// The cap on the differential or the liability that is on the sign.
    #[must_use]
    pub const fn exposure(&self) -> Option<Cents> {
        self.exposure
    }

    /// The lines of the sign, as the operator would post them; `cap` says what the book caps.
    #[must_use]
    pub fn sign(&self, groups: &[Group], cap: Option<Exposure>) -> Vec<SignLine> {
        let terms = self.sign_terms();
        let mut lines = Vec::new();
        lines.push(SignLine::Method(terms.method));
        lines.extend(terms.side_bets.iter().map(SignLine::Offer));
        let limited = groups.iter().filter_map(|group| Some((*group, self.limits(*group)?)));
        lines.extend(limited.map(|(group, limits)| SignLine::Limits(group, limits)));
        lines.extend(self.exposure.zip(cap).map(|(most, cap)| match cap {
            Exposure::Differential => SignLine::Differential(most),
            Exposure::Liability => SignLine::Liability(most),
        }));
        if !self.chips.is_empty() {
            lines.push(SignLine::Chips(self.chips.clone()));
        }
        lines.extend(self.sharing.map(SignLine::Sharing));
        lines.extend(self.area_caps.all.then_some(SignLine::CapAreas(None)));
        let names = self.area_caps.players.iter();
        lines.extend(names.map(|name| SignLine::CapAreas(Some((*name).into()))));
        lines.push(SignLine::FaceDown(self.face_down));
        lines.extend(self.closing.then_some(SignLine::Closing));
        lines
    }
}
