//! `sabot audit`: whether a session's log holds, and what it says.

use std::path::Path;

use anyhow::{Context, Result, bail};
use house::{Audit, Conclusion, Extract};
use rules::Cents;
use serde_json::{Value, json};
use shoe::Digest;
use store::Store;

use crate::books::pretty;
use crate::cli::AuditCommand;
use crate::data::{Data, STREAM, name_of, quoted};
use crate::show::{Format, Style, count, lines, plain, strong, visible};
use crate::{CANNOT_BE_JUDGED, DOES_NOT_HOLD, DoesNotHold, Report};

pub(crate) fn run(command: &AuditCommand, format: Format, style: Style) -> Result<Report> {
    let tasks = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    tasks.block_on(async {
        match command {
            AuditCommand::List { data } => {
                list(&Data::folder(data.as_deref())?, format, style).await
            }
            AuditCommand::Verify { session, head } => {
                let store = open(session).await?;
                verify(&store, head.as_deref(), format, style).await
            }
            AuditCommand::Replay { session, coup, shoe, output } => {
                let store = open(session).await?;
                let part = match (coup, shoe) {
                    (Some(coup), _) => Extract::Coup(*coup),
                    (None, Some(shoe)) => Extract::Shoe(*shoe),
                    (None, None) => Extract::All,
                };
                replay(&store, part, output.as_deref(), format).await
            }
            AuditCommand::Shoe { session, number } => {
                let store = open(session).await?;
                shoe_record(&store, *number).await
            }
            AuditCommand::Head { session } => head(&open(session).await?, format).await,
            AuditCommand::Key { session, change } => key(session, *change, format).await,
            AuditCommand::Erase { name, session } => erase(session, name, format).await,
            AuditCommand::Log { session, books } => {
                log(&open(session).await?, *books, format).await
            }
        }
    })
}

async fn open(session: &crate::cli::SessionArguments) -> Result<Store> {
    let data = Data::folder(session.data.as_deref())?;
    Ok(Store::read_only(&data.session(session.session.as_deref())?).await?)
}

/// The audit of a table, with the book that the log kept.
async fn audited(store: &Store, records: &[store::Record]) -> Result<Audit> {
    let book = records.first().and_then(|record| match record.read() {
        Ok(store::Body::Book(book)) => Some(book.sha256),
        _ => None,
    });
    let kept = match book {
        Some(sha256) => store.book(sha256).await?,
        None => None,
    };
    let files = kept.and_then(|kept| kept.files);
    Ok(house::audit_with(records, files.as_deref(), STREAM)?)
}

/// The table's records, which the chain must bind.
async fn whole(store: &Store) -> Result<Vec<store::Record>> {
    let records = store.records(STREAM, 0).await?;
    if records.is_empty() {
        bail!("{} holds no table", store.path().display());
    }
    Ok(records)
}

