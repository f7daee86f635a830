//! Tournaments: the list, one of them, what directors, players and inspectors say.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use live::{
    Answer, Beginning, Deal, EventScene, EventTold, Opener, Order, Sealed, Sheet, TournamentHandle,
};
use rules::Clause;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shoe::Promise;
use store::{Deals, Pace, Setup};
use table::Role;
use tournament::{Act, Conditions, Phase};
use transcript::{Books as _, SaidInTournament};
use view::{LawfulInEvent, TournamentEventView, TournamentView, tournament_event_view};

use super::asked::{Asked, Wanted, each_once, opener, speaks_in_event, wanted};
use super::tables::{Looking, NewPromise, NewWord, ShoeDocument, Since, eyes_of};
use crate::App;
use crate::bounds::Asker;
use crate::config::is_title;
use crate::problem::{Answered, Problem};
use crate::who::{From, Maybe, Who};

/// What opens a tournament, where it was said in a line.
pub(crate) const HOW_TO_OPEN: &str = "POST /api/v1/tournaments with all `conditions` in one \
    document opens a tournament, POST /api/v1/tables a table";

/// Tournaments that a floor has at the most.
const MOST: usize = 500;

/// A tournament in the list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventRow {
    /// Its id, for everything else.
    pub(crate) id: String,
    /// Its name.
    pub(crate) title: String,
    /// The book.
    pub(crate) book: String,
    /// What it is waiting for: `preparing`, `entries`, `playing`, `ended`, `cancelled`.
    pub(crate) phase: &'static str,
    /// When it starts, by the clock of the house.
    pub(crate) start: Option<String>,
    /// How many have entered.
    pub(crate) entrants: usize,
    /// The version of its stream.
    pub(crate) version: u64,
}

/// A tournament to hold.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTournament {
    /// A key of your own, 1 to 64 bytes: under the same key it is begun once. Whoever got no answer
    /// asks again.
    #[serde(default)]
    #[schemars(length(min = 1, max = 64))]
    pub(crate) key: Option<String>,
    /// The conditions, as `sabot tournament new` writes them: a document of TOML.
    pub(crate) conditions: String,
    /// Who deals: `system` or `keyed`.
    #[serde(default)]
    pub(crate) deals: Option<String>,
    /// `usual` or `quick`: the event runs by itself at this pace. Otherwise the director says every
    /// step.
    #[serde(default)]
    pub(crate) pace: Option<String>,
}

/// What followed from an order.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventDone {
    /// The last record when it was answered first.
    pub(crate) version: u64,
    /// It was answered before: nothing was done again.
    pub(crate) repeated: bool,
    /// What followed, in order.
    pub(crate) events: Vec<TournamentEventView>,
    /// The clauses that it rests on, each once.
    #[schemars(with = "Vec<String>")]
    pub(crate) clauses: Vec<Clause>,
    /// What you could do next.
    pub(crate) lawful: Vec<LawfulInEvent>,
    /// After `deal`: the words that players of the table may send for its shoe now. Deal again to
    /// go on, with the words that came.
    pub(crate) words: Option<Words>,
}

/// The words of players for a shoe: see docs/VERIFY.md.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Words {
    /// They promise words, and then the list is closed.
    Promise,
    /// They open the first words, and then the shoe is shuffled.
    First,
    /// They open the second words, and then it is cut.
    Second,
}

/// What happened, in order.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TournamentEvents {
    /// The last record that it covers.
    pub(crate) version: u64,
    /// What happened.
    pub(crate) events: Vec<TournamentEventView>,
    /// There is more behind that version: ask again from there.
    pub(crate) more: bool,
}

/// A tournament; one that was put away is read.
pub(crate) async fn handle(app: &App, id: &str) -> Result<TournamentHandle, Problem> {
    let stream = live::tournament_stream(id);
    if let Some(handle) = app.floor.tournament(&stream) {
        return Ok(handle);
    }
    let number = id.strip_prefix('e').and_then(|number| number.parse().ok());
    if !number.is_some_and(|number| app.has_held(number)) {
        return Err(Problem::unknown(format!("there is no tournament `{id}`")));
    }
    Ok(app.floor.resume_tournament(&stream).await?)
}

fn id_of(stream: &str) -> &str {
    stream.strip_prefix(store::TOURNAMENT).unwrap_or(stream).trim()
}

pub(crate) async fn list(State(app): State<App>) -> Answered<Vec<EventRow>> {
    let mut rows = Vec::new();
    for handle in app.floor.tournaments() {
        let Ok(scene) = handle.look().await else { continue };
        let start = scene.tournament.conditions().and_then(|conditions| conditions.start);
        rows.push(EventRow {
            id: id_of(&scene.stream).to_owned(),
            title: scene.setup.title.clone(),
            book: scene.name.clone(),
            phase: view::tournament_phase(scene.tournament.phase()),
            start: start.map(|start| start.to_string()),
            entrants: scene.tournament.entrants().len(),
            version: scene.version,
        });
    }
    Ok(Json(rows))
}

