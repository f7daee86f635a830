//! A log in memory whose syncs, crashes and restores are in a test's hands, and [`Log`], which is
//! either that or a file. What a floor asks of a log is the same for both.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use shoe::{Digest, Signer};
use tokio::sync::oneshot;
use zeroize::Zeroizing;

use crate::chain::{START, hash};
use crate::fault::StoreError;
use crate::log::{Opening, Store};
use crate::reading::Kept;
use crate::record::{Append, Appended, CommandKey, KeptBalance, Record, Snapshot, With};
use crate::{CHECKPOINTS, Head};

/// A log that a floor runs on.
#[derive(Clone, Debug)]
pub enum Log {
    /// A file.
    File(Store),
    /// Memory, for tests.
    Model(Model),
}

impl From<Store> for Log {
    fn from(store: Store) -> Self {
        Self::File(store)
    }
}

impl Log {
    /// See [`Store::append`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        match self {
            Self::File(store) => store.append(append).await,
            Self::Model(model) => model.append(append).await,
        }
    }

    /// See [`Store::checkpoint`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn checkpoint(&self, at: u64, states: Vec<Snapshot>) -> Result<Head, StoreError> {
        match self {
            Self::File(store) => store.checkpoint(at, states).await,
            Self::Model(model) => model.checkpoint(states).await,
        }
    }

    /// See [`Store::go_on`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn go_on(&self, stream: &str) -> Result<Opening, StoreError> {
        match self {
            Self::File(store) => store.go_on(stream).await,
            Self::Model(model) => Ok(model.disk()?.opening(stream)),
        }
    }

    /// See [`Store::forget_snapshot`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn forget_snapshot(&self, stream: &str) -> Result<(), StoreError> {
        match self {
            Self::File(store) => store.forget_snapshot(stream).await,
            Self::Model(model) => {
                model.disk()?.snapshots.remove(stream);
                Ok(())
            }
        }
    }

    /// See [`Store::records`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn records(&self, stream: &str, after: u64) -> Result<Vec<Record>, StoreError> {
        match self {
            Self::File(store) => store.records(stream, after).await,
            Self::Model(model) => Ok(model.disk()?.after(stream, after)),
        }
    }

    /// See [`Store::page`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn page(&self, stream: &str, after: u64) -> Result<Vec<Record>, StoreError> {
        match self {
            Self::File(store) => store.page(stream, after).await,
            Self::Model(model) => Ok(model.disk()?.after(stream, after)),
        }
    }

    /// See [`Store::command`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn command(
        &self,
        actor: &str,
        key: &str,
    ) -> Result<Option<(Digest, String, (u64, u64))>, StoreError> {
        match self {
            Self::File(store) => store.command(actor, key).await,
            Self::Model(model) => {
                let name = (actor.to_owned(), key.to_owned());
                Ok(model.disk()?.commands.get(&name).cloned())
            }
        }
    }

    /// See [`Store::streams`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn streams(&self) -> Result<Vec<String>, StoreError> {
        match self {
            Self::File(store) => store.streams().await,
            Self::Model(model) => Ok(model.disk()?.streams.keys().cloned().collect()),
        }
    }

    /// See [`Store::book`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn book(&self, sha256: Digest) -> Result<Option<Kept>, StoreError> {
        match self {
            Self::File(store) => store.book(sha256).await,
            Self::Model(model) => Ok(model.disk()?.books.get(&sha256.to_string()).cloned()),
        }
    }

    /// See [`Store::people`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn people(&self) -> Result<Vec<(String, String)>, StoreError> {
        match self {
            Self::File(store) => store.people().await,
            Self::Model(model) => Ok(model.disk()?.people.clone().into_iter().collect()),
        }
    }

    /// See [`Store::balance`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn balance(&self, account: &str) -> Result<Option<(u64, u64)>, StoreError> {
        match self {
            Self::File(store) => store.balance(account).await,
            Self::Model(model) => Ok(model.disk()?.balances.get(account).copied()),
        }
    }

    /// See [`Store::keep_missing_balance`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn keep_missing_balance(&self, balance: KeptBalance) -> Result<(), StoreError> {
        match self {
            Self::File(store) => store.keep_missing_balance(balance).await,
            Self::Model(model) => {
                let KeptBalance { account, version, cents } = balance;
                model.disk()?.balances.entry(account).or_insert((version, cents));
                Ok(())
            }
        }
    }

    /// See [`Store::unseal`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn unseal(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
        match self {
            Self::File(store) => store.unseal(name).await,
            Self::Model(model) => Ok(model.disk()?.secrets.get(name).cloned().map(Zeroizing::new)),
        }
    }

    /// What the house signs with; nothing for a log that is only read.
    #[must_use]
    pub fn signer(&self) -> Option<&Signer> {
        match self {
            Self::File(store) => store.key().map(crate::Key::signer),
            Self::Model(model) => Some(&model.signer),
        }
    }

    /// A mark that only the house can make, the same for the same pieces; nothing for a log that is
    /// only read.
    #[must_use]
    pub fn mark(&self, pieces: &[&[u8]]) -> Option<Digest> {
        match self {
            Self::File(store) => store.key().map(|key| key.mac(pieces)),
            Self::Model(model) => {
                let public = model.signer.public();
                let all: Vec<&[u8]> =
                    std::iter::once(&public.0[..]).chain(pieces.iter().copied()).collect();
                Some(Digest::of(&all))
            }
        }
    }

    /// The public key by which the house's signatures are checked.
    #[must_use]
    pub fn public_key(&self) -> Option<Digest> {
        self.signer().map(Signer::public)
    }

    /// See [`Store::head`].
    ///
    /// # Errors
    ///
    /// As there.
    pub async fn head(&self) -> Result<Option<Head>, StoreError> {
        match self {
            Self::File(store) => store.head().await,
            Self::Model(_) => Ok(None),
        }
    }

    /// See [`Store::alarm`].
    #[must_use]
    pub fn alarm(&self) -> Option<String> {
        match self {
            Self::File(store) => store.alarm(),
            Self::Model(_) => None,
        }
    }

    /// See [`Store::alarm_of`].
    #[must_use]
    pub fn alarm_of(&self, stream: &str) -> Option<String> {
        match self {
            Self::File(store) => store.alarm_of(stream),
            Self::Model(_) => None,
        }
    }

    /// See [`Store::close`].
    pub async fn close(&self) {
        match self {
            Self::File(store) => store.close().await,
            Self::Model(_) => {}
        }
    }

    /// The file; nothing for a log in memory.
    #[must_use]
    pub const fn file(&self) -> Option<&Store> {
        match self {
            Self::File(store) => Some(store),
            Self::Model(_) => None,
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::File(store) => store.path(),
            Self::Model(_) => Path::new("memory"),
        }
    }
}

