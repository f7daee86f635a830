//! The exact counts: the known integers, and a second enumeration written differently.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::naive_bytecount, reason = "slow and plain on purpose")]

use odds::{Class, Kind, Outcomes, Tableaux, Wagers, decimal, outcomes, outcomes_given};
use rules::{Card, Composition, Hands, Method, Next, Offer, Pair, Rulebook, Terms};
use testkit::{Choices, random_bytes};

fn book(id: &str) -> Rulebook {
    rulebooks::load(id, None).unwrap().rulebook
}

fn decks(decks: u16) -> Composition {
    Composition::of_decks(decks)
}

fn won(outcomes: &Outcomes, by: std::cmp::Ordering) -> u64 {
    outcomes.count(|class| class.banker.cmp(&class.player) == by)
}

#[test]
fn eight_decks_have_the_known_counts_under_every_book() {
    for id in rulebooks::ids() {
        let found = outcomes(&decks(8), &Tableaux::of(&book(id))).unwrap();
        assert_eq!(found.total, 4_998_398_275_503_360, "{id}");
        assert_eq!(won(&found, std::cmp::Ordering::Greater), 2_292_252_566_437_888, "{id}");
        assert_eq!(won(&found, std::cmp::Ordering::Less), 2_230_518_282_592_256, "{id}");
        assert_eq!(won(&found, std::cmp::Ordering::Equal), 475_627_426_473_216, "{id}");
        let six = found.count(|class| class.banker == 6 && class.player < 6);
        assert_eq!(six, 269_232_304_455_680, "{id}");
        assert_eq!(found.classes.iter().sum::<u64>(), found.total, "{id}");
        assert_eq!(found.pairs.iter().flatten().sum::<u64>(), found.total, "{id}");
        let cards = Class::all().map(|class| {
            let (player, banker) = class.cards();
            u128::from(player + banker) * u128::from(found.classes[class.index()])
        });
        let cards = cards.sum::<u128>() * 1_000_000 * 10 / u128::from(found.total);
        assert_eq!((cards + 5) / 10, 4_938_819, "{id}: cards a coup, in millionths");
    }
}

#[test]
fn eight_decks_have_the_known_edges() {
    let act = book("act-2018");
    let edge = |method, pairs, spot| {
        let offers = [Offer::said(pairs).unwrap(), Offer::said("dragon").unwrap()];
        let terms = Terms { method, side_bets: offers.into_iter().collect() };
        let found = outcomes(&decks(8), &Tableaux::of(&act)).unwrap();
        let wagers = Wagers::of(&act, &terms).list;
        let wager = wagers.iter().find(|wager| wager.spot.key() == spot).unwrap();
        decimal(&(wager.value(&found).house_edge() * dashu_ratio::RBig::from(100)), 4)
    };
    let (commission, half) = (Method::commission(), Method::from_key("half-on-six").unwrap());
    let (perfect, canberra) = ("pairs=perfect", "pairs=canberra");
    for (method, pairs, spot, wanted) in [
        (commission, perfect, "banker", "1.0579"),
        (half, perfect, "banker", "1.4581"),
        (commission, perfect, "player", "1.2351"),
        (commission, perfect, "tie", "14.3596"),
        (commission, perfect, "player-dragon", "2.6517"),
        (commission, perfect, "banker-dragon", "9.3731"),
        (commission, canberra, "player-pair", "10.3614"),
        (commission, canberra, "banker-pair", "10.3614"),
        (commission, perfect, "player-pair", "7.9518"),
    ] {
        assert_eq!(edge(method, pairs, spot), wanted, "{spot} {method}");
    }
}

