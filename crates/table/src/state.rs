//! What a table is at a moment.

use alloc::sync::Arc;
use alloc::vec::Vec;

use arrayvec::ArrayVec;
use rules::{Balance, Card, Cents, Clause, Clauses, Group, Hand, Hands, Method, Side, Spot, Terms};
use serde::{Deserialize, Serialize};

use crate::by::is_same;
use crate::command::{Limits, Name, Settings, SignLine, Time};
use crate::event::{Account, CutBy, NoBetWhy, PlayerId, SuspendedWhy};
use crate::record::{CoupRecord, Finished, Interrupted, Round};
use crate::roads::Roads;
use crate::shared::Shared;
use crate::shoe::Shoe;

/// What a table is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Not yet open.
    Unopened,
    /// A shoe is being prepared.
    Preparing,
    /// Wagers are open.
    Betting,
    /// Wagers are closed and no card is out.
    Called,
    /// A coup is being dealt.
    Dealing,
    /// Closed for good.
    Closed,
}

/// A player at the table, or one who left and owes or is owed.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// The name.
    pub name: Name,
    /// The place.
    pub seat: u32,
    /// Stands behind it.
    pub standing: bool,
    /// Still there.
    pub present: bool,
    /// Excluded from the game.
    pub excluded: bool,
    /// Chips in front of the player.
    pub stack: Balance,
    /// What the player owes after a void.
    pub receivable: Balance,
    /// Was told about the minimum.
    pub advised_minimum: bool,
    /// May wager on both sides.
    pub both_sides: bool,
    /// Gave up the first claim on the Dragon Bonus area for this round.
    pub waived_dragon: bool,
    /// A cap sent a wager back in this round: not to have one is no abstaining.
    pub sent_back: bool,
    /// Answered to a request for a no-bet coup.
    pub agreed: Option<bool>,
    /// Limits of their own, by group: a minimum, where the book lets them have one, and a maximum.
    pub limits: [Option<(Option<Cents>, Cents)>; 4],
}

/// A wager on the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wager {
    /// Whose.
    pub player: PlayerId,
    /// Where.
    pub spot: Spot,
    /// At which place.
    pub place: u32,
    /// What lies there.
    pub stake: Cents,
    /// Staff have not noticed a fault in it.
    pub unnoticed: bool,
    /// The limits that held for its owner when it was laid: a later sign does not touch it.
    pub limits: Option<Limits>,
}

impl Wager {
    /// Whether it lies at the same spot and place for the same player.
    #[must_use]
    pub fn is_at(&self, player: PlayerId, spot: Spot, place: u32) -> bool {
        (self.player, self.spot, self.place) == (player, spot, place)
    }
}

/// A change that was announced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// What.
    pub posting: SignLine,
    /// In force from this time on, or from the next round.
    pub from: Option<Time>,
    /// By which clauses it was announced.
    pub by: Clauses,
}

/// A card of the coup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoupCard {
    /// Whose it is.
    pub side: Side,
    /// What it is, if known.
    pub card: Option<Card>,
    /// Whether it lies face up.
    pub shown: bool,
}

/// A coup that is being dealt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coup {
    /// Its number.
    pub number: u32,
    /// Whether it is without wagers.
    pub no_bet: Option<NoBetWhy>,
    /// Its cards in the order of leaving the shoe.
    pub cards: ArrayVec<CoupCard, 6>,
    /// Who has Player's and Banker's cards.
    pub passed: [Option<PlayerId>; 2],
    /// Who did not want Player's and Banker's cards.
    pub refused: Vec<(Side, PlayerId)>,
    /// Pairs are settled.
    pub pairs_settled: bool,
    /// The totals after the first four cards were announced.
    pub counted: bool,
    /// Cards came out of sequence in it.
    pub irregular: bool,
    /// It waits for a decision.
    pub suspended: Option<SuspendedWhy>,
}

impl Coup {
    /// A coup of which no card is out.
    pub(crate) fn new(number: u32, no_bet: Option<NoBetWhy>) -> Self {
        Self {
            number,
            no_bet,
            cards: ArrayVec::new(),
            passed: [None; 2],
            refused: Vec::new(),
            pairs_settled: false,
            counted: false,
            irregular: false,
            suspended: None,
        }
    }

    /// The cards of both sides that lie face up, and how many do not.
    #[must_use]
    pub fn hands(&self) -> Hands {
        let mut hands = Hands::default();
        for CoupCard { side, card, shown } in &self.cards {
            match card.filter(|_| *shown) {
                Some(card) => hands.put(*side, card),
                None => hands.hidden += 1,
            }
        }
        hands
    }

