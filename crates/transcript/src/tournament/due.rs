//! Says what is due in a tournament as a line that can be typed.

use rules::{Card, Rulebook, Side};
use table::SuspendedWhy;
use tournament::{Due, Next, Whom};

use super::say::say;
use crate::name::say_name;

/// The line for a step: complete where nothing is left to choose, and otherwise with words in
/// capitals in the place of what must be filled in, as in the reference of the language. Time that
/// must pass has no line. Where the cards come from a shoe of the system's (`system`), nobody names
/// them.
#[must_use]
pub fn say_due(due: &Due, book: &Rulebook, system: bool) -> Option<String> {
    if let Some(act) = &due.act {
        return say(act, book, &book.title.id).pop();
    }
    let line = form(due, book)?;
    let line = if system && matches!(due.next, Next::Turn { .. }) {
        line.replace(" CARD", "")
    } else if system && matches!(due.next, Next::Burn | Next::Deal | Next::DrawCard(_)) {
        line.replace("CARD", "??")
    } else {
        with_known(&line, &due.known)
    };
    // A line that names a player needs no table.
    let at_table = due.table.filter(|_| !names_somebody(&due.next));
    Some(at_table.map_or_else(|| line.clone(), |table| format!("at table {table} {line}")))
}

/// The line with the cards that are known, each in its place.
fn with_known(line: &str, known: &[Option<Card>]) -> String {
    let mut known = known.iter();
    let words = line.split(' ').map(|word| match word {
        "CARD" => known.next().copied().flatten().map_or_else(|| word.into(), |c| c.to_string()),
        word => word.into(),
    });
    words.collect::<Vec<String>>().join(" ")
}

fn names_somebody(next: &Next) -> bool {
    matches!(
        next,
        Next::Wager { .. }
            | Next::HandIn(_)
            | Next::OpenForm(_)
            | Next::Examine(_)
            | Next::Cut(Some(_))
            | Next::LookOver
            | Next::Turn { by: Some(_), .. }
    )
}

const fn hand(side: Side) -> &'static str {
    match side {
        Side::Player => "player",
        Side::Banker => "banker",
    }
}

