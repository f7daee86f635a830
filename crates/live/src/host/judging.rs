//! How a table takes an order: who may, was it said before, what does the book say, what is
//! recorded.

use std::collections::BTreeMap;

use rules::{Cents, Group};
use shoe::ShoeFact;
use store::{Acted, Body, Purse, With};
use table::{Account, Act, Bet, By, Code, Command, Deed, Event, Fact, Name, Refusal, Role};

use super::Host;
use crate::account::{Changing, settle_all};
use crate::answers::reused;
use crate::dealing::Felt;
use crate::fault::LiveError;
use crate::matrix::{May, for_another, is_staff, may};
use crate::names::is_account;
use crate::order::{Answer, MOST_TEXT, Order, Told, check_key};
use crate::scribe::{Named, Written};

/// What followed from an act, or why it was refused.
pub type Ruled = Result<Vec<Told>, Refusal>;

/// Where an act comes from.
#[derive(Clone, Debug, Default)]
struct Source {
    /// Nothing for the system's own acts.
    named: Option<Named>,
    who: Option<String>,
    second: Option<String>,
    /// The system does it as the dealer: its cards come from its shoe, and it goes round nothing.
    system: bool,
}

/// What became of an act that was judged.
enum Judged {
    Done(Vec<Told>),
    /// The same command was carried out before.
    Before(u64, u64),
    Refused(Refusal, bool),
    /// A second person must say the same.
    Waits,
}

pub(super) fn no<T>(
    code: Code,
    what: impl Into<String>,
    instead: impl Into<String>,
) -> Result<T, Refusal> {
    Err(Refusal::new(code, None, what, instead))
}

/// The words that somebody gave as a reason.
pub(crate) fn reason(act: &Act) -> Option<&str> {
    match act {
        Act::VoidCoup(why)
        | Act::VoidNumbered(_, why)
        | Act::Invalidate(why)
        | Act::VoidWagers(_, _, why)
        | Act::Exclude(_, why)
        | Act::DecideDispute(_, why)
        | Act::ReviewDispute(_, why)
        | Act::Supervisor(table::Decision::Decide(why)) => Some(why),
        Act::Tick
        | Act::Open(_)
        | Act::Post(_)
        | Act::GiveNotice(..)
        | Act::PlayersConsent
        | Act::Allow(..)
        | Act::RequireSeat(_)
        | Act::ReplaceCards
        | Act::Close
        | Act::GiveRules
        | Act::InspectorLeaves
        | Act::InspectorReturns
        | Act::Player(..)
        | Act::Dealer(_)
        | Act::Supervisor(_)
        | Act::CuttingCardAppears
        | Act::CuttingCardShows
        | Act::ShoeRunsOut
        | Act::FreshShoe => None,
    }
}

/// Whether every name and text of an act can be recorded and read again.
fn check_texts(act: &Act) -> Result<(), Refusal> {
    let mut bad = None;
    let _ = act.clone().renamed(&mut |name| {
        bad = bad.take().or_else(|| transcript::name(&name).err().map(|fault| fault.to_string()));
        name
    });
    if let Some(fault) = bad {
        let instead = "names have letters, digits, ' and - and are no role";
        return no(Code::Unsayable, format!("a name that cannot be recorded: {fault}"), instead);
    }
    if let Some(text) = reason(act)
        && (text.len() > MOST_TEXT || text.trim().is_empty() || text.chars().any(char::is_control))
    {
        let instead = format!("a reason has words, in one line of at most {MOST_TEXT} bytes");
        return no(Code::Unsayable, "a reason that cannot be recorded", instead);
    }
    Ok(())
}

/// Takes from a refusal every hint at the card that was about to come.
pub(crate) fn discreet(mut refusal: Refusal, facts: &[ShoeFact]) -> Refusal {
    let tells = facts.iter().any(|fact| {
        let ShoeFact::Dealt { opening: Some(opening), .. } = fact else { return false };
        let card = opening.card.to_string();
        refusal.what.contains(&card) || refusal.instead.contains(&card)
    });
    if tells {
        refusal.what = "the next card of the shoe cannot come so".into();
        refusal.instead = "do first what is due".into();
    }
    refusal
}

