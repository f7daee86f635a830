//! A thief who reads everything that lies about in the middle of a shoe and of an event with sealed
//! forms: files, a back-up, logs, metrics, and what every role is told. There is nothing to be
//! found; where the house leaks, it is found.

use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use live::{Host, World};
use serde_json::json;
use server::client::{Client, Socket};
use shoe::{Digest, Opening, Secret};
use store::{Begin, Store};
use testkit::leak::Hidden;

use crate::house::cup::{Cup, everybody};
use crate::house::{House, config, quick};
use testkit::cups::DUEL;

/// What is written on a sealed form, and stands nowhere else.
const FORM: &str = "183 on banker";

/// What was told, and what lies in the folder.
#[derive(Clone)]
struct Loot {
    told: String,
    files: Vec<u8>,
    folder: Arc<tempfile::TempDir>,
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

/// Holds an event of one coup, for which wagers are written on forms.
async fn seal_a_form(house: &House, all: &[(&'static str, Client)]) {
    let conditions = DUEL.replace("act-2012", "tas-2013").replace("coups = 2", "coups = 1");
    let open = |line: &&str| !line.starts_with("groups");
    let lines: Vec<_> = conditions.lines().filter(open).collect();
    let more = "secret_wagers = 1\nentry = \"adults\"\nelimination = \"who has no chips is out\"";
    let conditions = format!("{more}\n{}", lines.join("\n"));
    let mut cup =
        Cup::open(house, all.to_vec(), json!({ "conditions": conditions, "deals": "keyed" })).await;
    cup.until(|one| one["player"] == "Ann" && one["what"].to_string().contains("form")).await;
    let ann = cup.person("player").clone();
    let handed = cup.post(&ann, "form", json!({ "words": FORM })).await;
    assert!(handed.is_good(), "{handed:?}");
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
    let roles = all.iter().map(|(role, _)| *role).chain(["spectator"]);
    let stranger = house.client();
    for (role, client) in roles.clone().zip(all.iter().map(|(_, client)| client).chain([&stranger]))
    {
        let mut socket = client.socket(&[]).await.unwrap();
        socket.send(&json!({ "do": "subscribe", "table": "t1", "as": role })).await.unwrap();
        sockets.push(socket);
    }
    seal_a_form(&house, &all).await;
    for (socket, role) in sockets.iter_mut().zip(roles) {
        let follow = json!({ "do": "subscribe", "tournament": "e1", "as": role, "after": 0 });
        socket.send(&follow).await.unwrap();
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
        for path in ["tables/t1", "tables/t1/events", "tables/t1/shoe", "tournaments/e1"] {
            told += &seen(client, path, role).await;
        }
        told += &seen(client, "tournaments/e1/events", role).await;
    }
    drop(sockets);
    let back_up = back_up(&house).await;
    let (folder, _) = house.close().await;
    let mut files = back_up;
    for entry in std::fs::read_dir(folder.path().join("floor")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && !path.ends_with("key") {
            files.extend(std::fs::read(path).unwrap());
        }
    }
    Loot { told, files, folder: Arc::new(folder) }
}

/// A back-up that is made in the middle of it all.
async fn back_up(house: &House) -> Vec<u8> {
    let log = house.folder.path().join("floor").join("floor.sabot");
    let to = house.folder.path().join("back-up");
    let store = Store::read_only(&log).await.unwrap();
    store.back_up(&to).await.unwrap();
    store.close().await;
    std::fs::read(to).unwrap()
}

/// What somebody in a role is shown.
async fn seen(client: &Client, path: &str, role: &str) -> String {
    let reply = client.get(&format!("/api/v1/{path}?as={role}")).await.unwrap();
    assert!(reply.is_good(), "{path}: {reply:?}");
    reply.body.to_string()
}

/// What the house keeps under lock and key.
struct Secrets {
    /// What outsiders may know of the shoe.
    commitment: Digest,
    secret: Secret,
    /// The secret, salts and order of all cards that were not shown, in every form.
    hidden: Hidden,
    /// The next cards.
    coming: Vec<Opening>,
}

/// The secret of the shoe in use, which would tell every card that is not dealt yet.
async fn secrets(loot: &Loot) -> Secrets {
    let floor = loot.folder.path().join("floor");
    let (log, key) = (floor.join("floor.sabot"), floor.join("key"));
    let store = Store::open_with(&log, &key, Begin::Either).await.unwrap();
    let host = Host::resume_in(store.clone().into(), World::real(), None, "t1").await.unwrap();
    let record = host.published().expect("a shoe is in use").clone();
    assert!(record.entropy.is_none() && !record.openings.is_empty(), "in the middle of it");
    let commitment = record.commitment;
    let secret = store.unseal(&format!("t1 shoe {commitment}")).await.unwrap();
    let secret = Secret::from_bytes(&secret.expect("it is kept")).unwrap();
    let hidden = Hidden::of(&secret, &record);
    let coming = testkit::leak::coming(&secret, &record, 8);
    store.close().await;
    Secrets { commitment, secret, hidden, coming }
}

/// Everything hidden that the thief holds.
fn finds(loot: &Loot, secrets: &Secrets) -> Vec<String> {
    let mut found = Vec::new();
    for (place, bytes) in [("told", loot.told.as_bytes()), ("in a file", &loot.files)] {
        let hidden = secrets.hidden.found_in(bytes);
        found.extend(hidden.iter().map(|what| format!("{place}: {what}")));
        let of_form = spellings(FORM).into_iter().filter(|(_, form)| is_in(bytes, form));
        found.extend(of_form.map(|(how, _)| format!("{place}: a sealed form, {how}")));
    }
    found
}

/// A text in the forms in which a program may let it slip.
fn spellings(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let utf16 = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect();
    vec![
        ("as it is", text.into()),
        ("in hexadecimal", data_encoding::HEXLOWER.encode(text.as_bytes()).into()),
        ("in Base64", data_encoding::BASE64_NOPAD.encode(text.as_bytes()).into()),
        ("in an address", text.replace(' ', "%20").into()),
        ("in a form of a page", text.replace(' ', "+").into()),
        ("in UTF-16", utf16(u16::to_le_bytes)),
        ("in UTF-16, the other way", utf16(u16::to_be_bytes)),
        ("as numbers", format!("{:?}", text.as_bytes()).trim_matches(['[', ']']).into()),
    ]
}

fn is_in(bytes: &[u8], piece: &[u8]) -> bool {
    bytes.windows(piece.len()).any(|window| window == piece)
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
    let secrets = secrets(&loot).await;
    assert_eq!(finds(&loot, &secrets), Vec::<String>::new());
    // The search sees what is there: what everybody may know of the shoe and of the form.
    let public = secrets.commitment.to_string();
    assert!(loot.told.contains(&public) && is_in(&loot.files, public.as_bytes()));
    assert!(loot.told.contains("form-handed-in") && is_in(&loot.files, b"form-handed-in"));
}

/// The same search in a house that leaks: its chance is written to a file, a card is told before it
/// is dealt, and somebody notes down a form.
#[tokio::test(flavor = "multi_thread")]
async fn the_same_thief_finds_the_cards_where_the_house_leaks() {
    let leak = tempfile::NamedTempFile::new().unwrap();
    let mut file = leak.reopen().unwrap();
    let world = World::real().with_entropy(move |bytes| {
        getrandom::fill(bytes).unwrap();
        file.write_all(bytes).unwrap();
    });
    let loot = rob(world).await;
    let secrets = secrets(&loot).await;
    assert_eq!(finds(&loot, &secrets), Vec::<String>::new());
    let leaked = std::fs::read(leak.path()).unwrap();
    let cards: Vec<_> = secrets.coming.iter().map(|opening| opening.card.to_string()).collect();
    let told = [
        data_encoding::HEXLOWER.encode(&leaked),
        data_encoding::HEXLOWER.encode(secrets.secret.bytes()),
        cards.join(" "),
        serde_json::to_string(&cards).unwrap(),
        secrets.coming[3].salt.to_string(),
        format!("{{\"form\":\"{FORM}\"}}"),
    ];
    for (how, form) in spellings(FORM) {
        let leaky = Loot { files: [&loot.files[..], &form].concat(), ..loot.clone() };
        assert!(finds(&leaky, &secrets).iter().any(|what| what.ends_with(how)), "{how}");
    }
    for leak in told {
        let leaky = Loot { told: loot.told.clone() + &leak, ..loot.clone() };
        assert!(finds(&leaky, &secrets).iter().any(|what| what.starts_with("told")), "{leak}");
    }
    let leaky = Loot { files: [&loot.files[..], &leaked].concat(), ..loot.clone() };
    assert!(!finds(&leaky, &secrets).is_empty(), "bytes in a file are not found");
}
