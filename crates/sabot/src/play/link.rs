//! A link to a table of a server: a task that follows the table, takes part in its shoes and, after
//! an interruption, comes back by itself.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rules::Cents;
use serde::Deserialize as _;
use serde_json::{Value, json};
use server::client::{Client, Reply, Socket};
use shoe::{Digest, Promise, ShoeRecord, Which, Words};
use table::{Act, Deed, Name};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::time::timeout;
use view::{EventView, TableView};

use crate::cli::{GUEST, PlayArguments};
use crate::data::Data;
use crate::network;

/// Seconds that a server which is gone is waited for.
const PATIENCE: u32 = 60;
/// How often the server is told that somebody is still there.
const PING: Duration = Duration::from_secs(20);
/// How long what is only told besides may take to be asked for: nothing waits for it.
const BESIDES: Duration = Duration::from_secs(3);
/// News that wait to be heard at the most.
const MOST_WAITING: usize = 256;

/// What is heard of the table.
#[derive(Debug)]
pub(crate) enum Heard {
    /// What happened, in order.
    Happened(Vec<EventView>),
    /// The table as it stands, and until when the person may do what it waits for.
    Stands(Box<TableView>, Option<Instant>),
    /// What is published of its shoe.
    Shoe(Box<ShoeRecord>),
    /// This terminal's words went into the shoe.
    TookPart,
    /// The list of those who took part lacks this terminal's words.
    LeftOut,
    /// What the person wanted to be reminded of.
    Reminded(String),
    /// The connection is lost.
    Lost,
    /// It is there again.
    Back,
    /// There is nothing more to hear, and why.
    Over(String),
}

/// Somebody at a table of a server.
pub(crate) struct Link {
    runtime: Runtime,
    client: Client,
    heard: mpsc::Receiver<Heard>,
    /// The person's account.
    pub(crate) account: String,
    /// The person's name.
    pub(crate) name: Name,
    table: String,
    /// What the keys of this process's orders begin with.
    start: u64,
    orders: u64,
}

impl Link {
    /// Comes in as before, or as a guest, and follows a table.
    pub(crate) fn open(arguments: &PlayArguments, address: &str) -> Result<Self> {
        network::check_address(address)?;
        let data = Data::folder(arguments.data.as_deref())?;
        let runtime = super::runtime_with_network()?;
        let (client, account, name, table, heard) = runtime.block_on(async {
            let client = enter(&data, arguments, address).await?;
            let me = client.get("/api/v1/me").await?.body;
            let text = |key: &str| me[key].as_str().unwrap_or_default();
            let (account, name) = (text("account").to_owned(), text("name"));
            let name = Name::from(name).map_err(|fault| anyhow::anyhow!("{fault}"))?;
            let table = match &arguments.table {
                Some(table) => table.clone(),
                None => any_table(&client).await?,
            };
            let (out, heard) = mpsc::channel(MOST_WAITING);
            let mut follower = Follower {
                client: client.clone(),
                account: account.clone(),
                table: table.clone(),
                view: Value::Null,
                version: 0,
                ahead: 0,
                part: None,
                shown: 0,
                reminded: 0,
                out,
            };
            // What is wrong with the address or the table is told at once.
            let socket = follower.connect().await?;
            tokio::spawn(follower.run(socket));
            anyhow::Ok((client, account, name, table, heard))
        })?;
        let start = store::now();
        Ok(Self { runtime, client, heard, account, name, table, start, orders: 0 })
    }

    /// What was heard meanwhile; nothing if that is all.
    pub(crate) fn news(&mut self) -> Option<Heard> {
        self.heard.try_recv().ok()
    }

    /// What is heard next, if it comes in time.
    pub(crate) fn news_within(&mut self, patience: Duration) -> Option<Heard> {
        let heard = &mut self.heard;
        let next = async { tokio::time::timeout(patience, heard.recv()).await };
        self.runtime.block_on(next).ok().flatten()
    }

    /// What is heard or typed next; nothing if no more is typed.
    pub(crate) fn next(&mut self, typed: &mut mpsc::Receiver<String>) -> Option<Next> {
        let heard = &mut self.heard;
        self.runtime.block_on(async {
            tokio::select! {
                news = heard.recv() => {
                    let gone = || Heard::Over("the connection is gone".into());
                    Some(Next::Heard(news.unwrap_or_else(gone)))
                }
                line = typed.recv() => line.map(Next::Typed),
            }
        })
    }

    fn key(&mut self) -> String {
        self.orders += 1;
        format!("{:x}-{}", self.start, self.orders)
    }

