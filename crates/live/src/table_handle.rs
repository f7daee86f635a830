//! A table that runs on a floor, as everybody else has it: orders go in, and answers, views and
//! news come out.

use std::sync::Arc;

use rulebooks::Book;
use rules::{Card, Side};
use shoe::{Digest, Promise, ShoeRecord, Which};
use store::{Record, Setup};
use table::{Name, Refusal, Table};
use tokio::sync::broadcast;

use crate::fault::LiveError;
use crate::host::{Host, Proposal, Step, Tried};
use crate::mailbox::{Happened, Mailbox, Reply, Runs, Subscription};
use crate::order::{Answer, Order, Told};

/// What a table looks like to the house itself; `view` makes of it what a role may see.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The stream of the log that holds the table.
    pub stream: String,
    /// How it is run.
    pub setup: Setup,
    /// The book's id, with the id of its base after an `@`.
    pub name: String,
    /// The table as it stands.
    pub table: Table,
    /// The book.
    pub book: Arc<Book>,
    /// How many records it has.
    pub version: u64,
    /// What was published of the current shoe.
    pub shoe: Option<Arc<ShoeRecord>>,
    /// The number of the shoe, from 1; 0 before the first.
    pub shoe_number: u32,
    /// The number of cards left in the system's shoe.
    pub cards_left: Option<u32>,
    /// What was published of the last shoe that is over, its secret included.
    pub revealed: Option<Arc<ShoeRecord>>,
    /// The identity of the book.
    pub sha256: String,
    /// Until when people may do what the table waits for, in microseconds.
    pub until: Option<u64>,
    /// What waits for a second person, the latest first.
    pub proposed: Vec<Proposal>,
    /// Name and account of everybody who was named here.
    names: Vec<(Name, Name)>,
}

impl Scene {
    /// The name of an account, as people at the table know it.
    pub(crate) fn name_of(&self, account: Name) -> Name {
        let known = self.names.iter().find(|(_, known)| *known == account);
        known.map_or(account, |(name, _)| *name)
    }
}

impl Host {
    /// What the table looks like to the house itself.
    #[must_use]
    pub fn scene(&self) -> Scene {
        Scene {
            stream: self.stream().into(),
            setup: self.setup().clone(),
            name: self.name().into(),
            table: self.table().clone(),
            book: self.book().clone(),
            version: self.version(),
            shoe: self.shared_shoe(),
            shoe_number: self.shoe_number(),
            cards_left: self.cards_left(),
            revealed: self.revealed().cloned(),
            sha256: self.identity(),
            until: self.until(),
            proposed: self.proposed().cloned().collect(),
            names: self.names(),
        }
    }
}

/// A letter to a table.
#[derive(Debug)]
pub(crate) enum Mail {
    Order(Box<Order>, Reply<Result<Answer, LiveError>>),
    /// An order, and a look at what the table is after it.
    OrderAndLook(Box<Order>, Reply<Result<(Answer, Box<Scene>), LiveError>>),
    /// What an order would do.
    Consider(Box<Order>, Reply<Result<Box<Tried>, LiveError>>),
    /// The operator's own, from the process that runs the floor.
    System(Box<table::Act>, Reply<Result<Result<Vec<Told>, Refusal>, LiveError>>),
    Step(Reply<Result<Step, LiveError>>),
    Shuffle(Reply<Result<Result<Vec<Told>, Refusal>, LiveError>>),
    CutAsStaff(Reply<Result<Result<Vec<Told>, Refusal>, LiveError>>),
    TakePart(String, Reply<Result<Result<(), Refusal>, LiveError>>),
    Promise(Box<Promise>, Reply<Result<(), Refusal>>),
    Word(String, Which, Digest, Reply<Result<(), Refusal>>),
    Peek(Name, Side, Reply<Option<Vec<Card>>>),
    Account(Name, Reply<String>),
    Abandon(Reply<Result<(), LiveError>>),
    Look(Reply<Box<Scene>>),
    Watch(Reply<(u64, broadcast::Receiver<Happened>)>),
    Keep(Reply<Result<store::Head, LiveError>>),
}

/// A table that runs.
#[derive(Clone, Debug)]
pub struct TableHandle(pub(crate) Mailbox<Mail>);

