//! Whole transcripts as they were stored, and what people saw of them. A fold of the old events
//! must show the same for ever. The words for what is seen are this file's, so types can be
//! renamed.

use std::collections::HashSet;
use std::fs;

use rules::{Group, Outcome, Side};
use serde_json::{Value, json};
use store::Body;
use table::{Account, State};
use tournament::{Sitting, Status, Stint};

use super::{kinds, path, writing};

/// Tables and tournaments of every book; New Zealand's has no tournaments. The last file has what
/// the others have no room for, of any book.
pub(crate) const FILES: [&str; 10] = [
    "table-act-2012.jsonl",
    "table-act-2018.jsonl",
    "table-nz-1998.jsonl",
    "table-tas-2013.jsonl",
    "table-vic-2005.jsonl",
    "tournament-act-2012.jsonl",
    "tournament-act-2018.jsonl",
    "tournament-tas-2013.jsonl",
    "tournament-vic-2005.jsonl",
    "tournament-rest.jsonl",
];
/// How large such a file may become: transcripts are chosen while there is room.
const ROOM: usize = 190_000;

/// Something that can be folded and looked at.
#[derive(Default)]
pub(crate) struct Fold(Option<Folded>);

enum Folded {
    Table(Box<State>),
    Tournament(Box<tournament::State>),
}

impl Fold {
    /// Folds an event; whether people look up after it.
    pub(crate) fn fold(&mut self, body: &Body) -> bool {
        match body {
            Body::Table(event) => {
                if matches!(event.fact, table::Fact::Opened { .. }) {
                    self.0 = Some(Folded::Table(Box::<State>::default()));
                }
                if let Some(Folded::Table(table)) = &mut self.0 {
                    table.evolve(event);
                }
                matches!(event.fact, table::Fact::CoupEnded { .. } | table::Fact::Closed)
            }
            Body::Tournament(event) => {
                if matches!(event.fact, tournament::Fact::Opened { .. }) {
                    self.0 = Some(Folded::Tournament(Box::default()));
                }
                if let Some(Folded::Tournament(tournament)) = &mut self.0 {
                    tournament.evolve(event);
                }
                matches!(
                    event.fact,
                    tournament::Fact::PlayEnded { .. } | tournament::Fact::EntriesClosed
                )
            }
            Body::Book(_)
            | Body::Line(_)
            | Body::Shoe(_)
            | Body::Checkpoint(_)
            | Body::Answer(_)
            | Body::Key(_)
            | Body::Restored(_)
            | Body::Setup(_)
            | Body::Act(_)
            | Body::Refused(_)
            | Body::Proposed(_)
            | Body::TournamentAct(_)
            | Body::TournamentRefused(_)
            | Body::Account(_)
            | Body::TableShoe(_) => false,
        }
    }

    /// What people see of it.
    pub(crate) fn seen(&self) -> Value {
        match &self.0 {
            None => Value::Null,
            Some(Folded::Table(table)) => of_table(table),
            Some(Folded::Tournament(tournament)) => of_tournament(tournament),
        }
    }
}

/// Writes a file: the transcripts of its book that say most in the least room. A fact that no file
/// has yet counts for more than a fact that is new to this file.
pub(crate) fn write(file: &str, everywhere: &mut HashSet<String>) {
    let (what, book) = file.trim_end_matches(".jsonl").split_once('-').unwrap();
    let stored = |(name, played): &(String, transcript::Played)| {
        let tables = played.events.iter().cloned().map(|event| Body::Table(Box::new(event)));
        let events = played.tournament.iter().cloned();
        let events = events.map(|event| Body::Tournament(Box::new(event)));
        let is_tournament = !played.tournament.is_empty();
        // What happens at a table of a tournament is in the tournament's own events.
        let bodies: Vec<_> = if is_tournament { events.collect() } else { tables.collect() };
        let mut kinds: HashSet<_> = bodies.iter().flat_map(kinds::of).collect();
        kinds.retain(|kind| kind.contains("::Fact::"));
        kinds.retain(|kind| kind.starts_with("tournament") == is_tournament);
        (is_tournament == (what == "tournament")).then(|| (told(name, &bodies), kinds))
    };
    let rest = book == "rest";
    let of_book = writing::all_played().iter().filter(|(name, _)| rest || name.starts_with(book));
    let mut left: Vec<_> = of_book.filter_map(stored).collect();
    let mut text = String::new();
    let mut known = if rest { everywhere.clone() } else { HashSet::new() };
    loop {
        left.retain(|(told, kinds)| text.len() + told.len() < ROOM && !kinds.is_subset(&known));
        let gain = |(told, kinds): &(String, HashSet<String>)| {
            let new = kinds.difference(&known).count() + 9 * kinds.difference(everywhere).count();
            new * 1_000_000 / told.len()
        };
        let Some(best) = (0..left.len()).max_by_key(|index| gain(&left[*index])) else { break };
        let (told, kinds) = left.swap_remove(best);
        text += &told;
        everywhere.extend(kinds.iter().cloned());
        known.extend(kinds);
    }
    fs::write(path(file), text).unwrap();
}

/// The lines of one transcript.
fn told(name: &str, bodies: &[Body]) -> String {
    let mut text = format!("{}\n", json!({ "transcript": name }));
    let mut fold = Fold::default();
    for (place, body) in bodies.iter().enumerate() {
        let line = json!({ "schema": body.schema(), "body": body.to_json() });
        text += &format!("{line}\n");
        if fold.fold(body) || place + 1 == bodies.len() {
            text += &format!("{}\n", json!({ "seen": fold.seen() }));
        }
    }
    text
}

const fn of_side(side: Side) -> &'static str {
    match side {
        Side::Player => "P",
        Side::Banker => "B",
    }
}

