//! How a tournament takes an order: who may, was it said before, what does the book say, what is
//! recorded.

use std::collections::BTreeMap;
use std::sync::Arc;

use rules::Cents;
use serde::Serialize;
use shoe::ShoeFact;
use store::{Acted, Body, Purse, RefusedAct, With};
use table::Act::VoidWagers;
use table::Fact::Decided;
use table::{By, Code, Name, Refusal, Role};
use tournament::conditions::BuyBack;
use tournament::{Act, Command, Event, Fact, Tournament};

use super::dealing::Drawn;
use super::proposing::needs_second;
use super::{EventRuled, EventTold, TournamentHost, at_tables};
use crate::account::{Changing, settle_all};
use crate::answers::{self, Heard, Known, reused};
use crate::fault::LiveError;
use crate::host::one_of_two;
use crate::matrix::{May, for_another, is_staff, may_in_tournament, usual_speaker};
use crate::names::is_account;
use crate::order::{Answer, MOST_TEXT, Order, check_key};
use crate::scribe::{Named, Written};

/// An order as it comes in.
pub(super) enum Received {
    /// It may have been answered before; the log will tell.
    New(Named),
    /// It is answered.
    Known(Answer<EventTold>),
}

/// What became of an act that was judged.
pub(super) enum Judged {
    Done(Vec<EventTold>),
    /// The same command was carried out before.
    Before(u64, u64),
    Refused(Refusal, bool),
    /// A second person must say the same.
    Waits,
}

/// The person an act comes from.
pub(super) struct Source {
    pub(super) named: Named,
    pub(super) who: String,
    pub(super) second: Option<String>,
}

pub(super) fn no<T>(
    code: Code,
    what: impl Into<String>,
    instead: impl Into<String>,
) -> Result<T, Refusal> {
    Err(Refusal::new(code, None, what, instead))
}

impl TournamentHost {
    /// Takes an order of somebody. It is carried out once however often it comes, and answered the
    /// same.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is an answer.
    pub async fn deliver(&mut self, order: Order<Act>) -> Result<Answer<EventTold>, LiveError> {
        self.deliver_with(order, Vec::new()).await
    }

    /// Takes an order, with what is kept beside its records.
    pub(super) async fn deliver_with(
        &mut self,
        order: Order<Act>,
        with: Vec<With>,
    ) -> Result<Answer<EventTold>, LiveError> {
        let named = match self.receive(&order).await? {
            Received::New(named) => named,
            Received::Known(answer) => return Ok(answer),
        };
        let (by, judged) = match self.admit(&order).await? {
            Err(refusal) => (order.act.usual(), Judged::Refused(refusal, false)),
            Ok(by) => {
                let second = self.confirms(&order).await?;
                let (who, second) = match second {
                    Some(first) => (first, Some(order.who.clone())),
                    None => (order.who.clone(), None),
                };
                let source = Some(Source { named: named.clone(), who, second });
                (by, self.judge_with(by, order.act.clone(), source, (with, None)).await?)
            }
        };
        match judged {
            Judged::Done(told) => {
                self.note_staff(&order);
                let answer = self.answer(Ok(told));
                self.refusals.remember(named, &answer);
                Ok(answer)
            }
            Judged::Before(first, last) => self.answered(first, last).await,
            Judged::Refused(refusal, by_the_book) => {
                self.refuse(order, named, (by, by_the_book), refusal).await
            }
            Judged::Waits => {
                let version = self.scribe.version;
                let answer = self.refuse(order.clone(), named, (by, false), one_of_two()).await?;
                // What is not on the record cannot be confirmed.
                if self.scribe.version > version {
                    self.note_staff(&order);
                    self.propose(&order, by);
                    self.show(version + 1, self.world.now(), &[], Vec::new());
                }
                Ok(answer)
            }
        }
    }

    /// Takes an order in: its key can be known again, time has passed, and a refusal that was not
    /// kept in the log is answered from memory.
    pub(super) async fn receive<A: Serialize>(
        &mut self,
        order: &Order<A>,
    ) -> Result<Received, LiveError> {
        if let Err(refusal) = check_key(&order.key) {
            return Ok(Received::Known(self.answer(Err(refusal))));
        }
        self.tick().await?;
        let named = order.named(&self.scribe.stream);
        let before = self.refusals.remembered(&named, self.scribe.version);
        Ok(before.map_or(Received::New(named), Received::Known))
    }

    pub(super) const fn answer(&self, ruled: EventRuled) -> Answer<EventTold> {
        Answer { version: self.scribe.version, ruled, repeated: false }
    }

