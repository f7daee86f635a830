//! The system as dealer at the tables of a tournament: a shoe for each.

use std::collections::BTreeMap;

use shoe::{Abandoned, ShoeFact, ShoeRecord, Which};
use store::{Body, Deals, TableShoe};
use table::{Act as TableAct, By, Refusal, State, Work};
use tournament::{Act, Event, Miskeyed, Tournament};

use super::judging::Judged;
use super::{EventRuled, TournamentHost, at_tables};
use crate::dealing::{Dealing, Felt, Known, Move};
use crate::fault::LiveError;
use crate::host::{discreet, opened};

/// The shoes of a tournament's tables.
#[derive(Debug)]
pub(super) struct Shoes {
    stream: String,
    /// By table, what is dealt from.
    tables: BTreeMap<u32, Dealing>,
}

/// What an act took from a shoe.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    table: Option<u32>,
    facts: Vec<ShoeFact>,
}

impl Drawn {
    pub(super) fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// As it is told.
    pub(super) fn published(&self) -> Vec<TableShoe> {
        let Some(table) = self.table else { return Vec::new() };
        self.facts.iter().map(|fact| TableShoe { table, fact: fact.clone() }).collect()
    }

    /// As it is recorded.
    pub(super) fn bodies(&self) -> Vec<Body> {
        self.published().into_iter().map(|fact| Body::TableShoe(Box::new(fact))).collect()
    }

    pub(super) fn add(&mut self, more: Vec<ShoeFact>) {
        self.facts.extend(more);
    }

    pub(super) fn discreet(&self, refusal: Refusal) -> Refusal {
        discreet(refusal, &self.facts)
    }
}

/// What the system did at a table of a tournament.
#[derive(Debug)]
pub enum TableStep {
    /// It did something.
    Did(EventRuled),
    /// It published something of the shoe: a commitment, the list of who takes part, its secret.
    Shoe,
    /// Somebody else is asked.
    Waits(table::Due),
    /// Nothing is to be done.
    Nothing,
}

impl Shoes {
    pub(super) fn new(stream: &str) -> Self {
        Self { stream: stream.into(), tables: BTreeMap::new() }
    }

    pub(super) fn of(stream: &str, kept: BTreeMap<u32, Known>) -> Self {
        let mut shoes = Self::new(stream);
        for (table, known) in kept {
            let name = shoes.name(table);
            shoes.tables.insert(table, Dealing::from_its_own(&name, known));
        }
        shoes
    }

    pub(super) fn kept(&self) -> BTreeMap<u32, Known> {
        self.tables.iter().map(|(table, dealing)| (*table, dealing.known())).collect()
    }

    /// The name of a table, by which its shoes are bound to it.
    fn name(&self, table: u32) -> String {
        format!("{} table {table}", self.stream)
    }

    pub(super) fn at(&mut self, table: u32) -> &mut Dealing {
        let name = self.name(table);
        self.tables.entry(table).or_insert_with(|| Dealing::from_its_own(&name, Known::default()))
    }

    pub(super) fn all_published(&self) -> BTreeMap<u32, ShoeRecord> {
        let published =
            |(table, dealing): (&u32, &Dealing)| Some((*table, dealing.published()?.clone()));
        self.tables.iter().filter_map(published).collect()
    }

    pub(super) fn published(&self, table: u32) -> Option<&ShoeRecord> {
        self.tables.get(&table).and_then(Dealing::published)
    }

    pub(super) fn note_event(&mut self, event: &Event, before: &Tournament) {
        for (table, event) in at_tables(std::slice::from_ref(event)) {
            if let (Some(dealing), Some(sitting)) =
                (self.tables.get_mut(&table), before.sitting(table))
            {
                dealing.note_event(event, &sitting.table);
            }
        }
    }

    /// The tables whose shoe will not be dealt from again.
    fn through(&self, tournament: &Tournament) -> Vec<u32> {
        let open = self.tables.iter().filter(|(_, dealing)| dealing.has_shoe());
        open.map(|(table, _)| *table).filter(|table| tournament.is_through(*table)).collect()
    }

    /// What was recorded with an act is known.
    pub(super) fn settle(&mut self, drawn: &Drawn, from: (u64, u64), after: &Tournament) {
        let Some(table) = drawn.table else { return };
        self.note_facts(table, &drawn.facts, from);
        if let Some(sitting) = after.sitting(table) {
            self.settle_at(table, &sitting.table);
        }
    }

    pub(super) fn settle_at(&mut self, table: u32, state: &State) {
        self.at(table).settle(state);
    }

    /// What was published of a shoe at that time, from that record on.
    pub(super) fn note_facts(&mut self, table: u32, facts: &[ShoeFact], (at, first): (u64, u64)) {
        let dealing = self.at(table);
        for (fact, version) in facts.iter().zip(first..) {
            dealing.note_fact(fact, at);
            if matches!(fact, ShoeFact::Committed { .. }) {
                dealing.committed_in(version);
            }
        }
    }
}

