//! The machine stops at any write: what is in the files then is a whole log, with everything that
//! was told.
//!
//! The journal of a session is cut off behind each of its pages, and in the middle of each: that is
//! what a kill or a power cut leaves. What is beside the key is what it was at that time, or older.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use house::{House, Step, audit};
use testkit::{Choices, random_bytes, robot};

const PAGE: usize = 4096 + 24;
const HEADER: usize = 32;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().unwrap().block_on(future)
}

/// What was told: how many records there were, and what was beside the key by then.
struct Told {
    version: u64,
    head: Vec<u8>,
}

/// The files of a session, and what was told on the way.
struct Session {
    log: Vec<u8>,
    journal: Vec<u8>,
    key: Vec<u8>,
    told: Vec<Told>,
}

async fn session(folder: &Path, book: &str, acts: usize) -> Session {
    let (log, key) = (folder.join("a.sabot"), folder.join("a.key"));
    let loaded = Arc::new(rulebooks::load(book, None).unwrap());
    let mut house = House::begin(&log, &key, "table 1", book, loaded).await.unwrap();
    let head = || std::fs::read(folder.join("a.head")).unwrap();
    let mut told = vec![Told { version: house.version(), head: head() }];
    robot::open(&mut house, true, 2).await.unwrap();
    let bytes = random_bytes(11, 100_000);
    let mut choices = Choices::new(&bytes);
    for _ in 0..acts {
        match house.step().await.unwrap() {
            Step::Waits(due) => robot::answer(&mut house, &mut choices, due.next).await.unwrap(),
            Step::Refused(refusal) => panic!("{refusal}"),
            _ => {}
        }
        told.push(Told { version: house.version(), head: head() });
    }
    let journal = std::fs::read(folder.join("a.sabot-wal")).unwrap();
    let session = Session {
        log: std::fs::read(&log).unwrap(),
        journal,
        key: std::fs::read(&key).unwrap(),
        told,
    };
    house.close().await.unwrap();
    session
}

fn write(path: PathBuf, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(&path, bytes).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// How many records a log has in the table's stream.
async fn version_in(log: &Path) -> u64 {
    let Ok(store) = store::Store::read_only(log).await else { return 0 };
    let records = store.records("table 1", 0).await.map_or(0, |records| records.len() as u64);
    store.close().await;
    records
}

/// Starts from files as they were; gives how many records were there.
async fn start(session: &Session, journal: &[u8], late_head: bool) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
    write(log.clone(), &session.log);
    write(folder.path().join("a.sabot-wal"), journal);
    write(key.clone(), &session.key);
    let version = version_in(&log).await;
    // What is beside the key was written behind the last whole group, or some time before.
    let heads: Vec<_> = session.told.iter().filter(|told| told.version <= version).collect();
    let head = if late_head { heads.last() } else { heads.get(heads.len() / 2) };
    if let Some(told) = head {
        write(folder.path().join("a.head"), &told.head);
    }
    if version == 0 {
        return 0;
    }
    let mut house = House::resume(&log, &key, "table 1").await.unwrap();
    assert!(house.version() >= version, "nothing that was there is lost");
    // Nothing is applied twice, and it goes on.
    let bytes = random_bytes(12, 3000);
    let coups = house.table().coups() + 2;
    robot::play(&mut house, &mut Choices::new(&bytes), coups).await.unwrap();
    // In the end every shoe is revealed.
    let names: Vec<_> = house.table().present().map(|(_, player)| player.name).collect();
    for name in names {
        let _ = house.act(table::Act::Player(name, table::Deed::Leave)).await.unwrap();
    }
    if house.table().present().next().is_none() {
        house.abandon().await.unwrap();
    }
    let records = house.store().records("table 1", 0).await.unwrap();
    let found = audit(&records).unwrap();
    assert_eq!(found.findings, []);
    let open = |shoe: &house::ShoeFound| shoe.record.entropy.is_none() && shoe.abandoned.is_none();
    if house.table().present().next().is_none() {
        assert!(!found.shoes.iter().any(open), "a shoe is neither revealed nor abandoned");
    }
    let verified = house.store().verify(None).await.unwrap();
    assert_eq!((verified.broken, verified.restored), (vec![], 0));
    house.close().await.unwrap();
    version
}

#[test]
fn a_stop_at_every_write_loses_nothing_that_was_told() {
    let folder = tempfile::tempdir().unwrap();
    let session = block_on(session(folder.path(), "act-2018", 55));
    let pages = (session.journal.len() - HEADER) / PAGE;
    assert!(pages > 120, "only {pages} pages were written");
    let next = AtomicUsize::new(0);
    let found = std::thread::scope(|scope| {
        let work = || {
            let mut found = Vec::new();
            loop {
                let page = next.fetch_add(1, Ordering::Relaxed);
                if page > pages {
                    return found;
                }
                let end = HEADER + page * PAGE;
                let torn = (end + PAGE / 2).min(session.journal.len());
                let whole =
                    block_on(start(&session, &session.journal[..end], page.is_multiple_of(2)));
                let half =
                    block_on(start(&session, &session.journal[..torn], page.is_multiple_of(3)));
                found.push((page, whole, half));
            }
        };
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let mut found = found;
    found.sort_unstable();
    let mut before = 0;
    for (page, whole, half) in found {
        assert!(whole >= before && half >= whole, "page {page}: {before}, {whole}, {half}");
        before = half;
    }
    assert_eq!(before, session.told.last().unwrap().version, "the whole journal has everything");
}
