//! A tournament that runs on a floor, as everybody else has it: orders go in, and answers, views
//! and news come out.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rulebooks::Book;
use shoe::{Digest, Promise, ShoeRecord, Which};
use store::{Record, Setup, TableShoe};
use table::{Name, Refusal};
use tokio::sync::broadcast;
use tournament::{Act, Tournament};

use crate::fault::LiveError;
use crate::mailbox::{Mailbox, Reply, Runs, Subscription};
use crate::order::{Answer, Order};
use crate::tournament::{
    Deal, EventHappened, EventRuled, EventTold, Sealed, TableStep, TournamentHost,
};

/// What a tournament looks like to the house itself; `view` makes of it what a role may see.
#[derive(Clone, Debug)]
pub struct EventScene {
    /// The stream of the log that holds the tournament.
    pub stream: String,
    /// How it is run.
    pub setup: Setup,
    /// The book's id, with the id of its base after an `@`.
    pub name: String,
    /// The tournament as it stands.
    pub tournament: Tournament,
    /// The book.
    pub book: Arc<Book>,
    /// How many records it has.
    pub version: u64,
    /// The time by its clock.
    pub now: u64,
    /// What was published of the current shoe of every table.
    pub shoes: BTreeMap<u32, ShoeRecord>,
    /// The identity of the book.
    pub sha256: String,
    /// The names of accounts.
    names: HashMap<String, String>,
}

impl EventScene {
    /// The name of an account, as people in the tournament know it.
    pub(crate) fn name_of(&self, account: Name) -> Name {
        let name = self.names.get(account.as_str());
        name.and_then(|name| Name::from(name).ok()).unwrap_or(account)
    }
}

impl TournamentHost {
    /// What the tournament looks like to the house itself.
    #[must_use]
    pub fn scene(&self) -> EventScene {
        EventScene {
            stream: self.stream().into(),
            setup: self.setup().clone(),
            name: self.name().into(),
            tournament: self.tournament().clone(),
            book: self.book().clone(),
            version: self.version(),
            now: self.now(),
            shoes: self.all_published(),
            sha256: self.identity(),
            names: self.names().into_iter().collect(),
        }
    }
}

/// A letter to a tournament.
#[derive(Debug)]
pub(crate) enum Mail {
    Order(Box<Order<Act>>, Reply<Result<Answer<EventTold>, LiveError>>),
    /// The operator's own, from the process that runs the floor.
    System(Box<Act>, Reply<Result<EventRuled, LiveError>>),
    Step(u32, Reply<Result<TableStep, LiveError>>),
    HandIn(Name, String, Reply<Result<EventRuled, LiveError>>),
    Sealed(Box<Order<Sealed>>, Reply<Result<Answer<EventTold>, LiveError>>),
    Deal(Box<Order<Deal>>, Reply<Result<Answer<EventTold>, LiveError>>),
    Promise(u32, Box<Promise>, Reply<Result<(), Refusal>>),
    Word(u32, String, (Which, Digest), Reply<Result<(), Refusal>>),
    CommitBallot(Reply<Result<EventRuled, LiveError>>),
    RevealBallot(Reply<Result<EventRuled, LiveError>>),
    Look(Reply<Box<EventScene>>),
    Watch(Reply<(u64, broadcast::Receiver<EventHappened>)>),
    Keep(Reply<Result<store::Head, LiveError>>),
}

/// A tournament that runs.
#[derive(Clone, Debug)]
pub struct TournamentHandle(pub(crate) Mailbox<Mail>);

