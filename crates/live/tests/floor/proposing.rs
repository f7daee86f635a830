//! What takes back a payment waits for a second person, while the table goes on.

use table::{Act, Code, Fact, Role};
use view::{Eyes, Watch};

use crate::paid;
use crate::place::{Place, bet, cents, named};

fn void(number: u32) -> Act {
    Act::VoidNumbered(number, "the wrong shoe".into())
}

/// The first of two people says it.
async fn propose(place: &mut Place, act: Act) {
    let told = place.send("Olga", Role::Operator, act).await;
    assert_eq!(told.unwrap_err().code, Code::SecondPerson);
}

#[tokio::test]
async fn a_table_goes_on_while_a_second_person_is_waited_for() {
    let mut place = Box::pin(paid()).await;
    propose(&mut place, void(1)).await;
    // People bet, a coup is played, and the process ends in the midst of it.
    place.done("Ann", Role::Player, bet("Ann", 20)).await;
    place.line("dealer calls no more bets").await;
    place.start_again().await;
    place.line("dealer deals 9h Kd Kc 2s").await;
    assert_eq!(place.stack("Ann"), cents(140));
    let told = place.send("Otto", Role::Operator, void(1)).await.unwrap();
    assert!(told.iter().any(|told| matches!(told.event.fact, Fact::Reversed { .. })));
    assert_eq!(place.stack("Ann"), cents(120));
    assert_eq!(place.host.proposed().count(), 0, "it is done, and waits no more");
    // A second person who confirmed what nobody proposed would be found.
    let kept = |record: &store::Record| record.schema != "proposed/1";
    let forged: Vec<_> = place.records().await.into_iter().filter(kept).collect();
    let found = audit::audit(&forged).unwrap().findings;
    assert!(found.iter().any(|finding| finding.what.contains("nobody proposed")), "{found:?}");
    // Both of them ran this table, whoever is asked after a start.
    place.start_again().await;
    for name in ["Olga", "Otto"] {
        let sits = crate::place::sit(name, 3, 50);
        let refused = place.send(name, Role::Player, sits).await.unwrap_err();
        assert_eq!(refused.code, Code::RunsTheTable, "{name}");
    }
    place.holds().await;
}

#[tokio::test]
async fn the_coup_that_is_meant_is_the_latest_when_it_was_said() {
    let mut place = Box::pin(paid()).await;
    let latest = || Act::VoidCoup("a disturbance".into());
    propose(&mut place, latest()).await;
    place.done("Ann", Role::Player, bet("Ann", 20)).await;
    place.line("dealer calls no more bets").await;
    place.line("dealer deals 9h Kd Kc 2s").await;
    // By now the latest coup is another one: nobody proposed to void that.
    assert_eq!(place.host.proposed().count(), 0);
    let told = place.send("Otto", Role::Operator, latest()).await;
    assert_eq!(told.unwrap_err().code, Code::SecondPerson);
    assert_eq!(place.stack("Ann"), cents(140));
    place.done("Olga", Role::Operator, latest()).await;
    assert_eq!(place.stack("Ann"), cents(120));
    place.holds().await;
}

#[tokio::test]
async fn a_proposal_waits_for_ten_minutes() {
    let minutes = |minutes: u64| minutes * 60_000_000;
    for (later, confirmed) in [(minutes(10), true), (minutes(10) + 1, false)] {
        let mut place = Box::pin(paid()).await;
        propose(&mut place, void(1)).await;
        place.at(place.now + later);
        let told = place.send("Otto", Role::Operator, void(1)).await;
        assert_eq!(told.is_ok(), confirmed, "after {later} µs");
        place.holds().await;
    }
}

