//! `sabot serve` as people run it: started, used, killed a hundred times, and stopped in order.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod running;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use running::{CONFIG, Running};
use serde_json::Value;
use server::client::Client;

/// How often the server is killed.
const KILLS: u32 = 100;
const PEOPLE: usize = 4;

/// What somebody was told, and what they do next.
struct Person {
    token: String,
    table: &'static str,
    seat: usize,
    keys: u32,
    /// Orders that were acknowledged: the key, the line and the version.
    told: Vec<(String, String, u64)>,
}

impl Person {
    fn next_line(&mut self) -> (String, String) {
        self.keys += 1;
        let line = match self.keys % 9 {
            1 => format!("sits at {} with 20", self.seat),
            8 => "leaves".into(),
            n if n % 2 == 0 => "bets 5 on banker".into(),
            _ => "bets 5 on player".into(),
        };
        (format!("{}-{}", self.seat, self.keys), line)
    }
}

/// Says lines until the server is gone.
async fn play(client: Client, mut person: Person) -> Person {
    let client = client.with_token(&person.token);
    loop {
        let (key, line) = person.next_line();
        match client.say(person.table, &key, &line).await {
            Ok(reply) if reply.is_good() => {
                let version = reply.body["version"].as_u64().unwrap();
                person.told.push((key, line, version));
            }
            // A refusal is an answer too; the floor never fails.
            Ok(reply) => assert!(reply.status < 500, "{reply:?}"),
            Err(_) => return person,
        }
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
}

/// All play money: on accounts, and before players.
async fn all_money(address: &str, people: &[Person]) -> u64 {
    let client = Client::new(address);
    let mut sum = 0;
    for person in people {
        let me = client.clone().with_token(&person.token).get("/api/v1/me").await.unwrap();
        sum += me.body["balance_cents"].as_u64().unwrap();
    }
    sum
}

#[test]
fn a_hundred_kills_under_load_lose_nothing_that_was_told() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut people: Vec<Person> = Vec::new();
    let mut checked = 0;
    for kill in 0..KILLS {
        let mut running = Running::start(folder.path());
        let client = Client::new(&running.address);
        runtime.block_on(async {
            for seat in people.len()..PEOPLE {
                let guest = client.guest(Some(&format!("P-{seat}"))).await.unwrap();
                let token = guest.token().unwrap().to_owned();
                let table = if seat % 2 == 0 { "t1" } else { "t2" };
                people.push(Person { token, table, seat: seat + 1, keys: 0, told: Vec::new() });
            }
            // What was told before the kill is answered the same: it is there, and done once.
            for person in &mut people {
                let client = client.clone().with_token(&person.token);
                for (key, line, version) in person.told.drain(..) {
                    let again = client.say(person.table, &key, &line).await.unwrap();
                    let same = again.body["version"].as_u64() == Some(version);
                    assert!(again.is_good() && same, "kill {kill}: {line} {version}: {again:?}");
                    assert_eq!(again.body["repeated"], true, "kill {kill}: {line}");
                    checked += 1;
                }
            }
            let playing: Vec<_> =
                people.drain(..).map(|person| tokio::spawn(play(client.clone(), person))).collect();
            tokio::time::sleep(Duration::from_millis(u64::from(60 + kill % 7 * 23))).await;
            running.child.kill().unwrap();
            running.child.wait().unwrap();
            for task in playing {
                people.push(task.await.unwrap());
            }
        });
    }
    assert!(checked > 300, "only {checked} orders were acknowledged");
    let running = Running::start(folder.path());
    // Everybody leaves when it is their turn; then all money is on the accounts again, but for what
    // the house won and lost, which the audit counts.
    let address = running.address.clone();
    runtime.block_on(async {
        for person in &people {
            let client = Client::new(&address).with_token(&person.token);
            for attempt in 0..400 {
                let left = client.say(person.table, &format!("bye {attempt}"), "leaves").await;
                let left = left.unwrap();
                if left.is_good() || left.body["code"] == "unknown-player" {
                    break;
                }
                assert!(attempt < 399, "{left:?}");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        assert!(all_money(&address, &people).await > 0);
    });
    let said: Value = serde_json::from_str(&running.stop()).unwrap();
    let head = said["head"].as_str().unwrap();
    let log = folder.path().join("floor/floor.sabot");
    let verify = Command::new(env!("CARGO_BIN_EXE_sabot"))
        .args(["audit", "verify", "--head", head])
        .arg(&log)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&verify.stdout);
    assert!(verify.status.success(), "{text}{}", String::from_utf8_lossy(&verify.stderr));
    assert!(text.contains("everything holds"), "{text}");
}

#[test]
fn all_faults_of_a_set_up_are_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("bad.toml");
    let text = "listen = \"nowhere\"\nrobots = 99\ncolour = \"green\"\nguest_chips = \"many\"\n\
                [[table]]\ntitle = \"x\"\nopens = \"operator opens mars\"\npace = \"slow\"\n";
    std::fs::write(&config, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sabot"))
        .args(["serve", "--config"])
        .arg(&config)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    for key in ["`listen`", "`robots`", "`colour`", "`guest_chips`", "`pace`", "`mars`"] {
        assert!(told.contains(key), "{key}: {told}");
    }
    let example = Command::new(env!("CARGO_BIN_EXE_sabot")).args(["serve", "--example"]).output();
    let example = String::from_utf8(example.unwrap().stdout).unwrap();
    assert!(example.contains("listen = "));
}

#[test]
fn the_operator_has_a_link_on_the_first_start_only_once_it_is_used() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path());
    let link = running.link.clone().unwrap();
    let (address, token) = link.split_once("/link/").unwrap();
    assert_eq!(address, running.address);
    runtime.block_on(async {
        let body = serde_json::json!({ "name": "Olga", "password": "a good long one" });
        let path = format!("/api/v1/links/{token}");
        assert!(Client::new(address).post(&path, &body).await.unwrap().is_good());
    });
    // A copy of the log has the passwords beside it, for the house alone.
    let copy = folder.path().join("copy.sabot");
    let back_up = Command::new(env!("CARGO_BIN_EXE_sabot"))
        .args(["store", "backup", "--data"])
        .arg(folder.path())
        .arg("--to")
        .arg(&copy)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&back_up.stdout);
    assert!(back_up.status.success() && told.contains("copy.door.db"), "{told}");
    let door = std::fs::metadata(folder.path().join("copy.door.db")).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&door.permissions()) & 0o777, 0o600);
    running.stop();
    assert_eq!(Running::start(folder.path()).link, None);
}

