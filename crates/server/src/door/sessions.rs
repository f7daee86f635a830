//! Sessions: who came in, how long they may stay, and how they end everywhere at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sqlx::Row as _;

use super::{Door, DoorError, hashed, number, token};

/// Sessions that are kept in memory before those that nobody holds are let go of.
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
    /// Held by everybody who has it, such as a socket: as long as somebody does, it is kept.
    holders: Arc<()>,
}

/// The sessions in memory.
#[derive(Debug)]
pub(super) struct Kept {
    all: Mutex<HashMap<[u8; 32], Session>>,
    /// How many there may be before some are let go of.
    room: AtomicUsize,
}

impl Default for Kept {
    fn default() -> Self {
        Self { all: Mutex::default(), room: AtomicUsize::new(MOST_KEPT) }
    }
}

impl Kept {
    /// Lets go of sessions that nobody holds, where there are too many: the file has them. A socket
    /// must find its own here, or it would be taken for one that ended.
    fn make_room(&self, all: &mut HashMap<[u8; 32], Session>) {
        if all.len() < self.room.load(Ordering::Relaxed) {
            return;
        }
        all.retain(|_, session| Arc::strong_count(&session.holders) > 1);
        // Where most are held, it is not tried again for each that comes.
        self.room.store(MOST_KEPT.max(all.len() * 2), Ordering::Relaxed);
    }
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
        self.sessions.all.lock().expect("nobody panics holding it")
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
            self.sessions.make_room(&mut kept);
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
        let (idle, ends, holders) = (at(1)?, at(3)?, Arc::default());
        Ok(Some(Session { account, idle, seen, ends, noted: seen, hash, holders }))
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
    pub(super) fn take_out(&self, over: impl Fn(&Session) -> bool) {
        let mut kept = self.kept();
        kept.retain(|_, known| !over(known));
        self.ended.send_modify(|count| *count += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_is_there_is_not_forgotten_to_make_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let door = Door::open(&folder.path().join("door.db"), live::World::real()).await;
        let door = door.expect("a door");
        door.sessions.room.store(4, Ordering::Relaxed);
        let hour = Lasts { idle: 3_600_000_000, whole: 3_600_000_000 };
        let mut there = Vec::new();
        for _ in 0..3 {
            let token = door.begin("a-1", hour).await.expect("a session");
            there.push(door.session(&token).await.expect("a file").expect("a session"));
        }
        for _ in 0..30 {
            let token = door.begin("a-2", hour).await.expect("a session");
            assert!(door.session(&token).await.expect("a file").is_some());
            door.sessions.room.fetch_min(6, Ordering::Relaxed);
        }
        assert!(there.iter().all(|session| door.lasts(session)), "a socket would be closed");
        assert!(door.kept().len() <= 6, "{}", door.kept().len());
        door.end_all("a-1").await.expect("a file");
        assert!(!there.iter().any(|session| door.lasts(session)));
    }
}
