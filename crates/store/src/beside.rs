//! What is kept beside the key: how far the log had come. It is written behind each group without
//! waiting for the disk, so it is never ahead of the log, and a log that is behind it was restored
//! from an older copy.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use shoe::Digest;

use crate::chain::START;
use crate::fault::StoreError;
use crate::seal::Key;
use crate::trust::Trusted;

/// How far a log had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    /// How often the log was found to be restored.
    pub(crate) epoch: u64,
    /// How many commands were carried out.
    pub(crate) commands: u64,
    /// The last checkpoint, and its hash.
    pub(crate) checkpoint: (u64, Digest),
}

/// A checkpoint of no log: it stands for all ends of a log of the first form that is taken over.
const TAKEN_OVER: u64 = u64::MAX;

impl Kept {
    /// What is kept before a new log has its first record.
    pub(crate) const BEGINNING: Self = Self { epoch: 0, commands: 0, checkpoint: (0, START) };

    /// What is kept before a log of the first form is taken over, which ends so.
    pub(crate) fn taking_over(ends: &Trusted) -> Self {
        let mut heads: Vec<_> = ends.heads.iter().collect();
        heads.sort_unstable_by_key(|(stream, _)| *stream);
        let mut all = ends.checkpoint.1.0.to_vec();
        for (stream, (version, hash)) in heads {
            all.extend((stream.len() as u64).to_be_bytes());
            all.extend(stream.as_bytes());
            all.extend(version.to_be_bytes());
            all.extend(hash.0);
        }
        let checkpoint = (TAKEN_OVER, Digest::of(&[b"sabot-taken-over", &all]));
        Self { epoch: 0, commands: 0, checkpoint }
    }

    /// Whether the house had recorded nothing of its own yet.
    pub(crate) const fn is_before_the_house(&self) -> bool {
        self.commands == 0 && (self.checkpoint.0 == 0 || self.checkpoint.0 == TAKEN_OVER)
    }
}

/// The bytes of a slot: four numbers, a hash, and the mark of the key. There are two slots, written
/// in turn, so that one is whole whenever the machine stops.
const BODY: usize = 8 + 8 + 8 + 8 + 32;
const SLOT: usize = BODY + 32;
const TAG: &[u8] = b"sabot-head-1";

pub(crate) struct Beside {
    path: PathBuf,
    file: File,
    turn: u64,
}

impl Kept {
    fn write(&self, turn: u64, key: &Key) -> [u8; SLOT] {
        let mut slot = [0; SLOT];
        let numbers = [turn, self.epoch, self.commands, self.checkpoint.0];
        for (into, number) in slot.chunks_exact_mut(8).zip(numbers) {
            into.copy_from_slice(&number.to_be_bytes());
        }
        slot[32..BODY].copy_from_slice(&self.checkpoint.1.0);
        let mac = key.mac(&[TAG, &slot[..BODY]]);
        slot[BODY..].copy_from_slice(&mac.0);
        slot
    }

    /// Reads a slot; nothing if it is not whole, or of another key.
    fn read(slot: &[u8], key: &Key) -> Option<(u64, Self)> {
        let (body, mac) = slot.split_at_checked(BODY)?;
        if key.mac(&[TAG, body]).0 != mac {
            return None;
        }
        let number = |at: usize| {
            let bytes = body[at * 8..at * 8 + 8].try_into().expect("eight bytes");
            u64::from_be_bytes(bytes)
        };
        let hash = Digest(body[32..].try_into().expect("a hash"));
        let kept = Self { epoch: number(1), commands: number(2), checkpoint: (number(3), hash) };
        Some((number(0), kept))
    }
}

impl Beside {
    /// The file beside a key.
    pub(crate) fn path(key: &Path) -> PathBuf {
        key.with_extension("head")
    }

    /// Opens the file, or makes it, and gives what it has.
    pub(crate) fn open(path: &Path, key: &Key) -> Result<(Self, Option<Kept>), StoreError> {
        let fault = |why| StoreError::File { path: path.into(), why };
        if std::fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            let why = "it is no ordinary file".into();
            return Err(StoreError::OtherLog { path: path.into(), why });
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(fault)?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(4096).read_to_end(&mut bytes).map_err(fault)?;
        let whole = bytes.chunks_exact(SLOT).filter_map(|slot| Kept::read(slot, key));
        let newest = whole.max_by_key(|(turn, _)| *turn);
        // A file that was torn when it was first written, or lost its bytes, is as good as none.
        let (slots, rest) = bytes.split_at(bytes.len() / SLOT * SLOT);
        let empty = slots.iter().all(|byte| *byte == 0);
        if newest.is_none() && !(empty && rest.len() < SLOT) {
            let why = "it was made with another key, or altered".into();
            return Err(StoreError::OtherLog { path: path.into(), why });
        }
        let turn = newest.map_or(0, |(turn, _)| turn);
        Ok((Self { path: path.into(), file, turn }, newest.map(|(_, kept)| kept)))
    }

    /// Keeps what must be there before the log has anything, on the disk.
    pub(crate) fn keep_first(&mut self, kept: &Kept, key: &Key) -> Result<(), StoreError> {
        self.keep(kept, key)?;
        let fault = |why| StoreError::File { path: self.path.clone(), why };
        self.file.sync_all().map_err(fault)?;
        sync_folder(&self.path).map_err(fault)
    }

    pub(crate) fn keep(&mut self, kept: &Kept, key: &Key) -> Result<(), StoreError> {
        self.turn += 1;
        let slot = kept.write(self.turn, key);
        let at = self.turn % 2 * SLOT as u64;
        let written = self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.write_all(&slot));
        written.map_err(|why| StoreError::File { path: self.path.clone(), why })
    }
}

/// Whether a log never began: its file is empty, and nothing was told of it.
///
/// # Errors
///
/// When the file is empty and what is beside the key knows better.
pub fn never_began(log: &Path, key: &Path) -> Result<bool, StoreError> {
    if !std::fs::metadata(log).is_ok_and(|metadata| metadata.len() == 0) {
        return Ok(false);
    }
    if knows_a_log(key) {
        let why = "the log that it knows was emptied; put it back".into();
        return Err(StoreError::OtherLog { path: Beside::path(key), why });
    }
    Ok(true)
}

/// Whether what is beside a key knows a log that had begun.
#[must_use]
pub fn knows_a_log(key: &Path) -> bool {
    let path = Beside::path(key);
    let bytes = std::fs::read(&path).unwrap_or_default();
    if bytes.iter().all(|byte| *byte == 0) {
        return false;
    }
    // What the key cannot read was written all the same.
    let kept = Key::read(key).ok().and_then(|held| Beside::open(&path, &held).ok());
    kept.is_none_or(|(_, kept)| kept.is_some_and(|kept| !kept.is_before_the_house()))
}

/// The name of a file is on the disk when this returns.
pub(crate) fn sync_folder(file: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    if let Some(folder) = file.parent().and_then(|folder| File::open(folder).ok()) {
        folder.sync_all()?;
    }
    Ok(())
}
