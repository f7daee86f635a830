//! The fold: what an event makes of a table. Total: history is asserted, never refused.

use alloc::vec::Vec;

use rules::{Cents, Side};

use crate::command::Posting;
use crate::event::{Account, Advice, CutBy, Event, Fact, NoBetWhy, PlayerId, Step, SuspendedWhy};
use crate::roads::{Bead, Roads};
use crate::state::{Coup, CoupCard, Pending, Phase, Player, Record, Shoe, Table, Wager, Waiting};

/// So many coups at the least can be voided later.
const RECORDS: usize = 200;

impl Table {
    /// Folds one recorded event. It needs no book.
    pub fn evolve(&mut self, event: &Event) {
        debug_assert_eq!(event.postings.iter().map(|entry| entry.cents).sum::<i64>(), 0);
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
        if let Fact::Settled { .. } = event.fact {
            self.remember(event);
        }
    }

    /// Keeps the net effect of a settlement, should the coup be voided later.
    fn remember(&mut self, event: &Event) {
        let Some(record) = self.records.last_mut() else { return };
        for entry in event.postings.iter().filter(|entry| entry.account != Account::Layout) {
            match record.net.iter_mut().find(|net| net.account == entry.account) {
                Some(net) => net.cents += entry.cents,
                None => record.net.push(*entry),
            }
        }
        if let Fact::Settled { player, stake, .. } = event.fact {
            // The stake left the player's stack when it was placed.
            let account = Account::Stack(player);
            let cents = -i64::try_from(stake.get()).unwrap_or(0);
            match record.net.iter_mut().find(|net| net.account == account) {
                Some(net) => net.cents += cents,
                None => record.net.push(crate::event::Entry { account, cents }),
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each fact")]
    fn fold(&mut self, event: &Event) {
        match &event.fact {
            Fact::Opened { options, .. } => {
                self.options = options.clone();
                self.face_down = options.face_down;
                self.phase = Phase::Preparing;
                let decks = options.decks.and_then(|decks| u16::try_from(decks).ok()).unwrap_or(8);
                self.shoe = Shoe::new(decks, 1, None);
            }
            Fact::Posted(posting) | Fact::TookEffect(posting) => self.post(posting),
            Fact::NoticeGiven { posting, from } => {
                let by = event.clauses.clone();
                self.pending.push(Pending { posting: posting.clone(), from: *from, by });
                self.consented = false;
            }
            Fact::Consented => self.consented = true,
            Fact::PersonalLimits { player, group, least, most } => {
                self.players[usize::from(player.0)].limits[*group as usize] = Some((*least, *most));
            }
            Fact::Arrived { player, name, seat, standing, .. } => {
                // Consent was given by those who were there.
                self.consented = false;
                self.there.push(*player);
                self.players.push(Player {
                    name: *name,
                    seat: *seat,
                    standing: *standing,
                    present: true,
                    excluded: false,
                    stack: 0,
                    receivable: 0,
                    advised_minimum: false,
                    both_sides: false,
                    waived_dragon: false,
                    idle_rounds: 0,
                    agreed: None,
                    limits: [None; 4],
                });
            }
            Fact::Left(id) | Fact::SeatRequired(id) => {
                self.players[usize::from(id.0)].present = false;
                self.there.retain(|there| there != id);
                let asked = self.here().any(|(_, player)| player.agreed == Some(true));
                self.no_bet_asked &= asked;
            }
            Fact::Excluded(id, _) => self.players[usize::from(id.0)].excluded = true,
            Fact::Vacated => self.vacated = true,
            Fact::RiffleAsked(_) => self.shoe.riffle_asked = true,
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
            Fact::BurnSkipped => self.shoe.burned = true,
            Fact::ShoeReady => {
                self.phase = Phase::Betting;
                self.shuffle_due = false;
                self.roads = Roads::default();
            }
            Fact::Replaced => {
                self.shoe.checked = false;
                self.shoe.checked_by = [false; 3];
                self.shoe.replaced = true;
                self.shoe.spread = false;
                self.shoe.mixed = false;
                self.shoe.handled = false;
            }
            Fact::ShuffleDue => self.end_shoe(),
            Fact::Placed { player, spot, place, amount, unnoticed } => {
                let wager = Wager {
                    player: *player,
                    spot: *spot,
                    place: *place,
                    stake: *amount,
                    unnoticed: *unnoticed,
                };
                self.raise(wager);
            }
            Fact::Returned { player, spot, place, amount, .. } => {
                self.lower(*player, *spot, *place, *amount);
            }
            Fact::Moved { player, from, to, place, amount } => {
                self.lower(*player, *from, *place, *amount);
                self.raise(Wager {
                    player: *player,
                    spot: *to,
                    place: *place,
                    stake: *amount,
                    unnoticed: false,
                });
            }
            Fact::DragonWaived(id) => self.players[usize::from(id.0)].waived_dragon = true,
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
                // The coup under way goes on without wagers; all other reasons are for the next.
                (Some(coup), NoBetWhy::AllOff) => coup.no_bet = Some(*why),
                _ => self.no_bet = Some(*why),
            },
            Fact::OptionalCoups(count) => self.optional_coups = *count,
            Fact::FaceDownAsked(_) => self.face_down_asked = true,
            Fact::SurveillanceInformed => self.surveillance = true,
            Fact::BetsOpened => {
                if self.phase == Phase::Called {
                    self.phase = Phase::Betting;
                }
            }
            Fact::BetsClosed => self.phase = Phase::Called,
            Fact::CoupBegan { number, no_bet, .. } => self.begin(*number, *no_bet),
            Fact::Dealt { side, card, shown } => {
                self.deal(CoupCard { side: *side, card: *card, shown: *shown });
            }
            Fact::Passed(side, id) => {
                if let Some(coup) = &mut self.coup {
                    coup.passed[*side as usize] = Some(*id);
                }
                self.shoe.handled = true;
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
            Fact::Suspended(why) => {
                if let Some(coup) = &mut self.coup {
                    coup.suspended = Some(*why);
                }
            }
            Fact::Resumed => {
                if let Some(coup) = &mut self.coup {
                    if coup.suspended == Some(SuspendedWhy::WrongPerson) {
                        coup.passed = [None; 2];
                    }
                    coup.suspended = None;
                }
            }
            Fact::Excess { card } => {
                let by = event.clauses.first().copied();
                if let Some(card) = card
                    && !self.waiting.is_some_and(|waiting| waiting.in_shoe)
                {
                    let _ = self.shoe.left.take(*card);
                }
                self.waiting = Some(Waiting { card: *card, in_shoe: false, by });
                self.shoe.behind_out |= self.shoe.cutting_card.is_some();
            }
            Fact::ExcessNotUsed(card) => {
                // When the shoe is over, the next one is already being prepared.
                if self.phase != Phase::Preparing {
                    if let (Some(card), None) = (card, self.waiting) {
                        let _ = self.shoe.left.take(*card);
                    }
                    self.shoe.behind_out |= self.shoe.cutting_card.is_some();
                }
                self.waiting = None;
            }
            Fact::FoundFaceUp(card) => {
                let by = event.clauses.first().copied();
                let _ = self.shoe.left.take(*card);
                self.waiting = Some(Waiting { card: Some(*card), in_shoe: true, by });
            }
            Fact::Settled { player, spot, place, stake, .. } => {
                self.lower(*player, *spot, *place, *stake);
            }
            Fact::CoupEnded { number, outcome, pairs, natural } => {
                self.end_coup();
                if let Some(outcome) = outcome {
                    self.roads.push(Bead {
                        coup: *number,
                        outcome: *outcome,
                        player_pair: pairs.0,
                        banker_pair: pairs.1,
                        natural: *natural,
                    });
                }
            }
            Fact::Voided { number, .. } => {
                self.roads.remove(*number);
                if let Some(record) = self.records.iter_mut().find(|r| r.number == *number) {
                    record.voided = true;
                }
            }
            Fact::Reversed { player, number } => {
                // What was reversed once is not reversed again.
                let took = event.postings.iter().any(|e| e.account == Account::Commission);
                let gone = |account: Account| {
                    account == Account::Stack(*player) || (took && account == Account::Commission)
                };
                if let Some(record) = self.records.iter_mut().find(|r| r.number == *number) {
                    record.net.retain(|entry| !gone(entry.account));
                }
            }
            Fact::CuttingCardOut { first } => self.shoe.cutting_card = Some(*first),
            Fact::CoupsLeft(left) => self.shoe.coups_left = Some(*left),
            Fact::OneMoreRound => {
                self.shoe.coups_left = Some(1);
                self.shoe.tie_round = true;
            }
            Fact::CuttingCardSeen => self.shoe.marker_seen = true,
            Fact::Closed => {
                self.phase = Phase::Closed;
                self.shoe.checked_by = [false; 3];
            }
            Fact::Kept(_)
            | Fact::Ticked
            | Fact::Sign(_)
            | Fact::Advised(_, Advice::Abstaining | Advice::OverMaximum)
            | Fact::Called(_)
            | Fact::Natural
            | Fact::ThreeAlready(_)
            | Fact::Stands(_)
            | Fact::Result(_)
            | Fact::Disputed(..)
            | Fact::Decided(_)
            | Fact::RulesGiven
            | Fact::Adjusted { .. } => {}
        }
    }

    fn post(&mut self, posting: &Posting) {
        match posting {
            Posting::Limits(group, limits) => self.limits[*group as usize] = Some(*limits),
            Posting::Differential(most) | Posting::Liability(most) => self.exposure = Some(*most),
            Posting::Chips(chips) => self.chips.clone_from(chips),
            Posting::Sharing(players) => self.sharing = Some(*players),
            Posting::AreaCap(most) => self.area_cap = Some(*most),
            Posting::FaceDown(down) => self.face_down = *down,
            Posting::Method(method) => self.options.method = *method,
            Posting::Closing => self.closing = true,
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
                self.shoe.replaced = false;
            }
            Step::Spread => self.shoe.spread = true,
            Step::Riffled => self.shoe.mixed = true,
            Step::Shuffled | Step::PreShuffled => {
                self.shoe.shuffled = true;
                self.shoe.pre_shuffled = step == Step::PreShuffled;
                // What was cut before must be cut again.
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

    /// The shoe is over: what was prepared must be prepared again, but for the check of the cards.
    fn end_shoe(&mut self) {
        let decks = self.options.decks.and_then(|decks| u16::try_from(decks).ok()).unwrap_or(8);
        let old = &self.shoe;
        let mut shoe = Shoe::new(decks, old.number + 1, old.last_cutter);
        (shoe.checked, shoe.spread, shoe.mixed) = (old.checked, old.spread, old.mixed);
        shoe.checked |= old.pre_shuffled;
        (shoe.checked_by, shoe.replaced) = (old.checked_by, old.replaced);
        shoe.handled = old.handled;
        self.shoe = shoe;
        self.waiting = None;
        self.no_bet = None;
        self.shuffle_due = true;
        self.vacated = false;
        self.phase = Phase::Preparing;
    }

    /// Takes chips off a wager.
    fn lower(&mut self, player: PlayerId, spot: rules::Spot, place: u32, amount: Cents) {
        let same = |w: &Wager| w.player == player && w.spot == spot && w.place == place;
        let Some(i) = self.wagers.iter().position(same) else { return };
        let left = self.wagers[i].stake.checked_sub(amount).unwrap_or(Cents::ZERO);
        if left == Cents::ZERO {
            self.wagers.remove(i);
        } else {
            self.wagers[i].stake = left;
        }
    }

    /// Adds a wager, or adds to the one that lies there; what is added to counts as the newest.
    fn raise(&mut self, mut wager: Wager) {
        let Wager { player, spot, place, .. } = wager;
        let same = |w: &Wager| w.player == player && w.spot == spot && w.place == place;
        if let Some(i) = self.wagers.iter().position(same) {
            let old = self.wagers.remove(i);
            wager.stake = old.stake.checked_add(wager.stake).unwrap_or(Cents::MAX);
            wager.unnoticed |= old.unnoticed;
        }
        self.wagers.push(wager);
    }

    fn begin(&mut self, number: u32, no_bet: Option<NoBetWhy>) {
        self.coups = number;
        self.phase = Phase::Dealing;
        self.no_bet = None;
        self.optional_coups = self.optional_coups.saturating_sub(1);
        match no_bet {
            None => self.no_bets_in_a_row = 0,
            Some(NoBetWhy::Asked | NoBetWhy::NobodyThere) => self.no_bets_in_a_row += 1,
            // One that an irregularity brings neither counts nor breaks the row.
            Some(NoBetWhy::SeenCard | NoBetWhy::AllOff) => {}
        }
        self.no_bet_asked = false;
        self.shoe.coups += 1;
        if self.records.len() >= 2 * RECORDS {
            self.records.drain(..RECORDS);
        }
        let net = Vec::with_capacity(self.wagers.len() + 2);
        self.records.push(Record { number, net, voided: false });
        let full = self.is_full();
        self.let_stand = false;
        for id in &self.there {
            let player = &mut self.players[usize::from(id.0)];
            player.agreed = None;
            let wagered = self.wagers.iter().any(|wager| wager.player == *id);
            if wagered || !full {
                player.idle_rounds = 0;
            } else if no_bet.is_none() {
                player.idle_rounds += 1;
            }
        }
        self.coup = Some(Coup::new(number, no_bet));
    }

    fn deal(&mut self, card: CoupCard) {
        // A card that waited is out of the shoe already.
        let first = self.coup.as_ref().is_some_and(|coup| coup.cards.is_empty());
        let waited = match self.waiting {
            Some(waiting) if first || waiting.in_shoe => {
                self.waiting = None;
                waiting.card.is_some()
            }
            _ => false,
        };
        if let (Some(card), false) = (card.card, waited) {
            let _ = self.shoe.left.take(card);
        }
        self.shoe.behind_out |= self.shoe.cutting_card.is_some();
        if let Some(coup) = &mut self.coup {
            coup.cards.push(card);
        }
    }

    fn turn(&mut self, index: u8, card: rules::Card) {
        let Some(coup) = &mut self.coup else { return };
        let Some(turned) = coup.cards.get_mut(usize::from(index)) else { return };
        if turned.card.is_none() {
            let _ = self.shoe.left.take(card);
        }
        turned.card = Some(card);
        turned.shown = true;
    }

    fn end_coup(&mut self) {
        if let Some(coup) = self.coup.take() {
            self.last_counts = Side::BOTH.map(|side| coup.count(side));
        }
        self.phase = Phase::Betting;
        for id in &self.there {
            self.players[usize::from(id.0)].waived_dragon = false;
        }
        if let Some(left) = &mut self.shoe.coups_left {
            *left = left.saturating_sub(1);
        }
    }
}
