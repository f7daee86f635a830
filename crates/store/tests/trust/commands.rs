//! Rows of commands that the house did not write, and indexes that hide those that it did: a
//! command that was never carried out is not told as done, and none is carried out twice.

use shoe::Digest;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection};
use store::{Append, Broken, Record, Store, StoreError, hash};

use super::{Place, add, filled, goes_on, owners_alone, raw};

/// The name by which a command is looked up, as `docs/LOG.md` has it.
fn name_of(actor: &str, key: &str) -> i64 {
    let hash = Digest::of(&[actor.as_bytes(), &[0], key.as_bytes()]);
    let bytes = i64::from_be_bytes(hash.0[..8].try_into().unwrap());
    (bytes & i64::MAX).max(1)
}

/// Puts a row that says that a command was carried out, which it was not.
async fn say_it_was_done(shell: &mut SqliteConnection, number: i64, name: i64, append: &Append) {
    let command = &append.command;
    sqlx::query("insert into command values (?, ?, ?, ?, ?, 'a', 1, 2, '', x'')")
        .bind(number)
        .bind(name)
        .bind(command.actor.clone())
        .bind(command.key.clone())
        .bind(command.payload.0.to_vec())
        .execute(shell)
        .await
        .unwrap();
}

/// In a log that began in this form, only numbers above zero were ever given.
#[tokio::test]
async fn a_command_with_a_number_that_was_never_given_is_not_trusted() {
    let place = Place::new();
    filled(&place).await;
    let image = place.image();
    let order = add("a", 6, "sits");
    let name = name_of("Ann", &order.command.key);
    for (number, name) in [(-1, name), (-1, 0), (0, name), (0, 0), (i64::MIN, name)] {
        let mut shell = raw(&place.log()).await;
        say_it_was_done(&mut shell, number, name, &order).await;
        shell.close().await.unwrap();
        let told = Store::open(&place.log()).await.unwrap_err().to_string();
        assert!(told.contains("numbers that the house never gave"), "{number}, {name}: {told}");
        let store = Store::read_only(&place.log()).await.unwrap();
        let broken = store.verify(None).await.unwrap().broken;
        assert_eq!(broken, [Broken::Former { number }], "{name}");
        assert_eq!(store.command("Ann", &order.command.key).await.unwrap(), None);
        store.close().await;
        place.put_back(&image, &[]);
    }
    assert_eq!(goes_on(&place.log()).await, Ok(()));
}

/// A log of the first form with four commands in one stream.
async fn of_the_first_form(place: &Place) {
    let first = place.file("migrations");
    std::fs::create_dir(&first).unwrap();
    let made = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite/0001_log.sql");
    std::fs::copy(made, first.join("0001_log.sql")).unwrap();
    std::fs::File::create_new(place.log()).unwrap();
    let mut shell = raw(&place.log()).await;
    let migrator = sqlx::migrate::Migrator::new(first.clone()).await.unwrap();
    migrator.run(&mut shell).await.unwrap();
    std::fs::remove_dir_all(first).unwrap();
    let mut previous = store::START;
    for version in 1..=4 {
        let (stream, actor, key) = ("a".to_owned(), "Ann".to_owned(), format!("a {version}"));
        let (schema, body) = ("line/1".to_owned(), format!("\"line {version}\""));
        let mut record =
            Record { stream, version, at: 5, actor, key, schema, body, hash: previous };
        record.hash = hash(&previous, &record);
        previous = record.hash;
        sqlx::query("insert into log values ('a', ?, 5, 'Ann', ?, 'line/1', ?, ?)")
            .bind(version.cast_signed())
            .bind(record.key.clone())
            .bind(record.body)
            .bind(record.hash.0.to_vec())
            .execute(&mut shell)
            .await
            .unwrap();
        let payload = Digest::of(&[format!("line {version}").as_bytes()]);
        sqlx::query("insert into command values ('Ann', ?1, ?2, 'a', ?3, ?3)")
            .bind(record.key)
            .bind(payload.0.to_vec())
            .bind(version.cast_signed())
            .execute(&mut shell)
            .await
            .unwrap();
    }
    sqlx::query("pragma journal_mode = wal").execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    std::fs::write(place.file("a.sabot.key"), [9; 32]).unwrap();
    owners_alone(&place.file("a.sabot.key"));
}

