//! What is sealed, and what the system deals when it is asked to: once under each key, through
//! starts too, and the log gives nothing away.

use live::{Answer, Deal, EventTold, Floor, Order, Sealed};
use store::Log;
use table::{Code, Role};
use tournament::{Act, Next};

use crate::by_itself::conditions;
use crate::events::Event;
use crate::place::named;

const WORDS: &str = "100 on player";

impl Event {
    fn sealed(&self, name: &str, key: &str, act: Sealed) -> Order<Sealed> {
        let role = if name == "Dana" { Role::Director } else { Role::Player };
        Order { who: self.id(name), role, key: key.into(), act }
    }

    async fn seals(&self, name: &str, key: &str, act: Sealed) -> Answer<EventTold> {
        self.cup.order_sealed(self.sealed(name, key, act)).await.unwrap()
    }

    async fn version(&self) -> u64 {
        self.cup.look().await.unwrap().version
    }

    /// The same order again does nothing, and is answered the same.
    async fn again(&self, name: &str, key: &str, act: Sealed, before: &Answer<EventTold>) {
        let version = self.version().await;
        let again = self.seals(name, key, act.clone()).await;
        assert_eq!((&again.ruled, again.repeated), (&before.ruled, true), "{act:?}");
        assert_eq!(self.version().await, version, "{act:?}");
    }

    /// A process that starts again on the same log.
    async fn start_again(&mut self) {
        self.floor.close().await.unwrap();
        self.floor = Floor::open(Log::Model(self.model.clone()), self.world.clone()).await.unwrap();
        assert!(self.floor.resume().await.unwrap().is_empty());
        self.cup = self.floor.tournament(&live::tournament_stream("cup")).unwrap();
    }

    /// An event with two players, before the places are drawn.
    async fn of_two() -> Self {
        let mut event = Self::under("tas-2013", &conditions("tas-2013")).await;
        event.open_entries().await;
        event.done("Dana", Act::TellConditions).await;
        for name in ["Ann", "Bo"] {
            event.done(name, Act::Apply(named(name))).await;
            event.done(name, Act::Agree(named(name))).await;
            event.done("Dana", Act::Accept(named(name))).await;
        }
        event
    }

    async fn is_due(&self, wanted: &Next) -> bool {
        let tournament = self.cup.look().await.unwrap().tournament;
        tournament.due_at(self.world.now()).iter().any(|due| due.next == *wanted)
    }

    async fn until(&mut self, wanted: Next) {
        for _ in 0..100 {
            if self.is_due(&wanted).await {
                return;
            }
            self.do_next().await;
        }
        panic!("{wanted:?} is never due");
    }
}

#[tokio::test]
async fn a_ballot_is_committed_to_and_revealed_once() {
    let mut event = Event::of_two().await;
    // What cannot be revealed yet is not in the log either.
    let early = event.seals("Dana", "r0", Sealed::RevealBallot).await;
    assert_eq!(early.ruled.unwrap_err().code, Code::BadBallot);
    event.until(Next::CommitBallot).await;
    let not_hers = event.seals("Ann", "b", Sealed::CommitBallot).await;
    assert_eq!(not_hers.ruled.unwrap_err().code, Code::NotTheirs);
    let committed = event.seals("Dana", "b", Sealed::CommitBallot).await;
    assert!(committed.ruled.is_ok(), "{committed:?}");
    event.again("Dana", "b", Sealed::CommitBallot, &committed).await;
    let reused = event.seals("Dana", "b", Sealed::RevealBallot).await;
    assert_eq!(reused.ruled.unwrap_err().code, Code::KeyReused);
    event.start_again().await;
    event.again("Dana", "b", Sealed::CommitBallot, &committed).await;
    event.until(Next::RevealBallot).await;
    let revealed = event.seals("Dana", "r", Sealed::RevealBallot).await;
    assert!(revealed.ruled.is_ok(), "{revealed:?}");
    event.again("Dana", "r", Sealed::RevealBallot, &revealed).await;
    event.start_again().await;
    event.again("Dana", "r", Sealed::RevealBallot, &revealed).await;
    assert_eq!(event.findings().await, []);
}

