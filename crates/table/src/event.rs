//! The events at a table, each with its clauses and the chips that it moved.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use arrayvec::ArrayVec;
use rules::book::Cutter;
use rules::{
    Balance, BookId, Card, Cents, Clause, Clauses, Key, Offer, Outcome, Side, Spot, Verdict,
};
use serde::{Deserialize, Serialize};

use crate::command::{Checker, Name, Settings, SignLine, Time};
use rules::Group;

/// A player, by the order of arrival at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlayerId(pub u16);

/// An account for chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Account {
    /// Outside the table: where players bring chips from and take them to.
    Outside,
    /// The house's bank at the table.
    Float,
    /// The wagers on the layout.
    Layout,
    /// Commission that was withheld.
    Commission,
    /// The chips in front of a player.
    Stack(PlayerId),
    /// What a player owes after a void.
    Receivable(PlayerId),
}

/// A change to an account. Packed, because every event has room for four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(Rust, packed(4))]
pub struct Leg {
    /// The account.
    pub account: Account,
    /// The cents that the account gained; below zero if it lost them.
    pub cents: Balance,
}

/// Changes to accounts that sum to zero.
pub type Postings = ArrayVec<Leg, 4>;

/// An event at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The time.
    pub at: Time,
    /// What happened.
    pub fact: Fact,
    /// The clauses that it rests on; none where staff decided.
    pub clauses: Clauses,
    /// The chips that moved.
    pub postings: Postings,
}

/// The person who cuts or is offered the cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CutBy {
    /// A player.
    Player(PlayerId),
    /// A supervisor, an employee or an inspector, as the book says.
    Staff(Cutter),
}

/// Why a coup is without wagers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoBetWhy {
    /// A player asked and all agreed.
    Asked,
    /// There are no players at the table.
    NobodyThere,
    /// It starts with a card that was seen.
    SeenCard,
    /// All wagers were taken off.
    AllOff,
}

/// Why a coup is suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuspendedWhy {
    /// Cards came out of sequence.
    OutOfSequence,
    /// A supervisor lets wagers change.
    Changes,
    /// The wrong person had the cards.
    WrongPerson,
}

/// What a player was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Advice {
    /// A wager was below the minimum; further ones go back.
    UnderMinimum,
    /// Only the maximum of a wager is at risk.
    OverMaximum,
    /// The seat may be asked for.
    Abstaining,
    /// The table will close.
    Closing,
    /// The sign will change.
    Change,
}

