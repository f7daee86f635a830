//! The floor: many tables on one log, each a task with a mailbox.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use rulebooks::Book;
use rules::{Card, Side};
use shoe::{Digest, Promise, ShoeRecord, Which};
use store::{Log, Record, Setup};
use table::{Name, Refusal, Role, Table};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::account::Accounts;
use crate::fault::LiveError;
use crate::host::{Beginning, Happened, Host, Step};
use crate::order::{Answer, Order, Told};
use crate::world::World;

/// Letters that may wait for a table.
const MAILBOX: usize = 256;

/// What a table looks like to the house itself; `view` makes of it what a role may see.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The stream of the log that holds the table.
    pub stream: String,
    /// How it is run.
    pub setup: Setup,
    /// The book's id, with the id of its base after an `@`.
    pub name: String,
    /// The table as it stands.
    pub table: Table,
    /// The book.
    pub book: Arc<Book>,
    /// How many records it has.
    pub version: u64,
    /// What was published of the current shoe.
    pub shoe: Option<ShoeRecord>,
    /// The number of the shoe, from 1; 0 before the first.
    pub shoe_number: u32,
    /// The number of cards left in the system's shoe.
    pub cards_left: Option<u32>,
    /// The identity of the book.
    pub sha256: String,
    /// The names of accounts.
    names: HashMap<String, String>,
}

impl Scene {
    /// The name of an account, as people at the table know it.
    pub(crate) fn name_of(&self, account: Name) -> Name {
        let name = self.names.get(account.as_str());
        name.and_then(|name| Name::from(name).ok()).unwrap_or(account)
    }
}

impl Host {
    /// What the table looks like to the house itself.
    #[must_use]
    pub fn scene(&self) -> Scene {
        Scene {
            stream: self.stream().into(),
            setup: self.setup().clone(),
            name: self.name().into(),
            table: self.table().clone(),
            book: self.book().clone(),
            version: self.version(),
            shoe: self.published().cloned(),
            shoe_number: self.shoe_number(),
            cards_left: self.cards_left(),
            sha256: self.identity(),
            names: self.names(),
        }
    }
}

type Reply<T> = oneshot::Sender<T>;

/// A letter to a table.
enum Mail {
    Order(Box<Order>, Reply<Result<Answer, LiveError>>),
    /// The operator's own, from the process that runs the floor.
    System(Box<table::Act>, Reply<Result<Result<Vec<Told>, Refusal>, LiveError>>),
    Step(Reply<Result<Step, LiveError>>),
    Shuffle(Reply<Result<Result<Vec<Told>, Refusal>, LiveError>>),
    CutAsStaff(Reply<Result<Result<Vec<Told>, Refusal>, LiveError>>),
    TakePart(String, Reply<Result<Result<(), Refusal>, LiveError>>),
    Promise(Box<Promise>, Reply<Result<(), Refusal>>),
    Word(String, Which, Digest, Reply<Result<(), Refusal>>),
    Peek(Name, Side, Reply<Option<Vec<Card>>>),
    Account(Name, Reply<String>),
    Abandon(Reply<Result<(), LiveError>>),
    Look(Reply<Box<Scene>>),
    Watch(Reply<(u64, broadcast::Receiver<Happened>)>),
    Keep(Reply<Result<store::Head, LiveError>>),
}

/// A table that runs.
#[derive(Clone, Debug)]
pub struct TableHandle {
    stream: String,
    log: Log,
    mail: mpsc::Sender<Mail>,
    stopped: Arc<Mutex<Option<String>>>,
}

/// What happened at a table behind a version, and then everything as it happens.
#[derive(Debug)]
pub struct Subscription {
    stream: String,
    log: Log,
    /// The last record that was given.
    seen: u64,
    /// The last record that the gap has.
    gap_until: u64,
    receiver: broadcast::Receiver<Happened>,
}

/// What a subscriber gets.
#[derive(Clone, Debug)]
pub enum News {
    /// Records that the subscriber had not seen, in order.
    Gap(Vec<Record>),
    /// What just happened.
    Happened(Happened),
    /// The table has stopped.
    Over,
}

