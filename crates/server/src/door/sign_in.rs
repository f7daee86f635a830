//! Signing in with a password: what is kept of it, and how long somebody waits who tried too often.
//!
//! A browser that an account has signed in from is known by a cookie. Its attempts count for itself
//! alone, so that whoever tries wrong passwords beside it, behind the same address, does not keep
//! the account's owner out.

use data_encoding::BASE64URL_NOPAD;
use sqlx::Row as _;

use super::password::slow_hash;
use super::{Door, DoorError, number};

/// Failed attempts that are answered, of those that count together, within [`LOCKED_FOR`].
const MOST_FAILED: i64 = 5;
pub(super) const LOCKED_FOR: u64 = 15 * 60_000_000;
/// What stands in the place of a name that nobody has: it could be a password in the wrong field.
pub const UNKNOWN: &str = "(unknown)";

/// Whether an attempt was good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Good {
    /// It was.
    Yes,
    /// It was not.
    No,
}

/// By what attempts for a name count together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By<'a> {
    /// The address: nothing else is known of whoever tries.
    Address,
    /// A browser that the account has signed in from, by its number.
    Device(&'a str),
    /// A session of the account: whoever is in already proves it once more.
    Session,
}

/// An attempt to sign in.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The name of the account, or what was typed if nobody is called so.
    pub name: &'a str,
    /// Whether it is the name of an account.
    pub known: bool,
    /// Where it comes from.
    pub address: &'a str,
    /// By what it counts.
    pub by: By<'a>,
}

impl Attempt<'_> {
    /// What makes it the same as others.
    fn parts(&self) -> [&str; 4] {
        let (kind, place) = match self.by {
            By::Address => ("address", self.address),
            By::Device(number) => ("device", number),
            By::Session => ("session", ""),
        };
        ["attempt", self.name, kind, place]
    }
}

impl Door {
    /// A cookie for a browser that an account has signed in from.
    ///
    /// # Errors
    ///
    /// When the operating system gives no random numbers.
    pub fn new_device(&self, account: &str) -> Result<String, DoorError> {
        let mut number = [0_u8; 16];
        getrandom::fill(&mut number).map_err(|_| DoorError::NoEntropy)?;
        let number = BASE64URL_NOPAD.encode(&number);
        let mark = self.secret.mark(&["device", account, &number]);
        Ok(format!("{number}.{}", BASE64URL_NOPAD.encode(&mark)))
    }

    /// The number of a browser, if that is its cookie for that account.
    #[must_use]
    pub fn device<'a>(&self, account: &str, cookie: &'a str) -> Option<&'a str> {
        let (number, mark) = cookie.split_once('.')?;
        let mark = BASE64URL_NOPAD.decode(mark.as_bytes()).ok()?;
        self.secret.is_mark(&["device", account, number], &mark).then_some(number)
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

    /// Notes that somebody wanted to sign in.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn note_sign_in(&self, attempt: &Attempt<'_>, good: Good) -> Result<(), DoorError> {
        let query = "insert into sign_in (at, name, address, good, counter) values (?, ?, ?, ?, ?)";
        sqlx::query(query)
            .bind(number(self.now()))
            .bind(if attempt.known { attempt.name } else { UNKNOWN })
            .bind(attempt.address)
            .bind(i64::from(good == Good::Yes))
            .bind(self.secret.mark(&attempt.parts()))
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// For how many seconds whoever tries has to wait; nothing if they may try. Others who know the
    /// password are not kept out by it.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn locked_for(&self, attempt: &Attempt<'_>) -> Result<Option<u64>, DoorError> {
        let now = self.now();
        let since = now.saturating_sub(LOCKED_FOR);
        let row = sqlx::query(
            "select count(*), coalesce(min(at), 0) from sign_in \
             where counter = ?1 and good = 0 and at >= max(?2, coalesce(\
             (select max(at) from sign_in where counter = ?1 and good = 1), 0))",
        )
        .bind(self.secret.mark(&attempt.parts()))
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
}
