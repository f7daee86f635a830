//! Whoever means harm: malformed, oversized and endless messages, amounts at the edges, other
//! people's things; and a thief who reads what lies about.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;
#[path = "hostile/thief.rs"]
mod thief;

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use house::{House, keyed, quick};
use serde_json::{Value, json};
use server::client::Socket;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// The next answer that is no update.
async fn answer(socket: &mut Socket) -> Option<Value> {
    loop {
        let next = tokio::time::timeout(Duration::from_secs(20), socket.next());
        match next.await.expect("an answer comes") {
            Ok(Some(message)) if message["kind"] == "update" => {}
            Ok(other) => return other,
            Err(_) => return None,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_bad_message_is_told_what_would_do() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let ann = house.guest("Ann").await;
    let mut socket = ann.socket(&[]).await.unwrap();
    let order =
        |line: &str| json!({ "do": "order", "table": "t1", "key": "k", "line": line }).to_string();
    let bad = [
        String::new(),
        "null".into(),
        "[]".into(),
        "{}".into(),
        "{\"do\":\"dance\"}".into(),
        "{\"do\":\"subscribe\"}".into(),
        "{\"do\":\"subscribe\",\"table\":7}".into(),
        "{\"do\":\"subscribe\",\"table\":\"t9\"}".into(),
        "{\"do\":\"subscribe\",\"table\":\"t1\",\"as\":\"dealer\"}".into(),
        "{\"do\":\"subscribe\",\"table\":\"t1\",\"as\":\"pope\"}".into(),
        "{\"do\":\"subscribe\",\"table\":\"t1\",\"after\":-1}".into(),
        "[".repeat(20_000),
        format!("{{\"do\":\"subscribe\",\"table\":\"{}\"}}", "x".repeat(40_000)),
        order("bets 50 on banker"),
        order("bets 0 on banker"),
        order("bets -5 on banker"),
        order("bets 9007199254740993 on banker"),
        order("bets 18446744073709551616 on banker"),
        order("bets 99999999999999999999999999999999 on banker"),
        order("bets NaN on banker"),
        order("sits at 4294967296 with 100"),
        order("sits at 1 with 90071992547409.93"),
        order("\u{202e}sits at 1 with 100"),
        order("sits at 1 with 100\nleaves"),
        order(&"bets ".repeat(10_000)),
        json!({ "do": "order", "table": "t1", "key": "", "line": "leaves" }).to_string(),
        json!({ "do": "order", "table": "t1", "key": "x".repeat(65), "line": "leaves" })
            .to_string(),
        json!({ "do": "order", "table": "t1", "key": "k2" }).to_string(),
        json!({ "do": "order", "table": "t1", "key": "k3", "act": { "player": ["Bo", "leave"] } })
            .to_string(),
        json!({ "do": "order", "table": "t1", "key": "k4", "act": [[[]]] }).to_string(),
    ];
    for message in &bad {
        socket.send_text(message).await.unwrap();
        let told = answer(&mut socket).await.unwrap();
        let shown: String = message.chars().take(80).collect();
        assert_eq!(told["kind"], "problem", "{shown}: {told}");
        let problem = &told["problem"];
        assert!((400..500).contains(&problem["status"].as_u64().unwrap()), "{shown}: {told}");
        assert!(!problem["instead"].as_str().unwrap().is_empty(), "{shown}: {told}");
    }
    socket.send_bytes(vec![0xff; 100]).await.unwrap();
    assert_eq!(answer(&mut socket).await.unwrap()["kind"], "problem");
    // The socket still works, and one that sends too much at once is closed.
    socket.send(&json!({ "do": "ping" })).await.unwrap();
    assert_eq!(answer(&mut socket).await.unwrap()["kind"], "pong");
    let _ = socket.send_text(&"x".repeat(1 << 20)).await;
    assert!(answer(&mut socket).await.is_none(), "an oversized message ends the socket");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_are_problems_and_never_failures() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let ann = house.guest("Ann").await;
    let json = ("content-type", "application/json");
    let path = "/api/v1/tables/t1/orders";
    let huge = vec![b'x'; 200 << 10];
    for (request, headers, body) in [
        (("POST", path), vec![json], b"{".to_vec()),
        (("POST", path), vec![json], b"{\"key\":1}".to_vec()),
        (("POST", path), vec![], b"{\"key\":\"1\"}".to_vec()),
        (("POST", path), vec![json], huge),
        (("PUT", path), vec![json], Vec::new()),
        (("DELETE", path), vec![], Vec::new()),
        (("GET", "/api/v1/nothing"), vec![], Vec::new()),
        (("GET", "/api/v1/tables/%ff%fe"), vec![], Vec::new()),
        (("GET", "/api/v1/tables/t1?as=%00"), vec![], Vec::new()),
        (("GET", "/api/v1/tables/t1/events?after=abc"), vec![], Vec::new()),
        (("GET", "/api/v1/odds"), vec![], Vec::new()),
        (("GET", "/api/v1/odds?book=/etc"), vec![], Vec::new()),
        (("GET", "/api/v1/odds?book=act-2018&decks=9999"), vec![], Vec::new()),
        (("GET", "/api/v1/books/..%2f..%2fetc"), vec![], Vec::new()),
        (("POST", "/api/v1/judge"), vec![], vec![0xff, 0xfe]),
        (("POST", "/api/v1/guests"), vec![json], b"{\"name\":\"\\u0000\"}".to_vec()),
        (("POST", "/api/v1/guests"), vec![json], b"{\"name\":\"Ann\"}".to_vec()),
        (("POST", "/api/v1/links/x"), vec![json], b"{\"password\":\"long enough\"}".to_vec()),
        (
            ("POST", "/api/v1/tables/t1/shoe/word"),
            vec![json],
            b"{\"which\":\"third\",\"word\":\"\"}".to_vec(),
        ),
    ] {
        let reply = ann.request(request, &headers, body).await.unwrap();
        assert!((400..500).contains(&reply.status), "{request:?} {reply:?}");
        assert!(
            !reply.body["instead"].as_str().unwrap_or_default().is_empty(),
            "{request:?} {reply:?}"
        );
    }
    assert!(house.client().get("/ready").await.unwrap().is_good());
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_too_often_waits_and_others_do_not() {
    let mut config = house::config(vec![quick("One", "operator opens act-2018")]);
    (config.requests_per_second, config.guests_per_hour, config.sockets_per_address) = (5, 3, 8);
    let house = House::with(config).await;
    let (ann, bo) = (house.guest("Ann").await, house.guest("Bo").await);
    let _third = house.guest("Cy").await;
    let fourth = house.client().guest(Some("Di")).await;
    assert!(fourth.unwrap_err().to_string().contains("too many guests"));
    let mut refused = None;
    for _ in 0..60 {
        let reply = ann.get("/api/v1/me").await.unwrap();
        if reply.status == 429 {
            refused = Some(reply);
            break;
        }
    }
    let refused = refused.unwrap();
    assert!(refused.body["retry_after"].as_u64().unwrap() >= 1);
    assert!(bo.get("/api/v1/me").await.unwrap().is_good(), "others are not kept waiting");
    let mut open = Vec::new();
    for _ in 0..8 {
        open.push(bo.socket(&[]).await.unwrap());
    }
    assert!(bo.socket(&[]).await.is_err(), "a ninth socket of one address");
    // A flood on one socket is slowed down, and told so.
    for _ in 0..200 {
        open[0].send(&json!({ "do": "ping" })).await.unwrap();
    }
    let mut told = None;
    for _ in 0..100 {
        let message = answer(&mut open[0]).await.unwrap();
        if message["kind"] == "problem" {
            told = Some(message);
            break;
        }
    }
    assert_eq!(told.unwrap()["problem"]["code"], "too-many");
    house.close().await;
}

/// Whoever opens account after account from one address gets no more than a household does.
#[tokio::test(flavor = "multi_thread")]
async fn guests_of_one_address_count_together_and_staff_do_not() {
    let mut config = house::config(vec![quick("One", "operator opens act-2018")]);
    config.requests_per_second = 5;
    let house = House::with(config).await;
    let olga = house.operator("Olga").await;
    let mut guests = Vec::new();
    for number in 0..8 {
        guests.push(house.guest(&format!("Ann-{number}")).await);
    }
    let mut good = 0;
    for _ in 0..20 {
        for guest in &guests {
            good += u32::from(guest.get("/api/v1/me").await.unwrap().is_good());
        }
    }
    // Twenty at once for each of them would be 160; a second may have gone by meanwhile.
    assert!((80..130).contains(&good), "{good}");
    assert!(olga.get("/api/v1/me").await.unwrap().is_good(), "the house goes on");
    house.close().await;
}

/// A long past is paid for, and told in messages of a bounded length.
#[tokio::test(flavor = "multi_thread")]
async fn who_asks_for_much_of_the_past_pays_more() {
    let mut config = house::config(vec![keyed("One")]);
    let house = House::with(config.clone()).await;
    let olga = house.operator("Olga").await;
    for number in 0..450 {
        let line = format!("operator posts main 5..{}", 501 + number);
        let posted = olga.say("t1", &format!("p{number}"), &line).await.unwrap();
        assert!(posted.is_good(), "{posted:?}");
    }
    let (folder, _) = house.close().await;
    config.requests_per_second = 2;
    let house = House::in_folder(folder, config).await;
    let olga = house.client().with_token(olga.token().unwrap());
    let mut pages = Vec::new();
    for _ in 0..4 {
        pages.push(olga.get("/api/v1/tables/t1/events?after=0&as=spectator").await.unwrap());
    }
    // Eight at once, and a page of more than 800 records costs five.
    assert!(pages[0].is_good(), "{:?}", pages[0]);
    assert_eq!(pages[3].status, 429, "{:?}", pages[3]);
    let mut socket = house.client().socket(&[]).await.unwrap();
    let subscribe = json!({ "do": "subscribe", "table": "t1", "after": 1 });
    socket.send(&subscribe).await.unwrap();
    let (mut versions, mut gaps) = (Vec::new(), 0);
    let view = loop {
        let message = socket.next().await.unwrap().unwrap();
        if message["kind"] == "view" {
            break message;
        }
        assert_eq!(message["kind"], "gap", "{message}");
        let events = message["events"].as_array().unwrap();
        assert!(events.len() <= 256, "{}", events.len());
        versions.extend(events.iter().map(|event| event["version"].as_u64().unwrap()));
        gaps += 1;
    };
    assert!(gaps > 1 && versions.len() >= 450, "{gaps} with {}", versions.len());
    assert!(versions.is_sorted() && versions.last().copied() <= view["version"].as_u64());
    // Who asks for all of it again at once is given the view alone, or told to wait.
    socket.send(&subscribe).await.unwrap();
    let message = socket.next().await.unwrap().unwrap();
    assert!(message["kind"] != "gap", "{message}");
    house.close().await;
}

/// Pings are messages: they are counted, and heard more slowly by and by.
#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_pings_is_slowed_down() {
    let mut config = house::config(vec![quick("One", "operator opens act-2018")]);
    config.requests_per_second = 5;
    let house = House::with(config).await;
    let ann = house.guest("Ann").await;
    let mut socket = ann.socket(&[]).await.unwrap();
    let asked = std::time::Instant::now();
    for _ in 0..40 {
        socket.ping().await.unwrap();
    }
    socket.send(&json!({ "do": "ping" })).await.unwrap();
    assert!(socket.next().await.unwrap().is_some());
    assert!(asked.elapsed() > Duration::from_secs(1), "{:?}", asked.elapsed());
    house.close().await;
}

/// Somebody who follows a table, asks for its past again and again and reads nothing: nobody waits
/// for them, and what they read in the end is the table as it is, not every step to it.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_who_falls_behind_is_given_the_table_as_it_is() {
    const POSTS: u64 = 150;
    let house = House::with(house::config(vec![keyed("One")])).await;
    let olga = house.operator("Olga").await;
    let post = async |number: u64| {
        let line = format!("operator posts main 5..{}", 501 + number);
        let posted = olga.say("t1", &format!("p{number}"), &line).await.unwrap();
        assert!(posted.is_good(), "{posted:?}");
    };
    for number in 0..POSTS {
        post(number).await;
    }
    let mut swift = house.guest("Swift").await.socket(&[]).await.unwrap();
    swift.send(&json!({ "do": "subscribe", "table": "t1" })).await.unwrap();
    let seen = swift.next().await.unwrap().unwrap()["version"].as_u64().unwrap();
    let mut slow = narrow_socket(&house.address).await;
    let since = json!({ "do": "subscribe", "table": "t1", "after": 1 }).to_string();
    for _ in 0..100 {
        slow.send(Message::text(since.clone())).await.unwrap();
    }
    let mut versions = vec![seen];
    for number in POSTS..2 * POSTS {
        post(number).await;
        let update = swift.next().await.unwrap().unwrap();
        assert_eq!(update["kind"], "update", "{update}");
        versions.push(update["version"].as_u64().unwrap());
    }
    assert!(versions.is_sorted_by(|before, after| before < after), "who reads misses nothing");
    let newest = *versions.last().unwrap();
    let (mut last, mut updates) = (0, 0);
    while last < newest {
        let next = tokio::time::timeout(Duration::from_secs(20), slow.next());
        let message = next.await.expect("something comes").unwrap().unwrap();
        // Pings of the server are no news.
        let Message::Text(message) = message else { continue };
        let message: Value = serde_json::from_str(&message).unwrap();
        last = message["version"].as_u64().unwrap();
        updates += u64::from(message["kind"] == "update");
    }
    assert!(updates < POSTS, "{updates} updates were kept for who did not read");
    let metrics = house.client().get("/metrics").await.unwrap().body;
    assert!(!metrics.as_str().unwrap().contains("\nsabot_resynchronised_total 0"), "{metrics}");
    house.close().await;
}

/// A socket into which little goes before it is read.
async fn narrow_socket(address: &str) -> WebSocketStream<TcpStream> {
    let address = address.strip_prefix("http://").unwrap();
    let narrow = TcpSocket::new_v4().unwrap();
    narrow.set_recv_buffer_size(2048).unwrap();
    let stream = narrow.connect(address.parse().unwrap()).await.unwrap();
    let url = format!("ws://{address}/api/v1/socket");
    tokio_tungstenite::client_async(url, stream).await.unwrap().0
}
