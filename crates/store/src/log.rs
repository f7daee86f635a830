//! A log in one `SQLite` file: write-ahead, fully synced, one writer and any number of readers.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shoe::Digest;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection, Row};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use zeroize::Zeroizing;

use crate::beside::{self, Beside};
use crate::body::{Body, Head, HouseKey, Restored};
use crate::chain::{Broken, START, hash};
use crate::fault::StoreError;
use crate::lock::{Begin, Lock};
use crate::rows::{last_two, page, records, streams};
use crate::seal::Key;
use crate::trust::{FORM, Trusted, check_schema, take_over, trust};
use crate::verify::{Verified, verify};
use crate::writer::{
    Alarm, Append, Appended, Forget, Known, PATIENCE, Record, Request, Snapshot, Writer, digest,
    name_of, snapshot_mac,
};
use crate::{CHECKPOINTS, HOUSE};

/// Requests that may wait for the writer.
const QUEUE: usize = 1024;

/// A log. Clones are the same log: any number of tables write to it.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    path: PathBuf,
    pool: SqlitePool,
    /// Nothing for a log that is only read.
    writing: Option<Writing>,
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

/// A rulebook that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The canonical text.
    pub canonical: String,
    /// The files, as JSON; nothing in logs of the first form.
    pub files: Option<String>,
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

/// Whether the file is one that a program of ours can go on with, and in which form; nothing for a
/// log that is not begun, or whose beginning was interrupted.
async fn form(connection: &mut SqliteConnection, path: &Path) -> Result<Option<i64>, StoreError> {
    let tables = "select name from sqlite_schema where type = 'table' order by name";
    let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(&mut *connection).await?;
    let has = |name: &str| tables.iter().any(|table| table == name);
    match (has("_sqlx_migrations"), has("log")) {
        (false, false) if tables.is_empty() => return Ok(None),
        (true, false) if tables.len() == 1 => return Ok(None),
        (true, true) => {}
        // A database that somebody else uses stays as it is.
        (false, _) | (true, false) => return Err(StoreError::NotALog(path.into())),
    }
    let begun = "select count(*) from (select 1 from log limit 1)";
    let begun: i64 = sqlx::query_scalar(begun).fetch_one(&mut *connection).await?;
    let form: i64 = sqlx::query_scalar("pragma user_version").fetch_one(connection).await?;
    // What the file calls itself must be what it is.
    if form < FORM && (form != 0 || has("snapshot")) {
        return Err(StoreError::Untrusted("it says of itself what it is not".into()));
    }
    Ok(Some(form).filter(|_| begun > 0))
}

/// Whether a log has nothing of the house in it: it is new, of the first form, or was just brought
/// up to the second and the program stopped.
async fn is_unsigned(connection: &mut SqliteConnection) -> Result<bool, StoreError> {
    let house = "select count(*) from (select 1 from log where stream = 'house' limit 1)";
    let house: i64 = sqlx::query_scalar(house).fetch_one(&mut *connection).await?;
    let marked = "select count(*) from (select 1 from command where number > 0 limit 1)";
    let marked: i64 = sqlx::query_scalar(marked).fetch_one(connection).await?;
    Ok(house == 0 && marked == 0)
}

