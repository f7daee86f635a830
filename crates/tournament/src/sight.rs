//! What a screen shows of a tournament beyond what its rules ask for.

use shoe::Digest;
use table::{Name, Time};

use crate::conditions::Length;
use crate::sitting::{Sitting, Stint};
use crate::state::State;

impl State {
    /// The director, once named.
    #[must_use]
    pub const fn director(&self) -> Option<&Name> {
        self.director.as_ref()
    }

    /// Whether the director is away.
    #[must_use]
    pub const fn is_director_away(&self) -> bool {
        self.director_away
    }

    /// When play continues, while there is a break.
    #[must_use]
    pub const fn rests_until(&self) -> Option<Time> {
        self.rests
    }

    /// When the next session starts, if that is known.
    #[must_use]
    pub const fn starts_at(&self) -> Option<Time> {
        self.start
    }

    /// The commitment of the ballot that is under way.
    #[must_use]
    pub fn ballot_commitment(&self) -> Option<Digest> {
        self.ballot.as_ref().map(|ballot| ballot.commitment)
    }

    /// How many coups with wagers a table still plays, where that is a number of coups.
    #[must_use]
    pub fn coups_left(&self, sitting: &Sitting) -> Option<u32> {
        match (sitting.stint, self.length(sitting.stage)) {
            (Stint::PlayOff(Some(coups)), _) | (Stint::Session, Some(Length::Coups(coups))) => {
                Some(coups.saturating_sub(sitting.coups))
            }
            (Stint::Session, Some(Length::Shoes(_) | Length::Minutes(_)) | None)
            | (Stint::PlayOff(None) | Stint::PlayOffDue(_), _) => None,
            (Stint::Over | Stint::Done, _) => Some(0),
        }
    }

    /// How long a session of a stage lasts.
    #[must_use]
    pub fn length_of(&self, stage: usize) -> Option<Length> {
        self.length(stage)
    }
}
