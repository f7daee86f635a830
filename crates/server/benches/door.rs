//! How much the door costs: acknowledged bets through HTTP against the floor's own path; how long
//! two thousand players at two hundred tables wait for an answer, against the log alone at that
//! rate; and what happens at a table to two thousand spectators against a bare broadcast of the
//! same bytes.
//!
//! Server and clients share the machine. Rates depend on it; the ratios are what to compare.

#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, Utf8Bytes, WebSocketUpgrade};
use axum::routing::get;
use live::Order;
use rules::{Cents, Spot};
use serde_json::json;
use server::Server;
use server::client::{Client, Socket};
use server::config::{Config, Source, TableConfig, pace};
use shoe::Digest;
use store::{Append, Body, CommandKey, Deals, Entry, Record, Store, StreamEntries};
use table::{Act, Bet, Deed, Name, Role};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{broadcast, oneshot};
use tokio::task::JoinSet;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TABLES: usize = 200;
const BETS: usize = 40;
const SPECTATORS: usize = 2000;
const ROUNDS: usize = 20;

fn config(folder: &std::path::Path, tables: usize) -> Config {
    let listen = toml::Table::from_iter([("listen".to_owned(), "127.0.0.1:0".into())]);
    let mut config = Config::read(&[Source::new("bench", listen)]).unwrap();
    (config.robots, config.requests_per_second, config.guests_per_hour) = (0, 1_000_000, 1_000_000);
    (config.most_sockets, config.sockets_per_address) = (10_000, 10_000);
    config.guest_chips = Cents::new(10_000_000).unwrap();
    config.data = folder.join("floor");
    config.tables = (0..tables)
        .map(|number| TableConfig {
            title: format!("T{number}"),
            opens: "operator opens act-2018".into(),
            sign: vec!["operator posts main 1..100000".into()],
            deals: Deals::Keyed,
            pace: pace("usual").unwrap(),
        })
        .collect();
    config
}

/// A connection that speaks as little HTTP as a load generator does. Clients share the machine with
/// the server, and what they spend is not the server's.
struct Plain {
    stream: TcpStream,
    head: String,
    read: Vec<u8>,
}

impl Plain {
    async fn connect(address: &str, token: &str, table: &str) -> Self {
        let host = address.trim_start_matches("http://");
        let stream = TcpStream::connect(host).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let head = format!(
            "POST /api/v1/tables/{table}/orders HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer \
             {token}\r\ncontent-type: application/json\r\ncontent-length: "
        );
        Self { stream, head, read: Vec::with_capacity(16 << 10) }
    }

    /// Says a line, and waits for the whole answer; gives its status line and its length.
    async fn say(&mut self, key: &str, line: &str) -> (String, usize) {
        let body = format!("{{\"key\":\"{key}\",\"line\":\"{line}\"}}");
        let request = format!("{}{}\r\n\r\n{body}", self.head, body.len());
        self.stream.write_all(request.as_bytes()).await.unwrap();
        self.read.clear();
        loop {
            assert!(self.stream.read_buf(&mut self.read).await.unwrap() > 0, "it hangs up");
            let Some(head) = self.read.windows(4).position(|end| end == b"\r\n\r\n") else {
                continue;
            };
            let text = std::str::from_utf8(&self.read[..head]).unwrap();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.expect("a length").parse().unwrap();
            if self.read.len() >= head + 4 + length {
                return (text.lines().next().unwrap().to_owned(), length);
            }
        }
    }
}

/// Somebody at a table who may bet.
struct Seat {
    client: Client,
    account: String,
    name: String,
    table: String,
}

/// A floor with somebody at every table.
async fn open(
    folder: &std::path::Path,
    tables: usize,
) -> (live::Floor, String, Vec<Seat>, oneshot::Sender<()>) {
    let server = Server::open(config(folder, tables)).await.unwrap();
    let (floor, address) = (server.floor().clone(), server.address());
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(server.serve(async move {
        let _ = stopped.await;
    }));
    let mut seats = Vec::new();
    for number in 0..tables {
        let (name, table) = (format!("P-{number}"), format!("t{}", number + 1));
        let client = Client::new(&address).guest(Some(&name)).await.unwrap();
        let account = floor.accounts().named(&name).unwrap();
        assert!(client.say(&table, "sit", "sits at 1 with 100000").await.unwrap().is_good());
        floor.table(&table).unwrap().act(Act::FreshShoe).await.unwrap().unwrap();
        seats.push(Seat { client, account, name, table });
    }
    (floor, address, seats, stop)
}

