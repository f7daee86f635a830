//! One tournament of the floor: what its director, players and inspector say is judged, recorded
//! and then told. The system deals at its tables if it is asked to, each from a shoe of its own.

mod dealing;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rulebooks::Book;
use serde::{Deserialize, Serialize};
use shoe::{Digest, ShoeFact, ShoeRecord};
use store::{
    Acted, Begin, Body, Log, RefusedAct, Setup, Snapshot, Store, TOURNAMENT, TableShoe, With,
};
use table::{By, Code, Name, Refusal, Role};
use tournament::{Act, Command, Event, Fact, State, Tournament, secret};

use self::dealing::Shoes;
pub use self::dealing::TableStep;
use crate::account::Accounts;
use crate::dealing::Known;
use crate::fault::LiveError;
use crate::host::{book_of, reused};
use crate::matrix::{May, is_staff, may_in_tournament};
use crate::order::{Answer, MOST_KEY, Order};
use crate::people::{People, with_names};
use crate::scribe::{Named, Scribe, Written};
use crate::world::World;

/// An event of a tournament, with its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTold {
    /// The event.
    pub event: Event,
    /// The event in words.
    pub what: String,
}

/// What followed from an act in a tournament, or why it was refused.
pub type EventRuled = Result<Vec<EventTold>, Refusal>;

/// Records after which the state is kept anew.
const KEEP_AFTER: u64 = 2000;
/// Refusals that are kept between two acts.
const KEPT_REFUSALS: u32 = 32;

/// A tournament and its stream of the log.
#[derive(Debug)]
pub struct TournamentHost {
    scribe: Scribe,
    /// The log is closed with the tournament.
    alone: bool,
    world: World,
    accounts: Option<Accounts>,
    setup: Setup,
    name: String,
    book: Arc<Book>,
    sha256: Digest,
    tournament: Tournament,
    people: People,
    shoes: Shoes,
    refusals: u32,
}

/// The state of a tournament as it is kept. It has no secret in it.
#[derive(Serialize, Deserialize)]
struct Kept {
    book: store::Book,
    setup: Setup,
    tournament: State,
    shoes: BTreeMap<u32, Known>,
}

fn no<T>(code: Code, what: impl Into<String>, instead: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(code, None, what, instead))
}

/// The stream of a tournament.
#[must_use]
pub fn tournament_stream(name: &str) -> String {
    format!("{TOURNAMENT}{name}")
}

enum Judged {
    Done(Vec<EventTold>),
    Before(u64, u64),
    Refused(Refusal, bool),
}

impl TournamentHost {
    /// Begins a tournament in a log of its own. Nothing is documented yet.
    ///
    /// # Errors
    ///
    /// When the log or its key cannot be used, or the stream is there already.
    pub async fn begin(
        log: &Path,
        key: &Path,
        begin: Begin,
        (title, name, book, setup): (&str, &str, Arc<Book>, Setup),
    ) -> Result<Self, LiveError> {
        let store = Store::open_with(log, key, begin).await?;
        let world = World::real();
        let host =
            Self::begin_in(store.clone().into(), world, None, (title, name, book, setup)).await;
        Self::own(store, host).await
    }

    async fn own(store: Store, host: Result<Self, LiveError>) -> Result<Self, LiveError> {
        match host {
            Ok(host) => Ok(Self { alone: true, ..host }),
            Err(fault) => {
                store.close().await;
                Err(fault)
            }
        }
    }

