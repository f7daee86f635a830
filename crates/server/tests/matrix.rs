//! The matrix of roles and acts, cell by cell, over HTTP and over the socket.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use house::{House, code, keyed, quick};
use serde_json::{Value, json};
use server::client::{Client, Socket};
use table::{Name, Role};
use testkit::cells::{at_a_table, in_a_tournament};
use testkit::cups::DUEL;

/// Whether an answer says that it is not for this person to do.
fn is_refused(status: u64, body: &Value) -> bool {
    status == 403 && code(body) == "not-theirs"
}

/// Somebody in a role, who speaks by request and by socket.
struct Person {
    role: Role,
    client: Client,
    socket: Socket,
}

impl Person {
    async fn new(role: Role, client: Client) -> Self {
        let socket = client.socket(&[]).await.unwrap();
        Self { role, client, socket }
    }

    /// Whether an act in a role is refused as nobody's of that role, by request and by socket.
    async fn is_refused(
        &mut self,
        place: &str,
        role: Role,
        act: &Value,
        key: &str,
    ) -> (bool, bool) {
        let body = json!({ "key": format!("h{key}"), "as": role.key(), "act": act });
        let places = if place.starts_with('t') { "tables" } else { "tournaments" };
        let path = format!("/api/v1/{places}/{place}/orders");
        let reply = self.client.post(&path, &body).await.unwrap();
        assert!(reply.status < 500, "{reply:?}");
        let (mut message, kind) = (body, &places[..places.len() - 1]);
        message["do"] = json!("order");
        message[kind] = json!(place);
        message["key"] = json!(format!("s{key}"));
        self.socket.send(&message).await.unwrap();
        let told = self.socket.next().await.unwrap().unwrap();
        let status = told["problem"]["status"].as_u64().unwrap_or(200);
        assert!(status < 500, "{told}");
        let by_request = is_refused(reply.status.into(), &reply.body);
        (by_request, is_refused(status, &told["problem"]))
    }
}

/// The operator, and somebody in every role that people have.
async fn people(house: &House) -> (Client, Vec<Person>) {
    let olga = house.operator("Olga").await;
    let mut people = vec![Person::new(Role::Operator, olga.clone()).await];
    let staff = [
        Role::Dealer,
        Role::Supervisor,
        Role::Inspector,
        Role::Management,
        Role::Director,
        Role::Regulator,
    ];
    for role in staff {
        let client = house.staff(&olga, role.key(), &format!("P-{}", role.key())).await;
        people.push(Person::new(role, client).await);
    }
    people.push(Person::new(Role::Player, house.guest("Ann").await).await);
    (olga, people)
}

/// Tries an act as everybody, and as a stranger: players speak for themselves, staff for people who
/// have no account.
async fn try_cells(
    (people, stranger): (&mut [Person], &mut Person),
    place: &str,
    (own, keyed): (Value, Value),
    listed: &str,
) {
    let lists = |role: Role| listed.split(' ').any(|key| key == role.key());
    // One key an act and place: everybody has keys of their own.
    let named = shoe::Digest::of(&[place.as_bytes(), own.to_string().as_bytes()]);
    let key = &named.to_string()[..32];
    for person in people.iter_mut() {
        let role = person.role;
        let act = if role == Role::Player { &own } else { &keyed };
        let refused = person.is_refused(place, role, act, key).await;
        assert_eq!(refused, (!lists(role), !lists(role)), "{role} {act}");
        // Nobody acts in a role that they do not have, and no player for another.
        if role != Role::Player || lists(role) {
            let forged = stranger.is_refused(place, role, act, &format!("{role}-{key}")).await;
            assert_eq!(forged, (true, true), "a stranger as {role} {act}");
        }
    }
    for role in [Role::Players, Role::Device, Role::Clock] {
        let nobody = people[0].is_refused(place, role, &keyed, &format!("{role}-{key}")).await;
        assert_eq!(nobody, (true, true), "{role} {keyed}");
    }
}

