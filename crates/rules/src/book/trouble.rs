//! Irregularities, general provisions and the closing of the table.

use crate::clause::{Cited, Ground};
use crate::policy::{choices, section};
use crate::value::Notice;

section! {
    /// Irregularities
    Irregularities in "irregularities" {
        /// A card Player was not due becomes Banker's if Banker must draw
        not_due_to_banker: Ground,
        /// If Banker need not, that card is
        not_due_otherwise: Cited<NotDue>,
        /// Card in excess, seen
        excess_seen: Cited<SeenCard>,
        /// Card in excess, unseen
        excess_unseen: Cited<UnseenCard>,
        /// Card found face up in the shoe, first of a round
        face_up_first: Cited<SeenCard>,
        /// Card found face up in the shoe later is used if the round needs it
        face_up_later: Option<Ground>,
        /// Cards out of sequence
        out_of_sequence: Cited<OutOfSequence>,
        /// A round that cannot be put right is void
        beyond_repair: Option<Ground>,
        /// What of it is void
        void_part: Option<Cited<VoidPart>>,
        /// Misplaced cards found after the next round began
        found_later: Option<Cited<FoundLater>>,
    }
}

section! {
    /// Wagers that change in a round
    WagerChanges in "wager_changes" {
        /// Cards out of sequence, none exposed: players may take wagers off, for good
        unexposed_wagers_off: Ground,
        /// If all are taken off, a no-bet coup is dealt
        unexposed_all_off: Ground,
        /// With none of the first four exposed, a supervisor may let wagers change place
        unexposed_position: Ground,
        /// … change amount
        unexposed_amount: Ground,
        /// … be added
        unexposed_new: Ground,
        /// … be withdrawn
        unexposed_withdrawn: Ground,
        /// If all are withdrawn, the hand goes on as a no-bet coup
        all_withdrawn: Ground,
        /// Hand given to or turned by the wrong person: players may take wagers off, for good
        wrong_person: Ground,
        /// If all are taken off then, a no-bet coup is dealt
        wrong_person_all_off: Ground,
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
    /// Which rounds that cannot be put right are void.
    VoidPart or "any" "any round" {
        InitialDeal "initial-deal" "a round whose first four cards were out of sequence",
    }
}

choices! {
    /// What becomes of a round when misplaced cards are found later.
    FoundLater or "stands" "it stands" {
        RoundVoid "round-void" "their round is void, later ones stand",
    }
}

section! {
    /// General provisions
    General in "general" {
        /// Void means that chips go back as if the round had not been
        void_means: Option<Ground>,
        /// A disturbance: the operator may invalidate the outcome
        disturbance: Option<Ground>,
        /// A breach of the rules: the player's wagers may be void
        breach_voids: Option<Ground>,
        /// A breach of the rules: the player may be excluded
        breach_excludes: Option<Ground>,
        /// Fraud, or going on is impractical: the operator may void the round
        impractical: Option<Ground>,
        /// A dispute: the operator's decision is final, subject to review
        dispute: Option<Ground>,
        /// The rules are there to be read on request
        copy_on_request: Option<Ground>,
        /// Closing the table
        closing: Option<Cited<Notice>>,
    }
}