/// What a command was, the stream it wrote to, and its first and last record there.
type Done = (Digest, String, (u64, u64));

/// What survives a crash.
#[derive(Clone, Debug, Default)]
struct Disk {
    streams: BTreeMap<String, Vec<Record>>,
    commands: HashMap<(String, String), Done>,
    secrets: HashMap<String, Vec<u8>>,
    books: HashMap<String, Kept>,
    people: BTreeMap<String, String>,
    balances: BTreeMap<String, (u64, u64)>,
    snapshots: HashMap<String, Snapshot>,
    /// By stream, the last version of an older copy that this one was restored from.
    restored: HashMap<String, u64>,
}

type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

enum Pending {
    Append(Box<Append>, Answer<Appended>),
    Checkpoint(Vec<Snapshot>, Answer<Head>),
}

#[derive(Default)]
struct Inner {
    disk: Disk,
    pending: Vec<Pending>,
    /// Everything is synced at once.
    at_once: bool,
    /// Starts so far: a handle of an earlier start is dead.
    starts: u64,
    copies: Vec<Disk>,
    heads: u64,
}

/// What a crash leaves of what was not answered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// Nothing of it.
    Lost,
    /// So many of the waiting commands, in order; nobody was told.
    Untold(usize),
}

/// A log in memory.
#[derive(Clone)]
pub struct Model {
    inner: Arc<Mutex<Inner>>,
    signer: Arc<Signer>,
    start: u64,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Model({})", self.start)
    }
}

