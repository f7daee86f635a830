//! A session as CSV: its sums are those of the postings.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod play;

use table::{Account, Event, Fact};
use view::Eyes;
use view::csv::{COLUMNS, Coups};

/// What the events of a session moved between players and house, and the commission, by settlement
/// and reversal alone.
fn moved(events: &[Event]) -> (i64, i64) {
    let (mut gained, mut commission) = (0, 0);
    for event in events {
        let stake = match event.fact {
            Fact::Settled { stake, .. } => i64::try_from(stake.get()).unwrap(),
            Fact::Reversed { .. } => 0,
            _ => continue,
        };
        gained -= stake;
        for leg in &event.postings {
            let cents = leg.cents;
            match leg.account {
                Account::Stack(_) | Account::Receivable(_) => gained += cents.get(),
                Account::Commission => commission += cents.get(),
                _ => {}
            }
        }
    }
    (gained, commission)
}

/// The cells of a text without quotes.
fn cells(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

#[test]
fn the_sums_are_those_of_the_postings() {
    let shelf = transcript::Shelf::default();
    let (mut rows, mut reversed, mut void) = (0_usize, 0_u32, 0_u32);
    for (path, text) in play::transcripts() {
        let played = play::played(&shelf, &text);
        if !played.tournament.is_empty() {
            continue;
        }
        let mut coups = Coups::new(Eyes::Operator);
        let mut start = 0;
        for (i, event) in played.events.iter().enumerate() {
            if let Fact::Opened(_) = event.fact {
                start = i;
            }
            coups.note(event);
        }
        let (gained, commission) = moved(&played.events[start..]);
        let column = |name: &str| COLUMNS.iter().position(|column| *column == name).unwrap();
        let text = coups.text();
        let table = cells(&text);
        let sum = |name: &str| -> i64 {
            let at = column(name);
            table[1..].iter().filter_map(|row| row[at].parse::<i64>().ok()).sum()
        };
        assert!(table.iter().all(|row| row.len() == COLUMNS.len()), "{}", path.display());
        assert_eq!(sum("won_cents") - sum("lost_cents"), gained, "{}\n{text}", path.display());
        assert_eq!(sum("commission_cents"), commission, "{}\n{text}", path.display());
        rows += table.len() - 1;
        reversed += u32::from(text.contains(",reversed,"));
        void += u32::from(text.contains(",yes,"));
    }
    assert!(rows > 1000 && reversed > 3 && void > 3, "{rows} {reversed} {void}");
}

#[test]
fn balances_are_those_of_the_table() {
    play::follow_all(4, |moment| {
        if !matches!(moment.event.fact, Fact::Settled { .. }) {
            return;
        }
        let mut coups = Coups::new(Eyes::Auditor);
        moment.events.iter().for_each(|event| coups.note(event));
        let player = moment.event.fact.player().unwrap();
        let stack = moment.table.player(player).stack.get();
        let mut all = coups.rows().iter().flat_map(|coup| &coup.wagers);
        let balance = all.rfind(|row| row.player == player).unwrap().balance;
        assert_eq!(balance, stack, "{}", moment.file);
    });
}

#[test]
fn a_players_history_has_nobody_else_in_it() {
    let text = "operator opens act-2018\noperator posts main 5..1000\nAda sits at 1 with 500\nBo \
                sits at 2 with 500\nfresh shoe\nAda bets 50 on banker\nBo bets 20 on player\n\
                dealer calls no more bets\ndealer deals 2h 9c 3h Kd\n";
    let played = play::played(&transcript::Shelf::default(), text);
    let refused: Vec<_> = played.lines.iter().filter_map(|line| line.refusal.as_ref()).collect();
    assert!(refused.is_empty() && played.unreadable().next().is_none(), "{refused:?}");
    let csv = |eyes: Eyes| {
        let mut coups = Coups::new(eyes);
        played.events.iter().for_each(|event| coups.note(event));
        coups.text()
    };
    let own = csv(Eyes::Player(play::name("Ada")));
    assert_eq!(own.lines().count(), 2, "{own}");
    assert!(own.contains("Ada") && !own.contains("Bo") && own.ends_with("\r\n"), "{own}");
    let row = own.lines().nth(1).unwrap();
    assert!(
        row.starts_with("1970-01-01T00:00:00Z,1,1,2h 3h,9c Kd,5,9,banker,no,Ada,banker,5000,won")
    );
    let watched = csv(Eyes::Spectator);
    assert!(watched.contains("seat 1") && !watched.contains("Ada"), "{watched}");
    assert_eq!(csv(Eyes::Operator).lines().count(), 3);
}
