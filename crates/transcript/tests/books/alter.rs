//! Books with one answer altered: every other answer that a decision could have, and every ground
//! on another clause.

use std::collections::BTreeMap;
use std::sync::Arc;

use rulebooks::{Book, is_sound};
use rules::policy::{Answer, Datum, Found, Kind, SectionSpec, Shape, Source, Spec, Word};
use rules::{Clause, Row, RowOutcome, Rulebook, SideBets};

/// A book with something altered in it.
pub(crate) struct Alteration {
    /// What was altered, in words.
    pub(crate) what: String,
    /// Whether that must change what happens, or a citation only.
    pub(crate) demands: Demand,
    /// The clause on which it rested; transcripts that cite it are played first.
    pub(crate) clause: Option<Clause>,
    pub(crate) book: Arc<Book>,
}

/// What an alteration must change in some transcript.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// A fact, a posting or the code of a refusal.
    Event,
    /// The clauses of an event or of a refusal.
    Citation,
}

/// What a book says on an item; nothing where it has no rule.
type Said = Option<(Option<Datum>, Clause)>;

/// All that a book says, by path; a section that it lacks is not there.
#[derive(Clone)]
struct Says {
    items: BTreeMap<&'static str, Said>,
}

impl Says {
    fn of(book: &Rulebook) -> Self {
        let said = book.answers().into_iter();
        let said = said.filter(|a| a.spec.kind != Kind::Section && !is_rows(a.spec));
        let item = |Answer { spec, datum, clause, .. }: Answer| {
            (spec.path, clause.map(|clause| (datum, clause)))
        };
        Self { items: said.map(item).collect() }
    }

    fn has(&self, section: &str) -> bool {
        let inside = |path: &&str| path.rsplit_once('.').is_some_and(|(own, _)| own == section);
        self.items.keys().any(inside)
    }

    /// The book with these answers, if there can be such a book.
    fn build(&self, like: &Book) -> Option<Arc<Book>> {
        let mut source = Reader { said: self, fits: true };
        let side_bets = like.rulebook.side_bets.iter().map(SideBets::declared).collect();
        let methods = like.rulebook.methods.iter().map(|method| (method.key, method.rows.clone()));
        let (title, methods) = (like.rulebook.title.clone(), methods.collect());
        let rulebook = Rulebook::gather(title, methods, side_bets, &mut source)?;
        let lawful = source.fits && is_sound(&rulebook);
        lawful.then(|| Arc::new(Book { rulebook, ..like.clone() }))
    }
}

struct Reader<'a> {
    said: &'a Says,
    fits: bool,
}

impl Source for Reader<'_> {
    fn lacks(&mut self, section: &SectionSpec) -> bool {
        !self.said.has(section.path)
    }

    fn find(&mut self, spec: &'static Spec) -> Found {
        match self.said.items.get(spec.path) {
            Some(Some((Some(datum), clause))) => Found::Given(datum.clone(), *clause),
            Some(Some((None, clause))) => Found::Resting(*clause),
            Some(None) | None => Found::Without,
        }
    }

    fn misfit(&mut self, _: &'static Spec, _: &Datum, _: &str) {
        self.fits = false;
    }
}

/// Every alteration of a book's own answers. `base` is the book that it amends; `others` are books
/// from which a section can be had that this one lacks.
pub(crate) fn alterations(
    book: &Arc<Book>,
    base: Option<&Rulebook>,
    others: &[Arc<Book>],
) -> Vec<Alteration> {
    let said = Says::of(&book.rulebook);
    let theirs = base.map(Rulebook::answers).unwrap_or_default();
    let own = |answer: &Answer| match answer.clause {
        Some(clause) => clause.book() == book.rulebook.title.id.as_str(),
        None => !theirs.iter().any(|their| their == answer),
    };
    let mut found = Vec::new();
    for answer in book.rulebook.answers().into_iter().filter(own) {
        if is_rows(answer.spec) {
            continue;
        }
        match answer.spec.kind {
            Kind::Ground { .. } => found.extend(other_clause(book, &said, &answer)),
            Kind::Decision { .. } => found.extend(other_answers(book, &said, &answer)),
            Kind::Section => found.extend(borrowed(book, &said, answer.spec, others)),
        }
    }
    found.extend(other_rows(book));
    let had = Rulebook::SECTIONS.iter().filter(|section| section.optional);
    for section in had.filter(|section| said.has(section.path)) {
        if theirs.iter().all(|their| their.spec.section() != section.path) || base.is_none() {
            found.extend(dropped(book, &said, section));
        }
    }
    found
}

