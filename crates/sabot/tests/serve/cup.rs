//! An event of a server that a director runs from the terminal, with a kill of the server on the
//! way.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use server::client::Client;
use testkit::cups::DUEL;

use crate::running::{CONFIG, Running};
use crate::{follow, own_port};

/// The console in a process of its own, and what it has said so far.
struct Console {
    child: Child,
    said: Arc<Mutex<String>>,
}

impl Console {
    fn start(folder: &Path, address: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sabot"))
            .args(["tournament", "run", "cup.toml", "--server", address, "--name", "Dana"])
            .args(["--cards", "system", "--data", "director"])
            .current_dir(folder)
            .env("SABOT_PASSWORD", "a good long one")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let (mut out, heard) = (child.stdout.take().unwrap(), said.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = out.read(&mut bytes) {
                heard.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..read]));
            }
        });
        Self { child, said }
    }

    /// Types a line and waits until the console asks for the next.
    fn type_line(&mut self, line: &str) {
        let prompts = |text: &str| text.matches("\n> ").count();
        let before = prompts(&self.said());
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
        self.wait(|said| prompts(said) > before);
    }

    fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    fn wait(&self, is: impl Fn(&str) -> bool) {
        for _ in 0..2400 {
            if is(&self.said()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("it never says it: {}", self.said());
    }
}

/// People whom the director does not speak for.
struct Others {
    olga: Client,
    dana: Client,
    reg: Client,
    players: [Client; 2],
    keys: u32,
}

impl Others {
    async fn say(&mut self, role: &str, player: Option<&str>, line: &str) {
        let who = match (role, player) {
            ("operator", _) => self.olga.clone(),
            ("regulator", _) => self.reg.clone(),
            (_, Some("Ann")) => self.players[0].clone(),
            (_, _) => self.players[1].clone(),
        };
        self.keys += 1;
        let body = json!({ "key": format!("o{}", self.keys), "line": line });
        let reply = who.post("/api/v1/tournaments/e1/orders", &body).await.unwrap();
        assert!(reply.is_good(), "{role}: {line}: {reply:?}");
    }
}

impl Others {
    /// Says what the director is told to be due at a table and to lack nothing, if there is such a
    /// line: none of them is refused.
    async fn says_what_is_due(&mut self) -> bool {
        let view = self.dana.get("/api/v1/tournaments/e1?as=director").await.unwrap().body;
        let mut lawful = view["lawful"].as_array().unwrap().iter();
        let due = |one: &&Value| one["due"] == true && one["needs"].is_null();
        let at_table = |one: &&Value| one["line"].as_str().unwrap().starts_with("at table ");
        let Some(one) = lawful.find(|one| due(one) && at_table(one)) else { return false };
        self.keys += 1;
        let body =
            json!({ "key": format!("d{}", self.keys), "line": one["line"], "as": "director" });
        let reply = self.dana.post("/api/v1/tournaments/e1/orders", &body).await.unwrap();
        assert!(reply.is_good(), "{one}: {reply:?}");
        true
    }

    /// Does what is next: they say their own lines, and the director types the rest.
    async fn answer(&mut self, next: &Value, console: &mut Console) {
        let role = next["role"].as_str().unwrap_or("director");
        let line = next["line"].as_str().unwrap_or_default();
        if line == "NAME applies" {
            for name in ["Ann", "Bo"] {
                self.say("player", Some(name), "applies").await;
            }
        } else if ["operator", "regulator"].contains(&role) {
            self.say(role, None, &line.replace("NAME director", "Dana director")).await;
        } else if line.ends_with(" bets AMOUNT on SPOT") {
            // One of them plays from a browser, and the director keys in what the other says.
            if next["player"] == "Ann" {
                let line = line.replace("AMOUNT on SPOT", "50 on banker");
                self.say("player", Some("Ann"), &line).await;
            } else {
                console.type_line(&line.replace("AMOUNT on SPOT", "100 on player"));
            }
        } else if line.contains("NAME cuts at N") {
            console.type_line(&line.replace("NAME cuts at N", "Bo cuts at 100"));
        } else {
            console.type_line("");
        }
    }
}

async fn come(address: &str, link: &str) -> Others {
    let olga = follow(address, link, "Olga").await;
    let mut invited = Vec::new();
    for (role, name) in [("director", "Dana"), ("regulator", "Reg")] {
        let reply = olga.post("/api/v1/invitations", &json!({ "role": role })).await.unwrap();
        invited.push(follow(address, reply.body["link"].as_str().unwrap(), name).await);
    }
    let guest = async |name| Client::new(address).guest(Some(name)).await.unwrap();
    let players = [guest("Ann").await, guest("Bo").await];
    let (reg, dana) = (invited.pop().unwrap(), invited.pop().unwrap());
    Others { olga, dana, reg, players, keys: 0 }
}

#[test]
fn an_event_of_a_server_is_run_to_its_prizes_from_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cup.toml"), DUEL).unwrap();
    let text = CONFIG.replace("127.0.0.1:0", &format!("127.0.0.1:{}", own_port()));
    let mut running = Running::start_with(folder.path(), &text);
    let network = tokio::runtime::Runtime::new().unwrap();
    let mut others = network.block_on(come(&running.address, &running.link.clone().unwrap()));
    let mut console = Console::start(folder.path(), &running.address);
    console.wait(|said| said.contains("\n> "));
    let look = |others: &Others| -> Value {
        let view = others.olga.get("/api/v1/tournaments/e1?as=operator");
        network.block_on(view).unwrap().body
    };
    let mut killed = false;
    for _ in 0..200 {
        let view = look(&others);
        if view["phase"] == "ended" {
            break;
        }
        if view["standings"][0]["rank"] == 1 && !killed {
            // The server is gone while the director goes on: the line is sent until it is there.
            killed = true;
            running.child.kill().unwrap();
            running.child.wait().unwrap();
            writeln!(console.child.stdin.as_mut().unwrap(), "standings").unwrap();
            std::thread::sleep(Duration::from_millis(300));
            running = Running::start_with(folder.path(), &text);
            console.wait(|said| said.contains("  1  Ann"));
            continue;
        }
        if network.block_on(others.says_what_is_due()) {
            continue;
        }
        // What needs a reason gives something up; nobody does here.
        let asked = view["asked"].as_array().unwrap_or_else(|| panic!("{view}"));
        let reason = |one: &&Value| one["line"].as_str().is_some_and(|line| line.contains("TEXT"));
        let next = asked.iter().find(|one| !reason(one)).unwrap_or(&Value::Null);
        network.block_on(others.answer(next, &mut console));
    }
    assert!(killed && look(&others)["phase"] == "ended", "{}", console.said());
    for page in ["entrants", "seating", "scores", "dues", "print results results.txt", "nonsense"] {
        console.type_line(page);
    }
    writeln!(console.child.stdin.as_mut().unwrap(), "quit").unwrap();
    assert!(console.child.wait().unwrap().success());
    let said = console.said();
    assert!(said.contains("wrote results.txt") && said.contains("the event is over"), "{said}");
    for what in ["2 entered; pool", "table 1: coup", "in turn: "] {
        assert!(said.contains(what), "{what}: {said}");
    }
    let results = std::fs::read_to_string(folder.path().join("results.txt")).unwrap();
    assert!(results.contains("180") && results.contains("    1  "), "{results}");
    running.stop();
}
