//! One event of a tournament, for these eyes.

use rules::{Cents, Clause};
use serde::Serialize;
use serde_json::Value;
use table::{Name, Time};
use tournament::{Account, Correction, EntrantId, Event, Fact, Leg, Offence, State, Tournament};
use transcript::{Called, tell_of_tournament_as};

use crate::FORM;
use crate::event::{EventView, PostingView, event_view, kind};
use crate::eyes::{Eyes, Matter, NOT_SHOWN, called, written};
use crate::hide::hide;

/// An event of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TournamentEventView {
    /// The number of the form.
    pub form: u32,
    /// The version of the stream that the event made; nothing where there is no stream.
    pub version: Option<u64>,
    /// The time, in microseconds.
    pub at: Time,
    /// The kind: the word that the fact begins with.
    pub kind: String,
    /// What happened, in words.
    pub what: String,
    /// The player whom it concerns: the name, or the place or number.
    pub player: Option<String>,
    /// The amount, if there is one.
    pub amount_cents: Option<u64>,
    /// The number of the table, if it happened at one.
    pub table: Option<u32>,
    /// The event at that table, if it is one.
    pub event: Option<Box<EventView>>,
    /// The clauses that it rests on.
    #[schemars(with = "Vec<String>")]
    pub clauses: Vec<Clause>,
    /// The money that moved.
    pub postings: Vec<PostingView>,
    /// The fact in the form of the log, without what these eyes may not see.
    pub fact: Value,
}

impl TournamentEventView {
    /// The same event, as the record of that version.
    #[must_use]
    pub fn at_version(self, version: u64) -> Self {
        Self { version: Some(version), ..self }
    }
}

/// Whether these eyes are those of an entrant, or of the entrant's substitute.
pub(crate) fn is_entrant(eyes: &Eyes, state: &State, id: EntrantId) -> bool {
    let entrant = state.entrants().get(usize::from(id.0));
    entrant.is_some_and(|entrant| {
        eyes.is(&entrant.name) || entrant.substitute.is_some_and(|name| eyes.is(&name))
    })
}

/// Whether these eyes may see something about an entrant.
pub(crate) fn sees(eyes: &Eyes, state: &State, matter: Matter, id: EntrantId) -> bool {
    let reach = eyes.scope().reach(matter);
    match reach {
        crate::eyes::Reach::Nobody => false,
        crate::eyes::Reach::Own => is_entrant(eyes, state, id),
        crate::eyes::Reach::Everybody => true,
    }
}

/// What these eyes see in place of an entrant: the name, or the number; and whoever plays for them.
pub(crate) fn entrant_called(eyes: &Eyes, state: &State, id: EntrantId) -> String {
    let own = own_name(eyes, state, id);
    let substitute = state.entrants().get(usize::from(id.0)).and_then(|who| who.substitute);
    match substitute.filter(|_| sees(eyes, state, Matter::Name, id)) {
        Some(substitute) => format!("{substitute} (for {own})"),
        None => own,
    }
}

/// The same of the entrant alone, whoever plays.
fn own_name(eyes: &Eyes, state: &State, id: EntrantId) -> String {
    match state.entrants().get(usize::from(id.0)) {
        Some(entrant) if sees(eyes, state, Matter::Name, id) => entrant.name.to_string(),
        Some(_) | None => format!("entrant {}", u32::from(id.0) + 1),
    }
}

fn posting(leg: &Leg) -> PostingView {
    let account = match leg.account {
        Account::Outside => "outside",
        Account::Pool => "pool",
        Account::Commission => "commission",
    };
    PostingView { account: account.into(), player: None, gained_cents: leg.cents.get() }
}

/// The money or the chips of a fact that is of no table.
#[expect(clippy::wildcard_enum_match_arm, reason = "other facts have none")]
const fn amount(fact: &Fact) -> Option<Cents> {
    match fact {
        Fact::PoolAdded(amount)
        | Fact::Refunded(_, amount)
        | Fact::Entered { fee: amount, .. }
        | Fact::ToppedUp { to: amount, .. }
        | Fact::BoughtBack { fee: amount, .. }
        | Fact::BuyBackUndone { fee: amount, .. }
        | Fact::Prize { amount, .. } => Some(*amount),
        Fact::PlayOffStarted { chips, .. } => *chips,
        _ => None,
    }
}

/// The names of everybody who is or was in the tournament.
pub(crate) fn names(state: &State) -> impl Iterator<Item = &str> {
    let entrants = state.entrants().iter();
    entrants.flat_map(|entrant| {
        let others = [entrant.substitute.as_ref(), entrant.nominated.as_ref()];
        std::iter::once(entrant.name.as_str()).chain(others.into_iter().flatten().map(Name::as_str))
    })
}

