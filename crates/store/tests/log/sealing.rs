//! Secrets under lock and key.

use std::path::Path;

use sqlx::Connection;
use store::{Key, KeyFault, StoreError, With};

use super::{Place, keep, raw, seal};

fn altered<T>(answer: &Result<T, StoreError>) -> bool {
    matches!(answer, Err(StoreError::Seal(KeyFault::Altered(_))))
}

async fn boxed(path: &Path, name: &str) -> Vec<u8> {
    let mut shell = raw(path).await;
    let query = sqlx::query_scalar("select box from sealed where name = ?").bind(name);
    let sealed = query.fetch_one(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    sealed
}

#[tokio::test]
async fn a_secret_is_opened_with_its_key_only() {
    let place = Place::new();
    let other = Key::at(&place.file("other key")).unwrap();
    let store = place.open().await;
    seal(&store, "table 1 shoe 1", b"the order of the shoe").await.unwrap();
    let sealed = boxed(&place.log(), "table 1 shoe 1").await;
    assert!(matches!(other.open("table 1 shoe 1", &sealed), Err(KeyFault::Altered(_))));
    store.close().await;
    // The key is the file's, not the process's.
    let store = place.open().await;
    let secret = store.unseal("table 1 shoe 1").await.unwrap().unwrap();
    assert_eq!(secret.as_slice(), b"the order of the shoe");
    assert_eq!(store.unseal("table 1 shoe 2").await.unwrap(), None);
    store.close().await;
    let file = std::fs::read(place.log()).unwrap();
    assert!(!file.windows(9).any(|window| window == b"the order"), "the secret is in the file");
}

#[tokio::test]
async fn a_secret_is_not_opened_under_another_name() {
    let place = Place::new();
    let store = place.open().await;
    seal(&store, "table 1 shoe 1", b"a secret").await.unwrap();
    let mut shell = raw(&place.log()).await;
    let exchange = "update sealed set name = 'table 1 shoe 2'";
    sqlx::query(exchange).execute(&mut shell).await.unwrap();
    assert!(altered(&store.unseal("table 1 shoe 2").await));
    assert_eq!(store.unseal("table 1 shoe 1").await.unwrap(), None);
    store.close().await;
}

#[tokio::test]
async fn a_box_with_one_bit_flipped_is_not_opened() {
    let key = Key::at(&Place::new().file("key")).unwrap();
    let sealed = key.seal("name", b"secret").unwrap();
    assert_eq!(key.open("name", &sealed).unwrap().as_slice(), b"secret");
    for bit in 0..sealed.len() * 8 {
        let mut flipped = sealed.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(matches!(key.open("name", &flipped), Err(KeyFault::Altered(_))), "bit {bit}");
    }
    for length in 0..sealed.len() {
        assert!(key.open("name", &sealed[..length]).is_err(), "{length} bytes of it were opened");
    }
    // The same secret is never sealed alike.
    assert_ne!(key.seal("name", b"secret").unwrap(), sealed);
}

#[tokio::test]
async fn a_box_altered_in_the_file_is_not_opened() {
    let place = Place::new();
    let store = place.open().await;
    seal(&store, "name", b"secret").await.unwrap();
    let mut sealed = boxed(&place.log(), "name").await;
    sealed[30] ^= 1;
    let mut shell = raw(&place.log()).await;
    let update = sqlx::query("update sealed set box = ?").bind(sealed);
    update.execute(&mut shell).await.unwrap();
    assert!(altered(&store.unseal("name").await));
    // A box is the only copy of its secret: nothing is sealed over it.
    assert!(seal(&store, "name", b"secret").await.is_err());
    keep(&store, With::Forgotten("name".into())).await.unwrap();
    seal(&store, "name", b"secret").await.unwrap();
    assert_eq!(store.unseal("name").await.unwrap().unwrap().as_slice(), b"secret");
    store.close().await;
}

/// Which of the boxes have a piece anywhere in the folder.
fn traces(folder: &Path, boxes: &[Vec<u8>]) -> Vec<usize> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        files.push(std::fs::read(entry.unwrap().path()).unwrap());
    }
    let found = |piece: &[u8]| {
        files.iter().any(|file| file.windows(piece.len()).any(|window| window == piece))
    };
    // The first and the last bytes, and some of every page in between.
    let pieces = |sealed: &Vec<u8>| {
        let last = sealed.len() - 16;
        let mut starts: Vec<_> = (0..last).step_by(1000).collect();
        starts.push(last);
        starts.into_iter().any(|start| found(&sealed[start..start + 16]))
    };
    (0..boxes.len()).filter(|i| pieces(&boxes[*i])).collect()
}

