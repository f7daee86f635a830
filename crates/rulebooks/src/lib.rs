//! Rulebooks as data: read, checked, laid over each other, compared, and embedded.
//!
//! A book is a folder with `rulebook.toml` (every decision and ground) and `clauses.toml`
//! (every clause in our own words). [`load`] gives a [`Book`] or all of its faults at once.

mod bets;
mod diff;
mod fault;
mod index;
mod page;
mod resolve;
mod schema;
mod sheet;
mod skeleton;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use diff::{Difference, differences};
pub use fault::{Fault, FaultKind, Place, Step};
pub use index::{ClauseEntry, Duty, Index};
use rules::policy::Datum;
use rules::{BookId, Clause, Rulebook};
pub use schema::{SchemaOf, schema};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
pub use skeleton::{Skeleton, skeleton};

use crate::fault::Faults;
use crate::page::Page;
use crate::sheet::Sheet;

/// The books that come with Sabot: id, `rulebook.toml`, `clauses.toml`.
static EMBEDDED: &[(&str, &str, &str)] = &include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The sheets of side bets that come with Sabot: id and text.
static SHEETS: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/sheets.rs"));

/// A rulebook ready for play, with the index of its clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Book {
    /// Decisions and grounds, resolved.
    pub rulebook: Rulebook,
    /// The clauses of the book itself.
    pub index: Index,
    /// The clauses of the base that it amends, if it is an amendment.
    pub base_index: Option<Index>,
    /// The sheets of side bets that are laid over it.
    pub sheets: Vec<SideBetSheet>,
    /// Identities that the book had before its form changed, while every ruling stayed the same.
    pub former: Vec<String>,
    /// The files of all in it that does not come with Sabot: with them it can be loaded anywhere.
    pub files: Vec<OwnFile>,
    /// What a person should know who keeps the book: answers that it could give by now.
    pub remarks: Vec<String>,
}

/// A file of a book that does not come with Sabot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnFile {
    /// The id of the book.
    pub book: String,
    /// The name of the file, such as `rulebook.toml`.
    pub file: String,
    /// The text.
    pub text: String,
}

/// A sheet of side bets that a house lays over a book. It cites itself, not a regulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideBetSheet {
    /// Its id.
    pub id: BookId,
    /// Its name.
    pub name: String,
    /// Where its pay table is from.
    pub source: String,
    /// Its clauses.
    pub index: Index,
}

impl Book {
    /// What the index says of a clause, be it the book's own or its base's.
    #[must_use]
    pub fn clause(&self, clause: &Clause) -> Option<&ClauseEntry> {
        if clause.book() == self.rulebook.title.id.as_str() {
            return self.index.get(clause.number());
        }
        let sheet = self.sheets.iter().find(|sheet| sheet.id.as_str() == clause.book());
        let index = sheet.map(|sheet| &sheet.index).or(self.base_index.as_ref());
        index?.get(clause.number())
    }

    /// The resolved book in one fixed form: equal books give equal bytes.
    #[must_use]
    pub fn canonical(&self) -> String {
        let (mut decisions, mut grounds) = (Map::new(), Map::new());
        for answer in self.rulebook.answers() {
            let (path, clause) = (answer.spec.path, answer.clause.map(|clause| clause.to_string()));
            match answer.datum {
                Some(is) => {
                    decisions.insert(path.into(), json!({ "is": value(&is), "clause": clause }))
                }
                None => grounds.insert(path.into(), json!(clause)),
            };
        }
        let name = self.rulebook.title.name();
        json!({ "book": name, "decisions": decisions, "grounds": grounds }).to_string()
    }

    /// Whether this edition rules as the one with that identity does: it is the same, or the form
    /// alone has changed since.
    #[must_use]
    pub fn rules_as(&self, sha256: &str) -> bool {
        self.sha256() == sha256 || self.former.iter().any(|former| former == sha256)
    }