/// Value by value and card by card, with the book itself asked at every step: slow, and written
/// with nothing of the fast way.
fn naive(shoe: &Composition, book: &Rulebook) -> Vec<(Class, u64)> {
    let mut counts = [0_u64; 10];
    for card in Card::deck() {
        counts[usize::from(book.cards.count(card))] += u64::from(shoe.count(card));
    }
    let of_value = |value: u8| Card::deck().find(|card| book.cards.count(*card) == value).unwrap();
    let all = u64::from(shoe.total());
    let mut found = std::collections::BTreeMap::new();
    let mut stack = vec![(Vec::<u8>::new(), 1_u64)];
    while let Some((dealt, ways)) = stack.pop() {
        let cards: Vec<Card> = dealt.iter().map(|value| of_value(*value)).collect();
        let coup = (dealt.len() >= 4).then(|| finished(book, &cards)).flatten();
        if let Some(class) = coup {
            let mut ways = ways;
            for taken in dealt.len()..6 {
                ways *= all - taken as u64;
            }
            *found.entry(class).or_insert(0) += ways;
            continue;
        }
        for value in 0..10_u8 {
            let used = dealt.iter().filter(|other| **other == value).count() as u64;
            let left = counts[usize::from(value)].saturating_sub(used);
            if left > 0 {
                let mut next = dealt.clone();
                next.push(value);
                stack.push((next, ways * left));
            }
        }
    }
    found.into_iter().collect()
}

/// The class of a coup, if the book says that it is over with exactly these cards.
fn finished(book: &Rulebook, cards: &[Card]) -> Option<Class> {
    let mut hands = Hands::default();
    for card in cards {
        match book.standing(&hands).next {
            Next::Card(by) => hands.put(by.value, *card),
            Next::Turn | Next::Settle(_) => return None,
        }
    }
    let standing = book.standing(&hands);
    let (Next::Settle(_), Some(count)) = (standing.next, standing.count) else { return None };
    let kind = match (count.is_natural(), hands.player.third(), hands.banker.third()) {
        (true, ..) => Kind::Natural,
        (false, None, None) => Kind::BothStand,
        (false, Some(_), None) => Kind::PlayerDrew,
        (false, None, Some(_)) => Kind::BankerDrew,
        (false, Some(_), Some(_)) => Kind::BothDrew,
    };
    let [player, banker] = count.totals.map(|total| total.value);
    Some(Class { player, banker, kind })
}

fn depleted(seed: u64, from: u16, keep: usize) -> Composition {
    let bytes = random_bytes(seed, 4096);
    let mut choices = Choices::new(&bytes);
    let mut shoe = decks(from);
    while shoe.total() as usize > keep {
        let card = Card::from_index(u8::try_from(choices.below(52)).unwrap()).unwrap();
        let _ = shoe.take(card);
    }
    shoe
}

#[test]
fn a_second_enumeration_finds_the_same_counts() {
    let shoes = [
        decks(4),
        decks(6),
        depleted(1, 8, 200),
        depleted(2, 8, 52),
        depleted(3, 8, 14),
        depleted(4, 1, 9),
        depleted(5, 8, 6),
        depleted(6, 4, 30),
    ];
    for (i, shoe) in shoes.iter().enumerate() {
        for id in ["act-2018", "tas-2013", "nz-1998"] {
            let book = book(id);
            let fast = outcomes(shoe, &Tableaux::of(&book)).unwrap();
            let mut slow = [0; odds::CLASSES];
            for (class, ways) in naive(shoe, &book) {
                slow[class.index()] = ways;
            }
            assert!(fast.classes == slow, "shoe {i} under {id}");
            let given = outcomes_given(shoe, &Tableaux::of(&book), &[]).unwrap();
            assert_eq!(given, fast, "shoe {i} under {id}, with no card seen");
        }
    }
}

