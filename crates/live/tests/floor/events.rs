//! Tournaments as tasks: orders, what a subscriber gets, one that fails, and the clock.

use std::sync::Arc;

use live::{Beginning, Floor, News, Order, TournamentHandle, World, tournament_stream};
use rules::{Cents, Spot};
use store::{
    AccountFact, AccountKind, Append, Body, CommandKey, Deals, Entry, Log, Model, OwnLimits, Setup,
};
use table::{Bet, Code, Deed, Limits, Role, SignLine};
use tournament::{Act, Fact, Need, Next, Phase, Sitting};
use view::Eyes;

use crate::place::{cents, named};
use crate::watching::stopped_without_an_answer;
use testkit::cups::CUP;

/// Days before the start, in microseconds.
pub(crate) const BEFORE: u64 = 1_805_000_000_000_000;

/// Everybody, with the roles that they have.
const PEOPLE: [(&str, &[Role]); 12] = [
    ("Otto", &[Role::Operator]),
    ("Dee", &[Role::Dealer]),
    ("Vera", &[Role::Supervisor, Role::Director]),
    ("Dana", &[Role::Director]),
    ("Olga", &[Role::Operator]),
    ("Reg", &[Role::Regulator]),
    ("Ivy", &[Role::Inspector]),
    ("Max", &[Role::Management]),
    ("Pat", &[Role::Players, Role::Device, Role::Clock]),
    ("Ann", &[]),
    ("Bo", &[]),
    ("Cid", &[]),
];

/// Somebody who has that role.
pub(crate) fn somebody(role: Role) -> &'static str {
    let has = |roles: &[Role]| roles.contains(&role) || role == Role::Player && roles.is_empty();
    let found = PEOPLE.iter().find(|(_, roles)| has(roles));
    found.unwrap_or_else(|| panic!("nobody has the role {role}")).0
}

/// A floor in memory with people who have accounts.
pub(crate) struct Event {
    pub(crate) model: Model,
    pub(crate) world: World,
    pub(crate) floor: Floor,
    pub(crate) cup: TournamentHandle,
    keys: u64,
    /// The tables that are named for the next session.
    tables: Vec<u32>,
}

async fn begin(floor: &Floor, title: &str, name: &str) -> TournamentHandle {
    let book = Arc::new(rulebooks::load(name, None).unwrap());
    let setup = Setup {
        title: title.into(),
        deals: Deals::System,
        pace: None,
        alone: false,
        ahead_of_utc: None,
    };
    let beginning =
        Beginning { stream: title.into(), name: name.into(), book, setup, opener: None };
    let event = floor.open_tournament(beginning).await.unwrap();
    event.act(Act::Open).await.unwrap().unwrap();
    event
}

impl Event {
    pub(crate) async fn new() -> Self {
        Self::under("act-2018", CUP).await
    }

    pub(crate) async fn under(book: &str, conditions: &str) -> Self {
        let mut seed = 40_u64;
        let world = World::real().with_clock(BEFORE).with_entropy(move |bytes| {
            seed += 1;
            bytes.copy_from_slice(&testkit::random_bytes(seed, bytes.len()));
        });
        let model = Model::new(5);
        let floor = Floor::open(Log::Model(model.clone()), world.clone()).await.unwrap();
        for (name, roles) in PEOPLE {
            let kind = AccountKind::Guest;
            let money = if name == "Cid" { cents(40) } else { cents(150) };
            floor.accounts().open(name, kind, money, roles).await.unwrap().unwrap();
        }
        let cup = begin(&floor, "cup", book).await;
        let mut event = Self { model, world, floor, cup, keys: 0, tables: vec![1] };
        let conditions = transcript::conditions(conditions).unwrap();
        event.done("Olga", Act::Document(Box::new(conditions))).await;
        event.done("Olga", Act::NameDirector(named("Dana"))).await;
        event
    }

    pub(crate) fn id(&self, name: &str) -> String {
        self.floor.accounts().named(name).unwrap()
    }

    pub(crate) fn order(&mut self, name: &str, act: Act) -> Order<Act> {
        let roles = PEOPLE.iter().find(|(other, _)| *other == name).unwrap().1;
        let role = roles.first().copied().unwrap_or(Role::Player);
        self.keys += 1;
        Order { who: self.id(name), role, key: format!("k{}", self.keys), act }
    }