impl Host {
    /// Takes an order of somebody. It is carried out once however often it comes, and answered the
    /// same.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is an answer.
    pub async fn deliver(&mut self, order: Order) -> Result<Answer, LiveError> {
        if let Err(refusal) = check_key(&order.key) {
            return Ok(self.answer(Err(refusal)));
        }
        self.tick().await?;
        let named = order.named(&self.scribe.stream);
        if let Some(answer) = self.refusals.remembered(&named, self.scribe.version) {
            return Ok(answer);
        }
        let (by, judged) = match self.admit(&order).await? {
            Err(refusal) => (By::usual(&order.act), Judged::Refused(refusal, false)),
            Ok(by) => {
                let second = self.confirms(&order).await?;
                let (who, second) = match second {
                    Some(first) => (first, Some(order.who.clone())),
                    None => (order.who.clone(), None),
                };
                let source =
                    Source { named: Some(named.clone()), who: Some(who), second, system: false };
                (by, self.judge(by, order.act.clone(), Vec::new(), source).await?)
            }
        };
        match judged {
            Judged::Done(told) => {
                self.note_staff(&order);
                self.timing.acted(&order.who, self.world.now());
                let answer = self.answer(Ok(told));
                self.refusals.remember(named, &answer);
                Ok(answer)
            }
            Judged::Before(first, last) => self.answered(first, last).await,
            Judged::Refused(refusal, by_the_book) => {
                self.refuse(order, named, (by, by_the_book), refusal).await
            }
            Judged::Waits => self.propose(order, named, by).await,
        }
    }

    pub(super) const fn answer(&self, ruled: Ruled) -> Answer {
        Answer { version: self.scribe.version, ruled, repeated: false }
    }

    pub(super) fn note_staff(&mut self, order: &Order) {
        if is_staff(order.role) && !self.staff.contains(&order.who) {
            self.staff.push(order.who.clone());
        }
    }

    /// Whether the person may say this here, and as what.
    pub(super) async fn admit(&mut self, order: &Order) -> Result<Result<By, Refusal>, LiveError> {
        if let Err(refusal) = check_texts(&order.act) {
            return Ok(Err(refusal));
        }
        if let Some(accounts) = self.accounts.clone() {
            let account = accounts.get(&order.who).await?;
            if order.role != Role::Player && !account.roles.contains(&order.role) {
                let what = format!("an act as {} of somebody who is none", order.role);
                return Ok(no(Code::NotTheirs, what, "act in a role that you have"));
            }
        }
        let by = match may(order.role, &order.act, self.setup.deals) {
            May::No => {
                let whose = order.act.roles()[0];
                let what = format!("an act of the {whose}, by the {}", order.role);
                return Ok(no(Code::NotTheirs, what, format!("allowed: to the {whose}")));
            }
            May::ForWalkIn(by) => {
                if by.name.is_some_and(|name| self.has_account(&name)) {
                    let what = "an act of a player who has an account";
                    let instead = "that player says it; somebody else has another name here";
                    return Ok(no(Code::NotTheirs, what, instead));
                }
                by
            }
            May::Yes(by) => by,
        };
        Ok(self.check_person(order, &by).await?.map(|()| by))
    }

