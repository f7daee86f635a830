//! The system deals at a table because somebody asked it to: as many steps as nobody else is asked
//! for, under one key.

use table::{Code, Refusal, Role};

use super::dealing::TableStep;
use super::judging::Received;
use super::{EventTold, TournamentHost};
use crate::answers::{self, Known, reused};
use crate::fault::LiveError;
use crate::order::{Answer, Order};
use crate::scribe::Steps;

/// Steps of one order, at the most.
const MOST_STEPS: u32 = 64;

/// A table at which the system is to deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Deal {
    /// The number of the table.
    pub table: u32,
}

impl TournamentHost {
    /// Has the system deal as far as nobody else is asked. It is done once however often the order
    /// comes, and answered the same.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is an answer.
    pub async fn deal(&mut self, order: Order<Deal>) -> Result<Answer<EventTold>, LiveError> {
        let named = match self.receive(&order).await? {
            Received::New(named) => named,
            Received::Known(answer) => return Ok(answer),
        };
        let steps = Steps { order: named.clone(), done: 0 };
        if let Some(answer) = self.dealt_before(&steps).await? {
            return Ok(answer);
        }
        if !matches!(order.role, Role::Dealer | Role::Director) {
            let what = format!("the system is told to deal by the {}", order.role);
            let instead = "allowed: to the dealer and the director";
            let refusal = Refusal::new(Code::NotTheirs, None, what, instead);
            return self.refuse_unkept(named, refusal).await;
        }
        if let Err(refusal) = self.check_role(&order).await? {
            return self.refuse_unkept(named, refusal).await;
        }
        self.scribe.steps = Some(steps);
        let answer = self.deal_on(order.act.table).await;
        let done = self.scribe.steps.take().map_or(0, |steps| steps.done);
        let answer = answer?;
        if done > 0 {
            self.note_staff(&order);
        } else {
            // The log has nothing under this key: when it comes again it is answered from here.
            self.refusals.remember(named, &answer);
        }
        Ok(answer)
    }

    /// Deals as far as nobody else is asked. What was dealt is told even if a step is refused then.
    async fn deal_on(&mut self, table: u32) -> Result<Answer<EventTold>, LiveError> {
        let mut all = Vec::new();
        for _ in 0..MOST_STEPS {
            match self.step_at(table).await? {
                TableStep::Did(Ok(told)) => all.extend(told),
                TableStep::Did(Err(refusal)) if all.is_empty() => {
                    return Ok(self.answer(Err(refusal)));
                }
                TableStep::Shoe => {}
                TableStep::Did(Err(_)) | TableStep::Waits(_) | TableStep::Nothing => break,
            }
            // Players take part in the shoe meanwhile; whoever deals on waits no longer.
            if self.waits_for_words(table).await? {
                break;
            }
        }
        Ok(self.answer(Ok(all)))
    }

    /// What was dealt under this key before.
    async fn dealt_before(&self, steps: &Steps) -> Result<Option<Answer<EventTold>>, LiveError> {
        let (mut version, mut told) = (None, Vec::new());
        for nth in 0..=2 * MOST_STEPS {
            match answers::known(&self.scribe, &steps.named(nth)).await? {
                Known::Answered(first, last) => {
                    version = Some(last);
                    told.extend(self.answered(first, last).await?.ruled.unwrap_or_default());
                }
                Known::Reused if nth == 0 => return Ok(Some(self.answer(Err(reused())))),
                Known::Reused | Known::Nothing => break,
            }
        }
        Ok(version.map(|version| Answer { version, ruled: Ok(told), repeated: true }))
    }
}
