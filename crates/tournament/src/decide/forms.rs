//! Secret wagers: handing in, examining, opening when the book says so, and settling.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rules::book::SecretWagers;
use rules::{Balance, Cents, Clause, Score, Spot, Verdict};
use shoe::Digest;
use table::{Act as TableAct, Bet, Code, Deed, Name, Phase, PlayerId, Refusal, no};

use super::{Draft, of};
use crate::event::{EntrantId, Fact, Read};
use crate::secret;
use crate::sitting::{Form, Sitting};

/// How a form counts, and the clauses for it.
type Counted = (Read, Vec<Option<Clause>>);

impl<'a> Draft<'a> {
    fn secret(&self) -> Result<&'a SecretWagers, Refusal> {
        self.rules.secret.ok_or_else(|| {
            let what = format!("{} has no secret wagers", self.book.title.name());
            Refusal::new(Code::NotInTheBook, None, what, "wager with chips")
        })
    }

    pub(super) fn hand_in(&mut self, name: Name, commitment: Digest) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let secret = self.secret()?;
        let (sitting, chair) = self.check_may_wager(id)?;
        if sitting.table.phase() != Phase::Betting || sitting.table.is_no_bet() {
            return Self::wrong_moment("a form while wagers are closed", "allowed: the next coup");
        }
        let most = self.conditions()?.secret_wagers.unwrap_or(0);
        if chair.form.is_some() || chair.secrets >= most {
            let what = format!("{name} has made {} secret wager(s)", chair.secrets);
            let instead = format!("the conditions allow {most} in a session, one in a coup");
            return no(Code::NoSecretWager, Some(secret.number.clause), what, instead);
        }
        let late = sitting.turn != Some(chair.seat) && sitting.has_wagered(chair);
        if late {
            let clause = Some(self.rules.wagers.fixed.clause);
            let what = format!("{name} has wagered, and others after that");
            return no(Code::Fixed, clause, what, "allowed: the next coup");
        }
        let held = self.is_too_late(sitting, chair);
        if held && sitting.has_wagered(chair) {
            let clause = of(&self.rules.wagers.too_slow);
            let what = format!("{name} let the time to wager run out");
            return no(Code::TimeIsUp, clause, what, "only the wager on the layout counts");
        }
        // A player who copied another's commitment would make the same bet without knowing it.
        if self.t.forms.contains(&commitment) {
            let what = "that form was handed in before";
            return no(Code::BadForm, Some(secret.form.clause), what, "seal one of your own");
        }
        self.in_turn(id)?;
        if held {
            self.push(Fact::HeldToMinimum(id), &[of(&self.rules.wagers.too_slow)]);
        }
        let clauses = [secret.form.clause, secret.recorded.clause, secret.meaning.clause];
        let handed = Fact::FormHandedIn { entrant: id, commitment };
        self.push(handed, &clauses.map(Some));
        Ok(())
    }

    /// The form of a player that waits, and its table.
    fn form(&self, name: Name) -> Result<(EntrantId, &Sitting, Form), Refusal> {
        let id = self.named(name)?;
        let secret = self.secret()?;
        let (sitting, chair) = self.chair(id)?;
        let Some(form) = chair.form else {
            let what = format!("{name} has handed in no form");
            let clause = Some(secret.form.clause);
            return no(Code::NoSecretWager, clause, what, "allowed: a form that was handed in");
        };
        Ok((id, sitting, form))
    }

    pub(super) fn examine(&mut self, name: Name) -> Result<(), Refusal> {
        let (id, sitting, form) = self.form(name)?;
        if form.dealt < sitting.dealt {
            return Self::wrong_moment("the form's coup is dealt", "open it when it is over");
        }
        let secret = self.secret()?;
        let clauses = [Some(secret.examined.clause), Some(secret.recorded.clause)];
        self.push(Fact::FormExamined(id), &clauses);
        Ok(())
    }

    pub(super) fn return_form(&mut self, name: Name) -> Result<(), Refusal> {
        let (id, sitting, _) = self.form(name)?;
        if sitting.table.phase() != Phase::Betting || sitting.has_forms_to_open() {
            return Self::wrong_moment("a form goes back", "allowed before no more bets");
        }
        let secret = self.secret()?;
        self.push(Fact::FormReturned(id), &[Some(secret.examined.clause)]);
        Ok(())
    }

    /// Before a coup, the inspector must have examined its forms, and those of the previous coup
    /// must be open.
    pub(super) fn check_forms(&self, number: u32) -> Result<(), Refusal> {
        let Some(secret) = self.rules.secret else { return Ok(()) };
        let sitting = self.sitting(Some(number))?;
        for chair in sitting.active() {
            let Some(form) = chair.form else { continue };
            let name = self.who(chair.entrant).name;
            if form.dealt < sitting.dealt {
                let clause = Some(secret.announced.clause);
                let what = format!("{name}'s form of the last coup is not announced");
                return no(Code::FormsWait, clause, what, format!("open {name}'s form first"));
            }
            if !form.examined {
                let clause = Some(secret.examined.clause);
                let what = format!("{name}'s form is not examined");
                let instead = format!("`inspector examines {name}'s form` comes first");
                return no(Code::FormsWait, clause, what, instead);
            }
        }
        Ok(())
    }

    /// In the last coup of the final, if all players bet secretly, the forms are opened before the
    /// deal.
    pub(super) fn lay_forms(&mut self, number: u32) {
        let (Some(secret), Some(sitting)) = (self.rules.secret, self.t.sitting(number)) else {
            return;
        };
        let is_final = sitting.stage + 1 == self.t.stages.len();
        let last = sitting.is_last_coup(self.t.length(sitting.stage));
        let all = sitting.active().all(|chair| chair.form.is_some());
        if is_final && last && all && sitting.active().next().is_some() {
            self.push(Fact::LayForms(number), &[Some(secret.last_announced.clause)]);
        }
    }

    /// Refuses to deal before the forms of the last coup are laid.
    pub(super) fn check_laid(&self, number: u32) -> Result<(), Refusal> {
        let (Some(secret), sitting) = (self.rules.secret, self.sitting(Some(number))?) else {
            return Ok(());
        };
        if sitting.laying && sitting.active().any(|chair| chair.form.is_some()) {
            let what = "all bet secretly in the last coup of the final";
            let instead = "the inspector opens every form first";
            return no(Code::FormsWait, Some(secret.last_announced.clause), what, instead);
        }
        Ok(())
    }

    /// The form of a player, if it can be opened: its coup is over, or it is to be laid.
    fn form_to_open(&self, name: Name) -> Result<(EntrantId, u32, Form), Refusal> {
        let (id, sitting, form) = self.form(name)?;
        let secret = self.secret()?;
        let over = form.dealt < sitting.dealt && sitting.table.coup().is_none();
        if !over && !sitting.laying {
            let clause = Some(secret.meaning.clause);
            let what = format!("{name}'s form stays closed until its coup is over");
            return no(Code::WrongMoment, clause, what, "after the coup it is announced");
        }
        Ok((id, sitting.number, form))
    }

    pub(super) fn open_form(
        &mut self,
        name: Name,
        salt: &str,
        content: &str,
    ) -> Result<(), Refusal> {
        let (id, number, form) = self.form_to_open(name)?;
        let rules = self.secret()?;
        if !secret::is_plain(salt) || !secret::is_plain(content) {
            let what = "salt and words are one line each";
            let instead = format!("allowed: `inspector cannot read {name}'s form`");
            return no(Code::BadForm, Some(rules.form.clause), what, instead);
        }
        if secret::commitment(salt, content) != form.commitment {
            let what = format!("that is not the form that {name} handed in");
            let instead = "allowed: salt and words as they were committed to; if there are none, \
                           the inspector cannot read it";
            return no(Code::BadForm, Some(rules.form.clause), what, instead);
        }
        let laying = self.sitting(Some(number))?.laying;
        let (read, mut clauses) = self.count(number, id, form, content)?;
        let announced = if laying { rules.last_announced } else { rules.announced };
        clauses.insert(0, Some(announced.clause));
        if self.is_tie(number) && !laying {
            clauses.push(Some(rules.tie_counts.clause));
        }
        let (salt, words) = (String::from(salt), String::from(content));
        self.push(Fact::FormOpened { entrant: id, salt, content: words, read }, &clauses);
        self.settle_form(number, id, read, laying)?;
        self.after_form(number)
    }

    pub(super) fn spoil_form(&mut self, name: Name) -> Result<(), Refusal> {
        let (id, number, _) = self.form_to_open(name)?;
        let faulty = Some(self.secret()?.found_faulty.clause);
        self.push(Fact::FormSpoiled(id), &[faulty]);
        self.settle_form(number, id, Read::Faulty, false)?;
        self.after_form(number)
    }

    fn after_form(&mut self, number: u32) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        if sitting.table.coup().is_none() && !sitting.has_forms_to_open() && !sitting.laying {
            return self.round_over(number);
        }
        Ok(())
    }

    fn is_tie(&self, number: u32) -> bool {
        let hands = self.t.sitting(number).and_then(|sitting| sitting.hands.as_ref());
        hands.is_some_and(|[player, banker]| {
            self.book.score(player).total == self.book.score(banker).total
        })
    }

    /// Determines how a form counts.
    fn count(
        &self,
        number: u32,
        id: EntrantId,
        form: Form,
        content: &str,
    ) -> Result<Counted, Refusal> {
        let (rules, wagers) = (self.secret()?, self.rules.wagers);
        let sitting = self.sitting(Some(number))?;
        let laid = sitting.chair(id).filter(|_| sitting.laying).map(|chair| sitting.laid(chair));
        let [banker, player, tie] = laid.unwrap_or(form.beside);
        let nothing = Cents::ZERO;
        let faulty = Some(rules.found_faulty.clause);
        let Some((spot, written)) = secret::read(content) else {
            return Ok((Read::Faulty, alloc::vec![faulty]));
        };
        let (same, other) = match spot {
            Spot::Banker => (banker, player),
            Spot::Player => (player, banker),
            Spot::Tie | Spot::Side(_) => (tie, nothing),
        };
        if other > nothing {
            return Ok((Read::BothSides, alloc::vec![Some(rules.with_chips.clause)]));
        }
        if spot == Spot::Tie && banker == nothing && player == nothing && wagers.one_side.is_some()
        {
            // A wager on Tie must accompany one on Banker or Player, not replace it.
            return Ok((Read::Faulty, alloc::vec![faulty, of(&wagers.one_side)]));
        }
        let (least, most, step) = Self::limits(sitting, sitting.table.group(spot));
        let mut clauses = Vec::new();
        // A stake in whole dollars can be paid at every price.
        let step = step.map_or(100, |step| step.get().max(1));
        let mut amount = Cents::new(written.get() - written.get() % step).unwrap_or(nothing);
        if amount < written {
            clauses.extend([of(&wagers.units), Some(rules.within_limits.clause)]);
        }
        if amount < least {
            amount = least;
            clauses.extend([rules.found_under.clause, rules.within_limits.clause].map(Some));
        }
        if form.held && amount > least {
            amount = least;
            clauses.push(of(&wagers.too_slow));
        }
        let room = most.checked_sub(same).unwrap_or(nothing);
        if amount > room {
            amount = room;
            clauses.extend([rules.found_over.clause, rules.within_limits.clause].map(Some));
            if same > nothing {
                clauses.push(Some(rules.with_chips.clause));
            }
        }
        let stack = sitting.chair(id).filter(|_| sitting.laying).map(|chair| sitting.stack(chair));
        let chips = stack.map_or(form.chips, |stack| stack.min(form.chips));
        let chips = chips.at_least_zero();
        if amount > chips {
            amount = Cents::new(chips.get() - chips.get() % step).unwrap_or(nothing);
            clauses.extend([rules.found_beyond.clause, rules.within_chips.clause].map(Some));
        }
        Ok((Read::Wager { spot, amount }, clauses))
    }

    fn settle_form(
        &mut self,
        number: u32,
        id: EntrantId,
        read: Read,
        laying: bool,
    ) -> Result<(), Refusal> {
        let rules = self.secret()?;
        let sitting = self.sitting(Some(number))?;
        let minimum = Balance::from(sitting.minimum());
        let Some(chair) = sitting.chair(id) else { return Ok(()) };
        let (stack, Some(player)) = (sitting.stack(chair), chair.player) else { return Ok(()) };
        match read {
            Read::BothSides => {}
            Read::Faulty => {
                self.adjust(
                    number,
                    player,
                    -stack.min(minimum),
                    &[Some(rules.found_faulty.clause)],
                );
            }
            Read::Wager { amount, .. } if amount == Cents::ZERO => {}
            Read::Wager { spot, amount } if laying => {
                let amount = amount.min(stack.at_least_zero());
                let bet = Bet { spot, amount, place: None, unnoticed: true, in_error: true };
                let name = self.who(id).name;
                let act = TableAct::Player(name, Deed::Bet(bet));
                let mut events = self.judge_at(&self.sitting(Some(number))?.table, act)?;
                for event in &mut events {
                    event.clauses.insert(0, rules.last_placed.clause);
                }
                self.at_table(number, events);
            }
            Read::Wager { spot, amount } => self.pay_form(number, player, spot, amount)?,
        }
        Ok(())
    }

    /// Settles a secret wager as a wager in chips would be.
    fn pay_form(
        &mut self,
        number: u32,
        player: PlayerId,
        spot: Spot,
        amount: Cents,
    ) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let Some([hand, bank]) = &sitting.hands else { return Ok(()) };
        let score = Score { player: self.book.score(hand), banker: self.book.score(bank) };
        let terms = sitting.table.terms();
        let stack = sitting.table.player(player).stack.at_least_zero().get();
        let Ok(settled) = self.book.settle(terms, spot, amount, score) else { return Ok(()) };
        let clauses: Vec<_> = settled.clauses.iter().map(|clause| Some(*clause)).collect();
        match settled.verdict {
            Verdict::Kept => {}
            Verdict::Lost => {
                let lost = Cents::new(settled.stake.get().min(stack)).unwrap_or(Cents::ZERO);
                self.adjust(number, player, -Balance::from(lost), &clauses);
            }
            Verdict::Won(won) => {
                let (net, commission) = (won.net, won.commission);
                self.direct_at(number, &clauses, |by| by.pay(player, net, commission));
            }
        }
        Ok(())
    }

    /// Voids the secret wagers of a void coup.
    pub(super) fn void_forms(&mut self, number: u32) {
        let Some(sitting) = self.t.sitting(number) else { return };
        let forms = sitting.chairs.iter().filter(|chair| chair.form.is_some() || chair.laid);
        let forms: Vec<_> = forms.map(|chair| (chair.entrant, chair.player, chair.fine)).collect();
        for (id, player, fine) in forms {
            if let (Some(player), true) = (player, fine != Balance::ZERO) {
                self.adjust(number, player, fine, &[]);
            }
            self.push(Fact::FormVoid(id), &[]);
        }
    }

    pub(super) fn ask_form(&mut self, name: Name, whose: Name) -> Result<(), Refusal> {
        let (asks, id) = (self.named(name)?, self.named(whose)?);
        let rules = self.secret()?;
        let (sitting, chair) = self.chair(id)?;
        let clause = Some(rules.shown_on_request.clause);
        if !chair.shown || sitting.table.coup().is_some() {
            let what = format!("{whose}'s form is asked for");
            let instead = "allowed between the announcement and the next first card";
            return no(Code::WrongMoment, clause, what, instead);
        }
        self.push(Fact::FormShown { of: id, to: asks }, &[clause]);
        Ok(())
    }
}
