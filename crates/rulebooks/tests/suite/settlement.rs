//! Every wager of every book over every outcome class, against fractions written down by hand.

use rules::book::Rulebook;
use rules::{Cents, HandScore, Method, Offer, Offers, Pair, Score, Spot, Terms, Verdict, Winnings};

/// What a stake becomes: a fraction of it won, nothing, or itself.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Due {
    /// So many parts of so many, after commission; and the commission in the same parts.
    Wins(u64, u64, u64),
    Loses,
    Kept,
}

/// The pay table of the five sources for the main wagers, by hand.
fn main_due(method: Method, spot: Spot, score: Score) -> Due {
    let (player, banker) = (score.player.total, score.banker.total);
    match spot {
        Spot::Tie if player == banker => Due::Wins(8, 1, 0),
        Spot::Tie => Due::Loses,
        _ if player == banker => Due::Kept,
        Spot::Player if player > banker => Due::Wins(1, 1, 0),
        Spot::Banker if banker > player => match method.key() {
            "commission" => Due::Wins(19, 20, 1),
            "half-on-six" if banker == 6 => Due::Wins(1, 2, 1),
            "half-on-six" => Due::Wins(1, 1, 0),
            other => panic!("no fractions for {other}"),
        },
        _ => Due::Loses,
    }
}

fn pair_due(kind: &str, pair: Option<Pair>) -> Due {
    match (kind, pair) {
        (_, None) => Due::Loses,
        ("perfect", Some(Pair::Mixed)) => Due::Wins(5, 1, 0),
        ("perfect", Some(Pair::Red | Pair::Black)) => Due::Wins(12, 1, 0),
        ("perfect", Some(Pair::Perfect)) => Due::Wins(25, 1, 0),
        ("canberra", Some(_)) => Due::Wins(11, 1, 0),
        other => panic!("no such pairs: {other:?}"),
    }
}

fn dragon_due(mine: HandScore, other: HandScore) -> Due {
    if mine.total == other.total {
        return if mine.natural && other.natural { Due::Kept } else { Due::Loses };
    }
    if mine.total < other.total {
        return Due::Loses;
    }
    match mine.total - other.total {
        _ if mine.natural => Due::Wins(1, 1, 0),
        4 => Due::Wins(1, 1, 0),
        5 => Due::Wins(2, 1, 0),
        6 => Due::Wins(4, 1, 0),
        7 => Due::Wins(6, 1, 0),
        8 => Due::Wins(10, 1, 0),
        9 => Due::Wins(30, 1, 0),
        _ => Due::Loses,
    }
}

fn due(terms: &Terms, spot: Spot, score: Score) -> Due {
    let pairs = || {
        let offer = terms.side_bets.iter().find(|offer| offer.group.as_str() == "pairs");
        offer.and_then(|offer| offer.table).unwrap().as_str()
    };
    match spot.key() {
        "banker" | "player" | "tie" => main_due(terms.method, spot, score),
        "banker-pair" => pair_due(pairs(), score.banker.pair),
        "player-pair" => pair_due(pairs(), score.player.pair),
        "banker-dragon" => dragon_due(score.banker, score.player),
        "player-dragon" => dragon_due(score.player, score.banker),
        other => panic!("no fractions for {other}"),
    }
}

/// Every class of outcome that cards can bring: totals, naturals, pairs.
fn classes() -> Vec<Score> {
    let pairs = [None, Some(Pair::Mixed), Some(Pair::Red), Some(Pair::Black), Some(Pair::Perfect)];
    let mut classes = Vec::new();
    for (player, banker) in (0..10).flat_map(|player| (0..10).map(move |banker| (player, banker))) {
        for (player_natural, banker_natural) in
            [(false, false), (false, true), (true, false), (true, true)]
        {
            // A natural is 8 or 9; beside one, two cards of the other hand that come to 8 or 9
            // would be a natural too.
            let natural = player_natural || banker_natural;
            let possible =
                |total: u8, is: bool| if is { total >= 8 } else { !natural || total < 8 };
            if !possible(player, player_natural) || !possible(banker, banker_natural) {
                continue;
            }
            for (player_pair, banker_pair) in
                pairs.into_iter().flat_map(|p| pairs.into_iter().map(move |b| (p, b)))
            {
                let hand = |total, natural, pair| HandScore { total, natural, cards: 2, pair };
                classes.push(Score {
                    player: hand(player, player_natural, player_pair),
                    banker: hand(banker, banker_natural, banker_pair),
                });
            }
        }
    }
    classes
}

