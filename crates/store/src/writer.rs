//! The one writer of a log: what waits is written together, in one transaction, and answered when
//! it is synced.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use shoe::Digest;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, QueryBuilder, Row, Sqlite};
use tokio::sync::{mpsc, oneshot};

use crate::beside::{Beside, Kept};
use crate::body::{Body, FormerKey, Head, Heads, HouseKey};
use crate::chain::{START, hash};
use crate::fault::StoreError;
use crate::lock::Lock;
use crate::rows::last_two;
use crate::seal::Key;
use crate::trust::{Marked, Part, Trusted, key_message};
use crate::{CHECKPOINTS, HOUSE};

/// Commands that are written together at the most.
const GROUP: usize = 256;
/// Rows of one statement: a few sizes only, so that statements are prepared once. There are ten
/// values a row at the most, and `SQLite` binds 32,766.
const ROWS: [usize; 6] = [2048, 512, 128, 32, 8, 1];
const MOST_NAME: usize = 100;
/// A key may be a stream's name and a number.
const MOST_STREAM: usize = 79;
const MOST_BODY: usize = 4 << 20;
/// Records that no head covers, at the most, and for how long.
const UNCOVERED: u64 = 1000;
const UNCOVERED_FOR: Duration = Duration::from_mins(1);
/// How long another program may hold the file.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

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
    /// What is kept beside the records, in the same transaction.
    pub with: Vec<With>,
}

/// Something that is kept beside records.
#[derive(Clone, PartialEq, Eq)]
pub enum With {
    /// A rulebook that a table is opened with.
    Book {
        /// The hash of its canonical text.
        sha256: Digest,
        /// The text.
        canonical: String,
        /// Its files, as JSON.
        files: String,
    },
    /// A secret, to be sealed with the house's key.
    Secret {
        /// The name under which it is kept.
        name: String,
        /// The secret.
        secret: zeroize::Zeroizing<Vec<u8>>,
    },
    /// A secret that is no longer one.
    Forgotten(String),
    /// The name of somebody who has an account.
    Person {
        /// The account.
        account: String,
        /// The name.
        name: String,
    },
    /// What an account holds.
    Balance {
        /// The account.
        account: String,
        /// After which record of the account.
        version: u64,
        /// How much.
        cents: u64,
    },
}

impl std::fmt::Debug for With {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Book { sha256, .. } => write!(f, "Book({sha256})"),
            Self::Secret { name, .. } => write!(f, "Secret({name})"),
            Self::Forgotten(name) => write!(f, "Forgotten({name})"),
            Self::Person { account, .. } => write!(f, "Person({account})"),
            Self::Balance { account, cents, .. } => write!(f, "Balance({account}, {cents})"),
        }
    }
}

/// The state of a stream after a record, to be kept under the next head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Which stream.
    pub stream: String,
    /// After which record.
    pub version: u64,
    /// The state, as JSON.
    pub state: String,
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
    Checkpoint(u64, Vec<Snapshot>, oneshot::Sender<Result<Head, StoreError>>),
    Forget(Forget, oneshot::Sender<Result<u64, StoreError>>),
}

/// Something that is kept beside the records, that nothing rests on, and that is thrown away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Forget {
    /// The state of a stream.
    Snapshot(String),
    /// All balances.
    Balances,
    /// The name of everybody who is called so.
    Name(String),
}

pub(crate) type Known = HashMap<String, (u64, Digest)>;

/// Why the writer takes nothing more, once it does not: of the log, or of one stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alarm {
    all: Arc<OnceLock<String>>,
    streams: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Alarm {
    /// Nothing more is written to the log.
    pub(crate) fn raise(&self, why: String) {
        let _ = self.all.set(why);
    }

    /// Nothing more is written to a stream; the others go on.
    pub(crate) fn raise_of(&self, stream: &str, why: String) {
        let mut streams = self.streams.lock().expect("nobody panics holding it");
        streams.entry(stream.into()).or_insert(why);
    }

    pub(crate) fn get(&self) -> Option<&String> {
        self.all.get()
    }

    pub(crate) fn of(&self, stream: &str) -> Option<String> {
        self.streams.lock().expect("nobody panics holding it").get(stream).cloned()
    }

    /// Every stream that is not gone on with, and why.
    pub(crate) fn by_stream(&self) -> Vec<(String, String)> {
        let streams = self.streams.lock().expect("nobody panics holding it");
        streams.iter().map(|(stream, why)| (stream.clone(), why.clone())).collect()
    }
}