/// Whether an item is the rows of a side bet, which are altered one by one.
fn is_rows(spec: &Spec) -> bool {
    spec.path.starts_with("side_bet.")
}

/// Every row of the book's own side bets with another outcome, and on another clause; and the book
/// without each group.
fn other_rows(book: &Arc<Book>) -> Vec<Alteration> {
    let none = Clause::new(book.rulebook.title.id, "0").expect("a clause has this number");
    let mut found = other_methods(book, none);
    for (g, group) in book.rulebook.side_bets.iter().enumerate() {
        let mut without = (**book).clone();
        without.rulebook.side_bets.remove(g);
        let what = format!("no side bets `{}`", group.key);
        let clause = Some(group.rules.offered.clause);
        found.push(Alteration { what, demands: Demand::Event, clause, book: Arc::new(without) });
        for (t, table) in group.tables.iter().enumerate() {
            for (b, bet) in table.bets.iter().enumerate() {
                for (r, row) in bet.all_rows().enumerate() {
                    let mut alter = |what: String, demands, clause, with: &dyn Fn(&mut Row)| {
                        let mut altered = (**book).clone();
                        let tables = &mut altered.rulebook.side_bets[g].tables;
                        let bet = &mut tables[t].bets[b];
                        with(bet.rows.get_mut(r).unwrap_or(&mut bet.otherwise));
                        let what = format!("row {} of `{}` {what}", r + 1, bet.key);
                        let clause = Some(clause);
                        found.push(Alteration { what, demands, clause, book: Arc::new(altered) });
                    };
                    let other = other_outcome(row);
                    let last = *row.clauses.last().expect("a row has a clause");
                    alter(format!("comes to {other:?}"), Demand::Event, last, &|row: &mut Row| {
                        row.outcome = other;
                    });
                    for (c, clause) in row.clauses.iter().enumerate() {
                        let what = format!("on another clause than {clause}");
                        alter(what, Demand::Citation, *clause, &|row: &mut Row| {
                            row.clauses[c] = none;
                        });
                    }
                }
            }
        }
    }
    found
}

/// Another outcome than a row has.
fn other_outcome(row: &Row) -> RowOutcome {
    match row.outcome {
        RowOutcome::Pays(price) => {
            let odds = price.odds.pays() + 1;
            let price = format!("{odds}:{}", price.odds.per()).parse();
            RowOutcome::Pays(price.expect("odds"))
        }
        RowOutcome::Kept => RowOutcome::Lost,
        RowOutcome::Lost => RowOutcome::Kept,
    }
}

/// The rows of the book's own methods altered, and the book without each further method.
fn other_methods(book: &Arc<Book>, none: Clause) -> Vec<Alteration> {
    let mut found = Vec::new();
    let own = |clause: &Clause| clause.book() == book.rulebook.title.id.as_str();
    for (m, method) in book.rulebook.methods.iter().enumerate() {
        let clause = Some(method.rules.banker.clause).filter(own);
        if clause.is_none() {
            continue;
        }
        let mut alter = |what: String, demands, with: &dyn Fn(&mut Rulebook)| {
            let mut altered = (**book).clone();
            with(&mut altered.rulebook);
            let what = format!("method `{}` {what}", method.key);
            found.push(Alteration { what, demands, clause, book: Arc::new(altered) });
        };
        if m > 0 {
            alter("is not there".into(), Demand::Event, &|book| drop(book.methods.remove(m)));
        }
        for (r, row) in method.rows.iter().enumerate() {
            let other = other_outcome(row);
            let what = format!("row {} comes to {other:?}", r + 1);
            alter(what, Demand::Event, &|book| book.methods[m].rows[r].outcome = other);
            for (c, clause) in row.clauses.iter().enumerate() {
                let what = format!("row {} on another clause than {clause}", r + 1);
                alter(what, Demand::Citation, &|book| book.methods[m].rows[r].clauses[c] = none);
            }
        }
    }
    found
}