    /// The cards of a side that lie face up, as a hand.
    #[must_use]
    pub fn hand(&self, side: Side) -> Hand {
        let Hands { player, banker, .. } = self.hands();
        match side {
            Side::Player => player,
            Side::Banker => banker,
        }
    }

    /// How many cards a side has.
    #[must_use]
    pub fn count(&self, side: Side) -> usize {
        self.cards.iter().filter(|card| card.side == side).count()
    }

    /// Whether any card lies face down.
    #[must_use]
    pub fn has_hidden(&self) -> bool {
        self.cards.iter().any(|card| !card.shown)
    }

    /// Whether any card was exposed.
    #[must_use]
    pub fn has_shown(&self) -> bool {
        self.cards.iter().any(|card| card.shown)
    }
}

/// A card that waits to be used: out of the shoe, or face up in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Which, if it was seen.
    pub card: Option<Card>,
    /// The clause that makes it wait.
    pub by: Option<Clause>,
}

/// A coup that players dispute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dispute {
    /// Which coup.
    pub(crate) coup: u32,
    /// Who disputes it.
    pub(crate) players: Vec<PlayerId>,
    /// What became of it so far.
    pub(crate) stage: DisputeStage,
}

/// How far a dispute is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DisputeStage {
    /// Nobody has decided.
    Open,
    /// The operator has decided.
    Decided,
    /// The regulator has reviewed the decision.
    Reviewed,
}

/// Whose wagers are held to the table maximum on an area.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AreaCaps {
    /// Everybody's together.
    pub(crate) all: bool,
    /// Those of these players together.
    pub(crate) players: Vec<Name>,
}

impl AreaCaps {
    /// Whether anybody's are.
    pub(crate) const fn any(&self) -> bool {
        self.all || !self.players.is_empty()
    }
}

/// How a card lies on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    /// Everybody sees it.
    Up,
    /// Nobody sees it.
    Down,
}

impl Facing {
    /// Face down if so, else up.
    #[must_use]
    pub const fn down_if(down: bool) -> Self {
        if down { Self::Down } else { Self::Up }
    }

    /// Whether everybody sees it.
    #[must_use]
    pub const fn is_up(self) -> bool {
        matches!(self, Self::Up)
    }
}

/// Everybody who ever came to a table. Those who came last are as a rule those who are there.
pub type Players = Shared<Player, 16>;

/// What a table is at a moment: all that has happened to it so far, and no book.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub(crate) phase: Phase,
    pub(crate) now: Time,
    pub(crate) options: Settings,
    pub(crate) players: Players,
    /// Those who are there, in the order of arrival: what a coup costs must not grow with the
    /// number of players who have come and gone.
    pub(crate) there: Vec<PlayerId>,
    /// Those of them who are away from their seat, in a tournament: the cut passes them.
    pub(crate) away: Vec<PlayerId>,
    pub(crate) wagers: Vec<Wager>,
    pub(crate) limits: [Option<Limits>; 4],
    pub(crate) exposure: Option<Cents>,
    pub(crate) chips: Vec<Cents>,
    pub(crate) sharing: Option<u32>,
    pub(crate) area_caps: AreaCaps,
    /// What holds for the round.
    pub(crate) round: Round,
    pub(crate) pending: Vec<Pending>,
    pub(crate) consented: bool,
    pub(crate) face_down: bool,
    pub(crate) face_down_asked: bool,
    /// Management knows that cards are to be dealt face down.
    pub(crate) management: bool,
    /// Surveillance knows.
    pub(crate) surveillance: bool,
    /// The inspector is not at the table.
    pub(crate) inspector_away: bool,
    /// Who asked for a copy of the rules and has none yet.
    pub(crate) rules_asked: Vec<PlayerId>,
    pub(crate) disputes: Vec<Dispute>,
    pub(crate) closing: bool,
    pub(crate) shoe: Shoe,
    pub(crate) shuffle_due: bool,
    /// By which clauses it is.
    pub(crate) shuffle_by: Clauses,
    pub(crate) vacated: bool,
    pub(crate) no_bet: Option<NoBetWhy>,
    pub(crate) no_bet_asked: bool,
    pub(crate) optional_coups: u32,
    /// The dealer lets wagers stand that pass a cap.
    pub(crate) let_stand: bool,
    pub(crate) coups: u32,
    pub(crate) coup: Option<Coup>,
    /// How many cards Player and Banker had in the coup before.
    pub(crate) last_counts: [usize; 2],
    /// The wagers of this coup that are settled.
    pub(crate) settled: Vec<Wager>,
    pub(crate) last: Option<Finished>,
    pub(crate) interrupted: Option<Interrupted>,
    /// Cards in excess, in the order of their coming. Each is the first card of a round: the first
    /// of them of the next.
    pub(crate) waiting: Vec<Waiting>,
    /// A card that lies face up in the shoe.
    pub(crate) face_up: Option<Waiting>,
    pub(crate) records: Shared<CoupRecord, 1>,
    pub(crate) roads: Arc<Roads>,
    pub(crate) float: Balance,
    pub(crate) layout: Balance,
    pub(crate) commission: Balance,
    pub(crate) outside: Balance,
}