/// In a log of the first form that was taken over, each row below zero is one that the log had
/// then.
#[tokio::test]
async fn a_command_of_the_first_form_is_trusted_only_as_far_as_the_log_bears_it_out() {
    let place = Place::new();
    of_the_first_form(&place).await;
    let store = Store::open(&place.log()).await.unwrap();
    assert!(store.append(add("a", 1, "line 2")).await.unwrap().repeated);
    store.append(add("a", 4, "line 5")).await.unwrap();
    assert_eq!(store.checked().await, None);
    store.close().await;
    assert_eq!(goes_on(&place.log()).await, Ok(()));
    let image = place.image();
    let order = Append { command: add("b", 0, "sits").command, ..add("a", 5, "sits") };
    let name = name_of("Ann", &order.command.key);
    // A command that was never carried out, and one that came behind the take-over.
    let behind = "insert into command select -9, 0, actor, key, zeroblob(32), stream, first, last, \
         '', x'' from command where number = 2";
    for (number, name, sql) in
        [(-9, 0, None), (-9, name, None), (-9, 0, Some(behind)), (-9, 0, Some("altered"))]
    {
        let mut shell = raw(&place.log()).await;
        match sql {
            None => say_it_was_done(&mut shell, number, name, &order).await,
            Some("altered") => {
                let altered = "update command set number = -9, key = 'b 1' where number = -1";
                sqlx::query(altered).execute(&mut shell).await.unwrap();
            }
            Some(sql) => drop(sqlx::query(sql).execute(&mut shell).await.unwrap()),
        }
        shell.close().await.unwrap();
        let store = Store::open(&place.log()).await.unwrap();
        let told = match sql {
            Some(sql) if sql == behind => store.append(add("a", 4, "line 5")).await,
            _ => store.append(order.clone()).await,
        };
        // Either the writer finds it, or the check of the whole log was quicker.
        let told = told.unwrap_err();
        let found = matches!(told, StoreError::Untrusted(_) | StoreError::Stopped(_));
        assert!(found, "{name}, {sql:?}: {told}");
        assert!(store.checked().await.unwrap().contains("of the first form"), "{sql:?}");
        let broken = store.verify(None).await.unwrap().broken;
        assert!(broken.contains(&Broken::Former { number }), "{sql:?}: {broken:?}");
        store.close().await;
        place.put_back(&image, &[]);
    }
}

/// A command of the first form that the log does not have: the log is not taken over.
#[tokio::test]
async fn a_forged_command_in_a_log_of_the_first_form_is_found_before_it_is_taken_over() {
    let place = Place::new();
    of_the_first_form(&place).await;
    let mut shell = raw(&place.log()).await;
    let forged = "insert into command values ('Ann', 'a 9', zeroblob(32), 'a', 1, 2)";
    sqlx::query(forged).execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    let before = std::fs::read(place.log()).unwrap();
    let told = Store::open(&place.log()).await.unwrap_err().to_string();
    assert!(told.contains("of the first form is not one that the log has"), "{told}");
    assert!(std::fs::read(place.log()).unwrap() == before, "it was touched");
}

/// Points an index at another tree, whose text in the file stays as it was.
async fn point(shell: &mut SqliteConnection, index: &str, at: &str) {
    for statement in [
        &format!("create index other on command {at}") as &str,
        "pragma writable_schema = on",
        &format!(
            "update sqlite_schema set rootpage = (select rootpage from sqlite_schema where \
             name = 'other') where name = '{index}'"
        ),
        "delete from sqlite_schema where name = 'other'",
        "pragma writable_schema = reset",
    ] {
        let statement = AssertSqlSafe(statement.to_owned());
        sqlx::query(statement).execute(&mut *shell).await.unwrap();
    }
}

/// Without the index a command would be carried out twice.
#[tokio::test]
async fn an_index_that_hides_commands_is_found() {
    let place = Place::new();
    let store = Store::open(&place.log()).await.unwrap();
    for i in 0..100 {
        store.append(add("a", i, "acts")).await.unwrap();
    }
    store.close().await;
    let image = place.image();
    // Of all commands, and of some that are not among the newest.
    for (at, tells) in [("(name) where name = -5", "start"), ("(name) where number > 9", "check")] {
        let mut shell = raw(&place.log()).await;
        point(&mut shell, "command_by_name", at).await;
        shell.close().await.unwrap();
        let store = Store::read_only(&place.log()).await.unwrap();
        let broken = store.verify(None).await.unwrap().broken;
        assert!(matches!(broken[..], [Broken::Schema(_)]), "{at}: {broken:?}");
        store.close().await;
        match Store::open(&place.log()).await {
            Err(why) => {
                assert_eq!(tells, "start");
                assert!(why.to_string().contains("not found by their names"), "{why}");
            }
            Ok(store) => {
                assert_eq!(tells, "check");
                let alarm = store.checked().await.unwrap();
                assert!(alarm.contains("the file is damaged"), "{alarm}");
                assert!(store.append(add("a", 0, "acts")).await.is_err());
                store.close().await;
            }
        }
        place.put_back(&image, &[]);
    }
    assert_eq!(goes_on(&place.log()).await, Ok(()));
}

/// The index is emptied while the log is in use, and put right afterwards: what was done twice
/// stays visible.
#[tokio::test]
async fn a_command_that_was_carried_out_twice_is_found() {
    let place = Place::new();
    filled(&place).await;
    let store = Store::open(&place.log()).await.unwrap();
    assert_eq!(store.checked().await, None);
    let mut shell = raw(&place.log()).await;
    point(&mut shell, "command_by_name", "(name) where name = -5").await;
    let again = Append { command: add("a", 5, "a 5").command, ..add("a", 6, "a 5") };
    assert!(!store.append(again).await.unwrap().repeated, "the index was not hidden");
    let made = "create index command_by_name on command (name) where name != 0";
    for statement in ["drop index command_by_name", made, "vacuum"] {
        sqlx::query(statement).execute(&mut shell).await.unwrap();
    }
    shell.close().await.unwrap();
    let broken = store.verify(None).await.unwrap().broken;
    let twice = Broken::Twice { actor: "Ann".into(), key: "a 6".into() };
    assert!(broken.contains(&twice), "{broken:?}");
    store.close().await;
}
