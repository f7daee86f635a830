//! Where the money goes: between accounts and tables, and what people allow themselves.

use live::{LiveError, World};
use rules::{Balance, Cents};
use store::{Begin, Deals, Log, OwnLimits, Store};
use table::{Act, Code, Deed, Role};

use crate::place::{Place, bet, cents, named, sit};

#[tokio::test]
async fn chips_go_to_the_table_and_back_in_one_act_each() {
    let mut place = Place::new(Deals::Keyed).await;
    place.done("Ann", Role::Player, sit("Ann", 1, 300)).await;
    assert_eq!(place.balance("Ann").await, cents(700));
    place.fresh_shoe().await;
    place.done("Ann", Role::Player, bet("Ann", 100)).await;
    place.line("dealer calls no more bets").await;
    place.line("dealer deals 9h Kd Kc 2s").await;
    place.done("Ann", Role::Player, Act::Player(named("Ann"), Deed::Leave)).await;
    assert_eq!(place.balance("Ann").await, cents(1100));
    // Nobody brings more than they have.
    let told = place.send("Bo", Role::Player, sit("Bo", 2, 1001)).await.unwrap_err();
    assert_eq!(told.code, Code::NotEnoughMoney);
    assert_eq!(place.host.table().present().count(), 0);
    place.holds().await;
    place.start_again().await;
    assert_eq!(place.balance("Ann").await, cents(1100));
}

#[tokio::test]
async fn a_table_that_closes_gives_the_chips_back() {
    let mut place = Place::new(Deals::Keyed).await;
    for (name, seat) in [("Ann", 1), ("Bo", 2)] {
        place.done(name, Role::Player, sit(name, seat, 300)).await;
    }
    place.line("operator gives notice of closing").await;
    place.fresh_shoe().await;
    place.line("operator closes the table").await;
    // Who is quick leaves, and the others are paid out.
    place.done("Ann", Role::Player, Act::Player(named("Ann"), Deed::Leave)).await;
    assert_eq!(place.balance("Ann").await, cents(1000));
    let told = place.send("Bo", Role::Player, bet("Bo", 20)).await.unwrap_err();
    assert_eq!(told.code, Code::Closed);
    place.start_again().await;
    place.host.wake().await.unwrap();
    assert_eq!(place.balance("Bo").await, cents(1000));
    assert_eq!(place.host.table().present().count(), 0);
    place.holds().await;
}

#[tokio::test]
async fn an_idle_seat_is_freed_and_paid_out() {
    let mut place = Place::paced().await;
    place.done("Ann", Role::Player, sit("Ann", 1, 300)).await;
    place.host.wake().await.unwrap();
    place.at(place.now + 601 * 1_000_000);
    place.host.wake().await.unwrap();
    assert_eq!(place.host.table().present().count(), 0);
    assert_eq!(place.balance("Ann").await, cents(1000));
    place.holds().await;
}

#[tokio::test]
async fn limits_of_ones_own_hold() {
    let mut place = Place::new(Deals::Keyed).await;
    let ann = place.id("Ann");
    let limits = OwnLimits { loss: Some(cents(100)), minutes: Some(60), remind: None };
    place.accounts.limit(&ann, "l1", limits).await.unwrap();
    place.done("Ann", Role::Player, sit("Ann", 1, 300)).await;
    place.fresh_shoe().await;
    let told = place.send("Ann", Role::Player, bet("Ann", 110)).await.unwrap_err();
    assert_eq!(told.code, Code::OwnLimit);
    place.done("Ann", Role::Player, bet("Ann", 100)).await;
    place.line("dealer calls no more bets").await;
    place.line("dealer deals 2h Kd Kc 9s").await;
    let told = place.send("Ann", Role::Player, bet("Ann", 10)).await.unwrap_err();
    assert_eq!(told.code, Code::OwnLimit, "the day's loss is reached");
    // Wider limits hold a day later, narrower ones at once.
    let wide = OwnLimits { loss: Some(cents(500)), minutes: None, remind: None };
    let from = place.accounts.limit(&ann, "l2", wide).await.unwrap();
    assert_eq!(from, place.now + 24 * 3600 * 1_000_000);
    assert!(place.send("Ann", Role::Player, bet("Ann", 10)).await.is_err());
    place.at(from);
    assert!(place.send("Ann", Role::Player, bet("Ann", 10)).await.is_ok());
    place.holds().await;
}

