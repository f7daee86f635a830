//! The desk: one person at a table that the system deals, whatever the screen.

mod acts;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use live::{Step, Told, World};
use rulebooks::Book;
use rules::{Cents, Clause, Group, Hand, Side, Spot, Terms};
use store::Deals;
use table::{
    Act, By, CutBy, Deed, Event, Fact, Limits, Name, Next, Options, PlayerId, Refusal, SignLine,
    Table,
};
use tokio::runtime::Runtime;
use view::{Watch, Weight};

use self::acts::Done;
pub(crate) use self::acts::{Face, Sure};
use super::client::Client;
use super::guests::Guests;
use crate::data::STREAM;

/// Something that was said or ruled, for the log on the screen.
#[derive(Clone, Debug)]
pub(crate) struct LogLine {
    pub(crate) what: String,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) kind: Kind,
}

/// How much an entry matters to somebody who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A call of the dealer.
    Call,
    /// A card, a total, a result, money.
    Play,
    /// The preparation of the shoe, and what the book has recorded.
    Detail,
    /// A refusal, or advice.
    Refused,
    /// Said by the program itself.
    Note,
}

/// Whom the table waits for, of the people at the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The cut is theirs.
    Cut,
    /// Wagers.
    Wagers,
    /// Cards that they were given.
    Turn { side: Side, third: bool },
    /// The table is closed.
    Over,
}

/// What the table did by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    /// Something happened.
    On,
    /// It waits.
    Waits(Wait),
}

/// How a table is opened.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    pub(crate) book: String,
    pub(crate) options: Options,
    pub(crate) name: Name,
    pub(crate) stack: Cents,
    pub(crate) guests: usize,
    /// The person at the screen deals; simulated players have the seats.
    pub(crate) dealing: bool,
    /// The cards are real ones, which are keyed in.
    pub(crate) keyed: bool,
    /// The clock and the entropy.
    pub(crate) world: World,
}

pub(crate) struct Desk {
    runtime: Runtime,
    pub(crate) client: Client,
    /// The person at the screen; nobody in a session that was left.
    pub(crate) me: Name,
    stack: Cents,
    pub(crate) guests: Guests,
    pub(crate) log: Vec<LogLine>,
    /// What lies on the felt, also when its round is over.
    pub(crate) watch: Watch,
    /// The person at the screen deals.
    pub(crate) dealing: bool,
    /// What the person left with.
    pub(crate) left_with: Option<Cents>,
    /// The shoe before, with its secret.
    pub(crate) finished: Option<shoe::ShoeRecord>,
    done: Vec<Done>,
    /// What must be said twice and was said once.
    sure: Option<Sure>,
    last_bets: Vec<(Spot, Cents)>,
    guests_have_bet: bool,
}

fn cents(dollars: u64) -> Cents {
    Cents::new(dollars * 100).unwrap_or(Cents::MAX)
}

/// How long the check of a whole log is waited for.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(3);

/// Records that a session is shown from when it goes on.
const SHOWN: u64 = 2000;

/// Everybody left the table of a session.
#[derive(Debug)]
pub(crate) struct NobodyLeft;

impl std::fmt::Display for NobodyLeft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("nobody is left at that table; `sabot play` opens another")
    }
}

impl std::error::Error for NobodyLeft {}

/// Whether a session could not begin because its file is somebody else's.
pub(crate) fn is_anothers(fault: &anyhow::Error) -> bool {
    let fault = fault.downcast_ref::<live::LiveError>();
    let Some(live::LiveError::Store(fault)) = fault else { return false };
    matches!(fault, store::StoreError::Exists(_) | store::StoreError::InUse(_))
}

/// The seat of the person at the screen.
const MY_SEAT: u32 = 3;

pub(crate) fn runtime() -> Result<Runtime> {
    // A thread of its own: heads are written by time also while a person thinks.
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let built = builder.worker_threads(1).enable_time().build();
    built.context("the program cannot run tasks on this system")
}

