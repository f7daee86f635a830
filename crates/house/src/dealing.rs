//! The system as dealer: the next lawful act, with cards from the sealed shoe.

use rules::book::Turning;
use rules::{Card, Side};
use serde::{Deserialize, Serialize};
use shoe::{
    Abandoned, Binds, CutOf, Digest, Opening, PROTOCOL, Promise, Secret, Shoe, ShoeFact,
    ShoeRecord, Way, Which, Words,
};
use store::With;
use table::{
    Act, By, CutBy, Decision, Deed, Due, Event, Facing, Next, PlayerId, Refusal, Role, Table, Work,
};

use crate::house::{House, HouseError, Told};

/// How long somebody takes no part who promised a word and did not open it.
const BARRED: u64 = 24 * 3600 * 1_000_000;

/// The shoe that the system deals from, and what was published of it.
#[derive(Debug, Default)]
pub(crate) struct Dealing {
    /// What is published, and what follows from it.
    pub(crate) known: Known,
    /// The secret of a shoe that is not shuffled yet.
    secret: Option<Secret>,
    shoe: Option<Shoe>,
    /// Promises that came in while the list is open.
    pub(crate) promises: Vec<Promise>,
    /// Words that were opened since the list is closed.
    pub(crate) opened: Vec<(String, Which, Digest)>,
    /// The words of those who take part in this process.
    pub(crate) words: Vec<Words>,
    /// The shoe is not dealt on, for this reason, as soon as the table can do without it.
    doomed: Option<Abandoned>,
}

/// What everybody may know of a shoe: it is kept with the state of the table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Known {
    /// The number of shoes that the house has committed to.
    number: u32,
    /// The record of the log in which it committed to the last one.
    committed_in: u64,
    /// The number of cards behind the cutting card.
    behind: Option<u32>,
    /// The positions in the shoe of the coup's cards.
    lying: Vec<u32>,
    /// The positions in the shoe of cards that wait for later coups.
    waiting: Vec<u32>,
    record: Option<ShoeRecord>,
    /// Who takes no part until when: they promised words and did not open them.
    pub(crate) barred: Vec<(String, u64)>,
}

impl Dealing {
    pub(crate) fn of(known: Known) -> Self {
        Self { known, ..Self::default() }
    }

    /// What is kept with the state of the table.
    pub(crate) fn known(&self) -> Known {
        self.known.clone()
    }

    pub(crate) const fn committed_in(&mut self, version: u64) {
        self.known.committed_in = version;
    }

    /// How the open shoe is made, if by the second procedure.
    pub(crate) fn second(&self) -> Option<&shoe::SecondWay> {
        self.open_record().and_then(ShoeRecord::second)
    }

    /// A shoe that is neither over nor abandoned.
    pub(crate) fn open_record(&self) -> Option<&ShoeRecord> {
        self.known.record.as_ref().filter(|record| record.entropy.is_none())
    }

    /// Sorts the positions of the cards after a whole act: the table knows how many cards wait.
    pub(crate) fn settle(&mut self, table: &Table) {
        self.known.waiting.truncate(table.waiting().len());
        if let Some(coup) = table.coup() {
            self.known.lying.truncate(coup.cards.len());
        }
    }

    /// Follows an event that was recorded; `before` is the table before the event.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few facts move the cards of the shoe")]
    pub(crate) fn note_event(&mut self, event: &Event, before: &Table) {
        match &event.fact {
            table::Fact::CuttingCardPlaced(behind) => self.known.behind = Some(*behind),
            table::Fact::Cut { by, depth } => {
                let open = |record: &&mut ShoeRecord| {
                    record.root.is_some() && record.cut.is_none() && record.entropy.is_none()
                };
                let of = match by {
                    CutBy::Player(_) => CutOf::Player,
                    CutBy::Staff(_) => CutOf::Staff,
                };
                if let Some(record) = self.known.record.as_mut().filter(open) {
                    record.note_cut(*depth, of);
                }
                if let Some(shoe) = &mut self.shoe {
                    let _ = shoe.cut(*depth);
                }
            }
            table::Fact::CoupBegan { .. } => {
                self.known.lying.clear();
                if !self.known.waiting.is_empty() && !before.waiting().is_empty() {
                    self.known.lying.push(self.known.waiting.remove(0));
                }
            }
            table::Fact::ExcessNotUsed(card) => self.drop_waiting(*card, before),
            // Cards that waited go away with the shoe.
            table::Fact::ShuffleDue => self.known.waiting.clear(),
            table::Fact::Rearranged(cards) => {
                let named = |i: usize| cards.iter().any(|(named, _)| usize::from(*named) == i);
                let over =
                    (0..self.known.lying.len()).filter(|i| !named(*i)).map(|i| self.known.lying[i]);
                self.known.waiting.extend(over);
                let kept = cards.iter().filter_map(|(i, _)| self.known.lying.get(usize::from(*i)));
                self.known.lying = kept.copied().collect();
            }
            _ => {}
        }
    }

