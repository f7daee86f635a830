//! Tables: the list, one of them, orders, the shoe, coups.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::extract::{Path, Query, State};
use live::{Beginning, Opener, Order, Told};
use rules::Clause;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shoe::{Digest, Promise, ShoeRecord, Which};
use store::{Deals, Setup};
use table::{Act, By, Code, Phase, Role};
use transcript::{Said, SaidInTournament};
use view::{EventView, Eyes, Lawful, TableView, event_view};

use super::asked::{Asked, Wanted, each_once, opener, speaks, wanted};
use super::tournaments::HOW_TO_OPEN;
use crate::App;
use crate::bounds::{Asker, MOST_TABLES};
use crate::config::{TableConfig, is_title, pace};
use crate::metrics::Metrics;
use crate::opening::{self, Opening};
use crate::problem::{Answered, Problem};
use crate::who::{From, Maybe, Who};

/// A table in the list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TableRow {
    /// Its id, for everything else.
    pub(crate) id: String,
    /// Its name.
    pub(crate) title: String,
    /// The book, with what is laid over it.
    pub(crate) book: String,
    /// Who deals: `system`, `staff` or `keyed`.
    pub(crate) deals: &'static str,
    /// How long wagers are open, in milliseconds, where the system deals.
    pub(crate) betting_ms: Option<u64>,
    /// What it is waiting for.
    pub(crate) phase: &'static str,
    /// The number of the current coup, or of the coming one.
    pub(crate) coup: u32,
    /// Places, and how many are taken.
    pub(crate) seats: u32,
    /// Players who sit there.
    pub(crate) seated: u32,
    /// The smallest and the largest wager on Player and Banker, in cents.
    pub(crate) main_cents: Option<(u64, u64)>,
    /// The outcomes of the shoe so far: `player`, `banker`, `tie`.
    pub(crate) beads: Vec<String>,
    /// Coups that players dispute and nobody has decided on yet.
    pub(crate) disputes: u32,
    /// The version of its stream.
    pub(crate) version: u64,
}

/// As whom to look.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Looking {
    /// `player`, `spectator` or a role of staff.
    #[serde(rename = "as")]
    pub(crate) role: Option<String>,
}

/// The events to be told.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Since {
    /// As whom to look.
    #[serde(rename = "as")]
    pub(crate) role: Option<String>,
    /// The last version that was seen.
    #[serde(default)]
    pub(crate) after: u64,
}

/// What followed from an order.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Done {
    /// The last record when it was answered first.
    pub(crate) version: u64,
    /// It was answered before: nothing was done again.
    pub(crate) repeated: bool,
    /// What followed, in order.
    pub(crate) events: Vec<EventView>,
    /// The clauses that it rests on, each once.
    #[schemars(with = "Vec<String>")]
    pub(crate) clauses: Vec<Clause>,
    /// What you could do next.
    pub(crate) lawful: Vec<Lawful>,
}

/// The eyes with which somebody looks, or nobody in particular.
pub(crate) fn eyes_of(who: Option<&Who>, role: Option<&str>) -> Result<Eyes, Problem> {
    match (who, role) {
        (Some(who), role) => who.eyes(role),
        (None, None | Some("spectator")) => Ok(Eyes::Spectator),
        (None, Some(_)) => Err(Problem::nobody()),
    }
}

const fn deals_word(deals: Deals) -> &'static str {
    match deals {
        Deals::System => "system",
        Deals::Staff => "staff",
        Deals::Keyed => "keyed",
    }
}

