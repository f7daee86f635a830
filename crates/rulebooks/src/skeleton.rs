//! A book to begin with: every question that a book answers, with an answer that can be loaded.

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use rules::policy::{Answer, Datum, FORMAT, Kind, SectionSpec, Spec};
use rules::{PayMethod, Rulebook};

use crate::fault::{FaultKind, Faults};
use crate::page::Page;
use crate::{Files, LoadError, OwnFile, find, groups_of, load, load_with, named};

/// The files of a new book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skeleton {
    /// `rulebook.toml`.
    pub rulebook: String,
    /// `clauses.toml`.
    pub clauses: String,
    /// Sheets of side bets that lie beside them: names of files, and texts.
    pub sheets: Vec<(String, String)>,
}

/// The book whose answers a new book has where it must have one.
const MODEL: &str = "act-2012";

/// The clause that everything rests on until the source is read.
const UNREAD: &str = "1";

/// The files of a new book: those of another book with its own sheets of side bets, or a book that
/// has nothing that a book can do without. The other book is named as everywhere: with further
/// sheets, as in `house+storm`, or over another base, as in `vic-2005@act-2018`.
///
/// # Errors
///
/// When there is no such other book, or it is not sound.
pub fn skeleton(from: Option<&str>) -> Result<Skeleton, LoadError> {
    let Some(from) = from else {
        let rulebook = blank(&load(MODEL, None)?.rulebook);
        return Ok(Skeleton { rulebook, clauses: unread(), sheets: Vec::new() });
    };
    let (book, base) = named(from);
    let loaded = load(book, base)?;
    let mut parts = book.split('+');
    let files = find(parts.next().unwrap_or(book), None, &[])?;
    let top = format!(
        "# Begun as a copy of {}. Read it line by line beside the new source.\n\
         # `sabot rules diff {} FOLDER` tells what is different so far.\n\n",
        loaded.rulebook.title.name(),
        loaded.rulebook.title.name()
    );
    let mut changed = retitled(&files.rulebook, parts, base);
    if base.is_some() {
        changed = outspoken(changed, &files);
    }
    // What the other book was called before is not the new one's past.
    let own = |line: &&str| !line.starts_with("former = ") && !line.starts_with("# Identities");
    let rulebook: Vec<_> = changed.lines().filter(own).collect();
    let (rulebook, clauses) =
        (format!("{top}{}\n", rulebook.join("\n")), top + &files.clauses.text);
    let sheets = files.own.iter().filter(|own| !groups_of(&own.text).is_empty());
    let sheets = sheets.filter(|own| own.file != "rulebook.toml");
    let sheets = sheets.map(|own| (own.file.clone(), own.text.clone())).collect();
    Ok(Skeleton { rulebook, clauses, sheets })
}

/// The text of a book whose title also names these sheets, and that base.
fn retitled<'a>(page: &Page, sheets: impl Iterator<Item = &'a str>, base: Option<&str>) -> String {
    let table = page.parse(&mut Faults::default());
    let title = table.iter().find(|(key, _)| key.get_ref() == "title");
    let title = title.and_then(|(_, title)| title.get_ref().as_table());
    let of = |name: &str| {
        let found = title?.iter().find(|(key, _)| key.get_ref() == name);
        found.map(|(_, value)| value)
    };
    // Each piece of the text, and what stands there instead.
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    if let (Some(base), Some(amends)) = (base, of("amends")) {
        edits.push((amends.span(), format!("\"{base}\"")));
    }
    let with = of("with").and_then(|with| with.get_ref().as_array());
    let mut all: Vec<&str> =
        with.into_iter().flatten().filter_map(|with| with.get_ref().as_str()).collect();
    let before = all.len();
    for sheet in sheets {
        if !all.contains(&sheet) {
            all.push(sheet);
        }
    }
    if all.len() > before {
        let list: Vec<_> = all.iter().map(|sheet| format!("\"{sheet}\"")).collect();
        let list = format!("[{}]", list.join(", "));
        match (of("with"), of("game")) {
            (Some(with), _) => edits.push((with.span(), list)),
            (None, Some(game)) => {
                let end = game.span().end;
                edits.push((end..end, format!("\nwith = {list}")));
            }
            (None, None) => {}
        }
    }
    edited(&page.text, edits)
}

/// An amendment over another base than its own lets that base speak where it has no rule itself. A
/// copy whose own base that is must not list such items as silent.
fn outspoken(text: String, files: &Files) -> String {
    let file = |file: &str, text: &str| OwnFile {
        book: files.id.clone(),
        file: file.into(),
        text: text.into(),
    };
    let mut kept = files.own.clone();
    kept.retain(|own| own.file != "rulebook.toml" && own.file != "clauses.toml");
    kept.insert(0, file("rulebook.toml", &text));
    kept.insert(1, file("clauses.toml", &files.clauses.text));
    let Err(LoadError::Faults(faults)) = load_with(&files.id, None, &kept) else { return text };
    let silent = faults.iter().filter(|fault| fault.kind == FaultKind::Silence);
    let paths: Vec<_> = silent.filter_map(|fault| fault.wrong.split('`').nth(1)).collect();
    let page = Page::new(Arc::from("rulebook.toml"), text);
    let table = page.parse(&mut Faults::default());
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for path in &paths {
        let (section, key) = path.rsplit_once('.').unwrap_or(("", path));
        let sections = section.split('.').filter(|part| !part.is_empty());
        let inside = sections.clone().try_fold(&table, |table, part| {
            let (_, value) = table.iter().find(|(key, _)| key.get_ref() == part)?;
            value.get_ref().as_table()
        });
        let item = |name: &str| inside?.iter().find(|(key, _)| key.get_ref() == name);
        if let Some((key, value)) = item(key) {
            edits.push((key.span().start..value.span().end, String::new()));
        } else if let Some((_, list)) = item("silent") {
            let names = list.get_ref().as_array().into_iter().flatten();
            let names = names.filter_map(|name| name.get_ref().as_str());
            let left = names.filter(|name| !paths.contains(&&*format!("{section}.{name}")));
            let left: Vec<_> = left.map(|name| format!("\"{name}\"")).collect();
            edits.push((list.span(), format!("[{}]", left.join(", "))));
        }
    }
    edited(&page.text, edits)
}