#[expect(clippy::cast_precision_loss, reason = "a rate")]
fn per_second(count: usize, start: Instant) -> f64 {
    count as f64 / start.elapsed().as_secs_f64()
}

fn bet(name: &str) -> Act {
    let (spot, amount) = (Spot::Player, Cents::new(100).unwrap());
    let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
    Act::Player(Name::from(name).unwrap(), Deed::Bet(bet))
}

/// Bets a second, the tables side by side: on the floor's own path, then through HTTP.
async fn bets() {
    let folder = tempfile::tempdir().unwrap();
    let (floor, address, seats, stop) = open(folder.path(), TABLES).await;
    let mut running = JoinSet::new();
    let start = Instant::now();
    for seat in &seats {
        let (handle, who) = (floor.table(&seat.table).unwrap(), seat.account.clone());
        let name = seat.name.clone();
        running.spawn(async move {
            for n in 0..BETS {
                let (who, key) = (who.clone(), format!("f{n}"));
                let order = Order { who, role: Role::Player, key, act: bet(&name) };
                handle.order(order).await.unwrap().ruled.unwrap();
            }
        });
    }
    while running.join_next().await.is_some() {}
    let own = per_second(TABLES * BETS, start);
    let first = &seats[0];
    let answer = first.client.say(&first.table, "first", "bets 1 on player").await.unwrap();
    let answer = answer.body.to_string();
    let mut clients = Vec::new();
    for seat in &seats {
        let token = seat.client.token().unwrap();
        clients.push(Plain::connect(&address, token, &seat.table).await);
    }
    let mut running = JoinSet::new();
    let start = Instant::now();
    for mut client in clients {
        running.spawn(async move {
            let mut times = Vec::new();
            for n in 0..BETS {
                let began = Instant::now();
                let (status, _) = client.say(&format!("h{n}"), "bets 1 on player").await;
                assert!(status.contains(" 200 "), "{status}");
                times.push(began.elapsed());
            }
            times
        });
    }
    let mut times = Vec::new();
    while let Some(more) = running.join_next().await {
        times.extend(more.unwrap());
    }
    let http = per_second(TABLES * BETS, start);
    times.sort();
    let at = |percent: usize| times[times.len() * percent / 100].as_secs_f64() * 1e3;
    drop(stop);
    let bare = bare_requests(&answer).await;
    // What is left if one pays for both, the clients on the same machine included.
    let both = 1.0 / (1.0 / own + 1.0 / bare);
    println!("acknowledged bets over {TABLES} tables, a second");
    println!("  the floor's own path {own:>10.0}");
    println!("  bare HTTP            {bare:>10.0}  requests of the same size, and nothing behind");
    println!("  through HTTP         {http:>10.0}  ratio {:.2} (goal at least 0.6)", http / own);
    println!("  of what floor and bare HTTP leave together: {:.2}", http / both);
    println!("  bet to answer: p50 {:.1} ms, p99 {:.1} ms", at(50), at(99));
}

/// Requests a second of as many clients to a server that only gives the same answer.
async fn bare_requests(answer: &str) -> f64 {
    let answer = answer.to_owned();
    let give = move |_: axum::body::Bytes| {
        let answer = answer.clone();
        async move { ([("content-type", "application/json")], answer) }
    };
    let router = Router::new().fallback(axum::routing::post(give));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let mut clients = Vec::new();
    for _ in 0..TABLES {
        let mut client = Plain::connect(&address, "x", "t1").await;
        client.say("warm", "bets 1 on player").await;
        clients.push(client);
    }
    let start = Instant::now();
    let mut running = JoinSet::new();
    for mut client in clients {
        running.spawn(async move {
            for n in 0..BETS {
                client.say(&format!("h{n}"), "bets 1 on player").await;
            }
        });
    }
    while running.join_next().await.is_some() {}
    per_second(TABLES * BETS, start)
}

/// Players at a table, how often each of them bets, and how many times.
const PLAYERS: usize = 10;
const EVERY: Duration = Duration::from_secs(4);
const TIMES: usize = 6;

