//! The judgement: what becomes of a command under the book. Nothing is changed here.

mod caps;
mod coup;
mod cut;
mod due;
mod opening;
mod reopening;
mod seats;
mod settling;
mod shoe;
mod sign;
mod trouble;
mod turning;
mod voids;
mod wagers;

pub use due::{Due, Next};

use alloc::format;
use alloc::vec::Vec;

use rules::{Cents, Clause, Rulebook};

use crate::by::{By, Role};
use crate::command::{Act, Command, Name, Time, Work};
use crate::event::{Event, Fact, PlayerId, Postings, cites};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Phase, Player, State, Wager};

/// What a decision is made of: the table and the book it is judged by, and the events so far.
pub(crate) struct Draft<'a> {
    pub(crate) table: &'a State,
    pub(crate) book: &'a Rulebook,
    pub(crate) at: Time,
    pub(crate) events: Vec<Event>,
    /// The wagers as the events so far leave them; nothing while none has changed them.
    wagers: Option<Vec<Wager>>,
}

impl<'a> Draft<'a> {
    /// A decision of which nothing is made yet.
    pub(crate) const fn new(table: &'a State, book: &'a Rulebook, at: Time) -> Self {
        Self { table, book, at, events: Vec::new(), wagers: None }
    }
}

impl Draft<'_> {
    /// The wagers on the layout, as the events so far leave them.
    pub(crate) fn wagers(&self) -> &[Wager] {
        self.wagers.as_deref().unwrap_or(&self.table.wagers)
    }

    /// All wagers, off the layout.
    pub(crate) fn take_wagers(&mut self) -> Vec<Wager> {
        let wagers = self.wagers.replace(Vec::new());
        wagers.unwrap_or_else(|| self.table.wagers.clone())
    }

    /// A wager stays on the layout.
    pub(crate) fn keep(&mut self, wager: Wager) {
        self.wagers.get_or_insert_with(Vec::new).push(wager);
    }

    /// Takes chips off a wager, as the event that says so will.
    pub(crate) fn lower(&mut self, wager: &Wager, amount: Cents) {
        let wagers = self.wagers.get_or_insert_with(|| self.table.wagers.clone());
        let Wager { player, spot, place, .. } = *wager;
        let same = |w: &Wager| w.player == player && w.spot == spot && w.place == place;
        let found = wagers.iter().position(same);
        let Some(i) = found else { return };
        wagers[i].stake = wagers[i].stake.checked_sub(amount).unwrap_or(Cents::ZERO);
        if wagers[i].stake == Cents::ZERO {
            wagers.remove(i);
        }
    }

    /// Adds an event that moves no chips.
    pub(crate) fn push(&mut self, fact: Fact, clauses: &[Option<Clause>]) {
        self.pay(fact, clauses, Postings::new());
    }

    /// Adds an event that moves chips.
    pub(crate) fn pay(&mut self, fact: Fact, clauses: &[Option<Clause>], postings: Postings) {
        self.events.push(Event { at: self.at, fact, clauses: cites(clauses), postings });
    }

    /// The player of that name, who must be there.
    pub(crate) fn player(&self, name: Name) -> Result<PlayerId, Refusal> {
        let table = self.table;
        table.player_named(&name).ok_or_else(|| {
            let here: Vec<_> = table.here().map(|(_, player)| player.name.as_str()).collect();
            let instead = if here.is_empty() {
                format!("nobody is; `{name} sits at 1 with 500` would do")
            } else {
                format!("there: {}", here.join(", "))
            };
            let what = format!("{name} is not at the table");
            Refusal { code: Code::UnknownPlayer, clause: None, also: Vec::new(), what, instead }
        })
    }

    pub(crate) fn who(&self, id: PlayerId) -> &Player {
        self.table.player(id)
    }
}

