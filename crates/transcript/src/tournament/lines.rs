//! The lines of a transcript that concern a tournament.

use rules::Cents;
use shoe::Digest;
use table::Name;
use tournament::conditions::Moment;
use tournament::{Act, Lot, Miskeyed, Offence};

use crate::form::Filled;
use crate::language::Line;

type Make = fn(&Filled, Option<u32>) -> Option<Line>;

/// Forms of a tournament's lines, by role; the number is the table's, if the line names one.
pub(crate) const EVENT_FORMS: &[(&str, &str, Make)] = &[
    ("operator", "opens a tournament under WORD [over WORD]", |f, _| {
        Some(Line::Tournament { book: f.text(0)?, base: f.text(1) })
    }),
    ("operator", "publishes the conditions", |_, _| act(Act::Publish)),
    ("operator", "notifies the regulator", |_, _| act(Act::Notify)),
    ("regulator", "approves the conditions", |_, _| act(Act::Approve)),
    ("regulator", "approves the commission", |_, _| act(Act::ApproveCommission)),
    ("operator", "names NAME director", |f, _| act(Act::NameDirector(f.name(0)?))),
    ("director", "hands over to NAME", |f, _| act(Act::HandOver(f.name(0)?))),
    ("operator", "opens entries", |_, _| act(Act::OpenEntries)),
    ("operator", "adds AMOUNT to the pool", |f, _| act(Act::AddToPool(f.amount(0)?))),
    ("operator", "cancels the tournament because TEXT", |f, _| act(Act::Cancel(f.text(0)?))),
    ("director", "leaves", |_, _| act(Act::DirectorLeaves)),
    ("director", "returns", |_, _| act(Act::DirectorReturns)),
    ("director", "requires agreement in writing", |_, _| act(Act::RequireAgreement)),
    ("director", "tells the conditions", |_, _| act(Act::TellConditions)),
    ("director", "accepts NAME", |f, _| act(Act::Accept(f.name(0)?))),
    ("director", "enters NAMES", |f, _| act(Act::Enter(f.names()))),
    ("director", "refuses NAME because TEXT", |f, _| act(Act::RefuseEntry(f.name(0)?, f.text(0)?))),
    ("director", "disqualifies NAME because TEXT", |f, _| {
        act(Act::Disqualify(f.name(0)?, Offence::Breach(f.text(0)?)))
    }),
    ("director", "disqualifies NAME for absence", |f, _| {
        act(Act::Disqualify(f.name(0)?, Offence::Absence))
    }),
    ("director", "disqualifies NAME for hiding chips", |f, _| {
        act(Act::Disqualify(f.name(0)?, Offence::HiddenChips))
    }),
    ("director", "approves NAME for NAME", |f, _| act(Act::Substitute(f.name(1)?, f.name(0)?))),
    ("director", "closes entries", |_, _| act(Act::CloseEntries)),
    ("director", "moves the start to DATE WORD", |f, _| {
        let moment = Moment::parse(&format!("{} {}", f.text(0)?, f.text(1)?)).ok()?;
        act(Act::MoveStart(moment.0))
    }),
    ("director", "names tables NUMBERS", |f, _| act(Act::NameTables(f.numbers()))),
    ("director", "sets N players a table", |f, _| act(Act::PlayersATable(f.number(0)?))),
    ("director", "commits to the ballot HASH", |f, _| act(Act::CommitBallot(digest(f)?))),
    ("director", "abandons the ballot", |_, _| act(Act::AbandonBallot)),
    ("director", "draws again because TEXT", |f, _| act(Act::DrawAgain(f.text(0)?))),
    ("director", "reveals the ballot WORD", |f, _| {
        act(Act::RevealBallot(f.text(0)?.trim_matches('"').to_owned()))
    }),
    ("director", "draws NAME to table N seat N", |f, _| allot(f, Lot::Drawn)),
    ("director", "allots NAME to table N seat N", |f, _| allot(f, Lot::Given)),
    ("players", "take their seats [except NAMES]", |f, _| act(Act::TakeSeats(f.names()))),
    ("director", "offers the seat of NAME to NAME", |f, _| {
        act(Act::OfferSeat(f.name(0)?, f.name(1)?))
    }),
    ("director", "starts the session", |_, _| act(Act::Start)),
    ("director", "gives a break of DURATION", |f, _| act(Act::Break(f.minutes(0)? * 60_000_000))),
    ("director", "resumes play", |_, _| act(Act::Resume)),
    ("director", "sets SECONDS to wager", |f, _| {
        act(Act::SetWagerTime(u64::from(f.number(0)?) * 1_000_000))
    }),
    ("director", "waives the time to wager for everybody", |_, t| act(Act::WaiveTimeForAll(t))),
    ("director", "lifts the time to wager", |_, _| act(Act::LiftWagerTime)),
    ("director", "waives the time to wager for NAME", |f, _| act(Act::WaiveTime(f.name(0)?))),
    ("director", "directs NAME to wager", |f, _| act(Act::Direct(f.name(0)?))),
    ("director", "moves table N to table N because TEXT", |f, _| {
        let (from, to) = (f.number(0)?, f.number(1)?);
        act(Act::MoveTable { from, to, why: f.text(0)? })
    }),
    ("director", "corrects OWNER wager [in coup N] to AMOUNT on SPOT because TEXT", |f, _| {
        let (name, coup, spot, amount) = (f.name(0)?, f.number(0), f.spot(0)?, f.amount(0)?);
        correct(f, Miskeyed::Wager { name, coup, spot, amount })
    }),
    ("director", "corrects card N of coup N to CARD because TEXT", |f, table| {
        let (number, coup, card) = (f.number(0)?, f.number(1)?, f.card(0).flatten()?);
        correct(f, Miskeyed::Card { table, coup, number, card })
    }),
    ("director", "corrects OWNER seat to N because TEXT", |f, _| {
        correct(f, Miskeyed::Seat { name: f.name(0)?, seat: f.number(0)? })
    }),
    ("director", "corrects OWNER chips to AMOUNT because TEXT", |f, _| {
        correct(f, Miskeyed::Chips { name: f.name(0)?, amount: f.amount(0)? })
    }),
    ("director", "takes the correction back", |_, t| act(Act::DropCorrection(t))),
    ("supervisor", "confirms the correction", |_, t| act(Act::ConfirmCorrection(t))),
    ("dealer", "places the marker at seat N", |f, t| act(Act::PlaceMarker(t, f.number(0)?))),
    ("dealer", "asks NAME", |f, _| act(Act::Ask(f.name(0)?))),
    ("director", "eliminates NAME", |f, _| act(Act::Eliminate(f.name(0)?))),
    ("director", "voids the wager of NAME", |f, _| act(Act::VoidOutOfOrder(f.name(0)?))),
    ("supervisor", "inserts the indicator card", |_, t| act(Act::InsertIndicator(t))),
    ("indicator", "card appears", |_, t| act(Act::IndicatorAppears(t))),
    ("director", "raises the limits", |_, t| act(Act::RaiseLimits(t))),
    ("supervisor", "examines OWNER form", |f, _| act(Act::Examine(f.name(0)?))),
    ("supervisor", "returns OWNER form", |f, _| act(Act::ReturnForm(f.name(0)?))),
    ("supervisor", "opens OWNER form with salt WORD saying TEXT", |f, _| {
        let (salt, content) = (f.text(0)?.trim_matches('"').to_owned(), f.text(1)?);
        act(Act::OpenForm { name: f.name(0)?, salt, content })
    }),
    ("supervisor", "cannot read OWNER form", |f, _| act(Act::SpoilForm(f.name(0)?))),
    ("director", "announces the last coup", |_, t| act(Act::AnnounceLast(t))),
    ("director", "ends the session early", |_, t| act(Act::EndEarly(t))),
    ("director", "draws CARD for the play-off", |f, t| {
        act(Act::DrawForPlayOff(t, f.card(0).flatten()?))
    }),
    ("director", "starts the play-off [with AMOUNT]", |f, t| {
        act(Act::StartPlayOff(t, f.amount(0)))
    }),
    ("director", "awards NAME N points for TEXT", |f, _| {
        act(Act::AwardPoints(f.name(0)?, f.number(0)?, f.text(0)?))
    }),
    ("director", "awards the prizes", |_, _| act(Act::AwardPrizes)),
];