    /// Whether the person may say this, and as what.
    pub(super) async fn admit(
        &mut self,
        order: &Order<Act>,
    ) -> Result<Result<By, Refusal>, LiveError> {
        if let Err(refusal) = self.check_role(order).await? {
            return Ok(Err(refusal));
        }
        let by = match may_in_tournament(order.role, &order.act) {
            May::Yes(by) => by,
            May::ForWalkIn(by) => {
                if by.name.is_some_and(|name| self.has_account(&name)) {
                    let what = "an act of a player who has an account, by the dealer";
                    return Ok(no(Code::NotTheirs, what, "that player or the director says it"));
                }
                by
            }
            May::No => {
                let whose = usual_speaker(&order.act);
                let what = format!("an act of the {whose}, by the {}", order.role);
                return Ok(no(Code::NotTheirs, what, format!("allowed: to the {whose}")));
            }
        };
        if let Err(refusal) = self.check_second(order) {
            return Ok(Err(refusal));
        }
        Ok(self.check_person(order, &by).await?.map(|()| by))
    }

    /// Whether somebody of that name has an account of the floor.
    fn has_account(&self, name: &Name) -> bool {
        match self.people.known(name) {
            Some(account) => is_account(&account),
            None => self.accounts.as_ref().is_some_and(|all| all.named(name).is_some()),
        }
    }

    /// Whether the person has the role, and runs no event that the person is entered in.
    pub(super) async fn check_role<A>(
        &self,
        order: &Order<A>,
    ) -> Result<Result<(), Refusal>, LiveError> {
        let Some(accounts) = self.accounts.as_ref().filter(|_| order.role != Role::Player) else {
            return Ok(Ok(()));
        };
        if !accounts.get(&order.who).await?.roles.contains(&order.role) {
            let what = format!("an act as {} of somebody who is none", order.role);
            return Ok(no(Code::NotTheirs, what, "act in a role that you have"));
        }
        let own = accounts.table_name(&order.who);
        let entered = own.is_some_and(|name| self.tournament.has_part(&name));
        if is_staff(order.role) && !self.setup.alone && entered {
            let what = "somebody who plays in the tournament runs it";
            return Ok(no(Code::RunsTheTable, what, "other staff do it"));
        }
        Ok(Ok(()))
    }

    /// Whether that account ran this event, which is more than one person runs.
    fn runs_it(&self, account: &str) -> bool {
        !self.setup.alone && self.staff.iter().any(|staff| staff == account)
    }

    /// Who has an account speaks for nobody else, is spoken for by nobody else where it costs
    /// money; limits of the person's own hold.
    async fn check_person(
        &mut self,
        order: &Order<Act>,
        by: &By,
    ) -> Result<Result<(), Refusal>, LiveError> {
        let Some(accounts) = self.accounts.clone() else { return Ok(Ok(())) };
        let own = accounts.table_name(&order.who);
        if let Act::Nominate(_, other) | Act::Substitute(_, other) = &order.act
            && accounts.named(other).is_some_and(|account| self.runs_it(&account))
        {
            let what = format!("{other}, who runs this tournament, plays for somebody");
            return Ok(no(Code::RunsTheTable, what, "allowed: somebody who does not run it"));
        }
        if order.role != Role::Player {
            if payers(&order.act).iter().any(|name| accounts.named(name).is_some()) {
                let what = "a payment of a player who has an account";
                return Ok(no(Code::NotTheirs, what, "that player says it"));
            }
            return Ok(Ok(()));
        }
        let (Some(name), Ok(account)) = (own, Name::from(&order.who)) else {
            return Ok(no(Code::NotTheirs, "an act of nobody", "speak for yourself"));
        };
        if by.name != Some(name) {
            let roles = accounts.get(&order.who).await?.roles;
            return Ok(Err(for_another(&roles, |role| may_in_tournament(role, &order.act))));
        }
        if self.people.known(&name).is_some_and(|known| known != account) {
            let what = "somebody else of that name is in the tournament";
            return Ok(no(Code::NameTaken, what, "ask the director"));
        }
        if self.runs_it(&order.who) {
            let what = "a player who runs this tournament";
            return Ok(no(Code::RunsTheTable, what, "play in one that others run"));
        }
        if !payers(&order.act).is_empty() {
            let more = i64::try_from(self.price(&order.act).get()).unwrap_or(i64::MAX);
            let person = accounts.get(&order.who).await?;
            if let Err(refusal) = person.own_limit(self.world.utc(), more) {
                return Ok(Err(refusal));
            }
        }
        // From here on the name is the account's, as soon as it is recorded.
        self.people.bind(name, account);
        Ok(Ok(()))
    }