    /// A player speaks for nobody else and does not run the table; limits of the person's own hold.
    async fn check_person(
        &mut self,
        order: &Order,
        by: &By,
    ) -> Result<Result<(), Refusal>, LiveError> {
        let seated = self.table.present().find(|(_, player)| {
            self.people.known(&player.name).is_some_and(|account| *account == *order.who)
        });
        let seated = seated.map(|(id, player)| (id, player.name, player.stack));
        if is_staff(order.role) && seated.is_some() && !self.setup.alone {
            let what = "somebody who plays here runs the table";
            return Ok(no(Code::RunsTheTable, what, "leave the seat first, or ask other staff"));
        }
        let (Role::Player, Some(accounts), Act::Player(name, deed)) =
            (order.role, &self.accounts, &order.act)
        else {
            return Ok(Ok(()));
        };
        let accounts = accounts.clone();
        if by.name != Some(*name) || accounts.table_name(&order.who) != Some(*name) {
            let (roles, deals) = (accounts.get(&order.who).await?.roles, self.setup.deals);
            return Ok(Err(for_another(&roles, |role| may(role, &order.act, deals))));
        }
        if self.staff.contains(&order.who) && !self.setup.alone {
            let what = "a player who runs this table";
            return Ok(no(Code::RunsTheTable, what, "play at a table that others run"));
        }
        // A walk-in of the same name is somebody else: in the log a name stands for one person.
        let known = self.people.known(name).filter(|known| known.as_str() != order.who);
        if known.is_some() {
            let what = "somebody else of that name has played at this table";
            return Ok(no(Code::NameTaken, what, "play at another table"));
        }
        let stack = seated.map_or(Cents::ZERO, |(.., stack)| stack.at_least_zero());
        let risk = match deed {
            Deed::Bet(Bet { amount, .. }) | Deed::Call { amount, .. } => Some(*amount),
            Deed::Sit(..) | Deed::StandBehind(..) => Some(Cents::ZERO),
            Deed::BetAgainst(..)
            | Deed::TakeBack(_)
            | Deed::Move(..)
            | Deed::Waive(_)
            | Deed::AskNoBet
            | Deed::Agree
            | Deed::Object
            | Deed::AskFaceDown
            | Deed::AskRiffle
            | Deed::Inspect
            | Deed::Cut(_)
            | Deed::DeclineCut
            | Deed::RefuseCards
            | Deed::Turn(..)
            | Deed::TurnThird(..)
            | Deed::Dispute(_)
            | Deed::AskRules
            | Deed::Leave => None,
        };
        if let Some(risk) = risk {
            let safe = stack.checked_sub(risk).unwrap_or(Cents::ZERO);
            let more = 0_i64.saturating_sub_unsigned(safe.get());
            let account = accounts.get(&order.who).await?;
            if let Err(refusal) = account.own_limit(self.world.now(), more) {
                return Ok(Err(refusal));
            }
        }
        // From here on the name is the account's, as soon as it is recorded.
        if let Ok(account) = Name::from(&order.who) {
            self.people.bind(*name, account);
        }
        Ok(Ok(()))
    }

    /// Whether somebody of that name has an account of the floor.
    fn has_account(&self, name: &Name) -> bool {
        match self.people.known(name) {
            Some(account) => is_account(&account),
            None => self.accounts.as_ref().is_some_and(|all| all.named(name).is_some()),
        }
    }

    /// An act as it is recorded, with the accounts that it brings.
    pub(super) fn acted(
        &mut self,
        by: By,
        act: Act,
        who: Option<String>,
        second: Option<String>,
    ) -> (Acted<Act>, Vec<With>) {
        // Whom the house itself names has no account, whatever the name.
        if let (Some(accounts), Some(_)) = (&self.accounts, &who) {
            let people = &mut self.people;
            let _ = act.clone().renamed(&mut |name| {
                people.meet(name, |name| accounts.named(name));
                name
            });
        }
        let (by, act, with) = self.people.in_log(by, act);
        let line = transcript::say(by, &act, &self.name);
        (Acted { who, second, by, act, line }, with)
    }

    /// Judges an act of somebody in a role: the system's own, or one person's who runs the house
    /// alone.
    ///
    /// # Errors
    ///
    /// When the log fails; a refusal is no error.
    pub async fn act_by(&mut self, by: By, act: Act) -> Result<Ruled, LiveError> {
        if let Err(refusal) = check_texts(&act) {
            return Ok(Err(refusal));
        }
        self.act_from(by, act, Vec::new(), Source::default()).await
    }

    /// Judges an act of the system's, and publishes facts about the shoe together with its events.
    pub(super) async fn act_with(
        &mut self,
        by: By,
        act: Act,
        more: Vec<ShoeFact>,
    ) -> Result<Ruled, LiveError> {
        let source = Source { system: true, ..Source::default() };
        self.act_from(by, act, more, source).await
    }

    async fn act_from(
        &mut self,
        by: By,
        act: Act,
        more: Vec<ShoeFact>,
        source: Source,
    ) -> Result<Ruled, LiveError> {
        match self.judge(by, act, more, source).await? {
            Judged::Done(told) => Ok(Ok(told)),
            Judged::Refused(refusal, _) => Ok(Err(refusal)),
            // The system is the only writer of its stream: somebody else put this there.
            Judged::Before(..) | Judged::Waits => Err(LiveError::Broken),
        }
    }

