//! The system as dealer at one table: the next lawful act, with cards from the sealed shoe. It
//! writes nothing: what is to be published goes to whoever runs the table.

use std::sync::Arc;

use rules::book::Turning;
use rules::{Card, Rulebook, Side};
use serde::{Deserialize, Serialize};
use shoe::{
    Abandoned, Binds, CutOf, Digest, Opening, PROTOCOL, Promise, Secret, Shoe, ShoeFact,
    ShoeRecord, Way, Which, Words,
};
use store::{Deals, Setup, With};
use table::{
    Act, CutBy, Decision, Deed, Due, Event, Facing, Next, Phase, PlayerId, Refusal, State, Work,
};

use crate::fault::LiveError;
use crate::world::World;

/// How long somebody takes no part who promised a word and did not open it.
const BARRED: u64 = 24 * 3600 * 1_000_000;

/// The table that is dealt at.
#[derive(Clone, Copy)]
pub(crate) struct Felt<'a> {
    pub(crate) state: &'a State,
    pub(crate) book: &'a Rulebook,
}

impl Felt<'_> {
    fn is_empty(&self) -> bool {
        self.state.present().next().is_none()
    }

    /// Whether the shoe is over and the next one is to be prepared.
    fn is_over(&self) -> bool {
        self.state.phase() == Phase::Preparing && !self.state.shoe().shuffled
    }
}

/// What is to be published of a shoe, and what is kept or forgotten with it.
pub(crate) type Publication = (Vec<ShoeFact>, Vec<With>);

/// What the system does next.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
#[derive(Debug)]
pub(crate) enum Move {
    /// An act, with what is published about the shoe besides its cards.
    Act(Act, Vec<ShoeFact>),
    /// The secret of a new shoe is drawn and committed to.
    Commit,
    /// The shoe is over, and its secret published.
    Reveal,
    /// Somebody else is asked.
    Waits(Due),
    /// Nothing is to be done.
    Nothing,
}

/// The shoe that the system deals from, and what was published of it.
#[derive(Debug, Default)]
pub(crate) struct Dealing {
    /// The name of the table that its shoes are bound to.
    pub(crate) table: String,
    /// No other cards come to the table than those of the system's shoes.
    pub(crate) only_its_own: bool,
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
    /// When something was last published of the shoe.
    pub(crate) since: u64,
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
    /// What was published of the last one, shared with everybody who looks at the table.
    record: Option<Arc<ShoeRecord>>,
    /// Who takes no part until when: they promised words and did not open them.
    pub(crate) barred: Vec<(String, u64)>,
    /// The secret of the shoe is lost, and it is given up.
    #[serde(default)]
    lost: bool,
}

impl Dealing {
    pub(crate) fn of(table: &str, known: Known) -> Self {
        Self { table: table.into(), known, ..Self::default() }
    }

    /// Whether the table is dealt from the system's shoes: where one was dealt from, or none but
    /// they may come.
    pub(crate) const fn is_bound(&self) -> bool {
        self.only_its_own || self.known.number > 0
    }

    /// The same, at a table to which no other cards come.
    pub(crate) fn from_its_own(table: &str, known: Known) -> Self {
        Self { only_its_own: true, ..Self::of(table, known) }
    }

    /// The same, at a table of that set-up: staff who deal from the system's shoe deal from nothing
    /// else.
    pub(crate) fn at_table_of(self, setup: &Setup) -> Self {
        Self { only_its_own: setup.deals == Deals::Staff, ..self }
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
        self.published().filter(|record| record.entropy.is_none() && !self.known.lost)
    }

    /// Sorts the positions of the cards after a whole act: the table knows how many cards wait.
    pub(crate) fn settle(&mut self, table: &State) {
        self.known.waiting.truncate(table.waiting().len());
        if let Some(coup) = table.coup() {
            self.known.lying.truncate(coup.cards.len());
        }
    }

