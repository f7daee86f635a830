//! The overview and the sheets of a tournament, over all transcripts.

use rules::Balance;
use tournament::{At, Event, Fact, Status, sheets};

use crate::walk::every_step;

#[test]
fn the_overview_has_everybody_once_and_the_chips_of_the_tables() {
    every_step(&mut |step| {
        let (t, now) = (step.after, step.after.overview());
        let place = &step.place;
        let out = |status| matches!(status, Status::Applied | Status::Refused | Status::Reserve);
        let in_it = t.entrants().iter().filter(|who| !out(who.status)).count();
        assert_eq!(now.standings.len(), in_it, "{place}");
        assert!(now.standings.is_sorted_by(|a, b| a.rank <= b.rank), "{place}");
        for table in &now.tables {
            let sitting = t.sitting(table.number).unwrap();
            let shown: Balance = table.seats.iter().map(|seat| seat.chips + seat.wagered).sum();
            let held: Balance = sitting.chairs.iter().map(|chair| sitting.chips(chair)).sum();
            assert_eq!(shown, held, "{place}");
            let in_turn = table.seats.iter().find(|seat| seat.at == At::InTurn);
            assert_eq!(in_turn.map(|seat| seat.seat), table.turn, "{place}");
        }
        serde_json::to_string(&now).unwrap();
        serde_json::to_string(&t.due()).unwrap();
    });
}

#[test]
fn no_sheet_is_wider_than_a_page() {
    let (mut events, mut sheets_seen) = (Vec::<Event>::new(), 0);
    every_step(&mut |step| {
        if matches!(step.events[0].fact, Fact::Opened { .. }) {
            for scores in sheets::scores(&events) {
                fits(&sheets::score_sheet(&scores), &step.place);
                sheets_seen += 1;
            }
            events.clear();
        }
        events.extend_from_slice(step.events);
        let plain = [sheets::entrants, sheets::seating, sheets::results];
        for sheet in plain {
            fits(&sheet(step.after), &step.place);
        }
    });
    assert!(sheets_seen > 300, "{sheets_seen}");
}

fn fits(sheet: &str, place: &str) {
    for line in sheet.lines() {
        assert!(line.chars().count() <= sheets::WIDTH, "{place}: {line}");
    }
}