async fn list(data: &Data, format: Format, style: Style) -> Result<Report> {
    let mut rows = Vec::new();
    for path in data.all_sessions()? {
        let name = name_of(&path);
        let told = match Store::read_only(&path).await {
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
fn kept(said: Option<&str>) -> Result<Option<(u64, Digest)>> {
    let Some(said) = said else { return Ok(None) };
    let parts = said.split_once(':');
    let read = parts.and_then(|(version, hash)| Some((version.parse().ok()?, Digest::read(hash)?)));
    let why = "a head is a number, a colon and 64 hexadecimal digits, as `sabot audit head` prints";
    read.map(Some).context(why)
}

async fn verify(store: &Store, head: Option<&str>, format: Format, style: Style) -> Result<Report> {
    let checked = store.verify(kept(head)?).await?;
    let mut found = audited(store, &store.records(STREAM, 0).await?).await?;
    let people = store.people().await?;
    for (account, _) in &mut found.accounts {
        *account = house::with_names(account, &people);
    }
    let broken: Vec<_> = checked.broken.iter().map(ToString::to_string).collect();
    let conclusion = if broken.is_empty() { found.conclusion() } else { Conclusion::DoesNotHold };
    let code = match conclusion {
        Conclusion::Holds => 0,
        Conclusion::DoesNotHold => DOES_NOT_HOLD,
        Conclusion::CannotBeJudged => CANNOT_BE_JUDGED,
    };
    if format.is_json() {
        let mut told = verified_json(&found, &broken, conclusion);
        told["covered"] = (checked.behind == 0 && checked.key.is_some()).into();
        told["behind"] = checked.behind.into();
        told["key"] = checked.key.map(|key| key.to_string()).into();
        told["head"] = checked.head.as_ref().map(said).into();
        told["restored"] = checked.restored.into();
        told["lost_keys"] = checked.lost_keys.into();
        told["kept_edition"] = found.kept_edition.into();
        return Ok(Report { text: pretty(&told), code });
    }
    let mut text = style.heading(&format!("{}: {}", store.path().display(), found.book));
    let judged = match (found.judged, found.kept_edition) {
        (true, false) => "each judged again under the book",
        (true, true) => {
            "each judged again under the edition in the log, which is not the one that comes with \
             this sabot"
        }
        (false, _) => "not judged again",
    };
    let chain = if broken.is_empty() { "an unbroken chain" } else { "a BROKEN chain" };
    text += &format!("  {} in {chain}\n", count(found.records, "record"));
    text += &format!(
        "  {}, {judged}; {}; {}\n",
        count(found.acts, "act"),
        count(found.events, "event"),
        count(found.coups, "coup")
    );
    text += &shoes(&found);
    text += &accounts(&found, style);
    for fault in &broken {
        text += &format!("  BROKEN: {}\n", visible(fault));
    }
    for finding in &found.findings {
        text += &format!("  record {}: {}\n", finding.version, visible(&finding.what));
    }
    text += &covered(&checked, head.is_some());
    text += match conclusion {
        Conclusion::Holds if found.kept_edition => {
            "it holds under the log's own edition of the book, which is another than the one at \
             hand\n"
        }
        Conclusion::Holds if checked.behind == 0 && checked.key.is_some() => "everything holds\n",
        Conclusion::Holds => "what a signed head covers holds, and so does the rest as it stands\n",
        Conclusion::DoesNotHold => "IT DOES NOT HOLD\n",
        Conclusion::CannotBeJudged => {
            "chain, money and shoes hold; the acts CANNOT BE JUDGED HERE: the table was run under \
             another edition of the book\n"
        }
    };
    Ok(Report { text, code })
}

/// A head as people keep it.
fn said(head: &store::Head) -> String {
    format!("{}:{}", head.version, head.hash)
}

/// What the heads of a log cover, and who signed them.
fn covered(checked: &store::Verified, kept: bool) -> String {
    let mut text = String::new();
    match (&checked.head, checked.key) {
        (Some(head), Some(key)) => {
            text += &format!("  head {}\n  signed with the key {key}\n", said(head));
        }
        (Some(head), None) => {
            text +=
                &format!("  head {}, which nobody signed: a log of the first form\n", said(head));
        }
        (None, _) => text += "  no head: nobody can tell whether anything is missing\n",
    }
    if checked.behind > 0 {
        let behind = count(checked.behind, "record");
        text +=
            &format!("  {behind} behind the last head: nobody else could tell if they changed\n");
    }
    if checked.restored > 0 {
        let times = count(checked.restored, "time");
        text += &format!("  RESTORED from an older copy {times}: what came behind it is lost\n");
    }
    if checked.lost_keys > 0 {
        let times = count(checked.lost_keys, "time");
        text += &format!("  the key was lost and replaced {times}\n");
    }
    if !kept {
        text += "  without --head nobody can tell whether the end was cut off\n";
    }
    text
}

/// The shoes of a session, line by line.
fn shoes(found: &Audit) -> String {
    let mut text = String::new();
    for (number, shoe) in (1..).zip(&found.shoes) {
        text += &match &shoe.verified {
            Ok(verified) => {
                let (dealt, opened) = (verified.dealt, verified.opened);
                let whole = if verified.whole {
                    "its secret is out and makes this order"
                } else {
                    "its secret is not out yet"
                };
                let dealt = count(dealt, "card");
                let are = if opened == 1 { "is" } else { "are" };
                let part = part_taken(shoe, verified);
                format!("  shoe {number}: {dealt} left it, {opened} {are} proved; {whole}{part}\n")
            }
            Err(faults) => {
                let faults = count(faults.len(), "fault");
                format!("  shoe {number}: DOES NOT HOLD, {faults}\n")
            }
        };
    }
    text
}

/// Who took part in a shoe, and what became of it.
fn part_taken(shoe: &house::ShoeFound, verified: &shoe::Verified) -> String {
    let mut text = match verified.witnesses {
        None => "; made by the first procedure, which is weaker".to_owned(),
        Some(0) => "; unwitnessed".to_owned(),
        Some(witnesses) => format!("; {} took part", count(witnesses, "person")),
    };
    if verified.silent > 0 {
        text += &format!(", {} did not open their words", verified.silent);
    }
    if let Some(why) = shoe.abandoned {
        text += match why {
            shoe::Abandoned::Left => "; abandoned: everybody had left",
            shoe::Abandoned::Restored => "; ABANDONED: the log was restored from an older copy",
            shoe::Abandoned::KeyChanged => "; abandoned: the house's key was changed",
        };
    }
    if shoe.unrevealed {
        text += "; it is over and not revealed: the next start does it";
    }
    text
}

fn accounts(found: &Audit, style: Style) -> String {
    let mut table = style.table();
    for (account, cents) in &found.accounts {
        let amount = Cents::new(cents.unsigned_abs()).unwrap_or(Cents::MAX);
        let sign = if *cents < 0 { "−" } else { "" };
        table.add_row([plain(visible(account)), plain(format!("{sign}{amount}"))]);
    }
    let sum: i64 = found.accounts.iter().map(|(_, cents)| cents).sum();
    table.add_row([plain("the sum"), plain(sum)]);
    lines(&mut table, &[])
}

fn verified_json(found: &Audit, broken: &[String], conclusion: Conclusion) -> Value {
    let finding =
        |finding: &house::Finding| json!({ "record": finding.version, "what": finding.what });
    let shoe = |shoe: &house::ShoeFound| match &shoe.verified {
        Ok(verified) => json!({
            "holds": true,
            "dealt": verified.dealt,
            "proved": verified.opened,
            "revealed": verified.whole,
            "witnesses": verified.witnesses,
            "silent": verified.silent,
            "abandoned": shoe.abandoned,
            "unrevealed": shoe.unrevealed,
        }),
        Err(faults) => {
            let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
            json!({ "holds": false, "faults": faults })
        }
    };
    let account = |(name, cents): &(String, i64)| json!({ "account": name, "cents": cents });
    json!({
        "holds": conclusion == Conclusion::Holds,
        "verdict": match conclusion {
            Conclusion::Holds => "holds",
            Conclusion::CannotBeJudged => "cannot-be-judged",
            Conclusion::DoesNotHold => "does-not-hold",
        },
        "book": found.book,
        "judged": found.judged,
        "records": found.records,
        "acts": found.acts,
        "events": found.events,
        "coups": found.coups,
        "shoes": found.shoes.iter().map(shoe).collect::<Vec<_>>(),
        "accounts": found.accounts.iter().map(account).collect::<Vec<_>>(),
        "broken": broken,
        "findings": found.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

async fn replay(
    store: &Store,
    part: Extract,
    output: Option<&Path>,
    format: Format,
) -> Result<Report> {
    let broken = store.verify(None).await?.broken;
    let records = whole(store).await?;
    let found = audited(store, &records).await?;
    if !broken.is_empty() || !found.findings.is_empty() {
        let path = quoted(store.path());
        let why = format!("the log does not hold; `sabot audit verify {path}` tells where");
        bail!(DoesNotHold(why));
    }
    let text = house::export(&records, part)?.with_context(|| match part {
        Extract::Coup(coup) => {
            format!("no coup {coup} ended in this session; it has {}", found.coups)
        }
        Extract::Shoe(shoe) => format!("there is no shoe {shoe} in this session"),
        Extract::All => "there is nothing in this session".into(),
    })?;
    let people = store.people().await?.into_iter().filter_map(|(account, name)| {
        // A name is written as the language wants it.
        Some((account, transcript::say_name(&transcript::name(&name).ok()?).into_owned()))
    });
    let text = house::with_names(&text, &people.collect::<Vec<_>>());
    let text: String = text.lines().map(|line| visible(line) + "\n").collect();
    match output {
        Some(path) => {
            let text = with_its_book(store, &records, text, path).await?;
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
async fn with_its_book(
    store: &Store,
    records: &[store::Record],
    text: String,
    path: &Path,
) -> Result<String> {
    let book = records.iter().find_map(|record| match record.read() {
        Ok(store::Body::Book(book)) => Some(book),
        _ => None,
    });
    let Some(book) = book else { return Ok(text) };
    let kept = store.book(book.sha256).await?.and_then(|kept| kept.files);
    let kept: Vec<store::BookFile> = match &kept {
        Some(files) => serde_json::from_str(files).unwrap_or_default(),
        None => book.files,
    };
    let kept: Vec<_> = kept
        .into_iter()
        .map(|store::BookFile { book, file, text }| rulebooks::OwnFile { book, file, text })
        .collect();
    let own = |id: &str| kept.iter().any(|f| f.book == id && !rulebooks::comes_with_sabot(f));
    let Some(first) = kept.first().filter(|first| own(&first.book)) else { return Ok(text) };
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    let books = format!("{stem}-books");
    let folder = path.parent().unwrap_or(Path::new("")).join(&books);
    for file in kept.iter().filter(|file| own(&file.book)) {
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
        let word = line.strip_prefix("operator opens ")?.split(' ').next()?;
        let sheets = word.find('+').map_or("", |at| &word[at..]);
        let after = &line["operator opens ".len() + word.len()..];
        Some(format!("operator opens {books}/{}{sheets}{after}", first.book))
    };
    Ok(text.lines().map(|line| opened(line).unwrap_or_else(|| line.to_owned()) + "\n").collect())
}

async fn shoe_record(store: &Store, number: Option<usize>) -> Result<Report> {
    let found = audited(store, &whole(store).await?).await?;
    let count = found.shoes.len();
    let number = number.unwrap_or(count);
    let shoe = number.checked_sub(1).and_then(|at| found.shoes.get(at));
    let shoe =
        shoe.with_context(|| format!("there is no shoe {number}; the session has {count}"))?;
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
    change: bool,
    format: Format,
) -> Result<Report> {
    if change {
        let data = Data::folder(session.data.as_deref())?;
        let log = data.session(session.session.as_deref())?;
        store::change_key(&log, &crate::data::key_of(&log)).await?;
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
    let begin = store::Begin::Either;
    let store = Store::open_with(&log, &crate::data::key_of(&log), begin).await?;
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
    let line = |text: String, record: &Value| text + &record.to_string() + "\n";
    Ok(records.iter().fold(String::new(), line).into())
}
