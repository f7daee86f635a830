//! `sabot tournament`: conditions checked, printed and rehearsed before the first entry is taken.

mod console;
mod rehearse;
mod remote;

use std::io::{BufRead as _, IsTerminal as _, Read as _};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use rules::Rulebook;
use serde_json::{Value, json};
use tournament::keys::near;
use tournament::{Act, Conditions, ballot, check, document, keys, secret};

use crate::books::{load, pretty};
use crate::cli::{ConditionsArguments, TournamentCommand};
use crate::show::{Format, Style};
use crate::{DoesNotHold, Report};

pub(crate) fn run(command: &TournamentCommand, format: Format, style: Style) -> Result<Report> {
    match command {
        TournamentCommand::New { book, players } => {
            let rules = load_for_tournament(book)?.rulebook;
            let text = transcript::conditions_for(book, &rules, *players);
            let text = text.map_err(|fault| anyhow::anyhow!("{fault}"))?;
            Ok(text_or_json(&text, "conditions", format).into())
        }
        TournamentCommand::Check { conditions } => check_file(conditions, format, style),
        TournamentCommand::Conditions { conditions, html, lines } => {
            let (conditions, book, name) = read(conditions)?;
            refuse_faults(&conditions, &book)?;
            if *lines {
                let open = transcript::say_in_tournament(&Act::Open, &book, &name);
                let document = Act::Document(Box::new(conditions));
                let document = transcript::say_in_tournament(&document, &book, &name);
                let lines = [open, document].concat();
                return Ok(text_or_json(&(lines.join("\n") + "\n"), "transcript", format).into());
            }
            let page = if *html { document::html } else { document::text };
            let kind = if *html { "page" } else { "document" };
            Ok(text_or_json(&page(&conditions, &book), kind, format).into())
        }
        TournamentCommand::Run(arguments) => match &arguments.server {
            Some(address) => remote::run(arguments, address, format),
            None => console::run(arguments, format),
        },
        TournamentCommand::Keys => Ok(text_or_json(&keys::reference(), "reference", format).into()),
        TournamentCommand::Rehearse(arguments) => rehearse::rehearse(arguments, format, style),
        TournamentCommand::Ballot => {
            let secret = random_words()?;
            let commitment = ballot::commitment(&secret);
            if format.is_json() {
                return Ok(pretty(&json!({ "secret": secret, "commitment": commitment })).into());
            }
            Ok(format!(
                "publish now:   {commitment}\nkeep, then say: {secret}\n\ndirector commits to the \
                 ballot {commitment}\ndirector reveals the ballot {secret}\n"
            )
            .into())
        }
        TournamentCommand::Seal { content } => {
            let content = match content.as_deref().filter(|content| *content != "-") {
                Some(content) => content.to_owned(),
                None => words_of_the_form()?,
            };
            seal(&content, format)
        }
    }
}

fn text_or_json(text: &str, kind: &str, format: Format) -> String {
    if format.is_json() { crate::json::document(kind, text) } else { text.to_owned() }
}

/// Sixteen bytes of the system's randomness, as text that nobody takes for a hash.
fn random_words() -> Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("no randomness can be had")?;
    let mut text = shoe::Digest(bytes).to_string();
    text.truncate(32);
    Ok(text)
}

/// What is on a form, from the pipe or from whoever sits at the terminal.
fn words_of_the_form() -> Result<String> {
    let mut text = String::new();
    let mut input = std::io::stdin().lock();
    if input.is_terminal() {
        eprint!("On the form, such as `100 on player`: ");
        input.read_line(&mut text)?;
    } else {
        input.read_to_string(&mut text)?;
    }
    let text = text.trim();
    if text.is_empty() {
        bail!("there is nothing on the form; allowed: `100 on player`");
    }
    Ok(text.to_owned())
}

fn seal(content: &str, format: Format) -> Result<Report> {
    if !secret::is_plain(content) {
        bail!("a form is one line");
    }
    let salt = random_words()?;
    let commitment = secret::commitment(&salt, content);
    let read = secret::read(content);
    let code = u8::from(read.is_none());
    if format.is_json() {
        let form = json!({ "salt": salt, "content": content, "commitment": commitment,
            "readable": read.is_some() });
        return Ok(Report { text: pretty(&form), code });
    }
    let warning = match read {
        Some((spot, amount)) => format!("reads as {amount} on {}", spot.key()),
        None => "reads as nothing: it would cost the minimum; allowed: `AMOUNT on banker`, `on \
                 player` or `on tie`"
            .into(),
    };
    let text = format!(
        "hand in: {commitment}\nsalt:    {salt}\nform:    {content} ({warning})\n\nThe inspector \
         gets salt and form; everybody sees what was handed in.\n\nNAME hands in a form \
         {commitment}\ninspector opens NAME's form with salt {salt} saying {content}\n"
    );
    Ok(Report { text, code })
}

/// The conditions of a file, and the book that they are for, with its name.
fn read(arguments: &ConditionsArguments) -> Result<(Conditions, Arc<Rulebook>, String)> {
    let path = &arguments.conditions;
    let conditions = transcript::conditions(&text_of(arguments)?)
        .map_err(|fault| DoesNotHold(format!("{}: {fault}", path.display())))?;
    let (book, name) = book_of(arguments, conditions.book.as_deref())?;
    Ok((Conditions { book: None, ..conditions }, book, name))
}

