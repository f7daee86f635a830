//! The door's own file: sessions, passwords, one-time links and who made them. It is apart from the
//! log, so that a log which is handed to an auditor has none of them.
//!
//! Tokens are kept as hashes: whoever reads the file can open no session with it.

mod links;
mod password;
mod secret;
mod sessions;
mod sign_in;

use std::path::{Path, PathBuf};

use data_encoding::BASE64URL_NOPAD;
use live::World;
use sha2::{Digest as _, Sha256};
use sqlx::Row as _;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use zeroize::Zeroizing;

pub use self::links::{Deed, Link, Used};
pub use self::password::fault_of_password;
use self::secret::Secret;
use self::sessions::Kept;
pub use self::sessions::{Lasts, Session};
pub use self::sign_in::{Attempt, By, Good, UNKNOWN};

/// The door.
#[derive(Debug)]
pub struct Door {
    pool: SqlitePool,
    world: World,
    secret: Secret,
    sessions: Kept,
    /// Changes when a session ends.
    ended: tokio::sync::watch::Sender<u64>,
}

/// A token with 256 random bits, and its hash.
fn token() -> Result<(String, [u8; 32]), DoorError> {
    let mut bytes = Zeroizing::new([0_u8; 32]);
    getrandom::fill(&mut *bytes).map_err(|_| DoorError::NoEntropy)?;
    let token = BASE64URL_NOPAD.encode(&*bytes);
    let hash = hashed(&token);
    Ok((token, hash))
}

