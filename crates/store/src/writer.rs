//! The one writer of a log: what waits is written together, in one transaction, and answered when
//! it is synced.

use std::collections::HashMap;

use shoe::Digest;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, QueryBuilder, Row, Sqlite};
use tokio::sync::{mpsc, oneshot};

use crate::CHECKPOINTS;
use crate::body::{Body, Head, Heads};
use crate::chain::{START, hash};
use crate::fault::StoreError;
use crate::lock::Lock;

/// Commands that are written together at the most.
const GROUP: usize = 256;
/// Rows of one insert at the most: eight values each, and `SQLite` binds 32,766.
const ROWS: usize = 4000;
const MOST_NAME: usize = 100;
/// A key may be a stream's name and a number.
const MOST_STREAM: usize = 79;
const MOST_BODY: usize = 1 << 20;

/// A record as it stands in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Which stream.
    pub stream: String,
    /// Position in the stream, from 1.
    pub version: u64,
    /// When, in microseconds UTC.
    pub at: u64,
    /// Who acted.
    pub actor: String,
    /// The command that it came from.
    pub key: String,
    /// How to read the body.
    pub schema: String,
    /// What it says, as JSON.
    pub body: String,
    /// The hash of it and the one before it.
    pub hash: Digest,
}

impl Record {
    /// What it says.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(&self) -> Result<Body, StoreError> {
        Body::from_json(&self.schema, &self.body).map_err(|why| StoreError::Unreadable {
            stream: self.stream.clone(),
            version: self.version,
            why,
        })
    }
}

/// Something to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, in microseconds UTC.
    pub at: u64,
    /// What.
    pub body: Body,
}

/// Entries for one stream, which must be where the writer believes it to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEntries {
    /// Which stream.
    pub stream: String,
    /// Its version before.
    pub expected: u64,
    /// What to add.
    pub entries: Vec<Entry>,
}

/// A command, named by who sent it, so that it is carried out once however often it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandKey {
    /// Who.
    pub actor: String,
    /// Their name for it.
    pub key: String,
    /// The hash of what was asked.
    pub payload: Digest,
}

/// What one command adds, to one stream or several: all of it or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// Which command.
    pub command: CommandKey,
    /// What it adds.
    pub parts: Vec<StreamEntries>,
}

/// What became of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The first and the last version in the first stream.
    pub versions: (u64, u64),
    /// It was there already; nothing was written.
    pub repeated: bool,
}

pub(crate) enum Request {
    Append(Append, oneshot::Sender<Result<Appended, StoreError>>),
    Checkpoint(u64, oneshot::Sender<Result<Head, StoreError>>),
}

type Known = HashMap<String, (u64, Digest)>;

pub(crate) struct Writer {
    pub(crate) connection: SqliteConnection,
    pub(crate) heads: Known,
}

/// What is to be written in one transaction.
#[derive(Default)]
struct Group {
    heads: Known,
    rows: Vec<Record>,
    commands: Vec<(CommandKey, String, (u64, u64))>,
}

enum Reply {
    Append(oneshot::Sender<Result<Appended, StoreError>>, Appended),
    Checkpoint(oneshot::Sender<Result<Head, StoreError>>, Head),
}

impl Writer {
    /// Reads how far every stream has come.
    pub(crate) async fn new(mut connection: SqliteConnection) -> Result<Self, StoreError> {
        let heads = "select stream, version, hash from log l \
             where version = (select max(version) from log where stream = l.stream)";
        let mut known = HashMap::new();
        for row in sqlx::query(heads).fetch_all(&mut connection).await? {
            let version = u64::try_from(row.try_get::<i64, _>(1)?).unwrap_or(0);
            known.insert(row.try_get(0)?, (version, digest(row.try_get(2)?)));
        }
        Ok(Self { connection, heads: known })
    }

    /// Serves requests until nobody can send any, or the disk fails.
    /// The lock is held as long as anything can be written.
    pub(crate) async fn run(mut self, mut requests: mpsc::Receiver<Request>, lock: Lock) {
        while let Some(first) = requests.recv().await {
            let mut waiting = vec![first];
            while waiting.len() < GROUP {
                match requests.try_recv() {
                    Ok(next) => waiting.push(next),
                    Err(_) => break,
                }
            }
            if !self.serve(waiting).await {
                // What is in the file is no longer certain; a new start reads it again.
                break;
            }
        }
        let _ = self.connection.close().await;
        drop(lock);
    }

