//! Plays the lines of a tournament.

use rules::{Balance, Cents, Clause, Rulebook};
use table::{By, Code, Name, Refusal, Role, State, Table};
use tournament::{Act, Command, EntrantId, Event, Fact, POINT, Status, Stint, Tournament};

use super::lines::Wanted;
use super::reading::conditions;
use super::tell::tell;
use crate::play::{Ruled, RuledEvent, Ruling, Run};

impl Run {
    /// Notes one condition.
    pub(crate) fn condition(&mut self, text: &str) {
        self.begin();
        let (key, value) = text.split_once('=').map_or((text, None), |(k, v)| (k, Some(v)));
        let key = key.trim();
        let old = self.conditions.iter().position(|(old, _)| old == key);
        match (value.map(|value| value.trim().to_owned()), old) {
            // A condition that is stated again keeps its position: stages have an order.
            (Some(value), Some(old)) => self.conditions[old].1 = value,
            (Some(value), None) => self.conditions.push((key.to_owned(), value)),
            (None, Some(old)) => {
                self.conditions.remove(old);
            }
            (None, None) => {}
        }
    }

    pub(crate) fn document(&mut self, ruled: &mut Ruled) {
        let lines = self.conditions.iter().map(|(key, value)| format!("{key} = {value}\n"));
        match conditions(&lines.collect::<String>()) {
            Ok(conditions) => {
                let act = Act::Document(Box::new(conditions));
                self.event(By::role(Role::Operator), act, ruled);
            }
            Err(fault) => {
                let key = fault.line.and_then(|line| self.conditions.get(line.checked_sub(1)?));
                let what = match key {
                    Some((key, _)) => format!("condition {key}: {}", fault.message),
                    None => fault.message,
                };
                let instead = "allowed: a document that can be read";
                self.begin();
                self.refuse(Refusal::new(Code::BadConditions, None, what, instead), ruled);
            }
        }
    }

    /// Judges an act in the tournament.
    pub(crate) fn event(&mut self, by: By, act: Act, ruled: &mut Ruled) {
        self.begin();
        let Some(tournament) = &mut self.tournament else {
            let first = "no tournament is open; begin with `operator opens a tournament under …`";
            ruled.failure = Some(first.into());
            return;
        };
        let before = tournament.clone();
        match tournament.act(&Command { at: self.now, by, act }) {
            Ok(events) => {
                let mut at = before;
                let mut at_tables = Vec::new();
                for event in &events {
                    at.evolve(event);
                    let (what, clauses) = (tell(event, &at), event.clauses.to_vec());
                    let ruling = RuledEvent::InTournament(Box::new(event.clone()));
                    ruled.rulings.push(Ruling { what, clauses, event: ruling });
                    if let Fact::AtTable { table, event } = &event.fact {
                        self.at_table = Some(*table);
                        at_tables.push(event.clone());
                    }
                }
                let differs = at != *tournament;
                for event in &events {
                    self.cite(&event.clauses);
                }
                if differs {
                    ruled.failure = Some("the events do not make the tournament again".into());
                }
                self.note(&at_tables);
                self.last = at_tables;
                self.last_events.clone_from(&events);
                self.played.tournament.extend(events);
            }
            Err(refusal) => self.refuse(refusal, ruled),
        }
        self.check_sums(ruled);
    }

    fn check_sums(&self, ruled: &mut Ruled) {
        let Some(tournament) = &self.tournament else { return };
        let tables = tournament.sittings().any(|sitting| sitting.table.sum() != Balance::ZERO);
        if tournament.sum() != Balance::ZERO || tables {
            ruled.failure = Some("money or chips were created or lost".into());
        }
    }

    /// The table where a player of a tournament sits, or sat last.
    pub(crate) fn table_of(&self, name: &str) -> Option<&State> {
        let Some(tournament) = &self.tournament else { return self.table.as_deref() };
        let has = |table: &&State| table.players().iter().any(|p| p.name.as_str() == name);
        let mut tables: Vec<_> = tournament.sittings().map(|sitting| &sitting.table).collect();
        tables.reverse();
        let live = tournament.entrant_named(name).and_then(|id| tournament.sitting_of(id));
        live.map(|sitting| &sitting.table).or_else(|| tables.into_iter().find(has))
    }

    /// The book that judges the tables.
    pub(crate) fn book_at_table(&self) -> Option<&Rulebook> {
        match &self.tournament {
            Some(tournament) => Some(tournament.table_book()),
            None => self.table.as_ref().map(Table::book),
        }
    }

    /// The table of the last line, and whether its coming coup is the last of the play.
    pub(crate) fn current(&self) -> Option<(&State, bool)> {
        let Some(tournament) = &self.tournament else {
            return self.table.as_deref().map(|table| (table, table.is_last_coup()));
        };
        let number = self.at_table?;
        let sitting = tournament.sittings().filter(|sitting| sitting.number == number).last()?;
        Some((&sitting.table, tournament.is_last_coup(sitting)))
    }

    /// Whether a player was told something that a clause requires.
    pub(crate) fn advised(&self, name: &str, is: impl Fn(Clause) -> bool) -> bool {
        let entrant = self.tournament.as_ref().and_then(|t| t.entrant_named(name));
        self.last_events.iter().any(|event| {
            let told =
                matches!(event.fact, Fact::OutOfOrder { entrant: e, .. } if Some(e) == entrant);
            told && event.clauses.iter().any(|clause| is(*clause))
        })
    }

