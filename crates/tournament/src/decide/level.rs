//! Players who are level: whether it matters, and the play-off that separates them.

use alloc::format;
use alloc::vec::Vec;

use rules::book::{Level, OutTogether};
use rules::{Balance, Card, Cents, Clause, Rank};
use table::{Code, Refusal, no};

use super::{Draft, of};
use crate::conditions::{Ranking, Settle};
use crate::event::{EntrantId, Fact, OutWhy};
use crate::sitting::{Chair, Sitting, Stint};
use crate::state::Status;

/// What players who are level contest, and how they are separated.
pub(super) struct Contest {
    pub(super) players: Vec<EntrantId>,
    pub(super) settle: Settle,
    pub(super) clauses: [Option<Clause>; 3],
}

impl Draft<'_> {
    /// The players who are level and must be separated, if any.
    pub(super) fn contest(&self, number: u32) -> Result<Option<Contest>, Refusal> {
        let sitting = self.sitting(Some(number))?;
        let conditions = self.conditions()?;
        let last = sitting.stage + 1 == self.t.stages.len();
        let stage = &conditions.stages.0[sitting.stage];
        let is_final = last && conditions.ranking == Ranking::Chips;
        let mut place = 0;
        let still = |id: &&EntrantId| self.who(**id).status == Status::Entered;
        for group in &sitting.ranking {
            let group: Vec<_> = group.iter().filter(still).copied().collect();
            let group = group.as_slice();
            let (from, to) = (place, place + group.len());
            place = to;
            if group.len() < 2 {
                continue;
            }
            // An eliminated player is out of the tournament, and shares the value of the place.
            if are_eliminated(sitting, group) && !self.all_are_out(sitting, group) {
                continue;
            }
            let advance = sitting.places.or(stage.advance).unwrap_or(0) as usize;
            let straddles = !last && from < advance && advance < to;
            let points = |place: usize| stage.points.get(place).copied().unwrap_or(0);
            let differs = |place: usize| match (is_final, sitting.places) {
                // If no prizes are stated, the winner takes the pool.
                (true, _) if conditions.prizes.is_empty() => (place == 0) != (from == 0),
                (true, _) => conditions.prizes.get(place) != conditions.prizes.get(from),
                (false, None) => points(place) != points(from),
                // Runners-up have received their points already.
                (false, Some(_)) => false,
            };
            let differ = (from..to).any(differs);
            if !straddles && !differ {
                continue;
            }
            let contest = self.told_apart(sitting, group, is_final, straddles);
            if contest.settle != Settle::Share || straddles {
                return Ok(Some(contest));
            }
        }
        Ok(None)
    }

    /// Whether one coup eliminated all remaining players, and the book brings them back.
    pub(super) fn all_are_out(&self, sitting: &Sitting, group: &[EntrantId]) -> bool {
        // In a play-off, the remaining players are those of the play-off.
        let plays = |id: &EntrantId| sitting.chair(*id).is_some_and(|chair| chair.plays);
        let mut playing = sitting.ranking.iter().filter(|ranked| ranked.iter().any(plays));
        let first = playing.next().is_some_and(|best| group.iter().all(|id| best.contains(id)));
        let nobody_left = sitting.active().next().is_none();
        let brings_back = self.rules.prizes.all_out.is_some();
        brings_back && first && nobody_left && are_eliminated(sitting, group)
    }

    /// How the book separates these players, or the conditions where the book leaves it to them.
    fn told_apart(
        &self,
        sitting: &Sitting,
        group: &[EntrantId],
        is_final: bool,
        to_advance: bool,
    ) -> Contest {
        let prizes = self.rules.prizes;
        let conditions = self.t.conditions.as_deref();
        let stated = conditions.and_then(|c| if is_final { c.level_final } else { c.level });
        let rule = if is_final { prizes.level_final } else { prizes.level };
        let stated_clause = if is_final {
            match stated {
                Some(Settle::Share) => of(&self.rules.conditions.final_divided),
                Some(Settle::Card | Settle::Rounds) | None => {
                    of(&self.rules.conditions.final_rounds)
                }
            }
        } else if conditions.is_some_and(|c| c.ranking == Ranking::Points) {
            of(&self.rules.conditions.series_level)
        } else {
            of(&self.rules.conditions.progress_level)
        };
        let settle = match rule.value {
            Level::AdditionalRounds => Settle::Rounds,
            Level::PlayOffByCard => Settle::Card,
            Level::AsConditionsSay => stated.unwrap_or(Settle::Rounds),
        };
        let players = group.to_vec();
        let holds = |id: &EntrantId| sitting.chair(*id).map_or(Balance::ZERO, |chair| chair.chips);
        let at_nothing = group.iter().all(|id| holds(id) == Balance::ZERO);
        let all_out = self.all_are_out(sitting, group);
        if let (true, Some(rule), false) = (at_nothing && is_final, prizes.out_together, all_out) {
            let settle = match rule.value {
                OutTogether::Shared => Settle::Share,
                OutTogether::AsConditionsSay => stated.unwrap_or(Settle::Rounds),
            };
            return Contest { players, settle, clauses: [Some(rule.clause), None, None] };
        }
        let new_chips = all_out || (at_nothing && to_advance);
        let all_out = of(&prizes.all_out).filter(|_| new_chips);
        let as_stated = stated_clause.filter(|_| rule.value == Level::AsConditionsSay);
        Contest { players, settle, clauses: [Some(rule.clause), all_out, as_stated] }
    }

    /// The contest that a play-off at this table decides.
    fn contested(&self, number: u32) -> Result<Contest, Refusal> {
        let sitting = self.sitting(Some(number))?;
        let contest = self.contest(number)?;
        if let (Stint::PlayOffDue(_), Some(contest)) = (sitting.stint, contest) {
            return Ok(contest);
        }
        let clause = Some(self.rules.prizes.level.clause);
        let what = format!("nobody plays off at table {number}");
        no(Code::NoPlayOff, clause, what, "players who are level at the end do")
    }

    pub(super) fn draw_for_play_off(
        &mut self,
        table: Option<u32>,
        card: Card,
    ) -> Result<(), Refusal> {
        let number = self.sitting(table)?.number;
        let contest = self.contested(number)?;
        let prizes = self.rules.prizes;
        let again = self.sitting(Some(number))?.stint != Stint::PlayOffDue(None);
        if contest.settle == Settle::Card && again {
            let what = "the card for this play-off is drawn";
            return no(Code::NoPlayOff, contest.clauses[0], what, "start the play-off");
        }
        if contest.settle != Settle::Card {
            let what = "a card is drawn for the number of coups";
            let instead = "they play additional rounds until they are not level";
            return no(Code::NoPlayOff, contest.clauses[0], what, instead);
        }
        let (coups, clause) = match card.rank() {
            Rank::Ace => (1, of(&prizes.playoff_ace)),
            Rank::Jack | Rank::Queen | Rank::King => (10, of(&prizes.playoff_picture)),
            rank @ (Rank::Two
            | Rank::Three
            | Rank::Four
            | Rank::Five
            | Rank::Six
            | Rank::Seven
            | Rank::Eight
            | Rank::Nine
            | Rank::Ten) => (rank as u32 + 1, None),
        };
        let clauses = [contest.clauses[0], clause];
        self.push(Fact::PlayOffDrawn { table: number, card, coups }, &clauses);
        Ok(())
    }

    pub(super) fn start_play_off(
        &mut self,
        table: Option<u32>,
        chips: Option<Cents>,
    ) -> Result<(), Refusal> {
        let sitting = self.sitting(table)?;
        let number = sitting.number;
        self.check_no_correction(Some(number))?;
        let contest = self.contested(number)?;
        let first = contest.clauses[0];
        if contest.settle == Settle::Card && sitting.stint == Stint::PlayOffDue(None) {
            let what = "how many coups they play is not drawn";
            let instead = "`director draws 7h for the play-off` comes first";
            return no(Code::NotYet, first, what, instead);
        }
        let minimum = Balance::from(sitting.minimum());
        let holds =
            |id: &EntrantId| sitting.chair(*id).map_or(Balance::ZERO, |chair| sitting.stack(chair));
        let short = contest.players.iter().any(|id| holds(id) < minimum);
        let set = self.rules.prizes.playoff_chips;
        if contest.settle == Settle::Rounds && !short && chips.is_some() {
            let what = "they hold enough to play on with";
            return no(Code::KeepsPlace, first, what, "allowed: `director starts the play-off`");
        }
        let enough = chips.is_some_and(|chips| chips.get() >= sitting.minimum().get());
        if (short || set.is_some() || chips.is_some()) && !enough {
            let what = "with how many chips they play is not said";
            let instead =
                format!("allowed: `director starts the play-off with {}`", sitting.minimum());
            return no(Code::NotYet, of(&set).or(first), what, instead);
        }
        let chairs: Vec<_> =
            sitting.chairs.iter().map(|chair| (chair.entrant, chair.seat)).collect();
        let clauses = [first, of(&set), contest.clauses[1]];
        self.push(Fact::PlayOffStarted { table: number, chips }, &clauses);
        // The other players stay where they are, with their chips: they may have to be separated
        // too.
        for (id, seat) in chairs {
            if let (true, Some(chips)) = (contest.players.contains(&id), chips) {
                self.leave_table(number, id)?;
                self.bring_chips(number, seat, id, chips)?;
            }
        }
        if let Some(seat) = self.sitting(Some(number))?.first_seat() {
            let clause = Some(self.rules.wagers.order.clause);
            self.push(Fact::MarkerAt { table: number, seat }, &[clause]);
        }
        Ok(())
    }
}

