//! The commands that a table takes.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use arrayvec::ArrayString;
use rules::book::Exposure;
use rules::value::Layout;
use rules::{Card, Cents, Group, Key, Method, Offer, Side, Spot, Terms};
use serde::{Deserialize, Serialize};

use crate::by::By;

/// A time in microseconds; the caller chooses its origin.
pub type Time = u64;

/// The name of a player at the table: at most 96 bytes, the limit for an actor's name in a log.
pub type Name = ArrayString<96>;

/// Something that somebody did or wants to do, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The time. A time before the last one counts as the last one.
    pub at: Time,
    /// The person who speaks, and the role.
    pub by: By,
    /// The act.
    pub act: Act,
}

impl Command {
    /// An act of the person who usually does such a thing.
    #[must_use]
    pub fn new(at: Time, act: Act) -> Self {
        Self { at, by: By::usual(&act), act }
    }
}

/// What the operator chooses when a table opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// How winning Banker wagers are paid, and which side bets are offered.
    #[serde(flatten)]
    pub terms: Terms,
    /// The number of decks in the shoe; if not given, eight or what the book has.
    pub decks: Option<u32>,
    /// The number of places; if not given, seven.
    pub seats: Option<u32>,
    /// Whether cards are dealt face down.
    pub face_down: bool,
    /// The form of table; if not given, the book's first.
    pub layout: Option<Layout>,
    /// The number of cutting cards in use; if not given, the fewest that the book allows.
    pub cutting_cards: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            terms: Terms::main(Method::commission()),
            decks: None,
            seats: None,
            face_down: false,
            layout: None,
            cutting_cards: None,
        }
    }
}

/// The settings of a table: the operator's choices, with the options that they left open filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// How winning Banker wagers are paid, and which side bets are offered.
    #[serde(flatten)]
    pub terms: Terms,
    /// The number of decks in the shoe.
    pub decks: u32,
    /// The number of places.
    pub seats: u32,
    /// Whether cards are dealt face down.
    pub face_down: bool,
    /// The form of table.
    pub layout: Layout,
    /// The number of cutting cards in use.
    pub cutting_cards: u32,
}

impl Default for Settings {
    /// The usual settings; those of the book replace them when the table opens.
    fn default() -> Self {
        Self {
            terms: Terms::main(Method::commission()),
            decks: 8,
            seats: 7,
            face_down: false,
            layout: Layout::Mini,
            cutting_cards: 1,
        }
    }
}

/// Minimum, maximum and step of a group of wagers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The minimum.
    pub least: Cents,
    /// The maximum.
    pub most: Cents,
    /// The step that wagers must be a multiple of, if there is one.
    pub step: Option<Cents>,
}

/// One line of the sign at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SignLine {
    /// The limits of a group of wagers.
    Limits(Group, Limits),
    /// The largest difference of Banker and Player wagers.
    Differential(Cents),
    /// The largest total on one hand.
    Liability(Cents),
    /// The denominations of the chips.
    Chips(Vec<Cents>),
    /// How many players may wager on one area.
    Sharing(u32),
    /// The wagers on one area may not exceed the table maximum together: either everybody's, or
    /// those of the players who are named in such lines.
    CapAreas(Option<Box<Name>>),
    /// The wagers on one area are no longer held to the table maximum.
    LiftCap,
    /// The cap on the differential or the liability is lifted.
    Lift(Exposure),
    /// Side bets are offered.
    Offer(Offer),
    /// Side bets of a group are offered no more.
    Withdraw(Key),
    /// Whether cards are dealt face down.
    FaceDown(bool),
    /// How winning Banker wagers are paid.
    Method(Method),
    /// The table closes.
    Closing,
}