#[tokio::test]
async fn a_pause_cannot_be_taken_back() {
    let mut place = Place::new(Deals::Keyed).await;
    let ann = place.id("Ann");
    let hour = 3600 * 1_000_000;
    place.accounts.pause(&ann, "p1", 2 * hour).await.unwrap();
    place.accounts.pause(&ann, "p2", 0).await.unwrap();
    place.start_again().await;
    let told = place.send("Ann", Role::Player, sit("Ann", 1, 100)).await.unwrap_err();
    assert_eq!(told.code, Code::OwnLimit);
    place.at(place.now + 2 * hour);
    assert!(place.send("Ann", Role::Player, sit("Ann", 1, 100)).await.is_ok());
}

#[tokio::test]
async fn time_is_counted_and_told() {
    let mut place = Place::paced().await;
    let ann = place.id("Ann");
    let limits = OwnLimits { loss: None, minutes: Some(9), remind: Some(5) };
    place.accounts.limit(&ann, "l1", limits).await.unwrap();
    place.done("Ann", Role::Player, sit("Ann", 1, 100)).await;
    for _ in 0..6 {
        place.host.wake().await.unwrap();
        place.at(place.now + 60_000_000);
    }
    place.host.wake().await.unwrap();
    let log = Log::Model(place.model.clone());
    let records = log.records(&format!("account {ann}"), 0).await.unwrap();
    let reminders = records.iter().filter(|record| record.body.contains("reminded")).count();
    assert_eq!(reminders, 1, "after five minutes, and not each minute");
    place.start_again().await;
    let told = place.accounts.get(&ann).await.unwrap().reminded.unwrap();
    assert_eq!((told.minutes, told.lost), (5, Balance::ZERO), "a start forgets no reminder");
    place.at(place.now + 4 * 60_000_000);
    let told = place.send("Ann", Role::Player, bet("Ann", 10)).await.unwrap_err();
    assert_eq!(told.code, Code::OwnLimit);
}

#[tokio::test]
async fn a_balance_is_corrected_by_two_operators() {
    let place = Place::new(Deals::Keyed).await;
    let (ann, olga, otto) = (place.id("Ann"), place.id("Olga"), place.id("Otto"));
    let by = Balance::new(-5000);
    let say = async |id: &str, by: Balance, who: &str, key: &str| {
        place.accounts.correct(id, by, "paid twice", (who, key)).await.unwrap()
    };
    // One person is one person, however often.
    for key in ["c1", "c1", "c2"] {
        let alone = say(&ann, by, &olga, key).await;
        assert_eq!(alone.unwrap_err().code, Code::SecondPerson);
    }
    let other = say(&ann, by, &ann, "c3").await;
    assert_eq!(other.unwrap_err().code, Code::NotTheirs);
    let below = say(&ann, Balance::new(-500_000), &otto, "c4").await;
    assert_eq!(below.unwrap_err().code, Code::NotEnoughMoney);
    assert_eq!(say(&olga, by, &olga, "c5").await.unwrap_err().code, Code::NotTheirs);
    // A key that was used for something else is told so.
    assert_eq!(say(&ann, by, &olga, "k1").await.unwrap_err().code, Code::KeyReused);
    // It is done once, and answered the same.
    for _ in 0..2 {
        assert_eq!(say(&ann, by, &otto, "c6").await.unwrap(), cents(950));
    }
    // Nothing is confirmed twice: the next one needs two people again.
    let more = Balance::new(-6000);
    assert_eq!(say(&ann, more, &otto, "c7").await.unwrap_err().code, Code::SecondPerson);
    assert_eq!(say(&ann, Balance::ZERO, &otto, "c8").await.unwrap_err().code, Code::NoAmount);
    place.holds().await;
}

