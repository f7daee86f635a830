//! The coup: dealt, turned, drawn by the tableau, announced and settled.

use alloc::format;

use rules::book::ThirdCards;
use rules::value::Phrase;
use rules::{Action, Card, Cited, Clause, Composition, Group, HandScore, Score, Side};

use super::Draft;
use crate::command::Work;
use crate::event::{Fact, Keeping};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Coup, CoupCard, Phase, of};

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
            Work::SkipBurn => self.skip_burn(),
            Work::NoMoreBets => self.no_more_bets(),
            Work::Reduce(side) => self.reduce(*side),
            Work::LetStand => self.let_stand(),
            Work::Deal(cards) => self.deal(*cards),
            Work::Draw { card, to, face_down } => self.draw(*card, *to, *face_down),
            Work::DrawExcess { card, face_down } => self.draw_excess(*card, *face_down),
            Work::FindFaceUp(card) => self.find_face_up(*card),
            Work::Pass(side, name) => self.pass(*side, *name),
            Work::Turn(side, cards) => self.turn_by_dealer(*side, *cards),
            Work::TurnThird(side, card) => self.turn_third_by_dealer(*side, *card),
        }
    }

    /// The dealer says something that the book wants said.
    pub(super) fn call(&mut self, phrase: Option<&Cited<Phrase>>) {
        if let Some(phrase) = phrase {
            let said = Fact::Called(phrase.value.as_str().into());
            self.push(said, &[Some(phrase.clause)]);
        }
    }

    /// A coup begins only when the shoe is ready, and none is in play.
    fn check_ready(&self) -> Result<(), Refusal> {
        match self.table.phase {
            Phase::Betting | Phase::Called => Ok(()),
            Phase::Preparing => {
                let clause = Some(self.book.table.shoe.clause);
                let instead = "check, shuffle, cut and mark the cards first";
                no(Code::NotPrepared, clause, "the shoe is not ready", instead)
            }
            Phase::Unopened | Phase::Dealing | Phase::Closed => {
                self.wrong_moment("a deal", "when wagers are closed it would do")
            }
        }
    }

    /// Begins a coup, with the call if it was not made.
    pub(super) fn begin(&mut self) -> Result<Coup, Refusal> {
        let table = self.table;
        self.check_ready()?;
        if table.phase == Phase::Betting {
            self.no_more_bets()?;
        } else {
            // What came after the call must keep to the cap too.
            self.keep_to_cap(None);
        }
        self.check_not_doubted()?;
        self.check_wagers_needed()?;
        if let (true, Some(rule)) = (table.shoe.replaced, self.book.cards.replacement_check()) {
            let instead = format!("checked by: {}", rule.value);
            return no(Code::NotPrepared, Some(rule.clause), "new cards are not checked", instead);
        }
        let number = table.coups + 1;
        let no_bet = table.no_bet;
        let wagers = self.wagers();
        let any = |group: Group| wagers.iter().any(|wager| wager.spot.group() == group);
        let mut clauses = [None; 4];
        if no_bet.is_some() {
            clauses[0] = of(&self.book.no_bet.played_out);
        } else if !wagers.is_empty() && !any(Group::Main) && !any(Group::Tie) {
            let pairs = self.book.pairs.as_ref().filter(|_| any(Group::Pairs));
            let dragon = self.book.dragon.as_ref().filter(|_| any(Group::Dragon));
            clauses[0] = pairs.and_then(|pairs| of(&pairs.finished_without_main));
            clauses[1] = dragon.and_then(|dragon| of(&dragon.finished_without_main));
        } else if wagers.is_empty() && table.optional_coups > 0 {
            clauses[0] = of(&self.book.no_bet.optional_coups);
        }
        clauses[2] = of(&self.book.deal.two_hands);
        let last = table.is_last_coup();
        self.push(Fact::CoupBegan { number, no_bet, last }, &clauses);
        Ok(Coup::new(number, no_bet))
    }

    fn deal(&mut self, cards: [Option<Card>; 4]) -> Result<(), Refusal> {
        if self.table.phase == Phase::Dealing {
            return self.wrong_moment("a deal", "after the coup it would do");
        }
        self.check_ready()?;
        let named = if self.table.waiting.is_some() { &cards[1..] } else { &cards[..] };
        if !self.table.face_down && named.contains(&None) {
            return self.other_style("a card face down among the first four");
        }
        let mut left = self.table.shoe.left;
        for (i, card) in cards.iter().enumerate() {
            self.check_next(*card, i == 0, &mut left)?;
        }
        let mut coup = self.begin()?;
        for (i, card) in cards.into_iter().enumerate() {
            let card = if i == 0 { self.table.waiting.and_then(|w| w.card).or(card) } else { card };
            let shown = !self.table.face_down && card.is_some();
            self.put(&mut coup, Side::BOTH[i % 2], card, shown);
        }
        self.pass_by_rule(&mut coup);
        self.advance(&mut coup);
        Ok(())
    }

    /// Refuses a card in another style than the table's.
    fn other_style<T>(&self, what: &str) -> Result<T, Refusal> {
        let deal = &self.book.deal;
        let clause = of(&deal.all_up).or(Some(deal.face.clause));
        no(Code::WrongMoment, clause, what, "all four are dealt face up, and named")
    }

    /// A card must be possible, and the one that waits comes first.
    pub(super) fn check_next(
        &self,
        card: Option<Card>,
        first: bool,
        left: &mut Composition,
    ) -> Result<(), Refusal> {
        let waiting = self.table.waiting.filter(|waiting| first || waiting.in_shoe);
        if let (Some(waiting), Some(given), true) = (waiting.and_then(|w| w.card), card, first) {
            if waiting != given {
                let by = self.table.waiting.and_then(|waiting| waiting.by);
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

    /// Puts a card to a hand.
    pub(super) fn put(&mut self, coup: &mut Coup, side: Side, card: Option<Card>, shown: bool) {
        let deal = &self.book.deal;
        let by = match coup.cards.len() {
            0 | 1 => deal.first_cards.clause,
            2 | 3 => deal.second_cards.clause,
            _ => self.book.tableau.third_cards.clause,
        };
        let counts = card.filter(|_| shown).map(|card| self.book.cards.points(card.rank()).clause);
        let counts = counts.or(Some(self.face_clause(side)));
        let third = coup.cards.len() >= 4;
        let style = self.third_card_style(shown).filter(|_| third);
        let follows = self.book.pairs.as_ref().map(|pairs| pairs.then_third_cards.clause);
        let follows = follows.filter(|_| third && coup.pairs_settled);
        let tableau = self.due(coup).filter(|_| third).map(|(_, clause)| clause);
        let clauses = [Some(by), tableau, counts, follows.or(style)];
        self.push(Fact::Dealt { side, card, shown }, &clauses);
        coup.cards.push(CoupCard { side, card, shown });
    }

    /// The clause on how a third card lies.
    fn third_card_style(&self, shown: bool) -> Option<Clause> {
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

    /// Whose card is due next, and by which clause; nothing if none is or a card must be turned.
    pub(super) fn due(&self, coup: &Coup) -> Option<(Side, Clause)> {
        let deal = &self.book.deal;
        match coup.cards.len() {
            0 => return Some((Side::Player, deal.first_cards.clause)),
            1 => return Some((Side::Banker, deal.first_cards.clause)),
            2 => return Some((Side::Player, deal.second_cards.clause)),
            3 => return Some((Side::Banker, deal.second_cards.clause)),
            _ => {}
        }
        if coup.has_hidden() {
            return None;
        }
        let (player, banker) = self.first_two(coup);
        if self.book.is_natural(player) || self.book.is_natural(banker) {
            return None;
        }
        let acts = self.book.player_acts(player);
        if acts.value == Action::Draw && coup.count(Side::Player) == 2 {
            return Some((Side::Player, acts.clause));
        }
        let third = coup.hand(Side::Player).third();
        let acts = self.book.banker_acts(banker, third);
        let due = acts.value == Action::Draw && coup.count(Side::Banker) == 2;
        due.then_some((Side::Banker, acts.clause))
    }

    /// The totals of the first two cards of each hand.
    fn first_two(&self, coup: &Coup) -> (u8, u8) {
        let total = |side| {
            let hand = coup.hand(side);
            let cards = hand.cards();
            rules::Hand::of(&cards[..cards.len().min(2)]).total(&self.book.cards).value
        };
        (total(Side::Player), total(Side::Banker))
    }

    pub(super) fn draw(
        &mut self,
        card: Option<Card>,
        to: Side,
        face_down: bool,
    ) -> Result<(), Refusal> {
        let table = self.table;
        let first = table.coup.as_ref().is_none_or(|coup| coup.cards.is_empty());
        let mut left = table.shoe.left;
        let waits = table.waiting.is_some_and(|waiting| waiting.in_shoe);
        // The first card of a shoe may come with the call itself.
        let begins = table.phase != Phase::Betting || table.shoe.coups == 0;
        let next = (first && begins) || waits;
        self.check_next(card, next, &mut left)?;
        // A card that everybody saw is that card, named or not.
        let card = table.waiting.filter(|_| next).and_then(|waiting| waiting.card).or(card);
        match table.phase {
            Phase::Dealing => {}
            // Until the next call a card belongs to the coup before.
            Phase::Betting if table.shoe.coups > 0 => {
                return self.draw_after(card, to, face_down);
            }
            Phase::Betting | Phase::Called => {
                let mut coup = self.begin()?;
                return self.draw_to(&mut coup, card, to, face_down);
            }
            Phase::Preparing if table.shuffle_due && table.coups > 0 => {
                return self.draw_after(card, to, face_down);
            }
            _ => return self.wrong_moment("a card", "when wagers are closed it would do"),
        }
        let Some(mut coup) = table.coup.clone() else { return Ok(()) };
        if coup.suspended.is_some() {
            let what = "a card while the coup waits";
            let instead = "the supervisor reconstructs, resumes or voids the coup first";
            return no(Code::Suspended, None, what, instead);
        }
        self.draw_to(&mut coup, card, to, face_down)
    }

    /// Whether a card that is dealt now lies face down.
    pub(super) fn lies_down(&self, third: bool, face_down: bool) -> bool {
        match self.book.deal.third_cards.map(|style| style.value) {
            Some(ThirdCards::Up) if third => false,
            Some(ThirdCards::EitherWay) if third => self.table.face_down || face_down,
            Some(ThirdCards::Up | ThirdCards::AsTheFirstFour | ThirdCards::EitherWay) | None => {
                self.table.face_down
            }
        }
    }

    fn draw_to(
        &mut self,
        coup: &mut Coup,
        card: Option<Card>,
        to: Side,
        face_down: bool,
    ) -> Result<(), Refusal> {
        let third = coup.cards.len() >= 4;
        let style = self.book.deal.third_cards.map(|style| style.value);
        let down = self.lies_down(third, face_down);
        let shown = !down && card.is_some();
        match self.due(coup) {
            Some((side, _)) if side == to => {
                if !down && !third && (face_down || card.is_none()) {
                    return self.other_style("a card face down among the first four");
                }
                if !down && (face_down || card.is_none()) {
                    let deal = &self.book.deal;
                    let own = of(&deal.third_cards).filter(|_| style == Some(ThirdCards::Up));
                    let as_first = of(&deal.all_up).or(of(&deal.third_cards));
                    let clause = own.or(as_first).or(Some(deal.face.clause));
                    let what = "a third card face down";
                    return no(Code::WrongMoment, clause, what, "face up, and named, it would do");
                }
                self.put(coup, side, card, shown);
                if coup.cards.len() == 4 {
                    self.pass_by_rule(coup);
                }
                self.advance(coup);
                Ok(())
            }
            Some(_) if third && to == Side::Player => {
                self.not_due(coup, card, shown);
                Ok(())
            }
            Some(_) => {
                self.out_of_sequence(coup, card, to, shown);
                Ok(())
            }
            None => {
                let what = "no card is due";
                let instead = "the cards that lie face down are turned first";
                no(Code::WrongMoment, Some(self.book.tableau.third_cards.clause), what, instead)
            }
        }
    }

    /// Carries the coup on as far as the cards that lie open allow.
    pub(super) fn advance(&mut self, coup: &mut Coup) {
        if coup.cards.len() < 4 || coup.has_hidden() {
            return;
        }
        let first = !coup.counted;
        coup.counted = true;
        self.count(coup);
        if first {
            self.judge_pairs(coup);
            let (player, banker) = self.first_two(coup);
            if self.book.is_natural(player) || self.book.is_natural(banker) {
                let tableau = &self.book.tableau;
                let clauses = [Some(tableau.natural.clause), Some(tableau.natural_ends.clause)];
                self.push(Fact::Natural, &clauses);
                return self.finish(coup);
            }
            let acts = self.book.player_acts(player);
            if acts.value == Action::Stand {
                self.push(Fact::Stands(Side::Player), &[Some(acts.clause)]);
            }
        }
        if self.due(coup).is_some() {
            return;
        }
        if coup.count(Side::Banker) == 2 {
            let (_, banker) = self.first_two(coup);
            let acts = self.book.banker_acts(banker, coup.hand(Side::Player).third());
            self.push(Fact::Stands(Side::Banker), &[Some(acts.clause)]);
        }
        self.finish(coup);
    }

    /// Says what the hands come to.
    fn count(&mut self, coup: &Coup) {
        let total = |side| coup.hand(side).total(&self.book.cards);
        let (player, banker) = (total(Side::Player), total(Side::Banker));
        let calls = &self.book.calls;
        let turned = of(&calls.points_turned).filter(|_| self.table.face_down);
        let announced = turned.or(of(&calls.points)).filter(|_| coup.cards.len() == 4);
        let clauses = [Some(player.clause), Some(banker.clause), announced];
        self.push(Fact::Totals { player: player.value, banker: banker.value }, &clauses);
        if player.value == 0 || banker.value == 0 {
            self.call(self.book.calls.zero.as_ref());
        }
    }

    /// Pairs are settled before third cards.
    fn judge_pairs(&mut self, coup: &mut Coup) {
        let table = self.table;
        let Some(pairs) = self.book.pairs.as_ref().filter(|_| table.options.pairs.is_some()) else {
            return;
        };
        coup.pairs_settled = true;
        let score = self.score(coup);
        let paired = |side: Side| score.hand(side).pair.is_some();
        let any = Side::BOTH.into_iter().any(paired);
        // Where there is a pair, its own cards say which values were compared.
        let pair_of = |numbers: bool| {
            let first = |side: Side| coup.hand(side).cards().first().copied();
            let such = |card: Card| is_number(card) == numbers;
            let mut judged = Side::BOTH.into_iter().filter(|side| paired(*side) || !any);
            judged.any(|side| first(side).is_some_and(such))
        };
        let (numbers, pictures) = (pair_of(true), pair_of(false));
        let (kind, best) = match (table.options.pairs, &self.book.perfect_pairs) {
            (Some(rules::PairsKind::Perfect), Some(perfect)) => {
                (Some(perfect.pair.clause), of(&perfect.best_only))
            }
            _ => (self.book.canberra_pairs.as_ref().map(|canberra| canberra.pair.clause), None),
        };
        let (player, banker) = (paired(Side::Player), paired(Side::Banker));
        let values = [
            Some(pairs.first_two.clause),
            Some(pairs.numbers_pair.clause).filter(|_| numbers),
            Some(pairs.pictures_pair.clause).filter(|_| pictures),
            kind.filter(|_| player || banker),
        ];
        self.push(Fact::PairsJudged { player, banker }, &values);
        if (player || banker)
            && let Some(best) = best
        {
            self.push(Fact::Kept(Keeping::BestPair), &[Some(best)]);
        }
        for wager in &self.wagers().to_vec() {
            if wager.spot.group() == Group::Pairs {
                self.settle(wager, score);
            }
        }
    }

    pub(super) fn score(&self, coup: &Coup) -> Score {
        let score = |side| -> HandScore { self.book.score(&coup.hand(side)) };
        Score { player: score(Side::Player), banker: score(Side::Banker) }
    }
}

/// Whether a card bears a number, rather than a letter.
fn is_number(card: Card) -> bool {
    use rules::Rank::{Ace, Jack, King, Queen};
    !matches!(card.rank(), Ace | Jack | Queen | King)
}