    /// Asks until there is an answer: the same key does nothing twice.
    fn ask(&mut self, path: &str, body: &Value) -> Result<Reply> {
        self.runtime.block_on(network::ask(&self.client, path, body))
    }

    /// Says a line to the table.
    pub(crate) fn say(&mut self, line: &str) -> Result<Reply> {
        let body = json!({ "key": self.key(), "line": line });
        let path = format!("/api/v1/tables/{}/orders", self.table);
        self.ask(&path, &body)
    }

    /// Does something as this player.
    pub(crate) fn act(&mut self, deed: Deed) -> Result<Reply> {
        let act = Act::Player(self.name, deed);
        let body = json!({ "key": self.key(), "act": act });
        let path = format!("/api/v1/tables/{}/orders", self.table);
        self.ask(&path, &body)
    }

    /// Asks the house for more play money, if the account holds little.
    pub(crate) fn ask_for_chips(&mut self) -> Result<Reply> {
        let body = json!({ "key": self.key() });
        self.ask("/api/v1/chips", &body)
    }

    /// What the account holds.
    pub(crate) fn balance(&self) -> Result<Cents> {
        let me = self.runtime.block_on(self.client.get("/api/v1/me"))?.body;
        Ok(me["balance_cents"].as_u64().and_then(Cents::new).unwrap_or(Cents::ZERO))
    }

    /// The last shoe that is over, with its secret.
    pub(crate) fn shoe_before(&self) -> Option<ShoeRecord> {
        let path = format!("/api/v1/tables/{}/shoe/last", self.table);
        let reply = self.runtime.block_on(self.client.get(&path)).ok()?;
        serde_json::from_value(reply.body["shoe"].clone()).ok()
    }

    /// The newest signed head of the server's log.
    pub(crate) fn head(&self) -> Option<String> {
        let asked = async { timeout(BESIDES, self.client.get("/api/v1/head")).await };
        let head = self.runtime.block_on(asked).ok()?.ok()?.body;
        Some(format!("{}:{}", head["version"].as_u64()?, head["hash"].as_str()?))
    }

    /// The tables of the server.
    pub(crate) fn tables(&self) -> Result<Value> {
        Ok(self.runtime.block_on(self.client.get("/api/v1/tables"))?.body)
    }

    /// Leaves when the coup lets one; tells first why it has to wait, if it has.
    pub(crate) fn leave(&mut self, wait: &mut dyn FnMut(&str)) -> Result<()> {
        for attempt in 0..240 {
            let reply = self.say("leaves")?;
            if reply.is_good() || reply.body["code"] == "unknown-player" {
                break;
            }
            if attempt == 0 {
                wait(&network::told(&reply.body));
            }
            std::thread::sleep(Duration::from_millis(500));
        }
        Ok(())
    }
}

/// What comes next to somebody who types.
pub(crate) enum Next {
    Heard(Heard),
    Typed(String),
}

/// Comes in as before, with a name and a password, or as a guest.
async fn enter(data: &Data, arguments: &PlayArguments, address: &str) -> Result<Client> {
    let kept = data.token_for(address)?;
    let client = Client::new(address);
    if let Ok(token) = std::fs::read_to_string(&kept) {
        let known = client.clone().with_token(token.trim());
        let me = known.get("/api/v1/me").await?;
        // Who signs in is not somebody else who played here before.
        if me.is_good() && (!arguments.sign_in || me.body["name"] == arguments.name) {
            return Ok(known);
        }
    }
    if arguments.sign_in {
        return network::sign_in(address, &arguments.name, &kept).await;
    }
    let name = Some(arguments.name.as_str()).filter(|name| *name != GUEST);
    let reply = client.post("/api/v1/guests", &json!({ "name": name })).await?;
    let Some(token) = reply.body["token"].as_str() else {
        bail!("{}", network::told(&reply.body));
    };
    crate::data::keep_private(&kept, token)?;
    Ok(client.with_token(token))
}

/// The table that has a free place and is dealt by the system.
async fn any_table(client: &Client) -> Result<String> {
    let tables = client.get("/api/v1/tables").await?.body;
    let free = |table: &&Value| {
        table["deals"] == "system" && table["seated"].as_u64() < table["seats"].as_u64()
    };
    let found = tables.as_array().into_iter().flatten().find(free);
    let id = found.and_then(|table| table["id"].as_str()).map(str::to_owned);
    id.context("no table has a free place; `--table ID` names one")
}

/// This terminal's part in a shoe.
struct Part {
    commitment: Digest,
    words: Words,
    promise: Promise,
    /// The house took the promise.
    taken: bool,
    opened: [bool; 2],
}