    /// What an act costs the player who does it, now or once it is granted.
    fn price(&self, act: &Act) -> Cents {
        let Some(conditions) = self.tournament.conditions() else { return Cents::ZERO };
        if let (Act::BuyBack(_), Some(BuyBack::Some { fee, .. })) = (act, conditions.buy_back) {
            return fee;
        }
        conditions.fee.map_or(Cents::ZERO, |fee| fee.0)
    }

    /// An act of the system's own, or of one person who runs the event alone.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn act(&mut self, act: Act) -> Result<EventRuled, LiveError> {
        self.tick().await?;
        self.act_by(act.usual(), act).await
    }

    /// Judges an act of somebody in a role: the system's own, or one person's who runs the event
    /// alone.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn act_by(&mut self, by: By, act: Act) -> Result<EventRuled, LiveError> {
        match self.judge(by, act, None).await? {
            Judged::Done(told) => Ok(Ok(told)),
            Judged::Refused(refusal, _) => Ok(Err(refusal)),
            Judged::Before(..) | Judged::Waits => Err(LiveError::Broken),
        }
    }

    pub(super) async fn judge(
        &mut self,
        by: By,
        act: Act,
        who: Option<Source>,
    ) -> Result<Judged, LiveError> {
        self.judge_with(by, act, who, (Vec::new(), None)).await
    }

    pub(super) async fn judge_with(
        &mut self,
        by: By,
        act: Act,
        source: Option<Source>,
        // What the system publishes besides where it deals itself; nothing for anybody else's act.
        (with, more): (Vec<With>, Option<Vec<ShoeFact>>),
    ) -> Result<Judged, LiveError> {
        if self.scribe.broken {
            return Err(LiveError::Broken);
        }
        let bypass = || if more.is_none() { self.refuse_bypass(&act) } else { None };
        if let Some(refusal) = unsayable(&act).or_else(bypass) {
            return Ok(Judged::Refused(refusal, false));
        }
        let act = self.unseal_form(by, act).await?;
        let (act, mut drawn) = self.fill(act);
        // Each act has a time of its own: by it an event of an earlier session is told from one of
        // a later session at the same table.
        let at = self.world.now().max(self.tournament.now().saturating_add(1));
        let command = Command { at, by, act };
        let events = match self.tournament.decide(&command) {
            Ok(events) => events,
            Err(refusal) => {
                self.put_back(&drawn);
                let hidden = drawn.discreet(refusal.clone());
                let by_the_book = hidden == refusal && drawn.is_empty();
                return Ok(Judged::Refused(hidden, by_the_book));
            }
        };
        let alone = self.setup.alone || source.as_ref().is_none_or(|from| from.second.is_some());
        if !alone && needs_second(&command.act, &events) {
            self.put_back(&drawn);
            return Ok(Judged::Waits);
        }
        self.with_burnt(&mut drawn, &events);
        drawn.add(more.unwrap_or_default());
        self.record(command, source, events, (drawn, with)).await
    }

    /// Records an act that is lawful, and then folds and tells what followed.
    async fn record(
        &mut self,
        command: Command,
        source: Option<Source>,
        events: Vec<Event>,
        (drawn, mut with): (Drawn, Vec<With>),
    ) -> Result<Judged, LiveError> {
        let (before, at) = (self.people.clone(), command.at);
        let (named, who) = source.map(|from| (from.named, (from.who, from.second))).unzip();
        let (who, second) = who.unzip();
        let (acted, people) = self.acted(command.by, command.act, who);
        let acted = Acted { second: second.flatten(), ..acted };
        let noted = acted.clone();
        with.extend(people);
        // Accounts know nothing of the clock on the wall of an event.
        let changing = match self.transfers(&events, self.world.utc()).await? {
            Ok(changing) => changing,
            Err(refusal) => {
                self.put_back(&drawn);
                self.people = before;
                return Ok(Judged::Refused(refusal, false));
            }
        };
        let actor = acted.by.to_string();
        let logged = self.events_in_log(&events, &acted, at);
        let mut bodies = vec![Body::TournamentAct(Box::new(acted))];
        bodies.extend(logged.into_iter().map(|event| Body::Tournament(Box::new(event))));
        let first = self.scribe.version + 1;
        let first_fact = first + bodies.len() as u64;
        bodies.extend(drawn.bodies());
        let named = named.unwrap_or_else(|| self.scribe.own(&actor, &bodies));
        with.extend(changing.iter().map(|(_, _, balance)| balance.clone()));
        let parts = changing.iter().map(|(_, part, _)| part.clone()).collect();
        let written = self.scribe.write(named, at, bodies, parts, with).await;
        if !matches!(written, Ok(Written::New)) && !self.scribe.broken {
            // Nothing was written, for sure: it is as if nobody had asked.
            self.put_back(&drawn);
            self.people = before;
        }
        match written? {
            Written::New => {}
            Written::Before(first, last) => return Ok(Judged::Before(first, last)),
            Written::Reused => return Ok(Judged::Refused(reused(), false)),
        }
        settle_all(changing);
        self.note_acted(&noted);
        for event in &events {
            self.note_correction(noted.who.as_ref(), event);
        }
        self.refusals.new_round();
        // The first record is the act.
        let told = self.tell(events, first + 1);
        self.shoes.settle(&drawn, (at, first_fact), &self.tournament);
        self.show(first, at, &told, drawn.published());
        self.reveal_what_is_over().await?;
        self.keep_if_due().await?;
        Ok(Judged::Done(told))
    }

    /// The accounts that an act moves fees and prizes from or to, held until it is recorded. Who
    /// has no account pays over the counter.
    async fn transfers(
        &self,
        events: &[Event],
        at: u64,
    ) -> Result<Result<Vec<Changing>, Refusal>, LiveError> {
        let Some(accounts) = &self.accounts else { return Ok(Ok(Vec::new())) };
        let mut moved: BTreeMap<Name, i64> = BTreeMap::new();
        for (entrant, cents) in events.iter().filter_map(Event::paid) {
            // Who is entered in one go applied within the same act.
            let now = events.iter().find_map(|event| {
                let Fact::Applied { entrant: one, name } = &event.fact else { return None };
                (*one == entrant).then_some(*name)
            });
            let name = now.unwrap_or_else(|| self.tournament.entrant(entrant).name);
            let account = self.people.known(&name).filter(|account| is_account(account));
            if let Some(account) = account {
                *moved.entry(account).or_default() += cents;
            }
        }
        for (account, cents) in &moved {
            // Who paused or lost enough since applying does not pay; why is their own matter.
            let person = accounts.get(account).await?;
            if *cents > 0 && person.own_limit(at, *cents).is_err() {
                let what = "a fee that its player does not pay now";
                let instead = "refuse the entry, or ask the player";
                return Ok(Err(Refusal::new(Code::OwnLimit, None, what, instead)));
            }
        }
        let place = Purse::Tournament(self.scribe.stream.clone());
        Ok(accounts.transfers(&place, moved, at).await?.map_err(|refusal| {
            // What an account holds is no matter of the director's.
            let instead = "allowed once the account holds it";
            Refusal::new(refusal.code, None, "a fee from an account that does not hold it", instead)
        }))
    }

    /// An act as it is recorded, with the accounts that it brings.
    fn acted(&mut self, by: By, act: Act, who: Option<String>) -> (Acted<Act>, Vec<With>) {
        // Whom the house itself names has no account, whatever the name.
        if let (Some(accounts), Some(_)) = (&self.accounts, &who) {
            let people = &mut self.people;
            let _ = act.clone().renamed(&mut |name| {
                people.meet(name, |name| accounts.named(name));
                name
            });
        }
        let (by, act, with) = self.people.in_event(by, act);
        let line = transcript::say_in_tournament(&act, &self.book.rulebook, &self.name);
        let line = (line.len() == 1).then(|| line.concat());
        (Acted { who, second: None, by, act, line }, with)
    }

    /// Events as the log has them, with accounts. A decision that names somebody in its words is
    /// taken once more, by a tournament that knows accounts only.
    fn events_in_log(&mut self, events: &[Event], acted: &Acted<Act>, at: u64) -> Vec<Event> {
        let in_words = at_tables(events).any(|(_, event)| matches!(event.fact, Decided(_)));
        let voids = matches!(&acted.act, Act::At(_, act) if matches!(**act, VoidWagers(..)));
        if in_words && voids {
            let command = Command { at, by: acted.by, act: acted.act.clone() };
            if let Ok(events) = self.by_accounts().decide(&command) {
                return events;
            }
        }
        let people = &mut self.people;
        let in_log = |event: &Event| event.clone().renamed(&mut |name| people.account_of(name));
        events.iter().map(in_log).collect()
    }

    /// The tournament as the log knows it, with accounts in the place of names.
    fn by_accounts(&mut self) -> Tournament {
        let people = &mut self.people;
        let state = self.tournament.state().clone();
        let state = state.renamed(&mut |name| people.account_of(name));
        Tournament::at(Arc::new(self.book.rulebook.clone()), state)
    }

    /// Carries events out and tells them; `version` is the record of the first.
    fn tell(&mut self, events: Vec<Event>, version: u64) -> Vec<EventTold> {
        let mut told = Vec::with_capacity(events.len());
        for (event, version) in events.into_iter().zip(version..) {
            self.shoes.note_event(&event, &self.tournament);
            self.tournament.evolve(&event);
            let what = transcript::tell_of_tournament(&event, &self.tournament);
            told.push(EventTold { version, event, what });
        }
        told
    }

    /// Answers a refusal, and keeps it if it is one that can be looked up later.
    async fn refuse(
        &mut self,
        order: Order<Act>,
        named: Named,
        (by, by_the_book): (By, bool),
        refusal: Refusal,
    ) -> Result<Answer<EventTold>, LiveError> {
        if !self.refusals.keeps(&order.who, &refusal) {
            return self.refuse_unkept(named, refusal).await;
        }
        let (at, before) = (self.world.now(), self.people.clone());
        let (asked, with) = self.acted(by, order.act, Some(order.who));
        let mut told = refusal.clone();
        if by_the_book {
            // What the book says of accounts: the log has no names.
            let judge = self.by_accounts();
            let command = Command { at, by: asked.by, act: asked.act.clone() };
            if let Err(refusal) = judge.decide(&command) {
                told = refusal;
            }
        }
        let refused = RefusedAct { asked, by_the_book, refusal: told };
        let bodies = vec![Body::TournamentRefused(Box::new(refused))];
        let written = self.scribe.write(named, at, bodies, Vec::new(), with).await;
        if !matches!(written, Ok(Written::New)) {
            self.people = before;
        }
        match written? {
            Written::New => {
                self.keep_if_due().await?;
                Ok(self.answer(Err(refusal)))
            }
            Written::Before(first, last) => self.answered(first, last).await,
            Written::Reused => Ok(self.answer(Err(reused()))),
        }
    }

    /// A refusal that is not kept; the same key may have been answered before.
    pub(super) async fn refuse_unkept(
        &mut self,
        named: Named,
        refusal: Refusal,
    ) -> Result<Answer<EventTold>, LiveError> {
        match answers::known(&self.scribe, &named).await? {
            Known::Answered(first, last) => self.answered(first, last).await,
            Known::Reused => Ok(self.answer(Err(reused()))),
            Known::Nothing => {
                let answer = self.answer(Err(refusal));
                self.refusals.remember(named, &answer);
                Ok(answer)
            }
        }
    }

    /// The answer that an order got before, from its records.
    pub(super) async fn answered(
        &self,
        first: u64,
        last: u64,
    ) -> Result<Answer<EventTold>, LiveError> {
        answers::answered(&self.scribe, &self.people, (first, last), |version, body, people| {
            if let Body::Tournament(event) = body {
                let event = event.renamed(&mut |account| people.name_of(account));
                let what = transcript::tell_of_tournament(&event, &self.tournament);
                Heard::Told(EventTold { version, event, what })
            } else if let Body::TournamentRefused(refused) = body {
                answers::refused(*refused, people)
            } else {
                Heard::Nothing
            }
        })
        .await
    }
}

