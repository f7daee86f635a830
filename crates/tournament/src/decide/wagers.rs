//! Wagers in a tournament: in turn, within the limits, and then fixed.

use alloc::format;

use rules::book::OutOfOrder;
use rules::{Balance, Cents, Clause, Spot};
use table::{Act as TableAct, Bet, Code, Deed, Name, Phase, Refusal, no};

use super::{Draft, of};
use crate::event::{EntrantId, Fact, OutWhy};
use crate::sitting::{Chair, Sitting};

impl Draft<'_> {
    /// Checks that a player may wager now.
    pub(super) fn check_may_wager(&self, id: EntrantId) -> Result<(&Sitting, &Chair), Refusal> {
        self.check_break()?;
        let (sitting, chair) = self.chair(id)?;
        self.check_stint(sitting.number)?;
        let wagers = self.rules.wagers;
        let name = self.who(id).name;
        if sitting.has_forms_to_open() {
            let clause = self.rules.secret.map(|secret| secret.announced.clause);
            let what = "secret wagers of the last coup are not announced";
            return no(Code::FormsWait, clause, what, "the inspector opens them first");
        }
        if !chair.plays {
            let is_final = sitting.stage + 1 == self.t.stages.len();
            let prizes = self.rules.prizes;
            let clause = Some(if is_final { prizes.level_final } else { prizes.level }.clause);
            let what = format!("{name} does not play in this play-off");
            return no(Code::NotEligible, clause, what, "those who are level play");
        }
        if let Some((_, why)) = chair.out {
            let short = of(&wagers.eliminated_place).or(Some(wagers.elimination.clause));
            let late = Some(self.rules.event.not_there.clause);
            let clause = if why == OutWhy::NotThere { late } else { short };
            let what = format!("{name} is out of this session");
            return no(Code::NotEligible, clause, what, "the others play on");
        }
        if chair.is_missing() {
            return self.not_in_the_seat(chair);
        }
        if matches!(sitting.table.phase(), Phase::Called) {
            let what = "no more bets was called";
            return no(
                Code::BettingClosed,
                Some(wagers.fixed.clause),
                what,
                "allowed: the next coup",
            );
        }
        Ok((sitting, chair))
    }

    /// Refuses an act that needs the player in the seat.
    pub(super) fn not_in_the_seat<T>(&self, chair: &Chair) -> Result<T, Refusal> {
        let event = self.rules.event;
        let name = self.who(chair.entrant).name;
        let late = Some(event.not_there.clause);
        let away = of(&event.absent).or(of(&event.absent_live)).or(of(&event.pace));
        let clause = if chair.absent { away } else { late };
        let what = format!("{name} is not in the seat");
        let how = if chair.absent { "comes back" } else { "takes the seat" };
        no(Code::NotEligible, clause, what, format!("`{name} {how}` comes first"))
    }

    pub(super) fn wager(&mut self, id: EntrantId, bet: Bet) -> Result<(), Refusal> {
        let (sitting, chair) = self.check_may_wager(id)?;
        let (number, name) = (sitting.number, self.who(id).name);
        if sitting.table.phase() != Phase::Betting || bet.unnoticed {
            // An unnoticed wager brings no advice; but it still takes the player's turn.
            if sitting.table.phase() == Phase::Betting && Self::may_have_turn(sitting, chair) {
                self.in_turn(id)?;
            }
            return self.delegate(number, &Self::boxed(name, Deed::Bet(bet)));
        }
        self.check_fixed(sitting, chair, bet.spot)?;
        let (least, most, step) = Self::limits(sitting, sitting.table.group(bet.spot));
        let before = chair.player.and_then(|player| {
            let mut wagers = sitting.table.wagers().iter();
            wagers.find(|wager| wager.player == player && wager.spot == bet.spot)
        });
        let before = before.map_or(Cents::ZERO, |wager| wager.stake);
        let total = before.checked_add(bet.amount).unwrap_or(Cents::MAX);
        self.check_units(name, bet.spot, total, step)?;
        self.check_time(sitting, chair, total, least)?;
        let late = self.is_too_late(sitting, chair);
        self.check_room(sitting, chair, bet)?;
        let topped = self.check_minimum(sitting, chair, total, least)?;
        self.in_turn(id)?;
        if late {
            self.push(Fact::HeldToMinimum(id), &[of(&self.rules.wagers.too_slow)]);
        }
        let mut bet = bet;
        if let Some((more, clause)) = topped {
            self.push(Fact::ToppedUp { entrant: id, from: total, to: least }, &[Some(clause)]);
            bet.amount = bet.amount.checked_add(more).unwrap_or(Cents::MAX);
        }
        let wagers = self.rules.wagers;
        if let (true, Some(rule)) = (total > most, wagers.over_maximum) {
            self.push(Fact::OverMaximum(id), &[of(&wagers.maximum), Some(rule.clause)]);
        }
        self.delegate(number, &Self::boxed(name, Deed::Bet(bet)))
    }

    /// Checks whether a player may add to a wager that lies, or make another.
    fn check_fixed(&self, sitting: &Sitting, chair: &Chair, spot: Spot) -> Result<(), Refusal> {
        self.check_turn_to_alter(sitting, chair)?;
        // A player who has not met the minimum yet must be allowed to do so.
        if !sitting.has_wagered(chair) || self.lacks(sitting, chair).is_some() {
            return Ok(());
        }
        let wagers = self.rules.wagers;
        let name = self.who(chair.entrant).name;
        let mut mine =
            sitting.table.wagers().iter().filter(|wager| Some(wager.player) == chair.player);
        let turn = sitting.turn == Some(chair.seat) || chair.carried;
        if let Some(rule) = wagers.one_side {
            let side = |spot: Spot| matches!(spot, Spot::Banker | Spot::Player);
            if side(spot) && mine.clone().any(|wager| side(wager.spot) && wager.spot != spot) {
                let what = format!("{name} has a wager on the other hand");
                let both = of(&wagers.never_both);
                let instead = "one of Banker and Player, and Tie besides";
                let also = both.map(|_| rule.clause);
                let clause = both.or(Some(rule.clause));
                return Err(Refusal::new(Code::BothSides, clause, what, instead).and(also));
            }
            let another = !mine.any(|wager| wager.spot == spot);
            if turn && (another || chair.carried) {
                return Ok(());
            }
        } else if turn {
            return Ok(());
        }
        self.fixed(chair)
    }

    /// Whether it is a player's turn, or would be: those before have had theirs.
    fn may_have_turn(sitting: &Sitting, chair: &Chair) -> bool {
        let Some(turn) = sitting.turn.or(sitting.marker) else { return false };
        let now = sitting.active().find(|chair| chair.seat == turn);
        let done =
            now.is_none_or(|now| now.is_missing() || (sitting.has_wagered(now) && !now.carried));
        let next = sitting.next_to_ask(turn).filter(|_| done);
        turn == chair.seat || next.is_some_and(|next| next.seat == chair.seat)
    }

    /// A wager that lies from a tied coup is altered when its owner's turn comes, and in time.
    fn check_turn_to_alter(&self, sitting: &Sitting, chair: &Chair) -> Result<(), Refusal> {
        if !chair.carried {
            return Ok(());
        }
        // Chips that are missing from the minimum may be added out of turn too.
        let short = self.lacks(sitting, chair).is_some();
        if !short && !Self::may_have_turn(sitting, chair) {
            let clause = of(&self.rules.wagers.altered_after_tie);
            let turn = sitting.chairs.iter().find(|other| Some(other.seat) == sitting.turn);
            let turn = turn.map_or("nobody", |other| self.who(other.entrant).name.as_str());
            let name = self.who(chair.entrant).name;
            let what = format!("wagers that lie are altered in turn, and it is {turn}'s");
            return no(Code::NotTheirTurn, clause, what, format!("`dealer asks {name}` in turn"));
        }
        if self.is_too_late(sitting, chair) && !short {
            let clause = of(&self.rules.wagers.too_slow);
            let what = format!("{} let the time to wager run out", self.who(chair.entrant).name);
            return no(Code::TimeIsUp, clause, what, "the wager lies as it is");
        }
        Ok(())
    }

    /// What a player who wagered still lacks, and the clause that requires it.
    pub(super) fn lacks(&self, sitting: &Sitting, chair: &Chair) -> Option<(&'static str, Clause)> {
        if chair.form.is_some() {
            return None;
        }
        let wagers = self.rules.wagers;
        let [banker, player, _] = sitting.laid(chair).map(Cents::get);
        let all = (sitting.chips(chair) - sitting.stack(chair)).at_least_zero().get();
        let main = banker + player;
        let risk = banker.abs_diff(player) + (all - main);
        if risk < sitting.minimum().get() || all == 0 {
            return Some(("has not put the minimum at risk", wagers.minimum.clause));
        }
        let side = wagers.one_side.filter(|_| main == 0);
        side.map(|rule| ("has no wager on Banker or Player", rule.clause))
    }

    fn fixed<T>(&self, chair: &Chair) -> Result<T, Refusal> {
        let wagers = self.rules.wagers;
        let clause = if chair.jumped { wagers.out_of_order.clause } else { wagers.fixed.clause };
        let what = format!("{}'s wager stands", self.who(chair.entrant).name);
        no(Code::Fixed, Some(clause), what, "allowed: the next coup")
    }

    fn check_units(
        &self,
        name: Name,
        spot: Spot,
        total: Cents,
        step: Option<Cents>,
    ) -> Result<(), Refusal> {
        let (Some(rule), Some(step)) = (self.rules.wagers.units, step) else { return Ok(()) };
        if total.get().is_multiple_of(step.get()) {
            return Ok(());
        }
        let what = format!("{name} wagers {total} on {}", spot.key());
        let instead = format!("allowed: a multiple of {step}, as the sign says");
        no(Code::NotAMultiple, Some(rule.clause), what, instead)
    }

    /// Checks that a wager on Tie leaves enough chips for the wager on a hand.
    fn check_room(&self, sitting: &Sitting, chair: &Chair, bet: Bet) -> Result<(), Refusal> {
        let [banker, player, _] = sitting.laid(chair);
        let main = matches!(bet.spot, Spot::Banker | Spot::Player);
        let left = sitting.stack(chair) - Balance::from(bet.amount);
        let needed = Balance::from(sitting.minimum());
        let wagered = banker > Cents::ZERO || player > Cents::ZERO || chair.form.is_some();
        if main || wagered || left >= needed || self.rules.wagers.one_side.is_none() {
            return Ok(());
        }
        let (amount, spot) = (bet.amount, bet.spot.key());
        let what = format!("{amount} on {spot} leaves too little for a wager on a hand");
        let clause = Some(self.rules.wagers.minimum.clause);
        no(Code::MustWager, clause, what, "the wager on Banker or Player comes first")
    }

    pub(super) fn is_too_late(&self, sitting: &Sitting, chair: &Chair) -> bool {
        let limit = sitting.limit.filter(|_| self.rules.wagers.too_slow.is_some());
        let turn = sitting.turn == Some(chair.seat) && !chair.waived && !sitting.waived;
        limit.is_some_and(|limit| turn && self.at > sitting.since.saturating_add(limit))
    }

    /// A player who let the time run out may wager only the minimum.
    fn check_time(
        &self,
        sitting: &Sitting,
        chair: &Chair,
        total: Cents,
        least: Cents,
    ) -> Result<(), Refusal> {
        let wagered = sitting.has_wagered(chair) && self.lacks(sitting, chair).is_none();
        if self.is_too_late(sitting, chair) && (total > least || wagered) {
            let clause = of(&self.rules.wagers.too_slow);
            let what = format!("{} let the time to wager run out", self.who(chair.entrant).name);
            return no(Code::TimeIsUp, clause, what, format!("allowed: the minimum, {least}"));
        }
        Ok(())
    }

    /// The amount that is missing from the minimum, and the clause by which it is added; refuses if
    /// the player cannot add it.
    fn check_minimum(
        &self,
        sitting: &Sitting,
        chair: &Chair,
        total: Cents,
        least: Cents,
    ) -> Result<Option<(Cents, Clause)>, Refusal> {
        let Some(more) = least.checked_sub(total).filter(|more| *more > Cents::ZERO) else {
            return Ok(None);
        };
        let wagers = self.rules.wagers;
        let stack = sitting.stack(chair).at_least_zero();
        match wagers.topped_up {
            Some(rule) if stack >= least => Ok(Some((more, rule.clause))),
            _ => {
                let what = format!("{total} is below the minimum");
                let instead = format!("allowed: {least} or more");
                no(Code::MustWager, Some(wagers.minimum.clause), what, instead)
            }
        }
    }

    /// Records whose turn it is: the player's, or that of the next player, who thereby has been
    /// asked. Any other wager is out of order, and stands.
    pub(super) fn in_turn(&mut self, id: EntrantId) -> Result<(), Refusal> {
        let (sitting, chair) = self.chair(id)?;
        let (table, seat) = (sitting.number, chair.seat);
        if sitting.turn == Some(seat) || (sitting.has_wagered(chair) && !chair.carried) {
            return Ok(());
        }
        // A player whose wager lies from a tie leaves it unchanged when the next player wagers.
        let wagers = self.rules.wagers;
        let asked = sitting.turn.or(sitting.marker);
        let done = |seat: u32| {
            let now = sitting.active().find(|chair| chair.seat == seat);
            now.is_none_or(|now| sitting.has_wagered(now) || now.is_missing())
        };
        let next =
            asked.filter(|asked| done(*asked)).and_then(|asked| sitting.next_to_wager(asked));
        if chair.carried || next.is_some_and(|next| next.seat == seat) {
            let clauses = [of(&wagers.turn).or(Some(wagers.order.clause))];
            self.push(Fact::Asked { table, seat }, &clauses);
            return Ok(());
        }
        let again = chair.out_of_order > 0;
        let clause = Some(wagers.out_of_order.clause);
        self.push(Fact::OutOfOrder { entrant: id, again }, &[clause]);
        Ok(())
    }

    /// The dealer asks the next player.
    pub(super) fn ask(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let (sitting, chair) = self.check_may_wager(id)?;
        let (table, seat) = (sitting.number, chair.seat);
        let wagers = self.rules.wagers;
        let clause = of(&wagers.turn).or(Some(wagers.order.clause));
        let from = sitting.turn.or(sitting.marker);
        let first = from.and_then(|from| sitting.active().find(|chair| chair.seat == from));
        let waits = |chair: &&Chair| !sitting.has_wagered(chair) && !chair.is_missing();
        let next = first.filter(waits).or_else(|| from.and_then(|from| sitting.next_to_ask(from)));
        // When all have wagered, a player who lacks something is asked again.
        let order = sitting.marker.unwrap_or(0);
        let lacks = |chair: &&Chair| !chair.is_missing() && self.lacks(sitting, chair).is_some();
        let lacking = sitting.active().filter(lacks);
        let lacking = lacking.min_by_key(|chair| (chair.seat < order, chair.seat));
        let wagered = |chair: &Chair| chair.is_missing() || sitting.has_wagered(chair);
        let all = sitting.active().all(wagered);
        let again = lacking.filter(|_| all).map(|chair| chair.seat);
        let next = next.map(|chair| chair.seat).or(again);
        if next != Some(seat) && again != Some(seat) {
            let what = format!("it is not {name}'s turn");
            let next = next.and_then(|seat| sitting.active().find(|chair| chair.seat == seat));
            let instead = next.map_or_else(
                || "everybody has wagered; call no more bets".into(),
                |next| format!("{} is next", self.who(next.entrant).name),
            );
            return no(Code::NotTheirTurn, Some(wagers.order.clause), what, instead);
        }
        self.push(Fact::Asked { table, seat }, &[clause]);
        Ok(())
    }

    /// Takes a wager back or moves it: only during the player's turn, if the book has turns.
    pub(super) fn alter(&mut self, id: EntrantId, deed: &Deed) -> Result<(), Refusal> {
        let (sitting, chair) = self.check_may_wager(id)?;
        let number = sitting.number;
        self.check_turn_to_alter(sitting, chair)?;
        let turn = sitting.turn == Some(chair.seat) && self.rules.wagers.turn.is_some();
        let turn = turn || chair.carried || self.lacks(sitting, chair).is_some();
        if !turn && sitting.has_wagered(chair) && sitting.table.phase() == Phase::Betting {
            return self.fixed(chair);
        }
        let name = self.who(id).name;
        if chair.carried {
            self.in_turn(id)?;
        }
        self.delegate(number, &TableAct::Player(name, deed.clone()))
    }

    pub(super) fn void_out_of_order(&mut self, name: Name) -> Result<(), Refusal> {
        let id = self.named(name)?;
        let (sitting, chair) = self.chair(id)?;
        let number = sitting.number;
        let rule = self.rules.wagers.out_of_order;
        let clause = Some(rule.clause);
        let twice =
            chair.jumped && chair.out_of_order > 1 && sitting.table.phase() == Phase::Betting;
        if rule.value == OutOfOrder::Stands || !twice {
            let what = format!("declaring {name}'s wager void");
            let instead = match rule.value {
                OutOfOrder::Stands => "it stands",
                OutOfOrder::StandsThenVoid => {
                    "allowed: a player's second wager out of order, before the deal"
                }
            };
            return no(Code::NotEligible, clause, what, instead);
        }
        self.push(Fact::OutOfOrderVoided(id), &[clause]);
        let why = "out of order again".into();
        let name = self.who(id).name;
        self.delegate(number, &TableAct::VoidWagers(name, None, why))
    }
}
