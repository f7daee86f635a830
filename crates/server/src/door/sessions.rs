//! Sessions: who came in, how long they may stay, and how they end everywhere at once.

use std::collections::HashMap;

use sqlx::Row as _;

use super::{Door, DoorError, hashed, number, token};

/// Sessions that are kept in memory at the most.
const MOST_KEPT: usize = 50_000;
/// How often it is noted that a session was used.
const NOTED_EVERY: u64 = 60_000_000;

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
    pub(super) const fn is_over(&self, now: u64) -> bool {
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

impl Door {
    pub(super) fn kept(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 32], Session>> {
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
}
