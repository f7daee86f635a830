//! The house's key is gone from the process's memory when its log is closed.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../shoe/tests/memory/mod.rs"]
mod memory;

use memory::{MASK, Search};
use store::Key;

#[test]
fn the_key_does_not_outlive_who_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.key");
    drop(Key::at(&path).unwrap());
    let key = Key::at(&path).unwrap();
    let sealed = key.seal("a name", b"a secret").unwrap();
    key.open("a name", &sealed).unwrap();
    // What is looked for is read and masked where nothing else lies.
    let mut masked = std::fs::read(&path).unwrap();
    for byte in &mut masked {
        *byte ^= MASK;
    }
    let mut search = Search::new();
    assert!(search.found(&masked) > 0, "the search must find what is there");
    drop(key);
    assert_eq!(search.found(&masked), 0, "the key outlives who holds it");
}
