//! Every document is as its schema says, which programs in other languages are made from.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod play;

use schemars::JsonSchema;
use view::{EventView, Eyes, Seen, TableView, TournamentView, event_view, table_view};

fn validator<T: JsonSchema>() -> jsonschema::Validator {
    jsonschema::validator_for(schemars::schema_for!(T).as_value()).unwrap()
}

#[test]
fn documents_are_as_their_schemas_say() {
    let (tables, events) = (validator::<TableView>(), validator::<EventView>());
    let (mut seen_tables, mut seen_events) = (0, 0);
    play::follow_all(7, |moment| {
        let people = play::all_eyes(play::name("Ann"));
        for eyes in people.iter().filter(|_| moment.whole) {
            if let Some(event) = event_view(eyes, moment.table, moment.event) {
                let event = serde_json::to_value(event).unwrap();
                let wrong: Vec<_> = events.iter_errors(&event).map(|e| e.to_string()).collect();
                assert!(wrong.is_empty(), "{}: {wrong:?}", moment.file);
                seen_events += 1;
            }
        }
        if !moment.whole {
            return;
        }
        let seen = Seen {
            name: "Canberra 1",
            version: moment.version,
            table: moment.table,
            book: moment.book,
            sha256: "",
            watch: moment.watch,
            shoe: None,
            cards_left: None,
            peeked: &[],
            account: None,
            proposed: None,
        };
        for eyes in [Eyes::Spectator, Eyes::Supervisor] {
            let table = serde_json::to_value(table_view(&eyes, &seen)).unwrap();
            let wrong: Vec<_> = tables.iter_errors(&table).map(|e| e.to_string()).collect();
            assert!(wrong.is_empty(), "{}: {wrong:?}", moment.file);
            seen_tables += 1;
        }
    });
    assert!(seen_tables > 500 && seen_events > 2_000, "{seen_tables} {seen_events}");
    // A schema that asks for nothing would let everything pass.
    assert!(!tables.is_valid(&serde_json::json!({})));
    assert!(!validator::<TournamentView>().is_valid(&serde_json::json!({})));
}