#[tokio::test]
async fn staff_see_what_waits_and_nobody_else_does() {
    let mut place = Box::pin(paid()).await;
    let mut news = place.host.watch();
    propose(&mut place, void(1)).await;
    assert!(news.try_recv().is_ok(), "who watches looks again");
    let (first, other) = (place.id("Olga"), place.id("Otto"));
    for scene in [place.host.scene(), {
        place.host.keep().await.unwrap();
        place.start_again().await;
        place.host.scene()
    }] {
        let seen = |eyes: Eyes, account: &str| {
            scene.seen(&eyes, (&Watch::default(), &[]), Some(account)).proposed
        };
        let own = seen(Eyes::Operator, &first).unwrap();
        let theirs = seen(Eyes::Supervisor, &other).unwrap();
        assert_eq!((own.mine, theirs.mine), (true, false));
        let asked = seen(Eyes::Operator, &other).unwrap();
        let can = (own.confirmable, asked.confirmable, theirs.confirmable);
        assert_eq!(can, (false, true, false), "another operator confirms it");
        let line = theirs.line.unwrap();
        assert_eq!(line, "operator voids coup 1 because the wrong shoe");
        assert_eq!(theirs.until, place.now + 600_000_000);
        assert_eq!(seen(Eyes::Player(named("Ann")), &place.id("Ann")), None);
        assert_eq!(seen(Eyes::Spectator, "a-99"), None);
    }
}

fn said(line: &str) -> Act {
    let Ok(transcript::Said::Act(_, act)) = transcript::understand(line) else { panic!("{line}") };
    *act
}

/// A payment is taken back by two people, whatever it is called: a reconstruction too.
#[tokio::test]
async fn a_coup_that_was_paid_is_put_right_by_two_people() {
    let order = "supervisor reconstructs the coup in the order Kd 9h 2s Kc";
    for (line, after) in [(order, 80), ("supervisor cannot reconstruct the coup", 100)] {
        let mut place = Box::pin(paid()).await;
        place.line("supervisor finds an error in coup 1").await;
        for _ in 0..2 {
            let told = place.send("Sue", Role::Supervisor, said(line)).await;
            assert_eq!(told.unwrap_err().code, Code::SecondPerson, "{line}");
        }
        assert_eq!(place.stack("Ann"), cents(120));
        place.start_again().await;
        place.done("Max", Role::Management, said(line)).await;
        assert_eq!(place.stack("Ann"), cents(after), "{line}");
        place.holds().await;
        // In a log where one did it alone, the audit says so.
        let mut records = place.records().await;
        let (second, none) = (format!("\"second\":\"{}\"", place.id("Max")), "\"second\":null");
        for record in &mut records {
            record.body = record.body.replace(&second, none);
        }
        let found = audit::audit(&records).unwrap().findings;
        assert!(found.iter().any(|one| one.what.contains("one person alone")), "{found:?}");
    }
}

#[tokio::test]
async fn what_one_proposes_does_not_displace_what_another_does() {
    let mut place = Box::pin(paid()).await;
    place.line("supervisor finds an error in coup 1").await;
    propose(&mut place, void(1)).await;
    let other = said("supervisor cannot reconstruct the coup");
    let told = place.send("Sue", Role::Supervisor, other).await;
    assert_eq!(told.unwrap_err().code, Code::SecondPerson);
    assert_eq!(place.host.proposed().count(), 2);
    place.host.keep().await.unwrap();
    place.start_again().await;
    assert_eq!(place.host.proposed().count(), 2);
    place.done("Otto", Role::Operator, void(1)).await;
    assert_eq!(place.stack("Ann"), cents(100));
    place.holds().await;
}

/// "The coup" is the latest, as if its number had been said.
#[tokio::test]
async fn a_coup_is_the_same_with_and_without_its_number() {
    let mut place = Box::pin(paid()).await;
    propose(&mut place, void(1)).await;
    place.done("Sue", Role::Supervisor, Act::VoidCoup("seen on the film".into())).await;
    assert_eq!(place.stack("Ann"), cents(100));
    place.holds().await;
}

#[tokio::test]
async fn who_was_dismissed_is_no_first_of_two() {
    let mut place = Box::pin(paid()).await;
    propose(&mut place, void(1)).await;
    let (olga, otto) = (place.id("Olga"), place.id("Otto"));
    place.accounts.take_role(&olga, Role::Operator, &otto).await.unwrap();
    let told = place.send("Otto", Role::Operator, void(1)).await;
    assert_eq!(told.unwrap_err().code, Code::SecondPerson);
    assert_eq!(place.stack("Ann"), cents(120));
    place.holds().await;
}