/// Waits for a file that another program holds, but not for ever.
async fn connect(path: &Path) -> Result<SqliteConnection, StoreError> {
    let since = Instant::now();
    loop {
        match options(path).create_if_missing(true).connect().await {
            Ok(connection) => return Ok(connection),
            Err(sqlx::Error::Database(fault)) if fault.message().contains("locked") => {
                if since.elapsed() >= PATIENCE {
                    return Err(StoreError::Busy(since.elapsed().as_secs()));
                }
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
            let ends = take_over(&mut connection).await?;
            back_up_before(&mut connection, path).await?;
            beside.keep_first(&beside::Kept::taking_over(&ends), &held)?;
        } else if new {
            // Without it, a kill in the beginning would leave what looks like an older copy.
            beside.keep_first(&beside::Kept::BEGINNING, &held)?;
        }
        sqlx::migrate!("migrations/sqlite").run(&mut connection).await?;
        check_schema(&mut connection).await?;
        let (trusted, older) = if is_unsigned(&mut connection).await? {
            let trusted = take_over(&mut connection).await?;
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
        let ends = Arc::new(Mutex::new(trusted.heads.clone()));
        let behind = trusted.heads != trusted.covered;
        let mut writer = Writer {
            connection,
            path: path.into(),
            key: Arc::new(held),
            beside,
            trusted,
            alarm: Alarm::default(),
            compared: HashSet::new(),
            uncovered: u64::from(behind),
            covered_at: Instant::now(),
            ends,
        };
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
        let check = tokio::spawn(check_whole(pool.clone(), alarm.clone()));
        let task = tokio::spawn(writer.run(queue, lock));
        let handles = Handles { requests: Some(requests), task: Some(task), check: Some(check) };
        let handles = Mutex::new(handles);
        let writing = Writing { key, alarm, heads, covered, restored, older, handles };
        Self(Arc::new(Inner { path: path.into(), pool, writing: Some(writing) }))
    }

    /// Opens a log to read it; it may be in use.
    ///
    /// # Errors
    ///
    /// When there is none, or the file is no log.
    pub async fn read_only(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Missing(path.into()));
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .read_only(true)
            .busy_timeout(Duration::from_secs(5));
        let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await?;
        sqlx::query("select count(*) from log where stream = ''").fetch_one(&pool).await?;
        Ok(Self(Arc::new(Inner { path: path.into(), pool, writing: None })))
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
    /// When the disk fails.
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

    /// The records of a stream behind a version.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn records(&self, stream: &str, after: u64) -> Result<Vec<Record>, StoreError> {
        let mut connection = self.0.pool.acquire().await?;
        records(&mut connection, stream, after).await
    }

    /// The next records of a stream behind a version, as many as are read at once.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn page(&self, stream: &str, after: u64) -> Result<Vec<Record>, StoreError> {
        let mut connection = self.0.pool.acquire().await?;
        let page = page(&mut connection, stream, after).await?.into_iter();
        page.map(|record| record.map_err(|why| StoreError::Untrusted(why.to_string()))).collect()
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
        self.forget(Forget::Snapshot(stream.into())).await.map(|_| ())
    }

    async fn forget(&self, what: Forget) -> Result<u64, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Forget(what, reply)).await?;
        answer.await.map_err(|_| self.stopped())?
    }

    /// The names of all streams. One that is no text is none of the house's.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn streams(&self) -> Result<Vec<String>, StoreError> {
        let mut connection = self.0.pool.acquire().await?;
        Ok(streams(&mut connection).await?.0)
    }

    /// The last checkpoint, looked up.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn head(&self) -> Result<Option<Head>, StoreError> {
        let mut connection = self.0.pool.acquire().await?;
        let last = crate::rows::last_two(&mut connection, CHECKPOINTS).await?;
        Ok(last.into_iter().next().map(|record| Head {
            stream: record.stream,
            version: record.version,
            hash: record.hash,
        }))
    }

    /// Checks every chain, every checkpoint against the streams, and every signature; `kept` is a
    /// head of the checkpoints that somebody kept elsewhere.
    ///
    /// # Errors
    ///
    /// When the log cannot be read. What is broken is in what it gives.
    pub async fn verify(&self, kept: Option<(u64, Digest)>) -> Result<Verified, StoreError> {
        // One view of the whole log, however fast it grows meanwhile.
        let mut view = self.0.pool.begin().await?;
        let second = "select count(*) from sqlite_schema where name in ('snapshot', 'person')";
        let second: i64 = sqlx::query_scalar(second).fetch_one(&mut *view).await?;
        let schema = if second > 0 { check_schema(&mut view).await.err() } else { None };
        let mut found = verify(&mut view, kept).await?;
        found.broken.extend(schema.map(|why| Broken::Schema(why.to_string())));
        view.rollback().await?;
        Ok(found)
    }

    /// A rulebook that was kept.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn book(&self, sha256: Digest) -> Result<Option<Kept>, StoreError> {
        let form: i64 = sqlx::query_scalar("pragma user_version").fetch_one(&self.0.pool).await?;
        let query = if form >= FORM {
            "select cast(canonical as blob), cast(files as blob) from book where sha256 = ?"
        } else {
            "select cast(canonical as blob), null from book where sha256 = ?"
        };
        let query = sqlx::query(query).bind(sha256.0.as_slice());
        let Some(row) = query.fetch_optional(&self.0.pool).await? else { return Ok(None) };
        let files: Option<Vec<u8>> = row.try_get(1)?;
        // No hash holds the files: those that are no text count as none.
        let files = files.and_then(|files| String::from_utf8(files).ok());
        // What the hash holds is read as it can be: the check of the log says that it is another.
        let canonical = String::from_utf8_lossy(row.try_get(0)?).into_owned();
        Ok(Some(Kept { canonical, files }))
    }

    /// The name of somebody who has an account; nothing if it was erased.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn people(&self) -> Result<Vec<(String, String)>, StoreError> {
        let there: i64 = sqlx::query_scalar(
            "select count(*) from sqlite_schema where type = 'table' and name = 'person'",
        )
        .fetch_one(&self.0.pool)
        .await?;
        if there == 0 {
            return Ok(Vec::new());
        }
        let query = "select cast(account as blob), cast(name as blob) from person order by account";
        let rows: Vec<(Vec<u8>, Vec<u8>)> = sqlx::query_as(query).fetch_all(&self.0.pool).await?;
        // Nothing rests on a name: one that is no text counts as erased.
        let named = |(account, name)| {
            Some((String::from_utf8(account).ok()?, String::from_utf8(name).ok()?))
        };
        Ok(rows.into_iter().filter_map(named).collect())
    }

    /// What became of a command that was carried out before: the hash of what was asked, the
    /// stream, and the first and last record there.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn command(
        &self,
        actor: &str,
        key: &str,
    ) -> Result<Option<(Digest, String, (u64, u64))>, StoreError> {
        let query = "select payload, stream, first, last from command \
             where name = ? and name != 0 and actor = ? and key = ?";
        let query = sqlx::query(query).bind(name_of(actor, key)).bind(actor).bind(key);
        let Some(row) = query.fetch_optional(&self.0.pool).await? else { return Ok(None) };
        let number = |at: usize| row.try_get::<i64, _>(at).map(i64::cast_unsigned);
        Ok(Some((digest(row.try_get(0)?), row.try_get(1)?, (number(2)?, number(3)?))))
    }

    /// What an account holds as the projection has it, and after which record of the account.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn balance(&self, account: &str) -> Result<Option<(u64, u64)>, StoreError> {
        let query = "select version, cents from balance where account = ?";
        let query = sqlx::query(query).bind(account);
        let Some(row) = query.fetch_optional(&self.0.pool).await? else { return Ok(None) };
        let number = |at: usize| row.try_get::<i64, _>(at).map(i64::cast_unsigned);
        Ok(Some((number(0)?, number(1)?)))
    }

    /// Throws the projection of balances away; it is made anew from the accounts' own records.
    ///
    /// # Errors
    ///
    /// When the log is only read, or the disk fails.
    pub async fn forget_balances(&self) -> Result<(), StoreError> {
        self.forget(Forget::Balances).await.map(|_| ())
    }

    /// Erases the name of everybody who is called so: the chain has their accounts, and stays as it
    /// is. Gives how many there were.
    ///
    /// # Errors
    ///
    /// When the log is only read, or the disk fails.
    pub async fn erase(&self, name: &str) -> Result<u64, StoreError> {
        self.forget(Forget::Name(name.into())).await
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

    /// Writes a whole copy of the log to another file, while it is in use.
    ///
    /// # Errors
    ///
    /// When the other file exists, or the disk fails.
    pub async fn back_up(&self, to: &Path) -> Result<(), StoreError> {
        let to = to.to_string_lossy().into_owned();
        sqlx::query("vacuum into ?").bind(to).execute(&self.0.pool).await?;
        Ok(())
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

/// A log that is brought up to this form is copied first.
async fn back_up_before(connection: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".before-{FORM}"));
    let to = path.with_file_name(name);
    if to.exists() {
        // An earlier attempt was interrupted behind it; the copy is of the same log.
        return Ok(());
    }
    let to = to.to_string_lossy().into_owned();
    sqlx::query("vacuum into ?").bind(to).execute(connection).await?;
    Ok(())
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

/// Where a new key waits until the log knows it.
fn next_key(key: &Path) -> PathBuf {
    let mut name = key.file_name().unwrap_or_default().to_os_string();
    name.push(".next");
    key.with_file_name(name)
}

/// A change of the key that was interrupted: if the log knows the new one, it takes the old one's
/// place, and otherwise it never was.
async fn finish_change_of_key(
    connection: &mut SqliteConnection,
    key: &Path,
) -> Result<(), StoreError> {
    let next = next_key(key);
    if !next.exists() {
        return Ok(());
    }
    let fault = |why| StoreError::File { path: next.clone(), why };
    let new = match Key::read(&next) {
        Ok(new) => new,
        // It was not even written.
        Err(crate::seal::KeyFault::NotAKey(_)) => {
            return std::fs::remove_file(&next).map_err(fault);
        }
        Err(fault) => return Err(fault.into()),
    };
    let last = last_two(connection, CHECKPOINTS).await?.into_iter().next();
    let signed = last.and_then(|record| match record.read() {
        Ok(Body::Checkpoint(heads)) => heads.key,
        _ => None,
    });
    if signed != Some(new.signer().public()) {
        return std::fs::remove_file(&next).map_err(fault);
    }
    take_key(key, &new)
}

/// Puts a new key in the place of the old one, and marks what is beside it anew.
fn take_key(key: &Path, new: &Key) -> Result<(), StoreError> {
    let beside = Beside::path(key);
    let kept = match Key::read(key).ok().map(|old| Beside::open(&beside, &old)) {
        Some(Ok((_, kept))) => kept,
        // It was marked anew before the program stopped.
        Some(Err(_)) => None,
        None => {
            // The old key is lost, and nobody else can read what it marked.
            if Beside::open(&beside, new).is_err() {
                let fault = |why| StoreError::File { path: beside.clone(), why };
                std::fs::remove_file(&beside).map_err(fault)?;
            }
            None
        }
    };
    if let Some(kept) = kept {
        // Whole or not at all: without it an older copy of the log would not be known as one.
        let fault = |why| StoreError::File { path: beside.clone(), why };
        let anew = beside.with_extension("head.new");
        let _ = std::fs::remove_file(&anew);
        Beside::open(&anew, new)?.0.keep(&kept, new)?;
        std::fs::File::open(&anew).and_then(|file| file.sync_all()).map_err(fault)?;
        std::fs::rename(&anew, &beside).map_err(fault)?;
    }
    let fault = |why| StoreError::File { path: key.into(), why };
    std::fs::rename(next_key(key), key).map_err(fault)
}

/// Replaces the house's key by a new one: the old one signs it, secrets are sealed anew. Gives the
/// new public key. The log must not be in use.
///
/// # Errors
///
/// When the log is in use, does not hold, or cannot be written.
pub async fn change_key(path: &Path, key: &Path) -> Result<Digest, StoreError> {
    // Whatever there is to be known of the log is found and recorded first.
    Store::open_with(path, key, Begin::Either).await?.close().await;
    let lock = Lock::take(path, Begin::Either)?;
    let mut connection = connect(path).await?;
    let old = Key::read(key)?;
    let (beside, kept) = Beside::open(&Beside::path(key), &old)?;
    let (trusted, _) = trust(&mut connection, &old, kept.as_ref(), key).await?;
    let new = Key::make(&next_key(key))?;
    let public = new.signer().public();
    let mut writer = Writer {
        connection,
        path: path.into(),
        key: Arc::new(old),
        beside,
        trusted,
        alarm: Alarm::default(),
        compared: HashSet::new(),
        uncovered: 0,
        covered_at: Instant::now(),
        ends: Arc::new(Mutex::new(Known::new())),
    };
    writer.change_key(now(), new).await?;
    let _ = writer.connection.close().await;
    take_key(key, &Key::read(&next_key(key))?)?;
    drop(lock);
    // What was kept beside the old key knows less than the log by now.
    Store::open_with(path, key, Begin::Either).await?.close().await;
    Ok(public)
}

/// Takes a new key where the old one is lost: nobody vouches for it, and the log says so. What the
/// old one sealed stays closed. Everything in the log is checked from its first record; who wrote
/// what no head covers cannot be known without the old key. Gives the new public key.
///
/// # Errors
///
/// When a key is there, or the log is in use, does not hold, or cannot be written.
pub async fn replace_lost_key(path: &Path, key: &Path) -> Result<Digest, StoreError> {
    if !path.is_file() {
        return Err(StoreError::Missing(path.into()));
    }
    let lock = Lock::take(path, Begin::Either)?;
    let mut connection = connect(path).await?;
    if form(&mut connection, path).await? != Some(FORM) {
        let why = "it never had a key of the house";
        return Err(StoreError::Untrusted(why.into()));
    }
    finish_change_of_key(&mut connection, key).await?;
    if key.exists() {
        return Err(StoreError::Exists(key.into()));
    }
    check_schema(&mut connection).await?;
    let found = verify(&mut connection, None).await?;
    if let Some(broken) = found.broken.first() {
        return Err(StoreError::Untrusted(broken.to_string()));
    }
    let trusted = ends(&mut connection, found.head).await?;
    let beside_path = Beside::path(key);
    match std::fs::remove_file(&beside_path) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
            return Err(StoreError::File { path: beside_path, why });
        }
        Ok(()) | Err(_) => {}
    }
    let new = Key::make(&next_key(key))?;
    let public = new.signer().public();
    let (beside, _) = Beside::open(&beside_path, &new)?;
    let mut writer = Writer {
        connection,
        path: path.into(),
        key: Arc::new(new),
        beside,
        trusted,
        alarm: Alarm::default(),
        compared: HashSet::new(),
        uncovered: 0,
        covered_at: Instant::now(),
        ends: Arc::new(Mutex::new(Known::new())),
    };
    writer.house(now(), Body::Key(HouseKey { public, former: None })).await?;
    writer.keep()?;
    let _ = writer.connection.close().await;
    take_key(key, &Key::read(&next_key(key))?)?;
    drop(lock);
    Ok(public)
}

