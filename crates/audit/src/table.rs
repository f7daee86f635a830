//! The audit of a table's log: every statement in the log is checked against the rest of the log
//! alone.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use shoe::{CutOf, Digest, ShoeFact, ShoeRecord, Verified};
use store::{Body, Store, StoreError};
use table::{Account, Act, By, Command, CutBy, Event, Role, State, Table};
use transcript::{Said, understand};

use crate::cards::Places;
use crate::edition::{Edition, edition, holds_files};
use crate::event_shoes::takes_a_card;
use crate::groups::{Group, groups};
use crate::house::House;

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

/// How long somebody takes no part who promised a word and did not open it, in microseconds.
const BARRED: u64 = 24 * 3600 * 1_000_000;

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
    let book = match records.first().map(store::Record::read).transpose()? {
        Some(Body::Book(book)) => store.book(book.sha256).await?,
        _ => None,
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
    let mut auditor = Auditor {
        stream: stream.into(),
        files: files.map(str::to_owned),
        house: house.clone(),
        ..Auditor::default()
    };
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
    /// The files of the book that the log kept.
    files: Option<String>,
    sha256: Option<Digest>,
    abandoned: Option<shoe::Abandoned>,
    /// The table as the engine makes it from the acts; `None` once the engine and the log disagree.
    judge: Option<Table>,
    /// The table as the events themselves make it.
    folded: State,
    /// An event could not be folded, so no later event was folded either.
    parted: bool,
    /// The money, counted without the engine: from the postings alone.
    ledger: BTreeMap<String, i64>,
    names: Vec<String>,
    shoe: Option<ShoeRecord>,
    places: Places,
    decks: Option<u32>,
    commitments: HashSet<Digest>,
    /// The record in which the house committed to the shoe.
    committed_in: u64,
    /// Who takes no part until when.
    barred: Vec<(String, u64)>,
    house: House,
    closed: bool,
    at: u64,
    begun: bool,
    /// How the table is run.
    setup: Option<store::Setup>,
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
        }
        let act = self.act(group);
        if act.is_none() && !group.events.is_empty() {
            self.find("events that no act brought");
        }
        self.judge_refused(group);
        self.judge(group, act.as_ref());
        for event in &group.events {
            self.book_keeping(event);
        }
        self.check_chance(group);
        self.check_cards(group, act.as_ref().map(|(_, act)| act));
        for fact in &group.facts {
            self.check_shoe(fact, group);
            self.note(fact);
            if matches!(fact, ShoeFact::Ordered { .. } | ShoeFact::CutByChance { .. }) {
                self.bar(group.at);
            }
        }
    }

    /// Who promised a word and did not open it takes no part for a day.
    fn bar(&mut self, at: u64) {
        let Some(way) = self.shoe.as_ref().and_then(ShoeRecord::second) else { return };
        let until = at.saturating_add(BARRED);
        let silent = way.silent().map(|account| (account.to_owned(), until)).collect::<Vec<_>>();
        self.barred.retain(|(_, until)| *until > at);
        self.barred.extend(silent);
    }

    /// Whether the shoe can be given up in this record for this reason: nobody is there, the
    /// log was restored behind the commitment, or nobody could take part before the key changed.
    /// That a secret is lost nobody can check: such a shoe is listed.
    fn may_give_up(&self, why: shoe::Abandoned) -> bool {
        let known = self.house.is_known();
        match why {
            shoe::Abandoned::Left => {
                self.judge.as_ref().is_none_or(|table| table.present().next().is_none())
            }
            shoe::Abandoned::Restored => !known || self.is_restored(),
            shoe::Abandoned::KeyChanged => {
                let way = self.shoe.as_ref().and_then(ShoeRecord::second);
                let key = |at: u64| self.house.key_at(&self.stream, at);
                way.is_some_and(|way| way.signature.is_none())
                    && (!known || key(self.committed_in) != key(self.at))
            }
            shoe::Abandoned::SecretLost => true,
        }
    }

    /// Whether the log was restored since the house committed to the shoe.
    fn is_restored(&self) -> bool {
        self.house.restored_between(&self.stream, self.committed_in, self.at)
    }

    /// Whether there is a shoe that is neither revealed nor lost.
    fn has_open_shoe(&self) -> bool {
        self.shoe.as_ref().is_some_and(|shoe| shoe.entropy.is_none())
            && self.abandoned != Some(shoe::Abandoned::SecretLost)
    }

    fn open(&mut self, book: &store::Book) {
        if self.begun {
            self.find("a second book in one table");
        }
        self.begun = true;
        self.found.book.clone_from(&book.name);
        self.sha256 = Some(book.sha256);
        let same = edition(book, self.files.as_deref());
        if !holds_files(book, self.files.as_deref()) {
            self.find("the files of the book that the log kept make another book");
        }
        self.found.judged = same.is_some();
        // A book of one's own is the log's; of one that comes with Sabot there is a known edition.
        let principal = book.name.split(['+', '@']).next().unwrap_or(&book.name);
        let known = rulebooks::ids().contains(&principal);
        let kept = same.as_ref().is_some_and(|(_, from)| *from == Edition::Kept);
        self.found.kept_edition = known && kept;
        self.judge = same.map(|(book, _)| Table::new(Arc::new(book.rulebook)));
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
        self.find(fault + "; what follows cannot be judged");
    }

    /// Checks that an act that the book is said to have refused is refused by it, in these words.
    fn judge_refused(&mut self, group: &Group) {
        let alone = group.events.is_empty() && group.facts.is_empty() && group.acted.is_none();
        if !alone && group.proposed.is_some() {
            self.find("an act that waits for a second person has consequences");
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
    }

    /// Keeps the accounts, and follows the cut.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the accounts follow from the postings, whatever the fact"
    )]
    fn book_keeping(&mut self, event: &Event) {
        self.found.events += 1;
        if !self.begun {
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
            table::Fact::Cut { depth, by } => self.cut(*depth, *by),
            table::Fact::CuttingCardPlaced(behind) => self.check_behind(*behind),
            table::Fact::Opened(opened) => self.decks = Some(opened.options.decks),
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

    /// A cut by staff is made of words, which come with it; one by a player is not.
    fn check_chance(&mut self, group: &Group) {
        let second = self.shoe.as_ref().is_some_and(|shoe| shoe.second().is_some());
        if !second || self.shoe.as_ref().is_some_and(|shoe| shoe.entropy.is_some()) {
            return;
        }
        let staff =
            |event: &Event| matches!(event.fact, table::Fact::Cut { by: CutBy::Staff(_), .. });
        let words = group.facts.iter().any(|fact| matches!(fact, ShoeFact::CutByChance { .. }));
        if group.events.iter().any(staff) != words {
            self.find("a cut by staff and the words that it is made of do not come together");
        }
    }

    /// The cutting card stands where the commitment says.
    fn check_behind(&mut self, behind: u32) {
        let bound = self.shoe.as_ref().filter(|shoe| shoe.entropy.is_none());
        let bound = bound.and_then(ShoeRecord::second).map(|way| way.binds.behind);
        if bound.is_some_and(|bound| bound != behind) {
            self.find("the cutting card stands elsewhere than the house committed to");
        }
    }

    fn cut(&mut self, depth: u32, by: CutBy) {
        let Some(shoe) = self.shoe.as_mut().filter(|shoe| shoe.entropy.is_none()) else { return };
        let (early, again) = (shoe.root.is_none(), shoe.cut.is_some());
        let of = match by {
            CutBy::Player(_) => CutOf::Player,
            CutBy::Staff(_) => CutOf::Staff,
        };
        shoe.note_cut(depth, of);
        if early {
            self.find("the shoe was cut before its root was published");
        }
        if again {
            self.find("the shoe was cut twice");
        }
    }

    /// Every card of the act is the shoe's, and as many left the shoe as the act takes.
    fn check_cards(&mut self, group: &Group, act: Option<&Act>) {
        let cards = |fact: &&ShoeFact| matches!(fact, ShoeFact::Dealt { .. } | ShoeFact::Opened(_));
        if act.is_none() && group.facts.iter().any(|fact| cards(&fact)) {
            self.find("cards of the shoe that no act took");
            return;
        }
        let Some(shoe) = &self.shoe else { return };
        let takes = |event: &Event| takes_a_card(&event.fact);
        if shoe.entropy.is_some() || self.abandoned == Some(shoe::Abandoned::SecretLost) {
            if group.events.iter().any(takes) {
                self.find("a card after the shoe was revealed or given up");
            }
            return;
        }
        let left = (shoe.decks * 52) as usize - shoe.dealt.len().min((shoe.decks * 52) as usize);
        let reasons = group.facts.iter().filter_map(|fact| match fact {
            ShoeFact::Abandoned(why) => Some(*why),
            ShoeFact::Committed { .. }
            | ShoeFact::Listed { .. }
            | ShoeFact::Ordered { .. }
            | ShoeFact::CutByChance { .. }
            | ShoeFact::Mixed { .. }
            | ShoeFact::Dealt { .. }
            | ShoeFact::Opened(_)
            | ShoeFact::Revealed { .. } => None,
        });
        let given_up = reasons.into_iter().any(|why| self.may_give_up(why));
        if matches!(act, Some(Act::ShoeRunsOut)) && left > 0 && !given_up {
            self.find(format!("the shoe was said to run out with {left} cards in it"));
        }
        let Some(shoe) = &self.shoe else { return };
        if shoe.root.is_none() || shoe.cut.is_none() {
            if group.events.iter().any(takes) {
                self.find("a card before the shoe was made and cut");
            }
            return;
        }
        let faults = self.places.check(shoe, &group.events, &group.facts);
        for fault in faults {
            self.find(fault);
        }
    }

    /// Checks that a secret is published only when it may be, and that a new shoe is sound.
    fn check_shoe(&mut self, fact: &ShoeFact, group: &Group) {
        let ends = matches!(
            fact,
            ShoeFact::Committed { .. } | ShoeFact::Abandoned(_) | ShoeFact::Revealed { .. }
        );
        if !ends && self.has_open_shoe() && self.is_restored() {
            self.find("a shoe was gone on with though the log was restored since its commitment");
        }
        match fact {
            ShoeFact::Committed { decks, commitment, binds, .. } => {
                if self.decks.is_some_and(|table| table != *decks) {
                    self.find("a shoe of another number of decks than the table's");
                }
                if !self.commitments.insert(*commitment) {
                    self.find("a commitment that was used before");
                }
                if group.facts.len() > 1 {
                    self.find("the house committed and went on in one go: nobody could take part");
                }
                if let Some(binds) = binds {
                    self.check_binds(binds);
                } else if self.found.shoes.iter().any(|shoe| shoe.record.second().is_some())
                    || self.shoe.as_ref().is_some_and(|shoe| shoe.second().is_some())
                {
                    self.find("a shoe of the first procedure, which is weaker, after a second");
                }
                self.places.new_shoe();
                self.committed_in = group.first;
            }
            ShoeFact::Listed { promises, .. } => {
                let barred = |account: &String| {
                    let barred = self.barred.iter();
                    barred.clone().any(|(silent, until)| silent == account && *until > group.at)
                };
                let early = promises.iter().map(|promise| &promise.account).find(|who| barred(who));
                if let Some(account) = early.cloned() {
                    let what = "took part within a day of a word that was not opened";
                    self.find(format!("{account} {what}"));
                }
                if group.facts.iter().any(|fact| matches!(fact, ShoeFact::Ordered { .. })) {
                    self.find("the list was closed and used in one go: nobody could see it");
                }
            }
            ShoeFact::Revealed { .. } => self.check_revealed(),
            ShoeFact::Abandoned(why) => {
                if !self.may_give_up(*why) {
                    self.find(
                        "a shoe was abandoned for a reason that nothing in the log bears out",
                    );
                }
                self.abandoned = Some(*why);
            }
            ShoeFact::Mixed { .. }
            | ShoeFact::Ordered { .. }
            | ShoeFact::CutByChance { .. }
            | ShoeFact::Dealt { .. }
            | ShoeFact::Opened(_) => {}
        }
    }

    /// A secret is published when its shoe is over, or given up for a reason that holds.
    fn check_revealed(&mut self) {
        let over = self.judge.as_ref().is_none_or(|table| {
            let next = table.phase() == table::Phase::Preparing && !table.shoe().shuffled;
            // An empty table is not dealt.
            let left = table.present().next().is_none();
            next || left || table.phase() == table::Phase::Closed
        });
        let given_up = self.abandoned.is_some_and(|why| self.may_give_up(why));
        let unused = !given_up && self.shoe.as_ref().is_some_and(|shoe| shoe.dealt.is_empty());
        let watched = self.judge.as_ref().is_some_and(|table| {
            table.phase() != table::Phase::Closed && table.present().next().is_some()
        });
        if !over && !given_up {
            self.find("the shoe was revealed while it was in use");
        } else if unused && watched {
            self.find("a shoe was thrown away before it was used");
        }
    }

    /// The commitment is to a shoe of this table, this number and this book.
    fn check_binds(&mut self, binds: &shoe::Binds) {
        let number = self.found.shoes.len() + usize::from(self.shoe.is_some()) + 1;
        if binds.table != self.stream {
            self.find(format!("a shoe of another table: {}", binds.table));
        }
        if usize::try_from(binds.number) != Ok(number) {
            self.find(format!("shoe {} where shoe {number} is due", binds.number));
        }
        if Some(binds.book) != self.sha256 {
            self.find("a shoe for another book");
        }
        let known = self.house.is_known();
        if known && self.house.key_at(&self.stream, self.at) != Some(binds.key) {
            self.find("a shoe that is bound to another key than the house had");
        }
        let bounds = self.judge.as_ref().map(|table| {
            let cut = &table.book().cut;
            (cut.depth.value.get(), cut.behind.value.least())
        });
        if bounds.is_some_and(|(least, behind)| binds.least != least || binds.behind < behind) {
            self.find("bounds of the cut or of the cutting card that are not the book's");
        }
    }

    fn note(&mut self, fact: &ShoeFact) {
        if let ShoeFact::Committed { decks, commitment, protocol, binds } = fact {
            if self.has_open_shoe() {
                self.find("a new shoe was begun before the last one was revealed");
            }
            self.end_shoe();
            let fresh = match binds {
                None => ShoeRecord::first(*decks, *commitment),
                Some(binds) => ShoeRecord::of(*decks, *commitment, (**binds).clone()),
            };
            self.shoe = Some(ShoeRecord { protocol: protocol.clone(), ..fresh });
            return;
        }
        let Some(mut shoe) = self.shoe.take() else { return self.find("a card of no shoe") };
        match fact {
            ShoeFact::Mixed { .. } | ShoeFact::Ordered { .. } if shoe.root.is_some() => {
                self.find("the order was made twice");
            }
            ShoeFact::Listed { .. } if shoe.second().is_none_or(|way| way.signature.is_some()) => {
                self.find("the list of promises was closed twice");
            }
            ShoeFact::Ordered { .. } if shoe.second().is_none_or(|way| way.signature.is_none()) => {
                self.find("the order was made before the list was closed");
            }
            ShoeFact::CutByChance { .. } if shoe.root.is_none() || shoe.entropy.is_some() => {
                self.find("words for a cut at another time than the cut");
            }
            ShoeFact::Mixed { .. } if shoe.second().is_some() => {
                self.find("the first procedure within the second");
            }
            ShoeFact::Dealt { .. } if shoe.cut.is_none() => self.find("a card left before the cut"),
            ShoeFact::Dealt { .. } if shoe.entropy.is_some() => {
                self.find("a card left a shoe that was revealed");
            }
            ShoeFact::Dealt { index, .. } if *index as usize != shoe.dealt.len() => {
                self.find(format!("card {index} left where card {} was due", shoe.dealt.len()));
            }
            ShoeFact::Committed { .. }
            | ShoeFact::Listed { .. }
            | ShoeFact::Ordered { .. }
            | ShoeFact::CutByChance { .. }
            | ShoeFact::Abandoned(_)
            | ShoeFact::Mixed { .. }
            | ShoeFact::Dealt { .. }
            | ShoeFact::Opened(_)
            | ShoeFact::Revealed { .. } => {}
        }
        shoe.note(fact);
        self.shoe = Some(shoe);
    }

    fn end_shoe(&mut self) {
        let Some(record) = self.shoe.take() else { return };
        let verified = shoe::verify(&record);
        let number = self.found.shoes.len() + 1;
        for fault in verified.as_ref().err().into_iter().flatten() {
            self.find(format!("shoe {number}: {fault}"));
        }
        let abandoned = self.abandoned.take();
        self.found.shoes.push(ShoeFound { record, verified, abandoned, unrevealed: false });
    }

    fn finish(mut self) -> Audit {
        let secret = self.has_open_shoe();
        let over = self.judge.as_ref().is_some_and(|table| {
            table.phase() == table::Phase::Preparing && !table.shoe().shuffled
        });
        let dealt = self.shoe.as_ref().is_some_and(|shoe| !shoe.dealt.is_empty());
        let unrevealed = secret && (self.closed || over && dealt);
        self.end_shoe();
        if let Some(last) = self.found.shoes.last_mut() {
            last.unrevealed = unrevealed;
        }
        if !self.begun {
            self.find("there is no table in this log");
        }
        self.found.judged &= self.judge.is_some();
        self.found.accounts = self.ledger.into_iter().collect();
        self.found
    }
}