#[tokio::test]
async fn a_correction_that_waits_is_displaced_by_nobody_and_ends_with_the_role() {
    let place = Place::new(Deals::Keyed).await;
    let oda = place.accounts.open("Oda", store::AccountKind::Guest, cents(1), &[Role::Operator]);
    let (ann, oda) = (place.id("Ann"), oda.await.unwrap().unwrap());
    let (olga, otto) = (place.id("Olga"), place.id("Otto"));
    let say = async |cents: i64, who: &str, key: &str| {
        let ruled = place.accounts.correct(&ann, Balance::new(cents), "a slip", (who, key)).await;
        ruled.unwrap().map_err(|refusal| refusal.code)
    };
    assert_eq!(say(-5000, &olga, "o1").await, Err(Code::SecondPerson));
    assert_eq!(say(-7000, &oda, "d1").await, Err(Code::SecondPerson));
    assert_eq!(say(-5000, &otto, "t1").await, Ok(cents(950)));
    place.accounts.take_role(&oda, Role::Operator, &otto).await.unwrap();
    assert_eq!(say(-7000, &otto, "t2").await, Err(Code::SecondPerson));
    place.holds().await;
}

#[tokio::test]
async fn a_correction_is_made_once_however_often_its_first_order_comes() {
    let mut place = Place::new(Deals::Keyed).await;
    let oda = place.accounts.open("Oda", store::AccountKind::Guest, cents(1), &[Role::Operator]);
    let (ann, oda) = (place.id("Ann"), oda.await.unwrap().unwrap());
    let (olga, otto) = (place.id("Olga"), place.id("Otto"));
    let say = async |place: &Place, who: &str, key: &str, why: &str| {
        let ruled = place.accounts.correct(&ann, Balance::new(5000), why, (who, key)).await;
        ruled.unwrap().map_err(|refusal| refusal.code)
    };
    assert_eq!(say(&place, &olga, "o1", "slip").await, Err(Code::SecondPerson));
    // Another reason is not the same, and confirms nothing.
    assert_eq!(say(&place, &otto, "t1", "a gift").await, Err(Code::SecondPerson));
    assert_eq!(say(&place, &otto, "t2", "slip").await, Ok(cents(1050)));
    // The first order comes again, late: it is answered as before, and proposes nothing.
    for _ in 0..2 {
        assert_eq!(say(&place, &olga, "o1", "slip").await, Err(Code::SecondPerson));
        assert_eq!(say(&place, &oda, "d1", "slip").await, Err(Code::TooMany));
    }
    assert_eq!(say(&place, &olga, "o1", "a gift").await, Err(Code::KeyReused));
    // Another process does not make it again either, and answers the same.
    place.start_again().await;
    assert_eq!(say(&place, &olga, "o1", "slip").await, Err(Code::SecondPerson));
    assert_eq!(say(&place, &oda, "d2", "slip").await, Err(Code::TooMany));
    assert_eq!(place.balance("Ann").await, cents(1050));
    // One that is another correction has words of its own; the answer stays what it was.
    assert_eq!(say(&place, &olga, "o2", "slip of Monday").await, Err(Code::SecondPerson));
    assert_eq!(say(&place, &oda, "d3", "slip of Monday").await, Ok(cents(1100)));
    assert_eq!(say(&place, &otto, "t2", "slip").await, Ok(cents(1050)));
    place.holds().await;
}

#[tokio::test]
async fn a_correction_waits_for_its_second_person_through_a_restart() {
    let mut place = Place::new(Deals::Keyed).await;
    let (ann, olga, otto) = (place.id("Ann"), place.id("Olga"), place.id("Otto"));
    let say = async |place: &Place, who: &str, key: &str, why: &str| {
        place.accounts.correct(&ann, Balance::new(-5000), why, (who, key)).await.unwrap()
    };
    let first = say(&place, &olga, "o1", "paid twice").await.unwrap_err();
    assert_eq!(first.code, Code::SecondPerson);
    place.start_again().await;
    // The same key gets the same answer, with other content it is told so, and nothing is asked
    // for again: the time of the first order counts.
    place.at(place.now + 9 * 60_000_000);
    assert_eq!(say(&place, &olga, "o1", "paid twice").await.unwrap_err(), first);
    assert_eq!(say(&place, &olga, "o1", "slip").await.unwrap_err().code, Code::KeyReused);
    let other = say(&place, &otto, "t1", "slip").await.unwrap_err();
    assert!(other.instead.contains("paid twice"), "{other:?}");
    assert_eq!(say(&place, &otto, "t2", "paid twice").await.unwrap(), cents(950));
    // What nobody confirmed within ten minutes has to be asked for again, restart or not.
    assert_eq!(say(&place, &olga, "o2", "slip").await.unwrap_err().code, Code::SecondPerson);
    place.start_again().await;
    place.at(place.now + 11 * 60_000_000);
    assert_eq!(say(&place, &otto, "t3", "slip").await.unwrap_err().code, Code::SecondPerson);
    assert_eq!(say(&place, &olga, "o3", "slip").await.unwrap(), cents(900));
    place.start_again().await;
    for (who, key, holds) in [(&otto, "t2", 950), (&olga, "o3", 900)] {
        let why = if holds == 950 { "paid twice" } else { "slip" };
        assert_eq!(say(&place, who, key, why).await.unwrap(), cents(holds));
    }
    place.holds().await;
}