    async fn serve(&mut self, requests: Vec<Request>) -> bool {
        let (mut group, mut replies) = (Group::default(), Vec::new());
        for request in requests {
            match request {
                Request::Append(append, reply) => match self.admit(&mut group, append).await {
                    Ok(appended) => replies.push(Reply::Append(reply, appended)),
                    Err(fault) => drop(reply.send(Err(fault))),
                },
                Request::Checkpoint(at, reply) => {
                    let head = self.checkpoint(&mut group, at);
                    replies.push(Reply::Checkpoint(reply, head));
                }
            }
        }
        let written = self.write(&group).await;
        if written.is_ok() {
            self.heads.extend(group.heads);
        }
        let good = written.is_ok();
        // Who waited and went away loses nothing: what is written is written.
        for reply in replies {
            match (reply, &written) {
                (Reply::Append(reply, appended), Ok(())) => drop(reply.send(Ok(appended))),
                (Reply::Checkpoint(reply, head), Ok(())) => drop(reply.send(Ok(head))),
                (Reply::Append(reply, _), Err(_)) => drop(reply.send(Err(StoreError::Stopped))),
                (Reply::Checkpoint(reply, _), Err(_)) => {
                    drop(reply.send(Err(StoreError::Stopped)));
                }
            }
        }
        good
    }

    fn head(&self, group: &Group, stream: &str) -> (u64, Digest) {
        let known = group.heads.get(stream).or_else(|| self.heads.get(stream));
        known.copied().unwrap_or((0, START))
    }

    async fn admit(&mut self, group: &mut Group, append: Append) -> Result<Appended, StoreError> {
        let Append { command, parts } = append;
        check_length("an actor", &command.actor, MOST_NAME)?;
        check_length("a key", &command.key, MOST_NAME)?;
        if let Some(known) = self.known(group, &command).await? {
            return Ok(known);
        }
        check_parts(&parts)?;
        let mut made = Vec::new();
        for part in &parts {
            check_length("a stream's name", &part.stream, MOST_STREAM)?;
            let (actual, hash) = self.head(group, &part.stream);
            if actual != part.expected {
                let (stream, expected) = (part.stream.clone(), part.expected);
                return Err(StoreError::Conflict { stream, expected, actual });
            }
            made.push(chained(part, &command, actual, hash)?);
        }
        let first = parts.first().map_or("", |part| part.stream.as_str()).to_owned();
        let versions = made.first().map_or((0, 0), |rows| {
            let version = |row: Option<&Record>| row.map_or(0, |row| row.version);
            (version(rows.first()), version(rows.last()))
        });
        for rows in made {
            if let Some(last) = rows.last() {
                group.heads.insert(last.stream.clone(), (last.version, last.hash));
            }
            group.rows.extend(rows);
        }
        group.commands.push((command, first, versions));
        Ok(Appended { versions, repeated: false })
    }

    /// What became of the same command before.
    async fn known(
        &mut self,
        group: &Group,
        command: &CommandKey,
    ) -> Result<Option<Appended>, StoreError> {
        let same = |(other, ..): &&(CommandKey, String, (u64, u64))| {
            other.actor == command.actor && other.key == command.key
        };
        let found = match group.commands.iter().find(same) {
            Some((other, _, versions)) => Some((other.payload, *versions)),
            None => {
                sqlx::query("select payload, first, last from command where actor = ? and key = ?")
                    .bind(&command.actor)
                    .bind(&command.key)
                    .fetch_optional(&mut self.connection)
                    .await?
                    .map(|row| {
                        let version = |at: usize| u64::try_from(row.get::<i64, _>(at)).unwrap_or(0);
                        (digest(row.get(0)), (version(1), version(2)))
                    })
            }
        };
        match found {
            Some((payload, _)) if payload != command.payload => {
                Err(StoreError::KeyReused(command.key.clone()))
            }
            Some((_, versions)) => Ok(Some(Appended { versions, repeated: true })),
            None => Ok(None),
        }
    }

    fn checkpoint(&self, group: &mut Group, at: u64) -> Head {
        let mut all = self.heads.clone();
        all.extend(group.heads.iter().map(|(stream, head)| (stream.clone(), *head)));
        all.remove(CHECKPOINTS);
        let mut heads: Vec<_> = all
            .into_iter()
            .map(|(stream, (version, hash))| Head { stream, version, hash })
            .collect();
        heads.sort_by(|one, other| one.stream.cmp(&other.stream));
        let (version, previous) = self.head(group, CHECKPOINTS);
        let body = Body::Checkpoint(Heads { heads });
        let mut record = Record {
            stream: CHECKPOINTS.into(),
            version: version + 1,
            at: at.min(i64::MAX.cast_unsigned()),
            actor: "store".into(),
            key: (version + 1).to_string(),
            schema: body.schema().into(),
            body: body.to_json(),
            hash: START,
        };
        record.hash = hash(&previous, &record);
        let head = Head { stream: CHECKPOINTS.into(), version: version + 1, hash: record.hash };
        group.heads.insert(CHECKPOINTS.into(), (head.version, head.hash));
        group.rows.push(record);
        head
    }

