//! Tournaments: the conditions, the event, secret wagers.

use super::numbers::{Kept, NotThere, Refunds};
use crate::clause::{Cited, Ground};
use crate::policy::{choices, section};
use crate::value::{Percent, Several};

section! {
    /// Tournament
    Tournament in "tournament" {
        /// Its rules against the rules of the table
        applies: Option<Ground>,
        /// What prevails
        prevails: Option<Cited<Prevails>>,
        /// A director is named
        director: Ground,
        /// The director is present throughout
        director_present: Option<Ground>,
        /// Before entries are taken, the conditions are
        before_entries: Option<Cited<Several<BeforeEntries>>>,
        /// The conditions are approved by the regulator
        conditions_approved: Option<Ground>,
        /// The conditions are written down before entries are taken
        conditions_written: Option<Ground>,
        /// The conditions are there for patrons to read
        conditions_available: Option<Ground>,
        /// The regulator is notified of the conditions
        conditions_notified: Option<Ground>,
        /// Applicants are told the conditions of play
        conditions_told: Option<Ground>,
        /// A player's written agreement
        agreement: Option<Cited<Agreement>>,
        /// An application may be refused
        refusal: Option<Ground>,
        /// Entries of one player
        entries: Option<Cited<Entries>>,
        /// Seats are given by
        seating: Cited<Seating>,
        /// Players are given their sessions by the operator
        sessions_allotted: Option<Ground>,
        /// Players keep to their place
        place_kept: Ground,
        /// The director sets how many play at a table
        players_a_table: Option<Ground>,
        /// The tables of a session
        tables: Option<Cited<Tables>>,
        /// The director may alter a starting time
        start_altered: Option<Cited<StartAltered>>,
        /// When a player who is not in the seat is late
        commencement: Cited<Commencement>,
        /// Not in the seat at the start
        not_there: Cited<NotThere>,
        /// Before the coup after those, the place is cancelled
        not_there_cancelled: Option<Ground>,
        /// With cash chips the place is lost at once
        not_there_live: Option<Ground>,
        /// A secondary competition for such a player
        not_there_secondary: Option<Cited<Open>>,
        /// A seat that came free
        reserve: Option<Cited<FreeSeat>>,
        /// Substitutes
        substitute: Cited<Substitute>,
        /// Absent later
        absent: Option<Cited<Absent>>,
        /// Absent later, with cash chips: a substitute, or out
        absent_live: Option<Ground>,
        /// A session lasts
        session: Cited<SessionLength>,
        /// The end of a session whose winners are certain
        early_finish: Option<Cited<EarlyFinish>>,
        /// Breaks
        breaks: Option<Ground>,
        /// Pace
        pace: Option<Ground>,
    }
}

section! {
    /// Tournament chips
    TournamentChips in "tournament_chips" part of "tournament" {
        /// Tournament chips are apart from money
        apart: Ground,
        /// All have an equal chance
        equal_chance: Option<Ground>,
        /// A live competition, with cash chips
        live: Option<Cited<Live>>,
        /// Wagers are made with them alone
        wagered: Option<Ground>,
        /// Everybody starts a session with as many
        equal_start: Option<Ground>,
        /// They stay in full view
        in_view: Ground,
        /// Players show all they hold
        displayed: Option<Ground>,
        /// Nobody adds to or takes from them but by the rules
        untouched: Option<Ground>,
        /// Who hides chips is disqualified
        concealed: Option<Ground>,
        /// After a session they are the operator's, cash chips the player's
        afterwards: Option<Ground>,
    }
}

