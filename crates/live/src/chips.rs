//! Chips for whoever has few left. What lies at tables and was paid to events counts: otherwise
//! the house would give without end to somebody who puts it down somewhere and asks again.

use rules::Cents;
use table::Name;
use tournament::Phase;

use crate::account::Account;
use crate::fault::LiveError;
use crate::floor::Floor;

/// What somebody has who has too much to be given more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Has {
    /// On the account.
    pub account: Cents,
    /// At tables and in events.
    pub in_play: Cents,
}

fn sum(all: impl Iterator<Item = Cents>) -> Cents {
    all.fold(Cents::ZERO, |sum, one| sum.checked_add(one).unwrap_or(Cents::MAX))
}

impl Floor {
    /// Gives play money from the house to somebody who has at most `few`; a key that was used gives
    /// nothing more. Who has more is told what it is.
    ///
    /// # Errors
    ///
    /// When the log fails, or a table has stopped.
    pub async fn give_if_few(
        &self,
        id: &str,
        key: &str,
        (cents, few): (Cents, Cents),
    ) -> Result<Result<Cents, Has>, LiveError> {
        loop {
            // A table that moves money waits for the account: nobody may hold it while tables are
            // asked. What came or went meanwhile has changed the account, and is looked at anew.
            let account = self.accounts().get(id).await?;
            let in_play = self.in_play(&account).await?;
            let seen = (id, account.version);
            let given = (cents, few.checked_sub(in_play));
            match self.accounts().give_if_few(seen, key, given).await? {
                Some(Ok(holds)) => return Ok(Ok(holds)),
                Some(Err(account)) => return Ok(Err(Has { account, in_play })),
                None => {}
            }
        }
    }

    /// What somebody has at tables, stack and wagers, and what they paid to events that go on.
    async fn in_play(&self, account: &Account) -> Result<Cents, LiveError> {
        let mut all = Vec::new();
        let Ok(own) = Name::from(&account.id) else { return Ok(Cents::ZERO) };
        for (stream, brought) in account.open_visits() {
            let Some(table) = self.table(stream).filter(|table| table.0.is_open()) else {
                // It stands still: what was brought there comes back when it is gone on with.
                all.push(brought);
                continue;
            };
            let scene = table.look().await?;
            let name = scene.name_of(own);
            for (id, player) in scene.table.present().filter(|(_, player)| player.name == name) {
                let lying = scene.table.wagers().iter().filter(|wager| wager.player == id);
                all.extend(lying.map(|wager| wager.stake));
                all.push(player.stack.at_least_zero());
            }
        }
        for event in self.tournaments() {
            // One that has stopped pays nothing back.
            let Ok(scene) = event.look().await else { continue };
            if matches!(scene.tournament.phase(), Phase::Ended | Phase::Cancelled) {
                continue;
            }
            let name = scene.name_of(own);
            let entries = scene.tournament.entrants().iter();
            all.extend(entries.filter(|one| one.name == name).map(|one| one.paid));
        }
        Ok(sum(all.into_iter()))
    }
}
