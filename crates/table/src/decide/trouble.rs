//! Irregularities, voids, and decisions of staff.

use alloc::format;

use rules::book::{Finish, NoBetRequest, NotDue, OutOfSequence, SeenCard, UnseenCard};
use rules::{Card, Cited, Clause, Side};

use super::Draft;
use crate::command::{Decision, Name};
use crate::event::{Fact, NoBetWhy, PlayerId, ReturnWhy, SuspendedWhy};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Coup, Facing, Phase, Waiting, of};

/// The most cards in excess that may wait.
pub(super) const MOST_WAITING: usize = 12;

impl Draft<'_> {
    pub(super) fn supervisor_acts(&mut self, decision: &Decision) -> Result<(), Refusal> {
        match decision {
            Decision::ApproveBothSides(name) => self.approve_both_sides(*name),
            Decision::ApproveOptionalCoups => self.approve_optional_coups(),
            Decision::ApproveRiffle => self.approve_riffle(),
            Decision::DirectNoBet => self.direct_no_bet(),
            Decision::DirectShuffle => self.direct_shuffle(),
            Decision::Cut(depth) => self.cut_by_staff(*depth),
            Decision::Reconstruct(order) => self.reconstruct(order),
            Decision::CannotReconstruct => self.cannot_reconstruct(),
            Decision::PermitChanges => self.permit_changes(),
            Decision::InformManagement => self.inform(Fact::ManagementInformed),
            Decision::InformSurveillance => self.inform(Fact::SurveillanceInformed),
            Decision::Decide(text) => {
                self.decide_open(text);
                Ok(())
            }
            Decision::FindError(coup) => self.find_error(*coup),
            Decision::Resume => self.resume(),
        }
    }

    fn approve_both_sides(&mut self, name: Name) -> Result<(), Refusal> {
        let player = self.player(&name)?;
        let rule = self.book.wagers.both_sides;
        match rule.value {
            rules::book::BothSides::WithApproval => {
                self.push(Fact::BothSidesApproved(player), &[Some(rule.clause)]);
                Ok(())
            }
            other @ (rules::book::BothSides::Allowed | rules::book::BothSides::Never) => {
                let what = format!("both sides are {other} under this book");
                no(
                    Code::NotInTheBook,
                    Some(rule.clause),
                    what,
                    "a supervisor's approval changes nothing here",
                )
            }
        }
    }

    fn approve_optional_coups(&mut self) -> Result<(), Refusal> {
        let Some(rule) = self.book.no_bet.optional_coups else {
            let what = "this book does not allow coups without a wager";
            return no(
                Code::NotInTheBook,
                None,
                what,
                "allowed where the book has it: a no-bet coup",
            );
        };
        if !self.table.no_bet_asked {
            let what = "coups without a wager that no player asked for";
            return no(Code::NotAgreed, Some(rule.clause), what, "a player asks first");
        }
        // While approved coups are left, another approval does not start the count again.
        let left = match self.table.optional_coups {
            0 => rule.value.get(),
            left => left,
        };
        self.push(Fact::OptionalCoups(left), &[Some(rule.clause)]);
        Ok(())
    }

    pub(super) fn ask_no_bet(&mut self, player: PlayerId) -> Result<(), Refusal> {
        if self.table.phase != Phase::Betting {
            return self.wrong_moment("asking for a no-bet coup", "allowed before the call");
        }
        let rule = &self.book.no_bet;
        let requested = self.book.no_bet_request.as_ref().map(|request| request.requested.clause);
        let Some(clause) = requested.or(of(&rule.optional_coups)) else {
            let what = "players do not ask for coups without wagers under this book";
            return no(
                Code::NotInTheBook,
                Some(rule.no_wagers.clause),
                what,
                "allowed: not to bet",
            );
        };
        self.push(Fact::NoBetAsked(player), &[Some(clause)]);
        Ok(())
    }

    pub(super) fn answer_no_bet(
        &mut self,
        player: PlayerId,
        answer: Answer,
    ) -> Result<(), Refusal> {
        let request = self.book.no_bet_request.as_ref();
        if !self.table.no_bet_asked {
            let what = "nobody asked for a no-bet coup";
            let clause = request.map(|request| request.requested.clause);
            return no(Code::NothingToDecide, clause, what, "ask first");
        }
        let clause = request.map(|request| request.agreed.clause);
        self.push(Fact::NoBetAnswered(player, answer == Answer::Agrees), &[clause]);
        Ok(())
    }

    fn direct_no_bet(&mut self) -> Result<(), Refusal> {
        let (table, request) = (&*self.table, self.book.no_bet_request.as_ref());
        let directed = request.map(|request| request.directed.clause);
        if table.phase != Phase::Betting {
            return self.wrong_moment("a no-bet coup", "allowed before the call");
        }
        if table.no_bet.is_some() {
            let what = "the coming coup is without wagers already";
            return no(Code::NothingToDecide, directed, what, "deal it");
        }
        let nobody = table.playing().next().is_none();
        if let (true, Some(nobody)) = (nobody, request.and_then(|request| request.nobody_there)) {
            self.push(Fact::NoBetDirected(NoBetWhy::NobodyThere), &[Some(nobody.clause)]);
            return Ok(());
        }
        let Some(NoBetRequest { requested, agreed, in_a_row, .. }) = request else {
            let what = "no-bet coups are not directed under this book";
            let clause = Some(self.book.no_bet.no_wagers.clause);
            return no(Code::NotInTheBook, clause, what, "wagers stay open");
        };
        if !table.no_bet_asked {
            let what = "a no-bet coup that no player asked for";
            return no(Code::NotAgreed, Some(requested.clause), what, "a player asks first");
        }
        let others = table.playing().find(|(_, player)| player.agreed != Some(true));
        if let Some((_, other)) = others {
            let what = format!("{} has not agreed to a no-bet coup", other.name);
            return no(Code::NotAgreed, Some(agreed.clause), what, "all players agree first");
        }
        let before = u32::try_from(table.no_bets_in_a_row()).unwrap_or(u32::MAX);
        if let Some(most) = in_a_row.filter(|most| before >= most.value.get()) {
            let what = format!("a no-bet coup after {before} in a row");
            let instead = format!("allowed: {} at most", most.value);
            return no(Code::TooMany, Some(most.clause), what, instead);
        }
        self.return_all(ReturnWhy::NoBetCoup, &[directed]);
        let clauses = [directed, Some(agreed.clause), Some(requested.clause)];
        self.push(Fact::NoBetDirected(NoBetWhy::Asked), &clauses);
        Ok(())
    }

    pub(super) fn ask_face_down(&mut self, player: PlayerId) -> Result<(), Refusal> {
        let face = self.book.deal.face;
        if face.value != rules::book::Face::UpUnlessAsked {
            let what = "players do not choose how cards are dealt under this book";
            return no(Code::NotInTheBook, Some(face.clause), what, "the operator decides");
        }
        self.push(Fact::FaceDownAsked(player), &[Some(face.clause)]);
        Ok(())
    }

    /// A third card that Player was not due: Banker's if Banker must draw, else in excess.
    pub(super) fn not_due(&mut self, card: Option<Card>, facing: Facing, due: Clause) {
        let rule = self.book.irregularities.not_due_to_banker;
        // Player has three cards already, so the card is also one too many.
        let three = |coup: &Coup| coup.count(Side::Player) == 3;
        let fourth = self.table.coup.as_ref().is_some_and(three);
        let one_only = of(&self.book.tableau.one_card_only).filter(|_| fourth);
        let seen = card.filter(|_| facing.is_up());
        self.push(Fact::GivenToBanker(seen), &[Some(rule.clause), one_only]);
        self.put(Side::Banker, card, facing, Some(due));
        self.advance();
    }

    /// A card that is drawn to a hand after the coup is over.
    pub(super) fn draw_after(
        &mut self,
        card: Option<Card>,
        to: Side,
        facing: Facing,
    ) -> Result<(), Refusal> {
        self.check_room_to_wait()?;
        // What lies face up in the shoe is seen, however it is drawn.
        let is_seen = facing.is_up() || self.table.face_up.is_some();
        let trouble = &self.book.irregularities;
        let seen = card.filter(|_| is_seen);
        let one_only = of(&self.book.tableau.one_card_only);
        if let (3, Some(rule)) = (self.table.last_counts[to as usize], one_only) {
            self.push(Fact::ThreeAlready(to), &[Some(rule)]);
        }
        if let Some(rule) = self.behind_marker() {
            self.no_more_deals(seen, rule);
            return Ok(());
        }
        if to == Side::Player {
            let rule = trouble.not_due_otherwise;
            match rule.value {
                NotDue::InExcess => self.excess(seen, Some(rule.clause)),
                NotDue::FaceUpAtTheMouth if self.is_last_hand() => {
                    self.push(Fact::ExcessNotUsed(card), &[Some(rule.clause)]);
                }
                // The card is laid face up, whether it was seen or not.
                NotDue::FaceUpAtTheMouth => {
                    self.seen_card_waits(card, [Some(rule.clause), None]);
                }
            }
        } else {
            self.excess(seen, None);
        }
        Ok(())
    }

    /// The clause by which no coup starts after a card from behind the marker, if one is drawn now.
    fn behind_marker(&self) -> Option<Clause> {
        let end = &self.book.end_of_shoe;
        let first = self.table.shoe.cutting_card?;
        let rule = if first { end.cutting_card_first } else { end.cutting_card_during };
        let between = matches!(self.table.phase, Phase::Betting | Phase::Called);
        (rule.value == Finish::OneBehind && between).then_some(rule.clause)
    }

    /// A card from behind the marker is out: it is not used, and the shoe is over.
    fn no_more_deals(&mut self, card: Option<Card>, rule: Clause) {
        let unseen = Some(self.book.irregularities.excess_unseen.clause);
        let clauses = [Some(rule), unseen];
        self.drop_waiting();
        self.push(Fact::ExcessNotUsed(card), &clauses);
        self.return_all(ReturnWhy::NewShoe, &clauses);
        self.push(Fact::ShuffleDue, &[Some(rule)]);
    }

    /// Whether no further hand is dealt from this shoe.
    fn is_last_hand(&self) -> bool {
        self.table.shuffle_due || self.table.phase == Phase::Preparing
    }

    pub(super) fn draw_excess(
        &mut self,
        card: Option<Card>,
        facing: Facing,
    ) -> Result<(), Refusal> {
        let table = &*self.table;
        let playing = matches!(table.phase, Phase::Betting | Phase::Dealing | Phase::Called);
        if !playing && !table.shuffle_due {
            return self.wrong_moment("a card in excess", "allowed while cards are being dealt");
        }
        self.check_room_to_wait()?;
        let (lies, mut left) = (self.table.face_up, self.table.shoe.left);
        self.check_next(card, lies, &mut left)?;
        // What lies face up in the shoe is seen, however it is drawn.
        let seen = lies.and_then(|lies| lies.card).or(card.filter(|_| facing.is_up()));
        if let Some(rule) = self.behind_marker() {
            self.no_more_deals(seen, rule);
            return Ok(());
        }
        self.excess(seen, None);
        Ok(())
    }

    /// Refuses more cards in excess than anybody could draw unnoticed.
    fn check_room_to_wait(&self) -> Result<(), Refusal> {
        if self.table.waiting.len() < MOST_WAITING {
            return Ok(());
        }
        let what = format!("{MOST_WAITING} cards wait already");
        no(Code::TooMany, None, what, "deal the rounds that start with them first")
    }

    /// Handles a card in excess, seen or unseen.
    pub(super) fn excess(&mut self, seen: Option<Card>, why: Option<Clause>) {
        let trouble = &self.book.irregularities;
        if self.is_last_hand() {
            // The card goes away with the shoe.
            let rule = if seen.is_some() {
                trouble.excess_seen.clause
            } else {
                trouble.excess_unseen.clause
            };
            return self.push(Fact::ExcessNotUsed(seen), &[why, Some(rule)]);
        }
        if seen.is_some() {
            let rule = Some(trouble.excess_seen.clause);
            let clauses = if why.is_some() { [why, rule] } else { [rule, None] };
            return self.seen_card_waits(seen, clauses);
        }
        let rule = trouble.excess_unseen;
        let shoe = &self.table.shoe;
        let marker = shoe.marker_seen || shoe.cutting_card.is_some();
        match rule.value {
            UnseenCard::FirstOfNextUnlessMarkerOut if marker => {
                self.push(Fact::ExcessNotUsed(None), &[why, Some(rule.clause)]);
            }
            UnseenCard::FirstOfNext | UnseenCard::FirstOfNextUnlessMarkerOut => {
                self.push(Fact::Excess { card: None }, &[why, Some(rule.clause)]);
            }
        }
    }

    /// A seen card is the first of the next coup, which is therefore without wagers.
    pub(super) fn seen_card_waits(&mut self, card: Option<Card>, clauses: [Option<Clause>; 2]) {
        self.push(Fact::Excess { card }, &clauses);
        // While a coup is being dealt, the consequence is announced when it is over; while another
        // card waits, when the round that starts with that card is over.
        if self.table.phase != Phase::Dealing && self.table.waiting.len() == 1 {
            self.no_bet_follows(clauses);
        }
    }

    /// If the card that starts the next round was seen, that round is without wagers.
    pub(super) fn seen_card_comes(&mut self) {
        if let Some(first) = self.table.waiting.first().copied().filter(|w| self.lies_open(*w)) {
            self.no_bet_follows([first.by, None]);
        }
    }

    /// Whether everybody can see a card that waits: it was named, or the rule that makes it wait
    /// has it laid face up.
    pub(super) fn lies_open(&self, waiting: Waiting) -> bool {
        let rule = self.book.irregularities.not_due_otherwise;
        let laid_open = match rule.value {
            NotDue::FaceUpAtTheMouth => waiting.by == Some(rule.clause),
            NotDue::InExcess => false,
        };
        laid_open || waiting.card.is_some()
    }

    /// A seen card that waits makes the next coup a no-bet coup.
    pub(super) fn no_bet_follows(&mut self, clauses: [Option<Clause>; 2]) {
        match self.book.irregularities.excess_seen.value {
            SeenCard::NoBetCoup => {}
            SeenCard::Used => return,
        }
        let [why, besides] = clauses;
        let clauses = [why, besides, Some(self.book.no_bet.no_wagers.clause)];
        let trouble = &self.book.irregularities;
        self.return_all(ReturnWhy::NoBetCoup, &clauses);
        let calls = &self.book.calls;
        let by = if why == Some(trouble.not_due_otherwise.clause) {
            calls.no_bets_not_due
        } else {
            calls.no_bets_face_up.filter(|_| why == Some(trouble.face_up_first.clause))
        };
        self.call(calls.no_bets(by).as_ref());
        self.push(Fact::NoBetDirected(NoBetWhy::SeenCard), &clauses);
    }

    pub(super) fn find_face_up(&mut self, card: Card) -> Result<(), Refusal> {
        let table = &*self.table;
        if !matches!(table.phase, Phase::Betting | Phase::Called | Phase::Dealing) {
            return self.wrong_moment(
                "a card face up",
                "allowed from the opening of wagers to the end of the coup",
            );
        }
        if table.face_up.is_some() {
            let what = "a card lies face up in the shoe already";
            return no(Code::TooMany, None, what, "deal it first");
        }
        self.check_card(card)?;
        let trouble = &self.book.irregularities;
        let first = table.coup.as_ref().is_none_or(|coup| coup.cards.is_empty());
        if !first {
            let clause = of(&trouble.face_up_later);
            self.push(Fact::FoundFaceUp(card), &[clause]);
            return Ok(());
        }
        let rule = trouble.face_up_first;
        self.push(Fact::FoundFaceUp(card), &[Some(rule.clause)]);
        match rule.value {
            SeenCard::NoBetCoup => {
                self.return_all(ReturnWhy::NoBetCoup, &[Some(rule.clause)]);
                let calls = &self.book.calls;
                self.call(calls.no_bets(calls.no_bets_face_up).as_ref());
                self.push(Fact::NoBetDirected(NoBetWhy::SeenCard), &[Some(rule.clause)]);
            }
            SeenCard::Used => {}
        }
        Ok(())
    }

    /// Handles a card that went to the wrong hand.
    pub(super) fn out_of_sequence(
        &mut self,
        card: Option<Card>,
        to: Side,
        facing: Facing,
        due: Cited<Side>,
    ) {
        let Some(coup) = &self.table.coup else { return };
        let rule = self.book.irregularities.out_of_sequence;
        let clause = Some(rule.clause);
        let initial = coup.cards.len() < 4;
        let hidden = !facing.is_up() && !coup.has_shown();
        let off = self.book.wager_change(|c| c.unexposed_wagers_off);
        let waits = match rule.value {
            OutOfSequence::Reconstructed => off.is_some() && hidden,
            OutOfSequence::ReconstructedSupervised => true,
            // Tasmania's rule is only about cards after the initial deal.
            OutOfSequence::ToPlayer => initial,
        };
        self.push(
            Fact::OutOfSequence(to),
            &[clause.filter(|_| !(initial && waits && is_silent(rule.value)))],
        );
        if waits {
            // The card stays where it was put until the coup is put right.
            self.put(to, card, facing, Some(due.clause));
            let suspended = Fact::Suspended(SuspendedWhy::OutOfSequence);
            self.push(
                suspended,
                &[clause.filter(|_| !is_silent(rule.value)), of(&off).filter(|_| hidden)],
            );
            return;
        }
        self.put(due.value, card, facing, Some(due.clause));
        self.push(Fact::Reconstructed, &[clause]);
        self.advance();
    }

    pub(super) fn nothing_to_put_right<T>(&self) -> Result<T, Refusal> {
        let clause = Some(self.book.irregularities.out_of_sequence.clause);
        let what = "no card is out of sequence";
        no(Code::NothingToDecide, clause, what, "go on")
    }

    fn permit_changes(&mut self) -> Result<(), Refusal> {
        let Some(rule) = self.book.wager_change(|c| c.unexposed_position) else {
            let clause = Some(self.book.wagers.altering_ends.clause);
            let what = "wagers do not change in a coup under this book";
            return no(Code::NotInTheBook, clause, what, "allowed after the coup");
        };
        let lawful = self.table.coup.as_ref().is_some_and(|coup| {
            !coup.has_shown()
                && coup.cards.len() <= 4
                && !coup.irregular
                && coup.suspended.is_none()
        });
        if !lawful {
            let what = "a card is exposed, or none is dealt, or cards are out of sequence";
            let instead = "allowed while the first cards lie face down in order";
            return no(Code::WrongMoment, Some(rule.clause), what, instead);
        }
        self.push(Fact::Suspended(SuspendedWhy::Changes), &[Some(rule.clause)]);
        Ok(())
    }

    fn resume(&mut self) -> Result<(), Refusal> {
        match self.table.coup.as_ref().and_then(|coup| coup.suspended) {
            None => no(Code::NothingToDecide, None, "no coup waits", "go on"),
            Some(SuspendedWhy::OutOfSequence) => self.reconstruct(&[]),
            Some(SuspendedWhy::WrongPerson) => {
                self.push(Fact::Resumed, &[]);
                Ok(())
            }
            Some(SuspendedWhy::Changes) => {
                self.keep_to_cap(None);
                let all_off = of(&self.book.wager_change(|c| c.all_withdrawn));
                if self.table.wagers.is_empty() && all_off.is_some() {
                    self.push(Fact::NoBetDirected(NoBetWhy::AllOff), &[all_off]);
                }
                self.push(Fact::Resumed, &[]);
                Ok(())
            }
        }
    }

    /// The dealer gave a hand to somebody who may not turn it.
    pub(super) fn wrong_person(
        &mut self,
        side: Side,
        player: PlayerId,
        to: Option<Clause>,
    ) -> Result<(), Refusal> {
        let Some(rule) = self.book.wager_change(|c| c.wrong_person) else {
            let what = format!("{side}'s cards are not {}'s to turn", self.who(player).name);
            return no(Code::WrongHands, to, what, "pass them to the player who may");
        };
        self.push(Fact::Passed(side, player), &[]);
        self.push(Fact::Suspended(SuspendedWhy::WrongPerson), &[Some(rule.clause)]);
        Ok(())
    }
}

/// Whether the book does not mention cards out of sequence in the initial deal.
pub(super) const fn is_silent(rule: OutOfSequence) -> bool {
    matches!(rule, OutOfSequence::ToPlayer)
}

/// A player's answer to a request for a coup without wagers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Agrees,
    Objects,
}
