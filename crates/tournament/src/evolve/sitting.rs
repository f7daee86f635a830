//! The fold of what happens at a table in a session.

use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::{Balance, Cents, Outcome, Side};
use table::{Account, Fact as TableFact, Phase, PlayerId, Time};

use crate::event::{EntrantId, OutWhy};
use crate::sitting::{Chair, Memory, Missed, Sitting, Stint};

impl Chair {
    /// The player wagered out of order.
    pub(super) const fn jump(&mut self) {
        self.out_of_order += 1;
        self.jumped = true;
    }

    /// The player missed a coup that was called.
    pub(super) const fn miss(&mut self) {
        self.missed = match self.late {
            Some(_) => Some(Missed::Late),
            None => Some(Missed::Away),
        };
    }
}

impl Sitting {
    pub(super) fn marker_at(&mut self, seat: u32, now: Time, limit: Option<Time>) {
        self.marker = Some(seat);
        self.turn_of(seat, now, limit);
    }

    /// A player's turn to wager begins; the one before has had the opportunity.
    pub(super) fn turn_of(&mut self, seat: u32, now: Time, limit: Option<Time>) {
        let before = self.turn.replace(seat).filter(|before| *before != seat);
        (self.since, self.limit) = (now, limit);
        for chair in &mut self.chairs {
            if Some(chair.seat) == before {
                chair.carried = false;
            }
            if chair.seat == seat {
                chair.waived = false;
            }
        }
    }

    /// An event at the table changes the session first, while the table is still in its earlier
    /// state.
    #[expect(clippy::too_many_lines, reason = "one arm for each fact")]
    pub(super) fn fold(&mut self, event: &table::Event) {
        match &event.fact {
            TableFact::Arrived { player, seat, .. } => return self.arrives(*player, *seat, event),
            TableFact::Placed { player, .. }
            | TableFact::Moved { player, .. }
            | TableFact::Returned { player, .. } => {
                self.with_chairs_of(*player, |chair| chair.carried = false);
            }
            TableFact::Left(player) => self.leaves(*player),
            TableFact::Reopened { number } => self.reopen(*number),
            TableFact::Reversed { number, .. } => self.correct_memory(*number, event),
            TableFact::CoupBegan { .. } => self.begin_coup(),
            TableFact::CoupEnded { outcome, .. } => self.end_coup(*outcome),
            TableFact::BetsOpened => self.open_wagers(event.at),
            TableFact::BetsClosed => self.close_wagers(),
            TableFact::ShuffleDue => {
                self.shoes += u32::from(self.table.shoe().cutting_card.is_some());
            }
            TableFact::Voided { number, .. } => self.count_no_more(*number),
            TableFact::Adjusted { player, cents } => self.adjust(*player, *cents),
            // Facts that concern the table alone.
            TableFact::Opened { .. }
            | TableFact::Kept(..)
            | TableFact::Ticked
            | TableFact::Posted(..)
            | TableFact::Sign(..)
            | TableFact::NoticeGiven { .. }
            | TableFact::TookEffect(..)
            | TableFact::Consented
            | TableFact::PersonalLimits { .. }
            | TableFact::Excluded(..)
            | TableFact::SeatRequired(..)
            | TableFact::Vacated
            | TableFact::RiffleAsked(..)
            | TableFact::RiffleApproved
            | TableFact::CheckedBy(..)
            | TableFact::Prepared(..)
            | TableFact::CutOffered(..)
            | TableFact::CutDeclined(..)
            | TableFact::Cut { .. }
            | TableFact::CuttingCardPlaced(..)
            | TableFact::Burned { .. }
            | TableFact::BurnShort { .. }
            | TableFact::BurnedMore(_)
            | TableFact::BurnSkipped
            | TableFact::ShoeReady
            | TableFact::Replaced
            | TableFact::LetStand
            | TableFact::ClaimWaived(..)
            | TableFact::Advised(..)
            | TableFact::BothSidesApproved(..)
            | TableFact::NoBetAsked(..)
            | TableFact::NoBetAnswered(..)
            | TableFact::NoBetDirected(..)
            | TableFact::OptionalCoups(..)
            | TableFact::FaceDownAsked(..)
            | TableFact::ManagementInformed
            | TableFact::SurveillanceInformed
            | TableFact::Called(..)
            | TableFact::Dealt { .. }
            | TableFact::Passed(..)
            | TableFact::CardsRefused(..)
            | TableFact::Turned { .. }
            | TableFact::Totals { .. }
            | TableFact::PairsJudged { .. }
            | TableFact::Natural
            | TableFact::ThreeAlready(..)
            | TableFact::Stands(..)
            | TableFact::GivenToBanker(..)
            | TableFact::OutOfSequence(..)
            | TableFact::Reconstructed
            | TableFact::Rearranged(..)
            | TableFact::ThirdMoved(..)
            | TableFact::Suspended(..)
            | TableFact::Resumed
            | TableFact::Excess { .. }
            | TableFact::ExcessNotUsed(..)
            | TableFact::FoundFaceUp(..)
            | TableFact::Result(..)
            | TableFact::Settled { .. }
            | TableFact::Lies { .. }
            | TableFact::ErrorFound { .. }
            | TableFact::Relaid { .. }
            | TableFact::CuttingCardOut { .. }
            | TableFact::CoupsLeft(..)
            | TableFact::OneMoreRound
            | TableFact::NoMoreRound
            | TableFact::CuttingCardSeen
            | TableFact::Disputed(..)
            | TableFact::DisputeDecided { .. }
            | TableFact::DisputeReviewed { .. }
            | TableFact::InspectorLeft
            | TableFact::InspectorBack
            | TableFact::RulesAsked(_)
            | TableFact::Decided(..)
            | TableFact::RulesGiven
            | TableFact::Closed
            | TableFact::Away(_)
            | TableFact::Back(_)
            | TableFact::InAgain(_)
            | TableFact::OpenedAgain
            | TableFact::WagerCorrected { .. }
            | TableFact::CardCorrected { .. }
            | TableFact::SeatCorrected { .. } => {}
        }
        self.table.evolve(event);
    }