/// What a server says at its start under a limit on open files: `-S` can be raised, `-H` cannot.
fn started_with_files(limit: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("sabot.toml");
    std::fs::write(&config, format!("most_sockets = 10\n{CONFIG}")).unwrap();
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit {limit} 100; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_sabot"))
        .args(["--json", "serve", "--config"])
        .arg(&config)
        .arg("--data")
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    line
}

#[test]
fn a_server_raises_its_limit_on_files_and_says_when_it_is_too_low() {
    let raised = started_with_files("-S -n");
    assert!(raised.contains("\"notes\":[]"), "{raised}");
    let low = started_with_files("-S -n 100; ulimit -H -n");
    assert!(low.contains("allows 100 open files, and 20 connections want 220"), "{low}");
}

/// A certificate for this machine's own address, which signs itself.
fn certified(folder: &Path) -> String {
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".into()]).unwrap();
    let (certificate, key) = (folder.join("certificate.pem"), folder.join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let [certificate, key] = [certificate, key].map(|path| path.display().to_string());
    format!("certificate = '{certificate}'\ncertificate_key = '{key}'\n{CONFIG}")
}

#[test]
fn a_table_is_reached_by_tls_and_only_where_the_certificate_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start_with(folder.path(), &certified(folder.path()));
    assert!(running.address.starts_with("https://127.0.0.1:"), "{}", running.address);
    let play = |trusted: Option<&str>, address: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sabot"));
        command.args(["play", "--server", address, "--data"]).arg(folder.path().join("player"));
        let none = folder.path().join("none.pem");
        std::fs::write(&none, "").unwrap();
        let file = trusted.map_or(none, |name| folder.path().join(name));
        let mut child = command
            .env("SSL_CERT_FILE", file)
            .env_remove("SSL_CERT_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"?\nquit\n").unwrap();
        let done = child.wait_with_output().unwrap();
        let said = [done.stdout, done.stderr].concat();
        (done.status.success(), String::from_utf8_lossy(&said).into_owned())
    };
    let (good, said) = play(Some("certificate.pem"), &running.address);
    assert!(good && said.contains("under act-2018"), "{said}");
    let (good, said) = play(None, &running.address);
    assert!(!good && said.contains("certificate"), "{said}");
    let (good, said) = play(Some("certificate.pem"), &running.address.replace("https", "http"));
    assert!(!good, "it spoke without TLS: {said}");
    let (good, said) = play(Some("certificate.pem"), "ftp://127.0.0.1");
    assert!(!good && said.contains("allowed"), "{said}");
    running.stop();
}

