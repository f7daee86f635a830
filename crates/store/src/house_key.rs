//! The house's key is changed for another, or replaced where it is lost.

use std::path::{Path, PathBuf};

use shoe::Digest;
use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;

use crate::CHECKPOINTS;
use crate::beside::Beside;
use crate::body::{Body, Head, HouseKey};
use crate::fault::StoreError;
use crate::lock::{Begin, Lock};
use crate::log::{Store, connect, now};
use crate::rows::{last_two, streams};
use crate::seal::{Key, unfinished};
use crate::tables;
use crate::take_over::form;
use crate::trust::{FORM, Trusted, trust};
use crate::verify::verify;
use crate::writer::Writer;

/// Where a new key waits until the log knows it.
fn next_key(key: &Path) -> PathBuf {
    let mut name = key.file_name().unwrap_or_default().to_os_string();
    name.push(".next");
    key.with_file_name(name)
}

/// Where what is kept beside a key is marked anew.
fn anew(beside: &Path) -> PathBuf {
    beside.with_extension("head.new")
}

/// A change of the key that was interrupted: if the log knows the new one, it takes the old one's
/// place, and otherwise it never was.
pub(crate) async fn finish_change_of_key(
    connection: &mut SqliteConnection,
    key: &Path,
) -> Result<(), StoreError> {
    let next = next_key(key);
    // What was being written when the program stopped never was a key, or is one under its name.
    for unfinished in [unfinished(key), unfinished(&next), anew(&Beside::path(key))] {
        match std::fs::remove_file(&unfinished) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::File { path: unfinished, why });
            }
            Ok(()) | Err(_) => {}
        }
    }
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
        let anew = anew(&beside);
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
    let mut writer = Writer::new(connection, path, old, beside, trusted);
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
/// what no head covers cannot be known without the old key, so `judge` looks at all of it before
/// the new one signs. Gives the new public key.
///
/// # Errors
///
/// When a key is there, or the log is in use, does not hold, is not accepted by the one who judges
/// it, or cannot be written.
pub async fn replace_lost_key(
    path: &Path,
    key: &Path,
    judge: impl AsyncFnOnce(&Store) -> Result<(), StoreError>,
) -> Result<Digest, StoreError> {
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
    tables::check(&mut connection).await?;
    let found = verify(&mut connection, None).await?;
    if let Some(broken) = found.broken.first() {
        return Err(StoreError::Untrusted(broken.to_string()));
    }
    // Nobody else can write to it: what is judged is what the new key signs.
    let whole = Store::read_only(path).await?;
    let judged = judge(&whole).await;
    whole.close().await;
    judged?;
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
    let mut writer = Writer::new(connection, path, new, beside, trusted);
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
