//! Accounts of play money: each has a stream of its own, in which every cent has two sides, and a
//! balance that is compared with it. People set limits for themselves there.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use rules::Cents;
use shoe::Digest;
use store::{
    ACCOUNT, AccountFact, AccountKind, Body, Entry, KeptBalance, Log, OwnLimits, Purse, StoreError,
    StreamEntries, With,
};
use table::{Code, Name, Refusal, Role};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use crate::correcting::{Asked, Made, Refused};
use crate::fault::LiveError;
use crate::names::{Names, is_account, sayable};
use crate::own_limits::{Move, Reminder};
use crate::scribe::{Named, Scribe, Written};
use crate::world::World;

/// A day, in microseconds.
pub(crate) const DAY: u64 = 24 * 60 * MINUTE;
/// A minute, in microseconds.
pub(crate) const MINUTE: u64 = 60_000_000;

/// An account, as its records make it.
#[derive(Clone, Debug)]
pub struct Account {
    /// Its number, such as `a-12`.
    pub id: String,
    /// What kind it is.
    pub kind: AccountKind,
    /// The roles in which the person may act besides playing.
    pub roles: Vec<Role>,
    /// What it holds.
    pub balance: Cents,
    /// The limits that the person set.
    pub limits: OwnLimits,
    /// Wider limits that hold from a time on.
    pub(crate) wider: Option<(OwnLimits, u64)>,
    /// Until when the person takes no part.
    pub paused: u64,
    /// What the person was last told of time and money.
    pub reminded: Option<Reminder>,
    pub(crate) moves: Vec<Move>,
    /// Corrections that wait for a second person, one for each person who asked.
    pub(crate) asked: Vec<Asked>,
    /// Corrections that were made, none of them twice.
    pub(crate) corrected: Vec<Made>,
    pub(crate) version: u64,
}

impl Account {
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.into(),
            kind: AccountKind::Guest,
            roles: Vec::new(),
            balance: Cents::ZERO,
            limits: OwnLimits::default(),
            wider: None,
            paused: 0,
            reminded: None,
            moves: Vec::new(),
            asked: Vec::new(),
            corrected: Vec::new(),
            version: 0,
        }
    }

    /// The stream of the log that holds it.
    pub(crate) fn stream(&self) -> String {
        format!("{ACCOUNT}{}", self.id)
    }

    pub(crate) fn fold(&mut self, at: u64, fact: &AccountFact) {
        self.version += 1;
        match fact {
            AccountFact::Opened(kind) => self.kind = *kind,
            AccountFact::SignedUp => self.kind = AccountKind::Member,
            AccountFact::RoleGiven(role) => self.roles.push(*role),
            AccountFact::RoleTaken(role) => self.roles.retain(|other| other != role),
            AccountFact::Moved { from, to, cents, balance } => {
                self.balance = *balance;
                let cents = i64::try_from(cents.get()).unwrap_or(i64::MAX);
                match (from, to) {
                    (Purse::Account, Purse::Table(place) | Purse::Tournament(place)) => {
                        self.moves.push(Move { at, cents, place: place.clone() });
                    }
                    (Purse::Table(place) | Purse::Tournament(place), _) => {
                        self.moves.push(Move { at, cents: -cents, place: place.clone() });
                    }
                    (Purse::Account | Purse::House, _) => {}
                }
                self.forget_old(at);
            }
            AccountFact::CorrectionAsked { cents, why, who } => {
                let (cents, why, who) = (*cents, why.clone(), who.clone());
                self.asked.retain(|other| other.who != who);
                self.asked.push(Asked { who, cents, why, at });
            }
            AccountFact::Corrected { cents, balance, why, who, .. } => {
                self.balance = *balance;
                self.asked.retain(|asked| asked.who != *who);
                self.corrected.push(Made { cents: *cents, why: why.clone() });
            }
            AccountFact::Limited { limits, from } => {
                // What was widened before and holds by now is what the next change starts from.
                self.limits = self.limits_now(at);
                if *from > at {
                    self.wider = Some((*limits, *from));
                } else {
                    (self.limits, self.wider) = (*limits, None);
                }
            }
            AccountFact::Paused { until } => self.paused = self.paused.max(*until),
            AccountFact::Reminded { minutes, lost } => {
                self.reminded = Some(Reminder { at, minutes: *minutes, lost: *lost });
            }
        }
    }
}

