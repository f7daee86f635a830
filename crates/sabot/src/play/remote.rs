//! `sabot play --server`: a table of a server, line by line, with the others who are there.
//!
//! The person says lines of the language, without their own name; what happens is told as it
//! happens, each thing with its clauses. This terminal takes part in every shoe by itself.

use std::io::{BufRead as _, Write};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rules::Cents;
use serde_json::{Value, json};
use server::client::{Client, Socket};
use shoe::{Digest, Which, Words};
use tokio::sync::mpsc;

use crate::cli::{GUEST, PlayArguments};
use crate::data::Data;
use crate::network;
use crate::show::visible;

/// How long a server that is gone is waited for.
const PATIENCE: u32 = 60;

/// This terminal's part in a shoe.
struct Part {
    commitment: Digest,
    words: Words,
    opened: [bool; 2],
}

/// Somebody at a table of a server.
struct Remote {
    client: Client,
    account: String,
    table: String,
    view: Value,
    version: u64,
    part: Option<Part>,
    /// What the keys of this process's orders begin with.
    start: u64,
    orders: u64,
}

/// Plays at a table of a server until the person goes.
pub(super) fn run(arguments: &PlayArguments, address: &str) -> Result<String> {
    network::check_address(address)?;
    let data = Data::folder(arguments.data.as_deref())?;
    let runtime = network::runtime()?;
    runtime.block_on(async {
        let (client, account) = enter(&data, arguments, address).await?;
        let table = match &arguments.table {
            Some(table) => table.clone(),
            None => any_table(&client).await?,
        };
        let (view, start) = (Value::Null, store::now());
        let mut remote =
            Remote { client, account, table, view, version: 0, part: None, start, orders: 0 };
        remote.play(arguments.stack).await
    })
}

/// Comes in as before, or as a guest.
async fn enter(data: &Data, arguments: &PlayArguments, address: &str) -> Result<(Client, String)> {
    let kept = data.token_for(address)?;
    let client = Client::new(address);
    if let Ok(token) = std::fs::read_to_string(&kept) {
        let known = client.clone().with_token(token.trim());
        let me = known.get("/api/v1/me").await?;
        if me.is_good() {
            let account = me.body["account"].as_str().unwrap_or_default().to_owned();
            return Ok((known, account));
        }
    }
    let name = Some(arguments.name.as_str()).filter(|name| *name != GUEST);
    let reply = client.post("/api/v1/guests", &json!({ "name": name })).await?;
    let (Some(token), Some(account)) =
        (reply.body["token"].as_str(), reply.body["account"].as_str())
    else {
        bail!("{}", network::told(&reply.body));
    };
    crate::data::keep_private(&kept, token)?;
    Ok((client.clone().with_token(token), account.to_owned()))
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

async fn list(client: &Client) -> Result<String> {
    let mut text = String::new();
    for table in client.get("/api/v1/tables").await?.body.as_array().into_iter().flatten() {
        let say = |key: &str| table[key].as_str().unwrap_or_default().to_owned();
        let (seated, seats) = (&table["seated"], &table["seats"]);
        text += &visible(&format!(
            "{}: {}, {}, {seated} of {seats} seats taken, {}",
            say("id"),
            say("title"),
            say("book"),
            say("phase")
        ));
        text.push('\n');
    }
    Ok(text)
}

fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = writeln!(out, "{}", text.trim_end());
    let _ = out.flush();
}

impl Remote {
    async fn play(&mut self, stack: Cents) -> Result<String> {
        let mut socket = self.connect().await?;
        print(&format!(
            "You are at {} under {}. `?` shows what you can do, `tables` the others, `quit` \
             leaves.",
            self.view["table"].as_str().unwrap_or_default(),
            self.view["book"]["id"].as_str().unwrap_or_default(),
        ));
        self.sit(stack).await?;
        let mut lines = typed();
        loop {
            tokio::select! {
                message = socket.next() => {
                    if let Ok(Some(message)) = message {
                        self.take(&message).await?;
                    } else {
                        print("The connection is lost; trying again …");
                        socket = self.connect().await?;
                        print("You are back.");
                    }
                }
                line = lines.recv() => match line.as_deref().map(str::trim) {
                    None | Some("quit" | "q") => break,
                    Some("") => {}
                    Some("?") => self.tell_lawful(),
                    Some("tables") => print(&list(&self.client).await?),
                    Some(line) => self.say(line).await?,
                },
            }
        }
        self.leave().await
    }

