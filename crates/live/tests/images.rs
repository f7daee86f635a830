//! The machine stops at any write: what is in the files then is a whole log, with everything that
//! was told.
//!
//! The journal of a session is cut off behind each of its pages, and in the middle of each: that is
//! what a kill or a power cut leaves. What is beside the key is what it was at that time, or older.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use audit::audit;
use live::{Host, Step};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use testkit::{Choices, random_bytes, robot};

const PAGE: usize = 4096 + 24;
const HEADER: usize = 32;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().unwrap().block_on(future)
}

/// What was told: how many records there were, what was beside the key by then, and how long the
/// journal was.
struct Told {
    version: u64,
    head: Vec<u8>,
    journal: usize,
}

/// The files of a session, and what was told on the way.
struct Session {
    log: Vec<u8>,
    journal: Vec<u8>,
    key: Vec<u8>,
    told: Vec<Told>,
    /// How many records there were in the end.
    version: u64,
    /// What was beside the key before the log had anything.
    beginning: Vec<u8>,
    /// The log after the journal was written into it.
    after: Vec<u8>,
}

impl Session {
    /// How many records had been told when the journal was so long.
    fn told_by(&self, journal: usize) -> u64 {
        let told = self.told.iter().filter(|told| told.journal <= journal);
        told.map(|told| told.version).max().unwrap_or(0)
    }
}

/// What is beside a key while a log is begun.
async fn beginning(key: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (log, path) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
    write(path.clone(), key);
    let options = SqliteConnectOptions::new().filename(&log).create_if_missing(true);
    let mut shell = options.connect().await.unwrap();
    let migrations = concat!(env!("CARGO_MANIFEST_DIR"), "/../store/migrations/sqlite");
    let migrator = sqlx::migrate::Migrator::new(Path::new(migrations)).await.unwrap();
    migrator.run(&mut shell).await.unwrap();
    sqlx::query("create table another (a)").execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    store::Store::open_with(&log, &path, store::Begin::Either).await.unwrap_err();
    std::fs::read(folder.path().join("a.head")).unwrap()
}

async fn session(folder: &Path, book: &str, acts: usize) -> Session {
    let (log, key) = (folder.join("a.sabot"), folder.join("a.key"));
    let loaded = Arc::new(rulebooks::load(book, None).unwrap());
    let mut house = Host::begin(
        &log,
        &key,
        store::Begin::Either,
        live::Beginning::alone("table 1", book, loaded),
    )
    .await
    .unwrap();
    let told_now = |house: &Host| {
        let head = std::fs::read(folder.join("a.head")).unwrap();
        let journal = std::fs::metadata(folder.join("a.sabot-wal")).unwrap().len();
        Told { version: house.version(), head, journal: usize::try_from(journal).unwrap() }
    };
    let mut told = vec![told_now(&house)];
    robot::open(&mut house, true, 2).await.unwrap();
    let bytes = random_bytes(11, 100_000);
    let mut choices = Choices::new(&bytes);
    for _ in 0..acts {
        match house.step().await.unwrap() {
            Step::Waits(due) => robot::answer(&mut house, &mut choices, due.next).await.unwrap(),
            Step::Refused(refusal) => panic!("{refusal}"),
            _ => {}
        }
        told.push(told_now(&house));
    }
    // An evening ends: between the last person's leaving and the secret is a write as well. Behind
    // the secret comes a head, which is beside the key only when it is in the log.
    everybody_leaves(&mut house).await;
    told.push(told_now(&house));
    house.abandon().await.unwrap();
    let version = house.version();
    let journal = std::fs::read(folder.join("a.sabot-wal")).unwrap();
    let (before, key) = (std::fs::read(&log).unwrap(), std::fs::read(&key).unwrap());
    // All of the journal goes into the log, and nothing is recorded meanwhile.
    let mut shell = SqliteConnectOptions::new().filename(&log).connect().await.unwrap();
    sqlx::query("pragma wal_checkpoint(passive)").execute(&mut shell).await.unwrap();
    let after = std::fs::read(&log).unwrap();
    shell.close().await.unwrap();
    let beginning = beginning(&key).await;
    house.close().await.unwrap();
    Session { log: before, journal, key, told, version, beginning, after }
}

/// Everybody leaves whom no wager holds.
async fn everybody_leaves(house: &mut Host) {
    let names: Vec<_> = house.table().present().map(|(_, player)| player.name).collect();
    for name in names {
        let _ = house.act(table::Act::Player(name, table::Deed::Leave)).await.unwrap();
    }
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
    Box::pin(start_from(session, &session.log, journal, late_head)).await
}