    /// What the floor refuses, whatever the book says.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only wagers have limits")]
    pub(super) fn refuse_here(&self, act: &Act) -> Option<Refusal> {
        let named = act.cards();
        if !named.is_empty() && self.dealing.is_bound() {
            let named: Vec<_> = named.iter().map(ToString::to_string).collect();
            let what =
                format!("{} at a table that is dealt from the system's shoe", named.join(" "));
            let instead = "leave the card out, and the shoe gives it; real cards need a table that \
                           has no shoe of the system's";
            return Some(Refusal::new(Code::WrongCard, None, what, instead));
        }
        if let Some(refusal) = self.dealing.refuse_bypass(self.felt(), act) {
            return Some(refusal);
        }
        let spot = match act {
            Act::Player(
                _,
                Deed::Bet(Bet { spot, .. }) | Deed::Call { spot, .. } | Deed::Move(_, _, spot),
            ) => *spot,
            _ => return None,
        };
        // What is not offered has no limits to post: the book says so.
        if self.book.rulebook.offers(spot, self.table.terms()).is_err() {
            return None;
        }
        self.refuse_unsigned(self.table.group(spot))
    }

    /// A wager on a spot whose limits the book wants displayed and nobody posted.
    fn refuse_unsigned(&self, group: Group) -> Option<Refusal> {
        if self.table.limits(group).is_some() {
            return None;
        }
        let clause = self.book.rulebook.limits_displayed(group)?;
        let what = format!("a wager on {} before its limits are on the sign", group.key());
        let instead = format!("the operator posts them first: `operator posts {} …`", group.key());
        Some(Refusal::new(Code::NoSign, Some(clause), what, instead))
    }

    async fn judge(
        &mut self,
        by: By,
        act: Act,
        more: Vec<ShoeFact>,
        source: Source,
    ) -> Result<Judged, LiveError> {
        if self.scribe.broken {
            return Err(LiveError::Broken);
        }
        let refused = if source.system { None } else { self.refuse_here(&act) };
        if let Some(refusal) = refused {
            return Ok(Judged::Refused(refusal, false));
        }
        let felt = Felt { state: self.table.state(), book: &self.book.rulebook };
        let (act, facts) = self.dealing.fill(felt, act);
        let command = Command { at: self.world.now(), by, act };
        let events = match self.table.decide(&command) {
            Ok(events) => events,
            Err(refusal) => {
                self.dealing.put_back(&facts);
                let hidden = discreet(refusal.clone(), &facts);
                let by_the_book = hidden == refusal && facts.is_empty();
                return Ok(Judged::Refused(hidden, by_the_book));
            }
        };
        let second = !self.setup.alone && source.who.is_some() && source.second.is_none();
        if second && table::needs_second(&command.act, &events) {
            self.dealing.put_back(&facts);
            return Ok(Judged::Waits);
        }
        let mut facts = self.dealing.with_burnt(facts, &events);
        facts.extend(more);
        self.record(command, events, facts, source).await
    }

    /// Records an act that is lawful, and then folds and tells what followed.
    async fn record(
        &mut self,
        command: Command,
        events: Vec<Event>,
        facts: Vec<ShoeFact>,
        source: Source,
    ) -> Result<Judged, LiveError> {
        let before = self.people.clone();
        let at = command.at;
        let confirmed = source.second.as_ref().and(source.who.clone());
        let (acted, mut with) =
            self.acted(command.by, command.act.clone(), source.who, source.second.clone());
        let changing = match self.transfers(&events, at).await? {
            Ok(changing) => changing,
            Err(refusal) => {
                self.dealing.put_back(&facts);
                self.people = before;
                return Ok(Judged::Refused(refusal, false));
            }
        };
        let in_log = Command { at, by: acted.by, act: acted.act.clone() };
        let logged = self.events_in_log(&events, &in_log);
        let actor = acted.by.to_string();
        let mut bodies = vec![Body::Act(Box::new(acted))];
        bodies.extend(logged.into_iter().map(|event| Body::Table(Box::new(event))));
        bodies.extend(facts.iter().cloned().map(Body::Shoe));
        let named = source.named.unwrap_or_else(|| self.scribe.own(&actor, &bodies));
        with.extend(changing.iter().map(|(_, _, balance)| balance.clone()));
        let parts = changing.iter().map(|(_, part, _)| part.clone()).collect();
        let first = self.scribe.version + 1;
        let written = self.scribe.write(named, at, bodies, parts, with).await;
        if !matches!(written, Ok(Written::New)) && !self.scribe.broken {
            // Nothing was written, for sure: it is as if nobody had asked.
            self.dealing.put_back(&facts);
            self.people = before;
        }
        match written? {
            Written::New => {}
            Written::Before(first, last) => return Ok(Judged::Before(first, last)),
            Written::Reused => return Ok(Judged::Refused(reused(), false)),
        }
        settle_all(changing);
        if let Some(first) = confirmed {
            self.proposed.done(&first);
        }
        if events.iter().any(|event| matches!(event.fact, Fact::BetsOpened)) {
            self.refusals.new_round();
        }
        // The first record is the act.
        let told = self.tell(events, first + 1);
        for fact in &facts {
            self.dealing.note_fact(fact, at);
            self.dealing.settle(self.table.state());
        }
        self.show(first, at, &told, &facts);
        self.after(&told).await?;
        self.keep_if_due().await?;
        Ok(Judged::Done(told))
    }

