//! How far a shoe is prepared, and how far it is dealt.

use alloc::vec::Vec;

use rules::Composition;
use serde::{Deserialize, Serialize};

use crate::event::{CutBy, PlayerId};

/// How far the shoe is prepared, and how far it is dealt.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shoe {
    /// Cards not yet seen to leave it.
    pub left: Composition,
    /// The shoes so far.
    pub number: u32,
    /// Checked by all who must.
    pub checked: bool,
    /// By whom so far: dealer, supervisor, device.
    pub checked_by: [bool; 3],
    /// New cards came in among the old and wait for their check.
    pub replaced: bool,
    /// Spread by suit.
    pub spread: bool,
    /// Players had the chance to look the checked cards over.
    pub looked_over: bool,
    /// Washed, stacked and riffled, where the book wants it.
    pub mixed: bool,
    /// Shuffled, or pre-shuffled.
    pub shuffled: bool,
    /// Pre-shuffled cards.
    pub pre_shuffled: bool,
    /// A player asked for a riffle.
    pub riffle_asked: bool,
    /// A supervisor approved of it.
    pub riffle_approved: bool,
    /// Who was offered the cut.
    pub offered: Option<CutBy>,
    /// Who declined it.
    pub declined: Vec<PlayerId>,
    /// Cut.
    pub cut: bool,
    /// The place of the last cutter.
    pub last_cutter: Option<u32>,
    /// The cutting card is in.
    pub marked: bool,
    /// Burnt, or the burn was missed.
    pub burned: bool,
    /// Cards that are still missing from the burn.
    pub burn_short: u32,
    /// Coups begun from it.
    pub coups: u32,
    /// A player had cards in hand.
    pub handled: bool,
    /// The cutting card is out: before a round's first card or later.
    pub cutting_card: Option<bool>,
    /// The cutting card was seen in the shoe.
    pub marker_seen: bool,
    /// A card behind the cutting card is out.
    pub behind_out: bool,
    /// So many more coups may be dealt.
    pub coups_left: Option<u32>,
    /// The tied coup after which the extra round was granted.
    pub tie_round: Option<u32>,
}

impl Shoe {
    /// A shoe of so many decks of which nothing is prepared.
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
