//! A book to begin with: every question that a book answers, with an answer that can be loaded.

use std::fmt::Write;

use rules::policy::{Answer, Datum, FORMAT, Kind, SectionSpec, Spec};
use rules::{PayMethod, Rulebook};

use crate::{LoadError, find, load};

/// The two files of a new book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skeleton {
    /// `rulebook.toml`.
    pub rulebook: String,
    /// `clauses.toml`.
    pub clauses: String,
}

/// The book whose answers a new book has where it must have one.
const MODEL: &str = "act-2012";

/// The clause that everything rests on until the source is read.
const UNREAD: &str = "1";

/// The files of a new book: those of another book, or a book that has nothing that a book can do
/// without.
///
/// # Errors
///
/// When there is no such other book, or it is not sound.
pub fn skeleton(from: Option<&str>) -> Result<Skeleton, LoadError> {
    let Some(from) = from else {
        return Ok(Skeleton { rulebook: blank(&load(MODEL, None)?.rulebook), clauses: unread() });
    };
    load(from, None)?;
    let files = find(from, None, &[])?;
    let top = format!(
        "# Begun as a copy of {0}. Read it line by line beside the new source.\n\
         # `sabot rules diff {0} FOLDER` tells what is different so far.\n\n",
        files.id
    );
    // What the other book was called before is not the new one's past.
    let own = |line: &&str| !line.starts_with("former = ") && !line.starts_with("# Identities");
    let rulebook: Vec<_> = files.rulebook.text.lines().filter(own).collect();
    let (rulebook, clauses) =
        (format!("{top}{}\n", rulebook.join("\n")), top + &files.clauses.text);
    Ok(Skeleton { rulebook, clauses })
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
