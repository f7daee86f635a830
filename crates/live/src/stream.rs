//! How the stream of a table or of a tournament begins, and how it goes on where its records end:
//! the same for both.

use std::sync::Arc;

use rulebooks::Book;
use rules::Rulebook;
use serde::de::DeserializeOwned;
use shoe::Digest;
use store::{Body, Log, Record, StoreError, With};

use crate::fault::LiveError;
use crate::host::{Beginning, Opener};
use crate::people::People;
use crate::scribe::{Named, Scribe, Written};
use crate::world::World;

/// A stream that can be written to, with the book that it is judged by.
pub(crate) struct Stream {
    pub(crate) scribe: Scribe,
    pub(crate) people: People,
    /// The id of the book, with the id of its base after an `@`.
    pub(crate) name: String,
    pub(crate) book: Arc<Book>,
    pub(crate) rules: Arc<Rulebook>,
    pub(crate) sha256: Digest,
}

/// A state that is kept of a table or a tournament.
pub(crate) trait Keeps: DeserializeOwned {
    /// The book that it is judged by.
    fn book(&self) -> &store::Book;

    /// Judges all records again, where no state was kept that the house itself has made: whether
    /// every act was judged, and what is wrong.
    fn audit(
        records: &[Record],
        files: Option<&str>,
        stream: &str,
        house: &audit::House,
    ) -> Result<(bool, Vec<audit::Finding>), StoreError>;
}

/// A stream that goes on: the state that was kept, and every record behind it.
pub(crate) struct GoesOn<K> {
    pub(crate) stream: Stream,
    pub(crate) kept: Option<K>,
    pub(crate) records: Vec<Record>,
    /// Where the log was restored, if it was.
    pub(crate) restored: Option<u64>,
}

/// Begins a stream: its first records are the book and how it is run.
pub(crate) async fn begin(
    log: Log,
    world: &World,
    beginning: Beginning,
) -> Result<Stream, LiveError> {
    let Beginning { stream, name, book, setup, opener } = beginning;
    if !log.records(&stream, 0).await?.is_empty() {
        return Err(LiveError::Begun(stream));
    }
    let canonical = book.canonical();
    let sha256 = Digest::of(&[canonical.as_bytes()]);
    let files = audit::files_of(&book);
    let (book, rules) = crate::books::shared(book, sha256);
    let people = People::of(&stream, log.people().await?);
    let mut scribe = Scribe::new(log, &stream, 0);
    let known = Body::Book(store::Book { name: name.clone(), sha256, files: Vec::new() });
    let bodies = vec![known, Body::Setup(setup)];
    let with = vec![With::Book { sha256, canonical, files }];
    let named = match opener {
        Some(Opener { who, key, payload }) => Named { actor: who, key, payload },
        None => scribe.own("operator", &bodies),
    };
    match scribe.write(named, world.now(), bodies, Vec::new(), with).await? {
        Written::New => {}
        // Somebody asked twice at once, and the other was first.
        Written::Before(..) | Written::Reused => return Err(LiveError::Begun(stream)),
    }
    Ok(Stream { scribe, people, name, book, rules, sha256 })
}

/// Reads a stream that goes on. Everything that was not kept by the house itself is checked.
pub(crate) async fn go_on<K: Keeps>(
    log: Log,
    world: &World,
    stream: &str,
) -> Result<GoesOn<K>, LiveError> {
    let mut opening = log.go_on(stream).await?;
    let kept = opening.snapshot.as_ref().and_then(|(version, state)| {
        serde_json::from_str::<K>(state).ok().map(|kept| (*version, kept))
    });
    if opening.snapshot.is_some() && kept.is_none() {
        // A state of another program that cannot be read is made anew, from the first record.
        log.forget_snapshot(stream).await?;
        opening = log.go_on(stream).await?;
    }
    let records = opening.records;
    let judged = match &kept {
        Some((_, kept)) => by_the_book_of(&log, kept.book().clone()).await?,
        None => judged::<K>(&log, stream, &records).await?,
    };
    let people = People::of(stream, log.people().await?);
    let unkept = records.len() as u64;
    let (from, kept) = kept.map_or((0, None), |(version, kept)| (version, Some(kept)));
    let mut scribe = Scribe::new(log, stream, from + unkept);
    scribe.unkept = unkept;
    let Judged { known, book, rules, later } = judged;
    let mut stream = Stream { scribe, people, name: known.name, book, rules, sha256: known.sha256 };
    if later {
        stream.go_on_under_this_edition(world.now()).await?;
    }
    Ok(GoesOn { stream, kept, records, restored: opening.restored })
}