impl Disk {
    fn after(&self, stream: &str, after: u64) -> Vec<Record> {
        let all = self.streams.get(stream).map_or(&[][..], Vec::as_slice);
        all.iter().filter(|record| record.version > after).cloned().collect()
    }

    fn opening(&self, stream: &str) -> Opening {
        let snapshot = self.snapshots.get(stream).map(|kept| (kept.version, kept.state.clone()));
        let from = snapshot.as_ref().map_or(0, |(version, _)| *version);
        let restored = self.restored.get(stream).copied();
        Opening { snapshot, records: self.after(stream, from), restored }
    }

    fn version(&self, stream: &str) -> u64 {
        self.streams.get(stream).map_or(0, |records| records.len() as u64)
    }

    fn append(&mut self, append: &Append) -> Result<Appended, StoreError> {
        let CommandKey { actor, key, payload } = &append.command;
        let name = (actor.clone(), key.clone());
        if let Some((before, _, versions)) = self.commands.get(&name) {
            return if before == payload {
                Ok(Appended { versions: *versions, repeated: true })
            } else {
                Err(StoreError::KeyReused(key.clone()))
            };
        }
        for part in &append.parts {
            let actual = self.version(&part.stream);
            if actual != part.expected {
                let (stream, expected) = (part.stream.clone(), part.expected);
                return Err(StoreError::Conflict { stream, expected, actual });
            }
        }
        let mut first = None;
        for part in &append.parts {
            let records = self.streams.entry(part.stream.clone()).or_default();
            for entry in &part.entries {
                let previous = records.last().map_or(START, |record| record.hash);
                let mut record = Record {
                    stream: part.stream.clone(),
                    version: records.len() as u64 + 1,
                    at: entry.at,
                    actor: actor.clone(),
                    key: key.clone(),
                    schema: entry.body.schema().into(),
                    body: entry.body.to_json(),
                    hash: START,
                };
                record.hash = hash(&previous, &record);
                records.push(record);
            }
            first.get_or_insert((part.stream.clone(), (part.expected + 1, records.len() as u64)));
        }
        let (stream, versions) = first.ok_or(StoreError::BadAppend("an append adds something"))?;
        self.commands.insert(name, (*payload, stream, versions));
        append.with.iter().for_each(|with| self.keep(with));
        Ok(Appended { versions, repeated: false })
    }

    fn keep(&mut self, with: &With) {
        match with {
            With::Book { sha256, canonical, files } => {
                let kept = Kept { canonical: canonical.clone(), files: Some(files.clone()) };
                self.books.insert(sha256.to_string(), kept);
            }
            With::Secret { name, secret } => {
                self.secrets.insert(name.clone(), secret.to_vec());
            }
            With::Forgotten(name) => drop(self.secrets.remove(name)),
            With::Person { account, name } => {
                self.people.insert(account.clone(), name.clone());
            }
            With::Balance { account, version, cents } => {
                self.balances.insert(account.clone(), (*version, *cents));
            }
        }
    }
}

impl Inner {
    /// Writes one of those that wait, and answers unless nobody is told.
    fn write(&mut self, pending: Pending, told: bool) {
        match pending {
            Pending::Append(append, answer) => {
                let appended = self.disk.append(&append);
                if told {
                    let _ = answer.send(appended);
                }
            }
            Pending::Checkpoint(states, answer) => {
                for state in states {
                    if self.disk.version(&state.stream) == state.version {
                        self.disk.snapshots.insert(state.stream.clone(), state);
                    }
                }
                self.heads += 1;
                let head =
                    Head { stream: CHECKPOINTS.into(), version: self.heads, hash: Digest([0; 32]) };
                if told {
                    let _ = answer.send(Ok(head));
                }
            }
        }
    }

