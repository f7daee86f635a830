//! A view of a table: the felt, the proofs, the money of one player, and a document that holds
//! together.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod play;

use shoe::{Digest, ShoeRecord, Way};
use table::{Command, Deed, Table};
use transcript::{Books, Said, Shelf, understand};
use view::{Eyes, FORM, Seen, TableView, Watch, refusal_view, table_view};

/// A table at which these lines were said; the book is the first word of the opening.
fn table(lines: &str) -> (std::sync::Arc<rulebooks::Book>, Table, Watch) {
    let shelf = Shelf::default();
    let played = play::played(&shelf, lines);
    let wrong: Vec<_> = played.lines.iter().filter_map(|line| line.refusal.clone()).collect();
    assert!(wrong.is_empty() && played.unreadable().next().is_none(), "{wrong:?}");
    let book = shelf.book("act-2018", None).unwrap();
    let mut table = Table::new(std::sync::Arc::new(book.rulebook.clone()));
    let mut watch = Watch::default();
    for event in &played.events {
        table.evolve(event);
        watch.note(&table, event);
    }
    (book, table, watch)
}

const OPEN: &str = "operator opens act-2018\noperator posts main 5..1000\noperator posts tie \
                    5..200\nAda sits at 1 with 500\nBo sits at 2 with 500\nfresh shoe\n";

fn view(eyes: Eyes, lines: &str, shoe: Option<&ShoeRecord>) -> TableView {
    let (book, table, watch) = table(lines);
    let seen = Seen {
        name: "Canberra 1",
        version: 7,
        table: &table,
        book: &book,
        sha256: &book.sha256(),
        watch: &watch,
        shoe,
        cards_left: Some(300),
        peeked: &[],
        account: Some("account-1"),
        proposed: None,
    };
    table_view(&eyes, &seen)
}

#[test]
fn a_view_has_the_round_that_is_over() {
    let ada = Eyes::Player(play::name("Ada"));
    let lines = format!(
        "{OPEN}Ada bets 50 on banker\nBo bets 20 on player\ndealer calls no more bets\n\
         dealer deals 2h 9c 3h Kd\n"
    );
    let view = view(ada, &lines, None);
    assert_eq!((view.form, view.version, view.table.as_str()), (FORM, 7, "Canberra 1"));
    assert_eq!((&*view.phase, view.coup, view.felt.coup), ("betting", 2, 1));
    assert_eq!((view.felt.over, view.felt.outcome.as_deref()), (true, Some("banker")));
    assert!(view.felt.natural);
    assert_eq!((view.felt.player.total, view.felt.banker.total), (Some(5), Some(9)));
    let own = view.felt.paid.iter().find(|paid| paid.mine).unwrap();
    assert_eq!((own.stake_cents, &*own.verdict), (5000, "won"));
    assert_eq!(own.won_cents + own.commission_cents, 5000);
    assert!(own.why.iter().all(|why| why.gist.is_some()) && !own.price_clauses.is_empty());
    let mine = view.mine.unwrap();
    assert_eq!(mine.stack_cents, 50_000 + i64::try_from(own.won_cents).unwrap());
    assert_eq!((mine.owes_cents, mine.wagers.len(), view.players.len()), (0, 0, 2));
    assert_eq!(view.roads.beads.len(), 1);
    assert_eq!((view.roads.counts.banker, view.coups.len()), (1, 1));
    let spots: Vec<_> = view.spots.iter().map(|spot| spot.spot.key()).collect();
    assert_eq!(spots, ["player", "tie", "banker"]);
    assert!(view.spots.iter().all(|spot| !spot.pays.is_empty() && spot.limits.is_some()));
    assert!(view.lawful.iter().any(|one| one.line == "Ada bets 5 on tie"), "{:?}", view.lawful);
    assert!(view.sign.iter().any(|line| line.what.contains("5..1000")), "{:?}", view.sign);
    assert!(view.asked.iter().any(|asked| asked.mine), "{:?}", view.asked);
}

