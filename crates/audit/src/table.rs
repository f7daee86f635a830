//! The audit of a table's log: every statement in the log is checked against the rest of the log
//! alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use shoe::{ShoeRecord, Verified};
use store::{Store, StoreError};
use table::{Account, Act, By, Command, Event, Role, State, Table};
use transcript::{Said, understand};

use crate::actors::{Speaker, check};
use crate::edition::{Edition, book_of, edition_of, holds_files};
use crate::groups::{Group, groups};
use crate::house::House;
use crate::shoes::{Moment, Shoes};

/// Something in the log that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The record at which the fault shows.
    pub version: u64,
    /// What is wrong, in words.
    pub what: String,
}

/// A shoe, as the log describes it.
#[derive(Clone, Debug)]
pub struct ShoeFound {
    /// Everything that was published about the shoe.
    pub record: ShoeRecord,
    /// Whether what was published is consistent.
    pub verified: Result<Verified, Vec<shoe::Fault>>,
    /// Why it was not dealt on, if it was abandoned.
    pub abandoned: Option<shoe::Abandoned>,
    /// It is over, and its secret is not published yet: the next start does it.
    pub unrevealed: bool,
    /// Staff had another one made before its first coup, as a book may let them: whoever knew its
    /// order could choose so between orders.
    pub thrown_away: bool,
}

/// What an audit found.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// The book, with its base after an `@`.
    pub book: String,
    /// Whether every act was judged again, which needs the same edition of the book.
    pub judged: bool,
    /// The acts were judged by the edition that the log kept, and Sabot has another of this book.
    pub kept_edition: bool,
    /// The acts were judged by an edition that came later than the one they were made under.
    pub later_edition: bool,
    /// The number of records.
    pub records: usize,
    /// The number of acts.
    pub acts: usize,
    /// The number of acts that were refused and kept.
    pub refused: usize,
    /// The number of events.
    pub events: usize,
    /// The number of coups.
    pub coups: u32,
    /// Shoes that the system dealt.
    pub shoes: Vec<ShoeFound>,
    /// The balance of every account at the end, in cents.
    pub accounts: Vec<(String, i64)>,
    /// Everything that is wrong.
    pub findings: Vec<Finding>,
}

/// What an audit comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Everything was checked, and holds.
    Holds,
    /// Nothing is wrong, but the acts were not judged again: the table's edition of the book is not
    /// at hand.
    CannotBeJudged,
    /// Something is wrong.
    DoesNotHold,
}

impl Audit {
    /// What it comes to.
    #[must_use]
    pub const fn conclusion(&self) -> Conclusion {
        match (self.findings.is_empty(), self.judged) {
            (false, _) => Conclusion::DoesNotHold,
            (true, false) => Conclusion::CannotBeJudged,
            (true, true) => Conclusion::Holds,
        }
    }
}

/// Checks a table's log: that every ruling follows from its act under the book, that no chips
/// appeared or vanished, and that every card came from the shoe. The house's own records are not
/// at hand: that a shoe was given up because the log was restored, and its key, are not checked.
///
/// # Errors
///
/// When a record cannot be read.
pub fn audit(records: &[store::Record]) -> Result<Audit, StoreError> {
    let stream = records.first().map_or("", |record| record.stream.as_str());
    audit_with(records, None, stream)
}

/// Checks a table's log as [`audit`] does, with the files of the book that the log kept.
///
/// # Errors
///
/// When a record cannot be read.
pub fn audit_with(
    records: &[store::Record],
    files: Option<&str>,
    stream: &str,
) -> Result<Audit, StoreError> {
    audit_in(records, files, stream, &House::default())
}

/// Checks a table of a log, with all that the log has about it.
///
/// # Errors
///
/// When the log cannot be read.
pub async fn audit_stream(store: &Store, stream: &str) -> Result<Audit, StoreError> {
    let records = store.records(stream, 0).await?;
    let book = match book_of(&records)? {
        Some(book) => store.book(book.sha256).await?,
        None => None,
    };
    let files = book.and_then(|book| book.files);
    audit_in(&records, files.as_deref(), stream, &House::read(store).await?)
}

/// Checks a table's log as [`audit_with`] does, against the house's own records too.
///
/// # Errors
///
/// When a record cannot be read.
pub fn audit_in(
    records: &[store::Record],
    files: Option<&str>,
    stream: &str,
    house: &House,
) -> Result<Audit, StoreError> {
    let shoes = Shoes::of(stream, stream, house);
    let mut auditor = Auditor { stream: stream.to_owned(), shoes, ..Auditor::default() };
    auditor.judge_by(records, files)?;
    for group in groups(records)? {
        auditor.group(&group);
    }
    auditor.found.records = records.len();
    Ok(auditor.finish())
}

