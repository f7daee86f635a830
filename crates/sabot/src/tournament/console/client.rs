//! A tournament of a floor as the console reaches it: orders go in, and where the event stands is
//! looked up again after each.

use std::path::Path;
use std::sync::Arc;

use live::{
    Beginning, EventRuled, EventScene, Floor, LiveError, Order, Sheet, TableStep, TournamentHandle,
    World, tournament_stream,
};
use rulebooks::Book;
use store::{Begin, Log, Setup, Store};
use table::{By, Name, Role};
use tournament::{Act, Tournament};

use super::TITLE;
use crate::data::key_of;

/// One tournament, on a floor of its own.
pub(super) struct Client {
    floor: Floor,
    handle: TournamentHandle,
    scene: EventScene,
    /// What the keys of this process's orders begin with.
    start: u64,
    orders: u64,
}

/// Who speaks at the console: one person runs this event.
const WHO: &str = "console";

impl Client {
    /// Begins a tournament in a new log, or in one whose beginning was interrupted.
    pub(super) async fn begin(
        (log, as_new): (&Path, Begin),
        beginning: Beginning,
        world: World,
    ) -> Result<Self, LiveError> {
        let store = Store::open_with(log, &key_of(log), as_new).await?;
        let begun = async {
            let floor = Floor::open(store.clone(), world).await?;
            let handle = floor.open_tournament(beginning).await?;
            Self::at(floor, handle).await
        };
        closed_if_failed(begun.await, &store).await
    }

    /// Goes on with the tournament of a log.
    pub(super) async fn resume(log: &Path, world: World) -> Result<Self, LiveError> {
        let judge = audit::judge_first_form;
        let store = Store::open_judged(log, &key_of(log), Begin::Either, judge).await?;
        let resumed = async {
            let floor = Floor::open(store.clone(), world).await?;
            let handle = floor.resume_tournament(&tournament_stream(TITLE)).await?;
            Self::at(floor, handle).await
        };
        closed_if_failed(resumed.await, &store).await
    }

    async fn at(floor: Floor, handle: TournamentHandle) -> Result<Self, LiveError> {
        let scene = handle.look().await?;
        Ok(Self { floor, handle, scene, start: store::now(), orders: 0 })
    }

    /// Where the event stands is looked up again.
    async fn after<T>(&mut self, done: T) -> Result<T, LiveError> {
        self.scene = self.handle.look().await?;
        Ok(done)
    }

    /// Sends an act of somebody in a role.
    pub(super) async fn act_by(&mut self, by: By, act: Act) -> Result<EventRuled, LiveError> {
        self.orders += 1;
        // Players together and devices speak through the dealer.
        let through = matches!(by.role, Role::Players | Role::Device);
        let role = if through { Role::Dealer } else { by.role };
        let key = format!("{:x}-{}", self.start, self.orders);
        let answer = self.handle.order(Order { who: WHO.into(), role, key, act }).await?;
        self.after(answer.ruled).await
    }

    /// Does something of the house's own.
    pub(super) async fn act(&mut self, act: Act) -> Result<EventRuled, LiveError> {
        let ruled = self.handle.act(act).await?;
        self.after(ruled).await
    }

    /// The system deals at a table, if it is its turn.
    pub(super) async fn step(&mut self, table: u32) -> Result<TableStep, LiveError> {
        let step = self.handle.step(table).await?;
        self.after(step).await
    }

    pub(super) async fn hand_in(
        &mut self,
        name: Name,
        content: &str,
    ) -> Result<EventRuled, LiveError> {
        let ruled = self.handle.hand_in(name, content).await?;
        self.after(ruled).await
    }

    pub(super) async fn commit_ballot(&mut self) -> Result<EventRuled, LiveError> {
        let ruled = self.handle.commit_ballot().await?;
        self.after(ruled).await
    }

    pub(super) async fn reveal_ballot(&mut self) -> Result<EventRuled, LiveError> {
        let ruled = self.handle.reveal_ballot().await?;
        self.after(ruled).await
    }

    /// A sheet of the event, to be shown or printed.
    pub(super) async fn sheet(&self, sheet: Sheet) -> Result<String, LiveError> {
        self.handle.sheet(sheet).await
    }

    pub(super) const fn tournament(&self) -> &Tournament {
        &self.scene.tournament
    }

    pub(super) const fn book(&self) -> &Arc<Book> {
        &self.scene.book
    }

    pub(super) const fn setup(&self) -> &Setup {
        &self.scene.setup
    }

    /// The id of the book, with its sheets.
    pub(super) fn name(&self) -> &str {
        &self.scene.name
    }

    pub(super) const fn version(&self) -> u64 {
        self.scene.version
    }

    pub(super) fn log(&self) -> &Log {
        self.floor.log()
    }

    /// Stops in order, and gives the head.
    pub(super) async fn close(self) -> Result<Option<store::Head>, LiveError> {
        drop(self.handle);
        self.floor.close().await
    }
}

/// A log whose tournament cannot be had is closed again.
async fn closed_if_failed(
    client: Result<Client, LiveError>,
    store: &Store,
) -> Result<Client, LiveError> {
    if client.is_err() {
        store.close().await;
    }
    client
}
