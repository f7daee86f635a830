//! Faults that were found by attack: sessions that outlived their end, numbers that became other
//! people's, a dealer who named cards, times of another clock.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use house::{House, balance, code, config, keyed, quick, until};
use serde_json::{Value, json};
use server::client::{Client, Reply};
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

/// A browser has one session: whoever comes in takes the place of whoever was there.
#[tokio::test(flavor = "multi_thread")]
async fn who_signs_in_ends_the_session_that_was_there() {
    let house = House::open(Vec::new()).await;
    let word = json!({ "password": "a long enough one" });
    let member = house.guest("Mia").await;
    assert!(member.post("/api/v1/register", &word).await.unwrap().is_good());
    let guest = house.guest("Gus").await;
    let signing = json!({ "name": "Mia", "password": "wrong" });
    assert_eq!(guest.post("/api/v1/session", &signing).await.unwrap().status, 401);
    assert!(guest.get("/api/v1/me").await.unwrap().is_good(), "a wrong password ends nothing");
    let signing = json!({ "name": "Mia", "password": "a long enough one" });
    assert!(guest.post("/api/v1/session", &signing).await.unwrap().is_good());
    assert_eq!(guest.get("/api/v1/me").await.unwrap().status, 401);
    // The same where somebody follows a link.
    let olga = house.operator("Olga").await;
    let invited = olga.post("/api/v1/invitations", &json!({ "role": "dealer" })).await.unwrap();
    let token = invited.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let guest = house.guest("Gil").await;
    let body = json!({ "name": "Dora", "password": "a long enough one" });
    assert!(guest.post(&format!("/api/v1/links/{token}"), &body).await.unwrap().is_good());
    assert_eq!(guest.get("/api/v1/me").await.unwrap().status, 401);
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
    house.take((&house.operator("Olga").await, "Ann"), before).await;
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

/// Sends what takes long to answer; it is asked so often here that the server wants time.
async fn heavy(client: &Client, path: &str, cookie: &str, body: &Value) -> Reply {
    let headers = [("content-type", "application/json"), ("cookie", cookie)];
    loop {
        let body = body.to_string().into_bytes();
        let reply = client.request(("POST", path), &headers, body).await.unwrap();
        if !reply.body["title"].as_str().is_some_and(|title| title.contains("take long")) {
            return reply;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
}

async fn signs_in(house: &House, name: &str, password: &str) -> Reply {
    let body = json!({ "name": name, "password": password });
    heavy(&house.client(), "/api/v1/session", "", &body).await
}

/// Puts a file of a floor that is stopped in the place of another.
fn put(folder: &std::path::Path, name: &str, bytes: &[u8]) {
    let floor = folder.join("floor");
    std::fs::write(floor.join(name), bytes).unwrap();
    for end in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(floor.join(format!("{name}{end}")));
    }
}

/// A copy knows neither who signed out nor which link was used after it was made.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_restored_opens_no_session_and_no_link() {
    let house = House::open(vec![keyed("One")]).await;
    let olga = house.operator("Olga").await;
    let token = olga.token().unwrap().to_owned();
    let role = json!({ "role": "operator" });
    let invited = olga.post("/api/v1/invitations", &role).await.unwrap();
    let link = invited.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let opens = |house: &House| {
        let (olga, link) = (house.client().with_token(&token), format!("/api/v1/links/{link}"));
        async move {
            let me = olga.get("/api/v1/me").await.unwrap().status;
            (me, olga.get(&link).await.unwrap().status)
        }
    };
    let (folder, _) = house.close().await;
    let (floor, copy) = (folder.path().join("floor"), folder.path().join("copy.door.db"));
    server::door::back_up(&floor.join("door.db"), &copy).await.unwrap();
    let (log, copy) = (std::fs::read(floor.join("floor.sabot")), std::fs::read(&copy).unwrap());
    let whole = std::fs::read(floor.join("door.db")).unwrap();
    let house = House::in_folder(folder, config(Vec::new())).await;
    assert_eq!(opens(&house).await, (200, 200));
    house.guest("Ann").await;
    let (folder, _) = house.close().await;
    // The copy alone, beside a log that has gone on.
    put(folder.path(), "door.db", &copy);
    let house = House::in_folder(folder, config(Vec::new())).await;
    assert_eq!(opens(&house).await, (401, 410), "the copy has them");
    assert!(signs_in(&house, "Olga", "Olga has one").await.is_good(), "and the passwords");
    let (folder, _) = house.close().await;
    // A door of before, copied by hand, with the log of then.
    put(folder.path(), "door.db", &whole);
    put(folder.path(), "floor.sabot", &log.unwrap());
    let house = House::in_folder(folder, config(Vec::new())).await;
    assert!(house.notes.iter().any(|note| note.contains("signs in again")), "{:?}", house.notes);
    assert_eq!(opens(&house).await, (401, 410), "a restored log ends them");
    assert!(signs_in(&house, "Olga", "Olga has one").await.is_good());
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_house_is_not_dismissed_and_gets_back_what_was_taken() {
    let house = House::open(vec![keyed("One")]).await;
    let olga = house.operator("Olga").await;
    let role = json!({ "role": "operator" });
    let reply = olga.post("/api/v1/accounts/House/dismiss", &role).await.unwrap();
    assert_eq!((reply.status, code(&reply.body)), (403, "not-theirs"), "{reply:?}");
    let (folder, _) = house.close().await;
    // What an earlier version allowed.
    let (log, key) = (folder.path().join("floor/floor.sabot"), folder.path().join("floor/key"));
    let store = store::Store::open_with(&log, &key, store::Begin::Either).await.unwrap();
    let floor = live::Floor::open(store, live::World::real()).await.unwrap();
    let id = floor.accounts().named("House").unwrap();
    floor.accounts().take_role(&id, table::Role::Operator, "a-2").await.unwrap();
    floor.close().await.unwrap();
    let house = House::in_folder(folder, config(vec![keyed("One"), keyed("Two")])).await;
    let tables = house.client().get("/api/v1/tables").await.unwrap().body;
    assert_eq!(tables.as_array().unwrap().len(), 2, "{tables}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_not_used_up_by_a_name_that_is_not_taken() {
    let house = House::open(Vec::new()).await;
    let olga = house.operator("Olga").await;
    let invited = || async {
        let role = json!({ "role": "dealer" });
        let made = olga.post("/api/v1/invitations", &role).await.unwrap();
        made.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
    };
    let follow = |token: &str, name: &str| {
        let (client, path) = (house.client(), format!("/api/v1/links/{token}"));
        let body = json!({ "name": name, "password": "a good long one" });
        async move { heavy(&client, &path, "", &body).await.status }
    };
    let token = invited().await;
    for name in ["D\u{430}na", "Olga", "OIga", "a-7", "system", "House", "", "7th"] {
        let status = follow(&token, name).await;
        assert!([400, 422].contains(&status), "{name}: {status}");
    }
    assert_eq!(follow(&token, "Dana").await, 200);
    assert_eq!(follow(&token, "Dora").await, 410);
    // Of several who want the same name at once, one has it, and the others' links stay good.
    let tokens = [invited().await, invited().await, invited().await];
    let [one, two, three] = &tokens;
    let (one, two, three) =
        tokio::join!(follow(one, "Dee"), follow(two, "Dee"), follow(three, "Dee"));
    let answers = [one, two, three];
    assert_eq!(answers.iter().filter(|status| **status == 200).count(), 1, "{answers:?}");
    for (n, (token, status)) in tokens.iter().zip(answers).enumerate() {
        let again = follow(token, &format!("Dee-{n}")).await;
        assert_eq!(again, if status == 200 { 410 } else { 200 }, "{status}");
    }
    house.close().await;
}

/// Somebody behind the same address tries wrong passwords: the owner's browser is known.
#[tokio::test(flavor = "multi_thread")]
async fn wrong_passwords_of_others_keep_nobody_out_who_is_known() {
    let house = House::open(Vec::new()).await;
    let victor = house.guest("Victor").await;
    let password = json!({ "password": "a good long one" });
    let registered = victor.post("/api/v1/register", &password).await.unwrap();
    let victor = house.client().with_token(registered.body["token"].as_str().unwrap());
    let device = registered.cookies[1].split(';').next().unwrap().to_owned();
    let from = |cookie: &str, password: &str| {
        let (client, cookie) = (house.client(), cookie.to_owned());
        let body = json!({ "name": "Victor", "password": password });
        async move { heavy(&client, "/api/v1/session", &cookie, &body).await.status }
    };
    for _ in 0..5 {
        assert_eq!(from("", "wrong").await, 401);
    }
    assert_eq!(from("", "a good long one").await, 429, "nobody knows who that is");
    assert_eq!(from(&device, "a good long one").await, 200);
    // A cookie of another's account, and one that nobody gave, are none.
    let eve = house.guest("Eve").await;
    let registered = eve.post("/api/v1/register", &password).await.unwrap();
    let other = registered.cookies[1].split(';').next().unwrap().to_owned();
    let forged = format!("{}x", &device[..device.len() - 1]);
    for cookie in [other.as_str(), &forged, "sabot-device=", "sabot-device=x.y"] {
        assert_eq!(from(cookie, "a good long one").await, 429, "{cookie}");
    }
    // A known browser counts for itself, and what is tried from it is no matter of the others.
    for status in [401, 401, 401, 401, 401, 429] {
        assert_eq!(from(&device, "wrong").await, status);
    }
    // Who is in changes the password; who tries too often from within waits.
    let change = |old: &str| {
        let body = json!({ "old": old, "new": "another good one" });
        let victor = victor.clone();
        async move { heavy(&victor, "/api/v1/password", "", &body).await.status }
    };
    for status in [401, 401, 401, 401] {
        assert_eq!(change("wrong").await, status);
    }
    assert_eq!(change("a good long one").await, 200);
    house.close().await;
}

/// The password in the wrong field is shown to nobody, and still counts.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_as_a_name_is_not_kept() {
    let house = House::open(Vec::new()).await;
    let olga = house.operator("Olga").await;
    for status in [401, 401, 401, 401, 401, 429] {
        assert_eq!(signs_in(&house, "correct horse battery", "x").await.status, status);
    }
    assert_eq!(signs_in(&house, "OLGA", "x").await.status, 401);
    let told = olga.get("/api/v1/sign-ins").await.unwrap().body;
    let names: Vec<_> = told.as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!((names.len(), names[0], names[1]), (6, &json!("Olga"), &json!("(unknown)")));
    let (folder, _) = house.close().await;
    for file in ["door.db", "door.db-wal"] {
        let bytes = std::fs::read(folder.path().join("floor").join(file)).unwrap_or_default();
        assert!(!bytes.windows(13).any(|part| part == b"correct horse"), "{file}");
    }
}

/// Chips that lie at a table, or were paid to an event, are chips.
#[tokio::test(flavor = "multi_thread")]
async fn the_house_gives_nothing_to_who_has_put_it_down_somewhere() {
    let house = House::open(vec![keyed("One"), keyed("Two")]).await;
    let olga = house.operator("Olga").await;
    let dee = house.staff(&olga, "dealer", "Dee").await;
    let ann = house.guest("Ann").await;
    let whole = balance(&ann).await / 100;
    let key = std::sync::atomic::AtomicU32::new(0);
    let ask = || {
        let (ann, key) = (ann.clone(), key.fetch_add(1, Ordering::Relaxed));
        let wanted = json!({ "key": format!("c{key}") });
        async move { ann.post("/api/v1/chips", &wanted).await.unwrap() }
    };
    assert!(ann.say("t1", "1", &format!("sits at 1 with {whole}")).await.unwrap().is_good());
    let refused = ask().await;
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(refused.body["title"].as_str().unwrap().contains("in play"), "{refused:?}");
    // What lies on the felt counts too.
    assert!(dee.say("t1", "1", "fresh shoe").await.unwrap().is_good());
    assert!(ann.say("t1", "2", "bets 500 on banker").await.unwrap().is_good());
    assert_eq!(ask().await.status, 400);
    for (n, line) in ["dealer calls no more bets", "dealer deals 9h 2c Kd 3s"].iter().enumerate() {
        let done = dee.say("t1", &format!("d{n}"), line).await.unwrap();
        assert!(done.is_good(), "{done:?}");
    }
    assert!(ann.say("t1", "3", "leaves").await.unwrap().is_good());
    assert_eq!(balance(&ann).await / 100, whole - 500);
    let rest = format!("sits at 1 with {}", whole - 500);
    assert!(ann.say("t2", "4", &rest).await.unwrap().is_good());
    assert_eq!(ask().await.status, 400, "at another table");
    assert!(ann.say("t2", "5", "leaves").await.unwrap().is_good());
    assert_eq!(balance(&ann).await / 100, whole - 500, "nothing came of it");
    house.take((&olga, "Ann"), (whole - 500) * 100).await;
    assert!(ask().await.is_good(), "who has lost it all is given some");
    house.close().await;
}

/// A name that the set-up gives to the director is the director's.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_but_a_director_has_the_name_of_the_director() {
    let mut config = config(Vec::new());
    config.tournament = Some(EventConfig {
        director: table::Name::from("Dana").unwrap(),
        book: "act-2018".into(),
        approval: "a letter".into(),
        every_minutes: 30,
        players: 2,
        pace: pace("at-once").unwrap(),
    });
    let house = House::with(config).await;
    for name in ["Dana", "dana"] {
        let reply = house.client().post("/api/v1/guests", &json!({ "name": name })).await.unwrap();
        assert_eq!(reply.status, 400, "{name}: {reply:?}");
        assert!(reply.body["title"].as_str().unwrap().contains("director"), "{reply:?}");
    }
    let olga = house.operator("Olga").await;
    for (role, status) in [("dealer", 400), ("director", 200)] {
        let made = olga.post("/api/v1/invitations", &json!({ "role": role })).await.unwrap();
        let token = made.body["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let body = json!({ "name": "Dana", "password": "a good long one" });
        let reply = house.client().post(&format!("/api/v1/links/{token}"), &body).await.unwrap();
        assert_eq!(reply.status, status, "{role}: {reply:?}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dealer_who_keys_somebody_in_is_told_how_to_say_it() {
    let house = House::open(vec![keyed("One")]).await;
    let olga = house.operator("Olga").await;
    let dee = house.staff(&olga, "dealer", "Dee").await;
    let reply = dee.say("t1", "1", "Walker sits at 3 with 200").await.unwrap();
    assert_eq!(reply.status, 403, "{reply:?}");
    assert!(reply.body["instead"].as_str().unwrap().contains("\"as\":\"dealer\""), "{reply:?}");
    let ann = house.guest("Ann").await;
    let reply = ann.say("t1", "1", "Walker sits at 3 with 200").await.unwrap();
    assert_eq!(reply.body["instead"], "speak for yourself");
    house.close().await;
}
