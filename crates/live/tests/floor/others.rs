//! What everybody sees of a floor is searched for what is nobody else's: the accounts of other
//! people, and what they hold.

use live::TableHandle;
use rules::Cents;
use serde_json::{Value, json};
use store::{Deals, OwnLimits};
use table::{Act, Role};
use tournament::Act as EventAct;
use view::Eyes;

use crate::events::Event;
use crate::place::{bet, cents, named, sit};
use crate::watching::dealt_by;

/// Players, and how many cents each is given: numbers that nothing else on a floor has.
const PLAYERS: [(&str, u64); 3] = [("Ann", 734_511_903), ("Bo", 618_200_457), ("Cid", 590_377_129)];

/// What is one person's own.
struct Own {
    name: String,
    account: String,
    /// What the account held at some time.
    held: Vec<Cents>,
}

/// Whether a text has these words, not as a part of others.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// What a document has of other people.
fn found(me: &str, all: &[Own], document: &Value) -> Vec<String> {
    let (text, mut found) = (document.to_string(), Vec::new());
    for own in all.iter().filter(|own| own.name != me) {
        if has_word(&text, &own.account) {
            found.push("an account".to_owned());
        }
        let said = |held: &Cents| {
            let plain = held.get().to_string();
            has_word(&text, &plain) || has_word(&text, &held.to_string())
        };
        if own.held.iter().any(said) {
            found.push("a balance".to_owned());
        }
    }
    found
}

impl Event {
    async fn holds(&self, all: &mut [Own]) {
        for own in all {
            own.held.push(self.floor.accounts().get(&own.account).await.unwrap().balance);
        }
    }
}

/// A floor with an event and a table, at which people enter, sit, bet and are refused.
async fn busy() -> (Event, TableHandle, Vec<Own>) {
    let mut event = Event::new().await;
    let mut all = Vec::new();
    for name in ["Olga", "Otto", "Dana", "Vera", "Ivy", "Dee"] {
        let account = event.id(name);
        all.push(Own { name: name.into(), account, held: Vec::new() });
    }
    for (name, more) in PLAYERS {
        let account = event.id(name);
        let more = Cents::new(more).unwrap();
        event.floor.accounts().give(&account, "given", more).await.unwrap();
        let mut own = [Own { name: name.into(), account, held: Vec::new() }];
        event.holds(&mut own).await;
        all.extend(own);
    }
    let limits = OwnLimits { loss: Some(cents(1_000_000)), minutes: None, remind: Some(30) };
    event.floor.accounts().limit(&event.id("Bo"), "limited", limits).await.unwrap();
    event.open_entries().await;
    for (name, _) in PLAYERS {
        event.done(name, EventAct::Apply(named(name))).await;
    }
    let table = dealt_by(&event.floor, "table 1", Deals::Keyed).await;
    for (seat, (name, _)) in (1..).zip(PLAYERS) {
        say(&event, &table, name, seat, sit(name, seat, 100)).await;
    }
    table.act(Act::FreshShoe).await.unwrap().unwrap();
    for (key, (name, _)) in (10..).zip(PLAYERS) {
        say(&event, &table, name, key, bet(name, 20)).await;
        // What is refused is kept as well.
        say(&event, &table, name, key + 10, bet(name, 5000)).await;
    }
    event.holds(&mut all[6..]).await;
    (event, table, all)
}

async fn say(event: &Event, table: &TableHandle, name: &str, key: u32, act: Act) {
    let (who, key) = (event.id(name), format!("o{key}"));
    let order = live::Order { who, role: Role::Player, key, act };
    drop(table.order(order).await.unwrap());
}

/// All that these eyes see of the table and of the event, now and from the beginning.
async fn seen(event: &Event, table: &TableHandle, eyes: &Eyes, account: Option<&str>) -> Value {
    json!({
        "table": table.view(eyes, account).await.unwrap(),
        "happened": table.page_for(eyes, 0).await.unwrap().events,
        "event": event.cup.view(eyes).await.unwrap(),
        "told": event.cup.page_for(eyes, 0).await.unwrap().events,
    })
}

#[tokio::test]
async fn nobody_sees_the_account_of_somebody_else_nor_what_it_holds() {
    let (event, table, all) = busy().await;
    for (name, eyes) in [
        ("Ann", Eyes::Player(named("Ann"))),
        ("Bo", Eyes::Player(named("Bo"))),
        ("a stranger", Eyes::Player(named("Stranger"))),
        ("a spectator", Eyes::Spectator),
        ("Dee", Eyes::Dealer),
        ("Vera", Eyes::Supervisor),
        ("Ivy", Eyes::Inspector),
        ("Dana", Eyes::Director),
        ("Olga", Eyes::Operator),
        ("an auditor", Eyes::Auditor),
    ] {
        let own = all.iter().find(|own| own.name == name).map(|own| own.account.as_str());
        let document = seen(&event, &table, &eyes, own).await;
        assert!(document.to_string().len() > 2000, "{name} sees nothing");
        let found = found(name, &all, &document);
        assert!(found.is_empty(), "{name} sees {found:?}: {document}");
    }
}

/// Documents that show too much: the search finds every kind of secret in them.
#[tokio::test]
async fn a_view_that_tells_accounts_or_balances_is_found() {
    let (event, table, all) = busy().await;
    let log = event.floor.log();
    let records = |stream: String| async move {
        let records = log.records(&stream, 0).await.unwrap();
        let bodies = records.iter().map(|record| serde_json::from_str(&record.body).unwrap());
        bodies.collect::<Vec<Value>>()
    };
    let ann = event.id("Ann");
    let account = event.floor.accounts().get(&ann).await.unwrap();
    let mut view = serde_json::to_value(table.view(&Eyes::Spectator, None).await.unwrap()).unwrap();
    assert_eq!(found("Bo", &all, &view), Vec::<String>::new());
    view["balance_cents"] = account.balance.get().into();
    let leaky = [
        // The records as they are, given to everybody.
        (json!(records(table.stream().to_owned()).await), "an account"),
        (json!(records(event.cup.stream().to_owned()).await), "an account"),
        (json!(records(format!("account {ann}")).await), "a balance"),
        // A view with one field too many, as a number and in words.
        (view, "a balance"),
        (json!({ "what": format!("Ann holds {}", account.balance) }), "a balance"),
        (json!({ "what": format!("{ann} sits down") }), "an account"),
    ];
    for (document, what) in leaky {
        let told = found("Bo", &all, &document);
        assert!(told.iter().any(|told| told == what), "{what} is not found in {document}");
    }
    // One's own is nothing secret.
    let own = json!({ "account": ann, "balance_cents": account.balance.get() });
    assert_eq!(found("Ann", &all, &own), Vec::<String>::new());
}