pub(crate) struct Writer {
    pub(crate) connection: SqliteConnection,
    pub(crate) path: PathBuf,
    pub(crate) key: Arc<Key>,
    pub(crate) beside: Beside,
    pub(crate) trusted: Trusted,
    pub(crate) alarm: Alarm,
    /// Streams whose end in the file was compared with the one that is due.
    pub(crate) compared: HashSet<String>,
    /// Records behind the last head.
    pub(crate) uncovered: u64,
    pub(crate) covered_at: Instant,
    /// Where every stream ends, for those who open one later.
    pub(crate) ends: Arc<Mutex<Known>>,
}

/// What is to be written in one transaction.
#[derive(Default)]
struct Group {
    heads: Known,
    /// Commands that were carried out before, or are in this group: payload and versions.
    known: HashMap<(String, String), (Digest, (u64, u64))>,
    rows: Vec<Record>,
    commands: Vec<Marked>,
    with: Vec<With>,
    snapshots: Vec<(Snapshot, Digest)>,
    /// Boxes that were sealed anew, by name.
    resealed: Vec<(String, Vec<u8>)>,
    forgets: Vec<(Forget, oneshot::Sender<Result<u64, StoreError>>)>,
}

enum Reply {
    Append(oneshot::Sender<Result<Appended, StoreError>>, Appended),
    Checkpoint(oneshot::Sender<Result<Head, StoreError>>, Head),
}

impl Reply {
    fn answer(self, written: &Result<(), StoreError>) {
        let fault = || match written {
            Err(StoreError::Busy(seconds)) => StoreError::Busy(*seconds),
            Err(why) => StoreError::Stopped(why.to_string()),
            Ok(()) => StoreError::Stopped(String::new()),
        };
        // Who waited and went away loses nothing: what is written is written.
        match (self, written) {
            (Self::Append(reply, appended), Ok(())) => drop(reply.send(Ok(appended))),
            (Self::Checkpoint(reply, head), Ok(())) => drop(reply.send(Ok(head))),
            (Self::Append(reply, _), Err(_)) => drop(reply.send(Err(fault()))),
            (Self::Checkpoint(reply, _), Err(_)) => drop(reply.send(Err(fault()))),
        }
    }
}

impl Request {
    const fn command(&self) -> Option<&CommandKey> {
        match self {
            Self::Append(append, _) => Some(&append.command),
            Self::Checkpoint(..) | Self::Forget(..) => None,
        }
    }

    fn refuse(self, why: &str) {
        let fault = || StoreError::Stopped(why.into());
        match self {
            Self::Append(_, reply) => drop(reply.send(Err(fault()))),
            Self::Checkpoint(_, _, reply) => drop(reply.send(Err(fault()))),
            Self::Forget(_, reply) => drop(reply.send(Err(fault()))),
        }
    }
}

impl Writer {
    /// Serves requests until nobody can send any. The lock is held as long as anything can be
    /// written. When the disk fails or the log turns out to be broken, what is asked is refused
    /// with the reason.
    pub(crate) async fn run(mut self, mut requests: mpsc::Receiver<Request>, lock: Lock) {
        loop {
            let first = tokio::select! {
                request = requests.recv() => match request {
                    Some(request) => Some(request),
                    None => break,
                },
                () = tokio::time::sleep_until(self.next_head()), if self.uncovered > 0 => None,
            };
            let mut waiting: Vec<_> = first.into_iter().collect();
            let idle = waiting.is_empty();
            // Those who were answered a moment ago come along with their next act.
            tokio::task::yield_now().await;
            while waiting.len() < GROUP {
                match requests.try_recv() {
                    Ok(next) => waiting.push(next),
                    Err(_) => break,
                }
            }
            if !lock.is_on(&self.path) {
                self.alarm.raise("the file was moved, replaced or deleted".into());
            }
            if let Some(why) = self.alarm.get().cloned() {
                for request in waiting {
                    request.refuse(&why);
                }
                self.uncovered = 0;
                continue;
            }
            if let Err(why) = self.serve(waiting, idle).await {
                // What is in the file is no longer certain; a new start reads it again.
                self.alarm.raise(why);
            }
        }
        let _ = self.connection.close().await;
        drop(lock);
    }