/// Whether all these players were eliminated.
pub(super) fn are_eliminated(sitting: &Sitting, group: &[EntrantId]) -> bool {
    let out = |id: &EntrantId| sitting.chair(*id).is_some_and(|chair| chair.out.is_some());
    !group.is_empty() && group.iter().all(out)
}

/// The ranking of a last stage with several tables: by chips, then by how long players lasted.
pub(super) fn across(sittings: &[&Sitting]) -> Vec<Vec<EntrantId>> {
    let key = |chair: &Chair| match chair.out {
        None => (1, chair.chips),
        Some((when, _)) => (0, Balance::new(when.into())),
    };
    let chairs = sittings.iter().flat_map(|sitting| {
        let ranked = sitting.ranking.concat();
        sitting.chairs.iter().filter(move |chair| ranked.contains(&chair.entrant))
    });
    let mut standing: Vec<_> = chairs.map(|chair| (key(chair), chair.entrant)).collect();
    standing.sort_by_key(|(key, _)| core::cmp::Reverse(*key));
    let groups = standing.chunk_by(|(a, _), (b, _)| a == b);
    groups.map(|group| group.iter().map(|(_, id)| *id).collect()).collect()
}

/// The ranking of a table's active players: by chips, then by how long they lasted.
pub(super) fn rank(sitting: &Sitting) -> Vec<Vec<EntrantId>> {
    let mut standing: Vec<_> = sitting
        .chairs
        .iter()
        .filter(|chair| chair.plays)
        .filter_map(|chair| match chair.out {
            None => Some(((1, sitting.stack(chair)), chair.entrant)),
            Some((coup, OutWhy::Chips | OutWhy::Raised | OutWhy::NoWager)) => {
                Some(((0, Balance::new(coup.into())), chair.entrant))
            }
            Some((_, OutWhy::NotThere | OutWhy::Left)) => None,
        })
        .collect();
    standing.sort_by_key(|(key, _)| core::cmp::Reverse(*key));
    let groups = standing.chunk_by(|(a, _), (b, _)| a == b);
    groups.map(|group| group.iter().map(|(_, id)| *id).collect()).collect()
}