impl Subscription {
    /// The next news; nothing is lost or given twice.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn next(&mut self) -> Result<News, LiveError> {
        if self.seen < self.gap_until {
            let mut records = self.log.records(&self.stream, self.seen).await?;
            // What is behind the gap comes by itself.
            records.retain(|record| record.version <= self.gap_until);
            self.seen = self.gap_until;
            if !records.is_empty() {
                return Ok(News::Gap(records));
            }
        }
        loop {
            match self.receiver.recv().await {
                Ok(happened) if happened.versions.1 <= self.seen => {}
                Ok(happened) if happened.versions.0 > self.seen + 1 => {
                    // Records that nobody is told about, such as refusals, lie between.
                    self.gap_until = happened.versions.0 - 1;
                    let records = self.log.records(&self.stream, self.seen).await?;
                    let all = records.into_iter().filter(|r| r.version <= happened.versions.1);
                    self.seen = happened.versions.1;
                    self.gap_until = self.seen;
                    return Ok(News::Gap(all.collect()));
                }
                Ok(happened) => {
                    self.seen = happened.versions.1;
                    self.gap_until = self.seen;
                    return Ok(News::Happened(happened));
                }
                // Too far behind: the log has it.
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return Ok(News::Over),
            }
        }
    }

    /// The last record that was given.
    #[must_use]
    pub const fn seen(&self) -> u64 {
        self.seen
    }
}

impl TableHandle {
    /// The stream of the log that holds the table.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.stream
    }

    /// The records of the table behind a version.
    pub(crate) async fn records(&self, after: u64) -> Result<Vec<Record>, LiveError> {
        Ok(self.log.records(&self.stream, after).await?)
    }

    fn gone(&self) -> LiveError {
        let why = self.stopped.lock().expect("nobody panics holding it").clone();
        LiveError::Stopped(self.stream.clone(), why.unwrap_or_else(|| "it was closed".into()))
    }

    async fn ask<T>(&self, letter: impl FnOnce(Reply<T>) -> Mail) -> Result<T, LiveError> {
        let (reply, answer) = oneshot::channel();
        self.mail.send(letter(reply)).await.map_err(|_| self.gone())?;
        answer.await.map_err(|_| self.gone())
    }

    /// Sends an order, and waits for its answer.
    ///
    /// # Errors
    ///
    /// When the log fails, or the table has stopped; a refusal is an answer.
    pub async fn order(&self, order: Order) -> Result<Answer, LiveError> {
        self.ask(|reply| Mail::Order(Box::new(order), reply)).await?
    }

    /// An act of the process that runs the floor itself.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn act(&self, act: table::Act) -> Result<Result<Vec<Told>, Refusal>, LiveError> {
        self.ask(|reply| Mail::System(Box::new(act), reply)).await?
    }

    /// Does what is due: see [`Host::step`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn step(&self) -> Result<Step, LiveError> {
        self.ask(Mail::Step).await?
    }

    /// Shuffles: see [`Host::shuffle`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn shuffle(&self) -> Result<Result<Vec<Told>, Refusal>, LiveError> {
        self.ask(Mail::Shuffle).await?
    }

    /// Cuts where nobody else does: see [`Host::cut_as_staff`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn cut_as_staff(&self) -> Result<Result<Vec<Told>, Refusal>, LiveError> {
        self.ask(Mail::CutAsStaff).await?
    }

    /// Takes part in the shoe for somebody in this process: see [`Host::take_part`].
    ///
    /// # Errors
    ///
    /// When the operating system gives no random numbers.
    pub async fn take_part(&self, account: &str) -> Result<Result<(), Refusal>, LiveError> {
        self.ask(|reply| Mail::TakePart(account.into(), reply)).await?
    }

    /// Takes a promise of words: see [`Host::promise`].
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn promise(&self, promise: Promise) -> Result<Result<(), Refusal>, LiveError> {
        self.ask(|reply| Mail::Promise(Box::new(promise), reply)).await
    }

    /// Takes a word that was promised: see [`Host::open_word`].
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn open_word(
        &self,
        account: &str,
        which: Which,
        word: Digest,
    ) -> Result<Result<(), Refusal>, LiveError> {
        self.ask(|reply| Mail::Word(account.into(), which, word, reply)).await
    }

    /// Cards that lie face down, for the player who was given them: see [`Host::peek`].
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn peek(&self, name: Name, side: Side) -> Result<Option<Vec<Card>>, LiveError> {
        self.ask(|reply| Mail::Peek(name, side, reply)).await
    }

    /// The account of somebody at the table.
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn account(&self, name: Name) -> Result<String, LiveError> {
        self.ask(|reply| Mail::Account(name, reply)).await
    }

    /// Abandons the shoe of an empty table: see [`Host::abandon`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn abandon(&self) -> Result<(), LiveError> {
        self.ask(Mail::Abandon).await?
    }

    /// What the table looks like to the house itself.
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn look(&self) -> Result<Scene, LiveError> {
        Ok(*self.ask(Mail::Look).await?)
    }

    /// Everything behind a version: first what happened, then what happens.
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn subscribe(&self, seen: u64) -> Result<Subscription, LiveError> {
        let (gap_until, receiver) = self.ask(Mail::Watch).await?;
        let (stream, log) = (self.stream.clone(), self.log.clone());
        Ok(Subscription { stream, log, seen, gap_until, receiver })
    }

    /// Keeps the state of the table under a signed head.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn keep(&self) -> Result<store::Head, LiveError> {
        self.ask(Mail::Keep).await?
    }
}