/// Why chips went back to a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReturnWhy {
    /// The wager was above the maximum.
    OverMaximum,
    /// The wager was below the minimum, again.
    UnderMinimum,
    /// The wagers exceeded the differential or the liability.
    Exposure,
    /// A part that could not be paid in chips.
    Unpayable,
    /// The coup is without wagers.
    NoBetCoup,
    /// Other cards, or the same ones shuffled, come before the next coup.
    NewShoe,
    /// An earlier coup is judged again first.
    Reopened,
    /// The player is excluded.
    Excluded,
    /// The coup or the wager is void.
    Void,
    /// The player took the wager back.
    TakenBack,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// The table opened under a book.
    Opened(Box<Opened>),
    /// A rule of the book that applies from the opening on took effect.
    Kept(Keeping),
    /// Time passed.
    Ticked,
    /// A line was put on the sign.
    Posted(SignLine),
    /// The sign has words that the book requires.
    Sign(String),
    /// A change was announced.
    NoticeGiven {
        /// What, in a box: few events are as long.
        posting: Box<SignLine>,
        /// The time from which it applies; without one, it applies from a later round.
        from: Option<Time>,
    },
    /// An announced change took effect.
    TookEffect(SignLine),
    /// All players consented.
    Consented,
    /// A player has personal limits.
    PersonalLimits {
        /// The player.
        player: PlayerId,
        /// The group of wagers.
        group: Group,
        /// A personal minimum, where the book allows one.
        least: Option<Cents>,
        /// The maximum.
        most: Cents,
    },
    /// A player came.
    Arrived {
        /// The player.
        player: PlayerId,
        /// The name, in a box: few events are as long.
        name: Box<Name>,
        /// The place.
        seat: u32,
        /// Whether the player stands behind it.
        standing: bool,
        /// The chips that the player brought.
        chips: Cents,
    },
    /// A player left with all chips.
    Left(PlayerId),
    /// A player was excluded.
    Excluded(PlayerId, String),
    /// A player was asked to give up the seat.
    SeatRequired(PlayerId),
    /// The table is empty.
    Vacated,
    /// A player asked that pre-shuffled cards be riffled.
    RiffleAsked(PlayerId),
    /// A supervisor approved the riffle.
    RiffleApproved,
    /// Somebody checked the cards; more than one may have to.
    CheckedBy(Checker),
    /// A step of preparing the shoe was done.
    Prepared(Step),
    /// The cut was offered.
    CutOffered(CutBy),
    /// A player declined the cut.
    CutDeclined(PlayerId),
    /// The cards were cut.
    Cut {
        /// The person who cut.
        by: CutBy,
        /// How deep, in cards.
        depth: u32,
    },
    /// The cutting card was placed with so many cards behind it.
    CuttingCardPlaced(u32),
    /// Cards were burnt.
    Burned {
        /// The card shown.
        shown: Option<Card>,
        /// How many further cards were burnt.
        further: u32,
    },
    /// Fewer cards were burnt than the book requires.
    BurnShort {
        /// How many are missing.
        missing: u32,
    },
    /// So many more were burnt before the first round.
    BurnedMore(u32),
    /// Cards that were to be burnt were not.
    BurnSkipped,
    /// The shoe can be dealt from.
    ShoeReady,
    /// The cards in use are to be replaced.
    Replaced,
    /// A shuffle comes before the next coup.
    ShuffleDue,
    /// A wager was placed.
    Placed {
        /// The player.
        player: PlayerId,
        /// The spot.
        spot: Spot,
        /// The place.
        place: u32,
        /// How much was added.
        amount: Cents,
        /// Staff have not noticed a fault in it yet.
        unnoticed: bool,
    },
    /// Chips went back to a player.
    Returned {
        /// The player.
        player: PlayerId,
        /// The spot.
        spot: Spot,
        /// The place.
        place: u32,
        /// The amount.
        amount: Cents,
        /// The reason.
        why: ReturnWhy,
    },
    /// Chips moved from one spot to another.
    Moved {
        /// The player.
        player: PlayerId,
        /// The old spot.
        from: Spot,
        /// The new spot.
        to: Spot,
        /// The place.
        place: u32,
        /// The amount.
        amount: Cents,
    },
    /// The dealer lets wagers stand that exceed a cap.
    LetStand,
    /// A player gave up the first claim on the areas of side bets.
    ClaimWaived(PlayerId, Key),
    /// A player was told something.
    Advised(PlayerId, Advice),
    /// A player may wager on both sides.
    BothSidesApproved(PlayerId),
    /// A player asked for a coup without wagers.
    NoBetAsked(PlayerId),
    /// A player agreed to a coup without wagers, or objected.
    NoBetAnswered(PlayerId, bool),
    /// The next coup is without wagers.
    NoBetDirected(NoBetWhy),
    /// So many coups may be dealt without a wager.
    OptionalCoups(u32),
    /// A player asked for cards face down.
    FaceDownAsked(PlayerId),
    /// Management knows that cards are to be dealt face down.
    ManagementInformed,
    /// Surveillance knows that cards are to be dealt face down.
    SurveillanceInformed,
    /// The dealer said something.
    Called(Arc<str>),
    /// Wagers are open.
    BetsOpened,
    /// Wagers are closed.
    BetsClosed,
    /// A coup began.
    CoupBegan {
        /// Its number.
        number: u32,
        /// Why it is without wagers, if it is.
        no_bet: Option<NoBetWhy>,
        /// Whether it is the last of the shoe.
        last: bool,
    },
    /// A card went to a hand.
    Dealt {
        /// The hand.
        side: Side,
        /// The card, if it is known.
        card: Option<Card>,
        /// Whether it lies face up.
        shown: bool,
    },
    /// A hand was given to a player to turn.
    Passed(Side, PlayerId),
    /// A player refused the hand.
    CardsRefused(Side, PlayerId),
    /// A card that lay face down was turned.
    Turned {
        /// Its position in the coup.
        index: u8,
        /// The card.
        card: Card,
    },
    /// The totals of the hands.
    Totals {
        /// Player's total.
        player: u8,
        /// Banker's total.
        banker: u8,
    },
    /// Which hands have a pair in their first two cards.
    PairsJudged {
        /// Whether Player's hand has one.
        player: bool,
        /// Whether Banker's hand has one.
        banker: bool,
    },
    /// A natural: no third card is drawn.
    Natural,
    /// A hand that was to get a card has three cards already.
    ThreeAlready(Side),
    /// A hand stands.
    Stands(Side),
    /// A card that Player was not due goes to Banker.
    GivenToBanker(Option<Card>),
    /// Cards came out of sequence.
    OutOfSequence(Side),
    /// The cards were put right, by the order in which they left the shoe.
    Reconstructed,
    /// The cards of a reopened coup, in the order in which they left the shoe: each with its
    /// earlier position and its hand. A card that is not listed belongs to neither hand.
    Rearranged(ArrayVec<(u8, Side), 6>),
    /// A third card that lay at the wrong hand went to the other.
    ThirdMoved(Side),
    /// The coup is suspended.
    Suspended(SuspendedWhy),
    /// The coup continues.
    Resumed,
    /// A card is in excess.
    Excess {
        /// The card, if it was seen.
        card: Option<Card>,
    },
    /// A card in excess is not used.
    ExcessNotUsed(Option<Card>),
    /// A card lies face up in the shoe.
    FoundFaceUp(Card),
    /// The result of the coup.
    Result(Outcome),
    /// A wager was settled.
    Settled {
        /// The player.
        player: PlayerId,
        /// The spot.
        spot: Spot,
        /// The place.
        place: u32,
        /// The stake at risk.
        stake: Cents,
        /// The outcome.
        verdict: Verdict,
    },
    /// A wager neither won nor lost, and stays on the layout for the next coup.
    Lies {
        /// The player.
        player: PlayerId,
        /// The spot.
        spot: Spot,
        /// The place.
        place: u32,
        /// The stake.
        stake: Cents,
    },
    /// An error of card placement was found in the coup that was settled last.
    ErrorFound {
        /// The number of the coup.
        number: u32,
    },
    /// A coup that was settled is judged again.
    Reopened {
        /// The number of the coup.
        number: u32,
    },
    /// A wager of a reopened coup is laid again.
    Relaid {
        /// The player.
        player: PlayerId,
        /// The spot.
        spot: Spot,
        /// The place.
        place: u32,
        /// The stake.
        stake: Cents,
    },
    /// The coup is over, its cards in the rack.
    CoupEnded {
        /// Its number.
        number: u32,
        /// The outcome; nothing if the coup is void.
        outcome: Option<Outcome>,
        /// Whether Player's and Banker's hands had a pair.
        pairs: (bool, bool),
        /// Whether there was a natural.
        natural: bool,
    },
    /// A coup is void.
    Voided {
        /// The number of the coup.
        number: u32,
        /// The reason.
        why: String,
    },
    /// A void took back its effect on a player's chips.
    Reversed {
        /// The player.
        player: PlayerId,
        /// The number of the coup.
        number: u32,
    },
    /// The cutting card came out.
    CuttingCardOut {
        /// Whether it came before the first card of a round.
        first: bool,
    },
    /// So many coups may still be dealt from this shoe, the current one counted.
    CoupsLeft(u32),
    /// The last round was a tie, so one more round is dealt.
    OneMoreRound,
    /// The extra round is cancelled: the tie is void.
    NoMoreRound,
    /// The cutting card was seen in the shoe.
    CuttingCardSeen,
    /// A coup was disputed.
    Disputed(PlayerId, u32),
    /// The operator decided the dispute over a coup.
    DisputeDecided {
        /// The number of the coup.
        number: u32,
        /// The decision.
        decision: String,
    },
    /// The regulator reviewed the operator's decision.
    DisputeReviewed {
        /// The number of the coup.
        number: u32,
        /// The result of the review.
        decision: String,
    },
    /// Staff made a decision.
    Decided(String),
    /// A rule of the tournament gave chips to a player or took them.
    Adjusted {
        /// The player.
        player: PlayerId,
        /// The cents that the player gained; below zero if the player lost them.
        cents: Balance,
    },
    /// A player asked for a copy of the rules.
    RulesAsked(PlayerId),
    /// A copy of the rules was given.
    RulesGiven,
    /// The inspector left the table.
    InspectorLeft,
    /// The inspector returned.
    InspectorBack,
    /// The table closed.
    Closed,
    /// A player of a tournament is away from the seat; the cut is not offered to that player.
    Away(PlayerId),
    /// The player returned to the seat.
    Back(PlayerId),
    /// A player of a tournament who left is in the seat again, because the coup that eliminated the
    /// player is void.
    InAgain(PlayerId),
    /// A tournament's table that closed is open again, because a session that seemed over
    /// continues.
    OpenedAgain,
    /// A wager that was recorded wrongly was corrected.
    WagerCorrected {
        /// The player.
        player: PlayerId,
        /// The spot.
        spot: Spot,
        /// The place.
        place: u32,
        /// The stake that was recorded; zero if there was none.
        from: Cents,
        /// The correct stake; zero if there is none.
        to: Cents,
    },
    /// A card of the coup that was recorded wrongly was corrected.
    CardCorrected {
        /// Its position in the coup.
        index: u8,
        /// The correct card.
        card: Card,
    },
    /// A player's seat that was recorded wrongly was corrected.
    SeatCorrected {
        /// The player.
        player: PlayerId,
        /// The correct seat.
        seat: u32,
    },
}