    /// The accounts that an act moves money to or from, held until it is recorded.
    async fn transfers(
        &self,
        events: &[Event],
        at: u64,
    ) -> Result<Result<Vec<Changing>, Refusal>, LiveError> {
        let Some(accounts) = &self.accounts else { return Ok(Ok(Vec::new())) };
        let mut moved: BTreeMap<Name, i64> = BTreeMap::new();
        for event in events {
            if let Fact::Left(player) = event.fact {
                let account = self.people.known(&self.table.player(player).name);
                if let Some(account) = account.filter(|account| is_account(account)) {
                    moved.entry(account).or_default();
                }
            }
            if !event.postings.iter().any(|leg| leg.account == Account::Outside) {
                continue;
            }
            for leg in &event.postings {
                let Account::Stack(player) = leg.account else { continue };
                let name = if let Fact::Arrived { name, .. } = &event.fact {
                    **name
                } else {
                    self.table.player(player).name
                };
                let account = self.people.known(&name).filter(|account| is_account(account));
                if let Some(account) = account {
                    *moved.entry(account).or_default() += leg.cents.get();
                }
            }
        }
        accounts.transfers(&Purse::Table(self.scribe.stream.clone()), moved, at).await
    }

    /// Events as the log has them, with accounts. A decision that names somebody in its words is
    /// taken once more, by a table that knows accounts only.
    fn events_in_log(&mut self, events: &[Event], command: &Command) -> Vec<Event> {
        let in_words = |event: &Event| matches!(event.fact, Fact::Decided(_));
        if matches!(command.act, Act::VoidWagers(..)) && events.iter().any(in_words) {
            let state = self.people.state_in_log(self.table.state().clone());
            let table = self.table.with(state);
            if let Ok(events) = table.decide(command) {
                return events;
            }
        }
        events.iter().cloned().map(|event| self.people.event_in_log(event)).collect()
    }
}

#[cfg(test)]
mod tests {
    use rules::Card;
    use shoe::{Digest, Opening};

    use super::*;

    #[test]
    fn a_refusal_does_not_name_the_card_that_was_about_to_come() {
        let (card, salt): (Card, _) = ("5h".parse().expect("a card"), Digest::of(&[]));
        let opening = Opening { index: 7, card, salt, path: Vec::new() };
        let next =
            ShoeFact::Dealt { index: 7, what: "coup 2: player".into(), opening: Some(opening) };
        let refusal =
            |what: &str, instead: &str| Refusal::new(table::Code::WrongCard, None, what, instead);
        let facts = [next];
        for (what, instead) in [("5h before 6d", "6d comes first"), ("not so", "allowed: 5h")] {
            let said = discreet(refusal(what, instead), &facts);
            assert!(!said.to_string().contains("5h"), "{said}");
            assert_eq!(said.code, table::Code::WrongCard);
        }
        // A refusal may name a card that lies open for all to see, and a card that nobody took.
        let harmless = refusal("6d waits", "deal 6d first");
        assert_eq!(discreet(harmless.clone(), &facts), harmless);
        let known = refusal("5h before 6d", "6d comes first");
        assert_eq!(discreet(known.clone(), &[]), known);
    }
}
