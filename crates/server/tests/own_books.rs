//! A house with a book of its own: tables are opened under it, and go on under the edition that the
//! log kept, also where the folder is gone or was changed.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod house;

use std::path::{Path, PathBuf};

use house::{House, config, quick, until};
use serde_json::Value;
use server::client::Client;
use server::config::Config;

/// A book of the house's own, which pays a tie better than the one that it was made from.
fn book(place: &Path, tie: &str) -> PathBuf {
    let folder = place.join("house-1");
    std::fs::create_dir_all(&folder).unwrap();
    for own in rulebooks::sources(&rulebooks::load("act-2018", None).unwrap()) {
        let text = own.text.replace("act-2018", "house-1").replace("\"8:1\"", tie);
        std::fs::write(folder.join(own.file), text).unwrap();
    }
    folder
}

fn with_book(folder: &Path) -> Config {
    let mut wanted = config(vec![quick("One", "operator opens house-1")]);
    wanted.books = vec![folder.to_owned()];
    wanted
}

/// What a tie pays at the table, as everybody sees it.
async fn tie(client: &Client) -> Value {
    let table = client.get("/api/v1/tables/t1").await.unwrap().body;
    let spots = table["spots"].as_array().unwrap_or_else(|| panic!("{table}"));
    let tie = spots.iter().find(|spot| spot["spot"] == "tie").unwrap();
    tie["pays"][0]["price"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_goes_on_under_a_book_whose_folder_is_gone() {
    let place = tempfile::tempdir().unwrap();
    let folder = book(place.path(), "\"9:1\"");
    let house = House::with(with_book(&folder)).await;
    let books = house.client().get("/api/v1/books").await.unwrap().body.to_string();
    assert!(books.contains("house-1"), "{books}");
    assert_eq!(tie(&house.client()).await, "9:1");
    let ann = house.guest("Ann").await;
    let seated = ann.say("t1", "1", "sits at 1 with 200").await.unwrap();
    assert!(seated.is_good(), "{seated:?}");
    let token = ann.token().unwrap().to_owned();
    let (data, _) = house.close().await;

    // Another edition lies there now.
    book(place.path(), "\"11:1\"");
    let house = House::in_folder(data, with_book(&folder)).await;
    assert_eq!(tie(&house.client()).await, "9:1", "the table keeps its edition");
    let (data, _) = house.close().await;

    // And now none: nobody names it in the set-up, and nobody could.
    std::fs::remove_dir_all(&folder).unwrap();
    let house = House::in_folder(data, config(vec![])).await;
    assert_eq!(tie(&house.client()).await, "9:1");
    let ann = house.client().with_token(&token);
    let tries = std::cell::Cell::new(0);
    until("wagers are taken", async || {
        tries.set(tries.get() + 1);
        let key = format!("bet {}", tries.get());
        ann.say("t1", &key, "bets 20 on tie").await.unwrap().is_good()
    })
    .await;
    house.close().await;
}
