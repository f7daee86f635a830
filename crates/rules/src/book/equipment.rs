//! The table, the cards, the shuffle, the cut, the burn and the end of the shoe.

use crate::clause::Cited;
use crate::policy::{choices, section};
use crate::value::{Layouts, Seats, Span, Stated, Whole};

section! {
    /// Table
    TableRules in "table" {
        /// Forms of table
        layouts: Cited<Layouts>,
        /// Places
        seats: Cited<Seats>,
        /// The bank is the licensee's alone
        bank: Option<Cited<Stated>>,
        /// An inspector is present while the game goes on
        inspector: Option<Cited<Stated>>,
        /// Every card comes out of a shoe
        shoe: Cited<Stated>,
        /// Who may touch the cards, besides the dealer
        /// Silent: whoever the rules on turning cards let turn them.
        handling: Option<Cited<Handling>>,
    }
}

choices! {
    /// Who may touch the cards, besides the dealer.
    Handling {
        NobodyElse "nobody-else" "nobody, unless a rule lets them",
        NotStanding "not-standing" "seated players, never those who stand",
    }
}

section! {
    /// Cards
    Cards in "cards" {
        /// Decks of 52
        decks: Cited<Span<1, 8>>,
        /// Cutting cards
        cutting_cards: Cited<Span<1, 2>>,
        /// An ace counts
        ace: Cited<Whole<0, 10>>,
        /// Cards 2 to 9 count what is printed on them
        pips: Cited<Stated>,
        /// A ten, jack, queen or king counts
        tens: Cited<Whole<0, 10>>,
        /// A sum of up to 9 is the hand's total
        total_to_nine: Cited<Stated>,
        /// Of a sum of 10 or more the last digit is the total
        total_from_ten: Cited<Stated>,
        /// Checked before gaming, by
        checked_before: Cited<Checkers>,
        /// Checked after gaming, by
        checked_after: Option<Cited<Checkers>>,
        /// Pre-shuffled cards need no check
        unchecked_if_pre_shuffled: Option<Cited<Stated>>,
        /// Spread out by suit before play
        spread_before: Option<Cited<Stated>>,
        /// Spread out by suit after play
        spread_after: Option<Cited<Stated>>,
        /// Players look new cards over before the shuffle
        player_inspection: Option<Cited<Inspection>>,
        /// New cards are washed
        washed: Option<Cited<Stated>>,
        /// New cards are then stacked
        stacked: Option<Cited<Stated>>,
        /// New cards are then riffled
        riffled: Option<Cited<Stated>>,
        /// Cards are replaced
        replaced: Cited<Replacement>,
        /// Replacement cards are checked by
        replacement_checked: Option<Cited<Checkers>>,
    }
}

choices! {
    /// Who checks the cards.
    Checkers {
        Staff "staff" "dealer or supervisor",
        Dealer "dealer" "the dealer, one by one",
        AnyStaffOrDevice "any-staff-or-device" "dealer, supervisor or a device, one by one",
        DealerAndSupervisor "dealer-and-supervisor" "dealer and supervisor, each",
    }
}

choices! {
    /// Whether the shuffle of new cards waits for players to look them over.
    Inspection {
        Invited "invited" "a player may",
        Awaited "awaited" "the first players must have had the chance",
    }
}

choices! {
    /// When cards are replaced.
    Replacement {
        AfterAnyRound "after-any-round" "after any round, if the operator wishes",
        AfterAnyRoundAnew "after-any-round-anew"
            "after any round, if the operator directs; then checked, shuffled and cut anew",
        AfterHandledShoe "after-handled-shoe" "after every shoe in which a player handled cards",
    }
}

