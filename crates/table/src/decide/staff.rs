//! Staff duties apart from the play: disputes, copies of the rules, informing others, and the
//! inspector.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Deref;

use rules::Clause;
use rules::book::{Cutter, Face};

use super::Draft;
use super::trouble::is_silent;
use crate::command::{Act, Decision, Deed, Work};
use crate::event::{Fact, PlayerId, SuspendedWhy};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Coup, Dispute, DisputeStage, State, of};

impl Draft<'_> {
    pub(super) fn dispute(&mut self, player: PlayerId, coup: u32) -> Result<(), Refusal> {
        let clause = of(&self.book.general.dispute);
        if coup == 0 || coup > self.table.coups {
            let what = format!("there was no coup {coup}");
            let instead = format!("{} were dealt", self.table.coups);
            return no(Code::NoSuchCoup, None, what, instead);
        }
        let theirs = |dispute: &&Dispute| dispute.players.contains(&player);
        if let (Some(dispute), true) = (self.disputed(coup).filter(theirs), clause.is_some())
            && dispute.stage != DisputeStage::Open
        {
            return self.decided_already(coup);
        }
        self.push(Fact::Disputed(player, coup), &[clause]);
        Ok(())
    }

    fn disputed(&self, coup: u32) -> Option<&Dispute> {
        self.table.disputes.iter().find(|dispute| dispute.coup == coup)
    }

    /// Refuses a second decision where the book makes the operator's decision final.
    fn decided_already<T>(&self, coup: u32) -> Result<T, Refusal> {
        let what = format!("the operator has decided the dispute over coup {coup}, which is final");
        let instead =
            format!("allowed: a review, `regulator reviews the dispute over coup {coup}: …`");
        no(Code::NothingToDecide, of(&self.book.general.dispute), what, instead)
    }

    fn nobody_disputes<T>(&self, coup: u32) -> Result<T, Refusal> {
        let coups: Vec<_> = self.table.disputes.iter().map(|d| d.coup.to_string()).collect();
        let instead = match coups.as_slice() {
            [] => format!("a player disputes it first: `NAME disputes coup {coup}`"),
            coups => format!("disputed: {}", coups.join(", ")),
        };
        let what = format!("nobody disputes coup {coup}");
        no(Code::NothingToDecide, of(&self.book.general.dispute), what, instead)
    }

    /// The operator's decision in a dispute. Where the book makes it final, there is only one.
    /// Where the book is silent, each decision is recorded.
    pub(super) fn decide_dispute(&mut self, coup: u32, text: &str) -> Result<(), Refusal> {
        let clause = of(&self.book.general.dispute);
        let Some(dispute) = self.disputed(coup) else { return self.nobody_disputes(coup) };
        if dispute.stage != DisputeStage::Open && clause.is_some() {
            return self.decided_already(coup);
        }
        let decision = String::from(text);
        self.push(Fact::DisputeDecided { number: coup, decision }, &[clause]);
        Ok(())
    }

    pub(super) fn review_dispute(&mut self, coup: u32, text: &str) -> Result<(), Refusal> {
        let Some(rule) = self.book.general.dispute else {
            let what = "the book has no review of a decision in a dispute";
            return no(Code::NotInTheBook, None, what, "the operator decides");
        };
        let clause = Some(rule.clause);
        let Some(dispute) = self.disputed(coup) else { return self.nobody_disputes(coup) };
        match dispute.stage {
            DisputeStage::Open => {
                let what = format!("nothing is decided yet in the dispute over coup {coup}");
                return no(Code::NothingToDecide, clause, what, "the operator decides first");
            }
            DisputeStage::Reviewed => {
                let what = format!("the decision over coup {coup} is reviewed already");
                return no(
                    Code::NothingToDecide,
                    clause,
                    what,
                    "carry out the result of the review",
                );
            }
            DisputeStage::Decided => {}
        }
        let decision = String::from(text);
        self.push(Fact::DisputeReviewed { number: coup, decision }, &[clause]);
        Ok(())
    }

    /// A supervisor decides something that no clause settles. A suspended coup has its own clause.
    pub(super) fn decide_open(&mut self, text: &str) {
        let doubted = self.check_not_doubted().err().and_then(|refusal| refusal.clause);
        let coup = self.table.coup.as_ref();
        let waits = coup.and_then(|coup| self.waits_by(coup, coup.suspended?));
        self.push(Fact::Decided(text.into()), &[waits.or(doubted)]);
    }

    pub(super) fn ask_rules(&mut self, player: PlayerId) -> Result<(), Refusal> {
        let clause = of(&self.book.general.copy_on_request);
        if self.table.rules_asked.contains(&player) {
            let what = format!("{} has asked for the rules already", self.who(player).name);
            let instead = "`operator gives a copy of the rules` comes next";
            return no(Code::NothingToDecide, clause, what, instead);
        }
        self.push(Fact::RulesAsked(player), &[clause]);
        Ok(())
    }

    pub(super) fn give_rules(&mut self) {
        self.push(Fact::RulesGiven, &[of(&self.book.general.copy_on_request)]);
    }

    /// Records that management or surveillance knows that cards are to be dealt face down.
    pub(super) fn inform(&mut self, told: Fact) -> Result<(), Refusal> {
        if self.book.deal.face.value != Face::UpUnlessAsked {
            let what = "this book does not ask that anybody be told how cards are dealt";
            return no(Code::NotInTheBook, None, what, "go on");
        }
        self.push(told, &[of(&self.book.deal.surveillance)]);
        Ok(())
    }

    pub(super) fn inspector_leaves(&mut self) -> Result<(), Refusal> {
        let Some(rule) = self.book.table.inspector else { return Self::no_inspector() };
        if self.table.inspector_away {
            let what = "the inspector has left already";
            return no(Code::NothingToDecide, Some(rule.clause), what, "`inspector returns`");
        }
        self.push(Fact::InspectorLeft, &[Some(rule.clause)]);
        Ok(())
    }

    pub(super) fn inspector_returns(&mut self) -> Result<(), Refusal> {
        let Some(rule) = self.book.table.inspector else { return Self::no_inspector() };
        if !self.table.inspector_away {
            let what = "the inspector is at the table";
            return no(Code::NothingToDecide, Some(rule.clause), what, "go on");
        }
        self.push(Fact::InspectorBack, &[Some(rule.clause)]);
        Ok(())
    }

    fn no_inspector() -> Result<(), Refusal> {
        no(Code::NotInTheBook, None, "the book wants no inspector at the table", "go on")
    }

    /// Without the inspector, no wager is laid or moved, and nothing is called, dealt or turned. A
    /// card that came out of the shoe anyway may be reported, and staff may put errors right.
    pub(super) fn check_inspected(&self, act: &Act) -> Result<(), Refusal> {
        let Some(clause) = self.missed_inspector() else { return Ok(()) };
        let is_game = matches!(
            act,
            Act::Dealer(
                Work::NoMoreBets
                    | Work::Deal(_)
                    | Work::Draw { .. }
                    | Work::Pass(..)
                    | Work::Turn(..)
                    | Work::TurnThird(..)
            ) | Act::Player(
                _,
                Deed::Bet(_)
                    | Deed::Call { .. }
                    | Deed::Move(..)
                    | Deed::Turn(..)
                    | Deed::TurnThird(..)
            )
        );
        let is_cut = matches!(act, Act::Supervisor(Decision::Cut(_))) && self.is_inspectors_cut();
        if !is_game && !is_cut {
            return Ok(());
        }
        let what = "the game does not go on without the inspector";
        no(Code::NotYet, Some(clause), what, "`inspector returns` comes first")
    }
}

impl<T: Deref<Target = State>> Draft<'_, T> {
    /// The clause by which a coup waits for a decision; none where the book does not mention the
    /// case.
    pub(super) fn waits_by(&self, coup: &Coup, why: SuspendedWhy) -> Option<Clause> {
        let trouble = &self.book.irregularities;
        match why {
            SuspendedWhy::OutOfSequence => {
                let rule = trouble.out_of_sequence;
                Some(rule.clause).filter(|_| !is_silent(rule.value) || coup.cards.len() > 4)
            }
            SuspendedWhy::Changes => of(&self.book.wager_change(|c| c.unexposed_position)),
            SuspendedWhy::WrongPerson => of(&self.book.wager_change(|c| c.wrong_person)),
        }
    }

    /// The clause that requires an inspector at the table, while the inspector is away.
    pub(super) fn missed_inspector(&self) -> Option<Clause> {
        of(&self.book.table.inspector).filter(|_| self.table.inspector_away)
    }

    /// Whether the inspector cuts when no player does.
    pub(super) fn is_inspectors_cut(&self) -> bool {
        self.book.cut.otherwise.value == Cutter::Inspector
    }
}
