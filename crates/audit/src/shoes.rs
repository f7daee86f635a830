//! The shoes of one table, at a floor or in a tournament: each is committed to before anybody takes
//! part, made and cut in its order, dealt card by card, and revealed when it is over. Every card
//! that an event shows is the card at that position of the published shoe.

use std::collections::HashSet;

use rules::Rulebook;
use shoe::{Abandoned, CutOf, Digest, ShoeFact, ShoeRecord};
use store::{Deals, Setup};
use table::{Act, CutBy, Event, Phase, State};

use crate::cards::Places;
use crate::house::House;
use crate::table::{Finding, ShoeFound};

/// How long somebody takes no part who promised a word and did not open it, in microseconds.
const BARRED: u64 = 24 * 3600 * 1_000_000;

/// One act, as far as it concerns the shoe of a table.
#[derive(Clone, Copy)]
pub(crate) struct Moment<'a> {
    /// Its first record.
    pub(crate) first: u64,
    /// When.
    pub(crate) at: u64,
    /// Somebody acted, here or elsewhere in the event.
    pub(crate) acted: bool,
    /// What was done at this table.
    pub(crate) act: Option<&'a Act>,
    pub(crate) events: &'a [Event],
    pub(crate) facts: &'a [ShoeFact],
    /// The table after it and its book, as the engine makes them; nothing if it cannot.
    pub(crate) table: Option<(&'a State, &'a Rulebook)>,
    /// Nothing will be dealt there again, whatever the table looks like.
    pub(crate) through: bool,
}

impl Moment<'_> {
    fn state(&self) -> Option<&State> {
        self.table.map(|(state, _)| state)
    }

    fn is_empty(&self) -> bool {
        self.state().is_none_or(|table| table.present().next().is_none())
    }

    fn is_closed(&self) -> bool {
        self.through || self.state().is_some_and(|table| table.phase() == Phase::Closed)
    }

    fn is_over(&self) -> bool {
        self.state().is_none_or(is_over)
    }
}

/// What was published of a table's shoes.
#[derive(Default)]
pub(crate) struct Shoes {
    /// The name of the table, which its shoes are bound to.
    name: String,
    /// The stream of the log that holds it.
    stream: String,
    house: House,
    book: Option<Digest>,
    /// No other cards come to the table than those of the system's shoes.
    only_its_own: bool,
    /// One person runs it: when everybody has left, its session is over.
    alone: bool,
    shoe: Option<ShoeRecord>,
    abandoned: Option<Abandoned>,
    places: Places,
    decks: Option<u32>,
    commitments: HashSet<Digest>,
    /// The record in which the house committed to the shoe.
    committed_in: u64,
    /// Who takes no part until when.
    barred: Vec<(String, u64)>,
    /// Shoes that are over, and the last one.
    pub(crate) found: Vec<ShoeFound>,
    pub(crate) findings: Vec<Finding>,
    at: u64,
}

impl Shoes {
    pub(crate) fn of(name: &str, stream: &str, house: &House) -> Self {
        let (name, stream, house) = (name.into(), stream.into(), house.clone());
        Self { name, stream, house, ..Self::default() }
    }

    /// Cards are keyed in there only if the set-up says so; a table that has none may be either.
    pub(crate) fn at_table_of(&mut self, setup: &Setup) {
        self.only_its_own = setup.deals != Deals::Keyed;
        self.alone = setup.alone;
    }

    /// The book that the shoes must be bound to.
    pub(crate) const fn bound_to(&mut self, book: Digest) {
        self.book = Some(book);
    }

    fn find(&mut self, what: impl Into<String>) {
        self.findings.push(Finding { version: self.at, what: what.into() });
    }

