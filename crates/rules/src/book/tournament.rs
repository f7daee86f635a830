//! Tournaments: the conditions, the event, secret wagers.

use crate::clause::Cited;
use crate::policy::{choices, section};
use crate::value::{Percent, Stated, Whole};

section! {
    /// Tournament
    Tournament in "tournament" {
        /// Its rules against the rules of the table
        /// Silent: they are added to them.
        applies: Option<Cited<Applies>>,
        /// Its conditions against the rules
        /// Silent: nothing but the rules counts.
        prevails: Option<Cited<Prevails>>,
        /// A director is named
        director: Cited<Stated>,
        /// The director is present throughout
        director_present: Option<Cited<Stated>>,
        /// The conditions are approved by the regulator
        conditions_approved: Option<Cited<Stated>>,
        /// The conditions are written down before entries are taken
        conditions_written: Option<Cited<Stated>>,
        /// The conditions are there for patrons to read
        conditions_available: Option<Cited<Stated>>,
        /// The regulator is notified of the conditions
        conditions_notified: Option<Cited<Stated>>,
        /// Applicants are told the conditions of play
        conditions_told: Option<Cited<Stated>>,
        /// A player's written agreement
        agreement: Option<Cited<Agreement>>,
        /// An application may be refused
        refusal: Option<Cited<Stated>>,
        /// Entries of one player
        entries: Option<Cited<Entries>>,
        /// Seats are given by
        seating: Cited<Seating>,
        /// Players are given their sessions by the operator
        sessions_allotted: Option<Cited<Stated>>,
        /// Players keep to their place
        place_kept: Cited<Stated>,
        /// The director sets how many play at a table
        players_a_table: Option<Cited<Stated>>,
        /// The director names the tables
        tables: Option<Cited<Stated>>,
        /// The director may alter a starting time, with notice
        start_altered: Option<Cited<Stated>>,
        /// When a player who is not in the seat is late
        commencement: Cited<Commencement>,
        /// Not in the seat at the start
        not_there: Cited<NotThere>,
        /// Coups after which that place is lost
        not_there_coups: Option<Cited<Whole<1, 99>>>,
        /// Before the coup after those, the place is cancelled
        not_there_cancelled: Option<Cited<Stated>>,
        /// With cash chips the place is lost at once
        not_there_live: Option<Cited<Stated>>,
        /// Such a player may enter a secondary competition
        not_there_secondary: Option<Cited<Stated>>,
        /// A reserve may be given the seat, for the fee
        reserve: Option<Cited<Stated>>,
        /// Substitutes
        substitute: Cited<Substitute>,
        /// Absent later: the minimum is deducted each hand
        absent: Option<Cited<Stated>>,
        /// Absent later, with cash chips: a substitute, or out
        absent_live: Option<Cited<Stated>>,
        /// A session lasts
        session: Cited<SessionLength>,
        /// A session may end early once its winners are certain
        early_finish: Option<Cited<Stated>>,
        /// Breaks
        breaks: Option<Cited<Stated>>,
        /// Pace
        pace: Option<Cited<Stated>>,
    }
}

section! {
    /// Tournament chips
    TournamentChips in "tournament_chips" {
        /// Tournament chips are apart from money
        apart: Cited<Stated>,
        /// All have an equal chance
        equal_chance: Option<Cited<Stated>>,
        /// A live competition uses cash chips, all with an equal chance
        live: Option<Cited<Stated>>,
        /// Wagers are made with them alone
        wagered: Option<Cited<Stated>>,
        /// Everybody starts a session with as many
        equal_start: Option<Cited<Stated>>,
        /// They stay in full view
        in_view: Cited<Stated>,
        /// Players show all they hold
        displayed: Option<Cited<Stated>>,
        /// Nobody adds to or takes from them but by the rules
        untouched: Option<Cited<Stated>>,
        /// Who hides chips is disqualified
        concealed: Option<Cited<Stated>>,
        /// After a session they are the operator's, cash chips the player's
        afterwards: Option<Cited<Stated>>,
    }
}

