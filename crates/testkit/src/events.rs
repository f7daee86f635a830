//! A tournament under watch: robots play it, anybody says anything, and its promises hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use rules::{Balance, Card, Cents, Rulebook, Spot};
use table::{Act as TableAct, Bet, Deed, Name, Work};
use tournament::conditions::{BuyBack, Dollars, Prize, Settle, Share, Span};
use tournament::rehearse::Rehearsal;
use tournament::{
    Act, Conditions, EntrantId, Event, Fact, Miskeyed, Offence, Phase, State, Status, Tournament,
};

use crate::Choices;

/// The words of a rehearsal, from bytes that are mixed until they run out.
fn words(mut state: u64) -> impl Iterator<Item = u32> {
    std::iter::repeat_with(move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(state >> 33).unwrap_or(0).rotate_left(7)
    })
}

/// Conditions for a small event, of one of several shapes.
#[must_use]
pub fn any_conditions(choices: &mut Choices<'_>, book: &Rulebook) -> Conditions {
    let text = match choices.below(3) {
        0 => "[stages.final]\nfrom = \"entrants\"\ntables = 1\nseats = 6\ncoups = 4\n",
        1 => {
            "[stages.heats]\nfrom = \"entrants\"\ntables = 2\nseats = 3\ncoups = 3\nadvance = 1\n\
             [stages.again]\nfrom = \"losers of heats\"\nsecondary = true\ntables = 1\nseats = 6\n\
             coups = 2\nadvance = 1\n[stages.final]\nfrom = \"winners of heats and winners of \
             again\"\ntables = 1\nseats = 6\ncoups = 3\n"
        }
        _ => {
            "[stages.heats]\nfrom = \"entrants\"\ntables = 1\nseats = 3\nshoes = 1\nadvance = 2\n\
             [stages.final]\nfrom = \"winners of heats\"\ntables = 1\nseats = 6\ncoups = 3\n"
        }
    };
    let mut conditions: Conditions = transcript::conditions(text).unwrap_or_default();
    let words = || Some("as the desk says".to_owned());
    conditions.application = words();
    conditions.entry = words();
    conditions.groups = words();
    conditions.elimination = words();
    conditions.repechage = words().filter(|_| text.contains("losers"));
    conditions.statement = words();
    conditions.pool = words();
    conditions.start = tournament::conditions::Moment::parse("2027-01-01 19:00").ok();
    let dollars = |dollars: u64| Cents::new(dollars * 100).map(Dollars);
    conditions.fee = dollars(1 + choices.below(100) as u64);
    conditions.commission = Some(tournament::conditions::Commission::Percent(Share(777)));
    conditions.chips = dollars(200);
    conditions.players = Some(Span { least: 6, most: 6 });
    conditions.prizes = [5000, 3333, 1667].map(|part| Prize::Share(Share(part))).to_vec();
    let limits = table::Limits {
        least: Cents::new(5000).unwrap_or(Cents::ZERO),
        most: Cents::new(20_000).unwrap_or(Cents::ZERO),
        step: None,
    };
    conditions.limits = Some(tournament::conditions::Sign(vec![
        (rules::Group::Main, limits),
        (rules::Group::Tie, limits),
    ]));
    let says = book
        .prizes
        .as_ref()
        .is_some_and(|prizes| prizes.level.value == rules::book::Level::AsConditionsSay);
    if says {
        conditions.level = Some(Settle::Rounds);
        conditions.level_final = Some(if choices.one_in(2) { Settle::Share } else { Settle::Card });
    }
    let entries = book.tournament.as_ref().and_then(|t| t.entries);
    let many = |rule: rules::Cited<_>| rule.value == rules::book::Entries::OneAndBuyBacks;
    let one = !entries.is_some_and(many);
    conditions.buy_back = Some(if one || choices.one_in(2) {
        BuyBack::None
    } else {
        BuyBack::Some { times: 1, fee: Cents::new(1234).unwrap_or(Cents::ZERO), stages: 1 }
    });
    if book.secret_wagers.is_some() {
        conditions.secret_wagers = Some(2);
        conditions.live = choices.one_in(3);
    } else {
        conditions.secret_wagers = None;
    }
    conditions
}