    /// The SHA-256 of [`Book::canonical`], in hexadecimal: the identity of the book.
    #[must_use]
    pub fn sha256(&self) -> String {
        let digest = Sha256::digest(self.canonical());
        digest.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
    }
}

/// What a name says: an id or a folder, and the base behind the last `@`.
#[must_use]
pub fn named(name: &str) -> (&str, Option<&str>) {
    name.rsplit_once('@').map_or((name, None), |(book, base)| (book, Some(base)))
}

/// An answer as JSON.
#[must_use]
pub fn value(datum: &Datum) -> Value {
    match datum {
        Datum::Number(number) => (*number).into(),
        Datum::Text(text) => text.as_str().into(),
        Datum::List(items) => items.iter().map(value).collect(),
        Datum::Other(_) => Value::Null,
    }
}

/// Sheets of side bets that can be named with a book.
const MOST_SHEETS: usize = 32;

/// Why a book could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No book of that name.
    #[error("there is no rulebook `{asked}`; there are {}, or name a folder", known.join(", "))]
    Unknown {
        /// The name.
        asked: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// A base was named for a book that amends nothing.
    #[error("{book} is a rulebook of its own and is not laid over {base}")]
    NoAmendment {
        /// The book.
        book: String,
        /// The base that was asked for.
        base: String,
    },
    /// A sheet was named twice, or too many of them.
    #[error(
        "{sheet} cannot be laid over {book} once more; a book takes each sheet of side bets once, \
         and at most {MOST_SHEETS} of them"
    )]
    Sheets {
        /// The book.
        book: String,
        /// The sheet.
        sheet: String,
    },
    /// The book is at fault. All faults are listed, a line each.
    #[error("{}", lines(.0))]
    Faults(Vec<Fault>),
}

fn lines(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
}

/// The two files of a book.
struct Files {
    id: String,
    folder: Option<PathBuf>,
    rulebook: Page,
    clauses: Page,
    /// Nothing for a book that comes with Sabot.
    own: Vec<OwnFile>,
}

impl Files {
    /// The text of a sheet of side bets that lies in the book's folder.
    fn sheet(&self, name: &str) -> Option<(String, String)> {
        let file = format!("{name}.toml");
        let own = self.own.iter().find(|own| own.file == file)?;
        let path = self.folder.as_ref().map_or(PathBuf::from(&file), |folder| folder.join(&file));
        Some((path.display().to_string(), own.text.clone()))
    }
}

/// One book, read but not yet laid over a base.
struct Reading {
    id: BookId,
    sheet: Sheet,
    index: Index,
}

/// The ids of the books that come with Sabot.
#[must_use]
pub fn ids() -> Vec<&'static str> {
    EMBEDDED.iter().map(|(id, ..)| *id).collect()
}

/// The ids of the books that come with Sabot and amend no other.
#[must_use]
pub fn principals() -> Vec<&'static str> {
    let amends = |id: &&str| load(id, None).is_ok_and(|book| book.rulebook.title.base.is_some());
    ids().into_iter().filter(|id| !amends(id)).collect()
}

/// Every way to name a book that comes with Sabot: the principal ones, and each amendment over each
/// of them.
#[must_use]
pub fn names() -> Vec<String> {
    let principals = principals();
    let amendments: Vec<_> = ids().into_iter().filter(|id| !principals.contains(id)).collect();
    let over = |amendment: &&str| {
        let amendment = (*amendment).to_owned();
        principals.iter().map(move |base| format!("{amendment}@{base}")).collect::<Vec<_>>()
    };
    let own = principals.iter().map(|id| (*id).to_owned());
    own.chain(amendments.iter().flat_map(over)).collect()
}

/// The ids of the sheets of side bets that come with Sabot.
#[must_use]
pub fn sheet_ids() -> Vec<&'static str> {
    SHEETS.iter().map(|(id, _)| *id).collect()
}

