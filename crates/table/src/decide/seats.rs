//! Players who join the table, and players who must leave it.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use rules::Cents;
use rules::book::{AlsoShuffled, Sharing};

use super::Draft;
use super::trouble::Answer;
use super::wagers::Said;
use crate::command::{Deed, Name};
use crate::event::{Account, Advice, CutBy, Fact, PlayerId, ReturnWhy, transfer};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Phase, of};

impl Draft<'_> {
    pub(super) fn player_acts(&mut self, name: &Name, deed: &Deed) -> Result<(), Refusal> {
        if let Deed::Sit(seat, chips) = deed {
            return self.arrive(*name, *seat, *chips, false);
        }
        if let Deed::StandBehind(seat, chips) = deed {
            return self.arrive(*name, *seat, *chips, true);
        }
        let player = if let Deed::Dispute(coup) = deed {
            self.disputant(name, *coup)?
        } else {
            self.player(name)?
        };
        let excluded = self.who(player).excluded;
        // Where players may take wagers off, an excluded player may do so too.
        let open =
            matches!(deed, Deed::Leave | Deed::Dispute(_) | Deed::TakeBack(_) | Deed::AskRules);
        if excluded && !open {
            let clause = of(&self.book.general.breach_excludes);
            let what = format!("{name} is excluded from the game");
            return no(Code::Excluded, clause, what, "allowed: leaving");
        }
        match deed {
            Deed::Sit(..) | Deed::StandBehind(..) => Ok(()),
            Deed::Bet(bet) => self.bet(player, *bet),
            Deed::Call { spot, amount, with_chips } => {
                self.called_bet(player, *spot, *amount, Said::by(*with_chips))
            }
            Deed::BetAgainst(other, _) => self.bet_against(player, *other),
            Deed::TakeBack(spot) => self.take_back(player, *spot),
            Deed::Move(amount, from, to) => self.move_chips(player, *amount, *from, *to),
            Deed::Waive(group) => self.waive(player, *group),
            Deed::AskNoBet => self.ask_no_bet(player),
            Deed::Agree => self.answer_no_bet(player, Answer::Agrees),
            Deed::Object => self.answer_no_bet(player, Answer::Objects),
            Deed::AskFaceDown => self.ask_face_down(player),
            Deed::AskRiffle => self.ask_riffle(player),
            Deed::Inspect => self.inspect(),
            Deed::Cut(depth) => self.cut_by_player(player, *depth),
            Deed::DeclineCut => self.decline_cut(player),
            Deed::RefuseCards => self.refuse_cards(player),
            Deed::Turn(side, cards) => self.turn_by_player(player, *side, *cards),
            Deed::TurnThird(side, card) => self.turn_third_by_player(player, *side, *card),
            Deed::Dispute(coup) => self.dispute(player, *coup),
            Deed::AskRules => self.ask_rules(player),
            Deed::Leave => self.leave(player),
        }
    }

    /// Who disputes a coup: somebody at the table, or who left it and had a wager in that coup.
    /// Nobody is told who else is there.
    fn disputant(&self, name: &Name, coup: u32) -> Result<PlayerId, Refusal> {
        let table = &*self.table;
        let had_a_wager = |id: &PlayerId| {
            let record = table.record_of(coup).filter(|record| record.concerns(*id));
            record.is_some() && table.player(*id).name == *name
        };
        let ids = (0..table.players.len()).filter_map(|i| u16::try_from(i).ok().map(PlayerId));
        table.player_named(name).or_else(|| ids.rev().find(had_a_wager)).ok_or_else(|| {
            let what = format!("{name} is not at the table and had no wager in coup {coup}");
            let instead = "allowed: to who is there, and to who had a wager in that coup";
            Refusal::new(Code::UnknownPlayer, None, what, instead)
        })
    }

    fn arrive(
        &mut self,
        name: Name,
        seat: u32,
        chips: Cents,
        standing: bool,
    ) -> Result<(), Refusal> {
        let table = &*self.table;
        Self::some(chips)?;
        if let Some(old) =
            table.players.iter().find(|p| p.name == name && (p.present || p.excluded))
        {
            if old.excluded {
                let clause = of(&self.book.general.breach_excludes);
                let what = format!("{name} is excluded from the game");
                return no(Code::Excluded, clause, what, "another player may come");
            }
            let what = format!("{name} is at the table already");
            return no(Code::NameTaken, None, what, "allowed: another name");
        }
        let (seats, places) = (table.options.seats, self.book.table.seats);
        if seat == 0 || seat > seats {
            let what = format!("there is no place {seat}");
            let instead = format!("allowed: 1 to {seats}");
            return no(Code::NoSuchSeat, Some(places.clause), what, instead);
        }
        let at = |standing: bool| {
            table.here().filter(move |(_, p)| p.seat == seat && p.standing == standing).count()
        };
        if !standing && at(false) > 0 {
            let free =
                (1..=seats).find(|s| !table.here().any(|(_, p)| p.seat == *s && !p.standing));
            let instead = match free {
                Some(free) => format!("{free} is free"),
                None => "every seat is taken; allowed: standing behind one".into(),
            };
            return no(Code::SeatTaken, None, format!("place {seat} is taken"), instead);
        }
        let sharing = self.book.boxes.sharing;
        let mut clause = None;
        if standing && sharing.value == Sharing::StandingWithSeated {
            clause = Some(sharing.clause);
            let most = self.book.boxes.players.value.most().saturating_sub(1);
            if u32::try_from(at(true)).unwrap_or(u32::MAX) >= most {
                let what = format!("{most} players stand behind {seat} already");
                return no(Code::SeatTaken, clause, what, "allowed: another place");
            }
        }
        let player = PlayerId(u16::try_from(table.players.len()).unwrap_or(u16::MAX));
        if player.0 == u16::MAX {
            return no(Code::TooMany, None, "the table has had too many players", "open another");
        }
        let arrived = Fact::Arrived { player, name: Box::new(name), seat, standing, chips };
        let postings = transfer(Account::Outside, Account::Stack(player), chips);
        self.pay(arrived, &[Some(places.clause), clause], postings);
        self.tell_newcomer(player);
        if let (true, Some(vacancy)) =
            (self.table.vacated, self.book.shuffle.also(AlsoShuffled::AfterVacancy))
            && matches!(self.table.phase, Phase::Betting | Phase::Called)
        {
            self.drop_waiting();
            self.push(Fact::ShuffleDue, &[Some(vacancy)]);
        }
        Ok(())
    }

    /// Tells a new player about changes that were announced earlier.
    fn tell_newcomer(&mut self, player: PlayerId) {
        if self.table.closing {
            let notice = of(&self.book.general.closing);
            self.push(Fact::Advised(player, Advice::Closing), &[notice]);
        }
        for pending in self.table.pending.clone() {
            let by: Vec<_> = pending.by.iter().map(|clause| Some(*clause)).collect();
            self.push(Fact::Advised(player, Advice::Change), &by);
        }
    }

    /// The chips in front of a player.
    pub(super) fn stack(&self, player: PlayerId) -> Cents {
        self.who(player).stack.at_least_zero()
    }

    pub(super) fn leave(&mut self, player: PlayerId) -> Result<(), Refusal> {
        let table = &*self.table;
        let wagers = table.wagers.iter().any(|wager| wager.player == player);
        if wagers && self.are_wagers_frozen() {
            let clause = Some(self.book.wagers.altering_ends.clause);
            let what = format!("{} has wagers on the layout", self.who(player).name);
            return no(Code::Frozen, clause, what, "allowed after the coup: leaving");
        }
        self.return_wagers_of(player, ReturnWhy::TakenBack, &[]);
        let stack = self.stack(player);
        self.pay(
            Fact::Left(player),
            &[],
            transfer(Account::Stack(player), Account::Outside, stack),
        );
        self.note_vacancy(player);
        Ok(())
    }

    fn note_vacancy(&mut self, gone: PlayerId) {
        let closed = self.table.phase == Phase::Closed;
        if !closed && !self.table.vacated && self.table.playing().all(|(id, _)| id == gone) {
            self.push(Fact::Vacated, &[]);
        }
    }

    pub(super) fn require_seat(&mut self, seat: u32) -> Result<(), Refusal> {
        let table = &*self.table;
        let sitting = |seat: u32| table.here().find(move |(_, p)| p.seat == seat && !p.standing);
        let Some((player, who)) = sitting(seat) else {
            let instead = "name a seat that is taken";
            return no(Code::NoSuchSeat, None, format!("nobody sits at {seat}"), instead);
        };
        let Some(rule) = self.book.boxes.abstention else {
            let what = "this book does not let the operator ask for a seat";
            return no(Code::NotInTheBook, None, what, "leave the player be");
        };
        if table.wagers.iter().any(|wager| wager.player == player) {
            let what = format!("{} has a wager on the layout", who.name);
            return no(Code::SeatNotRequired, Some(rule.clause), what, "leave the player be");
        }
        let idle = u32::try_from(table.idle_rounds(player)).unwrap_or(u32::MAX);
        if !table.is_full() || idle < rule.value.get() {
            let what = format!("{} has sat out {idle} rounds", who.name);
            let instead = format!("allowed after {} rounds at a full table", rule.value);
            return no(Code::SeatNotRequired, Some(rule.clause), what, instead);
        }
        let stack = self.stack(player);
        let postings = transfer(Account::Stack(player), Account::Outside, stack);
        self.pay(Fact::SeatRequired(player), &[Some(rule.clause)], postings);
        Ok(())
    }

    pub(super) fn exclude(&mut self, name: Name, why: &str) -> Result<(), Refusal> {
        let player = self.player(&name)?;
        let clause = of(&self.book.general.breach_excludes);
        if self.who(player).excluded {
            let what = format!("{name} is excluded already");
            return no(Code::Excluded, clause, what, "the player leaves");
        }
        let (hands, offered) = (self.hands_of(player), self.table.shoe.offered);
        self.push(Fact::Excluded(player, why.into()), &[clause]);
        if self.table.phase != Phase::Dealing {
            self.return_wagers_of(player, ReturnWhy::Excluded, &[clause]);
        }
        self.pass_on(&hands);
        if offered == Some(CutBy::Player(player)) {
            self.offer_next_cut();
        }
        self.note_vacancy(player);
        Ok(())
    }
}
