//! The index of a book's clauses: `clauses.toml`.

use std::collections::{HashMap, HashSet};
use std::fmt;

use rules::{lies_within, spelt};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::{FaultKind, Faults, Place, suggest};
use crate::page::Page;

/// What Sabot owes to a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Duty {
    /// The engine carries it out, or refuses what breaks it.
    Enforced,
    /// Staff act or decide; the engine waits for it and writes it down.
    Recorded,
    /// It binds people beyond the system's reach, and is shown to them.
    Shown,
    /// It gives a word its meaning.
    Defines,
    /// It binds the system, which does not carry it out yet.
    Open,
    /// Nobody has read it yet.
    Unread,
}

impl Duty {
    /// Every duty, the strongest first.
    pub const ALL: [Self; 6] =
        [Self::Enforced, Self::Recorded, Self::Shown, Self::Defines, Self::Open, Self::Unread];

    /// The word for it.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::Recorded => "recorded",
            Self::Shown => "shown",
            Self::Defines => "defines",
            Self::Open => "open",
            Self::Unread => "unread",
        }
    }

    /// Whether something is still to be done about the clause.
    #[must_use]
    pub const fn is_to_do(self) -> bool {
        matches!(self, Self::Open | Self::Unread)
    }

    /// Whether a decision or a ground must carry the clause out.
    #[must_use]
    pub const fn is_carried_out(self) -> bool {
        matches!(self, Self::Enforced | Self::Recorded)
    }
}

impl fmt::Display for Duty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.key())
    }
}

/// One clause of the source, in our words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClauseEntry {
    /// Its number, such as `4.6(b)`, or `dictionary "Void"`.
    pub id: String,
    /// What it says.
    pub gist: String,
    /// What Sabot owes to it.
    pub duty: Duty,
    /// How we read it, where it leaves something open.
    pub reading: Option<String>,
    /// Whether it concerns tournaments only.
    pub tournament: bool,
    /// Where it stands in the index.
    pub place: Place,
}

/// All clauses of one book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// The clauses, in the order of the source.
    pub entries: Vec<ClauseEntry>,
    /// The titles of the source's sections.
    pub headings: Vec<(String, String)>,
    /// Where the first entry with a number stands among the entries.
    by_id: HashMap<String, usize>,
}

impl Index {
    /// The name of the file that it was read from.
    pub(crate) fn file(&self) -> &str {
        let file = self.entries.first().map_or("clauses.toml", |entry| &entry.place.file);
        file.rsplit('/').next().unwrap_or(file)
    }

