//! The clock of a table: notices take effect, wagers close in time, cards come one after another,
//! and a seat that nobody uses is freed.

use std::collections::HashMap;

use rules::Cents;
use shoe::Which;
use store::{AccountKind, Deals, Pace};
use table::{
    Act, By, CutBy, Decision, Deed, Event, Fact, Name, Next, Phase, PlayerId, Role, Table, Work,
};

use super::Host;
use crate::account::MINUTE;
use crate::beat::{AT_ONCE, Beat, later};
use crate::dealing::Move;
use crate::fault::LiveError;
use crate::names::is_account;

/// When things happened, for what the clock demands.
#[derive(Clone, Debug, Default)]
pub(super) struct Timing {
    /// When wagers opened.
    betting: u64,
    /// When the last thing happened at the table.
    last: u64,
    /// When somebody last acted, by account.
    acted: HashMap<String, u64>,
    /// When people were last reminded of their own limits.
    reminded: u64,
}

impl Timing {
    pub(super) fn of(table: &Table) -> Self {
        Self { betting: table.now(), last: table.now(), ..Self::default() }
    }

    pub(super) const fn note(&mut self, event: &Event) {
        self.last = event.at;
        if matches!(event.fact, Fact::BetsOpened | Fact::ShoeReady) {
            self.betting = event.at;
        }
    }

    pub(super) fn acted(&mut self, who: &str, now: u64) {
        self.acted.insert(who.to_owned(), now);
    }
}

impl Host {
    /// A notice whose time has come takes effect before anything that comes later.
    pub(super) async fn tick(&mut self) -> Result<(), LiveError> {
        let now = self.world.now();
        let due = self.table.pending().iter().filter_map(|pending| pending.from);
        if due.into_iter().any(|from| from <= now && from > self.table.now()) {
            let _ = self.act_with(By::role(Role::Clock), Act::Tick, Vec::new()).await?;
        }
        Ok(())
    }

    /// Does what the clock demands, and says when to look again; nothing if only an act of somebody
    /// changes anything.
    ///
    /// # Errors
    ///
    /// When the log fails, or did not confirm what was written last: the clock drives nothing on
    /// of which nobody knows how it stands.
    pub async fn wake(&mut self) -> Result<Option<u64>, LiveError> {
        if self.scribe.broken {
            return Err(LiveError::Broken);
        }
        self.tick().await?;
        self.leave_closed().await?;
        let now = self.world.now();
        let notice = self.table.pending().iter().filter_map(|pending| pending.from);
        let mut next: Option<u64> = notice.filter(|from| *from > now).min();
        let mut sooner = |at: u64| next = Some(next.map_or(at, |next| next.min(at)));
        if let Some(pace) = self.setup.pace {
            if let Some(at) = self.free_idle_seats(pace).await? {
                sooner(at);
            }
            if let Some(at) = self.remind().await? {
                sooner(at);
            }
        }
        let Some(pace) = self.own_pace() else { return Ok(next) };
        for _ in 0..AT_ONCE {
            match self.beat(pace).await? {
                Beat::Done => {}
                Beat::Idle => return Ok(next),
                Beat::At(at) => {
                    sooner(at);
                    return Ok(next);
                }
            }
        }
        Ok(Some(now))
    }

    /// The pace of what the system does by itself: all that a dealer does; or, where a dealer deals
    /// from its shoe, what a shuffling machine does. Whoever runs the house alone says each step.
    fn own_pace(&self) -> Option<Pace> {
        match self.setup.deals {
            Deals::System => self.setup.pace,
            Deals::Staff if !self.setup.alone => Some(self.setup.pace.unwrap_or(Pace::USUAL)),
            Deals::Staff | Deals::Keyed => None,
        }
    }

    /// Whether the system does that by itself at this table.
    fn does(&self, act: &Act) -> bool {
        let machine = matches!(
            act,
            Act::CuttingCardAppears
                | Act::ShoeRunsOut
                | Act::Supervisor(Decision::Cut(_))
                | Act::Dealer(Work::PlaceCuttingCard(_) | Work::Burn(_))
        );
        machine || self.setup.deals == Deals::System
    }

    /// Until when people may do what the table waits for: bet, cut, turn cards, take part in the
    /// shoe. In microseconds; nothing where the clock waits for nobody.
    #[must_use]
    pub fn until(&self) -> Option<u64> {
        let pace = self.own_pace()?;
        self.table.present().next()?;
        match self.table.due()?.next {
            // The dealer closes the wagers, and looks after who turns the cards.
            Next::Wagers | Next::Turn { .. } if self.setup.deals == Deals::Staff => None,
            Next::Wagers => {
                let lasts = pace.betting_ms.saturating_add(pace.result_ms);
                Some(later(self.timing.betting, lasts))
            }
            Next::Cut(_) | Next::Turn { .. } | Next::Shuffle => {
                Some(later(self.timing.last, pace.answer_ms))
            }
            Next::Players
            | Next::Replace
            | Next::Check(_)
            | Next::PlaceCuttingCard(_)
            | Next::Burn
            | Next::Card(_)
            | Next::Inspector
            | Next::Decide(_) => None,
        }
    }

