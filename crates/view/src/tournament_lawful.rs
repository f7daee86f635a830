//! What is due in a tournament, and the lawful next acts of a person there, found by asking the
//! tournament about each.

use std::sync::Arc;

use rules::Clause;
use serde::Serialize;
use serde_json::{Value, json};
use table::{By, Name, Role, Table, Time};
use tournament::{Act, Command, Due, Event, Need, Next, Offence, Phase, Sitting, Tournament, Whom};
use transcript::{say_due, say_in_tournament};

use crate::asked::{Asked, role_of};
use crate::eyes::{Eyes, Matter, Scope};
use crate::lawful::{Needs, lawful};

/// The most acts that are listed.
const MOST: usize = 96;
/// A break that is tried, in microseconds.
const BREAK: Time = 10 * 60_000_000;

/// An act that the tournament would accept now.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct LawfulInEvent {
    /// What it does, in words.
    pub what: String,
    /// The line that does it.
    pub line: String,
    /// The number of the table, if it is an act at one.
    pub table: Option<u32>,
    /// What the line lacks, if it lacks something.
    pub needs: Option<Needs>,
    /// The act in the form of the log, if it lacks nothing.
    pub act: Option<Value>,
    /// Whether it is due.
    pub due: bool,
    /// The clauses that its consequences rest on.
    #[schemars(with = "Vec<String>")]
    pub clauses: Vec<Clause>,
    /// The command with which the tournament was asked.
    #[serde(skip)]
    pub command: Command,
}

/// The person in a step that is due, as a role, and the player if it is one.
const fn whom(due: &Due) -> (Role, Option<Name>) {
    match due.whom {
        Whom::Operator => (Role::Operator, None),
        Whom::Regulator => (Role::Regulator, None),
        Whom::Director => (Role::Director, None),
        Whom::Inspector => (Role::Inspector, None),
        Whom::Dealer => (Role::Dealer, None),
        Whom::Player(name) => (Role::Player, Some(name)),
        Whom::Players => (Role::Players, None),
    }
}

/// What is due at a time, for these eyes; what the event waits for first. `system` says that the
/// system has the cards, so that nobody names them.
#[must_use]
pub fn asked_in_tournament(
    eyes: &Eyes,
    tournament: &Tournament,
    at: Time,
    system: bool,
) -> Vec<Asked> {
    let mut dues = tournament.due_at(at);
    dues.sort_by_key(|due| due.need == Need::May);
    let asked = |due: &Due| {
        let (role, player) = whom(due);
        let mine = match player {
            Some(name) => eyes.is(&name),
            None => role_of(eyes) == Some(role),
        };
        let readable = match eyes.scope() {
            Scope::Staff | Scope::Auditor => true,
            Scope::Player => mine,
            Scope::Spectator => false,
        };
        let line = say_due(due, tournament.book(), system).filter(|_| readable);
        let what = match (&line, due.table) {
            (Some(line), _) => without_speaker(line),
            (None, Some(table)) => format!("the {role} at table {table}"),
            (None, None) => format!("the {role}"),
        };
        let player = player.map(|name| {
            if eyes.may_see(Matter::Name, &name) { name.to_string() } else { "a player".into() }
        });
        Asked { role, player, mine, what, line, clauses: due.clauses.to_vec() }
    };
    dues.iter().map(asked).collect()
}

/// A line without the role that speaks it.
fn without_speaker(line: &str) -> String {
    let (table, said) = match line.strip_prefix("at table ").and_then(|rest| rest.split_once(' ')) {
        Some((number, said)) => (format!(" at table {number}"), said),
        None => (String::new(), line),
    };
    let said = match said.split_once(' ') {
        Some((speaker, rest)) if transcript::is_role(speaker) => rest,
        Some(_) | None => said,
    };
    format!("{said}{table}")
}

/// Whether the system does this with its own shoe, so that it would be refused to anybody else.
const fn is_the_systems(next: &Next) -> bool {
    matches!(next, Next::Shuffle | Next::FreshShoe | Next::PlaceCuttingCard(_) | Next::Burn)
}

