//! The door's own file: sessions, passwords, one-time links and who made them. It is apart from the
//! log, so that a log which is handed to an auditor has none of them.
//!
//! Tokens are kept as hashes: whoever reads the file can open no session with it.

mod password;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use data_encoding::BASE64URL_NOPAD;
use live::World;
use sha2::{Digest as _, Sha256};
use sqlx::Row as _;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use zeroize::Zeroizing;

pub use self::password::fault_of_password;
use self::password::slow_hash;

/// Sessions that are kept in memory at the most.
const MOST_KEPT: usize = 50_000;
/// How often it is noted that a session was used.
const NOTED_EVERY: u64 = 60_000_000;
/// Failed attempts that are answered, of one address for one name, within [`LOCKED_FOR`].
const MOST_FAILED: i64 = 5;
const LOCKED_FOR: u64 = 15 * 60_000_000;

/// Who came in, and how long they may stay without doing anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The account.
    pub account: String,
    /// How long it lasts when nobody uses it, in microseconds.
    pub idle: u64,
    /// When it was used last.
    pub seen: u64,
    /// When it ends, however much it is used.
    pub ends: u64,
    /// The last use that the file knows of.
    noted: u64,
    hash: [u8; 32],
}

impl Session {
    const fn is_over(&self, now: u64) -> bool {
        self.seen.saturating_add(self.idle) < now || self.ends < now
    }
}

/// How long a session lasts, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lasts {
    /// When nobody uses it.
    pub idle: u64,
    /// However much it is used.
    pub whole: u64,
}

/// A one-time link that was made or followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// When, in microseconds.
    pub at: u64,
    /// The account that made the link; `system` for the one that a start prints.
    pub who: String,
    /// What was done.
    pub what: String,
    /// The role or the account that it is about.
    pub about: String,
}

/// A link that does one thing, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// Whoever follows it becomes staff in that role.
    Invitation(String),
    /// Whoever follows it sets a new password for that account.
    Password(String),
}

/// The door.
#[derive(Debug)]
pub struct Door {
    pool: SqlitePool,
    world: World,
    sessions: Mutex<HashMap<[u8; 32], Session>>,
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
    at integer not null, name text not null, address text not null, good integer not null
) strict;
create index if not exists sign_in_of on sign_in (name, address, at);
create table if not exists deed (
    at integer not null, who text not null, what text not null, about text not null
) strict;
";

/// Columns that files of earlier versions lack.
const LATER: [(&str, &str, &str); 2] = [
    ("session", "ends", "integer not null default 9223372036854775807"),
    ("link", "made_by", "text not null default 'system'"),
];

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