    pub(crate) async fn send(&mut self, name: &str, act: Act) -> live::EventRuled {
        let order = self.order(name, act);
        self.cup.order(order).await.unwrap().ruled
    }

    /// An order in a role that the person may have or not.
    pub(crate) async fn send_as(&mut self, name: &str, role: Role, act: Act) -> live::EventRuled {
        let order = Order { role, ..self.order(name, act) };
        self.cup.order(order).await.unwrap().ruled
    }

    pub(crate) async fn done(&mut self, name: &str, act: Act) {
        let ruled = self.send(name, act.clone()).await;
        assert!(ruled.is_ok(), "{act:?}: {}", ruled.unwrap_err());
    }

    /// Does what is due for nobody's choice until entries are open.
    pub(crate) async fn open_entries(&mut self) {
        while self.cup.look().await.unwrap().tournament.phase() != Phase::Entries {
            let due = self.cup.look().await.unwrap().tournament.due_at(BEFORE);
            let act = due.iter().find_map(|due| due.act.clone()).unwrap();
            self.cup.act(act).await.unwrap().unwrap();
        }
    }
}

impl Event {
    /// Does what is due until a table is in play: nobody but the clock is waited for.
    pub(crate) async fn start(&mut self) {
        for _ in 0..100 {
            if self.cup.look().await.unwrap().tournament.sittings().any(Sitting::is_live) {
                return;
            }
            self.do_next().await;
        }
        panic!("the session does not start");
    }

    /// Plays to the last prize.
    pub(crate) async fn play_out(&mut self) {
        for _ in 0..500 {
            if self.cup.look().await.unwrap().tournament.phase() == Phase::Ended {
                return;
            }
            self.do_next().await;
        }
        let tournament = self.cup.look().await.unwrap().tournament;
        panic!("the event does not end: {:?}", tournament.due_at(self.world.now()));
    }

    /// The same, where two tables are in play.
    pub(crate) async fn do_next_of_two(&mut self) {
        self.tables = vec![1, 2];
        self.do_next().await;
    }

    /// Does the first thing that must be done.
    pub(crate) async fn do_next(&mut self) {
        let tournament = self.cup.look().await.unwrap().tournament;
        let due = tournament.due_at(self.world.now());
        let must = due.into_iter().filter(|due| due.need == Need::Must && due.next != Next::Cancel);
        let mut must: Vec<_> = must.collect();
        must.sort_by_key(|due| matches!(due.next, Next::WaitForStart(_)));
        let first = must.first().unwrap();
        let at = |act: table::Act| Act::At(first.table, Box::new(act));
        let act = match (&first.next, first.act.clone()) {
            (Next::NameTables, _) => Act::NameTables(self.tables.clone()),
            (Next::CommitBallot, _) => return drop(self.cup.commit_ballot().await.unwrap()),
            (Next::RevealBallot, _) => return drop(self.cup.reveal_ballot().await.unwrap()),
            (Next::WaitForStart(at), _) => return self.world.set_clock(*at),
            (Next::Wager { name, .. }, _) => {
                let spot = if *name == named("Ann") { Spot::Player } else { Spot::Banker };
                // Nobody is level with anybody for long.
                let more = [named("Bo"), named("Wilma")].contains(name);
                let amount = if more { cents(100) } else { cents(50) };
                let place = None;
                let bet = Bet { spot, amount, place, unnoticed: false, in_error: false };
                at(table::Act::Player(*name, Deed::Bet(bet)))
            }
            (Next::Cut(by), _) => {
                let there = tournament.sitting(1).unwrap().table.present().next();
                let name = by.or_else(|| there.map(|(_, player)| player.name)).unwrap();
                at(table::Act::Player(name, Deed::Cut(100)))
            }
            (Next::Turn { side, third, by: Some(name) }, _) => {
                let (side, third) = (*side, *third);
                let deed = if third { Deed::TurnThird(side, None) } else { Deed::Turn(side, None) };
                at(table::Act::Player(*name, deed))
            }
            (Next::DrawForPlayOff, _) => Act::DrawForPlayOff(first.table, "4c".parse().unwrap()),
            (_, act) => {
                let sitting = first.table.and_then(|table| tournament.sitting(table));
                let dealer = sitting.and_then(|one| one.table.due(tournament.table_book()));
                let waits = |next| matches!(next, table::Next::Wagers | table::Next::Players);
                if let (Some(table), true) = (first.table, dealer.is_some_and(|d| !waits(d.next))) {
                    return drop(self.cup.step(table).await.unwrap());
                }
                act.unwrap()
            }
        };
        let done = self.cup.act(act).await.unwrap();
        assert!(done.is_ok(), "{first:?}: {}", done.unwrap_err());
    }

