//! Voids: a coup cancelled as if it had never been, now or later, and a player's wagers.

use alloc::format;
use alloc::string::String;

use rules::Clause;

use super::Draft;
use crate::command::Name;
use crate::event::{Account, Entry, Fact, PlayerId, Postings, ReturnWhy};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Phase, of};

impl Draft<'_> {
    /// The coup under way is cancelled: wagers go back, what was paid is taken back.
    pub(super) fn void_current(&mut self, why: &str, clauses: &[Option<Clause>]) {
        let table = self.table;
        // After the call and before the first card it is the coup that was to come.
        let number = table.coup.as_ref().map_or(table.coups + 1, |coup| coup.number);
        let means = of(&self.book.general.void_means);
        let first = clauses.first().copied().flatten();
        let second = clauses.get(1).copied().flatten();
        let voided = Fact::Voided { number, why: String::from(why) };
        self.push(voided, &[first, second, means]);
        self.return_all(ReturnWhy::Void, &[first.or(means)]);
        if table.coup.is_some() {
            self.reverse(number, None, first.or(means));
            let ended =
                Fact::CoupEnded { number, outcome: None, pairs: (false, false), natural: false };
            self.push(ended, &[]);
            if !self.after_coup(None) {
                self.leftover();
            }
        } else {
            self.bets_opened();
        }
    }

    /// Reverses the net effect of a coup on every player, as new entries.
    fn reverse(&mut self, number: u32, only: Option<PlayerId>, clause: Option<Clause>) {
        let table = self.table;
        let Some(record) = table.records.iter().find(|record| record.number == number) else {
            return;
        };
        let mut commission: i64 = record
            .net
            .iter()
            .filter(|entry| entry.account == Account::Commission)
            .map(|entry| entry.cents)
            .sum();
        for entry in &record.net {
            let Account::Stack(player) = entry.account else { continue };
            if only.is_some_and(|only| only != player) {
                continue;
            }
            let mut postings = Postings::new();
            let who = self.who(player);
            let returned = i64::try_from(self.returned_in_draft(player).get()).unwrap_or(0);
            let held = if who.present { who.stack + returned } else { 0 };
            let take = entry.cents.min(held.max(0));
            let owed = entry.cents - take;
            // What the player no longer has, or is owed after leaving, stands as a balance.
            let (stack, balance) =
                if entry.cents < 0 && !who.present { (0, -entry.cents) } else { (-take, -owed) };
            for (account, cents) in
                [(Account::Stack(player), stack), (Account::Receivable(player), balance)]
            {
                if cents != 0 {
                    postings.push(Entry { account, cents });
                }
            }
            if commission != 0 {
                postings.push(Entry { account: Account::Commission, cents: -commission });
            }
            let float = entry.cents + commission;
            commission = 0;
            if float != 0 {
                postings.push(Entry { account: Account::Float, cents: float });
            }
            if !postings.is_empty() {
                self.pay(Fact::Reversed { player, number }, &[clause], postings);
            }
        }
    }

    pub(super) fn void_coup(&mut self, why: &str) -> Result<(), Refusal> {
        self.void_latest(why, of(&self.book.general.impractical))
    }

    pub(super) fn invalidate(&mut self, why: &str) -> Result<(), Refusal> {
        self.void_latest(why, of(&self.book.general.disturbance))
    }

    /// Cancels the coup under way, or the one that was settled last.
    fn void_latest(&mut self, why: &str, clause: Option<Clause>) -> Result<(), Refusal> {
        let table = self.table;
        if matches!(table.phase, Phase::Called | Phase::Dealing) {
            self.void_current(why, &[clause]);
            return Ok(());
        }
        let Some(record) = table.records.last().filter(|record| !record.voided) else {
            let what = "there is no coup to void";
            return no(Code::NoSuchCoup, clause, what, "a coup that stands would do");
        };
        self.void_settled(record.number, why, clause);
        Ok(())
    }

    /// Cancels a coup that was settled.
    fn void_settled(&mut self, number: u32, why: &str, clause: Option<Clause>) {
        let means = of(&self.book.general.void_means);
        self.push(Fact::Voided { number, why: String::from(why) }, &[clause, means]);
        self.reverse(number, None, clause.or(means));
    }

    pub(super) fn void_wagers(&mut self, name: Name, why: &str) -> Result<(), Refusal> {
        let player = self.player(name)?;
        let general = of(&self.book.general.breach_voids);
        let clause = general.or(of(&self.book.limits.no_partnerships));
        let current = self.table.coup.as_ref().map(|coup| coup.number);
        let settled = current.is_some_and(|number| {
            let record = self.table.records.iter().find(|record| record.number == number);
            record.is_some_and(|r| r.net.iter().any(|e| e.account == Account::Stack(player)))
        });
        if !settled && !self.table.wagers.iter().any(|wager| wager.player == player) {
            let what = format!("{name} has no wagers");
            return no(Code::NoSuchWager, clause, what, "name a player with wagers");
        }
        self.push(Fact::Decided(format!("{name}'s wagers are void: {why}")), &[clause]);
        self.return_wagers_of(player, ReturnWhy::Void, &[clause]);
        if let Some(number) = current.filter(|_| settled) {
            // What was paid or collected early in this coup is taken back too.
            self.reverse(number, Some(player), clause);
        }
        Ok(())
    }

    pub(super) fn find_error(&mut self, number: u32) -> Result<(), Refusal> {
        let table = self.table;
        let Some(rule) = self.book.irregularities.found_later else {
            let what = "the book does not speak of errors found later";
            let instead = "a supervisor decides, and the decision is recorded";
            return no(Code::NotInTheBook, None, what, instead);
        };
        let known = table.records.iter().any(|record| record.number == number && !record.voided);
        if !known {
            let what = format!("there is no coup {number} of this shoe that stands");
            return no(Code::NoSuchCoup, Some(rule.clause), what, "name a coup of this shoe");
        }
        let begun = table.coups > number;
        if !begun {
            let what = format!("no round has begun since coup {number}");
            let instead = "the coup is put right or voided itself";
            return no(Code::WrongMoment, Some(rule.clause), what, instead);
        }
        self.void_settled(number, "an error of card placement was found", Some(rule.clause));
        Ok(())
    }
}
