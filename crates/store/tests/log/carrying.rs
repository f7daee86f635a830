//! A log as lines and back: nothing is lost, nothing that was altered is taken.

use shoe::Digest;
use store::{Begin, Store, StoreError, import};

use super::{Place, add, lines, seal};

/// A log with records, a secret and heads, and its lines.
async fn exported(place: &Place) -> (Vec<String>, Option<(u64, Digest)>) {
    let store = place.open().await;
    store.append(add("s", 0, "one")).await.unwrap();
    seal(&store, "a secret", b"hush").await.unwrap();
    store.append(add("s", 1, "two 'quoted' \u{2014} \"so\"")).await.unwrap();
    let head = store.checkpoint(1, Vec::new()).await.unwrap();
    let mut written = Vec::new();
    let mut line = |line: &str| {
        written.push(line.to_owned());
        Ok(())
    };
    let count = store.export(&mut line).await.unwrap();
    assert_eq!(count, written.len() as u64);
    store.close().await;
    (written, Some((head.version, head.hash)))
}

fn read(lines: &[String]) -> impl Iterator<Item = std::io::Result<String>> {
    lines.iter().map(|line| Ok(line.clone()))
}

#[tokio::test]
async fn a_log_that_was_carried_is_the_same_and_goes_on_under_its_key() {
    let place = Place::new();
    let (written, head) = exported(&place).await;
    let copy = place.file("copy.sabot");
    let found = import(&copy, read(&written), head).await.unwrap();
    assert!(found.broken.is_empty() && found.behind == 0, "{found:?}");
    let key = place.key_for(&copy);
    let store = Store::open_with(&copy, &key, Begin::Either).await.unwrap();
    assert_eq!(lines(&store, "s").await, ["one", "two 'quoted' \u{2014} \"so\""]);
    let secret = store.unseal("a secret").await.unwrap().unwrap();
    assert_eq!(secret.as_slice(), b"hush");
    // What was carried out before is not carried out again.
    assert!(store.append(add("s", 0, "one")).await.unwrap().repeated);
    store.append(add("s", 2, "three")).await.unwrap();
    store.close().await;
}

/// What is written while a log is carried is in none of its tables.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_in_use_is_carried_as_of_one_moment() {
    let place = Place::new();
    let store = place.open().await;
    for i in 0..5 {
        store.append(add("s", i, &i.to_string())).await.unwrap();
    }
    let (view, writer) = (Store::view(&place.log()).await.unwrap(), store.clone());
    for (reader, from) in [(&store, 5), (&view, 5 + 20)] {
        let (mut written, mut version) = (Vec::new(), from);
        let mut line = |line: &str| {
            written.push(line.to_owned());
            tokio::task::block_in_place(|| {
                let append = writer.append(add("s", version, &version.to_string()));
                tokio::runtime::Handle::current().block_on(append).unwrap();
            });
            version += 1;
            Ok(())
        };
        reader.export(&mut line).await.unwrap();
        assert!(written.len() >= 10, "{written:#?}");
        let copy = place.file(&format!("copy {from}.sabot"));
        let found = import(&copy, read(&written), None).await.unwrap();
        assert_eq!(found.records, 6, "five, and the house's key");
        for i in version..25 {
            store.append(add("s", i, &i.to_string())).await.unwrap();
        }
    }
    view.close().await;
    store.close().await;
}

#[tokio::test]
async fn lines_that_were_altered_left_out_or_moved_make_no_log() {
    let place = Place::new();
    let (written, head) = exported(&place).await;
    let copy = place.file("copy.sabot");
    let mut tried = 0;
    for at in 0..written.len() {
        let kept = written[at].contains("\"in\":\"person\"") || written[at].contains("sealed");
        let mut without = written.clone();
        without.remove(at);
        let mut altered = written.clone();
        altered[at] =
            altered[at].replacen("one", "won", 1).replacen("\"version\":1", "\"version\":9", 1);
        let mut twice = written.clone();
        twice.insert(at, written[at].clone());
        for lines in [without, altered, twice] {
            if lines == written || kept {
                continue;
            }
            tried += 1;
            let taken = import(&copy, read(&lines), head).await;
            assert!(taken.is_err(), "line {at} of {lines:#?}");
            assert!(!copy.exists(), "a log that does not hold was left behind");
        }
    }
    assert!(tried > written.len(), "{tried}");
    for other in ["", "{}", "{\"in\":\"sqlite_schema\"}", "x"] {
        let lines = [other.to_owned()];
        let taken = import(&copy, read(&lines), head).await;
        assert!(matches!(taken, Err(StoreError::Untrusted(_))), "{other:?}: {taken:?}");
    }
    // A file that is there stays as it is.
    std::fs::write(&copy, "mine").unwrap();
    assert!(matches!(import(&copy, read(&written), head).await, Err(StoreError::Exists(_))));
    assert_eq!(std::fs::read(&copy).unwrap(), b"mine");
}

/// A name that is taken stays taken, also by a link that leads nowhere yet.
#[cfg(unix)]
#[tokio::test]
async fn a_log_is_carried_only_into_a_file_of_its_own() {
    let place = Place::new();
    let (written, head) = exported(&place).await;
    let (copy, elsewhere) = (place.file("copy.sabot"), place.file("elsewhere.sabot"));
    std::os::unix::fs::symlink(&elsewhere, &copy).unwrap();
    let taken = import(&copy, read(&written), head).await;
    assert!(matches!(taken, Err(StoreError::Exists(_))), "{taken:?}");
    assert!(!elsewhere.exists() && copy.is_symlink());
}
