//! What somebody in a role may see of a table or a tournament that runs: the whole of it, and what
//! happens.

use std::collections::BTreeMap;

use rules::Side;
use store::{Body, Record, TableShoe};
use table::{Event, Table};
use tournament::{Fact, Tournament};
use view::{
    EventView, Eyes, Proposed, Seen, TableView, TournamentEventView, TournamentSeen,
    TournamentView, Watch, event_view, table_view, tournament_event_view, tournament_view,
};

use crate::fault::LiveError;
use crate::host::Proposal;
use crate::mailbox::{News, Subscription};
use crate::table_handle::{Scene, TableHandle};
use crate::tournament::EventTold;
use crate::tournament_handle::{EventScene, TournamentHandle};

/// Records from which the last round is seen again.
pub(crate) const SEEN: u64 = 400;

impl Scene {
    /// What waits for this person; if there is nothing, what of this person's waits for others.
    fn proposed_to(&self, account: Option<&str>) -> Option<&Proposal> {
        let of_others = |first: &&Proposal| account != Some(first.who.as_str());
        self.proposed.iter().find(of_others).or(self.proposed.first())
    }

    /// The table as these eyes may see it; `account` is that of the person who looks.
    #[must_use]
    pub fn seen(
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
            shoe: self.shoe.as_deref(),
            cards_left: self.cards_left,
            peeked,
            account,
            proposed: self.proposed_to(account).map(|first| Proposed {
                who: &first.who,
                by: first.by,
                act: &first.act,
                until: first.until(),
            }),
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
pub struct Update<E = EventView> {
    /// The last record that it covers.
    pub version: u64,
    /// The events.
    pub events: Vec<E>,
    /// The table or the tournament has stopped.
    pub over: bool,
}

/// A part of what happened, as these eyes may see it.
#[derive(Clone, Debug)]
pub struct Page<E = EventView> {
    /// The last record that it covers.
    pub version: u64,
    /// The events.
    pub events: Vec<E>,
    /// Whether there is more behind it.
    pub more: bool,
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
                let told = happened.told.iter();
                events.extend(
                    told.filter_map(|told| event_at(eyes, &table, &told.event, told.version)),
                );
                false
            }
        };
        Ok(Update { version: self.seen(), events, over })
    }
}

impl TableHandle {
    /// What happened behind a version, as these eyes may see it: as much as is read at once. Who
    /// wants more asks again, from the version that it covers.
    ///
    /// # Errors
    ///
    /// When the log cannot be read, or the table has stopped.
    pub async fn page_for(&self, eyes: &Eyes, after: u64) -> Result<Page, LiveError> {
        let scene = self.look().await?;
        let (mut version, mut events) = (after.min(scene.version), Vec::new());
        for record in self.0.log.page(self.stream(), after).await? {
            if record.version > scene.version {
                break;
            }
            events.extend(shown(eyes, &scene, &record)?);
            version = record.version;
        }
        Ok(Page { version, events, more: version < scene.version })
    }
}

impl TournamentHandle {
    /// What happened behind a version: see [`TableHandle::page_for`].
    ///
    /// # Errors
    ///
    /// When the log cannot be read, or the tournament has stopped.
    pub async fn page_for(
        &self,
        eyes: &Eyes,
        after: u64,
    ) -> Result<Page<TournamentEventView>, LiveError> {
        let scene = self.look().await?;
        let (mut version, mut events) = (after.min(scene.version), Vec::new());
        for record in self.0.log.page(self.stream(), after).await? {
            if record.version > scene.version {
                break;
            }
            version = record.version;
            let Body::Tournament(event) = record.read()? else { continue };
            let event = event.renamed(&mut |account| scene.name_of(account));
            events.extend(happening(eyes, &scene.tournament, &event, record.version));
        }
        Ok(Page { version, events, more: version < scene.version })
    }
}

pub(crate) fn event_at(
    eyes: &Eyes,
    table: &Table,
    event: &Event,
    version: Option<u64>,
) -> Option<EventView> {
    event_view(eyes, table, event).map(|view| EventView { version, ..view })
}

