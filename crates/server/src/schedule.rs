//! Tournaments that are held every so often and run by themselves, where the configuration names
//! who directs them, under which book, and by whose approval.

use std::time::Duration;

use live::TournamentHandle;
use store::Deals;
use table::Name;
use tournament::conditions::Moment;
use tournament::{Act, Conditions, Next, Phase};
use transcript::Books as _;

use crate::App;
use crate::api::tournaments::hold;
use crate::config::EventConfig;
use crate::problem::Problem;

const MINUTE: u64 = 60_000_000;
/// How long before its start an event is there to be entered, at the least.
const LEAD: u64 = 2 * MINUTE;
/// Events that are over and stay at hand; older ones are read when somebody asks for them.
const AT_HAND: usize = 50;

/// Keeps an event open to enter, where one is configured, and lets go of those that are over, until
/// the server stops.
pub(crate) async fn run(app: App) {
    let mut stopping = app.stopping.subscribe();
    loop {
        if let Some(config) = &app.config.tournament
            && let Err(problem) = next_event(&app, config).await
        {
            tracing::error!(what = %problem.title, "the next tournament cannot be held");
        }
        put_away(&app).await;
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(20)) => {}
            _ = stopping.wait_for(|stopping| *stopping) => return,
        }
    }
}

/// The start of the next event, by the clock of the house.
fn next_start(now: u64, every_minutes: u32) -> Moment {
    let every = u64::from(every_minutes.max(1)) * MINUTE;
    Moment(((now + LEAD) / every + 1) * every)
}

/// Opens the next event, if it is not open yet, and the entries to it. What was interrupted is gone
/// on with.
async fn next_event(app: &App, config: &EventConfig) -> Result<(), Problem> {
    let now = app.floor.utc();
    let ahead = i64::from(app.config.ahead_of_utc(now)) * i64::try_from(MINUTE).unwrap_or(0);
    let start = next_start(now.saturating_add_signed(ahead), config.every_minutes);
    let conditions = conditions(app, config, start)?;
    for handle in app.floor.tournaments() {
        let scene = handle.look().await?;
        if scene.setup.title == conditions.name {
            return prepare(&handle, &conditions, config.director).await;
        }
    }
    let pace = Some(config.pace);
    let (_, handle) = hold(app, &conditions, (Deals::System, pace), None).await?;
    prepare(&handle, &conditions, config.director).await
}

/// The conditions of the event that starts then.
fn conditions(app: &App, config: &EventConfig, start: Moment) -> Result<Conditions, Problem> {
    let book = app.books.book(&config.book, None);
    let book = book.map_err(|why| Problem::bad(why, "one of GET /api/v1/books"))?;
    let text = transcript::conditions_for(&config.book, &book.rulebook, Some(config.players));
    let conditions = text.and_then(|text| transcript::conditions(&text));
    let conditions = conditions
        .map_err(|fault| Problem::bad(fault.to_string(), "another book or number of players"))?;
    Ok(Conditions {
        name: format!("{} {start}", conditions.name),
        start: Some(start),
        application: Some(format!("here, until places are drawn; approved: {}", config.approval)),
        ..conditions
    })
}

/// Does what comes before the entries.
async fn prepare(
    handle: &TournamentHandle,
    conditions: &Conditions,
    director: Name,
) -> Result<(), Problem> {
    loop {
        let scene = handle.look().await?;
        if !matches!(scene.tournament.phase(), Phase::Unopened | Phase::Preparing) {
            return Ok(());
        }
        let dues = scene.tournament.due_at(scene.now);
        let act = dues.into_iter().find_map(|due| match due.next {
            Next::Document => Some(Act::Document(Box::new(conditions.clone()))),
            Next::NameDirector => Some(Act::NameDirector(director)),
            _ => due.act,
        });
        let Some(act) = act else { return Ok(()) };
        handle.act(act).await??;
    }
}

/// Lets go of the oldest of those that are over. They can still be asked for.
pub(crate) async fn put_away(app: &App) {
    let mut over = Vec::new();
    for handle in app.floor.tournaments() {
        let Ok(scene) = handle.look().await else { continue };
        if matches!(scene.tournament.phase(), Phase::Ended | Phase::Cancelled) {
            over.push((scene.tournament.now(), handle));
        }
    }
    over.sort_by_key(|(ended, _)| std::cmp::Reverse(*ended));
    for (_, handle) in over.into_iter().skip(AT_HAND) {
        app.floor.close_tournament(handle).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_starts_on_the_half_hour_and_there_is_time_to_enter() {
        let at = |minutes: u64| next_start(minutes * MINUTE, 30).0 / MINUTE;
        assert_eq!([at(0), at(27), at(28), at(30), at(59)], [30, 30, 60, 60, 90]);
    }
}
