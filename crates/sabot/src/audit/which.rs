//! Which stream of a log is meant: that of a table, or that of an event.

use anyhow::{Result, bail};
use store::Store;

use crate::data::{STREAM, quoted};
use crate::show::visible;

/// What a log has that can be told coup by coup.
pub(super) enum Meant {
    Table(String),
    Event(String),
}

/// The streams of a log, by their kind.
#[derive(Default)]
struct Streams {
    tables: Vec<String>,
    events: Vec<String>,
    /// Neither, such as the answers of drills.
    others: Vec<String>,
}

impl Streams {
    async fn of(store: &Store) -> Result<Self> {
        let mut found = Self::default();
        for stream in store.streams().await? {
            let houses = [store::HOUSE, store::CHECKPOINTS].contains(&stream.as_str());
            if houses || stream.starts_with(store::ACCOUNT) {
                continue;
            }
            let page = store.page(&stream, 0).await?;
            let begins = page.first().is_some_and(|record| record.schema.starts_with("book/"));
            let kind = match (begins, stream.starts_with(store::TOURNAMENT)) {
                (true, true) => &mut found.events,
                (true, false) => &mut found.tables,
                (false, _) => &mut found.others,
            };
            kind.push(stream);
        }
        Ok(found)
    }

    /// Every table and every event, as a person reads them.
    fn listed(&self) -> String {
        let all = self.tables.iter().chain(&self.events).map(|stream| visible(stream));
        all.collect::<Vec<_>>().join(", ")
    }

    /// The stream that a person names, with or without the word before it.
    fn named(&self, said: &str) -> Option<Meant> {
        let is = |stream: &&String, word: &str| {
            stream.as_str() == said || stream.strip_prefix(word) == Some(said)
        };
        let table = self.tables.iter().find(|stream| is(stream, "table "));
        let event = || self.events.iter().find(|stream| is(stream, store::TOURNAMENT));
        let event = || event().cloned().map(Meant::Event);
        table.cloned().map(Meant::Table).or_else(event)
    }
}

/// The table or the event that is meant: the one that was named, or the only one.
pub(super) async fn meant(store: &Store, said: Option<&str>) -> Result<Meant> {
    let streams = Streams::of(store).await?;
    let log = quoted(store.path());
    if let Some(said) = said {
        return match streams.named(said) {
            Some(meant) => Ok(meant),
            None if streams.listed().is_empty() => bail!("{log} holds no table"),
            None => bail!(
                "there is no table `{}` in {log}; there are: {}",
                visible(said),
                streams.listed()
            ),
        };
    }
    match (streams.tables.as_slice(), streams.events.as_slice()) {
        ([table], _) => Ok(Meant::Table(table.clone())),
        (tables, _) if tables.iter().any(|table| table == STREAM) => {
            Ok(Meant::Table(STREAM.into()))
        }
        ([], [event]) => Ok(Meant::Event(event.clone())),
        ([], []) if streams.others.is_empty() => bail!("{log} holds no table"),
        ([], []) => bail!(
            "{log} holds no table, but {}; `sabot audit log {log}` prints it",
            visible(&streams.others.join(", "))
        ),
        _ => bail!("{log} holds several tables; name one with --table: {}", streams.listed()),
    }
}

/// The records of the table that is meant. An event is told otherwise.
pub(super) async fn table(store: &Store, said: Option<&str>) -> Result<Vec<store::Record>> {
    match meant(store, said).await? {
        Meant::Table(stream) => Ok(store.records(&stream, 0).await?),
        Meant::Event(stream) => {
            let (log, stream) = (quoted(store.path()), visible(&stream));
            bail!(
                "`{stream}` is an event and no table; `sabot audit replay {log} --table \
                 '{stream}'` writes it as a transcript, and `sabot audit verify {log}` checks it \
                 with its shoes"
            )
        }
    }
}