/// Every choice that the book leaves to the operator.
fn all_terms(book: &Rulebook) -> Vec<Terms> {
    let mut all = vec![Offers::none()];
    for group in &book.side_bets {
        for offers in all.clone() {
            let with = |table: &rules::PayTable| Offer { group: group.key, table: table.key };
            all.extend(group.tables.iter().map(|table| offers.clone().with(with(table))));
        }
    }
    let terms = |(method, side_bets)| Terms { method, side_bets };
    let methods = book.methods.iter().map(|method| Method(method.key));
    let all = methods.flat_map(|method| all.iter().map(move |offers| (method, offers.clone())));
    all.map(terms).filter(|terms| book.allows(terms).is_ok()).collect()
}

#[test]
fn every_wager_is_settled_exactly_in_every_outcome_class() {
    let classes = classes();
    // A hundred naturals-free classes, 32 beside one natural and 4 with two, 25 pairs each.
    assert_eq!(classes.len(), (100 + 2 * 16 + 4) * 25);
    for book in crate::all_books() {
        let book = book.rulebook;
        for terms in all_terms(&book) {
            for spot in book.spots() {
                if book.offers(spot, &terms).is_err() {
                    continue;
                }
                for &score in &classes {
                    for cents in [1, 5, 10, 20, 250, 2500, 99_999_999] {
                        check(&book, &terms, spot, Cents::new(cents).unwrap(), score);
                    }
                }
            }
        }
    }
}

fn check(book: &Rulebook, terms: &Terms, spot: Spot, stake: Cents, score: Score) {
    let told = format!("{} {terms:?}: {stake} on {spot} {score:?}", book.title.name());
    let settled = book.settle(terms, spot, stake, score);
    let (wins, per, commission) = match due(terms, spot, score) {
        Due::Loses => return assert_eq!(settled.unwrap().verdict, Verdict::Lost, "{told}"),
        Due::Kept => return assert_eq!(settled.unwrap().verdict, Verdict::Kept, "{told}"),
        Due::Wins(wins, per, commission) => (wins, per, commission),
    };
    if !(stake.get() * wins).is_multiple_of(per) {
        assert!(settled.is_err(), "{told}: rounded to {settled:?}");
        return;
    }
    let settled = settled.unwrap();
    let Verdict::Won(Winnings { net, commission: withheld }) = settled.verdict else {
        panic!("{told}: {settled:?}")
    };
    assert_eq!(net.get(), stake.get() * wins / per, "{told}");
    // Odds of 19 to 20 have no commission; 1 to 1 less 5 % is the same with one.
    if withheld > Cents::ZERO {
        assert_eq!(withheld.get(), stake.get() * commission / per, "{told}");
    }
}

#[test]
fn every_settlement_cites_the_clause_of_its_outcome_and_of_its_price() {
    for (book, score, spot, clauses) in [
        ("act-2012", (9, 1), "player", "8.4(a) 8.6(a)"),
        ("act-2012", (1, 9), "player", "8.4(b)"),
        ("act-2012", (3, 3), "player", "8.4(c)"),
        ("act-2012", (1, 9), "banker", "8.3(a) 8.6(b)"),
        ("act-2018", (1, 9), "banker", "4.3(a)(i) 8.4(b)"),
        ("act-2018", (3, 3), "tie", "4.3(c)(i) 8.4(c)"),
        ("act-2018", (1, 9), "banker-dragon", "12.7(a)(i)(B) 12.7 12.8"),
        ("act-2018", (3, 3), "banker-dragon", "12.7(a)(ii)(B)"),
        ("act-2018", (3, 4), "banker-pair", "9.9(b)"),
        ("nz-1998", (1, 9), "banker", "5.1(a)(i) 5.7(b)"),
        ("tas-2013", (1, 9), "banker", "6.6 12.2"),
        ("tas-2013", (3, 3), "banker", "6.8"),
        ("vic-2005", (3, 3), "player-dragon", "10.1"),
        ("vic-2005", (3, 3), "tie", "6.8 12.3"),
    ] {
        let book = crate::load(book, None).rulebook;
        let hand = |total| HandScore { total, natural: false, cards: 2, pair: None };
        let score = Score { player: hand(score.0), banker: hand(score.1) };
        let terms = Terms { method: Method::commission(), side_bets: book.all_offers() };
        let spot = Spot::from_key(spot).unwrap();
        let settled = book.settle(&terms, spot, Cents::new(10_000).unwrap(), score).unwrap();
        let found: Vec<_> = settled.clauses.iter().map(rules::Clause::number).collect();
        assert_eq!(found.join(" "), clauses, "{} {spot}", book.title.name());
    }
}
