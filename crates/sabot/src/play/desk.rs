//! The desk: one person at a table that the system deals, whatever the screen.

mod acts;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use live::{Ruled, Step, Told, World};
use rulebooks::Book;
use rules::{Cents, Group, Side, Spot, Terms};
use shoe::{Abandoned, ShoeFact};
use store::Deals;
use table::{
    Act, By, CutBy, Deed, Event, Fact, Limits, Name, Next, Options, PlayerId, Refusal, SignLine,
    Table,
};
use tokio::runtime::Runtime;
use view::{Eyes, TableView, Watch, Weight};

use super::client::Client;
use super::guests::Guests;
use super::seat::{Done, Kind, LogLine, Moved, Seat as _, Slip, Wait};
use crate::data::STREAM;

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
    watch: Watch,
    /// The table as the person may see it.
    sight: TableView,
    slip: Slip,
    /// The person at the screen deals.
    pub(crate) dealing: bool,
    /// What the person left with.
    pub(crate) left_with: Option<Cents>,
    /// The shoe before, with its secret.
    pub(crate) finished: Option<shoe::ShoeRecord>,
    guests_have_bet: bool,
}

fn dollars(dollars: u64) -> Cents {
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

/// Whose eyes look at the screen.
const fn eyes_of(me: Name, dealing: bool) -> Eyes {
    if dealing { Eyes::Dealer } else { Eyes::Player(me) }
}

/// The title of a table at which the person at the screen deals. Those of others have the stream's
/// name.
const DEALERS_TABLE: &str = "dealer's table";

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
        let limits = Limits { least: dollars(5), most: dollars(most), step: Some(dollars(5)) };
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
        let title = if dealing { DEALERS_TABLE } else { STREAM };
        let begun = Client::begin(log, (&book, loaded), (title, deals), world);
        let client = runtime.block_on(begun)?;
        // A dealer has no seat, and no name at the table.
        let name = if dealing { Name::default() } else { name };
        let mut desk = Self::at(runtime, client, (name, dealing), Guests::new(Vec::new()));
        desk.stack = stack;
        desk.must(Act::Open(options))?;
        for posting in sign(desk.book(), desk.table().terms()) {
            desk.must(Act::Post(posting))?;
        }
        if !dealing {
            desk.must(Act::Player(name, Deed::Sit(MY_SEAT, stack)))?;
        }
        desk.seat_guests(guests)?;
        Ok(desk)
    }

    /// Goes on with a session.
    pub(crate) fn resume(log: &Path) -> Result<Self> {
        let runtime = runtime()?;
        let since = store::now();
        let client = runtime.block_on(Client::resume(log))?;
        // Only a very long log is still being checked when play goes on; then an alarm stops it.
        let whole = async { tokio::time::timeout(PATIENCE, client.store().checked()).await };
        let _ = runtime.block_on(whole);
        let alarm = client.store().alarm().or_else(|| client.store().alarm_of(STREAM));
        if let Some(alarm) = alarm {
            // First of all: a table that is let go of would sign its state.
            runtime.block_on(client.store().close());
            bail!("{} is not gone on with: {alarm}", log.display());
        }
        if client.table().present().next().is_none() {
            runtime.block_on(client.close())?;
            return Err(NobodyLeft.into());
        }
        // Who plays sat down first, at their own seat; who deals has none. Names tell nothing, and
        // at a dealer's table anybody may take that seat. Older sessions have one title for both.
        let plays = client.title() != DEALERS_TABLE;
        let first = client.table().players().first();
        let first = first.filter(|player| plays && player.seat == MY_SEAT);
        let dealing = first.is_none();
        let me = first.map_or_else(Name::default, |player| player.name);
        let guests = if dealing {
            runtime.block_on(client.simulated())?
        } else {
            // Nobody else can be typed in where a person plays.
            let others = client.table().present().map(|(_, player)| player.name);
            others.filter(|name| *name != me).collect()
        };
        let guests = Guests::new(guests);
        let mut desk = Self::at(runtime, client, (me, dealing), guests);
        // What was interrupted lies on the table as it lay, and so does the round before.
        let from = desk.client.version().saturating_sub(SHOWN);
        let records = desk.runtime.block_on(desk.client.store().records(STREAM, from))?;
        let mut secret_lost = false;
        for record in records {
            let body = record.read()?;
            let lost = ShoeFact::Abandoned(Abandoned::SecretLost);
            secret_lost |= record.at >= since && body == store::Body::Shoe(lost);
            if let store::Body::Table(event) = body {
                desk.remember(&event.fact);
                desk.follow(&event);
            }
        }
        desk.look();
        desk.slip.done =
            desk.own_wagers().into_iter().map(|(spot, stake)| Done::Placed(spot, stake)).collect();
        desk.guests_have_bet = desk
            .table()
            .wagers()
            .iter()
            .any(|wager| desk.guests.is_one(desk.table().player(wager.player).name));
        desk.say_what_is_wrong(secret_lost);
        let coup = desk.table().coups() + u32::from(desk.table().coup().is_none());
        desk.say(format!("the session goes on: coup {coup}"));
        Ok(desk)
    }

    /// Says what this start found of the log, and what it did about it.
    fn say_what_is_wrong(&mut self, secret_lost: bool) {
        if let Some((known, found)) = self.client.store().found_restored() {
            let lost = known.saturating_sub(found);
            self.say(format!(
                "THE LOG WAS RESTORED from an older copy: {lost} acts that were told are lost, the \
                 shoe is abandoned, and a coup that was being dealt is void"
            ));
        }
        if secret_lost {
            let told = "THE SHOE WAS GIVEN UP: its secret is lost, and nothing will ever prove its \
                 order; a coup that was being dealt is void, and wagers that lay are given back";
            self.say(told.into());
        }
        for (_, why) in self.client.store().alarms() {
            self.say(format!("left alone: {}", crate::show::visible(&why)));
        }
    }

    fn at(runtime: Runtime, client: Client, (me, dealing): (Name, bool), guests: Guests) -> Self {
        let watch = Watch::default();
        let sight = client.seen(&eyes_of(me, dealing), &watch, &[]);
        Self {
            runtime,
            client,
            me,
            stack: dollars(1000),
            guests,
            log: Vec::new(),
            watch,
            sight,
            slip: Slip::default(),
            dealing,
            finished: None,
            left_with: None,
            guests_have_bet: false,
        }
    }

    /// Looks at the table again.
    fn look(&mut self) {
        let mut peeked = Vec::new();
        if let Some(me) = self.my_id().filter(|_| self.table().coup().is_some()) {
            for side in Side::BOTH {
                let cards = self.runtime.block_on(self.client.peek(me, side));
                peeked.extend(cards.ok().flatten().map(|cards| (side, cards)));
            }
        }
        self.sight = self.client.seen(&eyes_of(self.me, self.dealing), &self.watch, &peeked);
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

    /// The wagers of the person at the screen, as they lie now.
    fn own_wagers(&self) -> Vec<(Spot, Cents)> {
        let me = self.my_id();
        let mine = self.table().wagers().iter().filter(|wager| Some(wager.player) == me);
        mine.map(|wager| (wager.spot, wager.stake)).collect()
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
        let ruled = self.runtime.block_on(self.client.act_by(by, act.clone()))?;
        if let (Act::Player(name, Deed::Sit(..) | Deed::StandBehind(..)), Ok(_)) = (act, &ruled) {
            self.guests.forget(name);
        }
        Ok(self.ruled(ruled))
    }

    /// Has an act of a simulated player judged, recorded and told.
    pub(crate) fn act_simulated(&mut self, name: Name, deed: Deed) -> Result<Result<(), Refusal>> {
        let act = Act::Player(name, deed);
        let ruled = self.runtime.block_on(self.client.act_simulated(act))?;
        Ok(self.ruled(ruled))
    }

    fn ruled(&mut self, ruled: Ruled) -> Result<(), Refusal> {
        match ruled {
            Ok(told) => {
                self.note(&told);
                Ok(())
            }
            Err(refusal) => {
                self.refused(&refusal);
                Err(refusal)
            }
        }
    }

    pub(crate) fn refused(&mut self, refusal: &Refusal) {
        let clauses = refusal.clause.into_iter().collect();
        let what = format!("{}; {}", refusal.what, refusal.instead);
        self.log.push(LogLine { what, clauses, kind: Kind::Refused });
    }

    /// Follows what happened, for the screen.
    fn note(&mut self, told: &[Told]) {
        for Told { event, what, .. } in told {
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
        self.look();
    }

    /// The wagers of the round before, found in the log.
    fn remember(&mut self, fact: &Fact) {
        if let Fact::CoupBegan { .. } = fact {
            self.slip.last_bets.clear();
        }
        if let Fact::Settled { player, spot, stake, .. } | Fact::Lies { player, spot, stake, .. } =
            fact
            && Some(*player) == self.my_id()
        {
            self.slip.last_bets.push((*spot, *stake));
        }
    }

    /// Keeps what the screen shows of a round, also when it is over, and what can be undone.
    fn follow(&mut self, event: &Event) {
        self.watch.note(self.client.table(), event);
        if event.fact == Fact::BetsOpened {
            self.slip.done.clear();
            self.guests_have_bet = false;
        }
        if event.fact == Fact::BetsClosed {
            let mine = self.own_wagers();
            if !mine.is_empty() {
                self.slip.last_bets = mine;
            }
        }
    }

    /// Lets the table go on by one step, or says whom it waits for.
    fn step(&mut self) -> Result<Moved> {
        match self.runtime.block_on(self.client.step())? {
            Step::Did(told) => self.note(&told),
            Step::Committed(_) => {
                self.say("the house commits to a shoe; `shoe` (p) shows the commitment".into());
            }
            Step::Revealed => {
                self.finished = self.client.published().cloned();
                self.say_that_the_shoe_is_told();
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
            Ok(()) => self.say("you take part: two words of yours go into this shoe".into()),
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
                    let what = "the order is bound before you cut; `shoe` (p) shows its root";
                    self.say(what.into());
                }
            }
            Next::Cut(Some(CutBy::Player(id))) if is_me(self, id) => {
                return Ok(Moved::Waits(Wait::Cut));
            }
            Next::Cut(Some(CutBy::Player(id))) => {
                let name = self.table().player(id).name;
                let depth = self.any_cut();
                let _ = self.act_simulated(name, Deed::Cut(depth))?;
            }
            Next::Cut(_) => {
                let mine = self.my_id();
                let declined = mine.is_some_and(|id| self.table().shoe().declined.contains(&id));
                if mine.is_some() && !declined {
                    return Ok(Moved::Waits(Wait::Cut));
                }
                let other = self.guests.at(self.table()).first().copied();
                let depth = self.any_cut();
                if let Some(name) = other {
                    let _ = self.act_simulated(name, Deed::Cut(depth))?;
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
                // A person who was typed in turns by the dealer's word.
                let _ = if self.guests.is_one(name) {
                    self.act_simulated(name, deed)?
                } else {
                    self.act(Act::Player(name, deed))?
                };
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

    /// Whether simulated players are still to bet in this round.
    pub(crate) fn guests_will_bet(&self) -> bool {
        !self.guests_have_bet && !self.guests.at(self.table()).is_empty()
    }

    /// The simulated players bet, once a round; gives whether they did.
    pub(crate) fn guests_bet(&mut self) -> Result<bool> {
        if std::mem::replace(&mut self.guests_have_bet, true)
            || self.guests.at(self.table()).is_empty()
        {
            return Ok(false);
        }
        for act in self.guests.bets(self.client.table()) {
            // What a simulated player may not do is not worth a word.
            if let Ok(told) = self.runtime.block_on(self.client.act_simulated(act))? {
                self.note(&told);
            }
        }
        Ok(true)
    }

    /// Closes the log, and gives its head. The session can be resumed, unless everybody left.
    pub(crate) fn close(self) -> Result<Option<String>> {
        let head = self.runtime.block_on(self.client.close()).context(crate::stop::NO_HEAD)?;
        Ok(head.map(|head| format!("{}:{}", head.version, head.hash)))
    }
}