    fn write_all(&mut self, most: usize, told: bool) {
        let most = most.min(self.pending.len());
        let group: Vec<_> = self.pending.drain(..most).collect();
        for pending in group {
            self.write(pending, told);
        }
    }
}

impl Model {
    /// An empty log with a key made from a seed. It syncs everything at once until it is told
    /// otherwise.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let seed = Digest::of(&[b"model", &seed.to_be_bytes()]);
        let inner = Inner { at_once: true, ..Inner::default() };
        let signer = Arc::new(Signer::of_seed(&seed.0));
        Self { inner: Arc::new(Mutex::new(inner)), signer, start: 0 }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nobody panics holding it")
    }

    fn disk(&self) -> Result<DiskGuard<'_>, StoreError> {
        let inner = self.lock();
        if inner.starts != self.start {
            return Err(StoreError::Stopped("the process died".into()));
        }
        Ok(DiskGuard(inner))
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.wait(Pending::Append(Box::new(append), reply), answer).await
    }

    async fn checkpoint(&self, states: Vec<Snapshot>) -> Result<Head, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.wait(Pending::Checkpoint(states, reply), answer).await
    }

    async fn wait<T>(
        &self,
        pending: Pending,
        answer: oneshot::Receiver<Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        {
            let mut inner = self.disk()?;
            if inner.0.at_once {
                inner.0.write(pending, true);
            } else {
                inner.0.pending.push(pending);
            }
        }
        let died = || StoreError::Stopped("the process died".into());
        answer.await.map_err(|_| died())?
    }

    /// Whether everything is synced at once; otherwise [`Model::sync`] does it.
    pub fn sync_at_once(&self, at_once: bool) {
        let mut inner = self.lock();
        inner.at_once = at_once;
        if at_once {
            inner.write_all(usize::MAX, true);
        }
    }

    /// How many commands wait to be synced.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lock().pending.len()
    }

    /// Syncs at most so many of the waiting commands, in order, and answers them.
    pub fn sync(&self, most: usize) {
        self.lock().write_all(most, true);
    }

    /// The process dies: what it had open is dead. Gives the log as the next start finds it.
    #[must_use]
    pub fn crash(&self, crash: Crash) -> Self {
        let mut inner = self.lock();
        if let Crash::Untold(most) = crash {
            inner.write_all(most, false);
        }
        inner.pending.clear();
        inner.starts += 1;
        let start = inner.starts;
        drop(inner);
        Self { start, ..self.clone() }
    }

    /// Makes a copy of the log, to be restored later, and gives its number.
    #[must_use]
    pub fn back_up(&self) -> usize {
        let mut inner = self.lock();
        let copy = inner.disk.clone();
        inner.copies.push(copy);
        inner.copies.len() - 1
    }

    /// The process dies and an older copy takes the place of the log; the next start knows it.
    #[must_use]
    pub fn restore(&self, copy: usize) -> Self {
        let again = self.crash(Crash::Lost);
        let mut inner = self.lock();
        if let Some(copy) = inner.copies.get(copy).cloned() {
            let older = copy.streams.iter();
            let older = older.map(|(stream, records)| (stream.clone(), records.len() as u64));
            let restored = older.collect();
            inner.disk = Disk { restored, ..copy };
        }
        drop(inner);
        again
    }
}

/// The disk of a log whose process lives.
struct DiskGuard<'a>(MutexGuard<'a, Inner>);

impl std::ops::Deref for DiskGuard<'_> {
    type Target = Disk;

    fn deref(&self) -> &Disk {
        &self.0.disk
    }
}

impl std::ops::DerefMut for DiskGuard<'_> {
    fn deref_mut(&mut self) -> &mut Disk {
        &mut self.0.disk
    }
}
