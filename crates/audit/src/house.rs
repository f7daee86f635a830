//! What the house's own records say that bears on a table.

use std::collections::HashMap;

use shoe::Digest;
use store::{Body, CHECKPOINTS, HOUSE, Head, Record, Store, StoreError};

/// How far every stream had come.
type Ends = HashMap<String, u64>;

/// The keys of the house and the times at which the log was restored, each with how far every
/// stream had come by then. A log of the first form has neither.
#[derive(Clone, Debug, Default)]
pub struct House {
    keys: Vec<(Digest, Ends)>,
    restored: Vec<Ends>,
}

fn ends(heads: Vec<Head>) -> Ends {
    heads.into_iter().map(|head| (head.stream, head.version)).collect()
}

impl House {
    /// Reads the house's own stream, and the checkpoints: the first one that knows a key tells
    /// which records of other streams came before it.
    ///
    /// # Errors
    ///
    /// When a record cannot be read.
    pub fn of(house: &[Record], checkpoints: &[Record]) -> Result<Self, StoreError> {
        let mut found = Self::default();
        let mut checkpoints = checkpoints.iter();
        for record in house {
            match record.read()? {
                Body::Key(key) => {
                    let mut before = Ends::new();
                    for checkpoint in checkpoints.by_ref() {
                        let Body::Checkpoint(heads) = checkpoint.read()? else { continue };
                        let ends = ends(heads.heads);
                        if ends.get(HOUSE).is_some_and(|known| *known >= record.version) {
                            before = ends;
                            break;
                        }
                    }
                    found.keys.push((key.public, before));
                }
                Body::Restored(restored) => found.restored.push(ends(restored.heads)),
                Body::Book(_)
                | Body::Line(_)
                | Body::Table(_)
                | Body::Tournament(_)
                | Body::Shoe(_)
                | Body::Checkpoint(_)
                | Body::Answer(_)
                | Body::Setup(_)
                | Body::Act(_)
                | Body::Refused(_)
                | Body::Proposed(_)
                | Body::TournamentAct(_)
                | Body::TournamentRefused(_)
                | Body::Account(_)
                | Body::TableShoe(_) => {}
            }
        }
        Ok(found)
    }

    /// Reads them from a log.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn read(store: &Store) -> Result<Self, StoreError> {
        Self::of(&store.records(HOUSE, 0).await?, &store.records(CHECKPOINTS, 0).await?)
    }

    /// Whether the house has records of its own.
    pub(crate) const fn is_known(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The key that the house had when a record was written.
    pub(crate) fn key_at(&self, stream: &str, version: u64) -> Option<Digest> {
        let before = |ends: &Ends| ends.get(stream).copied().unwrap_or(0) < version;
        self.keys.iter().rev().find(|(_, ends)| before(ends)).map(|(key, _)| *key)
    }

    /// Whether the log was restored from a copy that had the first of two records of a stream, and
    /// not the second.
    pub(crate) fn restored_between(&self, stream: &str, first: u64, second: u64) -> bool {
        let within = |ends: &Ends| {
            ends.get(stream).is_some_and(|version| first <= *version && *version < second)
        };
        self.restored.iter().any(within)
    }
}
