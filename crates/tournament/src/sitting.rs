//! A table in a session: its chairs, whose turn it is, and what is played.

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
    /// What the player held when it was handed in.
    pub chips: Balance,
    /// Coups dealt at the table before it.
    pub dealt: u32,
    /// The player's chips on Banker, Player and Tie in its coup.
    pub beside: [Cents; 3],
    /// It was handed in when the time to wager was up.
    pub held: bool,
}

/// How a player missed the coup that was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Missed {
    /// Had not come yet.
    Late,
    /// Was away.
    Away,
}

/// A player's chair in a session.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chair {
    /// The seat.
    pub seat: u32,
    /// Whose.
    pub entrant: EntrantId,
    /// The player at the table.
    pub player: Option<PlayerId>,
    /// Coups missed since the start by a player who has not come.
    pub late: Option<u32>,
    /// Away.
    pub absent: bool,
    /// Missed the coup that was called last, and how.
    pub missed: Option<Missed>,
    /// The wager lies from a tied coup, and may be altered in turn.
    pub carried: bool,
    /// The director waived the time to wager for this turn.
    pub waived: bool,
    /// Out, and in which coup of the table.
    pub out: Option<(u32, OutWhy)>,
    /// In the play that goes on: all, or those of the play-off.
    pub plays: bool,
    /// Wagers out of order in this session.
    pub out_of_order: u32,
    /// The wager of this round came out of order.
    pub jumped: bool,
    /// Held to the minimum in this round.
    pub held: bool,
    /// Secret wagers used.
    pub secrets: u32,
    /// The secret wager of this round.
    pub form: Option<Form>,
    /// The last form that was opened can be seen until the next card.
    pub shown: bool,
    /// A form of this coup was opened before the deal and laid.
    pub laid: bool,
    /// What was deducted for such a form.
    pub fine: Balance,
    /// Chips when they were collected.
    pub chips: Balance,
    /// Chips at the end of the session, before any play-off.
    #[serde(default)]
    pub at_the_end: Balance,
    /// Chips when the player last left the table.
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

    /// Not there: has not come yet, or is away.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        self.late.is_some() || self.absent
    }
}

/// What is played at a table now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stint {
    /// The session.
    Session,
    /// A play-off is due: coups are drawn, where the book draws them.
    PlayOffDue(Option<u32>),
    /// A play-off of so many coups, or until they are not level.
    PlayOff(Option<u32>),
    /// Play seemed over, and a coup of it is judged anew.
    Over,
    /// Nothing more.
    Done,
}

/// A table's session before a coup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The coup.
    pub coup: u32,
    /// The chairs, and what their players held, wagers included.
    pub chairs: Vec<(Chair, Balance)>,
    /// What was played.
    pub stint: Stint,
    /// Coups that counted.
    pub coups: u32,
    /// Shoes used up.
    pub shoes: u32,
    /// The last coup was announced.
    pub last: bool,
    /// Who stood where.
    pub ranking: Vec<Vec<EntrantId>>,
    /// Where the marker was.
    pub marker: Option<u32>,
}

/// A table in a session.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sitting {
    /// The table's number.
    pub number: u32,
    /// Of which stage.
    pub stage: usize,
    /// The table itself.
    pub table: table::State,
    /// The players.
    pub chairs: Vec<Chair>,
    /// The seat of the marker.
    pub marker: Option<u32>,
    /// Whose turn it is to wager.
    pub turn: Option<u32>,
    /// Since when.
    pub since: Time,
    /// The time to wager that holds for this turn.
    pub limit: Option<Time>,
    /// When the session began.
    pub began: Time,
    /// Coups with wagers and a result in this stint.
    pub coups: u32,
    /// Whether the last coup was one.
    pub counted: bool,
    /// Which coups of the table those were.
    pub counting: Vec<u32>,
    /// The session as it was before the last coup, should that be void.
    pub memory: Option<Arc<Memory>>,
    /// Coups dealt at the table in all.
    pub dealt: u32,
    /// Coups dealt before the play-off that goes on began; none while the session lasts.
    pub before_play_off: u32,
    /// Shoes used up.
    pub shoes: u32,
    /// What is played.
    pub stint: Stint,
    /// The last coup was announced.
    pub last: bool,
    /// Who stands where after the play so far.
    pub ranking: Vec<Vec<EntrantId>>,
    /// Player's and Banker's hands of the last coup, for secret wagers that wait for it.
    pub hands: Option<[Hand; 2]>,
    /// The indicator card is in the shoe.
    pub indicator_in: bool,
    /// It came out, and the limits may rise when the coup is over.
    pub indicator_out: bool,
    /// The limits have risen.
    pub raised: bool,
    /// Wagers wait for the last coup's secret ones to be laid.
    pub laying: bool,
    /// The time to wager is waived for everybody in this coup.
    #[serde(default)]
    pub waived: bool,
    /// A correction that waits for a second person.
    #[serde(default)]
    pub correction: Option<Arc<Correction>>,
    /// A play-off of runners-up of several tables, for so many places.
    #[serde(default)]
    pub places: Option<u32>,
}

impl Sitting {
    /// The chair of an entrant.
    #[must_use]
    pub fn chair(&self, entrant: EntrantId) -> Option<&Chair> {
        self.chairs.iter().find(|chair| chair.entrant == entrant)
    }

    /// Those who play on.
    pub fn active(&self) -> impl Iterator<Item = &Chair> {
        self.chairs.iter().filter(|chair| chair.plays && chair.out.is_none())
    }

    /// The seat after another in the order of wagering.
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

    /// What the player of a chair has in front of them.
    #[must_use]
    pub fn stack(&self, chair: &Chair) -> Balance {
        let player = chair.player.map(|player| self.table.player(player));
        player.map_or(Balance::ZERO, |player| player.stack)
    }

    /// What the player of a chair has in front of them and on the layout.
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

    /// Whose turn it is after a seat: the next who has yet to wager.
    #[must_use]
    pub fn next_to_wager(&self, from: u32) -> Option<&Chair> {
        self.next_who(from, |chair| !self.has_wagered(chair))
    }

    /// Who is asked after a seat: the next who has yet to wager, or may alter a wager that lies.
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

    /// Who is to wager now: the player whose turn it is, or the next if that one has wagered.
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

    /// Whether no coup is dealt and nothing lies but wagers of a tied coup.
    #[must_use]
    pub fn is_between_coups(&self) -> bool {
        let carried = |player: PlayerId| {
            self.chairs.iter().any(|chair| chair.player == Some(player) && chair.carried)
        };
        let all_lie = self.table.wagers().iter().all(|wager| carried(wager.player));
        self.table.coup().is_none() && all_lie && self.table.phase() != table::Phase::Called
    }

    /// Whether forms of a coup that is over wait to be opened.
    #[must_use]
    pub fn has_forms_to_open(&self) -> bool {
        let forms = self.chairs.iter().filter_map(|chair| chair.form);
        self.table.coup().is_none() && forms.clone().any(|form| form.dealt < self.dealt)
    }

    /// Whether the table plays.
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
