//! The commands that were carried out, as the file has them. A row is trusted only as far as the
//! records bear it out: a forged one would pass for a command that was never carried out.

use std::collections::HashMap;

use shoe::Digest;
use sqlx::sqlite::SqliteConnection;
use sqlx::{QueryBuilder, Row, Sqlite};

use crate::body::{Body, Head};
use crate::chain::{Broken, START};
use crate::fault::StoreError;
use crate::insert::{digest, name_of, pieces};
use crate::record::{CommandKey, Record};
use crate::rows::{first_of, hash_of};
use crate::trust::{is_signed_checkpoint, untrusted};
use crate::writer::Known;
use crate::{CHECKPOINTS, HOUSE};

/// The newest commands, which a start looks for through the index.
const NEWEST: i64 = 64;

/// A row of the first form, as the migration makes it.
const FORMER: &str = "c.name = 0 and c.parts = '' and c.mac = x''";

/// All records of a command are there.
const ALL_HOLD: &str = "c.first between 1 and c.last and c.last - c.first + 1 = \
     (select count(*) from log l where l.stream = c.stream and \
     l.version between c.first and c.last and l.actor = c.actor and l.key = c.key)";

/// The first and the last record of a command are its own.
const ENDS_HOLD: &str = "c.first between 1 and c.last and 2 = (select count(*) from \
     (select c.first as is_ union all select c.last) v join log l on l.stream = c.stream and \
     l.version = v.is_ and l.actor = c.actor and l.key = c.key)";

/// A command that was carried out before.
pub(crate) struct Before {
    pub(crate) payload: Digest,
    pub(crate) versions: (u64, u64),
    /// Whether the log has its records.
    pub(crate) holds: bool,
}

/// What became of commands before, by actor and key, looked up for all of them at once. `former` is
/// how far the streams had come when the house first signed.
pub(crate) async fn look_up(
    connection: &mut SqliteConnection,
    asked: &[&CommandKey],
    former: &Known,
) -> Result<HashMap<(String, String), Before>, StoreError> {
    let mut known = HashMap::new();
    for asked in pieces(asked) {
        let mut query: QueryBuilder<Sqlite> = QueryBuilder::new("with asked (n, a, k) as (");
        query.push_values(asked, |mut row, command| {
            row.push_bind(name_of(&command.actor, &command.key))
                .push_bind(&command.actor)
                .push_bind(&command.key);
        });
        let columns = "c.actor, c.key, c.payload, c.first, c.last, c.number, c.stream";
        query.push(format!(
            ") select {columns}, {ENDS_HOLD} from asked cross join command c \
             on c.name = n and c.name != 0 and c.actor = a and c.key = k and c.number > 0 \
             union all select {columns}, {FORMER} and {ALL_HOLD} from asked cross join command c \
             on c.actor = a and c.key = k and c.number < 0"
        ));
        for row in query.build().fetch_all(&mut *connection).await? {
            let version = |at: usize| u64::try_from(row.get::<i64, _>(at)).unwrap_or(0);
            let versions = (version(3), version(4));
            let signed = || former.get(row.get::<&str, _>(6)).map_or(0, |end| end.0);
            let in_time = row.get::<i64, _>(5) > 0 || versions.1 <= signed();
            let holds = in_time && row.get::<Option<i64>, _>(7) == Some(1);
            let before = Before { payload: digest(row.get(2)), versions, holds };
            known.insert((row.get(0), row.get(1)), before);
        }
    }
    Ok(known)
}

/// How far the streams had come when the house first signed: what the first form left. A log that
/// began in this form has nothing.
pub(crate) async fn ends_of_the_first_form(
    connection: &mut SqliteConnection,
    house: &[Record],
) -> Result<Known, StoreError> {
    let first = first_of(connection, CHECKPOINTS, "checkpoint/2").await?;
    let Some(Body::Key(key)) = house.first().map(Record::read).transpose()? else {
        return untrusted("the house's first record is no key");
    };
    let Some(first) = first else { return untrusted("it has no signed checkpoint") };
    let before = match first.version {
        0 | 1 => Some(START),
        version => hash_of(connection, CHECKPOINTS, version - 1).await?,
    };
    let Ok(Body::Checkpoint(heads)) = first.read() else {
        return untrusted(format!("checkpoint {} cannot be read", first.version));
    };
    let signed = before.is_some_and(|before| is_signed_checkpoint(&before, &first, &heads));
    if !signed || heads.key != Some(key.public) || heads.commands != Some(1) {
        let what = format!("checkpoint {} is not the first that the house signed", first.version);
        return untrusted(what);
    }
    Ok(without_the_house(heads.heads))
}