/// Who pays by an act, or will once it is granted.
fn payers(act: &Act) -> &[Name] {
    if let Act::Enter(names) = act {
        names
    } else if let Act::Apply(name) | Act::BuyBack(name) = act {
        std::slice::from_ref(name)
    } else {
        &[]
    }
}

/// A text of an act that is too long or has more than one line. Conditions are a document.
fn unreadable(act: &Act) -> bool {
    fn bad(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::String(text) => {
                text.len() > MOST_TEXT || text.chars().any(char::is_control)
            }
            serde_json::Value::Array(all) => all.iter().any(bad),
            serde_json::Value::Object(all) => all.values().any(bad),
            serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {
                false
            }
        }
    }
    !matches!(act, Act::Document(_)) && serde_json::to_value(act).is_ok_and(|act| bad(&act))
}

/// What cannot be recorded and read again.
fn unsayable(act: &Act) -> Option<Refusal> {
    if unreadable(act) {
        let instead = format!("texts are one line of at most {MOST_TEXT} bytes");
        return Some(Refusal::new(
            Code::Unsayable,
            None,
            "a text that cannot be recorded",
            instead,
        ));
    }
    let mut bad = None;
    let _ = act.clone().renamed(&mut |name| {
        bad = bad.take().or_else(|| transcript::name(&name).err().map(|fault| fault.to_string()));
        name
    });
    let what = format!("a name that cannot be recorded: {}", bad?);
    let instead = "names have letters, digits, ' and - and are no role";
    Some(Refusal::new(Code::Unsayable, None, what, instead))
}
