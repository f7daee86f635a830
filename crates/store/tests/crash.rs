//! Killed in the middle of writing, a log has everything that was acknowledged, and goes on.
//!
//! The test starts itself again as another process, which appends as fast as it can and says what
//! was acknowledged, and kills that process without warning.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use shoe::Digest;
use store::{
    Append, Appended, Body, CommandKey, Entry, Store, StoreError, StreamEntries, verify_chain,
};

/// Where the child finds its log; without it, the child's test has nothing to do.
const LOG: &str = "SABOT_CRASH_LOG";
const STARTED: &str = "started";
const ACKNOWLEDGED: &str = "acknowledged ";
const WRITERS: u64 = 4;
const KILLS: usize = 20;
/// A child that nobody kills ends by itself.
const MOST: u64 = 100_000;

fn streams(writer: u64) -> [String; 2] {
    [format!("left {writer}"), format!("right {writer}")]
}

fn said(writer: u64, number: u64) -> String {
    format!("number {number} of writer {writer}")
}

/// One record in each of the writer's two streams.
fn both(writer: u64, number: u64) -> Append {
    let said = said(writer, number);
    let (key, payload) = (format!("{writer} {number}"), Digest::of(&[said.as_bytes()]));
    let part = |stream| {
        let entries = vec![Entry { at: number, body: Body::Line(said.clone()) }];
        StreamEntries { stream, expected: number - 1, entries }
    };
    let command = CommandKey { actor: "child".into(), key, payload };
    Append { command, parts: streams(writer).map(part).into(), with: Vec::new() }
}

/// What the child of the other test does.
#[tokio::test]
async fn child_that_is_killed() {
    let Some(path) = std::env::var_os(LOG) else { return };
    // The test runner has begun a line of its own.
    tell("");
    tell(STARTED);
    let store = Arc::new(Store::open(Path::new(&path)).await.unwrap());
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let store = store.clone();
        writers.spawn(async move {
            let before = store.records(&streams(writer)[0], 0).await.unwrap().len() as u64;
            for number in before + 1..before + MOST {
                store.append(both(writer, number)).await.unwrap();
                tell(&format!("{ACKNOWLEDGED}{writer} {number}"));
            }
        });
    }
    writers.join_all().await;
}

/// Fails when nobody listens any more, so that a child does not outlive its parent.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
}

/// A child that does not outlive the test, whatever becomes of it.
struct Writing(Child);

