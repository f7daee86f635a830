//! Irregularities, general provisions and the closing of the table.

use crate::clause::Cited;
use crate::policy::{choices, section};
use crate::value::{Notice, Stated};

section! {
    /// Irregularities
    Irregularities in "irregularities" {
        /// A card Player was not due becomes Banker's if Banker must draw
        not_due_to_banker: Cited<Stated>,
        /// If Banker need not, that card is
        not_due_otherwise: Cited<NotDue>,
        /// Card in excess, seen
        excess_seen: Cited<SeenCard>,
        /// Card in excess, unseen
        excess_unseen: Cited<UnseenCard>,
        /// Card found face up in the shoe, first of a round
        face_up_first: Cited<SeenCard>,
        /// Card found face up in the shoe later is used if the round needs it
        face_up_later: Option<Cited<Stated>>,
        /// Cards out of sequence
        out_of_sequence: Cited<OutOfSequence>,
        /// With none exposed, players may then take wagers off, for good
        unexposed_wagers_off: Option<Cited<Stated>>,
        /// If all are taken off, a no-bet coup is dealt
        unexposed_all_off: Option<Cited<Stated>>,
        /// A round that cannot be put right
        /// Silent: staff decide, and the decision is recorded.
        beyond_repair: Option<Cited<BeyondRepair>>,
        /// Misplaced cards found after the next round began void their round, later ones stand
        found_later: Option<Cited<Stated>>,
        /// With none of the first four exposed, a supervisor may let wagers change place
        unexposed_position: Option<Cited<Stated>>,
        /// … change amount
        unexposed_amount: Option<Cited<Stated>>,
        /// … be added
        unexposed_new: Option<Cited<Stated>>,
        /// … be withdrawn
        unexposed_withdrawn: Option<Cited<Stated>>,
        /// If all are withdrawn, the hand goes on as a no-bet coup
        all_withdrawn: Option<Cited<Stated>>,
        /// Hand given to or turned by the wrong person: players may take wagers off, for good
        wrong_person: Option<Cited<Stated>>,
        /// If all are taken off then, a no-bet coup is dealt
        wrong_person_all_off: Option<Cited<Stated>>,
    }
}

choices! {
    /// What a third card is that Player was not due and Banker does not need.
    NotDue {
        InExcess "in-excess" "in excess",
        FaceUpAtTheMouth "face-up-at-the-mouth"
            "laid face up at the shoe, to start a no-bet coup unless the last hand was dealt",
    }
}

choices! {
    /// What becomes of a card that was seen before its time.
    SeenCard {
        NoBetCoup "no-bet-coup" "starts the next coup, a no-bet coup",
        Used "used" "used where it falls; if it cannot be, it starts a no-bet coup",
    }
}

choices! {
    /// What becomes of a card in excess that nobody saw.
    UnseenCard {
        FirstOfNext "first-of-next" "first card of the next round",
        FirstOfNextUnlessMarkerOut "first-of-next-unless-marker-out"
            "first card of the next round, unless the marker shows or is out",
    }
}

choices! {
    /// What is done with cards that came out of sequence.
    OutOfSequence {
        Reconstructed "reconstructed" "the round is put right by the order of dealing",
        ReconstructedSupervised "reconstructed-supervised"
            "the round is put right by the order of dealing, under a supervisor",
        ToPlayer "to-player" "a Banker card that was Player's goes to Player",
    }
}

choices! {
    /// What becomes of a round that cannot be put right.
    BeyondRepair {
        OperatorMayVoid "operator-may-void" "the operator may declare it void",
        SupervisorVoids "supervisor-voids" "a supervisor declares it void",
        Void "void" "void, if the first four cards were out of sequence",
    }
}

section! {
    /// General provisions
    General in "general" {
        /// Void means that chips go back as if the round had not been
        void_means: Option<Cited<Stated>>,
        /// A disturbance: the operator may invalidate the outcome
        disturbance: Option<Cited<Stated>>,
        /// A breach of the rules: the player's wagers may be void
        breach_voids: Option<Cited<Stated>>,
        /// A breach of the rules: the player may be excluded
        breach_excludes: Option<Cited<Stated>>,
        /// Fraud, or going on is impractical: the operator may void the round
        impractical: Option<Cited<Stated>>,
        /// A dispute: the operator's decision is final, subject to review
        dispute: Option<Cited<Stated>>,
        /// The rules are there to be read on request
        copy_on_request: Option<Cited<Stated>>,
        /// Closing the table
        closing: Option<Cited<Notice>>,
    }
}
