//! How a table goes on where its log ends.

use std::path::Path;
use std::sync::Arc;

use rules::Rulebook;
use shoe::ShoeFact;
use store::{Acted, Begin, Body, KeyFault, Log, Setup, Store, StoreError};
use table::{By, Table};
use tokio::sync::broadcast;

use super::proposing::{Proposal, Proposals};
use super::{Host, Kept, alone, pace};
use crate::account::Accounts;
use crate::answers::Refusals;
use crate::dealing::{Dealing, Known};
use crate::fault::LiveError;
use crate::mailbox::BEHIND;
use crate::matrix::spoke_as_staff;
use crate::people::People;
use crate::stream::{self, GoesOn, Keeps, Stream};
use crate::world::World;

/// What the records of a table come to.
struct Folded {
    table: Table,
    dealing: Dealing,
    people: People,
    staff: Vec<String>,
    setup: Option<Setup>,
    proposed: Proposals,
}

impl Host {
    /// Continues a table where its log ends.
    ///
    /// # Errors
    ///
    /// When the log or its key cannot be used, does not hold, holds no such table, or the book is
    /// not at hand.
    pub async fn resume(log: &Path, key: &Path, stream: &str) -> Result<Self, LiveError> {
        if !log.is_file() {
            return Err(StoreError::Missing(log.into()).into());
        }
        if store::never_began(log, key)? {
            // Its beginning was interrupted; nothing was told.
            return Err(LiveError::NoTable(log.into()));
        }
        let judge = audit::judge_first_form;
        let store = Box::pin(Store::open_judged(log, key, Begin::Either, judge)).await?;
        let resumed = Self::resume_in(store.clone().into(), World::real(), None, stream);
        Self::own(store, Box::pin(resumed).await).await
    }

    /// Continues a table of a log that others may write to as well. What it is made of was checked:
    /// the state that was kept, and every record behind it.
    ///
    /// # Errors
    ///
    /// When the stream does not hold, is no table, or the book is not at hand.
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
        let GoesOn { stream, kept, records, restored } =
            stream::go_on::<Kept>(log, &world, stream).await?;
        let Stream { scribe, people, name, book, rules, sha256 } = stream;
        let folded = fold(&scribe.stream, kept, &records, rules, people)?;
        let setup = folded.setup.unwrap_or_else(|| alone(&scribe.stream));
        let mut host = Self {
            alone: false,
            world,
            accounts,
            scribe,
            name,
            book,
            sha256,
            timing: pace::Timing::of(&folded.table),
            revealed: None,
            table: folded.table,
            dealing: folded.dealing.at_table_of(&setup),
            setup,
            people: folded.people,
            staff: folded.staff,
            proposed: folded.proposed,
            refusals: Refusals::default(),
            watchers: broadcast::Sender::new(BEHIND),
        };
        host.open_sealed(restored).await?;
        Ok(host)
    }

    /// After a start in the middle of a shoe: its secret is opened. A shoe that is over is
    /// revealed; one of a log that was restored, or that everybody left who played alone, is
    /// abandoned.
    async fn open_sealed(&mut self, restored: Option<u64>) -> Result<(), LiveError> {
        let Some(commitment) = self.dealing.open_record().map(|record| record.commitment) else {
            return Ok(());
        };
        let log = self.scribe.log.clone();
        let secret = opened(log.unseal(&self.dealing.sealed_name(commitment)).await)?;
        let secret = secret.as_ref().map(|secret| secret.as_slice());
        self.dealing.open_sealed(secret, log.public_key(), restored)?;
        let words = opened(log.unseal(&self.dealing.words_name(commitment)).await)?;
        if let Some(words) = words {
            self.dealing.restore_words(&words);
        }
        self.reveal_what_is_over().await?;
        self.give_up_shoe().await?;
        Ok(())
    }

    /// Publishes the secret of a shoe that nobody will be dealt from again: when the program starts
    /// or stops between the end of a shoe and its secret.
    pub(super) async fn reveal_what_is_over(&mut self) -> Result<(), LiveError> {
        if self.dealing.is_unrevealed(self.felt()) {
            self.reveal(None).await?;
        }
        // Where one person played alone, nobody comes back to a table that everybody left.
        if self.setup.alone && self.dealing.doomed().is_none() {
            self.abandon().await?;
        }
        Ok(())
    }
}

