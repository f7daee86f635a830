//! `sabot serve` as people run it: started, used, killed a hundred times, and stopped in order.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "serve/cup.rs"]
mod cup;
#[path = "serve/person.rs"]
mod person;
mod running;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use person::Person;
use running::{CONFIG, Running};
use serde_json::Value;
use server::client::Client;

/// How often the server is killed.
const KILLS: u32 = 100;
const PEOPLE: usize = 4;

/// A port that no connection is given by itself: whoever calls a server that is gone could
/// otherwise be given its port.
fn own_port() -> u16 {
    let first = 20_000 + u16::try_from(std::process::id() % 10_000).unwrap();
    let free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    (first..32_000).find(free).expect("a port is free")
}

/// Everybody leaves when it is their turn, and the books of all are compared: what the house gave
/// out is on the accounts, on the tables, or was won by the house, to the cent.
async fn settle(people: &mut [Person]) {
    for person in people.iter_mut() {
        person.leave().await;
    }
    let (mut given, mut held) = (0, 0);
    let mut tables = BTreeMap::new();
    for person in people.iter_mut() {
        person.read_on().await.unwrap();
        person.check_orders().await;
        let balance = person.balance().await;
        assert_eq!(balance, person.given - person.brought(), "account and table differ");
        given += person.given;
        held += balance;
        // Everybody at a table has read the same of its money.
        let purses = person.purses();
        assert_eq!(tables.entry(person.table).or_insert(purses.clone()), &purses);
    }
    for purses in tables.values() {
        let won = purses.iter().filter(|(purse, _)| *purse != "outside");
        held += won.map(|(_, cents)| cents).sum::<i64>();
        assert_eq!(purses.get("layout").copied().unwrap_or(0), 0, "{purses:?}");
        assert_eq!(purses.get("stack").copied().unwrap_or(0), 0, "{purses:?}");
    }
    assert_eq!(held, given, "{tables:?}");
}