async fn start_from(session: &Session, main: &[u8], journal: &[u8], late_head: bool) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let (log, key) = (folder.path().join("a.sabot"), folder.path().join("a.key"));
    write(log.clone(), main);
    write(folder.path().join("a.sabot-wal"), journal);
    write(key.clone(), &session.key);
    let version = version_in(&log).await;
    // What is beside the key was written behind the last whole group, or some time before.
    let heads: Vec<_> = session.told.iter().filter(|told| told.version <= version).collect();
    let head = if late_head { heads.last() } else { heads.get(heads.len() / 2) };
    let head = head.map_or(&session.beginning, |told| &told.head);
    write(folder.path().join("a.head"), head);
    if version == 0 {
        // The table was not begun, whatever there is of the log: it is begun now.
        let loaded = Arc::new(rulebooks::load("act-2018", None).unwrap());
        let beginning = live::Beginning::alone("table 1", "act-2018", loaded);
        let begun = Host::begin(&log, &key, store::Begin::Either, beginning).await.unwrap();
        let verified = begun.log().file().unwrap().verify(None).await.unwrap();
        assert_eq!((verified.broken, verified.restored), (vec![], 0));
        begun.close().await.unwrap();
        return 0;
    }
    let mut house = Host::resume(&log, &key, "table 1").await.unwrap();
    assert!(house.version() >= version, "nothing that was there is lost");
    // Nothing is applied twice, and it goes on, unless everybody had left.
    if house.table().present().next().is_some() {
        let bytes = random_bytes(12, 3000);
        let coups = house.table().coups() + 2;
        robot::play(&mut house, &mut Choices::new(&bytes), coups).await.unwrap();
        everybody_leaves(&mut house).await;
        // It stops there too: the next start reveals what nobody will play from.
        house.close().await.unwrap();
        house = Host::resume(&log, &key, "table 1").await.unwrap();
    }
    let records = house.log().file().unwrap().records("table 1", 0).await.unwrap();
    let found = audit(&records).unwrap();
    assert_eq!(found.findings, []);
    let open = |shoe: &audit::ShoeFound| shoe.record.entropy.is_none() && shoe.abandoned.is_none();
    if house.table().present().next().is_none() {
        assert!(!found.shoes.iter().any(open), "a shoe is neither revealed nor abandoned");
    }
    let verified = house.log().file().unwrap().verify(None).await.unwrap();
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
                assert!(whole >= session.told_by(end), "page {page}: what was told is lost");
                assert!(half >= session.told_by(torn), "page {page}: what was told is lost");
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
    assert_eq!(before, session.version, "the whole journal has everything");
}

/// A power cut loses any page that was not synced, and keeps others that were written behind it:
/// what was told was synced before.
#[test]
fn a_page_that_was_not_synced_may_be_lost() {
    let folder = tempfile::tempdir().unwrap();
    let session = block_on(session(folder.path(), "act-2018", 40));
    let mut tried = 0;
    for two in session.told.windows(2).step_by(3) {
        let (synced, end) = (two[0].journal, two[1].journal);
        let pages: Vec<_> = (synced..end).step_by(PAGE).collect();
        for lost in pages.iter().copied().step_by(2) {
            for filled in [0, 0xa5] {
                let mut journal = session.journal[..end].to_vec();
                journal[lost..(lost + PAGE).min(end)].fill(filled);
                let version = block_on(start(&session, &journal, true));
                assert!(version >= two[0].version, "what was told is lost");
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "only {tried} images");
}

/// The machine stops while the journal is written into the log: some pages of the log are new, some
/// are not, and one is torn. The journal still has all of them.
#[test]
fn a_stop_while_the_journal_is_written_into_the_log_loses_nothing() {
    const SIZE: usize = 4096;
    let folder = tempfile::tempdir().unwrap();
    let session = block_on(session(folder.path(), "act-2018", 40));
    let last = session.version;
    assert_ne!(session.log, session.after, "nothing was written into the log");
    let bytes = random_bytes(13, 4000);
    let mut choices = Choices::new(&bytes);
    for _ in 0..25 {
        let mut main = session.log.clone();
        main.resize(session.after.len().max(main.len()), 0);
        let torn = choices.below(session.after.len() / SIZE);
        for (at, page) in session.after.chunks_exact(SIZE).enumerate() {
            let from = at * SIZE;
            if at == torn {
                main[from..from + SIZE / 2].copy_from_slice(&page[..SIZE / 2]);
            } else if choices.one_in(2) {
                main[from..from + SIZE].copy_from_slice(page);
            }
        }
        let version = block_on(start_from(&session, &main, &session.journal, true));
        assert_eq!(version, last);
    }
}
