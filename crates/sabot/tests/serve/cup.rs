//! An event of a server that a director runs from the terminal, with a kill of the server on the
//! way.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use server::client::Client;

use crate::running::{CONFIG, Running};
use crate::{follow, own_port};

/// A small event.
const CONDITIONS: &str = r#"
book = "act-2012"
name = "Quick Cup"
start = "2026-01-10 19:00"
application = "here"
fee = 100
commission = "10%"
chips = 1000
players = "2..2"
groups = "none"
limits = { main = "50..1000", tie = "50..200" }
pool = "all entry fees less the commission"
prizes = ["100%"]
stages.final = { from = "entrants", tables = 1, seats = 7, coups = 2 }
"#;

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
    Others { olga, reg: invited.pop().unwrap(), players, keys: 0 }
}

#[test]
fn an_event_of_a_server_is_run_to_its_prizes_from_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("cup.toml"), CONDITIONS).unwrap();
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