/// All that the book offers, unless somebody chose.
pub(crate) fn all_offered(book: &Book) -> Options {
    let (method, side_bets) = (book.rulebook.usual_method(), book.rulebook.all_offers());
    let terms = Terms { method, side_bets };
    Options { terms, ..Options::default() }
}

/// What the operator puts on the sign of a table of play money.
pub(crate) fn sign(book: &Book, terms: &Terms) -> Vec<SignLine> {
    let mut postings = Vec::new();
    for group in book.rulebook.groups() {
        let most = match group {
            Group::Main => 1000,
            Group::Tie => 200,
            Group::Side(key) if terms.side_bets.of(key).is_some() => 100,
            Group::Side(_) => continue,
        };
        let limits = Limits { least: cents(5), most: cents(most), step: Some(cents(5)) };
        postings.push(SignLine::Limits(group, limits));
    }
    let chips = [25, 100, 500, 2500, 10_000, 50_000].into_iter().filter_map(Cents::new);
    postings.push(SignLine::Chips(chips.collect()));
    postings
}

impl Desk {
    /// Opens a table and sits down at it.
    pub(crate) fn open(log: &Path, opening: Opening) -> Result<Self> {
        let opened = Self::begin(log, opening);
        // A table that never opened leaves nothing behind; what is somebody else's stays.
        if let Err(fault) = &opened
            && !is_anothers(fault)
        {
            crate::data::remove(log);
        }
        opened
    }

    fn begin(log: &Path, opening: Opening) -> Result<Self> {
        let runtime = runtime()?;
        let Opening { book, options, name, stack, guests, dealing, keyed, world } = opening;
        let loaded = Arc::new(crate::books::load(&book)?);
        let deals = if keyed { Deals::Keyed } else { Deals::Staff };
        let begun = Client::begin(log, (&book, loaded), deals, world);
        let client = runtime.block_on(begun)?;
        // A dealer has no seat, and no name at the table.
        let name = if dealing { Name::default() } else { name };
        let guests = Guests::new(guests, name);
        let mut desk = Self::at(runtime, client, name, guests);
        desk.stack = stack;
        desk.must(Act::Open(options))?;
        for posting in sign(desk.book(), desk.table().terms()) {
            desk.must(Act::Post(posting))?;
        }
        desk.dealing = dealing;
        if !dealing {
            desk.must(Act::Player(name, Deed::Sit(MY_SEAT, stack)))?;
        }
        desk.seat_guests()?;
        Ok(desk)
    }

    /// Goes on with a session.
    pub(crate) fn resume(log: &Path) -> Result<Self> {
        let runtime = runtime()?;
        let client = runtime.block_on(Client::resume(log))?;
        // Only a very long log is still being checked when play goes on; then an alarm stops it.
        let whole = async { tokio::time::timeout(PATIENCE, client.store().checked()).await };
        if let Ok(Some(alarm)) = runtime.block_on(whole) {
            bail!("{} is not gone on with: {alarm}", log.display());
        }
        if client.table().present().next().is_none() {
            runtime.block_on(client.close())?;
            return Err(NobodyLeft.into());
        }
        // Who plays sat down first, at their own seat; who deals has none. Names tell nothing.
        let first = client.table().players().first().filter(|player| player.seat == MY_SEAT);
        let dealing = first.is_none();
        let me = first.map_or_else(Name::default, |player| player.name);
        let guests = Guests::of(client.table(), me);
        let mut desk = Self::at(runtime, client, me, guests);
        desk.dealing = dealing;
        // What was interrupted lies on the table as it lay, and so does the round before.
        let from = desk.client.version().saturating_sub(SHOWN);
        let records = desk.runtime.block_on(desk.client.store().records(STREAM, from))?;
        for record in records {
            if let store::Body::Table(event) = record.read()? {
                desk.remember(&event.fact);
                desk.follow(&event);
            }
        }
        let own: Vec<_> = desk.mine().map(|wager| (wager.spot, wager.stake)).collect();
        desk.done = own.into_iter().map(|(spot, stake)| Done::Placed(spot, stake)).collect();
        desk.guests_have_bet = desk
            .table()
            .wagers()
            .iter()
            .any(|wager| desk.table().player(wager.player).name != desk.me);
        if let Some((known, found)) = desk.client.store().found_restored() {
            let lost = known.saturating_sub(found);
            desk.say(format!(
                "THE LOG WAS RESTORED from an older copy: {lost} acts that were told are lost, the \
                 shoe is abandoned, and a coup that was being dealt is void"
            ));
        }
        let coup = desk.table().coups() + u32::from(desk.table().coup().is_none());
        desk.say(format!("the session goes on: coup {coup}"));
        Ok(desk)
    }

