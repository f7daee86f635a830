//! `sabot tournament run --server`: the director's console for an event of a server. The server
//! judges every line; who speaks has the roles that the operator gave.

use std::io::Write;

use anyhow::{Context, Result, bail};
use live::Sheet;
use rules::{Balance, Cents};
use serde_json::{Value, json};
use server::client::{Client, Reply};
use table::Role;
use tokio::runtime::Runtime;
use transcript::{SaidInTournament, understand_in_tournament};

use crate::Report;
use crate::cli::{EventCards, RunArguments};
use crate::data::Data;
use crate::network::{told, with_clauses};
use crate::show::{Format, visible};
use crate::typed::text_of;

use super::console::{NOBODY, OVER, WHICH, printed};

const HELP: &str = "  \
Enter, next          do what is next, as far as nothing is left to choose
  Ann bets 100 on player   any line of a transcript that is yours to say; `at table 2 …` says where
  lawful               all that you could say now
  dues                 all that is next, and for whom
  standings            who is in, with how much
  entrants, seating, scores, results     the sheets
  print seating FILE   … into a file, to be printed
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
        let reply = self.runtime.block_on(crate::network::look(&self.client, &path))?;
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
        let mut over = false;
        loop {
            write!(out, "{}", status(&view))?;
            if is_over(&view) && !std::mem::replace(&mut over, true) {
                write!(out, "{}", self.sheet(Sheet::Results)?)?;
                write!(out, "{OVER}")?;
            }
            write!(out, "> ")?;
            out.flush()?;
            let Some(line) = text_of(&mut input, out)? else { return Ok(()) };
            let reply = match line.trim() {
                "quit" | "q" => return Ok(()),
                line => match self.page(&view, line)? {
                    Some(page) => page,
                    None if over => OVER.into(),
                    None => self.does(&view, line)?,
                },
            };
            write!(out, "{reply}")?;
            view = self.view()?;
        }
    }

    /// A page, if the line asks for one.
    fn page(&self, view: &Value, line: &str) -> Result<Option<String>> {
        Ok(Some(match line {
            "help" | "?" => HELP.into(),
            "lawful" => lawful(view),
            "dues" => dues(view, usize::MAX),
            "standings" => standings(view),
            line => match (line.strip_prefix("print "), Sheet::from_key(line)) {
                (Some(what), _) => {
                    let (which, file) = what.trim().split_once(' ').unwrap_or((what.trim(), ""));
                    match Sheet::from_key(which) {
                        Some(sheet) => printed(file, &self.sheet(sheet)?),
                        None => WHICH.into(),
                    }
                }
                (None, Some(sheet)) => self.sheet(sheet)?,
                (None, None) => return Ok(None),
            },
        }))
    }

    /// Does what a line says.
    fn does(&mut self, view: &Value, line: &str) -> Result<String> {
        match line {
            "" | "next" => self.do_next(view),
            "ballot" => self.send("ballot", json!({ "step": "commit" })),
            "reveal" => self.send("ballot", json!({ "step": "reveal" })),
            line => match line.strip_prefix("deal ").map(|table| table.trim().parse::<u32>()) {
                Some(Ok(table)) => self.send("deal", json!({ "table": table })),
                Some(Err(_)) => Ok("which table? `deal 2`\n".into()),
                None => self.say(line),
            },
        }
    }

    fn sheet(&self, sheet: Sheet) -> Result<String> {
        let path = format!("/api/v1/tournaments/{}/sheets/{}", self.event, sheet.key());
        let reply = self.runtime.block_on(crate::network::look(&self.client, &path))?;
        if !reply.is_good() {
            return Ok(format!("refused: {}\n", told(&reply.body)));
        }
        // Lines are made visible one by one: the sheet keeps its form.
        let text = reply.body["text"].as_str().unwrap_or_default();
        Ok(text.lines().map(|line| visible(line) + "\n").collect())
    }

    /// Sends something until there is an answer: under the same key nothing is done twice.
    fn post(&self, what: &str, body: &Value) -> Result<Reply> {
        let path = format!("/api/v1/tournaments/{}/{what}", self.event);
        self.runtime.block_on(crate::network::ask(&self.client, &path, body))
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
        let mut body = json!({ "line": line });
        if self.role == "director" && is_keyed_in(line) {
            body["as"] = self.role.into();
        }
        self.send("orders", body)
    }

    /// Does what is due for this person, as far as nothing is left to choose.
    fn do_next(&mut self, view: &Value) -> Result<String> {
        let asked: Vec<&Value> = view["asked"].as_array().into_iter().flatten().collect();
        let steps = own_steps(view);
        let at_table = |line: &&&str| line.starts_with("at table ");
        if let Some(line) = steps.iter().find(|line| !at_table(line)) {
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
        // What the system does not do at a table.
        if let Some(line) = steps.first() {
            return self.say(line);
        }
        let first = asked.first().and_then(|due| due["line"].as_str().or(due["what"].as_str()));
        Ok(match first {
            Some(line) => format!("it waits for: {}\n", visible(line)),
            None => "nothing is due\n".into(),
        })
    }
}