    fn next_head(&self) -> tokio::time::Instant {
        tokio::time::Instant::from_std(self.covered_at + UNCOVERED_FOR)
    }

    /// Writes what waits. An error says why nothing more can be written.
    async fn serve(&mut self, requests: Vec<Request>, head_due: bool) -> Result<(), String> {
        let (mut group, mut replies) = (Group::default(), Vec::new());
        let mut has_head = false;
        let asked: Vec<_> = requests.iter().filter_map(Request::command).collect();
        if let Err(fault) = self.look_up(&mut group, &asked).await {
            // Nothing is written; who asks again may be luckier.
            let why = fault.to_string();
            for request in requests {
                request.refuse(&why);
            }
            return Ok(());
        }
        for request in requests {
            match request {
                Request::Append(append, reply) => {
                    let own = append.parts.iter().any(|part| part.stream == HOUSE);
                    let admitted = if own {
                        Err(StoreError::BadAppend("the house's records are the store's own"))
                    } else {
                        self.admit(&mut group, append).await
                    };
                    match admitted {
                        Ok(appended) => replies.push(Reply::Append(reply, appended)),
                        Err(fault) => drop(reply.send(Err(fault))),
                    }
                }
                Request::Checkpoint(at, snapshots, reply) => {
                    self.take_snapshots(&mut group, snapshots);
                    let head = self.checkpoint(&mut group, at);
                    has_head = true;
                    replies.push(Reply::Checkpoint(reply, head));
                }
                Request::Forget(what, reply) => group.forgets.push((what, reply)),
            }
        }
        let uncovered = self.uncovered + group.rows.len() as u64;
        if !has_head && uncovered > 0 && (head_due || uncovered >= UNCOVERED) {
            self.checkpoint(&mut group, crate::now());
            has_head = true;
        }
        let forgets = std::mem::take(&mut group.forgets);
        let what: Vec<_> = forgets.iter().map(|(what, _)| what.clone()).collect();
        let written = self.write(&group, &what).await;
        let (written, forgotten) = match written {
            Ok(forgotten) => (Ok(()), forgotten),
            Err(why) => (Err(why), Vec::new()),
        };
        let stopped = match &written {
            Ok(()) => {
                self.settle(group, has_head);
                self.keep().err().map(|why| why.to_string())
            }
            Err(StoreError::Busy(_)) => None,
            Err(why) => Some(why.to_string()),
        };
        for reply in replies {
            reply.answer(&written);
        }
        for (at, (_, reply)) in forgets.into_iter().enumerate() {
            let rows = forgotten.get(at).copied();
            let fault = || written.as_ref().err().map_or_else(String::new, ToString::to_string);
            let _ = reply.send(rows.ok_or_else(|| StoreError::Stopped(fault())));
        }
        stopped.map_or(Ok(()), Err)
    }

    /// What was written is known.
    fn settle(&mut self, group: Group, has_head: bool) {
        self.trusted.commands += group.commands.len() as u64;
        let last_head = group.rows.iter().rposition(|row| row.stream == CHECKPOINTS);
        let behind = last_head.map_or(group.rows.len(), |at| group.rows.len() - at - 1) as u64;
        self.uncovered = if has_head { behind } else { self.uncovered + behind };
        let mut ends = self.ends.lock().expect("nobody panics holding it");
        ends.extend(group.heads.iter().map(|(stream, head)| (stream.clone(), *head)));
        drop(ends);
        for (stream, head) in group.heads {
            if stream == CHECKPOINTS {
                self.trusted.checkpoint = head;
            } else {
                self.trusted.heads.insert(stream, head);
            }
        }
        if has_head {
            self.covered_at = Instant::now();
        }
    }