impl TournamentHandle {
    /// The stream of the log that holds the tournament.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.0.stream
    }

    /// The records of the tournament behind a version.
    pub(crate) async fn records(&self, after: u64) -> Result<Vec<Record>, LiveError> {
        self.0.records(after).await
    }

    async fn ask<T>(&self, letter: impl FnOnce(Reply<T>) -> Mail) -> Result<T, LiveError> {
        self.0.ask(letter).await
    }

    /// Sends an order, and waits for its answer.
    ///
    /// # Errors
    ///
    /// When the log fails, or the tournament has stopped; a refusal is an answer.
    pub async fn order(&self, order: Order<Act>) -> Result<Answer<EventTold>, LiveError> {
        self.ask(|reply| Mail::Order(Box::new(order), reply)).await?
    }

    /// An act of the process that runs the floor itself.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn act(&self, act: Act) -> Result<EventRuled, LiveError> {
        self.ask(|reply| Mail::System(Box::new(act), reply)).await?
    }

    /// Does what the dealer of a table has to do: see [`TournamentHost::step_at`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn step(&self, table: u32) -> Result<TableStep, LiveError> {
        self.ask(|reply| Mail::Step(table, reply)).await?
    }

    /// Takes an order whose words are sealed: see [`TournamentHost::deliver_sealed`].
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is an answer.
    pub async fn order_sealed(&self, order: Order<Sealed>) -> Result<Answer<EventTold>, LiveError> {
        self.ask(|reply| Mail::Sealed(Box::new(order), reply)).await?
    }

    /// Has the system deal as far as nobody else is asked: see [`TournamentHost::deal`].
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is an answer.
    pub async fn deal(&self, order: Order<Deal>) -> Result<Answer<EventTold>, LiveError> {
        self.ask(|reply| Mail::Deal(Box::new(order), reply)).await?
    }

    /// Takes a promise of words for the shoe of a table: see [`TournamentHost::promise`].
    ///
    /// # Errors
    ///
    /// When the tournament has stopped.
    pub async fn promise(
        &self,
        table: u32,
        promise: Promise,
    ) -> Result<Result<(), Refusal>, LiveError> {
        self.ask(|reply| Mail::Promise(table, Box::new(promise), reply)).await
    }

    /// Takes a word that was promised: see [`TournamentHost::open_word`].
    ///
    /// # Errors
    ///
    /// When the tournament has stopped.
    pub async fn open_word(
        &self,
        table: u32,
        account: &str,
        word: (Which, Digest),
    ) -> Result<Result<(), Refusal>, LiveError> {
        self.ask(|reply| Mail::Word(table, account.into(), word, reply)).await
    }

    /// Hands in the form of a secret wager: see [`TournamentHost::hand_in`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn hand_in(&self, name: Name, content: &str) -> Result<EventRuled, LiveError> {
        self.ask(|reply| Mail::HandIn(name, content.into(), reply)).await?
    }

    /// Commits to a ballot: see [`TournamentHost::commit_ballot`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn commit_ballot(&self) -> Result<EventRuled, LiveError> {
        self.ask(Mail::CommitBallot).await?
    }

    /// Draws the places: see [`TournamentHost::reveal_ballot`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn reveal_ballot(&self) -> Result<EventRuled, LiveError> {
        self.ask(Mail::RevealBallot).await?
    }

    /// What the tournament looks like to the house itself.
    ///
    /// # Errors
    ///
    /// When the tournament has stopped.
    pub async fn look(&self) -> Result<EventScene, LiveError> {
        Ok(*self.ask(Mail::Look).await?)
    }

    /// Everything behind a version: first what happened, then what happens.
    ///
    /// # Errors
    ///
    /// When the tournament has stopped.
    pub async fn subscribe(
        &self,
        seen: u64,
    ) -> Result<Subscription<EventTold, TableShoe>, LiveError> {
        let watching = self.ask(Mail::Watch).await?;
        Ok(self.0.subscription(seen, watching))
    }

    /// Keeps the state of the tournament under a signed head.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn keep(&self) -> Result<store::Head, LiveError> {
        self.ask(Mail::Keep).await?
    }
}

impl Runs for TournamentHost {
    type Mail = Mail;

    fn stream(&self) -> &str {
        self.stream()
    }

    fn now(&self) -> u64 {
        self.now()
    }

    async fn wake(&mut self) -> Result<Option<u64>, LiveError> {
        self.wake().await
    }

    async fn keep(&mut self) -> Result<store::Head, LiveError> {
        self.keep().await
    }

    /// Who went away loses nothing: what is recorded is recorded.
    async fn open(&mut self, letter: Mail) {
        match letter {
            Mail::Order(order, reply) => drop(reply.send(self.deliver(*order).await)),
            Mail::System(act, reply) => drop(reply.send(self.act(*act).await)),
            Mail::Step(table, reply) => drop(reply.send(self.step_at(table).await)),
            Mail::HandIn(name, content, reply) => {
                drop(reply.send(self.hand_in(name, &content).await));
            }
            Mail::Sealed(order, reply) => drop(reply.send(self.deliver_sealed(*order).await)),
            Mail::Deal(order, reply) => drop(reply.send(self.deal(*order).await)),
            Mail::Promise(table, promise, reply) => {
                drop(reply.send(self.promise(table, *promise)));
            }
            Mail::Word(table, account, word, reply) => {
                drop(reply.send(self.open_word(table, &account, word)));
            }
            Mail::CommitBallot(reply) => drop(reply.send(self.commit_ballot().await)),
            Mail::RevealBallot(reply) => drop(reply.send(self.reveal_ballot().await)),
            Mail::Look(reply) => drop(reply.send(Box::new(self.scene()))),
            Mail::Watch(reply) => drop(reply.send((self.version(), self.watch()))),
            Mail::Keep(reply) => drop(reply.send(self.keep().await)),
        }
    }
}
