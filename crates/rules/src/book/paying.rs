//! Settlement of the main wagers, Pairs and the Dragon Bonus.

use crate::clause::Cited;
use crate::money::Price;
use crate::policy::section;
use crate::value::{Notice, Phrase, Stated, Whole};

section! {
    /// Settlement
    Settlement in "settlement" {
        /// The operator chooses the method
        choice: Option<Cited<Stated>>,
        /// The method is on a sign
        displayed: Option<Cited<Stated>>,
        /// Change of method
        change: Option<Cited<Notice>>,
        /// Losing wagers are collected and winning ones paid after the result is announced
        after_result: Option<Cited<Stated>>,
    }
}

section! {
    /// Commission method
    Commission in "commission" {
        /// The book's name for it
        name: Option<Cited<Phrase>>,
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
        offered: Cited<Stated>,
        /// The operator chooses which kind is used
        choice: Cited<Stated>,
        /// They are made in areas of their own
        areas: Option<Cited<Stated>>,
        /// Option and limits are on a sign
        displayed: Option<Cited<Stated>>,
        /// Any number of players may share the area
        shared: Option<Cited<Stated>>,
        /// They need no main wager
        without_main: Option<Cited<Stated>>,
        /// A coup without main wagers is still finished
        finished_without_main: Option<Cited<Stated>>,
        /// Both hands may be wagered on at once
        both_hands: Option<Cited<Stated>>,
        /// Number cards pair by number
        numbers_pair: Cited<Stated>,
        /// Jacks, queens, kings and aces pair by name
        pictures_pair: Cited<Stated>,
        /// Only the first two cards of a hand count
        first_two: Cited<Stated>,
        /// Every player gets the chance to wager before the first card
        opportunity: Option<Cited<Stated>>,
        /// On Banker it wins with a pair
        banker_wins: Cited<Stated>,
        /// On Banker it loses without
        banker_loses: Cited<Stated>,
        /// On Player it wins with a pair
        player_wins: Cited<Stated>,
        /// On Player it loses without
        player_loses: Cited<Stated>,
        /// Losers are collected before third cards
        collected_early: Cited<Stated>,
        /// Winners are paid before third cards
        paid_early: Cited<Stated>,
        /// Third cards follow
        then_third_cards: Cited<Stated>,
    }
}

section! {
    /// Perfect Pairs
    PerfectPairs in "perfect_pairs" {
        /// May be the kind that is offered
        offered: Cited<Stated>,
        /// Its rules hold if it is
        applies: Option<Cited<Stated>>,
        /// A pair is two cards of one rank
        pair: Cited<Stated>,
        /// A mixed pair has one red and one black card
        mixed: Cited<Stated>,
        /// A coloured pair may be two red cards of different suits
        coloured_red: Cited<Stated>,
        /// A coloured pair may be two black cards of different suits
        coloured_black: Cited<Stated>,
        /// A perfect pair is of one suit
        perfect: Cited<Stated>,
        /// Only the best kind is paid
        best_only: Option<Cited<Stated>>,
        /// Winners are paid on this scale
        scale: Option<Cited<Stated>>,
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
    CanberraPairs in "canberra_pairs" {
        /// May be the kind that is offered
        offered: Cited<Stated>,
        /// Its rules hold if it is
        applies: Option<Cited<Stated>>,
        /// A pair is two cards of one rank
        pair: Cited<Stated>,
        /// Winners are paid on this scale
        scale: Option<Cited<Stated>>,
        /// A pair pays
        pays: Cited<Price>,
    }
}

section! {
    /// Dragon Bonus
    Dragon in "dragon" {
        /// It may be among the wagers
        offered: Cited<Stated>,
        /// The operator may offer it or not
        at_discretion: Option<Cited<Stated>>,
        /// Its rules hold if it is offered
        applies: Option<Cited<Stated>>,
        /// It is made in areas of its own
        areas: Option<Cited<Stated>>,
        /// On Player it may be made
        on_player: Cited<Stated>,
        /// On Banker it may be made
        on_banker: Cited<Stated>,
        /// Limits are on a sign
        displayed: Option<Cited<Stated>>,
        /// Any number of players may share the area
        shared: Option<Cited<Stated>>,
        /// It needs no main wager
        without_main: Option<Cited<Stated>>,
        /// A coup without main wagers is still finished
        finished_without_main: Option<Cited<Stated>>,
        /// Both hands may be wagered on at once
        both_hands: Option<Cited<Stated>>,
        /// Every player gets the chance to wager before the first card
        opportunity: Option<Cited<Stated>>,
        /// First entitled to Player's area: who has a Player wager there
        first_on_player: Option<Cited<Stated>>,
        /// First entitled to Banker's area: who has a Banker wager there
        first_on_banker: Option<Cited<Stated>>,
        /// Next on Player's area: who has another wager there
        next_on_player: Option<Cited<Stated>>,
        /// Next on Banker's area: who has another wager there
        next_on_banker: Option<Cited<Stated>>,
        /// Then the remaining players
        then_others: Option<Cited<Stated>>,
        /// On Banker it wins with a higher natural
        banker_natural: Cited<Stated>,
        /// On Banker it wins by the least margin or more
        banker_margin: Cited<Stated>,
        /// On Banker it loses if Banker is lower
        banker_lower: Cited<Stated>,
        /// On Banker it loses without a natural and short of the least margin, as on any other tie
        banker_short: Cited<Stated>,
        /// On Player it wins with a higher natural
        player_natural: Cited<Stated>,
        /// On Player it wins by the least margin or more
        player_margin: Cited<Stated>,
        /// On Player it loses if Player is lower
        player_lower: Cited<Stated>,
        /// On Player it loses without a natural and short of the least margin, as on any other tie
        player_short: Cited<Stated>,
        /// Two equal naturals are a standoff: neither won nor lost
        standoff: Cited<Stated>,
        /// The least winning margin
        least_margin: Cited<Whole<4, 9>>,
        /// Winners are paid on this scale
        scale: Option<Cited<Stated>>,
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
