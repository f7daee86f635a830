//! One process writes a log; another one that tries is told so.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::fault::StoreError;

/// The right to write a log, held until it is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the lock is held by the open file")] File);

impl Lock {
    /// Takes the lock of a log.
    ///
    /// # Errors
    ///
    /// When another process has it, or the file cannot be made.
    pub fn take(log: &Path) -> Result<Self, StoreError> {
        let mut name = log.file_name().unwrap_or_default().to_os_string();
        name.push(".lock");
        let path = log.with_file_name(name);
        let fault = |why| StoreError::File { path: path.clone(), why };
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).open(&path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse(log.into())),
            Err(TryLockError::Error(why)) => Err(fault(why)),
        }
    }
}
