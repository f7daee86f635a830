//! What is watched agrees with what the terminal showed, and with the table.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod play;

use rules::{Card, Cents, Outcome, Side, Spot, Verdict};
use table::{Fact, PlayerId, Table};
use view::{Lying, Paid, Watch};

/// What the terminal kept of a round before there was a watch.
#[derive(Default)]
struct Desk {
    coup: u32,
    lying: Vec<(Side, Option<Card>)>,
    paid: Vec<(PlayerId, Spot, Cents, Verdict)>,
    outcome: Option<Outcome>,
    /// The round was judged again or taken back, which the terminal did not follow.
    odd: bool,
}

impl Desk {
    fn follow(&mut self, table: &Table, fact: &Fact) {
        match fact {
            Fact::Opened(_) => *self = Self::default(),
            Fact::CoupBegan { number, .. } => *self = Self { coup: *number, ..Self::default() },
            Fact::ShoeReady => *self = Self { coup: self.coup, ..Self::default() },
            Fact::Dealt { side, card, shown } => self.lying.push((*side, card.filter(|_| *shown))),
            Fact::Turned { index, card } => self.lying[usize::from(*index)].1 = Some(*card),
            Fact::Result(outcome) => self.outcome = Some(*outcome),
            Fact::Settled { player, spot, stake, verdict, .. } => {
                self.paid.push((*player, *spot, *stake, *verdict));
            }
            Fact::Lies { player, spot, stake, .. } => {
                self.paid.push((*player, *spot, *stake, Verdict::Kept));
            }
            Fact::Reopened { .. } | Fact::Voided { .. } | Fact::Reversed { .. } => self.odd = true,
            _ => {}
        }
        if let Some(coup) = table.coup() {
            let lies = |card: &table::CoupCard| (card.side, card.card.filter(|_| card.shown));
            self.lying = coup.cards.iter().map(lies).collect();
        }
    }
}

#[test]
fn a_watch_shows_what_the_terminal_showed() {
    let (mut desk, mut compared) = (Desk::default(), 0);
    play::follow_all(1, |moment| {
        desk.follow(moment.table, &moment.event.fact);
        let watch = moment.watch;
        let lying: Vec<_> = watch.cards.iter().map(|Lying { side, card }| (*side, *card)).collect();
        assert_eq!(lying, desk.lying, "{}: {:?}", moment.file, moment.event);
        assert_eq!(watch.coup, desk.coup, "{}: {:?}", moment.file, moment.event);
        if !desk.odd {
            let paid = |p: &Paid| (p.player, p.spot, p.stake, p.verdict);
            let paid: Vec<_> = watch.paid.iter().map(paid).collect();
            assert_eq!(paid, desk.paid, "{}: {:?}", moment.file, moment.event);
            assert_eq!(watch.outcome, desk.outcome, "{}: {:?}", moment.file, moment.event);
            compared += paid.len();
        }
    });
    assert!(compared > 1000, "only {compared} wagers were compared");
}

#[test]
fn a_watch_is_bounded_and_holds_no_card_face_down() {
    let (mut reopened, mut void, mut hidden) = (0, 0, 0);
    play::follow_all(1, |moment| {
        let watch = moment.watch;
        assert!(watch.rulings.len() <= 50 && watch.calls.len() <= 10 && watch.coups.len() <= 20);
        assert!(watch.cards.len() <= 6);
        if let Some(coup) = moment.table.coup() {
            for (card, lying) in coup.cards.iter().zip(&watch.cards) {
                assert_eq!(lying.card, card.card.filter(|_| card.shown), "{}", moment.file);
                hidden += u32::from(card.card.is_some() && !card.shown);
            }
        }
        // What a watch keeps of past coups is what the roads have of them.
        for bead in moment.table.roads().beads() {
            let kept = watch.coups.iter().find(|coup| coup.number == bead.coup);
            if let Some(kept) = kept {
                assert_eq!(kept.outcome, Some(bead.outcome), "{}", moment.file);
                assert!(!kept.void, "{}", moment.file);
            }
        }
        match &moment.event.fact {
            Fact::Reopened { .. } => {
                assert!(watch.paid.is_empty() && !watch.over && !watch.cards.is_empty());
                reopened += 1;
            }
            Fact::Voided { number, .. } => {
                let mut past = watch.coups.iter().filter(|coup| coup.number == *number);
                assert!(past.all(|coup| coup.void && coup.outcome.is_none()));
                void += 1;
            }
            _ => {}
        }
    });
    assert!(reopened > 5 && void > 5 && hidden > 5, "{reopened} {void} {hidden}");
}

#[test]
fn a_watch_has_a_stored_form() {
    let mut checked = 0;
    play::follow_all(20, |moment| {
        if moment.version % 37 == 0 {
            let text = serde_json::to_string(moment.watch).unwrap();
            assert_eq!(&serde_json::from_str::<Watch>(&text).unwrap(), moment.watch);
            checked += 1;
        }
    });
    assert!(checked > 5);
}

/// The events of a whole act may be folded before the first of them is watched.
#[test]
fn a_watch_may_come_after_the_whole_act() {
    let shelf = transcript::Shelf::default();
    let mut compared = 0;
    for (path, text) in play::transcripts().into_iter().step_by(7) {
        let played = play::played(&shelf, &text);
        if !played.tournament.is_empty() {
            continue;
        }
        let mut late = Watch::default();
        let mut waiting = Vec::new();
        let file = path.display().to_string();
        play::follow(&shelf, &file, &played, &mut |moment| {
            waiting.push(moment.event.clone());
            // As long as a coup is being dealt, nothing is watched; then all of it at once.
            if moment.table.coup().is_none() {
                for event in waiting.drain(..) {
                    late.note(moment.table, &event);
                }
                assert_eq!(late.cards, moment.watch.cards, "{file}: {:?}", moment.event);
                assert_eq!(late.coups, moment.watch.coups, "{file}: {:?}", moment.event);
                compared += 1;
            }
        });
    }
    assert!(compared > 100);
}
