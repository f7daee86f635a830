//! What the clients of a server share: its address, signing in, and what it says in one line.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use server::client::{Client, ClientError, Reply};
use tokio::runtime::{Builder, Runtime};

use crate::show::visible;

/// Refuses what is no address.
pub(crate) fn check_address(address: &str) -> Result<()> {
    if !["http://", "https://"].iter().any(|scheme| address.starts_with(scheme)) {
        bail!("`{address}` is no address of a server; allowed: one such as http://127.0.0.1:7373");
    }
    Ok(())
}

/// What runs requests.
pub(crate) fn runtime() -> Result<Runtime> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// Signs somebody in with a password, and keeps the session for the next time.
pub(crate) async fn sign_in(address: &str, name: &str, kept: &Path) -> Result<Client> {
    let body = json!({ "name": name, "password": password(name)? });
    let reply = Client::new(address).post("/api/v1/session", &body).await?;
    let Some(token) = reply.body["token"].as_str() else { bail!("{}", told(&reply.body)) };
    crate::data::keep_private(kept, token)?;
    Ok(Client::new(address).with_token(token))
}

/// The password of somebody: from the environment, or typed where nobody sees it.
fn password(name: &str) -> Result<String> {
    if let Ok(password) = std::env::var("SABOT_PASSWORD") {
        return Ok(password);
    }
    eprint!("Password of {}: ", visible(name));
    let hidden = std::io::stdin().is_terminal();
    if hidden {
        ratatui::crossterm::terminal::enable_raw_mode()?;
    }
    let typed = if hidden { typed_unseen() } else { typed() };
    if hidden {
        ratatui::crossterm::terminal::disable_raw_mode()?;
    }
    eprintln!();
    typed
}

fn typed() -> Result<String> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn typed_unseen() -> Result<String> {
    use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, read};
    let mut line = String::new();
    loop {
        let Event::Key(key) = read()? else { continue };
        if key.kind != KeyEventKind::Press {
            continue;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if key.code == KeyCode::Enter {
            return Ok(line);
        } else if key.code == KeyCode::Esc || control {
            bail!("no password was typed");
        } else if key.code == KeyCode::Backspace {
            line.pop();
        } else if let KeyCode::Char(c) = key.code {
            line.push(c);
        }
    }
}

/// Times that something is sent to a server which does not answer, a second apart.
const TRIES: u32 = 10;

/// Sends something until there is an answer: the same key does nothing twice.
pub(crate) async fn ask(client: &Client, path: &str, body: &Value) -> Result<Reply> {
    again(async || client.post(path, body).await).await
}

/// Looks at something until there is an answer.
pub(crate) async fn look(client: &Client, path: &str) -> Result<Reply> {
    again(async || client.get(path).await).await
}

async fn again(asks: impl AsyncFn() -> Result<Reply, ClientError>) -> Result<Reply> {
    for _ in 1..TRIES {
        if let Ok(reply) = asks().await {
            return Ok(reply);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    asks().await.context("the server does not answer")
}

/// A problem in one line.
pub(crate) fn told(problem: &Value) -> String {
    let text = |key: &str| problem[key].as_str().unwrap_or_default();
    visible(&format!("{}{}; {}", text("title"), clauses(problem), text("instead")))
}

/// The clauses that something rests on, in brackets.
fn clauses(document: &Value) -> String {
    let clauses = document["clauses"].as_array().into_iter().flatten();
    let clauses: Vec<_> = clauses.filter_map(|clause| clause.as_str()).collect();
    if clauses.is_empty() { String::new() } else { format!(" [{}]", clauses.join(", ")) }
}

/// An event in one line, with its clauses.
pub(crate) fn with_clauses(event: &Value) -> String {
    visible(&format!("{}{}", event["what"].as_str().unwrap_or_default(), clauses(event)))
}
