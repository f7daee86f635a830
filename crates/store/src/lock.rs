//! One process writes a log; another one that tries is told so.
//!
//! The lock is on the log's own file: whatever it is called, and whichever link leads to it, it is
//! the same file. `SQLite`'s own locks are of another kind, which ends when this process closes
//! *any* handle of the file. So a second attempt within the process is found before the file is
//! opened.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::{LazyLock, Mutex};

use crate::fault::StoreError;

/// What a file is, whatever it is called.
type Identity = (u64, u64);

/// The logs that this process writes.
static OPEN: LazyLock<Mutex<Vec<Identity>>> = LazyLock::new(Mutex::default);

/// The right to write a log, held until it is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
    identity: Identity,
}

/// Whether a log may be there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// It must not: it is begun by making its file.
    New,
    /// It may; if not, it is begun.
    Either,
}

impl Lock {
    /// Takes the lock of a log, and makes its file if it is to begin.
    ///
    /// # Errors
    ///
    /// When another process or this one has it, it is there and should be new, or the file cannot
    /// be made.
    pub fn take(log: &Path, begin: Begin) -> Result<Self, StoreError> {
        let fault = |why| StoreError::File { path: log.into(), why };
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let made = match options.create_new(true).open(log) {
            Ok(file) => Some(file),
            Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => None,
            Err(why) => return Err(fault(why)),
        };
        if made.is_none() && begin == Begin::New {
            return Err(StoreError::Exists(log.into()));
        }
        let mut open = OPEN.lock().expect("nobody panics while holding it");
        let identity = identity(log).map_err(fault)?;
        if open.contains(&identity) {
            return Err(StoreError::InUse(log.into()));
        }
        let file = match made {
            Some(file) => file,
            None => options.create_new(false).open(log).map_err(fault)?,
        };
        match file.try_lock() {
            Ok(()) => {
                open.push(identity);
                Ok(Self { file, identity })
            }
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse(log.into())),
            Err(TryLockError::Error(why)) => Err(fault(why)),
        }
    }

    /// Whether a file is still the one that is locked.
    #[must_use]
    pub fn is_on(&self, log: &Path) -> bool {
        identity(log).is_ok_and(|identity| identity == self.identity)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
        let mut open = OPEN.lock().expect("nobody panics while holding it");
        open.retain(|identity| *identity != self.identity);
    }
}

#[cfg(unix)]
fn identity(log: &Path) -> std::io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(log)?;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(log: &Path) -> std::io::Result<Identity> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    std::fs::canonicalize(log)?.hash(&mut hasher);
    Ok((0, hasher.finish()))
}
