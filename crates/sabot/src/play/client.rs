//! A table of a floor as the terminal reaches it: orders go in, and what the table looks like is
//! looked up again after each.

use std::path::Path;
use std::sync::Arc;

use live::{Beginning, Floor, LiveError, Order, Ruled, Scene, Step, TableHandle, World};
use rulebooks::Book;
use rules::{Card, Side};
use shoe::ShoeRecord;
use store::{Begin, Body, Deals, Setup, Store};
use table::{Act, By, Deed, Name, PlayerId, Refusal, Role, Table};
use view::{Eyes, TableView, Watch};

use crate::data::{STREAM, key_of};

/// One table, on a floor of its own.
pub(crate) struct Client {
    floor: Floor,
    handle: TableHandle,
    scene: Scene,
    store: Store,
    /// What the keys of this process's orders begin with.
    start: u64,
    orders: u64,
}

/// Who speaks at the terminal: one person runs this house.
const WHO: &str = "terminal";
/// Who speaks for the simulated players: the log tells them from people by it.
const SIMULATED: &str = "simulated";

impl Client {
    /// Begins a table in a new log: it is begun by making its file.
    pub(crate) async fn begin(
        log: &Path,
        (name, book): (&str, Arc<Book>),
        (title, deals): (&str, Deals),
        world: World,
    ) -> Result<Self, LiveError> {
        let store = Store::open_with(log, &key_of(log), Begin::New).await?;
        let title = title.into();
        let setup = Setup { title, deals, pace: None, alone: true, ahead_of_utc: None };
        let beginning =
            Beginning { stream: STREAM.into(), name: name.into(), book, setup, opener: None };
        let begun = async {
            let floor = Floor::open(store.clone(), world).await?;
            let handle = floor.begin_table(beginning).await?;
            Self::at(floor, handle, store.clone()).await
        };
        closed_if_failed(begun.await, &store).await
    }

    /// Goes on with the table of a log.
    pub(crate) async fn resume(log: &Path) -> Result<Self, LiveError> {
        if !log.is_file() {
            return Err(store::StoreError::Missing(log.into()).into());
        }
        if store::never_began(log, &key_of(log))? {
            // Its beginning was interrupted; nothing was told.
            return Err(LiveError::NoTable(log.into()));
        }
        let judge = audit::judge_first_form;
        let store = Store::open_judged(log, &key_of(log), Begin::Either, judge).await?;
        let resumed = async {
            let floor = Floor::open(store.clone(), World::real()).await?;
            let handle = floor.resume_table(STREAM).await?;
            Self::at(floor, handle, store.clone()).await
        };
        closed_if_failed(resumed.await, &store).await
    }

    async fn at(floor: Floor, handle: TableHandle, store: Store) -> Result<Self, LiveError> {
        let scene = handle.look().await?;
        Ok(Self { floor, handle, scene, store, start: store::now(), orders: 0 })
    }

    /// Whether the cards come from shoes of the system's, and not from real ones that are keyed in.
    pub(crate) const fn is_dealt_from_the_systems_shoe(&self) -> bool {
        match self.scene.setup.deals {
            Deals::Keyed => false,
            Deals::Staff => true,
            // A log of the first form does not say who deals.
            Deals::System => self.scene.shoe_number > 0,
        }
    }

    async fn look(&mut self) -> Result<(), LiveError> {
        self.scene = self.handle.look().await?;
        Ok(())
    }

    /// Sends an act of somebody in a role.
    pub(crate) async fn act_by(&mut self, by: By, act: Act) -> Result<Ruled, LiveError> {
        self.send(WHO, by, act).await
    }

    /// Sends an act of a simulated player.
    pub(crate) async fn act_simulated(&mut self, act: Act) -> Result<Ruled, LiveError> {
        self.send(SIMULATED, By::usual(&act), act).await
    }

