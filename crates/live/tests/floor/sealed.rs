//! What is sealed, and what the system deals when it is asked to: once under each key, through
//! starts too, and the log gives nothing away.

use live::{Answer, Deal, EventTold, Floor, Order, Sealed};
use store::Log;
use table::{Code, Role};
use tournament::{Act, Fact, Next};
use view::Eyes;

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

    /// An event in which Ann has handed in a form with these words.
    async fn with_form(words: &str) -> Self {
        let mut event = Self::of_two().await;
        event.until(Next::HandIn(named("Ann"))).await;
        let handed = event.seals("Ann", "f", Sealed::Form(named("Ann"), words.into())).await;
        assert!(handed.ruled.is_ok(), "{handed:?}");
        event
    }

    /// Everything that everybody but an auditor sees of the event and of what happened in it,
    /// without the commitment to Ann's words, which is another for other words.
    async fn seen_by_all(&self) -> Vec<String> {
        let tournament = self.cup.look().await.unwrap().tournament;
        let ann = tournament.entrant_named(&named("Ann")).unwrap();
        let chairs = tournament.sittings().filter_map(|sitting| sitting.chair(ann));
        let forms: Vec<_> = chairs.filter_map(|chair| chair.form).collect();
        let mut seen = Vec::new();
        for eyes in [
            Eyes::Spectator,
            Eyes::Player(named("Bo")),
            Eyes::Dealer,
            Eyes::Supervisor,
            Eyes::Inspector,
            Eyes::Director,
            Eyes::Operator,
        ] {
            let view = serde_json::to_string(&self.cup.view(&eyes).await.unwrap()).unwrap();
            let mut news = self.cup.subscribe(0).await.unwrap();
            let update = news.next_for(&eyes, &self.cup).await.unwrap();
            let events = serde_json::to_string(&update.events).unwrap();
            let said = forms.iter().fold(view + &events, |text, form| {
                text.replace(&form.commitment.to_string(), "the form")
            });
            seen.push(format!("{eyes:?}: {said}"));
        }
        seen
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

fn opening() -> Act {
    Act::OpenForm { name: named("Ann"), salt: String::new(), content: String::new() }
}

/// The words are in a box that opens for the inspector alone, and not before the coup is over.
#[tokio::test]
async fn a_sealed_form_is_opened_by_the_inspector_only_and_when_the_book_says_so() {
    let mut event = Event::with_form(WORDS).await;
    let words = async |event: &Event| {
        let stream = live::tournament_stream("cup");
        let records = event.floor.log().records(&stream, 0).await.unwrap();
        records.iter().any(|record| record.body.contains(WORDS))
    };
    let mut early = 0;
    while !event.is_due(&Next::OpenForm(named("Ann"))).await {
        assert!(early < 100, "{:?}", event.cup.look().await.unwrap().tournament.due());
        let refused = event.send_as("Ivy", Role::Inspector, opening()).await.unwrap_err();
        assert_eq!(refused.code, Code::WrongMoment, "{refused}");
        event.do_next().await;
        early += 1;
    }
    assert!(early > 3, "the form was opened after {early} steps");
    let others = [
        ("Vera", Role::Supervisor),
        ("Max", Role::Management),
        ("Dana", Role::Director),
        ("Olga", Role::Operator),
        ("Dee", Role::Dealer),
        ("Ann", Role::Player),
        ("Bo", Role::Player),
    ];
    for (who, role) in others {
        let refused = event.send_as(who, role, opening()).await.unwrap_err();
        assert_eq!(refused.code, Code::NotTheirs, "{who}");
        assert!(refused.instead.contains("inspector"), "{who}: {}", refused.instead);
    }
    assert!(!words(&event).await, "the words are told");
    let told = event.send_as("Ivy", Role::Inspector, opening()).await.unwrap();
    let opened = |one: &EventTold| {
        let Fact::FormOpened { content, .. } = &one.event.fact else { return false };
        content == WORDS
    };
    assert!(told.iter().any(opened), "{told:?}");
    assert!(words(&event).await);
    assert_eq!(event.findings().await, []);
}

/// Two events that differ in the words of a form alone look the same to everybody until the form is
/// opened: chips, standings, turns, what is asked and what is lawful give nothing away.
#[tokio::test]
async fn nobody_can_tell_the_words_of_a_form_before_it_is_opened() {
    let mut one = Event::with_form(WORDS).await;
    let mut other = Event::with_form("250 on banker").await;
    let due = Next::OpenForm(named("Ann"));
    let mut compared = 0;
    loop {
        let (this, that) = (one.seen_by_all().await, other.seen_by_all().await);
        for (this, that) in this.iter().zip(&that) {
            assert_eq!(this, that);
        }
        compared += 1;
        if one.is_due(&due).await {
            break;
        }
        assert!(compared < 100, "the form is never opened");
        one.do_next().await;
        other.do_next().await;
    }
    assert!(compared > 3, "{compared}");
    // What is opened everybody sees: so would have been what is given away.
    for event in [&mut one, &mut other] {
        event.send_as("Ivy", Role::Inspector, opening()).await.unwrap();
    }
    let (this, that) = (one.seen_by_all().await, other.seen_by_all().await);
    assert!(this.iter().zip(&that).all(|(this, that)| this != that));
}