    pub(crate) fn check_event(&self, wanted: &Wanted) -> Result<(), String> {
        let tournament = self.tournament.as_ref().ok_or("no tournament is open")?;
        let id = |name: &Name| {
            // An entrant of that name comes before a substitute of that name.
            let own = tournament.entrant_called(name);
            let found = own.or_else(|| tournament.entrant_named(name));
            found.ok_or_else(|| format!("{name} is not in the tournament"))
        };
        let amount = |cents: Option<Cents>| cents.unwrap_or(Cents::ZERO).to_string();
        match wanted {
            Wanted::Turn(name) => {
                let got = turn_at(tournament, id(name)?);
                same(format!("turn of {name}"), format!("turn of {got}"))
            }
            Wanted::Seat(name, table, seat) => {
                let got = match seat_of(tournament, id(name)?) {
                    Some((table, seat)) => format!("table {table} seat {seat}"),
                    None => "no place".into(),
                };
                same(format!("table {table} seat {seat}"), got)
            }
            Wanted::Out(name) => {
                let out = if is_out(tournament, id(name)?) { "out" } else { "in" };
                same("out", out)
            }
            Wanted::Reserve(name) => {
                let status = tournament.entrant(id(name)?).status;
                same(format!("{:?}", Status::Reserve), format!("{status:?}"))
            }
            Wanted::Advances(name) => self.check_went(id(name)?, true),
            Wanted::StandsDown(name) => self.check_went(id(name)?, false),
            Wanted::PlayOff(names) => check_play_off(tournament, names),
            Wanted::Place(name, place) => {
                let got = tournament.entrant(id(name)?).place;
                same(place.to_string(), got.map_or("no place".into(), |place| place.to_string()))
            }
            Wanted::Prize(name, prize) => {
                same(prize.to_string(), tournament.entrant(id(name)?).prize.to_string())
            }
            Wanted::Points(name, points) => {
                let got = tournament.entrant(id(name)?).points * 100 / POINT;
                same(points.to_string(), amount(Cents::new(got)))
            }
            Wanted::Pool(pool) => same(pool.to_string(), tournament.pool().to_string()),
            Wanted::Commission(kept) => same(kept.to_string(), tournament.commission().to_string()),
        }
    }

    /// Whether a player advanced (or did not) in the last line.
    fn check_went(&self, id: EntrantId, on: bool) -> Result<(), String> {
        let went = |event: &Event| {
            if let Fact::Advanced { entrant, .. } = event.fact {
                (entrant == id).then_some("advances")
            } else if let Fact::StoodDown { entrant, .. } = event.fact {
                (entrant == id).then_some("stands down")
            } else {
                None
            }
        };
        let got = self.last_events.iter().find_map(went).unwrap_or("neither");
        same(if on { "advances" } else { "stands down" }, got)
    }
}

/// An error with the wanted and the actual text, if they differ.
fn same(wanted: impl AsRef<str>, got: impl AsRef<str>) -> Result<(), String> {
    let (wanted, got) = (wanted.as_ref(), got.as_ref());
    if wanted == got { Ok(()) } else { Err(format!("wanted {wanted}, got {got}")) }
}

/// The player whose turn it is at the table of an entrant.
fn turn_at(tournament: &Tournament, id: EntrantId) -> String {
    let turn = tournament
        .sitting_of(id)
        .and_then(|sitting| sitting.chairs.iter().find(|chair| Some(chair.seat) == sitting.turn));
    turn.map_or("nobody".into(), |chair| tournament.entrant(chair.entrant).name.to_string())
}

/// Whether an entrant is out of the session, or of the tournament.
fn is_out(tournament: &Tournament, id: EntrantId) -> bool {
    let chair = tournament.sittings().filter_map(|sitting| sitting.chair(id)).last();
    let status = tournament.entrant(id).status;
    let gone = !matches!(status, Status::Entered | Status::Applied | Status::Reserve);
    gone || chair.is_some_and(|chair| chair.out.is_some())
}

fn seat_of(tournament: &Tournament, id: EntrantId) -> Option<(u32, u32)> {
    let sitting = tournament.sitting_of(id);
    let chair = sitting.and_then(|s| s.chair(id).map(|chair| (s.number, chair.seat)));
    let allotted = tournament.allotments().iter().find(|place| place.entrant == id);
    chair.or(allotted.map(|place| (place.table, place.seat)))
}

fn check_play_off(tournament: &Tournament, names: &[Name]) -> Result<(), String> {
    let mut wanted: Vec<_> = names.iter().map(ToString::to_string).collect();
    wanted.sort();
    let playing = tournament.sittings().filter(|sitting| {
        sitting.is_live() && matches!(sitting.stint, Stint::PlayOff(_) | Stint::PlayOffDue(_))
    });
    let groups: Vec<Vec<String>> = playing
        .map(|sitting| {
            let chairs = sitting.chairs.iter().filter(|chair| chair.plays);
            let names = chairs.map(|chair| tournament.entrant(chair.entrant).name.to_string());
            let mut names: Vec<_> = names.collect();
            names.sort();
            names
        })
        .collect();
    if groups.contains(&wanted) {
        return Ok(());
    }
    let got: Vec<_> = groups.iter().map(|group| group.join(" ")).collect();
    Err(format!("wanted play-off of {}, got {}", wanted.join(" "), got.join("; ")))
}
