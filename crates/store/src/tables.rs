//! The tables of a log: made, brought up to date, and compared with those that a log has.

use std::time::Instant;

use sqlx::error::DatabaseError;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::OnceCell;

use crate::fault::StoreError;
use crate::trust::{FORM, untrusted};
use crate::waiting::Waiting;
use crate::writer::PATIENCE;

static STEPS: Migrator = sqlx::migrate!("migrations/sqlite");

/// Whose file it is.
const APPLICATION: i64 = 1_396_785_743;

/// What went wrong with the disk or the file, whatever was asked of it: `SQLite`'s codes.
const BUSY: i64 = 5;
const LOCKED: i64 = 6;
const OF_THE_DISK: [i64; 5] = [BUSY, LOCKED, IO, FULL, CANNOT_OPEN];
const IO: i64 = 10;
const FULL: i64 = 13;
const CANNOT_OPEN: i64 = 14;

/// The code without what it says in particular.
fn code(fault: &dyn DatabaseError) -> i64 {
    let code = fault.code().and_then(|code| code.parse::<i64>().ok());
    code.map_or(0, |code| code & 0xff)
}

/// Whether another program holds the file: it passes.
pub(crate) fn is_held(fault: &sqlx::Error) -> bool {
    matches!(fault, sqlx::Error::Database(fault) if [BUSY, LOCKED].contains(&code(&**fault)))
}

/// Makes the tables, or brings them up to this form. A file that another program holds is waited
/// for, but not for ever.
pub(crate) async fn make(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let (since, mut waiting) = (Instant::now(), Waiting::default());
    loop {
        let Err(fault) = STEPS.run(&mut *connection).await else { return Ok(()) };
        let fault = match of_the_disk(fault) {
            Ok(fault) => fault,
            Err(other) => return Err(other.into()),
        };
        if !is_held(&fault) {
            return Err(fault.into());
        }
        if since.elapsed() >= PATIENCE {
            return Err(StoreError::Busy(since.elapsed().as_secs()));
        }
        waiting.say();
    }
}

/// The fault of a step, if it is the disk's or another program's; otherwise the step itself is.
fn of_the_disk(fault: MigrateError) -> Result<sqlx::Error, MigrateError> {
    let own = |fault: &sqlx::Error| match fault.as_database_error() {
        Some(fault) => OF_THE_DISK.contains(&code(fault)),
        None => matches!(fault, sqlx::Error::Io(_)),
    };
    if let MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _) = &fault
        && !own(cause)
    {
        return Err(fault);
    }
    if let MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _) = fault {
        Ok(cause)
    } else {
        Err(fault)
    }
}

/// What a log has besides its rows: every table, index and trigger as it was made, by which steps,
/// and whose file it is in which form.
#[derive(Debug, PartialEq, Eq)]
struct Schema {
    objects: Vec<String>,
    steps: Vec<(i64, bool, Vec<u8>)>,
    whose: i64,
    form: i64,
}

impl Schema {
    async fn of(connection: &mut SqliteConnection) -> Result<Self, StoreError> {
        let objects = "select cast(type || ' ' || name || ' ' || coalesce(sql, '') as blob) \
             from sqlite_schema order by type, name";
        let objects: Vec<Vec<u8>> = sqlx::query_scalar(objects).fetch_all(&mut *connection).await?;
        let objects: Vec<_> =
            objects.iter().map(|object| String::from_utf8_lossy(object).into_owned()).collect();
        // Whoever altered that table altered its columns too: then there is nothing to be read.
        let steps = "select version, success, checksum from _sqlx_migrations order by version";
        let steps = sqlx::query_as(steps).fetch_all(&mut *connection).await.unwrap_or_default();
        let whose = "pragma application_id";
        let whose: i64 = sqlx::query_scalar(whose).fetch_one(&mut *connection).await?;
        let form: i64 = sqlx::query_scalar("pragma user_version").fetch_one(connection).await?;
        Ok(Self { objects, steps, whose, form })
    }

    /// Of a log that is made anew, up to a step.
    async fn due(upto: i64) -> Result<Self, StoreError> {
        let mut fresh = SqliteConnectOptions::new().in_memory(true).connect().await?;
        STEPS.run_to(upto, &mut fresh).await?;
        let due = Self::of(&mut fresh).await?;
        fresh.close().await?;
        Ok(due)
    }
}

/// A log has exactly its own tables, indexes and triggers: nothing less, nothing more, nothing
/// else, made by the same steps.
pub(crate) async fn check(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    static DUE: OnceCell<Schema> = OnceCell::const_new();
    let due = DUE.get_or_try_init(|| Schema::due(FORM)).await?;
    debug_assert_eq!((due.whose, due.form), (APPLICATION, FORM), "what the steps make");
    compare(connection, due).await
}

/// The same of a log of the first form.
pub(crate) async fn check_first(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    static DUE: OnceCell<Schema> = OnceCell::const_new();
    let due = DUE.get_or_try_init(|| Schema::due(1)).await?;
    compare(connection, due).await
}

async fn compare(connection: &mut SqliteConnection, due: &Schema) -> Result<(), StoreError> {
    if Schema::of(connection).await? == *due {
        return Ok(());
    }
    untrusted("its tables are not those of a log, or were altered")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cause is told, and not that the file were somebody else's.
    #[tokio::test]
    async fn a_full_disk_is_no_foreign_file() {
        let mut small = SqliteConnectOptions::new().in_memory(true).connect().await.expect("a log");
        sqlx::query("pragma max_page_count = 6").execute(&mut small).await.expect("a limit");
        let fault = make(&mut small).await.expect_err("there is no room");
        assert!(matches!(fault, StoreError::Database(_)), "{fault}");
        assert!(fault.to_string().contains("database or disk is full"), "{fault}");
    }
}
