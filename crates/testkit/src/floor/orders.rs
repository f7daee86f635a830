//! What people on a simulated floor say: mostly what makes sense, now and then anything.

use live::Host;
use rulebooks::Book;
use rules::{Cents, Group};
use store::Deals;
use table::{Act, Bet, CutBy, Decision, Deed, Limits, Name, Next, Phase, Role, SignLine, Work};

use super::{Dice, Person, cents};
use crate::choices::{Choices, random_bytes};

/// The sign of a table.
pub(super) fn sign(book: &Book) -> Vec<SignLine> {
    let mut lines = Vec::new();
    for group in book.rulebook.groups() {
        if let Group::Side(_) = group {
            continue;
        }
        let limits = Limits { least: cents(5), most: cents(500), step: Some(cents(5)) };
        lines.push(SignLine::Limits(group, limits));
    }
    let chips = [25, 100, 500, 2500, 10_000].into_iter().filter_map(Cents::new).collect();
    lines.push(SignLine::Chips(chips));
    lines
}

fn called(name: &str) -> Name {
    Name::from(name).unwrap_or_default()
}

/// Who says what, in which role.
pub(super) fn any(dice: &mut Dice, host: &Host, people: &[Person]) -> (String, Role, Act) {
    if dice.one_in(12) {
        return hostile(dice, host, people);
    }
    let keyed = host.setup().deals != Deals::System;
    if keyed && !dice.one_in(3) {
        return by_staff(dice, host);
    }
    let players: Vec<_> = people.iter().filter(|person| person.roles.is_empty()).collect();
    let person = players[dice.below(players.len())];
    let name = called(&person.name);
    let act = Act::Player(name, deed(dice, host, name));
    (person.name.clone(), Role::Player, act)
}

fn deed(dice: &mut Dice, host: &Host, name: Name) -> Deed {
    let table = host.table();
    if table.player_named(&name).is_none() {
        let seat = 1 + u32::try_from(dice.below(7)).unwrap_or(0);
        return Deed::Sit(seat, cents(50 + 10 * dice.below(40) as u64));
    }
    match dice.below(30) {
        0 => Deed::Leave,
        1 => Deed::AskNoBet,
        2 => Deed::Agree,
        3 => Deed::Dispute(table.coups()),
        4 => Deed::Cut(u32::try_from(dice.below(416)).unwrap_or(0)),
        5 => Deed::DeclineCut,
        6 => Deed::RefuseCards,
        7 | 8 => Deed::Turn(dice.of(&rules::Side::BOTH), None),
        9 => Deed::TurnThird(dice.of(&rules::Side::BOTH), None),
        10 => {
            let spots = host.book().rulebook.spots();
            Deed::TakeBack(spots[dice.below(spots.len())])
        }
        _ => {
            let spots = host.book().rulebook.spots();
            let amount = cents(5 * (1 + dice.below(12)) as u64);
            let spot = spots[dice.below(spots.len())];
            Deed::Bet(Bet { spot, amount, place: None, unnoticed: false, in_error: false })
        }
    }
}

/// Staff run a table: mostly what is due, with cards that they key in or take from the shoe.
fn by_staff(dice: &mut Dice, host: &Host) -> (String, Role, Act) {
    let dealer = |act| ("Dee".to_owned(), Role::Dealer, act);
    let supervisor = |act| ("Sue".to_owned(), Role::Supervisor, act);
    let table = host.table();
    if dice.one_in(14) && table.phase() == Phase::Betting {
        // A void of what was paid needs two people, who may agree or not.
        let coup = table.coups().saturating_sub(u32::try_from(dice.below(3)).unwrap_or(0));
        let who = dice.of(&["Olga", "Otto"]);
        let act = Act::VoidNumbered(coup, "a quarrel over it".into());
        return (who.into(), Role::Operator, act);
    }
    if dice.one_in(40) {
        let act = Act::Supervisor(Decision::FindError(table.coups()));
        return supervisor(act);
    }
    let any_card = |dice: &mut Dice| {
        let index = u8::try_from(dice.below(rules::Card::KINDS)).unwrap_or(0);
        rules::Card::from_index(index)
    };
    let real = host.setup().deals == Deals::Keyed;
    let Some(due) = table.due() else { return dealer(Act::Dealer(Work::NoMoreBets)) };
    match due.next {
        Next::Replace => ("Olga".into(), Role::Operator, Act::ReplaceCards),
        Next::Check(table::Checker::Supervisor) => {
            supervisor(Act::Dealer(Work::Check(table::Checker::Supervisor)))
        }
        Next::Check(by) => dealer(Act::Dealer(Work::Check(by))),
        Next::Shuffle | Next::Players | Next::Cut(None) => dealer(Act::FreshShoe),
        Next::Cut(Some(CutBy::Staff(_))) => supervisor(Act::Supervisor(Decision::Cut(100))),
        Next::Cut(Some(CutBy::Player(id))) => {
            dealer(Act::Player(table.player(id).name, Deed::DeclineCut))
        }
        Next::PlaceCuttingCard(behind) => dealer(Act::Dealer(Work::PlaceCuttingCard(behind))),
        Next::Burn => dealer(Act::Dealer(Work::BurnUnseen)),
        Next::Wagers => dealer(Act::Dealer(Work::NoMoreBets)),
        Next::Card(to) => {
            let card = if real { any_card(dice) } else { None };
            let to = if dice.one_in(25) { dice.of(&rules::Side::BOTH) } else { to };
            dealer(Act::Dealer(Work::Draw { card, to, face_down: false }))
        }
        Next::Turn { side, third, .. } => {
            let work = if third { Work::TurnThird(side, None) } else { Work::Turn(side, None) };
            dealer(Act::Dealer(work))
        }
        Next::Inspector => ("Sue".into(), Role::Inspector, Act::InspectorReturns),
        Next::Decide(_) => {
            let decisions =
                [Decision::Reconstruct(Vec::new()), Decision::CannotReconstruct, Decision::Resume];
            supervisor(Act::Supervisor(decisions[dice.below(3)].clone()))
        }
    }
}

/// Anybody says anything, in any role.
fn hostile(dice: &mut Dice, host: &Host, people: &[Person]) -> (String, Role, Act) {
    let bytes = random_bytes(dice.below(usize::MAX) as u64, 64);
    let act = crate::any_command(&mut Choices::new(&bytes), host.table());
    let person = &people[dice.below(people.len())];
    let role = dice.of(Role::ALL);
    // Nobody closes the table or throws its players out for good in the middle of a run.
    let ends = matches!(act, Act::Close | Act::Exclude(..) | Act::Open(_))
        || matches!(act, Act::Post(_) | Act::GiveNotice(..));
    let act = if ends { Act::PlayersConsent } else { act };
    (person.name.clone(), role, act)
}
