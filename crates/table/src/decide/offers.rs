//! Side bets: offering them when the table opens, changing or withdrawing them later, and who may
//! wager on them.

use alloc::format;
use alloc::string::ToString;

use rules::book::{Alone, Several};
use rules::{Clause, Group, Key, Offer, Side, SideBets, Spot};

use super::Draft;
use crate::command::SignLine;
use crate::event::{Fact, Keeping, PlayerId};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Wager, of};

impl Draft<'_> {
    /// Announces which side bets are offered, and by which clauses.
    pub(super) fn offer_side_bets(&mut self, offer: Offer) {
        let book = self.book;
        let Some((group, table)) = book.offered(offer) else { return };
        let (rules, own) = (&group.rules, table.rules.as_ref());
        let offered = Some(rules.offered.clause);
        let by = of(&rules.choice).or(of(&rules.at_discretion));
        let (clauses, scale) = match own {
            Some(own) => {
                ([offered, by, Some(own.offered.clause), of(&own.applies)], of(&own.scale))
            }
            None => ([offered, by, of(&rules.applies), of(&rules.scale)], None),
        };
        self.push(Fact::Kept(Keeping::SideBets(group.key)), &clauses);
        // Limits belong on the sign; they are announced when they are posted.
        let areas = [scale, of(&rules.areas), of(&rules.displayed)];
        self.push(Fact::Kept(Keeping::SideBetAreas(group.key)), &areas);
    }

    /// The clauses by which the operator chooses which side bets are offered.
    pub(super) fn offer_clauses(&self, posting: &SignLine) -> [Option<Clause>; 3] {
        let rules = |key: Key| self.book.side_bets(key).map(|group| &group.rules);
        match posting {
            SignLine::Offer(offer) => rules(offer.group).map_or([None; 3], |rules| {
                match of(&rules.choice).filter(|_| offer.table.is_some()) {
                    Some(choice) => [Some(choice), of(&rules.displayed), None],
                    None => [Some(rules.offered.clause), of(&rules.at_discretion), None],
                }
            }),
            SignLine::Withdraw(group) => rules(*group).map_or([None; 3], |rules| {
                [Some(rules.offered.clause), of(&rules.at_discretion), None]
            }),
            SignLine::Limits(..)
            | SignLine::Differential(_)
            | SignLine::Liability(_)
            | SignLine::Chips(_)
            | SignLine::Sharing(_)
            | SignLine::CapAreas(_)
            | SignLine::LiftCap
            | SignLine::Lift(_)
            | SignLine::FaceDown(_)
            | SignLine::Method(_)
            | SignLine::Closing => [None; 3],
        }
    }

    /// Checks that these side bets can be offered.
    pub(super) fn check_offer(&self, offer: Offer) -> Result<(), Refusal> {
        let Err(fault) = self.book.may_offer(offer) else { return Ok(()) };
        no(Code::NotInTheBook, fault.clause(), fault.to_string(), "leave it out")
    }

    /// Checks that there are such side bets to withdraw.
    pub(super) fn check_withdrawal(&self, key: Key) -> Result<(), Refusal> {
        let Some(group) = self.book.side_bets(key) else {
            return self.check_offer(Offer { group: key, table: None });
        };
        if self.table.sign_terms().side_bets.of(key).is_none() {
            let clause = Some(group.rules.offered.clause);
            let what = format!("no {} is offered", group.name);
            return no(Code::NothingToDecide, clause, what, "go on");
        }
        Ok(())
    }

    /// The group of side bets that a spot belongs to.
    pub(super) fn side_bets_of(&self, spot: Spot) -> Option<&SideBets> {
        match self.table.group(spot) {
            Group::Main | Group::Tie => None,
            Group::Side(key) => self.book.side_bets(key),
        }
    }

    /// Whether a player may place a side bet beside the player's other wagers.
    pub(super) fn check_beside(&self, player: PlayerId, spot: Spot) -> Result<(), Refusal> {
        let Some(group) = self.side_bets_of(spot) else { return Ok(()) };
        let alone = group.rules.alone.filter(|rule| rule.value == Alone::NeedsMain);
        if let (Some(rule), true) = (alone, self.has_no_main(player)) {
            let what = format!("{} without another wager", spot.key());
            let instead = "allowed: beside a wager on Banker, Player or Tie";
            return no(Code::NeedsMain, Some(rule.clause), what, instead);
        }
        let several = group.rules.several.filter(|rule| rule.value == Several::One);
        if let (Some(rule), true) = (several, self.has_other_of(player, spot)) {
            let what = format!("a second wager of {}", group.name);
            return no(Code::OneWager, Some(rule.clause), what, "allowed: one of them");
        }
        Ok(())
    }

    /// A wager that a side bet needs stays as long as the side bet does.
    pub(super) fn check_not_needed(&self, player: PlayerId, leaves: &Wager) -> Result<(), Refusal> {
        let is_main = |wager: &Wager| !matches!(wager.spot, Spot::Side(_));
        let mut mine = self.table.wagers.iter().filter(|wager| wager.player == player);
        if !is_main(leaves) || mine.clone().any(|wager| is_main(wager) && wager != leaves) {
            return Ok(());
        }
        let needs = mine.find_map(|wager| {
            let rule = self.side_bets_of(wager.spot)?.rules.alone?;
            (rule.value == Alone::NeedsMain).then_some((wager.spot, rule.clause))
        });
        let Some((spot, clause)) = needs else { return Ok(()) };
        let what = format!("{} would lie without another wager", spot.key());
        no(Code::NeedsMain, Some(clause), what, format!("take back {} first", spot.key()))
    }

    fn has_no_main(&self, player: PlayerId) -> bool {
        let main = |wager: &Wager| !matches!(wager.spot, Spot::Side(_));
        !self.table.wagers.iter().any(|wager| wager.player == player && main(wager))
    }

    fn has_other_of(&self, player: PlayerId, spot: Spot) -> bool {
        let table = &*self.table;
        let group = table.group(spot);
        table.wagers.iter().any(|wager| {
            wager.player == player && wager.spot != spot && table.group(wager.spot) == group
        })
    }

    /// The clauses that a side bet rests on when it is placed.
    pub(super) fn side_bet_clauses(
        &self,
        player: PlayerId,
        spot: Spot,
        place: u32,
        shared: Option<()>,
    ) -> [Option<Clause>; 3] {
        let Some(group) = self.side_bets_of(spot) else { return [None; 3] };
        let rules = &group.rules;
        [
            of(&rules.alone).filter(|_| self.has_no_main(player)),
            of(&rules.several).filter(|_| self.has_other_of(player, spot)),
            of(&rules.shared).filter(|_| shared.is_some()).or(self.claim(player, spot, place)),
        ]
    }

    /// A player with a wager at a place has the first claim on its areas for side bets.
    #[inline]
    pub(super) fn check_entitlement(
        &self,
        player: PlayerId,
        spot: Spot,
        place: u32,
    ) -> Result<(), Refusal> {
        let Some(group) = self.side_bets_of(spot) else { return Ok(()) };
        if group.rules.entitlement.is_none() {
            return Ok(());
        }
        let Some((main, first, next)) = self.claims(group, spot) else { return Ok(()) };
        let table = &*self.table;
        let rank = |id: PlayerId| self.rank(id, group.key, main, place);
        let my_rank = rank(player);
        let waits = |(id, other): &(PlayerId, &crate::state::Player)| {
            *id != player
                && !other.excluded
                && rank(*id) < my_rank
                && !other.waived.contains(&group.key)
                && table.on_spot(*id, spot).is_none()
        };
        let ahead = table.here().filter(waits).min_by_key(|(id, _)| rank(*id));
        if let Some((id, other)) = ahead {
            let clause = if rank(id) == 0 { first } else { next };
            let what = format!("{} comes first on {} at {place}", other.name, spot.key());
            let instead = format!("allowed after {} bets or waives", other.name);
            return no(Code::Entitlement, clause, what, instead);
        }
        Ok(())
    }

    /// The main wager that has the first claim on a spot, and the clauses of the first claim and of
    /// the next.
    fn claims(
        &self,
        group: &SideBets,
        spot: Spot,
    ) -> Option<(Spot, Option<Clause>, Option<Clause>)> {
        let rules = &group.rules;
        Some(match self.book.side(spot)? {
            Side::Player => (Spot::Player, of(&rules.first_on_player), of(&rules.next_on_player)),
            Side::Banker => (Spot::Banker, of(&rules.first_on_banker), of(&rules.next_on_banker)),
        })
    }

    /// The rank of a player's claim on the area of a hand at a place: with a wager on that hand,
    /// with another wager there, or with none.
    fn rank(&self, id: PlayerId, group: Key, main: Spot, place: u32) -> u8 {
        let table = &*self.table;
        let mut here = table.wagers.iter().filter(|w| w.player == id && w.place == place);
        if table.at(id, main, place).is_some() {
            0
        } else if here.any(|wager| table.group(wager.spot) != Group::Side(group)) {
            1
        } else {
            2
        }
    }

    /// The clause by which a player may use an area for side bets.
    fn claim(&self, player: PlayerId, spot: Spot, place: u32) -> Option<Clause> {
        let group = self.side_bets_of(spot)?;
        let (main, first, next) = self.claims(group, spot)?;
        match self.rank(player, group.key, main, place) {
            0 => first,
            1 => next,
            _ => of(&group.rules.then_others),
        }
    }

    pub(super) fn waive(&mut self, player: PlayerId, key: Key) -> Result<(), Refusal> {
        let book = self.book;
        let offered = self.table.terms().side_bets.of(key).is_some();
        let group = book.side_bets(key).filter(|_| offered);
        let Some(group) = group.filter(|group| group.rules.entitlement.is_some()) else {
            let what = "there is no claim to give up";
            return no(Code::NotInTheBook, None, what, "no waiver is needed");
        };
        self.push(Fact::ClaimWaived(player, key), &[of(&group.rules.then_others)]);
        Ok(())
    }
}