pub(crate) async fn one(
    State(app): State<App>,
    Maybe(who): Maybe,
    Path(id): Path<String>,
    Query(looking): Query<Looking>,
) -> Answered<TournamentView> {
    let eyes = eyes_of(who.as_ref(), looking.role.as_deref())?;
    Ok(Json(handle(&app, &id).await?.view(&eyes).await?))
}

pub(crate) async fn events(
    State(app): State<App>,
    Maybe(who): Maybe,
    From(address): From,
    Path(id): Path<String>,
    Query(since): Query<Since>,
) -> Answered<TournamentEvents> {
    let eyes = eyes_of(who.as_ref(), since.role.as_deref())?;
    let handle = handle(&app, &id).await?;
    let asker = Asker::new(who.as_ref(), address);
    let behind = handle.look().await?.version.saturating_sub(since.after);
    let _turn = app.bounds.page(&asker, behind).await?;
    let page = handle.page_for(&eyes, since.after).await?;
    Ok(Json(TournamentEvents { version: page.version, events: page.events, more: page.more }))
}

pub(crate) async fn open(
    State(app): State<App>,
    who: Who,
    Json(new): Json<NewTournament>,
) -> Answered<super::tables::Opened> {
    who.must_be(Role::Director)?;
    let deals = match new.deals.as_deref().unwrap_or("system") {
        "system" => Deals::System,
        "keyed" => Deals::Keyed,
        other => return Err(Problem::bad(format!("`deals` is {other}"), "system or keyed")),
    };
    let pace = match (&new.pace, deals) {
        (None, _) => None,
        (Some(word), Deals::System) => {
            let pace = crate::config::pace(word);
            Some(pace.ok_or_else(|| Problem::bad(format!("`pace` is {word}"), "usual or quick"))?)
        }
        (Some(_), Deals::Staff | Deals::Keyed) => {
            let what = "a pace where the system does not deal";
            return Err(Problem::bad(what, "`deals` is system, or no pace"));
        }
    };
    let (conditions, faults) = transcript::all_conditions(&new.conditions);
    let told: Vec<_> = faults.iter().map(ToString::to_string).collect();
    let Some(conditions) = conditions.filter(|_| told.is_empty()) else {
        return Err(Problem::bad(
            told.join("; "),
            "conditions as `sabot tournament new` writes them",
        ));
    };
    let (id, begun) = match opener(&app, &who, new.key.as_deref(), &new).await? {
        (opener, None) => hold(&app, &conditions, (deals, pace), opener).await?,
        (_, Some(stream)) => {
            let id = id_of(&stream).to_owned();
            let handle = handle(&app, &id).await?;
            (id, handle)
        }
    };
    // What was done before an interruption is not done again.
    if begun.look().await?.tournament.phase() == Phase::Unopened {
        begun.act(Act::Open).await??;
    }
    if begun.look().await?.tournament.conditions().is_none() {
        begun.act(Act::Document(Box::new(conditions))).await??;
    }
    Ok(Json(super::tables::Opened { id }))
}

/// Begins a tournament, if the book allows its conditions.
pub(crate) async fn hold(
    app: &App,
    conditions: &Conditions,
    (deals, pace): (Deals, Option<Pace>),
    opener: Option<Opener>,
) -> Result<(String, TournamentHandle), Problem> {
    let name = conditions.book.clone();
    let name =
        name.ok_or_else(|| Problem::bad("conditions without a book", "book = \"act-2018\""))?;
    let book = app.books.book(&name, None);
    let book = book.map_err(|why| Problem::bad(why, "one of GET /api/v1/books"))?;
    let faults = tournament::check::faults(conditions, &book.rulebook);
    let told: Vec<_> = faults
        .iter()
        .map(|fault| match &fault.clause {
            Some(clause) => format!("{} [{clause}]", fault.what),
            None => fault.what.clone(),
        })
        .collect();
    if !told.is_empty() {
        let mut problem = Problem::bad(told.join("; "), "conditions that the book allows");
        problem.clauses = faults.into_iter().filter_map(|fault| fault.clause).collect();
        return Err(problem);
    }
    if !is_title(&conditions.name) {
        let what = "a tournament with a name that is none";
        return Err(Problem::bad(what, "a name of 1 to 60 characters in one line"));
    }
    if app.floor.tournaments().len() >= MOST {
        crate::schedule::put_away(app).await;
    }
    if app.floor.tournaments().len() >= MOST {
        let instead = format!("at most {MOST} that are not over: end or cancel one");
        return Err(Problem::bad("a tournament that has no place", instead));
    }
    let id = format!("e{}", app.next_tournament());
    // The clock of an event is the one on the wall when it starts.
    let ahead = match conditions.start {
        Some(start) => app.config.ahead_of_utc_when_it_shows(start.0),
        None => app.config.ahead_of_utc(app.floor.utc()),
    };
    let title = conditions.name.clone();
    let setup = Setup { title, deals, pace, alone: false, ahead_of_utc: Some(ahead) };
    let beginning = Beginning { stream: id.clone(), name, book: Arc::clone(&book), setup, opener };
    let handle = app.floor.open_tournament(beginning).await?;
    Ok((id, handle))
}

