//! The fold: how an event changes a table. It always succeeds: history is asserted, never refused.

mod correcting;
mod coup;

use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::{Balance, Card, Cents, Composition, Side, Spot, Verdict};

use crate::check::Broken;
use crate::command::SignLine;
use crate::event::{
    Account, Advice, CutBy, Event, Fact, NoBetWhy, PlayerId, ReturnWhy, Step, SuspendedWhy,
};
use crate::record::Effect;
use crate::roads::Bead;
use crate::shoe::Shoe;
use crate::state::{
    AreaCaps, ByGroup, CoupCard, Dispute, DisputeStage, Pending, Phase, Player, State, Wager,
    Waiting,
};

impl State {
    /// Folds one event that a decision made. It needs no book.
    ///
    /// # Panics
    ///
    /// When the event cannot have happened; for a log that may be damaged, there is
    /// [`Self::replay`].
    pub fn evolve(&mut self, event: &Event) {
        if let Err(broken) = self.replay(event) {
            panic!("{broken}: {event:?}");
        }
    }

    /// Folds one event of a log.
    ///
    /// # Errors
    ///
    /// When it cannot have happened: the log is damaged. The table is then as it was.
    pub fn replay(&mut self, event: &Event) -> Result<(), Broken> {
        self.check(event)?;
        self.apply(event);
        Ok(())
    }

    fn apply(&mut self, event: &Event) {
        self.now = self.now.max(event.at);
        self.fold(event);
        for entry in &event.postings {
            match entry.account {
                Account::Outside => self.outside += entry.cents,
                Account::Float => self.float += entry.cents,
                Account::Layout => self.layout += entry.cents,
                Account::Commission => self.commission += entry.cents,
                Account::Stack(id) => self.players[usize::from(id.0)].stack += entry.cents,
                Account::Receivable(id) => {
                    self.players[usize::from(id.0)].receivable += entry.cents;
                }
            }
        }
    }

