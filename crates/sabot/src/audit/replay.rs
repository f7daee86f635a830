//! `sabot audit replay`: a log as transcripts that `sabot judge` plays, with its book if need be.

use std::path::Path;

use anyhow::{Context, Result, bail};
use audit::Extract;
use store::Store;

use super::which::{self, Meant};
use super::{audited, files_of};
use crate::data::quoted;
use crate::show::{Format, visible};
use crate::{DoesNotHold, Report};

/// Writes a session, a shoe, a coup or an event as a transcript that `sabot judge` plays.
pub(super) async fn replay(
    store: &Store,
    (table, part): (Option<&str>, Extract),
    output: Option<&Path>,
    format: Format,
) -> Result<Report> {
    if !store.verify(None).await?.broken.is_empty() {
        bail!(does_not_hold(store));
    }
    let stream = match which::meant(store, table).await? {
        Meant::Table(stream) => stream,
        Meant::Event(stream) => {
            let records = store.records(&stream, 0).await?;
            let text = event_as_transcript(store, &records, part).await?;
            return written((store, &records), text, output, format).await;
        }
    };
    let records = store.records(&stream, 0).await?;
    let found = audited(store, &records).await?;
    if !found.findings.is_empty() {
        bail!(does_not_hold(store));
    }
    let files = files_of(store, &records).await?;
    let text = audit::export(&records, part, files.as_deref())?.with_context(|| match part {
        Extract::Coup(coup) => {
            format!("no coup {coup} ended in this session; it has {}", found.coups)
        }
        Extract::Shoe(shoe) => format!("there is no shoe {shoe} in this session"),
        Extract::All => "there is nothing in this session".into(),
    })?;
    let text = in_names(store, &text).await?;
    written((store, &records), text, output, format).await
}

fn does_not_hold(store: &Store) -> DoesNotHold {
    let path = quoted(store.path());
    DoesNotHold(format!("the log does not hold; `sabot audit verify {path}` tells where"))
}

/// A tournament as a transcript.
async fn event_as_transcript(
    store: &Store,
    records: &[store::Record],
    part: Extract,
) -> Result<String> {
    if part != Extract::All {
        bail!("an event is written as a whole; leave out --coup and --shoe");
    }
    let files = files_of(store, records).await?;
    let found = audit::audit_tournament(records, files.as_deref())?;
    if !found.findings.is_empty() {
        bail!(does_not_hold(store));
    }
    let text = audit::export_tournament(records, files.as_deref())?;
    in_names(store, &text.context("the book of this event is not at hand")?).await
}

/// A transcript with names in the place of accounts, each written as the language wants it.
async fn in_names(store: &Store, text: &str) -> Result<String> {
    let people = store.people().await?.into_iter().filter_map(|(account, name)| {
        Some((account, transcript::say_name(&transcript::name(&name).ok()?).into_owned()))
    });
    let text = live::with_names(text, &people.collect::<Vec<_>>());
    Ok(text.lines().map(|line| visible(line) + "\n").collect())
}

/// A transcript, printed or in a file.
async fn written(
    (store, records): (&Store, &[store::Record]),
    text: String,
    output: Option<&Path>,
    format: Format,
) -> Result<Report> {
    let own = own_book(store, records).await?;
    let text = match (&own, output) {
        (Some(_), None) => {
            "# the book does not come with sabot: `audit replay -o FILE` writes it too\n".to_owned()
                + &text
        }
        (Some((id, files)), Some(path)) => with_its_book(id, files, &text, path)?,
        (None, _) => text,
    };
    match output {
        Some(path) => {
            std::fs::write(path, &text)
                .with_context(|| format!("cannot write {}", path.display()))?;
            if format.is_json() {
                return Ok(crate::json::wrote(path).into());
            }
            Ok(format!("wrote {}; sabot judge {} plays it\n", path.display(), quoted(path)).into())
        }
        None if format.is_json() => Ok(crate::json::document("transcript", &text).into()),
        None => Ok(text.into()),
    }
}

/// Where the book does not come with Sabot, writes the files that the log kept of it into a folder
/// beside the transcript, which then opens with that folder: so it can be judged anywhere.
fn with_its_book(
    id: &str,
    files: &[rulebooks::OwnFile],
    text: &str,
    path: &Path,
) -> Result<String> {
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    let books = format!("{stem}-books");
    let folder = path.parent().unwrap_or(Path::new("")).join(&books);
    for file in files {
        let (Some(_), Some(name)) =
            (rulebooks::book_id(&file.book), Path::new(&file.file).file_name())
        else {
            bail!("the log kept a file `{}` that no book has", file.file);
        };
        let into = folder.join(&file.book);
        std::fs::create_dir_all(&into)
            .and_then(|()| std::fs::write(into.join(name), &file.text))
            .with_context(|| format!("cannot write {}", into.join(name).display()))?;
    }
    let opened = |line: &str| -> Option<String> {
        let event = "operator opens a tournament under ";
        let opens = if line.starts_with(event) { event } else { "operator opens " };
        let word = line.strip_prefix(opens)?.split(' ').next()?;
        let sheets = word.find('+').map_or("", |at| &word[at..]);
        let after = &line[opens.len() + word.len()..];
        Some(format!("{opens}{books}/{id}{sheets}{after}"))
    };
    Ok(text.lines().map(|line| opened(line).unwrap_or_else(|| line.to_owned()) + "\n").collect())
}

/// The book of a log where it does not come with Sabot: its id, and the files of its own.
async fn own_book(
    store: &Store,
    records: &[store::Record],
) -> Result<Option<(String, Vec<rulebooks::OwnFile>)>> {
    let Some(book) = audit::book_of(records)? else { return Ok(None) };
    let kept = store.book(book.sha256).await?.and_then(|kept| kept.files);
    let kept: Vec<store::BookFile> = match &kept {
        Some(files) => serde_json::from_str(files).unwrap_or_default(),
        None => book.files,
    };
    let mut kept: Vec<_> = kept
        .into_iter()
        .map(|store::BookFile { book, file, text }| rulebooks::OwnFile { book, file, text })
        .collect();
    let own = kept.iter().filter(|file| !rulebooks::comes_with_sabot(file));
    let of: Vec<String> = own.map(|file| file.book.clone()).collect();
    let Some(first) = kept.first().map(|first| first.book.clone()).filter(|id| of.contains(id))
    else {
        return Ok(None);
    };
    kept.retain(|file| of.contains(&file.book));
    Ok(Some((first, kept)))
}