impl TournamentHost {
    /// Whether the system has the cards of its tables.
    pub(super) fn has_cards(&self) -> bool {
        self.setup.deals != Deals::Keyed
    }

    /// The table of an act, as the tournament finds it: that of the player who acts, if no number
    /// is said.
    fn table_of_act(&self, number: Option<u32>, act: &TableAct) -> Option<u32> {
        let TableAct::Player(name, _) = act else { return self.table_of(number) };
        let entrant = self.tournament.entrant_named(name);
        let own = entrant.and_then(|entrant| self.tournament.sitting_of(entrant));
        number.or_else(|| own.map(|sitting| sitting.number))
    }

    /// The table of an act at a table; without a number, the only one in play.
    pub(super) fn table_of(&self, number: Option<u32>) -> Option<u32> {
        let mut live = self.tournament.sittings().filter(|sitting| sitting.is_live());
        number.or_else(|| {
            let only = live.next()?.number;
            live.next().is_none().then_some(only)
        })
    }

    fn state_at(&self, table: u32) -> Option<&State> {
        self.tournament.sitting(table).map(|sitting| &sitting.table)
    }

    /// Refuses what goes round the system's shoe.
    pub(super) fn refuse_bypass(&self, act: &Act) -> Option<Refusal> {
        if !self.has_cards() {
            return None;
        }
        if let Act::Correct(wrong, _) = act
            && let Miskeyed::Card { table, .. } = **wrong
            && self.shoes.published(self.table_of(table)?).is_some()
        {
            let what = "a card of the system's shoe, which nobody keyed";
            let instead = "what its proof says stands; wagers, seats and chips are put right";
            return Some(Refusal::new(table::Code::WrongCard, None, what, instead));
        }
        let Act::At(number, act) = act else { return None };
        if !act.cards().is_empty() {
            let what = "a card at a table that is dealt from the system's shoe";
            let instead = "leave the card out, and the shoe gives it";
            return Some(Refusal::new(table::Code::WrongCard, None, what, instead));
        }
        let table = self.table_of_act(*number, act)?;
        let felt = Felt { state: self.state_at(table)?, book: self.tournament.table_book() };
        match self.shoes.tables.get(&table) {
            Some(dealing) => dealing.refuse_bypass(felt, act),
            None => Dealing::from_its_own("", Known::default()).refuse_bypass(felt, act),
        }
    }

    /// Fills in the cards that an act at a table leaves open.
    pub(super) fn fill(&mut self, act: Act) -> (Act, Drawn) {
        let Act::At(number, inner) = act else { return (act, Drawn::default()) };
        let Some(table) = self.table_of_act(number, &inner) else {
            return (Act::At(number, inner), Drawn::default());
        };
        let Some(sitting) = self.tournament.sitting(table) else {
            return (Act::At(number, inner), Drawn::default());
        };
        let Some(dealing) = self.shoes.tables.get_mut(&table) else {
            return (Act::At(number, inner), Drawn::default());
        };
        let felt = Felt { state: &sitting.table, book: self.tournament.table_book() };
        let (filled, facts) = dealing.fill(felt, *inner);
        (Act::At(number, Box::new(filled)), Drawn { table: Some(table), facts })
    }

    pub(super) fn put_back(&mut self, drawn: &Drawn) {
        if let Some(table) = drawn.table {
            self.shoes.at(table).put_back(&drawn.facts);
        }
    }

    pub(super) fn with_burnt(&mut self, drawn: &mut Drawn, events: &[Event]) {
        let Some(table) = drawn.table else { return };
        let own: Vec<_> = at_tables(events)
            .filter(|(at, _)| *at == table)
            .map(|(_, event)| event.clone())
            .collect();
        let facts = std::mem::take(&mut drawn.facts);
        drawn.facts = self.shoes.at(table).with_burnt(facts, &own);
    }

    /// Does what the dealer of a table has to do, where the system deals, or says who is asked.
    ///
    /// # Errors
    ///
    /// When the log or the system's source of randomness fails.
    pub async fn step_at(&mut self, table: u32) -> Result<TableStep, LiveError> {
        let Some(sitting) = self.tournament.sitting(table).filter(|_| self.has_cards()) else {
            return Ok(TableStep::Nothing);
        };
        if self.shoes.at(table).doomed().is_some() {
            return self.give_up_shoe(table).await;
        }
        let (state, world) = (sitting.table.clone(), self.world.clone());
        let book = self.tournament.table_book().clone();
        let felt = Felt { state: &state, book: &book };
        let dealing = self.shoes.at(table);
        let (act, more) = match dealing.next(felt, &world)? {
            Move::Nothing => return Ok(TableStep::Nothing),
            Move::Waits(due) if due.next == table::Next::Shuffle => {
                return self.shuffle(table).await;
            }
            Move::Waits(due) => return Ok(TableStep::Waits(due)),
            Move::Reveal => {
                self.reveal(table, None).await?;
                return Ok(TableStep::Shoe);
            }
            Move::Commit => {
                let key = self.scribe.log.public_key().ok_or(LiveError::Broken)?;
                let book = self.sha256;
                let (secret, (facts, with)) =
                    self.shoes.at(table).commit(felt, (key, book), &world)?;
                self.publish(table, facts, with).await?;
                let version = self.scribe.version;
                self.shoes.at(table).committed(secret, version);
                return Ok(TableStep::Shoe);
            }
            Move::Act(act, more) => (act, more),
        };
        self.act_at(table, act, more).await.map(TableStep::Did)
    }

