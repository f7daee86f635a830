//! A log of a tournament has accounts in the place of names: no name is left in what is stored.

use std::collections::BTreeMap;

use serde_json::Value;
use table::Name;
use tournament::{Event, Fact, State};

use crate::walk::every_step;

/// Accounts for names, and the way back.
#[derive(Default)]
struct Accounts(BTreeMap<Name, Name>);

impl Accounts {
    fn of(&mut self, name: Name) -> Name {
        let next = Name::from(&format!("#{}", self.0.len() + 1)).unwrap();
        *self.0.entry(name).or_insert(next)
    }

    fn back(&self, account: Name) -> Name {
        *self.0.iter().find(|(_, to)| **to == account).unwrap().0
    }
}

/// Texts that somebody typed, by their keys. A table's `decided` quotes a name in front of what was
/// typed, which is the table's affair.
const TYPED: &[&str] = &[
    "why",
    "breach",
    "cancelled",
    "entry-refused",
    "ballot-added",
    "ballot-revealed",
    "content",
    "salt",
    "documented",
    "conditions",
    "excluded",
    "decision",
    "decided",
];

/// Every string below a value that nobody typed.
fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(list) => list.iter().for_each(|value| strings(value, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                found.push(key);
                if !TYPED.contains(&key.as_str()) {
                    strings(value, found);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The first string in which one of the names stands as a word, or as the whole.
fn left_over(value: &Value, accounts: &Accounts) -> Option<String> {
    let mut found = Vec::new();
    strings(value, &mut found);
    let has = |text: &str, name: &str| {
        text == name || text.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
    };
    let found = found.iter().find(|text| accounts.0.keys().any(|name| has(text, name)));
    found.map(|text| (*text).to_owned())
}

fn round_trip(event: &Event, accounts: &mut Accounts) -> Event {
    let renamed = event.clone().renamed(&mut |name| accounts.of(name));
    let back = renamed.clone().renamed(&mut |account| accounts.back(account));
    assert_eq!(back, *event);
    renamed
}

#[test]
fn no_name_is_left_in_the_events_and_states_of_any_transcript() {
    let (mut accounts, mut leaks, mut looked_at) = (Accounts::default(), Vec::new(), 0);
    let steps = every_step(&mut |step| {
        if matches!(step.events[0].fact, Fact::Opened { .. }) {
            accounts = Accounts::default();
        }
        for event in step.events {
            let renamed = round_trip(event, &mut accounts);
            let stored = serde_json::to_value(&renamed).unwrap();
            if let Some(text) = left_over(&stored, &accounts) {
                leaks.push(format!("{}: {text}: {stored}", step.place));
            }
        }
        // States grow: of a long tournament only some are looked at.
        looked_at += 1;
        if step.after.entrants().len() > 20 && looked_at % 100 > 0 {
            return;
        }
        let state: &State = step.after.state();
        let renamed = state.clone().renamed(&mut |name| accounts.of(name));
        let stored = serde_json::to_value(&renamed).unwrap();
        if let Some(text) = left_over(&stored, &accounts) {
            leaks.push(format!("{}: the state has {text}", step.place));
        }
        let back = renamed.renamed(&mut |account| accounts.back(account));
        assert_eq!(back, *state, "{}", step.place);
    });
    assert!(steps > 5000, "{steps} steps");
    assert!(leaks.is_empty(), "\n{}", leaks.join("\n"));
}