/// A record of the log as these eyes may see it.
pub(crate) fn shown(
    eyes: &Eyes,
    scene: &Scene,
    record: &Record,
) -> Result<Option<EventView>, LiveError> {
    let Body::Table(event) = record.read()? else { return Ok(None) };
    let event = event.renamed(&mut |account| scene.name_of(account));
    Ok(event_at(eyes, &scene.table, &event, Some(record.version)))
}

impl TournamentHandle {
    /// The tournament as these eyes may see it.
    ///
    /// # Errors
    ///
    /// When the tournament has stopped.
    pub async fn view(&self, eyes: &Eyes) -> Result<TournamentView, LiveError> {
        let scene = self.look().await?;
        let watches = self.watches(&scene).await?;
        let watches: Vec<_> = watches.iter().map(|(table, watch)| (*table, watch)).collect();
        let seen = TournamentSeen {
            name: &scene.setup.title,
            version: scene.version,
            tournament: &scene.tournament,
            book: &scene.book,
            sha256: &scene.sha256,
            watches: &watches,
            now: scene.now,
            system: scene.setup.deals != store::Deals::Keyed,
        };
        Ok(tournament_view(eyes, &seen))
    }

    /// What lies on the felt of every table in play, seen again from the last records.
    async fn watches(&self, scene: &EventScene) -> Result<BTreeMap<u32, Watch>, LiveError> {
        let live: Vec<_> = scene.tournament.sittings().filter(|s| s.is_live()).collect();
        let from = scene.version.saturating_sub(SEEN.saturating_mul(live.len() as u64));
        let mut events: BTreeMap<u32, Vec<Event>> = BTreeMap::new();
        for record in self.records(from).await? {
            let Body::Tournament(event) = record.read()? else { continue };
            let event = event.renamed(&mut |account| scene.name_of(account));
            let Fact::AtTable { table, event } = event.fact else { continue };
            let seen = events.entry(table).or_default();
            if matches!(event.fact, table::Fact::Opened(_)) {
                // What an earlier session did at a table of this number is not this table's.
                seen.clear();
            }
            seen.push(event);
        }
        let mut watches = BTreeMap::new();
        for sitting in live {
            let mut watch = Watch::default();
            for event in events.get(&sitting.number).into_iter().flatten() {
                watch.note(&sitting.table, event);
            }
            watches.insert(sitting.number, watch);
        }
        Ok(watches)
    }
}

impl Subscription<EventTold, TableShoe> {
    /// The next news as these eyes may see it: first the gap, then what happens. `handle` is the
    /// tournament that was subscribed to.
    ///
    /// # Errors
    ///
    /// When the log cannot be read, or the tournament has stopped.
    pub async fn next_for(
        &mut self,
        eyes: &Eyes,
        handle: &TournamentHandle,
    ) -> Result<Update<TournamentEventView>, LiveError> {
        let (mut events, mut over) = (Vec::new(), false);
        match self.next().await? {
            News::Over => over = true,
            News::Gap(records) => {
                let scene = handle.look().await?;
                for record in &records {
                    let Body::Tournament(event) = record.read()? else { continue };
                    let event = event.renamed(&mut |account| scene.name_of(account));
                    events.extend(happening(eyes, &scene.tournament, &event, record.version));
                }
            }
            News::Happened(happened) => {
                let tournament = handle.look().await?.tournament;
                let told = happened.told.iter();
                let shown =
                    |told: &EventTold| happening(eyes, &tournament, &told.event, told.version);
                events.extend(told.filter_map(shown));
            }
        }
        Ok(Update { version: self.seen(), events, over })
    }
}

fn happening(
    eyes: &Eyes,
    tournament: &Tournament,
    event: &tournament::Event,
    version: u64,
) -> Option<TournamentEventView> {
    tournament_event_view(eyes, tournament, event).map(|view| view.at_version(version))
}