/// A book as a file names it: a folder is looked for beside the file, and only then where the
/// program was started.
#[must_use]
pub fn beside(file: &Path, name: &str) -> String {
    let (folder, rest) = name.split_at(name.find(['+', '@']).unwrap_or(name.len()));
    let there = file.parent().map(|parent| parent.join(folder));
    let there = there.filter(|path| !ids().contains(&folder) && path.is_dir());
    there.map_or_else(|| name.to_owned(), |path| path.display().to_string() + rest)
}

/// Whether there is a sheet of that id: one that comes with Sabot, or a file in the book's folder
/// or in that of its base.
#[must_use]
pub fn has_sheet(book: &str, id: &str) -> bool {
    sheet_ids().contains(&id) || own_sheets(book).iter().any(|(own, _)| own == id)
}

/// The sheet that has side bets under that key: of its own id, or else the one that declares it.
/// Several may do so; then the first is meant, in the order of their names.
#[must_use]
pub fn sheet_of(book: &str, key: &str) -> Option<String> {
    if has_sheet(book, key) {
        return Some(key.to_owned());
    }
    let library = SHEETS.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned()));
    let mut all = own_sheets(book).into_iter().chain(library);
    all.find(|(_, text)| groups_of(text).iter().any(|group| group == key)).map(|(id, _)| id)
}

/// The groups of side bets that a sheet declares; none, if it cannot be read.
fn groups_of(text: &str) -> Vec<String> {
    let table: toml::Table = text.parse().unwrap_or_default();
    let bets = table.get("side_bet").and_then(toml::Value::as_array);
    let mut groups: Vec<String> = Vec::new();
    for bet in bets.into_iter().flatten() {
        let group = bet.get("of").or_else(|| bet.get("key")).and_then(toml::Value::as_str);
        if let Some(group) = group.filter(|group| !groups.iter().any(|known| known == group)) {
            groups.push(group.to_owned());
        }
    }
    groups
}

/// The sheets in the folders of a book and its base: ids and texts.
fn own_sheets(book: &str) -> Vec<(String, String)> {
    let (name, base) = named(book.split('+').next().unwrap_or(book));
    let (_, asked) = named(book);
    let base = base.or(asked);
    let Ok(files) = find(name, None, &[]) else { return Vec::new() };
    let table: toml::Table = files.rulebook.text.parse().unwrap_or_default();
    let amends = table.get("title").and_then(|title| title.get("amends"));
    let amends = amends.and_then(toml::Value::as_str);
    let beside = files.folder.as_deref().and_then(Path::parent);
    let base = amends.and_then(|own| find(base.unwrap_or(own), beside, &[]).ok());
    let all = files.own.iter().chain(base.iter().flat_map(|base| &base.own));
    let sheets = all.filter(|own| !["rulebook.toml", "clauses.toml"].contains(&own.file.as_str()));
    let id = |own: &OwnFile| own.file.trim_end_matches(".toml").to_owned();
    sheets.map(|own| (id(own), own.text.clone())).collect()
}

/// Loads a book by its id, or by the path of its folder; sheets of side bets follow with a plus
/// sign, as in `act-2018+lucky-6`. An amendment is laid over `base`, or over the book that it
/// names itself.
///
/// # Errors
///
/// When there is no such book, or with all of its faults.
pub fn load(name: &str, base: Option<&str>) -> Result<Book, LoadError> {
    load_with(name, base, &[])
}

/// All files that a book is made of, those that come with Sabot too: with them the same edition can
/// be loaded when Sabot's own has changed.
#[must_use]
pub fn sources(book: &Book) -> Vec<OwnFile> {
    let mut all = book.files.clone();
    let title = &book.rulebook.title;
    let own = |all: &[OwnFile], id: &str, file: &str| {
        all.iter().any(|own| own.book == id && own.file == file)
    };
    for id in std::iter::once(title.id).chain(title.base) {
        let known = EMBEDDED.iter().find(|(known, ..)| *known == id.as_str());
        if let Some((id, rulebook, clauses)) = known.filter(|_| !own(&all, &id, "rulebook.toml")) {
            for (file, text) in [("rulebook.toml", rulebook), ("clauses.toml", clauses)] {
                let (book, file, text) = ((*id).into(), file.into(), (*text).into());
                all.push(OwnFile { book, file, text });
            }
        }
    }
    for sheet in &title.with {
        let file = format!("{sheet}.toml");
        let known = SHEETS.iter().find(|(known, _)| *known == sheet.as_str());
        // A sheet of one's own may lie in the base's folder.
        let there = all.iter().any(|own| own.file == file);
        if let Some((_, text)) = known.filter(|_| !there) {
            all.push(OwnFile { book: title.id.to_string(), file, text: (*text).into() });
        }
    }
    all
}