    /// When the table is closed, the chips of everybody who has an account go there.
    async fn leave_closed(&mut self) -> Result<(), LiveError> {
        if self.table.phase() != Phase::Closed {
            return Ok(());
        }
        let there: Vec<Name> = self.table.present().map(|(_, player)| player.name).collect();
        for name in there {
            if self.people.known(&name).is_some_and(|account| is_account(&account)) {
                let act = Act::Player(name, Deed::Leave);
                let _ = self.act_with(By::player(name), act, Vec::new()).await?;
            }
        }
        Ok(())
    }

    /// Players who did nothing for long give up their seats, and their chips go to their accounts.
    async fn free_idle_seats(&mut self, pace: Pace) -> Result<Option<u64>, LiveError> {
        let now = self.world.now();
        let mut next: Option<u64> = None;
        let there: Vec<(PlayerId, Name)> =
            self.table.present().map(|(id, player)| (id, player.name)).collect();
        for (id, name) in there {
            let Some(account) = self.people.known(&name).filter(|account| is_account(account))
            else {
                continue;
            };
            let acted = *self.timing.acted.entry(account.to_string()).or_insert(now);
            let until = later(acted, pace.idle_ms);
            if until > now {
                next = Some(next.map_or(until, |next| next.min(until)));
            } else if self.table.wagers().iter().all(|wager| wager.player != id) {
                let act = Act::Player(name, Deed::Leave);
                // In the middle of a coup nobody leaves; the next look comes soon.
                let _ = self.act_with(By::player(name), act, Vec::new()).await?;
            }
        }
        Ok(next)
    }

    /// Reminds players who wanted to be reminded.
    async fn remind(&mut self) -> Result<Option<u64>, LiveError> {
        let (Some(accounts), now) = (self.accounts.clone(), self.world.now()) else {
            return Ok(None);
        };
        let next = self.timing.reminded.saturating_add(MINUTE);
        if now < next {
            return Ok(self.table.present().next().map(|_| next));
        }
        self.timing.reminded = now;
        let there: Vec<(Name, Cents)> = self
            .table
            .present()
            .map(|(id, player)| {
                let lying = self.table.wagers().iter().filter(|wager| wager.player == id);
                let lying = lying.map(|wager| wager.stake.get()).sum::<u64>();
                let holds = player.stack.at_least_zero().get().saturating_add(lying);
                (player.name, Cents::new(holds).unwrap_or(Cents::MAX))
            })
            .collect();
        let somebody = !there.is_empty();
        for (name, holds) in there {
            if let Some(account) = self.people.known(&name).filter(|account| is_account(account)) {
                accounts.remind(&account, holds).await?;
            }
        }
        Ok(somebody.then_some(now.saturating_add(MINUTE)))
    }

    /// What the system as dealer does next, when it is time.
    async fn beat(&mut self, pace: Pace) -> Result<Beat, LiveError> {
        let (now, last) = (self.world.now(), self.timing.last);
        if self.give_up_shoe().await?.is_some() {
            return Ok(Beat::Done);
        }
        if self.table.present().next().is_none() {
            // An empty table is not dealt.
            return Ok(Beat::Idle);
        }
        let world = self.world.clone();
        let felt = crate::dealing::Felt { state: self.table.state(), book: &self.book.rulebook };
        let due = match self.dealing.next(felt, &world)? {
            Move::Nothing => return Ok(Beat::Idle),
            Move::Commit | Move::Reveal => {
                self.step().await?;
                self.timing.last = now;
                return Ok(Beat::Done);
            }
            Move::Act(act, _) if !self.does(&act) => return Ok(Beat::Idle),
            Move::Act(act, _) => {
                let cut = matches!(act, Act::Supervisor(Decision::Cut(_)));
                let words = cut && !self.dealing.words_due(Which::Second).is_empty();
                // The cutting card comes before the dealer draws the card behind it.
                let marker = act == Act::CuttingCardAppears && self.setup.deals == Deals::Staff;
                let wait = match (words, marker) {
                    (true, _) => pace.answer_ms,
                    (false, true) => 0,
                    (false, false) => pace.card_ms,
                };
                if now < later(last, wait) {
                    return Ok(Beat::At(later(last, wait)));
                }
                self.step().await?;
                return Ok(Beat::Done);
            }
            Move::Waits(due) => due.next,
        };
        self.beat_for(due, pace).await
    }