fn any_name(choices: &mut Choices<'_>, tournament: &Tournament) -> Name {
    let entrants = tournament.entrants();
    if entrants.is_empty() || choices.one_in(12) {
        return Name::from("Stranger").unwrap_or_default();
    }
    entrants[choices.below(entrants.len())].name
}

/// Anything that anybody could say.
pub fn any_event_act(choices: &mut Choices<'_>, tournament: &Tournament) -> Act {
    let name = any_name(choices, tournament);
    let other = any_name(choices, tournament);
    let table = Some(u32::try_from(1 + choices.below(3)).unwrap_or(1));
    let number = u32::try_from(choices.below(10)).unwrap_or(0);
    let amount = Cents::new(choices.below(40_000) as u64).unwrap_or(Cents::ZERO);
    let spot = Spot::MAIN[choices.below(3)];
    let digest = tournament::secret::commitment("salt", "100 on player");
    let at = |act: TableAct| Act::At(table, Box::new(act));
    match choices.below(60) {
        46..=51 => correction(choices, name, table),
        52..=56 => direction(choices, name, number),
        0 => Act::Withdraw(name),
        1 => Act::Disqualify(name, Offence::HiddenChips),
        2 => Act::Disqualify(name, Offence::Breach("x".into())),
        3 => Act::Nominate(name, other),
        4 => Act::Substitute(name, other),
        5 => Act::Substitute(name, Name::from("Sub").unwrap_or_default()),
        6 => Act::TakeSeat(name),
        7 => Act::GoAway(name),
        8 => Act::ComeBack(name),
        9 => Act::Ask(name),
        10 => Act::Eliminate(name),
        11 => Act::VoidOutOfOrder(name),
        12 => Act::HandIn(name, digest),
        13 => Act::Examine(name),
        14 => Act::ReturnForm(name),
        15 => Act::OpenForm { name, salt: "salt".into(), content: "100 on player".into() },
        16 => Act::SpoilForm(name),
        17 => Act::AskForm(name, other),
        18 => Act::AnnounceLast(table),
        19 => Act::EndEarly(table),
        20 => Act::DrawForPlayOff(table, Card::from_index(7).unwrap_or_else(|| unreachable!())),
        21 => Act::StartPlayOff(table, Some(amount)),
        22 => Act::BuyBack(name),
        23 => Act::AwardPrizes,
        24 => Act::OfferSeat(name, other),
        25 => Act::Start,
        26 => Act::CloseEntries,
        27 => Act::Apply(name),
        28 => Act::Allot { name, table: number, seat: number, lot: choices.one_in(2).into() },
        29 => Act::RaiseLimits(table),
        30 => at(TableAct::VoidCoup("x".into())),
        31 => at(TableAct::Dealer(Work::NoMoreBets)),
        32 => at(TableAct::Player(name, Deed::Leave)),
        33 => at(TableAct::Player(name, Deed::TakeBack(spot))),
        35 => Act::AbandonBallot,
        36 => Act::CommitBallot(tournament::ballot::commitment("known")),
        37 => Act::RevealBallot("known".into()),
        38 => Act::PlayersATable(number),
        39 => at(TableAct::Supervisor(table::Decision::FindError(number))),
        40 => at(TableAct::Invalidate("x".into())),
        41 => at(TableAct::Supervisor(table::Decision::Reconstruct(Vec::new()))),
        42 => at(TableAct::Supervisor(table::Decision::CannotReconstruct)),
        43 => at(TableAct::VoidWagers(name, None, "x".into())),
        34 => Act::At(None, Box::new(TableAct::Dealer(Work::Deal([None; 4])))),
        _ => {
            let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
            Act::At(None, Box::new(TableAct::Player(name, Deed::Bet(bet))))
        }
    }
}

