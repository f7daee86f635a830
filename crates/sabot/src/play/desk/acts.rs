//! What the person at the screen does at a table of this program's own floor.

use std::time::Instant;

use anyhow::Result;
use rulebooks::Book;
use shoe::ShoeRecord;
use table::{Act, Command, Decision, Deed, Phase, SignLine, Work};
use view::TableView;

use super::{Desk, MY_SEAT, dollars};
use crate::play::deal::{self, Cards};
use crate::play::guests::Guests;
use crate::play::orders::Reply;
use crate::play::seat::{Face, LogLine, Moved, Seat, Slip, Sure, cents};

impl Seat for Desk {
    fn sight(&self) -> &TableView {
        &self.sight
    }

    fn name(&self) -> String {
        self.client.name().to_owned()
    }

    fn log(&self) -> &[LogLine] {
        &self.log
    }

    fn tell(&mut self, line: LogLine) {
        self.log.push(line);
    }

    fn slip(&mut self) -> &mut Slip {
        &mut self.slip
    }

    fn book(&self) -> Option<&Book> {
        Some(self.client.book())
    }

    fn account(&self) -> String {
        let account = self.runtime.block_on(self.client.account(&self.me));
        account.unwrap_or_else(|_| self.me.to_string())
    }

    fn shoe(&self) -> Option<ShoeRecord> {
        self.client.published().cloned()
    }

    fn shoe_before(&self) -> Option<ShoeRecord> {
        self.finished.clone()
    }

    fn head(&self) -> Option<String> {
        let head = self.runtime.block_on(self.client.store().head()).ok().flatten()?;
        Some(format!("{}:{}", head.version, head.hash))
    }

    fn until(&self) -> Option<Instant> {
        None
    }

    fn runs_by_itself(&self) -> bool {
        false
    }

    fn deed(&mut self, deed: Deed) -> Result<bool> {
        Ok(self.act(Act::Player(self.me, deed))?.is_ok())
    }

    fn any_cut(&mut self) -> u32 {
        let range = self.cut_range();
        self.guests.cut(range)
    }

    fn advance(&mut self) -> Result<Moved> {
        let moved = self.step()?;
        self.look();
        Ok(moved)
    }

    fn call(&mut self) -> Result<bool> {
        Ok(self.act(Act::Dealer(Work::NoMoreBets))?.is_ok())
    }

    /// All agree, and the supervisor directs it if the book lets them.
    fn no_bet(&mut self) -> Result<()> {
        let book = &self.client.book().rulebook;
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
        if !self.deed(Deed::AskNoBet)? {
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

    fn face(&mut self, face: Face) -> Result<()> {
        let down = face == Face::Down;
        let asked = self.client.book().rulebook.deal.face.value;
        if down && asked == rules::book::Face::UpUnlessAsked {
            if !self.deed(Deed::AskFaceDown)? {
                return Ok(());
            }
            let _ = self.act(Act::Supervisor(Decision::InformManagement))?;
            let _ = self.act(Act::Supervisor(Decision::InformSurveillance))?;
        }
        let _ = self.act(Act::Post(SignLine::FaceDown(down)))?;
        Ok(())
    }

    fn set_guests(&mut self, count: usize) -> Result<()> {
        for name in self.guests.at(self.table()).into_iter().skip(count) {
            if self.act_simulated(name, Deed::Leave)?.is_err() {
                // With wagers on the layout nobody leaves; the refusal says so.
                return Ok(());
            }
            self.guests.forget(name);
        }
        self.seat_guests(count)
    }

    /// Leaves with all chips and sits down again with new play money.
    fn fresh_chips(&mut self) -> Result<()> {
        if self.table().phase() != Phase::Betting || !self.mine().is_empty() {
            self.say("new chips come between coups, without a wager on the layout".into());
            return Ok(());
        }
        // Who has run out loses nothing by it.
        let (have, stack) = (self.my_stack(), self.stack);
        let question = format!("you have {have}, and would begin again with {stack}; $ again does");
        if !self.is_broke() && !self.is_sure(Sure::NewChips, &question) {
            return Ok(());
        }
        if self.deed(Deed::Leave)? {
            self.deed(Deed::Sit(MY_SEAT, self.stack))?;
        }
        Ok(())
    }

    /// Everybody leaves, or nobody: whom wagers hold holds the table. What may be taken back goes
    /// along, and the shoe is revealed.
    fn leave(&mut self) -> Result<bool> {
        let mut all: Vec<_> = self.table().present().map(|(_, player)| player.name).collect();
        // What holds the person at the screen is told first.
        all.sort_by_key(|name| *name != self.me);
        for name in &all {
            let leaves = Command::new(store::now(), Act::Player(*name, Deed::Leave));
            if let Err(refusal) = self.table().decide(&leaves) {
                self.refused(&refusal);
                return Ok(false);
            }
        }
        let wagers: u64 = self.own_wagers().iter().map(|(_, stake)| stake.get()).sum();
        let takes = self.my_stack().get() + wagers;
        for name in all {
            if self.act(Act::Player(name, Deed::Leave))?.is_err() {
                return Ok(false);
            }
        }
        // Who deals has no chips to leave with.
        self.left_with = Some(cents(takes)).filter(|_| !self.dealing);
        self.runtime.block_on(self.client.abandon())?;
        Ok(true)
    }

    fn line(&mut self, _line: &str) -> Result<Option<Reply>> {
        Ok(None)
    }

    fn dealers_question(&self) -> String {
        deal::question(self)
    }

    fn obey_dealer(&mut self, line: &str, cards: Cards) -> Result<Reply> {
        let reply = deal::obey(self, line, cards)?;
        if reply == Reply::Done {
            deal::others(self, cards)?;
        }
        Ok(reply)
    }
}

impl Desk {
    /// Seats simulated players until there are so many, as far as there are names and seats.
    pub(super) fn seat_guests(&mut self, count: usize) -> Result<()> {
        let table = self.table();
        let taken = |seat: &u32| table.present().any(|(_, player)| player.seat == *seat);
        let seats = (1..=table.options().seats).filter(|seat| self.dealing || *seat != MY_SEAT);
        let seats = seats.filter(|seat| !taken(seat));
        let missing = count.min(Guests::MOST).saturating_sub(self.guests.at(table).len());
        let new: Vec<_> = Guests::free(table).zip(seats).take(missing).collect();
        for (name, seat) in new {
            if self.act_simulated(name, Deed::Sit(seat, dollars(2000)))?.is_ok() {
                self.guests.add(name);
            }
        }
        Ok(())
    }
}
