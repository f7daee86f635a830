//! `sabot audit csv`: a session, or what one player did in it, coup by coup.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use store::{Body, Store};
use view::Eyes;
use view::csv::Coups;

use super::which;
use crate::Report;
use crate::show::{Format, Style, visible};

/// The coups of a session as CSV; those of one player, if one is named.
pub(super) async fn csv(
    store: &Store,
    (table, player): (Option<&str>, Option<&str>),
    output: Option<&Path>,
    (format, style): (Format, Style),
) -> Result<Report> {
    let people: HashMap<_, _> = store.people().await?.into_iter().collect();
    let eyes = match player {
        Some(name) => {
            let named = transcript::name(name).with_context(|| format!("`{name}` is no name"))?;
            if !people.values().any(|known| known == name) {
                bail!("nobody is called `{name}` in this session");
            }
            Eyes::Player(named)
        }
        None => Eyes::Auditor,
    };
    let mut coups = Coups::new(eyes);
    for record in which::table(store, table).await? {
        if let Body::Table(event) = record.read()? {
            coups.note(&event.renamed(&mut |account| {
                let name = people.get(account.as_str()).and_then(|n| transcript::name(n).ok());
                name.unwrap_or(account)
            }));
        }
    }
    let text = coups.text();
    match output {
        Some(path) => {
            std::fs::write(path, &text)
                .with_context(|| format!("cannot write {}", path.display()))?;
            if format.is_json() {
                return Ok(crate::json::wrote(path).into());
            }
            Ok(format!("wrote {}\n", path.display()).into())
        }
        None if format.is_json() => Ok(crate::json::document("csv", &text).into()),
        // A file keeps what the log says, byte for byte; a terminal must not obey it.
        None if style.is_for_terminal() => {
            Ok(text.lines().map(|line| visible(line) + "\n").collect::<String>().into())
        }
        None => Ok(text.into()),
    }
}