    /// Keeps beside the key how far the log has come.
    pub(crate) fn keep(&mut self) -> Result<(), StoreError> {
        let Trusted { epoch, commands, checkpoint, .. } = self.trusted;
        self.beside.keep(&Kept { epoch, commands, checkpoint }, &self.key)
    }

    fn take_snapshots(&self, group: &mut Group, snapshots: Vec<Snapshot>) {
        for snapshot in snapshots {
            // Meanwhile more was recorded: the next one will do.
            let (version, hash) = self.head(group, &snapshot.stream);
            if version == snapshot.version {
                group.snapshots.push((snapshot, hash));
            }
        }
    }

    /// Compares the end of a stream in the file with the one that is due, once: a row that somebody
    /// else put there would make the next insert fail for all.
    async fn compare(&mut self, stream: &str) -> Result<(), StoreError> {
        if self.compared.contains(stream) {
            return Ok(());
        }
        let last = last_two(&mut self.connection, stream).await?;
        let found = last.first().map(|record| (record.version, record.hash));
        if found != self.trusted.heads.get(stream).copied() {
            let why = format!("{stream} does not end where it should");
            return Err(StoreError::Untrusted(why));
        }
        self.compared.insert(stream.to_owned());
        Ok(())
    }

    fn head(&self, group: &Group, stream: &str) -> (u64, Digest) {
        let known = group.heads.get(stream);
        let before = if stream == CHECKPOINTS {
            Some(&self.trusted.checkpoint).filter(|head| head.0 > 0)
        } else {
            self.trusted.heads.get(stream)
        };
        known.or(before).copied().unwrap_or((0, START))
    }