    /// Follows an event that was recorded; `before` is the table before the event.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few facts move the cards of the shoe")]
    pub(crate) fn note_event(&mut self, event: &Event, before: &State) {
        match &event.fact {
            table::Fact::CuttingCardPlaced(behind) => self.known.behind = Some(*behind),
            table::Fact::Cut { by, depth } => {
                let open = |record: &&mut Arc<ShoeRecord>| {
                    record.root.is_some() && record.cut.is_none() && record.entropy.is_none()
                };
                let of = match by {
                    CutBy::Player(_) => CutOf::Player,
                    CutBy::Staff(_) => CutOf::Staff,
                };
                if let Some(record) = self.known.record.as_mut().filter(open) {
                    Arc::make_mut(record).note_cut(*depth, of);
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
    fn drop_waiting(&mut self, card: Option<Card>, before: &State) {
        let waited = before.waiting().iter().position(|waiting| waiting.card == card);
        let place = waited.unwrap_or(before.waiting().len());
        if place < self.known.waiting.len() {
            self.known.waiting.remove(place);
        }
    }

    /// Follows a fact that was published.
    pub(crate) fn note_fact(&mut self, fact: &ShoeFact, at: u64) {
        self.since = at;
        match (&mut self.known.record, fact) {
            (record, ShoeFact::Committed { protocol, decks, commitment, binds }) => {
                let fresh = match binds {
                    None => ShoeRecord::first(*decks, *commitment),
                    Some(binds) => ShoeRecord::of(*decks, *commitment, (**binds).clone()),
                };
                *record = Some(Arc::new(ShoeRecord { protocol: protocol.clone(), ..fresh }));
                self.known.number += 1;
                self.known.lost = false;
                self.known.behind = None;
                self.known.lying.clear();
                self.known.waiting.clear();
                self.promises.clear();
                self.opened.clear();
            }
            (Some(record), fact) => Arc::make_mut(record).note(fact),
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
        let lost = *fact == ShoeFact::Abandoned(Abandoned::SecretLost);
        self.known.lost |= lost;
        if lost || matches!(fact, ShoeFact::Revealed { .. }) {
            self.shoe = None;
            self.secret = None;
            self.words.clear();
            self.doomed = None;
        }
    }

    /// Who promised a word and did not open it takes no part for a day.
    fn bar(&mut self, at: u64) {
        self.known.barred.retain(|(_, until)| *until > at);
        let Some(way) = self.published().and_then(ShoeRecord::second) else { return };
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

impl Dealing {
    /// What the system does next at a table that it deals, or whom the table waits for.
    pub(crate) fn next(&mut self, felt: Felt<'_>, world: &World) -> Result<Move, LiveError> {
        if self.is_gone(felt) && !felt.is_empty() {
            return Ok(Move::Act(Act::ShoeRunsOut, Vec::new()));
        }
        let Some(due) = felt.state.due(felt.book) else { return Ok(Move::Nothing) };
        if felt.is_over() && self.shoe.is_some() {
            return Ok(Move::Reveal);
        }
        let mut facts = Vec::new();
        let act = match due.next {
            Next::Replace => Act::ReplaceCards,
            Next::Check(by) => Act::Dealer(Work::Check(by)),
            Next::Shuffle if self.secret.is_none() => return Ok(Move::Commit),
            Next::Cut(Some(CutBy::Staff(_))) => {
                let (depth, fact) = self.cut_by_chance(felt, world)?;
                facts.extend(fact);
                Act::Supervisor(Decision::Cut(depth))
            }
            Next::PlaceCuttingCard(behind) => {
                let bound = self.second().map(|way| way.binds.behind);
                Act::Dealer(Work::PlaceCuttingCard(bound.unwrap_or(behind)))
            }
            Next::Burn => match self.next_card() {
                Some(card) => Act::Dealer(Work::Burn(card)),
                None => Act::ShoeRunsOut,
            },
            Next::Card(side) => self.card_or_marker(felt, side),
            Next::Turn { side, third, by: None } => turn_or_pass(felt, side, third),
            Next::Players
            | Next::Shuffle
            | Next::Cut(_)
            | Next::Wagers
            | Next::Turn { .. }
            | Next::Inspector
            | Next::Decide(_) => return Ok(Move::Waits(due)),
        };
        Ok(Move::Act(act, facts))
    }

    /// Draws the entropy of a shoe and gives a commitment to it and to all that could be chosen
    /// later, to be published; the secret is taken once it is.
    pub(crate) fn commit(
        &self,
        felt: Felt<'_>,
        (key, book): (Digest, Digest),
        world: &World,
    ) -> Result<(Secret, Publication), LiveError> {
        let secret = Secret::draw(|bytes| world.fill(bytes)).map_err(LiveError::NoEntropy)?;
        let decks = felt.state.options().decks;
        let binds = Binds {
            key,
            table: self.table.clone(),
            number: self.known.number + 1,
            book,
            behind: felt.book.cut.behind.value.least(),
            least: felt.book.cut.depth.value.get(),
        };
        let commitment = secret.commitment(&binds, decks);
        let name = self.sealed_name(commitment);
        let sealed = With::Secret { name, secret: secret.bytes().to_vec().into() };
        let (protocol, binds) = (PROTOCOL.into(), Some(Box::new(binds)));
        let committed = ShoeFact::Committed { protocol, decks, commitment, binds };
        Ok((secret, (vec![committed], vec![sealed])))
    }

    /// The commitment was published in that record.
    pub(crate) fn committed(&mut self, secret: Secret, version: u64) {
        self.known.committed_in = version;
        self.secret = Some(secret);
    }

    /// Whether a shoe of the system's is to be shuffled.
    pub(crate) const fn has_secret(&self) -> bool {
        self.secret.is_some()
    }

    /// The shoe, in the order that follows from the house's entropy and the words that people
    /// opened; nothing if there is none to be made.
    pub(crate) fn order(&self) -> Result<Option<Shoe>, LiveError> {
        let Some(secret) = self.secret.clone() else { return Ok(None) };
        let Some(record) = self.known.record.clone() else {
            return Err(LiveError::NoSecret(self.known.number));
        };
        let shoe = match record.second() {
            Some(way) => {
                let firsts = self.words_of(&way.promises, Which::First);
                Shoe::new(secret, record.decks, &record.commitment, &way.promises, firsts)?
            }
            // The program that committed to it knew the first procedure only.
            None => Shoe::first(secret, record.decks, Vec::new())?,
        };
        Ok(Some(shoe))
    }

    /// The order was published.
    pub(crate) fn ordered(&mut self, shoe: Shoe) {
        if self.published().is_some_and(|record| record.root == Some(shoe.root())) {
            self.shoe = Some(shoe);
            self.secret = None;
        }
    }

    /// What is published when a shoe is over or abandoned: its secret. Nothing if there is none;
    /// of a secret that is lost, only that it is.
    pub(crate) fn reveal(&self, why: Option<Abandoned>) -> Option<Publication> {
        if why == Some(Abandoned::SecretLost) {
            return Some((vec![ShoeFact::Abandoned(Abandoned::SecretLost)], Vec::new()));
        }
        let entropy = match (&self.shoe, &self.secret) {
            (Some(shoe), _) => shoe.secret().bytes(),
            (None, Some(secret)) => secret.bytes(),
            (None, None) => return None,
        };
        let entropy = shoe::Bytes(entropy.to_vec());
        let commitment = self.known.record.as_ref()?.commitment;
        let mut facts: Vec<_> = why.map(ShoeFact::Abandoned).into_iter().collect();
        facts.push(ShoeFact::Revealed { entropy });
        let forgotten = vec![
            With::Forgotten(self.sealed_name(commitment)),
            With::Forgotten(self.words_name(commitment)),
        ];
        Some((facts, forgotten))
    }

    /// The shoe is given up as soon as no card of it is needed.
    pub(crate) const fn doom(&mut self, why: Abandoned) {
        self.doomed = Some(why);
    }

    /// Why the shoe must not be dealt on, if so.
    pub(crate) const fn doomed(&self) -> Option<Abandoned> {
        self.doomed
    }

    /// Whether there is a shoe, or the secret of one.
    pub(crate) const fn has_shoe(&self) -> bool {
        self.shoe.is_some() || self.secret.is_some()
    }

    /// Whether the table counts on cards of the shoe that were put in order.
    pub(crate) fn is_made(&self, felt: Felt<'_>) -> bool {
        self.open_record().is_some_and(|record| record.root.is_some()) && !felt.is_over()
    }

    /// Whether the table could not go on if the shoe were taken away without a word.
    pub(crate) fn counts_on_it(&self, felt: Felt<'_>) -> bool {
        match felt.state.phase() {
            // Before its cards are in order, the table shuffles others.
            Phase::Preparing => self.is_made(felt),
            Phase::Betting | Phase::Called | Phase::Dealing => true,
            Phase::Unopened | Phase::Closed => false,
        }
    }

    /// Whether the table counts on a shoe whose secret is out: it was abandoned, and its cards are
    /// known to all.
    pub(crate) fn is_gone(&self, felt: Felt<'_>) -> bool {
        let out =
            self.known.lost || self.known.record.as_ref().is_some_and(|r| r.entropy.is_some());
        let counts_on_it =
            matches!(felt.state.phase(), Phase::Betting | Phase::Called | Phase::Dealing);
        !self.has_shoe() && out && counts_on_it
    }

    /// What was published of the current shoe.
    pub(crate) fn published(&self) -> Option<&ShoeRecord> {
        self.known.record.as_deref()
    }

    /// The same, to be kept: a copy for everybody who looks would be hundreds of cards' proofs.
    pub(crate) fn shared(&self) -> Option<Arc<ShoeRecord>> {
        self.known.record.clone()
    }

    /// The number of cards left in the system's shoe.
    pub(crate) fn cards_left(&self) -> Option<u32> {
        self.shoe.as_ref().map(Shoe::left)
    }

    /// The number of the shoe, from 1; 0 before the first.
    pub(crate) const fn shoe_number(&self) -> u32 {
        self.known.number
    }

    /// Cards that lie face down, for the player who was given them, and for nobody else.
    pub(crate) fn peek(&self, state: &State, player: PlayerId, side: Side) -> Option<Vec<Card>> {
        let (coup, shoe) = (state.coup()?, self.shoe.as_ref()?);
        // An exclusion takes the cards away; a player who went has them no more either.
        let there = state.present().any(|(id, _)| id == player);
        if coup.passed[side as usize] != Some(player) || coup.suspended.is_some() || !there {
            return None;
        }
        let hidden = coup.cards.iter().zip(&self.known.lying);
        let hidden = hidden.filter(|(card, _)| card.side == side && !card.shown);
        hidden.map(|(_, index)| shoe.open(*index).map(|opening| opening.card)).collect()
    }

    /// The name under which a secret is kept. It contains the commitment, so that no other secret
    /// can replace it.
    pub(crate) fn sealed_name(&self, commitment: Digest) -> String {
        format!("{} shoe {commitment}", self.table)
    }

    /// The name under which the words of those who take part in this process are kept.
    pub(crate) fn words_name(&self, commitment: Digest) -> String {
        format!("{} words {commitment}", self.table)
    }

    /// After a start in the middle of a shoe: continues from the same position with the secret that
    /// was sealed. One of a log that was restored is not dealt on.
    pub(crate) fn open_sealed(
        &mut self,
        secret: Option<&[u8]>,
        key: Option<Digest>,
        restored: Option<u64>,
    ) -> Result<(), LiveError> {
        let Some(record) = self.open_record().cloned() else { return Ok(()) };
        let secret = secret.and_then(Secret::from_bytes);
        let secret = secret.filter(|secret| {
            let committed = match &record.way {
                Way::First { .. } => secret.first_commitment(),
                Way::Second(way) => secret.commitment(&way.binds, record.decks),
            };
            committed == record.commitment
        });
        let Some(secret) = secret else {
            // The key that sealed it is lost, or its box: nobody can deal from it again.
            self.doomed = Some(Abandoned::SecretLost);
            return Ok(());
        };
        let unlisted = record.second().is_some_and(|way| way.signature.is_none());
        let bound = record.second().map(|way| way.binds.key);
        if unlisted && bound != key {
            // The list must be signed by the key that the commitment binds.
            self.doomed = Some(Abandoned::KeyChanged);
        }
        if restored.is_some_and(|version| self.known.committed_in <= version) {
            self.doomed = Some(Abandoned::Restored);
        }
        if record.root.is_none() {
            self.secret = Some(secret);
        } else {
            self.shoe = Some(self.shoe_again(&record, secret)?);
        }
        Ok(())
    }

    /// Whether the program stopped before the secret of a shoe that is over was published.
    pub(crate) fn is_unrevealed(&self, felt: Felt<'_>) -> bool {
        let used = self.open_record().is_some_and(|record| record.root.is_some());
        let over = felt.state.phase() == Phase::Closed || used && felt.is_over();
        self.has_shoe() && over
    }

    /// The shoe as it was when the program stopped.
    fn shoe_again(&self, record: &ShoeRecord, secret: Secret) -> Result<Shoe, LiveError> {
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
            return Err(LiveError::NoSecret(self.known.number));
        }
        if let Some(depth) = record.cut {
            shoe.cut(depth)?;
        }
        for _ in 0..record.dealt.len() {
            shoe.take();
        }
        Ok(shoe)
    }

    /// Refuses an act that cannot be done while the cards come from the system's shoe.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all else is for the book to judge")]
    pub(crate) fn refuse_bypass(&self, felt: Felt<'_>, act: &Act) -> Option<Refusal> {
        let left = self.cards_left();
        let live = self.is_bound();
        let ready = felt.state.phase() != Phase::Preparing;
        let no = |what: &str, instead: &str| {
            Some(Refusal::new(table::Code::WrongMoment, None, what, instead))
        };
        match act {
            Act::Supervisor(Decision::Cut(_)) if self.second().is_some() => {
                no("a cut that staff choose", "go on: where staff cut, chance chooses the depth")
            }
            Act::Dealer(Work::PlaceCuttingCard(behind))
                if self.second().is_some_and(|way| way.binds.behind != *behind) =>
            {
                no("the cutting card elsewhere than the house committed to", "go on with its place")
            }
            Act::Player(_, Deed::Bet(_) | Deed::Call { .. })
            | Act::Dealer(Work::NoMoreBets | Work::Draw { .. } | Work::Deal(_))
                if self.doomed.is_some() && ready || self.is_gone(felt) =>
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
            Act::ReplaceCards if left.is_some() && !felt.is_over() => {
                no("other cards within a shoe that is bound", "allowed when the shoe is over")
            }
            Act::CuttingCardAppears if left.is_some() && left > self.known.behind => {
                no("the cutting card while cards are before it", "it comes in its place by itself")
            }
            Act::ShoeRunsOut if left.is_some_and(|left| left > 0) => {
                no("a shoe that has cards left runs out", "deal them, or direct a shuffle")
            }
            Act::Dealer(Work::Draw { .. } | Work::DrawExcess { .. } | Work::Deal(_))
                if left == Some(0) || self.shoe.as_ref().is_some_and(|s| !s.is_cut()) =>
            {
                no("a card of a shoe that has none to give", "`shoe runs out`, or cut it first")
            }
            _ => None,
        }
    }

    /// The card that would leave the shoe next, if it would be shown at once.
    fn next_card(&mut self) -> Option<Card> {
        let shoe = self.shoe.as_mut()?;
        let index = shoe.take()?;
        let opening = shoe.open(index);
        shoe.put_back();
        opening.map(|opening| opening.card)
    }

    /// The next card to a hand; or the cutting card, if that comes first.
    fn card_or_marker(&self, felt: Felt<'_>, side: Side) -> Act {
        let (left, behind) = (self.cards_left(), self.known.behind);
        let waits = !felt.state.waiting().is_empty();
        let first = felt.state.coup().is_none_or(|coup| coup.cards.is_empty());
        let from_shoe = !(waits && first);
        if from_shoe && left <= behind && felt.state.shoe().cutting_card.is_none() {
            return Act::CuttingCardAppears;
        }
        if from_shoe && left == Some(0) {
            return Act::ShoeRunsOut;
        }
        Act::Dealer(Work::Draw { card: None, to: side, face_down: false })
    }

    /// Fills in the cards that an act leaves open, and gives the facts to publish about them.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what names its cards is left as it is")]
    pub(crate) fn fill(&mut self, felt: Felt<'_>, act: Act) -> (Act, Vec<ShoeFact>) {
        if self.shoe.is_none() {
            return (act, Vec::new());
        }
        match act {
            Act::Dealer(Work::Draw { card: None, to, face_down }) => {
                let (card, facts) = if draws_after(felt) {
                    self.draw_new(EXCESS, Facing::down_if(face_down))
                } else {
                    let facing = felt.state.next_lies(felt.book, Facing::down_if(face_down));
                    self.draw_out(felt, &purpose(felt, to), facing)
                };
                (Act::Dealer(Work::Draw { card, to, face_down }), facts)
            }
            Act::Dealer(Work::Deal([None, None, None, None])) => {
                let facing = felt.state.next_lies(felt.book, Facing::Up);
                let (mut cards, mut facts) = ([None; 4], Vec::new());
                for (i, card) in cards.iter_mut().enumerate() {
                    let (drawn, published) = if i == 0 {
                        self.draw_out(felt, &purpose(felt, Side::Player), facing)
                    } else {
                        self.draw_new(&purpose(felt, Side::BOTH[i % 2]), facing)
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
                let (cards, facts) = self.turn_over(felt, side, false);
                (Act::Dealer(Work::Turn(side, two(&cards))), facts)
            }
            Act::Dealer(Work::TurnThird(side, None)) => {
                let (cards, facts) = self.turn_over(felt, side, true);
                (Act::Dealer(Work::TurnThird(side, cards.first().copied())), facts)
            }
            Act::Player(name, Deed::Turn(side, None)) => {
                let (cards, facts) = self.turn_over(felt, side, false);
                (Act::Player(name, Deed::Turn(side, two(&cards))), facts)
            }
            Act::Player(name, Deed::TurnThird(side, None)) => {
                let (cards, facts) = self.turn_over(felt, side, true);
                (Act::Player(name, Deed::TurnThird(side, cards.first().copied())), facts)
            }
            act => (act, Vec::new()),
        }
    }

    /// The next card of a coup: the one that waits, or one from the shoe.
    fn draw_out(
        &mut self,
        felt: Felt<'_>,
        what: &str,
        facing: Facing,
    ) -> (Option<Card>, Vec<ShoeFact>) {
        let waiting = felt.state.waiting().first();
        let first = felt.state.coup().is_none_or(|coup| coup.cards.is_empty());
        match (waiting, self.known.waiting.first(), &self.shoe) {
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
        let Some(shoe) = &mut self.shoe else { return (None, Vec::new()) };
        let Some(index) = shoe.take() else { return (None, Vec::new()) };
        let opening: Option<Opening> = shoe.open(index).filter(|_| facing.is_up());
        let card = opening.as_ref().map(|opening| opening.card);
        (card, vec![ShoeFact::Dealt { index, what: what.into(), opening }])
    }

    /// The cards of a hand, and the facts to publish when they are turned.
    fn turn_over(&self, felt: Felt<'_>, side: Side, third: bool) -> (Vec<Card>, Vec<ShoeFact>) {
        let (mut cards, mut facts) = (Vec::new(), Vec::new());
        let (Some(coup), Some(shoe)) = (felt.state.coup(), &self.shoe) else {
            return (cards, facts);
        };
        let lying = coup.cards.iter().zip(&self.known.lying).enumerate();
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
        let Some(shoe) = &mut self.shoe else { return };
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
}

/// Whether a card that is drawn to a hand now belongs to the previous coup, as it does until
/// the next call.
fn draws_after(felt: Felt<'_>) -> bool {
    match felt.state.phase() {
        Phase::Betting => felt.state.shoe().coups > 0,
        Phase::Preparing => true,
        Phase::Unopened | Phase::Called | Phase::Dealing | Phase::Closed => false,
    }
}

fn purpose(felt: Felt<'_>, to: Side) -> String {
    let dealing = felt.state.phase() == Phase::Dealing;
    let coup = felt.state.coups() + u32::from(!dealing);
    format!("coup {coup}: {}", to.key())
}

/// Cards that a player may turn are passed to the highest wager; others the dealer turns.
fn turn_or_pass(felt: Felt<'_>, side: Side, third: bool) -> Act {
    let may = match felt.book.deal.turned_by.value {
        Turning::DealerOrBettor | Turning::AsDetermined => true,
        Turning::Dealer | Turning::HighestWager => false,
    };
    if let (true, false, Some(player)) = (may, third, felt.state.highest_wager(felt.book, side)) {
        return Act::Dealer(Work::Pass(side, felt.state.player(player).name));
    }
    Act::Dealer(if third { Work::TurnThird(side, None) } else { Work::Turn(side, None) })
}

fn two(cards: &[Card]) -> Option<[Card; 2]> {
    <[Card; 2]>::try_from(cards).ok()
}