impl Default for State {
    /// A table that is not open yet.
    fn default() -> Self {
        Self {
            phase: Phase::Unopened,
            now: 0,
            options: Settings::default(),
            players: Shared::default(),
            there: Vec::new(),
            away: Vec::new(),
            wagers: Vec::new(),
            limits: [None; 4],
            exposure: None,
            chips: Vec::new(),
            sharing: None,
            area_caps: AreaCaps::default(),
            round: Round { exposure: None, method: Method::Commission, pairs: None, dragon: false },
            pending: Vec::new(),
            consented: false,
            face_down: false,
            face_down_asked: false,
            management: false,
            surveillance: false,
            inspector_away: false,
            rules_asked: Vec::new(),
            disputes: Vec::new(),
            closing: false,
            shoe: Shoe::new(8, 0, None),
            shuffle_due: false,
            shuffle_by: Clauses::new(),
            vacated: false,
            no_bet: None,
            no_bet_asked: false,
            optional_coups: 0,
            let_stand: false,
            coups: 0,
            coup: None,
            last_counts: [0; 2],
            settled: Vec::new(),
            last: None,
            interrupted: None,
            waiting: Vec::new(),
            face_up: None,
            records: Shared::default(),
            roads: Arc::default(),
            float: Balance::ZERO,
            layout: Balance::ZERO,
            commission: Balance::ZERO,
            outside: Balance::ZERO,
        }
    }
}

impl State {
    /// Whether a player is away from the seat; only a tournament says so.
    #[must_use]
    pub fn is_away(&self, player: PlayerId) -> bool {
        self.away.contains(&player)
    }

    /// What the table is waiting for.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The operator's choices for the main wagers and the side bets, as they hold for this round.
    #[must_use]
    pub const fn terms(&self) -> Terms {
        self.round.terms()
    }

    /// The same choices as the sign has them now: a round that wagers lie in keeps the old ones.
    #[must_use]
    pub(crate) const fn sign_terms(&self) -> Terms {
        let Settings { method, pairs, dragon, .. } = self.options;
        Terms { method, pairs, dragon }
    }

    /// Every player who is or was at the table.
    #[must_use]
    pub const fn players(&self) -> &Players {
        &self.players
    }

    /// The player of that name who is there.
    #[must_use]
    pub fn player_named(&self, name: &str) -> Option<PlayerId> {
        self.there.iter().copied().find(|id| is_same(&self.player(*id).name, name))
    }

    /// A player.
    #[must_use]
    pub fn player(&self, id: PlayerId) -> &Player {
        &self.players[usize::from(id.0)]
    }

    /// The wagers on the layout.
    #[must_use]
    pub fn wagers(&self) -> &[Wager] {
        &self.wagers
    }

    /// The limits on the sign.
    #[must_use]
    pub const fn limits(&self, group: Group) -> Option<Limits> {
        self.limits[group as usize]
    }

    /// The coup that is being dealt.
    #[must_use]
    pub const fn coup(&self) -> Option<&Coup> {
        self.coup.as_ref()
    }

    /// How many coups have begun.
    #[must_use]
    pub const fn coups(&self) -> u32 {
        self.coups
    }

    /// The roads of this shoe.
    #[must_use]
    pub fn roads(&self) -> &Roads {
        &self.roads
    }

    /// Whether the coming or current coup is without wagers.
    #[must_use]
    pub fn is_no_bet(&self) -> bool {
        self.no_bet.is_some() || self.coup.as_ref().is_some_and(|coup| coup.no_bet.is_some())
    }

    /// Whether the coming or current coup is the last of the shoe.
    #[must_use]
    pub fn is_last_coup(&self) -> bool {
        self.shoe.coups_left == Some(1) && !self.shuffle_due
    }

    /// Whether a shuffle comes before the next coup.
    #[must_use]
    pub const fn is_shuffle_due(&self) -> bool {
        self.shuffle_due || matches!(self.phase, Phase::Preparing)
    }

    /// Who was offered the cut.
    #[must_use]
    pub const fn cut_offered(&self) -> Option<CutBy> {
        self.shoe.offered
    }

    /// How far the shoe is prepared, and how far it is dealt.
    #[must_use]
    pub const fn shoe(&self) -> &Shoe {
        &self.shoe
    }

    /// The operator's choices, filled in.
    #[must_use]
    pub const fn options(&self) -> &Settings {
        &self.options
    }

