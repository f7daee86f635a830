//! What must hold before an event is folded. For an event that a decision made it is asserted; a
//! log that fails the check is damaged, and the reader gets an error.

use core::fmt;

use rules::{Balance, Cents, Spot};

use crate::event::{Account, Event, Fact, PlayerId};
use crate::state::{Coup, Player, State};

/// Why an event cannot have happened at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The postings do not sum to zero.
    Unbalanced,
    /// A balance is larger than any number of chips.
    TooMuch,
    /// A player's stack would be below zero.
    BelowZero(PlayerId),
    /// The chips on the layout are not those of the wagers.
    Layout,
    /// There is no such wager, or it is smaller.
    NoWager(PlayerId),
    /// The table does not know the player.
    NoPlayer(PlayerId),
    /// A new player's number is not the next one.
    NotNext(PlayerId),
    /// Two seated players would have one seat.
    SeatTaken(u32),
    /// A coup's number does not follow the previous one.
    Number(u32),
    /// A card belongs to no coup, or is one too many.
    Card,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unbalanced => write!(f, "chips come from nowhere or go nowhere"),
            Self::TooMuch => write!(f, "more chips than there can be"),
            Self::BelowZero(id) => write!(f, "player {} has less than nothing", id.0),
            Self::Layout => write!(f, "the chips on the layout are not those of the wagers"),
            Self::NoWager(id) => write!(f, "player {} has no such wager", id.0),
            Self::NoPlayer(id) => write!(f, "there is no player {}", id.0),
            Self::NotNext(id) => write!(f, "player {} is not the next to arrive", id.0),
            Self::SeatTaken(seat) => write!(f, "two players sit at {seat}"),
            Self::Number(number) => write!(f, "coup {number} does not follow the one before"),
            Self::Card => write!(f, "a card in no coup, or one too many"),
        }
    }
}

impl core::error::Error for Broken {}

/// A wager that an event takes from, settles or leaves.
struct Part {
    player: PlayerId,
    spot: Spot,
    place: u32,
    amount: Cents,
}

impl State {
    /// Whether an event can have happened at this table. It judges nothing: it checks only what
    /// must hold under every book.
    ///
    /// # Errors
    ///
    /// When the event cannot have happened.
    pub fn check(&self, event: &Event) -> Result<(), Broken> {
        let layout = self.check_fact(&event.fact)?;
        if event.postings.is_empty() && layout == Balance::ZERO {
            return Ok(());
        }
        self.check_postings(event, layout)
    }

    /// Checks that the postings sum to zero, and that the layout gets exactly what the fact says.
    fn check_postings(&self, event: &Event, on_the_layout: Balance) -> Result<(), Broken> {
        let (mut sum, mut layout) = (Balance::ZERO, Balance::ZERO);
        for leg in &event.postings {
            sum = sum.checked_add(leg.cents).ok_or(Broken::TooMuch)?;
            let before = match leg.account {
                Account::Layout => {
                    layout = leg.cents;
                    self.layout
                }
                Account::Outside => self.outside,
                Account::Float => self.float,
                Account::Commission => self.commission,
                Account::Stack(id) => self.known_or_new(id, event)?,
                Account::Receivable(id) => self.known(id)?.receivable,
            };
            let after = before.checked_add(leg.cents).ok_or(Broken::TooMuch)?;
            if let (Account::Stack(id), true) = (leg.account, after.is_negative()) {
                return Err(Broken::BelowZero(id));
            }
        }
        if sum != Balance::ZERO {
            return Err(Broken::Unbalanced);
        }
        if layout == on_the_layout { Ok(()) } else { Err(Broken::Layout) }
    }

    fn known(&self, id: PlayerId) -> Result<&Player, Broken> {
        self.players.get(usize::from(id.0)).ok_or(Broken::NoPlayer(id))
    }

    /// The stack of a player; a newcomer has none yet.
    fn known_or_new(&self, id: PlayerId, event: &Event) -> Result<Balance, Broken> {
        if let Fact::Arrived { player, .. } = event.fact
            && player == id
        {
            return Ok(Balance::ZERO);
        }
        self.known(id).map(|player| player.stack)
    }

