//! Everything that these eyes may see of a tournament, in one document.

use rulebooks::Book;
use rules::Cents;
use serde::Serialize;
use shoe::Digest;
use table::Time;
use tournament::{
    Chair, EntrantId, OutWhy, POINT, Phase, Sitting, Standing, State, Status, Stint, Tournament,
    prizes,
};

use crate::FORM;
use crate::asked::Asked;
use crate::eyes::{Eyes, Matter};
use crate::felt::{CoupView, coup_view};
use crate::table_view::{BookView, book_view, phase};
use crate::tournament_event::{entrant_called, is_entrant, sees};
use crate::tournament_lawful::{LawfulInEvent, asked_in_tournament, lawful_in_tournament};
use crate::watch::Watch;

/// What a view of a tournament is made from.
#[derive(Clone, Debug)]
pub struct TournamentSeen<'a> {
    /// The name of its stream.
    pub name: &'a str,
    /// The version of its stream.
    pub version: u64,
    /// The tournament.
    pub tournament: &'a Tournament,
    /// Its book.
    pub book: &'a Book,
    /// The SHA-256 of the book, which takes too long to be worked out for every view.
    pub sha256: &'a str,
    /// What was watched of its tables, by their numbers.
    pub watches: &'a [(u32, &'a Watch)],
    /// The time by the clock of the event.
    pub now: Time,
    /// Whether the system deals, so that nobody names cards.
    pub system: bool,
}

/// A chair at a table in play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ChairView {
    /// The seat.
    pub seat: u32,
    /// The player: the name, or the number of the entrant.
    pub player: String,
    /// Whether it is the player who looks.
    pub me: bool,
    /// The chips, those on the layout included.
    pub chips_cents: i64,
    /// Chips on Banker.
    pub banker_cents: u64,
    /// Chips on Player.
    pub player_cents: u64,
    /// Chips on Tie.
    pub tie_cents: u64,
    /// The commitment of a secret wager that is not opened; what is written on it nobody sees.
    #[schemars(with = "Option<String>")]
    pub sealed: Option<Digest>,
    /// How many secret wagers the player has used.
    pub secrets: u32,
    /// Whether the player takes part in the current play.
    pub plays: bool,
    /// Whether the player has not come, or is away.
    pub missing: bool,
    /// Why the player is out, if so: `chips`, `not_there`, `raised`, `no_wager` or `left`.
    pub out: Option<&'static str>,
}

/// A table in play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SittingView {
    /// The number of the table.
    pub number: u32,
    /// The name of the stage.
    pub stage: String,
    /// The kind of play: `session`, `play_off_due`, `play_off`, `over` or `done`.
    pub play: &'static str,
    /// What the table is waiting for.
    pub phase: &'static str,
    /// The chairs, by seat.
    pub chairs: Vec<ChairView>,
    /// The seat of the marker.
    pub marker: Option<u32>,
    /// The seat of the player whose turn it is to wager.
    pub turn: Option<u32>,
    /// When that turn began, in microseconds.
    pub turn_since: Time,
    /// The time limit of the turn, in microseconds.
    pub turn_limit: Option<Time>,
    /// The number of coups with wagers and a result in the current play.
    pub coups: u32,
    /// How many such coups are left, where that is a number.
    pub coups_left: Option<u32>,
    /// Whether the coming or current coup is the last of the play.
    pub last: bool,
    /// The minimum of a Banker or Player wager.
    pub minimum_cents: u64,
    /// Whether a correction waits for a second person.
    pub correction_waits: bool,
    /// The last coup.
    pub last_coup: Option<CoupView>,
}

/// An entrant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct EntrantView {
    /// The number, from 1, in the order of application.
    pub number: u32,
    /// The player: the name, or the number of the entrant.
    pub player: String,
    /// Whether it is the player who looks.
    pub me: bool,
    /// The status: `applied`, `refused`, `reserve`, `entered`, `withdrawn`, `forfeited` or
    /// `disqualified`.
    pub status: &'static str,
    /// Whether the entrant agreed to the conditions in writing.
    pub agreed: bool,
    /// The table where the entrant sits or will sit.
    pub table: Option<u32>,
    /// The seat there.
    pub seat: Option<u32>,
    /// How often the entrant bought back in.
    pub buy_backs: u32,
    /// Points, in hundredths.
    pub points_hundredths: u64,
    /// The final place.
    pub place: Option<u32>,
    /// The prize.
    pub prize_cents: u64,
    /// Goods and services won.
    pub goods: Vec<String>,
    /// The amount paid: only for that entrant and for staff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paid_cents: Option<u64>,
}

