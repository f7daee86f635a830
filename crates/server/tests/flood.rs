//! A flood: a million messages of people who mean harm, on sockets that never rest. It is a program
//! of its own, since what it measures is the memory of a process that does nothing else.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use house::{House, config, quick};
use serde_json::{Value, json};
use server::client::Client;
use tokio::task::JoinSet;

const SOCKETS: u64 = 8;
/// Messages of all together.
const MESSAGES: u64 = 1_000_000;
/// Messages whose answers a sender waits for before it goes on.
const AT_ONCE: u64 = 50;

/// Lines that can be read and reach the table: amounts at the edges of 64 bits, out of phase, what
/// is somebody else's.
const LINES: [&str; 8] = [
    "bets 18446744073709551615 on banker",
    "bets 184467440737095516.15 on player",
    "bets 0.01 on tie",
    "bets 10 on banker",
    "cuts 200",
    "leaves",
    "Victor bets 10 on player",
    "dealer deals ?? ?? ?? ??",
];

/// The memory of this process, in MiB; nothing where the system does not tell.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib / 1024)
}

/// Malformed, out of phase, of other people, at the edges of numbers.
fn message(number: u64) -> String {
    let order = |line: &str| {
        json!({ "do": "order", "table": "t1", "key": number.to_string(), "line": line }).to_string()
    };
    match number % 8 {
        0 => "{\"do\":\"ping\"}".into(),
        1 => "{\"do\":".into(),
        2 => "{\"do\":\"subscribe\",\"table\":\"t77\"}".into(),
        3 => "{\"do\":\"subscribe\",\"table\":\"t1\",\"as\":\"supervisor\"}".into(),
        4 => "{\"do\":\"order\",\"table\":\"t1\",\"key\":\"\",\"line\":\"leaves\"}".into(),
        5 => "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[".into(),
        // What reaches the table costs more than what no form lets through.
        6 if (number / 8).is_multiple_of(8) => order(LINES[(number / 64) as usize % LINES.len()]),
        _ => "{\"do\":\"unsubscribe\",\"table\":\"t1\"}".into(),
    }
}

/// Sends a part of the flood, and hears every answer.
async fn flood(client: Client, from: u64, failures: Arc<AtomicU64>) -> (u64, u64) {
    let mut socket = client.socket(&[]).await.unwrap();
    let (mut heard, mut by_table) = (0, 0);
    for burst in 0..MESSAGES / SOCKETS / AT_ONCE {
        for number in 0..AT_ONCE {
            socket.send_text(&message(from + burst * AT_ONCE + number)).await.unwrap();
        }
        for _ in 0..AT_ONCE {
            let answer = socket.next().await.unwrap().expect("the socket stays open");
            let problem = &answer["problem"];
            let known = ["pong", "problem", "unsubscribed"];
            let kind = answer["kind"].as_str().unwrap_or_default();
            let is_refused = problem["status"].as_u64().is_none_or(|status| status < 500);
            if !known.contains(&kind) || !is_refused || *problem == json!({}) {
                failures.fetch_add(1, Ordering::Relaxed);
            }
            if *problem != Value::Null && problem["instead"].as_str().is_none_or(str::is_empty) {
                failures.fetch_add(1, Ordering::Relaxed);
            }
            heard += 1;
            by_table += u64::from(answer["key"].as_str().is_some_and(|key| !key.is_empty()));
        }
    }
    (heard, by_table)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_million_messages_are_answered_and_leave_nothing_behind() {
    let mut config = config(vec![quick("One", "operator opens act-2018")]);
    config.requests_per_second = 1_000_000;
    let house = House::with(config).await;
    let failures = Arc::new(AtomicU64::new(0));
    let (mut warm, mut by_table) = (None, 0);
    for round in 0..2 {
        let mut running = JoinSet::new();
        for number in 0..SOCKETS / 2 {
            let client = house.guest(&format!("Eve-{round}-{number}")).await;
            let from = (round * SOCKETS / 2 + number) * (MESSAGES / SOCKETS);
            running.spawn(flood(client, from, failures.clone()));
        }
        let mut heard = 0;
        while let Some(one) = running.join_next().await {
            let (all, orders) = one.unwrap();
            (heard, by_table) = (heard + all, by_table + orders);
        }
        assert_eq!(heard, MESSAGES / 2);
        // The first half may take what a server needs; the second takes nothing more.
        match (warm, resident()) {
            (None, now) => warm = now,
            (Some(warm), Some(now)) => assert!(now < warm + 48, "{warm} MiB, then {now} MiB"),
            (Some(_), None) => {}
        }
    }
    assert_eq!(by_table, MESSAGES / 64, "refused by the table");
    assert_eq!(failures.load(Ordering::Relaxed), 0);
    assert!(house.client().get("/ready").await.unwrap().is_good());
    house.close().await;
}