#[derive(Default)]
struct Auditor {
    found: Audit,
    stream: String,
    /// The book that the stream is judged by; another than its first where it goes on under it.
    under: Option<store::Book>,
    /// The table as the engine makes it from the acts; `None` once the engine and the log disagree.
    judge: Option<Table>,
    /// The table as the events themselves make it.
    folded: State,
    /// An event could not be folded, so no later event was folded either.
    parted: bool,
    /// The money, counted without the engine: from the postings alone.
    ledger: BTreeMap<String, i64>,
    names: Vec<String>,
    shoes: Shoes,
    closed: bool,
    at: u64,
    /// The book of the first record, and whether the table went on under another edition.
    begun: Option<store::Book>,
    goes_on: bool,
    /// How the table is run.
    setup: Option<store::Setup>,
    /// What waits for a second person, one for each person, with the latest coup then.
    proposed: Vec<(store::Acted<Act>, u32)>,
}

impl Auditor {
    fn find(&mut self, what: impl Into<String>) {
        self.found.findings.push(Finding { version: self.at, what: what.into() });
    }

    fn group(&mut self, group: &Group) {
        self.at = group.first;
        if let Some(book) = &group.book {
            self.open(book);
            self.setup.clone_from(&group.setup);
            if let Some(setup) = &group.setup {
                self.shoes.at_table_of(setup);
            }
        }
        let act = self.act(group);
        self.check_actor(group, act.as_ref());
        if act.is_none() && !group.events.is_empty() {
            self.find("events that no act brought");
        }
        self.judge_refused(group);
        self.judge(group, act.as_ref());
        for event in &group.events {
            self.book_keeping(event);
        }
        let table = self.judge.as_ref().map(|table| (table.state(), table.book()));
        self.shoes.note(Moment {
            first: group.first,
            at: group.at,
            acted: act.is_some(),
            act: act.as_ref().map(|(_, act)| act),
            events: &group.events,
            facts: &group.facts,
            table,
            through: false,
        });
        self.found.findings.append(&mut self.shoes.findings);
    }

    /// Finds the edition that the acts are judged by.
    fn judge_by(
        &mut self,
        records: &[store::Record],
        files: Option<&str>,
    ) -> Result<(), StoreError> {
        let Some(book) = book_of(records)? else { return Ok(()) };
        if !holds_files(&book, files) {
            self.at = 1;
            self.find("the files of the book that the log kept make another book");
        }
        let same = edition_of(records, files)?;
        let from = same.as_ref().map(|(_, from)| *from);
        // A book of one's own is the log's; of one that comes with Sabot there is a known edition.
        let principal = book.name.split(['+', '@']).next().unwrap_or(&book.name);
        let known = rulebooks::ids().contains(&principal);
        self.found.judged = same.is_some();
        self.found.kept_edition = known && from == Some(Edition::Kept);
        self.found.later_edition = from == Some(Edition::Later);
        self.judge = same.map(|(book, _)| Table::new(Arc::new(book.rulebook)));
        self.under = Some(book);
        Ok(())
    }

    fn open(&mut self, book: &store::Book) {
        if let Some(first) = &self.begun {
            // Only a table of the first form goes on under another edition, once, and says which.
            let goes_on = self.under.as_ref() == Some(book)
                && (first.name == book.name && first.sha256 != book.sha256)
                && !self.goes_on;
            if !goes_on {
                self.find("a second book in one table");
            }
            self.goes_on = true;
        } else {
            self.begun = Some(book.clone());
        }
        self.found.book.clone_from(&book.name);
        self.shoes.bound_to(book.sha256);
    }

    /// The records of a command have the actor that its act names.
    fn check_actor(&mut self, group: &Group, act: Option<&(By, Act)>) {
        let refused = group.refused.as_ref().map(|refused| &refused.asked);
        let said = group.acted.as_ref().or(refused).or(group.proposed.as_ref());
        let usual = if group.book.is_some() { Role::Operator } else { Role::Dealer };
        let by = act.map_or_else(|| By::role(usual), |(by, _)| *by);
        let speaker = said.map_or_else(|| Speaker::house(by), Speaker::of);
        let place = (self.stream.as_str(), group.first);
        // A table is begun by whoever opens it, under a key of theirs.
        let opener = group.book.is_some() && act.is_none();
        if let Some(what) = check(place, &group.name, &speaker).filter(|_| !opener) {
            self.find(what);
        }
    }

    fn act(&mut self, group: &Group) -> Option<(By, Act)> {
        if let Some(acted) = &group.acted {
            self.found.acts += 1;
            let line = transcript::say(acted.by, &acted.act, &self.found.book);
            if acted.line != line {
                self.find("the line of an act says something else than the act");
            }
            self.check_second(acted, &group.events);
            return Some((acted.by, acted.act.clone()));
        }
        let line = group.line.as_deref()?;
        self.found.acts += 1;
        match understand(line) {
            Ok(Said::Act(by, act)) => Some((by, *act)),
            Ok(Said::Opening { options, .. }) => {
                Some((By::role(Role::Operator), Act::Open(options)))
            }
            Ok(Said::Nothing | Said::Tournament) => {
                self.find(format!("`{line}` says nothing"));
                None
            }
            Err(fault) => {
                self.find(format!("`{line}` cannot be read: {fault}"));
                None
            }
        }
    }