    /// A card is not used: one that waited, or one in excess.
    fn drop_waiting(&mut self, card: Option<Card>, before: &Table) {
        let waited = before.waiting().iter().position(|waiting| waiting.card == card);
        let place = waited.unwrap_or(before.waiting().len());
        if place < self.known.waiting.len() {
            self.known.waiting.remove(place);
        }
    }

    /// Follows a fact that was published.
    pub(crate) fn note_fact(&mut self, fact: &ShoeFact, at: u64) {
        match (&mut self.known.record, fact) {
            (record, ShoeFact::Committed { protocol, decks, commitment, binds }) => {
                let fresh = match binds {
                    None => ShoeRecord::first(*decks, *commitment),
                    Some(binds) => ShoeRecord::of(*decks, *commitment, (**binds).clone()),
                };
                *record = Some(ShoeRecord { protocol: protocol.clone(), ..fresh });
                self.known.number += 1;
                self.known.behind = None;
                self.known.lying.clear();
                self.known.waiting.clear();
                self.promises.clear();
                self.opened.clear();
            }
            (Some(record), fact) => record.note(fact),
            (None, _) => {}
        }
        if let ShoeFact::Dealt { index, what, .. } = fact {
            if what.starts_with("coup") {
                self.known.lying.push(*index);
            } else if what == EXCESS {
                self.known.waiting.push(*index);
            }
        }
        if matches!(fact, ShoeFact::Ordered { .. } | ShoeFact::CutByChance { .. }) {
            self.bar(at);
        }
        if matches!(fact, ShoeFact::Revealed { .. }) {
            self.shoe = None;
            self.secret = None;
            self.words.clear();
            self.doomed = None;
        }
    }

    /// Who promised a word and did not open it takes no part for a day.
    fn bar(&mut self, at: u64) {
        self.known.barred.retain(|(_, until)| *until > at);
        let Some(way) = self.known.record.as_ref().and_then(ShoeRecord::second) else { return };
        let silent: Vec<_> = way.silent().map(str::to_owned).collect();
        for account in silent {
            self.known.barred.retain(|(barred, _)| *barred != account);
            self.known.barred.push((account, at.saturating_add(BARRED)));
        }
    }
}

const BURN: &str = "burn";
const BURN_UNSEEN: &str = "burn, unseen";
const EXCESS: &str = "in excess";

/// What the system did, or whom it waits for.
#[derive(Debug)]
pub enum Step {
    /// The system did something.
    Did(Vec<Told>),
    /// The system drew the entropy of a shoe and committed to it; now players add their nonces.
    Committed(Digest),
    /// The last shoe is over and its secret published.
    Revealed,
    /// The table waits for somebody.
    Waits(Due),
    /// The system's own act was refused, which should never happen.
    Refused(Refusal),
    /// There is nothing to do: the table is closed, or not open.
    Nothing,
}

