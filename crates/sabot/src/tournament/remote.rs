//! `sabot tournament run --server`: the director's console for an event of a server. The server
//! judges every line; who speaks has the roles that the operator gave.

use std::io::Write;

use anyhow::{Context, Result, bail};
use rules::Cents;
use serde_json::{Value, json};
use server::client::{Client, Reply};
use tokio::runtime::Runtime;

use crate::Report;
use crate::cli::{EventCards, RunArguments};
use crate::data::Data;
use crate::network::{told, with_clauses};
use crate::show::{Format, visible};
use crate::typed::text_of;

const HELP: &str = "  \
Enter, next          do what is next, as far as nothing is left to choose
  Ann bets 100 on player   any line of a transcript that is yours to say; `at table 2 …` says where
  lawful               all that you could say now
  ballot, reveal       commits to a draw of places, and draws them
  deal 2               the system deals at table 2, as far as nobody is asked
  quit                 stop; the same command goes on
";

struct Remote {
    runtime: Runtime,
    client: Client,
    event: String,
    /// The role in which this person looks.
    role: &'static str,
    start: u64,
    orders: u64,
}

pub(super) fn run(arguments: &RunArguments, address: &str, format: Format) -> Result<Report> {
    let runtime = crate::network::runtime()?;
    let data = Data::folder(arguments.data.as_deref())?;
    let (client, role) = runtime.block_on(enter(&data, arguments, address))?;
    let event = runtime.block_on(event(&client, arguments))?;
    let mut remote = Remote { runtime, client, event, role, start: store::now(), orders: 0 };
    let mut out = crate::show::talk(format);
    remote.talk(&mut out)?;
    out.flush()?;
    Ok("the same command goes on\n".to_owned().into())
}

/// Comes in as before, or with a name and a password.
async fn enter(
    data: &Data,
    arguments: &RunArguments,
    address: &str,
) -> Result<(Client, &'static str)> {
    crate::network::check_address(address)?;
    let kept = data.token_for(&format!("{address} director"))?;
    let client = Client::new(address);
    let known = std::fs::read_to_string(&kept).unwrap_or_default();
    let mut client = client.with_token(known.trim());
    let mut me = client.get("/api/v1/me").await?;
    if !me.is_good() {
        let name = arguments.name.as_deref().context("say who you are: --name NAME")?;
        client = crate::network::sign_in(address, name, &kept).await?;
        me = client.get("/api/v1/me").await?;
    }
    let has = |role: &&str| {
        me.body["roles"].as_array().is_some_and(|roles| roles.iter().any(|has| has == *role))
    };
    let role = ["director", "operator", "inspector", "supervisor", "dealer"].into_iter().find(has);
    let why = "you have no role in a tournament there; the operator gives one by a link";
    Ok((client, role.context(why)?))
}

/// The event of these conditions: the one that is there, or a new one.
async fn event(client: &Client, arguments: &RunArguments) -> Result<String> {
    let (conditions, book, _) = super::read(&arguments.conditions)?;
    super::refuse_faults(&conditions, &book)?;
    let list = client.get("/api/v1/tournaments").await?.body;
    let over = |event: &Value| event["phase"] == "ended" || event["phase"] == "cancelled";
    let same = list.as_array().into_iter().flatten().find(|event| {
        event["title"] == conditions.name.as_str() && !(arguments.again && over(event))
    });
    if let Some(id) = same.and_then(|event| event["id"].as_str()) {
        return Ok(id.to_owned());
    }
    let deals = match arguments.cards {
        EventCards::Keyed => "keyed",
        EventCards::System => "system",
    };
    let text = super::text_of(&arguments.conditions)?;
    let new = json!({ "conditions": text, "deals": deals });
    let reply = client.post("/api/v1/tournaments", &new).await?;
    let id = reply.body["id"].as_str().map(str::to_owned);
    id.with_context(|| told(&reply.body))
}

impl Remote {
    fn view(&self) -> Result<Value> {
        let path = format!("/api/v1/tournaments/{}?as={}", self.event, self.role);
        let reply = self.runtime.block_on(self.client.get(&path))?;
        if !reply.is_good() {
            bail!("{}", told(&reply.body));
        }
        Ok(reply.body)
    }

