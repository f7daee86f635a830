//! What a house with its key can write anew, and the audit finds all the same: who acted, and what
//! a card left the shoe for.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use shoe::ShoeFact;
use store::{Body, Record};

/// The table of a golden session, by its name.
fn golden(name: &str) -> Vec<Record> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../store/tests/golden/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).unwrap();
    let record = |line: &str| {
        let fields: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| fields[name].as_str().unwrap().to_owned();
        Record {
            stream: text("stream"),
            version: fields["version"].as_u64().unwrap(),
            at: fields["at"].as_u64().unwrap(),
            actor: text("actor"),
            key: text("key"),
            schema: text("schema"),
            body: text("body"),
            hash: shoe::Digest::read(&text("hash")).unwrap(),
        }
    };
    let records = text.lines().map(record);
    records.filter(|record| record.stream == "table 1").collect()
}

fn findings(records: &[Record]) -> Vec<String> {
    let found = audit::audit(records).unwrap().findings;
    found.into_iter().map(|finding| finding.what).collect()
}

/// Every record of the command that has this one gets another name.
fn rename(records: &mut [Record], at: usize, actor: &str, key: &str) {
    let (former, name) = (records[at].actor.clone(), records[at].key.clone());
    for record in records {
        if (record.actor == former) && (record.key == name) {
            (record.actor, record.key) = (actor.into(), key.into());
        }
    }
}

#[test]
fn the_actor_of_a_record_is_who_acted() {
    for name in ["session-3.jsonl", "session-4.jsonl"] {
        let honest = golden(name);
        assert_eq!(findings(&honest), Vec::<String>::new(), "{name}");
        let mut tried = 0;
        for at in 1..honest.len() {
            let Record { actor, key, version, .. } = &honest[at];
            if *key != format!("table 1 {version}") || honest[at].schema == "setup/1" {
                continue;
            }
            let other = if actor == "operator" { "dealer" } else { "operator" };
            let mut records = honest.clone();
            rename(&mut records, at, other, key);
            let told = findings(&records);
            let due = format!("its actor is `{other}`, though `{actor}` acted");
            assert!(told.contains(&due), "{name}, record {version}: {told:?}");
            // A command of the house's own that has a name as if a person had sent it.
            let mut records = honest.clone();
            rename(&mut records, at, actor, "a key");
            let due = "the key of a command of the house's own is `a key`";
            assert!(findings(&records).iter().any(|told| told == due), "{name}, record {version}");
            tried += 1;
        }
        assert!(tried > 30, "{name}: only {tried}");
    }
}

/// An act of a person has that person as its actor, or the second person who confirmed it.
#[test]
fn an_act_of_a_person_has_that_person_as_its_actor() {
    let honest = golden("session-4.jsonl");
    let act = honest.iter().position(|record| record.schema == "act/1").unwrap();
    let said_by = |who: &str, actor: &str| {
        let mut records = honest.clone();
        let Body::Act(mut acted) = records[act].read().unwrap() else { panic!() };
        acted.who = Some(who.into());
        records[act].body = Body::Act(acted).to_json();
        rename(&mut records, act, actor, "a key of theirs");
        findings(&records)
    };
    assert_eq!(said_by("a-7", "a-7"), Vec::<String>::new());
    assert_eq!(said_by("a-77", "a-7"), ["its actor is `a-7`, though `a-77` acted"]);
    assert_eq!(said_by("a-77", "operator"), ["its actor is `operator`, though `a-77` acted"]);
}

#[test]
fn a_card_leaves_the_shoe_for_what_it_is_at_the_table() {
    let honest = golden("session-4.jsonl");
    let mut tried = 0;
    for at in 0..honest.len() {
        let Ok(Body::Shoe(ShoeFact::Dealt { index, what, opening })) = honest[at].read() else {
            continue;
        };
        for other in ["anything", "burn, unseen", "burn", "coup 99: banker", "in excess"] {
            // A card too many may go with a burn.
            if other == what || other == "in excess" && what.starts_with("burn") {
                continue;
            }
            let mut records = honest.clone();
            let fact = ShoeFact::Dealt { index, what: other.into(), opening: opening.clone() };
            records[at].body = Body::Shoe(fact).to_json();
            let told = findings(&records);
            let as_other = format!("card {index} left the shoe as `{other}`, and is `");
            assert!(told.iter().any(|told| told.starts_with(&as_other)), "{what}: {told:?}");
            tried += 1;
        }
    }
    assert!(tried > 20, "only {tried}");
}
