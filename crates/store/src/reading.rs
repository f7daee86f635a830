//! What can be read from a log, in use or not.

use std::path::Path;

use shoe::Digest;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, Row};

use crate::CHECKPOINTS;
use crate::body::Head;
use crate::chain::Broken;
use crate::fault::StoreError;
use crate::insert::{digest, name_of};
use crate::log::Store;
use crate::record::{KeptBalance, Record};
use crate::rows::{last_two, page, records, streams};
use crate::tables;
use crate::trust::FORM;
use crate::verify::{Verified, verify};

/// A rulebook that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The canonical text.
    pub canonical: String,
    /// The files, as JSON; nothing in logs of the first form.
    pub files: Option<String>,
}

impl Store {
    /// The records of a stream behind a version.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn records(&self, stream: &str, after: u64) -> Result<Vec<Record>, StoreError> {
        let mut connection = self.pool().acquire().await?;
        records(&mut connection, stream, after).await
    }

    /// The next records of a stream behind a version, as many as are read at once.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn page(&self, stream: &str, after: u64) -> Result<Vec<Record>, StoreError> {
        let mut connection = self.pool().acquire().await?;
        let page = page(&mut connection, stream, after).await?.into_iter();
        page.map(|record| record.map_err(|why| StoreError::Untrusted(why.to_string()))).collect()
    }

    /// The names of all streams. One that is no text is none of the house's.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn streams(&self) -> Result<Vec<String>, StoreError> {
        let mut connection = self.pool().acquire().await?;
        Ok(streams(&mut connection).await?.0)
    }

    /// The last checkpoint, looked up.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn head(&self) -> Result<Option<Head>, StoreError> {
        let mut connection = self.pool().acquire().await?;
        let last = last_two(&mut connection, CHECKPOINTS).await?;
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
        let mut connection = self.pool().acquire().await?;
        if self.is_view() {
            return verify_tables(&mut connection, kept).await;
        }
        // One view of the whole log, however fast it grows meanwhile.
        let mut view = connection.begin().await?;
        let found = verify_tables(&mut view, kept).await?;
        view.rollback().await?;
        Ok(found)
    }

    /// A rulebook that was kept.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn book(&self, sha256: Digest) -> Result<Option<Kept>, StoreError> {
        let form: i64 = sqlx::query_scalar("pragma user_version").fetch_one(self.pool()).await?;
        let query = if form >= FORM {
            "select cast(canonical as blob), cast(files as blob) from book where sha256 = ?"
        } else {
            "select cast(canonical as blob), null from book where sha256 = ?"
        };
        let query = sqlx::query(query).bind(sha256.0.as_slice());
        let Some(row) = query.fetch_optional(self.pool()).await? else { return Ok(None) };
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
        .fetch_one(self.pool())
        .await?;
        if there == 0 {
            return Ok(Vec::new());
        }
        let query = "select cast(account as blob), cast(name as blob) from person order by account";
        let rows: Vec<(Vec<u8>, Vec<u8>)> = sqlx::query_as(query).fetch_all(self.pool()).await?;
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
             where name = ? and name != 0 and actor = ? and key = ? and number > 0";
        let query = sqlx::query(query).bind(name_of(actor, key)).bind(actor).bind(key);
        let Some(row) = query.fetch_optional(self.pool()).await? else { return Ok(None) };
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
        let Some(row) = query.fetch_optional(self.pool()).await? else { return Ok(None) };
        let number = |at: usize| row.try_get::<i64, _>(at).map(i64::cast_unsigned);
        Ok(Some((number(0)?, number(1)?)))
    }

    /// Every balance that is kept beside the accounts' own records, by account.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn balances(&self) -> Result<Vec<KeptBalance>, StoreError> {
        let there: i64 = sqlx::query_scalar(
            "select count(*) from sqlite_schema where type = 'table' and name = 'balance'",
        )
        .fetch_one(self.pool())
        .await?;
        if there == 0 {
            return Ok(Vec::new());
        }
        let query = "select cast(account as blob), version, cents from balance order by account";
        let rows: Vec<(Vec<u8>, i64, i64)> = sqlx::query_as(query).fetch_all(self.pool()).await?;
        let kept = |(account, version, cents): (Vec<u8>, i64, i64)| KeptBalance {
            account: String::from_utf8_lossy(&account).into_owned(),
            version: version.cast_unsigned(),
            cents: cents.cast_unsigned(),
        };
        Ok(rows.into_iter().map(kept).collect())
    }

    /// Writes a whole copy of the log to another file, while it is in use.
    ///
    /// # Errors
    ///
    /// When the other file exists, or the disk fails.
    pub async fn back_up(&self, to: &Path) -> Result<(), StoreError> {
        make_own(to)?;
        let name = to.to_string_lossy().into_owned();
        let copied = sqlx::query("vacuum into ?").bind(name).execute(self.pool()).await;
        if copied.is_err() {
            let _ = std::fs::remove_file(to);
        }
        copied?;
        Ok(())
    }
}

/// Makes an empty file for a copy of a log, which is nobody else's to read.
pub(crate) fn make_own(path: &Path) -> Result<(), StoreError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(StoreError::Exists(path.into()))
        }
        Err(why) => Err(StoreError::File { path: path.into(), why }),
    }
}

/// Checks a log, its tables included.
async fn verify_tables(
    connection: &mut SqliteConnection,
    kept: Option<(u64, Digest)>,
) -> Result<Verified, StoreError> {
    let second = "select count(*) from sqlite_schema where name in ('snapshot', 'person')";
    let second: i64 = sqlx::query_scalar(second).fetch_one(&mut *connection).await?;
    let schema = match second {
        0 => tables::check_first(connection).await,
        _ => tables::check(connection).await,
    };
    let mut found = verify(connection, kept).await?;
    found.broken.extend(schema.err().map(|why| Broken::Schema(why.to_string())));
    Ok(found)
}
