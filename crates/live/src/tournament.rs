//! One tournament of the floor: what its director, players and inspector say is judged, recorded
//! and then told. The system deals at its tables if it is asked to, each from a shoe of its own.

mod dealing;
mod judging;
mod pace;
mod proposing;
mod sealed;
mod steps;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use rulebooks::Book;
use serde::{Deserialize, Serialize};
use shoe::{Digest, ShoeFact, ShoeRecord};
use store::{Body, Log, Setup, Snapshot, StoreError, TOURNAMENT, TableShoe, With};
use table::Refusal;
use tokio::sync::broadcast;
use tournament::{Act, Event, Fact, State, Tournament};

use self::dealing::Shoes;
pub use self::dealing::TableStep;
pub use self::sealed::Sealed;
pub use self::steps::Deal;
use crate::account::Accounts;
use crate::answers::Refusals;
use crate::dealing::Known;
use crate::fault::LiveError;
use crate::host::{Beginning, Proposal, Proposals, alone};
use crate::mailbox::{BEHIND, Happened};
use crate::people::People;
use crate::scribe::Scribe;
use crate::stream::{self, GoesOn, Keeps, Stream};
use crate::world::World;

/// An event of a tournament, with its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTold {
    /// The record that holds it.
    pub version: u64,
    /// The event.
    pub event: Event,
    /// The event in words.
    pub what: String,
}

/// What followed from an act in a tournament, or why it was refused.
pub type EventRuled = Result<Vec<EventTold>, Refusal>;

/// What one act in a tournament did.
pub type EventHappened = Happened<EventTold, TableShoe>;

/// Records after which the state is kept anew.
const KEEP_AFTER: u64 = 2000;

/// A tournament and its stream of the log.
#[derive(Debug)]
pub struct TournamentHost {
    scribe: Scribe,
    world: World,
    accounts: Option<Accounts>,
    setup: Setup,
    name: String,
    book: Arc<Book>,
    sha256: Digest,
    tournament: Tournament,
    people: People,
    shoes: Shoes,
    /// Accounts that ran this event.
    staff: Vec<String>,
    /// What waits for a second person.
    proposed: Proposals<Act>,
    /// Who asked for the last correction at each table: somebody else confirms it.
    correctors: BTreeMap<u32, String>,
    /// Who did what is being read of the log.
    acting: Option<String>,
    refusals: Refusals<EventTold>,
    watchers: broadcast::Sender<EventHappened>,
}

/// The state of a tournament as it is kept. It has no secret in it.
#[derive(Serialize, Deserialize)]
struct Kept {
    book: store::Book,
    setup: Setup,
    tournament: State,
    shoes: BTreeMap<u32, Known>,
    #[serde(default)]
    staff: Vec<String>,
    /// The one proposal of a state that was kept before each person had their own.
    #[serde(default, skip_serializing)]
    proposed: Option<Proposal<Act>>,
    #[serde(default, skip_serializing_if = "Proposals::is_empty")]
    proposals: Proposals<Act>,
    /// The one person of a state that was kept before each table had its own.
    #[serde(default, skip_serializing)]
    corrector: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    correctors: BTreeMap<u32, String>,
}

impl Keeps for Kept {
    fn book(&self) -> &store::Book {
        &self.book
    }

    fn audit(
        records: &[store::Record],
        files: Option<&str>,
        _: &str,
        house: &audit::House,
    ) -> Result<(bool, Vec<audit::Finding>), StoreError> {
        let found = audit::audit_tournament_in(records, files, house)?;
        Ok((found.judged, found.findings))
    }
}

/// The stream of a tournament of that title.
#[must_use]
pub fn tournament_stream(title: &str) -> String {
    format!("{TOURNAMENT}{title}")
}

impl TournamentHost {
    /// Begins a tournament in a log that others may write to as well. The `stream` of the beginning
    /// is its title. Nothing is documented yet.
    ///
    /// # Errors
    ///
    /// When a tournament of that title is there already, or the disk fails.
    pub async fn begin_in(
        log: Log,
        world: World,
        accounts: Option<Accounts>,
        beginning: Beginning,
    ) -> Result<Self, LiveError> {
        let setup = beginning.setup.clone();
        let world = in_house_time(world, &setup);
        let stream = tournament_stream(&beginning.stream);
        let stream = stream::begin(log, &world, Beginning { stream, ..beginning }).await?;
        let tournament = Tournament::new(stream.rules.clone());
        let shoes = Shoes::new(&stream.scribe.stream);
        Ok(Self::at(stream, (world, accounts), setup, (tournament, shoes)))
    }

