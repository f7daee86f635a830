//! Somebody who plays on through every kill of the server, and keeps books of their own: every
//! order with its key and its answer, the version that was seen last, and every event up to it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use server::client::{Client, ClientError, Reply};
use tokio::sync::watch;

/// An order that was carried out, and what was answered.
struct Done {
    key: String,
    line: String,
    version: u64,
    events: Value,
}

/// What happened, without the words for it: they are told by the table as it is now, and may be
/// others later. A wager that was added to has become one that lies.
fn fact(event: &Value) -> [&Value; 5] {
    ["version", "at", "mine", "postings", "fact"].map(|field| &event[field])
}

fn facts(events: &Value) -> Vec<[&Value; 5]> {
    events.as_array().unwrap().iter().map(fact).collect()
}

pub(crate) struct Person {
    client: Client,
    address: String,
    cookie: String,
    pub(crate) table: &'static str,
    seat: usize,
    keys: u32,
    /// What the house gave out to them, in cents.
    pub(crate) given: i64,
    /// The order that is not answered, and whether it was sent before.
    open: Option<(String, String, bool)>,
    done: Vec<Done>,
    /// Those of them that were answered before the server was last back.
    checked: usize,
    seen: u64,
    events: Vec<Value>,
    /// How often the server was gone.
    pub(crate) outages: u32,
    /// Orders without an answer that had been carried out, as their repetition told.
    pub(crate) found_done: u32,
    /// Orders that were told before a kill and answered the same after it.
    pub(crate) answered_again: u32,
}

impl Person {
    pub(crate) async fn come(address: &str, seat: usize) -> Self {
        let client = Client::new(address);
        let name = json!({ "name": format!("P-{seat}") });
        let reply = client.post("/api/v1/guests", &name).await.unwrap();
        let cookie = reply.cookies[0].split(';').next().unwrap().to_owned();
        let table = if seat.is_multiple_of(2) { "t1" } else { "t2" };
        let mut person = Self {
            client,
            address: address.to_owned(),
            cookie,
            table,
            seat: seat + 1,
            keys: 0,
            given: 0,
            open: None,
            done: Vec::new(),
            checked: 0,
            seen: 0,
            events: Vec::new(),
            outages: 0,
            found_done: 0,
            answered_again: 0,
        };
        person.given = person.balance().await;
        person
    }

