//! Takes out of an event of a table what these eyes may not see.

use rules::Balance;
use table::{Account, Event, Fact, Leg, Name, PlayerId, SignLine, State};

use crate::eyes::{Eyes, Matter, NOT_SHOWN, named, written};

fn name_of(table: &State, id: PlayerId) -> &str {
    table.players().get(usize::from(id.0)).map_or("", |player| player.name.as_str())
}

/// The names of all players who are or were at a table.
pub(crate) fn names(table: &State) -> impl Iterator<Item = &str> {
    table.players().iter().map(|player| player.name.as_str())
}

/// Whether a posting says what a person owes whose debts these eyes may not see.
fn is_hidden_debt(eyes: &Eyes, table: &State, leg: &Leg) -> bool {
    match leg.account {
        Account::Receivable(id) => !eyes.may_see(Matter::Debt, name_of(table, id)),
        Account::Outside
        | Account::Float
        | Account::Layout
        | Account::Commission
        | Account::Stack(_) => false,
    }
}

/// An event without the words that these eyes may not read and the cards that nobody has seen;
/// nothing if they may see nothing of it.
pub(crate) fn hide(eyes: &Eyes, table: &State, event: &Event) -> Option<Event> {
    let fact = hide_fact(eyes, table, &event.fact)?;
    let mut event = Event { fact, ..event.clone() };
    let hidden = event.postings.iter().any(|leg| is_hidden_debt(eyes, table, leg));
    if hidden {
        // The other side of the posting would tell the sum.
        event.postings.retain(|leg| matches!(leg.account, Account::Stack(_)));
        let says_nothing_else =
            matches!(event.fact, Fact::Adjusted { cents, .. } if cents == Balance::ZERO);
        if says_nothing_else {
            return None;
        }
    }
    Some(event)
}

/// A line of the sign, with the names that these eyes may see.
pub(crate) fn hide_line(eyes: &Eyes, table: &State, line: &SignLine) -> SignLine {
    match line {
        SignLine::CapAreas(Some(name)) => {
            let name: Name = named(eyes, table, name);
            SignLine::CapAreas(Some(name.into()))
        }
        SignLine::Limits(..)
        | SignLine::Differential(_)
        | SignLine::Liability(_)
        | SignLine::Chips(_)
        | SignLine::Sharing(_)
        | SignLine::CapAreas(None)
        | SignLine::LiftCap
        | SignLine::Lift(_)
        | SignLine::Offer(_)
        | SignLine::Withdraw(_)
        | SignLine::FaceDown(_)
        | SignLine::Method(_)
        | SignLine::Closing => line.clone(),
    }
}

