//! The transcripts of every book: they pass, they make the engine cite every clause, and no policy
//! can be altered without one of them failing.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebooks::Book;
use rules::policy::{Datum, Entry, Found, SectionSpec, Shape, Source, Spec};
use rules::{Clause, Rulebook, lies_within};
use transcript::{Books, Judge, Played, Shelf};

/// The transcripts of a book: file and text.
fn transcripts(book: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts").join(book);
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "coup"))
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Books that were loaded once.
struct Loaded(BTreeMap<(String, Option<String>), Arc<Book>>);

impl Loaded {
    fn all() -> Self {
        let mut books = BTreeMap::new();
        for id in rulebooks::ids() {
            books.insert((id.to_owned(), None), Shelf.book(id, None).unwrap());
        }
        for base in ["act-2012", "act-2018", "nz-1998", "tas-2013"] {
            let key = ("vic-2005".to_owned(), Some(base.to_owned()));
            books.insert(key, Shelf.book("vic-2005", Some(base)).unwrap());
        }
        Self(books)
    }
}

impl Books for Loaded {
    fn book(&self, name: &str, base: Option<&str>) -> Result<Arc<Book>, String> {
        let key = (name.to_owned(), base.map(str::to_owned));
        self.0.get(&key).cloned().ok_or_else(|| format!("no book {name}"))
    }
}

fn played(books: &dyn Books, file: &Path, text: &str) -> Played {
    let judge = Judge { books, under: None };
    judge.play(text).unwrap_or_else(|faults| panic!("{}: {faults:?}", file.display()))
}