/// An act at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Time passes.
    Tick,
    /// The operator opens the table.
    Open(Options),
    /// The operator puts a line on the sign.
    Post(SignLine),
    /// The operator announces a change, to take effect after so many microseconds.
    GiveNotice(SignLine, Option<Time>),
    /// All players consent to the next posting or announcement.
    PlayersConsent,
    /// The operator gives a player personal limits.
    Allow(Name, Group, Limits),
    /// The operator or a supervisor cancels the coup.
    VoidCoup(String),
    /// The operator cancels the coup with that number, the current one or an earlier one.
    VoidNumbered(u32, String),
    /// The operator invalidates the outcome after a disturbance.
    Invalidate(String),
    /// The operator declares a player's wagers void: those of a coup, or else the latest.
    VoidWagers(Name, Option<u32>, String),
    /// The operator excludes a player.
    Exclude(Name, String),
    /// The operator asks the player in a seat to give it up.
    RequireSeat(u32),
    /// The operator has the cards replaced.
    ReplaceCards,
    /// The operator closes the table.
    Close,
    /// The operator gives a copy of the rules to every player who asked.
    GiveRules,
    /// The operator decides the dispute over a coup.
    DecideDispute(u32, String),
    /// The regulator, at a player's request, reviews the operator's decision over a coup.
    ReviewDispute(u32, String),
    /// The inspector leaves the table.
    InspectorLeaves,
    /// The inspector is back.
    InspectorReturns,
    /// A player acts.
    Player(Name, Deed),
    /// The dealer acts.
    Dealer(Work),
    /// A supervisor, inspector or manager acts.
    Supervisor(Decision),
    /// The cutting card came out.
    CuttingCardAppears,
    /// The cutting card is visible in the shoe, but not drawn.
    CuttingCardShows,
    /// The shoe has no card left.
    ShoeRunsOut,
    /// A whole preparation: check, shuffle, cut, cutting card and burn, all lawful and in order.
    FreshShoe,
}

/// An act of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deed {
    /// Takes a seat with so many chips.
    Sit(u32, Cents),
    /// Stands behind a seat with so many chips.
    StandBehind(u32, Cents),
    /// Places chips on a spot.
    Bet(Bet),
    /// Announces a wager in words.
    Call {
        /// The spot.
        spot: Spot,
        /// The amount.
        amount: Cents,
        /// Whether the chips arrived in time.
        with_chips: bool,
    },
    /// Offers a bet to another player.
    BetAgainst(Name, Cents),
    /// Takes a wager back.
    TakeBack(Spot),
    /// Moves chips from the first spot to the second.
    Move(Cents, Spot, Spot),
    /// Gives up the first claim on the areas of side bets.
    Waive(Key),
    /// Asks for a coup without wagers.
    AskNoBet,
    /// Agrees to a coup without wagers.
    Agree,
    /// Objects to a coup without wagers.
    Object,
    /// Asks that cards be dealt face down.
    AskFaceDown,
    /// Asks that pre-shuffled cards be riffled.
    AskRiffle,
    /// Looks at the checked cards.
    Inspect,
    /// Cuts so many cards deep.
    Cut(u32),
    /// Declines to cut.
    DeclineCut,
    /// Declines to turn the cards.
    RefuseCards,
    /// Turns a hand's first two cards.
    Turn(Side, Option<[Card; 2]>),
    /// Turns a hand's third card.
    TurnThird(Side, Option<Card>),
    /// Disputes a coup.
    Dispute(u32),
    /// Asks for a copy of the rules.
    AskRules,
    /// Leaves with all chips.
    Leave,
}

/// Chips on a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bet {
    /// The spot.
    pub spot: Spot,
    /// The amount.
    pub amount: Cents,
    /// The place; if not given, the player's own.
    pub place: Option<u32>,
    /// Staff do not notice a fault in the bet until the result.
    #[serde(default)]
    pub unnoticed: bool,
    /// Staff accepted the bet in error, against a rule.
    #[serde(default)]
    pub in_error: bool,
}

/// The person or device that checks the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Checker {
    /// The dealer.
    Dealer,
    /// A supervisor.
    Supervisor,
    /// A device made for it.
    Device,
}

