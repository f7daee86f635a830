//! What is due: from the opening to the entries, and from the last session to the prizes.

mod seats;
mod shoe;
mod table;

use alloc::vec;
use alloc::vec::Vec;

use ::table::{By, Code, Role, Time};
use rules::Rulebook;
use rules::book::{Agreement, BeforeEntries, Kept};

use super::{Draft, Rules, of};
use crate::command::{Act, Command};
use crate::conditions::Ranking;
use crate::due::{Due, Next, Whom};
use crate::event::EntrantId;
use crate::sitting::Sitting;
use crate::state::{Entrant, Phase, State, Status};

impl State {
    /// What is due under a book; nothing if the book has no tournaments.
    pub(crate) fn due(&self, book: &Rulebook, table_book: &Rulebook, at: Time) -> Vec<Due> {
        let Some(rules) = Rules::of(book) else { return Vec::new() };
        let (t, at, by) = (self.clone(), self.now.max(at), By::role(Role::Director));
        let draft = Draft { book, rules, t, table_book, at, by, events: Vec::new() };
        match self.phase {
            Phase::Unopened => {
                let clauses = [of(&rules.event.applies)];
                vec![Due::new(Next::Open, Whom::Operator, &clauses).by(Act::Open)]
            }
            Phase::Preparing => draft.due_before_entries(),
            Phase::Entries => draft.due_in_entries(),
            Phase::Playing => draft.due_in_play(),
            Phase::Ended | Phase::Cancelled => Vec::new(),
        }
    }
}