    fn at(runtime: Runtime, client: Client, me: Name, guests: Guests) -> Self {
        Self {
            runtime,
            client,
            me,
            stack: cents(1000),
            guests,
            log: Vec::new(),
            watch: Watch::default(),
            dealing: false,
            finished: None,
            left_with: None,
            done: Vec::new(),
            sure: None,
            last_bets: Vec::new(),
            guests_have_bet: false,
        }
    }

    /// What runs the log's tasks.
    pub(crate) fn tasks(&self) -> tokio::runtime::Handle {
        self.runtime.handle().clone()
    }

    pub(crate) fn table(&self) -> &Table {
        self.client.table()
    }

    pub(crate) fn book(&self) -> &Book {
        self.client.book()
    }

    /// The person at the screen, if they are at the table.
    pub(crate) fn my_id(&self) -> Option<PlayerId> {
        self.table().player_named(&self.me)
    }

    /// The chips in front of the person at the screen.
    pub(crate) fn my_stack(&self) -> Cents {
        self.my_id().map_or(Cents::ZERO, |id| self.table().player(id).stack.at_least_zero())
    }

    /// The wagers of the person at the screen.
    pub(crate) fn mine(&self) -> impl Iterator<Item = &table::Wager> {
        let me = self.my_id();
        self.table().wagers().iter().filter(move |wager| Some(wager.player) == me)
    }

    /// The spots that this table offers, in the order of the layout.
    pub(crate) fn spots(&self) -> Vec<Spot> {
        view::layout(&self.book().rulebook, self.table())
    }

    /// Says something of the program's own.
    pub(crate) fn say(&mut self, what: impl Into<String>) {
        self.log.push(LogLine { what: what.into(), clauses: Vec::new(), kind: Kind::Note });
    }

    fn must(&mut self, act: Act) -> Result<()> {
        match self.act(act)? {
            Ok(()) => Ok(()),
            Err(refusal) => bail!("{refusal}"),
        }
    }

    /// Has an act judged, recorded and told. A refusal is told too.
    pub(crate) fn act(&mut self, act: Act) -> Result<Result<(), Refusal>> {
        self.act_by(By::usual(&act), act)
    }

    /// Has an act of somebody in a role judged, recorded and told.
    pub(crate) fn act_by(&mut self, by: By, act: Act) -> Result<Result<(), Refusal>> {
        let ruled = self.runtime.block_on(self.client.act_by(by, act))?;
        Ok(match ruled {
            Ok(told) => {
                self.note(&told);
                Ok(())
            }
            Err(refusal) => {
                self.refused(&refusal);
                Err(refusal)
            }
        })
    }

    pub(crate) fn refused(&mut self, refusal: &Refusal) {
        let clauses = refusal.clause.into_iter().collect();
        let what = format!("{}; {}", refusal.what, refusal.instead);
        self.log.push(LogLine { what, clauses, kind: Kind::Refused });
    }

    /// Follows what happened, for the screen.
    fn note(&mut self, told: &[Told]) {
        for Told { event, what } in told {
            // What others do is there to be read, but does not crowd the table.
            let other = if let Fact::Placed { player, .. }
            | Fact::Settled { player, .. }
            | Fact::Lies { player, .. } = &event.fact
            {
                !self.dealing && Some(*player) != self.my_id()
            } else {
                false
            };
            let kind = match view::weight(&event.fact) {
                Weight::Detail => Kind::Detail,
                Weight::Call | Weight::Play if other => Kind::Detail,
                Weight::Call => Kind::Call,
                Weight::Play => Kind::Play,
            };
            let entry = LogLine { what: what.clone(), clauses: event.clauses.to_vec(), kind };
            self.log.push(entry);
            self.follow(event);
        }
    }

