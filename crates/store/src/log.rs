//! A log in one `SQLite` file: write-ahead, fully synced, one writer and any number of readers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shoe::Digest;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Row};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use zeroize::Zeroizing;

use crate::alarm::Alarm;
use crate::beside::{self, Beside};
use crate::body::{Body, Head, HouseKey, Restored};
use crate::chain::{Broken, START, hash};
use crate::fault::StoreError;
use crate::house_key::finish_change_of_key;
use crate::insert::{digest, snapshot_mac};
use crate::lock::{Begin, Lock};
use crate::record::{Append, Appended, KeptBalance, Record, Snapshot};
use crate::rows::page;
use crate::seal::Key;
use crate::tables;
use crate::take_over::{
    Judge, check_whole as check_whole_first, form, is_unsigned, judge_nothing, prepare, take_over,
};
use crate::trust::{Trusted, trust};
use crate::verify::{Verified, verify};
use crate::waiting::Waiting;
use crate::writer::{Known, PATIENCE, Request, Upkeep, Writer};
use crate::{CHECKPOINTS, HOUSE};

/// Requests that may wait for the writer.
const QUEUE: usize = 1024;
/// Steps of a statement after which it is looked whether it is still wanted.
const STEPS: i32 = 10_000;

/// A log. Clones are the same log: any number of tables write to it.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    path: PathBuf,
    pool: SqlitePool,
    /// Nothing for a log that is only read.
    writing: Option<Writing>,
    /// It is read as it was at one moment.
    view: bool,
}

struct Writing {
    key: Arc<Key>,
    alarm: Alarm,
    /// Where every stream ends.
    heads: Arc<Mutex<Known>>,
    /// How far the last head knew every stream when the log was opened.
    covered: Known,
    /// By stream, the last version of an older copy that the log was restored from.
    restored: std::collections::HashMap<String, u64>,
    /// What this start found of it: commands known, and commands there.
    older: Option<(u64, u64)>,
    handles: Mutex<Handles>,
}

/// What ends when the log is closed.
struct Handles {
    requests: Option<mpsc::Sender<Request>>,
    task: Option<JoinHandle<()>>,
    check: Option<JoinHandle<()>>,
    /// The check of the whole log is given up: somebody waits for the log to be closed.
    closing: Arc<AtomicBool>,
}

/// A stream that can be gone on with: its state at some record, and all records behind it.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The state that was kept, and the version that it belongs to.
    pub snapshot: Option<(u64, String)>,
    /// The records behind it, or all of them.
    pub records: Vec<Record>,
    /// The last record of an older copy of the log that this one was restored from.
    pub restored: Option<u64>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({})", self.0.path.display())
    }
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        // What was sealed leaves no trace when it is opened and taken out.
        .pragma("secure_delete", "on")
        .busy_timeout(Duration::from_secs(1))
}

/// Waits for a file that another program holds, but not for ever.
pub(crate) async fn connect(path: &Path) -> Result<SqliteConnection, StoreError> {
    let (since, mut waiting) = (Instant::now(), Waiting::default());
    loop {
        match options(path).create_if_missing(true).connect().await {
            Ok(connection) => return Ok(connection),
            Err(fault) if tables::is_held(&fault) => {
                if since.elapsed() >= PATIENCE {
                    return Err(StoreError::Busy(since.elapsed().as_secs()));
                }
                waiting.say();
            }
            Err(fault) => return Err(fault.into()),
        }
    }
}

