//! The statements by which the writer puts things into the file.

use shoe::Digest;
use sqlx::sqlite::SqliteConnection;
use sqlx::{QueryBuilder, Sqlite};

use crate::fault::StoreError;
use crate::record::{KeptBalance, Record, Snapshot, With};
use crate::seal::Key;
use crate::trust::Marked;
use crate::writer::Upkeep;

/// Rows of one statement: a few sizes only, so that statements are prepared once. There are ten
/// values a row at the most, and `SQLite` binds 32,766.
const ROWS: [usize; 6] = [2048, 512, 128, 32, 8, 1];

/// A short name by which a command is looked up: a number above zero.
pub(crate) fn name_of(actor: &str, key: &str) -> i64 {
    let hash = Digest::of(&[actor.as_bytes(), &[0], key.as_bytes()]);
    let bytes = hash.0.first_chunk().copied().unwrap_or_default();
    (i64::from_be_bytes(bytes) & i64::MAX).max(1)
}

/// Pieces of the sizes that statements have.
pub(crate) fn pieces<T>(mut rest: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = ROWS.into_iter().find(|size| *size <= rest.len())?;
        let (piece, behind) = rest.split_at(size);
        rest = behind;
        Some(piece)
    })
}

pub(crate) async fn insert_rows(
    to: &mut SqliteConnection,
    rows: &[Record],
) -> Result<(), StoreError> {
    for rows in pieces(rows) {
        let into = "insert into log (stream, version, at, actor, key, schema, body, hash) ";
        let mut insert: QueryBuilder<Sqlite> = QueryBuilder::new(into);
        insert.push_values(rows, |mut row, record| {
            row.push_bind(&record.stream)
                .push_bind(i64::try_from(record.version).unwrap_or(i64::MAX))
                .push_bind(i64::try_from(record.at).unwrap_or(i64::MAX))
                .push_bind(&record.actor)
                .push_bind(&record.key)
                .push_bind(&record.schema)
                .push_bind(&record.body)
                .push_bind(record.hash.0.as_slice());
        });
        insert.build().execute(&mut *to).await?;
    }
    Ok(())
}

pub(crate) async fn insert_commands(
    to: &mut SqliteConnection,
    commands: &[Marked],
    key: &Key,
) -> Result<(), StoreError> {
    for commands in pieces(commands) {
        let into = "insert into command (number, name, actor, key, payload, stream, first, last, \
             parts, mac) ";
        let mut insert: QueryBuilder<Sqlite> = QueryBuilder::new(into);
        insert.push_values(commands, |mut row, marked| {
            row.push_bind(i64::try_from(marked.number).unwrap_or(i64::MAX))
                .push_bind(name_of(&marked.command.actor, &marked.command.key))
                .push_bind(&marked.command.actor)
                .push_bind(&marked.command.key)
                .push_bind(marked.command.payload.0.as_slice())
                .push_bind(&marked.stream)
                .push_bind(i64::try_from(marked.versions.0).unwrap_or(i64::MAX))
                .push_bind(i64::try_from(marked.versions.1).unwrap_or(i64::MAX))
                .push_bind(&marked.parts)
                .push_bind(marked.mac(key).0.to_vec());
        });
        insert.build().execute(&mut *to).await?;
    }
    Ok(())
}

pub(crate) async fn keep_with(
    to: &mut SqliteConnection,
    with: &With,
    key: &Key,
) -> Result<(), StoreError> {
    match with {
        With::Book { sha256, canonical, files } => {
            let into = "insert into book (sha256, canonical, files) values (?, ?, ?) \
                 on conflict (sha256) do update set files = excluded.files where files is null";
            let query = sqlx::query(into).bind(sha256.0.as_slice()).bind(canonical).bind(files);
            query.execute(to).await?;
        }
        With::Secret { name, secret } => {
            let sealed = key.seal(name, secret)?;
            let into = "insert into sealed (name, box) values (?, ?)";
            sqlx::query(into).bind(name).bind(sealed).execute(to).await?;
        }
        With::Forgotten(name) => {
            sqlx::query("delete from sealed where name = ?").bind(name).execute(to).await?;
        }
        With::Person { account, name } => {
            let into = "insert into person (account, name) values (?, ?) \
                 on conflict (account) do update set name = excluded.name";
            sqlx::query(into).bind(account).bind(name).execute(to).await?;
        }
        With::Balance { account, version, cents } => {
            let into = "insert or replace into balance (account, version, cents) values (?, ?, ?)";
            let query = sqlx::query(into).bind(account);
            query.bind(signed(*version)).bind(signed(*cents)).execute(to).await?;
        }
    }
    Ok(())
}

/// A number as the file has it.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) async fn keep_up(from: &mut SqliteConnection, what: &Upkeep) -> Result<u64, StoreError> {
    let query = match what {
        Upkeep::Snapshot(stream) => {
            sqlx::query("delete from snapshot where stream = ?").bind(stream)
        }
        Upkeep::Balances => sqlx::query("delete from balance"),
        Upkeep::MissingBalance(KeptBalance { account, version, cents }) => {
            // Whoever changed the account meanwhile has kept a later one.
            let into = "insert or ignore into balance (account, version, cents) values (?, ?, ?)";
            sqlx::query(into).bind(account).bind(signed(*version)).bind(signed(*cents))
        }
        Upkeep::Name(name) => sqlx::query("delete from person where name = ?").bind(name),
    };
    Ok(query.execute(from).await?.rows_affected())
}

/// What marks a snapshot as the house's own.
pub(crate) fn snapshot_mac(key: &Key, stream: &str, end: (u64, &Digest), state: &str) -> Digest {
    let length = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes();
    let (version, hash) = end;
    key.mac(&[
        &length(stream),
        stream.as_bytes(),
        &version.to_be_bytes(),
        &hash.0,
        &length(state),
        state.as_bytes(),
    ])
}

pub(crate) async fn keep_snapshot(
    to: &mut SqliteConnection,
    snapshot: &Snapshot,
    hash: &Digest,
    key: &Key,
) -> Result<(), StoreError> {
    let Snapshot { stream, version, state } = snapshot;
    let mac = snapshot_mac(key, stream, (*version, hash), state);
    let into = "insert or replace into snapshot (stream, version, hash, state, mac) \
         values (?, ?, ?, ?, ?)";
    sqlx::query(into)
        .bind(stream)
        .bind(i64::try_from(*version).unwrap_or(i64::MAX))
        .bind(hash.0.as_slice())
        .bind(state)
        .bind(mac.0.as_slice())
        .execute(to)
        .await?;
    Ok(())
}

pub(crate) fn digest(bytes: &[u8]) -> Digest {
    Digest(bytes.try_into().unwrap_or([0; 32]))
}
