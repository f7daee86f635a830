//! Voids: cancelling a coup as if it had never been dealt, during it or later, and voiding a
//! player's wagers.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rules::{Balance, Clause, Outcome};

use super::Draft;
use crate::command::Name;
use crate::event::{Account, Fact, PlayerId, ReturnWhy};
use crate::record::{CoupRecord, Effect};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Phase, Wager, of};

impl Draft<'_> {
    /// Cancels the current coup: wagers go back, and payouts are taken back. `over_by` is the
    /// clause by which the shoe is then over in any case.
    pub(super) fn void_current(
        &mut self,
        why: &str,
        clauses: &[Option<Clause>],
        over_by: Option<Clause>,
    ) {
        let table = &*self.table;
        let under_way = table.coup.is_some();
        // After the call and before the first card, the coup is the one that was about to begin.
        let number = table.coup.as_ref().map_or(table.coups + 1, |coup| coup.number);
        let means = of(&self.book.general.void_means);
        let first = clauses.first().copied().flatten();
        let second = clauses.get(1).copied().flatten();
        let voided = Fact::Voided { number, why: String::from(why) };
        self.push(voided, &[first, second, means]);
        self.return_all(ReturnWhy::Void, &[first.or(means)]);
        if under_way {
            self.reverse(number, None, first.or(means));
            let ended =
                Fact::CoupEnded { number, outcome: None, pairs: (false, false), natural: false };
            self.push(ended, &[]);
            self.after_coup(None, over_by);
        } else if over_by.is_some() {
            self.push(Fact::ShuffleDue, &[over_by]);
        } else if self.takes_wagers() {
            self.bets_opened();
        }
    }

    /// Reverses the effect of a coup on every player, or on one, as new entries.
    pub(super) fn reverse(&mut self, number: u32, only: Option<PlayerId>, clause: Option<Clause>) {
        let Some(record) = self.table.record_of(number) else { return };
        let mut effects = record.net_effects();
        effects.retain(|effect| only.is_none_or(|only| only == effect.player));
        for Effect { player, gained, commission } in effects {
            let who = self.who(player);
            let held = if who.present { who.stack } else { Balance::ZERO };
            // Chips that the player no longer has, or is owed after leaving, remain as an open
            // balance.
            let take = if gained.is_negative() && !who.present {
                Balance::ZERO
            } else {
                gained.min(held.max(Balance::ZERO))
            };
            let moved = [
                (Account::Stack(player), -take),
                (Account::Receivable(player), take - gained),
                (Account::Commission, -commission),
                (Account::Float, gained + commission),
            ];
            if moved.iter().any(|(_, cents)| *cents != Balance::ZERO) || only.is_some() {
                self.pay(Fact::Reversed { player, number }, &[clause], moved);
            }
        }
    }

    pub(super) fn void_coup(&mut self, why: &str) -> Result<(), Refusal> {
        self.void_latest(why, of(&self.book.general.impractical))
    }

    /// Cancels the coup with that number: the current one, or one that was settled, the latest or
    /// an earlier one.
    pub(super) fn void_numbered(&mut self, number: u32, why: &str) -> Result<(), Refusal> {
        let (coups, clause) = (self.table.coups, of(&self.book.general.impractical));
        let current = match self.table.phase {
            Phase::Called => Some(coups + 1),
            Phase::Dealing => Some(coups),
            Phase::Unopened | Phase::Preparing | Phase::Betting | Phase::Closed => None,
        };
        if current == Some(number) {
            self.void_current(why, &[clause], None);
            return Ok(());
        }
        self.check_stands(number, clause)?;
        self.void_settled(number, why, clause);
        Ok(())
    }

    /// Refuses a coup that never happened, is void already, or is so old that its effect on the
    /// chips is no longer stored.
    pub(super) fn check_stands(&self, number: u32, clause: Option<Clause>) -> Result<(), Refusal> {
        let (records, last) = (&self.table.records, self.table.coups);
        let first = records.first().map_or(last, |record| record.number);
        let stands = records.iter().any(|record| !record.voided);
        let kept = match (stands, first == last) {
            (false, _) => "none stands".into(),
            (true, true) => format!("allowed: coup {last}"),
            (true, false) => format!("allowed: one of coups {first} to {last} that stands"),
        };
        let what = match records.iter().find(|record| record.number == number) {
            Some(record) if !record.voided => return Ok(()),
            Some(_) => format!("coup {number} is void already"),
            None if last == 0 => {
                let what = format!("there is no coup {number}");
                return no(Code::NoSuchCoup, clause, what, "none was dealt yet");
            }
            None if number == 0 || number > last => format!("there is no coup {number}"),
            None => format!("coup {number} is too long ago to be reversed"),
        };
        no(Code::NoSuchCoup, clause, what, kept)
    }

    pub(super) fn invalidate(&mut self, why: &str) -> Result<(), Refusal> {
        self.void_latest(why, of(&self.book.general.disturbance))
    }

    /// Cancels the coup under way, or the one that was settled last.
    fn void_latest(&mut self, why: &str, clause: Option<Clause>) -> Result<(), Refusal> {
        let table = &*self.table;
        if matches!(table.phase, Phase::Called | Phase::Dealing) {
            self.void_current(why, &[clause], None);
            return Ok(());
        }
        let Some(record) = table.records.last().filter(|record| !record.voided) else {
            let what = "there is no coup to void";
            return no(Code::NoSuchCoup, clause, what, "allowed: a coup that stands");
        };
        let number = record.number;
        self.void_settled(number, why, clause);
        Ok(())
    }

    /// Cancels a coup that was settled.
    pub(super) fn void_settled(&mut self, number: u32, why: &str, clause: Option<Clause>) {
        let means = of(&self.book.general.void_means);
        let lying = self.lying(number, None);
        self.push(Fact::Voided { number, why: String::from(why) }, &[clause, means]);
        self.reverse(number, None, clause.or(means));
        self.return_lying(&lying, clause.or(means));
        self.drop_extra_round(number);
    }

    /// The wagers that a tied coup left on the layout: everybody's, or one player's.
    fn lying(&self, number: u32, only: Option<PlayerId>) -> Vec<Wager> {
        let Some(last) = &self.table.last else { return Vec::new() };
        let tied = self.score(&last.coup).outcome() == Outcome::Tie;
        if last.coup.number != number || !tied || self.book.wagers.altered_after_tie.is_none() {
            return Vec::new();
        }
        let concerns = |wager: &&Wager| {
            wager.spot.hand().is_some() && only.is_none_or(|only| only == wager.player)
        };
        last.wagers.iter().filter(concerns).copied().collect()
    }

    /// Returns the wagers that a tie left on the layout when the tie is void.
    fn return_lying(&mut self, lying: &[Wager], clause: Option<Clause>) {
        for Wager { player, spot, place, stake, .. } in lying.iter().copied() {
            if let Some(lies) = self.table.at(player, spot, place).copied() {
                self.give_back(&lies, lies.stake.min(stake), ReturnWhy::Void, &[clause]);
            }
        }
    }

    /// Removes the extra round that a tie brought when the tie is void. Once that round has begun,
    /// the table is no longer between two coups: it plays, or it awaits the shuffle.
    fn drop_extra_round(&mut self, number: u32) {
        let (shoe, end) = (&self.table.shoe, &self.book.end_of_shoe);
        let between = matches!(self.table.phase, Phase::Betting | Phase::Called);
        if shoe.tie_round != Some(number) || !between {
            return;
        }
        let during = shoe.cutting_card == Some(false);
        self.push(Fact::NoMoreRound, &[of(&end.one_more_on_tie)]);
        let shuffle = if during { end.shuffle_after_during } else { end.shuffle_after_first };
        self.return_all(ReturnWhy::NewShoe, &[Some(shuffle.clause)]);
        self.drop_waiting();
        self.push(Fact::ShuffleDue, &[Some(shuffle.clause)]);
    }

    /// Declares a player's wagers void: those of a coup, or else those that lie, or else those of
    /// the coup that was settled last.
    pub(super) fn void_wagers(
        &mut self,
        name: Name,
        coup: Option<u32>,
        why: &str,
    ) -> Result<(), Refusal> {
        let player = self.player_or_gone(name, coup)?;
        let clause = of(&self.book.general.breach_voids).or(self.partnership(player, why));
        let table = &*self.table;
        let stands = |record: &&CoupRecord| self.stands(record, player);
        let lies = table.wagers.iter().any(|wager| wager.player == player);
        let current = table.coup.as_ref().map(|coup| coup.number);
        // Wagers that lie between two coups belong to the next coup.
        let lying_in = current.unwrap_or(table.coups + 1);
        let latest = table.records.iter().rev().find(stands).map(|record| record.number);
        let number = coup.or(Some(lying_in).filter(|_| lies)).or(latest);
        let settled = number.and_then(|number| table.record_of(number));
        let settled = settled.filter(stands).map(|record| record.number);
        let lies = lies && number == Some(lying_in);
        if !lies && settled.is_none() {
            let what = match coup {
                Some(number) => format!("{name} has no wagers in coup {number} that stand"),
                None => format!("{name} has no wagers"),
            };
            return no(Code::NoSuchWager, clause, what, "name a player with wagers");
        }
        let lying = settled.map_or(Vec::new(), |number| self.lying(number, Some(player)));
        self.push(Fact::Decided(format!("{name}'s wagers are void: {why}")), &[clause]);
        if lies {
            self.return_wagers_of(player, ReturnWhy::Void, &[clause]);
        }
        if let Some(number) = settled {
            // Payouts and collected stakes are taken back too.
            self.reverse(number, Some(player), clause);
            self.return_lying(&lying, clause);
        }
        Ok(())
    }

    /// Whether a player had wagers in a coup that still count: paid, collected, or left on the
    /// layout after a tie.
    fn stands(&self, record: &CoupRecord, player: PlayerId) -> bool {
        let table = &*self.table;
        let last = table.last.as_ref().filter(|last| last.coup.number == record.number);
        let mut lay = last.into_iter().flat_map(|last| &last.wagers);
        let still = |w: &Wager| w.player == player && table.at(player, w.spot, w.place).is_some();
        let lies = self.book.wagers.altered_after_tie.is_some() && lay.any(still);
        !record.voided && (lies || record.concerns(player))
    }

    /// The player of that name whose wagers are meant: the one at the table, or else the one who
    /// left last; with a coup, the one who wagered in it.
    fn player_or_gone(&self, name: Name, coup: Option<u32>) -> Result<PlayerId, Refusal> {
        let table = &*self.table;
        let record = coup.and_then(|coup| table.record_of(coup));
        let meant = |id: &PlayerId| record.is_some_and(|record| self.stands(record, *id));
        let mut ids: Vec<_> = (0..table.players.len())
            .filter(|i| table.players[*i].name == name)
            .filter_map(|i| u16::try_from(i).ok().map(PlayerId))
            .collect();
        ids.sort_by_key(|id| (!self.who(*id).present, core::cmp::Reverse(*id)));
        let found = ids.iter().find(|id| meant(id)).or(ids.first()).copied();
        found.map_or_else(|| self.player(&name), Ok)
    }

    /// The clause against partnerships. It applies where the reason mentions one, or names another
    /// player whose wager together with this player's exceeds the maximum.
    fn partnership(&self, player: PlayerId, why: &str) -> Option<Clause> {
        let rule = self.book.limits.no_partnerships?;
        let plain = |c: char| if c.is_alphanumeric() || "'-".contains(c) { c } else { ' ' };
        let said = format!(" {} ", why.chars().map(plain).collect::<String>());
        let named = |id: PlayerId| said.contains(&format!(" {} ", self.who(id).name));
        let passes = |theirs: &Wager| {
            let mine = self.table.wagers.iter();
            let mine = mine.filter(|mine| mine.player == player && mine.spot == theirs.spot);
            let together =
                theirs.stake.get() + mine.map(|mine| mine.stake.get()).sum::<u64>().max(1);
            theirs.limits.is_some_and(|limits| together > limits.most.get())
        };
        let mut others = self.table.wagers.iter().filter(|wager| wager.player != player);
        let partners = why.contains("partner");
        let together = partners || others.any(|theirs| named(theirs.player) && passes(theirs));
        together.then_some(rule.clause)
    }
}
