//! One act of every kind, and the roles that may do it on a floor, written out by hand: the tests
//! of the matrix go through it cell by cell. A role that is not listed may not.

use rules::{Cents, Spot};
use serde::de::DeserializeOwned;
use table::{Act, Checker, Decision, Deed, Limits, Name, Options, SignLine, Work};
use tournament::{Act as EventAct, Conditions, Lot, Miskeyed, Offence};

const SUPERVISORS: &str = "supervisor inspector management";

fn why() -> String {
    String::from("a reason")
}

/// Acts at a table in the name of a player: the roles at a table that staff deal, and, behind the
/// bar, at one that the system deals.
#[must_use]
pub fn at_a_table(player: Name) -> Vec<(Act, &'static str)> {
    let dollars = |dollars: u64| Cents::new(dollars * 100).unwrap_or(Cents::ZERO);
    let limits = Limits { least: dollars(1), most: dollars(2), step: None };
    let supervisors = "supervisor inspector management|supervisor inspector management";
    vec![
        (Act::Tick, "|"),
        (Act::Open(Options::default()), "operator|operator"),
        (Act::Post(SignLine::Sharing(2)), "operator|operator"),
        (Act::GiveNotice(SignLine::Closing, None), "operator|operator"),
        (
            Act::PlayersConsent,
            "dealer supervisor inspector management|dealer supervisor inspector management",
        ),
        (Act::Allow(player, rules::Group::Main, limits), "operator|operator"),
        (
            Act::VoidCoup(why()),
            "supervisor inspector management operator|supervisor inspector management operator",
        ),
        (Act::VoidNumbered(1, why()), "operator|operator"),
        (Act::Invalidate(why()), "operator|operator"),
        (Act::VoidWagers(player, None, why()), "operator|operator"),
        (Act::Exclude(player, why()), "operator|operator"),
        (Act::RequireSeat(1), "operator|operator"),
        (Act::ReplaceCards, "operator|operator"),
        (Act::GiveRules, "operator|operator"),
        (Act::DecideDispute(1, why()), "operator|operator"),
        (Act::ReviewDispute(1, why()), "regulator|regulator"),
        (Act::InspectorLeaves, "inspector|inspector"),
        (Act::InspectorReturns, "inspector|inspector"),
        (Act::Player(player, Deed::Leave), "player dealer|player"),
        (Act::Dealer(Work::Shuffle), "dealer|"),
        (Act::Dealer(Work::Check(Checker::Device)), "dealer|dealer"),
        (Act::Dealer(Work::Check(Checker::Supervisor)), supervisors),
        (Act::Supervisor(Decision::DirectShuffle), supervisors),
        (Act::CuttingCardAppears, "dealer|"),
        (Act::CuttingCardShows, "dealer|"),
        (Act::ShoeRunsOut, "dealer|"),
        (Act::FreshShoe, "dealer|"),
        (Act::Close, "operator|operator"),
    ]
}

/// Acts in a tournament in the name of a player, and the roles that may do them.
#[must_use]
pub fn in_a_tournament(player: Name) -> Vec<(EventAct, &'static str)> {
    let mut cells = before_play(player);
    cells.extend(during_play(player));
    cells.extend(at_its_tables(player));
    cells
}

fn before_play(player: Name) -> Vec<(EventAct, &'static str)> {
    let other = Name::from("Wim").unwrap_or_default();
    let digest = tournament::secret::commitment("salt", "100 on player");
    let fee = Cents::new(100).unwrap_or(Cents::ZERO);
    let (director, operator, anybody) = ("director", "operator", "player dealer director");
    vec![
        (EventAct::Tick, ""),
        (EventAct::Open, operator),
        (EventAct::Document(Box::<Conditions>::default()), operator),
        (EventAct::Publish, operator),
        (EventAct::Notify, operator),
        (EventAct::Approve, "regulator"),
        (EventAct::ApproveCommission, "regulator"),
        (EventAct::NameDirector(other), operator),
        (EventAct::HandOver(other), director),
        (EventAct::DirectorLeaves, director),
        (EventAct::DirectorReturns, director),
        (EventAct::RequireAgreement, director),
        (EventAct::TellConditions, director),
        (EventAct::OpenEntries, operator),
        (EventAct::AddToPool(fee), operator),
        (EventAct::Apply(player), anybody),
        (EventAct::Agree(player), anybody),
        (EventAct::Accept(player), director),
        (EventAct::Enter(vec![other]), director),
        (EventAct::RefuseEntry(player, why()), director),
        (EventAct::Withdraw(player), anybody),
        (EventAct::Disqualify(player, Offence::Absence), director),
        (EventAct::Nominate(player, other), anybody),
        (EventAct::Substitute(player, other), director),
        (EventAct::Cancel(why()), operator),
        (EventAct::CloseEntries, director),
        (EventAct::MoveStart(0), director),
        (EventAct::NameTables(vec![1]), director),
        (EventAct::PlayersATable(2), director),
        (EventAct::CommitBallot(digest), director),
        (EventAct::AbandonBallot, director),
        (EventAct::DrawAgain(why()), director),
        (EventAct::AddToBallot(player, "words".into()), anybody),
        (EventAct::RevealBallot("words".into()), director),
        (EventAct::Allot { name: player, table: 1, seat: 1, lot: Lot::Drawn }, director),
        (EventAct::TakeSeat(player), anybody),
        (EventAct::TakeSeats(Vec::new()), "dealer director"),
        (EventAct::OfferSeat(player, other), director),
        (EventAct::Start, director),
    ]
}

