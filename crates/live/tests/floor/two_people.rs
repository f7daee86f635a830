//! Who may do what in a tournament: what two people do, who plays and who runs it.

use live::{Floor, Order};
use rules::Cents;
use store::{AccountKind, Log};
use table::{Code, Deed, Role};
use tournament::Act;

use crate::events::Event;
use crate::place::{cents, named};
use testkit::cups::CUP;

fn at_one(act: table::Act) -> Act {
    Act::At(Some(1), Box::new(act))
}

fn void() -> Act {
    at_one(table::Act::VoidNumbered(1, "the wrong cards".into()))
}

/// A coup was played: Walt and Wilma have won or lost by it.
async fn one_coup() -> Event {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.cup.act(Act::Enter(vec![named("Walt"), named("Wilma")])).await.unwrap().unwrap();
    event.start().await;
    let is_over = |tournament: &tournament::Tournament| {
        let table = tournament.sitting(1).map(|sitting| &sitting.table);
        table.is_none_or(|table| table.coups() == 1 && table.coup().is_none())
    };
    while !is_over(&event.cup.look().await.unwrap().tournament) {
        event.do_next().await;
    }
    event
}

/// The process ends, and another goes on.
async fn start_again(event: &mut Event) {
    event.model = event.model.crash(store::Crash::Lost);
    let log = Log::Model(event.model.clone());
    event.floor = Floor::open(log, event.world.clone()).await.unwrap();
    event.cup = event.floor.resume_tournament(&live::tournament_stream("cup")).await.unwrap();
}

#[tokio::test]
async fn a_coup_of_an_event_is_made_void_by_two_people() {
    let mut event = Box::pin(one_coup()).await;
    let chips = |tournament: &tournament::Tournament| {
        let table = &tournament.sitting(1).unwrap().table;
        table.present().map(|(_, player)| player.stack.get()).collect::<Vec<_>>()
    };
    let before = chips(&event.cup.look().await.unwrap().tournament);
    assert_ne!(before, [100_000, 100_000], "nothing was won or lost");
    for name in ["Olga", "Olga"] {
        let told = event.send(name, void()).await.unwrap_err();
        assert_eq!(told.code, Code::SecondPerson);
    }
    assert_eq!(chips(&event.cup.look().await.unwrap().tournament), before);
    // The proposal outlives the process.
    start_again(&mut event).await;
    event.done("Otto", void()).await;
    assert_eq!(chips(&event.cup.look().await.unwrap().tournament), [100_000, 100_000]);
    assert_eq!(event.findings().await, []);
    // In a log that lacks the proposal, or the second person, the audit says so.
    let stream = live::tournament_stream("cup");
    let records = event.floor.log().records(&stream, 0).await.unwrap();
    let audited = |records: &[store::Record]| audit::audit_tournament(records, None).unwrap();
    let lacks = |record: &store::Record| !record.body.contains("second-person");
    let lacking: Vec<_> = records.iter().filter(|one| lacks(one)).cloned().collect();
    let found = audited(&lacking).findings;
    assert!(found.iter().any(|one| one.what.contains("nobody proposed")), "{found:?}");
    let mut alone = records.clone();
    let (second, none) = (format!("\"second\":\"{}\"", event.id("Otto")), "\"second\":null");
    for one in &mut alone {
        one.body = one.body.replace(&second, none);
    }
    let found = audited(&alone).findings;
    assert!(found.iter().any(|one| one.what.contains("one person alone")), "{found:?}");
}

#[tokio::test]
async fn nobody_confirms_a_correction_of_their_own() {
    let mut event = Box::pin(one_coup()).await;
    // Walt is said to have bet 100 on Banker, and not 50.
    let (name, spot, amount) = (named("Walt"), rules::Spot::Banker, cents(100));
    let chips = tournament::Miskeyed::Wager { name, coup: Some(1), spot, amount };
    let wrong = Act::Correct(Box::new(chips), "counted again".into());
    let as_role =
        |event: &mut Event, role: Role, act: Act| Order { role, ..event.order("Vera", act) };
    let order = as_role(&mut event, Role::Director, wrong);
    let asked = event.cup.order(order).await.unwrap();
    assert!(asked.ruled.is_ok(), "{}", asked.ruled.unwrap_err());
    let confirm = Act::ConfirmCorrection(Some(1));
    for _ in 0..2 {
        let order = as_role(&mut event, Role::Supervisor, confirm.clone());
        let told = event.cup.order(order).await.unwrap().ruled;
        assert_eq!(told.unwrap_err().code, Code::SecondPerson);
        start_again(&mut event).await;
    }
    let sue =
        event.floor.accounts().open("Sue", AccountKind::Guest, Cents::ZERO, &[Role::Supervisor]);
    let who = sue.await.unwrap().unwrap();
    let order = Order { who, ..as_role(&mut event, Role::Supervisor, confirm) };
    let told = event.cup.order(order).await.unwrap().ruled;
    assert!(told.is_ok(), "{}", told.unwrap_err());
    assert_eq!(event.findings().await, []);
}

/// What waits for a second person is not forgotten because somebody else puts right what lies.
#[tokio::test]
async fn a_correction_that_waits_is_not_displaced() {
    let mut event = Box::pin(one_coup()).await;
    let (name, spot, amount) = (named("Walt"), rules::Spot::Banker, cents(100));
    let wager = |coup| Box::new(tournament::Miskeyed::Wager { name, coup, spot, amount });
    let asked = Act::Correct(wager(Some(1)), "counted again".into());
    let told = event.send_as("Vera", Role::Director, asked).await;
    assert!(told.is_ok(), "{}", told.unwrap_err());
    for who in ["Walt", "Wilma"] {
        let (amount, place) = (cents(50), None);
        let bet = table::Bet { spot, amount, place, unnoticed: false, in_error: false };
        event.done("Dana", at_one(table::Act::Player(named(who), Deed::Bet(bet)))).await;
    }
    let told = event.send("Dana", Act::Correct(wager(None), "a slip".into())).await;
    assert_eq!(told.unwrap_err().code, Code::Suspended);
    let confirm = Act::ConfirmCorrection(Some(1));
    let own = event.send_as("Vera", Role::Supervisor, confirm.clone()).await;
    assert_eq!(own.unwrap_err().code, Code::SecondPerson);
    event.done("Max", confirm).await;
    assert_eq!(event.findings().await, []);
}

