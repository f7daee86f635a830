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

    /// Judges all records again, where no state was kept that the house itself has made.
    fn audit(
        records: &[Record],
        files: Option<&str>,
        stream: &str,
        house: &audit::House,
    ) -> Result<Vec<audit::Finding>, StoreError>;
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
pub(crate) async fn go_on<K: Keeps>(log: Log, stream: &str) -> Result<GoesOn<K>, LiveError> {
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
    let nothing = || LiveError::NoTable(log.path().into());
    let known = if let Some((_, kept)) = &kept {
        kept.book().clone()
    } else {
        let first = records.first().ok_or_else(nothing)?;
        let Body::Book(known) = first.read()? else { return Err(nothing()) };
        known
    };
    let (book, rules, files) = book_of(&log, &known).await?;
    if kept.is_none() {
        // Nothing was kept that the house itself has made: every act is judged again.
        let own = log.records(store::HOUSE, 0).await?;
        let house = audit::House::of(&own, &log.records(store::CHECKPOINTS, 0).await?)?;
        let found = K::audit(&records, files.as_deref(), stream, &house)?;
        if let Some(first) = found.first() {
            return Err(LiveError::DoesNotHold(first.version, first.what.clone()));
        }
    }
    let people = People::of(stream, log.people().await?);
    let unkept = records.len() as u64;
    let (from, kept) = kept.map_or((0, None), |(version, kept)| (version, Some(kept)));
    let mut scribe = Scribe::new(log, stream, from + unkept);
    scribe.unkept = unkept;
    let stream = Stream { scribe, people, name: known.name, book, rules, sha256: known.sha256 };
    Ok(GoesOn { stream, kept, records, restored: opening.restored })
}

/// The edition of a book that a log was opened with, and the files that the log kept of it.
async fn book_of(
    log: &Log,
    known: &store::Book,
) -> Result<(Arc<Book>, Arc<Rulebook>, Option<String>), LiveError> {
    let files = log.book(known.sha256).await?.and_then(|kept| kept.files);
    if let Some((book, rules)) = crate::books::known(known.sha256) {
        return Ok((book, rules, files));
    }
    if let Some((book, _)) = audit::edition(known, files.as_deref()) {
        let (book, rules) = crate::books::shared(Arc::new(book), known.sha256);
        return Ok((book, rules, files));
    }
    let (name, base) = rulebooks::named(&known.name);
    let now = rulebooks::load(name, base);
    now.map_err(|why| LiveError::Book(why.to_string()))?;
    Err(LiveError::OtherBook(known.name.clone()))
}