    fn at(
        stream: Stream,
        (world, accounts): (World, Option<Accounts>),
        setup: Setup,
        (tournament, shoes): (Tournament, Shoes),
    ) -> Self {
        let Stream { scribe, people, name, book, rules: _, sha256 } = stream;
        Self {
            scribe,
            world,
            accounts,
            setup,
            name,
            book,
            sha256,
            tournament,
            people,
            shoes,
            staff: Vec::new(),
            proposed: Proposals::default(),
            correctors: BTreeMap::new(),
            acting: None,
            refusals: Refusals::default(),
            watchers: broadcast::Sender::new(BEHIND),
        }
    }

    /// Continues a tournament of a log that others may write to as well.
    ///
    /// # Errors
    ///
    /// When the stream does not hold, is no tournament, or the book is not at hand.
    pub async fn resume_in(
        log: Log,
        world: World,
        accounts: Option<Accounts>,
        stream: &str,
    ) -> Result<Self, LiveError> {
        // What is read on the way is large, and not kept.
        Box::pin(Self::read(log, world, accounts, stream)).await
    }

    async fn read(
        log: Log,
        world: World,
        accounts: Option<Accounts>,
        stream: &str,
    ) -> Result<Self, LiveError> {
        let GoesOn { mut stream, kept, records, restored } =
            stream::go_on::<Kept>(log, &world, stream).await?;
        let rules = stream.rules.clone();
        let name = stream.scribe.stream.clone();
        let mut host = if let Some(kept) = kept {
            let people = &mut stream.people;
            let state = kept.tournament.renamed(&mut |account| people.name_of(account));
            let proposals = kept.proposals.and(kept.proposed);
            let proposed = proposals.map(|waits| waits.with_names(people));
            let held = (Tournament::at(rules, state), Shoes::of(&name, kept.shoes));
            let host = Self::at(stream, (world, accounts), kept.setup, held);
            let waiting = host.tournament.sittings().filter(|one| one.correction.is_some());
            let tables: Vec<_> = waiting.map(|sitting| sitting.number).collect();
            let before = tables.into_iter().zip(kept.corrector.into_iter().cycle());
            let correctors = before.chain(kept.correctors).collect();
            Self { staff: kept.staff, proposed, correctors, ..host }
        } else {
            let held = (Tournament::new(rules), Shoes::new(&name));
            Self::at(stream, (world, accounts), alone(&name), held)
        };
        for record in &records {
            host.fold(record)?;
        }
        host.world = in_house_time(host.world, &host.setup);
        host.open_shoes(restored).await?;
        Ok(host)
    }

    fn fold(&mut self, record: &store::Record) -> Result<(), LiveError> {
        match record.read()? {
            Body::Tournament(event) => {
                let people = &mut self.people;
                let event = event.renamed(&mut |account| people.name_of(account));
                self.shoes.note_event(&event, &self.tournament);
                self.tournament.replay(&event)?;
                self.note_correction(self.acting.clone().as_ref(), &event);
            }
            Body::Setup(setup) => self.setup = setup,
            Body::TournamentAct(acted) => {
                self.note_acted(&acted);
                self.acting = acted.who;
            }
            Body::TournamentRefused(refused) => self.note_proposed(*refused, record.at),
            Body::TableShoe(fact) => {
                self.shoes.note_facts(fact.table, &[fact.fact], (record.at, record.version));
                if let Some(sitting) = self.tournament.sitting(fact.table) {
                    self.shoes.settle_at(fact.table, &sitting.table);
                }
            }
            Body::Book(_)
            | Body::Line(_)
            | Body::Table(_)
            | Body::Shoe(_)
            | Body::Checkpoint(_)
            | Body::Answer(_)
            | Body::Key(_)
            | Body::Restored(_)
            | Body::Act(_)
            | Body::Refused(_)
            | Body::Proposed(_)
            | Body::Account(_) => {}
        }
        Ok(())
    }

    /// The tournament as it stands.
    #[must_use]
    pub const fn tournament(&self) -> &Tournament {
        &self.tournament
    }

    /// The book that it is judged by.
    #[must_use]
    pub fn book(&self) -> &Arc<Book> {
        &self.book
    }

    /// The id of the book, with its sheets.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it is run.
    #[must_use]
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The log.
    #[must_use]
    pub const fn log(&self) -> &Log {
        &self.scribe.log
    }

