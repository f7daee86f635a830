//! The judgement: what follows from a command under the book.

mod burn;
mod caps;
mod correcting;
mod coup;
mod cut;
mod due;
mod offers;
mod opening;
mod reopening;
mod seats;
mod settling;
mod shoe;
mod sign;
mod staff;
mod trouble;
mod turning;
mod voids;
mod wagers;

pub use correcting::Rekeyed;
pub use due::{Due, Next};

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use core::ops::Deref;

use rules::{Balance, Cents, Clause, Rulebook};

use crate::by::{By, Role};
use crate::command::{Act, Command, Deed, Name, Time, Work};
use crate::event::{Account, Event, Fact, PlayerId};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Phase, Player, State};

/// The working state of a decision: the table, the book it is judged by, and the events so far.
/// Each event is folded as soon as it is made, so the table always reflects the decision so far.
///
/// A draft on a shared table can only look, not change anything.
pub(crate) struct Draft<'a, T = &'a mut State> {
    pub(crate) table: T,
    pub(crate) book: &'a Rulebook,
    pub(crate) at: Time,
    /// Whether a card from behind the marker was out before an earlier dealt card was found to be
    /// in excess.
    pub(crate) was_behind: Option<bool>,
    pub(crate) made: Made<'a>,
}

/// The events that a decision made, and how to undo them.
pub(crate) struct Made<'a> {
    events: &'a mut Vec<Event>,
    way_back: WayBack,
}

/// How a table returns to its earlier state, if the decision ends in a refusal.
enum WayBack {
    /// All checks are done: a refusal can no longer come.
    NotNeeded,
    /// A refusal may still come: the table is copied before the next event.
    FromNextEvent,
    /// The table before the first event.
    Kept(Box<State>),
    /// The table is a copy, which a refusal drops.
    OnACopy,
}

impl<'a> Draft<'a, &'a State> {
    /// A draft that only looks at a table.
    pub(crate) const fn look(
        table: &'a State,
        book: &'a Rulebook,
        none: &'a mut Vec<Event>,
    ) -> Self {
        let at = table.now;
        Self {
            table,
            book,
            at,
            was_behind: None,
            made: Made { events: none, way_back: WayBack::NotNeeded },
        }
    }
}

impl<'a> Draft<'a> {
    /// A decision that has made no events yet.
    pub(crate) fn new(
        table: &'a mut State,
        book: &'a Rulebook,
        at: Time,
        events: &'a mut Vec<Event>,
    ) -> Self {
        let at = at.max(table.now);
        Self {
            table,
            book,
            at,
            was_behind: None,
            made: Made { events, way_back: WayBack::NotNeeded },
        }
    }

    /// A decision on a copy of the table; a refusal drops the copy.
    pub(crate) fn on_a_copy(
        copy: &'a mut State,
        book: &'a Rulebook,
        at: Time,
        events: &'a mut Vec<Event>,
    ) -> Self {
        let mut draft = Self::new(copy, book, at, events);
        draft.made.way_back = WayBack::OnACopy;
        draft
    }

    /// Adds an event that moves no chips.
    #[expect(clippy::inline_always, reason = "the event is made where it will lie")]
    #[inline(always)]
    pub(crate) fn push(&mut self, fact: Fact, clauses: &[Option<Clause>]) {
        self.pay(fact, clauses, []);
    }

    /// Adds an event that moves chips.
    #[expect(clippy::inline_always, reason = "the event is made where it will lie")]
    #[inline(always)]
    pub(crate) fn pay(
        &mut self,
        fact: Fact,
        clauses: &[Option<Clause>],
        moved: impl IntoIterator<Item = (Account, Balance)>,
    ) {
        self.keep_way_back();
        let events = &mut *self.made.events;
        events.extend(core::iter::once_with(|| Event::of(self.at, fact)));
        // The event is filled in at its final place: copying an event costs more than making one.
        if let Some(event) = events.last_mut() {
            event.cite(clauses);
            event.post(moved);
            self.table.evolve(event);
        }
    }