/// A line of the standings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct StandingView {
    /// The rank in the event, from 1; players who are level have the same.
    pub rank: u32,
    /// The player: the name, or the number of the entrant.
    pub player: String,
    /// Whether it is the player who looks.
    pub me: bool,
    /// The table.
    pub table: u32,
    /// The seat.
    pub seat: u32,
    /// The chips, those on the layout included.
    pub chips_cents: i64,
    /// Whether the player is out.
    pub out: bool,
}

/// Everything that these eyes may see of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TournamentView {
    /// The number of the form.
    pub form: u32,
    /// The name of its stream.
    pub tournament: String,
    /// The version of its stream.
    pub version: u64,
    /// The time of the last event, in microseconds.
    pub at: Time,
    /// The book.
    pub book: BookView,
    /// The phase: `unopened`, `preparing`, `entries`, `playing`, `ended` or `cancelled`.
    pub phase: &'static str,
    /// The name of the event in its conditions.
    pub name: Option<String>,
    /// The hash of the conditions.
    #[schemars(with = "Option<String>")]
    pub conditions: Option<Digest>,
    /// The director.
    pub director: Option<String>,
    /// Whether the director is away.
    pub director_away: bool,
    /// The stage that is next or in play.
    pub stage: Option<String>,
    /// When the next session starts, in microseconds.
    pub starts_at: Option<Time>,
    /// When play continues after a break, in microseconds.
    pub rests_until: Option<Time>,
    /// The commitment of the ballot that is under way.
    #[schemars(with = "Option<String>")]
    pub ballot: Option<Digest>,
    /// The tables in play.
    pub tables: Vec<SittingView>,
    /// The players of the tables in play, the best placed first.
    pub standings: Vec<StandingView>,
    /// Everybody who applied.
    pub entrants: Vec<EntrantView>,
    /// The amount in the pool.
    pub pool_cents: i64,
    /// The amount that the house keeps.
    pub commission_cents: i64,
    /// The prize money of each place as the pool stands; empty once it is paid out.
    pub prizes_cents: Vec<u64>,
    /// What is due.
    pub asked: Vec<Asked>,
    /// What the person who looks could do now, what is due first.
    pub lawful: Vec<LawfulInEvent>,
}

/// The word for a phase of a tournament.
#[must_use]
pub const fn tournament_phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Unopened => "unopened",
        Phase::Preparing => "preparing",
        Phase::Entries => "entries",
        Phase::Playing => "playing",
        Phase::Ended => "ended",
        Phase::Cancelled => "cancelled",
    }
}

const fn status_word(status: Status) -> &'static str {
    match status {
        Status::Applied => "applied",
        Status::Refused => "refused",
        Status::Reserve => "reserve",
        Status::Entered => "entered",
        Status::Withdrawn => "withdrawn",
        Status::Forfeited => "forfeited",
        Status::Disqualified => "disqualified",
    }
}

const fn out_word(why: OutWhy) -> &'static str {
    match why {
        OutWhy::Chips => "chips",
        OutWhy::NotThere => "not_there",
        OutWhy::Raised => "raised",
        OutWhy::NoWager => "no_wager",
        OutWhy::Left => "left",
    }
}

const fn play_word(stint: Stint) -> &'static str {
    match stint {
        Stint::Session => "session",
        Stint::PlayOffDue(_) => "play_off_due",
        Stint::PlayOff(_) => "play_off",
        Stint::Over => "over",
        Stint::Done => "done",
    }
}

fn chair_view(eyes: &Eyes, state: &State, sitting: &Sitting, chair: &Chair) -> ChairView {
    let [banker, player, tie] = sitting.laid(chair);
    ChairView {
        seat: chair.seat,
        player: entrant_called(eyes, state, chair.entrant),
        me: is_entrant(eyes, state, chair.entrant),
        chips_cents: sitting.chips(chair).get(),
        banker_cents: banker.get(),
        player_cents: player.get(),
        tie_cents: tie.get(),
        sealed: chair.form.map(|form| form.commitment),
        secrets: chair.secrets,
        plays: chair.plays,
        missing: chair.is_missing(),
        out: chair.out.map(|(_, why)| out_word(why)),
    }
}

fn sitting_view(eyes: &Eyes, seen: &TournamentSeen<'_>, sitting: &Sitting) -> SittingView {
    let state = seen.tournament.state();
    let chairs = sitting.chairs.iter().map(|chair| chair_view(eyes, state, sitting, chair));
    let mut chairs: Vec<_> = chairs.collect();
    chairs.sort_by_key(|chair| chair.seat);
    let watch = seen.watches.iter().find(|(number, _)| *number == sitting.number);
    let last_coup = watch.and_then(|(_, watch)| watch.coups.back()).map(coup_view);
    SittingView {
        number: sitting.number,
        stage: state.stage_name(sitting.stage),
        play: play_word(sitting.stint),
        phase: phase(sitting.table.phase()),
        chairs,
        marker: sitting.marker,
        turn: sitting.to_wager().map(|chair| chair.seat),
        turn_since: sitting.since,
        turn_limit: sitting.limit,
        coups: sitting.coups,
        coups_left: state.coups_left(sitting),
        last: state.is_last_coup(sitting),
        minimum_cents: sitting.minimum().get(),
        correction_waits: sitting.correction.is_some(),
        last_coup,
    }
}