#[tokio::test]
async fn a_form_is_handed_in_once_and_its_key_stands_for_its_words() {
    let mut event = Event::of_two().await;
    event.until(Next::HandIn(named("Ann"))).await;
    let form = |words: &str| Sealed::Form(named("Ann"), words.into());
    let not_hers = event.seals("Bo", "f", form(WORDS)).await;
    assert_eq!(not_hers.ruled.unwrap_err().code, Code::NotTheirs);
    let unread = event.seals("Ann", "f0", form("two\nlines")).await;
    assert_eq!(unread.ruled.unwrap_err().code, Code::Unsayable);
    let handed = event.seals("Ann", "f", form(WORDS)).await;
    assert!(handed.ruled.is_ok(), "{handed:?}");
    event.again("Ann", "f", form(WORDS), &handed).await;
    let other = event.seals("Ann", "f", form("200 on player")).await;
    assert_eq!(other.ruled.unwrap_err().code, Code::KeyReused);
    event.start_again().await;
    event.again("Ann", "f", form(WORDS), &handed).await;
    let other = event.seals("Ann", "f", form("200 on player")).await;
    assert_eq!(other.ruled.unwrap_err().code, Code::KeyReused);
    // Under another key it is another form, which the book refuses; and again the same.
    let second = event.seals("Ann", "g", form(WORDS)).await;
    assert!(second.ruled.is_err());
    event.again("Ann", "g", form(WORDS), &second).await;
    let stream = live::tournament_stream("cup");
    let records = event.floor.log().records(&stream, 0).await.unwrap();
    assert!(records.iter().all(|record| !record.body.contains(WORDS)), "the words are told");
    assert_eq!(event.findings().await, []);
}

#[tokio::test]
async fn what_the_system_deals_under_a_key_it_deals_once() {
    let mut event = Event::of_two().await;
    let tournament = |event: &Event| event.cup.clone();
    for _ in 0..100 {
        let scene = tournament(&event).look().await.unwrap();
        if scene.tournament.sittings().any(tournament::Sitting::is_live) {
            break;
        }
        event.do_next().await;
    }
    let deal = |event: &Event, name: &str, role, key: &str, table| Order {
        who: event.id(name),
        role,
        key: key.into(),
        act: Deal { table },
    };
    for (name, role) in [("Ann", Role::Player), ("Ann", Role::Director), ("Dana", Role::Player)] {
        let order = deal(&event, name, role, &format!("no {role}"), 1);
        let refused = event.cup.deal(order.clone()).await.unwrap();
        assert!(event.cup.deal(order).await.unwrap().repeated, "{name} as {role}");
        assert_eq!(refused.ruled.unwrap_err().code, Code::NotTheirs, "{name} as {role}");
    }
    let order = deal(&event, "Dana", Role::Director, "d", 1);
    let dealt = event.cup.deal(order.clone()).await.unwrap();
    assert!(dealt.ruled.as_ref().is_ok_and(|told| !told.is_empty()), "{dealt:?}");
    let version = event.version().await;
    // Somebody cuts, and the system could go on: what comes again under the key does not.
    event.until(Next::Wager { name: named("Ann"), until: None }).await;
    assert!(event.version().await > version);
    for _ in 0..2 {
        let version = event.version().await;
        let again = event.cup.deal(order.clone()).await.unwrap();
        assert_eq!((&again.ruled, again.repeated), (&dealt.ruled, true));
        assert_eq!(event.version().await, version);
        let other = deal(&event, "Dana", Role::Director, "d", 2);
        let other = event.cup.deal(other).await.unwrap();
        assert_eq!(other.ruled.unwrap_err().code, Code::KeyReused);
        event.start_again().await;
    }
    // Where nobody needs the system nothing is dealt, and that stands for the key as well.
    let idle = deal(&event, "Dana", Role::Director, "e", 1);
    let nothing = event.cup.deal(idle.clone()).await.unwrap();
    assert_eq!(nothing.ruled, Ok(Vec::new()));
    assert!(event.cup.deal(idle).await.unwrap().repeated);
    assert_eq!(event.findings().await, []);
}
