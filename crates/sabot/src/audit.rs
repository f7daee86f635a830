//! `sabot audit`: whether a session's log holds, and what it says.

mod history;
mod replay;
mod verify;
mod which;

use anyhow::{Context, Result, bail};
use audit::{Audit, Extract};
use serde_json::{Value, json};
use shoe::Digest;
use store::Store;

use crate::books::pretty;
use crate::cli::AuditCommand;
use crate::data::{Data, STREAM, name_of};
use crate::show::{Format, Style, count, lines, plain, strong, visible};
use crate::{DoesNotHold, Report};

pub(crate) fn run(command: &AuditCommand, format: Format, style: Style) -> Result<Report> {
    let tasks = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    tasks.block_on(async {
        match command {
            AuditCommand::List { data } => {
                list(&Data::folder(data.as_deref())?, format, style).await
            }
            AuditCommand::Verify { session, head } => {
                let store = open(session).await?;
                verify::verify(&store, head.as_deref(), format, style).await
            }
            AuditCommand::Replay { session, table, coup, shoe, output } => {
                let store = open(session).await?;
                let part = match (coup, shoe) {
                    (Some(coup), _) => Extract::Coup(*coup),
                    (None, Some(shoe)) => Extract::Shoe(*shoe),
                    (None, None) => Extract::All,
                };
                let which = (table.as_deref(), part);
                replay::replay(&store, which, output.as_deref(), format).await
            }
            AuditCommand::Shoe { session, table, number } => {
                shoe_record(&open(session).await?, table.as_deref(), *number).await
            }
            AuditCommand::Csv { session, table, player, output } => {
                let which = (table.as_deref(), player.as_deref());
                let store = open(session).await?;
                history::csv(&store, which, output.as_deref(), (format, style)).await
            }
            AuditCommand::Head { session } => head(&open(session).await?, format).await,
            AuditCommand::Key { session, change, lost } => {
                key(session, (*change, *lost), format).await
            }
            AuditCommand::Erase { name, session } => erase(session, name, format).await,
            AuditCommand::Log { session, books } => {
                log(&open(session).await?, *books, format).await
            }
        }
    })
}

async fn open(session: &crate::cli::SessionArguments) -> Result<Store> {
    let data = Data::folder(session.data.as_deref())?;
    // Everything that one command says is of one moment, also of a log that is in use.
    Ok(Store::view(&data.session(session.session.as_deref())?).await?)
}

/// The files of the book that a stream is judged by, as the log kept them.
async fn files_of(store: &Store, records: &[store::Record]) -> Result<Option<String>> {
    let kept = match audit::book_of(records).ok().flatten() {
        Some(book) => store.book(book.sha256).await?,
        None => None,
    };
    Ok(kept.and_then(|kept| kept.files))
}

/// The audit of a table, with the book that the log kept.
async fn audited(store: &Store, records: &[store::Record]) -> Result<Audit> {
    let files = files_of(store, records).await?;
    let stream = records.first().map_or(STREAM, |record| record.stream.as_str());
    let house = audit::House::read(store).await?;
    Ok(audit::audit_in(records, files.as_deref(), stream, &house)?)
}

async fn list(data: &Data, format: Format, style: Style) -> Result<Report> {
    let mut rows = Vec::new();
    for path in data.all_sessions()? {
        let name = name_of(&path);
        let told = match Store::view(&path).await {
            Ok(store) => match store.records(STREAM, 0).await {
                Ok(records) => audited(&store, &records).await,
                Err(fault) => Err(fault.into()),
            },
            Err(fault) => Err(fault.into()),
        };
        rows.push((name, told));
    }
    if format.is_json() {
        let mut each = Vec::new();
        for (session, told) in rows {
            each.push(match told {
                Ok(found) => json!({
                    "session": session, "book": found.book, "coups": found.coups,
                    "shoes": found.shoes.len(),
                }),
                Err(fault) => json!({ "session": session, "error": fault.to_string() }),
            });
        }
        return Ok(pretty(&each.into()).into());
    }
    if rows.is_empty() {
        let option = data.option();
        return Ok(format!("no session yet; `sabot play{option}` begins one\n").into());
    }
    let mut table = style.table();
    table.set_header(["session", "book", "coups", "shoes"].map(strong));
    for (name, told) in rows {
        match told {
            Ok(Audit { book, coups, shoes, .. }) => table.add_row([
                strong(name),
                plain(visible(&book)),
                plain(coups),
                plain(shoes.len()),
            ]),
            Err(fault) => table.add_row([
                strong(name),
                plain(visible(&fault.to_string())),
                plain(""),
                plain(""),
            ]),
        };
    }
    Ok(lines(&mut table, &[]).into())
}

