//! How far a shoe is prepared, and how far it is dealt.

use alloc::vec::Vec;

use rules::Composition;
use serde::{Deserialize, Serialize};

use crate::event::{CutBy, PlayerId};

/// How far the shoe is prepared, and how far it is dealt.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shoe {
    /// The cards that have not been seen to leave the shoe.
    pub left: Composition,
    /// The number of the shoe.
    pub number: u32,
    /// Everybody who must check the cards has done so.
    pub checked: bool,
    /// Who has checked the cards so far: dealer, supervisor, device.
    pub checked_by: [bool; 3],
    /// New cards are among the old, and must still be checked.
    pub replaced: bool,
    /// The cards were spread by suit.
    pub spread: bool,
    /// Players had the chance to look at the checked cards.
    pub looked_over: bool,
    /// The cards were washed, stacked and riffled, where the book requires it.
    pub mixed: bool,
    /// The cards were shuffled, or came pre-shuffled.
    pub shuffled: bool,
    /// The cards came pre-shuffled.
    pub pre_shuffled: bool,
    /// A player asked for a riffle.
    pub riffle_asked: bool,
    /// A supervisor approved the riffle.
    pub riffle_approved: bool,
    /// The person who was offered the cut.
    pub offered: Option<CutBy>,
    /// The players who declined the cut.
    pub declined: Vec<PlayerId>,
    /// The cards were cut.
    pub cut: bool,
    /// The place of the last cutter.
    pub last_cutter: Option<u32>,
    /// The cutting card was placed.
    pub marked: bool,
    /// Cards were burnt, or the burn was missed.
    pub burned: bool,
    /// The number of cards that are missing from the burn.
    pub burn_short: u32,
    /// The number of coups begun from this shoe.
    pub coups: u32,
    /// A player has handled cards.
    pub handled: bool,
    /// Whether the cutting card came out before a round's first card; nothing while it is in the
    /// shoe.
    pub cutting_card: Option<bool>,
    /// The cutting card was seen in the shoe.
    pub marker_seen: bool,
    /// A card behind the cutting card is out.
    pub behind_out: bool,
    /// How many more coups may be dealt, if that is limited.
    pub coups_left: Option<u32>,
    /// The tied coup that brought the extra round.
    pub tie_round: Option<u32>,
}

impl Shoe {
    /// A shoe of so many decks that is not prepared yet.
    pub(crate) fn new(decks: u16, number: u32, last_cutter: Option<u32>) -> Self {
        Self {
            left: Composition::of_decks(decks),
            number,
            checked: false,
            checked_by: [false; 3],
            replaced: false,
            spread: false,
            looked_over: false,
            mixed: false,
            shuffled: false,
            pre_shuffled: false,
            riffle_asked: false,
            riffle_approved: false,
            offered: None,
            declined: Vec::new(),
            cut: false,
            last_cutter,
            marked: false,
            burned: false,
            burn_short: 0,
            coups: 0,
            handled: false,
            cutting_card: None,
            marker_seen: false,
            behind_out: false,
            coups_left: None,
            tie_round: None,
        }
    }
}