    /// One arm for each fact; gives what the fact puts on the layout or takes from it.
    #[expect(clippy::too_many_lines, reason = "one arm for each fact")]
    fn check_fact(&self, fact: &Fact) -> Result<Balance, Broken> {
        let none = Ok(Balance::ZERO);
        match *fact {
            Fact::Arrived { player, seat, standing, .. } => {
                self.check_arrival(player, seat, standing)?;
                none
            }
            Fact::Placed { player, amount, .. } | Fact::Relaid { player, stake: amount, .. } => {
                self.known(player)?;
                Ok(amount.into())
            }
            Fact::Returned { player, spot, place, amount, .. }
            | Fact::Settled { player, spot, place, stake: amount, .. } => {
                self.check_lies(&Part { player, spot, place, amount })?;
                Ok(-Balance::from(amount))
            }
            Fact::Moved { player, from: spot, place, amount, .. }
            | Fact::Lies { player, spot, place, stake: amount } => {
                self.check_lies(&Part { player, spot, place, amount })?;
                none
            }
            Fact::WagerCorrected { player, spot, place, from, to } => {
                self.check_lies(&Part { player, spot, place, amount: from })?;
                Ok(Balance::from(to) - Balance::from(from))
            }
            Fact::CoupBegan { number, .. } => {
                self.check_number(number, self.coups + 1)?;
                none
            }
            Fact::CoupEnded { number, .. } => {
                self.check_number(number, self.coups)?;
                none
            }
            Fact::Dealt { side, .. } => {
                let room = |coup: &Coup| !coup.cards.is_full() && coup.count(side) < 3;
                if self.coup.as_ref().is_some_and(room) { none } else { Err(Broken::Card) }
            }
            Fact::PersonalLimits { .. }
            | Fact::Left(..)
            | Fact::Excluded(..)
            | Fact::SeatRequired(..)
            | Fact::RiffleAsked(..)
            | Fact::CutOffered(..)
            | Fact::CutDeclined(..)
            | Fact::Cut { .. }
            | Fact::ClaimWaived(..)
            | Fact::Advised(..)
            | Fact::BothSidesApproved(..)
            | Fact::NoBetAsked(..)
            | Fact::NoBetAnswered(..)
            | Fact::FaceDownAsked(..)
            | Fact::Passed(..)
            | Fact::CardsRefused(..)
            | Fact::Reversed { .. }
            | Fact::Disputed(..)
            | Fact::RulesAsked(..)
            | Fact::Away(..)
            | Fact::Back(..)
            | Fact::InAgain(..)
            | Fact::SeatCorrected { .. }
            | Fact::Adjusted { .. }
            | Fact::Opened(..)
            | Fact::Kept(..)
            | Fact::Ticked
            | Fact::Posted(..)
            | Fact::Sign(..)
            | Fact::NoticeGiven { .. }
            | Fact::TookEffect(..)
            | Fact::Consented
            | Fact::Vacated
            | Fact::RiffleApproved
            | Fact::CheckedBy(..)
            | Fact::Prepared(..)
            | Fact::CuttingCardPlaced(..)
            | Fact::Burned { .. }
            | Fact::BurnShort { .. }
            | Fact::BurnedMore(..)
            | Fact::BurnSkipped
            | Fact::ShoeReady
            | Fact::Replaced
            | Fact::ShuffleDue
            | Fact::LetStand
            | Fact::NoBetDirected(..)
            | Fact::OptionalCoups(..)
            | Fact::SurveillanceInformed
            | Fact::Called(..)
            | Fact::BetsOpened
            | Fact::BetsClosed
            | Fact::Turned { .. }
            | Fact::Totals { .. }
            | Fact::PairsJudged { .. }
            | Fact::Natural
            | Fact::ThreeAlready(..)
            | Fact::Stands(..)
            | Fact::GivenToBanker(..)
            | Fact::OutOfSequence(..)
            | Fact::Reconstructed
            | Fact::Rearranged(..)
            | Fact::ThirdMoved(..)
            | Fact::Suspended(..)
            | Fact::Resumed
            | Fact::Excess { .. }
            | Fact::ExcessNotUsed(..)
            | Fact::FoundFaceUp(..)
            | Fact::Result(..)
            | Fact::ErrorFound { .. }
            | Fact::Reopened { .. }
            | Fact::Voided { .. }
            | Fact::CuttingCardOut { .. }
            | Fact::CoupsLeft(..)
            | Fact::OneMoreRound
            | Fact::NoMoreRound
            | Fact::CuttingCardSeen
            | Fact::Decided(..)
            | Fact::DisputeDecided { .. }
            | Fact::DisputeReviewed { .. }
            | Fact::RulesGiven
            | Fact::ManagementInformed
            | Fact::InspectorLeft
            | Fact::InspectorBack
            | Fact::OpenedAgain
            | Fact::CardCorrected { .. }
            | Fact::Closed => {
                if let Some(id) = fact.player() {
                    self.known(id)?;
                }
                none
            }
        }
    }