pub(crate) async fn order(
    State(app): State<App>,
    who: Who,
    Path(id): Path<String>,
    Json(asked): Json<Asked>,
) -> Answered<EventDone> {
    Ok(Json(answered_in_event(&app, &who, &id, &asked).await?))
}

/// Takes an order of somebody, by request or by socket.
pub(crate) async fn answered_in_event(
    app: &App,
    who: &Who,
    id: &str,
    asked: &Asked,
) -> Result<EventDone, Problem> {
    let handle = handle(app, id).await?;
    let act = read(who, asked)?;
    let role = who.role(asked.role.as_deref(), speaks_in_event(act.usual().role, &who.roles))?;
    let order = Order { who: who.account.clone(), role, key: asked.key.clone(), act };
    let answer = handle.order(order).await?;
    done(&handle, who, role, answer).await
}

/// What became of an order, as somebody in a role may see it.
async fn done(
    handle: &TournamentHandle,
    who: &Who,
    role: Role,
    answer: Answer<EventTold>,
) -> Result<EventDone, Problem> {
    let (version, repeated) = (answer.version, answer.repeated);
    let told = answer.ruled?;
    let eyes = who.eyes(Some(role.key()))?;
    let scene = handle.look().await?;
    let of = |told: &EventTold| {
        let view = tournament_event_view(&eyes, &scene.tournament, &told.event);
        view.map(|view| view.at_version(told.version))
    };
    let events: Vec<_> = told.iter().filter_map(of).collect();
    let clauses = each_once(events.iter().flat_map(|event| &event.clauses));
    let (at, system) = (scene.now, scene.setup.deals != Deals::Keyed);
    let lawful = view::lawful_in_tournament(&eyes, &scene.tournament, at, system);
    Ok(EventDone { version, repeated, events, clauses, lawful, words: None })
}

/// A step of a ballot whose secret the house keeps sealed.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum BallotStep {
    /// Commit to it.
    Commit,
    /// Reveal it, and draw the places.
    Reveal,
}

/// A ballot for places.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewBallot {
    /// The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and
    /// answered the same.
    #[schemars(length(min = 1, max = 64))]
    pub(crate) key: String,
    /// Which step of it.
    pub(crate) step: BallotStep,
}

pub(crate) async fn ballot(
    State(app): State<App>,
    who: Who,
    Path(id): Path<String>,
    Json(new): Json<NewBallot>,
) -> Answered<EventDone> {
    who.must_be(Role::Director)?;
    let handle = handle(&app, &id).await?;
    let act = match new.step {
        BallotStep::Commit => Sealed::CommitBallot,
        BallotStep::Reveal => Sealed::RevealBallot,
    };
    let (role, account) = (Role::Director, who.account.clone());
    let answer = handle.order_sealed(Order { who: account, role, key: new.key, act }).await?;
    Ok(Json(done(&handle, &who, role, answer).await?))
}

/// A table at which the system deals.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewDeal {
    /// The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and
    /// answered the same.
    #[schemars(length(min = 1, max = 64))]
    pub(crate) key: String,
    /// The number of the table.
    #[schemars(range(min = 1))]
    pub(crate) table: u32,
}

/// The system deals as far as nobody else is asked.
pub(crate) async fn deal(
    State(app): State<App>,
    who: Who,
    Path(id): Path<String>,
    Json(new): Json<NewDeal>,
) -> Answered<EventDone> {
    let role = if who.roles.contains(&Role::Dealer) { Role::Dealer } else { Role::Director };
    who.must_be(role)?;
    let handle = handle(&app, &id).await?;
    let act = Deal { table: new.table };
    let answer = handle.deal(Order { who: who.account.clone(), role, key: new.key, act }).await?;
    let done = done(&handle, &who, role, answer).await?;
    Ok(Json(EventDone { words: words(&handle.look().await?, new.table), ..done }))
}

