//! The house: it judges an act, records what follows, and only then tells anybody.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebooks::Book;
use serde::{Deserialize, Serialize};
use shoe::{Digest, ShoeFact};
use store::{
    Append, Begin, Body, CommandKey, Entry, Snapshot, Store, StoreError, StreamEntries, With,
};
use table::{Act, By, Command, Event, Name, Refusal, State, Table};

use crate::dealing::Dealing;
use crate::edition::{edition, files_of};
use crate::people::People;

/// An error that stops a house. The rules are never one: they refuse with a [`Refusal`].
#[derive(Debug, thiserror::Error)]
pub enum HouseError {
    /// The log fails.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The shoe cannot be made.
    #[error(transparent)]
    Shoe(#[from] shoe::BadShoe),
    /// The operating system gives no random numbers.
    #[error("the operating system gives no random numbers: {0}")]
    NoEntropy(String),
    /// The stream has a table already.
    #[error("`{0}` is there already; go on with it, or name another")]
    Begun(String),
    /// The log holds no table.
    #[error("{} holds no table", .0.display())]
    NoTable(PathBuf),
    /// The log holds an event that cannot have happened.
    #[error("the log is damaged: {0}; it can be audited, not continued")]
    Damaged(#[from] table::Broken),
    /// The book is not the one that the table was opened with.
    #[error("the table was opened under another edition of {0}; it can be audited, not continued")]
    OtherBook(String),
    /// The book cannot be loaded.
    #[error("{0}")]
    Book(String),
    /// A log without signatures that does not follow from its book.
    #[error("the log does not hold, and is not gone on with: record {0}: {1}")]
    DoesNotHold(u64, String),
    /// The secret of the shoe in use is lost.
    #[error("the secret of shoe {0} is not in the log; the shoe cannot be dealt on")]
    NoSecret(u32),
    /// A write was begun, and the log did not confirm it.
    #[error("the log did not answer; reopen the table to continue from the last record")]
    Broken,
}

/// An event, with its description.
#[derive(Clone, Debug)]
pub struct Told {
    /// The event.
    pub event: Event,
    /// The event in words.
    pub what: String,
}

/// A table, its shoe and its log.
#[derive(Debug)]
pub struct House {
    pub(crate) store: Store,
    /// The log is closed with the table.
    alone: bool,
    pub(crate) stream: String,
    pub(crate) version: u64,
    pub(crate) name: String,
    pub(crate) book: Arc<Book>,
    pub(crate) sha256: Digest,
    pub(crate) table: Table,
    pub(crate) dealing: Dealing,
    people: People,
    /// Records since the state was last kept.
    unkept: u64,
    /// The time that acts get; the system's clock if none is set.
    clock: Option<u64>,
    /// The source of entropy for shoes; the operating system if none is set.
    entropy: Option<Entropy>,
    /// A write was begun and the log did not confirm it.
    broken: bool,
}

/// The state of a table as it is kept. It has no secret in it.
#[derive(Serialize, Deserialize)]
struct Kept {
    book: store::Book,
    table: State,
    dealing: crate::dealing::Known,
}

/// Records after which the state is kept anew.
const KEEP_AFTER: u64 = 2000;

/// Fills bytes with entropy.
type Fill = dyn FnMut(&mut [u8]) + Send;

/// A source of entropy that a test puts in place of the operating system.
pub struct Entropy(pub Box<Fill>);

impl std::fmt::Debug for Entropy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Entropy(…)")
    }
}

/// Refuses an act that the language has no words for: it cannot be recorded.
fn no_words() -> Refusal {
    let what = "something that cannot be said in a line of a transcript";
    let instead = "names have letters, digits, ' and - and are no role, reasons have words";
    Refusal::new(table::Code::NotInTheBook, None, what, instead)
}