/// The opening of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The book.
    pub book: BookId,
    /// The book that it amends, if any.
    pub base: Option<BookId>,
    /// The sheets of side bets that are laid over it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<BookId>,
    /// The operator's choices, filled in.
    pub options: Settings,
    /// The side bets that the book has.
    #[serde(default)]
    pub side_bets: Arc<Vec<SideBetNames>>,
}

/// Side bets that could be offered, with their names: what happens can be read without the book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideBetNames {
    /// The group, and the pay table where there are several.
    pub offer: Offer,
    /// The name of the group.
    pub group: String,
    /// The name under this pay table.
    pub name: String,
    /// The spots.
    pub spots: Vec<Key>,
}

/// A step of preparing a shoe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The cards were checked.
    Checked,
    /// The cards were spread by suit.
    Spread,
    /// A player looked at the cards.
    Inspected,
    /// The cards were washed.
    Washed,
    /// The cards were stacked.
    Stacked,
    /// The cards were riffled.
    Riffled,
    /// The cards were shuffled.
    Shuffled,
    /// Pre-shuffled cards were brought in.
    PreShuffled,
    /// The cards were checked after gaming.
    CheckedAfter,
    /// The cards were spread after gaming.
    SpreadAfter,
}

/// A rule of the book that applies from the opening of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keeping {
    /// The number of decks and cutting cards.
    Cards,
    /// The house is the bank.
    Bank,
    /// An inspector is present.
    Inspector,
    /// The method of settlement.
    Method,
    /// The side bets of a group are offered.
    SideBets(Key),
    /// The areas for the side bets of a group, and what the sign says about them.
    SideBetAreas(Key),
    /// Only the best kind of pair is paid.
    BestPair,
    /// Whether cards are dealt face up or face down.
    Face,
    /// The tableau can be read at the table.
    Tableau,
}

