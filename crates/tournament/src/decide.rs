//! The judgement: what becomes of a command under the book. Nothing is changed here.

mod again;
mod correcting;
mod directing;
mod due;
mod entry;
mod finish;
mod forms;
mod level;
mod limits;
mod out;
mod pace;
mod play;
mod runners;
mod seating;
mod start;
mod turning;
mod undo;
mod wagers;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rules::book::{
    Conditions as ConditionRules, Prizes, SecretWagers, Tournament as EventRules, TournamentChips,
    TournamentWagers,
};
use rules::{Balance, Cents, Clause, Rulebook};
use table::{By, Code, Direction, Name, Refusal, Time, cites, no, not_theirs};

use crate::command::{Act, Command};
use crate::conditions::Conditions;
use crate::event::{Account, EntrantId, Event, Fact, Leg};
use crate::sitting::{Chair, Sitting};
use crate::state::{Entrant, Phase, State};

/// The sections of a book that govern a tournament.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) event: &'a EventRules,
    pub(crate) chips: &'a TournamentChips,
    pub(crate) wagers: &'a TournamentWagers,
    pub(crate) secret: Option<&'a SecretWagers>,
    pub(crate) prizes: &'a Prizes,
    pub(crate) conditions: &'a ConditionRules,
}

impl<'a> Rules<'a> {
    fn of(book: &'a Rulebook) -> Option<Self> {
        Some(Self {
            event: book.tournament.as_ref()?,
            chips: book.tournament_chips.as_ref()?,
            wagers: book.tournament_wagers.as_ref()?,
            secret: book.secret_wagers.as_ref(),
            prizes: book.prizes.as_ref()?,
            conditions: book.conditions.as_ref()?,
        })
    }
}

/// The working state of a decision: the book, the events so far, and the tournament after them.
pub(crate) struct Draft<'a> {
    pub(crate) book: &'a Rulebook,
    pub(crate) rules: Rules<'a>,
    pub(crate) t: State,
    /// The book that judges its tables.
    pub(crate) table_book: &'a Rulebook,
    pub(crate) at: Time,
    /// The person who spoke.
    pub(crate) by: By,
    pub(crate) events: Vec<Event>,
}

/// The clause of a decision or ground, if the book has it.
#[expect(clippy::ref_option, reason = "items of a book are fields of that type")]
pub(crate) fn of(item: &Option<impl rules::Rests>) -> Option<Clause> {
    item.as_ref().map(rules::Rests::clause)
}

impl State {
    /// Judges a command, and also returns the state after it.
    pub(crate) fn judge(
        &self,
        book: &Rulebook,
        table_book: &Rulebook,
        command: &Command,
    ) -> Result<(Self, Vec<Event>), Refusal> {
        let Some(rules) = Rules::of(book) else {
            let what = format!("{} has no tournaments", book.title.name());
            return no(Code::NoTournament, None, what, "allowed: another book");
        };
        if !command.act.is_for(&command.by) {
            return Err(not_theirs(&command.by, command.act.roles()));
        }
        self.check_phase(&command.act)?;
        let (t, at, by) = (self.clone(), self.now.max(command.at), command.by);
        let mut draft = Draft { book, rules, t, table_book, at, by, events: Vec::new() };
        draft.act(&command.act)?;
        Ok((draft.t, draft.events))
    }

    /// Checks whether this act is possible in the current phase.
    fn check_phase(&self, act: &Act) -> Result<(), Refusal> {
        let opens = matches!(act, Act::Open);
        match self.phase {
            Phase::Unopened if opens => Ok(()),
            Phase::Unopened => {
                let instead = "the operator opens it first";
                no(Code::NotOpen, None, "the tournament is not open", instead)
            }
            Phase::Preparing
            | Phase::Entries
            | Phase::Playing
            | Phase::Ended
            | Phase::Cancelled
                if opens =>
            {
                no(Code::WrongMoment, None, "it is open already", "open another")
            }
            Phase::Preparing | Phase::Entries | Phase::Playing => Ok(()),
            Phase::Ended | Phase::Cancelled if matches!(act, Act::Tick) => Ok(()),
            // The cards of a finished tournament can still be checked.
            Phase::Ended if matches!(act, Act::At(_, act) if play::is_check(act)) => Ok(()),
            Phase::Ended | Phase::Cancelled => {
                no(Code::Closed, None, "the tournament is over", "open another")
            }
        }
    }
}

