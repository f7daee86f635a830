//! The house: it judges an act, records what follows, and only then tells anybody.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rulebooks::{Book, OwnFile};
use shoe::{Digest, ShoeFact};
use store::{Append, Body, CommandKey, Entry, Key, Store, StoreError, StreamEntries};
use table::{Act, By, Command, Event, Refusal, Table};

use crate::dealing::Dealing;

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
    pub(crate) key: Key,
    pub(crate) stream: String,
    pub(crate) version: u64,
    pub(crate) name: String,
    pub(crate) book: Arc<Book>,
    pub(crate) table: Table,
    pub(crate) dealing: Dealing,
    /// The time that acts get; the system's clock if none is set.
    clock: Option<u64>,
    /// The source of entropy for shoes; the operating system if none is set.
    entropy: Option<Entropy>,
    /// A write was begun and the log did not confirm it.
    broken: bool,
}

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

/// The edition of a book that a table was opened with: the one of that name, if it still rules the
/// same, or the one whose files the log kept. Under the name of a book that comes with Sabot, no
/// other files are taken for it.
pub(crate) fn edition(known: &store::Book) -> Option<Book> {
    let (name, base) = rulebooks::named(&known.name);
    let sha256 = known.sha256.to_string();
    let now = rulebooks::load(name, base).ok().filter(|book| book.rules_as(&sha256));
    let principal = name.split('+').next().unwrap_or(name);
    if now.is_some() || known.files.is_empty() || rulebooks::ids().contains(&principal) {
        return now;
    }
    let own = known.files.iter().cloned();
    let own = own.map(|store::BookFile { book, file, text }| OwnFile { book, file, text });
    let kept = rulebooks::load_with(name, base, &own.collect::<Vec<_>>()).ok();
    kept.filter(|book| book.sha256() == sha256)
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
        let store = Store::open(log).await?;
        if !store.records(stream, 0).await?.is_empty() {
            return Err(HouseError::Begun(stream.into()));
        }
        let key = Key::at(key).map_err(StoreError::from)?;
        let canonical = book.canonical();
        let sha256 = Digest::of(&[canonical.as_bytes()]);
        store.keep_book(sha256, &canonical).await?;
        let table = Table::new(Arc::new(book.rulebook.clone()));
        let mut house = Self {
            store,
            key,
            stream: stream.into(),
            version: 0,
            name: name.into(),
            book,
            table,
            dealing: Dealing::default(),
            clock: None,
            entropy: None,
            broken: false,
        };
        let own = house.book.files.iter().cloned();
        let file = |rulebooks::OwnFile { book, file, text }| store::BookFile { book, file, text };
        let files = own.map(file).collect();
        let body = Body::Book(store::Book { name: name.into(), sha256, files });
        house.record("operator", house.now(), vec![body]).await?;
        Ok(house)
    }

    /// Continues a table where its log ends.
    ///
    /// # Errors
    ///
    /// When the log or its key cannot be used, holds no such table, or the book has changed.
    pub async fn resume(log: &Path, key: &Path, stream: &str) -> Result<Self, HouseError> {
        if !log.is_file() {
            return Err(StoreError::Missing(log.into()).into());
        }
        let store = Store::open(log).await?;
        let key = Key::read(key).map_err(StoreError::from)?;
        let records = store.records(stream, 0).await?;
        let first = records.first().ok_or_else(|| HouseError::NoTable(log.into()))?;
        let Body::Book(known) = first.read()? else {
            return Err(HouseError::NoTable(log.into()));
        };
        let Some(book) = edition(&known) else {
            let (name, base) = rulebooks::named(&known.name);
            let now = rulebooks::load(name, base);
            now.map_err(|why| HouseError::Book(why.to_string()))?;
            return Err(HouseError::OtherBook(known.name));
        };
        let mut table = Table::new(Arc::new(book.rulebook.clone()));
        let mut dealing = Dealing::default();
        for record in &records {
            match record.read()? {
                Body::Table(event) => {
                    table.check(&event)?;
                    dealing.note_event(&event, &table);
                    table.replay(&event)?;
                }
                Body::Shoe(fact) => {
                    dealing.note_fact(&fact);
                    dealing.settle(&table);
                }
                Body::Book(_)
                | Body::Line(_)
                | Body::Tournament(_)
                | Body::Checkpoint(_)
                | Body::Answer(_) => {}
            }
        }
        let version = records.len() as u64;
        let mut house = Self {
            store,
            key,
            stream: stream.into(),
            version,
            name: known.name,
            book: Arc::new(book),
            table,
            dealing,
            clock: None,
            entropy: None,
            broken: false,
        };
        house.open_sealed().await?;
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

    /// The log.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
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
        let Some((line, act)) = self.in_words(by, &act) else {
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
        let mut bodies = vec![Body::Line(line)];
        bodies.extend(events.iter().cloned().map(|event| Body::Table(Box::new(event))));
        bodies.extend(facts.iter().cloned().map(Body::Shoe));
        self.record(&by.to_string(), command.at, bodies).await?;
        let told = self.tell(events);
        for fact in &facts {
            self.dealing.note_fact(fact);
            self.dealing.settle(&self.table);
        }
        self.after(&told).await?;
        Ok(Ok(told))
    }

    /// The act as a line of the log, and the same act read back from that line: the house judges
    /// exactly what it records.
    fn in_words(&self, by: By, act: &Act) -> Option<(String, Act)> {
        let line = transcript::say(by, act, &self.name)?;
        let read = match transcript::understand(&line).ok()? {
            transcript::Said::Act(_, read) => *read,
            transcript::Said::Opening { options, .. } => Act::Open(options),
            transcript::Said::Nothing | transcript::Said::Tournament => return None,
        };
        let same = std::mem::discriminant(&read) == std::mem::discriminant(act)
            && transcript::say(by, &read, &self.name).as_ref() == Some(&line);
        same.then_some((line, read))
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
    pub(crate) async fn publish(&mut self, facts: Vec<ShoeFact>) -> Result<(), HouseError> {
        let bodies = facts.iter().cloned().map(Body::Shoe).collect();
        self.record("dealer", self.now(), bodies).await?;
        for fact in &facts {
            self.dealing.note_fact(fact);
        }
        Ok(())
    }

    async fn record(&mut self, actor: &str, at: u64, bodies: Vec<Body>) -> Result<(), HouseError> {
        let said: Vec<_> = bodies.iter().map(Body::to_json).collect();
        let said: Vec<&[u8]> = said.iter().map(String::as_bytes).collect();
        let command = CommandKey {
            actor: actor.into(),
            // A house is the only writer of its stream, so the position in the stream names a
            // command.
            key: format!("{} {}", self.stream, self.version + 1),
            payload: Digest::of(&said),
        };
        let entries = bodies.into_iter().map(|body| Entry { at, body }).collect();
        let part = StreamEntries { stream: self.stream.clone(), expected: self.version, entries };
        // Until the answer comes it is not certain that the records were written; without an
        // answer, only the log itself can tell.
        self.broken = true;
        let appended = self.store.append(Append { command, parts: vec![part] }).await?;
        self.version = appended.versions.1;
        self.broken = false;
        Ok(())
    }

    /// Closes the log. The table can be reopened later.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn close(self) -> Result<(), HouseError> {
        self.store.checkpoint(self.now()).await?;
        self.store.close().await;
        Ok(())
    }
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