/// A sheet of a tournament.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SheetDocument {
    /// Its text, in lines as they are printed.
    pub(crate) text: String,
}

pub(crate) async fn sheet(
    State(app): State<App>,
    who: Who,
    From(address): From,
    Path((id, sheet)): Path<(String, String)>,
) -> Answered<SheetDocument> {
    who.must_be_one(super::Asks::EventStaff.roles())?;
    let known = || format!("one of {}", Sheet::ALL.map(Sheet::key).join(", "));
    let sheet = Sheet::from_key(&sheet)
        .ok_or_else(|| Problem::bad(format!("no sheet `{sheet}`"), known()))?;
    let handle = handle(&app, &id).await?;
    // The scores are read from the whole of the log.
    let behind = if sheet == Sheet::Scores { handle.look().await?.version } else { 0 };
    let _turn = app.bounds.page(&Asker::new(Some(&who), address), behind).await?;
    Ok(Json(SheetDocument { text: handle.sheet(sheet).await? }))
}

/// What was published of the shoe at a table.
pub(crate) async fn shoe(
    State(app): State<App>,
    Path((id, number)): Path<(String, u32)>,
) -> Answered<ShoeDocument> {
    let mut scene = handle(&app, &id).await?.look().await?;
    let none = || Problem::unknown("no shoe of the system's is at that table");
    let record = scene.shoes.remove(&number).ok_or_else(none)?;
    let number = record.second().map_or(0, |way| way.binds.number);
    Ok(Json(ShoeDocument { number, shoe: Some(Arc::new(record)), cards_left: None }))
}

pub(crate) async fn promise(
    State(app): State<App>,
    who: Who,
    Path((id, number)): Path<(String, u32)>,
    Json(new): Json<NewPromise>,
) -> Answered<Value> {
    let promise = Promise { account: who.account.clone(), first: new.first, second: new.second };
    handle(&app, &id).await?.promise(number, promise).await??;
    Ok(Json(json!({ "promised": true, "account": who.account })))
}

pub(crate) async fn word(
    State(app): State<App>,
    who: Who,
    Path((id, number)): Path<(String, u32)>,
    Json(new): Json<NewWord>,
) -> Answered<Value> {
    handle(&app, &id).await?.open_word(number, &who.account, new.read()).await??;
    Ok(Json(json!({ "opened": true })))
}

/// What the players of a table may send for its shoe now.
fn words(scene: &EventScene, table: u32) -> Option<Words> {
    let record = scene.shoes.get(&table).filter(|record| record.entropy.is_none())?;
    let way = record.second().filter(|way| way.signature.is_none() || !way.promises.is_empty())?;
    match (way.signature.is_some(), record.root.is_some(), record.cut.is_some()) {
        (false, ..) => Some(Words::Promise),
        (true, false, _) => Some(Words::First),
        (true, true, false) => Some(Words::Second),
        (true, true, true) => None,
    }
}

/// The act that is asked for.
fn read(who: &Who, asked: &Asked) -> Result<Act, Problem> {
    match wanted(who, asked, transcript::understand_in_tournament)? {
        Wanted::Act(act) => Ok(act),
        Wanted::Said(SaidInTournament::Act(_, act)) => Ok(*act),
        Wanted::Said(SaidInTournament::Clock(_)) => {
            Err(Problem::bad("a line that sets the clock", "time is the house's own"))
        }
        Wanted::Said(SaidInTournament::Nothing) => {
            Err(Problem::bad("a line that says nothing", "a line that says what happens"))
        }
        Wanted::Said(SaidInTournament::Opening) => {
            let what = "a line that opens something, or a condition: this tournament has its own";
            Err(Problem::bad(what, HOW_TO_OPEN))
        }
    }
}

/// The words of a sealed form.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewForm {
    /// The key of the order, 1 to 64 bytes of your own: the same key is carried out once, and
    /// answered the same.
    #[schemars(length(min = 1, max = 64))]
    pub(crate) key: String,
    /// What the form says, such as `100 on banker`.
    #[schemars(length(min = 1, max = 200), example = &"100 on banker")]
    pub(crate) words: String,
}

pub(crate) async fn form(
    State(app): State<App>,
    who: Who,
    Path(id): Path<String>,
    Json(new): Json<NewForm>,
) -> Answered<EventDone> {
    let handle = handle(&app, &id).await?;
    let (role, account) = (Role::Player, who.account.clone());
    // The words stay in their sealed box: the answer has their commitment.
    let act = Sealed::Form(who.name, new.words);
    let answer = handle.order_sealed(Order { who: account, role, key: new.key, act }).await?;
    Ok(Json(done(&handle, &who, role, answer).await?))
}