    /// Stores the effect of a settlement, in case the coup is voided later.
    fn remember(&mut self, player: PlayerId, stake: Cents, verdict: Verdict) {
        let (gained, commission) = match verdict {
            Verdict::Won(winnings) => (winnings.net.into(), winnings.commission.into()),
            Verdict::Lost => (-Balance::from(stake), Balance::ZERO),
            Verdict::Kept => (Balance::ZERO, Balance::ZERO),
        };
        if let Some(record) = self.records.last_mut() {
            record.effects.push(Effect { player, gained, commission });
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each fact")]
    fn fold(&mut self, event: &Event) {
        match &event.fact {
            Fact::Opened(opened) => {
                let options = &opened.options;
                self.options = options.clone();
                self.side_bets.clone_from(&opened.side_bets);
                self.face_down = options.face_down;
                self.phase = Phase::Preparing;
                self.shoe = Shoe::new(self.decks(), 1, None);
                self.open_round();
            }
            Fact::Posted(posting) => {
                self.post(posting);
                // A line that is posted while wagers lie applies from the next round.
                if self.wagers.is_empty() {
                    self.open_round();
                }
            }
            Fact::TookEffect(posting) => {
                self.post(posting);
                self.open_round();
            }
            Fact::NoticeGiven { posting, from } => {
                let by = event.clauses.clone();
                self.pending.push(Pending { posting: (**posting).clone(), from: *from, by });
                self.consented = false;
            }
            Fact::Consented => self.consented = true,
            Fact::PersonalLimits { player, group, least, most } => {
                self.players[usize::from(player.0)].limits.put(*group, (*least, *most));
            }
            Fact::Arrived { player, name, seat, standing, .. } => {
                // The consent came from the players who were there, not from this one.
                self.consented = false;
                self.shoe.looked_over |= self.shoe.checked;
                self.there.push(*player);
                self.players.push(Player {
                    name: **name,
                    seat: *seat,
                    standing: *standing,
                    present: true,
                    excluded: false,
                    stack: Balance::ZERO,
                    receivable: Balance::ZERO,
                    advised_minimum: false,
                    both_sides: false,
                    waived: Vec::new(),
                    sent_back: false,
                    agreed: None,
                    limits: ByGroup::default(),
                });
            }
            Fact::Left(id) | Fact::SeatRequired(id) => {
                self.players[usize::from(id.0)].present = false;
                self.there.retain(|there| there != id);
                self.rules_asked.retain(|asked| asked != id);
                self.forget_request();
            }
            Fact::Excluded(id, _) => self.exclude(*id),
            Fact::Vacated => self.vacated = true,
            Fact::RiffleAsked(_) => self.shoe.riffle_asked = true,
            Fact::RiffleApproved => self.shoe.riffle_approved = true,
            Fact::LetStand => self.let_stand = true,
            Fact::CheckedBy(who) => self.shoe.checked_by[*who as usize] = true,
            Fact::Prepared(step) => self.prepare(*step),
            Fact::CutOffered(by) => self.shoe.offered = Some(*by),
            Fact::CutDeclined(id) => {
                self.shoe.declined.push(*id);
                self.shoe.offered = None;
            }
            Fact::Cut { by, .. } => {
                self.shoe.cut = true;
                self.shoe.last_cutter = match by {
                    CutBy::Player(id) => Some(self.player(*id).seat),
                    CutBy::Staff(_) => None,
                };
            }
            Fact::CuttingCardPlaced(_) => self.shoe.marked = true,
            Fact::Burned { shown, .. } => {
                self.shoe.burned = true;
                if let Some(card) = shown {
                    let _ = self.shoe.left.take(*card);
                }
            }
            Fact::BurnShort { missing } => self.shoe.burn_short = *missing,
            Fact::BurnedMore(more) => {
                self.shoe.burn_short = self.shoe.burn_short.saturating_sub(*more);
            }
            Fact::BurnSkipped => (self.shoe.burned, self.shoe.burn_short) = (true, 0),
            Fact::ShoeReady => {
                self.phase = Phase::Betting;
                self.shuffle_due = false;
                Arc::make_mut(&mut self.roads).clear();
                self.open_round();
            }
            Fact::Replaced => {
                // The cards are new, so the count of seen cards starts again.
                self.last.iter_mut().for_each(|last| last.cards_gone = true);
                self.shoe.left = Composition::of_decks(self.decks());
                self.shoe.checked = false;
                self.shoe.checked_by = [false; 3];
                self.shoe.replaced = true;
                self.shoe.spread = false;
                self.shoe.looked_over = false;
                self.shoe.mixed = false;
                self.shoe.handled = false;
            }
            Fact::ShuffleDue => {
                self.end_shoe();
                self.shuffle_by.clone_from(&event.clauses);
            }
            Fact::Placed { player, spot, place, amount, unnoticed } => {
                self.raise(*player, *spot, *place, *amount, *unnoticed);
            }
            Fact::Returned { player, spot, place, amount, why } => {
                self.lower(*player, *spot, *place, *amount);
                self.players[usize::from(player.0)].sent_back |= *why == ReturnWhy::Exposure;
            }
            Fact::Moved { player, from, to, place, amount } => {
                self.lower(*player, *from, *place, *amount);
                self.raise(*player, *to, *place, *amount, false);
            }
            Fact::ClaimWaived(id, group) => self.players[usize::from(id.0)].waived.push(*group),
            Fact::Advised(id, Advice::UnderMinimum) => {
                self.players[usize::from(id.0)].advised_minimum = true;
            }
            Fact::BothSidesApproved(id) => self.players[usize::from(id.0)].both_sides = true,
            Fact::NoBetAsked(id) => {
                self.no_bet_asked = true;
                self.players[usize::from(id.0)].agreed = Some(true);
            }
            Fact::NoBetAnswered(id, agreed) => {
                self.players[usize::from(id.0)].agreed = Some(*agreed);
            }
            Fact::NoBetDirected(why) => match (&mut self.coup, why) {
                // The current coup continues without wagers; all other reasons concern the next
                // coup.
                (Some(coup), NoBetWhy::AllOff) => {
                    coup.no_bet = Some(*why);
                    if let Some(record) = self.records.last_mut() {
                        record.no_bet = Some(*why);
                    }
                }
                _ => self.no_bet = Some(*why),
            },
            Fact::OptionalCoups(count) => self.optional_coups = *count,
            Fact::FaceDownAsked(_) => self.face_down_asked = true,
            Fact::ManagementInformed => self.management = true,
            Fact::SurveillanceInformed => self.surveillance = true,
            Fact::InspectorLeft => self.inspector_away = true,
            Fact::InspectorBack => self.inspector_away = false,
            Fact::RulesAsked(id) => self.rules_asked.push(*id),
            Fact::RulesGiven => self.rules_asked.clear(),
            Fact::Disputed(id, coup) => self.dispute(*id, *coup),
            Fact::DisputeDecided { number, .. } => {
                self.settle_dispute(*number, DisputeStage::Decided);
            }
            Fact::DisputeReviewed { number, .. } => {
                self.settle_dispute(*number, DisputeStage::Reviewed);
            }
            Fact::BetsOpened => {
                if self.phase == Phase::Called {
                    self.phase = Phase::Betting;
                    self.open_round();
                }
            }
            Fact::BetsClosed => self.phase = Phase::Called,
            Fact::CoupBegan { number, no_bet, .. } => self.begin(*number, *no_bet),
            Fact::Dealt { side, card, shown } => {
                self.deal(CoupCard { side: *side, card: *card, shown: *shown, seen: false });
            }
            Fact::Passed(side, id) => {
                if let Some(coup) = &mut self.coup {
                    coup.passed[*side as usize] = Some(*id);
                }
            }
            Fact::CardsRefused(side, id) => {
                if let Some(coup) = &mut self.coup {
                    coup.passed[*side as usize] = None;
                    coup.refused.push((*side, *id));
                }
            }
            Fact::Turned { index, card } => self.turn(*index, *card),
            Fact::Totals { .. } => {
                if let Some(coup) = &mut self.coup {
                    coup.counted = true;
                }
            }
            Fact::PairsJudged { .. } => {
                if let Some(coup) = &mut self.coup {
                    coup.pairs_settled = true;
                }
            }
            Fact::GivenToBanker(_) | Fact::OutOfSequence(_) => {
                if let Some(coup) = &mut self.coup {
                    coup.irregular = true;
                }
            }
            Fact::Reconstructed => {
                if let Some(coup) = &mut self.coup {
                    for (i, card) in coup.cards.iter_mut().enumerate().take(4) {
                        card.side = Side::BOTH[i % 2];
                    }
                }
            }
            Fact::ThirdMoved(side) => {
                if let Some(card) = self.coup.as_mut().and_then(|coup| coup.cards.get_mut(4)) {
                    card.side = *side;
                }
            }
            Fact::Rearranged(cards) => self.rearrange(cards),
            Fact::ErrorFound { .. } => {
                if let Some(last) = &mut self.last {
                    last.doubted = true;
                }
            }
            Fact::Reopened { number } => self.reopen(*number),
            Fact::Relaid { player, spot, place, stake } => {
                // While the coup is judged again, the wager is one of its own; afterwards, one of
                // the next round.
                let own = self.last.as_ref().filter(|_| self.coup.is_some());
                let next = self.interrupted.as_ref().map(|interrupted| &interrupted.wagers);
                let mut old = own.map(|last| &last.wagers).or(next).into_iter().flatten();
                let lay = old.find(|wager| wager.is_at(*player, *spot, *place)).copied();
                self.wagers.extend(lay.map(|wager| Wager { stake: *stake, ..wager }));
            }
            Fact::Suspended(why) => {
                if let Some(coup) = &mut self.coup {
                    coup.suspended = Some(*why);
                }
            }
            Fact::Resumed => {
                if let Some(coup) = &mut self.coup {
                    if coup.suspended == Some(SuspendedWhy::WrongPerson) {
                        coup.passed = [None; 2];
                        self.shoe.handled = true;
                    }
                    coup.suspended = None;
                }
            }
            Fact::Excess { card } => {
                let by = event.clauses.first().copied();
                self.leave_shoe(*card);
                self.waiting.push(Waiting { card: *card, by });
            }
            Fact::ExcessNotUsed(card) => {
                // When the shoe is over, the next one is already being prepared.
                if self.phase != Phase::Preparing {
                    match self.waiting.iter().position(|waiting| waiting.card == *card) {
                        Some(waited) => drop(self.waiting.remove(waited)),
                        None => self.leave_shoe(*card),
                    }
                }
            }
            Fact::FoundFaceUp(card) => {
                let by = event.clauses.first().copied();
                let _ = self.shoe.left.take(*card);
                self.face_up = Some(Waiting { card: Some(*card), by });
            }
            Fact::Settled { player, spot, place, stake, verdict } => {
                if let Some(lay) = self.lower(*player, *spot, *place, *stake) {
                    self.settled.push(Wager { stake: *stake, ..lay });
                }
                self.remember(*player, *stake, *verdict);
            }
            Fact::Lies { player, spot, place, .. } => {
                let lies = self.at(*player, *spot, *place).copied();
                self.settled.extend(lies);
            }
            Fact::CoupEnded { number, outcome, pairs, natural } => {
                self.end_coup();
                match outcome {
                    Some(outcome) => Arc::make_mut(&mut self.roads).push(Bead {
                        coup: *number,
                        outcome: *outcome,
                        player_pair: pairs.0,
                        banker_pair: pairs.1,
                        natural: *natural,
                    }),
                    None => self.last = None,
                }
            }
            Fact::Voided { number, .. } => {
                Arc::make_mut(&mut self.roads).remove(*number);
                if let Some(record) = self.records.find_mut(|r| r.number == *number) {
                    record.voided = true;
                    self.optional_coups += u32::from(record.optional);
                }
                if self.last.as_ref().is_some_and(|last| last.coup.number == *number) {
                    self.last = None;
                }
            }
            Fact::Reversed { player, number } => {
                // An effect that was reversed once is not reversed again.
                if let Some(record) = self.records.find_mut(|r| r.number == *number) {
                    record.effects.retain(|effect| effect.player != *player);
                }
                if *number == self.coups {
                    let between = self.last.as_mut().filter(|_| self.coup.is_none());
                    let settled = between.map_or(&mut self.settled, |last| &mut last.wagers);
                    settled.retain(|wager| wager.player != *player);
                }
            }
            Fact::CuttingCardOut { first } => self.shoe.cutting_card = Some(*first),
            Fact::CoupsLeft(left) => self.shoe.coups_left = Some(*left),
            Fact::OneMoreRound => {
                self.shoe.coups_left = Some(1);
                self.shoe.tie_round = Some(self.coups);
            }
            Fact::NoMoreRound => self.shoe.coups_left = Some(0),
            Fact::CuttingCardSeen => self.shoe.marker_seen = true,
            Fact::Closed => {
                self.phase = Phase::Closed;
                self.shoe.checked_by = [false; 3];
            }
            Fact::Away(id) => {
                self.away.retain(|away| away != id);
                self.away.push(*id);
            }
            Fact::Back(id) => self.away.retain(|away| away != id),
            Fact::InAgain(id) => {
                self.players[usize::from(id.0)].present = true;
                if !self.there.contains(id) {
                    self.there.push(*id);
                }
            }
            Fact::OpenedAgain => self.open_again(),
            Fact::WagerCorrected { player, spot, place, to, .. } => {
                self.set_wager(*player, *spot, *place, *to);
            }
            Fact::CardCorrected { index, card } => self.set_card(*index, *card),
            Fact::SeatCorrected { player, seat } => self.set_seat(*player, *seat),
            Fact::Kept(_)
            | Fact::Ticked
            | Fact::Sign(_)
            | Fact::Advised(
                _,
                Advice::Abstaining | Advice::OverMaximum | Advice::Closing | Advice::Change,
            )
            | Fact::Called(_)
            | Fact::Natural
            | Fact::ThreeAlready(_)
            | Fact::Stands(_)
            | Fact::Result(_)
            | Fact::Decided(_)
            | Fact::Adjusted { .. } => {}
        }
    }

    /// A player who had not yet disputed the coup opens the dispute, or reopens it.
    fn dispute(&mut self, player: PlayerId, coup: u32) {
        let Some(dispute) = self.disputes.iter_mut().find(|dispute| dispute.coup == coup) else {
            let players = alloc::vec![player];
            return self.disputes.push(Dispute { coup, players, stage: DisputeStage::Open });
        };
        if !dispute.players.contains(&player) {
            dispute.players.push(player);
            dispute.stage = DisputeStage::Open;
        }
    }

    fn settle_dispute(&mut self, coup: u32, stage: DisputeStage) {
        let mut disputes = self.disputes.iter_mut();
        if let Some(dispute) = disputes.find(|dispute| dispute.coup == coup) {
            dispute.stage = stage;
        }
    }

    /// Cards that were taken out for a check after the table closed must be shuffled first.
    fn open_again(&mut self) {
        if self.shoe.checked_by != [false; 3] && !self.shuffle_due {
            self.end_shoe();
        }
        self.phase = if self.shuffle_due { Phase::Preparing } else { Phase::Betting };
    }

    fn post(&mut self, posting: &SignLine) {
        match posting {
            SignLine::Limits(group, limits) => self.limits.put(*group, *limits),
            SignLine::Differential(most) | SignLine::Liability(most) => self.exposure = Some(*most),
            SignLine::Lift(_) => self.exposure = None,
            SignLine::Offer(offer) => self.options.terms.side_bets.put(*offer),
            SignLine::Withdraw(group) => self.options.terms.side_bets.drop(*group),
            SignLine::Chips(chips) => self.chips.clone_from(chips),
            SignLine::Sharing(players) => self.sharing = Some(*players),
            SignLine::CapAreas(None) => self.area_caps.all = true,
            SignLine::CapAreas(Some(name)) => self.area_caps.players.push(**name),
            SignLine::LiftCap => self.area_caps = AreaCaps::default(),
            SignLine::FaceDown(down) => self.face_down = *down,
            SignLine::Method(method) => self.options.terms.method = *method,
            SignLine::Closing => self.closing = true,
        }
        let same = |pending: &Pending| pending.posting == *posting;
        if let Some(i) = self.pending.iter().position(same) {
            self.pending.remove(i);
        }
        self.consented = false;
    }

    fn prepare(&mut self, step: Step) {
        match step {
            Step::Checked => {
                self.shoe.checked = true;
                let somebody = self.playing().next().is_some();
                self.shoe.looked_over = somebody;
                self.shoe.replaced = false;
            }
            Step::Spread => self.shoe.spread = true,
            Step::Riffled => self.shoe.mixed = true,
            Step::Shuffled | Step::PreShuffled => {
                self.shoe.shuffled = true;
                self.last.iter_mut().for_each(|last| last.cards_gone = true);
                self.shoe.pre_shuffled = step == Step::PreShuffled;
                // The cards must be cut again.
                self.shoe.cut = false;
                self.shoe.marked = false;
                self.shoe.declined.clear();
                self.shoe.offered = None;
            }
            Step::Inspected
            | Step::Washed
            | Step::Stacked
            | Step::CheckedAfter
            | Step::SpreadAfter => {}
        }
    }

    /// A card that belongs to no hand leaves the shoe; one that lay face up has been seen already.
    fn leave_shoe(&mut self, card: Option<Card>) {
        if card.is_some() && self.face_up.is_some_and(|lay| lay.card == card) {
            self.face_up = None;
        } else if let Some(card) = card {
            let _ = self.shoe.left.take(card);
        }
        self.shoe.behind_out |= self.shoe.cutting_card.is_some();
    }

    /// From now on the sign holds as it is.
    pub(super) fn open_round(&mut self) {
        self.round.exposure = self.exposure;
        // Comparing is cheaper than copying, and they rarely differ.
        if self.round.terms != self.options.terms {
            self.round.terms = self.options.terms.clone();
        }
    }

    fn decks(&self) -> u16 {
        u16::try_from(self.options.decks).unwrap_or(u16::MAX)
    }

    /// A request for a no-bet coup lapses with the last player who agrees to it.
    fn forget_request(&mut self) {
        let asked = self.playing().any(|(_, player)| player.agreed == Some(true));
        self.no_bet_asked &= asked;
    }

    /// An excluded player has no cards, no cut and no say any more.
    fn exclude(&mut self, id: PlayerId) {
        self.players[usize::from(id.0)].excluded = true;
        self.forget_request();
        if self.shoe.offered == Some(CutBy::Player(id)) {
            self.shoe.offered = None;
        }
        if let Some(coup) = &mut self.coup {
            for passed in coup.passed.iter_mut().filter(|passed| **passed == Some(id)) {
                *passed = None;
                self.shoe.handled = true;
            }
        }
    }

    /// The shoe is over: every step of the preparation must be done again, except the check of the
    /// cards.
    pub(crate) fn end_shoe(&mut self) {
        let old = &self.shoe;
        let mut shoe = Shoe::new(self.decks(), old.number + 1, old.last_cutter);
        (shoe.checked, shoe.spread, shoe.mixed) = (old.checked, old.spread, old.mixed);
        shoe.checked |= old.pre_shuffled;
        (shoe.checked_by, shoe.replaced) = (old.checked_by, old.replaced);
        (shoe.handled, shoe.looked_over) = (old.handled, old.looked_over);
        let old = core::mem::replace(&mut self.shoe, shoe);
        if let Some(last) = &mut self.last {
            last.shoe.get_or_insert(old);
        }
        self.waiting.clear();
        self.face_up = None;
        self.no_bet = None;
        self.shuffle_due = true;
        self.vacated = false;
        self.phase = Phase::Preparing;
    }

    /// Takes chips off a wager; returns the wager as it was.
    fn lower(&mut self, player: PlayerId, spot: Spot, place: u32, amount: Cents) -> Option<Wager> {
        let same = |wager: &Wager| wager.is_at(player, spot, place);
        let i = self.wagers.iter().position(same)?;
        let lay = self.wagers[i];
        let left = lay.stake.checked_sub(amount).unwrap_or(Cents::ZERO);
        if left == Cents::ZERO {
            self.wagers.remove(i);
        } else {
            self.wagers[i].stake = left;
        }
        Some(lay)
    }

    /// Adds a wager, or adds to an existing one, which then counts as the newest.
    fn raise(&mut self, player: PlayerId, spot: Spot, place: u32, stake: Cents, unnoticed: bool) {
        let mut wager = Wager { player, spot, place, stake, unnoticed, limits: None };
        let same = |wager: &Wager| wager.is_at(player, spot, place);
        let old = self.wagers.iter().position(same).map(|i| self.wagers.remove(i));
        if let Some(old) = old {
            wager.limits = self.limits_with(Some(&old), &wager);
            wager.stake = old.stake.checked_add(stake).unwrap_or(Cents::MAX);
            wager.unnoticed |= old.unnoticed;
        } else {
            wager.limits = self.limits_of(player, self.group(spot));
        }
        self.wagers.push(wager);
    }
}
