//! One table of the floor: it judges an act, records what follows, and only then tells anybody.

mod going_on;
mod judging;
mod pace;
mod proposing;
mod refusing;
mod stepping;
mod trying;

use std::path::Path;
use std::sync::Arc;

use rulebooks::Book;
use rules::{Card, Side};
use serde::{Deserialize, Serialize};
use shoe::{Digest, ShoeFact, ShoeRecord};
use store::{Begin, Body, Deals, Log, Setup, Snapshot, Store, StoreError, With};
use table::{Act, By, Name, PlayerId, State, Table};
use tokio::sync::broadcast;

pub(crate) use self::going_on::opened;
pub use self::judging::Ruled;
pub(crate) use self::judging::discreet;
pub use self::proposing::Proposal;
pub(crate) use self::proposing::{Proposals, has_role, one_of_two};
pub use self::stepping::Step;
pub use self::trying::Tried;
use crate::account::Accounts;
use crate::answers::Refusals;
use crate::dealing::{Dealing, Felt, Known};
use crate::fault::LiveError;
use crate::mailbox::{BEHIND, Happened, Subscription};
use crate::order::Told;
use crate::people::People;
use crate::scribe::Scribe;
use crate::stream::{self, Stream};
use crate::world::World;

/// Records after which the state is kept anew.
const KEEP_AFTER: u64 = 2000;

/// A table, its shoe and its stream of the log.
#[derive(Debug)]
pub struct Host {
    scribe: Scribe,
    /// The log is closed with the table.
    alone: bool,
    world: World,
    accounts: Option<Accounts>,
    setup: Setup,
    name: String,
    book: Arc<Book>,
    sha256: Digest,
    table: Table,
    dealing: Dealing,
    people: People,
    /// Accounts that ran this table.
    staff: Vec<String>,
    /// What waits for a second person.
    proposed: Proposals,
    refusals: Refusals<Told>,
    timing: pace::Timing,
    /// The last shoe whose secret was published since the table was taken up.
    revealed: Option<Arc<ShoeRecord>>,
    watchers: broadcast::Sender<Happened>,
}

/// The state of a table as it is kept. It has no secret in it.
#[derive(Serialize, Deserialize)]
struct Kept {
    book: store::Book,
    table: State,
    dealing: Known,
    #[serde(default)]
    setup: Option<Setup>,
    #[serde(default)]
    staff: Vec<String>,
    /// The one proposal of a state that was kept before each person had their own.
    #[serde(default, skip_serializing)]
    proposed: Option<Proposal>,
    #[serde(default, skip_serializing_if = "Proposals::is_empty")]
    proposals: Proposals,
}

/// How a table is run that nothing is known of: one person, at a terminal.
pub(crate) fn alone(title: &str) -> Setup {
    Setup { title: title.into(), deals: Deals::System, pace: None, alone: true, ahead_of_utc: None }
}

/// What a table is begun with.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// The stream of the log that holds the table.
    pub stream: String,
    /// The book's id, with the id of its base after an `@`.
    pub name: String,
    /// The book.
    pub book: Arc<Book>,
    /// How the table is run.
    pub setup: Setup,
    /// Who asked for it under a key; nothing if the process itself begins it.
    pub opener: Option<Opener>,
}

/// Who asked for a table or a tournament.
#[derive(Clone, Debug)]
pub struct Opener {
    /// The account of the person.
    pub who: String,
    /// The person's own name for the order: under the same key it is begun once.
    pub key: String,
    /// The hash of what was asked for.
    pub payload: Digest,
}

impl Beginning {
    /// A table that one person runs alone.
    #[must_use]
    pub fn alone(stream: &str, name: &str, book: Arc<Book>) -> Self {
        let (name, setup) = (name.into(), alone(stream));
        Self { stream: stream.into(), name, book, setup, opener: None }
    }
}

impl Host {
    /// Begins a table in a log of its own, which may be new. The table is not open yet.
    ///
    /// # Errors
    ///
    /// When the log or its key cannot be used, or the stream is there already.
    pub async fn begin(
        log: &Path,
        key: &Path,
        begin: Begin,
        beginning: Beginning,
    ) -> Result<Self, LiveError> {
        let store = Store::open_with(log, key, begin).await?;
        let host = Self::begin_in(store.clone().into(), World::real(), None, beginning).await;
        Self::own(store, host).await
    }

