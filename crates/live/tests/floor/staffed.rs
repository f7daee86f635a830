//! A dealer deals from the system's shoe: the system shuffles and gives the cards, and nobody names
//! one, at a table or in an event.

use rules::Side;
use store::Deals;
use table::{Act as TableAct, Code, Deed, Fact, Next, Role, Work};
use tournament::{Act, Sitting};

use crate::events::Event;
use crate::place::{Place, bet, named, sit};

/// The clock does what it can until it waits for somebody.
async fn prepared(place: &mut Place) {
    for _ in 0..60 {
        place.host.wake().await.unwrap();
        match place.host.table().due().unwrap().next {
            Next::Wagers => return,
            Next::Check(by) => {
                let check = TableAct::Dealer(Work::Check(by));
                place.done("Dee", Role::Dealer, check).await;
            }
            Next::Cut(_) => {
                let cut = TableAct::Player(named("Ann"), Deed::Cut(100));
                place.done("Ann", Role::Player, cut).await;
            }
            _ => {}
        }
        let later = place.now + 15_000_000;
        place.at(later);
    }
    panic!("the shoe is not prepared: {:?}", place.host.table().due());
}

/// Draws what is due until the coup is over.
async fn dealt(place: &mut Place) -> usize {
    let mut cards = 0;
    loop {
        place.host.wake().await.unwrap();
        let Next::Card(to) = place.host.table().due().unwrap().next else { return cards };
        let draw = Work::Draw { card: None, to, face_down: false };
        place.done("Dee", Role::Dealer, TableAct::Dealer(draw)).await;
        cards += 1;
    }
}

#[tokio::test]
async fn a_dealer_deals_from_the_systems_shoe_and_names_no_card() {
    let mut place = Place::new(Deals::Staff).await;
    place.done("Ann", Role::Player, sit("Ann", 1, 900)).await;
    for work in [Work::Shuffle, Work::PreShuffled] {
        let told = place.send("Dee", Role::Dealer, TableAct::Dealer(work)).await.unwrap_err();
        assert_eq!(told.code, Code::WrongMoment, "{told}");
    }
    let told = place.send("Dee", Role::Dealer, TableAct::FreshShoe).await.unwrap_err();
    assert_eq!(told.code, Code::WrongMoment, "{told}");
    prepared(&mut place).await;
    assert_eq!(place.host.shoe_number(), 1);
    let root = place.host.published().unwrap().root;
    assert!(root.is_some(), "the order is bound before the first bet");
    // The dealer closes the wagers, and nobody else.
    place.done("Ann", Role::Player, bet("Ann", 20)).await;
    let later = place.now + 3_600_000_000;
    place.at(later);
    place.host.wake().await.unwrap();
    assert_eq!(place.host.table().due().unwrap().next, Next::Wagers);
    place.line("dealer calls no more bets").await;
    let nine = "9h".parse().ok();
    let named = Work::Draw { card: nine, to: Side::Player, face_down: false };
    let told = place.send("Dee", Role::Dealer, TableAct::Dealer(named)).await.unwrap_err();
    assert_eq!(told.code, Code::WrongCard, "{told}");
    let cards = dealt(&mut place).await;
    assert!((4..=6).contains(&cards), "{cards}");
    assert_eq!(place.host.table().coups(), 1);
    // Every card that lies there has its proof.
    let record = place.host.published().unwrap();
    assert!(record.openings.len() >= cards, "{} of {cards}", record.openings.len());
    place.holds().await;
    place.start_again().await;
    assert_eq!(place.host.published().unwrap().root, root);
    place.holds().await;
}

#[tokio::test]
async fn the_cutting_card_comes_in_its_place_and_the_shoe_is_revealed() {
    let mut place = Place::new(Deals::Staff).await;
    place.done("Ann", Role::Player, sit("Ann", 1, 900)).await;
    prepared(&mut place).await;
    while place.host.shoe_number() == 1 {
        place.done("Ann", Role::Player, bet("Ann", 10)).await;
        place.line("dealer calls no more bets").await;
        dealt(&mut place).await;
        if place.host.table().due().unwrap().next != Next::Wagers {
            prepared(&mut place).await;
        }
    }
    let records = place.records().await;
    let times = |word: &str| records.iter().filter(|record| record.body.contains(word)).count();
    assert_eq!((times("\"cutting-card-out\""), times("\"revealed\"")), (1, 1));
    place.holds().await;
}