pub(crate) async fn list(State(app): State<App>) -> Answered<Vec<TableRow>> {
    let mut rows = Vec::new();
    for handle in app.floor.tables() {
        // A table that stops while the list is made is not in it.
        let Ok(scene) = handle.look().await else { continue };
        let table = &scene.table;
        let by_the_clock = scene.setup.pace.filter(|_| scene.setup.deals == Deals::System);
        let main = table.limits(rules::Group::Main);
        let roads = view::roads_view(table.roads());
        rows.push(TableRow {
            id: scene.stream.clone(),
            title: scene.setup.title.clone(),
            book: scene.name.clone(),
            deals: deals_word(scene.setup.deals),
            betting_ms: by_the_clock.map(|pace| pace.betting_ms),
            phase: view::phase(table.phase()),
            coup: view::coup_number(table),
            seats: table.options().seats,
            seated: u32::try_from(table.present().filter(|(_, p)| !p.standing).count())
                .unwrap_or(0),
            main_cents: main.map(|limits| (limits.least.get(), limits.most.get())),
            beads: roads.beads.iter().map(|bead| bead.outcome.to_string()).collect(),
            disputes: u32::try_from(table.disputes().filter(|one| !one.decided).count())
                .unwrap_or(u32::MAX),
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
) -> Answered<TableView> {
    let eyes = eyes_of(who.as_ref(), looking.role.as_deref())?;
    let handle = app.table(&id)?;
    let account = who.as_ref().map(|who| who.account.as_str());
    Ok(Json(handle.view(&eyes, account).await?))
}

/// What happened, in order.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TableEvents {
    /// The last record that it covers.
    pub(crate) version: u64,
    /// What happened.
    pub(crate) events: Vec<EventView>,
    /// There is more behind that version: ask again from there.
    pub(crate) more: bool,
}

pub(crate) async fn events(
    State(app): State<App>,
    Maybe(who): Maybe,
    From(address): From,
    Path(id): Path<String>,
    Query(since): Query<Since>,
) -> Answered<TableEvents> {
    let eyes = eyes_of(who.as_ref(), since.role.as_deref())?;
    let handle = app.table(&id)?;
    let asker = Asker::new(who.as_ref(), address);
    let behind = handle.look().await?.version.saturating_sub(since.after);
    let _turn = app.bounds.page(&asker, behind).await?;
    let page = handle.page_for(&eyes, since.after).await?;
    Ok(Json(TableEvents { version: page.version, events: page.events, more: page.more }))
}

pub(crate) async fn order(
    State(app): State<App>,
    who: Who,
    Path(id): Path<String>,
    Json(asked): Json<Asked>,
) -> Answered<Done> {
    answered(&app, &who, &id, &asked).await.map(Json)
}

/// Gives an order to a table, and tells what followed.
pub(crate) async fn answered(
    app: &App,
    who: &Who,
    id: &str,
    asked: &Asked,
) -> Result<Done, Problem> {
    let handle = app.table(id)?;
    let (by, act) = read(who, asked)?;
    let role = who.role(asked.role.as_deref(), speaks(by.role))?;
    let order = Order { who: who.account.clone(), role, key: asked.key.clone(), act };
    let began = Instant::now();
    let (answer, scene) = handle.order_and_look(order).await?;
    app.metrics.order_times.note(began.elapsed());
    Metrics::add(&app.metrics.orders);
    let told = answer.ruled.inspect_err(|_| Metrics::add(&app.metrics.refused))?;
    Ok(done(&scene, &eyes_as(who, role), &told, (answer.version, answer.repeated)))
}

/// A line or an act to be tried.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trial {
    /// The role in which you would speak; where it is left out, the line says it.
    #[serde(rename = "as", default)]
    pub(crate) role: Option<String>,
    /// A line of the language.
    #[serde(default)]
    #[schemars(example = &"supervisor voids coup 3 because of a wrong card")]
    pub(crate) line: Option<String>,
    /// The act in the form of the log.
    #[serde(default)]
    pub(crate) act: Option<Value>,
}

/// What an order would do.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WouldDo {
    /// What would follow, in order.
    pub(crate) events: Vec<EventView>,
    /// The clauses that it would rest on, each once.
    #[schemars(with = "Vec<String>")]
    pub(crate) clauses: Vec<Clause>,
    /// A second person would have to say the same.
    pub(crate) second_person: bool,
}

/// Judges an order without doing it; a refusal is told as that of the order would be.
pub(crate) async fn consider(
    State(app): State<App>,
    who: Who,
    Path(id): Path<String>,
    Json(trial): Json<Trial>,
) -> Answered<WouldDo> {
    let handle = app.table(&id)?;
    let Trial { role, line, act } = trial;
    let asked = Asked { key: String::new(), role, line, act };
    let (by, act) = read(&who, &asked)?;
    let role = who.role(asked.role.as_deref(), speaks(by.role))?;
    let order = Order { who: who.account.clone(), role, key: asked.key, act };
    let tried = handle.consider(order).await?;
    let told = tried.ruled?;
    let version = tried.scene.version;
    let would = done(&tried.scene, &eyes_as(&who, role), &told, (version, false));
    let second_person = tried.second;
    Ok(Json(WouldDo { events: would.events, clauses: would.clauses, second_person }))
}

/// The eyes of somebody who speaks in a role.
fn eyes_as(who: &Who, role: Role) -> Eyes {
    match role {
        Role::Player => Eyes::Player(who.name),
        other => who.eyes(Some(other.key())).unwrap_or(Eyes::Player(who.name)),
    }
}