/// Whether a file is word for word one that comes with Sabot.
#[must_use]
pub fn comes_with_sabot(own: &OwnFile) -> bool {
    let book = EMBEDDED.iter().find(|(id, ..)| *id == own.book);
    let book = book.is_some_and(|(_, rulebook, clauses)| match own.file.as_str() {
        "rulebook.toml" => own.text == *rulebook,
        "clauses.toml" => own.text == *clauses,
        _ => false,
    });
    let sheet = SHEETS.iter().find(|(id, _)| own.file.strip_suffix(".toml") == Some(*id));
    book || sheet.is_some_and(|(_, text)| own.text == *text)
}

/// Loads a book as [`load`] does, from files that were kept instead of those on the disk.
///
/// # Errors
///
/// When there is no such book, or with all of its faults.
pub fn load_with(name: &str, base: Option<&str>, kept: &[OwnFile]) -> Result<Book, LoadError> {
    let mut faults = Faults::default();
    let mut parts = name.split('+');
    let name = parts.next().unwrap_or(name);
    let plus = named_once(name, parts)?;
    let files = find(name, None, kept)?;
    let beside = files.folder.as_deref().and_then(Path::parent).map(Path::to_owned);
    let reading = read(&files, &mut faults);
    let Some(reading) = reading else { return Err(LoadError::Faults(faults.sorted())) };
    let base = match (&reading.sheet.title.amends, base) {
        (None, None) => None,
        (None, Some(base)) => {
            let (book, base) = (reading.id.to_string(), base.to_owned());
            return Err(LoadError::NoAmendment { book, base });
        }
        (Some(_), Some(base)) => Some(base.to_owned()),
        (Some((base, _)), None) => Some(base.clone()),
    };
    resolve::account_for(&reading.sheet, &reading.index, &mut faults);
    let mut with = reading.sheet.with.clone();
    with.extend(plus.into_iter().map(|id| (id, reading.sheet.top.clone())));
    let mut book = match base {
        None => finish(reading, &mut faults).map(|book| (book, None)),
        Some(base) => lay_over(reading, &base, (beside.as_deref(), kept), &mut faults)
            .map(|(book, base)| (book, Some(base))),
    };
    if let Some((book, base)) = &mut book {
        let base = base.as_ref();
        // The base's sheets come first, and from its own folder.
        for (id, place) in base.into_iter().flat_map(|base| &base.with) {
            let folders: Vec<_> =
                base.map(|base| &base.files).into_iter().chain([&files]).collect();
            lay_sheet(book, id, &folders, place, &mut faults);
        }
        for (id, place) in &with {
            let folders: Vec<_> =
                [&files].into_iter().chain(base.map(|base| &base.files)).collect();
            lay_sheet(book, id, &folders, place, &mut faults);
        }
        if !book.sheets.is_empty() {
            // With side bets laid over it, it is another book.
            book.former.clear();
        }
        // Of what else lies in the folder, only the sheets in use belong to the book.
        let used = |own: &OwnFile| {
            let sheet = own.file.strip_suffix(".toml").and_then(book_id);
            let sheet = sheet.is_some_and(|sheet| book.rulebook.title.with.contains(&sheet));
            sheet || ["rulebook.toml", "clauses.toml"].contains(&own.file.as_str())
        };
        let all = files.own.iter().chain(base.into_iter().flat_map(|base| &base.files.own));
        book.files = all.filter(|own| used(own)).cloned().collect();
        book.remarks = faults.remarks();
    }
    let book = book.map(|(book, _)| book);
    book.filter(|_| faults.is_empty()).ok_or_else(|| LoadError::Faults(faults.sorted()))
}

