//! Settlement of the main wagers, Pairs and the Dragon Bonus.

use crate::clause::{Cited, Ground};
use crate::money::Price;
use crate::policy::{choices, section};
use crate::value::{Notice, Phrase, Whole};

section! {
    /// Settlement
    Settlement in "settlement" {
        /// The operator chooses the method
        choice: Option<Ground>,
        /// The method is on a sign
        displayed: Option<Ground>,
        /// Losing wagers are collected and winning ones paid after the result is announced
        after_result: Option<Ground>,
    }
}

section! {
    /// Commission method
    Commission in "commission" {
        /// Player pays
        player: Cited<Price>,
        /// Banker pays
        banker: Cited<Price>,
        /// Tie pays
        tie: Cited<Price>,
    }
}

section! {
    /// Half-on-six method
    HalfOnSix in "half_on_six" {
        /// The book's name for it
        name: Option<Cited<Phrase>>,
        /// The book's name for the commission method
        commission_name: Option<Cited<Phrase>>,
        /// Change from one method to the other
        change: Option<Cited<Notice>>,
        /// Player pays
        player: Cited<Price>,
        /// Banker pays
        banker: Cited<Price>,
        /// Banker pays, winning with 6
        banker_on_six: Cited<Price>,
        /// Tie pays
        tie: Cited<Price>,
    }
}

section! {
    /// Pairs
    Pairs in "pairs" {
        /// The operator may offer them on either hand
        offered: Ground,
        /// The operator chooses which kind is used
        choice: Ground,
        /// They are made in areas of their own
        areas: Option<Ground>,
        /// Option and limits are on a sign
        displayed: Option<Ground>,
        /// Any number of players may share the area
        shared: Option<Ground>,
        /// They need no main wager
        without_main: Option<Ground>,
        /// A coup without main wagers is still finished
        finished_without_main: Option<Ground>,
        /// Both hands may be wagered on at once
        both_hands: Option<Ground>,
        /// Number cards pair by number
        numbers_pair: Ground,
        /// Jacks, queens, kings and aces pair by name
        pictures_pair: Ground,
        /// Only the first two cards of a hand count
        first_two: Ground,
        /// Every player gets the chance to wager before the first card
        opportunity: Option<Ground>,
        /// On Banker it wins with a pair
        banker_wins: Ground,
        /// On Banker it loses without
        banker_loses: Ground,
        /// On Player it wins with a pair
        player_wins: Ground,
        /// On Player it loses without
        player_loses: Ground,
        /// Losers are collected before third cards
        collected_early: Ground,
        /// Winners are paid before third cards
        paid_early: Ground,
        /// Third cards follow
        then_third_cards: Ground,
    }
}

section! {
    /// Perfect Pairs
    PerfectPairs in "perfect_pairs" part of "pairs" {
        /// May be the kind that is offered
        offered: Ground,
        /// Its rules hold if it is
        applies: Option<Ground>,
        /// A pair is two cards of one rank
        pair: Ground,
        /// A mixed pair has one red and one black card
        mixed: Ground,
        /// A coloured pair may be two red cards of different suits
        coloured_red: Ground,
        /// A coloured pair may be two black cards of different suits
        coloured_black: Ground,
        /// A perfect pair is of one suit
        perfect: Ground,
        /// Only the best kind is paid
        best_only: Option<Ground>,
        /// Winners are paid on this scale
        scale: Option<Ground>,
        /// A mixed pair pays
        mixed_pays: Cited<Price>,
        /// A coloured pair pays
        coloured_pays: Cited<Price>,
        /// A perfect pair pays
        perfect_pays: Cited<Price>,
    }
}

section! {
    /// Canberra Pairs
    CanberraPairs in "canberra_pairs" part of "pairs" {
        /// May be the kind that is offered
        offered: Ground,
        /// Its rules hold if it is
        applies: Option<Ground>,
        /// A pair is two cards of one rank
        pair: Ground,
        /// Winners are paid on this scale
        scale: Option<Ground>,
        /// A pair pays
        pays: Cited<Price>,
    }
}

section! {
    /// Dragon Bonus
    Dragon in "dragon" {
        /// It may be among the wagers
        offered: Ground,
        /// The operator may offer it or not
        at_discretion: Option<Ground>,
        /// Its rules hold if it is offered
        applies: Option<Ground>,
        /// It is made in areas of its own
        areas: Option<Ground>,
        /// On Player it may be made
        on_player: Ground,
        /// On Banker it may be made
        on_banker: Ground,
        /// Limits are on a sign
        displayed: Option<Ground>,
        /// Any number of players may share the area
        shared: Option<Ground>,
        /// It needs no main wager
        without_main: Option<Ground>,
        /// A coup without main wagers is still finished
        finished_without_main: Option<Ground>,
        /// Both hands may be wagered on at once
        both_hands: Option<Ground>,
        /// Every player gets the chance to wager before the first card
        opportunity: Option<Ground>,
        /// The order of entitlement to an area
        entitlement: Option<Cited<Entitlement>>,
        /// First entitled to Player's area: who has a Player wager there
        first_on_player: Option<Ground>,
        /// First entitled to Banker's area: who has a Banker wager there
        first_on_banker: Option<Ground>,
        /// Next on Player's area: who has another wager there
        next_on_player: Option<Ground>,
        /// Next on Banker's area: who has another wager there
        next_on_banker: Option<Ground>,
        /// Then the remaining players
        then_others: Option<Ground>,
        /// On Banker it wins with a higher natural
        banker_natural: Ground,
        /// On Banker it wins by the least margin or more
        banker_margin: Ground,
        /// On Banker it loses if Banker is lower
        banker_lower: Ground,
        /// On Banker it loses without a natural and short of the least margin, as on any other tie
        banker_short: Ground,
        /// On Player it wins with a higher natural
        player_natural: Ground,
        /// On Player it wins by the least margin or more
        player_margin: Ground,
        /// On Player it loses if Player is lower
        player_lower: Ground,
        /// On Player it loses without a natural and short of the least margin, as on any other tie
        player_short: Ground,
        /// Two equal naturals are a standoff: neither won nor lost
        standoff: Ground,
        /// Then called
        standoff_call: Option<Cited<Phrase>>,
        /// The least winning margin
        least_margin: Cited<Whole<4, 9>>,
        /// Winners are paid on this scale
        scale: Option<Ground>,
        /// A natural pays, whatever the margin
        natural_pays: Cited<Price>,
        /// A margin of 4 pays
        margin_4_pays: Cited<Price>,
        /// A margin of 5 pays
        margin_5_pays: Cited<Price>,
        /// A margin of 6 pays
        margin_6_pays: Cited<Price>,
        /// A margin of 7 pays
        margin_7_pays: Cited<Price>,
        /// A margin of 8 pays
        margin_8_pays: Cited<Price>,
        /// A margin of 9 pays
        margin_9_pays: Cited<Price>,
    }
}

choices! {
    /// Who comes first on a Dragon Bonus area.
    Entitlement {
        MainWagersFirst "main-wagers-first"
            "who has the main wager there, then who has another wager there, then the others",
    }
}