    /// The wagers of the round before, found in the log.
    fn remember(&mut self, fact: &Fact) {
        if let Fact::CoupBegan { .. } = fact {
            self.last_bets.clear();
        }
        if let Fact::Settled { player, spot, stake, .. } | Fact::Lies { player, spot, stake, .. } =
            fact
            && Some(*player) == self.my_id()
        {
            self.last_bets.push((*spot, *stake));
        }
    }

    /// Keeps what the screen shows of a round, also when it is over, and what can be undone.
    fn follow(&mut self, event: &Event) {
        self.watch.note(self.client.table(), event);
        if event.fact == Fact::BetsOpened {
            self.done.clear();
            self.guests_have_bet = false;
        }
        if event.fact == Fact::BetsClosed {
            let mine: Vec<_> = self.mine().map(|w| (w.spot, w.stake)).collect();
            if !mine.is_empty() {
                self.last_bets = mine;
            }
        }
    }

    /// Lets the table go on by itself by one step, or says whom it waits for.
    pub(crate) fn advance(&mut self) -> Result<Moved> {
        match self.runtime.block_on(self.client.step())? {
            Step::Did(told) => self.note(&told),
            Step::Committed(_) => {
                self.say("the house commits to a shoe; `shoe` (p) shows the commitment");
            }
            Step::Revealed => {
                self.finished = self.client.published().cloned();
                self.say("the shoe is over and its secret published; `shoe` (p) shows the proof");
            }
            Step::Refused(refusal) => bail!("the table cannot go on: {refusal}"),
            Step::Nothing => return Ok(Moved::Waits(Wait::Over)),
            Step::Waits(due) => return self.answer(due.next),
        }
        Ok(Moved::On)
    }

    /// The person at the screen takes part in making the shoe: the program draws their words, once
    /// the house has committed. Who deals is the house.
    fn take_part(&mut self) -> Result<()> {
        let open = self.client.published().is_some_and(|record| {
            record.entropy.is_none() && record.second().is_some_and(|way| way.signature.is_none())
        });
        if self.dealing || self.my_id().is_none() || !open {
            return Ok(());
        }
        let account = self.runtime.block_on(self.client.account(&self.me))?;
        match self.runtime.block_on(self.client.take_part(&account))? {
            Ok(()) => self.say("you take part: two words of yours go into this shoe"),
            Err(refusal) => self.say(format!("you take no part in this shoe: {}", refusal.what)),
        }
        Ok(())
    }

    /// What the others at the table do; the person at the screen is asked.
    fn answer(&mut self, next: Next) -> Result<Moved> {
        let is_me = |desk: &Self, id: PlayerId| Some(id) == desk.my_id();
        match next {
            Next::Shuffle => {
                self.take_part()?;
                let told = self.runtime.block_on(self.client.shuffle())?;
                self.note(&told.map_err(|refusal| anyhow!("{refusal}"))?);
                if self.client.published().is_some_and(|record| record.root.is_some()) {
                    self.say("the order is bound before you cut; `shoe` (p) shows its root");
                }
            }
            Next::Cut(Some(CutBy::Player(id))) if is_me(self, id) => {
                return Ok(Moved::Waits(Wait::Cut));
            }
            Next::Cut(Some(CutBy::Player(id))) => {
                let name = self.table().player(id).name;
                let depth = {
                    let range = self.cut_range();
                    self.guests.cut(range)
                };
                let _ = self.act(Act::Player(name, Deed::Cut(depth)))?;
            }
            Next::Cut(_) => {
                let mine = self.my_id();
                let declined = mine.is_some_and(|id| self.table().shoe().declined.contains(&id));
                if mine.is_some() && !declined {
                    return Ok(Moved::Waits(Wait::Cut));
                }
                let other = self.guests.names().next();
                let depth = {
                    let range = self.cut_range();
                    self.guests.cut(range)
                };
                if let Some(name) = other {
                    let _ = self.act(Act::Player(name, Deed::Cut(depth)))?;
                } else if let Ok(told) = self.runtime.block_on(self.client.cut_as_staff())? {
                    self.note(&told);
                }
            }
            Next::Wagers if self.guests_bet()? => {}
            Next::Wagers => return Ok(Moved::Waits(Wait::Wagers)),
            Next::Turn { side, third, by: Some(id) } if is_me(self, id) => {
                return Ok(Moved::Waits(Wait::Turn { side, third }));
            }
            Next::Turn { side, third, by: Some(id) } => {
                let name = self.table().player(id).name;
                let deed = if third { Deed::TurnThird(side, None) } else { Deed::Turn(side, None) };
                let _ = self.act(Act::Player(name, deed))?;
            }
            other @ (Next::Replace
            | Next::Check(_)
            | Next::Players
            | Next::PlaceCuttingCard(_)
            | Next::Burn
            | Next::Card(_)
            | Next::Turn { by: None, .. }
            | Next::Inspector
            | Next::Decide(_)) => bail!("the table waits for staff: {other:?}"),
        }
        Ok(Moved::On)
    }