impl Draft<'_> {
    /// One arm for each act; the functions that an arm calls are in the file of their subject.
    fn act(&mut self, act: &Act) -> Result<(), Refusal> {
        match act {
            Act::Tick => {}
            Act::Open => self.open(),
            Act::Document(conditions) => self.document(conditions)?,
            Act::Publish => self.publish()?,
            Act::Notify => self.notify()?,
            Act::Approve => self.approve()?,
            Act::ApproveCommission => self.approve_commission()?,
            Act::NameDirector(name) => self.name_director(*name)?,
            Act::HandOver(name) => self.hand_over(*name)?,
            Act::DirectorLeaves => self.director_leaves(),
            Act::DirectorReturns => self.director_returns()?,
            Act::RequireAgreement => self.require_agreement()?,
            Act::TellConditions => self.tell_conditions()?,
            Act::OpenEntries => self.open_entries()?,
            Act::AddToPool(amount) => self.add_to_pool(*amount)?,
            Act::Apply(name) => self.apply(*name)?,
            Act::Agree(name) => self.agree(*name)?,
            Act::Accept(name) => self.accept(*name)?,
            Act::Enter(names) => names.iter().try_for_each(|name| self.enter(*name))?,
            Act::RefuseEntry(name, why) => self.refuse_entry(*name, why)?,
            Act::Withdraw(name) => self.withdraw(*name)?,
            Act::Disqualify(name, ground) => self.disqualify(*name, ground)?,
            Act::Nominate(name, substitute) => self.nominate(*name, *substitute)?,
            Act::Substitute(name, substitute) => self.substitute(*name, *substitute)?,
            Act::Cancel(why) => self.cancel(why),
            Act::CloseEntries => self.close_entries()?,
            Act::MoveStart(to) => self.move_start(*to)?,
            Act::NameTables(tables) => self.name_tables(tables)?,
            Act::PlayersATable(number) => self.players_a_table(*number)?,
            Act::CommitBallot(commitment) => self.commit_ballot(*commitment)?,
            Act::AbandonBallot => self.abandon_ballot()?,
            Act::DrawAgain(why) => self.draw_again(why)?,
            Act::AddToBallot(name, words) => self.add_to_ballot(*name, words)?,
            Act::RevealBallot(secret) => self.reveal_ballot(secret)?,
            Act::Allot { name, table, seat, lot } => self.allot(*name, *table, *seat, *lot)?,
            Act::TakeSeat(name) => self.take_seat(*name)?,
            Act::TakeSeats(except) => self.take_seats(except)?,
            Act::OfferSeat(of, to) => self.offer_seat(*of, *to)?,
            Act::Start => self.start()?,
            Act::Break(time) => self.give_break(*time)?,
            Act::Resume => self.resume()?,
            Act::SetWagerTime(time) => self.set_wager_time(*time),
            Act::WaiveTime(name) => self.waive_time(*name)?,
            Act::WaiveTimeForAll(table) => self.waive_time_for_all(*table)?,
            Act::LiftWagerTime => self.lift_wager_time()?,
            Act::MoveTable { from, to, why } => self.move_table(*from, *to, why)?,
            Act::Correct(wrong, why) => self.correct_entry(wrong, why)?,
            Act::ConfirmCorrection(table) => self.confirm_correction(*table)?,
            Act::DropCorrection(table) => self.take_correction_back(*table)?,
            Act::Direct(name) => self.direct(*name)?,
            Act::GoAway(name) => self.go_away(*name)?,
            Act::ComeBack(name) => self.come_back(*name)?,
            Act::At(table, act) => self.at(*table, act)?,
            Act::PlaceMarker(table, seat) => self.place_marker(*table, *seat)?,
            Act::Ask(name) => self.ask(*name)?,
            Act::Eliminate(name) => self.eliminate(*name)?,
            Act::VoidOutOfOrder(name) => self.void_out_of_order(*name)?,
            Act::InsertIndicator(table) => self.insert_indicator(*table)?,
            Act::IndicatorAppears(table) => self.indicator_appears(*table)?,
            Act::RaiseLimits(table) => self.raise_limits(*table)?,
            Act::HandIn(name, commitment) => self.hand_in(*name, *commitment)?,
            Act::Examine(name) => self.examine(*name)?,
            Act::ReturnForm(name) => self.return_form(*name)?,
            Act::OpenForm { name, salt, content } => self.open_form(*name, salt, content)?,
            Act::SpoilForm(name) => self.spoil_form(*name)?,
            Act::AskForm(name, of) => self.ask_form(*name, *of)?,
            Act::AnnounceLast(table) => self.announce_last(*table)?,
            Act::EndEarly(table) => self.end_early(*table)?,
            Act::DrawForPlayOff(table, card) => self.draw_for_play_off(*table, *card)?,
            Act::StartPlayOff(table, chips) => self.start_play_off(*table, *chips)?,
            Act::BuyBack(name) => self.buy_back(*name)?,
            Act::AwardPoints(name, points, why) => self.award_points(*name, *points, why)?,
            Act::AwardPrizes => self.award_prizes()?,
        }
        Ok(())
    }

    /// Adds an event that moves no money, and folds it.
    pub(crate) fn push(&mut self, fact: Fact, clauses: &[Option<Clause>]) {
        self.pay(fact, clauses, Vec::new());
    }

    /// Adds an event that moves money, and folds it.
    pub(crate) fn pay(&mut self, fact: Fact, clauses: &[Option<Clause>], postings: Vec<Leg>) {
        let event = Event { at: self.at, fact, clauses: cites(clauses), postings };
        self.t.evolve(&event);
        self.events.push(event);
    }

    /// Adds events at a table.
    pub(crate) fn at_table(&mut self, table: u32, events: Vec<table::Event>) {
        for event in events {
            // An event of a tournament cites what its table's event cites.
            let clauses: Vec<_> = event.clauses.iter().map(|clause| Some(*clause)).collect();
            self.push(Fact::AtTable { table, event }, &clauses);
        }
    }

    /// Adds an event that the tournament itself causes at a table.
    pub(crate) fn direct_at(
        &mut self,
        table: u32,
        clauses: &[Option<Clause>],
        event: impl FnOnce(Direction<'_>) -> table::Event,
    ) {
        let event = event(Direction { at: self.at, clauses });
        self.at_table(table, alloc::vec![event]);
    }

    /// The events at tables since that index.
    pub(crate) fn at_tables(&self, since: usize) -> impl Iterator<Item = &table::Fact> {
        self.events[since..].iter().filter_map(|event| {
            if let Fact::AtTable { event, .. } = &event.fact { Some(&event.fact) } else { None }
        })
    }

    /// Judges an act by the rules of the table, and adds the resulting events.
    pub(crate) fn table_acts(&mut self, number: u32, act: table::Act) -> Result<(), Refusal> {
        let sitting = self.sitting(Some(number))?;
        let events = self.judge_at(&sitting.table, act)?;
        self.at_table(number, events);
        Ok(())
    }

    /// Judges an act by the rules of the table. It counts as the speaker's if the speaker may do
    /// it, and otherwise as that of the person who usually does.
    pub(crate) fn judge_at(
        &self,
        table: &table::State,
        act: table::Act,
    ) -> Result<Vec<table::Event>, Refusal> {
        let by = if act.is_for(&self.by) { self.by } else { table::By::usual(&act) };
        table.decide(self.table_book, &table::Command { at: self.at, by, act })
    }

    pub(crate) fn conditions(&self) -> Result<&Conditions, Refusal> {
        self.t.conditions.as_deref().ok_or_else(|| {
            let clause = of(&self.rules.event.conditions_written);
            let what = "there are no conditions";
            Refusal::new(Code::NotYet, clause, what, "the operator documents them first")
        })
    }

    /// The entrant of that name.
    pub(crate) fn named(&self, name: Name) -> Result<EntrantId, Refusal> {
        self.t.entrant_named(&name).ok_or_else(|| {
            let what = format!("{name} is not in the tournament");
            let instead = format!("allowed while entries are open: `{name} applies`");
            Refusal::new(Code::NotAnEntrant, None, what, instead)
        })
    }

    pub(crate) fn who(&self, id: EntrantId) -> &Entrant {
        self.t.entrant(id)
    }

    /// The table with that number, or the only table.
    pub(crate) fn sitting(&self, number: Option<u32>) -> Result<&Sitting, Refusal> {
        let live = || self.t.sittings().filter(|sitting| sitting.is_live());
        let found = match number {
            Some(number) => live().find(|sitting| sitting.number == number),
            None => live().next().filter(|_| live().count() == 1),
        };
        found.ok_or_else(|| {
            let numbers: Vec<_> = live().map(|sitting| format!("{}", sitting.number)).collect();
            let (what, instead) = match (number, numbers.is_empty()) {
                (_, true) => ("no table is in play".into(), String::from("start a session first")),
                (Some(n), _) => (format!("table {n} is not in play"), in_play(&numbers)),
                (None, _) => ("it was not said at which table".into(), in_play(&numbers)),
            };
            Refusal::new(Code::WhichTable, None, what, instead)
        })
    }

    /// The table where an entrant plays, and the entrant's chair.
    pub(crate) fn chair(&self, id: EntrantId) -> Result<(&Sitting, &Chair), Refusal> {
        let sitting = self.t.sitting_of(id);
        let found = sitting.and_then(|sitting| sitting.chair(id).map(|chair| (sitting, chair)));
        found.ok_or_else(|| {
            let what = format!("{} has no place at a table", self.who(id).name);
            let instead = "allowed: a player with a place in this session";
            let clause = Some(self.rules.event.seating.clause);
            Refusal::new(Code::NotEligible, clause, what, instead)
        })
    }

    /// Refuses an act that is not possible at this moment.
    pub(crate) fn wrong_moment<T>(what: &str, when: &str) -> Result<T, Refusal> {
        no(Code::WrongMoment, None, what, when)
    }

    /// A posting that adds money to an account.
    pub(crate) fn to(account: Account, cents: Cents) -> Leg {
        Leg { account, cents: cents.into() }
    }

    /// A posting that takes money from an account.
    pub(crate) fn from(account: Account, cents: Cents) -> Leg {
        Leg { account, cents: -Balance::from(cents) }
    }
}

fn in_play(numbers: &[String]) -> String {
    format!("in play: {}; allowed: `at table {} …`", numbers.join(", "), numbers[0])
}