/// Takes from a refusal every hint at the card that was about to come.
fn discreet(mut refusal: Refusal, facts: &[ShoeFact]) -> Refusal {
    let tells = facts.iter().any(|fact| {
        let ShoeFact::Dealt { opening: Some(opening), .. } = fact else { return false };
        let card = opening.card.to_string();
        refusal.what.contains(&card) || refusal.instead.contains(&card)
    });
    if tells {
        refusal.what = "the next card of the shoe cannot come so".into();
        refusal.instead = "do first what is due".into();
    }
    refusal
}

impl House {
    /// Begins a table in a log, which may be new. `name` is the book's id, with the id of its base
    /// after an `@`. The table is not open yet.
    ///
    /// # Errors
    ///
    /// When the log or its key cannot be used, or the stream is there already.
    pub async fn begin(
        log: &Path,
        key: &Path,
        stream: &str,
        name: &str,
        book: Arc<Book>,
    ) -> Result<Self, HouseError> {
        let store = Store::open_with(log, key, Begin::Either).await?;
        let begun = Self::begin_in(store.clone(), stream, name, book).await;
        Self::own(store, begun).await
    }

    /// Begins a table in a new log: it is begun by making its file.
    ///
    /// # Errors
    ///
    /// When the file is there already, or cannot be made.
    pub async fn begin_new(
        log: &Path,
        key: &Path,
        stream: &str,
        name: &str,
        book: Arc<Book>,
    ) -> Result<Self, HouseError> {
        let store = Store::open_with(log, key, Begin::New).await?;
        let begun = Self::begin_in(store.clone(), stream, name, book).await;
        Self::own(store, begun).await
    }

    /// A table that has its log for itself; if it cannot be, the log is closed again.
    async fn own(store: Store, house: Result<Self, HouseError>) -> Result<Self, HouseError> {
        match house {
            Ok(house) => Ok(Self { alone: true, ..house }),
            Err(fault) => {
                store.close().await;
                Err(fault)
            }
        }
    }

    /// Begins a table in a log that others may write to as well.
    ///
    /// # Errors
    ///
    /// When the stream is there already, or the disk fails.
    pub async fn begin_in(
        store: Store,
        stream: &str,
        name: &str,
        book: Arc<Book>,
    ) -> Result<Self, HouseError> {
        if !store.records(stream, 0).await?.is_empty() {
            return Err(HouseError::Begun(stream.into()));
        }
        let canonical = book.canonical();
        let sha256 = Digest::of(&[canonical.as_bytes()]);
        let files = files_of(&book);
        let table = Table::new(Arc::new(book.rulebook.clone()));
        let people = People::of(stream, store.people().await?);
        let mut house =
            Self::at(store, stream, (name, book, sha256), table, (Dealing::default(), people));
        let body = Body::Book(store::Book { name: name.into(), sha256, files: Vec::new() });
        let with = vec![With::Book { sha256, canonical, files }];
        house.record("operator", house.now(), vec![body], with).await?;
        Ok(house)
    }

    fn at(
        store: Store,
        stream: &str,
        (name, book, sha256): (&str, Arc<Book>, Digest),
        table: Table,
        (dealing, people): (Dealing, People),
    ) -> Self {
        Self {
            store,
            alone: false,
            stream: stream.into(),
            version: 0,
            name: name.into(),
            book,
            sha256,
            table,
            dealing,
            people,
            unkept: 0,
            clock: None,
            entropy: None,
            broken: false,
        }
    }

    /// Continues a table where its log ends.
    ///
    /// # Errors
    ///
    /// When the log or its key cannot be used, does not hold, holds no such table, or the book is
    /// not at hand.
    pub async fn resume(log: &Path, key: &Path, stream: &str) -> Result<Self, HouseError> {
        if !log.is_file() {
            return Err(StoreError::Missing(log.into()).into());
        }
        if std::fs::metadata(log).is_ok_and(|metadata| metadata.len() == 0) {
            // Its beginning was interrupted; nothing was told.
            return Err(HouseError::NoTable(log.into()));
        }
        let store = Store::open_with(log, key, Begin::Either).await?;
        let resumed = Self::resume_in(store.clone(), stream).await;
        Self::own(store, resumed).await
    }