/// An account that is held while an act changes it.
pub(crate) type Held = OwnedMutexGuard<Account>;

/// All accounts of a floor.
#[derive(Clone, Debug)]
pub struct Accounts(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) log: Log,
    pub(crate) world: World,
    open: Mutex<HashMap<String, Arc<Turn<Account>>>>,
    /// Name and number of everybody who has an account.
    names: Mutex<Names>,
    /// Corrections of balances that were refused.
    pub(crate) refused: Mutex<Refused>,
}

fn no<T>(code: Code, what: impl Into<String>, instead: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(code, None, what, instead))
}

/// The records that change an account, and the balance that follows.
fn changed(held: &Account, at: u64, facts: Vec<AccountFact>) -> (StreamEntries, With) {
    let mut after = held.clone();
    for fact in &facts {
        after.fold(at, fact);
    }
    let entries = facts.into_iter().map(|fact| Entry { at, body: Body::Account(fact) }).collect();
    let part = StreamEntries { stream: held.stream(), expected: held.version, entries };
    let (account, version, cents) = (held.id.clone(), after.version, after.balance.get());
    (part, With::Balance { account, version, cents })
}

/// What was asked for, without what follows from the moment: the same again is the same. Limits,
/// pauses and corrections name their orders themselves.
fn asked(fact: &AccountFact) -> String {
    match fact {
        AccountFact::Moved { from, to, cents, .. } => format!("moved {from:?} {to:?} {cents}"),
        AccountFact::Limited { .. }
        | AccountFact::Paused { .. }
        | AccountFact::CorrectionAsked { .. }
        | AccountFact::Corrected { .. }
        | AccountFact::Opened(_)
        | AccountFact::SignedUp
        | AccountFact::RoleGiven(_)
        | AccountFact::RoleTaken(_)
        | AccountFact::Reminded { .. } => format!("{fact:?}"),
    }
}

/// A command that changes an account: its key stands for what was asked for, not for what follows.
pub(crate) fn asked_for(id: &str, (actor, key): (&str, &str), said: &str) -> Named {
    let payload = Digest::of(&[id.as_bytes(), said.as_bytes()]);
    Named { actor: actor.into(), key: key.into(), payload }
}

/// The same limits are the same order, whatever holds by then.
fn asked_limits(limits: OwnLimits) -> String {
    format!("limited {limits:?}")
}

/// The same length is the same order; to the second.
fn asked_pause(length: u64) -> String {
    format!("paused {}", length.saturating_add(500_000) / 1_000_000)
}

/// Folds what was recorded.
fn settle(held: &mut Account, part: &StreamEntries) {
    for entry in &part.entries {
        if let Body::Account(fact) = &entry.body {
            held.fold(entry.at, fact);
        }
    }
}

/// The movement of money between an account and a place of play: below zero back to the account.
fn transfer(held: &Account, place: Purse, cents: i64) -> Result<AccountFact, Refusal> {
    let amount = Cents::new(cents.unsigned_abs()).unwrap_or(Cents::MAX);
    // Who leaves with nothing has left all the same.
    if cents <= 0 {
        let Some(balance) = held.balance.checked_add(amount) else {
            let what = format!("{amount} to an account that holds {}", held.balance);
            return no(Code::TooMany, what, "an account holds no more than that");
        };
        return Ok(AccountFact::Moved { from: place, to: Purse::Account, cents: amount, balance });
    }
    let Some(balance) = held.balance.checked_sub(amount) else {
        let what = format!("{amount} from an account that holds {}", held.balance);
        return no(Code::NotEnoughMoney, what, format!("allowed: up to {}", held.balance));
    };
    Ok(AccountFact::Moved { from: Purse::Account, to: place, cents: amount, balance })
}

/// An account that an act changes: held until that is recorded, with what is recorded.
pub(crate) type Changing = (Held, StreamEntries, With);

/// An act was recorded: so are the changes of accounts that came with it.
pub(crate) fn settle_all(changing: Vec<Changing>) {
    for (mut held, part, _) in changing {
        settle(&mut held, &part);
    }
}