section! {
    /// Tournament wagers
    TournamentWagers in "tournament_wagers" {
        /// At least the minimum every round
        minimum: Cited<Stated>,
        /// Who cannot is out
        elimination: Cited<Stated>,
        /// Nobody else wagers from that place
        eliminated_place: Option<Cited<Stated>>,
        /// What chips are left go to the operator; cash chips stay the player's
        eliminated_chips: Option<Cited<Stated>>,
        /// Order
        order: Cited<Order>,
        /// The marker moves on after each round
        marker_moves: Cited<Stated>,
        /// A wager made in turn is fixed
        fixed: Cited<Stated>,
        /// Out of order
        out_of_order: Cited<OutOfOrder>,
        /// A player's turn runs until the next is asked
        turn: Option<Cited<Stated>>,
        /// A time limit may be set, with notice
        time_limit: Option<Cited<Stated>>,
        /// Too slow: the minimum
        too_slow: Option<Cited<Stated>>,
        /// One wager, on Banker or Player; Tie besides
        one_side: Option<Cited<Stated>>,
        /// Banker and Player never together
        never_both: Option<Cited<Stated>>,
        /// No more than the maximum
        maximum: Option<Cited<Stated>>,
        /// In units as the sign says
        units: Option<Cited<Stated>>,
        /// Below the minimum: topped up
        topped_up: Option<Cited<Stated>>,
        /// Over the maximum: settled up to it
        over_maximum: Option<Cited<Stated>>,
        /// After a tie, Banker and Player wagers may be altered, in turn
        altered_after_tie: Option<Cited<Stated>>,
        /// An indicator card may go in, decks from the rear
        indicator: Option<Cited<Whole<1, 7>>>,
        /// When it appears the coup is finished
        indicator_appears: Option<Cited<Stated>>,
        /// After that coup the limits may rise, as notified
        limits_rise: Option<Cited<Stated>>,
        /// Player's cards go to the highest wager on Player
        player_cards: Option<Cited<Stated>>,
        /// Banker's cards go to the highest wager on Banker
        banker_cards: Option<Cited<Stated>>,
        /// Third cards go to them too
        third_cards: Option<Cited<Stated>>,
        /// Of equal wagers the first placed has the cards
        equal_wagers: Option<Cited<Stated>>,
        /// Cards exposed by the wrong player still count
        wrong_player: Option<Cited<Stated>>,
        /// Cards that no player turns, the dealer does
        dealer_turns: Option<Cited<Stated>>,
        /// The cards of a hand without wagers, the dealer turns
        dealer_turns_unwagered: Option<Cited<Stated>>,
    }
}

section! {
    /// Secret wagers
    SecretWagers in "secret_wagers" {
        /// Told to nobody before the coup is over
        meaning: Cited<Stated>,
        /// As many as the conditions allow
        number: Cited<Stated>,
        /// Written on a form, in words and figures
        form: Cited<Stated>,
        /// With chips besides, within the maximum and on one side
        with_chips: Cited<Stated>,
        /// Within the limits of the table
        within_limits: Cited<Stated>,
        /// Within the player's chips
        within_chips: Cited<Stated>,
        /// On a tie it is used up
        tie_counts: Cited<Stated>,
        /// A marker is placed and the inspector records it
        recorded: Cited<Stated>,
        /// The inspector examines it before the coup
        examined: Cited<Stated>,
        /// Announced and settled after the coup
        announced: Cited<Stated>,
        /// Other players may see the form before the next coup
        shown_on_request: Cited<Stated>,
        /// Found below the minimum: counts as the minimum
        found_under: Cited<Stated>,
        /// Found over the maximum: counts as the maximum
        found_over: Cited<Stated>,
        /// Found beyond the player's chips: counts as all of them
        found_beyond: Cited<Stated>,
        /// Found without amount or kind: the minimum is deducted
        found_faulty: Cited<Stated>,
        /// Last coup of the final, all secret: announced after the call
        last_announced: Cited<Stated>,
        /// … then placed on the layout
        last_placed: Cited<Stated>,
        /// … then dealt, cards to the highest wager
        last_dealt: Cited<Stated>,
    }
}