impl Writing {
    fn start(log: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "child_that_is_killed", "--nocapture"]).env(LOG, log);
        Self(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Kills the child when it has said so much; gives the last number of each writer.
    fn kill_after(mut self, acknowledged: usize, while_it_runs: impl FnOnce()) -> Vec<(u64, u64)> {
        let out = self.0.stdout.take().unwrap();
        let mut lines = BufReader::new(out).lines().map(Result::unwrap);
        assert!(lines.any(|line| line == STARTED), "the child did not start");
        let read = |line: String| {
            let (writer, number) = line.strip_prefix(ACKNOWLEDGED)?.split_once(' ')?;
            Some((writer.parse().ok()?, number.parse().ok()?))
        };
        let mut heard: Vec<_> = lines.by_ref().filter_map(read).take(acknowledged).collect();
        assert_eq!(heard.len(), acknowledged, "the child ended by itself");
        while_it_runs();
        self.0.kill().unwrap();
        self.0.wait().unwrap();
        // What it said before it was killed, it has said. Its last line may be half a line, whose
        // number is then smaller than it should be, and as true.
        heard.extend(lines.filter_map(read));
        heard
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Checks the log, and gives how many records each writer has.
async fn check(store: &Store, acknowledged: &HashMap<u64, u64>) -> HashMap<u64, u64> {
    assert_eq!(store.verify(None).await.unwrap().broken, []);
    let mut there = HashMap::new();
    for writer in 0..WRITERS {
        let [left, right] = streams(writer);
        let records = store.records(&left, 0).await.unwrap();
        for (number, record) in (1..).zip(&records) {
            assert_eq!(record.read().unwrap(), Body::Line(said(writer, number)));
        }
        let count = records.len() as u64;
        let other = store.records(&right, 0).await.unwrap().len() as u64;
        assert_eq!(count, other, "half a command is there");
        let heard = acknowledged.get(&writer).copied().unwrap_or(0);
        assert!(count >= heard, "{heard} were acknowledged, and {count} are there");
        there.insert(writer, count);
    }
    there
}

#[tokio::test]
async fn whatever_was_acknowledged_is_there_after_a_kill_and_the_log_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.sabot");
    let mut acknowledged = HashMap::new();
    for round in 0..KILLS {
        // In the first rounds it is killed while it makes or opens the file; in some later ones it
        // has written so much that the write-ahead file went into the other in between.
        let wanted = if round < 3 { 0 } else { 1 + round * 337 % 800 };
        for (writer, number) in Writing::start(&log).kill_after(wanted, || ()) {
            let last = acknowledged.entry(writer).or_insert(number);
            *last = number.max(*last);
        }
        let store = Store::open(&log).await.unwrap();
        let there = check(&store, &acknowledged).await;
        for (writer, count) in there {
            // Who did not hear the answer asks again, and it is done once.
            if count > 0 {
                let again = store.append(both(writer, count)).await.unwrap();
                assert_eq!(again, Appended { versions: (count, count), repeated: true });
            }
            let next = store.append(both(writer, count + 1)).await.unwrap();
            assert_eq!(next, Appended { versions: (count + 1, count + 1), repeated: false });
            acknowledged.insert(writer, count + 1);
        }
        store.checkpoint(0, Vec::new()).await.unwrap();
        store.close().await;
    }
}

#[test]
fn another_process_is_told_that_a_log_is_in_use_and_may_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.sabot");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let look = async || {
        match Store::open(&log).await {
            Err(StoreError::InUse(path)) => assert_eq!(path, log),
            other => panic!("{other:?}"),
        }
        let reader = Store::read_only(&log).await.unwrap();
        for stream in reader.streams().await.unwrap() {
            let records = reader.records(&stream, 0).await.unwrap();
            assert!(!records.is_empty());
            verify_chain(&stream, &records).unwrap();
        }
        reader.close().await;
    };
    Writing::start(&log).kill_after(1, || runtime.block_on(look()));
    // The lock went with the process that had it.
    runtime.block_on(async { Store::open(&log).await.unwrap().close().await });
}

/// What keeps a second writer out is the log itself. A lock in a file beside it could be deleted,
/// and then two would write.
#[test]
fn no_file_beside_the_log_is_what_keeps_a_second_writer_out() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.sabot");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let needed = ["a.sabot", "a.sabot-wal", "a.sabot-shm", "a.sabot.key"];
    Writing::start(&log).kill_after(1, || {
        for file in std::fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap();
            if !needed.iter().any(|name| file.file_name() == *name) {
                std::fs::remove_file(file.path()).unwrap();
            }
        }
        let second = runtime.block_on(Store::open(&log));
        assert!(matches!(second, Err(StoreError::InUse(_))), "{second:?}");
    });
}

/// What the disk loses is the end of what was written ahead, wherever it was torn.
#[tokio::test]
async fn a_torn_write_ahead_file_leaves_a_whole_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("a.sabot");
    let store = Store::open(&log).await.unwrap();
    for number in 1..=12 {
        store.append(both(0, number)).await.unwrap();
    }
    let (file, ahead) = (std::fs::read(&log).unwrap(), std::fs::read(ahead_of(&log)).unwrap());
    assert!(ahead.len() > 12 * 4096, "only {} bytes were written ahead", ahead.len());
    store.close().await;
    let mut before = 0;
    let (none, steps) = (HashMap::new(), 48);
    for step in 0..=steps {
        let torn = tempfile::tempdir().unwrap();
        let log = torn.path().join("a.sabot");
        std::fs::write(&log, &file).unwrap();
        std::fs::copy(folder.path().join("a.sabot.key"), torn.path().join("a.sabot.key")).unwrap();
        std::fs::write(ahead_of(&log), &ahead[..ahead.len() * step / steps]).unwrap();
        let store = Store::open(&log).await.unwrap();
        let count = check(&store, &none).await[&0];
        assert!(count >= before, "{count} records, and {before} of less");
        before = count;
        store.append(both(0, count + 1)).await.unwrap();
        store.close().await;
    }
    assert_eq!(before, 12, "the whole file has not everything");
}

fn ahead_of(log: &Path) -> std::path::PathBuf {
    let mut name = log.file_name().unwrap().to_owned();
    name.push("-wal");
    log.with_file_name(name)
}