/// A head that somebody kept: version and hash.
pub(crate) fn kept(said: Option<&str>) -> Result<Option<(u64, Digest)>> {
    let Some(said) = said else { return Ok(None) };
    let parts = said.split_once(':');
    let read = parts.and_then(|(version, hash)| Some((version.parse().ok()?, Digest::read(hash)?)));
    let why = "a head is a number from 1 on, a colon and 64 hexadecimal digits, as `sabot audit \
               head` prints";
    // The first checkpoint is 1: there is nothing that a head 0 could cover.
    read.filter(|(version, _)| *version > 0).map(Some).context(why)
}

/// A head as people keep it.
pub(crate) fn said(head: &store::Head) -> String {
    format!("{}:{}", head.version, head.hash)
}

async fn shoe_record(store: &Store, table: Option<&str>, number: Option<usize>) -> Result<Report> {
    let found = audited(store, &which::table(store, table).await?).await?;
    let count = found.shoes.len();
    let number = number.unwrap_or(count);
    let shoe = number.checked_sub(1).and_then(|at| found.shoes.get(at));
    let shoe = shoe.with_context(|| match count {
        0 => "the table has had no shoe yet; one comes when somebody plays".to_owned(),
        _ => format!("there is no shoe {number}; the table has had {count}"),
    })?;
    Ok(pretty(&serde_json::to_value(&shoe.record)?).into())
}

async fn head(store: &Store, format: Format) -> Result<Report> {
    let broken = store.verify(None).await?.broken;
    if let Some(first) = broken.first() {
        bail!(DoesNotHold(format!("a head of a log that does not hold is worth nothing: {first}")));
    }
    let head = store.head().await?;
    let head = head.context("no checkpoint yet; a session has one when it was stopped in order")?;
    if format.is_json() {
        let (version, hash) = (head.version, head.hash.to_string());
        return Ok(pretty(&json!({ "version": version, "hash": hash })).into());
    }
    Ok(format!("{}\n", said(&head)).into())
}

/// The key that the house signs with, or a new one.
async fn key(
    session: &crate::cli::SessionArguments,
    (change, lost): (bool, bool),
    format: Format,
) -> Result<Report> {
    if change || lost {
        let data = Data::folder(session.data.as_deref())?;
        let log = data.session(session.session.as_deref())?;
        let key = crate::data::key_of(&log);
        if lost {
            store::replace_lost_key(&log, &key, verify::accepts).await?;
        } else {
            store::change_key(&log, &key).await?;
        }
    }
    let store = open(session).await?;
    let mut keys = Vec::new();
    for record in store.records(store::HOUSE, 0).await? {
        if let store::Body::Key(key) = record.read()? {
            keys.push(key.public.to_string());
        }
    }
    let newest = keys.last().cloned();
    let newest = newest.context("a log of the first form, which nobody signed; go on with it")?;
    if format.is_json() {
        return Ok(pretty(&json!({ "key": newest, "all": keys })).into());
    }
    Ok(format!("{newest}\n").into())
}

/// Takes a name out of a session.
async fn erase(
    session: &crate::cli::SessionArguments,
    name: &str,
    format: Format,
) -> Result<Report> {
    let data = Data::folder(session.data.as_deref())?;
    let log = data.session(session.session.as_deref())?;
    let (key, begin) = (crate::data::key_of(&log), store::Begin::Either);
    let store = Store::open_judged(&log, &key, begin, ::audit::judge_first_form).await?;
    let erased = store.erase(name).await;
    store.close().await;
    let erased = erased?;
    if erased == 0 {
        bail!("nobody is called `{}` in {}", visible(name), log.display());
    }
    if format.is_json() {
        return Ok(pretty(&json!({ "erased": erased })).into());
    }
    Ok(format!("erased; the log has {} without a name now\n", count(erased, "account")).into())
}

/// Every record as JSON, with its body as it is stored: one a line, or with `--json` all of them in
/// one list.
async fn log(store: &Store, books: bool, format: Format) -> Result<Report> {
    let (mut records, mut known) = (Vec::new(), Vec::new());
    for stream in store.streams().await? {
        for record in store.records(&stream, 0).await? {
            if let (true, Ok(store::Body::Book(book))) = (books, record.read())
                && !known.contains(&book.sha256)
            {
                known.push(book.sha256);
            }
            records.push(json!({
                "stream": record.stream, "version": record.version, "at": record.at,
                "actor": record.actor, "key": record.key, "schema": record.schema,
                "body": record.body, "hash": record.hash.to_string(),
            }));
        }
    }
    for sha256 in known {
        if let Some(book) = store.book(sha256).await? {
            let sha256 = sha256.to_string();
            records.push(json!({ "sha256": sha256, "canonical": book.canonical }));
        }
    }
    if format.is_json() {
        return Ok(pretty(&records.into()).into());
    }
    let line =
        |text: String, record: &Value| text + &crate::json::harmless(&record.to_string()) + "\n";
    Ok(records.iter().fold(String::new(), line).into())
}