/// The ends of all streams but the house's own.
pub(crate) fn without_the_house(heads: Vec<Head>) -> Known {
    let others = heads.into_iter().filter(|head| head.stream != HOUSE);
    others.map(|head| (head.stream, (head.version, head.hash))).collect()
}

/// What a start checks of the commands, however many there are: none has a number that the house
/// never gave, and the newest are found by their names. An index that was emptied would let a
/// command be carried out twice.
pub(crate) async fn check_at_start(
    connection: &mut SqliteConnection,
    commands: u64,
    former: &Known,
) -> Result<(), StoreError> {
    let never = if former.is_empty() { "number <= 0" } else { "number = 0" };
    let query = format!("select count(*) from (select 1 from command where {never} limit 1)");
    let never: i64 =
        sqlx::query_scalar(sqlx::AssertSqlSafe(query)).fetch_one(&mut *connection).await?;
    if never > 0 {
        return untrusted("it has commands with numbers that the house never gave");
    }
    let last = i64::try_from(commands).unwrap_or(i64::MAX);
    let newest = "select count(*) from command c where c.number > ? and c.number <= ? and exists \
         (select 1 from command i indexed by command_by_name where i.name = c.name and \
         i.name != 0 and i.number = c.number)";
    let newest = sqlx::query_scalar::<_, i64>(newest).bind((last - NEWEST).max(0)).bind(last);
    let found = newest.fetch_one(&mut *connection).await?;
    let hidden = "select count(*) from (select actor, key, number from command where number < 0 \
         order by number desc limit ?) c where not exists (select 1 from command i indexed by \
         command_of_the_first_form where i.number < 0 and i.actor = c.actor and i.key = c.key and \
         i.number = c.number)";
    let hidden: i64 = sqlx::query_scalar(hidden).bind(NEWEST).fetch_one(&mut *connection).await?;
    if found != last.min(NEWEST) || hidden > 0 {
        return untrusted("its newest commands are not found by their names");
    }
    Ok(())
}

/// Commands of the first form that the log does not bear out. `numbered` says that the house has
/// given numbers since; `former` is how far the streams had come when it first signed.
pub(crate) async fn of_the_first_form(
    connection: &mut SqliteConnection,
    numbered: bool,
    former: Option<&Known>,
) -> Result<Vec<Broken>, StoreError> {
    let query = if numbered {
        format!(
            "select c.number, cast(c.stream as blob), c.last, c.number < 0 and {FORMER} and \
             {ALL_HOLD} from command c where c.number <= 0"
        )
    } else {
        format!("select 0, cast(c.stream as blob), c.last, {ALL_HOLD} from command c")
    };
    let mut faults = Vec::new();
    for row in sqlx::query(sqlx::AssertSqlSafe(query)).fetch_all(connection).await? {
        let number: i64 = row.try_get(0)?;
        let stream = String::from_utf8_lossy(row.try_get(1)?);
        let last = u64::try_from(row.try_get::<i64, _>(2)?).unwrap_or(u64::MAX);
        let end = former.map(|former| former.get(&*stream).map_or(0, |end| end.0));
        if row.try_get::<Option<i64>, _>(3)? != Some(1) || end.is_some_and(|end| last > end) {
            faults.push(Broken::Former { number });
        }
    }
    Ok(faults)
}

/// Commands that were carried out twice.
pub(crate) async fn repeated(connection: &mut SqliteConnection) -> Result<Vec<Broken>, StoreError> {
    let query = "select cast(actor as blob), cast(key as blob) from command \
         group by actor, key having count(*) > 1";
    let rows = sqlx::query(query).fetch_all(connection).await?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let twice = |row: &sqlx::sqlite::SqliteRow| {
        Ok(Broken::Twice { actor: text(row.try_get(0)?), key: text(row.try_get(1)?) })
    };
    rows.iter().map(twice).collect()
}

/// Whether the file is sound: every row is in its indexes, and every index has its rows. An index
/// that points to another tree hides what is there.
pub(crate) async fn unsound(
    connection: &mut SqliteConnection,
) -> Result<Option<Broken>, StoreError> {
    let found: String =
        sqlx::query_scalar("pragma integrity_check(1)").fetch_one(connection).await?;
    Ok((found != "ok").then(|| Broken::Schema(format!("the file is damaged: {found}"))))
}
