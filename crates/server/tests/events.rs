//! Tournaments through the door: one that runs by itself, and those that the configuration holds.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use house::cup::{Cup, everybody};
use house::{House, balance, code, config, keyed, until};
use serde_json::json;
use server::client::Client;
use server::config::{EventConfig, pace};
use testkit::cups::DUEL;

async fn say(client: &Client, key: &str, line: &str) -> server::client::Reply {
    let body = json!({ "key": key, "line": line });
    client.post("/api/v1/tournaments/e1/orders", &body).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_with_a_pace_waits_for_nobody() {
    let house = House::open(Vec::new()).await;
    let olga = house.operator("Olga").await;
    let dana = house.staff(&olga, "director", "Dana").await;
    let new = |pace: &str, deals: &str| json!({ "conditions": DUEL, "pace": pace, "deals": deals });
    for (pace, deals) in [("slow", "system"), ("quick", "keyed")] {
        let refused = dana.post("/api/v1/tournaments", &new(pace, deals)).await.unwrap();
        assert_eq!(refused.status, 400, "{refused:?}");
    }
    let opened = dana.post("/api/v1/tournaments", &new("at-once", "system")).await.unwrap();
    assert_eq!((opened.status, &opened.body["id"]), (200, &json!("e1")), "{opened:?}");
    assert!(say(&olga, "1", "operator names Dana director").await.is_good());
    let reg = house.staff(&olga, "regulator", "Reg").await;
    let approved = say(&reg, "2", "regulator approves the conditions").await;
    assert!(approved.is_good(), "{approved:?}");
    let entries = say(&olga, "3", "operator opens entries").await;
    assert!(entries.is_good(), "{entries:?}");
    // Its time has come, and nobody has entered.
    let list = dana.get("/api/v1/tournaments").await.unwrap().body;
    assert_eq!(list[0]["phase"], "cancelled", "{list}");
    let late = say(&house.guest("Ann").await, "4", "applies").await;
    assert_eq!((late.status, code(&late.body)), (422, "closed"));
    // Places and cards are the director's.
    let bodies = [
        ("ballot", json!({ "key": "b", "step": "commit" })),
        ("deal", json!({ "key": "d", "table": 1 })),
    ];
    for (what, body) in bodies {
        let path = format!("/api/v1/tournaments/e1/{what}");
        let (bo, nobody) = (house.guest(&format!("Bo-{what}")).await, house.client());
        assert_eq!(bo.post(&path, &body).await.unwrap().status, 403);
        assert_eq!(nobody.post(&path, &body).await.unwrap().status, 401);
        let over = dana.post(&path, &body).await.unwrap();
        assert!(over.status == 422 || over.body["events"] == json!([]), "{over:?}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_configuration_holds_an_event_every_so_often_and_each_once() {
    let mut set_up = config(Vec::new());
    set_up.tournament = Some(EventConfig {
        director: table::Name::from("Dana").unwrap(),
        book: "act-2018".into(),
        approval: "letter of 3 May".into(),
        every_minutes: 1440,
        players: 7,
        pace: pace("usual").unwrap(),
    });
    let list =
        |client: Client| async move { client.get("/api/v1/tournaments").await.unwrap().body };
    let mut folder = None;
    for start in 0..2 {
        let house = match folder.take() {
            None => House::with(set_up.clone()).await,
            Some(folder) => House::in_folder(folder, set_up.clone()).await,
        };
        let client = house.client();
        until("entries are open", || async { list(client.clone()).await[0]["phase"] == "entries" })
            .await;
        let listed = list(client.clone()).await;
        assert_eq!(listed.as_array().unwrap().len(), 1, "start {start}: {listed}");
        let at = listed[0]["start"].as_str().unwrap();
        assert!(at.ends_with(" 00:00"), "{at}");
        assert!(listed[0]["title"].as_str().unwrap().ends_with(at), "{listed}");
        assert_eq!(client.get("/api/v1/tournaments/e2").await.unwrap().status, 404);
        folder = Some(house.close().await.0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_and_a_tournament_are_begun_once_under_a_key() {
    let house = House::open(vec![keyed("Staffed")]).await;
    let olga = house.operator("Olga").await;
    let dana = house.staff(&olga, "director", "Dana").await;
    let table = json!({ "key": "one", "title": "Lucky", "opens": "operator opens act-2018" });
    let cup = json!({ "key": "one", "conditions": DUEL });
    for (who, path, body, id) in
        [(&olga, "/api/v1/tables", table, "t2"), (&dana, "/api/v1/tournaments", cup, "e1")]
    {
        for _ in 0..3 {
            let opened = who.post(path, &body).await.unwrap();
            assert_eq!((opened.status, &opened.body["id"]), (200, &json!(id)), "{opened:?}");
        }
        let mut other = body.clone();
        other["deals"] = json!("keyed");
        let reused = who.post(path, &other).await.unwrap();
        assert_eq!((reused.status, code(&reused.body)), (409, "key-reused"), "{reused:?}");
        for key in ["", &"k".repeat(65)] {
            let mut other = body.clone();
            other["key"] = json!(key);
            assert_eq!(who.post(path, &other).await.unwrap().status, 422, "{key}");
        }
    }
    let count = |list: serde_json::Value| list.as_array().unwrap().len();
    assert_eq!(count(olga.get("/api/v1/tables").await.unwrap().body), 2);
    assert_eq!(count(olga.get("/api/v1/tournaments").await.unwrap().body), 1);
    house.close().await;
}

/// The next message of a kind.
async fn next_of(socket: &mut server::client::Socket, kind: &str) -> serde_json::Value {
    for _ in 0..50 {
        let message = socket.next().await.unwrap().expect("the socket stays open");
        if message["kind"] == kind {
            return message;
        }
    }
    panic!("no `{kind}` comes");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_followed_and_run_by_socket() {
    let house = House::open(vec![keyed("Staffed")]).await;
    let olga = house.operator("Olga").await;
    let dana = house.staff(&olga, "director", "Dana").await;
    let later = DUEL.replace("2026-01-10", "2099-01-10");
    let opened = dana.post("/api/v1/tournaments", &json!({ "conditions": later })).await.unwrap();
    assert!(opened.is_good(), "{opened:?}");
    let mut eyes = house.client().socket(&[]).await.unwrap();
    eyes.send(&json!({ "do": "subscribe", "tournament": "e1" })).await.unwrap();
    let first = next_of(&mut eyes, "view").await;
    assert_eq!(first["tournament"], "e1");
    // Orders by socket are what they are by request: roles are asked, keys are kept.
    let mut own = olga.socket(&[]).await.unwrap();
    let order = json!({ "do": "order", "tournament": "e1", "key": "1",
        "line": "operator names Dana director" });
    own.send(&order).await.unwrap();
    let done = next_of(&mut own, "answer").await;
    assert_eq!((&done["tournament"], &done["key"]), (&json!("e1"), &json!("1")), "{done}");
    let update = next_of(&mut eyes, "update").await;
    assert!(update["version"].as_u64() > first["version"].as_u64(), "{update}");
    assert!(update["events"].to_string().contains("director-named"), "{update}");
    assert!(update["changed"].as_object().is_some_and(|changed| !changed.is_empty()), "{update}");
    own.send(&order).await.unwrap();
    assert_eq!(next_of(&mut own, "answer").await["answer"]["repeated"], true);
    let mut ann = house.guest("Ann").await.socket(&[]).await.unwrap();
    let forged = json!({ "do": "order", "tournament": "e1", "key": "1",
        "line": "operator opens entries" });
    ann.send(&forged).await.unwrap();
    let refused = next_of(&mut ann, "problem").await;
    assert_eq!(
        (&refused["problem"]["status"], &refused["tournament"]),
        (&json!(403), &json!("e1"))
    );
    // Who comes back gets what was missed, and then the whole.
    let seen = first["version"].clone();
    let mut back = house.client().socket(&[]).await.unwrap();
    back.send(&json!({ "do": "subscribe", "tournament": "e1", "after": seen })).await.unwrap();
    let gap = next_of(&mut back, "gap").await;
    assert!(gap["events"].to_string().contains("director-named"), "{gap}");
    assert_eq!(next_of(&mut back, "view").await["version"], gap["version"]);
    // One place is named, and one that is there.
    for bad in [
        json!({ "do": "subscribe" }),
        json!({ "do": "subscribe", "table": "t1", "tournament": "e1" }),
        json!({ "do": "subscribe", "tournament": "e9" }),
        json!({ "do": "order", "key": "k", "line": "fresh shoe" }),
    ] {
        back.send(&bad).await.unwrap();
        let problem = next_of(&mut back, "problem").await["problem"].clone();
        assert!(problem["status"].as_u64().is_some_and(|status| status < 500), "{problem}");
    }
    back.send(&json!({ "do": "unsubscribe", "tournament": "e1" })).await.unwrap();
    assert_eq!(next_of(&mut back, "unsubscribed").await["tournament"], "e1");
    house.close().await;
}

/// Sends a word of somebody's for the shoe at the table of an event.
async fn opens(who: &Client, words: &shoe::Words, which: shoe::Which) -> server::client::Reply {
    let name = if which == shoe::Which::First { "first" } else { "second" };
    let body = json!({ "which": name, "word": words.word(which) });
    who.post("/api/v1/tournaments/e1/tables/1/shoe/word", &body).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn players_of_an_event_take_part_in_the_shoe_of_their_table() {
    let house = House::open(Vec::new()).await;
    let all = everybody(&house).await;
    let mut cup = Cup::open(&house, all, json!({ "conditions": DUEL })).await;
    cup.until(|one| one["line"].to_string().contains("table 1 dealer shuffles")).await;
    let (dana, ann, bo) =
        (cup.person("director").clone(), cup.person("player").clone(), cup.bo.clone());
    let path = "/api/v1/tournaments/e1/tables/1/shoe";
    let promise_path = format!("{path}/promise");
    let made = house.client().get(path).await.unwrap();
    assert_eq!(made.status, 404, "{made:?}");
    let odd = house.client().get(&path.replace("/1/", "/one/")).await.unwrap();
    assert!(odd.status < 500 && !code(&odd.body).is_empty(), "{odd:?}");
    let committed = cup.post(&dana, "deal", json!({ "table": 1 })).await;
    assert_eq!(
        (committed.status, &committed.body["words"]),
        (200, &json!("promise")),
        "{committed:?}"
    );
    let shoe = house.client().get(path).await.unwrap().body["shoe"].clone();
    let commitment: shoe::Digest = serde_json::from_value(shoe["commitment"].clone()).unwrap();
    let account = ann.get("/api/v1/me").await.unwrap().body["account"].as_str().unwrap().to_owned();
    let words = shoe::Words::draw(&account, |bytes: &mut [u8]| getrandom::fill(bytes)).unwrap();
    let promise = words.promise(&commitment);
    let body = json!({ "first": promise.first, "second": promise.second });
    // Whoever does not play there takes no part.
    let stranger = house.guest("Stranger").await;
    assert_eq!(stranger.post(&promise_path, &body).await.unwrap().status, 403);
    assert_eq!(house.client().post(&promise_path, &body).await.unwrap().status, 401);
    assert!(opens(&ann, &words, shoe::Which::First).await.status == 422, "before the list");
    let promised = ann.post(&promise_path, &body).await.unwrap();
    assert!(promised.is_good(), "{promised:?}");
    assert_eq!(ann.post(&promise_path, &body).await.unwrap().status, 422, "a second promise");
    let listed = cup.post(&dana, "deal", json!({ "table": 1 })).await;
    assert_eq!(listed.body["words"], "first", "{listed:?}");
    assert_eq!(opens(&bo, &words, shoe::Which::First).await.status, 422, "another's word");
    let opened = opens(&ann, &words, shoe::Which::First).await;
    assert!(opened.is_good(), "{opened:?}");
    let shuffled = cup.post(&dana, "deal", json!({ "table": 1 })).await;
    assert!(shuffled.is_good(), "{shuffled:?}");
    let shoe = house.client().get(path).await.unwrap().body["shoe"].clone();
    assert_eq!(shoe["firsts"], json!([words.word(shoe::Which::First)]), "{shoe}");
    assert!(shoe["root"].is_string(), "{shoe}");
    house.close().await;
}

/// Half an hour, in microseconds.
const HALF_AN_HOUR: u64 = 30 * 60_000_000;
/// How many robots enter: more than one table seats.
const ROBOTS: usize = 8;

/// Somebody who does what the event asks of them, and nothing else.
struct Robot {
    client: Client,
    name: String,
    number: usize,
    keys: u32,
    given: u64,
}

impl Robot {
    async fn enter(house: &House, number: usize) -> Self {
        let name = format!("R-{number}");
        let client = house.guest(&name).await;
        let given = balance(&client).await;
        let mut robot = Self { client, name, number, keys: 0, given };
        let entered = robot.say("applies").await;
        assert!(entered.is_good(), "{entered:?}");
        robot
    }

    async fn say(&mut self, line: &str) -> server::client::Reply {
        self.keys += 1;
        say(&self.client, &format!("{}", self.keys), line).await
    }

    /// Does what is asked of it, and gives the phase of the event.
    async fn act(&mut self) -> String {
        let path = "/api/v1/tournaments/e1?as=player";
        let view = self.client.get(path).await.unwrap().body;
        for one in view["asked"].as_array().unwrap_or_else(|| panic!("{view}")) {
            let line = one["line"].as_str().unwrap_or_default();
            if one["role"] != "player" || !line.starts_with(&self.name) {
                continue;
            }
            if line.ends_with(" bets AMOUNT on SPOT") {
                // Each in another way, as far as the chips go.
                let spot = if (self.number + self.keys as usize).is_multiple_of(2) {
                    "banker"
                } else {
                    "player"
                };
                let amounts = [100 + 50 * (self.number % 5), 50];
                for amount in amounts {
                    if self.say(&format!("bets {amount} on {spot}")).await.is_good() {
                        break;
                    }
                }
            } else if line.contains("takes the seat") || line.contains("comes back") {
                self.say(line).await;
            }
        }
        view["phase"].as_str().unwrap().to_owned()
    }
}

/// Moves the clock in small steps, and lets everybody do what they are asked, until it is over.
async fn play_out(world: &live::World, robots: &mut [Robot]) {
    for _ in 0..20_000 {
        world.set_clock(world.utc() + 50_000);
        for robot in robots.iter_mut() {
            let phase = robot.act().await;
            assert_ne!(phase, "cancelled");
            if phase == "ended" {
                return;
            }
        }
    }
    let view = robots[0].client.get("/api/v1/tournaments/e1?as=player").await.unwrap().body;
    panic!("it does not end: {}", view["asked"]);
}

/// What was paid in is paid out, but for the commission that the conditions name, and every account
/// has what its place was awarded: to the cent.
async fn money_holds(house: &House, robots: &[Robot]) {
    let path = "/api/v1/tournaments/e1";
    let view = house.client().get(path).await.unwrap().body;
    assert_eq!(view["phase"], "ended", "{view}");
    let cents = |value: &serde_json::Value| value.as_u64().unwrap_or_else(|| panic!("{value}"));
    let entrants = view["entrants"].as_array().unwrap();
    assert_eq!(entrants.len(), robots.len());
    let fee = 10_000;
    let (mut paid, mut awarded) = (0, 0);
    for robot in robots {
        let own = robot.client.get(&format!("{path}?as=player")).await.unwrap().body;
        let me = own["entrants"].as_array().unwrap().iter().find(|one| one["me"] == true).unwrap();
        let holds = balance(&robot.client).await;
        assert_eq!(holds, robot.given - fee + cents(&me["prize_cents"]), "{me}");
        (paid, awarded) = (paid + fee, awarded + cents(&me["prize_cents"]));
    }
    let commission = cents(&view["commission_cents"]);
    assert_eq!(commission, paid / 10, "{view}");
    assert_eq!(awarded + commission, paid, "{view}");
    assert_eq!(view["pool_cents"], 0, "{view}");
    // What moved in the event sums to nothing, event by event.
    let (mut after, mut moved) = (0, 0);
    loop {
        let page = house.client().get(&format!("{path}/events?after={after}")).await.unwrap().body;
        for event in page["events"].as_array().unwrap() {
            let postings = event["postings"].as_array().unwrap();
            let sum: i64 = postings.iter().map(|one| one["gained_cents"].as_i64().unwrap()).sum();
            assert_eq!(sum, 0, "{event}");
            moved += postings.len();
        }
        after = page["version"].as_u64().unwrap();
        if page["more"] != true {
            break;
        }
    }
    assert!(moved > 0);
}

/// The event of the configuration, from the clock that opens it to the last prize.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_of_the_configuration_is_played_to_its_last_prize_and_the_next_one_opens() {
    let mut set_up = config(Vec::new());
    set_up.tournament = Some(EventConfig {
        director: table::Name::from("Dana").unwrap(),
        book: "act-2018".into(),
        approval: "letter of 3 May".into(),
        every_minutes: 30,
        players: u32::try_from(ROBOTS).unwrap(),
        pace: pace("at-once").unwrap(),
    });
    let start = (1_800_000_000_000_000 / HALF_AN_HOUR + 1) * HALF_AN_HOUR;
    let world = live::World::real().with_clock(start - 3 * 60_000_000);
    let folder = tempfile::tempdir().unwrap();
    let house = House::in_world(folder, set_up.clone(), world.clone()).await;
    let list =
        |client: Client| async move { client.get("/api/v1/tournaments").await.unwrap().body };
    let client = house.client();
    until("entries are open", || async { list(client.clone()).await[0]["phase"] == "entries" })
        .await;
    let view = client.get("/api/v1/tournaments/e1").await.unwrap().body;
    assert_eq!(view["starts_at"], start, "{view}");
    let mut robots = Vec::new();
    for number in 0..ROBOTS {
        robots.push(Robot::enter(&house, number).await);
    }
    world.set_clock(start - 2_000_000);
    play_out(&world, &mut robots).await;
    money_holds(&house, &robots).await;
    let first = list(house.client()).await[0].clone();
    // Half an hour later the next one is open, and the first is over and stays so.
    let (folder, _) = house.close().await;
    let house = House::in_world(folder, set_up, world.clone()).await;
    let client = house.client();
    until("the next one", || async { list(client.clone()).await[1]["phase"] == "entries" }).await;
    let listed = list(client.clone()).await;
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]), (2, &first), "{listed}");
    let next = client.get("/api/v1/tournaments/e2").await.unwrap().body;
    let starts = next["starts_at"].as_u64().unwrap();
    assert!(starts > world.utc() && starts.is_multiple_of(HALF_AN_HOUR), "{next}");
    money_holds(&house, &robots_of(&house, robots)).await;
    house.close().await;
}

/// The same robots, at the address of a house that was started again.
fn robots_of(house: &House, robots: Vec<Robot>) -> Vec<Robot> {
    let moved = robots.into_iter().map(|robot| {
        let client = house.client().with_token(robot.client.token().unwrap());
        Robot { client, ..robot }
    });
    moved.collect()
}