/// What a director puts right, and what a second person says to it.
fn correction(choices: &mut Choices<'_>, name: Name, table: Option<u32>) -> Act {
    let amount = Cents::new(choices.of(&[0, 5000, 7500, 10_000, 25_000])).unwrap_or(Cents::ZERO);
    let coup = u32::from(choices.byte() % 5);
    let number = u32::from(choices.byte() % 7);
    let wrong = match choices.below(8) {
        0 => {
            let card = u8::try_from(choices.below(Card::KINDS)).ok().and_then(Card::from_index);
            let card = card.unwrap_or_else(|| Card::new(rules::Rank::Ace, rules::Suit::Spades));
            Miskeyed::Card { table, coup, number, card }
        }
        1 => {
            let coup = choices.one_in(2).then_some(coup);
            Miskeyed::Wager { name, coup, spot: choices.of(&crate::commands::any_spots()), amount }
        }
        2 => Miskeyed::Seat { name, seat: number },
        3 => Miskeyed::Chips { name, amount },
        4 => return Act::DropCorrection(table),
        _ => return Act::ConfirmCorrection(table),
    };
    Act::Correct(Box::new(wrong), "misread".into())
}

/// What a director decides besides.
fn direction(choices: &mut Choices<'_>, name: Name, number: u32) -> Act {
    match choices.below(14) {
        0 => Act::HandOver(name),
        1 => Act::DirectorLeaves,
        2 => Act::DrawAgain("a seat was left out".into()),
        3 => Act::Break(60_000_000 * u64::from(number)),
        4 => Act::SetWagerTime(10_000_000 * u64::from(number)),
        5 => Act::WaiveTime(name),
        6 => Act::WaiveTimeForAll(Some(number)),
        7 => Act::LiftWagerTime,
        8 => Act::Direct(name),
        9 => Act::MoveTable { from: number % 4, to: 1 + number, why: "no light".into() },
        10 => Act::AwardPoints(name, number, "roulette".into()),
        11 => Act::DirectorReturns,
        _ => Act::Resume,
    }
}

/// An event played by robots while anybody says anything; gives all that happened.
///
/// # Panics
///
/// When the tournament breaks a promise.
#[must_use]
pub fn drive_event(book: &Arc<Rulebook>, bytes: &[u8]) -> Vec<Event> {
    let mut choices = Choices::new(bytes);
    let conditions = any_conditions(&mut choices, book);
    let seed = u64::from(choices.byte()) << 8 | u64::from(choices.byte());
    let mut rehearsal = Rehearsal::new(book, words(seed + 1));
    rehearsal.no_show = 6;
    let prepared = rehearsal.prepare(&conditions, 6);
    assert!(prepared.is_ok(), "{}: {prepared:?}", book.title.name());
    let hostile = choices.one_in(2);
    let mut told = 0;
    for _ in 0..3000 {
        if rehearsal.tournament.phase() != Phase::Playing {
            break;
        }
        if hostile && !choices.is_empty() && choices.one_in(3) {
            let act = any_event_act(&mut choices, &rehearsal.tournament);
            let _ = rehearsal.act(act);
        }
        let went = rehearsal.round();
        // With anybody saying anything, a robot may find its act unlawful; alone it must not.
        assert!(hostile || went.is_ok(), "{}: {went:?}", book.title.name());
        assert_promises(&rehearsal.tournament, &rehearsal.events);
        assert_secrets(&rehearsal, told);
        told = rehearsal.events.len();
    }
    if !hostile {
        let phase = rehearsal.tournament.phase();
        assert!(matches!(phase, Phase::Ended | Phase::Cancelled), "{}", book.title.name());
    }
    finish(&rehearsal.tournament, &rehearsal.events);
    rehearsal.events
}

