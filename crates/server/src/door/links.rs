//! One-time links: each does one thing, once, and who made it is on record.

use sqlx::Row as _;

use super::{Door, DoorError, hashed, number, token};

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

/// A link that was used up, with what it takes to put it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// What it does.
    pub link: Link,
    /// The account that made it.
    pub by: String,
    hash: [u8; 32],
    until: u64,
}

impl Door {
    /// Makes a link that does one thing, once, until then; who made it is kept.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn make_link(&self, link: &Link, until: u64, who: &str) -> Result<String, DoorError> {
        let (token, hash) = token()?;
        let (kind, about) = words(link);
        self.note_deed(who, &format!("made a link: {kind}"), about).await?;
        self.keep_link(link, &hash, (until, who)).await?;
        Ok(token)
    }

    async fn keep_link(
        &self,
        link: &Link,
        hash: &[u8; 32],
        (until, who): (u64, &str),
    ) -> Result<(), DoorError> {
        let (kind, about) = words(link);
        let query = "insert into link (hash, kind, about, until, made_by) values (?, ?, ?, ?, ?)";
        sqlx::query(query)
            .bind(hash.as_slice())
            .bind(kind)
            .bind(about)
            .bind(number(until))
            .bind(who)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// A link that was used up for nothing is good again.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn put_link_back(&self, used: &Used) -> Result<(), DoorError> {
        self.keep_link(&used.link, &used.hash, (used.until, &used.by)).await
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

    /// Uses a link up, and tells what it was; nothing if it was used, or its time is over. Other
    /// links to a new password for the same account go with it.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn use_link(&self, token: &str) -> Result<Option<Used>, DoorError> {
        let query = "delete from link where hash = ? and until >= ? \
                     returning kind, about, made_by, until";
        let hash = hashed(token);
        let row = sqlx::query(query)
            .bind(hash.as_slice())
            .bind(number(self.now()))
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let (by, until) = (row.try_get(2)?, row.try_get::<i64, _>(3)?.cast_unsigned());
        let link = link_of(&row)?;
        if let Some(Link::Password(account)) = &link {
            let others = "delete from link where kind = 'password' and about = ?";
            sqlx::query(others).bind(account).execute(&self.pool).await?;
        }
        Ok(link.map(|link| Used { link, by, hash, until }))
    }
}

/// The words of a link: its kind, and what it is about.
fn words(link: &Link) -> (&'static str, &str) {
    match link {
        Link::Invitation(role) => ("invitation", role),
        Link::Password(account) => ("password", account),
    }
}

fn link_of(row: &sqlx::sqlite::SqliteRow) -> Result<Option<Link>, DoorError> {
    let (kind, about): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    Ok(match kind.as_str() {
        "invitation" => Some(Link::Invitation(about)),
        "password" => Some(Link::Password(about)),
        _ => None,
    })
}
