//! The one writer of a log: what waits is written together, in one transaction, and answered when
//! it is synced.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use shoe::Digest;
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;
use tokio::sync::{mpsc, oneshot};

use crate::alarm::Alarm;
use crate::beside::{Beside, Kept};
use crate::body::{Body, FormerKey, Head, Heads, HouseKey};
use crate::chain::{START, hash};
use crate::commands::{Before, look_up};
use crate::fault::StoreError;
use crate::insert::{insert_commands, insert_rows, keep_snapshot, keep_up, keep_with};
use crate::lock::Lock;
use crate::record::{
    Append, Appended, CommandKey, Entry, KeptBalance, Record, Snapshot, StreamEntries, With,
};
use crate::rows::last_two;
use crate::seal::Key;
use crate::tables::is_held;
use crate::trust::{Marked, Part, Trusted, key_message};
use crate::waiting::Waiting;
use crate::{CHECKPOINTS, HOUSE};

/// Commands that are written together at the most.
const GROUP: usize = 256;
const MOST_NAME: usize = 100;
/// A key may be a stream's name and a number.
const MOST_STREAM: usize = 79;
const MOST_BODY: usize = 4 << 20;
/// Records that no head covers, at the most, and for how long.
const UNCOVERED: u64 = 1000;
const UNCOVERED_FOR: Duration = Duration::from_mins(1);
/// How long another program may hold the file.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) enum Request {
    Append(Append, oneshot::Sender<Result<Appended, StoreError>>),
    Checkpoint(u64, Vec<Snapshot>, oneshot::Sender<Result<Head, StoreError>>),
    Upkeep(Upkeep, oneshot::Sender<Result<u64, StoreError>>),
}

/// Something that is kept beside the records, that nothing rests on, and that is thrown away or
/// made anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Upkeep {
    /// The state of a stream.
    Snapshot(String),
    /// All balances.
    Balances,
    /// That a balance is missing: it is this one.
    MissingBalance(KeptBalance),
    /// The name of everybody who is called so.
    Name(String),
}

pub(crate) type Known = HashMap<String, (u64, Digest)>;

pub(crate) struct Writer {
    pub(crate) connection: SqliteConnection,
    path: PathBuf,
    pub(crate) key: Arc<Key>,
    beside: Beside,
    pub(crate) trusted: Trusted,
    pub(crate) alarm: Alarm,
    /// Streams whose end in the file was compared with the one that is due.
    compared: HashSet<String>,
    /// Records behind the last head.
    uncovered: u64,
    covered_at: Instant,
    /// Where every stream ends, for those who open one later.
    pub(crate) ends: Arc<Mutex<Known>>,
}

/// What is to be written in one transaction.
#[derive(Default)]
struct Group {
    heads: Known,
    /// Commands that were carried out before, or are in this group.
    known: HashMap<(String, String), Before>,
    rows: Vec<Record>,
    commands: Vec<Marked>,
    with: Vec<With>,
    snapshots: Vec<(Snapshot, Digest)>,
    /// Boxes that were sealed anew, by name.
    resealed: Vec<(String, Vec<u8>)>,
    upkeep: Vec<(Upkeep, oneshot::Sender<Result<u64, StoreError>>)>,
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
            Self::Checkpoint(..) | Self::Upkeep(..) => None,
        }
    }

    fn refuse(self, why: &str) {
        let fault = || StoreError::Stopped(why.into());
        match self {
            Self::Append(_, reply) => drop(reply.send(Err(fault()))),
            Self::Checkpoint(_, _, reply) => drop(reply.send(Err(fault()))),
            Self::Upkeep(_, reply) => drop(reply.send(Err(fault()))),
        }
    }
}

impl Writer {
    /// The writer of a log that was checked.
    pub(crate) fn new(
        connection: SqliteConnection,
        path: &Path,
        key: Key,
        beside: Beside,
        trusted: Trusted,
    ) -> Self {
        let behind = trusted.heads != trusted.covered;
        let ends = Arc::new(Mutex::new(trusted.heads.clone()));
        Self {
            connection,
            path: path.into(),
            key: Arc::new(key),
            beside,
            trusted,
            alarm: Alarm::default(),
            compared: HashSet::new(),
            uncovered: u64::from(behind),
            covered_at: Instant::now(),
            ends,
        }
    }

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
        match look_up(&mut self.connection, &asked, &self.trusted.former).await {
            Ok(known) => group.known = known,
            Err(fault) => {
                // Nothing is written; who asks again may be luckier.
                let why = fault.to_string();
                for request in requests {
                    request.refuse(&why);
                }
                return Ok(());
            }
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
                    if let Some(why) = self.broken_of(&snapshots) {
                        drop(reply.send(Err(StoreError::Untrusted(why))));
                    } else {
                        self.take_snapshots(&mut group, snapshots);
                        has_head = true;
                        replies.push(Reply::Checkpoint(reply, self.checkpoint(&mut group, at)));
                    }
                }
                Request::Upkeep(what, reply) => group.upkeep.push((what, reply)),
            }
        }
        let uncovered = self.uncovered + group.rows.len() as u64;
        if !has_head && uncovered > 0 && (head_due || uncovered >= UNCOVERED) {
            self.checkpoint(&mut group, crate::now());
            has_head = true;
        }
        let upkeep = std::mem::take(&mut group.upkeep);
        let what: Vec<_> = upkeep.iter().map(|(what, _)| what.clone()).collect();
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
        for (at, (_, reply)) in upkeep.into_iter().enumerate() {
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

    /// Why one of these states is not kept: nothing is signed for the sake of a stream that does
    /// not hold.
    fn broken_of(&self, snapshots: &[Snapshot]) -> Option<String> {
        snapshots.iter().find_map(|snapshot| self.alarm.of(&snapshot.stream))
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
        let payload = command.payload;
        group.known.insert(name, Before { payload, versions, holds: true });
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

    /// What became of the same command before.
    fn known(group: &Group, command: &CommandKey) -> Result<Option<Appended>, StoreError> {
        match group.known.get(&(command.actor.clone(), command.key.clone())) {
            Some(Before { holds: false, .. }) => {
                let why = format!("the command `{}` is not what it has of it", command.key);
                Err(StoreError::Untrusted(why))
            }
            Some(before) if before.payload != command.payload => {
                Err(StoreError::KeyReused(command.key.clone()))
            }
            Some(Before { versions, .. }) => {
                Ok(Some(Appended { versions: *versions, repeated: true }))
            }
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

    /// Writes all of a group. Gives how many rows each piece of upkeep touched.
    async fn write(&mut self, group: &Group, upkeep: &[Upkeep]) -> Result<Vec<u64>, StoreError> {
        let nothing =
            group.rows.is_empty() && group.commands.is_empty() && group.snapshots.is_empty();
        if nothing && upkeep.is_empty() {
            return Ok(Vec::new());
        }
        let (since, mut waiting) = (Instant::now(), Waiting::default());
        let mut transaction = loop {
            match self.connection.begin_with("begin immediate").await {
                Ok(transaction) => break transaction,
                // Somebody else holds the file, and nothing is written yet: it passes.
                Err(fault) if is_held(&fault) => {
                    if since.elapsed() >= PATIENCE {
                        return Err(StoreError::Busy(since.elapsed().as_secs()));
                    }
                    waiting.say();
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
        let mut rows = Vec::new();
        for what in upkeep {
            rows.push(keep_up(&mut transaction, what).await?);
        }
        transaction.commit().await?;
        Ok(rows)
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