/// The sheets that are named with a book. A name from afar may be long: what is named twice stops
/// it before anything is loaded.
fn named_once<'a>(
    book: &str,
    sheets: impl Iterator<Item = &'a str>,
) -> Result<Vec<String>, LoadError> {
    let mut once: Vec<String> = Vec::new();
    for sheet in sheets {
        if once.len() == MOST_SHEETS || once.iter().any(|known| known == sheet) {
            return Err(LoadError::Sheets { book: book.into(), sheet: sheet.into() });
        }
        once.push(sheet.to_owned());
    }
    Ok(once)
}

/// Whether what a book says goes together, as it must in every book that can be loaded.
#[must_use]
pub fn is_sound(book: &Rulebook) -> bool {
    resolve::together(book).is_empty()
}

fn finish(reading: Reading, faults: &mut Faults) -> Option<Book> {
    let rulebook = resolve::resolve(reading.id, None, &reading.sheet, faults)?;
    let Reading { sheet, index, .. } = reading;
    Some(Book {
        rulebook,
        index,
        base_index: None,
        sheets: Vec::new(),
        former: sheet.former,
        files: Vec::new(),
        remarks: Vec::new(),
    })
}

/// What is needed of a base beyond its rules: its folder, and the sheets that it lays over itself.
struct Base {
    files: Files,
    with: Vec<(String, Place)>,
}

fn lay_over(
    amendment: Reading,
    base: &str,
    (beside, kept): (Option<&Path>, &[OwnFile]),
    faults: &mut Faults,
) -> Option<(Book, Base)> {
    let place = amendment.sheet.title.amends.as_ref().map_or(&amendment.sheet.top, |(_, at)| at);
    let files = match find(base, beside, kept) {
        Ok(files) => files,
        Err(unknown) => {
            let right = "a folder beside this one is allowed too";
            faults.note(place, FaultKind::Base, unknown.to_string(), right);
            return None;
        }
    };
    let base = read(&files, faults)?;
    if base.sheet.amends() {
        let wrong = format!("the base {} is an amendment itself", base.id);
        faults.note(place, FaultKind::Base, wrong, "an amendment is laid over a principal book");
        return None;
    }
    let before = faults.len();
    resolve::account_for(&base.sheet, &base.index, faults);
    resolve::resolve(base.id, None, &base.sheet, faults)?;
    if faults.len() > before {
        // What is wrong with the base would only be blamed on the amendment.
        return None;
    }
    let sheet = resolve::overlay(&base.id, &base.sheet, &amendment.sheet, faults);
    let rulebook = resolve::resolve(amendment.id, Some(base.id), &sheet, faults)?;
    // Over another base than its own, an amendment is another book.
    let own = amendment.sheet.title.amends.is_some_and(|(own, _)| own == base.id.as_str());
    let former = if own { amendment.sheet.former } else { Vec::new() };
    let base_index = Some(base.index);
    let book = Book {
        rulebook,
        index: amendment.index,
        base_index,
        sheets: Vec::new(),
        former,
        files: Vec::new(),
        remarks: Vec::new(),
    };
    Some((book, Base { files, with: base.sheet.with }))
}

