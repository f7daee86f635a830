//! A table in a session: its chairs, the turn to wager, and the play.

use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::{Balance, Cents, Group, Hand, Spot};
use serde::{Deserialize, Serialize};
use shoe::Digest;
use table::{PlayerId, Time};

use crate::conditions::Length;
use crate::event::{Correction, EntrantId, OutWhy};

/// A form that was handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// Its commitment.
    pub commitment: Digest,
    /// The inspector found it in order.
    pub examined: bool,
    /// The chips that the player held when it was handed in.
    pub chips: Balance,
    /// The number of coups dealt at the table before it.
    pub dealt: u32,
    /// The player's chips on Banker, Player and Tie in its coup.
    pub beside: [Cents; 3],
    /// It was handed in when the time to wager was up.
    pub held: bool,
}

/// How a player missed a coup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Missed {
    /// The player had not come yet.
    Late,
    /// The player was away.
    Away,
}

/// A player's chair in a session.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chair {
    /// The seat.
    pub seat: u32,
    /// The entrant.
    pub entrant: EntrantId,
    /// The player's id at the table.
    pub player: Option<PlayerId>,
    /// The coups that a player who has not come has missed since the start.
    pub late: Option<u32>,
    /// The player is away.
    pub absent: bool,
    /// How the player missed the last coup that was called, if so.
    pub missed: Option<Missed>,
    /// The wager lies from a tied coup, and may be altered in turn.
    pub carried: bool,
    /// The director waived the time to wager for this turn.
    pub waived: bool,
    /// The coup of the table in which the player was eliminated, and the reason.
    pub out: Option<(u32, OutWhy)>,
    /// Whether the player takes part in the current play: everybody, or the players of the
    /// play-off.
    pub plays: bool,
    /// The number of wagers out of order in this session.
    pub out_of_order: u32,
    /// The wager of this round came out of order.
    pub jumped: bool,
    /// The wager of this round is limited to the minimum.
    pub held: bool,
    /// The number of secret wagers used.
    pub secrets: u32,
    /// The secret wager of this round.
    pub form: Option<Form>,
    /// Whether the last opened form can be seen; it can until the next card.
    pub shown: bool,
    /// A form of this coup was opened before the deal and laid.
    pub laid: bool,
    /// The amount that was deducted for such a form.
    pub fine: Balance,
    /// The chips when they were collected.
    pub chips: Balance,
    /// Chips at the end of the session, before any play-off.
    #[serde(default)]
    pub at_the_end: Balance,
    /// The chips when the player last left the table.
    pub left_with: Balance,
    /// For each buy-back: when the player had gone out, and with how many chips.
    pub bought: Vec<(u32, Balance)>,
}

impl Chair {
    /// A chair whose player is there and has not played yet.
    #[must_use]
    pub const fn new(seat: u32, entrant: EntrantId) -> Self {
        Self {
            seat,
            entrant,
            player: None,
            late: None,
            absent: false,
            missed: None,
            carried: false,
            waived: false,
            out: None,
            plays: true,
            out_of_order: 0,
            jumped: false,
            held: false,
            secrets: 0,
            form: None,
            shown: false,
            laid: false,
            fine: Balance::ZERO,
            chips: Balance::ZERO,
            at_the_end: Balance::ZERO,
            left_with: Balance::ZERO,
            bought: Vec::new(),
        }
    }

    /// Whether the player is absent: has not come yet, or is away.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        self.late.is_some() || self.absent
    }
}

/// The current kind of play at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stint {
    /// The session.
    Session,
    /// A play-off is due; the number of coups is drawn first, where the book draws it.
    PlayOffDue(Option<u32>),
    /// A play-off of so many coups, or until the players are no longer level.
    PlayOff(Option<u32>),
    /// Play seemed over, and one of its coups is judged again.
    Over,
    /// Play is over.
    Done,
}

/// The state of a table's session before a coup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The number of the coup.
    pub coup: u32,
    /// The chairs, and the chips of their players, wagers included.
    pub chairs: Vec<(Chair, Balance)>,
    /// The kind of play.
    pub stint: Stint,
    /// The number of coups that counted.
    pub coups: u32,
    /// The number of shoes used up.
    pub shoes: u32,
    /// Whether the last coup was announced.
    pub last: bool,
    /// The ranking.
    pub ranking: Vec<Vec<EntrantId>>,
    /// The seat of the marker.
    pub marker: Option<u32>,
}