/// Does something for each of many people at a steady rate, and gives how long each time took.
async fn steadily<F: Future<Output = ()> + Send + 'static>(
    people: usize,
    act: impl Fn(usize, usize) -> F + Clone + Send + 'static,
) -> Vec<Duration> {
    let mut running = JoinSet::new();
    let start = tokio::time::Instant::now() + Duration::from_millis(200);
    for person in 0..people {
        let act = act.clone();
        running.spawn(async move {
            let share = u32::try_from(person).unwrap_or(0);
            let own = EVERY * share / u32::try_from(people).unwrap_or(1);
            let mut times = Vec::new();
            for turn in 0..TIMES {
                let due = start + own + EVERY * u32::try_from(turn).unwrap_or(0);
                tokio::time::sleep_until(due).await;
                let began = Instant::now();
                act(person, turn).await;
                times.push(began.elapsed());
            }
            // The first round warms up connections.
            times.split_off(1)
        });
    }
    let mut all = Vec::new();
    while let Some(times) = running.join_next().await {
        all.extend(times.unwrap());
    }
    all.sort();
    all
}

/// The median and the slowest of a hundred, in milliseconds.
fn quantiles(sorted: &[Duration]) -> (f64, f64) {
    let at = |percent: usize| sorted[sorted.len() * percent / 100].as_secs_f64() * 1e3;
    (at(50), at(99))
}

/// The records of one bet, at the same rate, through the log alone.
async fn log_alone(folder: &std::path::Path, records: &[Record]) -> Vec<Duration> {
    let store = Store::open(&folder.join("log.sabot")).await.unwrap();
    let bodies: Vec<Body> = records.iter().map(|record| record.read().unwrap()).collect();
    let log = store.clone();
    let times = steadily(TABLES * PLAYERS, move |person, turn| {
        let (log, bodies) = (log.clone(), bodies.clone());
        async move {
            let entry = |body: &Body| Entry { at: 1, body: body.clone() };
            let entries: Vec<_> = bodies.iter().map(entry).collect();
            let expected = (turn * entries.len()) as u64;
            let stream = format!("person {person}");
            let part = StreamEntries { stream: stream.clone(), expected, entries };
            let payload = Digest::of(&[&turn.to_be_bytes()]);
            let command = CommandKey { actor: stream, key: format!("b{turn}"), payload };
            log.append(Append { command, parts: vec![part], with: Vec::new() }).await.unwrap();
        }
    })
    .await;
    store.close().await;
    times
}

/// How long an answer takes where everybody bets at the pace of a table.
async fn waiting() {
    let folder = tempfile::tempdir().unwrap();
    let mut set_up = config(folder.path(), TABLES);
    for table in &mut set_up.tables {
        table.opens = format!("operator opens act-2018 with seats={PLAYERS}");
    }
    let server = Server::open(set_up).await.unwrap();
    let (floor, address) = (server.floor().clone(), server.address());
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(server.serve(async move {
        let _ = stopped.await;
    }));
    let mut people = Vec::new();
    for number in 0..TABLES * PLAYERS {
        let (table, seat) = (format!("t{}", number / PLAYERS + 1), number % PLAYERS + 1);
        let client = Client::new(&address).guest(Some(&format!("P-{number}"))).await.unwrap();
        let sits = client.say(&table, "sit", &format!("sits at {seat} with 10000")).await.unwrap();
        assert!(sits.is_good(), "{sits:?}");
        people.push((client, table));
    }
    for number in 1..=TABLES {
        let table = floor.table(&format!("t{number}")).unwrap();
        table.act(Act::FreshShoe).await.unwrap().unwrap();
    }
    let before = floor.table("t1").unwrap().look().await.unwrap().version;
    let people = Arc::new(people);
    let times = steadily(TABLES * PLAYERS, move |person, turn| {
        let people = people.clone();
        async move {
            let (client, table) = &people[person];
            let reply = client.say(table, &format!("b{turn}"), "bets 1 on player").await;
            assert!(reply.unwrap().is_good());
        }
    })
    .await;
    let mut records = floor.log().records("t1", before).await.unwrap();
    let key = records[0].key.clone();
    records.retain(|record| record.key == key);
    drop(stop);
    let alone = log_alone(folder.path(), &records).await;
    let ((p50, p99), (log50, log99)) = (quantiles(&times), quantiles(&alone));
    println!(
        "bet to answer, {TABLES} tables with {PLAYERS} players each, a bet of each every {} s",
        EVERY.as_secs()
    );
    println!("  the log alone  p50 {log50:>6.1} ms  p99 {log99:>6.1} ms");
    println!(
        "  through HTTP   p50 {p50:>6.1} ms  p99 {p99:>6.1} ms  ratios {:.1} and {:.1} (goal at \
         most 4)",
        p50 / log50,
        p99 / log99
    );
}

