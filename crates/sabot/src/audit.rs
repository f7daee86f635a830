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
use crate::show::{Format, Style, count, lines, plain, strong};
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
            AuditCommand::Log { session } => log(&open(session).await?, format).await,
        }
    })
}

async fn open(session: &crate::cli::SessionArguments) -> Result<Store> {
    let data = Data::folder(session.data.as_deref())?;
    Ok(Store::read_only(&data.session(session.session.as_deref())?).await?)
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
            Ok(store) => house::audit(&store.records(STREAM, 0).await?),
            Err(fault) => Err(fault),
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
            Ok(Audit { book, coups, shoes, .. }) => {
                table.add_row([strong(name), plain(book), plain(coups), plain(shoes.len())])
            }
            Err(fault) => table.add_row([strong(name), plain(fault), plain(""), plain("")]),
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
    let broken = store.verify(kept(head)?).await?;
    let found = house::audit(&store.records(STREAM, 0).await?)?;
    let conclusion = if broken.is_empty() { found.conclusion() } else { Conclusion::DoesNotHold };
    let code = match conclusion {
        Conclusion::Holds => 0,
        Conclusion::DoesNotHold => DOES_NOT_HOLD,
        Conclusion::CannotBeJudged => CANNOT_BE_JUDGED,
    };
    let broken: Vec<_> = broken.iter().map(ToString::to_string).collect();
    if format.is_json() {
        return Ok(Report { text: pretty(&verified_json(&found, &broken, conclusion)), code });
    }
    let mut text = style.heading(&format!("{}: {}", store.path().display(), found.book));
    let judged = if found.judged { "each judged again under the book" } else { "not judged again" };
    let chain = if broken.is_empty() { "an unbroken chain" } else { "a BROKEN chain" };
    text += &format!("  {} in {chain}\n", count(found.records, "record"));
    text += &format!(
        "  {}, {judged}; {}; {}\n",
        count(found.acts, "act"),
        count(found.events, "event"),
        count(found.coups, "coup")
    );
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
                format!("  shoe {number}: {dealt} left it, {opened} {are} proved; {whole}\n")
            }
            Err(faults) => {
                let faults = count(faults.len(), "fault");
                format!("  shoe {number}: DOES NOT HOLD, {faults}\n")
            }
        };
    }
    let mut table = style.table();
    for (account, cents) in &found.accounts {
        let amount = Cents::new(cents.unsigned_abs()).unwrap_or(Cents::MAX);
        let sign = if *cents < 0 { "−" } else { "" };
        table.add_row([plain(account), plain(format!("{sign}{amount}"))]);
    }
    let sum: i64 = found.accounts.iter().map(|(_, cents)| cents).sum();
    table.add_row([plain("the sum"), plain(sum)]);
    text += &lines(&mut table, &[]);
    for fault in &broken {
        text += &format!("  BROKEN: {fault}\n");
    }
    for finding in &found.findings {
        text += &format!("  record {}: {}\n", finding.version, finding.what);
    }
    if head.is_none() && conclusion != Conclusion::DoesNotHold {
        text += "  without --head nobody can tell whether the end was cut off\n";
    }
    text += match conclusion {
        Conclusion::Holds => "everything holds\n",
        Conclusion::DoesNotHold => "IT DOES NOT HOLD\n",
        Conclusion::CannotBeJudged => {
            "chain, money and shoes hold; the acts CANNOT BE JUDGED HERE: the table was run under \
             another edition of the book\n"
        }
    };
    Ok(Report { text, code })
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
    let broken = store.verify(None).await?;
    let records = whole(store).await?;
    let found = house::audit(&records)?;
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

async fn shoe_record(store: &Store, number: Option<usize>) -> Result<Report> {
    let found = house::audit(&whole(store).await?)?;
    let count = found.shoes.len();
    let number = number.unwrap_or(count);
    let shoe = number.checked_sub(1).and_then(|at| found.shoes.get(at));
    let shoe =
        shoe.with_context(|| format!("there is no shoe {number}; the session has {count}"))?;
    Ok(pretty(&serde_json::to_value(&shoe.record)?).into())
}

async fn head(store: &Store, format: Format) -> Result<Report> {
    let last = store.records(store::CHECKPOINTS, 0).await?.pop();
    let last = last.context("no checkpoint yet; a session has one when it was stopped in order")?;
    let (version, hash) = (last.version, last.hash);
    if format.is_json() {
        return Ok(pretty(&json!({ "version": version, "hash": hash.to_string() })).into());
    }
    Ok(format!("{version}:{hash}\n").into())
}

/// Every record as JSON: one a line, or with `--json` all of them in one list.
async fn log(store: &Store, format: Format) -> Result<Report> {
    let mut records = Vec::new();
    for stream in store.streams().await? {
        for record in store.records(&stream, 0).await? {
            let body: Value = serde_json::from_str(&record.body)?;
            let line = json!({
                "stream": record.stream, "version": record.version, "at": record.at,
                "actor": record.actor, "key": record.key, "schema": record.schema, "body": body,
                "hash": record.hash.to_string(),
            });
            records.push(line);
        }
    }
    if format.is_json() {
        return Ok(pretty(&records.into()).into());
    }
    let line = |text: String, record: &Value| text + &record.to_string() + "\n";
    Ok(records.iter().fold(String::new(), line).into())
}
