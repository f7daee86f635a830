//! The clock of a tournament. One that has a pace runs by itself: the system does in the names of
//! director and dealers what the book leaves no choice in, and nobody is waited for longer than the
//! pace says. What somebody must judge, such as a correction, waits for that person.

use rules::Card;
use store::{Deals, Pace};
use table::{Act as TableAct, By, Deed, Name, Role};
use tournament::{Act, Command, Due, Need, Next, Offence};

use super::{TableStep, TournamentHost};
use crate::beat::{AT_ONCE, Beat, later, sooner};
use crate::fault::LiveError;

impl TournamentHost {
    /// A notice at a table whose time has come takes effect before anything that comes later.
    pub(super) async fn tick(&mut self) -> Result<(), LiveError> {
        let now = self.world.now();
        let live = self.tournament.sittings().filter(|sitting| sitting.is_live());
        let due: Vec<u32> = live
            .filter(|sitting| {
                let mut notices = sitting.table.pending().iter().filter_map(|notice| notice.from);
                notices.any(|from| from <= now && from > sitting.table.now())
            })
            .map(|sitting| sitting.number)
            .collect();
        for table in due {
            let act = Act::At(Some(table), Box::new(TableAct::Tick));
            let _ = self.act_by(By::role(Role::Clock), act).await?;
        }
        Ok(())
    }

    /// Does what the clock demands, and says when to look again; nothing if only an act of somebody
    /// changes anything.
    ///
    /// # Errors
    ///
    /// When the log fails, or did not confirm what was written last: the clock drives nothing on
    /// of which nobody knows how it stands.
    pub async fn wake(&mut self) -> Result<Option<u64>, LiveError> {
        if self.scribe.broken {
            return Err(LiveError::Broken);
        }
        self.tick().await?;
        let now = self.world.now();
        let live = self.tournament.sittings().filter(|sitting| sitting.is_live());
        let notices = live.flat_map(|sitting| sitting.table.pending());
        let notice = notices.filter_map(|notice| notice.from).filter(|from| *from > now).min();
        let by_itself = self.setup.deals == Deals::System;
        let Some(pace) = self.setup.pace.filter(|_| by_itself) else { return Ok(notice) };
        for _ in 0..AT_ONCE {
            match self.beat(pace).await? {
                Beat::Done => {}
                Beat::Idle => return Ok(notice),
                Beat::At(at) => return Ok(sooner(notice, Some(at))),
            }
        }
        Ok(Some(now))
    }

    /// The first step whose time has come, or when the first one's comes.
    async fn beat(&mut self, pace: Pace) -> Result<Beat, LiveError> {
        let mut next = None;
        let dues = self.tournament.due_at(self.world.now());
        let is_called = |table| dues.iter().any(|d| d.next == Next::NoMoreBets && d.table == table);
        let called: Vec<_> = dues.iter().map(|due| is_called(due.table)).collect();
        for (due, called) in dues.into_iter().zip(called) {
            // A player who wagers in turn is asked, so that the time runs; not where all wagers
            // lie already, after a tie: asking again and again would put the call off for ever.
            let asks =
                (matches!(due.next, Next::Ask(_)) && !called) || due.next == Next::InsertIndicator;
            if due.need == Need::May && !asks {
                continue;
            }
            match self.beat_for(due, pace).await? {
                Beat::Done => return Ok(Beat::Done),
                Beat::At(at) => next = sooner(next, Some(at)),
                Beat::Idle => {}
            }
        }
        Ok(next.map_or(Beat::Idle, Beat::At))
    }

