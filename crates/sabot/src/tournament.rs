//! `sabot tournament`: conditions checked, printed and rehearsed before the first entry is taken.

mod rehearse;

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use rules::Rulebook;
use serde_json::{Value, json};
use tournament::{Act, Conditions, ballot, check, document, keys, secret};

use crate::books::{load, pretty};
use crate::cli::{ConditionsArguments, TournamentCommand};
use crate::show::Style;
use crate::{DoesNotHold, Report};

/// Conditions to begin with, by book.
const EXAMPLES: [(&str, &str); 3] = [
    ("act-2012", include_str!("../../../tournaments/act-2012.toml")),
    ("act-2018", include_str!("../../../tournaments/act-2018.toml")),
    ("tas-2013", include_str!("../../../tournaments/tas-2013.toml")),
];

pub(crate) fn run(command: &TournamentCommand, json: bool, style: Style) -> Result<Report> {
    match command {
        TournamentCommand::New { book } => {
            let found = EXAMPLES.iter().find(|(id, _)| id == book);
            let Some((_, text)) = found else {
                let ids: Vec<_> = EXAMPLES.iter().map(|(id, _)| *id).collect();
                bail!("there are no conditions for {book}; there are for {}", ids.join(", "));
            };
            Ok(text_or_json(text, "conditions", json).into())
        }
        TournamentCommand::Check { conditions } => {
            let (conditions, book) = read(conditions)?;
            Ok(checked(&conditions, &book, json, style))
        }
        TournamentCommand::Conditions { conditions, html, lines } => {
            let (conditions, book) = read(conditions)?;
            refuse_faults(&conditions, &book)?;
            if *lines {
                let open = transcript::say_in_tournament(&Act::Open, &book);
                let document = Act::Document(Box::new(conditions));
                let lines = [open, transcript::say_in_tournament(&document, &book)].concat();
                return Ok(text_or_json(&(lines.join("\n") + "\n"), "transcript", json).into());
            }
            let page = if *html { document::html } else { document::text };
            let kind = if *html { "page" } else { "document" };
            Ok(text_or_json(&page(&conditions, &book), kind, json).into())
        }
        TournamentCommand::Keys => Ok(text_or_json(&keys::reference(), "reference", json).into()),
        TournamentCommand::Rehearse(arguments) => rehearse::rehearse(arguments, json, style),
        TournamentCommand::Ballot => {
            let secret = random_words()?;
            let commitment = ballot::commitment(&secret);
            if json {
                return Ok(pretty(&json!({ "secret": secret, "commitment": commitment })).into());
            }
            Ok(format!(
                "publish now:   {commitment}\nkeep, then say: {secret}\n\ndirector commits to the \
                 ballot {commitment}\ndirector reveals the ballot {secret}\n"
            )
            .into())
        }
        TournamentCommand::Seal { content } => seal(content, json),
    }
}

fn text_or_json(text: &str, kind: &str, json: bool) -> String {
    if json { crate::json::document(kind, text) } else { text.to_owned() }
}

/// Sixteen bytes of the system's randomness, as text that nobody takes for a hash.
fn random_words() -> Result<String> {
    let mut bytes = [0; 32];
    shoe::system_bytes(&mut bytes).context("no randomness can be had")?;
    let mut text = shoe::Digest(bytes).to_string();
    text.truncate(32);
    Ok(text)
}

fn seal(content: &str, json: bool) -> Result<Report> {
    if !secret::is_plain(content) {
        bail!("a form is one line");
    }
    let salt = random_words()?;
    let commitment = secret::commitment(&salt, content);
    let read = secret::read(content);
    let code = u8::from(read.is_none());
    if json {
        let form = json!({ "salt": salt, "content": content, "commitment": commitment,
            "readable": read.is_some() });
        return Ok(Report { text: pretty(&form), code });
    }
    let warning = match read {
        Some((spot, amount)) => format!("reads as {amount} on {}", spot.key()),
        None => "reads as nothing: it would cost the minimum; `AMOUNT on banker`, `on player` or \
                 `on tie` would do"
            .into(),
    };
    let text = format!(
        "hand in: {commitment}\nsalt:    {salt}\nform:    {content} ({warning})\n\nThe inspector \
         gets salt and form; everybody sees what was handed in.\n\nNAME hands in a form \
         {commitment}\ninspector opens NAME's form with salt {salt} saying {content}\n"
    );
    Ok(Report { text, code })
}

/// The conditions of a file, and the book that they are for.
fn read(arguments: &ConditionsArguments) -> Result<(Conditions, Arc<Rulebook>)> {
    let path = &arguments.conditions;
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let conditions = transcript::conditions(&text)
        .map_err(|fault| DoesNotHold(format!("{}: {fault}", path.display())))?;
    let named = arguments.under.as_deref().or(conditions.book.as_deref());
    let name = named.context("the file names no book; `book = \"act-2018\"` or --under would")?;
    let book = load(name)?;
    if book.rulebook.tournament.is_none() {
        bail!("{name} has no tournaments; act-2012, act-2018 and tas-2013 have");
    }
    let conditions = Conditions { book: None, ..conditions };
    Ok((conditions, Arc::new(book.rulebook)))
}

fn checked(conditions: &Conditions, book: &Rulebook, json: bool, style: Style) -> Report {
    let faults = check::faults(conditions, book);
    let code = u8::from(!faults.is_empty());
    if json {
        let list: Vec<Value> = faults
            .iter()
            .map(|f| json!({ "what": f.what, "clause": f.clause.map(|c| c.to_string()) }))
            .collect();
        let hash = document::hash(conditions, book);
        return Report { text: pretty(&json!({ "faults": list, "sha256": hash })), code };
    }
    if faults.is_empty() {
        let stated = check::matters(conditions, book).iter().filter(|m| m.stated).count();
        let hash = document::hash(conditions, book);
        let text = format!(
            "The conditions state {stated} matters that {} has a rule on, and nothing is wrong \
             with them.\nSHA-256 of the document: {hash}\n",
            book.title.name()
        );
        return Report { text, code };
    }
    let lines = faults.iter().map(|fault| {
        let clause = fault.clause.map_or_else(String::new, |clause| format!(" [{clause}]"));
        style.item(&format!("{}{clause}", fault.what), 2)
    });
    Report { text: lines.collect(), code }
}

fn refuse_faults(conditions: &Conditions, book: &Rulebook) -> Result<()> {
    let faults = check::faults(conditions, book);
    if let Some(first) = faults.first() {
        let clause = first.clause.map_or_else(String::new, |clause| format!(" [{clause}]"));
        let more = match faults.len() - 1 {
            0 => String::new(),
            more => format!("; and {more} more, which `sabot tournament check` tells"),
        };
        bail!(DoesNotHold(format!("{}{clause}{more}", first.what)));
    }
    Ok(())
}