/// Lays a sheet of side bets over a book: a file of the first of these folders that has it, or one
/// that comes with Sabot.
fn lay_sheet(book: &mut Book, name: &str, folders: &[&Files], place: &Place, faults: &mut Faults) {
    let known = SHEETS.iter().find(|(id, _)| *id == name);
    let own = folders.iter().find_map(|files| files.sheet(name));
    let (file, text) = match (own, known) {
        (Some((file, text)), _) => (file, Some(text)),
        (None, Some((_, text))) => (format!("sidebets/{name}.toml"), Some((*text).to_owned())),
        (None, None) => (String::new(), None),
    };
    let (Some(text), Some(id)) = (text, book_id(name)) else {
        let wrong = format!("there is no sheet of side bets `{name}`");
        let right = format!("there are {}", sheet_ids().join(", "));
        return faults.note(place, FaultKind::Unreadable, wrong, right);
    };
    if book.rulebook.title.with.contains(&id) {
        // The book has it already.
        return;
    }
    let page = Page::new(Arc::from(file), text);
    let before = faults.len();
    let table = page.parse(faults);
    if faults.len() > before {
        return;
    }
    let about = table.iter().find(|(key, _)| key.get_ref() == "about").map(|(_, about)| about);
    let part = |keys: &[&str], wanted: bool| -> toml::de::DeTable<'_> {
        let some = table.iter().filter(|(key, _)| keys.contains(&&**key.get_ref()) == wanted);
        some.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let clauses = part(&["numbered", "clause"], true);
    let bets = part(&["about", "numbered", "clause"], false);
    let index = Index::read(&page, &clauses, faults);
    let within = sheet::Within { book: id, page: &page, index: &index };
    let read = Sheet::of_side_bets(within, &bets, faults);
    let said = |key: &str| {
        let table = about.and_then(|about| about.get_ref().as_table());
        let value = table.and_then(|table| table.iter().find(|(name, _)| name.get_ref() == key));
        value.and_then(|(_, value)| value.get_ref().as_str()).unwrap_or_default().to_owned()
    };
    let keys = about.and_then(|about| about.get_ref().as_table());
    for (key, _) in keys.into_iter().flatten() {
        if !ABOUT.contains(&key.get_ref().as_ref()) {
            let wrong = format!("`about.{}` is no key of a sheet of side bets", key.get_ref());
            let right = fault::suggest(key.get_ref(), ABOUT.into_iter());
            faults.note(&page.at(key), FaultKind::UnknownKey, wrong, right);
        }
    }
    let (name, source) = (said("name"), said("source"));
    if name.is_empty() || source.is_empty() {
        let right = "give it `name`, and `source`: where its pay table is from";
        faults.note(
            &page.place(0),
            FaultKind::Missing,
            "`[about]` of a sheet lacks something",
            right,
        );
    }
    resolve::account_for(&read, &index, faults);
    if faults.len() == before {
        resolve::add(id, &mut book.rulebook, &read, faults);
        book.sheets.push(SideBetSheet { id, name, source, index });
    }
}

/// The keys of `[about]` in a sheet.
const ABOUT: [&str; 2] = ["name", "source"];

/// Finds the files of a book: a folder beside another, a book that comes with Sabot, or a folder.
fn find(name: &str, beside: Option<&Path>, kept: &[OwnFile]) -> Result<Files, LoadError> {
    if let Some(files) = kept_files(name, kept) {
        return Ok(files);
    }
    let mut faults = Faults::default();
    let sibling = beside.map(|folder| folder.join(name)).filter(|path| is_book(path));
    if let Some((id, rulebook, clauses)) = EMBEDDED.iter().find(|(id, ..)| *id == name)
        && sibling.is_none()
    {
        let page = |file: &str, text: &str| {
            Page::new(Arc::from(format!("rulebooks/{id}/{file}")), text.to_owned())
        };
        return Ok(Files {
            id: (*id).to_owned(),
            folder: None,
            rulebook: page("rulebook.toml", rulebook),
            clauses: page("clauses.toml", clauses),
            own: Vec::new(),
        });
    }
    let path = sibling.unwrap_or_else(|| PathBuf::from(name));
    if !path.is_dir() {
        let known = ids().into_iter().map(str::to_owned).collect();
        return Err(LoadError::Unknown { asked: name.to_owned(), known });
    }
    // `.` and `house/..` have no name of their own.
    let named = path.canonicalize().unwrap_or_else(|_| path.clone());
    let id = named.file_name().map(|id| id.to_string_lossy().into_owned()).unwrap_or_default();
    let mut page = |file: &str| {
        let path = path.join(file);
        let name: Arc<str> = Arc::from(path.display().to_string());
        let text = fs::read_to_string(&path).unwrap_or_else(|error| {
            let place = Place { file: name.clone(), line: 1, column: 1 };
            let wrong = format!("it cannot be read: {error}");
            let right = "a book is a folder with rulebook.toml and clauses.toml";
            faults.note(&place, FaultKind::Unreadable, wrong, right);
            String::new()
        });
        Page::new(name, text)
    };
    let (rulebook, clauses) = (page("rulebook.toml"), page("clauses.toml"));
    if !faults.is_empty() {
        return Err(LoadError::Faults(faults.sorted()));
    }
    let own = own_files(&path, &id, &rulebook, &clauses);
    Ok(Files { id, folder: Some(named), rulebook, clauses, own })
}