    /// Whether cards are dealt face down.
    #[must_use]
    pub const fn is_face_down(&self) -> bool {
        self.face_down
    }

    /// Cards that are out and wait, each for a round of its own.
    #[must_use]
    pub fn waiting(&self) -> &[Waiting] {
        &self.waiting
    }

    /// The card that comes next from the shoe or from those that wait, if one is known to. Only the
    /// first card of a coup is one that waits.
    #[must_use]
    pub fn coming(&self) -> Option<Waiting> {
        let first = self.coup.as_ref().is_none_or(|coup| coup.cards.is_empty());
        self.waiting.first().copied().filter(|_| first).or(self.face_up)
    }

    /// Those who are there, in the order of arrival.
    pub fn present(&self) -> impl Iterator<Item = (PlayerId, &Player)> {
        self.here()
    }

    /// Whether the inspector has left the table.
    #[must_use]
    pub const fn is_inspector_away(&self) -> bool {
        self.inspector_away
    }

    /// The denominations on the sign.
    #[must_use]
    pub fn chips(&self) -> &[Cents] {
        &self.chips
    }

    /// The balance of an account.
    #[must_use]
    pub fn balance(&self, account: Account) -> Balance {
        match account {
            Account::Outside => self.outside,
            Account::Float => self.float,
            Account::Layout => self.layout,
            Account::Commission => self.commission,
            Account::Stack(id) => self.player(id).stack,
            Account::Receivable(id) => self.player(id).receivable,
        }
    }

    /// The sum of all accounts, which is always zero.
    #[must_use]
    pub fn sum(&self) -> Balance {
        let players: Balance =
            self.players.iter().map(|player| player.stack + player.receivable).sum();
        self.outside + self.float + self.layout + self.commission + players
    }

    /// Whether every seat is taken.
    pub(crate) fn is_full(&self) -> bool {
        let seats = self.options.seats;
        let sitting = self.playing().filter(|(_, player)| !player.standing);
        // Nobody shares a seat.
        u32::try_from(sitting.count()).is_ok_and(|sitting| sitting >= seats)
    }

    pub(crate) fn here(&self) -> impl Iterator<Item = (PlayerId, &Player)> {
        self.there.iter().map(|id| (*id, self.player(*id)))
    }

    /// Those who take part: who is excluded counts as nobody.
    pub(crate) fn playing(&self) -> impl Iterator<Item = (PlayerId, &Player)> {
        self.here().filter(|(_, player)| !player.excluded)
    }

    /// What a player has on a spot; the oldest, should it be at several places.
    #[must_use]
    pub fn on_spot(&self, player: PlayerId, spot: Spot) -> Option<&Wager> {
        self.wagers.iter().find(|wager| wager.player == player && wager.spot == spot)
    }

    /// What a player has on a spot at a place.
    #[must_use]
    pub fn at(&self, player: PlayerId, spot: Spot, place: u32) -> Option<&Wager> {
        self.wagers.iter().find(|wager| wager.is_at(player, spot, place))
    }

    /// The limits that hold for a player: those of the sign, and of a marker. A marker that grants
    /// only a higher maximum never lowers what the sign grants.
    #[inline]
    pub(crate) fn limits_of(&self, player: PlayerId, group: Group) -> Option<Limits> {
        let sign = self.limits[group as usize];
        let Some((least, most)) = self.player(player).limits[group as usize] else { return sign };
        let agreed = least.is_some();
        let least = least.or(sign.map(|sign| sign.least)).unwrap_or(Cents::ZERO);
        let granted = sign.filter(|_| !agreed).map_or(Cents::ZERO, |sign| sign.most);
        // An agreed minimum that is on no step of the sign was agreed without the steps.
        let on_step = |step: &Cents| least.get().is_multiple_of(step.get());
        let step = sign.and_then(|sign| sign.step).filter(on_step);
        Some(Limits { least, most: most.max(granted), step })
    }

    /// The limits of a wager when chips are added to what lies there: what was at risk before stays
    /// at risk.
    #[inline]
    pub(crate) fn limits_with(&self, lying: Option<&Wager>, wager: &Wager) -> Option<Limits> {
        let now = self.limits_of(wager.player, wager.spot.group());
        let before = lying.map(|old| old.limits.map_or(old.stake, |l| l.most.min(old.stake)));
        now.map(|now| Limits { most: now.most.max(before.unwrap_or(Cents::ZERO)), ..now })
    }
}

/// The clause of an optional decision or ground, if the book has it.
#[expect(clippy::ref_option, reason = "items of a book are fields of that type")]
pub(crate) fn of(item: &Option<impl rules::Rests>) -> Option<Clause> {
    item.as_ref().map(rules::Rests::clause)
}
