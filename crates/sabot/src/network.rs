//! What the clients of a server share: its address, and what it says in one line.

use anyhow::{Result, bail};
use serde_json::Value;
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