    /// A new player has the next number, and takes a free seat.
    fn check_arrival(&self, id: PlayerId, seat: u32, standing: bool) -> Result<(), Broken> {
        if usize::from(id.0) != self.players.len() {
            return Err(Broken::NotNext(id));
        }
        let taken = self.here().any(|(_, other)| other.seat == seat && !other.standing);
        if taken && !standing { Err(Broken::SeatTaken(seat)) } else { Ok(()) }
    }

    /// Checks that at least so much lies there.
    fn check_lies(&self, part: &Part) -> Result<(), Broken> {
        let Part { player, spot, place, amount } = *part;
        self.known(player)?;
        let lies = self.at(player, spot, place).map_or(Cents::ZERO, |wager| wager.stake);
        if lies < amount { Err(Broken::NoWager(player)) } else { Ok(()) }
    }

    /// Coups are numbered in order, and the chips on the layout are those of the wagers.
    fn check_number(&self, number: u32, due: u32) -> Result<(), Broken> {
        if number != due {
            return Err(Broken::Number(number));
        }
        let lies: Balance = self.wagers.iter().map(|wager| Balance::from(wager.stake)).sum();
        if lies == self.layout { Ok(()) } else { Err(Broken::Layout) }
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;

    use super::*;
    use crate::command::Name;
    use crate::event::{ReturnWhy, transfer};
    use rules::Side;

    const ANN: PlayerId = PlayerId(0);
    const BO: PlayerId = PlayerId(1);

    fn event<const N: usize>(at: u64, fact: Fact, moved: [(Account, Balance); N]) -> Event {
        let mut event = Event::of(at, fact);
        event.post(moved);
        event
    }

    fn arrived(player: PlayerId, seat: u32, standing: bool) -> Event {
        let (name, chips) = (Box::new(Name::from("Ann").unwrap()), Cents::new(100).unwrap());
        let postings = transfer(Account::Outside, Account::Stack(player), chips);
        event(5, Fact::Arrived { player, name, seat, standing, chips }, postings)
    }

    fn placed(cents: u64, moved: u64) -> Event {
        let [amount, moved] = [cents, moved].map(|cents| Cents::new(cents).unwrap());
        let (player, spot, place) = (ANN, Spot::Player, 1);
        let postings = transfer(Account::Stack(ANN), Account::Layout, moved);
        event(5, Fact::Placed { player, spot, place, amount, unnoticed: false }, postings)
    }

    /// Ann has 40 cents left and 60 on Player.
    fn table() -> State {
        let mut table = State::default();
        table.evolve(&arrived(ANN, 1, false));
        table.evolve(&placed(60, 60));
        table
    }

    #[test]
    fn what_cannot_have_happened_is_reported_and_changes_nothing() {
        let (amount, why) = (Cents::new(61).unwrap(), ReturnWhy::TakenBack);
        let back = Fact::Returned { player: ANN, spot: Spot::Player, place: 1, amount, why };
        let returned = transfer(Account::Layout, Account::Stack(ANN), amount);
        let one = [(Account::Float, Balance::new(1))];
        let (no_bet, last) = (None, false);
        let dealt = Fact::Dealt { side: Side::Player, card: None, shown: false };
        for (event, broken) in [
            (event(5, Fact::Ticked, one), Broken::Unbalanced),
            (placed(41, 41), Broken::BelowZero(ANN)),
            (placed(10, 20), Broken::Layout),
            (placed(10, 0), Broken::Layout),
            (event(5, back, returned), Broken::NoWager(ANN)),
            (event(5, Fact::Left(BO), []), Broken::NoPlayer(BO)),
            (arrived(ANN, 2, false), Broken::NotNext(ANN)),
            (arrived(BO, 1, false), Broken::SeatTaken(1)),
            (event(5, Fact::CoupBegan { number: 2, no_bet, last }, []), Broken::Number(2)),
            (event(5, dealt, []), Broken::Card),
        ] {
            let mut table = table();
            assert_eq!(table.replay(&event), Err(broken), "{event:?}");
            assert_eq!(table, self::table(), "{broken}");
        }
    }

    #[test]
    fn what_can_have_happened_is_folded() {
        let (no_bet, last) = (None, false);
        for event in [
            arrived(BO, 1, true),
            arrived(BO, 2, false),
            placed(40, 40),
            event(6, Fact::CoupBegan { number: 1, no_bet, last }, []),
        ] {
            assert_eq!(table().replay(&event), Ok(()), "{event:?}");
        }
    }
}