impl Store {
    /// Opens a log for writing, or makes a new one, with the key beside it.
    ///
    /// # Errors
    ///
    /// As [`Store::open_with`].
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let mut key = path.file_name().unwrap_or_default().to_os_string();
        key.push(".key");
        Self::open_with(path, &path.with_file_name(key), Begin::Either).await
    }

    /// Opens a log for writing, or makes a new one. Nothing in it is trusted before it is checked.
    ///
    /// # Errors
    ///
    /// When another process has it, the file is no log, or it does not hold.
    pub async fn open_with(path: &Path, key: &Path, begin: Begin) -> Result<Self, StoreError> {
        Self::open_judged(path, key, begin, judge_nothing).await
    }

    /// Opens a log for writing as [`Store::open_with`] does. One of the first form, which nobody
    /// signed, is judged before it is copied, brought up to this form and signed.
    ///
    /// # Errors
    ///
    /// As there, and when a log of the first form is not accepted.
    pub async fn open_judged(
        path: &Path,
        key: &Path,
        begin: Begin,
        judge: Judge,
    ) -> Result<Self, StoreError> {
        let lock = Lock::take(path, begin)?;
        let mut connection = connect(path).await?;
        let form = form(&mut connection, path).await?;
        let new = form.is_none();
        finish_change_of_key(&mut connection, key).await?;
        let beside_path = Beside::path(key);
        let held = if new { Key::at(key)? } else { Key::read(key)? };
        let (mut beside, kept) = Beside::open(&beside_path, &held)?;
        let gone = |kept: &beside::Kept| !kept.is_before_the_house();
        if matches!(form, None | Some(0)) && kept.as_ref().is_some_and(gone) {
            let why = "the log that it knows is gone, or signed no more; put it back".into();
            return Err(StoreError::OtherLog { path: beside_path, why });
        }
        if form == Some(0) {
            // A log that does not hold is left as it is.
            let taking_over = prepare(&mut connection, path, judge).await?;
            beside.keep_first(&taking_over, &held)?;
        } else if new {
            // Without it, a kill in the beginning would leave what looks like an older copy.
            beside.keep_first(&beside::Kept::BEGINNING, &held)?;
        }
        tables::make(&mut connection).await?;
        tables::check(&mut connection).await?;
        let (trusted, older) = if is_unsigned(&mut connection).await? {
            let (trusted, _) = take_over(&mut connection).await?;
            check_whole_first(&mut connection).await?;
            // A log in this form that has nothing of the house is one whose take-over was
            // interrupted: what is beside the key knows exactly its ends. Nobody else's is signed.
            let known = beside::Kept::taking_over(&trusted);
            if !new && form != Some(0) && kept != Some(known) {
                let why = "it has nothing of the house, and is no log of the first form";
                return Err(StoreError::Untrusted(why.into()));
            }
            (trusted, false)
        } else {
            trust(&mut connection, &held, kept.as_ref(), &beside_path).await?
        };
        let mut writer = Writer::new(connection, path, held, beside, trusted);
        let found = writer.trusted.commands;
        begin_house(&mut writer, older, kept.as_ref()).await?;
        let known = kept.map_or(found, |kept| kept.commands);
        Ok(Self::running(path, writer, lock, older.then_some((known, found))))
    }

    /// Starts the writer, and the check of the whole log in the background.
    fn running(path: &Path, writer: Writer, lock: Lock, older: Option<(u64, u64)>) -> Self {
        let (requests, queue) = mpsc::channel(QUEUE);
        let pool = SqlitePoolOptions::new().max_connections(4).connect_lazy_with(options(path));
        let (key, alarm) = (writer.key.clone(), writer.alarm.clone());
        let Trusted { restored, covered, foreign, .. } = writer.trusted.clone();
        for stream in foreign {
            let why = Broken::Unknown { stream: stream.clone() }.to_string();
            alarm.raise_of(&stream, why);
        }
        let heads = writer.ends.clone();
        let closing = Arc::new(AtomicBool::new(false));
        let check = tokio::spawn(check_whole(pool.clone(), alarm.clone(), closing.clone()));
        let task = tokio::spawn(writer.run(queue, lock));
        let (requests, task, check) = (Some(requests), Some(task), Some(check));
        let handles = Mutex::new(Handles { requests, task, check, closing });
        let writing = Writing { key, alarm, heads, covered, restored, older, handles };
        Self(Arc::new(Inner { path: path.into(), pool, writing: Some(writing), view: false }))
    }

    /// Opens a log to read it; it may be in use.
    ///
    /// # Errors
    ///
    /// When there is none, or the file is no log.
    pub async fn read_only(path: &Path) -> Result<Self, StoreError> {
        Self::reading(path, false).await
    }

    /// Opens a log to read it as it is at this moment, however fast it grows meanwhile: what is
    /// read of one stream fits what is read of another. To be closed soon, because the file beside
    /// the log cannot be emptied before.
    ///
    /// # Errors
    ///
    /// When there is none, or the file is no log.
    pub async fn view(path: &Path) -> Result<Self, StoreError> {
        Self::reading(path, true).await
    }

    async fn reading(path: &Path, view: bool) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Missing(path.into()));
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .read_only(true)
            .busy_timeout(Duration::from_secs(5));
        // One connection for good: the transaction that is the view ends with it.
        let pool = SqlitePoolOptions::new().max_connections(1).idle_timeout(None);
        let pool = pool.max_lifetime(None).connect_with(options).await?;
        if view {
            sqlx::query("begin").execute(&pool).await?;
        }
        sqlx::query("select count(*) from log where stream = ''").fetch_one(&pool).await?;
        Ok(Self(Arc::new(Inner { path: path.into(), pool, writing: None, view })))
    }

    fn writing(&self) -> Result<&Writing, StoreError> {
        self.0.writing.as_ref().ok_or_else(|| StoreError::ReadOnly(self.0.path.clone()))
    }

    /// Adds what a command brought, synced to the disk when this returns.
    ///
    /// # Errors
    ///
    /// When somebody else wrote first, the key was used for something else, or the disk fails.
    pub async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Append(append, reply)).await?;
        answer.await.map_err(|_| self.stopped())?
    }

    /// Records how far every stream has come, signed, and gives the head of the checkpoints:
    /// whoever keeps it elsewhere can tell later whether anything was altered or taken away.
    /// States of streams are kept under it.
    ///
    /// # Errors
    ///
    /// When the disk fails, or one of those streams does not hold.
    pub async fn checkpoint(&self, at: u64, states: Vec<Snapshot>) -> Result<Head, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Checkpoint(at, states, reply)).await?;
        answer.await.map_err(|_| self.stopped())?
    }

    fn stopped(&self) -> StoreError {
        let alarm = self.0.writing.as_ref().and_then(|writing| writing.alarm.get());
        StoreError::Stopped(alarm.cloned().unwrap_or_else(|| "the log was closed".into()))
    }

    async fn send(&self, request: Request) -> Result<(), StoreError> {
        let requests = {
            let handles = self.writing()?.handles.lock().expect("nobody panics holding it");
            handles.requests.clone()
        };
        let requests = requests.ok_or_else(|| self.stopped())?;
        requests.send(request).await.map_err(|_| self.stopped())
    }

    /// Whether this start found the log to be an older copy: how many commands were known, and how
    /// many of them there are.
    #[must_use]
    pub fn found_restored(&self) -> Option<(u64, u64)> {
        self.0.writing.as_ref()?.older
    }

    /// Why nothing more is written: the disk failed, or the log turned out to be broken.
    #[must_use]
    pub fn alarm(&self) -> Option<String> {
        self.0.writing.as_ref()?.alarm.get().cloned()
    }

    /// Why nothing more is written to a stream, where only that one is broken.
    #[must_use]
    pub fn alarm_of(&self, stream: &str) -> Option<String> {
        self.0.writing.as_ref()?.alarm.of(stream)
    }

    /// Every stream that is not gone on with, and why; the others go on.
    #[must_use]
    pub fn alarms(&self) -> Vec<(String, String)> {
        self.0.writing.as_ref().map_or_else(Vec::new, |writing| writing.alarm.by_stream())
    }

    /// Waits for the check of the whole log that every start makes in the background, and gives
    /// the first thing that it found, of the log or of a stream.
    pub async fn checked(&self) -> Option<String> {
        let check = self.0.writing.as_ref().and_then(|writing| {
            writing.handles.lock().expect("nobody panics holding it").check.take()
        });
        if let Some(check) = check {
            let _ = check.await;
        }
        let of_a_stream = || self.alarms().into_iter().next().map(|(_, why)| why);
        self.alarm().or_else(of_a_stream)
    }

    /// The public key by which the house's signatures are checked; nothing for a log that is only
    /// read.
    #[must_use]
    pub fn public_key(&self) -> Option<Digest> {
        self.key().map(|key| key.signer().public())
    }

    /// The house's key; nothing for a log that is only read.
    #[must_use]
    pub fn key(&self) -> Option<&Key> {
        self.0.writing.as_ref().map(|writing| &*writing.key)
    }

    /// A stream to go on with: from the state that was kept, if it is the house's own, every record
    /// is checked up to exactly the one that must be the last.
    ///
    /// # Errors
    ///
    /// When the stream is not as the house left it.
    pub async fn go_on(&self, stream: &str) -> Result<Opening, StoreError> {
        let writing = self.writing()?;
        if let Some(why) = writing.alarm.of(stream) {
            return Err(StoreError::Untrusted(why));
        }
        let mut connection = self.0.pool.acquire().await?;
        let snapshot = snapshot(&mut connection, stream, &writing.key).await?;
        let (from, mut previous) = match &snapshot {
            Some((version, hash, _)) => (*version, *hash),
            None => (0, START),
        };
        let (mut records, mut last) = (Vec::new(), from);
        loop {
            let page = page(&mut connection, stream, last).await?;
            if page.is_empty() {
                break;
            }
            for record in page {
                let untrusted = |why: Broken| StoreError::Untrusted(why.to_string());
                let record = record.map_err(untrusted)?;
                let wanted = last + 1;
                if record.version != wanted || hash(&previous, &record) != record.hash {
                    let stream = stream.into();
                    return Err(untrusted(Broken::Altered { stream, version: wanted }));
                }
                (previous, last) = (record.hash, wanted);
                let signed = writing.covered.get(stream).filter(|signed| signed.0 == wanted);
                if signed.is_some_and(|signed| signed.1 != previous) {
                    let stream = stream.into();
                    return Err(untrusted(Broken::Replaced { stream, version: wanted }));
                }
                records.push(record);
            }
        }
        let ends = writing.heads.lock().expect("nobody panics holding it").get(stream).copied();
        let due = ends.unwrap_or((0, START));
        if (last, previous) != due {
            let why = if last == due.0 {
                format!("record {last} of {stream} is not the one that the house wrote")
            } else {
                format!("{stream} ends with record {last}, and record {} is due", due.0)
            };
            return Err(StoreError::Untrusted(why));
        }
        let snapshot = snapshot.map(|(version, _, state)| (version, state));
        let restored = writing.restored.get(stream).copied();
        Ok(Opening { snapshot, records, restored })
    }

    /// Throws away the state that was kept of a stream; nothing rests on it.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn forget_snapshot(&self, stream: &str) -> Result<(), StoreError> {
        self.upkeep(Upkeep::Snapshot(stream.into())).await.map(|_| ())
    }

    async fn upkeep(&self, what: Upkeep) -> Result<u64, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Upkeep(what, reply)).await?;
        answer.await.map_err(|_| self.stopped())?
    }

    /// Throws the projection of balances away; it is made anew from the accounts' own records.
    ///
    /// # Errors
    ///
    /// When the log is only read, or the disk fails.
    pub async fn forget_balances(&self) -> Result<(), StoreError> {
        self.upkeep(Upkeep::Balances).await.map(|_| ())
    }

    /// Keeps a balance that is missing beside the accounts' own records; one that is there stays.
    ///
    /// # Errors
    ///
    /// When the log is only read, or the disk fails.
    pub async fn keep_missing_balance(&self, balance: KeptBalance) -> Result<(), StoreError> {
        self.upkeep(Upkeep::MissingBalance(balance)).await.map(|_| ())
    }

    /// Erases the name of everybody who is called so: the chain has their accounts, and stays as it
    /// is. Gives how many there were.
    ///
    /// # Errors
    ///
    /// When the log is only read, or the disk fails.
    pub async fn erase(&self, name: &str) -> Result<u64, StoreError> {
        self.upkeep(Upkeep::Name(name.into())).await
    }

    /// Opens a secret; nothing if none was kept under that name.
    ///
    /// # Errors
    ///
    /// When the log cannot be read, or the key is another.
    pub async fn unseal(&self, name: &str) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
        let key = &self.writing()?.key;
        let query = "select box from sealed where name = ?";
        let sealed: Option<Vec<u8>> =
            sqlx::query_scalar(query).bind(name).fetch_optional(&self.0.pool).await?;
        Ok(sealed.map(|sealed| key.open(name, &sealed)).transpose()?)
    }

    /// Whether it is read as it was at one moment.
    pub(crate) fn is_view(&self) -> bool {
        self.0.view
    }

    /// Those who read.
    pub(crate) fn pool(&self) -> &SqlitePool {
        &self.0.pool
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Lets everything that waits be written, and closes the file, for all who have it open.
    pub async fn close(&self) {
        if let Some(writing) = &self.0.writing {
            let (task, check) = {
                let mut handles = writing.handles.lock().expect("nobody panics holding it");
                handles.requests = None;
                handles.closing.store(true, Ordering::Relaxed);
                (handles.task.take(), handles.check.take())
            };
            if let Some(check) = check {
                check.abort();
            }
            if let Some(task) = task {
                let _ = task.await;
            }
        }
        self.0.pool.close().await;
    }
}