/// The acts that are tried, in the order in which they are likely.
struct Trying<'a> {
    tournament: &'a Tournament,
    at: Time,
    by: By,
    found: Vec<LawfulInEvent>,
}

impl Trying<'_> {
    /// Lists an act if the tournament accepts it.
    fn attempt(&mut self, by: By, line: String, act: &Act, (needs, need): (Option<Needs>, Need)) {
        if self.found.len() >= MOST || self.found.iter().any(|found| found.line == line) {
            return;
        }
        let command = Command { at: self.at, by, act: act.clone() };
        let Ok(events) = self.tournament.decide(&command) else { return };
        let act_as_stored = || serde_json::to_value(act).ok();
        self.found.push(LawfulInEvent {
            what: without_speaker(&line),
            line,
            table: if let Act::At(table, _) = act { *table } else { None },
            needs,
            act: if needs.is_none() { act_as_stored() } else { None },
            due: need == Need::Must,
            clauses: cited(&events),
            command,
        });
    }

    /// Lists an act of the tournament itself.
    fn act(&mut self, act: &Act, needs: Option<Needs>, need: Need) {
        self.act_by(self.by, act, needs, need);
    }

    fn act_by(&mut self, by: By, act: &Act, needs: Option<Needs>, need: Need) {
        let book = self.tournament.book();
        if let Some(line) = say_in_tournament(act, book, &book.title.id).pop() {
            self.attempt(by, line, act, (needs, need));
        }
    }

    fn plain(&mut self, act: &Act) {
        self.act(act, None, Need::May);
    }

    fn with_reason(&mut self, act: &Act) {
        self.act(act, Some(Needs::Reason), Need::May);
    }

    /// What is due and leaves nothing to choose. Who directs alone keys in what all players and
    /// dealers must do; what the system does with its own shoe is nobody's to say.
    fn dues(&mut self, system: bool) {
        for due in self.tournament.due_at(self.at) {
            let Some(act) = &due.act else { continue };
            let all = matches!(act.usual().role, Role::Players | Role::Dealer);
            let keyed_in = self.by.role == Role::Director && all && due.need == Need::Must;
            if system && is_the_systems(&due.next) {
                continue;
            }
            if act.is_for(&self.by) {
                self.act(act, None, due.need);
            } else if keyed_in {
                self.act_by(act.usual(), act, None, due.need);
            }
        }
    }

    /// What the same person may do at a table, as far as the tournament allows it.
    fn at_table(
        &mut self,
        eyes: &Eyes,
        sitting: &Sitting,
        book: &Arc<rules::Rulebook>,
        system: bool,
    ) {
        let table = Table::of(book.clone(), sitting.table.clone());
        for one in lawful(eyes, &table, system) {
            let line = format!("at table {} {}", sitting.number, one.line);
            let need = if one.due { Need::Must } else { Need::May };
            let Some(command) = one.command else { continue };
            let act = Act::At(Some(sitting.number), Box::new(command.act));
            let next = self.found.len();
            self.attempt(self.by, line, &act, (one.needs, need));
            // It was tried with cards that nobody knows; what is said has none.
            if let Some(found) = self.found.get_mut(next) {
                found.act = one.act.map(|act| json!({ "at": [sitting.number, act] }));
            }
        }
    }

    fn director(&mut self, tables: &[u32], people: &[Name]) {
        for act in [
            Act::Start,
            Act::Resume,
            Act::CloseEntries,
            Act::TellConditions,
            Act::RequireAgreement,
            Act::AwardPrizes,
            Act::AbandonBallot,
            Act::Break(BREAK),
            Act::LiftWagerTime,
            Act::DirectorLeaves,
            Act::DirectorReturns,
        ] {
            self.plain(&act);
        }
        for table in tables {
            let table = Some(*table);
            for act in [
                Act::AnnounceLast(table),
                Act::StartPlayOff(table, None),
                Act::RaiseLimits(table),
                Act::WaiveTimeForAll(table),
                Act::DropCorrection(table),
                Act::EndEarly(table),
            ] {
                self.plain(&act);
            }
        }
        self.with_reason(&Act::DrawAgain("REASON".into()));
        for name in people {
            self.plain(&Act::Accept(*name));
            self.with_reason(&Act::RefuseEntry(*name, "REASON".into()));
        }
        for name in people {
            for act in [Act::WaiveTime(*name), Act::Eliminate(*name), Act::VoidOutOfOrder(*name)] {
                self.plain(&act);
            }
            self.with_reason(&Act::Disqualify(*name, Offence::Breach("REASON".into())));
        }
    }

    fn operator(&mut self) {
        for act in [Act::Open, Act::Publish, Act::Notify, Act::OpenEntries] {
            self.plain(&act);
        }
        self.with_reason(&Act::Cancel("REASON".into()));
    }

    fn player(&mut self, name: Name) {
        for act in [
            Act::Apply(name),
            Act::Agree(name),
            Act::TakeSeat(name),
            Act::BuyBack(name),
            Act::ComeBack(name),
            Act::GoAway(name),
            Act::Withdraw(name),
        ] {
            self.plain(&act);
        }
    }

    fn supervisor(&mut self, tables: &[u32], people: &[Name]) {
        for table in tables {
            self.plain(&Act::ConfirmCorrection(Some(*table)));
            self.plain(&Act::InsertIndicator(Some(*table)));
        }
        for name in people {
            for act in [Act::Examine(*name), Act::ReturnForm(*name), Act::SpoilForm(*name)] {
                self.plain(&act);
            }
        }
    }

    fn dealer(&mut self, tables: &[u32], people: &[Name]) {
        for name in people {
            self.plain(&Act::Ask(*name));
        }
        for table in tables {
            self.plain(&Act::IndicatorAppears(Some(*table)));
        }
    }
}