/// The line of a step, with words in capitals for what is open. One arm for each step.
fn form(due: &Due, book: &Rulebook) -> Option<String> {
    Some(match &due.next {
        Next::WaitForStart(_) => return None,
        Next::Open => match book.title.base {
            Some(base) => {
                format!("operator opens a tournament under {} over {base}", book.title.id)
            }
            None => format!("operator opens a tournament under {}", book.title.id),
        },
        Next::Document => "operator documents the conditions".into(),
        Next::Approve => "regulator approves the conditions".into(),
        Next::Publish => "operator publishes the conditions".into(),
        Next::Notify => "operator notifies the regulator".into(),
        Next::ApproveCommission => "regulator approves the commission".into(),
        Next::NameDirector => "operator names NAME director".into(),
        Next::DirectorReturns => "director returns".into(),
        Next::RequireAgreement => "director requires agreement in writing".into(),
        Next::OpenEntries => "operator opens entries".into(),
        Next::TellConditions => "director tells the conditions".into(),
        Next::Apply => "NAME applies".into(),
        Next::Agree(name) => format!("{} agrees to the conditions", say_name(name)),
        Next::Accept(name) => format!("director accepts {}", say_name(name)),
        Next::RefuseEntry(name) => format!("director refuses {} because TEXT", say_name(name)),
        Next::CloseEntries => "director closes entries".into(),
        Next::Cancel => "operator cancels the tournament because TEXT".into(),
        Next::ApproveSubstitute { of, substitute } => {
            format!("director approves {} for {}", say_name(substitute), say_name(of))
        }
        Next::NameTables => "director names tables NUMBERS".into(),
        Next::CommitBallot => "director commits to the ballot HASH".into(),
        Next::AddToBallot => "NAME adds WORD to the ballot".into(),
        Next::RevealBallot => "director reveals the ballot WORD".into(),
        Next::AbandonBallot => "director abandons the ballot".into(),
        Next::Draw(name) => format!("director draws {} to table N seat N", say_name(name)),
        Next::Allot(name) => format!("director allots {} to table N seat N", say_name(name)),
        Next::TakeSeats => "players take their seats".into(),
        Next::TakeSeat(name) => format!("{} takes the seat", say_name(name)),
        Next::OfferSeat { of, to } => {
            format!("director offers the seat of {} to {}", say_name(of), say_name(to))
        }
        Next::Start => "director starts the session".into(),
        Next::Break(_) => "director resumes play".into(),
        Next::ConfirmCorrection => "supervisor confirms the correction".into(),
        Next::DropCorrection => "director takes the correction back".into(),
        Next::ReplaceCards => "operator replaces the cards".into(),
        Next::CheckCards(_) => "dealer checks the cards".into(),
        Next::LookOver => "NAME inspects the cards".into(),
        Next::Shuffle => "dealer shuffles".into(),
        Next::Cut(Some(name)) => format!("{} cuts at N", say_name(name)),
        Next::Cut(None) if due.whom == Whom::Players => "NAME cuts at N".into(),
        Next::Cut(None) => "supervisor cuts at N".into(),
        Next::InsertIndicator => "inspector inserts the indicator card".into(),
        Next::PlaceCuttingCard(behind) => format!("dealer places the cutting card at {behind}"),
        Next::Burn => "dealer burns CARD".into(),
        Next::FreshShoe => "fresh shoe".into(),
        Next::RaiseLimits => "director raises the limits".into(),
        Next::PlaceMarker => "dealer places the marker at seat N".into(),
        Next::Ask(name) => format!("dealer asks {}", say_name(name)),
        Next::Wager { name, .. } => format!("{} bets AMOUNT on SPOT", say_name(name)),
        Next::HandIn(name) => format!("{} hands in a form HASH", say_name(name)),
        Next::WaiveTime(name) => {
            format!("director waives the time to wager for {}", say_name(name))
        }
        Next::ComeBack(name) => format!("{} comes back", say_name(name)),
        Next::Eliminate(name) => format!("director eliminates {}", say_name(name)),
        Next::VoidOutOfOrder(name) => format!("director voids the wager of {}", say_name(name)),
        Next::Examine(name) => format!("inspector examines {}'s form", say_name(name)),
        Next::OpenForm(name) => {
            format!("inspector opens {}'s form with salt WORD saying TEXT", say_name(name))
        }
        Next::NoMoreBets => "dealer calls no more bets".into(),
        Next::Deal => "dealer deals CARD CARD CARD CARD".into(),
        Next::DrawCard(side) => format!("dealer draws CARD to {}", hand(*side)),
        Next::Turn { side, third, by } => {
            let who = by.as_ref().map_or_else(|| "dealer".into(), |name| say_name(name));
            let what = if *third { "third card CARD" } else { "cards CARD CARD" };
            format!("{who} turns the {} {what}", hand(*side))
        }
        Next::InspectorReturns => "inspector returns".into(),
        Next::Rule(SuspendedWhy::OutOfSequence) => "supervisor reconstructs the coup".into(),
        Next::Rule(SuspendedWhy::Changes) => "supervisor resumes".into(),
        Next::Rule(SuspendedWhy::WrongPerson) => "supervisor decides: TEXT".into(),
        Next::AnnounceLast => "director announces the last coup".into(),
        Next::EndEarly => "director ends the session early".into(),
        Next::BuyBack(name) => format!("{} buys back in", say_name(name)),
        Next::DrawForPlayOff => "director draws CARD for the play-off".into(),
        Next::StartPlayOff => "director starts the play-off with AMOUNT".into(),
        Next::AwardPoints => "director awards NAME N points for TEXT".into(),
        Next::AwardPrizes => "director awards the prizes".into(),
    })
}
