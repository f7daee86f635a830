//! Logs whose end was cut off: what the audit says without a head, and with the one that was shown.

use std::path::Path;

use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use super::{COUP, block_on, logs, sabot, said};

/// Records that are taken off the end of one stream, at the most.
const MOST: i64 = 4;

/// All records, and how many of them the last head does not cover; nothing where there is none.
const LEFT: &str = "with r (all_) as (select count(*) from log where stream != 'checkpoint') \
     select all_, all_ - (select sum(h.value ->> 'version') \
     from log l, json_each(l.body, '$.heads') h where l.stream = 'checkpoint' and \
     l.version = (select max(version) from log where stream = 'checkpoint')) from r";

/// How a log is cut off.
#[derive(Debug)]
enum Cut {
    /// So many records at the end of a stream; commands and heads stay.
    Stream(String, i64),
    /// All that the commands behind this one added, and the heads that know of it: what is left is
    /// the log as it was then.
    Commands(i64),
}

impl Cut {
    fn statements(&self) -> Vec<String> {
        match self {
            Self::Stream(name, count) => vec![format!(
                "delete from log where stream = '{name}' and version > \
                 (select max(version) from log where stream = '{name}') - {count}"
            )],
            Self::Commands(last) => vec![
                format!(
                    "delete from log where stream != 'checkpoint' and version > \
                     (select coalesce(max(p.value ->> 'version'), 0) from command c, \
                     json_each(c.parts) p where c.number <= {last} and \
                     p.value ->> 'stream' = log.stream)"
                ),
                format!(
                    "delete from log where stream = 'checkpoint' and body ->> 'commands' > {last}"
                ),
                format!("delete from command where number > {last}"),
            ],
        }
    }
}

async fn shell(log: &Path) -> SqliteConnection {
    sqlx::sqlite::SqliteConnectOptions::new().filename(log).connect().await.unwrap()
}

/// Every cut of a log: a few records off each stream, and each of its earlier states.
async fn cuts(log: &Path) -> Vec<Cut> {
    let mut shell = shell(log).await;
    let streams = "select stream, max(version) from log group by stream";
    let streams: Vec<(String, i64)> = sqlx::query_as(streams).fetch_all(&mut shell).await.unwrap();
    let commands = "select max(number) from command";
    let commands: i64 = sqlx::query_scalar(commands).fetch_one(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    let ends = streams.into_iter().flat_map(|(name, last)| {
        (1..=last.min(MOST)).map(move |count| Cut::Stream(name.clone(), count))
    });
    ends.chain((1..commands).map(Cut::Commands)).collect()
}

/// Cuts a log off, as somebody would who puts the triggers back; gives what is left.
async fn cut_off(log: &Path, cut: &Cut) -> (i64, Option<i64>) {
    let mut shell = shell(log).await;
    let triggers = "select name, sql from sqlite_schema where type = 'trigger'";
    let triggers: Vec<(String, String)> =
        sqlx::query_as(triggers).fetch_all(&mut shell).await.unwrap();
    let drops = triggers.iter().map(|(name, _)| format!("drop trigger {name}"));
    let back = triggers.iter().map(|(_, sql)| sql.clone());
    for statement in drops.chain(cut.statements()).chain(back) {
        sqlx::query(AssertSqlSafe(statement)).execute(&mut shell).await.unwrap();
    }
    let left = sqlx::query_as(LEFT).fetch_one(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    left
}

/// Without a head that was kept elsewhere nobody can tell that the end is missing. So it is never
/// said that everything holds: it is said whose key signed the last head, how many records are
/// behind it, and what cannot be known. With the head that was shown every cut is found.
#[test]
fn a_log_that_was_cut_off_is_never_said_to_hold_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    said(data, &["play", "--plain"], &format!("{COUP}quit\n"));
    said(data, &["play", "--plain", "--resume"], "rebet\ndeal\nquit\n");
    let (head, key) = (said(data, &["audit", "head"], ""), said(data, &["audit", "key"], ""));
    let log = logs(data).pop().unwrap();
    let sound = std::fs::read(&log).unwrap();
    let (mut unnoticed, mut uncovered) = (0, 0);
    for cut in block_on(cuts(&log)) {
        let (all, behind) = block_on(cut_off(&log, &cut));
        let output = sabot(data, &["audit", "verify"], "");
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(!told.contains("everything holds"), "{cut:?}: {told}");
        let holds = output.status.success();
        assert!(holds || told.contains("IT DOES NOT HOLD"), "{cut:?}: {told}");
        assert!(holds || !matches!(cut, Cut::Commands(_)), "{cut:?}: {told}");
        if holds {
            assert!(
                told.contains("nobody can tell whether the end was cut off"),
                "{cut:?}: {told}"
            );
            let (signed, place) = match behind {
                Some(_) => (format!("signed with the key {}", key.trim()), "behind the last head"),
                None => ("no head: nobody can tell".into(), "under no head"),
            };
            assert!(told.contains(&signed), "{cut:?}: {told}");
            let tells = told.lines().find(|line| line.contains(place)).map(str::trim_start);
            match behind.unwrap_or(all) {
                0 => assert_eq!(tells, None, "{cut:?}: {told}"),
                count => assert!(
                    tells.is_some_and(|tells| tells.starts_with(&format!("{count} "))),
                    "{cut:?}: {told}"
                ),
            }
            unnoticed += 1;
            uncovered += i64::from(behind > Some(0));
        }
        let output = sabot(data, &["audit", "verify", "--head", head.trim()], "");
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(!output.status.success() && told.contains("IT DOES NOT HOLD"), "{cut:?}: {told}");
        std::fs::write(&log, &sound).unwrap();
    }
    assert!(unnoticed > 20 && uncovered > 10, "{unnoticed} cuts hold, {uncovered} uncovered");
}