    async fn balance(&self, name: &str) -> Cents {
        self.floor.accounts().get(&self.id(name)).await.unwrap().balance
    }

    /// Everything that was recorded follows from the book, and the money is where it should be.
    pub(crate) async fn findings(&self) -> Vec<audit::Finding> {
        let (log, mut all) = (self.floor.log(), Vec::new());
        for stream in log.streams().await.unwrap() {
            let records = log.records(&stream, 0).await.unwrap();
            all.push((stream, records));
        }
        findings(&all)
    }
}

fn findings(streams: &[(String, Vec<store::Record>)]) -> Vec<audit::Finding> {
    let cup = streams.iter().find(|(stream, _)| *stream == tournament_stream("cup")).unwrap();
    let mut found = audit::audit_tournament(&cup.1, None).unwrap().findings;
    let each = streams.iter().map(|(stream, records)| (stream.as_str(), records.as_slice()));
    found.extend(audit::audit_accounts(each).unwrap().findings);
    found
}

#[tokio::test]
async fn fees_go_from_accounts_to_the_tournament_and_prizes_back() {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.done("Dana", Act::TellConditions).await;
    for name in ["Ann", "Bo"] {
        event.done(name, Act::Apply(named(name))).await;
        assert_eq!(event.balance(name).await, cents(150), "who applies has not paid");
        event.done("Dana", Act::Accept(named(name))).await;
        assert_eq!(event.balance(name).await, cents(50));
    }
    // Who has no account pays over the counter.
    event.done("Dana", Act::Enter(vec![named("Walt")])).await;
    // Nobody is entered from an account by somebody else, nor with what the account lacks.
    let told = event.send("Dana", Act::Enter(vec![named("Cid")])).await.unwrap_err();
    assert_eq!(told.code, Code::NotTheirs);
    event.done("Cid", Act::Apply(named("Cid"))).await;
    let told = event.send("Dana", Act::Accept(named("Cid"))).await.unwrap_err();
    assert_eq!(told.code, Code::NotEnoughMoney);
    assert!(!told.to_string().contains("40"), "what an account holds is told: {told}");
    assert_eq!(event.balance("Cid").await, cents(40));
    event.done("Dana", Act::RefuseEntry(named("Cid"), "no fee".into())).await;
    assert_eq!(event.findings().await, []);
    event.start().await;
    event.play_out().await;
    let tournament = event.cup.look().await.unwrap().tournament;
    let prize = |name: &str| {
        tournament.entrants().iter().find(|one| one.name == named(name)).unwrap().prize
    };
    for name in ["Ann", "Bo"] {
        let due = cents(50).checked_add(prize(name)).unwrap();
        assert_eq!(event.balance(name).await, due, "{name}");
    }
    // Three fees of 100 less 10 %: 60 % and 40 % of 270.
    let mut prizes: Vec<_> = ["Ann", "Bo", "Walt"].map(|name| prize(name).get()).into();
    prizes.sort_unstable();
    assert_eq!(prizes, [0, 10_800, 16_200]);
    assert_eq!(event.findings().await, []);
}

/// The same card in another suit: whatever the hands count, they count it still.
fn other_suit(card: &str) -> String {
    let (rank, suit) = card.split_at(card.len() - 1);
    format!("{rank}{}", if suit == "h" { "d" } else { "h" })
}

