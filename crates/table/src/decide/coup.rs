//! The coup: dealing, turning, drawing by the tableau, announcing and settling.

use alloc::format;
use core::ops::Deref;

use arrayvec::ArrayVec;
use rules::book::{SettledWhen, ThirdCards};
use rules::value::Phrase;
use rules::{
    Action, Card, Cited, Clause, Composition, Count, Group, HandScore, Hands, Next, Offer,
    PayTable, Score, Side, SideBets, Spot,
};

use super::Draft;
use super::settling::Settlements;
use crate::command::Work;
use crate::event::{Fact, Keeping};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Coup, Facing, Phase, State, Waiting, of};

impl Draft<'_> {
    pub(super) fn dealer_acts(&mut self, work: &Work) -> Result<(), Refusal> {
        match work {
            Work::Check(by) => self.check_cards(*by),
            Work::Shuffle => self.shuffle(),
            Work::Riffle => self.riffle(),
            Work::PreShuffled => self.pre_shuffled(),
            Work::OfferCut(name) => self.offer_cut(*name),
            Work::PlaceCuttingCard(behind) => self.place_cutting_card(*behind),
            Work::Burn(card) => self.burn(*card),
            Work::BurnUnseen => self.burn_unseen(),
            Work::BurnCounted { card, further } => self.burn_counted(*card, *further),
            Work::BurnMore(more) => self.burn_more(*more),
            Work::SkipBurn => self.skip_burn(),
            Work::NoMoreBets => self.no_more_bets(),
            Work::Reduce(side) => self.reduce(*side),
            Work::LetStand => self.let_stand(),
            Work::Deal(cards) => self.deal(*cards),
            Work::Draw { card, to, face_down } => {
                self.draw(*card, *to, Facing::down_if(*face_down))
            }
            Work::DrawExcess { card, face_down } => {
                self.draw_excess(*card, Facing::down_if(*face_down))
            }
            Work::FindFaceUp(card) => self.find_face_up(*card),
            Work::Pass(side, name) => self.pass(*side, *name),
            Work::Turn(side, cards) => self.turn_by_dealer(*side, *cards),
            Work::TurnThird(side, card) => self.turn_third_by_dealer(*side, *card),
        }
    }

    /// The dealer says the words that the book requires.
    pub(super) fn call(&mut self, phrase: Option<&Cited<Phrase>>) {
        if let Some(phrase) = phrase {
            let said = Fact::Called(phrase.value.words().clone());
            self.push(said, &[Some(phrase.clause)]);
        }
    }

    /// A coup begins only when the shoe is ready and no other coup is in play.
    fn check_ready(&self) -> Result<(), Refusal> {
        match self.table.phase {
            Phase::Betting | Phase::Called => Ok(()),
            Phase::Preparing => {
                let clause = Some(self.book.table.shoe.clause);
                let instead = "check, shuffle, cut and mark the cards first";
                no(Code::NotPrepared, clause, "the shoe is not ready", instead)
            }
            Phase::Unopened | Phase::Dealing | Phase::Closed => {
                self.wrong_moment("a deal", "allowed when wagers are closed")
            }
        }
    }

    /// Whether a coup may begin, once the wagers are within the cap.
    fn may_begin(&mut self) -> Result<(), Refusal> {
        self.check_ready()?;
        self.check_not_doubted()?;
        self.check_wagers_needed()?;
        self.check_replacement()?;
        // Wagers after the call must be within the cap too, and trimming may leave no wager at all.
        self.may_refuse_yet();
        self.keep_to_cap(None);
        self.check_wagers_needed()
    }

    /// New cards among the old are checked before they are dealt.
    fn check_replacement(&self) -> Result<(), Refusal> {
        match self.book.cards.replacement_check().filter(|_| self.table.shoe.replaced) {
            None => Ok(()),
            Some(rule) => {
                let instead = format!("checked by: {}", rule.value);
                no(Code::NotPrepared, Some(rule.clause), "new cards are not checked", instead)
            }
        }
    }

    /// Begins a coup, with the call if it was not made.
    fn begin(&mut self) {
        self.refuses_no_more();
        if self.table.phase == Phase::Betting {
            self.close_bets();
        }
        let table = &*self.table;
        let number = table.coups + 1;
        let no_bet = table.no_bet;
        let wagers = &table.wagers;
        let main = wagers.iter().any(|wager| !matches!(wager.spot, Spot::Side(_)));
        let mut clauses = [None; 4];
        if no_bet.is_some() {
            clauses[0] = of(&self.book.no_bet.played_out);
        } else if !wagers.is_empty() && !main {
            let lies = |group: &&rules::SideBets| {
                let group = Group::Side(group.key);
                wagers.iter().any(|wager| table.group(wager.spot) == group)
            };
            let groups = self.book.side_bets.iter().filter(lies);
            let finished = groups.filter_map(|group| of(&group.rules.finished_without_main));
            for (clause, finished) in clauses.iter_mut().take(2).zip(finished) {
                *clause = Some(finished);
            }
        } else if wagers.is_empty() && table.optional_coups > 0 {
            clauses[0] = of(&self.book.no_bet.optional_coups);
        }
        clauses[2] = of(&self.book.deal.two_hands);
        let last = table.is_last_coup();
        self.leave_burn_short();
        self.push(Fact::CoupBegan { number, no_bet, last }, &clauses);
    }

    fn deal(&mut self, cards: [Option<Card>; 4]) -> Result<(), Refusal> {
        if self.table.phase == Phase::Dealing {
            return self.wrong_moment("a deal", "allowed after the coup");
        }
        self.check_ready()?;
        let known = [self.table.waiting.first().copied(), self.table.face_up];
        let known: ArrayVec<_, 2> = known.into_iter().flatten().collect();
        let named = &cards[known.len()..];
        if !self.table.face_down && named.contains(&None) {
            return self.other_style("a card face down among the first four");
        }
        let mut left = self.table.shoe.left;
        for (i, card) in cards.iter().enumerate() {
            self.check_next(*card, known.get(i).copied(), &mut left)?;
        }
        self.may_begin()?;
        self.begin();
        for (i, card) in cards.into_iter().enumerate() {
            let card = known.get(i).and_then(|known| known.card).or(card);
            let facing = Facing::down_if(self.table.face_down || card.is_none());
            self.put(Side::BOTH[i % 2], card, facing, None);
        }
        self.pass_by_rule();
        self.advance();
        Ok(())
    }

    /// Refuses a card that lies another way than the table's style, face up or face down.
    fn other_style<T>(&self, what: &str) -> Result<T, Refusal> {
        let deal = &self.book.deal;
        let clause = of(&deal.all_up).or(Some(deal.face.clause));
        no(Code::WrongMoment, clause, what, "all four are dealt face up, and named")
    }

    /// Checks that a card is possible, and that it is the one that is known to come next.
    pub(super) fn check_next(
        &self,
        card: Option<Card>,
        known: Option<Waiting>,
        left: &mut Composition,
    ) -> Result<(), Refusal> {
        if let (Some(waiting), Some(given)) = (known.and_then(|known| known.card), card) {
            if waiting != given {
                let by = known.and_then(|known| known.by);
                let clause = by.or(Some(self.book.irregularities.excess_seen.clause));
                let what = format!("{given} before {waiting}, which waits");
                let instead = format!("{waiting} comes first");
                return no(Code::WrongCard, clause, what, instead);
            }
            return Ok(());
        }
        let Some(card) = card else { return Ok(()) };
        if left.take(card).is_err() {
            return self.impossible(card);
        }
        Ok(())
    }

    /// Gives a card to a hand; `due` is the clause of the tableau by which a third card is drawn.
    pub(super) fn put(
        &mut self,
        side: Side,
        card: Option<Card>,
        facing: Facing,
        due: Option<Clause>,
    ) {
        let shown = facing.is_up();
        let Some(coup) = &self.table.coup else { return };
        let (out, pairs_settled) = (coup.cards.len(), coup.pairs_settled);
        let deal = &self.book.deal;
        let by = match out {
            0 | 1 => deal.first_cards.clause,
            2 | 3 => deal.second_cards.clause,
            _ => self.book.tableau.third_cards.clause,
        };
        let counts = card.filter(|_| shown).map(|card| self.book.cards.points(card.rank()).clause);
        let counts = counts.or(Some(self.face_clause(side)));
        let third = out >= 4;
        let style = self.third_card_style(facing).filter(|_| third);
        let follows = if third && pairs_settled { self.follows() } else { None };
        let clauses = [Some(by), due.filter(|_| third), counts, follows.or(style)];
        self.push(Fact::Dealt { side, card, shown }, &clauses);
    }

    /// The clause on whether a third card lies face up or face down.
    fn third_card_style(&self, facing: Facing) -> Option<Clause> {
        let shown = facing.is_up();
        let deal = &self.book.deal;
        let rule = deal.third_cards?;
        match rule.value {
            ThirdCards::AsTheFirstFour if shown => of(&deal.all_up),
            ThirdCards::EitherWay if shown => None,
            ThirdCards::Up | ThirdCards::AsTheFirstFour | ThirdCards::EitherWay => {
                Some(rule.clause)
            }
        }
    }

    pub(super) fn draw(
        &mut self,
        card: Option<Card>,
        to: Side,
        facing: Facing,
    ) -> Result<(), Refusal> {
        let table = &*self.table;
        let first = table.coup.as_ref().is_none_or(|coup| coup.cards.is_empty());
        let suspended = table.coup.as_ref().is_some_and(|coup| coup.suspended.is_some());
        let mut left = table.shoe.left;
        // The first card of a shoe may come with the call itself.
        let begins = table.phase != Phase::Betting || table.shoe.coups == 0;
        let known = if first && begins { table.coming() } else { table.face_up };
        self.check_next(card, known, &mut left)?;
        // A card that everybody saw is that card, whether or not the command names it.
        let card = known.and_then(|known| known.card).or(card);
        match table.phase {
            Phase::Dealing => {}
            // Until the next call, a card belongs to the previous coup.
            Phase::Betting if table.shoe.coups > 0 => {
                return self.draw_after(card, to, facing);
            }
            Phase::Betting | Phase::Called => {
                self.may_begin()?;
                if to == Side::Player {
                    self.check_style(card, facing, Place::FirstFour)?;
                }
                self.begin();
                return self.draw_to(card, to, facing);
            }
            Phase::Preparing if table.shuffle_due && table.coups > 0 => {
                return self.draw_after(card, to, facing);
            }
            Phase::Unopened | Phase::Preparing | Phase::Closed => {
                return self.wrong_moment("a card", "allowed when wagers are closed");
            }
        }
        if suspended {
            let what = "a card while the coup waits";
            let instead = "the supervisor reconstructs, resumes or voids the coup first";
            return no(Code::Suspended, None, what, instead);
        }
        self.draw_to(card, to, facing)
    }

    /// Checks that a card lies in the style of the table, face up or face down.
    fn check_style(&self, card: Option<Card>, facing: Facing, place: Place) -> Result<(), Refusal> {
        let named_up = facing.is_up() && card.is_some();
        if named_up || self.facing(place, facing) == Facing::Down {
            return Ok(());
        }
        let deal = &self.book.deal;
        match place {
            Place::FirstFour => self.other_style("a card face down among the first four"),
            Place::Third => {
                let up = |rule: &Cited<ThirdCards>| rule.value == ThirdCards::Up;
                let own = of(&deal.third_cards.filter(up));
                let as_first = of(&deal.all_up).or(of(&deal.third_cards));
                let clause = own.or(as_first).or(Some(deal.face.clause));
                let what = "a third card face down";
                no(Code::WrongMoment, clause, what, "allowed face up, and named")
            }
        }
    }

    fn draw_to(&mut self, card: Option<Card>, to: Side, facing: Facing) -> Result<(), Refusal> {
        let Some(coup) = &self.table.coup else { return Ok(()) };
        let place = Place::of(coup);
        let down = self.facing(place, facing) == Facing::Down;
        let lies = Facing::down_if(down || card.is_none());
        match self.due(coup) {
            Some(Cited { value: side, clause: due }) if side == to => {
                self.check_style(card, facing, place)?;
                self.put(side, card, lies, Some(due));
                self.go_on();
                Ok(())
            }
            Some(due) if place == Place::Third && to == Side::Player => {
                self.not_due(card, lies, due.clause);
                Ok(())
            }
            Some(due) => {
                self.out_of_sequence(card, to, lies, due);
                Ok(())
            }
            None => {
                let what = "no card is due";
                let instead = "the cards that lie face down are turned first";
                no(Code::WrongMoment, Some(self.book.tableau.third_cards.clause), what, instead)
            }
        }
    }

    /// After a card: with the fourth card hands may be passed; then the coup continues.
    pub(super) fn go_on(&mut self) {
        if self.table.coup.as_ref().is_some_and(|coup| coup.cards.len() == 4) {
            self.pass_by_rule();
        }
        self.advance();
    }

    /// Continues the coup as far as the open cards allow.
    pub(super) fn advance(&mut self) {
        let Some(coup) = &self.table.coup else { return };
        let hands = coup.hands();
        let standing = self.book.standing(&hands);
        let Some(count) = standing.count else { return };
        let (number, first) = (coup.number, !coup.counted);
        self.count(&count, hands.out());
        let score = count.score(&hands);
        let [player, banker] = count.acts;
        let mut done = Settlements::default();
        if first {
            self.judge_pairs(&hands, score, &mut done);
            if count.is_natural() {
                let tableau = &self.book.tableau;
                let clauses = [Some(tableau.natural.clause), Some(tableau.natural_ends.clause)];
                self.push(Fact::Natural, &clauses);
            }
            self.tell_stand(Side::Player, player);
        }
        match standing.next {
            Next::Card(_) | Next::Turn => {}
            Next::Settle(_) => {
                self.tell_stand(Side::Banker, banker.filter(|_| hands.banker.third().is_none()));
                self.finish(number, score, done);
            }
        }
    }

    /// Announces that a hand stands, if the tableau makes it stand.
    fn tell_stand(&mut self, side: Side, acts: Option<Cited<Action>>) {
        if let Some(acts) = acts
            && acts.value == Action::Stand
        {
            self.push(Fact::Stands(side), &[Some(acts.clause)]);
        }
    }

    /// Announces the totals of the hands.
    fn count(&mut self, count: &Count, cards: usize) {
        let [player, banker] = count.totals;
        let calls = &self.book.calls;
        let turned = of(&calls.points_turned).filter(|_| self.table.face_down);
        let announced = turned.or(of(&calls.points)).filter(|_| cards == 4);
        let clauses = [Some(player.clause), Some(banker.clause), announced];
        self.push(Fact::Totals { player: player.value, banker: banker.value }, &clauses);
        if player.value == 0 || banker.value == 0 {
            self.call(self.book.calls.zero.as_ref());
        }
    }

    /// The side bets that are offered and settled before third cards.
    fn early(&self) -> impl Iterator<Item = (&SideBets, &PayTable)> {
        let offers = self.table.terms().side_bets.iter();
        let offered = offers.filter_map(|offer| self.book.offered(offer));
        offered.filter(|(group, _)| {
            let settled = group.rules.settled.map(|rule| rule.value);
            settled == Some(SettledWhen::BeforeThirdCards)
        })
    }

    /// The clause by which third cards follow the settlement of side bets.
    fn follows(&self) -> Option<Clause> {
        self.early().find_map(|(group, _)| of(&group.rules.then_third_cards))
    }

    /// Settles the side bets that are settled before third cards.
    fn judge_pairs(&mut self, hands: &Hands, score: Score, done: &mut Settlements) {
        let book = self.book;
        let early: ArrayVec<Offer, 8> = {
            let offers = self.table.terms().side_bets.iter();
            offers.filter(|offer| self.early().any(|(group, _)| group.key == offer.group)).collect()
        };
        for (group, table) in early.into_iter().filter_map(|offer| book.offered(offer)) {
            self.tell_pairs(hands, score, group, table);
            for wager in &self.table.wagers.clone() {
                if self.table.group(wager.spot) == Group::Side(group.key) {
                    self.settle(wager, score, done);
                }
            }
        }
    }

    /// Announces which hands have a pair, and why.
    fn tell_pairs(&mut self, hands: &Hands, score: Score, group: &SideBets, table: &PayTable) {
        let paired = |side: Side| score.hand(side).pair.is_some();
        let any = Side::BOTH.into_iter().any(paired);
        // If there is a pair, only the cards of the pair show which values were compared.
        let pair_of = |numbers: bool| {
            let first = |side: Side| hands.of(side).cards().first().copied();
            let such = |card: Card| is_number(card) == numbers;
            let mut judged = Side::BOTH.into_iter().filter(|side| paired(*side) || !any);
            judged.any(|side| first(side).is_some_and(such))
        };
        let (numbers, pictures) = (pair_of(true), pair_of(false));
        let (player, banker) = (paired(Side::Player), paired(Side::Banker));
        let own = table.rules.as_ref().filter(|_| player || banker);
        let values = [
            of(&group.rules.first_two),
            of(&group.rules.numbers_pair).filter(|_| numbers),
            of(&group.rules.pictures_pair).filter(|_| pictures),
            own.and_then(|own| of(&own.pair)),
        ];
        self.push(Fact::PairsJudged { player, banker }, &values);
        if let Some(best) = own.and_then(|own| of(&own.best_only)) {
            self.push(Fact::Kept(Keeping::BestPair), &[Some(best)]);
        }
    }
}

