//! What somebody in a role may see of a table that runs: the whole of it, and what happens.

use rules::Side;
use store::{Body, Record};
use table::{Event, Table};
use view::{EventView, Eyes, Seen, TableView, Watch, event_view, table_view};

use crate::fault::LiveError;
use crate::floor::{News, Scene, Subscription, TableHandle};

/// Records from which the last round is seen again.
const SEEN: u64 = 400;

impl Scene {
    /// The table as these eyes may see it; `account` is that of the person who looks.
    fn seen(
        &self,
        eyes: &Eyes,
        (watch, peeked): (&Watch, &[(Side, Vec<rules::Card>)]),
        account: Option<&str>,
    ) -> TableView {
        let seen = Seen {
            name: &self.setup.title,
            version: self.version,
            table: &self.table,
            book: &self.book,
            sha256: &self.sha256,
            watch,
            shoe: self.shoe.as_ref(),
            cards_left: self.cards_left,
            peeked,
            account,
        };
        table_view(eyes, &seen)
    }
}

impl TableHandle {
    /// The table as these eyes may see it; `account` is that of the person who looks.
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn view(&self, eyes: &Eyes, account: Option<&str>) -> Result<TableView, LiveError> {
        let mut peeked = Vec::new();
        if let Eyes::Player(name) = eyes {
            for side in Side::BOTH {
                if let Some(cards) = self.peek(*name, side).await? {
                    peeked.push((side, cards));
                }
            }
        }
        let scene = self.look().await?;
        // What lies on the felt is seen again from the last records: nobody who does not look pays
        // for it.
        let mut watch = Watch::default();
        for record in self.records(scene.version.saturating_sub(SEEN)).await? {
            if let Body::Table(event) = record.read()? {
                watch.note(&scene.table, &event.renamed(&mut |account| scene.name_of(account)));
            }
        }
        Ok(scene.seen(eyes, (&watch, &peeked), account))
    }
}

/// What happened, as these eyes may see it.
#[derive(Clone, Debug)]
pub struct Update {
    /// The last record that it covers.
    pub version: u64,
    /// The events.
    pub events: Vec<EventView>,
    /// The table has stopped.
    pub over: bool,
}

impl Subscription {
    /// The next news as these eyes may see it: first the gap, then what happens. `handle` is the
    /// table that was subscribed to.
    ///
    /// # Errors
    ///
    /// When the log cannot be read, or the table has stopped.
    pub async fn next_for(
        &mut self,
        eyes: &Eyes,
        handle: &TableHandle,
    ) -> Result<Update, LiveError> {
        let news = self.next().await?;
        let mut events = Vec::new();
        let over = match news {
            News::Over => true,
            News::Gap(records) => {
                let scene = handle.look().await?;
                for record in &records {
                    events.extend(shown(eyes, &scene, record)?);
                }
                false
            }
            News::Happened(happened) => {
                let table = handle.look().await?.table;
                let told = happened.told.iter().map(|told| &told.event);
                events.extend(
                    told.filter_map(|event| event_at(eyes, &table, event, happened.versions.1)),
                );
                false
            }
        };
        Ok(Update { version: self.seen(), events, over })
    }
}

fn event_at(eyes: &Eyes, table: &Table, event: &Event, version: u64) -> Option<EventView> {
    event_view(eyes, table, event).map(|view| view.at_version(version))
}

/// A record of the log as these eyes may see it.
fn shown(eyes: &Eyes, scene: &Scene, record: &Record) -> Result<Option<EventView>, LiveError> {
    let Body::Table(event) = record.read()? else { return Ok(None) };
    let event = event.renamed(&mut |account| scene.name_of(account));
    Ok(event_at(eyes, &scene.table, &event, record.version))
}