    async fn write(&mut self, group: &Group) -> Result<(), StoreError> {
        if group.rows.is_empty() && group.commands.is_empty() {
            return Ok(());
        }
        let mut transaction = loop {
            match self.connection.begin_with("begin immediate").await {
                Ok(transaction) => break transaction,
                // Somebody else holds the file, and nothing is written yet: it passes.
                Err(sqlx::Error::Database(fault)) if fault.message().contains("locked") => {}
                Err(fault) => return Err(fault.into()),
            }
        };
        for rows in group.rows.chunks(ROWS) {
            let into = "insert into log (stream, version, at, actor, key, schema, body, hash) ";
            let mut insert: QueryBuilder<Sqlite> = QueryBuilder::new(into);
            insert.push_values(rows, |mut row, record| {
                row.push_bind(&record.stream)
                    .push_bind(i64::try_from(record.version).unwrap_or(i64::MAX))
                    .push_bind(i64::try_from(record.at).unwrap_or(i64::MAX))
                    .push_bind(&record.actor)
                    .push_bind(&record.key)
                    .push_bind(&record.schema)
                    .push_bind(&record.body)
                    .push_bind(record.hash.0.as_slice());
            });
            insert.build().execute(&mut *transaction).await?;
        }
        for commands in group.commands.chunks(ROWS) {
            let into = "insert into command (actor, key, payload, stream, first, last) ";
            let mut insert: QueryBuilder<Sqlite> = QueryBuilder::new(into);
            insert.push_values(commands, |mut row, (command, stream, (first, last))| {
                row.push_bind(&command.actor)
                    .push_bind(&command.key)
                    .push_bind(command.payload.0.as_slice())
                    .push_bind(stream)
                    .push_bind(i64::try_from(*first).unwrap_or(i64::MAX))
                    .push_bind(i64::try_from(*last).unwrap_or(i64::MAX));
            });
            insert.build().execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

/// The records that a part adds to its stream.
fn chained(
    part: &StreamEntries,
    command: &CommandKey,
    version: u64,
    previous: Digest,
) -> Result<Vec<Record>, StoreError> {
    let (mut version, mut previous) = (version, previous);
    let mut records = Vec::with_capacity(part.entries.len());
    for entry in &part.entries {
        version += 1;
        let body = entry.body.to_json();
        check_length("a record", &body, MOST_BODY)?;
        let mut record = Record {
            stream: part.stream.clone(),
            version,
            // The file has signed numbers; what is hashed is what is stored.
            at: entry.at.min(i64::MAX.cast_unsigned()),
            actor: command.actor.clone(),
            key: command.key.clone(),
            schema: entry.body.schema().into(),
            body,
            hash: START,
        };
        record.hash = hash(&previous, &record);
        previous = record.hash;
        records.push(record);
    }
    Ok(records)
}

/// What one command adds is something, and to each stream once.
fn check_parts(parts: &[StreamEntries]) -> Result<(), StoreError> {
    if parts.is_empty() || parts.iter().any(|part| part.entries.is_empty()) {
        return Err(StoreError::BadAppend("an append must add something to each of its streams"));
    }
    if parts.iter().any(|part| part.stream == CHECKPOINTS) {
        return Err(StoreError::BadAppend("the checkpoints are the store's own to write"));
    }
    let twice =
        |part: &&StreamEntries| parts.iter().filter(|p| p.stream == part.stream).count() > 1;
    if parts.iter().find(twice).is_some() {
        return Err(StoreError::BadAppend("an append names each stream once"));
    }
    Ok(())
}

fn check_length(what: &'static str, text: &str, most: usize) -> Result<(), StoreError> {
    if text.is_empty() || text.len() > most {
        return Err(StoreError::TooLong { what, length: text.len(), most });
    }
    Ok(())
}

pub(crate) fn digest(bytes: &[u8]) -> Digest {
    Digest(bytes.try_into().unwrap_or([0; 32]))
}
