//! What the person at the screen does: cuts, bets, turns, asks, leaves.

use anyhow::Result;
use rules::{Card, Cents, Side, Spot};
use table::{Act, Bet, Decision, Deed, Phase, SignLine, Work};

use super::{Desk, MY_SEAT, cents};

/// What the person did with chips in this round, so that it can be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Placed(Spot, Cents),
    TookBack(Vec<(Spot, Cents)>),
}

/// How cards are to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    Up,
    Down,
}

/// What is done only when it is said twice in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sure {
    DealWithoutWager,
    Leave,
    NewChips,
    NoBet,
}

impl Desk {
    /// Whether this was said a moment ago, too. If not, it asks.
    pub(crate) fn is_sure(&mut self, of: Sure, question: &str) -> bool {
        let sure = self.sure == Some(of);
        self.sure = Some(of).filter(|_| !sure);
        if !sure {
            self.say(question);
        }
        sure
    }

    /// Something else is done: what was asked before is no longer meant.
    pub(crate) fn change_mind(&mut self, still: Option<Sure>) {
        self.sure = self.sure.filter(|sure| Some(*sure) == still);
    }

    /// From where to where the cards may be cut.
    pub(crate) fn cut_range(&self) -> (u32, u32) {
        let least = self.book().rulebook.cut.depth.value.get();
        let total = self.table().options().decks * 52;
        (least, total - least)
    }

    /// Cuts; the middle of what is allowed if no depth was said.
    pub(crate) fn cut(&mut self, depth: Option<u32>) -> Result<()> {
        let (least, most) = self.cut_range();
        let depth = depth.unwrap_or_else(|| self.guests.cut((least, most)));
        let _ = self.act(Act::Player(self.me, Deed::Cut(depth)))?;
        Ok(())
    }

    pub(crate) fn decline_cut(&mut self) -> Result<()> {
        let _ = self.act(Act::Player(self.me, Deed::DeclineCut))?;
        Ok(())
    }

    /// Places chips; gives whether they lie.
    pub(crate) fn bet(&mut self, spot: Spot, amount: Cents) -> Result<bool> {
        let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
        let placed = self.act(Act::Player(self.me, Deed::Bet(bet)))?.is_ok();
        if placed {
            self.done.push(Done::Placed(spot, amount));
        } else if self.is_broke() {
            self.say("you have less than the least wager; `chips` ($) brings new play money");
        }
        Ok(placed)
    }

    /// Whether no wager can be made any more.
    pub(crate) fn is_broke(&self) -> bool {
        let least = self.spots().into_iter().filter_map(|spot| {
            let table = self.table();
            table.limits(table.group(spot))
        });
        let least = least.map(|limits| limits.least).min();
        self.mine().next().is_none() && least.is_some_and(|least| self.my_stack() < least)
    }

    /// Takes the last chips back, or places again what was taken back.
    pub(crate) fn undo(&mut self) -> Result<()> {
        match self.done.pop() {
            None => self.say("nothing to undo in this round"),
            Some(Done::Placed(spot, amount)) => self.undo_placing(spot, amount)?,
            Some(Done::TookBack(wagers)) => {
                for (spot, amount) in wagers {
                    let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
                    let _ = self.act(Act::Player(self.me, Deed::Bet(bet)))?;
                }
            }
        }
        Ok(())
    }

    fn undo_placing(&mut self, spot: Spot, amount: Cents) -> Result<()> {
        let lies = self.mine().find(|wager| wager.spot == spot).map(|wager| wager.stake);
        if self.act(Act::Player(self.me, Deed::TakeBack(spot)))?.is_err() {
            self.done.push(Done::Placed(spot, amount));
            return Ok(());
        }
        let rest = lies.and_then(|lies| lies.checked_sub(amount)).unwrap_or(Cents::ZERO);
        if rest > Cents::ZERO {
            let bet = Bet { spot, amount: rest, place: None, unnoticed: false, in_error: false };
            let _ = self.act(Act::Player(self.me, Deed::Bet(bet)))?;
        }
        Ok(())
    }

    /// Takes wagers back.
    pub(crate) fn take_back(&mut self, spots: &[Spot]) -> Result<()> {
        let mut taken = Vec::new();
        for spot in spots {
            let lies = self.mine().find(|wager| wager.spot == *spot).map(|wager| wager.stake);
            if self.act(Act::Player(self.me, Deed::TakeBack(*spot)))?.is_ok() {
                taken.extend(lies.map(|stake| (*spot, stake)));
            }
        }
        if !taken.is_empty() {
            self.done.push(Done::TookBack(taken));
        }
        Ok(())
    }

    /// Takes all wagers back.
    pub(crate) fn clear(&mut self) -> Result<()> {
        let spots: Vec<_> = self.mine().map(|wager| wager.spot).collect();
        if spots.is_empty() {
            self.say("you have no wager on the layout");
        }
        self.take_back(&spots)
    }

    /// The wagers of the round before, again.
    pub(crate) fn rebet(&mut self) -> Result<()> {
        if self.last_bets.is_empty() {
            self.say("there is no round before with a wager of yours");
        }
        for (spot, amount) in self.last_bets.clone() {
            self.bet(spot, amount)?;
        }
        Ok(())
    }

    /// Every wager once more.
    pub(crate) fn double(&mut self) -> Result<()> {
        let wagers: Vec<_> = self.mine().map(|wager| (wager.spot, wager.stake)).collect();
        let needed = wagers.iter().map(|(_, stake)| stake.get()).sum::<u64>();
        if wagers.is_empty() {
            self.say("you have no wager to double");
        } else if needed > self.my_stack().get() {
            let needed = Cents::new(needed).unwrap_or(Cents::MAX);
            self.say(format!("to double takes {needed}, and you have {}", self.my_stack()));
            return Ok(());
        }
        for (spot, stake) in wagers {
            self.bet(spot, stake)?;
        }
        Ok(())
    }