    /// Somebody is asked: when their time is up, the table goes on without them.
    async fn beat_for(&mut self, next: Next, pace: Pace) -> Result<Beat, LiveError> {
        let (now, last) = (self.world.now(), self.timing.last);
        let answered = later(last, pace.answer_ms);
        match next {
            Next::Wagers | Next::Turn { .. } if self.setup.deals == Deals::Staff => Ok(Beat::Idle),
            Next::Wagers => self.close_wagers(pace).await,
            Next::Shuffle => self.beat_for_words(pace).await,
            Next::Cut(by) => {
                if now < answered {
                    return Ok(Beat::At(answered));
                }
                let declined = self.table.shoe().declined.clone();
                let asked = match by {
                    Some(CutBy::Player(id)) => Some(id),
                    Some(CutBy::Staff(_)) => None,
                    None => {
                        let mut there = self.table.present().map(|(id, _)| id);
                        there.find(|id| !declined.contains(id))
                    }
                };
                self.answer_for(asked, Deed::DeclineCut).await
            }
            Next::Turn { by, .. } => {
                if now < answered {
                    return Ok(Beat::At(answered));
                }
                self.answer_for(by, Deed::RefuseCards).await
            }
            Next::Players
            | Next::Replace
            | Next::Check(_)
            | Next::PlaceCuttingCard(_)
            | Next::Burn
            | Next::Card(_)
            | Next::Inspector
            | Next::Decide(_) => Ok(Beat::Idle),
        }
    }

    /// A player who does not answer is taken to have declined.
    async fn answer_for(
        &mut self,
        player: Option<PlayerId>,
        deed: Deed,
    ) -> Result<Beat, LiveError> {
        let Some(player) = player else { return Ok(Beat::Idle) };
        let name = self.table.player(player).name;
        let act = Act::Player(name, deed);
        Ok(match self.act_with(By::player(name), act, Vec::new()).await? {
            Ok(_) => Beat::Done,
            Err(_) => Beat::Idle,
        })
    }

    /// Wagers close when their time is up and somebody has bet.
    async fn close_wagers(&mut self, pace: Pace) -> Result<Beat, LiveError> {
        let now = self.world.now();
        let since = self.timing.betting;
        let until = later(since, pace.betting_ms.saturating_add(pace.result_ms));
        if now < until {
            return Ok(Beat::At(until));
        }
        if self.table.wagers().is_empty() && !self.table.is_no_bet() {
            // Nobody bets: the time starts again.
            self.timing.betting = now;
            return Ok(Beat::At(later(now, pace.betting_ms.max(1))));
        }
        let act = Act::Dealer(Work::NoMoreBets);
        if self.act_with(By::role(Role::Dealer), act, Vec::new()).await?.is_ok() {
            return Ok(Beat::Done);
        }
        self.timing.betting = now;
        Ok(Beat::At(later(now, pace.betting_ms.max(1))))
    }

    /// How many there could promise words: robots are no witnesses.
    async fn witnesses(&self) -> Result<usize, LiveError> {
        let Some(accounts) = &self.accounts else { return Ok(self.table.present().count()) };
        let mut people = 0;
        for (_, player) in self.table.present() {
            let account = self.people.known(&player.name).filter(|known| is_account(known));
            let robot = match account {
                Some(account) => accounts.get(&account).await?.kind == AccountKind::Robot,
                None => false,
            };
            people += usize::from(!robot);
        }
        Ok(people)
    }

    /// People promise words, the list is closed, they open them, and the shoe is made.
    async fn beat_for_words(&mut self, pace: Pace) -> Result<Beat, LiveError> {
        // From what was published last: what else happens at the table gives nobody more time.
        let since = if self.dealing.since > 0 { self.dealing.since } else { self.timing.last };
        let (now, until) = (self.world.now(), later(since, pace.answer_ms));
        let Some(way) = self.dealing.second() else {
            let _ = self.shuffle().await?;
            return Ok(Beat::Done);
        };
        let listed = way.signature.is_some();
        let there = self.witnesses().await?;
        let all = if listed {
            self.dealing.words_due(Which::First).is_empty()
        } else {
            self.dealing.promises.len() >= there
        };
        if !all && now < until {
            return Ok(Beat::At(until));
        }
        if listed {
            let _ = self.shuffle().await?;
        } else {
            self.close_list().await?;
            self.timing.last = now;
        }
        Ok(Beat::Done)
    }
}