    /// Continues a table of a log that others may write to as well. What it is made of was checked:
    /// the state that was kept, and every record behind it.
    ///
    /// # Errors
    ///
    /// When the stream does not hold, is no table, or the book is not at hand.
    pub async fn resume_in(store: Store, stream: &str) -> Result<Self, HouseError> {
        let mut opening = store.go_on(stream).await?;
        let read = |opening: &store::Opening| {
            let (version, state) = opening.snapshot.as_ref()?;
            serde_json::from_str::<Kept>(state).ok().map(|kept| (*version, kept))
        };
        let kept = read(&opening);
        if opening.snapshot.is_some() && kept.is_none() {
            // A state of another program that cannot be read is made anew, from the first record.
            store.forget_snapshot(stream).await?;
            opening = store.go_on(stream).await?;
        }
        let records = opening.records;
        let no_table = || HouseError::NoTable(store.path().into());
        let known = match &kept {
            Some((_, kept)) => kept.book.clone(),
            None => match records.first().ok_or_else(no_table)?.read()? {
                Body::Book(known) => known,
                Body::Line(_)
                | Body::Table(_)
                | Body::Tournament(_)
                | Body::Shoe(_)
                | Body::Checkpoint(_)
                | Body::Answer(_)
                | Body::Key(_)
                | Body::Restored(_) => return Err(no_table()),
            },
        };
        let files = store.book(known.sha256).await?.and_then(|kept| kept.files);
        let Some((book, _)) = edition(&known, files.as_deref()) else {
            let (name, base) = rulebooks::named(&known.name);
            let now = rulebooks::load(name, base);
            now.map_err(|why| HouseError::Book(why.to_string()))?;
            return Err(HouseError::OtherBook(known.name));
        };
        if kept.is_none() {
            // Nothing was kept that the house itself has made: every act is judged again.
            let found = crate::audit::audit_with(&records, files.as_deref(), stream)?;
            if let Some(first) = found.findings.first() {
                return Err(HouseError::DoesNotHold(first.version, first.what.clone()));
            }
        }
        let people = People::of(stream, store.people().await?);
        let version = kept.as_ref().map_or(0, |(version, _)| *version) + records.len() as u64;
        let unkept = records.len() as u64;
        let (name, sha256) = (known.name.clone(), known.sha256);
        let folded = fold(kept.map(|(_, kept)| kept), &records, &book, people)?;
        let whole = (name.as_str(), Arc::new(book), sha256);
        let mut house = Self::at(store, stream, whole, folded.0, (folded.1, folded.2));
        house.version = version;
        house.unkept = unkept;
        house.open_sealed(opening.restored).await?;
        Ok(house)
    }

    /// The table as it stands.
    #[must_use]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// The book that the table is judged by.
    #[must_use]
    pub fn book(&self) -> &Arc<Book> {
        &self.book
    }

    /// The id of the book, with the id of its base after an `@`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The account of somebody at the table, as the log has it.
    #[must_use]
    pub fn account(&self, name: &Name) -> String {
        self.people.known(name).unwrap_or(*name).to_string()
    }