/// What a process that fails leaves behind would have the shoe in it.
#[test]
fn a_server_that_is_aborted_leaves_no_image_of_its_memory() {
    use std::os::unix::process::ExitStatusExt as _;
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(folder.path());
    let pid = rustix::process::Pid::from_child(&running.child);
    // Whoever may lifts the limit on such files: there is none all the same.
    let unlimited = rustix::process::Rlimit { current: None, maximum: None };
    let _ = rustix::process::prlimit(Some(pid), rustix::process::Resource::Core, unlimited);
    rustix::process::kill_process(pid, rustix::process::Signal::ABORT).unwrap();
    let status = running.child.wait().unwrap();
    assert_eq!(status.signal(), Some(6));
    assert!(!status.core_dumped());
}

/// Follows a one-time link.
async fn follow(address: &str, link: &str, name: &str) -> Client {
    let token = link.rsplit('/').next().unwrap();
    let body = serde_json::json!({ "name": name, "password": "a good long one" });
    let client = Client::new(address);
    let reply = client.post(&format!("/api/v1/links/{token}"), &body).await.unwrap();
    client.with_token(reply.body["token"].as_str().unwrap())
}

/// Runs the director's console with these lines, and gives what it said.
fn console(running: &Running, folder: &Path, lines: &str, password: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sabot"))
        .args(["tournament", "run", "cup.toml", "--server", &running.address, "--name", "Dana"])
        .args(["--cards", "system", "--data", "director"])
        .current_dir(folder)
        .env("SABOT_PASSWORD", password)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), lines.as_bytes());
    let done = child.wait_with_output().unwrap();
    String::from_utf8([done.stdout, done.stderr].concat()).unwrap()
}

#[test]
fn a_director_runs_an_event_of_a_server_from_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let conditions = include_str!("../../../tournaments/act-2012.toml");
    std::fs::write(folder.path().join("cup.toml"), conditions).unwrap();
    let running = Running::start(folder.path());
    let network = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let link = running.link.clone().unwrap();
    network.block_on(async {
        let olga = follow(&running.address, &link, "Olga").await;
        let invite = serde_json::json!({ "role": "director" });
        let reply = olga.post("/api/v1/invitations", &invite).await.unwrap();
        follow(&running.address, reply.body["link"].as_str().unwrap(), "Dana").await;
    });
    let said = console(&running, folder.path(), "", "not this one");
    assert!(said.contains("do not belong together"), "{said}");
    let said = console(&running, folder.path(), "help\n\nnonsense\nquit\n", "a good long one");
    assert!(said.contains("Spring Heats (e1), under act-2012; you are its director"), "{said}");
    assert!(said.contains("it waits for: operator names NAME director"), "{said}");
    assert!(said.contains("refused:") && said.contains("the same command goes on"), "{said}");
    // The same command goes on with the same event, and needs no password again.
    let said = console(&running, folder.path(), "lawful\nquit\n", "not this one");
    assert!(said.contains("Spring Heats (e1)"), "{said}");
    running.stop();
}