/// A table in a session.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sitting {
    /// The table's number.
    pub number: u32,
    /// The index of the stage.
    pub stage: usize,
    /// The table itself.
    pub table: table::State,
    /// The players.
    pub chairs: Vec<Chair>,
    /// The seat of the marker.
    pub marker: Option<u32>,
    /// The seat of the player whose turn it is to wager.
    pub turn: Option<u32>,
    /// When the turn began.
    pub since: Time,
    /// The time limit for this turn.
    pub limit: Option<Time>,
    /// When the session began.
    pub began: Time,
    /// The number of coups with wagers and a result in the current play.
    pub coups: u32,
    /// Whether the last coup was such a coup.
    pub counted: bool,
    /// The numbers of those coups.
    pub counting: Vec<u32>,
    /// The state of the session before the last coup, in case that coup is voided.
    pub memory: Option<Arc<Memory>>,
    /// The number of all coups dealt at the table.
    pub dealt: u32,
    /// The number of coups dealt before the current play-off began; zero during the session.
    pub before_play_off: u32,
    /// The number of shoes used up.
    pub shoes: u32,
    /// The current kind of play.
    pub stint: Stint,
    /// Whether the last coup was announced.
    pub last: bool,
    /// The ranking after the play so far.
    pub ranking: Vec<Vec<EntrantId>>,
    /// Player's and Banker's hands of the last coup, for secret wagers that are still to be opened.
    pub hands: Option<[Hand; 2]>,
    /// The indicator card is in the shoe.
    pub indicator_in: bool,
    /// It came out, and the limits may rise when the coup is over.
    pub indicator_out: bool,
    /// The limits have risen.
    pub raised: bool,
    /// Wagering waits until the secret wagers of the last coup are laid.
    pub laying: bool,
    /// The time to wager is waived for everybody in this coup.
    #[serde(default)]
    pub waived: bool,
    /// A correction that waits for a second person.
    #[serde(default)]
    pub correction: Option<Arc<Correction>>,
    /// For a play-off of runners-up from several tables, the number of places.
    #[serde(default)]
    pub places: Option<u32>,
}

impl Sitting {
    /// The chair of an entrant.
    #[must_use]
    pub fn chair(&self, entrant: EntrantId) -> Option<&Chair> {
        self.chairs.iter().find(|chair| chair.entrant == entrant)
    }

    /// The chairs of the players who still play.
    pub fn active(&self) -> impl Iterator<Item = &Chair> {
        self.chairs.iter().filter(|chair| chair.plays && chair.out.is_none())
    }

    /// The next seat in the order of wagering.
    #[must_use]
    pub fn next_seat(&self, seat: u32) -> Option<u32> {
        let after = self.active().map(|chair| chair.seat).filter(|next| *next > seat).min();
        after.or_else(|| self.active().map(|chair| chair.seat).min())
    }

    /// The minimum of a Banker or Player wager.
    #[must_use]
    pub fn minimum(&self) -> Cents {
        self.table.limits(Group::Main).map_or(Cents::ZERO, |limits| limits.least)
    }

    /// The chips in front of the player of a chair.
    #[must_use]
    pub fn stack(&self, chair: &Chair) -> Balance {
        let player = chair.player.map(|player| self.table.player(player));
        player.map_or(Balance::ZERO, |player| player.stack)
    }

    /// The chips of the player of a chair, in front of the player and on the layout.
    #[must_use]
    pub fn chips(&self, chair: &Chair) -> Balance {
        let wagers = self.table.wagers().iter();
        let laid = wagers.filter(|wager| Some(wager.player) == chair.player);
        self.stack(chair) + laid.map(|wager| Balance::from(wager.stake)).sum()
    }

    /// The chips of a chair on Banker, Player and Tie.
    #[must_use]
    pub fn laid(&self, chair: &Chair) -> [Cents; 3] {
        [Spot::Banker, Spot::Player, Spot::Tie].map(|spot| {
            let wagers = self.table.wagers().iter();
            let mut mine = wagers.filter(|w| Some(w.player) == chair.player && w.spot == spot);
            mine.next().map_or(Cents::ZERO, |wager| wager.stake)
        })
    }

