//! What can be said to a table.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use arrayvec::ArrayString;
use rules::book::Exposure;
use rules::value::Layout;
use rules::{Card, Cents, Group, Method, PairsKind, Side, Spot};
use serde::{Deserialize, Serialize};

use crate::by::By;

/// A moment, in microseconds; where it is counted from is the caller's affair.
pub type Time = u64;

/// The name of a player at the table: at most 96 bytes, so that a log takes it as an actor's.
pub type Name = ArrayString<96>;

/// Something that somebody did or wants, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// When. A time before the last one counts as the last one.
    pub at: Time,
    /// Who says so, and in which role.
    pub by: By,
    /// What.
    pub act: Act,
}

impl Command {
    /// An act of whoever does such a thing as a rule.
    #[must_use]
    pub fn new(at: Time, act: Act) -> Self {
        Self { at, by: By::usual(&act), act }
    }
}

/// What the operator chooses when a table opens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// How winning Banker wagers are paid.
    pub method: Method,
    /// Which Pairs are offered, if any.
    pub pairs: Option<PairsKind>,
    /// Whether the Dragon Bonus is offered.
    pub dragon: bool,
    /// Decks in the shoe; without, eight or what the book has.
    pub decks: Option<u32>,
    /// Places; without, seven.
    pub seats: Option<u32>,
    /// Whether cards are dealt face down.
    pub face_down: bool,
    /// The form of table; without, the book's first.
    pub layout: Option<Layout>,
    /// Cutting cards in use; without, as many as the book has at the least.
    pub cutting_cards: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Commission,
            pairs: None,
            dragon: false,
            decks: None,
            seats: None,
            face_down: false,
            layout: None,
            cutting_cards: None,
        }
    }
}

/// What a table was opened with: the operator's choices, and what they left open filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// How winning Banker wagers are paid.
    pub method: Method,
    /// Which Pairs are offered, if any.
    pub pairs: Option<PairsKind>,
    /// Whether the Dragon Bonus is offered.
    pub dragon: bool,
    /// Decks in the shoe.
    pub decks: u32,
    /// Places.
    pub seats: u32,
    /// Whether cards are dealt face down.
    pub face_down: bool,
    /// The form of table.
    pub layout: Layout,
    /// Cutting cards in use.
    pub cutting_cards: u32,
}

