//! The state of a table.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use arrayvec::ArrayVec;
use rules::{
    Balance, Card, Cents, Clause, Clauses, Group, Hand, Hands, Key, Method, Offer, Side, Spot,
    Terms,
};
use serde::{Deserialize, Serialize};

use crate::by::is_same;
use crate::command::{Limits, Name, Settings, SignLine, Time};
use crate::event::{Account, CutBy, NoBetWhy, PlayerId, SideBetNames, SuspendedWhy};
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

/// A player at the table, or one who left.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// The name.
    pub name: Name,
    /// The seat.
    pub seat: u32,
    /// Whether the player stands behind the seat.
    pub standing: bool,
    /// Whether the player is still at the table.
    pub present: bool,
    /// Whether the player is excluded from the game.
    pub excluded: bool,
    /// The chips in front of the player.
    pub stack: Balance,
    /// What the player owes after a void.
    pub receivable: Balance,
    /// The player was told about the minimum.
    pub advised_minimum: bool,
    /// The player may wager on both sides.
    pub both_sides: bool,
    /// The groups of side bets whose first claim the player gave up for this round.
    pub waived: Vec<Key>,
    /// A cap sent a wager back in this round, so the player does not count as abstaining.
    pub sent_back: bool,
    /// The player's answer to a request for a no-bet coup.
    pub agreed: Option<bool>,
    /// Personal limits by group: a maximum, and a minimum where the book allows one.
    pub limits: ByGroup<(Option<Cents>, Cents)>,
}

/// Something for each group of wagers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByGroup<T> {
    main: Option<T>,
    tie: Option<T>,
    sides: Vec<(Key, T)>,
}

impl<T> Default for ByGroup<T> {
    fn default() -> Self {
        Self { main: None, tie: None, sides: Vec::new() }
    }
}

impl<T: Copy> ByGroup<T> {
    /// What a group has.
    #[must_use]
    pub fn get(&self, group: Group) -> Option<T> {
        match group {
            Group::Main => self.main,
            Group::Tie => self.tie,
            Group::Side(key) => {
                self.sides.iter().find(|(side, _)| *side == key).map(|(_, value)| *value)
            }
        }
    }

    pub(crate) fn put(&mut self, group: Group, value: T) {
        match group {
            Group::Main => self.main = Some(value),
            Group::Tie => self.tie = Some(value),
            Group::Side(key) => match self.sides.iter_mut().find(|(side, _)| *side == key) {
                Some((_, old)) => *old = value,
                None => self.sides.push((key, value)),
            },
        }
    }
}

/// A wager on the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wager {
    /// The player.
    pub player: PlayerId,
    /// The spot.
    pub spot: Spot,
    /// The place.
    pub place: u32,
    /// The stake.
    pub stake: Cents,
    /// Staff have not noticed a fault in it.
    pub unnoticed: bool,
    /// The limits that applied to the player when the wager was placed; a later sign does not
    /// change them.
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
    /// The change.
    pub posting: SignLine,
    /// The time from which it applies; without one, it applies from the next round.
    pub from: Option<Time>,
    /// The clauses of the announcement.
    pub by: Clauses,
}

/// A card of the coup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoupCard {
    /// The hand that has it.
    pub side: Side,
    /// The card, if it is known.
    pub card: Option<Card>,
    /// Whether it lies face up.
    pub shown: bool,
    /// Whether everybody saw it before it was dealt, as it waited or lay face up in the shoe.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub seen: bool,
}

/// A coup that is being dealt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coup {
    /// Its number.
    pub number: u32,
    /// Why it is without wagers, if it is.
    pub no_bet: Option<NoBetWhy>,
    /// Its cards in the order in which they left the shoe.
    pub cards: ArrayVec<CoupCard, 6>,
    /// The players who have Player's and Banker's cards to turn.
    pub passed: [Option<PlayerId>; 2],
    /// The players who refused Player's or Banker's cards.
    pub refused: Vec<(Side, PlayerId)>,
    /// Pairs are settled.
    pub pairs_settled: bool,
    /// The totals after the first four cards were announced.
    pub counted: bool,
    /// Cards of it came out of sequence.
    pub irregular: bool,
    /// Why it waits for a decision, if it does.
    pub suspended: Option<SuspendedWhy>,
}

impl Coup {
    /// A coup before its first card.
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

