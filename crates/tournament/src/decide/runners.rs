//! The best runners-up: players of all tables of a stage who did not advance by their place at the
//! table, compared once the last table has played.

use alloc::vec::Vec;

use rules::book::Level;
use table::Refusal;

use super::{Draft, of};
use crate::event::{EntrantId, Fact};
use crate::sitting::{Chair, Sitting};
use crate::state::Status;

/// The most players who can sit at one table.
const MOST_AT_A_TABLE: usize = 9;

impl Draft<'_> {
    /// How many runners-up of a stage advance, where its tables are compared.
    fn places_for_runners_up(&self, stage: usize) -> u32 {
        let last = stage + 1 == self.t.stages.len();
        let stages = self.t.conditions.iter().flat_map(|conditions| &conditions.stages.0);
        let places = stages.skip(stage).take(1).find_map(|stage| stage.runners_up);
        places.filter(|_| !last).unwrap_or(0)
    }

    /// The players of a table who wait for the results of the other tables; eliminated players do
    /// not.
    pub(super) fn compared_later(&self, sitting: &Sitting) -> Vec<EntrantId> {
        if self.places_for_runners_up(sitting.stage) == 0 || sitting.places.is_some() {
            return Vec::new();
        }
        let entered = |chair: &&Chair| self.who(chair.entrant).status == Status::Entered;
        let chairs = sitting.chairs.iter().filter(|chair| chair.out.is_none());
        chairs.filter(entered).map(|chair| chair.entrant).collect()
    }

    /// Compares the runners-up of a stage that was played; returns whether they must play off
    /// first.
    pub(super) fn compare_runners_up(&mut self, stage: usize) -> Result<bool, Refusal> {
        let places = self.places_for_runners_up(stage) as usize;
        let compared = self.t.sittings().any(|s| s.stage == stage && s.places.is_some());
        let ranking = self.runners_up(stage);
        if compared || ranking.is_empty() {
            return Ok(false);
        }
        let clauses = self.clauses_of_advancing();
        let wanted = u32::try_from(places).unwrap_or(u32::MAX);
        let fact = Fact::RunnersUp { stage, ranking: ranking.clone(), places: wanted };
        self.push(fact, &clauses);
        let (mut left, mut level) = (places, None);
        for group in ranking {
            if left > 0 && left < group.len() {
                level = Some((core::mem::take(&mut left), group));
                continue;
            }
            let advances = left > 0;
            left -= group.len().min(left);
            for entrant in group {
                if advances {
                    self.push(Fact::Advanced { stage, entrant }, &clauses);
                } else {
                    self.push(Fact::StoodDown { stage, entrant }, &[]);
                }
            }
        }
        match level {
            Some((places, players)) => self.level_across(stage, players, places).map(|()| true),
            None => Ok(false),
        }
    }

    fn clauses_of_advancing(&self) -> [Option<rules::Clause>; 3] {
        let prizes = self.rules.prizes;
        [of(&prizes.advance_set), of(&prizes.advance), of(&self.rules.conditions.progression)]
    }

    /// The players of a stage who neither advanced nor were eliminated; those with the most chips
    /// at the end of their session come first.
    fn runners_up(&self, stage: usize) -> Vec<Vec<EntrantId>> {
        let progress = &self.t.stages[stage];
        let decided =
            |id: EntrantId| progress.winners.contains(&id) || progress.losers.contains(&id);
        let of_stage = self.t.sittings().filter(|sitting| sitting.stage == stage);
        let chairs = of_stage.flat_map(|sitting| {
            let later = self.compared_later(sitting);
            sitting.chairs.iter().filter(move |chair| later.contains(&chair.entrant))
        });
        let chairs = chairs.filter(|chair| !decided(chair.entrant));
        let mut all: Vec<_> = chairs.map(|chair| (chair.at_the_end, chair.entrant)).collect();
        all.sort_by_key(|(chips, _)| core::cmp::Reverse(*chips));
        let groups = all.chunk_by(|a, b| a.0 == b.0);
        groups.map(|group| group.iter().map(|(_, id)| *id).collect()).collect()
    }

    /// Players of several tables are level for the last places: they play off at one table.
    fn level_across(
        &mut self,
        stage: usize,
        mut players: Vec<EntrantId>,
        places: usize,
    ) -> Result<(), Refusal> {
        // If there are more players than seats, the player who drew a place first comes first.
        let drawn = |id: &EntrantId| self.t.drawn.iter().position(|drawn| drawn == id);
        players.sort_by_key(|id| (drawn(id).unwrap_or(usize::MAX), *id));
        let seated = players.len().min(MOST_AT_A_TABLE);
        for entrant in players.split_off(seated) {
            self.push(Fact::StoodDown { stage, entrant }, &[]);
        }
        let first = self.t.sittings().find(|sitting| sitting.stage == stage);
        let table = first.map_or(1, |sitting| sitting.number);
        let rule = self.rules.prizes.level;
        let by_conditions = of(&self.rules.conditions.progress_level);
        let clauses =
            [Some(rule.clause), by_conditions.filter(|_| rule.value == Level::AsConditionsSay)];
        let (seats, wanted) = (players.len(), u32::try_from(places).unwrap_or(u32::MAX));
        self.push(Fact::RunnersUpLevel { table, stage, players, places: wanted }, &clauses);
        self.set_up(table, stage, u32::try_from(seats).unwrap_or(u32::MAX))
    }
}