fn of_table(table: &State) -> Value {
    let phase = match table.phase() {
        table::Phase::Unopened => "unopened",
        table::Phase::Preparing => "preparing",
        table::Phase::Betting => "betting",
        table::Phase::Called => "called",
        table::Phase::Dealing => "dealing",
        table::Phase::Closed => "closed",
    };
    let accounts = [Account::Outside, Account::Float, Account::Layout, Account::Commission];
    let players = table.players().iter().map(|player| {
        let place = if player.standing { "stands behind" } else { "sits at" };
        let here = match (player.present, player.excluded) {
            (true, false) => "there",
            (true, true) => "excluded",
            (false, _) => "gone",
        };
        let stack = player.stack;
        json!([player.name.as_str(), here, place, player.seat, stack, player.receivable])
    });
    let wagers = table.wagers().iter().map(|wager| {
        let name = table.player(wager.player).name;
        json!([name.as_str(), wager.spot.key(), wager.place, wager.stake.get()])
    });
    let limits = ["main", "tie", "pairs", "dragon"].into_iter().map(|group| {
        let limits = Group::from_key(group).and_then(|group| table.limits(group));
        limits.map(|l| json!([l.least.get(), l.most.get(), l.step.map(rules::Cents::get)]))
    });
    let cards = table.coup().map(|coup| {
        let card = |card: &table::CoupCard| {
            let face = card.card.map_or("?".into(), |card| card.to_string());
            format!("{} {face}", of_side(card.side))
        };
        coup.cards.iter().map(card).collect::<Vec<_>>()
    });
    json!({
        "phase": phase, "coups": table.coups(), "accounts": accounts.map(|a| table.balance(a)),
        "players": players.collect::<Vec<_>>(), "wagers": wagers.collect::<Vec<_>>(),
        "limits": limits.collect::<Vec<_>>(), "cards": cards, "roads": of_roads(table),
        "last": table.is_last_coup(), "shuffle": table.is_shuffle_due(),
        "no bet": table.is_no_bet(), "face down": table.is_face_down(),
    })
}

fn of_roads(table: &State) -> Value {
    let roads = table.roads();
    let bead = |bead: &table::roads::Bead| {
        let outcome = match bead.outcome {
            Outcome::Won(side) => of_side(side),
            Outcome::Tie => "T",
        };
        let mark = |is: bool, mark: &'static str| if is { mark } else { "" };
        let pairs = mark(bead.player_pair, "p").to_owned() + mark(bead.banker_pair, "b");
        format!("{}{outcome}{pairs}{}", bead.coup, mark(bead.natural, "n"))
    };
    let beads: Vec<_> = roads.beads().iter().map(bead).collect();
    let big = roads
        .big_road()
        .map(|(cell, side, ties)| format!("{},{} {}{ties}", cell.column, cell.row, of_side(side)));
    let derived = roads.derived().each_ref().map(|road| road.cells().len());
    json!([beads.join(" "), big.collect::<Vec<_>>().join("; "), derived])
}

fn of_tournament(tournament: &tournament::State) -> Value {
    let phase = match tournament.phase() {
        tournament::Phase::Unopened => "unopened",
        tournament::Phase::Preparing => "preparing",
        tournament::Phase::Entries => "entries",
        tournament::Phase::Playing => "playing",
        tournament::Phase::Ended => "ended",
        tournament::Phase::Cancelled => "cancelled",
    };
    let entrants = tournament.entrants().iter().map(|entrant| {
        let status = match entrant.status {
            Status::Applied => "applied",
            Status::Refused => "refused",
            Status::Reserve => "reserve",
            Status::Entered => "entered",
            Status::Withdrawn => "withdrawn",
            Status::Forfeited => "forfeited",
            Status::Disqualified => "disqualified",
        };
        let (substitute, place) = (entrant.substitute, entrant.place);
        let (paid, prize) = (entrant.paid.get(), entrant.prize.get());
        let substitute = substitute.map(|name| name.to_string());
        let name = entrant.name.as_str();
        json!([name, status, substitute, paid, entrant.buy_backs, entrant.points, place, prize])
    });
    let stages = tournament.stages().iter().map(|stage| {
        let ids = [&stage.players, &stage.winners, &stage.losers];
        json!([ids.map(|ids| ids.iter().map(|id| id.0).collect::<Vec<_>>()), stage.ended])
    });
    let tables = tournament.sittings().map(of_sitting);
    json!({
        "phase": phase, "pool": tournament.pool(), "commission": tournament.commission(),
        "entrants": entrants.collect::<Vec<_>>(), "stages": stages.collect::<Vec<_>>(),
        "tables": tables.collect::<Vec<_>>(),
    })
}

fn of_sitting(sitting: &Sitting) -> Value {
    let stint = match sitting.stint {
        Stint::Session => json!("session"),
        Stint::PlayOffDue(coups) => json!(["play-off due", coups]),
        Stint::PlayOff(coups) => json!(["play-off", coups]),
        Stint::Over => json!("over"),
        Stint::Done => json!("done"),
    };
    let chairs = sitting.chairs.iter().map(|chair| {
        let there = if chair.is_missing() { "missing" } else { "there" };
        let out = chair.out.is_some();
        json!([chair.seat, chair.entrant.0, there, out, sitting.chips(chair), chair.secrets])
    });
    let ranking: Vec<Vec<_>> =
        sitting.ranking.iter().map(|level| level.iter().map(|id| id.0).collect()).collect();
    json!({
        "number": sitting.number, "stage": sitting.stage, "stint": stint,
        "chairs": chairs.collect::<Vec<_>>(), "ranking": ranking, "marker": sitting.marker,
        "turn": sitting.turn, "coups": sitting.coups, "table": of_table(&sitting.table),
    })
}
