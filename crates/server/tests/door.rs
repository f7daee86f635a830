//! Who comes in, and who does not: guests, members, staff, other sites, old sessions.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use std::time::Duration;

use house::{House, balance, code, keyed, quick, until};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_sits_plays_and_leaves_with_everything() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let ann = house.guest("Ann").await;
    let before = balance(&ann).await;
    let sat = ann.say("t1", "1", "sits at 3 with 200").await.unwrap();
    assert_eq!(sat.status, 200, "{sat:?}");
    assert_eq!(balance(&ann).await, before - 20_000);
    // The same key again: the same answer, and nothing is done twice. Other content is refused.
    let again = ann.say("t1", "1", "sits at 3 with 200").await.unwrap();
    assert!(again.is_good() && again.body["repeated"] == true, "{again:?}");
    let other = ann.say("t1", "1", "sits at 4 with 200").await.unwrap();
    assert_eq!((other.status, code(&other.body)), (409, "key-reused"));
    let mut socket = ann.socket(&[]).await.unwrap();
    socket.send(&json!({ "do": "subscribe", "table": "t1", "as": "player" })).await.unwrap();
    let first = socket.next().await.unwrap().unwrap();
    assert_eq!((first["kind"].as_str(), first["table"].as_str()), (Some("view"), Some("t1")));
    let (mut version, mut view) = (first["version"].as_u64().unwrap(), first["view"].clone());
    let (mut key, mut ended, mut bet_in) = (10, 0, json!(null));
    let mut messages = 0;
    while ended < 3 {
        messages += 1;
        assert!(messages < 2_000, "no coup ends");
        if view["phase"] == "betting" && view["coup"] != bet_in {
            bet_in = view["coup"].clone();
            key += 1;
            let order = json!({
                "do": "order", "table": "t1", "key": key.to_string(), "line": "bets 20 on banker",
            });
            socket.send(&order).await.unwrap();
        }
        let message = socket.next().await.unwrap().unwrap();
        match message["kind"].as_str().unwrap() {
            "update" => {
                let now = message["version"].as_u64().unwrap();
                assert!(now > version, "versions rise");
                version = now;
                for (field, value) in message["changed"].as_object().unwrap() {
                    view[field] = value.clone();
                }
                let events = message["events"].as_array().unwrap();
                ended += events.iter().filter(|event| event["kind"] == "coup-ended").count();
            }
            "answer" => assert!(message["answer"]["version"].as_u64().is_some()),
            // Too late for this coup: betting closed meanwhile.
            "problem" => assert!(message["problem"]["instead"].is_string(), "{message}"),
            other => panic!("{other}: {message}"),
        }
    }
    // What was seen by updates is what the table is.
    until("the view is the table's", || async {
        let now = ann.get("/api/v1/tables/t1?as=player").await.unwrap().body;
        now["phase"] == "betting"
    })
    .await;
    let mut key = 1000;
    let left = loop {
        key += 1;
        let left = ann.say("t1", &key.to_string(), "leaves").await.unwrap();
        if left.is_good() {
            break left;
        }
        assert!(key < 2_000, "{left:?}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    assert!(!left.body["events"].as_array().unwrap().is_empty());
    let after = balance(&ann).await;
    assert!(after > before - 20_000 && after < before + 20_000, "{before} {after}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_who_registers_keeps_everything_and_signs_in() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let ann = house.guest("Ann").await;
    let me = ann.get("/api/v1/me").await.unwrap().body;
    for (password, why) in
        [("short", "length"), ("Password1!", "everybody"), ("12345678910", "everybody")]
    {
        let reply = ann.post("/api/v1/register", &json!({ "password": password })).await.unwrap();
        assert_eq!(reply.status, 400);
        assert!(reply.body["title"].as_str().unwrap().contains(why), "{reply:?}");
    }
    let good = json!({ "password": "a good long one" });
    let registered = ann.post("/api/v1/register", &good).await.unwrap();
    assert_eq!(registered.status, 200, "{registered:?}");
    // The guest's own session is over; the new one is another.
    assert_eq!(ann.get("/api/v1/me").await.unwrap().status, 401);
    let ann = house.client().with_token(registered.body["token"].as_str().unwrap());
    let now = ann.get("/api/v1/me").await.unwrap().body;
    assert_eq!(now["kind"], "member");
    assert_eq!(
        (&now["account"], &now["name"], &now["balance_cents"]),
        (&me["account"], &me["name"], &me["balance_cents"])
    );
    let sign_in = |name: &str, password: &str| {
        let (client, body) = (house.client(), json!({ "name": name, "password": password }));
        async move { client.post("/api/v1/session", &body).await.unwrap() }
    };
    // A name that nobody has and a wrong password are told the same.
    let (nobody, wrong) =
        (sign_in("Nobody", "a good long one").await, sign_in("Ann", "another one").await);
    assert_eq!((nobody.status, &nobody.body), (401, &wrong.body));
    let second = sign_in("Ann", "a good long one").await;
    assert_eq!(second.status, 200);
    for (cookie, name) in second.cookies.iter().zip(["sabot=", "sabot-device="]) {
        assert!(cookie.starts_with(name), "{cookie}");
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    }
    assert_eq!(second.cookies.len(), 2);
    let second = house.client().with_token(second.body["token"].as_str().unwrap());
    let mut socket = second.socket(&[]).await.unwrap();
    let everywhere = ann.request(("DELETE", "/api/v1/sessions"), &[], Vec::new()).await.unwrap();
    assert_eq!(everywhere.status, 200);
    assert_eq!(second.get("/api/v1/me").await.unwrap().status, 401, "an old session");
    assert!(matches!(socket.next().await, Ok(None) | Err(_)), "the socket is closed with it");
    // Attempts from here are kept out for a while, and the operator can read of them.
    let mut last = 401;
    for _ in 0..7 {
        last = sign_in("Ann", "no").await.status;
    }
    assert_eq!(last, 429);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_good_once_and_lead_to_roles() {
    let house = House::open(vec![keyed("Staffed")]).await;
    let link = house.link.clone().unwrap();
    let token = link.rsplit('/').next().unwrap();
    let about = house.client().get(&format!("/api/v1/links/{token}")).await.unwrap().body;
    assert_eq!((&about["kind"], &about["about"]), (&json!("invitation"), &json!("operator")));
    let olga = house.operator("Olga").await;
    assert_eq!(olga.get("/api/v1/me").await.unwrap().body["roles"], json!(["operator"]));
    let again = json!({ "name": "Eve", "password": "me too, please" });
    let again = house.client().post(&format!("/api/v1/links/{token}"), &again).await.unwrap();
    assert_eq!((again.status, code(&again.body)), (410, "no-link"));
    let dee = house.staff(&olga, "dealer", "Dee").await;
    let invites = dee.post("/api/v1/invitations", &json!({ "role": "operator" })).await.unwrap();
    assert_eq!((invites.status, code(&invites.body)), (403, "not-theirs"));
    // A forgotten password: the operator's link, and every session of the account is over.
    let reset = olga.post("/api/v1/accounts/Dee/link", &json!({})).await.unwrap();
    let link = reset.body["link"].as_str().unwrap();
    let token = link.rsplit('/').next().unwrap();
    let fresh = json!({ "password": "another good one" });
    let reply = house.client().post(&format!("/api/v1/links/{token}"), &fresh).await.unwrap();
    assert_eq!((reply.status, &reply.body["name"]), (200, &json!("Dee")));
    assert_eq!(dee.get("/api/v1/me").await.unwrap().status, 401);
    // After a start the operator is there, and no link is printed.
    let (folder, head) = house.close().await;
    assert!(head.is_some());
    let house = House::in_folder(folder, house::config(Vec::new())).await;
    assert_eq!(house.link, None);
    assert!(olga_again(&house).await);
    assert_eq!(
        house.client().get("/api/v1/tables").await.unwrap().body.as_array().unwrap().len(),
        1
    );
    house.close().await;
}

async fn olga_again(house: &House) -> bool {
    let body = json!({ "name": "Olga", "password": "Olga has one" });
    house.client().post("/api/v1/session", &body).await.unwrap().is_good()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_sites_and_forged_sessions_get_nothing() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let ann = house.guest("Ann").await;
    let cookie = format!("sabot={}", ann.token().unwrap());
    let client = house.client();
    let own = house.address.clone();
    let order = json!({ "key": "1", "line": "sits at 1 with 100" }).to_string();
    let kind = ("content-type", "application/json");
    for headers in [
        vec![("cookie", cookie.as_str()), ("origin", "http://evil.example"), kind],
        vec![("cookie", cookie.as_str()), ("sec-fetch-site", "cross-site"), kind],
    ] {
        let path = ("POST", "/api/v1/tables/t1/orders");
        let reply = client.request(path, &headers, order.clone().into_bytes()).await.unwrap();
        assert_eq!((reply.status, code(&reply.body)), (403, "not-theirs"), "{headers:?}");
    }
    for origin in ["http://evil.example", "null", "https://127.0.0.1"] {
        let socket = client.socket(&[("cookie", &cookie), ("origin", origin)]).await;
        assert!(socket.is_err(), "{origin}");
    }
    assert!(client.socket(&[("cookie", &cookie), ("origin", &own)]).await.is_ok());
    for forged in ["sabot=x", "sabot=", "sabot=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        let reply = client.request(("GET", "/api/v1/me"), &[("cookie", forged)], Vec::new()).await;
        assert_eq!(reply.unwrap().status, 401);
    }
    // What goes with every answer.
    let page = client.request(("GET", "/"), &[], Vec::new()).await.unwrap();
    assert_eq!(page.status, 200);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_speaks_for_somebody_else() {
    let house = House::open(vec![quick("One", "operator opens act-2018"), keyed("Staffed")]).await;
    let (ann, bo) = (house.guest("Ann").await, house.guest("Bo").await);
    assert!(ann.say("t1", "1", "sits at 1 with 100").await.unwrap().is_good());
    let reply = bo.say("t1", "1", "Ann leaves").await.unwrap();
    assert_eq!((reply.status, code(&reply.body)), (403, "not-theirs"));
    let reply = bo.say("t2", "2", "dealer calls no more bets").await.unwrap();
    assert_eq!((reply.status, code(&reply.body)), (403, "not-theirs"));
    for eyes in ["dealer", "supervisor", "auditor", "operator", "director", "inspector"] {
        let reply = bo.get(&format!("/api/v1/tables/t1?as={eyes}")).await.unwrap();
        assert_eq!(reply.status, 403, "{eyes}");
        let nobody = house.client().get(&format!("/api/v1/tables/t1?as={eyes}")).await.unwrap();
        assert_eq!(nobody.status, 401, "{eyes}");
    }
    assert_eq!(bo.get("/api/v1/tables/t9").await.unwrap().status, 404);
    assert_eq!(
        bo.post("/api/v1/tables", &json!({ "title": "x", "opens": "operator opens act-2018" }))
            .await
            .unwrap()
            .status,
        403
    );
    assert_eq!(bo.get("/api/v1/sign-ins").await.unwrap().status, 403);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_opens_a_table_and_is_told_what_is_wrong_with_one() {
    let house = House::open(vec![keyed("Staffed")]).await;
    let olga = house.operator("Olga").await;
    let open = |body: serde_json::Value| {
        let olga = olga.clone();
        async move { olga.post("/api/v1/tables", &body).await.unwrap() }
    };
    let sign = ["operator posts main 5..500", "operator posts lucky-6 5..50"];
    let good =
        json!({ "title": "Lucky", "opens": "operator opens act-2018 with lucky-6", "sign": sign });
    let opened = open(good).await;
    assert_eq!((opened.status, &opened.body["id"]), (200, &json!("t2")), "{opened:?}");
    for bad in [
        json!({ "title": "", "opens": "operator opens act-2018" }),
        json!({ "title": "x", "opens": "operator opens ../../etc" }),
        json!({ "title": "x", "opens": "operator opens mars-1999" }),
        json!({ "title": "x", "opens": "dealer shuffles" }),
        json!({ "title": "x", "opens": "operator opens act-2018", "sign": ["dealer shuffles"] }),
        json!({ "title": "x", "opens": "operator opens act-2018", "pace": "slow" }),
        json!({ "title": "x", "opens": "operator opens act-2018 with decks=99" }),
        json!({
            "title": "x", "opens": "operator opens act-2018",
            "sign": ["operator posts main 500..5"],
        }),
        json!({ "title": "x" }),
    ] {
        let reply = open(bad.clone()).await;
        assert!((400..500).contains(&reply.status), "{bad} {reply:?}");
        assert!(!reply.body["instead"].as_str().unwrap_or_default().is_empty(), "{bad} {reply:?}");
    }
    let tables = olga.get("/api/v1/tables").await.unwrap().body;
    assert_eq!(tables.as_array().unwrap().len(), 2, "what cannot be opened leaves nothing behind");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_set_for_themselves_is_done_once() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let ann = house.guest("Ann").await;
    let before = balance(&ann).await;
    let early = ann.post("/api/v1/chips", &json!({ "key": "c1" })).await.unwrap();
    assert_eq!(early.status, 400, "there is no chip too few: {early:?}");
    assert!(ann.say("t1", "1", "sits at 3 with 50").await.unwrap().is_good());
    let takers = (&house.operator("Olga").await, "Ann");
    house.take(takers, before - 5_000).await;
    for _ in 0..3 {
        let given = ann.post("/api/v1/chips", &json!({ "key": "c2" })).await.unwrap();
        assert_eq!(
            (given.status, &given.body["balance_cents"]),
            (200, &json!(before)),
            "{given:?}"
        );
    }
    let limits = json!({ "key": "l1", "loss_cents": 5_000, "minutes": 60, "remind": 15 });
    for _ in 0..2 {
        assert!(ann.post("/api/v1/limits", &limits).await.unwrap().is_good());
    }
    // Wider limits are shown with the time from which they hold.
    let wider = json!({ "key": "l2", "loss_cents": 9_000, "minutes": 60 });
    let from = ann.post("/api/v1/limits", &wider).await.unwrap().body["holds_from"].clone();
    let me = ann.get("/api/v1/me").await.unwrap().body;
    assert_eq!((&me["loss_cents"], &me["minutes"]), (&json!(5_000), &json!(60)), "{me}");
    let later = json!({ "from": from, "loss_cents": 9_000, "minutes": 60 });
    assert_eq!((&me["limits_later"], &me["reminder"]), (&later, &json!(null)), "{me}");
    let other = json!({ "key": "l1", "loss_cents": 9_000 });
    let other = ann.post("/api/v1/limits", &other).await.unwrap();
    assert_eq!((other.status, code(&other.body)), (409, "key-reused"));
    let pause = json!({ "key": "p1", "hours": 24 });
    let first = ann.post("/api/v1/pause", &pause).await.unwrap();
    let again = ann.post("/api/v1/pause", &pause).await.unwrap();
    assert_eq!((first.status, &first.body), (200, &again.body));
    let bet = ann.say("t1", "2", "bets 20 on banker").await.unwrap();
    assert_eq!(code(&bet.body), "own-limit", "{bet:?}");
    house.close().await;
}

/// A first start that was killed half-way: the next one opens what is missing, and nothing twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_was_interrupted_is_finished() {
    let one = || quick("One", "operator opens act-2018");
    let mut bare = one();
    bare.sign.clear();
    let house = House::open(vec![bare]).await;
    let (folder, _) = house.close().await;
    let two = || vec![one(), quick("Two", "operator opens nz-1998")];
    let house = House::in_folder(folder, house::config(two())).await;
    let olga = house.operator("Olga").await;
    let tables = olga.get("/api/v1/tables").await.unwrap().body;
    assert_eq!(tables.as_array().unwrap().len(), 2, "{tables}");
    assert_eq!(tables[0]["main_cents"], json!([500, 50_000]), "the sign is put up now");
    // What the operator changed since stays so.
    let wider = "operator gives notice main 5..300";
    let said = olga.say("t1", "n1", wider).await.unwrap();
    let version = olga.get("/api/v1/tables").await.unwrap().body[0]["version"].clone();
    let (folder, _) = house.close().await;
    let house = House::in_folder(folder, house::config(two())).await;
    let tables = house.client().get("/api/v1/tables").await.unwrap().body;
    assert_eq!(
        (tables.as_array().unwrap().len(), &tables[0]["version"]),
        (2, &version),
        "{said:?}"
    );
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_called_a_robot_who_is_none() {
    let mut config = house::config(vec![quick("One", "operator opens act-2018")]);
    config.robots = 1;
    let house = House::with(config).await;
    for name in ["Robot-1", "robot-77", "House", "Sabot", "Røbot-1", "H0use", "system", "System"] {
        let reply = house.client().post("/api/v1/guests", &json!({ "name": name })).await.unwrap();
        assert_eq!(reply.status, 400, "{name}: {reply:?}");
    }
    let ann = house.guest("Ann").await;
    assert!(ann.say("t1", "1", "sits at 1 with 100").await.unwrap().is_good());
    until("a robot sits down", || async {
        let view = ann.get("/api/v1/tables/t1?as=player").await.unwrap().body;
        view["players"].as_array().unwrap().iter().any(|player| player["player"] == "Robot-1")
    })
    .await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_called_nearly_as_somebody_else() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let ask = |name: &str| {
        let (client, body) = (house.client(), json!({ "name": name }));
        async move { client.post("/api/v1/guests", &body).await.unwrap() }
    };
    let olga = ask("  Olga ").await;
    assert_eq!(olga.body["name"], "Olga", "{olga:?}");
    // Another case, a Cyrillic О, wide letters, and the house's own name behind a space.
    for name in [
        "Olga",
        "olga",
        "OLGA",
        "OIga",
        "O1ga",
        "\u{41e}lga",
        "\u{ff2f}lga",
        " House",
        "hOUSE",
        " Robot-1",
        "\u{17f}abot",
        "a-1",
        "A-77",
    ] {
        let reply = ask(name).await;
        assert!((400..500).contains(&reply.status), "{name}: {reply:?}");
        assert!(reply.body["instead"].is_string(), "{name}: {reply:?}");
    }
    assert!(ask("\u{415}\u{432}\u{430}").await.is_good(), "a name in one alphabet");
    let olga = house.client().with_token(olga.body["token"].as_str().unwrap());
    let password = json!({ "password": "a good long one" });
    assert!(olga.post("/api/v1/register", &password).await.unwrap().is_good());
    let signing = |name: &str, password: &str| {
        let (client, body) = (house.client(), json!({ "name": name, "password": password }));
        async move { client.post("/api/v1/session", &body).await.unwrap().status }
    };
    assert_eq!(signing("olga ", "a good long one").await, 200);
    let mut last = 401;
    for name in ["olga", "oLga", "olGa", "olgA", "OLga", "oLGa"] {
        last = signing(name, "no").await;
    }
    assert_eq!(last, 429, "attempts count for the account, however it is written");
    house.close().await;
}

/// A page of staff that asks by itself keeps nobody signed in, and no session lasts for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_desk_that_was_left_is_signed_out_and_a_shift_ends() {
    const MINUTE: u64 = 60_000_000;
    let start = store::now();
    let world = live::World::real().with_clock(start);
    let folder = tempfile::tempdir().unwrap();
    let house = House::in_world(folder, house::config(vec![keyed("One")]), world.clone()).await;
    let olga = house.operator("Olga").await;
    for minute in [2, 4] {
        world.set_clock(start + minute * MINUTE);
        assert_eq!(olga.get("/api/v1/me").await.unwrap().status, 200);
    }
    let mut socket = olga.socket(&[]).await.unwrap();
    world.set_clock(start + 6 * MINUTE);
    // A socket on which nothing is said ends with its session, and not when it was silent for long.
    let ended = tokio::time::timeout(Duration::from_secs(20), socket.next()).await;
    assert!(matches!(ended, Ok(Ok(None))), "{ended:?}");
    assert_eq!(olga.get("/api/v1/me").await.unwrap().status, 401, "only looked at for 6 minutes");
    let signing = json!({ "name": "Olga", "password": "Olga has one" });
    let again = house.client().post("/api/v1/session", &signing).await.unwrap();
    let olga = house.client().with_token(again.body["token"].as_str().unwrap());
    let (mut now, begun) = (start + 6 * MINUTE, start + 6 * MINUTE);
    let mut lasted = 0;
    while now < begun + 13 * 60 * MINUTE {
        now += 4 * MINUTE;
        world.set_clock(now);
        let tried = json!({ "line": "operator posts main 5..500" });
        if olga.post("/api/v1/tables/t1/try", &tried).await.unwrap().status == 401 {
            break;
        }
        lasted = now - begun;
    }
    assert_eq!(lasted, 12 * 60 * MINUTE, "{} minutes", lasted / MINUTE);
    house.close().await;
}

/// A page that asks by itself keeps a member signed in no more than a desk, and a guest for as long
/// as the cookie lasts: a guest has no other way in.
#[tokio::test(flavor = "multi_thread")]
async fn a_member_who_only_looks_is_signed_out_and_a_guest_is_not() {
    const MINUTE: u64 = 60_000_000;
    let start = store::now();
    let world = live::World::real().with_clock(start);
    let folder = tempfile::tempdir().unwrap();
    let house = House::in_world(folder, house::config(vec![keyed("One")]), world.clone()).await;
    let (ann, bob) = (house.guest("Ann").await, house.guest("Bob").await);
    let password = json!({ "password": "a good long one" });
    let entered = ann.post("/api/v1/register", &password).await.unwrap();
    let ann = house.client().with_token(entered.body["token"].as_str().unwrap());
    for minute in [20, 40] {
        world.set_clock(start + minute * MINUTE);
        let stays = if minute == 20 { 200 } else { 401 };
        assert_eq!(ann.get("/api/v1/me").await.unwrap().status, stays, "after {minute} minutes");
        assert_eq!(bob.get("/api/v1/me").await.unwrap().status, 200, "after {minute} minutes");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_made_a_link_is_on_record_and_robots_have_none() {
    let mut config = house::config(vec![quick("One", "operator opens act-2018")]);
    config.robots = 1;
    config.public_url = Some("https://tables.example.org".into());
    let house = House::with(config).await;
    assert!(house.link.as_ref().unwrap().starts_with("https://tables.example.org/link/"));
    let olga = house.operator("Olga").await;
    for name in ["House", "Robot-1", "robot-1"] {
        let path = format!("/api/v1/accounts/{name}/link");
        let reply = olga.post(&path, &json!({})).await.unwrap();
        assert_eq!((reply.status, code(&reply.body)), (403, "not-theirs"), "{name}: {reply:?}");
    }
    let dee = house.staff(&olga, "dealer", "Dee").await;
    let id = |client: server::client::Client| async move {
        client.get("/api/v1/me").await.unwrap().body["account"].as_str().unwrap().to_owned()
    };
    let (olga_id, dee_id) = (id(olga.clone()).await, id(dee.clone()).await);
    assert!(olga.post("/api/v1/accounts/Dee/link", &json!({})).await.unwrap().is_good());
    let links = olga.get("/api/v1/links").await.unwrap().body;
    let of = |link: &serde_json::Value| {
        let text = |key: &str| link[key].as_str().unwrap_or("nobody").to_owned();
        format!("{}: {} ({})", text("by"), text("what"), text("about"))
    };
    let told: Vec<_> = links.as_array().unwrap().iter().map(of).collect();
    let wanted = [
        "Olga: made a link: password (Dee)",
        "Olga: a link was followed: dealer (Dee)",
        "Olga: made a link: invitation (dealer)",
        "nobody: a link was followed: operator (Olga)",
        "nobody: made a link: invitation (operator)",
    ];
    assert_eq!(told, wanted);
    assert_eq!(dee.get("/api/v1/links").await.unwrap().status, 403);
    let (folder, _) = house.close().await;
    let log = store::Store::read_only(&folder.path().join("floor/floor.sabot")).await.unwrap();
    let records = log.records(&format!("{}{dee_id}", store::ACCOUNT), 0).await.unwrap();
    assert!(records.len() >= 2 && records.iter().all(|record| record.actor == olga_id));
    log.close().await;
}

/// The door's file is lost, or did not come back with the log: somebody still gets in.
#[tokio::test(flavor = "multi_thread")]
async fn a_floor_whose_passwords_are_gone_prints_a_link_and_says_why() {
    use std::os::unix::fs::PermissionsExt as _;
    let house = House::open(vec![keyed("One")]).await;
    house.operator("Olga").await;
    let (folder, _) = house.close().await;
    let door = folder.path().join("floor/door.db");
    let copy = folder.path().join("copy.door.db");
    server::door::back_up(&door, &copy).await.unwrap();
    for file in [&door, &copy] {
        let mode = std::fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    assert!(server::door::back_up(&door, &copy).await.is_err(), "nothing is written over");
    std::fs::remove_file(&door).unwrap();
    let house = House::in_folder(folder, house::config(Vec::new())).await;
    assert!(house.link.is_some());
    assert!(house.notes.iter().any(|note| note.contains("no operator has a password")));
    assert!(!olga_again(&house).await);
    let (folder, _) = house.close().await;
    std::fs::copy(&copy, &door).unwrap();
    let house = House::in_folder(folder, house::config(Vec::new())).await;
    assert_eq!((&house.link, house.notes.len()), (&None, 0));
    assert!(olga_again(&house).await, "the copy has the passwords");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_was_restored_is_said_at_the_start() {
    let house = House::open(vec![keyed("One")]).await;
    house.guest("Ann").await;
    let (folder, _) = house.close().await;
    let log = folder.path().join("floor/floor.sabot");
    let old = std::fs::read(&log).unwrap();
    let house = House::in_folder(folder, house::config(Vec::new())).await;
    house.guest("Bo").await;
    let (folder, _) = house.close().await;
    std::fs::write(&log, old).unwrap();
    for other in ["floor.sabot-wal", "floor.sabot-shm"] {
        let _ = std::fs::remove_file(folder.path().join("floor").join(other));
    }
    let house = House::in_folder(folder, house::config(Vec::new())).await;
    let told = house.notes.iter().any(|note| note.contains("restored from an older copy"));
    assert!(told, "{:?}", house.notes);
    house.close().await;
}