impl House {
    /// Does the next thing that the dealer or staff have to do, or says whom the table waits for.
    ///
    /// # Errors
    ///
    /// When the log or the system's source of randomness fails.
    pub async fn step(&mut self) -> Result<Step, HouseError> {
        if let Some(told) = self.give_up_shoe().await? {
            return Ok(Step::Did(told));
        }
        if self.is_gone() && self.table.present().next().is_some() {
            let act = Act::ShoeRunsOut;
            return Ok(match self.act_and_publish(By::usual(&act), act, Vec::new()).await? {
                Ok(told) => Step::Did(told),
                Err(refusal) => Step::Refused(refusal),
            });
        }
        let Some(due) = self.table.due() else { return Ok(Step::Nothing) };
        let over = self.is_over();
        if over && self.dealing.shoe.is_some() {
            self.reveal().await?;
            return Ok(Step::Revealed);
        }
        let mut facts = Vec::new();
        let act = match due.next {
            Next::Replace => Act::ReplaceCards,
            Next::Check(by) => Act::Dealer(Work::Check(by)),
            Next::Shuffle if self.dealing.secret.is_none() => {
                return self.commit().await.map(Step::Committed);
            }
            Next::Cut(Some(CutBy::Staff(_))) => {
                let (depth, fact) = self.cut_by_chance()?;
                facts.extend(fact);
                Act::Supervisor(Decision::Cut(depth))
            }
            Next::PlaceCuttingCard(behind) => {
                let bound = self.dealing.open_record().and_then(ShoeRecord::second);
                let behind = bound.map_or(behind, |way| way.binds.behind);
                Act::Dealer(Work::PlaceCuttingCard(behind))
            }
            Next::Burn => match self.next_card() {
                Some(card) => Act::Dealer(Work::Burn(card)),
                None => Act::ShoeRunsOut,
            },
            Next::Card(side) => self.card_or_marker(side),
            Next::Turn { side, third, by: None } => self.turn_or_pass(side, third),
            Next::Players
            | Next::Shuffle
            | Next::Cut(_)
            | Next::Wagers
            | Next::Turn { .. }
            | Next::Inspector
            | Next::Decide(_) => return Ok(Step::Waits(due)),
        };
        Ok(match self.act_and_publish(By::usual(&act), act, facts).await? {
            Ok(told) => Step::Did(told),
            Err(refusal) => Step::Refused(refusal),
        })
    }

    /// Cuts where nobody else does: chance chooses how deep.
    ///
    /// # Errors
    ///
    /// When the log or the system's source of randomness fails; a refusal is no error.
    pub async fn cut_as_staff(&mut self) -> Result<Result<Vec<Told>, Refusal>, HouseError> {
        let (depth, fact) = self.cut_by_chance()?;
        let act = Act::Supervisor(Decision::Cut(depth));
        self.act_and_publish(By::usual(&act), act, fact.into_iter().collect()).await
    }

    /// Draws the entropy of a shoe, keeps it under lock and key, and publishes a commitment to it
    /// and to all that could be chosen later.
    async fn commit(&mut self) -> Result<Digest, HouseError> {
        let secret = self.draw_secret()?;
        let decks = self.table.options().decks;
        let binds = Binds {
            key: self.store.public_key().ok_or(HouseError::Broken)?,
            table: self.stream.clone(),
            number: self.dealing.known.number + 1,
            book: self.sha256,
            behind: self.book.rulebook.cut.behind.value.least(),
            least: self.book.rulebook.cut.depth.value.get(),
        };
        let commitment = secret.commitment(&binds, decks);
        let sealed = With::Secret {
            name: self.sealed_name(commitment),
            secret: secret.bytes().to_vec().into(),
        };
        let (protocol, binds) = (PROTOCOL.into(), Some(Box::new(binds)));
        let committed = ShoeFact::Committed { protocol, decks, commitment, binds };
        let version = self.version + 1;
        self.publish(vec![committed], vec![sealed]).await?;
        self.dealing.committed_in(version);
        self.dealing.secret = Some(secret);
        Ok(commitment)
    }