    fn with_chairs_of(&mut self, player: PlayerId, change: impl Fn(&mut Chair)) {
        for chair in self.chairs.iter_mut().filter(|chair| chair.player == Some(player)) {
            change(chair);
        }
    }

    fn arrives(&mut self, player: PlayerId, seat: u32, event: &table::Event) {
        for chair in self.chairs.iter_mut().filter(|chair| chair.seat == seat) {
            chair.player = Some(player);
        }
        self.table.evolve(event);
        self.say_who_is_away(event.at);
    }

    fn end_coup(&mut self, outcome: Option<Outcome>) {
        let coup = self.table.coup().filter(|_| outcome.is_some());
        self.counted = coup.is_some_and(|coup| coup.no_bet.is_none());
        if self.counted {
            self.coups += 1;
            self.counting.push(self.dealt);
        }
        self.hands = coup.map(|coup| [coup.hand(Side::Player), coup.hand(Side::Banker)]);
        (self.turn, self.laying, self.waived) = (None, false, false);
        if outcome.is_none() {
            self.no_coup_missed();
        }
        for chair in &mut self.chairs {
            (chair.jumped, chair.held, chair.waived) = (false, false, false);
            if outcome.is_some() {
                (chair.laid, chair.fine) = (false, Balance::ZERO);
            }
        }
    }

    fn open_wagers(&mut self, at: Time) {
        // The time limit of a turn does not run before wagers are open.
        (self.laying, self.since) = (false, at);
        if self.table.phase() == Phase::Called {
            self.no_coup_missed();
        }
    }

    fn close_wagers(&mut self) {
        self.turn = None;
        for chair in &mut self.chairs {
            chair.carried = false;
        }
    }

    /// A coup that was voided later no longer counts.
    fn count_no_more(&mut self, number: u32) {
        if self.counting.contains(&number) {
            self.counting.retain(|counted| *counted != number);
            self.coups = self.coups.saturating_sub(1);
        }
    }

    fn adjust(&mut self, player: PlayerId, chips: Balance) {
        let laying = self.laying;
        self.with_chairs_of(player, |chair| {
            chair.fine -= if laying { chips } else { Balance::ZERO };
            if chair.missed.take() == Some(Missed::Late) {
                chair.late = chair.late.map(|missed| missed + 1);
            }
        });
    }

    fn leaves(&mut self, player: PlayerId) {
        let stack = self.table.player(player).stack;
        self.with_chairs_of(player, |chair| chair.left_with = stack);
    }

