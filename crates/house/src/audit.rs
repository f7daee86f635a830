//! The audit of a table's log: every statement in the log is checked against the rest of the log
//! alone.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use rules::Card;
use shoe::{CutOf, Digest, ShoeFact, ShoeRecord, Verified};
use store::StoreError;
use table::{Account, Act, By, Command, CutBy, Deed, Event, Role, State, Table, Work};
use transcript::{Said, understand};

use crate::cards::Places;
use crate::edition::{Edition, edition};
use crate::export::{Group, groups};

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
/// appeared or vanished, and that every card came from the shoe.
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
    let mut auditor =
        Auditor { stream: stream.into(), files: files.map(str::to_owned), ..Auditor::default() };
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
    closed: bool,
    at: u64,
    begun: bool,
}

impl Auditor {
    fn find(&mut self, what: impl Into<String>) {
        self.found.findings.push(Finding { version: self.at, what: what.into() });
    }

    fn group(&mut self, group: &Group) {
        self.at = group.first;
        if let Some(book) = &group.book {
            self.open(book);
        }
        let act = self.act(group);
        if act.is_none() && !group.events.is_empty() {
            self.find("events that no act brought");
        }
        self.judge(group, act.as_ref());
        for event in &group.events {
            self.book_keeping(event);
        }
        self.check_chance(group);
        self.check_cards(group, act.as_ref().map(|(_, act)| act));
        for fact in &group.facts {
            self.check_shoe(fact, group);
            self.note(fact);
        }
    }

    fn open(&mut self, book: &store::Book) {
        if self.begun {
            self.find("a second book in one table");
        }
        self.begun = true;
        self.found.book.clone_from(&book.name);
        self.sha256 = Some(book.sha256);
        let same = edition(book, self.files.as_deref());
        self.found.judged = same.is_some();
        // A book of one's own is the log's; of one that comes with Sabot there is a known edition.
        let principal = book.name.split(['+', '@']).next().unwrap_or(&book.name);
        let known = rulebooks::ids().contains(&principal);
        let kept = same.as_ref().is_some_and(|(_, from)| *from == Edition::Kept);
        self.found.kept_edition = known && kept;
        self.judge = same.map(|(book, _)| Table::new(Arc::new(book.rulebook)));
    }

    fn act(&mut self, group: &Group) -> Option<(By, Act)> {
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
        let takes = |event: &Event| {
            use table::Fact::{Burned, BurnedMore, Dealt, Excess, Turned};
            matches!(
                event.fact,
                Burned { .. } | BurnedMore(_) | Dealt { .. } | Excess { .. } | Turned { .. }
            )
        };
        if shoe.entropy.is_some() {
            if group.events.iter().any(takes) {
                self.find("a card after the shoe was revealed");
            }
            return;
        }
        if shoe.root.is_none() || shoe.cut.is_none() {
            if group.events.iter().any(takes) {
                self.find("a card before the shoe was made and cut");
            }
            return;
        }
        let left = (shoe.decks * 52) as usize - shoe.dealt.len().min((shoe.decks * 52) as usize);
        let faults = self.places.check(shoe, &group.events, &group.facts);
        let restored = |fact: &ShoeFact| *fact == ShoeFact::Abandoned(shoe::Abandoned::Restored);
        let empty = |fact: &ShoeFact| *fact == ShoeFact::Abandoned(shoe::Abandoned::Left);
        let nobody = self.judge.as_ref().is_none_or(|table| table.present().next().is_none());
        let given_up = group.facts.iter().any(restored) || nobody && group.facts.iter().any(empty);
        if matches!(act, Some(Act::ShoeRunsOut)) && left > 0 && !given_up {
            self.find(format!("the shoe was said to run out with {left} cards in it"));
        }
        for fault in faults {
            self.find(fault);
        }
    }