type MakeDeed = fn(&Filled, Name) -> Option<Act>;

/// Forms of what players do in a tournament, after the name.
pub(crate) const EVENT_PLAYER_FORMS: &[(&str, MakeDeed)] = &[
    ("applies", |_, name| Some(Act::Apply(name))),
    ("agrees to the conditions", |_, name| Some(Act::Agree(name))),
    ("withdraws", |_, name| Some(Act::Withdraw(name))),
    ("nominates NAME", |f, name| Some(Act::Nominate(name, f.name(0)?))),
    ("adds WORD to the ballot", |f, name| {
        Some(Act::AddToBallot(name, f.text(0)?.trim_matches('"').to_owned()))
    }),
    ("takes the seat", |_, name| Some(Act::TakeSeat(name))),
    ("goes away", |_, name| Some(Act::GoAway(name))),
    ("comes back", |_, name| Some(Act::ComeBack(name))),
    ("hands in a form HASH", |f, name| Some(Act::HandIn(name, digest(f)?))),
    ("asks to see OWNER form", |f, name| Some(Act::AskForm(name, f.name(0)?))),
    ("buys back in", |_, name| Some(Act::BuyBack(name))),
];

/// What a transcript can expect of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The player whose turn it is to wager.
    Turn(Name),
    /// The table and seat of a player, now or in the next session.
    Seat(Name, u32, u32),
    /// A player is out of the session, or of the tournament.
    Out(Name),
    /// A player advanced in the last line.
    Advances(Name),
    /// A player did not advance in the last line.
    StandsDown(Name),
    /// The players of a play-off.
    PlayOff(Vec<Name>),
    /// A player's final place.
    Place(Name, u32),
    /// A player's prize.
    Prize(Name, Cents),
    /// A player's points.
    Points(Name, Cents),
    /// The amount in the pool.
    Pool(Cents),
    /// The amount that the house keeps.
    Commission(Cents),
    /// A player is on the reserve list.
    Reserve(Name),
}

