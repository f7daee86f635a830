//! A log of the first form, which nobody signed: it is checked and judged from its first record,
//! copied, and only then brought up to this form. One that does not hold is left as it is.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use shoe::{Digest, ShoeFact};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};

use crate::beside;
use crate::body::{Body, Head};
use crate::chain::verify_chain;
use crate::fault::StoreError;
use crate::reading::make_own;
use crate::record::Record;
use crate::rows::{records, streams};
use crate::tables;
use crate::trust::{FORM, Trusted, untrusted};
use crate::verify::verify;
use crate::{ACCOUNT, CHECKPOINTS, HOUSE};

/// A log of the first form, before it is taken over.
#[derive(Clone, Debug, Default)]
pub struct FirstForm {
    /// Every stream but the checkpoints, with all its records.
    pub streams: Vec<(String, Vec<Record>)>,
}

/// Judges a log of the first form again, before it is taken over: an error says why it is not.
pub type Judge = fn(&FirstForm) -> Result<(), StoreError>;

/// Whoever cannot judge takes over only what has nothing to be judged.
pub(crate) fn judge_nothing(form: &FirstForm) -> Result<(), StoreError> {
    let told = |record: &Record| ["answer/1", "line/1"].contains(&record.schema.as_str());
    for (stream, records) in &form.streams {
        if !records.iter().all(told) {
            let why = format!("{stream} is of the first form: go on with it before anything else");
            return untrusted(why);
        }
    }
    Ok(())
}

/// Everything that can be known of a log of the first form holds, and it is copied. Gives what is
/// kept beside the key while it is taken over.
pub(crate) async fn prepare(
    connection: &mut SqliteConnection,
    path: &Path,
    judge: Judge,
) -> Result<beside::Kept, StoreError> {
    tables::check_first(connection).await?;
    let (ends, form) = take_over(connection).await?;
    check_whole(connection).await?;
    judge(&form)?;
    let kept = beside::Kept::taking_over(&ends);
    back_up(connection, path, &kept).await?;
    Ok(kept)
}

/// Chains, books and commands of a log that nobody signed.
pub(crate) async fn check_whole(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    match verify(connection, None).await?.broken.first() {
        Some(broken) => untrusted(broken.to_string()),
        None => Ok(()),
    }
}

/// A file beside the log, whose name begins as the log's.
fn beside_log(path: &Path, end: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(end);
    path.with_file_name(name)
}

/// Whether a file is a copy of the log that ends so.
async fn is_copy(file: &Path, ends: &beside::Kept) -> bool {
    let options = SqliteConnectOptions::new().filename(file).read_only(true).immutable(true);
    let Ok(mut copy) = options.connect().await else { return false };
    let same = match take_over(&mut copy).await {
        Ok((found, _)) => beside::Kept::taking_over(&found) == *ends,
        Err(_) => false,
    };
    let same = same && check_whole(&mut copy).await.is_ok();
    let _ = copy.close().await;
    same
}

/// A log that is brought up to this form is copied first: under another name until the copy is
/// whole and on the disk.
async fn back_up(
    connection: &mut SqliteConnection,
    path: &Path,
    ends: &beside::Kept,
) -> Result<(), StoreError> {
    let to = beside_log(path, &format!(".before-{FORM}"));
    if to.symlink_metadata().is_ok() {
        // An earlier attempt was interrupted behind it, if it is of this log.
        if is_copy(&to, ends).await {
            return Ok(());
        }
        let why = std::io::Error::other("it is there, and is no copy of this log; move it away");
        return Err(StoreError::File { path: to, why });
    }
    let part = beside_log(path, &format!(".before-{FORM}.part"));
    let fault = |why| StoreError::File { path: part.clone(), why };
    match std::fs::remove_file(&part) {
        Err(why) if why.kind() != std::io::ErrorKind::NotFound => return Err(fault(why)),
        Ok(()) | Err(_) => {}
    }
    make_own(&part)?;
    let name = part.to_string_lossy().into_owned();
    sqlx::query("vacuum into ?").bind(name).execute(connection).await?;
    if !is_copy(&part, ends).await {
        return Err(fault(std::io::Error::other("the copy is not the same as the log")));
    }
    std::fs::File::open(&part).and_then(|file| file.sync_all()).map_err(fault)?;
    std::fs::rename(&part, &to).map_err(fault)?;
    beside::sync_folder(&to).map_err(|why| StoreError::File { path: to, why })
}

/// Whether the file is one that a program of ours can go on with, and in which form; nothing for a
/// log that is not begun, or whose beginning was interrupted.
pub(crate) async fn form(
    connection: &mut SqliteConnection,
    path: &Path,
) -> Result<Option<i64>, StoreError> {
    let tables = "select name from sqlite_schema where type = 'table' order by name";
    let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(&mut *connection).await?;
    let has = |name: &str| tables.iter().any(|table| table == name);
    match (has("_sqlx_migrations"), has("log")) {
        (false, false) if tables.is_empty() => return Ok(None),
        (true, false) if tables.len() == 1 => return Ok(None),
        (true, true) => {}
        // A database that somebody else uses stays as it is.
        (false, _) | (true, false) => return Err(StoreError::NotALog(path.into())),
    }
    let begun = "select count(*) from (select 1 from log limit 1)";
    let begun: i64 = sqlx::query_scalar(begun).fetch_one(&mut *connection).await?;
    let form: i64 = sqlx::query_scalar("pragma user_version").fetch_one(connection).await?;
    // What the file calls itself must be what it is.
    if form < FORM && (form != 0 || has("snapshot")) {
        return Err(StoreError::Untrusted("it says of itself what it is not".into()));
    }
    Ok(Some(form).filter(|_| begun > 0))
}