/// A ground on a clause that no event cites.
fn other_clause(book: &Arc<Book>, said: &Says, answer: &Answer) -> Option<Alteration> {
    let none = Clause::new(book.rulebook.title.id, "0").expect("a clause has this number");
    let mut said = said.clone();
    said.items.insert(answer.spec.path, Some((None, none)));
    let what = format!("{} on another clause", answer.spec.path);
    let (demands, clause) = (Demand::Citation, answer.clause);
    said.build(book).map(|book| Alteration { what, demands, clause, book })
}

/// Every other lawful answer to a decision.
fn other_answers(book: &Arc<Book>, said: &Says, answer: &Answer) -> Vec<Alteration> {
    let Kind::Decision { shape, without } = answer.spec.kind else { return Vec::new() };
    let now = answer.datum.as_ref().expect("a decision has an answer");
    let some = said.items.values().flatten().map(|(_, clause)| *clause).next();
    let clause = answer.clause.or(some).expect("a book has a clause");
    let ruled = answer.clause.is_some();
    let mut others: Vec<_> = values(shape, now, ruled)
        .into_iter()
        .filter(|value| value != now)
        .map(|value| (value.to_string(), Some((Some(value), clause))))
        .collect();
    let word = |(word, _): Word| Datum::Text(word.to_owned());
    // An answer that a clause can give too is given by the clause: the answer alone is altered.
    if let Some(none) = without.map(word).filter(|none| none != now)
        && !(ruled && others.iter().any(|(words, _)| *words == none.to_string()))
    {
        others.retain(|(words, _)| *words != none.to_string());
        others.push((none.to_string(), None));
    }
    let alter = |(words, value): (String, Said)| {
        let mut said = said.clone();
        said.items.insert(answer.spec.path, value);
        let what = format!("{} is {words}, not {now}", answer.spec.path);
        let (demands, clause) = (Demand::Event, answer.clause);
        said.build(book).map(|book| Alteration { what, demands, clause, book })
    };
    others.into_iter().filter_map(alter).collect()
}

/// A section that the book lacks, and what belongs to it, as another book has it.
fn borrowed(
    book: &Arc<Book>,
    said: &Says,
    whole: &Spec,
    others: &[Arc<Book>],
) -> Option<Alteration> {
    let belongs =
        |section: &&SectionSpec| section.path == whole.path || section.part_of == Some(whole.path);
    let paths: Vec<_> = Rulebook::SECTIONS.iter().filter(belongs).map(|s| s.path).collect();
    others.iter().map(|other| (other, Says::of(&other.rulebook))).find_map(|(other, theirs)| {
        let mut said = said.clone();
        let own = |path: &str| path.rsplit_once('.').is_some_and(|(own, _)| paths.contains(&own));
        let items = theirs.items.iter().filter(|(path, _)| own(path));
        said.items.extend(items.map(|(path, item)| (*path, item.clone())));
        let what = format!("{} as {} has it", whole.path, other.rulebook.title.id);
        let has = theirs.has(whole.path);
        let built = said.build(book).filter(|_| has);
        built.map(|book| Alteration { what, demands: Demand::Event, clause: None, book })
    })
}

/// A section that the book has, taken away with what belongs to it.
fn dropped(book: &Arc<Book>, said: &Says, section: &SectionSpec) -> Option<Alteration> {
    let belongs =
        |other: &&SectionSpec| other.path == section.path || other.part_of == Some(section.path);
    let paths: Vec<_> = Rulebook::SECTIONS.iter().filter(belongs).map(|s| s.path).collect();
    let mut said = said.clone();
    said.items.retain(|path, _| path.rsplit_once('.').is_none_or(|(own, _)| !paths.contains(&own)));
    let what = format!("{} is \"none\"", section.path);
    said.build(book).map(|book| Alteration { what, demands: Demand::Event, clause: None, book })
}