/// Runs a table until nobody can write to it, or it fails.
async fn run(mut host: Host, mut mail: mpsc::Receiver<Mail>, stopped: Arc<Mutex<Option<String>>>) {
    loop {
        let next = match host.wake().await {
            Ok(next) => next,
            Err(fault) => {
                // A table that fails to write stops and says so; others go on.
                *stopped.lock().expect("nobody panics holding it") = Some(fault.to_string());
                return;
            }
        };
        let until = next.map(|next| {
            let wait = std::time::Duration::from_micros(next.saturating_sub(store::now()));
            tokio::time::Instant::now() + wait.max(std::time::Duration::from_millis(1))
        });
        let far = tokio::time::Instant::now() + std::time::Duration::from_hours(1);
        tokio::select! {
            letter = mail.recv() => match letter {
                Some(letter) => host.open(letter).await,
                None => break,
            },
            () = tokio::time::sleep_until(until.unwrap_or(far)) => {}
        }
    }
    let _ = host.keep().await;
}

impl Host {
    /// Reads a letter, and answers it. Who went away loses nothing: what is recorded is recorded.
    async fn open(&mut self, letter: Mail) {
        match letter {
            Mail::Order(order, reply) => drop(reply.send(self.deliver(*order).await)),
            Mail::System(act, reply) => drop(reply.send(self.act(*act).await)),
            Mail::Step(reply) => drop(reply.send(self.step().await)),
            Mail::Shuffle(reply) => drop(reply.send(self.shuffle().await)),
            Mail::CutAsStaff(reply) => drop(reply.send(self.cut_as_staff().await)),
            Mail::TakePart(account, reply) => drop(reply.send(self.take_part(&account))),
            Mail::Promise(promise, reply) => drop(reply.send(self.promise(*promise))),
            Mail::Word(account, which, word, reply) => {
                drop(reply.send(self.open_word(&account, which, word)));
            }
            Mail::Peek(name, side, reply) => {
                let player = self.table().player_named(&name);
                drop(reply.send(player.and_then(|player| self.peek(player, side))));
            }
            Mail::Account(name, reply) => drop(reply.send(self.account(&name))),
            Mail::Abandon(reply) => drop(reply.send(self.abandon().await)),
            Mail::Look(reply) => drop(reply.send(Box::new(self.scene()))),
            Mail::Watch(reply) => drop(reply.send((self.version(), self.watch()))),
            Mail::Keep(reply) => drop(reply.send(self.keep().await)),
        }
    }
}

