//! Boxes, wagers, limits, and coups without wagers.

use crate::clause::Cited;
use crate::policy::{choices, section};
use crate::value::{Notice, Span, Stated, Whole};

section! {
    /// Boxes and seats
    Boxes in "boxes" {
        /// Sharing an area
        sharing: Cited<Sharing>,
        /// Players on one area
        players: Cited<Span<1, 99>>,
        /// A player wagers on one box only
        one_box: Option<Cited<Stated>>,
        /// A player has one wager on each option
        one_wager_an_option: Option<Cited<Stated>>,
        /// A common side-bet box on both sides of the layout counts as one
        common_side_box: Option<Cited<Stated>>,
        /// Rounds without a wager after which a seat at a full table may be asked for
        abstention: Option<Cited<Whole<1, 99>>>,
    }
}

choices! {
    /// Who may share a wagering area.
    Sharing {
        Always "always" "open to players as they come",
        IfPermitted "if-permitted" "only if the operator permits it",
        StandingWithSeated "standing-with-seated" "standing players with the seated one",
    }
}

section! {
    /// Wagers
    Wagers in "wagers" {
        /// Wagers are made with chips on the layout
        chips: Cited<Stated>,
        /// There are no wagers but those the book lists
        listed: Option<Cited<Stated>>,
        /// A spoken wager counts if chips come with it in time
        spoken: Option<Cited<Stated>>,
        /// Every player gets the chance to wager before the first card
        opportunity: Option<Cited<Stated>>,
        /// Banker and Player together
        both_sides: Cited<BothSides>,
        /// Wagers may be placed until
        placing_ends: Cited<Freeze>,
        /// Wagers may be touched until
        altering_ends: Cited<Freeze>,
        /// Nobody touches a losing wager
        losers_untouched: Option<Cited<Stated>>,
        /// After a tie, Banker and Player wagers lie and may be altered before the next round
        /// Silent: they go back to their owners.
        altered_after_tie: Option<Cited<Stated>>,
        /// Players may not bet against each other
        no_private_bets: Option<Cited<Stated>>,
    }
}

choices! {
    /// Whether a player may wager on Banker and on Player in one round.
    BothSides {
        Allowed "allowed" "allowed",
        WithApproval "with-approval" "only with the supervisor's approval",
        Never "never" "never",
    }
}

choices! {
    /// When wagers close.
    Freeze {
        FirstCard "first-card" "the first card",
        Call "call" "the call of no more bets",
    }
}

choices! {
    /// What becomes of a Banker or Player wager when the totals are equal.
    OnTie {
        Kept "kept" "neither won nor lost",
        Lost "lost" "lost",
    }
}

section! {
    /// Banker wagers
    BankerWager in "banker" {
        /// May be made
        offered: Cited<Stated>,
        /// Wins if Banker's total is higher
        wins: Cited<Stated>,
        /// Loses if Banker's total is lower
        loses: Cited<Stated>,
        /// Equal totals
        ties: Cited<OnTie>,
    }
}

section! {
    /// Player wagers
    PlayerWager in "player" {
        /// May be made
        offered: Cited<Stated>,
        /// Wins if Player's total is higher
        wins: Cited<Stated>,
        /// Loses if Player's total is lower
        loses: Cited<Stated>,
        /// Equal totals
        ties: Cited<OnTie>,
    }
}

section! {
    /// Tie wagers
    TieWager in "tie" {
        /// May be made
        offered: Cited<Stated>,
        /// Wins if the totals are equal
        wins: Cited<Stated>,
        /// Loses if they are not
        loses: Cited<Stated>,
    }
}

section! {
    /// Limits
    Limits in "limits" {
        /// Minimum and maximum are on a sign
        displayed: Option<Cited<Stated>>,
        /// Change of limits
        change: Option<Cited<Notice>>,
        /// Limits may change at once if all players consent
        change_by_consent: Option<Cited<Stated>>,
        /// A higher minimum needs, besides
        higher_minimum: Option<Cited<Notice>>,
        /// Limits of one's own
        personal: Option<Cited<Personal>>,
        /// Multiples
        multiples: Option<Cited<Multiples>>,
        /// First wager under the minimum
        /// Silent: the sign decides, and the wager is refused.
        under_minimum: Option<Cited<UnderMinimum>>,
        /// Its owner is advised, and later ones are returned
        under_minimum_again: Option<Cited<Stated>>,
        /// Wager over the maximum
        /// Silent: the sign decides, and the wager is refused.
        over_maximum: Option<Cited<OverMaximum>>,
        /// Players may not team up to get past the maximum
        no_partnerships: Option<Cited<Stated>>,
        /// The operator may hold what lies on one area to the table maximum
        area_cap: Option<Cited<Stated>>,
        /// The operator may cap
        exposure: Option<Cited<Exposure>>,
        /// The differential is Banker wagers against Player wagers, over all boxes
        differential: Option<Cited<Stated>>,
        /// Who gives way when that cap is passed
        exposure_remedy: Option<Cited<Remedy>>,
        /// Change of that cap
        exposure_change: Option<Cited<Notice>>,
        /// A wager that chips could not pay exactly
        payable: Option<Cited<Payable>>,
        /// If accepted all the same, its payable part stands and the rest is void
        payable_part: Option<Cited<Stated>>,
    }
}

choices! {
    /// What limits a single player may be given.
    Personal {
        Maximum "maximum" "a higher maximum, shown by a marker",
        Both "both" "another minimum and maximum by agreement, shown by a marker",
    }
}

choices! {
    /// Whether wagers keep to multiples.
    Multiples {
        Displayed "displayed" "as displayed",
        OnlyIfPosted "only-if-posted" "only if the notice says so",
    }
}

choices! {
    /// What becomes of a wager under the minimum.
    UnderMinimum {
        Settled "settled" "stands and is paid or collected",
        Refused "refused" "refused",
    }
}

choices! {
    /// What becomes of a wager over the maximum.
    OverMaximum {
        ToTheMaximum "to-the-maximum" "paid or collected up to the maximum",
        Refused "refused" "refused",
    }
}

choices! {
    /// What the operator may put a cap on.
    Exposure {
        Differential "differential" "the difference of Banker and Player wagers",
        Liability "liability" "the total of the wagers on one hand",
    }
}

choices! {
    /// Which wagers give way when a cap is passed.
    Remedy {
        NewestFirst "newest-first" "the newest wagers on the heavier side",
        ProRata "pro-rata" "all on that hand, pro rata, if the dealer chooses",
    }
}

choices! {
    /// What is done about wagers that the table's chips could not pay exactly.
    Payable {
        BankerRefused "banker-refused" "not accepted on Banker",
        AnyMayBeRefused "any-may-be-refused" "may be refused before the deal",
    }
}

section! {
    /// No-bet coups
    NoBet in "no_bet" {
        /// No wager is accepted on them
        no_wagers: Cited<Stated>,
        /// A supervisor directs them
        directed: Option<Cited<Stated>>,
        /// A player must have asked for one
        requested: Option<Cited<Stated>>,
        /// All players must agree
        agreed: Option<Cited<Stated>>,
        /// With nobody at the table a supervisor may direct them
        nobody_there: Option<Cited<Stated>>,
        /// In a row, at most
        in_a_row: Option<Cited<Whole<1, 99>>>,
        /// They are dealt and drawn like any other
        played_out: Option<Cited<Stated>>,
        /// Coups that may be dealt, on request and approval, without a wager being needed
        optional_coups: Option<Cited<Whole<1, 99>>>,
    }
}