/// The book that a stream is judged by.
struct Judged {
    known: store::Book,
    book: Arc<Book>,
    rules: Arc<Rulebook>,
    /// It came later than the acts that were judged by it.
    later: bool,
}

/// Judges every act of a stream again: nothing was kept of it that the house itself has made.
async fn judged<K: Keeps>(
    log: &Log,
    stream: &str,
    records: &[Record],
) -> Result<Judged, LiveError> {
    let nothing = || LiveError::NoTable(log.path().into());
    let known = audit::book_of(records)?.ok_or_else(nothing)?;
    let files = kept_files(log, &known).await?;
    let edition = audit::edition_of(records, files.as_deref())?;
    let Some((book, from)) = edition else { return Err(no_edition(&known)) };
    let own = log.records(store::HOUSE, 0).await?;
    let house = audit::House::of(&own, &log.records(store::CHECKPOINTS, 0).await?)?;
    let (judged, findings) = K::audit(records, files.as_deref(), stream, &house)?;
    if let Some(first) = findings.first() {
        return Err(LiveError::DoesNotHold(first.version, first.what.clone()));
    }
    if !judged {
        return Err(no_edition(&known));
    }
    let later = from == audit::Edition::Later;
    let sha256 = if later { identity(&book) } else { known.sha256 };
    let (book, rules) = crate::books::shared(Arc::new(book), sha256);
    Ok(Judged { known, book, rules, later })
}

/// The book of a stream that was judged before.
async fn by_the_book_of(log: &Log, known: store::Book) -> Result<Judged, LiveError> {
    let files = kept_files(log, &known).await?;
    if let Some((book, rules)) = crate::books::known(known.sha256) {
        return Ok(Judged { known, book, rules, later: false });
    }
    if !audit::holds_files(&known, files.as_deref()) {
        return Err(LiveError::AlteredBook(known.name));
    }
    let Some((book, _)) = audit::edition(&known, files.as_deref()) else {
        return Err(no_edition(&known));
    };
    let (book, rules) = crate::books::shared(Arc::new(book), known.sha256);
    Ok(Judged { known, book, rules, later: false })
}

/// The files of a book that a stream rests on. The book itself must be there, as it was.
async fn kept_files(log: &Log, known: &store::Book) -> Result<Option<String>, LiveError> {
    let kept = log.book(known.sha256).await?;
    let same = kept.filter(|kept| Digest::of(&[kept.canonical.as_bytes()]) == known.sha256);
    let kept = same.ok_or_else(|| LiveError::AlteredBook(known.name.clone()))?;
    Ok(kept.files)
}

fn no_edition(known: &store::Book) -> LiveError {
    let (name, base) = rulebooks::named(&known.name);
    match rulebooks::load(name, base) {
        Ok(_) => LiveError::OtherBook(known.name.clone()),
        Err(why) => LiveError::Book(why.to_string()),
    }
}

/// What a book is known by in a log.
fn identity(book: &Book) -> Digest {
    Digest::of(&[book.canonical().as_bytes()])
}

impl Stream {
    /// A table of the first form, whose edition nobody has any more, goes on under the one at hand:
    /// every act had the same consequences under it. It is recorded, and kept with its files.
    async fn go_on_under_this_edition(&mut self, at: u64) -> Result<(), LiveError> {
        let canonical = self.book.canonical();
        let sha256 = identity(&self.book);
        let known = store::Book { name: self.name.clone(), sha256, files: Vec::new() };
        let with = With::Book { sha256, canonical, files: audit::files_of(&self.book) };
        self.scribe.write_own("operator", at, vec![Body::Book(known)], vec![with]).await?;
        self.sha256 = sha256;
        Ok(())
    }
}
