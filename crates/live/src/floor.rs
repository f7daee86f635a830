//! The floor: many tables and tournaments on one log, each a task with a mailbox.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use store::Log;
use table::Role;

use crate::account::Accounts;
use crate::fault::LiveError;
use crate::host::{Beginning, Host};
use crate::mailbox::{Mailbox, Task};
use crate::table_handle::TableHandle;
use crate::tournament::TournamentHost;
use crate::tournament_handle::TournamentHandle;
use crate::world::World;

/// Tables, tournaments and accounts on one log. Clones are the same floor.
#[derive(Clone, Debug)]
pub struct Floor(Arc<Inner>);

/// What runs, by its stream.
type Running<H> = Mutex<BTreeMap<String, (H, Task)>>;

#[derive(Debug)]
struct Inner {
    log: Log,
    world: World,
    accounts: Accounts,
    tables: Running<TableHandle>,
    tournaments: Running<TournamentHandle>,
}

/// What runs under a stream.
fn one<H: Clone>(running: &Running<H>, stream: &str) -> Option<H> {
    let running = running.lock().expect("nobody panics holding it");
    running.get(stream).map(|(handle, _)| handle.clone())
}

/// All that run.
fn all<H: Clone>(running: &Running<H>) -> Vec<H> {
    let running = running.lock().expect("nobody panics holding it");
    running.values().map(|(handle, _)| handle.clone()).collect()
}

/// Closes all that run: each keeps its state and stops, whoever may still have a handle.
fn let_go<H>(running: &Running<H>, close: impl Fn(&H)) -> Vec<Task> {
    let running = std::mem::take(&mut *running.lock().expect("nobody panics holding it"));
    let closed = running.into_values().map(|(handle, task)| {
        close(&handle);
        task
    });
    closed.collect()
}

/// How long a task is waited for: longer than the log waits for another program.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits until tasks have stopped; one that is held on to is not waited for longer. An error says
/// that the last state of one is under no head.
async fn stopped(tasks: Vec<Task>) -> Result<(), LiveError> {
    let mut all = Ok(());
    for task in tasks {
        if let Ok(Ok(kept)) = tokio::time::timeout(PATIENCE, task).await {
            all = all.and(kept);
        }
    }
    all
}

/// Whether a stream holds neither a table nor a tournament.
fn is_other(stream: &str) -> bool {
    let own = [store::HOUSE, store::CHECKPOINTS, "drill"].contains(&stream);
    own || stream.starts_with(store::ACCOUNT)
}

impl Floor {
    /// The floor of a log. What was open before goes on by [`Floor::resume`].
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn open(log: impl Into<Log>, world: World) -> Result<Self, LiveError> {
        let log = log.into();
        let accounts = Accounts::of(log.clone(), world.clone()).await?;
        let (tables, tournaments) = (Mutex::default(), Mutex::default());
        Ok(Self(Arc::new(Inner { log, world, accounts, tables, tournaments })))
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.0.log
    }

    /// The accounts.
    #[must_use]
    pub fn accounts(&self) -> &Accounts {
        &self.0.accounts
    }

    /// The time in microseconds UTC, by the clock of the floor.
    #[must_use]
    pub fn utc(&self) -> u64 {
        self.0.world.utc()
    }

    fn start(&self, host: Host) -> TableHandle {
        let (mailbox, task) = Mailbox::start(host, self.0.log.clone());
        let handle = TableHandle(mailbox);
        let mut tables = self.0.tables.lock().expect("nobody panics holding it");
        tables.insert(handle.stream().into(), (handle.clone(), task));
        handle
    }

    fn start_event(&self, host: TournamentHost) -> TournamentHandle {
        let (mailbox, task) = Mailbox::start(host, self.0.log.clone());
        let handle = TournamentHandle(mailbox);
        let mut tournaments = self.0.tournaments.lock().expect("nobody panics holding it");
        tournaments.insert(handle.stream().into(), (handle.clone(), task));
        handle
    }

    /// Begins a table. It is opened, and its sign made up, by the operator's acts.
    ///
    /// # Errors
    ///
    /// When a stream of that name is there already, or the disk fails.
    pub async fn begin_table(&self, beginning: Beginning) -> Result<TableHandle, LiveError> {
        let accounts = (!beginning.setup.alone).then(|| self.0.accounts.clone());
        let (log, world) = (self.0.log.clone(), self.0.world.clone());
        Ok(self.start(Host::begin_in(log, world, accounts, beginning).await?))
    }

