//! Refusals of commands.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

use rules::Clause;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! codes {
    ($( $variant:ident $key:literal $about:literal, )+) => {
        /// The kind of refusal. The words are stable and never get another meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $( #[doc = $about] $variant, )+ }

        impl Code {
            /// Every code, in the order of the reference.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable word.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$variant => $key),+ }
            }

            /// What it means.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$variant => $about),+ }
            }
        }
    };
}

codes! {
    NotOpen "not-open" "The table is not open",
    Closed "closed" "The table is closed",
    BadOption "bad-option" "An option that the book does not have or does not allow",
    WrongMoment "wrong-moment" "The act does not belong here now",
    NotTheirs "not-theirs" "Somebody else's to do",
    Suspended "suspended" "The coup waits for a decision",
    UnknownPlayer "unknown-player" "Nobody of that name is at the table",
    NameTaken "name-taken" "Somebody of that name is at the table",
    Excluded "excluded" "The player is excluded",
    NoSuchSeat "no-such-seat" "The table has no such place",
    SeatTaken "seat-taken" "The place is taken, or full",
    SeatNotRequired "seat-not-required" "The seat cannot be asked for",
    NoAmount "no-amount" "An amount of nothing",
    NotEnoughChips "not-enough-chips" "More than the player has",
    BettingClosed "betting-closed" "Wagers are closed",
    NoBetCoup "no-bet-coup" "The coup is without wagers",
    NotOffered "not-offered" "This wager is not offered",
    ChipsOnly "chips-only" "Wagers are made with chips",
    PrivateBet "private-bet" "Players may not bet against each other",
    OneBox "one-box" "A player wagers on one box",
    AreaFull "area-full" "The area has as many players as it takes",
    OneWager "one-wager" "A player has one wager on each option",
    BothSides "both-sides" "Banker and Player together",
    NeedsMain "needs-main" "Only beside a wager on Banker, Player or Tie",
    NotAMultiple "not-a-multiple" "Not a multiple of the step",
    UnderMinimum "under-minimum" "Below the minimum",
    OverMaximum "over-maximum" "Above the maximum",
    NotPayable "not-payable" "A win could not be paid exactly",
    AreaCap "area-cap" "More than may lie on an area",
    Entitlement "entitlement" "Another player comes first",
    NoSuchWager "no-such-wager" "There is no such wager",
    Frozen "frozen" "Wagers may not be touched now",
    NoticeNeeded "notice-needed" "The change needs notice or consent",
    BadLimits "bad-limits" "Limits that cannot be",
    NotInTheBook "not-in-the-book" "The book does not know this",
    ImpossibleCard "impossible-card" "A card that cannot be there",
    WrongCard "wrong-card" "Another card must come first",
    NotPrepared "not-prepared" "A step of preparing the shoe is missing",
    NotTheirCut "not-their-cut" "The cut is another's",
    BadCut "bad-cut" "The cut or the cutting card is in the wrong place",
    WrongBurn "wrong-burn" "The book burns otherwise",
    WrongHands "wrong-hands" "The cards are not this person's to turn",
    NoWagers "no-wagers" "A coup needs a wager",
    NotAgreed "not-agreed" "Not all conditions of a no-bet coup are met",
    TooMany "too-many" "More of them than may be",
    NothingToDecide "nothing-to-decide" "There is nothing to decide",
    NoSuchCoup "no-such-coup" "There is no such coup, or it does not stand",
    NoTournament "no-tournament" "The book has no tournaments",
    BadConditions "bad-conditions" "Conditions that lack something or contradict a rule",
    ConditionsFixed "conditions-fixed" "The conditions do not change any more",
    NotYet "not-yet" "Something else must be done first",
    OneEntry "one-entry" "A player enters once",
    NotAnEntrant "not-an-entrant" "Nobody of that name is in the tournament",
    NotEligible "not-eligible" "The player cannot be that or do that in the tournament",
    TooFew "too-few" "Fewer players than the conditions have",
    BadBallot "bad-ballot" "The draw is not the one that was committed to",
    ByBallot "by-ballot" "Places are drawn by lot",
    WhichTable "which-table" "No such table is in play, or it was not said which",
    KeepsPlace "keeps-place" "A player keeps to the place and the chips of the session",
    NotTheirTurn "not-their-turn" "Wagers are made in turn",
    Fixed "fixed" "A wager that was made in turn stands",
    MustWager "must-wager" "Every player wagers at least the minimum",
    TimeIsUp "time-is-up" "The time to wager has run out",
    OnBreak "on-break" "Play is interrupted",
    NoSecretWager "no-secret-wager" "The player has no secret wager left or none handed in",
    BadForm "bad-form" "The form is not the one that was handed in",
    FormsWait "forms-wait" "Secret wagers wait to be examined or opened",
    NotCertain "not-certain" "The winners are not certain yet",
    NoPlayOff "no-play-off" "There is no play-off of that kind now",
    SecondPerson "second-person" "A second person must confirm it",
    RunsTheTable "runs-the-table" "Who runs a table does not play at it",
    NoSign "no-sign" "The limits are not on the sign",
    KeyReused "key-reused" "The key was used for something else",
    OwnLimit "own-limit" "A limit that the player set, or a pause",
    NotEnoughMoney "not-enough-money" "More than the account holds",
    Unsayable "unsayable" "A name or a text that cannot be recorded",
}