/// Refuses what is not for the one who says it to do.
#[must_use]
pub fn not_theirs(by: &By, roles: &[Role]) -> Refusal {
    let roles: Vec<_> = roles.iter().map(|role| role.key()).collect();
    let instead = format!("allowed: {}", roles.join(", "));
    let what = match (by.role, &by.name) {
        (Role::Player, Some(name)) => format!("{name} may not do this"),
        (role, _) => format!("the {role} may not do this"),
    };
    Refusal { code: Code::NotTheirs, clause: None, also: Vec::new(), what, instead }
}

/// What the phase is called in a message.
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
        if !command.act.is_for(&command.by) {
            return Err(not_theirs(&command.by, command.act.roles()));
        }
        let at = self.now.max(command.at);
        let room = match command.act {
            Act::Dealer(Work::Deal(_) | Work::Draw { .. }) => 32,
            _ => 2,
        };
        let mut draft =
            Draft { table: self, book, at, events: Vec::with_capacity(room), wagers: None };
        match (&command.act, self.phase) {
            (Act::Open(options), Phase::Unopened) => draft.open(options)?,
            (Act::Open(_), _) => {
                return no(Code::WrongMoment, None, "the table is open already", "open another");
            }
            (_, Phase::Unopened) => {
                let instead = "the operator opens it under a book";
                return no(Code::NotOpen, None, "the table is not open", instead);
            }
            (Act::Tick, _) => draft.tick(),
            (Act::Dealer(Work::Check(by)), Phase::Closed) => draft.check_cards(*by)?,
            (_, Phase::Closed) => {
                return no(Code::Closed, None, "the table is closed", "open another");
            }
            (act, _) => draft.act(act)?,
        }
        Ok(draft.events)
    }
}

impl Draft<'_> {
    fn act(&mut self, act: &Act) -> Result<(), Refusal> {
        match act {
            Act::Open(_) | Act::Tick => Ok(()),
            Act::Post(posting) => self.post(posting),
            Act::GiveNotice(posting, after) => self.give_notice(posting, *after),
            Act::PlayersConsent => self.consent(),
            Act::Allow(name, group, limits) => self.allow(*name, *group, *limits),
            Act::VoidCoup(why) => self.void_coup(why),
            Act::Invalidate(why) => self.invalidate(why),
            Act::VoidWagers(name, coup, why) => self.void_wagers(*name, *coup, why),
            Act::Exclude(name, why) => self.exclude(*name, why),
            Act::RequireSeat(seat) => self.require_seat(*seat),
            Act::ReplaceCards => self.replace_cards(),
            Act::Close => self.close(),
            Act::GiveRules => {
                let clause = crate::state::of(&self.book.general.copy_on_request);
                self.push(Fact::RulesGiven, &[clause]);
                Ok(())
            }
            Act::Player(name, deed) => self.player_acts(*name, deed),
            Act::Dealer(work) => self.dealer_acts(work),
            Act::Supervisor(decision) => self.supervisor_acts(decision),
            Act::CuttingCardAppears => self.cutting_card_appears(),
            Act::CuttingCardShows => self.cutting_card_shows(),
            Act::ShoeRunsOut => self.shoe_runs_out(),
            Act::FreshShoe => self.fresh_shoe(),
        }
    }

    /// Refuses what does not belong here now.
    pub(crate) fn wrong_moment<T>(&self, what: &str, when: &str) -> Result<T, Refusal> {
        let what = format!("{what} while {}", moment(self.table.phase));
        // Between two shoes it is the end of the last that stands in the way.
        let between = self.table.phase == Phase::Preparing && self.table.shuffle_due;
        let mut clauses = self.table.shuffle_by.iter().copied().filter(|_| between);
        let (code, instead) = (Code::WrongMoment, when.into());
        let clause = clauses.next();
        Err(Refusal { code, clause, also: clauses.collect(), what, instead })
    }

    /// Refuses an amount of nothing.
    pub(crate) fn some(amount: Cents) -> Result<(), Refusal> {
        if amount == Cents::ZERO {
            return no(Code::NoAmount, None, "0 is no amount", "name one of at least 0.01");
        }
        Ok(())
    }
}