    async fn beat_for(&mut self, due: Due, pace: Pace) -> Result<Beat, LiveError> {
        let last = self.last_at(due.table);
        match due.next {
            Next::TellConditions | Next::Accept(_) => self.do_at(last, due.act).await,
            Next::CloseEntries => match self.entries_close(pace) {
                Some(closing) => self.do_at(closing, due.act).await,
                None => Ok(Beat::Idle),
            },
            Next::Apply => match self.entries_close(pace) {
                Some(closing) => self.do_at(closing, Some(cancelled("too few entered"))).await,
                None => Ok(Beat::Idle),
            },
            Next::Cancel => self.do_at(last, Some(cancelled("it cannot be won"))).await,
            Next::WaitForStart(until) | Next::Break(until) => Ok(Beat::At(until)),
            Next::CommitBallot => Ok(done(self.commit_ballot().await?.is_ok())),
            Next::RevealBallot => match self.wait_until(later(last, pace.answer_ms)) {
                Some(wait) => Ok(wait),
                None => Ok(done(self.reveal_ballot().await?.is_ok())),
            },
            Next::OpenForm(name) => {
                // The words are in a sealed box, which the inspector opens now.
                let act = Act::OpenForm { name, salt: String::new(), content: String::new() };
                let by = By::role(Role::Inspector);
                match self.wait_until(later(last, pace.card_ms)) {
                    Some(wait) => Ok(wait),
                    None => Ok(done(self.act_by(by, act).await?.is_ok())),
                }
            }
            Next::Wager { name, until } => {
                let asked = later(last, pace.betting_ms);
                let until = until.map_or(asked, |until| later(until, pace.answer_ms));
                // Where the book eliminates nobody for it, the player is taken to be away.
                let act = self.first_lawful([Act::Eliminate(name), Act::GoAway(name)]);
                self.do_at(until, act).await
            }
            Next::ComeBack(name) | Next::TakeSeat(name) => {
                // The table cannot go on without the player.
                let absent = Act::Disqualify(name, Offence::Absence);
                let act = self.first_lawful([Act::Eliminate(name), absent]);
                self.do_at(later(last, pace.answer_ms), act).await
            }
            Next::NoMoreBets => {
                // Wagers that lie after a tie may be altered, which takes time to bet.
                let dues = self.tournament.due_at(self.world.now());
                let alters = |d: &Due| matches!(d.next, Next::Ask(_)) && d.table == due.table;
                let wait = if dues.iter().any(alters) { pace.betting_ms } else { pace.card_ms };
                self.do_at(later(last, wait), due.act).await
            }
            Next::DrawForPlayOff => self.draw_for_play_off(due.table, pace).await,
            Next::NameTables
            | Next::Allot(_)
            | Next::TakeSeats
            | Next::Start
            | Next::RaiseLimits
            | Next::InsertIndicator
            | Next::Ask(_)
            | Next::Examine(_)
            | Next::AnnounceLast
            | Next::EndEarly
            | Next::StartPlayOff
            | Next::AwardPrizes => self.do_at(later(last, pace.card_ms), due.act).await,
            Next::ReplaceCards
            | Next::CheckCards(_)
            | Next::LookOver
            | Next::Shuffle
            | Next::Cut(_)
            | Next::PlaceCuttingCard(_)
            | Next::Burn
            | Next::FreshShoe
            | Next::Deal
            | Next::DrawCard(_)
            | Next::Turn { .. } => self.deal_at(due, pace).await,
            // These are for people: to prepare the event, to judge, and to be there.
            Next::Open
            | Next::Document
            | Next::Approve
            | Next::Publish
            | Next::Notify
            | Next::ApproveCommission
            | Next::NameDirector
            | Next::DirectorReturns
            | Next::RequireAgreement
            | Next::OpenEntries
            | Next::Agree(_)
            | Next::RefuseEntry(_)
            | Next::ApproveSubstitute { .. }
            | Next::AddToBallot
            | Next::AbandonBallot
            | Next::Draw(_)
            | Next::OfferSeat { .. }
            | Next::ConfirmCorrection
            | Next::DropCorrection
            | Next::PlaceMarker
            | Next::HandIn(_)
            | Next::WaiveTime(_)
            | Next::Eliminate(_)
            | Next::VoidOutOfOrder(_)
            | Next::InspectorReturns
            | Next::Rule(_)
            | Next::BuyBack(_)
            | Next::AwardPoints => Ok(Beat::Idle),
        }
    }

    /// When entries close: so long before the start that places can be drawn and seats taken.
    fn entries_close(&self, pace: Pace) -> Option<u64> {
        let start = self.tournament.conditions()?.start?;
        let draw = pace.answer_ms.saturating_add(pace.card_ms).saturating_mul(3);
        Some(start.0.saturating_sub(draw.saturating_mul(1000)))
    }

    /// When the last thing happened at a table, or in the event.
    fn last_at(&self, table: Option<u32>) -> u64 {
        let sitting = table.and_then(|table| self.tournament.sitting(table));
        let at = sitting.map(|sitting| sitting.table.now().max(sitting.since));
        at.unwrap_or_else(|| self.tournament.now())
    }