/// Whether a log has nothing of the house in it: it is new, of the first form, or was just brought
/// up to the second and the program stopped.
pub(crate) async fn is_unsigned(connection: &mut SqliteConnection) -> Result<bool, StoreError> {
    let house = "select count(*) from (select 1 from log where stream = 'house' limit 1)";
    let house: i64 = sqlx::query_scalar(house).fetch_one(&mut *connection).await?;
    let marked = "select count(*) from (select 1 from command where number > 0 limit 1)";
    let marked: i64 = sqlx::query_scalar(marked).fetch_one(connection).await?;
    Ok(house == 0 && marked == 0)
}

/// Whether a log of the first form can have such a record. Whatever the house signed is no longer
/// taken for unsigned: neither under its own schema nor under an older one.
fn is_of_the_first_form(record: &Record) -> Result<bool, StoreError> {
    let schemas = [
        "book/1",
        "book/2",
        "line/1",
        "table/1",
        "table/2",
        "table/3",
        "tournament/1",
        "tournament/2",
        "shoe/1",
        "checkpoint/1",
        "answer/1",
    ];
    if record.stream == HOUSE
        || record.stream.starts_with(ACCOUNT)
        || !schemas.contains(&record.schema.as_str())
    {
        return Ok(false);
    }
    Ok(match record.read()? {
        Body::Shoe(fact) => match fact {
            ShoeFact::Committed { binds, .. } => binds.is_none(),
            ShoeFact::Mixed { .. }
            | ShoeFact::Dealt { .. }
            | ShoeFact::Opened(_)
            | ShoeFact::Revealed { .. } => true,
            ShoeFact::Listed { .. }
            | ShoeFact::Ordered { .. }
            | ShoeFact::CutByChance { .. }
            | ShoeFact::Abandoned(_) => false,
        },
        Body::Checkpoint(heads) => {
            heads.signature.is_none() && heads.key.is_none() && heads.commands.is_none()
        }
        Body::Book(_) | Body::Line(_) | Body::Table(_) | Body::Tournament(_) | Body::Answer(_) => {
            true
        }
        Body::Key(_)
        | Body::Restored(_)
        | Body::Setup(_)
        | Body::Act(_)
        | Body::Refused(_)
        | Body::Proposed(_)
        | Body::TournamentAct(_)
        | Body::TournamentRefused(_)
        | Body::Account(_)
        | Body::TableShoe(_) => false,
    })
}

/// Rows that only a log of this form has.
async fn check_nothing_newer(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    for table in ["person", "snapshot", "balance"] {
        let there = "select count(*) from sqlite_schema where type = 'table' and name = ?";
        let there: i64 = sqlx::query_scalar(there).bind(table).fetch_one(&mut *connection).await?;
        if there == 0 {
            continue;
        }
        let rows = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        let rows: i64 = sqlx::query_scalar(rows).fetch_one(&mut *connection).await?;
        if rows > 0 {
            return untrusted(format!("nobody signed it, and the house has written its {table}s"));
        }
    }
    Ok(())
}

/// Where every stream of a log of the first form ends. It has no signature, so every chain and
/// checkpoint is checked from its first record, and nothing is in it that came later.
pub(crate) async fn take_over(
    connection: &mut SqliteConnection,
) -> Result<(Trusted, FirstForm), StoreError> {
    let mut trusted = Trusted::default();
    let mut known: Vec<Head> = Vec::new();
    let mut chains: HashMap<String, Vec<Digest>> = HashMap::new();
    let mut form = FirstForm::default();
    check_nothing_newer(connection).await?;
    let (names, others) = streams(connection).await?;
    if let Some(other) = others.first() {
        return untrusted(format!("the name of the stream `{other}` is not UTF-8"));
    }
    for stream in names {
        let all = records(connection, &stream, 0).await?;
        for record in &all {
            if !is_of_the_first_form(record)? {
                let Record { stream, version, schema, .. } = record;
                let what = format!("{stream} has `{schema}` in record {version}");
                return untrusted(what + ", but nothing that the house signed");
            }
        }
        let end =
            verify_chain(&stream, &all).map_err(|why| StoreError::Untrusted(why.to_string()))?;
        if stream == CHECKPOINTS {
            trusted.checkpoint = (all.len() as u64, end);
            for record in &all {
                let Body::Checkpoint(heads) = record.read()? else {
                    return untrusted("a checkpoint that is none");
                };
                known.extend(heads.heads);
            }
        } else {
            trusted.heads.insert(stream.clone(), (all.len() as u64, end));
        }
        chains.insert(stream.clone(), all.iter().map(|record| record.hash).collect());
        form.streams.push((stream, all));
    }
    for Head { stream, version, hash } in known {
        let at = usize::try_from(version).unwrap_or(usize::MAX).wrapping_sub(1);
        if chains.get(&stream).and_then(|chain| chain.get(at)) != Some(&hash) {
            return untrusted(format!("{stream} is not as a checkpoint knows it"));
        }
    }
    trusted.former.clone_from(&trusted.heads);
    form.streams.retain(|(stream, _)| stream != CHECKPOINTS);
    Ok((trusted, form))
}
