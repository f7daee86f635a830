//! A log as lines of text, and a log from such lines: to carry it elsewhere, or to keep it in a
//! form that any program reads. The states that can be made anew from the records are left out.

use std::path::Path;

use futures_util::TryStreamExt as _;
use serde_json::Value;
use shoe::Digest;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, Connection as _};

use crate::fault::StoreError;
use crate::lock::{Begin, Lock};
use crate::log::Store;
use crate::tables;
use crate::verify::{Verified, verify};

/// A table of the file: its columns, those of bytes apart, and how its rows are ordered.
struct Carried {
    table: &'static str,
    columns: &'static [&'static str],
    bytes: &'static [&'static str],
    order: &'static str,
}

const CARRIED: [Carried; 5] = [
    Carried {
        table: "log",
        columns: &["stream", "version", "at", "actor", "key", "schema", "body"],
        bytes: &["hash"],
        order: "stream, version",
    },
    Carried {
        table: "command",
        columns: &["number", "name", "actor", "key", "stream", "first", "last", "parts"],
        bytes: &["payload", "mac"],
        order: "number",
    },
    Carried {
        table: "book",
        columns: &["canonical", "files"],
        bytes: &["sha256"],
        order: "sha256",
    },
    Carried { table: "person", columns: &["account", "name"], bytes: &[], order: "account" },
    Carried { table: "sealed", columns: &["name"], bytes: &["box"], order: "name" },
];

impl Carried {
    /// Selects every row as a line of JSON; bytes are hexadecimal digits.
    fn lines(&self) -> String {
        let mut fields = vec![format!("'in', '{}'", self.table)];
        fields.extend(self.columns.iter().map(|column| format!("'{column}', {column}")));
        fields.extend(self.bytes.iter().map(|column| format!("'{column}', lower(hex({column}))")));
        let (fields, table, order) = (fields.join(", "), self.table, self.order);
        format!("select json_object({fields}) from {table} order by {order}")
    }

    /// Inserts a row from its line.
    fn insert(&self) -> String {
        let values = self.columns.iter().map(|column| format!("?1 ->> '{column}'"));
        let bytes = self.bytes.iter().map(|column| format!("unhex(?1 ->> '{column}')"));
        let values: Vec<_> = values.chain(bytes).collect();
        let columns = [self.columns, self.bytes].concat().join(", ");
        format!("insert into {} ({columns}) values ({})", self.table, values.join(", "))
    }
}

impl Store {
    /// Gives every row of the log as a line of JSON, `in` being its table. Secrets stay in their
    /// sealed boxes.
    ///
    /// # Errors
    ///
    /// When the log cannot be read, or is of the first form, or a line is not taken.
    pub async fn export(
        &self,
        mut line: impl FnMut(&str) -> std::io::Result<()>,
    ) -> Result<u64, StoreError> {
        let mut line =
            |row: &str| line(row).map_err(|why| StoreError::File { path: self.path().into(), why });
        let mut connection = self.pool().acquire().await?;
        if self.is_view() {
            return carry(&mut connection, &mut line).await;
        }
        // All tables as of one moment: what is written meanwhile is in none of them.
        let mut moment = connection.begin().await?;
        let lines = carry(&mut moment, &mut line).await?;
        moment.rollback().await?;
        Ok(lines)
    }
}

async fn carry(
    connection: &mut SqliteConnection,
    line: &mut impl FnMut(&str) -> Result<(), StoreError>,
) -> Result<u64, StoreError> {
    let mut lines = 0;
    for carried in &CARRIED {
        let query = sqlx::query_scalar::<_, String>(AssertSqlSafe(carried.lines()));
        let mut rows = query.fetch(&mut *connection);
        while let Some(row) = rows.try_next().await? {
            line(&row)?;
            lines += 1;
        }
    }
    Ok(lines)
}

/// Makes a log from the lines of an export, and checks it: the whole log holds, or there is none.
/// It is gone on with under the key of the house that wrote it. Only a head that somebody kept
/// tells whether the end was left out.
///
/// # Errors
///
/// When there is a file already, a line is none of an export, or the log does not hold.
pub async fn import(
    path: &Path,
    lines: impl Iterator<Item = std::io::Result<String>>,
    kept: Option<(u64, Digest)>,
) -> Result<Verified, StoreError> {
    let lock = Lock::take(path, Begin::New)?;
    let taken = take(path, lines, kept).await;
    if taken.is_err() {
        // What does not hold is not left behind. Without the lock the file could be somebody else's
        // by now.
        let _ = std::fs::remove_file(path);
    }
    drop(lock);
    taken
}

async fn take(
    path: &Path,
    lines: impl Iterator<Item = std::io::Result<String>>,
    kept: Option<(u64, Digest)>,
) -> Result<Verified, StoreError> {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let mut connection = SqliteConnection::connect_with(&options).await?;
    let taken = write(&mut connection, path, lines, kept).await;
    // Nobody has the file open when it is taken away.
    connection.close().await?;
    let found = taken?;
    match found.broken.first() {
        Some(broken) => Err(StoreError::Untrusted(broken.to_string())),
        None if found.records == 0 => Err(StoreError::Untrusted("it has no record".into())),
        None => Ok(found),
    }
}

/// Writes the lines into a log of its own, and checks it.
async fn write(
    connection: &mut SqliteConnection,
    path: &Path,
    lines: impl Iterator<Item = std::io::Result<String>>,
    kept: Option<(u64, Digest)>,
) -> Result<Verified, StoreError> {
    tables::make(connection).await?;
    let inserts = CARRIED.each_ref().map(|carried| (carried.table, carried.insert()));
    let mut transaction = connection.begin().await?;
    for (line, number) in lines.zip(1_u64..) {
        let line = line.map_err(|why| StoreError::File { path: path.into(), why })?;
        let other = |why: &str| StoreError::Untrusted(format!("line {number}: {why}"));
        let value: Value = serde_json::from_str(&line).map_err(|_| other("it is no JSON"))?;
        let table = value["in"].as_str().unwrap_or_default();
        let insert = inserts.iter().find(|(name, _)| *name == table);
        let (_, insert) = insert.ok_or_else(|| other("it is none of an export"))?;
        let query = sqlx::query(AssertSqlSafe(insert.as_str())).bind(&line);
        query.execute(&mut *transaction).await.map_err(|fault| other(&fault.to_string()))?;
    }
    transaction.commit().await?;
    verify(connection, kept).await
}