/// Tables, tournaments and accounts on one log. Clones are the same floor.
#[derive(Clone, Debug)]
pub struct Floor(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    log: Log,
    world: World,
    accounts: Accounts,
    tables: Mutex<BTreeMap<String, (TableHandle, JoinHandle<()>)>>,
}

impl Floor {
    /// The floor of a log. Tables that were open before are gone on with by [`Floor::resume`].
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn open(log: impl Into<Log>, world: World) -> Result<Self, LiveError> {
        let log = log.into();
        let accounts = Accounts::of(log.clone(), world.clone()).await?;
        Ok(Self(Arc::new(Inner { log, world, accounts, tables: Mutex::default() })))
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

    fn start(&self, host: Host) -> TableHandle {
        let (mail, letters) = mpsc::channel(MAILBOX);
        let stopped = Arc::new(Mutex::new(None));
        let (stream, log) = (host.stream().to_owned(), self.0.log.clone());
        let handle = TableHandle { stream: stream.clone(), log, mail, stopped: stopped.clone() };
        let task = tokio::spawn(run(host, letters, stopped));
        let mut tables = self.0.tables.lock().expect("nobody panics holding it");
        tables.insert(stream, (handle.clone(), task));
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

    /// Goes on with a table where its records end.
    ///
    /// # Errors
    ///
    /// When its stream does not hold, is no table, or the book is not at hand.
    pub async fn resume_table(&self, stream: &str) -> Result<TableHandle, LiveError> {
        if let Some(handle) = self.table(stream) {
            return Ok(handle);
        }
        let (log, world) = (self.0.log.clone(), self.0.world.clone());
        let mut host = Host::resume_in(log, world, None, stream).await?;
        if !host.setup().alone {
            host.set_accounts(self.0.accounts.clone());
        }
        Ok(self.start(host))
    }

    /// Goes on with every table of the log. One that cannot be gone on with stops only itself: its
    /// stream and the reason are given.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn resume(&self) -> Result<Vec<(String, LiveError)>, LiveError> {
        let mut faults = Vec::new();
        for stream in self.0.log.streams().await? {
            let other = [store::ACCOUNT, store::TOURNAMENT].iter().any(|p| stream.starts_with(p));
            if other || [store::HOUSE, store::CHECKPOINTS, "drill"].contains(&stream.as_str()) {
                continue;
            }
            if let Err(fault) = self.resume_table(&stream).await {
                faults.push((stream, fault));
            }
        }
        Ok(faults)
    }

    /// A table that runs.
    #[must_use]
    pub fn table(&self, stream: &str) -> Option<TableHandle> {
        let tables = self.0.tables.lock().expect("nobody panics holding it");
        tables.get(stream).map(|(handle, _)| handle.clone())
    }

    /// All tables that run.
    #[must_use]
    pub fn tables(&self) -> Vec<TableHandle> {
        let tables = self.0.tables.lock().expect("nobody panics holding it");
        tables.values().map(|(handle, _)| handle.clone()).collect()
    }

    /// Who may act in a role besides playing.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn give_role(&self, account: &str, role: Role) -> Result<(), LiveError> {
        self.0.accounts.give_role(account, role).await
    }

    /// Stops all tables in order: their states are kept under a signed head, which is given. The
    /// log is closed.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn close(&self) -> Result<Option<store::Head>, LiveError> {
        let tables = std::mem::take(&mut *self.0.tables.lock().expect("nobody panics holding it"));
        let mut running = Vec::new();
        for (_, (handle, task)) in tables {
            drop(handle);
            running.push(task);
        }
        for task in running {
            let _ = tokio::time::timeout(std::time::Duration::from_secs(10), task).await;
        }
        let head = self.0.log.head().await?;
        self.0.log.close().await;
        Ok(head)
    }
}