/// The text with some pieces replaced, each once.
fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    edits.dedup();
    let mut text = text.to_owned();
    for (place, instead) in edits {
        text.replace_range(place, &instead);
    }
    text
}

fn unread() -> String {
    format!(
        r#"# The clauses of the source, in our own words. Begin here, with the source beside you.
#
# `numbered` lists the numbers that the source gives its clauses; "2.1-2.6" is a run of six. Each
# needs an entry.
numbered = ["{UNREAD}"]

# Everything in rulebook.toml rests on this entry until the source is read. Put the real clauses in
# its place. The duty is one of
#   enforced   what may, must or may not happen to cards, wagers, chips and limits
#   recorded   staff act or decide
#   shown      binds people beyond the system's reach
#   defines    gives a word its meaning
#   open       binds the system, which does not carry it out yet
# Numbers that nobody has read yet need no entry: list them in `unread`, in runs as in `numbered`.
[[clause]]
id = "{UNREAD}"
duty = "enforced"
gist = "The source is not read yet"
"#
    )
}

/// The head of a new `rulebook.toml`.
const HEAD: &str = r#"# A decision is an answer with its clause, { is = …, clause = "…" }; a word
# alone says that the source has no rule. A ground is the clause on which a kind of event rests;
# `silent` lists the grounds that the source does not have. The comment before an item says what it
# is about and which answers there are. Every answer below is only a beginning: put the source's in
# its place, with its clause.

# Sections that the book does not have. For one that it has, delete the line here and write the
# section; `sabot rules check` then asks for all that is in it.
"#;

fn blank(model: &Rulebook) -> String {
    let answers = model.answers();
    let mut text = String::from(HEAD);
    for section in Rulebook::SECTIONS.iter().filter(|section| left_out(section)) {
        if section.part_of.is_none() {
            let _ = writeln!(text, "{} = \"none\" # {}", section.path, section.title.trim());
        }
    }
    text += "\n[title]\ngame = \"Baccarat\"\njurisdiction = \"where it is law\"\n\
             instrument = \"what it was made by\"\nin_force = \"from when on\"\n";
    let _ = writeln!(text, "format = {FORMAT}");
    let usual = model.methods.first().map(|method| PayMethod::section(method.key));
    let sections = Rulebook::SECTIONS.iter().filter(|section| !left_out(section));
    for section in sections.chain(usual) {
        let _ = writeln!(text, "\n# {}\n[{}]", section.title.trim(), section.path);
        let (mut silent, mut grids) = (Vec::new(), String::new());
        for item in section.items {
            match line(item, &answers) {
                // A table within the section comes after all of its lines.
                Some(line) if line.starts_with('\n') => grids += &line,
                Some(line) => text += &line,
                None => silent.push(format!("\"{}\"", item.key())),
            }
        }
        if !silent.is_empty() {
            let _ = writeln!(text, "silent = [{}]", silent.join(", "));
        }
        text += &grids;
    }
    text += "\n# Side bets follow as [[side_bet]]; the sheets in sidebets/ show how.\n";
    text
}

const fn left_out(section: &SectionSpec) -> bool {
    section.optional || section.part_of.is_some()
}

/// The line of an item; nothing for a ground that a book may do without.
fn line(item: &Spec, answers: &[Answer]) -> Option<String> {
    let (key, label) = (item.key(), item.label());
    match item.kind {
        Kind::Ground { optional: true } => None,
        Kind::Ground { optional: false } | Kind::Section => {
            Some(format!("# {label}\n{key} = \"{UNREAD}\"\n"))
        }
        Kind::Decision { shape, without: Some((word, _)) } => {
            Some(format!("# {label}: \"{word}\", or {shape}\n{key} = \"{word}\"\n"))
        }
        Kind::Decision { shape, without: None } => {
            let given = answers.iter().find(|answer| answer.spec.path == item.path)?;
            let datum = given.datum.as_ref()?;
            if let Datum::Text(grid) = datum
                && grid.contains('\n')
            {
                let is = format!("is = \"\"\"\n{}\n\"\"\"", grid.trim_end());
                let table = format!("[{}]\nclause = \"{UNREAD}\"\n{is}", item.path);
                return Some(format!("\n# {label}: {shape}\n{table}\n"));
            }
            let item = format!("{key} = {{ is = {datum}, clause = \"{UNREAD}\" }}");
            Some(format!("# {label}: {shape}\n{item}\n"))
        }
    }
}
