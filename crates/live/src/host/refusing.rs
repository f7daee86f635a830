//! Refusals: which are kept, and how an order that was answered before is answered again.

use store::{Body, RefusedAct};
use table::{By, Command, Refusal};

use super::Host;
use super::proposing::one_of_two;
use crate::answers::{self, Heard, Known, reused};
use crate::fault::LiveError;
use crate::order::{Answer, Order, Told};
use crate::people::People;
use crate::scribe::{Named, Written};

impl Host {
    /// Answers a refusal, and keeps it if it is one that can be looked up later.
    pub(super) async fn refuse(
        &mut self,
        order: Order,
        named: Named,
        (by, by_the_book): (By, bool),
        refusal: Refusal,
    ) -> Result<Answer, LiveError> {
        if !self.refusals.keeps(&order.who, &refusal) {
            return self.refuse_unkept(named, refusal).await;
        }
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
        let written = self.scribe.write(named, at, bodies, Vec::new(), with).await;
        if !matches!(written, Ok(Written::New)) {
            self.people = before;
        }
        match written? {
            Written::New => {
                self.keep_if_due().await?;
                Ok(self.answer(Err(refusal)))
            }
            Written::Before(first, last) => self.answered(first, last).await,
            Written::Reused => Ok(self.answer(Err(reused()))),
        }
    }

    /// A refusal that is not kept; the same key may have been answered before.
    async fn refuse_unkept(&mut self, named: Named, refusal: Refusal) -> Result<Answer, LiveError> {
        match answers::known(&self.scribe, &named).await? {
            Known::Answered(first, last) => self.answered(first, last).await,
            Known::Reused => Ok(self.answer(Err(reused()))),
            Known::Nothing => {
                let answer = self.answer(Err(refusal));
                self.refusals.remember(named, &answer);
                Ok(answer)
            }
        }
    }

    /// The answer that an order got before, from its records.
    pub(super) async fn answered(&self, first: u64, last: u64) -> Result<Answer, LiveError> {
        let hear = |version, body, people: &mut People| match body {
            Body::Table(event) => {
                let event = people.event(*event);
                let what = transcript::tell(&event, &self.table);
                Heard::Told(Told { version: Some(version), event, what })
            }
            Body::Refused(refused) => answers::refused(*refused, people),
            Body::Proposed(_) => Heard::Refused(one_of_two()),
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
            | Body::TableShoe(_) => Heard::Nothing,
        };
        answers::answered(&self.scribe, &self.people, (first, last), hear).await
    }
}