    /// The entry with that number.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&ClauseEntry> {
        self.by_id.get(spelt(id).as_ref()).map(|at| &self.entries[*at])
    }

    /// The title of the section that a clause stands in, the innermost.
    #[must_use]
    pub fn heading(&self, id: &str) -> Option<&str> {
        if id.starts_with("dictionary ") {
            return Some("Dictionary");
        }
        let inside = self.headings.iter().filter(|(section, _)| lies_within(id, section));
        inside.max_by_key(|(section, _)| section.len()).map(|(_, title)| title.as_str())
    }

    pub(crate) fn read(page: &Page, table: &DeTable<'_>, faults: &mut Faults) -> Self {
        let mut index = Self { entries: Vec::new(), headings: Vec::new(), by_id: HashMap::new() };
        let (mut numbered, mut tournament, mut unread) = (None, Vec::new(), Vec::new());
        let mut clauses = None;
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "numbered" => numbered = Some(page.texts(value, "numbered", faults)),
                "tournament" => tournament = page.texts(value, "tournament", faults),
                "unread" => unread = page.texts(value, "unread", faults),
                "headings" => index.headings = read_headings(page, value, faults),
                "clause" => clauses = value.get_ref().as_array(),
                other => {
                    let known = ["numbered", "unread", "tournament", "headings", "clause"];
                    let right = suggest(other, known.into_iter());
                    let wrong = format!("`{other}` is no key of an index of clauses");
                    faults.note(&page.at(key), FaultKind::UnknownKey, wrong, right);
                }
            }
        }
        for clause in clauses.into_iter().flatten() {
            index.entries.extend(read_entry(page, clause, &tournament, faults));
        }
        for (id, place) in unfold(&unread, faults) {
            let tournament = tournament.iter().any(|(section, _)| lies_within(&id, section));
            let (gist, duty) = ("Not read yet".to_owned(), Duty::Unread);
            index.entries.push(ClauseEntry { id, gist, duty, reading: None, tournament, place });
        }
        for (at, entry) in index.entries.iter().enumerate() {
            index.by_id.entry(entry.id.clone()).or_insert(at);
        }
        index.check_twice(faults);
        index.check_numbers(numbered.as_deref(), &page.place(0), faults);
        index
    }

    fn check_twice(&self, faults: &mut Faults) {
        for (at, entry) in self.entries.iter().enumerate() {
            if let Some(first) = self.by_id.get(&entry.id).filter(|first| **first < at) {
                let first = &self.entries[*first];
                let wrong = format!("clause {} has two entries", entry.id);
                let right = format!("the other is in line {}", first.place.line);
                faults.note(&entry.place, FaultKind::Index, wrong, right);
            }
        }
    }

    fn check_numbers(
        &self,
        numbered: Option<&[(String, Place)]>,
        top: &Place,
        faults: &mut Faults,
    ) {
        let Some(ranges) = numbered else {
            let right = "list the numbers that the source gives its clauses, such as [\"1.1\", \
                         \"2.1-2.6\"]";
            faults.note(top, FaultKind::Missing, "`numbered` is missing", right);
            return;
        };
        let before = faults.len();
        let numbered = unfold(ranges, faults);
        for (number, place) in &numbered {
            if self.get(number).is_none() {
                let wrong = format!("clause {number} of the source has no entry");
                let right = "every numbered clause needs a `[[clause]]` with id, duty and gist";
                faults.note(place, FaultKind::Index, wrong, right);
            }
        }
        if faults.len() > before {
            // The numbers of the source are not known for sure.
            return;
        }
        let numbers: HashSet<&str> = numbered.iter().map(|(number, _)| number.as_str()).collect();
        let sections: HashSet<&str> = numbers.iter().flat_map(|number| wholes(number)).collect();
        let known = |id: &str| {
            wholes(id).any(|whole| numbers.contains(whole))
                || id.strip_suffix("(intro)").is_some_and(|section| sections.contains(section))
                || (id.starts_with("dictionary \"") && id.ends_with('"'))
        };
        for entry in self.entries.iter().filter(|entry| !known(&entry.id)) {
            let wrong = format!("clause {} is not among the numbers of the source", entry.id);
            let right = "an entry is for a clause in `numbered`, a sub-paragraph of one such as \
                         `4.6(b)`, or unnumbered text: `4(intro)`, `dictionary \"Void\"`";
            faults.note(&entry.place, FaultKind::Index, wrong, right);
        }
    }
}

/// The clauses that a clause lies within, itself included: `4`, `4.6` and `4.6(b)` for `4.6(b)`.
fn wholes(id: &str) -> impl Iterator<Item = &str> {
    let ends = id.match_indices(['(', '.']).map(|(end, _)| end);
    ends.chain(std::iter::once(id.len())).map(|end| &id[..end])
}

fn read_headings(
    page: &Page,
    value: &Spanned<DeValue<'_>>,
    faults: &mut Faults,
) -> Vec<(String, String)> {
    let Some(table) = value.get_ref().as_table() else {
        let right = "a table of section numbers and titles is wanted";
        faults.note(&page.at(value), FaultKind::Impossible, "`headings` is no table", right);
        return Vec::new();
    };
    let title = |(key, title): (&Spanned<_>, &Spanned<DeValue<'_>>), faults: &mut Faults| {
        let section: &std::borrow::Cow<'_, str> = key.get_ref();
        Some((section.to_string(), page.text(title, "headings", faults)?.to_owned()))
    };
    table.iter().filter_map(|pair| title(pair, faults)).collect()
}

