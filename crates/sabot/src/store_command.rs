//! `sabot store`: the log of a floor, for whoever runs it: check, copy, carry, count.

use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::json;
use shoe::Digest;
use store::Store;

use crate::books::pretty;
use crate::cli::{AuditCommand, SessionArguments, StoreArguments, StoreCommand};
use crate::data::{Data, FLOOR, quoted};
use crate::show::{Format, Style, count, visible};
use crate::{DoesNotHold, Report};

/// The log that is meant: the one that was named, that of the floor, or the newest session.
fn log_of(arguments: &StoreArguments) -> Result<PathBuf> {
    let data = Data::folder(arguments.data.as_deref())?;
    let floor = data.floor().join(FLOOR);
    match &arguments.log {
        None if floor.is_file() => Ok(floor),
        said => data.session(said.as_deref()),
    }
}

pub(crate) fn run(command: &StoreCommand, format: Format, style: Style) -> Result<Report> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match command {
        StoreCommand::Verify { store, head } => {
            let session = Some(log_of(store)?.display().to_string());
            let session = SessionArguments { session, data: store.data.clone() };
            let bar = waiting("checking the log");
            let verify = AuditCommand::Verify { session, head: head.clone() };
            let report = crate::audit::run(&verify, format, style);
            bar.finish_and_clear();
            report
        }
        StoreCommand::Backup { store, to } => {
            runtime.block_on(back_up(&log_of(store)?, to, format))
        }
        StoreCommand::Export { store, to } => runtime.block_on(export(&log_of(store)?, to, format)),
        StoreCommand::Import { from, to, head } => {
            let head = crate::audit::kept(head.as_deref())?;
            runtime.block_on(import(from, to, head, format))
        }
        StoreCommand::Stats { store } => {
            let bar = waiting("counting");
            let report = runtime.block_on(stats(&log_of(store)?, format));
            bar.finish_and_clear();
            report
        }
    }
}

/// Nothing is written over.
fn check_free(to: &Path) -> Result<()> {
    if to.symlink_metadata().is_ok() {
        bail!("{} is there already; allowed: a name that is free", quoted(to));
    }
    Ok(())
}

/// A whole copy, also of a log that is in use; then the copy itself is read.
async fn back_up(log: &Path, to: &Path, format: Format) -> Result<Report> {
    check_free(to)?;
    let bar = waiting("copying the log");
    let store = Store::read_only(log).await?;
    // The door's first: who comes in between is in the log alone, and no door opens to them.
    let door = back_up_door(log, to).await?;
    let copied = store.back_up(to).await;
    if let (Err(_), Some(door)) = (&copied, &door) {
        std::fs::remove_file(door).with_context(|| format!("cannot remove {}", door.display()))?;
    }
    copied.with_context(|| format!("cannot write {}", to.display()))?;
    store.close().await;
    bar.finish_and_clear();
    let copy = Store::read_only(to).await?;
    let head = copy.head().await?.map(|head| crate::audit::said(&head));
    copy.close().await;
    if format.is_json() {
        let to = to.display().to_string();
        let door = door.map(|door| door.display().to_string());
        return Ok(pretty(&json!({ "wrote": to, "head": head, "door": door })).into());
    }
    let head = head.map_or_else(String::new, |head| format!("; its head is {head}"));
    let door = door.map_or_else(String::new, |door| {
        format!("wrote {}: passwords, for the house alone\n", quoted(&door))
    });
    let key = "The key is not in it: keep a copy of the file `key` elsewhere, under lock.";
    Ok(format!("wrote {}{head}\n{door}{key}\n", quoted(to)).into())
}

/// A sign that something goes on, where somebody watches.
fn waiting(what: &'static str) -> indicatif::ProgressBar {
    let bar = indicatif::ProgressBar::new_spinner().with_message(what);
    bar.enable_steady_tick(std::time::Duration::from_millis(120));
    bar
}