impl<T: Deref<Target = State>> Draft<'_, T> {
    /// The hand that is due the next card, and the clause; nothing if no card is due or a card must
    /// be turned first.
    pub(super) fn due(&self, coup: &Coup) -> Option<Cited<Side>> {
        match self.book.standing(&coup.hands()).next {
            Next::Card(by) => Some(by),
            Next::Turn | Next::Settle(_) => None,
        }
    }

    /// How a card that is dealt now lies, given what the dealer wants.
    pub(super) fn facing(&self, place: Place, wanted: Facing) -> Facing {
        let style = Facing::down_if(self.table.face_down);
        match self.book.deal.third_cards.map(|style| style.value) {
            Some(ThirdCards::Up) if place == Place::Third => Facing::Up,
            Some(ThirdCards::EitherWay) if place == Place::Third && style.is_up() => wanted,
            Some(ThirdCards::Up | ThirdCards::AsTheFirstFour | ThirdCards::EitherWay) | None => {
                style
            }
        }
    }

    pub(super) fn score(&self, coup: &Coup) -> Score {
        let score = |side| -> HandScore { self.book.score(&coup.hand(side)) };
        Score { player: score(Side::Player), banker: score(Side::Banker) }
    }
}

/// The place of a card in the coup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// One of the first four of the coup.
    FirstFour,
    /// A third card.
    Third,
}

impl Place {
    /// The place of the next card.
    pub(super) fn of(coup: &Coup) -> Self {
        if coup.cards.len() >= 4 { Self::Third } else { Self::FirstFour }
    }
}

/// Whether a card shows a number rather than a letter.
fn is_number(card: Card) -> bool {
    use rules::Rank::{Ace, Jack, King, Queen};
    !matches!(card.rank(), Ace | Jack | Queen | King)
}