impl Accounts {
    /// Holds the accounts that an act moves money to or from, with what is recorded of each: above
    /// zero goes from the account to the place of play.
    pub(crate) async fn transfers(
        &self,
        place: &Purse,
        moved: BTreeMap<Name, i64>,
        at: u64,
    ) -> Result<Result<Vec<Changing>, Refusal>, LiveError> {
        let mut changing = Vec::new();
        // In the order of their numbers, so that two acts never wait for each other.
        for (account, cents) in moved {
            let held = self.hold(&account).await?;
            let fact = match transfer(&held, place.clone(), cents) {
                Ok(fact) => fact,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let (part, balance) = changed(&held, at, vec![fact]);
            changing.push((held, part, balance));
        }
        Ok(Ok(changing))
    }

    /// The accounts of a log.
    ///
    /// # Errors
    ///
    /// When the log cannot be read.
    pub async fn of(log: Log, world: World) -> Result<Self, LiveError> {
        let mut names = Names::default();
        for (id, name) in log.people().await? {
            if is_account(&id) {
                names.insert(&name, &id);
            }
        }
        let number =
            |stream: &String| stream.strip_prefix(ACCOUNT)?.strip_prefix("a-")?.parse::<u64>().ok();
        names.last = log.streams().await?.iter().filter_map(number).max().unwrap_or(0);
        let (open, names, refused) = (Mutex::default(), Mutex::new(names), Mutex::default());
        let inner = Inner { log, world, open, names, refused };
        Ok(Self(Arc::new(inner)))
    }

    fn names(&self) -> std::sync::MutexGuard<'_, Names> {
        self.0.names.lock().expect("nobody panics holding it")
    }

    /// The name of an account.
    #[must_use]
    pub fn name(&self, id: &str) -> Option<String> {
        self.names().name(id)
    }