    fn keep_way_back(&mut self) {
        if matches!(self.made.way_back, WayBack::FromNextEvent) {
            self.keep_table();
        }
    }

    #[cold]
    fn keep_table(&mut self) {
        self.made.way_back = WayBack::Kept(Box::new(self.table.clone()));
    }

    /// From here on a refusal may follow an event, and would undo it.
    pub(crate) fn may_refuse_yet(&mut self) {
        if matches!(self.made.way_back, WayBack::NotNeeded) {
            self.made.way_back = WayBack::FromNextEvent;
        }
    }

    /// All checks are done.
    pub(crate) fn refuses_no_more(&mut self) {
        if matches!(self.made.way_back, WayBack::FromNextEvent) {
            self.made.way_back = WayBack::NotNeeded;
        }
    }
}

impl<T: Deref<Target = State>> Draft<'_, T> {
    pub(crate) fn who(&self, id: PlayerId) -> &Player {
        self.table.player(id)
    }
}

impl Draft<'_> {
    /// The player of that name, who must be at the table.
    pub(crate) fn player(&self, name: &Name) -> Result<PlayerId, Refusal> {
        let table = &*self.table;
        table.player_named(name).ok_or_else(|| {
            let here: Vec<_> = table.here().map(|(_, player)| player.name.as_str()).collect();
            let instead = if here.is_empty() {
                format!("no player is; allowed: `{name} sits at 1 with 500`")
            } else {
                format!("there: {}", here.join(", "))
            };
            let what = format!("{name} is not at the table");
            Refusal::new(Code::UnknownPlayer, None, what, instead)
        })
    }
}

/// Refuses an act that is not this person's to do.
#[must_use]
pub fn not_theirs(by: &By, roles: &[Role]) -> Refusal {
    let roles: Vec<_> = roles.iter().map(|role| role.key()).collect();
    let instead = format!("allowed: {}", roles.join(", "));
    let what = match (by.role, &by.name) {
        (Role::Player, Some(name)) => format!("{name} may not do this"),
        (role, _) => format!("the {role} may not do this"),
    };
    Refusal::new(Code::NotTheirs, None, what, instead)
}

/// The phase in words, for a message.
pub(crate) const fn moment(phase: Phase) -> &'static str {
    match phase {
        Phase::Unopened => "the table is not open",
        Phase::Preparing => "the shoe is being prepared",
        Phase::Betting => "wagers are open",
        Phase::Called => "no more bets was called and no card is out",
        Phase::Dealing => "a coup is being dealt",
        Phase::Closed => "the table is closed",
    }
}

impl State {
    /// Judges a command under the book that the table was opened with. Changes nothing; no I/O,
    /// clock or randomness: time and cards are in the command.
    ///
    /// # Errors
    ///
    /// When the command is refused: with a stable code, the clause, and what would be accepted.
    pub fn decide(&self, book: &Rulebook, command: &Command) -> Result<Vec<Event>, Refusal> {
        let (mut copy, mut events) = (self.clone(), Vec::new());
        Draft::on_a_copy(&mut copy, book, command.at, &mut events).judge(command)?;
        Ok(events)
    }

    /// Judges a command as [`Self::decide`] does, and folds the resulting events: the table is then
    /// as if each event had been given to [`Self::evolve`]. The events are appended to the given
    /// list.
    ///
    /// # Errors
    ///
    /// When the command is refused; the table and the list are then unchanged.
    pub fn act(
        &mut self,
        book: &Rulebook,
        command: &Command,
        events: &mut Vec<Event>,
    ) -> Result<(), Refusal> {
        let before = events.len();
        let mut draft = Draft::new(self, book, command.at, events);
        let judged = draft.judge(command);
        if judged.is_err() && draft.made.events.len() > before {
            let WayBack::Kept(kept) = draft.made.way_back else {
                panic!("a refusal after an event, and no way back: {command:?}");
            };
            *draft.table = *kept;
            draft.made.events.truncate(before);
        }
        judged
    }
}