    /// After a tie, wagers on a hand stay on the layout, and may be altered.
    pub(super) fn let_wagers_lie(&mut self) {
        let lie: Vec<_> = self.chairs.iter().map(|chair| self.laid(chair)).collect();
        for (chair, [banker, player, _]) in self.chairs.iter_mut().zip(lie) {
            chair.carried = banker > Cents::ZERO || player > Cents::ZERO;
        }
    }

    pub(super) const fn insert_indicator(&mut self) {
        (self.indicator_in, self.indicator_out) = (true, false);
    }

    pub(super) const fn take_indicator_out(&mut self) {
        (self.indicator_in, self.indicator_out) = (false, true);
    }

    pub(super) fn end_play(&mut self, ranking: &[Vec<EntrantId>]) {
        self.ranking = ranking.to_vec();
        let stacks: Vec<_> = self.chairs.iter().map(|chair| self.stack(chair)).collect();
        let session = !matches!(self.stint, Stint::PlayOff(_) | Stint::PlayOffDue(_));
        for (chair, stack) in self.chairs.iter_mut().zip(stacks) {
            if chair.plays {
                chair.chips = stack;
            }
            if session {
                chair.at_the_end = stack;
            }
        }
    }

    pub(super) fn play_off_due(&mut self, players: &[EntrantId]) {
        self.stint = Stint::PlayOffDue(None);
        (self.last, self.turn) = (false, None);
        for chair in &mut self.chairs {
            chair.plays = players.contains(&chair.entrant);
        }
    }

    pub(super) fn start_play_off(&mut self) {
        let coups = match self.stint {
            Stint::PlayOffDue(coups) => coups,
            Stint::Session | Stint::PlayOff(_) | Stint::Over | Stint::Done => None,
        };
        (self.stint, self.coups) = (Stint::PlayOff(coups), 0);
        (self.counting, self.memory) = (Vec::new(), None);
        self.before_play_off = self.dealt;
        let gone = |chair: &Chair| matches!(chair.out, Some((_, OutWhy::Left | OutWhy::NotThere)));
        for chair in self.chairs.iter_mut().filter(|chair| chair.plays && !gone(chair)) {
            // A play-off is a session of its own.
            (chair.out, chair.secrets) = (None, 0);
        }
    }

    /// Reopens the last coup: its cards are put right, and it is judged again.
    fn reopen(&mut self, number: u32) {
        let memory = self.memory.clone().filter(|memory| memory.coup == number);
        let Some(before) = memory else { return };
        // A player who missed the coup has paid for it, and has still missed it.
        let late: Vec<_> = self.chairs.iter().map(|chair| chair.late).collect();
        self.remember_before();
        self.chairs.iter_mut().zip(late).for_each(|(chair, late)| chair.late = late);
        self.counting.retain(|counted| *counted != number);
        self.shoes = before.shoes;
        (self.memory, self.turn) = (Some(before), None);
    }

    /// A coup before the last is void, so players held other chips before the last coup.
    fn correct_memory(&mut self, number: u32, event: &table::Event) {
        let Some(memory) = self.memory.as_mut().filter(|memory| memory.coup > number) else {
            return;
        };
        let table = &self.table;
        let name = |player: PlayerId| table.player(player).name;
        for entry in &event.postings {
            let (Account::Stack(player) | Account::Receivable(player)) = entry.account else {
                continue;
            };
            let chairs = &mut Arc::make_mut(memory).chairs;
            let same = |chair: &Chair| chair.player.is_some_and(|p| name(p) == name(player));
            for (_, held) in chairs.iter_mut().filter(|(chair, _)| same(chair)) {
                *held += entry.cents;
            }
        }
    }

    /// Removes a buy-back before the last coup, and the chips that it brought.
    pub(super) fn forget_buy_back(&mut self, id: EntrantId, chips: Balance) {
        let times = self.chair(id).map_or(0, |chair| chair.bought.len());
        let Some(memory) = &mut self.memory else { return };
        for (chair, held) in &mut Arc::make_mut(memory).chairs {
            if chair.entrant == id && chair.bought.len() > times {
                chair.bought.pop();
                *held = (*held - chips).max(Balance::ZERO);
            }
        }
    }

    /// A player who was eliminated is in again.
    pub(super) fn in_again(&mut self, now: Time, entrant: EntrantId, cents: Balance) {
        let mine = |chair: &&mut Chair| chair.entrant == entrant;
        let Some(chair) = self.chairs.iter_mut().find(mine) else { return };
        chair.out = None;
        let player = chair.player;
        self.say_in_again(now, player, cents);
        self.say_who_is_away(now);
        // They stay in even if the current coup becomes void too.
        let Some(memory) = &mut self.memory else { return };
        for (chair, held) in &mut Arc::make_mut(memory).chairs {
            if chair.entrant == entrant && chair.out.take().is_some() {
                *held = cents;
            }
        }
    }