/// The state of a stream that was kept, if the house kept it.
async fn snapshot(
    connection: &mut SqliteConnection,
    stream: &str,
    key: &Key,
) -> Result<Option<(u64, Digest, String)>, StoreError> {
    let query = "select s.version, s.hash, cast(s.state as blob), s.mac from snapshot s join log l \
         on l.stream = s.stream and l.version = s.version and l.hash = s.hash where s.stream = ?";
    let Some(row) = sqlx::query(query).bind(stream).fetch_optional(connection).await? else {
        return Ok(None);
    };
    let version = row.try_get::<i64, _>(0)?.cast_unsigned();
    // Somebody else's is thrown away, and so is one that is no text: nothing rests on it.
    let Ok(state) = String::from_utf8(row.try_get(2)?) else { return Ok(None) };
    let hash = digest(row.try_get(1)?);
    let own = snapshot_mac(key, stream, (version, &hash), &state);
    Ok((own.0.as_slice() == row.try_get::<&[u8], _>(3)?).then_some((version, hash, state)))
}

/// The first record of a log is the house's key; one that was restored says so.
async fn begin_house(
    writer: &mut Writer,
    older: bool,
    kept: Option<&beside::Kept>,
) -> Result<(), StoreError> {
    let at = now();
    if !writer.trusted.heads.contains_key(HOUSE) {
        let public = writer.key.signer().public();
        writer.house(at, Body::Key(HouseKey { public, former: None })).await?;
    }
    if older {
        writer.trusted.epoch += 1;
        let heads = writer.trusted.heads.iter();
        let head = |(stream, (version, hash)): (&String, &(u64, Digest))| Head {
            stream: stream.clone(),
            version: *version,
            hash: *hash,
        };
        let mut heads: Vec<_> = heads.map(head).collect();
        heads.sort_by(|one, other| one.stream.cmp(&other.stream));
        for Head { stream, version, .. } in &heads {
            writer.trusted.restored.insert(stream.clone(), *version);
        }
        let restored = Restored {
            epoch: writer.trusted.epoch,
            known: kept.map_or(writer.trusted.commands, |kept| kept.commands),
            found: writer.trusted.commands,
            heads,
        };
        writer.house(at, Body::Restored(restored)).await?;
    }
    writer.keep()
}

