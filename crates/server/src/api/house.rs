//! The house itself: its head, its alarms, its health.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use shoe::Digest;
use table::Role;

use crate::App;
use crate::problem::{Answered, Problem};
use crate::who::{From, Who};

/// The newest signed head.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HeadView {
    /// How many heads there are.
    pub(crate) version: u64,
    /// The hash, to be kept: `sabot audit verify --head VERSION:HASH` holds the log to it.
    pub(crate) hash: String,
    /// The house's public key.
    pub(crate) public_key: Option<String>,
    /// The record of the head, so that its hash and its signature can be checked.
    pub(crate) record: HeadRecord,
}

/// A checkpoint as it stands in the log; `docs/LOG.md` says how it is hashed and signed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HeadRecord {
    /// The hash of the checkpoint before; zeros for the first.
    #[schemars(with = "String")]
    pub(crate) previous: Digest,
    /// When, in microseconds.
    pub(crate) at: u64,
    /// Who wrote it.
    pub(crate) actor: String,
    /// The command that it came from.
    pub(crate) key: String,
    /// How to read the body.
    pub(crate) schema: String,
    /// The heads of all streams, and the signature.
    pub(crate) body: String,
}

/// The house as everybody may know it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HouseView {
    /// The time by the server's clock, in microseconds since 1970, UTC.
    pub(crate) now: u64,
    /// The house's time zone: a name such as `Australia/Sydney`, or an offset such as `+10:00`.
    pub(crate) time_zone: String,
    /// How far the house's clock on the wall is before UTC now, in minutes.
    pub(crate) utc_offset_minutes: i32,
}

pub(crate) async fn house(State(app): State<App>) -> Json<HouseView> {
    let (now, time_zone) = (store::now(), app.config.zone_name());
    Json(HouseView { now, time_zone, utc_offset_minutes: app.config.ahead_of_utc(now) })
}

pub(crate) async fn head(State(app): State<App>) -> Answered<HeadView> {
    let head = app.floor.log().head().await.map_err(live::LiveError::from)?;
    let head = head.ok_or_else(|| Problem::unknown("there is no head yet"))?;
    let from = head.version.saturating_sub(2);
    let records = app.floor.log().records(store::CHECKPOINTS, from).await;
    let mut last = records.map_err(live::LiveError::from)?;
    let record = last.pop().ok_or_else(|| Problem::unknown("there is no head yet"))?;
    let previous = last.last().map_or(store::START, |before| before.hash);
    let public_key = app.floor.log().public_key().map(|key| key.to_string());
    let (version, hash) = (record.version, record.hash.to_string());
    let store::Record { at, actor, key, schema, body, .. } = record;
    let record = HeadRecord { previous, at, actor, key, schema, body };
    Ok(Json(HeadView { version, hash, public_key, record }))
}

pub(crate) async fn alarms(State(app): State<App>, who: Who) -> Answered<Value> {
    who.must_be(Role::Operator)?;
    let of = app.floor.log().file().map(store::Store::alarms).unwrap_or_default();
    let of: Vec<_> =
        of.into_iter().map(|(stream, why)| json!({ "stream": stream, "why": why })).collect();
    Ok(Json(
        json!({ "log": app.floor.log().alarm(), "streams": of, "not_resumed": app.not_resumed() }),
    ))
}

pub(crate) async fn health() -> &'static str {
    "alive\n"
}

/// Whether it takes orders: the log can be written, and the server is not about to stop.
pub(crate) async fn ready(State(app): State<App>) -> Result<&'static str, Problem> {
    let stopping = *app.stopping.borrow();
    if stopping || app.floor.log().alarm().is_some() {
        let status = axum::http::StatusCode::SERVICE_UNAVAILABLE;
        return Err(Problem::new(status, "not-ready", "no orders are taken", "ask again later"));
    }
    Ok("ready\n")
}

/// What is counted, for this machine and for whoever the set-up names.
pub(crate) async fn metrics(
    State(app): State<App>,
    From(address): From,
) -> Result<impl IntoResponse, Problem> {
    if !address.is_loopback() && !app.config.metrics_for.contains(&address) {
        let what = format!("{address} does not watch this server");
        let instead = "ask from its own machine, or be named in `metrics_for` of the set-up";
        return Err(Problem::not_yours(what, instead));
    }
    let log = app.floor.log();
    let streams = log.file().map_or(0, |store| store.alarms().len());
    let alarms = streams + usize::from(log.alarm().is_some()) + app.not_resumed().len();
    let page = app.metrics.page(app.floor.tables().len(), alarms, app.hub.watched());
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], page))
}
