//! Wagers: placing, taking back, moving, trimming and closing them.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Deref;

use rules::book::{BothSides, EachPlayer, Freeze, Sharing};
use rules::{Balance, Cents, Clause, Spot, Verdict};

use super::Draft;
use super::caps::{Accepted, Told};
use crate::command::{Bet, Name};
use crate::event::{Account, Fact, NoBetWhy, PlayerId, ReturnWhy, SuspendedWhy, transfer};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Phase, State, Wager, of};

impl Draft<'_> {
    /// Whether wagers may be neither changed nor taken back.
    pub(super) fn are_wagers_frozen(&self) -> bool {
        match self.table.phase {
            Phase::Dealing => true,
            Phase::Called => self.book.wagers.altering_ends.value == Freeze::Call,
            Phase::Unopened | Phase::Preparing | Phase::Betting | Phase::Closed => false,
        }
    }

    fn suspension(&self) -> Option<SuspendedWhy> {
        self.table.coup.as_ref().and_then(|coup| coup.suspended)
    }

    /// Whether a new wager may be placed now.
    #[inline]
    fn may_place(&self) -> Result<Option<Clause>, Refusal> {
        let (table, wagers) = (&*self.table, &self.book.wagers);
        if table.is_no_bet() && table.phase != Phase::Preparing {
            let clause = Some(self.book.no_bet.no_wagers.clause);
            let what = "no wager is accepted on a no-bet coup";
            return no(Code::NoBetCoup, clause, what, "after it wagers are open again");
        }
        match table.phase {
            Phase::Betting => Ok(None),
            Phase::Called if wagers.placing_ends.value == Freeze::FirstCard => Ok(None),
            Phase::Dealing if self.suspension() == Some(SuspendedWhy::Changes) => {
                Ok(of(&self.book.wager_change(|c| c.unexposed_new)))
            }
            Phase::Called | Phase::Dealing => no(
                Code::BettingClosed,
                Some(wagers.placing_ends.clause),
                format!("wagers closed with {}", wagers.placing_ends.value),
                "allowed: the next coup",
            ),
            Phase::Unopened | Phase::Preparing | Phase::Closed => {
                self.wrong_moment("a wager", "when the shoe is ready wagers are open")
            }
        }
    }

    pub(super) fn bet(&mut self, player: PlayerId, bet: Bet) -> Result<(), Refusal> {
        self.bet_by(player, bet, None)
    }

    /// Places a wager; `spoken` is the clause by which it could be spoken.
    fn bet_by(
        &mut self,
        player: PlayerId,
        bet: Bet,
        spoken: Option<Clause>,
    ) -> Result<(), Refusal> {
        let plain = self.plain_bet(player, &bet);
        debug_assert!(
            plain.as_ref().is_none_or(|plain| self.judge_bet(player, bet).as_ref() == Ok(plain)),
            "`plain_bet` must be nothing for {bet:?}"
        );
        let is_plain = plain.is_some();
        let Judged { wager, clauses, void } = match plain {
            Some(plain) => plain,
            None => self.judge_bet(player, bet)?,
        };
        let Bet { spot, amount, unnoticed, .. } = bet;
        let placed = Fact::Placed { player, spot, place: wager.place, amount, unnoticed };
        let [first, second, third, fourth] = clauses;
        let moved = transfer(Account::Stack(player), Account::Layout, amount);
        self.pay(placed, &[spoken, first, second, third, fourth], moved);
        if is_plain {
            return Ok(());
        }
        if let Some((part, clause)) = void {
            self.give_back(&wager, part, ReturnWhy::Unpayable, &[Some(clause)]);
        }
        if !unnoticed {
            self.advise(&wager);
        }
        Ok(())
    }

    /// The clause by which the table offers a spot.
    pub(super) fn check_spot(&self, spot: Spot) -> Result<Clause, Refusal> {
        self.book.offers(spot, self.table.terms()).or_else(|fault| {
            let instead = "allowed: another spot";
            no(Code::NotOffered, fault.clause(), fault.to_string(), instead)
        })
    }

    /// Judges a bet by every rule that can refuse one.
    fn judge_bet(&self, player: PlayerId, bet: Bet) -> Result<Judged, Refusal> {
        let changed = self.may_place()?;
        let Bet { spot, amount, unnoticed, .. } = bet;
        let accepted = if bet.in_error { Accepted::InError } else { Accepted::ByTheRules };
        Self::some(amount)?;
        let offered = self.check_spot(spot)?;
        let place = self.check_place(player, bet)?;
        let stack = self.stack(player);
        if amount > stack {
            let what = format!("{} has {stack}, not {amount}", self.who(player).name);
            return no(Code::NotEnoughChips, None, what, "allowed: less");
        }
        let before = self.table.at(player, spot, place).map_or(Cents::ZERO, |wager| wager.stake);
        let Some(total) = before.checked_add(amount) else {
            return no(Code::OverMaximum, None, "more than an amount can be", "allowed: less");
        };
        self.check_both_sides(player, spot)?;
        self.check_beside(player, spot)?;
        self.check_entitlement(player, spot, place)?;
        let wager = self.laid(player, spot, place, total);
        self.check_area_cap(player, spot, place, amount)?;
        if !unnoticed {
            self.check_limits_of(&wager, accepted)?;
        }
        let void = self.check_payable(&wager, accepted)?;
        self.check_whole_cents(&wager)?;
        let altered = of(&self.book.wager_change(|c| c.unexposed_amount));
        let changed = if before > Cents::ZERO { changed.and(altered) } else { changed };
        let [first, second, third, fourth] = self.placed_clauses(player, spot, place, offered);
        Ok(Judged { wager, clauses: [changed.or(first), second, third, fourth], void })
    }

    /// The judgement on the most common kind of bet: a player's only wager, on Banker, Player or
    /// Tie at the player's own place, on a step of the sign and within its limits. No rule can
    /// refuse such a bet, so none is checked.
    fn plain_bet(&self, player: PlayerId, bet: &Bet) -> Option<Judged> {
        let (table, book) = (&*self.table, self.book);
        let Bet { spot, amount, place: None, unnoticed: false, in_error: false } = *bet else {
            return None;
        };
        let offered = match spot {
            Spot::Banker => book.banker.offered.clause,
            Spot::Player => book.player.offered.clause,
            Spot::Tie => book.tie.offered.clause,
            Spot::Side(_) => return None,
        };
        let (who, group) = (table.player(player), table.group(spot));
        let sign = table.limits.get(group)?;
        let alone = |wager: &Wager| wager.player != player && wager.place != who.seat;
        let plain = table.phase == Phase::Betting
            && table.no_bet.is_none()
            && !who.standing
            && who.limits.get(group).is_none()
            && amount > Cents::ZERO
            && (sign.least..=sign.most).contains(&amount)
            // The sign guarantees that a stake on a step wins whole cents.
            && sign.step.is_some_and(|step| amount.get().is_multiple_of(step.get()))
            && table.terms() == table.sign_terms()
            && Balance::from(amount) <= who.stack
            && table.chips.is_empty()
            && !table.area_caps.any()
            && table.wagers.iter().all(alone);
        let (place, stake, unnoticed, limits) = (who.seat, amount, false, Some(sign));
        plain.then_some(Judged {
            wager: Wager { player, spot, place, stake, unnoticed, limits },
            clauses: [Some(offered), Some(book.wagers.chips.clause), None, None],
            void: None,
        })
    }

    /// The clauses that a placed wager rests on.
    fn placed_clauses(
        &self,
        player: PlayerId,
        spot: Spot,
        place: u32,
        offered: Clause,
    ) -> [Option<Clause>; 4] {
        let table = &*self.table;
        let shared = table
            .wagers
            .iter()
            .any(|wager| wager.spot == spot && wager.place == place && wager.player != player);
        let chips = Some(self.book.wagers.chips.clause);
        if let Spot::Side(_) = spot {
            let shared = shared.then_some(());
            let [alone, several, area] = self.side_bet_clauses(player, spot, place, shared);
            return [Some(offered), alone, several, area];
        }
        let sharing = Some(self.book.boxes.players.clause).filter(|_| shared);
        let side = matches!(spot, Spot::Banker | Spot::Player);
        let both = side && table.on_spot(player, opposite(spot)).is_some();
        let both = Some(self.book.wagers.both_sides.clause).filter(|_| both);
        [Some(offered), chips, sharing, both]
    }

    /// The place where a wager lies, if it may lie there.
    fn check_place(&self, player: PlayerId, bet: Bet) -> Result<u32, Refusal> {
        let (table, boxes) = (&*self.table, &self.book.boxes);
        let own = self.who(player).seat;
        let place = bet.place.unwrap_or(own);
        let seats = table.options.seats;
        if place == 0 || place > seats {
            let (what, instead) = (format!("there is no place {place}"), format!("1 to {seats}"));
            return no(Code::NoSuchSeat, Some(self.book.table.seats.clause), what, instead);
        }
        let one = |only: EachPlayer| boxes.each_player.filter(|each| each.value == only);
        let elsewhere = one(EachPlayer::OwnPlace).filter(|_| place != own);
        let seated = || table.here().any(|(_, p)| p.seat == place && !p.standing);
        let alone = boxes.sharing.value == Sharing::StandingWithSeated && !seated();
        if elsewhere.is_some() || alone {
            let clause = elsewhere.map_or(boxes.sharing.clause, |rule| rule.clause);
            let what = format!("a wager at {place}, and not behind a player who sits there");
            let instead = "standing players wager with the one who is seated there";
            return no(Code::AreaFull, Some(clause), what, instead);
        }
        let elsewhere = |wager: &&Wager| wager.player == player && wager.place != place;
        let mut mine_elsewhere = table.wagers.iter().filter(elsewhere);
        if let Some(rule) = one(EachPlayer::OneBox)
            && let Some(other) = mine_elsewhere.next()
        {
            let what = format!("a wager on box {place} besides box {}", other.place);
            let instead = format!("allowed: box {}", other.place);
            return no(Code::OneBox, Some(rule.clause), what, instead);
        }
        if let Some(rule) = one(EachPlayer::OneWagerAnOption)
            && let Some(other) = mine_elsewhere.find(|wager| wager.spot == bet.spot)
        {
            if let Spot::Side(_) = bet.spot {
                // The area for the other hand belongs to the same box.
                return Ok(other.place);
            }
            // A player has one wager on an option: more chips belong on that wager.
            let what = format!("a second wager on {} at {place}", bet.spot.key());
            let instead = format!("allowed: adding to it at {}", other.place);
            return no(Code::OneWager, Some(rule.clause), what, instead);
        }
        self.check_sharing(player, bet.spot, place)?;
        Ok(place)
    }

    fn check_sharing(&self, player: PlayerId, spot: Spot, place: u32) -> Result<(), Refusal> {
        let boxes = &self.book.boxes;
        let others = self.table.wagers.iter();
        let others = others
            .filter(|wager| wager.spot == spot && wager.place == place && wager.player != player);
        let others = u32::try_from(others.count()).unwrap_or(u32::MAX);
        let (most, clause) = match boxes.sharing.value {
            Sharing::Always | Sharing::StandingWithSeated => {
                (boxes.players.value.most(), boxes.players.clause)
            }
            Sharing::IfPermitted => (self.table.sharing.unwrap_or(1), boxes.sharing.clause),
        };
        if others >= most {
            let what = format!("{most} player(s) have wagers on {} at {place}", spot.key());
            return no(Code::AreaFull, Some(clause), what, "allowed: another area");
        }
        Ok(())
    }

    #[inline]
    fn check_both_sides(&self, player: PlayerId, spot: Spot) -> Result<(), Refusal> {
        if !matches!(spot, Spot::Banker | Spot::Player) {
            return Ok(());
        }
        let rule = self.book.wagers.both_sides;
        if self.table.on_spot(player, opposite(spot)).is_none() {
            return Ok(());
        }
        let what = format!("{} on Banker and on Player", self.who(player).name);
        match rule.value {
            BothSides::Allowed => Ok(()),
            BothSides::WithApproval if self.who(player).both_sides => Ok(()),
            BothSides::WithApproval => {
                let instead = "allowed with a supervisor's approval";
                no(Code::BothSides, Some(rule.clause), what, instead)
            }
            BothSides::Never => {
                no(Code::BothSides, Some(rule.clause), what, "allowed: one of them")
            }
        }
    }

    pub(super) fn called_bet(
        &mut self,
        player: PlayerId,
        spot: Spot,
        amount: Cents,
        said: Said,
    ) -> Result<(), Refusal> {
        match self.book.wagers.spoken {
            Some(rule) if said == Said::WithChips => {
                let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
                self.bet_by(player, bet, Some(rule.clause))
            }
            Some(rule) => no(
                Code::ChipsOnly,
                Some(rule.clause),
                "a spoken wager without chips",
                "allowed with chips, in time",
            ),
            None => no(
                Code::ChipsOnly,
                Some(self.book.wagers.chips.clause),
                "a spoken wager",
                "allowed: chips on the layout",
            ),
        }
    }

    pub(super) fn bet_against(&mut self, player: PlayerId, other: Name) -> Result<(), Refusal> {
        let other = self.player(&other)?;
        let clause = of(&self.book.wagers.no_private_bets);
        let what = format!("{} against {}", self.who(player).name, self.who(other).name);
        no(Code::PrivateBet, clause, what, "allowed: a wager on the layout")
    }

    /// Whether a wager may be taken back or moved now.
    fn may_alter(&self, moving: bool) -> Result<Option<Clause>, Refusal> {
        let book = self.book;
        match self.suspension() {
            Some(SuspendedWhy::Changes) if moving => {
                return Ok(of(&book.wager_change(|c| c.unexposed_position)));
            }
            Some(SuspendedWhy::Changes) => {
                return Ok(of(&book.wager_change(|c| c.unexposed_withdrawn)));
            }
            Some(SuspendedWhy::OutOfSequence) if !moving => {
                let shown = self.table.coup.as_ref().is_some_and(crate::state::Coup::has_shown);
                let off = book.wager_change(|c| c.unexposed_wagers_off);
                if let (Some(rule), false) = (off, shown) {
                    return Ok(Some(rule.clause));
                }
            }
            Some(SuspendedWhy::WrongPerson) if !moving => {
                return Ok(of(&book.wager_change(|c| c.wrong_person)));
            }
            _ => {}
        }
        if self.are_wagers_frozen() {
            let rule = self.book.wagers.altering_ends;
            let what = format!("wagers may be touched only until {}", rule.value);
            return no(Code::Frozen, Some(rule.clause), what, "allowed after the coup");
        }
        Ok(None)
    }

    pub(super) fn take_back(&mut self, player: PlayerId, spot: Spot) -> Result<(), Refusal> {
        let clause = self.may_alter(false)?;
        let mine = self.table.wagers.iter().filter(|w| w.player == player && w.spot == spot);
        let mine: Vec<_> = mine.copied().collect();
        if mine.is_empty() {
            let what = format!("{} has nothing on {}", self.who(player).name, spot.key());
            let clause = self.lost_last(player, spot);
            return no(Code::NoSuchWager, clause, what, "name a spot with a wager");
        }
        for wager in &mine {
            self.check_not_needed(player, wager)?;
        }
        for wager in &mine {
            self.give_back(wager, wager.stake, ReturnWhy::TakenBack, &[clause]);
        }
        let alone = self.table.wagers.is_empty();
        let suspended = self.suspension();
        let book = self.book;
        if let (true, Some(why)) = (alone, suspended) {
            let clause = match why {
                SuspendedWhy::OutOfSequence => of(&book.wager_change(|c| c.unexposed_all_off)),
                // New wagers may still come; the rule is checked when the coup resumes.
                SuspendedWhy::Changes => None,
                SuspendedWhy::WrongPerson => of(&book.wager_change(|c| c.wrong_person_all_off)),
            };
            if clause.is_some() {
                self.push(Fact::NoBetDirected(NoBetWhy::AllOff), &[clause]);
            }
        }
        Ok(())
    }

    /// The clause on losing wagers, if the player's last wager there lost.
    fn lost_last(&self, player: PlayerId, spot: Spot) -> Option<Clause> {
        let (rule, last) = (self.book.wagers.losers_untouched?, self.table.last.as_ref()?);
        let lay = |wager: &&Wager| wager.player == player && wager.spot == spot;
        last.wagers.iter().find(lay)?;
        let terms = &last.round.terms;
        let score = self.score(&last.coup);
        let settled = self.book.settle(terms, spot, Cents::ZERO, score).ok()?;
        (settled.verdict == Verdict::Lost).then_some(rule.clause)
    }

    pub(super) fn move_chips(
        &mut self,
        player: PlayerId,
        amount: Cents,
        from: Spot,
        to: Spot,
    ) -> Result<(), Refusal> {
        Self::some(amount)?;
        let clause = self.may_alter(true)?;
        let Some(wager) = self.table.on_spot(player, from).copied() else {
            let what = format!("{} has nothing on {}", self.who(player).name, from.key());
            return no(Code::NoSuchWager, None, what, "name a spot with a wager");
        };
        if amount > wager.stake || from == to {
            let what = format!("{amount} from {} to {}", from.key(), to.key());
            let instead = format!("allowed: up to {} to another spot", wager.stake);
            return no(Code::NotEnoughChips, None, what, instead);
        }
        self.check_spot(to)?;
        // Moving the whole wager to the other side does not leave wagers on both sides.
        if amount < wager.stake || from != opposite(to) {
            self.check_both_sides(player, to)?;
        }
        self.check_beside(player, to)?;
        if amount == wager.stake && matches!(to, Spot::Side(_)) {
            self.check_not_needed(player, &wager)?;
        }
        self.check_entitlement(player, to, wager.place)?;
        let place = Some(wager.place);
        let bet = Bet { spot: to, amount, place, unnoticed: false, in_error: false };
        self.check_place(player, bet)?;
        let there = self.table.at(player, to, wager.place).map_or(Cents::ZERO, |there| there.stake);
        let total = there.checked_add(amount).unwrap_or(Cents::MAX);
        let moved_to = self.laid(player, to, wager.place, total);
        let stake = wager.stake.checked_sub(amount).unwrap_or(Cents::ZERO);
        let stays = Some(Wager { stake, ..wager }).filter(|stays| stays.stake > Cents::ZERO);
        self.check_area_cap(player, to, wager.place, amount)?;
        for judged in [Some(moved_to), stays].iter().flatten() {
            self.check_limits_of(judged, Accepted::ByTheRules)?;
            self.check_payable(judged, Accepted::ByTheRules)?;
            self.check_whole_cents(judged)?;
        }
        let part = of(&self.book.wager_change(|c| c.unexposed_amount));
        let part = part.filter(|_| clause.is_some() && amount < wager.stake);
        let moved = Fact::Moved { player, from, to, place: wager.place, amount };
        self.push(moved, &[clause, part]);
        if let (Told::Nothing, Some(stays)) = (self.advise(&moved_to), stays) {
            self.advise(&stays);
        }
        Ok(())
    }

    /// Gives chips back from the layout.
    pub(super) fn give_back(
        &mut self,
        wager: &Wager,
        amount: Cents,
        why: ReturnWhy,
        clauses: &[Option<Clause>],
    ) {
        if amount == Cents::ZERO {
            return;
        }
        let Wager { player, spot, place, .. } = *wager;
        let returned = Fact::Returned { player, spot, place, amount, why };
        let postings = transfer(Account::Layout, self.purse(player), amount);
        self.pay(returned, clauses, postings);
    }

    pub(super) fn return_wagers_of(
        &mut self,
        player: PlayerId,
        why: ReturnWhy,
        clauses: &[Option<Clause>],
    ) {
        for wager in self.table.wagers.clone().iter().filter(|wager| wager.player == player) {
            self.give_back(wager, wager.stake, why, clauses);
        }
    }

    pub(super) fn return_all(&mut self, why: ReturnWhy, clauses: &[Option<Clause>]) {
        for wager in &self.table.wagers.clone() {
            self.give_back(wager, wager.stake, why, clauses);
        }
    }

    /// The account that a player's chips come from and go to: the stack, or the open balance of a
    /// player who has left.
    pub(super) fn purse(&self, player: PlayerId) -> Account {
        if self.who(player).present { Account::Stack(player) } else { Account::Receivable(player) }
    }

    /// Whether the next coup takes wagers.
    pub(super) fn takes_wagers(&self) -> bool {
        self.table.no_bet.is_none()
    }

    pub(super) fn bets_opened(&mut self) {
        let mut clauses = [of(&self.book.wagers.opportunity), None, None, None];
        let groups = self.table.sign_terms().side_bets.iter();
        let groups = groups.filter_map(|offer| self.book.side_bets(offer.group));
        let opportunities = groups.filter_map(|group| of(&group.rules.opportunity));
        for (clause, opportunity) in clauses.iter_mut().skip(1).zip(opportunities) {
            *clause = Some(opportunity);
        }
        self.push(Fact::BetsOpened, &clauses);
    }

    /// The call: wagers close, and wagers that exceed a cap are trimmed.
    pub(super) fn no_more_bets(&mut self) -> Result<(), Refusal> {
        if self.table.phase != Phase::Betting {
            return self.wrong_moment("the call", "allowed when wagers are open");
        }
        self.check_not_doubted()?;
        self.check_wagers_needed()?;
        self.keep_to_cap(None);
        self.close_bets();
        Ok(())
    }

    pub(super) fn close_bets(&mut self) {
        self.call(self.book.calls.no_more_bets.as_ref());
        let ends = self.book.wagers.placing_ends;
        let clause = Some(ends.clause).filter(|_| ends.value == Freeze::Call);
        self.push(Fact::BetsClosed, &[clause]);
    }
}