    /// The cards of both sides that lie face up, and how many lie face down.
    #[must_use]
    pub fn hands(&self) -> Hands {
        let mut hands = Hands::default();
        for CoupCard { side, card, shown, seen: _ } in &self.cards {
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

/// A card that waits to be used: it has left the shoe, or lies face up in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The card, if it was seen.
    pub card: Option<Card>,
    /// The clause that makes it wait.
    pub by: Option<Clause>,
}

/// A coup that players dispute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dispute {
    /// The number of the coup.
    pub(crate) coup: u32,
    /// The players who dispute it.
    pub(crate) players: Vec<PlayerId>,
    /// How far the dispute is settled.
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

/// The players whose wagers on one area are held to the table maximum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AreaCaps {
    /// All players' wagers together.
    pub(crate) all: bool,
    /// The wagers of these players together.
    pub(crate) players: Vec<Name>,
}

impl AreaCaps {
    /// Whether any wagers are capped.
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
    /// Face down if the argument is true, otherwise face up.
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

/// Every player who ever came to a table. The latest arrivals are usually those who are still
/// there.
pub type Players = Shared<Player, 16>;

/// The state of a table: the result of everything that has happened to it, without the book.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub(crate) phase: Phase,
    pub(crate) now: Time,
    pub(crate) options: Settings,
    pub(crate) players: Players,
    /// The players at the table, in the order of arrival. The cost of a coup must not grow with the
    /// number of players who have come and gone.
    pub(crate) there: Vec<PlayerId>,
    /// In a tournament, the players who are away from their seat: the cut is not offered to them.
    pub(crate) away: Vec<PlayerId>,
    pub(crate) wagers: Vec<Wager>,
    pub(crate) limits: ByGroup<Limits>,
    /// The side bets that the book has.
    pub(crate) side_bets: Arc<Vec<SideBetNames>>,
    pub(crate) exposure: Option<Cents>,
    pub(crate) chips: Vec<Cents>,
    pub(crate) sharing: Option<u32>,
    pub(crate) area_caps: AreaCaps,
    /// The rules that apply to the round.
    pub(crate) round: Round,
    pub(crate) pending: Vec<Pending>,
    pub(crate) consented: bool,
    pub(crate) face_down: bool,
    pub(crate) face_down_asked: bool,
    /// Management knows that cards are to be dealt face down.
    pub(crate) management: bool,
    /// Surveillance knows that cards are to be dealt face down.
    pub(crate) surveillance: bool,
    /// The inspector is not at the table.
    pub(crate) inspector_away: bool,
    /// The players who asked for a copy of the rules and have none yet.
    pub(crate) rules_asked: Vec<PlayerId>,
    pub(crate) disputes: Vec<Dispute>,
    pub(crate) closing: bool,
    pub(crate) shoe: Shoe,
    pub(crate) shuffle_due: bool,
    /// The clauses by which a shuffle is due.
    pub(crate) shuffle_by: Clauses,
    pub(crate) vacated: bool,
    pub(crate) no_bet: Option<NoBetWhy>,
    pub(crate) no_bet_asked: bool,
    pub(crate) optional_coups: u32,
    /// The dealer lets wagers stand that exceed a cap.
    pub(crate) let_stand: bool,
    pub(crate) coups: u32,
    pub(crate) coup: Option<Coup>,
    /// How many cards Player and Banker had in the previous coup.
    pub(crate) last_counts: [usize; 2],
    /// The wagers of this coup that are settled.
    pub(crate) settled: Vec<Wager>,
    pub(crate) last: Option<Finished>,
    pub(crate) interrupted: Option<Interrupted>,
    /// Cards in excess, in order. Each is the first card of a round to come, the first of them of
    /// the next round.
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
            limits: ByGroup::default(),
            side_bets: Arc::default(),
            exposure: None,
            chips: Vec::new(),
            sharing: None,
            area_caps: AreaCaps::default(),
            round: Round { exposure: None, terms: Terms::main(Method::commission()) },
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
    /// Whether a player is away from the seat; this happens only in a tournament.
    #[must_use]
    pub fn is_away(&self, player: PlayerId) -> bool {
        self.away.contains(&player)
    }

    /// What the table is waiting for.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The operator's choices for the main wagers and the side bets, as they apply to this round.
    #[must_use]
    pub const fn terms(&self) -> &Terms {
        &self.round.terms
    }

    /// The same choices as on the current sign: a round that has wagers keeps the old ones.
    #[must_use]
    pub(crate) const fn sign_terms(&self) -> &Terms {
        &self.options.terms
    }

    /// The group whose limits apply to a spot.
    #[must_use]
    pub fn group(&self, spot: Spot) -> Group {
        match spot {
            Spot::Banker | Spot::Player => Group::Main,
            Spot::Tie => Group::Tie,
            Spot::Side(key) => {
                let known = self.side_bets.iter().find(|bets| bets.spots.contains(&key));
                Group::Side(known.map_or(key, |bets| bets.offer.group))
            }
        }
    }