    /// Checks that the same act under the same book has the same consequences as in the log.
    fn judge(&mut self, group: &Group, act: Option<&(By, Act)>) {
        let (Some(judge), Some((by, act))) = (&mut self.judge, act) else { return };
        let line = group.line.as_deref().unwrap_or_default();
        let command = Command { at: group.at, by: *by, act: act.clone() };
        let mut events = Vec::new();
        let fault = match judge.act(&command, &mut events) {
            Ok(()) if events == group.events => return,
            Ok(()) => format!("`{line}` has other consequences under the book"),
            Err(refusal) => format!("`{line}` is refused under the book: {refusal}"),
        };
        // From here on the table in the log and the table in the engine differ.
        self.judge = None;
        if self.found.later_edition {
            // Which of the two rules otherwise is not known.
            self.found.judged = false;
            return;
        }
        self.find(fault + "; what follows cannot be judged");
    }

    /// Checks that an act that the book is said to have refused is refused by it, in these words.
    fn judge_refused(&mut self, group: &Group) {
        let alone = group.events.is_empty() && group.facts.is_empty() && group.acted.is_none();
        if !alone && group.proposed.is_some() {
            self.find("an act that waits for a second person has consequences");
        }
        if let Some(proposed) = &group.proposed {
            let latest = self.folded.latest_coup();
            self.proposed.retain(|(first, _)| first.who != proposed.who);
            self.proposed.push((proposed.clone(), latest));
        }
        let Some(refused) = &group.refused else { return };
        self.found.refused += 1;
        if !alone {
            self.find("an act that was refused has consequences");
            return;
        }
        let (true, Some(judge)) = (refused.by_the_book, &self.judge) else { return };
        let (by, act) = (refused.asked.by, refused.asked.act.clone());
        let ruled = judge.decide(&Command { at: group.at, by, act });
        if ruled.err().as_ref() != Some(&refused.refusal) {
            self.find("an act that was refused is judged otherwise under the book");
        }
    }

    /// What needs a second person has one, who is another than the first.
    fn check_second(&mut self, acted: &store::Acted<Act>, events: &[Event]) {
        let alone = self.setup.as_ref().is_none_or(|setup| setup.alone);
        let needed = !alone && acted.who.is_some() && table::needs_second(&acted.act, events);
        if needed && acted.second.is_none() {
            self.find("what was settled was taken back by one person alone");
        }
        if acted.second.is_some() && acted.second == acted.who {
            self.find("the second person is the first");
        }
        if acted.second.is_none() {
            return;
        }
        let latest = self.folded.latest_coup();
        let confirmed = self.proposed.iter().position(|(first, then)| {
            let (one, other) = ((&first.act, *then), (&acted.act, latest));
            first.who == acted.who && table::means_the_same(one, other)
        });
        let Some(first) = confirmed else {
            self.find("somebody is said to have confirmed what nobody proposed");
            return;
        };
        self.proposed.remove(first);
    }

    /// Keeps the accounts.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the accounts follow from the postings, whatever the fact"
    )]
    fn book_keeping(&mut self, event: &Event) {
        self.found.events += 1;
        if self.begun.is_none() {
            self.find("an event before the book");
        }
        if !self.parted
            && let Err(broken) = self.folded.replay(event)
        {
            self.parted = true;
            self.find(format!("an event that cannot have happened: {broken}"));
        }
        match &event.fact {
            table::Fact::Arrived { name, .. } => self.names.push(name.to_string()),
            table::Fact::CoupBegan { number, .. } => self.found.coups = *number,
            table::Fact::Closed => self.closed = true,
            _ => {}
        }
        let mut moved = 0_i64;
        for entry in &event.postings {
            moved = moved.saturating_add(entry.cents.get());
            let name = self.account(entry.account);
            let balance = self.ledger.entry(name.clone()).or_default();
            *balance = balance.saturating_add(entry.cents.get());
            if *balance < 0 && matches!(entry.account, Account::Stack(_) | Account::Layout) {
                let fault = format!("{name} is below zero");
                // One finding for each account is enough: later ones follow from the first.
                if self.found.findings.iter().all(|finding| finding.what != fault) {
                    self.find(fault);
                }
            }
        }
        if moved != 0 {
            self.find(format!("an event moves {moved} cents out of nowhere"));
        }
    }

    fn account(&self, account: Account) -> String {
        let name = |id: table::PlayerId| {
            self.names.get(usize::from(id.0)).map_or("nobody", String::as_str)
        };
        match account {
            Account::Outside => "outside the table".into(),
            Account::Float => "the float".into(),
            Account::Layout => "the layout".into(),
            Account::Commission => "commission".into(),
            Account::Stack(id) => format!("{}'s stack", name(id)),
            Account::Receivable(id) => format!("owed by {}", name(id)),
        }
    }

    fn finish(mut self) -> Audit {
        let table = self.judge.as_ref().map(|table| (table.state(), table.book()));
        self.shoes.finish(table, self.closed);
        self.found.findings.append(&mut self.shoes.findings);
        self.found.shoes = std::mem::take(&mut self.shoes.found);
        if self.begun.is_none() {
            self.find("there is no table in this log");
        }
        self.found.judged &= self.judge.is_some();
        self.found.accounts = self.ledger.into_iter().collect();
        self.found
    }
}