    /// The account of a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<String> {
        self.names().named(name)
    }

    /// A name that an account could have now; two who ask at once are told the same.
    ///
    /// # Errors
    ///
    /// When it cannot be one, or is somebody's, or nearly somebody's.
    pub fn free(&self, name: &str) -> Result<Name, Refusal> {
        self.names().free(sayable(name)?)
    }

    /// Opens an account with so much play money.
    ///
    /// # Errors
    ///
    /// When the log fails; a name that is taken or cannot be one is a refusal.
    pub async fn open(
        &self,
        name: &str,
        kind: AccountKind,
        money: Cents,
        roles: &[Role],
    ) -> Result<Result<String, Refusal>, LiveError> {
        self.open_by("system", name, (kind, money), roles).await
    }

    /// The same, on record as the act of whoever lets the person in.
    ///
    /// # Errors
    ///
    /// As [`Accounts::open`].
    pub async fn open_by(
        &self,
        who: &str,
        name: &str,
        (kind, money): (AccountKind, Cents),
        roles: &[Role],
    ) -> Result<Result<String, Refusal>, LiveError> {
        let name = match sayable(name) {
            Ok(name) => name,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let id = {
            let mut names = self.names();
            if let Err(refusal) = names.free(name) {
                return Ok(Err(refusal));
            }
            names.last += 1;
            let id = format!("a-{}", names.last);
            names.insert(&name, &id);
            id
        };
        let at = self.0.world.now();
        let mut facts = vec![AccountFact::Opened(kind)];
        facts.extend(roles.iter().copied().map(AccountFact::RoleGiven));
        if money > Cents::ZERO {
            let (from, to) = (Purse::House, Purse::Account);
            facts.push(AccountFact::Moved { from, to, cents: money, balance: money });
        }
        let mut account = Account::new(&id);
        let (part, balance) = changed(&account, at, facts);
        let person = With::Person { account: id.clone(), name: name.to_string() };
        let mut scribe = Scribe::new(self.0.log.clone(), &account.stream(), 0);
        let bodies: Vec<_> = part.entries.iter().map(|entry| entry.body.clone()).collect();
        let written = scribe.write_own(who, at, bodies, vec![person, balance]).await;
        if written.is_err() {
            self.names().remove(&name, &id);
        }
        written?;
        settle(&mut account, &part);
        let account = Arc::new(Turn::new(account));
        self.0.open.lock().expect("nobody panics holding it").insert(id.clone(), account);
        Ok(Ok(id))
    }

    /// Holds an account: nobody else changes it meanwhile.
    pub(crate) async fn hold(&self, id: &str) -> Result<Held, LiveError> {
        let known = self.0.open.lock().expect("nobody panics holding it").get(id).cloned();
        let account = if let Some(account) = known {
            account
        } else {
            let loaded = self.load(id).await;
            let mut open = self.0.open.lock().expect("nobody panics holding it");
            match (open.get(id), loaded) {
                // Somebody else was first, and may have changed it while it was read here.
                (Some(first), _) => first.clone(),
                (None, loaded) => {
                    let loaded = Arc::new(Turn::new(loaded?));
                    open.insert(id.to_owned(), loaded.clone());
                    loaded
                }
            }
        };
        Ok(account.lock_owned().await)
    }

    /// An account from its records; its balance must be the one that the projection has. Where the
    /// projection has none it was thrown away, and has this one from now on.
    async fn load(&self, id: &str) -> Result<Account, LiveError> {
        let mut account = Account::new(id);
        let opening = self.0.log.go_on(&account.stream()).await?;
        for record in &opening.records {
            if let Body::Account(fact) = record.read()? {
                account.fold(record.at, &fact);
            }
        }
        if account.version == 0 {
            return Err(LiveError::Unknown(id.into()));
        }
        let projected = self.0.log.balance(id).await?;
        let own = (account.version, account.balance.get());
        match projected {
            Some(projected) if projected != own => return Err(LiveError::Locked(id.into())),
            Some(_) => {}
            None => {
                let (version, cents) = own;
                let balance = KeptBalance { account: id.into(), version, cents };
                match self.0.log.keep_missing_balance(balance).await {
                    // Nothing rests on it: the next who loads the account keeps it.
                    Ok(()) | Err(StoreError::Busy(_)) => {}
                    Err(fault) => return Err(fault.into()),
                }
            }
        }
        Ok(account)
    }

    /// An account as it stands.
    ///
    /// # Errors
    ///
    /// When there is none, the log cannot be read, or the balance is not what the records say.
    pub async fn get(&self, id: &str) -> Result<Account, LiveError> {
        Ok(self.hold(id).await?.clone())
    }

    /// Records something of an account, under the key of whoever asked.
    pub(crate) async fn record(
        &self,
        held: &mut Held,
        said: (&str, &str),
        facts: Vec<AccountFact>,
    ) -> Result<(), LiveError> {
        let named = asked_for(&held.id, said, &facts.iter().map(asked).collect::<String>());
        self.record_asked(held, named, facts).await.map(drop)
    }

    /// The same under a name that says what was asked for. Gives the number of its last record: of
    /// the one before, if it was recorded before.
    pub(crate) async fn record_asked(
        &self,
        held: &mut Held,
        named: Named,
        facts: Vec<AccountFact>,
    ) -> Result<u64, LiveError> {
        let (at, key) = (self.0.world.now(), named.key.clone());
        let (part, balance) = changed(held, at, facts);
        let bodies: Vec<_> = part.entries.iter().map(|entry| entry.body.clone()).collect();
        let mut scribe = Scribe::new(self.0.log.clone(), &held.stream(), held.version);
        match scribe.write(named, at, bodies, Vec::new(), vec![balance]).await? {
            Written::New => settle(held, &part),
            Written::Before(_, last) => return Ok(last),
            Written::Reused => return Err(StoreError::KeyReused(key).into()),
        }
        Ok(held.version)
    }

    /// What a record of an account says.
    pub(crate) async fn recorded(
        &self,
        held: &Account,
        version: u64,
    ) -> Result<Option<AccountFact>, LiveError> {
        let page = self.0.log.page(&held.stream(), version.saturating_sub(1)).await?;
        let body = page.first().map(store::Record::read).transpose()?;
        Ok(if let Some(Body::Account(fact)) = body { Some(fact) } else { None })
    }

    /// Gives a role to somebody.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn give_role(&self, id: &str, role: Role) -> Result<(), LiveError> {
        let mut held = self.hold(id).await?;
        if held.roles.contains(&role) {
            return Ok(());
        }
        let key = format!("{} {}", held.stream(), held.version + 1);
        self.record(&mut held, ("system", &key), vec![AccountFact::RoleGiven(role)]).await
    }

    /// Takes a role away from somebody.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn take_role(&self, id: &str, role: Role, by: &str) -> Result<(), LiveError> {
        let mut held = self.hold(id).await?;
        if !held.roles.contains(&role) {
            return Ok(());
        }
        let key = format!("{} {}", held.stream(), held.version + 1);
        self.record(&mut held, (by, &key), vec![AccountFact::RoleTaken(role)]).await
    }

    /// A guest signs up, and keeps everything.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn sign_up(&self, id: &str) -> Result<(), LiveError> {
        let mut held = self.hold(id).await?;
        if held.kind != AccountKind::Guest {
            return Ok(());
        }
        let key = format!("{} {}", held.stream(), held.version + 1);
        self.record(&mut held, (id, &key), vec![AccountFact::SignedUp]).await
    }

    /// Sets the limits that somebody wants for themselves. Narrower ones hold at once, wider ones a
    /// day later. Gives the time from which all of them hold, the same for the same key.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn limit(&self, id: &str, key: &str, limits: OwnLimits) -> Result<u64, LiveError> {
        let mut held = self.hold(id).await?;
        let (from, facts) = held.limited(self.0.world.now(), limits);
        let named = asked_for(id, (id, key), &asked_limits(limits));
        let last = self.record_asked(&mut held, named, facts).await?;
        let recorded = self.recorded(&held, last).await?;
        Ok(if let Some(AccountFact::Limited { from, .. }) = recorded { from } else { from })
    }

    /// Keeps somebody who asked for it from playing for so many microseconds, and for good: a pause
    /// is not taken back. Gives the time until which this one holds, the same for the same key.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn pause(&self, id: &str, key: &str, length: u64) -> Result<u64, LiveError> {
        let mut held = self.hold(id).await?;
        let until = self.0.world.now().saturating_add(length);
        let named = asked_for(id, (id, key), &asked_pause(length));
        let last = self.record_asked(&mut held, named, vec![AccountFact::Paused { until }]).await?;
        let recorded = self.recorded(&held, last).await?;
        Ok(if let Some(AccountFact::Paused { until }) = recorded { until } else { until })
    }

    /// Gives play money from the house to an account of that version that holds at most `few`; a
    /// key that was used gives nothing more. Nothing, if the account has changed since.
    pub(crate) async fn give_if_few(
        &self,
        (id, version): (&str, u64),
        key: &str,
        (cents, few): (Cents, Option<Cents>),
    ) -> Result<Option<Result<Cents, Cents>>, LiveError> {
        let held = self.hold(id).await?;
        if self.0.log.command(id, key).await?.is_some() {
            return self.give_to(held, key, cents).await.map(|holds| Some(Ok(holds)));
        }
        if held.version != version {
            return Ok(None);
        }
        if few.is_none_or(|few| held.balance > few) {
            return Ok(Some(Err(held.balance)));
        }
        self.give_to(held, key, cents).await.map(|holds| Some(Ok(holds)))
    }

    /// Gives play money from the house.
    ///
    /// # Errors
    ///
    /// When the log fails.
    pub async fn give(&self, id: &str, key: &str, cents: Cents) -> Result<Cents, LiveError> {
        let held = self.hold(id).await?;
        self.give_to(held, key, cents).await
    }

    async fn give_to(&self, mut held: Held, key: &str, cents: Cents) -> Result<Cents, LiveError> {
        let id = held.id.clone();
        // An account that is full is given what it can still hold.
        let cents = cents.min(Cents::MAX.checked_sub(held.balance).unwrap_or(Cents::ZERO));
        let balance = held.balance.checked_add(cents).unwrap_or(Cents::MAX);
        let (from, to) = (Purse::House, Purse::Account);
        let fact = AccountFact::Moved { from, to, cents, balance };
        self.record(&mut held, (&id, key), vec![fact]).await?;
        Ok(held.balance)
    }

    /// Reminds somebody who plays of time and money, if they wanted to be and it is due.
    pub(crate) async fn remind(
        &self,
        id: &str,
        holds: Cents,
    ) -> Result<Option<AccountFact>, LiveError> {
        let mut held = self.hold(id).await?;
        let Some(fact) = held.reminder(self.0.world.now(), holds) else { return Ok(None) };
        let key = format!("{} {}", held.stream(), held.version + 1);
        self.record(&mut held, ("system", &key), vec![fact.clone()]).await?;
        Ok(Some(fact))
    }

    /// The name under which somebody sits at a table.
    pub(crate) fn table_name(&self, id: &str) -> Option<Name> {
        self.name(id).and_then(|name| transcript::name(&name).ok())
    }
}