section! {
    /// Tournament results and money
    Prizes in "prizes" {
        /// The director works out and awards the places
        places: Option<Cited<Stated>>,
        /// A session's winners hold the most chips at its end
        winners: Option<Cited<Stated>>,
        /// How many advance is settled at the start
        advance: Option<Cited<Stated>>,
        /// How many advance from a session is the operator's to set
        advance_set: Option<Cited<Stated>>,
        /// Level on chips after a session
        level: Cited<Level>,
        /// Level on chips after the final
        level_final: Cited<Level>,
        /// The director sets the chips of a play-off
        playoff_chips: Option<Cited<Stated>>,
        /// For the number of play-off coups an ace counts
        playoff_ace: Option<Cited<Whole<1, 13>>>,
        /// For the number of play-off coups a picture counts
        playoff_picture: Option<Cited<Whole<1, 13>>>,
        /// Out in the same round, or level at nothing after the last
        /// Silent: who is out shares; who is level at nothing does as the conditions say.
        out_together: Option<Cited<OutTogether>>,
        /// All out in one coup: new chips and a play-off
        all_out: Option<Cited<Stated>>,
        /// A second chance for those who did not qualify
        secondary: Option<Cited<Stated>>,
        /// An entry fee may be charged
        fee: Option<Cited<Stated>>,
        /// The house keeps of the fees
        kept: Cited<Kept>,
        /// At most
        kept_limit: Option<Cited<Percent>>,
        /// Of the pool, returned in prizes
        returned: Cited<Percent>,
        /// The house may add to the pool
        added: Option<Cited<Stated>>,
        /// The operator may cancel the event
        cancelled: Option<Cited<Stated>>,
        /// Fees are refunded
        refunds: Cited<Refunds>,
        /// Days before the event by which to withdraw
        withdrawal_days: Option<Cited<Whole<1, 366>>>,
        /// Who does not keep the rules may be disqualified
        disqualified_breach: Option<Cited<Stated>>,
        /// Who does not attend may be disqualified
        disqualified_absent: Option<Cited<Stated>>,
        /// The disqualified get no refund
        disqualified_fee: Option<Cited<Stated>>,
    }
}

section! {
    /// Conditions of a tournament
    Conditions in "conditions" {
        /// Start: date and time
        start: Option<Cited<Inclusion>>,
        /// Structure
        structure: Option<Cited<Inclusion>>,
        /// Number or length of sessions
        sessions: Option<Cited<Inclusion>>,
        /// Number of tables, sit-and-go included
        tables: Option<Cited<Inclusion>>,
        /// How players move on
        progression: Option<Cited<Inclusion>>,
        /// Points, prizes and other games by session
        points: Option<Cited<Inclusion>>,
        /// Repechage
        repechage: Option<Cited<Inclusion>>,
        /// Buying back in
        buy_back: Option<Cited<Inclusion>>,
        /// Entry fee, and commission if any
        fee: Option<Cited<Inclusion>>,
        /// Chips for the fee
        chips: Option<Cited<Inclusion>>,
        /// Least and most players
        players: Option<Cited<Inclusion>>,
        /// Restrictions on groups of players
        groups: Option<Cited<Inclusion>>,
        /// Table limits
        limits: Option<Cited<Inclusion>>,
        /// Players who progress: how they are eliminated
        progress_elimination: Option<Cited<Inclusion>>,
        /// Players who progress: level on chips
        progress_level: Option<Cited<Inclusion>>,
        /// A series of sessions: how players are eliminated
        series_elimination: Option<Cited<Inclusion>>,
        /// A series of sessions: level on chips
        series_level: Option<Cited<Inclusion>>,
        /// Prize pool
        pool: Option<Cited<Inclusion>>,
        /// How prizes are handed out
        distribution: Option<Cited<Inclusion>>,
        /// Level on chips in the final
        final_level_chips: Option<Cited<Inclusion>>,
        /// Level on points
        final_level_points: Option<Cited<Inclusion>>,
        /// Prizes put together and shared, if so
        final_divided: Option<Cited<Inclusion>>,
        /// Additional rounds, if so
        final_rounds: Option<Cited<Inclusion>>,
        /// A statement of what prevails
        statement: Option<Cited<Inclusion>>,
        /// Form of application
        application: Option<Cited<Inclusion>>,
        /// Conditions of entry
        entry: Option<Cited<Inclusion>>,
        /// Number of secret wagers
        secret_wagers: Option<Cited<Inclusion>>,
    }
}

