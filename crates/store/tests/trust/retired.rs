//! A key that was changed away signs nothing more, and no head knows less than the one before it.

use shoe::Digest;
use sqlx::Connection;
use store::{Body, Broken, CHECKPOINTS, HOUSE, Heads, Key, Record, Store, hash};

use super::{Place, add, filled, raw};

/// Adds a checkpoint that a key signs, with heads that were changed.
async fn sign(place: &Place, key: &Key, change: impl FnOnce(&mut Heads)) -> (u64, Digest) {
    let store = Store::read_only(&place.log()).await.unwrap();
    let last = store.records(CHECKPOINTS, 0).await.unwrap().pop().unwrap();
    store.close().await;
    let Body::Checkpoint(mut heads) = last.read().unwrap() else { panic!() };
    change(&mut heads);
    heads.key = Some(key.signer().public());
    heads.signature = None;
    let unsigned = Body::Checkpoint(heads.clone()).to_json();
    let (version, at) = (last.version + 1, last.at + 1);
    let (numbers, part) = ((version.to_be_bytes(), at.to_be_bytes()), unsigned.strip_suffix('}'));
    let message: [&[u8]; 5] =
        [b"sabot-checkpoint-2", &last.hash.0, &numbers.0, &numbers.1, part.unwrap().as_bytes()];
    heads.signature = Some(key.signer().sign(&message));
    let body = Body::Checkpoint(heads).to_json();
    let mut record = Record { version, at, key: version.to_string(), body, ..last };
    let previous = record.hash;
    record.hash = hash(&previous, &record);
    let mut shell = raw(&place.log()).await;
    sqlx::query("insert into log values ('checkpoint', ?, ?, 'store', ?, 'checkpoint/2', ?, ?)")
        .bind(version.cast_signed())
        .bind(at.cast_signed())
        .bind(record.key)
        .bind(record.body)
        .bind(record.hash.0.to_vec())
        .execute(&mut shell)
        .await
        .unwrap();
    shell.close().await.unwrap();
    (version, record.hash)
}

async fn broken(place: &Place, kept: Option<(u64, Digest)>) -> Vec<String> {
    let store = Store::read_only(&place.log()).await.unwrap();
    let broken = store.verify(kept).await.unwrap().broken;
    store.close().await;
    broken.iter().map(Broken::to_string).collect()
}

/// Names the house's own record 1 as the last.
fn house_goes_back(first: Digest) -> impl FnOnce(&mut Heads) {
    move |heads| {
        let house = heads.heads.iter_mut().find(|head| head.stream == HOUSE).unwrap();
        (house.version, house.hash) = (1, first);
    }
}

#[tokio::test]
async fn a_key_that_was_changed_away_signs_nothing_more() {
    let place = Place::new();
    filled(&place).await;
    let key = place.file("a.sabot.key");
    let kept_key = place.file("old.key");
    std::fs::copy(&key, &kept_key).unwrap();
    super::owners_alone(&kept_key);
    let old = Key::read(&kept_key).unwrap();
    store::change_key(&place.log(), &key).await.unwrap();
    let store = Store::open(&place.log()).await.unwrap();
    store.append(add("a", 6, "a 6")).await.unwrap();
    let head = store.checkpoint(9, Vec::new()).await.unwrap();
    let first = store.records(HOUSE, 0).await.unwrap()[0].hash;
    store.close().await;
    let shown = Some((head.version, head.hash));
    assert_eq!(broken(&place, shown).await, Vec::<String>::new());
    let image = place.image();
    // As if the key had never been changed.
    let forged = sign(&place, &old, house_goes_back(first)).await;
    for kept in [None, shown, Some(forged)] {
        let found = broken(&place, kept).await;
        let back = format!("checkpoint {}: house had come to 2 before", forged.0);
        assert_eq!(found, [back]);
    }
    assert!(Store::open(&place.log()).await.is_err());
    place.put_back(&image, &[]);
    // With the heads as they are, it is of another key than the one of that time.
    let forged = sign(&place, &old, |_| {}).await;
    let found = broken(&place, shown).await;
    let signed = format!("checkpoint {} is not signed by the house's key of that time", forged.0);
    assert_eq!(found, [signed]);
}

/// What somebody does to the heads of a checkpoint.
type Change = fn(&mut Heads);

#[tokio::test]
async fn no_head_knows_less_than_the_one_before_it() {
    let place = Place::new();
    filled(&place).await;
    let key = Key::read(&place.file("a.sabot.key")).unwrap();
    let image = place.image();
    let changes: [(Change, &str); 5] = [
        (|heads| heads.commands = heads.commands.map(|commands| commands - 1), "commands before"),
        (|heads| heads.epoch = Some(1), "its epoch is 1, and 0 is due"),
        (|heads| heads.heads.retain(|head| head.stream != "b"), "b had come to 4 before"),
        (|heads| heads.heads.retain(|head| head.stream != HOUSE), "house had come to 1 before"),
        (|heads| heads.heads.iter_mut().for_each(|head| head.version = 1), "a had come to 4"),
    ];
    for (change, told) in changes {
        sign(&place, &key, change).await;
        let found = broken(&place, None).await;
        assert!(found.iter().any(|broken| broken.contains(told)), "{told}: {found:?}");
        place.put_back(&image, &[]);
    }
    // As it is, a checkpoint more does no harm.
    sign(&place, &key, |_| {}).await;
    assert_eq!(broken(&place, None).await, Vec::<String>::new());
}
