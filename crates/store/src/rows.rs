//! Records as they stand in the file, byte for byte.

use shoe::Digest;
use sqlx::Row;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use crate::chain::Broken;
use crate::fault::StoreError;
use crate::insert::digest;
use crate::record::Record;

/// Records that are read at once.
const PAGE: i64 = 2048;

/// As bytes: text that is none was not written by us.
const COLUMNS: &str = "cast(stream as blob), version, at, cast(actor as blob), \
     cast(key as blob), cast(schema as blob), cast(body as blob), hash";

/// The names of all streams, each looked up behind the one before.
const NAMES: &str = "with recursive name(is_) as (select min(stream) from log union all \
     select (select min(stream) from log where stream > is_) from name where is_ is not null) \
     select cast(is_ as blob) from name where is_ is not null";

/// The last record of a stream, and the one before it.
fn last_two_of() -> String {
    format!("select {COLUMNS} from log where stream = ? order by version desc limit 2")
}

/// Some records of a stream behind a version.
fn page_of() -> String {
    format!("select {COLUMNS} from log where stream = ? and version > ? order by version limit ?")
}

/// The names of all streams; and those that are no text, made readable, which the house never
/// wrote.
pub(crate) async fn streams(
    connection: &mut SqliteConnection,
) -> Result<(Vec<String>, Vec<String>), StoreError> {
    let names: Vec<Vec<u8>> = sqlx::query_scalar(NAMES).fetch_all(connection).await?;
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    for name in names {
        match String::from_utf8(name) {
            Ok(name) => texts.push(name),
            Err(other) => others.push(String::from_utf8_lossy(other.as_bytes()).into_owned()),
        }
    }
    Ok((texts, others))
}

fn not_text(what: &str) -> StoreError {
    StoreError::Untrusted(format!("{what} is not UTF-8"))
}

/// The last record of a stream, and the one before it.
pub(crate) async fn last_two(
    connection: &mut SqliteConnection,
    stream: &str,
) -> Result<Vec<Record>, StoreError> {
    let query = sqlx::query(sqlx::AssertSqlSafe(last_two_of())).bind(stream);
    query.fetch_all(connection).await?.iter().map(record).collect()
}

/// The first record of a stream that has this schema.
pub(crate) async fn first_of(
    connection: &mut SqliteConnection,
    stream: &str,
    schema: &str,
) -> Result<Option<Record>, StoreError> {
    let query = format!(
        "select {COLUMNS} from log where stream = ? and schema = ? order by version limit 1"
    );
    let query = sqlx::query(sqlx::AssertSqlSafe(query)).bind(stream).bind(schema);
    query.fetch_optional(connection).await?.as_ref().map(record).transpose()
}

/// The hash of a record, as the file has it.
pub(crate) async fn hash_of(
    connection: &mut SqliteConnection,
    stream: &str,
    version: u64,
) -> Result<Option<Digest>, StoreError> {
    let query = "select hash from log where stream = ? and version = ?";
    let version = i64::try_from(version).unwrap_or(i64::MAX);
    let query = sqlx::query_scalar::<_, Vec<u8>>(query).bind(stream).bind(version);
    Ok(query.fetch_optional(connection).await?.map(|hash| digest(&hash)))
}

/// Some records of a stream behind a version; none if there are no more.
pub(crate) async fn page(
    connection: &mut SqliteConnection,
    stream: &str,
    after: u64,
) -> Result<Vec<Result<Record, Broken>>, StoreError> {
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let query = sqlx::query(sqlx::AssertSqlSafe(page_of())).bind(stream).bind(after).bind(PAGE);
    let rows = query.fetch_all(connection).await?;
    let read = |row: &SqliteRow| {
        record(row).map_err(|_| {
            let version = row.try_get::<i64, _>(1).map_or(0, i64::cast_unsigned);
            Broken::Altered { stream: stream.into(), version }
        })
    };
    Ok(rows.iter().map(read).collect())
}

/// The records of a stream behind a version.
pub(crate) async fn records(
    connection: &mut SqliteConnection,
    stream: &str,
    after: u64,
) -> Result<Vec<Record>, StoreError> {
    let (mut all, mut after) = (Vec::new(), after);
    loop {
        let page = page(connection, stream, after).await?;
        if page.is_empty() {
            return Ok(all);
        }
        for record in page {
            let record = record.map_err(|broken| StoreError::Untrusted(broken.to_string()))?;
            after = record.version;
            all.push(record);
        }
    }
}

fn record(row: &SqliteRow) -> Result<Record, StoreError> {
    // A number below zero was never written; it must not pass for one that was.
    let number = |at: usize| row.try_get::<i64, _>(at).map(i64::cast_unsigned);
    let text = |at: usize| {
        let bytes = row.try_get::<Vec<u8>, _>(at)?;
        String::from_utf8(bytes).map_err(|_| not_text("a record"))
    };
    Ok(Record {
        stream: text(0)?,
        version: number(1)?,
        at: number(2)?,
        actor: text(3)?,
        key: text(4)?,
        schema: text(5)?,
        body: text(6)?,
        hash: digest(row.try_get(7)?),
    })
}

#[cfg(test)]
mod tests {
    use sqlx::ConnectOptions;
    use sqlx::sqlite::SqliteConnectOptions;

    use super::*;

    /// However long the log is: heads, names and pages are looked up, and nothing is sorted.
    #[tokio::test]
    async fn no_statement_goes_through_the_whole_log() {
        let options = SqliteConnectOptions::new().in_memory(true);
        let mut log = options.connect().await.expect("a log");
        crate::tables::make(&mut log).await.expect("its tables");
        for query in [NAMES.to_owned(), last_two_of(), page_of()] {
            let plan = sqlx::AssertSqlSafe(format!("explain query plan {query}"));
            let plan = sqlx::query(plan).fetch_all(&mut log).await.expect("a plan");
            let steps: Vec<String> = plan.iter().map(|step| step.get(3)).collect();
            assert!(steps.iter().any(|step| step.starts_with("SEARCH log")), "{steps:?}");
            let slow = |step: &String| step.contains("SCAN log") || step.contains("TEMP B-TREE");
            assert!(!steps.iter().any(slow), "{query}: {steps:?}");
        }
    }
}