    async fn admit(&mut self, group: &mut Group, append: Append) -> Result<Appended, StoreError> {
        let Append { command, parts, with } = append;
        check_length("an actor", &command.actor, MOST_NAME)?;
        check_length("a key", &command.key, MOST_NAME)?;
        if let Some(known) = Self::known(group, &command)? {
            return Ok(known);
        }
        check_parts(&parts)?;
        self.admitted(group, &with).await?;
        for part in &parts {
            check_length("a stream's name", &part.stream, MOST_STREAM)?;
            if let Some(why) = self.alarm.of(&part.stream) {
                return Err(StoreError::Untrusted(why));
            }
            self.compare(&part.stream).await?;
        }
        let mut made = Vec::new();
        for part in &parts {
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
        let mut ends = Vec::new();
        for rows in made {
            if let Some(last) = rows.last() {
                group.heads.insert(last.stream.clone(), (last.version, last.hash));
                let (version, hash) = (last.version, last.hash);
                ends.push(Part { stream: last.stream.clone(), version, hash });
            }
            group.rows.extend(rows);
        }
        let number = self.trusted.commands + group.commands.len() as u64 + 1;
        let parts = serde_json::to_string(&ends).unwrap_or_default();
        let name = (command.actor.clone(), command.key.clone());
        group.known.insert(name, (command.payload, versions));
        let after = self.head(group, CHECKPOINTS).1;
        group.commands.push(Marked { number, after, command, stream: first, versions, parts });
        group.with.extend(with);
        Ok(Appended { versions, repeated: false })
    }

    /// Whether what is to be kept beside records can be kept.
    async fn admitted(&mut self, group: &Group, with: &[With]) -> Result<(), StoreError> {
        for with in with {
            match with {
                With::Secret { name, .. } => {
                    check_length("a secret's name", name, 4 * MOST_NAME)?;
                    // A box is the only copy of its secret: nothing is sealed over it.
                    let query = "select count(*) from sealed where name = ?";
                    let query = sqlx::query_scalar::<_, i64>(query).bind(name);
                    let same =
                        |other: &With| matches!(other, With::Secret { name: n, .. } if n == name);
                    if group.with.iter().any(same)
                        || query.fetch_one(&mut self.connection).await? > 0
                    {
                        return Err(StoreError::BadAppend("a secret of this name is kept already"));
                    }
                }
                With::Forgotten(name) => check_length("a secret's name", name, 4 * MOST_NAME)?,
                With::Person { account, name } => {
                    check_length("an account", account, MOST_NAME)?;
                    check_length("a name", name, MOST_NAME)?;
                }
                With::Balance { account, .. } => check_length("an account", account, MOST_NAME)?,
                With::Book { .. } => {}
            }
        }
        Ok(())
    }

    /// What became of commands before, looked up for all of a group at once.
    async fn look_up(
        &mut self,
        group: &mut Group,
        asked: &[&CommandKey],
    ) -> Result<(), StoreError> {
        for asked in pieces(asked) {
            let mut query: QueryBuilder<Sqlite> = QueryBuilder::new("with asked (n, a, k) as (");
            query.push_values(asked, |mut row, command| {
                row.push_bind(name_of(&command.actor, &command.key))
                    .push_bind(&command.actor)
                    .push_bind(&command.key);
            });
            query.push(
                ") select actor, key, payload, first, last from asked cross join command \
                 on name = n and name != 0 and actor = a and key = k \
                 union all select actor, key, payload, first, last from asked cross join command \
                 on actor = a and key = k and number < 0",
            );
            for row in query.build().fetch_all(&mut self.connection).await? {
                let version = |at: usize| u64::try_from(row.get::<i64, _>(at)).unwrap_or(0);
                let before = (digest(row.get(2)), (version(3), version(4)));
                group.known.insert((row.get(0), row.get(1)), before);
            }
        }
        Ok(())
    }

    /// What became of the same command before.
    fn known(group: &Group, command: &CommandKey) -> Result<Option<Appended>, StoreError> {
        match group.known.get(&(command.actor.clone(), command.key.clone())) {
            Some((payload, _)) if *payload != command.payload => {
                Err(StoreError::KeyReused(command.key.clone()))
            }
            Some((_, versions)) => Ok(Some(Appended { versions: *versions, repeated: true })),
            None => Ok(None),
        }
    }

    /// Adds a signed head to what is to be written.
    fn checkpoint(&self, group: &mut Group, at: u64) -> Head {
        let mut all = self.trusted.heads.clone();
        all.extend(group.heads.iter().map(|(stream, head)| (stream.clone(), *head)));
        all.remove(CHECKPOINTS);
        let mut heads: Vec<_> = all
            .into_iter()
            .map(|(stream, (version, hash))| Head { stream, version, hash })
            .collect();
        heads.sort_by(|one, other| one.stream.cmp(&other.stream));
        let (version, previous) = self.head(group, CHECKPOINTS);
        let (version, at) = (version + 1, at.min(i64::MAX.cast_unsigned()));
        let mut heads = Heads {
            heads,
            commands: Some(self.trusted.commands + group.commands.len() as u64),
            epoch: Some(self.trusted.epoch),
            key: Some(self.key.signer().public()),
            signature: None,
        };
        let unsigned = Body::Checkpoint(heads.clone()).to_json();
        let part = unsigned.strip_suffix('}').unwrap_or(&unsigned).as_bytes();
        let numbers = (version.to_be_bytes(), at.to_be_bytes());
        let message: [&[u8]; 5] =
            [b"sabot-checkpoint-2", &previous.0, &numbers.0, &numbers.1, part];
        heads.signature = Some(self.key.signer().sign(&message));
        let body = Body::Checkpoint(heads);
        let mut record = Record {
            stream: CHECKPOINTS.into(),
            version,
            at,
            actor: "store".into(),
            key: version.to_string(),
            schema: body.schema().into(),
            body: body.to_json(),
            hash: START,
        };
        record.hash = hash(&previous, &record);
        let head = Head { stream: CHECKPOINTS.into(), version, hash: record.hash };
        group.heads.insert(CHECKPOINTS.into(), (version, head.hash));
        group.rows.push(record);
        head
    }

    /// Writes all of a group. Gives how many rows each thing had that is thrown away.
    async fn write(&mut self, group: &Group, forgets: &[Forget]) -> Result<Vec<u64>, StoreError> {
        let nothing =
            group.rows.is_empty() && group.commands.is_empty() && group.snapshots.is_empty();
        if nothing && forgets.is_empty() {
            return Ok(Vec::new());
        }
        let since = Instant::now();
        let mut transaction = loop {
            match self.connection.begin_with("begin immediate").await {
                Ok(transaction) => break transaction,
                // Somebody else holds the file, and nothing is written yet: it passes.
                Err(sqlx::Error::Database(fault)) if fault.message().contains("locked") => {
                    if since.elapsed() >= PATIENCE {
                        return Err(StoreError::Busy(since.elapsed().as_secs()));
                    }
                }
                Err(fault) => return Err(fault.into()),
            }
        };
        insert_rows(&mut transaction, &group.rows).await?;
        insert_commands(&mut transaction, &group.commands, &self.key).await?;
        for with in &group.with {
            keep_with(&mut transaction, with, &self.key).await?;
        }
        for (name, sealed) in &group.resealed {
            let update = "update sealed set box = ? where name = ?";
            sqlx::query(update).bind(sealed).bind(name).execute(&mut *transaction).await?;
        }
        for (snapshot, hash) in &group.snapshots {
            keep_snapshot(&mut transaction, snapshot, hash, &self.key).await?;
        }
        let mut forgotten = Vec::new();
        for what in forgets {
            forgotten.push(forget(&mut transaction, what).await?);
        }
        transaction.commit().await?;
        Ok(forgotten)
    }

    /// Takes a new key: the old one signs it, secrets are sealed anew, and the head behind it is
    /// signed by the new one.
    pub(crate) async fn change_key(&mut self, at: u64, new: Key) -> Result<(), StoreError> {
        let boxes: Vec<(String, Vec<u8>)> =
            sqlx::query_as("select name, box from sealed").fetch_all(&mut self.connection).await?;
        let mut resealed = Vec::new();
        for (name, sealed) in boxes {
            // A box of a key that was lost stays closed.
            let Ok(secret) = self.key.open(&name, &sealed) else { continue };
            let sealed = new.seal(&name, &secret)?;
            resealed.push((name, sealed));
        }
        let public = new.signer().public();
        let former = self.key.signer().public();
        let [tag, old, other] = key_message(&former, &public);
        let signature = self.key.signer().sign(&[&tag, &old, &other]);
        let former = Some(FormerKey { public: former, signature });
        self.key = Arc::new(new);
        self.house_with(at, Body::Key(HouseKey { public, former }), resealed).await
    }

    /// Records something of the house itself, and puts it under a signed head at once.
    pub(crate) async fn house(&mut self, at: u64, body: Body) -> Result<(), StoreError> {
        self.house_with(at, body, Vec::new()).await
    }

    async fn house_with(
        &mut self,
        at: u64,
        body: Body,
        resealed: Vec<(String, Vec<u8>)>,
    ) -> Result<(), StoreError> {
        let version = self.trusted.heads.get(HOUSE).map_or(0, |head| head.0);
        let said = body.to_json();
        let command = CommandKey {
            actor: "store".into(),
            key: format!("{HOUSE} {}", version + 1),
            payload: Digest::of(&[said.as_bytes()]),
        };
        let part = StreamEntries {
            stream: HOUSE.into(),
            expected: version,
            entries: vec![Entry { at, body }],
        };
        self.compared.insert(HOUSE.into());
        let mut group = Group { resealed, ..Group::default() };
        self.admit(&mut group, Append { command, parts: vec![part], with: Vec::new() }).await?;
        self.checkpoint(&mut group, at);
        self.write(&group, &[]).await?;
        self.settle(group, true);
        Ok(())
    }
}

/// A short name by which a command is looked up: a number above zero.
pub(crate) fn name_of(actor: &str, key: &str) -> i64 {
    let hash = Digest::of(&[actor.as_bytes(), &[0], key.as_bytes()]);
    let bytes = hash.0.first_chunk().copied().unwrap_or_default();
    (i64::from_be_bytes(bytes) & i64::MAX).max(1)
}

/// Pieces of the sizes that statements have.
fn pieces<T>(mut rest: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = ROWS.into_iter().find(|size| *size <= rest.len())?;
        let (piece, behind) = rest.split_at(size);
        rest = behind;
        Some(piece)
    })
}

