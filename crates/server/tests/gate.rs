//! Connections: who is let in, how long anybody is waited for, and what a browser sends.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use house::{House, code, quick, until};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::json;

/// The first bytes of what comes until the connection is closed; at most so long.
fn answer(stream: &mut TcpStream) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => bytes.extend_from_slice(&buffer[..n]),
            Err(fault) if fault.kind() == std::io::ErrorKind::ConnectionReset => break,
            Err(fault) => panic!("nobody hangs up: {fault}"),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn connect(house: &House) -> TcpStream {
    TcpStream::connect(house.address.split_once("://").unwrap().1).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sends_no_request_in_time_is_hung_up_on() {
    let mut config = house::config(Vec::new());
    config.request_seconds = 1;
    let house = House::with(config).await;
    for (sent, told) in [
        ("", ""),
        ("PRI * HTTP/2.0\r\n", ""),
        ("GET /health HTTP/1.1\r\nhost: x\r\nx: ", ""),
        (
            "POST /api/v1/guests HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: \
             application/json\r\ncontent-length: 30\r\n\r\n{\"name\"",
            "HTTP/1.1 408",
        ),
    ] {
        let mut stream = connect(&house);
        stream.write_all(sent.as_bytes()).unwrap();
        let answer = tokio::task::spawn_blocking(move || answer(&mut stream)).await.unwrap();
        assert!(answer.starts_with(told), "{sent}: {answer}");
        assert_eq!(answer.contains("too-slow"), !told.is_empty(), "{sent}: {answer}");
    }
    house.close().await;
}

/// Whoever asks for much and reads nothing holds neither a connection nor memory for long.
#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_an_answer_in_time_is_hung_up_on() {
    const ASKED: usize = 2000;
    let mut config = house::config(Vec::new());
    config.request_seconds = 1;
    let house = House::with(config).await;
    let mut stream = connect(&house);
    let requests = "GET /api/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(ASKED);
    let answered = tokio::task::spawn_blocking(move || {
        stream.write_all(requests.as_bytes()).unwrap();
        // Longer than anybody is waited for.
        std::thread::sleep(Duration::from_secs(4));
        answer(&mut stream).matches("HTTP/1.1 200").count()
    });
    let answered = answered.await.unwrap();
    assert!(answered > 0 && answered < ASKED, "{answered} of {ASKED}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_of_one_address_and_of_all_are_bounded() {
    for (all, each) in [(1, 500), (500, 1)] {
        let mut config = house::config(Vec::new());
        (config.most_sockets, config.sockets_per_address) = (all, each);
        let house = House::with(config).await;
        // An answer tells that they were let in.
        let mut kept = [connect(&house), connect(&house)];
        for stream in &mut kept {
            stream.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
            assert_ne!(stream.read(&mut [0; 16]).unwrap(), 0);
        }
        let mut third = connect(&house);
        // The server lets it go at once, although a request would have 20 seconds to come.
        third.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let read = tokio::task::spawn_blocking(move || third.read(&mut [0; 1])).await.unwrap();
        let fault = read.as_ref().map_err(std::io::Error::kind);
        assert!(matches!(fault, Ok(0) | Err(std::io::ErrorKind::ConnectionReset)), "{read:?}");
        drop(kept);
        until("there is room again", || async {
            house.client().get("/health").await.is_ok_and(|reply| reply.is_good())
        })
        .await;
        house.close().await;
    }
}

/// The head of an answer and its body.
async fn raw(house: &House, line: &str, headers: &str) -> (String, String) {
    let mut stream = connect(house);
    let request =
        format!("{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let answer = tokio::task::spawn_blocking(move || answer(&mut stream)).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_ascii_lowercase(), body.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_tells_browsers_what_they_may_do_with_it() {
    let house = House::open(Vec::new()).await;
    for path in [
        "/",
        "/text",
        "/table/t1",
        "/no.js",
        "/style.css",
        "/link.js",
        "/api",
        "/api/nothing",
        "/api/openapi.json",
        "/api/v1/books",
        "/api/v1/me",
        "/api/v1/nothing",
        "/health",
        "/ready",
        "/metrics",
    ] {
        let (head, _) = raw(&house, &format!("GET {path}"), "").await;
        for said in [
            "content-security-policy: default-src 'self'; object-src 'none'; \
             frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
        ] {
            assert!(head.contains(said), "{path} lacks {said}: {head}");
        }
        let cache = head.lines().find_map(|line| line.strip_prefix("cache-control: "));
        assert!(matches!(cache, Some("no-store" | "no-cache")), "{path}: {cache:?}");
        let kind = head.lines().find_map(|line| line.strip_prefix("content-type: "));
        let kind = kind.unwrap_or_else(|| panic!("{path} says no type: {head}"));
        assert!(kind.contains("json") || kind.contains("charset=utf-8"), "{path}: {kind}");
        assert!(!head.contains("access-control-"), "{path}: {head}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_method_is_answered_that_is_not_meant() {
    let house = House::open(Vec::new()).await;
    for path in ["/", "/table/t1", "/icon.svg", "/api", "/api/v1/books", "/metrics"] {
        for method in ["TRACE", "TRACK", "PUT", "DELETE", "PATCH", "POST"] {
            let (head, body) = raw(&house, &format!("{method} {path}"), "x: secret\r\n").await;
            assert!(head.starts_with("http/1.1 405"), "{method} {path}: {head}");
            assert!(body.contains("wrong-method") && !body.contains("secret"), "{body}");
        }
        let (head, body) = raw(&house, &format!("HEAD {path}"), "").await;
        assert!(!head.starts_with("http/1.1 405") && body.is_empty(), "{path}: {head} {body}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_counted_is_for_this_machine_and_who_is_named() {
    let mut config = house::config(Vec::new());
    config.trusted = vec!["127.0.0.1".parse().unwrap()];
    config.metrics_for = vec!["192.0.2.7".parse().unwrap()];
    let house = House::with(config).await;
    for (sender, status) in [("", 200), ("192.0.2.7", 200), ("192.0.2.8", 403), ("::1", 200)] {
        let header = format!("x-forwarded-for: {sender}\r\n");
        let header = if sender.is_empty() { "" } else { header.as_str() };
        let (head, body) = raw(&house, "GET /metrics", header).await;
        assert!(head.starts_with(&format!("http/1.1 {status}")), "{sender}: {head}");
        let told = if status == 200 { "sabot_requests_total" } else { "metrics_for" };
        assert!(body.contains(told), "{sender}: {body}");
    }
    house.close().await;
}

/// What somebody writes into the header stands before the proxy's own word.
#[tokio::test(flavor = "multi_thread")]
async fn the_last_word_on_the_sender_is_the_proxys() {
    let mut config = house::config(Vec::new());
    (config.guests_per_hour, config.trusted) = (1, vec!["127.0.0.1".parse().unwrap()]);
    let house = House::with(config).await;
    let mut told = Vec::new();
    for own in ["192.0.2.1", "192.0.2.2", "192.0.2.3, 192.0.2.4"] {
        let headers = [
            ("x-forwarded-for", own),
            ("x-forwarded-for", "192.0.2.9, 198.51.100.7"),
            ("content-type", "application/json"),
        ];
        let path = ("POST", "/api/v1/guests");
        let reply = house.client().request(path, &headers, b"{}".to_vec()).await.unwrap();
        told.push(reply.status);
    }
    assert_eq!(told, [200, 429, 429]);
    house.close().await;
}

/// A table at which something happens all the time: nobody who looks at it is kept for ever.
#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_nobody_looks_at_any_more_is_not_watched() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let ann = house.guest("Ann").await;
    assert!(ann.say("t1", "1", "sits at 1 with 500").await.unwrap().is_good());
    let watched = || async {
        let page = house.client().get("/metrics").await.unwrap().body;
        let page = page.as_str().unwrap().to_owned();
        page.lines().find_map(|line| line.strip_prefix("sabot_watched ")?.parse::<u32>().ok())
    };
    let mut socket = house.client().socket(&[]).await.unwrap();
    socket.send(&json!({ "do": "subscribe", "table": "t1" })).await.unwrap();
    assert!(socket.next().await.unwrap().is_some());
    assert_eq!(watched().await, Some(1));
    drop(socket);
    // A wager now and then keeps the table busy: it is never quiet for five seconds.
    let mut key = 10;
    let mut over = false;
    for _ in 0..40 {
        key += 1;
        let _ = ann.say("t1", &key.to_string(), "bets 5 on banker").await.unwrap();
        tokio::time::sleep(Duration::from_millis(250)).await;
        over = watched().await == Some(0);
        if over {
            break;
        }
    }
    assert!(over, "it is watched for nobody");
    house.close().await;
}

/// Sends a request over TLS as a browser would, and gives the protocol and the answer.
fn ask_by_tls(tls: &Arc<ClientConfig>, address: &str, request: &str) -> (Vec<u8>, String) {
    let stream = TcpStream::connect(address).unwrap();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let connection = ClientConnection::new(tls.clone(), name).unwrap();
    let mut stream = StreamOwned::new(connection, stream);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let protocol = stream.conn.alpn_protocol().unwrap_or_default().to_vec();
    (protocol, String::from_utf8_lossy(&answer).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_plays_over_tls_with_the_safe_cookie_alone() {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".into()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let paths = ["certificate.pem", "key.pem"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], made.cert.pem()).unwrap();
    std::fs::write(&paths[1], made.signing_key.serialize_pem()).unwrap();
    let mut config = house::config(vec![quick("One", "operator opens act-2018")]);
    config.tls = Some(paths.into());
    let house = House::in_folder(folder, config).await;
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider);
    let tls = tls.with_safe_default_protocol_versions().unwrap();
    let mut tls = tls.with_root_certificates(roots).with_no_client_auth();
    // As browsers do: the server chooses.
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let (tls, address) = (Arc::new(tls), house.address.split_once("://").unwrap().1.to_owned());
    let post = |path: &str, origin: &str, cookie: &str, body: &str| {
        let request = format!(
            "POST /api/v1{path} HTTP/1.1\r\nhost: {address}\r\norigin: {origin}\r\n\
             sec-fetch-site: same-origin\r\ncookie: {cookie}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let (tls, address) = (tls.clone(), address.clone());
        async move {
            let ask = move || ask_by_tls(&tls, &address, &request);
            tokio::task::spawn_blocking(ask).await.unwrap()
        }
    };
    let own = format!("https://{address}");
    let (protocol, entered) = post("/guests", &own, "", "{}").await;
    assert_eq!(protocol, b"http/1.1");
    let cookie = entered.split_once("set-cookie: ").unwrap().1;
    let cookie = cookie.split(';').next().unwrap();
    let token = cookie.strip_prefix("__Host-sabot=").unwrap();
    assert!(entered.contains("strict-transport-security: max-age="), "{entered}");
    let order = r#"{"key":"1","line":"sits at 1 with 100"}"#;
    let path = "/tables/t1/orders";
    let (_, told) = post(path, &format!("http://{address}"), cookie, order).await;
    assert!(told.starts_with("HTTP/1.1 403"), "a page without TLS is not ours: {told}");
    let (_, told) = post(path, "https://evil.example", cookie, order).await;
    assert!(told.starts_with("HTTP/1.1 403"), "{told}");
    let (_, told) = post(path, &own, &format!("sabot={token}"), order).await;
    assert!(told.starts_with("HTTP/1.1 401"), "a cookie that anybody could have set: {told}");
    let both = format!("sabot=planted; {cookie}");
    let (_, told) = post(path, &own, &both, order).await;
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_may_stand_in_the_address_and_the_safe_cookie_needs_tls() {
    let house = House::open(vec![quick("One", "operator opens act-2018")]).await;
    let ann = house.guest("Ann").await;
    let (own, token) = (&house.address, ann.token().unwrap());
    for (cookie, origin, wanted) in [
        ("sabot", own.as_str(), "HTTP/1.1 200"),
        ("sabot", "http://evil.example", "HTTP/1.1 403"),
        ("__Host-sabot", own.as_str(), "HTTP/1.1 401"),
    ] {
        let body = r#"{"key":"1","line":"sits at 1 with 100"}"#;
        let request = format!(
            "POST {own}/api/v1/tables/t1/orders HTTP/1.1\r\norigin: {origin}\r\n\
             sec-fetch-site: same-origin\r\ncookie: {cookie}={token}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = connect(&house);
        stream.write_all(request.as_bytes()).unwrap();
        let told = tokio::task::spawn_blocking(move || answer(&mut stream)).await.unwrap();
        assert!(told.starts_with(wanted), "{cookie} {origin}: {told}");
    }
    house.close().await;
}

/// Somebody else's name that leads here would make that site's pages those of this server.
#[tokio::test(flavor = "multi_thread")]
async fn only_names_of_this_server_are_answered() {
    for public_url in [None, Some("http://tables.example.org:8080")] {
        let mut config = house::config(Vec::new());
        (config.public_url, config.origins) =
            (public_url.map(str::to_owned), vec!["http://cards.example.org".into()]);
        let house = House::with(config).await;
        let port = house.address.rsplit_once(':').unwrap().1;
        let is_known = public_url.is_some();
        for (host, is_ours) in [
            (format!("127.0.0.1:{port}"), true),
            ("LOCALHOST".to_owned(), true),
            (format!("[::1]:{port}"), true),
            ("cards.example.org:99".to_owned(), true),
            ("tables.example.org".to_owned(), is_known),
            ("evil.example".to_owned(), false),
            ("localhost.evil.example".to_owned(), false),
            ("192.0.2.1".to_owned(), false),
            ("a b".to_owned(), false),
        ] {
            for (path, wanted) in [("/api/v1/house", is_ours), ("/health", true)] {
                let mut stream = connect(&house);
                let request = format!(
                    "GET {path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n\
                     connection: close\r\n\r\n"
                );
                stream.write_all(request.as_bytes()).unwrap();
                let told = tokio::task::spawn_blocking(move || answer(&mut stream)).await.unwrap();
                let status = if wanted { "HTTP/1.1 200" } else { "HTTP/1.1 421" };
                assert!(told.starts_with(status), "{host} {path}: {told}");
                assert_eq!(told.contains("`public_url` or `origins`"), !wanted, "{told}");
                assert!(!told.contains("strict-transport-security"), "there is no TLS: {told}");
            }
        }
        house.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_to_be_judged_has_bounds() {
    let house = House::open(Vec::new()).await;
    let judge = |text: String| {
        let client = house.client();
        async move { client.request(("POST", "/api/v1/judge"), &[], text.into_bytes()).await }
    };
    let long = judge("#\n".repeat(5_001)).await.unwrap();
    assert_eq!((long.status, code(&long.body)), (413, "too-large"));
    assert!(long.body["instead"].as_str().unwrap().contains("5000 lines"), "{long:?}");
    let sheets = "+lucky-6".repeat(50_000);
    let twice = judge(format!("operator opens act-2018{sheets}\n")).await.unwrap();
    assert_eq!(twice.status, 200);
    assert_eq!(twice.body["passed"], false);
    let failure = twice.body["lines"][0].to_string();
    assert!(
        failure.contains("each sheet of side bets once"),
        "{}",
        &failure[failure.len() - 400..]
    );
    let odds = house.client().get("/api/v1/odds?book=act-2018%2Blucky-6%2Blucky-6").await.unwrap();
    assert_eq!(odds.status, 400, "{odds:?}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_cannot_be_gone_on_with_is_an_alarm() {
    let house = House::open(Vec::new()).await;
    let (folder, _) = house.close().await;
    let floor = folder.path().join("floor");
    let (log, key) = (floor.join("floor.sabot"), floor.join("key"));
    let log = store::Store::open_with(&log, &key, store::Begin::Either).await.unwrap();
    // No table begins with what an account does.
    let body = store::Body::Account(store::AccountFact::SignedUp);
    let entries = vec![store::Entry { at: store::now(), body }];
    let payload = shoe::Digest::of(&[b"odd"]);
    let command = store::CommandKey { actor: "test".into(), key: "odd".into(), payload };
    let parts = vec![store::StreamEntries { stream: "t1".into(), expected: 0, entries }];
    log.append(store::Append { command, parts, with: Vec::new() }).await.unwrap();
    log.close().await;
    let house = House::in_folder(folder, house::config(Vec::new())).await;
    let page = house.client().get("/metrics").await.unwrap().body;
    assert!(page.as_str().unwrap().contains("\nsabot_alarms 1\n"), "{page}");
    house.close().await;
}