    /// Begins a tournament in a log that others may write to as well.
    ///
    /// # Errors
    ///
    /// When the stream is there already, or the disk fails.
    pub async fn begin_in(
        log: Log,
        world: World,
        accounts: Option<Accounts>,
        (title, name, book, setup): (&str, &str, Arc<Book>, Setup),
    ) -> Result<Self, LiveError> {
        let stream = tournament_stream(title);
        if !log.records(&stream, 0).await?.is_empty() {
            return Err(LiveError::Begun(stream));
        }
        let canonical = book.canonical();
        let sha256 = Digest::of(&[canonical.as_bytes()]);
        let files = audit::files_of(&book);
        let (book, rules) = crate::books::shared(book, sha256);
        let tournament = Tournament::new(rules);
        let people = People::of(&stream, log.people().await?);
        let world = match setup.ahead_of_utc {
            Some(minutes) => world.with_offset(minutes),
            None => world,
        };
        let mut host = Self {
            scribe: Scribe::new(log, &stream, 0),
            alone: false,
            world,
            accounts,
            setup: setup.clone(),
            name: name.into(),
            book,
            sha256,
            tournament,
            people,
            shoes: Shoes::new(&stream),
            refusals: 0,
        };
        let known = Body::Book(store::Book { name: name.into(), sha256, files: Vec::new() });
        let bodies = vec![known, Body::Setup(setup)];
        let with = vec![With::Book { sha256, canonical, files }];
        let named = host.scribe.own("operator", &bodies);
        host.scribe.write(named, host.world.now(), bodies, Vec::new(), with).await?;
        Ok(host)
    }

    /// Continues a tournament where its log ends.
    ///
    /// # Errors
    ///
    /// When the log or its key cannot be used, does not hold, or holds no such tournament.
    pub async fn resume(log: &Path, key: &Path, title: &str) -> Result<Self, LiveError> {
        if !log.is_file() {
            return Err(store::StoreError::Missing(log.into()).into());
        }
        let store = Store::open_with(log, key, Begin::Either).await?;
        let stream = tournament_stream(title);
        let resumed = Self::resume_in(store.clone().into(), World::real(), None, &stream).await;
        Self::own(store, resumed).await
    }

    /// Continues a tournament of a log that others may write to as well.
    ///
    /// # Errors
    ///
    /// When the stream does not hold, is no tournament, or the book is not at hand.
    pub async fn resume_in(
        log: Log,
        world: World,
        accounts: Option<Accounts>,
        stream: &str,
    ) -> Result<Self, LiveError> {
        let mut opening = log.go_on(stream).await?;
        let kept = opening.snapshot.as_ref();
        let kept = kept.and_then(|(at, state)| Some((*at, serde_json::from_str(state).ok()?)));
        let kept: Option<(u64, Kept)> = kept;
        if opening.snapshot.is_some() && kept.is_none() {
            log.forget_snapshot(stream).await?;
            opening = log.go_on(stream).await?;
        }
        let records = opening.records;
        let nothing = || LiveError::NoTable(log.path().into());
        let known = if let Some((_, kept)) = &kept {
            kept.book.clone()
        } else {
            let first = records.first().ok_or_else(nothing)?;
            let Body::Book(known) = first.read()? else { return Err(nothing()) };
            known
        };
        let (book, rulebook, _) = book_of(&log, &known).await?;
        let mut people = People::of(stream, log.people().await?);
        let (from, tournament, setup, shoes) = match kept {
            Some((from, kept)) => {
                let state = kept.tournament.renamed(&mut |account| people.name_of(account));
                (from, Tournament::at(rulebook, state), Some(kept.setup), kept.shoes)
            }
            None => (0, Tournament::new(rulebook), None, BTreeMap::new()),
        };
        let version = from + records.len() as u64;
        let mut host = Self {
            scribe: Scribe::new(log, stream, version),
            alone: false,
            world,
            accounts,
            setup: setup.unwrap_or_else(|| crate::host::alone(stream)),
            name: known.name,
            book,
            sha256: known.sha256,
            tournament,
            people,
            shoes: Shoes::of(stream, shoes),
            refusals: 0,
        };
        host.scribe.unkept = records.len() as u64;
        for record in &records {
            host.fold(record)?;
        }
        if let Some(minutes) = host.setup.ahead_of_utc {
            host.world = host.world.with_offset(minutes);
        }
        host.open_shoes(opening.restored).await?;
        Ok(host)
    }