/// A correction, without a reason that these eyes may not read.
fn correction(eyes: &Eyes, state: &State, of: &Correction) -> Box<Correction> {
    let why = match of.what.entrant() {
        Some(id) if sees(eyes, state, Matter::Reason, id) => of.why.clone(),
        Some(_) => NOT_SHOWN.into(),
        None => written(eyes, &of.why, names(state)),
    };
    Box::new(Correction { why, ..of.clone() })
}

/// A name, or a word in its place.
fn other(eyes: &Eyes, name: &Name) -> Name {
    if eyes.may_see(Matter::Name, name) {
        return *name;
    }
    Name::from("a substitute").unwrap_or_default()
}

/// The fact without what these eyes may not see; nothing if they may see nothing of it. The forms
/// of secret wagers need no word here: a fact has their content only once they are opened.
#[expect(clippy::too_many_lines, reason = "one pattern for each fact")]
fn hide_fact(eyes: &Eyes, tournament: &Tournament, (fact, at): (&Fact, Time)) -> Option<Fact> {
    let state = tournament.state();
    let sees = |matter: Matter, id: EntrantId| sees(eyes, state, matter, id);
    let words = |text: &str| written(eyes, text, names(state));
    Some(match fact {
        Fact::AtTable { table, event } => {
            let sitting = state.sitting_at(*table, at)?;
            Fact::AtTable { table: *table, event: hide(eyes, &sitting.table, event)? }
        }
        Fact::Directed(id) if !sees(Matter::Advice, *id) => return None,
        Fact::EntryRefused(id, _) if !sees(Matter::Reason, *id) => {
            Fact::EntryRefused(*id, NOT_SHOWN.into())
        }
        Fact::Disqualified(id, _) if !sees(Matter::Reason, *id) => {
            Fact::Disqualified(*id, Offence::Breach(NOT_SHOWN.into()))
        }
        Fact::Applied { entrant, name } => {
            let label = entrant_called(eyes, state, *entrant);
            let shown = if sees(Matter::Name, *entrant) { Ok(*name) } else { Name::from(&label) };
            Fact::Applied { entrant: *entrant, name: shown.unwrap_or_default() }
        }
        Fact::Nominated(id, name) => Fact::Nominated(*id, other(eyes, name)),
        Fact::Substituted(id, name) => Fact::Substituted(*id, other(eyes, name)),
        Fact::BallotAdded(id, text) => Fact::BallotAdded(*id, words(text)),
        Fact::Cancelled(why) => Fact::Cancelled(words(why)),
        Fact::DrawnAgain { why, by } => Fact::DrawnAgain { why: words(why), by: *by },
        Fact::TableMoved { from, to, why, by } => {
            Fact::TableMoved { from: *from, to: *to, why: words(why), by: *by }
        }
        Fact::CorrectionAsked(of) => Fact::CorrectionAsked(correction(eyes, state, of)),
        Fact::Corrected(of) => Fact::Corrected(correction(eyes, state, of)),
        // What everybody sees: numbers, places, the book's words, and what was opened.
        Fact::Opened { .. }
        | Fact::Documented { .. }
        | Fact::States(_)
        | Fact::Prevails
        | Fact::Published
        | Fact::Notified
        | Fact::Approved
        | Fact::CommissionApproved
        | Fact::DirectorNamed(_)
        | Fact::DirectorLeft
        | Fact::DirectorBack
        | Fact::AgreementRequired
        | Fact::ConditionsTold
        | Fact::EntriesOpened
        | Fact::PoolAdded(_)
        | Fact::Agreed(_)
        | Fact::Entered { .. }
        | Fact::Reserved(_)
        | Fact::EntryRefused(..)
        | Fact::Withdrawn(_)
        | Fact::Refunded(..)
        | Fact::FeeForfeited(_)
        | Fact::FeeNotRefunded(_)
        | Fact::Disqualified(..)
        | Fact::EntriesClosed
        | Fact::StageOpened { .. }
        | Fact::StartMoved(_)
        | Fact::TablesNamed(_)
        | Fact::PlayersATable(_)
        | Fact::BallotCommitted(_)
        | Fact::BallotAbandoned
        | Fact::BallotRevealed(_)
        | Fact::Allotted { .. }
        | Fact::SessionAllotted(_)
        | Fact::Seated(_)
        | Fact::SessionStarted { .. }
        | Fact::TableOpened(_)
        | Fact::Kept(_)
        | Fact::ChairTaken { .. }
        | Fact::Forfeited(_)
        | Fact::SeatTakenOver { .. }
        | Fact::MayEnterSecondary(_)
        | Fact::BreakGiven(_)
        | Fact::PlayResumed
        | Fact::WagerTimeSet(_)
        | Fact::Directed(_)
        | Fact::MarkerAt { .. }
        | Fact::Asked { .. }
        | Fact::OutOfOrder { .. }
        | Fact::ToppedUp { .. }
        | Fact::OverMaximum(_)
        | Fact::HeldToMinimum(_)
        | Fact::TimeWaived(_)
        | Fact::MissedCoup(_)
        | Fact::MayAlter(_)
        | Fact::OutOfOrderVoided(_)
        | Fact::DealerTurns { .. }
        | Fact::LayForms(_)
        | Fact::WrongPlayer(_)
        | Fact::WentAway(_)
        | Fact::CameBack(_)
        | Fact::Eliminated { .. }
        | Fact::PlaceVoid(_)
        | Fact::ChipsLeft(_)
        | Fact::CoupUndone(_)
        | Fact::PlayGoesOn(_)
        | Fact::IndicatorIn(_)
        | Fact::IndicatorOut(_)
        | Fact::LimitsRaised(_)
        | Fact::FormHandedIn { .. }
        | Fact::FormExamined(_)
        | Fact::FormReturned(_)
        | Fact::FormOpened { .. }
        | Fact::FormSpoiled(_)
        | Fact::FormVoid(_)
        | Fact::FormShown { .. }
        | Fact::LastCoup(_)
        | Fact::EndedEarly(_)
        | Fact::PlayEnded { .. }
        | Fact::PlayOffDue { .. }
        | Fact::PlayOffDrawn { .. }
        | Fact::PlayOffStarted { .. }
        | Fact::ChipsCollected(_)
        | Fact::Shared { .. }
        | Fact::TableFinished(_)
        | Fact::Advanced { .. }
        | Fact::StoodDown { .. }
        | Fact::StageEnded(_)
        | Fact::SessionReopened(_)
        | Fact::InAgain { .. }
        | Fact::BuyBackUndone { .. }
        | Fact::PointsTakenBack { .. }
        | Fact::BoughtBack { .. }
        | Fact::Points { .. }
        | Fact::Placed { .. }
        | Fact::Prize { .. }
        | Fact::Goods { .. }
        | Fact::Ended
        | Fact::HandedOver { .. }
        | Fact::TimeWaivedForAll(_)
        | Fact::WagerTimeLifted
        | Fact::CorrectionConfirmed { .. }
        | Fact::CorrectionDropped(_)
        | Fact::RunnersUp { .. }
        | Fact::RunnersUpLevel { .. } => fact.clone(),
    })
}