    /// The side bets that are offered in this round.
    pub fn side_spots(&self) -> impl Iterator<Item = Spot> {
        let offered =
            |bets: &&SideBetNames| self.terms().side_bets.of(bets.offer.group) == Some(bets.offer);
        self.side_bets.iter().filter(offered).flat_map(|bets| &bets.spots).copied().map(Spot::Side)
    }

    /// The name of side bets on offer.
    #[must_use]
    pub fn offer_name(&self, offer: Offer) -> String {
        let known = self.side_bets.iter().find(|bets| bets.offer == offer);
        known.map_or_else(|| offer.to_string(), |bets| bets.name.clone())
    }

    /// The name of a group of wagers.
    #[must_use]
    pub fn group_name(&self, group: Group) -> String {
        let known = |key: Key| self.side_bets.iter().find(|bets| bets.offer.group == key);
        match group {
            Group::Main | Group::Tie => group.to_string(),
            Group::Side(key) => known(key).map_or_else(|| key.title(), |bets| bets.group.clone()),
        }
    }

    /// Every player who is or was at the table.
    #[must_use]
    pub const fn players(&self) -> &Players {
        &self.players
    }

    /// The player of that name at the table.
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
    pub fn limits(&self, group: Group) -> Option<Limits> {
        self.limits.get(group)
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

    /// The number of the latest coup, in play or over.
    #[must_use]
    pub fn latest_coup(&self) -> u32 {
        self.coup.as_ref().map_or(self.coups, |coup| coup.number)
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

    /// The person who was offered the cut.
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

    /// Cards that have left the shoe and wait, each for a round of its own.
    #[must_use]
    pub fn waiting(&self) -> &[Waiting] {
        &self.waiting
    }

    /// The card that comes next from the shoe or from those that wait, if it is known. A card that
    /// waits can only be the first card of a coup.
    #[must_use]
    pub fn coming(&self) -> Option<Waiting> {
        let first = self.coup.as_ref().is_none_or(|coup| coup.cards.is_empty());
        self.waiting.first().copied().filter(|_| first).or(self.face_up)
    }

    /// The players at the table, in the order of arrival.
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

    /// The players who take part; excluded players do not count.
    pub(crate) fn playing(&self) -> impl Iterator<Item = (PlayerId, &Player)> {
        self.here().filter(|(_, player)| !player.excluded)
    }

    /// A player's wager on a spot; the oldest, if there are several at different places.
    #[must_use]
    pub fn on_spot(&self, player: PlayerId, spot: Spot) -> Option<&Wager> {
        self.wagers.iter().find(|wager| wager.player == player && wager.spot == spot)
    }

    /// A player's wager on a spot at a place.
    #[must_use]
    pub fn at(&self, player: PlayerId, spot: Spot, place: u32) -> Option<&Wager> {
        self.wagers.iter().find(|wager| wager.is_at(player, spot, place))
    }

    /// The limits that apply to a player: those of the sign, and personal ones. A personal maximum
    /// without an agreed minimum never lowers the maximum of the sign.
    #[inline]
    pub(crate) fn limits_of(&self, player: PlayerId, group: Group) -> Option<Limits> {
        let sign = self.limits.get(group);
        let Some((least, most)) = self.player(player).limits.get(group) else { return sign };
        let agreed = least.is_some();
        let least = least.or(sign.map(|sign| sign.least)).unwrap_or(Cents::ZERO);
        let granted = sign.filter(|_| !agreed).map_or(Cents::ZERO, |sign| sign.most);
        // If the agreed minimum is not on a step of the sign, the steps do not apply.
        let on_step = |step: &Cents| least.get().is_multiple_of(step.get());
        let step = sign.and_then(|sign| sign.step).filter(on_step);
        Some(Limits { least, most: most.max(granted), step })
    }

    /// The limits of a wager when chips are added to it: chips that were at risk before stay at
    /// risk.
    #[inline]
    pub(crate) fn limits_with(&self, lying: Option<&Wager>, wager: &Wager) -> Option<Limits> {
        let now = self.limits_of(wager.player, self.group(wager.spot));
        let before = lying.map(|old| old.limits.map_or(old.stake, |l| l.most.min(old.stake)));
        now.map(|now| Limits { most: now.most.max(before.unwrap_or(Cents::ZERO)), ..now })
    }
}

/// The clause of an optional decision or ground, if the book has it.
#[expect(clippy::ref_option, reason = "items of a book are fields of that type")]
pub(crate) fn of(item: &Option<impl rules::Rests>) -> Option<Clause> {
    item.as_ref().map(rules::Rests::clause)
}
