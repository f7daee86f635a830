//! A log in one `SQLite` file: write-ahead, fully synced, one writer and any number of readers.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use shoe::Digest;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteRow, SqliteSynchronous,
};
use sqlx::{ConnectOptions, Row};
use tokio::sync::{mpsc, oneshot};
use zeroize::Zeroizing;

use crate::CHECKPOINTS;
use crate::body::{Body, Head};
use crate::chain::{Broken, verify_chain};
use crate::fault::StoreError;
use crate::lock::Lock;
use crate::seal::Key;
use crate::writer::{Append, Appended, Record, Request, Writer, digest};

/// Requests that may wait for the writer.
const QUEUE: usize = 1024;

/// A log.
pub struct Store {
    path: PathBuf,
    pool: SqlitePool,
    /// Nothing for a log that is only read.
    writer: Option<Writing>,
}

struct Writing {
    requests: mpsc::Sender<Request>,
    task: tokio::task::JoinHandle<()>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({})", self.path.display())
    }
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        // What was sealed leaves no trace when it is opened and taken out.
        .pragma("secure_delete", "on")
        .busy_timeout(Duration::from_secs(5))
}

impl Store {
    /// Opens a log for writing, or makes a new one.
    ///
    /// # Errors
    ///
    /// When another process has it, or the file is no log.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let lock = Lock::take(path)?;
        let mut connection: SqliteConnection =
            options(path).create_if_missing(true).connect().await?;
        // A database that somebody else uses stays as it is.
        let tables = "select count(*), coalesce(sum(name in ('log', '_sqlx_migrations')), 0) \
             from sqlite_schema";
        let (all, ours): (i64, i64) = sqlx::query_as(tables).fetch_one(&mut connection).await?;
        if all > 0 && ours == 0 {
            return Err(StoreError::NotALog(path.into()));
        }
        sqlx::migrate!("migrations/sqlite").run(&mut connection).await?;
        let writer = Writer::new(connection).await?;
        let (requests, queue) = mpsc::channel(QUEUE);
        let task = tokio::spawn(writer.run(queue, lock));
        let pool = SqlitePoolOptions::new().max_connections(4).connect_lazy_with(options(path));
        let writer = Some(Writing { requests, task });
        Ok(Self { path: path.into(), pool, writer })
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
        sqlx::query("select count(*) from log").fetch_one(&pool).await?;
        Ok(Self { path: path.into(), pool, writer: None })
    }

    /// Adds what a command brought, synced to the disk when this returns.
    ///
    /// # Errors
    ///
    /// When somebody else wrote first, the key was used for something else, or the disk fails.
    pub async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Append(append, reply)).await?;
        answer.await.map_err(|_| StoreError::Stopped)?
    }

    /// Records how far every stream has come, and gives the head of the checkpoints: whoever keeps
    /// it elsewhere can tell later whether anything was altered or taken away.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn checkpoint(&self, at: u64) -> Result<Head, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Checkpoint(at, reply)).await?;
        answer.await.map_err(|_| StoreError::Stopped)?
    }

    async fn send(&self, request: Request) -> Result<(), StoreError> {
        let read_only = || StoreError::ReadOnly(self.path.clone());
        let writer = self.writer.as_ref().ok_or_else(read_only)?;
        writer.requests.send(request).await.map_err(|_| StoreError::Stopped)
    }

    /// The records of a stream behind a version.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn records(&self, stream: &str, after: u64) -> Result<Vec<Record>, StoreError> {
        let mut connection = self.pool.acquire().await?;
        records(&mut connection, stream, after).await
    }

    /// The names of all streams.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn streams(&self) -> Result<Vec<String>, StoreError> {
        let query = "select distinct stream from log order by stream";
        Ok(sqlx::query_scalar(query).fetch_all(&self.pool).await?)
    }

    /// Checks every chain, and every checkpoint against the streams; `kept` is a head of the
    /// checkpoints that somebody kept elsewhere.
    ///
    /// # Errors
    ///
    /// When the log cannot be read. What is broken is in the list.
    pub async fn verify(&self, kept: Option<(u64, Digest)>) -> Result<Vec<Broken>, StoreError> {
        let mut broken = Vec::new();
        let mut chains = std::collections::HashMap::new();
        // One view of the whole log, however fast it grows meanwhile.
        let mut view = self.pool.begin().await?;
        let streams = "select distinct stream from log order by stream";
        let streams: Vec<String> = sqlx::query_scalar(streams).fetch_all(&mut *view).await?;
        let mut heads = Vec::new();
        for stream in streams {
            let records = records(&mut view, &stream, 0).await?;
            if let Err(fault) = verify_chain(&stream, &records) {
                broken.push(fault);
            }
            for record in records.iter().filter(|record| record.stream == CHECKPOINTS) {
                match record.read() {
                    Ok(Body::Checkpoint(known)) => heads.extend(known.heads),
                    Ok(_) => {}
                    Err(fault) => broken.push(Broken::Unreadable {
                        stream: stream.clone(),
                        version: record.version,
                        why: fault.to_string(),
                    }),
                }
            }
            let hashes: Vec<_> = records.iter().map(|record| record.hash).collect();
            chains.insert(stream, hashes);
        }
        let books = "select sha256, cast(canonical as blob) from book";
        for row in sqlx::query(books).fetch_all(&mut *view).await? {
            let known = digest(row.try_get(0)?);
            if Digest::of(&[row.try_get::<&[u8], _>(1)?]) != known {
                broken.push(Broken::Book(known));
            }
        }
        view.rollback().await?;
        let stream = CHECKPOINTS.to_owned();
        heads.extend(kept.map(|(version, hash)| Head { stream, version, hash }));
        for Head { stream, version: wanted, hash } in heads {
            let chain = chains.get(&stream).map_or(&[][..], Vec::as_slice);
            let at = usize::try_from(wanted).unwrap_or(usize::MAX).wrapping_sub(1);
            let fault = match chain.get(at) {
                None => Broken::Shortened { stream, wanted, found: chain.len() as u64 },
                Some(found) if *found != hash => Broken::Replaced { stream, version: wanted },
                Some(_) => continue,
            };
            if !broken.contains(&fault) {
                broken.push(fault);
            }
        }
        Ok(broken)
    }

    /// Keeps a rulebook that a table was opened with.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn keep_book(&self, sha256: Digest, canonical: &str) -> Result<(), StoreError> {
        sqlx::query("insert or ignore into book (sha256, canonical) values (?, ?)")
            .bind(sha256.0.as_slice())
            .bind(canonical)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// The canonical text of a rulebook that was kept.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn book(&self, sha256: Digest) -> Result<Option<String>, StoreError> {
        let query = "select canonical from book where sha256 = ?";
        Ok(sqlx::query_scalar(query).bind(sha256.0.as_slice()).fetch_optional(&self.pool).await?)
    }

    /// Keeps a secret under lock and key.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn seal(&self, key: &Key, name: &str, secret: &[u8]) -> Result<(), StoreError> {
        let sealed = key.seal(name, secret)?;
        sqlx::query("insert into sealed (name, box) values (?, ?)")
            .bind(name)
            .bind(sealed)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Opens a secret; nothing if none was kept under that name.
    ///
    /// # Errors
    ///
    /// When the log cannot be read, or the key is another.
    pub async fn unseal(
        &self,
        key: &Key,
        name: &str,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
        let query = "select box from sealed where name = ?";
        let sealed: Option<Vec<u8>> =
            sqlx::query_scalar(query).bind(name).fetch_optional(&self.pool).await?;
        Ok(sealed.map(|sealed| key.open(name, &sealed)).transpose()?)
    }

    /// Takes a secret away that is no longer one.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn forget(&self, name: &str) -> Result<(), StoreError> {
        sqlx::query("delete from sealed where name = ?").bind(name).execute(&self.pool).await?;
        Ok(())
    }

    /// Writes a whole copy of the log to another file, while it is in use.
    ///
    /// # Errors
    ///
    /// When the other file exists, or the disk fails.
    pub async fn back_up(&self, to: &Path) -> Result<(), StoreError> {
        let to = to.to_string_lossy().into_owned();
        sqlx::query("vacuum into ?").bind(to).execute(&self.pool).await?;
        Ok(())
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets everything that waits be written, and closes the file.
    pub async fn close(self) {
        if let Some(Writing { requests, task, .. }) = self.writer {
            drop(requests);
            let _ = task.await;
        }
        self.pool.close().await;
    }
}

async fn records(
    connection: &mut SqliteConnection,
    stream: &str,
    after: u64,
) -> Result<Vec<Record>, StoreError> {
    // As bytes: text that is none was not written by us, and shows as altered.
    let query = "select cast(stream as blob), version, at, cast(actor as blob), \
         cast(key as blob), cast(schema as blob), cast(body as blob), hash from log \
         where stream = ? and version > ? order by version";
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let rows = sqlx::query(query).bind(stream).bind(after).fetch_all(connection).await?;
    rows.iter().map(record).collect()
}

fn record(row: &SqliteRow) -> Result<Record, StoreError> {
    // A number below zero was never written; it must not pass for one that was.
    let number = |at: usize| row.try_get::<i64, _>(at).map(i64::cast_unsigned);
    let text = |at: usize| {
        let bytes = row.try_get::<&[u8], _>(at);
        bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    Ok(Record {
        stream: text(0)?,
        version: number(1)?,
        at: number(2)?,
        actor: text(3)?,
        key: text(4)?,
        schema: text(5)?,
        body: text(6)?,
        hash: digest(row.try_get(7)?),
    })
}

/// The time of the system's clock, in microseconds UTC.
#[must_use]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