/// Values that a decision could have; near the one that it has, where there are many.
fn values(shape: Shape, now: &Datum, ruled: bool) -> Vec<Datum> {
    let text = |text: &str| Datum::Text(text.to_owned());
    let words = |words: &[Word]| words.iter().map(|(word, _)| text(word)).collect::<Vec<_>>();
    match (shape, now) {
        (Shape::OneOf(choices), _) => words(choices),
        (Shape::SomeOf(choices), Datum::List(now)) => toggled(&words(choices), now),
        (Shape::SomeOf(choices), _) => {
            words(choices).into_iter().map(|word| Datum::List(vec![word])).collect()
        }
        (Shape::Whole { .. } | Shape::WholeOrText { .. }, Datum::Number(now)) if ruled => {
            let mut values = vec![Datum::Number(now - 1), Datum::Number(now + 1)];
            values.extend(examples(shape).filter(|example| !example.contains(' ')).map(text));
            values
        }
        (Shape::Whole { least, .. }, _) => vec![Datum::Number(least.max(1).into())],
        (Shape::WholeOrText { .. } | Shape::Text { .. }, Datum::Text(now)) if ruled => {
            let number = numbers(shape).filter(|_| !now.contains(' '));
            near(now).iter().map(|other| text(other)).chain(number).collect()
        }
        (Shape::WholeOrText { .. } | Shape::Text { .. }, _) => {
            examples(shape).map(text).chain(numbers(shape)).collect()
        }
    }
}

/// The lawful examples of a text.
fn examples(shape: Shape) -> impl Iterator<Item = &'static str> {
    match shape {
        Shape::Text { examples, .. } | Shape::WholeOrText { examples, .. } => examples.iter(),
        Shape::OneOf(_) | Shape::SomeOf(_) | Shape::Whole { .. } => [].iter(),
    }
    .copied()
}

/// A number where a text could be one.
fn numbers(shape: Shape) -> Option<Datum> {
    match shape {
        Shape::WholeOrText { least, most, .. } => {
            Some(Datum::Number((least.max(7)).min(most).into()))
        }
        Shape::OneOf(_) | Shape::SomeOf(_) | Shape::Whole { .. } | Shape::Text { .. } => None,
    }
}

/// A list with one word more, or one fewer.
fn toggled(all: &[Datum], now: &[Datum]) -> Vec<Datum> {
    let toggle = |word: &Datum| {
        let chosen = |other: &&Datum| (*other == word) != now.contains(other);
        Datum::List(all.iter().filter(chosen).cloned().collect())
    };
    all.iter().map(toggle).collect()
}

/// Texts of the same form that say something else.
fn near(now: &str) -> Vec<String> {
    if now.contains('|') {
        // Each cell of the tableau, turned over.
        let cells = now.char_indices().filter(|(_, c)| *c == 'D' || *c == 'S');
        let turned = |(i, c): (usize, char)| {
            let other = if c == 'D' { "S" } else { "D" };
            format!("{}{other}{}", &now[..i], &now[i + 1..])
        };
        return cells.map(turned).collect();
    }
    let texts: &[&str] = match now {
        draws if draws.contains(" draw") => {
            &["0 1 2 3 4 draw\n5 6 7 stand", "0 1 2 3 4 5 6 draw\n7 stand"]
        }
        "prior" => &["any-time"],
        "any-time" => &["prior"],
        "any number" => &["at most 2"],
        "as approved" => &["at most 7", "7 or 9"],
        "at most 7" => &["at most 8", "at most 6"],
        "7 or 9" => &["7 or 8", "8 or 9"],
        _ => &[],
    };
    if !texts.is_empty() {
        return texts.iter().map(ToString::to_string).collect();
    }
    if let Some((odds, _)) = now.split_once(" less ") {
        return vec![format!("{odds} less 4%"), odds.to_owned()];
    }
    if let Some((Ok(pays), per)) = now.split_once(':').map(|(pays, per)| (pays.parse::<u32>(), per))
    {
        return vec![format!("{}:{per}", pays + 1)];
    }
    let last =
        now.rsplit_once(' ').and_then(|(head, last)| Some((head, last.parse::<u32>().ok()?)));
    match last {
        Some((head, last)) => vec![format!("{head} {}", last + 1), format!("{head} {}", last - 1)],
        None if now.chars().any(char::is_uppercase) || now.contains(' ') => vec![format!("{now}!")],
        None => Vec::new(),
    }
}