/// Checks the whole log while it is in use. Nothing more is written to a stream that does not hold,
/// and nothing at all if the house's own records or the heads do not.
async fn check_whole(pool: SqlitePool, alarm: Alarm, closing: Arc<AtomicBool>) {
    let found = verify_until(&pool, closing.clone()).await;
    match found {
        Ok(found) => {
            // Every stream that rests on a book is named for it as well, if there is one.
            let stands = |other: &Broken, book: &Digest| -> bool {
                matches!(other, Broken::NoBook { sha256, .. } if sha256 == book)
            };
            let is_named = |book| found.broken.iter().any(|other| stands(other, book));
            for broken in &found.broken {
                let why = format!("it does not hold: {broken}");
                match broken.stream() {
                    None if matches!(broken, Broken::Book(book) if is_named(book)) => {}
                    Some(CHECKPOINTS | HOUSE) | None => alarm.raise(why),
                    Some(stream) => alarm.raise_of(stream, why),
                }
            }
        }
        Err(_) if pool.is_closed() || closing.load(Ordering::Relaxed) => {}
        Err(fault) => alarm.raise(format!("it cannot be read as a whole: {fault}")),
    }
}

/// Checks the whole log, unless it is closed meanwhile: one statement may take long.
async fn verify_until(pool: &SqlitePool, closing: Arc<AtomicBool>) -> Result<Verified, StoreError> {
    let mut view = pool.begin().await?;
    let goes_on = move || !closing.load(Ordering::Relaxed);
    view.lock_handle().await?.set_progress_handler(STEPS, goes_on);
    let found = verify(&mut view, None).await;
    view.lock_handle().await?.remove_progress_handler();
    let _ = view.rollback().await;
    found
}

/// The time of the system's clock, in microseconds UTC.
#[must_use]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