/// The clauses of events, in order and without repetition.
fn cited(events: &[Event]) -> Vec<Clause> {
    let mut clauses: Vec<Clause> = Vec::new();
    for clause in events.iter().flat_map(|event| &event.clauses) {
        if !clauses.contains(clause) && clauses.len() < 8 {
            clauses.push(*clause);
        }
    }
    clauses
}

/// The acts that a person with these eyes could do at that time, what is due first. `system` says
/// that the system deals, so that nobody names cards.
#[must_use]
pub fn lawful_in_tournament(
    eyes: &Eyes,
    tournament: &Tournament,
    at: Time,
    system: bool,
) -> Vec<LawfulInEvent> {
    let by = match (eyes, role_of(eyes)) {
        (Eyes::Player(name), _) => By::player(*name),
        (_, Some(role)) => By::role(role),
        (_, None) => return Vec::new(),
    };
    let mut trying = Trying { tournament, at, by, found: Vec::new() };
    trying.dues(system);
    let live: Vec<_> = tournament.sittings().filter(|sitting| sitting.is_live()).collect();
    let tables: Vec<u32> = live.iter().map(|sitting| sitting.number).collect();
    let people: Vec<Name> = tournament.entrants().iter().map(|entrant| entrant.name).collect();
    let book = Arc::new(tournament.table_book().clone());
    for sitting in live.iter().filter(|_| tournament.phase() == Phase::Playing) {
        let there = |name: &Name| sitting.table.player_named(name).is_some();
        // Nobody sits down at a table of a tournament by themselves.
        if !matches!(eyes, Eyes::Player(name) if !there(name)) {
            trying.at_table(eyes, sitting, &book, system);
        }
    }
    match eyes {
        Eyes::Player(name) => trying.player(*name),
        Eyes::Dealer => trying.dealer(&tables, &people),
        Eyes::Supervisor | Eyes::Inspector => trying.supervisor(&tables, &people),
        Eyes::Director => trying.director(&tables, &people),
        Eyes::Operator => trying.operator(),
        Eyes::Spectator | Eyes::Auditor => {}
    }
    trying.found
}