/// Waits until every socket has a message that is an update.
async fn all_hear(sockets: Vec<Socket>) -> Vec<Socket> {
    let mut running = JoinSet::new();
    for mut socket in sockets {
        running.spawn(async move {
            loop {
                let message = socket.next().await.unwrap().unwrap();
                if message["kind"] == "update" {
                    return socket;
                }
            }
        });
    }
    running.join_all().await
}

async fn spectators() {
    let folder = tempfile::tempdir().unwrap();
    let (floor, address, seats, stop) = open(folder.path(), 1).await;
    let mut sockets = Vec::new();
    for _ in 0..SPECTATORS {
        let mut socket = Client::new(&address).socket(&[]).await.unwrap();
        socket.send(&json!({ "do": "subscribe", "table": "t1" })).await.unwrap();
        sockets.push(socket);
    }
    let mut ready = Vec::new();
    for mut socket in sockets {
        assert_eq!(socket.next().await.unwrap().unwrap()["kind"], "view");
        ready.push(socket);
    }
    let mut sockets = ready;
    let handle = floor.table("t1").unwrap();
    let mut spent = Duration::ZERO;
    for n in 0..ROUNDS {
        let (who, key) = (seats[0].account.clone(), format!("s{n}"));
        let order = Order { who, role: Role::Player, key, act: bet(&seats[0].name) };
        let began = Instant::now();
        handle.order(order).await.unwrap().ruled.unwrap();
        sockets = all_hear(sockets).await;
        spent += began.elapsed();
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    // A message of the same size, for the bare broadcast.
    let who = seats[0].account.clone();
    let order = Order { who, role: Role::Player, key: "last".into(), act: bet(&seats[0].name) };
    handle.order(order).await.unwrap().ruled.unwrap();
    let message = sockets[0].next().await.unwrap().unwrap().to_string();
    drop((sockets, stop));
    let bare = bare(&message).await;
    let (own, bare) = (spent.as_secs_f64() * 1e3, bare.as_secs_f64() * 1e3);
    let size = message.len();
    println!("one thing that happens, to {SPECTATORS} spectators ({size} bytes), {ROUNDS} times");
    println!("  a bare broadcast of the same bytes {bare:>8.0} ms");
    println!(
        "  the table                          {own:>8.0} ms  ratio {:.2} (goal at least 0.7)",
        bare / own
    );
}

/// A socket that gets every message.
async fn pass_on(
    State(tell): State<broadcast::Sender<Utf8Bytes>>,
    upgrade: WebSocketUpgrade,
) -> axum::response::Response {
    let mut told = tell.subscribe();
    let upgrade = upgrade.read_buffer_size(2048).write_buffer_size(0);
    upgrade.on_upgrade(move |mut socket| async move {
        while let Ok(text) = told.recv().await {
            if socket.send(Message::Text(text)).await.is_err() {
                return;
            }
        }
    })
}

/// The same messages to as many sockets without a table behind them.
async fn bare(message: &str) -> Duration {
    let (tell, _) = broadcast::channel::<Utf8Bytes>(64);
    let router = Router::new().route("/api/v1/socket", get(pass_on)).with_state(tell.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let mut sockets = Vec::new();
    for _ in 0..SPECTATORS {
        sockets.push(Client::new(&address).socket(&[]).await.unwrap());
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let text = Utf8Bytes::from(message.to_owned());
    let mut spent = Duration::ZERO;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        tell.send(text.clone()).unwrap();
        sockets = all_hear(sockets).await;
        spent += began.elapsed();
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    spent
}

fn main() {
    // A name of a part measures that part alone.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_wanted = |part: &str| wanted.is_empty() || wanted.iter().any(|one| one == part);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        if is_wanted("bets") {
            bets().await;
        }
        if is_wanted("waiting") {
            waiting().await;
        }
        if is_wanted("spectators") {
            spectators().await;
        }
    });
}