/// Where every stream of a log ends that was checked as a whole.
async fn ends(
    connection: &mut SqliteConnection,
    head: Option<Head>,
) -> Result<Trusted, StoreError> {
    let mut trusted = Trusted::default();
    for stream in streams(connection).await?.0 {
        let last = last_two(connection, &stream).await?.into_iter().next();
        let Some(last) = last.filter(|_| stream != CHECKPOINTS) else { continue };
        trusted.heads.insert(stream, (last.version, last.hash));
    }
    let commands = "select coalesce(max(number), 0) from command where number > 0";
    let commands: i64 = sqlx::query_scalar(commands).fetch_one(&mut *connection).await?;
    trusted.commands = commands.cast_unsigned();
    let last = last_two(connection, CHECKPOINTS).await?.into_iter().next();
    if let Some(Body::Checkpoint(heads)) = last.map(|last| last.read()).transpose()? {
        trusted.epoch = heads.epoch.unwrap_or(0);
    }
    if let Some(head) = head {
        trusted.checkpoint = (head.version, head.hash);
    }
    Ok(trusted)
}

/// Checks the whole log while it is in use. Nothing more is written to a stream that does not hold,
/// and nothing at all if the house's own records or the heads do not.
async fn check_whole(pool: SqlitePool, alarm: Alarm) {
    let found = match pool.begin().await {
        Ok(mut view) => {
            let found = verify(&mut view, None).await;
            let _ = view.rollback().await;
            found
        }
        Err(fault) => Err(fault.into()),
    };
    match found {
        Ok(found) => {
            for broken in &found.broken {
                let why = format!("it does not hold: {broken}");
                match broken.stream() {
                    // Every stream that rests on the book is named as well.
                    None if matches!(broken, Broken::Book(_)) => {}
                    Some(CHECKPOINTS | HOUSE) | None => alarm.raise(why),
                    Some(stream) => alarm.raise_of(stream, why),
                }
            }
        }
        Err(_) if pool.is_closed() => {}
        Err(fault) => alarm.raise(format!("it cannot be read as a whole: {fault}")),
    }
}

/// The time of the system's clock, in microseconds UTC.
#[must_use]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
