//! The file of a log: who may have it, what it is refused for, and how it is backed up.

use std::sync::Arc;

use sqlx::Connection;
use store::{Begin, CHECKPOINTS, HOUSE, Store, StoreError, verify_chain};

use super::{Place, add, append, everything, lines, new, part, raw, seal};

#[tokio::test]
async fn a_log_in_use_is_told_to_the_second_who_opens_it() {
    let place = Place::new();
    let store = place.open().await;
    store.append(add("s", 0, "one")).await.unwrap();
    match Store::open(&place.log()).await {
        Err(StoreError::InUse(path)) => assert_eq!(path, place.log()),
        other => panic!("{other:?}"),
    }
    // The first one did not suffer from it.
    store.append(add("s", 1, "two")).await.unwrap();
    store.close().await;
    let store = place.open().await;
    assert_eq!(lines(&store, "s").await, ["one", "two"]);
    store.close().await;
}

#[tokio::test]
async fn a_reader_reads_while_the_log_is_written() {
    let place = Place::new();
    let store = Arc::new(place.open().await);
    store.append(add("s", 0, "0")).await.unwrap();
    let reader = Store::read_only(&place.log()).await.unwrap();
    let writing = tokio::spawn({
        let store = store.clone();
        async move {
            for i in 1..200 {
                store.append(add("s", i, &i.to_string())).await.unwrap();
            }
        }
    });
    let mut seen = 0;
    while !writing.is_finished() {
        let records = reader.records("s", 0).await.unwrap();
        verify_chain("s", &records).unwrap();
        assert!(records.len() >= seen, "{} records, and {seen} before", records.len());
        seen = records.len();
    }
    writing.await.unwrap();
    assert_eq!(lines(&reader, "s").await.len(), 200);
    assert!(reader.append(add("s", 200, "no")).await.is_err(), "a reader wrote");
    assert!(reader.checkpoint(1, Vec::new()).await.is_err(), "a reader wrote");
    reader.close().await;
    assert_eq!(store.append(add("s", 200, "200")).await.unwrap(), new(201, 201));
}

#[tokio::test]
async fn records_cannot_be_changed_or_taken_away_by_sql() {
    let place = Place::new();
    let store = place.open().await;
    store.append(add("s", 0, "one")).await.unwrap();
    store.append(add("s", 1, "two")).await.unwrap();
    let before = everything(&store).await;
    store.close().await;
    let mut shell = raw(&place.log()).await;
    for statement in [
        "update log set body = '\"three\"'",
        "update log set at = at + 1 where version = 2",
        "update or ignore log set version = 3 where version = 2",
        "update or replace log set version = 1 where version = 2",
        "delete from log",
        "delete from log where version = 2",
    ] {
        let fault = sqlx::query(statement).execute(&mut shell).await.unwrap_err().to_string();
        assert!(fault.contains("the log is append only"), "{statement}: {fault}");
    }
    shell.close().await.unwrap();
    let store = place.open().await;
    assert_eq!(everything(&store).await, before);
    store.close().await;
}

#[tokio::test]
async fn a_back_up_taken_while_it_is_written_verifies_and_goes_on() {
    let place = Place::new();
    let store = Arc::new(place.open().await);
    seal(&store, "a secret", b"a shoe").await.unwrap();
    store.append(add("s", 0, "0")).await.unwrap();
    let writing = tokio::spawn({
        let store = store.clone();
        async move {
            for i in 1..300 {
                store.append(add("s", i, &i.to_string())).await.unwrap();
                if i % 10 == 0 {
                    store.checkpoint(i, Vec::new()).await.unwrap();
                }
            }
        }
    });
    let mut copies = Vec::new();
    while !writing.is_finished() && copies.len() < 20 {
        let copy = place.file(&format!("copy {}", copies.len()));
        store.back_up(&copy).await.unwrap();
        copies.push(copy);
    }
    writing.await.unwrap();
    let whole = store.records("s", 0).await.unwrap();
    assert!(!copies.is_empty(), "nothing was backed up while it was written");
    for path in &copies {
        // The key is no part of the copy, nor is what is kept beside it.
        let copy = Store::open_with(path, &place.key_for(path), Begin::Either).await.unwrap();
        assert_eq!(copy.verify(None).await.unwrap().broken, []);
        let records = copy.records("s", 0).await.unwrap();
        assert_eq!(records, whole[..records.len()], "{}", path.display());
        assert_eq!(copy.unseal("a secret").await.unwrap().unwrap().as_slice(), b"a shoe");
        let version = records.len() as u64;
        let appended = copy.append(add("s", version, "goes on")).await.unwrap();
        assert_eq!(appended, new(version + 1, version + 1));
        copy.close().await;
    }
    // A file that is there is not written over.
    let before = std::fs::read(&copies[0]).unwrap();
    store.back_up(&copies[0]).await.unwrap_err();
    assert_eq!(std::fs::read(&copies[0]).unwrap(), before);
}

#[tokio::test]
async fn a_back_up_of_everything_is_everything() {
    let place = Place::new();
    let store = place.open().await;
    for stream in ["a", "b", "c"] {
        store.append(add(stream, 0, "one")).await.unwrap();
    }
    let head = store.checkpoint(5, Vec::new()).await.unwrap();
    let copy = place.file("copy");
    store.back_up(&copy).await.unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "a copy is no more for everybody than the log");
    }
    let copy = Store::read_only(&copy).await.unwrap();
    assert_eq!(everything(&copy).await, everything(&store).await);
    assert_eq!(copy.verify(Some((head.version, head.hash))).await.unwrap().broken, []);
    copy.close().await;
    store.close().await;
}