section! {
    /// Tournament wagers
    TournamentWagers in "tournament_wagers" part of "tournament" {
        /// At least the minimum every round
        minimum: Ground,
        /// Who cannot is out
        elimination: Ground,
        /// Nobody else wagers from that place
        eliminated_place: Option<Ground>,
        /// What chips are left go to the operator; cash chips stay the player's
        eliminated_chips: Option<Ground>,
        /// Order
        order: Cited<Order>,
        /// The marker moves on after each round
        marker_moves: Ground,
        /// A wager made in turn is fixed
        fixed: Ground,
        /// Out of order
        out_of_order: Cited<OutOfOrder>,
        /// A player's turn runs
        turn: Option<Cited<Turn>>,
        /// A time limit may be set, with notice
        time_limit: Option<Ground>,
        /// Too slow
        too_slow: Option<Cited<TooSlow>>,
        /// On Banker and Player
        one_side: Option<Cited<Hands>>,
        /// Banker and Player never together
        never_both: Option<Ground>,
        /// No more than the maximum
        maximum: Option<Ground>,
        /// In units as the sign says
        units: Option<Ground>,
        /// Below the minimum
        topped_up: Option<Cited<Below>>,
        /// Over the maximum
        over_maximum: Option<Cited<Over>>,
        /// After a tie, Banker and Player wagers
        altered_after_tie: Option<Cited<Tied>>,
        /// An indicator card, after which limits may rise
        indicator: Option<Cited<Indicator>>,
        /// When it appears the coup is finished
        indicator_appears: Option<Ground>,
        /// After that coup the limits may rise, as notified
        limits_rise: Option<Ground>,
        /// Cards are turned by
        player_cards: Option<Cited<CardsTo>>,
        /// Banker's cards go to the highest wager on Banker
        banker_cards: Option<Ground>,
        /// Third cards go to them too
        third_cards: Option<Ground>,
        /// Of equal wagers the first placed has the cards
        equal_wagers: Option<Ground>,
        /// Cards exposed by the wrong player still count
        wrong_player: Option<Ground>,
        /// Cards that no player turns, the dealer does
        dealer_turns: Option<Ground>,
        /// The cards of a hand without wagers, the dealer turns
        dealer_turns_unwagered: Option<Ground>,
    }
}

section! {
    /// Secret wagers
    SecretWagers in "secret_wagers" part of "tournament" {
        /// Told to nobody before the coup is over
        meaning: Ground,
        /// As many as the conditions allow
        number: Ground,
        /// Written on a form, in words and figures
        form: Ground,
        /// With chips besides, within the maximum and on one side
        with_chips: Ground,
        /// Within the limits of the table
        within_limits: Ground,
        /// Within the player's chips
        within_chips: Ground,
        /// On a tie it is used up
        tie_counts: Ground,
        /// A marker is placed and the inspector records it
        recorded: Ground,
        /// The inspector examines it before the coup
        examined: Ground,
        /// Announced and settled after the coup
        announced: Ground,
        /// Other players may see the form before the next coup
        shown_on_request: Ground,
        /// Found below the minimum: counts as the minimum
        found_under: Ground,
        /// Found over the maximum: counts as the maximum
        found_over: Ground,
        /// Found beyond the player's chips: counts as all of them
        found_beyond: Ground,
        /// Found without amount or kind: the minimum is deducted
        found_faulty: Ground,
        /// Last coup of the final, all secret: announced after the call
        last_announced: Ground,
        /// … then placed on the layout
        last_placed: Ground,
        /// … then dealt, cards to the highest wager
        last_dealt: Ground,
    }
}

section! {
    /// Tournament results and money
    Prizes in "prizes" part of "tournament" {
        /// The director works out and awards the places
        places: Option<Ground>,
        /// A session's winners hold the most chips at its end
        winners: Option<Ground>,
        /// How many advance is settled at the start
        advance: Option<Ground>,
        /// How many advance from a session is the operator's to set
        advance_set: Option<Ground>,
        /// Level on chips after a session
        level: Cited<Level>,
        /// Level on chips after the final
        level_final: Cited<Level>,
        /// Chips of a play-off
        playoff_chips: Option<Cited<PlayOffChips>>,
        /// For the number of play-off coups an ace counts 1
        playoff_ace: Option<Ground>,
        /// For the number of play-off coups a picture counts 10
        playoff_picture: Option<Ground>,
        /// Out in the same round, or level at nothing after the last
        out_together: Option<Cited<OutTogether>>,
        /// All out in one coup
        all_out: Option<Cited<AllOut>>,
        /// A second chance for those who did not qualify
        secondary: Option<Cited<Open>>,
        /// An entry fee may be charged
        fee: Option<Ground>,
        /// The house keeps of the fees
        kept: Cited<Kept>,
        /// Of the pool, returned in prizes
        returned: Cited<Percent>,
        /// What the house adds to the pool
        added: Option<Cited<Added>>,
        /// The operator may cancel the event
        cancelled: Option<Ground>,
        /// Fees are refunded
        refunds: Cited<Refunds>,
        /// Players may be disqualified for
        disqualified: Option<Cited<Several<Disqualified>>>,
        /// Who does not keep the rules may be disqualified
        disqualified_breach: Option<Ground>,
        /// Who does not attend may be disqualified
        disqualified_absent: Option<Ground>,
        /// The disqualified get no refund
        disqualified_fee: Option<Ground>,
    }
}

