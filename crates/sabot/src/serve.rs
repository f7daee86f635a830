//! `sabot serve`: the server, from a file, the environment and flags.

use std::env::VarError;
use std::path::Path;

use anyhow::{Context, Result, bail};
use server::Server;
use server::config::{Config, Source};

use crate::Report;
use crate::cli::ServeArguments;
use crate::data::Data;
use crate::show::Format;

/// Keys that can be said in the environment and as flags.
const SAID: [&str; 5] = ["listen", "robots", "certificate", "certificate_key", "behind_tls"];

/// One value that was said in the environment or as a flag.
fn said(name: String, key: &str, value: String) -> Source {
    Source::new(name, toml::Table::from_iter([(key.to_owned(), value.into())]))
}

/// The set-up: what the file says, the environment over it, flags over both. A file that cannot be
/// read hides no fault of the others.
fn config(arguments: &ServeArguments) -> Result<Config> {
    let mut sources = Vec::new();
    if let Some(path) = &arguments.config {
        let name = path.display().to_string();
        sources.push(match std::fs::read_to_string(path) {
            Ok(text) => Source::parsed(name, &text),
            Err(why) => Source::unread(name, &format!("it cannot be read: {why}")),
        });
    }
    for key in SAID {
        let name = format!("SABOT_{}", key.to_uppercase());
        match std::env::var(&name) {
            Ok(value) => sources.push(said(name, key, value)),
            Err(VarError::NotPresent) => {}
            Err(VarError::NotUnicode(_)) => sources.push(Source::unread(name, "it is no text")),
        }
    }
    for (key, value) in [("listen", &arguments.listen), ("robots", &arguments.robots)] {
        if let Some(value) = value {
            sources.push(said(format!("--{key}"), key, value.clone()));
        }
    }
    let mut config = match Config::read(&sources) {
        Ok(config) => config,
        Err(faults) => bail!("the set-up has faults:\n{}", faults.join("\n")),
    };
    if let Some(folder) = &arguments.data {
        config.data = folder.join("floor");
    } else if config.data.as_os_str().is_empty() {
        config.data = Data::folder(None)?.floor();
    }
    Ok(config)
}

/// Serves until a signal comes; then says the head.
pub(crate) fn run(arguments: &ServeArguments, format: Format) -> Result<Report> {
    if arguments.example {
        let example = server::config::EXAMPLE;
        return Ok(if format.is_json() {
            crate::json::document("example", example).into()
        } else {
            example.to_owned().into()
        });
    }
    let config = config(arguments)?;
    logs(format);
    let (tell, mut told) = tokio::sync::mpsc::channel::<()>(1);
    crate::stop::when_told(move || {
        let _ = tell.try_send(());
    })
    .context("no signals can be heard")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let head = runtime.block_on(async {
        let folder = config.data.clone();
        let few = raise_files(config.most_connections());
        let mut server = Server::open(config).await?;
        server.notes.extend(few);
        greet(&server, &folder, format)?;
        let stop = async move {
            told.recv().await;
        };
        anyhow::Ok(server.serve(stop).await?)
    })?;
    let said = head.map(|head| format!("{}:{}", head.version, head.hash));
    Ok(match (format, said) {
        (Format::Json, head) => serde_json::json!({ "head": head }).to_string() + "\n",
        (Format::Text | Format::Csv, Some(head)) => {
            format!("stopped in order; the head of the log is {head}\n")
        }
        (Format::Text | Format::Csv, None) => "stopped in order\n".to_owned(),
    }
    .into())
}

/// Files that a server has open besides its connections.
#[cfg(target_os = "linux")]
const OTHER_FILES: u64 = 200;

/// Has the system allow as many open files as it will: every connection is one. What is said if
/// they are too few.
#[cfg(target_os = "linux")]
fn raise_files(connections: u32) -> Option<String> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let current = getrlimit(Resource::Nofile).current?;
    let wanted = u64::from(connections) + OTHER_FILES;
    (current < wanted).then(|| {
        format!(
            "the system allows {current} open files, and {connections} connections want {wanted}; \
             raise the limit (ulimit -n, LimitNOFILE), or lower `most_sockets`"
        )
    })
}

/// Elsewhere the limit is left as it is.
#[cfg(not(target_os = "linux"))]
const fn raise_files(_: u32) -> Option<String> {
    None
}

/// Says where it is to be found.
fn greet(server: &Server, folder: &Path, format: Format) -> Result<()> {
    let (address, link) = (server.address(), server.operators_link.as_deref());
    let text = if format.is_json() {
        let folder = folder.display().to_string();
        let notes = &server.notes;
        let told = serde_json::json!({
            "address": address, "link": link, "data": folder, "notes": notes,
        });
        told.to_string() + "\n"
    } else {
        let mut text = format!("Sabot is open: {address}\n");
        if let Some(link) = link {
            text += &format!("The operator comes in here, once: {link}\n");
        }
        for note in &server.notes {
            text += &format!("Note: {note}.\n");
        }
        text + &format!("Everything is kept in {}. Ctrl-C stops in order.\n", folder.display())
    };
    crate::print(&text)
}

/// The server's own log, on standard error; `SABOT_LOG` says how much.
fn logs(format: Format) {
    let filter = tracing_subscriber::EnvFilter::try_from_env("SABOT_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let _ = if format.is_json() { logs.json().try_init() } else { logs.try_init() };
}