#[tokio::test]
async fn a_card_that_is_not_the_shoes_is_found() {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.cup.act(Act::Enter(vec![named("Walt"), named("Wilma")])).await.unwrap().unwrap();
    event.start().await;
    event.play_out().await;
    let stream = tournament_stream("cup");
    let records = event.floor.log().records(&stream, 0).await.unwrap();
    let findings =
        |records: &[store::Record]| audit::audit_tournament(records, None).unwrap().findings;
    assert_eq!(findings(&records), []);
    let mut tried = 0;
    for (at, record) in records.iter().enumerate() {
        let Ok(Body::Tournament(told)) = record.read() else { continue };
        let Fact::AtTable { event: told, .. } = told.fact else { continue };
        let table::Fact::Dealt { card: Some(card), shown: true, .. } = told.fact else { continue };
        // The act and what followed agree on another card, and the shoe does not.
        let (card, other) = (card.to_string(), other_suit(&card.to_string()));
        let mut spoilt = records.clone();
        let same = |one: &&mut store::Record| one.key == record.key && one.actor == record.actor;
        for one in spoilt.iter_mut().filter(same) {
            if one.schema.starts_with("tournament") {
                one.body = one.body.replace(&format!("\"{card}\""), &format!("\"{other}\""));
            }
        }
        assert_ne!(spoilt[at].body, record.body);
        let found = findings(&spoilt);
        assert!(found.iter().any(|one| one.what.contains("table 1: ")), "{card}: {found:?}");
        // A card that left the shoe for nothing, and one that came from elsewhere.
        let mut short = records.clone();
        let dealt = |one: &store::Record| one.key == record.key && one.schema == "table-shoe/1";
        short.retain(|one| !dealt(one));
        assert!(!findings(&short).is_empty(), "{card}");
        tried += 1;
        if tried >= 6 {
            break;
        }
    }
    assert!(tried >= 4, "{tried} cards");
}

#[tokio::test]
async fn a_transfer_that_one_side_lacks_or_has_otherwise_is_found() {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.done("Ann", Act::Apply(named("Ann"))).await;
    event.done("Dana", Act::TellConditions).await;
    event.done("Dana", Act::Accept(named("Ann"))).await;
    let (log, ann, mut all) = (event.floor.log(), event.id("Ann"), Vec::new());
    for stream in log.streams().await.unwrap() {
        let records = log.records(&stream, 0).await.unwrap();
        all.push((stream, records));
    }
    assert_eq!(findings(&all), []);
    let account = format!("account {ann}");
    for spoil in ["lacks", "other amount", "other tournament", "other key"] {
        let mut spoilt = all.clone();
        let records = &mut spoilt.iter_mut().find(|(stream, _)| *stream == account).unwrap().1;
        let fee = records.last_mut().unwrap();
        match spoil {
            "lacks" => drop(records.pop()),
            "other amount" => {
                fee.body = fee.body.replace(":10000,", ":9000,").replace(":5000}", ":6000}");
            }
            "other tournament" => fee.body = fee.body.replace("tournament cup", "tournament c"),
            _ => fee.key = "another".into(),
        }
        assert!(!findings(&spoilt).is_empty(), "{spoil}");
    }
}

#[tokio::test]
async fn a_cancelled_tournament_gives_fees_back_and_own_limits_hold_for_fees() {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.done("Dana", Act::TellConditions).await;
    event.done("Ann", Act::Apply(named("Ann"))).await;
    event.done("Dana", Act::Accept(named("Ann"))).await;
    assert_eq!(event.balance("Ann").await, cents(50));
    event.done("Olga", Act::Cancel("nobody came".into())).await;
    assert_eq!(event.balance("Ann").await, cents(150));
    assert_eq!(event.findings().await, []);
    let mut event = Event::new().await;
    event.open_entries().await;
    let (ann, bo) = (event.id("Ann"), event.id("Bo"));
    let limits = OwnLimits { loss: Some(cents(99)), minutes: None, remind: None };
    event.floor.accounts().limit(&ann, "l1", limits).await.unwrap();
    event.floor.accounts().pause(&bo, "p1", 1).await.unwrap();
    for name in ["Ann", "Bo"] {
        let told = event.send(name, Act::Apply(named(name))).await.unwrap_err();
        assert_eq!(told.code, Code::OwnLimit);
    }
    // Who pauses between applying and being accepted does not pay; why is not told to others.
    let mut event = Event::new().await;
    event.open_entries().await;
    event.done("Dana", Act::TellConditions).await;
    event.done("Ann", Act::Apply(named("Ann"))).await;
    let ann = event.id("Ann");
    event.floor.accounts().pause(&ann, "p1", 1).await.unwrap();
    let told = event.send("Dana", Act::Accept(named("Ann"))).await.unwrap_err();
    assert_eq!((told.code, told.what.contains("pause")), (Code::OwnLimit, false));
    assert_eq!(event.balance("Ann").await, cents(150));
    assert_eq!(event.findings().await, []);
}