fn done(scene: &live::Scene, eyes: &Eyes, told: &[Told], (version, repeated): (u64, bool)) -> Done {
    let table = &scene.table;
    let view = |told: &Told| {
        let view = event_view(eyes, table, &told.event)?;
        Some(EventView { version: told.version, ..view })
    };
    let events: Vec<_> = told.iter().filter_map(view).collect();
    let clauses = each_once(events.iter().flat_map(|event| &event.clauses));
    let system = scene.setup.deals != Deals::Keyed;
    Done { version, repeated, events, clauses, lawful: view::lawful(eyes, table, system) }
}

/// The act that is asked for.
fn read(who: &Who, asked: &Asked) -> Result<(By, Act), Problem> {
    let usual = |act: Act| (By::usual(&act), act);
    match wanted(who, asked, transcript::understand)? {
        Wanted::Act(act) => Ok(usual(act)),
        Wanted::Said(Said::Act(by, act)) => Ok((by, *act)),
        Wanted::Said(Said::Opening { options, .. }) => Ok(usual(Act::Open(options))),
        Wanted::Said(Said::Nothing) => {
            Err(Problem::bad("a line that says nothing", "a line that says what happens"))
        }
        Wanted::Said(Said::Tournament) => {
            let line = asked.line.as_deref().unwrap_or_default();
            let said = transcript::understand_in_tournament(line);
            let opens = matches!(said, Ok(SaidInTournament::Opening));
            let instead = if opens { HOW_TO_OPEN } else { "say it to the tournament" };
            Err(Problem::bad("a line of a tournament", instead))
        }
    }
}

/// A table to open.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTable {
    /// A key of your own, 1 to 64 bytes: under the same key it is begun once. Whoever got no answer
    /// asks again.
    #[serde(default)]
    #[schemars(length(min = 1, max = 64))]
    pub(crate) key: Option<String>,
    /// Its name.
    #[schemars(length(min = 1, max = 60), example = &"Riverside")]
    pub(crate) title: String,
    /// The line that opens it, such as `operator opens act-2018 with dragon`.
    #[schemars(example = &"operator opens act-2018 with dragon")]
    pub(crate) opens: String,
    /// The lines of its sign, such as `operator posts main 5..500`.
    #[serde(default)]
    pub(crate) sign: Vec<String>,
    /// Who deals: `system` (by the clock), `staff` (from the system's shoe) or `keyed`.
    #[serde(default)]
    #[schemars(example = &"staff")]
    pub(crate) deals: Option<String>,
    /// `usual`, `quick` or `at-once`, where the system deals.
    #[serde(default)]
    pub(crate) pace: Option<String>,
}

/// A table that was opened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Opened {
    /// Its id.
    pub(crate) id: String,
}

pub(crate) async fn open(
    State(app): State<App>,
    who: Who,
    Json(new): Json<NewTable>,
) -> Answered<Opened> {
    who.must_be(Role::Operator)?;
    let deals = match new.deals.as_deref().unwrap_or("system") {
        "system" => Deals::System,
        "staff" => Deals::Staff,
        "keyed" => Deals::Keyed,
        other => return Err(Problem::bad(format!("`deals` is {other}"), "system, staff or keyed")),
    };
    let word = new.pace.as_deref().unwrap_or("usual");
    let pace = pace(word)
        .ok_or_else(|| Problem::bad(format!("`pace` is {word}"), "usual, quick or at-once"))?;
    if !is_title(&new.title) {
        return Err(Problem::bad("a title that is none", "1 to 60 characters in one line"));
    }
    let asked = opener(&app, &who, new.key.as_deref(), &new).await?;
    let config = TableConfig { title: new.title, opens: new.opens, sign: new.sign, deals, pace };
    Ok(Json(Opened { id: begin(&app, &config, &who.account, asked).await? }))
}

/// How many tables are not closed; where few are, nobody is asked.
async fn open_tables(app: &App) -> usize {
    let tables = app.floor.tables();
    if tables.len() < MOST_TABLES {
        return tables.len();
    }
    let mut open = 0;
    for handle in tables {
        let closed = handle.look().await.is_ok_and(|scene| scene.table.phase() == Phase::Closed);
        open += usize::from(!closed);
    }
    open
}