#[tokio::test]
async fn forgotten_secrets_leave_no_trace_in_the_file() {
    let place = Place::new();
    let store = place.open().await;
    let mut boxes = Vec::new();
    // Short ones share a page, long ones need several; the table is split and joined on the way.
    for (i, length) in [4096, 20, 600, 1, 4096, 9000, 300, 300, 300, 64].into_iter().enumerate() {
        let name = format!("table 1 shoe {i}");
        seal(&store, &name, &vec![7; length]).await.unwrap();
        boxes.push(boxed(&place.log(), &name).await);
    }
    // A secret that is sealed anew leaves its old box behind no more than a forgotten one.
    keep(&store, With::Forgotten("table 1 shoe 3".into())).await.unwrap();
    seal(&store, "table 1 shoe 3", b"anew").await.unwrap();
    for i in [0, 1, 2, 4, 5, 6, 8, 9] {
        keep(&store, With::Forgotten(format!("table 1 shoe {i}"))).await.unwrap();
    }
    store.close().await;
    assert!(!place.file("a.sabot-wal").exists(), "what was written ahead is still there");
    // Number 7 was not forgotten, which shows that a trace would be found.
    assert_eq!(traces(place.0.path(), &boxes), [7]);
    let store = place.open().await;
    assert_eq!(store.unseal("table 1 shoe 0").await.unwrap(), None);
    assert_eq!(store.unseal("table 1 shoe 7").await.unwrap().unwrap().len(), 300);
    store.close().await;
}

/// As a key must be: nobody but its owner reads it.
fn owners_alone(key: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(key, std::fs::Permissions::from_mode(0o600)).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_key_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.open().await.close().await;
    let key = place.file("a.sabot.key");
    for mode in [0o640, 0o604, 0o620, 0o777] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let told = store::Store::open(&place.log()).await.unwrap_err().to_string();
        assert!(told.contains("others can read") && told.contains("chmod 600"), "{told}");
    }
    owners_alone(&key);
    place.open().await.close().await;
}

#[cfg(unix)]
#[test]
fn a_new_key_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    Key::at(&place.file("key")).unwrap();
    let about = std::fs::metadata(place.file("key")).unwrap();
    assert_eq!((about.permissions().mode() & 0o777, about.len()), (0o600, 32));
}

#[test]
fn a_key_file_that_is_broken_is_refused_and_not_written_over() {
    let place = Place::new();
    for broken in [b"".as_slice(), &[1; 31], &[1; 33], b"not a key at all"] {
        std::fs::write(place.file("key"), broken).unwrap();
        owners_alone(&place.file("key"));
        match Key::at(&place.file("key")) {
            Err(KeyFault::NotAKey(path)) => assert_eq!(path, place.file("key")),
            other => panic!("{other:?}"),
        }
        assert_eq!(std::fs::read(place.file("key")).unwrap(), broken);
    }
    let nowhere = Key::at(&place.file("no folder").join("key"));
    assert!(matches!(nowhere, Err(KeyFault::File { .. })), "{nowhere:?}");
}

#[test]
fn a_key_does_not_show_itself() {
    let key = Key::at(&Place::new().file("key")).unwrap();
    assert_eq!(format!("{key:?}"), "Key(…)");
}
