//! The table, the cards, the shuffle, the cut, the burn and the end of the shoe.

use crate::clause::{Cited, Clause, Ground};
use crate::policy::{choices, section};
use crate::value::{Layouts, Seats, Several, Span, Whole};

section! {
    /// Table
    TableRules in "table" {
        /// Forms of table
        layouts: Cited<Layouts>,
        /// Places
        seats: Cited<Seats>,
        /// The bank is the licensee's alone
        bank: Option<Ground>,
        /// An inspector is
        inspector: Option<Cited<Inspector>>,
        /// Every card comes out of a shoe
        shoe: Ground,
        /// Only who may turn the cards touches them
        handling: Option<Ground>,
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
        pips: Ground,
        /// A ten, jack, queen or king counts
        tens: Cited<Whole<0, 10>>,
        /// A sum of up to 9 is the hand's total
        total_to_nine: Ground,
        /// Of a sum of 10 or more the last digit is the total
        total_from_ten: Ground,
        /// Checked before gaming, by
        checked_before: Cited<Checkers>,
        /// Checked after gaming, by
        checked_after: Option<Cited<Checkers>>,
        /// Pre-shuffled cards need no check
        unchecked_if_pre_shuffled: Option<Ground>,
        /// New cards are
        new_cards: Option<Cited<Several<NewCards>>>,
        /// Spread out by suit before play
        spread_before: Option<Ground>,
        /// Spread out by suit after gaming
        spread_after: Option<Ground>,
        /// Washed
        washed: Option<Ground>,
        /// Then stacked
        stacked: Option<Ground>,
        /// Then riffled
        riffled: Option<Ground>,
        /// Players look new cards over before the shuffle
        player_inspection: Option<Cited<Inspection>>,
        /// Cards are replaced
        replaced: Cited<Replacement>,
        /// The check of replacement cards
        replacement_checked: Option<Ground>,
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
    /// Whether an inspector stays at the table.
    Inspector or "none" "not wanted at the table" {
        Present "present" "present while the game goes on",
    }
}

choices! {
    /// What is done to new cards before the shuffle.
    NewCards {
        Spread "spread" "spread out by suit, before play and where they are checked after it",
        Wash "wash" "washed",
        Stack "stack" "stacked",
        Riffle "riffle" "riffled",
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
        AfterAnyRound "after-any-round"
            "after any round, if the operator wishes; then checked by dealer and supervisor",
        AfterAnyRoundAnew "after-any-round-anew"
            "after any round, if the operator directs; then checked, shuffled and cut anew",
        AfterHandledShoe "after-handled-shoe" "after every shoe in which a player handled cards",
    }
}

section! {
    /// Shuffle
    Shuffle in "shuffle" {
        /// Shuffled before play starts
        first: Ground,
        /// Shuffled again for each later shoe
        later: Ground,
        /// Shuffled besides
        also: Option<Cited<Several<AlsoShuffled>>>,
        /// Pre-shuffled cards for a new shoe
        pre_shuffled: Option<Cited<PreShuffled>>,
        /// Pre-shuffled cards come from an approved supplier
        pre_shuffled_supplier: Option<Ground>,
        /// The riffle of pre-shuffled cards
        pre_shuffled_riffle: Option<Ground>,
    }
}

choices! {
    /// When cards are shuffled besides for every shoe.
    AlsoShuffled {
        Directed "directed" "after a round if a supervisor directs it",
        AfterVacancy "after-vacancy" "when play resumes at a table that was vacant",
    }
}

choices! {
    /// Whether cards may come in shuffled.
    PreShuffled or "never" "none come in" {
        Allowed "allowed" "may come in instead of a shuffle",
        RiffledOnRequest "riffled-on-request"
            "may come in, and are riffled if a player asks and a supervisor approves",
    }
}

section! {
    /// Cut
    Cut in "cut" {
        /// Offered first
        offered: Cited<CutOrder>,
        /// Offered so in later shoes
        offered_later: Option<Ground>,
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
            "to whoever sat down first, then clockwise from the highest seat; in later shoes to \
             the left of the last cutter",
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
        /// The first card unseen, and it alone
        unseen: Option<Cited<Unseen>>,
        /// The first card is shown
        shown: Ground,
        /// As many more are burnt as it counts
        further: Ground,
        /// For that a ten, jack, queen or king counts
        tens: Cited<Whole<0, 10>>,
        /// For that an ace counts as in a hand
        ace: Option<Ground>,
        /// Burnt cards are discarded
        discarded: Option<Ground>,
        /// A missed burn does not stop play
        missed: Ground,
    }
}

choices! {
    /// Whether the first card of a shoe may be burnt unseen.
    Unseen or "never" "never: it is shown" {
        Allowed "allowed" "allowed",
    }
}

section! {
    /// End of the shoe
    EndOfShoe in "end_of_shoe" {
        /// Cutting card out before a round's first card
        cutting_card_first: Cited<Finish>,
        /// Cutting card out later in a round
        cutting_card_during: Cited<Finish>,
        /// The last round ties
        one_more_on_tie: Option<Cited<LastTied>>,
        /// The shuffle that follows when it came before the first card
        shuffle_after_first: Ground,
        /// The shuffle that follows when it came later
        shuffle_after_during: Ground,
        /// Pre-shuffled cards may come in instead of that shuffle
        pre_shuffled: Option<Ground>,
        /// A round that the cards cannot finish is void
        short_shoe: Ground,
        /// The shuffle that follows such a round
        short_shoe_shuffle: Option<Ground>,
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
    /// What follows when the last round of a shoe ties.
    LastTied or "last-all-the-same" "it was the last all the same" {
        OneMore "one-more" "one more round is dealt, once",
    }
}

impl Cards {
    /// The people who check replacement cards, where the book has a separate rule for them.
    #[must_use]
    pub fn replacement_check(&self) -> Option<Cited<Checkers>> {
        let clause = self.replacement_checked.map_or(self.replaced.clause, |check| check.clause);
        match self.replaced.value {
            Replacement::AfterAnyRound => {
                Some(Cited { value: Checkers::DealerAndSupervisor, clause })
            }
            Replacement::AfterAnyRoundAnew | Replacement::AfterHandledShoe => None,
        }
    }

    /// Whether new cards need a step before the shuffle.
    #[must_use]
    pub fn prepares(&self, step: NewCards) -> bool {
        self.new_cards.as_ref().is_some_and(|steps| steps.value.has(&step))
    }
}

impl Shuffle {
    /// The clause by which cards are shuffled at other times than for a new shoe, if there is one.
    #[must_use]
    pub fn also(&self, when: AlsoShuffled) -> Option<Clause> {
        self.also.as_ref().filter(|also| also.value.has(&when)).map(|also| also.clause)
    }

    /// The clause by which pre-shuffled cards are riffled on request, if they are.
    #[must_use]
    pub fn riffle_on_request(&self) -> Option<Clause> {
        let pre_shuffled = self.pre_shuffled?;
        match pre_shuffled.value {
            PreShuffled::Allowed => None,
            PreShuffled::RiffledOnRequest => {
                Some(self.pre_shuffled_riffle.map_or(pre_shuffled.clause, |riffle| riffle.clause))
            }
        }
    }
}
