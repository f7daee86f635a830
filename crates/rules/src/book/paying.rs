//! Settlement of the main wagers, and what a book says on side bets.

use crate::clause::{Cited, Ground};
use crate::money::Price;
use crate::policy::{choices, section};
use crate::value::{Notice, Phrase};

section! {
    /// Settlement
    Settlement in "settlement" {
        /// The operator chooses the method
        choice: Option<Ground>,
        /// The method is on a sign
        displayed: Option<Ground>,
        /// Change from one method to the other
        change: Option<Cited<Notice>>,
        /// Losing wagers are collected and winning ones paid after the result is announced
        after_result: Option<Ground>,
    }
}

section! {
    /// A method of paying main wagers
    MethodRules in "methods" {
        /// The book's name for it
        name: Option<Cited<Phrase>>,
        /// Player pays
        player: Cited<Price>,
        /// Banker pays, unless a row says otherwise
        banker: Cited<Price>,
        /// Tie pays
        tie: Cited<Price>,
    }
}

section! {
    /// Side bets that are offered together
    SideBetRules in "side_bets" {
        /// They may be among the wagers
        offered: Ground,
        /// The operator may offer them or not
        at_discretion: Option<Ground>,
        /// The operator chooses which pay table is used
        choice: Option<Ground>,
        /// Their rules hold if they are offered
        applies: Option<Ground>,
        /// Winners are paid on this scale
        scale: Option<Ground>,
        /// They are made in areas of their own
        areas: Option<Ground>,
        /// Option and limits are on a sign
        displayed: Option<Ground>,
        /// Any number of players may share an area
        shared: Option<Ground>,
        /// Without a main wager of the same player
        alone: Option<Cited<Alone>>,
        /// A coup without main wagers is still finished
        finished_without_main: Option<Ground>,
        /// More than one of them at once
        several: Option<Cited<Several>>,
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
        /// When they are settled; winners are then paid
        settled: Option<Cited<SettledWhen>>,
        /// Losers are then collected
        collected: Option<Ground>,
        /// Third cards follow the settlement
        then_third_cards: Option<Ground>,
        /// Only the first two cards of a hand count
        first_two: Option<Ground>,
        /// Number cards pair by number
        numbers_pair: Option<Ground>,
        /// Jacks, queens, kings and aces pair by name
        pictures_pair: Option<Ground>,
        /// Called when stakes are neither won nor lost
        kept_call: Option<Cited<Phrase>>,
    }
}

section! {
    /// One of several pay tables
    PayTableRules in "pay_tables" {
        /// May be the one that is used
        offered: Ground,
        /// Its rules hold if it is
        applies: Option<Ground>,
        /// Winners are paid on this scale
        scale: Option<Ground>,
        /// What a pair is
        pair: Option<Ground>,
        /// Only the best kind is paid
        best_only: Option<Ground>,
    }
}

choices! {
    /// Whether a side bet needs a main wager beside it.
    Alone or "allowed" "allowed" {
        Allowed "allowed" "allowed",
        NeedsMain "needs-main" "only beside a wager on Banker, Player or Tie",
    }
}

choices! {
    /// Whether a player may have several side bets of a group at once.
    Several or "allowed" "allowed" {
        Allowed "allowed" "allowed",
        One "one" "one of them only",
    }
}

choices! {
    /// When side bets are settled.
    SettledWhen or "with-the-coup" "with the other wagers" {
        BeforeThirdCards "before-third-cards" "before third cards",
        WithTheCoup "with-the-coup" "with the other wagers",
    }
}

choices! {
    /// Who comes first on a side bet's area.
    Entitlement {
        MainWagersFirst "main-wagers-first"
            "who has the main wager there, then who has another wager there, then the others",
    }
}
