//! Boxes, wagers, limits, and coups without wagers.

use crate::clause::{Cited, Ground};
use crate::policy::{choices, section};
use crate::value::{Notice, Span, Whole};

section! {
    /// Boxes and seats
    Boxes in "boxes" {
        /// Sharing an area
        sharing: Cited<Sharing>,
        /// Players on one area
        players: Cited<Span<1, 99>>,
        /// Wagers of one player
        each_player: Option<Cited<EachPlayer>>,
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

choices! {
    /// Where one player may wager.
    EachPlayer or "any" "on any boxes" {
        OwnPlace "own-place" "at the player's own place only",
        OneBox "one-box" "on one box only",
        OneWagerAnOption "one-wager-an-option"
            "one on each option; a side-bet box on both sides of the layout counts as one",
    }
}

section! {
    /// Wagers
    Wagers in "wagers" {
        /// Wagers are made with chips on the layout
        chips: Ground,
        /// There are no wagers but those the book lists
        listed: Option<Ground>,
        /// Spoken wagers
        spoken: Option<Cited<Spoken>>,
        /// Every player gets the chance to wager before the first card
        opportunity: Option<Ground>,
        /// Banker and Player together
        both_sides: Cited<BothSides>,
        /// Wagers may be placed until
        placing_ends: Cited<Freeze>,
        /// Wagers may be touched until
        altering_ends: Cited<Freeze>,
        /// Nobody touches a losing wager
        losers_untouched: Option<Ground>,
        /// After a tie, Banker and Player wagers
        altered_after_tie: Option<Cited<AfterTie>>,
        /// Players may not bet against each other
        no_private_bets: Option<Ground>,
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
    /// Whether a spoken wager counts.
    Spoken or "never" "never count" {
        WithChips "with-chips" "count if chips come with them in time",
    }
}

choices! {
    /// What becomes of Banker and Player wagers that a tie left.
    AfterTie or "returned" "go back to their owners" {
        Lie "lie" "lie, and may be altered before the next round",
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
        offered: Ground,
        /// Wins if Banker's total is higher
        wins: Ground,
        /// Loses if Banker's total is lower
        loses: Ground,
        /// Equal totals
        ties: Cited<OnTie>,
    }
}

section! {
    /// Player wagers
    PlayerWager in "player" {
        /// May be made
        offered: Ground,
        /// Wins if Player's total is higher
        wins: Ground,
        /// Loses if Player's total is lower
        loses: Ground,
        /// Equal totals
        ties: Cited<OnTie>,
    }
}

section! {
    /// Tie wagers
    TieWager in "tie" {
        /// May be made
        offered: Ground,
        /// Wins if the totals are equal
        wins: Ground,
        /// Loses if they are not
        loses: Ground,
    }
}

section! {
    /// Limits
    Limits in "limits" {
        /// Minimum and maximum are on a sign
        displayed: Option<Ground>,
        /// Change of limits
        change: Option<Cited<Notice>>,
        /// Change of limits if all players consent
        change_by_consent: Option<Cited<ByConsent>>,
        /// A higher minimum needs, besides
        higher_minimum: Option<Cited<Notice>>,
        /// Limits of one's own
        personal: Option<Cited<Personal>>,
        /// Multiples
        multiples: Option<Cited<Multiples>>,
        /// Wager under the minimum
        under_minimum: Option<Cited<UnderMinimum>>,
        /// Its owner is advised, and later ones are returned
        under_minimum_again: Option<Ground>,
        /// Wager over the maximum
        over_maximum: Option<Cited<OverMaximum>>,
        /// Players may not team up to get past the maximum
        no_partnerships: Option<Ground>,
        /// A cap on what lies on one area
        area_cap: Option<Cited<AreaCap>>,
        /// The operator may cap
        exposure: Option<Cited<Exposure>>,
        /// The differential is Banker wagers against Player wagers, over all boxes
        differential: Option<Ground>,
        /// Who gives way when that cap is passed
        exposure_remedy: Option<Cited<Remedy>>,
        /// Change of that cap
        exposure_change: Option<Cited<Notice>>,
        /// A wager that chips could not pay exactly
        payable: Option<Cited<Payable>>,
        /// The rest that cannot be paid is void
        payable_part: Option<Ground>,
    }
}

choices! {
    /// What consent does.
    ByConsent or "as-without" "as without it" {
        AtOnce "at-once" "at once",
    }
}

choices! {
    /// Whether an area can be capped.
    AreaCap {
        TableMaximum "table-maximum" "the operator may hold it to the table maximum",
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
    Multiples or "only-if-posted" "only if the sign has a step" {
        Displayed "displayed" "as displayed",
        OnlyIfPosted "only-if-posted" "only if the notice says so",
    }
}

choices! {
    /// What becomes of a wager under the minimum.
    UnderMinimum or "refused" "refused, as the sign says" {
        SettledOnce "settled-once"
            "the first stands and is paid or collected, with advice; later ones are returned",
        Settled "settled" "stands and is paid or collected",
        Refused "refused" "refused",
    }
}

choices! {
    /// What becomes of a wager over the maximum.
    OverMaximum or "refused" "refused, as the sign says" {
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
        BankerRefused "banker-refused"
            "not accepted on Banker; accepted in error, its payable part stands",
        AnyMayBeRefused "any-may-be-refused" "may be refused before the deal",
    }
}

section! {
    /// No-bet coups
    NoBet in "no_bet" {
        /// No wager is accepted on them
        no_wagers: Ground,
        /// They are dealt and drawn like any other
        played_out: Option<Ground>,
        /// Coups that may be dealt, on request and approval, without a wager being needed
        optional_coups: Option<Cited<Whole<1, 99>>>,
    }
}

section! {
    /// No-bet coups on request
    NoBetRequest in "no_bet_request" {
        /// A supervisor directs them
        directed: Ground,
        /// A player must have asked for one
        requested: Ground,
        /// All players must agree
        agreed: Ground,
        /// With nobody at the table
        nobody_there: Option<Cited<NobodyThere>>,
        /// In a row, at most
        in_a_row: Option<Cited<Whole<1, 99>>>,
    }
}

choices! {
    /// Whether coups are dealt with nobody at the table.
    NobodyThere {
        Directed "directed" "a supervisor may direct them",
    }
}
