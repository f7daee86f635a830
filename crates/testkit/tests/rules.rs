//! The same cards and wagers give the same result and payouts under the rules' single coup and
//! under the table.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use rules::{Card, Cents, Group, Hands, Method, Side, Spot, Terms, Verdict};
use table::{
    Act, Bet, Command, Deed, Event, Fact, Limits, Name, Next, Options, SignLine, Table, Work,
};
use testkit::{all_books, random_bytes};

fn send(table: &mut Table, act: Act) -> Vec<Event> {
    let events = table.decide(&Command::new(0, act)).unwrap_or_else(|refusal| panic!("{refusal}"));
    for event in &events {
        table.evolve(event);
    }
    events
}

#[test]
fn the_table_and_the_rules_agree_on_every_coup() {
    for book in all_books() {
        for method in book.methods.iter().map(|method| Method(method.key)) {
            let terms = Terms { method, side_bets: book.all_offers() };
            let options = Options { terms: terms.clone(), ..Options::default() };
            let mut table = Table::new(book.clone());
            send(&mut table, Act::Open(options));
            let name = |i: usize| Name::from(&format!("P{i}")).unwrap();
            let stake = Cents::new(10_000).unwrap();
            let spots: Vec<_> =
                book.spots().into_iter().filter(|s| book.offers(*s, &terms).is_ok()).collect();
            for i in 0..spots.len() {
                let seat = u32::try_from(i + 1).unwrap();
                send(
                    &mut table,
                    Act::Player(name(i), Deed::Sit(seat, Cents::new(1 << 40).unwrap())),
                );
            }
            for seed in 0..200 {
                one_coup(&mut table, &book, &terms, &spots, stake, seed, &name);
            }
        }
    }
}

fn one_coup(
    table: &mut Table,
    book: &rules::Rulebook,
    terms: &Terms,
    spots: &[Spot],
    stake: Cents,
    seed: u64,
    name: &dyn Fn(usize) -> Name,
) {
    send(table, Act::FreshShoe);
    let bytes = random_bytes(seed, 6);
    let cards: Vec<_> = bytes.iter().map(|byte| Card::from_index(byte % 52).unwrap()).collect();
    let bets: Vec<_> = spots.iter().map(|spot| rules::Bet { spot: *spot, stake }).collect();
    let used = (4..=6).find(|n| book.play(terms, &cards[..*n], &[]).is_ok()).unwrap();
    let alone = book.play(terms, &cards[..used], &bets).unwrap();
    for (i, spot) in spots.iter().enumerate() {
        let bet =
            Bet { spot: *spot, amount: stake, place: None, unnoticed: false, in_error: false };
        send(table, Act::Player(name(i), Deed::Bet(bet)));
    }
    let four = [0, 1, 2, 3].map(|i| Some(cards[i]));
    let mut events = send(table, Act::Dealer(Work::Deal(four)));
    for (i, card) in cards[4..used].iter().enumerate() {
        let to = if i == 0 && alone.player.third().is_some() { Side::Player } else { Side::Banker };
        let draw = Work::Draw { card: Some(*card), to, face_down: false };
        events.extend(send(table, Act::Dealer(draw)));
    }
    let told = format!("{} {terms:?} {:?}", book.title.name(), &cards[..used]);
    for settled in &alone.settled {
        let at_table = events.iter().find_map(|event| match event.fact {
            Fact::Settled { spot, verdict, .. } if spot == settled.spot => Some(verdict),
            Fact::Lies { spot, .. } if spot == settled.spot => Some(Verdict::Kept),
            _ => None,
        });
        assert_eq!(at_table, Some(settled.verdict), "{told}: {}", settled.spot);
    }
    // What a tie left lying is not for the next coup.
    for (i, spot) in spots.iter().enumerate() {
        if table.wagers().iter().any(|wager| wager.spot == *spot) {
            send(table, Act::Player(name(i), Deed::TakeBack(*spot)));
        }
    }
    let result = events.iter().find_map(|event| match event.fact {
        Fact::Result(outcome) => Some(outcome),
        _ => None,
    });
    assert_eq!(result, Some(alone.score.outcome()), "{told}");
}

/// A wager after the call that the cap then sends back leaves the table waiting for wagers.
#[test]
fn a_round_whose_last_wager_the_cap_sends_back_waits_for_wagers() {
    let book = all_books().into_iter().find(|book| book.title.name() == "tas-2013").unwrap();
    let mut table = Table::new(book);
    let cents = |dollars: u64| Cents::new(dollars * 100).unwrap();
    let limits = Limits { least: cents(20), most: cents(100), step: None };
    send(&mut table, Act::Open(Options::default()));
    send(&mut table, Act::Post(SignLine::Limits(Group::Main, limits)));
    send(&mut table, Act::Post(SignLine::Liability(cents(15))));
    let ann = Name::from("Ann").unwrap();
    send(&mut table, Act::Player(ann, Deed::Sit(1, cents(500))));
    send(&mut table, Act::FreshShoe);
    let bet = |dollars| {
        let (spot, amount) = (Spot::Player, cents(dollars));
        let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
        Act::Player(ann, Deed::Bet(bet))
    };
    send(&mut table, bet(20));
    send(&mut table, Act::Dealer(Work::NoMoreBets));
    send(&mut table, bet(20));
    assert_eq!(table.due().unwrap().next, Next::Wagers, "15 is no lawful part of it");
}

