//! A robot at a table that the system deals: it bets, cuts and turns as it likes, and sends
//! nonsense now and then.

use live::{Host, LiveError, Step, Told};
use rules::{Cents, Group, Method, Spot, Terms};
use table::{Act, Bet, Deed, Limits, Name, Next, Options, PlayerId, SignLine};

use crate::choices::Choices;

/// The name of the robot in the first seat.
pub const FIRST: &str = "Ann";
const NAMES: [&str; 3] = [FIRST, "Mary Ann", "O'Brien"];

/// Opens a table with all that the book offers, and seats robots.
///
/// # Errors
///
/// When the log fails.
pub async fn open(house: &mut Host, face_down: bool, robots: usize) -> Result<(), LiveError> {
    let book = house.book().rulebook.clone();
    let terms = Terms { method: Method::commission(), side_bets: book.all_offers() };
    let mut options = Options { terms, ..Options::default() };
    options.face_down = face_down && book.deal.face.value != rules::book::Face::UpUnlessAsked;
    let lawful = |ruled: Result<Vec<Told>, table::Refusal>| {
        ruled.unwrap_or_else(|refusal| panic!("the robots' table: {refusal}"))
    };
    lawful(house.act(Act::Open(options)).await?);
    for group in book.groups() {
        let cents = |dollars: u64| Cents::new(dollars * 100).unwrap_or(Cents::ZERO);
        let most = match group {
            Group::Main => 1000,
            Group::Tie => 200,
            Group::Side(_) => 100,
        };
        let limits = Limits { least: cents(10), most: cents(most), step: Some(cents(10)) };
        lawful(house.act(Act::Post(SignLine::Limits(group, limits))).await?);
    }
    let chips = [50, 250, 500, 2500, 10_000].into_iter().filter_map(Cents::new).collect();
    lawful(house.act(Act::Post(SignLine::Chips(chips))).await?);
    for (seat, name) in (1..).zip(NAMES).take(robots) {
        let name = Name::from(name).unwrap_or_default();
        let stack = Cents::new(100_000_000).unwrap_or(Cents::ZERO);
        lawful(house.act(Act::Player(name, Deed::Sit(seat, stack))).await?);
    }
    Ok(())
}

/// Plays until so many coups are over in all, or the choices are used up.
///
/// # Errors
///
/// When the log fails.
pub async fn play(
    house: &mut Host,
    choices: &mut Choices<'_>,
    coups: u32,
) -> Result<(), LiveError> {
    while !choices.is_empty() {
        let between = house.table().coup().is_none();
        if between && house.table().coups() >= coups {
            break;
        }
        match house.step().await? {
            Step::Waits(due) => answer(house, choices, due.next).await?,
            Step::Refused(refusal) => panic!("the system's own act was refused: {refusal}"),
            Step::Nothing => break,
            Step::Did(_) | Step::Committed(_) | Step::Revealed => {}
        }
    }
    Ok(())
}

fn seated(house: &Host) -> Vec<(PlayerId, Name)> {
    house.table().present().map(|(id, player)| (id, player.name)).collect()
}

/// Answers for whom the table waits.
///
/// # Errors
///
/// When the log fails.
pub async fn answer(
    house: &mut Host,
    choices: &mut Choices<'_>,
    next: Next,
) -> Result<(), LiveError> {
    if choices.one_in(16) {
        // Nonsense is refused or lawful; either way the table goes on.
        let act = crate::any_command(choices, house.table());
        let harmless = matches!(
            act,
            Act::Player(_, Deed::Bet(_) | Deed::TakeBack(_) | Deed::Move(..) | Deed::Cut(_))
        );
        if harmless {
            let _ = house.act(act).await?;
        }
    }
    match next {
        Next::Shuffle => {
            for (_, name) in seated(house).into_iter().take(choices.below(3)) {
                let account = house.account(&name);
                let _ = house.take_part(&account)?;
            }
            let _ = house.shuffle().await?;
        }
        Next::Cut(by) => {
            let by = if let Some(table::CutBy::Player(id)) = by {
                Some(house.table().player(id).name)
            } else {
                let declined = &house.table().shoe().declined;
                let mut asked = seated(house).into_iter();
                asked.find(|(id, _)| !declined.contains(id)).map(|(_, name)| name)
            };
            let depth = u32::try_from(choices.below(450)).unwrap_or(0);
            if let Some(name) = by {
                let deed = if choices.one_in(4) { Deed::DeclineCut } else { Deed::Cut(depth) };
                let _ = house.act(Act::Player(name, deed)).await?;
            }
        }
        Next::Wagers => bet_and_call(house, choices).await?,
        Next::Turn { side, third, by: Some(player) } => {
            let name = house.table().player(player).name;
            assert!(house.peek(player, side).is_some(), "who has the cards may look at them");
            let deed = match (choices.one_in(8), third) {
                (true, _) => Deed::RefuseCards,
                (false, true) => Deed::TurnThird(side, None),
                (false, false) => Deed::Turn(side, None),
            };
            let _ = house.act(Act::Player(name, deed)).await?;
        }
        Next::Decide(_) => {
            for decision in [
                table::Decision::Reconstruct(Vec::new()),
                table::Decision::CannotReconstruct,
                table::Decision::Resume,
            ] {
                if house.act(Act::Supervisor(decision)).await?.is_ok() {
                    break;
                }
            }
        }
        Next::Inspector => {
            let _ = house.act(Act::InspectorReturns).await?;
        }
        other => panic!("a robot does not know how to answer {other:?}"),
    }
    Ok(())
}

async fn bet_and_call(house: &mut Host, choices: &mut Choices<'_>) -> Result<(), LiveError> {
    let spots = house.book().rulebook.spots();
    for (_, name) in seated(house) {
        for _ in 0..choices.below(3) {
            let spot = spots[choices.below(spots.len())];
            let amount = Cents::new((1 + choices.below(30)) as u64 * 1000).unwrap_or(Cents::ZERO);
            let bet = Bet { spot, amount, place: None, unnoticed: false, in_error: false };
            let _ = house.act(Act::Player(name, Deed::Bet(bet))).await?;
        }
    }
    let idle = house.table().wagers().is_empty() && !house.table().is_no_bet();
    if let (true, Some((_, name))) = (idle, seated(house).first()) {
        let amount = Cents::new(2000).unwrap_or(Cents::ZERO);
        let bet =
            Bet { spot: Spot::Player, amount, place: None, unnoticed: false, in_error: false };
        let _ = house.act(Act::Player(*name, Deed::Bet(bet))).await?;
    }
    let _ = house.act(Act::Dealer(table::Work::NoMoreBets)).await?;
    Ok(())
}
