//! The matrix of roles and acts, cell by cell, over HTTP and over the socket.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use house::{House, code, keyed};
use live::{May, may};
use serde_json::{Value, json};
use server::client::Client;
use store::Deals;
use table::{Act, Checker, Decision, Deed, Limits, Name, Options, Role, SignLine, Work};

fn acts() -> Vec<Act> {
    let cents = |dollars: u64| rules::Cents::new(dollars * 100).unwrap();
    let limits = Limits { least: cents(1), most: cents(2), step: None };
    let (ann, why) = (Name::from("Ann").unwrap(), || String::from("a reason"));
    vec![
        Act::Tick,
        Act::Open(Options::default()),
        Act::Post(SignLine::Sharing(2)),
        Act::GiveNotice(SignLine::Closing, None),
        Act::PlayersConsent,
        Act::Allow(ann, rules::Group::Main, limits),
        Act::VoidCoup(why()),
        Act::VoidNumbered(1, why()),
        Act::Invalidate(why()),
        Act::VoidWagers(ann, None, why()),
        Act::Exclude(ann, why()),
        Act::RequireSeat(1),
        Act::ReplaceCards,
        Act::GiveRules,
        Act::DecideDispute(1, why()),
        Act::ReviewDispute(1, why()),
        Act::InspectorLeaves,
        Act::InspectorReturns,
        Act::Player(ann, Deed::Leave),
        Act::Dealer(Work::Shuffle),
        Act::Dealer(Work::Check(Checker::Device)),
        Act::Dealer(Work::Check(Checker::Supervisor)),
        Act::Supervisor(Decision::DirectShuffle),
        Act::CuttingCardAppears,
        Act::CuttingCardShows,
        Act::ShoeRunsOut,
        Act::FreshShoe,
        Act::Close,
    ]
}

/// Whether an answer says that it is not for this person to do.
fn is_refused(status: u16, body: &Value) -> bool {
    status == 403 && code(body) == "not-theirs"
}