fn hashed(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The door failed.
#[derive(Debug, thiserror::Error)]
pub enum DoorError {
    /// The file fails.
    #[error("the door's file fails: {0}")]
    File(#[from] sqlx::Error),
    /// The operating system gives no random numbers.
    #[error("the operating system gives no random numbers")]
    NoEntropy,
    /// A password could not be hashed.
    #[error("a password could not be hashed")]
    Hash,
    /// A copy would be written over something.
    #[error("{} is there already; allowed: a name that is free", .0.display())]
    Taken(PathBuf),
}

const TABLES: &str = "
create table if not exists session (
    hash blob primary key, account text not null, idle integer not null, seen integer not null,
    ends integer not null default 9223372036854775807
) strict, without rowid;
create index if not exists session_of on session (account);
create table if not exists password (
    account text primary key, salt blob not null, hash blob not null
) strict, without rowid;
create table if not exists link (
    hash blob primary key, kind text not null, about text not null, until integer not null,
    made_by text not null default 'system'
) strict, without rowid;
create table if not exists sign_in (
    at integer not null, name text not null, address text not null, good integer not null,
    counter blob
) strict;
create table if not exists deed (
    at integer not null, who text not null, what text not null, about text not null
) strict;
create table if not exists secret (name text primary key, value blob not null) strict;
";

/// Columns that files of earlier versions lack.
const LATER: [(&str, &str, &str); 3] = [
    ("session", "ends", "integer not null default 9223372036854775807"),
    ("link", "made_by", "text not null default 'system'"),
    ("sign_in", "counter", "blob"),
];

/// What needs those columns.
const INDICES: &str = "
drop index if exists sign_in_of;
create index if not exists sign_in_by on sign_in (counter, at);
";

/// What lets somebody in without a password: it is over when the log was restored, since nobody
/// can tell what was ended, or used up, after the copy was made.
const VISITS: &str = "delete from session; delete from link;";

/// What a copy is without besides: by the secret anybody could pass for a browser that is known.
const OF_THIS_FILE: &str = "delete from secret; update sign_in set counter = null;";

/// Makes the tables of a door's file, or brings them up to date.
async fn make_tables(pool: &SqlitePool) -> Result<(), DoorError> {
    sqlx::raw_sql(TABLES).execute(pool).await?;
    for (table, column, kind) in LATER {
        let query = "select count(*) from pragma_table_info(?) where name = ?";
        let row = sqlx::query(query).bind(table).bind(column).fetch_one(pool).await?;
        if row.try_get::<i64, _>(0)? == 0 {
            let add = format!("alter table {table} add column {column} {kind}");
            sqlx::raw_sql(sqlx::AssertSqlSafe(add)).execute(pool).await?;
        }
    }
    sqlx::raw_sql(INDICES).execute(pool).await?;
    Ok(())
}

/// Makes a file that only its owner may read, if there is none, and takes others' rights away.
fn own_file(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    drop(file);
    Ok(())
}

/// Copies a door's file, also while it is in use, to a place where nothing is: passwords, deeds and
/// attempts to sign in. Sessions and one-time links are not in the copy.
///
/// # Errors
///
/// When the disk fails, or something is there.
pub async fn back_up(from: &Path, to: &Path) -> Result<(), DoorError> {
    if to.symlink_metadata().is_ok() {
        return Err(DoorError::Taken(to.into()));
    }
    let copied = copy(from, to).await;
    if copied.is_err() {
        // Half a copy is none, and what was to be taken out may still be in it.
        let _ = std::fs::remove_file(to);
    }
    copied
}

async fn copy(from: &Path, to: &Path) -> Result<(), DoorError> {
    let one = |options| SqlitePoolOptions::new().max_connections(1).connect_with(options);
    let options = SqliteConnectOptions::new().filename(from).create_if_missing(false);
    let pool = one(options).await?;
    own_file(to).map_err(sqlx::Error::Io)?;
    let copied = sqlx::query("vacuum into ?").bind(to.display().to_string()).execute(&pool).await;
    pool.close().await;
    copied?;
    // What is deleted is overwritten: it could be read from a free page otherwise.
    let options = SqliteConnectOptions::new()
        .filename(to)
        .journal_mode(SqliteJournalMode::Delete)
        .pragma("secure_delete", "on");
    let pool = one(options).await?;
    let cleared = clear(&pool).await;
    pool.close().await;
    cleared
}

/// Takes out of a copy what is not for it.
async fn clear(pool: &SqlitePool) -> Result<(), DoorError> {
    make_tables(pool).await?;
    sqlx::raw_sql(VISITS).execute(pool).await?;
    sqlx::raw_sql(OF_THIS_FILE).execute(pool).await?;
    Ok(())
}

impl Door {
    /// Opens the door's file, or makes it.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn open(path: &Path, world: World) -> Result<Self, DoorError> {
        own_file(path).map_err(sqlx::Error::Io)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(std::time::Duration::from_secs(10));
        let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
        make_tables(&pool).await?;
        let secret = Secret::of(&pool).await?;
        let ended = tokio::sync::watch::Sender::new(0);
        Ok(Self { pool, world, secret, sessions: Kept::default(), ended })
    }

    /// The log was restored: everybody signs in again, and no link made before is good.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn restored(&self) -> Result<(), DoorError> {
        sqlx::raw_sql(VISITS).execute(&self.pool).await?;
        self.take_out(|_| true);
        Ok(())
    }

    /// The time by which sessions and links end.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.world.now()
    }

    /// Somebody is dismissed: their sessions end, and the links that they made are good no more.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn dismiss(&self, account: &str) -> Result<(), DoorError> {
        sqlx::query("delete from link where made_by = ?").bind(account).execute(&self.pool).await?;
        self.end_all(account).await?;
        Ok(())
    }

    /// The accounts that have a session, a password or a link.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn accounts(&self) -> Result<Vec<String>, DoorError> {
        let query = "select account from session union select account from password union \
                     select about from link where kind = 'password' union \
                     select made_by from link where made_by <> 'system'";
        Ok(sqlx::query_scalar(query).fetch_all(&self.pool).await?)
    }

    /// Forgets the sessions, the password and the links of an account.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn forget(&self, account: &str) -> Result<(), DoorError> {
        for query in [
            "delete from password where account = ?",
            "delete from link where kind = 'password' and about = ?",
        ] {
            sqlx::query(query).bind(account).execute(&self.pool).await?;
        }
        self.dismiss(account).await
    }

    /// Throws away what is over: sessions, links, what attempts are counted by, and attempts older
    /// than a year.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn sweep(&self) -> Result<(), DoorError> {
        let now = self.now();
        let counted = now.saturating_sub(sign_in::LOCKED_FOR);
        for (query, until) in [
            ("delete from session where seen + idle < ?", now),
            ("delete from session where ends < ?", now),
            ("delete from link where until < ?", now),
            ("delete from sign_in where at < ?", now.saturating_sub(365 * 24 * 3_600_000_000)),
            ("update sign_in set counter = null where counter is not null and at < ?", counted),
        ] {
            sqlx::query(query).bind(number(until)).execute(&self.pool).await?;
        }
        self.kept().retain(|_, session| !session.is_over(now));
        Ok(())
    }

    /// Closes the file.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