    /// The log.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// How many records the table has.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// The stream of the log that holds the table.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.stream
    }

    /// Fixes the time of later acts, for tests and simulations; `None` restores the system's clock.
    pub const fn set_clock(&mut self, microseconds: Option<u64>) {
        self.clock = microseconds;
    }

    /// Replaces the operating system as the source of entropy, for tests and simulations.
    pub fn set_entropy(&mut self, source: Option<Entropy>) {
        self.entropy = source;
    }

    /// The entropy of a new shoe.
    pub(crate) fn draw_secret(&mut self) -> Result<shoe::Secret, HouseError> {
        let drawn = match &mut self.entropy {
            None => shoe::Secret::draw(getrandom::fill).map_err(|why| why.to_string()),
            Some(Entropy(source)) => shoe::Secret::draw(|bytes| {
                source(bytes);
                Ok(())
            }),
        };
        drawn.map_err(HouseError::NoEntropy)
    }

    /// The words of somebody who takes part in this process.
    pub(crate) fn draw_words(&mut self, account: &str) -> Result<shoe::Words, HouseError> {
        let drawn = match &mut self.entropy {
            None => shoe::Words::draw(account, getrandom::fill).map_err(|why| why.to_string()),
            Some(Entropy(source)) => shoe::Words::draw(account, |bytes: &mut [u8]| {
                source(bytes);
                Ok(())
            }),
        };
        drawn.map_err(HouseError::NoEntropy)
    }

    pub(crate) fn now(&self) -> u64 {
        self.clock.unwrap_or_else(store::now)
    }

    /// Judges an act. A lawful act is recorded, and then its events are returned. Cards that the
    /// act leaves open come from the system's shoe, if there is one.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn act(&mut self, act: Act) -> Result<Result<Vec<Told>, Refusal>, HouseError> {
        self.act_by(By::usual(&act), act).await
    }

    /// Judges an act of somebody in a role, as [`House::act`] does.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn act_by(
        &mut self,
        by: By,
        act: Act,
    ) -> Result<Result<Vec<Told>, Refusal>, HouseError> {
        let refusal = self.refuse_named(&act).or_else(|| self.refuse_bypass(&act));
        if let Some(refusal) = refusal {
            return Ok(Err(refusal));
        }
        self.act_and_publish(by, act, Vec::new()).await
    }

    /// Refuses an act that names a card while the cards come from the system's shoe.
    fn refuse_named(&self, act: &Act) -> Option<Refusal> {
        let named = crate::audit::cards_of(act);
        if named.is_empty() || self.shoe_number() == 0 {
            return None;
        }
        let named: Vec<_> = named.iter().map(ToString::to_string).collect();
        let what = format!("{} at a table that is dealt from the system's shoe", named.join(" "));
        let instead = "leave the card out, and the shoe gives it; real cards need a table that \
                       has no shoe of the system's";
        Some(Refusal::new(table::Code::WrongCard, None, what, instead))
    }

    /// Judges an act, and publishes facts about the shoe together with its events.
    pub(crate) async fn act_and_publish(
        &mut self,
        by: By,
        act: Act,
        more: Vec<ShoeFact>,
    ) -> Result<Result<Vec<Told>, Refusal>, HouseError> {
        if self.broken {
            return Err(HouseError::Broken);
        }
        let (act, facts) = self.fill(act);
        let Some(act) = self.in_words(by, &act) else {
            self.put_back(&facts);
            return Ok(Err(no_words()));
        };
        let command = Command { at: self.now(), by, act };
        let events = match self.table.decide(&command) {
            Ok(events) => events,
            Err(refusal) => {
                self.put_back(&facts);
                return Ok(Err(discreet(refusal, &facts)));
            }
        };
        let mut facts = self.with_burnt(facts, &events);
        facts.extend(more);
        // The log has accounts where people have names.
        let before = self.people.clone();
        let (named, act, with) = self.people.in_log(by, command.act);
        let Some(line) = transcript::say(named, &act, &self.name) else {
            self.put_back(&facts);
            self.people = before;
            return Ok(Err(no_words()));
        };
        let mut bodies = vec![Body::Line(line)];
        let logged = self.events_in_log(&events, &Command { act, by: named, ..command });
        bodies.extend(logged.into_iter().map(|event| Body::Table(Box::new(event))));
        bodies.extend(facts.iter().cloned().map(Body::Shoe));
        let at = command.at;
        let recorded = self.record(&named.to_string(), at, bodies, with).await;
        if recorded.is_err() && !self.broken {
            // Nothing was written, for sure: it is as if nobody had asked.
            self.put_back(&facts);
            self.people = before;
        }
        recorded?;
        let told = self.tell(events);
        for fact in &facts {
            self.dealing.note_fact(fact, at);
            self.dealing.settle(&self.table);
        }
        self.after(&told).await?;
        if self.unkept >= KEEP_AFTER {
            match self.keep().await {
                // What was told is recorded; the next head will do.
                Ok(_) | Err(HouseError::Store(StoreError::Busy(_))) => {}
                Err(fault) => return Err(fault),
            }
        }
        Ok(Ok(told))
    }

    /// Events as the log has them, with accounts. A decision that names somebody in its words is
    /// taken once more, by a table that knows accounts only.
    fn events_in_log(&mut self, events: &[Event], command: &Command) -> Vec<Event> {
        let in_words = |event: &Event| matches!(event.fact, table::Fact::Decided(_));
        if matches!(command.act, Act::VoidWagers(..)) && events.iter().any(in_words) {
            let state = self.people.state_in_log(self.table.state().clone());
            let table = Table::of(Arc::new(self.book.rulebook.clone()), state);
            if let Ok(events) = table.decide(command) {
                return events;
            }
        }
        events.iter().cloned().map(|event| self.people.event_in_log(event)).collect()
    }

    /// Keeps the state of the table under a signed head.
    pub(crate) async fn keep(&mut self) -> Result<store::Head, HouseError> {
        let table = self.people.state_in_log(self.table.state().clone());
        let book = store::Book { name: self.name.clone(), sha256: self.sha256, files: Vec::new() };
        let kept = Kept { book, table, dealing: self.dealing.known() };
        let state =
            serde_json::to_string(&kept).map_err(|why| HouseError::Book(why.to_string()))?;
        let snapshot = Snapshot { stream: self.stream.clone(), version: self.version, state };
        let head = self.store.checkpoint(self.now(), vec![snapshot]).await?;
        self.unkept = 0;
        Ok(head)
    }

    /// The act, read back from the line that says it: the house judges exactly what it records.
    fn in_words(&self, by: By, act: &Act) -> Option<Act> {
        let line = transcript::say(by, act, &self.name)?;
        let read = match transcript::understand(&line).ok()? {
            transcript::Said::Act(_, read) => *read,
            transcript::Said::Opening { options, .. } => Act::Open(options),
            transcript::Said::Nothing | transcript::Said::Tournament => return None,
        };
        let same = std::mem::discriminant(&read) == std::mem::discriminant(act)
            && transcript::say(by, &read, &self.name).as_ref() == Some(&line);
        same.then_some(read)
    }

    fn tell(&mut self, events: Vec<Event>) -> Vec<Told> {
        let mut told = Vec::with_capacity(events.len());
        for event in events {
            self.dealing.note_event(&event, &self.table);
            self.table.evolve(&event);
            let what = transcript::tell(&event, &self.table);
            told.push(Told { event, what });
        }
        told
    }

    /// Records facts about the shoe that belong to no act at the table.
    pub(crate) async fn publish(
        &mut self,
        facts: Vec<ShoeFact>,
        with: Vec<With>,
    ) -> Result<(), HouseError> {
        let bodies = facts.iter().cloned().map(Body::Shoe).collect();
        let at = self.now();
        self.record("dealer", at, bodies, with).await?;
        for fact in &facts {
            self.dealing.note_fact(fact, at);
        }
        Ok(())
    }

    async fn record(
        &mut self,
        actor: &str,
        at: u64,
        bodies: Vec<Body>,
        with: Vec<With>,
    ) -> Result<(), HouseError> {
        // What was asked comes first; the rest follows from it.
        let said = bodies.first().map_or_else(String::new, Body::to_json);
        let command = CommandKey {
            actor: actor.into(),
            // A house is the only writer of its stream, so the position in the stream names a
            // command.
            key: format!("{} {}", self.stream, self.version + 1),
            payload: Digest::of(&[said.as_bytes()]),
        };
        let entries: Vec<_> = bodies.into_iter().map(|body| Entry { at, body }).collect();
        let more = entries.len() as u64;
        let part = StreamEntries { stream: self.stream.clone(), expected: self.version, entries };
        // Until the answer comes it is not certain that the records were written; without an
        // answer, only the log itself can tell.
        self.broken = true;
        let appended = self.store.append(Append { command, parts: vec![part], with }).await;
        if let Err(StoreError::Busy(_)) = appended {
            // Nothing was written, for sure.
            self.broken = false;
        }
        let appended = appended?;
        if appended.repeated {
            // A house is the only writer of its stream: somebody else put this there.
            return Err(HouseError::Broken);
        }
        self.version = appended.versions.1;
        self.unkept += more;
        self.broken = false;
        Ok(())
    }

    /// The newest signed head of the log: to be shown, and kept elsewhere.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn head(&self) -> Result<Option<store::Head>, HouseError> {
        Ok(self.store.head().await?)
    }

    /// Stops: keeps the state under a signed head, and closes the log if it is the table's alone.
    /// The table can be reopened later. Gives the head, to be shown.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn close(mut self) -> Result<Option<store::Head>, HouseError> {
        let kept = if self.broken { Ok(None) } else { self.keep().await.map(Some) };
        if self.alone {
            self.store.close().await;
        }
        kept
    }
}