    /// The players at the table whom the program seated, and nobody who was typed in.
    pub(crate) async fn simulated(&self) -> Result<Vec<Name>, LiveError> {
        let mut seated = Vec::new();
        for record in self.store.records(STREAM, 0).await? {
            if let Body::Act(acted) = record.read()?
                && let Act::Player(account, Deed::Sit(..) | Deed::StandBehind(..)) = acted.act
            {
                seated.retain(|known| *known != account);
                if acted.who.as_deref() == Some(SIMULATED) {
                    seated.push(account);
                }
            }
        }
        let mut names = Vec::new();
        for (_, player) in self.table().present() {
            // The log has accounts in the place of names.
            let account = self.account(&player.name).await?;
            if seated.iter().any(|known| known.as_str() == account) {
                names.push(player.name);
            }
        }
        Ok(names)
    }

    async fn send(&mut self, who: &str, by: By, act: Act) -> Result<Ruled, LiveError> {
        self.orders += 1;
        // Players together and devices speak through the dealer.
        let through = matches!(by.role, Role::Players | Role::Device);
        let role = if through { Role::Dealer } else { by.role };
        let key = format!("{:x}-{}", self.start, self.orders);
        let answer = self.handle.order(Order { who: who.into(), role, key, act }).await?;
        self.look().await?;
        Ok(answer.ruled)
    }

    /// Does what is due, or says whom the table waits for.
    pub(crate) async fn step(&mut self) -> Result<Step, LiveError> {
        let step = self.handle.step().await?;
        self.look().await?;
        Ok(step)
    }

    pub(crate) async fn shuffle(&mut self) -> Result<Ruled, LiveError> {
        let ruled = self.handle.shuffle().await?;
        self.look().await?;
        Ok(ruled)
    }

    pub(crate) async fn cut_as_staff(&mut self) -> Result<Ruled, LiveError> {
        let ruled = self.handle.cut_as_staff().await?;
        self.look().await?;
        Ok(ruled)
    }

    pub(crate) async fn take_part(
        &mut self,
        account: &str,
    ) -> Result<Result<(), Refusal>, LiveError> {
        self.handle.take_part(account).await
    }

    pub(crate) async fn abandon(&mut self) -> Result<(), LiveError> {
        self.handle.abandon().await?;
        self.look().await
    }

    /// Cards that lie face down, for the player who was given them.
    pub(crate) async fn peek(
        &self,
        player: PlayerId,
        side: Side,
    ) -> Result<Option<Vec<Card>>, LiveError> {
        self.handle.peek(self.scene.table.player(player).name, side).await
    }

    pub(crate) async fn account(&self, name: &Name) -> Result<String, LiveError> {
        self.handle.account(*name).await
    }

    pub(crate) const fn table(&self) -> &Table {
        &self.scene.table
    }

    /// The table as these eyes may see it.
    pub(crate) fn seen(
        &self,
        eyes: &Eyes,
        watch: &Watch,
        peeked: &[(Side, Vec<Card>)],
    ) -> TableView {
        self.scene.seen(eyes, (watch, peeked), None)
    }

    pub(crate) fn book(&self) -> &Arc<Book> {
        &self.scene.book
    }

    pub(crate) fn name(&self) -> &str {
        &self.scene.name
    }

    /// The title under which the table was begun.
    pub(crate) fn title(&self) -> &str {
        &self.scene.setup.title
    }

    pub(crate) const fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) const fn version(&self) -> u64 {
        self.scene.version
    }

    pub(crate) fn published(&self) -> Option<&ShoeRecord> {
        self.scene.shoe.as_deref()
    }

    /// Stops in order, and gives the head.
    pub(crate) async fn close(self) -> Result<Option<store::Head>, LiveError> {
        drop(self.handle);
        self.floor.close().await
    }
}

/// A log whose table cannot be had is closed again.
async fn closed_if_failed(
    client: Result<Client, LiveError>,
    store: &Store,
) -> Result<Client, LiveError> {
    if client.is_err() {
        store.close().await;
    }
    client
}