    fn fold(&mut self, record: &store::Record) -> Result<(), LiveError> {
        match record.read()? {
            Body::Tournament(event) => {
                let people = &mut self.people;
                let event = event.renamed(&mut |account| people.name_of(account));
                self.shoes.note_event(&event, &self.tournament);
                self.tournament.replay(&event)?;
            }
            Body::Setup(setup) => self.setup = setup,
            Body::TableShoe(fact) => {
                self.shoes.note_facts(fact.table, &[fact.fact], (record.at, record.version));
                if let Some(sitting) = self.tournament.sitting(fact.table) {
                    self.shoes.settle_at(fact.table, &sitting.table);
                }
            }
            Body::Book(_)
            | Body::Line(_)
            | Body::Table(_)
            | Body::Shoe(_)
            | Body::Checkpoint(_)
            | Body::Answer(_)
            | Body::Key(_)
            | Body::Restored(_)
            | Body::Act(_)
            | Body::Refused(_)
            | Body::Proposed(_)
            | Body::TournamentAct(_)
            | Body::TournamentRefused(_)
            | Body::Account(_) => {}
        }
        Ok(())
    }

    /// The tournament as it stands.
    #[must_use]
    pub const fn tournament(&self) -> &Tournament {
        &self.tournament
    }

    /// The book that it is judged by.
    #[must_use]
    pub fn book(&self) -> &Arc<Book> {
        &self.book
    }

    /// The id of the book, with its sheets.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it is run.
    #[must_use]
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The log.
    #[must_use]
    pub const fn log(&self) -> &Log {
        &self.scribe.log
    }