impl Draft<'_> {
    fn judge(&mut self, command: &Command) -> Result<(), Refusal> {
        if !command.act.is_for(&command.by) {
            return Err(not_theirs(&command.by, command.act.roles()));
        }
        match (&command.act, self.table.phase) {
            (Act::Open(options), Phase::Unopened) => self.open(options),
            (Act::Open(_), _) => {
                no(Code::WrongMoment, None, "the table is open already", "open another")
            }
            (_, Phase::Unopened) => {
                let instead = "the operator opens it under a book";
                no(Code::NotOpen, None, "the table is not open", instead)
            }
            (Act::Tick, _) => {
                self.tick();
                Ok(())
            }
            (Act::Dealer(Work::Check(by)), Phase::Closed) => self.check_cards(*by),
            // Who sits there takes the chips along.
            (act @ Act::Player(_, Deed::Leave), Phase::Closed) => self.act(act),
            (_, Phase::Closed) => {
                no(Code::Closed, None, "the table is closed", "leave it, and open another")
            }
            (act, _) => self.act(act),
        }
    }

    fn act(&mut self, act: &Act) -> Result<(), Refusal> {
        self.check_inspected(act)?;
        match act {
            Act::Open(_) | Act::Tick => Ok(()),
            Act::Post(posting) => self.post(posting),
            Act::GiveNotice(posting, after) => self.give_notice(posting, *after),
            Act::PlayersConsent => self.consent(),
            Act::Allow(name, group, limits) => self.allow(*name, *group, *limits),
            Act::VoidCoup(why) => self.void_coup(why),
            Act::VoidNumbered(number, why) => self.void_numbered(*number, why),
            Act::Invalidate(why) => self.invalidate(why),
            Act::VoidWagers(name, coup, why) => self.void_wagers(*name, *coup, why),
            Act::Exclude(name, why) => self.exclude(*name, why),
            Act::RequireSeat(seat) => self.require_seat(*seat),
            Act::ReplaceCards => self.replace_cards(),
            Act::Close => self.close(),
            Act::GiveRules => {
                self.give_rules();
                Ok(())
            }
            Act::DecideDispute(coup, text) => self.decide_dispute(*coup, text),
            Act::ReviewDispute(coup, text) => self.review_dispute(*coup, text),
            Act::InspectorLeaves => self.inspector_leaves(),
            Act::InspectorReturns => self.inspector_returns(),
            Act::Player(name, deed) => self.player_acts(name, deed),
            Act::Dealer(work) => self.dealer_acts(work),
            Act::Supervisor(decision) => self.supervisor_acts(decision),
            Act::CuttingCardAppears => self.cutting_card_appears(),
            Act::CuttingCardShows => self.cutting_card_shows(),
            Act::ShoeRunsOut => self.shoe_runs_out(),
            Act::FreshShoe => self.fresh_shoe(),
        }
    }

    /// Refuses an act that is not possible at this moment.
    pub(crate) fn wrong_moment<T>(&self, what: &str, when: &str) -> Result<T, Refusal> {
        let what = format!("{what} while {}", moment(self.table.phase));
        // Between two shoes, the end of the last shoe is what prevents the act.
        let between = self.table.phase == Phase::Preparing && self.table.shuffle_due;
        let mut clauses = self.table.shuffle_by.iter().copied().filter(|_| between);
        Err(Refusal::new(Code::WrongMoment, clauses.next(), what, when).and(clauses))
    }

    /// Refuses an amount of zero.
    pub(crate) fn some(amount: Cents) -> Result<(), Refusal> {
        if amount == Cents::ZERO {
            return no(Code::NoAmount, None, "0 is no amount", "name one of at least 0.01");
        }
        Ok(())
    }
}