    /// Whether a player has wagered in this round, in chips or secretly.
    #[must_use]
    pub fn has_wagered(&self, chair: &Chair) -> bool {
        let wagers = self.table.wagers();
        chair.form.is_some() || wagers.iter().any(|wager| Some(wager.player) == chair.player)
    }

    /// The chair whose turn comes after a seat: the next player who has yet to wager.
    #[must_use]
    pub fn next_to_wager(&self, from: u32) -> Option<&Chair> {
        self.next_who(from, |chair| !self.has_wagered(chair))
    }

    /// The chair to ask after a seat: the next player who has yet to wager, or may alter a wager.
    #[must_use]
    pub fn next_to_ask(&self, from: u32) -> Option<&Chair> {
        self.next_who(from, |chair| !self.has_wagered(chair) || chair.carried)
    }

    fn next_who(&self, from: u32, waits: impl Fn(&Chair) -> bool) -> Option<&Chair> {
        let mut seat = from;
        for _ in 0..=self.chairs.len() {
            seat = self.next_seat(seat)?;
            let chair = self.active().find(|chair| chair.seat == seat)?;
            if waits(chair) && !chair.is_missing() {
                return Some(chair);
            }
        }
        None
    }

    /// The next seat in the order of wagering whose player is there.
    #[must_use]
    pub fn next_there(&self, seat: u32) -> Option<u32> {
        let next = self.next_who(seat, |_| true).map(|chair| chair.seat);
        next.or_else(|| self.next_seat(seat))
    }

    /// The chair to wager now: the one whose turn it is, or the next if that player has wagered.
    #[must_use]
    pub fn to_wager(&self) -> Option<&Chair> {
        let turn = self.turn.or(self.marker)?;
        let now = self.active().find(|chair| chair.seat == turn);
        let waits = |chair: &&Chair| !self.has_wagered(chair) && !chair.is_missing();
        now.filter(waits).or_else(|| self.next_to_wager(turn))
    }

    /// The first seat of a player who is there; of any player if nobody is.
    #[must_use]
    pub fn first_seat(&self) -> Option<u32> {
        let there = self.active().filter(|chair| !chair.is_missing()).map(|chair| chair.seat).min();
        there.or_else(|| self.active().map(|chair| chair.seat).min())
    }

    /// Whether no coup is being dealt and the layout has no wagers but those of a tied coup.
    #[must_use]
    pub fn is_between_coups(&self) -> bool {
        let carried = |player: PlayerId| {
            self.chairs.iter().any(|chair| chair.player == Some(player) && chair.carried)
        };
        let all_lie = self.table.wagers().iter().all(|wager| carried(wager.player));
        self.table.coup().is_none() && all_lie && self.table.phase() != table::Phase::Called
    }

    /// Whether forms of a finished coup wait to be opened.
    #[must_use]
    pub fn has_forms_to_open(&self) -> bool {
        let forms = self.chairs.iter().filter_map(|chair| chair.form);
        self.table.coup().is_none() && forms.clone().any(|form| form.dealt < self.dealt)
    }

    /// Whether the table is still in play.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        !matches!(self.stint, Stint::Done)
    }

    /// Whether the coming or current coup is the last of the play.
    #[must_use]
    pub fn is_last_coup(&self, length: Option<Length>) -> bool {
        let left = |of: u32| of.saturating_sub(self.coups) <= 1;
        let by_length = match (self.stint, length) {
            (Stint::PlayOff(Some(coups)), _) | (Stint::Session, Some(Length::Coups(coups))) => {
                left(coups)
            }
            (Stint::Session, Some(Length::Shoes(shoes))) => {
                shoes.saturating_sub(self.shoes) <= 1 && self.table.is_last_coup()
            }
            (Stint::Session, Some(Length::Minutes(_)) | None)
            | (Stint::PlayOff(None) | Stint::PlayOffDue(_) | Stint::Over | Stint::Done, _) => false,
        };
        self.last || by_length
    }
}
