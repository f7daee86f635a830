//! A start that trusts nothing: from the last signed checkpoint, the commands behind it and what
//! was kept beside the key follows where every stream must end.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use shoe::{Digest, is_signed};
use sqlx::Row;
use sqlx::sqlite::SqliteConnection;

use crate::beside::Kept;
use crate::body::{Body, Heads};
use crate::chain::{START, hash, verify_chain};
use crate::commands::{check_at_start, ends_of_the_first_form};
use crate::fault::StoreError;
use crate::insert::digest;
use crate::record::{CommandKey, Record};
use crate::rows::{hash_of, last_two, records, streams};
use crate::seal::Key;
use crate::writer::Known;
use crate::{CHECKPOINTS, HOUSE};

/// Where a log ends, stream by stream.
#[derive(Clone, Debug)]
pub(crate) struct Trusted {
    pub(crate) heads: Known,
    pub(crate) commands: u64,
    pub(crate) epoch: u64,
    pub(crate) checkpoint: (u64, Digest),
    /// How far that checkpoint knows every stream.
    pub(crate) covered: Known,
    /// By stream, the last version of an older copy that the log was restored from.
    pub(crate) restored: HashMap<String, u64>,
    /// Streams that the house did not write.
    pub(crate) foreign: Vec<String>,
    /// How far the streams had come when the house first signed: what the first form left.
    pub(crate) former: Known,
}

impl Default for Trusted {
    fn default() -> Self {
        Self {
            heads: Known::new(),
            commands: 0,
            epoch: 0,
            checkpoint: (0, START),
            covered: Known::new(),
            restored: HashMap::new(),
            foreign: Vec::new(),
            former: Known::new(),
        }
    }
}

pub(crate) fn untrusted<T>(why: impl Into<String>) -> Result<T, StoreError> {
    Err(StoreError::Untrusted(why.into()))
}

/// What a checkpoint's signature is over.
pub(crate) fn signed_part(body: &str) -> &str {
    body.rfind(",\"signature\":").map_or(body, |at| &body[..at])
}

/// Whether a checkpoint is signed by its key.
pub(crate) fn is_signed_checkpoint(previous: &Digest, record: &Record, heads: &Heads) -> bool {
    let (Some(key), Some(signature)) = (&heads.key, &heads.signature) else { return false };
    let (version, at) = (record.version.to_be_bytes(), record.at.to_be_bytes());
    let part = signed_part(&record.body).as_bytes();
    is_signed(key, &[b"sabot-checkpoint-2", &previous.0, &version, &at, part], signature)
}

/// What a new key's predecessor signs.
pub(crate) fn key_message(former: &Digest, new: &Digest) -> [Vec<u8>; 3] {
    [b"sabot-key-1".to_vec(), former.0.to_vec(), new.0.to_vec()]
}

/// A part of a command: where it left a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) stream: String,
    pub(crate) version: u64,
    pub(crate) hash: Digest,
}

/// A command as the house marks it.
#[derive(Clone, Debug)]
pub(crate) struct Marked {
    pub(crate) number: u64,
    /// The head that it follows: it is of no use behind another.
    pub(crate) after: Digest,
    pub(crate) command: CommandKey,
    pub(crate) stream: String,
    pub(crate) versions: (u64, u64),
    pub(crate) parts: String,
}

impl Marked {
    pub(crate) fn mac(&self, key: &Key) -> Digest {
        let length = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes();
        let CommandKey { actor, key: name, payload } = &self.command;
        key.mac(&[
            &self.after.0,
            &self.number.to_be_bytes(),
            &length(actor),
            actor.as_bytes(),
            &length(name),
            name.as_bytes(),
            &payload.0,
            &length(&self.stream),
            self.stream.as_bytes(),
            &self.versions.0.to_be_bytes(),
            &self.versions.1.to_be_bytes(),
            &length(&self.parts),
            self.parts.as_bytes(),
        ])
    }
}

/// The form that this version writes.
pub(crate) const FORM: i64 = 2;

/// The last checkpoint: chained to the one before it, and signed by this key.
async fn last_checkpoint(
    connection: &mut SqliteConnection,
    key: &Key,
) -> Result<(Record, Heads), StoreError> {
    let mut two = last_two(connection, CHECKPOINTS).await?.into_iter();
    let Some(last) = two.next() else { return untrusted("it has no checkpoint") };
    let previous = two.next();
    let due = previous.as_ref().map_or(1, |previous| previous.version + 1);
    let before = previous.map_or(START, |previous| previous.hash);
    if last.version != due || hash(&before, &last) != last.hash {
        return untrusted(format!("checkpoint {} was altered", last.version));
    }
    let Ok(Body::Checkpoint(heads)) = last.read() else {
        return untrusted(format!("checkpoint {} cannot be read", last.version));
    };
    if heads.key != Some(key.signer().public()) {
        return untrusted(format!("checkpoint {} is of another key than this one", last.version));
    }
    if !is_signed_checkpoint(&before, &last, &heads) {
        return untrusted(format!("the house did not sign checkpoint {}", last.version));
    }
    Ok((last, heads))
}