fn read_entry(
    page: &Page,
    clause: &Spanned<DeValue<'_>>,
    tournament: &[(String, Place)],
    faults: &mut Faults,
) -> Option<ClauseEntry> {
    const KEYS: [&str; 4] = ["id", "duty", "gist", "reading"];
    let table = clause.get_ref().as_table()?;
    let field = |name: &str, faults: &mut Faults| {
        let value = table.iter().find(|(key, _)| key.get_ref() == name)?.1;
        Some((page.text(value, name, faults)?.to_owned(), page.at(value)))
    };
    for (key, _) in table.iter().filter(|(key, _)| !KEYS.contains(&key.get_ref().as_ref())) {
        let wrong = format!("`{}` is no key of a clause", key.get_ref());
        let right = suggest(key.get_ref(), KEYS.into_iter());
        faults.note(&page.at(key), FaultKind::UnknownKey, wrong, right);
    }
    let place = first_key(page, table).unwrap_or_else(|| page.at(clause));
    let wanted = |name: &str, faults: &mut Faults| {
        let found = field(name, faults);
        if found.is_none() && !table.iter().any(|(key, _)| key.get_ref() == name) {
            let wrong = format!("a clause without `{name}`");
            faults.note(&place, FaultKind::Index, wrong, "it needs id, duty and gist");
        }
        found
    };
    let id = wanted("id", faults);
    let gist = wanted("gist", faults).map(|(gist, _)| gist);
    let duty = wanted("duty", faults).and_then(|(word, at)| {
        let duty = Duty::ALL.into_iter().find(|duty| duty.key() == word);
        if duty.is_none() {
            let wrong = format!("`{word}` is no duty");
            let right = suggest(&word, Duty::ALL.iter().map(|duty| duty.key()));
            faults.note(&at, FaultKind::Impossible, wrong, right);
        }
        duty
    });
    let (id, place) = id?;
    let tournament = tournament.iter().any(|(section, _)| lies_within(&id, section));
    let reading = field("reading", faults).map(|(reading, _)| reading);
    // An entry that is at fault still counts, so that nothing else is blamed on its absence.
    let (gist, duty) = (gist.unwrap_or_default(), duty.unwrap_or(Duty::Defines));
    Some(ClauseEntry { id, gist, duty, reading, tournament, place })
}

fn first_key(page: &Page, table: &DeTable<'_>) -> Option<Place> {
    table.iter().next().map(|(key, _)| page.at(key))
}

/// Unfolds `2.1-2.6` into the six numbers that it stands for.
fn unfold(ranges: &[(String, Place)], faults: &mut Faults) -> Vec<(String, Place)> {
    let mut numbers = Vec::new();
    for (range, place) in ranges {
        let Some((first, last)) = range.split_once('-') else {
            numbers.push((range.clone(), place.clone()));
            continue;
        };
        let split = |number: &str| {
            let (stem, end) =
                number.rsplit_once('.').map_or(("", number), |(stem, end)| (stem, end));
            Some((stem.to_owned(), end.parse::<u16>().ok()?))
        };
        match (split(first), split(last)) {
            (Some((stem, from)), Some((same, to))) if stem == same && from <= to => {
                let dot = if stem.is_empty() { "" } else { "." };
                let number = |n| (format!("{stem}{dot}{n}"), place.clone());
                numbers.extend((from..=to).map(number));
            }
            _ => faults.note(
                place,
                FaultKind::Impossible,
                format!("`{range}` is no run of clauses"),
                "a run differs in its last number only, such as `2.1-2.6`",
            ),
        }
    }
    numbers
}
