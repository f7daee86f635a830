//! The end of a coup: announced and settled, and what follows it.

use alloc::vec::Vec;

use rules::book::{AlsoShuffled, Finish};
use rules::{Balance, Cents, Clause, Outcome, RowOutcome, Score, Side, Spot, Verdict};

use super::Draft;
use super::opening::Since;
use crate::event::{Account, Advice, Fact, PlayerId, ReturnWhy};
use crate::record::CoupRecord;
use crate::state::{Player, Wager, of};

impl Draft<'_> {
    /// Ends the coup: announces it, settles it, and puts its cards in the rack.
    pub(super) fn finish(&mut self, number: u32, score: Score, mut done: Settlements) {
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
        self.call_kept(score);
        let mut next = 0;
        while let Some(wager) = self.table.wagers.get(next).copied() {
            self.settle(&wager, score, &mut done);
            // A settled wager is no longer on the layout; a wager that stays for the next coup is
            // skipped.
            let same = |left: &Wager| left.is_at(wager.player, wager.spot, wager.place);
            next += usize::from(self.table.wagers.get(next).is_some_and(same));
        }
        let losers = of(&self.book.wagers.losers_untouched).filter(|_| done.lost);
        let settled = of(&self.book.settlement.after_result).filter(|_| done.any);
        let pairs = (score.player.pair.is_some(), score.banker.pair.is_some());
        let ended = Fact::CoupEnded { number, outcome: Some(outcome), pairs, natural };
        self.push(ended, &[settled, losers]);
        self.after_coup(Some(outcome), None);
    }

    /// Calls that the stakes of side bets are neither won nor lost, where the book wants it.
    fn call_kept(&mut self, score: Score) {
        let book = self.book;
        for group in book.side_bets.iter().filter(|group| group.rules.kept_call.is_some()) {
            let terms = self.table.terms();
            let kept = self.table.wagers.iter().any(|wager| {
                let Spot::Side(key) = wager.spot else { return false };
                let bet = book.side_bet(key, terms).filter(|(of, _)| of.key == group.key);
                bet.is_some_and(|(_, bet)| bet.row(&score).outcome == RowOutcome::Kept)
            });
            if kept {
                self.call(group.rules.kept_call.as_ref());
            }
        }
    }

    /// Settles one wager, within the limits.
    pub(super) fn settle(&mut self, wager: &Wager, score: Score, done: &mut Settlements) {
        let Wager { player, spot, place, stake, unnoticed, limits } = *wager;
        let rules = &self.book.limits;
        let least = limits.map_or(Cents::ZERO, |limits| limits.least);
        if unnoticed && stake < least && rules.under_minimum.is_some() {
            let clauses = [of(&rules.under_minimum_again), of(&rules.under_minimum)];
            if self.who(player).advised_minimum {
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
            // A stake whose winnings would not be whole cents is never accepted.
            let clause = of(&rules.payable).or(of(&rules.multiples)).or(of(&rules.over_maximum));
            return self.give_back(wager, at_risk, ReturnWhy::Unpayable, &[clause]);
        };
        let early = self.side_bets_of(spot).and_then(|group| match settled.verdict {
            Verdict::Lost => of(&group.rules.collected),
            Verdict::Won(_) | Verdict::Kept => of(&group.rules.settled),
        });
        let clause = |i: usize| settled.clauses.get(i).copied();
        let clauses = [clause(0), clause(1), clause(2), early.or(clause(3))];
        done.any = true;
        let main = matches!(spot, Spot::Banker | Spot::Player);
        if let (Verdict::Kept, true, Some(lies)) =
            (settled.verdict, main, self.book.wagers.altered_after_tie)
        {
            // The wager stays on the layout: its owner may leave it, move it or take it back.
            let fact = Fact::Lies { player, spot, place, stake: at_risk };
            return self.push(fact, &[clause(0), Some(lies.clause)]);
        }
        let postings = settlement(self.purse(player), at_risk, settled.verdict);
        let verdict = settled.verdict;
        done.lost |= verdict == Verdict::Lost;
        let fact = Fact::Settled { player, spot, place, stake: at_risk, verdict };
        self.pay(fact, &clauses, postings);
    }

    /// If a card was seen early and not used, the next coup is a no-bet coup.
    pub(super) fn leftover(&mut self) {
        if let Some(card) = self.table.face_up.and_then(|lies| lies.card) {
            let clause = self.book.irregularities.face_up_first.clause;
            self.push(Fact::Excess { card: Some(card) }, &[Some(clause)]);
        }
        self.seen_card_comes();
    }

    /// What follows a coup: changes that were announced, the end of the shoe, a coup without
    /// wagers, or open wagers. `over_by` is the clause by which the shoe is over in any case.
    pub(super) fn after_coup(&mut self, outcome: Option<Outcome>, over_by: Option<Clause>) {
        // Changes announced since a coup that is judged again are for the round after it.
        let interrupted = self.table.interrupted.clone();
        let again = interrupted.is_some();
        self.take_effect(if again { Since::SomeTime } else { Since::ARound });
        let end = &self.book.end_of_shoe;
        let during = self.table.shoe.cutting_card == Some(false);
        let shuffle = if during { end.shuffle_after_during } else { end.shuffle_after_first };
        let rule = if during { end.cutting_card_during } else { end.cutting_card_first };
        if outcome.is_some() {
            self.advise_abstaining();
        }
        let shoe = &self.table.shoe;
        let (left, out) = (shoe.coups_left, shoe.cutting_card.is_some());
        let behind = self.was_behind.unwrap_or(shoe.behind_out);
        let tie_round = shoe.tie_round;
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
            (over, end.one_more_on_tie, outcome, tie_round)
        {
            self.push(Fact::OneMoreRound, &[Some(more.clause)]);
            over = false;
        }
        let vacancy = self.book.shuffle.also(AlsoShuffled::AfterVacancy);
        if over {
            return self.push(Fact::ShuffleDue, &[Some(shuffle.clause), Some(rule.clause)]);
        }
        let was_due = interrupted.as_ref().and_then(|before| before.shuffle_by.first().copied());
        let due = over_by.or(vacancy.filter(|_| self.table.vacated)).or(was_due);
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

    /// Staff are told of a seat that may be asked for, now that the coup is over.
    fn advise_abstaining(&mut self) {
        let Some(rule) = self.book.boxes.abstention else { return };
        let table = &*self.table;
        let sat_out = |record: &CoupRecord| record.no_bet.is_none() && !record.idle.is_empty();
        if !table.records.last().is_some_and(sat_out) || !table.is_full() {
            return;
        }
        let idle = |(id, player): &(PlayerId, &Player)| {
            let rounds = u32::try_from(table.idle_rounds(*id));
            !player.standing && rounds == Ok(rule.value.get())
        };
        let idle: Vec<_> = table.playing().filter(idle).map(|(id, _)| id).collect();
        for id in idle {
            self.push(Fact::Advised(id, Advice::Abstaining), &[Some(rule.clause)]);
        }
    }
}

/// What a decision has settled so far.
#[derive(Default)]
pub(super) struct Settlements {
    /// Some wagers were settled, or stay on the layout.
    any: bool,
    /// Some wagers were collected.
    lost: bool,
}

/// The chips that a settlement moves.
fn settlement(purse: Account, stake: Cents, verdict: Verdict) -> [(Account, Balance); 4] {
    let stake = Balance::from(stake);
    let (back, commission, float) = match verdict {
        Verdict::Lost => (Balance::ZERO, Balance::ZERO, stake),
        Verdict::Kept => (stake, Balance::ZERO, Balance::ZERO),
        Verdict::Won(winnings) => {
            let (net, commission) = (winnings.net.into(), winnings.commission.into());
            (stake + net, commission, -(net + commission))
        }
    };
    [
        (Account::Layout, -stake),
        (purse, back),
        (Account::Commission, commission),
        (Account::Float, float),
    ]
}