    /// Checks that a secret is published only when it may be, and that a new shoe is sound.
    fn check_shoe(&mut self, fact: &ShoeFact, group: &Group) {
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
            }
            ShoeFact::Listed { .. } => {
                if group.facts.iter().any(|fact| matches!(fact, ShoeFact::Ordered { .. })) {
                    self.find("the list was closed and used in one go: nobody could see it");
                }
            }
            ShoeFact::Revealed { .. } => {
                let over = self.judge.as_ref().is_none_or(|table| {
                    let next = table.phase() == table::Phase::Preparing && !table.shoe().shuffled;
                    // An empty table is not dealt.
                    let left = table.present().next().is_none();
                    next || left || table.phase() == table::Phase::Closed
                });
                let given_up = self.may_give_up();
                let unused =
                    !given_up && self.shoe.as_ref().is_some_and(|shoe| shoe.dealt.is_empty());
                let watched = self.judge.as_ref().is_some_and(|table| {
                    table.phase() != table::Phase::Closed && table.present().next().is_some()
                });
                if !over && !given_up {
                    self.find("the shoe was revealed while it was in use");
                } else if unused && watched {
                    self.find("a shoe was thrown away before it was used");
                }
            }
            ShoeFact::Abandoned(why) => self.abandoned = Some(*why),
            ShoeFact::Mixed { .. }
            | ShoeFact::Ordered { .. }
            | ShoeFact::CutByChance { .. }
            | ShoeFact::Dealt { .. }
            | ShoeFact::Opened(_) => {}
        }
    }

    /// Whether the reason for which the shoe is abandoned can be: nobody is there, the log was
    /// restored (the house's own records tell when), or nobody could take part yet.
    fn may_give_up(&self) -> bool {
        let nobody = || self.judge.as_ref().is_none_or(|table| table.present().next().is_none());
        match self.abandoned {
            None => false,
            Some(shoe::Abandoned::Left) => nobody(),
            Some(shoe::Abandoned::Restored) => true,
            Some(shoe::Abandoned::KeyChanged) => self
                .shoe
                .as_ref()
                .and_then(ShoeRecord::second)
                .is_some_and(|way| way.signature.is_none()),
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
            if self.shoe.as_ref().is_some_and(|shoe| shoe.entropy.is_none()) {
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
        let secret = self.shoe.as_ref().is_some_and(|shoe| shoe.entropy.is_none());
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

/// The cards that an act names.
pub(crate) fn cards_of(act: &Act) -> Vec<Card> {
    match act {
        Act::Dealer(work) => cards_of_work(work),
        Act::Player(_, Deed::Turn(_, cards)) => cards.iter().flatten().copied().collect(),
        Act::Player(_, Deed::TurnThird(_, card)) => card.iter().copied().collect(),
        Act::Player(..)
        | Act::Tick
        | Act::Open(_)
        | Act::Post(_)
        | Act::GiveNotice(..)
        | Act::PlayersConsent
        | Act::Allow(..)
        | Act::VoidCoup(_)
        | Act::VoidNumbered(..)
        | Act::Invalidate(_)
        | Act::VoidWagers(..)
        | Act::Exclude(..)
        | Act::RequireSeat(_)
        | Act::ReplaceCards
        | Act::Close
        | Act::GiveRules
        | Act::DecideDispute(..)
        | Act::ReviewDispute(..)
        | Act::InspectorLeaves
        | Act::InspectorReturns
        | Act::Supervisor(_)
        | Act::CuttingCardAppears
        | Act::CuttingCardShows
        | Act::ShoeRunsOut
        | Act::FreshShoe => Vec::new(),
    }
}

fn cards_of_work(work: &Work) -> Vec<Card> {
    match work {
        Work::Deal(cards) => cards.iter().copied().flatten().collect(),
        Work::Burn(card) | Work::FindFaceUp(card) => vec![*card],
        Work::Turn(_, cards) => cards.iter().flatten().copied().collect(),
        Work::BurnCounted { card, .. } => card.iter().copied().collect(),
        Work::Draw { card, .. } | Work::DrawExcess { card, .. } | Work::TurnThird(_, card) => {
            card.iter().copied().collect()
        }
        Work::Check(_)
        | Work::Shuffle
        | Work::Riffle
        | Work::PreShuffled
        | Work::OfferCut(_)
        | Work::PlaceCuttingCard(_)
        | Work::BurnUnseen
        | Work::BurnMore(_)
        | Work::SkipBurn
        | Work::NoMoreBets
        | Work::Reduce(_)
        | Work::LetStand
        | Work::Pass(..) => Vec::new(),
    }
}