    /// Whether the simulated players have bet in this round.
    pub(crate) const fn guests_have_bet(&self) -> bool {
        self.guests_have_bet
    }

    /// The simulated players bet, once a round; gives whether they did.
    pub(crate) fn guests_bet(&mut self) -> Result<bool> {
        if std::mem::replace(&mut self.guests_have_bet, true) {
            return Ok(false);
        }
        for act in self.guests.bets(self.client.table()) {
            // What a simulated player may not do is not worth a word.
            if let Ok(told) = self.runtime.block_on(self.client.act(act))? {
                self.note(&told);
            }
        }
        Ok(true)
    }

    /// Closes the log, and gives its head. The session can be resumed, unless everybody left.
    pub(crate) fn close(self) -> Result<Option<String>> {
        let head = self.runtime.block_on(self.client.close())?;
        Ok(head.map(|head| format!("{}:{}", head.version, head.hash)))
    }

    /// The total of a side's open cards, as the book counts.
    pub(crate) fn total(&self, side: Side) -> Option<u8> {
        let cards: Vec<_> = self
            .watch
            .cards
            .iter()
            .filter(|lying| lying.side == side)
            .filter_map(|lying| lying.card)
            .take(3)
            .collect();
        let total = Hand::of(&cards).total(&self.book().rulebook.cards).value;
        (!cards.is_empty()).then_some(total)
    }

    /// Whether each card on the table is proved: nothing while it is not opened.
    pub(crate) fn proved(&self) -> Vec<Option<bool>> {
        let Some(record) = self.client.published() else {
            return vec![None; self.watch.cards.len()];
        };
        let begins = format!("coup {}:", self.watch.coup);
        let of_coup =
            record.dealt.iter().zip(0_u32..).filter(|(what, _)| what.starts_with(&begins));
        let proof = |index: u32| {
            let opening = record.openings.iter().rev().find(|opening| opening.index == index);
            opening.map(|opening| record.proves(opening))
        };
        let mut proofs: Vec<_> = of_coup.map(|(_, index)| proof(index)).collect();
        proofs.resize(self.watch.cards.len(), None);
        proofs
    }

    /// The account of the person at the screen.
    pub(crate) fn my_account(&self) -> String {
        let account = self.runtime.block_on(self.client.account(&self.me));
        account.unwrap_or_else(|_| self.me.to_string())
    }

    /// What was asked about in the book's words: the gist of a clause, and how we read it.
    pub(crate) fn gist(&self, clause: Clause) -> Option<String> {
        let said = clause.each().filter_map(|clause| {
            let entry = self.book().clause(&clause)?;
            Some(match &entry.reading {
                Some(reading) => format!("{} (we read: {reading})", entry.gist),
                None => entry.gist.clone(),
            })
        });
        let said: Vec<_> = said.collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}
