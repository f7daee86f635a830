//! A floor of many tables: who may do what, what is carried out once, where the money goes.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "floor/by_itself.rs"]
mod by_itself;
#[path = "floor/events.rs"]
mod events;
#[path = "floor/money.rs"]
mod money;
#[path = "floor/others.rs"]
mod others;
#[path = "floor/place.rs"]
mod place;
#[path = "floor/proposing.rs"]
mod proposing;
#[path = "floor/roles.rs"]
mod roles;
#[path = "floor/sealed.rs"]
mod sealed;
#[path = "floor/staffed.rs"]
mod staffed;
#[path = "floor/two_people.rs"]
mod two_people;
#[path = "floor/watching.rs"]
mod watching;

use live::{Order, Step};
use rules::Side;
use store::Deals;
use table::{Act, Code, Deed, Fact, Next, Role, Work};

use crate::place::{Place, bet, cents, named, sit};

#[tokio::test]
async fn an_order_is_carried_out_once_and_answered_the_same() {
    let mut place = Place::new(Deals::Keyed).await;
    let order = place.order("Ann", Role::Player, sit("Ann", 1, 100));
    let first = place.host.deliver(order.clone()).await.unwrap();
    assert!(!first.repeated);
    let again = place.host.deliver(order.clone()).await.unwrap();
    assert!(again.repeated);
    assert_eq!((again.version, &again.ruled), (first.version, &first.ruled));
    assert_eq!(place.balance("Ann").await, cents(900));
    // Another content under the same key is refused, and changes nothing.
    let other = Order { act: sit("Ann", 2, 50), ..order.clone() };
    let refused = place.host.deliver(other).await.unwrap().ruled.unwrap_err();
    assert_eq!(refused.code, Code::KeyReused);
    // The same after a start.
    place.start_again().await;
    let later = place.host.deliver(order).await.unwrap();
    assert!(later.repeated);
    assert_eq!(later.ruled.map(|told| told.len()), first.ruled.map(|told| told.len()));
    assert_eq!(place.balance("Ann").await, cents(900));
}