/// An act of the dealer, or one done with the dealer's cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// Checks the cards.
    Check(Checker),
    /// Shuffles.
    Shuffle,
    /// Riffles pre-shuffled cards.
    Riffle,
    /// Brings in pre-shuffled cards.
    PreShuffled,
    /// Offers the cut to a player.
    OfferCut(Name),
    /// Puts the cutting card in, with so many cards behind it.
    PlaceCuttingCard(u32),
    /// Burns a card that is shown.
    Burn(Card),
    /// Burns a card unseen.
    BurnUnseen,
    /// Burns a card and so many more, regardless of how many the book requires.
    BurnCounted {
        /// The first card, if it was shown.
        card: Option<Card>,
        /// How many further cards were burnt.
        further: u32,
    },
    /// Burns cards that were missing from the burn.
    BurnMore(u32),
    /// Omits the burn.
    SkipBurn,
    /// Calls no more bets.
    NoMoreBets,
    /// Reduces the wagers on a hand pro rata.
    Reduce(Side),
    /// Lets the wagers of this round stand, although they exceed a cap.
    LetStand,
    /// Deals the first four cards.
    Deal([Option<Card>; 4]),
    /// Draws a card to a hand.
    Draw {
        /// The card, if it was seen.
        card: Option<Card>,
        /// The hand that gets it.
        to: Side,
        /// Whether it lies face down.
        face_down: bool,
    },
    /// Draws a card that no hand is due.
    DrawExcess {
        /// The card, if it was seen.
        card: Option<Card>,
        /// Whether it lies face down.
        face_down: bool,
    },
    /// Finds a card face up in the shoe.
    FindFaceUp(Card),
    /// Passes a hand to a player to turn.
    Pass(Side, Name),
    /// Turns a hand's first two cards.
    Turn(Side, Option<[Card; 2]>),
    /// Turns a hand's third card.
    TurnThird(Side, Option<Card>),
}

/// A decision of a supervisor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// A player may wager on both sides.
    ApproveBothSides(Name),
    /// Five coups may be dealt without a wager.
    ApproveOptionalCoups,
    /// Pre-shuffled cards may be riffled, as a player asked.
    ApproveRiffle,
    /// The coming coup is without wagers.
    DirectNoBet,
    /// The cards are shuffled.
    DirectShuffle,
    /// The supervisor cuts so many cards deep.
    Cut(u32),
    /// Cards out of sequence are put right, by the given order in which they left the shoe; an
    /// empty list means the order in which they were recorded.
    Reconstruct(Vec<Card>),
    /// Cards out of sequence cannot be put right.
    CannotReconstruct,
    /// Players may change their wagers while no card is exposed.
    PermitChanges,
    /// Management is told that cards are to be dealt face down.
    InformManagement,
    /// Surveillance is told that cards are to be dealt face down.
    InformSurveillance,
    /// A decision on something that no clause settles.
    Decide(String),
    /// An error of card placement was found in the coup with that number.
    FindError(u32),
    /// A suspended coup continues.
    Resume,
}

impl Act {
    /// The cards that the act names.
    #[must_use]
    pub fn cards(&self) -> Vec<Card> {
        match self {
            Self::Dealer(work) => work.cards(),
            Self::Player(_, Deed::Turn(_, cards)) => cards.iter().flatten().copied().collect(),
            Self::Player(_, Deed::TurnThird(_, card)) => card.iter().copied().collect(),
            Self::Player(..)
            | Self::Tick
            | Self::Open(_)
            | Self::Post(_)
            | Self::GiveNotice(..)
            | Self::PlayersConsent
            | Self::Allow(..)
            | Self::VoidCoup(_)
            | Self::VoidNumbered(..)
            | Self::Invalidate(_)
            | Self::VoidWagers(..)
            | Self::Exclude(..)
            | Self::RequireSeat(_)
            | Self::ReplaceCards
            | Self::Close
            | Self::GiveRules
            | Self::DecideDispute(..)
            | Self::ReviewDispute(..)
            | Self::InspectorLeaves
            | Self::InspectorReturns
            | Self::Supervisor(_)
            | Self::CuttingCardAppears
            | Self::CuttingCardShows
            | Self::ShoeRunsOut
            | Self::FreshShoe => Vec::new(),
        }
    }
}

impl Work {
    /// The cards that the work names.
    #[must_use]
    pub fn cards(&self) -> Vec<Card> {
        match self {
            Self::Deal(cards) => cards.iter().copied().flatten().collect(),
            Self::Burn(card) | Self::FindFaceUp(card) => alloc::vec![*card],
            Self::Turn(_, cards) => cards.iter().flatten().copied().collect(),
            Self::BurnCounted { card, .. } => card.iter().copied().collect(),
            Self::Draw { card, .. } | Self::DrawExcess { card, .. } | Self::TurnThird(_, card) => {
                card.iter().copied().collect()
            }
            Self::Check(_)
            | Self::Shuffle
            | Self::Riffle
            | Self::PreShuffled
            | Self::OfferCut(_)
            | Self::PlaceCuttingCard(_)
            | Self::BurnUnseen
            | Self::BurnMore(_)
            | Self::SkipBurn
            | Self::NoMoreBets
            | Self::Reduce(_)
            | Self::LetStand
            | Self::Pass(..) => Vec::new(),
        }
    }
}
