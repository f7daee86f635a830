//! The end of a coup: announced and settled, and what follows it.

use alloc::vec::Vec;

use rules::book::{AlsoShuffled, Finish};
use rules::{Cents, Clause, Group, Outcome, Score, Side, Spot, Verdict};

use super::Draft;
use crate::event::{Account, Advice, Entry, Event, Fact, PlayerId, Postings, ReturnWhy};
use crate::state::{Coup, Player, Wager, of};

impl Draft<'_> {
    /// The coup is over: announced, settled, its cards in the rack.
    pub(super) fn finish(&mut self, coup: &mut Coup) {
        let score = self.score(coup);
        let outcome = score.outcome();
        let decided = match outcome {
            Outcome::Won(Side::Player) => self.book.player.wins.clause,
            Outcome::Won(Side::Banker) => self.book.banker.wins.clause,
            Outcome::Tie => self.book.tie.wins.clause,
        };
        let calls = &self.book.calls;
        let merit = of(&self.book.tableau.merit);
        self.push(Fact::Result(outcome), &[Some(decided), of(&calls.result), merit]);
        if outcome == Outcome::Tie {
            self.call(calls.tie.as_ref());
        }
        let natural = score.player.natural || score.banker.natural;
        let dragon = self.wagers().iter().any(|wager| wager.spot.group() == Group::Dragon);
        if dragon && score.player.natural && score.banker.natural && outcome == Outcome::Tie {
            self.call(self.book.dragon.as_ref().and_then(|dragon| dragon.standoff_call.as_ref()));
        }
        // All are settled now, so none is left to be lowered one by one.
        for wager in &self.take_wagers() {
            self.settle(wager, score);
        }
        let lost =
            |event: &Event| matches!(event.fact, Fact::Settled { verdict: Verdict::Lost, .. });
        let losers = of(&self.book.wagers.losers_untouched);
        let losers = losers.filter(|_| self.events.iter().any(lost));
        let any = |event: &Event| matches!(event.fact, Fact::Settled { .. } | Fact::Lies { .. });
        let settled = of(&self.book.settlement.after_result);
        let settled = settled.filter(|_| self.events.iter().any(any));
        let pairs = (score.player.pair.is_some(), score.banker.pair.is_some());
        let ended = Fact::CoupEnded { number: coup.number, outcome: Some(outcome), pairs, natural };
        self.push(ended, &[settled, losers]);
        self.after_coup(Some(outcome), None);
    }

    /// Settles one wager, within the limits.
    pub(super) fn settle(&mut self, wager: &Wager, score: Score) {
        let Wager { player, spot, place, stake, unnoticed, limits } = *wager;
        let rules = &self.book.limits;
        let least = limits.map_or(Cents::ZERO, |limits| limits.least);
        if unnoticed && stake < least && rules.under_minimum.is_some() {
            let clauses = [of(&rules.under_minimum_again), of(&rules.under_minimum)];
            let told = |event: &Event| event.fact == Fact::Advised(player, Advice::UnderMinimum);
            if self.who(player).advised_minimum || self.events.iter().any(told) {
                return self.give_back(wager, stake, ReturnWhy::UnderMinimum, &clauses);
            }
            let advice = Fact::Advised(player, Advice::UnderMinimum);
            self.push(advice, &[clauses[1], clauses[0]]);
        }
        let at_risk = self.at_risk(wager);
        if at_risk < stake {
            let over = stake.checked_sub(at_risk).unwrap_or(Cents::ZERO);
            let clause = of(&rules.over_maximum);
            self.give_back(wager, over, ReturnWhy::OverMaximum, &[clause]);
        }
        let Ok(settled) = self.book.settle(self.table.terms(), spot, at_risk, score) else {
            // No stake is accepted whose win would not be whole cents.
            let clause = of(&rules.payable).or(of(&rules.multiples)).or(of(&rules.over_maximum));
            return self.give_back(wager, at_risk, ReturnWhy::Unpayable, &[clause]);
        };
        let early = self.book.pairs.as_ref().filter(|_| spot.group() == Group::Pairs);
        let early = early.map(|pairs| match settled.verdict {
            Verdict::Lost => pairs.collected_early.clause,
            Verdict::Won(_) | Verdict::Kept => pairs.paid_early.clause,
        });
        let clause = |i: usize| settled.clauses.get(i).copied();
        let clauses = [clause(0), clause(1), clause(2), early.or(clause(3))];
        let main = matches!(spot, Spot::Banker | Spot::Player);
        if let (Verdict::Kept, true, Some(lies)) =
            (settled.verdict, main, self.book.wagers.altered_after_tie)
        {
            // Its owner leaves it, moves it or takes it back.
            let fact = Fact::Lies { player, spot, place, stake: at_risk };
            self.push(fact, &[clause(0), Some(lies.clause)]);
            self.keep(Wager { stake: at_risk, ..*wager });
            return;
        }
        let postings = settlement(self.purse(player), at_risk, settled.verdict);
        let verdict = settled.verdict;
        let fact = Fact::Settled { player, spot, place, stake: at_risk, verdict };
        self.pay(fact, &clauses, postings);
        self.lower(wager, at_risk);
    }

    /// A card that was seen before its time and not used makes the next coup a no-bet coup.
    pub(super) fn leftover(&mut self) {
        let excess = self.events.iter().rev().find_map(|event| match event.fact {
            Fact::Excess { card } => {
                Some((card, [0, 1].map(|i: usize| event.clauses.get(i).copied())))
            }
            _ => None,
        });
        if let Some((Some(_), clauses)) = excess {
            return self.no_bet_follows(clauses);
        }
        let Some(waiting) = self.table.waiting else { return };
        let Some(card) = waiting.card else { return };
        let used = self.events.iter().any(
            |event| matches!(event.fact, Fact::Dealt { card: Some(dealt), .. } if dealt == card),
        );
        let begun = self.events.iter().any(|event| matches!(event.fact, Fact::CoupBegan { .. }));
        match (waiting.in_shoe, used) {
            (true, true) => {}
            // It was the first card of the coup that this decision dealt.
            (false, _) if begun => {}
            (true, false) => {
                let clause = self.book.irregularities.face_up_first.clause;
                self.seen_card_waits(Some(card), [Some(clause), None]);
            }
            (false, _) => self.no_bet_follows([waiting.by, None]),
        }
    }

    /// What follows a coup: changes that were announced, the end of the shoe, a coup without
    /// wagers, or open wagers. `over_by` is the clause by which the shoe is over in any case.
    pub(super) fn after_coup(&mut self, outcome: Option<Outcome>, over_by: Option<Clause>) {
        let table = self.table;
        // What was announced since a coup that is judged again is for the round after it.
        let interrupted = table.interrupted.as_ref().filter(|_| table.coup.is_some());
        self.take_effect(interrupted.is_none());
        let end = &self.book.end_of_shoe;
        let during = table.shoe.cutting_card == Some(false);
        let shuffle = if during { end.shuffle_after_during } else { end.shuffle_after_first };
        let rule = if during { end.cutting_card_during } else { end.cutting_card_first };
        if outcome.is_some() {
            self.advise_abstaining();
        }
        let left = table.shoe.coups_left.map(|left| left.saturating_sub(1));
        let dealt = self.events.iter().any(|event| matches!(event.fact, Fact::Dealt { .. }));
        let behind = table.shoe.behind_out || dealt;
        let out = table.shoe.cutting_card.is_some();
        let mut over = left == Some(0);
        if out && rule.value == Finish::OneBehind {
            over = behind;
            if !behind && over_by.is_none() {
                self.push(Fact::CoupsLeft(1), &[Some(rule.clause)]);
                self.call(self.book.calls.last_coup_during().as_ref());
            }
        } else if left == Some(1) {
            self.call(self.book.calls.last_coup_during().as_ref());
        }
        if let (true, Some(more), Some(Outcome::Tie), None) =
            (over, end.one_more_on_tie, outcome, table.shoe.tie_round)
        {
            self.push(Fact::OneMoreRound, &[Some(more.clause)]);
            over = false;
        }
        let vacancy = self.book.shuffle.also(AlsoShuffled::AfterVacancy);
        if over {
            return self.push(Fact::ShuffleDue, &[Some(shuffle.clause), Some(rule.clause)]);
        }
        let was_due = interrupted.and_then(|interrupted| interrupted.shuffle_by.first().copied());
        let due = over_by.or(vacancy.filter(|_| table.vacated)).or(was_due);
        if due.is_some() {
            return self.push(Fact::ShuffleDue, &[due]);
        }
        self.leftover();
        if self.takes_wagers() {
            self.bets_opened();
            if let Some(interrupted) = interrupted {
                self.lay_again(&interrupted.wagers);
            }
        }
    }

    /// Staff are told of a seat that may be asked for.
    fn advise_abstaining(&mut self) {
        let Some(rule) = self.book.boxes.abstention else { return };
        let table = self.table;
        // This decision may have begun the coup, and the table does not know yet.
        let begun = self.events.iter().any(|event| matches!(event.fact, Fact::CoupBegan { .. }));
        let no_bet = match (&table.coup, begun) {
            (Some(coup), false) => coup.no_bet,
            _ => table.no_bet,
        };
        if !table.is_full() || no_bet.is_some() {
            return;
        }
        let trimmed = |id: PlayerId| {
            let why = ReturnWhy::Exposure;
            let back = |event: &Event| {
                matches!(event.fact, Fact::Returned { player, why: said, .. }
                    if player == id && said == why)
            };
            self.events.iter().any(back)
        };
        let idle_now = |(id, player): &(PlayerId, &Player)| {
            let wagered = table.wagers.iter().any(|wager| wager.player == *id);
            let idle = match (begun, wagered || player.sent_back || trimmed(*id)) {
                (true, true) => 0,
                (true, false) => table.idle_rounds(*id) + 1,
                (false, _) => table.idle_rounds(*id),
            };
            !player.standing && u32::try_from(idle) == Ok(rule.value.get())
        };
        let idle: Vec<_> = table.playing().filter(idle_now).map(|(id, _)| id).collect();
        for id in idle {
            self.push(Fact::Advised(id, Advice::Abstaining), &[Some(rule.clause)]);
        }
    }
}

/// The chips that a settlement moves.
fn settlement(purse: Account, stake: Cents, verdict: Verdict) -> Postings {
    let signed = |cents: Cents| i64::try_from(cents.get()).unwrap_or(i64::MAX);
    let mut postings = Postings::new();
    let mut entry = |account, cents: i64| {
        if cents != 0 {
            postings.push(Entry { account, cents });
        }
    };
    entry(Account::Layout, -signed(stake));
    match verdict {
        Verdict::Lost => entry(Account::Float, signed(stake)),
        Verdict::Kept => entry(purse, signed(stake)),
        Verdict::Won(winnings) => {
            let (net, commission) = (signed(winnings.net), signed(winnings.commission));
            entry(purse, signed(stake) + net);
            entry(Account::Commission, commission);
            entry(Account::Float, -(net + commission));
        }
    }
    postings
}