impl Fact {
    /// The player whom the fact concerns, if there is one.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "one pattern for each fact")]
    pub const fn player(&self) -> Option<PlayerId> {
        match self {
            Self::PersonalLimits { player, .. }
            | Self::Arrived { player, .. }
            | Self::Left(player)
            | Self::Excluded(player, _)
            | Self::SeatRequired(player)
            | Self::RiffleAsked(player)
            | Self::CutOffered(CutBy::Player(player))
            | Self::CutDeclined(player)
            | Self::Cut { by: CutBy::Player(player), .. }
            | Self::Placed { player, .. }
            | Self::Returned { player, .. }
            | Self::Moved { player, .. }
            | Self::ClaimWaived(player, _)
            | Self::Advised(player, _)
            | Self::BothSidesApproved(player)
            | Self::NoBetAsked(player)
            | Self::NoBetAnswered(player, _)
            | Self::FaceDownAsked(player)
            | Self::Passed(_, player)
            | Self::CardsRefused(_, player)
            | Self::Settled { player, .. }
            | Self::Lies { player, .. }
            | Self::Relaid { player, .. }
            | Self::Reversed { player, .. }
            | Self::Disputed(player, _)
            | Self::RulesAsked(player)
            | Self::Away(player)
            | Self::Back(player)
            | Self::InAgain(player)
            | Self::WagerCorrected { player, .. }
            | Self::SeatCorrected { player, .. }
            | Self::Adjusted { player, .. } => Some(*player),
            Self::Opened(_)
            | Self::Kept(_)
            | Self::Ticked
            | Self::Posted(_)
            | Self::Sign(_)
            | Self::NoticeGiven { .. }
            | Self::TookEffect(_)
            | Self::Consented
            | Self::Vacated
            | Self::RiffleApproved
            | Self::CheckedBy(_)
            | Self::Prepared(_)
            | Self::CutOffered(CutBy::Staff(_))
            | Self::Cut { by: CutBy::Staff(_), .. }
            | Self::CuttingCardPlaced(_)
            | Self::Burned { .. }
            | Self::BurnShort { .. }
            | Self::BurnedMore(_)
            | Self::BurnSkipped
            | Self::ShoeReady
            | Self::Replaced
            | Self::ShuffleDue
            | Self::LetStand
            | Self::NoBetDirected(_)
            | Self::OptionalCoups(_)
            | Self::SurveillanceInformed
            | Self::Called(_)
            | Self::BetsOpened
            | Self::BetsClosed
            | Self::CoupBegan { .. }
            | Self::Dealt { .. }
            | Self::Turned { .. }
            | Self::Totals { .. }
            | Self::PairsJudged { .. }
            | Self::Natural
            | Self::ThreeAlready(_)
            | Self::Stands(_)
            | Self::GivenToBanker(_)
            | Self::OutOfSequence(_)
            | Self::Reconstructed
            | Self::Rearranged(_)
            | Self::ThirdMoved(_)
            | Self::Suspended(_)
            | Self::Resumed
            | Self::Excess { .. }
            | Self::ExcessNotUsed(_)
            | Self::FoundFaceUp(_)
            | Self::Result(_)
            | Self::ErrorFound { .. }
            | Self::Reopened { .. }
            | Self::CoupEnded { .. }
            | Self::Voided { .. }
            | Self::CuttingCardOut { .. }
            | Self::CoupsLeft(_)
            | Self::OneMoreRound
            | Self::NoMoreRound
            | Self::CuttingCardSeen
            | Self::Decided(_)
            | Self::DisputeDecided { .. }
            | Self::DisputeReviewed { .. }
            | Self::RulesGiven
            | Self::ManagementInformed
            | Self::InspectorLeft
            | Self::InspectorBack
            | Self::OpenedAgain
            | Self::CardCorrected { .. }
            | Self::Closed => None,
        }
    }
}