section! {
    /// Conditions of a tournament
    Conditions in "conditions" part of "tournament" {
        /// Start: date and time
        start: Option<Cited<Always>>,
        /// Structure
        structure: Option<Ground>,
        /// Number or length of sessions
        sessions: Option<Cited<Always>>,
        /// Number of tables, sit-and-go included
        tables: Option<Cited<Always>>,
        /// How players move on
        progression: Option<Ground>,
        /// Points, prizes and other games by session
        points: Option<Cited<Inclusion>>,
        /// Repechage
        repechage: Option<Cited<Inclusion>>,
        /// Buying back in
        buy_back: Option<Cited<Always>>,
        /// Entry fee, and commission if any
        fee: Option<Cited<Inclusion>>,
        /// Chips for the fee
        chips: Option<Cited<Always>>,
        /// Least and most players
        players: Option<Cited<Always>>,
        /// Restrictions on groups of players
        groups: Option<Cited<Always>>,
        /// Table limits
        limits: Option<Cited<Always>>,
        /// Players who progress: how they are eliminated
        progress_elimination: Option<Cited<Inclusion>>,
        /// Players who progress: level on chips
        progress_level: Option<Cited<Inclusion>>,
        /// A series of sessions: how players are eliminated
        series_elimination: Option<Cited<Inclusion>>,
        /// A series of sessions: level on chips
        series_level: Option<Cited<Inclusion>>,
        /// Prize pool
        pool: Option<Ground>,
        /// How prizes are handed out
        distribution: Option<Cited<Always>>,
        /// Level on chips in the final
        final_level_chips: Option<Cited<Always>>,
        /// Level on points
        final_level_points: Option<Ground>,
        /// Prizes put together and shared, if so
        final_divided: Option<Ground>,
        /// Additional rounds, if so
        final_rounds: Option<Ground>,
        /// A statement of what prevails
        statement: Option<Cited<Always>>,
        /// Form of application
        application: Option<Cited<Always>>,
        /// Conditions of entry
        entry: Option<Cited<Inclusion>>,
        /// Number of secret wagers
        secret_wagers: Option<Cited<Always>>,
    }
}

choices! {
    /// What counts when conditions, rules of the tournament and rules of the table differ.
    Prevails or "rules" "the rules" {
        Conditions "conditions" "the conditions; the rules of play are added to the table's",
        Rules "rules" "the rules; those of play go before the table's",
    }
}

choices! {
    /// What is done with the conditions before entries are taken.
    BeforeEntries {
        Approved "approved" "approved by the regulator",
        Available "available" "available to patrons",
        Notified "notified" "notified to the regulator",
        Told "told" "told to applicants",
    }
}

choices! {
    /// Who says at which tables a session is played.
    Tables or "as-needed" "as many as are needed" {
        NamedByDirector "named-by-director" "named by the director",
    }
}

choices! {
    /// Whether a starting time can be altered.
    StartAltered or "never" "never" {
        WithNotice "with-notice" "with notice",
    }
}

choices! {
    /// Whether something is open to a player.
    Open {
        Allowed "allowed" "open to them",
    }
}

choices! {
    /// What becomes of the seat of a player who did not come.
    FreeSeat or "stays-empty" "stays empty" {
        Reserve "reserve" "a reserve may be given it, for the fee",
    }
}

choices! {
    /// What becomes of a player who is away in a session.
    Absent or "must-wager" "must wager like any other" {
        MinimumDeducted "minimum-deducted" "the minimum is deducted each hand",
    }
}