#[test]
fn every_transcript_passes() {
    let books = Loaded::all();
    let mut failures = Vec::new();
    for book in rulebooks::ids() {
        for (file, text) in transcripts(book) {
            for line in played(&books, &file, &text).lines {
                if let Some(failure) = line.failure {
                    failures.push(format!("{}:{}: {failure}", file.display(), line.line));
                }
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn every_enforced_and_recorded_clause_is_cited() {
    let books = Loaded::all();
    let mut missing = Vec::new();
    for id in rulebooks::ids() {
        let mut cited: BTreeSet<String> = BTreeSet::new();
        for (file, text) in transcripts(id) {
            let played = played(&books, &file, &text);
            let own = played.cited.iter().filter(|clause| clause.book() == id);
            cited.extend(own.map(|clause| clause.number().to_owned()));
        }
        let book = books.book(id, None).unwrap();
        let carried = book.index.entries.iter().filter(|entry| entry.duty.is_carried_out());
        for entry in carried {
            if !cited.iter().any(|number| lies_within(number, &entry.id)) {
                missing.push(format!("{id} {}: {}", entry.id, entry.gist));
            }
        }
    }
    assert!(missing.is_empty(), "no transcript cites\n{}", missing.join("\n"));
}

#[test]
fn every_kind_of_refusal_is_reached() {
    let books = Loaded::all();
    let mut reached = BTreeSet::new();
    for book in rulebooks::ids() {
        for (file, text) in transcripts(book) {
            reached.extend(played(&books, &file, &text).codes);
        }
    }
    let missing: Vec<_> =
        table::Code::ALL.iter().filter(|code| !reached.contains(code)).map(|c| c.key()).collect();
    assert!(missing.is_empty(), "no transcript is refused with {}", missing.join(", "));
}

/// Words that are never said could not be missed: what one line must not say, another does.
#[test]
fn what_a_line_must_not_say_is_said_somewhere() {
    let books = Loaded::all();
    let (mut said, mut unsaid) = (BTreeSet::new(), BTreeSet::new());
    for (file, text) in rulebooks::ids().into_iter().flat_map(transcripts) {
        for line in played(&books, &file, &text).lines {
            said.extend(line.said());
            let words = line.text.strip_prefix("expect says nothing of ");
            let words = words.map(|words| words.split('#').next().unwrap_or(words).trim());
            unsaid.extend(words.map(|words| words.trim_matches('"').to_owned()));
        }
    }
    let never = |words: &&String| !said.iter().any(|said| said.contains(*words));
    let idle: Vec<_> = unsaid.iter().filter(never).map(String::as_str).collect();
    assert!(idle.is_empty(), "nothing ever says\n{}", idle.join("\n"));
}

/// A book with one policy altered.
struct Altered<'a> {
    entries: &'a [Entry],
    silent_sections: Vec<&'static str>,
    path: &'static str,
    change: &'a Change,
    misfits: usize,
}

/// What is done to a policy.
#[derive(Clone, Debug)]
enum Change {
    Value(Datum),
    Silent,
    Clause(Clause),
}

impl Source for Altered<'_> {
    fn is_silent_on(&mut self, section: &SectionSpec) -> bool {
        self.silent_sections.contains(&section.path)
    }

    fn find(&mut self, spec: &'static Spec) -> Found {
        let entry = self.entries.iter().find(|entry| entry.spec.path == spec.path);
        match (entry, self.change) {
            (Some(entry), Change::Value(datum)) if spec.path == self.path => {
                Found::Given(datum.clone(), entry.clause)
            }
            (Some(_), Change::Silent) if spec.path == self.path => Found::Silent,
            (Some(entry), Change::Clause(clause)) if spec.path == self.path => {
                Found::Given(entry.datum.clone(), *clause)
            }
            (Some(entry), _) => Found::Given(entry.datum.clone(), entry.clause),
            (None, _) => Found::Silent,
        }
    }

    fn misfit(&mut self, _: &'static Spec, _: &Datum, _: &str) {
        self.misfits += 1;
    }
}

/// Other lawful values of a policy. A rule without a value becomes silent, or cites another clause
/// where every book must have it.
fn changes(entry: &Entry, entries: &[Entry], other: Clause) -> Vec<Change> {
    let shared = entries.iter().filter(|e| e.clause == entry.clause).count() > 1;
    let text = |text: &str| Change::Value(Datum::Text(text.to_owned()));
    let number = |number: i64| Change::Value(Datum::Number(number));
    match (entry.spec.shape, &entry.datum) {
        (Shape::Stated, _) if entry.spec.may_be_silent => vec![Change::Silent],
        // Where another policy rests on the same clause, the number alone tells nothing.
        (Shape::Stated, _) if shared => Vec::new(),
        (Shape::Stated, _) => vec![Change::Clause(other)],
        (Shape::OneOf(words), Datum::Text(now)) => {
            words.iter().filter(|(word, _)| word != now).map(|(word, _)| text(word)).collect()
        }
        (Shape::SomeOf(words), Datum::List(now)) => {
            let all: Vec<_> = words.iter().map(|(w, _)| Datum::Text((*w).to_owned())).collect();
            let fewer = vec![Change::Value(Datum::List(now[1..].to_vec()))];
            if all.len() > now.len() { vec![Change::Value(Datum::List(all))] } else { fewer }
        }
        (Shape::Whole { least, most }, Datum::Number(now)) => [now - 1, now + 1]
            .into_iter()
            .filter(|n| i64::from(least) <= *n && *n <= i64::from(most))
            .map(number)
            .collect(),
        (Shape::WholeOrText { .. }, Datum::Number(now)) => vec![number(now - 1), number(now + 1)],
        (Shape::WholeOrText { .. }, Datum::Text(now)) => span_changes(now, &text, &number),
        (Shape::Text { .. }, Datum::Text(now)) => text_changes(now, &text),
        _ => Vec::new(),
    }
}

fn span_changes(
    now: &str,
    text: &dyn Fn(&str) -> Change,
    number: &dyn Fn(i64) -> Change,
) -> Vec<Change> {
    match now {
        "prior" => vec![number(30), text("any-time")],
        "any-time" => vec![text("prior")],
        "any number" => vec![text("at most 2")],
        other => {
            let (head, last) = other.rsplit_once(' ').unwrap();
            let last: i64 = last.parse().unwrap();
            vec![text(&format!("{head} {}", last + 1)), text(&format!("{head} {}", last - 1))]
        }
    }
}

fn text_changes(now: &str, text: &dyn Fn(&str) -> Change) -> Vec<Change> {
    if now.contains('|') {
        // Each cell of the tableau, turned over.
        let cells = now.char_indices().filter(|(_, c)| *c == 'D' || *c == 'S');
        return cells
            .map(|(i, c)| {
                let other = if c == 'D' { "S" } else { "D" };
                text(&format!("{}{other}{}", &now[..i], &now[i + 1..]))
            })
            .collect();
    }
    if now.contains(" draw") {
        return vec![text("0 1 2 3 4 draw\n5 6 7 stand"), text("0 1 2 3 4 5 6 draw\n7 stand")];
    }
    match now {
        "as approved" => vec![text("at most 7"), text("7 or 9")],
        "at most 7" => vec![text("at most 8"), text("at most 6")],
        "7 or 9" => vec![text("7 or 8"), text("8 or 9")],
        price if price.contains(" less ") => {
            let (odds, _) = price.split_once(" less ").unwrap();
            vec![text(&format!("{odds} less 4%")), text(odds)]
        }
        price if price.contains(':') => {
            let (pays, per) = price.split_once(':').unwrap();
            let pays: u32 = pays.parse().unwrap();
            vec![text(&format!("{}:{per}", pays + 1))]
        }
        phrase => vec![text(&format!("{phrase}!"))],
    }
}

/// A policy that can be altered unnoticed is not executed.
#[test]
fn no_policy_can_be_altered_unnoticed() {
    let books = Loaded::all();
    let mut unnoticed = Vec::new();
    for id in rulebooks::ids() {
        let book = books.book(id, None).unwrap();
        let files = transcripts(id);
        let entries = book.rulebook.entries();
        let silent_sections: Vec<_> = Rulebook::SECTIONS
            .iter()
            .filter(|section| !entries.iter().any(|entry| entry.spec.section() == section.path))
            .map(|section| section.path)
            .collect();
        let other = Clause::new(book.rulebook.title.id, "0").unwrap();
        for entry in &entries {
            if entry.clause.book() != id {
                continue;
            }
            for change in changes(entry, &entries, other) {
                if is_equivalent(entry, &change) {
                    continue;
                }
                let mut source = Altered {
                    entries: &entries,
                    silent_sections: silent_sections.clone(),
                    path: entry.spec.path,
                    change: &change,
                    misfits: 0,
                };
                let title = book.rulebook.title.clone();
                let Some(rulebook) = Rulebook::gather(title, &mut source) else { continue };
                let altered = Arc::new(Book { rulebook, ..(*book).clone() });
                if !is_noticed(&altered, id, &files) {
                    unnoticed.push(format!("{id} {} {change:?}", entry.spec.path));
                }
            }
        }
    }
    assert!(
        unnoticed.is_empty(),
        "{} alterations pass unnoticed:\n{}",
        unnoticed.len(),
        unnoticed.join("\n")
    );
}

/// What conditions can state and has a bearing on every event: if it must be stated, it must be.
const ALWAYS: [&str; 14] = [
    "conditions.start",
    "conditions.application",
    "conditions.structure",
    "conditions.sessions",
    "conditions.tables",
    "conditions.buy_back",
    "conditions.chips",
    "conditions.players",
    "conditions.groups",
    "conditions.pool",
    "conditions.distribution",
    "conditions.final_level_chips",
    "conditions.statement",
    "conditions.secret_wagers",
];

/// Values that are two names of one effect at the table.
fn is_equivalent(entry: &Entry, change: &Change) -> bool {
    let Change::Value(Datum::Text(to)) = change else { return false };
    let Datum::Text(from) = &entry.datum else { return false };
    let pair = [from.as_str(), to.as_str()];
    match entry.spec.path {
        // With the cutting card before the first card, a card behind it is out in that very round.
        "end_of_shoe.cutting_card_first" => {
            pair.contains(&"this-round") && pair.contains(&"one-behind")
        }
        path if ALWAYS.contains(&path) => pair.contains(&"must") && pair.contains(&"if-it-applies"),
        // Who declares it void differs; what becomes of the coup does not.
        "irregularities.beyond_repair" => {
            pair.contains(&"operator-may-void") && pair.contains(&"supervisor-voids")
        }
        _ => false,
    }
}

/// Whether a transcript fails under the altered book.
fn is_noticed(altered: &Arc<Book>, id: &str, files: &[(PathBuf, String)]) -> bool {
    struct One<'a>(&'a Arc<Book>, &'a str);
    impl Books for One<'_> {
        fn book(&self, name: &str, base: Option<&str>) -> Result<Arc<Book>, String> {
            if name == self.1 && base.is_none() {
                Ok(self.0.clone())
            } else {
                Shelf.book(name, base)
            }
        }
    }
    let books = One(altered, id);
    files.iter().filter(|(_, text)| !text.contains("base=")).any(|(_, text)| {
        let judge = Judge { books: &books, under: None };
        judge.play(text).is_ok_and(|played| !played.passed())
    })
}