const TWO_TABLES: &str = r#"
name = "Cup"
start = "2027-03-20 19:00"
application = "at the desk"
entry = "adults"
fee = 10
commission = "10%"
chips = 1000
players = "4..4"
secret_wagers = 0
limits = { main = "50..1000", tie = "50..200" }
elimination = "who has no chips is out"
pool = "all entry fees less the commission"
prizes = ["60%", "40%"]
stages.heats = { from = "entrants", tables = 2, seats = 2, coups = 3, advance = 1 }
stages.final = { from = "winners of heats", tables = 1, seats = 2, coups = 2 }
"#;

/// An event with two tables in play and cards that lie face down; and who holds those of Player.
async fn face_down() -> (Event, table::Name) {
    let mut event = Event::under("tas-2013", TWO_TABLES).await;
    event.open_entries().await;
    for name in ["Ann", "Bo"] {
        event.done(name, Act::Apply(named(name))).await;
        event.done(name, Act::Agree(named(name))).await;
        event.done("Dana", Act::Accept(named(name))).await;
    }
    let more = ["Walt", "Wim"].map(named).to_vec();
    event.done("Dana", Act::Enter(more)).await;
    for _ in 0..200 {
        let tournament = event.cup.look().await.unwrap().tournament;
        let live: Vec<&Sitting> = tournament.sittings().filter(|one| one.is_live()).collect();
        let holder = live.iter().find_map(|one| {
            let holder = one.table.coup()?.passed[Side::Player as usize]?;
            Some(one.table.player(holder).name)
        });
        if let (Some(holder), 2..) = (holder, live.len()) {
            return (event, holder);
        }
        event.do_next_of_two().await;
    }
    panic!("nobody holds cards");
}

#[tokio::test]
async fn nobody_chooses_the_cards_that_they_turn_in_an_event() {
    let (event, holder) = face_down().await;
    let turns = |cards: Option<[&str; 2]>| {
        let cards = cards.map(|cards| cards.map(|card| card.parse().unwrap()));
        let deed = Deed::Turn(Side::Player, cards);
        Act::At(None, Box::new(TableAct::Player(holder, deed)))
    };
    // The table is not said: the player's own is meant, for the shoe too.
    let told = event.cup.act(turns(Some(["9h", "9d"]))).await.unwrap().unwrap_err();
    assert_eq!(told.code, Code::WrongCard, "{told}");
    let told = event.cup.act(turns(None)).await.unwrap().unwrap();
    let turned = told.iter().filter(|told| {
        let tournament::Fact::AtTable { event, .. } = &told.event.fact else { return false };
        matches!(event.fact, Fact::Turned { .. })
    });
    assert_eq!(turned.count(), 2);
    assert_eq!(event.findings().await, []);
}

#[tokio::test]
async fn other_cards_than_the_systems_do_not_come_to_an_event() {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.done("Dana", Act::TellConditions).await;
    event.done("Dana", Act::Enter(["Walt", "Wim"].map(named).to_vec())).await;
    event.start().await;
    let fresh = Act::At(Some(1), Box::new(TableAct::FreshShoe));
    let told = event.send("Dana", fresh).await.unwrap_err();
    assert_eq!(told.code, Code::WrongMoment, "{told}");
}

#[tokio::test]
async fn wagers_that_are_voided_in_an_event_leave_a_log_that_goes_on() {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.done("Dana", Act::TellConditions).await;
    for name in ["Ann", "Bo"] {
        event.done(name, Act::Apply(named(name))).await;
        event.done("Dana", Act::Accept(named(name))).await;
    }
    event.start().await;
    loop {
        let tournament = event.cup.look().await.unwrap().tournament;
        let sitting = tournament.sitting(1).unwrap();
        if sitting.table.wagers().len() == 2 {
            break;
        }
        event.do_next().await;
    }
    let void = TableAct::VoidWagers(named("Ann"), None, "a signal".into());
    event.done("Olga", Act::At(Some(1), Box::new(void))).await;
    assert_eq!(event.findings().await, []);
    let records = event.floor.log().records(event.cup.stream(), 0).await.unwrap();
    assert!(!records.iter().any(|record| record.body.contains("Ann")), "a name is in the chain");
    event.play_out().await;
    assert_eq!(event.findings().await, []);
}
