//! The deal, who turns the cards, the tableau, and what the dealer says.

use crate::clause::Cited;
use crate::policy::{choices, section};
use crate::tableau::{BankerTableau, PlayerTableau};
use crate::value::{Phrase, Span, Stated};

section! {
    /// Deal
    Deal in "deal" {
        /// Two hands are dealt, Player's and Banker's
        two_hands: Option<Cited<Stated>>,
        /// First a card to Player and one to Banker
        first_cards: Cited<Stated>,
        /// Then another to Player and to Banker
        second_cards: Cited<Stated>,
        /// Face up or face down
        face: Cited<Face>,
        /// Face up, all four are
        all_up: Option<Cited<Stated>>,
        /// Face down, management and surveillance know of it
        surveillance: Option<Cited<Stated>>,
        /// Cards dealt face down are turned by
        turned_by: Cited<Turning>,
        /// Player's cards may go to
        player_cards_to: Option<Cited<Squeezer>>,
        /// Banker's cards may go to
        banker_cards_to: Option<Cited<Squeezer>>,
        /// Who refuses the cards passes them to the next highest; they stay on the table
        refused: Option<Cited<Stated>>,
        /// Of equal wagers the lowest seat comes first
        lowest_seat_first: Option<Cited<Stated>>,
        /// Discs may mark who has the cards
        discs: Option<Cited<Stated>>,
        /// A player handles one hand at a time
        one_hand_at_a_time: Option<Cited<Stated>>,
        /// Third cards
        /// Silent: as the first four.
        third_cards: Option<Cited<ThirdCards>>,
    }
}

choices! {
    /// Who decides whether cards are dealt face up or face down.
    Face {
        EachRound "each-round" "as the operator decides before a round",
        EachShoe "each-shoe" "as the operator chooses, one way for a whole shoe",
        UpUnlessAsked "up-unless-asked" "face up; face down if the players ask",
    }
}

choices! {
    /// Who turns cards that were dealt face down.
    Turning {
        AsDetermined "as-determined" "whoever the supervisor determines",
        DealerOrBettor "dealer-or-bettor" "the dealer, or a player to whom the dealer passes them",
        Dealer "dealer" "the dealer, Player's first",
        HighestWager "highest-wager" "the players with the highest wagers",
    }
}

choices! {
    /// Which player may be given a hand to turn.
    Squeezer {
        WithWager "with-wager" "a player with a wager on that hand",
        HighestSeated "highest-seated" "the seated player with the highest wager on it",
    }
}

choices! {
    /// How third cards are dealt.
    ThirdCards {
        Up "up" "face up",
        AsTheFirstFour "as-the-first-four" "as the first four, and turned the same way",
        EitherWay "either-way" "up or down; if down, turned like the first four",
    }
}

section! {
    /// Tableau
    Tableau in "tableau" {
        /// A natural is, on two cards
        natural: Cited<Span<0, 9>>,
        /// After a natural on either side nobody draws
        natural_ends: Cited<Stated>,
        /// Third cards are dealt as the tableau requires
        third_cards: Cited<Stated>,
        /// No hand gets more than one
        one_card_only: Option<Cited<Stated>>,
        /// Player
        player: Cited<PlayerTableau>,
        /// Banker
        banker: Cited<BankerTableau>,
        /// Banker, when Player stood
        /// Silent: the column `-` of `banker` says it.
        banker_if_player_stood: Option<Cited<PlayerTableau>>,
        /// The higher point beats the lower
        merit: Option<Cited<Stated>>,
        /// The tableau is there to be read at the table
        displayed: Option<Cited<Stated>>,
    }
}

section! {
    /// Calls
    Calls in "calls" {
        /// Before the deal
        no_more_bets: Option<Cited<Phrase>>,
        /// The points after the first four cards are announced
        points: Option<Cited<Stated>>,
        /// They are announced when cards that lay face down are turned
        /// Silent: as with cards dealt face up.
        points_turned: Option<Cited<Stated>>,
        /// A point of zero is called
        zero: Option<Cited<Phrase>>,
        /// The result is announced
        result: Option<Cited<Stated>>,
        /// Equal totals are announced as
        tie: Option<Cited<Phrase>>,
        /// Two equal naturals with a Dragon Bonus wager lying
        standoff: Option<Cited<Phrase>>,
        /// Before the last round, cutting card before its first card
        last_coup_first: Option<Cited<Phrase>>,
        /// Before the last round, cutting card later
        last_coup_during: Option<Cited<Phrase>>,
        /// Before a coup that starts with a card dealt in error and seen
        no_bets_not_due: Option<Cited<Phrase>>,
        /// Before a coup that starts with a card drawn in excess and seen
        no_bets_excess: Option<Cited<Phrase>>,
        /// Before a coup that starts with a card found face up
        no_bets_face_up: Option<Cited<Phrase>>,
    }
}