    /// Calls no more bets, so that the coup is dealt.
    pub(crate) fn call(&mut self) -> Result<bool> {
        Ok(self.act(Act::Dealer(Work::NoMoreBets))?.is_ok())
    }

    /// Asks for a coup without wagers; all agree, and the supervisor directs it if the book lets
    /// them.
    pub(crate) fn no_bet(&mut self) -> Result<()> {
        let book = &self.book().rulebook;
        let optional = book.no_bet.optional_coups.is_some();
        let question = match (optional, book.no_bet_request.is_some()) {
            (true, _) => Some("coups for which nobody need wager? n again asks for them"),
            (false, true) => {
                Some("a coup without wagers? Those on the layout go back; n again asks for it")
            }
            // The book has no such coups, and the refusal says so.
            (false, false) => None,
        };
        if question.is_some_and(|question| !self.is_sure(Sure::NoBet, question)) {
            return Ok(());
        }
        if self.act(Act::Player(self.me, Deed::AskNoBet))?.is_err() {
            return Ok(());
        }
        let others = self.table().present().map(|(_, player)| player.name);
        let others: Vec<_> = others.filter(|name| *name != self.me).collect();
        for name in others {
            let _ = self.act(Act::Player(name, Deed::Agree))?;
        }
        if self.table().book().no_bet.optional_coups.is_some() {
            let _ = self.act(Act::Supervisor(Decision::ApproveOptionalCoups))?;
        } else {
            let _ = self.act(Act::Supervisor(Decision::DirectNoBet))?;
        }
        Ok(())
    }

    /// Turns the cards that were given.
    pub(crate) fn turn(&mut self, side: Side, third: bool) -> Result<()> {
        let deed = if third { Deed::TurnThird(side, None) } else { Deed::Turn(side, None) };
        let _ = self.act(Act::Player(self.me, deed))?;
        Ok(())
    }

    /// Lets somebody else turn the cards.
    pub(crate) fn refuse_cards(&mut self) -> Result<()> {
        let _ = self.act(Act::Player(self.me, Deed::RefuseCards))?;
        Ok(())
    }

    /// The cards that only the person at the screen may look at.
    pub(crate) fn peek(&self, side: Side) -> Vec<Card> {
        let mine = match self.my_id() {
            Some(id) => self.runtime.block_on(self.client.peek(id, side)).unwrap_or_default(),
            None => None,
        };
        mine.unwrap_or_default()
    }

    /// Asks for cards face down or face up, by the way that the book has for it.
    pub(crate) fn face(&mut self, face: Face) -> Result<()> {
        let down = face == Face::Down;
        let asked = self.book().rulebook.deal.face.value;
        if down && asked == rules::book::Face::UpUnlessAsked {
            if self.act(Act::Player(self.me, Deed::AskFaceDown))?.is_err() {
                return Ok(());
            }
            let _ = self.act(Act::Supervisor(Decision::InformManagement))?;
            let _ = self.act(Act::Supervisor(Decision::InformSurveillance))?;
        }
        let _ = self.act(Act::Post(SignLine::FaceDown(down)))?;
        Ok(())
    }

    /// More simulated players, or fewer.
    pub(crate) fn set_guests(&mut self, count: usize) -> Result<()> {
        for name in self.guests.above(count) {
            if self.act(Act::Player(name, Deed::Leave))?.is_err() {
                // With wagers on the layout nobody leaves; the refusal says so.
                return Ok(());
            }
        }
        self.guests.set(count);
        self.seat_guests()
    }

    pub(super) fn seat_guests(&mut self) -> Result<()> {
        let seats = self.table().options().seats;
        let free = (1..=seats).filter(|seat| self.dealing || *seat != MY_SEAT);
        for (name, seat) in self.guests.names().zip(free).collect::<Vec<_>>() {
            if self.table().player_named(&name).is_none() {
                let _ = self.act(Act::Player(name, Deed::Sit(seat, cents(2000))))?;
            }
        }
        Ok(())
    }

    /// Leaves with all chips and sits down again with new play money.
    pub(crate) fn fresh_chips(&mut self) -> Result<()> {
        if self.table().phase() != Phase::Betting || self.mine().next().is_some() {
            self.say("new chips come between coups, without a wager on the layout");
            return Ok(());
        }
        // Who has run out loses nothing by it.
        let (have, stack) = (self.my_stack(), self.stack);
        let question = format!("you have {have}, and would begin again with {stack}; $ again does");
        if !self.is_broke() && !self.is_sure(Sure::NewChips, &question) {
            return Ok(());
        }
        if self.act(Act::Player(self.me, Deed::Leave))?.is_ok() {
            let _ = self.act(Act::Player(self.me, Deed::Sit(MY_SEAT, self.stack)))?;
        }
        Ok(())
    }

    /// Leaves for good: wagers that may be taken back are, the shoe is revealed.
    pub(crate) fn leave(&mut self) -> Result<()> {
        self.left_with = Some(self.my_stack());
        if self.table().phase() == Phase::Betting {
            let all: Vec<_> = self.table().wagers().iter().map(|w| (w.player, w.spot)).collect();
            for (id, spot) in all {
                let name = self.table().player(id).name;
                let _ = self.act(Act::Player(name, Deed::TakeBack(spot)))?;
            }
        }
        let all: Vec<_> = self.table().present().map(|(_, player)| player.name).collect();
        for name in all {
            let _ = self.act(Act::Player(name, Deed::Leave))?;
        }
        self.runtime.block_on(self.client.abandon())?;
        Ok(())
    }
}