/// An event of a tournament as these eyes may see it, with the tournament after it; nothing if they
/// may see nothing of it.
#[must_use]
pub fn tournament_event_view(
    eyes: &Eyes,
    after: &Tournament,
    event: &Event,
) -> Option<TournamentEventView> {
    let state = after.state();
    let fact = hide_fact(eyes, after, (&event.fact, event.at))?;
    let shown = Event { fact, ..event.clone() };
    let nested = if let Fact::AtTable { table, event: inner } = &event.fact {
        let sitting = state.sitting_at(*table, event.at);
        let view = sitting.and_then(|sitting| event_view(eyes, &sitting.table, inner));
        (Some(*table), view.map(Box::new))
    } else {
        (None, None)
    };
    let called = Called {
        entrant: &|id| entrant_called(eyes, state, id),
        own: &|id| own_name(eyes, state, id),
        player: &|table, id| called(eyes, table, id),
    };
    let fact = serde_json::to_value(&shown.fact).ok()?;
    // Of what happens at a table, whom it concerns is said there.
    let (player, amount_cents) = if let Some(view) = &nested.1 {
        (view.player.clone(), view.amount_cents)
    } else {
        let player = shown.fact.entrant().map(|id| entrant_called(eyes, state, id));
        (player, amount(&shown.fact).map(Cents::get))
    };
    Some(TournamentEventView {
        form: FORM,
        version: None,
        at: event.at,
        kind: kind(&fact),
        what: tell_of_tournament_as(&shown, after, &called),
        player,
        amount_cents,
        table: nested.0,
        event: nested.1,
        clauses: event.clauses.to_vec(),
        postings: event.postings.iter().map(posting).collect(),
        fact,
    })
}
