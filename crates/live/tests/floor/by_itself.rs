//! Tournaments that run by themselves: nobody but the players does anything, and not all of them.

use std::sync::Arc;

use live::{Beginning, TournamentHost, World, tournament_stream};
use rules::Spot;
use store::{Deals, Log, Model, Pace, Setup};
use table::{Bet, Deed, Name};
use tournament::{Act, Next, Phase};

use crate::events::BEFORE;
use crate::place::{cents, named};
use testkit::cups::CUP;

/// The start that the conditions have: 20 March 2027, 19:00.
const STROKE: u64 = 1_805_569_200_000_000;

/// The conditions with what the book leaves to them.
pub(crate) fn conditions(book: &str) -> String {
    let fixed = ["level", "buy_back", "groups", "statement"];
    if book != "tas-2013" {
        return CUP.to_owned();
    }
    let open = |line: &&str| !fixed.iter().any(|key| line.starts_with(key));
    let lines = CUP.lines().filter(open).map(|line| format!("{line}\n"));
    "secret_wagers = 1".to_owned() + &lines.collect::<String>()
}

struct Event {
    model: Model,
    world: World,
    host: TournamentHost,
    /// Who never wagers.
    asleep: Option<Name>,
}

impl Event {
    async fn new(book: &str, players: &[&str]) -> Self {
        let (model, world) = (Model::new(7), World::real().with_clock(BEFORE));
        let loaded = Arc::new(rulebooks::load(book, None).unwrap());
        let pace = Some(Pace::USUAL);
        let title = "cup".to_owned();
        let setup = Setup { title, deals: Deals::System, pace, alone: true, ahead_of_utc: None };
        let beginning = Beginning {
            stream: "cup".into(),
            name: book.into(),
            book: loaded,
            setup,
            opener: None,
        };
        let log = Log::Model(model.clone());
        let host = TournamentHost::begin_in(log, world.clone(), None, beginning).await.unwrap();
        let mut event = Self { model, world, host, asleep: None };
        let conditions = transcript::conditions(&conditions(book)).unwrap();
        event.must(Act::Open).await;
        event.must(Act::Document(Box::new(conditions))).await;
        event.must(Act::NameDirector(named("Dana"))).await;
        while event.host.tournament().phase() == Phase::Preparing {
            let dues = event.host.tournament().due();
            event.must(dues.into_iter().find_map(|due| due.act).unwrap()).await;
        }
        for name in players {
            event.must(Act::Apply(named(name))).await;
            // Where the book wants it, the player agrees in writing.
            let agree = Act::Agree(named(name));
            let _ = event.host.act_by(agree.usual(), agree).await.unwrap();
        }
        event
    }

    async fn must(&mut self, act: Act) {
        let ruled = self.host.act_by(act.usual(), act.clone()).await.unwrap();
        assert!(ruled.is_ok(), "{act:?}: {}", ruled.unwrap_err());
    }

    /// The player whose turn it is wagers, unless asleep.
    async fn wager(&mut self) -> bool {
        let dues = self.host.tournament().due_at(self.world.now());
        let asked = dues.into_iter().find_map(|due| match due.next {
            Next::Wager { name, .. } if Some(name) != self.asleep => Some((name, due.table)),
            _ => None,
        });
        let Some((name, table)) = asked else { return false };
        let amount = if name == named("Bo") { cents(100) } else { cents(50) };
        let spot = if name == named("Ann") { Spot::Player } else { Spot::Banker };
        let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
        let act = table::Act::Player(name, Deed::Bet(bet));
        self.must(Act::At(table, Box::new(act))).await;
        true
    }

    /// Time passes until the event is over, or nothing happens any more.
    async fn run(&mut self) -> Phase {
        for _ in 0..5000 {
            let phase = self.host.tournament().phase();
            if matches!(phase, Phase::Ended | Phase::Cancelled) {
                return phase;
            }
            let next = self.host.wake().await.unwrap();
            if self.wager().await {
                continue;
            }
            if let Some(next) = next {
                self.world.set_clock(next.max(self.world.now() + 1));
            }
        }
        panic!("it stands still: {:?}", self.host.tournament().due_at(self.world.now()));
    }

    async fn records(&self) -> Vec<store::Record> {
        let log = Log::Model(self.model.clone());
        log.records(&tournament_stream("cup"), 0).await.unwrap()
    }

    async fn findings(&self) -> Vec<audit::Finding> {
        audit::audit_tournament(&self.records().await, None).unwrap().findings
    }
}

#[tokio::test]
async fn an_event_with_a_pace_runs_from_its_entries_to_its_prizes() {
    for book in ["act-2012", "act-2018", "tas-2013"] {
        let mut event = Event::new(book, &["Ann", "Bo", "Cid"]).await;
        assert_eq!(event.run().await, Phase::Ended, "{book}");
        assert!(event.world.now() >= STROKE, "{book}: it began before its time");
        let prizes: u64 =
            event.host.tournament().entrants().iter().map(|one| one.prize.get()).sum();
        assert_eq!(prizes, 27_000, "{book}: three fees less the commission");
        assert!(event.findings().await.is_empty(), "{book}");
    }
}

#[tokio::test]
async fn a_player_who_never_wagers_does_not_hold_the_event_up() {
    for book in ["act-2012", "act-2018", "tas-2013"] {
        let mut event = Event::new(book, &["Ann", "Bo", "Cid"]).await;
        event.asleep = Some(named("Cid"));
        assert_eq!(event.run().await, Phase::Ended, "{book}");
        let first = event.host.tournament().entrants().iter().max_by_key(|one| one.prize).unwrap();
        assert_ne!(first.name, named("Cid"), "{book}");
        // In the ACT who does not wager is out; in Tasmania the minimum goes for every hand missed.
        let records = event.records().await;
        let told = |fact: &str| records.iter().any(|record| record.body.contains(fact));
        assert_eq!(told("no-wager"), book != "tas-2013", "{book}");
        assert_eq!(told("went-away"), book == "tas-2013", "{book}");
        assert!(event.findings().await.is_empty(), "{book}");
    }
}

#[tokio::test]
async fn an_event_that_too_few_enter_is_called_off_before_its_start() {
    let mut event = Event::new("act-2018", &["Ann"]).await;
    assert_eq!(event.run().await, Phase::Cancelled);
    let minute = STROKE - 60_000_000..STROKE;
    assert!(minute.contains(&event.world.now()), "{}", event.world.now());
    assert!(event.findings().await.is_empty());
}

/// A process that dies at any write goes on, and the event is run to its end.
#[tokio::test]
async fn an_event_that_runs_by_itself_goes_on_after_a_start() {
    let mut event = Event::new("act-2018", &["Ann", "Bo", "Cid"]).await;
    let mut starts = 0;
    loop {
        for _ in 0..5 {
            let next = event.host.wake().await.unwrap();
            if !event.wager().await
                && let Some(next) = next
            {
                event.world.set_clock(next.max(event.world.now() + 1));
            }
        }
        let phase = event.host.tournament().phase();
        assert_ne!(phase, Phase::Cancelled);
        if phase == Phase::Ended {
            break;
        }
        let log = Log::Model(event.model.clone());
        let stream = tournament_stream("cup");
        let world = event.world.clone();
        event.host = TournamentHost::resume_in(log, world, None, &stream).await.unwrap();
        starts += 1;
        assert!(starts < 200, "{:?}", event.host.tournament().due_at(event.world.now()));
    }
    assert!(starts > 1);
    assert!(event.findings().await.is_empty());
}