/// All orders of a few cards, played by the book's own coup: pairs and classes at once.
#[test]
fn all_orders_of_nine_cards_are_played() {
    let book = book("act-2018");
    let shoe = depleted(9, 2, 9);
    let cards: Vec<Card> =
        Card::deck().flat_map(|card| vec![card; usize::from(shoe.count(card))]).collect();
    let fast = outcomes(&shoe, &Tableaux::of(&book)).unwrap();
    let (mut classes, mut pairs) = ([0_u64; odds::CLASSES], [[0_u64; 5]; 5]);
    let mut orders = vec![Vec::<usize>::new()];
    while let Some(order) = orders.pop() {
        if order.len() < 6 {
            let unused = (0..cards.len()).filter(|i| !order.contains(i));
            orders.extend(unused.map(|i| [order.as_slice(), &[i]].concat()));
            continue;
        }
        let drawn: Vec<Card> = order.iter().map(|i| cards[*i]).collect();
        let class = (4..=6).find_map(|used| finished(&book, &drawn[..used])).unwrap();
        classes[class.index()] += 1;
        let kind = |hand: usize| match Pair::of(drawn[hand], drawn[hand + 2]) {
            None => 0,
            Some(Pair::Mixed) => 1,
            Some(Pair::Red) => 2,
            Some(Pair::Black) => 3,
            Some(Pair::Perfect) => 4,
        };
        pairs[kind(0)][kind(1)] += 1;
    }
    assert!(fast.classes == classes);
    assert_eq!(fast.pairs, pairs);
}

/// Seen card by card, the odds of all continuations add up to the odds before.
#[test]
fn what_is_seen_card_by_card_adds_up() {
    let book = book("act-2018");
    let tableaux = Tableaux::of(&book);
    let shoe = depleted(11, 8, 60);
    let mut before = outcomes(&shoe, &tableaux).unwrap();
    let mut seen: Vec<Card> = Vec::new();
    let mut left = shoe;
    for _ in 0..3 {
        let mut sum = [0_u64; odds::CLASSES];
        let mut pairs = [[0_u64; 5]; 5];
        for card in Card::deck().filter(|card| left.count(*card) > 0) {
            let mut rest = left;
            rest.take(card).unwrap();
            let now = [seen.as_slice(), &[card]].concat();
            let given = outcomes_given(&rest, &tableaux, &now).unwrap();
            let ways = u64::from(left.count(card));
            for (sum, count) in sum.iter_mut().zip(given.classes) {
                *sum += ways * count;
            }
            let sums = pairs.iter_mut().flatten().zip(given.pairs.iter().flatten());
            sums.for_each(|(sum, count)| *sum += ways * count);
        }
        assert!(sum == before.classes);
        assert_eq!(pairs, before.pairs);
        let card = Card::deck().find(|card| left.count(*card) > 0).unwrap();
        left.take(card).unwrap();
        seen.push(card);
        before = outcomes_given(&left, &tableaux, &seen).unwrap();
    }
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let tableaux = Tableaux::of(&book("act-2018"));
    let told = |shoe: &Composition| outcomes(shoe, &tableaux).unwrap_err().to_string();
    assert_eq!(told(&decks(0)), "0 cards are left; a coup may need 6");
    assert_eq!(told(&depleted(1, 1, 5)), "5 cards are left; a coup may need 6");
    assert_eq!(told(&decks(31)), "1612 cards; at most 1600 are counted exactly");
    let cards: Vec<Card> = Card::deck().take(7).collect();
    assert!(outcomes_given(&decks(8), &tableaux, &cards).is_err());
    let natural: Vec<Card> =
        ["9h", "2c", "Kh", "3c", "4d"].iter().map(|card| card.parse().unwrap()).collect();
    let over = outcomes_given(&decks(8), &tableaux, &natural).unwrap_err().to_string();
    assert_eq!(over, "the coup was over before the last of these cards");
}

#[test]
fn decimals_are_rounded_and_signed() {
    let third = dashu_ratio::RBig::from_parts((-1).into(), 3_u8.into());
    assert_eq!(decimal(&third, 4), "-0.3333");
    assert_eq!(decimal(&third, 0), "0");
    let most = dashu_ratio::RBig::from_parts(1999.into(), 1000_u16.into());
    assert_eq!(decimal(&most, 2), "2.00");
    assert_eq!(decimal(&odds::root(&dashu_ratio::RBig::from(2), 10), 6), "1.414214");
}
