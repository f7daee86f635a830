//! Opening and closing the table, and the sign and its changes.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use rules::book::{Face, Multiples, Personal};
use rules::value::{Notice, Seats};
use rules::{Clause, Group, Method, Terms};

use super::Draft;
use crate::command::{Limits, Name, Options, Settings, SignLine, Time};
use crate::event::{Fact, Keeping, Opened, SideBetNames};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Phase, of};

const MINUTE: Time = 60_000_000;

impl Draft<'_> {
    pub(super) fn open(&mut self, options: &Options) -> Result<(), Refusal> {
        let book = self.book;
        let bad = |clause: Clause, what, instead| no(Code::BadOption, Some(clause), what, instead);
        // Who says nothing of the method means the book's usual one.
        let said = options.terms.method;
        let unsaid = said == Method::commission() && book.method(said).is_none();
        let method = if unsaid { book.usual_method() } else { said };
        let terms = Terms { method, side_bets: options.terms.side_bets.clone() };
        if let Err(fault) = book.allows(&terms) {
            let instead = "leave the option out";
            return no(Code::BadOption, fault.clause(), fault.to_string(), instead);
        }
        let (allowed, usual) = (book.cards.decks, Settings::default());
        let decks = options.decks.unwrap_or_else(|| allowed.value.most().min(usual.decks));
        if !allowed.value.holds(decks) {
            let (what, instead) = (format!("{decks} decks"), format!("allowed: {}", allowed.value));
            return bad(allowed.clause, what, instead);
        }
        let places = book.table.seats;
        let seats = options.seats.unwrap_or(usual.seats);
        if !places.value.allow(seats) {
            let instead = match places.value {
                Seats::AsApproved => format!("allowed: 1 to {}", Seats::MOST),
                other @ (Seats::AtMost(_) | Seats::Either(..)) => {
                    format!("allowed: {other}")
                }
            };
            return bad(places.clause, format!("{seats} places"), instead);
        }
        let forms = book.table.layouts.value.as_slice();
        let layout = options.layout.or_else(|| forms.first().copied()).unwrap_or(usual.layout);
        if !forms.contains(&layout) {
            let what = format!("a {} table", layout.key());
            let instead = format!("allowed: {}", book.table.layouts.value);
            return bad(book.table.layouts.clause, what, instead);
        }
        let markers = book.cards.cutting_cards;
        let cutting_cards = options.cutting_cards.unwrap_or_else(|| markers.value.least());
        if !markers.value.holds(cutting_cards) {
            let what = format!("{cutting_cards} cutting cards");
            return bad(markers.clause, what, format!("allowed: {}", markers.value));
        }
        if options.face_down && book.deal.face.value == Face::UpUnlessAsked {
            let instead = "open face up; players may ask later";
            return bad(
                book.deal.face.clause,
                "face down from the start".to_string(),
                instead.to_string(),
            );
        }
        let offers = options.terms.side_bets.iter().map(|offer| book.in_full(offer));
        let terms = Terms { method, side_bets: offers.collect() };
        let face_down = options.face_down;
        let settings = Settings { terms, decks, seats, face_down, layout, cutting_cards };
        self.opened(settings);
        Ok(())
    }

    /// The opening, and each rule that applies from then on.
    fn opened(&mut self, options: Settings) {
        let book = self.book;
        let Terms { method, side_bets: offers } = options.terms.clone();
        let names = |group: &rules::SideBets, table: &rules::PayTable| SideBetNames {
            offer: rules::Offer { group: group.key, table: table.key },
            group: group.name.clone(),
            name: table.name.clone(),
            spots: table.bets.iter().map(|bet| bet.key).collect(),
        };
        let title = &book.title;
        let side_bets = book.side_bets.iter();
        let side_bets = side_bets.flat_map(|group| group.tables.iter().map(|t| names(group, t)));
        let side_bets = Arc::new(side_bets.collect());
        let (book_id, base, with) = (title.id, title.base, title.with.clone());
        let opened = Opened { book: book_id, base, with, options, side_bets };
        let opened = Fact::Opened(Box::new(opened));
        let table = &book.table;
        self.push(opened, &[Some(table.layouts.clause), Some(table.seats.clause)]);
        let cards = [Some(book.cards.decks.clause), Some(book.cards.cutting_cards.clause)];
        self.push(Fact::Kept(Keeping::Cards), &cards);
        for (rule, clause) in [
            (Keeping::Bank, of(&table.bank)),
            (Keeping::Inspector, of(&table.inspector)),
            (Keeping::Tableau, of(&book.tableau.displayed)),
        ] {
            if clause.is_some() {
                self.push(Fact::Kept(rule), &[clause]);
            }
        }
        let settlement = &book.settlement;
        if settlement.choice.is_some() {
            self.push(Fact::Kept(Keeping::Method), &[of(&settlement.choice)]);
        }
        self.sign_method(method);
        self.push(Fact::Kept(Keeping::Face), &[Some(book.deal.face.clause)]);
        // In the order of the book, however they were asked for.
        for group in &book.side_bets {
            if let Some(offer) = offers.of(group.key) {
                self.offer_side_bets(offer);
            }
        }
    }

    /// Puts the name of the method on the sign, where the book requires it.
    fn sign_method(&mut self, method: Method) {
        let book = self.book;
        let name = book.method(method).and_then(|method| method.rules.name.as_ref());
        if let (Some(displayed), Some(name)) = (book.settlement.displayed, name) {
            let sign = Fact::Sign(name.value.words().as_ref().into());
            self.push(sign, &[Some(displayed.clause), Some(name.clause)]);
        }
    }

    /// Whether a posting changes something that the players rely on.
    fn is_change(&self, posting: &SignLine) -> bool {
        let table = &*self.table;
        if self.raises_minimum(posting) && self.higher_minimum().is_some() {
            // A higher minimum must have been announced on the sign, even at an empty table.
            return true;
        }
        if table.playing().next().is_none() {
            return false;
        }
        if self.is_on_the_sign(posting) {
            return false;
        }
        match posting {
            // Where the book requires only prior notice, the first limit of a group is a change
            // too: before it, any wager was allowed.
            SignLine::Limits(group, _) => {
                let prior = self.book.limits.change.is_some_and(|c| c.value == Notice::Prior);
                prior || table.limits.get(*group).is_some()
            }
            SignLine::Differential(_) | SignLine::Liability(_) | SignLine::Lift(_) => {
                let change = self.book.limits.exposure_change;
                table.exposure.is_some() || change.is_some_and(|c| c.value == Notice::Prior)
            }
            SignLine::Method(_) => true,
            // No clause requires notice of these lines, which do not concern the main wagers.
            SignLine::Offer(_)
            | SignLine::Withdraw(_)
            | SignLine::Chips(_)
            | SignLine::Sharing(_)
            | SignLine::CapAreas(_)
            | SignLine::LiftCap
            | SignLine::FaceDown(_)
            | SignLine::Closing => false,
        }
    }

    /// Whether the sign says so already.
    fn is_on_the_sign(&self, posting: &SignLine) -> bool {
        let table = &*self.table;
        match posting {
            SignLine::Limits(group, limits) => table.limits.get(*group) == Some(*limits),
            SignLine::Differential(most) | SignLine::Liability(most) => {
                table.exposure == Some(*most)
            }
            SignLine::Method(method) => table.options.terms.method == *method,
            SignLine::Lift(_) => table.exposure.is_none(),
            SignLine::Offer(offer) => table.sign_terms().side_bets.of(offer.group) == Some(*offer),
            SignLine::Withdraw(group) => table.sign_terms().side_bets.of(*group).is_none(),
            SignLine::Chips(_)
            | SignLine::Sharing(_)
            | SignLine::CapAreas(_)
            | SignLine::LiftCap
            | SignLine::FaceDown(_)
            | SignLine::Closing => false,
        }
    }

    /// A line of the sign with all that the book fills in.
    fn in_full(&self, posting: &SignLine) -> SignLine {
        if let SignLine::Offer(offer) = posting {
            return SignLine::Offer(self.book.in_full(*offer));
        }
        posting.clone()
    }

    pub(super) fn post(&mut self, posting: &SignLine) -> Result<(), Refusal> {
        let posting = &self.in_full(posting);
        self.check_posting(posting, &[])?;
        if matches!(self.table.phase, Phase::Called | Phase::Dealing) {
            // A wager is settled by the rules that applied when it was accepted.
            let clause = match posting {
                SignLine::Method(_) => of(&self.book.settlement.choice),
                SignLine::Limits(..) => of(&self.book.limits.change),
                SignLine::Differential(_) | SignLine::Liability(_) | SignLine::Lift(_) => {
                    of(&self.book.limits.exposure)
                }
                SignLine::Offer(_) | SignLine::Withdraw(_) => self.offer_clauses(posting)[0],
                SignLine::Chips(_)
                | SignLine::Sharing(_)
                | SignLine::CapAreas(_)
                | SignLine::LiftCap
                | SignLine::FaceDown(_)
                | SignLine::Closing => None,
            };
            let what = "a change of the sign in a round";
            return no(Code::WrongMoment, clause, what, "allowed between rounds");
        }
        let limits = &self.book.limits;
        let (clauses, change) = match posting {
            SignLine::Limits(group, posted) => {
                let side = match group {
                    Group::Side(key) => {
                        self.book.side_bets(*key).and_then(|bets| of(&bets.rules.displayed))
                    }
                    Group::Main | Group::Tie => None,
                };
                let stated = |rule: &rules::Cited<Multiples>| match rule.value {
                    Multiples::Displayed => true,
                    Multiples::OnlyIfPosted => posted.step.is_some(),
                };
                let multiples = limits.multiples.filter(stated).map(|rule| rule.clause);
                ([of(&limits.displayed), multiples, side], limits.change)
            }
            SignLine::Differential(_) | SignLine::Liability(_) | SignLine::Lift(_) => {
                let differential = of(&limits.differential);
                let clauses = [of(&limits.exposure), differential, None];
                (clauses, limits.exposure_change)
            }
            SignLine::Method(_) => {
                let settlement = &self.book.settlement;
                let change = settlement.change;
                ([of(&settlement.choice), of(&settlement.displayed), None], change)
            }
            SignLine::Offer(_) | SignLine::Withdraw(_) => (self.offer_clauses(posting), None),
            SignLine::Sharing(_) => ([Some(self.book.boxes.sharing.clause), None, None], None),
            SignLine::CapAreas(_) | SignLine::LiftCap => ([of(&limits.area_cap), None, None], None),
            SignLine::FaceDown(down) => {
                let surveillance = of(&self.book.deal.surveillance).filter(|_| *down);
                ([Some(self.book.deal.face.clause), surveillance, None], None)
            }
            SignLine::Chips(_) | SignLine::Closing => ([None; 3], None),
        };
        if self.is_change(posting) {
            self.check_change(posting, change)?;
            if self.table.consented {
                let consent = of(&limits.change_by_consent);
                self.push(Fact::Posted(posting.clone()), &[consent]);
                return Ok(());
            }
        }
        self.push(Fact::Posted(posting.clone()), &clauses);
        match posting {
            SignLine::Method(method) => self.sign_method(*method),
            SignLine::Offer(offer) => self.offer_side_bets(*offer),
            SignLine::Limits(_, Limits { step: None, .. }) => self.sign_any_multiple(),
            SignLine::Limits(_, Limits { step: Some(_), .. })
            | SignLine::Lift(_)
            | SignLine::Differential(_)
            | SignLine::Liability(_)
            | SignLine::Chips(_)
            | SignLine::Sharing(_)
            | SignLine::CapAreas(_)
            | SignLine::LiftCap
            | SignLine::FaceDown(_)
            | SignLine::Withdraw(_)
            | SignLine::Closing => {}
        }
        Ok(())
    }

    /// Where the book requires multiples on the sign, the sign says so if any multiple is allowed.
    fn sign_any_multiple(&mut self) {
        if let Some(rule) = self.book.limits.multiples
            && rule.value == Multiples::Displayed
        {
            self.push(Fact::Sign("any multiple".to_string()), &[Some(rule.clause)]);
        }
    }

    /// Whether a change may be made at once.
    fn check_change(
        &self,
        posting: &SignLine,
        change: Option<rules::Cited<Notice>>,
    ) -> Result<(), Refusal> {
        let limits = &self.book.limits;
        if let (true, Some(higher)) = (self.raises_minimum(posting), self.higher_minimum()) {
            let instead = "give notice of it that long before".to_string();
            let what = format!("a higher minimum must be {}", higher.value);
            return no(Code::NoticeNeeded, Some(higher.clause), what, instead);
        }
        let consented = self.table.consented && limits.change_by_consent.is_some();
        match change {
            None => Ok(()),
            Some(change) => match change.value {
                Notice::AnyTime => Ok(()),
                Notice::Prior | Notice::Minutes(_) if consented => Ok(()),
                Notice::Prior => no(
                    Code::NoticeNeeded,
                    Some(change.clause),
                    "a change without notice",
                    "give notice of it; it holds from the next round on",
                ),
                Notice::Minutes(minutes) => no(
                    Code::NoticeNeeded,
                    Some(change.clause),
                    "a change without notice or consent",
                    format!("give {minutes} minutes' notice, or have all players consent"),
                ),
            },
        }
    }

    /// The notice that a higher minimum needs in addition, if any.
    fn higher_minimum(&self) -> Option<rules::Cited<Notice>> {
        self.book.limits.higher_minimum.filter(|higher| higher.value != Notice::AnyTime)
    }

    fn raises_minimum(&self, posting: &SignLine) -> bool {
        let SignLine::Limits(group, new) = posting else { return false };
        self.table.limits.get(*group).is_some_and(|old| new.least > old.least)
    }

    pub(super) fn give_notice(
        &mut self,
        posting: &SignLine,
        after: Option<Time>,
    ) -> Result<(), Refusal> {
        let posting = &self.in_full(posting);
        self.check_posting(posting, &self.table.pending)?;
        let limits = &self.book.limits;
        let change = match posting {
            SignLine::Limits(..) => limits.change,
            SignLine::Differential(_) | SignLine::Liability(_) | SignLine::Lift(_) => {
                limits.exposure_change
            }
            SignLine::Method(_) => self.book.settlement.change,
            SignLine::Closing => self.book.general.closing,
            SignLine::Offer(_)
            | SignLine::Withdraw(_)
            | SignLine::Chips(_)
            | SignLine::Sharing(_)
            | SignLine::CapAreas(_)
            | SignLine::LiftCap
            | SignLine::FaceDown(_) => None,
        };
        // A limit changes for the players at the table; the sign of an empty table may be changed
        // freely.
        let empty = self.table.playing().next().is_none();
        let limits_change = matches!(posting, SignLine::Limits(..));
        let change = change.filter(|_| !(empty && limits_change));
        let consented = self.table.consented && limits.change_by_consent.is_some();
        let mut needed = 0;
        let mut clauses = self.offer_clauses(posting);
        if let Some(change) = change {
            clauses[0] = Some(change.clause);
            if let (Notice::Minutes(minutes), false) = (change.value, consented) {
                needed = minutes;
            }
            if consented {
                clauses[0] = of(&limits.change_by_consent);
            }
        }
        if let (true, Some(higher)) = (self.raises_minimum(posting), self.higher_minimum()) {
            clauses[1] = Some(higher.clause);
            if let Notice::Minutes(minutes) = higher.value
                && minutes > needed
            {
                needed = minutes;
                clauses.swap(0, 1);
            }
        }
        let needed = Time::from(needed) * MINUTE;
        if after.is_some_and(|after| after < needed) {
            let what = format!("notice of {} minutes", after.unwrap_or(0) / MINUTE);
            let instead = format!("allowed: {} minutes", needed / MINUTE);
            return no(Code::NoticeNeeded, clauses[0], what, instead);
        }
        let wait = after.unwrap_or(needed);
        let from = (wait > 0).then(|| self.at + wait);
        let posted = Box::new(posting.clone());
        self.push(Fact::NoticeGiven { posting: posted, from }, &clauses);
        if *posting == SignLine::Closing && from.is_none() {
            // Closing takes effect as soon as it is announced.
            self.push(Fact::TookEffect(SignLine::Closing), &clauses);
        }
        Ok(())
    }

    /// Puts announced changes into effect when they are due, if no wager depends on the old sign.
    pub(super) fn tick(&mut self) {
        self.push(Fact::Ticked, &[]);
        let quiet = matches!(self.table.phase, Phase::Preparing | Phase::Betting);
        if quiet && self.table.wagers.is_empty() {
            self.take_effect(Since::SomeTime);
        }
    }

    /// Brings announced changes into force: those whose time has come, and after a round also those
    /// that wait for a later one.
    pub(super) fn take_effect(&mut self, since: Since) {
        if self.table.pending.is_empty() {
            return;
        }
        for pending in self.table.pending.clone() {
            let due = match pending.from {
                None => since == Since::ARound,
                Some(from) => from <= self.at,
            };
            if !due {
                continue;
            }
            let clauses: Vec<_> = pending.by.iter().map(|clause| Some(*clause)).collect();
            let side_bet = pending.posting.clone();
            self.push(Fact::TookEffect(pending.posting), &clauses);
            if let SignLine::Offer(offer) = side_bet {
                self.offer_side_bets(offer);
            }
        }
    }

    pub(super) fn consent(&mut self) -> Result<(), Refusal> {
        let Some(consent) = self.book.limits.change_by_consent else {
            let instead = "give notice of the change";
            let what = "consent changes nothing under this book";
            return no(Code::NotInTheBook, of(&self.book.limits.change), what, instead);
        };
        self.push(Fact::Consented, &[Some(consent.clause)]);
        Ok(())
    }

    pub(super) fn allow(
        &mut self,
        name: Name,
        group: Group,
        limits: Limits,
    ) -> Result<(), Refusal> {
        let player = self.player(&name)?;
        self.check_group(group)?;
        limits.check()?;
        if matches!(self.table.phase, Phase::Called | Phase::Dealing) {
            let clause = of(&self.book.limits.personal);
            let what = "new limits in a round";
            return no(Code::WrongMoment, clause, what, "allowed between rounds");
        }
        let Some(personal) = self.book.limits.personal else {
            let what = "limits of one's own";
            return no(Code::NotInTheBook, None, what, "change the limits of the table");
        };
        let posted = self.table.limits.get(group);
        if let Some(step) = posted.and_then(|posted| posted.step) {
            let marked = Limits { step: Some(step), ..limits };
            self.check_sign_payable(group, marked, self.table.options.terms.method)?;
        }
        if let (Personal::Maximum, Some(posted)) = (personal.value, posted)
            && (limits.least != posted.least || limits.most < posted.most)
        {
            let instead = format!("allowed: {}..{} or more", posted.least, posted.most);
            let what = format!("{}..{} for {name}", limits.least, limits.most);
            return no(Code::BadLimits, Some(personal.clause), what, instead);
        }
        let least = Some(limits.least).filter(|_| personal.value == Personal::Both);
        let granted = Fact::PersonalLimits { player, group, least, most: limits.most };
        self.push(granted, &[Some(personal.clause)]);
        Ok(())
    }

    pub(super) fn close(&mut self) -> Result<(), Refusal> {
        let table = &*self.table;
        if matches!(table.phase, Phase::Called | Phase::Dealing) {
            return self.wrong_moment("closing", "allowed after the round");
        }
        self.check_not_doubted()?;
        if !table.wagers.is_empty() {
            let what = "closing while wagers lie";
            let instead = "allowed after the round, or when they are taken back";
            return no(Code::WrongMoment, of(&self.book.general.closing), what, instead);
        }
        let rule = self.book.general.closing;
        let closing = of(&rule);
        let announced = rule.is_none_or(|rule| rule.value == Notice::AnyTime) || table.closing;
        if !announced && table.playing().next().is_some() {
            let instead = "give notice of closing first, in time";
            return no(Code::NoticeNeeded, closing, "closing without notice", instead);
        }
        self.push(Fact::Closed, &[closing]);
        Ok(())
    }
}

/// What has passed since announced changes were last looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Since {
    SomeTime,
    ARound,
}
