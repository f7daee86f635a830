//! A thief who reads everything that lies about in the middle of a shoe: files, logs, metrics, and
//! what every role is told. There is nothing to be found; where the house leaks, it is found.

use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use live::World;
use serde_json::json;
use server::client::{Client, Socket};
use shoe::{Digest, ShoeFact};
use store::{Begin, Body, Store};

use crate::house::{House, config, quick};

/// Roles of staff; `regulator` looks as an auditor.
const STAFF: [&str; 6] =
    ["dealer", "supervisor", "inspector", "management", "director", "regulator"];

/// What was told, and what lies in the folder.
struct Loot {
    told: String,
    files: Vec<u8>,
    folder: tempfile::TempDir,
}

/// Log lines go where the thief can read them.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Everybody who can be at a house: a player, the operator, and staff of every role.
async fn everybody(house: &House) -> Vec<(&'static str, Client)> {
    let olga = house.operator("Olga").await;
    let mut all = vec![("player", house.guest("Ann").await)];
    for (role, number) in STAFF.into_iter().zip(1..) {
        all.push((role, house.staff(&olga, role, &format!("Staff-{number}")).await));
    }
    all.push(("operator", olga));
    all
}

/// Plays some coups of a shoe with everybody watching, and takes along what is to be had.
async fn rob(world: World) -> Loot {
    let folder = tempfile::tempdir().unwrap();
    let table = quick("One", "operator opens nz-1998");
    let house = House::in_world(folder, config(vec![table]), world).await;
    let all = everybody(&house).await;
    let (_, ann) = &all[0];
    assert!(ann.say("t1", "1", "sits at 1 with 200").await.unwrap().is_good());
    let mut sockets: Vec<Socket> = Vec::new();
    for (role, client) in &all {
        let mut socket = client.socket(&[]).await.unwrap();
        socket.send(&json!({ "do": "subscribe", "table": "t1", "as": role })).await.unwrap();
        sockets.push(socket);
    }
    let mut told = String::new();
    for round in 0..50 {
        for socket in &mut sockets {
            while let Ok(message) =
                tokio::time::timeout(Duration::from_millis(2), socket.next()).await
            {
                told += &message.unwrap().unwrap().to_string();
            }
        }
        let _ = ann.say("t1", &format!("b{round}"), "bets 20 on player").await.unwrap();
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    for path in ["/metrics", "/api/v1/tables", "/api/v1/tables/t1/shoe", "/text", "/api/v1/head"] {
        told += &house.client().get(path).await.unwrap().body.to_string();
    }
    for (role, client) in &all {
        for path in ["", "/events", "/shoe"] {
            let path = format!("/api/v1/tables/t1{path}?as={role}");
            let reply = client.get(&path).await.unwrap();
            assert!(reply.is_good(), "{path}: {reply:?}");
            told += &reply.body.to_string();
        }
    }
    drop(sockets);
    let (folder, _) = house.close().await;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder.path().join("floor")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && !path.ends_with("key") {
            files.extend(std::fs::read(path).unwrap());
        }
    }
    Loot { told, files, folder }
}

/// The secret of the shoe in use, which would tell every card that is not dealt yet.
async fn secret(loot: &Loot) -> (Digest, Vec<u8>) {
    let floor = loot.folder.path().join("floor");
    let (log, key) = (floor.join("floor.sabot"), floor.join("key"));
    let store = Store::open_with(&log, &key, Begin::Either).await.unwrap();
    let mut in_use = None;
    for record in store.records("t1", 0).await.unwrap() {
        match record.read() {
            Ok(Body::Shoe(ShoeFact::Committed { commitment, .. })) => in_use = Some(commitment),
            Ok(Body::Shoe(ShoeFact::Revealed { .. })) => in_use = None,
            _ => {}
        }
    }
    let commitment = in_use.expect("a shoe is in use");
    let secret = store.unseal(&format!("t1 shoe {commitment}")).await.unwrap();
    store.close().await;
    (commitment, secret.expect("its secret is under lock and key").to_vec())
}

fn is_in(bytes: &[u8], piece: &[u8]) -> bool {
    bytes.windows(piece.len()).any(|window| window == piece)
}

fn hexadecimal(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

/// Where pieces of a secret lie: as they are, or as text.
fn finds(loot: &Loot, secret: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    // Sixteen bytes of chance are nowhere by chance.
    for (number, piece) in secret.chunks_exact(16).enumerate().step_by(5) {
        let digits = hexadecimal(piece);
        let list = piece.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        for (form, text) in [("digits", digits), ("a list", list)] {
            if loot.told.contains(&text) {
                found.push(format!("piece {number} was told as {form}"));
            }
            if is_in(&loot.files, text.as_bytes()) {
                found.push(format!("piece {number} lies in a file as {form}"));
            }
        }
        if is_in(&loot.files, piece) {
            found.push(format!("piece {number} lies in a file"));
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thief_finds_no_card_that_was_not_shown() {
    let lines = Lines::default();
    let written = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || written.clone())
        .finish();
    let _ = tracing::subscriber::set_global_default(subscriber);
    let mut loot = rob(World::real()).await;
    let said = lines.0.lock().unwrap().clone();
    assert!(!said.is_empty(), "nothing was logged");
    loot.files.extend(said);
    let (commitment, secret) = secret(&loot).await;
    assert_eq!(finds(&loot, &secret), Vec::<String>::new());
    // The search sees what is there: what everybody may know of the shoe.
    let public = commitment.to_string();
    assert!(loot.told.contains(&public) && is_in(&loot.files, public.as_bytes()));
}

/// The same search in a house that leaks: its chance is written to a file, as it is and as text.
#[tokio::test(flavor = "multi_thread")]
async fn the_same_thief_finds_the_cards_where_the_house_leaks() {
    let leak = tempfile::NamedTempFile::new().unwrap();
    let mut file = leak.reopen().unwrap();
    let world = World::real().with_entropy(move |bytes| {
        getrandom::fill(bytes).unwrap();
        file.write_all(bytes).unwrap();
    });
    let mut loot = rob(world).await;
    let leaked = std::fs::read(leak.path()).unwrap();
    let (_, secret) = secret(&loot).await;
    assert!(finds(&loot, &secret).is_empty());
    loot.files.extend(&leaked);
    assert!(!finds(&loot, &secret).is_empty(), "bytes in a file are not found");
    loot.told += &hexadecimal(&leaked);
    assert!(finds(&loot, &secret).iter().any(|found| found.contains("was told")));
}
