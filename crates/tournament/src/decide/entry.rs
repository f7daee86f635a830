//! From the conditions to the entries: entering, paying, and leaving again.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use rules::book::{
    Agreement, BeforeEntries, Disqualified, Kept, Refunds, SessionLength, Substitute,
};
use rules::{Cents, Clause};
use table::{Code, Name, Refusal, no};

use super::{Draft, of};
use crate::check::{faults, matters};
use crate::command::Offence;
use crate::conditions::{Conditions, Length, Stage};
use crate::document;
use crate::event::{Account, EntrantId, Fact, Leg, OutWhy, Seat};
use crate::sitting::{Chair, Stint};
use crate::state::{Entrant, Phase, Status};

/// The microseconds of a day.
const DAY: u64 = 24 * 60 * 60 * 1_000_000;

impl Draft<'_> {
    pub(super) fn open(&mut self) {
        let title = &self.book.title;
        let opened = Fact::Opened { book: title.id, base: title.base };
        self.push(opened, &[of(&self.rules.event.applies)]);
    }

    /// Documents the conditions, if they have no faults.
    pub(super) fn document(&mut self, conditions: &Conditions) -> Result<(), Refusal> {
        let event = self.rules.event;
        let written = of(&event.conditions_written).or(of(&event.conditions_approved));
        if self.t.phase != Phase::Preparing {
            let clause = written.or(of(&event.conditions_available));
            let what = "the conditions cannot change after entries have opened";
            return no(Code::ConditionsFixed, clause, what, "cancel, and open another");
        }
        let found = faults(conditions, self.book);
        if !found.is_empty() {
            let clauses: Vec<Clause> = found.iter().filter_map(|fault| fault.clause).collect();
            let words = found.iter().map(|fault| match fault.clause {
                Some(clause) => format!("{} [{clause}]", fault.what),
                None => fault.what.clone(),
            });
            let what = words.collect::<Vec<_>>().join("; ");
            let instead = "put that right, and document them again";
            let mut clauses = clauses.into_iter();
            let refusal = Refusal::new(Code::BadConditions, clauses.next(), what, instead);
            return Err(refusal.and(clauses));
        }
        let hash = document::hash(conditions, self.book);
        self.push(Fact::Documented { conditions: Box::new(conditions.clone()), hash }, &[written]);
        for matter in matters(conditions, self.book).into_iter().filter(|matter| matter.stated) {
            self.push(Fact::States(matter.name.into()), &[Some(matter.rule.clause)]);
        }
        let minutes = |stage: &Stage| matches!(stage.length, Some(Length::Minutes(_)));
        let by_the_clock = conditions.stages.0.iter().any(minutes)
            && event.session.value == SessionLength::RoundsOrShoes;
        if conditions.both_sides.is_some() || by_the_clock {
            self.push(Fact::Prevails, &[of(&event.prevails)]);
        }
        Ok(())
    }

    fn documented(&self) -> Result<(), Refusal> {
        self.conditions().map(|_| ())
    }

    pub(super) fn publish(&mut self) -> Result<(), Refusal> {
        self.documented()?;
        self.push(Fact::Published, &[of(&self.rules.event.conditions_available)]);
        Ok(())
    }

    pub(super) fn notify(&mut self) -> Result<(), Refusal> {
        self.documented()?;
        self.push(Fact::Notified, &[of(&self.rules.event.conditions_notified)]);
        Ok(())
    }

    pub(super) fn approve(&mut self) -> Result<(), Refusal> {
        self.documented()?;
        self.push(Fact::Approved, &[of(&self.rules.event.conditions_approved)]);
        Ok(())
    }

    pub(super) fn approve_commission(&mut self) -> Result<(), Refusal> {
        self.documented()?;
        let kept = self.rules.prizes.kept;
        match kept.value {
            Kept::Approved => {
                self.push(Fact::CommissionApproved, &[Some(kept.clause)]);
                Ok(())
            }
            Kept::UpTo(_) => {
                let what = "the book itself says how much may be kept";
                no(Code::NotInTheBook, Some(kept.clause), what, "no approval is needed")
            }
        }
    }

    pub(super) fn name_director(&mut self, name: Name) -> Result<(), Refusal> {
        self.check_may_direct(name)?;
        self.push(Fact::DirectorNamed(name), &[Some(self.rules.event.director.clause)]);
        Ok(())
    }

    /// A person who plays may not conduct the event.
    pub(super) fn check_may_direct(&self, name: Name) -> Result<(), Refusal> {
        let clause = Some(self.rules.event.director.clause);
        let plays = self.t.entrant_named(&name).is_some_and(|id| {
            let status = self.who(id).status;
            let waits = matches!(status, Status::Applied | Status::Reserve);
            waits || (status == Status::Entered && self.t.still_plays(id))
        });
        if plays {
            let what = format!("{name} plays in it");
            return no(Code::NotEligible, clause, what, "allowed: somebody who does not play");
        }
        Ok(())
    }

    pub(super) fn director_leaves(&mut self) {
        self.push(Fact::DirectorLeft, &[of(&self.rules.event.director_present)]);
    }

    pub(super) fn director_returns(&mut self) -> Result<(), Refusal> {
        if !self.t.director_away {
            return Self::wrong_moment("the director is there", "go on");
        }
        self.push(Fact::DirectorBack, &[of(&self.rules.event.director_present)]);
        Ok(())
    }

    pub(super) fn require_agreement(&mut self) -> Result<(), Refusal> {
        if self.t.phase > Phase::Entries {
            return Self::wrong_moment("players have entered", "allowed before that");
        }
        self.push(Fact::AgreementRequired, &[of(&self.rules.event.agreement)]);
        Ok(())
    }

    pub(super) fn tell_conditions(&mut self) -> Result<(), Refusal> {
        self.documented()?;
        self.push(Fact::ConditionsTold, &[of(&self.rules.event.conditions_told)]);
        Ok(())
    }

    pub(super) fn open_entries(&mut self) -> Result<(), Refusal> {
        if self.t.phase != Phase::Preparing {
            return Self::wrong_moment("entries were opened already", "take entries");
        }
        self.documented()?;
        let event = self.rules.event;
        let director = Some(event.director.clause);
        for (done, clause, step) in [
            (
                self.t.approved || !event.wants(BeforeEntries::Approved),
                of(&event.conditions_approved),
                "the regulator approves them",
            ),
            (
                self.t.published || !event.wants(BeforeEntries::Available),
                of(&event.conditions_available),
                "the operator publishes them",
            ),
            (
                self.t.notified || !event.wants(BeforeEntries::Notified),
                of(&event.conditions_notified),
                "the operator notifies the regulator",
            ),
            (self.t.director.is_some(), director, "the operator names the director"),
        ] {
            if !done {
                let what = "no entry is taken on these conditions yet";
                return no(Code::NotYet, clause, what, format!("{step} first"));
            }
        }
        let conditions = self.conditions()?;
        let kept = self.rules.prizes.kept;
        let keeps = conditions.keeps_something() && kept.value == Kept::Approved;
        if keeps && !self.t.commission_approved {
            let what = "nobody has approved what the house keeps of the fees";
            let instead = "the regulator approves the commission first; notifying is no approval";
            return no(Code::NotYet, Some(kept.clause), what, instead);
        }
        for (stated, clause, what) in [
            (!conditions.stages.0.is_empty(), of(&self.rules.conditions.structure), "stages"),
            (
                conditions.everywhere(|c, stage| c.chips_of(stage).is_some()),
                of(&self.rules.conditions.chips),
                "chips of a session",
            ),
        ] {
            if !stated {
                let what = format!("the conditions have no {what}, so nobody could play");
                return no(Code::NotYet, clause, what, "state them, and document it again");
            }
        }
        let costs = conditions.fee.is_some();
        let fee = of(&self.rules.prizes.fee).filter(|_| costs);
        self.push(Fact::EntriesOpened, &[fee]);
        if let Some(added) = self.conditions()?.added {
            self.add(added.0);
        }
        Ok(())
    }

    pub(super) fn add_to_pool(&mut self, amount: Cents) -> Result<(), Refusal> {
        if self.t.phase < Phase::Entries {
            return Self::wrong_moment("adding to the pool before entries open", "state it");
        }
        if amount == Cents::ZERO {
            let instead = "allowed: an amount above 0, such as `operator adds 500 to the pool`";
            return no(Code::NoAmount, None, "adding nothing to the pool", instead);
        }
        let pool = self.t.pool.at_least_zero().get();
        if pool.saturating_add(amount.get()) > Cents::MAX.get() / 2 {
            let what = format!("{amount} more than a pool can hold");
            return no(Code::TooMany, None, what, "allowed: less");
        }
        if self.rules.prizes.added.is_none() {
            let what = format!("{amount} more than the conditions say");
            let clause = of(&self.rules.conditions.pool);
            return no(Code::NotInTheBook, clause, what, "allowed: `added = …` in the conditions");
        }
        self.add(amount);
        Ok(())
    }

    pub(super) fn add(&mut self, amount: Cents) {
        let clause = of(&self.rules.prizes.added).or(of(&self.rules.conditions.pool));
        let postings = vec![Self::from(Account::Outside, amount), Self::to(Account::Pool, amount)];
        self.pay(Fact::PoolAdded(amount), &[clause], postings);
    }

    pub(super) fn apply(&mut self, name: Name) -> Result<(), Refusal> {
        if self.t.phase != Phase::Entries {
            let what = format!("{name} applies while no entries are taken");
            let when = "allowed while entries are open";
            return Self::wrong_moment(&what, when);
        }
        if self.t.director == Some(name) {
            let clause = Some(self.rules.event.director.clause);
            let what = format!("{name} is the director");
            return no(Code::NotEligible, clause, what, "who conducts it does not play");
        }
        let same = |entrant: &&Entrant| entrant.name.eq_ignore_ascii_case(&name);
        let old = self.t.entrants.iter().rfind(same).map(|old| old.status);
        if old.is_some_and(|status| status != Status::Refused) {
            let clause = of(&self.rules.event.entries);
            let what = format!("{name} has or had an entry");
            return no(Code::OneEntry, clause, what, "somebody else may enter");
        }
        let Ok(number) = u16::try_from(self.t.entrants.len()) else {
            return no(Code::TooMany, None, "more than 65535 applicants", "open another");
        };
        let entrant = EntrantId(number);
        let clause = of(&self.rules.conditions.application);
        self.push(Fact::Applied { entrant, name }, &[clause]);
        Ok(())
    }

    pub(super) fn agree(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        self.push(Fact::Agreed(id), &[of(&self.rules.event.agreement)]);
        Ok(())
    }

    pub(super) fn accept(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let waits = matches!(self.who(id).status, Status::Applied | Status::Reserve);
        if !waits || self.t.phase != Phase::Entries {
            let what = match self.who(id).status {
                Status::Entered => format!("{name} is in already"),
                Status::Applied
                | Status::Refused
                | Status::Reserve
                | Status::Withdrawn
                | Status::Forfeited
                | Status::Disqualified => format!("{name} does not wait for an answer"),
            };
            return Self::wrong_moment(&what, "an applicant can be accepted");
        }
        self.check_agreed(id)?;
        let most = self.conditions()?.players.map_or(u32::MAX, |players| players.most);
        let entered = self.t.entrants.iter().filter(|entrant| entrant.status == Status::Entered);
        if u32::try_from(entered.count()).unwrap_or(u32::MAX) >= most {
            if self.who(id).status == Status::Reserve {
                return Self::wrong_moment("all places are taken", "wait until one comes free");
            }
            let clauses = [of(&self.rules.conditions.players), of(&self.rules.event.reserve)];
            self.push(Fact::Reserved(id), &clauses);
            return Ok(());
        }
        self.take_fee(id)
    }

    /// Checks that a player who must agree to the conditions in writing has done so.
    pub(super) fn check_agreed(&self, id: EntrantId) -> Result<(), Refusal> {
        let rule = self.rules.event.agreement;
        let required = rule.is_some_and(|rule| rule.value == Agreement::Required);
        if (required || self.t.agreement) && !self.who(id).agreed {
            let name = self.who(id).name;
            let what = format!("{name} has not agreed to the conditions in writing");
            let instead = format!("`{name} agrees to the conditions` comes first");
            return no(Code::NotYet, of(&rule), what, instead);
        }
        Ok(())
    }

    /// Takes the fee of an applicant or a reserve, who is then entered.
    pub(super) fn take_fee(&mut self, id: EntrantId) -> Result<(), Refusal> {
        let fee = self.conditions()?.fee.map_or(Cents::ZERO, |fee| fee.0);
        let postings = self.fee_postings(fee)?;
        let kept = Some(self.rules.prizes.kept.clause).filter(|_| postings.len() > 2);
        let stated = of(&self.rules.conditions.fee).filter(|_| fee > Cents::ZERO);
        let may = of(&self.rules.prizes.fee).filter(|_| fee > Cents::ZERO);
        self.pay(Fact::Entered { entrant: id, fee }, &[may, kept, stated], postings);
        Ok(())
    }

    /// The postings of a fee: to the pool, and the house's part to the commission.
    pub(super) fn fee_postings(&self, fee: Cents) -> Result<Vec<Leg>, Refusal> {
        if fee == Cents::ZERO {
            return Ok(Vec::new());
        }
        let kept = self.conditions()?.kept_of(fee);
        let rest = fee.checked_sub(kept).unwrap_or(Cents::ZERO);
        let mut postings = vec![Self::from(Account::Outside, fee), Self::to(Account::Pool, rest)];
        if kept > Cents::ZERO {
            postings.push(Self::to(Account::Commission, kept));
        }
        Ok(postings)
    }

    /// Application, agreement and acceptance.
    pub(super) fn enter(&mut self, name: Name) -> Result<(), Refusal> {
        self.apply(name)?;
        let rule = self.rules.event.agreement;
        if self.t.agreement || rule.is_some_and(|rule| rule.value == Agreement::Required) {
            self.agree(name)?;
        }
        self.accept(name)
    }

    pub(super) fn refuse_entry(&mut self, name: Name, why: &str) -> Result<(), Refusal> {
        let id = self.named(name)?;
        if !matches!(self.who(id).status, Status::Applied | Status::Reserve) {
            let what = format!("{name} does not wait for an answer");
            return Self::wrong_moment(
                &what,
                "allowed: the director disqualifies a player who has entered",
            );
        }
        let clause = of(&self.rules.event.refusal).or(of(&self.rules.conditions.entry));
        self.push(Fact::EntryRefused(id, why.into()), &[clause]);
        Ok(())
    }

    /// The entrant of that name, who must still take part.
    fn entered(&self, name: Name) -> Result<EntrantId, Refusal> {
        let id = self.named(name)?;
        match self.who(id).status {
            Status::Entered | Status::Applied | Status::Reserve => Ok(id),
            Status::Refused | Status::Withdrawn | Status::Forfeited | Status::Disqualified => {
                let what = format!("{name} has no part in it any more");
                no(Code::NotEligible, None, what, "name a player who is in")
            }
        }
    }

    pub(super) fn withdraw(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.entered(name)?;
        let rule = self.rules.prizes.refunds;
        self.push(Fact::Withdrawn(id), &[]);
        self.stand_up(id, &[])?;
        self.end_stage_if_all_left()?;
        let (may, days) = match rule.value {
            Refunds::OnCancellation => (false, 0),
            Refunds::OrWithdrawal(days) => (true, days),
        };
        let notice = u64::from(days) * DAY;
        let start = self.t.start.or(self.conditions()?.start.map(|start| start.0));
        let in_time = match start {
            Some(start) => self.at.saturating_add(notice) <= start,
            None => self.t.phase == Phase::Entries,
        };
        // The days are counted to the start of the competition, not of a later session.
        let in_time = in_time && self.t.sittings.is_empty();
        if self.who(id).paid == Cents::ZERO {
            return Ok(());
        }
        if may && in_time {
            self.refund(id, &[Some(rule.clause)]);
        } else {
            self.push(Fact::FeeForfeited(id), &[Some(rule.clause)]);
        }
        Ok(())
    }

    fn refund(&mut self, id: EntrantId, clauses: &[Option<Clause>]) {
        let (paid, kept) = (self.who(id).paid, self.who(id).kept);
        let rest = paid.checked_sub(kept).unwrap_or(Cents::ZERO);
        let mut postings = vec![Self::from(Account::Pool, rest), Self::to(Account::Outside, paid)];
        if kept > Cents::ZERO {
            postings.push(Self::from(Account::Commission, kept));
        }
        self.pay(Fact::Refunded(id, paid), clauses, postings);
    }

    pub(super) fn disqualify(&mut self, name: Name, ground: &Offence) -> Result<(), Refusal> {
        let id = self.entered(name)?;
        let (prizes, chips) = (self.rules.prizes, self.rules.chips);
        let general = of(&self.book.general.breach_excludes);
        let clauses = match ground {
            Offence::Breach(_) => [of(&prizes.disqualified_breach).or(general), None],
            Offence::Absence => [of(&prizes.disqualified_absent), None],
            Offence::HiddenChips => match chips.concealed {
                Some(rule) => [Some(rule.clause), of(&chips.displayed)],
                None => [general, Some(chips.in_view.clause)],
            },
        };
        if *ground == Offence::Absence && !prizes.disqualifies(Disqualified::Absence) {
            let clause = Some(self.rules.event.not_there.clause);
            let what = format!("{name} is disqualified for not being there");
            let instead = "a player who is not in the seat at the start loses the place instead";
            return no(Code::NotInTheBook, clause, what, instead);
        }
        self.push(Fact::Disqualified(id, ground.clone()), &clauses);
        self.stand_up(id, &clauses)?;
        self.end_stage_if_all_left()?;
        if self.who(id).paid > Cents::ZERO {
            let kept = of(&prizes.disqualified_fee).or(Some(prizes.refunds.clause));
            self.push(Fact::FeeForfeited(id), &[kept]);
        }
        Ok(())
    }

    /// A player who no longer takes part leaves the table, if at one.
    fn stand_up(&mut self, id: EntrantId, clauses: &[Option<Clause>]) -> Result<(), Refusal> {
        let Some(sitting) = self.t.sitting_of(id) else { return Ok(()) };
        let (number, stint) = (sitting.number, sitting.stint);
        let waited = sitting.has_forms_to_open();
        let contests = sitting.chair(id).is_some_and(|chair| chair.plays);
        if sitting.chair(id).is_some_and(|chair| chair.out.is_none()) {
            self.take_out(number, id, OutWhy::Left, clauses)?;
        }
        if let (Stint::PlayOffDue(_), true) = (stint, contests) {
            // The question which players are level must be answered again.
            return self.end_play(number);
        }
        if let Stint::PlayOffDue(_) = stint {
            // The others may have moved up, so that nothing or something else is contested.
            let contest = self.contest(number)?.map_or_else(Vec::new, |contest| contest.players);
            let due = |chair: &&Chair| chair.plays;
            let due = self.sitting(Some(number))?.chairs.iter().filter(due);
            let same = due.map(|chair| chair.entrant).collect::<Vec<_>>();
            let same = same.len() == contest.len() && same.iter().all(|id| contest.contains(id));
            return if same { Ok(()) } else { self.end_play(number) };
        }
        if waited && !self.sitting(Some(number))?.has_forms_to_open() {
            return self.round_over(number);
        }
        self.settle_if_over(number)
    }

    /// When the last player who waited for a place leaves, the stage may be over.
    fn end_stage_if_all_left(&mut self) -> Result<(), Refusal> {
        match self.t.current_stage().filter(|_| self.t.allotments.is_empty()) {
            Some(stage) => self.end_stage(stage),
            None => Ok(()),
        }
    }

    pub(super) fn nominate(&mut self, name: Name, substitute: Name) -> Result<(), Refusal> {
        let id = self.entered(name)?;
        self.may_stand_in(id, substitute)?;
        self.push(Fact::Nominated(id, substitute), &[Some(self.rules.event.substitute.clause)]);
        Ok(())
    }

    /// Checks a substitute: nobody plays two seats, and a disqualified person plays none.
    fn may_stand_in(&self, id: EntrantId, substitute: Name) -> Result<(), Refusal> {
        let clause = Some(self.rules.event.substitute.clause);
        let ids = (0..self.t.entrants.len()).filter_map(|i| u16::try_from(i).ok().map(EntrantId));
        let stands_in = |other: EntrantId| self.who(other).substitute == Some(substitute);
        let busy = ids.filter(|other| *other != id && self.t.still_plays(*other)).any(stands_in);
        let own = self.t.entrant_called(&substitute).filter(|own| *own != id);
        let status = own.map(|own| self.who(own).status);
        let plays = || own.is_some_and(|own| self.t.still_plays(own));
        let why = if self.t.director == Some(substitute) {
            "directs the tournament"
        } else if busy {
            "plays for another"
        } else if status == Some(Status::Disqualified) {
            "was disqualified"
        } else if status == Some(Status::Entered) && plays() {
            "has a part of their own in it"
        } else {
            return Ok(());
        };
        let what = format!("{substitute} {why}");
        no(Code::NotEligible, clause, what, "allowed: somebody who is not playing")
    }

    pub(super) fn substitute(&mut self, name: Name, substitute: Name) -> Result<(), Refusal> {
        let id = self.entered(name)?;
        self.may_stand_in(id, substitute)?;
        let rule = self.rules.event.substitute;
        let own = self.who(id).name == substitute;
        if rule.value == Substitute::Nominated && self.who(id).nominated != Some(substitute) && !own
        {
            let what = format!("{name} has not named {substitute}");
            let instead = format!("`{name} nominates {substitute}` comes first");
            return no(Code::NotYet, Some(rule.clause), what, instead);
        }
        self.push(Fact::Substituted(id, substitute), &[Some(rule.clause)]);
        if self.chair(id).is_ok_and(|(_, chair)| chair.absent) {
            self.note(id, Seat::Taken, &[]);
            self.push(Fact::CameBack(id), &[]);
        }
        Ok(())
    }

    pub(super) fn cancel(&mut self, why: &str) {
        let prizes = self.rules.prizes;
        let clause = of(&prizes.cancelled).or(Some(prizes.refunds.clause));
        let why = String::from(why);
        let ids = (0..self.t.entrants.len()).filter_map(|i| u16::try_from(i).ok().map(EntrantId));
        for id in ids.collect::<Vec<_>>() {
            let out = self.who(id).status == Status::Disqualified;
            if self.who(id).paid == Cents::ZERO {
                continue;
            }
            if let (true, Refunds::OrWithdrawal(_)) = (out, prizes.refunds.value) {
                let clause = of(&prizes.disqualified_fee).or(Some(prizes.refunds.clause));
                self.push(Fact::FeeNotRefunded(id), &[clause]);
            } else {
                self.refund(id, &[Some(prizes.refunds.clause)]);
            }
        }
        // The house gets back what it added, and what nobody has a claim to.
        let rest = self.t.pool.at_least_zero();
        let mut postings = Vec::new();
        if rest > Cents::ZERO {
            postings.push(Self::from(Account::Pool, rest));
            postings.push(Self::to(Account::Outside, rest));
        }
        self.pay(Fact::Cancelled(why), &[clause], postings);
    }
}