#[tokio::test]
async fn somebody_of_the_same_name_does_not_speak_for_who_is_entered() {
    let mut event = Event::new().await;
    event.open_entries().await;
    // The house itself enters a walk-in, whose name happens to be that of an account.
    event.cup.act(Act::Enter(vec![named("Bo")])).await.unwrap().unwrap();
    assert_eq!(event.balance("Bo").await, cents(150));
    let told = event.send("Bo", Act::Withdraw(named("Bo"))).await.unwrap_err();
    assert_eq!(told.code, Code::NameTaken);
    assert_eq!(event.findings().await, []);
}

#[tokio::test]
async fn the_clock_of_the_floor_reaches_the_tables_of_a_tournament() {
    // Where the conditions say nothing of limits, they are the sign's, and change by notice.
    let mut event = Event::under("act-2012", &CUP.replace("limits = {", "# limits = {")).await;
    event.open_entries().await;
    event.cup.act(Act::Enter(vec![named("Walt"), named("Wilma")])).await.unwrap().unwrap();
    event.start().await;
    let limits = Limits { least: cents(50), most: cents(100), step: None };
    let line = SignLine::Limits(rules::Group::Tie, limits);
    let notice = table::Act::GiveNotice(line, Some(30 * 60_000_000));
    event.cup.act(Act::At(Some(1), Box::new(notice))).await.unwrap().unwrap();
    let tie = |scene: &live::EventScene| {
        let table = &scene.tournament.sitting(1).unwrap().table;
        table.limits(rules::Group::Tie).map(|limits| limits.most)
    };
    let scene = event.cup.look().await.unwrap();
    assert_eq!(tie(&scene), None);
    event.world.set_clock(scene.now + 60 * 60_000_000);
    event.cup.act(Act::Tick).await.unwrap().unwrap();
    assert_eq!(tie(&event.cup.look().await.unwrap()), Some(cents(100)));
}

#[tokio::test]
async fn an_order_to_a_tournament_is_carried_out_once_and_answered_the_same() {
    let mut event = Event::new().await;
    // Refused: nothing is open yet. The same key gets the same answer when it would be lawful.
    let early = event.order("Ann", Act::Apply(named("Ann")));
    let refused = event.cup.order(early.clone()).await.unwrap().ruled.unwrap_err();
    event.open_entries().await;
    let again = event.cup.order(early.clone()).await.unwrap();
    assert!(again.repeated && again.ruled.unwrap_err() == refused);
    let order = event.order("Ann", Act::Apply(named("Ann")));
    let first = event.cup.order(order.clone()).await.unwrap();
    let again = event.cup.order(order.clone()).await.unwrap();
    assert!(!first.repeated && again.repeated);
    assert_eq!((again.version, &again.ruled), (first.version, &first.ruled));
    let other = Order { act: Act::Withdraw(named("Ann")), ..order };
    let told = event.cup.order(other).await.unwrap().ruled.unwrap_err();
    assert_eq!(told.code, Code::KeyReused);
    // Many refusals are not kept, and are answered the same all the same.
    let mut last = None;
    for _ in 0..40 {
        let order = event.order("Ann", Act::Apply(named("Ann")));
        assert!(event.cup.order(order.clone()).await.unwrap().ruled.is_err());
        last = Some(order);
    }
    assert!(event.cup.order(last.unwrap()).await.unwrap().repeated);
    // Nobody acts in a role that they do not have, nor for somebody else.
    let told = event.send("Bo", Act::Apply(named("Ann"))).await.unwrap_err();
    assert_eq!(told.code, Code::NotTheirs);
    let stolen = Order { role: Role::Director, ..event.order("Bo", Act::CloseEntries) };
    assert_eq!(event.cup.order(stolen).await.unwrap().ruled.unwrap_err().code, Code::NotTheirs);
}