    fn talk(&mut self, out: &mut impl Write) -> Result<()> {
        let mut view = self.view()?;
        let name = view["name"].as_str().unwrap_or_default();
        let book = view["book"]["id"].as_str().unwrap_or_default();
        let opening = format!(
            "{name} ({}), under {book}; you are its {}; `help` tells how, Enter does what is next",
            self.event, self.role
        );
        writeln!(out, "{}", visible(&opening))?;
        let mut input = std::io::stdin().lock();
        loop {
            write!(out, "{}", status(&view))?;
            if view["phase"] == "ended" || view["phase"] == "cancelled" {
                return Ok(());
            }
            write!(out, "> ")?;
            out.flush()?;
            let Some(line) = text_of(&mut input, out)? else { return Ok(()) };
            let reply = match line.trim() {
                "quit" | "q" => return Ok(()),
                "help" => HELP.into(),
                "" | "next" => self.do_next(&view)?,
                "lawful" => lawful(&view),
                "ballot" => self.send("ballot", json!({ "step": "commit" }))?,
                "reveal" => self.send("ballot", json!({ "step": "reveal" }))?,
                line => match line.strip_prefix("deal ").map(|table| table.trim().parse::<u32>()) {
                    Some(Ok(table)) => self.send("deal", json!({ "table": table }))?,
                    Some(Err(_)) => "which table? `deal 2`\n".into(),
                    None => self.say(line)?,
                },
            };
            write!(out, "{reply}")?;
            view = self.view()?;
        }
    }

    fn post(&self, what: &str, body: &Value) -> Result<Reply> {
        let path = format!("/api/v1/tournaments/{}/{what}", self.event);
        Ok(self.runtime.block_on(self.client.post(&path, body))?)
    }

    /// Sends something under a key of its own, and tells what followed.
    fn send(&mut self, what: &str, mut body: Value) -> Result<String> {
        self.orders += 1;
        body["key"] = format!("{:x}-{}", self.start, self.orders).into();
        let reply = self.post(what, &body)?;
        if !reply.is_good() {
            return Ok(format!("refused: {}\n", told(&reply.body)));
        }
        let events = reply.body["events"].as_array().into_iter().flatten();
        let words = match reply.body["words"].as_str() {
            Some("promise") => {
                "players may take part in the shoe now: deal on when they had time\n"
            }
            Some("first") => {
                "the list is closed, and players open their words: deal on to shuffle\n"
            }
            Some("second") => "the last words may be opened: deal on, if nobody is asked to cut\n",
            _ => "",
        };
        Ok(listed(events.map(with_clauses)) + words)
    }

    fn say(&mut self, line: &str) -> Result<String> {
        self.send("orders", json!({ "line": line }))
    }

    /// Does what is due for this person, as far as nothing is left to choose.
    fn do_next(&mut self, view: &Value) -> Result<String> {
        let asked: Vec<&Value> = view["asked"].as_array().into_iter().flatten().collect();
        let lawful = view["lawful"].as_array().into_iter().flatten();
        let whole = lawful.filter(|one| one["due"] == true && one["needs"].is_null());
        if let Some(line) = whole.into_iter().find_map(|one| one["line"].as_str()) {
            return self.say(line);
        }
        let is_ballot = |word: &str| {
            let mut lines = asked.iter().filter_map(|due| due["line"].as_str());
            lines.any(|line| line.contains(word))
        };
        if is_ballot("commits to the ballot") {
            return self.send("ballot", json!({ "step": "commit" }));
        }
        if is_ballot("reveals the ballot") {
            return self.send("ballot", json!({ "step": "reveal" }));
        }
        for table in view["tables"].as_array().into_iter().flatten() {
            let Some(number) = table["number"].as_u64() else { continue };
            let dealt = self.send("deal", json!({ "table": number }))?;
            if !dealt.is_empty() && !dealt.starts_with("refused") {
                return Ok(dealt);
            }
        }
        let first = asked.first().and_then(|due| due["line"].as_str().or(due["what"].as_str()));
        Ok(match first {
            Some(line) => format!("it waits for: {}\n", visible(line)),
            None => "nothing is due\n".into(),
        })
    }
}

/// Where the event stands, and what is next.
fn status(view: &Value) -> String {
    let word = |value: &Value| visible(value.as_str().unwrap_or_default());
    let pool = view["pool_cents"].as_u64().and_then(Cents::new).unwrap_or(Cents::ZERO);
    let stage = match view["stage"].as_str() {
        Some(stage) => format!(" · {}", visible(stage)),
        None => String::new(),
    };
    let mut text = format!("\n[{}{stage} · pool {pool}]\n", word(&view["phase"]));
    for due in view["asked"].as_array().into_iter().flatten().take(6) {
        let line = due["line"].as_str().or(due["what"].as_str()).unwrap_or_default();
        let who = due["player"].as_str().or(due["role"].as_str()).unwrap_or_default();
        text += &visible(&format!("next ({who}): {line}"));
        text.push('\n');
    }
    text
}

/// All that could be said now.
fn lawful(view: &Value) -> String {
    let lines = view["lawful"].as_array().into_iter().flatten();
    listed(lines.map(|one| visible(one["line"].as_str().unwrap_or_default())))
}

/// Things under each other.
fn listed(lines: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for line in lines {
        text += "  ";
        text += &line;
        text.push('\n');
    }
    text
}