fn documents<A: serde::Serialize>(cells: impl Fn(Name) -> Vec<(A, &'static str)>) -> Vec<Cell> {
    let of = |name: &str| cells(Name::from(name).unwrap());
    let document = |act: &A| serde_json::to_value(act).unwrap();
    let both = of("Ann").into_iter().zip(of("Walker"));
    both.map(|((own, listed), (keyed, _))| (document(&own), document(&keyed), listed)).collect()
}

/// An act of Ann's, the same of somebody without an account, and the roles that may.
type Cell = (Value, Value, &'static str);

#[tokio::test(flavor = "multi_thread")]
async fn every_cell_over_http_and_socket() {
    // Each act has a table of its own that staff deal, and behind those one that the system deals.
    let cells = documents(at_a_table);
    let dealt = |i| {
        let name = format!("T{i}");
        if i < cells.len() { keyed(&name) } else { quick(&name, "operator opens act-2018") }
    };
    let house = House::open((0..cells.len() * 2).map(dealt).collect()).await;
    let (_, mut people) = people(&house).await;
    let mut stranger = Person::new(Role::Player, house.guest("Stranger").await).await;
    for (i, (own, keyed, listed)) in cells.iter().enumerate() {
        let (staff, system) = listed.split_once('|').unwrap();
        for (place, listed) in [(i + 1, staff), (cells.len() + i + 1, system)] {
            let act = (own.clone(), keyed.clone());
            try_cells((&mut people, &mut stranger), &format!("t{place}"), act, listed).await;
        }
    }
    // An order without a session is nobody's.
    let body = json!({ "key": "x", "act": "fresh-shoe" });
    let reply = house.client().post("/api/v1/tables/t1/orders", &body).await.unwrap();
    assert_eq!(reply.status, 401);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_cell_of_a_tournament_over_http_and_socket() {
    let house = House::open(Vec::new()).await;
    let (_, mut people) = people(&house).await;
    let mut stranger = Person::new(Role::Player, house.guest("Stranger").await).await;
    let later = json!({ "conditions": DUEL.replace("2026-01-10", "2099-01-10") });
    for person in &people {
        let opened = person.client.post("/api/v1/tournaments", &later).await.unwrap();
        let is_directors = person.role == Role::Director;
        assert_eq!(opened.status, if is_directors { 200 } else { 403 }, "{opened:?}");
    }
    for (own, keyed, listed) in documents(in_a_tournament) {
        try_cells((&mut people, &mut stranger), "e1", (own, keyed), listed).await;
    }
    // What is sealed and what the system deals have requests of their own.
    let own = [
        ("ballot", json!({ "step": "commit" }), "director"),
        ("ballot", json!({ "step": "reveal" }), "director"),
        ("deal", json!({ "table": 1 }), "dealer director"),
    ];
    for (n, (what, mut body, listed)) in own.into_iter().enumerate() {
        body["key"] = json!(format!("own-{n}"));
        let path = format!("/api/v1/tournaments/e1/{what}");
        for person in &people {
            let reply = person.client.post(&path, &body).await.unwrap();
            let allowed = listed.split(' ').any(|key| key == person.role.key());
            assert_eq!(reply.status == 403, !allowed, "{} {what} {reply:?}", person.role);
        }
        assert_eq!(house.client().post(&path, &body).await.unwrap().status, 401);
    }
    let body = json!({ "key": "x", "act": "start" });
    let reply = house.client().post("/api/v1/tournaments/e1/orders", &body).await.unwrap();
    assert_eq!(reply.status, 401);
    house.close().await;
}

/// The words for those who look, and whose they are; everybody may look as player and spectator.
const EYES: [(&str, Option<Role>); 10] = [
    ("player", None),
    ("spectator", None),
    ("dealer", Some(Role::Dealer)),
    ("supervisor", Some(Role::Supervisor)),
    ("management", Some(Role::Management)),
    ("inspector", Some(Role::Inspector)),
    ("director", Some(Role::Director)),
    ("operator", Some(Role::Operator)),
    ("auditor", Some(Role::Regulator)),
    ("regulator", Some(Role::Regulator)),
];

#[tokio::test(flavor = "multi_thread")]
async fn nobody_looks_with_the_eyes_of_a_role_that_they_do_not_have() {
    let house = House::open(vec![keyed("Staffed")]).await;
    let (_, mut people) = people(&house).await;
    let cup = json!({ "conditions": DUEL.replace("2026-01-10", "2099-01-10") });
    for person in &people {
        let opened = person.client.post("/api/v1/tournaments", &cup).await.unwrap();
        assert_eq!(opened.is_good(), person.role == Role::Director, "{opened:?}");
    }
    for person in &mut people {
        for (word, whose) in EYES {
            let may = whose.is_none_or(|role| role == person.role);
            for (kind, id) in [("table", "t1"), ("tournament", "e1")] {
                for path in [format!("{kind}s/{id}"), format!("{kind}s/{id}/events")] {
                    let reply =
                        person.client.get(&format!("/api/v1/{path}?as={word}")).await.unwrap();
                    let told = format!("{} as {word}: {path}: {reply:?}", person.role);
                    assert_eq!((reply.is_good(), reply.status == 403), (may, !may), "{told}");
                }
                let mut socket = person.client.socket(&[]).await.unwrap();
                let subscribe = json!({ "do": "subscribe", kind: id, "as": word });
                socket.send(&subscribe).await.unwrap();
                let told = socket.next().await.unwrap().unwrap();
                let expected = if may { "view" } else { "problem" };
                assert_eq!(told["kind"], expected, "{} as {word}: {told}", person.role);
            }
        }
    }
    house.close().await;
}

/// A line with its numbers and cards left out: what is said in the same form is tried once.
fn form_of(line: &str) -> String {
    let word = |word: &str| {
        if word.contains(|c: char| c.is_ascii_digit()) { "#".into() } else { word.to_owned() }
    };
    line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// Every form of a line that stands in a transcript of the five books.
fn lines_of_transcripts() -> std::collections::BTreeMap<String, String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let books = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut lines = std::collections::BTreeMap::new();
    for book in books.filter(|path| path.is_dir()) {
        for file in std::fs::read_dir(book).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            lines.extend(text.lines().map(|line| (form_of(line), line.trim().to_owned())));
        }
    }
    lines
}

/// Whatever can be said in a transcript can be sent as text by a role that may say it: it is read,
/// and the table or the event answers.
#[tokio::test(flavor = "multi_thread")]
async fn every_line_of_the_language_can_be_sent_as_text() {
    use transcript::{Said, SaidInTournament, understand, understand_in_tournament};
    let house = House::open(vec![keyed("Staffed")]).await;
    let (_, people) = people(&house).await;
    let client = |role: Role| &people.iter().find(|one| one.role == role).unwrap().client;
    let cup = json!({ "conditions": DUEL.replace("2026-01-10", "2099-01-10") });
    assert!(client(Role::Director).post("/api/v1/tournaments", &cup).await.unwrap().is_good());
    let mut sent = 0;
    for line in lines_of_transcripts().into_values() {
        let said = match (understand(&line), understand_in_tournament(&line)) {
            (Ok(Said::Act(by, _)), _) => Some((by.role, "tables/t1/try")),
            (_, Ok(SaidInTournament::Act(by, _))) => Some((by.role, "tournaments/e1/orders")),
            _ => None,
        };
        // The clock is the floor's own, and what opens something has a request of its own.
        let Some((role, path)) = said.filter(|(role, _)| *role != Role::Clock) else { continue };
        // Players without an account speak through the dealer.
        let speaks = match role {
            Role::Player | Role::Players | Role::Device => Role::Dealer,
            role => role,
        };
        let mut body = json!({ "line": line });
        if path.ends_with("orders") {
            body["key"] = json!(format!("l{sent}"));
        }
        let path = format!("/api/v1/{path}");
        let reply = client(speaks).post(&path, &body).await.unwrap();
        let is_read = reply.is_good() || [403, 409, 422].contains(&reply.status);
        assert!(is_read, "{speaks}: {line}: {reply:?}");
        sent += 1;
    }
    assert!(sent > 300, "only {sent} lines were sent");
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
    assert_eq!(dee.say("t1", "d2", "dealer calls no more bets").await.unwrap().status, 401);
    let again = json!({ "name": "Dee", "password": "Dee has one" });
    let again = house.client().post("/api/v1/session", &again).await.unwrap();
    let dee = house.client().with_token(again.body["token"].as_str().unwrap());
    assert_eq!(dee.say("t1", "d3", "dealer calls no more bets").await.unwrap().status, 403);
    let own = json!({ "role": "operator" });
    assert_eq!(olga.post("/api/v1/accounts/Olga/dismiss", &own).await.unwrap().status, 403);
    house.close().await;
}