/// Begins a table, opens it and puts up its sign, each as the operator's own act; or goes on with
/// one whose opening may have been interrupted: what was done is not done again.
pub(crate) async fn begin(
    app: &App,
    config: &TableConfig,
    who: &str,
    (opener, begun): (Option<Opener>, Option<String>),
) -> Result<String, Problem> {
    if begun.is_none() && open_tables(app).await >= MOST_TABLES {
        let instead = format!("at most {MOST_TABLES} that are open: close one");
        return Err(Problem::bad("the floor is full", instead));
    }
    let first = |mut faults: Vec<Problem>| faults.swap_remove(0);
    let Opening { name, book, options, sign } =
        opening::read(&app.books, &config.opens, &config.sign).map_err(first)?;
    let pace = (config.deals != Deals::Keyed).then_some(config.pace);
    let (title, deals) = (config.title.clone(), config.deals);
    let setup = Setup { title, deals, pace, alone: false, ahead_of_utc: None };
    let going_on = begun.is_some();
    let stream = begun.unwrap_or_else(|| app.next_table());
    let beginning = Beginning { stream: stream.clone(), name, book, setup, opener };
    let handle = if going_on {
        app.floor.resume_table(&stream).await?
    } else {
        app.floor.begin_table(beginning).await?
    };
    for (i, act) in std::iter::once(Act::Open(options)).chain(sign).enumerate() {
        let key = format!("{stream} opening {i}");
        let order = Order { who: who.into(), role: Role::Operator, key, act };
        match handle.order(order).await?.ruled {
            Ok(_) => {}
            // A set-up that says something else by now changes no table that was opened by it.
            Err(refusal) if going_on && refusal.code == Code::KeyReused => {}
            Err(refusal) => return Err(refusal.into()),
        }
    }
    Ok(stream)
}

/// What was published of the current shoe.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShoeDocument {
    /// The number of the shoe, from 1.
    pub(crate) number: u32,
    /// What was published, in the form that docs/VERIFY.md explains.
    #[schemars(with = "Value")]
    pub(crate) shoe: Option<Arc<ShoeRecord>>,
    /// Cards that are left.
    pub(crate) cards_left: Option<u32>,
}

pub(crate) async fn shoe(State(app): State<App>, Path(id): Path<String>) -> Answered<ShoeDocument> {
    let scene = app.table(&id)?.look().await?;
    let (number, cards_left) = (scene.shoe_number, scene.cards_left);
    Ok(Json(ShoeDocument { number, shoe: scene.shoe, cards_left }))
}

/// The last shoe that is over: its secret is in it, so that all of it can be checked.
pub(crate) async fn last_shoe(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Answered<ShoeDocument> {
    let scene = app.table(&id)?.look().await?;
    let record = scene.revealed.ok_or_else(|| Problem::unknown("no shoe has ended here yet"))?;
    let number = record.second().map_or(0, |way| way.binds.number);
    Ok(Json(ShoeDocument { number, shoe: Some(record), cards_left: None }))
}

/// A promise of two words: see docs/VERIFY.md.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPromise {
    /// The hash of the first word, which goes into the order.
    #[schemars(with = "String", regex(pattern = r"^[0-9a-f]{64}$"))]
    pub(crate) first: Digest,
    /// The hash of the second word, which goes into a cut that nobody chooses.
    #[schemars(with = "String", regex(pattern = r"^[0-9a-f]{64}$"))]
    pub(crate) second: Digest,
}

/// A word that was promised.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewWord {
    /// `first`, before the shuffle, or `second`, before a cut that nobody chooses.
    pub(crate) which: WhichWord,
    /// The word, 32 bytes in hexadecimal.
    #[schemars(with = "String", regex(pattern = r"^[0-9a-f]{64}$"))]
    pub(crate) word: Digest,
}

impl NewWord {
    pub(crate) const fn read(&self) -> (Which, Digest) {
        let which = match self.which {
            WhichWord::First => Which::First,
            WhichWord::Second => Which::Second,
        };
        (which, self.word)
    }
}

/// Which of the two words.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WhichWord {
    /// Before the shuffle.
    First,
    /// Before the cut.
    Second,
}

pub(crate) async fn promise(
    State(app): State<App>,
    who: Who,
    Path(id): Path<String>,
    Json(new): Json<NewPromise>,
) -> Answered<Value> {
    let handle = app.table(&id)?;
    seated(&handle, &who).await?;
    let promise = Promise { account: who.account.clone(), first: new.first, second: new.second };
    handle.promise(promise).await??;
    Ok(Json(json!({ "promised": true, "account": who.account })))
}

pub(crate) async fn word(
    State(app): State<App>,
    who: Who,
    Path(id): Path<String>,
    Json(new): Json<NewWord>,
) -> Answered<Value> {
    let (which, word) = new.read();
    app.table(&id)?.open_word(&who.account, which, word).await??;
    Ok(Json(json!({ "opened": true })))
}

/// Who takes part in a shoe sits or stands at the table.
async fn seated(handle: &live::TableHandle, who: &Who) -> Result<(), Problem> {
    let scene = handle.look().await?;
    if scene.table.present().any(|(_, player)| player.name == who.name) {
        return Ok(());
    }
    let what = "a word of somebody who is not at the table";
    Err(Problem::not_yours(what, "sit down first: `sits at SEAT with AMOUNT`"))
}
