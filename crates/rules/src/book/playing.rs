//! The deal, who turns the cards, the tableau, and what the dealer says.

use crate::clause::{Cited, Ground};
use crate::policy::{choices, section};
use crate::tableau::{BankerTableau, PlayerTableau};
use crate::value::{Phrase, Span};

section! {
    /// Deal
    Deal in "deal" {
        /// Two hands are dealt, Player's and Banker's
        two_hands: Option<Ground>,
        /// First a card to Player and one to Banker
        first_cards: Ground,
        /// Then another to Player and to Banker
        second_cards: Ground,
        /// Face up or face down
        face: Cited<Face>,
        /// Face up, all four are
        all_up: Option<Ground>,
        /// Face down, management and surveillance know of it
        surveillance: Option<Ground>,
        /// Cards dealt face down are turned by
        turned_by: Cited<Turning>,
        /// The player who may be given Player's cards
        player_cards_to: Option<Ground>,
        /// The player who may be given Banker's cards
        banker_cards_to: Option<Ground>,
        /// Who refuses the cards passes them to the next highest; they stay on the table
        refused: Option<Ground>,
        /// Of equal wagers the lowest seat comes first
        lowest_seat_first: Option<Ground>,
        /// Discs may mark who has the cards
        discs: Option<Ground>,
        /// A player handles one hand at a time
        one_hand_at_a_time: Option<Ground>,
        /// Third cards
        third_cards: Option<Cited<ThirdCards>>,
    }
}

choices! {
    /// Who decides whether cards are dealt face up or face down.
    Face {
        EachRound "each-round" "as the operator decides before a round",
        EachShoe "each-shoe" "as the operator chooses, one way for a whole shoe",
        UpUnlessAsked "up-unless-asked"
            "face up; face down if the players ask and surveillance knows of it",
    }
}

choices! {
    /// Who turns cards that were dealt face down.
    Turning {
        AsDetermined "as-determined" "whoever the supervisor determines",
        DealerOrBettor "dealer-or-bettor"
            "the dealer, or a player with a wager on that hand to whom the dealer passes them",
        Dealer "dealer" "the dealer, Player's first",
        HighestWager "highest-wager"
            "the seated players with the highest wagers, one hand at a time",
    }
}

choices! {
    /// How third cards are dealt.
    ThirdCards or "as-the-first-four" "as the first four" {
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
        natural_ends: Ground,
        /// Third cards are dealt as the tableau requires
        third_cards: Ground,
        /// No hand gets more than one
        one_card_only: Option<Ground>,
        /// Player
        player: Cited<PlayerTableau>,
        /// Banker
        banker: Cited<BankerTableau>,
        /// Banker, when Player stood
        banker_if_player_stood: Option<Cited<PlayerTableau>>,
        /// The higher point beats the lower
        merit: Option<Ground>,
        /// The tableau is there to be read at the table
        displayed: Option<Ground>,
    }
}

section! {
    /// Calls
    Calls in "calls" {
        /// Before the deal
        no_more_bets: Option<Cited<Phrase>>,
        /// The points after the first four cards are announced
        points: Option<Ground>,
        /// They are announced when cards that lay face down are turned
        points_turned: Option<Ground>,
        /// A point of zero is called
        zero: Option<Cited<Phrase>>,
        /// The result is announced
        result: Option<Ground>,
        /// Equal totals are announced as
        tie: Option<Cited<Phrase>>,
        /// Before the last round
        last_coup: Option<Cited<Phrase>>,
        /// The same, after the cutting card came out within a round
        last_coup_during: Option<Ground>,
        /// Before a coup that starts with a card that was seen
        no_bets: Option<Cited<Phrase>>,
        /// The same, after a card that was not due
        no_bets_not_due: Option<Ground>,
        /// The same, after a card found face up
        no_bets_face_up: Option<Ground>,
    }
}

impl Calls {
    /// The dealer's words before the last round, when the cutting card came out within a round.
    #[must_use]
    pub fn last_coup_during(&self) -> Option<Cited<Phrase>> {
        resting(&self.last_coup, self.last_coup_during)
    }

    /// The dealer's words before a coup that starts with a card that was seen, where a separate
    /// rule gives them.
    #[must_use]
    pub fn no_bets(&self, by: Option<Ground>) -> Option<Cited<Phrase>> {
        resting(&self.no_bets, by)
    }
}

/// A phrase that another clause requires than the one that gives its words, where the book has one.
#[expect(clippy::ref_option, reason = "phrases are fields of that type")]
fn resting(phrase: &Option<Cited<Phrase>>, ground: Option<Ground>) -> Option<Cited<Phrase>> {
    let phrase = phrase.clone()?;
    let clause = ground.map_or(phrase.clause, |ground| ground.clause);
    Some(Cited { value: phrase.value, clause })
}
