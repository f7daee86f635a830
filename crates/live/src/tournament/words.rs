//! How the players of an event take part in the shoes of their tables: they promise words once the
//! house has committed, and open them when the list is closed. The table waits for them as long as
//! the pace says, or until whoever deals says it again.

use shoe::{Digest, Promise, Which};
use store::AccountKind;
use table::{Act as TableAct, Code, Decision, Refusal};

use super::TournamentHost;
use super::judging::no;
use crate::dealing::{Felt, Move};
use crate::fault::LiveError;
use crate::names::is_account;

impl TournamentHost {
    /// Takes a promise of words for the shoe of a table while its list is open.
    ///
    /// # Errors
    ///
    /// When the account plays at another table, there is no open list, or the account is on it or
    /// takes no part for a day.
    pub fn promise(&mut self, table: u32, promise: Promise) -> Result<(), Refusal> {
        if !self.accounts_at(table).contains(&promise.account) {
            let what = "a word of somebody who does not play at the table";
            return no(Code::NotTheirs, what, "the players of the table take part in its shoe");
        }
        let now = self.world.now();
        self.shoes.at(table).promise(promise, now)
    }

    /// Takes a word that was promised for the shoe of a table, when it is due.
    ///
    /// # Errors
    ///
    /// When it is not due, or is not the one that was promised.
    pub fn open_word(
        &mut self,
        table: u32,
        account: &str,
        (which, word): (Which, Digest),
    ) -> Result<(), Refusal> {
        if self.tournament.sitting(table).is_none() {
            return no(Code::WrongMoment, "a word at a table that is not in play", "another table");
        }
        self.shoes.at(table).open_word(account, which, word)
    }

    /// The accounts of those who play at a table.
    fn accounts_at(&self, table: u32) -> Vec<String> {
        let Some(sitting) = self.tournament.sitting(table) else { return Vec::new() };
        let known = |(_, player): (_, &table::Player)| self.people.known(&player.name);
        let accounts = sitting.table.present().filter_map(known);
        accounts.filter(|account| is_account(account)).map(|account| account.to_string()).collect()
    }

    /// How many at a table could promise words: robots are no witnesses.
    async fn witnesses(&self, table: u32) -> Result<usize, LiveError> {
        let Some(accounts) = &self.accounts else { return Ok(0) };
        let mut people = 0;
        for account in self.accounts_at(table) {
            let robot = accounts.get(&account).await?.kind == AccountKind::Robot;
            people += usize::from(!robot);
        }
        Ok(people)
    }

    /// Whether words of players are awaited before the system goes on at a table.
    pub(super) async fn waits_for_words(&mut self, table: u32) -> Result<bool, LiveError> {
        let there = self.witnesses(table).await?;
        let Some(sitting) = self.tournament.sitting(table) else { return Ok(false) };
        let felt = Felt { state: &sitting.table, book: self.tournament.table_book() };
        let dealing = self.shoes.at(table);
        let Some(way) = dealing.second() else { return Ok(false) };
        if way.signature.is_none() {
            return Ok(dealing.promises.len() < there);
        }
        let made = dealing.open_record().is_some_and(|record| record.root.is_some());
        if !made {
            return Ok(!dealing.words_due(Which::First).is_empty());
        }
        let cut = dealing.open_record().is_some_and(|record| record.cut.is_some());
        if cut || dealing.words_due(Which::Second).is_empty() {
            return Ok(false);
        }
        // The second words go into a cut that nobody chooses.
        let next = dealing.next(felt, &self.world)?;
        Ok(matches!(next, Move::Act(TableAct::Supervisor(Decision::Cut(_)), _)))
    }

    /// When the last thing was published of a table's shoe.
    pub(super) fn published_at(&mut self, table: u32) -> u64 {
        self.shoes.at(table).since
    }
}