async fn insert_rows(to: &mut SqliteConnection, rows: &[Record]) -> Result<(), StoreError> {
    for rows in pieces(rows) {
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
        insert.build().execute(&mut *to).await?;
    }
    Ok(())
}

async fn insert_commands(
    to: &mut SqliteConnection,
    commands: &[Marked],
    key: &Key,
) -> Result<(), StoreError> {
    for commands in pieces(commands) {
        let into = "insert into command (number, name, actor, key, payload, stream, first, last, \
             parts, mac) ";
        let mut insert: QueryBuilder<Sqlite> = QueryBuilder::new(into);
        insert.push_values(commands, |mut row, marked| {
            row.push_bind(i64::try_from(marked.number).unwrap_or(i64::MAX))
                .push_bind(name_of(&marked.command.actor, &marked.command.key))
                .push_bind(&marked.command.actor)
                .push_bind(&marked.command.key)
                .push_bind(marked.command.payload.0.as_slice())
                .push_bind(&marked.stream)
                .push_bind(i64::try_from(marked.versions.0).unwrap_or(i64::MAX))
                .push_bind(i64::try_from(marked.versions.1).unwrap_or(i64::MAX))
                .push_bind(&marked.parts)
                .push_bind(marked.mac(key).0.to_vec());
        });
        insert.build().execute(&mut *to).await?;
    }
    Ok(())
}