choices! {
    /// How the rules of tournament play stand to the rules of the table.
    Applies {
        Added "added" "added to them",
        Prevail "prevail" "prevail where they differ",
    }
}

choices! {
    /// What counts when conditions and rules differ.
    Prevails {
        Conditions "conditions" "the conditions prevail",
        Rules "rules" "the rules prevail",
    }
}

choices! {
    /// Whether players sign.
    Agreement {
        MayBeRequired "may-be-required" "may be required",
        Required "required" "required before the event",
    }
}

choices! {
    /// How often one player may enter.
    Entries {
        One "one" "one",
        OneAndBuyBacks "one-and-buy-backs" "one, and buy-backs if the conditions have them",
    }
}

choices! {
    /// Who gives out tables and seats.
    Seating {
        Ballot "ballot" "ballot before each session",
        Operator "operator" "the operator",
    }
}

choices! {
    /// What decides whether a player is late.
    Commencement {
        AtTheStart "at-the-start" "when the director starts the session",
        BeforeTheTime "before-the-time" "by the clock, and on the stroke is late",
        AtTheTime "at-the-time" "by the clock, and on the stroke is in time",
    }
}

choices! {
    /// What the length of a session is given in.
    SessionLength {
        RoundsOrShoes "rounds-or-shoes" "so many rounds or shoes",
        TimeOrShoes "time-or-shoes" "a time, the coups that fill it, or so many shoes",
    }
}

choices! {
    /// What happens to a player who is not there at the start.
    NotThere {
        Forfeited "forfeited" "place lost; the fee stays in the pool",
        MinimumDeducted "minimum-deducted" "the minimum is deducted for each coup, for a while",
    }
}

choices! {
    /// How a substitute comes in.
    Substitute {
        Director "director" "at the director's discretion",
        Nominated "nominated" "nominated by the player, approved by the director",
    }
}

choices! {
    /// In which order players wager.
    Order {
        ClockwiseFromMarker "clockwise-from-marker" "clockwise from the starting marker",
        AnticlockwiseFromPuck "anticlockwise-from-puck"
            "anticlockwise from the puck, which starts at the dealer's right",
    }
}

choices! {
    /// What becomes of a wager out of order.
    OutOfOrder {
        StandsThenVoid "stands-then-void" "stands, with advice; a further one may be void",
        Stands "stands" "stands",
    }
}

choices! {
    /// How players who are level on chips are told apart.
    Level {
        AdditionalRounds "additional-rounds" "additional rounds until one is ahead",
        AsConditionsSay "as-conditions-say" "as the conditions say",
        PlayOffByCard "play-off-by-card" "a play-off of as many coups as a drawn card says",
    }
}

choices! {
    /// What players share who go out in the same round.
    OutTogether {
        Shared "shared" "their prizes are put together and shared evenly",
        AsConditionsSay "as-conditions-say" "as the conditions say",
    }
}

choices! {
    /// What the house keeps of the entry fees.
    Kept {
        Approved "approved" "an approved amount",
        UpToLimit "up-to-limit" "up to a limit",
    }
}

choices! {
    /// When fees go back.
    Refunds {
        OnCancellation "on-cancellation" "only if the event is cancelled, in full",
        OnCancellationOrWithdrawal "on-cancellation-or-withdrawal"
            "if the event does not take place, or on withdrawal in time",
    }
}

choices! {
    /// Whether the conditions must say a thing.
    Inclusion {
        May "may" "may be included",
        IfItApplies "if-it-applies" "must be included if it applies",
        Must "must" "must be included",
    }
}