/// The commands behind a checkpoint, each with its mark and none missing.
async fn follow_commands(
    connection: &mut SqliteConnection,
    key: &Key,
    trusted: &mut Trusted,
) -> Result<(), StoreError> {
    let query = "select number, actor, key, payload, stream, first, last, parts, mac from command \
         where number > ? order by number";
    let after = i64::try_from(trusted.commands).unwrap_or(i64::MAX);
    for row in sqlx::query(query).bind(after).fetch_all(&mut *connection).await? {
        let number = |at: usize| row.try_get::<i64, _>(at).map(i64::cast_unsigned);
        let marked = Marked {
            number: number(0)?,
            after: trusted.checkpoint.1,
            command: CommandKey {
                actor: row.try_get(1)?,
                key: row.try_get(2)?,
                payload: digest(row.try_get(3)?),
            },
            stream: row.try_get(4)?,
            versions: (number(5)?, number(6)?),
            parts: row.try_get(7)?,
        };
        if marked.number != trusted.commands + 1 {
            return untrusted(format!("command {} is missing", trusted.commands + 1));
        }
        if marked.mac(key).0.as_slice() != row.try_get::<&[u8], _>(8)? {
            return untrusted(format!("command {} is not the house's own", marked.number));
        }
        let parts: Vec<Part> = serde_json::from_str(&marked.parts)
            .map_err(|why| StoreError::Untrusted(format!("command {}: {why}", marked.number)))?;
        for Part { stream, version, hash } in parts {
            if stream == CHECKPOINTS {
                continue;
            }
            trusted.heads.insert(stream, (version, hash));
        }
        trusted.commands = marked.number;
    }
    Ok(())
}

/// The house's own stream: the newest key is ours, and where the log was restored.
async fn read_house(
    connection: &mut SqliteConnection,
    key: &Key,
    trusted: &mut Trusted,
) -> Result<(), StoreError> {
    let house = records(connection, HOUSE, 0).await?;
    let end = verify_chain(HOUSE, &house).map_err(|why| StoreError::Untrusted(why.to_string()))?;
    if trusted.heads.get(HOUSE) != Some(&(house.len() as u64, end)) {
        return untrusted("the house's own records are not those that the last head knows");
    }
    let mut public = None;
    for record in &house {
        match record.read()? {
            Body::Key(key) => public = Some(key.public),
            Body::Restored(restored) => {
                let heads = restored.heads.into_iter();
                trusted.restored.extend(heads.map(|head| (head.stream, head.version)));
            }
            Body::Book(_)
            | Body::Line(_)
            | Body::Table(_)
            | Body::Tournament(_)
            | Body::Shoe(_)
            | Body::Checkpoint(_)
            | Body::Answer(_)
            | Body::Setup(_)
            | Body::Act(_)
            | Body::Refused(_)
            | Body::Proposed(_)
            | Body::TournamentAct(_)
            | Body::TournamentRefused(_)
            | Body::Account(_)
            | Body::TableShoe(_) => {
                return untrusted("the house's own records are of another kind");
            }
        }
    }
    if public != Some(key.signer().public()) {
        return untrusted("the key is another than the log's newest");
    }
    trusted.former = ends_of_the_first_form(connection, &house).await?;
    check_at_start(connection, trusted.commands, &trusted.former).await
}

/// What a log that was there can be trusted with, and whether what was kept beside the key knows
/// more: then it was restored.
pub(crate) async fn trust(
    connection: &mut SqliteConnection,
    key: &Key,
    kept: Option<&Kept>,
    path: &Path,
) -> Result<(Trusted, bool), StoreError> {
    let (last, heads) = last_checkpoint(connection, key).await?;
    let mut trusted = Trusted {
        commands: heads.commands.unwrap_or(0),
        epoch: heads.epoch.unwrap_or(0),
        checkpoint: (last.version, last.hash),
        ..Trusted::default()
    };
    let known = heads.heads.into_iter().map(|head| (head.stream, (head.version, head.hash)));
    trusted.heads = known.collect();
    trusted.covered = trusted.heads.clone();
    follow_commands(connection, key, &mut trusted).await?;
    read_house(connection, key, &mut trusted).await?;
    // What somebody else put there is not gone on with; the house's own streams are.
    let (names, others) = streams(connection).await?;
    let own = |name: &String| name == CHECKPOINTS || trusted.heads.contains_key(name);
    trusted.foreign = names.into_iter().filter(|name| !own(name)).chain(others).collect();
    // Without what was kept beside the key nobody can tell whether this is the newest: it is taken
    // for an older copy, and no shoe of it is dealt on.
    let Some(kept) = kept else { return Ok((trusted, true)) };
    if kept.is_before_the_house() {
        // The program stopped behind the first record of the house.
        return Ok((trusted, false));
    }
    let (version, wanted) = kept.checkpoint;
    if version <= last.version {
        let found = hash_of(connection, CHECKPOINTS, version).await?;
        if version > 0 && found != Some(wanted) {
            let why = format!("checkpoint {version} is not the same");
            return Err(StoreError::OtherLog { path: path.into(), why });
        }
    }
    let older = kept.commands > trusted.commands || version > last.version;
    if !older && kept.epoch > trusted.epoch {
        let why = "it knows that the log was restored before".into();
        return Err(StoreError::OtherLog { path: path.into(), why });
    }
    trusted.epoch = trusted.epoch.max(kept.epoch);
    Ok((trusted, older))
}