    /// Checks one act.
    pub(crate) fn note(&mut self, moment: Moment<'_>) {
        self.at = moment.first;
        for event in moment.events {
            self.follow(event);
        }
        self.check_chance(moment);
        self.check_cards(moment);
        for fact in moment.facts {
            self.check(fact, moment);
            self.publish(fact);
            if matches!(fact, ShoeFact::Ordered { .. } | ShoeFact::CutByChance { .. }) {
                self.bar(moment.at);
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "few facts concern the shoe as a whole")]
    fn follow(&mut self, event: &Event) {
        match &event.fact {
            table::Fact::Cut { depth, by } => self.cut(*depth, *by),
            table::Fact::CuttingCardPlaced(behind) => self.check_behind(*behind),
            table::Fact::Opened(opened) => self.decks = Some(opened.options.decks),
            _ => {}
        }
    }

    /// Who promised a word and did not open it takes no part for a day.
    fn bar(&mut self, at: u64) {
        let Some(way) = self.shoe.as_ref().and_then(ShoeRecord::second) else { return };
        let until = at.saturating_add(BARRED);
        let silent = way.silent().map(|account| (account.to_owned(), until)).collect::<Vec<_>>();
        self.barred.retain(|(_, until)| *until > at);
        self.barred.extend(silent);
    }

    /// Whether the shoe can be given up in this record for this reason: nobody is there, the
    /// log was restored behind the commitment, or nobody could take part before the key changed.
    /// That a secret is lost nobody can check: such a shoe is listed.
    fn may_give_up(&self, why: Abandoned, moment: Moment<'_>) -> bool {
        let known = self.house.is_known();
        match why {
            Abandoned::Left => moment.is_empty(),
            Abandoned::Restored => !known || self.is_restored(),
            Abandoned::KeyChanged => {
                let way = self.shoe.as_ref().and_then(ShoeRecord::second);
                let key = |at: u64| self.house.key_at(&self.stream, at);
                way.is_some_and(|way| way.signature.is_none())
                    && (!known || key(self.committed_in) != key(self.at))
            }
            Abandoned::SecretLost => true,
        }
    }

    /// Whether the log was restored since the house committed to the shoe.
    fn is_restored(&self) -> bool {
        self.house.restored_between(&self.stream, self.committed_in, self.at)
    }

    /// Whether there is a shoe that is neither revealed nor lost.
    fn has_open_shoe(&self) -> bool {
        self.shoe.as_ref().is_some_and(|shoe| shoe.entropy.is_none())
            && self.abandoned != Some(Abandoned::SecretLost)
    }

    /// A cut by staff is made of words, which come with it; one by a player is not.
    fn check_chance(&mut self, moment: Moment<'_>) {
        let second = self.shoe.as_ref().is_some_and(|shoe| shoe.second().is_some());
        if !second || self.shoe.as_ref().is_some_and(|shoe| shoe.entropy.is_some()) {
            return;
        }
        let staff =
            |event: &Event| matches!(event.fact, table::Fact::Cut { by: CutBy::Staff(_), .. });
        let words = moment.facts.iter().any(|fact| matches!(fact, ShoeFact::CutByChance { .. }));
        if moment.events.iter().any(staff) != words {
            self.find("a cut by staff and the words that it is made of do not come together");
        }
    }

    /// The cutting card stands where the commitment says.
    fn check_behind(&mut self, behind: u32) {
        let bound = self.shoe.as_ref().filter(|shoe| shoe.entropy.is_none());
        let bound = bound.and_then(ShoeRecord::second).map(|way| way.binds.behind);
        if bound.is_some_and(|bound| bound != behind) {
            self.find("the cutting card stands elsewhere than the house committed to");
        }
    }

    fn cut(&mut self, depth: u32, by: CutBy) {
        let Some(shoe) = self.shoe.as_mut().filter(|shoe| shoe.entropy.is_none()) else { return };
        let (early, again) = (shoe.root.is_none(), shoe.cut.is_some());
        let of = match by {
            CutBy::Player(_) => CutOf::Player,
            CutBy::Staff(_) => CutOf::Staff,
        };
        shoe.note_cut(depth, of);
        if early {
            self.find("the shoe was cut before its root was published");
        }
        if again {
            self.find("the shoe was cut twice");
        }
    }

    /// Every card of the act is the shoe's, and as many left the shoe as the act takes.
    fn check_cards(&mut self, moment: Moment<'_>) {
        let cards = |fact: &&ShoeFact| matches!(fact, ShoeFact::Dealt { .. } | ShoeFact::Opened(_));
        if !moment.acted && moment.facts.iter().any(|fact| cards(&fact)) {
            self.find("cards of the shoe that no act took");
            return;
        }
        let takes = moment.events.iter().any(|event| takes_a_card(&event.fact));
        let Some(shoe) = &self.shoe else {
            if takes && self.only_its_own {
                self.find("a card of no shoe, where none but the system's shoes may be dealt");
            }
            return;
        };
        if shoe.entropy.is_some() || self.abandoned == Some(Abandoned::SecretLost) {
            if takes {
                self.find("a card after the shoe was revealed or given up");
            }
            return;
        }
        let left = (shoe.decks * 52) as usize - shoe.dealt.len().min((shoe.decks * 52) as usize);
        let given_up = moment
            .facts
            .iter()
            .any(|fact| matches!(fact, ShoeFact::Abandoned(why) if self.may_give_up(*why, moment)));
        if matches!(moment.act, Some(Act::ShoeRunsOut)) && left > 0 && !given_up {
            self.find(format!("the shoe was said to run out with {left} cards in it"));
        }
        let Some(shoe) = &self.shoe else { return };
        if shoe.root.is_none() || shoe.cut.is_none() {
            if takes {
                self.find("a card before the shoe was made and cut");
            }
            return;
        }
        let altered = |event: &Event| matches!(event.fact, table::Fact::CardCorrected { .. });
        let altered = moment.events.iter().any(altered);
        for fault in self.places.check(shoe, moment.events, moment.facts) {
            self.find(fault);
        }
        if altered {
            self.find("a card of the shoe was put right as if somebody had keyed it");
        }
    }

    /// Checks that a secret is published only when it may be, and that a new shoe is sound.
    fn check(&mut self, fact: &ShoeFact, moment: Moment<'_>) {
        let ends = matches!(
            fact,
            ShoeFact::Committed { .. } | ShoeFact::Abandoned(_) | ShoeFact::Revealed { .. }
        );
        if !ends && self.has_open_shoe() && self.is_restored() {
            self.find("a shoe was gone on with though the log was restored since its commitment");
        }
        match fact {
            ShoeFact::Committed { decks, commitment, binds, .. } => {
                self.check_committed(*decks, *commitment, moment);
                match binds {
                    Some(binds) => self.check_binds(binds, moment),
                    None => self.check_first_procedure(),
                }
                self.places.new_shoe();
                self.committed_in = moment.first;
            }
            ShoeFact::Listed { promises, .. } => self.check_list(promises, moment),
            ShoeFact::Revealed { .. } => self.check_revealed(moment),
            ShoeFact::Abandoned(why) => {
                if !self.may_give_up(*why, moment) {
                    self.find(
                        "a shoe was abandoned for a reason that nothing in the log bears out",
                    );
                }
                self.abandoned = Some(*why);
            }
            ShoeFact::Mixed { .. }
            | ShoeFact::Ordered { .. }
            | ShoeFact::CutByChance { .. }
            | ShoeFact::Dealt { .. }
            | ShoeFact::Opened(_) => {}
        }
    }

    fn check_committed(&mut self, decks: u32, commitment: Digest, moment: Moment<'_>) {
        let table = self.decks.or_else(|| moment.state().map(|table| table.options().decks));
        if table.is_some_and(|table| table != decks) {
            self.find("a shoe of another number of decks than the table's");
        }
        if !self.commitments.insert(commitment) {
            self.find("a commitment that was used before");
        }
        if moment.facts.len() > 1 {
            self.find("the house committed and went on in one go: nobody could take part");
        }
    }

    /// The first procedure is weaker: a house that has a key knows the second.
    fn check_first_procedure(&mut self) {
        let second = |shoe: &ShoeRecord| shoe.second().is_some();
        let after = self.found.iter().any(|shoe| second(&shoe.record))
            || self.shoe.as_ref().is_some_and(second);
        let signed = self.house.is_known() && self.house.key_at(&self.stream, self.at).is_some();
        if after || signed {
            self.find("a shoe of the first procedure, which is weaker, where the second is known");
        }
    }

    fn check_list(&mut self, promises: &[shoe::Promise], moment: Moment<'_>) {
        let barred = |account: &String| {
            let mut barred = self.barred.iter();
            barred.any(|(silent, until)| silent == account && *until > moment.at)
        };
        let early = promises.iter().map(|promise| &promise.account).find(|who| barred(who));
        if let Some(account) = early.cloned() {
            let what = "took part within a day of a word that was not opened";
            self.find(format!("{account} {what}"));
        }
        if moment.facts.iter().any(|fact| matches!(fact, ShoeFact::Ordered { .. })) {
            self.find("the list was closed and used in one go: nobody could see it");
        }
    }

    /// A secret is published when its shoe is over, or given up for a reason that holds.
    fn check_revealed(&mut self, moment: Moment<'_>) {
        // An empty table is not dealt.
        let over = moment.is_over() || moment.is_empty() || moment.is_closed();
        let given_up = self.abandoned.is_some_and(|why| self.may_give_up(why, moment));
        let unused = !given_up && self.shoe.as_ref().is_some_and(|shoe| shoe.dealt.is_empty());
        let watched = !moment.is_closed() && !moment.is_empty();
        if !over && !given_up {
            self.find("the shoe was revealed while it was in use");
        } else if unused && watched {
            self.find("a shoe was thrown away before it was used");
        }
    }

    /// The commitment is to a shoe of this table, this number and this book.
    fn check_binds(&mut self, binds: &shoe::Binds, moment: Moment<'_>) {
        let number = self.found.len() + usize::from(self.shoe.is_some()) + 1;
        if binds.table != self.name {
            self.find(format!("a shoe of another table: {}", binds.table));
        }
        if usize::try_from(binds.number) != Ok(number) {
            self.find(format!("shoe {} where shoe {number} is due", binds.number));
        }
        if Some(binds.book) != self.book {
            self.find("a shoe for another book");
        }
        let known = self.house.is_known();
        if known && self.house.key_at(&self.stream, self.at) != Some(binds.key) {
            self.find("a shoe that is bound to another key than the house had");
        }
        let bounds = moment.table.map(|(_, book)| {
            let cut = &book.cut;
            (cut.depth.value.get(), cut.behind.value.least())
        });
        if bounds.is_some_and(|(least, behind)| binds.least != least || binds.behind < behind) {
            self.find("bounds of the cut or of the cutting card that are not the book's");
        }
    }

    fn publish(&mut self, fact: &ShoeFact) {
        if let ShoeFact::Committed { decks, commitment, protocol, binds } = fact {
            if self.has_open_shoe() {
                self.find("a new shoe was begun before the last one was revealed");
            }
            self.end_shoe();
            if let Some(before) = self.found.last_mut() {
                before.thrown_away = was_thrown_away(before);
            }
            let fresh = match binds {
                None => ShoeRecord::first(*decks, *commitment),
                Some(binds) => ShoeRecord::of(*decks, *commitment, (**binds).clone()),
            };
            self.shoe = Some(ShoeRecord { protocol: protocol.clone(), ..fresh });
            return;
        }
        let Some(mut shoe) = self.shoe.take() else { return self.find("a card of no shoe") };
        match fact {
            ShoeFact::Mixed { .. } | ShoeFact::Ordered { .. } if shoe.root.is_some() => {
                self.find("the order was made twice");
            }
            ShoeFact::Listed { .. } if shoe.second().is_none_or(|way| way.signature.is_some()) => {
                self.find("the list of promises was closed twice");
            }
            ShoeFact::Ordered { .. } if shoe.second().is_none_or(|way| way.signature.is_none()) => {
                self.find("the order was made before the list was closed");
            }
            ShoeFact::CutByChance { .. } if shoe.root.is_none() || shoe.entropy.is_some() => {
                self.find("words for a cut at another time than the cut");
            }
            ShoeFact::Mixed { .. } if shoe.second().is_some() => {
                self.find("the first procedure within the second");
            }
            ShoeFact::Dealt { .. } if shoe.cut.is_none() => self.find("a card left before the cut"),
            ShoeFact::Dealt { .. } if shoe.entropy.is_some() => {
                self.find("a card left a shoe that was revealed");
            }
            ShoeFact::Dealt { index, .. } if *index as usize != shoe.dealt.len() => {
                self.find(format!("card {index} left where card {} was due", shoe.dealt.len()));
            }
            ShoeFact::Committed { .. }
            | ShoeFact::Listed { .. }
            | ShoeFact::Ordered { .. }
            | ShoeFact::CutByChance { .. }
            | ShoeFact::Abandoned(_)
            | ShoeFact::Mixed { .. }
            | ShoeFact::Dealt { .. }
            | ShoeFact::Opened(_)
            | ShoeFact::Revealed { .. } => {}
        }
        shoe.note(fact);
        self.shoe = Some(shoe);
    }

    fn end_shoe(&mut self) {
        let Some(record) = self.shoe.take() else { return };
        let verified = shoe::verify(&record);
        let number = self.found.len() + 1;
        for fault in verified.as_ref().err().into_iter().flatten() {
            self.find(format!("shoe {number}: {fault}"));
        }
        let abandoned = self.abandoned.take();
        let (unrevealed, thrown_away) = (false, false);
        self.found.push(ShoeFound { record, verified, abandoned, unrevealed, thrown_away });
    }

    /// The log ends here: the table as it is then, and whether it is closed for good.
    pub(crate) fn finish(&mut self, table: Option<(&State, &Rulebook)>, closed: bool) {
        let secret = self.has_open_shoe();
        let dealt = self.shoe.as_ref().is_some_and(|shoe| !shoe.dealt.is_empty());
        let over = table.is_some_and(|(state, _)| is_over(state)) && dealt;
        let left = self.alone && table.is_some_and(|(state, _)| state.present().next().is_none());
        let unrevealed = secret && (closed || over || left);
        self.end_shoe();
        if let Some(last) = self.found.last_mut() {
            last.unrevealed = unrevealed;
        }
    }
}

/// Whether a shoe was made, burnt from and replaced, and no coup was dealt from it.
fn was_thrown_away(shoe: &ShoeFound) -> bool {
    let coup = |what: &String| what.starts_with("coup");
    shoe.abandoned.is_none() && shoe.record.root.is_some() && !shoe.record.dealt.iter().any(coup)
}

/// Whether the shoe is over, and the next one is to be prepared.
fn is_over(table: &State) -> bool {
    table.phase() == Phase::Preparing && !table.shoe().shuffled
}

/// Whether a card leaves the shoe or is turned by this.
const fn takes_a_card(fact: &table::Fact) -> bool {
    use table::Fact::{Burned, BurnedMore, Dealt, Excess, Turned};
    matches!(fact, Burned { .. } | BurnedMore(_) | Dealt { .. } | Excess { .. } | Turned { .. })
}