    /// Begins a tournament. It is opened, and its conditions documented, by the operator's acts.
    /// The `stream` of the beginning is its title: see [`crate::tournament_stream`].
    ///
    /// # Errors
    ///
    /// When a tournament of that title is there already, or the disk fails.
    pub async fn open_tournament(
        &self,
        beginning: Beginning,
    ) -> Result<TournamentHandle, LiveError> {
        let accounts = (!beginning.setup.alone).then(|| self.0.accounts.clone());
        let (log, world) = (self.0.log.clone(), self.0.world.clone());
        let host = TournamentHost::begin_in(log, world, accounts, beginning).await?;
        Ok(self.start_event(host))
    }

    /// Goes on with a table where its records end.
    ///
    /// # Errors
    ///
    /// When its stream does not hold, is no table, or the book is not at hand.
    pub async fn resume_table(&self, stream: &str) -> Result<TableHandle, LiveError> {
        if let Some(handle) = self.table(stream).filter(|handle| handle.0.is_open()) {
            return Ok(handle);
        }
        let (log, world) = (self.0.log.clone(), self.0.world.clone());
        let mut host = Host::resume_in(log, world, None, stream).await?;
        if !host.setup().alone {
            host.set_accounts(self.0.accounts.clone());
        }
        Ok(self.start(host))
    }

    /// Goes on with a tournament where its records end.
    ///
    /// # Errors
    ///
    /// When its stream does not hold, is no tournament, or the book is not at hand.
    pub async fn resume_tournament(&self, stream: &str) -> Result<TournamentHandle, LiveError> {
        if let Some(handle) = self.tournament(stream).filter(|handle| handle.0.is_open()) {
            return Ok(handle);
        }
        let (log, world) = (self.0.log.clone(), self.0.world.clone());
        let mut host = TournamentHost::resume_in(log, world, None, stream).await?;
        if !host.setup().alone {
            host.set_accounts(self.0.accounts.clone());
        }
        Ok(self.start_event(host))
    }

    /// Goes on with every table and tournament of the log. One that cannot be gone on with stops
    /// only itself: its stream and the reason are given.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn resume(&self) -> Result<Vec<(String, LiveError)>, LiveError> {
        let mut faults = Vec::new();
        for stream in self.0.log.streams().await? {
            if is_other(&stream) {
                continue;
            }
            let resumed = if stream.starts_with(store::TOURNAMENT) {
                self.resume_tournament(&stream).await.map(drop)
            } else {
                self.resume_table(&stream).await.map(drop)
            };
            if let Err(fault) = resumed {
                faults.push((stream, fault));
            }
        }
        Ok(faults)
    }

    /// A table that runs.
    #[must_use]
    pub fn table(&self, stream: &str) -> Option<TableHandle> {
        one(&self.0.tables, stream)
    }

    /// All tables that run.
    #[must_use]
    pub fn tables(&self) -> Vec<TableHandle> {
        all(&self.0.tables)
    }

    /// A tournament that runs.
    #[must_use]
    pub fn tournament(&self, stream: &str) -> Option<TournamentHandle> {
        one(&self.0.tournaments, stream)
    }

    /// All tournaments that run.
    #[must_use]
    pub fn tournaments(&self) -> Vec<TournamentHandle> {
        all(&self.0.tournaments)
    }

    /// Who may act in a role besides playing.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn give_role(&self, account: &str, role: Role) -> Result<(), LiveError> {
        self.0.accounts.give_role(account, role).await
    }

    /// Stops all tables and tournaments in order: their states are kept under a signed head, which
    /// is given. The log is closed.
    ///
    /// # Errors
    ///
    /// When the disk fails, or the head cannot be written: what was told is in the log.
    pub async fn close(&self) -> Result<Option<store::Head>, LiveError> {
        let mut tasks = let_go(&self.0.tables, |table| table.0.close());
        tasks.extend(let_go(&self.0.tournaments, |event| event.0.close()));
        let kept = stopped(tasks).await;
        let head = self.0.log.head().await;
        self.0.log.close().await;
        kept?;
        Ok(head?)
    }

    /// Stops one tournament: its state is kept under a signed head. It can be gone on with.
    pub async fn close_tournament(&self, handle: TournamentHandle) {
        let task = {
            let mut running = self.0.tournaments.lock().expect("nobody panics holding it");
            running.remove(handle.stream()).map(|(_, task)| task)
        };
        handle.0.close();
        let _ = stopped(task.into_iter().collect()).await;
    }
}
