//! A tournament of the tests' own: everybody who can be there, and an event that goes on by what
//! its view asks for.

use serde_json::{Value, json};
use server::client::{Client, Reply};

use super::House;

/// Roles of staff; `regulator` looks as an auditor.
const STAFF: [&str; 6] =
    ["dealer", "supervisor", "inspector", "management", "director", "regulator"];

/// Everybody who can be at a house: a player, the operator, and staff of every role.
pub(crate) async fn everybody(house: &House) -> Vec<(&'static str, Client)> {
    let olga = house.operator("Olga").await;
    let mut all = vec![("player", house.guest("Ann").await)];
    for (role, number) in STAFF.into_iter().zip(1..) {
        all.push((role, house.staff(&olga, role, &format!("Staff-{number}")).await));
    }
    all.push(("operator", olga));
    all
}

/// An event of two players, run by what its view asks for.
pub(crate) struct Cup {
    all: Vec<(&'static str, Client)>,
    pub(crate) bo: Client,
    keys: u32,
}

impl Cup {
    /// Opens an event, with everybody there and one player more.
    pub(crate) async fn open(house: &House, all: Vec<(&'static str, Client)>, new: Value) -> Self {
        let cup = Self { all, bo: house.guest("Bo").await, keys: 0 };
        let opened = cup.person("director").post("/api/v1/tournaments", &new).await.unwrap();
        assert!(opened.is_good(), "{opened:?}");
        cup
    }

    pub(crate) fn person(&self, role: &str) -> &Client {
        &self.all.iter().find(|(other, _)| *other == role).unwrap().1
    }

    /// Sends something under a key of its own.
    pub(crate) async fn post(&mut self, who: &Client, path: &str, mut body: Value) -> Reply {
        self.keys += 1;
        body["key"] = json!(format!("e{}", self.keys));
        who.post(&format!("/api/v1/tournaments/e1/{path}"), &body).await.unwrap()
    }

    /// What is asked of somebody next, as staff see it.
    async fn asked(&self) -> Vec<Value> {
        let view = self.person("director").get("/api/v1/tournaments/e1?as=director").await.unwrap();
        view.body["asked"].as_array().unwrap_or_else(|| panic!("{view:?}")).clone()
    }

    /// Does the first thing that is asked for and that can be done.
    pub(crate) async fn do_next(&mut self) {
        let mut refused = Vec::new();
        for one in self.asked().await {
            let role = one["role"].as_str().unwrap();
            // Words in capitals are filled in; what is given up or turned down needs a reason.
            let line = one["line"].as_str().unwrap_or_default();
            let line = line.replace("NAME director", "Staff-5 director").replace("NUMBERS", "1");
            if line == "NAME applies" {
                let ann = self.person("player").clone();
                for who in [ann, self.bo.clone()] {
                    let applied = self.post(&who, "orders", json!({ "line": "applies" })).await;
                    assert!(applied.is_good(), "{applied:?}");
                }
                return;
            }
            let who = match (role, one["player"].as_str()) {
                ("player", Some("Bo")) => self.bo.clone(),
                ("players", _) => self.person("director").clone(),
                (role, _) => self.person(role).clone(),
            };
            let reply = if line.contains("commits to the ballot") {
                self.post(&who, "ballot", json!({ "step": "commit" })).await
            } else if line.contains("reveals the ballot") {
                self.post(&who, "ballot", json!({ "step": "reveal" })).await
            } else {
                let speaks = if role == "players" { "director" } else { role };
                self.post(&who, "orders", json!({ "line": line, "as": speaks })).await
            };
            if reply.is_good() {
                return;
            }
            refused.push((line, reply.body));
        }
        panic!("nothing of what is asked can be done: {refused:#?}");
    }

    /// Runs it until something is asked for.
    pub(crate) async fn until(&mut self, wanted: impl Fn(&Value) -> bool) {
        for _ in 0..100 {
            if self.asked().await.iter().any(&wanted) {
                return;
            }
            self.do_next().await;
        }
        panic!("it is never asked for: {:#?}", self.asked().await);
    }
}