/// Who sits where: at a table in play, or where a place was given.
fn place_of(state: &State, id: EntrantId) -> Option<(u32, u32)> {
    let sitting = state.sitting_of(id);
    let chair = sitting.and_then(|s| Some((s.number, s.chair(id)?.seat)));
    let allotted = || state.allotments().iter().find(|one| one.entrant == id);
    chair.or_else(|| allotted().map(|one| (one.table, one.seat)))
}

fn entrants_view(eyes: &Eyes, state: &State) -> Vec<EntrantView> {
    let ids = (0_u16..).map(EntrantId);
    let view = |(entrant, id): (&tournament::Entrant, EntrantId)| {
        let place = place_of(state, id);
        EntrantView {
            number: u32::from(id.0) + 1,
            player: entrant_called(eyes, state, id),
            me: is_entrant(eyes, state, id),
            status: status_word(entrant.status),
            agreed: entrant.agreed,
            table: place.map(|(table, _)| table),
            seat: place.map(|(_, seat)| seat),
            buy_backs: entrant.buy_backs,
            points_hundredths: entrant.points.saturating_mul(100) / POINT,
            place: entrant.place,
            prize_cents: entrant.prize.get(),
            goods: entrant.goods.clone(),
            paid_cents: sees(eyes, state, Matter::Paid, id).then(|| entrant.paid.get()),
        }
    };
    state.entrants().iter().zip(ids).map(view).collect()
}

/// The standings of the overview, as far as they are about tables in play.
fn standings_view(eyes: &Eyes, tournament: &Tournament) -> Vec<StandingView> {
    let state = tournament.state();
    let live: Vec<_> = state.sittings().filter(|sitting| sitting.is_live()).collect();
    let view = |standing: Standing| {
        let mut chairs =
            live.iter().map(|sitting| (sitting.number, sitting.chair(standing.entrant)));
        let (table, chair) = chairs.find_map(|(table, chair)| Some((table, chair?)))?;
        Some(StandingView {
            rank: standing.rank,
            player: entrant_called(eyes, state, standing.entrant),
            me: is_entrant(eyes, state, standing.entrant),
            table,
            seat: chair.seat,
            chips_cents: standing.chips.get(),
            out: chair.out.is_some(),
        })
    };
    tournament.overview().standings.into_iter().filter_map(view).collect()
}

/// The prize money of each place for the players of the last stage, or for everybody who is in.
fn prizes_view(state: &State) -> Vec<u64> {
    let awaited = matches!(state.phase(), Phase::Entries | Phase::Playing);
    let Some(conditions) = state.conditions().filter(|_| awaited) else { return Vec::new() };
    let last = state.stages().last().map_or(0, |stage| stage.players.len());
    let entered = || state.entrants().iter().filter(|one| one.status == Status::Entered).count();
    let players = if last > 0 { last } else { entered() };
    let sheet = prizes::sheet(conditions, state.pool().at_least_zero(), players);
    sheet.into_iter().map(Cents::get).collect()
}

/// Everything that these eyes may see of a tournament.
#[must_use]
pub fn tournament_view(eyes: &Eyes, seen: &TournamentSeen<'_>) -> TournamentView {
    let state = seen.tournament.state();
    let live = state.sittings().filter(|sitting| sitting.is_live());
    TournamentView {
        form: FORM,
        tournament: seen.name.to_owned(),
        version: seen.version,
        at: state.now(),
        book: book_view(seen.book, seen.sha256),
        phase: tournament_phase(state.phase()),
        name: state.conditions().map(|conditions| conditions.name.clone()),
        conditions: state.hash(),
        director: state.director().map(ToString::to_string),
        director_away: state.is_director_away(),
        stage: state.current_stage().map(|stage| state.stage_name(stage)),
        starts_at: state.starts_at(),
        rests_until: state.rests_until(),
        ballot: state.ballot_commitment(),
        tables: live.map(|sitting| sitting_view(eyes, seen, sitting)).collect(),
        standings: standings_view(eyes, seen.tournament),
        entrants: entrants_view(eyes, state),
        pool_cents: state.pool().get(),
        commission_cents: state.commission().get(),
        prizes_cents: prizes_view(state),
        asked: asked_in_tournament(eyes, seen.tournament, seen.now, seen.system),
        lawful: lawful_in_tournament(eyes, seen.tournament, seen.now, seen.system),
    }
}
