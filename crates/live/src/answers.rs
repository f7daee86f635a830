//! An order is answered once: refusals that are kept, and the same answer to the same key again.

use std::collections::{HashMap, VecDeque};

use store::{Body, RefusedAct};
use table::{Code, Refusal};

use crate::fault::LiveError;
use crate::order::Answer;
use crate::people::{People, with_names};
use crate::scribe::{Named, Scribe};

/// Refusals that are kept of one account in one round.
const KEPT: u32 = 16;
/// Answers that are remembered, so that one that comes again soon is the same to the letter.
const REMEMBERED: usize = 256;

/// A key that was used for something else.
pub(crate) fn reused() -> Refusal {
    let what = "a key that was used for something else";
    Refusal::new(Code::KeyReused, None, what, "take a new key")
}

/// The refusals of a table or a tournament.
#[derive(Debug)]
pub(crate) struct Refusals<T> {
    /// Refusals that were kept in this round, by account.
    kept: HashMap<String, u32>,
    /// The latest answers. What was refused and not kept in the log is known from here alone.
    latest: VecDeque<(Named, Answer<T>)>,
}

impl<T> Default for Refusals<T> {
    fn default() -> Self {
        Self { kept: HashMap::new(), latest: VecDeque::new() }
    }
}

impl<T: Clone> Refusals<T> {
    /// A new round begins.
    pub(crate) fn new_round(&mut self) {
        self.kept.clear();
    }

    /// Whether a refusal is kept in the log: it can be said there, and the account has not had too
    /// many of them in this round.
    pub(crate) fn keeps(&mut self, who: &str, refusal: &Refusal) -> bool {
        let kept = self.kept.entry(who.to_owned()).or_default();
        let keeps = *kept < KEPT && refusal.code != Code::Unsayable;
        *kept += u32::from(keeps);
        keeps
    }

    /// Remembers an answer.
    pub(crate) fn remember(&mut self, named: Named, answer: &Answer<T>) {
        self.latest.push_back((named, answer.clone()));
        if self.latest.len() > REMEMBERED {
            self.latest.pop_front();
        }
    }

    /// The answer to an order that came a short while ago.
    pub(crate) fn remembered(&self, named: &Named, version: u64) -> Option<Answer<T>> {
        let same = |other: &Named| other.actor == named.actor && other.key == named.key;
        let (before, answer) = self.latest.iter().find(|(other, _)| same(other))?;
        Some(if before.payload == named.payload {
            Answer { repeated: true, ..answer.clone() }
        } else {
            Answer { version, ruled: Err(reused()), repeated: false }
        })
    }
}

/// What a record says about the order that brought it.
pub(crate) enum Heard<T> {
    /// Something followed.
    Told(T),
    /// It was refused.
    Refused(Refusal),
    /// Nothing about that.
    Nothing,
}

/// A refusal that was kept, with names.
pub(crate) fn refused<A, T>(refused: RefusedAct<A>, people: &People) -> Heard<T> {
    let (names, mut refusal) = (people.names(), refused.refusal);
    refusal.what = with_names(&refusal.what, &names);
    refusal.instead = with_names(&refusal.instead, &names);
    Heard::Refused(refusal)
}

/// The answer that an order got before, from its records.
pub(crate) async fn answered<T>(
    scribe: &Scribe,
    people: &People,
    (first, last): (u64, u64),
    mut hear: impl FnMut(u64, Body, &mut People) -> Heard<T>,
) -> Result<Answer<T>, LiveError> {
    let (mut told, mut ruled, mut people) = (Vec::new(), None, people.clone());
    let mut seen = first.saturating_sub(1);
    // An order of long ago is answered from its own records; what came later is not read.
    while seen < last {
        let page = scribe.log.page(&scribe.stream, seen).await?;
        let Some(end) = page.last().map(|record| record.version) else { break };
        for record in page.iter().filter(|record| record.version <= last) {
            match hear(record.version, record.read()?, &mut people) {
                Heard::Told(one) => told.push(one),
                Heard::Refused(refusal) => ruled = Some(Err(refusal)),
                Heard::Nothing => {}
            }
        }
        seen = end;
    }
    Ok(Answer { version: last, ruled: ruled.unwrap_or(Ok(told)), repeated: true })
}

/// What the log knows of a key whose order is refused now and not kept.
pub(crate) enum Known {
    /// The same order was answered by these records.
    Answered(u64, u64),
    /// The key was used for something else.
    Reused,
    /// Nothing.
    Nothing,
}

/// Whether a key was answered before.
pub(crate) async fn known(scribe: &Scribe, named: &Named) -> Result<Known, LiveError> {
    Ok(match scribe.log.command(&named.actor, &named.key).await? {
        Some((payload, stream, (first, last)))
            if payload == named.payload && stream == scribe.stream =>
        {
            Known::Answered(first, last)
        }
        Some(_) => Known::Reused,
        None => Known::Nothing,
    })
}