#[test]
fn a_spectator_sees_seats() {
    let lines = format!("{OPEN}Cleo stands behind 2 with 100\nAda bets 50 on banker\n");
    let view = view(Eyes::Spectator, &lines, None);
    let players: Vec<_> = view.players.iter().map(|player| player.player.as_str()).collect();
    assert_eq!(players, ["seat 1", "seat 2", "behind seat 2"]);
    assert!(view.players.iter().all(|p| p.owes_cents.is_none() && p.limits.is_none()));
    let banker = view.spots.iter().find(|spot| spot.spot.key() == "banker").unwrap();
    assert_eq!((banker.laid[0].player.as_str(), banker.laid_cents), ("seat 1", 5000));
    assert!(view.lawful.is_empty() && view.mine.is_none());
    let last = &view.rulings.last().unwrap().what;
    assert_eq!(last, "seat 1 has 50 on banker at 1");
}

#[test]
fn cards_have_their_index_in_the_shoe() {
    let what = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let record = ShoeRecord {
        protocol: "x".into(),
        decks: 8,
        commitment: Digest([0; 32]),
        way: Way::First { nonces: Vec::new() },
        root: None,
        cut: None,
        dealt: what(&[
            "burn",
            "coup 1: player",
            "coup 1: banker",
            "coup 1: player",
            "coup 1: banker",
        ]),
        openings: Vec::new(),
        entropy: None,
    };
    let lines = format!(
        "{OPEN}Ada bets 50 on banker\ndealer calls no more bets\ndealer deals 2h 9c 3h Kd\n"
    );
    let view = view(Eyes::Dealer, &lines, Some(&record));
    let index = |hand: &view::HandView| hand.cards.iter().map(|c| c.index).collect::<Vec<_>>();
    assert_eq!(index(&view.felt.player), [Some(1), Some(3)]);
    assert_eq!(index(&view.felt.banker), [Some(2), Some(4)]);
    assert!(view.felt.player.cards.iter().all(|card| card.proved.is_none()));
    assert_eq!((view.shoe.dealt, view.shoe.cards_left), (Some(5), Some(300)));
    assert!(!view.shoe.took_part && !view.shoe.revealed);
}

#[test]
fn a_refusal_has_its_code_and_what_would_do() {
    let (_, table, _) = table(OPEN);
    let Ok(Said::Act(by, act)) = understand("Ada bets 600 on banker") else { panic!("unreadable") };
    assert!(matches!(*act, table::Act::Player(_, Deed::Bet(_))));
    let refusal = table.decide(&Command { at: 0, by, act: *act }).unwrap_err();
    let view = refusal_view(&refusal);
    assert_eq!((view.form, &*view.code), (FORM, "not-enough-chips"));
    assert!(!view.what.is_empty() && !view.instead.is_empty());
}

#[test]
fn where_any_player_may_cut_everybody_is_asked_who_has_not_declined() {
    let lines = "operator opens act-2018\noperator posts main 5..1000\nAda sits at 1 with 500\nBo \
                 sits at 2 with 500\ndealer checks the cards\ndealer shuffles\n";
    let cut_of = |name: &str, lines: &str| {
        let view = view(Eyes::Player(play::name(name)), lines, None);
        assert_eq!((view.asked.len(), view.shoe.cut_least), (1, 52), "{:?}", view.asked);
        view.asked[0].line.clone().filter(|_| view.asked[0].mine)
    };
    assert_eq!(cut_of("Ada", lines).as_deref(), Some("Ada cuts at 208"));
    assert_eq!(cut_of("Bo", lines).as_deref(), Some("Bo cuts at 208"));
    assert_eq!(cut_of("Stranger", lines), None);
    let declined = format!("{lines}Ada declines the cut\n");
    assert_eq!(cut_of("Ada", &declined), None);
    assert_eq!(cut_of("Bo", &declined).as_deref(), Some("Bo cuts at 208"));
}
