//! The system as dealer: it does what is due, or says whom the table waits for.

use shoe::{Abandoned, Digest, Promise, ShoeFact, Which};
use table::{Act, By, Decision, Due, Refusal, Role, Work};

use super::{Host, Ruled};
use crate::dealing::Move;
use crate::fault::LiveError;
use crate::order::Told;

/// What the system did, or whom it waits for.
#[derive(Debug)]
pub enum Step {
    /// The system did something.
    Did(Vec<Told>),
    /// The system drew the entropy of a shoe and committed to it; now people take part.
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

impl Host {
    /// Does the next thing that the dealer or staff have to do, or says whom the table waits for.
    ///
    /// # Errors
    ///
    /// When the log or the system's source of randomness fails.
    pub async fn step(&mut self) -> Result<Step, LiveError> {
        if let Some(told) = self.give_up_shoe().await? {
            return Ok(Step::Did(told));
        }
        let world = self.world.clone();
        let felt = crate::dealing::Felt { state: self.table.state(), book: &self.book.rulebook };
        let (act, facts) = match self.dealing.next(felt, &world)? {
            Move::Commit => return self.commit().await.map(Step::Committed),
            Move::Reveal => {
                self.reveal(None).await?;
                return Ok(Step::Revealed);
            }
            Move::Waits(due) => return Ok(Step::Waits(due)),
            Move::Nothing => return Ok(Step::Nothing),
            Move::Act(act, facts) => (act, facts),
        };
        Ok(match self.act_with(By::usual(&act), act, facts).await? {
            Ok(told) => Step::Did(told),
            Err(refusal) => Step::Refused(refusal),
        })
    }

    /// Cuts where nobody else does: chance chooses how deep.
    ///
    /// # Errors
    ///
    /// When the log or the system's source of randomness fails; a refusal is no error.
    pub async fn cut_as_staff(&mut self) -> Result<Ruled, LiveError> {
        let (depth, fact) = self.dealing.cut_by_chance(self.felt(), &self.world)?;
        let act = Act::Supervisor(Decision::Cut(depth));
        self.act_with(By::usual(&act), act, fact.into_iter().collect()).await
    }

    /// Draws the entropy of a shoe, keeps it under lock and key, and publishes a commitment to it
    /// and to all that could be chosen later.
    async fn commit(&mut self) -> Result<Digest, LiveError> {
        let key = self.scribe.log.public_key().ok_or(LiveError::Broken)?;
        let (secret, (facts, with)) =
            self.dealing.commit(self.felt(), (key, self.sha256), &self.world)?;
        let version = self.scribe.version + 1;
        let commitment = match facts.first() {
            Some(ShoeFact::Committed { commitment, .. }) => *commitment,
            _ => return Err(LiveError::Broken),
        };
        self.publish(facts, with).await?;
        self.dealing.committed(secret, version);
        Ok(commitment)
    }

    /// Takes part for somebody in this process: draws their words, and promises them. They are
    /// opened by themselves when they are due.
    ///
    /// # Errors
    ///
    /// When the operating system gives no random numbers; a refusal is no error.
    pub fn take_part(&mut self, account: &str) -> Result<Result<(), Refusal>, LiveError> {
        self.dealing.take_part(account, &self.world)
    }

    /// Takes a promise of words while the list is open.
    ///
    /// # Errors
    ///
    /// When there is no open list, or somebody is on it already, or takes no part for a day.
    pub fn promise(&mut self, promise: Promise) -> Result<(), Refusal> {
        let now = self.world.now();
        self.dealing.promise(promise, now)
    }

    /// Takes a word that was promised, when it is due.
    ///
    /// # Errors
    ///
    /// When it is not due, or is not the one that was promised.
    pub fn open_word(&mut self, account: &str, which: Which, word: Digest) -> Result<(), Refusal> {
        self.dealing.open_word(account, which, word)
    }

    /// Who still has to open a word: the first ones before the shuffle, the second ones before a
    /// cut that nobody chooses.
    #[must_use]
    pub fn words_due(&self, which: Which) -> Vec<String> {
        self.dealing.words_due(which)
    }

    /// Closes the list of promises, signs and publishes it. Does nothing if it is closed.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn close_list(&mut self) -> Result<(), LiveError> {
        let signer = self.scribe.log.signer().ok_or(LiveError::Broken)?;
        match self.dealing.list(signer) {
            Some((facts, with)) => self.publish(facts, with).await,
            None => Ok(()),
        }
    }

    /// Shuffles: makes the order of the shoe from the house's entropy and the words that people
    /// opened, and publishes its root. Where the cards are real, the dealer shuffles.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn shuffle(&mut self) -> Result<Ruled, LiveError> {
        if !self.dealing.has_secret() {
            return self.act(Act::Dealer(Work::Shuffle)).await;
        }
        self.close_list().await?;
        let Some(shoe) = self.dealing.order()? else { return Err(LiveError::Broken) };
        let mixed = vec![shoe.mixed()];
        let by = By::role(Role::Dealer);
        let ruled = self.act_with(by, Act::Dealer(Work::Shuffle), mixed).await;
        self.dealing.ordered(shoe);
        ruled
    }

    /// Publishes the secret of the shoe: it is over, or abandoned. The state is kept with it, under
    /// a signed head.
    pub(super) async fn reveal(&mut self, why: Option<Abandoned>) -> Result<(), LiveError> {
        let Some((facts, with)) = self.dealing.reveal(why) else { return Ok(()) };
        self.publish(facts, with).await?;
        self.revealed = self.dealing.shared();
        self.keep().await?;
        Ok(())
    }

    /// Abandons the shoe when everybody has left, and publishes its secret. Does nothing while
    /// somebody is there who might still bet on its cards.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn abandon(&mut self) -> Result<(), LiveError> {
        if self.table.present().next().is_some() || !self.dealing.has_shoe() {
            return Ok(());
        }
        self.dealing.doom(Abandoned::Left);
        if self.give_up_shoe().await?.is_none() {
            self.reveal(Some(Abandoned::Left)).await?;
        }
        Ok(())
    }

    /// Abandons a shoe that must not be dealt on, as soon as no card of it is needed: a coup that
    /// is being dealt is void. Gives what happened, if anything did.
    pub(super) async fn give_up_shoe(&mut self) -> Result<Option<Vec<Told>>, LiveError> {
        let Some(why) = self.dealing.doomed() else { return Ok(None) };
        if !self.dealing.counts_on_it(self.felt()) {
            self.reveal(Some(why)).await?;
            return Ok(Some(Vec::new()));
        }
        let act = Act::ShoeRunsOut;
        let facts = vec![ShoeFact::Abandoned(why)];
        let Ok(told) = self.act_with(By::usual(&act), act, facts).await? else { return Ok(None) };
        if why != Abandoned::SecretLost {
            self.reveal(None).await?;
        }
        Ok(Some(told))
    }

    /// Does what must follow the events: when a table closes, the secret of its shoe is published.
    pub(super) async fn after(&mut self, told: &[Told]) -> Result<(), LiveError> {
        let closed = told.iter().any(|told| told.event.fact == table::Fact::Closed);
        if closed { self.reveal(None).await } else { Ok(()) }
    }
}