/// At each table it is asked who wanted the correction there.
#[tokio::test]
async fn nobody_confirms_their_own_correction_after_one_at_another_table() {
    let heats = "heats = { from = \"entrants\", tables = 2, seats = 4, coups = 3, advance = 2 }";
    let conditions = CUP
        .replace("\"2..7\"", "\"6..8\"")
        .replace("stages.final = {", &format!("stages.{heats}\nstages.final = {{"))
        .replace("from = \"entrants\", tables = 1", "from = \"winners of heats\", tables = 1");
    let mut event = Box::pin(Event::under("act-2018", &conditions)).await;
    event.open_entries().await;
    let names = ["Walt", "Wilma", "Wes", "Win", "Wim", "Wyn"].map(named).to_vec();
    event.cup.act(Act::Enter(names)).await.unwrap().unwrap();
    // A coup is over at table 1; at the other one none may be under way.
    let rests = |tournament: &tournament::Tournament, table: u32, coups: u32| {
        let table = tournament.sitting(table).map(|sitting| &sitting.table);
        table.is_some_and(|table| table.coups() >= coups && table.coup().is_none())
    };
    let mut tournament = event.cup.look().await.unwrap().tournament;
    while !(rests(&tournament, 1, 1) && rests(&tournament, 2, 0)) {
        event.do_next_of_two().await;
        tournament = event.cup.look().await.unwrap().tournament;
    }
    let wrong = |table: u32| {
        let table = &tournament.sitting(table).unwrap().table;
        let (name, amount) = (table.present().next().unwrap().1.name, cents(1234));
        Act::Correct(Box::new(tournament::Miskeyed::Chips { name, amount }), "counted".into())
    };
    for (name, table) in [("Vera", 1), ("Dana", 2)] {
        let told = event.send_as(name, Role::Director, wrong(table)).await;
        assert!(told.is_ok(), "{}", told.unwrap_err());
    }
    for again in [false, true] {
        let own = event.send_as("Vera", Role::Supervisor, Act::ConfirmCorrection(Some(1))).await;
        assert_eq!(own.unwrap_err().code, Code::SecondPerson);
        if !again {
            start_again(&mut event).await;
        }
    }
    assert_eq!(event.findings().await, []);
}

#[tokio::test]
async fn who_plays_for_somebody_runs_nothing() {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.done("Dana", Act::TellConditions).await;
    for name in ["Ann", "Bo"] {
        event.done(name, Act::Apply(named(name))).await;
        event.done("Dana", Act::Accept(named(name))).await;
    }
    event.start().await;
    // The director plays for nobody, nor does who has run the event; anybody else may.
    let told = event.send("Dana", Act::Substitute(named("Bo"), named("Dana"))).await.unwrap_err();
    assert_eq!(told.code, Code::RunsTheTable);
    let decides = at_one(table::Act::Supervisor(table::Decision::Decide("a drink".into())));
    event.done("Max", at_one(table::Act::Supervisor(table::Decision::Decide("x".into())))).await;
    let told = event.send("Dana", Act::Substitute(named("Bo"), named("Max"))).await.unwrap_err();
    assert_eq!(told.code, Code::RunsTheTable);
    event.done("Dana", Act::Substitute(named("Bo"), named("Vera"))).await;
    let told = event.send_as("Vera", Role::Supervisor, decides).await.unwrap_err();
    assert_eq!(told.code, Code::RunsTheTable);
    assert_eq!(event.findings().await, []);
}

#[tokio::test]
async fn staff_of_an_event_do_not_play_in_it_and_speak_for_no_account() {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.done("Dana", Act::TellConditions).await;
    event.done("Ann", Act::Apply(named("Ann"))).await;
    event.done("Dana", Act::Accept(named("Ann"))).await;
    let told = event.send("Dee", Act::Withdraw(named("Ann"))).await.unwrap_err();
    assert_eq!(told.code, Code::NotTheirs, "her fee would be gone");
    // The director is an account's, whoever says so: what is refused is refused after a start too.
    for _ in 0..2 {
        let dana = Order { role: Role::Player, ..event.order("Dana", Act::Apply(named("Dana"))) };
        let told = event.cup.order(dana).await.unwrap().ruled.unwrap_err();
        assert_eq!(told.code, Code::RunsTheTable);
        assert_eq!(event.findings().await, []);
        start_again(&mut event).await;
    }
}

#[tokio::test]
async fn a_text_of_an_event_is_one_line() {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.done("Dana", Act::TellConditions).await;
    event.done("Cid", Act::Apply(named("Cid"))).await;
    for why in ["two\nlines".to_owned(), "x".repeat(5000), "\u{1b}[2J".to_owned()] {
        let told = event.send("Dana", Act::RefuseEntry(named("Cid"), why)).await.unwrap_err();
        assert_eq!(told.code, Code::Unsayable);
    }
    event.done("Dana", Act::RefuseEntry(named("Cid"), "too young".into())).await;
    let leaves = at_one(table::Act::Player(named("Cid"), Deed::Leave));
    assert!(event.send("Cid", leaves).await.is_err());
}