section! {
    /// Shuffle
    Shuffle in "shuffle" {
        /// Shuffled before play starts
        first: Cited<Stated>,
        /// Shuffled again for each later shoe
        later: Cited<Stated>,
        /// Shuffled after a round if a supervisor directs it
        directed: Option<Cited<Stated>>,
        /// Shuffled when play resumes at a table that was vacant
        after_vacancy: Option<Cited<Stated>>,
        /// Pre-shuffled cards may come in instead, for a new shoe
        pre_shuffled: Option<Cited<Stated>>,
        /// Pre-shuffled cards come from an approved supplier
        pre_shuffled_supplier: Option<Cited<Stated>>,
        /// Pre-shuffled cards may be riffled if a player asks and a supervisor approves
        pre_shuffled_riffle: Option<Cited<Stated>>,
    }
}

section! {
    /// Cut
    Cut in "cut" {
        /// Offered first
        offered: Cited<CutOrder>,
        /// Offered first, in later shoes
        /// Silent: as in the first shoe.
        offered_later: Option<Cited<CutOrderLater>>,
        /// If no player cuts
        otherwise: Cited<Cutter>,
        /// Cards from either end, at least
        depth: Cited<Whole<1, 208>>,
        /// Cards behind the cutting card
        behind: Cited<Span<0, 416>>,
    }
}

choices! {
    /// To whom the cut is offered.
    CutOrder {
        AnyPlayer "any-player" "to any player",
        FromDealersLeft "from-dealers-left"
            "from the seat at the dealer's far left, clockwise, until one accepts",
        FirstSeatedThenHighest "first-seated-then-highest"
            "to whoever sat down first, then clockwise from the highest seat",
    }
}

choices! {
    /// To whom the cut is offered in later shoes.
    CutOrderLater {
        LeftOfLastCutter "left-of-last-cutter"
            "to the seated player on the left of the last cutter",
        AsInTheFirst "as-in-the-first" "as in the first shoe",
    }
}

choices! {
    /// Who cuts when no player does.
    Cutter {
        Supervisor "supervisor" "a supervisor cuts",
        Employee "employee" "an employee cuts",
        Inspector "inspector" "the inspector cuts",
    }
}

section! {
    /// Burn
    Burn in "burn" {
        /// The first card may go unseen, and it alone
        unseen: Option<Cited<Stated>>,
        /// The first card is shown
        shown: Cited<Stated>,
        /// As many more are burnt as it counts
        further: Cited<Stated>,
        /// For that a ten, jack, queen or king counts
        tens: Cited<Whole<0, 10>>,
        /// For that an ace counts
        /// Silent: as in a hand.
        ace: Option<Cited<Whole<0, 10>>>,
        /// Burnt cards are discarded
        discarded: Option<Cited<Stated>>,
        /// A missed burn does not stop play
        missed: Cited<Stated>,
    }
}

section! {
    /// End of the shoe
    EndOfShoe in "end_of_shoe" {
        /// Cutting card out before a round's first card
        cutting_card_first: Cited<Finish>,
        /// Cutting card out later in a round
        cutting_card_during: Cited<Finish>,
        /// One more round is dealt if the last one ties
        one_more_on_tie: Option<Cited<Stated>>,
        /// The shuffle that follows when it came before the first card
        shuffle_after_first: Cited<Stated>,
        /// The shuffle that follows when it came later
        shuffle_after_during: Cited<Stated>,
        /// Pre-shuffled cards may come in instead of that shuffle
        pre_shuffled: Option<Cited<Stated>>,
        /// Too few cards to finish a round
        short_shoe: Cited<ShortShoe>,
    }
}

choices! {
    /// What the cutting card brings.
    Finish {
        ThisRound "this-round" "that round is the last",
        NextRound "next-round" "one further round is the last",
        OneBehind "one-behind" "no deal starts once a card behind it is out",
    }
}

choices! {
    /// What becomes of a round that the shoe cannot finish.
    ShortShoe {
        Void "void" "the round is void",
        VoidAndReshuffle "void-and-reshuffle" "the round is void and all cards are reshuffled",
    }
}