/// The ranking after one group was separated.
pub(super) fn refine(ranking: &[Vec<EntrantId>], group: &[Vec<EntrantId>]) -> Vec<Vec<EntrantId>> {
    let played = group.concat();
    let mut refined = Vec::new();
    for old in ranking {
        if old.iter().any(|id| played.contains(id)) {
            refined.extend(group.iter().cloned());
            // A player who left during the play-off comes after those who stayed.
            let gone: Vec<_> = old.iter().copied().filter(|id| !played.contains(id)).collect();
            if !gone.is_empty() {
                refined.push(gone);
            }
        } else {
            refined.push(old.clone());
        }
    }
    refined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_play_off_separates_its_group_and_leaves_the_others_where_they_are() {
        let ids = |numbers: &[u16]| numbers.iter().copied().map(EntrantId).collect::<Vec<_>>();
        let ranking = [ids(&[7]), ids(&[1, 2, 3]), ids(&[4, 5])];
        let played = [ids(&[2]), ids(&[1])];
        // 3 left during the play-off.
        let refined = [ids(&[7]), ids(&[2]), ids(&[1]), ids(&[3]), ids(&[4, 5])];
        assert_eq!(refine(&ranking, &played), refined);
        let played = [ids(&[2]), ids(&[1]), ids(&[3])];
        let refined = [ids(&[7]), ids(&[2]), ids(&[1]), ids(&[3]), ids(&[4, 5])];
        assert_eq!(refine(&ranking, &played), refined);
        assert_eq!(refine(&ranking, &[]), ranking);
    }
}