/// The table, its shoe and its people: what was kept, and what was recorded behind it.
fn fold(
    kept: Option<Kept>,
    records: &[store::Record],
    book: &Book,
    mut people: People,
) -> Result<(Table, Dealing, People), HouseError> {
    let rulebook = Arc::new(book.rulebook.clone());
    let (mut table, mut dealing) = match kept {
        None => (Table::new(rulebook), Dealing::default()),
        Some(kept) => {
            let state = people.state(kept.table);
            (Table::of(rulebook, state), Dealing::of(kept.dealing))
        }
    };
    for record in records {
        match record.read()? {
            Body::Table(event) => {
                let event = people.event(*event);
                table.check(&event)?;
                dealing.note_event(&event, &table);
                table.replay(&event)?;
            }
            Body::Shoe(fact) => {
                dealing.note_fact(&fact, record.at);
                if matches!(fact, ShoeFact::Committed { .. }) {
                    dealing.committed_in(record.version);
                }
                dealing.settle(&table);
            }
            Body::Book(_)
            | Body::Line(_)
            | Body::Tournament(_)
            | Body::Checkpoint(_)
            | Body::Answer(_)
            | Body::Key(_)
            | Body::Restored(_) => {}
        }
    }
    Ok((table, dealing, people))
}

#[cfg(test)]
mod tests {
    use rules::Card;
    use shoe::Opening;

    use super::*;

    #[test]
    fn a_refusal_does_not_name_the_card_that_was_about_to_come() {
        let (card, salt): (Card, _) = ("5h".parse().expect("a card"), Digest::of(&[]));
        let opening = Opening { index: 7, card, salt, path: Vec::new() };
        let next =
            ShoeFact::Dealt { index: 7, what: "coup 2: player".into(), opening: Some(opening) };
        let refusal =
            |what: &str, instead: &str| Refusal::new(table::Code::WrongCard, None, what, instead);
        let facts = [next];
        for (what, instead) in [("5h before 6d", "6d comes first"), ("not so", "allowed: 5h")] {
            let said = discreet(refusal(what, instead), &facts);
            assert!(!said.to_string().contains("5h"), "{said}");
            assert_eq!(said.code, table::Code::WrongCard);
        }
        // A refusal may name a card that lies open for all to see, and a card that nobody took.
        let harmless = refusal("6d waits", "deal 6d first");
        assert_eq!(discreet(harmless.clone(), &facts), harmless);
        let known = refusal("5h before 6d", "6d comes first");
        assert_eq!(discreet(known.clone(), &[]), known);
    }
}
