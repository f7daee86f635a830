//! What happened at a table, with the clauses it rests on and the chips it moved.

use alloc::boxed::Box;
use alloc::string::String;

use arrayvec::ArrayVec;
use rules::book::Cutter;
use rules::{Balance, BookId, Card, Cents, Clause, Clauses, Outcome, Side, Spot, Verdict};
use serde::{Deserialize, Serialize};

use crate::command::{Checker, Name, Settings, SignLine, Time};
use rules::Group;

/// A player, by the order of arrival at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlayerId(pub u16);

/// Where chips can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Account {
    /// Outside the table: where players bring chips from and take them to.
    Outside,
    /// The house's bank at the table.
    Float,
    /// Wagers.
    Layout,
    /// Commission that was withheld.
    Commission,
    /// In front of a player.
    Stack(PlayerId),
    /// What a player owes after a void.
    Receivable(PlayerId),
}

/// A sum that came to an account, or left it. Packed, as every event has room for four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(Rust, packed(4))]
pub struct Leg {
    /// Which account.
    pub account: Account,
    /// How many cents came, less than zero if they left.
    pub cents: Balance,
}

/// Entries that sum to zero.
pub type Postings = ArrayVec<Leg, 4>;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When.
    pub at: Time,
    /// What.
    pub fact: Fact,
    /// By which clauses; none where staff decided.
    pub clauses: Clauses,
    /// Which chips moved.
    pub postings: Postings,
}

/// Who cuts when no player does.
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
    /// Nobody is at the table.
    NobodyThere,
    /// It starts with a card that was seen.
    SeenCard,
    /// All wagers were taken off.
    AllOff,
}

/// Why a coup waits.
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
    /// The table is to close.
    Closing,
    /// The sign is to change.
    Change,
}