/// The files of a folder that belong to a book: its two, and sheets of side bets.
fn own_files(path: &Path, id: &str, rulebook: &Page, clauses: &Page) -> Vec<OwnFile> {
    let file = |file: &str, text: String| OwnFile { book: id.into(), file: file.into(), text };
    let mut own = vec![
        file("rulebook.toml", rulebook.text.clone()),
        file("clauses.toml", clauses.text.clone()),
    ];
    let mut names: Vec<_> = fs::read_dir(path)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.strip_suffix(".toml").is_some_and(|id| book_id(id).is_some()))
        .filter(|name| own.iter().all(|own| own.file != *name))
        .collect();
    names.sort();
    let sheets = names
        .iter()
        .filter_map(|name| fs::read_to_string(path.join(name)).ok().map(|text| file(name, text)));
    own.extend(sheets);
    own
}

/// The files of a book that were kept: those under its name, or the first if it has none.
fn kept_files(name: &str, kept: &[OwnFile]) -> Option<Files> {
    let known = |id: &str| kept.iter().any(|own| own.book == id);
    let leaf = Path::new(name).file_name().map(|leaf| leaf.to_string_lossy().into_owned());
    let first = || kept.first().map(|own| own.book.clone()).filter(|_| !ids().contains(&name));
    let id = leaf.filter(|leaf| known(leaf)).or_else(first)?;
    let own: Vec<_> = kept.iter().filter(|own| own.book == id).cloned().collect();
    let page = |file: &str| {
        let text = own.iter().find(|own| own.file == file).map(|own| own.text.clone());
        Page::new(Arc::from(format!("{id}/{file}")), text.unwrap_or_default())
    };
    let (rulebook, clauses) = (page("rulebook.toml"), page("clauses.toml"));
    Some(Files { id, folder: None, rulebook, clauses, own })
}

fn is_book(path: &Path) -> bool {
    path.join("rulebook.toml").is_file()
}

/// The id that a folder of that name gives to a book: letters a-z, digits and `-`.
#[must_use]
pub fn book_id(name: &str) -> Option<BookId> {
    let lawful = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    BookId::from(name).ok().filter(|id| !id.is_empty() && id.chars().all(lawful))
}

fn read(files: &Files, faults: &mut Faults) -> Option<Reading> {
    let Some(id) = book_id(&files.id) else {
        let wrong = format!("the folder `{}` gives the book no id", files.id);
        let right =
            format!("name it with at most {} letters a-z, digits and `-`", rules::BOOK_ID_LENGTH);
        faults.note(&files.rulebook.place(0), FaultKind::Impossible, wrong, right);
        return None;
    };
    let before = faults.len();
    let (clauses, rulebook) = (files.clauses.parse(faults), files.rulebook.parse(faults));
    if faults.len() > before {
        // Whatever else is missing may be in what could not be read.
        return None;
    }
    let index = Index::read(&files.clauses, &clauses, faults);
    let sheet = Sheet::read(id, &files.rulebook, &rulebook, &index, faults);
    Some(Reading { id, sheet, index })
}