    /// A table that has its log for itself; if it cannot be, the log is closed again.
    async fn own(store: Store, host: Result<Self, LiveError>) -> Result<Self, LiveError> {
        match host {
            Ok(host) => Ok(Self { alone: true, ..host }),
            Err(fault) => {
                store.close().await;
                Err(fault)
            }
        }
    }

    /// Begins a table in a log that others may write to as well.
    ///
    /// # Errors
    ///
    /// When the stream is there already, or the disk fails.
    pub async fn begin_in(
        log: Log,
        world: World,
        accounts: Option<Accounts>,
        beginning: Beginning,
    ) -> Result<Self, LiveError> {
        let setup = beginning.setup.clone();
        let Stream { scribe, people, name, book, rules, sha256 } =
            stream::begin(log, &world, beginning).await?;
        let dealing = Dealing::of(&scribe.stream, Known::default()).at_table_of(&setup);
        Ok(Self {
            scribe,
            alone: false,
            world,
            accounts,
            setup,
            name,
            book,
            sha256,
            table: Table::new(rules),
            dealing,
            people,
            staff: Vec::new(),
            proposed: Proposals::default(),
            refusals: Refusals::default(),
            timing: pace::Timing::default(),
            revealed: None,
            watchers: broadcast::Sender::new(BEHIND),
        })
    }

    /// The table as it stands.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// The book that the table is judged by.
    #[must_use]
    pub fn book(&self) -> &Arc<Book> {
        &self.book
    }

    /// The id of the book, with the id of its base after an `@`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the table is run.
    #[must_use]
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The account of somebody at the table, as the log has it.
    #[must_use]
    pub fn account(&self, name: &Name) -> String {
        self.people.known(name).unwrap_or(*name).to_string()
    }

    /// The log.
    #[must_use]
    pub const fn log(&self) -> &Log {
        &self.scribe.log
    }