    /// How many records the tournament has.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.scribe.version
    }

    /// The stream of the log that holds it.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.scribe.stream
    }

    /// The time, as acts get it.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.world.now()
    }

    /// People who play here have accounts of the floor.
    pub(crate) fn set_accounts(&mut self, accounts: Accounts) {
        self.accounts = Some(accounts);
    }

    /// The identity of the book.
    pub(crate) fn identity(&self) -> String {
        self.sha256.to_string()
    }

    /// The names of accounts.
    pub(crate) fn names(&self) -> Vec<(String, String)> {
        self.people.names()
    }

    /// Everything that happens from now on.
    #[must_use]
    pub fn watch(&self) -> broadcast::Receiver<EventHappened> {
        self.watchers.subscribe()
    }

    /// Puts another clock and another source of entropy in place, for tests and simulations.
    pub fn set_world(&mut self, world: World) {
        self.world = world;
    }

    /// What was published of every table's current shoe.
    pub(crate) fn all_published(&self) -> BTreeMap<u32, ShoeRecord> {
        self.shoes.all_published()
    }

    /// What was published of the shoe at a table.
    #[must_use]
    pub fn published(&self, table: u32) -> Option<&ShoeRecord> {
        self.shoes.published(table)
    }

    /// Keeps the state under a signed head.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn keep(&mut self) -> Result<store::Head, LiveError> {
        let people = &mut self.people;
        let state = self.tournament.state().clone();
        let tournament = state.renamed(&mut |name| people.account_of(name));
        let book = store::Book { name: self.name.clone(), sha256: self.sha256, files: Vec::new() };
        let proposals = self.proposed.clone().map(|waits| waits.in_log(people));
        let (setup, shoes) = (self.setup.clone(), self.shoes.kept());
        let (staff, correctors) = (self.staff.clone(), self.correctors.clone());
        let (proposed, corrector) = (None, None);
        let kept = Kept {
            book,
            setup,
            tournament,
            shoes,
            staff,
            proposed,
            proposals,
            corrector,
            correctors,
        };
        let state = serde_json::to_string(&kept).map_err(|why| LiveError::Book(why.to_string()))?;
        let (stream, version) = (self.scribe.stream.clone(), self.scribe.version);
        let snapshot = Snapshot { stream, version, state };
        let head = self.scribe.log.checkpoint(self.world.utc(), vec![snapshot]).await?;
        self.scribe.unkept = 0;
        Ok(head)
    }

    async fn keep_if_due(&mut self) -> Result<(), LiveError> {
        if self.scribe.unkept < KEEP_AFTER {
            return Ok(());
        }
        match self.keep().await {
            Ok(_) | Err(LiveError::Store(store::StoreError::Busy(_))) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// Records for the shoe of a table that belong to no act.
    async fn publish(
        &mut self,
        table: u32,
        facts: Vec<ShoeFact>,
        with: Vec<With>,
    ) -> Result<(), LiveError> {
        let (at, first) = (self.world.now(), self.scribe.version + 1);
        let body =
            |fact: &ShoeFact| Body::TableShoe(Box::new(TableShoe { table, fact: fact.clone() }));
        let bodies: Vec<_> = facts.iter().map(body).collect();
        self.scribe.write_own("dealer", at, bodies, with).await?;
        self.shoes.note_facts(table, &facts, (at, first));
        let published = facts.into_iter().map(|fact| TableShoe { table, fact });
        self.show(first, at, &[], published.collect());
        Ok(())
    }

    /// Everybody who watches is told.
    fn show(&self, first: u64, at: u64, told: &[EventTold], shoe: Vec<TableShoe>) {
        if self.watchers.receiver_count() == 0 {
            return;
        }
        let (versions, told) = ((first, self.scribe.version), Arc::new(told.to_vec()));
        // Nobody is waited for: who is behind reads the log.
        let _ = self.watchers.send(Happened { versions, at, told, shoe: Arc::new(shoe) });
    }
}

/// The clock of the house, where the setup says how far it is from UTC.
fn in_house_time(world: World, setup: &Setup) -> World {
    match setup.ahead_of_utc {
        Some(minutes) => world.with_offset(minutes),
        None => world,
    }
}

/// The table events among those of a tournament.
fn at_tables(events: &[Event]) -> impl Iterator<Item = (u32, &table::Event)> {
    events.iter().filter_map(|event| {
        if let Fact::AtTable { table, event } = &event.fact { Some((*table, event)) } else { None }
    })
}