#[test]
fn a_hundred_kills_under_load_lose_nothing_that_was_told() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let text = CONFIG.replace("127.0.0.1:0", &format!("127.0.0.1:{}", own_port()));
    let mut running = Running::start_with(folder.path(), &text);
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let playing: Vec<_> = (0..PEOPLE)
        .map(|seat| {
            let person = runtime.block_on(Person::come(&running.address, seat));
            runtime.spawn(person.play(stopped.clone()))
        })
        .collect();
    for kill in 0..KILLS {
        std::thread::sleep(Duration::from_millis(u64::from(100 + kill % 7 * 23)));
        running.child.kill().unwrap();
        running.child.wait().unwrap();
        running = Running::start_with(folder.path(), &text);
    }
    stop.send(true).unwrap();
    let mut people: Vec<Person> =
        playing.into_iter().map(|task| runtime.block_on(task).unwrap()).collect();
    runtime.block_on(settle(&mut people));
    let count = |of: fn(&Person) -> u32| people.iter().map(of).sum::<u32>();
    let (outages, again) = (count(|p| p.outages), count(|p| p.answered_again));
    let found = count(|p| p.found_done);
    println!("{outages} outages, {again} answers again, {found} orders found done");
    assert!(outages > KILLS * 3, "the server was gone, and only {outages} times it was noticed");
    assert!(again > 300, "only {again} orders were acknowledged");
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
    // A file that is no TOML, or not there, hides neither the environment nor the flags.
    std::fs::write(&config, "listen = nowhere\n").unwrap();
    let missing = folder.path().join("missing.toml");
    for (file, fault) in [(&config, "bad.toml, line 1: "), (&missing, "missing.toml: ")] {
        let output = Command::new(env!("CARGO_BIN_EXE_sabot"))
            .args(["serve", "--robots", "many", "--config"])
            .arg(file)
            .env("SABOT_LISTEN", "nowhere")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let told = String::from_utf8_lossy(&output.stderr);
        for what in [fault, "SABOT_LISTEN: `listen`", "--robots: `robots`"] {
            assert!(told.contains(what), "{what}: {told}");
        }
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
    let store = |what: &str, to: Option<&Path>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sabot"));
        command.args(["store", what, "--data"]).arg(folder.path());
        command.args(to.map(|_| "--to")).args(to).output().unwrap()
    };
    let back_up = store("backup", Some(&copy));
    let told = String::from_utf8_lossy(&back_up.stdout);
    assert!(back_up.status.success() && told.contains("copy.door.db"), "{told}");
    let lines = folder.path().join("lines");
    assert!(store("export", Some(&lines)).status.success());
    for file in [&copy, &folder.path().join("copy.door.db"), &lines] {
        let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    // What is there is not written over, which is said once.
    for what in ["backup", "export"] {
        let again = store(what, Some(&copy));
        let told = String::from_utf8_lossy(&again.stderr);
        assert_eq!(again.status.code(), Some(2), "{told}");
        assert!(told.ends_with("copy.sabot is there already; allowed: a name that is free\n"));
        assert_eq!(told.lines().count(), 1, "{told}");
    }
    // What was written last lies beside the log.
    let length = |name: &str| folder.path().join("floor").join(name).metadata().unwrap().len();
    let all = || (length("floor.sabot") + length("floor.sabot-wal")) / 1024;
    let before = all();
    let counted = String::from_utf8(store("stats", None).stdout).unwrap();
    let counted = counted.split(": ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!((before..=all()).contains(&counted.parse().unwrap()), "{before}: {counted}");
    running.stop();
    assert_eq!(Running::start(folder.path()).link, None);
}

/// What a server says that does not start.
fn refused(folder: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sabot"));
    let output = command
        .args(["serve", "--config"])
        .arg(folder.join("sabot.toml"))
        .arg("--data")
        .arg(folder)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{told}");
    told
}

/// Runs a command that must do well, and gives what it prints.
fn done(arguments: &[&str], folder: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sabot"));
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether a guest's session still leads to an account.
fn is_known(runtime: &tokio::runtime::Runtime, running: &Running, token: &str) -> bool {
    let client = Client::new(&running.address).with_token(token);
    runtime.block_on(client.get("/api/v1/me")).unwrap().is_good()
}

/// As `docs/OPERATIONS.md` says, step by step: the newer key does not open the copy, what the newer
/// key marked is in the way of the older one, and without it the log counts as restored.
#[test]
fn a_copy_from_before_a_change_of_the_key_is_restored_with_the_key_of_its_time() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let file = |name: &str| data.join("floor").join(name);
    let guest = |running: &Running, name: &str| {
        let guest = runtime.block_on(Client::new(&running.address).guest(Some(name))).unwrap();
        guest.token().unwrap().to_owned()
    };
    let running = Running::start(data);
    let ann = guest(&running, "Ann");
    done(&["store", "backup", "--data", ".", "--to", "copy.sabot"], data);
    std::fs::copy(file("key"), data.join("key of that time")).unwrap();
    let bo = guest(&running, "Bo");
    running.stop();
    done(&["audit", "key", "floor/floor.sabot", "--change"], data);
    // The floor goes on under its new key, and nothing is remarkable about that.
    let running = Running::start(data);
    assert_eq!(running.notes, [""; 0]);
    assert!(is_known(&runtime, &running, &ann) && is_known(&runtime, &running, &bo));
    running.stop();
    for name in ["floor.sabot", "door.db"] {
        std::fs::rename(file(name), data.join(format!("newest {name}"))).unwrap();
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(file(&format!("{name}{end}")));
        }
        let copy = if name == "door.db" { "copy.door.db" } else { "copy.sabot" };
        std::fs::copy(data.join(copy), file(name)).unwrap();
    }
    let copy = std::fs::read(file("floor.sabot")).unwrap();
    let told = refused(data);
    assert!(told.contains("does not hold") && told.contains("another key"), "{told}");
    std::fs::rename(file("key"), data.join("newest key")).unwrap();
    std::fs::copy(data.join("key of that time"), file("key")).unwrap();
    let told = refused(data);
    assert!(told.contains("key.head") && told.contains("another key"), "{told}");
    // Who refuses changes nothing, but for how SQLite opens the file, in its first hundred bytes.
    assert!(std::fs::read(file("floor.sabot")).unwrap()[100..] == copy[100..]);
    std::fs::rename(file("key.head"), data.join("newest key.head")).unwrap();
    let running = Running::start(data);
    let [note] = &running.notes[..] else { panic!("{:?}", running.notes) };
    assert!(note.contains("restored from an older copy"), "{note}");
    // Nobody can tell who signed out after the copy was made: everybody has.
    assert!(!is_known(&runtime, &running, &ann) && !is_known(&runtime, &running, &bo));
    running.stop();
    let verified = done(&["store", "verify", "--data", "."], data);
    assert!(verified.contains("RESTORED from an older copy 1 time"), "{verified}");
    // The newest files belong together as before.
    for name in ["floor.sabot", "door.db", "key", "key.head"] {
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(file(&format!("{name}{end}")));
        }
        std::fs::rename(data.join(format!("newest {name}")), file(name)).unwrap();
    }
    let running = Running::start(data);
    assert_eq!(running.notes, [""; 0]);
    assert!(is_known(&runtime, &running, &bo));
    running.stop();
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