impl TableHandle {
    /// The stream of the log that holds the table.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.0.stream
    }

    /// The records of the table behind a version.
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
    /// When the log fails, or the table has stopped; a refusal is an answer.
    pub async fn order(&self, order: Order) -> Result<Answer, LiveError> {
        self.ask(|reply| Mail::Order(Box::new(order), reply)).await?
    }

    /// Sends an order, and gives its answer with what the table looks like after it: one letter in
    /// place of two.
    ///
    /// # Errors
    ///
    /// When the log fails, or the table has stopped; a refusal is an answer.
    pub async fn order_and_look(&self, order: Order) -> Result<(Answer, Box<Scene>), LiveError> {
        self.ask(|reply| Mail::OrderAndLook(Box::new(order), reply)).await?
    }

    /// What an order would do, without doing it: see [`Host::consider`].
    ///
    /// # Errors
    ///
    /// When the log fails, or the table has stopped; a refusal is an answer.
    pub async fn consider(&self, order: Order) -> Result<Tried, LiveError> {
        let tried = self.ask(|reply| Mail::Consider(Box::new(order), reply)).await?;
        Ok(*tried?)
    }

    /// An act of the process that runs the floor itself.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn act(&self, act: table::Act) -> Result<Result<Vec<Told>, Refusal>, LiveError> {
        self.ask(|reply| Mail::System(Box::new(act), reply)).await?
    }

    /// Does what is due: see [`Host::step`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn step(&self) -> Result<Step, LiveError> {
        self.ask(Mail::Step).await?
    }

    /// Shuffles: see [`Host::shuffle`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn shuffle(&self) -> Result<Result<Vec<Told>, Refusal>, LiveError> {
        self.ask(Mail::Shuffle).await?
    }

    /// Cuts where nobody else does: see [`Host::cut_as_staff`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn cut_as_staff(&self) -> Result<Result<Vec<Told>, Refusal>, LiveError> {
        self.ask(Mail::CutAsStaff).await?
    }

    /// Takes part in the shoe for somebody in this process: see [`Host::take_part`].
    ///
    /// # Errors
    ///
    /// When the operating system gives no random numbers.
    pub async fn take_part(&self, account: &str) -> Result<Result<(), Refusal>, LiveError> {
        self.ask(|reply| Mail::TakePart(account.into(), reply)).await?
    }

    /// Takes a promise of words: see [`Host::promise`].
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn promise(&self, promise: Promise) -> Result<Result<(), Refusal>, LiveError> {
        self.ask(|reply| Mail::Promise(Box::new(promise), reply)).await
    }

    /// Takes a word that was promised: see [`Host::open_word`].
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn open_word(
        &self,
        account: &str,
        which: Which,
        word: Digest,
    ) -> Result<Result<(), Refusal>, LiveError> {
        self.ask(|reply| Mail::Word(account.into(), which, word, reply)).await
    }

    /// Cards that lie face down, for the player who was given them: see [`Host::peek`].
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn peek(&self, name: Name, side: Side) -> Result<Option<Vec<Card>>, LiveError> {
        self.ask(|reply| Mail::Peek(name, side, reply)).await
    }

    /// The account of somebody at the table.
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn account(&self, name: Name) -> Result<String, LiveError> {
        self.ask(|reply| Mail::Account(name, reply)).await
    }

    /// Abandons the shoe of an empty table: see [`Host::abandon`].
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn abandon(&self) -> Result<(), LiveError> {
        self.ask(Mail::Abandon).await?
    }

    /// What the table looks like to the house itself.
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn look(&self) -> Result<Scene, LiveError> {
        Ok(*self.ask(Mail::Look).await?)
    }

    /// Everything behind a version: first what happened, then what happens.
    ///
    /// # Errors
    ///
    /// When the table has stopped.
    pub async fn subscribe(&self, seen: u64) -> Result<Subscription, LiveError> {
        let watching = self.ask(Mail::Watch).await?;
        Ok(self.0.subscription(seen, watching))
    }

    /// Keeps the state of the table under a signed head.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn keep(&self) -> Result<store::Head, LiveError> {
        self.ask(Mail::Keep).await?
    }
}

impl Runs for Host {
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
            Mail::OrderAndLook(order, reply) => {
                let answer = self.deliver(*order).await;
                drop(reply.send(answer.map(|answer| (answer, Box::new(self.scene())))));
            }
            Mail::Consider(order, reply) => {
                drop(reply.send(self.consider(*order).await.map(Box::new)));
            }
            Mail::System(act, reply) => drop(reply.send(self.act(*act).await)),
            Mail::Step(reply) => drop(reply.send(self.step().await)),
            Mail::Shuffle(reply) => drop(reply.send(self.shuffle().await)),
            Mail::CutAsStaff(reply) => drop(reply.send(self.cut_as_staff().await)),
            Mail::TakePart(account, reply) => drop(reply.send(self.take_part(&account))),
            Mail::Promise(promise, reply) => drop(reply.send(self.promise(*promise))),
            Mail::Word(account, which, word, reply) => {
                drop(reply.send(self.open_word(&account, which, word)));
            }
            Mail::Peek(name, side, reply) => {
                let player = self.table().player_named(&name);
                drop(reply.send(player.and_then(|player| self.peek(player, side))));
            }
            Mail::Account(name, reply) => drop(reply.send(self.account(&name))),
            Mail::Abandon(reply) => drop(reply.send(self.abandon().await)),
            Mail::Look(reply) => drop(reply.send(Box::new(self.scene()))),
            Mail::Watch(reply) => drop(reply.send((self.version(), self.watch()))),
            Mail::Keep(reply) => drop(reply.send(self.keep().await)),
        }
    }
}