choices! {
    /// When a session whose winners are certain may end.
    EarlyFinish or "one-left" "once one player is left" {
        Certain "certain" "at once",
    }
}

choices! {
    /// Whether a competition may be played with cash chips.
    Live or "never" "never" {
        Allowed "allowed" "allowed, all with an equal chance",
    }
}

choices! {
    /// How long a player's turn runs.
    Turn or "one-wager" "until the player has wagered" {
        UntilNextAsked "until-next-asked" "until the next player is asked",
    }
}

choices! {
    /// What happens to a player who is too slow.
    TooSlow or "waited-for" "is waited for" {
        Minimum "minimum" "is held to the minimum",
    }
}

choices! {
    /// On which hands a player wagers.
    Hands or "as-at-the-table" "as at the table" {
        One "one" "one wager, on Banker or Player; Tie besides",
    }
}

choices! {
    /// What becomes of a wager below the minimum.
    Below or "as-at-the-table" "as at the table" {
        ToppedUp "topped-up" "is topped up",
    }
}

choices! {
    /// What becomes of a wager over the maximum.
    Over or "as-at-the-table" "as at the table" {
        ToTheMaximum "to-the-maximum" "is settled up to it",
    }
}

choices! {
    /// What becomes of Banker and Player wagers after a tie.
    Tied or "as-at-the-table" "as at the table" {
        AlteredInTurn "altered-in-turn" "lie, and may be altered in turn",
    }
}

choices! {
    /// Where an indicator card goes in.
    Indicator {
        TwoDecksFromTheRear "two-decks-from-the-rear" "may go in, two decks from the rear",
    }
}

choices! {
    /// Who turns the cards.
    CardsTo or "as-at-the-table" "as at the table" {
        HighestWager "highest-wager" "the highest wager on that hand",
    }
}

choices! {
    /// With what chips a play-off is played.
    PlayOffChips or "as-held" "as players hold them" {
        SetByDirector "set-by-director" "set by the director",
    }
}

choices! {
    /// What happens when all go out in one coup.
    AllOut or "out" "all are out" {
        NewChips "new-chips" "new chips and a play-off",
    }
}

choices! {
    /// Whether the house may add to the pool.
    Added or "nothing" "nothing" {
        Allowed "allowed" "what it likes",
    }
}

choices! {
    /// For what a player may be disqualified.
    Disqualified {
        Breach "breach" "not keeping the rules",
        Absence "absence" "not attending",
    }
}

choices! {
    /// Whether players sign.
    Agreement or "may-be-required" "may be required" {
        MayBeRequired "may-be-required" "may be required",
        Required "required" "required before the event",
    }
}

choices! {
    /// How often one player may enter.
    Entries or "one" "one" {
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
    OutTogether or "as-conditions-say" "as the conditions say" {
        Shared "shared" "their prizes are put together and shared evenly",
        AsConditionsSay "as-conditions-say" "as the conditions say",
    }
}

choices! {
    /// Whether the conditions must say a thing that has a bearing on every event.
    Always or "may" "may be included" {
        May "may" "may be included",
        Must "must" "must be included",
    }
}

impl From<Always> for Inclusion {
    fn from(always: Always) -> Self {
        match always {
            Always::May => Self::May,
            Always::Must => Self::Must,
        }
    }
}

choices! {
    /// Whether the conditions must say a thing that has a bearing on some events.
    Inclusion or "may" "may be included" {
        May "may" "may be included",
        IfItApplies "if-it-applies" "must be included if it applies",
        Must "must" "must be included",
    }
}

impl Tournament {
    /// Whether something must be done with the conditions before entries are taken.
    #[must_use]
    pub fn wants(&self, done: BeforeEntries) -> bool {
        self.before_entries.as_ref().is_some_and(|before| before.value.has(&done))
    }
}

impl Prizes {
    /// Whether a player may be disqualified for something.
    #[must_use]
    pub fn disqualifies(&self, ground: Disqualified) -> bool {
        self.disqualified.as_ref().is_some_and(|grounds| grounds.value.has(&ground))
    }
}