/// What holds after every act.
fn assert_promises(tournament: &Tournament, events: &[Event]) {
    assert_eq!(tournament.sum(), Balance::ZERO, "money was created or lost");
    assert!(!tournament.pool().is_negative() && !tournament.commission().is_negative());
    let mut chairs: BTreeMap<EntrantId, u32> = BTreeMap::new();
    for sitting in tournament.sittings() {
        assert_eq!(
            sitting.table.sum(),
            Balance::ZERO,
            "chips were created or lost at {}",
            sitting.number
        );
        let layout: u64 = sitting.table.wagers().iter().map(|wager| wager.stake.get()).sum();
        let there = sitting.table.balance(table::Account::Layout);
        assert_eq!(u64::try_from(there.get()), Ok(layout), "the layout is not its wagers");
        assert!(sitting.table.players().iter().all(|player| !player.stack.is_negative()));
        for chair in sitting.chairs.iter().filter(|_| sitting.is_live()) {
            *chairs.entry(chair.entrant).or_default() += 1;
        }
    }
    assert!(chairs.values().all(|seats| *seats == 1), "somebody plays two seats");
    assert_ways(tournament);
    let mut due = Balance::ZERO;
    for event in events {
        if let Fact::Entered { fee: amount, .. }
        | Fact::BoughtBack { fee: amount, .. }
        | Fact::PoolAdded(amount) = event.fact
        {
            due += amount.into();
        }
        if let Fact::Refunded(_, amount)
        | Fact::Prize { amount, .. }
        | Fact::BuyBackUndone { fee: amount, .. } = event.fact
        {
            due -= amount.into();
        }
    }
    // What is left after a cancellation goes back to the house.
    if tournament.phase() == Phase::Cancelled {
        assert_eq!(tournament.pool(), Balance::ZERO);
        return;
    }
    assert_eq!(
        tournament.pool() + tournament.commission(),
        due,
        "pool and commission are not what came in and went out"
    );
}

/// Nobody goes two ways: each player is ranked once, and advances or does not.
fn assert_ways(tournament: &Tournament) {
    let once = |ids: &[EntrantId], what: &str| {
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), ids.len(), "{what}: {ids:?}");
    };
    for sitting in tournament.sittings() {
        once(&sitting.ranking.concat(), "ranked twice");
        for wager in sitting.table.wagers() {
            let chair = sitting.chairs.iter().find(|chair| chair.player == Some(wager.player));
            let dealt = sitting.table.coup().is_some();
            let plays = chair.is_some_and(|chair| chair.plays && (chair.out.is_none() || dealt));
            assert!(plays, "a wager of somebody who is out");
        }
    }
    for stage in tournament.stages() {
        once(&[stage.winners.clone(), stage.losers.clone()].concat(), "advanced and did not");
    }
    let mut placed: Vec<_> = tournament
        .entrants()
        .iter()
        .filter_map(|e| e.place.map(|place| (place, e.prize)))
        .collect();
    placed.sort_by_key(|(place, prize)| (*place, std::cmp::Reverse(*prize)));
    let falls = placed.windows(2).all(|two| two[0].1 >= two[1].1 || two[0].0 == two[1].0);
    assert!(falls, "a later place won more: {placed:?}");
}

/// A form that is not opened is nowhere but with its player and the inspector.
fn assert_secrets<W: Iterator<Item = u32>>(rehearsal: &Rehearsal<'_, W>, seen: usize) {
    let sealed: Vec<_> = rehearsal.sealed().collect();
    if sealed.is_empty() {
        return;
    }
    let told: Vec<_> = rehearsal.events[seen.min(rehearsal.events.len())..]
        .iter()
        .map(|event| format!("{event:?}"))
        .collect();
    let state = format!("{:?}", rehearsal.tournament);
    for (salt, _) in sealed {
        let leaks = told.iter().any(|event| event.contains(salt.as_str()));
        assert!(!leaks && !state.contains(salt.as_str()), "a sealed form is known");
    }
}