/// Why chips went back to a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReturnWhy {
    /// More than the maximum.
    OverMaximum,
    /// Below the minimum, again.
    UnderMinimum,
    /// The differential or the liability.
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
    /// The player took it back.
    TakenBack,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// The table opened under a book.
    Opened(Box<Opened>),
    /// A rule of the book that the table keeps from now on was put into effect.
    Kept(Keeping),
    /// Time passed.
    Ticked,
    /// Something is on the sign.
    Posted(SignLine),
    /// The sign has a word on it that the book wants there.
    Sign(String),
    /// A change was announced.
    NoticeGiven {
        /// What, in a box: few events are as long.
        posting: Box<SignLine>,
        /// In force from this time, or from a later round.
        from: Option<Time>,
    },
    /// An announced change came into force.
    TookEffect(SignLine),
    /// All players consented.
    Consented,
    /// A player has limits of their own.
    PersonalLimits {
        /// Who.
        player: PlayerId,
        /// For what.
        group: Group,
        /// A minimum of their own, where the book lets them have one.
        least: Option<Cents>,
        /// The maximum.
        most: Cents,
    },
    /// A player came.
    Arrived {
        /// Who.
        player: PlayerId,
        /// The name, in a box: few events are as long.
        name: Box<Name>,
        /// The place.
        seat: u32,
        /// Standing behind it.
        standing: bool,
        /// With so much.
        chips: Cents,
    },
    /// A player left with all chips.
    Left(PlayerId),
    /// A player was excluded.
    Excluded(PlayerId, String),
    /// A seat was asked for.
    SeatRequired(PlayerId),
    /// The table has nobody at it.
    Vacated,
    /// A player asked that pre-shuffled cards be riffled.
    RiffleAsked(PlayerId),
    /// A supervisor approved of it.
    RiffleApproved,
    /// Somebody checked the cards; more than one may have to.
    CheckedBy(Checker),
    /// A step of preparing the shoe was done.
    Prepared(Step),
    /// The cut was offered.
    CutOffered(CutBy),
    /// It was declined.
    CutDeclined(PlayerId),
    /// The cards were cut.
    Cut {
        /// By whom.
        by: CutBy,
        /// How deep.
        depth: u32,
    },
    /// The cutting card is in place.
    CuttingCardPlaced(u32),
    /// Cards were burnt.
    Burned {
        /// The card shown.
        shown: Option<Card>,
        /// How many went with it.
        further: u32,
    },
    /// Fewer cards were burnt than the book wants.
    BurnShort {
        /// So many are missing.
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
    /// A wager lies.
    Placed {
        /// Whose.
        player: PlayerId,
        /// Where.
        spot: Spot,
        /// At which place.
        place: u32,
        /// How much was added.
        amount: Cents,
        /// Staff do not know of a fault in it yet.
        unnoticed: bool,
    },
    /// Chips went back.
    Returned {
        /// To whom.
        player: PlayerId,
        /// From where.
        spot: Spot,
        /// At which place.
        place: u32,
        /// How much.
        amount: Cents,
        /// Why.
        why: ReturnWhy,
    },
    /// Wagers changed place.
    Moved {
        /// Whose.
        player: PlayerId,
        /// From where.
        from: Spot,
        /// To where.
        to: Spot,
        /// At which place.
        place: u32,
        /// How much.
        amount: Cents,
    },
    /// The dealer lets wagers stand that pass a cap.
    LetStand,
    /// A player gave up the first claim on the Dragon Bonus area.
    DragonWaived(PlayerId),
    /// A player was told something.
    Advised(PlayerId, Advice),
    /// A player may wager on both sides.
    BothSidesApproved(PlayerId),
    /// A player asked for a coup without wagers.
    NoBetAsked(PlayerId),
    /// A player agreed, or did not.
    NoBetAnswered(PlayerId, bool),
    /// The coming coup is without wagers.
    NoBetDirected(NoBetWhy),
    /// So many coups may be dealt without a wager.
    OptionalCoups(u32),
    /// Players asked for cards face down.
    FaceDownAsked(PlayerId),
    /// Management knows.
    ManagementInformed,
    /// Surveillance knows.
    SurveillanceInformed,
    /// The dealer said something.
    Called(String),
    /// Wagers are open.
    BetsOpened,
    /// Wagers are closed.
    BetsClosed,
    /// A coup began.
    CoupBegan {
        /// Its number.
        number: u32,
        /// Whether it is without wagers.
        no_bet: Option<NoBetWhy>,
        /// Whether it is the last of the shoe.
        last: bool,
    },
    /// A card went to a hand.
    Dealt {
        /// To which.
        side: Side,
        /// Which, if it is known.
        card: Option<Card>,
        /// Face up.
        shown: bool,
    },
    /// A hand was given to a player to turn.
    Passed(Side, PlayerId),
    /// A player did not want it.
    CardsRefused(Side, PlayerId),
    /// A card that lay face down was turned.
    Turned {
        /// Which of the coup.
        index: u8,
        /// What it is.
        card: Card,
    },
    /// The totals stand so.
    Totals {
        /// Player's.
        player: u8,
        /// Banker's.
        banker: u8,
    },
    /// Which pairs the first two cards of each hand make.
    PairsJudged {
        /// Player's hand has one.
        player: bool,
        /// Banker's hand has one.
        banker: bool,
    },
    /// A natural ends the drawing.
    Natural,
    /// A hand that was drawn to has three cards already.
    ThreeAlready(Side),
    /// A hand takes no third card.
    Stands(Side),
    /// A card was not due to Player and is Banker's.
    GivenToBanker(Option<Card>),
    /// Cards came out of sequence.
    OutOfSequence(Side),
    /// They were put right by the order of leaving the shoe.
    Reconstructed,
    /// The cards of a coup that was reopened, in the order in which they left the shoe: where each
    /// was before, and its hand. What is not named belongs to neither hand.
    Rearranged(ArrayVec<(u8, Side), 6>),
    /// A third card that lay at the wrong hand went to the other.
    ThirdMoved(Side),
    /// The coup waits.
    Suspended(SuspendedWhy),
    /// It goes on.
    Resumed,
    /// A card is in excess.
    Excess {
        /// Which, if it was seen.
        card: Option<Card>,
    },
    /// A card in excess is not used.
    ExcessNotUsed(Option<Card>),
    /// A card lies face up in the shoe.
    FoundFaceUp(Card),
    /// The coup ended so.
    Result(Outcome),
    /// A wager was settled.
    Settled {
        /// Whose.
        player: PlayerId,
        /// Where.
        spot: Spot,
        /// At which place.
        place: u32,
        /// The stake at risk.
        stake: Cents,
        /// How.
        verdict: Verdict,
    },
    /// A wager neither won nor lost, and lies for the next coup.
    Lies {
        /// Whose.
        player: PlayerId,
        /// Where.
        spot: Spot,
        /// At which place.
        place: u32,
        /// How much.
        stake: Cents,
    },
    /// An error of card placement was found in the coup that was settled last.
    ErrorFound {
        /// Which.
        number: u32,
    },
    /// A coup that was settled is judged again.
    Reopened {
        /// Which.
        number: u32,
    },
    /// A wager of a coup that was reopened lies as it did.
    Relaid {
        /// Whose.
        player: PlayerId,
        /// Where.
        spot: Spot,
        /// At which place.
        place: u32,
        /// How much.
        stake: Cents,
    },
    /// The coup is over, its cards in the rack.
    CoupEnded {
        /// Its number.
        number: u32,
        /// How it ended; nothing if it is void.
        outcome: Option<Outcome>,
        /// Whether each hand had a pair: Player's, Banker's.
        pairs: (bool, bool),
        /// Whether there was a natural.
        natural: bool,
    },
    /// A coup is void.
    Voided {
        /// Which.
        number: u32,
        /// Why.
        why: String,
    },
    /// What a void took back from or gave to a player.
    Reversed {
        /// Whose.
        player: PlayerId,
        /// The coup.
        number: u32,
    },
    /// The cutting card came out.
    CuttingCardOut {
        /// Before a round's first card.
        first: bool,
    },
    /// So many coups may still be dealt from this shoe, the current one counted.
    CoupsLeft(u32),
    /// The last round tied, and one more is dealt.
    OneMoreRound,
    /// That round falls away: the tie is void.
    NoMoreRound,
    /// The cutting card was seen in the shoe.
    CuttingCardSeen,
    /// A coup was disputed.
    Disputed(PlayerId, u32),
    /// The operator decided the dispute over a coup.
    DisputeDecided {
        /// Which coup.
        number: u32,
        /// What was decided.
        decision: String,
    },
    /// The regulator reviewed that decision.
    DisputeReviewed {
        /// Over which coup.
        number: u32,
        /// What came of it.
        decision: String,
    },
    /// Staff decided.
    Decided(String),
    /// Chips came to a player or went by a rule of the tournament.
    Adjusted {
        /// Whose.
        player: PlayerId,
        /// How many cents came, less than zero if they went.
        cents: Balance,
    },
    /// A player asked for a copy of the rules.
    RulesAsked(PlayerId),
    /// A copy of the rules was given.
    RulesGiven,
    /// The inspector left the table.
    InspectorLeft,
    /// The inspector is back.
    InspectorBack,
    /// The table closed.
    Closed,
    /// A tournament's player is away from the seat: the cut is offered to nobody who is away.
    Away(PlayerId),
    /// The player is back in the seat.
    Back(PlayerId),
    /// A tournament's player who left is in the seat again: the coup that put the player out is
    /// void.
    InAgain(PlayerId),
    /// A tournament's table that closed is open again: a session that seemed over goes on.
    OpenedAgain,
    /// A wager was keyed wrongly.
    WagerCorrected {
        /// Whose.
        player: PlayerId,
        /// Where.
        spot: Spot,
        /// At which place.
        place: u32,
        /// What was keyed, nothing if no wager was.
        from: Cents,
        /// What lies there, nothing if no wager does.
        to: Cents,
    },
    /// A card of the coup was keyed wrongly.
    CardCorrected {
        /// Which of the coup.
        index: u8,
        /// What it is.
        card: Card,
    },
    /// A player's seat was keyed wrongly.
    SeatCorrected {
        /// Whose.
        player: PlayerId,
        /// Which it is.
        seat: u32,
    },
}

