//! What happens at a tournament's tables: judged by the rules of tournament play, then by those of
//! the table.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use rules::book::NotThere;
use rules::{Balance, Cents, Clause, Outcome, Verdict};
use table::{
    Act as TableAct, Code, Decision, Deed, Fact as TableFact, Name, Phase, PlayerId, Refusal,
    SignLine, Work, no,
};

use super::again::is_about_the_past;
use super::turning::Turned;
use super::{Draft, of};
use crate::command::Offence;
use crate::event::{EntrantId, Fact, OutWhy};
use crate::sitting::{Chair, Missed, Stint};

/// Whether somebody checks the cards.
pub(super) const fn is_check(act: &TableAct) -> bool {
    matches!(act, TableAct::Dealer(Work::Check(_)))
}

impl Draft<'_> {
    /// Judges an act at a table.
    pub(super) fn at(&mut self, table: Option<u32>, act: &TableAct) -> Result<(), Refusal> {
        if let TableAct::Player(name, deed) = act {
            return self.player_acts(table, *name, deed);
        }
        if let TableAct::Exclude(name, why) = act {
            // At a table, an excluded player only stops playing; in a tournament, the player is out
            // of the event.
            return self.disqualify(*name, &Offence::Breach(why.clone()));
        }
        if is_check(act)
            && let Some(done) = self.done(table)
        {
            let number = done.number;
            let events = self.judge_at(&done.table, act.clone())?;
            self.at_table(number, events);
            return Ok(());
        }
        if is_about_the_past(act)
            && let Some(done) = self.done(table)
        {
            let (number, stage) = (done.number, done.stage);
            self.reopen(number, stage, of(&self.book.general.void_means))?;
        }
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        match act {
            TableAct::Dealer(work) => self.dealer_works(number, work, act),
            TableAct::Supervisor(decision) => self.supervisor_decides(number, decision, act),
            TableAct::VoidCoup(_)
            | TableAct::VoidNumbered(..)
            | TableAct::Invalidate(_)
            | TableAct::VoidWagers(..) => self.judge_anew(number, act),
            TableAct::Post(SignLine::FaceDown(_)) => {
                self.check_face()?;
                self.delegate(number, act)
            }
            TableAct::Post(_)
            | TableAct::GiveNotice(..)
            | TableAct::Allow(..)
            | TableAct::PlayersConsent => {
                self.check_sign(number)?;
                self.delegate(number, act)
            }
            TableAct::Open(_) | TableAct::Close => {
                let clause = Some(self.rules.event.place_kept.clause);
                let what = "a table of a tournament is the director's";
                let instead = "the director starts and ends sessions";
                no(Code::WrongMoment, clause, what, instead)
            }
            TableAct::Player(..)
            | TableAct::Exclude(..)
            | TableAct::Tick
            | TableAct::RequireSeat(_)
            | TableAct::ReplaceCards
            | TableAct::GiveRules
            | TableAct::DecideDispute(..)
            | TableAct::ReviewDispute(..)
            | TableAct::InspectorLeaves
            | TableAct::InspectorReturns
            | TableAct::CuttingCardAppears
            | TableAct::CuttingCardShows
            | TableAct::ShoeRunsOut
            | TableAct::FreshShoe => self.delegate(number, act),
        }
    }

    /// Judges an act of the dealer; `act` is the same act.
    fn dealer_works(&mut self, number: u32, work: &Work, act: &TableAct) -> Result<(), Refusal> {
        let table = &self.sitting(Some(number))?.table;
        let phase = table.phase();
        match work {
            Work::NoMoreBets => return self.close_wagers(number),
            Work::Deal(_) => self.before_the_cards(number)?,
            // Before the next call, a card belongs to the previous coup.
            Work::Draw { .. } if phase == Phase::Called || table.shoe().coups == 0 => {
                self.before_the_cards(number)?;
            }
            Work::Turn(side, _) => self.dealer_turns(number, *side, Turned::FirstTwo),
            Work::TurnThird(side, _) => self.dealer_turns(number, *side, Turned::Third),
            Work::Pass(side, name) => self.dealer_passes(number, *side, *name),
            Work::Draw { .. }
            | Work::Check(_)
            | Work::Shuffle
            | Work::Riffle
            | Work::PreShuffled
            | Work::OfferCut(_)
            | Work::PlaceCuttingCard(_)
            | Work::Burn(_)
            | Work::BurnUnseen
            | Work::BurnCounted { .. }
            | Work::BurnMore(_)
            | Work::SkipBurn
            | Work::Reduce(_)
            | Work::LetStand
            | Work::DrawExcess { .. }
            | Work::FindFaceUp(_) => {}
        }
        self.delegate(number, act)
    }

    /// The steps before the first card of a coup.
    fn before_the_cards(&mut self, number: u32) -> Result<(), Refusal> {
        if self.sitting(Some(number))?.table.phase() == Phase::Betting {
            self.close_wagers(number)?;
        }
        self.check_laid(number)?;
        self.check_break()
    }

    /// Judges a decision of the supervisor; `act` is the same act.
    fn supervisor_decides(
        &mut self,
        number: u32,
        decision: &Decision,
        act: &TableAct,
    ) -> Result<(), Refusal> {
        match decision {
            Decision::FindError(_) | Decision::Reconstruct(_) | Decision::CannotReconstruct => {
                self.judge_anew(number, act)
            }
            Decision::DirectNoBet | Decision::ApproveOptionalCoups => self.no_idle_coups(),
            Decision::PermitChanges => {
                let clause = Some(self.rules.wagers.fixed.clause);
                let what = "wagers are changed after the players' turns";
                no(Code::Fixed, clause, what, "they stand until the coup is over")
            }
            Decision::ApproveBothSides(_)
            | Decision::ApproveRiffle
            | Decision::DirectShuffle
            | Decision::Cut(_)
            | Decision::InformManagement
            | Decision::InformSurveillance
            | Decision::Decide(_)
            | Decision::Resume => self.delegate(number, act),
        }
    }

    /// Refuses changes to limits at a table: the conditions state them.
    fn check_sign(&self, number: u32) -> Result<(), Refusal> {
        let stage = self.sitting(Some(number))?.stage;
        if self.conditions()?.limits_of(stage).is_none() {
            return Ok(());
        }
        let clause = of(&self.rules.wagers.limits_rise).or(of(&self.rules.conditions.limits));
        let what = "the sign of a tournament's table says what the conditions say";
        no(Code::ConditionsFixed, clause, what, "limits rise only as the conditions have it")
    }

    /// Refuses to change whether cards are dealt face down, where the book decides it for every
    /// coup of a competition. Otherwise the operator decides.
    fn check_face(&self) -> Result<(), Refusal> {
        let Some(rule) = self.rules.wagers.player_cards else { return Ok(()) };
        let what = "in a competition the cards are passed face down to the players";
        no(Code::ConditionsFixed, Some(rule.clause), what, "deal them so")
    }

    /// Refuses a coup without wagers: in a tournament, every round has wagers.
    fn no_idle_coups(&self) -> Result<(), Refusal> {
        let clause = Some(self.rules.wagers.minimum.clause);
        let what = "a coup without wagers is asked for";
        no(Code::MustWager, clause, what, "allowed only after an irregularity")
    }

    /// Has the table judge an act, and does what follows from it in the tournament.
    pub(super) fn delegate(&mut self, number: u32, act: &TableAct) -> Result<(), Refusal> {
        let before = self.events.len();
        let was = self.sitting(Some(number))?.table.phase();
        self.table_acts(number, act.clone())?;
        self.follow(number, before, was)
    }

    /// Does what follows in the tournament from the events at a table since an index; `was` is the
    /// phase of the table before them.
    pub(super) fn follow(&mut self, number: u32, before: usize, was: Phase) -> Result<(), Refusal> {
        let ended = self.at_tables(before).find_map(|fact| {
            if let TableFact::CoupEnded { outcome, .. } = fact { Some(*outcome) } else { None }
        });
        self.pass_cards(number);
        let begun = self.at_tables(before).any(|fact| matches!(fact, TableFact::CoupBegan { .. }));
        let open = self.sitting(Some(number))?.table.phase() == Phase::Betting;
        if was == Phase::Called && open && !begun {
            // The coup was called off before its first card: wagers begin again.
            self.void_forms(number);
            self.marker_again(number);
        }
        if let (Some(void), None) = (self.voided(before), ended) {
            self.undo(number, void)?;
        } else if let (Some(coup), None) = (self.reversed(before), ended) {
            self.correct(number, coup, of(&self.book.general.breach_voids))?;
        }
        if let Some(outcome) = ended {
            if outcome == Some(Outcome::Tie) {
                self.let_wagers_lie(number, before);
            }
            return self.coup_ended(number, outcome);
        }
        Ok(())
    }

    fn player_acts(&mut self, table: Option<u32>, name: Name, deed: &Deed) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let event = self.rules.event;
        let (sitting, chair) = self.chair(id)?;
        let (number, seat) = (sitting.number, chair.seat);
        let elsewhere = matches!(deed, Deed::Sit(..) | Deed::StandBehind(..) | Deed::Leave)
            || matches!(deed, Deed::Bet(bet) if bet.place.is_some_and(|place| place != seat));
        if elsewhere || table.is_some_and(|table| table != number) {
            let chips =
                matches!(deed, Deed::Leave) || matches!(deed, Deed::Sit(at, _) if *at == seat);
            let clause = of(&self.rules.chips.untouched).filter(|_| chips);
            let clause = clause.or(Some(event.place_kept.clause));
            let what = format!("{name} keeps to seat {seat} of table {number} and to its chips");
            let instead = format!("`{name} bets …` there, or `{name} goes away`");
            return no(Code::KeepsPlace, clause, what, instead);
        }
        if let Some(substitute) = self.who(id).substitute.filter(|substitute| *substitute != name) {
            let what = format!("{substitute} plays for {name}");
            let clause = Some(event.substitute.clause);
            return no(Code::NotEligible, clause, what, "the substitute acts");
        }
        let at_the_table = self.who(id).name;
        self.check_is_there(id, deed)?;
        match deed {
            Deed::Bet(bet) => self.wager(id, *bet),
            Deed::TakeBack(_) | Deed::Move(..) => self.alter(id, deed),
            Deed::AskNoBet => self.no_idle_coups(),
            Deed::Turn(side, _) | Deed::TurnThird(side, _) => {
                self.player_turns(id, *side);
                self.delegate(number, &TableAct::Player(at_the_table, deed.clone()))
            }
            Deed::Sit(..)
            | Deed::StandBehind(..)
            | Deed::Call { .. }
            | Deed::BetAgainst(..)
            | Deed::Waive(_)
            | Deed::Agree
            | Deed::Object
            | Deed::AskFaceDown
            | Deed::AskRiffle
            | Deed::Inspect
            | Deed::Cut(_)
            | Deed::DeclineCut
            | Deed::RefuseCards
            | Deed::Dispute(_)
            | Deed::AskRules
            | Deed::Leave => self.delegate(number, &TableAct::Player(at_the_table, deed.clone())),
        }
    }

    /// An absent player turns no cards. The table itself does not offer the cut to one.
    fn check_is_there(&self, id: EntrantId, deed: &Deed) -> Result<(), Refusal> {
        let (_, chair) = self.chair(id)?;
        let handles = matches!(deed, Deed::Turn(..) | Deed::TurnThird(..) | Deed::Inspect);
        if handles && chair.out.is_some() {
            let what = format!("{} is out of this session", self.who(id).name);
            let clause =
                of(&self.rules.wagers.dealer_turns).or(Some(self.rules.wagers.elimination.clause));
            return no(Code::NotEligible, clause, what, "the dealer turns the cards");
        }
        if handles && chair.is_missing() { self.not_in_the_seat(chair) } else { Ok(()) }
    }

    /// The call of no more bets, when everybody has wagered.
    fn close_wagers(&mut self, number: u32) -> Result<(), Refusal> {
        if self.sitting(Some(number))?.table.phase() != Phase::Betting {
            return self.delegate(number, &TableAct::Dealer(Work::NoMoreBets));
        }
        self.check_break()?;
        self.check_director()?;
        self.check_no_correction(Some(number))?;
        self.check_stint(number)?;
        self.check_forms(number)?;
        self.cancel_places(number)?;
        if !self.sitting(Some(number))?.table.is_no_bet() {
            // The sign may have changed since the previous coup.
            self.eliminate_the_short(number, OutWhy::Raised)?;
        }
        self.check_all_wagered(number)?;
        self.note_missing(number)?;
        self.delegate(number, &TableAct::Dealer(Work::NoMoreBets))?;
        self.lay_forms(number);
        Ok(())
    }

    /// Checks that a play-off was started before it is played.
    pub(super) fn check_stint(&self, number: u32) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        if sitting.stint == Stint::Over {
            let clause = Some(self.book.irregularities.out_of_sequence.clause);
            let what = format!("coup {} waits to be put right", sitting.dealt);
            return no(Code::Suspended, clause, what, "reconstruct it, or say that it cannot be");
        }
        if let Stint::PlayOffDue(_) = sitting.stint {
            let is_final = sitting.stage + 1 == self.t.stages.len();
            let prizes = self.rules.prizes;
            let clause = Some(if is_final { prizes.level_final } else { prizes.level }.clause);
            let instead = "`director starts the play-off` comes first";
            return no(Code::NotYet, clause, "players are level, and play off", instead);
        }
        Ok(())
    }

    /// Cancels the place of a late player before the first coup that the player may not miss.
    fn cancel_places(&mut self, number: u32) -> Result<(), Refusal> {
        let event = self.rules.event;
        let live = self.conditions()?.live;
        let sitting = self.sitting(Some(number))?;
        let most = match event.not_there.value {
            NotThere::Forfeited => u32::MAX,
            NotThere::MinimumDeducted(coups) => coups,
        };
        let late = sitting.active().filter(|chair| chair.late.is_some_and(|missed| missed >= most));
        let late: Vec<_> = late.map(|chair| chair.entrant).collect();
        // A player who wagered and then left keeps the wager.
        let without = |chair: &Chair| self.lacks(sitting, chair).is_some();
        let away = sitting.active().filter(|chair| live && chair.absent && without(chair));
        let away: Vec<_> = away.map(|chair| chair.entrant).collect();
        for id in late {
            let clauses = [of(&event.not_there_cancelled), Some(event.not_there.clause)];
            self.forfeit(number, id, &clauses)?;
        }
        for id in away {
            let clauses = [of(&event.absent_live)];
            self.push(Fact::Disqualified(id, Offence::Absence), &clauses);
            self.take_out(number, id, OutWhy::Left, &clauses)?;
            if self.who(id).paid > Cents::ZERO {
                self.push(Fact::FeeForfeited(id), &[of(&self.rules.prizes.disqualified_fee)]);
            }
        }
        Ok(())
    }

    /// Checks that every player who is present wagers at least the minimum.
    fn check_all_wagered(&self, number: u32) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        if sitting.table.is_no_bet() {
            return Ok(());
        }
        let excused = self.rules.event.absent.is_some();
        // Players are listed in the order of wagering, so that the first one named is the one to
        // ask.
        let from = sitting.marker.unwrap_or(0);
        let mut chairs: Vec<_> = sitting.active().collect();
        chairs.sort_by_key(|chair| (chair.seat < from, chair.seat));
        for chair in chairs {
            if chair.is_missing() && excused {
                continue;
            }
            if let Some((lacks, clause)) = self.lacks(sitting, chair) {
                let name = self.who(chair.entrant).name;
                let what = format!("{name} {lacks}");
                let instead = format!("ask {name}, who wagers at least {}", sitting.minimum());
                return no(Code::MustWager, Some(clause), what, instead);
            }
        }
        Ok(())
    }

    /// Notes the players who miss this coup: those who are absent at the call and have not wagered.
    fn note_missing(&mut self, number: u32) -> Result<(), Refusal> {
        let event = self.rules.event;
        let sitting = self.sitting(Some(number))?;
        let Some(absent) = of(&event.absent).filter(|_| !sitting.table.is_no_bet()) else {
            return Ok(());
        };
        let missing = sitting.active().filter(|chair| chair.is_missing());
        let missing = missing.filter(|chair| self.lacks(sitting, chair).is_some());
        let late = |chair: &Chair| chair.late.map(|_| event.not_there.clause);
        let missing: Vec<_> =
            missing.map(|chair| (chair.entrant, late(chair).unwrap_or(absent))).collect();
        for (id, clause) in missing {
            self.push(Fact::MissedCoup(id), &[Some(clause)]);
        }
        Ok(())
    }

    /// After a tie, the wagers on a hand stay on the layout, if the book lets players alter them.
    fn let_wagers_lie(&mut self, number: u32, since: usize) {
        let Some(rule) = self.rules.wagers.altered_after_tie else { return };
        let Some(sitting) = self.t.sitting(number) else { return };
        if sitting.table.is_no_bet() || self.has_run_its_length(sitting) {
            return;
        }
        let kept = self.at_tables(since).filter_map(|fact| {
            let TableFact::Settled { player, spot, place, stake, verdict: Verdict::Kept } = fact
            else {
                return None;
            };
            Some((*player, *spot, *place, *stake))
        });
        // The wager of a player who has been eliminated since goes back.
        let plays = |player: PlayerId| sitting.active().any(|c| c.player == Some(player));
        let kept = kept.filter(|(player, ..)| plays(*player));
        let kept: Vec<_> = kept.filter(|(_, spot, ..)| spot.hand().is_some()).collect();
        for (player, spot, place, amount) in kept {
            let clauses = [Some(rule.clause)];
            self.direct_at(number, &clauses, |by| by.lay(player, spot, place, amount));
        }
        self.push(Fact::MayAlter(number), &[Some(rule.clause)]);
    }

    /// Returns the wagers of a tied coup to their owners.
    pub(super) fn lift_wagers(&mut self, number: u32, clause: Option<Clause>) {
        let Some(sitting) = self.t.sitting(number) else { return };
        let lies = |player: PlayerId| {
            sitting.chairs.iter().any(|chair| chair.player == Some(player) && chair.carried)
        };
        let wagers = sitting.table.wagers().iter().copied();
        for wager in wagers.filter(|wager| lies(wager.player)).collect::<Vec<_>>() {
            self.direct_at(number, &[clause], |by| by.lift(&wager));
        }
    }

    /// What follows when a coup is over.
    fn coup_ended(&mut self, number: u32, outcome: Option<Outcome>) -> Result<(), Refusal> {
        match outcome {
            Some(_) if self.sitting(Some(number))?.counted => self.charge_the_missing(number)?,
            // In a coup that does not count, no secret wager counts either.
            Some(_) | None => self.void_forms(number),
        }
        if self.sitting(Some(number))?.has_forms_to_open() {
            return Ok(());
        }
        self.round_over(number)
    }

    /// Deducts the minimum from players who missed the coup.
    fn charge_the_missing(&mut self, number: u32) -> Result<(), Refusal> {
        let event = self.rules.event;
        let sitting = self.sitting(Some(number))?;
        let minimum = Balance::from(sitting.minimum());
        let missing: Vec<_> = sitting
            .active()
            .filter_map(|chair| {
                let rule = match chair.missed? {
                    Missed::Late => Some(event.not_there.clause),
                    Missed::Away => of(&event.absent),
                };
                Some((chair.player?, sitting.stack(chair).min(minimum), rule?))
            })
            .collect();
        for (player, cents, clause) in missing {
            self.adjust(number, player, -cents, &[Some(clause)]);
        }
        Ok(())
    }

    /// Moves chips between a player and the table, by a rule of the tournament.
    pub(super) fn adjust(
        &mut self,
        number: u32,
        player: PlayerId,
        chips: Balance,
        clauses: &[Option<Clause>],
    ) {
        self.direct_at(number, clauses, |by| by.adjust(player, chips));
    }

    /// The round is finished: eliminates players, ends the play if it is over, or starts the next
    /// turn.
    pub(super) fn round_over(&mut self, number: u32) -> Result<(), Refusal> {
        let gone = self.sitting(Some(number))?.chairs.iter().filter(|chair| chair.out.is_some());
        for id in gone.map(|chair| chair.entrant).collect::<Vec<_>>() {
            self.leave_table(number, id)?;
        }
        self.settle_claims(number, of(&self.book.general.void_means))?;
        let sitting = self.sitting(Some(number))?;
        if self.has_run_its_length(sitting) {
            // No further round needs a minimum: the players are ranked by their chips.
            return self.end_play(number);
        }
        self.eliminate_the_short(number, OutWhy::Chips)?;
        if self.settle_if_over_now(number)? {
            return Ok(());
        }
        if self.sitting(Some(number))?.hands.is_none() {
            // After a void round, the marker stays where it is.
            self.marker_again(number);
            return Ok(());
        }
        self.move_marker(number)
    }

    /// Moves the marker to the next player who is present.
    pub(super) fn move_marker(&mut self, table: u32) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(table))?;
        let next = sitting.marker.and_then(|marker| sitting.next_there(marker));
        if let Some(seat) = next {
            let clause = Some(self.rules.wagers.marker_moves.clause);
            self.push(Fact::MarkerAt { table, seat }, &[clause]);
        }
        Ok(())
    }

    /// Leaves the marker where it is, and asks its player first again.
    pub(super) fn marker_again(&mut self, table: u32) {
        let Some(sitting) = self.t.sitting(table) else { return };
        let there = |seat: u32| sitting.active().any(|c| c.seat == seat && !c.is_missing());
        let stays = sitting.marker.filter(|seat| there(*seat));
        let seat = stays.or_else(|| sitting.marker.and_then(|seat| sitting.next_there(seat)));
        if let Some(seat) = seat {
            self.push(Fact::MarkerAt { table, seat }, &[Some(self.rules.wagers.order.clause)]);
        }
    }

    pub(super) fn boxed(name: Name, deed: Deed) -> Box<TableAct> {
        Box::new(TableAct::Player(name, deed))
    }
}