type MakeWanted = fn(&Filled) -> Option<Wanted>;

/// Forms of what a transcript expects of a tournament, after `expect`.
pub(crate) const EVENT_EXPECT_FORMS: &[(&str, MakeWanted)] = &[
    ("turn of NAME", |f| Some(Wanted::Turn(f.name(0)?))),
    ("play-off of NAMES", |f| Some(Wanted::PlayOff(f.names()))),
    ("pool AMOUNT", |f| Some(Wanted::Pool(f.amount(0)?))),
    ("commission AMOUNT", |f| Some(Wanted::Commission(f.amount(0)?))),
    ("NAME at table N seat N", |f| Some(Wanted::Seat(f.name(0)?, f.number(0)?, f.number(1)?))),
    ("NAME out", |f| Some(Wanted::Out(f.name(0)?))),
    ("NAME advances", |f| Some(Wanted::Advances(f.name(0)?))),
    ("NAME stands down", |f| Some(Wanted::StandsDown(f.name(0)?))),
    ("NAME reserve", |f| Some(Wanted::Reserve(f.name(0)?))),
    ("NAME place N", |f| Some(Wanted::Place(f.name(0)?, f.number(0)?))),
    ("NAME prize AMOUNT", |f| Some(Wanted::Prize(f.name(0)?, f.amount(0)?))),
    ("NAME points AMOUNT", |f| Some(Wanted::Points(f.name(0)?, f.amount(0)?))),
];

#[expect(clippy::unnecessary_wraps, reason = "a form may fail to make a line")]
fn act(act: Act) -> Option<Line> {
    Some(Line::Event(act.usual(), Box::new(act)))
}

fn correct(f: &Filled, wrong: Miskeyed) -> Option<Line> {
    act(Act::Correct(Box::new(wrong), f.text(0)?))
}

fn allot(f: &Filled, lot: Lot) -> Option<Line> {
    let (name, table, seat) = (f.name(0)?, f.number(0)?, f.number(1)?);
    act(Act::Allot { name, table, seat, lot })
}

fn digest(f: &Filled) -> Option<Digest> {
    Digest::read(&f.text(0)?)
}

/// The tournament's part of the reference of the language.
pub(crate) fn reference() -> String {
    let mut text = String::from(
        "\n## Tournaments\n\nA transcript of a tournament begins with `operator opens a tournament \
         under BOOK`; `condition KEY = VALUE` lines\nsay what the conditions are, as a file of \
         conditions would (a later line for a key goes before an earlier one,\n`condition KEY` \
         alone takes it out), and `operator documents the conditions` has them checked. `at table \
         N`\nbefore a line says at which table it happens.\n\n| who | line |\n|---|---|\n",
    );
    let row = |who: &str, form: &str| format!("| {who} | `{}` |\n", form.replace('|', "\\|"));
    text += &row("anyone", "condition KEY [= VALUE]");
    text += &row("operator", "documents the conditions");
    for (who, form, _) in EVENT_FORMS {
        let (who, form) = match *who {
            "indicator" => ("anyone", format!("indicator {form}")),
            "players" => ("all players", format!("players {form}")),
            who => (who, (*form).to_owned()),
        };
        text += &row(who, &form);
    }
    for (form, _) in EVENT_PLAYER_FORMS {
        text += &row("a player, by name", form);
    }
    text += "\n";
    for (form, _) in EVENT_EXPECT_FORMS {
        text += &format!("- `expect {form}`\n");
    }
    text
}