/// What anybody is told who names the wrong file.
async fn refusals(place: &Place, name: &str) -> [String; 2] {
    let path = place.file(name);
    let read = Store::read_only(&path).await.expect_err("a log was read").to_string();
    let write = Store::open(&path).await.expect_err("a log was opened").to_string();
    [read, write]
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_as_it_is() {
    let place = Place::new();
    let text = "operator opens act-2018\n".repeat(400);
    std::fs::write(place.file("evening.coup"), &text).unwrap();
    for told in refusals(&place, "evening.coup").await {
        assert!(told.contains("not a database"), "{told}");
    }
    assert_eq!(std::fs::read_to_string(place.file("evening.coup")).unwrap(), text);
    std::fs::create_dir(place.file("folder")).unwrap();
    for told in refusals(&place, "folder").await {
        assert!(told.contains("log") || told.contains("directory"), "{told}");
    }
}

#[tokio::test]
async fn a_database_that_is_no_log_is_refused() {
    let place = Place::new();
    // An empty file is an empty database.
    std::fs::write(place.file("other"), "").unwrap();
    let told = Store::read_only(&place.file("other")).await.unwrap_err().to_string();
    assert!(told.contains("log"), "{told}");
    let mut shell = raw(&place.file("other")).await;
    sqlx::query("create table log (line text)").execute(&mut shell).await.unwrap();
    sqlx::query("insert into log values ('kept')").execute(&mut shell).await.unwrap();
    let told = Store::open(&place.file("other")).await.unwrap_err().to_string();
    assert!(told.contains("no log of sabot"), "{told}");
    let kept: String =
        sqlx::query_scalar("select line from log").fetch_one(&mut shell).await.unwrap();
    assert_eq!(kept, "kept");
}

#[tokio::test]
async fn a_log_of_a_newer_sabot_is_not_written_to() {
    let place = Place::new();
    place.open().await.close().await;
    let mut shell = raw(&place.log()).await;
    let newer = "insert into _sqlx_migrations \
         select 9999, 'newer', installed_on, true, checksum, 0 from _sqlx_migrations limit 1";
    sqlx::query(newer).execute(&mut shell).await.unwrap();
    let told = Store::open(&place.log()).await.unwrap_err().to_string();
    assert!(told.contains("of a newer one"), "{told}");
}

#[tokio::test]
async fn a_log_that_is_not_there_is_not_made_by_reading_it() {
    let place = Place::new();
    match Store::read_only(&place.file("nothing")).await {
        Err(StoreError::Missing(path)) => assert_eq!(path, place.file("nothing")),
        other => panic!("{other:?}"),
    }
    assert!(!place.file("nothing").exists());
    let nowhere = place.file("no folder").join("a.sabot");
    let told = Store::open(&nowhere).await.unwrap_err().to_string();
    assert!(told.contains("no folder"), "{told}");
}

#[tokio::test]
async fn a_new_log_is_empty_and_whole() {
    let place = Place::new();
    let store = place.open().await;
    assert_eq!(store.path(), place.log());
    assert_eq!(store.streams().await.unwrap(), [CHECKPOINTS, HOUSE]);
    assert_eq!(store.verify(None).await.unwrap().broken, []);
    let head = store.checkpoint(1, Vec::new()).await.unwrap();
    assert_eq!((head.stream.as_str(), head.version), (CHECKPOINTS, 2));
    store.close().await;
}

#[tokio::test]
async fn a_long_stream_is_read_page_by_page() {
    let place = Place::new();
    let store = place.open().await;
    let all: Vec<String> = (0..5000).map(|number| number.to_string()).collect();
    let texts: Vec<&str> = all.iter().map(String::as_str).collect();
    store.append(append("many", vec![part("s", 0, &texts)])).await.unwrap();
    let (mut seen, mut pages) = (0, 0);
    loop {
        let page = store.page("s", seen).await.unwrap();
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 2048, "{} records at once", page.len());
        assert_eq!(page[0].version, seen + 1, "a record was left out");
        (seen, pages) = (last.version, pages + 1);
    }
    assert_eq!((seen, pages), (5000, 3));
    store.close().await;
}

/// A view is of the moment in which it was opened, from the first thing that is read to the last.
#[tokio::test]
async fn a_view_does_not_see_what_is_written_behind_it() {
    let place = Place::new();
    let store = place.open().await;
    store.append(add("a", 0, "one")).await.unwrap();
    let head = store.checkpoint(1, Vec::new()).await.unwrap();
    let (view, reader) =
        (Store::view(&place.log()).await.unwrap(), Store::read_only(&place.log()).await.unwrap());
    let verified = view.verify(None).await.unwrap();
    for i in 1..20 {
        let parts = vec![part("a", i, &["more"]), part("b", i - 1, &["too"])];
        store.append(append(&format!("both {i}"), parts)).await.unwrap();
    }
    store.checkpoint(2, Vec::new()).await.unwrap();
    assert_eq!(lines(&view, "a").await, ["one"]);
    assert!(!view.streams().await.unwrap().contains(&"b".to_owned()));
    assert_eq!(view.head().await.unwrap(), Some(head));
    assert_eq!(view.verify(None).await.unwrap(), verified);
    // Who reads without a view sees it all.
    assert_eq!(lines(&reader, "b").await.len(), 19);
    assert!(verified.broken.is_empty() && reader.verify(None).await.unwrap().records > 30);
    view.close().await;
    reader.close().await;
    store.close().await;
}
