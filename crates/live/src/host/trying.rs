//! What would follow from an order: judged as it would be, and neither done nor recorded.

use table::{Act, Code, Command};

use super::Host;
use super::judging::{Ruled, no};
use crate::dealing::Felt;
use crate::fault::LiveError;
use crate::order::{Order, Told};
use crate::table_handle::Scene;

/// What an order would do.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What would follow, or why it would be refused.
    pub ruled: Ruled,
    /// A second person would have to say the same afterwards.
    pub second: bool,
    /// What the table would look like to the house itself.
    pub scene: Scene,
}

impl Host {
    /// Judges an order without doing it: what takes something back is looked at before it is said.
    /// Cards of the system's shoe are not looked at for that.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is an answer.
    pub async fn consider(&mut self, order: Order) -> Result<Tried, LiveError> {
        self.tick().await?;
        let before = self.people.clone();
        let admitted = self.admit(&order).await?;
        self.people = before;
        let mut scene = self.scene();
        let refused = |ruled, scene| Ok(Tried { ruled: Err(ruled), second: false, scene });
        let by = match admitted {
            Ok(by) => by,
            Err(refusal) => return refused(refusal, scene),
        };
        if let Some(refusal) = self.refuse_here(&order.act) {
            return refused(refusal, scene);
        }
        let is_second = self.confirms(&order).await?.is_some();
        let act = match self.without_cards(order.act) {
            Ok(act) => act,
            Err(refusal) => return refused(refusal, scene),
        };
        let command = Command { at: self.now(), by, act };
        let events = match self.table().decide(&command) {
            Ok(events) => events,
            Err(refusal) => return refused(refusal, scene),
        };
        let second =
            !self.setup().alone && !is_second && table::needs_second(&command.act, &events);
        let mut told = Vec::with_capacity(events.len());
        for event in events {
            scene.table.evolve(&event);
            let what = transcript::tell(&event, &scene.table);
            told.push(Told { version: None, event, what });
        }
        Ok(Tried { ruled: Ok(told), second, scene })
    }

    /// The act, unless a card would leave the shoe or be turned by it.
    fn without_cards(&mut self, act: Act) -> Result<Act, table::Refusal> {
        let felt = Felt { state: self.table.state(), book: &self.book.rulebook };
        let (act, facts) = self.dealing.fill(felt, act);
        if facts.is_empty() {
            return Ok(act);
        }
        self.dealing.put_back(&facts);
        let what = "an act that shows cards of the shoe cannot be tried";
        no(Code::Unsayable, what, "try what takes something back, or do it")
    }
}
