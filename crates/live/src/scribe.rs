//! The one who writes for a table, a tournament or an account: it knows where the stream ends, and
//! that a command is carried out once.

use shoe::Digest;
use store::{Append, Body, CommandKey, Entry, Log, StoreError, StreamEntries, With};

use crate::fault::LiveError;

/// A command as the one who sent it names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) actor: String,
    pub(crate) key: String,
    pub(crate) payload: Digest,
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// It was written.
    New,
    /// The same command was written before: its records.
    Before(u64, u64),
    /// The key was used for something else; nothing was written.
    Reused,
}

/// Records for another stream, in the same transaction.
pub(crate) type Part = StreamEntries;

/// Writes to one stream.
#[derive(Debug)]
pub(crate) struct Scribe {
    pub(crate) log: Log,
    pub(crate) stream: String,
    pub(crate) version: u64,
    /// Records since the state was last kept.
    pub(crate) unkept: u64,
    /// A write was begun, and the log did not confirm it.
    pub(crate) broken: bool,
    /// Somebody has the system do several steps under one key.
    pub(crate) steps: Option<Steps>,
}

/// Steps that the system does because somebody asked: each is a command of its own, named after the
/// order and counted.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    pub(crate) order: Named,
    pub(crate) done: u32,
}

impl Steps {
    /// The name of one of the steps, from 0.
    pub(crate) fn named(&self, nth: u32) -> Named {
        let mut named = self.order.clone();
        if nth > 0 {
            // A character that nobody types keeps the steps of one key apart from other keys.
            named.key = format!("{}\u{1f}{nth}", named.key);
        }
        named
    }
}

impl Scribe {
    pub(crate) fn new(log: Log, stream: &str, version: u64) -> Self {
        let (stream, unkept) = (stream.into(), version);
        Self { log, stream, version, unkept, broken: false, steps: None }
    }

    /// The name of a command of the system's own: it is the only writer of its stream, so the
    /// position in the stream names the command. A step that somebody asked for has that name.
    pub(crate) fn own(&mut self, actor: &str, bodies: &[Body]) -> Named {
        if let Some(steps) = &mut self.steps {
            steps.done += 1;
            return steps.named(steps.done - 1);
        }
        let said = bodies.first().map_or_else(String::new, Body::to_json);
        let key = format!("{} {}", self.stream, self.version + 1);
        Named { actor: actor.into(), key, payload: Digest::of(&[said.as_bytes()]) }
    }

    /// Writes something of the system's own to this stream.
    pub(crate) async fn write_own(
        &mut self,
        actor: &str,
        at: u64,
        bodies: Vec<Body>,
        with: Vec<With>,
    ) -> Result<(), LiveError> {
        let named = self.own(actor, &bodies);
        match self.write(named, at, bodies, Vec::new(), with).await? {
            Written::New => Ok(()),
            // The system is the only writer of its stream: somebody else put this there.
            Written::Before(..) | Written::Reused => Err(LiveError::Broken),
        }
    }

    /// Writes what a command brought: to this stream, and to others with it.
    pub(crate) async fn write(
        &mut self,
        named: Named,
        at: u64,
        bodies: Vec<Body>,
        others: Vec<Part>,
        with: Vec<With>,
    ) -> Result<Written, LiveError> {
        if self.broken {
            return Err(LiveError::Broken);
        }
        let Named { actor, key, payload } = named;
        let command = CommandKey { actor, key, payload };
        let entries: Vec<_> = bodies.into_iter().map(|body| Entry { at, body }).collect();
        let more = entries.len() as u64;
        let part = StreamEntries { stream: self.stream.clone(), expected: self.version, entries };
        let mut parts = vec![part];
        parts.extend(others);
        // Until the answer comes it is not certain that the records were written; without an
        // answer, only the log itself can tell.
        self.broken = true;
        let appended = self.log.append(Append { command, parts, with }).await;
        if let Err(fault) = &appended {
            self.broken = is_uncertain(fault);
        }
        if let Err(StoreError::KeyReused(_)) = appended {
            return Ok(Written::Reused);
        }
        let appended = appended?;
        self.broken = false;
        if appended.repeated {
            return Ok(Written::Before(appended.versions.0, appended.versions.1));
        }
        self.version = appended.versions.1;
        self.unkept += more;
        Ok(Written::New)
    }
}

/// Whether a fault leaves it open if anything was written.
fn is_uncertain(fault: &StoreError) -> bool {
    match fault {
        // Nothing was written, for sure.
        StoreError::Busy(_)
        | StoreError::KeyReused(_)
        | StoreError::TooLong { .. }
        | StoreError::BadAppend(_) => false,
        StoreError::Conflict { .. }
        | StoreError::Database(_)
        | StoreError::Migration(_)
        | StoreError::ReadOnly(_)
        | StoreError::NotALog(_)
        | StoreError::Unreadable { .. }
        | StoreError::InUse(_)
        | StoreError::Missing(_)
        | StoreError::File { .. }
        | StoreError::Seal(_)
        | StoreError::Exists(_)
        | StoreError::Untrusted(_)
        | StoreError::OtherLog { .. }
        | StoreError::NoEdition { .. }
        | StoreError::Stopped(_) => true,
    }
}