#[tokio::test]
async fn who_watches_a_tournament_gets_the_gap_and_then_what_happens_as_the_role_may_see_it() {
    let mut event = Event::new().await;
    event.open_entries().await;
    let (mut news, mut seen) = (event.cup.subscribe(2).await.unwrap(), Vec::new());
    for name in ["Ann", "Bo"] {
        event.done(name, Act::Apply(named(name))).await;
        assert!(event.send(name, Act::Apply(named(name))).await.is_err());
    }
    event.done("Dana", Act::TellConditions).await;
    let last = event.cup.look().await.unwrap().version;
    while news.seen() < last {
        match news.next().await.unwrap() {
            News::Gap(records) => seen.extend(records.iter().map(|record| record.version)),
            News::Happened(happened) => seen.extend(happened.versions.0..=happened.versions.1),
            News::Over => panic!("the tournament stopped"),
        }
    }
    assert_eq!(seen, (3..=last).collect::<Vec<_>>());
    // Spectators learn that somebody applied, and not who; staff learn who.
    for (eyes, knows) in [(Eyes::Spectator, false), (Eyes::Director, true)] {
        let mut news = event.cup.subscribe(2).await.unwrap();
        let update = news.next_for(&eyes, &event.cup).await.unwrap();
        assert_eq!(update.version, last);
        let applied: Vec<_> = update.events.iter().filter(|one| one.kind == "applied").collect();
        assert_eq!(applied.len(), 2);
        assert_eq!(applied[0].what.contains("Ann"), knows, "{}", applied[0].what);
        let view = event.cup.view(&eyes).await.unwrap();
        assert_eq!((view.phase, view.version, view.entrants.len()), ("entries", last, 2));
        assert_eq!(view.entrants[0].player == "Ann", knows);
        // Only who may act is told what could be done.
        assert_eq!(view.lawful.iter().any(|one| one.line == "director accepts Ann"), knows);
        assert!(view.asked.iter().all(|asked| asked.line.is_some() == knows));
    }
}

#[tokio::test]
async fn a_tournament_that_fails_stops_alone() {
    let mut event = Event::new().await;
    let other = begin(&event.floor, "other", "act-2018").await;
    // Somebody else writes behind its back.
    let expected = event.cup.look().await.unwrap().version;
    let entries = vec![Entry { at: 1, body: Body::Account(AccountFact::SignedUp) }];
    let part = store::StreamEntries { stream: tournament_stream("cup"), expected, entries };
    let payload = shoe::Digest::of(&[]);
    let command = CommandKey { actor: "x".into(), key: "x".into(), payload };
    let append = Append { command, parts: vec![part], with: Vec::new() };
    event.floor.log().append(append).await.unwrap();
    let order = event.order("Olga", Act::Publish);
    assert!(event.cup.order(order.clone()).await.is_err());
    let told = event.cup.order(order).await.unwrap_err();
    assert!(stopped_without_an_answer(&told), "{told}");
    let told = event.cup.look().await.unwrap_err();
    assert!(stopped_without_an_answer(&told), "{told}");
    let named_director = other.act(Act::NameDirector(named("Dana"))).await.unwrap();
    assert!(named_director.is_ok());
}

#[tokio::test]
async fn tournaments_are_listed_closed_and_gone_on_with() {
    let mut event = Event::new().await;
    event.open_entries().await;
    event.done("Ann", Act::Apply(named("Ann"))).await;
    let again = begin(&event.floor, "again", "act-2018").await;
    let names = |floor: &Floor| -> Vec<String> {
        floor.tournaments().iter().map(|one| one.stream().to_owned()).collect()
    };
    assert_eq!(names(&event.floor), ["tournament again", "tournament cup"]);
    event.floor.close_tournament(again).await;
    assert_eq!(names(&event.floor), ["tournament cup"]);
    let Event { model, world, floor, cup, .. } = event;
    let version = cup.look().await.unwrap().version;
    drop(cup);
    floor.close().await.unwrap();
    let floor = Floor::open(Log::Model(model), world).await.unwrap();
    let faults = floor.resume().await.unwrap();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(names(&floor), ["tournament again", "tournament cup"]);
    let scene = floor.tournament("tournament cup").unwrap().look().await.unwrap();
    assert_eq!((scene.version, scene.tournament.entrants().len()), (version, 1));
    assert_eq!(scene.tournament.entrants()[0].name, named("Ann"));
}