    /// Shuffles: makes the order of the shoe from the house's entropy and the words that people
    /// opened, and publishes its root. Where the cards are real, the dealer shuffles.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn shuffle(&mut self) -> Result<Result<Vec<Told>, Refusal>, HouseError> {
        let Some(secret) = self.dealing.secret.clone() else {
            return self.act(Act::Dealer(Work::Shuffle)).await;
        };
        self.close_list().await?;
        let Some(record) = self.dealing.known.record.clone() else {
            return Err(HouseError::NoSecret(self.dealing.known.number));
        };
        let shoe = match record.second() {
            Some(way) => {
                let firsts = self.words_of(&way.promises, Which::First);
                Shoe::new(secret, record.decks, &record.commitment, &way.promises, firsts)?
            }
            // The program that committed to it knew the first procedure only.
            None => Shoe::first(secret, record.decks, Vec::new())?,
        };
        let mixed = vec![shoe.mixed()];
        let by = By::role(Role::Dealer);
        let ruled = self.act_and_publish(by, Act::Dealer(Work::Shuffle), mixed).await;
        if self.published().is_some_and(|record| record.root == Some(shoe.root())) {
            self.dealing.shoe = Some(shoe);
            self.dealing.secret = None;
        }
        ruled
    }

    /// Publishes the secret of the shoe: it is over, or abandoned. The state is kept with it, under
    /// a signed head.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub(crate) async fn reveal(&mut self) -> Result<(), HouseError> {
        self.reveal_because(None).await
    }

    async fn reveal_because(&mut self, why: Option<Abandoned>) -> Result<(), HouseError> {
        let entropy = match (&self.dealing.shoe, &self.dealing.secret) {
            (Some(shoe), _) => shoe.secret().bytes(),
            (None, Some(secret)) => secret.bytes(),
            (None, None) => return Ok(()),
        };
        let entropy = shoe::Bytes(entropy.to_vec());
        let Some(commitment) = self.dealing.known.record.as_ref().map(|r| r.commitment) else {
            return Ok(());
        };
        let mut facts: Vec<_> = why.map(ShoeFact::Abandoned).into_iter().collect();
        facts.push(ShoeFact::Revealed { entropy });
        let forgotten = vec![
            With::Forgotten(self.sealed_name(commitment)),
            With::Forgotten(self.words_name(commitment)),
        ];
        self.publish(facts, forgotten).await?;
        self.keep().await?;
        Ok(())
    }

    /// Abandons the shoe when everybody has left, and publishes its secret. Does nothing while
    /// somebody is there who might still bet on its cards.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn abandon(&mut self) -> Result<(), HouseError> {
        if self.table.present().next().is_some() {
            return Ok(());
        }
        if self.dealing.shoe.is_none() && self.dealing.secret.is_none() {
            return Ok(());
        }
        self.dealing.doomed = Some(Abandoned::Left);
        if self.give_up_shoe().await?.is_none() {
            self.reveal_because(Some(Abandoned::Left)).await?;
        }
        Ok(())
    }

    /// Whether the table counts on a shoe whose secret is out: it was abandoned, and its cards are
    /// known to all.
    fn is_gone(&self) -> bool {
        let none = self.dealing.shoe.is_none() && self.dealing.secret.is_none();
        let out = self.dealing.known.record.as_ref().is_some_and(|r| r.entropy.is_some());
        let counts_on_it = matches!(
            self.table.phase(),
            table::Phase::Betting | table::Phase::Called | table::Phase::Dealing
        );
        none && out && counts_on_it
    }

    /// What was published of the current shoe.
    #[must_use]
    pub fn published(&self) -> Option<&ShoeRecord> {
        self.dealing.known.record.as_ref()
    }

    /// The number of cards left in the system's shoe.
    #[must_use]
    pub fn cards_left(&self) -> Option<u32> {
        self.dealing.shoe.as_ref().map(Shoe::left)
    }

    /// The number of the shoe, from 1; 0 before the first.
    #[must_use]
    pub const fn shoe_number(&self) -> u32 {
        self.dealing.known.number
    }

    /// Shows cards that lie face down to the player who was given them, and to nobody else. The
    /// player turns them for all to see by an act. Returns nothing if that player may not look at
    /// the cards.
    #[must_use]
    pub fn peek(&self, player: PlayerId, side: Side) -> Option<Vec<Card>> {
        let (coup, shoe) = (self.table.coup()?, self.dealing.shoe.as_ref()?);
        // An exclusion takes the cards away; a player who went has them no more either.
        let there = self.table.present().any(|(id, _)| id == player);
        if coup.passed[side as usize] != Some(player) || coup.suspended.is_some() || !there {
            return None;
        }
        let hidden = coup.cards.iter().zip(&self.dealing.known.lying);
        let hidden = hidden.filter(|(card, _)| card.side == side && !card.shown);
        hidden.map(|(_, index)| shoe.open(*index).map(|opening| opening.card)).collect()
    }

    /// The name under which a secret is kept. It contains the commitment, so that no other secret
    /// can replace it.
    fn sealed_name(&self, commitment: Digest) -> String {
        format!("{} shoe {commitment}", self.stream)
    }

    /// The name under which the words of those who take part in this process are kept.
    pub(crate) fn words_name(&self, commitment: Digest) -> String {
        format!("{} words {commitment}", self.stream)
    }

    /// After a start in the middle of a shoe: opens its secret and continues to deal from the same
    /// position. A shoe that is over is revealed; one of a log that was restored is abandoned.
    pub(crate) async fn open_sealed(&mut self, restored: Option<u64>) -> Result<(), HouseError> {
        let Some(record) = self.dealing.open_record().cloned() else { return Ok(()) };
        let (commitment, number) = (record.commitment, self.dealing.known.number);
        let bytes = self.store.unseal(&self.sealed_name(commitment)).await?;
        let secret = bytes.and_then(|bytes| Secret::from_bytes(&bytes));
        let secret = secret.filter(|secret| {
            let committed = match &record.way {
                Way::First { .. } => secret.first_commitment(),
                Way::Second(way) => secret.commitment(&way.binds, record.decks),
            };
            committed == commitment
        });
        let secret = secret.ok_or(HouseError::NoSecret(number))?;
        let unlisted = record.second().is_some_and(|way| way.signature.is_none());
        let bound = record.second().map(|way| way.binds.key);
        if unlisted && bound != self.store.public_key() {
            // The list must be signed by the key that the commitment binds.
            self.dealing.doomed = Some(Abandoned::KeyChanged);
        }
        if restored.is_some_and(|version| self.dealing.known.committed_in <= version) {
            self.dealing.doomed = Some(Abandoned::Restored);
        }
        self.restore_words(commitment).await?;
        if record.root.is_none() {
            self.dealing.secret = Some(secret);
        } else {
            self.dealing.shoe = Some(self.shoe_again(&record, secret)?);
        }
        let used = record.root.is_some();
        if self.table.phase() == table::Phase::Closed || used && self.is_over() {
            // The program stopped before the secret was published.
            self.reveal().await?;
        }
        self.give_up_shoe().await?;
        Ok(())
    }

    /// The shoe as it was when the program stopped.
    fn shoe_again(&self, record: &ShoeRecord, secret: Secret) -> Result<Shoe, HouseError> {
        let (decks, commitment) = (record.decks, record.commitment);
        let mut shoe = match &record.way {
            Way::First { nonces } => {
                let nonces = nonces.iter().map(|nonce| nonce.0.clone()).collect();
                Shoe::first(secret, decks, nonces)?
            }
            Way::Second(way) => {
                let firsts = way.firsts.clone().unwrap_or_default();
                Shoe::new(secret, decks, &commitment, &way.promises, firsts)?
            }
        };
        if record.root != Some(shoe.root()) {
            return Err(HouseError::NoSecret(self.dealing.known.number));
        }
        if let Some(depth) = record.cut {
            shoe.cut(depth)?;
        }
        for _ in 0..record.dealt.len() {
            shoe.take();
        }
        Ok(shoe)
    }

    /// Abandons a shoe that must not be dealt on, as soon as no card of it is needed: a coup that
    /// is being dealt is void. Gives what happened, if anything did.
    async fn give_up_shoe(&mut self) -> Result<Option<Vec<Told>>, HouseError> {
        let Some(why) = self.dealing.doomed else { return Ok(None) };
        let told = match self.table.phase() {
            table::Phase::Betting | table::Phase::Called | table::Phase::Dealing => {
                let act = Act::ShoeRunsOut;
                let facts = vec![ShoeFact::Abandoned(why)];
                match self.act_and_publish(By::usual(&act), act, facts).await? {
                    Ok(told) => told,
                    Err(_) => return Ok(None),
                }
            }
            // Nothing was dealt from it: it is not even begun.
            table::Phase::Preparing if self.dealing.shoe.is_none() => Vec::new(),
            // It is made ready, and given up before the first coup.
            table::Phase::Preparing | table::Phase::Unopened | table::Phase::Closed => {
                return Ok(None);
            }
        };
        let again = told.is_empty().then_some(why);
        self.reveal_because(again).await?;
        Ok(Some(told))
    }

    /// Whether the shoe is over and the next one is to be prepared.
    fn is_over(&self) -> bool {
        self.table.phase() == table::Phase::Preparing && !self.table.shoe().shuffled
    }

    /// Refuses an act that cannot be done while the cards come from the system's shoe.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all else is for the book to judge")]
    pub(crate) fn refuse_bypass(&self, act: &Act) -> Option<Refusal> {
        let left = self.cards_left();
        // Once the system has dealt at a table, only the system deals there.
        let live = self.dealing.known.number > 0;
        let ready = self.table.phase() != table::Phase::Preparing;
        let no = |what: &str, instead: &str| {
            Some(Refusal::new(table::Code::WrongMoment, None, what, instead))
        };
        match act {
            Act::Supervisor(Decision::Cut(_)) if self.dealing.second().is_some() => {
                no("a cut that staff choose", "go on: where staff cut, chance chooses the depth")
            }
            Act::Dealer(Work::PlaceCuttingCard(behind))
                if self.dealing.second().is_some_and(|way| way.binds.behind != *behind) =>
            {
                no("the cutting card elsewhere than the house committed to", "go on with its place")
            }
            Act::Player(_, Deed::Bet(_) | Deed::Call { .. })
            | Act::Dealer(Work::NoMoreBets | Work::Draw { .. } | Work::Deal(_))
                if self.dealing.doomed.is_some() && ready || self.is_gone() =>
            {
                no("the shoe is abandoned", "go on, and the next shoe is prepared")
            }
            Act::FreshShoe | Act::Dealer(Work::PreShuffled | Work::Shuffle | Work::Riffle)
                if live =>
            {
                no(
                    "other cards than the shoe that the house has committed to",
                    "go on with that shoe",
                )
            }
            Act::Supervisor(Decision::Reconstruct(order)) if live && !order.is_empty() => {
                no("another order than that of the shoe", "`supervisor reconstructs the coup`")
            }
            Act::ReplaceCards if left.is_some() && !self.is_over() => {
                no("other cards within a shoe that is bound", "allowed when the shoe is over")
            }
            Act::CuttingCardAppears if left.is_some() && left > self.dealing.known.behind => {
                no("the cutting card while cards are before it", "it comes in its place by itself")
            }
            Act::ShoeRunsOut if left.is_some_and(|left| left > 0) => {
                no("a shoe that has cards left runs out", "deal them, or direct a shuffle")
            }
            Act::Dealer(Work::Draw { .. } | Work::DrawExcess { .. } | Work::Deal(_))
                if left == Some(0) || self.dealing.shoe.as_ref().is_some_and(|s| !s.is_cut()) =>
            {
                no("a card of a shoe that has none to give", "`shoe runs out`, or cut it first")
            }
            _ => None,
        }
    }

    /// The card that would leave the shoe next, if it would be shown at once.
    fn next_card(&mut self) -> Option<Card> {
        let shoe = self.dealing.shoe.as_mut()?;
        let index = shoe.take()?;
        let opening = shoe.open(index);
        shoe.put_back();
        opening.map(|opening| opening.card)
    }

    /// The next card to a hand; or the cutting card, if that comes first.
    fn card_or_marker(&self, side: Side) -> Act {
        let (left, behind) = (self.cards_left(), self.dealing.known.behind);
        let waits = !self.table.waiting().is_empty();
        let first = self.table.coup().is_none_or(|coup| coup.cards.is_empty());
        let from_shoe = !(waits && first);
        if from_shoe && left <= behind && self.table.shoe().cutting_card.is_none() {
            return Act::CuttingCardAppears;
        }
        if from_shoe && left == Some(0) {
            return Act::ShoeRunsOut;
        }
        Act::Dealer(Work::Draw { card: None, to: side, face_down: false })
    }

    /// Cards that a player may turn are passed to the highest wager; others the dealer turns.
    fn turn_or_pass(&self, side: Side, third: bool) -> Act {
        let may = match self.book.rulebook.deal.turned_by.value {
            Turning::DealerOrBettor | Turning::AsDetermined => true,
            Turning::Dealer | Turning::HighestWager => false,
        };
        if let (true, false, Some(player)) = (may, third, self.table.highest_wager(side)) {
            return Act::Dealer(Work::Pass(side, self.table.player(player).name));
        }
        Act::Dealer(if third { Work::TurnThird(side, None) } else { Work::Turn(side, None) })
    }

    /// Fills in the cards that an act leaves open, and gives the facts to publish about them.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what names its cards is left as it is")]
    pub(crate) fn fill(&mut self, act: Act) -> (Act, Vec<ShoeFact>) {
        if self.dealing.shoe.is_none() {
            return (act, Vec::new());
        }
        match act {
            Act::Dealer(Work::Draw { card: None, to, face_down }) => {
                let (card, facts) = if self.draws_after() {
                    self.draw_new(EXCESS, Facing::down_if(face_down))
                } else {
                    let facing = self.table.next_lies(Facing::down_if(face_down));
                    self.draw_out(&self.purpose(to), facing)
                };
                (Act::Dealer(Work::Draw { card, to, face_down }), facts)
            }
            Act::Dealer(Work::Deal([None, None, None, None])) => {
                let facing = self.table.next_lies(Facing::Up);
                let (mut cards, mut facts) = ([None; 4], Vec::new());
                for (i, card) in cards.iter_mut().enumerate() {
                    let (drawn, published) = if i == 0 {
                        self.draw_out(&self.purpose(Side::Player), facing)
                    } else {
                        self.draw_new(&self.purpose(Side::BOTH[i % 2]), facing)
                    };
                    *card = drawn;
                    facts.extend(published);
                }
                (Act::Dealer(Work::Deal(cards)), facts)
            }
            Act::Dealer(Work::DrawExcess { card: None, face_down }) => {
                let (card, facts) = self.draw_new(EXCESS, Facing::down_if(face_down));
                (Act::Dealer(Work::DrawExcess { card, face_down }), facts)
            }
            Act::Dealer(Work::Burn(card)) => {
                let (_, facts) = self.draw_new(BURN, Facing::Up);
                (Act::Dealer(Work::Burn(card)), facts)
            }
            Act::Dealer(Work::BurnUnseen | Work::BurnCounted { card: None, .. }) => {
                let (_, facts) = self.draw_new(BURN_UNSEEN, Facing::Down);
                (act, facts)
            }
            Act::Dealer(Work::Turn(side, None)) => {
                let (cards, facts) = self.turn_over(side, false);
                (Act::Dealer(Work::Turn(side, two(&cards))), facts)
            }
            Act::Dealer(Work::TurnThird(side, None)) => {
                let (cards, facts) = self.turn_over(side, true);
                (Act::Dealer(Work::TurnThird(side, cards.first().copied())), facts)
            }
            Act::Player(name, Deed::Turn(side, None)) => {
                let (cards, facts) = self.turn_over(side, false);
                (Act::Player(name, Deed::Turn(side, two(&cards))), facts)
            }
            Act::Player(name, Deed::TurnThird(side, None)) => {
                let (cards, facts) = self.turn_over(side, true);
                (Act::Player(name, Deed::TurnThird(side, cards.first().copied())), facts)
            }
            act => (act, Vec::new()),
        }
    }

    /// Whether a card that is drawn to a hand now belongs to the previous coup, as it does until
    /// the next call.
    fn draws_after(&self) -> bool {
        match self.table.phase() {
            table::Phase::Betting => self.table.shoe().coups > 0,
            table::Phase::Preparing => true,
            table::Phase::Unopened
            | table::Phase::Called
            | table::Phase::Dealing
            | table::Phase::Closed => false,
        }
    }

    fn purpose(&self, to: Side) -> String {
        let dealing = self.table.phase() == table::Phase::Dealing;
        let coup = self.table.coups() + u32::from(!dealing);
        format!("coup {coup}: {}", to.key())
    }

    /// The next card of a coup: the one that waits, or one from the shoe.
    fn draw_out(&mut self, what: &str, facing: Facing) -> (Option<Card>, Vec<ShoeFact>) {
        let waiting = self.table.waiting().first();
        let first = self.table.coup().is_none_or(|coup| coup.cards.is_empty());
        match (waiting, self.dealing.known.waiting.first(), &self.dealing.shoe) {
            (Some(waiting), Some(index), Some(shoe)) if first => {
                let opening =
                    shoe.open(*index).filter(|_| facing.is_up() && waiting.card.is_none());
                let card = waiting.card.or(opening.as_ref().map(|opening| opening.card));
                (card, opening.map(ShoeFact::Opened).into_iter().collect())
            }
            _ => self.draw_new(what, facing),
        }
    }

    fn draw_new(&mut self, what: &str, facing: Facing) -> (Option<Card>, Vec<ShoeFact>) {
        let Some(shoe) = &mut self.dealing.shoe else { return (None, Vec::new()) };
        let Some(index) = shoe.take() else { return (None, Vec::new()) };
        let opening: Option<Opening> = shoe.open(index).filter(|_| facing.is_up());
        let card = opening.as_ref().map(|opening| opening.card);
        (card, vec![ShoeFact::Dealt { index, what: what.into(), opening }])
    }

    /// The cards of a hand, and the facts to publish when they are turned.
    fn turn_over(&self, side: Side, third: bool) -> (Vec<Card>, Vec<ShoeFact>) {
        let (mut cards, mut facts) = (Vec::new(), Vec::new());
        let (Some(coup), Some(shoe)) = (self.table.coup(), &self.dealing.shoe) else {
            return (cards, facts);
        };
        let lying = coup.cards.iter().zip(&self.dealing.known.lying).enumerate();
        for (_, (card, index)) in
            lying.filter(|(i, (card, _))| card.side == side && (*i >= 4) == third)
        {
            let Some(opening) = shoe.open(*index) else { continue };
            cards.push(opening.card);
            // A card that waited and was seen then is proved already.
            if !card.shown && card.card.is_none() {
                facts.push(ShoeFact::Opened(opening));
            }
        }
        (cards, facts)
    }

    /// Puts back the cards of an act that was refused.
    pub(crate) fn put_back(&mut self, facts: &[ShoeFact]) {
        let Some(shoe) = &mut self.dealing.shoe else { return };
        let taken = facts.iter().filter(|fact| matches!(fact, ShoeFact::Dealt { .. }));
        taken.for_each(|_| shoe.put_back());
    }

    /// A burn takes further cards with it, unseen: those that the book wants, and any that are too
    /// many.
    pub(crate) fn with_burnt(
        &mut self,
        mut facts: Vec<ShoeFact>,
        events: &[Event],
    ) -> Vec<ShoeFact> {
        let burns = |event: &Event| matches!(event.fact, table::Fact::Burned { .. });
        let in_a_burn = events.iter().any(burns);
        for event in events {
            let (what, cards) = if let table::Fact::Burned { further: cards, .. }
            | table::Fact::BurnedMore(cards) = event.fact
            {
                (BURN_UNSEEN, cards)
            } else {
                let excess = in_a_burn && matches!(event.fact, table::Fact::Excess { .. });
                (EXCESS, u32::from(excess))
            };
            for _ in 0..cards {
                facts.extend(self.draw_new(what, Facing::Down).1);
            }
        }
        facts
    }

    /// Does what must follow the events: when a table closes, the secret of its shoe is published.
    pub(crate) async fn after(&mut self, told: &[Told]) -> Result<(), HouseError> {
        let closed = told.iter().any(|told| told.event.fact == table::Fact::Closed);
        if closed { self.reveal().await } else { Ok(()) }
    }
}

fn two(cards: &[Card]) -> Option<[Card; 2]> {
    <[Card; 2]>::try_from(cards).ok()
}