    /// Reopens a table that was finished, with the players who are still entered.
    pub(super) fn open_again(&mut self, now: Time, entered: &[EntrantId]) {
        self.stint = Stint::Over;
        self.say_open_again(now);
        let when = 2 * self.dealt;
        let mut still = Vec::new();
        for chair in self.chairs.iter_mut().filter(|chair| chair.out.is_none()) {
            match chair.player.filter(|_| entered.contains(&chair.entrant)) {
                Some(player) => still.push((player, chair.left_with)),
                None => chair.out = Some((when, OutWhy::Left)),
            }
        }
        for (player, chips) in still {
            self.say_in_again(now, Some(player), chips);
        }
    }

    /// The coup that was called is cancelled: nobody has missed it.
    fn no_coup_missed(&mut self) {
        for chair in &mut self.chairs {
            chair.missed = None;
        }
    }

    /// Play that seemed over continues from the state before the last coup, which stands.
    pub(super) fn goes_on(&mut self) {
        let memory = self.memory.as_ref();
        let plays = |chair: &Chair| {
            let before =
                memory.and_then(|m| m.chairs.iter().find(|c| c.0.entrant == chair.entrant));
            before.is_none_or(|(before, _)| before.plays)
        };
        let plays: Vec<_> = self.chairs.iter().map(plays).collect();
        let stint = memory.map_or(Stint::Session, |memory| memory.stint);
        let ranking = memory.map_or_else(Vec::new, |memory| memory.ranking.clone());
        (self.stint, self.ranking) = (stint, ranking);
        for (chair, plays) in self.chairs.iter_mut().zip(plays) {
            chair.plays = plays;
        }
    }

    /// Returns the session to its state before the last coup.
    pub(super) fn remember_before(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        for (before, _) in &memory.chairs {
            let mine = |chair: &&mut Chair| chair.entrant == before.entrant;
            let Some(chair) = self.chairs.iter_mut().find(mine) else { continue };
            // A player who left since is gone. All else is as it was, and the secret wager is not
            // used up.
            let gone = matches!(chair.out, Some((_, OutWhy::Left | OutWhy::NotThere)));
            let used = u32::from(before.form.is_some() || before.laid);
            let out = if gone { chair.out } else { before.out };
            let secrets = before.secrets.saturating_sub(used);
            let (form, player) =
                (chair.form.filter(|form| form.dealt >= memory.coup), chair.player);
            // A player who came or went since keeps the present state: in the seat, or away.
            let (absent, late) = (chair.absent, before.late.filter(|_| chair.late.is_some()));
            let (laid, fine, missed, carried) = (false, Balance::ZERO, None, false);
            *chair = Chair {
                player,
                late,
                absent,
                missed,
                carried,
                out,
                secrets,
                form,
                laid,
                fine,
                ..before.clone()
            };
            chair.secrets += u32::from(chair.form.is_some());
        }
        (self.stint, self.coups, self.last) = (memory.stint, memory.coups, memory.last);
        (self.ranking, self.marker) = (memory.ranking.clone(), memory.marker);
    }

    fn begin_coup(&mut self) {
        let chairs = self.chairs.iter().map(|chair| (chair.clone(), self.chips(chair)));
        self.memory = Some(Arc::new(Memory {
            coup: self.dealt + 1,
            chairs: chairs.collect(),
            stint: self.stint,
            coups: self.coups,
            shoes: self.shoes,
            last: self.last,
            ranking: self.ranking.clone(),
            marker: self.marker,
        }));
        let laid: Vec<_> = self.chairs.iter().map(|chair| self.laid(chair)).collect();
        let stacks: Vec<_> = self.chairs.iter().map(|chair| self.stack(chair)).collect();
        for ((chair, laid), stack) in self.chairs.iter_mut().zip(laid).zip(stacks) {
            chair.shown = false;
            if let Some(form) = &mut chair.form {
                form.beside = laid;
                // Chips that were wagered openly are not available for the secret wager.
                form.chips = form.chips.min(stack);
            }
        }
        self.dealt += 1;
    }
}
