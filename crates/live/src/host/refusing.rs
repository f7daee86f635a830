//! Refusals: which are kept, and how an order that was answered before is answered again.

use store::{Body, RefusedAct};
use table::{By, Code, Command, Refusal};

use super::Host;
use super::judging::no;
use crate::fault::LiveError;
use crate::order::{Answer, Order, Told};
use crate::people::with_names;
use crate::scribe::{Named, Written};

/// Refusals that are kept of one account in one round.
const KEPT_REFUSALS: u32 = 16;
/// Answers that are remembered of refusals that were not kept.
const REMEMBERED: usize = 256;

/// A key that was used for something else.
pub(crate) fn reused() -> Refusal {
    let what = "a key that was used for something else";
    Refusal::new(Code::KeyReused, None, what, "take a new key")
}

impl Host {
    /// Answers a refusal, and keeps it if it is one that can be looked up later.
    pub(super) async fn refuse(
        &mut self,
        order: Order,
        named: Named,
        (by, by_the_book): (By, bool),
        refusal: Refusal,
    ) -> Result<Answer, LiveError> {
        let kept = self.refusals.entry(order.who.clone()).or_default();
        let sayable = refusal.code != Code::Unsayable;
        if *kept >= KEPT_REFUSALS || !sayable {
            return self.refuse_unkept(named, refusal).await;
        }
        *kept += 1;
        let at = self.world.now();
        let before = self.people.clone();
        let (asked, with) = self.acted(by, order.act, Some(order.who), None);
        let mut told = refusal.clone();
        if by_the_book {
            // What the book says of accounts: the log has no names.
            let state = self.people.state_in_log(self.table.state().clone());
            let table = self.table.with(state);
            let command = Command { at, by: asked.by, act: asked.act.clone() };
            if let Err(refusal) = table.decide(&command) {
                told = refusal;
            }
        }
        let refused = RefusedAct { asked, by_the_book, refusal: told };
        let bodies = vec![Body::Refused(Box::new(refused))];
        match self.scribe.write(named, at, bodies, Vec::new(), with).await {
            Ok(Written::New) => {
                self.keep_if_due().await?;
                Ok(self.answer(Err(refusal)))
            }
            Ok(Written::Before(first, last)) => {
                self.people = before;
                self.answered(first, last).await
            }
            Err(LiveError::Store(store::StoreError::KeyReused(_))) => {
                self.people = before;
                Ok(self.answer(Err(reused())))
            }
            Err(fault) => {
                self.people = before;
                Err(fault)
            }
        }
    }

    /// A refusal that is not kept; the same key may have been answered before.
    async fn refuse_unkept(&mut self, named: Named, refusal: Refusal) -> Result<Answer, LiveError> {
        match self.scribe.log.command(&named.actor, &named.key).await? {
            Some((payload, stream, (first, last)))
                if payload == named.payload && stream == self.scribe.stream =>
            {
                self.answered(first, last).await
            }
            Some(_) => Ok(self.answer(Err(reused()))),
            None => {
                let answer = self.answer(Err(refusal));
                self.unkept.push_back((named, answer.clone()));
                if self.unkept.len() > REMEMBERED {
                    self.unkept.pop_front();
                }
                Ok(answer)
            }
        }
    }

    /// The answer to an order whose refusal was not kept in the log.
    pub(super) fn remembered(&self, named: &Named) -> Option<Answer> {
        let same = |other: &Named| other.actor == named.actor && other.key == named.key;
        let (before, answer) = self.unkept.iter().find(|(other, _)| same(other))?;
        Some(if before.payload == named.payload {
            Answer { repeated: true, ..answer.clone() }
        } else {
            self.answer(Err(reused()))
        })
    }

    /// The answer that an order got before, from its records.
    pub(super) async fn answered(&self, first: u64, last: u64) -> Result<Answer, LiveError> {
        let records = self.scribe.log.records(&self.scribe.stream, first.saturating_sub(1)).await?;
        let mut told = Vec::new();
        let mut ruled = None;
        let mut people = self.people.clone();
        for record in records.iter().filter(|record| record.version <= last) {
            match record.read()? {
                Body::Table(event) => {
                    let event = people.event(*event);
                    let what = transcript::tell(&event, &self.table);
                    told.push(Told { event, what });
                }
                Body::Refused(refused) => {
                    let names = people.names();
                    let mut refusal = refused.refusal;
                    refusal.what = with_names(&refusal.what, &names);
                    refusal.instead = with_names(&refusal.instead, &names);
                    ruled = Some(Err(refusal));
                }
                Body::Proposed(_) => {
                    let what = "what was paid is taken back by two people together";
                    let instead = "another supervisor or operator says the same";
                    ruled = Some(no(Code::SecondPerson, what, instead));
                }
                Body::Act(_)
                | Body::Book(_)
                | Body::Line(_)
                | Body::Tournament(_)
                | Body::Shoe(_)
                | Body::Checkpoint(_)
                | Body::Answer(_)
                | Body::Key(_)
                | Body::Restored(_)
                | Body::Setup(_)
                | Body::TournamentAct(_)
                | Body::TournamentRefused(_)
                | Body::Account(_)
                | Body::TableShoe(_) => {}
            }
        }
        Ok(Answer { version: last, ruled: ruled.unwrap_or(Ok(told)), repeated: true })
    }
}
