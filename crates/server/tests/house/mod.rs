//! A server of the tests' own, on a free port, in a temporary folder.
#![allow(dead_code, reason = "not every test needs all of it")]

pub(crate) mod cup;

use std::time::Duration;

use serde_json::{Value, json};
use server::Server;
use server::client::Client;
use server::config::{Config, Source, TableConfig, pace};
use store::Deals;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) struct House {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) address: String,
    pub(crate) link: Option<String>,
    pub(crate) notes: Vec<String>,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<Option<store::Head>>>,
}

/// A table that the system deals without waiting for eyes.
pub(crate) fn quick(title: &str, opens: &str) -> TableConfig {
    let sign = ["operator posts main 5..500", "operator posts tie 5..100"];
    TableConfig {
        title: title.into(),
        opens: opens.into(),
        sign: sign.map(str::to_owned).to_vec(),
        deals: Deals::System,
        pace: pace("at-once").unwrap(),
    }
}

/// A table with a dealer and real cards.
pub(crate) fn keyed(title: &str) -> TableConfig {
    TableConfig { deals: Deals::Keyed, ..quick(title, "operator opens act-2018") }
}

pub(crate) fn config(tables: Vec<TableConfig>) -> Config {
    let listen = toml::Table::from_iter([("listen".to_owned(), "127.0.0.1:0".into())]);
    let mut config = Config::read(&[Source::new("test", listen)]).unwrap();
    config.robots = 0;
    config.requests_per_second = 100_000;
    config.guests_per_hour = 100_000;
    config.tables = tables;
    config
}

impl House {
    pub(crate) async fn open(tables: Vec<TableConfig>) -> Self {
        Self::with(config(tables)).await
    }

    pub(crate) async fn with(config: Config) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::in_folder(folder, config).await
    }

    pub(crate) async fn in_folder(folder: tempfile::TempDir, config: Config) -> Self {
        Self::in_world(folder, config, live::World::real()).await
    }

    pub(crate) async fn in_world(
        folder: tempfile::TempDir,
        mut config: Config,
        world: live::World,
    ) -> Self {
        config.data = folder.path().join("floor");
        let server = Server::open_in(config, world).await.unwrap();
        let (address, link) = (server.address(), server.operators_link.clone());
        let notes = server.notes.clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let stop = async move {
                let _ = stopped.await;
            };
            server.serve(stop).await.unwrap()
        });
        Self { folder, address, link, notes, stop: Some(stop), task: Some(task) }
    }

    /// Stops in order.
    pub(crate) async fn close(mut self) -> (tempfile::TempDir, Option<store::Head>) {
        drop(self.stop.take());
        let head = self.task.take().unwrap().await.unwrap();
        (self.folder, head)
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(&self.address)
    }

    pub(crate) async fn guest(&self, name: &str) -> Client {
        self.client().guest(Some(name)).await.unwrap()
    }

    /// Follows a one-time link.
    pub(crate) async fn follow(&self, link: &str, name: &str) -> Client {
        let token = link.rsplit('/').next().unwrap();
        let body = json!({ "name": name, "password": format!("{name} has one") });
        let reply = self.client().post(&format!("/api/v1/links/{token}"), &body).await.unwrap();
        assert_eq!(reply.status, 200, "{reply:?}");
        self.client().with_token(reply.body["token"].as_str().unwrap())
    }

    pub(crate) async fn operator(&self, name: &str) -> Client {
        self.follow(self.link.as_deref().unwrap(), name).await
    }

    /// Two operators take chips away from somebody.
    pub(crate) async fn take(&self, (olga, name): (&Client, &str), cents: u64) {
        let otto = self.staff(olga, "operator", "Otto").await;
        let cents = i64::try_from(cents).unwrap();
        let body = json!({ "key": "take", "cents": -cents, "why": "for a test" });
        for (operator, status) in [(olga, 409), (&otto, 200)] {
            let path = format!("/api/v1/accounts/{name}/correct");
            let reply = operator.post(&path, &body).await.unwrap();
            assert_eq!(reply.status, status, "{reply:?}");
        }
    }

    /// Somebody of staff, invited by the operator.
    pub(crate) async fn staff(&self, operator: &Client, role: &str, name: &str) -> Client {
        let reply = operator.post("/api/v1/invitations", &json!({ "role": role })).await.unwrap();
        assert_eq!(reply.status, 200, "{reply:?}");
        self.follow(reply.body["link"].as_str().unwrap(), name).await
    }
}

/// Waits until something is so.
pub(crate) async fn until<F: Future<Output = bool>>(what: &str, mut is: impl FnMut() -> F) {
    for _ in 0..600 {
        if is().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it never came: {what}");
}

/// What an account holds, with what lies before its owner at a table.
pub(crate) async fn balance(client: &Client) -> u64 {
    client.get("/api/v1/me").await.unwrap().body["balance_cents"].as_u64().unwrap()
}

pub(crate) fn code(body: &Value) -> &str {
    body["code"].as_str().unwrap_or_default()
}