#[tokio::test]
async fn a_refusal_is_kept_and_answered_the_same_even_if_it_would_be_lawful_now() {
    let mut place = Place::new(Deals::Keyed).await;
    place.done("Ann", Role::Player, sit("Ann", 1, 100)).await;
    let order = place.order("Ann", Role::Player, bet("Ann", 10));
    let refused = place.host.deliver(order.clone()).await.unwrap().ruled.unwrap_err();
    place.fresh_shoe().await;
    for _ in 0..2 {
        let again = place.host.deliver(order.clone()).await.unwrap();
        assert!(again.repeated);
        assert_eq!(again.ruled.unwrap_err(), refused);
        place.start_again().await;
    }
    assert!(place.host.table().wagers().is_empty());
    // `I did bet` can be looked up, with who and why.
    let records = place.records().await;
    let kept = records.iter().filter(|record| record.schema == "refused/1");
    let kept: Vec<_> = kept.map(|record| record.body.clone()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(kept[0].contains("\"who\":\"a-3\"") && !kept[0].contains("Ann"), "{kept:?}");
    place.holds().await;
}

#[tokio::test]
async fn refusals_are_bounded_and_still_answered_the_same() {
    let mut place = Place::new(Deals::Keyed).await;
    place.done("Ann", Role::Player, sit("Ann", 1, 100)).await;
    let before = place.host.version();
    let mut last = None;
    for _ in 0..100 {
        let order = place.order("Ann", Role::Player, bet("Ann", 10));
        assert!(place.host.deliver(order.clone()).await.unwrap().ruled.is_err());
        last = Some(order);
    }
    assert!(place.host.version() - before <= 16, "a flood fills the log");
    let answer = place.host.deliver(last.unwrap()).await.unwrap();
    assert!(answer.repeated && answer.ruled.is_err());
}

/// Ann came with 100 and won 20 in coup 1.
pub(crate) async fn paid() -> Place {
    let mut place = Place::new(Deals::Keyed).await;
    place.done("Ann", Role::Player, sit("Ann", 1, 100)).await;
    place.fresh_shoe().await;
    place.done("Ann", Role::Player, bet("Ann", 20)).await;
    place.line("dealer calls no more bets").await;
    place.line("dealer deals 9h Kd Kc 2s").await;
    place
}

#[tokio::test]
async fn what_was_paid_is_taken_back_by_two_people() {
    let mut place = Box::pin(paid()).await;
    assert_eq!(place.stack("Ann"), cents(120));
    let void = |why: &str| Act::VoidNumbered(1, why.into());
    let told = place.send("Olga", Role::Operator, void("the shoe was tampered with")).await;
    assert_eq!(told.unwrap_err().code, Code::SecondPerson);
    // The same person twice is one person.
    let told = place.send("Olga", Role::Operator, void("I am sure")).await;
    assert_eq!(told.unwrap_err().code, Code::SecondPerson);
    assert_eq!(place.stack("Ann"), cents(120));
    let told = place.send("Otto", Role::Operator, void("seen on the film")).await.unwrap();
    assert!(told.iter().any(|told| matches!(told.event.fact, Fact::Reversed { .. })));
    assert_eq!(place.stack("Ann"), cents(100));
    let records = place.records().await;
    let act = records.iter().rfind(|record| record.schema == "act/1").unwrap();
    assert!(act.body.contains("\"who\":\"a-1\"") && act.body.contains("\"second\":\"a-2\""));
    place.holds().await;
}

#[tokio::test]
async fn what_is_tried_is_judged_and_not_done() {
    let mut place = Box::pin(paid()).await;
    let void = Act::VoidNumbered(1, "the shoe was tampered with".into());
    let version = place.host.version();
    let order = place.order("Olga", Role::Operator, void.clone());
    let tried = place.host.consider(order.clone()).await.unwrap();
    assert!(tried.second, "two people take it back");
    let would = tried.ruled.unwrap();
    let ann = tried.scene.table.player_named(&named("Ann")).unwrap();
    assert_eq!(tried.scene.table.player(ann).stack.get(), 10_000);
    assert_eq!((place.stack("Ann"), place.host.version()), (cents(120), version), "it was done");
    // It was no proposal either: the first who says it is the first.
    let told = place.send("Otto", Role::Operator, void.clone()).await;
    assert_eq!(told.unwrap_err().code, Code::SecondPerson);
    let told = place.host.deliver(order).await.unwrap().ruled.unwrap();
    let facts = |told: &[live::Told]| {
        let facts = told.iter().map(|told| (told.event.fact.clone(), told.what.clone()));
        facts.collect::<Vec<_>>()
    };
    assert_eq!(facts(&would), facts(&told), "it does what was told before");
    // Who may not do it may not try it; what the book refuses is refused.
    for (name, role) in [("Ann", Role::Player), ("Ann", Role::Operator)] {
        let order = place.order(name, role, void.clone());
        let refused = place.host.consider(order).await.unwrap().ruled.unwrap_err();
        assert_eq!(refused.code, Code::NotTheirs, "{name} as {role}");
    }
    let order = place.order("Ann", Role::Player, bet("Ann", 100_000));
    assert!(place.host.consider(order).await.unwrap().ruled.is_err());
    place.holds().await;
}

#[tokio::test]
async fn no_card_of_the_shoe_is_seen_by_trying() {
    let mut place = Place::new(Deals::Staff).await;
    place.done("Ann", Role::Player, sit("Ann", 1, 100)).await;
    loop {
        match place.host.step().await.unwrap() {
            Step::Waits(due) if due.next == Next::Shuffle => {
                place.host.shuffle().await.unwrap().unwrap();
            }
            Step::Waits(due) if matches!(due.next, Next::Cut(_)) => {
                place.done("Ann", Role::Player, Act::Player(named("Ann"), Deed::Cut(100))).await;
            }
            Step::Waits(_) => break,
            _ => {}
        }
    }
    place.done("Ann", Role::Player, bet("Ann", 20)).await;
    place.line("dealer calls no more bets").await;
    let draw = Act::Dealer(Work::Draw { card: None, to: Side::Player, face_down: false });
    let (left, version) = (place.host.cards_left(), place.host.version());
    for _ in 0..3 {
        let order = place.order("Dee", Role::Dealer, draw.clone());
        let refused = place.host.consider(order).await.unwrap().ruled.unwrap_err();
        assert_eq!(refused.code, Code::Unsayable);
        assert_eq!((place.host.cards_left(), place.host.version()), (left, version));
    }
    place.done("Dee", Role::Dealer, draw).await;
    place.holds().await;
}

#[tokio::test]
async fn nothing_is_wagered_before_its_limits_are_on_the_sign() {
    for (book, clause) in [("act-2018", Some("act-2018 3.1")), ("nz-1998", None)] {
        let mut place = Place::bare(book, Deals::Keyed).await;
        place.done("Ann", Role::Player, sit("Ann", 1, 100)).await;
        place.fresh_shoe().await;
        let ruled = place.send("Ann", Role::Player, bet("Ann", 20)).await;
        let Some(clause) = clause else {
            assert!(ruled.is_ok());
            continue;
        };
        let refusal = ruled.unwrap_err();
        assert_eq!(refusal.code, Code::NoSign);
        assert_eq!(refusal.clause.unwrap().to_string(), clause);
        place.holds().await;
        let mut signed = Place::of(book, Deals::Keyed).await;
        signed.done("Ann", Role::Player, sit("Ann", 1, 100)).await;
        signed.fresh_shoe().await;
        assert!(signed.send("Ann", Role::Player, bet("Ann", 20)).await.is_ok());
    }
}

#[tokio::test]
async fn a_table_that_the_system_deals_runs_by_the_clock() {
    let mut place = Place::paced().await;
    place.done("Ann", Role::Player, sit("Ann", 1, 200)).await;
    place.done("Bo", Role::Player, sit("Bo", 2, 200)).await;
    let mut bets = 0;
    for _ in 0..4000 {
        let next = place.host.wake().await.unwrap();
        if place.host.table().phase() == table::Phase::Betting
            && place.host.table().wagers().is_empty()
            && place.send("Ann", Role::Player, bet("Ann", 10)).await.is_ok()
        {
            bets += 1;
        }
        if place.host.table().coups() >= 5 && place.host.table().coup().is_none() {
            break;
        }
        place.at(next.unwrap().max(place.now + 1));
    }
    assert!(place.host.table().coups() >= 5 && bets >= 4, "{bets} bets");
    let told = place.send("Dee", Role::Dealer, Act::Dealer(table::Work::NoMoreBets)).await;
    assert_eq!(told.unwrap_err().code, Code::NotTheirs, "nobody deals where the system does");
    place.holds().await;
}

#[tokio::test]
async fn a_notice_takes_effect_before_what_comes_later() {
    let mut place = Place::of("tas-2013", Deals::Keyed).await;
    place.done("Ann", Role::Player, sit("Ann", 1, 100)).await;
    place.line("operator gives notice of main 50..100 in 30m").await;
    place.fresh_shoe().await;
    place.at(place.now + 31 * 60_000_000);
    place.send("Ann", Role::Player, Act::Player(named("Ann"), Deed::AskRules)).await.unwrap();
    let limits = place.host.table().limits(rules::Group::Main).unwrap();
    assert_eq!(limits.least, cents(50));
    place.holds().await;
}

/// Every way in which a floor refuses, and no book, is tried by a test here.
#[test]
fn every_refusal_of_the_floor_is_tried() {
    let tests = concat!(
        include_str!("floor.rs"),
        include_str!("floor/money.rs"),
        include_str!("floor/roles.rs")
    );
    for code in Code::OF_THE_FLOOR {
        assert!(tests.contains(&format!(".code, Code::{code:?}")), "nothing tries {code:?}");
    }
}