/// The events of a table alone make the table again: nothing else changes it.
fn assert_tables(tournament: &Tournament, events: &[Event]) {
    let mut tables: Vec<(u32, table::State)> = Vec::new();
    for event in events {
        if let Fact::TableOpened(number) = event.fact {
            tables.push((number, table::State::default()));
        }
        if let Fact::TableMoved { from, to, .. } = event.fact
            && let Some((number, _)) = tables.iter_mut().rfind(|(number, _)| *number == from)
        {
            *number = to;
        }
        if let Fact::AtTable { table: at, event } = &event.fact {
            let last = tables.iter_mut().rfind(|(number, _)| number == at);
            last.expect("a table is opened before it is played at").1.evolve(event);
        }
    }
    let played = tournament.sittings().map(|sitting| (sitting.number, &sitting.table));
    assert!(
        played.eq(tables.iter().map(|(number, table)| (*number, table))),
        "the events of a table do not make it"
    );
}

/// What holds in the end: the events make the tournament again, as they are and as they are stored,
/// and every player's way can be told from them.
fn finish(tournament: &Tournament, events: &[Event]) {
    let mut replayed = State::default();
    for event in events {
        let json = serde_json::to_string(event).unwrap_or_default();
        let read: Option<Event> = serde_json::from_str(&json).ok();
        assert_eq!(read.as_ref(), Some(event), "an event is stored otherwise than it was: {json}");
        replayed.evolve(event);
    }
    assert!(replayed == *tournament.state(), "the replay is not the tournament");
    let json = serde_json::to_string(&replayed).unwrap_or_default();
    let read: Option<State> = serde_json::from_str(&json).ok();
    assert!(read == Some(replayed), "a state is stored otherwise than it was");
    assert_tables(tournament, events);
    if tournament.phase() == Phase::Ended {
        assert_eq!(tournament.pool(), Balance::ZERO, "the pool is not paid out");
    }
    let ways = ways_told(events);
    let stages = tournament.stages();
    for (i, stage) in stages.iter().enumerate().filter(|(_, stage)| stage.ended) {
        for player in &stage.players {
            let last = i + 1 == stages.len();
            let gone = tournament.entrant(*player).status != Status::Entered;
            let count = ways.iter().filter(|way| **way == (i, *player)).count();
            assert!(last || gone || count == 1, "{player:?} left stage {i} {count} times");
        }
    }
}

/// Who left which stage, as told; what was told of a table that was then opened again is not so.
fn ways_told(events: &[Event]) -> Vec<(usize, EntrantId)> {
    let mut ways = Vec::new();
    let mut stage_now = 0;
    let mut tables: BTreeMap<u32, (usize, Vec<EntrantId>)> = BTreeMap::new();
    for event in events {
        match &event.fact {
            Fact::SessionStarted { stage, .. } => stage_now = *stage,
            Fact::TableOpened(table) => {
                tables.insert(*table, (stage_now, Vec::new()));
            }
            Fact::ChairTaken { table, entrant, .. } => {
                tables.entry(*table).or_default().1.push(*entrant);
            }
            Fact::TableMoved { from, to, .. } => {
                let moved = tables.remove(from).unwrap_or_default();
                tables.insert(*to, moved);
            }
            Fact::SeatTakenOver { from, to } => {
                for (_, players) in tables.values_mut().filter(|(_, ids)| ids.contains(from)) {
                    players.push(*to);
                }
            }
            Fact::Advanced { stage, entrant } | Fact::StoodDown { stage, entrant } => {
                ways.push((*stage, *entrant));
            }
            Fact::SessionReopened(table) => {
                let (of, players) = tables.entry(*table).or_default();
                ways.retain(|(stage, player)| stage != of || !players.contains(player));
            }
            _ => {}
        }
    }
    ways
}