    /// How many records the tournament has.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.scribe.version
    }

    /// The stream of the log that holds it.
    #[must_use]
    pub fn stream(&self) -> &str {
        &self.scribe.stream
    }

    /// The time, as acts get it.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.world.now()
    }

    /// Puts another clock and another source of entropy in place, for tests and simulations.
    pub fn set_world(&mut self, world: World) {
        self.world = world;
    }

    /// What was published of the shoe at a table.
    #[must_use]
    pub fn published(&self, table: u32) -> Option<&ShoeRecord> {
        self.shoes.published(table)
    }

    /// Takes an order of somebody. It is carried out once however often it comes, and answered the
    /// same.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is an answer.
    pub async fn deliver(&mut self, order: Order<Act>) -> Result<Answer<EventTold>, LiveError> {
        if !(1..=MOST_KEY).contains(&order.key.len()) {
            let instead = format!("a key has 1 to {MOST_KEY} bytes");
            return Ok(self.answer(no(
                Code::Unsayable,
                "a key that is empty or too long",
                instead,
            )));
        }
        let payload = order.payload(&self.scribe.stream);
        let named = Named { actor: order.who.clone(), key: order.key.clone(), payload };
        let (by, judged) = match self.admit(&order).await? {
            Err(refusal) => (order.act.usual(), Judged::Refused(refusal, false)),
            Ok(by) => {
                let who = Some((named.clone(), order.who.clone()));
                (by, self.judge(by, order.act.clone(), who).await?)
            }
        };
        match judged {
            Judged::Done(told) => Ok(self.answer(Ok(told))),
            Judged::Before(first, last) => self.answered(first, last).await,
            Judged::Refused(refusal, by_the_book) => {
                self.refuse(order, named, (by, by_the_book), refusal).await
            }
        }
    }

    const fn answer(&self, ruled: EventRuled) -> Answer<EventTold> {
        Answer { version: self.scribe.version, ruled, repeated: false }
    }

    /// Whether the person may say this, and as what.
    async fn admit(&mut self, order: &Order<Act>) -> Result<Result<By, Refusal>, LiveError> {
        if let Some(accounts) = &self.accounts {
            let account = accounts.get(&order.who).await?;
            if order.role != Role::Player && !account.roles.contains(&order.role) {
                let what = format!("an act as {} of somebody who is none", order.role);
                return Ok(no(Code::NotTheirs, what, "act in a role that you have"));
            }
        }
        let by = match may_in_tournament(order.role, &order.act) {
            May::Yes(by) | May::ForWalkIn(by) => by,
            May::No => {
                let whose = order.act.roles()[0];
                let what = format!("an act of the {whose}, by the {}", order.role);
                return Ok(no(Code::NotTheirs, what, format!("allowed: to the {whose}")));
            }
        };
        let Some(accounts) = &self.accounts else { return Ok(Ok(by)) };
        let own = accounts.table_name(&order.who);
        if order.role == Role::Player {
            if by.name.is_none() || by.name != own {
                return Ok(no(Code::NotTheirs, "an act of another player", "speak for yourself"));
            }
            if let (Some(name), Ok(account)) = (own, Name::from(&order.who)) {
                self.people.bind(name, account);
            }
        } else if is_staff(order.role)
            && !self.setup.alone
            && own.is_some_and(|name| self.tournament.entrant_called(&name).is_some())
        {
            let what = "somebody who is entered runs the tournament";
            return Ok(no(Code::RunsTheTable, what, "other staff do it"));
        }
        Ok(Ok(by))
    }

    /// Judges an act of the system, or of one person who runs the event alone.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn act_by(&mut self, by: By, act: Act) -> Result<EventRuled, LiveError> {
        match self.judge(by, act, None).await? {
            Judged::Done(told) => Ok(Ok(told)),
            Judged::Refused(refusal, _) => Ok(Err(refusal)),
            Judged::Before(..) => Err(LiveError::Broken),
        }
    }

    /// A player hands in the form of a secret wager: its words go into a sealed box, and everybody
    /// sees their commitment.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn hand_in(&mut self, name: Name, content: &str) -> Result<EventRuled, LiveError> {
        if !secret::is_plain(content) || content.len() > 200 || content.trim().is_empty() {
            let instead = "one line, such as `100 on player`";
            return Ok(no(Code::Unsayable, "a form that cannot be read", instead));
        }
        let salt = self.random_words()?;
        let commitment = secret::commitment(&salt, content);
        let kept = format!("{salt}\n{content}");
        let sealed =
            With::Secret { name: self.form_name(commitment), secret: kept.into_bytes().into() };
        let act = Act::HandIn(name, commitment);
        match self.judge_with(act.usual(), act, None, (vec![sealed], None)).await? {
            Judged::Done(told) => Ok(Ok(told)),
            Judged::Refused(refusal, _) => Ok(Err(refusal)),
            Judged::Before(..) => Err(LiveError::Broken),
        }
    }

    /// Draws the secret of a ballot, seals it, and commits to it.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn commit_ballot(&mut self) -> Result<EventRuled, LiveError> {
        let secret = self.random_words()?;
        let commitment = tournament::ballot::commitment(&secret);
        let name = self.ballot_name(commitment);
        let sealed = With::Secret { name, secret: secret.into_bytes().into() };
        let act = Act::CommitBallot(commitment);
        match self.judge_with(act.usual(), act, None, (vec![sealed], None)).await? {
            Judged::Done(told) => Ok(Ok(told)),
            Judged::Refused(refusal, _) => Ok(Err(refusal)),
            Judged::Before(..) => Err(LiveError::Broken),
        }
    }

    /// Reveals the secret of the ballot, and places are drawn.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn reveal_ballot(&mut self) -> Result<EventRuled, LiveError> {
        let Some(commitment) = self.tournament.ballot_commitment() else {
            let what = "a ballot that nobody committed to";
            return Ok(no(Code::BadBallot, what, "commit to one first"));
        };
        let Some(kept) = self.scribe.log.unseal(&self.ballot_name(commitment)).await? else {
            let what = "the secret of this ballot is not in the log";
            let instead = "`director reveals the ballot SECRET`, or `director abandons the ballot`";
            return Ok(no(Code::BadBallot, what, instead));
        };
        let act = Act::RevealBallot(String::from_utf8_lossy(&kept).into_owned());
        self.act_by(act.usual(), act).await
    }

    /// Sixteen random bytes, as text.
    fn random_words(&self) -> Result<String, LiveError> {
        let mut bytes = [0; 32];
        self.world.fill(&mut bytes).map_err(LiveError::NoEntropy)?;
        let mut text = Digest(bytes).to_string();
        text.truncate(32);
        Ok(text)
    }

    fn ballot_name(&self, commitment: Digest) -> String {
        format!("{} ballot {commitment}", self.scribe.stream)
    }

    fn form_name(&self, commitment: Digest) -> String {
        format!("{} form {commitment}", self.scribe.stream)
    }

    /// The words of a sealed form, where the inspector opens one without saying them.
    async fn unseal_form(&self, act: Act) -> Result<Act, LiveError> {
        let Act::OpenForm { name, salt, content } = &act else { return Ok(act) };
        if !salt.is_empty() || !content.is_empty() {
            return Ok(act);
        }
        let sitting = self
            .tournament
            .entrant_named(name)
            .and_then(|id| Some((id, self.tournament.sitting_of(id)?)));
        let form = sitting.and_then(|(id, sitting)| sitting.chair(id)?.form.as_ref());
        let Some(commitment) = form.map(|form| form.commitment) else { return Ok(act) };
        let Some(kept) = self.scribe.log.unseal(&self.form_name(commitment)).await? else {
            return Ok(act);
        };
        let text = String::from_utf8_lossy(&kept).into_owned();
        let Some((salt, content)) = text.split_once('\n') else { return Ok(act) };
        Ok(Act::OpenForm { name: *name, salt: salt.into(), content: content.into() })
    }

    async fn judge(
        &mut self,
        by: By,
        act: Act,
        who: Option<(Named, String)>,
    ) -> Result<Judged, LiveError> {
        self.judge_with(by, act, who, (Vec::new(), None)).await
    }

    async fn judge_with(
        &mut self,
        by: By,
        act: Act,
        who: Option<(Named, String)>,
        // What the system publishes besides where it deals itself; nothing for anybody else's act.
        (mut with, more): (Vec<With>, Option<Vec<ShoeFact>>),
    ) -> Result<Judged, LiveError> {
        if self.scribe.broken {
            return Err(LiveError::Broken);
        }
        let bypass = || if more.is_none() { self.refuse_bypass(&act) } else { None };
        if let Some(refusal) = unsayable(&act).or_else(bypass) {
            return Ok(Judged::Refused(refusal, false));
        }
        let act = self.unseal_form(act).await?;
        let (act, mut drawn) = self.fill(act);
        let command = Command { at: self.world.now(), by, act };
        let events = match self.tournament.decide(&command) {
            Ok(events) => events,
            Err(refusal) => {
                self.put_back(&drawn);
                let hidden = drawn.discreet(refusal.clone());
                let by_the_book = hidden == refusal && drawn.is_empty();
                return Ok(Judged::Refused(hidden, by_the_book));
            }
        };
        self.with_burnt(&mut drawn, &events);
        drawn.add(more.unwrap_or_default());
        let before = self.people.clone();
        let (logged_by, logged, people) = self.people.in_event(by, command.act);
        with.extend(people);
        let line = transcript::say_in_tournament(&logged, &self.book.rulebook, &self.name);
        let line = (line.len() == 1).then(|| line.concat());
        let (named, account) = match who {
            Some((named, account)) => (Some(named), Some(account)),
            None => (None, None),
        };
        let acted = Acted { who: account, second: None, by: logged_by, act: logged, line };
        let mut bodies = vec![Body::TournamentAct(Box::new(acted))];
        let people = &mut self.people;
        let in_log = events.iter().cloned().map(|event| {
            let event = event.renamed(&mut |name| people.account_of(name));
            Body::Tournament(Box::new(event))
        });
        bodies.extend(in_log);
        let first_fact = self.scribe.version + 1 + bodies.len() as u64;
        bodies.extend(drawn.bodies());
        let at = command.at;
        let actor = logged_by.to_string();
        let named = named.unwrap_or_else(|| self.scribe.own(&actor, &bodies));
        let written = self.scribe.write(named, at, bodies, Vec::new(), with).await;
        if !matches!(written, Ok(Written::New)) && !self.scribe.broken {
            self.put_back(&drawn);
            self.people = before;
        }
        match written {
            Ok(Written::New) => {}
            Ok(Written::Before(first, last)) => return Ok(Judged::Before(first, last)),
            Err(LiveError::Store(store::StoreError::KeyReused(_))) => {
                return Ok(Judged::Refused(reused(), false));
            }
            Err(fault) => return Err(fault),
        }
        self.refusals = 0;
        let told = self.tell(events);
        self.shoes.settle(&drawn, (at, first_fact), &self.tournament);
        self.keep_if_due().await?;
        Ok(Judged::Done(told))
    }

    fn tell(&mut self, events: Vec<Event>) -> Vec<EventTold> {
        let mut told = Vec::with_capacity(events.len());
        for event in events {
            self.shoes.note_event(&event, &self.tournament);
            self.tournament.evolve(&event);
            let what = transcript::tell_of_tournament(&event, &self.tournament);
            told.push(EventTold { event, what });
        }
        told
    }

    /// Answers a refusal, and keeps it, so that it can be looked up.
    async fn refuse(
        &mut self,
        order: Order<Act>,
        named: Named,
        (by, by_the_book): (By, bool),
        refusal: Refusal,
    ) -> Result<Answer<EventTold>, LiveError> {
        if self.refusals >= KEPT_REFUSALS || refusal.code == Code::Unsayable {
            let known = self.scribe.log.command(&named.actor, &named.key).await?;
            return match known {
                Some((payload, stream, (first, last)))
                    if payload == named.payload && stream == self.scribe.stream =>
                {
                    self.answered(first, last).await
                }
                Some(_) => Ok(self.answer(Err(reused()))),
                None => Ok(self.answer(Err(refusal))),
            };
        }
        self.refusals += 1;
        let at = self.world.now();
        let before = self.people.clone();
        let (by, act, with) = self.people.in_event(by, order.act);
        let line = transcript::say_in_tournament(&act, &self.book.rulebook, &self.name);
        let line = (line.len() == 1).then(|| line.concat());
        let mut told = refusal.clone();
        if by_the_book {
            let people = &mut self.people;
            let state = self.tournament.state().clone();
            let state = state.renamed(&mut |name| people.account_of(name));
            let judge = Tournament::at(Arc::new(self.book.rulebook.clone()), state);
            if let Err(refusal) = judge.decide(&Command { at, by, act: act.clone() }) {
                told = refusal;
            }
        }
        let asked = Acted { who: Some(order.who), second: None, by, act, line };
        let refused = RefusedAct { asked, by_the_book, refusal: told };
        let bodies = vec![Body::TournamentRefused(Box::new(refused))];
        match self.scribe.write(named, at, bodies, Vec::new(), with).await {
            Ok(Written::New) => Ok(self.answer(Err(refusal))),
            Ok(Written::Before(first, last)) => {
                self.people = before;
                self.answered(first, last).await
            }
            Err(LiveError::Store(store::StoreError::KeyReused(_))) => {
                self.people = before;
                Ok(self.answer(Err(reused())))
            }
            Err(fault) => Err(fault),
        }
    }

    /// The answer that an order got before, from its records.
    async fn answered(&self, first: u64, last: u64) -> Result<Answer<EventTold>, LiveError> {
        let records = self.scribe.log.records(&self.scribe.stream, first.saturating_sub(1)).await?;
        let (mut told, mut ruled, mut people) = (Vec::new(), None, self.people.clone());
        for record in records.iter().filter(|record| record.version <= last) {
            let body = record.read()?;
            if let Body::Tournament(event) = body {
                let event = event.renamed(&mut |account| people.name_of(account));
                let what = transcript::tell_of_tournament(&event, &self.tournament);
                told.push(EventTold { event, what });
            } else if let Body::TournamentRefused(refused) = body {
                let (names, mut refusal) = (people.names(), refused.refusal);
                refusal.what = with_names(&refusal.what, &names);
                refusal.instead = with_names(&refusal.instead, &names);
                ruled = Some(Err(refusal));
            }
        }
        Ok(Answer { version: last, ruled: ruled.unwrap_or(Ok(told)), repeated: true })
    }

    /// Keeps the state under a signed head.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn keep(&mut self) -> Result<store::Head, LiveError> {
        let people = &mut self.people;
        let state = self.tournament.state().clone();
        let tournament = state.renamed(&mut |name| people.account_of(name));
        let book = store::Book { name: self.name.clone(), sha256: self.sha256, files: Vec::new() };
        let kept = Kept { book, setup: self.setup.clone(), tournament, shoes: self.shoes.kept() };
        let state = serde_json::to_string(&kept).map_err(|why| LiveError::Book(why.to_string()))?;
        let (stream, version) = (self.scribe.stream.clone(), self.scribe.version);
        let snapshot = Snapshot { stream, version, state };
        let head = self.scribe.log.checkpoint(self.world.now(), vec![snapshot]).await?;
        self.scribe.unkept = 0;
        Ok(head)
    }

    async fn keep_if_due(&mut self) -> Result<(), LiveError> {
        if self.scribe.unkept < KEEP_AFTER {
            return Ok(());
        }
        match self.keep().await {
            Ok(_) | Err(LiveError::Store(store::StoreError::Busy(_))) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    /// Stops: keeps the state under a signed head, and closes the log if it is the tournament's
    /// alone. Gives the head, to be shown.
    ///
    /// # Errors
    ///
    /// When the disk fails.
    pub async fn close(mut self) -> Result<Option<store::Head>, LiveError> {
        let kept = if self.scribe.broken { Ok(None) } else { self.keep().await.map(Some) };
        if self.alone {
            self.scribe.log.close().await;
        }
        kept
    }

    /// Records for the shoe of a table that belong to no act.
    async fn publish(
        &mut self,
        table: u32,
        facts: Vec<ShoeFact>,
        with: Vec<With>,
    ) -> Result<(), LiveError> {
        let (at, first) = (self.world.now(), self.scribe.version + 1);
        let body =
            |fact: &ShoeFact| Body::TableShoe(Box::new(TableShoe { table, fact: fact.clone() }));
        let bodies: Vec<_> = facts.iter().map(body).collect();
        let named = self.scribe.own("dealer", &bodies);
        self.scribe.write(named, at, bodies, Vec::new(), with).await?;
        self.shoes.note_facts(table, &facts, (at, first));
        Ok(())
    }
}

/// What cannot be recorded and read again.
fn unsayable(act: &Act) -> Option<Refusal> {
    let mut bad = None;
    let _ = act.clone().renamed(&mut |name| {
        bad = bad.take().or_else(|| transcript::name(&name).err().map(|fault| fault.to_string()));
        name
    });
    let what = format!("a name that cannot be recorded: {}", bad?);
    let instead = "names have letters, digits, ' and - and are no role";
    Some(Refusal::new(Code::Unsayable, None, what, instead))
}

/// The table events among those of a tournament.
fn at_tables(events: &[Event]) -> impl Iterator<Item = (u32, &table::Event)> {
    events.iter().filter_map(|event| {
        if let Fact::AtTable { table, event } = &event.fact { Some((*table, event)) } else { None }
    })
}