    /// A socket that follows the table, however long the server takes to come back.
    async fn connect(&mut self) -> Result<Socket> {
        let mut last = None;
        for _ in 0..PATIENCE {
            match self.try_to_connect().await {
                Ok(socket) => return Ok(socket),
                Err(fault) => last = Some(fault),
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        Err(last.unwrap_or_else(|| anyhow::anyhow!("the server does not answer")))
    }

    async fn try_to_connect(&mut self) -> Result<Socket> {
        let mut socket = self.client.socket(&[]).await?;
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
                for event in message["events"].as_array().into_iter().flatten() {
                    print(&network::with_clauses(event));
                }
                for (field, value) in message["changed"].as_object().into_iter().flatten() {
                    self.view[field.as_str()] = value.clone();
                }
            }
            "over" => bail!("the table has stopped; the operator knows why"),
            _ => return Ok(()),
        }
        self.version = message["version"].as_u64().unwrap_or(self.version);
        self.take_part().await
    }

    async fn say(&mut self, line: &str) -> Result<()> {
        self.orders += 1;
        let key = format!("{:x}-{}", self.start, self.orders);
        // The same key again does nothing twice: who does not know asks again.
        for _ in 0..PATIENCE {
            if let Ok(reply) = self.client.say(&self.table, &key, line).await {
                if !reply.is_good() {
                    print(&format!("refused: {}", network::told(&reply.body)));
                }
                return Ok(());
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        bail!("the server does not answer");
    }

    /// Sits down at a free place, unless this person sits there.
    async fn sit(&mut self, stack: Cents) -> Result<()> {
        if !self.view["mine"].is_null() {
            return Ok(());
        }
        let seats = self.view["seats"].as_u64().unwrap_or(0);
        let taken: Vec<_> = self.view["players"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|player| player["present"] == true)
            .filter_map(|player| player["seat"].as_u64())
            .collect();
        let Some(seat) = (1..=seats).find(|seat| !taken.contains(seat)) else {
            print("Every place is taken; you watch.");
            return Ok(());
        };
        self.say(&format!("sits at {seat} with {stack}")).await
    }

    fn tell_lawful(&self) {
        let mine = &self.view["mine"];
        if let Some(stack) = mine["stack_cents"].as_u64().and_then(Cents::new) {
            print(&format!("You have {stack} before you."));
        }
        for one in self.view["lawful"].as_array().into_iter().flatten() {
            print(&format!("  {}", visible(one["line"].as_str().unwrap_or_default())));
        }
    }

    /// This terminal promises words for every shoe, and opens them when they are due.
    async fn take_part(&mut self) -> Result<()> {
        let shoe = &self.view["shoe"];
        let commitment = serde_json::from_value::<Digest>(shoe["commitment"].clone()).ok();
        let Some(commitment) = commitment.filter(|_| !self.view["mine"].is_null()) else {
            return Ok(());
        };
        let path = |what: &str| format!("/api/v1/tables/{}/shoe/{what}", self.table);
        if self.part.as_ref().is_none_or(|part| part.commitment != commitment) {
            if !shoe["root"].is_null() {
                return Ok(());
            }
            let words = Words::draw(&self.account, getrandom::fill)
                .map_err(|fault| anyhow::anyhow!("no random numbers: {fault}"))?;
            let promise = words.promise(&commitment);
            let body = json!({ "first": promise.first, "second": promise.second });
            // A list that is closed already is the next shoe's chance.
            let _ = self.client.post(&path("promise"), &body).await;
            self.part = Some(Part { commitment, words, opened: [false; 2] });
            return Ok(());
        }
        let Some(part) = &mut self.part else { return Ok(()) };
        let due = [
            (Which::First, "first", shoe["took_part"] == true && shoe["root"].is_null()),
            (Which::Second, "second", shoe["took_part"] == true && !shoe["root"].is_null()),
        ];
        for (i, (which, word, is_due)) in due.into_iter().enumerate() {
            if is_due && !part.opened[i] {
                let body = json!({ "which": word, "word": part.words.word(which) });
                let path = format!("/api/v1/tables/{}/shoe/word", self.table);
                let _ = self.client.post(&path, &body).await;
                part.opened[i] = true;
                if i == 0 {
                    print("You took part in the shoe.");
                }
            }
        }
        Ok(())
    }

    /// Leaves when the coup lets one, and says with how much.
    async fn leave(&mut self) -> Result<String> {
        for attempt in 0..240 {
            let key = format!("{:x}-bye-{attempt}", self.start);
            let reply = self.client.say(&self.table, &key, "leaves").await?;
            if reply.is_good() || reply.body["code"] == "unknown-player" {
                break;
            }
            if attempt == 0 {
                print(&format!("You leave when the coup is over: {}", network::told(&reply.body)));
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        let me = self.client.get("/api/v1/me").await?.body;
        let cents = me["balance_cents"].as_u64().and_then(Cents::new).unwrap_or(Cents::ZERO);
        Ok(format!("Your account holds {cents} of play money.\n"))
    }
}

/// What the person types, line by line.
fn typed() -> mpsc::Receiver<String> {
    let (send, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if send.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}