impl<T: Deref<Target = State>> Draft<'_, T> {
    /// Some books require a wager for every coup, unless an exception was approved.
    pub(super) fn check_wagers_needed(&self) -> Result<(), Refusal> {
        let table = &*self.table;
        let Some(rule) = self.book.no_bet.optional_coups else { return Ok(()) };
        if self.table.wagers.is_empty() && table.no_bet.is_none() && table.optional_coups == 0 {
            let what = "a coup without a wager";
            let instead = "allowed on request, with approval";
            return no(Code::NoWagers, Some(rule.clause), what, instead);
        }
        Ok(())
    }
}

/// How a bet that is spoken is backed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// The chips are on the table.
    WithChips,
    /// There are no chips, only words.
    InWords,
}

impl Said {
    pub(super) const fn by(with_chips: bool) -> Self {
        if with_chips { Self::WithChips } else { Self::InWords }
    }
}

/// A bet that may be placed.
#[derive(Debug, PartialEq, Eq)]
struct Judged {
    /// The wager after the bet, including chips that lay there before.
    wager: Wager,
    /// The clauses that it rests on.
    clauses: [Option<Clause>; 4],
    /// The part that cannot be paid and is void, and the clause.
    void: Option<(Cents, Clause)>,
}

/// Player for Banker, and Banker for Player.
pub(super) fn opposite(spot: Spot) -> Spot {
    if spot == Spot::Banker { Spot::Player } else { Spot::Banker }
}
