//! The matrix of roles and acts, cell by cell.

use live::{May, may, may_in_tournament};
use store::Deals;
use table::{Act, Checker, Code, Decision, Deed, Role, Work};
use testkit::cells::{self, at_a_table, in_a_tournament};

use crate::events::Event;
use crate::place::{Place, cents, named, sit};

/// The names of the roles that are listed.
fn lists(listed: &str, role: Role) -> bool {
    listed.split(' ').any(|key| key == role.key())
}

#[test]
fn every_kind_of_act_is_in_the_matrix() {
    let at_a_table: Vec<_> =
        at_a_table(named("Ann")).iter().map(|(act, _)| cells::kind(act)).collect();
    let kinds = cells::kinds::<Act>();
    assert!(kinds.len() > 20, "{kinds:?}");
    let missing: Vec<_> = kinds.iter().filter(|kind| !at_a_table.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let in_events: Vec<_> =
        in_a_tournament(named("Ann")).iter().map(|(act, _)| cells::kind(act)).collect();
    let kinds = cells::kinds::<tournament::Act>();
    assert!(kinds.len() > 60, "{kinds:?}");
    let missing: Vec<_> = kinds.iter().filter(|kind| !in_events.contains(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_matrix_is_this_one() {
    for (act, listed) in at_a_table(named("Ann")) {
        let (staffed, system) = listed.split_once('|').unwrap();
        for (deals, listed) in
            [(Deals::Staff, staffed), (Deals::Keyed, staffed), (Deals::System, system)]
        {
            for role in Role::ALL {
                let told = may(*role, &act, deals) != May::No;
                assert_eq!(told, lists(listed, *role), "{role} {act:?} {deals:?}");
            }
        }
    }
    for (act, listed) in in_a_tournament(named("Ann")) {
        for role in Role::ALL {
            let told = may_in_tournament(*role, &act) != May::No;
            assert_eq!(told, lists(listed, *role), "{role} {act:?}");
        }
    }
}

#[tokio::test]
async fn every_cell_is_asked_when_an_order_comes() {
    let people = crate::place::PEOPLE;
    for (act, listed) in at_a_table(named("Ann")) {
        let (staffed, _) = listed.split_once('|').unwrap();
        for role in Role::ALL {
            let mut place = Place::new(Deals::Keyed).await;
            let has =
                |roles: &[Role]| roles.contains(role) || *role == Role::Player && roles.is_empty();
            let Some((who, _)) = people.iter().find(|(_, roles)| has(roles)) else {
                panic!("nobody has the role {role}")
            };
            // The dealer keys in players who have no account.
            let keyed = |name| if *role == Role::Dealer { named("Walker") } else { name };
            let ruled = place.send(who, *role, act.clone().renamed(&mut { keyed })).await;
            let refused = ruled.err().is_some_and(|refusal| refusal.code == Code::NotTheirs);
            assert_eq!(!refused, lists(staffed, *role), "{role} {act:?}");
            // Nobody acts in a role that they do not have.
            if *role != Role::Player {
                let ruled = place.send("Bo", *role, act.clone()).await;
                assert_eq!(ruled.unwrap_err().code, Code::NotTheirs, "{role} {act:?}");
            }
        }
    }
}

#[tokio::test]
async fn every_cell_is_asked_when_an_order_comes_to_a_tournament() {
    // Players with an account speak for themselves, and staff key in those who have none.
    let (own, keyed) = (in_a_tournament(named("Ann")), in_a_tournament(named("Walker")));
    let mut event = Event::new().await;
    for ((own, listed), (keyed, _)) in own.into_iter().zip(keyed) {
        for role in Role::ALL {
            let who = crate::events::somebody(*role);
            let act = if *role == Role::Player { own.clone() } else { keyed.clone() };
            let refused = event.send_as(who, *role, act.clone()).await.err();
            let refused = refused.is_some_and(|refusal| refusal.code == Code::NotTheirs);
            assert_eq!(!refused, lists(listed, *role), "{role} {act:?}");
            // Nobody acts in a role that they do not have, and no player for another.
            let forged = event.send_as("Bo", *role, act).await;
            if *role != Role::Player {
                assert_eq!(forged.unwrap_err().code, Code::NotTheirs, "{role} {own:?}");
            } else if lists(listed, Role::Player) {
                assert_eq!(forged.unwrap_err().code, Code::NotTheirs, "Bo for Ann: {own:?}");
            }
        }
    }
    assert_eq!(event.findings().await, []);
}

#[tokio::test]
async fn a_player_speaks_for_nobody_else() {
    let mut place = Place::new(Deals::Keyed).await;
    let told = place.send("Bo", Role::Player, sit("Ann", 1, 100)).await;
    assert_eq!(told.unwrap_err().code, Code::NotTheirs);
    place.done("Ann", Role::Player, sit("Ann", 1, 100)).await;
    // A dealer keys in walk-ins, not people who have an account.
    let told = place.send("Dee", Role::Dealer, Act::Player(named("Ann"), Deed::Leave)).await;
    assert_eq!(told.unwrap_err().code, Code::NotTheirs);
    place.done("Dee", Role::Dealer, sit("Walker", 2, 100)).await;
    place.holds().await;
}

#[tokio::test]
async fn an_account_is_not_the_walk_in_of_its_name() {
    let mut place = Place::new(Deals::Keyed).await;
    place.done("Dee", Role::Dealer, sit("Wanda", 2, 100)).await;
    let opened = place.accounts.open("Wanda", store::AccountKind::Guest, cents(500), &[]).await;
    place.name_account("Wanda", &opened.unwrap().unwrap());
    let told = place.send("Wanda", Role::Player, Act::Player(named("Wanda"), Deed::Leave)).await;
    assert_eq!(told.unwrap_err().code, Code::NameTaken, "the chips are the walk-in's");
    // The walk-in plays on and leaves; in the log of this table the name stays hers.
    place.done("Dee", Role::Dealer, Act::Player(named("Wanda"), Deed::Leave)).await;
    for _ in 0..2 {
        let told = place.send("Wanda", Role::Player, sit("Wanda", 3, 100)).await.unwrap_err();
        assert_eq!(told.code, Code::NameTaken);
        place.holds().await;
        place.start_again().await;
    }
    place.done("Dee", Role::Dealer, sit("Wanda", 2, 50)).await;
    place.start_again().await;
    place.done("Dee", Role::Dealer, Act::Player(named("Wanda"), Deed::Leave)).await;
    place.holds().await;
}

#[tokio::test]
async fn nobody_is_keyed_in_under_the_name_of_an_account() {
    let mut place = Place::new(Deals::Keyed).await;
    let told = place.send("Dee", Role::Dealer, sit("Ann", 2, 100)).await.unwrap_err();
    assert_eq!(told.code, Code::NotTheirs);
    place.done("Ann", Role::Player, sit("Ann", 2, 100)).await;
    place.holds().await;
}

#[tokio::test]
async fn who_keyed_players_in_ran_the_table_after_a_start_too() {
    let mut place = Place::new(Deals::Keyed).await;
    place.done("Dee", Role::Dealer, sit("Wanda", 2, 100)).await;
    for _ in 0..2 {
        let told = place.send("Dee", Role::Player, sit("Dee", 1, 100)).await.unwrap_err();
        assert_eq!(told.code, Code::RunsTheTable);
        place.start_again().await;
    }
}

#[tokio::test]
async fn who_runs_a_table_does_not_play_at_it() {
    let mut place = Place::new(Deals::Keyed).await;
    place.done("Dee", Role::Dealer, Act::Dealer(Work::Check(Checker::Dealer))).await;
    let told = place.send("Dee", Role::Player, sit("Dee", 1, 100)).await;
    assert_eq!(told.unwrap_err().code, Code::RunsTheTable);
    // And who plays there does not run it; after a start neither.
    place.done("Sue", Role::Player, sit("Sue", 3, 100)).await;
    let told = place.send("Sue", Role::Supervisor, Act::Supervisor(Decision::DirectShuffle)).await;
    assert_eq!(told.unwrap_err().code, Code::RunsTheTable);
    place.start_again().await;
    let told = place.send("Dee", Role::Player, sit("Dee", 1, 100)).await;
    assert_eq!(told.unwrap_err().code, Code::RunsTheTable);
}

#[test]
fn in_a_tournament_the_second_person_is_not_the_director() {
    let act = tournament::Act::ConfirmCorrection(None);
    for role in Role::ALL {
        let allowed = Role::SUPERVISORS.contains(role);
        assert_eq!(may_in_tournament(*role, &act) != May::No, allowed, "{role}");
    }
    let open = tournament::Act::OpenForm {
        name: named("Ann"),
        salt: String::new(),
        content: String::new(),
    };
    for role in Role::ALL {
        let allowed = *role == Role::Inspector;
        assert_eq!(may_in_tournament(*role, &open) != May::No, allowed, "{role}");
    }
    assert_eq!(may_in_tournament(Role::Director, &tournament::Act::Approve), May::No);
}