#[expect(clippy::too_many_lines, reason = "one arm for each fact")]
fn hide_fact(eyes: &Eyes, table: &State, fact: &Fact) -> Option<Fact> {
    let sees = |matter: Matter, id: PlayerId| eyes.may_see(matter, name_of(table, id));
    let words = |text: &str| written(eyes, text, names(table));
    Some(match fact {
        // Cards that nobody has seen.
        Fact::Dealt { side, shown: false, .. } => {
            Fact::Dealt { side: *side, card: None, shown: false }
        }
        // Whether a card that is not used was seen, the fact does not say.
        Fact::ExcessNotUsed(_) => Fact::ExcessNotUsed(None),

        // What concerns one person.
        Fact::PersonalLimits { player, .. } if !sees(Matter::Limits, *player) => return None,
        Fact::Advised(id, _) if !sees(Matter::Advice, *id) => return None,
        Fact::Excluded(id, _) if !sees(Matter::Reason, *id) => {
            Fact::Excluded(*id, NOT_SHOWN.into())
        }
        Fact::Placed { player, spot, place, amount, unnoticed } => {
            let unnoticed = *unnoticed && sees(Matter::Unnoticed, *player);
            let (player, spot, place, amount) = (*player, *spot, *place, *amount);
            Fact::Placed { player, spot, place, amount, unnoticed }
        }

        // Names.
        Fact::Arrived { player, name, seat, standing, chips } => {
            let shown = if eyes.may_see(Matter::Name, name) {
                **name
            } else {
                let place =
                    if *standing { format!("behind seat {seat}") } else { format!("seat {seat}") };
                Name::from(&place).unwrap_or_default()
            };
            let (player, seat, standing, chips) = (*player, *seat, *standing, *chips);
            Fact::Arrived { player, name: Box::new(shown), seat, standing, chips }
        }
        Fact::Posted(line) => Fact::Posted(hide_line(eyes, table, line)),
        Fact::TookEffect(line) => Fact::TookEffect(hide_line(eyes, table, line)),
        Fact::NoticeGiven { posting, from } => {
            let posting = Box::new(hide_line(eyes, table, posting));
            Fact::NoticeGiven { posting, from: *from }
        }

        // Words that somebody wrote.
        Fact::Voided { number, why } => Fact::Voided { number: *number, why: words(why) },
        Fact::Decided(text) => Fact::Decided(words(text)),
        Fact::DisputeDecided { number, decision } => {
            Fact::DisputeDecided { number: *number, decision: words(decision) }
        }
        Fact::DisputeReviewed { number, decision } => {
            Fact::DisputeReviewed { number: *number, decision: words(decision) }
        }

        // What everybody at the table sees.
        Fact::Opened(_)
        | Fact::Kept(_)
        | Fact::Ticked
        | Fact::Consented
        | Fact::PersonalLimits { .. }
        | Fact::Left(_)
        | Fact::Excluded(..)
        | Fact::SeatRequired(_)
        | Fact::Vacated
        | Fact::RiffleAsked(_)
        | Fact::RiffleApproved
        | Fact::CheckedBy(_)
        | Fact::Prepared(_)
        | Fact::CutOffered(_)
        | Fact::CutDeclined(_)
        | Fact::Cut { .. }
        | Fact::CuttingCardPlaced(_)
        | Fact::Burned { .. }
        | Fact::BurnShort { .. }
        | Fact::BurnedMore(_)
        | Fact::BurnSkipped
        | Fact::ShoeReady
        | Fact::Replaced
        | Fact::ShuffleDue
        | Fact::Returned { .. }
        | Fact::Moved { .. }
        | Fact::LetStand
        | Fact::ClaimWaived(..)
        | Fact::Advised(..)
        | Fact::BothSidesApproved(_)
        | Fact::NoBetAsked(_)
        | Fact::NoBetAnswered(..)
        | Fact::NoBetDirected(_)
        | Fact::OptionalCoups(_)
        | Fact::FaceDownAsked(_)
        | Fact::ManagementInformed
        | Fact::SurveillanceInformed
        | Fact::Sign(_)
        | Fact::Called(_)
        | Fact::BetsOpened
        | Fact::BetsClosed
        | Fact::CoupBegan { .. }
        | Fact::Dealt { shown: true, .. }
        | Fact::Passed(..)
        | Fact::CardsRefused(..)
        | Fact::Turned { .. }
        | Fact::Totals { .. }
        | Fact::PairsJudged { .. }
        | Fact::Natural
        | Fact::ThreeAlready(_)
        | Fact::Stands(_)
        | Fact::GivenToBanker(_)
        | Fact::OutOfSequence(_)
        | Fact::Reconstructed
        | Fact::Rearranged(_)
        | Fact::ThirdMoved(_)
        | Fact::Suspended(_)
        | Fact::Resumed
        | Fact::Excess { .. }
        | Fact::FoundFaceUp(_)
        | Fact::Result(_)
        | Fact::Settled { .. }
        | Fact::Lies { .. }
        | Fact::ErrorFound { .. }
        | Fact::Reopened { .. }
        | Fact::Relaid { .. }
        | Fact::CoupEnded { .. }
        | Fact::Reversed { .. }
        | Fact::CuttingCardOut { .. }
        | Fact::CoupsLeft(_)
        | Fact::OneMoreRound
        | Fact::NoMoreRound
        | Fact::CuttingCardSeen
        | Fact::Disputed(..)
        | Fact::Adjusted { .. }
        | Fact::RulesAsked(_)
        | Fact::RulesGiven
        | Fact::InspectorLeft
        | Fact::InspectorBack
        | Fact::Closed
        | Fact::Away(_)
        | Fact::Back(_)
        | Fact::InAgain(_)
        | Fact::OpenedAgain
        | Fact::WagerCorrected { .. }
        | Fact::CardCorrected { .. }
        | Fact::SeatCorrected { .. } => fact.clone(),
    })
}