async fn keep_with(to: &mut SqliteConnection, with: &With, key: &Key) -> Result<(), StoreError> {
    match with {
        With::Book { sha256, canonical, files } => {
            let into = "insert into book (sha256, canonical, files) values (?, ?, ?) \
                 on conflict (sha256) do update set files = excluded.files where files is null";
            let query = sqlx::query(into).bind(sha256.0.as_slice()).bind(canonical).bind(files);
            query.execute(to).await?;
        }
        With::Secret { name, secret } => {
            let sealed = key.seal(name, secret)?;
            let into = "insert into sealed (name, box) values (?, ?)";
            sqlx::query(into).bind(name).bind(sealed).execute(to).await?;
        }
        With::Forgotten(name) => {
            sqlx::query("delete from sealed where name = ?").bind(name).execute(to).await?;
        }
        With::Person { account, name } => {
            let into = "insert into person (account, name) values (?, ?) \
                 on conflict (account) do update set name = excluded.name";
            sqlx::query(into).bind(account).bind(name).execute(to).await?;
        }
        With::Balance { account, version, cents } => {
            let into = "insert or replace into balance (account, version, cents) values (?, ?, ?)";
            let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
            let query = sqlx::query(into).bind(account);
            query.bind(number(*version)).bind(number(*cents)).execute(to).await?;
        }
    }
    Ok(())
}

async fn forget(from: &mut SqliteConnection, what: &Forget) -> Result<u64, StoreError> {
    let query = match what {
        Forget::Snapshot(stream) => {
            sqlx::query("delete from snapshot where stream = ?").bind(stream)
        }
        Forget::Balances => sqlx::query("delete from balance"),
        Forget::Name(name) => sqlx::query("delete from person where name = ?").bind(name),
    };
    Ok(query.execute(from).await?.rows_affected())
}

/// What marks a snapshot as the house's own.
pub(crate) fn snapshot_mac(key: &Key, stream: &str, end: (u64, &Digest), state: &str) -> Digest {
    let length = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes();
    let (version, hash) = end;
    key.mac(&[
        &length(stream),
        stream.as_bytes(),
        &version.to_be_bytes(),
        &hash.0,
        &length(state),
        state.as_bytes(),
    ])
}

async fn keep_snapshot(
    to: &mut SqliteConnection,
    snapshot: &Snapshot,
    hash: &Digest,
    key: &Key,
) -> Result<(), StoreError> {
    let Snapshot { stream, version, state } = snapshot;
    let mac = snapshot_mac(key, stream, (*version, hash), state);
    let into = "insert or replace into snapshot (stream, version, hash, state, mac) \
         values (?, ?, ?, ?, ?)";
    sqlx::query(into)
        .bind(stream)
        .bind(i64::try_from(*version).unwrap_or(i64::MAX))
        .bind(hash.0.as_slice())
        .bind(state)
        .bind(mac.0.as_slice())
        .execute(to)
        .await?;
    Ok(())
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