/// The door's file beside a log, copied beside the copy; nothing if there is none, as with a
/// session at a terminal.
async fn back_up_door(log: &Path, to: &Path) -> Result<Option<PathBuf>> {
    let door = log.with_file_name("door.db");
    if !door.is_file() {
        return Ok(None);
    }
    let copy = to.with_extension("door.db");
    check_free(&copy)?;
    let copied = server::door::back_up(&door, &copy).await;
    copied.with_context(|| format!("cannot write {}", copy.display()))?;
    Ok(Some(copy))
}

/// The whole log, a line of JSON for each record and whatever else it holds.
async fn export(log: &Path, to: &Path, format: Format) -> Result<Report> {
    check_free(to)?;
    let store = Store::view(log).await?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    // It has the names of people: it is nobody else's to read than the log.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(to).with_context(|| format!("cannot make {}", to.display()))?;
    let mut file = std::io::BufWriter::new(file);
    let bar = indicatif::ProgressBar::new_spinner().with_message("lines written");
    let lines = store
        .export(|line| {
            bar.inc(1);
            writeln!(file, "{line}")
        })
        .await?;
    file.flush()?;
    bar.finish_and_clear();
    if format.is_json() {
        let to = to.display().to_string();
        return Ok(pretty(&json!({ "wrote": to, "lines": lines })).into());
    }
    Ok(format!("wrote {} to {}\n", count(lines, "line"), quoted(to)).into())
}

/// A log from the lines of an export.
async fn import(
    from: &Path,
    to: &Path,
    kept: Option<(u64, Digest)>,
    format: Format,
) -> Result<Report> {
    let file =
        std::fs::File::open(from).with_context(|| format!("cannot read {}", quoted(from)))?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let bar = indicatif::ProgressBar::new(length);
    let lines = std::io::BufReader::new(bar.wrap_read(file)).lines();
    let found = store::import(to, lines, kept).await;
    bar.finish_and_clear();
    let found = found.map_err(|fault| DoesNotHold(format!("{}: {fault}", from.display())))?;
    let head = found.head.map(|head| crate::audit::said(&head));
    if format.is_json() {
        let to = to.display().to_string();
        let told = json!({ "wrote": to, "records": found.records, "head": head });
        return Ok(pretty(&told).into());
    }
    let head = head.map_or_else(String::new, |head| format!("; its head is {head}"));
    let records = count(found.records, "record");
    let next = format!("judge what it says with: sabot store verify {}", quoted(to));
    Ok(format!("wrote {} with {records}{head}\n{next}\n", quoted(to)).into())
}

/// How much there is.
async fn stats(log: &Path, format: Format) -> Result<Report> {
    let store = Store::view(log).await?;
    // What was written last lies beside the log for a while.
    let mut wal = log.as_os_str().to_owned();
    wal.push("-wal");
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let size = length(log) + length(Path::new(&wal));
    let streams = store.streams().await?;
    let (mut rows, mut records) = (Vec::new(), 0_u64);
    let mut accounts = 0_u64;
    for stream in streams {
        let number = store.records(&stream, 0).await?.len() as u64;
        records += number;
        if stream.starts_with(store::ACCOUNT) {
            accounts += 1;
        } else {
            rows.push((stream, number));
        }
    }
    let head = store.head().await?.map(|head| crate::audit::said(&head));
    if format.is_json() {
        let streams: Vec<_> =
            rows.iter().map(|(stream, n)| json!({ "stream": stream, "records": n })).collect();
        let told = json!({
            "bytes": size, "records": records, "accounts": accounts, "streams": streams,
            "head": head,
        });
        return Ok(pretty(&told).into());
    }
    let mut text = format!(
        "{}: {} KiB, {}, {}\n",
        quoted(log),
        size / 1024,
        count(records, "record"),
        count(accounts, "account")
    );
    for (stream, number) in rows {
        text += &format!("  {}: {}\n", visible(&stream), count(number, "record"));
    }
    if let Some(head) = head {
        text += &format!("head {head}\n");
    }
    Ok(text.into())
}