/// Deals random cards one by one to the hand that [`rules::Rulebook::standing`] names, until it
/// says that the coup is over; gives the hands and how many cards they took.
fn dealt(book: &rules::Rulebook, cards: &[Card]) -> (Hands, Vec<Side>) {
    let (mut hands, mut sides) = (Hands::default(), Vec::new());
    loop {
        match book.standing(&hands).next {
            rules::Next::Card(by) => {
                hands.put(by.value, cards[sides.len()]);
                sides.push(by.value);
            }
            rules::Next::Settle(_) => return (hands, sides),
            rules::Next::Turn => panic!("no card lies face down"),
        }
    }
}

#[test]
fn the_sequence_and_the_play_of_a_coup_agree_on_random_cards() {
    let terms = Terms::main(Method::commission());
    for book in all_books() {
        for seed in 0..2000 {
            let bytes = random_bytes(seed, 7);
            let cards: Vec<_> =
                bytes.iter().map(|byte| Card::from_index(byte % 52).unwrap()).collect();
            let (hands, sides) = dealt(&book, &cards);
            let used = sides.len();
            let played = book.play(&terms, &cards[..used], &[]).unwrap();
            assert_eq!((&played.player, &played.banker), (&hands.player, &hands.banker));
            let standing = book.standing(&hands);
            let count = standing.count.unwrap();
            assert_eq!(played.score, count.score(&hands), "{}: {hands:?}", book.title.name());
            let score = |hand| book.score(hand);
            assert_eq!(count.score(&hands).player, score(&hands.player));
            assert_eq!(count.score(&hands).banker, score(&hands.banker));
            assert!(book.play(&terms, &cards[..used - 1], &[]).is_err(), "a card is missing");
            assert!(book.play(&terms, &cards[..=used], &[]).is_err(), "a card is in excess");
        }
    }
}

#[test]
fn the_table_waits_for_the_card_that_the_sequence_names() {
    for book in all_books() {
        let mut table = Table::new(book.clone());
        send(&mut table, Act::Open(Options::default()));
        let ann = Name::from("Ann").unwrap();
        send(&mut table, Act::Player(ann, Deed::Sit(1, Cents::new(1 << 40).unwrap())));
        for seed in 0..100 {
            let bytes = random_bytes(seed, 6);
            let cards: Vec<_> =
                bytes.iter().map(|byte| Card::from_index(byte % 52).unwrap()).collect();
            let (_, sides) = dealt(&book, &cards);
            send(&mut table, Act::FreshShoe);
            let (amount, spot) = (Cents::new(10_000).unwrap(), Spot::Tie);
            let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
            send(&mut table, Act::Player(ann, Deed::Bet(bet)));
            send(&mut table, Act::Dealer(Work::NoMoreBets));
            for (card, to) in cards.iter().zip(sides) {
                assert_eq!(table.due().unwrap().next, Next::Card(to), "{}", book.title.name());
                let draw = Work::Draw { card: Some(*card), to, face_down: false };
                send(&mut table, Act::Dealer(draw));
            }
            assert!(table.coup().is_none(), "{}: the coup is over", book.title.name());
        }
    }
}

/// What a coup did to the chips is kept for a while: an earlier one is refused with how far back a
/// void goes.
#[test]
fn a_coup_too_long_ago_is_not_voided() {
    let book = all_books().into_iter().find(|book| book.title.name() == "act-2018").unwrap();
    let mut table = Table::new(book);
    let cents = |dollars: u64| Cents::new(dollars * 100).unwrap();
    let ann = Name::from("Ann").unwrap();
    send(&mut table, Act::Open(Options::default()));
    send(&mut table, Act::Player(ann, Deed::Sit(1, cents(100_000))));
    let (spot, amount) = (Spot::Player, cents(10));
    let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
    let cards = ["9h", "2d", "Kc", "5s"].map(|card| Some(card.parse().unwrap()));
    for _ in 0..449 {
        send(&mut table, Act::FreshShoe);
        send(&mut table, Act::Player(ann, Deed::Bet(bet)));
        send(&mut table, Act::Dealer(Work::Deal(cards)));
    }
    let void = |coup| Command::new(0, Act::VoidNumbered(coup, "a marked card".into()));
    let refusal = table.decide(&void(224)).unwrap_err().to_string();
    let (what, how_far) = ("coup 224 is too long ago to be reversed", "of coups 225 to 449");
    assert!(refusal.contains(what) && refusal.contains(how_far), "{refusal}");
    let won = table.player(table::PlayerId(0)).stack;
    send(&mut table, void(225).act);
    let lost = won - table.player(table::PlayerId(0)).stack;
    assert_eq!(lost.get(), 1000, "ten dollars go back");
}