/// The changes that move `cents` from one account to another.
pub(crate) fn transfer(from: Account, to: Account, cents: Cents) -> [(Account, Balance); 2] {
    let cents = Balance::from(cents);
    [(from, -cents), (to, cents)]
}

/// The clauses of an event in order, without repetition.
#[must_use]
pub fn cites(clauses: &[Option<Clause>]) -> Clauses {
    let mut cited = Clauses::new();
    cite(&mut cited, clauses);
    cited
}

fn cite(cited: &mut Clauses, clauses: &[Option<Clause>]) {
    for clause in clauses.iter().flatten() {
        clause.cite_in(cited);
    }
}

impl Event {
    /// An event that rests on no clause and moves no chips.
    pub(crate) const fn of(at: Time, fact: Fact) -> Self {
        Self { at, fact, clauses: Clauses::new_const(), postings: Postings::new_const() }
    }

    /// Cites these clauses in this order, without repetition.
    pub(crate) fn cite(&mut self, clauses: &[Option<Clause>]) {
        cite(&mut self.clauses, clauses);
    }

    /// Moves these sums. A sum of zero is left out.
    pub(crate) fn post(&mut self, moved: impl IntoIterator<Item = (Account, Balance)>) {
        for (account, cents) in moved {
            if cents != Balance::ZERO {
                self.postings.push(Leg { account, cents });
            }
        }
    }
}
