//! What is due at a table in a session: play-offs, forms, wagers in turn, and the call.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use ::table::{Act as TableAct, SuspendedWhy, Work};
use rules::book::Order;

use super::super::{Draft, of};
use crate::command::Act;
use crate::conditions::{Length, Settle};
use crate::due::{Due, Need, Next, Whom};
use crate::event::OutWhy;
use crate::sitting::{Chair, Sitting, Stint};
use crate::state::Status;

/// The microseconds of a minute.
const MINUTE: u64 = 60_000_000;

impl Draft<'_> {
    /// What is due at a table in play.
    pub(super) fn due_at_table(&self, sitting: &Sitting) -> Vec<Due> {
        if sitting.correction.is_some() {
            // Nothing is called or started before it is confirmed or taken back.
            return Vec::new();
        }
        match sitting.stint {
            Stint::PlayOffDue(drawn) => vec![self.due_play_off(sitting, drawn.is_some())],
            Stint::Over => {
                let clauses = [Some(self.book.irregularities.out_of_sequence.clause)];
                let next = Next::Rule(SuspendedWhy::OutOfSequence);
                let due = Due::new(next, Whom::Inspector, &clauses).at(sitting.number);
                vec![self.ruled(due, sitting.number)]
            }
            Stint::Session | Stint::PlayOff(_) => self.due_in_the_session(sitting),
            Stint::Done => Vec::new(),
        }
    }

    fn due_play_off(&self, sitting: &Sitting, drawn: bool) -> Due {
        let number = sitting.number;
        let contest = self.contest(number).ok().flatten();
        let clauses = contest.as_ref().map_or([None; 3], |contest| contest.clauses);
        let by_card = contest.is_some_and(|contest| contest.settle == Settle::Card);
        if by_card && !drawn {
            return Due::new(Next::DrawForPlayOff, Whom::Director, &clauses).at(number);
        }
        let chips = self.t.conditions().and_then(|c| c.chips_of(sitting.stage));
        let due = Due::new(Next::StartPlayOff, Whom::Director, &clauses).at(number);
        let starts = [None, chips].map(|chips| Act::StartPlayOff(Some(number), chips));
        Due { act: starts.into_iter().find(|act| self.allows(act)), ..due }
    }

    fn due_in_the_session(&self, sitting: &Sitting) -> Vec<Due> {
        let forms = self.forms_to_open(sitting);
        if !forms.is_empty() {
            return forms;
        }
        let mut due = Vec::new();
        let between = sitting.table.coup().is_none();
        if between {
            due.extend(self.due_before_a_coup(sitting));
        }
        if due.iter().any(|due| due.next == Next::EndEarly && due.need == Need::Must) {
            return due;
        }
        let rests = self.check_break().is_err();
        match sitting.table.due(self.table_book) {
            Some(at) if at.next == ::table::Next::Wagers => due.extend(self.due_wagers(sitting)),
            // No card of a new coup is dealt in a break.
            Some(at) if rests && between && matches!(at.next, ::table::Next::Card(_)) => {}
            Some(at) => due.extend(self.due_with_the_cards(sitting, at.next, &at.clauses)),
            None => {}
        }
        due
    }

    /// The forms that the inspector opens: of the coup that is over, or before the last deal.
    fn forms_to_open(&self, sitting: &Sitting) -> Vec<Due> {
        let (Some(secret), None) = (self.rules.secret, sitting.table.coup()) else {
            return Vec::new();
        };
        let clause = if sitting.laying { secret.last_announced } else { secret.announced }.clause;
        let waits = |chair: &&Chair| {
            chair.form.is_some_and(|form| form.dealt < sitting.dealt || sitting.laying)
        };
        let chairs = in_order(sitting).into_iter().filter(waits);
        let due = chairs.map(|chair| {
            let next = Next::OpenForm(self.who(chair.entrant).name);
            Due::new(next, Whom::Inspector, &[Some(clause)]).at(sitting.number)
        });
        due.collect()
    }

    /// Whatever may come before the next coup, apart from wagers and cards.
    fn due_before_a_coup(&self, sitting: &Sitting) -> Vec<Due> {
        let number = sitting.number;
        let mut due = self.seats_to_offer(sitting);
        let raise = Act::RaiseLimits(Some(number));
        if self.allows(&raise) {
            let clauses = [of(&self.rules.wagers.limits_rise)];
            due.push(Due::new(Next::RaiseLimits, Whom::Director, &clauses).at(number).by(raise));
        }
        due.extend(self.buy_backs(sitting));
        let end = Act::EndEarly(Some(number));
        if self.allows(&end) {
            let clauses = [of(&self.rules.event.early_finish)];
            let early = Due::new(Next::EndEarly, Whom::Director, &clauses).at(number).by(end);
            let last = sitting.active().count() <= 1 && sitting.is_between_coups();
            due.push(if last { early } else { early.may() });
        }
        due.extend(self.last_coup_to_announce(sitting));
        due
    }

    /// Seats of players who did not come, and the reserves who may have them.
    fn seats_to_offer(&self, sitting: &Sitting) -> Vec<Due> {
        let Some(rule) = self.rules.event.reserve else { return Vec::new() };
        let gone = |chair: &&Chair| chair.out.is_some_and(|(_, why)| why == OutWhy::NotThere);
        let reserves =
            self.entrants_who(|who| matches!(who.status, Status::Reserve | Status::Applied));
        let mut due = Vec::new();
        for chair in sitting.chairs.iter().filter(gone) {
            let of = self.who(chair.entrant).name;
            for to in reserves.iter().map(|id| self.who(*id).name) {
                let act = Act::OfferSeat(of, to);
                if self.allows(&act) {
                    let next = Next::OfferSeat { of, to };
                    let offer = Due::new(next, Whom::Director, &[Some(rule.clause)]);
                    due.push(offer.at(sitting.number).may().by(act));
                }
            }
        }
        due
    }

    fn buy_backs(&self, sitting: &Sitting) -> Vec<Due> {
        let short = |chair: &&Chair| {
            chair.out.is_some_and(|(_, why)| matches!(why, OutWhy::Chips | OutWhy::Raised))
        };
        let clauses = [of(&self.rules.event.entries), of(&self.rules.conditions.buy_back)];
        let due = sitting.chairs.iter().filter(short).filter_map(|chair| {
            let name = self.who(chair.entrant).name;
            let act = Act::BuyBack(name);
            let due = Due::new(Next::BuyBack(name), Whom::Player(name), &clauses);
            self.allows(&act).then(|| due.at(sitting.number).may().by(act))
        });
        due.collect()
    }

    /// The last coup of a session whose end the director announces: the time is up, or the
    /// conditions do not say how long it lasts.
    fn last_coup_to_announce(&self, sitting: &Sitting) -> Option<Due> {
        let up = match self.t.length(sitting.stage) {
            Some(Length::Minutes(minutes)) => {
                self.at >= sitting.began.saturating_add(u64::from(minutes) * MINUTE)
            }
            Some(Length::Coups(_) | Length::Shoes(_)) => return None,
            None => false,
        };
        let open = sitting.stint == Stint::Session && !sitting.last && sitting.is_between_coups();
        let act = Act::AnnounceLast(Some(sitting.number));
        let clauses = [of(&self.rules.conditions.sessions)];
        let due = Due::new(Next::AnnounceLast, Whom::Director, &clauses).at(sitting.number);
        let due = if up { due } else { due.may() };
        let none = self.t.length(sitting.stage).is_none();
        (open && (up || none) && self.allows(&act)).then(|| due.by(act))
    }

    /// What is due while wagers are open.
    fn due_wagers(&self, sitting: &Sitting) -> Vec<Due> {
        let number = sitting.number;
        let mut due = self.marker_to_place(sitting);
        due.extend(self.wagers_out_of_order(sitting));
        if self.check_break().is_err() {
            return due;
        }
        let waits = if sitting.table.is_no_bet() { None } else { self.next_wager(sitting) };
        if let Some(chair) = waits {
            due.extend(self.due_wager(sitting, chair));
        }
        due.extend(self.forms_to_examine(sitting));
        let blocked = self.missing(sitting, &mut due);
        if waits.is_none() {
            due.extend(self.wagers_to_alter(sitting));
            let call = Act::At(Some(number), Box::new(TableAct::Dealer(Work::NoMoreBets)));
            let examined = !due.iter().any(|due| matches!(due.next, Next::Examine(_)));
            let ready = !blocked && examined && self.check_director().is_ok();
            if ready && self.allows(&call) {
                let clauses = [Some(self.rules.wagers.fixed.clause)];
                due.push(Due::new(Next::NoMoreBets, Whom::Dealer, &clauses).at(number).by(call));
            }
        }
        due
    }

    /// In the ACT the marker may start before any seat.
    fn marker_to_place(&self, sitting: &Sitting) -> Vec<Due> {
        let rule = self.rules.wagers.order;
        let before = sitting.coups == 0 && sitting.table.wagers().is_empty();
        let open = rule.value == Order::ClockwiseFromMarker && before && sitting.dealt == 0;
        let due = Due::new(Next::PlaceMarker, Whom::Dealer, &[Some(rule.clause)]);
        open.then(|| due.at(sitting.number).may()).into_iter().collect()
    }

    fn wagers_out_of_order(&self, sitting: &Sitting) -> Vec<Due> {
        let clauses = [Some(self.rules.wagers.out_of_order.clause)];
        let due = sitting.chairs.iter().filter(|chair| chair.jumped).filter_map(|chair| {
            let name = self.who(chair.entrant).name;
            let act = Act::VoidOutOfOrder(name);
            let due = Due::new(Next::VoidOutOfOrder(name), Whom::Director, &clauses);
            self.allows(&act).then(|| due.at(sitting.number).may().by(act))
        });
        due.collect()
    }

    /// The player who is to wager: the one in turn, or one whose wager lacks something.
    fn next_wager<'a>(&self, sitting: &'a Sitting) -> Option<&'a Chair> {
        sitting.to_wager().or_else(|| {
            let mut chairs = in_order(sitting).into_iter();
            chairs.find(|chair| {
                let plays = chair.plays && chair.out.is_none() && !chair.is_missing();
                plays && self.lacks(sitting, chair).is_some()
            })
        })
    }

    /// A player wagers, and is asked to first.
    fn due_wager(&self, sitting: &Sitting, chair: &Chair) -> Vec<Due> {
        let (wagers, number) = (self.rules.wagers, sitting.number);
        let name = self.acting(chair.entrant);
        let asked = sitting.turn == Some(chair.seat);
        let turn = of(&wagers.turn).or(Some(wagers.order.clause));
        let mut due = Vec::new();
        let ask = Act::Ask(name);
        if !asked && self.allows(&ask) {
            due.push(Due::new(Next::Ask(name), Whom::Dealer, &[turn]).at(number).may().by(ask));
        }
        let waived = chair.waived || sitting.waived || wagers.too_slow.is_none();
        let limit = sitting.limit.filter(|_| asked && !waived);
        let until = limit.map(|limit| sitting.since.saturating_add(limit));
        let late = self.is_too_late(sitting, chair);
        let clauses = [turn, Some(wagers.minimum.clause), of(&wagers.too_slow).filter(|_| late)];
        let next = Next::Wager { name, until };
        due.push(Due::new(next, Whom::Player(name), &clauses).at(number));
        due.extend(self.secret_wager(sitting, chair));
        let waive = Act::WaiveTime(name);
        if late && self.allows(&waive) {
            let clauses = [of(&wagers.too_slow)];
            let next = Next::WaiveTime(name);
            due.push(Due::new(next, Whom::Director, &clauses).at(number).may().by(waive));
        }
        due
    }

    /// A player who has secret wagers left may hand in a form.
    fn secret_wager(&self, sitting: &Sitting, chair: &Chair) -> Option<Due> {
        let secret = self.rules.secret?;
        let most = self.t.conditions()?.secret_wagers.unwrap_or(0);
        let open = chair.form.is_none() && chair.secrets < most && !sitting.has_wagered(chair);
        let clauses = [secret.number, secret.form].map(|rule| Some(rule.clause));
        let name = self.acting(chair.entrant);
        let due = Due::new(Next::HandIn(name), Whom::Player(name), &clauses);
        open.then(|| due.at(sitting.number).may())
    }

    /// After a tie: the player who may alter the wager that lies, and is asked.
    fn wagers_to_alter(&self, sitting: &Sitting) -> Option<Due> {
        let chair = sitting.next_to_ask(sitting.turn.or(sitting.marker)?)?;
        let name = self.acting(chair.entrant);
        let act = Act::Ask(name);
        let clauses = [of(&self.rules.wagers.altered_after_tie)];
        let due = Due::new(Next::Ask(name), Whom::Dealer, &clauses).at(sitting.number);
        (chair.carried && self.allows(&act)).then(|| due.may().by(act))
    }

    fn forms_to_examine(&self, sitting: &Sitting) -> Vec<Due> {
        let Some(secret) = self.rules.secret else { return Vec::new() };
        let clauses = [Some(secret.examined.clause), Some(secret.recorded.clause)];
        let closed = |chair: &&Chair| chair.form.is_some_and(|form| !form.examined);
        let chairs = sitting.active().filter(closed);
        let due = chairs.map(|chair| {
            let name = self.who(chair.entrant).name;
            let due = Due::new(Next::Examine(name), Whom::Inspector, &clauses);
            due.at(sitting.number).by(Act::Examine(name))
        });
        due.collect()
    }

    /// Players who are not in their seats. Returns whether the call waits for one of them.
    fn missing(&self, sitting: &Sitting, due: &mut Vec<Due>) -> bool {
        let event = self.rules.event;
        let mut blocked = false;
        for chair in sitting.active().filter(|chair| chair.is_missing()) {
            let excused = event.absent.is_some() || self.lacks(sitting, chair).is_none();
            let name = self.acting(chair.entrant);
            let (next, act, clause) = if chair.absent {
                let clause = of(&event.absent).or(of(&event.pace));
                (Next::ComeBack(name), Act::ComeBack(name), clause)
            } else {
                (Next::TakeSeat(name), Act::TakeSeat(name), Some(event.not_there.clause))
            };
            let comes = Due::new(next, Whom::Player(name), &[clause]).at(sitting.number).by(act);
            due.push(if excused { comes.may() } else { comes });
            let out = Act::Eliminate(name);
            if !excused && self.allows(&out) {
                let clauses = [Some(self.rules.wagers.elimination.clause)];
                let next = Next::Eliminate(name);
                let due_now = Due::new(next, Whom::Director, &clauses).at(sitting.number);
                due.push(due_now.may().by(out));
            }
            blocked |= !excused && !sitting.table.is_no_bet();
        }
        blocked
    }
}

/// The chairs in the order of wagering.
fn in_order(sitting: &Sitting) -> Vec<&Chair> {
    let from = sitting.marker.unwrap_or(0);
    let mut chairs: Vec<_> = sitting.chairs.iter().collect();
    chairs.sort_by_key(|chair| (chair.seat < from, chair.seat));
    chairs
}