/// Copies a door's file as a whole, also while it is in use, to a place where nothing is.
///
/// # Errors
///
/// When the disk fails, or something is there.
pub async fn back_up(from: &Path, to: &Path) -> Result<(), DoorError> {
    if to.exists() {
        let taken = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
        return Err(sqlx::Error::Io(taken).into());
    }
    let options = SqliteConnectOptions::new().filename(from).create_if_missing(false);
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await?;
    own_file(to).map_err(sqlx::Error::Io)?;
    let copied = sqlx::query("vacuum into ?").bind(to.display().to_string()).execute(&pool).await;
    pool.close().await;
    copied?;
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
        sqlx::raw_sql(TABLES).execute(&pool).await?;
        for (table, column, kind) in LATER {
            let query = "select count(*) from pragma_table_info(?) where name = ?";
            let row = sqlx::query(query).bind(table).bind(column).fetch_one(&pool).await?;
            if row.try_get::<i64, _>(0)? == 0 {
                let add = format!("alter table {table} add column {column} {kind}");
                sqlx::raw_sql(sqlx::AssertSqlSafe(add)).execute(&pool).await?;
            }
        }
        let ended = tokio::sync::watch::Sender::new(0);
        Ok(Self { pool, world, sessions: Mutex::default(), ended })
    }

    /// The time by which sessions and links end.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.world.now()
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], Session>> {
        self.sessions.lock().expect("nobody panics holding it")
    }

    /// Begins a session, and gives its token, which is kept nowhere.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn begin(&self, account: &str, lasts: Lasts) -> Result<String, DoorError> {
        let (token, hash) = token()?;
        let now = self.now();
        let query = "insert into session (hash, account, idle, seen, ends) values (?, ?, ?, ?, ?)";
        sqlx::query(query)
            .bind(hash.as_slice())
            .bind(account)
            .bind(number(lasts.idle))
            .bind(number(now))
            .bind(number(now.saturating_add(lasts.whole)))
            .execute(&self.pool)
            .await?;
        Ok(token)
    }

    /// The session of a token, if it lasts. Looking does not make it last: see [`Door::used`].
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn session(&self, token: &str) -> Result<Option<Session>, DoorError> {
        let Some(session) = self.known(hashed(token)).await? else { return Ok(None) };
        if session.is_over(self.now()) {
            self.end(&session).await?;
            return Ok(None);
        }
        Ok(Some(session))
    }

    /// The session of a hash, which is kept in memory from then on.
    async fn known(&self, hash: [u8; 32]) -> Result<Option<Session>, DoorError> {
        loop {
            let ended = *self.ended.borrow();
            let known = self.kept().get(&hash).cloned();
            if known.is_some() {
                return Ok(known);
            }
            let Some(session) = self.stored(hash).await? else { return Ok(None) };
            let mut kept = self.kept();
            // Somebody signed out since the file was read: it may have been this one.
            if *self.ended.borrow() != ended {
                continue;
            }
            if kept.len() >= MOST_KEPT {
                kept.clear();
            }
            // Somebody else may use it meanwhile: what is kept already is newer.
            return Ok(Some(kept.entry(hash).or_insert(session).clone()));
        }
    }

    async fn stored(&self, hash: [u8; 32]) -> Result<Option<Session>, DoorError> {
        let row = sqlx::query("select account, idle, seen, ends from session where hash = ?")
            .bind(hash.as_slice())
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let at = |index: usize| row.try_get::<i64, _>(index).map(i64::cast_unsigned);
        let (account, seen) = (row.try_get(0)?, at(2)?);
        Ok(Some(Session { account, idle: at(1)?, seen, ends: at(3)?, noted: seen, hash }))
    }

    /// Notes that a session is used, which makes it last.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn used(&self, session: &Session) -> Result<(), DoorError> {
        let now = self.now();
        let is_due = match self.kept().get_mut(&session.hash) {
            None => return Ok(()),
            Some(known) => {
                known.seen = now;
                let is_due = known.noted.saturating_add(NOTED_EVERY) < now;
                known.noted = if is_due { now } else { known.noted };
                is_due
            }
        };
        if is_due {
            self.note_use(session.hash, now).await?;
        }
        Ok(())
    }

    async fn note_use(&self, hash: [u8; 32], now: u64) -> Result<(), DoorError> {
        sqlx::query("update session set seen = ? where hash = ?")
            .bind(number(now))
            .bind(hash.as_slice())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Whether a session still lasts, without using it.
    #[must_use]
    pub fn lasts(&self, session: &Session) -> bool {
        let now = self.now();
        self.kept().get(&session.hash).is_some_and(|known| !known.is_over(now))
    }

    /// Tells when a session has ended, of whomever.
    #[must_use]
    pub fn endings(&self) -> tokio::sync::watch::Receiver<u64> {
        self.ended.subscribe()
    }

    /// Ends a session. The file forgets it first: whoever looks for it meanwhile and still finds it
    /// there keeps nothing, since the count of endings changes.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn end(&self, session: &Session) -> Result<(), DoorError> {
        sqlx::query("delete from session where hash = ?")
            .bind(session.hash.as_slice())
            .execute(&self.pool)
            .await?;
        self.take_out(|known| known.hash == session.hash);
        Ok(())
    }

    /// Ends every session of an account.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn end_all(&self, account: &str) -> Result<u64, DoorError> {
        let query = sqlx::query("delete from session where account = ?").bind(account);
        let ended = query.execute(&self.pool).await?.rows_affected();
        self.take_out(|known| known.account == account);
        Ok(ended)
    }

    /// Takes sessions that ended out of memory, and tells those who wait for an ending.
    fn take_out(&self, over: impl Fn(&Session) -> bool) {
        let mut kept = self.kept();
        kept.retain(|_, known| !over(known));
        self.ended.send_modify(|count| *count += 1);
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

    /// Sets the password of an account.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn set_password(&self, account: &str, password: &str) -> Result<(), DoorError> {
        let mut salt = [0_u8; 16];
        getrandom::fill(&mut salt).map_err(|_| DoorError::NoEntropy)?;
        let hash = slow_hash(password, salt).await?;
        sqlx::query("insert or replace into password (account, salt, hash) values (?, ?, ?)")
            .bind(account)
            .bind(salt.as_slice())
            .bind(hash.as_slice())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Whether an account has a password.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn has_password(&self, account: &str) -> Result<bool, DoorError> {
        let query = sqlx::query("select 1 from password where account = ?").bind(account);
        Ok(query.fetch_optional(&self.pool).await?.is_some())
    }

    /// Whether that is the password. An account that is not there takes as long to refuse.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn is_password(
        &self,
        account: Option<&str>,
        password: &str,
    ) -> Result<bool, DoorError> {
        let row = sqlx::query("select salt, hash from password where account = ?")
            .bind(account.unwrap_or_default())
            .fetch_optional(&self.pool)
            .await?;
        let kept = match row {
            Some(row) => Some((row.try_get::<Vec<u8>, _>(0)?, row.try_get::<Vec<u8>, _>(1)?)),
            None => None,
        };
        let salt = kept.as_ref().and_then(|(salt, _)| salt.as_slice().try_into().ok());
        let hash = slow_hash(password, salt.unwrap_or([7; 16])).await?;
        Ok(kept.is_some_and(|(_, right)| {
            right.iter().zip(hash.iter()).fold(right.len() ^ 32, |d, (a, b)| d | usize::from(a ^ b))
                == 0
        }))
    }

    /// Makes a link that does one thing, once, until then; who made it is kept.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn make_link(&self, link: &Link, until: u64, who: &str) -> Result<String, DoorError> {
        let (token, hash) = token()?;
        let (kind, about) = match link {
            Link::Invitation(role) => ("invitation", role),
            Link::Password(account) => ("password", account),
        };
        self.note_deed(who, &format!("made a link: {kind}"), about).await?;
        let query = "insert into link (hash, kind, about, until, made_by) values (?, ?, ?, ?, ?)";
        sqlx::query(query)
            .bind(hash.as_slice())
            .bind(kind)
            .bind(about)
            .bind(number(until))
            .bind(who)
            .execute(&self.pool)
            .await?;
        Ok(token)
    }

    /// Keeps what somebody did with a link.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn note_deed(&self, who: &str, what: &str, about: &str) -> Result<(), DoorError> {
        sqlx::query("insert into deed (at, who, what, about) values (?, ?, ?, ?)")
            .bind(number(self.now()))
            .bind(who)
            .bind(what)
            .bind(about)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// What was done with links, the latest first.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn deeds(&self, most: i64) -> Result<Vec<Deed>, DoorError> {
        let query = "select at, who, what, about from deed order by rowid desc limit ?";
        let rows = sqlx::query(query).bind(most).fetch_all(&self.pool).await?;
        let one = |row: &sqlx::sqlite::SqliteRow| {
            let at = row.try_get::<i64, _>(0)?.cast_unsigned();
            let (who, what, about) = (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
            Ok(Deed { at, who, what, about })
        };
        Ok(rows.iter().map(one).collect::<Result<_, sqlx::Error>>()?)
    }

    /// What a link does, if it is good; it stays so.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn look_at_link(&self, token: &str) -> Result<Option<Link>, DoorError> {
        let row = sqlx::query("select kind, about from link where hash = ? and until >= ?")
            .bind(hashed(token).as_slice())
            .bind(number(self.now()))
            .fetch_optional(&self.pool)
            .await?;
        row.map(|row| link_of(&row)).transpose().map(Option::flatten)
    }

    /// Uses a link up, and tells who made it; nothing if it was used, or its time is over. Other
    /// links to a new password for the same account go with it.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn use_link(&self, token: &str) -> Result<Option<(Link, String)>, DoorError> {
        let query = "delete from link where hash = ? and until >= ? returning kind, about, made_by";
        let row = sqlx::query(query)
            .bind(hashed(token).as_slice())
            .bind(number(self.now()))
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let by = row.try_get(2)?;
        let link = link_of(&row)?;
        if let Some(Link::Password(account)) = &link {
            let others = "delete from link where kind = 'password' and about = ?";
            sqlx::query(others).bind(account).execute(&self.pool).await?;
        }
        Ok(link.map(|link| (link, by)))
    }

    /// Notes that somebody wanted to sign in.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn note_sign_in(
        &self,
        name: &str,
        address: &str,
        good: Good,
    ) -> Result<(), DoorError> {
        sqlx::query("insert into sign_in (at, name, address, good) values (?, ?, ?, ?)")
            .bind(number(self.now()))
            .bind(name)
            .bind(address)
            .bind(i64::from(good == Good::Yes))
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// For how many seconds an address has to wait before it tries that name again; nothing if it
    /// may. Others who know the password are not kept out by it.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn locked_for(&self, name: &str, address: &str) -> Result<Option<u64>, DoorError> {
        let now = self.now();
        let since = now.saturating_sub(LOCKED_FOR);
        let row = sqlx::query(
            "select count(*), coalesce(min(at), 0) from sign_in \
             where name = ?1 and address = ?2 and good = 0 and at >= max(?3, coalesce(\
             (select max(at) from sign_in where name = ?1 and address = ?2 and good = 1), 0))",
        )
        .bind(name)
        .bind(address)
        .bind(number(since))
        .fetch_one(&self.pool)
        .await?;
        let (failed, first) = (row.try_get::<i64, _>(0)?, row.try_get::<i64, _>(1)?);
        let until = first.cast_unsigned().saturating_add(LOCKED_FOR);
        Ok((failed >= MOST_FAILED).then(|| until.saturating_sub(now) / 1_000_000 + 1))
    }

    /// The last attempts to sign in, the latest first: when, under which name, from where, and
    /// whether it was good.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn sign_ins(&self, most: i64) -> Result<Vec<(u64, String, String, bool)>, DoorError> {
        let query = "select at, name, address, good from sign_in order by at desc limit ?";
        let rows = sqlx::query(query).bind(most).fetch_all(&self.pool).await?;
        let one = |row: &sqlx::sqlite::SqliteRow| {
            let at = row.try_get::<i64, _>(0)?.cast_unsigned();
            Ok((at, row.try_get(1)?, row.try_get(2)?, row.try_get::<i64, _>(3)? == 1))
        };
        Ok(rows.iter().map(one).collect::<Result<_, sqlx::Error>>()?)
    }

    /// Throws away what is over: sessions, links, and attempts older than a year.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn sweep(&self) -> Result<(), DoorError> {
        let now = self.now();
        for (query, until) in [
            ("delete from session where seen + idle < ?", now),
            ("delete from session where ends < ?", now),
            ("delete from link where until < ?", now),
            ("delete from sign_in where at < ?", now.saturating_sub(365 * 24 * 3_600_000_000)),
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

/// Whether an attempt was good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Good {
    /// It was.
    Yes,
    /// It was not.
    No,
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn link_of(row: &sqlx::sqlite::SqliteRow) -> Result<Option<Link>, DoorError> {
    let (kind, about): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    Ok(match kind.as_str() {
        "invitation" => Some(Link::Invitation(about)),
        "password" => Some(Link::Password(about)),
        _ => None,
    })
}