/// The task that follows a table.
struct Follower {
    client: Client,
    account: String,
    table: String,
    view: Value,
    version: u64,
    /// How far the server's clock is ahead of ours, in microseconds.
    ahead: i64,
    part: Option<Part>,
    /// Cards on the felt that were shown when the shoe was looked at.
    shown: usize,
    /// When the last reminder was told.
    reminded: u64,
    out: mpsc::Sender<Heard>,
}

impl Follower {
    /// Follows until there is nothing more to follow, or nobody listens.
    async fn run(mut self, mut socket: Socket) {
        let mut ping = tokio::time::interval(PING);
        loop {
            let next = tokio::select! {
                message = socket.next() => message,
                _ = ping.tick() => {
                    let _ = socket.send(&json!({ "do": "ping" })).await;
                    // A server that hangs holds up no news.
                    let _ = timeout(BESIDES, self.remind()).await;
                    continue;
                }
            };
            let gone_on = if let Ok(Some(message)) = next {
                self.take(&message).await
            } else {
                self.tell(Heard::Lost).await;
                match self.come_back().await {
                    Ok(again) => {
                        socket = again;
                        self.tell(Heard::Back).await;
                        Ok(())
                    }
                    Err(fault) => Err(fault),
                }
            };
            if let Err(fault) = gone_on {
                self.tell(Heard::Over(fault.to_string())).await;
                return;
            }
            if self.out.is_closed() {
                return;
            }
        }
    }

    async fn tell(&self, heard: Heard) {
        // Who listens no longer misses nothing.
        let _ = self.out.send(heard).await;
    }

    /// Tells what the person wanted to be reminded of, once.
    async fn remind(&mut self) {
        let Ok(reply) = self.client.get("/api/v1/me").await else { return };
        let Some((at, what)) = reminder_in(&reply.body) else { return };
        if at <= std::mem::replace(&mut self.reminded, at) {
            return;
        }
        self.tell(Heard::Reminded(what)).await;
    }