    /// Sends a request as a browser does: with the cookie, from a page of the server.
    async fn ask(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Result<Reply, ClientError> {
        let headers = [
            ("cookie", self.cookie.as_str()),
            ("origin", self.address.as_str()),
            ("content-type", "application/json"),
        ];
        let body = body.map_or_else(Vec::new, |body| body.to_string().into_bytes());
        let reply = self.client.request((method, path), &headers, body).await?;
        assert!(reply.status < 500, "the floor never fails: {path}: {reply:?}");
        Ok(reply)
    }

    pub(crate) async fn balance(&self) -> i64 {
        let me = self.ask("GET", "/api/v1/me", None).await.unwrap();
        me.body["balance_cents"].as_i64().unwrap_or_else(|| panic!("{me:?}"))
    }

    async fn say(&self, key: &str, line: &str) -> Result<Reply, ClientError> {
        let path = format!("/api/v1/tables/{}/orders", self.table);
        self.ask("POST", &path, Some(json!({ "key": key, "line": line }))).await
    }

    fn next_order(&mut self) -> (String, String, bool) {
        self.keys += 1;
        let line = match self.keys % 9 {
            1 => format!("sits at {} with 20", self.seat),
            8 => "leaves".into(),
            n if n % 2 == 0 => "bets 5 on banker".into(),
            _ => "bets 5 on player".into(),
        };
        (format!("{}-{}", self.seat, self.keys), line, false)
    }

    /// Plays until it is told to stop, whatever becomes of the server meanwhile.
    pub(crate) async fn play(mut self, stop: watch::Receiver<bool>) -> Self {
        while !*stop.borrow() || self.open.is_some() {
            if self.step().await.is_err() {
                self.outages += 1;
                while self.come_back().await.is_err() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            }
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
        self
    }

    /// Says the order that is not answered yet, or a new one, and reads what happened.
    async fn step(&mut self) -> Result<(), ClientError> {
        let (key, line, sent) = match self.open.take() {
            Some(open) => open,
            None => self.next_order(),
        };
        self.open = Some((key.clone(), line.clone(), true));
        let reply = self.say(&key, &line).await?;
        self.open = None;
        // A refusal is an answer too.
        if reply.is_good() {
            self.found_done += u32::from(sent && reply.body["repeated"] == true);
            assert!(sent || reply.body["repeated"] == false, "{line}: {reply:?}");
            let version = reply.body["version"].as_u64().unwrap();
            self.done.push(Done { key, line, version, events: reply.body["events"].clone() });
        }
        self.read_on().await
    }

    /// Reads what happened behind the version that was seen last: nothing that was seen is taken
    /// back, and nothing comes twice.
    pub(crate) async fn read_on(&mut self) -> Result<(), ClientError> {
        loop {
            let path =
                format!("/api/v1/tables/{}/events?as=player&after={}", self.table, self.seen);
            let news = self.ask("GET", &path, None).await?.body;
            let version = news["version"].as_u64().unwrap_or_else(|| panic!("{news}"));
            assert!(version >= self.seen, "{} was seen, and it is at {version}", self.seen);
            for event in news["events"].as_array().unwrap() {
                let made = event["version"].as_u64().unwrap();
                assert!(self.seen < made && made <= version, "{made} behind {}", self.seen);
                self.seen = made;
                self.events.push(event.clone());
            }
            self.seen = version;
            if news["more"] != true {
                return Ok(());
            }
        }
    }

    /// Finds the server again: what was missed is read, and what was told before is still so.
    async fn come_back(&mut self) -> Result<(), ClientError> {
        self.read_on().await?;
        for at in self.checked..self.done.len() {
            let Done { key, line, version, events } = &self.done[at];
            let again = self.say(key, line).await?;
            assert!(again.is_good(), "{line} was told at {version}: {again:?}");
            assert_eq!(again.body["version"].as_u64(), Some(*version), "{line}: {again:?}");
            assert_eq!(facts(&again.body["events"]), facts(events), "{line}");
            assert_eq!(again.body["repeated"], true, "{line}: {again:?}");
            self.answered_again += 1;
            self.checked = at + 1;
        }
        Ok(())
    }

    /// Leaves as soon as it is allowed.
    pub(crate) async fn leave(&mut self) {
        for attempt in 0..400 {
            let (key, line) = (format!("bye {attempt}"), "leaves".to_owned());
            let left = self.say(&key, &line).await.unwrap();
            if left.is_good() {
                let version = left.body["version"].as_u64().unwrap();
                let events = left.body["events"].clone();
                self.done.push(Done { key, line, version, events });
                return;
            }
            if left.body["code"] == "unknown-player" {
                return;
            }
            assert!(attempt < 399, "{left:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Own events of a kind.
    fn own<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(move |event| event["mine"] == true && event["kind"] == kind)
    }

    /// What was read piece by piece is the whole history, every order that was told has its events
    /// in it once, and nothing else was done in this person's name.
    pub(crate) async fn check_orders(&self) {
        let mut whole = Person { seen: 0, events: Vec::new(), done: Vec::new(), ..self.alike() };
        whole.read_on().await.unwrap();
        assert_eq!(whole.seen, self.seen);
        for (read, there) in self.events.iter().zip(&whole.events) {
            assert_eq!(fact(read), fact(there), "it was read otherwise");
        }
        assert_eq!(self.events.len(), whole.events.len(), "a hole, or something twice");
        for Done { line, version, events, .. } in &self.done {
            for event in events.as_array().unwrap() {
                let made = event["version"].as_u64().unwrap();
                assert!(made <= *version, "{line}: {event}");
                let there = self.events.iter().filter(|one| one["version"] == made);
                assert_eq!(there.count(), 1, "{line}: {event}");
            }
        }
        for (word, kind) in [("sits", "arrived"), ("bets", "placed"), ("leaves", "left")] {
            let told = self.done.iter().filter(|done| done.line.starts_with(word)).count();
            assert_eq!(self.own(kind).count(), told, "{word} of seat {}", self.seat);
        }
    }

    fn alike(&self) -> Self {
        Self {
            client: self.client.clone(),
            address: self.address.clone(),
            cookie: self.cookie.clone(),
            open: None,
            done: Vec::new(),
            events: Vec::new(),
            ..*self
        }
    }

    /// What every purse of the table holds, by the events that were read: each event's postings sum
    /// to nothing.
    pub(crate) fn purses(&self) -> BTreeMap<String, i64> {
        let mut purses = BTreeMap::new();
        for event in &self.events {
            let mut sum = 0;
            for posting in event["postings"].as_array().unwrap() {
                let gained = posting["gained_cents"].as_i64().unwrap();
                let account = posting["account"].as_str().unwrap();
                *purses.entry(account.to_owned()).or_default() += gained;
                sum += gained;
            }
            assert_eq!(sum, 0, "{event}");
        }
        purses
    }

    /// What this person took from the account to the table, and did not bring back.
    pub(crate) fn brought(&self) -> i64 {
        let own = self.own("arrived").chain(self.own("left"));
        let postings = own.flat_map(|event| event["postings"].as_array().unwrap());
        let outside = postings.filter(|posting| posting["account"] == "outside");
        -outside.map(|posting| posting["gained_cents"].as_i64().unwrap()).sum::<i64>()
    }
}