    async fn act_at(
        &mut self,
        table: u32,
        act: TableAct,
        more: Vec<ShoeFact>,
    ) -> Result<EventRuled, LiveError> {
        let (by, act) = (By::usual(&act), Act::At(Some(table), Box::new(act)));
        match self.judge_with(by, act, None, (Vec::new(), Some(more))).await? {
            Judged::Done(told) => Ok(Ok(told)),
            Judged::Refused(refusal, _) => Ok(Err(refusal)),
            Judged::Before(..) | Judged::Waits => Err(LiveError::Broken),
        }
    }

    /// Closes the list of those who take part; shuffles once they had time to open their words.
    async fn shuffle(&mut self, table: u32) -> Result<TableStep, LiveError> {
        let log = self.scribe.log.clone();
        let signer = log.signer().ok_or(LiveError::Broken)?;
        if let Some((facts, with)) = self.shoes.at(table).list(signer) {
            self.publish(table, facts, with).await?;
            if !self.shoes.at(table).words_due(Which::First).is_empty() {
                return Ok(TableStep::Shoe);
            }
        }
        let Some(shoe) = self.shoes.at(table).order()? else { return Ok(TableStep::Nothing) };
        let act = TableAct::Dealer(Work::Shuffle);
        let ruled = self.act_at(table, act, vec![shoe.mixed()]).await?;
        self.shoes.at(table).ordered(shoe);
        Ok(TableStep::Did(ruled))
    }

    /// Abandons a shoe that must not be dealt on: a coup that is being dealt is void. Does nothing
    /// while the event does not allow it; nothing is dealt from that shoe meanwhile.
    async fn give_up_shoe(&mut self, table: u32) -> Result<TableStep, LiveError> {
        let Some(why) = self.shoes.at(table).doomed() else { return Ok(TableStep::Nothing) };
        let counts_on_it = self.tournament.sitting(table).is_some_and(|sitting| {
            let felt = Felt { state: &sitting.table, book: self.tournament.table_book() };
            self.shoes.tables.get(&table).is_some_and(|dealing| dealing.counts_on_it(felt))
        });
        if !counts_on_it {
            self.reveal(table, Some(why)).await?;
            return Ok(TableStep::Shoe);
        }
        let facts = vec![ShoeFact::Abandoned(why)];
        let ruled = self.act_at(table, TableAct::ShoeRunsOut, facts).await?;
        if ruled.is_ok() && why != Abandoned::SecretLost {
            self.reveal(table, None).await?;
        }
        Ok(TableStep::Did(ruled))
    }

    /// Publishes the secrets of all shoes that will not be dealt from again.
    pub(super) async fn reveal_what_is_over(&mut self) -> Result<(), LiveError> {
        for table in self.shoes.through(&self.tournament) {
            self.reveal(table, None).await?;
        }
        Ok(())
    }

    async fn reveal(&mut self, table: u32, why: Option<Abandoned>) -> Result<(), LiveError> {
        match self.shoes.at(table).reveal(why) {
            Some((facts, with)) => self.publish(table, facts, with).await,
            None => Ok(()),
        }
    }

    /// After a start: the shoes go on where they were.
    pub(super) async fn open_shoes(&mut self, restored: Option<u64>) -> Result<(), LiveError> {
        if !self.has_cards() {
            return Ok(());
        }
        let log = self.scribe.log.clone();
        let tables: Vec<u32> = self.shoes.tables.keys().copied().collect();
        for table in tables {
            let dealing = self.shoes.at(table);
            let Some(commitment) = dealing.open_record().map(|record| record.commitment) else {
                continue;
            };
            let (sealed, words) = (dealing.sealed_name(commitment), dealing.words_name(commitment));
            let secret = opened(log.unseal(&sealed).await)?;
            let secret = secret.as_ref().map(|secret| secret.as_slice());
            self.shoes.at(table).open_sealed(secret, log.public_key(), restored)?;
            if let Some(words) = opened(log.unseal(&words).await)? {
                self.shoes.at(table).restore_words(&words);
            }
            self.give_up_shoe(table).await?;
            if self.is_unrevealed(table) {
                // The program stopped before the secret was published.
                self.reveal(table, None).await?;
            }
        }
        self.reveal_what_is_over().await
    }

    /// Whether a shoe is over whose secret is not published.
    fn is_unrevealed(&self, table: u32) -> bool {
        self.tournament.sitting(table).is_some_and(|sitting| {
            let felt = Felt { state: &sitting.table, book: self.tournament.table_book() };
            self.shoes.tables.get(&table).is_some_and(|dealing| dealing.is_unrevealed(felt))
        })
    }
}