    /// A socket that follows the table, however long the server takes to come back.
    async fn come_back(&mut self) -> Result<Socket> {
        let mut last = None;
        for _ in 0..PATIENCE {
            match self.connect().await {
                Ok(socket) => return Ok(socket),
                Err(fault) => last = Some(fault),
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        Err(last.unwrap_or_else(|| anyhow::anyhow!("the server does not answer")))
    }

    async fn connect(&mut self) -> Result<Socket> {
        let mut socket = self.client.socket(&[]).await?;
        // The answer tells the server's time before a time is told.
        socket.send(&json!({ "do": "ping" })).await?;
        let after = (self.version > 0).then_some(self.version);
        let ask = json!({ "do": "subscribe", "table": self.table, "as": "player", "after": after });
        socket.send(&ask).await?;
        loop {
            let message = socket.next().await?.context("the server hung up")?;
            if message["kind"] == "problem" {
                bail!("{}", network::told(&message["problem"]));
            }
            let is_view = message["kind"] == "view";
            self.take(&message).await?;
            if is_view {
                return Ok(socket);
            }
        }
    }

    /// Takes a message of the server.
    async fn take(&mut self, message: &Value) -> Result<()> {
        match message["kind"].as_str().unwrap_or_default() {
            "view" => self.view = message["view"].clone(),
            "update" | "gap" => {
                let events = Vec::<EventView>::deserialize(&message["events"]).context(FORM)?;
                if !events.is_empty() {
                    self.tell(Heard::Happened(events)).await;
                }
                for (field, value) in message["changed"].as_object().into_iter().flatten() {
                    self.view[field.as_str()] = value.clone();
                }
            }
            "pong" => {
                let now = |micros: u64| i64::try_from(micros).unwrap_or(0);
                let theirs = message["now"].as_u64().map_or(0, now);
                self.ahead = theirs - now(store::now());
                return Ok(());
            }
            "over" => bail!("the table has stopped; the operator knows why"),
            _ => return Ok(()),
        }
        self.version = message["version"].as_u64().unwrap_or(self.version);
        if message["kind"] == "gap" {
            return Ok(());
        }
        let view = TableView::deserialize(&self.view).context(FORM)?;
        let until = message["until"].as_u64().map(|until| self.by_our_clock(until));
        let hands = [&view.felt.player, &view.felt.banker];
        let open = |hand: &&view::HandView| hand.cards.iter().filter(|c| c.card.is_some()).count();
        let shown = hands.iter().map(open).sum();
        self.tell(Heard::Stands(Box::new(view), until)).await;
        if std::mem::replace(&mut self.shown, shown) != shown {
            self.look_at_shoe().await;
        }
        self.take_part().await
    }

    /// The moment on this machine's clock at which the server's shows that time.
    fn by_our_clock(&self, until: u64) -> Instant {
        let ours = i128::from(until) - i128::from(self.ahead) - i128::from(store::now());
        Instant::now() + Duration::from_micros(u64::try_from(ours).unwrap_or(0))
    }

    /// Fetches what is published of the shoe, so that this terminal can check it.
    async fn look_at_shoe(&mut self) {
        let path = format!("/api/v1/tables/{}/shoe", self.table);
        let Ok(reply) = self.client.get(&path).await else { return };
        let Ok(record) = ShoeRecord::deserialize(&reply.body["shoe"]) else { return };
        if self.is_left_out(&record) {
            self.part = None;
            self.tell(Heard::LeftOut).await;
        }
        self.tell(Heard::Shoe(Box::new(record))).await;
    }

    /// Whether the house took this terminal's promise, and closed the list without it.
    fn is_left_out(&self, record: &ShoeRecord) -> bool {
        let Some(part) = self.part.as_ref().filter(|part| part.taken) else { return false };
        let Some(way) = record.second().filter(|way| way.signature.is_some()) else { return false };
        part.commitment == record.commitment && !way.promises.contains(&part.promise)
    }

    /// This terminal promises words for every shoe, and opens them when they are due.
    async fn take_part(&mut self) -> Result<()> {
        let shoe = &self.view["shoe"];
        let commitment = serde_json::from_value::<Digest>(shoe["commitment"].clone()).ok();
        let Some(commitment) = commitment.filter(|_| !self.view["mine"].is_null()) else {
            return Ok(());
        };
        if self.part.as_ref().is_none_or(|part| part.commitment != commitment) {
            if shoe["root"].is_null() {
                return self.promise(commitment).await;
            }
            return Ok(());
        }
        let Some(part) = &mut self.part else { return Ok(()) };
        let due = [
            (Which::First, "first", shoe["took_part"] == true && shoe["root"].is_null()),
            (Which::Second, "second", shoe["took_part"] == true && !shoe["root"].is_null()),
        ];
        let mut took_part = false;
        for (i, (which, word, is_due)) in due.into_iter().enumerate() {
            if is_due && !part.opened[i] {
                let body = json!({ "which": word, "word": part.words.word(which) });
                let path = format!("/api/v1/tables/{}/shoe/word", self.table);
                let _ = self.client.post(&path, &body).await;
                part.opened[i] = true;
                took_part |= i == 0;
            }
        }
        if took_part {
            self.tell(Heard::TookPart).await;
        }
        Ok(())
    }

    async fn promise(&mut self, commitment: Digest) -> Result<()> {
        let words = Words::draw(&self.account, getrandom::fill)
            .map_err(|fault| anyhow::anyhow!("no random numbers: {fault}"))?;
        let promise = words.promise(&commitment);
        let body = json!({ "first": promise.first, "second": promise.second });
        let path = format!("/api/v1/tables/{}/shoe/promise", self.table);
        // A list that is closed already is the next shoe's chance.
        let taken = self.client.post(&path, &body).await.is_ok_and(|reply| reply.is_good());
        self.part = Some(Part { commitment, words, promise, taken, opened: [false; 2] });
        Ok(())
    }
}

/// What is wrong with a document that cannot be read.
const FORM: &str = "the server speaks in another form; use the sabot of its version";

/// What somebody wanted to be reminded of, and when it was due.
fn reminder_in(me: &Value) -> Option<(u64, String)> {
    let told = &me["reminder"];
    let (at, lost) = (told["at"].as_u64()?, told["lost_cents"].as_i64()?);
    let amount = Cents::new(lost.unsigned_abs()).unwrap_or(Cents::MAX);
    let result = match lost {
        0 => "are even".to_owned(),
        1.. => format!("lost {amount}"),
        _ => format!("won {amount}"),
    };
    let minutes = &told["minutes"];
    Some((at, format!("you have played {minutes} minutes within a day and {result}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reminder_tells_time_and_money() {
        let me = |lost: i64| json!({ "reminder": { "at": 7, "minutes": 30, "lost_cents": lost } });
        for (lost, told) in [(2550, "lost 25.50"), (-500, "won 5"), (0, "are even")] {
            let (at, what) = reminder_in(&me(lost)).expect("there is one");
            let wanted = format!("you have played 30 minutes within a day and {told}");
            assert_eq!((at, what), (7, wanted));
        }
        assert_eq!(reminder_in(&json!({ "reminder": null })), None);
    }
}
