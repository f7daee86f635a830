//! The coup: dealt, turned, drawn by the tableau, announced and settled.

use alloc::format;

use rules::book::{Finish, Handling, OverMaximum, Squeezer, ThirdCards, Turning};
use rules::value::Phrase;
use rules::{
    Action, Card, Cents, Cited, Clause, Composition, Group, HandScore, Outcome, Score, Side, Spot,
    Verdict,
};

use super::Draft;
use crate::command::{Name, Work};
use crate::event::{Account, Entry, Fact, NoBetWhy, PlayerId, Postings, ReturnWhy};
use crate::refusal::{Code, Refusal, no};
use crate::state::{Coup, CoupCard, Phase, Wager, of};

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
    pub(super) fn call(&mut self, phrase: &Option<Cited<Phrase>>) {
        if let Some(phrase) = phrase {
            let said = Fact::Called(phrase.value.as_str().into());
            self.push(said, &[Some(phrase.clause)]);
        }
    }

    /// Begins a coup, with the call if it was not made.
    pub(super) fn begin(&mut self) -> Result<Coup, Refusal> {
        let table = self.table;
        match table.phase {
            Phase::Betting => self.no_more_bets()?,
            // What came after the call must keep to the cap too.
            Phase::Called => self.keep_to_cap(None),
            Phase::Preparing => {
                let clause = Some(self.book.table.shoe.clause);
                let instead = "check, shuffle, cut and mark the cards first";
                return no(Code::NotPrepared, clause, "the shoe is not ready", instead);
            }
            _ => return self.wrong_moment("a deal", "when wagers are closed it would do"),
        }
        if let (true, Some(rule)) = (table.shoe.replaced, self.book.cards.replacement_checked) {
            let instead = format!("checked by: {}", rule.value);
            return no(Code::NotPrepared, Some(rule.clause), "new cards are not checked", instead);
        }
        let number = table.coups + 1;
        let no_bet = table.no_bet;
        let main = |wager: &&Wager| matches!(wager.spot.group(), Group::Main | Group::Tie);
        let wagers = self.wagers();
        let side = |group: Group| wagers.iter().any(|wager| wager.spot.group() == group);
        let mut clauses = [None; 4];
        if no_bet.is_some() {
            clauses[0] = of(&self.book.no_bet.played_out);
        } else if !wagers.is_empty() && !wagers.iter().any(|wager| main(&wager)) {
            let pairs = self.book.pairs.as_ref().filter(|_| side(Group::Pairs));
            let dragon = self.book.dragon.as_ref().filter(|_| side(Group::Dragon));
            clauses[0] = pairs.and_then(|pairs| of(&pairs.finished_without_main));
            clauses[1] = dragon.and_then(|dragon| of(&dragon.finished_without_main));
        } else if wagers.is_empty() && table.optional_coups > 0 {
            clauses[0] = of(&self.book.no_bet.optional_coups);
        }
        clauses[2] = of(&self.book.deal.two_hands);
        let last = table.is_last_coup();
        self.push(Fact::CoupBegan { number, no_bet, last }, &clauses);
        Ok(Coup {
            number,
            no_bet,
            cards: arrayvec::ArrayVec::new(),
            passed: [None; 2],
            refused: alloc::vec::Vec::new(),
            pairs_settled: false,
            counted: false,
            irregular: false,
            suspended: None,
        })
    }

    fn deal(&mut self, cards: [Option<Card>; 4]) -> Result<(), Refusal> {
        if self.table.phase == Phase::Dealing {
            return self.wrong_moment("a deal", "after the coup it would do");
        }
        if !self.table.face_down && cards.contains(&None) && self.table.waiting.is_none() {
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
            let clause = Some(self.book.cards.decks.clause);
            let decks = self.table.options.decks.unwrap_or(8);
            let what = format!("all {decks} of {card} are out");
            return no(Code::ImpossibleCard, clause, what, "look at the card again");
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
        let counts = counts.or(Some(deal.face.clause));
        let third = coup.cards.len() >= 4;
        let style = of(&deal.third_cards).filter(|_| third);
        let follows = self.book.pairs.as_ref().map(|pairs| pairs.then_third_cards.clause);
        let follows = follows.filter(|_| third && coup.pairs_settled);
        let tableau = self.due(coup).filter(|_| third).map(|(_, clause)| clause);
        let clauses = [Some(by), tableau, counts, follows.or(style)];
        self.push(Fact::Dealt { side, card, shown }, &clauses);
        coup.cards.push(CoupCard { side, card, shown });
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
        self.check_next(card, (first && table.phase != Phase::Betting) || waits, &mut left)?;
        match table.phase {
            Phase::Dealing => {}
            // Until the next call a card belongs to the coup before.
            Phase::Betting if table.coups > 0 => return self.draw_after(card, to, face_down),
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

    fn draw_to(
        &mut self,
        coup: &mut Coup,
        card: Option<Card>,
        to: Side,
        face_down: bool,
    ) -> Result<(), Refusal> {
        let third = coup.cards.len() >= 4;
        let style = self.book.deal.third_cards.map(|style| style.value);
        let down = match style {
            Some(ThirdCards::Up) if third => false,
            Some(ThirdCards::EitherWay) => self.table.face_down || face_down,
            Some(ThirdCards::Up | ThirdCards::AsTheFirstFour) | None => self.table.face_down,
        };
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
            Some(_) => self.out_of_sequence(coup, card, to, shown),
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
        if !coup.counted {
            coup.counted = true;
            self.count(coup);
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
        } else {
            self.count(coup);
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
        let announced = of(&self.book.calls.points).filter(|_| coup.cards.len() == 4);
        let clauses = [Some(player.clause), Some(banker.clause), announced];
        self.push(Fact::Totals { player: player.value, banker: banker.value }, &clauses);
        if player.value == 0 || banker.value == 0 {
            self.call(&self.book.calls.zero.clone());
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
        let number = |side| coup.hand(side).cards().first().is_some_and(|c| is_number(*c));
        let numbers = number(Side::Player) || number(Side::Banker);
        let pictures = !number(Side::Player) || !number(Side::Banker);
        let (kind, best) = match (table.options.pairs, &self.book.perfect_pairs) {
            (Some(rules::PairsKind::Perfect), Some(perfect)) => {
                (Some(perfect.pair.clause), of(&perfect.best_only))
            }
            _ => (self.book.canberra_pairs.as_ref().map(|canberra| canberra.pair.clause), None),
        };
        let (player, banker) = (score.player.pair.is_some(), score.banker.pair.is_some());
        let values = [
            Some(pairs.first_two.clause),
            Some(pairs.numbers_pair.clause).filter(|_| numbers),
            Some(pairs.pictures_pair.clause).filter(|_| pictures),
            kind.filter(|_| player || banker),
        ];
        self.push(Fact::PairsJudged { player, banker }, &values);
        if player || banker {
            if let Some(best) = best {
                self.push(Fact::PairsJudged { player, banker }, &[Some(best)]);
            }
        }
        for wager in &self.wagers().to_vec() {
            if wager.spot.group() == Group::Pairs {
                self.settle(wager, score);
            }
        }
    }

    fn score(&self, coup: &Coup) -> Score {
        let score = |side| -> HandScore { self.book.score(&coup.hand(side)) };
        Score { player: score(Side::Player), banker: score(Side::Banker) }
    }

    /// The coup is over: announced, settled, its cards in the rack.
    fn finish(&mut self, coup: &mut Coup) {
        let score = self.score(coup);
        let outcome = score.outcome();
        let decided = match outcome {
            Outcome::Won(Side::Player) => self.book.player.wins.clause,
            Outcome::Won(Side::Banker) => self.book.banker.wins.clause,
            Outcome::Tie => self.book.tie.wins.clause,
        };
        let calls = &self.book.calls;
        let merit = of(&self.book.tableau.merit);
        self.push(Fact::Result(outcome), &[Some(decided), of(&calls.result), merit]);
        if outcome == Outcome::Tie {
            self.call(&calls.tie.clone());
        }
        let natural = score.player.natural || score.banker.natural;
        let dragon = self.wagers().iter().any(|wager| wager.spot.group() == Group::Dragon);
        if dragon && score.player.natural && score.banker.natural && outcome == Outcome::Tie {
            self.call(&calls.standoff.clone());
        }
        for wager in &self.wagers().to_vec() {
            self.settle(wager, score);
        }
        let pairs = (score.player.pair.is_some(), score.banker.pair.is_some());
        let ended = Fact::CoupEnded { number: coup.number, outcome: Some(outcome), pairs, natural };
        let settled = of(&self.book.settlement.after_result);
        let altered = of(&self.book.wagers.altered_after_tie).filter(|_| outcome == Outcome::Tie);
        let losers = of(&self.book.wagers.losers_untouched);
        self.push(ended, &[settled, altered, losers]);
        self.leftover(coup);
        self.after_coup(Some(outcome));
    }

    /// Settles one wager, within the limits.
    fn settle(&mut self, wager: &Wager, score: Score) {
        let Wager { player, spot, stake, unnoticed, .. } = *wager;
        let rules = &self.book.limits;
        let limits = self.table.limits_of(player, spot.group());
        let least = limits.map_or(Cents::ZERO, |limits| limits.least);
        if unnoticed && stake < least {
            let clauses = [of(&rules.under_minimum_again), of(&rules.under_minimum)];
            if self.who(player).advised_minimum {
                return self.give_back(player, spot, stake, ReturnWhy::UnderMinimum, &clauses);
            }
            let advice = crate::event::Advice::UnderMinimum;
            self.push(Fact::Advised(player, advice), &[clauses[1], clauses[0]]);
        }
        let capped = rules.over_maximum.is_some_and(|rule| rule.value == OverMaximum::ToTheMaximum);
        let most = limits.filter(|_| capped).map_or(Cents::MAX, |limits| limits.most);
        let at_risk = stake.min(most);
        if at_risk < stake {
            let over = stake.checked_sub(at_risk).unwrap_or(Cents::ZERO);
            let clause = of(&rules.over_maximum);
            self.give_back(player, spot, over, ReturnWhy::OverMaximum, &[clause]);
        }
        match self.book.settle(self.table.terms(), spot, at_risk, score) {
            Ok(settled) => {
                let early = self.book.pairs.as_ref().filter(|_| spot.group() == Group::Pairs);
                let early = early.map(|pairs| match settled.verdict {
                    Verdict::Lost => pairs.collected_early.clause,
                    Verdict::Won(_) | Verdict::Kept => pairs.paid_early.clause,
                });
                let clause = |i: usize| settled.clauses.get(i).copied();
                let clauses = [clause(0), clause(1), clause(2), early.or(clause(3))];
                let postings = settlement(player, at_risk, settled.verdict);
                let fact = Fact::Settled { player, spot, stake: at_risk, verdict: settled.verdict };
                self.pay(fact, &clauses, postings);
                self.lower(player, spot, at_risk);
            }
            // A stake that cannot be paid in whole cents is never accepted; should a limit have made
            // one of it, it goes back.
            Err(_) => self.give_back(player, spot, at_risk, ReturnWhy::Unpayable, &[]),
        }
    }

    /// A card that lay face up in the shoe and was not used is in excess.
    fn leftover(&mut self, coup: &Coup) {
        let in_shoe = self.table.waiting.filter(|waiting| waiting.in_shoe).and_then(|w| w.card);
        let Some(card) = in_shoe else { return };
        let used = self.events.iter().any(
            |event| matches!(event.fact, Fact::Dealt { card: Some(dealt), .. } if dealt == card),
        );
        if !used && !coup.cards.is_empty() {
            let clause = self.book.irregularities.face_up_first.clause;
            self.seen_card_waits(Some(card), Some(clause));
        }
    }

    /// What follows a coup: the end of the shoe, changes that were announced, open wagers.
    pub(super) fn after_coup(&mut self, outcome: Option<Outcome>) {
        let table = self.table;
        self.take_effect(true);
        let end = &self.book.end_of_shoe;
        let during = table.shoe.cutting_card == Some(false);
        let shuffle = if during { end.shuffle_after_during } else { end.shuffle_after_first };
        let rule = if during { end.cutting_card_during } else { end.cutting_card_first };
        let left = table.shoe.coups_left.map(|left| left.saturating_sub(1));
        let dealt = self.events.iter().any(|event| matches!(event.fact, Fact::Dealt { .. }));
        let behind = table.shoe.behind_out || dealt;
        let out = table.shoe.cutting_card.is_some();
        let mut over = left == Some(0);
        if out && rule.value == Finish::OneBehind {
            over = behind;
            if !behind {
                self.push(Fact::CoupsLeft(1), &[Some(rule.clause)]);
                self.call(&self.book.calls.last_coup_during.clone());
            }
        } else if left == Some(1) {
            self.call(&self.book.calls.last_coup_during.clone());
        }
        if let (true, Some(more), Some(Outcome::Tie), false) =
            (over, end.one_more_on_tie, outcome, table.shoe.tie_round)
        {
            self.push(Fact::OneMoreRound, &[Some(more.clause)]);
            over = false;
        }
        if over {
            self.push(Fact::ShuffleDue, &[Some(shuffle.clause)]);
            return;
        }
        self.advise_abstaining();
        self.bets_opened();
    }

    /// Staff are told of a seat that may be asked for.
    fn advise_abstaining(&mut self) {
        let Some(rule) = self.book.boxes.abstention else { return };
        let table = self.table;
        if !table.is_full() {
            return;
        }
        let begun = self.events.iter().any(|event| matches!(event.fact, Fact::CoupBegan { .. }));
        for (id, player) in table.here() {
            let wagered = table.wagers.iter().any(|wager| wager.player == id);
            // This decision may have begun the coup, and the table does not know yet.
            let idle = match (begun, wagered) {
                (true, true) => 0,
                (true, false) => player.idle_rounds + u32::from(table.no_bet.is_none()),
                (false, _) => player.idle_rounds,
            };
            if !player.standing && idle == rule.value.get() {
                let advice = crate::event::Advice::Abstaining;
                self.push(Fact::Advised(id, advice), &[Some(rule.clause)]);
            }
        }
    }

    /// Where the book says who turns the cards, they are passed at once.
    pub(super) fn pass_by_rule(&mut self, coup: &mut Coup) {
        if self.book.deal.turned_by.value != Turning::HighestWager || !coup.has_hidden() {
            return;
        }
        for side in Side::BOTH {
            self.pass_next(coup, side);
        }
    }

    /// Passes a hand to the highest seated wager on it that has not refused.
    fn pass_next(&mut self, coup: &mut Coup, side: Side) {
        let hidden = coup.cards.iter().any(|card| card.side == side && !card.shown);
        let other = match side {
            Side::Player => Side::Banker,
            Side::Banker => Side::Player,
        };
        let Some(next) = self.highest(coup, side).filter(|_| hidden) else { return };
        // One hand at a time: Banker's waits until Player's is turned.
        let busy = coup.passed[other as usize] == Some(next)
            && coup.cards.iter().any(|card| card.side == other && !card.shown);
        if busy && self.book.deal.one_hand_at_a_time.is_some() {
            return;
        }
        let deal = &self.book.deal;
        let to = match side {
            Side::Player => deal.player_cards_to,
            Side::Banker => deal.banker_cards_to,
        };
        let ties = self.equal_highest(coup, side);
        let lowest = of(&deal.lowest_seat_first).filter(|_| ties);
        let one = coup.passed[other as usize] == Some(next);
        let one = of(&deal.one_hand_at_a_time).filter(|_| one);
        let after_refusal = coup.refused.iter().any(|(refused, _)| *refused == side);
        let refused = of(&deal.refused).filter(|_| after_refusal);
        self.push(Fact::Passed(side, next), &[of(&to), lowest.or(refused), one, of(&deal.discs)]);
        coup.passed[side as usize] = Some(next);
    }

    fn stakes_on(&self, coup: &Coup, side: Side) -> impl Iterator<Item = (Cents, u32, PlayerId)> {
        let spot = if side == Side::Player { Spot::Player } else { Spot::Banker };
        let refused = coup.refused.clone();
        self.wagers().iter().filter(move |wager| wager.spot == spot).filter_map(move |wager| {
            let player = self.table.player(wager.player);
            let out = player.standing || refused.contains(&(side, wager.player));
            (!out).then_some((wager.stake, player.seat, wager.player))
        })
    }

    fn highest(&self, coup: &Coup, side: Side) -> Option<PlayerId> {
        let best =
            self.stakes_on(coup, side).max_by_key(|(stake, seat, _)| (*stake, u32::MAX - seat));
        best.map(|(_, _, player)| player)
    }

    fn equal_highest(&self, coup: &Coup, side: Side) -> bool {
        let most = self.stakes_on(coup, side).map(|(stake, ..)| stake).max();
        self.stakes_on(coup, side).filter(|(stake, ..)| Some(*stake) == most).count() > 1
    }

    fn coup_with_hidden(&self, side: Side) -> Result<Coup, Refusal> {
        let coup = self.table.coup.clone();
        match coup {
            Some(coup) if coup.suspended.is_some() => {
                let what = "turning cards while the coup waits";
                no(Code::Suspended, None, what, "the supervisor resumes it first")
            }
            Some(coup) if coup.cards.iter().any(|card| card.side == side && !card.shown) => {
                Ok(coup)
            }
            _ => {
                let what = format!("no card of {side} lies face down");
                no(
                    Code::WrongMoment,
                    Some(self.book.deal.face.clause),
                    what,
                    "deal face down first",
                )
            }
        }
    }

    fn pass(&mut self, side: Side, name: Name) -> Result<(), Refusal> {
        let player = self.player(name)?;
        let coup = self.coup_with_hidden(side)?;
        self.check_handling(player, side)?;
        self.check_one_hand(player, side, &coup)?;
        let deal = &self.book.deal;
        let to = match side {
            Side::Player => deal.player_cards_to,
            Side::Banker => deal.banker_cards_to,
        };
        match deal.turned_by.value {
            Turning::AsDetermined => {
                self.push(Fact::Passed(side, player), &[Some(deal.turned_by.clause)]);
            }
            Turning::Dealer => {
                let clause = Some(deal.turned_by.clause);
                let what = format!("{side}'s cards to {name}");
                return no(Code::WrongHands, clause, what, "the dealer turns the cards");
            }
            Turning::DealerOrBettor | Turning::HighestWager => {
                let spot = if side == Side::Player { Spot::Player } else { Spot::Banker };
                let lawful = match to.map(|to| to.value) {
                    Some(Squeezer::HighestSeated) => self.highest(&coup, side) == Some(player),
                    _ => self.table.on_spot(player, spot).is_some(),
                };
                if lawful {
                    self.push(Fact::Passed(side, player), &[of(&to), Some(deal.turned_by.clause)]);
                } else {
                    return self.wrong_person(&coup, side, player, of(&to));
                }
            }
        }
        Ok(())
    }

    pub(super) fn refuse_cards(&mut self, player: PlayerId) -> Result<(), Refusal> {
        let coup = self.table.coup.clone();
        let side = Side::BOTH.into_iter().find(|side| {
            coup.as_ref().is_some_and(|coup| coup.passed[*side as usize] == Some(player))
        });
        let (Some(mut coup), Some(side)) = (coup, side) else {
            let what = format!("{} has no cards to refuse", self.who(player).name);
            return no(Code::WrongHands, None, what, "wait for the cards");
        };
        let clause = of(&self.book.deal.refused).or(Some(self.book.deal.turned_by.clause));
        self.push(Fact::CardsRefused(side, player), &[clause]);
        coup.passed[side as usize] = None;
        coup.refused.push((side, player));
        if self.book.deal.turned_by.value == Turning::HighestWager {
            self.pass_next(&mut coup, side);
        }
        Ok(())
    }

    pub(super) fn turn_by_player(
        &mut self,
        player: PlayerId,
        side: Side,
        cards: Option<[Card; 2]>,
    ) -> Result<(), Refusal> {
        let coup = self.coup_with_hidden(side)?;
        self.check_hands(player, side, &coup)?;
        let cards = cards.map(|[first, second]| [Some(first), Some(second)]).unwrap_or_default();
        self.turn(coup, side, &cards, false)
    }

    pub(super) fn turn_third_by_player(
        &mut self,
        player: PlayerId,
        side: Side,
        card: Option<Card>,
    ) -> Result<(), Refusal> {
        let coup = self.coup_with_hidden(side)?;
        self.check_hands(player, side, &coup)?;
        self.turn(coup, side, &[card], true)
    }

    /// Who may touch cards at all.
    fn check_handling(&self, player: PlayerId, side: Side) -> Result<(), Refusal> {
        let Some(rule) = self.book.table.handling else { return Ok(()) };
        let barred = match rule.value {
            Handling::NobodyElse => true,
            Handling::NotStanding => self.who(player).standing,
        };
        if !barred {
            return Ok(());
        }
        let what = format!("{side}'s cards to {}", self.who(player).name);
        let instead = format!("cards are for {}", rule.value);
        no(Code::WrongHands, Some(rule.clause), what, instead)
    }

    /// Who has one hand to turn does not get the other yet.
    fn check_one_hand(&self, player: PlayerId, side: Side, coup: &Coup) -> Result<(), Refusal> {
        let Some(rule) = self.book.deal.one_hand_at_a_time else { return Ok(()) };
        let other = if side == Side::Player { Side::Banker } else { Side::Player };
        let holds = coup.passed[other as usize] == Some(player)
            && coup.cards.iter().any(|card| card.side == other && !card.shown);
        if !holds {
            return Ok(());
        }
        let what = format!("{} has {other}'s cards to turn first", self.who(player).name);
        no(Code::WrongHands, Some(rule.clause), what, "one hand at a time")
    }

    /// A player turns what was passed to them, and nothing else.
    fn check_hands(&self, player: PlayerId, side: Side, coup: &Coup) -> Result<(), Refusal> {
        self.check_handling(player, side)?;
        let deal = &self.book.deal;
        let clause = match side {
            Side::Player => of(&deal.player_cards_to),
            Side::Banker => of(&deal.banker_cards_to),
        };
        let clause = clause.or(Some(deal.turned_by.clause));
        let free = deal.turned_by.value == Turning::AsDetermined;
        if free || coup.passed[side as usize] == Some(player) {
            return Ok(());
        }
        self.check_one_hand(player, side, coup)?;
        let what = format!("{side}'s cards are not {}'s to turn", self.who(player).name);
        let instead = match coup.passed[side as usize] {
            Some(id) => format!("they are {}'s", self.who(id).name),
            None => "the dealer turns them, or passes them first".into(),
        };
        no(Code::WrongHands, clause, what, instead)
    }

    pub(super) fn turn_by_dealer(
        &mut self,
        side: Side,
        cards: Option<[Card; 2]>,
    ) -> Result<(), Refusal> {
        let coup = self.coup_with_hidden(side)?;
        self.check_order(side, &coup)?;
        let cards = cards.map(|[first, second]| [Some(first), Some(second)]).unwrap_or_default();
        self.turn(coup, side, &cards, false)
    }

    pub(super) fn turn_third_by_dealer(
        &mut self,
        side: Side,
        card: Option<Card>,
    ) -> Result<(), Refusal> {
        let coup = self.coup_with_hidden(side)?;
        self.turn(coup, side, &[card], true)
    }

    /// Where the dealer turns all cards, Player's come first.
    fn check_order(&self, side: Side, coup: &Coup) -> Result<(), Refusal> {
        let rule = self.book.deal.turned_by;
        let player_hidden = coup.cards.iter().any(|c| c.side == Side::Player && !c.shown);
        if rule.value == Turning::Dealer && side == Side::Banker && player_hidden {
            let what = "Banker's cards before Player's";
            return no(Code::WrongHands, Some(rule.clause), what, "Player's are turned first");
        }
        Ok(())
    }

    fn turn(
        &mut self,
        mut coup: Coup,
        side: Side,
        cards: &[Option<Card>],
        third: bool,
    ) -> Result<(), Refusal> {
        let mut left = self.table.shoe.left;
        let hidden: alloc::vec::Vec<usize> = (0..coup.cards.len())
            .filter(|i| coup.cards[*i].side == side && !coup.cards[*i].shown)
            .filter(|i| (*i >= 4) == third)
            .collect();
        if hidden.is_empty() || coup.cards.len() < 4 {
            let what = format!("those cards of {side} do not lie face down");
            return no(Code::WrongMoment, None, what, "turn what lies face down");
        }
        let by = self.book.deal.turned_by.clause;
        let style = of(&self.book.deal.third_cards).filter(|_| third);
        for (slot, index) in hidden.into_iter().enumerate() {
            let named = cards.get(slot).copied().flatten();
            let known = coup.cards[index].card;
            let Some(card) = named.or(known) else {
                let what = "which cards they are was not said";
                return no(Code::ImpossibleCard, None, what, "name the cards that were turned");
            };
            if known.is_some_and(|known| known != card) {
                let what = format!("{card} is not the card that was dealt");
                return no(Code::WrongCard, None, what, "name the card that was dealt");
            }
            if known.is_none() && left.take(card).is_err() {
                return self.check_card(card);
            }
            let counts = self.book.cards.points(card.rank()).clause;
            let index_byte = u8::try_from(index).unwrap_or(0);
            self.push(Fact::Turned { index: index_byte, card }, &[Some(by), Some(counts), style]);
            coup.cards[index].card = Some(card);
            coup.cards[index].shown = true;
        }
        if self.book.deal.turned_by.value == Turning::HighestWager && !third {
            self.pass_by_rule_after_turn(&mut coup, side);
        }
        self.advance(&mut coup);
        Ok(())
    }

    /// Who had both hands to turn gets the second when the first lies open.
    fn pass_by_rule_after_turn(&mut self, coup: &mut Coup, turned: Side) {
        let other = if turned == Side::Player { Side::Banker } else { Side::Player };
        if coup.passed[other as usize].is_none() {
            self.pass_next(coup, other);
        }
    }
}

/// Whether a card bears a number, rather than a letter.
fn is_number(card: Card) -> bool {
    use rules::Rank::{Ace, Jack, King, Queen};
    !matches!(card.rank(), Ace | Jack | Queen | King)
}

/// The chips that a settlement moves.
fn settlement(player: PlayerId, stake: Cents, verdict: Verdict) -> Postings {
    let signed = |cents: Cents| i64::try_from(cents.get()).unwrap_or(i64::MAX);
    let mut postings = Postings::new();
    let mut entry = |account, cents: i64| {
        if cents != 0 {
            postings.push(Entry { account, cents });
        }
    };
    entry(Account::Layout, -signed(stake));
    match verdict {
        Verdict::Lost => entry(Account::Float, signed(stake)),
        Verdict::Kept => entry(Account::Stack(player), signed(stake)),
        Verdict::Won(winnings) => {
            let (net, commission) = (signed(winnings.net), signed(winnings.commission));
            entry(Account::Stack(player), signed(stake) + net);
            entry(Account::Commission, commission);
            entry(Account::Float, -(net + commission));
        }
    }
    postings
}

/// Why a coup that starts with a waiting card is without wagers.
pub(super) const SEEN: NoBetWhy = NoBetWhy::SeenCard;