/// What was sealed; nothing if its box does not open, because the key that sealed it is lost.
pub(crate) fn opened<T>(sealed: Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match sealed {
        Err(StoreError::Seal(KeyFault::Altered(_))) => Ok(None),
        sealed => sealed,
    }
}

impl Keeps for Kept {
    fn book(&self) -> &store::Book {
        &self.book
    }

    fn audit(
        records: &[store::Record],
        files: Option<&str>,
        stream: &str,
        house: &audit::House,
    ) -> Result<(bool, Vec<audit::Finding>), StoreError> {
        let found = audit::audit_in(records, files, stream, house)?;
        Ok((found.judged, found.findings))
    }
}

/// The table, its shoe and its people: what was kept, and what was recorded behind it.
fn fold(
    stream: &str,
    kept: Option<Kept>,
    records: &[store::Record],
    rulebook: Arc<Rulebook>,
    mut people: People,
) -> Result<Folded, LiveError> {
    let mut folded = match kept {
        None => {
            let dealing = Dealing::of(stream, Known::default());
            let (staff, table) = (Vec::new(), Table::new(rulebook));
            Folded { table, dealing, people, staff, setup: None, proposed: Proposals::default() }
        }
        Some(kept) => {
            let table = Table::of(rulebook, people.state(kept.table));
            let dealing = Dealing::of(stream, kept.dealing);
            let proposals = kept.proposals.and(kept.proposed);
            let proposed = proposals.map(|waits| waits.with_names(&mut people));
            let Kept { staff, setup, .. } = kept;
            Folded { table, dealing, people, staff, setup, proposed }
        }
    };
    for record in records {
        folded.note(record)?;
    }
    Ok(folded)
}

impl Folded {
    fn note_staff(&mut self, by: By, who: Option<String>) {
        let who = who.filter(|who| spoke_as_staff(&by, who) && !self.staff.contains(who));
        self.staff.extend(who);
    }

    fn note(&mut self, record: &store::Record) -> Result<(), LiveError> {
        match record.read()? {
            Body::Table(event) => {
                let event = self.people.event(*event);
                self.table.check(&event)?;
                self.dealing.note_event(&event, self.table.state());
                self.table.replay(&event)?;
            }
            Body::Shoe(fact) => {
                self.dealing.note_fact(&fact, record.at);
                if matches!(fact, ShoeFact::Committed { .. }) {
                    self.dealing.committed_in(record.version);
                }
                self.dealing.settle(self.table.state());
            }
            Body::Setup(setup) => self.setup = Some(setup),
            Body::Act(acted) => {
                if let (Some(first), Some(_)) = (&acted.who, &acted.second) {
                    self.proposed.done(first);
                }
                self.note_staff(acted.by, acted.who);
                self.note_staff(acted.by, acted.second);
            }
            Body::Proposed(acted) => {
                let Acted { who, by, act, .. } = *acted;
                let (at, coup) = (record.at, self.table.state().latest_coup());
                let waits = Proposal { who: who.clone().unwrap_or_default(), by, act, at, coup };
                self.proposed.add(waits.with_names(&mut self.people));
                self.note_staff(by, who);
            }
            Body::Book(_)
            | Body::Line(_)
            | Body::Refused(_)
            | Body::Tournament(_)
            | Body::Checkpoint(_)
            | Body::Answer(_)
            | Body::Key(_)
            | Body::Restored(_)
            | Body::TournamentAct(_)
            | Body::TournamentRefused(_)
            | Body::Account(_)
            | Body::TableShoe(_) => {}
        }
        Ok(())
    }
}