#[tokio::test]
async fn limits_and_pauses_are_answered_the_same_under_the_same_key() {
    let mut place = Place::new(Deals::Keyed).await;
    let ann = place.id("Ann");
    let limits = |loss, minutes| OwnLimits { loss: Some(cents(loss)), minutes, remind: None };
    let first = place.accounts.limit(&ann, "l1", limits(100, Some(60))).await.unwrap();
    // One is wider and one narrower: two records follow, and later none that is narrower.
    let from = place.accounts.limit(&ann, "l2", limits(500, Some(30))).await.unwrap();
    let until = place.accounts.pause(&ann, "p1", 3_600_000_000).await.unwrap();
    for later in [60_000_000, 50 * 3_600_000_000] {
        place.at(place.now + later);
        place.start_again().await;
        let again = place.accounts.limit(&ann, "l2", limits(500, Some(30))).await;
        assert_eq!(again.unwrap(), from);
        assert_eq!(place.accounts.limit(&ann, "l1", limits(100, Some(60))).await.unwrap(), first);
        assert_eq!(place.accounts.pause(&ann, "p1", 3_600_000_000).await.unwrap(), until);
        let other = place.accounts.limit(&ann, "l2", limits(500, Some(31))).await;
        let reused = |fault| matches!(fault, LiveError::Store(store::StoreError::KeyReused(_)));
        assert!(other.is_err_and(reused));
        assert!(place.accounts.pause(&ann, "p1", 7_200_000_000).await.is_err_and(reused));
    }
    assert_eq!(place.accounts.get(&ann).await.unwrap().limits_now(from), limits(500, Some(30)));
    place.holds().await;
}

#[tokio::test]
async fn balances_can_be_thrown_away_and_a_wrong_one_locks_the_account() {
    let folder = tempfile::tempdir().unwrap();
    let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
    let store = Store::open_with(&log, &key, Begin::New).await.unwrap();
    let accounts = live::Accounts::of(store.clone().into(), World::real()).await.unwrap();
    let kind = store::AccountKind::Guest;
    let ann = accounts.open("Ann", kind, cents(10), &[]).await.unwrap().unwrap();
    store.close().await;
    for (spoil, locked) in [
        ("delete from balance", false),
        ("insert or replace into balance values ('a-1', 3, 99999999)", true),
    ] {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&log);
        let mut raw = sqlx::ConnectOptions::connect(&options).await.unwrap();
        sqlx::query(spoil).execute(&mut raw).await.unwrap();
        sqlx::Connection::close(raw).await.unwrap();
        let store = Store::open_with(&log, &key, Begin::Either).await.unwrap();
        let accounts = live::Accounts::of(store.clone().into(), World::real()).await.unwrap();
        match accounts.get(&ann).await {
            Ok(account) => {
                assert!(!locked && account.balance == cents(10));
                // Whoever uses an account makes its balance anew.
                let (version, kept) = store.balance(&ann).await.unwrap().unwrap();
                assert_eq!((version, kept), (2, 1000));
            }
            Err(fault) => assert!(locked && matches!(fault, LiveError::Locked(_)), "{fault}"),
        }
        store.close().await;
    }
}

#[tokio::test]
async fn a_name_is_had_once() {
    let place = Place::new(Deals::Keyed).await;
    let kind = store::AccountKind::Guest;
    let again = place.accounts.open("Ann", kind, Cents::ZERO, &[]).await.unwrap();
    assert_eq!(again.unwrap_err().code, Code::NameTaken);
    let odd = place.accounts.open("dealer\u{7}", kind, Cents::ZERO, &[]).await.unwrap();
    assert_eq!(odd.unwrap_err().code, Code::Unsayable);
}