    /// How many records the table has.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.scribe.version
    }

    /// The stream of the log that holds the table.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.scribe.stream
    }

    /// The time, as acts get it.
    pub(crate) fn now(&self) -> u64 {
        self.world.now()
    }

    /// Puts another clock and another source of entropy in place, for tests and simulations.
    pub fn set_world(&mut self, world: World) {
        self.world = world;
    }

    /// People who play here have accounts of the floor.
    pub(crate) fn set_accounts(&mut self, accounts: Accounts) {
        self.accounts = Some(accounts);
    }

    /// What was published of the current shoe.
    #[must_use]
    pub fn published(&self) -> Option<&ShoeRecord> {
        self.dealing.published()
    }

    /// The same, shared.
    pub(crate) fn shared_shoe(&self) -> Option<Arc<ShoeRecord>> {
        self.dealing.shared()
    }

    /// What was published of the last shoe that is over, its secret included; nothing if none ended
    /// since the table was taken up.
    #[must_use]
    pub const fn revealed(&self) -> Option<&Arc<ShoeRecord>> {
        self.revealed.as_ref()
    }

    /// The number of cards left in the system's shoe.
    #[must_use]
    pub fn cards_left(&self) -> Option<u32> {
        self.dealing.cards_left()
    }

    /// The number of the shoe, from 1; 0 before the first.
    #[must_use]
    pub const fn shoe_number(&self) -> u32 {
        self.dealing.shoe_number()
    }

    /// Shows cards that lie face down to the player who was given them, and to nobody else. The
    /// player turns them for all to see by an act. Returns nothing if that player may not look at
    /// the cards.
    #[must_use]
    pub fn peek(&self, player: PlayerId, side: Side) -> Option<Vec<Card>> {
        self.dealing.peek(&self.table, player, side)
    }

    /// The identity of the book.
    pub(crate) fn identity(&self) -> String {
        self.sha256.to_string()
    }

    /// Name and account of everybody who was named here.
    pub(crate) fn names(&self) -> Vec<(Name, Name)> {
        self.people.all()
    }

    /// Everything that happens from now on.
    #[must_use]
    pub fn watch(&self) -> broadcast::Receiver<Happened> {
        self.watchers.subscribe()
    }

    /// Everything behind a version: first what happened, then what happens.
    #[must_use]
    pub fn subscribe(&self, seen: u64) -> Subscription {
        let own = (self.scribe.stream.clone(), self.scribe.log.clone());
        Subscription::of(own, seen, (self.scribe.version, self.watch()))
    }

    /// How many watch.
    #[must_use]
    pub fn watched_by(&self) -> usize {
        self.watchers.receiver_count()
    }

    fn felt(&self) -> Felt<'_> {
        Felt { state: self.table.state(), book: &self.book.rulebook }
    }

    /// Carries events out and tells them; `version` is the record of the first.
    fn tell(&mut self, events: Vec<table::Event>, version: u64) -> Vec<Told> {
        let mut told = Vec::with_capacity(events.len());
        for (event, version) in events.into_iter().zip(version..) {
            self.dealing.note_event(&event, self.table.state());
            self.table.evolve(&event);
            self.timing.note(&event);
            let what = transcript::tell(&event, &self.table);
            told.push(Told { version: Some(version), event, what });
        }
        told
    }

    /// Everybody who watches is told.
    fn show(&self, first: u64, at: u64, told: &[Told], shoe: &[ShoeFact]) {
        if self.watchers.receiver_count() == 0 {
            return;
        }
        let versions = (first, self.scribe.version);
        let (told, shoe) = (Arc::new(told.to_vec()), Arc::new(shoe.to_vec()));
        // Nobody is waited for: who is behind reads the log.
        let _ = self.watchers.send(Happened { versions, at, told, shoe });
    }

    /// Records facts about the shoe that belong to no act at the table.
    async fn publish(&mut self, facts: Vec<ShoeFact>, with: Vec<With>) -> Result<(), LiveError> {
        let bodies: Vec<_> = facts.iter().cloned().map(Body::Shoe).collect();
        let (at, first) = (self.world.now(), self.scribe.version + 1);
        self.scribe.write_own("dealer", at, bodies, with).await?;
        for fact in &facts {
            self.dealing.note_fact(fact, at);
        }
        self.show(first, at, &[], &facts);
        Ok(())
    }

    /// Keeps the state of the table under a signed head.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn keep(&mut self) -> Result<store::Head, LiveError> {
        let snapshot = self.snapshot()?;
        let head = self.scribe.log.checkpoint(self.world.now(), vec![snapshot]).await?;
        self.scribe.unkept = 0;
        Ok(head)
    }

    /// The state of the table, to be kept.
    fn snapshot(&mut self) -> Result<Snapshot, LiveError> {
        let table = self.people.state_in_log(self.table.state().clone());
        let book = store::Book { name: self.name.clone(), sha256: self.sha256, files: Vec::new() };
        let (setup, staff) = (Some(self.setup.clone()), self.staff.clone());
        let people = &mut self.people;
        let proposals = self.proposed.clone().map(|waits| waits.in_log(people));
        let (dealing, proposed) = (self.dealing.known(), None);
        let kept = Kept { book, table, dealing, setup, staff, proposed, proposals };
        let state = serde_json::to_string(&kept).map_err(|why| LiveError::Book(why.to_string()))?;
        let (stream, version) = (self.scribe.stream.clone(), self.scribe.version);
        Ok(Snapshot { stream, version, state })
    }

    async fn keep_if_due(&mut self) -> Result<(), LiveError> {
        if self.scribe.unkept < KEEP_AFTER {
            return Ok(());
        }
        match self.keep().await {
            // What was told is recorded; the next head will do.
            Ok(_) | Err(LiveError::Store(StoreError::Busy(_))) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// The newest signed head of the log: to be shown, and kept elsewhere.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn head(&self) -> Result<Option<store::Head>, LiveError> {
        Ok(self.scribe.log.head().await?)
    }

    /// Stops: reveals a shoe that is over, keeps the state under a signed head, and closes the log
    /// if it is the table's alone. The table can be reopened later. Gives the head, to be shown.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn close(mut self) -> Result<Option<store::Head>, LiveError> {
        let kept = if self.scribe.broken { Ok(None) } else { self.stop().await.map(Some) };
        if self.alone {
            self.scribe.log.close().await;
        }
        kept
    }

    async fn stop(&mut self) -> Result<store::Head, LiveError> {
        self.reveal_what_is_over().await?;
        self.keep().await
    }

    /// An act of the system's own, or of one person who runs the house alone.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn act(&mut self, act: Act) -> Result<Ruled, LiveError> {
        self.act_by(By::usual(&act), act).await
    }
}
