//! Somebody who looks at a table and goes on looking: the whole of it first, then what happens and
//! what the table looks like after it.

use std::time::Duration;

use rules::{Card, Side};
use store::Body;
use view::{EventView, Eyes, TableView, Watch};

use crate::fault::LiveError;
use crate::mailbox::{News, Subscription};
use crate::order::Told;
use crate::seen::{SEEN, event_at, shown};
use crate::table_handle::{Scene, TableHandle};

/// News that are told together at the most.
const TOGETHER: usize = 64;

/// Eyes that stay on a table.
#[derive(Debug)]
pub struct Watching {
    handle: TableHandle,
    news: Subscription,
    eyes: Eyes,
    account: Option<String>,
    watch: Watch,
}

/// What these eyes saw since they looked last.
#[derive(Debug)]
pub struct Look {
    /// The last record that it covers.
    pub version: u64,
    /// What happened, in order.
    pub events: Vec<EventView>,
    /// The table after it; nothing if the table has stopped.
    pub view: Option<TableView>,
    /// Until when people may do what the table waits for, in microseconds.
    pub until: Option<u64>,
}

impl TableHandle {
    /// Keeps these eyes on the table; `account` is that of the person who looks. What they see
    /// first is given at once.
    ///
    /// # Errors
    ///
    /// When the table has stopped, or the log cannot be read.
    pub async fn watch(
        &self,
        eyes: Eyes,
        account: Option<&str>,
    ) -> Result<(Watching, Look), LiveError> {
        let scene = self.look().await?;
        let news = self.subscribe(scene.version).await?;
        let mut watch = Watch::default();
        for record in self.records(scene.version.saturating_sub(SEEN)).await? {
            if let (true, Body::Table(event)) = (record.version <= scene.version, record.read()?) {
                watch.note(&scene.table, &event.renamed(&mut |account| scene.name_of(account)));
            }
        }
        let account = account.map(str::to_owned);
        let watching = Watching { handle: self.clone(), news, eyes, account, watch };
        let view = watching.view(&scene).await?;
        let (version, until) = (scene.version, scene.until);
        let first = Look { version, events: Vec::new(), view: Some(view), until };
        Ok((watching, first))
    }
}

impl Watching {
    /// What happens next, as these eyes may see it. What came close together is told together.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn next(&mut self) -> Result<Look, LiveError> {
        let mut all = vec![self.news.next().await?];
        while all.len() < TOGETHER && !matches!(all.last(), Some(News::Over)) {
            match tokio::time::timeout(Duration::ZERO, self.news.next()).await {
                Ok(more) => all.push(more?),
                Err(_) => break,
            }
        }
        let Some(scene) = self.scene_of(&mut all).await? else {
            let (version, events) = (self.news.seen(), Vec::new());
            return Ok(Look { version, events, view: None, until: None });
        };
        let mut events = Vec::new();
        for news in all {
            match news {
                News::Over => {}
                News::Gap(records) => {
                    for record in &records {
                        if let Body::Table(event) = record.read()? {
                            let event = event.renamed(&mut |account| scene.name_of(account));
                            self.watch.note(&scene.table, &event);
                        }
                        events.extend(shown(&self.eyes, &scene, record)?);
                    }
                }
                News::Happened(happened) => {
                    for told in happened.told.iter() {
                        self.watch.note(&scene.table, &told.event);
                        let Told { event, version, .. } = told;
                        events.extend(event_at(&self.eyes, &scene.table, event, *version));
                    }
                }
            }
        }
        let view = self.view(&scene).await?;
        Ok(Look { version: self.news.seen(), events, view: Some(view), until: scene.until })
    }

    /// The table as it stands behind the news, with what happened meanwhile among them; nothing if
    /// it has stopped. A table that were ahead of its news would have a card lie there twice.
    async fn scene_of(&mut self, all: &mut Vec<News>) -> Result<Option<Scene>, LiveError> {
        loop {
            let Ok(scene) = self.handle.look().await else { return Ok(None) };
            // What is told was told before the table was looked at; it waits for nothing else.
            while self.news.seen() < scene.version {
                match tokio::time::timeout(Duration::ZERO, self.news.next()).await {
                    Ok(news) => all.push(news?),
                    Err(_) => all.push(self.news.catch_up(scene.version).await?),
                }
                if matches!(all.last(), Some(News::Over)) {
                    return Ok(None);
                }
            }
            if self.news.seen() == scene.version {
                return Ok(Some(scene));
            }
        }
    }

    async fn view(&self, scene: &Scene) -> Result<TableView, LiveError> {
        let mut peeked: Vec<(Side, Vec<Card>)> = Vec::new();
        if let Eyes::Player(name) = self.eyes {
            for side in Side::BOTH {
                if let Some(cards) = self.handle.peek(name, side).await? {
                    peeked.push((side, cards));
                }
            }
        }
        Ok(scene.seen(&self.eyes, (&self.watch, &peeked), self.account.as_deref()))
    }
}
