//! Faults that were found by attack: sessions that outlived their end, numbers that became other
//! people's, a dealer who named cards, times of another clock.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use house::{House, code, config, keyed, quick, until};
use serde_json::{Value, json};
use server::client::Client;
use server::config::{EventConfig, TableConfig, pace};
use store::Deals;

/// Somebody who asks with a token all the time, until told to stop.
fn polls(client: Client, stop: Arc<AtomicBool>) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        while !stop.load(Ordering::Relaxed) {
            let _ = client.get("/api/v1/me").await;
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_in_use_ends_when_it_is_ended() {
    let house = House::open(Vec::new()).await;
    for round in 0..20 {
        let ann = house.guest(&format!("Ann-{round}")).await;
        let stop = Arc::new(AtomicBool::new(false));
        let polls: Vec<_> = (0..3).map(|_| polls(ann.clone(), stop.clone())).collect();
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        let path = if round % 2 == 0 { "/api/v1/sessions" } else { "/api/v1/session" };
        let ended = ann.request(("DELETE", path), &[], Vec::new()).await.unwrap();
        assert!(ended.is_good(), "{ended:?}");
        for _ in 0..5 {
            assert_eq!(ann.get("/api/v1/me").await.unwrap().status, 401, "round {round}");
        }
        stop.store(true, Ordering::Relaxed);
        for poll in polls {
            poll.await.unwrap();
        }
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_dismissed_is_out_and_so_are_their_links() {
    let house = House::open(vec![keyed("One")]).await;
    let olga = house.operator("Olga").await;
    let otto = house.staff(&olga, "operator", "Otto").await;
    let invited = otto.post("/api/v1/invitations", &json!({ "role": "operator" })).await.unwrap();
    let link = invited.body["link"].as_str().unwrap().to_owned();
    let mut socket = otto.socket(&[]).await.unwrap();
    let follow = json!({ "do": "subscribe", "table": "t1", "as": "operator" });
    socket.send(&follow).await.unwrap();
    assert!(socket.next().await.unwrap().is_some());
    let role = json!({ "role": "operator" });
    let gone = olga.post("/api/v1/accounts/Otto/dismiss", &role).await.unwrap();
    assert_eq!((gone.status, &gone.body["roles"]), (200, &json!([])));
    while let Ok(Some(_)) = socket.next().await {}
    assert_eq!(otto.get("/api/v1/me").await.unwrap().status, 401);
    let token = link.rsplit('/').next().unwrap();
    let body = json!({ "name": "Otto2", "password": "a long enough one" });
    let back = house.client().post(&format!("/api/v1/links/{token}"), &body).await.unwrap();
    assert_eq!(back.status, 410, "{back:?}");
    // Of two links to a new password, the one that is not used is good no more.
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let made = olga.post("/api/v1/accounts/Otto/link", &json!({})).await.unwrap();
        assert!(made.is_good(), "{made:?}");
        tokens.push(made.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned());
    }
    for (token, status) in tokens.iter().rev().zip([200, 410]) {
        let body = json!({ "password": "another long one" });
        let reply = house.client().post(&format!("/api/v1/links/{token}"), &body).await.unwrap();
        assert_eq!(reply.status, status, "{reply:?}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_came_back_without_its_door_gives_nobody_the_account_of_another() {
    let house = House::open(vec![keyed("One")]).await;
    house.guest("Ann").await;
    let (folder, _) = house.close().await;
    let log = folder.path().join("floor/floor.sabot");
    let old = std::fs::read(&log).unwrap();
    let house = House::in_folder(folder, config(Vec::new())).await;
    let bo = house.guest("Bo").await;
    let kept = bo.post("/api/v1/register", &json!({ "password": "bo has one" })).await.unwrap();
    let token = kept.body["token"].as_str().unwrap().to_owned();
    let (folder, _) = house.close().await;
    std::fs::write(&log, old).unwrap();
    for other in ["floor.sabot-wal", "floor.sabot-shm"] {
        let _ = std::fs::remove_file(folder.path().join("floor").join(other));
    }
    let house = House::in_folder(folder, config(Vec::new())).await;
    assert!(
        house.notes.iter().any(|note| note.contains("are not in the log")),
        "{:?}",
        house.notes
    );
    // Nobody: and the same browser can come in anew.
    let bo = house.client().with_token(&token);
    assert_eq!(bo.get("/api/v1/me").await.unwrap().status, 401);
    assert_eq!(bo.get("/health").await.unwrap().status, 200);
    let cleo = house.guest("Cleo").await;
    assert_eq!(bo.get("/api/v1/me").await.unwrap().status, 401, "Bo is Cleo");
    assert_eq!(cleo.get("/api/v1/me").await.unwrap().body["name"], "Cleo");
    for name in ["Bo", "Cleo"] {
        let body = json!({ "name": name, "password": "bo has one" });
        let reply = house.client().post("/api/v1/session", &body).await.unwrap();
        assert_eq!(reply.status, 401, "{reply:?}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_ask_for_chips_at_once_one_is_given_some() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let ann = house.guest("Ann").await;
    let before = ann.get("/api/v1/me").await.unwrap().body["balance_cents"].as_u64().unwrap();
    let sit = format!("sits at 3 with {}", before / 100);
    assert!(ann.say("t1", "1", &sit).await.unwrap().is_good());
    let ask = |n: u32| {
        let ann = ann.clone();
        tokio::spawn(async move {
            ann.post("/api/v1/chips", &json!({ "key": format!("c{n}") })).await.unwrap().is_good()
        })
    };
    let asked: Vec<_> = (0..12).map(ask).collect();
    let mut given = 0;
    for one in asked {
        given += u32::from(one.await.unwrap());
    }
    assert_eq!(given, 1);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_line_of_ones_own_is_told_its_own_reason() {
    let house = House::open(vec![keyed("One")]).await;
    let ann = house.guest("Ann").await;
    assert!(ann.say("t1", "0", "sits at 1 with 100").await.unwrap().is_good());
    for (n, (line, wanted)) in
        [("sits at 1", "with"), ("bets fifty on banker", "fifty"), ("leaves now", "now")]
            .into_iter()
            .enumerate()
    {
        let reply = ann.say("t1", &format!("k{n}"), line).await.unwrap();
        let told = reply.body.to_string();
        assert!(told.contains(wanted) && !told.contains("`adds`"), "{line}: {told}");
    }
    let reply = ann.say("t1", "k9", "bets 50 on bankr").await.unwrap();
    let told = reply.body.to_string();
    assert!(reply.status >= 400 && !told.contains("posts bankr"), "{told}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dealer_deals_from_the_systems_shoe_by_requests() {
    let staffed =
        TableConfig { deals: Deals::Staff, ..quick("Staffed", "operator opens act-2018") };
    let house = House::open(vec![staffed]).await;
    let olga = house.operator("Olga").await;
    let dee = house.staff(&olga, "dealer", "Dee").await;
    let ann = house.guest("Ann").await;
    assert!(ann.say("t1", "1", "sits at 1 with 100").await.unwrap().is_good());
    let row = |rows: Value| rows[0].clone();
    let rows = house.client().get("/api/v1/tables").await.unwrap().body;
    assert_eq!(
        (&row(rows.clone())["deals"], &row(rows)["betting_ms"]),
        (&json!("staff"), &Value::Null)
    );
    let fresh = dee.say("t1", "f", "fresh shoe").await.unwrap();
    assert_eq!(fresh.status, 422, "{fresh:?}");
    let mut n = 0;
    let mut key = || {
        n += 1;
        format!("d{n}")
    };
    // The machine shuffles; staff check, and players cut.
    until("bets are open", || {
        let (dee, ann, key) = (dee.clone(), ann.clone(), key());
        async move {
            let _ = dee.say("t1", &key, "dealer checks the cards").await.unwrap();
            let _ = ann.say("t1", &key, "cuts at 100").await.unwrap();
            let view = dee.get("/api/v1/tables/t1?as=dealer").await.unwrap().body;
            view["phase"] == "betting"
        }
    })
    .await;
    let shoe = house.client().get("/api/v1/tables/t1/shoe").await.unwrap().body;
    assert_eq!((&shoe["number"], shoe["shoe"]["root"].is_string()), (&json!(1), true), "{shoe}");
    assert!(ann.say("t1", "b", "bets 20 on banker").await.unwrap().is_good());
    assert!(dee.say("t1", "n", "dealer calls no more bets").await.unwrap().is_good());
    let chosen = dee.say("t1", "c", "dealer deals 9h 2c Kd 3s").await.unwrap();
    assert_eq!((chosen.status, code(&chosen.body)), (422, "wrong-card"), "{chosen:?}");
    let view = dee.get("/api/v1/tables/t1?as=dealer").await.unwrap().body;
    let lines: Vec<_> = view["lawful"].as_array().unwrap().iter().map(|one| &one["line"]).collect();
    assert!(lines.contains(&&json!("dealer deals ?? ?? ?? ??")), "{lines:?}");
    let dealt = dee.say("t1", "d", "dealer deals ?? ?? ?? ??").await.unwrap();
    assert!(dealt.is_good(), "{dealt:?}");
    let told = dealt.body["events"].to_string();
    assert!(!told.contains("??"), "{told}");
    let shoe = house.client().get("/api/v1/tables/t1/shoe").await.unwrap().body;
    assert!(shoe["shoe"]["openings"].as_array().unwrap().len() >= 4, "{shoe}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pause_holds_in_a_house_of_another_time_zone() {
    let mut config = config(vec![quick("One", "operator opens act-2018")]);
    config.time_zone = jiff::tz::TimeZone::get("Australia/Adelaide").unwrap();
    config.tournament = Some(EventConfig {
        director: table::Name::from("Dana").unwrap(),
        book: "act-2018".into(),
        approval: "a letter".into(),
        every_minutes: 30,
        players: 2,
        pace: pace("at-once").unwrap(),
    });
    let house = House::with(config).await;
    let (ann, bo) = (house.guest("Ann").await, house.guest("Bo").await);
    let pause = json!({ "key": "p", "hours": 8 });
    assert!(ann.post("/api/v1/pause", &pause).await.unwrap().is_good());
    let apply = |who: Client, name: &'static str| async move {
        let body = json!({ "key": "a", "line": format!("{name} applies") });
        who.post("/api/v1/tournaments/e1/orders", &body).await.unwrap()
    };
    until("entries are open", || {
        let bo = bo.clone();
        async move {
            let event = bo.get("/api/v1/tournaments/e1").await.unwrap();
            event.body["phase"] == "entries"
        }
    })
    .await;
    let refused = apply(ann.clone(), "Ann").await;
    assert_eq!(code(&refused.body), "own-limit", "{refused:?}");
    let applied = apply(bo.clone(), "Bo").await;
    assert!(applied.is_good(), "{applied:?}");
    let bo_id = bo.get("/api/v1/me").await.unwrap().body["account"].as_str().unwrap().to_owned();
    let (folder, _) = house.close().await;
    let log = store::Store::read_only(&folder.path().join("floor/floor.sabot")).await.unwrap();
    let records = log.records(&format!("{}{bo_id}", store::ACCOUNT), 0).await.unwrap();
    let now = store::now();
    assert!(records.iter().all(|record| record.at <= now), "an account is ahead of UTC");
    log.close().await;
}

/// The clause that a side bet was paid by is looked up as any other.
#[tokio::test(flavor = "multi_thread")]
async fn a_sheet_of_side_bets_is_read_clause_by_clause() {
    let house = House::open(Vec::new()).await;
    let anybody = house.client();
    for id in rulebooks::sheet_ids() {
        let read = anybody.get(&format!("/api/v1/books/{id}")).await.unwrap();
        assert_eq!((read.status, &read.body["book"]["id"]), (200, &json!(id)));
        let clauses = read.body["clauses"].as_array().unwrap();
        assert!(clauses.len() > 1, "{id}");
        assert!(clauses.iter().all(|one| one["gist"].as_str().unwrap().len() > 5), "{id}");
    }
    let told = anybody.get("/api/v1/books/lucky-77").await.unwrap();
    assert_eq!(told.status, 404);
    assert!(told.body["title"].as_str().unwrap().contains("sheets of side bets: "), "{told:?}");
    house.close().await;
}

/// What happened before is told as it was, not by what lies on the table now.
#[tokio::test(flavor = "multi_thread")]
async fn an_earlier_bet_is_not_told_with_the_chips_that_lie_there_now() {
    let house = House::open(vec![keyed("One")]).await;
    let olga = house.operator("Olga").await;
    let dee = house.staff(&olga, "dealer", "Dee").await;
    let ann = house.guest("Ann").await;
    let lines = [
        (&ann, "sits at 1 with 400"),
        (&dee, "fresh shoe"),
        (&ann, "bets 10 on banker"),
        (&ann, "bets 10 on banker"),
        (&dee, "dealer calls no more bets"),
        (&dee, "dealer deals 2h Kd Kc 9s"),
        (&ann, "bets 50 on banker"),
    ];
    let mut answered = Vec::new();
    for (n, (who, line)) in lines.into_iter().enumerate() {
        let done = who.say("t1", &n.to_string(), line).await.unwrap();
        assert!(done.is_good(), "{line}: {done:?}");
        answered.extend(done.body["events"].as_array().unwrap().clone());
    }
    let page = ann.get("/api/v1/tables/t1/events?as=player&after=0").await.unwrap().body;
    let events = page["events"].as_array().unwrap();
    // An event has the same version wherever it is told.
    let placed = |event: &Value| (event["version"].as_u64().unwrap(), event["kind"].clone());
    let known: Vec<_> = events.iter().map(placed).collect();
    assert!(answered.len() > 20, "{answered:?}");
    assert!(answered.iter().all(|event| known.contains(&placed(event))), "{answered:?}");
    let bets: Vec<_> = events.iter().filter(|event| event["kind"] == "placed").collect();
    let told: Vec<_> = bets.iter().map(|bet| bet["what"].as_str().unwrap()).collect();
    let [first, second, last] = told[..] else { panic!("{told:?}") };
    assert!([first, second].iter().all(|told| told.contains("bets 10 on banker")), "{told:?}");
    assert!(last.contains("has 50 on banker"), "{told:?}");
    house.close().await;
}
