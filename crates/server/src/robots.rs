//! Robots that fill seats. They are accounts of their own kind, always called robots, and speak to
//! tables as people do.

use std::time::Duration;

use live::{Order, TableHandle};
use rules::{Cents, Group, Spot};
use store::{AccountKind, Deals};
use table::{Act, Bet, CutBy, Deed, Name, Next, Phase, PlayerId, Role, Table};

use crate::App;

/// How often a robot looks.
const LOOKS: Duration = Duration::from_millis(1500);
/// What a robot brings to a table.
const CHIPS: u64 = 50_000;

/// Puts robots at the tables that the system deals.
pub(crate) async fn seat(app: &App) {
    for (handle, table) in app.floor.tables().into_iter().zip(0_u32..) {
        let Ok(scene) = handle.look().await else { continue };
        if scene.setup.deals != Deals::System {
            continue;
        }
        for number in 0..app.config.robots {
            let name = format!("Robot-{}", table * 7 + number + 1);
            let accounts = app.floor.accounts();
            let account = match accounts.named(&name) {
                Some(account) => match accounts.get(&account).await {
                    Ok(known) if known.kind == AccountKind::Robot => account,
                    // Somebody came by that name before: nobody plays with their chips.
                    Ok(_) | Err(_) => continue,
                },
                None => {
                    match accounts.open(&name, AccountKind::Robot, chips(CHIPS * 20), &[]).await {
                        Ok(Ok(account)) => account,
                        Ok(Err(_)) | Err(_) => continue,
                    }
                }
            };
            let Ok(name) = Name::from(&name) else { continue };
            tokio::spawn(play(app.clone(), handle.clone(), (account, name), number));
        }
    }
}

fn chips(cents: u64) -> Cents {
    Cents::new(cents).unwrap_or(Cents::MAX)
}

/// Plays until the table or the server stops. Robots keep a table company; they deal nobody in: a
/// table at which nobody else sits rests.
async fn play(app: App, handle: TableHandle, (account, name): (String, Name), number: u32) {
    let mut orders = 0_u64;
    let start = store::now();
    loop {
        tokio::time::sleep(LOOKS + Duration::from_millis(u64::from(number) * 170)).await;
        if *app.stopping.borrow() {
            return;
        }
        let Ok(scene) = handle.look().await else { return };
        let table = &scene.table;
        let is_robot = |other: &Name| other.as_str().starts_with("Robot-");
        let company = table.present().any(|(_, player)| !is_robot(&player.name));
        let here = table.present().find(|(_, player)| player.name == name);
        let deed = match here {
            None if company && free_seats(table) > 1 => {
                free_seat(table).map(|seat| Deed::Sit(seat, chips(CHIPS)))
            }
            Some(_) if !company && table.phase() != Phase::Dealing => Some(Deed::Leave),
            // Nobody waits for a robot: it leaves the cut and the cards to others at once.
            Some((id, _)) if is_asked_to_cut(table, id) => Some(Deed::DeclineCut),
            Some((id, _)) if is_asked_to_turn(table, id) => Some(Deed::RefuseCards),
            // People find a seat: of a full table one robot gets up, before it has bet.
            Some((id, _)) if gets_up(table, id, is_robot) => Some(Deed::Leave),
            Some((id, player)) if company && table.phase() == Phase::Betting => {
                let placed = table.wagers().iter().any(|wager| wager.player == id);
                let least = table.limits(Group::Main).map(|limits| limits.least);
                let enough = least.is_some_and(|l| player.stack.at_least_zero() >= l);
                let third = (scene.version + u64::from(number)).is_multiple_of(3);
                let spot = if third { Spot::Player } else { Spot::Banker };
                match (placed, enough, least) {
                    (false, true, Some(least)) => {
                        let (place, unnoticed, in_error) = (None, false, false);
                        Some(Deed::Bet(Bet { spot, amount: least, place, unnoticed, in_error }))
                    }
                    (false, false, _) => Some(Deed::Leave),
                    _ => None,
                }
            }
            _ => None,
        };
        let Some(deed) = deed else { continue };
        orders += 1;
        let key = format!("robot {start:x} {orders}");
        let order =
            Order { who: account.clone(), role: Role::Player, key, act: Act::Player(name, deed) };
        if handle.order(order).await.is_err() {
            return;
        }
    }
}

fn is_asked_to_cut(table: &Table, id: PlayerId) -> bool {
    match table.due().map(|due| due.next) {
        Some(Next::Cut(Some(CutBy::Player(asked)))) => asked == id,
        Some(Next::Cut(None)) => !table.shoe().declined.contains(&id),
        _ => false,
    }
}

fn is_asked_to_turn(table: &Table, id: PlayerId) -> bool {
    let next = table.due().map(|due| due.next);
    matches!(next, Some(Next::Turn { by: Some(asked), .. }) if asked == id)
}

/// Whether this robot is the one that makes room at a full table.
fn gets_up(table: &Table, id: PlayerId, is_robot: impl Fn(&Name) -> bool) -> bool {
    let first = table.present().find(|(_, player)| is_robot(&player.name)).map(|(id, _)| id);
    let has_bet = table.wagers().iter().any(|wager| wager.player == id);
    free_seats(table) == 0 && first == Some(id) && !has_bet && table.phase() == Phase::Betting
}

fn free_seats(table: &Table) -> usize {
    let taken: Vec<u32> = table.present().map(|(_, player)| player.seat).collect();
    (1..=table.options().seats).filter(|seat| !taken.contains(seat)).count()
}

fn free_seat(table: &Table) -> Option<u32> {
    let taken: Vec<u32> = table.present().map(|(_, player)| player.seat).collect();
    // The last places: people find the first ones free.
    (1..=table.options().seats).rev().find(|seat| !taken.contains(seat))
}