impl Code {
    /// Those with which a floor refuses, not a book: no transcript reaches them.
    pub const OF_THE_FLOOR: &'static [Self] = &[
        Self::SecondPerson,
        Self::RunsTheTable,
        Self::NoSign,
        Self::KeyReused,
        Self::OwnLimit,
        Self::NotEnoughMoney,
        Self::Unsayable,
    ];
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        let code = Self::ALL.iter().copied().find(|code| code.key() == key);
        code.ok_or_else(|| serde::de::Error::custom("a refusal that is not known"))
    }
}

/// The reference of the codes, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut text = String::from(
        "# Refusals\n\nMade by `sabot judge --refusals`. A refusal has a stable code, the clause \
         it rests on where one speaks,\nwhat is wrong with what was asked, and what would be \
         accepted instead.\n\n| code | meaning |\n|---|---|\n",
    );
    for code in Code::ALL {
        text += &alloc::format!("| `{}` | {} |\n", code.key(), code.about());
    }
    text
}

/// Why a command was refused: the code, the clause, what was asked, and what would be accepted.
///
/// A refusal is boxed: every check may return one, and a check that passes should cost nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Refusal(Box<Refused>);

/// The content of a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The kind of refusal.
    pub code: Code,
    /// The clause it rests on; none where the sign or the moment decides.
    pub clause: Option<Clause>,
    /// Further clauses, where several things are wrong at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Clause>,
    /// What is wrong with what was asked.
    pub what: String,
    /// What would be accepted instead.
    pub instead: String,
}

impl Refusal {
    /// A refusal that rests on one clause, or on none.
    #[cold]
    pub fn new(
        code: Code,
        clause: Option<Clause>,
        what: impl Into<String>,
        instead: impl Into<String>,
    ) -> Self {
        let (what, instead) = (what.into(), instead.into());
        Self(Box::new(Refused { code, clause, also: Vec::new(), what, instead }))
    }

    /// The same refusal, resting on further clauses too.
    #[must_use]
    pub fn and(mut self, also: impl IntoIterator<Item = Clause>) -> Self {
        self.also.extend(also);
        self
    }
}

impl Deref for Refusal {
    type Target = Refused;

    fn deref(&self) -> &Refused {
        &self.0
    }
}

impl DerefMut for Refusal {
    fn deref_mut(&mut self) -> &mut Refused {
        &mut self.0
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        if let Some(clause) = self.clause {
            write!(f, " [{clause}]")?;
        }
        write!(f, "; {}", self.instead)
    }
}

/// A refusal, ready to be returned.
///
/// # Errors
///
/// Always.
#[cold]
pub fn no<T>(
    code: Code,
    clause: Option<Clause>,
    what: impl Into<String>,
    instead: impl Into<String>,
) -> Result<T, Refusal> {
    Err(Refusal::new(code, clause, what, instead))
}