#[tokio::test(flavor = "multi_thread")]
async fn every_cell_over_http_and_socket() {
    let house = House::open((0..acts().len()).map(|i| keyed(&format!("T{i}"))).collect()).await;
    let olga = house.operator("Olga").await;
    let mut people: Vec<(Role, Client)> = vec![(Role::Operator, olga.clone())];
    let staff = [
        Role::Dealer,
        Role::Supervisor,
        Role::Inspector,
        Role::Management,
        Role::Director,
        Role::Regulator,
    ];
    for role in staff {
        people.push((role, house.staff(&olga, role.key(), &format!("P-{}", role.key())).await));
    }
    let ann = house.guest("Ann").await;
    people.push((Role::Player, ann));
    let stranger = house.guest("Stranger").await;
    let (mut cells, mut key) = (0, 0);
    for (i, act) in acts().iter().enumerate() {
        let table = format!("t{}", i + 1);
        for (role, person) in &people {
            // The dealer keys in players who have no account.
            let walk_in = table::Name::from("Walker").unwrap();
            let keyed = |name| if *role == Role::Dealer { walk_in } else { name };
            let document = serde_json::to_value(act.clone().renamed(&mut { keyed })).unwrap();
            let allowed = may(*role, act, Deals::Keyed) != May::No;
            key += 1;
            let body = json!({ "key": format!("h{key}"), "as": role.key(), "act": document });
            let path = format!("/api/v1/tables/{table}/orders");
            let reply = person.post(&path, &body).await.unwrap();
            assert!(reply.status < 500, "{reply:?}");
            assert_eq!(is_refused(reply.status, &reply.body), !allowed, "{role} {act:?} {reply:?}");
            let mut socket = person.socket(&[]).await.unwrap();
            let mut message = body.clone();
            message["do"] = json!("order");
            message["table"] = json!(table);
            message["key"] = json!(format!("s{key}"));
            socket.send(&message).await.unwrap();
            let told = socket.next().await.unwrap().unwrap();
            let status = told["problem"]["status"].as_u64().unwrap_or(200);
            let refused = is_refused(u16::try_from(status).unwrap(), &told["problem"]);
            assert_eq!(refused, !allowed, "socket: {role} {act:?} {told}");
            // Nobody acts in a role that they do not have.
            if *role != Role::Player {
                let mut forged = body.clone();
                forged["key"] = json!(format!("f{key}"));
                let reply = stranger.post(&path, &forged).await.unwrap();
                assert!(is_refused(reply.status, &reply.body), "{role} {act:?} {reply:?}");
            }
            cells += 1;
        }
        for role in [Role::Players, Role::Device, Role::Clock] {
            let body = json!({ "key": format!("n{key}"), "as": role.key(), "act": act });
            let reply = olga.post(&format!("/api/v1/tables/{table}/orders"), &body).await.unwrap();
            assert!(is_refused(reply.status, &reply.body), "{role} {act:?} {reply:?}");
        }
    }
    assert_eq!(cells, acts().len() * 8);
    // An order without a session is nobody's.
    let body = json!({ "key": "x", "act": serde_json::to_value(&acts()[0]).unwrap() });
    let reply = house.client().post("/api/v1/tables/t1/orders", &body).await.unwrap();
    assert_eq!(reply.status, 401);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_are_needed_to_take_back_a_payment() {
    let house = House::open(vec![keyed("Staffed")]).await;
    let olga = house.operator("Olga").await;
    let otto = house.staff(&olga, "operator", "Otto").await;
    let dee = house.staff(&olga, "dealer", "Dee").await;
    let ann = house.guest("Ann").await;
    let mut key = 0;
    let mut say = async |who: &Client, line: &str| {
        key += 1;
        who.say("t1", &format!("k{key}"), line).await.unwrap()
    };
    assert!(say(&ann, "sits at 1 with 200").await.is_good());
    let ready = say(&dee, "fresh shoe").await;
    assert!(ready.is_good(), "{ready:?}");
    assert!(say(&ann, "bets 50 on player").await.is_good());
    assert!(say(&dee, "dealer calls no more bets").await.is_good());
    let dealt = say(&dee, "dealer deals 9h 2c Kd 3s").await;
    assert!(dealt.is_good(), "{dealt:?}");
    // What it would do is told before anybody says it, to who may say it.
    let void = json!({ "line": "operator voids coup 1 because of the wrong shoe" });
    let before = olga.get("/api/v1/tables").await.unwrap().body[0]["version"].clone();
    let tried = olga.post("/api/v1/tables/t1/try", &void).await.unwrap();
    assert_eq!((tried.status, &tried.body["second_person"]), (200, &json!(true)), "{tried:?}");
    let moved = tried.body["events"].to_string();
    assert!(moved.contains("\"player\":\"Ann\"") && moved.contains("-5000"), "{moved}");
    for nobody in [&ann, &dee] {
        assert_eq!(nobody.post("/api/v1/tables/t1/try", &void).await.unwrap().status, 403);
    }
    assert_eq!(house.client().post("/api/v1/tables/t1/try", &void).await.unwrap().status, 401);
    let none = json!({ "line": "operator voids coup 9 because of the wrong shoe" });
    assert_eq!(olga.post("/api/v1/tables/t1/try", &none).await.unwrap().status, 422);
    assert_eq!(olga.get("/api/v1/tables").await.unwrap().body[0]["version"], before);
    // One operator alone does not void what was paid; the same person again does not either.
    let first = say(&olga, "operator voids coup 1 because of the wrong shoe").await;
    assert_eq!((first.status, code(&first.body)), (409, "second-person"), "{first:?}");
    let alone = say(&olga, "operator voids coup 1 because of the wrong shoe").await;
    assert_eq!(code(&alone.body), "second-person");
    let tried = otto.post("/api/v1/tables/t1/try", &void).await.unwrap();
    assert_eq!(tried.body["second_person"], false, "he is the second: {tried:?}");
    let second = say(&otto, "operator voids coup 1 because of the wrong shoe").await;
    assert!(second.is_good(), "{second:?}");
    assert!(!second.body["clauses"].as_array().unwrap().is_empty());
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_correct_a_balance_together_and_take_roles_away() {
    let house = House::open(vec![keyed("Staffed")]).await;
    let olga = house.operator("Olga").await;
    let otto = house.staff(&olga, "operator", "Otto").await;
    let dee = house.staff(&olga, "dealer", "Dee").await;
    let ann = house.guest("Ann").await;
    let before = ann.get("/api/v1/me").await.unwrap().body["balance_cents"].as_i64().unwrap();
    let correct = async |who: &Client, name: &str, key: &str, cents: i64| {
        let body = json!({ "key": key, "cents": cents, "why": "paid twice" });
        who.post(&format!("/api/v1/accounts/{name}/correct"), &body).await.unwrap()
    };
    for nobody in [&ann, &dee] {
        assert_eq!(correct(nobody, "Ann", "k", -500).await.status, 403);
    }
    for key in ["k1", "k1", "k2"] {
        let alone = correct(&olga, "Ann", key, -500).await;
        assert_eq!((alone.status, code(&alone.body)), (409, "second-person"), "{alone:?}");
    }
    assert_eq!(code(&correct(&otto, "Ann", "k1", -400).await.body), "second-person");
    assert_eq!(code(&correct(&olga, "Ann", "k3", -500).await.body), "second-person");
    let done = correct(&otto, "Ann", "k2", -500).await;
    assert_eq!(done.body["balance_cents"], before - 500, "{done:?}");
    assert_eq!(correct(&otto, "Ann", "k2", -500).await.body["balance_cents"], before - 500);
    let holds = ann.get("/api/v1/me").await.unwrap().body["balance_cents"].as_i64();
    assert_eq!(holds, Some(before - 500));
    for (name, cents, status) in [("Nobody", 1, 404), ("Ann", i64::MIN, 422), ("Olga", 5, 403)] {
        assert_eq!(correct(&olga, name, "k9", cents).await.status, status, "{name} {cents}");
    }
    // A role that was taken away is gone at once.
    assert!(dee.say("t1", "d1", "fresh shoe").await.unwrap().status != 403);
    let role = json!({ "role": "dealer" });
    assert_eq!(dee.post("/api/v1/accounts/Dee/dismiss", &role).await.unwrap().status, 403);
    let gone = olga.post("/api/v1/accounts/Dee/dismiss", &role).await.unwrap();
    assert_eq!((gone.status, &gone.body["roles"]), (200, &json!([])), "{gone:?}");
    assert_eq!(dee.say("t1", "d2", "dealer calls no more bets").await.unwrap().status, 403);
    let own = json!({ "role": "operator" });
    assert_eq!(olga.post("/api/v1/accounts/Olga/dismiss", &own).await.unwrap().status, 403);
    house.close().await;
}
