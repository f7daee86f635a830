//! Bytes that are no text, where text is due: what nothing rests on stops nothing, and the rest is
//! found.

use shoe::Digest;
use sqlx::{AssertSqlSafe, Connection};
use store::{Broken, Snapshot, Store, With};

use super::{Place, add, keep, raw};

/// A log with a name, a kept state and a book, closed; and the hash of the book.
async fn closed(place: &Place) -> Digest {
    let store = place.open().await;
    let sha256 = Digest::of(&[b"text"]);
    keep(&store, With::Person { account: "a-1".into(), name: "Ann".into() }).await.unwrap();
    keep(&store, With::Person { account: "a-2".into(), name: "Ben".into() }).await.unwrap();
    let (canonical, files) = ("text".into(), "[]".into());
    keep(&store, With::Book { sha256, canonical, files }).await.unwrap();
    store.append(add("s", 0, "one")).await.unwrap();
    let state = Snapshot { stream: "s".into(), version: 1, state: "\"after one\"".into() };
    store.checkpoint(1, vec![state]).await.unwrap();
    store.close().await;
    sha256
}

/// Changes the file as somebody does who puts the triggers back.
async fn forge(place: &Place, statement: &str) {
    let mut shell = raw(&place.log()).await;
    let triggers = "select name, sql from sqlite_schema where type = 'trigger'";
    let triggers: Vec<(String, String)> =
        sqlx::query_as(triggers).fetch_all(&mut shell).await.unwrap();
    for (name, _) in &triggers {
        let drop = AssertSqlSafe(format!("drop trigger {name}"));
        sqlx::query(drop).execute(&mut shell).await.unwrap();
    }
    let ran = sqlx::query(AssertSqlSafe(statement.to_owned())).execute(&mut shell).await.unwrap();
    assert!(ran.rows_affected() > 0, "nothing to change: {statement}");
    for (_, sql) in triggers {
        sqlx::query(AssertSqlSafe(sql)).execute(&mut shell).await.unwrap();
    }
    shell.close().await.unwrap();
}

#[tokio::test]
async fn rows_that_nothing_rests_on_stop_nothing() {
    let place = Place::new();
    let sha256 = closed(&place).await;
    for statement in [
        "update person set name = cast(x'ff' as text) where account = 'a-1'",
        "update snapshot set state = cast(x'22ff22' as text)",
        "update book set files = cast(x'ff' as text)",
    ] {
        forge(&place, statement).await;
    }
    let store = place.open().await;
    assert_eq!(store.checked().await, None);
    assert_eq!(store.people().await.unwrap(), [("a-2".to_owned(), "Ben".to_owned())]);
    let opening = store.go_on("s").await.unwrap();
    assert_eq!((opening.snapshot, opening.records.len()), (None, 1));
    let book = store.book(sha256).await.unwrap().unwrap();
    assert_eq!((book.canonical.as_str(), book.files), ("text", None));
    store.close().await;
    let store = Store::read_only(&place.log()).await.unwrap();
    assert_eq!(store.verify(None).await.unwrap().broken, []);
}

#[tokio::test]
async fn a_command_whose_stream_is_no_text_does_not_hold() {
    for column in ["stream", "actor", "key", "parts"] {
        let place = Place::new();
        closed(&place).await;
        let last = "where number = (select max(number) from command)";
        forge(&place, &format!("update command set {column} = cast(x'ff' as text) {last}")).await;
        let store = Store::read_only(&place.log()).await.unwrap();
        let found = store.verify(None).await.unwrap().broken;
        let told = found.iter().any(|broken| matches!(broken, Broken::Command { .. }));
        assert!(told, "{column}: {found:?}");
    }
}

#[tokio::test]
async fn a_book_that_is_no_text_is_found() {
    let place = Place::new();
    let sha256 = closed(&place).await;
    forge(&place, "update book set canonical = cast(x'ff' as text)").await;
    let store = Store::read_only(&place.log()).await.unwrap();
    let found = store.verify(None).await.unwrap().broken;
    assert!(found.contains(&Broken::Book(sha256)), "{found:?}");
    assert!(store.book(sha256).await.unwrap().is_some());
}

/// The check of the whole log begins when the start is over. If it cannot begin, nobody may think
/// that it found nothing.
#[tokio::test]
async fn a_check_that_cannot_begin_is_told() {
    let place = Place::new();
    closed(&place).await;
    let store = place.open().await;
    std::fs::rename(place.log(), place.file("elsewhere.sabot")).unwrap();
    let told = store.checked().await;
    assert!(told.as_deref().is_some_and(|why| why.contains("cannot be read")), "{told:?}");
}