/// What is due and lacks nothing, in its order.
fn own_steps(view: &Value) -> Vec<&str> {
    let lawful = view["lawful"].as_array().into_iter().flatten();
    let whole = lawful.filter(|one| one["due"] == true && one["needs"].is_null());
    whole.filter_map(|one| one["line"].as_str()).collect()
}

/// Whether a line is what players and dealers do and say, which the director keys in for them.
fn is_keyed_in(line: &str) -> bool {
    let Ok(SaidInTournament::Act(by, _)) = understand_in_tournament(line) else { return false };
    matches!(by.role, Role::Player | Role::Players | Role::Dealer | Role::Device)
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
    for table in view["tables"].as_array().into_iter().flatten() {
        text += &table_line(table);
    }
    text + &dues(view, 6)
}

/// What is next, as far as there is room, and for whom.
fn dues(view: &Value, room: usize) -> String {
    let asked = view["asked"].as_array().map_or(&[][..], Vec::as_slice);
    let mut text = String::new();
    for due in asked.iter().take(room) {
        let line = due["line"].as_str().or(due["what"].as_str()).unwrap_or_default();
        let who = due["player"].as_str().or(due["role"].as_str()).unwrap_or_default();
        text += &visible(&format!("next ({who}): {line}"));
        text.push('\n');
    }
    if asked.len() > room {
        text += &format!("      and {} more; `dues` lists them\n", asked.len() - room);
    }
    text
}

fn is_over(view: &Value) -> bool {
    view["phase"] == "ended" || view["phase"] == "cancelled"
}

/// How a table stands.
fn table_line(table: &Value) -> String {
    let mut text = format!("  table {}: coup {}", table["number"], table["coups"]);
    if let Some(left) = table["coups_left"].as_u64() {
        text += &format!(", {left} left");
    }
    if table["last"] == true {
        text += ", the last";
    }
    let chairs = table["chairs"].as_array().into_iter().flatten();
    let mut seats = Vec::new();
    for chair in chairs {
        let (seat, player) = (&chair["seat"], chair["player"].as_str().unwrap_or_default());
        if table["turn"] == *seat {
            text += &format!(", in turn: {player}");
        }
        let chips = amount(&chair["chips_cents"]);
        let out = if chair["out"].is_null() { "" } else { " out" };
        seats.push(format!("{seat} {player} {chips}{out}"));
    }
    visible(&text) + "\n    " + &visible(&seats.join(" · ")) + "\n"
}

fn amount(cents: &Value) -> Balance {
    Balance::new(cents.as_i64().unwrap_or_default())
}

/// Who is in, with how much.
fn standings(view: &Value) -> String {
    let mut text = String::new();
    for one in view["standings"].as_array().into_iter().flatten() {
        let player = visible(one["player"].as_str().unwrap_or_default());
        let fate = if one["out"] == true { "out" } else { "" };
        let (rank, chips) = (one["rank"].as_u64().unwrap_or(0), amount(&one["chips_cents"]));
        let line = format!("{rank:3}  {player:<24} {:>12}  {fate}", chips.to_string());
        text += &format!("{}\n", line.trim_end());
    }
    if text.is_empty() { NOBODY.into() } else { text }
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