fn during_play(player: Name) -> Vec<(EventAct, &'static str)> {
    let other = Name::from("Wim").unwrap_or_default();
    let digest = tournament::secret::commitment("salt", "100 on player");
    let amount = Cents::new(5000).unwrap_or(Cents::ZERO);
    let card = rules::Card::from_index(4).unwrap_or_else(|| unreachable!("a deck has five cards"));
    let wrong = Miskeyed::Wager { name: player, coup: None, spot: Spot::Player, amount };
    let (director, anybody) = ("director", "player dealer director");
    vec![
        (EventAct::Break(60_000_000), director),
        (EventAct::Resume, director),
        (EventAct::SetWagerTime(60_000_000), director),
        (EventAct::WaiveTime(player), director),
        (EventAct::WaiveTimeForAll(None), director),
        (EventAct::LiftWagerTime, director),
        (EventAct::Direct(player), director),
        (EventAct::MoveTable { from: 1, to: 2, why: why() }, director),
        (EventAct::Correct(Box::new(wrong), why()), director),
        (EventAct::ConfirmCorrection(None), SUPERVISORS),
        (EventAct::DropCorrection(None), director),
        (EventAct::PlaceMarker(None, 1), "dealer director"),
        (EventAct::Ask(player), "dealer director"),
        (EventAct::GoAway(player), anybody),
        (EventAct::ComeBack(player), anybody),
        (EventAct::Eliminate(player), director),
        (EventAct::VoidOutOfOrder(player), director),
        (EventAct::InsertIndicator(None), SUPERVISORS),
        (EventAct::IndicatorAppears(None), "dealer director"),
        (EventAct::RaiseLimits(None), director),
        (EventAct::HandIn(player, digest), anybody),
        (EventAct::Examine(player), SUPERVISORS),
        (EventAct::ReturnForm(player), SUPERVISORS),
        (
            EventAct::OpenForm { name: player, salt: String::new(), content: String::new() },
            "inspector",
        ),
        (EventAct::SpoilForm(player), SUPERVISORS),
        (EventAct::AskForm(player, other), anybody),
        (EventAct::AnnounceLast(None), director),
        (EventAct::EndEarly(None), director),
        (EventAct::DrawForPlayOff(None, card), director),
        (EventAct::StartPlayOff(None, None), director),
        (EventAct::BuyBack(player), anybody),
        (EventAct::AwardPoints(player, 1, "another game".into()), director),
        (EventAct::AwardPrizes, director),
    ]
}

/// What is done at the tables of a tournament. Whoever may do it at a table that staff deal may do
/// it there, and the director keys in what players and the dealer do and say.
fn at_its_tables(player: Name) -> Vec<(EventAct, &'static str)> {
    let at = |act: Act| EventAct::At(None, Box::new(act));
    let mut cells = Vec::new();
    for (act, listed) in at_a_table(player) {
        let listed = match &act {
            Act::Player(..) => "player dealer director",
            Act::Dealer(Work::Check(Checker::Supervisor)) => SUPERVISORS,
            // Players and devices are spoken for by those who stand at the table.
            Act::PlayersConsent
            | Act::Dealer(_)
            | Act::CuttingCardAppears
            | Act::CuttingCardShows
            | Act::ShoeRunsOut
            | Act::FreshShoe => "dealer director",
            _ => listed.split_once('|').map_or("", |(staffed, _)| staffed),
        };
        cells.push((at(act), listed));
    }
    cells
}

/// The kinds of acts that a type has, by the names under which they are stored.
#[must_use]
pub fn kinds<A: DeserializeOwned>() -> Vec<String> {
    // What the reader of a type says of a word that it does not know.
    let said = serde_json::from_str::<A>("\"none such\"").err().map(|fault| fault.to_string());
    let said = said.unwrap_or_default();
    let words = said.split('`').skip(3).step_by(2);
    words.map(str::to_owned).collect()
}

/// The name of an act's kind.
#[must_use]
pub fn kind<A: serde::Serialize>(act: &A) -> String {
    match serde_json::to_value(act) {
        Ok(serde_json::Value::String(kind)) => kind,
        Ok(serde_json::Value::Object(fields)) => fields.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}