/// A table that opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The book.
    pub book: BookId,
    /// Its base.
    pub base: Option<BookId>,
    /// The operator's choices, filled in.
    pub options: Settings,
}

/// A step of preparing a shoe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Cards checked.
    Checked,
    /// Spread by suit.
    Spread,
    /// Looked over by a player.
    Inspected,
    /// Washed.
    Washed,
    /// Stacked.
    Stacked,
    /// Riffled.
    Riffled,
    /// Shuffled.
    Shuffled,
    /// Pre-shuffled cards came in.
    PreShuffled,
    /// Checked after gaming.
    CheckedAfter,
    /// Spread after gaming.
    SpreadAfter,
}

/// A rule of the book that holds at the table from its opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keeping {
    /// Decks and cutting cards.
    Cards,
    /// The bank is the house's.
    Bank,
    /// An inspector is there.
    Inspector,
    /// The method of settlement.
    Method,
    /// The Pairs.
    Pairs,
    /// Where they are made and what the sign says of them.
    PairsAreas,
    /// The best kind of pair only.
    BestPair,
    /// The Dragon Bonus.
    Dragon,
    /// Where it is made and what the sign says of it.
    DragonAreas,
    /// Cards face up or down.
    Face,
    /// The tableau can be read.
    Tableau,
}

impl Fact {
    /// The player whom it concerns, if it is one.
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
            | Self::DragonWaived(player)
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

/// What moves `cents` from one account to another.
pub(crate) fn transfer(from: Account, to: Account, cents: Cents) -> [(Account, Balance); 2] {
    let cents = Balance::from(cents);
    [(from, -cents), (to, cents)]
}

/// The clauses of an event, in order, each once.
#[must_use]
pub fn cites(clauses: &[Option<Clause>]) -> Clauses {
    let mut cited = Clauses::new();
    cite(&mut cited, clauses);
    cited
}

fn cite(cited: &mut Clauses, clauses: &[Option<Clause>]) {
    for clause in clauses.iter().flatten() {
        if !cited.contains(clause) && !cited.is_full() {
            cited.push(*clause);
        }
    }
}

impl Event {
    /// An event that rests on no clause and moves no chips.
    pub(crate) const fn of(at: Time, fact: Fact) -> Self {
        Self { at, fact, clauses: Clauses::new_const(), postings: Postings::new_const() }
    }

    /// It rests on these clauses, in this order, each once.
    pub(crate) fn cite(&mut self, clauses: &[Option<Clause>]) {
        cite(&mut self.clauses, clauses);
    }

    /// It moves these sums. A sum of nothing is no leg.
    pub(crate) fn post(&mut self, moved: impl IntoIterator<Item = (Account, Balance)>) {
        for (account, cents) in moved {
            if cents != Balance::ZERO {
                self.postings.push(Leg { account, cents });
            }
        }
    }
}