    /// That it is too early, if it is.
    fn wait_until(&self, time: u64) -> Option<Beat> {
        (self.world.now() < time).then_some(Beat::At(time))
    }

    async fn do_at(&mut self, time: u64, act: Option<Act>) -> Result<Beat, LiveError> {
        let Some(act) = act else { return Ok(Beat::Idle) };
        if let Some(wait) = self.wait_until(time) {
            return Ok(wait);
        }
        Ok(done(self.act_by(act.usual(), act).await?.is_ok()))
    }

    /// The first of some acts that the book allows now.
    fn first_lawful(&self, acts: [Act; 2]) -> Option<Act> {
        let now = self.world.now();
        let allowed = |act: &Act| self.tournament.decide(&Command::new(now, act.clone())).is_ok();
        acts.into_iter().find(allowed)
    }

    /// The system deals; a player who is asked and does not answer is taken to have declined.
    async fn deal_at(&mut self, due: Due, pace: Pace) -> Result<Beat, LiveError> {
        let Some(table) = due.table else { return Ok(Beat::Idle) };
        let last = self.last_at(due.table);
        if let Some(wait) = self.wait_until(later(last, pace.card_ms)) {
            return Ok(wait);
        }
        if self.waits_for_words(table).await? {
            let until = later(self.published_at(table), pace.answer_ms);
            if let Some(wait) = self.wait_until(until) {
                return Ok(wait);
            }
        }
        match self.step_at(table).await? {
            TableStep::Did(ruled) => Ok(done(ruled.is_ok())),
            TableStep::Shoe => Ok(Beat::Done),
            TableStep::Nothing => Ok(Beat::Idle),
            TableStep::Waits(at) => {
                let Some((player, deed)) = self.declining(table, at.next) else {
                    return Ok(Beat::Idle);
                };
                let act = Act::At(Some(table), Box::new(TableAct::Player(player, deed)));
                self.do_at(later(last, pace.answer_ms), Some(act)).await
            }
        }
    }

    /// How somebody who is asked at a table says no.
    fn declining(&self, table: u32, next: table::Next) -> Option<(Name, Deed)> {
        let sitting = self.tournament.sitting(table)?;
        let name = |id| sitting.table.player(id).name;
        match next {
            table::Next::Cut(Some(table::CutBy::Player(id))) => Some((name(id), Deed::DeclineCut)),
            table::Next::Cut(None) => {
                let declined = &sitting.table.shoe().declined;
                let mut there = sitting.table.present();
                let asked = there.find(|(id, _)| !declined.contains(id));
                asked.map(|(_, player)| (player.name, Deed::DeclineCut))
            }
            table::Next::Turn { by: Some(id), .. } => Some((name(id), Deed::RefuseCards)),
            table::Next::Cut(Some(table::CutBy::Staff(_)))
            | table::Next::Turn { by: None, .. }
            | table::Next::Replace
            | table::Next::Check(_)
            | table::Next::Players
            | table::Next::Shuffle
            | table::Next::PlaceCuttingCard(_)
            | table::Next::Burn
            | table::Next::Wagers
            | table::Next::Card(_)
            | table::Next::Inspector
            | table::Next::Decide(_) => None,
        }
    }

    /// The card that says how long a play-off is. It gives nobody an advantage: it needs no proof.
    async fn draw_for_play_off(
        &mut self,
        table: Option<u32>,
        pace: Pace,
    ) -> Result<Beat, LiveError> {
        let mut bytes = [0; 64];
        self.world.fill(&mut bytes).map_err(LiveError::NoEntropy)?;
        let mut words = bytes
            .chunks_exact(4)
            .map(|word| u32::from_be_bytes(word.try_into().expect("a chunk has four bytes")));
        let drawn = shoe::below(52, &mut words).ok().and_then(|card| u8::try_from(card).ok());
        let card = drawn.and_then(Card::from_index);
        let act = card.map(|card| Act::DrawForPlayOff(table, card));
        self.do_at(later(self.last_at(table), pace.card_ms), act).await
    }
}

fn cancelled(why: &str) -> Act {
    Act::Cancel(why.to_owned())
}

const fn done(ok: bool) -> Beat {
    if ok { Beat::Done } else { Beat::Idle }
}