fn text_of(arguments: &ConditionsArguments) -> Result<String> {
    let path = &arguments.conditions;
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The book of a file of conditions, and the name that it goes by.
fn book_of(
    arguments: &ConditionsArguments,
    stated: Option<&str>,
) -> Result<(Arc<Rulebook>, String)> {
    let (book, name) = whole_book_of(arguments, stated)?;
    Ok((Arc::new(book.rulebook), name))
}

/// The same, with everything that a log keeps of the book.
fn whole_book_of(
    arguments: &ConditionsArguments,
    stated: Option<&str>,
) -> Result<(rulebooks::Book, String)> {
    let stated = stated.map(|name| rulebooks::beside(&arguments.conditions, name));
    let named = arguments.under.as_deref().or(stated.as_deref());
    let name = named.context("the file names no book; `book = \"act-2018\"` or --under would")?;
    Ok((load_for_tournament(name)?, name.to_owned()))
}

/// The books that come with Sabot and have tournaments.
pub(crate) fn with_tournaments() -> Vec<&'static str> {
    let has =
        |id: &&str| rulebooks::load(id, None).is_ok_and(|book| book.rulebook.tournament.is_some());
    rulebooks::ids().into_iter().filter(has).collect()
}

/// A book that has tournaments.
fn load_for_tournament(name: &str) -> Result<rulebooks::Book> {
    let book = load(name).map_err(|error| match near(name, with_tournaments()) {
        Some(meant) => error.context(format!("there is no {name}; did you mean {meant}?")),
        None => error,
    })?;
    if book.rulebook.tournament.is_none() {
        bail!("{name} has no tournaments; {} have", with_tournaments().join(", "));
    }
    Ok(book)
}

/// Tells all that is wrong with a file: what cannot be read, and what the rest lacks.
fn check_file(arguments: &ConditionsArguments, format: Format, style: Style) -> Result<Report> {
    let (conditions, unread) = transcript::all_conditions(&text_of(arguments)?);
    if unread.is_empty()
        && let Some(conditions) = conditions
    {
        let (book, _) = book_of(arguments, conditions.book.as_deref())?;
        return Ok(checked(&Conditions { book: None, ..conditions }, &book, format, style));
    }
    let mut told: Vec<Told> = unread.iter().map(Told::unread).collect();
    let stated = conditions.as_ref().and_then(|conditions| conditions.book.as_deref());
    if let (Some(conditions), Ok((book, _))) = (&conditions, book_of(arguments, stated)) {
        let conditions = Conditions { book: None, ..conditions.clone() };
        let broken: Vec<_> = unread.iter().filter_map(|fault| fault.key.as_deref()).collect();
        // What was written and could not be read is not missing as well.
        let missing = |fault: &check::Fault| {
            let keys = fault.what.rsplit_once('(').map_or("", |(_, keys)| keys);
            let mut keys = keys.split(|c: char| !c.is_alphanumeric() && c != '_');
            let lacks = fault.what.starts_with("the conditions must state");
            lacks && keys.any(|key| !key.is_empty() && is_about(&broken, key))
        };
        let faults = check::faults(&conditions, &book);
        told.extend(faults.iter().filter(|fault| !missing(fault)).map(Told::fault));
    }
    Ok(told_report(&told, &[], None, format, style))
}

/// Whether one of the keys that could not be read was this one, or meant to be.
fn is_about(broken: &[&str], key: &str) -> bool {
    broken.iter().any(|broken| *broken == key || near(broken, [key]).is_some())
}

/// Something wrong with a file, as it is told.
struct Told {
    line: Option<usize>,
    clause: Option<String>,
    what: String,
}

impl Told {
    fn unread(fault: &transcript::Unread) -> Self {
        Self { line: fault.line, clause: None, what: fault.message.clone() }
    }

    fn fault(fault: &check::Fault) -> Self {
        let clause = fault.clause.map(|clause| clause.to_string());
        Self { line: None, clause, what: fault.what.clone() }
    }
}

fn told_report(
    told: &[Told],
    remarks: &[Told],
    hash: Option<shoe::Digest>,
    format: Format,
    style: Style,
) -> Report {
    let code = u8::from(!told.is_empty());
    if format.is_json() {
        let one = |t: &Told| json!({ "what": t.what, "clause": t.clause, "line": t.line });
        let list = |told: &[Told]| told.iter().map(one).collect::<Vec<Value>>();
        let all = json!({ "faults": list(told), "remarks": list(remarks), "sha256": hash });
        return Report { text: pretty(&all), code };
    }
    let lines = told.iter().chain(remarks).map(|Told { line, clause, what }| {
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        let clause = clause.as_ref().map_or_else(String::new, |clause| format!(" [{clause}]"));
        style.item(&format!("{line}{what}{clause}"), 2)
    });
    Report { text: lines.collect(), code }
}

fn checked(conditions: &Conditions, book: &Rulebook, format: Format, style: Style) -> Report {
    let told = |faults: &[check::Fault]| faults.iter().map(Told::fault).collect::<Vec<_>>();
    let faults = told(&check::faults(conditions, book));
    let remarks = told(&check::remarks(conditions, book));
    let hash = document::hash(conditions, book);
    let listed = told_report(&faults, &remarks, Some(hash), format, style);
    if format.is_json() || !faults.is_empty() {
        return listed;
    }
    let stated = check::matters(conditions, book).iter().filter(|m| m.stated).count();
    let mut text = format!(
        "The conditions state {stated} matters that {} has a rule on, and nothing is wrong with \
         them.\n{}",
        book.title.name(),
        listed.text
    );
    for line in document::prize_sheet(conditions) {
        text += &format!("{line}\n");
    }
    text += &format!("SHA-256 of the document: {hash}\n");
    Report { text, code: 0 }
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