impl Default for Settings {
    /// As a table usually is; what its book says replaces them when it opens.
    fn default() -> Self {
        Self {
            method: Method::Commission,
            pairs: None,
            dragon: false,
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
    /// The least.
    pub least: Cents,
    /// The most.
    pub most: Cents,
    /// The multiple, if there is one.
    pub step: Option<Cents>,
}

/// One line of the sign at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SignLine {
    /// Limits of a group.
    Limits(Group, Limits),
    /// The largest difference of Banker and Player wagers.
    Differential(Cents),
    /// The largest total on one hand.
    Liability(Cents),
    /// The denominations of the chips.
    Chips(Vec<Cents>),
    /// How many players may wager on one area.
    Sharing(u32),
    /// What lies on one area is held to the table maximum: all of it, or what this player and
    /// others so named have there together.
    CapAreas(Option<Box<Name>>),
    /// It is not any more.
    LiftCap,
    /// The cap on the differential or the liability is gone.
    Lift(Exposure),
    /// Which Pairs are offered, if any.
    Pairs(Option<PairsKind>),
    /// Whether the Dragon Bonus is offered.
    Dragon(bool),
    /// Whether cards are dealt face down.
    FaceDown(bool),
    /// How winning Banker wagers are paid.
    Method(Method),
    /// The table closes.
    Closing,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Time has passed.
    Tick,
    /// The operator opens the table.
    Open(Options),
    /// The operator puts something on the sign.
    Post(SignLine),
    /// The operator announces a change, to be in force after so many microseconds.
    GiveNotice(SignLine, Option<Time>),
    /// All players consent to what is posted or announced next.
    PlayersConsent,
    /// The operator gives a player limits of their own.
    Allow(Name, Group, Limits),
    /// The operator or a supervisor cancels the coup.
    VoidCoup(String),
    /// The operator cancels the coup of that number, this one or an earlier one.
    VoidNumbered(u32, String),
    /// The operator invalidates the outcome after a disturbance.
    Invalidate(String),
    /// The operator declares a player's wagers void: those of a coup, or else the latest.
    VoidWagers(Name, Option<u32>, String),
    /// The operator excludes a player.
    Exclude(Name, String),
    /// The operator asks for a seat.
    RequireSeat(u32),
    /// The operator has the cards replaced.
    ReplaceCards,
    /// The operator closes the table.
    Close,
    /// The operator gives a copy of the rules to whoever asked.
    GiveRules,
    /// The operator decides the dispute over a coup.
    DecideDispute(u32, String),
    /// The regulator, who was asked to, reviews what the operator decided over a coup.
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
    /// The cutting card shows in the shoe, not drawn.
    CuttingCardShows,
    /// No card is left.
    ShoeRunsOut,
    /// Check, shuffle, cut, cutting card and burn, all lawful and in order.
    FreshShoe,
}

/// What a player does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Takes a seat with so many chips.
    Sit(u32, Cents),
    /// Stands behind a seat with so many chips.
    StandBehind(u32, Cents),
    /// Places chips.
    Bet(Bet),
    /// Says a wager.
    Call {
        /// Where.
        spot: Spot,
        /// How much.
        amount: Cents,
        /// Whether chips came with it in time.
        with_chips: bool,
    },
    /// Offers a bet to another player.
    BetAgainst(Name, Cents),
    /// Takes a wager back.
    TakeBack(Spot),
    /// Moves chips from one spot to another.
    Move(Cents, Spot, Spot),
    /// Gives up the first claim on the Dragon Bonus area.
    WaiveDragon,
    /// Asks for a coup without wagers.
    AskNoBet,
    /// Agrees to it.
    Agree,
    /// Does not.
    Object,
    /// Asks that cards be dealt face down.
    AskFaceDown,
    /// Asks that pre-shuffled cards be riffled.
    AskRiffle,
    /// Looks the cards over.
    Inspect,
    /// Cuts so many cards deep.
    Cut(u32),
    /// Does not want to cut.
    DeclineCut,
    /// Does not want to turn the cards.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bet {
    /// Where.
    pub spot: Spot,
    /// How much.
    pub amount: Cents,
    /// At which place; without, the player's own.
    pub place: Option<u32>,
    /// Staff overlook it until the result.
    pub unnoticed: bool,
    /// It was accepted against a rule.
    pub in_error: bool,
}

/// Who or what checks the cards.
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

/// What the dealer does, or is done with the dealer's cards.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Puts the cutting card in, so many cards from the back.
    PlaceCuttingCard(u32),
    /// Burns a card that is shown.
    Burn(Card),
    /// Burns a card unseen.
    BurnUnseen,
    /// Burns a card and so many more, whatever the book wants.
    BurnCounted {
        /// The first card, if it was shown.
        card: Option<Card>,
        /// How many went with it.
        further: u32,
    },
    /// Burns cards that are still missing from the burn.
    BurnMore(u32),
    /// Does not burn.
    SkipBurn,
    /// Calls no more bets.
    NoMoreBets,
    /// Reduces the wagers on a hand pro rata.
    Reduce(Side),
    /// Lets the wagers of this round stand, though they pass a cap.
    LetStand,
    /// Deals the first four cards.
    Deal([Option<Card>; 4]),
    /// Draws a card to a hand.
    Draw {
        /// Which, if it was seen.
        card: Option<Card>,
        /// To which hand.
        to: Side,
        /// Whether it lies face down.
        face_down: bool,
    },
    /// Draws a card that belongs to no hand.
    DrawExcess {
        /// Which, if it was seen.
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

/// What a supervisor decides.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Cuts so many cards deep.
    Cut(u32),
    /// Cards out of sequence are put right: by the order in which they were taken down, or by this
    /// one, in which they left the shoe.
    Reconstruct(Vec<Card>),
    /// They cannot be.
    CannotReconstruct,
    /// Players may change their wagers while no card is exposed.
    PermitChanges,
    /// Management is told that cards are to be dealt face down.
    InformManagement,
    /// Surveillance is told that cards are to be dealt face down.
    InformSurveillance,
    /// A decision where no clause speaks.
    Decide(String),
    /// An error of card placement was found in an earlier coup.
    FindError(u32),
    /// A suspended coup goes on.
    Resume,
}