/// A stop in the middle of a coup: whoever follows the table is told why, and the coup goes on at
/// the next start.
#[test]
fn a_stop_tells_the_sockets_and_loses_no_coup() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let slow = "pace = { betting_ms = 1500, card_ms = 3000, result_ms = 1000, answer_ms = 1000, \
                idle_ms = 600000 }";
    let text = CONFIG.replace("127.0.0.1:0", &format!("127.0.0.1:{}", own_port()));
    let running = Running::start_with(folder.path(), &text.replace("pace = \"at-once\"", slow));
    let look = async |ann: &Client| ann.get("/api/v1/tables/t1").await.unwrap().body;
    let dealing = async |ann: &Client| {
        for bet in 0..2000 {
            let view = look(ann).await;
            if view["phase"] == "dealing" {
                return view;
            }
            for (key, line) in [("c", "cuts 100"), ("b", "bets 10 on banker")] {
                let _ = ann.say("t1", &format!("{key}{bet}"), line).await;
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
        panic!("no coup is dealt: {}", look(ann).await);
    };
    let (ann, mut socket, before) = runtime.block_on(async {
        let ann = Client::new(&running.address).guest(Some("Ann")).await.unwrap();
        assert!(ann.say("t1", "sit", "sits at 1 with 100").await.unwrap().is_good());
        let mut socket = ann.socket(&[]).await.unwrap();
        let follow = serde_json::json!({ "do": "subscribe", "table": "t1" });
        socket.send(&follow).await.unwrap();
        let before = dealing(&ann).await;
        (ann, socket, before)
    });
    running.stop();
    runtime.block_on(async {
        while let Ok(Some(_)) = socket.next().await {}
        let why = socket.why_closed().unwrap();
        assert!(why.0 == 1001 && why.1.contains("the server stops"), "{why:?}");
    });
    let running = Running::start_with(folder.path(), &text);
    let view = runtime.block_on(look(&ann));
    let coup = |view: &Value| (view["coup"].clone(), view["mine"]["wagers"].clone());
    assert_ne!(before["mine"]["wagers"], serde_json::json!([]), "{before}");
    assert!(view["phase"] == "dealing" || view["phase"] == "betting", "{view}");
    if view["phase"] == "dealing" {
        assert_eq!(coup(&view), coup(&before), "it is the same coup with the same wagers");
    }
    // It ends, and the bet was won or lost once.
    runtime.block_on(async {
        for _ in 0..1200 {
            let view = look(&ann).await;
            if view["coups"].as_array().is_some_and(|coups| !coups.is_empty()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it never ends: {}", look(&ann).await);
    });
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