impl Draft<'_> {
    /// Whether an act of the person who usually does it is accepted now.
    fn allows(&self, act: &Act) -> bool {
        self.refused(act).is_none()
    }

    /// The code with which an act is refused now, if it is.
    fn refused(&self, act: &Act) -> Option<Code> {
        let command = Command::new(self.at, act.clone());
        let judged = self.t.judge(self.book, self.table_book, &command);
        judged.err().map(|refusal| refusal.code)
    }

    fn due_before_entries(&self) -> Vec<Due> {
        let event = self.rules.event;
        let written = of(&event.conditions_written).or(of(&event.conditions_approved));
        let mut due = Vec::new();
        let playable = self.t.conditions().is_some_and(|conditions| {
            let chips = conditions.everywhere(|c, stage| c.chips_of(stage).is_some());
            !conditions.stages.0.is_empty() && chips
        });
        if !playable {
            let rules = self.rules.conditions;
            let lacks = Some(of(&rules.structure)).filter(|_| self.t.conditions().is_some());
            let clauses = [written, lacks.flatten()];
            due.push(Due::new(Next::Document, Whom::Operator, &clauses));
        }
        if self.t.director.is_none() {
            let clauses = [Some(event.director.clause)];
            due.push(Due::new(Next::NameDirector, Whom::Operator, &clauses));
        }
        if self.t.conditions().is_none() {
            return due;
        }
        due.extend(self.due_with_the_conditions());
        if due.is_empty() {
            let costs = self.t.conditions().is_some_and(|conditions| conditions.fee.is_some());
            let clauses = [of(&self.rules.prizes.fee).filter(|_| costs)];
            let open = Due::new(Next::OpenEntries, Whom::Operator, &clauses);
            due.push(open.by(Act::OpenEntries));
        }
        due.extend(self.may_require_agreement());
        due
    }

    /// The steps that the book wants taken with the conditions before entries are opened.
    fn due_with_the_conditions(&self) -> Vec<Due> {
        let event = self.rules.event;
        let wants = |step: BeforeEntries, done: bool| event.wants(step) && !done;
        let mut due = Vec::new();
        if wants(BeforeEntries::Approved, self.t.approved) {
            let clauses = [of(&event.conditions_approved)];
            due.push(Due::new(Next::Approve, Whom::Regulator, &clauses).by(Act::Approve));
        }
        if wants(BeforeEntries::Available, self.t.published) {
            let clauses = [of(&event.conditions_available)];
            due.push(Due::new(Next::Publish, Whom::Operator, &clauses).by(Act::Publish));
        }
        if wants(BeforeEntries::Notified, self.t.notified) {
            let clauses = [of(&event.conditions_notified)];
            due.push(Due::new(Next::Notify, Whom::Operator, &clauses).by(Act::Notify));
        }
        let kept = self.rules.prizes.kept;
        let keeps = self.t.conditions().is_some_and(crate::Conditions::keeps_something);
        // Who approves the conditions approves the commission in them.
        let open = keeps && kept.value == Kept::Approved && !self.t.commission_approved;
        if open && !wants(BeforeEntries::Approved, self.t.approved) {
            let clauses = [Some(kept.clause)];
            let approval = Due::new(Next::ApproveCommission, Whom::Regulator, &clauses);
            due.push(approval.by(Act::ApproveCommission));
        }
        due
    }

    fn may_require_agreement(&self) -> Option<Due> {
        let rule = self.rules.event.agreement?;
        let open = rule.value == Agreement::MayBeRequired && !self.t.agreement;
        let due = Due::new(Next::RequireAgreement, Whom::Director, &[Some(rule.clause)]);
        open.then(|| due.may().by(Act::RequireAgreement))
    }

    fn due_in_entries(&self) -> Vec<Due> {
        let event = self.rules.event;
        let mut due = Vec::new();
        if event.wants(BeforeEntries::Told) && !self.t.told {
            let clauses = [of(&event.conditions_told)];
            let tell = Due::new(Next::TellConditions, Whom::Director, &clauses);
            due.push(tell.by(Act::TellConditions));
        }
        for id in self.entrants_who(|who| matches!(who.status, Status::Applied | Status::Reserve)) {
            due.extend(self.due_for_applicant(id));
        }
        let rules = self.rules.conditions;
        let (close, too_few) = (Act::CloseEntries, [of(&rules.players)]);
        let few = self.refused(&close) == Some(Code::TooFew);
        let apply = Due::new(Next::Apply, Whom::Players, &[of(&rules.application)]);
        if few {
            due.push(Due { clauses: ::table::cites(&too_few), ..apply });
            due.push(Due::new(Next::Cancel, Whom::Operator, &too_few).may());
        } else {
            if self.allows(&close) {
                due.push(Due::new(Next::CloseEntries, Whom::Director, &[]).by(close));
            }
            due.push(apply.may());
        }
        due.extend(self.may_require_agreement());
        due.extend(self.substitutes());
        due
    }

    /// The answer that an applicant waits for.
    fn due_for_applicant(&self, id: EntrantId) -> Vec<Due> {
        let (event, rules) = (self.rules.event, self.rules.conditions);
        let name = self.who(id).name;
        let clauses = [of(&event.refusal).or(of(&rules.entry))];
        let refuse = Due::new(Next::RefuseEntry(name), Whom::Director, &clauses).may();
        if self.check_agreed(id).is_err() {
            let clauses = [of(&event.agreement)];
            let agree = Due::new(Next::Agree(name), Whom::Player(name), &clauses);
            return vec![agree.by(Act::Agree(name)), refuse];
        }
        let accept = Act::Accept(name);
        if !self.allows(&accept) {
            // A reserve waits for a place.
            return Vec::new();
        }
        let clauses = [of(&self.rules.prizes.fee), of(&rules.entry)];
        vec![Due::new(Next::Accept(name), Whom::Director, &clauses).by(accept), refuse]
    }

    fn entrants_who(&self, is: impl Fn(&Entrant) -> bool) -> Vec<EntrantId> {
        let entrants = self.t.entrants.iter().enumerate().filter(|(_, entrant)| is(entrant));
        entrants.filter_map(|(i, _)| u16::try_from(i).ok().map(EntrantId)).collect()
    }

    /// Substitutes whom players named, and whom the director may approve.
    fn substitutes(&self) -> Vec<Due> {
        let clauses = [Some(self.rules.event.substitute.clause)];
        let named = self.entrants_who(|who| {
            who.status == Status::Entered
                && who.nominated.is_some_and(|n| who.substitute != Some(n))
        });
        let due = named.into_iter().filter_map(|id| {
            let (of, substitute) = (self.who(id).name, self.who(id).nominated?);
            let act = Act::Substitute(of, substitute);
            let next = Next::ApproveSubstitute { of, substitute };
            let open = self.t.still_plays(id) && self.allows(&act);
            open.then(|| Due::new(next, Whom::Director, &clauses).may().by(act))
        });
        due.collect()
    }

    fn due_in_play(&self) -> Vec<Due> {
        let mut due = self.due_for_the_event();
        let mut live: Vec<&Sitting> = self.t.sittings().filter(|s| s.is_live()).collect();
        live.sort_by_key(|sitting| sitting.number);
        let playing = !live.is_empty();
        for sitting in live {
            due.extend(self.due_at_table(sitting));
        }
        if let Ok(stage) = self.stage_to_seat() {
            due.extend(self.due_before_session(stage));
        }
        if self.t.current_stage().is_none() {
            due.extend(self.due_at_the_end());
        }
        let points = self.t.conditions().is_some_and(|c| c.ranking == Ranking::Points);
        if points && !playing {
            let clauses = [of(&self.rules.conditions.points)];
            due.push(Due::new(Next::AwardPoints, Whom::Director, &clauses).may());
        }
        due.extend(self.substitutes());
        due
    }

    /// Whatever holds up all tables: a director who is away, corrections, a break.
    fn due_for_the_event(&self) -> Vec<Due> {
        let event = self.rules.event;
        let mut due = Vec::new();
        if self.t.director_away {
            let clauses = [of(&event.director_present)];
            let returns = Due::new(Next::DirectorReturns, Whom::Director, &clauses);
            let returns = returns.by(Act::DirectorReturns);
            due.push(if event.director_present.is_some() { returns } else { returns.may() });
        }
        for sitting in self.t.sittings().filter(|sitting| sitting.correction.is_some()) {
            let number = sitting.number;
            let (confirm, drop) =
                (Act::ConfirmCorrection(Some(number)), Act::DropCorrection(Some(number)));
            let back = Due::new(Next::DropCorrection, Whom::Director, &[]).at(number).by(drop);
            if self.allows(&confirm) {
                let due_now = Due::new(Next::ConfirmCorrection, Whom::Inspector, &[]).at(number);
                due.extend([due_now.by(confirm), back.may()]);
            } else {
                due.push(back);
            }
        }
        if let Some(until) = self.t.rests.filter(|until| self.at < *until) {
            let resume = Due::new(Next::Break(until), Whom::Director, &[of(&event.breaks)]);
            due.push(resume.by(Act::Resume));
        }
        due
    }

    fn due_at_the_end(&self) -> Vec<Due> {
        let prizes = self.rules.prizes;
        let award = Act::AwardPrizes;
        let clauses = [of(&prizes.places), Some(prizes.returned.clause)];
        match self.refused(&award) {
            None => vec![Due::new(Next::AwardPrizes, Whom::Director, &clauses).by(award)],
            Some(Code::TooFew) => {
                let clauses = [of(&prizes.cancelled).or(Some(prizes.refunds.clause))];
                vec![Due::new(Next::Cancel, Whom::Operator, &clauses)]
            }
            Some(_) => Vec::new(),
        }
    }
}
